//! Passes over heights: a ball that floats, two fields beside each other, and walls.

use quadrille::{Result, kernels};

use super::{U, of_points, untouched, wide};
use crate::support::{Random, on_gpu};

const SIZE: [u32; 2] = [11, 7];
const COUNT: usize = (SIZE[0] * SIZE[1]) as usize;

/// A height that the ball's pass takes: beyond 10³⁰, and no number, counts as 0.
fn taken(height: f32) -> f64 {
    if height.abs() < 1e30 { height.into() } else { 0.0 }
}

#[test]
fn a_ball_floats_on_the_mean_of_nine_heights_under_it() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(2);
        let mut heights = random.floats(COUNT);
        for (place, wild) in [(13, f32::NAN), (25, f32::INFINITY), (37, -2e30), (46, f32::NEG_INFINITY)] {
            heights[place] = wild;
        }
        let stream = gpu.buffer(SIZE[0], SIZE[1]).init(&heights)?;
        let mut program = gpu.load(kernels::named("view/pool_ball.frag")?)?;
        program.bind_stream("heights", &stream)?;
        let half = [0.55f32, 0.35];
        // Far from places where a step of 0.8 or 0.56 radii leads from one cell into another.
        for (ball, cell, relief) in [
            ([5.45f32, 3.55, 0.2, 0.07], 0.1f32, 0.5f32),
            ([5.45, 3.55, 0.03, 0.01], 0.1, 0.3),
            ([0.3, 6.8, 0.31, 0.1], 0.1, 0.4),
            ([-3.2, 20.1, 0.17, -0.1], 0.07, 0.6),
            ([9.4, 1.3, 0.4, 0.2], 0.1, -0.7),
            ([2.4, 4.7, 0.24, 0.02], 0.1, 9.0),
            ([7.4, 2.7, 0.24, 0.02], 0.1, -9.0),
        ] {
            program.bind_float("ball", ball)?.bind_float("half_sides", half)?;
            program.bind_float("cell", cell)?.bind_float("relief", relief)?;
            let target = gpu.buffer(1, 1).components(4).build()?;
            program.run(&target)?;
            let found = target.data()?;
            let ([x, y, radius, draught], cell) = (ball.map(f64::from), f64::from(cell));
            let (far, near) = (0.8 * radius / cell, 0.56 * radius / cell);
            let around = [
                [0.0, 0.0],
                [far, 0.0],
                [-far, 0.0],
                [0.0, far],
                [0.0, -far],
                [near, near],
                [-near, -near],
                [near, -near],
                [-near, near],
            ];
            let mut sum = 0.0;
            for [dx, dy] in around {
                let place = [x + dx, y + dy];
                for (axis, at) in place.into_iter().enumerate() {
                    let to_next = (at - at.round()).abs();
                    assert!(to_next > 1e-3, "{ball:?}: {at} on axis {axis} lies between cells");
                }
                let [column, row] =
                    [0, 1].map(|axis| place[axis].floor().clamp(0.0, f64::from(SIZE[axis] - 1)) as usize);
                sum += taken(heights[row * SIZE[0] as usize + column]);
            }
            let y_mean = (f64::from(relief) * sum / 9.0).clamp(-1.0, 1.0);
            let [half_x, half_z] = half.map(f64::from);
            let expected = [x * cell - half_x, y_mean + draught, y * cell - half_z, radius];
            for (found, expected) in found.iter().zip(expected) {
                // A dozen roundings of numbers up to 9.
                assert!((f64::from(*found) - expected).abs() < 128.0 * U, "{ball:?}: {found}, {expected}");
            }
        }
        Ok(())
    })
}

#[test]
fn the_left_half_of_one_field_stands_beside_the_right_half_of_another() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height) in [(1, 1), (2, 3), (5, 2), (8, 1), (31, 57)] {
            let numbers = |from: u32| (0..width * height).map(|i| (i + from) as f32).collect::<Vec<_>>();
            let (left, right) = (numbers(0), numbers(10_000));
            let mut program = gpu.builtin("view/heights_join.frag")?;
            program.bind_stream("left", &gpu.buffer(width, height).init(&left)?)?;
            program.bind_stream("right", &gpu.buffer(width, height).init(&right)?)?;
            let target = gpu.buffer(width, height).build()?;
            program.run(&target)?;
            // The column in the middle of an odd number is the right field's.
            let of = |i: usize| if (i as u32 % width) < width / 2 { left[i] } else { right[i] };
            let expected: Vec<f32> = (0..left.len()).map(of).collect();
            assert_eq!(target.data()?, expected, "{width}x{height}");
        }
        Ok(())
    })
}

