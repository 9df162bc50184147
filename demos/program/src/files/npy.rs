//! NumPy's `.npy` files: a header, then the elements (`quadrille_gallery::files`), nothing after them.
//!
//! The reader is our own. Two crates were tried with files of other programs and hostile ones. npyz 0.9.1 multiplies the shape of
//! a header without a check, takes the memory that a header claims (4 TB end the program), and does not see bytes too many.
//! ndarray-npy 0.10.0 reads one type, which the caller has to know. Both read headers by py_literal, which works for more than
//! ten seconds on 200 nested brackets.
//!
//! A file of shape (height, width) is a field of one component; (height, width, n) has n of them, 1 to 4, as a
//! texel has. Any real element type, in either byte order and either index order, becomes `f32` in row-major
//! order.

use super::{atomic, check_extension, named};
use anyhow::{Context, Result, bail, ensure};
use quadrille_gallery::files::dtype::DType;
use quadrille_gallery::files::header::{Header, python_tuple};
pub use quadrille_gallery::state::Array;
use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

/// Bytes of the largest element type.
const LARGEST: usize = 8;
/// Bytes read at a time: a multiple of every element's size.
const CHUNK: u64 = 1 << 16;

/// Reads a `.npy` file of shape (height, width) or (height, width, 1 to 4).
///
/// Costs the memory of the result (twice that in Fortran order): elements are converted as they are read, and
/// nothing is allocated on the word of a header before the file's own length has confirmed it.
///
/// # Errors
/// One line with the path: no such file, a directory, not a `.npy` file, a damaged header, an element type
/// that is no real number, another shape, fewer or more bytes than the shape needs.
pub fn read(path: &Path) -> Result<Array> {
    read_by(path, |file, length| read_from(file, length, sizes, OutOfRange::Infinite))
}

/// The same of a field, or of shape (n,) as a row of n numbers; whether it was one.
///
/// # Errors
/// As [`read`].
pub fn read_any(path: &Path) -> Result<(Array, bool)> {
    read_by(path, |file, length| {
        let one_dimension = Cell::new(false);
        let array =
            read_from(file, length, |shape| row_or_field(shape, &one_dimension), OutOfRange::Infinite)?;
        Ok((array, one_dimension.get()))
    })
}

fn row_or_field(shape: &[u64], is_row: &Cell<bool>) -> Result<[usize; 3]> {
    is_row.set(shape.len() == 1);
    match *shape {
        [0] => bail!("has shape {}: an array of no elements", python_tuple(shape)),
        [length] => sizes(&[1, length]),
        _ => sizes_or(shape, "(n,), (height, width) or (height, width, 1 to 4)"),
    }
}

/// The same where only some shapes make sense.
///
/// # Errors
/// As [`read`]; a shape that does not fit, beside the one that is `expected`.
pub fn read_shape(path: &Path, fits: impl Fn(&[u64]) -> bool, expected: &str) -> Result<Array> {
    let sizes = |shape: &[u64]| {
        let right = fits(shape) && !shape.contains(&0);
        ensure!(right, "has shape {}; expected {expected}, none of them 0", python_tuple(shape));
        sizes(shape)
    };
    read_by(path, |file, length| read_from(file, length, sizes, OutOfRange::Infinite))
}

/// Reads a matrix of at most `most` elements: shape (rows, columns), (rows, columns, 1), or (rows,) for one column.
///
/// # Errors
/// As [`read`]; more elements than allowed; a finite number that 32 bits cannot hold.
pub fn read_matrix(path: &Path, most: usize) -> Result<Array> {
    read_by(path, |file, length| {
        read_from(file, length, |shape| matrix_sizes(shape, most), OutOfRange::Refused)
    })
}

/// Rows and columns of the matrix in a file, from its header.
///
/// # Errors
/// As [`read_matrix`], of the header.
pub fn look_at_matrix(path: &Path, most: usize) -> Result<(usize, usize)> {
    read_by(path, |mut file, _| {
        let header = Header::read(&mut file)?;
        DType::parse(&header.descr)?;
        let [height, width, _] = matrix_sizes(&header.shape, most)?;
        Ok((height, width))
    })
}

fn matrix_sizes(shape: &[u64], most: usize) -> Result<[usize; 3]> {
    let size = match *shape {
        [height] => sizes(&[height, 1]),
        [_, _] | [_, _, 1] => sizes(shape),
        _ => bail!("has shape {}; expected (rows, columns) or (rows,)", python_tuple(shape)),
    }?;
    let [height, width, _] = size;
    ensure!(
        height.checked_mul(width).is_some_and(|elements| elements <= most),
        "holds {height} x {width} numbers: at most {most} elements are allowed"
    );
    Ok(size)
}

fn read_by<T>(path: &Path, read: impl Fn(BufReader<File>, Option<u64>) -> Result<T>) -> Result<T> {
    let array = || -> Result<T> {
        let file = File::open(path)?;
        let found = file.metadata()?;
        ensure!(!found.is_dir(), "is a directory, where a .npy file was expected");
        read(BufReader::new(file), found.is_file().then_some(found.len()))
    };
    array().map_err(|error| named(path, error))
}

/// The treatment of a finite number that 32 bits cannot hold.
#[derive(Clone, Copy, PartialEq)]
enum OutOfRange {
    Infinite,
    Refused,
}

