//! The larger and the smaller of two numbers, which keep a NaN: `f64::max` and `f64::min` drop it.

/// Returns the larger of two numbers, a NaN if one of them is a NaN, and the first of two that are equal.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

/// Returns the smaller of two numbers, a NaN if one of them is a NaN, and the first of two that are equal.
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || a <= b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::{larger, smaller};

    #[test]
    fn a_nan_is_kept_on_either_side_and_the_first_of_two_equals_comes_back() {
        for (a, b) in [(1.0, 2.0), (-1.0, f64::INFINITY), (f64::NEG_INFINITY, -3.0)] {
            assert_eq!([larger(a, b), larger(b, a), smaller(a, b), smaller(b, a)], [b, b, a, a]);
        }
        for number in [0.0, -7.0, f64::INFINITY] {
            for found in [larger, smaller].map(|f| [f(number, f64::NAN), f(f64::NAN, number)]) {
                assert!(found.iter().all(|value| value.is_nan()), "{number}: {found:?}");
            }
        }
        for f in [larger, smaller] {
            assert!(f(-0.0, 0.0).is_sign_negative() && f(0.0, -0.0).is_sign_positive());
        }
    }
}
