//! The conserved quantities of all bodies, summed on the GPU.

use super::Conserved;
use crate::pug::{Buffer, Gpu, Operator, Pending, Program, Reduction, StreamHandle};
use crate::{Result, kernels};

/// Two passes that make what each body adds to the whole, and a reduction.
pub(super) struct Tally {
    /// Momentum and kinetic energy.
    motion: Moments,
    /// Angular momentum and potential energy.
    place: Moments,
    accelerations: StreamHandle,
    shares: Buffer,
    sum: Reduction,
}

/// A variant of the kernel of the shares.
struct Moments {
    program: Program,
    bodies: StreamHandle,
    velocities: StreamHandle,
}

/// Sums on their way to the CPU.
pub struct PendingConserved {
    sums: [Pending; 2],
}

impl Tally {
    /// For so many bodies. What it sums is in 32 bits whatever the bodies are in.
    pub fn new(gpu: &Gpu, bodies: usize) -> Result<Tally> {
        let (motion, place) = (Moments::new(gpu, 0)?, Moments::new(gpu, 1)?);
        let accelerations = place.program.stream("accelerations")?;
        let shares = gpu.array(bodies).components(4).named("shares").build()?;
        Ok(Tally { motion, place, accelerations, shares, sum: gpu.reduction(Operator::sum()) })
    }

    pub fn begin(
        &mut self,
        positions: &Buffer,
        velocities: &Buffer,
        accelerations: &Buffer,
    ) -> Result<PendingConserved> {
        let Tally { motion, place, shares, sum, .. } = self;
        place.program.bind_stream(self.accelerations, accelerations)?;
        let total = |moments: &mut Moments| {
            moments.run(positions, velocities, shares)?;
            sum.both(shares)?.data_async()
        };
        Ok(PendingConserved { sums: [total(motion)?, total(place)?] })
    }
}

impl Moments {
    fn new(gpu: &Gpu, moments: u32) -> Result<Moments> {
        let program = gpu.load(kernels::named("sim/nbody_conserved.frag")?.define("MOMENTS", moments))?;
        let (bodies, velocities) = (program.stream("bodies")?, program.stream("velocities")?);
        Ok(Moments { program, bodies, velocities })
    }

    /// Computes each body's share of the whole.
    fn run(&mut self, positions: &Buffer, velocities: &Buffer, shares: &Buffer) -> Result<()> {
        self.program.bind_stream(self.bodies, positions)?.bind_stream(self.velocities, velocities)?;
        self.program.run(shares)?;
        self.program.release_streams();
        Ok(())
    }
}

impl PendingConserved {
    /// Returns true if the sums are there.
    pub fn ready(&self) -> bool {
        self.sums.iter().all(Pending::ready)
    }

    /// The sums, waited for. In a browser, ask [`PendingConserved::ready`] first.
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver) after a lost device.
    pub fn wait(self) -> Result<Conserved> {
        let [first, second] = self.sums;
        let ([momentum, kinetic], [angular_momentum, potential]) =
            (parts(&first.wait()?), parts(&second.wait()?));
        Ok(Conserved { kinetic: kinetic[0], potential: potential[0], momentum, angular_momentum })
    }
}

/// A vector, and a number in the first place of another.
fn parts(sums: &[f32]) -> [[f64; 3]; 2] {
    let value = |k: usize| sums.get(k).copied().map_or(f64::NAN, f64::from);
    [[value(0), value(1), value(2)], [value(3); 3]]
}
