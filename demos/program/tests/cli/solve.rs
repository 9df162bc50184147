//! `quadrille solve`: what it reads, writes and says, and how it ends.

mod auto;
mod multigrid;
mod scaled;

use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use quadrille::numeric::Csr;
use serde_json::Value;

use crate::program::{Outcome, Program};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A matrix as a file of coordinates, general or only its lower triangle.
fn coordinates(csr: &Csr, symmetric: bool) -> String {
    let held: Vec<_> = csr.triplets().filter(|(row, column, _)| !symmetric || column <= row).collect();
    let kind = if symmetric { "symmetric" } else { "general" };
    let mut text = format!("%%MatrixMarket matrix coordinate real {kind}\n");
    let _ = writeln!(text, "{} {} {}", csr.rows(), csr.columns(), held.len());
    held.iter().for_each(|(row, column, value)| {
        let _ = writeln!(text, "{} {} {value:e}", row + 1, column + 1);
    });
    text
}

/// The numbers of a vector that was written.
fn vector(program: &Program, name: &str) -> Result<Vec<f64>> {
    let text = String::from_utf8(program.bytes(name)?)?;
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("%%MatrixMarket matrix array real general"));
    let size = lines.next().unwrap_or_default().to_owned();
    let values = lines.map(str::parse).collect::<std::result::Result<Vec<f64>, _>>()?;
    assert_eq!(size, format!("{} 1", values.len()));
    Ok(values)
}

/// A folder with a matrix of each kind, by the words of its banner.
fn folder() -> Result<Program> {
    let program = Program::new()?;
    let poisson = Csr::poisson(7, 5)?;
    let tall = Csr::from_triplets(5, 2, [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0), (3, 1, -1.0), (4, 0, 1.0)])?;
    let mm = |kind: &str, rest: &str| format!("%%MatrixMarket matrix {kind}\n{rest}");
    for (name, text) in [
        ("poisson.mtx", coordinates(&poisson, true)),
        ("general.mtx", coordinates(&poisson, false)),
        ("tall.mtx", coordinates(&tall, false)),
        ("integer.mtx", mm("coordinate integer symmetric", "3 3 4\n1 1 4\n2 1 -1\n2 2 5\n3 3 2\n")),
        ("pattern.mtx", mm("coordinate pattern symmetric", "2 2 2\n1 1\n2 2\n")),
        ("array.mtx", mm("array real general", "2 2\n4\n1\n1\n3\n")),
        ("half.mtx", mm("array integer symmetric", "2 2\n4\n1\n3\n")),
        ("skew.mtx", mm("coordinate real skew-symmetric", "2 2 1\n2 1 3\n")),
        ("uneven.mtx", mm("coordinate real general", "2 2 3\n1 1 4\n1 2 1\n2 2 3\n")),
        ("tiny.mtx", mm("coordinate real symmetric", "2 2 3\n1 1 4e-60\n2 1 1e-60\n2 2 3e-60\n")),
        ("large.mtx", mm("array real general", "2 2\n4e120\n1e120\n1e120\n3e120\n")),
        ("one.mtx", mm("coordinate real general", "1 1 1\n1 1 0.3\n")),
        ("zero.mtx", mm("coordinate real symmetric", "3 3 0\n")),
        ("minus.mtx", mm("coordinate real symmetric", "2 2 2\n1 1 1\n2 2 -1\n")),
        ("two.mtx", mm("array real general", "2 1\n9\n2\n")),
        ("three.mtx", mm("coordinate integer general", "3 1 2\n1 1 4\n3 1 2\n")),
        ("five.mtx", mm("array real general", "5 1\n1\n2\n3\n4\n5\n")),
        ("wide.mtx", mm("coordinate real general", "0 3 0\n")),
        ("nan.mtx", mm("coordinate real general", "2 2 2\n1 1 1\n2 2 nan\n")),
        ("inf.mtx", mm("array real general", "2 1\n1\n-inf\n")),
        ("vast.mtx", mm("coordinate real symmetric", "2 2 2\n1 1 1e-300\n2 2 -1e300\n")),
        ("claim.mtx", mm("coordinate real general", "1000000000000 1000000000000 1\n1 1 1\n")),
        ("long.mtx", mm("coordinate real symmetric", "100000 100000 1\n1 1 1\n")),
        ("complex.mtx", mm("coordinate complex general", "1 1 1\n1 1 1 1\n")),
        ("text.mtx", "1 2\n3 4\n".to_owned()),
    ] {
        std::fs::write(program.path(name), text)?;
    }
    Ok(program)
}

