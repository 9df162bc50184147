//! `quadrille demo nbody`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

fn report(program: &Program, arguments: &str) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&program.succeed(arguments)?)?)
}

#[test]
fn every_scene_is_stepped_as_f64_does() -> Outcome {
    let program = Program::new()?;
    for (scene, bodies) in [
        ("galaxies --bodies 301", 301),
        ("collapse --bodies 64", 64),
        ("figure-eight", 3),
        ("solar-system", 509),
    ] {
        let report = report(&program, &format!("demo nbody --scene {scene} --steps 30 --check --json"))?;
        assert_eq!((&report["demo"], &report["size"]), (&"nbody".into(), &bodies.to_string().into()));
        assert_eq!(report["parameters"]["scene"].as_str(), scene.split(' ').next());
        let check = &report["check"];
        assert_eq!(check["all"].as_array().map(Vec::len), Some(3), "{check}");
        assert_eq!(check["passed"], true, "{check}");
        // An error of 0 would be that of a check that looks at nothing.
        assert!(check["error"].as_f64().is_some_and(|error| error > 1e-9), "{check}");
        let findings = &report["findings"];
        for name in ["energy", "energy_drift", "momentum_drift", "kinetic_energy", "potential_energy"] {
            assert!(findings[name].as_f64().is_some_and(f64::is_finite), "{name}: {findings}");
        }
        assert!(findings["energy_drift"].as_f64().is_some_and(|drift| drift.abs() < 1e-2), "{findings}");
    }
    Ok(())
}

#[test]
fn every_force_kernel_and_integrator_is_checked_whatever_the_bytes() -> Outcome {
    let program = Program::new()?;
    let mut ends = Vec::new();
    for flags in [
        "--forces tiled",
        "--forces matrix",
        "--forces matrix --bytes 20KiB",
        "--forces matrix --bytes 192 --api gles",
        "--integrator euler",
        "--integrator euler --forces matrix --time-step 1/500 --softening 0.2",
    ] {
        let run = format!("demo nbody --bodies 130 --steps 20 --check --json --save state.npy {flags}");
        let report = report(&program, &run)?;
        assert_eq!(report["check"]["passed"], true, "{flags}: {report}");
        let (forces, integrator) =
            (flags.contains("matrix").then_some("matrix"), flags.contains("euler").then_some("euler"));
        assert_eq!(report["parameters"]["forces"], forces.unwrap_or("tiled"));
        assert_eq!(report["parameters"]["integrator"], integrator.unwrap_or("leapfrog"));
        ends.push(values(&program.bytes("state.npy")?));
    }
    let apart =
        |a: usize, b: usize| ends[a].iter().zip(&ends[b]).map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
    assert!(apart(0, 1) < 1e-4 && apart(1, 2) < 1e-4 && apart(1, 3) < 1e-4 && apart(0, 4) > 1e-4);
    Ok(())
}

#[test]
fn three_bodies_come_back_after_an_eight() -> Outcome {
    let program = Program::new()?;
    let state = |steps: u32| -> Result<Vec<f32>, Box<dyn std::error::Error>> {
        let run = format!("demo nbody --scene figure-eight --headless --steps {steps} --save state.npy");
        program.succeed(&run)?;
        Ok(values(&program.bytes("state.npy")?))
    };
    let (first, half, last) = (state(0)?, state(500)?, state(1000)?);
    assert_eq!(first.len(), 21);
    let apart = |other: &[f32]| first.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
    assert!(apart(&last) < 1e-3 && apart(&half) > 0.1, "{} {}", apart(&last), apart(&half));
    Ok(())
}

#[test]
fn saved_bodies_go_on_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    let run = "demo nbody --headless --bodies 100";
    program.succeed(&format!("{run} --steps 30 --save whole.npy"))?;
    program.succeed(&format!("{run} --steps 10 --save part.npy"))?;
    program.succeed("demo nbody --headless --load part.npy --steps 20 --save rest.npy")?;
    assert_eq!(program.bytes("whole.npy")?, program.bytes("rest.npy")?);
    assert!(program.bytes("whole.npy")?.windows(8).any(|text| text == b"(100, 7)"));
    Ok(())
}

#[test]
fn pictures_have_the_size_asked_for_and_seeds_and_cameras_change_them() -> Outcome {
    let program = Program::new()?;
    let run = "demo nbody --headless --bodies 200 --steps 2";
    for (name, flags) in [
        ("a.png", ""),
        ("b.png", "--seed 2"),
        ("c.png", "--turn 30 --rise 60 --distance 0.5"),
        ("d.png", "--colours viridis"),
    ] {
        program.succeed(&format!("{run} --out {name} --picture 121x77 {flags}"))?;
    }
    let pictures: Vec<Vec<u8>> = ["a.png", "b.png", "c.png", "d.png"]
        .into_iter()
        .map(|name| program.bytes(name))
        .collect::<Result<_, _>>()?;
    for (i, picture) in pictures.iter().enumerate() {
        assert_eq!((picture[19], picture[23]), (121, 77));
        assert!(pictures[..i].iter().all(|other| other != picture), "picture {i}");
    }
    program.succeed(&format!("{run} --out frames.gif --every 1 --picture 64x48"))?;
    program.succeed(&format!("{run} --out state.npy"))?;
    assert_eq!(values(&program.bytes("state.npy")?).len(), 200 * 7);
    Ok(())
}

