//! Written values come back, whole or in part, by copy or by kernel.

use quadrille::pug::{Access, Precision};
use quadrille::{Rect, Result};

use crate::support::{Random, SIZES, copied, copying, counting, on_gpu, refusal};

#[test]
fn values_of_1_to_4_components_come_back_at_all_sizes() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(1);
        for (&(width, height), components) in SIZES.iter().flat_map(|s| (1..=4).map(move |c| (s, c))) {
            let values = random.floats(width as usize * height as usize * components);
            let shape = || gpu.buffer(width, height).components(components);
            assert_eq!(shape().init(&values)?.data()?, values, "{width}x{height}x{components}");
            assert_eq!(copied(gpu, &values, shape(), shape())?, values, "by a kernel");
            assert!(shape().build()?.data()?.iter().all(|&v| v == 0.0), "a new buffer is all zero");
        }
        Ok(())
    })
}

#[test]
fn the_cpu_gets_back_the_bits_it_wrote() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(2);
        let mut values: Vec<f32> = (0..4096).map(|_| f32::from_bits(random.bits() as u32)).collect();
        values.retain(|v| !v.is_nan()); // a NaN stays one, but its bits are nobody's promise
        values.extend([0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45]);
        let found = gpu.array(values.len()).init(&values)?.data()?;
        assert!(values.iter().zip(&found).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(gpu.buffer(1, 1).init(&[f32::NAN])?.data()?[0].is_nan());
        Ok(())
    })
}

#[test]
fn half_precision_keeps_every_half_exactly() -> Result<()> {
    on_gpu(|gpu| {
        // m · 2^e with m of 11 bits: from 2⁻²⁴, the smallest, to 2047 · 2⁵ = 65 504, the largest.
        let halves: Vec<f32> = (-24..=5)
            .flat_map(|e| (0..2048).step_by(31).chain([2047]).map(move |m| m as f32 * 2f32.powi(e)))
            .flat_map(|half| [half, -half])
            .collect();
        for components in [1, 2, 3, 4] {
            let values = &halves[..halves.len() / components * components];
            let shape = gpu.array(values.len() / components).components(components);
            let half = shape.clone().precision(Precision::Float16);
            assert_eq!(half.clone().init(values)?.data()?, values);
            assert_eq!(copied(gpu, values, half, shape)?, values);
        }
        Ok(())
    })
}

#[test]
fn a_region_comes_back_row_after_row() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let buffer = gpu.buffer(width, height).components(3);
            let buffer = buffer.init(&counting(width as usize * height as usize * 3))?;
            let corner = Rect::new(width - 1, height - 1, width, height);
            let middle = Rect::new(width / 3, height / 3, width.div_ceil(2), height.div_ceil(2));
            for region in [buffer.rect(), corner, middle].into_iter().filter(|r| r.area() > 0) {
                let texels = (region.y0..region.y1)
                    .flat_map(|y| (region.x0..region.x1).map(move |x| (y * width + x) as f32));
                let expected: Vec<f32> =
                    texels.flat_map(|t| [3.0 * t, 3.0 * t + 1.0, 3.0 * t + 2.0]).collect();
                assert_eq!(buffer.data_of(region)?, expected, "{region} of {width}x{height}");
            }
            let outside = refusal(buffer.data_of(Rect::new(0, 0, width + 1, height)));
            assert!(outside.contains("leaves the"), "{outside}");
            let empty = refusal(buffer.data_of(Rect::new(0, 0, 0, 1)));
            assert!(empty.contains("has no elements"), "{empty}");
        }
        Ok(())
    })
}

#[test]
fn an_array_of_another_length_is_refused_and_nothing_written() -> Result<()> {
    on_gpu(|gpu| {
        let named = || gpu.buffer(3, 2).components(2).named("grid");
        let line = "buffer \"grid\" (3x2x2): 11 values given, 12 expected (width x height x components)";
        assert_eq!(refusal(named().init(&[0.0; 11])), line);
        let buffer = named().init(&counting(12))?;
        assert_eq!(refusal(buffer.write(&[0.0; 11])), line);
        assert_eq!(buffer.data()?, counting(12));
        let array = refusal(gpu.array(5).init(&[0.0; 6]));
        assert!(array.contains("6 values given, 5 expected"), "{array}");
        Ok(())
    })
}

#[test]
fn shapes_without_elements_or_with_five_components_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        assert_eq!(refusal(gpu.buffer(0, 7).build()), "buffer 0x7x1: size 0x7 has no elements");
        assert!(refusal(gpu.array(0).build()).contains("has no elements"));
        for components in [0, 5] {
            let line = refusal(gpu.buffer(1, 1).components(components).build());
            assert_eq!(line, format!("components = {components}: expected 1 to 4"));
        }
        let side = gpu.limits().texture_size;
        let line = format!("buffer {}x1x1: width is {}, the limit is {side}", side + 1, side + 1);
        assert_eq!(refusal(gpu.buffer(side + 1, 1).build()), line);
        Ok(())
    })
}

