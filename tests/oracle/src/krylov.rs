//! The iterations of chapter 44 and their relatives, as plain f64 loops.
//!
//! Each ends as soon as the norm it watches is at most `tolerance` times that of the right side (`tolerance`
//! itself where the right side is 0), after `max_iterations`, or where a divisor is 0 and it can go no further.
//! It looks at the newest residual, and divides by nothing that is 0: Listing 44-1 looks at the one before and
//! does not look at the divisor.

use quadrille::numeric::Csr;

/// The outcome of an iteration.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The last x.
    pub x: Vec<f64>,
    /// How many steps were made.
    pub iterations: usize,
    /// The norm that is watched, at the start and after each step, as a share of that of the right side.
    pub history: Vec<f64>,
}

/// Conjugate gradients, A symmetric and positive definite: Listing 44-1. Watches ‖r‖.
///
/// r = b − A x; p = r; ρ = r·r; then q = A p; α = ρ/(p·q); x += α p; r −= α q; β = ρ'/ρ; p = r + β p.
///
/// # Panics
/// If the lengths do not fit.
///
/// # References
/// Krüger & Westermann, *A GPU Framework for Solving Systems of Linear Equations*, Listing 44-1.
pub fn cg(a: &Csr, b: &[f64], guess: Option<&[f64]>, tolerance: f64, max_iterations: usize) -> Solved {
    preconditioned_cg(a, b, guess, &vec![1.0; b.len()], Watch::new(b, tolerance, max_iterations))
}

/// Conjugate gradients preconditioned by the diagonal of A: M = diag(A)⁻¹, 1 where there is nothing to divide by. Watches ‖r‖.
///
/// z = M r stands for r in ρ = r·z and in p = z + β p.
///
/// # Panics
/// If the lengths do not fit.
pub fn jacobi_cg(a: &Csr, b: &[f64], guess: Option<&[f64]>, tolerance: f64, max_iterations: usize) -> Solved {
    preconditioned_cg(a, b, guess, &inverse_diagonal(a), Watch::new(b, tolerance, max_iterations))
}

fn preconditioned_cg(a: &Csr, b: &[f64], guess: Option<&[f64]>, inverse: &[f64], mut watch: Watch) -> Solved {
    let mut x = start(a, guess);
    let mut r = residual(a, b, &x);
    let mut z = times(inverse, &r);
    let mut p = z.clone();
    let mut rho = dot(&r, &z);
    while watch.goes_on(&r) {
        let q = a.multiply(&p);
        let pq = dot(&p, &q);
        if pq == 0.0 {
            break;
        }
        let alpha = rho / pq;
        axpy(&mut x, alpha, &p);
        axpy(&mut r, -alpha, &q);
        z = times(inverse, &r);
        let newest = dot(&r, &z);
        let beta = guarded(newest, rho);
        rho = newest;
        p = p.iter().zip(&z).map(|(p, z)| z + beta * p).collect();
    }
    watch.solved(x)
}

/// Stabilised bi-conjugate gradients, A of any kind. Watches ‖r‖.
///
/// r₀ = b − A x stays as the shadow; v = A p; α = ρ/(r₀·v); s = r − α v; t = A s; ω = (t·s)/(t·t);
/// x += α p + ω s; r = s − ω t; β = (ρ'/ρ)(α/ω); p = r + β(p − ω v), with ρ = r₀·r.
///
/// # Panics
/// If the lengths do not fit.
///
/// # References
/// van der Vorst, *Bi-CGSTAB*, SIAM J. Sci. Stat. Comput. 13 (1992).
pub fn bicgstab(a: &Csr, b: &[f64], guess: Option<&[f64]>, tolerance: f64, max_iterations: usize) -> Solved {
    preconditioned_bicgstab(a, b, guess, &vec![1.0; b.len()], Watch::new(b, tolerance, max_iterations))
}

/// The same, preconditioned from the right by the diagonal of A: v = A M p, t = A M s. Watches ‖r‖.
///
/// # Panics
/// If the lengths do not fit.
pub fn jacobi_bicgstab(
    a: &Csr,
    b: &[f64],
    guess: Option<&[f64]>,
    tolerance: f64,
    max_iterations: usize,
) -> Solved {
    preconditioned_bicgstab(a, b, guess, &inverse_diagonal(a), Watch::new(b, tolerance, max_iterations))
}

