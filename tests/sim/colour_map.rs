//! Pictures: which colour a number gets, and which way is up.

use quadrille::gl::{Format, Shape};
use quadrille::view::{ColourMap, Extremes, Magnitude, Mapping, Tones};
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

/// A tint covers four of five columns and one of two rows: red, green, a colour that is nearly grey, and white.
#[test]
fn a_tint_has_the_brightness_of_the_number_and_its_own_hue() -> Result<()> {
    on_gpu(|gpu| {
        let luma = |rgb: [f64; 3]| 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
        let pale = [1.1, 0.95, (1.0 - 0.299 * 1.1 - 0.587 * 0.95) / 0.114];
        let tints = [[1.0 / 0.299, 0.0, 0.0], [0.0, 1.0 / 0.587, 0.0], pale, [1.0; 3]];
        let values: Vec<f32> = tints.iter().flatten().map(|&part| part as f32).collect();
        let tint = gpu.buffer(4, 1).components(3).init(&values)?;
        let mut map = ColourMap::new(gpu, &palette())?;
        for number in [-0.5f64, 0.0, 0.25, 0.5, 0.9, 1.0, 1.5] {
            let bright = number.clamp(0.0, 1.0);
            let buffer = gpu.buffer(5, 2).init(&[number as f32 * 2.0 - 1.0; 10])?;
            let mapping = Mapping::of_component(0, -1.0, 1.0);
            map.set_tint(Some(&tint));
            let found = pixels(&map.picture(&buffer, mapping)?);
            for (pixel, tint) in found.iter().zip(tints) {
                let most = bright * tint.iter().copied().fold(0.0, f64::max);
                let kept = if most > 1.0 { (1.0 - bright) / (most - bright) } else { 1.0 };
                let expected = tint.map(|part| 255.0 * (bright + kept * bright * (part - 1.0)));
                for (&found, expected) in pixel.iter().zip(expected) {
                    assert!((f64::from(found) - expected).abs() < 0.51, "{bright}: {pixel:?}, {expected}");
                }
                let seen = luma([pixel[0], pixel[1], pixel[2]].map(f64::from));
                assert!((seen - 255.0 * bright).abs() < 0.52, "{bright}: {pixel:?} has brightness {seen}");
            }
            map.set_tint(None);
            let plain = pixels(&map.picture(&buffer, mapping)?);
            assert!(found[4..] == plain[4..] && plain == vec![plain[0]; 10], "the map's own colours");
        }
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

/// Red of a grey palette is the share of the colours in 255ths.
fn grey() -> [[u8; 3]; 256] {
    std::array::from_fn(|i| [i as u8; 3])
}

/// The red of each pixel of a picture of `buffer`, `times` pixels a side of an element, rows from the top.
fn drawn(
    gpu: &Gpu,
    buffer: &quadrille::Buffer,
    times: u32,
    mapping: Mapping,
    palette: &[[u8; 3]; 256],
) -> Result<Vec<Vec<u8>>> {
    let (width, height) = (buffer.width() * times, buffer.height() * times);
    let screen = gpu.context().texture(Shape { width, height, format: Format::Rgba8 })?;
    let mut map = ColourMap::new(gpu, palette)?;
    map.draw(buffer, mapping, Some(screen.framebuffer()), Rect::whole(width, height))?;
    let bytes = screen.read_bytes()?;
    let rows = bytes.chunks(4 * width as usize).rev();
    Ok(rows.map(|row| row.iter().step_by(4).copied().collect()).collect())
}

#[test]
fn a_logarithmic_map_has_the_share_that_its_tones_say() -> Result<()> {
    on_gpu(|gpu| {
        let tones = Tones { logarithmic: true, lines: 0 };
        for [low, high] in [[0.0f32, 255.0], [-2.0, 2.0], [1e-3, 1e3], [5.0, -5.0]] {
            let values: Vec<f32> = counting(200).iter().map(|i| low + (high - low) * i / 199.0).collect();
            let buffer = gpu.buffer(200, 1).init(&values)?;
            let mapping = Mapping { tones, ..Mapping::of_component(0, low, high) };
            let found = &drawn(gpu, &buffer, 1, mapping, &grey())?[0];
            for (&red, value) in found.iter().zip(&values) {
                let share = 255.0 * tones.share(f64::from(*value), [low.into(), high.into()]);
                // Half a colour of rounding, and what a logarithm of 32 bits may lose of 255.
                assert!(
                    (f64::from(red) - share).abs() < 0.51,
                    "{low} to {high}: {value} is {red}, not {share}"
                );
            }
        }
        Ok(())
    })
}

#[test]
fn what_lies_between_the_middles_of_elements_is_interpolated_and_no_number_stays_a_square() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height, times) = (7, 5, 8);
        let plane = |x: f32, y: f32| 20.0 + 20.0 * x + 12.0 * y;
        let values: Vec<f32> =
            counting(width * height).iter().map(|i| plane(i % 7.0, (i / 7.0).floor())).collect();
        let buffer = gpu.buffer(width as u32, height as u32).init(&values)?;
        let mapping = Mapping { smooth: true, ..Mapping::of_component(0, 0.0, 255.0) };
        let found = drawn(gpu, &buffer, times, mapping, &grey())?;
        for (y, row) in found.iter().enumerate() {
            for (x, &red) in row.iter().enumerate() {
                // Beyond the outermost middles lies the nearest number.
                let at = |pixel: usize, n: usize| {
                    ((pixel as f32 + 0.5) / times as f32 - 0.5).clamp(0.0, n as f32 - 1.0)
                };
                let expected = plane(at(x, width), at(y, height));
                assert!((f32::from(red) - expected).abs() < 0.51, "({x}, {y}): {red}, not {expected}");
            }
        }
        let mut holed = values;
        holed[2 * width + 3] = f32::NAN;
        buffer.write(&holed)?;
        let black = Mapping { missing: [0.0; 3], ..mapping };
        let found = drawn(gpu, &buffer, times, black, &grey())?;
        let holes = found.iter().flatten().filter(|&&red| red == 0).count();
        assert_eq!(holes as u32, times * times, "the element itself and nothing beside it");
        Ok(())
    })
}

