//! `quadrille demo fluid`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

const SCENES: [(&str, &str); 5] = [
    ("plume", "25x33"),
    ("channel", "65x17"),
    ("cavity", "17x17"),
    ("vortices", "33x33"),
    ("taylor-green", "24x24"),
];

fn report(program: &Program, arguments: &str) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&program.succeed(arguments)?)?)
}

#[test]
fn every_scene_passes_its_check_on_both_grids_and_tells_what_it_found() -> Outcome {
    let program = Program::new()?;
    for (scene, size) in SCENES {
        for grid in ["staggered", "collocated"] {
            let run =
                format!("demo fluid --scene {scene} --size {size} --grid {grid} --steps 12 --check --json");
            let report = report(&program, &run)?;
            assert_eq!((&report["demo"], &report["size"]), (&"fluid".into(), &size.into()), "{run}");
            let said = &report["parameters"];
            assert_eq!(
                (&said["scene"], &said["grid"], &said["cycles"]),
                (&scene.into(), &grid.into(), &2.into())
            );
            let findings = &report["findings"];
            for name in ["time", "divergence_before", "divergence_after"] {
                assert!(findings[name].as_f64().is_some_and(f64::is_finite), "{name}: {findings}");
            }
            assert_eq!(findings["divergence_between"].is_number(), grid == "collocated", "{findings}");
            let told = match scene {
                "channel" => "extrema_downstream",
                "cavity" => "centre_line",
                "taylor-green" => "decay_rate",
                _ => "dye_lost_uncorrected",
            };
            assert!(!findings[told].is_null(), "{told}: {findings}");
            assert_eq!(report["check"]["passed"], true, "{run}: {report}");
            let measures = report["check"]["all"].as_array().map_or(0, Vec::len);
            assert!(measures >= 2, "{run}: {report}");
        }
    }
    Ok(())
}

#[test]
fn every_way_to_a_pressure_lowers_the_divergence() -> Outcome {
    let program = Program::new()?;
    for api in ["gl", "gles"] {
        for (flags, most) in [
            ("", 0.1),
            ("--pressure multigrid --cycles 4", 0.01),
            ("--pressure cg --tolerance 1e-5", 0.01),
            ("--pressure jacobi --sweeps 60", 1.0),
        ] {
            let run = format!(
                "demo fluid --scene vortices --size 33x33 --steps 5 {flags} --check --json --api {api}"
            );
            let report = report(&program, &run)?;
            let number = |name: &str| report["findings"][name].as_f64().ok_or(format!("no {name}: {report}"));
            let (before, after) = (number("divergence_before")?, number("divergence_after")?);
            assert!(after < most * before, "{flags}: {before} to {after}");
            assert_eq!(report["check"]["passed"], true, "{flags}: {report}");
        }
    }
    Ok(())
}

#[test]
fn dye_that_is_kept_is_not_lost_and_the_check_says_what_would_be() -> Outcome {
    let program = Program::new()?;
    let run = "demo fluid --scene vortices --size 33x33 --advection semi-lagrangian --steps 60 --check";
    let report = report(&program, &format!("{run} --json"))?;
    let measures = report["check"]["all"].as_array().ok_or("no check")?;
    assert!(
        measures.iter().any(|measure| measure["what"] == "dye lost" && measure["passed"] == true),
        "{report}"
    );
    let number = |name: &str| report["findings"][name].as_f64().ok_or(format!("no {name}: {report}"));
    let (left, uncorrected) = (number("dye_lost")?.abs(), number("dye_lost_uncorrected")?.abs());
    assert!(left <= 1e-3 && left < uncorrected, "{left} {uncorrected}");
    for (flags, corrects) in [("", true), ("--lossy", false)] {
        let out = program.succeed(&format!("{run} {flags}"))?;
        assert_eq!(out.contains("without the correction: "), corrects, "{out}");
        assert!(out.contains("dye lost: "), "{out}");
    }
    Ok(())
}

