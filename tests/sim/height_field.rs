//! The lit height field: where a height is seen, what hides what, and which way is up.

use quadrille::view::{Camera, HeightField, Perspective};
use quadrille::{Buffer, Gpu, Limits, Result};

use crate::support::{SIZES, on_card, on_gpu, refusal};
use crate::{check_in_its_place, pixels};

const WIDTH: u32 = 200;
const HEIGHT: u32 = 150;

const FROM_ABOVE: Camera = Camera { azimuth: 0.0, elevation: 90.0, distance: 1.0, field_of_view: 30.0 };

fn picture(field: &mut HeightField, heights: &Buffer, camera: &Camera) -> Result<Vec<[u8; 4]>> {
    Ok(pixels(&field.picture(heights, camera, WIDTH, HEIGHT)?))
}

fn perspective(camera: &Camera, width: u32, height: u32) -> Result<Perspective> {
    Perspective::new(camera, width, height, f64::from(WIDTH) / f64::from(HEIGHT))
}

/// The pixel of a place in cells.
fn pixel(perspective: &Perspective, cell: [f64; 2]) -> usize {
    let [x, y] = perspective.picture_of(cell);
    (y * f64::from(HEIGHT)) as usize * WIDTH as usize + (x * f64::from(WIDTH)) as usize
}

/// Magenta and what is mixed with it at its edge, as no water is.
fn is_broken(&[r, g, b, _]: &[u8; 4]) -> bool {
    r > 140 && g < 100 && b > 140
}

/// Height 0 everywhere but in some cells.
fn heights(gpu: &Gpu, width: u32, height: u32, cells: &[(u32, u32, f32)]) -> Result<Buffer> {
    let mut values = vec![0.0; width as usize * height as usize];
    for &(x, y, h) in cells {
        values[(y * width + x) as usize] = h;
    }
    gpu.buffer(width, height).init(&values)
}

#[test]
fn water_lies_where_the_grid_is_and_the_backdrop_around_it_at_every_size() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        for (&(width, height), camera) in
            SIZES.iter().chain(&[(1500, 40)]).flat_map(|s| [Camera::default(), FROM_ABOVE].map(|c| (s, c)))
        {
            let seen = picture(&mut field, &heights(gpu, width, height, &[])?, &camera)?;
            let perspective = perspective(&camera, width, height)?;
            let middle = seen[pixel(&perspective, [f64::from(width) / 2.0, f64::from(height) / 2.0])];
            let (first, last) = (seen[0], seen[seen.len() - 1]);
            let blueness = |[r, _, b, _]: [u8; 4]| i32::from(b) - i32::from(r);
            assert!(blueness(first) < 25 && blueness(last) < 25 && first[2] > last[2], "{first:?} {last:?}");
            // A sliver narrower than a pixel only tints it.
            let contrast = if width.min(height) * 40 > width.max(height) { 25 } else { 2 };
            assert!(blueness(middle) > 20 + contrast, "{middle:?} at {width}x{height}");
            assert!(seen.iter().all(|p| p[3] == 255));
        }
        Ok(())
    })
}

