//! The list of all demos.

use crate::demo::About;
pub use crate::demos::{DEMOS, ONLY};

use crate::equations;

/// The demo of that name, or the file of equations.
pub fn named(name: &str) -> Option<&'static About> {
    let demo = DEMOS.iter().copied().find(|about| about.name == name);
    demo.or_else(|| {
        name.ends_with(".toml").then(|| equations::all().iter().find(|about| about.name == name))?
    })
}

/// All demos, and all files of equations that are packed.
pub fn all() -> impl Iterator<Item = &'static About> {
    DEMOS.iter().copied().chain(equations::all())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::rc::Rc;

    use anyhow::{Context, Result, anyhow};
    use quadrille::{Gpu, Limits, Options};
    use serde_json::Value as Json;

    use super::*;
    use crate::demo::{Demo, Request, Source, TestHost, saved};
    use crate::param::{Kept, Kind, Live, Values};
    use crate::state::State;

    type Flags = &'static [(&'static str, &'static str)];
    type Case = (&'static str, Flags, &'static str, Flags);

    #[test]
    fn every_demo_says_what_to_do_first_what_it_computes_and_by_which_kernels() {
        for about in DEMOS {
            for (what, text, most) in [
                ("keywords", about.keywords, 100),
                ("first", about.first, 70),
                ("computes", about.computes, 500),
                ("formula", about.formula, 300),
                ("paper", about.paper, 120),
            ] {
                let length = text.chars().count();
                assert!((10..=most).contains(&length), "{}: {what} has {length} letters", about.name);
            }
            assert!(!about.kernels.is_empty(), "{}", about.name);
        }
    }

    /// The page has fonts cut to fewer letters (`tools/fonts.py`), among them all that Hack has of these.
    #[cfg(feature = "panel")]
    #[test]
    fn fonts_have_every_letter_of_the_formulas() {
        let context = egui::Context::default();
        let mut missing = None;
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            let font = egui::TextStyle::Monospace.resolve(ui.style());
            let letters = |about: &&'static About| about.formula.chars().filter(|&letter| letter != '\n');
            let lacks = |letter: char| !ui.fonts_mut(|fonts| fonts.has_glyph(&font, letter));
            missing =
                Some(DEMOS.iter().flat_map(letters).filter(|&letter| lacks(letter)).collect::<String>());
        });
        output.textures_delta.clear();
        assert_eq!(missing.as_deref(), Some(""));
    }

    /// Demos, flags that are not the usual ones, a size, and flags that change while it runs.
    const CASES: [Case; 11] = [
        (
            "gray-scott.toml",
            &[("F", "0.05"), ("scheme", "ab2")],
            "13x11",
            &[("k", "0.05"), ("view", "3"), ("scheme", "euler")],
        ),
        ("fisher.toml", &[("time-step", "0.01")], "241", &[("view", "2"), ("time-step", "0.005")]),
        ("sandpile", &[("grains", "4000")], "11x9", &[("grains", "300")]),
        ("sandpile", &[("scene", "rain"), ("rain", "2")], "23x11", &[("rain", "7")]),
        ("sandpile", &[("scene", "avalanches")], "23x11", &[("scene", "heap"), ("then", "grains")]),
        ("reaction-diffusion", &[("F", "0.05"), ("edges", "clamp")], "13x11", &[("k", "0.05")]),
        ("wave", &[("scheme", "implicit"), ("tolerance", "1e-4")], "13x11", &[("beta", "0.3")]),
        (
            "heat",
            &[("edges", "cold"), ("flow", "stencil"), ("isotherm", "0.5"), ("until", "1e-6")],
            "21x13",
            &[
                ("beta", "0.1"),
                ("flow", "masks"),
                ("edges", "insulated"),
                ("until", "1e-5"),
                ("isotherm", "0.25"),
            ],
        ),
        (
            "fluid",
            &[
                ("scene", "vortices"),
                ("particles", "50"),
                ("grid", "collocated"),
                ("cycles", "3"),
                ("lossy", "true"),
            ],
            "17x17",
            &[
                ("pressure", "cg"),
                ("tolerance", "1e-3"),
                ("advection", "semi-lagrangian"),
                ("viscosity", "0.01"),
                ("time-step", "0.002"),
                ("confinement", "0.1"),
                ("fading", "0.2"),
                ("particles", "60"),
                ("lossy", "false"),
                ("show", "vorticity"),
            ],
        ),
        (
            "fluid",
            &[("pressure", "jacobi")],
            "17x33",
            &[("scene", "channel"), ("grid", "collocated"), ("sweeps", "9")],
        ),
        (
            "clouds",
            &[
                ("walls", "true"),
                ("humidity", "0.7"),
                ("lapse", "3.7"),
                ("renewal", "never"),
                ("lossy", "true"),
            ],
            "12x10",
            &[
                ("heat", "200"),
                ("evaporation", "50"),
                ("confinement", "0.02"),
                ("mixing", "1"),
                ("renewal", "500"),
                ("advection", "semi-lagrangian"),
                ("pressure", "cg"),
                ("time-step", "2"),
                ("lossy", "false"),
                ("show", "theta"),
            ],
        ),
    ];

    fn values(about: &About, texts: impl IntoIterator<Item = (String, String)>) -> Result<Values> {
        let mut values = Values::new();
        for (key, text) in texts {
            let param = about.params().find(|param| param.key() == key.replace('-', "_"));
            let param = param.with_context(|| format!("{}: no {key}", about.name))?;
            values
                .set(param.name, param.parse(&text).map_err(|expected| anyhow!("{key} {text}: {expected}"))?);
        }
        Ok(values)
    }

    fn of(pairs: &[(&str, &str)]) -> impl Iterator<Item = (String, String)> {
        pairs.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()))
    }

    fn started(
        gpu: &Gpu,
        about: &'static About,
        values: Values,
        state: Option<State>,
    ) -> Result<Box<dyn Demo>> {
        let load = state.map(|state| Source { path: PathBuf::from("a.npz"), state: Some(state) });
        let request = Rc::new(Request {
            values,
            seed: None,
            load,
            draws: true,
            windowless: true,
            saves_one_array: false,
            exports: Vec::new(),
            host: Rc::new(TestHost::default()),
        });
        about.refuse(&request)?;
        let mut demo = about.begin(gpu, &request)?;
        if let Some(state) = request.state() {
            demo.restore(state)?;
        }
        Ok(demo)
    }

    fn steps(demo: &mut dyn Demo, from: u64, many: u64) -> Result<()> {
        for step in from + 1..=from + many {
            demo.before_step(step)?;
            demo.step()?;
        }
        Ok(())
    }

    #[test]
    fn demos_go_on_from_what_they_save_and_take_what_they_are_set_to() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (name, flags, size, changes) in CASES {
            let about = named(name).context(name)?;
            let first = values(about, of(flags).chain(of(&[("size", size)])))?;
            let mut whole = started(&gpu, about, first, None)?;
            assert_eq!(whole.size().0, size, "{name}");
            steps(&mut *whole, 0, 3)?;
            // By its own values nothing changes.
            let now = whole.values();
            whole.set(&now)?;
            assert_eq!(whole.values(), now, "{name}");
            let state = saved(about, &*whole, 3)?;
            let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let kept = about.kept(&now);
            let kept = kept.iter().map(|(key, value)| (key.clone(), text(value)));
            let mut rest = started(&gpu, about, values(about, kept)?, Some(state.clone()))?;
            assert!(saved(about, &*rest, 3)? == state, "{name}: another state");
            steps(&mut *whole, 3, 2)?;
            steps(&mut *rest, 3, 2)?;
            assert!(saved(about, &*whole, 5)? == saved(about, &*rest, 5)?, "{name}: another end");
            let before = whole.numbers()?;
            steps(&mut *whole, 5, 1)?;
            let measures = whole.check(&before)?;
            assert!(
                !measures.is_empty() && measures.iter().all(|measure| measure.passes()),
                "{name}: {measures:?}"
            );
            whole.findings()?;
            whole.remarks()?;

            let asked = values(about, of(changes))?;
            whole.set(&asked)?;
            let now = whole.values();
            for (param, value) in asked.iter() {
                assert_eq!(now.get(param), Some(value), "{name}: {param}");
            }
            steps(&mut *whole, 6, 1)?;
            whole.prepare()?;
            let image = whole.picture().image()?;
            image.check()?;
            assert!(image.rgba.chunks(4).any(|pixel| pixel != &image.rgba[..4]), "{name}: one colour");
            assert!(whole.drawn().is_some(), "{name}");
        }
        Ok(())
    }

    /// In a `.npz` they are files of one folder.
    #[test]
    fn all_that_a_state_holds_has_a_name_of_its_own() -> Result<()> {
        let gpu = Gpu::headless()?;
        for about in DEMOS {
            let small = [
                ("bodies", "64"),
                ("mesh", "sphere"),
                ("columns", "2"),
                ("rows", "2"),
                ("size", "32x32"),
                ("size", "6"),
                ("size", "2"),
            ];
            let mut values = Values::new();
            for (param, text) in small.iter().filter_map(|(name, text)| Some((about.param(name)?, text))) {
                if let Ok(value) = param.parse(text) {
                    values.set(param.name, value);
                }
            }
            let demo = started(&gpu, about, values, None)?;
            let kept = about.params().filter(|param| param.kept != Kept::No).map(crate::param::Param::key);
            let arrays = demo.arrays()?.into_iter().map(|array| array.name);
            let extras: Vec<String> = demo.extras()?.keys().cloned().collect();
            let mut names: Vec<String> = kept.chain(arrays).chain(extras).collect();
            names.extend(["demo", "step"].map(str::to_owned));
            names.sort();
            let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
            assert_eq!(twice, None, "{}", about.name);
        }
        Ok(())
    }

    /// A picture whose right half is dark, drawn into each state that takes one, is what the demo goes on from.
    #[test]
    fn a_picture_that_is_dropped_is_a_start_or_an_obstacle_where_it_is_dark() -> Result<()> {
        let gpu = Gpu::headless()?;
        let image = crate::state::Array { height: 1, width: 2, components: 1, values: vec![1.0, 0.0] };
        let mut taken = 0;
        for about in DEMOS {
            let small = values(about, of(&[("size", "33x17")])).unwrap_or_default();
            let demo = started(&gpu, about, small.clone(), None)?;
            let before = saved(about, &*demo, 3)?;
            let mut state = before.clone();
            if about.stamps.is_empty() {
                let refused =
                    crate::demo::stamp(about, &mut state, &image).err().map(|error| error.to_string());
                assert!(refused.is_some_and(|line| line.contains("no use for a picture")) && state == before);
                continue;
            }
            crate::demo::stamp(about, &mut state, &image)?;
            let demo = started(&gpu, about, Values::new(), Some(state))?;
            let after = saved(about, &*demo, 3)?;
            for stamp in about.stamps {
                let (old, new) = (before.array(stamp.array, 2)?, after.array(stamp.array, 2)?);
                let (old, new) = (old.f32s()?, new.f32s()?);
                for (i, (&old, &new)) in old.iter().zip(&*new).enumerate() {
                    let (x, y) = (i % 33, i / 33);
                    let last = x + stamp.spare >= 33 || y + stamp.spare >= 17;
                    let dark = 2 * x >= 33 - stamp.spare && !last;
                    assert_eq!(
                        new,
                        if dark { stamp.dark } else { old },
                        "{} {} ({x}, {y})",
                        about.name,
                        stamp.array
                    );
                }
            }
            taken += 1;
        }
        assert!(taken >= 5, "{taken}");
        Ok(())
    }

    /// A panel says the refusal, and the demo goes on.
    #[test]
    fn another_beginning_that_is_refused_leaves_the_demo_as_it_was() -> Result<()> {
        let limits = Some(Limits { texture_size: 256, ..Limits::GEFORCE_6800 });
        let gpu = Gpu::headless_with(Options { limits, ..Options::default() })?;
        for (name, size, larger) in
            [("liquid", ("size", "6"), ("size", "96")), ("nbody", ("bodies", "8"), ("bodies", "262144"))]
        {
            let about = named(name).context(name)?;
            let values = values(about, of(&[size]))?;
            let request = Rc::new(Request::new(values, Rc::new(TestHost::default())));
            let mut demo = (about.start)(&gpu, &request)?;
            let before = (demo.size(), demo.numbers()?.values);
            let refused = demo.set(&self::values(about, of(&[larger]))?).err();
            let is_refusal = |error: &quadrille::Error| matches!(error, quadrille::Error::OverLimit { .. });
            assert!(refused.is_some_and(|error| error.downcast_ref().is_some_and(is_refusal)), "{name}");
            assert!(!demo.has_begun_anew(), "{name}");
            assert!(before == (demo.size(), demo.numbers()?.values), "{name}");
            demo.reset(1)?;
            assert!(before == (demo.size(), demo.numbers()?.values), "{name}: reset");
        }
        Ok(())
    }

    #[test]
    fn the_right_button_cools_the_air_of_clouds_and_takes_no_vapour() -> Result<()> {
        use crate::picture::{Drag, Touch};
        let (gpu, about) = (Gpu::headless()?, named("clouds").context("clouds")?);
        let read = |demo: &dyn Demo, name: &str| -> Result<f64> {
            let arrays = demo.arrays()?;
            let array = arrays.iter().find(|array| array.name == name).context(name.to_owned())?;
            Ok(array.f32s()?.iter().map(|&v| f64::from(v)).sum())
        };
        for (right, warmer) in [(false, true), (true, false)] {
            let mut demo = started(&gpu, about, values(about, of(&[("size", "16x12")]))?, None)?;
            assert!(demo.has_second_touch());
            let before = [read(&*demo, "theta")?, read(&*demo, "vapour")?];
            demo.touch(Touch::Cell {
                x: 8.0,
                y: 6.0,
                tip: 3.0.into(),
                drag: Drag { right, ..Drag::default() },
            })?;
            let [theta, vapour] = [read(&*demo, "theta")? - before[0], read(&*demo, "vapour")? - before[1]];
            assert!((theta > 0.1) == warmer && (theta < -0.1) != warmer, "{theta} K");
            assert_eq!(vapour > 0.0, warmer, "{vapour}");
        }
        Ok(())
    }

    /// Signed distances from the surface of the liquid, in voxels.
    fn distances(demo: &dyn Demo) -> Result<Vec<f32>> {
        Ok(demo.numbers()?.values.into_iter().skip(4).step_by(5).collect())
    }

    /// A sky goes on above the box to the upper edge of a place that is higher, and the mouse finds its cells all the same.
    #[test]
    fn a_sky_fills_a_place_that_is_higher_than_its_box() -> Result<()> {
        use crate::picture::{Drag, Layout, Touch};
        let (gpu, about) = (Gpu::headless()?, named("clouds").context("clouds")?);
        let asked = values(about, of(&[("size", "24x14"), ("scene", "stable")]))?;
        let request = Request { draws: true, ..Request::new(asked, Rc::new(TestHost::default())) };
        let mut demo = (about.start)(&gpu, &Rc::new(request))?;
        demo.prepare()?;
        assert_eq!(demo.picture().layout(3.0)?, Layout::Map { columns: 24, rows: 14 });
        // A part of the width where that fills it, two fifths at least: columns 7 to 16.
        assert_eq!(demo.picture().layout(1.0)?, Layout::Map { columns: 14, rows: 14 });
        assert_eq!(demo.picture().layout(0.4)?, Layout::Map { columns: 10, rows: 25 });
        // Half a cell above the ground: row 0 of the state, whose third plane is warmth.
        let warmth = |demo: &dyn Demo| -> Result<f32> { Ok(demo.numbers()?.values[2 * 24 * 15 + 12]) };
        let before = warmth(&*demo)?;
        demo.touch(Touch::Cell { x: 5.5, y: 24.5, tip: 2.0.into(), drag: Drag::default() })?;
        let after = warmth(&*demo)?;
        assert!(after > before + 0.1, "{before} {after}");
        Ok(())
    }

    /// Nine slices of 8 x 8, three a row with a line after each: slice 7 of 0 to 8 is the second of the third row.
    #[test]
    fn slices_of_a_box_are_poured_into_where_they_are_pressed() -> Result<()> {
        use crate::picture::{Drag, Touch};
        let (gpu, about) = (Gpu::headless()?, named("liquid").context("liquid")?);
        let asked = values(about, of(&[("size", "8x8x9"), ("view", "slices"), ("mouse", "pour")]))?;
        let request = Request { draws: true, ..Request::new(asked, Rc::new(TestHost::default())) };
        let mut demo = (about.start)(&gpu, &Rc::new(request))?;
        demo.prepare()?;
        assert_eq!(demo.picture().layout(1.0)?, crate::picture::Layout::Map { columns: 27, rows: 27 });
        let volume =
            |demo: &dyn Demo| -> Result<f64> { demo.findings()?["volume"].as_f64().context("no volume") };
        let first = volume(&*demo)?;
        let before = distances(&*demo)?;
        let drag = Drag::default();
        for [x, y] in [[8.5, 22.0], [13.0, 26.5]] {
            demo.touch(Touch::Cell { x, y, tip: 2.0.into(), drag })?;
            assert_eq!(volume(&*demo)?, first, "the line beside a slice");
        }
        demo.touch(Touch::Cell { x: 9.0 + 4.0, y: 18.0 + 4.0, tip: 2.0.into(), drag })?;
        let poured = volume(&*demo)? - first;
        // A ball of radius 2, of 33.5 voxels, in the middle of slice 7: its centre is 1.5 voxels below the ceiling.
        assert!((10.0..34.0).contains(&poured), "{poured} voxels");
        let after = distances(&*demo)?;
        let changed = (0..after.len()).filter(|&at| after[at] < before[at]);
        let deepest =
            changed.min_by(|&a, &b| after[a].total_cmp(&after[b])).context("nothing has changed")?;
        // 9 x 9 x 10 elements: one more a side than voxels.
        assert_eq!(deepest / 81, 7, "the slice of the new water's middle");
        Ok(())
    }

    #[test]
    fn a_stroke_on_slices_pushes_once_a_picture_and_as_fast_as_it_is() -> Result<()> {
        use crate::picture::{Drag, Touch};
        let (gpu, about) = (Gpu::headless()?, named("liquid").context("liquid")?);
        // The largest u behind touches that have moved so far, each in its picture or all in one.
        let fastest = |by: f32, touches: usize| -> Result<f32> {
            let asked = values(about, of(&[("size", "8x8x9"), ("view", "slices"), ("mouse", "push")]))?;
            let request = Request { draws: true, ..Request::new(asked, Rc::new(TestHost::default())) };
            let mut demo = (about.start)(&gpu, &Rc::new(request))?;
            for _ in 0..touches {
                let drag = Drag { by: [by, 0.0], ..Drag::default() };
                demo.touch(Touch::Cell { x: 4.0, y: 4.0, tip: 2.0.into(), drag })?;
            }
            demo.prepare()?;
            demo.prepare()?;
            Ok(demo.numbers()?.values.chunks(5).fold(0.0, |most, row| row[0].max(most)))
        };
        let (far, near) = (fastest(100.0, 1)?, fastest(0.25, 1)?);
        assert!(0.0 < near && near < 0.5 * far, "{near} of {far}");
        // Half the way, half the speed: exactly, but for rounding.
        assert!((fastest(0.125, 1)? / near - 0.5).abs() < 1e-5);
        assert_eq!(fastest(0.25, 5)?, near, "pieces of one stroke");
        Ok(())
    }

    #[test]
    fn a_boundary_is_offered_where_a_mesh_has_one() -> Result<()> {
        let (gpu, about) = (Gpu::headless()?, named("smooth").context("smooth")?);
        let boundary = about.param("boundary").context("boundary")?;
        for (mesh, live) in [("sheet", Live::Words), ("cube", Live::No)] {
            let demo = started(&gpu, about, values(about, of(&[("mesh", mesh), ("size", "2")]))?, None)?;
            assert_eq!(demo.offer(boundary).live, live, "{mesh}");
        }
        Ok(())
    }

    #[test]
    fn dye_may_be_lossy_where_it_is_kept_else() -> Result<()> {
        let (gpu, about) = (Gpu::headless()?, named("fluid").context("fluid")?);
        let lossy = about.param("lossy").context("lossy")?;
        for (scene, matters) in [("channel", false), ("cavity", true), ("plume", true)] {
            let first = values(about, of(&[("scene", scene), ("size", "17x17")]))?;
            let demo = started(&gpu, about, first, None)?;
            assert_eq!((lossy.matters)(&demo.values()), matters, "{scene}");
        }
        Ok(())
    }

    /// Steps of a loop that is on for some of them do not say how many passes lie behind the numbers.
    #[test]
    fn numbers_half_sorted_in_a_loop_go_on_when_it_is_off() -> Result<()> {
        let (gpu, about) = (Gpu::headless()?, named("sort").context("sort")?);
        // 32 numbers: 15 exchanges, in fewer passes, and as many steps of rest.
        for (first, many, then) in [("yes", 38, "no"), ("no", 60, "yes")] {
            let mut whole =
                started(&gpu, about, values(about, of(&[("size", "8x4"), ("loop", first)]))?, None)?;
            steps(&mut *whole, 0, many)?;
            whole.set(&values(about, of(&[("loop", then)]))?)?;
            steps(&mut *whole, many, 3)?;
            let state = saved(about, &*whole, many + 3)?;
            let kept = values(about, of(&[("size", "8x4"), ("loop", then)]))?;
            let mut rest = started(&gpu, about, kept.clone(), Some(state.clone()))?;
            for step in 0..20 {
                assert_eq!(rest.findings()?, whole.findings()?, "{first}, {step} steps later");
                assert!(rest.numbers()?.values == whole.numbers()?.values, "{first}, {step} steps later");
                steps(&mut *whole, many + 3 + step, 1)?;
                steps(&mut *rest, many + 3 + step, 1)?;
            }
            for (name, number) in [("passes_done", 99.0), ("rest", 16.0), ("rest", 0.5)] {
                let mut wrong = state.clone();
                wrong.values.insert(name.to_owned(), number.into());
                let refused = started(&gpu, about, kept.clone(), Some(wrong)).err();
                assert!(refused.is_some_and(|error| error.to_string().contains(name)), "{name} {number}");
            }
        }
        // A state of old: a pass a step.
        let mut old = started(&gpu, about, values(about, of(&[("size", "8x4")]))?, None)?;
        steps(&mut *old, 0, 4)?;
        let mut state = saved(about, &*old, 4)?;
        ["passes_done", "rest"].iter().for_each(|name| drop(state.values.remove(*name)));
        let rest = started(&gpu, about, values(about, of(&[("size", "8x4")]))?, Some(state))?;
        assert_eq!(rest.findings()?, old.findings()?);
        Ok(())
    }

    #[test]
    fn another_mesh_or_noise_has_the_seed_of_the_last_reset() -> Result<()> {
        let (gpu, about) = (Gpu::headless()?, named("smooth").context("smooth")?);
        let sphere = |noise: &str| values(about, of(&[("mesh", "sphere"), ("size", "1"), ("noise", noise)]));
        let mut changed = started(&gpu, about, sphere("0.1")?, None)?;
        changed.reset(7)?;
        changed.set(&values(about, of(&[("noise", "0.3")]))?)?;
        let mut fresh = started(&gpu, about, sphere("0.3")?, None)?;
        assert!(changed.numbers()?.values != fresh.numbers()?.values, "seed 1");
        fresh.reset(7)?;
        assert!(changed.numbers()?.values == fresh.numbers()?.values, "seed 7");
        Ok(())
    }

    #[test]
    fn noise_that_nobody_chose_is_that_of_the_mesh() -> Result<()> {
        let (gpu, about) = (Gpu::headless()?, named("smooth").context("smooth")?);
        for (flags, noise) in [(&[][..], 0.02), (&[("noise", "0.1")], 0.1)] {
            let first = values(about, of(&[("mesh", "a.obj")]).chain(of(flags)))?;
            let mut demo = started(&gpu, about, first, None)?;
            demo.set(&values(about, of(&[("mesh", "cube")]))?)?;
            assert_eq!(demo.values().real("noise"), Some(noise), "{flags:?}");
        }
        Ok(())
    }

    #[test]
    fn bubbles_that_were_asked_for_stay_in_another_scene() -> Result<()> {
        let (gpu, about) = (Gpu::headless()?, named("clouds").context("clouds")?);
        let none = &[("thermals", "0")][..];
        for (flags, windowless, expected) in [
            (none, false, [0, 0, 0]),
            (&[], false, [0, 12, 0]),
            (&[("thermals", "3")], false, [3, 3, 3]),
            (&[], true, [0, 0, 0]),
        ] {
            let first = values(about, of(&[("size", "12x10"), ("scene", "stable")]).chain(of(flags)))?;
            let request =
                Request { draws: true, windowless, ..Request::new(first, Rc::new(TestHost::default())) };
            let mut demo = (about.start)(&gpu, &Rc::new(request))?;
            let mut found = vec![demo.values().whole("thermals")];
            for scene in ["cumulus", "stable"] {
                demo.set(&values(about, of(&[("scene", scene)]))?)?;
                found.push(demo.values().whole("thermals"));
            }
            assert_eq!(found, expected.map(Some::<u32>), "{flags:?}");
        }
        Ok(())
    }

    #[test]
    fn another_scene_is_told_as_a_beginning_once_and_another_number_is_not() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (name, size, scene, number) in [
            ("nbody", ("bodies", "8"), ("scene", "collapse"), ("softening", "0.07")),
            ("fluid", ("size", "9x9"), ("scene", "cavity"), ("viscosity", "0.01")),
            ("clouds", ("size", "12x10"), ("scene", "towers"), ("wind", "3")),
            ("liquid", ("size", "6"), ("scene", "smoke"), ("gravity", "3")),
            ("formats", ("size", "32x32"), ("what", "orbit"), ("what", "orbit")),
            ("sandpile", ("size", "9x7"), ("scene", "rain"), ("rain", "3")),
            ("histogram", ("size", "9x7"), ("scene", "fog"), ("by", "gather")),
            ("sort", ("size", "9x7"), ("keys", "sine"), ("view", "network")),
            ("smooth", ("size", "16"), ("mesh", "knot"), ("tolerance", "1e-4")),
            ("smooth", ("size", "16"), ("noise", "0.3"), ("tolerance", "1e-4")),
        ] {
            let about = named(name).context(name)?;
            let mut demo = started(&gpu, about, values(about, of(&[size]))?, None)?;
            assert!(!demo.has_begun_anew(), "{name}");
            demo.set(&values(about, of(&[scene]))?)?;
            assert!(demo.has_begun_anew() && !demo.has_begun_anew(), "{name}");
            demo.set(&values(about, of(&[number]))?)?;
            assert!(!demo.has_begun_anew(), "{name}");
        }
        Ok(())
    }

    #[test]
    fn parameters_have_names_of_their_own_and_what_they_name_is_there() {
        for about in DEMOS {
            for (n, param) in about.params().enumerate() {
                let name = param.name;
                assert!(
                    !name.is_empty() && about.params().skip(n + 1).all(|other| other.name != name),
                    "{name}"
                );
                if let Kept::With(master) = param.kept {
                    assert!(about.param(master).is_some(), "{} {name}: no {master}", about.name);
                }
                // A default of one word is one of the choices.
                if matches!(param.kind, Kind::Choice(_)) && !param.default.contains(' ') {
                    assert!(param.usual().is_some(), "{} {name}: {}", about.name, param.default);
                }
            }
        }
    }
}
