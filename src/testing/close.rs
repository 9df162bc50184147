//! Comparison of images, and what is told of those that differ.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::image::Image;

/// The distance that a number may have from the expected one: `absolute` + `relative` · |expected|. A plain `f32` is an absolute one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In the units of the numbers.
    pub absolute: f32,
    /// In parts of the expected number.
    pub relative: f32,
}

impl From<f32> for Tolerance {
    fn from(absolute: f32) -> Tolerance {
        Tolerance { absolute, relative: 0.0 }
    }
}

impl Tolerance {
    /// Both together.
    pub const fn new(absolute: f32, relative: f32) -> Tolerance {
        Tolerance { absolute, relative }
    }

    /// NaN is as good as NaN, and ∞ as ∞ of its sign.
    fn allows(self, found: f32, expected: f32) -> bool {
        let same = found == expected || (found.is_nan() && expected.is_nan());
        // In 64 bits, so that the bound itself is not rounded.
        let bound = f64::from(self.absolute) + f64::from(self.relative) * f64::from(expected).abs();
        same || (expected.is_finite() && (f64::from(found) - f64::from(expected)).abs() <= bound)
    }

    fn describe(self) -> String {
        match (self.absolute, self.relative) {
            (absolute, 0.0) => format!("{absolute}"),
            (0.0, relative) => format!("{relative} of the expected"),
            (absolute, relative) => format!("{absolute} + {relative} of the expected"),
        }
    }
}

/// The distance of two texels: that of their worst component, ∞ where one of them alone is no number.
fn distance(found: &[f32], expected: &[f32]) -> f32 {
    let each = found.iter().zip(expected).map(|(found, expected)| match (found - expected).abs() {
        _ if found == expected || (found.is_nan() && expected.is_nan()) => 0.0,
        difference if difference.is_nan() => f32::INFINITY,
        difference => difference,
    });
    each.fold(0.0, f32::max)
}

/// Texels of two images of one size that lie too far apart.
pub(super) struct Differing {
    pub texels: usize,
    pub first: (u32, u32),
    pub worst: (u32, u32),
}

/// Compares the components that `expected` has.
pub(super) fn differing(found: &Image, expected: &Image, tolerance: Tolerance) -> Option<Differing> {
    let mut differing: Option<(Differing, f32)> = None;
    for (x, y) in (0..expected.height()).flat_map(|y| (0..expected.width()).map(move |x| (x, y))) {
        let (found, expected) = (&found[(x, y)], &expected[(x, y)]);
        if found.iter().zip(expected).all(|(found, expected)| tolerance.allows(*found, *expected)) {
            continue;
        }
        let far = distance(found, expected);
        match &mut differing {
            None => differing = Some((Differing { texels: 1, first: (x, y), worst: (x, y) }, far)),
            Some((known, worst)) => {
                known.texels += 1;
                if far > *worst {
                    (known.worst, *worst) = ((x, y), far);
                }
            }
        }
    }
    differing.map(|(differing, _)| differing)
}

/// Why the two cannot be compared at all.
pub(super) fn incomparable(found: &Image, expected: &Image) -> Option<String> {
    if let Some(fault) = expected.fault().or(found.fault()) {
        return Some(format!("no expected image: {fault}"));
    }
    let shape =
        |image: &Image| format!("{}x{}, {} components", image.width(), image.height(), image.components());
    let same = (found.width(), found.height()) == (expected.width(), expected.height());
    (!same || found.components() < expected.components())
        .then(|| format!("found {}; expected {}", shape(found), shape(expected)))
}

/// The report of [`assert_close!`](crate::assert_close), or nothing if the two are close.
#[doc(hidden)]
pub fn close_report(
    found: &Image,
    expected: &Image,
    tolerance: impl Into<Tolerance>,
    file: &str,
    line: u32,
) -> Option<String> {
    let tolerance = tolerance.into();
    if let Some(why) = incomparable(found, expected) {
        return Some(why);
    }
    let differing = differing(found, expected, tolerance)?;
    let mut report = told(found, expected, tolerance, &differing);
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    report.push_str(&pictures(found, expected, &format!("{stem}-{line}")));
    Some(report)
}

/// The lines of a report, pictures aside.
pub(super) fn told(found: &Image, expected: &Image, tolerance: Tolerance, differing: &Differing) -> String {
    let all = found.width() as usize * found.height() as usize;
    let mut report = match found.inputs() {
        Some(inputs) => format!("{} on {}: ", inputs.shader, inputs.dialect),
        None => String::new(),
    };
    let Differing { texels, first, worst } = *differing;
    let _ = write!(report, "{texels} of {all} texels differ by more than {}", tolerance.describe());
    let alone = first == worst;
    for (which, at) in [("first", first), ("worst", worst)].into_iter().take(if alone { 1 } else { 2 }) {
        let which = if alone { "first and worst" } else { which };
        let (found_at, expected_at) = (&found[at], &expected[at]);
        let _ = write!(
            report,
            "\n  {which} ({}, {}): found {found_at:?}, expected {expected_at:?}, difference {}",
            at.0,
            at.1,
            distance(found_at, expected_at)
        );
        if let Some(inputs) = found.inputs() {
            let _ = write!(report, "\n    of {}", inputs.describe(at, (found.width(), found.height())));
        }
    }
    report
}

