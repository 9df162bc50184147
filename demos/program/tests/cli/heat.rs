//! `quadrille demo heat`: what it writes and prints.

use serde_json::{Value, json};

use crate::program::{Outcome, Program, npy, values};

const WAYS: [&str; 7] = ["branch", "arithmetic", "ranges", "depth", "stencil", "masks", "combined"];

#[test]
fn the_check_passes_in_every_way_with_every_edge_and_size() -> Outcome {
    let program = Program::new()?;
    for (i, way) in WAYS.into_iter().enumerate() {
        for size in ["1x1", "1x17", "16x1", "37x23"] {
            let edges = ["hot-to-cold", "cold", "insulated"][i % 3];
            let run = format!("--steps 40 --flow {way} --size {size} --edges {edges} --beta 0.2");
            let out = program.succeed(&format!("demo heat --check {run}"))?;
            assert!(out.contains("check passed"), "{run}: {out}");
        }
    }
    for scene in ["maze", "heat-sink", "room"] {
        let run = format!("demo heat --scene {scene} --steps 40");
        let out = program.succeed(&format!("{run} --size 61x47 --check"))?;
        assert!(out.contains("check passed"), "{run}: {out}");
        let report: Value = serde_json::from_str(&program.succeed(&format!("{run} --json"))?)?;
        let (size, edges) = if scene == "maze" { ("96x96", "hot-to-cold") } else { ("160x160", "insulated") };
        assert_eq!((&report["size"], &report["parameters"]["edges"]), (&size.into(), &edges.into()));
    }
    Ok(())
}

#[test]
fn a_resumed_run_equals_the_uninterrupted_one_bit_for_bit_obstacles_too() -> Outcome {
    let program = Program::new()?;
    for way in WAYS {
        let heat = format!("demo heat --headless --flow {way}");
        program.succeed(&format!("{heat} --size 37x23 --seed 4 --steps 50 --save whole.npy"))?;
        program.succeed(&format!("{heat} --size 37x23 --seed 4 --steps 21 --save half.npy"))?;
        program.succeed(&format!("{heat} --load half.npy --steps 29 --save resumed.npy"))?;
        assert_eq!(program.bytes("whole.npy")?, program.bytes("resumed.npy")?, "{way}");
    }
    let state = values(&program.bytes("whole.npy")?);
    assert!(state.chunks(3).any(|cell| cell[1] == 0.0) && state.chunks(3).any(|cell| cell[1] == 1.0));
    Ok(())
}

#[test]
fn it_runs_until_it_is_steady_and_says_after_how_many_steps() -> Outcome {
    let program = Program::new()?;
    let heat = "demo heat --size 32x32 --until 1e-3";
    let report: Value = serde_json::from_str(&program.succeed(&format!("{heat} --json"))?)?;
    let steps = report["steps"].as_u64().ok_or("no steps")?;
    assert!(
        (10..1000).contains(&steps) && report["findings"] == json!({ "steady_after": steps }),
        "{report}"
    );
    let out = program.succeed(&format!("{heat} --headless"))?;
    let told = format!("\nsteady after {steps} steps: the last changed no cell by more than 0.001");
    assert!(out.contains(&told), "{out}");
    // The same step in every way, and one step less is not enough.
    for way in WAYS {
        let report: Value = serde_json::from_str(&program.succeed(&format!("{heat} --json --flow {way}"))?)?;
        let found = report["steps"].as_u64().ok_or("no steps")?;
        assert!(found.abs_diff(steps) <= 1, "{found} by {way}, not {steps}");
    }
    let checked: Value = serde_json::from_str(&program.succeed(&format!("{heat} --json --check"))?)?;
    let worst = checked["check"]["step"].as_u64().ok_or("no check")?;
    assert!((2..=steps).contains(&worst), "the first step alone was looked at: {checked}");
    let less = steps - 2;
    let out = program.succeed(&format!("{heat} --headless --steps {less}"))?;
    assert!(out.contains("\nnot steady: the last step changed a cell by more than 0.001"), "{out}");
    let report: Value = serde_json::from_str(&program.succeed(&format!("{heat} --json --steps {less}"))?)?;
    assert_eq!((&report["steps"], &report["findings"]["steady_after"]), (&less.into(), &Value::Null));
    Ok(())
}

