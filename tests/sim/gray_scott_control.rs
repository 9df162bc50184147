//! Control of the simulation by a person: paint, reset, other parameters, another kernel.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use quadrille::gl::Edges;
use quadrille::sim::gray_scott::{GrayScott, Parameters, seed};
use quadrille::{Error, Gpu, Result};

use crate::support::{SIZES, on_gpu, refusal};

fn empty(gpu: &Gpu, width: u32, height: u32, edges: Edges) -> Result<GrayScott> {
    let state = [1.0, 0.0].repeat(width as usize * height as usize);
    GrayScott::from_state(gpu, width, height, Parameters::default(), edges, &state)
}

/// Returns true if a cell's centre lies within `radius` of (x, y), on a torus or not.
fn painted(cell: (u32, u32), size: (u32, u32), (x, y): (f32, f32), radius: f32, torus: bool) -> bool {
    let apart = |cell: u32, size: u32, c: f32| {
        let straight = (cell as f32 + 0.5 - c).abs();
        if torus { straight.min(size as f32 - straight) } else { straight }
    };
    apart(cell.0, size.0, x).hypot(apart(cell.1, size.1, y)) <= radius
}

#[test]
fn paint_fills_a_disc_and_wraps_around_a_torus_only() -> Result<()> {
    on_gpu(|gpu| {
        let size = (31, 23);
        for edges in [Edges::Repeat, Edges::Clamp] {
            for place in [(15.0, 11.0), (0.0, 0.0), (30.9, 22.9), (0.3, 11.0), (16.0, 22.75), (31.0, 0.2)] {
                for radius in [0.75, 3.3, 6.1] {
                    let mut simulation = empty(gpu, size.0, size.1, edges)?;
                    simulation.paint(place.0, place.1, radius)?;
                    for (i, found) in simulation.state().data()?.chunks_exact(2).enumerate() {
                        let cell = (i as u32 % size.0, i as u32 / size.0);
                        let inside = painted(cell, size, place, radius, edges == Edges::Repeat);
                        let expected = if inside { [0.5, 0.25] } else { [1.0, 0.0] };
                        assert_eq!(found, expected, "{cell:?}, {radius} around {place:?}, {edges:?}");
                    }
                }
            }
        }
        Ok(())
    })
}

#[test]
fn paint_anywhere_and_of_any_size_is_harmless() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let mut simulation = empty(gpu, width, height, Edges::Repeat)?;
            for (x, y, radius) in [
                (-1e9, 0.0, 5.0),
                (1e30, 1e30, 1.0),
                (f32::NAN, 0.0, 5.0),
                (0.0, 0.0, -3.0),
                (0.0, 0.0, f32::NAN),
                (f32::INFINITY, 1.0, 1.0),
            ] {
                simulation.paint(x, y, radius)?;
                let state = simulation.state().data()?;
                assert!(state.chunks_exact(2).all(|c| c == [1.0, 0.0]), "{x}, {y}, {radius}");
            }
            simulation.paint(width as f32 / 2.0, height as f32 / 2.0, 1e4)?;
            assert!(simulation.state().data()?.chunks_exact(2).all(|c| c == [0.5, 0.25]), "all of it");
            simulation.step()?;
        }
        Ok(())
    })
}

#[test]
fn paint_goes_into_the_newest_state() -> Result<()> {
    on_gpu(|gpu| {
        let mut simulation = empty(gpu, 16, 16, Edges::Repeat)?;
        for steps in 0..3 {
            simulation.paint(8.0, 8.0, 2.0)?;
            let middle = (8 * 16 + 8) * 2;
            assert_eq!(simulation.state().data()?[middle..middle + 2], [0.5, 0.25], "after {steps} steps");
            simulation.step()?;
        }
        Ok(())
    })
}

#[test]
fn parameters_that_make_no_sense_are_refused_and_the_old_ones_stay() -> Result<()> {
    on_gpu(|gpu| {
        let good = Parameters::default();
        let mut simulation = empty(gpu, 4, 4, Edges::Repeat)?;
        for (name, bad) in [
            ("F", Parameters { feed: -0.1, ..good }),
            ("F", Parameters { feed: f32::NAN, ..good }),
            ("k", Parameters { kill: f32::INFINITY, ..good }),
            ("Du", Parameters { du: 1.5, ..good }),
            ("Dv", Parameters { dv: -1e-9, ..good }),
        ] {
            let line = refusal(simulation.set_parameters(bad));
            assert!(line.starts_with(&format!("{name} = ")) && line.ends_with("expected 0 to 1"), "{line}");
            assert_eq!(simulation.parameters(), good);
            assert_eq!(refusal(GrayScott::new(gpu, 4, 4, bad, Edges::Repeat, 0)), line);
            simulation.step()?;
        }
        simulation.set_parameters(Parameters { feed: 0.0, kill: 1.0, du: 1.0, dv: 0.0 })?;
        assert!(refusal(GrayScott::new(gpu, 0, 4, good, Edges::Repeat, 0)).contains("has no elements"));
        let huge = refusal(GrayScott::new(gpu, 1 << 20, 1 << 20, good, Edges::Repeat, 0));
        assert!(huge.contains("width is 1048576"), "{huge}");
        let short = GrayScott::from_state(gpu, 2, 2, good, Edges::Repeat, &[0.0; 7]);
        assert!(refusal(short).contains("7 values given, 8 expected"));
        Ok(())
    })
}

