//! TEMPORARY: stands in for `quadrille::solve` until that room is built, with the same names.
//! Conjugate gradients in f64 on the CPU, on A x = b or, for the other methods, on Aᵀ A x = Aᵀ b.

use std::ops::ControlFlow;

use quadrille::Result;
use quadrille::linalg::{Algebra, LinearOperator};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    Cg,
    BiCgStab,
    Cgls,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preconditioner {
    None,
    Jacobi,
}

#[derive(Clone, Debug)]
pub struct Settings {
    pub method: Method,
    pub preconditioner: Preconditioner,
    pub tolerance: f64,
    pub max_iterations: usize,
    pub check_every: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        let (method, preconditioner) = (Method::Cg, Preconditioner::None);
        Settings { method, preconditioner, tolerance: 1e-6, max_iterations: 10_000, check_every: 1 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    Converged,
    MaxIterations,
    Indefinite,
    Stopped,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Converged => "converged",
            Reason::MaxIterations => "the most iterations were made",
            Reason::Indefinite => "the matrix is not positive definite",
            Reason::Stopped => "stopped",
        })
    }
}

pub struct Report {
    pub iterations: usize,
    pub refinements: usize,
    pub reason: Reason,
    pub relative_residual: f64,
    pub history: Vec<f64>,
}

pub struct Solution {
    pub x: Vec<f64>,
    pub report: Report,
}

pub struct Progress {
    pub iterations: usize,
    pub relative_residual: f64,
    pub refinements: usize,
}

pub fn solve(
    _algebra: &Algebra,
    a: &dyn LinearOperator,
    b: &[f64],
    guess: Option<&[f64]>,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Solution> {
    let normal = settings.method != Method::Cg;
    let apply = |x: &[f64]| if normal { a.multiply_transposed(&a.multiply(x)) } else { a.multiply(x) };
    let b = if normal { a.multiply_transposed(b) } else { b.to_vec() };
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let scale = match dot(&b, &b).sqrt() {
        0.0 => 1.0,
        norm => norm,
    };
    let mut x = guess.map_or(vec![0.0; a.columns().len()], <[f64]>::to_vec);
    let mut r: Vec<f64> = b.iter().zip(apply(&x)).map(|(b, ax)| b - ax).collect();
    let mut p = r.clone();
    let mut rho = dot(&r, &r);
    let mut history = vec![rho.sqrt() / scale];
    let reason = loop {
        let (iterations, relative_residual) = (history.len() - 1, rho.sqrt() / scale);
        if relative_residual <= settings.tolerance {
            break Reason::Converged;
        }
        if iterations == settings.max_iterations {
            break Reason::MaxIterations;
        }
        if progress(&Progress { iterations, relative_residual, refinements: 0 }).is_break() {
            break Reason::Stopped;
        }
        let q = apply(&p);
        let curvature = dot(&p, &q);
        if curvature <= 0.0 {
            break Reason::Indefinite;
        }
        let alpha = rho / curvature;
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        let before = std::mem::replace(&mut rho, dot(&r, &r));
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + rho / before * *p);
        history.push(rho.sqrt() / scale);
    };
    let (iterations, relative_residual) = (history.len() - 1, rho.sqrt() / scale);
    Ok(Solution { x, report: Report { iterations, refinements: 0, reason, relative_residual, history } })
}
