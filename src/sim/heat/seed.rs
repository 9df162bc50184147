//! What a plate looks like at first.

use crate::reference::Random;

/// What a plate holds: three numbers a cell, row after row.
///
/// | number | |
/// |---|---|
/// | temperature | |
/// | open | 1 where heat gets in, 0 in an obstacle |
/// | free | 1 where the temperature changes; 0 in an obstacle, and where a source holds it |
pub const STATE: usize = 3;

/// Obstacles that are tried, at most.
const TRIES: usize = 400;

/// The state of a seed: cold, with a hot disc in the middle and obstacles, discs and bars, on a third of the plate.
///
/// An obstacle that would take the share over a third is left out, so that the smallest plates have none. The same seed
/// gives the same bits everywhere.
pub fn seed(width: u32, height: u32, number: u64) -> Vec<f32> {
    let (columns, rows) = (width as usize, height as usize);
    let shorter = width.min(height) as f32;
    let (middle, hot) = ([width as f32 / 2.0, height as f32 / 2.0], (shorter / 8.0).max(0.75));
    let mut plate: Vec<[f32; STATE]> = cells(columns, rows)
        .map(|[x, y]| {
            let inside = (x - middle[0]).hypot(y - middle[1]) <= hot;
            [f32::from(u8::from(inside)), 1.0, 1.0]
        })
        .collect();
    let (mut random, mut left) = (Random(number), columns * rows / 3);
    for attempt in 0..TRIES {
        let centre = [random.unit() * width as f32, random.unit() * height as f32];
        let size = shorter * (0.02 + 0.08 * random.unit());
        // Every other one is a bar, two to four times as long as wide, lying or standing.
        let stretch = if attempt % 2 == 0 { 1.0 } else { 1.5 + random.unit() };
        let half = if random.unit() < 0.5 {
            [size * stretch, size / stretch]
        } else {
            [size / stretch, size * stretch]
        };
        let covers = |[x, y]: [f32; 2]| {
            let [along, across] = [(x - centre[0]) / half[0], (y - centre[1]) / half[1]];
            if attempt % 2 == 0 { along.hypot(across) <= 1.0 } else { along.abs().max(across.abs()) <= 1.0 }
        };
        let new: Vec<usize> = around(centre, half, columns, rows)
            .filter(|&i| {
                plate[i][1] > 0.0 && covers([(i % columns) as f32 + 0.5, (i / columns) as f32 + 0.5])
            })
            .collect();
        if new.len() <= left {
            left -= new.len();
            new.into_iter().for_each(|i| plate[i] = [0.0; STATE]);
        }
    }
    plate.into_flattened()
}

/// The centres of all cells, row after row.
fn cells(columns: usize, rows: usize) -> impl Iterator<Item = [f32; 2]> {
    (0..columns * rows).map(move |i| [(i % columns) as f32 + 0.5, (i / columns) as f32 + 0.5])
}

/// The cells of the rectangle that reaches `half` to each side of a centre.
fn around([x, y]: [f32; 2], half: [f32; 2], columns: usize, rows: usize) -> impl Iterator<Item = usize> {
    let along = |c: f32, half: f32, n: usize| (c - half).max(0.0) as usize..((c + half) as usize + 1).min(n);
    let (xs, ys) = (along(x, half[0], columns), along(y, half[1], rows));
    ys.flat_map(move |y| xs.clone().map(move |x| y * columns + x))
}
