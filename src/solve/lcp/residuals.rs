//! The residuals of a complementarity problem for an x, in f64. A NaN stays a NaN: it must not look like a small residual.

use crate::numeric::{larger, smaller};

/// How well an x solves a problem, for x ≥ 0 and, in brackets, for lower ≤ x ≤ upper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Residuals {
    /// See [`LcpReport::min_x`](super::LcpReport): not below 0 in a solution.
    pub min_x: f64,
    /// The smallest wᵢ of w = A x + b (of those whose xᵢ lies below upperᵢ, and of −wᵢ where xᵢ lies above lowerᵢ and
    /// upperᵢ is finite): not below 0, but for the rounding where x lies between bounds.
    pub min_w: f64,
    /// |x·w| (Σ (xᵢ − lowerᵢ) wᵢ where wᵢ > 0, and (xᵢ − upperᵢ) wᵢ where wᵢ < 0 and upperᵢ is finite): 0 in a solution.
    pub complementarity: f64,
    /// ‖min(x, w)‖∞ (‖x − clamp(x − w, lower, upper)‖∞), which is 0 in a solution and nowhere else.
    pub natural: f64,
}

impl Residuals {
    /// Those of an empty problem.
    pub const NONE: Residuals =
        Residuals { min_x: f64::INFINITY, min_w: f64::INFINITY, complementarity: 0.0, natural: 0.0 };

    /// Those of two problems that have nothing to do with each other.
    pub fn and(self, other: Residuals) -> Residuals {
        Residuals {
            min_x: smaller(other.min_x, self.min_x),
            min_w: smaller(other.min_w, self.min_w),
            complementarity: self.complementarity + other.complementarity,
            natural: larger(other.natural, self.natural),
        }
    }

    /// Those of x and w = A x + b within bounds.
    pub fn of(x: &[f64], w: &[f64], lower: &[f64], upper: &[f64]) -> Residuals {
        let mut all = Residuals::NONE;
        for (((&x, &w), &lower), &upper) in x.iter().zip(w).zip(lower).zip(upper) {
            let boxed = upper.is_finite();
            all.min_x = smaller(smaller(upper - x, x - lower), all.min_x);
            if x < upper || !boxed {
                all.min_w = smaller(w, all.min_w);
            }
            if x > lower && boxed {
                all.min_w = smaller(-w, all.min_w);
            }
            let gap = if w < 0.0 && boxed { x - upper } else { x - lower };
            // An unknown without any bound is free: its w is all there is to it.
            all.complementarity += if gap.is_finite() { gap * w } else { x * w };
            all.natural = larger(short_of(x, w, lower, upper), all.natural);
        }
        all.complementarity = all.complementarity.abs();
        all
    }
}

/// |x − clamp(x − w, lower, upper)|, without rounding x − w where that is inside.
fn short_of(x: f64, w: f64, lower: f64, upper: f64) -> f64 {
    let goal = x - w;
    if goal < lower {
        (x - lower).abs()
    } else if goal > upper {
        (x - upper).abs()
    } else {
        w.abs()
    }
}
