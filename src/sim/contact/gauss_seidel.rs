//! Projected Gauss–Seidel without a matrix: A λ of a row is read off the motions that all impulses so far have made.

use std::ops::Range;

use super::system::System;

/// lower ≤ λ ≤ upper ⟂ (A + E) λ + right for some rows of a system, which share no body with its others.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    pub system: &'a System,
    pub right: &'a [f64],
    pub lower: &'a [f64],
    pub upper: &'a [f64],
    /// How many bodies there are.
    pub bodies: usize,
}

impl Problem<'_> {
    /// Improves the impulses of those rows until none misses what its bounds ask for by more than `tolerance` metres a
    /// second, or for `max_sweeps`. Says how many it took.
    pub fn solve(
        &self,
        rows: Range<usize>,
        impulses: &mut [f64],
        tolerance: f64,
        max_sweeps: usize,
    ) -> usize {
        for i in rows.clone() {
            impulses[i] = impulses[i].clamp(self.lower[i], self.upper[i]);
        }
        let mut motions = self.system.changes(rows.clone(), impulses, self.bodies);
        for sweep in 0..max_sweeps {
            let mut most = 0.0f64;
            for i in rows.clone() {
                let to = self.wanted(i, impulses[i], self.system.rows[i].speed(&motions));
                self.system.rows[i].push(to - impulses[i], &mut motions);
                most = most.max((to - impulses[i]).abs() * self.system.diagonal[i]);
                impulses[i] = to;
            }
            if most <= tolerance && self.residual(rows.clone(), impulses) <= tolerance {
                return sweep + 1;
            }
        }
        max_sweeps
    }

    /// clamp(λ − w/d) of a row, with w = (A + E) λ + right and d the diagonal.
    fn wanted(&self, i: usize, impulse: f64, speed: f64) -> f64 {
        let w = speed + self.system.softness[i] * impulse + self.right[i];
        (impulse - w / self.system.diagonal[i]).clamp(self.lower[i], self.upper[i])
    }

    /// max |λ − clamp(λ − w/d)| d of those rows: by how much a velocity misses what its bounds ask for, metres a second.
    pub fn residual(&self, rows: Range<usize>, impulses: &[f64]) -> f64 {
        let motions = self.system.changes(rows.clone(), impulses, self.bodies);
        let miss = |i: usize| {
            let to = self.wanted(i, impulses[i], self.system.rows[i].speed(&motions));
            (impulses[i] - to).abs() * self.system.diagonal[i]
        };
        rows.map(miss).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::contact::vec3::unit_quaternion;
    use crate::sim::contact::{Body, ground_contacts};

    /// xᵢ = clamp(xᵢ − (A x + right)ᵢ / aᵢᵢ, lowerᵢ, upperᵢ), one after another, until a sweep changes nothing.
    fn with_a_matrix(a: &[f64], right: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
        let n = right.len();
        let mut x = vec![0.0; n];
        for _ in 0..100_000 {
            let before = x.clone();
            for i in 0..n {
                let w: f64 = right[i] + (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>();
                x[i] = (x[i] - w / a[i * n + i]).clamp(lower[i], upper[i]);
            }
            if x == before {
                break;
            }
        }
        x
    }

    /// A box thrown at the ground, which slides: to the solution of the same matrix.
    #[test]
    fn it_solves_what_a_matrix_says() {
        let mut body = Body::cube(1.0, 2.0, [0.0, 0.55, 0.0]);
        body.orientation = unit_quaternion([0.03, 0.2, -0.02, 1.0]);
        (body.velocity, body.angular_velocity) = ([2.0, -4.0, 1.0], [0.5, 3.0, -2.0]);
        let mut contacts = Vec::new();
        ground_contacts(0, &body, 0.2, &mut contacts);
        let motion = [(body.velocity, body.angular_velocity)];
        let system = System::new(&contacts, &[body], &motion, true, 0.01, |contact| contact.gap * 60.0);
        let n = system.rows.len();
        let (lower, upper) = system.bounds(0.5, &vec![0.8; n]);
        let problem =
            Problem { system: &system, right: &system.right, lower: &lower, upper: &upper, bodies: 1 };
        let mut impulses = vec![0.0; n];
        assert!(problem.solve(0..n, &mut impulses, 1e-12, 100_000) < 100_000);
        let expected = with_a_matrix(&system.matrix(0..n), &system.right, &lower, &upper);
        assert!(n == 12 && expected.iter().any(|&x| x.abs() == 0.4) && expected.iter().any(|&x| x > 0.4));
        // 10⁻¹² of a residual by ‖(A + E)⁻¹‖ ≤ 1/(0.01 · 0.5), the least diagonal being 1/m.
        assert!(
            impulses.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 2e-9),
            "{impulses:?} {expected:?}"
        );
    }
}
