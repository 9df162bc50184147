//! The solver of the contact LCP: in f64 on the CPU, or on the GPU, as one system or as one for each group.

use std::ops::Range;

use super::gauss_seidel::Problem;
use super::system::System;
use super::{Method, Parameters};
use crate::linalg::Algebra;
use crate::matrix::{Blocks, Matrix};
use crate::solve::{LcpMethod, LcpSettings, LcpSolver};
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

/// The systems as they are sent to the GPU, rounded to 32 bits: each divided by its [`scale`].
pub enum Entries {
    Dense(Matrix),
    Groups(Blocks),
}

impl Entries {
    /// One matrix of all rows.
    pub fn dense(algebra: &Algebra, system: &System) -> Result<Entries> {
        let n = system.rows.len();
        Ok(Entries::Dense(Matrix::new(algebra, n, n, &scaled_matrix(system, &(0..n)))?))
    }

    /// One matrix for each group of rows.
    pub fn groups(algebra: &Algebra, system: &System, groups: &[Range<usize>]) -> Result<Entries> {
        let parts: Vec<(Vec<f32>, usize)> =
            groups.iter().map(|rows| (scaled_matrix(system, rows), rows.len())).collect();
        let parts: Vec<(&[f32], usize)> = parts.iter().map(|(entries, n)| (entries.as_slice(), *n)).collect();
        Ok(Entries::Groups(Blocks::from_groups(algebra, &parts)?))
    }
}

fn scaled_matrix(system: &System, rows: &Range<usize>) -> Vec<f32> {
    let scale = scale(system, rows);
    narrow(system.matrix(rows.clone()).into_iter().map(|entry| entry / scale))
}

/// The largest diagonal s of a part: what is solved is (A/s) (s λ) + b, in which all are speeds. So what a residual may be
/// has nothing to do with how heavy bodies are, and no unknown is so small that it passes for 0.
pub fn scale(system: &System, rows: &Range<usize>) -> f64 {
    system.diagonal[rows.clone()].iter().copied().fold(f64::MIN_POSITIVE, f64::max)
}

/// Sweeps between two looks at the residual: most solves start near their end, and go on for up to two looks past it.
const LOOK_EVERY: usize = 8;

/// Projected gradients or projected Jacobi on the GPU.
pub struct OnGpu<'a> {
    algebra: &'a Algebra,
    blocks: Option<&'a Blocks>,
    groups: &'a [Range<usize>],
    /// The scale of each unknown.
    scales: Vec<f64>,
    solver: LcpSolver<'a>,
    settings: LcpSettings,
}

impl<'a> OnGpu<'a> {
    /// Prepares those entries of a system.
    pub fn new(
        algebra: &'a Algebra,
        entries: &'a Entries,
        system: &System,
        groups: &'a [Range<usize>],
        p: &Parameters,
    ) -> Result<OnGpu<'a>> {
        let (blocks, solver) = match entries {
            Entries::Dense(matrix) => (None, LcpSolver::new(matrix)?),
            Entries::Groups(blocks) => (Some(blocks), LcpSolver::new(blocks)?),
        };
        let largest = groups.iter().map(Range::len).max().unwrap_or(0);
        let (method, max_sweeps, check_every) = match p.method {
            Method::Accelerated => (LcpMethod::Accelerated, p.max_sweeps, LOOK_EVERY),
            Method::Jacobi { omega } => (LcpMethod::Jacobi { omega: Some(omega as f32) }, 2 * largest, 0),
        };
        let settings = LcpSettings { method, tolerance: p.tolerance as f32, max_sweeps, check_every };
        let scales = groups.iter().flat_map(|rows| vec![scale(system, rows); rows.len()]).collect();
        Ok(OnGpu { algebra, blocks, groups, scales, solver, settings })
    }

    /// Elements of all rows as a vector of the GPU.
    fn vector(&self, elements: impl IntoIterator<Item = f64>) -> Result<Matrix> {
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

    /// Impulses as speeds.
    fn speeds(&self, impulses: &[f64]) -> Result<Matrix> {
        self.vector(impulses.iter().zip(&self.scales).map(|(impulse, scale)| impulse * scale))
    }
}

impl Solver for OnGpu<'_> {
    fn solve(&self, problem: &Problem, impulses: &mut [f64]) -> Result<usize> {
        let (right, mut x) = (self.vector(problem.right.iter().copied())?, self.speeds(impulses)?);
        let (lower, upper) = (self.speeds(problem.lower)?, self.speeds(problem.upper)?);
        let report = self.solver.solve(&right, Some((&lower, &upper)), &mut x, &self.settings)?;
        let x = x.get()?;
        let parts = match self.blocks {
            None => vec![x.as_slice()],
            Some(blocks) => blocks.gather(&x)?,
        };
        let speeds = parts.into_iter().flatten().zip(&self.scales);
        for (impulse, (&x, scale)) in impulses.iter_mut().zip(speeds) {
            *impulse = f64::from(x) / scale;
        }
        finite(impulses)?;
        Ok(report.sweeps)
    }
}

/// Refuses impulses that are no numbers.
pub fn finite(impulses: &[f64]) -> Result<()> {
    match impulses.iter().find(|impulse| !impulse.is_finite()) {
        None => Ok(()),
        Some(found) => {
            let (found, expected) = (found.to_string(), "a finite number".to_owned());
            Err(Error::BadParameter { name: "impulse", found, expected })
        }
    }
}

/// Numbers rounded to 32 bits.
pub fn narrow(elements: impl IntoIterator<Item = f64>) -> Vec<f32> {
    elements.into_iter().map(|element| element as f32).collect()
}
