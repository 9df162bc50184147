//! The linear implicit part of an equation, and how far its steps may go.

use super::scheme::Scheme;
use super::small::Small;
use crate::{Error, Result};

/// The linear part J of du/dt = J u + N(u), with coefficients that are constant in space: rows and columns are the fields first, then
/// linear auxiliary fields.
///
/// For a field i, (J w)ᵢ = Σⱼ constantᵢⱼ wⱼ + lapᵢⱼ ∇²wⱼ; an auxiliary field i *is* wᵢ = Σⱼ constantᵢⱼ wⱼ + lapᵢⱼ ∇²wⱼ. So
/// u_t = −∇⁴u is the field u and the auxiliary field a with lap_ua = −1 and lap_au = 1.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearPart {
    /// Fields with a time derivative: 1 to 4.
    pub fields: usize,
    /// Auxiliary fields without one; 8 of both at most.
    pub auxiliary: usize,
    /// Coefficients of wⱼ in row i, row after row.
    pub constant: Vec<f64>,
    /// Coefficients of ∇²wⱼ.
    pub lap: Vec<f64>,
}

impl LinearPart {
    /// Fields without any implicit part.
    pub fn none(fields: usize) -> LinearPart {
        let zeros = vec![0.0; fields * fields];
        LinearPart { fields, auxiliary: 0, constant: zeros.clone(), lap: zeros }
    }

    /// Fields and auxiliary fields.
    pub fn rows(&self) -> usize {
        self.fields + self.auxiliary
    }

    pub(super) fn check(&self) -> Result<()> {
        let bad = |found: String, expected: &str| {
            Err(Error::BadParameter { name: "implicit part", found, expected: expected.to_owned() })
        };
        let n = self.rows();
        if !(1..=4).contains(&self.fields) || n > 8 {
            let found = format!("{} fields and {} auxiliary ones", self.fields, self.auxiliary);
            return bad(found, "1 to 4 fields, 8 with auxiliary ones");
        }
        if self.constant.len() != n * n || self.lap.len() != n * n {
            let found = format!("{} and {} coefficients", self.constant.len(), self.lap.len());
            return bad(found, &format!("{} of {n} rows each", n * n));
        }
        match self.constant.iter().chain(&self.lap).find(|value| !value.is_finite()) {
            Some(value) => bad(format!("a coefficient of {value}"), "finite coefficients"),
            None => Ok(()),
        }
    }

    /// The part of some fields alone: rows of others are 0.
    ///
    /// # Errors
    /// [`Error::BadParameter`] if one of them is no field or depends on another field, through auxiliary fields too.
    pub(super) fn only(&self, fields: &[usize]) -> Result<LinearPart> {
        self.check()?;
        let n = self.rows();
        let refused = |found, expected| Err(Error::BadParameter { name: "groups", found, expected });
        if let Some(field) = fields.iter().find(|field| **field >= self.fields) {
            return refused(format!("field {field}"), format!("one of {} fields, from 0", self.fields));
        }
        let mut needed: Vec<usize> = fields.to_vec();
        let mut at = 0;
        while let Some(&i) = needed.get(at) {
            at += 1;
            let entry = |j: &usize| self.constant[i * n + j] != 0.0 || self.lap[i * n + j] != 0.0;
            for j in (0..n).filter(entry) {
                if j < self.fields && !fields.contains(&j) {
                    // An auxiliary field has no number of the caller's.
                    let from = if i < self.fields { i } else { fields[0] };
                    let expected = "fields that depend on each other in one group".to_owned();
                    return refused(format!("field {from} depends on field {j}"), expected);
                }
                if !needed.contains(&j) {
                    needed.push(j);
                }
            }
        }
        let mut part = self.clone();
        for i in (0..n).filter(|i| !needed.contains(i)) {
            part.constant[i * n..(i + 1) * n].fill(0.0);
            part.lap[i * n..(i + 1) * n].fill(0.0);
        }
        Ok(part)
    }