/// A cell that is NaN changes the picture only where the camera's arithmetic says the cell is.
#[test]
fn a_cell_is_seen_where_the_camera_says_and_its_pixel_leads_back_to_it() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        for (width, height) in [(40, 40), (17, 60), (90, 30)] {
            for camera in [Camera::default(), FROM_ABOVE, Camera { azimuth: -120.0, ..Camera::default() }] {
                let perspective = perspective(&camera, width, height)?;
                for (x, y) in [(3, 3), (width - 4, 4), (width / 2, height / 3), (5, height - 4)] {
                    let marked = heights(gpu, width, height, &[(x, y, f32::NAN)])?;
                    let seen = picture(&mut field, &marked, &camera)?;
                    let places: Vec<usize> = (0..seen.len()).filter(|&i| is_broken(&seen[i])).collect();
                    assert!(!places.is_empty(), "cell {x},{y} of {width}x{height}");
                    let n = places.len() as f64;
                    let column = places.iter().map(|i| (i % WIDTH as usize) as f64 + 0.5).sum::<f64>() / n;
                    let row = places.iter().map(|i| (i / WIDTH as usize) as f64 + 0.5).sum::<f64>() / n;
                    let back = perspective
                        .cell_of([column / f64::from(WIDTH), row / f64::from(HEIGHT)])
                        .unwrap_or([f64::NAN; 2]);
                    let miss = (back[0] - f64::from(x) - 0.5).abs().max((back[1] - f64::from(y) - 0.5).abs());
                    // The nodes around a cell are marked, and fade to the next: nine cells, nearer ones larger.
                    assert!(miss < 0.5, "{back:?} for {x},{y} of {width}x{height}, {camera:?}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn what_is_near_hides_what_is_behind_it() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        let low = Camera { azimuth: 0.0, elevation: 8.0, ..Camera::default() };
        let broken: Vec<(u32, u32, f32)> = (12..20).map(|x| (x, 8, f32::NAN)).collect();
        let ridge: Vec<(u32, u32, f32)> = (0..32).map(|x| (x, 20, 8.0)).collect();
        let behind: Vec<(u32, u32, f32)> = (0..32).map(|x| (x, 2, 8.0)).collect();
        let mut count = |cells: &[(u32, u32, f32)]| -> Result<usize> {
            let cells = [&broken, cells].concat();
            let seen = picture(&mut field, &heights(gpu, 32, 32, &cells)?, &low)?;
            Ok(seen.iter().filter(|p| is_broken(p)).count())
        };
        assert!(count(&[])? > 10);
        assert!(count(&behind)? > 10);
        assert_eq!(count(&ridge)?, 0);
        Ok(())
    })
}

#[test]
fn heights_that_are_no_numbers_or_huge_break_nothing_but_their_place() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        let still = picture(&mut field, &heights(gpu, 30, 30, &[])?, &FROM_ABOVE)?;
        let perspective = perspective(&FROM_ABOVE, 30, 30)?;
        for wild in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2e38] {
            let seen = picture(&mut field, &heights(gpu, 30, 30, &[(20, 10, wild)])?, &FROM_ABOVE)?;
            assert!(is_broken(&seen[pixel(&perspective, [20.5, 10.5])]), "{wild}");
            for cell in [[3.0, 3.0], [25.0, 25.0], [15.0, 10.5], [20.5, 20.0]] {
                assert_eq!(seen[pixel(&perspective, cell)], still[pixel(&perspective, cell)], "{wild}");
            }
        }
        let all = gpu.buffer(30, 30).init(&[f32::NAN; 900])?;
        let seen = picture(&mut field, &all, &FROM_ABOVE)?;
        assert!(is_broken(&seen[pixel(&perspective, [15.0, 15.0])]));
        // A finite tower is cut off below the viewer.
        let tower = picture(&mut field, &heights(gpu, 30, 30, &[(20, 10, 1e29)])?, &FROM_ABOVE)?;
        assert_eq!(tower[pixel(&perspective, [3.0, 25.0])], still[pixel(&perspective, [3.0, 25.0])]);
        Ok(())
    })
}

/// As with colour maps: OpenGL's row 0 of a framebuffer is the lowest on a screen, a file's is the upper one.
#[test]
fn a_framebuffer_gets_the_picture_upside_down_in_its_place_alone() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        let surface = heights(gpu, 31, 57, &[(5, 5, 2.0), (20, 40, -2.0)])?;
        let expected = picture(&mut field, &surface, &Camera::default())?;
        check_in_its_place(gpu, &expected, (WIDTH, HEIGHT), |framebuffer, place| {
            field.draw(&surface, &Camera::default(), Some(framebuffer), place)
        })
    })
}

#[test]
fn a_coarser_mesh_shows_the_same_water() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (240u32, 160u32);
        let wave = |i: u32| ((i % width) as f32 * 0.05).sin() * ((i / width) as f32 * 0.04).cos();
        let values: Vec<f32> = (0..width * height).map(wave).collect();
        let surface = gpu.buffer(width, height).init(&values)?;
        let mut field = HeightField::new(gpu)?;
        let fine = picture(&mut field, &surface, &Camera::default())?;
        for mesh in [70, 31] {
            field.set_mesh(mesh);
            let coarse = picture(&mut field, &surface, &Camera::default())?;
            let differ = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(&a, &b)| a.abs_diff(b) > 40);
            let count = fine.iter().zip(&coarse).filter(differ).count();
            // The rim moves by up to a pixel, and so do the glints.
            assert!(count * 20 < fine.len(), "{count} pixels differ with a mesh of {mesh}");
        }
        Ok(())
    })
}

/// The walls are lit by the side that they belong to: below a cell that is NaN they are as broken as the water, on each of the four sides.
#[test]
fn a_wall_below_broken_water_is_broken() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        // Azimuths from which the front, the right, the back and the left are seen.
        for (azimuth, cell, edge) in [
            (0.0, (20, 39), [20.5, 40.0]),
            (90.0, (39, 20), [40.0, 20.5]),
            (180.0, (20, 0), [20.5, 0.0]),
            (270.0, (0, 20), [0.0, 20.5]),
        ] {
            let camera = Camera { azimuth, ..Camera::default() };
            let place = pixel(&perspective(&camera, 40, 40)?, edge) + 5 * WIDTH as usize;
            for (height, broken) in [(0.0, false), (f32::NAN, true)] {
                let seen = picture(&mut field, &heights(gpu, 40, 40, &[(cell.0, cell.1, height)])?, &camera)?;
                assert_eq!(is_broken(&seen[place]), broken, "{:?} from {azimuth}", seen[place]);
            }
        }
        Ok(())
    })
}

