//! The built-in kernels, by the name of their file under `glsl/`.

use crate::gl::{Kernel, kernel_text};
use crate::{Error, Result};

/// Name and text of each: the files that `build.rs` finds.
pub const ALL: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The built-in kernel of that name, with the words of all kernels. Whoever loads one that needs more of them says so, by
/// [`Kernel::with`].
///
/// # Errors
/// [`Error::UnknownKernel`] with the list of those there are.
pub fn named(name: &str) -> Result<Kernel> {
    match ALL.iter().find(|kernel| kernel.0 == name) {
        Some((_, built_in)) => Ok(Kernel::new(name, kernel_text(name, built_in))),
        None => {
            let has = ALL.iter().map(|kernel| kernel.0.to_owned()).collect();
            Err(Error::UnknownKernel { name: name.to_owned(), has })
        }
    }
}
