//! The entries of a nine-point matrix in f64 on the CPU.

use std::rc::Rc;

use super::{NinePoint, offset};
use crate::Result;
use crate::linalg::LinearOperator;
use crate::numeric::Csr;

impl NinePoint {
    /// The matrix in f64: as it was given, or what the GPU holds, read back when first asked for; of a uniform matrix nothing is read.
    pub fn matrix(&self) -> Result<&Csr> {
        if let Some(matrix) = self.matrix.get() {
            return Ok(matrix);
        }
        let matrix = Rc::new(self.read()?);
        Ok(self.matrix.get_or_init(|| matrix))
    }

    fn read(&self) -> Result<Csr> {
        let n = self.layout.len();
        let mut triplets = Vec::new();
        if let Some(entries) = self.uniform_entries() {
            for (number, value) in entries.into_iter().enumerate().filter(|(_, value)| *value != 0.0) {
                let to = |row: usize| self.neighbour(row, offset(number));
                triplets.extend((0..n).filter_map(|row| Some((row, to(row)?, f64::from(value)))));
            }
            return Csr::from_triplets(n, n, triplets);
        }
        for (number, entry) in self.entries()?.iter().enumerate() {
            let Some(entry) = entry else { continue };
            let values = entry.get()?;
            let kept = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
            triplets.extend(kept.filter_map(|(row, &value)| {
                Some((row, self.neighbour(row, offset(number))?, f64::from(value)))
            }));
        }
        Csr::from_triplets(n, n, triplets)
    }

    /// The node (dx, dy) away, if there is one.
    fn neighbour(&self, index: usize, (dx, dy): (i64, i64)) -> Option<usize> {
        let (column, row) = self.layout.place(index);
        let step = |at: u32, by: i64, side: u32, periodic: bool| {
            let to = i64::from(at) + by;
            let side = i64::from(side);
            match periodic {
                true => Some(to.rem_euclid(side)),
                false => (0..side).contains(&to).then_some(to),
            }
        };
        let column = step(column, dx, self.layout.width(), self.periodic[0])?;
        let row = step(row, dy, self.layout.height(), self.periodic[1])?;
        Some((row * i64::from(self.layout.width()) + column) as usize)
    }

    /// Aᵀ, or A itself where that is the same.
    pub(super) fn transposed(&self) -> Result<&NinePoint> {
        if self.transposed.get().is_none() {
            let (matrix, transpose) = (self.matrix()?, self.matrix()?.transpose());
            let made = match *matrix == transpose {
                true => None,
                false => Some(Box::new(NinePoint::from_csr(
                    &self.algebra,
                    self.rows(),
                    self.periodic,
                    &transpose,
                )?)),
            };
            let _ = self.transposed.set(made);
        }
        Ok(self.transposed.get().and_then(Option::as_deref).unwrap_or(self))
    }
}
