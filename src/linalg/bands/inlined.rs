//! The product of a matrix of diagonals as a part of other kernels, which compute A p where they need it.
//!
//! A vector that is written costs as much as fetching seven, so a product that is computed twice and never written may be cheaper.

use std::cell::OnceCell;

use super::{Bands, Coefficients, Compiled, Constant, Kind, MAX_CONSTANTS, Shift, fetches, text};
use crate::gl::{Rounding, Texture};
use crate::linalg::algebra::Define;
use crate::{Result, kernels};

/// Programs that have a product of this matrix in their text.
pub(super) type Programs = [OnceCell<Compiled>; 6];

/// A matrix whose product fits into another kernel.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Inlined<'a> {
    bands: &'a Bands,
    coefficients: Coefficients<'a>,
}

/// Fetches that take as long as a texel written: 25 G/s and 3.5 G/s on an NVIDIA H200.
const WRITE: usize = 7;

/// Texels that a fragment of the sums goes through at most.
const MOST_TEXELS: usize = 64;

/// Streams of a kernel beside the diagonals, at most.
const OWN_STREAMS: usize = 7;

/// Those of `glsl/linalg/banded.frag`.
const FUNCTIONS: &str = "\
vec4 apart(vec4 sum) {
    return uintBitsToFloat(floatBitsToUint(sum) ^ (floatBitsToUint(field.x) >> 31u));
}
vec4 term(vec4 c, vec4 elements) {
    return c * mix(elements, vec4(0.0), equal(c, vec4(0.0)));
}
";

impl<'a> Inlined<'a> {
    /// The product as a text, if all its diagonals read neighbours of the field and the limits have the streams and fetches for it.
    pub(in crate::linalg) fn of(bands: &'a Bands, coefficients: Coefficients<'a>) -> Option<Inlined<'a>> {
        let limits = bands.algebra.gpu().limits();
        let vectors = if bands.kind == Kind::Vectors { bands.shifts.len() } else { 0 };
        let near = bands.shifts.iter().all(|shift| matches!(shift, Shift::Near(..)));
        let fits = near
            && bands.kind != Kind::Doubles
            && bands.sweeps.len() == 1
            && vectors + OWN_STREAMS <= limits.streams as usize
            && (fetches(bands.kind, &bands.shifts) + 2) * MOST_TEXELS <= limits.fetches as usize;
        fits.then_some(Inlined { bands, coefficients })
    }

    /// Returns true if two products cost less than one and a vector more, by the counts of fetches and texels written. A renderer on
    /// the CPU writes as fast as it fetches.
    pub(crate) fn is_cheaper(&self) -> bool {
        let each = fetches(self.bands.kind, &self.bands.shifts) - 1;
        let stored = each.max(WRITE) + 3 + 3 * WRITE;
        let inlined = each + 1 + (each + 3).max(3 * WRITE);
        inlined < stored && !self.bands.algebra.gpu().driver().runs_on_cpu()
    }

    /// Draws the kernel `name`, number `place` of those with this product, whose own streams come before the diagonals and which has one
    /// constant of its own.
    pub(crate) fn draw(
        &self,
        (place, name, variant): (usize, &'static str, &[Define]),
        declared: &str,
        streams: &[&Texture],
        own: [f32; 4],
        domains: &[[f32; 4]],
        targets: &[&Texture],
    ) -> Result<()> {
        let cell = &self.bands.inlined[place];
        let compiled = match cell.get() {
            Some(compiled) => compiled,
            None => {
                let compiled = self.compile(name, variant, declared)?;
                cell.get_or_init(|| compiled)
            }
        };
        let vectors = match self.coefficients {
            Coefficients::Vectors(vectors) => vectors,
            Coefficients::Constants(_) => &[],
        };
        let mut constants = [[0.0; 4]; MAX_CONSTANTS];
        for (value, constant) in constants.iter_mut().zip(&compiled.constants) {
            *value = match constant {
                Constant::Factors => own,
                constant => self.bands.constant(*constant, 0, self.coefficients),
            };
        }
        self.bands
            .algebra
            .context()
            .pass(compiled.kernel.clone())
            .streams(streams.iter().copied())
            .streams(vectors)
            .constants(&constants[..compiled.constants.len()])
            .domains(domains)
            .onto(targets)
    }

    fn compile(&self, name: &'static str, variant: &[Define], declared: &str) -> Result<Compiled> {
        let Bands { algebra, layout, kind, shifts, .. } = self.bands;
        let text = text(*kind, shifts, "p");
        let mut body = format!("vec2 here = place * p.extent.zw;\n{}", text.fetches);
        let mut mask = String::new();
        if *kind != Kind::Vectors {
            body = format!(
                "vec4 column = 2.0 * place.x + vec4(-0.5, 0.5, -0.5, 0.5), row = 2.0 * place.y + vec4(-0.5, -0.5, 0.5, 0.5);\n{body}"
            );
        }
        if *kind != Kind::Vectors && layout.is_padded() {
            mask = "sum = mix(vec4(0.0), sum, lessThan(column, vec4(field.x)));\n\
                    sum = mix(vec4(0.0), sum, lessThan(row, vec4(field.y)));\n"
                .to_owned();
        }
        let (declarations, sum, centre) = (&text.declarations, &text.sum, &text.centre);
        let product = format!(
            "uniform vec3 field;\n{declarations}\n{FUNCTIONS}vec4 product(vec2 place, out vec4 own) {{\n{body}vec4 sum = {sum};\n{mask}own = {centre};\nreturn sum;\n}}\n"
        );
        let kernel = kernels::named(name)?.splice("DECLARE_PRODUCT", &product).splice("DECLARE_X", declared);
        let kernel = variant.iter().fold(kernel, |kernel, (define, value)| kernel.define(define, value));
        let kernel = algebra.context().compile(&kernel, Rounding::None)?;
        let meaning = |name: &str| match name.strip_prefix('c').and_then(|number| number.parse().ok()) {
            Some(i) => Constant::Coefficient(i),
            None if name == "field" => Constant::Field,
            None => Constant::Factors,
        };
        let constants = kernel.constants.iter().map(|slot| meaning(&slot.name)).collect();
        Ok(Compiled { kernel, constants })
    }
}
