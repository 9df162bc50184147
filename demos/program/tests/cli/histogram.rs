//! `quadrille demo histogram`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

/// Returns true if the driver can count by points: where it cannot blend floats, it says so.
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
    image::save_buffer(
        program.path("half.png"),
        &[0, 0, 255, 255].repeat(8),
        4,
        8,
        image::ExtendedColorType::L8,
    )?;
    let out = program.succeed("demo histogram --image half.png --steps 0 --json --save grey.npy")?;
    let grey = values(&program.bytes("grey.npy")?);
    assert_eq!((grey.len(), &grey[..4]), (32, &[0.0, 0.0, 1.0, 1.0][..]));
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!((&report["size"], &report["findings"]["total"]), (&"4x8".into(), &32.into()));
    Ok(())
}

#[test]
fn a_ramp_of_all_greys_has_a_pixel_in_each_bin_as_32_bit_division_has_it() -> Outcome {
    let program = Program::new()?;
    let ramp: Vec<u8> = (0..=255).collect();
    image::save_buffer(program.path("ramp.png"), &ramp, 32, 8, image::ExtendedColorType::L8)?;
    let deep: Vec<u8> = (0..64_u16).flat_map(|i| (i * 1040 + 1).to_ne_bytes()).collect();
    image::save_buffer(program.path("deep.png"), &deep, 8, 8, image::ExtendedColorType::L16)?;
    let run = "demo histogram --headless --steps 0 --rate 0";
    let out = program.succeed(&format!("{run} --image ramp.png --bins 255 --save a.npy --counts a.csv"))?;
    let exact: Vec<f32> = ramp.iter().map(|&grey| f32::from(grey) / 255.0).collect();
    assert_eq!(values(&program.bytes("a.npy")?), exact);
    let mut counts = vec![0; 255];
    exact.iter().for_each(|v| counts[((v * 255.0) as usize).min(254)] += 1);
    let table = String::from_utf8(program.bytes("a.csv")?)?;
    let (head, rows) = table.split_once('\n').ok_or("no line")?;
    assert_eq!(head, "bin,from,to,count");
    let rows: Vec<Vec<f64>> =
        rows.lines().map(|row| row.split(',').map(str::parse).collect()).collect::<Result<_, _>>()?;
    for (bin, (row, count)) in rows.iter().zip(&counts).enumerate() {
        assert_eq!(row[..], [bin as f64, bin as f64 / 255.0, (bin + 1) as f64 / 255.0, f64::from(*count)]);
    }
    assert_eq!(rows.len(), 255);
    assert!(out.contains("pixels, mean 0.5000, 0 outside the bins\nwrote a.npy\nwrote a.csv"), "{out}");
    program.succeed(&format!("{run} --image deep.png --save b.npy"))?;
    let exact: Vec<f32> = (0..64_u16).map(|i| f32::from(i * 1040 + 1) / 65535.0).collect();
    assert_eq!(values(&program.bytes("b.npy")?), exact);
    Ok(())
}

#[test]
fn a_picture_that_is_too_large_is_named_with_its_size_and_the_limit() -> Outcome {
    let program = Program::new()?;
    image::save_buffer(program.path("wide.png"), &[0; 20_000], 20_000, 1, image::ExtendedColorType::L8)?;
    std::fs::create_dir(program.path("folder.png"))?;
    for (name, told) in [
        ("wide.png", "wide.png: a picture of 20000x1: width is 20000, the limit is 16384"),
        ("folder.png", "folder.png: is a directory, where a .png file was expected"),
    ] {
        let ended = program.run(&format!("demo histogram --headless --image {name}"))?;
        assert_eq!((ended.status, ended.err), (Some(1), format!("quadrille: {told}\n")));
    }
    Ok(())
}

#[test]
fn the_picture_is_the_image_beside_the_one_before_over_its_bars() -> Outcome {
    let program = Program::new()?;
    program.succeed(
        "demo histogram --headless --size 64x48 --steps 10 --hues none --out a.png --save after.npy",
    )?;
    program.succeed("demo histogram --headless --size 64x48 --steps 0 --save before.npy")?;
    program.succeed(
        "demo histogram --headless --size 64x48 --steps 10 --every 5 --out a.gif --colours viridis",
    )?;
    assert_eq!(program.files()?, ["a.gif", "a.png", "after.npy", "before.npy"]);
    let picture = image::open(program.path("a.png"))?.to_luma8();
    assert_eq!(picture.dimensions(), (64, 64));
    let read = |name| program.bytes(name).map(|bytes| values(&bytes));
    let (before, after) = (read("before.npy")?, read("after.npy")?);
    for (at, (before, after)) in before.iter().zip(&after).enumerate() {
        let (x, y) = (at as u32 % 64, at as u32 / 64);
        let grey = 255.0 * if x < 32 { before } else { after }.clamp(0.0, 1.0);
        assert!((f32::from(picture.get_pixel(x, y).0[0]) - grey).abs() <= 1.0, "({x}, {y})");
    }
    assert_ne!(before, after);
    Ok(())
}