    /// The part of some fields as if others did not change: what depends on those is left out.
    pub(super) fn within(&self, fields: &[usize]) -> Result<LinearPart> {
        self.check()?;
        let n = self.rows();
        let mut part = self.clone();
        for other in (0..self.fields).filter(|field| !fields.contains(field)) {
            for i in (0..n).filter(|i| fields.contains(i) || *i >= self.fields) {
                (part.constant[i * n + other], part.lap[i * n + other]) = (0.0, 0.0);
            }
        }
        part.only(fields)
    }

    /// The rows that fields depend on, through auxiliary fields too, and these fields themselves.
    pub(super) fn reached(&self, fields: &[usize]) -> Vec<usize> {
        let n = self.rows();
        let mut reached: Vec<usize> = fields.to_vec();
        let mut at = 0;
        while let Some(&i) = reached.get(at) {
            at += 1;
            let entry = |j: &usize| self.constant[i * n + j] != 0.0 || self.lap[i * n + j] != 0.0;
            let more: Vec<usize> = (0..n).filter(|j| entry(j) && !reached.contains(j)).collect();
            reached.extend(more);
        }
        reached
    }

    /// A₀ and A₁ of A₀ + Λ A₁ = c₀ I − γΔt J in the rows of fields, I − J in those of auxiliary ones; `step` is γΔt.
    pub(super) fn pencil(&self, c0: f64, step: f64) -> (Small, Small) {
        let n = self.rows();
        let scale = |i: usize| if i < self.fields { (c0, step) } else { (1.0, 1.0) };
        let own = |i: usize, j: usize| if i == j { scale(i).0 } else { 0.0 };
        let a0 = Small::of(n, |i, j| own(i, j) - scale(i).1 * self.constant[i * n + j]);
        let a1 = Small::of(n, |i, j| scale(i).1 * self.lap[i * n + j]);
        (a0, a1)
    }

    /// The largest real eigenvalue of J at one Λ, auxiliary fields eliminated; infinite where those are not determined.
    fn growth(&self, lambda: f64) -> f64 {
        let (n, f) = (self.rows(), self.fields);
        let at = |i: usize, j: usize| self.constant[i * n + j] - lambda * self.lap[i * n + j];
        let m = n - f;
        let own = Small::of(m, |i, j| f64::from(u8::from(i == j)) - at(f + i, f + j));
        // Columns of the fields, in as many square matrices as they need.
        let mut j = Small::of(f, at);
        for column in 0..f {
            let side = Small::of(m, |i, j| if j == 0 { at(f + i, column) } else { 0.0 });
            let Some(found) = own.solve(&side) else { return f64::INFINITY };
            for row in 0..f {
                j[(row, column)] += (0..m).map(|k| at(row, f + k) * found[(k, 0)]).sum::<f64>();
            }
        }
        // No more than a rounding: it does not grow.
        let least = 1e-12 * j.size();
        j.largest_real().filter(|&growth| growth > least).unwrap_or(0.0)
    }

    /// The Δt from which on the implicit part of a scheme is singular for some Λ from 0 to the grid's largest; none if there is no
    /// such Δt. det(c₀ I − γΔt J(Λ)) = 0 where c₀/(γΔt) is a real eigenvalue of J(Λ), so it is c₀/γ over the largest one.
    pub fn largest_step(&self, scheme: Scheme, largest: f64) -> Option<f64> {
        let (c0, gamma) = scheme.implicit();
        // Even steps and even ratios, then closer to the best of them.
        let mut places: Vec<f64> = (0..=400).map(|k| largest * f64::from(k) / 400.0).collect();
        places.extend((0..800).map(|k| largest * 10f64.powf(-f64::from(k) / 100.0)));
        places.sort_by(f64::total_cmp);
        let values: Vec<f64> = places.iter().map(|&lambda| self.growth(lambda)).collect();
        let best = (0..places.len()).max_by(|&i, &j| values[i].total_cmp(&values[j]))?;
        let (mut low, mut high) = (places[best.saturating_sub(1)], places[(best + 1).min(places.len() - 1)]);
        let mut growth = values[best];
        for _ in 0..60 {
            let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            let (of_x, of_y) = (self.growth(x), self.growth(y));
            growth = growth.max(of_x).max(of_y);
            if of_x < of_y { low = x } else { high = y }
        }
        (growth > 0.0).then(|| c0 / gamma / growth)
    }
}
