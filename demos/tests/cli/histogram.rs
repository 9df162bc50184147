//! `quadrille demo histogram`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

/// Whether the driver can count by points: where it cannot blend floats, it says so.
fn can_blend(program: &Program) -> Result<bool, Box<dyn std::error::Error>> {
    let info: Value = serde_json::from_str(&program.succeed("info --json")?)?;
    Ok(info["limits"]["float_blend"] == true)
}

#[test]
fn both_ways_count_what_the_cpu_counts_and_make_the_same_picture() -> Outcome {
    let program = Program::new()?;
    let blends = can_blend(&program)?;
    for size in ["1x1", "1x17", "16x1", "37x23", "127x64"] {
        for bins in [1, 7, 256] {
            for by in ["gather", "points"].into_iter().filter(|by| blends || *by == "gather") {
                let run =
                    format!("--size {size} --bins {bins} --by {by} --rate 0.3 --steps 12 --save {by}.npy");
                let report: Value =
                    serde_json::from_str(&program.succeed(&format!("demo histogram --check --json {run}"))?)?;
                assert_eq!(report["check"]["passed"], true, "{run}");
                let counted = &report["check"]["all"][0];
                assert_eq!((&counted["what"], &counted["error"]), (&"miscounted pixels".into(), &0.0.into()));
                let pixels = values(&program.bytes(&format!("{by}.npy"))?);
                let findings = &report["findings"];
                assert_eq!(findings["total"], pixels.len(), "{run}");
                let mean = pixels.iter().map(|&v| f64::from(v)).sum::<f64>() / pixels.len() as f64;
                let said = findings["mean"].as_f64().unwrap_or(f64::NAN);
                assert!((said - mean).abs() <= f64::EPSILON, "{run}: {said}, not {mean}");
            }
            if blends {
                assert_eq!(program.bytes("gather.npy")?, program.bytes("points.npy")?);
            }
        }
    }
    Ok(())
}

#[test]
fn a_resumed_run_equals_the_uninterrupted_one_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    let run = "demo histogram --headless";
    program.succeed(&format!("{run} --size 37x23 --steps 30 --save whole.npy"))?;
    program.succeed(&format!("{run} --size 37x23 --steps 12 --save half.npy"))?;
    program.succeed(&format!("{run} --load half.npy --steps 18 --save resumed.npy"))?;
    assert_eq!(program.bytes("whole.npy")?, program.bytes("resumed.npy")?);
    program.succeed(&format!("{run} --size 37x23 --seed 2 --steps 30 --save other.npy"))?;
    assert_ne!(program.bytes("whole.npy")?, program.bytes("other.npy")?);
    Ok(())
}

#[test]
fn a_picture_file_is_counted_in_shades_of_grey() -> Outcome {
    let program = Program::new()?;
    // The state that the colours of a map make: black for 0, white for 1, each drawn over by bars below.
    std::fs::write(program.path("half.npy"), npy("8, 4", [0.0, 0.0, 1.0, 1.0].repeat(8)))?;
    program.succeed("demo histogram --headless --load half.npy --steps 0 --rate 0 --out half.png")?;
    let out = program.succeed("demo histogram --image half.png --steps 0 --json --save grey.npy")?;
    let grey = values(&program.bytes("grey.npy")?);
    assert_eq!((grey.len(), &grey[..4]), (32, &[0.0, 0.0, 1.0, 1.0][..]));
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!((&report["size"], &report["findings"]["total"]), (&"4x8".into(), &32.into()));
    Ok(())
}

#[test]
fn the_picture_is_the_image_with_bars_over_its_lower_quarter() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo histogram --headless --size 64x48 --steps 10 --out a.png --colours viridis")?;
    program.succeed("demo histogram --headless --size 64x48 --steps 10 --every 5 --out a.gif")?;
    assert_eq!(program.files()?, ["a.gif", "a.png"]);
    Ok(())
}

#[test]
fn what_it_cannot_count_is_refused_in_one_line() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("two.npy"), npy("1, 2, 2", [0.0; 4]))?;
    std::fs::write(program.path("no.png"), "no picture")?;
    for (arguments, told) in [
        ("--load two.npy", "two.npy: 2 components, a state of histogram has 1 (brightness)"),
        ("--image missing.png", "missing.png: No such file"),
        ("--image no.png", "no.png: "),
        ("--bins 99999", "bins = 99999: expected 1 to 16381"),
        (
            "--size 4097x4096",
            "equalised image in rows of 4100: number of elements is 16793600, the limit is 16777216",
        ),
        (
            "--by points --limits RADEON_9700",
            "a histogram by points needs EXT_float_blend, which RADEON_9700",
        ),
    ] {
        let ended = program.run(&format!("demo histogram --headless {arguments}"))?;
        assert_eq!(ended.status, Some(1), "{arguments}");
        assert!(ended.err.contains(told) && ended.err.lines().count() == 1, "{arguments}: {}", ended.err);
    }
    for usage in
        ["--bins 0", "--rate 2", "--by hand", "--image a.png --load b.npy", "--image a.png --size 4x4"]
    {
        assert_eq!(program.run(&format!("demo histogram --headless {usage}"))?.status, Some(2), "{usage}");
    }
    Ok(())
}

#[test]
fn a_card_of_2002_counts_by_gather() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed("demo histogram --check --limits RADEON_9700 --size 61x67 --steps 3")?;
    assert!(out.contains("check passed"), "{out}");
    Ok(())
}
