//! Arrays and pictures in and out, by the extension of the file.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use quadrille::{Buffer, Edges, Gpu};
use quadrille_gallery::given::Given;

use crate::files::atomic::Draft;
use crate::files::{Array, grey, named, npy, picture, shown};

/// A kind of file that holds an array.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Floats of any number of components.
    Npy,
    /// Channels of 8 or 16 bits.
    Png,
}

impl Kind {
    /// The kind that the extension of `path` names, in capital letters or small.
    ///
    /// # Errors
    /// Another extension, or none.
    pub fn of(path: &Path) -> Result<Kind> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("npy") => Ok(Kind::Npy),
            Some("png") => Ok(Kind::Png),
            _ => bail!(
                "{}: holds a NumPy array or a picture, so its name must end in .npy or .png",
                shown(path)
            ),
        }
    }
}

/// A buffer with what `text` says: numbers, noise, or what a file holds: a picture by its name, else a NumPy array; of one
/// dimension, an array folded into a texture. Numbers in a row are a field of one row.
///
/// # Errors
/// Those of the text, of the file and of the buffer.
pub fn load(gpu: &Gpu, name: &str, text: &str, edges: Edges) -> Result<Buffer> {
    let file = Path::new(text);
    let limit = gpu.limits().texture_size;
    let fits = |width: u32, height: u32| {
        ensure!(width.max(height) <= limit, "is {width}x{height}: the limit is {limit} a side");
        Ok(())
    };
    let (array, is_row) = match (Given::of(text)?, Kind::of(file)) {
        (Some(given), _) => {
            let (width, height) = given.size();
            let sides = (u32::try_from(width).unwrap_or(u32::MAX), u32::try_from(height).unwrap_or(u32::MAX));
            fits(sides.0, sides.1).map_err(|error| error.context(format!("--stream {}", shown(name))))?;
            (given.array(), false)
        }
        (None, Ok(Kind::Png)) => (grey::read_channels(file, fits)?, false),
        (None, _) => npy::read_any(file)?,
    };
    let Array { height, width, components, values } = array;
    let builder = match (is_row, u32::try_from(width), u32::try_from(height)) {
        (true, ..) => gpu.array(width),
        (false, Ok(width), Ok(height)) => gpu.buffer(width, height),
        _ => bail!("{}: sides of {width} x {height} are too long", shown(file)),
    };
    Ok(builder.components(components).edges(edges).named(name).init(&values)?)
}

/// The elements of a buffer; an array of one dimension is a row.
///
/// # Errors
/// Those of reading back.
pub fn held(buffer: &Buffer) -> Result<Array> {
    let (height, width) = match buffer.fold() {
        Some(_) => (1, buffer.len()),
        None => (buffer.height() as usize, buffer.width() as usize),
    };
    Ok(Array { height, width, components: buffer.components(), values: buffer.data()? })
}

/// The draft of a file with what a buffer holds.
///
/// # Errors
/// Those of the file; an array of one dimension as a picture.
pub fn draft(path: &Path, buffer: &Buffer) -> Result<Draft> {
    let is_row = buffer.fold().is_some();
    let array = held(buffer)?;
    match Kind::of(path)? {
        Kind::Npy if is_row && array.components > 1 => {
            let why =
                anyhow::anyhow!("{} numbers an element: an array of one dimension has one", array.components);
            Err(named(path, why))
        }
        Kind::Npy => npy::draft(path, &array, is_row),
        Kind::Png if is_row => Err(named(path, anyhow::anyhow!("an array of one dimension is no picture"))),
        Kind::Png => picture::numbers_draft(path, &array),
    }
}

/// The shape of a buffer, as people say it.
pub fn shape(buffer: &Buffer) -> String {
    if buffer.fold().is_some() {
        return format!("{}", buffer.len());
    }
    let channels =
        if buffer.components() == 1 { String::new() } else { format!(" x {}", buffer.components()) };
    format!("{} x {}{channels}", buffer.height(), buffer.width())
}
