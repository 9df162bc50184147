//! `quadrille script`: what it prints, reads, saves, and how it fails.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::program::{Ended, Outcome, Program, npy, values};

/// Runs a script from a file named `s`.
fn script(program: &Program, text: &str) -> std::io::Result<Ended> {
    std::fs::write(program.path("s"), text)?;
    program.run("script s")
}

/// Runs a script from standard input.
fn piped(program: &Program, text: &[u8]) -> std::io::Result<Ended> {
    let mut command: Command = program.command("script");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text)?;
    }
    Ok(Ended::from(child.wait_with_output()?))
}

#[test]
fn a_script_prints_and_saves_files_of_every_kind() -> Outcome {
    let program = Program::new()?;
    let text = "A = [1 2; 3 4]\nA\nsave(\"a.npy\", A); save(\"a.mtx\", A); save(\"a.csv\", A)\nprint load(\"a.csv\")'\n";
    let ended = script(&program, text)?;
    assert_eq!((ended.status, ended.err.as_str()), (Some(0), ""));
    assert_eq!(ended.out, "A = (2 x 2)\n  1  2\n  3  4\n  1  3\n  2  4\n");
    assert_eq!(values(&program.bytes("a.npy")?), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(program.bytes("a.csv")?, b"1,2\n3,4\n");
    let mtx = "%%MatrixMarket matrix array real general\n2 2\n1e0\n3e0\n2e0\n4e0\n";
    assert_eq!(program.bytes("a.mtx")?, mtx.as_bytes());
    assert_eq!(program.files()?, ["a.csv", "a.mtx", "a.npy", "s"]);
    let again = script(&program, "print load(\"a.mtx\") - load(\"a.npy\"), sum(load(\"a.csv\"))")?;
    assert_eq!(again.out, "  0  0\n  0  0\n10\n");
    Ok(())
}

#[test]
fn standard_input_is_read_like_a_file() -> Outcome {
    let program = Program::new()?;
    let ended = piped(&program, b"print 1 + 1\nsave(\"a.npy\", [1 2])")?;
    assert_eq!((ended.status, ended.out.as_str(), ended.err.as_str()), (Some(0), "2\n", ""));
    assert!(program.path("a.npy").exists());
    let ended = piped(&program, b"a = 1\nb = c")?;
    assert_eq!(ended.status, Some(1));
    assert!(ended.err.starts_with("<stdin>:2:5: `c` has no value: did you mean `a`?\n"), "{}", ended.err);
    let ended = piped(&program, b"a = 1\n\xff")?;
    let line = "quadrille: standard input: line 2 is no text: found a byte that is not UTF-8\n";
    assert_eq!((ended.status, ended.err.as_str()), (Some(1), line));
    let ended = piped(&program, b"")?;
    assert_eq!((ended.status, ended.out.as_str(), ended.err.as_str()), (Some(0), "", ""));
    Ok(())
}

#[test]
fn a_fault_is_shown_in_its_line() -> Outcome {
    let program = Program::new()?;
    let ended = script(&program, "A = ones(3, 4)\n\n\tB = A * [1 2; 3 4]\t# no\n")?;
    let shown = "s:3:6: the shapes do not fit `*`: found 3 x 4 and 2 x 2, expected 2 columns on the left or 4 rows on the \
                 right\n  |\n3 |     B = A * [1 2; 3 4]    # no\n  |         ^^^^^^^^^^^^^^\n";
    assert_eq!((ended.status, ended.out.as_str(), ended.err.as_str()), (Some(1), "", shown));
    let ended = script(&program, "A = [1 2 3\n 4 5\n 6 7 8]")?;
    let shown =
        "s:2:2: the rows differ in length: found 2 columns, expected 3 as above\n  |\n2 |  4 5\n  |  ^\n";
    assert_eq!(ended.err, shown);
    let ended = script(&program, "x = 1 +")?;
    assert!(ended.err.ends_with("\n1 | x = 1 +\n  |        ^\n"), "{}", ended.err);
    let ended = script(&program, "größe = 1; print große")?;
    let shown = "s:1:18: `große` has no value: did you mean `größe`?\n  |\n1 | größe = 1; print große\n  |                  ^^^^^\n";
    assert_eq!(ended.err, shown);
    Ok(())
}

#[test]
fn a_failed_script_saves_nothing_and_stops_there() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("old.csv"), "7\n")?;
    std::fs::write(program.path("words.csv"), "1,2\n1,two\n")?;
    let text = "save(\"old.csv\", 1); save(\"new.npy\", 2)\nprint load(\"old.csv\")\nx = load(\"words.csv\")\nprint 3";
    let ended = script(&program, text)?;
    assert_eq!((ended.status, ended.out.as_str()), (Some(1), "1\n"));
    assert!(
        ended.err.starts_with("s:3:5: words.csv:2:2: found \"two\", expected a number\n"),
        "{}",
        ended.err
    );
    assert_eq!(program.bytes("old.csv")?, b"7\n");
    assert_eq!(program.files()?, ["old.csv", "s", "words.csv"]);
    Ok(())
}

