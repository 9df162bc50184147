//! `quadrille demo wall`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

/// Numbers of a cube at rest that stands straight.
fn cube(x: f32, y: f32, z: f32) -> [f32; 13] {
    [x, y, z, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
}

#[test]
fn a_wall_that_nobody_pushes_stands_and_keeps_the_laws() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed("demo wall --columns 4 --rows 5 --steps 60 --check --json --save wall.npy")?;
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!(
        (&report["demo"], &report["size"], &report["seed"]),
        (&"wall".into(), &"4x5".into(), &1.into())
    );
    assert_eq!(
        (&report["parameters"]["friction"], &report["parameters"]["push"]),
        (&0.5.into(), &0.0.into())
    );
    let findings = &report["findings"];
    assert_eq!((&findings["bodies"], &findings["groups"]), (&20.into(), &4.into()));
    for name in ["contacts", "unknowns", "largest_group", "sweeps"] {
        assert!(findings[name].as_u64().is_some_and(|n| n > 0), "{name}: {findings}");
    }
    for name in ["residual", "penetration", "energy", "kinetic_energy"] {
        assert!(findings[name].as_f64().is_some_and(f64::is_finite), "{name}: {findings}");
    }
    assert_eq!(report["check"]["passed"], true);
    assert_eq!(report["check"]["all"].as_array().map(Vec::len), Some(4));
    let state = values(&program.bytes("wall.npy")?);
    assert_eq!(state.len(), 20 * 13);
    for (i, body) in state.chunks(13).enumerate() {
        let height = (i / 4) as f32 + 0.5;
        assert!((body[1] - height).abs() < 0.02 && body[2].abs() < 0.01, "cube {i}: {body:?}");
    }
    Ok(())
}

#[test]
fn a_blast_brings_the_wall_down_the_same_way_each_time() -> Outcome {
    let program = Program::new()?;
    let run = "demo wall --push 6 --steps 240 --form reference --check --json";
    let out = program.succeed(&format!("{run} --save a.npy"))?;
    program.succeed(&format!("{run} --save b.npy"))?;
    assert_eq!(program.bytes("a.npy")?, program.bytes("b.npy")?);
    let low = serde_json::from_str::<Value>(&out)?["findings"]["below_two_edges"].as_u64();
    assert!(low.is_some_and(|low| low >= 48), "{low:?} of 60 cubes lie low");
    Ok(())
}

#[test]
fn every_form_keeps_the_laws() -> Outcome {
    let program = Program::new()?;
    for form in ["dense", "groups", "reference"] {
        let run = format!("demo wall --columns 3 --rows 3 --push 6 --steps 60 --form {form} --check --json");
        let report: Value = serde_json::from_str(&program.succeed(&run)?)?;
        assert_eq!((&report["parameters"]["form"], &report["check"]["passed"]), (&form.into(), &true.into()));
        assert_eq!(report["passes"].as_u64() == Some(0), form == "reference", "{report}");
    }
    Ok(())
}

