//! Files of the page, as bytes.

use anyhow::Result;
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
