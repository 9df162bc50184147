//! Projected Gauss–Seidel without a matrix: A λ of a row is read off the motions that all impulses so far have made.

use super::system::System;

/// Solves lower ≤ λ ≤ upper ⟂ (A + E) λ + right from λ on, in f64: until no row misses its bound by more than `tolerance`
/// metres a second, or for `max_sweeps`. Says how many it took.
pub fn solve(
    system: &System,
    right: &[f64],
    bounds: &(Vec<f64>, Vec<f64>),
    impulses: &mut [f64],
    bodies: usize,
    tolerance: f64,
    max_sweeps: usize,
) -> usize {
    for (i, impulse) in impulses.iter_mut().enumerate() {
        *impulse = impulse.clamp(bounds.0[i], bounds.1[i]);
    }
    let mut motions = system.changes(impulses, bodies);
    for sweep in 0..max_sweeps {
        let mut most = 0.0f64;
        for (i, row) in system.rows.iter().enumerate() {
            let w = row.speed(&motions) + system.softness[i] * impulses[i] + right[i];
            let to = (impulses[i] - w / system.diagonal[i]).clamp(bounds.0[i], bounds.1[i]);
            row.push(to - impulses[i], &mut motions);
            most = most.max((to - impulses[i]).abs() * system.diagonal[i]);
            impulses[i] = to;
        }
        if most <= tolerance && system.residual(right, bounds, impulses, bodies) <= tolerance {
            return sweep + 1;
        }
    }
    max_sweeps
}
