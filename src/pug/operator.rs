//! The operators of reductions, and the elements that a pass combines.

use crate::numeric::{larger, smaller};

/// An associative operator with an identity, which combines elements component by component.
#[derive(Clone, Debug)]
pub struct Operator {
    pub(super) name: String,
    pub(super) expression: String,
    pub(super) identity: [f32; 4],
    /// True if far elements may be combined before near ones.
    pub(super) commutative: bool,
    pub(super) on_cpu: Option<fn(f64, f64) -> f64>,
}

impl Operator {
    /// a + b. Error at most (⌈log₂ n⌉ + 2)·2⁻²⁴·Σ|x| in 32-bit buffers: the additions form a tree in and
    /// between passes.
    pub fn sum() -> Operator {
        Operator::built_in("sum", "a + b", 0.0, |a, b| a + b)
    }

    /// a · b.
    pub fn product() -> Operator {
        Operator::built_in("product", "a * b", 1.0, |a, b| a * b)
    }

    /// The smaller of two elements; NaN if one of them is NaN. GLSL leaves NaN open, so the kernel tests for it.
    pub fn min() -> Operator {
        let expression = "mix(mix(min(a, b), a, isnan(a)), b, isnan(b))";
        Operator::built_in("min", expression, f32::INFINITY, smaller)
    }

    /// The larger of two elements; NaN if one of them is NaN. GLSL leaves NaN open, so the kernel tests for it.
    pub fn max() -> Operator {
        let expression = "mix(mix(max(a, b), a, isnan(a)), b, isnan(b))";
        Operator::built_in("max", expression, f32::NEG_INFINITY, larger)
    }

    fn built_in(name: &str, expression: &str, identity: f32, on_cpu: fn(f64, f64) -> f64) -> Operator {
        let on_cpu = Some(on_cpu);
        Operator { commutative: true, on_cpu, ..Operator::custom(name, expression, [identity; 4]) }
    }

    /// An operator of the user's: a GLSL expression of `vec4 a, b` that is associative, and its identity.
    ///
    /// It need not commute: the order is kept, left to right, then row after row. The product of 2×2 matrices stored by
    /// rows is `a.xxzz * b.xyxy + a.yyww * b.zwzw`, with identity (1, 0, 0, 1).
    ///
    /// The identity must be one (a ∘ e = e ∘ a = a; ±∞ may be): it stands in places that no element fills, of which there are more or fewer by the
    /// shape of the buffer. The padding of an array counts for nothing. `name` is what errors and traces call it. The place of the largest
    /// number of pairs (value, index) is `a.x >= b.x ? a : b` with identity (−∞, −1).
    pub fn custom(name: &str, expression: &str, identity: [f32; 4]) -> Operator {
        let (name, expression) = (name.to_owned(), expression.to_owned());
        Operator { name, expression, identity, commutative: false, on_cpu: None }
    }
}

/// The elements that one fragment combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A block of side × side neighbours, as two of the papers do it.
    Adjacent(u32),
    /// Elements as far apart as the result is wide and high, side × side of them: neighbouring fragments
    /// then fetch neighbouring texels. Side 2 is ch. 31's four quadrants.
    Far(u32),
}

impl Default for Step {
    /// 8 × 8 far elements: the fastest measured at 1024² and above (`docs/measured.md`).
    fn default() -> Step {
        Step::Far(8)
    }
}
