//! `quadrille demo clouds`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

fn report(program: &Program, arguments: &str) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&program.succeed(arguments)?)?)
}

#[test]
fn clouds_pass_their_checks_and_tell_where_their_bases_are() -> Outcome {
    let program = Program::new()?;
    let run = "demo clouds --size 60x40 --spacing 60 --heat 300 --steps 360 --time-step 5 --check";
    for api in ["gl", "gles"] {
        let report = report(&program, &format!("{run} --json --api {api}"))?;
        assert_eq!((&report["demo"], &report["size"]), (&"clouds".into(), &"60x40".into()));
        assert_eq!(report["parameters"]["scene"], "cumulus");
        assert_eq!(report["check"]["passed"], true, "{report}");
        assert_eq!(report["check"]["all"].as_array().map(Vec::len), Some(4));
        let findings = &report["findings"];
        for name in [
            "fastest",
            "updraught",
            "cloud_base",
            "cloud_top",
            "condensation_level",
            "water_lost_by_advection",
        ] {
            assert!(findings[name].as_f64().is_some_and(f64::is_finite), "{name}: {findings}");
        }
        assert_eq!(findings["time"], 1800.0);
        assert!(findings["base_off_cells"].as_f64().is_some_and(|off| off.abs() <= 2.0), "{findings}");
    }
    // 3600 s of 56 each.
    assert_eq!(report(&program, "demo clouds --size 12x8 --json")?["steps"], 64);
    let said = program.succeed("demo clouds --headless --size 12x8 --steps 2")?;
    for words in ["condensation level of the air at the ground", "by advection before it was put back"] {
        assert!(said.contains(words), "{said}");
    }
    Ok(())
}

#[test]
fn stable_air_is_checked_to_rest_and_lossy_water_is_not_checked() -> Outcome {
    let program = Program::new()?;
    for (flags, measures) in [
        ("--scene stable", 3),
        ("--scene stable --wind 3", 2),
        ("--scene stable --evaporation 100", 2),
        ("--scene towers --lossy --walls", 1),
    ] {
        let report =
            report(&program, &format!("demo clouds {flags} --size 20x12 --steps 30 --check --json"))?;
        assert_eq!(report["check"]["all"].as_array().map(Vec::len), Some(measures), "{flags}");
        assert_eq!(report["check"]["passed"], true, "{report}");
    }
    Ok(())
}

#[test]
fn saved_air_goes_on_bit_for_bit_over_its_own_ground() -> Outcome {
    let program = Program::new()?;
    for (walls, wind, columns) in [("", "", 24), ("", "--wind 3", 24), ("--walls", "", 25)] {
        let run = format!("demo clouds --headless {walls} --heat 500");
        let first = format!("{run} --size 24x14 --seed 3 {wind}");
        program.succeed(&format!("{first} --steps 12 --save whole.npy"))?;
        program.succeed(&format!("{first} --steps 7 --save part.npy"))?;
        program.succeed(&format!("{run} --load part.npy --steps 5 --save rest.npy"))?;
        assert_eq!(program.bytes("whole.npy")?, program.bytes("rest.npy")?, "{walls} {wind}");
        assert_eq!(values(&program.bytes("whole.npy")?).len(), 6 * 15 * columns);
    }
    Ok(())
}

#[test]
fn pictures_are_of_the_layer_of_clouds_and_differ_by_seed() -> Outcome {
    let program = Program::new()?;
    let run = "demo clouds --headless --size 24x14 --heat 3000 --steps 60 --time-step 20";
    for (name, flags) in [
        ("a.png", ""),
        ("b.png", "--picture 60x60"),
        ("c.png", "--seed 2"),
        ("d.png", "--picture 60x60 --seed 2"),
    ] {
        program.succeed(&format!("{run} --out {name} {flags}"))?;
    }
    // All 24 columns, and the nine rows up to the inversion and a little more.
    let sizes = [(768, 288), (60, 23), (768, 288), (60, 23)];
    for (name, (width, height)) in ["a.png", "b.png", "c.png", "d.png"].into_iter().zip(sizes) {
        let picture = program.bytes(name)?;
        let side = |at: usize| u32::from(picture[at]) * 256 + u32::from(picture[at + 1]);
        assert_eq!((side(18), side(22)), (width, height), "{name}");
    }
    assert_ne!(program.bytes("a.png")?, program.bytes("c.png")?);
    program.succeed(&format!("{run} --steps 4 --every 2 --out frames.gif --picture 48x28"))?;
    Ok(())
}

