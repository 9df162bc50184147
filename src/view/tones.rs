//! The scale of false colours: linear or logarithmic, with lines of equal shares.

/// The scale of a colour map between its ends, and lines over it.
///
/// The share of a number v, from 0 at the first end to 1 at the last, is (v − low) / (high − low), or, of a logarithmic scale, that
/// of b(v) = sign(v) ln(1 + 1000 |v| / m), m the larger magnitude of the two ends: three decades on each side of 0, and linear
/// below them, so that 0 and both signs have their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tones {
    /// By logarithms, else linear.
    pub logarithmic: bool,
    /// The number of intervals of equal shares that lines divide; 0 for no lines. All lines are equally wide.
    pub lines: u32,
}

/// Parts of the larger end below which a logarithmic scale is linear.
const DECADES: f64 = 1000.0;

impl Tones {
    /// The share of the number, beyond 0 to 1 for one beyond the ends.
    pub fn share(self, number: f64, ends: [f64; 2]) -> f64 {
        let [low, high] = ends.map(|end| self.bent(end, ends));
        (self.bent(number, ends) - low) / (high - low)
    }

    /// The number of that share.
    pub fn number(self, share: f64, ends: [f64; 2]) -> f64 {
        let [low, high] = ends.map(|end| self.bent(end, ends));
        let bent = low + share * (high - low);
        if !self.logarithmic {
            return bent;
        }
        bent.signum() * (bent.abs().exp() - 1.0) * most(ends) / DECADES
    }

    fn bent(self, number: f64, ends: [f64; 2]) -> f64 {
        match self.logarithmic {
            true => number.signum() * (DECADES * number.abs() / most(ends)).ln_1p(),
            false => number,
        }
    }
}

fn most([low, high]: [f64; 2]) -> f64 {
    low.abs().max(high.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_that_of_its_share_on_both_scales() {
        for logarithmic in [false, true] {
            let tones = Tones { logarithmic, lines: 0 };
            for ends in [[0.0, 4.0], [-2.0, 2.0], [1e-3, 1e3], [0.4, -0.4], [-5.0, -1.0]] {
                let shares = ends.map(|end| tones.share(end, ends));
                assert!(shares[0].abs() < 1e-12 && (shares[1] - 1.0).abs() < 1e-12, "{shares:?}");
                for share in [0.0, 0.2, 0.5, 0.9, 1.0] {
                    let again = tones.share(tones.number(share, ends), ends);
                    assert!((again - share).abs() < 1e-9, "{ends:?} {share} {again}");
                }
            }
        }
        let logarithmic = Tones { logarithmic: true, lines: 0 };
        assert_eq!(logarithmic.share(0.0, [-3.0, 3.0]), 0.5);
        // Between 1 % and 10 % of the end lies about a third of the scale, and linearly hardly a tenth.
        let third = logarithmic.share(0.1, [0.0, 1.0]) - logarithmic.share(0.01, [0.0, 1.0]);
        assert!((0.3..0.36).contains(&third), "{third}");
    }
}
