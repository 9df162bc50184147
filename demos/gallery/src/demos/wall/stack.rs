//! Stacks that bodies are built up to: a wall, a pyramid, corbelled gates, a spiral of dominoes.

use std::f64::consts::TAU;

use anyhow::Result;
use quadrille::sim::contact::{Body, KNOCK, wall};

use crate::demo::Usage;
use crate::param::name_of;

/// The shape of a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stack {
    #[default]
    Wall,
    Pyramid,
    Gates,
    Dominoes,
}

pub const STACKS: [(&str, &str, Stack); 4] = [
    ("wall", "Cubes in columns, face on face", Stack::Wall),
    ("pyramid", "Cubes that rest on two each, in a triangle", Stack::Pyramid),
    (
        "gates",
        "Corbelled gates side by side: each course reaches a little farther in, and a slab lies on the last. A true arch has wedges, and these \
         stones are boxes",
        Stack::Gates,
    ),
    ("dominoes", "A spiral of dominoes, which a push on the outermost brings down", Stack::Dominoes),
];

/// The most bodies of a stack.
pub const MOST_CUBES: u64 = 10_000;

/// Metres between stones that stand side by side, so that they stand without a contact.
const CREVICE: f64 = 0.02;

/// Half the opening of a gate, and how far its piers reach behind it, metres: as long as no course reaches farther in than it lies
/// behind, none tips.
const HALF_SPAN: f64 = 2.0;

/// Half the thickness, height and width of a domino; its mass; metres from one to the next along the spiral; the radius of
/// the innermost turn; metres from a turn to the next.
const DOMINO: [f64; 3] = [0.17, 1.0, 0.45];
const DOMINO_MASS: f64 = 0.6;
const APART: f64 = 0.9;
const INNERMOST: f64 = 1.5;
const TURN: f64 = 2.1;

/// Newton seconds that tip the first domino.
const NUDGE: f64 = 0.5;

impl Stack {
    /// Columns and rows unless the user says otherwise.
    pub fn usual(self) -> [u32; 2] {
        match self {
            // Sixty cubes, as in the paper.
            Stack::Wall => [10, 6],
            Stack::Pyramid => [9, 9],
            Stack::Gates => [2, 6],
            Stack::Dominoes => [20, 3],
        }
    }

    /// The impulse that brings it down, newton seconds.
    pub fn knock(self) -> f64 {
        if self == Stack::Dominoes { NUDGE } else { KNOCK }
    }

    /// The number of its bodies.
    pub fn count(self, [columns, rows]: [u64; 2]) -> u64 {
        match self {
            Stack::Wall | Stack::Dominoes => columns.saturating_mul(rows),
            Stack::Pyramid => (0..rows.min(columns)).map(|row| columns - row).sum(),
            Stack::Gates => columns.saturating_mul(rows.saturating_mul(2).saturating_add(2 * pier(rows) + 1)),
        }
    }

    /// Refuses what cannot be built.
    ///
    /// # Errors
    /// [`Usage`]: which numbers.
    pub fn check(self, [columns, rows]: [u32; 2]) -> Result<()> {
        let count = self.count([columns, rows].map(u64::from));
        if count > MOST_CUBES {
            let line =
                format!("--columns {columns}, --rows {rows}: {count} cubes, expected {MOST_CUBES} at most");
            return Err(Usage(line).into());
        }
        if self == Stack::Pyramid && rows > columns {
            let line = format!("--rows {rows}: a pyramid of --columns {columns} has {columns} rows at most");
            return Err(Usage(line).into());
        }
        Ok(())
    }

    /// Its bodies, standing on the ground.
    ///
    /// # Errors
    /// As [`Stack::check`].
    pub fn bodies(self, size: [u32; 2]) -> Result<Vec<Body>> {
        self.check(size)?;
        let [columns, rows] = size.map(|n| n as usize);
        Ok(match self {
            Stack::Wall => wall(columns, rows)?,
            Stack::Pyramid => pyramid(columns, rows),
            Stack::Gates => gates(columns, rows),
            Stack::Dominoes => spiral(columns * rows),
        })
    }

    /// Its size and name, for a title.
    pub fn named(self, [columns, rows]: [u32; 2]) -> String {
        match self {
            Stack::Wall => format!("{columns}x{rows}"),
            _ => format!("{} {columns}x{rows}", name_of(&STACKS, &self)),
        }
    }
}

fn pyramid(columns: usize, rows: usize) -> Vec<Body> {
    let pitch = 1.0 + CREVICE;
    let row = |k: usize| {
        let first = -((columns - k - 1) as f64) / 2.0;
        (0..columns - k).map(move |i| Body::cube(1.0, 1.0, [(first + i as f64) * pitch, k as f64 + 0.5, 0.0]))
    };
    (0..rows).flat_map(row).collect()
}

