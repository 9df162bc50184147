//! Files in and out: NumPy arrays, Matrix Market matrices, meshes, PNG pictures, GIF animations, OpenEXR images.
//!
//! Every file is written through a temporary name and a rename ([`atomic`]), and every error is one line
//! that begins with the file's own name.
//!
//! ```text
//! atomic    a draft beside the file, renamed onto it when it is complete
//! npy       Array <-> .npy          float32, height x width x components
//! npz       Named <-> .npz          arrays by their names
//! mtx       Csr   <-  .mtx          real matrices of every kind; dense ones and vectors in both directions
//! mesh      Mesh  <-> .obj, .ply   triangles, text or binary
//! csv       Table <-> .csv          numbers between commas
//! table     Table <-> any of these three, by the extension
//! exr       Array  -> .exr          the same numbers, one named channel a component
//! picture   Picture -> .png         8 bits a channel, row 0 on top
//! grey      Array <-> .png          shades of grey or all channels, 0 to 1, of 8 or 16 bits
//! gif       Picture... -> .gif      one animation, encoded as its frames arrive
//! lines     a text file line by line
//! distinct  that no two outputs are one file
//! output    what a demo writes to: one file, numbered files or an animation, by the extension
//! ```

pub mod atomic;
pub mod csv;
pub mod distinct;
pub mod exr;
#[cfg(test)]
mod fed;
pub mod gif;
pub mod grey;
pub mod lines;
pub mod mesh;
pub mod mtx;
pub mod npy;
pub mod npz;
pub mod output;
pub mod picture;
pub mod table;

pub use distinct::{Written, distinct, not_replaced};
pub use npy::Array;
pub use output::Output;
pub use picture::Picture;
pub use quadrille::error::{shown, shown_bytes, shown_message};
pub use quadrille_gallery::demo::named;

use std::path::{Path, PathBuf};

/// Confirms that a file to be written is called what it is: `out.npy`, because it holds a NumPy array.
///
/// # Errors
/// Another extension.
pub fn check_extension(path: &Path, extension: &str, holds: &str) -> anyhow::Result<()> {
    match path.extension() {
        Some(found) if found.eq_ignore_ascii_case(extension) => Ok(()),
        _ => anyhow::bail!("{}: holds {holds}, so its name must end in .{extension}", shown(path)),
    }
}

/// The user's folder for the state of programs, our part of it: it need not exist yet.
pub fn state_folder() -> Option<PathBuf> {
    let folder =
        |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local/state")))
        .or_else(|| folder("LOCALAPPDATA"))?;
    Some(state.join("quadrille"))
}

/// A line about XDG_STATE_HOME where [`state_folder`] passes it over: the XDG Base Directory Specification has programs ignore
/// a relative path.
pub fn ignored_state_home() -> Option<String> {
    let given = PathBuf::from(std::env::var_os("XDG_STATE_HOME")?);
    let ignored = given.is_relative() && !given.as_os_str().is_empty();
    ignored.then(|| {
        let path = shown(given);
        format!("XDG_STATE_HOME is \"{path}\": ignored, as the XDG specification has it of a relative path")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Error;

    #[test]
    fn an_error_is_one_line_that_begins_with_the_file() {
        let full = named(Path::new("a/b.png"), Error::from_raw_os_error(28)).to_string();
        assert_eq!(full, "a/b.png: No space left on device");
        let two = anyhow::anyhow!("a cause\nin two lines").context("what happened");
        assert_eq!(named(Path::new("x"), two).to_string(), "x: what happened: a cause in two lines");
    }
}
