//! The picture of a fluid: numbers in colours, particles as points.

use anyhow::Result;
use quadrille::Buffer;
use quadrille::sim::fluid::Fluid;
use quadrille::view::{FluidFields, Particles, Shade, Tint};

use super::scene::{Setup, Show};
use super::tracers::Tracers;

/// The quantity that is looked at, and how.
pub struct Shown {
    pub show: Show,
    /// The number that the last colour stands for, times this.
    pub range: f32,
    /// Particles are told apart by their numbers, else by their speeds.
    pub by_number: bool,
    /// The quantity, if it had to be computed.
    field: Option<Buffer>,
}

impl Shown {
    pub fn new(show: Show) -> Shown {
        Shown { show, range: 1.0, by_number: false, field: None }
    }

    /// Computes what is shown.
    pub fn prepare(&mut self, fluid: &mut Fluid) -> Result<()> {
        // Solids that were just drawn.
        fluid.refresh()?;
        self.field = match self.show {
            Show::Vorticity => Some(fluid.vorticity()?.clone()),
            Show::Pressure => Some(fluid.pressure_field()?.clone()),
            Show::Dye | Show::Speed | Show::Divergence | Show::Particles => None,
        };
        Ok(())
    }

    /// Forgets what was computed of another fluid.
    pub fn forget(&mut self) {
        self.field = None;
    }

    /// The fluid as it was prepared.
    pub fn basin<'a>(
        &'a self,
        fluid: &'a Fluid,
        setup: &Setup,
        tracers: Option<&'a Tracers>,
    ) -> FluidFields<'a> {
        let most = setup.most(self.show) * self.range;
        let shade = match (self.show, &self.field) {
            (Show::Dye, _) => Shade::Dye(fluid.dye()),
            (Show::Speed, _) => Shade::Speed(most),
            (Show::Divergence, _) => Shade::Divergence(most),
            // The first colour is that of the largest negative number.
            (_, Some(field)) => Shade::Scalar { field, component: 0, ends: [-most, most] },
            (_, None) => Shade::Dark,
        };
        let fastest = setup.most(Show::Speed) * self.range;
        let tint = if self.by_number { Tint::Number } else { Tint::Speed(fastest) };
        let particles =
            tracers.map(|tracers| Particles { positions: tracers.positions(), past: tracers.past(), tint });
        let (velocity, solids) = (fluid.velocity(), fluid.solids());
        FluidFields { grid: fluid.grid(), velocity, solids, shade, particles }
    }
}
