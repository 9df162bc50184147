//! The history of an iteration: the scalars that it writes on the GPU while it runs.

use super::Bounds;
use crate::Result;
use crate::linalg::{Algebra, History as Log, PLAIN, Scalar};

/// The convergence history of an [`Iteration`](super::Iteration), on the GPU: entry k holds a divisor and ‖r‖² of the x that step k
/// begins with.
///
/// [`iterate`](super::iterate) reads it now and then, and ends at the first entry that fulfils one of these:
///
/// | entry | end |
/// |---|---|
/// | ‖r‖² ≤ tolerance² ‖b‖² (tolerance² where b = 0) | [`Converged`](super::Reason::Converged) |
/// | ‖r‖² or the divisor is no finite number | [`NotFinite`](super::Reason::NotFinite) |
/// | a divisor below 0 | [`Indefinite`](super::Reason::Indefinite) |
/// | a divisor of 0 | [`ZeroDivisor`](super::Reason::ZeroDivisor) |
/// | no smaller ‖r‖² for as long as [`Iteration::patience`](super::Iteration::patience) says | [`Stalled`](super::Reason::Stalled) |
pub struct History {
    pub(super) log: Log,
    pub(super) tolerance2: f32,
}

const STEP_LENGTH: &str = "solve/step_length.frag";

impl History {
    /// An empty history for that many iterations.
    pub(super) fn new(algebra: &Algebra, bounds: Bounds) -> Result<History> {
        let Bounds { tolerance, max_iterations, check_every } = bounds;
        let log = Log::new(algebra, max_iterations, check_every)?;
        Ok(History { log, tolerance2: if check_every == 0 { 0.0 } else { tolerance * tolerance } })
    }

    /// Writes entry `entry`: ‖r‖², and the divisor of the step, which ends the iteration unless it is above 0, as p·A p is where A is
    /// positive definite. One small pass.
    ///
    /// # Errors
    /// Those of the GPU.
    pub fn record(&self, entry: usize, divisor: &Scalar, norm2: &Scalar) -> Result<()> {
        self.log.record(entry, divisor, norm2)
    }

    /// The same for a divisor of either sign, which ends the iteration where it is 0.
    ///
    /// # Errors
    /// Those of the GPU.
    pub fn record_unsigned(&self, entry: usize, divisor: &Scalar, norm2: &Scalar) -> Result<()> {
        self.log.record_unsigned(entry, divisor, norm2)
    }

    /// The same for a step without a divisor.
    ///
    /// # Errors
    /// Those of the GPU.
    pub fn record_residual(&self, entry: usize, norm2: &Scalar) -> Result<()> {
        self.log.record(entry, norm2, norm2)
    }

    /// length = dividend / divisor, 0 where the divisor is 0, and 0 once `norm2`, ‖r‖², meets the tolerance: a step of that length then
    /// leaves x as it is. One small pass.
    ///
    /// # Errors
    /// Those of the GPU.
    pub fn step_length(
        &self,
        dividend: &Scalar,
        divisor: &Scalar,
        norm2: &Scalar,
        length: &mut Scalar,
    ) -> Result<()> {
        length
            .algebra()
            .pass(STEP_LENGTH, PLAIN)?
            .streams([dividend.texture(), divisor.texture(), norm2.texture(), self.log.texture()])
            .constants(&[[self.tolerance2, 0.0, 0.0, 0.0]])
            .domains(&[self.texel(0)])
            .onto(&[length.texture()])
    }

    /// The texel of an entry's values, as a domain.
    pub(super) fn texel(&self, entry: usize) -> [f32; 4] {
        let place = self.log.place(entry);
        let (x, y) = (place.x0 as f32 + 0.5, place.y0 as f32 + 0.5);
        [x, y, x, y]
    }
}
