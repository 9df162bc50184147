//! The built-in kernels, by the name of their file under `glsl/`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::gl::{Kernel, kernel_text};
use crate::{Error, Result};

/// Name and text of each: the files that `build.rs` finds.
pub const ALL: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

thread_local! {
    static REPLACED: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Puts a text in the place of a built-in kernel's, or brings that back; returns the text that was in its place. It holds on this
/// thread, for all that loads the kernel from now on: what has loaded it keeps what it has.
///
/// # Errors
/// [`Error::UnknownKernel`].
pub fn replace(name: &str, text: Option<String>) -> Result<Option<String>> {
    built_in(name)?;
    Ok(REPLACED.with_borrow_mut(|replaced| match text {
        Some(text) => replaced.insert(name.to_owned(), text),
        None => replaced.remove(name),
    }))
}

/// The built-in kernel of that name, or [what replaces it](replace), with the words of all kernels. Whoever loads one that needs more of them says so, by
/// [`Kernel::with`].
///
/// # Errors
/// [`Error::UnknownKernel`] with the list of those there are.
pub fn named(name: &str) -> Result<Kernel> {
    let built_in = built_in(name)?;
    match REPLACED.with_borrow(|replaced| replaced.get(name).cloned()) {
        Some(text) => Ok(Kernel::new(name, text)),
        None => Ok(Kernel::new(name, kernel_text(name, built_in))),
    }
}

/// The text of the kernel as it is built in.
///
/// # Errors
/// [`Error::UnknownKernel`] with the list of those there are.
pub fn built_in(name: &str) -> Result<&'static str> {
    ALL.iter().find(|kernel| kernel.0 == name).map(|kernel| kernel.1).ok_or_else(|| Error::UnknownKernel {
        name: name.to_owned(),
        has: ALL.iter().map(|kernel| kernel.0.to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_the_place_of_a_kernel_is_loaded_until_it_is_brought_back() -> Result<()> {
        let name = "linalg/pack.frag";
        assert_eq!(replace(name, Some("another".to_owned()))?, None);
        assert_eq!(named(name)?.text, "another");
        assert_ne!(built_in(name)?, "another");
        assert_eq!(replace(name, None)?.as_deref(), Some("another"));
        assert_eq!(named(name)?.text, built_in(name)?);
        let unknown = replace("linalg/no.frag", None).err();
        assert!(matches!(unknown, Some(Error::UnknownKernel { name, .. }) if name == "linalg/no.frag"));
        Ok(())
    }
}
