//! A sky without clouds.

use quadrille::Result;
use quadrille::sim::fluid::{Grid, Kind};
use quadrille::view::{Sky, SkyContent};

use crate::support::on_gpu;

/// The horizon glows where the sun is: at the right in the morning, at the left in the evening.
#[test]
fn the_evening_is_the_morning_seen_in_a_mirror() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Grid { kind: Kind::Staggered, cells: [16, 12], spacing: 20.0, periodic: [true, false] };
        let [width, height] = grid.centres();
        let air = gpu.buffer(width, height).components(4).init(&vec![0.0; (4 * width * height) as usize])?;
        let mut sky = Sky::new(gpu)?;
        let (columns, rows) = (31, 24);
        let mut picture =
            |hour| sky.picture(SkyContent { hour, ..SkyContent::whole(grid, &air) }, (columns, rows));
        let (morning, evening) = (picture(7.0)?, picture(17.0)?);
        // Hills are no mirror images: they end below a twentieth of the height.
        let of = |picture: &[u8], x: u32, y: u32| i32::from(picture[(4 * (y * columns + x)) as usize]);
        for (x, y) in (0..rows - 3).flat_map(|y| (0..columns).map(move |x| (x, y))) {
            let (one, other) = (of(&morning, x, y), of(&evening, columns - 1 - x, y));
            assert!((one - other).abs() <= 1, "{x}, {y}: {one}, {other}");
        }
        let low = rows - 4;
        assert!(of(&morning, columns - 1, low) > of(&morning, 0, low) + 5, "{:?}", of(&morning, 0, low));
        Ok(())
    })
}