#[test]
fn a_saved_state_goes_on_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    for flags in [
        "--grid staggered --viscosity 0.01",
        "--grid collocated",
        "--pressure cg --scene cavity",
        "--pressure jacobi --scene channel",
        "--lossy",
    ] {
        let scene = if flags.contains("--scene") { "" } else { "--scene plume" };
        let run = format!("demo fluid --headless {scene} {flags}");
        // With one step behind it and with several, on each grid.
        for (whole, part) in if flags.contains("--grid") { &[(6, 4), (3, 1)][..] } else { &[(6, 4)] } {
            program.succeed(&format!("{run} --size 21x17 --steps {whole} --save whole.npy"))?;
            program.succeed(&format!("{run} --size 21x17 --steps {part} --save part.npy"))?;
            program.succeed(&format!("{run} --load part.npy --steps 2 --save rest.npy"))?;
            assert!(program.bytes("whole.npy")? == program.bytes("rest.npy")?, "{flags}");
            assert_eq!(values(&program.bytes("whole.npy")?).len(), 12 * 21 * 17);
        }
    }
    Ok(())
}

/// Width and height of a PNG.
fn size(png: &[u8]) -> [u32; 2] {
    let number = |at: usize| png[at..at + 4].iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
    [number(16), number(20)]
}

#[test]
fn pictures_keep_the_aspect_of_the_box_and_differ_by_what_they_show() -> Outcome {
    let program = Program::new()?;
    let run = "demo fluid --headless --size 33x17 --steps 3 --scene vortices --picture 64x64";
    let shows = ["dye", "speed", "vorticity", "pressure", "divergence", "particles", "dye --particles 500"];
    let mut pictures = Vec::new();
    for (i, show) in shows.into_iter().enumerate() {
        program.succeed(&format!("{run} --show {show} --out {i}.png"))?;
        pictures.push(program.bytes(&format!("{i}.png"))?);
        assert_eq!(size(&pictures[i]), [64, 32], "{show}");
        assert!(pictures[..i].iter().all(|other| *other != pictures[i]), "{show}");
    }
    program.succeed(&format!("{run} --show speed --colours viridis --out a.png"))?;
    assert_ne!(program.bytes("a.png")?, pictures[1]);
    program.succeed("demo fluid --headless --scene channel --size 65x17 --steps 1 --out b.png")?;
    assert_eq!(size(&program.bytes("b.png")?), [768, 192]);
    program.succeed(&format!("{run} --out frames.gif --every 1"))?;
    Ok(())
}

/// A state of 5x5 nodes of a staggered grid at rest.
fn calm() -> [f32; 300] {
    let mut state = [0.0; 300];
    state[281] = 2.0;
    state
}

