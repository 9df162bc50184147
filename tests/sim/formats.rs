//! The formats of Table 31-1 side by side, on GL and on GLES: errors in their order, panels, counters that stop.

use quadrille::gl::Edges;
use quadrille::pug::Precision::{self, Float16, Float16Ati, Float24, Float32};
use quadrille::sim::formats::{Comparison, Count, Counter, FORMATS, Look, Orbits, stores_halves_to_nearest};
use quadrille::sim::gray_scott::Parameters;
use quadrille::{Api, Gpu, Options, Result};
use quadrille_oracle as oracle;

use crate::support::{left_clean, on_gpu, refusal};

/// Runs a test in both dialects.
fn in_both(test: impl Fn(&Gpu) -> Result<()>) -> Result<()> {
    for api in [Api::Gl, Api::Gles] {
        left_clean(&Gpu::headless_with(Options { api: Some(api), ..Options::default() })?, &test)?;
    }
    Ok(())
}

fn gray_scott(gpu: &Gpu) -> Result<Comparison> {
    let (parameters, edges) = (Parameters::default(), Edges::Repeat);
    let exact = move |state: &[f64]| oracle::gray_scott::step(state, 61, 47, parameters.as_f64(), edges);
    Comparison::gray_scott(gpu, 61, 47, parameters, edges, 1, exact)
}

fn orbits(gpu: &Gpu, width: u32, height: u32, seed: u64) -> Result<Comparison> {
    let orbits = Orbits::default();
    let exact =
        move |state: &[f64]| oracle::orbit::step(state, orbits.time_step.into(), orbits.softening.into());
    Comparison::orbits(gpu, width, height, orbits, seed, exact)
}

/// A step that nothing is measured against.
fn none(state: &[f64]) -> Vec<f64> {
    state.to_vec()
}

fn all_of(gpu: &Gpu) -> Result<[Comparison; 3]> {
    let wave = oracle::wave::Wave { width: 61, height: 47, beta: 0.45f32.into(), reflecting: true };
    let wave = Comparison::wave(gpu, 61, 47, 0.45, 1, wave.of_pairs()?)?;
    Ok([gray_scott(gpu)?, wave, orbits(gpu, 61, 47, 1)?])
}

fn after(comparison: &mut Comparison, steps: u64) -> Result<Look> {
    (0..steps).try_for_each(|_| comparison.step())?;
    comparison.look()
}

/// The value of each format's last place below 1: what storing may change a number near 1 by.
fn last_place(format: Precision) -> f64 {
    1.0 / f64::from(format.whole_numbers())
}

#[test]
fn storing_alone_costs_at_most_a_last_place() -> Result<()> {
    in_both(|gpu| {
        for mut comparison in all_of(gpu)? {
            let look = comparison.look()?;
            assert_eq!((look.steps, look.misses[0].max), (0, 0.0), "32 bits hold the seed");
            for (format, miss) in FORMATS.into_iter().zip(look.misses).skip(1) {
                // No number of a seed is 2 or more; too small numbers of ATI's 16 bits become 0, below 2⁻¹⁵.
                assert!(miss.max > 0.0 && miss.max <= 2.0 * last_place(format), "{format:?} {miss:?}");
                assert!(miss.rms <= miss.max);
            }
        }
        Ok(())
    })
}

#[test]
fn fewer_bits_are_farther_from_f64() -> Result<()> {
    in_both(|gpu| {
        let nearest = stores_halves_to_nearest(gpu)?;
        for mut comparison in all_of(gpu)? {
            let [wide, middle, half, ati] = after(&mut comparison, 50)?.misses.map(|miss| miss.rms);
            // Seven bits and chopping lie between 32 and 24, six bits between 24 and 16 of ATI.
            assert!(wide * 64.0 < middle && middle * 16.0 < ati, "{wide:e} {middle:e} {ati:e}");
            // Chopped errors have one sign and add up, rounded ones cancel: a driver that rounds makes up for some bits.
            let most = if nearest { ati / 4.0 } else { ati * 1.25 };
            assert!(middle < half && half < most, "{middle:e} {half:e} {ati:e}, to nearest: {nearest}");
        }
        Ok(())
    })
}

#[test]
fn single_steps_in_32_bits_are_those_of_f64() -> Result<()> {
    in_both(|gpu| {
        // As parts of the largest number of a state. Gray-Scott: 16 roundings. Wave: 8 of sums up to 3 + 8 · 0.45 of it. Planets: two
        // roundings of a place, and of a speed two and, of the pull, which is below 10 and counts h/2 of itself, twice 21.
        let bounds = [16.0, 8.0 * 6.6, 8.0].map(|roundings| roundings * 2f64.powi(-24));
        for (mut comparison, bound) in all_of(gpu)?.into_iter().zip(bounds) {
            for _ in 0..20 {
                after(&mut comparison, 10)?;
                let read = |comparison: &Comparison| -> Result<Vec<f32>> {
                    comparison.state(0).map_or(Ok(Vec::new()), |state| state.data())
                };
                let before = read(&comparison)?;
                let exact = comparison.exact_step(&before);
                comparison.step()?;
                let found = read(&comparison)?;
                let miss =
                    found.iter().zip(&exact).map(|(&f, e)| (f64::from(f) - e).abs()).fold(0.0, f64::max);
                let largest = before.iter().fold(1.0, |most: f64, &v| most.max(f64::from(v).abs()));
                assert!(found.len() == exact.len() && miss <= bound * largest, "{miss:e}, {largest}");
            }
        }
        Ok(())
    })
}

