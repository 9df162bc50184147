//! The contact LCP: one row for each direction in which a contact can push.

use std::ops::Range;

use super::body::Inertia;
use super::vec3::{Vec3, cross, dot, mad, scaled, sub, tangents};
use super::{Body, Contact};

/// A body's velocity and angular velocity, or a change of both.
pub type Motion = (Vec3, Vec3);

/// One row of J and of M⁻¹Jᵀ: how fast two bodies part along a direction, and what a unit impulse along it does to them.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub bodies: (usize, Option<usize>),
    direction: Vec3,
    /// r × d about each body's middle; the second with a minus.
    moments: [Vec3; 2],
    /// M⁻¹Jᵀ of each body.
    responses: [Motion; 2],
}

impl Row {
    fn new(contact: &Contact, direction: Vec3, bodies: &[Body], inertias: &[Inertia]) -> Row {
        let side = |body: Option<usize>, direction: Vec3| match body {
            Some(body) => {
                let moment = cross(sub(contact.point, bodies[body].position), direction);
                let inertia = &inertias[body];
                (moment, (scaled(direction, inertia.over_mass), inertia.turned_by(moment)))
            }
            None => ([0.0; 3], ([0.0; 3], [0.0; 3])),
        };
        let first = side(Some(contact.bodies.0), direction);
        let second = side(contact.bodies.1, scaled(direction, -1.0));
        let (moments, responses) = ([first.0, second.0], [first.1, second.1]);
        Row { bodies: contact.bodies, direction, moments, responses }
    }

    /// J v: the speed at which the two bodies part along the direction.
    pub fn speed(&self, motions: &[Motion]) -> f64 {
        let of = |body: usize, sign: f64, moment: Vec3| {
            sign * dot(self.direction, motions[body].0) + dot(moment, motions[body].1)
        };
        let second = self.bodies.1.map_or(0.0, |body| of(body, -1.0, self.moments[1]));
        of(self.bodies.0, 1.0, self.moments[0]) + second
    }

    /// motions += M⁻¹Jᵀ λ
    pub fn push(&self, impulse: f64, motions: &mut [Motion]) {
        let mut move_by = |body: usize, (v, w): Motion| {
            motions[body] = (mad(motions[body].0, impulse, v), mad(motions[body].1, impulse, w));
        };
        move_by(self.bodies.0, self.responses[0]);
        if let Some(body) = self.bodies.1 {
            move_by(body, self.responses[1]);
        }
    }

    /// J M⁻¹Jᵀ of this row and another: 0 unless they share a body.
    pub fn coupling(&self, other: &Row) -> f64 {
        let mut sum = 0.0;
        for (mine, sign, moment) in
            [(Some(self.bodies.0), 1.0, self.moments[0]), (self.bodies.1, -1.0, self.moments[1])]
        {
            for (its, (v, w)) in [Some(other.bodies.0), other.bodies.1].into_iter().zip(other.responses) {
                if mine.is_some() && mine == its {
                    sum += sign * dot(self.direction, v) + dot(moment, w);
                }
            }
        }
        sum
    }
}

/// lower ≤ λ ≤ upper ⟂ (A + E) λ + b, with A = J M⁻¹Jᵀ, E = ε diag A and b = J v + bias.
#[derive(Clone, Debug)]
pub struct System {
    /// Normal, or normal and two tangents, of each contact after the other.
    pub rows: Vec<Row>,
    /// Rows of a contact: 1, or 3 with friction.
    pub per: usize,
    /// b
    pub right: Vec<f64>,
    /// The diagonal of E.
    pub softness: Vec<f64>,
    /// The diagonal of A + E.
    pub diagonal: Vec<f64>,
}

impl System {
    /// The rows of these contacts for bodies that would move by `free`; `bias` is added to b of each contact's normal.
    pub fn new(
        contacts: &[Contact],
        bodies: &[Body],
        free: &[Motion],
        friction: bool,
        softness: f64,
        bias: impl Fn(&Contact) -> f64,
    ) -> System {
        let inertias: Vec<Inertia> = bodies.iter().map(Inertia::of).collect();
        let per = if friction { 3 } else { 1 };
        let mut rows = Vec::with_capacity(per * contacts.len());
        let mut right = Vec::with_capacity(per * contacts.len());
        for contact in contacts {
            let [first, second] = tangents(contact.normal);
            for direction in [contact.normal, first, second].into_iter().take(per) {
                let row = Row::new(contact, direction, bodies, &inertias);
                let along_normal = rows.len() % per == 0;
                right.push(row.speed(free) + if along_normal { bias(contact) } else { 0.0 });
                rows.push(row);
            }
        }
        let own: Vec<f64> = rows.iter().map(|row: &Row| row.coupling(row)).collect();
        let diagonal = own.iter().map(|own| own * (1.0 + softness)).collect();
        System { rows, per, right, softness: own.iter().map(|own| own * softness).collect(), diagonal }
    }

    /// A + E of the rows in a range, row after row.
    pub fn matrix(&self, range: Range<usize>) -> Vec<f64> {
        let (start, n) = (range.start, range.len());
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                let coupling = self.rows[start + i].coupling(&self.rows[start + j]);
                (a[i * n + j], a[j * n + i]) = (coupling, coupling);
            }
            a[i * n + i] = self.diagonal[start + i];
        }
        a
    }

    /// M⁻¹Jᵀ λ of those rows: how these impulses change the motion of each body.
    pub fn changes(&self, rows: Range<usize>, impulses: &[f64], bodies: usize) -> Vec<Motion> {
        let mut changes = vec![([0.0; 3], [0.0; 3]); bodies];
        for i in rows {
            self.rows[i].push(impulses[i], &mut changes);
        }
        changes
    }

    /// The bounds: a normal impulse pushes; friction is at most μ times the normal impulse of these.
    pub fn bounds(&self, friction: f64, impulses: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let upper = |i: usize| match i % self.per {
            0 => f64::INFINITY,
            k => friction * impulses[i - k].max(0.0),
        };
        let upper: Vec<f64> = (0..self.rows.len()).map(upper).collect();
        let lower = upper.iter().map(|&upper| if upper.is_finite() { -upper } else { 0.0 }).collect();
        (lower, upper)
    }
}

#[cfg(test)]
mod tests;
