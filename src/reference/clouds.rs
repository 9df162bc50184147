//! The physics of clouds in f64: saturation, condensation, buoyancy, confinement of vortices, mixing, and the level at which
//! lifted air condenses.
//!
//! Air has a potential temperature θ (K), vapour q_v and cloud water q_c (kg in a kg of air). Its temperature at the
//! pressure p is T = θ Π with Π = (p/p₀₀)^(R_d/c_p). Vapour beyond
//! q_vs(T, p) = 380.16/p · exp(17.67 t/(t + 243.5)), t in °C and p in Pa, becomes cloud water, and each kilogram of it
//! leaves its heat L in the air.
//!
//! # References
//! Harris, Baxter, Scheuermann & Lastra, *Simulation of Cloud Dynamics on Graphics Hardware*, Graphics Hardware 2003; Fedkiw,
//! Stam & Jensen, *Visual Simulation of Smoke*, 2001 (confinement); Bolton, *The Computation of Equivalent Potential
//! Temperature*, Monthly Weather Review 108, 1980 (saturation).

mod air;

pub use air::Air;

/// Acceleration downwards, m/s².
pub const GRAVITY: f64 = 9.81;
/// c_p: J to warm a kilogram of dry air by a kelvin at constant pressure.
pub const HEAT_CAPACITY: f64 = 1005.0;
/// R_d of dry air, J/(kg K).
pub const GAS_CONSTANT: f64 = 287.0;
/// L: J that a kilogram of vapour leaves when it condenses.
pub const LATENT_HEAT: f64 = 2.501e6;
/// p₀₀: where θ is the temperature itself, Pa.
pub const STANDARD_PRESSURE: f64 = 1e5;
/// How much lighter than air vapour is: θ_v = θ (1 + 0.61 q_v).
pub const LIGHTER: f64 = 0.61;
/// 0 °C in K.
pub const FREEZING: f64 = 273.15;

/// Π = (p/p₀₀)^(R_d/c_p).
pub fn exner(pressure: f64) -> f64 {
    (pressure / STANDARD_PRESSURE).powf(GAS_CONSTANT / HEAT_CAPACITY)
}

/// q_vs: the most vapour that air of that temperature (K) and pressure (Pa) holds.
pub fn saturation(temperature: f64, pressure: f64) -> f64 {
    let celsius = temperature - FREEZING;
    380.16 / pressure * (17.67 * celsius / (celsius + 243.5)).exp()
}

/// dq_vs/dT.
pub fn saturation_slope(temperature: f64, pressure: f64) -> f64 {
    let celsius = temperature - FREEZING;
    saturation(temperature, pressure) * 17.67 * 243.5 / (celsius + 243.5).powi(2)
}

/// The heat, vapour and cloud water of a parcel of air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parcel {
    /// θ, K.
    pub theta: f64,
    /// q_v.
    pub vapour: f64,
    /// q_c.
    pub cloud: f64,
}

impl Parcel {
    /// Condenses what is too much, or evaporates cloud water until the air is saturated or the cloud gone: d with
    /// q_v − d = q_vs(θ Π + d L/c_p, p), at least −q_c. Newton's steps come from one side, since q_vs is convex.
    pub fn settled(self, pressure: f64) -> Parcel {
        let (exner, heat) = (exner(pressure), LATENT_HEAT / HEAT_CAPACITY);
        let mut change = 0.0;
        for _ in 0..50 {
            let temperature = self.theta * exner + heat * change;
            let excess = self.vapour - change - saturation(temperature, pressure);
            change += excess / (1.0 + heat * saturation_slope(temperature, pressure));
            change = change.clamp(-self.cloud, self.vapour.max(-self.cloud));
        }
        Parcel {
            theta: self.theta + heat / exner * change,
            vapour: self.vapour - change,
            cloud: self.cloud + change,
        }
    }

    /// Acceleration upwards, m/s², in air that has θ and q_v of `around` and no cloud.
    pub fn buoyancy(&self, around: &Parcel) -> f64 {
        let warmer = (self.theta - around.theta) / around.theta;
        GRAVITY * (warmer + LIGHTER * (self.vapour - around.vapour) - self.cloud)
    }
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
