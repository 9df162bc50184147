//! NumPy's `.npz` files: a zip of `.npy` files, each an array by its name.
//!
//! Written as `numpy.savez` does, stored, with the date of all zips without one, so that the same arrays are the same bytes. Read
//! what `savez` and `savez_compressed` write. The container is the crate zip 9; rawzip 0.5 was considered, which leaves inflating,
//! checksums and data descriptors to its user. What an array needs is told by its own header and must be what the zip
//! promises, and memory grows only with the bytes that are there.

use std::io::{Cursor, Read, Seek, Write};

use anyhow::{Context, Result, bail, ensure};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::dtype::DType;
use super::header::{Header, python_tuple};
use crate::state::{Named, Numbers};

/// Arrays that a file may hold.
const MOST_ARRAYS: usize = 256;
/// Bytes of all of them: as many as the largest buffer of any demo has, twice.
const MOST_BYTES: u64 = 1 << 32;
/// Characters of a text, which may be that of a kernel or of a file.
pub const LONGEST: u64 = 1 << 20;
/// Past this a zip has 64-bit sizes.
const LARGE: usize = 0xf000_0000;

/// The type that numbers are written as, and their bytes.
fn written(numbers: &Numbers) -> (String, Vec<u8>) {
    match numbers {
        Numbers::Float32(all) => ("<f4".into(), all.iter().flat_map(|v| v.to_le_bytes()).collect()),
        Numbers::Float64(all) => ("<f8".into(), all.iter().flat_map(|v| v.to_le_bytes()).collect()),
        Numbers::Whole(all) => ("<u8".into(), all.iter().flat_map(|v| v.to_le_bytes()).collect()),
        Numbers::Flag(flag) => ("|b1".into(), vec![u8::from(*flag)]),
        Numbers::Text(text) => {
            let letters = text.chars().count().max(1);
            let mut bytes: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
            bytes.resize(4 * letters, 0);
            (format!("<U{letters}"), bytes)
        }
    }
}

