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
    let cloud = |n: usize| {
        let (i, j) = ((n % COLUMNS + COLUMNS - first) % COLUMNS, n / COLUMNS);
        if i < 10 && (12..22).contains(&j) { 5e-4 } else { 0.0 }
    };
    let air: Vec<f32> = (0..COLUMNS * ROWS).flat_map(|n| [0.0, 0.01, cloud(n), 0.0]).collect();
    gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).init(&air)
}

fn picture(gpu: &Gpu, air: &Buffer) -> Result<Vec<[u8; 4]>> {
    let size = (4 * COLUMNS as u32, 4 * ROWS as u32);
    Ok(pixels(&Sky::new(gpu)?.picture(SkyContent { grid: grid(), air, hour: 14.0, level: None }, size)?))
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
        assert!(clear[2] > clear[0] + 80, "{clear:?}");
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
            let content = SkyContent { grid: grid(), air, hour, level };
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

/// A box beside itself is a box of twice the columns: what lies across the seam of the one lies in the middle of the other, with the same
/// light. The sun stands on the left, then on the right; places are rounded otherwise, by a level at most.
#[test]
fn the_seam_of_a_periodic_box_is_not_seen() -> Result<()> {
    on_gpu(|gpu| {
        let once: Vec<f32> = block(gpu, 35)?.data()?;
        let twice: Vec<f32> =
            once.chunks(4 * COLUMNS).flat_map(|row| row.iter().chain(row).copied()).collect();
        for hour in [14.0, 10.0] {
            let drawn = |boxes: usize, air: &[f32]| -> Result<Vec<[u8; 4]>> {
                let cells = [(boxes * COLUMNS) as u32, ROWS as u32];
                let air = gpu.buffer(cells[0], cells[1]).components(4).init(air)?;
                let content = SkyContent { grid: Grid { cells, ..grid() }, air: &air, hour, level: None };
                Ok(pixels(&Sky::new(gpu)?.picture(content, (4 * cells[0], 4 * cells[1]))?))
            };
            let (single, double) = (drawn(1, &once)?, drawn(2, &twice)?);
            for (x, y) in (4 * 20..4 * COLUMNS).flat_map(|x| (0..4 * (ROWS - 3)).map(move |y| (x, y))) {
                let (one, other) = (single[4 * COLUMNS * y + x], double[8 * COLUMNS * y + x]);
                let miss = (0..3).map(|k| one[k].abs_diff(other[k])).max();
                assert!(miss <= Some(1), "{hour} ({x}, {y}): {one:?} {other:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn a_sky_is_drawn_in_its_place() -> Result<()> {
    on_gpu(|gpu| {
        let (air, mut sky) = (block(gpu, 3)?, Sky::new(gpu)?);
        let overcast = SkyContent { grid: grid(), air: &air, hour: 14.0, level: None };
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
            SkyContent { grid: grid(), air: &air, hour: 14.0, level: None },
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
