//! The library's example of a window of one's own: it opens, moves and closes.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use crate::count;
use crate::program::Outcome;
use crate::screen::{ESCAPE, Screen, wait_for};

#[test]
fn the_example_with_a_window_of_its_own_draws_and_closes() -> Outcome {
    let example = Path::new(env!("CARGO_BIN_EXE_quadrille")).with_file_name("examples").join("window");
    assert!(example.exists(), "no {}: cargo build --all-features --example window", example.display());
    let screen = Screen::start()?;
    let window = screen.open(&mut Command::new(example), "1")?;
    let picture =
        || -> Result<Vec<[u8; 3]>, Box<dyn Error>> { Ok(screen.look()?.columns(0..1000).collect()) };
    wait_for("cells of many ages", || Ok((count(&picture()?) > 20).then_some(())))?;
    let before = picture()?;
    wait_for("the picture to move", || Ok((picture()? != before).then_some(())))?;
    screen.key(ESCAPE)?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}
