//! `quadrille trace`: files, sums, the first difference and the first number that is not finite.

use serde_json::Value;

use crate::program::{Outcome, Program, npy};

const DIFFUSE: &str = "uniform Stream u; uniform float rate; DOMAIN at; RANGE float next;\n\
                       void main() { next = value2(u, at).x + rate * valueOffset(u, at, ivec2(1, 0)).x; }\n";
const ROOT: &str =
    "uniform Stream u; DOMAIN at; RANGE float root;\nvoid main() { root = log(value2(u, at).x); }\n";

fn folder() -> Result<Program, Box<dyn std::error::Error>> {
    let program = Program::new()?;
    std::fs::write(program.path("diffuse.frag"), DIFFUSE)?;
    std::fs::write(program.path("root.frag"), ROOT)?;
    std::fs::write(program.path("u.npy"), npy("3, 5", (0..15).map(|i| (i - 7) as f32)))?;
    Ok(program)
}

#[test]
fn a_kernel_is_traced_into_files_whose_counts_are_those_of_the_run() -> Outcome {
    let program = folder()?;
    let run = "kernel diffuse.frag --stream u=u.npy --feedback u --iterate 4 --out v.npy --float rate=0.25";
    let out = program.succeed(&format!("trace --page t.html --json t.json --chrome c.json --plan {run}"))?;
    for line in ["traced 4 passes", "wrote t.html", "wrote t.json", "wrote v.npy", "geforce-6800: "] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let trace: Value = serde_json::from_slice(&program.bytes("t.json")?)?;
    let sum = &trace["scopes"][0]["sum"];
    assert_eq!((&sum["passes"], &sum["texels"], &sum["uploads"]), (&4.into(), &60.into(), &1.into()));
    assert_eq!(sum["fetches"], serde_json::json!([120, 120]));
    let chrome: Value = serde_json::from_slice(&program.bytes("c.json")?)?;
    let passes = chrome["traceEvents"].as_array().into_iter().flatten();
    assert_eq!(passes.filter(|event| event["name"] == "diffuse.frag").count(), 4);
    let part = program.succeed(&format!("trace --json t.json --from 2 --passes 2 {run}"))?;
    assert!(part.contains("traced 2 passes"), "{part}");
    Ok(())
}

#[test]
fn the_first_pass_whose_outputs_differ_is_told() -> Outcome {
    let program = folder()?;
    let run = "kernel diffuse.frag --stream u=u.npy --feedback u --iterate 4 --out v.npy --float rate=";
    program.succeed(&format!("trace --json a.json {run}0.25 --api gl"))?;
    program.succeed(&format!("trace --json b.json {run}0.25 --api gles"))?;
    program.succeed(&format!("trace --json c.json {run}0.5"))?;
    let same = program.succeed("trace --compare a.json b.json")?;
    assert_eq!(same.trim(), "all 4 passes have the same outputs");
    let differs = program.run("trace --compare a.json c.json")?;
    assert_eq!(differs.status, Some(1));
    assert!(
        differs.err.contains("pass 1, diffuse.frag (): next differs, of the same inputs"),
        "{}",
        differs.err
    );
    std::fs::write(program.path("d.json"), "{}")?;
    let refused = program.run("trace --compare a.json d.json")?;
    assert!(refused.err.contains("d.json: expected a file of quadrille trace --json"), "{}", refused.err);
    Ok(())
}

#[test]
fn the_first_number_that_is_not_finite_is_told_with_what_it_was_made_of() -> Outcome {
    let program = folder()?;
    let found = program.run("trace --nan kernel root.frag --stream u=u.npy --out v.npy")?;
    assert_eq!(found.status, Some(1));
    assert!(found.err.contains("pass 1, root.frag (): root at (0, 0) is "), "{}", found.err);
    assert!(found.err.contains("made of u(0, 0) = -7e0"), "{}", found.err);
    assert!(!program.files()?.contains(&"v.npy".to_owned()), "nothing is written");
    Ok(())
}

#[test]
fn what_cannot_be_traced_is_wrong_usage() -> Outcome {
    let program = folder()?;
    for (arguments, line) in [
        ("trace", "trace: which command?"),
        ("trace demo fluid", "trace: nothing is asked for"),
        ("trace --page t.html demo fluid", "trace: demo: --steps N"),
        ("trace --plan info", "trace: traces demo NAME, solve"),
        ("trace --plan trace --plan demo", "trace: traces demo NAME, solve"),
        ("trace --plan kernel", "trace: the following required arguments"),
    ] {
        let refused = program.run(arguments)?;
        assert_eq!(refused.status, Some(2), "{arguments}: {}", refused.err);
        assert!(refused.err.contains(line), "{arguments}: {}", refused.err);
    }
    Ok(())
}

/// A picture of each of the passes of a step and of what makes the first, in a page that fits into a mail.
#[test]
fn a_page_of_a_step_of_a_fluid_of_513_nodes_is_at_most_3_mb() -> Outcome {
    let program = Program::new()?;
    program.succeed("trace --page t.html demo fluid --size 513x513 --steps 1")?;
    let bytes = program.bytes("t.html")?.len();
    assert!((100_000..3_000_000).contains(&bytes), "{bytes}");
    Ok(())
}
