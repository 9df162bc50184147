//! Pyramids: down through domains, up through domains, and back.

use quadrille::streams::Pyramid;
use quadrille::{Buffer, Gpu, Result};
use quadrille_oracle::streams::Image;

use crate::support::{Random, SIZES, on_gpu};

const U: f64 = 1.0 / (1 << 24) as f64;

fn built(gpu: &Gpu, width: u32, height: u32, components: usize) -> Result<(Vec<f32>, Pyramid)> {
    let pixels = Random(12).floats((width * height) as usize * components);
    let image = gpu.buffer(width, height).components(components).init(&pixels)?;
    let mut pyramid = Pyramid::new(gpu, width, height, components)?;
    pyramid.build(&image)?;
    Ok((pixels, pyramid))
}

fn as_image(buffer: &Buffer) -> Result<Image> {
    let (width, pixels) = (buffer.width() as usize, buffer.data()?);
    Ok(Image::new(width, buffer.height() as usize, |x, y| f64::from(pixels[y * width + x])))
}

fn largest(a: &Image, b: &Image) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    a.pixels.iter().zip(&b.pixels).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Weights of up to four roundings, a product and two sums, for each side: at most 14 roundings of numbers up to 1.
const HALVING: f64 = 14.0 * U;

#[test]
fn every_level_matches_f64_of_the_level_before() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let (_, pyramid) = built(gpu, width, height, 1)?;
            for k in 1..pyramid.len() {
                let expected = as_image(pyramid.level(k - 1))?.halved();
                let error = largest(&as_image(pyramid.level(k))?, &expected);
                assert!(error <= HALVING, "level {k} of {width}x{height} is {error:e} off");
            }
            let last = pyramid.level(pyramid.len());
            assert_eq!((last.width(), last.height()), (1, 1));
        }
        Ok(())
    })
}

#[test]
fn every_level_has_the_mean_of_the_image() -> Result<()> {
    let mean = |image: &Image| image.pixels.iter().sum::<f64>() / image.pixels.len() as f64;
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let (_, pyramid) = built(gpu, width, height, 1)?;
            let whole = mean(&as_image(pyramid.level(0))?);
            for k in 1..pyramid.len() {
                let error = (mean(&as_image(pyramid.level(k))?) - whole).abs();
                assert!(error <= k as f64 * HALVING, "level {k} of {width}x{height} is {error:e} off");
            }
        }
        Ok(())
    })
}

/// The position interpolated is within 6·side·2⁻²⁴ of a texel, along each side of the larger image, whose neighbours differ by up to 2;
/// three interpolations of a product and a sum, and the subtraction of the corner, round numbers up to 1.
#[test]
fn levels_are_stretched_as_by_f64() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let (_, mut pyramid) = built(gpu, width, height, 1)?;
            for k in 0..pyramid.len() {
                for (w, h) in [(width, height), (3 * width + 1, 2 * height), (5, 7)] {
                    let target = gpu.buffer(w, h).build()?;
                    pyramid.stretch(k, &target)?;
                    let level = as_image(pyramid.level(k))?;
                    let expected = level.stretched(w as usize, h as usize);
                    let error = largest(&as_image(&target)?, &expected);
                    let side = width.max(height).max(w).max(h);
                    let bound = 2.0 * 2.0 * 6.0 * f64::from(side) * U + 12.0 * U;
                    assert!(error <= bound, "level {k} of {width}x{height} to {w}x{h} is {error:e} off");
                }
            }
        }
        Ok(())
    })
}

/// A level: the difference (at most 2) and the sum round once each, 3 U, and what the stretched levels differ by comes on top: they are made
/// of levels as far off as all smaller ones are together, and round by at most 4 U each of the two times.
#[test]
fn details_added_up_are_the_image_again() -> Result<()> {
    on_gpu(|gpu| {
        for components in [1, 4] {
            for &(width, height) in SIZES {
                let (pixels, mut pyramid) = built(gpu, width, height, components)?;
                pyramid.split()?;
                for k in 0..pyramid.len() - 1 {
                    let details = pyramid.details(k).map(Buffer::len);
                    assert_eq!(details, Some(pyramid.level(k).len()));
                }
                let image = gpu.buffer(width, height).components(components).build()?;
                pyramid.reconstruct(&image)?;
                let bound = (11 * (pyramid.len() - 1)) as f64 * U;
                for (found, pixel) in image.data()?.into_iter().zip(&pixels) {
                    let error = f64::from(found - pixel).abs();
                    assert!(error <= bound, "{width}x{height}: {error:e}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn details_and_the_smallest_level_are_all_that_is_needed() -> Result<()> {
    on_gpu(|gpu| {
        let (_, mut pyramid) = built(gpu, 31, 57, 1)?;
        pyramid.split()?;
        // Without details the image is its mean.
        for k in 0..pyramid.len() - 1 {
            if let Some(details) = pyramid.details(k) {
                details.write(&vec![0.0; details.len()])?;
            }
        }
        let image = gpu.buffer(31, 57).build()?;
        pyramid.reconstruct(&image)?;
        let mean = pyramid.level(pyramid.len()).data()?[0];
        assert!(image.data()?.into_iter().all(|pixel| f64::from(pixel - mean).abs() <= 12.0 * U));
        Ok(())
    })
}

#[test]
fn what_is_not_finite_stays_in_the_pixels_that_cover_it() -> Result<()> {
    on_gpu(|gpu| {
        let mut pixels = vec![1.0; 32 * 6];
        pixels[2] = f32::INFINITY;
        let image = gpu.buffer(32, 6).init(&pixels)?;
        let mut pyramid = Pyramid::new(gpu, 32, 6, 1)?;
        pyramid.build(&image)?;
        let level = pyramid.level(1).data()?;
        for (i, pixel) in level.into_iter().enumerate() {
            assert_eq!(pixel, if i == 1 { f32::INFINITY } else { 1.0 }, "pixel {i}");
        }
        Ok(())
    })
}