/// A texel lies on the isotherm if the next one to the right or below is on its other side, and neither is an obstacle.
#[test]
fn the_cells_of_an_isotherm_are_those_that_hold_a_texel_of_it() -> Outcome {
    let program = Program::new()?;
    let heat = "demo heat --size 64x32 --steps 60 --isotherm 0.2";
    let report: Value = serde_json::from_str(&program.succeed(&format!("{heat} --json --save a.npy"))?)?;
    let state = values(&program.bytes("a.npy")?);
    let is_hot = |x: usize, y: usize| state[(y.min(31) * 64 + x.min(63)) * 3] >= 0.2;
    let is_open = |x: usize, y: usize| state[(y.min(31) * 64 + x.min(63)) * 3 + 1] > 0.5;
    let crosses = |x: usize, y: usize| {
        let over = |i, j| is_open(i, j) && is_hot(i, j) != is_hot(x, y);
        is_open(x, y) && (over(x + 1, y) || over(x, y + 1))
    };
    let texels = |cell: usize| (0..64).map(move |i| (cell % 8 * 8 + i % 8, cell / 8 * 8 + i / 8));
    let crossed = (0..32).filter(|&cell| texels(cell).any(|(x, y)| crosses(x, y))).count();
    assert!((5..32).contains(&crossed), "{crossed}");
    assert_eq!(report["findings"], json!({ "isotherm_cells": crossed }));
    assert_eq!(report["parameters"]["isotherm"], 0.2);
    let told = format!("\nthe isotherm of 0.2 crosses {crossed} cells of at most 8x8\n");
    let out = program.succeed(&format!("{heat} --headless"))?;
    assert!(out.contains(&told), "{out}");
    Ok(())
}

#[test]
fn the_json_says_all_it_should() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed("demo heat --size 37x23 --steps 70 --seed 5 --check --json --flow DEPTH")?;
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!((&report["demo"], &report["size"]), (&"heat".into(), &"37x23".into()));
    let parameters = json!({ "scene": "obstacles", "flow": "depth", "beta": 0.25, "edges": "hot-to-cold" });
    assert_eq!(report["parameters"], parameters);
    assert_eq!((&report["passes"], &report["seed"]), (&71.into(), &5.into()), "a mask, and a pass a step");
    assert_eq!((&report["check"]["passed"], &report["findings"]), (&true.into(), &Value::Null));
    Ok(())
}

#[test]
fn obstacles_are_seen_in_pictures_and_all_numbers_are_in_arrays() -> Outcome {
    let program = Program::new()?;
    // A plate of 1 with an obstacle in its second column.
    let cells = (0..20).flat_map(|i| if i % 5 == 1 { [0.0, 0.0, 0.0] } else { [1.0, 1.0, 1.0] });
    std::fs::write(program.path("plate.npy"), npy("4, 5, 3", cells))?;
    let heat = "demo heat --headless --load plate.npy --steps 0 --edges insulated";
    program.succeed(&format!("{heat} --out a.png --colours grey"))?;
    let picture = image::open(program.path("a.png"))?.to_rgb8();
    for (x, _, pixel) in picture.enumerate_pixels() {
        // The top of the block is level there. Its shadow falls to the right, not as far as the last column.
        match x {
            1 => assert!(
                pixel.0.iter().zip([92u8, 110, 128]).all(|(&found, slate)| found.abs_diff(slate) <= 1)
            ),
            2 => assert!(pixel.0[0] < 240, "{pixel:?}"),
            3 => {}
            _ => assert_eq!(pixel.0, [255; 3], "column {x}"),
        }
    }
    program.succeed(&format!("{heat} --out a.npy"))?;
    assert_eq!(values(&program.bytes("a.npy")?).len(), 4 * 5 * 3);
    program.succeed(&format!("{heat} --out a.exr"))?;
    program.succeed("demo heat --headless --size 33x20 --steps 20 --every 5 --out frames.gif")?;
    assert!(program.bytes("frames.gif")?.starts_with(b"GIF89a"));
    Ok(())
}

#[test]
fn what_is_no_plate_is_refused() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("two.npy"), npy("2, 3, 2", [0.0; 12]))?;
    std::fs::write(program.path("flat.npy"), npy("3,", [0.0; 3]))?;
    std::fs::write(program.path("odd.npy"), npy("1, 2, 3", [0.0, 1.0, 1.0, 0.0, 0.5, 1.0]))?;
    let steep = program.run("demo heat --headless --beta 0.3")?;
    assert_eq!((steep.status, steep.err.contains("expected above 0, at most 0.25")), (Some(2), true));
    let unknown = program.run("demo heat --headless --flow magic")?;
    assert_eq!((unknown.status, unknown.err.contains("combined")), (Some(2), true), "{}", unknown.err);
    for (run, line) in [
        (
            "--load two.npy",
            "two.npy: 2 components, a state of heat has 3 (temperature, open, free): shape (height, width, 3)",
        ),
        ("--load flat.npy", "flat.npy: has shape (3,); expected (height, width, 3), none of them 0"),
        (
            "--load odd.npy",
            "odd.npy: (open, free) = (0.5, 1) of cell (1, 0): expected (0, 0) in an obstacle, (1, 0) where it is held, (1, 1) elsewhere",
        ),
    ] {
        let ended = program.run(&format!("demo heat --headless {run}"))?;
        assert_eq!((ended.status, ended.err), (Some(1), format!("quadrille: {line}\n")));
    }
    Ok(())
}
