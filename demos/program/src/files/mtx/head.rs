//! The head of a Matrix Market file: the banner that says the kind, and the size.

use crate::files::lines::Lines;
use crate::files::{shown, shown_bytes};
use anyhow::{Context, Result, bail, ensure};
use std::io::BufRead;

/// Rows or columns that a file may claim without an entry for each: beyond it most of them would be empty, and
/// the matrix a way to make a short file use much memory.
const UNCONFIRMED: usize = 1 << 20;

/// The head of the file.
#[derive(Debug, PartialEq)]
pub struct Head {
    /// The words that say the kind, in small letters.
    pub banner: String,
    pub field: Field,
    pub symmetry: Symmetry,
    pub rows: usize,
    pub columns: usize,
    /// How many coordinates follow; `None` for an array.
    pub entries: Option<usize>,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field {
    Real,
    Integer,
    /// Only its place is in the file.
    Pattern,
}

/// Which entries are in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    General,
    /// The lower triangle with the diagonal.
    Symmetric,
    /// The lower triangle without the diagonal.
    SkewSymmetric,
}

impl Symmetry {
    /// The rule that the file of such a matrix follows.
    pub fn rule(self) -> &'static str {
        match self {
            Symmetry::General => "a general file holds every entry",
            Symmetry::Symmetric => "a symmetric file holds the lower triangle",
            Symmetry::SkewSymmetric => "a skew-symmetric file holds what is below the diagonal",
        }
    }
}

impl Field {
    /// The value of an entry, from the word that `next` finds.
    ///
    /// # Errors
    /// No word, no number, one that is not finite or too large for 64 bits.
    pub fn value<'a>(self, next: impl FnOnce() -> Option<&'a str>) -> Result<f64> {
        if self == Field::Pattern {
            return Ok(1.0);
        }
        let word = next().with_context(|| format!("expected {}", self.line()))?;
        let found = || format!("found \"{}\"", shown(word));
        if self == Field::Integer {
            let whole: i64 = word.parse().map_err(|_| anyhow::anyhow!("expected an integer, {}", found()))?;
            return Ok(whole as f64);
        }
        let value: Result<f64, _> = match word.find(['d', 'D']) {
            Some(at) => format!("{}e{}", &word[..at], &word[at + 1..]).parse(),
            None => word.parse(),
        };
        let value = value.map_err(|_| anyhow::anyhow!("expected a number, {}", found()))?;
        let spelt = !word.contains(|letter: char| letter.is_ascii_digit());
        ensure!(value.is_finite() || spelt, "the number is too large for 64 bits, {}", found());
        ensure!(value.is_finite(), "expected a finite number, {}", found());
        Ok(value)
    }

    /// The numbers of a line of coordinates, in words.
    pub fn line(self) -> &'static str {
        match self {
            Field::Pattern => "row and column",
            Field::Real | Field::Integer => "row, column and value",
        }
    }
}

/// A row or column, from 0, of a word that counts from 1.
///
/// # Errors
/// No word, no whole number, one that is 0 or past the last.
pub fn index(word: Option<&str>, what: &str, last: usize) -> Result<usize> {
    let word = word.with_context(|| format!("expected a {what}, found nothing"))?;
    let from_one = whole(word).context(what.to_owned())?;
    ensure!((1..=last).contains(&from_one), "{what} {from_one}: expected 1 to {last}");
    Ok(from_one - 1)
}

fn whole(word: &str) -> Result<usize> {
    let digits = !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_digit());
    ensure!(digits, "expected a whole number, found \"{}\"", shown(word));
    word.parse().map_err(|_| anyhow::anyhow!("{} is too large", shown(word)))
}

impl Head {
    /// Reads banner, comments and size; the entries come next.
    ///
    /// # Errors
    /// Not a Matrix Market file, a kind that is not a real matrix, a size that is 0, too large or missing.
    pub fn read(lines: &mut Lines<impl BufRead>) -> Result<Head> {
        lines.advance_any()?;
        let (banner, is_array, field, symmetry) = banner(lines.bytes())?;
        ensure!(lines.advance()?, "the file ends before the size");
        let sizes: Vec<&str> = lines.text()?.split_ascii_whitespace().collect();
        let sizes: Vec<usize> = sizes.into_iter().map(whole).collect::<Result<_>>().context("size")?;
        let (rows, columns, entries) = match (is_array, &sizes[..]) {
            (true, &[rows, columns]) => (rows, columns, None),
            (false, &[rows, columns, entries]) => (rows, columns, Some(entries)),
            (true, _) => bail!("expected the size of an array: rows and columns"),
            (false, _) => bail!("expected the size: rows, columns and entries"),
        };
        let head = Head { banner, field, symmetry, rows, columns, entries };
        head.check()?;
        Ok(head)
    }

