//! Pictures of clouds.

use quadrille::sim::fluid::{Grid, Kind};
use quadrille::view::{Sky, SkyContent};
use quadrille::{Buffer, Gpu, Limits, Rect, Result};

use crate::support::{on_card, on_gpu, refusal};
use crate::{check_in_its_place, pixels};

const COLUMNS: usize = 40;
const ROWS: usize = 30;

fn grid() -> Grid {
    Grid {
        kind: Kind::Staggered,
        cells: [COLUMNS as u32, ROWS as u32],
        spacing: 50.0,
        periodic: [true, false],
    }
}

/// A block of cloud from column `first` on, around the box: half a gram a kilogram, ten cells by ten.
fn block(gpu: &Gpu, first: usize) -> Result<Buffer> {
    halves(gpu, first, [5e-4, 5e-4])
}

/// The same with so much water in its left five columns and in its right ones.
fn halves(gpu: &Gpu, first: usize, [left, right]: [f32; 2]) -> Result<Buffer> {
    let cloud = |n: usize| {
        let (i, j) = ((n % COLUMNS + COLUMNS - first) % COLUMNS, n / COLUMNS);
        match i {
            0..5 if (12..22).contains(&j) => left,
            5..10 if (12..22).contains(&j) => right,
            _ => 0.0,
        }
    };
    let air: Vec<f32> = (0..COLUMNS * ROWS).flat_map(|n| [0.0, 0.01, cloud(n), 0.0]).collect();
    gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).init(&air)
}

fn picture(gpu: &Gpu, air: &Buffer) -> Result<Vec<[u8; 4]>> {
    let size = (4 * COLUMNS as u32, 4 * ROWS as u32);
    Ok(pixels(&Sky::new(gpu)?.picture(SkyContent { hour: 14.0, ..SkyContent::whole(grid(), air) }, size)?))
}

/// The pixel over the middle of a cell, counted from the lower left.
fn over(picture: &[[u8; 4]], i: usize, j: usize) -> [u8; 4] {
    picture[(4 * (ROWS - 1 - j) + 2) * 4 * COLUMNS + 4 * i + 2]
}

fn brightness([r, g, b, _]: [u8; 4]) -> i32 {
    i32::from(r) + i32::from(g) + i32::from(b)
}

#[test]
fn the_sky_is_blue_above_and_pale_at_the_horizon_over_green_ground() -> Result<()> {
    on_gpu(|gpu| {
        let air = gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).build()?;
        let picture = picture(gpu, &air)?;
        let [zenith, horizon] = [over(&picture, 7, ROWS - 1), over(&picture, 7, 3)];
        assert!(zenith[2] > zenith[0] + 60, "{zenith:?}");
        assert!(brightness(horizon) > brightness(zenith) + 100, "{horizon:?} {zenith:?}");
        let ground = picture[picture.len() - 1];
        assert!(ground[1] > ground[0] && ground[1] > ground[2], "{ground:?}");
        assert!(picture.iter().all(|pixel| pixel[3] == 255));
        Ok(())
    })
}

#[test]
fn a_cloud_is_white_above_grey_below_and_brightest_at_its_edge_to_the_sun() -> Result<()> {
    on_gpu(|gpu| {
        let picture = picture(gpu, &block(gpu, 15)?)?;
        let [top, base, clear] = [21, 12, 26].map(|j| over(&picture, 19, j));
        assert!(brightness(top) > brightness(base) + 60, "{top:?} {base:?}");
        for cloud in [top, base] {
            assert!(cloud[2].abs_diff(cloud[0]) < 40, "no colour of its own: {cloud:?}");
        }
        assert!(clear[2] > clear[0] + 50, "{clear:?}");
        // The sun stands in the upper left.
        let [lit, dark] = [15, 24].map(|i| over(&picture, i, 16));
        assert!(brightness(lit) > brightness(dark), "{lit:?} {dark:?}");
        let brightest = picture.iter().map(|&pixel| brightness(pixel)).max();
        assert!(brightest > Some(brightness(over(&picture, 19, 19)) + 60), "silver: {brightest:?}");
        Ok(())
    })
}

