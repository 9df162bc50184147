//! The parameters of a step of N bodies, and their bounds.

use super::Body;
use crate::{Error, Result};

/// How the forces are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forces {
    /// As the slides do: a texture of N × N forces, whose columns are summed by a reduction.
    Matrix,
    /// Each fragment goes through a part of the bodies by a loop: N × (a few) texels.
    #[default]
    Tiled,
}

/// How time goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Half a kick, a drift, half a kick: second order, reversible, the energy swings and does not run away.
    #[default]
    Leapfrog,
    /// As the slides do: x + u Δt and u + a Δt, both from what was before the step: first order, the energy grows.
    Euler,
}

/// The parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Δt; below 0 it goes back.
    pub time_step: f32,
    /// ε: within about this distance bodies pull less than points would.
    pub softening: f32,
    /// How the forces are summed.
    pub forces: Forces,
    /// How time goes on.
    pub integrator: Integrator,
    /// Bytes of the force texture at most; one row of the bodies' array must fit.
    pub bytes: u64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        let (forces, integrator) = (Forces::default(), Integrator::default());
        Parameters { time_step: 0.01, softening: 0.05, forces, integrator, bytes: 256 << 20 }
    }
}

/// Places, velocities and masses are no larger: their squares must fit into 32 bits.
pub(super) const LARGEST: f64 = 1e15;

impl Parameters {
    /// Checks that a step is one.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a time step of 0 or past ±10¹⁵, and a softening outside 0 to 10¹⁵.
    pub fn check(&self) -> Result<()> {
        let bad = |name, found: f32, expected: &str| {
            Err(Error::BadParameter { name, found: found.to_string(), expected: expected.to_owned() })
        };
        if self.time_step == 0.0 || !small(self.time_step.into()) {
            return bad("time step", self.time_step, "-1e15 to 1e15, not 0");
        }
        if self.softening < 0.0 || !small(self.softening.into()) {
            return bad("softening", self.softening, "0 to 1e15");
        }
        Ok(())
    }
}

/// Checks that bodies can be computed with in 32 bits.
///
/// # Errors
/// [`Error::BadParameter`] with the number of the first that cannot: masses of 0 to 10¹⁵, places and velocities to ±10¹⁵.
pub(super) fn check(bodies: &[Body]) -> Result<()> {
    let bad = |name, found: f64, i: usize, expected: &str| {
        let found = if found.abs() > LARGEST { format!("{found:e}") } else { found.to_string() };
        let found = format!("{found} of body {i}");
        Err(Error::BadParameter { name, found, expected: expected.to_owned() })
    };
    const PLACES: [&str; 3] = ["position x", "position y", "position z"];
    const SPEEDS: [&str; 3] = ["velocity x", "velocity y", "velocity z"];
    for (i, body) in bodies.iter().enumerate() {
        for (names, vector) in [(PLACES, body.position), (SPEEDS, body.velocity)] {
            if let Some((name, found)) = names.into_iter().zip(vector).find(|&(_, value)| !small(value)) {
                return bad(name, found, i, "-1e15 to 1e15");
            }
        }
        if body.mass < 0.0 || !small(body.mass) {
            return bad("mass", body.mass, i, "0 to 1e15");
        }
    }
    Ok(())
}

fn small(value: f64) -> bool {
    value.abs() <= LARGEST
}
