//! The wave equation ∂²y/∂t² = c²∇²y on a grid in f64, explicit and implicit.
//!
//! β = c²Δt²/h², and L y is the sum of (neighbour − y) over the four neighbours. Beyond a fixed edge the height
//! is 0; beyond a reflecting one it is that of the edge cell, so that L stays symmetric.
//!
//! # References
//! Krüger & Westermann, *A GPU Framework for Solving Systems of Linear Equations*, §44.4.

use crate::cg;
use quadrille::numeric::Csr;
use quadrille::{Error, Result};

/// A grid of waves, and how fast they run over it.
#[derive(Clone, Copy, Debug)]
pub struct Wave {
    /// Cells a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// β.
    pub beta: f64,
    /// True if the edges reflect; they are fixed at 0 otherwise.
    pub reflecting: bool,
}

impl Wave {
    /// The matrix `diagonal` + `factor` L; cell (x, y) is unknown y·width + x.
    ///
    /// # Errors
    /// [`Error::Empty`] for no cells.
    pub fn matrix(&self, diagonal: f64, factor: f64) -> Result<Csr> {
        self.matrix_among(&vec![false; self.width * self.height], diagonal, factor)
    }

    /// The same where cells without water reflect: L is the sum of (neighbour − y) over the neighbours that have some, and 0 in
    /// walls.
    ///
    /// # Errors
    /// [`Error::Empty`] for no cells; [`Error::WrongLength`].
    pub fn matrix_among(&self, walls: &[bool], diagonal: f64, factor: f64) -> Result<Csr> {
        let &Wave { width, height, reflecting, .. } = self;
        let n = width * height;
        if walls.len() != n {
            let (what, shape) = ("walls".to_owned(), format!("{width}x{height}"));
            return Err(Error::WrongLength { what, found: walls.len(), expected: n, shape });
        }
        let entries = (0..n).flat_map(|i| {
            let (x, y) = (i % width, i / width);
            let beyond = reflecting.then_some(i);
            let neighbours = [
                if y > 0 { Some(i - width) } else { beyond },
                if x > 0 { Some(i - 1) } else { beyond },
                if x + 1 < width { Some(i + 1) } else { beyond },
                if y + 1 < height { Some(i + width) } else { beyond },
            ];
            // A wall's height instead of the water's own is no slope at all.
            let own = move |j: usize| if walls[i] || walls[j] { i } else { j };
            let factor = if walls[i] { 0.0 } else { factor };
            let neighbours = neighbours.into_iter().flatten().map(move |j| (i, own(j), factor));
            neighbours.chain([(i, i, diagonal - 4.0 * factor)])
        });
        Csr::from_triplets(n, n, entries)
    }

    /// One explicit step: y' = (2 + βL) y − y_last, stable for β ≤ ½.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::WrongLength`].
    pub fn explicit(&self, y: &[f64], last: &[f64]) -> Result<Vec<f64>> {
        self.forward(self.beta, y, last)
    }

