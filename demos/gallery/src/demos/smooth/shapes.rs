//! Bodies that show what the flow does: a dumbbell, whose thin neck shrinks first, and a ball of passages, whose walls bend both ways.

use quadrille::mesh::Mesh;

/// Cells along a side of its cube from which on a dumbbell is one body, and passages are passages.
pub const LEAST: u32 = 36;

/// Middle and radius of a ball, and the radius of the neck.
const BALLS: (f64, f64) = (0.6, 0.42);
const NECK: f64 = 0.1;

/// The sharpness of the creases between balls and neck.
const SHARP: f64 = 14.0;

/// Two balls and a neck between them, about 2 long, on a grid of n cells along each side.
///
/// # Errors
/// Those of [`Mesh::isosurface`].
pub fn dumbbell(n: u32) -> quadrille::Result<Mesh> {
    Mesh::isosurface(n, [-1.1; 3], 2.2, |[x, y, z]| {
        let (middle, radius) = BALLS;
        let round = y.hypot(z);
        let neck = (round - NECK).max(x.abs() - middle);
        let near = [(x - middle).hypot(round) - radius, (x + middle).hypot(round) - radius, neck];
        -near.map(|d| (-SHARP * d).exp()).iter().sum::<f64>().ln() / SHARP
    })
}

/// Half the thickness of a wall, in the gyroid's own numbers, how often it repeats along 2π, and the radius of the ball.
const WALL: f64 = 0.5;
const REPEATS: f64 = 4.7;
const BALL: f64 = 0.98;

/// A ball of passages between walls along Schoen's gyroid, a minimal surface, on a grid of n cells along each side.
///
/// # Errors
/// Those of [`Mesh::isosurface`].
pub fn gyroid(n: u32) -> quadrille::Result<Mesh> {
    Mesh::isosurface(n, [-1.1; 3], 2.2, |p| {
        let [[a, d], [b, e], [c, f]] = p.map(|x| [(REPEATS * x).sin(), (REPEATS * x).cos()]);
        let wall = ((a * e + b * f + c * d).abs() - WALL) / (1.5 * REPEATS);
        wall.max(p.iter().map(|x| x * x).sum::<f64>().sqrt() - BALL)
    })
}

#[cfg(test)]
mod tests {
    use anyhow::Result;

    use super::{LEAST, dumbbell, gyroid};

    #[test]
    fn a_dumbbell_is_a_closed_body_without_holes_and_passages_have_many() -> Result<()> {
        for n in [LEAST, 40, 57] {
            for (mesh, holes) in [(dumbbell(n)?, false), (gyroid(n)?, true)] {
                // Where two walls pass through one cell, at a sharp rim, they share a vertex, and may share an edge.
                let closed = |faces: usize| if holes { faces.is_multiple_of(2) } else { faces == 2 };
                assert!(mesh.edges().iter().all(|edge| closed(edge.faces() as usize)), "{n}");
                let euler = (mesh.positions().len() + mesh.faces().len()) as i64 - mesh.edges().len() as i64;
                assert_eq!(euler < 0, holes, "{n}: {euler}");
                assert!(holes || euler == 2, "{n}: one piece, no holes: {euler}");
            }
        }
        Ok(())
    }
}
