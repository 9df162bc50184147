//! The element types of a `.npy` file: NumPy's type strings, and every real one of them to `f32`.

use anyhow::{Result, bail};
use half::f16;

use quadrille::error::shown;

/// The accepted types, as the errors say it.
const EXPECTED: &str = "expected a real type: bool, i1 to i8, u1 to u8, f2, f4 or f8";

/// Appends elements, as they lie in the file and in the given byte order, to the values.
type Decode = fn(&[u8], ByteOrder, &mut Vec<f32>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ByteOrder {
    Little,
    Big,
}

/// A real element type: its size and its way to `f32`.
pub struct DType {
    /// Bytes an element.
    pub size: usize,
    order: ByteOrder,
    decode: Decode,
}

impl DType {
    /// A type string: byte order (`<` `>` `|` `=`), kind, bytes an element. `<f4` is `f32`, `|u1` is `u8`.
    ///
    /// # Errors
    /// Complex numbers, text, dates, objects, raw bytes, extended floats: everything that is not a real number
    /// of at most 8 bytes.
    pub fn parse(text: &str) -> Result<DType> {
        let native = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
        let (order, rest) = match text.as_bytes().first() {
            Some(b'<') => (ByteOrder::Little, &text[1..]),
            Some(b'>') => (ByteOrder::Big, &text[1..]),
            Some(b'|' | b'=') => (native, &text[1..]),
            _ => (native, text),
        };
        let (size, decode): (_, Decode) = match rest {
            "b1" => (1, |bytes, order, to| extend(bytes, order, to, |[byte]| f32::from(byte != 0))),
            "i1" => {
                (1, |bytes, order, to| extend(bytes, order, to, |item| f32::from(i8::from_le_bytes(item))))
            }
            "i2" => {
                (2, |bytes, order, to| extend(bytes, order, to, |item| f32::from(i16::from_le_bytes(item))))
            }
            "i4" => (4, |bytes, order, to| extend(bytes, order, to, |item| i32::from_le_bytes(item) as f32)),
            "i8" => (8, |bytes, order, to| extend(bytes, order, to, |item| i64::from_le_bytes(item) as f32)),
            "u1" => (1, |bytes, order, to| extend(bytes, order, to, |[byte]| f32::from(byte))),
            "u2" => {
                (2, |bytes, order, to| extend(bytes, order, to, |item| f32::from(u16::from_le_bytes(item))))
            }
            "u4" => (4, |bytes, order, to| extend(bytes, order, to, |item| u32::from_le_bytes(item) as f32)),
            "u8" => (8, |bytes, order, to| extend(bytes, order, to, |item| u64::from_le_bytes(item) as f32)),
            "f2" => {
                (2, |bytes, order, to| extend(bytes, order, to, |item| f16::from_le_bytes(item).to_f32()))
            }
            "f4" => (4, |bytes, order, to| extend(bytes, order, to, f32::from_le_bytes)),
            "f8" => (8, |bytes, order, to| extend(bytes, order, to, |item| f64::from_le_bytes(item) as f32)),
            _ => bail!("holds {} (dtype \"{}\"); {EXPECTED}", what_is(rest), shown(text)),
        };
        Ok(DType { size, order, decode })
    }

    /// Appends the whole elements of `bytes` to `values`, each rounded to the nearest `f32`; a number beyond
    /// its range becomes an infinity.
    pub fn decode(&self, bytes: &[u8], values: &mut Vec<f32>) {
        (self.decode)(bytes, self.order, values);
    }
}

impl DType {
    /// The first of these elements that is finite and became infinite, and where it is.
    pub fn beyond(&self, bytes: &[u8], values: &[f32]) -> Option<(usize, f64)> {
        let (items, _) = bytes.as_chunks::<8>();
        let value = |item: &[u8; 8]| match self.order {
            ByteOrder::Little => f64::from_le_bytes(*item),
            ByteOrder::Big => f64::from_be_bytes(*item),
        };
        // Floats of 8 bytes are the only numbers that may be so large.
        let at = (self.size == 8).then(|| {
            values.iter().zip(items).position(|(v, item)| v.is_infinite() && value(item).is_finite())
        })??;
        Some((at, value(&items[at])))
    }
}

/// Appends `value(item)` for each `N` bytes, turned to little endian first.
fn extend<const N: usize>(bytes: &[u8], order: ByteOrder, to: &mut Vec<f32>, value: impl Fn([u8; N]) -> f32) {
    let (items, _) = bytes.as_chunks::<N>();
    match order {
        ByteOrder::Little => to.extend(items.iter().map(|item| value(*item))),
        ByteOrder::Big => to.extend(items.iter().map(|item| {
            let mut item = *item;
            item.reverse();
            value(item)
        })),
    }
}

/// A refused type in words, by the letter of its kind.
fn what_is(rest: &str) -> &'static str {
    match rest.as_bytes().first() {
        Some(b'c') => "complex numbers",
        Some(b'S' | b'a' | b'U') => "text",
        Some(b'M' | b'm') => "dates or times",
        Some(b'V') => "raw bytes",
        Some(b'O') => "Python objects",
        Some(b'f') => "floats of an unusual size",
        _ => "elements of an unknown type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, bytes: &[u8]) -> Result<Vec<f32>> {
        let mut values = Vec::new();
        let dtype = DType::parse(text)?;
        assert_eq!(bytes.len() % dtype.size, 0);
        dtype.decode(bytes, &mut values);
        Ok(values)
    }

    #[test]
    fn every_real_type_is_read_in_both_byte_orders() -> Result<()> {
        let (long, short) = ((-3_i64).to_le_bytes(), 3_u64.to_le_bytes());
        for size in [1, 2, 4, 8] {
            for (kind, little, value) in [("i", &long[..size], -3.0), ("u", &short[..size], 3.0)] {
                let big: Vec<u8> = little.iter().rev().copied().collect();
                assert_eq!(decoded(&format!("<{kind}{size}"), little)?, [value]);
                assert_eq!(decoded(&format!(">{kind}{size}"), &big)?, [value]);
            }
        }
        assert_eq!(decoded("|b1", &[0, 1, 7])?, [0.0, 1.0, 1.0]);
        assert_eq!(decoded("<f2", &f16::from_f32(-1.5).to_le_bytes())?, [-1.5]);
        assert_eq!(decoded(">f2", &f16::from_f32(-1.5).to_be_bytes())?, [-1.5]);
        assert_eq!(decoded("<f4", &0.1_f32.to_le_bytes())?, [0.1]);
        assert_eq!(decoded(">f4", &0.1_f32.to_be_bytes())?, [0.1]);
        assert_eq!(decoded("<f8", &0.1_f64.to_le_bytes())?, [0.1]);
        assert_eq!(decoded(">f8", &0.1_f64.to_be_bytes())?, [0.1]);
        Ok(())
    }

    #[test]
    fn numbers_beyond_f32_become_infinities_and_nan_stays() -> Result<()> {
        assert_eq!(decoded("<f8", &1e300_f64.to_le_bytes())?, [f32::INFINITY]);
        assert_eq!(decoded("<f8", &(-1e300_f64).to_le_bytes())?, [f32::NEG_INFINITY]);
        assert!(decoded("<f8", &f64::NAN.to_le_bytes())?[0].is_nan());
        assert_eq!(decoded("<u8", &u64::MAX.to_le_bytes())?, [18_446_744_073_709_551_616.0]);
        Ok(())
    }

    #[test]
    fn every_other_type_is_named_in_its_error() {
        for (text, expected) in [
            ("<c8", "holds complex numbers (dtype \"<c8\"); expected a real type: "),
            ("|S5", "holds text"),
            ("<U3", "holds text"),
            ("<M8[ns]", "holds dates or times"),
            ("|V2", "holds raw bytes"),
            ("|O", "holds Python objects"),
            ("<f16", "holds floats of an unusual size"),
            ("", "holds elements of an unknown type (dtype \"\")"),
            ("é4", "holds elements of an unknown type"),
        ] {
            let error = DType::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
