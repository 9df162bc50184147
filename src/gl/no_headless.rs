//! Stands for `headless.rs` on macOS, where glutin has no EGL: refuses a context without a window in one line.

use std::rc::Rc;

use super::context::{Context, Options};
use crate::{Error, Result};

/// Refuses, on every device.
pub(crate) fn headless(options: Options) -> Result<Rc<Context>> {
    options.or_environment()?;
    Err(none())
}

/// The names of all EGL devices: there is no EGL.
///
/// # Errors
/// [`Error::NoContext`], always.
pub fn devices() -> Result<Vec<String>> {
    Err(none())
}

fn none() -> Error {
    Error::NoContext {
        tried: vec!["macOS has no EGL".into()],
        hint: "contexts without a window come later on macOS, where those of windows work".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macos_is_told_what_works_there() {
        let told = headless(Options::default()).map(|_| ()).map_err(|error| error.to_string());
        let expected = "no OpenGL context: macOS has no EGL; contexts without a window come later on macOS, where those of \
                        windows work";
        assert_eq!(told, Err(expected.into()));
        assert!(devices().is_err());
    }
}
