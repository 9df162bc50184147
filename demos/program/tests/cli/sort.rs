//! `quadrille demo sort`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

#[test]
fn the_check_passes_at_every_pass_and_the_numbers_end_in_order() -> Outcome {
    let program = Program::new()?;
    for size in ["1x1", "2x1", "1x3", "11x10", "31x57", "127x2", "64x64"] {
        let out = program.succeed(&format!("demo sort --size {size} --check --json --save s.npy"))?;
        let report: Value = serde_json::from_str(&out)?;
        assert_eq!(report["check"]["all"][0]["what"], "misplaced numbers", "{size}");
        assert_eq!((&report["check"]["passed"], &report["check"]["error"]), (&true.into(), &0.0.into()));
        assert_eq!(report["findings"]["sorted"], true, "{size}");
        assert_eq!(report["steps"], report["findings"]["passes"], "as many steps as it takes");
        assert!(values(&program.bytes("s.npy")?).is_sorted(), "{size}");
    }
    Ok(())
}

#[test]
fn a_network_that_is_cut_short_leaves_disorder_and_one_that_goes_on_changes_nothing() -> Outcome {
    let program = Program::new()?;
    let report: Value = serde_json::from_str(&program.succeed("demo sort --size 31x57 --steps 9 --json")?)?;
    assert_eq!(
        (&report["findings"]["passes_done"], &report["findings"]["sorted"]),
        (&9.into(), &false.into())
    );
    program.succeed("demo sort --headless --size 31x57 --save a.npy")?;
    let out = program.succeed("demo sort --size 31x57 --steps 40 --check --save b.npy")?;
    assert!(out.contains("check passed"), "{out}");
    assert_eq!(program.bytes("a.npy")?, program.bytes("b.npy")?);
    Ok(())
}

#[test]
fn a_half_sorted_state_is_sorted_from_the_start_and_seeds_differ() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo sort --headless --size 37x23 --keys noise --save whole.npy")?;
    program.succeed("demo sort --headless --size 37x23 --keys noise --steps 8 --save half.npy")?;
    program.succeed("demo sort --load half.npy --check --save resumed.npy")?;
    assert_eq!(program.bytes("whole.npy")?, program.bytes("resumed.npy")?);
    program.succeed("demo sort --headless --size 37x23 --keys noise --seed 2 --save other.npy")?;
    assert_ne!(program.bytes("whole.npy")?, program.bytes("other.npy")?);
    Ok(())
}

#[test]
fn a_picture_has_a_pixel_a_number_and_frames_are_passes() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo sort --headless --size 16x8 --out s.png --every 4 --colours viridis")?;
    let frames = ["s-000000.png", "s-000004.png", "s-000008.png", "s-000012.png", "s-000013.png"];
    let found = program.files()?;
    assert!(frames[..3].iter().all(|frame| found.contains(&(*frame).to_owned())), "{found:?}");
    Ok(())
}

#[test]
fn numbers_that_the_gpu_takes_for_0_do_not_pass_for_sorted() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("small.npy"), npy("4, 16", (0..64).map(|i| f32::from_bits(64 - i))))?;
    let ended = program.run("demo sort --headless --load small.npy --save s.npy")?;
    assert_eq!(ended.status, Some(0));
    let said = "warning: the numbers are not sorted after the last pass: this GPU takes subnormal numbers";
    assert_eq!(values(&program.bytes("s.npy")?).is_sorted(), !ended.err.contains(said), "{}", ended.err);
    Ok(())
}

#[test]
fn colours_go_from_the_least_to_the_largest_number_of_a_file() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("one.npy"), npy("4, 16", (0..64).map(|i| i as f32 / 63.0)))?;
    std::fs::write(program.path("far.npy"), npy("4, 16", (0..64).map(|i| 126.0 - 2.0 * i as f32)))?;
    program.succeed("demo sort --headless --load one.npy --out one.png")?;
    program.succeed("demo sort --headless --load far.npy --out far.png")?;
    let [one, far] = ["one.png", "far.png"].map(|name| image::open(program.path(name)));
    let (one, far) = (one?.into_rgb8(), far?.into_rgb8());
    let apart = one.iter().zip(far.iter()).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(apart <= Some(8) && one.get_pixel(0, 0) != one.get_pixel(15, 3), "{apart:?}");
    Ok(())
}

