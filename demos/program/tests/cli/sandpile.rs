//! `quadrille demo sandpile`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

#[test]
fn the_check_passes_in_every_scene_at_every_size_and_not_a_grain_is_lost() -> Outcome {
    let program = Program::new()?;
    for scene in
        ["heap --grains 900", "heap --grains 90 --then grains", "rain --rain 2", "identity", "avalanches"]
    {
        for size in ["1x1", "1x2", "3x3", "11x10", "31x17"] {
            let run = format!("demo sandpile --scene {scene} --size {size} --steps 300 --check --json");
            let report: Value = serde_json::from_str(&program.succeed(&run)?)?;
            assert_eq!(report["check"]["passed"], true, "{run}: {report}");
            assert_eq!(report["check"]["error"], 0.0, "{run}");
            let number = |name: &str| report["findings"][name].as_u64().ok_or("no number");
            assert_eq!(number("added")?, number("grains")? + number("fallen")?, "{run}");
        }
    }
    Ok(())
}

/// Eight cells a side: Dhar's group has the identity that anybody finds by toppling 6 − s.
#[test]
fn it_ends_when_nothing_topples_any_more_and_the_identity_is_symmetric() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed("demo sandpile --scene identity --size 8x8 --json --save e.npy")?;
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!(report["findings"]["unstable"], 0);
    assert!(report["steps"].as_u64().is_some_and(|steps| steps < 1000), "{report}");
    let sand = values(&program.bytes("e.npy")?);
    let at = |x: usize, y: usize| sand[y * 8 + x];
    assert!((0..64).all(|i| {
        let (x, y) = (i % 8, i / 8);
        at(x, y) == at(y, x) && at(x, y) == at(7 - x, y) && (0.0..4.0).contains(&at(x, y))
    }));
    assert!(sand.iter().any(|&h| h != sand[0]));
    Ok(())
}

#[test]
fn what_is_no_sand_and_flags_without_effect_are_refused_in_one_line() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("half.npy"), npy("1, 2", [1.0, 2.5]))?;
    std::fs::write(program.path("whole.npy"), npy("1, 2", [1.0, 5.0]))?;
    program.succeed("demo sandpile --headless --size 3x3 --grains 9 --steps 1 --save heap.npz")?;
    std::fs::write(program.path("debt.npy"), npy("1, 2", [-1.0, 2.0]))?;
    for (arguments, status, told) in [
        ("--load half.npy", 1, "half.npy: cell 1 has 2.5 grains, expected a whole number below 2^24"),
        ("--load debt.npy", 1, "debt.npy: cell 0 has -1 grains"),
        ("--rain 3", 2, "--rain: only for --scene rain"),
        ("--scene rain --grains 5", 2, "--grains: only for --scene heap"),
        ("--scene rain --then rest", 2, "--then: only for --scene heap and identity"),
        ("--load whole.npy --grains 5", 2, "--grains: it chooses a beginning"),
        ("--load whole.npy --scene identity", 2, "--scene identity: it begins with six grains a cell"),
        ("--load heap.npz --grains 5", 2, "--grains: it chooses a beginning"),
        ("--load heap.npz --scene identity", 2, "--scene identity: it begins with six grains a cell"),
        (
            "--load heap.npz --seed 5",
            2,
            "--seed: it chooses a beginning, and so does --load; heap.npz keeps no seed",
        ),
        ("--seed 4", 2, "--seed: only for --scene rain"),
    ] {
        let ended = program.run(&format!("demo sandpile --headless {arguments}"))?;
        assert_eq!(ended.status, Some(status), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(told) && ended.err.lines().count() == 1, "{arguments}: {}", ended.err);
    }
    Ok(())
}

/// As many avalanches in all ranges as there were, and a run that goes on at rest is no shorter than it was asked to be.
#[test]
fn avalanches_are_told_by_size_and_grains_go_on_falling_on_a_heap_at_rest() -> Outcome {
    let program = Program::new()?;
    for flags in ["--scene avalanches --seed 3", "--grains 400 --then grains --seed 3"] {
        let run = format!("demo sandpile --headless --size 19x13 --steps 6000 --json {flags}");
        let report: Value = serde_json::from_str(&program.succeed(&run)?)?;
        let number = |name: &str| report["findings"][name].as_u64().ok_or("no number");
        let sizes = report["findings"]["sizes"].as_array().ok_or("no sizes")?;
        let all: u64 = sizes.iter().filter_map(Value::as_u64).sum();
        assert_eq!((report["steps"].as_u64(), report["seed"].as_u64()), (Some(6000), Some(3)), "{flags}");
        assert_eq!(number("avalanches")?, all, "{flags}");
        assert!(all > 100 && number("grains_that_moved_nothing")? > 100, "{report}");
        assert_eq!(sizes.len() as u64, u64::from(number("largest")?.ilog2()) + 1, "{report}");
        assert!(number("widest")? <= number("largest")?.min(19 * 13), "{report}");
    }
    Ok(())
}

#[test]
fn a_heap_that_was_loaded_has_the_grains_that_its_file_tells() -> Outcome {
    let program = Program::new()?;
    let grains = |arguments: &str| -> Result<Value, Box<dyn std::error::Error>> {
        let out = program.succeed(&format!("demo sandpile --headless --steps 2 --json {arguments}"))?;
        Ok(serde_json::from_str::<Value>(&out)?["parameters"]["grains"].clone())
    };
    std::fs::write(program.path("whole.npy"), npy("1, 2", [1.0, 5.0]))?;
    assert_eq!(grains("--size 5x3 --grains 90 --save heap.npz")?, 90);
    assert_eq!(grains("--load heap.npz")?, 90);
    assert_eq!(grains("--load whole.npy")?, Value::Null);
    assert_eq!(grains("--size 5x3 --scene rain --save rain.npz")?, Value::Null);
    assert_eq!(grains("--load rain.npz --scene heap")?, Value::Null);
    Ok(())
}

#[test]
fn a_seed_is_told_only_where_it_does_something() -> Outcome {
    let program = Program::new()?;
    for (scene, seed) in [("heap", Value::Null), ("identity", Value::Null), ("rain", Value::from(1))] {
        let out = program.succeed(&format!("demo sandpile --size 5x3 --steps 1 --json --scene {scene}"))?;
        assert_eq!(serde_json::from_str::<Value>(&out)?["seed"], seed, "{scene}");
    }
    Ok(())
}
