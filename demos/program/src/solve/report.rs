//! The report of a solve: lines or JSON, the solution, its history.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use quadrille::solve::Solution;
use serde_json::{Value, json};

use super::Stored;
use super::input::{System, entries};
use super::singular::Singular;
use crate::cli::{MethodName, PrecisionName, PreconditionerName, SolveArguments};
use crate::files::atomic::{self, Draft};
use crate::files::{mtx, shown};
use crate::output::{self, NotConverged};
use crate::plot::{self, Curve, Plot};

pub struct Report<'a> {
    pub arguments: &'a SolveArguments,
    pub system: &'a System,
    pub stored: &'a Stored,
    pub solution: &'a Solution,
    pub time: Duration,
    pub renderer: String,
}

impl Report<'_> {
    /// ‖x − 1‖∞ where b was made of x = 1, and no other x does as well.
    fn error(&self) -> Option<f64> {
        let largest = |x: &Vec<f64>| x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
        let known = self.arguments.rhs.is_none() && self.system.singular.is_none();
        // `max` is deaf to what is not a number.
        known.then(|| if self.finite() { largest(&self.solution.x) } else { f64::NAN })
    }

    fn finite(&self) -> bool {
        self.solution.x.iter().all(|x| x.is_finite())
    }

    /// Writes the files asked for, all or none; says which there are now.
    ///
    /// An x that did not converge is written too, to go on from, unless it holds what is no number.
    pub fn write_files(&self) -> Result<Vec<PathBuf>> {
        let SolveArguments { out, history, plot, .. } = self.arguments;
        let mut drafts = Vec::new();
        match out {
            Some(path) if self.finite() => drafts.push((path, mtx::vector_draft(path, &self.solution.x)?)),
            Some(path) => output::remark(&format!("{} is not written: x is not finite", shown(path))),
            None => {}
        }
        if let Some(path) = history {
            drafts.push((path, history_draft(path, &self.solution.report.history)?));
        }
        if let Some(path) = plot {
            drafts.push((path, plot::draft(path, &self.plot())?));
        }
        let (written, drafts): (Vec<&PathBuf>, Vec<Draft>) = drafts.into_iter().unzip();
        atomic::commit_all(drafts)?;
        Ok(written.into_iter().cloned().collect())
    }

    fn plot(&self) -> Plot {
        let report = &self.solution.report;
        let name = shown(self.arguments.matrix.file_name().unwrap_or_default());
        let of = if report.normal_residual.is_some() { " of the normal equations" } else { "" };
        let bits = if self.arguments.precision == PrecisionName::DoubleSingle { 48 } else { 32 };
        let points = report.history.iter().enumerate().map(|(iteration, &r)| (iteration as f64, r)).collect();
        Plot {
            title: format!("{name}: {}, {}", self.method(), self.stored.name),
            over: "iteration",
            measure: format!("relative residual{of}, in {bits} bits"),
            curves: vec![Curve { name: "", colour: [0, 0, 255], width: 2, points }],
            bound: Some(("tolerance", self.arguments.tolerance)),
        }
    }

    fn method(&self) -> String {
        let method = self.arguments.method;
        if self.arguments.precision == PrecisionName::DoubleSingle {
            return format!("{method} in double-single");
        }
        match (&self.stored.cycle, self.arguments.preconditioner) {
            (Some(cycle), _) => format!("{method}, {cycle}"),
            (None, PreconditionerName::None) => method.to_string(),
            (None, preconditioner) => format!("{method} with {preconditioner}"),
        }
    }

    fn preconditioner(&self) -> String {
        match self.arguments.method {
            MethodName::Mgcg => "multigrid".to_owned(),
            _ => self.arguments.preconditioner.to_string(),
        }
    }

    pub fn print(&self, written: &[PathBuf]) -> Result<()> {
        if self.arguments.json {
            return output::say(&format!("{:#}", self.json()));
        }
        let files = written.iter().map(output::wrote);
        self.lines().into_iter().chain(files).try_for_each(|line| output::say(&line))
    }

    fn lines(&self) -> Vec<String> {
        let (csr, report) = (&self.system.matrix.csr, &self.solution.report);
        let (name, method, storage) = (shown(&self.arguments.matrix), self.method(), &self.stored.name);
        let (rows, columns, nonzeros) = (csr.rows(), csr.columns(), csr.nonzeros());
        let (work, seconds) = (work(report.iterations, report.refinements), self.time.as_secs_f64());
        let mut lines = vec![
            format!("{name}: {rows} x {columns}, {}, {storage}", entries(nonzeros)),
            format!("{method}: {work} in {seconds:.2} s on {}", self.renderer),
            format!("{}: {}", report.reason, self.residuals()),
        ];
        lines.extend(self.system.singular.as_ref().map(Singular::describe));
        lines.extend(self.error().map(|error| format!("error against x = 1: {error:.3e}")));
        lines
    }

    /// How near the solution came, and how near it was to come.
    fn residuals(&self) -> String {
        let (report, tolerance) = (&self.solution.report, self.arguments.tolerance);
        let normal = match report.normal_residual {
            Some(normal) => format!(", that of the normal equations {normal:.3e}"),
            None => String::new(),
        };
        format!("relative residual {:.3e}{normal}, tolerance {tolerance:e}", report.relative_residual)
    }

    fn json(&self) -> Value {
        let (csr, report) = (&self.system.matrix.csr, &self.solution.report);
        json!({
            "matrix": self.arguments.matrix.display().to_string(),
            "n": csr.columns(),
            "rows": csr.rows(),
            "columns": csr.columns(),
            "nonzeros": csr.nonzeros(),
            "entries_in_file": self.system.matrix.stored,
            "storage": self.stored.name,
            "storage_reason": self.stored.reason,
            "method": self.arguments.method.to_string(),
            "preconditioner": self.preconditioner(),
            "precision": self.arguments.precision.to_string(),
            "cycle": self.stored.cycle,
            "null_space": self.system.singular.as_ref().map(Singular::json),
            "tolerance": self.arguments.tolerance,
            "iterations": report.iterations,
            "refinements": report.refinements,
            "converged": report.converged(),
            "reason": report.reason.to_string(),
            "relative_residual": report.relative_residual,
            "normal_residual": report.normal_residual,
            "error": self.error(),
            "seconds": self.time.as_secs_f64(),
            "renderer": self.renderer,
        })
    }

    /// # Errors
    /// [`NotConverged`], which ends the program with status 3.
    pub fn verdict(&self) -> Result<()> {
        if self.solution.report.converged() {
            return Ok(());
        }
        let (name, report) = (shown(&self.arguments.matrix), &self.solution.report);
        let (work, residuals) = (work(report.iterations, report.refinements), self.residuals());
        Err(NotConverged(format!("{name}: did not converge: {}; {work}, {residuals}", report.reason)).into())
    }
}

/// How much work it was: `1 iteration`, `210 iterations and 2 refinements`.
pub fn work(iterations: usize, refinements: usize) -> String {
    let some = |count: usize, what: &str| output::counted(count as u64, what);
    let iterations = some(iterations, "iteration");
    if refinements == 0 {
        iterations
    } else {
        format!("{iterations} and {}", some(refinements, "refinement"))
    }
}

/// A line for each iteration; 0 is the start.
fn history_draft(path: &Path, history: &[f64]) -> Result<Draft> {
    atomic::draft(path, |file| {
        writeln!(file, "iteration,relative_residual")?;
        for (iteration, residual) in history.iter().enumerate() {
            writeln!(file, "{iteration},{residual:e}")?;
        }
        Ok(())
    })
}