/// A slope four times as steep has lines as wide, and a plain has none, even at the height of a line.
#[test]
fn lines_lie_where_the_share_is_whole_and_are_as_wide_on_every_slope() -> Result<()> {
    on_gpu(|gpu| {
        let times = 10;
        let white = [[255; 3]; 256];
        for (slope, logarithmic) in [(1.0, false), (4.0, false), (1.0, true)] {
            let values: Vec<f32> = counting(3 * 32).iter().map(|i| (i % 32.0) * slope + 3.0).collect();
            let buffer = gpu.buffer(32, 3).init(&values)?;
            let tones = Tones { logarithmic, lines: 5 };
            let mapping = Mapping { tones, ..Mapping::of_component(0, 0.0, 100.0) };
            let row = &drawn(gpu, &buffer, times, mapping, &white)?[15];
            let value = |pixel: usize| {
                let at = ((pixel as f32 + 0.5) / times as f32 - 0.5).clamp(0.0, 31.0);
                f64::from(at * slope + 3.0)
            };
            let share = |pixel: usize| 5.0 * tones.share(value(pixel), [0.0, 100.0]);
            let expected: Vec<usize> = (1..row.len() - 1)
                .filter(|&x| {
                    let off = |x: usize| (share(x) - share(x).round()).abs();
                    share(x) < 5.5
                        && off(x) <= off(x - 1)
                        && off(x) < off(x + 1)
                        && (share(x - 1).floor() != share(x + 1).floor())
                })
                .collect();
            let ink: f64 = row.iter().map(|&red| 1.0 - f64::from(red) / 255.0).sum();
            assert!(!expected.is_empty(), "{slope}");
            for &x in &expected {
                assert!(row[x] < 160, "{slope}: no line at {x}: {}", row[x]);
            }
            // 0.75 of the area under a tent of 1.2 pixels to each side.
            let each = ink / expected.len() as f64;
            assert!((each / (0.75 * 1.2 * 1.2) - 1.0).abs() < 0.25, "{slope}: {each} of ink a line");
        }
        let plain = gpu.buffer(9, 9).init(&[50.0; 81])?;
        let tones = Tones { logarithmic: false, lines: 2 };
        let mapping = Mapping { tones, ..Mapping::of_component(0, 0.0, 100.0) };
        let found = drawn(gpu, &plain, times, mapping, &white)?;
        assert!(found.iter().flatten().all(|&red| red == 255), "a plain has no lines");
        Ok(())
    })
}

