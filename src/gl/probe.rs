//! The true behaviour of a driver, found by running it: extension strings lie, and some caps are written nowhere.

use std::rc::Rc;

use super::{Context, Edges, Format, Kernel, Linked, Prelude, Rect, Rounding, Shape, Texture};
use crate::Result;

/// The answers, one test each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probes {
    /// The number of iterations after which the driver ends a loop of a fragment; `None` if 100 000 ran through.
    pub loop_cap: Option<u32>,
    /// Largest texture side up to which every texel and its neighbours are addressed exactly.
    pub exact_addressing: u32,
    /// Kernels compute in 32 bits of which 24 are of the mantissa: a browser may promise `highp` and give less.
    pub highp: bool,
    /// Infinity is a value.
    pub infinity: bool,
    /// NaN is a value.
    pub nan: bool,
    /// Numbers below 2⁻¹²⁶ are kept, not flushed to 0.
    pub denormals: bool,
    /// True if a·b + c is rounded once in the probe's kernel, so that results differ from the CPU's in the last bit. A
    /// compiler may choose anew in each kernel, as NVIDIA's does.
    pub fused_multiply_add: bool,
    /// True if the rounding errors of a sum and of a product are kept as double-single arithmetic computes them:
    /// the two-sum of 1 and 2⁻³⁰ leaves 2⁻³⁰, the two-product of (1 + 2⁻¹²)² leaves 2⁻²⁴.
    pub double_single: bool,
}

/// Iterations a loop is asked for; well past the only cap known.
const LOOPS: u32 = 100_000;

impl Probes {
    pub(super) fn run(context: &Rc<Context>) -> Result<Probes> {
        let one = context.texture(Shape { width: 1, height: 1, format: Format::Rgba32F })?;
        let loops = kernel(context, "probe/loop_cap.frag", include_str!("../../glsl/probe/loop_cap.frag"))?;
        draw(context, &loops, None, &[("bound", LOOPS as f32), ("one", 1.0)], &one)?;
        let count = one.read(Rect::whole(1, 1))?[0] as u32;

        let arithmetic =
            kernel(context, "probe/arithmetic.frag", include_str!("../../glsl/probe/arithmetic.frag"))?;
        let a = 1.0 + 2f32.powi(-12);
        let c = -(1.0 + 2f32.powi(-11));
        let constants = [
            ("big", 3e38),
            ("zero", 0.0),
            ("tiny", f32::MIN_POSITIVE),
            ("quarter", 0.25),
            ("eight", 8.0),
            ("a", a),
            ("c", c),
        ];
        draw(context, &arithmetic, None, &constants, &one)?;
        let found = one.read(Rect::whole(1, 1))?;
        let highp = kernel(context, "probe/highp.frag", include_str!("../../glsl/probe/highp.frag"))?;
        let constants = [("one", 1.0), ("half_of_one", 0.5), ("big", 2f32.powi(100))];
        draw(context, &highp, None, &constants, &one)?;
        let bits = one.read(Rect::whole(1, 1))?;
        Ok(Probes {
            highp: bits[0] >= 23.0 && bits[1] == 1.0,
            loop_cap: (count < LOOPS).then_some(count),
            exact_addressing: exact_addressing(context)?,
            infinity: found[0] == 1.0,
            nan: found[1].is_nan(),
            denormals: found[2] == 1.0,
            fused_multiply_add: found[3] == 1.0,
            double_single: keeps_rounding_errors(context, double_single())?,
        })
    }
}

/// The kernel that asks for the rounding errors of a sum and a product.
fn double_single() -> Kernel {
    let (name, text) = ("probe/double_single.frag", include_str!("../../glsl/probe/double_single.frag"));
    Kernel::new(name, super::kernel_text(name, text)).with(Prelude::DoubleSingle)
}

