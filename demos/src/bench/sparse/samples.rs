//! Matrices to hold storages against each other.

use anyhow::Result;
use quadrille::linalg::Packed2x2;
use quadrille::reference::{Csr, Random};

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

    /// Entries of the longest row.
    pub fn longest(&self) -> u32 {
        match self.kind {
            Kind::Grid => 5,
            Kind::Offsets | Kind::Random => 8,
            Kind::PowerLaw => self.lengths().max().unwrap_or(0) as u32,
            Kind::Mesh => 7,
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
            Kind::Mesh => 7 * n,
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
            Kind::Offsets => quadrille::reference::matrices::banded(n, n, &self.offsets(), 1)?,
            Kind::Random => quadrille::reference::matrices::random(n, n, 8, 8, 1)?,
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
}
