//! The scaling of right-hand sides to numbers near 1 by a power of two, which rounds nothing.

/// Sizes from 2⁻²⁴ to 2²⁵ stay as they are: a residual 10⁻⁷ of that still has a square far inside of what 32 bits hold.
const NEAR: f64 = 24.0;

/// The exponent of the largest power of two whose inverse no GPU takes for 0.
const LARGEST: f64 = 126.0;

/// The power of two just below that size where squares would leave what 32 bits hold, and 1 where they are far from it.
pub fn power_of_two(size: f64) -> f32 {
    let exponent = size.log2().floor();
    if !exponent.is_finite() || exponent.abs() <= NEAR {
        return 1.0;
    }
    exponent.clamp(-LARGEST, LARGEST).exp2() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_far_from_1_have_powers_of_two_with_an_inverse() {
        assert_eq!([0.0, 1e-7, 1.0, 1e7, f64::INFINITY, f64::NAN].map(power_of_two), [1.0; 6]);
        assert_eq!([1e-9, 1e9].map(power_of_two), [2f32.powi(-30), 2f32.powi(29)]);
        for size in [1e-45, f64::from(f32::MAX)] {
            let power = power_of_two(size);
            assert!(power.is_normal() && power.recip().is_normal(), "{size:e}");
        }
    }
}
