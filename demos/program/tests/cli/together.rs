//! Several files of a run: all of them appear or none, and none in the place of what the run reads.

use crate::program::{Outcome, Program, npy};

/// The script waits at a pipe, whose writer puts a folder in the way meanwhile.
#[cfg(unix)]
#[test]
fn a_folder_in_the_way_of_one_file_of_a_script_keeps_all_from_appearing() -> Outcome {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    let program = Program::new()?;
    assert!(Command::new("mkfifo").arg(program.path("pipe.csv")).status()?.success());
    let text =
        "save(\"a.csv\", 1)\nsave(\"old.csv\", 1)\nsave(\"b.csv\", 2)\nx = load(\"pipe.csv\")\nprint x";
    std::fs::write(program.path("s"), text)?;
    std::fs::write(program.path("old.csv"), "before")?;
    let mut child = program.command("script s").stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    // It opens when the script does, which has saved what it saves by then.
    let mut pipe = std::fs::OpenOptions::new().write(true).open(program.path("pipe.csv"))?;
    std::fs::create_dir(program.path("b.csv"))?;
    pipe.write_all(b"3\n")?;
    drop(pipe);
    let mut err = String::new();
    child.stderr.take().ok_or("no stderr")?.read_to_string(&mut err)?;
    assert_eq!(child.wait()?.code(), Some(1), "{err}");
    assert_eq!(err, "quadrille: b.csv: is a directory, where a file was expected\n");
    assert_eq!(program.files()?, ["b.csv", "old.csv", "pipe.csv", "s"]);
    assert_eq!(program.bytes("old.csv")?, b"before");
    Ok(())
}

#[test]
fn no_command_takes_the_place_of_what_it_reads() -> Outcome {
    let program = Program::new()?;
    let kernel = "uniform Stream a; DOMAIN c; RANGE float r; void main() { r = value2(a, c).x + 1.0; }";
    std::fs::write(program.path("inc.frag"), kernel)?;
    std::fs::write(program.path("a.npy"), npy("1, 2", [1.0, 2.0]))?;
    std::fs::write(program.path("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
    std::fs::write(program.path("a.mtx"), "%%MatrixMarket matrix array real general\n1 1\n2\n")?;
    let before = program.files()?;
    for (arguments, line) in [
        ("kernel inc.frag --stream a=a.npy --out ./a.npy", "a.npy would be replaced by ./a.npy"),
        ("smooth a.obj a.obj", "a.obj would be replaced by a.obj"),
        ("smooth ./a.obj a.obj", "./a.obj would be replaced by a.obj"),
        ("solve a.mtx --out a.mtx", "a.mtx would be replaced by a.mtx"),
    ] {
        let bytes: Vec<Vec<u8>> = before.iter().map(|name| program.bytes(name)).collect::<Result<_, _>>()?;
        let ended = program.run(arguments)?;
        let whole = format!("quadrille: {line}: give the output another name\n");
        assert_eq!((ended.status, ended.err), (Some(2), whole), "{arguments}");
        let now: Vec<Vec<u8>> = before.iter().map(|name| program.bytes(name)).collect::<Result<_, _>>()?;
        assert!(program.files()? == before && now == bytes, "{arguments}");
    }
    Ok(())
}
