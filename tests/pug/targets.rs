//! Several targets of one pass, and the targets that are refused.

use std::fmt::Write;

use quadrille::pug::Precision;
use quadrille::{Buffer, Gpu, Program, Rect, Result};

use crate::support::{SIZES, copying, counting, on_gpu, refusal};

const TYPES: [&str; 4] = ["float", "vec2", "vec3", "vec4"];

/// A kernel whose output i, of `components[i]` components, is 1000 i + the element + the component / 8.
fn outputs(gpu: &Gpu, components: &[usize]) -> Result<Program> {
    let (mut declared, mut set) = (String::new(), String::new());
    for (i, &n) in components.iter().enumerate() {
        let _ = write!(declared, "RANGE {} o{i}; ", TYPES[n - 1]);
        let swizzle = &"xyzw"[..n];
        let _ = write!(set, "o{i} = ({i}.0 * 1000.0 + x + vec4(0.0, 0.125, 0.25, 0.375)).{swizzle}; ");
    }
    let text = format!(
        "uniform Stream a; DOMAIN at; {declared}
         void main() {{ float x = value2(a, at).x; {set} }}"
    );
    gpu.program("outputs.frag", &text)
}

fn expected(target: usize, components: usize, n: usize) -> Vec<f32> {
    let values = (0..n).flat_map(|e| (0..components).map(move |c| (e, c)));
    values.map(|(e, c)| (1000 * target + e) as f32 + c as f32 / 8.0).collect()
}

#[test]
fn two_to_eight_targets_of_mixed_components_get_their_own_output() -> Result<()> {
    on_gpu(|gpu| {
        let most = gpu.limits().targets.min(8) as usize;
        for count in 1..=most {
            let components: Vec<usize> = (0..count).map(|i| (3 * i + count) % 4 + 1).collect();
            let mut program = outputs(gpu, &components)?;
            for &(width, height) in &SIZES[..7] {
                let n = width as usize * height as usize;
                program.bind_stream("a", &gpu.buffer(width, height).init(&counting(n))?)?;
                let buffer = |&c: &usize| gpu.buffer(width, height).components(c).build();
                let targets = components.iter().map(buffer).collect::<Result<Vec<Buffer>>>()?;
                let borrowed: Vec<&Buffer> = targets.iter().collect();
                program.onto(&borrowed).run()?;
                for (i, (target, &c)) in targets.iter().zip(&components).enumerate() {
                    assert_eq!(target.data()?, expected(i, c, n), "target {i} of {count}, {width}x{height}");
                }
            }
        }
        Ok(())
    })
}

/// The framebuffer of a buffer is a target like the buffer itself.
#[test]
fn a_bound_buffer_is_not_drawn_into_through_its_framebuffer() -> Result<()> {
    on_gpu(|gpu| {
        let (source, other) = (gpu.buffer(3, 3).named("heat").init(&counting(9))?, gpu.buffer(3, 3).build()?);
        let copy = copying(gpu, &source)?;
        let framebuffer = |buffer: &Buffer| Some(buffer.texture().framebuffer());
        let line = refusal(copy.onto_framebuffer(framebuffer(&source), source.rect()).run());
        assert_eq!(line, refusal(copy.run(&source)));
        assert!(line.contains("source") && line.contains("\"heat\""), "{line}");
        copy.onto_framebuffer(framebuffer(&other), other.rect()).run()?;
        assert_eq!((source.data()?, other.data()?), (counting(9), counting(9)));
        Ok(())
    })
}

#[test]
fn a_wide_output_fills_a_narrow_target() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = outputs(gpu, &[4, 4])?;
        program.bind_stream("a", &gpu.buffer(11, 10).init(&counting(110))?)?;
        for (first, second) in [(1, 3), (2, 1), (3, 2)] {
            let a = gpu.buffer(11, 10).components(first).build()?;
            let b = gpu.buffer(11, 10).components(second).precision(Precision::Float32).build()?;
            program.onto(&[&a, &b]).run()?;
            assert_eq!(a.data()?, expected(0, first, 110));
            assert_eq!(b.data()?, expected(1, second, 110));
        }
        Ok(())
    })
}

