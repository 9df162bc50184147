//! Bytes that stand for 0 to 1: what is stored, by the CPU, by passes, by blending, and what is made of it.

use quadrille::gl::{Edges, Kernel};
use quadrille::pug::Precision::{Fixed8, Float16, Float24, Float32};
use quadrille::sim::nbody;
use quadrille::{Buffer, Gpu, Limits, Operator, Rect, Result};

use crate::support::{Random, SIZES, copied, copying, on_card, on_gpu, refusal};

/// The most that a store is off: half of 1/255, and what 32 bits of v and of 255 v leave open. OpenGL lets a driver round to either
/// neighbour, which is less than 1/255: an H200 stores 0.51/255 as 0.
fn store(gpu: &Gpu) -> f64 {
    let steps = if gpu.driver().renderer.contains("llvmpipe") { 0.5 } else { 1.0 };
    steps / 255.0 + 1.0 / (255.0 * 65536.0)
}

/// The byte next to 255 v.
fn byte(v: f32) -> u8 {
    (255.0 * f64::from(v).clamp(0.0, 1.0)).round() as u8
}

/// Bytes as the CPU reads them.
fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.iter().map(|&k| (f64::from(k) / 255.0) as f32).collect()
}

fn random_bytes(seed: u64, n: usize) -> Vec<u8> {
    let mut random = Random(seed);
    (0..n).map(|_| random.below(256) as u8).collect()
}

#[test]
fn every_byte_comes_back_at_all_sizes_and_takes_a_byte() -> Result<()> {
    on_gpu(|gpu| {
        for (&(width, height), components) in SIZES[..8].iter().flat_map(|s| (1..=4).map(move |c| (s, c))) {
            let bytes = random_bytes(u64::from(width), width as usize * height as usize * components);
            let values = numbers(&bytes);
            let shape = || gpu.buffer(width, height).components(components).precision(Fixed8);
            let before = gpu.counters().live_bytes;
            let buffer = shape().init(&values)?;
            let room = if components == 3 { 4 } else { components as u64 };
            let texels = u64::from(width) * u64::from(height);
            assert_eq!(gpu.counters().live_bytes - before, texels * room + quadrille::gl::OBJECT);
            assert_eq!(
                (buffer.data()?, buffer.bytes()?),
                (values.clone(), bytes.clone()),
                "{width}x{height}"
            );
            assert_eq!(buffer.data_async()?.wait()?, values);
            // A fetch may be off by the last place of 32 bits: the byte is the same.
            assert_eq!(copied(gpu, &values, shape(), shape())?, values, "by a kernel");
            let copy = shape().build()?;
            assert!(copy.data()?.iter().all(|&v| v == 0.0), "a new buffer is all zero");
            copy.copy_from(&buffer)?;
            assert_eq!(copy.bytes()?, bytes);
            let region = Rect::new(width / 2, height / 3, width, height);
            let of_region = (region.y0..height).flat_map(|y| (region.x0..width).map(move |x| y * width + x));
            let expected: Vec<f32> =
                of_region.flat_map(|e| &values[e as usize * components..][..components]).copied().collect();
            assert_eq!(copy.data_of(region)?, expected);
        }
        for len in [1, 2, 7, 63, 1009] {
            let bytes = random_bytes(len, len as usize * 3);
            let array = gpu.array(len as usize).components(3).precision(Fixed8).init(&numbers(&bytes))?;
            assert_eq!((array.bytes()?, array.data()?), (bytes.clone(), numbers(&bytes)));
        }
        Ok(())
    })
}

