//! Matrices to hold storages against each other.

use std::collections::HashMap;

use anyhow::Result;
use quadrille::linalg::Packed2x2;
use quadrille::numeric::{Csr, Random};

/// A kind of matrix, on a grid of unknowns.
#[derive(Clone, Copy)]
pub enum Kind {
    /// −h²∇² on a grid, five entries a row.
    Grid,
    /// Eight diagonals: 0, ±1, ±2, 3 and ± a row of the grid.
    Offsets,
    /// Eight entries a row, anywhere.
    Random,
    /// Row k has 4 √(n/(k + 1)) entries, the rows and the columns in any order.
    PowerLaw,
    /// A closed mesh of triangles: each vertex has itself and six neighbours.
    Mesh,
    /// The same with edges flipped at random, so that vertices have from three to some twenty neighbours, and the vertices in any
    /// order.
    UnevenMesh,
}

/// A matrix and the grid of its unknowns.
#[derive(Clone, Copy)]
pub struct Sample {
    pub kind: Kind,
    pub width: u32,
    pub height: u32,
}

impl Sample {
    pub fn of(kind: Kind, width: u32, height: u32) -> Sample {
        Sample { kind, width, height }
    }

    pub fn layout(&self) -> Result<Packed2x2> {
        Ok(Packed2x2::grid(self.width, self.height)?)
    }

    fn unknowns(&self) -> usize {
        self.width as usize * self.height as usize
    }

    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Grid => "five points",
            Kind::Offsets => "8 diagonals",
            Kind::Random => "8 anywhere",
            Kind::PowerLaw => "power law",
            Kind::Mesh => "mesh",
            Kind::UnevenMesh => "uneven mesh",
        }
    }

    /// How far from the main diagonal the entries lie, where that is the same in all rows.
    pub fn offsets(&self) -> Vec<isize> {
        let width = self.width as isize;
        match self.kind {
            Kind::Grid => vec![0, -1, 1, -width, width],
            Kind::Offsets => vec![0, -1, 1, -2, 2, 3, -width, width],
            _ => Vec::new(),
        }
    }

    /// Entries of all rows.
    pub fn entries(&self) -> usize {
        let n = self.unknowns();
        match self.kind {
            Kind::Grid => 5 * n - 2 * (self.width + self.height) as usize,
            Kind::Offsets => self.offsets().iter().map(|offset| n - offset.unsigned_abs()).sum(),
            Kind::Random => 8 * n,
            Kind::PowerLaw => self.lengths().sum(),
            Kind::Mesh | Kind::UnevenMesh => 7 * n,
        }
    }

    /// The lengths of rows that follow a power law, the longest first.
    fn lengths(&self) -> impl Iterator<Item = usize> {
        let n = self.unknowns();
        (0..n).map(move |k| (4.0 * (n as f64 / (k + 1) as f64).sqrt()) as usize)
    }

    pub fn matrix(&self) -> Result<Csr> {
        let n = self.unknowns();
        let mut random = Random(1);
        Ok(match self.kind {
            Kind::Grid => Csr::poisson(self.width as usize, self.height as usize)?,
            Kind::Offsets => quadrille_oracle::matrices::banded(n, n, &self.offsets(), 1)?,
            Kind::Random => quadrille_oracle::matrices::random(n, n, 8, 8, 1)?,
            Kind::PowerLaw => {
                let mut entries = Vec::with_capacity(self.entries());
                for (row, length) in random.shuffled(n).into_iter().zip(self.lengths()) {
                    for column in random.subset(n, length) {
                        entries.push((row, column, f64::from(random.signed())));
                    }
                }
                Csr::from_triplets(n, n, entries)?
            }
            Kind::Mesh => Csr::from_triplets(n, n, (0..n).flat_map(|i| self.ring(i)))?,
            Kind::UnevenMesh => self.uneven(&mut random)?,
        })
    }

    /// The row of a vertex: its neighbours on a torus of triangles, and a little more than their sum.
    fn ring(&self, i: usize) -> impl Iterator<Item = (usize, usize, f64)> + use<> {
        let (width, height) = (self.width as usize, self.height as usize);
        let (x, y) = (i % width, i / width);
        let at = move |dx: usize, dy: usize| (y + dy) % height * width + (x + dx) % width;
        let (left, up) = (width - 1, height - 1);
        let around = [(1, 0), (left, 0), (0, 1), (0, up), (1, 1), (left, up)];
        around.into_iter().map(move |(dx, dy)| (i, at(dx, dy), -1.0)).chain([(i, i, 6.5)])
    }

    /// The edges of the torus after so many tries a vertex to flip one, which keeps their number. A flip takes the edge of two
    /// triangles and gives them the other diagonal of their quadrilateral, unless that is an edge already or leaves a vertex with
    /// fewer than three neighbours. Vertices are then renumbered at random.
    fn uneven(&self, random: &mut Random) -> Result<Csr> {
        let (n, width, height) = (self.unknowns(), self.width as usize, self.height as usize);
        let at = |x: usize, y: usize| y % height * width + x % width;
        // The third corner of the triangle that has this edge, in this direction.
        let mut third = HashMap::new();
        let mut edges = Vec::new();
        for (x, y) in (0..n).map(|i| (i % width, i / width)) {
            let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            for [a, b, c] in [[a, b, c], [a, c, d]] {
                third.extend([((a, b), c), ((b, c), a), ((c, a), b)]);
            }
            edges.extend([(a, b), (a, c), (a, d)]);
        }
        let mut valences = vec![6; n];
        for _ in 0..FLIPS * n {
            let edge = &mut edges[random.below(3 * n)];
            let (a, b) = *edge;
            let (Some(&c), Some(&d)) = (third.get(&(a, b)), third.get(&(b, a))) else { continue };
            if c == d || valences[a].min(valences[b]) == 3 || third.contains_key(&(c, d)) {
                continue;
            }
            third.remove(&(a, b));
            third.remove(&(b, a));
            for [a, b, c] in [[a, d, c], [d, b, c]] {
                third.extend([((a, b), c), ((b, c), a), ((c, a), b)]);
            }
            *edge = (c, d);
            for (end, change) in [(a, -1), (b, -1), (c, 1), (d, 1)] {
                valences[end] += change;
            }
        }
        let number = random.shuffled(n);
        let off =
            edges.iter().flat_map(|&(a, b)| [(number[a], number[b], -1.0), (number[b], number[a], -1.0)]);
        let own = (0..n).map(|i| (number[i], number[i], f64::from(valences[i]) + 0.5));
        Ok(Csr::from_triplets(n, n, off.chain(own))?)
    }
}

