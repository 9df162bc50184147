//! Runs every program of `examples/`: each holds itself against what it should find, and has its passes drawn for docs/library.md.

use std::path::PathBuf;

use quadrille::testing;
use quadrille::trace::{Recorder, Watch};

/// The first pass of a picture and how many it has, where those are not the first four: passes that show what is done.
const SHOWN: &[(&str, u64, u64)] = &[
    ("conjugate_gradients", 61, 6),
    ("gray_scott", 2000, 1),
    ("heat", 12, 3),
    ("own_operator", 41, 4),
    ("own_preconditioner", 1, 3),
    ("particles", 60, 2),
];

/// The name of a picture in `docs/figures/examples`.
fn shown(name: &str) -> String {
    format!("{name}.{}", if name == "shader_test" { "png" } else { "svg" })
}

fn picture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "docs/figures/examples", &shown(name)].iter().collect()
}

/// An application's shader is no pass, so no strip has it: the scene, brighter from left to right, and below it what the shader makes of it.
fn draw_tone_map() -> quadrille::Result<()> {
    const SIDES: [u32; 2] = [256, 64];
    let gpu = testing::gpu()?;
    let scene = testing::Image::from_fn(SIDES[0], SIDES[1], |x, y| {
        let hue = [0.0, 2.0, 4.0].map(|turn: f32| 0.55 + 0.45 * (y as f32 / 10.0 + turn).cos());
        let [r, g, b] = hue.map(|part| part * 8.0 * x as f32 / SIDES[0] as f32);
        [r, g, b, 1.0]
    });
    let mut shader = gpu.shader(programs::shader_test::TONE_MAP)?;
    let mapped = shader.set("white", 4.0)?.texture("scene", &scene)?.draw(SIDES[0], SIDES[1])?;
    let both = testing::Image::from_fn(SIDES[0], 2 * SIDES[1], |x, y| {
        // Row 0 is the lowest.
        let (image, row) = if y < SIDES[1] { (&mapped, y) } else { (&scene, y - SIDES[1]) };
        let first = 4 * (row * SIDES[0] + x) as usize;
        [0, 1, 2].map(|channel| image.values()[first + channel].clamp(0.0, 1.0))
    });
    both.save(picture("shader_test"))
}

/// Runs a program and draws its passes.
fn draw(name: &str, main: fn() -> quadrille::Result<()>) -> quadrille::Result<()> {
    let shown = SHOWN.iter().find(|(known, ..)| *known == name);
    let (from, passes) = shown.map_or((1, 4), |&(_, from, passes)| (from, passes));
    match name {
        "inspector" => return Ok(()), // it records itself
        "shader_test" => return draw_tone_map(),
        _ => {}
    }
    let (ended, recorder) = Recorder::of_first(Watch { from, passes, ..Watch::strip() }, main);
    ended?;
    let strip = recorder.map(Recorder::end).unwrap_or_default().strip(None)?;
    let file = picture(name);
    std::fs::write(&file, strip).map_err(|cause| quadrille::Error::Io { path: file, cause })
}

macro_rules! run {
    ($($name:ident)*) => {
        #[path = "../../examples"]
        mod programs {
            $(pub mod $name;)*
        }

        $(
            #[test]
            fn $name() -> quadrille::Result<()> {
                programs::$name::main()
            }
        )*

        /// Called by `make figures`.
        #[test]
        #[ignore = "writes docs/figures/examples"]
        fn draws_the_pictures() -> quadrille::Result<()> {
            $(draw(stringify!($name), programs::$name::main)?;)*
            Ok(())
        }

        /// The inspector and the window have photographs.
        #[test]
        fn every_example_has_its_picture() {
            let page = include_str!("../../docs/library.md");
            for name in [$(stringify!($name)),*] {
                let shown = if name == "inspector" { "figures/inspector-offset.png".to_owned() } else { format!("figures/examples/{}", shown(name)) };
                assert!(page.contains(&format!("]({shown})")), "docs/library.md shows {shown}");
                assert!(name == "inspector" || picture(name).exists(), "make figures draws {shown}");
            }
        }

        /// An example that nobody runs is not in the list.
        #[test]
        fn every_example_is_run() -> std::io::Result<()> {
            let mut found = Vec::new();
            for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples"))? {
                found.extend(file?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
            }
            found.sort();
            let page = include_str!("../../docs/library.md");
            let unlisted = found.iter().find(|name| !page.contains(&format!("| `examples/{name}.rs` | ")));
            assert_eq!(unlisted, None, "docs/library.md lists them");
            // It needs the main thread and a screen: demos/program/tests/window runs it.
            assert_eq!(found, [$(stringify!($name),)* "window"]);
            Ok(())
        }
    };
}

run! { argmax conjugate_gradients convolution double gray_scott heat histogram in_order inspector life own_operator own_preconditioner particles shader_test sum two_targets until }