#[test]
fn panels_are_exact_copies_of_the_states() -> Result<()> {
    in_both(|gpu| {
        let [gray_scott, wave, _] = all_of(gpu)?;
        for mut comparison in [gray_scott, wave] {
            after(&mut comparison, 30)?;
            comparison.refresh()?;
            let mut line = comparison.picture().data()?;
            let (columns, marked) = (comparison.picture().width() as usize, 77.0);
            for (format, precision) in FORMATS.into_iter().enumerate() {
                let place = comparison.place(format);
                assert_eq!((place.width(), place.height()), (61, 47));
                let panel = comparison.picture().data_of(place)?;
                let Some(state) = comparison.state(format) else { return Ok(()) };
                assert_eq!(state.precision(), precision);
                assert!(panel == state.data()?, "{precision:?}");
                for (x, y) in (place.y0..place.y1).flat_map(|y| (place.x0..place.x1).map(move |x| (x, y))) {
                    let texel = 2 * (y as usize * columns + x as usize);
                    line[texel..texel + 2].fill(marked);
                }
            }
            // The rest lies between the panels, all alike.
            line.retain(|&v| v != marked);
            assert_eq!(line.len(), 2 * (124 * 96 - 4 * 61 * 47));
            assert!(line.as_chunks::<2>().0.windows(2).all(|pair| pair[0] == pair[1]));
            assert!(comparison.state(FORMATS.len()).is_none());
        }
        Ok(())
    })
}

#[test]
fn every_planet_is_drawn_where_it_is() -> Result<()> {
    in_both(|gpu| {
        let mut orbits = orbits(gpu, 96, 64, 3)?;
        after(&mut orbits, 50)?;
        orbits.refresh()?;
        let texel = 2.0 * Orbits::EXTENT / 64.0;
        for format in 0..FORMATS.len() {
            let (panel, place) = (orbits.picture().data_of(orbits.place(format))?, orbits.place(format));
            let Some(state) = orbits.state(format) else { return Ok(()) };
            let planets = state.data()?;
            for at in planets.as_chunks::<4>().0.iter().map(|p| [p[0], p[1]]).chain([[0.0, 0.0]]) {
                // Upwards is up, so rows go down.
                let (column, row) = (at[0] / texel + 48.0, 32.0 - at[1] / texel);
                let index = row as usize * place.width() as usize + column as usize;
                assert_eq!(panel[index], 1.0, "format {format} at {at:?}");
            }
            let (lit, faded) =
                (panel.iter().filter(|&&v| v == 1.0).count(), panel.iter().filter(|&&v| v > 0.0).count());
            assert!((5..100).contains(&lit) && faded > lit && panel.iter().all(|v| (0.0..=1.0).contains(v)));
        }
        Ok(())
    })
}

#[test]
fn a_run_begins_again_with_the_same_bits() -> Result<()> {
    in_both(|gpu| {
        for mut comparison in all_of(gpu)? {
            let first = [after(&mut comparison, 7)?, after(&mut comparison, 20)?];
            assert_eq!(comparison.looks(), first);
            comparison.reset(1)?;
            assert_eq!((comparison.steps(), comparison.looks().len()), (0, 0));
            assert_eq!([after(&mut comparison, 7)?, after(&mut comparison, 20)?], first);
            comparison.reset(2)?;
            assert_ne!(after(&mut comparison, 7)?, first[0]);
            // A second look at the same step is the same look.
            comparison.look()?;
            assert_eq!(comparison.looks().len(), 1);
        }
        Ok(())
    })
}

#[test]
fn what_cannot_run_is_refused_with_what_could() -> Result<()> {
    in_both(|gpu| {
        let wave = |beta| refusal(Comparison::wave(gpu, 8, 8, beta, 1, none));
        assert_eq!(wave(0.6), "beta = 0.6: expected above 0, at most 0.5");
        assert!(wave(f32::NAN).starts_with("beta = NaN"));
        let orbits = |time_step, softening| {
            refusal(Comparison::orbits(gpu, 8, 8, Orbits { time_step, softening }, 1, none))
        };
        assert_eq!(orbits(0.2, 0.05), "time step = 0.2: expected above 0, at most 0.1");
        assert_eq!(orbits(0.01, 0.0), "softening = 0: expected 0.01 to 1");
        let empty = refusal(Comparison::orbits(gpu, 0, 8, Orbits::default(), 1, none));
        assert_eq!(empty, "a panel: size 0x8 has no elements");
        let most = gpu.limits().texture_size;
        let line = refusal(Comparison::wave(gpu, most / 2, 3, 0.4, 1, none));
        let told = format!(
            "a picture of two {}x3 panels each way: side is {}, the limit is {most}",
            most / 2,
            most + 2
        );
        assert_eq!(line, told);
        let line = refusal(Counter::new(gpu, 24, 32));
        assert_eq!(line, "size of a panel of counters = 24x32: expected at least 25x32");
        let short = refusal(gray_scott(gpu)?.begin(&[0.0; 3]));
        assert!(short.contains('3') && short.contains("61x47"), "{short}");
        let halved = |state: &[f64]| state[..8].to_vec();
        let mut comparison = Comparison::orbits(gpu, 8, 8, Orbits::default(), 1, halved)?;
        let line = refusal(comparison.step());
        assert!(line.starts_with("step of a comparison in f64: ") && comparison.steps() == 0, "{line}");
        Ok(())
    })
}