#[test]
fn the_least_and_the_largest_number_are_found_among_those_that_are_some() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let n = (width * height) as usize;
            let values: Vec<f32> = counting(n).iter().flat_map(|i| [*i, (7.0 - i) * 0.5]).collect();
            let buffer = gpu.buffer(width, height).components(2).init(&values)?;
            let mut extremes = Extremes::new(gpu);
            let last = n as f32 - 1.0;
            let second = Magnitude::Weighed([0.0, 1.0, 0.0, 0.0]);
            assert_eq!(extremes.now(&buffer, second)?, Some([(7.0 - last) * 0.5, 3.5]));
            let both = Magnitude::Weighed([0.5, 1.0, 0.0, 0.0]);
            assert_eq!(extremes.now(&buffer, both)?, Some([3.5, 3.5]));
        }
        let values = [f32::NAN, 3.0, -4.0, f32::INFINITY, 0.0, 5.0];
        let buffer = gpu.buffer(6, 1).init(&values)?;
        let first = Magnitude::Weighed([1.0, 0.0, 0.0, 0.0]);
        assert_eq!(Extremes::new(gpu).now(&buffer, first)?, Some([-4.0, 5.0]));
        let pairs = gpu.buffer(3, 1).components(2).init(&[3.0, -4.0, 0.0, 1.0, f32::NAN, 9.0])?;
        assert_eq!(Extremes::new(gpu).now(&pairs, Magnitude::Length)?, Some([1.0, 5.0]));
        let none = gpu.buffer(2, 1).init(&[f32::NAN; 2])?;
        assert_eq!(Extremes::new(gpu).now(&none, first)?, None);
        Ok(())
    })
}

#[test]
fn arrows_point_along_the_velocity_and_what_rests_has_none() -> Result<()> {
    use quadrille::sim::fluid::{Grid, Kind};
    use quadrille::view::{FlatFluid, FluidFields, Shade};
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let grid = Grid { kind, cells: [16, 8], spacing: 1.0, periodic: [false; 2] };
            let ([nx, ny], [cx, cy]) = (grid.nodes(), grid.centres());
            // The western half flows north, and the eastern one rests.
            let texels = (0..ny).flat_map(|_| (0..nx).flat_map(|i| [0.0, f32::from(u8::from(i < 8))]));
            let velocity = gpu.buffer(nx, ny).components(2).init(&texels.collect::<Vec<_>>())?;
            let solids = gpu.buffer(cx, cy).init(&vec![0.0; (cx * cy) as usize])?;
            let (shade, particles) = (Shade::Dark, None);
            let basin = FluidFields { grid, velocity: &velocity, solids: &solids, shade, particles };
            let mut fluid = FlatFluid::new(gpu, &palette())?;
            let size = (208, 104);
            let dark = fluid.picture(&basin, size)?;
            fluid.set_arrows(Some(1.0))?;
            let found = pixels(&fluid.picture(&basin, size)?);
            let white = |x: u32, y: u32| found[(y * size.0 + x) as usize][0] > 150;
            let (mut upper, mut lower) = (0, 0);
            // The second square from the west in the lowest row: 26 pixels a side.
            for y in 0..26 {
                let across = (26..52).filter(|&x| white(x, 78 + y)).count();
                *(if y < 13 { &mut upper } else { &mut lower }) += across;
            }
            assert!(upper > lower + 5 && lower > 8, "{kind:?}: the head is above: {upper}, {lower}");
            let east = (0..104).flat_map(|y| (130..208).map(move |x| (x, y))).filter(|&(x, y)| white(x, y));
            assert_eq!(east.count(), 0, "{kind:?}");
            fluid.set_arrows(None)?;
            assert!(fluid.picture(&basin, size)? == dark);
        }
        Ok(())
    })
}