/// Runs with `--json`; status and object.
fn json(program: &Program, arguments: &str) -> Result<(Option<i32>, Value)> {
    let ended = program.run(&format!("solve {arguments} --json"))?;
    let object =
        serde_json::from_str(&ended.out).map_err(|error| format!("{arguments}: {error}: {}", ended.err))?;
    Ok((ended.status, object))
}

#[test]
fn every_kind_of_file_is_solved_for_ones() -> Outcome {
    let program = folder()?;
    for (arguments, n) in [
        ("poisson.mtx", 35),
        ("general.mtx", 35),
        ("integer.mtx", 3),
        ("pattern.mtx", 2),
        ("array.mtx", 2),
        ("half.mtx", 2),
        ("skew.mtx --method cgls", 2),
        ("uneven.mtx --method bicgstab", 2),
        ("tall.mtx --method cgls", 2),
        ("tiny.mtx", 2),
        ("large.mtx --storage points", 2),
        ("large.mtx --method bicgstab", 2),
        ("large.mtx --method cgls", 2),
        ("one.mtx", 1),
        ("one.mtx --method bicgstab", 1),
    ] {
        program.succeed(&format!("solve {arguments} --out x.mtx"))?;
        let x = vector(&program, "x.mtx")?;
        assert_eq!(x.len(), n, "{arguments}");
        // ‖x − 1‖∞ ≤ ‖A⁻¹‖₂ ‖r‖₂: for each of these matrices (condition below 30) far below this.
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-4), "{arguments}: {x:?}");
    }
    Ok(())
}

