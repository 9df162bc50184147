//! In place of the bare start, on macOS: glutin has no EGL there.

/// Refuses.
///
/// # Errors
/// Always.
pub fn start(_: bool, _: usize) -> Result<[f32; 2], String> {
    Err("macOS has no EGL".to_owned())
}
