//! OpenEXR images of raw floats: one 32-bit float channel a component, uncompressed, row 0 on top.
//!
//! ```text
//! magic, version | attributes, each: name\0 type\0 size bytes | \0
//! the place of every row in the file, u64 each
//! every row: y, its size in bytes, then channel after channel `width` floats
//! ```
//!
//! The writer is our own: the `image` crate writes no files of one or two channels.
//!
//! All numbers are little endian. The file layout is "OpenEXR File Layout" on openexr.com.

use super::{Array, atomic};
use anyhow::{Result, ensure};
use std::io::Write;
use std::path::Path;

const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];
/// Version 2, no flag: one image of rows, no tiles, short names.
const VERSION: u32 = 2;
const FLOAT: u32 = 2;

/// Writes `array` as an image of channels Y, or R G, or R G B, or R G B A; the numbers stay as they are.
///
/// # Errors
/// Those of [`Array::check`] and of [`atomic::write`]; a row of 2³¹ bytes or more.
pub fn write(path: &Path, array: &Array) -> Result<()> {
    atomic::write(path, |file| {
        array.check()?;
        write_to(file, array)
    })
}

fn write_to(file: &mut impl Write, array: &Array) -> Result<()> {
    let row_bytes = array.width * array.components * size_of::<f32>();
    let most = i32::MAX as usize;
    ensure!(row_bytes <= most && array.height <= most, "{} x {} is too large", array.width, array.height);

    let head = head(array);
    file.write_all(&head)?;
    let first = (head.len() + array.height * size_of::<u64>()) as u64;
    let step = (2 * size_of::<u32>() + row_bytes) as u64;
    for row in 0..array.height as u64 {
        file.write_all(&(first + row * step).to_le_bytes())?;
    }
    for (y, row) in array.values.chunks_exact(array.width * array.components).enumerate() {
        file.write_all(&(y as u32).to_le_bytes())?;
        file.write_all(&(row_bytes as u32).to_le_bytes())?;
        for component in (0..array.components).rev() {
            for value in row.iter().skip(component).step_by(array.components) {
                file.write_all(&value.to_le_bytes())?;
            }
        }
    }
    Ok(())
}

/// Component names in the order of the file, which is alphabetical: that is R G B A backwards.
fn channels(components: usize) -> impl Iterator<Item = &'static str> {
    let names = if components == 1 { &["Y"] } else { &["R", "G", "B", "A"][..components] };
    names.iter().rev().copied()
}

/// Everything before the table of rows.
fn head(array: &Array) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut list = Vec::new();
    for name in channels(array.components) {
        list.extend([name.as_bytes(), b"\0"].concat());
        list.extend(words(&[FLOAT, 0, 1, 1])); // type, linear, one sample every pixel in x and in y
    }
    list.push(0);
    let window = words(&[0, 0, array.width as u32 - 1, array.height as u32 - 1]);

    let mut head = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    let mut attribute = |name: &str, kind: &str, value: &[u8]| {
        head.extend([name, "\0", kind, "\0"].concat().into_bytes());
        head.extend((value.len() as u32).to_le_bytes());
        head.extend_from_slice(value);
    };
    attribute("channels", "chlist", &list);
    attribute("compression", "compression", &[0]);
    attribute("dataWindow", "box2i", &window);
    attribute("displayWindow", "box2i", &window);
    attribute("lineOrder", "lineOrder", &[0]);
    attribute("pixelAspectRatio", "float", &1_f32.to_le_bytes());
    attribute("screenWindowCenter", "v2f", &words(&[0, 0]));
    attribute("screenWindowWidth", "float", &1_f32.to_le_bytes());
    head.push(0);
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ImageFormat::OpenExr;
    use std::io::Cursor;

    fn counted(height: usize, width: usize, components: usize) -> Array {
        let values = (0..height * width * components).map(|value| value as f32 - 2.5).collect();
        Array { height, width, components, values }
    }

    #[test]
    fn three_and_four_components_read_back_by_another_decoder() -> Result<()> {
        for (height, width) in [(1, 1), (1, 2), (2, 1), (11, 10), (31, 57)] {
            for components in [3, 4] {
                let array = counted(height, width, components);
                let mut bytes = Vec::new();
                write_to(&mut bytes, &array)?;
                let image = image::load(Cursor::new(bytes), OpenExr)?;
                assert_eq!((image.width() as usize, image.height() as usize), (width, height));
                let values = if components == 3 {
                    image.into_rgb32f().into_vec()
                } else {
                    image.into_rgba32f().into_vec()
                };
                assert_eq!(values, array.values);
            }
        }
        Ok(())
    }

    #[test]
    fn channels_are_named_in_alphabetical_order() {
        let names = |components| channels(components).collect::<Vec<_>>().concat();
        assert_eq!([1, 2, 3, 4].map(names), ["Y", "GR", "BGR", "ABGR"]);
    }

    #[test]
    fn every_row_lies_where_the_table_says() -> Result<()> {
        for components in 1..=4 {
            let array = counted(3, 5, components);
            let mut bytes = Vec::new();
            write_to(&mut bytes, &array)?;
            let table = head(&array).len();
            for (y, row) in array.values.chunks_exact(5 * components).enumerate() {
                let word = |place: usize| [0, 1, 2, 3].map(|byte| bytes[place + byte]);
                let start = u32::from_le_bytes(word(table + 8 * y)) as usize;
                assert_eq!(u32::from_le_bytes(word(start)), y as u32);
                assert_eq!(u32::from_le_bytes(word(start + 4)), 20 * components as u32);
                // the last channel of the file is R, or Y: component 0
                let last = start + 8 + 20 * (components - 1);
                assert_eq!(f32::from_le_bytes(word(last)), row[0]);
            }
        }
        Ok(())
    }

    #[test]
    fn an_array_that_does_not_add_up_is_refused() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.exr");
        assert!(write(&path, &Array { values: vec![], ..counted(2, 2, 1) }).is_err());
        assert!(!path.exists());
        write(&path, &counted(2, 2, 1))?;
        assert!(path.exists());
        Ok(())
    }
}