/// Asks with numbers that are uniforms, so that no compiler computes the answers.
fn keeps_rounding_errors(context: &Rc<Context>, kernel: Kernel) -> Result<bool> {
    let one = context.texture(Shape { width: 1, height: 1, format: Format::Rgba32F })?;
    let program = context.compile(&kernel, Rounding::None)?;
    let constants = [("a", 1.0), ("b", 2f32.powi(-30)), ("c", 1.0 + 2f32.powi(-12))];
    draw(context, &program, None, &constants, &one)?;
    let [sum, product] = [-30, -24].map(|exponent| 2f32.powi(exponent));
    Ok(one.read(Rect::whole(1, 1))? == [sum, sum, sum, product])
}

/// Halves the side from the texture limit until no texel of a row or a column is missed.
fn exact_addressing(context: &Rc<Context>) -> Result<u32> {
    let program = kernel(context, "probe/addressing.frag", include_str!("../../glsl/probe/addressing.frag"))?;
    let mut side = context.limits().texture_size;
    while side > 1 {
        let index: Vec<f32> = (0..side).map(|i| i as f32).collect();
        let mut exact = true;
        for (width, height) in [(side, 1), (1, side)] {
            let shape = Shape { width, height, format: Format::R32F };
            let (source, miss) = (context.texture(shape)?, context.texture(shape)?);
            source.upload(shape.rect(), &index)?;
            draw(context, &program, Some(&source), &[], &miss)?;
            exact &= miss.read(shape.rect())?.iter().all(|&m| m == 0.0);
        }
        if exact {
            break;
        }
        side /= 2;
    }
    Ok(side)
}

fn kernel(context: &Rc<Context>, name: &str, text: &str) -> Result<Rc<Linked>> {
    context.compile(&Kernel::new(name, super::kernel_text(name, text)), Rounding::None)
}

fn draw(
    context: &Rc<Context>,
    program: &Rc<Linked>,
    stream: Option<&Texture>,
    constants: &[(&str, f32)],
    target: &Texture,
) -> Result<()> {
    let value = |name: &str| constants.iter().find(|c| c.0 == name).map_or(0.0, |c| c.1);
    let constants: Vec<[f32; 4]> =
        program.constants.iter().map(|c| [value(&c.name), 0.0, 0.0, 0.0]).collect();
    context.pass(program.clone()).streams_by(Edges::Repeat, stream).constants(&constants).onto(&[target])
}

#[cfg(test)]
#[cfg(feature = "headless")]
mod tests {
    use super::super::kernel::PRELUDE_DOUBLE_SINGLE;
    use super::super::{Options, headless};
    use super::*;

    /// A driver that folds is played by words that are folded already.
    #[test]
    fn arithmetic_that_folds_or_fuses_is_found_out() -> Result<()> {
        let context = headless(Options::default())?;
        assert!(keeps_rounding_errors(&context, double_single())?);
        for (kept, folded) in [
            ("(a - part_of_a) + (b - part_of_b)", "vec2(0.0)"),
            ("asStored(sum - a);\n    vec2 part_of_a", "b;\n    vec2 part_of_a"),
            ("asStored(sum - part_of_b)", "a"),
            ("b - asStored(sum - a)", "vec2(0.0)"),
            ("((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2", "a * b - product"),
            ("(a1 * b1 - product)", "vec2(0.0)"),
        ] {
            assert!(PRELUDE_DOUBLE_SINGLE.contains(kept), "{kept}");
            let words = PRELUDE_DOUBLE_SINGLE.replace(kept, folded);
            let kernel = Kernel { preludes: Vec::new(), ..double_single() };
            let text = format!("{words}\n{}", kernel.text);
            // A driver that fuses a product and a difference rounds once, and loses nothing by this one.
            let fuses = folded == "a * b - product" && !context.driver().renderer.contains("llvmpipe");
            assert!(fuses || !keeps_rounding_errors(&context, Kernel { text, ..kernel })?, "{kept}");
        }
        Ok(())
    }
}
