//! Numbers as people write them: decimal ones and fractions in a range, sizes, bytes.

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

/// Reads a whole number from `low` to `high`, which is not named where it is as large as numbers get.
pub fn whole<T: TryFrom<u64>>(low: u64, high: u64) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let found = text.trim().parse().ok().filter(|found| (low..=high).contains(found));
        found.and_then(|found| T::try_from(found).ok()).ok_or_else(|| match high {
            u64::MAX => format!("expected a whole number, {low} or more"),
            _ => format!("expected a whole number from {low} to {high}"),
        })
    }
}

/// Reads a number of bytes: whole, or of KiB, MiB or GiB, as 64MiB.
pub fn bytes(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let unit = units.into_iter().find_map(|(unit, power)| Some((text.trim().strip_suffix(unit)?, power)));
    let (number, power) = unit.unwrap_or((text, 0));
    let found = number.trim().parse().ok().and_then(|number: u64| number.checked_mul(1 << power));
    found
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "expected bytes above 0, as 1000000, or with KiB, MiB or GiB, as 64MiB".to_owned())
}

/// Reads N sizes above 0 with an x between them.
pub fn sizes<const N: usize>(text: &str) -> Option<[u32; N]> {
    let sides = text.split(['x', 'X', '×']).map(|side| side.trim().parse().ok().filter(|&side| side > 0));
    sides.collect::<Option<Vec<u32>>>()?.try_into().ok()
}

/// The decimal number that was typed, not the nearest f32 in seventeen digits.
pub fn short(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// A number as somebody would write it: 0.001, 1e-5.
pub fn written(value: f32) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:e}") } else { value.to_string() }
}

/// A count and its noun: "1 step", "2 steps".
pub fn counted(many: u64, one: &str) -> String {
    format!("{many} {one}{}", if many == 1 { "" } else { "s" })
}

/// A rate per second, with two digits at least.
pub fn rate(a_second: f64) -> String {
    if !a_second.is_finite() || a_second >= 10.0 || a_second <= 0.0 {
        return format!("{a_second:.0}");
    }
    let places = (1.0 - a_second.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{a_second:.places$}")
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

    #[test]
    fn whole_numbers_of_the_range_are_read_and_others_told_what_was_expected() {
        let (any, few) = (whole::<u64>(0, u64::MAX), whole::<u32>(2, 9));
        assert_eq!([any("0"), any(" 18446744073709551615 ")], [Ok(0), Ok(u64::MAX)]);
        assert_eq!([few("2"), few("9")], [Ok(2), Ok(9)]);
        for wrong in ["-1", "", "x", "1.5", "18446744073709551616", "1e3"] {
            assert_eq!(any(wrong), Err("expected a whole number, 0 or more".to_owned()), "{wrong}");
        }
        for wrong in ["1", "10", "-2"] {
            assert_eq!(few(wrong), Err("expected a whole number from 2 to 9".to_owned()), "{wrong}");
        }
    }

    #[test]
    fn bytes_have_units_of_1024() {
        let read = ["1", "4096", "64MiB", " 1 GiB ", "3 KiB"].map(bytes);
        assert_eq!(read, [Ok(1), Ok(4096), Ok(64 << 20), Ok(1 << 30), Ok(3072)]);
        for wrong in ["0", "", "-1", "1.5MiB", "64MB", "MiB", "18446744073709551615KiB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_as_many_sides_as_were_asked_for_none_of_them_0() {
        assert_eq!(
            [sizes("512x256"), sizes(" 3 X 4"), sizes("5×6")],
            [Some([512, 256]), Some([3, 4]), Some([5, 6])]
        );
        for wrong in ["", "5", "5x", "0x5", "5x6x7", "-1x5", "4294967296x1"] {
            assert_eq!(sizes::<2>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_is_not_many_and_slow_rates_keep_their_digits() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "step")), ["0 steps", "1 step", "2 steps"]);
        let rates = [0.0, 0.0381, 0.5, 1.26, 9.0, 10.4, 1234.5].map(rate);
        assert_eq!(rates, ["0", "0.038", "0.50", "1.3", "9.0", "10", "1234"]);
    }
}
