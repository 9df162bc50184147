//! Pictures of volumes.

use quadrille::sim::liquid::scenes::{Start, dam, puff};
use quadrille::sim::liquid::{Parameters, Smoke, Water};
use quadrille::view::{Camera, March, Medium, Slices, Volume};
use quadrille::{Limits, Result};

use super::super::support::{on_card, on_gpu, refusal};
use super::super::{check_in_its_place, pixels};

const SIZE: (u32, u32) = (64, 48);

fn volume(water: &Water) -> Volume<'_> {
    Volume { voxels: water.flow().voxels(), field: water.distance(), matter: Medium::Water, heat: None }
}

#[test]
fn water_and_smoke_are_seen_where_they_are() -> Result<()> {
    on_gpu(|gpu| {
        let mut march = March::new(gpu)?;
        let from_the_front = Camera { azimuth: 0.0, elevation: 12.0, ..Camera::default() };
        // Nothing, and a dam on the left.
        let nothing = Water::new(gpu, &Start::liquid([12, 12, 12], |_| 3.0), Parameters::default())?;
        let empty = pixels(&march.picture(volume(&nothing), &from_the_front, SIZE)?);
        let water = Water::new(gpu, &dam([12, 12, 12], 1), Parameters::default())?;
        let full = pixels(&march.picture(volume(&water), &from_the_front, SIZE)?);
        let changed = |full: &[[u8; 4]], columns: std::ops::Range<usize>| {
            let other = |at: &usize| columns.contains(&(at % 64)) && full[*at] != empty[*at];
            (0..full.len()).filter(other).count()
        };
        assert!(changed(&full, 0..32) > 4 * changed(&full, 40..64), "water is on the left");
        assert!(changed(&full, 0..32) > 300);
        let smoke = Smoke::new(gpu, &puff([12, 12, 12]), Parameters::default())?;
        let seen = Volume {
            voxels: smoke.flow().voxels(),
            field: smoke.density(),
            matter: Medium::Smoke,
            heat: None,
        };
        let cloud = pixels(&march.picture(seen, &from_the_front, SIZE)?);
        assert!(changed(&cloud, 24..40) > 100);
        Ok(())
    })
}

/// A pixel is more than where the box ends among pixels; its edges are drawn half as wide again as its lines.
#[test]
fn the_box_ends_where_its_walls_and_its_edges_do() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (640, 480);
        let camera = Camera { azimuth: 0.0, elevation: 12.0, ..Camera::default() };
        for size in [[12, 12, 12], [10, 9, 40]] {
            let nothing = Start::liquid(size, |_| 3.0);
            let water = Water::new(gpu, &nothing, Parameters::default())?;
            let picture = pixels(&March::new(gpu)?.picture(volume(&water), &camera, (width, height))?);
            let middle = |row: u32| picture[(row * width + width / 2) as usize];
            let backdrop = |row: u32| picture[(row * width) as usize];
            let upper = (0..height).find(|&row| middle(row) != backdrop(row));
            let lens = volume(&water).stage().lens(&camera, f64::from(width) / f64::from(height))?;
            let at = |y: u32, z: u32| {
                lens.picture_of([f64::from(size[0]) / 2.0, f64::from(y), f64::from(z)])[1] * f64::from(height)
            };
            // The edges before and behind of the open ceiling are seen.
            let edge = at(size[2], 0).min(at(size[2], size[1]));
            assert!(upper.is_some_and(|row| (f64::from(row) - edge).abs() <= 1.0), "{upper:?}, {edge}");
        }
        Ok(())
    })
}

#[test]
fn a_window_gets_the_same_picture_in_its_place() -> Result<()> {
    on_gpu(|gpu| {
        let mut march = March::new(gpu)?;
        let water = Water::new(gpu, &dam([9, 8, 7], 1), Parameters::default())?;
        let picture = pixels(&march.picture(volume(&water), &Camera::default(), SIZE)?);
        check_in_its_place(gpu, &picture, SIZE, |framebuffer, place| {
            march.draw(volume(&water), &Camera::default(), Some(framebuffer), place)
        })
    })
}

#[test]
fn slices_lie_side_by_side_with_lines_between_them() -> Result<()> {
    on_gpu(|gpu| {
        for size in [[5, 4, 7], [1, 1, 1], [3, 8, 2]] {
            let start = Start::liquid(size, |[x, y, z]| x + 10.0 * y + 100.0 * z);
            let water = Water::new(gpu, &start, Parameters::default())?;
            let mut slices = Slices::new(gpu);
            let map = slices.map(volume(&water), -7.0)?;
            let (width, values) = (map.width() as usize, map.data()?);
            let beside = width / (size[0] as usize + 1);
            let mut inside = 0;
            for ([i, j, k], &expected) in water.flow().voxels().all().zip(&start.distance) {
                let column = (k as usize % beside) * (size[0] as usize + 1) + i as usize;
                let row = (k as usize / beside) * (size[1] as usize + 1) + j as usize;
                assert_eq!(values[row * width + column], expected, "{size:?} {i} {j} {k}");
                inside += 1;
            }
            assert_eq!(values.iter().filter(|&&v| v == -7.0).count(), values.len() - inside);
        }
        Ok(())
    })
}