#[test]
fn names_of_one_file_are_one_file() -> Outcome {
    let program = Program::new()?;
    std::fs::create_dir(program.path("d"))?;
    let ended = script(&program, "save(\"d/../a.csv\", 1); save(\"./a.csv\", 2)\nprint load(\"a.csv\")")?;
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("2\n", ""));
    assert_eq!(program.bytes("a.csv")?, b"2\n");
    Ok(())
}

/// Scripts, and what the first line must say behind the place.
const ERRORS: &[(&str, &str)] = &[
    ("load(\"missing.mtx\")", "missing.mtx: No such file or directory"),
    ("load(\"d.npy\")", "d.npy: is a directory, where a .npy file was expected"),
    ("load(\"d.csv\")", "d.csv: is a directory, where a .csv file was expected"),
    ("load(\"d.mtx\")", "d.mtx: is a directory, where a .mtx file was expected"),
    ("load(\"a.txt\")", "a.txt: found the extension .txt, expected .mtx, .npy or .csv"),
    ("load(\"\")", "the file name is empty, expected .mtx, .npy or .csv"),
    ("load(\".npy\")", ".npy: is an extension without a name, expected .mtx, .npy or .csv"),
    ("load(\"image.npy\")", "image.npy: has shape (2, 1, 3); expected (rows, columns) or (rows,)"),
    ("load(\"words.npy\")", "words.npy: is not a .npy file"),
    ("load(\"claim.mtx\")", "claim.mtx: a matrix of 1000000 x 1000000 is too large: at most "),
    ("load(\"long.npy\")", "long.npy: a matrix of 1 x 70000 is too large: at most "),
    ("save(\"a\", 1)", "a: has no extension, expected .mtx, .npy or .csv"),
    ("save(\"no/a.npy\", 1)", "no/a.npy: the folder no does not exist"),
    ("save(\"d.npy\", 1)", "d.npy: is a directory, where a file was expected"),
    ("A = [1 2]; A * load(\"row.npy\")", "the shapes do not fit `*`: found 1 x 2 and 1 x 3"),
];

/// The same of what is found only when they run.
const LATE: &[(&str, &str)] = &[
    ("load(\"ragged.csv\")", "ragged.csv:3: the rows differ in length: found 2, expected 3 as in line 1"),
    ("load(\"words.csv\")", "words.csv:2:2: found \"two\", expected a number"),
    (
        "load(\"head.csv\")",
        "head.csv:1:1: found \"x\", expected a number; a line of headings is deleted or begins with #",
    ),
    ("load(\"empty.csv\")", "empty.csv: holds no numbers"),
    ("load(\"large.csv\")", "large.csv:1:1: found 1e400: 32-bit floats end at 3.4028235e38"),
    ("load(\"large.mtx\")", "large.mtx: entry (1, 1) is 1e39: 32-bit floats end at 3.4028235e38"),
    ("load(\"zero.csv\")", "zero.csv:1:1: found \""),
    (
        "save(\"a.mtx\", [1 2] / 0)",
        "a.mtx: element (1, 1) is inf: a .mtx file holds finite numbers, .npy takes all",
    ),
];