#[test]
fn what_it_cannot_sort_is_refused_in_one_line() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("two.npy"), npy("1, 2, 2", [0.0; 4]))?;
    for (arguments, told) in [
        ("demo sort --headless --load two.npy", "two.npy: 2 components, a state of sort has 1 (number)"),
        ("demo sort --headless --load missing.npy", "missing.npy: No such file"),
        ("demo sort --headless --size 4097x4096", "number of elements is 16781312, the limit is 16777216"),
        ("demo sort --headless --size 99999x8", "width is 99999, the limit is 16384"),
    ] {
        let ended = program.run(arguments)?;
        assert_eq!(ended.status, Some(1), "{arguments}");
        assert!(ended.err.contains(told) && ended.err.lines().count() == 1, "{arguments}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn every_kind_of_keys_ends_in_order_and_begins_as_it_says() -> Outcome {
    let program = Program::new()?;
    for kind in ["picture", "noise", "nearly", "reversed", "few", "sine"] {
        program
            .succeed(&format!("demo sort --headless --size 40x20 --keys {kind} --steps 0 --save a.npy"))?;
        let begun = values(&program.bytes("a.npy")?);
        let falls = begun.windows(2).filter(|pair| pair[0] > pair[1]).count();
        let (least, most) = match kind {
            "nearly" => (1, 32),
            "reversed" => (799, 799),
            "sine" => (396, 402),
            _ => (250, 550),
        };
        assert!((least..=most).contains(&falls), "{kind}: {falls} of 799");
        let mut distinct = begun.clone();
        distinct.sort_by(f32::total_cmp);
        distinct.dedup();
        assert_eq!(distinct.len() == 8, kind == "few", "{kind}: {} numbers", distinct.len());
        assert!(distinct[0] >= 0.0 && distinct[distinct.len() - 1] <= 1.0, "{kind}");
        let out = program.succeed(&format!("demo sort --size 40x20 --keys {kind} --check --save a.npy"))?;
        assert!(out.contains("check passed"), "{kind}: {out}");
        assert!(values(&program.bytes("a.npy")?).is_sorted(), "{kind}");
    }
    let refused = program.run("demo sort --headless --load a.npy --keys few")?;
    assert_eq!(
        (refused.status, refused.err.contains("--keys: a .npy of --load has the numbers")),
        (Some(2), true)
    );
    Ok(())
}

#[test]
fn shuffled_pixels_become_the_same_picture_whatever_their_order_was() -> Outcome {
    let program = Program::new()?;
    let picture = |flags: &str| -> Result<image::GrayImage, Box<dyn std::error::Error>> {
        program.succeed(&format!("demo sort --headless --size 40x24 --colours grey --out p.png {flags}"))?;
        Ok(image::open(program.path("p.png"))?.to_luma8())
    };
    let [first, other] = [picture("--steps 0")?, picture("--steps 0 --seed 2")?];
    let [sorted, same] = [picture("")?, picture("--seed 2")?];
    assert!(first != other && sorted == same);
    // The pixels are the same ones, and neighbours fit: a row of another width would lean.
    let tones = |picture: &image::GrayImage| {
        let mut tones = picture.to_vec();
        tones.sort_unstable();
        tones
    };
    assert_eq!(tones(&first), tones(&sorted));
    let apart = |picture: &image::GrayImage, (right, down): (u32, u32)| -> u32 {
        let places = (0..24 - down).flat_map(|y| (0..40 - right).map(move |x| (x, y)));
        let tone = |x, y| picture.get_pixel(x, y).0[0];
        places.map(|(x, y)| u32::from(tone(x, y).abs_diff(tone(x + right, y + down)))).sum()
    };
    let [shuffled, along, across] = [apart(&first, (1, 0)), apart(&sorted, (1, 0)), apart(&sorted, (0, 1))];
    assert!(3 * along < shuffled && 2 * across < shuffled, "{along} {across} of {shuffled}");
    Ok(())
}

#[test]
fn the_network_of_32_numbers_has_a_line_for_each() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo sort --headless --size 8x4 --view network --colours grey --out n.png")?;
    let picture = image::open(program.path("n.png"))?.to_luma8();
    assert_eq!(picture.dimensions(), (720, 512));
    let shades: Vec<u8> = (0..32).map(|line| picture.get_pixel(719, 16 * line + 8).0[0]).collect();
    assert!(shades.is_sorted() && shades[0] < shades[31], "in order behind the last pass: {shades:?}");
    Ok(())
}