#[test]
fn cards_without_loops_and_other_fields_are_refused() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(March::new(gpu));
        assert_eq!(line, "view/volume_march.frag: number of iterations is 1280, the limit is 0");
        Ok(())
    })?;
    on_gpu(|gpu| {
        let water = Water::new(gpu, &dam([4, 4, 4], 1), Parameters::default())?;
        let other = Water::new(gpu, &dam([4, 4, 5], 1), Parameters::default())?;
        let mixed = Volume { field: other.distance(), ..volume(&water) };
        let line = refusal(March::new(gpu)?.picture(mixed, &Camera::default(), SIZE));
        assert!(line.starts_with("field of voxels: "), "{line}");
        Ok(())
    })
}

/// Rays of one degree's fall that meet water behind 550 voxels of air: those that come in through the front of the box alone.
#[test]
fn water_is_seen_through_more_voxels_than_a_ray_has_steps_of_two() -> Result<()> {
    on_gpu(|gpu| {
        let size = [20, 600, 16];
        let camera = Camera { azimuth: 0.0, elevation: 1.0, distance: 0.1, field_of_view: 1.0 };
        let picture = |distance: fn([f64; 3]) -> f64| -> Result<Vec<u8>> {
            let water = Water::new(gpu, &Start::liquid(size, distance), Parameters::default())?;
            March::new(gpu)?.picture(volume(&water), &camera, SIZE)
        };
        let (far, none) = (picture(|[_, y, z]| (y - 50.0).max(z - 5.0))?, picture(|_| 3.0)?);
        let seen = pixels(&far).iter().zip(pixels(&none)).filter(|(far, none)| *far != none).count();
        assert!(seen > 30, "{seen} pixels");
        Ok(())
    })
}

/// The same from above: 550 voxels of air down to the water.
#[test]
fn deep_water_is_seen_from_high_above() -> Result<()> {
    on_gpu(|gpu| {
        let size = [8, 10, 600];
        let camera = Camera { azimuth: 0.0, elevation: 90.0, distance: 0.1, field_of_view: 1.0 };
        let picture = |distance: fn([f64; 3]) -> f64| -> Result<Vec<u8>> {
            let water = Water::new(gpu, &Start::liquid(size, distance), Parameters::default())?;
            March::new(gpu)?.picture(volume(&water), &camera, SIZE)
        };
        let (far, none) = (picture(|[_, _, z]| z - 50.0)?, picture(|_| 3.0)?);
        let seen = pixels(&far).iter().zip(pixels(&none)).filter(|(far, none)| *far != none).count();
        assert!(seen > 30, "{seen} pixels");
        Ok(())
    })
}

/// 3 x 5 x 2 voxels, in tiles of 2 x 3 texels, two a row: in padding a value has the next column or row beyond the last, too.
#[test]
fn corners_behind_the_last_column_and_row_are_the_last_again() -> Result<()> {
    on_gpu(|gpu| {
        let field: Vec<f32> = (0..4 * 3 * 4).map(|n| n as f32 + 1.0).collect();
        let target = gpu.buffer(8, 6).components(4).build()?;
        let mut program = gpu.builtin("sim/voxel_corners.frag")?;
        program.bind_stream("field", &gpu.buffer(4, 3).components(4).init(&field)?)?;
        program.bind_float("tiles", [2.0, 3.0, 2.0])?.bind_float("last", [2.0, 4.0])?.run(&target)?;
        let of = |x: usize, y: usize| field[(y / 2 * 4 + x / 2) * 4 + y % 2 * 2 + x % 2];
        for (n, found) in target.data()?.chunks(4).enumerate() {
            let (x, y) = (n % 8, n / 8);
            let (east, north) = (x + usize::from(x % 4 < 2), y + usize::from(y < 4));
            assert_eq!(found, [of(x, y), of(east, y), of(x, north), of(east, north)], "column {x}, row {y}");
        }
        Ok(())
    })
}