/// The bytes of a file of these arrays, in that order.
///
/// # Errors
/// Two arrays of one name.
pub fn to_bytes(arrays: &[Named]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (i, Named { name, shape, numbers }) in arrays.iter().enumerate() {
        ensure!(arrays[..i].iter().all(|other| other.name != *name), "two arrays are called \"{name}\"");
        let (descr, bytes) = written(numbers);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .large_file(bytes.len() > LARGE);
        zip.start_file(format!("{name}.npy"), options)?;
        let shape = shape.iter().map(|&n| n as u64).collect();
        Header { descr, fortran_order: false, shape }.write(&mut zip)?;
        zip.write_all(&bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Reads all arrays of a file, in its order.
///
/// # Errors
/// No zip, what is no `.npy` file in it, a damaged one, text or numbers of another kind than [`Numbers`] has, an array twice, too many
/// of them.
pub fn read_from(file: impl Read + Seek) -> Result<Vec<Named>> {
    let mut zip = ZipArchive::new(file).context("is no .npz file, which is a zip")?;
    ensure!(zip.len() <= MOST_ARRAYS, "holds {} arrays, {MOST_ARRAYS} at most are read", zip.len());
    ensure!(!zip.has_duplicate_names(), "holds an array twice");
    let mut left = MOST_BYTES;
    (0..zip.len()).map(|i| of_zip(&mut zip, i, &mut left)).collect()
}

fn of_zip(zip: &mut ZipArchive<impl Read + Seek>, index: usize, left: &mut u64) -> Result<Named> {
    let entry = zip.by_index(index)?;
    let full = entry.name()?.into_owned();
    let shown = full.escape_debug().take(64).collect::<String>();
    let Some(name) = full.strip_suffix(".npy").filter(|name| !name.is_empty() && name.len() <= 64) else {
        bail!("holds \"{shown}\", which is no array: expected names that end in .npy");
    };
    let name = name.to_owned();
    let size = entry.size();
    *left = left.checked_sub(size).with_context(|| format!("holds more than {MOST_BYTES} bytes"))?;
    let (shape, numbers) = of_npy(entry, size).with_context(|| format!("\"{shown}\""))?;
    Ok(Named { name, shape, numbers })
}

/// A `.npy` file of that many bytes.
fn of_npy(mut file: impl Read, size: u64) -> Result<(Vec<usize>, Numbers)> {
    let header = Header::read(&mut file)?;
    let Header { descr, fortran_order, shape } = &header;
    let what = || format!("shape {} of {descr}", python_tuple(shape));
    let count = shape.iter().try_fold(1u64, |all, &n| all.checked_mul(n)).filter(|&n| n <= MOST_BYTES);
    let count = count.with_context(|| format!("is too large: {}", what()))?;
    let kind = Kind::of(descr, shape)?;
    let bytes = count * kind.bytes();
    ensure!(bytes < size, "is cut short: {} needs {bytes} bytes after the header", what());
    let mut held = Vec::new();
    file.by_ref().take(bytes).read_to_end(&mut held).context("is damaged")?;
    ensure!(held.len() as u64 == bytes, "is cut short: {} needs {bytes} bytes after the header", what());
    // The end is read, too: there the zip compares its checksum.
    ensure!(file.read(&mut [0]).context("is damaged")? == 0, "is too long: {}", what());
    let shape = shape.iter().map(|&n| n as usize).collect::<Vec<_>>();
    let mut numbers = kind.decode(&held)?;
    if *fortran_order && shape.len() > 1 {
        match &mut numbers {
            Numbers::Float32(all) => *all = row_major(all, &shape),
            Numbers::Float64(all) => *all = row_major(all, &shape),
            Numbers::Whole(all) => *all = row_major(all, &shape),
            Numbers::Flag(_) | Numbers::Text(_) => {}
        }
    }
    Ok((shape, numbers))
}

/// How elements are read.
enum Kind {
    /// Numbers of 8 bytes, as they are.
    Float64 { big: bool },
    /// Whole numbers of so many bytes.
    Whole { bytes: usize, signed: bool, big: bool },
    /// A single truth value.
    Flag,
    /// A single text of so many letters of four bytes, or of one.
    Text { letters: u64, wide: bool, big: bool },
    /// Every other real number becomes 32 bits.
    Float32(DType),
}

impl Kind {
    fn of(descr: &str, shape: &[u64]) -> Result<Kind> {
        let big = match descr.as_bytes().first() {
            Some(b'<' | b'|') => false,
            Some(b'>') => true,
            _ => cfg!(target_endian = "big"),
        };
        let rest = descr.trim_start_matches(['<', '>', '|', '=']);
        let letters = |rest: &str| rest[1..].parse().ok().filter(|&letters: &u64| letters <= LONGEST);
        Ok(match rest {
            "f8" => Kind::Float64 { big },
            "b1" if shape.is_empty() => Kind::Flag,
            "i1" | "i2" | "i4" | "i8" | "u1" | "u2" | "u4" | "u8" => {
                let bytes = usize::from(rest.as_bytes()[1] - b'0');
                Kind::Whole { bytes, signed: rest.starts_with('i'), big }
            }
            _ if rest.starts_with(['U', 'S']) => {
                ensure!(
                    shape.is_empty(),
                    "holds many texts (dtype {descr:?}); expected numbers, or one text"
                );
                let letters = letters(rest)
                    .with_context(|| format!("holds a text of more than {LONGEST} letters ({descr:?})"))?;
                Kind::Text { letters, wide: rest.starts_with('U'), big }
            }
            _ => Kind::Float32(DType::parse(descr)?),
        })
    }

    fn bytes(&self) -> u64 {
        match *self {
            Kind::Float64 { .. } => 8,
            Kind::Whole { bytes, .. } => bytes as u64,
            Kind::Flag => 1,
            Kind::Text { letters, wide, .. } => letters * if wide { 4 } else { 1 },
            Kind::Float32(ref dtype) => dtype.size as u64,
        }
    }

    fn decode(&self, held: &[u8]) -> Result<Numbers> {
        Ok(match *self {
            Kind::Float64 { big } => {
                let number = |b: &[u8; 8]| if big { f64::from_be_bytes(*b) } else { f64::from_le_bytes(*b) };
                Numbers::Float64(held.as_chunks().0.iter().map(number).collect())
            }
            Kind::Whole { bytes, signed, big } => {
                let numbers = || held.chunks_exact(bytes).map(|b| whole(b, signed, big));
                match numbers().all(|n| n >= 0) {
                    true => Numbers::Whole(numbers().map(|n| n as u64).collect()),
                    false => Numbers::Float64(numbers().map(|n| n as f64).collect()),
                }
            }
            Kind::Flag => Numbers::Flag(held.first() != Some(&0)),
            Kind::Text { wide: true, big, .. } => {
                let letter = |b: &[u8; 4]| if big { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) };
                let letters = held.as_chunks().0.iter().map(|b| char::from_u32(letter(b)));
                let text: Option<String> = letters.collect();
                Numbers::Text(text.context("holds no text")?.trim_end_matches('\0').to_owned())
            }
            Kind::Text { wide: false, .. } => {
                let text = std::str::from_utf8(held).context("holds no text")?;
                Numbers::Text(text.trim_end_matches('\0').to_owned())
            }
            Kind::Float32(ref dtype) => {
                let mut numbers = Vec::new();
                dtype.decode(held, &mut numbers);
                Numbers::Float32(numbers)
            }
        })
    }
}

fn whole(bytes: &[u8], signed: bool, big: bool) -> i128 {
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    let number = if big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
    let shift = 64 - 8 * bytes.len() as u32;
    if signed { i128::from((number << shift) as i64 >> shift) } else { i128::from(number) }
}

/// The same array with its last index running fastest, from one with its first index running fastest.
fn row_major<T: Copy>(all: &[T], shape: &[usize]) -> Vec<T> {
    let mut place = vec![0; shape.len()];
    let strides: Vec<usize> =
        shape.iter().scan(1, |all, &n| Some(std::mem::replace(all, *all * n))).collect();
    let mut sorted = Vec::with_capacity(all.len());
    for _ in 0..all.len() {
        sorted.push(all[place.iter().zip(&strides).map(|(i, stride)| i * stride).sum::<usize>()]);
        for (i, &n) in place.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < n {
                break;
            }
            *i = 0;
        }
    }
    sorted
}

#[cfg(test)]
mod tests;
