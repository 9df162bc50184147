//! The kernels that ask a driver, with questions whose answer is another than that of a good driver.

use quadrille::layout::Edges;
use quadrille::{Gpu, Result, kernels};

use crate::support::on_gpu;

/// The answer of a probe's kernel to these numbers.
fn answer(gpu: &Gpu, name: &str, numbers: &[(&str, f32)]) -> Result<Vec<f32>> {
    let mut program = gpu.load(kernels::named(name)?)?;
    for (constant, value) in numbers {
        program.bind_float(*constant, *value)?;
    }
    let target = gpu.buffer(1, 1).components(4).build()?;
    program.run(&target)?;
    target.data()
}

/// A texel that holds another number is missed where it is read, twice, and by its neighbour.
#[test]
fn a_texel_that_is_not_where_it_is_looked_for_is_missed() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = gpu.builtin("probe/addressing.frag")?;
        for (width, height) in [(1, 1), (2, 1), (9, 1), (1, 9), (1, 2)] {
            let n = width.max(height) as usize;
            for wrong in [None, Some(0), Some(n / 2), Some(n - 1)] {
                for by in [0.25, -3.0] {
                    let index: Vec<f32> =
                        (0..n).map(|i| i as f32 + if Some(i) == wrong { by } else { 0.0 }).collect();
                    let source = gpu.buffer(width, height).edges(Edges::Repeat).init(&index)?;
                    let target = gpu.buffer(width, height).components(4).build()?;
                    program
                        .bind_stream("index", &source)?
                        .bind_domain("coords", target.rect())?
                        .run(&target)?;
                    let off = |i: usize| (index[i % n] - (i % n) as f32).abs();
                    let expected: Vec<f32> = (0..n).flat_map(|i| [2.0 * off(i) + off(i + 1); 4]).collect();
                    assert_eq!(target.data()?, expected, "{width}x{height}, {wrong:?}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn arithmetic_is_asked_by_its_numbers() -> Result<()> {
    on_gpu(|gpu| {
        for (big, zero, tiny, eight, a, c, expected) in [
            (2.0, 3.0, 1.0, 8.0, 3.0, -9.0, [0.0, 12.0, 1.0, 0.0]),
            (1e10, 0.0, 1.0, 4.0, 3.0, 9.0, [0.0, 0.0, 0.0, 1.0]),
            (3e38, 1.0, 2.0, 2.0, 3.0, -8.0, [1.0, f32::INFINITY, 0.0, 1.0]),
        ] {
            let numbers = [
                ("big", big),
                ("zero", zero),
                ("tiny", tiny),
                ("quarter", 0.25),
                ("eight", eight),
                ("a", a),
                ("c", c),
            ];
            assert_eq!(answer(gpu, "probe/arithmetic.frag", &numbers)?, expected);
        }
        Ok(())
    })
}

/// Halved, 24 bits are left behind after 23 times; divided by 2^40, at once; by one, never, and the probe ends by itself.
#[test]
fn precision_is_a_count_of_halvings_and_loops_end_at_their_bound() -> Result<()> {
    on_gpu(|gpu| {
        let (large, small) = (2f32.powi(100), 2f32.powi(50));
        for (half_of_one, big, expected) in [
            (0.5, large, [23.0, 1.0, 0.0, 0.0]),
            (0.5, small, [23.0, 0.0, 0.0, 0.0]),
            (1.0, small, [64.0, 0.0, 0.0, 0.0]),
            (2f32.powi(-40), large, [0.0; 4]),
        ] {
            let numbers = [("one", 1.0), ("half_of_one", half_of_one), ("big", big)];
            assert_eq!(answer(gpu, "probe/highp.frag", &numbers)?, expected, "{half_of_one} {big}");
        }
        for bound in [0.0, 1.0, 17.0] {
            assert_eq!(answer(gpu, "probe/loop_cap.frag", &[("bound", bound), ("one", 1.0)])?, [bound; 4]);
        }
        Ok(())
    })
}

/// Sides that are multiples of the block of 8, and that are not: its last texels are clamped.
#[test]
fn the_smallest_of_a_block_is_that_of_its_64_texels() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = gpu.builtin("flow/smallest.frag")?;
        for (width, height) in [(8, 8), (19, 11), (1, 1), (16, 3)] {
            let (columns, rows) = (u32::div_ceil(width, 8), u32::div_ceil(height, 8));
            // The smallest number of each block in each of its texels in turn.
            for turn in 0..64 {
                let least_at = |x: u32, y: u32| (y % 8 * 8 + x % 8 + 7 * (x / 8) + 5 * (y / 8)) % 64 == turn;
                let number = |x: u32, y: u32| {
                    let high = 200 + (x * 31 + y * 17) % 97;
                    (if least_at(x, y) { x / 8 + 10 * (y / 8) } else { high }) as f32
                };
                let marks: Vec<f32> = (0..width * height).map(|i| number(i % width, i / width)).collect();
                let source = gpu.buffer(width, height).init(&marks)?;
                let target = gpu.buffer(columns, rows).build()?;
                program.bind_stream("marks", &source)?;
                program.bind_domain("middle", quadrille::Rect::whole(8 * columns, 8 * rows))?.run(&target)?;
                let least = |column: u32, row: u32| {
                    let ys = 8 * row..(8 * row + 8).min(height);
                    let xs = move || 8 * column..(8 * column + 8).min(width);
                    ys.flat_map(|y| xs().map(move |x| (x, y)))
                        .map(|(x, y)| number(x, y))
                        .fold(f32::MAX, f32::min)
                };
                let expected: Vec<f32> =
                    (0..columns * rows).map(|i| least(i % columns, i / columns)).collect();
                assert_eq!(target.data()?, expected, "{width}x{height}, {turn}");
            }
        }
        Ok(())
    })
}