/// Boxes of odd sides, of one voxel, and of slices in several rows: each voxel against the loop over its neighbours, in which the nearest voxel stands
/// for what lies beyond the box. Seven roundings of numbers below 8.
#[test]
fn distances_come_nearer_to_their_neighbours_by_four_tenths_at_most() -> Result<()> {
    on_gpu(|gpu| {
        let mut bounded = 0;
        for (size, beside) in [([3usize, 5, 2], 2usize), ([4, 2, 6], 3), ([1, 1, 1], 1), ([5, 3, 4], 4)] {
            let [nx, ny, nz] = size;
            // Texels of a slice: every one ends in an empty column and row.
            let tile = [nx / 2 + 1, ny / 2 + 1];
            let rows = nz.div_ceil(beside);
            let (width, height) = (beside * tile[0], rows * tile[1]);
            let phi = |x: usize, y: usize, z: usize| {
                ((x * 37 + y * 61 + z * 23 + x * y * 7) % 41) as f32 / 8.0 - 2.5
            };
            let place = |x: usize, y: usize, z: usize| {
                let texel = (z / beside * tile[1] + y / 2) * width + z % beside * tile[0] + x / 2;
                4 * texel + y % 2 * 2 + x % 2
            };
            let mut texels = vec![77.0f32; 4 * width * height];
            let all = || (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])));
            all().for_each(|[x, y, z]| texels[place(x, y, z)] = phi(x, y, z));
            let side = |n: usize| n as u32;
            let target = gpu.buffer(side(width), side(height)).components(4).build()?;
            let kernel = quadrille::kernels::named("view/volume_smooth.frag")?;
            let mut program = gpu.load(kernel.with(quadrille::pug::Prelude::Voxels))?;
            let field = gpu.buffer(side(width), side(height)).components(4).init(&texels)?;
            let floats = |of: [usize; 3]| of.map(|n| n as f32);
            program
                .bind_stream("field", &field)?
                .bind_float("tiles", floats([tile[0], tile[1], beside]))?
                .bind_float("size", floats(size))?
                .run(&target)?;
            let found = target.data()?;
            for [x, y, z] in all() {
                let own = f64::from(phi(x, y, z));
                let beside = |low: usize, n: usize| [low.saturating_sub(1), (low + 1).min(n - 1)];
                let around = [
                    beside(x, nx).map(|x| phi(x, y, z)),
                    beside(y, ny).map(|y| phi(x, y, z)),
                    beside(z, nz).map(|z| phi(x, y, z)),
                ];
                let mean = around.as_flattened().iter().map(|&v| f64::from(v)).sum::<f64>();
                let change = 0.125 * mean - 0.75 * own;
                bounded += usize::from(change.abs() > 0.4);
                let (found, exact) = (f64::from(found[place(x, y, z)]), own + change.clamp(-0.4, 0.4));
                assert!(
                    (found - exact).abs() <= 7.0 * 2f64.powi(-21),
                    "{size:?} {x} {y} {z}: {found}, {exact}"
                );
            }
        }
        assert!(bounded > 10, "{bounded}");
        Ok(())
    })
}

/// Six slices of 4 x 2 voxels, in tiles of 2 x 1 texels, three a row. Sums of six numbers below 1, and an exponential whose relative
/// error is taken to be 2^-20 on any driver.
#[test]
fn light_is_what_all_smoke_above_lets_through() -> Result<()> {
    on_gpu(|gpu| {
        let density: Vec<f32> = (0..6 * 2 * 4).map(|n| ((n * 37) % 48) as f32 / 48.0).collect();
        let target = gpu.buffer(6, 2).components(4).build()?;
        let mut program = gpu.builtin("view/volume_shadow.frag")?;
        program.bind_stream("density", &gpu.buffer(6, 2).components(4).init(&density)?)?;
        program.bind_float("tiles", [2.0, 1.0, 3.0])?.bind_float("size", [4.0, 2.0, 6.0])?;
        program.bind_float("absorption", 0.75)?.run(&target)?;
        let of = |slice: usize, inside: usize, k: usize| {
            f64::from(density[(slice / 3 * 6 + slice % 3 * 2 + inside) * 4 + k])
        };
        for (n, &found) in target.data()?.iter().enumerate() {
            let (texel, k) = (n / 4, n % 4);
            let (slice, inside) = (texel / 6 * 3 + texel % 6 / 2, texel % 2);
            let passed =
                0.5 * of(slice, inside, k) + (slice + 1..6).map(|above| of(above, inside, k)).sum::<f64>();
            let exact = (-0.75 * passed).exp();
            assert!(
                (f64::from(found) - exact).abs() <= 4e-6,
                "slice {slice}, texel {inside}, {k}: {found}, {exact}"
            );
        }
        Ok(())
    })
}

/// The floor is darker through deep water.
#[test]
fn what_lies_behind_water_is_darker_the_deeper_it_is() -> Result<()> {
    on_gpu(|gpu| {
        let above = Camera { azimuth: 0.0, elevation: 90.0, ..Camera::default() };
        let mut march = March::new(gpu)?;
        let mut red = |level: f64| -> Result<u8> {
            let water =
                Water::new(gpu, &Start::liquid([12, 12, 12], |[_, _, z]| z - level), Parameters::default())?;
            let picture = pixels(&march.picture(volume(&water), &above, SIZE)?);
            // Between lines, which lie at eighths of the box, a little off the middle.
            Ok(picture[(24 - 2) * 64 + 32 + 2][0])
        };
        let [dry, shallow, deep] = [red(-3.0)?, red(2.0)?, red(8.0)?];
        assert!(dry > shallow + 20 && shallow > deep + 20, "{dry} {shallow} {deep}");
        Ok(())
    })
}