#[test]
fn flags_that_do_not_apply_and_wrong_files_are_refused_in_one_line() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("odd.npy"), npy("15, 9", [0.0; 135]))?;
    std::fs::write(program.path("deep.npy"), npy("9, 9, 2", [0.0; 162]))?;
    std::fs::write(program.path("nan.npy"), npy("60, 5", [f32::NAN; 300]))?;
    std::fs::write(program.path("good.npy"), npy("60, 5", calm()))?;
    for (name, place, number) in [
        ("plane", 151, 2.5),
        ("dye", 76, -1.0),
        ("edge", 204, 1.0),
        ("total", 276, -1.0),
        ("known", 279, 3.0),
        ("grid", 281, 3.0),
        ("own", 282, 1.0),
    ] {
        let mut state = calm();
        state[place] = number;
        std::fs::write(program.path(&format!("{name}.npy")), npy("60, 5", state))?;
    }
    for (flags, status, words) in [
        ("--cycles 3 --pressure jacobi", 2, "--cycles: only for --pressure multigrid"),
        ("--tolerance 1e-3", 2, "--tolerance: only for --pressure cg"),
        ("--sweeps 9 --pressure cg", 2, "--sweeps: only for --pressure jacobi"),
        ("--show particles --particles 0", 2, "--show particles: --particles 0 leaves none"),
        ("--scene channel --lossy", 2, "--lossy: of channel, which has an outlet, no dye is kept"),
        ("--show speed", 2, "--show: without a window it is of a picture"),
        ("--show speed --out a.npy", 2, "--show: without a window it is of a picture"),
        ("--seed 2", 2, "--seed: it is where particles begin"),
        ("--seed 2 --particles 0", 2, "--seed: it is where particles begin"),
        ("--size 9x9 --colours viridis --out a.png", 2, "--colours: dye has its own"),
        ("--size 9x9 --show dye --colours viridis --out a.png", 2, "--colours: dye has its own"),
        ("--colours mauve --size 9x9 --show speed --out a.png", 1, "no colour map \"mauve\""),
        ("--picture 64x64", 2, "--picture: "),
        ("--load odd.npy", 1, "odd.npy: 15 rows, a state of fluid has 12 planes"),
        ("--load deep.npy", 1, "deep.npy"),
        ("--load nan.npy", 1, "nan.npy: row 0, column 0 is not a finite number"),
        ("--load nowhere.npy", 1, "nowhere.npy"),
        ("--load good.npy --size 9x9", 1, "the state is 5x5, --size says 9x9"),
        ("--load plane.npy", 1, "2.5 at (1, 0) of plane 6, expected 0 or 1 in the plane of solids"),
        ("--load dye.npy", 1, "-1 at (1, 0) of plane 3, expected a dye or a heat from 0 on"),
        ("--load edge.npy", 1, "1 at (4, 0) of plane 8, expected 0: no centre is there"),
        ("--load total.npy", 1, "-1 at (1, 0) of plane 11, expected a total from 0 on"),
        ("--load known.npy", 1, "3 at (4, 0) of plane 11, expected 0, 1 or 2 projections"),
        ("--load own.npy", 1, "1 at (2, 1) of plane 11, expected 0 after seven numbers"),
        (
            "--load grid.npy",
            1,
            "3 at (1, 1) of plane 11, expected 1 of a collocated grid, 2 of a staggered one",
        ),
        ("--load good.npy --grid collocated", 1, "the state is of a staggered grid, --grid says collocated"),
        ("--profile p.csv", 2, "--profile: only for --scene cavity"),
        ("--trail 3", 2, "--trail: of particles, and without --particles there are none"),
        ("--size 4x9", 1, "--size: 4x9 nodes, expected 5x5 or more"),
        ("--size 1x1 --scene taylor-green", 1, "--size: 1x1 nodes, expected 4x4 or more"),
        ("--size 100000x9", 1, "grid of 100000x9"),
    ] {
        let ended = program.run(&format!("demo fluid --headless --steps 1 {flags}"))?;
        assert_eq!(ended.status, Some(status), "{flags}: {}", ended.err);
        assert!(ended.err.contains(words) && ended.err.lines().count() == 1, "{flags}: {}", ended.err);
    }
    for flags in [
        "--scene fog",
        "--grid hexagonal",
        "--pressure guess",
        "--cycles 0",
        "--sweeps 0",
        "--tolerance 1",
        "--size 9",
        "--viscosity -1",
        "--time-step 0",
        "--particles 99999999",
        "--show smoke",
        "--advection upwind",
    ] {
        assert_eq!(program.run(&format!("demo fluid {flags}"))?.status, Some(2), "{flags}");
    }
    Ok(())
}

#[test]
fn an_old_card_draws_dye_and_says_what_particles_lack() -> Outcome {
    let program = Program::new()?;
    let run = "demo fluid --headless --scene vortices --size 17x17 --steps 1 --limits RADEON_9700";
    let ended = program.run(&format!("{run} --particles 100 --out a.png"))?;
    assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1), "{}", ended.err);
    assert!(ended.err.contains("--particles: vertex programs of "), "{}", ended.err);
    program.succeed(&format!("{run} --out a.png"))?;
    program.succeed(&format!("{run} --particles 100"))?;
    Ok(())
}

#[test]
fn steps_that_carry_fluid_out_of_the_box_are_warned_of() -> Outcome {
    let program = Program::new()?;
    let mut state = calm();
    state[7] = 1e30;
    std::fs::write(program.path("fast.npy"), npy("60, 5", state))?;
    for (flags, warns) in [
        ("--size 17x17 --time-step 2 --steps 3", true),
        ("--load fast.npy --steps 3", true),
        ("--size 17x17 --steps 3", false),
        ("--size 17x17 --time-step 2 --steps 3 --scene taylor-green", false),
    ] {
        let ended = program.run(&format!("demo fluid --headless {flags}"))?;
        assert_eq!(ended.status, Some(0), "{flags}: {}", ended.err);
        assert_eq!(
            ended.err.contains("warning: in a step fluid would move"),
            warns,
            "{flags}: {}",
            ended.err
        );
    }
    Ok(())
}