/// The paper's 2n sweeps: as many as the unknowns of the largest group twice over, in each of two rounds.
#[test]
fn the_papers_projected_jacobi_is_chosen_by_a_flag() -> Outcome {
    let program = Program::new()?;
    let run = "demo wall --columns 2 --rows 1 --steps 1 --json --method jacobi";
    let report: Value = serde_json::from_str(&program.succeed(run)?)?;
    let (parameters, findings) = (&report["parameters"], &report["findings"]);
    assert_eq!((&parameters["method"], &parameters["omega"]), (&"jacobi".into(), &(-0.1).into()));
    let number = |name: &str| findings[name].as_u64().unwrap_or(0);
    assert_eq!((number("groups"), number("largest_group")), (2, 12));
    assert_eq!(number("sweeps"), number("rounds") * 2 * 12);
    let dense: Value = serde_json::from_str(&program.succeed(&format!("{run} --form dense --omega -0.3"))?)?;
    assert_eq!(dense["parameters"]["omega"], -0.3);
    let number = |name: &str| dense["findings"][name].as_u64().unwrap_or(0);
    assert_eq!(number("sweeps"), number("rounds") * 2 * 24);
    let ended =
        program.run("demo wall --headless --columns 1 --rows 1 --steps 2 --method jacobi --omega -2")?;
    let line = "quadrille: impulse = inf: expected a finite number: projected Jacobi diverged, an omega nearer 0 may not";
    assert_eq!((ended.status, ended.err.trim_end()), (Some(1), line));
    for (flags, line) in [
        (
            "--method jacobi --form reference",
            "--method jacobi is the GPU's: expected --form dense or --form groups with it",
        ),
        ("--omega -0.2", "--omega does nothing without --method jacobi"),
    ] {
        let ended = program.run(&format!("demo wall --headless --steps 1 {flags}"))?;
        assert_eq!(ended.status, Some(2), "{flags}: {}", ended.err);
        assert!(ended.err.contains(line), "{flags}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn without_gravity_and_ground_momentum_is_looked_at_too() -> Outcome {
    let program = Program::new()?;
    let free = "demo wall --columns 5 --rows 4 --gravity 0 --no-ground --push 5 --steps 40 --check";
    let report: Value = serde_json::from_str(&program.succeed(&format!("{free} --json"))?)?;
    let names: Vec<&str> = report["check"]["all"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|law| law["what"].as_str())
        .collect();
    assert!(names.len() == 5 && names[2].starts_with("momentum"), "{names:?}");
    assert!(program.succeed(free)?.contains("check passed: largest momentum"));
    Ok(())
}

#[test]
fn a_law_that_is_broken_is_an_error_in_one_line_after_the_report() -> Outcome {
    let program = Program::new()?;
    let into_one_another = [cube(0.0, 0.5, 0.0), cube(0.7, 0.5, 0.0)].concat();
    std::fs::write(program.path("one.npy"), npy("2, 13", into_one_another))?;
    let ended = program.run("demo wall --load one.npy --steps 5 --check")?;
    assert_eq!(ended.status, Some(1));
    // A failure is said once.
    assert!(
        ended.out.starts_with("wall, 2 cubes: 5 steps") && !ended.out.contains("penetration"),
        "{}",
        ended.out
    );
    assert!(ended.err.starts_with("quadrille: check failed: penetration") && ended.err.lines().count() == 1);
    Ok(())
}

#[test]
fn saved_cubes_are_loaded_as_they_were() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo wall --headless --push 6 --steps 40 --form reference --save a.npy")?;
    program.succeed("demo wall --headless --load a.npy --steps 0 --save b.npy")?;
    let (a, b) = (values(&program.bytes("a.npy")?), values(&program.bytes("b.npy")?));
    assert!(program.bytes("a.npy")?.windows(8).any(|text| text == b"(60, 13)"));
    // A quaternion is made one of length 1 again, in 32 bits.
    assert!(a.len() == 780 && a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 2e-7 * a.abs().max(1.0)));
    std::fs::write(
        program.path("two.npy"),
        npy("2, 13", [cube(-2.0, 3.0, 0.0), cube(2.0, 0.5, 0.0)].concat()),
    )?;
    program.succeed("demo wall --load two.npy --steps 10 --check --save fallen.npy")?;
    let fallen = values(&program.bytes("fallen.npy")?);
    // Ten steps of a sixtieth of a second: x = g h² (1 + ... + 10).
    let way = 9.81 / 3600.0 * 55.0;
    assert!((fallen[1] - (3.0 - way)).abs() < 1e-4 && (fallen[14] - 0.5).abs() < 0.01, "{fallen:?}");
    Ok(())
}

/// Width and height of a PNG.
fn size(png: &[u8]) -> [u32; 2] {
    let number = |at: usize| png[at..at + 4].iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
    [number(16), number(20)]
}

