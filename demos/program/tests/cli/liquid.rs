//! `quadrille demo liquid`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

fn report(program: &Program, arguments: &str) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&program.succeed(arguments)?)?)
}

#[test]
fn both_scenes_pass_their_checks_and_tell_what_they_found() -> Outcome {
    let program = Program::new()?;
    for api in ["gl", "gles"] {
        for (scene, size, told) in [
            ("dam", "14x10x12", "volume_change"),
            ("drops", "14x10x12", "volume_change"),
            ("smoke", "11", "mass"),
            ("fire", "11", "mass"),
        ] {
            let run =
                format!("demo liquid --scene {scene} --size {size} --steps 25 --check --json --api {api}");
            let report = report(&program, &run)?;
            let shape = if size == "11" { "11x11x11" } else { size };
            assert_eq!((&report["demo"], &report["size"]), (&"liquid".into(), &shape.into()));
            assert_eq!(report["parameters"]["scene"], scene);
            let check = &report["check"];
            assert_eq!(check["all"].as_array().map(Vec::len), Some(2), "{check}");
            assert_eq!(check["passed"], true, "{check}");
            let findings = &report["findings"];
            for name in ["time", "last_time_step", "divergence_left", "iterations", told] {
                assert!(findings[name].as_f64().is_some_and(f64::is_finite), "{name}: {findings}");
            }
            assert!(findings["divergence_left"].as_f64().is_some_and(|left| left <= 1e-3), "{findings}");
            assert!(findings["time"].as_f64().is_some_and(|time| time > 0.05), "{findings}");
        }
    }
    Ok(())
}

#[test]
fn a_volume_that_is_let_go_is_not_checked_and_is_less() -> Outcome {
    let program = Program::new()?;
    let run = "demo liquid --size 12 --steps 60 --check --json";
    let change = |flags: &str| -> Result<(f64, usize), Box<dyn std::error::Error>> {
        let report = report(&program, &format!("{run} {flags}"))?;
        let measures = report["check"]["all"].as_array().map_or(0, Vec::len);
        Ok((report["findings"]["volume_change"].as_f64().ok_or("no volume")?, measures))
    };
    let ((kept, two), (lost, one)) = (change("")?, change("--lossy")?);
    assert!(kept.abs() < 0.005 && lost < -0.005 && (two, one) == (2, 1), "{kept} {lost}");
    Ok(())
}

#[test]
fn saved_boxes_go_on_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    for (scene, size, flags) in
        [("dam", "10x8x9", "--seed 3"), ("drops", "10x8x9", "--seed 3"), ("smoke", "9x9x9", "")]
    {
        let run = format!("demo liquid --headless --scene {scene} --size {size} {flags}");
        program.succeed(&format!("{run} --steps 12 --save whole.npy"))?;
        program.succeed(&format!("{run} --steps 7 --save part.npy"))?;
        // A cube needs no size, and no file a scene.
        let size = if scene == "smoke" { String::new() } else { format!("--scene {scene} --size 10x8x9") };
        let rest = format!("demo liquid --headless {size} --load part.npy --steps 5");
        program.succeed(&format!("{rest} --save rest.npy"))?;
        assert_eq!(program.bytes("whole.npy")?, program.bytes("rest.npy")?, "{scene}");
        // The clock goes on, too.
        let told = report(&program, &format!("{rest} --json"))?;
        assert_eq!((&told["steps"], &told["findings"]["steps_since_start"]), (&5.into(), &12.into()));
        assert!(told["findings"]["time"].as_f64().is_some_and(|time| time > 0.1), "{told}");
    }
    assert_eq!(values(&program.bytes("whole.npy")?).len(), 10 * 10 * 10 * 6);
    Ok(())
}

/// Water and air are a voxel thick at least, so that there is something to keep.
#[test]
fn small_and_flat_boxes_pass_their_checks() -> Outcome {
    let program = Program::new()?;
    for size in ["1", "2", "5x7x3", "3x3x1", "1x9x9"] {
        for scene in ["dam", "drops", "smoke"] {
            program.succeed(&format!("demo liquid --size {size} --scene {scene} --steps 40 --check"))?;
        }
    }
    Ok(())
}