/// Writes three pictures, and tells where they are.
pub(super) fn pictures(found: &Image, expected: &Image, name: &str) -> String {
    let folder = folder();
    let finite = || found.values().iter().chain(expected.values()).copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(0.0, f32::min), finite().fold(1.0, f32::max));
    let difference = Image::from_fn(found.width(), found.height(), |x, y| {
        let (found, expected) = (&found[(x, y)], &expected[(x, y)]);
        let each = |c: usize| match (found.get(c), expected.get(c)) {
            (Some(found), Some(expected)) => distance(&[*found], &[*expected]).min(f32::MAX),
            _ => 0.0,
        };
        [each(0), each(1), each(2)]
    });
    let worst = difference.values().iter().copied().fold(0.0, f32::max);
    let dialect = match found.inputs() {
        Some(inputs) if inputs.dialect.ends_with("ES") => "-es",
        _ => "",
    };
    let path = |what: &str| folder.join(format!("{name}{dialect}-{what}.png"));
    let written = found
        .show(&path("found"), low, high)
        .and_then(|()| expected.show(&path("expected"), low, high))
        .and_then(|()| difference.show(&path("difference"), 0.0, worst));
    match written {
        Ok(()) => format!(
            "\n  pictures: {}, black {low} and white {high}; {}, white {worst}; and that which was expected",
            path("found").display(),
            path("difference").display()
        ),
        Err(error) => format!("\n  no pictures: {error}"),
    }
}

/// The folder for pictures: `QUADRILLE_PICTURES`, else `shader-tests` in cargo's target folder, where the test lies.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("QUADRILLE_PICTURES").filter(|folder| !folder.is_empty()) {
        return folder.into();
    }
    let test = std::env::current_exe().unwrap_or_default();
    let deps = test.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "deps"));
    let target = deps.and_then(Path::parent).and_then(Path::parent);
    target.map_or_else(|| std::env::temp_dir().join("quadrille"), Path::to_owned).join("shader-tests")
}

/// The report of [`assert_finite!`](crate::assert_finite).
#[doc(hidden)]
pub fn finite_report(found: &Image) -> Option<String> {
    let places = || (0..found.height()).flat_map(|y| (0..found.width()).map(move |x| (x, y)));
    let is_bad = |at: &(u32, u32)| !found[*at].iter().all(|value| value.is_finite());
    let first = places().find(is_bad)?;
    let (bad, all) = (places().filter(is_bad).count(), places().count());
    let mut report = format!(
        "{bad} of {all} texels are not finite\n  first ({}, {}): {:?}",
        first.0, first.1, &found[first]
    );
    if let Some(inputs) = found.inputs() {
        let _ = write!(report, "\n    of {}", inputs.describe(first, (found.width(), found.height())));
    }
    Some(report)
}

/// Panics unless two [`Image`](crate::testing::Image)s of one size are within a tolerance of each other, in the components that the
/// second one has: an `f32`, or a [`Tolerance`](crate::testing::Tolerance).
///
/// Says how many texels differ, names the first and the worst with the inputs that led there, and writes three pictures:
/// found, expected and difference. NaN is as good as NaN.
#[macro_export]
macro_rules! assert_close {
    ($found:expr, $expected:expr, $tolerance:expr $(,)?) => {{
        let report = $crate::testing::close_report(&$found, &$expected, $tolerance, file!(), line!());
        assert!(report.is_none(), "{}", report.unwrap_or_default());
    }};
}

/// Panics if an [`Image`](crate::testing::Image) has a NaN or an ∞, naming the first texel with the inputs that led there.
#[macro_export]
macro_rules! assert_finite {
    ($found:expr $(,)?) => {{
        let report = $crate::testing::finite_report(&$found);
        assert!(report.is_none(), "{}", report.unwrap_or_default());
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_add_up_and_know_what_is_no_number() {
        let both = Tolerance::new(0.5, 0.25);
        assert!(
            both.allows(3.5, 4.0)
                && both.allows(5.5, 4.0)
                && !both.allows(5.6, 4.0)
                && both.allows(-5.5, -4.0)
        );
        let none = Tolerance::from(0.0);
        assert!(
            none.allows(f32::NAN, f32::NAN)
                && none.allows(f32::INFINITY, f32::INFINITY)
                && none.allows(0.0, -0.0)
        );
        let wide = Tolerance::new(f32::MAX, 1.0);
        assert!(
            !wide.allows(f32::NAN, 1.0) && !wide.allows(1.0, f32::NAN) && !wide.allows(f32::INFINITY, 1.0)
        );
        assert!(!wide.allows(1.0, f32::INFINITY) && !wide.allows(f32::NEG_INFINITY, f32::INFINITY));
        assert_eq!(distance(&[1.0, f32::NAN], &[1.5, 0.0]), f32::INFINITY);
    }
}