#[test]
fn pictures_have_the_size_asked_for_and_seeds_paint_other_cubes() -> Outcome {
    let program = Program::new()?;
    let wall = "demo wall --headless --columns 4 --rows 3 --steps 3";
    program.succeed(&format!("{wall} --out a.png"))?;
    program.succeed(&format!("{wall} --out b.png --picture 301x77"))?;
    program.succeed(&format!("{wall} --out c.png --seed 2"))?;
    let [a, b, c] = ["a.png", "b.png", "c.png"].map(|name| program.bytes(name));
    let (a, c) = (a?, c?);
    assert_eq!([size(&a), size(&b?), size(&c)], [[800, 600], [301, 77], [800, 600]]);
    assert_ne!(a, c);
    program.succeed(&format!("{wall} --out frames.gif --every 1 --picture 64x48"))?;
    program.succeed(&format!("{wall} --out state.npy"))?;
    assert_eq!(values(&program.bytes("state.npy")?).len(), 12 * 13);
    Ok(())
}

#[test]
fn a_card_that_cannot_draw_cubes_says_so_and_runs_without_a_picture() -> Outcome {
    let program = Program::new()?;
    let wall = "demo wall --headless --limits RADEON_9700 --columns 2 --rows 2 --steps 3";
    program.succeed(&format!("{wall} --save a.npy"))?;
    let ended = program.run(&format!("{wall} --out a.png"))?;
    assert_eq!(ended.status, Some(1));
    let expected = "quadrille: vertex programs of RADEON_9700 fetch nothing, so cubes cannot be drawn on it: run --headless";
    assert!(ended.err.starts_with(expected) && ended.err.lines().count() == 1, "{}", ended.err);
    assert_eq!(program.files()?, ["a.npy"]);
    Ok(())
}

#[test]
fn files_that_hold_no_bodies_are_refused_by_body_and_number() -> Outcome {
    let program = Program::new()?;
    let mut turned = cube(0.0, 0.5, 0.0);
    turned[6] = 0.5;
    let mut nowhere = cube(0.0, 0.5, 0.0);
    nowhere[0] = f32::INFINITY;
    let wild = |at: usize, number: f32| {
        let mut cube = cube(0.0, 0.5, 0.0);
        cube[at] = number;
        npy("1, 13", cube)
    };
    let good = cube(3.0, 0.5, 0.0);
    for (name, bytes, said) in [
        ("wide.npy", npy("2, 14", [0.0; 28]), "wide.npy: 2 x 14 numbers, bodies have 13 each"),
        ("deep.npy", npy("1, 13, 2", [0.0; 26]), "deep.npy: 1 x 13 x 2 numbers, bodies have 13 each"),
        (
            "zero.npy",
            npy("1, 13", [0.0; 13]),
            "zero.npy: body 1 of 1: its quaternion has the length 0.0000, expected 1 within 0.001",
        ),
        (
            "turned.npy",
            npy("2, 13", [good, turned].concat()),
            "turned.npy: body 2 of 2: its quaternion has the length 0.5000, expected 1",
        ),
        (
            "nowhere.npy",
            npy("2, 13", [good, nowhere].concat()),
            "nowhere.npy: body 2 of 2: position inf m, expected 10000 m at most",
        ),
        (
            "far.npy",
            wild(2, -1e30),
            "far.npy: body 1 of 1: position -1.0000000150474662e30 m, expected 10000 m at most",
        ),
        (
            "fast.npy",
            wild(7, 1e20),
            "fast.npy: body 1 of 1: velocity 1.0000000200408773e20 m/s, expected 1000 m/s",
        ),
        (
            "spin.npy",
            wild(12, 1e6),
            "spin.npy: body 1 of 1: angular velocity 1000000.0 rad/s, expected 1000 rad/s",
        ),
    ] {
        std::fs::write(program.path(name), bytes)?;
        let ended = program.run(&format!("demo wall --headless --load {name} --steps 1"))?;
        assert_eq!(ended.status, Some(1), "{name}");
        assert!(ended.err.starts_with(&format!("quadrille: {said}")), "{}", ended.err);
        assert_eq!(ended.err.lines().count(), 1);
    }
    Ok(())
}