#[test]
fn parameters_are_those_of_the_flags() -> Outcome {
    let program = Program::new()?;
    let run = "demo liquid --size 6 --steps 2 --json --across 0.5 --longest 0.01 --preconditioner jacobi";
    let smoke = format!("{run} --scene smoke --lift 2 --weight 0.5 --cooling 3");
    let parameters = report(&program, &smoke)?["parameters"].clone();
    for (name, value) in
        [("across", 0.5), ("longest", 0.01), ("lift", 2.0), ("weight", 0.5), ("cooling", 3.0)]
    {
        assert_eq!(parameters[name], value, "{name}");
    }
    assert_eq!(parameters["preconditioner"], "jacobi");
    let dam = report(&program, &format!("{run} --lossy"))?["parameters"].clone();
    assert_eq!((&dam["lossy"], &dam["lift"]), (&true.into(), &Value::Null));
    Ok(())
}

#[test]
fn pictures_have_the_size_asked_for_and_slices_that_of_their_map() -> Outcome {
    let program = Program::new()?;
    let run = "demo liquid --headless --size 8x6x9 --steps 2";
    for (name, flags) in [
        ("a.png", "--picture 60x50"),
        ("b.png", "--picture 60x50 --turn -40 --rise 50 --distance 0.8"),
        ("c.png", "--picture 60x50 --scene smoke"),
        ("d.png", "--picture 60x50 --seed 2"),
        // Nine slices of 9 x 7 with their lines, three side by side: 27 x 21 squares of 19 pixels.
        ("e.png", "--view slices"),
        ("f.png", "--view slices --colours viridis"),
    ] {
        program.succeed(&format!("{run} --out {name} {flags}"))?;
    }
    let names = ["a.png", "b.png", "c.png", "d.png", "e.png", "f.png"];
    let pictures: Vec<Vec<u8>> =
        names.into_iter().map(|name| program.bytes(name)).collect::<Result<_, _>>()?;
    for (i, picture) in pictures.iter().enumerate() {
        let size = if i < 4 { (60, 50) } else { (513, 399) };
        let side = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|k| picture[at + k]));
        assert_eq!((side(16), side(20)), size, "{}", names[i]);
        assert!(pictures[..i].iter().all(|other| other != picture), "{}", names[i]);
    }
    program.succeed(&format!("{run} --out frames.gif --every 1 --picture 32x24"))?;
    Ok(())
}

#[test]
fn an_old_card_says_what_it_lacks() -> Outcome {
    let program = Program::new()?;
    let ended = program.run("demo liquid --headless --limits RADEON_9700 --size 8 --steps 1")?;
    assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1));
    assert!(ended.err.contains("number of fetches is 58, the limit is 32"), "{}", ended.err);
    // A card of many fetches and no loops has smoke, and its slices.
    let smoke = "demo liquid --headless --limits GEFORCE_FX --scene smoke --size 8 --steps 1 --out a.png";
    program.succeed(&format!("{smoke} --view slices"))?;
    let ended = program.run(smoke)?;
    assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1));
    assert!(ended.err.contains("this card cannot draw volumes: --view slices"), "{}", ended.err);
    Ok(())
}

#[test]
fn a_step_that_runs_past_the_largest_number_is_an_error() -> Outcome {
    let program = Program::new()?;
    // One voxel of 27 so dense that its weight is infinite.
    let mut state = [0.0; 64 * 6];
    state[6 * (16 + 4 + 1) + 4] = 3e38;
    std::fs::write(program.path("heavy.npy"), npy("64, 6", state))?;
    let ended =
        program.run("demo liquid --headless --load heavy.npy --weight 10 --steps 3 --save end.npy")?;
    assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1));
    assert!(ended.err.contains("since the start: the divergence is no finite number"), "{}", ended.err);
    assert!(!program.path("end.npy").exists());
    Ok(())
}

