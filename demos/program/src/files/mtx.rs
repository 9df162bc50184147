//! Matrix Market's `.mtx` files: a banner and a size (`head`), then the entries, one a line.
//!
//! The reader is our own; three crates were tried on good and bad files. nalgebra-sparse 0.11 knows every kind, but
//! reads into f64 only files that say `real`, holds thirteen times the file in memory (230 MB for 17 MB), refuses a
//! blank line after the banner, names no line for a bad entry, and panics at an array of 2⁶⁴ − 1 × 2. sprs 0.11 reads
//! no arrays, and no integers or patterns into f64; it allocates by the size line, panics at an index past the end, and
//! never ends on a file that stops after its banner. matrix-market-rs 0.1.3 (2023) allocates by the size line, panics
//! at index 0 and at `complex`, lets indices past the end and surplus entries through, and has no skew-symmetric files.
//!
//! ```text
//! %%MatrixMarket matrix coordinate real symmetric      or array; integer, pattern; general, skew-symmetric
//! % comments
//! 3 3 4                                                rows, columns, entries (an array has no third number)
//! 2 1 -1.0                                             row and column from 1, value (a pattern has none)
//! ```
//!
//! Entries given twice are added up, as other readers of the format do. Fortran's `1.5D+01` is understood.

mod head;

use super::lines::Lines;
use super::{atomic, named, shown, shown_message};
use anyhow::{Result, bail, ensure};
use head::{Head, Symmetry};
use quadrille::numeric::Csr;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// The format promises at most 1024 bytes a line; arrays and comments that keep no promise are met.
const LONGEST: u64 = 1 << 16;

/// A matrix, and what its file says of it.
#[derive(Debug)]
pub struct Matrix {
    pub csr: Csr,
    /// Entries in the file: of a symmetric matrix those of one triangle.
    pub stored: usize,
    /// As the banner says it: `coordinate real symmetric`.
    pub banner: String,
}

/// Reads a real matrix of any kind; a pattern's entries are 1.
///
/// Costs 24 bytes an entry while it reads and 16 afterwards. Nothing is allocated on the word of the size line
/// before the entries are there.
///
/// # Errors
/// One line with the path, and the line where there is one: no such file, not a Matrix Market file, complex
/// entries, a size that overflows or is 0, too few or too many entries, entries outside the matrix or in the
/// wrong triangle, numbers that are none or not finite.
pub fn read_matrix(path: &Path) -> Result<Matrix> {
    read(path, matrix)
}

/// Rows and columns of the matrix in a file, from its head.
///
/// # Errors
/// As [`read_matrix`], of the head.
pub fn look_at_matrix(path: &Path) -> Result<(usize, usize)> {
    read(path, |lines| Head::read(lines).map(|head| (head.rows, head.columns)))
}

/// Reads `length` numbers from an n × 1 matrix; `what` says what they must fit, for the message.
///
/// # Errors
/// As [`read_matrix`]; another shape than `length` × 1.
pub fn read_vector(path: &Path, length: usize, what: &str) -> Result<Vec<f64>> {
    read(path, |lines| vector(lines, length, what))
}

fn read<T>(path: &Path, parse: impl FnOnce(&mut Lines<BufReader<File>>) -> Result<T>) -> Result<T> {
    let open = || -> Result<File> {
        let file = File::open(path)?;
        ensure!(!file.metadata()?.is_dir(), "is a directory, where a .mtx file was expected");
        Ok(file)
    };
    let mut lines = Lines::new(BufReader::new(open().map_err(|error| named(path, error))?), LONGEST);
    parse(&mut lines).map_err(|error| match error.is::<std::io::Error>() {
        true => named(path, error),
        false => {
            let error = shown_message(format!("{error:#}"));
            anyhow::anyhow!("{}:{}: {error}", shown(path), lines.number())
        }
    })
}

fn matrix(lines: &mut Lines<impl BufRead>) -> Result<Matrix> {
    let head = Head::read(lines)?;
    let mut triplets = Vec::new();
    let mut stored = 0;
    entries(lines, &head, |row, column, value| {
        stored += 1;
        if value.to_bits() == 0 && head.entries.is_none() {
            return; // an array has to say 0 where coordinates say nothing; -0 is said for its sign
        }
        triplets.push((row, column, value));
        match head.symmetry {
            Symmetry::Symmetric if row != column => triplets.push((column, row, value)),
            Symmetry::SkewSymmetric => triplets.push((column, row, -value)),
            _ => {}
        }
    })?;
    let csr = Csr::from_triplets(head.rows, head.columns, triplets)?;
    if let Some((row, column, sum)) = csr.triplets().find(|entry| !entry.2.is_finite()) {
        bail!("the entries at ({}, {}) add up to {sum}", row + 1, column + 1);
    }
    Ok(Matrix { csr, stored, banner: head.banner })
}

