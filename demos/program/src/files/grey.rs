//! PNG pictures as 32-bit numbers: in shades of grey, or with all their channels.

use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use anyhow::{Error, Result, anyhow, bail, ensure};
use image::codecs::png::PngDecoder;
use image::{DynamicImage, ImageDecoder, ImageError};

use super::{Array, named};

/// The first bytes of every PNG.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Weights of red, green and blue, those of television of the time: their sum is 1.
const WEIGHTS: [f64; 3] = [0.299, 0.587, 0.114];

/// A picture's brightness, 0 to 1, row 0 on top; `check` is asked of its width and height before any pixel is read.
///
/// A grey g of 8 bits is g/255 to the last bit, one of 16 bits g/65535, and so are colours whose red, green and blue are the
/// same. Other colours are 0.299 red + 0.587 green + 0.114 blue. Alpha is ignored.
///
/// # Errors
/// One line with the path: no such file, a directory, no PNG, a damaged one or one that ends early, and what `check` says.
pub fn read(path: &Path, check: impl FnOnce(u32, u32) -> Result<()>) -> Result<Array> {
    read_from(path, check).map_err(|error| named(path, error))
}

/// All channels of a picture, 0 to 1, as the file has them: grey, grey and alpha, red, green and blue, or those and alpha. A number
/// of 8 bits is over 255 and one of 16 bits over 65535, each to the last bit.
///
/// # Errors
/// As [`read`].
pub fn read_channels(path: &Path, check: impl FnOnce(u32, u32) -> Result<()>) -> Result<Array> {
    let read = || {
        let image = decoded(path, check)?;
        let (width, height) = (image.width() as usize, image.height() as usize);
        let (components, values) = match image {
            DynamicImage::ImageLuma8(image) => (1, greys(image.as_raw(), 1, 255.0)),
            DynamicImage::ImageLuma16(image) => (1, greys(image.as_raw(), 1, 65535.0)),
            DynamicImage::ImageLumaA8(image) => (2, greys(image.as_raw(), 1, 255.0)),
            DynamicImage::ImageLumaA16(image) => (2, greys(image.as_raw(), 1, 65535.0)),
            DynamicImage::ImageRgb8(image) => (3, greys(image.as_raw(), 1, 255.0)),
            DynamicImage::ImageRgb16(image) => (3, greys(image.as_raw(), 1, 65535.0)),
            DynamicImage::ImageRgba8(image) => (4, greys(image.as_raw(), 1, 255.0)),
            DynamicImage::ImageRgba16(image) => (4, greys(image.as_raw(), 1, 65535.0)),
            other => bail!(unknown(&other)),
        };
        Ok(Array { height, width, components, values })
    };
    read().map_err(|error| named(path, error))
}

fn read_from(path: &Path, check: impl FnOnce(u32, u32) -> Result<()>) -> Result<Array> {
    let image = decoded(path, check)?;
    let (width, height) = (image.width() as usize, image.height() as usize);
    Ok(Array { height, width, components: 1, values: brightness(image)? })
}

fn decoded(path: &Path, check: impl FnOnce(u32, u32) -> Result<()>) -> Result<DynamicImage> {
    let file = File::open(path)?;
    ensure!(!file.metadata()?.is_dir(), "is a directory, where a .png file was expected");
    let (mut reader, mut bytes) = (BufReader::new(file), Vec::new());
    reader.by_ref().take(SIGNATURE.len() as u64).read_to_end(&mut bytes)?;
    ensure!(bytes.starts_with(&SIGNATURE), "is not a PNG: its first bytes are not those of one");
    reader.read_to_end(&mut bytes)?;
    check_palette(&bytes)?;
    let decoder = PngDecoder::new(Cursor::new(bytes)).map_err(explained)?;
    let (width, height) = decoder.dimensions();
    check(width, height)?;
    DynamicImage::from_decoder(decoder).map_err(explained)
}

/// Confirms that a palette is whole colours: png 0.18.1 panics at one that is not (image-png 694, mended there, not released).
fn check_palette(bytes: &[u8]) -> Result<()> {
    let mut rest = &bytes[SIGNATURE.len()..];
    while let Some(([a, b, c, d, kind @ ..], after)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let is_whole = kind != b"PLTE" || length.is_multiple_of(3);
        ensure!(is_whole, "a damaged PNG: a palette of {length} bytes, expected 3 a colour");
        rest = after.get(length.saturating_add(4)..).unwrap_or_default();
    }
    Ok(())
}

fn unknown(image: &DynamicImage) -> Error {
    anyhow!("a PNG of {:?}, which is neither grey nor red, green and blue", image.color())
}

fn brightness(image: DynamicImage) -> Result<Vec<f32>> {
    Ok(match image {
        DynamicImage::ImageLuma8(image) => greys(image.as_raw(), 1, 255.0),
        DynamicImage::ImageLumaA8(image) => greys(image.as_raw(), 2, 255.0),
        DynamicImage::ImageLuma16(image) => greys(image.as_raw(), 1, 65535.0),
        DynamicImage::ImageLumaA16(image) => greys(image.as_raw(), 2, 65535.0),
        DynamicImage::ImageRgb8(image) => colours(image.as_raw(), 3, 255.0),
        DynamicImage::ImageRgba8(image) => colours(image.as_raw(), 4, 255.0),
        DynamicImage::ImageRgb16(image) => colours(image.as_raw(), 3, 65535.0),
        DynamicImage::ImageRgba16(image) => colours(image.as_raw(), 4, 65535.0),
        other => bail!(unknown(&other)),
    })
}