#[test]
fn wrong_flags_and_files_are_refused_in_one_line() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("narrow.npy"), npy("8, 4", [0.0; 32]))?;
    std::fs::write(program.path("one.npy"), npy("8, 5", [0.0; 40]))?;
    std::fs::write(program.path("odd.npy"), npy("7, 5", [0.0; 35]))?;
    std::fs::write(program.path("smoke.npy"), npy("8, 6", [0.0; 48]))?;
    std::fs::write(program.path("nan.npy"), npy("8, 5", [f32::NAN; 40]))?;
    for (name, at, wrong) in
        [("wild.npy", 2, -1e30), ("past.npy", 35, -1.0), ("back.npy", 36, -5.0), ("full.npy", 39, 9e9)]
    {
        let mut values = [0.0; 40];
        values[at] = wrong;
        std::fs::write(program.path(name), npy("8, 5", values))?;
    }
    for (flags, status, words) in [
        ("--load narrow.npy", 1, "narrow.npy: rows of 4 numbers, a state of dam has 5"),
        ("--load one.npy --scene smoke", 2, "one.npy: rows of 5 numbers, a state of dam; --scene says smoke"),
        (
            "--load smoke.npy --scene dam",
            2,
            "smoke.npy: rows of 6 numbers, a state of smoke; --scene says dam",
        ),
        (
            "--load smoke.npy --lossy",
            2,
            "--lossy: only for --scene dam or drops; smoke.npy holds a state of smoke",
        ),
        (
            "--load one.npy --lift 2",
            2,
            "--lift: only for --scene smoke or fire; one.npy holds a state of dam",
        ),
        ("--load wild.npy", 1, "wild.npy: velocity of a state (m/s) = -1e30: expected"),
        ("--load past.npy", 1, "past.npy: time of a state's clock (s) = -1.0: expected 0.0 to"),
        ("--load back.npy", 1, "back.npy: steps of a state's clock = -5.0: expected 0.0 to"),
        (
            "--load full.npy",
            1,
            "full.npy: volume of a state's clock (voxels) = 9000000000.0: expected 0.0 to",
        ),
        ("--load odd.npy", 1, "odd.npy: 7 rows are no cube of voxels"),
        ("--load one.npy --size 2x1x1", 2, "one.npy: 8 rows, a state of --size 2x1x1 has 12"),
        ("--load nan.npy", 1, "nan.npy: row 0 has a number that is not finite"),
        ("--load nowhere.npy", 1, "nowhere.npy"),
        ("--size 20000", 1, "box of 20000x20000x20000 voxels"),
        ("--size 8 --colours mauve --view slices --out a.png", 1, "no colour map \"mauve\""),
        ("--size 8 --turn 20", 2, "--turn"),
        ("--size 8 --cooling 2", 2, "--cooling: only for --scene smoke or fire"),
        ("--size 8 --lossy --scene smoke", 2, "--lossy: only for --scene dam or drops"),
        ("--size 8 --view slices --turn 20 --out a.png", 2, "--turn: slices are flat"),
        ("--size 8 --colours viridis --out a.png", 2, "--colours: only for --view slices"),
    ] {
        let ended = program.run(&format!("demo liquid --headless --steps 1 {flags}"))?;
        assert_eq!(ended.status, Some(status), "{flags}: {}", ended.err);
        assert!(ended.err.contains(words) && ended.err.lines().count() == 1, "{flags}: {}", ended.err);
    }
    for flags in [
        "--size 4x4",
        "--size 0",
        "--size -3",
        "--tolerance 1",
        "--gravity -1",
        "--longest 0",
        "--across 6",
        "--lift -1 --scene smoke",
        "--preconditioner ssor",
        "--scene fog",
    ] {
        assert_eq!(program.run(&format!("demo liquid {flags}"))?.status, Some(2), "{flags}");
    }
    Ok(())
}
