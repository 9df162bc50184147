//! The first states of a plate.

use crate::numeric::Random;

/// The content of a plate: three numbers a cell, row after row.
///
/// | number | |
/// |---|---|
/// | temperature | |
/// | open | 1 where heat gets in, 0 in an obstacle |
/// | free | 1 where the temperature changes; 0 in an obstacle, and where a source holds it |
pub const STATE: usize = 3;

/// Obstacles that are tried.
const TRIES: usize = 1500;

/// The way between obstacles, as a part of the plate's shorter side, and in cells at least.
const WAY: f32 = 0.02;
const WAY_IN_CELLS: f32 = 1.5;

/// The state of a seed: cold, with a hot disc in the middle and obstacles, discs and bars, on a third of the plate.
///
/// An obstacle that would take the share over a third is left out, so that the smallest plates have none; so is one without a way
/// between it and the others, the hot disc and the edges: heat gets everywhere. The same seed gives the same bits everywhere.
pub fn seed(width: u32, height: u32, number: u64) -> Vec<f32> {
    let (columns, rows) = (width as usize, height as usize);
    let mut plate = vec![[0.0, 1.0, 1.0]; columns * rows];
    for i in spot(columns, rows).cells(columns, rows) {
        plate[i][0] = 1.0;
    }
    let (mut random, mut left) = (Random(number), plate.len() / 3);
    let way = (WAY * width.min(height) as f32).max(WAY_IN_CELLS);
    for attempt in 0..TRIES {
        let shape = Shape::random(&mut random, width as f32, height as f32, attempt % 2 == 0);
        let room = shape.grown(way);
        let free = room.cells(columns, rows).all(|i| plate[i] == [0.0, 1.0, 1.0]);
        if !(free && room.lies_within([width as f32, height as f32])) {
            continue;
        }
        let new: Vec<usize> = shape.cells(columns, rows).collect();
        if new.len() <= left {
            left -= new.len();
            new.into_iter().for_each(|i| plate[i] = [0.0; STATE]);
        }
    }
    plate.into_flattened()
}

/// An ellipse or a rectangle.
struct Shape {
    centre: [f32; 2],
    /// How far it reaches from there, along x and y.
    half: [f32; 2],
    round: bool,
}

/// The hot disc.
fn spot(columns: usize, rows: usize) -> Shape {
    let half = (columns.min(rows) as f32 / 8.0).max(0.75);
    Shape { centre: [columns as f32 / 2.0, rows as f32 / 2.0], half: [half; 2], round: true }
}

impl Shape {
    /// A disc anywhere; or a bar, two to six times as long as wide, lying or standing.
    fn random(random: &mut Random, width: f32, height: f32, round: bool) -> Shape {
        let centre = [random.unit() * width, random.unit() * height];
        let size = width.min(height) * (0.02 + 0.08 * random.unit());
        let stretch = if round { 1.0 } else { 1.5 + random.unit() };
        let [long, short] = [size * stretch, size / stretch];
        let half = if random.unit() < 0.5 { [long, short] } else { [short, long] };
        Shape { centre, half, round }
    }

    /// The same, and so much all around it.
    fn grown(&self, by: f32) -> Shape {
        Shape { half: self.half.map(|half| half + by), ..*self }
    }

    /// Returns true if no part of it lies beyond the edges of a plate of those sides.
    fn lies_within(&self, sides: [f32; 2]) -> bool {
        (0..2).all(|axis| {
            self.half[axis] <= self.centre[axis] && self.centre[axis] + self.half[axis] <= sides[axis]
        })
    }

    /// The cells whose centres it covers.
    fn cells(&self, columns: usize, rows: usize) -> impl Iterator<Item = usize> {
        let Shape { centre, half, round } = *self;
        let reach = |axis: usize, n: usize| {
            let [low, high] = [centre[axis] - half[axis], centre[axis] + half[axis]];
            low.max(0.0) as usize..(high as usize + 1).min(n)
        };
        let covers = move |x: usize, y: usize| {
            let part = |axis: usize, i: usize| ((i as f32 + 0.5 - centre[axis]) / half[axis]).powi(2);
            let [x, y] = [part(0, x), part(1, y)];
            if round { x + y <= 1.0 } else { x.max(y) <= 1.0 }
        };
        let (xs, ys) = (reach(0, columns), reach(1, rows));
        let all = ys.flat_map(move |y| xs.clone().map(move |x| (x, y)));
        all.filter(move |&(x, y)| covers(x, y)).map(move |(x, y)| y * columns + x)
    }
}