#[test]
fn a_loaded_wall_is_named_by_its_cubes_unless_its_columns_and_rows_are_given() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo wall --headless --push 6 --steps 40 --form reference --save a.npy --out a.png")?;
    let load = "demo wall --headless --load a.npy --steps 0";
    assert!(program.succeed(&format!("{load} --out b.png"))?.starts_with("wall, 60 cubes: 0 steps"));
    assert!(program.succeed(&format!("{load} --columns 10 --rows 6"))?.starts_with("wall, 10x6 cubes: "));
    let ended = program.run(&format!("{load} --rows 3"))?;
    let expected = "quadrille: a.npy: 60 cubes, --columns 10 and --rows 3 make 30\n";
    assert_eq!((ended.status, ended.err.as_str()), (Some(2), expected));
    Ok(())
}

/// The picture begins nearer than that: the first wall is all in it, what flies far is not.
#[test]
fn the_fall_of_a_wall_stays_in_the_picture_from_any_side_at_distance_1() -> Outcome {
    let program = Program::new()?;
    let picture = "--distance 1 --picture 80x60 --out a.png";
    for (columns, rows) in [(1, 1), (5, 3), (10, 6), (3, 10)] {
        let wall =
            format!("demo wall --columns {columns} --rows {rows} --push 6 --form reference --json {picture}");
        // The saved state has the same room.
        let load = format!(
            "demo wall --load rubble.npy --columns {columns} --rows {rows} --steps 0 --json {picture}"
        );
        for run in [
            format!("{wall} --steps 0"),
            format!("{wall} --steps 30"),
            format!("{wall} --steps 240 --save rubble.npy --turn 75"),
            load.clone(),
            format!("{load} --turn -120 --rise 40"),
        ] {
            let report: Value = serde_json::from_str(&program.succeed(&run)?)?;
            assert_eq!(report["findings"]["in_view"], columns * rows, "{run}");
        }
    }
    let first = "demo wall --steps 0 --json";
    let report: Value = serde_json::from_str(&program.succeed(first)?)?;
    assert_eq!(report["findings"]["in_view"], 60);
    let near = "demo wall --steps 0 --json --out a.png --distance 0.2";
    let report: Value = serde_json::from_str(&program.succeed(near)?)?;
    assert!(report["findings"]["in_view"].as_u64().is_some_and(|seen| seen < 60), "{}", report["findings"]);
    Ok(())
}

#[test]
fn steps_too_long_for_what_happens_are_warned_about() -> Outcome {
    let program = Program::new()?;
    let wall = "demo wall --headless --columns 2 --rows 2 --form reference --steps 1";
    for (flags, words) in [
        ("--push 20 --time-step 0.1", "warning: a blast of 20 N s moves a cube by 2.00 m in a step"),
        (
            "--push 30 --friction 2",
            "warning: a blast of 30 N s moves a cube by 0.50 m in a step, the laws were found to hold up to 0.25 m",
        ),
        ("--gravity 30", "warning: gravity x time step^2 is 8.3 mm"),
        ("--time-step 1/30", "warning: gravity x time step^2 is 10.9 mm"),
    ] {
        let ended = program.run(&format!("{wall} {flags}"))?;
        assert_eq!(ended.status, Some(0), "{}", ended.err);
        assert!(ended.err.contains(words) && ended.err.lines().count() == 1, "{flags}: {}", ended.err);
    }
    for flags in ["--push 60", "--gravity 100 --time-step 1/200", "--push 6 --gravity 1.6"] {
        assert_eq!(program.run(&format!("{wall} {flags}"))?.err, "", "{flags}");
    }
    Ok(())
}

