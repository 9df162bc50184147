//! The true behaviour of a driver, found by running it: extension strings lie, and some caps are written nowhere.

use std::rc::Rc;

use super::{Context, Edges, Format, Kernel, Linked, Rect, Rounding, Shape, Texture};
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
        })
    }
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
