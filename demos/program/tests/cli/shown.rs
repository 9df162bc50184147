//! Words of others in a terminal: on one line, short, and without commands to it. And that it does get them.

use std::ffi::OsString;
use std::process::Stdio;

use crate::program::{Ended, Outcome, Program, npy};

/// Runs with arguments that are taken as they are.
fn run(program: &Program, arguments: &[&str]) -> std::io::Result<Ended> {
    let mut command = program.command("");
    command.args(arguments.iter().map(OsString::from));
    Ok(Ended::from(command.output()?))
}

fn check(what: &str, err: &str) {
    let raw = err.chars().find(|letter| letter.is_control() && *letter != '\n');
    assert_eq!(raw, None, "{what}: {err:?}");
    assert!(!err.is_empty() && err.chars().count() < 5000, "{what}: {} characters", err.chars().count());
}

#[test]
fn no_message_repeats_control_characters_or_texts_without_end() -> Outcome {
    let program = Program::new()?;
    let endless = "x".repeat(3_000_000);
    let hostile = format!("\x1b[31m\x07\u{9b}2J{endless}");
    let head = "%%MatrixMarket matrix coordinate real general";
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n";
    std::fs::write(program.path("a.npy"), npy("1, 2", [1.0, 2.0]))?;
    for (name, text) in [
        ("a.obj", format!("v {hostile} 0 0\n")),
        ("b.obj", format!("v 0 0 0\nf {hostile} 2 3\n")),
        ("c.obj", format!("{hostile}\n")),
        ("d.obj", format!("v 0 0 0\nf 1/{hostile} 2 3\n")),
        ("a.ply", format!("{hostile}\n")),
        ("b.ply", format!("{ply}property float {hostile}\nend_header\n1 2\n")),
        ("c.ply", format!("ply\nformat ascii 1.0\nelement {hostile} 1\nend_header\n")),
        ("a.mtx", format!("{head}\n1 1 1\n1 1 \x1b[31m{}\n", "x".repeat(1000))),
        ("b.mtx", format!("%%MatrixMarket matrix coordinate \x1b[31m{} general\n", "x".repeat(1000))),
        ("a.csv", format!("1,\x1b[31m{}\n", "x".repeat(1000))),
        ("a.frag", format!("RANGE float r; void main() {{ r = a{hostile}; }}")),
        ("b.frag", format!("uniform Stream a; DOMAIN c; RANGE float r{endless}; void main() {{ r = 1.0; }}")),
        ("s", format!("a = 1\nprint a, \"{hostile}\" * b{endless}, \"{hostile}\"\n")),
        ("t", format!("x = load(\"{hostile}.npy\")\n")),
        ("u", format!("x = {hostile}\n")),
    ] {
        std::fs::write(program.path(name), text)?;
    }
    for arguments in [
        &["smooth", "a.obj", "o.obj"][..],
        &["smooth", "b.obj", "o.obj"],
        &["smooth", "c.obj", "o.obj"],
        &["smooth", "d.obj", "o.obj"],
        &["smooth", "a.ply", "o.obj"],
        &["smooth", "b.ply", "o.obj"],
        &["smooth", "c.ply", "o.obj"],
        &["solve", "a.mtx"],
        &["solve", "b.mtx"],
        &["kernel", "a.frag", "--size", "2x2", "--out", "o.npy"],
        &["kernel", "b.frag", "--size", "2x2", "--out", "next=o.npy"],
        &["script", "s"],
        &["script", "t"],
        &["script", "u"],
    ] {
        let ended = run(&program, arguments)?;
        assert!(matches!(ended.status, Some(1 | 2)), "{arguments:?}");
        check(&arguments.join(" "), &ended.err);
    }
    // Arguments, which end at 128 KiB: of files that are not there, and of what clap says.
    let word = format!("\x1b[31m\x07\u{9b}2J\n{}", "x".repeat(100_000));
    for arguments in [
        &["smooth", &format!("{word}.obj"), "o.obj"][..],
        &["smooth", "a.obj", &format!("no/{word}.obj")],
        &["solve", &format!("{word}.mtx")],
        &["solve", "a.mtx", "--out", &format!("{word}.mtx")],
        &["script", &word],
        &["kernel", &format!("{word}.frag"), "--size", "2x2", "--out", "o.npy"],
        &["kernel", "b.frag", "--stream", &format!("a={word}.npy"), "--out", "o.npy"],
        &["kernel", "b.frag", "--stream", &format!("{word}=a.npy"), "--out", "o.npy"],
        &["demo", "wave", "--headless", "--out", &format!("{word}.bmp")],
        &["demo", "wave", "--headless", "--load", &format!("{word}.npy")],
        &["demo", "wave", "--headless", "--out", "a.png", "--colours", &word],
        &["info", "--device", &word],
        &["demo", &word],
        &["demo", "wave", "--beta", &word],
        &["demo", "wave", &format!("--{word}")],
        &[&word],
    ] {
        let ended = run(&program, arguments)?;
        assert!(matches!(ended.status, Some(1 | 2)), "{} {}", arguments[0].len(), ended.err);
        check(arguments.first().unwrap_or(&""), &ended.err);
    }
    Ok(())
}