#[test]
fn a_store_takes_the_nearest_byte_and_keeps_to_0_to_1() -> Result<()> {
    on_gpu(|gpu| {
        // Both sides of every middle between two bytes, far outside, and anywhere.
        let mut values: Vec<f32> =
            (0..255).flat_map(|k| [0.49, 0.51].map(|part| (k as f32 + part) / 255.0)).collect();
        values.extend([
            -0.0,
            -1e-9,
            -1.0,
            -1e30,
            1.0 + 1e-6,
            2.0,
            1e30,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ]);
        values.extend(Random(8).floats(2048));
        for components in 1..=4 {
            let values = &values[..values.len() / components * components];
            let shape = gpu.array(values.len() / components).components(components);
            let fixed = shape.clone().precision(Fixed8);
            let expected: Vec<u8> = values.iter().map(|&v| byte(v)).collect();
            assert_eq!(fixed.clone().init(values)?.bytes()?, expected, "by the CPU");
            let target = fixed.build()?;
            copying(gpu, &shape.init(values)?)?.run(&target)?;
            for ((&value, &stored), byte) in values.iter().zip(&target.data()?).zip(target.bytes()?) {
                let error = (f64::from(stored) - f64::from(value).clamp(0.0, 1.0)).abs();
                assert!(error <= store(gpu), "{value:e} became {byte}: {error:e}");
                assert_eq!(stored, numbers(&[byte])[0]);
            }
        }
        assert_eq!(gpu.buffer(2, 1).precision(Fixed8).init(&[f32::NAN, 0.5])?.bytes()?, [0, 128]);
        assert!(values.iter().all(|&v| Fixed8.store(v) == numbers(&[byte(v)])[0]));
        Ok(())
    })
}

/// A kernel sees k/255 to the last place of 32 bits, wherever it fetches: beyond the edges by their rule.
#[test]
fn a_kernel_reads_what_bytes_stand_for() -> Result<()> {
    on_gpu(|gpu| {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = "uniform Stream a; DOMAIN at; RANGE float r; void main() { r = valueOffset(a, at, ivec2(3, -1)).x; }";
        let mut shifted = gpu.program("shifted.frag", text)?;
        for edges in [Edges::Clamp, Edges::Repeat, Edges::Mirror] {
            let source = gpu.buffer(16, 16).precision(Fixed8).edges(edges).init(&numbers(&bytes))?;
            let target = gpu.buffer(16, 16).build()?;
            shifted.bind_stream("a", &source)?.run(&target)?;
            for (i, found) in target.data()?.into_iter().enumerate() {
                let (x, y) = ((i % 16) as isize + 3, (i / 16) as isize - 1);
                let from = crate::support::edge(edges, y, 16) * 16 + crate::support::edge(edges, x, 16);
                let expected = from as f64 / 255.0;
                let miss = (f64::from(found) - expected).abs();
                assert!(miss <= 2f64.powi(-23) * expected, "{from}: {miss:e}");
            }
        }
        Ok(())
    })
}

/// Each step stores once: x' = 0.9 x + 0.05 is off by at most e' = 0.9 e + 1/510, less than 10/510.
#[test]
fn steps_between_two_buffers_stay_near_f64() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in &SIZES[..7] {
            let bytes = random_bytes(5, (width * height) as usize);
            let mut exact: Vec<f64> = bytes.iter().map(|&k| f64::from(k) / 255.0).collect();
            let mut state = gpu.buffer(width, height).precision(Fixed8).double().init(&numbers(&bytes))?;
            let text = "uniform Stream s; DOMAIN at; RANGE float next; void main() { next = 0.9 * value2(s, at).x + 0.05; }";
            let mut step = gpu.program("step.frag", text)?;
            let mut bound = 0.0;
            for _ in 0..12 {
                step.bind_stream("s", state.front())?.run(state.back())?;
                state.swap();
                exact.iter_mut().for_each(|x| *x = 0.9 * *x + 0.05);
                bound = 0.9 * bound + store(gpu);
                for (found, exact) in state.data()?.into_iter().zip(&exact) {
                    let miss = (f64::from(found) - exact).abs();
                    assert!(miss <= bound, "{miss:e} > {bound:e}");
                }
            }
            state.write(&vec![0.5; exact.len()])?;
            assert_eq!(
                (state.front().bytes()?, state.back().bytes()?),
                (vec![128; exact.len()], vec![128; exact.len()])
            );
        }
        Ok(())
    })
}

