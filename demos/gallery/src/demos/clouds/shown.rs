//! The picture of clouds: a sky, or a number of its air in colours.

use anyhow::Result;
use quadrille::Buffer;
use quadrille::sim::clouds::Clouds;
use quadrille::view::{FluidFields, Shade};

use crate::picture::Unit;

/// The quantity that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    Clouds,
    Theta,
    Vapour,
    CloudWater,
    Speed,
    Vorticity,
}

/// The quantity that is looked at, and how.
pub struct Shown {
    pub show: Show,
    /// The numbers that the ends of its colours stand for, times this.
    pub range: f32,
    /// Nothing is solid.
    open: Buffer,
    /// The quantity, if it had to be computed.
    field: Option<Buffer>,
}

impl Shown {
    pub fn new(show: Show, open: Buffer) -> Shown {
        Shown { show, range: 1.0, open, field: None }
    }

    /// The numbers that the first and the last colour stand for, and their unit.
    pub fn ends(&self) -> Option<([f32; 2], &'static str)> {
        let (ends, unit) = match self.show {
            Show::Clouds => return None,
            Show::Theta => ([-3.0, 3.0], "K"),
            Show::Vapour => ([0.0, 15.0], "g/kg"),
            Show::CloudWater => ([0.0, 2.0], "g/kg"),
            Show::Speed => ([0.0, 10.0], "m/s"),
            Show::Vorticity => ([-0.1, 0.1], "1/s"),
        };
        Some((ends.map(|end: f32| end * self.range), unit))
    }

    /// The unit of the numbers, of which water is kept as kilograms a kilogram.
    pub fn unit(&self) -> Unit {
        let name = self.ends().map_or("", |(_, unit)| unit);
        Unit { name, times: if name == "g/kg" { 1e3 } else { 1.0 } }
    }

    /// Computes what is shown.
    pub fn prepare(&mut self, clouds: &mut Clouds) -> Result<()> {
        self.field = match self.show {
            Show::Theta => Some(clouds.deviation()?.clone()),
            Show::Vorticity => Some(clouds.vorticity()?.clone()),
            Show::Clouds | Show::Vapour | Show::CloudWater | Show::Speed => None,
        };
        Ok(())
    }

    /// The numbers of the air as they were prepared.
    pub fn basin<'a>(&'a self, clouds: &'a Clouds) -> FluidFields<'a> {
        let most = self.ends().map_or(0.0, |([_, most], _)| most);
        let of_air = |component| Shade::Scalar { field: clouds.air(), component, ends: [0.0, 1e-3 * most] };
        let shade = match (self.show, &self.field) {
            (Show::Vapour, _) => of_air(1),
            (Show::CloudWater, _) => of_air(2),
            (Show::Speed, _) => Shade::Speed(most),
            (Show::Theta | Show::Vorticity, Some(field)) => {
                Shade::Scalar { field, component: 0, ends: [-most, most] }
            }
            (Show::Clouds | Show::Theta | Show::Vorticity, _) => Shade::Dark,
        };
        let (grid, velocity) = (clouds.setting().grid(), clouds.velocity());
        FluidFields { grid, velocity, solids: &self.open, shade, particles: None }
    }
}
