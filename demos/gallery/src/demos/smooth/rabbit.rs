//! A rabbit out of ellipsoids that run into each other.

use quadrille::mesh::Mesh;

/// Cells along a side of its cube from which on it has ears.
pub const LEAST: u32 = 16;

/// An ellipsoid: its middle, its radii, and by how many degrees it is turned about the third axis.
type Part = ([f64; 3], [f64; 3], f64);

const PARTS: [Part; 12] = [
    ([-0.10, -0.25, 0.0], [0.62, 0.50, 0.44], 12.0),
    ([-0.42, -0.38, 0.0], [0.40, 0.42, 0.46], 0.0),
    ([0.50, 0.25, 0.0], [0.30, 0.25, 0.24], -20.0),
    ([0.68, 0.20, 0.0], [0.15, 0.13, 0.15], 0.0),
    ([0.30, -0.05, 0.0], [0.30, 0.34, 0.28], 30.0),
    ([0.30, 0.70, 0.13], [0.10, 0.36, 0.07], 22.0),
    ([0.30, 0.70, -0.13], [0.10, 0.36, 0.07], 22.0),
    ([0.42, -0.66, 0.20], [0.22, 0.11, 0.11], 0.0),
    ([0.42, -0.66, -0.20], [0.22, 0.11, 0.11], 0.0),
    ([-0.22, -0.70, 0.32], [0.36, 0.12, 0.14], 0.0),
    ([-0.22, -0.70, -0.32], [0.36, 0.12, 0.14], 0.0),
    ([-0.84, -0.38, 0.0], [0.15, 0.15, 0.15], 0.0),
];

/// The sharpness k of the creases between parts: distances d add up as -log sum exp(-k d) / k.
const SHARP: f64 = 12.0;

/// The rabbit, about 2 long, on a grid of n cells along each side.
///
/// # Errors
/// Those of [`Mesh::isosurface`].
pub fn rabbit(n: u32) -> quadrille::Result<Mesh> {
    let turned = PARTS.map(|(middle, radii, degrees)| (middle, radii, degrees.to_radians().sin_cos()));
    Mesh::isosurface(n, [-1.08; 3], 2.2, |p| {
        let near = |&(middle, radii, (sine, cosine)): &([f64; 3], [f64; 3], (f64, f64))| {
            let [x, y, z] = [0, 1, 2].map(|k| p[k] - middle[k]);
            let d = [cosine * x + sine * y, cosine * y - sine * x, z];
            let root = |power: i32| (0..3).map(|k| (d[k] / radii[k].powi(power)).powi(2)).sum::<f64>().sqrt();
            // The distance to the first order, right at the surface.
            let (share, slope) = (root(1), root(2).max(1e-9));
            (-SHARP * share * (share - 1.0) / slope).exp()
        };
        -turned.iter().map(near).sum::<f64>().max(f64::MIN_POSITIVE).ln() / SHARP
    })
}

#[cfg(test)]
mod tests {
    use super::{LEAST, rabbit};
    use anyhow::Result;

    #[test]
    fn a_rabbit_is_one_closed_body_with_two_ears() -> Result<()> {
        for n in [LEAST, 24, 40] {
            let mesh = rabbit(n)?;
            assert!(mesh.edges().iter().all(|edge| edge.faces() == 2 && edge.is_oriented()), "{n}");
            assert_eq!(
                mesh.positions().len() + mesh.faces().len() - mesh.edges().len(),
                2,
                "{n}: one piece, no holes"
            );
            let volume = mesh.volume().unwrap_or_default();
            assert!((0.9..1.2).contains(&volume), "{n}: {volume}");
            let ears = mesh.positions().iter().filter(|[_, y, _]| *y > 0.8);
            let (left, right): (Vec<&[f32; 3]>, Vec<&[f32; 3]>) = ears.partition(|[_, _, z]| *z > 0.0);
            assert!(!left.is_empty() && !right.is_empty(), "{n}");
        }
        Ok(())
    }
}