fn counted(counter: &mut Counter, steps: u64) -> Result<Vec<Count>> {
    (0..steps).try_for_each(|_| counter.step())?;
    counter.look()
}

#[test]
fn counters_stop_exactly_where_table_31_1_says() -> Result<()> {
    in_both(|gpu| {
        let mut counter = Counter::new(gpu, 25, 32)?;
        for (steps, made) in [(0, 0), (8, 8), (1, 9), (20, 29)] {
            for (format, count) in FORMATS.into_iter().zip(counted(&mut counter, steps)?) {
                let most = format.whole_numbers() as f32;
                for (start, found) in Counter::starts().into_iter().zip(&count.counted) {
                    let exact = (start + made as f32).min(most);
                    assert!(start > most || *found == exact, "{format:?}: {start} + {made} is {found}");
                }
                let stopped = (made > 8).then_some(most);
                assert_eq!(count.stopped, stopped, "{format:?} after {made}");
            }
        }
        Ok(())
    })
}

/// All the way from 0: nothing is missed and nothing counted twice.
#[test]
fn sixteen_bits_count_from_0_to_2048_and_no_further() -> Result<()> {
    in_both(|gpu| {
        let mut counter = Counter::new(gpu, 25, 32)?;
        for n in 1..=2100u32 {
            counter.step()?;
            if n.is_multiple_of(100) || (2045..2052).contains(&n) {
                for (format, count) in FORMATS.into_iter().zip(counter.look()?) {
                    let expected = if matches!(format, Float16 | Float16Ati) { n.min(2048) } else { n };
                    assert_eq!(count.counted[0], expected as f32, "{format:?}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn the_picture_of_counters_is_counted_minus_true() -> Result<()> {
    in_both(|gpu| {
        // Two texels a counter and three bands of two rows among thirty of one.
        let (mut counter, starts) = (Counter::new(gpu, 50, 35)?, Counter::starts());
        counted(&mut counter, 20)?;
        for (format, precision) in FORMATS.into_iter().enumerate() {
            let panel = counter.picture().data_of(counter.place(format))?;
            let (rows, _) = panel.as_chunks::<50>();
            for step in 0..20u32 {
                let row = (step * 35 / 32) as usize;
                for (column, start) in
                    starts.iter().enumerate().filter(|c| *c.1 < precision.whole_numbers() as f32)
                {
                    let exact = f64::from(*start) + f64::from(step + 1);
                    let miss = (f64::from(precision.whole_numbers()) - exact).min(0.0);
                    assert_eq!(
                        rows[row][2 * column..2 * column + 2],
                        [miss as f32; 2],
                        "{precision:?} step {step}"
                    );
                }
            }
            assert!(rows[20 * 35 / 32..].iter().flatten().all(|&v| v == 0.0), "nothing is drawn ahead");
        }
        counter.reset()?;
        let panel = counter.picture().data_of(counter.place(3))?;
        assert!(counter.steps() == 0 && panel.iter().all(|&v| v == 0.0));
        Ok(())
    })
}

#[test]
fn the_four_formats_are_those_of_the_table() {
    assert_eq!(FORMATS, [Float32, Float24, Float16, Float16Ati]);
    assert_eq!(FORMATS.map(Precision::whole_numbers), [16_777_216, 131_072, 2048, 2048]);
}

/// A row of one number stands for all rows; the largest miss is that of the largest whole number.
#[test]
fn a_miss_is_what_was_counted_less_what_is_true() -> Result<()> {
    on_gpu(|gpu| {
        let row = |values: &[f32]| gpu.buffer(4, 1).init(values);
        let (count, start, target) =
            (row(&[10.0, 3.0, 5.0, 1e9])?, row(&[1.0, 2.0, 1e9, 0.0])?, gpu.buffer(4, 1).build()?);
        let mut program = gpu.builtin("sim/counter_miss.frag")?;
        program
            .bind_stream("count", &count)?
            .bind_stream("start", &start)?
            .bind_float("steps", 4.0)?
            .run(&target)?;
        assert_eq!(target.data()?, [5.0, -3.0, -16_777_216.0, 16_777_216.0]);
        Ok(())
    })
}
