//! Golden pictures: what a shader drew once, kept in a file.

use std::path::Path;

use super::close::{Tolerance, differing, incomparable, pictures, told};
use super::image::Image;
use crate::Error;

/// The report of [`assert_golden!`](crate::assert_golden), or nothing if the two are close.
#[doc(hidden)]
pub fn golden_report(
    found: &Image,
    path: impl AsRef<Path>,
    tolerance: impl Into<Tolerance>,
) -> Option<String> {
    let (path, tolerance) = (path.as_ref(), tolerance.into());
    let update = std::env::var("UPDATE_GOLDEN").is_ok_and(|word| !word.is_empty() && word != "0");
    if update {
        return found.save(path).err().map(|error| error.to_string());
    }
    let expected = match Image::open(path) {
        Ok(expected) => expected,
        Err(error @ Error::Io { .. }) if !path.exists() => {
            return Some(format!("{error}: UPDATE_GOLDEN=1 makes it"));
        }
        Err(error) => return Some(error.to_string()),
    };
    // A file always has four components: those that the shader has not are no part of the picture.
    let n = found.components();
    let expected = Image::from_fn(expected.width(), expected.height(), |x, y| expected.rgba(x, y)).first(n);
    if let Some(why) = incomparable(found, &expected) {
        return Some(format!("{}: {why}", path.display()));
    }
    // A PNG holds 0 to 1 alone, so what is beyond counts as if it had been stored.
    let kept = |value: f32| if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    let is_png = path.extension().is_some_and(|ending| ending == "png");
    let stored = if is_png { found.each(kept) } else { found.clone() };
    let differing = differing(&stored, &expected, tolerance)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut report = format!("{}: {}", path.display(), told(&stored, &expected, tolerance, &differing));
    report.push_str(&pictures(&stored, &expected, &name));
    report.push_str("\n  UPDATE_GOLDEN=1 keeps what was found");
    Some(report)
}

/// Panics unless an [`Image`](crate::testing::Image) is within a tolerance of the one in a file, a `.png` of bytes or an `.exr` of
/// floats. With `UPDATE_GOLDEN=1` in the environment it writes the file instead.
///
/// A PNG has steps of 1/255, so its tolerance is at least half of that, 0.00197.
#[macro_export]
macro_rules! assert_golden {
    ($found:expr, $path:expr, $tolerance:expr $(,)?) => {{
        let report = $crate::testing::golden_report(&$found, $path, $tolerance);
        assert!(report.is_none(), "{}", report.unwrap_or_default());
    }};
}