/// Noise that is smeared along the flow is alike along it and not across it; where nothing flows it is one shade.
#[test]
fn streamlines_lie_along_the_velocity_and_what_rests_has_none() -> Result<()> {
    use quadrille::sim::fluid::{Grid, Kind};
    use quadrille::view::{FlatFluid, FluidFields, Shade};
    on_gpu(|gpu| {
        // The last picture has 8 pixels a cell across and 32 up: a diagonal is four times as steep in it.
        for (kind, along, size, way) in [
            (Kind::Collocated, [1.0, 0.0], (192, 96), [4, 0]),
            (Kind::Staggered, [0.0, -2.0], (192, 96), [0, -4]),
            (Kind::Staggered, [1.0, 1.0], (192, 96), [4, 4]),
            (Kind::Collocated, [1.0, 1.0], (128, 256), [1, 4]),
        ] {
            let grid = Grid { kind, cells: [16, 8], spacing: 1.0, periodic: [false; 2] };
            let ([nx, ny], [cx, cy]) = (grid.nodes(), grid.centres());
            // The western half flows, and the eastern one rests.
            let texel = |i: u32| if i < 8 { along } else { [0.0, 0.0] };
            let texels = (0..ny).flat_map(|_| (0..nx).flat_map(texel));
            let velocity = gpu.buffer(nx, ny).components(2).init(&texels.collect::<Vec<_>>())?;
            let solids = gpu.buffer(cx, cy).init(&vec![0.0; (cx * cy) as usize])?;
            let field = gpu.buffer(cx, cy).init(&vec![0.6; (cx * cy) as usize])?;
            let shade = Shade::Scalar { field: &field, component: 0, ends: [0.0, 1.0] };
            let basin = FluidFields { grid, velocity: &velocity, solids: &solids, shade, particles: None };
            let mut fluid = FlatFluid::new(gpu, &palette())?;
            let (width, height) = (i64::from(size.0), i64::from(size.1));
            let plain = fluid.picture(&basin, size)?;
            fluid.set_streamlines(Some(2.0))?;
            let streaked = fluid.picture(&basin, size)?;
            let found = pixels(&streaked);
            let light = |x: usize, y: usize| f64::from(found[y * size.0 as usize + x][1]);
            // Mean squares of differences between pixels that are some apart, along the flow and across it. Rows count from the top.
            let mean = |[dx, dy]: [i64; 2]| {
                let pairs = (12..height - 12).flat_map(|y| (12..width / 2 - 24).map(move |x| (x, y)));
                let count = (height - 24) * (width / 2 - 36);
                let difference = |(x, y): (i64, i64)| {
                    light((x + dx) as usize, (y + dy) as usize) - light(x as usize, y as usize)
                };
                pairs.map(|pair| difference(pair).powi(2)).sum::<f64>() / count as f64
            };
            let (with, across) = (mean([way[0], -way[1]]), mean([way[1], way[0]]));
            // White noise smeared over 41 texels: along the flow neighbours share nine tenths of what they are the mean of, across it nothing.
            assert!(
                across > 200.0 && 4.0 * with < across,
                "{kind:?} {along:?}: {with} along, {across} across"
            );
            let east = (0..size.1 as usize)
                .flat_map(|y| (size.0 as usize / 2 + 20..size.0 as usize).map(move |x| (x, y)));
            let shades: std::collections::BTreeSet<_> =
                east.map(|(x, y)| found[y * size.0 as usize + x]).collect();
            assert_eq!(shades.len(), 1, "{kind:?}: what rests is one shade");
            assert!(fluid.picture(&basin, size)? == streaked, "the same again");
            fluid.set_streamlines(None)?;
            assert!(fluid.picture(&basin, size)? == plain);
            fluid.set_streamlines(Some(f32::NAN))?;
            assert!(
                fluid.picture(&basin, size).is_err_and(|error| error.to_string().contains("largest speed"))
            );
        }
        Ok(())
    })
}

/// Red of the pixels of streamlines over one shade, rows from the top: a lattice of 16 x 8 cells whose texels flow as said.
fn streaked(
    gpu: &Gpu,
    (kind, periodic): (quadrille::sim::fluid::Kind, [bool; 2]),
    size: (u32, u32),
    flow: impl Fn(u32, u32) -> [f32; 2],
) -> Result<Vec<Vec<f64>>> {
    use quadrille::sim::fluid::Grid;
    use quadrille::view::{FlatFluid, FluidFields, Shade};
    let grid = Grid { kind, cells: [16, 8], spacing: 1.0, periodic };
    let ([nx, ny], [cx, cy]) = (grid.nodes(), grid.centres());
    let texels = (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j)));
    let velocity = gpu.buffer(nx, ny).components(2);
    let velocity = velocity.init(&texels.flat_map(|(i, j)| flow(i, j)).collect::<Vec<_>>())?;
    let solids = gpu.buffer(cx, cy).init(&vec![0.0; (cx * cy) as usize])?;
    let field = gpu.buffer(cx, cy).init(&vec![0.6; (cx * cy) as usize])?;
    let shade = Shade::Scalar { field: &field, component: 0, ends: [0.0, 1.0] };
    let basin = FluidFields { grid, velocity: &velocity, solids: &solids, shade, particles: None };
    let mut fluid = FlatFluid::new(gpu, &grey())?;
    fluid.set_streamlines(Some(2.0))?;
    let found = pixels(&fluid.picture(&basin, size)?);
    Ok(found
        .chunks(size.0 as usize)
        .map(|row| row.iter().map(|pixel| f64::from(pixel[0])).collect())
        .collect())
}

