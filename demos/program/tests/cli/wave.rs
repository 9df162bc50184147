//! `quadrille demo wave`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, npy, values};

#[test]
fn a_resumed_run_without_rain_equals_the_uninterrupted_one_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    for scheme in ["explicit", "implicit --edges reflecting"] {
        let wave = format!("demo wave --headless --scheme {scheme}");
        program.succeed(&format!("{wave} --size 37x23 --drops 0 --steps 50 --save whole.npy"))?;
        program.succeed(&format!("{wave} --size 37x23 --drops 0 --steps 20 --save half.npy"))?;
        program.succeed(&format!("{wave} --load half.npy --steps 30 --save resumed.npy"))?;
        assert_eq!(program.bytes("whole.npy")?, program.bytes("resumed.npy")?, "{scheme}");
    }
    Ok(())
}

#[test]
fn the_check_passes_with_every_scheme_edge_and_size() -> Outcome {
    let program = Program::new()?;
    for size in ["1x1", "1x17", "16x1", "37x23"] {
        for edges in ["fixed", "reflecting"] {
            for scheme in ["explicit", "implicit", "implicit --beta 30"] {
                let run = format!("--steps 30 --scheme {scheme} --size {size} --edges {edges} --drops 10");
                let out = program.succeed(&format!("demo wave --check {run}"))?;
                assert!(out.contains("check passed"), "{run}: {out}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_json_says_all_it_should_and_a_step_is_one_pass_or_three_where_waves_fade() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed("demo wave --size 37x23 --steps 70 --seed 5 --check --json")?;
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!((&report["demo"], &report["size"]), (&"wave".into(), &"37x23".into()));
    let parameters = serde_json::json!({
        "scheme": "explicit", "beta": 0.45, "edges": "fixed", "beside": false, "drops": 150,
        "damping": 0.001,
        "walls": "none", "source": 0, "ball": 0.13, "ball_x": 0.7, "ball_y": 0.68,
    });
    assert_eq!(report["parameters"], parameters);
    assert_eq!((&report["passes"], &report["seed"]), (&210.into(), &5.into()));
    assert_eq!(report["check"]["passed"], true);
    let out = program.succeed("demo wave --size 37x23 --steps 70 --damping 0 --json")?;
    assert_eq!(serde_json::from_str::<Value>(&out)?["passes"], 70);
    let out = program.succeed("demo wave --size 9x9 --steps 3 --scheme implicit --drops 0 --json")?;
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!(report["parameters"]["tolerance"], 1e-6);
    Ok(())
}

/// Width and height of a PNG.
fn size(png: &[u8]) -> [u32; 2] {
    let number = |at: usize| png[at..at + 4].iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
    [number(16), number(20)]
}

#[test]
fn water_is_drawn_in_the_size_asked_for_and_a_map_with_a_pixel_a_cell() -> Outcome {
    let program = Program::new()?;
    let wave = "demo wave --headless --size 37x23 --steps 5";
    program.succeed(&format!("{wave} --out a.png"))?;
    program.succeed(&format!("{wave} --out b.png --picture 301x77"))?;
    program.succeed(&format!("{wave} --out c.png --view flat"))?;
    let sizes = ["a.png", "b.png", "c.png"].map(|name| program.bytes(name).map(|png| size(&png)));
    let [a, b, c] = sizes;
    assert_eq!([a?, b?, c?], [[800, 600], [301, 77], [37, 23]]);
    program.succeed(&format!("{wave} --out frames.gif --every 2 --picture 64x48"))?;
    program.succeed(&format!("{wave} --out state.npy"))?;
    assert_eq!(values(&program.bytes("state.npy")?).len(), 37 * 23 * 2);
    // A card without vertex texture fetch draws the map.
    program.succeed(&format!("{wave} --out d.png --limits RADEON_9700"))?;
    assert_eq!(size(&program.bytes("d.png")?), [37, 23]);
    Ok(())
}

#[test]
fn unstable_steps_are_warned_about_done_and_drawn() -> Outcome {
    let program = Program::new()?;
    let wild = "demo wave --headless --size 40x40 --beta 0.7 --steps 600";
    for view in ["water", "flat"] {
        let ended = program.run(&format!("{wild} --view {view} --out {view}.png"))?;
        assert_eq!(ended.status, Some(0), "{}", ended.err);
        let first = "quadrille: warning: explicit steps of beta = 0.7 blow up: they are stable up to 0.5";
        assert_eq!(ended.err.lines().next(), Some(first));
        assert!(ended.err.contains("are not finite numbers"), "{}", ended.err);
        assert!(program.bytes(&format!("{view}.png"))?.starts_with(b"\x89PNG"));
    }
    let ended = program.run("demo wave --headless --size 9x9 --beta 0.7 --scheme implicit --steps 5")?;
    assert_eq!((ended.status, ended.err.as_str()), (Some(0), ""));
    Ok(())
}

#[test]
fn rain_falls_by_its_seed_and_not_on_a_loaded_state() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("still.npy"), npy("8, 12, 2", [0.0; 192]))?;
    let wave = "demo wave --headless --steps 9 --load still.npy";
    program.succeed(&format!("{wave} --save a.npy"))?;
    assert!(values(&program.bytes("a.npy")?).iter().all(|&v| v == 0.0));
    program.succeed(&format!("{wave} --save b.npy --drops 3"))?;
    program.succeed(&format!("{wave} --save c.npy --drops 3"))?;
    assert_eq!(program.bytes("b.npy")?, program.bytes("c.npy")?);
    assert_ne!(program.bytes("b.npy")?, program.bytes("a.npy")?);
    for seed in [1, 2] {
        let run = format!("demo wave --headless --size 64x64 --steps 50 --drops 5 --seed {seed}");
        program.succeed(&format!("{run} --save {seed}.npy"))?;
    }
    assert_ne!(program.bytes("1.npy")?, program.bytes("2.npy")?);
    Ok(())
}

/// Among walls each step is that of f64 with the same walls, explicit and implicit; a state keeps them.
#[test]
fn walls_are_built_kept_and_checked() -> Outcome {
    let program = Program::new()?;
    for scheme in ["explicit", "implicit --beta 20"] {
        for walls in ["slit", "double-slit", "grating", "pillars"] {
            let run = format!("demo wave --size 48x40 --walls {walls} --scheme {scheme} --check --json");
            let report: Value = serde_json::from_str(&program.succeed(&format!("{run} --steps 40"))?)?;
            assert_eq!(
                (&report["parameters"]["walls"], &report["parameters"]["source"]),
                (&walls.into(), &36.into())
            );
            // That of the explicit scheme: of long steps it is no sum of squares.
            let energy = report["findings"]["energy"].as_f64().ok_or("no energy")?;
            assert!(energy > 0.0 || scheme != "explicit", "{report}");
        }
    }
    // Behind a wall without openings the water would stay still to the bit; waves come through these.
    let run = "demo wave --headless --size 60x40 --edges reflecting --steps 90";
    program.succeed(&format!("{run} --walls double-slit --out a.npy --view flat"))?;
    let a = values(&program.bytes("a.npy")?);
    let behind = |state: &[f32]| {
        let last = (0..40).flat_map(|y| (40..60).map(move |x| 2 * (60 * y + x)));
        last.map(|i| state[i].abs()).fold(0.0, f32::max)
    };
    assert!(behind(&a) > 1e-4, "{}", behind(&a));
    program.succeed(&format!("{run} --walls double-slit --view flat --out a.png --save a.npz"))?;
    program.succeed("demo wave --headless --load a.npz --steps 0 --view flat --out b.png --save b.npz")?;
    assert_eq!(program.bytes("a.png")?, program.bytes("b.png")?);
    assert_eq!(program.bytes("a.npz")?, program.bytes("b.npz")?);
    Ok(())
}
