//! One choice made in five ways, and a loop that ends early: the same results as in f64.

use quadrille::gl::Kernel;
use quadrille::pug::Cull;
use quadrille::{Gpu, Result, kernels};

use crate::support::{Random, SIZES, on_gpu};

const LINE: [f32; 2] = [0.9, 0.25];

fn work(side: u32, steps: u32) -> Result<Kernel> {
    Ok(kernels::named("flow/regions_work.frag")?.define("SIDE", side).define("STEPS", steps))
}

/// m x + c as often as it is applied there, in f64.
fn worked(x: f32, steps: u32) -> f64 {
    (0..steps).fold(f64::from(x), |x, _| f64::from(LINE[0]) * x + f64::from(LINE[1]))
}

#[test]
fn branch_arithmetic_and_masks_agree_with_f64_for_regions_of_every_side() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let mut random = Random(3);
            let x: Vec<f32> = (0..n).map(|_| 4.0 * random.unit() - 2.0).collect();
            let values = gpu.buffer(width, height).init(&x)?;
            for (steps, side) in [2, 100].into_iter().flat_map(|s| [1, 2, 4, 8, 16, 32, 64].map(|r| (s, r))) {
                let found = in_every_way(gpu, &values, steps, side)?;
                for (i, &x) in x.iter().enumerate() {
                    let (column, row) = (i as u32 % width, i as u32 / width);
                    let heavy = (column / side + row / side) % 2 == 1;
                    let expected = worked(x, if heavy { steps } else { 1 });
                    // Two roundings a step of numbers below 4, which each later step shrinks by 0.9: ten steps' worth.
                    let bound = 10.0 * 2.0 * f64::from(f32::EPSILON);
                    for (way, found) in &found {
                        let error = (f64::from(found[i]) - expected).abs();
                        assert!(error <= bound, "{way}, {i} of {width}x{height}, regions of {side}: {error}");
                    }
                }
            }
        }
        Ok(())
    })
}

/// The result of each way to choose.
fn in_every_way(
    gpu: &Gpu,
    values: &quadrille::Buffer,
    steps: u32,
    side: u32,
) -> Result<Vec<(&'static str, Vec<f32>)>> {
    let target = gpu.buffer(values.width(), values.height()).build()?;
    let load = |variant| -> Result<_> {
        let mut program = gpu.load(work(variant, steps)?)?;
        program.bind_stream("values", values)?.bind_float("line", LINE)?;
        Ok(program)
    };
    let mut found = Vec::new();
    for (way, variant) in [("branch", 0), ("arithmetic", 1)] {
        load(variant)?.bind_float("squares", 1.0 / side as f32)?.run(&target)?;
        found.push((way, target.data()?));
    }
    let (light, heavy) = (load(2)?, load(3)?);
    let mut open_where_heavy = gpu.load(work(4, steps)?)?;
    open_where_heavy.bind_float("squares", 1.0 / side as f32)?;
    let masks = [("z-cull", Cull::depth as fn(_, _, _) -> _), ("stencil-cull", Cull::stencil)];
    for (way, mask) in masks {
        let mask = mask(gpu, values.width(), values.height())?;
        mask.draw(&open_where_heavy)?;
        mask.only(heavy.onto(&[&target])).run()?;
        mask.except(light.onto(&[&target])).run()?;
        found.push((way, target.data()?));
    }
    Ok(found)
}

const TRIPS: u32 = 256;
const ORIGIN: [f32; 2] = [-2.0, -1.25];
/// A power of two: every c is a float.
const PITCH: f32 = 1.0 / 32.0;

/// How often z → z² + c is applied in f64, and whether f32 is certain to find the same: an error e of z grows to
/// 2|z|e + e² and a few roundings of |z|² + |c| in a trip, and no |z|² came within its error of 4.
fn orbit(c: (f64, f64)) -> (u32, bool) {
    let (mut x, mut y, mut error, mut certain) = (0.0f64, 0.0f64, 0.0f64, true);
    for trip in 0..TRIPS {
        let square = x * x + y * y;
        let doubt = 2.0 * square.sqrt() * error + error * error + 4.0 * f64::from(f32::EPSILON) * square;
        certain &= (square - 4.0).abs() > doubt;
        if square > 4.0 {
            return (trip, certain);
        }
        (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
        error = doubt + 4.0 * f64::from(f32::EPSILON) * (square + c.0.hypot(c.1));
    }
    (TRIPS, certain)
}

#[test]
fn a_loop_that_ends_early_counts_as_the_one_that_goes_on() -> Result<()> {
    on_gpu(|gpu| {
        let counts = |exit: u32| -> Result<Vec<f32>> {
            let kernel = kernels::named("flow/orbit_count.frag")?.define("EXIT", exit).define("TRIPS", TRIPS);
            let mut program = gpu.load(kernel)?;
            program.bind_float("origin", ORIGIN)?.bind_float("pitch", PITCH)?;
            let target = gpu.buffer(83, 80).build()?;
            program.run(&target)?;
            target.data()
        };
        let at = |i: usize| {
            let [x, y] = [i % 83, i / 83].map(|v| v as f64 * f64::from(PITCH));
            (f64::from(ORIGIN[0]) + x, f64::from(ORIGIN[1]) + y)
        };
        let mut certain = 0;
        for (i, (whole, early)) in counts(0)?.into_iter().zip(counts(1)?).enumerate() {
            let (expected, sure) = orbit(at(i));
            if sure {
                certain += 1;
                assert_eq!((whole, early), (expected as f32, expected as f32), "texel {i}");
            }
        }
        assert!(certain > 83 * 80 / 2, "{certain}: an orbit that stays forever may be in doubt");
        println!("{certain} of {} orbits are certain in f32", 83 * 80);
        Ok(())
    })
}
