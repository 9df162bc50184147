//! The preparation of a problem's matrix, made once, and the check of everything before the first pass.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use super::looks::{Looks, Seen};
use super::nearer::Nearer;
use super::residuals::Residuals;
use super::sweeps::{Problem, Sweeps};
use super::{LcpMethod, LcpReport, LcpSettings};
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::gl::{Format, Shape, Texture};
use crate::matrix::{DenseOperator, Group, Matrix};
use crate::numeric::{Random, larger};
use crate::solve::{Progress, Reason, bad, check_tolerance};

/// A matrix prepared for complementarity problems: read back and checked, its diagonal inverted, its largest eigenvalues
/// estimated if they are asked for.
pub struct LcpSolver<'a> {
    pub(super) a: &'a dyn DenseOperator,
    pub(super) groups: Vec<Group<'a>>,
    /// 1/aᵢᵢ, and 0 in the padding.
    pub(super) inverse: Matrix,
    /// For each texel of a vector, the texel of its group's scalars.
    pub(super) group_of: Texture,
    pub(super) inverses: Vec<f32>,
    /// ‖D⁻¹A‖∞ of each group.
    row_sums: Vec<f64>,
    eigenvalues: OnceCell<Vec<f64>>,
}

/// Iterations of the estimate, and what is added to it for what they leave out.
const POWERS: usize = 16;
const MARGIN: f64 = 1.1;

/// The default −ω λ of Jacobi: two thirds of its limit, 2, so that the estimate of λ may be too low by a factor of up to 1.5.
const RELAXATION: f64 = 4.0 / 3.0;

/// Sweeps stop a little below the tolerance, for the truth is a little above what they see.
const BELOW: f64 = 0.9;

impl<'a> LcpSolver<'a> {
    /// Prepares a matrix.
    ///
    /// # Errors
    /// [`Error::WrongShape`] if it is not square; [`Error::BadParameter`] for entries that are not finite and a diagonal that
    /// is not above 0, or above 8·10³⁷; those of the GPU.
    pub fn new(a: &'a dyn DenseOperator) -> Result<LcpSolver<'a>> {
        let groups = a.groups()?;
        let mut inverses = vec![0.0; a.size()];
        let mut row_sums = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            let name = |row| {
                if groups.len() == 1 { format!("row {row}") } else { format!("row {row} of group {index}") }
            };
            row_sums.push(inspect(group, &mut inverses, &name)?);
        }
        let height = a.size().div_ceil(4);
        let mut places = vec![0.5; height];
        for (index, group) in groups.iter().enumerate() {
            let texels = group.start / 4..(group.start + group.n).div_ceil(4);
            places[texels].fill(index as f32 + 0.5);
        }
        let shape = Shape { width: 1, height: height as u32, format: Format::R32F };
        let group_of = a.algebra().context().texture(shape)?;
        group_of.upload(shape.rect(), &places)?;
        let inverse = Matrix::new(a.algebra(), a.size(), 1, &inverses)?;
        Ok(LcpSolver { a, groups, inverse, group_of, inverses, row_sums, eigenvalues: OnceCell::new() })
    }

    /// A bound of the largest eigenvalue of D⁻¹A for each group, D = diag(A): ‖D⁻¹A‖∞, or 1.1 times what sixteen power
    /// iterations on the GPU come to, if that is less. Computed once.
    ///
    /// # Errors
    /// Those of the GPU.
    pub fn eigenvalues(&self) -> Result<&[f64]> {
        if self.eigenvalues.get().is_none() {
            let estimates = self.power_iterations()?;
            let least = |(rows, power): (&f64, f64)| rows.min((MARGIN * power).max(1.0));
            let bounds = self.row_sums.iter().zip(estimates).map(least).collect();
            // No other caller can have set it meanwhile.
            let _ = self.eigenvalues.set(bounds);
        }
        Ok(self.eigenvalues.get().map_or(&[], Vec::as_slice))
    }

    /// u = D⁻¹A u / ‖D⁻¹A‖∞ a few times, which is the power method on D^-½ A D^-½; then u·A u / u·D u of each group, which says
    /// nothing (∞) where u has fallen below 32 bits.
    fn power_iterations(&self) -> Result<Vec<f64>> {
        let (algebra, size) = (self.a.algebra(), self.a.size());
        let (mut start, mut factors) = (vec![0.0; size], self.inverses.clone());
        for (group, sum) in self.groups.iter().zip(&self.row_sums) {
            start[group.rows()].copy_from_slice(&Random(group.n as u64).floats(group.n));
            factors[group.rows()].iter_mut().for_each(|factor| *factor = (f64::from(*factor) / sum) as f32);
        }
        let factors = Matrix::new(algebra, size, 1, &factors)?;
        let (mut u, mut image) = (Matrix::new(algebra, size, 1, &start)?, Matrix::zeros(algebra, size, 1)?);
        for _ in 0..POWERS {
            self.a.apply(&u, &mut image)?;
            u.set_product(1.0, &factors, &image)?;
        }
        self.a.apply(&u, &mut image)?;
        let (u, image) = (u.get()?, image.get()?);
        let quotient = |group: &Group| {
            let sum = |of: &dyn Fn(usize) -> f64| group.rows().map(of).sum::<f64>();
            let above = sum(&|i| f64::from(u[i]) * f64::from(image[i]));
            let below = sum(&|i| f64::from(u[i]).powi(2) / f64::from(self.inverses[i]));
            if below > 0.0 { above / below } else { f64::INFINITY }
        };
        Ok(self.groups.iter().map(quotient).collect())
    }