#[test]
fn other_stacks_stand_until_they_are_brought_down() -> Outcome {
    let program = Program::new()?;
    for (stack, size, bodies, push, steps) in [
        ("pyramid", "--columns 4 --rows 4", 10, 6.0, 150),
        ("gates", "--columns 1 --rows 3", 9, 20.0, 150),
        // One falls on the other.
        ("dominoes", "--columns 6 --rows 1", 6, 0.5, 300),
    ] {
        let run = format!("demo wall --stack {stack} {size} --form reference --check --json");
        let report: Value = serde_json::from_str(&program.succeed(&format!("{run} --steps 40"))?)?;
        assert_eq!(report["parameters"]["stack"], stack);
        assert_eq!(report["findings"]["bodies"], bodies, "{stack}");
        let energy = |report: &Value| report["findings"]["energy"].as_f64().ok_or("no energy");
        // A stack that stands bears its weight, and keeps its height.
        let moving = report["findings"]["kinetic_energy"].as_f64().ok_or("no energy")?;
        assert!(moving < 1e-3, "{stack}: {moving} J");
        assert!(report["findings"]["largest_force"].as_f64().is_some_and(|force| force > 1.0), "{report}");
        let fallen = program.succeed(&format!("{run} --steps {steps} --push {push}"))?;
        let fallen: Value = serde_json::from_str(&fallen)?;
        assert!(energy(&fallen)? < 0.8 * energy(&report)?, "{stack}: {fallen}");
    }
    for (flags, words) in [
        ("--stack pyramid --columns 3 --rows 4", "--rows 4: a pyramid of --columns 3 has 3 rows at most"),
        ("--stack gates --columns 2000 --rows 6", "34000 cubes, expected 10000 at most"),
        ("--show load --steps 1", "--show: without a window it is of a picture"),
    ] {
        let ended = program.run(&format!("demo wall --headless {flags}"))?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(2), 1), "{flags}: {}", ended.err);
        assert!(ended.err.contains(words), "{}", ended.err);
    }
    Ok(())
}

/// Stones of other sides than cubes are kept with their sides, by a state and by an array.
#[test]
fn boxes_of_all_sides_are_saved_and_loaded() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo wall --headless --stack gates --columns 1 --rows 3 --steps 3 --save a.npy")?;
    assert!(program.bytes("a.npy")?.windows(7).any(|text| text == b"(9, 17)"));
    program.succeed("demo wall --headless --load a.npy --steps 0 --save b.npy")?;
    let (a, b) = (values(&program.bytes("a.npy")?), values(&program.bytes("b.npy")?));
    assert!(a.len() == 153 && a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 2e-7 * a.abs().max(1.0)));
    let mut flat = [cube(0.0, 0.5, 0.0).to_vec(), vec![0.5, 0.0, 0.5, 1.0]].concat();
    std::fs::write(program.path("flat.npy"), npy("1, 17", flat.clone()))?;
    (flat[14], flat[16]) = (0.5, -2.0);
    std::fs::write(program.path("light.npy"), npy("1, 17", flat))?;
    for (name, words) in [
        ("flat.npy", "body 1 of 1: half sides = [0.5, 0.0, 0.5]: expected three numbers above 0"),
        ("light.npy", "body 1 of 1: mass = -2: expected above 0"),
    ] {
        let ended = program.run(&format!("demo wall --headless --load {name} --steps 1"))?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1));
        assert!(ended.err.contains(words), "{}", ended.err);
    }
    Ok(())
}

/// Three pictures of one moment, all of one size, and none like another.
#[test]
fn loads_and_forces_are_pictures_of_their_own() -> Outcome {
    let program = Program::new()?;
    let run = "demo wall --headless --columns 3 --rows 3 --steps 20 --picture 120x90 --json";
    let mut pictures = Vec::new();
    for show in ["stones", "load", "forces"] {
        let report: Value =
            serde_json::from_str(&program.succeed(&format!("{run} --show {show} --out {show}.png"))?)?;
        assert_eq!(report["findings"]["in_view"], 9, "{show}");
        pictures.push(program.bytes(&format!("{show}.png"))?);
    }
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 3);
    Ok(())
}

#[test]
fn a_gif_of_one_frame_is_warned_about() -> Outcome {
    let program = Program::new()?;
    let ended = program.run("demo wave --headless --size 9x9 --steps 1 --out a.gif")?;
    let expected = "quadrille: warning: a .gif of one frame: --every N takes one every N steps\n";
    assert_eq!((ended.status, ended.err.as_str()), (Some(0), expected));
    Ok(())
}
