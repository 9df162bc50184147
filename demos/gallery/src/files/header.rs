//! The head of a `.npy` file: a magic word, a version, and a Python dictionary of three entries.
//!
//! ```text
//! \x93NUMPY  major minor  length  {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  spaces \n
//! 6 bytes    1     1      2 (4 from version 2 on), little endian
//! ```
//!
//! The dictionary is read by a scanner that knows these three entries and no other Python: it does not
//! recurse, and it allocates no more than the file holds, whatever the file claims.

use anyhow::{Context, Result, bail, ensure};
use quadrille::error::{shown, shown_bytes};
use std::io::{Read, Write};

const MAGIC: &[u8] = b"\x93NUMPY";
/// A header with a plain dtype has about a hundred bytes; version 1 cannot have more than this.
const MOST_BYTES: u32 = 65_535;
/// NumPy's own limit.
const MOST_DIMENSIONS: usize = 64;

/// The head of the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// The element type as NumPy writes it, for [`DType::parse`](super::dtype::DType::parse).
    pub descr: String,
    /// True if the first index runs fastest (columns first) instead of the last.
    pub fortran_order: bool,
    /// Elements along each dimension.
    pub shape: Vec<u64>,
}

impl Header {
    /// Reads the head from the file's start; the elements come next.
    ///
    /// # Errors
    /// Not a `.npy` file, a version of the future, a header cut short or damaged, a structured dtype.
    pub fn read(file: &mut impl Read) -> Result<Header> {
        let start = up_to(file, 8)?;
        if start.len() < 8 || !start.starts_with(MAGIC) {
            bail!("is not a .npy file: {}", what_begins_with(&start));
        }
        let (major, minor) = (start[6], start[7]);
        ensure!(
            (1..=3).contains(&major),
            "is a .npy file of version {major}.{minor}; versions 1 to 3 are known"
        );
        let width = if major == 1 { 2 } else { 4 };
        let digits = up_to(file, width)?;
        ensure!(digits.len() == width as usize, "is cut short inside its header");
        let length = digits.iter().rev().fold(0, |length, digit| length << 8 | u32::from(*digit));
        ensure!(length <= MOST_BYTES, "claims a header of {length} bytes; at most {MOST_BYTES} are expected");
        let text = up_to(file, u64::from(length))?;
        ensure!(text.len() == length as usize, "is cut short inside its header");
        Header::parse(&String::from_utf8_lossy(&text))
    }

    /// Reads the dictionary.
    fn parse(text: &str) -> Result<Header> {
        let mut scanner = Scanner { rest: text };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        scanner.must_be('{')?;
        while !scanner.eat('}') {
            let key = scanner.string()?;
            scanner.must_be(':')?;
            match key {
                "descr" => descr = Some(scanner.descr()?.to_owned()),
                "fortran_order" => fortran_order = Some(scanner.boolean()?),
                "shape" => shape = Some(scanner.tuple()?),
                _ => bail!("has a damaged header: the unknown entry \"{}\"", shown(key)),
            }
            if !scanner.eat(',') {
                scanner.must_be('}')?;
                break;
            }
        }
        Ok(Header {
            descr: descr.context("has no 'descr' (dtype) in its header")?,
            fortran_order: fortran_order.context("has no 'fortran_order' in its header")?,
            shape: shape.context("has no 'shape' in its header")?,
        })
    }

    /// Writes the head of a version 1 file, filled with spaces so that the elements begin at a multiple of 64.
    ///
    /// # Errors
    /// Those of `file`. A shape of so many dimensions that version 1 cannot hold it is not expected.
    pub fn write(&self, file: &mut impl Write) -> std::io::Result<()> {
        let order = if self.fortran_order { "True" } else { "False" };
        let (descr, shape) = (&self.descr, python_tuple(&self.shape));
        let mut text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        let before = MAGIC.len() + 4;
        let length = (before + text.len() + 1).next_multiple_of(64) - before;
        text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
        text.push('\n');
        file.write_all(MAGIC)?;
        file.write_all(&[1, 0])?;
        file.write_all(&(length as u16).to_le_bytes())?;
        file.write_all(text.as_bytes())
    }
}