    /// Solves the problem of this matrix, b and bounds, starting from x: [`lcp`](super::lcp).
    ///
    /// # Errors
    /// As [`lcp`](super::lcp).
    pub fn solve(
        &self,
        b: &Matrix,
        bounds: Option<(&Matrix, &Matrix)>,
        x: &mut Matrix,
        settings: &LcpSettings,
    ) -> Result<LcpReport> {
        self.solve_with(b, bounds, x, settings, &mut |_| ControlFlow::Continue(()))
    }

    /// [`LcpSolver::solve`], watched: at each look `watch` is told the sweeps so far and the newest residual, and stops them by
    /// `Break`; x is then as far as it had come, and the report says [`Reason::Stopped`].
    ///
    /// # Errors
    /// As [`lcp`](super::lcp).
    pub fn solve_with(
        &self,
        b: &Matrix,
        bounds: Option<(&Matrix, &Matrix)>,
        x: &mut Matrix,
        settings: &LcpSettings,
        watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<LcpReport> {
        check_settings(settings)?;
        b.is_vector_of(self.a, "right side")?;
        x.is_vector_of(self.a, "unknowns")?;
        let of_b = self.finite(b)?;
        let (lower, upper) = self.read_bounds(bounds)?;
        let units = self.units(&of_b);
        let swept = match Nearer::new(self, &of_b)? {
            None => self.sweep((b, bounds), x, &units, settings, watch)?,
            Some(nearer) => {
                let (b, mut near) = (nearer.brought(b)?, nearer.brought(x)?);
                let bounds = nearer.bounds(bounds)?;
                let bounds = bounds.as_ref().map(|(lower, upper)| (lower, upper));
                let swept = self.sweep((&b, bounds), &mut near, &nearer.units(&units), settings, watch)?;
                nearer.take_back(&near, x)?;
                swept
            }
        };
        self.report(&of_b, (&lower, &upper), x, Ended { swept, tolerance: settings.tolerance.into(), units })
    }

    /// Sweeps x, without a check of anything.
    fn sweep(
        &self,
        (b, bounds): (&Matrix, Option<(&Matrix, &Matrix)>),
        x: &mut Matrix,
        units: &[f64],
        settings: &LcpSettings,
        watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Swept> {
        let goal = match settings.check_every {
            0 => 0.0,
            _ => BELOW * f64::from(settings.tolerance),
        };
        let goals: Vec<f32> = units.iter().map(|unit| (goal * unit) as f32).collect();
        let shares: Vec<f32> = self.row_sums.iter().map(|sum| (0.9999 / sum) as f32).collect();
        let d = self.scales(settings.method)?;
        let accelerated = d.is_none();
        let problem =
            Problem { solver: self, b, bounds, d: d.as_ref().unwrap_or(&self.inverse), accelerated };
        let mut sweeps = Sweeps::new(problem, x, &goals, &shares)?;
        let mut looks = Looks::new(settings.check_every, units, &goals, watch);
        let done = sweeps.run(settings.max_sweeps, &mut looks)?;
        x.copy_from(sweeps.x())?;
        let seen = looks.finish()?;
        let rested = seen.at.filter(|_| accelerated && seen.reason == Some(Reason::Converged));
        Ok(Swept { sweeps: rested.unwrap_or(done), seen })
    }

    /// ω/aᵢᵢ for Jacobi; nothing for the accelerated method, whose steps follow from what it meets.
    fn scales(&self, method: LcpMethod) -> Result<Option<Matrix>> {
        let omegas = match method {
            LcpMethod::Accelerated => return Ok(None),
            LcpMethod::Jacobi { omega: Some(omega) } => vec![f64::from(omega); self.groups.len()],
            LcpMethod::Jacobi { omega: None } => {
                self.eigenvalues()?.iter().map(|bound| -RELAXATION / bound).collect()
            }
        };
        let mut d = self.inverses.clone();
        for (group, omega) in self.groups.iter().zip(omegas) {
            d[group.rows()].iter_mut().for_each(|d| *d = (omega * f64::from(*d)) as f32);
        }
        Matrix::new(self.a.algebra(), self.a.size(), 1, &d).map(Some)
    }

    /// ‖b‖∞ of each group; of the whole for one whose b is 0, and 1 if that is 0 too.
    fn units(&self, b: &[f32]) -> Vec<f64> {
        let largest = |b: &[f32]| b.iter().map(|b| f64::from(b.abs())).fold(0.0, f64::max);
        let above_zero = |first: f64, second: f64| if first > 0.0 { first } else { second };
        let each: Vec<f64> = self.groups.iter().map(|group| largest(&b[group.rows()])).collect();
        let whole = above_zero(each.iter().copied().fold(0.0, f64::max), 1.0);
        each.into_iter().map(|unit| above_zero(unit, whole)).collect()
    }

    fn finite(&self, b: &Matrix) -> Result<Vec<f32>> {
        let values = b.get()?;
        let within = |&row: &usize| !values[row].is_finite();
        match self.groups.iter().flat_map(Group::rows).find(within) {
            None => Ok(values),
            Some(row) => Err(bad("right side", format!("{} in row {row}", values[row]), "finite numbers")),
        }
    }

    fn read_bounds(&self, bounds: Option<(&Matrix, &Matrix)>) -> Result<(Vec<f64>, Vec<f64>)> {
        let Some((lower, upper)) = bounds else {
            return Ok((vec![0.0; self.a.size()], vec![f64::INFINITY; self.a.size()]));
        };
        lower.is_vector_of(self.a, "lower bounds")?;
        upper.is_vector_of(self.a, "upper bounds")?;
        let (lower, upper) = (lower.get()?, upper.get()?);
        for row in self.groups.iter().flat_map(Group::rows) {
            let (least, most) = (lower[row], upper[row]);
            let crossed = least.is_nan() || most.is_nan() || least > most;
            if crossed || least == f32::INFINITY || most == f32::NEG_INFINITY {
                let found = format!("{least} to {most} in row {row}");
                return Err(bad("bounds", found, "lower bounds that are at most the upper ones"));
            }
        }
        let wide = |values: Vec<f32>| values.into_iter().map(f64::from).collect();
        Ok((wide(lower), wide(upper)))
    }

    fn report(&self, b: &[f32], bounds: (&[f64], &[f64]), x: &Matrix, ended: Ended) -> Result<LcpReport> {
        let x: Vec<f64> = x.get()?.into_iter().map(f64::from).collect();
        let mut w = vec![0.0; x.len()];
        let mut all = Residuals::NONE;
        let mut relative: f64 = 0.0;
        for (group, unit) in self.groups.iter().zip(&ended.units) {
            group.multiply(&x, &mut w);
            let rows = group.rows();
            w[rows.clone()].iter_mut().zip(&b[rows.clone()]).for_each(|(w, b)| *w += f64::from(*b));
            let of =
                Residuals::of(&x[rows.clone()], &w[rows.clone()], &bounds.0[rows.clone()], &bounds.1[rows]);
            all = all.and(of);
            relative = larger(of.natural / unit, relative);
        }
        let reason = match ended.swept.seen.reason {
            _ if relative <= ended.tolerance => Reason::Converged,
            _ if !relative.is_finite() => Reason::NotFinite,
            // 32 bits believed in a residual that is not there.
            Some(Reason::Converged) => Reason::Stalled,
            Some(reason) => reason,
            None => Reason::MaxIterations,
        };
        Ok(LcpReport {
            sweeps: ended.swept.sweeps,
            reason,
            min_x: all.min_x,
            min_w: all.min_w,
            complementarity: all.complementarity,
            natural_residual: all.natural,
            relative_residual: relative,
            history: ended.swept.seen.history,
        })
    }
}

/// The result of the sweeps.
struct Swept {
    /// Those that may have changed x.
    sweeps: usize,
    seen: Seen,
}

/// The state when the sweeps have ended.
struct Ended {
    swept: Swept,
    tolerance: f64,
    units: Vec<f64>,
}

/// Inverts the diagonal and sums the rows of D⁻¹A, where everything is finite.
fn inspect(group: &Group, inverses: &mut [f32], name: &dyn Fn(usize) -> String) -> Result<f64> {
    let mut largest: f64 = 0.0;
    for (row, entries) in group.entries.chunks(group.n).enumerate() {
        if let Some(column) = entries.iter().position(|entry| !entry.is_finite()) {
            let found = format!("{} in {}, column {column}", entries[column], name(row));
            return Err(bad("matrix", found, "finite numbers"));
        }
        let inverse = 1.0 / entries[row];
        if !(inverse > 0.0 && inverse.is_normal()) {
            let above_zero = entries[row] > 0.0;
            let expected = if above_zero { "numbers whose inverse 32 bits hold" } else { "numbers above 0" };
            return Err(bad("diagonal", format!("{} in {}", entries[row], name(row)), expected));
        }
        inverses[group.start + row] = inverse;
        let sum: f64 = entries.iter().map(|entry| f64::from(entry.abs())).sum();
        largest = largest.max(sum / f64::from(entries[row]));
    }
    Ok(largest)
}

fn check_settings(settings: &LcpSettings) -> Result<()> {
    check_tolerance(settings.tolerance)?;
    match settings.method {
        LcpMethod::Jacobi { omega: Some(omega) } if !(omega < 0.0 && omega.is_finite()) => {
            Err(bad("omega", omega.to_string(), "a number below 0, as the paper has it"))
        }
        _ => Ok(()),
    }
}