/// The mean of the squares of differences.
fn apart(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let squares: Vec<f64> = pairs.map(|(a, b)| (a - b).powi(2)).collect();
    squares.iter().sum::<f64>() / squares.len() as f64
}

/// A picture of 1543 x 5 pixels has 515 x 2 texels of streamlines, three pixels wide.
#[test]
fn streamlines_are_drawn_in_pictures_of_any_size() -> Result<()> {
    use quadrille::sim::fluid::Kind;
    on_gpu(|gpu| {
        let collocated = (Kind::Collocated, [false; 2]);
        for size in [(1, 1), (1543, 5), (3, 7)] {
            let resting = streaked(gpu, collocated, size, |_, _| [0.0; 2])?;
            let shade = resting[0][0];
            assert!(resting.iter().flatten().all(|&red| red == shade), "{size:?}");
            let flowing = streaked(gpu, collocated, size, |_, _| [1.0, 0.0])?;
            assert!(flowing.iter().flatten().all(|&red| red > 0.0), "{size:?}");
            assert!(flowing != resting, "{size:?}");
        }
        let long = streaked(gpu, collocated, (1543, 5), |_, _| [1.0, 0.0])?;
        // Two texels along the flow share most of what they are the mean of, and 80 texels share nothing.
        let [near, far] = [6, 240]
            .map(|by| apart(long.iter().flat_map(|row| row.iter().copied().zip(row[by..].iter().copied()))));
        assert!(far > 100.0 && 4.0 * near < far, "{near} near, {far} far");
        Ok(())
    })
}

#[test]
fn streamlines_go_on_over_a_periodic_edge() -> Result<()> {
    use quadrille::sim::fluid::Kind;
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            for periodic in [[true, false], [false, true], [true, true]] {
                let flow = |axis: usize| move |_, _| if axis == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
                let east = streaked(gpu, (kind, periodic), (192, 96), flow(0))?;
                let north = streaked(gpu, (kind, periodic), (192, 96), flow(1))?;
                let across = apart(east[2..].iter().flatten().copied().zip(east.iter().flatten().copied()));
                let seams = [
                    apart(east.iter().map(|row| (row[1], row[190]))),
                    apart(north[1].iter().copied().zip(north[94].iter().copied())),
                ];
                for (seam, again) in seams.into_iter().zip(periodic) {
                    // Three texels over the edge are as alike as three inside; at an edge that is none the two sides are strangers.
                    assert_eq!(
                        4.0 * seam < across,
                        again,
                        "{kind:?} {periodic:?}: {seams:?}, {across} across"
                    );
                }
            }
        }
        Ok(())
    })
}

#[test]
fn what_is_no_number_does_not_flow() -> Result<()> {
    use quadrille::sim::fluid::Kind;
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                let flow = |i, j| if [i, j] == [4, 4] { [bad, 0.0] } else { [1.0, 0.0] };
                let lattice = (kind, [false; 2]);
                let resting = streaked(gpu, lattice, (192, 96), |_, _| [0.0; 2])?;
                let found = streaked(gpu, lattice, (192, 96), flow)?;
                // South-west of that element in either lattice and less than a cell from it: what is interpolated there is infinite, and
                // no number on the other sides.
                let hole = (48..53).flat_map(|y| (43..47).map(move |x| [x, y]));
                for [x, y] in hole {
                    assert_eq!(found[y][x], resting[y][x], "{kind:?} {bad}: ({x}, {y})");
                }
            }
        }
        Ok(())
    })
}