/// A shape as Python writes it: `()`, `(3,)`, `(3, 4)`.
pub fn python_tuple(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("({}{})", sizes.join(", "), if shape.len() == 1 { "," } else { "" })
}

/// The next `count` bytes, or as many as there are.
fn up_to(file: &mut impl Read, count: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn what_begins_with(start: &[u8]) -> String {
    match start {
        [] => "it is empty".into(),
        [b'P', b'K', ..] => "it looks like a zip archive (.npz); save one array by numpy.save".into(),
        _ => format!("it begins with \"{}\"", shown_bytes(start)),
    }
}

/// Reads one Python literal after another, skipping the white space before each.
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn eat(&mut self, symbol: char) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(symbol).inspect(|rest| self.rest = rest).is_some()
    }

    fn must_be(&mut self, symbol: char) -> Result<()> {
        if self.eat(symbol) { Ok(()) } else { self.damaged(&format!("'{symbol}'")) }
    }

    /// `'descr'` or `"descr"`, without escapes.
    fn string(&mut self) -> Result<&'a str> {
        let Some(quote) = ['\'', '"'].into_iter().find(|quote| self.eat(*quote)) else {
            return self.damaged("a string");
        };
        let Some((string, rest)) = self.rest.split_once(quote) else {
            return self.damaged("the end of a string");
        };
        self.rest = rest;
        Ok(string)
    }

    /// A plain dtype; a list is a structured one.
    fn descr(&mut self) -> Result<&'a str> {
        if self.eat('[') {
            bail!(
                "holds records (structured dtype [{}...); expected one real number an element",
                self.excerpt()
            );
        }
        self.string()
    }

    fn boolean(&mut self) -> Result<bool> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        self.damaged("True or False")
    }

    /// `()`, `(3,)`, `(3, 4)`, and `(3L, 4L)` as Python 2 wrote it.
    fn tuple(&mut self) -> Result<Vec<u64>> {
        let mut sizes = Vec::new();
        let shape = self.excerpt_to(')');
        ensure!(!shape.contains('-'), "has shape {shape}, where a size is below 0");
        self.must_be('(')?;
        while !self.eat(')') {
            ensure!(sizes.len() < MOST_DIMENSIONS, "has a shape of more than {MOST_DIMENSIONS} dimensions");
            sizes.push(self.integer()?);
            self.eat('L');
            if !self.eat(',') {
                self.must_be(')')?;
                break;
            }
        }
        Ok(sizes)
    }

    fn integer(&mut self) -> Result<u64> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        if digits.is_empty() {
            return self.damaged("a size");
        }
        self.rest = rest;
        digits.parse().with_context(|| format!("has a size of {} digits in its shape", digits.len()))
    }

    fn damaged<T>(&self, expected: &str) -> Result<T> {
        bail!("has a damaged header: expected {expected} before \"{}\"", self.excerpt())
    }

    /// The next few characters, on one line.
    fn excerpt(&self) -> String {
        shown(self.rest.trim_end().chars().take(30).collect::<String>())
    }

    /// The same, at most to the first such letter.
    fn excerpt_to(&self, last: char) -> String {
        let rest = self.rest.trim_start();
        let end = rest.find(last).map_or(rest.len(), |place| place + last.len_utf8());
        Scanner { rest: &rest[..end] }.excerpt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(text: &str) -> String {
        Header::parse(text).err().map(|error| error.to_string()).unwrap_or_default()
    }

    fn file(version: u8, text: &str) -> Vec<u8> {
        let mut bytes = [MAGIC, &[version, 0]].concat();
        let length = (text.len() as u32).to_le_bytes();
        bytes.extend_from_slice(if version == 1 { &length[..2] } else { &length });
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }

    #[test]
    fn a_written_header_reads_back_and_is_aligned() -> Result<()> {
        for shape in [vec![], vec![7], vec![3, 4], vec![16384, 16384, 4], vec![u64::MAX; 5]] {
            for fortran_order in [false, true] {
                let header = Header { descr: "<f4".into(), fortran_order, shape: shape.clone() };
                let mut bytes = Vec::new();
                header.write(&mut bytes)?;
                assert_eq!(bytes.len() % 64, 0);
                assert_eq!(Header::read(&mut &bytes[..])?, header);
            }
        }
        Ok(())
    }

    #[test]
    fn all_three_versions_and_all_spellings_are_read() -> Result<()> {
        let expected = Header { descr: ">i2".into(), fortran_order: true, shape: vec![3, 4] };
        for text in [
            "{'descr': '>i2', 'fortran_order': True, 'shape': (3, 4), }   \n",
            "{\"shape\":(3,4,),\"fortran_order\":True,\"descr\":\">i2\"}",
            " { 'shape' : (3L, 4L) , 'descr' : '>i2' , 'fortran_order' : True } ",
        ] {
            for version in 1..=3 {
                assert_eq!(Header::read(&mut &file(version, text)[..])?, expected);
            }
        }
        Ok(())
    }

    #[test]
    fn a_file_of_another_kind_is_recognised() {
        let error = |mut bytes: &[u8]| {
            Header::read(&mut bytes).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(error(b""), "is not a .npy file: it is empty");
        assert_eq!(error(b"\x89PNG\r\n\x1a\n"), r#"is not a .npy file: it begins with "\x89PNG\r\n\x1a\n""#);
        assert_eq!(error(b"\x93NUMPY"), r#"is not a .npy file: it begins with "\x93NUMPY""#);
        assert!(error(b"PK\x03\x04abcdef").contains("zip archive"));
        assert_eq!(error(&file(9, "{}")), "is a .npy file of version 9.0; versions 1 to 3 are known");
        assert_eq!(error(&file(1, "{}")[..9]), "is cut short inside its header");
        assert_eq!(error(&file(1, "{}")[..11]), "is cut short inside its header");
        assert!(error(b"\x93NUMPY\x02\0\xff\xff\xff\xff").contains("a header of 4294967295 bytes"));
    }

    #[test]
    fn a_damaged_dictionary_says_where() {
        assert_eq!(error_of("[]"), "has a damaged header: expected '{' before \"[]\"");
        assert_eq!(error_of("{'descr' '<f4'}"), "has a damaged header: expected ':' before \"'<f4'}\"");
        assert_eq!(error_of("{'descr': 4}"), "has a damaged header: expected a string before \"4}\"");
        assert_eq!(
            error_of("{'descr': '<f4"),
            "has a damaged header: expected the end of a string before \"<f4\""
        );
        assert_eq!(error_of("{'x': 1}"), "has a damaged header: the unknown entry \"x\"");
        assert!(error_of("{'fortran_order': 1}").contains("expected True or False"));
        assert_eq!(error_of("{'shape': (-1, 7), }   "), "has shape (-1, 7), where a size is below 0");
        assert!(error_of("{'shape': 7}").contains("expected '('"));
        assert!(error_of("{'shape': (1 2)}").contains("expected ')'"));
        assert!(error_of("{'descr': '<f4', 'shape': (1, 1)}").contains("no 'fortran_order'"));
        assert!(error_of("{'descr': '<f4', 'fortran_order': True}").contains("no 'shape'"));
        assert!(error_of("{}").contains("no 'descr'"));
    }

    #[test]
    fn a_hostile_dictionary_is_refused() {
        assert!(
            error_of(&format!("{{'shape': ({})}}", "1,".repeat(1000))).contains("more than 64 dimensions")
        );
        assert!(error_of("{'shape': (99999999999999999999, 1)}").contains("a size of 20 digits"));
        assert!(error_of(&"(".repeat(60_000)).contains("expected '{'"));
        assert!(
            error_of("{'descr': [('a', '<f4')]}")
                .starts_with("holds records (structured dtype [('a', '<f4')]}...)")
        );
    }
}
