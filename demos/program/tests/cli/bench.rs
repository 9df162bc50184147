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
