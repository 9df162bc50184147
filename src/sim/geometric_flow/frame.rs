//! Between the coordinates of a mesh and those of its flow.

use super::Parameters;
use crate::mesh::Mesh;
use crate::{Error, Result};

/// Coordinates about the middle of a mesh, in a unit about as large as it: x = middle + unit · v, computed in f64.
///
/// The unit is a power of two. The middle is 0 where the mesh lies near the origin, farther from it than it is large in no
/// coordinate: then x and v differ by their exponents alone, and a mesh that is read back goes on bit for bit. Elsewhere v
/// has the digits that x has no room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    middle: [f64; 3],
    pub unit: f64,
}

/// The longest step, in squares of the unit: tests/sim/geometric_flow/frames.rs holds the bound that it keeps.
const LONGEST: f64 = 256.0;

impl Frame {
    /// The frame of a mesh.
    pub fn of(mesh: &Mesh) -> Frame {
        let [low, high] = mesh.bounds().map(|corner| corner.map(f64::from));
        let side = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let middle = [0, 1, 2].map(|k| (low[k] + high[k]) / 2.0);
        let near = middle.iter().all(|x| x.abs() <= side);
        Frame {
            middle: if near { [0.0; 3] } else { middle },
            unit: if side > 0.0 { side.log2().round().exp2() } else { 1.0 },
        }
    }

    /// Where a vertex is, in this frame.
    pub fn inward(&self, position: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|k| ((f64::from(position[k]) - self.middle[k]) / self.unit) as f32)
    }

    /// Where a vertex that was at `before` is now: one that has not moved is there to the bit.
    pub fn outward(&self, now: [f32; 3], before: [f32; 3]) -> [f32; 3] {
        if now == self.inward(before) {
            return before;
        }
        [0, 1, 2].map(|k| (self.middle[k] + f64::from(now[k]) * self.unit) as f32)
    }

    /// λΔt in squares of the unit; the smallest float for what is smaller.
    pub fn time_step(&self, parameters: &Parameters) -> f32 {
        ((parameters.time_step / (self.unit * self.unit)) as f32).max(f32::MIN_POSITIVE)
    }

    /// Checks that steps are not too long for the mesh.
    ///
    /// # Errors
    /// [`Error::BadParameter`] past [`LONGEST`], with the longest.
    pub fn check(&self, parameters: &Parameters) -> Result<()> {
        let most = LONGEST * self.unit * self.unit;
        if parameters.time_step <= most {
            return Ok(());
        }
        let found = format!("{:e}", parameters.time_step);
        let expected = format!("above 0 and {most:e} at most, for a mesh of that size");
        Err(Error::BadParameter { name: "time step", found, expected })
    }
}
