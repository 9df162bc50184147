//! `quadrille demo branches`: what it writes and prints.

use serde_json::{Value, json};

use crate::program::{Outcome, Program, values};

const CHOICES: [&str; 4] = ["branch", "arithmetic", "z-cull", "stencil-cull"];
const LOOPS: [&str; 2] = ["early-exit", "all-trips"];

#[test]
fn the_check_passes_in_every_way_with_squares_of_every_size() -> Outcome {
    let program = Program::new()?;
    for (i, way) in CHOICES.into_iter().enumerate() {
        for (size, squares) in [("1x1", 1), ("1x17", [2, 4, 8, 16][i]), ("37x23", 5), ("130x70", 64)] {
            let run = format!("--steps 3 --way {way} --size {size} --squares {squares}");
            let out = program.succeed(&format!("demo branches --check {run}"))?;
            assert!(out.contains("check passed: largest error"), "{run}: {out}");
        }
    }
    for way in LOOPS {
        for size in ["1x1", "17x1", "67x41"] {
            let run = format!(
                "--steps 3 --way {way} --size {size} --trips 50 --centre-x -0.7 --centre-y 0.3 --zoom 5"
            );
            let out = program.succeed(&format!("demo branches --check {run}"))?;
            assert!(out.contains("check passed: largest miscount of a certain orbit 0.00e0"), "{run}: {out}");
            assert!(out.contains(" orbits are certain in f32, and were compared\n"), "{run}: {out}");
        }
    }
    Ok(())
}

#[test]
fn all_ways_to_a_picture_make_the_same_one() -> Outcome {
    let program = Program::new()?;
    let made = |way: &str| -> Result<Vec<f32>, Box<dyn std::error::Error>> {
        let run = format!("--headless --steps 2 --size 61x33 --way {way} --trips 30 --save {way}.npy");
        program.succeed(&format!("demo branches {run}"))?;
        Ok(values(&program.bytes(&format!("{way}.npy"))?))
    };
    let branch = made("branch")?;
    for way in CHOICES {
        // Each within 20 of 2⁻²³ of f64.
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 40.0 * f32::EPSILON;
        assert!(made(way)?.iter().zip(&branch).all(near), "{way}");
    }
    let counts = made("all-trips")?;
    assert!(counts.contains(&30.0) && counts.iter().all(|count| (1.0..=30.0).contains(count)));
    let other = made("early-exit")?.iter().zip(&counts).filter(|(a, b)| a != b).count();
    assert!(other <= counts.len() / 100, "{other}: orbits in doubt alone");
    Ok(())
}

#[test]
fn the_json_says_all_it_should() -> Outcome {
    let program = Program::new()?;
    let report = |run: &str| -> Result<Value, Box<dyn std::error::Error>> {
        Ok(serde_json::from_str(&program.succeed(&format!("demo branches --json {run}"))?)?)
    };
    let squares = report("--size 37x23 --steps 5 --seed 4 --squares 16 --way Z-CULL --check")?;
    assert_eq!((&squares["demo"], &squares["size"]), (&"branches".into(), &"37x23".into()));
    assert_eq!(squares["parameters"], json!({ "way": "z-cull", "squares": 16, "trips": 100 }));
    assert_eq!((&squares["passes"], &squares["seed"]), (&10.into(), &4.into()), "two passes a step");
    assert_eq!((&squares["check"]["passed"], &squares["findings"]), (&true.into(), &Value::Null));
    assert!(squares["steps_per_second"].as_f64() > Some(0.0));
    let orbits = report("--size 83x80 --steps 2 --way early-exit --check")?;
    let part = json!({ "way": "early-exit", "trips": 256, "centre_x": -0.75, "centre_y": 0.0, "zoom": 1.0 });
    assert_eq!(orbits["parameters"], part);
    assert_eq!((&orbits["passes"], &orbits["check"]["passed"]), (&2.into(), &true.into()));
    assert!(orbits["findings"]["certain_orbits"].as_u64() > Some(83 * 80 / 2), "{orbits}");
    Ok(())
}

#[test]
fn heavy_squares_are_stones_of_one_kind_and_light_ones_are_not() -> Outcome {
    let program = Program::new()?;
    program
        .succeed("demo branches --headless --steps 1 --size 32x16 --squares 8 --out a.png --colours grey")?;
    let picture = image::open(program.path("a.png"))?.to_luma8();
    // Within the rim: beyond it lies water.
    let square = |x0: u32, y0: u32| -> Vec<u8> {
        (0..16).map(|i| picture.get_pixel(x0 + 2 + i % 4, y0 + 2 + i / 4).0[0]).collect()
    };
    // 2.5, where x → 0.9 x + 0.25 rests, is 0.986 of the greys, in light of 0.88 at least.
    let heavy = square(8, 0);
    assert!(heavy == square(0, 8) && heavy == square(24, 0));
    assert!(heavy.iter().all(|&grey| grey > 215), "{heavy:?}");
    assert!(square(0, 0) != square(8, 8));
    Ok(())
}

#[test]
fn what_makes_no_sense_is_refused_by_its_name() -> Outcome {
    let program = Program::new()?;
    for (run, told) in [
        ("--load a.npy", "--load: a .npy of branches has the results alone"),
        ("--way early-exit --squares 8", "--squares: early-exit counts orbits, which have no squares"),
        ("--way all-trips --seed 2", "--seed: all-trips counts orbits"),
        ("--squares 8 --zoom 3", "--zoom: branch has squares"),
        ("--way branch --zoom 3", "--zoom: branch has squares, which lie in no plane"),
        ("--way z-cull --centre-y 0.1", "--centre-y: z-cull has squares"),
        ("--way early-exit --zoom 20000", "expected 0.5 to 10000"),
        ("--squares 65", "expected a whole number from 1 to 64"),
        ("--squares 0", "expected a whole number from 1 to 64"),
        ("--trips 4097", "expected a whole number from 1 to 4096"),
        ("--way magic", "stencil-cull"),
    ] {
        let ended = program.run(&format!("demo branches --headless {run}"))?;
        assert_eq!((ended.status, ended.err.contains(told)), (Some(2), true), "{run}: {}", ended.err);
    }
    let large = program.run("demo branches --headless --size 99999x8")?;
    assert_eq!((large.status, large.err.contains("width is 99999, the limit is 16384")), (Some(1), true));
    Ok(())
}

#[test]
fn the_help_says_what_is_to_be_seen() -> Outcome {
    let out = Program::new()?.succeed("demo branches --help")?;
    assert!(out.contains("\nHeavy squares (even) among light ones (waves), or orbits of z^2 + c."), "{out}");
    Ok(())
}