/// Courses of a pier below the first that reaches inward.
fn pier(rows: u64) -> u64 {
    rows / 3
}

/// A stone from `low` to `high` across, as deep as a cube and as heavy for its size.
fn stone(low: f64, high: f64, bottom: f64, height: f64) -> Body {
    let half_sides = [(high - low) / 2.0, height / 2.0, 0.5];
    let mass = (high - low) * height;
    Body { half_sides, mass, ..Body::cube(1.0, 1.0, [(low + high) / 2.0, bottom + height / 2.0, 0.0]) }
}

/// Gates side by side. The inner ends of the courses follow a circle, from the pier inward.
fn gates(columns: usize, rows: usize) -> Vec<Body> {
    let piers = pier(rows as u64) as usize;
    let reach = |course: usize| {
        let up = (course + 1).saturating_sub(piers) as f64 / (rows + 1 - piers) as f64;
        HALF_SPAN * (1.0 - (1.0 - up * up).sqrt())
    };
    let (outer, pitch) = (2.0 * HALF_SPAN, 4.0 * HALF_SPAN + 2.0 * CREVICE);
    let mut bodies = Vec::new();
    for gate in 0..columns {
        let middle = (gate as f64 - (columns - 1) as f64 / 2.0) * pitch;
        for course in 0..rows {
            let (inner, bottom) = (HALF_SPAN - reach(course), course as f64);
            for side in [-1.0, 1.0] {
                let mut lay = |from: f64, to: f64| {
                    let ends = [middle + side * from, middle + side * to];
                    bodies.push(stone(ends[0].min(ends[1]), ends[0].max(ends[1]), bottom, 1.0));
                };
                // A pier has two stones a course, with the joint now here, now there.
                match course < piers {
                    true => {
                        let joint = inner + HALF_SPAN * if course % 2 == 0 { 0.4 } else { 0.6 };
                        lay(inner, joint - CREVICE / 2.0);
                        lay(joint + CREVICE / 2.0, outer);
                    }
                    false => lay(inner, outer),
                }
            }
        }
        let half = HALF_SPAN - reach(rows - 1) + 0.6;
        bodies.push(stone(middle - half, middle + half, rows as f64, 0.7));
    }
    bodies
}

/// Dominoes along a spiral of Archimedes from its outer end inward, each across the way.
fn spiral(count: usize) -> Vec<Body> {
    // From inside out by steps of equal length: r = a + b t, ds = sqrt(r² + b²) dt.
    let rise = TURN / TAU;
    let mut angle = 0.0f64;
    let place = |angle: f64| {
        let radius = INNERMOST + rise * angle;
        let (sine, cosine) = angle.sin_cos();
        // Along the spiral, inward: so that the first one falls on the second.
        let along = [-(rise * cosine - radius * sine), -(rise * sine + radius * cosine)];
        (radius, [radius * cosine, radius * sine], along)
    };
    let mut bodies: Vec<Body> = (0..count)
        .map(|_| {
            let (radius, [x, z], along) = place(angle);
            angle += APART / radius.hypot(rise);
            // Its own x axis goes along: a turn about y by −atan2(z, x).
            let half = -along[1].atan2(along[0]) / 2.0;
            let orientation = [0.0, half.sin(), 0.0, half.cos()];
            let standing = Body::cube(1.0, DOMINO_MASS, [x, DOMINO[1], z]);
            Body { orientation, half_sides: DOMINO, ..standing }
        })
        .collect();
    bodies.reverse();
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two boxes of a stack lie in one another, and each is the number of its count.
    #[test]
    fn stacks_have_the_bodies_that_they_count_and_none_lie_in_one_another() -> Result<()> {
        use quadrille::sim::contact::{Collide, Contact};
        for (_, _, stack) in STACKS {
            for size in [[1, 1], stack.usual(), [7, 4]] {
                let bodies = stack.bodies(size)?;
                assert_eq!(bodies.len() as u64, stack.count(size.map(u64::from)), "{stack:?} {size:?}");
                let mut contacts: Vec<Contact> = Vec::new();
                super::super::collide::Boxes.contacts(&bodies, 0.01, &mut contacts);
                let deepest = contacts.iter().map(|contact| contact.gap).fold(0.0, f64::min);
                assert!(deepest > -1e-9, "{stack:?} {size:?}: {deepest}");
                let lowest =
                    bodies.iter().flat_map(Body::corners).map(|corner| corner[1]).fold(1.0, f64::min);
                assert!(lowest.abs() < 1e-9, "{stack:?} {size:?}: {lowest}");
            }
        }
        assert!(Stack::Pyramid.check([3, 4]).is_err() && Stack::Wall.check([101, 100]).is_err());
        Ok(())
    }
}