#[test]
fn targets_of_bytes_stand_beside_those_of_floats() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream a; DOMAIN at; RANGE vec2 bytes; RANGE float whole; RANGE vec4 halves;
                    void main() { float x = value2(a, at).x; bytes = vec2(x, 1.0 - x); whole = 2.0 * x; halves = vec4(x); }";
        let mut three = gpu.program("three.frag", text)?;
        for &(width, height) in SIZES {
            let k = random_bytes(6, (width * height) as usize);
            let source = numbers(&k);
            three.bind_stream("a", &gpu.buffer(width, height).init(&source)?)?;
            let shape = || gpu.buffer(width, height);
            let bytes = shape().components(2).precision(Fixed8).build()?;
            let (whole, halves) = (shape().build()?, shape().components(4).precision(Float16).build()?);
            three.onto(&[&bytes, &whole, &halves]).run()?;
            assert_eq!(bytes.bytes()?, k.iter().flat_map(|&k| [k, 255 - k]).collect::<Vec<_>>());
            assert_eq!(whole.data()?, source.iter().map(|v| 2.0 * v).collect::<Vec<_>>());
            let near = |(half, v): (&f32, &f32)| (half - v).abs() <= v / 1024.0 + 1e-7;
            assert!(
                halves
                    .data()?
                    .chunks_exact(4)
                    .zip(&source)
                    .all(|(half, v)| half.iter().all(|h| near((h, v))))
            );
        }
        let (bytes, chopped) =
            (gpu.buffer(2, 2).components(2).precision(Fixed8), gpu.buffer(2, 2).precision(Float24));
        three.bind_stream("a", &gpu.buffer(2, 2).build()?)?;
        let halves = gpu.buffer(2, 2).components(4).build()?;
        let line = refusal(three.onto(&[&bytes.build()?, &chopped.build()?, &halves]).run());
        assert!(
            line.starts_with("three.frag: buffer 2x2x1, expected another"),
            "a target that a kernel rounds: {line}"
        );
        Ok(())
    })
}

/// Where floats do not blend, bytes do.
#[test]
fn quads_and_points_add_to_bytes_up_to_1() -> Result<()> {
    let check = |gpu: &Gpu| {
        let added = |target: &Buffer, value: f32| -> Result<()> {
            let mut one =
                gpu.program("one.frag", "uniform float term; RANGE float one; void main() { one = term; }")?;
            one.bind_float("term", value)?.onto(&[target]).adding().run()
        };
        let target = gpu.buffer(3, 5).precision(Fixed8).init(&[20.0 / 255.0; 15])?;
        let passes = gpu.counters().passes;
        for step in 1..=30 {
            added(&target, 10.0 / 255.0)?;
            assert_eq!(target.bytes()?, [(20 + 10 * step).min(255) as u8; 15], "sums end at 1");
        }
        assert_eq!(gpu.counters().passes - passes, 30, "one pass a sum");
        added(&target, -1.0)?;
        assert_eq!(target.bytes()?, [255; 15], "a term below 0 is 0");

        let vertex = "void main() { scatter(vec2(mod(float(gl_VertexID), 7.0) + 0.5, 0.5)); }";
        let fragment = Kernel::new("points.frag", "RANGE float one; void main() { one = 3.0 / 255.0; }");
        let points = gpu.load_scatter(Kernel::new("points.vert", vertex), fragment)?;
        let counts = gpu.buffer(7, 1).precision(Fixed8).build()?;
        points.onto(&[&counts]).counted_points(7 * 30 + 2).adding().run()?;
        assert_eq!(counts.bytes()?, [93, 93, 90, 90, 90, 90, 90]);
        Ok(())
    };
    on_gpu(check)?;
    on_card(Limits { vertex_streams: 16, ..Limits::GEFORCE_FX }, check)
}