/// 1 GiB of memory is there, and what never ends is not read into it.
#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_refused_in_bounded_memory() -> Outcome {
    let program = Program::new()?;
    for name in ["zero.obj", "zero.ply", "zero.mtx", "zero.csv", "zero.npy", "zero.png"] {
        std::os::unix::fs::symlink("/dev/zero", program.path(name))?;
    }
    std::fs::write(program.path("s"), "x = load(\"zero.csv\")\n")?;
    // A line that goes on and on.
    assert!(std::process::Command::new("mkfifo").arg(program.path("on.obj")).status()?.success());
    for (arguments, words) in [
        ("smooth zero.obj o.obj", "zero.obj: line 1: the line is longer than 67108864 bytes"),
        ("smooth zero.ply o.obj", "zero.ply: the line is longer than 67108864 bytes"),
        ("solve zero.mtx", "zero.mtx:1: the line is longer than 65536 bytes"),
        ("kernel none.frag --stream a=zero.npy --out o.npy", "none.frag: No such file"),
        ("script /dev/zero", "/dev/zero: longer than 16 MiB: not a script"),
        ("demo histogram --headless --image zero.png", "zero.png: is not a PNG"),
        ("script s", "s:1:5: zero.csv:1:1: found \""),
    ] {
        let shell = format!("ulimit -d 1048576; exec \"$0\" {arguments}");
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &shell, env!("CARGO_BIN_EXE_quadrille")]).current_dir(program.path(""));
        let ended = Ended::from(command.output()?);
        assert_eq!(ended.status, Some(1), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(words), "{arguments}: {}", ended.err);
    }
    let shell = "ulimit -d 1048576; exec \"$0\" smooth on.obj o.obj";
    let mut command = std::process::Command::new("bash");
    command.args(["-c", shell, env!("CARGO_BIN_EXE_quadrille")]).current_dir(program.path(""));
    let child = command.stderr(Stdio::piped()).spawn()?;
    let mut pipe = std::fs::OpenOptions::new().write(true).open(program.path("on.obj"))?;
    let lines = "1 \\\n".repeat(1 << 14);
    // The reader leaves when it has seen enough.
    while std::io::Write::write_all(&mut pipe, lines.as_bytes()).is_ok() {}
    let ended = Ended::from(child.wait_with_output()?);
    assert_eq!(ended.status, Some(1), "{}", ended.err);
    assert!(ended.err.contains("the statement is longer than 67108864 bytes"), "{}", ended.err);
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn what_could_not_be_printed_ends_with_status_1() -> Outcome {
    let program = Program::new()?;
    for arguments in [
        "--help",
        "--version",
        "demo --help",
        "demo wave --help",
        "bench passes --help",
        "help kernel",
        "demo",
        "demo wave --colours help",
        "info",
        "info --json",
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full")?;
        let ended = Ended::from(program.command(arguments).stdout(full).stderr(Stdio::piped()).output()?);
        let line = "quadrille: standard output: No space left on device\n";
        assert_eq!((ended.status, ended.err.as_str()), (Some(1), line), "{arguments}");
        assert_eq!(program.run(arguments)?.status, Some(0), "{arguments}");
        // A reader that leaves is no error.
        let mut child = program.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        drop(child.stdout.take());
        let ended = Ended::from(child.wait_with_output()?);
        assert_eq!((ended.status, ended.err.as_str()), (Some(0), ""), "{arguments}");
    }
    Ok(())
}
