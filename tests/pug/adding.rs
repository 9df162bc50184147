//! Adding to what is there: by blending, and by ping-pong where the limits have no float blending.

use quadrille::gl::{Compare, Kernel, Mask, StencilTest};
use quadrille::pug::Precision;
use quadrille::{Gpu, Limits, Program, Rect, Result};

use crate::support::{Random, SIZES, copying, counting, on_card, on_gpu, refusal};

/// Points without attributes: each goes to the bin that its element of `data` names.
fn histogram(gpu: &Gpu) -> Result<Program> {
    let vertex = "uniform Stream data;
        void main() { scatter(vec2(value(data, float(gl_VertexID)).x, 0.0)); }";
    let fragment = "RANGE float one; void main() { one = 1.0; }";
    gpu.load_scatter(Kernel::new("bin.vert", vertex), Kernel::new("one.frag", fragment))
}

#[test]
fn a_histogram_of_random_data_is_exact() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = histogram(gpu)?;
        for (n, bins) in [(1, 1), (7, 3), (10_007, 64), (100_003, 251)] {
            let mut random = Random(n as u64);
            let data: Vec<f32> = (0..n).map(|_| random.below(bins) as f32).collect();
            let mut expected = vec![0.0; bins];
            data.iter().for_each(|&bin| expected[bin as usize] += 1.0);
            let counts = gpu.buffer(bins as u32, 1).build()?;
            program.bind_stream("data", &gpu.array(n).init(&data)?)?;
            program.onto(&[&counts]).counted_points(n as u32).adding().run()?;
            assert_eq!(counts.data()?, expected);
        }
        Ok(())
    })
}

#[test]
fn points_do_not_add_where_floats_do_not_blend() -> Result<()> {
    on_card(Limits { vertex_streams: 16, ..Limits::GEFORCE_FX }, |gpu| {
        let mut program = histogram(gpu)?;
        program.bind_stream("data", &gpu.array(4).build()?)?;
        let counts = gpu.buffer(4, 1).build()?;
        let line = "additive blending in one.frag needs EXT_float_blend, which GEFORCE_FX does not offer";
        assert_eq!(refusal(program.onto(&[&counts]).counted_points(4).adding().run()), line);
        assert_eq!(counts.data()?, [0.0; 4]);
        Ok(())
    })
}

/// Three sums of random numbers over a range, with all components and some fragments discarded.
fn sums(gpu: &Gpu, (width, height): (u32, u32), components: usize) -> Result<Vec<f32>> {
    let mut random = Random(17);
    let n = width as usize * height as usize * components;
    let shape = || gpu.buffer(width, height).components(components);
    let target = shape().init(&random.floats(n))?;
    let range = Rect::new(width / 4, height / 4, width - width / 4, height - height / 4);
    let text = "uniform Stream a; DOMAIN at; RANGE vec4 sum;
                void main() { sum = value2(a, at); if (sum.x < -0.5) { discard; } }";
    let mut program = gpu.program("some.frag", text)?;
    for _ in 0..3 {
        program.bind_stream("a", &shape().init(&random.floats(n))?)?;
        program.onto(&[&target]).over(range).adding().run()?;
    }
    target.data()
}

#[test]
fn ping_pong_adds_the_same_numbers_as_blending() -> Result<()> {
    on_gpu(|gpu| {
        on_card(Limits::GEFORCE_FX, |card| {
            for (&size, components) in SIZES.iter().flat_map(|s| (1..=4).map(move |c| (s, c))) {
                // The texture that the pool hands out next must not be seen through discarded fragments.
                let n = size.0 as usize * size.1 as usize * components;
                drop(card.buffer(size.0, size.1).components(components).init(&vec![1e9; n])?);
                let (blended, added) = (sums(gpu, size, components)?, sums(card, size, components)?);
                assert_eq!(blended, added, "{size:?} of {components} components");
            }
            Ok(())
        })
    })
}

