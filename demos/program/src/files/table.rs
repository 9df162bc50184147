//! Matrices in and out, by the extension of the file.

use super::{csv, mtx, named, npy, shown, shown_message};
use anyhow::{Result, anyhow, bail, ensure};
use quadrille::script::Table;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// A kind of file that holds a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Matrix Market.
    Mtx,
    /// NumPy.
    Npy,
    /// Comma-separated values.
    Csv,
}

impl Kind {
    /// The kind that the extension of `path` names, in capital letters or small.
    ///
    /// # Errors
    /// Another extension, or none.
    pub fn of(path: &Path) -> Result<Kind> {
        let known = "expected .mtx, .npy or .csv";
        ensure!(!path.as_os_str().is_empty(), "the file name is empty, {known}");
        let Some(extension) = path.extension() else {
            let only = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            let has = if only { "is an extension without a name" } else { "has no extension" };
            bail!("{}: {has}, {known}", shown(path))
        };
        match extension.to_ascii_lowercase().to_str() {
            Some("mtx") => Ok(Kind::Mtx),
            Some("npy") => Ok(Kind::Npy),
            Some("csv") => Ok(Kind::Csv),
            _ => bail!("{}: found the extension .{}, {known}", shown(path), shown(extension)),
        }
    }
}

/// Looks whether there is something at `path` that may hold a matrix, without waiting for it; rows and columns, where a file says them
/// at its start.
///
/// # Errors
/// As [`read`], as far as it is known so early.
pub fn look(path: &Path, most: usize) -> Result<Option<(usize, usize)>> {
    let kind = Kind::of(path)?;
    let found = fs::metadata(path).map_err(|error| named(path, error))?;
    if found.is_dir() {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        bail!("{}: is a directory, where a .{} file was expected", shown(path), shown(extension));
    }
    match kind {
        _ if !found.is_file() => Ok(None), // a pipe: what it will say is not known before
        Kind::Npy => npy::look_at_matrix(path, most).map(Some),
        Kind::Mtx => mtx::look_at_matrix(path).map(Some),
        Kind::Csv => Ok(None),
    }
}

/// Reads a matrix of at most `most` elements, rounded to 32 bits.
///
/// # Errors
/// One line with the path: an unknown extension, those of the format, too many elements.
pub fn read(path: &Path, most: usize) -> Result<Table> {
    match Kind::of(path)? {
        Kind::Npy => {
            let npy::Array { height, width, values, .. } = npy::read_matrix(path, most)?;
            Ok(Table { rows: height, columns: width, elements: values })
        }
        Kind::Mtx => {
            let found = mtx::read_matrix(path)?;
            dense(&found.csr, most).map_err(|error| named(path, error))
        }
        Kind::Csv => {
            let read = || -> Result<Table> {
                let file = File::open(path)?;
                ensure!(!file.metadata()?.is_dir(), "is a directory, where a .csv file was expected");
                csv::read(file, most)
            };
            read().map_err(|error| match error.to_string() {
                placed if placed.starts_with(':') => anyhow!("{}{}", shown(path), shown_message(placed)),
                _ => named(path, error),
            })
        }
    }
}

fn dense(csr: &quadrille::numeric::Csr, most: usize) -> Result<Table> {
    let (rows, columns) = (csr.rows(), csr.columns());
    let count = rows.checked_mul(columns).filter(|count| *count <= most);
    let Some(count) = count else {
        bail!("holds {rows} x {columns} numbers, zeros with them: at most {most} elements are allowed")
    };
    let mut elements = vec![0.0; count];
    for (row, column, value) in csr.triplets() {
        let rounded = value as f32;
        ensure!(
            rounded.is_finite(),
            "entry ({}, {}) is {value:e}: 32-bit floats end at {:e}",
            row + 1,
            column + 1,
            f32::MAX
        );
        elements[row * columns + column] = rounded;
    }
    Ok(Table { rows, columns, elements })
}

/// The bytes of a file of that kind.
///
/// # Errors
/// Those of the format and of the file.
pub fn write_to(file: &mut impl Write, kind: Kind, table: &Table) -> Result<()> {
    match kind {
        Kind::Mtx => mtx::write_matrix_to(file, table.rows, table.columns, &table.elements),
        Kind::Npy => npy::write_to(file, vec![table.rows as u64, table.columns as u64], &table.elements),
        Kind::Csv => csv::write_to(file, table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::atomic;
    use quadrille::numeric::Random;

    #[test]
    fn every_kind_reads_back_what_it_wrote() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut random = Random(3);
        let elements: Vec<f32> = (0..6000).map(|_| f32::from_bits(random.bits() as u32)).collect();
        let elements: Vec<f32> = elements.into_iter().filter(|value| value.is_finite()).take(5000).collect();
        let table = Table { rows: 100, columns: 50, elements };
        for name in ["a.mtx", "a.npy", "a.csv", "A.NPY"] {
            let path = folder.path().join(name);
            atomic::write(&path, |file| write_to(file, Kind::of(&path)?, &table))?;
            assert_eq!(read(&path, 5000)?, table, "{name}");
            assert!(
                read(&path, 4999).is_err_and(|error| error.to_string().contains("at most 4999 elements"))
            );
        }
        Ok(())
    }

    #[test]
    fn each_error_is_one_line_with_the_path() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("folder.csv"))?;
        fs::write(path("sparse.mtx"), "%%MatrixMarket matrix coordinate real general\n9 9 1\n1 1 1e300\n")?;
        fs::write(path("words.csv"), "1,2\n3,x\n")?;
        for (name, line) in [
            (".npy", ".npy: is an extension without a name, expected .mtx, .npy or .csv"),
            ("a", "a: has no extension, expected .mtx, .npy or .csv"),
            ("a.txt", "a.txt: found the extension .txt, expected .mtx, .npy or .csv"),
            ("a.csv", "a.csv: No such file or directory"),
            ("folder.csv", "folder.csv: is a directory, where a .csv file was expected"),
            ("words.csv", "words.csv:2:2: found \"x\", expected a number"),
            ("sparse.mtx", "sparse.mtx: entry (1, 1) is 1e300: 32-bit floats end at 3.4028235e38"),
        ] {
            let error = read(&path(name), 100).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.ends_with(line), "{error}");
        }
        let infinite = Table { rows: 1, columns: 2, elements: vec![0.0, f32::INFINITY] };
        let error = write_to(&mut Vec::new(), Kind::Mtx, &infinite).err().map(|error| error.to_string());
        let line = "element (1, 2) is inf: a .mtx file holds finite numbers, .npy takes all";
        assert_eq!(error.as_deref(), Some(line));
        Ok(())
    }
}