/// The brightest pixels of a row of a clear sky are those of the line, and there are two in three of them.
#[test]
fn the_level_is_a_line_of_dashes_where_it_lies_and_evening_light_is_red() -> Result<()> {
    on_gpu(|gpu| {
        let (clear, cloud) =
            (gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).build()?, block(gpu, 15)?);
        let mut sky = Sky::new(gpu)?;
        let mut picture = |air: &Buffer, hour, level| -> Result<Vec<[u8; 4]>> {
            let content = SkyContent { hour, line: level, ..SkyContent::whole(grid(), air) };
            Ok(pixels(&sky.picture(content, (4 * COLUMNS as u32, 4 * ROWS as u32))?))
        };
        let (plain, lined) = (picture(&clear, 14.0, None)?, picture(&clear, 14.0, Some(10.5))?);
        let yellow = |p: &[u8; 4], q: &[u8; 4]| {
            i32::from(p[0]) > 20 + i32::from(q[0]) && p[2] < q[2].saturating_add(5)
        };
        let rows: Vec<usize> =
            (0..plain.len()).filter(|&n| yellow(&lined[n], &plain[n])).map(|n| n / (4 * COLUMNS)).collect();
        // Half a cell above the lower edge of row 10: 42 pixels from below.
        let expected = 4 * ROWS - 42;
        assert!(rows.iter().all(|&row| row.abs_diff(expected) <= 1), "{rows:?}, {expected}");
        assert!((COLUMNS * 2..COLUMNS * 8).contains(&rows.len()), "{}", rows.len());

        let [noon, evening] = [14.0, 17.8].map(|hour| picture(&cloud, hour, None));
        let redness = |p: [u8; 4]| i32::from(p[0]) - i32::from(p[2]);
        let [noon, evening] = [redness(over(&noon?, 15, 16)), redness(over(&evening?, 15, 16))];
        assert!(evening > noon + 10, "{evening} {noon}");
        Ok(())
    })
}

/// Pixels of a cell across where a jump is looked for: what is smooth changes little from one to the next.
const FINE: u32 = 16;

/// A cloud across the seam, thin on one side of it and dense on the other. The picture changes from the last column to the first no more
/// than it does at the columns beside, twice at most; and each half has the light that it has in the middle of the box, where the wind has moved its
/// heads along. The sun stands on the left, then on the right.
#[test]
fn the_seam_of_a_periodic_box_is_not_seen() -> Result<()> {
    on_gpu(|gpu| {
        let mut sky = Sky::new(gpu)?;
        for (hour, water) in [(14.0, [3e-3, 2e-4]), (10.0, [2e-4, 3e-3])] {
            let (across, middle) = (halves(gpu, 35, water)?, halves(gpu, 15, water)?);
            let mut drawn = |air: &Buffer, drift| -> Result<Vec<[u8; 4]>> {
                let content = SkyContent { hour, drift, ..SkyContent::whole(grid(), air) };
                Ok(pixels(&sky.picture(content, (FINE * COLUMNS as u32, FINE * ROWS as u32))?))
            };
            let (picture, other) = (drawn(&across, 20.0)?, drawn(&middle, 0.0)?);
            let width = FINE as usize * COLUMNS;
            let change = |x: usize| -> u32 {
                let of_row = |row: &[[u8; 4]]| u32::from(row[x % width][1].abs_diff(row[(x + 1) % width][1]));
                // Within the cloud: the sky beside it has a sun in one place.
                let rows = (ROWS - 20) * FINE as usize..(ROWS - 14) * FINE as usize;
                rows.map(|row| of_row(&picture[row * width..][..width])).sum()
            };
            let beside = (width - 9..width + 8).filter(|&x| x != width - 1).map(change).max().unwrap_or(0);
            assert!(change(width - 1) <= 2 * beside, "{hour}: {} {beside}", change(width - 1));
            let light = |picture: &[[u8; 4]], first: usize| -> i32 {
                let cells = (0..5).flat_map(|i| (12..22).map(move |j| ((first + i) % COLUMNS, j)));
                let pixel =
                    |(i, j): (usize, usize)| (ROWS - 1 - j) * FINE as usize * width + i * FINE as usize;
                cells.map(|cell| brightness(picture[pixel(cell)])).sum::<i32>() / 150
            };
            for half in [0, 5] {
                let [one, other] = [light(&picture, 35 + half), light(&other, 15 + half)];
                assert!((one - other).abs() <= 4, "{hour} {half}: {one} {other}");
            }
        }
        Ok(())
    })
}

/// Water that grows with height from row 12 on, as in air that rises, and a condensation level at its lower edge: all columns begin within a
/// cell, although heads are three cells and more wide.
#[test]
fn the_base_of_a_cloud_is_flat() -> Result<()> {
    on_gpu(|gpu| {
        let water = |n: usize| {
            let (i, j) = (n % COLUMNS, n / COLUMNS);
            if (5..35).contains(&i) && (12..24).contains(&j) { 1e-4 * (j as f32 - 11.0) } else { 0.0 }
        };
        let air: Vec<f32> = (0..COLUMNS * ROWS).flat_map(|n| [0.0, 0.01, water(n), 0.0]).collect();
        let air = gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).init(&air)?;
        let walled = Grid { periodic: [false; 2], ..grid() };
        let mut sky = Sky::new(gpu)?;
        let mut drawn = |air: &Buffer| -> Result<Vec<[u8; 4]>> {
            let content = SkyContent { level: Some(12.0), ..SkyContent::whole(walled, air) };
            Ok(pixels(&sky.picture(content, (4 * COLUMNS as u32, 4 * ROWS as u32))?))
        };
        let clear = drawn(&gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).build()?)?;
        let cloudy = drawn(&air)?;
        let width = 4 * COLUMNS;
        let off = |n: usize| (0..3).map(|k| cloudy[n][k].abs_diff(clear[n][k])).max();
        let lowest = |x: usize| (0..4 * (ROWS - 3)).rev().find(|y| off(y * width + x) > Some(12)).ok_or(x);
        let bases: Vec<usize> = (4 * 8..4 * 32).filter_map(|x| lowest(x).ok()).collect();
        let (low, high) = bases.iter().fold((0, 4 * ROWS), |(low, high), &y| (low.max(y), high.min(y)));
        assert!(bases.len() == 4 * 24 && low - high <= 4, "{low} {high} of {}", bases.len());
        // The lower edge of row 12 lies 48 pixels above the ground.
        assert!(low.abs_diff(4 * ROWS - 48) <= 6, "{low}");
        Ok(())
    })
}