/// Reads a whole `.npy` file of `length` bytes; `None` for a pipe, whose length is known when it ends.
fn read_from(
    file: impl Read,
    length: Option<u64>,
    sizes: impl Fn(&[u64]) -> Result<[usize; 3]>,
    beyond: OutOfRange,
) -> Result<Array> {
    let mut file = file.take(length.unwrap_or(u64::MAX));
    let header = Header::read(&mut file)?;
    let dtype = DType::parse(&header.descr)?;
    let [height, width, components] = sizes(&header.shape)?;
    let shape = format!("shape {} of {}", python_tuple(&header.shape), header.descr);
    let count = (height.checked_mul(width).and_then(|texels| texels.checked_mul(components)))
        .filter(|count| *count <= isize::MAX as usize / LARGEST)
        .with_context(|| format!("is too large for this machine's memory: {shape}"))?;
    let bytes = (count * dtype.size) as u64;

    let mut values = Vec::new();
    if length.is_some() {
        let held = file.limit();
        let fault = if held < bytes { "cut short" } else { "too long" };
        ensure!(held == bytes, "is {fault}: {shape} needs {bytes} bytes after the header, {held} are there");
        values.try_reserve_exact(count).with_context(|| format!("does not fit into memory: {shape}"))?;
    }
    let mut past = None;
    read_values(&mut file, &dtype, bytes, &mut values, &mut past).with_context(|| shape.clone())?;
    if let Some((place, value)) = past.filter(|_| beyond == OutOfRange::Refused) {
        let (row, column) = match header.fortran_order {
            true => (place % height + 1, place / height + 1),
            false => (place / width + 1, place % width + 1),
        };
        bail!("element ({row}, {column}) is {value:e}: 32-bit floats end at {:e}", f32::MAX);
    }
    ensure!(file.read(&mut [0])? == 0, "is too long: {shape} needs only {bytes} bytes after the header");
    if header.fortran_order {
        values = row_major(&values, height, width, components);
    }
    Ok(Array { height, width, components, values })
}

/// (height, width, components) of a shape.
fn sizes(shape: &[u64]) -> Result<[usize; 3]> {
    sizes_or(shape, "(height, width) or (height, width, 1 to 4)")
}

fn sizes_or(shape: &[u64], expected: &str) -> Result<[usize; 3]> {
    let [height, width, components] = match *shape {
        [height, width] => [height, width, 1],
        [height, width, components @ 0..=4] => [height, width, components],
        _ => [0; 3],
    };
    ensure!(
        height > 0 && width > 0 && components > 0,
        "has shape {}; expected {expected}, none of them 0",
        python_tuple(shape)
    );
    let [Ok(height), Ok(width)] = [height, width].map(usize::try_from) else {
        bail!("is too large for this machine's memory: shape {}", python_tuple(shape));
    };
    Ok([height, width, components as usize])
}

/// Appends the next `bytes` bytes of elements to `values`, in the file's order; the first that only 64 bits hold, and its place
/// among them, goes to `past`.
fn read_values(
    file: &mut impl Read,
    dtype: &DType,
    bytes: u64,
    values: &mut Vec<f32>,
    past: &mut Option<(usize, f64)>,
) -> Result<()> {
    let mut left = bytes;
    let mut chunk = Vec::new();
    while left > 0 {
        let wanted = left.min(CHUNK);
        chunk.clear();
        file.by_ref().take(wanted).read_to_end(&mut chunk)?;
        let held = bytes - left + chunk.len() as u64;
        ensure!(chunk.len() as u64 == wanted, "is cut short: {held} of {bytes} bytes");
        let before = values.len();
        dtype.decode(&chunk, values);
        if past.is_none() {
            *past = dtype.beyond(&chunk, &values[before..]).map(|(place, value)| (before + place, value));
        }
        left -= wanted;
    }
    Ok(())
}

/// The same array with its last index running fastest, from one with its first index running fastest.
fn row_major(columns: &[f32], height: usize, width: usize, components: usize) -> Vec<f32> {
    let mut values = Vec::with_capacity(columns.len());
    for row in 0..height {
        for column in 0..width {
            let place = |component| row + height * (column + width * component);
            values.extend((0..components).map(|component| columns[place(component)]));
        }
    }
    values
}

/// Confirms that a file to be written is called what it is.
///
/// # Errors
/// Another extension than `.npy`.
pub fn check_name(path: &Path) -> Result<()> {
    check_extension(path, "npy", "a NumPy array")
}

/// Writes little-endian `float32`: shape (height, width) for one component, else (height, width, components).
///
/// # Errors
/// Those of [`Array::check`] and of [`atomic::write`].
pub fn write(path: &Path, array: &Array) -> Result<()> {
    draft(path, array, false)?.commit()
}

/// The draft of such a file; of a row of numbers, with shape (width,) if it `is_row`.
///
/// # Errors
/// Those of [`Array::check`] and of [`atomic::draft`].
pub fn draft(path: &Path, array: &Array, is_row: bool) -> Result<atomic::Draft> {
    atomic::draft(path, |file| {
        array.check()?;
        let mut shape = vec![array.height as u64, array.width as u64];
        if array.components > 1 {
            shape.push(array.components as u64);
        } else if is_row && array.height == 1 {
            shape.remove(0);
        }
        write_to(file, shape, &array.values)
    })
}

/// The bytes of a file of `float32`, row after row.
///
/// # Errors
/// Those of the file.
pub fn write_to(file: &mut impl Write, shape: Vec<u64>, values: &[f32]) -> Result<()> {
    Header { descr: "<f4".into(), fortran_order: false, shape }.write(file)?;
    for value in values {
        file.write_all(&value.to_le_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