fn preconditioned_bicgstab(
    a: &Csr,
    b: &[f64],
    guess: Option<&[f64]>,
    inverse: &[f64],
    mut watch: Watch,
) -> Solved {
    let mut x = start(a, guess);
    let mut r = residual(a, b, &x);
    let shadow = r.clone();
    let mut p = r.clone();
    let mut rho = dot(&shadow, &r);
    while watch.goes_on(&r) {
        let along = times(inverse, &p);
        let v = a.multiply(&along);
        let alpha = guarded(rho, dot(&shadow, &v));
        if alpha == 0.0 {
            break; // r·r₀ or r₀·v is 0: the shadow sees nothing any more
        }
        let mut s = r.clone();
        axpy(&mut s, -alpha, &v);
        let across = times(inverse, &s);
        let t = a.multiply(&across);
        let omega = guarded(dot(&t, &s), dot(&t, &t));
        axpy(&mut x, alpha, &along);
        axpy(&mut x, omega, &across);
        r.clone_from(&s);
        axpy(&mut r, -omega, &t);
        let newest = dot(&shadow, &r);
        let beta = guarded(newest, rho) * guarded(alpha, omega);
        rho = newest;
        axpy(&mut p, -omega, &v);
        p = p.iter().zip(&r).map(|(p, r)| r + beta * p).collect();
    }
    watch.solved(x)
}

/// Least squares, A of any shape: the x of least ‖b − A x‖, by conjugate gradients on AᵀA x = Aᵀb without
/// making AᵀA. Watches ‖Aᵀr‖ beside ‖Aᵀb‖, since ‖r‖ need not come to 0.
///
/// r = b − A x; s = Aᵀr; p = s; γ = s·s; then q = A p; α = γ/(q·q); x += α p; r −= α q; s = Aᵀr; β = γ'/γ;
/// p = s + β p. From a guess of 0 it finds, of several x that do, the one of least ‖x‖.
///
/// # Panics
/// If the lengths do not fit.
///
/// # References
/// Hestenes & Stiefel, *Methods of Conjugate Gradients for Solving Linear Systems* (1952), section 10.
pub fn cgls(a: &Csr, b: &[f64], guess: Option<&[f64]>, tolerance: f64, max_iterations: usize) -> Solved {
    let transposed = a.transpose();
    let mut watch = Watch::new(&transposed.multiply(b), tolerance, max_iterations);
    let mut x = start(a, guess);
    let mut r = residual(a, b, &x);
    let mut s = transposed.multiply(&r);
    let mut p = s.clone();
    let mut gamma = dot(&s, &s);
    while watch.goes_on(&s) {
        let q = a.multiply(&p);
        let qq = dot(&q, &q);
        if qq == 0.0 {
            break;
        }
        let alpha = gamma / qq;
        axpy(&mut x, alpha, &p);
        axpy(&mut r, -alpha, &q);
        s = transposed.multiply(&r);
        let newest = dot(&s, &s);
        let beta = guarded(newest, gamma);
        gamma = newest;
        p = p.iter().zip(&s).map(|(p, s)| s + beta * p).collect();
    }
    watch.solved(x)
}

/// When to stop, and what was seen on the way.
struct Watch {
    tolerance: f64,
    max_iterations: usize,
    /// The divisor of norms.
    unit: f64,
    history: Vec<f64>,
}

impl Watch {
    fn new(right_side: &[f64], tolerance: f64, max_iterations: usize) -> Watch {
        let norm = dot(right_side, right_side).sqrt();
        let unit = if norm == 0.0 { 1.0 } else { norm };
        Watch { tolerance, max_iterations, unit, history: Vec::new() }
    }

    /// Notes the newest residual; whether another step is to be made.
    fn goes_on(&mut self, r: &[f64]) -> bool {
        let norm = dot(r, r).sqrt() / self.unit;
        self.history.push(norm);
        // A norm that is not a number is not at most anything: it goes on, to the last iteration.
        let converged = norm <= self.tolerance;
        !converged && self.history.len() <= self.max_iterations
    }

    fn solved(self, x: Vec<f64>) -> Solved {
        Solved { x, iterations: self.history.len() - 1, history: self.history }
    }
}

fn start(a: &Csr, guess: Option<&[f64]>) -> Vec<f64> {
    let x = guess.map_or_else(|| vec![0.0; a.columns()], <[f64]>::to_vec);
    assert_eq!(x.len(), a.columns(), "as many unknowns as columns");
    x
}

fn residual(a: &Csr, b: &[f64], x: &[f64]) -> Vec<f64> {
    assert_eq!(b.len(), a.rows(), "as many right sides as rows");
    a.multiply(x).iter().zip(b).map(|(ax, b)| b - ax).collect()
}

/// M of the Jacobi preconditioner.
fn inverse_diagonal(a: &Csr) -> Vec<f64> {
    a.diagonal().into_iter().map(|d| if d == 0.0 { 1.0 } else { 1.0 / d }).collect()
}

fn times(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x * y).collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// y += a x.
fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// The paper's `divZ`: 0 where the divisor is 0.
fn guarded(x: f64, y: f64) -> f64 {
    if y == 0.0 { 0.0 } else { x / y }
}

#[cfg(test)]
mod tests;
