//! Pictures: which colour a number gets, and which way is up.

use quadrille::gl::{Format, Shape};
use quadrille::view::{ColourMap, Mapping};
use quadrille::{Gpu, Rect, Result};

use crate::pixels;
use crate::support::{SIZES, counting, on_gpu, refusal};

const MAGENTA: [u8; 4] = [255, 0, 255, 255];

/// Every colour another, and none of them magenta.
fn palette() -> [[u8; 3]; 256] {
    std::array::from_fn(|i| [i as u8, 255 - i as u8, (i * 7 % 251) as u8])
}

fn opaque([red, green, blue]: [u8; 3]) -> [u8; 4] {
    [red, green, blue, 255]
}

/// The pixels of a picture.
fn picture(gpu: &Gpu, values: &[f32], mapping: Mapping) -> Result<Vec<[u8; 4]>> {
    let buffer = gpu.buffer(values.len() as u32, 1).init(values)?;
    Ok(pixels(&ColourMap::new(gpu, &palette())?.picture(&buffer, mapping)?))
}

#[test]
fn each_of_256_values_gets_its_colour_exactly() -> Result<()> {
    on_gpu(|gpu| {
        let expected: Vec<[u8; 4]> = palette().map(opaque).to_vec();
        let values = counting(256);
        assert_eq!(picture(gpu, &values, Mapping::of_component(0, 0.0, 255.0))?, expected);
        let scaled: Vec<f32> = values.iter().map(|v| v / 32.0 - 5.0).collect();
        assert_eq!(picture(gpu, &scaled, Mapping::of_component(0, -5.0, 2.96875))?, expected);
        let reversed: Vec<[u8; 4]> = expected.iter().rev().copied().collect();
        assert_eq!(picture(gpu, &values, Mapping::of_component(0, 255.0, 0.0))?, reversed);
        Ok(())
    })
}

#[test]
fn values_between_get_the_nearest_colour() -> Result<()> {
    on_gpu(|gpu| {
        let values: Vec<f32> = counting(255).iter().flat_map(|v| [v + 0.45, v + 0.55]).collect();
        let expected =
            palette().windows(2).flat_map(|two| [opaque(two[0]), opaque(two[1])]).collect::<Vec<_>>();
        assert_eq!(picture(gpu, &values, Mapping::of_component(0, 0.0, 255.0))?, expected);
        Ok(())
    })
}

#[test]
fn values_beyond_the_ends_get_the_end_colours_and_nan_is_magenta() -> Result<()> {
    on_gpu(|gpu| {
        let values = [-1e30, f32::NEG_INFINITY, -0.0, 1.0, 1.0001, f32::INFINITY, f32::NAN];
        let (first, last) = (opaque(palette()[0]), opaque(palette()[255]));
        let expected = [first, first, first, last, last, last, MAGENTA];
        assert_eq!(picture(gpu, &values, Mapping::of_component(0, 0.0, 1.0))?, expected);
        let grey = Mapping { missing: [0.2, 0.4, 0.6], ..Mapping::of_component(0, 0.0, 1.0) };
        assert_eq!(picture(gpu, &values, grey)?[5..], [last, [51, 102, 153, 255]], "or in another colour");
        Ok(())
    })
}

#[test]
fn the_components_are_weighted_and_those_not_shown_do_not_matter() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        let values = [10.0, 20.0, 30.0, f32::NAN, f32::INFINITY, 40.0, 50.0, 60.0];
        let buffer = gpu.buffer(2, 1).components(4).init(&values)?;
        let mut shown = |channels| {
            let mapping = Mapping { channels, ..Mapping::of_component(0, 0.0, 255.0) };
            Ok(pixels(&map.picture(&buffer, mapping)?))
        };
        let colour = |i: usize| opaque(palette()[i]);
        assert_eq!(shown([0.0, 1.0, 0.0, 0.0])?, [colour(20), colour(40)]);
        assert_eq!(shown([0.0, 1.0, 2.0, 0.0])?, [colour(80), colour(140)]);
        assert_eq!(shown([0.0, 0.0, 0.0, 1.0])?, [MAGENTA, colour(60)]);
        assert_eq!(shown([1.0, 0.0, 0.0, 0.0])?, [colour(10), colour(255)]);
        Ok(())
    })
}

#[test]
fn row_0_is_the_top_row_of_a_picture_at_every_size() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let values: Vec<f32> = counting(n).iter().map(|v| v % 256.0).collect();
            let buffer = gpu.buffer(width, height).init(&values)?;
            let found = pixels(&map.picture(&buffer, Mapping::of_component(0, 0.0, 255.0))?);
            assert!(found.into_iter().eq(values.iter().map(|&v| opaque(palette()[v as usize]))));
        }
        Ok(())
    })
}

/// OpenGL's row 0 of a framebuffer is the lowest on a screen, so what is drawn lies upside down in memory:
/// the element of row 0 and column 0 is the pixel of the top row, which is the last, and column 0.
#[test]
fn what_is_drawn_on_a_framebuffer_stands_with_row_0_on_top_of_the_screen() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        let values = counting(11 * 10);
        let buffer = gpu.buffer(11, 10).init(&values)?;
        let shape = Shape { width: 30, height: 40, format: Format::Rgba8 };
        let screen = gpu.context().texture(shape)?;
        screen.clear([0.0; 4]);
        // Each element as 2 × 3 pixels, in a corner of the screen.
        let place = Rect::new(5, 7, 5 + 22, 7 + 30);
        map.draw(&buffer, Mapping::of_component(0, 0.0, 255.0), Some(screen.framebuffer()), place)?;
        for (i, found) in pixels(&screen.read_bytes()?).into_iter().enumerate() {
            let (x, y) = (i as u32 % 30, i as u32 / 30);
            let inside = (place.x0..place.x1).contains(&x) && (place.y0..place.y1).contains(&y);
            let expected = if inside {
                let (column, row) = ((x - place.x0) / 2, 9 - (y - place.y0) / 3);
                opaque(palette()[(row * 11 + column) as usize])
            } else {
                [0; 4]
            };
            assert_eq!(found, expected, "pixel {x},{y}");
        }
        Ok(())
    })
}

#[test]
fn other_colours_are_used_from_then_on() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        let buffer = gpu.buffer(2, 1).init(&[0.0, 1.0])?;
        let mapping = Mapping::of_component(0, 0.0, 1.0);
        assert_eq!(pixels(&map.picture(&buffer, mapping)?), [palette()[0], palette()[255]].map(opaque));
        map.set_colours(&[[1, 2, 3]; 256])?;
        assert_eq!(pixels(&map.picture(&buffer, mapping)?), [[1, 2, 3, 255]; 2]);
        Ok(())
    })
}

#[test]
fn a_map_holds_no_buffer_after_drawing() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        let before = gpu.counters().live;
        let buffer = gpu.buffer(2, 1).init(&[0.0, 1.0])?;
        map.picture(&buffer, Mapping::of_component(0, 0.0, 1.0))?;
        drop(buffer);
        assert_eq!(gpu.counters().live, before);
        Ok(())
    })
}

#[test]
fn ends_that_span_nothing_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        for (low, high) in [(1.0, 1.0), (0.0, f32::NAN), (f32::NEG_INFINITY, 0.0)] {
            let line = refusal(picture(gpu, &[0.0], Mapping::of_component(0, low, high)));
            let expected = format!("{low} to {high}: expected two different finite ends");
            assert_eq!(line, format!("range of the colour map = {expected}"));
        }
        Ok(())
    })
}
