//! Files of the page, as bytes.

use anyhow::{Result, anyhow};
use quadrille_gallery::demo::named;
use quadrille_gallery::files::npz as archive;
use quadrille_gallery::image::Image;
use quadrille_gallery::state::State;

/// The bytes of a picture's `.png`.
pub fn png(image: &Image) -> Result<Vec<u8>> {
    image.check()?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&image.rgba)?;
    writer.finish()?;
    Ok(bytes)
}

/// The picture in the bytes of a `.png`.
///
/// # Errors
/// No such picture.
pub fn image(bytes: &[u8]) -> Result<Image> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or_else(|| anyhow!("too large"))?];
    let info = reader.next_frame(&mut pixels)?;
    pixels.truncate(info.buffer_size());
    // Grey with alpha, or all four.
    let rgba = match info.color_type {
        png::ColorType::GrayscaleAlpha => {
            pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
        }
        _ => pixels,
    };
    Ok(Image { width: info.width, height: info.height, rgba })
}

/// The bytes of a state's `.npz`, those that the program writes.
pub fn npz(state: &State) -> Result<Vec<u8>> {
    archive::to_bytes(&state.named())
}

/// The state in the bytes of a `.npz`.
///
/// # Errors
/// One line that begins with the file's name.
pub fn state(name: &str, bytes: Vec<u8>) -> Result<State> {
    let read = || State::of_named(archive::read_from(std::io::Cursor::new(bytes))?);
    read().map_err(|error| named(name.as_ref(), error))
}
