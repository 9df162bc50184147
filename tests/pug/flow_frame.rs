//! Static branch resolution: ranges that cover a grid once, and kernels of their own for interior and edges.

use quadrille::pug::frame;
use quadrille::{Buffer, Gpu, Program, Rect, Result, kernels};

use crate::support::{Random, SIZES, on_gpu};

#[test]
fn interior_and_edges_cover_every_texel_once() {
    let offsets = [Rect::whole(0, 0), Rect::new(7, 3, 7, 3)];
    for &(w, h) in SIZES.iter().chain(&[(5, 4), (4, 5), (2, 2), (4, 4), (6, 7)]) {
        for width in [0, 1, 2, 3, 5, 100, u32::MAX] {
            for Rect { x0, y0, .. } in offsets {
                let whole = Rect::new(x0, y0, x0 + w, y0 + h);
                let (interior, edges) = frame(whole, width);
                let all: Vec<Rect> = interior.into_iter().chain(edges.iter().copied()).collect();
                let inside = |r: &Rect, x, y| (r.x0..r.x1).contains(&x) && (r.y0..r.y1).contains(&y);
                for (x, y) in (y0..y0 + h).flat_map(|y| (x0..x0 + w).map(move |x| (x, y))) {
                    let covered = all.iter().filter(|r| inside(r, x, y)).count();
                    assert_eq!(covered, 1, "({x}, {y}) of {whole} at {width}");
                    let from_edge = (x - x0).min(x0 + w - 1 - x).min(y - y0).min(y0 + h - 1 - y);
                    let expected = from_edge >= width;
                    assert_eq!(interior.is_some_and(|r| inside(&r, x, y)), expected, "{whole} at {width}");
                }
                assert_eq!(all.iter().map(Rect::area).sum::<usize>(), whole.area(), "{whole} at {width}");
                assert!(all.iter().all(|r| r.area() > 0));
            }
        }
    }
    assert_eq!(frame(Rect::whole(0, 9), 1), (None, vec![]));
    assert_eq!(frame(Rect::whole(0, 0), 0), (None, vec![]));
}

const R: f32 = 0.2;
const LOSS: f32 = 0.05;

fn cool(gpu: &Gpu, place: u32, plate: &Buffer) -> Result<Program> {
    let mut program = gpu.load(kernels::named("flow/plate_cool.frag")?.define("PLACE", place))?;
    program.bind_stream("plate", plate)?.bind_float("r", R)?;
    if place != 1 {
        program.bind_float("loss", LOSS)?;
    }
    Ok(program)
}

/// One step in f64: u + r (sum of the neighbours − 4u) − loss s u⁴, with nothing flowing through the rim.
fn cooled(u: &[f32], width: u32, height: u32) -> Vec<f64> {
    let (w, h) = (width as i64, height as i64);
    let at = |x: i64, y: i64| f64::from(u[(y.clamp(0, h - 1) * w + x.clamp(0, w - 1)) as usize]);
    let step = |x: i64, y: i64| {
        let here = at(x, y);
        let sum = at(x + 1, y) + at(x - 1, y) + at(x, y + 1) + at(x, y - 1);
        let sides = [x == 0, y == 0, x == w - 1, y == h - 1].into_iter().filter(|side| *side).count();
        let lost = f64::from(LOSS) * sides as f64 * here.powi(4);
        here + f64::from(R) * (sum - 4.0 * here) - lost
    };
    (0..h).flat_map(|y| (0..w).map(move |x| (x, y))).map(|(x, y)| step(x, y)).collect()
}

/// How many floats lie between two positive ones.
fn ulps(a: f32, b: f32) -> u32 {
    a.to_bits().abs_diff(b.to_bits())
}

#[test]
fn kernels_for_interior_and_edges_are_within_2_ulp_of_the_one_that_branches() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let mut random = Random(11);
            let values: Vec<f32> =
                (0..width as usize * height as usize).map(|_| 0.5 + random.unit()).collect();
            let plate = gpu.buffer(width, height).init(&values)?;
            let (branching, resolved) = (gpu.buffer(width, height), gpu.buffer(width, height));
            let (branching, resolved) = (branching.build()?, resolved.build()?);
            cool(gpu, 0, &plate)?.run(&branching)?;
            let (inner, rim) = (cool(gpu, 1, &plate)?, cool(gpu, 2, &plate)?);
            let (interior, edges) = frame(resolved.rect(), 1);
            interior.map_or(Ok(()), |interior| inner.run_over(&resolved, interior))?;
            edges.iter().try_for_each(|&edge| rim.run_over(&resolved, edge))?;
            let (branching, resolved) = (branching.data()?, resolved.data()?);
            // Twelve roundings of numbers below 8.
            let bound = 12.0 * 2.0 * f64::from(f32::EPSILON);
            for (i, expected) in cooled(&values, width, height).into_iter().enumerate() {
                let place = format!("texel {i} of {width}x{height}");
                assert!(ulps(branching[i], resolved[i]) <= 2, "{place}: {} {}", branching[i], resolved[i]);
                assert!((f64::from(resolved[i]) - expected).abs() <= bound, "{place}: {expected}");
            }
        }
        Ok(())
    })
}