/// Tries to flip an edge, for each vertex.
const FLIPS: usize = 12;

#[cfg(test)]
mod tests {
    use super::{Kind, Sample};

    #[test]
    fn an_uneven_mesh_is_a_closed_one_of_as_many_edges() -> anyhow::Result<()> {
        let sample = Sample::of(Kind::UnevenMesh, 48, 48);
        let matrix = sample.matrix()?;
        assert!(matrix.is_symmetric() && matrix.triplets().count() == sample.entries());
        let neighbours = |row: usize| matrix.row(row).count() - 1;
        let counts: Vec<usize> = (0..matrix.rows()).map(neighbours).collect();
        let (least, most) = (counts.iter().min(), counts.iter().max());
        assert!(
            least == Some(&3) && most > Some(&12) && counts.iter().sum::<usize>() == 6 * 48 * 48,
            "{most:?}"
        );
        // A neighbour is anywhere: on average a third of all vertices away.
        let apart = matrix.triplets().map(|(i, j, _)| i.abs_diff(j) as f64).sum::<f64>();
        assert!((apart / (6.0 * 48f64.powi(4)) - 1.0 / 3.0).abs() < 0.02, "{apart}");
        for (row, count) in counts.iter().enumerate() {
            let sum: f64 = matrix.row(row).map(|(_, value)| value).sum();
            assert!((matrix.entry(row, row), sum) == (*count as f64 + 0.5, 0.5));
        }
        Ok(())
    }
}