#[test]
fn laws_and_tables_are_told_only_of_what_they_hold_for() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo fluid --headless --scene taylor-green --size 8x8 --steps 1 --save s.npy")?;
    for (flags, name) in [
        ("--scene taylor-green --size 8x8 --confinement 1", "decay_rate"),
        ("--scene taylor-green --load s.npy", "decay_rate"),
        ("--scene cavity --size 9x17", "centre_line"),
        ("--scene cavity --size 9x9 --viscosity 0.02", "centre_line"),
    ] {
        let report = report(&program, &format!("demo fluid {flags} --steps 2 --json"))?;
        assert!(report["findings"]["time"].is_number() && report["findings"][name].is_null(), "{report}");
    }
    Ok(())
}

#[test]
fn a_velocity_that_is_no_longer_numbers_ends_the_run_and_writes_nothing() -> Outcome {
    let program = Program::new()?;
    let mut state = calm();
    state[7] = 3e38;
    std::fs::write(program.path("wild.npy"), npy("60, 5", state))?;
    for flags in ["--save a.npy --out b.png", "--out b.gif --every 1", "--check", "--json"] {
        let ended = program.run(&format!("demo fluid --headless --load wild.npy --steps 300 {flags}"))?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1), "{flags}: {}", ended.err);
        assert!(ended.err.contains("the velocity is no longer finite numbers"), "{flags}: {}", ended.err);
        assert!(
            !program.path("a.npy").exists()
                && !program.path("b.png").exists()
                && !program.path("b.gif").exists()
        );
    }
    Ok(())
}

#[test]
fn a_scene_is_shown_by_what_it_is_looked_at_for() -> Outcome {
    let program = Program::new()?;
    for (scene, show) in [("channel", "vorticity"), ("cavity", "vorticity"), ("plume", "dye")] {
        let run = format!("demo fluid --headless --size 33x17 --steps 3 --scene {scene}");
        program.succeed(&format!("{run} --out a.png"))?;
        program.succeed(&format!("{run} --show {show} --out b.png"))?;
        assert!(program.bytes("a.png")? == program.bytes("b.png")?, "{scene}");
    }
    Ok(())
}

/// The tables of three Reynolds numbers, each beside what was found, and the lines as a table of their own.
#[test]
fn a_cavity_stands_beside_the_tables_of_its_reynolds_number() -> Outcome {
    let program = Program::new()?;
    for (viscosity, reynolds, first, rows) in
        [("0.01", 100.0, 0.84123, 15), ("0.0025", 400.0, 0.75837, 14), ("0.001", 1000.0, 0.65928, 15)]
    {
        let run = format!(
            "demo fluid --headless --scene cavity --size 9x9 --viscosity {viscosity} --steps 3 --json --profile p.csv"
        );
        let findings = &report(&program, &run)?["findings"];
        assert_eq!(findings["reynolds"], reynolds);
        assert_eq!(findings["centre_line"][0]["ghia"], first);
        let across = findings["centre_line_across"].as_array().map_or(0, Vec::len);
        assert_eq!((findings["centre_line"].as_array().map_or(0, Vec::len), across), (15, rows));
        let text = String::from_utf8(program.bytes("p.csv")?)?;
        let lines: Vec<&str> = text.lines().collect();
        // Nine places of either line, and the rows of the tables.
        assert_eq!((lines[0], lines.len()), ("line,place,velocity,ghia", 1 + 9 + 15 + 9 + rows));
        assert!(lines[1].starts_with("u over y,0,") && lines[1].ends_with(','), "{}", lines[1]);
        let u: f64 = lines[10].split(',').nth(2).ok_or("no velocity")?.parse()?;
        assert_eq!(findings["centre_line"][0]["u"], u);
    }
    Ok(())
}
