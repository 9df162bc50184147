//! Who solves the contact LCP: f64 on the CPU, or the GPU, as one system or as one for each group.

use std::ops::Range;

use super::Parameters;
use super::gauss_seidel::Problem;
use super::system::System;
use crate::linalg::Algebra;
use crate::matrix::{Blocks, Matrix};
use crate::solve::{LcpSettings, LcpSolver};
use crate::{Error, Result};

/// An LCP whose matrix stays as it is from round to round.
pub trait Solver {
    /// Improves the impulses, and says in how many sweeps.
    fn solve(&self, problem: &Problem, impulses: &mut [f64]) -> Result<usize>;
}

/// Gauss–Seidel in f64, group after group.
pub struct OnCpu<'a> {
    pub groups: &'a [Range<usize>],
    pub parameters: &'a Parameters,
}

impl Solver for OnCpu<'_> {
    fn solve(&self, problem: &Problem, impulses: &mut [f64]) -> Result<usize> {
        let p = self.parameters;
        let sweeps = self.groups.iter().map(|rows| {
            let tolerance = p.tolerance * size(problem.right, rows.clone());
            problem.solve(rows.clone(), impulses, tolerance, p.max_sweeps)
        });
        Ok(sweeps.max().unwrap_or(0))
    }
}

/// ‖b‖∞ of a group, metres a second; of the whole where that is 0, and 1 where that is 0, too.
pub fn size(right: &[f64], rows: Range<usize>) -> f64 {
    let largest = |b: &[f64]| b.iter().fold(0.0, |most: f64, b| b.abs().max(most));
    let sizes = [largest(&right[rows]), largest(right), 1.0];
    sizes.into_iter().find(|&size| size > 0.0).unwrap_or(1.0)
}

/// The systems as they are sent to the GPU, rounded to 32 bits.
pub enum Entries {
    Dense(Matrix),
    Groups(Blocks),
}

impl Entries {
    /// One matrix of all rows.
    pub fn dense(algebra: &Algebra, system: &System) -> Result<Entries> {
        let n = system.rows.len();
        Ok(Entries::Dense(Matrix::new(algebra, n, n, &narrow(&system.matrix(0..n)))?))
    }

    /// One matrix for each group of rows.
    pub fn groups(algebra: &Algebra, system: &System, groups: &[Range<usize>]) -> Result<Entries> {
        let parts: Vec<(Vec<f32>, usize)> =
            groups.iter().map(|rows| (narrow(&system.matrix(rows.clone())), rows.len())).collect();
        let parts: Vec<(&[f32], usize)> = parts.iter().map(|(entries, n)| (entries.as_slice(), *n)).collect();
        Ok(Entries::Groups(Blocks::from_groups(algebra, &parts)?))
    }
}

/// Projected gradients on the GPU.
pub struct OnGpu<'a> {
    algebra: &'a Algebra,
    blocks: Option<&'a Blocks>,
    groups: &'a [Range<usize>],
    solver: LcpSolver<'a>,
    settings: LcpSettings,
}

impl<'a> OnGpu<'a> {
    /// Prepares those entries.
    pub fn new(
        algebra: &'a Algebra,
        entries: &'a Entries,
        groups: &'a [Range<usize>],
        p: &Parameters,
    ) -> Result<OnGpu<'a>> {
        let (blocks, solver) = match entries {
            Entries::Dense(matrix) => (None, LcpSolver::new(matrix)?),
            Entries::Groups(blocks) => (Some(blocks), LcpSolver::new(blocks)?),
        };
        let (tolerance, max_sweeps) = (p.tolerance as f32, p.max_sweeps);
        let settings = LcpSettings { tolerance, max_sweeps, ..LcpSettings::default() };
        Ok(OnGpu { algebra, blocks, groups, solver, settings })
    }

    /// Elements of all rows as a vector of the GPU.
    fn vector(&self, elements: &[f64]) -> Result<Matrix> {
        let elements = narrow(elements);
        let laid = match self.blocks {
            None => elements,
            Some(blocks) => {
                let parts: Vec<&[f32]> = self.groups.iter().map(|rows| &elements[rows.clone()]).collect();
                blocks.scatter(&parts)?
            }
        };
        Matrix::new(self.algebra, laid.len(), 1, &laid)
    }
}

impl Solver for OnGpu<'_> {
    fn solve(&self, problem: &Problem, impulses: &mut [f64]) -> Result<usize> {
        let (right, mut x) = (self.vector(problem.right)?, self.vector(impulses)?);
        let (lower, upper) = (self.vector(problem.lower)?, self.vector(problem.upper)?);
        let report = self.solver.solve(&right, Some((&lower, &upper)), &mut x, &self.settings)?;
        let x = x.get()?;
        let parts = match self.blocks {
            None => vec![x.as_slice()],
            Some(blocks) => blocks.gather(&x)?,
        };
        for (impulse, &x) in impulses.iter_mut().zip(parts.into_iter().flatten()) {
            *impulse = f64::from(x);
        }
        match impulses.iter().find(|impulse| !impulse.is_finite()) {
            None => Ok(report.sweeps),
            Some(found) => {
                let (found, expected) = (found.to_string(), "a finite number".to_owned());
                Err(Error::BadParameter { name: "impulse", found, expected })
            }
        }
    }
}

fn narrow(elements: &[f64]) -> Vec<f32> {
    elements.iter().map(|&element| element as f32).collect()
}