/// Adds 1 to what the stencil lets through; the rest must stay.
fn masked(gpu: &Gpu) -> Result<Vec<f32>> {
    let target = gpu.buffer(8, 8).init(&counting(64))?;
    drop(gpu.buffer(8, 8).init(&[1e9; 64])?);
    let surface = gpu.depth_stencil(8, 8)?;
    let test =
        |compare, write| Mask { depth: None, stencil: Some(StencilTest { compare, reference: 1, write }) };
    let one = gpu.program("one.frag", "RANGE float one; void main() { one = 1.0; }")?;
    let left = Rect::new(0, 0, 4, 8);
    one.onto(&[&target]).over(left).masked(&surface, test(Compare::Always, true), 0.0).adding().run()?;
    one.onto(&[&target]).masked(&surface, test(Compare::Equal, false), 0.0).adding().run()?;
    target.data()
}

#[test]
fn adding_minds_the_mask_with_and_without_blending() -> Result<()> {
    let expected: Vec<f32> = (0..64).map(|i| (i + if i % 8 < 4 { 2 } else { 0 }) as f32).collect();
    let check = |gpu: &Gpu| {
        assert_eq!(masked(gpu)?, expected);
        Ok(())
    };
    on_gpu(check)?;
    on_card(Limits::GEFORCE_FX, check)
}

#[test]
fn adding_several_targets_at_once() -> Result<()> {
    let check = |gpu: &Gpu| {
        let text = "RANGE float a; RANGE vec2 b; RANGE vec4 c;
                    void main() { a = 1.0; b = vec2(2.0, 3.0); c = vec4(4.0, 5.0, 6.0, 7.0); }";
        let three = gpu.program("three.frag", text)?;
        let (a, b, c) = (gpu.buffer(2, 1), gpu.buffer(2, 1).components(2), gpu.buffer(2, 1).components(4));
        let (a, b, c) = (a.init(&[1.0; 2])?, b.init(&[1.0; 4])?, c.init(&[1.0; 8])?);
        three.onto(&[&a, &b, &c]).adding().run()?;
        assert_eq!((a.data()?, b.data()?), (vec![2.0; 2], [3.0, 4.0].repeat(2)));
        assert_eq!(c.data()?, [5.0, 6.0, 7.0, 8.0].repeat(2));
        Ok(())
    };
    on_gpu(check)?;
    on_card(Limits { targets: 4, ..Limits::GEFORCE_FX }, check)
}

/// Blending would store the sum as it is; these formats chop it (131 072 + 1 is 131 072 in 24 bits).
#[test]
fn sums_in_an_emulated_format_are_stored_as_it_stores() -> Result<()> {
    let check = |gpu: &Gpu| {
        for (precision, last) in [(Precision::Float24, 131_072.0), (Precision::Float16Ati, 2048.0)] {
            let sum = gpu.buffer(3, 1).precision(precision).init(&[last - 1.0, last, -last])?;
            let source = gpu.buffer(3, 1).init(&[1.0, 1.0, -1.0])?;
            copying(gpu, &source)?.onto(&[&sum]).adding().run()?;
            assert_eq!(sum.data()?, [last, last, -last]);
        }
        Ok(())
    };
    on_gpu(check)?;
    on_card(Limits::GEFORCE_FX, check)
}

#[test]
fn points_do_not_add_to_an_emulated_format() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = histogram(gpu)?;
        program.bind_stream("data", &gpu.array(4).build()?)?;
        let counts = gpu.buffer(4, 1).precision(Precision::Float24).build()?;
        let line = refusal(program.onto(&[&counts]).counted_points(4).adding().run());
        assert!(line.starts_with("adding points of one.frag to an emulated format needs"), "{line}");
        program.onto(&[&counts]).counted_points(4).run()?;
        assert_eq!(counts.data()?, [1.0, 0.0, 0.0, 0.0]);
        Ok(())
    })
}

#[test]
fn adding_ends_with_the_pass() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(4, 4).init(&counting(16))?;
        let copy = copying(gpu, &gpu.buffer(4, 4).init(&counting(16))?)?;
        copy.onto(&[&target]).adding().run()?;
        let twice: Vec<f32> = counting(16).iter().map(|v| 2.0 * v).collect();
        assert_eq!(target.data()?, twice);
        copy.run(&target)?;
        assert_eq!(target.data()?, counting(16));
        Ok(())
    })
}
