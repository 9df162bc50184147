//! Pictures of 8 bits a channel, and PNG files of them.

use super::{Array, atomic};
use anyhow::Result;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
pub use quadrille_gallery::image::Image as Picture;
use std::collections::HashMap;
use std::path::Path;

/// Writes a PNG file.
///
/// # Errors
/// Those of [`Picture::check`] and of [`atomic::write`].
pub fn write_png(path: &Path, picture: &Picture) -> Result<()> {
    png_draft(path, picture)?.commit()
}

/// The draft of such a file.
///
/// # Errors
/// Those of [`Picture::check`] and of [`atomic::draft`].
pub fn png_draft(path: &Path, picture: &Picture) -> Result<atomic::Draft> {
    atomic::draft(path, |file| {
        picture.check()?;
        let Picture { width, height, ref rgba } = *picture;
        match indexed(rgba) {
            Some((palette, indices)) => {
                let mut encoder = png::Encoder::new(file, width, height);
                encoder.set_color(png::ColorType::Indexed);
                encoder.set_palette(palette);
                encoder.set_compression(png::Compression::High);
                // Neighbours in a palette are neighbours in a picture of numbers, and deflate finds the rest.
                encoder.set_filter(png::Filter::NoFilter);
                let mut writer = encoder.write_header()?;
                writer.write_image_data(&indices)?;
                Ok(writer.finish()?)
            }
            None if rgba.chunks_exact(4).all(|pixel| pixel[3] == 255) => {
                let rgb: Vec<u8> =
                    rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
                let mut encoder = png::Encoder::new(file, width, height);
                encoder.set_color(png::ColorType::Rgb);
                encoder.set_compression(png::Compression::Balanced);
                let mut writer = encoder.write_header()?;
                writer.write_image_data(&rgb)?;
                Ok(writer.finish()?)
            }
            None => Ok(PngEncoder::new(file).write_image(rgba, width, height, ExtendedColorType::Rgba8)?),
        }
    })
}

/// A palette and an index a pixel, of opaque pixels of 256 colours at most: a third of the bytes.
fn indexed(rgba: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut known: HashMap<[u8; 3], u8> = HashMap::new();
    let (mut palette, mut indices) = (Vec::new(), Vec::with_capacity(rgba.len() / 4));
    for pixel in rgba.chunks_exact(4) {
        let colour = [pixel[0], pixel[1], pixel[2]];
        let index = match known.get(&colour) {
            _ if pixel[3] != 255 => return None,
            Some(index) => *index,
            None => {
                let index = u8::try_from(known.len()).ok()?;
                known.insert(colour, index);
                palette.extend(colour);
                index
            }
        };
        indices.push(index);
    }
    Some((palette, indices))
}

/// The draft of a PNG file of numbers: of 1 to 4 components grey, grey and alpha, colours, or colours and alpha. Numbers from 0 to
/// 1 are rounded to the nearest of 0 to 255; what is below is 0, what is above is 255, and what is no number is 0.
///
/// # Errors
/// Those of [`Array::check`] and of [`atomic::draft`]; a side that no PNG has.
pub fn numbers_draft(path: &Path, array: &Array) -> Result<atomic::Draft> {
    let kinds =
        [ExtendedColorType::L8, ExtendedColorType::La8, ExtendedColorType::Rgb8, ExtendedColorType::Rgba8];
    atomic::draft(path, |file| {
        array.check()?;
        let Array { height, width, components, ref values } = *array;
        let (width, height) = (u32::try_from(width)?, u32::try_from(height)?);
        // A cast takes NaN to 0.
        let bytes: Vec<u8> =
            values.iter().map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
        Ok(PngEncoder::new(file).write_image(&bytes, width, height, kinds[components - 1])?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_reads_back_at_every_size() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.png");
        for (width, height) in [(1, 1), (1, 2), (2, 1), (11, 10), (31, 57), (256, 128)] {
            let rgba: Vec<u8> = (0..4 * width * height).map(|byte| (byte * 7) as u8).collect();
            write_png(&path, &Picture { width, height, rgba: rgba.clone() })?;
            let read = image::open(&path)?.into_rgba8();
            assert_eq!((read.dimensions(), read.into_vec()), ((width, height), rgba));
        }
        Ok(())
    }

    #[test]
    fn few_colours_take_a_byte_a_pixel_and_any_others_stay_as_they_are() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.png");
        // 256 colours, one more, and one that is not opaque.
        for (colours, alpha, kind) in [(256u32, 255u8, 3), (257, 255, 2), (9, 254, 6)] {
            let pixel = |at: u32| [(at % colours) as u8, (at % colours / 256) as u8, 7, alpha];
            let rgba: Vec<u8> = (0..60 * 50).flat_map(pixel).collect();
            write_png(&path, &Picture { width: 60, height: 50, rgba: rgba.clone() })?;
            let read = image::open(&path)?.into_rgba8();
            assert!(read.into_vec() == rgba, "{colours}");
            // The kind of colours in the header: 3 for a palette, 2 for red, green and blue, and 6 for these and alpha.
            assert_eq!(std::fs::read(&path)?[25], kind);
        }
        Ok(())
    }

    #[test]
    fn pixels_become_squares() {
        let [a, b] = [[1, 2, 3, 255], [9, 8, 7, 255]];
        let picture = Picture { width: 2, height: 1, rgba: [a, b].concat() };
        let expected = Picture { width: 4, height: 2, rgba: [a, a, b, b, a, a, b, b].concat() };
        assert_eq!(picture.enlarged(2), expected);
    }

    #[test]
    fn a_picture_that_does_not_add_up_is_not_written() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.png");
        for (width, height, bytes) in [(2, 2, 15), (0, 2, 0), (u32::MAX, u32::MAX, 4)] {
            let error = write_png(&path, &Picture { width, height, rgba: vec![0; bytes] }).err();
            let reason = format!("a picture of {width} x {height} cannot be made of {bytes} bytes");
            assert_eq!(error.map(|error| error.to_string()), Some(format!("{}: {reason}", path.display())));
        }
        assert!(!path.exists());
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported() {
        let picture = Picture {
            width: 300,
            height: 300,
            rgba: (0..360_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect(),
        };
        let error = write_png(Path::new("/dev/full"), &picture).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("/dev/full: No space left on device"));
    }
}