/// The first of each `channels` numbers.
fn greys<T: Copy + Into<f32>>(values: &[T], channels: usize, white: f32) -> Vec<f32> {
    values.chunks_exact(channels).map(|pixel| pixel[0].into() / white).collect()
}

fn colours<T: Copy + Into<f32> + PartialEq>(values: &[T], channels: usize, white: f32) -> Vec<f32> {
    let brightness = |pixel: &[T]| {
        if pixel[0] == pixel[1] && pixel[1] == pixel[2] {
            return pixel[0].into() / white;
        }
        let weighed = WEIGHTS.iter().zip(pixel).map(|(weight, &v)| weight * f64::from(v.into()));
        ((weighed.sum::<f64>() / f64::from(white)) as f32).min(1.0)
    };
    values.chunks_exact(channels).map(brightness).collect()
}

/// The decoder's error, said once.
fn explained(error: ImageError) -> Error {
    let mut deepest: &dyn std::error::Error = &error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let ends = |error: &std::io::Error| error.kind() == ErrorKind::UnexpectedEof;
    let io = match &error {
        ImageError::IoError(error) => Some(error),
        _ => deepest.downcast_ref(),
    };
    match io {
        Some(error) if ends(error) => anyhow!("the file ends before its picture does"),
        _ => anyhow!("a damaged PNG: {deepest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

    fn png(width: u32, height: u32, colour: ExtendedColorType, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut png = Vec::new();
        PngEncoder::new(&mut png).write_image(bytes, width, height, colour)?;
        Ok(png)
    }

    fn read_bytes(bytes: &[u8]) -> Result<Array> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.png");
        std::fs::write(&path, bytes)?;
        read_from(&path, |_, _| Ok(()))
    }

    #[test]
    fn a_palette_that_ends_within_a_colour_is_refused() {
        let found = read_bytes(include_bytes!("../../tests/corpus/png/palette-of-4-bytes"));
        let line = found.err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(line, "a damaged PNG: a palette of 4 bytes, expected 3 a colour");
    }

    #[test]
    fn greys_of_every_kind_are_their_number_over_white_to_the_last_bit() -> Result<()> {
        let all: Vec<u8> = (0..=255).collect();
        let exact: Vec<f32> = all.iter().map(|&g| f32::from(g) / 255.0).collect();
        let grey = |copies: usize, alpha: bool| -> Vec<u8> {
            let pixel = |&g: &u8| [g].repeat(copies).into_iter().chain(alpha.then_some(g / 2));
            all.iter().flat_map(pixel).collect()
        };
        for (colour, bytes) in [
            (ExtendedColorType::L8, grey(1, false)),
            (ExtendedColorType::La8, grey(1, true)),
            (ExtendedColorType::Rgb8, grey(3, false)),
            (ExtendedColorType::Rgba8, grey(3, true)),
        ] {
            let array = read_bytes(&png(32, 8, colour, &bytes)?)?;
            assert_eq!((array.width, array.height, array.components), (32, 8, 1));
            assert_eq!(array.values, exact, "{colour:?}");
        }
        let wide: Vec<u16> = (0..=255).map(|g| g * 257 - g / 3).collect();
        let exact: Vec<f32> = wide.iter().map(|&g| f32::from(g) / 65535.0).collect();
        for (colour, copies) in [(ExtendedColorType::L16, 1), (ExtendedColorType::Rgb16, 3)] {
            let bytes: Vec<u8> = wide.iter().flat_map(|&g| g.to_ne_bytes().repeat(copies)).collect();
            assert_eq!(read_bytes(&png(16, 16, colour, &bytes)?)?.values, exact, "{colour:?}");
        }
        Ok(())
    }

    #[test]
    fn colours_are_weighed_and_white_is_1() -> Result<()> {
        let bytes = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 254];
        let values = read_bytes(&png(4, 1, ExtendedColorType::Rgb8, &bytes)?)?.values;
        let exact = [0.299, 0.587, 0.114, 1.0 - 0.114 / 255.0];
        assert!(
            values.iter().zip(exact).all(|(v, exact)| (f64::from(*v) - exact).abs() < 6e-8),
            "{values:?}"
        );
        Ok(())
    }

    #[test]
    fn what_is_no_png_is_said_once_and_in_one_line() -> Result<()> {
        let noise: Vec<u8> = (0..40_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let whole = png(200, 200, ExtendedColorType::L8, &noise)?;
        let mut broken = whole.clone();
        broken[20] ^= 1;
        for (bytes, expected) in [
            (&b""[..], "is not a PNG: its first bytes are not those of one"),
            (b"no picture", "is not a PNG: its first bytes are not those of one"),
            (&whole[..whole.len() / 2], "the file ends before its picture does"),
            (&whole[..20], "the file ends before its picture does"),
            (&broken, "a damaged PNG: "),
        ] {
            let error = read_bytes(bytes).err().map(|error| format!("{error:#}")).unwrap_or_default();
            assert!(error.starts_with(expected) && error.lines().count() == 1, "{error}");
        }
        let folder = tempfile::tempdir()?;
        let error =
            read(folder.path(), |_, _| Ok(())).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.ends_with(": is a directory, where a .png file was expected"), "{error}");
        Ok(())
    }

    #[test]
    fn a_picture_that_is_refused_is_not_decoded() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.png");
        let whole = png(30, 20, ExtendedColorType::L8, &[7; 600])?;
        std::fs::write(&path, &whole[..whole.len() - 20])?;
        let result = read(&path, |width, height| bail!("{width} and {height}"));
        let error = result.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.ends_with("a.png: 30 and 20"), "{error}");
        Ok(())
    }
}
