//! `quadrille bench fluids` with the fewest rounds: it measures, counts and says what the paper had.

use serde_json::Value;

use crate::program::{Outcome, Program};

#[test]
fn small_grids_are_measured_in_both_layouts() -> Outcome {
    let program = Program::new()?;
    let said = program.succeed("bench fluids --rounds 3 --only 17x17")?;
    for words in
        ["medians of 3 rounds", "nine points, packed", "nine points, in quadrants", "from 17x17 down"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.contains(" passes, "), "{said}");
    let json: Value = serde_json::from_str(&program.succeed("bench fluids --rounds 3 --only 33x33 --json")?)?;
    let rows = json["rows"].as_array().map_or(0, Vec::len);
    assert_eq!(rows, 6, "two layouts, four cycles: {json}");
    Ok(())
}

#[test]
fn the_help_names_the_suite_and_what_is_no_row_is_refused() -> Outcome {
    let program = Program::new()?;
    assert!(program.succeed("bench --help")?.contains("fluids"));
    assert!(program.succeed("bench fluids --help")?.contains("--rounds"));
    let ended = program.run("bench fluids --only nonsense")?;
    assert_eq!(ended.status, Some(1));
    assert!(
        ended.err.contains("no row is called \"nonsense\"") && ended.err.contains("Poisson by CG"),
        "{}",
        ended.err
    );
    assert_eq!(program.run("bench fluids --rounds 1")?.status, Some(2));
    Ok(())
}

/// Two sizes of a demo and of a solver: times, passes that do not depend on the size, a picture; and what is refused.
#[test]
fn growth_measures_each_size_and_says_how_it_grows() -> Outcome {
    let program = Program::new()?;
    let flags = "--sizes 2 --seconds 60";
    let json: Value = serde_json::from_str(
        &program.succeed(&format!("bench growth --only reaction {flags} --json --plot growth.png"))?,
    )?;
    let case = &json["cases"][0];
    assert_eq!(
        (&case["name"], json["cases"].as_array().map(Vec::len)),
        (&"reaction-diffusion".into(), Some(1)),
        "{json}"
    );
    let sizes = case["sizes"].as_array().ok_or("no sizes")?;
    assert_eq!(
        sizes.iter().map(|size| size["unknowns"].as_f64()).collect::<Vec<_>>(),
        [Some(4096.0), Some(16384.0)]
    );
    assert!(sizes.iter().all(|size| size["passes"] == 1.0 && size["ms"].as_f64() > Some(0.0)), "{json}");
    assert!(case["exponent"].is_f64(), "{json}");
    assert!(program.bytes("growth.png")?.starts_with(b"\x89PNG"));
    let said = program.succeed(&format!("bench growth --only multigrid {flags}"))?;
    assert!(said.contains("| Poisson, multigrid | 1089: ") && said.contains(", 4225: "), "{said}");
    let short = program.succeed("bench growth --only nbody --sizes 6 --seconds 1e-9")?;
    assert!(
        short.contains("| nbody | 256: ") && !short.contains("512: ") && short.contains("| - | beyond |"),
        "{short}"
    );
    for (arguments, words) in [
        ("--only nonsense", "nothing is called so; there are reaction-diffusion; "),
        ("--sizes 7", "7 is not in 1..=6"),
        ("--plot growth.jpg", "growth.jpg"),
    ] {
        let ended = program.run(&format!("bench growth {arguments}"))?;
        assert!(
            matches!(ended.status, Some(1 | 2)) && ended.err.contains(words),
            "{arguments}: {}",
            ended.err
        );
    }
    Ok(())
}
