//! Numbers that are written where a file could be named: `1,2,3`, rows `1,2;3,4`, components `1:0,2:0`, and `noise:5x3:seed7`.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use quadrille::error::shown;
use quadrille::numeric::Random;

use crate::number::counted;
use crate::state::Array;

/// The message for a text that is neither numbers nor noise.
pub const EXPECTED: &str =
    "expected numbers, as in 1,2,3 or rows 1,2;3,4, or noise:5x3:seed7, or a file that ends in .npy or .png";

/// An array that needs no file.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    Numbers(Array),
    Noise(Noise),
}

/// Numbers that look random and are the same in every run: from 0 to 1, without 1, or whole ones of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    pub width: usize,
    pub height: usize,
    pub components: usize,
    seed: u64,
    whole: Option<(i64, i64)>,
}

impl Given {
    /// Reads numbers or noise from `text`; `None` where it names a file.
    ///
    /// # Errors
    /// A text that begins as numbers or noise and does not go on so.
    pub fn of(text: &str) -> Result<Option<Given>> {
        let extension = Path::new(text).extension().unwrap_or_default().to_ascii_lowercase();
        if extension == "npy" || extension == "png" {
            return Ok(None);
        }
        if let Some(rest) = text.strip_prefix("noise:") {
            return Noise::of(rest).map(|noise| Some(Given::Noise(noise)));
        }
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            && !text.contains(['/', '\\']);
        if is_number { numbers(text).map(|array| Some(Given::Numbers(array))) } else { Ok(None) }
    }

    /// Width and height.
    pub fn size(&self) -> (usize, usize) {
        match self {
            Given::Numbers(array) => (array.width, array.height),
            Given::Noise(noise) => (noise.width, noise.height),
        }
    }

    /// The numbers.
    pub fn array(self) -> Array {
        match self {
            Given::Numbers(array) => array,
            Given::Noise(noise) => noise.array(),
        }
    }
}

/// Rows between `;`, elements between `,`, components between `:`.
fn numbers(text: &str) -> Result<Array> {
    let mut array = Array { height: 0, width: 0, components: 0, values: Vec::new() };
    for row in text.split(';') {
        let elements: Vec<&str> = row.split(',').collect();
        if array.height == 0 {
            array.width = elements.len();
        }
        let (row, width) = (array.height + 1, array.width);
        let has = counted(elements.len() as u64, "number");
        ensure!(elements.len() == width, "row {row} has {has}, row 1 has {width}");
        array.height = row;
        for element in elements {
            let parts: Vec<&str> = element.split(':').collect();
            if array.components == 0 {
                array.components = parts.len();
            }
            let components = array.components;
            ensure!(
                parts.len() == components && components <= 4,
                "\"{}\": expected {} to an element, 1 to 4, all alike",
                shown(element),
                counted(components.min(4) as u64, "number")
            );
            for part in parts {
                match part.trim().parse::<f32>() {
                    Ok(number) => array.values.push(number),
                    Err(_) => bail!("\"{}\" is no number: {EXPECTED}", shown(part)),
                }
            }
        }
    }
    Ok(array)
}

impl Noise {
    /// `WIDTH[xHEIGHT[xCOMPONENTS]][:seedN][:LOW..HIGH]`.
    fn of(text: &str) -> Result<Noise> {
        let mut parts = text.split(':');
        let sides: Option<Vec<usize>> = parts
            .next()
            .unwrap_or_default()
            .split('x')
            .map(|side| side.parse().ok().filter(|&n| n > 0))
            .collect();
        let (width, height, components) = match sides.as_deref() {
            Some(&[width]) => (width, 1, 1),
            Some(&[width, height]) => (width, height, 1),
            Some(&[width, height, components @ 1..=4]) => (width, height, components),
            _ => bail!(
                "noise:{}: expected a width, WIDTHxHEIGHT or WIDTHxHEIGHTxCOMPONENTS, as in noise:5x3:seed7",
                shown(text)
            ),
        };
        let mut noise = Noise { width, height, components, seed: 1, whole: None };
        for part in parts {
            let seed = part.strip_prefix("seed").and_then(|seed| seed.parse().ok());
            let ends =
                part.split_once("..").map(|(low, high)| (low.parse::<i32>().ok(), high.parse::<i32>().ok()));
            match (seed, ends) {
                (Some(seed), _) => noise.seed = seed,
                (None, Some((Some(low), Some(high)))) if low <= high => {
                    noise.whole = Some((low.into(), high.into()));
                }
                _ => bail!("noise:{}: \"{}\" is neither seedN nor LOW..HIGH", shown(text), shown(part)),
            }
        }
        Ok(noise)
    }

    fn array(&self) -> Array {
        let mut random = Random(self.seed);
        let mut number = || match self.whole {
            None => random.unit(),
            Some((low, high)) => (low + (random.bits() % (high - low + 1) as u64) as i64) as f32,
        };
        let &Noise { width, height, components, .. } = self;
        let values = (0..width * height * components).map(|_| number()).collect();
        Array { height, width, components, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(text: &str) -> Result<Array> {
        Ok(Given::of(text)?.ok_or_else(|| anyhow::anyhow!("a file"))?.array())
    }

    #[test]
    fn rows_and_components_are_read() -> Result<()> {
        let expected = |width, height, components, values: &[f32]| Array {
            width,
            height,
            components,
            values: values.to_vec(),
        };
        assert_eq!(array("3")?, expected(1, 1, 1, &[3.0]));
        assert_eq!(array("1,2.5,-3e2")?, expected(3, 1, 1, &[1.0, 2.5, -300.0]));
        assert_eq!(array("1, 2; 3, 4;5,6")?, expected(2, 3, 1, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(array("1:2,3:4")?, expected(2, 1, 2, &[1.0, 2.0, 3.0, 4.0]));
        Ok(())
    }

    #[test]
    fn noise_is_the_same_for_a_seed_and_stays_in_its_range() -> Result<()> {
        let (a, b, c) =
            (array("noise:41x3x2:seed7")?, array("noise:41x3x2:seed7")?, array("noise:41x3x2:seed8")?);
        assert!(a == b && a != c && (a.width, a.height, a.components) == (41, 3, 2));
        assert!(a.values.iter().all(|v| (0.0..1.0).contains(v)));
        let whole = array("noise:500:seed2:-3..4")?.values;
        let found: std::collections::BTreeSet<i32> = whole.iter().map(|v| *v as i32).collect();
        assert!(whole.iter().all(|v| v.fract() == 0.0) && found == (-3..=4).collect());
        Ok(())
    }

    #[test]
    fn files_are_left_to_others_and_what_is_neither_is_refused() -> Result<()> {
        for file in ["a.npy", "1.png", "noise.npy", "./2", "x", "", "2/a"] {
            assert_eq!(Given::of(file)?, None, "{file}");
        }
        for wrong in [
            "1,,2",
            "1,2;3",
            "1,x",
            "1:2,3",
            "1:2:3:4:5",
            "noise:",
            "noise:0x2",
            "noise:3x2x5",
            "noise:3:7",
            "noise:3:4..2",
        ] {
            assert!(Given::of(wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
