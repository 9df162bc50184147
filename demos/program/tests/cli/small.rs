//! `quadrille solve` of systems that are done after a step or two: what comes after must not undo it.

use serde_json::Value;

use crate::program::{Outcome, Program};

#[test]
fn what_was_solved_stays_solved() -> Outcome {
    let program = Program::new()?;
    // The iterations of this one go to infinity after the first, before anybody looks.
    let head = "%%MatrixMarket matrix coordinate real general";
    std::fs::write(program.path("one.mtx"), format!("{head}\n1 1 1\n1 1 1.3393857589828342\n"))?;
    for method in ["cg", "bicgstab", "cgls"] {
        let said = program.succeed(&format!("solve one.mtx --method {method} --tolerance 1e-10 --json"))?;
        let said: Value = serde_json::from_str(&said)?;
        assert_eq!(said["converged"], true, "{method}: {said}");
        assert!(said["error"].as_f64().is_some_and(|error| error < 1e-10), "{method}: {said}");
    }
    Ok(())
}