/// A pixel is the mean of the light of its four texels, though often two of them alone are lit: a picture twice as wide and high with a texel a pixel
/// lights all of them. Roundings to whole levels, four of one side and one of the other, make one; where light bends within a pixel, two of its texels
/// may tell more, and do so in 1 of 1000 at most.
#[test]
fn a_pixel_has_the_mean_light_of_its_four_texels() -> Result<()> {
    let light = |level: u8| {
        let x = f64::from(level) / 255.0;
        if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
    };
    let level = |x: f64| {
        let x = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
        255.0 * x
    };
    on_gpu(|gpu| {
        // Rings of steep waves that glint, over a slow swell.
        let at = |i: u32| {
            let (x, y) = (f64::from(i % 40), f64::from(i / 40));
            let far = (x - 12.0).hypot(y - 25.0);
            (0.9 * far).sin() * (-0.02 * far * far).exp() + 0.3 * (0.11 * x + 0.07 * y).sin()
        };
        let surface = gpu.buffer(40, 40).init(&(0..1600).map(|i| at(i) as f32).collect::<Vec<_>>())?;
        let (mut field, mut fine) = (HeightField::new(gpu)?, HeightField::new(gpu)?);
        fine.set_samples(1);
        field.set_relief(0.3)?;
        fine.set_relief(0.3)?;
        for (azimuth, elevation) in [(25.0, 35.0), (200.0, 8.0), (45.0, 20.0)] {
            let camera = Camera { azimuth, elevation, ..Camera::default() };
            let found = picture(&mut field, &surface, &camera)?;
            let texels = pixels(&fine.picture(&surface, &camera, 2 * WIDTH, 2 * HEIGHT)?);
            let mut off = [0usize; 256];
            for (i, pixel) in found.iter().enumerate() {
                let (x, y) = (2 * (i % WIDTH as usize), 2 * (i / WIDTH as usize));
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .map(|(dx, dy)| texels[(y + dy) * 2 * WIDTH as usize + x + dx]);
                let mean =
                    [0, 1, 2].map(|k| level(four.iter().map(|texel| light(texel[k])).sum::<f64>() / 4.0));
                let most = (0..3).map(|k| (f64::from(pixel[k]) - mean[k]).abs()).fold(0.0, f64::max);
                off[(most + 0.5) as usize] += 1;
            }
            println!("pixels that are 0, 1, 2, ... off: {:?}", &off[..8]);
            assert!(off[2..].iter().sum::<usize>() * 1000 <= found.len(), "{azimuth}: {:?}", &off[..8]);
        }
        Ok(())
    })
}

/// A plane is flat over quads of any width: nodes of 1.4 pixels, whose mesh has a vertex at every second of them, show it as nodes of 5 do, which
/// all have one. Slopes at the edges are halved over one cell, so those are not looked at.
#[test]
fn a_mesh_of_fewer_vertices_than_nodes_shows_the_same_plane() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        for camera in [Camera::default(), FROM_ABOVE] {
            let mut plane = |width: u32, height: u32| -> Result<Vec<[u8; 4]>> {
                let at = |i: u32| {
                    let (x, y) = ((i % width) as f32 + 0.5, (i / width) as f32 + 0.5);
                    0.8 * x / width as f32 - 0.5 * y / height as f32
                };
                let values: Vec<f32> = (0..width * height).map(at).collect();
                picture(&mut field, &gpu.buffer(width, height).init(&values)?, &camera)
            };
            let (fine, coarse) = (plane(95, 76)?, plane(25, 20)?);
            let perspective = perspective(&camera, 25, 20)?;
            for (x, y) in (2..24).flat_map(|x| (2..19).map(move |y| (f64::from(x), f64::from(y)))) {
                let place = pixel(&perspective, [x, y]);
                let off = fine[place].iter().zip(coarse[place]).map(|(a, b)| a.abs_diff(b)).max();
                // Roundings of places and of light.
                assert!(off <= Some(1), "{:?}, {:?} at {x}, {y} {camera:?}", fine[place], coarse[place]);
            }
        }
        Ok(())
    })
}

#[test]
fn a_field_holds_no_heights_after_drawing_and_draws_the_same_again() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        let first = picture(&mut field, &heights(gpu, 20, 20, &[(3, 3, 1.0)])?, &Camera::default())?;
        let before = gpu.counters().live;
        field.picture(&heights(gpu, 50, 9, &[])?, &FROM_ABOVE, 90, 300)?;
        assert_eq!(first, picture(&mut field, &heights(gpu, 20, 20, &[(3, 3, 1.0)])?, &Camera::default())?);
        assert_eq!(gpu.counters().live, before);
        Ok(())
    })
}

#[test]
fn bad_cameras_reliefs_and_cards_are_refused_in_words() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        let flat = heights(gpu, 4, 4, &[])?;
        let camera = Camera { elevation: 100.0, ..Camera::default() };
        assert_eq!(refusal(field.picture(&flat, &camera, 8, 8)), "elevation = 100: expected 1 to 90");
        assert_eq!(refusal(field.set_relief(f32::NAN)), "relief = NaN: expected a finite number");
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(HeightField::new(gpu));
        assert!(line.contains("streams of the vertex kernel is 1, the limit is 0"), "{line}");
        Ok(())
    })
}