#[test]
fn each_error_of_a_file_is_one_line_and_leaves_nothing() -> Outcome {
    let program = Program::new()?;
    for name in ["d.npy", "d.csv", "d.mtx"] {
        std::fs::create_dir(program.path(name))?;
    }
    let claim = "%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n";
    for (name, bytes) in [
        ("ragged.csv", b"1,2,3\n4,5,6\n7,8\n".to_vec()),
        ("words.csv", b"1,2\n1,two\n".to_vec()),
        ("empty.csv", Vec::new()),
        ("words.npy", b"words, words, words".to_vec()),
        ("image.npy", npy("2, 1, 3", [0.0; 6])),
        ("long.npy", npy("1, 70000", vec![0.0; 70_000])),
        ("claim.mtx", claim.as_bytes().to_vec()),
        ("row.npy", npy("1, 3", [0.0; 3])),
        ("head.csv", b"x,y\n1,2\n".to_vec()),
        ("large.csv", b"1e400\n".to_vec()),
        ("large.mtx", b"%%MatrixMarket matrix array real general\n1 1\n1e39\n".to_vec()),
        ("s", Vec::new()),
    ] {
        std::fs::write(program.path(name), bytes)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/zero", program.path("zero.csv"))?;
    let before = program.files()?;
    let early = ERRORS.iter().map(|case| (case, ""));
    for ((text, words), printed) in early.chain(LATE.iter().map(|case| (case, "1\n"))) {
        let ended = script(&program, &format!("print 1; x = 2\n{text}"))?;
        assert_eq!((ended.status, ended.out.as_str()), (Some(1), printed), "{text}: {}", ended.err);
        let (place, message) = ended.err.split_once(": ").unwrap_or_default();
        assert!(place.starts_with("s:2:") && message.starts_with(words), "{text}: {}", ended.err);
        assert_eq!(ended.err.lines().count(), 4, "{text}: {}", ended.err);
    }
    assert_eq!(program.files()?, before);
    Ok(())
}

#[test]
fn files_are_looked_at_before_anything_runs_and_what_is_saved_before_is_there() -> Outcome {
    let program = Program::new()?;
    let text = "save(\"a.npy\", [1 2])\nprint load(\"./a.npy\")\nname = \"no.npy\"\nload(name)\n";
    let ended = script(&program, text)?;
    assert_eq!((ended.status, ended.out.as_str()), (Some(1), ""));
    assert!(ended.err.starts_with("s:4:1: no.npy: No such file or directory\n"), "{}", ended.err);
    let ended = script(&program, "save(\"a.npy\", [1 2])\nload(\"a.npy\") * [1 2]\n")?;
    assert!(
        ended.err.starts_with("s:2:1: the shapes do not fit `*`: found 1 x 2 and 1 x 2"),
        "{}",
        ended.err
    );
    assert_eq!(program.files()?, ["s"]);
    Ok(())
}

#[test]
fn lines_of_a_script_may_end_by_a_lone_cr() -> Outcome {
    let program = Program::new()?;
    let ended = script(&program, "x = 1 # one\rprint x + 1\r")?;
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("2\n", ""));
    let ended = script(&program, "x = 1\rprint y\r")?;
    assert!(ended.err.starts_with("s:2:7: `y` has no value"), "{}", ended.err);
    Ok(())
}

/// Interrupts a script when it has printed a line, once, and waits for its end.
#[cfg(unix)]
fn interrupted(program: &Program, text: &str, signal: &str) -> Result<Ended, Box<dyn std::error::Error>> {
    std::fs::write(program.path("s"), text)?;
    let mut child = program.command("script s").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut line = String::new();
    // The first line says that it runs, and so that it listens.
    let out = child.stdout.take().ok_or("no output")?;
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line)?;
    Command::new("kill").args([signal, &child.id().to_string()]).status()?;
    Ok(Ended::from(child.wait_with_output()?))
}

#[test]
#[cfg(unix)]
fn one_interruption_ends_a_solve_or_a_wait_with_status_130() -> Outcome {
    let program = Program::new()?;
    Command::new("mkfifo").args([program.path("pipe.npy"), program.path("pipe.csv")]).status()?;
    let system = "n = 300; i = random(n, n); A = i * i' + 1e-3 * identity(n); b = random(n, 1)";
    for (statement, words, signal) in [
        ("x = solve(A, b, 1e-30)", "solve: interrupted after ", "-INT"),
        ("x = load(\"pipe.npy\")", "pipe.npy: interrupted while it was read", "-TERM"),
        ("x = load(\"pipe.csv\")", "pipe.csv: interrupted while it was read", "-INT"),
        ("save(\"pipe.npy\", A)", "pipe.npy: interrupted while it was opened", "-INT"),
    ] {
        let text = format!("save(\"b.npy\", 1); {system}; print 1\n{statement}");
        loop {
            let ended = interrupted(&program, &text, signal)?;
            assert_eq!(ended.status, Some(130), "{statement}: {}", ended.err);
            assert_eq!(program.files()?, ["pipe.csv", "pipe.npy", "s"]);
            let heard = "interrupted: stops after this operation; Ctrl-C once more ends it at once\n";
            let fault = ended.err.strip_prefix(heard).ok_or("not heard")?;
            let message = fault.split_once(": ").map(|(_, message)| message).unwrap_or_default();
            assert!(fault.starts_with("s:2:"), "{fault}");
            // It may have come in time for the check before the statement that is meant.
            if !message.starts_with("interrupted before this statement") {
                assert!(message.starts_with(words), "{fault}");
                break;
            }
        }
    }
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_grows_past_its_limit_is_an_error_and_leaves_nothing() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("s"), "save(\"a.npy\", zeros(300, 300))")?;
    let shell = format!("ulimit -f 8; exec {} script s", env!("CARGO_BIN_EXE_quadrille"));
    let output = Command::new("bash")
        .args(["-c", &shell])
        .env("LP_NUM_THREADS", "0")
        .current_dir(program.path(""))
        .output()?;
    let ended = Ended::from(output);
    assert_eq!(ended.status, Some(1), "{}", ended.err);
    assert!(ended.err.starts_with("s:1:1: a.npy: File too large\n"), "{}", ended.err);
    assert_eq!(program.files()?, ["s"]);
    Ok(())
}

