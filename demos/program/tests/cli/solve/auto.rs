//! `quadrille solve --storage auto`: by structure, or by costs that were kept.

use serde_json::Value;

use super::folder;
use crate::program::{Outcome, Program};

#[test]
fn auto_says_why() -> Outcome {
    let program = folder()?;
    for (arguments, words) in [
        ("array.mtx", "storage dense: small, and 100% of 2 x 2 is filled\n"),
        ("poisson.mtx", "storage banded: 5 diagonals hold everything and are 95% filled\n"),
        ("tall.mtx --method cgls", "storage dense: small, and 50% of 5 x 2 is filled\n"),
        ("tiny.mtx", "A and b are multiplied by 2^198, for the sake of 32-bit floats\n"),
        ("array.mtx --storage points", "storage points: as asked\n"),
        ("array.mtx --storage gather", "storage gather: as asked\n"),
        (
            "poisson.mtx",
            "poisson.mtx: 35 x 35, coordinate real symmetric, 93 entries in the file, 151 in the matrix\n",
        ),
    ] {
        let ended = program.run(&format!("solve {arguments} --verbose"))?;
        assert_eq!(ended.status, Some(0), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(words), "{arguments}: {}", ended.err);
    }
    assert_eq!(program.run("solve array.mtx")?.err, "", "nothing is said unasked");
    Ok(())
}

/// The file of costs that `bench costs` kept. Beside other work a measurement may be refused, or take what the other work took: it is
/// made again until one is plausible.
fn measured_costs(program: &Program) -> Result<String, Box<dyn std::error::Error>> {
    let mut said = String::new();
    for _ in 0..20 {
        let run = program.run("bench costs")?;
        said = run.out + &run.err;
        if run.status != Some(0) {
            assert!(said.contains("something else keeps this machine busy"), "{said}");
            continue;
        }
        let kept = said.lines().find_map(|line| line.strip_prefix("kept in ")).unwrap_or_default().to_owned();
        assert!(kept.contains("costs") && kept.ends_with(".json"), "{said}");
        let costs: Value = serde_json::from_slice(&std::fs::read(&kept)?)?;
        // The smallest pass of a card takes no longer than a product of 16 rows.
        if costs["floors"]["pass_ns"].as_f64() <= costs["pass_ns"].as_f64().map(|pass| 1.5 * pass) {
            return Ok(kept);
        }
        said = costs.to_string();
    }
    Err(format!("no plausible costs in 20 measurements: {said}").into())
}

#[test]
fn auto_goes_by_the_costs_that_were_kept() -> Outcome {
    let program = folder()?;
    let kept = measured_costs(&program)?;
    let reason = |err: &str| err.lines().find(|line| line.starts_with("storage ")).map(str::to_owned);
    let first = program.run("solve poisson.mtx --verbose")?;
    assert_eq!(first.status, Some(0), "{}", first.err);
    let line = reason(&first.err).unwrap_or_default();
    assert!(
        line.contains("a product takes about: ") && line.ends_with(&format!("by the costs in {kept}")),
        "{line}"
    );
    let again = program.run("solve poisson.mtx --verbose")?;
    assert_eq!(reason(&again.err), Some(line), "timing never changes a choice silently");
    // A card's passes are not the driver's: there structure decides.
    let card = program.run("solve poisson.mtx --verbose --limits GEFORCE_6800")?;
    assert!(card.err.contains("storage banded: 5 diagonals"), "{}", card.err);
    // A file from before there were floors has all that a choice goes by.
    let mut old: Value = serde_json::from_slice(&std::fs::read(&kept)?)?;
    let floors = old["floors"].take();
    std::fs::write(&kept, old.to_string())?;
    let older = program.run("solve poisson.mtx --verbose")?;
    assert_eq!(
        (reason(&older.err), older.err.contains("warning")),
        (reason(&first.err), false),
        "{}",
        older.err
    );
    // llvmpipe's fetches are some of a core's 3 G clocks.
    for (name, least, most) in [
        ("pass_ns", 100.0, 1e6),
        ("written_bytes_per_s", 1e8, 1e13),
        ("fetches_per_s", 1e7, 1e13),
        ("fetched_bytes_per_s", 1e8, 1e14),
        ("moved_bytes_per_s", 1e8, 1e14),
    ] {
        assert!(
            floors[name].as_f64().is_some_and(|found| (least..most).contains(&found)),
            "{name}: {floors}"
        );
    }
    std::fs::write(&kept, "{ \"pass_ns\": -1 }")?;
    let warned = program.run("solve poisson.mtx --verbose")?;
    assert_eq!(warned.status, Some(0), "{}", warned.err);
    let warning = format!("quadrille: warning: {kept}: pass_ns is -1, expected a number of 0 or more: ");
    let line = warned.err.lines().find(|line| line.starts_with(&warning)).unwrap_or_default();
    assert!(line.contains("quadrille bench costs"), "{}", warned.err);
    assert!(warned.err.contains("storage banded: 5 diagonals"), "{}", warned.err);
    Ok(())
}

#[test]
fn a_relative_folder_for_costs_is_passed_over_with_a_line() -> Outcome {
    let program = folder()?;
    let said = |folder: &str| -> std::io::Result<String> {
        Ok(program.run_with("solve array.mtx --verbose", "XDG_STATE_HOME", folder)?.err)
    };
    let line =
        "XDG_STATE_HOME is \"here/state\": ignored, as the XDG specification has it of a relative path\n";
    assert!(said("here/state")?.contains(line));
    for good in ["", "/nowhere/state"] {
        assert!(!said(good)?.contains("XDG_STATE_HOME"), "{good}");
    }
    let homeless =
        program.command("bench costs").env("XDG_STATE_HOME", "here").env_remove("HOME").output()?;
    let err = String::from_utf8_lossy(&homeless.stderr);
    let line = "quadrille: there is no folder to keep costs in: HOME is not set\n";
    assert!(
        err.starts_with("quadrille: warning: XDG_STATE_HOME is \"here\"") && err.ends_with(line),
        "{err}"
    );
    let refused = program.run("bench costs --limits GEFORCE_6800")?;
    let line = "quadrille: the limits of GEFORCE_6800 are in force: costs are a driver's own\n";
    assert_eq!((refused.status, refused.err.as_str()), (Some(2), line));
    Ok(())
}

#[test]
fn more_diagonals_than_make_sense_are_refused() -> Outcome {
    let program = folder()?;
    let n = 600;
    let own = (1..=n).map(|i| format!("{i} {i} 4\n"));
    let first = (2..=n).map(|i| format!("{i} 1 0.001\n"));
    let entries: String = own.chain(first).collect();
    let head = "%%MatrixMarket matrix coordinate real symmetric";
    std::fs::write(program.path("arrow.mtx"), format!("{head}\n{n} {n} {}\n{entries}", 2 * n - 1))?;
    let refused = program.run("solve arrow.mtx --storage banded --out x.mtx")?;
    let line = "arrow.mtx: banded storage of 1199 diagonals: the limit is 1024; try --storage gather\n";
    assert_eq!((refused.status, refused.err), (Some(1), format!("quadrille: {line}")));
    program.succeed("solve arrow.mtx --storage gather")?;
    Ok(())
}