/// The second component is light, the third the share of a colour that lies over it.
#[test]
fn light_and_another_colour_lie_over_the_map() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        let cells: [[f32; 4]; 5] = [
            [100.0, 1.0, 0.0, 9.0],
            [100.0, 0.5, 0.0, 9.0],
            [100.0, 1.25, 0.0, 9.0],
            [100.0, 0.5, 0.75, 9.0],
            [f32::NAN, 1.0, 1.0, 9.0],
        ];
        let buffer = gpu.buffer(5, 1).components(4).init(cells.as_flattened())?;
        let over = [1.0, 0.5, 0.25];
        for smooth in [false, true] {
            let mapping = Mapping { over: Some(over), smooth, ..Mapping::of_component(0, 0.0, 255.0) };
            let found = pixels(&map.picture(&buffer, mapping)?);
            for (pixel, [number, light, share, _]) in found.iter().zip(cells) {
                let own = if number.is_nan() {
                    Mapping::MAGENTA
                } else {
                    palette()[100].map(|c| f32::from(c) / 255.0)
                };
                for k in 0..3 {
                    let lit = light.min(1.0) * own[k] + (light - 1.0).max(0.0);
                    let expected = 255.0 * (lit + share * (over[k] - lit)).min(1.0);
                    assert!(
                        (f32::from(pixel[k]) - expected).abs() <= 0.51,
                        "{smooth} {number} {light} {share}: {pixel:?}"
                    );
                }
            }
        }
        // Without it the other components are not looked at.
        let plain = pixels(&map.picture(&buffer, Mapping::of_component(0, 0.0, 255.0))?);
        assert_eq!(plain[..4], [opaque(palette()[100]); 4]);
        Ok(())
    })
}

/// Colours of a surface under the light of the kernel, in f64.
fn in_light([red, green, blue]: [u8; 3], slope: [f64; 2], gloss: f64) -> [f64; 3] {
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.map(|v| v / length)
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let towards = [-0.48, -0.60, 0.64];
    let (normal, halfway) = (unit([-slope[0], -slope[1], 1.0]), unit([-0.48, -0.60, 1.64]));
    let (light, shine) = (dot(normal, towards).max(0.0) / 0.64, dot(normal, halfway).max(0.0));
    let glint = |power: i32| shine.powi(power) - halfway[2].powi(power);
    [red, green, blue].map(|part| {
        let linear = (f64::from(part) / 255.0).powf(2.2) * (0.3 + 0.7 * light);
        255.0 * (linear + gloss * (0.6 * glint(60) + 0.12 * glint(12))).clamp(0.0, 1.0).powf(1.0 / 2.2)
    })
}

/// A spline of numbers on a plane is that plane, so that its slope is the same everywhere but at the edges.
#[test]
fn a_relief_is_lit_by_its_slope_and_a_level_one_keeps_its_colours() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        for [along, down] in [[0.0f32, 0.0], [3.0, 0.0], [0.0, -2.0], [-4.0, 5.0], [6.0, 6.0]] {
            let (width, height) = (11u32, 9u32);
            let number = |x: u32, y: u32| 120.0 + along * (x as f32 - 5.0) + down * (y as f32 - 4.0);
            let values: Vec<f32> = (0..height).flat_map(|y| (0..width).map(move |x| number(x, y))).collect();
            let buffer = gpu.buffer(width, height).init(&values)?;
            let relief = 50.0;
            let mapping = Mapping { relief, smooth: true, ..Mapping::of_component(0, 0.0, 255.0) };
            let found = pixels(&map.picture(&buffer, mapping)?);
            for (x, y) in (1..height - 1).flat_map(|y| (1..width - 1).map(move |x| (x, y))) {
                let share = f64::from(number(x, y)) / 255.0;
                let part = ((share - 0.05) / 0.55).clamp(0.0, 1.0);
                let slope = [along, down].map(|slope| f64::from(relief * slope) / 255.0);
                let expected =
                    in_light(palette()[number(x, y) as usize], slope, part * part * (3.0 - 2.0 * part));
                // Powers of 32 bits may lose a few units in the last place, which is not seen in 255 levels.
                let pixel = found[(y * width + x) as usize];
                let near = pixel.iter().zip(expected).all(|(&a, b)| (f64::from(a) - b).abs() <= 0.6);
                assert!(near, "{along} {down} at {x},{y}: {pixel:?} for {expected:?}");
            }
        }
        Ok(())
    })
}

