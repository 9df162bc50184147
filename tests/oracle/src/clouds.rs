//! The physics of clouds in f64: condensation, buoyancy, confinement of vortices, mixing.
//!
//! Saturation is that of [`quadrille::sim::clouds::physics`]: the kernels have a text of their own for it.
//!
//! # References
//! Harris, Baxter, Scheuermann & Lastra, *Simulation of Cloud Dynamics on Graphics Hardware*, Graphics Hardware 2003; Fedkiw,
//! Stam & Jensen, *Visual Simulation of Smoke*, 2001 (confinement).

use quadrille::sim::clouds::Parcel;
use quadrille::sim::clouds::physics::{
    GRAVITY, HEAT_CAPACITY, LATENT_HEAT, LIGHTER, exner, saturation, saturation_slope,
};

/// Condenses what is too much, or evaporates cloud water until the air is saturated or the cloud gone: d with
/// q_v − d = q_vs(θ Π + d L/c_p, p), at least −q_c. Newton's steps come from one side, since q_vs is convex.
pub fn settled(before: Parcel, pressure: f64) -> Parcel {
    let (exner, heat) = (exner(pressure), LATENT_HEAT / HEAT_CAPACITY);
    let mut change = 0.0;
    for _ in 0..50 {
        let temperature = before.theta * exner + heat * change;
        let excess = before.vapour - change - saturation(temperature, pressure);
        change += excess / (1.0 + heat * saturation_slope(temperature, pressure));
        change = change.clamp(-before.cloud, before.vapour.max(-before.cloud));
    }
    Parcel {
        theta: before.theta + heat / exner * change,
        vapour: before.vapour - change,
        cloud: before.cloud + change,
    }
}

/// Acceleration upwards, m/s², in air that has θ and q_v of `around` and no cloud.
pub fn buoyancy(parcel: &Parcel, around: &Parcel) -> f64 {
    let warmer = (parcel.theta - around.theta) / around.theta;
    GRAVITY * (warmer + LIGHTER * (parcel.vapour - around.vapour) - parcel.cloud)
}

/// Cells of a box.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// Across and up.
    pub size: [usize; 2],
    /// True if east and west are joined.
    pub periodic: bool,
}

impl Cells {
    /// The index of a cell: around the box where it is periodic, the nearest one elsewhere.
    pub fn at(&self, i: isize, j: isize) -> usize {
        let [width, height] = self.size.map(|n| n as isize);
        let i = if self.periodic { i.rem_euclid(width) } else { i.clamp(0, width - 1) };
        (j.clamp(0, height - 1) * width + i) as usize
    }

    /// ε h (N × ω) with N = ∇|ω|/|∇|ω||, of cells: what turns vortices on that the grid wears out. `strength` is ε h.
    pub fn confinement(&self, vorticity: &[f64], strength: f64) -> Vec<[f64; 2]> {
        let force = |n: usize| {
            let (i, j) = ((n % self.size[0]) as isize, (n / self.size[0]) as isize);
            let turning = |di, dj| vorticity[self.at(i + di, j + dj)].abs();
            let slope = [turning(1, 0) - turning(-1, 0), turning(0, 1) - turning(0, -1)];
            let part = strength * vorticity[n] / slope[0].hypot(slope[1]).max(1e-12);
            [part * slope[1], -part * slope[0]]
        };
        (0..self.size[0] * self.size[1]).map(force).collect()
    }

    /// K Δt ∇²q, `part` = K Δt/h²: what each cell gets from the four beside it. What one gives another gets, and nothing passes
    /// through edges. Where q tells how `water` differs from that of air at rest, a side lets through no more than a quarter of
    /// what there is of it in the cell that gives.
    pub fn mixing(&self, q: &[f64], part: f64, water: Option<&[f64]>) -> Vec<f64> {
        let passing = |here: usize, there: usize| {
            let flow = part * (q[there] - q[here]);
            water.map_or(flow, |water| flow.clamp(-0.25 * water[here], 0.25 * water[there]))
        };
        let into = |n: usize| {
            let (i, j) = ((n % self.size[0]) as isize, (n / self.size[0]) as isize);
            let beside = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)];
            beside.into_iter().map(|(i, j)| passing(n, self.at(i, j))).sum()
        };
        (0..q.len()).map(into).collect()
    }
}

#[cfg(test)]
mod tests;
