//! What all bodies together keep, summed on the GPU.

use super::Conserved;
use crate::pug::{Buffer, Gpu, Operator, Pending, Program, Reduction};
use crate::{Result, kernels};

/// Two passes that make what each body adds to the whole, and a reduction.
pub(super) struct Tally {
    /// Momentum and kinetic energy; angular momentum and potential energy.
    programs: [Program; 2],
    shares: Buffer,
    sum: Reduction,
}

/// Sums on their way to the CPU.
pub struct PendingConserved {
    sums: [Pending; 2],
}

impl Tally {
    /// For so many bodies. What it sums is in 32 bits whatever the bodies are in.
    pub fn new(gpu: &Gpu, bodies: usize) -> Result<Tally> {
        let program =
            |moments: u32| gpu.load(kernels::named("sim/nbody_conserved.frag")?.define("MOMENTS", moments));
        let shares = gpu.array(bodies).components(4).named("shares").build()?;
        Ok(Tally { programs: [program(0)?, program(1)?], shares, sum: gpu.reduction(Operator::sum()) })
    }

    pub fn begin(
        &mut self,
        positions: &Buffer,
        velocities: &Buffer,
        accelerations: &Buffer,
    ) -> Result<PendingConserved> {
        let Tally { programs: [first, second], shares, sum } = self;
        for program in [&mut *first, &mut *second] {
            program.bind_stream("bodies", positions)?.bind_stream("velocities", velocities)?;
        }
        second.bind_stream("accelerations", accelerations)?;
        let total = |program: &Program| {
            program.run(shares)?;
            sum.both(shares)?.data_async()
        };
        let sums = [total(first)?, total(second)?];
        first.release_streams();
        second.release_streams();
        Ok(PendingConserved { sums })
    }
}

impl PendingConserved {
    /// Whether the sums are there.
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