#[test]
fn air_that_crosses_cells_too_fast_is_warned_of_and_wind_shortens_the_step() -> Outcome {
    let program = Program::new()?;
    for (flags, warns) in [("--wind 40", false), ("--wind 40 --time-step 30", true), ("", false)] {
        let ended = program.run(&format!("demo clouds --headless --size 20x12 --steps 3 {flags}"))?;
        assert_eq!(ended.status, Some(0), "{flags}: {}", ended.err);
        assert_eq!(ended.err.contains("warning: the fastest air, 40"), warns, "{flags}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn numbers_of_the_air_are_shown_in_colours() -> Outcome {
    let program = Program::new()?;
    let run = "demo clouds --headless --size 24x14 --heat 3000 --steps 40 --time-step 20 --picture 48x28";
    let shown = ["clouds", "theta", "vapour", "cloud-water", "speed", "vorticity"];
    let mut pictures = Vec::new();
    for name in shown {
        program.succeed(&format!("{run} --show {name} --out {name}.png"))?;
        pictures.push(program.bytes(&format!("{name}.png"))?);
    }
    program.succeed(&format!("{run} --show theta --colours viridis --out other.png"))?;
    pictures.push(program.bytes("other.png")?);
    for (n, one) in pictures.iter().enumerate() {
        assert!(pictures[..n].iter().all(|other| one != other), "{n}");
    }
    Ok(())
}

#[test]
fn mixing_and_renewal_do_what_they_say() -> Outcome {
    let program = Program::new()?;
    let run = "demo clouds --size 24x14 --steps 30 --time-step 20 --heat 2000 --json";
    let fastest = |flags: &str| -> Result<(Value, f64), Box<dyn std::error::Error>> {
        let report = report(&program, &format!("{run} {flags}"))?;
        let fastest = report["findings"]["fastest"].as_f64().ok_or("no speed")?;
        Ok((report["parameters"].clone(), fastest))
    };
    let (free, fast) = fastest("--mixing 0 --renewal never")?;
    assert_eq!((&free["mixing"], &free["renewal"]), (&0.0.into(), &"never".into()));
    let (mixed, slower) = fastest("--mixing 400 --renewal never")?;
    assert_eq!(mixed["mixing"], 400.0);
    assert!(slower < 0.9 * fast, "{slower} of {fast}");
    let (renewed, slower) = fastest("--mixing 0 --renewal 120")?;
    assert_eq!(renewed["renewal"], 120.0);
    assert!(slower < 0.9 * fast, "{slower} of {fast}");
    Ok(())
}

#[test]
fn wrong_flags_and_files_are_refused_in_one_line() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("wide.npy"), npy("18, 4, 2", [0.0; 144]))?;
    std::fs::write(program.path("odd.npy"), npy("17, 4", [0.0; 68]))?;
    std::fs::write(program.path("fine.npy"), npy("18, 4", [0.0; 72]))?;
    std::fs::write(program.path("nan.npy"), npy("18, 4", [f32::NAN; 72]))?;
    std::fs::write(program.path("fluid.npy"), npy("18, 4", [0.5; 72]))?;
    program.succeed("demo clouds --headless --size 5x4 --steps 1 --save open.npy")?;
    program.succeed("demo clouds --headless --size 5x4 --steps 1 --walls --save walled.npy")?;
    for (flags, status, words) in [
        (
            "--load wide.npy",
            1,
            "wide.npy: 18x4x2 is no state of clouds, whose shape is (6 x (rows + 1), columns)",
        ),
        ("--load odd.npy", 1, "odd.npy: 17x4x1 is no state of clouds"),
        ("--load fine.npy --size 9x9", 1, "fine.npy: the state is 4x2 without --walls, --size says 9x9"),
        ("--load fine.npy --wind 20", 2, "--wind: air of --load has its own"),
        (
            "--load open.npy --walls",
            1,
            "open.npy: there is air in the last column: it was saved without --walls",
        ),
        ("--load walled.npy", 1, "walled.npy: there is no air in the last column: it was saved with --walls"),
        ("--load fluid.npy", 1, "fluid.npy: no state of clouds: the last row of plane 3 is not 0"),
        ("--mixing 65", 1, "mixing = 65: expected 0 to 64"),
        ("--renewal 3", 1, "renewal = 3: expected 4 to 1000000000"),
        ("--show theta", 2, "--show: without a window it is of a picture, as --out a.png"),
        ("--colours viridis", 2, "--colours: without a window they are of a picture, as --out a.png"),
        (
            "--colours viridis --out a.png",
            2,
            "--colours: clouds have their own; they are of numbers, see --show",
        ),
        ("--show theta --colours nowhere --out a.png", 1, "no colour map \"nowhere\""),
        ("--load fine.npy --walls --size 4x2", 1, "fine.npy: the state is 3x2 with --walls, --size says 4x2"),
        ("--load nan.npy", 1, "nan.npy"),
        ("--load nowhere.npy", 1, "nowhere.npy"),
        ("--size 200000x4", 1, "200000"),
        ("--scene stable --spacing 3000", 1, "temperature at the top"),
        ("--walls --wind 3", 2, "--wind: between --walls there is none"),
        ("--scene stable --humidity 0.5", 2, "--humidity: the air of stable is dry"),
        ("--size 8x6 --picture 9x9", 2, "--picture"),
    ] {
        let ended = program.run(&format!("demo clouds --headless --steps 1 {flags}"))?;
        assert_eq!(ended.status, Some(status), "{flags}: {}", ended.err);
        assert!(ended.err.contains(words) && ended.err.lines().count() == 1, "{flags}: {}", ended.err);
    }
    for flags in [
        "--size 0x4",
        "--heat -1",
        "--wind 99",
        "--humidity 2",
        "--time-step 0",
        "--confinement 0.2",
        "--scene fog",
        "--mixing -1",
        "--renewal 0",
        "--renewal soon",
        "--show rain",
        "--cells 8x8",
        "--pressure none",
    ] {
        assert_eq!(program.run(&format!("demo clouds {flags}"))?.status, Some(2), "{flags}");
    }
    Ok(())
}

/// After 40 steps air at rest has no cloud; with bubbles on their way it has. They are the same of the same seed, the account of the water
/// knows what they brought, and dry air gets none.
#[test]
fn bubbles_on_their_way_bring_the_first_cloud_soon() -> Outcome {
    let program = Program::new()?;
    let run = |flags: &str| {
        report(&program, &format!("demo clouds --headless --json --size 96x56 --steps 40 {flags}"))
    };
    let still = run("--thermals 0")?;
    assert_eq!(still["findings"]["cloud_top"], Value::Null, "{still}");
    let rising = run("--thermals 6 --check")?;
    assert!(rising["findings"]["cloud_top"].as_f64() > Some(700.0), "{rising}");
    assert_eq!(rising["check"]["passed"], Value::Bool(true), "{rising}");
    assert_eq!(run("--thermals 6")?["findings"], run("--thermals 6")?["findings"]);
    let dry = run("--scene stable --thermals 6")?;
    assert_eq!(dry["findings"]["cloud_top"], Value::Null, "{dry}");
    Ok(())
}
