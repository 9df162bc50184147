//! A build without parts says so where one is asked for, with exit status 1, and writes nothing.
//!
//! The build that `make demo` makes where there is no display:
//! `cargo test -p quadrille-program --no-default-features --test without`.

#![cfg(not(any(
    feature = "bench",
    feature = "plots",
    feature = "prompt",
    feature = "wall",
    feature = "window"
)))]

use std::process::Command;

#[test]
fn every_part_that_was_left_out_is_named_with_its_feature() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(
        folder.path().join("a.mtx"),
        "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n",
    )?;
    for (arguments, expected) in [
        ("demo wave", "no windows: build with --features window; --headless runs without one"),
        (
            "demo wall --headless --steps 1",
            "no contacts between boxes, which the wall is made of: build with --features wall",
        ),
        ("demo formats --headless --steps 1 --plot a.png", "no plots: build with --features plots"),
        ("solve a.mtx --plot a.png", "no plots: build with --features plots"),
        ("bench passes", "no benchmarks: build with --features bench"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.args(arguments.split(' ')).current_dir(folder.path()).env("LP_NUM_THREADS", "0");
        let ended = command.output()?;
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(said, format!("quadrille: this build has {expected}\n"), "{arguments}");
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(1), 0), "{arguments}");
    }
    assert_eq!(std::fs::read_dir(folder.path())?.count(), 1, "nothing is written");
    Ok(())
}