#[test]
fn a_card_that_cannot_draw_bodies_says_so_and_runs_without_a_picture() -> Outcome {
    let program = Program::new()?;
    let run = "demo nbody --headless --limits RADEON_9700 --bodies 40 --steps 3";
    program.succeed(&format!("{run} --check --save a.npy"))?;
    let ended = program.run(&format!("{run} --out a.png"))?;
    assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1));
    assert!(ended.err.contains("--limits RADEON_9700: its vertex programs fetch nothing"), "{}", ended.err);
    assert!(ended.err.contains("--out of .npy or .exr"), "{}", ended.err);
    assert_eq!(program.files()?, ["a.npy"]);
    Ok(())
}

#[test]
fn wrong_flags_and_files_are_refused_in_one_line() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("narrow.npy"), npy("2, 6", [0.0; 12]))?;
    std::fs::write(program.path("two.npy"), npy("2, 7", [0.0; 14]))?;
    let still = [0.0; 7];
    let heavy = [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0], [1.0, 0.0, 0.0, 0.0, 0.0, f32::NAN, 1.0]];
    std::fs::write(program.path("negative.npy"), npy("2, 7", [still, heavy[0]].concat()))?;
    std::fs::write(program.path("nan.npy"), npy("2, 7", [still, heavy[1]].concat()))?;
    std::fs::write(program.path("one.npy"), npy("1, 7", still))?;
    std::fs::write(
        program.path("far.npy"),
        npy("2, 7", [[0.0, 2.5e33, 0.0, 0.0, 0.0, 0.0, 1.0], still].concat()),
    )?;
    for (flags, status, words) in [
        ("--scene figure-eight --bodies 5", 2, "figure-eight has 3 bodies"),
        ("--bytes 1MiB", 2, "--bytes is for --forces matrix"),
        ("--bodies 130 --forces matrix --bytes 191", 1, "bytes = 191: expected 192 or more"),
        ("--colours viridis", 2, "--colours: without a window"),
        ("--load two.npy --bodies 5", 2, "two.npy: 2 bodies, --bodies says 5"),
        ("--load narrow.npy", 1, "narrow.npy: has shape (2, 6); expected (bodies, 7): x, y, z, vx"),
        ("--load negative.npy", 1, "negative.npy: mass = -1 in row 1, column 6 (from 0): expected 0 to 1e15"),
        ("--load nan.npy", 1, "nan.npy: vz = NaN in row 1, column 5"),
        ("--load far.npy", 1, "far.npy: y = 2.5e33 in row 0, column 1"),
        ("--load one.npy", 1, "one.npy: 1 body: expected 2 to 262144"),
        ("--load nowhere.npy", 1, "nowhere.npy"),
        ("--colours mauve --out a.png", 1, "no colour map \"mauve\""),
        ("--turn 20", 2, "--turn"),
    ] {
        let ended = program.run(&format!("demo nbody --headless --steps 1 {flags}"))?;
        assert_eq!(ended.status, Some(status), "{flags}: {}", ended.err);
        assert!(ended.err.contains(words) && ended.err.lines().count() == 1, "{flags}: {}", ended.err);
    }
    for flags in ["--bodies 1", "--time-step 0", "--softening -1", "--bytes 1.5MiB", "--scene rings"] {
        assert_eq!(program.run(&format!("demo nbody {flags}"))?.status, Some(2), "{flags}");
    }
    Ok(())
}

#[test]
fn the_number_of_bodies_that_a_scene_has_may_be_said() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed("demo nbody --headless --scene figure-eight --bodies 3 --steps 1")?;
    assert!(out.contains("3 bodies: 1 step in "), "{out}");
    Ok(())
}

/// A body that leaves at 9e14 a step, and one that rests.
#[test]
fn bodies_that_leave_are_warned_about() -> Outcome {
    let program = Program::new()?;
    let leaving = [0.0, 0.0, 0.0, 9e14, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 9e14, 0.0, 0.0, 1.0];
    std::fs::write(program.path("leaving.npy"), npy("2, 7", leaving))?;
    let run = "demo nbody --headless --load leaving.npy --time-step 1 --steps 3";
    let ended = program.run(&format!("{run} --out a.png --picture 32x32"))?;
    assert_eq!(ended.status, Some(0));
    assert!(ended.err.contains("warning: 2 bodies are past 1e15"), "{}", ended.err);
    assert!(ended.err.contains("warning: nothing is in the picture"), "{}", ended.err);
    assert_eq!(report(&program, &format!("{run} --json"))?["findings"]["in_view"], 0);
    let ended = program.run(&format!("{run} --check --softening 1e-30"))?;
    let why = "beyond the range of 32-bit floats, where the bound does not hold";
    assert!(ended.status == Some(0) || ended.err.contains(why), "{}", ended.err);
    Ok(())
}

/// A pass for each row of 100 000 x 100 000 forces: minutes, on any GPU.
#[cfg(target_os = "linux")]
#[test]
fn a_step_of_minutes_ends_at_an_interruption() -> Outcome {
    let program = Program::new()?;
    let run = "demo nbody --headless --bodies 100000 --forces matrix --bytes 6KiB --steps 2";
    let running = crate::on_es::signals::Running::listening(&mut program.command(run))?;
    running.signal("-INT")?;
    let (status, err) = running.ended()?;
    assert_eq!(status, Some(130), "{err}");
    // A run that heard it after a step would say so.
    assert!(err.contains("interrupted before the first step"), "{err}");
    Ok(())
}