    fn check(&self) -> Result<()> {
        let Head { rows, columns, entries, .. } = *self;
        ensure!(rows > 0 && columns > 0, "a matrix of {rows} x {columns} has no elements");
        ensure!(
            rows == columns || self.symmetry == Symmetry::General,
            "a matrix of {rows} x {columns} is called {}: it would have to be square",
            self.banner.rsplit(' ').next().unwrap_or_default()
        );
        // Every count of this file stays below this product.
        let fits = rows.checked_mul(columns).is_some_and(|all| all <= isize::MAX as usize);
        ensure!(fits || entries.is_some(), "a matrix of {rows} x {columns} is too large for this machine");
        if let Some(entries) = entries {
            let mirrored = if self.symmetry == Symmetry::General { 1 } else { 2 };
            ensure!(
                rows.max(columns) <= UNCONFIRMED.max(entries.saturating_mul(mirrored)),
                "a matrix of {rows} x {columns} with {entries} entries: most rows or columns would be \
                 empty, which at most {UNCONFIRMED} of them may be"
            );
        }
        Ok(())
    }

    /// How many values an array of this size has in its file.
    pub fn values(&self) -> usize {
        match self.symmetry {
            Symmetry::General => self.rows * self.columns,
            Symmetry::Symmetric => self.rows * (self.rows - 1) / 2 + self.rows,
            Symmetry::SkewSymmetric => self.rows * (self.rows - 1) / 2,
        }
    }
}

/// The words of the banner; the first is the only one whose letters are given, and even that is met in small.
fn banner(line: &[u8]) -> Result<(String, bool, Field, Symmetry)> {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let mut words = text.split_ascii_whitespace();
    ensure!(
        words.next() == Some("%%matrixmarket"),
        "is not a Matrix Market file: {}",
        what_begins_with(line)
    );
    let rest: Vec<&str> = words.collect();
    let [object, layout, field, symmetry] = rest[..] else {
        bail!(
            "expected %%MatrixMarket matrix, format, field and symmetry; found {} words: \"{}\"",
            rest.len() + 1,
            shown_bytes(line)
        );
    };
    let unknown =
        |what: &str, word: &str, known: &str| anyhow::anyhow!("{what} \"{}\": expected {known}", shown(word));
    ensure!(object == "matrix", unknown("object", object, "matrix"));
    let is_array = match layout {
        "coordinate" => false,
        "array" => true,
        other => return Err(unknown("format", other, "coordinate or array")),
    };
    let field_of = match field {
        "real" => Field::Real,
        "integer" => Field::Integer,
        "pattern" => Field::Pattern,
        "complex" => bail!("has complex entries; only real matrices are read"),
        other => return Err(unknown("field", other, "real, integer or pattern")),
    };
    let symmetry_of = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::SkewSymmetric,
        "hermitian" => bail!("is hermitian, so complex; only real matrices are read"),
        other => return Err(unknown("symmetry", other, "general, symmetric or skew-symmetric")),
    };
    let pattern = field_of == Field::Pattern;
    ensure!(!(pattern && is_array), "is a pattern and an array: an array has values");
    ensure!(
        !(pattern && symmetry_of == Symmetry::SkewSymmetric),
        "is a pattern and skew-symmetric: a pattern has no signs"
    );
    Ok((format!("{layout} {field} {symmetry}"), is_array, field_of, symmetry_of))
}

fn what_begins_with(line: &[u8]) -> String {
    match line {
        [] => "its first line is empty".into(),
        [0x1f, 0x8b, ..] => "it looks compressed; gunzip it first".into(),
        _ => format!("it begins with \"{}\"", shown_bytes(line)),
    }
}
