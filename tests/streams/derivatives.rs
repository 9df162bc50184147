//! Gradient and Laplacian from one kernel with two targets.

use quadrille::streams::Derivatives;
use quadrille::{Edges, Result};
use quadrille_oracle::streams::Image;

use crate::support::{Random, SIZES, on_gpu};

/// With u = 2⁻²⁴ and |f| ≤ 1: a difference of at most 2 and its product with 1/2h round three times with 1/2h itself; the Laplacian adds four
/// differences, at most 8 in all, in four more roundings, and 1/h² is two roundings off.
#[test]
fn both_targets_match_f64_within_their_roundings() -> Result<()> {
    let u = 2f64.powi(-24);
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            for edges in [Edges::Clamp, Edges::Repeat, Edges::Mirror] {
                for h in [1.0, 0.3] {
                    let pixels = Random(11).floats((width * height) as usize);
                    let image = gpu.buffer(width, height).edges(edges).init(&pixels)?;
                    let gradient = gpu.buffer(width, height).components(2).build()?;
                    let laplacian = gpu.buffer(width, height).build()?;
                    let before = gpu.counters().passes;
                    Derivatives::new(gpu, h)?.of(&image, &gradient, &laplacian)?;
                    assert_eq!(gpu.counters().passes - before, 1, "one pass for both");
                    let (width, height, h) = (width as usize, height as usize, f64::from(h));
                    let image = Image::new(width, height, |x, y| f64::from(pixels[y * width + x]));
                    let expected = image.derivatives(h, edges);
                    let (gradient, laplacian) = (gradient.data()?, laplacian.data()?);
                    let bounds = [3.0 * u * 1.0 / h, 3.0 * u * 1.0 / h, 8.0 * u * 8.0 / (h * h)];
                    for (i, expected) in expected.into_iter().enumerate() {
                        let found = [gradient[2 * i], gradient[2 * i + 1], laplacian[i]].map(f64::from);
                        for c in 0..3 {
                            let error = (found[c] - expected[c]).abs();
                            assert!(
                                error <= bounds[c],
                                "{c} of pixel {i} of {width}x{height} {edges:?}: {error:e}"
                            );
                        }
                    }
                }
            }
        }
        Ok(())
    })
}
