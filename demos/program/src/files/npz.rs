//! NumPy's `.npz` files of the system; what is in them is read by `quadrille_gallery::files`.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use anyhow::{Result, ensure};
use quadrille_gallery::files::npz;
pub use quadrille_gallery::state::Named;

use super::{atomic, named};

/// Returns true if a file is called what a state is.
pub fn is_npz(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"))
}

/// Writes these arrays, in that order.
///
/// # Errors
/// Those of [`atomic::write`]; two arrays of one name.
pub fn write(path: &Path, arrays: &[Named]) -> Result<()> {
    let bytes = npz::to_bytes(arrays).map_err(|error| named(path, error))?;
    atomic::write(path, |file| Ok(file.write_all(&bytes)?))
}

/// Reads all arrays of a file, in its order.
///
/// # Errors
/// One line with the path: no such file, and those of [`npz::read_from`].
pub fn read(path: &Path) -> Result<Vec<Named>> {
    let arrays = || -> Result<Vec<Named>> {
        let file = File::open(path)?;
        ensure!(!file.metadata()?.is_dir(), "is a directory, where a .npz file was expected");
        npz::read_from(BufReader::new(file))
    };
    arrays().map_err(|error| named(path, error))
}
