//! Numbers of flags: decimal ones and fractions, in a range.

use std::fmt::Display;
use std::ops::Div;
use std::str::FromStr;

/// `0.02` or `1/50`.
fn number<T: FromStr + Div<Output = T>>(text: &str) -> Option<T> {
    let one = |text: &str| text.trim().parse().ok();
    match text.split_once('/') {
        None => one(text),
        Some((above, below)) => Some(one(above)? / one(below)?),
    }
}

/// Reads a number from `low` to `high`; a NaN is none.
pub fn within<T>(low: T, high: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + Div<Output = T> + PartialOrd + Display + Copy,
{
    move |text| {
        let found = number(text).filter(|found| (low..=high).contains(found));
        found.ok_or_else(|| format!("expected {low} to {high}"))
    }
}

/// Reads a number above `low`, at most `high`.
pub fn above<T>(low: T, high: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + Div<Output = T> + PartialOrd + Display + Copy,
{
    move |text| {
        let found = number(text).filter(|&found| found > low && found <= high);
        found.ok_or_else(|| format!("expected above {low}, at most {high}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_decimal_numbers_of_the_range_are_read() {
        let step = within(1e-4, 0.1);
        assert_eq!([step("1/60"), step("0.02"), step(" 1 / 10 ")], [Ok(1.0 / 60.0), Ok(0.02), Ok(0.1)]);
        for wrong in ["0", "-1", "1/9", "1/0", "0/0", "nan", "inf", "", "/", "1/2/3", "x"] {
            assert_eq!(step(wrong), Err("expected 0.0001 to 0.1".to_owned()), "{wrong}");
        }
        assert_eq!(within(0.0, 10.0)("11"), Err("expected 0 to 10".to_owned()));
        assert_eq!(above(0.0f32, 1e4)("0"), Err("expected above 0, at most 10000".to_owned()));
        assert_eq!(above(0.0f32, 1e4)("0.45"), Ok(0.45));
    }
}