    /// The explicit step of (y, y_last), cell after cell: the next such state of a state.
    ///
    /// # Errors
    /// [`Error::Empty`] for no cells.
    pub fn of_pairs(&self) -> Result<impl Fn(&[f64]) -> Vec<f64> + 'static> {
        let forward = self.matrix(2.0, self.beta)?;
        Ok(move |state: &[f64]| {
            let (pairs, _) = state.as_chunks::<2>();
            let y: Vec<f64> = pairs.iter().map(|pair| pair[0]).collect();
            let product = forward.multiply(&y);
            product.iter().zip(pairs).flat_map(|(product, &[y, last])| [product - last, y]).collect()
        })
    }

    /// One implicit step: (1 − αL) y' = (2 + αL) y − y_last with α = β/2, stable for every β. Solved to 10⁻¹³ of
    /// the right side, which is a bound of the error too, because no eigenvalue of 1 − αL is below 1.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::WrongLength`].
    pub fn implicit(&self, y: &[f64], last: &[f64]) -> Result<Vec<f64>> {
        let right = self.forward(self.beta / 2.0, y, last)?;
        let most = 1000 + right.len();
        Ok(cg(&self.matrix(1.0, -self.beta / 2.0)?, &right, Some(y), 1e-13, most).x)
    }

    fn forward(&self, factor: f64, y: &[f64], last: &[f64]) -> Result<Vec<f64>> {
        self.forward_among(&vec![false; self.width * self.height], factor, y, last)
    }

    /// (2 + `factor` L) y − y_last among walls.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::WrongLength`].
    pub fn forward_among(&self, walls: &[bool], factor: f64, y: &[f64], last: &[f64]) -> Result<Vec<f64>> {
        let expected = self.width * self.height;
        for found in [y.len(), last.len()] {
            if found != expected {
                let (what, shape) = ("heights".to_owned(), format!("{}x{}", self.width, self.height));
                return Err(Error::WrongLength { what, found, expected, shape });
            }
        }
        let product = self.matrix_among(walls, 2.0, factor)?.multiply(y);
        Ok(product.iter().zip(last).map(|(product, last)| product - last).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::direct_solve;
    use quadrille::numeric::Random;

    /// Every size with both rules for the edges.
    fn waves(beta: f64) -> impl Iterator<Item = Wave> {
        let sizes = [(1, 1), (1, 7), (7, 1), (3, 3), (5, 8), (11, 4), (31, 57)];
        let wave = move |(width, height), reflecting| Wave { width, height, beta, reflecting };
        sizes.into_iter().flat_map(move |size| [false, true].map(|reflecting| wave(size, reflecting)))
    }

    fn rough(wave: &Wave, seed: u64) -> Vec<f64> {
        Random(seed).floats(wave.width * wave.height).into_iter().map(f64::from).collect()
    }

    fn largest(values: &[f64]) -> f64 {
        values.iter().fold(0.0, |most, v| most.max(v.abs()))
    }

    #[test]
    fn the_implicit_step_solves_its_system_as_elimination_does() -> Result<()> {
        for wave in [0.1, 1.0, 50.0].into_iter().flat_map(waves) {
            let (y, last) = (rough(&wave, 1), rough(&wave, 2));
            let matrix = wave.matrix(1.0, -wave.beta / 2.0)?;
            assert!(matrix.is_symmetric());
            let right = Wave { beta: wave.beta / 2.0, ..wave }.explicit(&y, &last)?;
            let expected = direct_solve(&matrix, &right)?;
            let found = wave.implicit(&y, &last)?;
            let miss: Vec<f64> = found.iter().zip(&expected).map(|(f, e)| f - e).collect();
            // 10⁻¹³ ‖b‖₂ ≤ 10⁻¹³ √n ‖b‖∞, and as much for the roundings of both.
            let bound = 2e-13 * (y.len() as f64).sqrt() * largest(&right);
            assert!(largest(&miss) <= bound, "{:e} for {wave:?}", largest(&miss));
        }
        Ok(())
    }

    #[test]
    fn the_matrices_are_those_of_the_paper() -> Result<()> {
        let fixed = Wave { width: 4, height: 3, beta: 0.5, reflecting: false };
        assert_eq!(fixed.matrix(0.0, -1.0)?, Csr::poisson(4, 3)?);
        let diagonal = Wave { reflecting: true, ..fixed }.matrix(1.0, -2.0)?.diagonal();
        assert_eq!(diagonal, [5.0, 7.0, 7.0, 5.0, 7.0, 9.0, 9.0, 7.0, 5.0, 7.0, 7.0, 5.0]);
        Ok(())
    }

    #[test]
    fn reflecting_edges_keep_the_water_and_a_level_stays_level() -> Result<()> {
        for wave in waves(0.4).filter(|wave| wave.reflecting) {
            let level = vec![0.7; wave.width * wave.height];
            let (y, last) = (rough(&wave, 3), rough(&wave, 4));
            for step in [Wave::explicit, Wave::implicit] {
                assert!(step(&wave, &level, &level)?.iter().all(|v| (v - 0.7).abs() < 1e-11));
                let sum = |v: &[f64]| v.iter().sum::<f64>();
                let next = step(&wave, &y, &last)?;
                assert!((sum(&next) - 2.0 * sum(&y) + sum(&last)).abs() < 1e-9);
            }
        }
        Ok(())
    }
}