fn vector(lines: &mut Lines<impl BufRead>, length: usize, what: &str) -> Result<Vec<f64>> {
    let head = Head::read(lines)?;
    let (rows, columns) = (head.rows, head.columns);
    ensure!(
        (rows, columns) == (length, 1),
        "holds {rows} x {columns} numbers; {length} x 1 are needed, as {what}"
    );
    let mut values = vec![0.0; length];
    entries(lines, &head, |row, _, value| values[row] += value)?;
    if let Some(row) = values.iter().position(|value| !value.is_finite()) {
        bail!("the entries of row {} add up to {}", row + 1, values[row]);
    }
    Ok(values)
}

/// Hands every entry of the file to `take`, row and column from 0, and confirms that there are no more.
fn entries(lines: &mut Lines<impl BufRead>, head: &Head, take: impl FnMut(usize, usize, f64)) -> Result<()> {
    match head.entries {
        Some(count) => coordinates(lines, head, count, take)?,
        None => array(lines, head, take)?,
    }
    ensure!(!lines.advance()?, "is too long: the entries that the size announces are all before this line");
    Ok(())
}

fn coordinates(
    lines: &mut Lines<impl BufRead>,
    head: &Head,
    count: usize,
    mut take: impl FnMut(usize, usize, f64),
) -> Result<()> {
    for before in 0..count {
        ensure!(lines.advance()?, "the file ends after {before} of {count} entries");
        let mut words = lines.text()?.split_ascii_whitespace();
        let row = head::index(words.next(), "row", head.rows)?;
        let column = head::index(words.next(), "column", head.columns)?;
        let value = head.field.value(|| words.next())?;
        if let Some(more) = words.next() {
            bail!("expected {}, and not \"{}\" after it", head.field.line(), shown(more));
        }
        let (r, c) = (row + 1, column + 1);
        match head.symmetry {
            Symmetry::General => {}
            _ if column > row => {
                bail!("entry ({r}, {c}) lies above the diagonal: {}", head.symmetry.rule())
            }
            Symmetry::SkewSymmetric if column == row => {
                bail!("entry ({r}, {c}) lies on the diagonal: {}", head.symmetry.rule())
            }
            _ => {}
        }
        take(row, column, value);
    }
    Ok(())
}

/// Column after column, whole or from the diagonal on; any number of values a line, as the format's own
/// reader has it.
fn array(
    lines: &mut Lines<impl BufRead>,
    head: &Head,
    mut take: impl FnMut(usize, usize, f64),
) -> Result<()> {
    let count = head.values();
    let first = |column: usize| match head.symmetry {
        Symmetry::General => 0,
        Symmetry::Symmetric => column,
        Symmetry::SkewSymmetric => column + 1,
    };
    let (mut row, mut column, mut done) = (first(0), 0, 0);
    while done < count {
        ensure!(lines.advance()?, "the file ends after {done} of {count} values");
        for word in lines.text()?.split_ascii_whitespace() {
            ensure!(done < count, "is too long: a value after the last of {count}");
            take(row, column, head.field.value(|| Some(word))?);
            done += 1;
            row += 1;
            if row == head.rows {
                column += 1;
                row = first(column);
            }
        }
    }
    Ok(())
}

/// The draft of an n × 1 real array; each number has the digits that make it read back exactly.
///
/// # Errors
/// Those of [`atomic::draft`].
pub fn vector_draft(path: &Path, values: &[f64]) -> Result<atomic::Draft> {
    atomic::draft(path, |file| {
        writeln!(file, "%%MatrixMarket matrix array real general\n{} 1", values.len())?;
        values.iter().try_for_each(|value| Ok(writeln!(file, "{value:e}")?))
    })
}

/// The lines of a real array, column after column as the format has it.
///
/// # Errors
/// A number that is not finite, which no file of this format holds; those of the file.
pub fn write_matrix_to(file: &mut impl Write, rows: usize, columns: usize, elements: &[f32]) -> Result<()> {
    writeln!(file, "%%MatrixMarket matrix array real general\n{rows} {columns}")?;
    for column in 0..columns {
        for row in 0..rows {
            let value = elements[row * columns + column];
            let (r, c) = (row + 1, column + 1);
            ensure!(
                value.is_finite(),
                "element ({r}, {c}) is {value}: a .mtx file holds finite numbers, .npy takes all"
            );
            writeln!(file, "{value:e}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
