//! Comparison, reports, pictures, golden files.

use std::panic::catch_unwind;
use std::path::PathBuf;
use std::{fs, process};

use quadrille::testing::{self, Image, Tolerance, assert_close, assert_finite, assert_golden, close_report};
use quadrille::{Error, Result};

const SCALE: &str = "#version 330 core
    uniform sampler2D scene; uniform float exposure; in vec2 uv; out vec3 colour;
    void main() { colour = texture(scene, uv).rgb * exposure; }";

#[test]
fn a_report_names_the_first_and_the_worst_texel_with_their_inputs() -> Result<()> {
    testing::both(|gpu| {
        let scene = Image::from_fn(4, 3, |x, y| [x as f32, y as f32, 0.0]);
        let found = gpu.shader(SCALE)?.texture("scene", &scene)?.set("exposure", 2.0)?.draw(4, 3)?;
        let right = |at: &testing::At| at.texel("scene").map(|v| v * at.number("exposure"));
        assert_close!(found, found.expected(|at| right(at)[0]), 0.0);
        let wrong = found.expected(|at| match (at.x(), at.y()) {
            (1, 0) => [2.5, 0.0, 0.0],
            (3, 2) => [6.0, 14.0, 0.0],
            _ => right(at)[..3].try_into().unwrap_or([0.0; 3]),
        });
        let Some(report) = close_report(&found, &wrong, 0.25, "some/where.rs", 7) else { return Err(none()) };
        let dialect = if gpu.driver().embedded { "OpenGL ES" } else { "OpenGL" };
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(
            lines[0],
            format!("fragment shader on {dialect}: 2 of 12 texels differ by more than 0.25")
        );
        assert_eq!(
            lines[1],
            "  first (1, 0): found [2.0, 0.0, 0.0], expected [2.5, 0.0, 0.0], difference 0.5"
        );
        assert_eq!(
            lines[2],
            "    of gl_FragCoord (1.5, 0.5), uv (0.375, 0.16666667), scene (4x3) [1.0, 0.0, 0.0, 1.0], exposure 2"
        );
        assert_eq!(
            lines[3],
            "  worst (3, 2): found [6.0, 4.0, 0.0], expected [6.0, 14.0, 0.0], difference 10"
        );
        let Some(path) = lines[5].strip_prefix("  pictures: ").and_then(|rest| rest.split(", black").next())
        else {
            return Err(none());
        };
        for what in ["found", "expected", "difference"] {
            let picture = Image::open(path.replace("found", what))?;
            assert_eq!((picture.width(), picture.height()), (4, 3), "{what}");
            // The worst texel is white in the picture of the difference, and stands in the highest row.
            assert!(what != "difference" || (picture[(3, 2)][1] == 1.0 && picture[(0, 0)][..3] == [0.0; 3]));
        }
        assert!(close_report(&found, &wrong, Tolerance::new(0.5, 0.72), "", 1).is_none());
        Ok(())
    })
}

fn none() -> Error {
    Error::BadParameter { name: "report", found: "none".into(), expected: "one".into() }
}

#[test]
fn images_that_cannot_be_compared_are_told_so() {
    let (a, b) = (Image::random(2, 3, 1), Image::random(3, 2, 1));
    let report = close_report(&a, &b, 1.0, "", 1);
    assert_eq!(report.as_deref(), Some("found 2x3, 4 components; expected 3x2, 4 components"));
    let asked = a.expected(|at| at.number("exposure"));
    let report = close_report(&a, &asked, 1.0, "", 1).unwrap_or_default();
    assert_eq!(report, "no expected image: no uniform \"exposure\" was handed over: there is none");
}

#[test]
fn asserts_panic_and_name_what_is_not_finite() {
    let image = Image::from_fn(3, 2, |x, y| if (x, y) == (2, 1) { f32::NAN } else { 1.0 });
    assert_close!(image, image, 0.0);
    let panic = catch_unwind(|| assert_finite!(image)).err();
    let words = panic.as_ref().and_then(|panic| panic.downcast_ref::<String>()).map_or("", String::as_str);
    assert_eq!(words, "1 of 6 texels are not finite\n  first (2, 1): [NaN]");
    let other = image.map(|_| 1.0);
    assert!(catch_unwind(|| assert_close!(image, other, 1e9)).is_err(), "NaN alone is far from everything");
}

#[test]
fn golden_pictures_are_held_to_their_tolerance() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("quadrille-golden-{}", process::id()));
    let check =
        |file: &PathBuf, image: &Image, tolerance: f32| testing::golden_report(image, file, tolerance);
    let image = Image::random(5, 4, 9);
    for (ending, tolerance) in [("png", 0.6 / 255.0), ("exr", 0.0)] {
        let file = folder.join("deep").join(format!("golden.{ending}"));
        let missing = check(&file, &image, tolerance).unwrap_or_default();
        assert!(missing.contains("golden.") && missing.ends_with("UPDATE_GOLDEN=1 makes it"), "{missing}");
        image.save(&file)?;
        assert_golden!(image, &file, tolerance);
        assert_eq!(Image::open(&file)?[(4, 3)].len(), 4);
        let other = Image::from_fn(5, 4, |x, y| {
            if (x, y) == (0, 3) { [0.0; 4] } else { [0, 1, 2, 3].map(|c| image[(x, y)][c]) }
        });
        let report = check(&file, &other, tolerance).unwrap_or_default();
        assert!(
            report.contains("1 of 20 texels differ") && report.contains("first and worst (0, 3)"),
            "{report}"
        );
    }
    fs::remove_dir_all(&folder).map_err(|cause| Error::Io { path: folder.clone(), cause })
}

#[test]
fn buffers_are_compared_as_images_are() -> Result<()> {
    testing::on_gpu(|gpu| {
        let buffer = gpu.buffer(3, 2).components(2).init_from((0..12).map(|i| i as f32))?;
        let expected = Image::from_fn(3, 2, |x, y| [(6 * y + 2 * x) as f32, (6 * y + 2 * x + 1) as f32]);
        assert_close!(Image::of(&buffer)?, expected, 0.0);
        let list = Image::of(&gpu.array(7).init_from(0..7)?)?;
        assert_close!(list, Image::from_fn(7, 1, |x, _| x as f32), 0.0);
        let wrong = expected.map(|[a, b, _, _]| [a, b + 1.0]);
        let wrong = close_report(&Image::of(&buffer)?, &wrong, 0.5, "some/where.rs", 7);
        assert!(wrong.is_some_and(|report| report.contains("6 of 6 texels differ")));
        Ok(())
    })
}