#[test]
fn every_storage_and_preconditioner_finds_the_same() -> Outcome {
    let program = folder()?;
    for storage in ["auto", "dense", "banded", "points", "gather"] {
        for preconditioner in ["none", "jacobi", "chebyshev", "chebyshev --terms 3"] {
            for method in ["cg", "bicgstab", "cgls"] {
                if (method, preconditioner) == ("cgls", "jacobi")
                    || (method != "cg" && preconditioner.starts_with('c'))
                {
                    continue; // refused
                }
                let arguments = format!("poisson.mtx --storage {storage} --preconditioner {preconditioner}");
                let (status, report) = json(&program, &format!("{arguments} --method {method}"))?;
                assert_eq!(status, Some(0), "{arguments} {method}: {report}");
                assert!(report["error"].as_f64() < Some(1e-4), "{arguments} {method}: {report}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_json_says_all_it_should() -> Outcome {
    let program = folder()?;
    let (status, report) = json(&program, "poisson.mtx --preconditioner jacobi --verbose")?;
    assert_eq!(status, Some(0));
    let nonzeros = Csr::poisson(7, 5)?.nonzeros();
    for (key, expected) in [
        ("matrix", Value::from("poisson.mtx")),
        ("n", 35.into()),
        ("rows", 35.into()),
        ("columns", 35.into()),
        ("nonzeros", nonzeros.into()),
        ("entries_in_file", ((nonzeros + 35) / 2).into()),
        ("storage", "banded".into()),
        ("storage_reason", "5 diagonals hold everything and are 95% filled".into()),
        ("method", "cg".into()),
        ("preconditioner", "jacobi".into()),
        ("precision", "single".into()),
        ("tolerance", 1e-6.into()),
        ("converged", true.into()),
        ("reason", "converged".into()),
    ] {
        assert_eq!(report[key], expected, "{key}");
    }
    assert!((1..=35).contains(&report["iterations"].as_u64().unwrap_or(0)), "{report}");
    assert!(report["refinements"].is_u64() && report["renderer"].is_string());
    assert!(report["relative_residual"].as_f64() <= Some(1e-6), "{report}");
    assert!(report["seconds"].as_f64() > Some(0.0) && report["error"].as_f64() >= Some(0.0));
    let (_, report) = json(&program, "poisson.mtx --preconditioner chebyshev")?;
    assert_eq!(report["preconditioner"], "chebyshev");
    let (_, report) = json(&program, "array.mtx --rhs two.mtx")?;
    assert_eq!((&report["error"], &report["storage"]), (&Value::Null, &"dense".into()));
    Ok(())
}

#[test]
fn lines_say_what_was_solved_and_written() -> Outcome {
    let program = folder()?;
    let out = program.succeed("solve poisson.mtx --out x.mtx --history h.csv --plot p.png")?;
    for words in
        ["poisson.mtx: 35 x 35, ", "converged: relative residual ", "tolerance 1e-6", "error against x = 1: "]
    {
        assert!(out.contains(words), "{words}: {out}");
    }
    for name in ["wrote x.mtx\n", "wrote h.csv\n", "wrote p.png\n"] {
        assert!(out.contains(name), "{name}: {out}");
    }
    Ok(())
}

#[test]
fn a_right_side_and_a_guess_are_read() -> Outcome {
    let program = folder()?;
    program.succeed("solve array.mtx --rhs two.mtx --out x.mtx")?;
    // 4x + y = 9, x + 3y = 2
    let x = vector(&program, "x.mtx")?;
    assert!((x[0] - 25.0 / 11.0).abs() < 1e-5 && (x[1] + 1.0 / 11.0).abs() < 1e-5, "{x:?}");
    program.succeed("solve integer.mtx --rhs three.mtx --out y.mtx")?;
    assert!((vector(&program, "y.mtx")?[2] - 1.0).abs() < 1e-5);
    let (status, report) = json(&program, "array.mtx --rhs two.mtx --guess x.mtx --out x.mtx")?;
    assert_eq!((status, &report["iterations"]), (Some(0), &0.into()), "{report}");
    assert_eq!(
        vector(&program, "x.mtx")?,
        x,
        "a guess that is good enough is the solution, to the last digit"
    );
    Ok(())
}

#[test]
fn the_history_begins_at_the_start_and_ends_at_the_tolerance() -> Outcome {
    let program = folder()?;
    let (_, report) = json(&program, "poisson.mtx --tolerance 1e-5 --history h.csv --plot p.png")?;
    let text = String::from_utf8(program.bytes("h.csv")?)?;
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("iteration,relative_residual"));
    let rows: Vec<(u64, f64)> = lines
        .filter_map(|line| line.split_once(',').and_then(|(n, r)| Some((n.parse().ok()?, r.parse().ok()?))))
        .collect();
    assert_eq!(rows.len() + 1, text.lines().count());
    assert_eq!(rows.first(), Some(&(0, 1.0)), "from x = 0 the residual is b");
    assert_eq!(rows.last().map(|row| row.0), report["iterations"].as_u64());
    let png = program.bytes("p.png")?;
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5000, "{} bytes", png.len());
    Ok(())
}

#[test]
fn what_does_not_converge_exits_with_3_and_keeps_what_it_has() -> Outcome {
    let program = folder()?;
    let files = "--out x.mtx --history h.csv --plot p.png";
    let ended = program.run(&format!("solve poisson.mtx --max-iterations 2 {files}"))?;
    assert_eq!(ended.status, Some(3), "{}", ended.err);
    assert!(ended.err.starts_with("quadrille: poisson.mtx: did not converge: "), "{}", ended.err);
    assert!(ended.err.contains("; 2 iterations, relative residual "), "{}", ended.err);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    assert_eq!(vector(&program, "x.mtx")?.len(), 35);
    assert!(program.path("h.csv").exists() && program.path("p.png").exists());
    let (status, report) = json(&program, "minus.mtx --rhs two.mtx")?;
    assert_eq!((status, &report["converged"]), (Some(3), &false.into()), "{report}");
    Ok(())
}

#[test]
fn a_matrix_of_zeros_has_its_answers() -> Outcome {
    let program = folder()?;
    // A·1 = 0, and x = 0 solves it.
    let (status, report) = json(&program, "zero.mtx")?;
    assert_eq!(
        (status, &report["error"], &report["nonzeros"]),
        (Some(0), &1.0.into(), &0.into()),
        "{report}"
    );
    for storage in ["dense", "banded", "points", "gather"] {
        for method in ["cg", "bicgstab"] {
            let (status, report) =
                json(&program, &format!("zero.mtx --rhs three.mtx --method {method} --storage {storage}"))?;
            assert_eq!((status, &report["converged"]), (Some(3), &false.into()), "{method}: {report}");
        }
    }
    Ok(())
}

/// Arguments after `solve`, and what the line must say.
const ERRORS: &[(&str, &str)] = &[
    ("missing.mtx", "missing.mtx: No such file"),
    ("text.mtx", "text.mtx:1: is not a Matrix Market file: it begins with \"1 2\""),
    ("complex.mtx", "complex.mtx:1: has complex entries; only real matrices are read"),
    ("claim.mtx", "claim.mtx:2: a matrix of 1000000000000 x 1000000000000 with 1 entries: most rows"),
    ("wide.mtx", "wide.mtx:2: a matrix of 0 x 3 has no elements"),
    ("nan.mtx", "nan.mtx:4: expected a finite number, found \"nan\""),
    ("vast.mtx --method cgls", "vast.mtx: entry (2, 2) is -1e300: on the GPU numbers end at 3.4028235e38"),
    ("array.mtx --rhs missing.mtx", "missing.mtx: No such file"),
    ("array.mtx --rhs inf.mtx", "inf.mtx:4: expected a finite number, found \"-inf\""),
    ("array.mtx --guess inf.mtx", "inf.mtx:4: expected a finite number, found \"-inf\""),
    (
        "array.mtx --rhs three.mtx",
        "three.mtx:2: holds 3 x 1 numbers; 2 x 1 are needed, as array.mtx has rows",
    ),
    (
        "array.mtx --guess three.mtx",
        "three.mtx:2: holds 3 x 1 numbers; 2 x 1 are needed, as array.mtx has columns",
    ),
    ("tall.mtx --method cgls --guess five.mtx", "five.mtx:2: holds 5 x 1 numbers; 2 x 1 are needed"),
    ("array.mtx --rhs array.mtx", "array.mtx:2: holds 2 x 2 numbers; 2 x 1 are needed"),
    ("tall.mtx", "tall.mtx: the matrix is 5 x 2: cg needs a square one, --method cgls takes any shape"),
    ("tall.mtx --method bicgstab", "tall.mtx: the matrix is 5 x 2: bicgstab needs a square one"),
    (
        "uneven.mtx",
        "uneven.mtx: the matrix is not symmetric: entry (1, 2) is 1, (2, 1) is 0; cg needs it symmetric, \
         --method bicgstab does not",
    ),
    ("skew.mtx", "skew.mtx: the matrix is not symmetric: entry (1, 2) is -3, (2, 1) is 3"),
    (
        "tall.mtx --method cgls --storage banded",
        "tall.mtx: banded storage of 5 x 2 elements: it takes square",
    ),
    ("long.mtx --storage dense", "long.mtx: dense storage of 100000 x 100000 elements: the limit is"),
    ("array.mtx --out x.txt", "x.txt: holds a Matrix Market array, so its name must end in .mtx"),
    ("array.mtx --history h", "h: holds comma-separated values, so its name must end in .csv"),
    ("array.mtx --plot p.jpg", "p.jpg: holds a picture, so its name must end in .png"),
    ("missing.mtx --out no/x.mtx", "no/x.mtx: the folder no does not exist"),
    ("missing.mtx --history no/h.csv", "no/h.csv: the folder no does not exist"),
    ("missing.mtx --plot no/p.png", "no/p.png: the folder no does not exist"),
    ("array.mtx --device 77", "no device \"77\""),
];

#[test]
fn each_error_is_one_line_and_leaves_nothing() -> Outcome {
    let program = folder()?;
    let before = program.files()?;
    for (arguments, words) in ERRORS {
        let ended = program.run(&format!("solve {arguments}"))?;
        assert_eq!(ended.status, Some(1), "{arguments}: {}{}", ended.out, ended.err);
        assert!(ended.err.starts_with(&format!("quadrille: {words}")), "{arguments}: {}", ended.err);
        assert_eq!((ended.err.lines().count(), ended.out.as_str()), (1, ""), "{arguments}: {}", ended.err);
    }
    assert_eq!(program.files()?, before, "something was left behind");
    Ok(())
}

/// The Hilbert matrix of 8 rows, of condition 1.5·10¹⁰: 32 bits cannot, 48 can.
#[test]
fn double_single_solves_what_32_bits_cannot() -> Outcome {
    let program = folder()?;
    let hilbert =
        Csr::from_triplets(8, 8, (0..64).map(|k| (k / 8, k % 8, 1.0 / (k / 8 + k % 8 + 1) as f64)))?;
    let ones = format!("%%MatrixMarket matrix array real general\n8 1\n{}", "1\n".repeat(8));
    std::fs::write(program.path("hilbert.mtx"), coordinates(&hilbert, true))?;
    std::fs::write(program.path("ones.mtx"), ones)?;
    let asked = "hilbert.mtx --rhs ones.mtx --tolerance 1e-10 --out x.mtx";
    let (status, _) = json(&program, asked)?;
    assert_eq!(status, Some(3), "in 32 bits");
    for (storage, stored) in [("auto", "gather"), ("banded", "banded")] {
        let (status, report) =
            json(&program, &format!("{asked} --precision double-single --storage {storage}"))?;
        assert_eq!((status, &report["precision"]), (Some(0), &"double-single".into()), "{report}");
        assert_eq!(report["storage"], stored, "{report}");
        let x = vector(&program, "x.mtx")?;
        let r = hilbert.multiply(&x).iter().map(|p| (1.0 - p).powi(2)).sum::<f64>().sqrt() / 8f64.sqrt();
        // --out has 17 digits: reading x back changes nothing.
        assert!(r <= 1e-10 * (1.0 + 1e-9), "{r:e}");
    }
    let out = program.succeed("solve poisson.mtx --precision double-single --history h.csv --plot p.png")?;
    assert!(out.contains("cg in double-single: ") && out.contains("converged"), "{out}");
    for (arguments, words) in [
        ("--method bicgstab", "--method bicgstab: in double-single there is cg alone"),
        ("--method mgcg", "--method mgcg: in double-single there is cg alone"),
        ("--preconditioner jacobi", "--preconditioner jacobi: in double-single cg has none"),
        ("--storage dense", "--storage dense: in double-single there are banded and gather"),
    ] {
        let ended = program.run(&format!("solve hilbert.mtx --precision double-single {arguments}"))?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(2), 1), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(words), "{arguments}: {}", ended.err);
    }
    Ok(())
}