#[test]
fn vectors_of_one_dimension_are_columns() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("v.npy"), npy("3,", [1.0, 2.0, 3.0]))?;
    std::fs::write(program.path("c.npy"), npy("3, 1, 1", [1.0, 2.0, 3.0]))?;
    let ended = script(&program, "v = load(\"v.npy\")\nprint size(v), sum(v), v'")?;
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("  3  1\n6\n  1  2  3\n", ""));
    assert_eq!(script(&program, "print load(\"c.npy\")'")?.out, "  1  2  3\n");
    Ok(())
}

#[test]
fn what_is_no_script_is_refused() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("binary"), b"a\nb\n\x80")?;
    for (arguments, line) in [
        ("script .", "quadrille: .: is a directory, where a script was expected\n"),
        ("script missing", "quadrille: missing: No such file or directory\n"),
        ("script binary", "quadrille: binary: line 3 is no text: found a byte that is not UTF-8\n"),
        ("script missing --device 77", "quadrille: missing: No such file or directory\n"),
    ] {
        let ended = program.run(arguments)?;
        assert_eq!((ended.status, ended.err.as_str()), (Some(1), line), "{arguments}");
    }
    std::fs::write(program.path("open"), b"a = [1 2")?;
    let told = program.run("script open --device 77")?.err;
    assert!(told.starts_with("open:1:5: `[` is never closed: found the end, expected `]`\n"), "{told}");
    assert_eq!(program.run("script a b")?.status, Some(2));
    Ok(())
}

#[test]
fn the_help_explains_the_language_in_a_screen() -> Outcome {
    let program = Program::new()?;
    for flag in ["-h", "--help"] {
        let help = program.succeed(&format!("script {flag}"))?;
        for words in ["A = [1 2; 3 4]", "zeros(rows, columns)", "save(\"file\", A)", "# comment"] {
            assert!(help.contains(words), "{words}: {help}");
        }
        assert!(help.lines().count() < 60 && help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
    Ok(())
}

#[test]
fn a_reader_that_leaves_does_not_cost_the_files() -> Outcome {
    let program = Program::new()?;
    let text = "print 1\n".repeat(20_000);
    std::fs::write(program.path("s"), format!("{text}save(\"a.csv\", 1)"))?;
    let mut child = program.command("script s").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    drop(child.stdout.take());
    let ended = Ended::from(child.wait_with_output()?);
    assert_eq!((ended.status, ended.err.as_str()), (Some(0), ""));
    assert_eq!(program.bytes("a.csv")?, b"1\n");
    Ok(())
}

/// The scripts that come with the program, run where they may save.
#[test]
fn the_scripts_in_the_folder_run() -> Outcome {
    let program = Program::new()?;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts");
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let ended = program.run(&format!("script {}", path.display()))?;
        assert_eq!((ended.status, ended.err.as_str()), (Some(0), ""), "{}", path.display());
        let out = ended.out;
        let number = |line: usize, word: usize| -> Option<f64> {
            out.lines().nth(line)?.split_whitespace().nth(word)?.parse().ok()
        };
        match path.file_name().and_then(|name| name.to_str()) {
            Some("least-squares.quad") => {
                // 3 t - 1 with noise of at most 0.05: no line fits worse than that.
                assert!(number(1, 0).is_some_and(|slope| (slope - 3.0).abs() < 0.05), "{out}");
                assert!(number(2, 0).is_some_and(|offset| (offset + 1.0).abs() < 0.05), "{out}");
                let saved = String::from_utf8(program.bytes("line.csv")?)?;
                assert_eq!((saved.lines().count(), saved.split(',').count()), (200, 401));
            }
            Some("resting.quad") => {
                let row =
                    |line: usize| -> Vec<f64> { (0..6).filter_map(|word| number(line, word)).collect() };
                let (gap, force) = (row(1), row(3));
                assert!(gap.len() == 6 && force.len() == 6, "{out}");
                // Each link either hangs free or lies on the table.
                assert!(gap.iter().zip(&force).all(|(gap, force)| gap.min(*force).abs() < 1e-4), "{out}");
                assert!(gap[0] > 0.9 && force[2] > 0.9, "{out}");
            }
            other => return Err(format!("{other:?} is tested by nobody").into()),
        }
    }
    Ok(())
}