#[test]
fn access_is_held() -> Result<()> {
    on_gpu(|gpu| {
        let (source, target) = (gpu.buffer(2, 2).init(&counting(4))?, gpu.buffer(2, 2).build()?);
        let read_only = gpu.buffer(2, 2).access(Access::Read).named("in").init(&counting(4))?;
        let write_only = gpu.buffer(2, 2).access(Access::Write).build()?;
        let mut copy = copying(gpu, &read_only)?;
        copy.run(&write_only)?;
        assert_eq!(write_only.data()?, counting(4));
        assert_eq!(
            refusal(copy.bind_stream("source", &write_only)),
            "buffer 2x2x1 is write-only: it cannot be bound to a stream"
        );
        copy.run(&target)?; // the refused binding changed nothing
        assert_eq!(target.data()?, counting(4));
        copy.bind_stream("source", &source)?;
        assert_eq!(
            refusal(copy.run(&read_only)),
            "buffer \"in\" (2x2x1) is read-only: it cannot be written by a pass"
        );
        Ok(())
    })
}

/// Texels go to the texture of the *active* unit, which is that of the last stream bound.
#[test]
fn a_buffer_that_is_the_first_of_two_streams_can_be_written_and_copied_to() -> Result<()> {
    on_gpu(|gpu| {
        let buffer = || gpu.buffer(2, 2).init(&[1.0; 4]);
        let (a, b, sum) = (buffer()?, buffer()?, buffer()?);
        let mut add = gpu.builtin("pug/add.frag")?;
        add.bind_stream("a", &a)?.bind_stream("b", &b)?.run(&sum)?;
        a.write(&counting(4))?;
        assert_eq!((a.data()?, b.data()?), (counting(4), vec![1.0; 4]));
        add.run(&sum)?;
        assert_eq!(sum.data()?, [1.0, 2.0, 3.0, 4.0]);
        a.copy_from(&sum)?;
        assert_eq!((a.data()?, b.data()?), (sum.data()?, vec![1.0; 4]));
        Ok(())
    })
}

#[test]
fn a_copy_is_a_copy() -> Result<()> {
    on_gpu(|gpu| {
        for precision in [Precision::Float32, Precision::Float16, Precision::Float24] {
            for components in 1..=4 {
                let shape = || gpu.buffer(11, 10).components(components).precision(precision);
                let (source, copy) = (shape().init(&counting(110 * components))?, shape().build()?);
                copy.copy_from(&source)?;
                source.copy_from(&source)?;
                drop(source);
                assert_eq!(copy.data()?, counting(110 * components));
            }
        }
        Ok(())
    })
}

#[test]
fn a_copy_between_unlike_buffers_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(4, 4).components(3).precision(Precision::Float24).build()?;
        for other in [
            gpu.buffer(4, 3).components(3).precision(Precision::Float24),
            gpu.buffer(4, 4).components(4).precision(Precision::Float24),
            gpu.buffer(4, 4).components(3), // would leave values there that the format does not have
            gpu.buffer(4, 4).components(3).precision(Precision::Float16),
        ] {
            let line = refusal(target.copy_from(&other.build()?));
            assert!(line.starts_with("a copy: buffer 4x"), "{line}");
        }
        Ok(())
    })
}

#[test]
fn a_double_buffer_swaps() -> Result<()> {
    on_gpu(|gpu| {
        let mut pair = gpu.buffer(3, 3).double().init(&counting(9))?;
        let text = "uniform Stream source; DOMAIN at; RANGE float next;
                    void main() { next = 2.0 * value2(source, at).x; }";
        let mut twice = gpu.program("twice.frag", text)?;
        for _ in 0..10 {
            twice.bind_stream("source", pair.front())?.run(pair.back())?;
            pair.swap();
        }
        let expected: Vec<f32> = counting(9).iter().map(|v| v * 1024.0).collect();
        assert_eq!(pair.data()?, expected);
        Ok(())
    })
}

/// The inner range alone is computed: the edges are what both buffers began with.
#[test]
fn both_of_a_double_buffer_have_what_is_written() -> Result<()> {
    on_gpu(|gpu| {
        for precision in Precision::ALL {
            let shape = gpu.buffer(7, 5).components(3).precision(precision).named("plate");
            let values: Vec<f32> = counting(105).iter().map(|v| 0.25 * v).collect();
            let mut pair = shape.double().init(&values)?;
            assert_eq!((pair.front().data()?, pair.back().data()?), (values.clone(), values.clone()));
            let text = "uniform Stream source; DOMAIN at; RANGE vec3 next;
                        void main() { next = 0.5 * value2(source, at).xyz; }";
            let mut half = gpu.program("half.frag", text)?;
            for step in 1..4 {
                half.bind_stream("source", pair.front())?.run_over(pair.back(), Rect::new(1, 1, 6, 4))?;
                pair.swap();
                let found = pair.data()?;
                for (i, (found, value)) in found.iter().zip(&values).enumerate() {
                    let (x, y) = (i / 3 % 7, i / 21);
                    let inner = (1..6).contains(&x) && (1..4).contains(&y);
                    let expected = if inner { value * 0.5f32.powi(step) } else { *value };
                    assert!(
                        (found - expected).abs() <= expected / 512.0,
                        "{precision:?}, step {step}: {x},{y}"
                    );
                }
            }
            let uploads = gpu.counters().uploads;
            pair.write(&values)?;
            assert_eq!((pair.front().data()?, pair.back().data()?), (values.clone(), values));
            assert_eq!(gpu.counters().uploads - uploads, 1, "the second is a copy");
        }
        Ok(())
    })
}