/// Between walls nothing stands behind the slice. The nearest cloud is 2.4 times lower above the level: at row 10 of a level at 8 it has what the
/// slice has at 14. Below the level there is none.
#[test]
fn clouds_before_the_slice_are_lower_and_end_at_the_level() -> Result<()> {
    on_gpu(|gpu| {
        let (air, walled) = (block(gpu, 15)?, Grid { periodic: [false; 2], ..grid() });
        let mut sky = Sky::new(gpu)?;
        let mut drawn = |level| -> Result<Vec<[u8; 4]>> {
            let content = SkyContent { level, ..SkyContent::whole(walled, &air) };
            Ok(pixels(&sky.picture(content, (4 * COLUMNS as u32, 4 * ROWS as u32))?))
        };
        let (slice, heap) = (drawn(None)?, drawn(Some(8.0))?);
        let blueness = |picture: &[[u8; 4]], j| {
            let [red, _, blue, _] = over(picture, 20, j).map(i32::from);
            blue - red
        };
        let [bare, hidden] = [blueness(&slice, 8), blueness(&heap, 10)];
        assert!(hidden < bare - 30, "{hidden} {bare}");
        assert_eq!(over(&heap, 20, 6), over(&slice, 20, 6));
        // To the right of the slice's own there is a cloud that lies aside, by a fifth of the level, and none farther than a head is wide.
        let changes = |i| over(&heap, i, 10) != over(&slice, i, 10);
        assert!(changes(25) && !changes(33) && !changes(6));
        Ok(())
    })
}

/// A periodic slice stands again behind itself, lower: below its level there are clouds, and between walls there are none.
#[test]
fn behind_a_periodic_slice_clouds_go_on_to_the_horizon() -> Result<()> {
    on_gpu(|gpu| {
        let (cloud, clear) =
            (block(gpu, 15)?, gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).build()?);
        let mut sky = Sky::new(gpu)?;
        for periodic in [true, false] {
            let grid = Grid { periodic: [periodic, false], ..grid() };
            let mut drawn = |air: &Buffer| -> Result<Vec<[u8; 4]>> {
                let content = SkyContent { level: Some(12.0), ..SkyContent::whole(grid, air) };
                Ok(pixels(&sky.picture(content, (4 * COLUMNS as u32, 4 * ROWS as u32))?))
            };
            let (cloudy, clear) = (drawn(&cloud)?, drawn(&clear)?);
            // Above the hills and what the clouds shade of them.
            let changed =
                |j: usize| (0..COLUMNS).filter(|&i| over(&cloudy, i, j) != over(&clear, i, j)).count();
            let found: Vec<usize> = (4..10).map(changed).collect();
            assert_eq!(found.iter().any(|&count| count > 0), periodic, "{found:?}");
        }
        Ok(())
    })
}

#[test]
fn a_sky_is_drawn_in_its_place() -> Result<()> {
    on_gpu(|gpu| {
        let (air, mut sky) = (block(gpu, 3)?, Sky::new(gpu)?);
        let overcast = SkyContent { hour: 14.0, ..SkyContent::whole(grid(), &air) };
        let expected = pixels(&sky.picture(overcast, (80, 60))?);
        check_in_its_place(gpu, &expected, (80, 60), |framebuffer, place| {
            sky.draw(overcast, Some(framebuffer), place)
        })
    })
}

#[test]
fn air_of_another_box_and_cards_without_loops_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let air = gpu.buffer(9, 9).components(4).named("air").build()?;
        let line = refusal(Sky::new(gpu)?.draw(
            SkyContent { hour: 14.0, ..SkyContent::whole(grid(), &air) },
            None,
            Rect::whole(8, 8),
        ));
        assert!(line.contains("buffer \"air\" (9x9x4), expected 40x30 of 3 or 4 components"), "{line}");
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(Sky::new(gpu));
        assert!(line.contains("view/sky_light.frag: number of iterations is 64, the limit is 0"), "{line}");
        Ok(())
    })
}