/// Refused by name, and with status 2 where no matrix would go with it.
#[test]
fn a_polynomial_wants_conjugate_gradients_and_a_positive_diagonal() -> Outcome {
    let program = folder()?;
    std::fs::write(
        program.path("saddle.mtx"),
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n-3\n",
    )?;
    for (arguments, status, words) in [
        (
            "poisson.mtx --preconditioner chebyshev --method bicgstab",
            2,
            "it is for symmetric matrices, --method cg",
        ),
        ("poisson.mtx --preconditioner chebyshev --method cgls", 2, "cgls has none"),
        ("poisson.mtx --preconditioner chebyshev --method mgcg", 2, "mgcg has its own"),
        (
            "poisson.mtx --preconditioner chebyshev --precision double-single",
            2,
            "in double-single cg has none",
        ),
        ("poisson.mtx --terms 8", 2, "--terms 8: only --preconditioner chebyshev has terms"),
        ("poisson.mtx --preconditioner chebyshev --terms 1", 2, "expected a whole number from 2 to 100"),
        (
            "saddle.mtx --preconditioner chebyshev",
            1,
            "saddle.mtx: entry (2, 2) is -3: --preconditioner chebyshev needs a positive",
        ),
    ] {
        let ended = program.run(&format!("solve {arguments}"))?;
        assert_eq!(ended.status, Some(status), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(words), "{arguments}: {}", ended.err);
    }
    let (few, _) = json(&program, "poisson.mtx --preconditioner chebyshev --terms 2")?;
    assert_eq!(few, Some(0));
    Ok(())
}