#[test]
fn a_wall_has_its_number_of_the_pool_or_of_the_map_and_water_its_height() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(4);
        let heights = random.floats(COUNT);
        let walls: Vec<[f32; 2]> = (0..COUNT)
            .map(|i| match i % 3 {
                0 => [0.5 + i as f32, -1.0 - i as f32],
                1 => [0.0, 5.0],
                _ => [-2.0, 7.0],
            })
            .collect();
        let size = || gpu.buffer(SIZE[0], SIZE[1]);
        let mut program = gpu.builtin("view/heights_walls.frag")?;
        program.bind_stream("heights", &size().init(&heights)?)?;
        program.bind_stream("walls", &size().components(2).init(walls.as_flattened())?)?;
        for which in [0, 1] {
            let target = size().build()?;
            program.bind_float("which", which as f32)?.bind_domain("coords", target.rect())?.run(&target)?;
            let of = |i: usize| if walls[i][0] > 0.0 { walls[i][which] } else { heights[i] };
            let expected: Vec<f32> = (0..COUNT).map(of).collect();
            assert_eq!(target.data()?, expected, "{which}");
        }
        Ok(())
    })
}

/// The number of sixteen bits that two of the four numbers of a texel hold as bytes.
fn of_bytes(high: f32, low: f32) -> f32 {
    256.0 * (255.0 * high).round() + (255.0 * low).round()
}

#[test]
fn a_texel_of_the_water_holds_where_it_looks_and_one_of_a_wall_how_deep() -> Result<()> {
    on_gpu(|gpu| {
        let half = [0.55f32, 0.35];
        let ([x, z], mut random) = (wide(half), Random(9));
        let mut number = || f64::from(random.unit());
        let (mut places, mut belows, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        while places.len() < COUNT {
            // Water first, then walls at both ends of x and of z; a wall's foot may lie beyond a depth of 1.
            let (kind, [u, v, deep]) = (places.len() % 5, [number(), number(), 1.2 * number()]);
            let at = |share: f64, half: f64| (2.0 * share - 1.0) * half;
            let place = match kind {
                0 => [at(u, x), at(v, z)],
                1 | 2 => [at((kind - 1) as f64, x), at(v, z)],
                _ => [at(u, x), at((kind - 3) as f64, z)],
            };
            let place = place.map(|part| part as f32);
            let below = if kind == 0 { 0.0 } else { deep as f32 };
            let [u, v] = [0.5 + 0.5 * f64::from(place[0]) / x, 0.5 + 0.5 * f64::from(place[1]) / z];
            let first = 65535.0 * if kind == 1 || kind == 2 { v } else { u };
            let second = match kind {
                0 => 1.0 + 49150.0 * v,
                _ => {
                    let side = (kind - 1) as f64;
                    49152.0 + 4096.0 * side + 4095.0 * f64::from(below).min(1.0).sqrt()
                }
            };
            // Each is off by some ten roundings of 2^-24 of 65535: nearer to a half it may go either way.
            if [first, second].iter().all(|number| (number.fract() - 0.5).abs() > 0.04) {
                places.push([place[0], 0.0, place[1], 0.0]);
                belows.push(below);
                expected.push([first, second].map(|number| number.round() as f32));
            }
        }
        let mut program =
            of_points(gpu, kernels::named("view/water_seen.frag")?, &[("place", 3), ("below", 1)])?;
        let size = || gpu.buffer(SIZE[0], SIZE[1]);
        program
            .bind_stream("of_place", &size().components(4).init(places.as_flattened())?)?
            .bind_stream("of_below", &size().init(&belows)?)?
            .bind_float("half_sides", half)?;
        let target = untouched(gpu, SIZE)?;
        program.onto(&[&target]).counted_points(COUNT as u32).run()?;
        let found: Vec<[f32; 2]> = (target.data()?.as_chunks::<4>().0.iter())
            .map(|&[a, b, c, d]| [of_bytes(a, b), of_bytes(c, d)])
            .collect();
        assert_eq!(found, expected);
        Ok(())
    })
}