/// Sums of bytes leave 0 to 1: they are 32-bit numbers. |error| as of any sum of n numbers, and a last place of each fetch.
#[test]
fn bytes_are_reduced_in_32_bits() -> Result<()> {
    on_gpu(|gpu| {
        let (sum, max, min) =
            (gpu.reduction(Operator::sum()), gpu.reduction(Operator::max()), gpu.reduction(Operator::min()));
        let early = gpu.reduction(Operator::sum()).stop_at(16)?;
        let near = |found: f32, bytes: &mut dyn Iterator<Item = u8>| {
            let bytes: Vec<u8> = bytes.collect();
            let exact = bytes.iter().map(|&k| f64::from(k)).sum::<f64>() / 255.0;
            let bound = ((bytes.len() as f64).log2().ceil() + 4.0) * 2f64.powi(-24) * exact;
            assert!((f64::from(found) - exact).abs() <= bound, "{found} of {exact}");
        };
        for (&(width, height), components) in
            [(1, 1), (2, 1), (11, 10), (31, 57)].iter().flat_map(|s| [1, 3].map(|c| (s, c)))
        {
            let bytes = random_bytes(7, (width * height) as usize * components);
            let shape = gpu.buffer(width, height).components(components).precision(Fixed8);
            let buffer = shape.init(&numbers(&bytes))?;
            for reduction in [&sum, &early] {
                for (c, found) in reduction.value(&buffer)?.into_iter().enumerate() {
                    near(found, &mut bytes[c..].iter().step_by(components).copied());
                }
            }
            let of = |c: usize| bytes[c..].iter().step_by(components).copied();
            let last_place = |found: f32, k: u8| (found * 255.0 - f32::from(k)).abs() < 1e-4;
            for (c, (most, least)) in max.value(&buffer)?.into_iter().zip(min.value(&buffer)?).enumerate() {
                assert!(
                    last_place(most, of(c).max().unwrap_or(0)) && last_place(least, of(c).min().unwrap_or(0))
                );
            }
            let rows = sum.rows(&buffer)?;
            assert_eq!((rows.precision(), rows.width(), rows.height()), (Float32, 1, height));
            let line = width as usize * components;
            for (y, found) in rows.data()?.chunks_exact(components).enumerate() {
                near(found[0], &mut bytes[y * line..][..line].iter().step_by(components).copied());
            }
        }
        for len in [1, 62, 1009] {
            let bytes = random_bytes(len, len as usize);
            let array = gpu.array(len as usize).precision(Fixed8).init(&numbers(&bytes))?;
            near(sum.value(&array)?[0], &mut bytes.iter().copied());
        }
        Ok(())
    })
}

#[test]
fn what_needs_floats_refuses_bytes_and_the_other_way_round() -> Result<()> {
    on_gpu(|gpu| {
        let fixed = gpu.buffer(3, 2).components(4).precision(Fixed8).build()?;
        let float = gpu.buffer(3, 2).components(4).named("light").build()?;
        assert!(
            refusal(gpu.vertices_of(&[("a", 4)], &fixed)).contains("Fixed8, expected 24 values, four 32-bit")
        );
        assert_eq!(
            refusal(float.bytes()),
            "buffer \"light\" (3x2x4): Float32, expected Fixed8, which is made of bytes"
        );
        assert!(refusal(fixed.copy_from(&float)).starts_with("a copy: buffer"));
        let bodies = [nbody::Body { mass: 1.0, position: [0.0; 3], velocity: [0.0; 3] }];
        let line = refusal(nbody::NBody::with_precision(gpu, &bodies, nbody::Parameters::default(), Fixed8));
        assert_eq!(line, "precision = Fixed8: expected one of floats: places and pulls leave 0 to 1");
        Ok(())
    })
}