#[test]
fn wrong_usage_exits_with_2() -> Outcome {
    let program = folder()?;
    let before = program.bytes("array.mtx")?;
    for arguments in [
        "",
        "array.mtx --tolerance 0",
        "array.mtx --tolerance -1",
        "array.mtx --tolerance nan",
        "array.mtx --tolerance inf",
        "array.mtx --tolerance small",
        "array.mtx --max-iterations 0",
        "array.mtx --max-iterations -1",
        "array.mtx --method gauss",
        "array.mtx --storage sparse",
        "array.mtx --preconditioner ilu",
        "array.mtx --method cgls --preconditioner jacobi",
        "array.mtx --precision half",
        "array.mtx more.mtx",
        "array.mtx --out array.mtx",
        "array.mtx --rhs two.mtx --out ./two.mtx",
    ] {
        let ended = program.run(&format!("solve {arguments}"))?;
        assert_eq!(ended.status, Some(2), "{arguments}: {}", ended.err);
    }
    assert_eq!(program.bytes("array.mtx")?, before);
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_interrupted_solve_writes_nothing() -> Outcome {
    let program = Program::new()?;
    // −u″ on a line: conjugate gradients take as many iterations as there are unknowns.
    let wide = Csr::poisson(1, 20_000)?;
    let line = wide.triplets().map(|(i, j, a)| (i, j, if i == j { 2.0 } else { a }));
    let line = Csr::from_triplets(20_000, 20_000, line)?;
    std::fs::write(program.path("line.mtx"), coordinates(&line, true))?;
    let before = program.files()?;
    let long = "solve line.mtx --max-iterations 1000000 --verbose --out x.mtx --history h.csv --plot p.png";
    let mut child = program.command(long).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut said = BufReader::new(child.stderr.take().ok_or("no pipe")?);
    let mut line = String::new();
    while !line.starts_with("device ") {
        line.clear();
        assert!(said.read_line(&mut line)? > 0, "it ended early");
    }
    let asked = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    assert!(asked.success());
    let status = child.wait()?;
    let mut rest = String::new();
    said.read_to_string(&mut rest)?;
    assert_eq!(status.code(), Some(130), "{rest}");
    let last = rest.lines().last().unwrap_or_default();
    assert!(last.starts_with("quadrille: interrupted ") && last.ends_with("nothing was written"), "{rest}");
    assert_eq!(program.files()?, before);
    Ok(())
}

/// A pipe whose writer says half a matrix and no more.
#[cfg(unix)]
#[test]
fn a_solve_that_waits_for_its_matrix_can_be_interrupted() -> Outcome {
    let program = Program::new()?;
    let pipe = program.path("slow.mtx");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status()?.success());
    let mut child = program.command("solve slow.mtx --out x.mtx").stderr(Stdio::piped()).spawn()?;
    // Opened once it is read from.
    let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe)?;
    std::io::Write::write_all(
        &mut writer,
        b"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2.0\n",
    )?;
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status()?.success());
    let status = child.wait()?;
    let mut said = String::new();
    child.stderr.take().ok_or("no pipe")?.read_to_string(&mut said)?;
    assert_eq!(
        (status.code(), said.as_str()),
        (Some(130), "quadrille: interrupted while the files were read: nothing was written\n")
    );
    assert_eq!(program.files()?, ["slow.mtx"]);
    Ok(())
}