#[test]
fn a_seed_gives_the_same_state_at_every_size_and_reset_goes_back_to_it() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let state = seed(width, height, 9);
            assert_eq!(state, seed(width, height, 9));
            assert_eq!(state.len(), 2 * width as usize * height as usize);
            assert!(state.chunks_exact(2).any(|c| c[1] > 0.2), "{width}x{height} has something to grow");
            let mut simulation = GrayScott::new(gpu, width, height, Parameters::default(), Edges::Repeat, 9)?;
            (0..5).try_for_each(|_| simulation.step())?;
            simulation.reset(9)?;
            assert_eq!(simulation.state().data()?, state);
        }
        assert!(seed(0, 7, 1).is_empty() && seed(7, 0, 1).is_empty());
        assert_ne!(seed(256, 128, 1), seed(256, 128, 2));
        Ok(())
    })
}

/// Writes a version of a kernel, dated so that it is newer than the last.
fn write(path: &Path, text: &str, version: u64) -> Result<()> {
    let date = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + version);
    let written = fs::write(path, text)
        .and_then(|()| File::options().write(true).open(path))
        .and_then(|file| file.set_modified(date));
    written.map_err(|cause| Error::Io { path: path.to_owned(), cause })
}

#[test]
fn a_watched_kernel_is_taken_over_and_one_that_does_not_fit_is_not() -> Result<()> {
    let path = std::env::temp_dir().join(format!("quadrille-{}-step.frag", std::process::id()));
    let good = include_str!("../../glsl/sim/gray_scott_step.frag");
    let outcome = on_gpu(|gpu| {
        write(&path, good, 0)?;
        let mut simulation = empty(gpu, 8, 8, Edges::Repeat)?;
        simulation.watch(&path);
        assert!(simulation.reload_if_changed()?, "the file stands for the built-in kernel from now on");
        assert!(!simulation.reload_if_changed()?);
        // The parameters' names are missing, the stream is missing, or it does not compile.
        let unfit = [
            "RANGE vec2 next; void main() { next = vec2(7.0); }",
            "uniform Stream concentration; DOMAIN at; RANGE vec2 n; void main() { n = value2(concentration, at).xy; }",
            "RANGE vec2 next; void main() { next = seven; }",
        ];
        for (version, text) in (1..).zip(unfit) {
            write(&path, text, version)?;
            assert!(!refusal(simulation.reload_if_changed()).is_empty(), "{text}");
            assert!(!simulation.reload_if_changed()?, "reported twice");
            simulation.step()?;
            assert!(simulation.state().data()?.chunks_exact(2).all(|c| (c[0] - 1.0).abs() < 1e-5));
        }
        write(&path, &good.replace("next = diffusion", "next = vec2(2.0, 3.0) + 0.0 * diffusion"), 10)?;
        assert!(simulation.reload_if_changed()?);
        simulation.step()?;
        assert!(simulation.state().data()?.chunks_exact(2).all(|c| c[0] > 1.9 && c[1] > 2.9));
        Ok(())
    });
    let _ = fs::remove_file(&path);
    outcome
}

#[test]
fn what_is_painted_is_erased_by_the_same_disc_and_nothing_else_is() -> Result<()> {
    on_gpu(|gpu| {
        for edges in [Edges::Repeat, Edges::Clamp] {
            let (width, height, place, radius) = (23, 17, (1.5, 9.0), 4.0);
            let state = seed(width, height, 3);
            let mut simulation =
                GrayScott::from_state(gpu, width, height, Parameters::default(), edges, &state)?;
            simulation.paint(place.0, place.1, radius)?;
            simulation.erase(place.0, place.1, radius)?;
            let found = simulation.state().data()?;
            for (i, (found, before)) in found.chunks(2).zip(state.chunks(2)).enumerate() {
                let cell = (i as u32 % width, i as u32 / width);
                let inside = painted(cell, (width, height), place, radius, edges == Edges::Repeat);
                assert_eq!(found, if inside { &[1.0, 0.0] } else { before }, "{cell:?}, {edges:?}");
            }
        }
        Ok(())
    })
}