/// Between the middles of elements the slope is the same: a picture five times as large, of one colour, in full gloss.
#[test]
fn a_relief_of_a_plane_is_even_between_its_elements() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &[[200, 120, 40]; 256])?;
        let (width, height) = (11u32, 9u32);
        let number = |x: u32, y: u32| 200.0 + 3.0 * (x as f32 - 5.0) - 2.0 * (y as f32 - 4.0);
        let values: Vec<f32> = (0..height).flat_map(|y| (0..width).map(move |x| number(x, y))).collect();
        let buffer = gpu.buffer(width, height).init(&values)?;
        let mapping = Mapping { relief: 50.0, smooth: true, ..Mapping::of_component(0, 0.0, 255.0) };
        let shape = Shape { width: 5 * width, height: 5 * height, format: Format::Rgba8 };
        let screen = gpu.context().texture(shape)?;
        map.draw(&buffer, mapping, Some(screen.framebuffer()), Rect::new(0, 0, 5 * width, 5 * height))?;
        let found = pixels(&screen.read_bytes()?);
        let expected = in_light([200, 120, 40], [3.0, -2.0].map(|slope| 50.0 * slope / 255.0), 1.0);
        for (x, y) in (8..5 * height - 8).flat_map(|y| (8..5 * width - 8).map(move |x| (x, y))) {
            let pixel = found[(y * 5 * width + x) as usize];
            let near = pixel.iter().zip(expected).all(|(&a, b)| (f64::from(a) - b).abs() <= 0.6);
            assert!(near, "{x},{y}: {pixel:?} for {expected:?}");
        }
        Ok(())
    })
}

/// A block of 6 x 5 elements, a wall of one, and a single one: all are seen, and what is farther than their shadows has its own colours.
#[test]
fn blocks_stand_where_there_are_no_numbers_and_shade_what_is_near() -> Result<()> {
    on_gpu(|gpu| {
        let mut map = ColourMap::new(gpu, &palette())?;
        let (width, height) = (32u32, 20u32);
        let gone = |x: u32, y: u32| {
            (4..10).contains(&x) && (5..10).contains(&y) || x == 16 && y < 12 || [x, y] == [24, 8]
        };
        let number = |x: u32, y: u32| if gone(x, y) { f32::NAN } else { 200.0 };
        let values: Vec<f32> = (0..height).flat_map(|y| (0..width).map(move |x| number(x, y))).collect();
        let buffer = gpu.buffer(width, height).init(&values)?;
        let missing = [0.2, 0.4, 0.6];
        for smooth in [false, true] {
            let mapping = Mapping { missing, smooth, blocks: true, ..Mapping::of_component(0, 0.0, 255.0) };
            let found = pixels(&map.picture(&buffer, mapping)?);
            let at = |x: u32, y: u32| found[(y * width + x) as usize];
            // Level in the middle, and on the ridge of the wall.
            for (x, y) in [(6, 7), (16, 6)] {
                let near = at(x, y).iter().zip([51u8, 102, 153]).all(|(a, b)| a.abs_diff(b) <= 1);
                assert!(near, "{x},{y}: {:?}", at(x, y));
            }
            let plain = opaque(palette()[200]);
            let darker = |pixel: [u8; 4]| pixel[0] < plain[0] - 20;
            // The lit rim of the block is brighter than its other one.
            assert!(at(4, 7)[2] > at(9, 7)[2] && at(6, 5)[2] > at(6, 9)[2]);
            assert!(darker(at(24, 8)), "one element alone: {:?}", at(24, 8));
            assert!(darker(at(10, 7)) && darker(at(6, 10)) && darker(at(17, 6)), "shadows");
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let near = |i: u32, j: u32| gone(i, j) && i.abs_diff(x).max(j.abs_diff(y)) <= 2;
                let alone = !(0..height).any(|j| (0..width).any(|i| near(i, j)));
                // The numbers are means of equal ones, and a rounding off.
                let same = at(x, y).iter().zip(plain).all(|(a, b)| a.abs_diff(b) <= 7);
                assert!(!alone || same, "{x},{y}: {:?} for {plain:?}", at(x, y));
            }
        }
        Ok(())
    })
}