/// Red, green, blue and grey, of 8 bits: brightness 0.299 red + 0.587 green + 0.114 blue, and each pixel's own hue, also after a state.
#[test]
fn a_coloured_picture_keeps_its_hues_while_its_brightness_is_equalised() -> Outcome {
    let program = Program::new()?;
    let colours = [[200, 30, 20], [30, 120, 40], [40, 50, 160], [90, 90, 90]];
    let bytes: Vec<u8> = colours.iter().cycle().take(32).flatten().copied().collect();
    image::save_buffer(program.path("a.png"), &bytes, 8, 4, image::ExtendedColorType::Rgb8)?;
    let run = "demo histogram --headless --rate 0.5 --bins 64";
    program.succeed(&format!("{run} --image a.png --steps 0 --before 0 --out same.png --save a.npz"))?;
    let same = image::open(program.path("same.png"))?.to_rgb8();
    for (i, expected) in bytes.chunks(3).enumerate() {
        let found = same.get_pixel(i as u32 % 8, i as u32 / 8).0;
        assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= 1), "{found:?} {expected:?}");
    }
    program.succeed(&format!("{run} --image a.png --steps 4 --before 0 --out b.png --save b.npy"))?;
    program.succeed(&format!("{run} --load a.npz --steps 4 --before 0 --out c.png"))?;
    assert_eq!(program.bytes("b.png")?, program.bytes("c.png")?);
    let (picture, light) = (image::open(program.path("b.png"))?.to_rgb8(), values(&program.bytes("b.npy")?));
    for (i, (light, before)) in light.iter().zip(bytes.chunks(3)).enumerate() {
        let seen = picture.get_pixel(i as u32 % 8, i as u32 / 8).0.map(f64::from);
        let [before, seen_light] = [[0, 1, 2].map(|k| f64::from(before[k])), seen]
            .map(|rgb| (rgb, 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]));
        // Each part is rounded by half a level.
        assert!((seen_light.1 - 255.0 * f64::from(*light)).abs() < 0.52, "{seen:?}: brightness {light}");
        let paled = |rgb: [f64; 3], light: f64| rgb.map(|part| part - light);
        let (old, new) = (paled(before.0, before.1), paled(seen, seen_light.1));
        let cross = (old[0] * new[2] - old[2] * new[0]).abs();
        let size = |v: [f64; 3]| v.iter().map(|part| part * part).sum::<f64>().sqrt();
        assert!(cross <= 2.0 * (size(old) + size(new)), "another hue: {before:?} {seen:?}");
    }
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
        ("--image no.png", "no.png: is not a PNG: its first bytes are not those of one"),
        ("--bins 99999", "bins = 99999: expected 1 to 16381, the size of a texture less 3"),
        ("--counts a.txt", "a.txt: holds comma-separated values, so its name must end in .csv"),
        ("--size 99999x1", "an image of 99999x1: width is 99999, the limit is 16384"),
        ("--size 4097x4096", "number of elements is 16781312, the limit is 16777216"),
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

#[test]
fn each_scene_has_the_histogram_that_it_is_there_for() -> Outcome {
    let program = Program::new()?;
    let counts = |scene: &str| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
        let run =
            format!("--headless --scene {scene} --size 96x80 --bins 64 --steps 0 --rate 0 --counts a.csv");
        program.succeed(&format!("demo histogram {run}"))?;
        let text = String::from_utf8(program.bytes("a.csv")?)?;
        let count = |line: &str| line.rsplit(',').next().and_then(|count| count.parse::<f64>().ok());
        Ok(text.lines().skip(1).filter_map(count).map(|count| count / (96.0 * 80.0)).collect())
    };
    let share = |counts: &[f64]| counts.iter().sum::<f64>();
    let (dark, fog) = (counts("dark")?, counts("fog")?);
    assert!(share(&dark[33..]) == 0.0 && share(&dark[..33]) > 0.99, "the lower half");
    assert!(share(&fog[38..45]) > 0.99, "a tenth of all brightnesses: {fog:?}");
    let night = counts("night")?;
    assert!(night[0] > 0.5 && share(&night[32..]) > 0.001, "one bin dominates: {night:?}");
    let page = counts("page")?;
    assert!(
        share(&page[..8]) > 0.4 && share(&page[40..]) < 0.01,
        "half of it lies in the shadow, and none is bright: {page:?}"
    );
    let refused = program.run("demo histogram --headless --scene fog --image a.png")?;
    assert_eq!(refused.status, Some(2), "{}", refused.err);
    Ok(())
}