#[test]
fn targets_that_do_not_fit_the_kernel_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(4, 4).init(&counting(16))?;
        let mut program = outputs(gpu, &[2, 1])?;
        program.bind_stream("a", &source)?;
        let target = |c: usize| gpu.buffer(4, 4).components(c).build();
        let (pair, one) = (target(2)?, target(1)?);
        assert_eq!(refusal(program.run(&pair)), "outputs.frag: 1 target, expected 2, for RANGE o0, o1");
        assert_eq!(
            refusal(program.onto(&[&pair, &target(2)?]).run()),
            "outputs.frag: RANGE float o1: buffer 4x4x2 to write, expected at most 1 components"
        );
        let smaller = gpu.buffer(4, 3).named("small").build()?;
        assert_eq!(
            refusal(program.onto(&[&pair, &smaller]).run()),
            "outputs.frag: buffer \"small\" (4x3x1), expected another of the shape of buffer 4x4x2"
        );
        assert_eq!(
            refusal(program.onto(&[&one, &one]).run()),
            "outputs.frag: buffer 4x4x1 twice, for RANGE o0 and RANGE o1, expected a buffer of its own for each RANGE"
        );
        let rounded = gpu.buffer(4, 4).precision(Precision::Float24).build()?;
        assert!(!refusal(program.onto(&[&pair, &rounded]).run()).is_empty(), "two ways to round in one pass");
        program.onto(&[&pair, &one]).run()
    })
}

#[test]
fn a_range_beyond_one_side_of_the_target_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = outputs(gpu, &[1])?;
        let target = gpu.buffer(4, 3).build()?;
        program.bind_stream("a", &gpu.buffer(4, 3).init(&counting(12))?)?;
        for range in [Rect::new(0, 0, 5, 3), Rect::new(0, 0, 4, 4), Rect::new(4, 3, 5, 4)] {
            let line = refusal(program.run_over(&target, range));
            assert!(line.starts_with("outputs.frag: ") && line.contains(&range.to_string()), "{line}");
        }
        program.run_over(&target, Rect::new(0, 0, 4, 3))
    })
}

#[test]
fn one_buffer_as_two_targets_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = outputs(gpu, &[1, 1, 1])?;
        program.bind_stream("a", &gpu.buffer(2, 2).build()?)?;
        let (a, b) = (gpu.buffer(2, 2).named("a").build()?, gpu.buffer(2, 2).named("b").build()?);
        for targets in [[&a, &a, &b], [&a, &b, &a], [&b, &a, &a], [&b, &a, &a.clone()]] {
            let line = refusal(program.onto(&targets).run());
            assert!(line.starts_with("outputs.frag: buffer \"a\" (2x2x1) twice, for RANGE o"), "{line}");
        }
        Ok(())
    })
}

#[test]
fn reading_what_is_written_is_refused_with_both_names() -> Result<()> {
    on_gpu(|gpu| {
        let pressure = gpu.buffer(2, 2).named("pressure").build()?;
        let copy = copying(gpu, &pressure)?;
        let line = "copy.frag: stream \"source\" reads buffer \"pressure\" (2x2x1), which this pass writes; \
                    use a double buffer";
        assert_eq!(refusal(copy.run(&pressure)), line);
        assert_eq!(refusal(copy.run(&pressure.clone())), line, "a clone is the same buffer");
        let mut two = outputs(gpu, &[1, 1])?;
        two.bind_stream("a", &pressure)?;
        let other = gpu.buffer(2, 2).build()?;
        assert!(refusal(two.onto(&[&other, &pressure]).run()).contains("which this pass writes"));
        copy.run(&other)
    })
}
