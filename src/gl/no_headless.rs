//! In place of a context without a window, on macOS: glutin has no EGL there.
//!
//! macOS has no EGL: glutin's EGL is not there, so `src/gl/no_headless.rs` stands for `headless.rs` and refuses in a
//! line.

use super::Api;
use super::context::Owner;
use crate::{Error, Result};

/// No context: nothing makes one.
pub(super) struct Headless {
    pub device: String,
}

impl Headless {
    /// Refuses, on every device.
    pub fn new(_: Api, _: Option<&str>) -> Result<(Headless, glow::Context)> {
        Err(none())
    }
}

impl Owner for Headless {
    fn make_current(&self) {}
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
        let told =
            Headless::new(Api::Gl, None).map(|(headless, _)| headless.device).map_err(|e| e.to_string());
        let expected = "no OpenGL context: macOS has no EGL; contexts without a window come later on macOS, where those of \
                        windows work";
        assert_eq!(told, Err(expected.into()));
        assert!(devices().is_err());
    }
}
