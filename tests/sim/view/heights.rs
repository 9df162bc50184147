//! Passes over heights: a ball that floats, two fields beside each other, and walls.

use quadrille::{Result, kernels};

use super::U;
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
