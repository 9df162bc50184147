//! The setting of a box of air, and the parameters of its steps.

use super::Air;
use super::physics::{HEAT_CAPACITY, LATENT_HEAT};
use crate::sim::fluid::{Advection, Grid, Kind, Pressure, Side, Sides};
use crate::{Error, Result};

/// A box of air: what does not change while it is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Cells across and up.
    pub cells: [u32; 2],
    /// Side of a cell, m.
    pub spacing: f32,
    /// True if east and west are joined; else there are walls, and no wind.
    pub periodic: bool,
    /// The air at rest.
    pub air: Air,
}

impl Default for Setting {
    /// Four and a half kilometres by three and a half.
    fn default() -> Setting {
        Setting { cells: [144, 112], spacing: 32.0, periodic: true, air: Air::default() }
    }
}

impl Setting {
    /// Checks that there is a box, and air all over it.
    ///
    /// # Errors
    /// Those of [`Grid::check`] and of [`Air::check`]; [`Error::BadParameter`] for cells of less than a millimetre.
    pub fn check(&self) -> Result<()> {
        self.grid().check()?;
        within("spacing", self.spacing, [1e-3, 1e5])?;
        self.air.check(self.top())
    }

    /// Staggered, as in the paper: a collocated grid lets a checkerboard of pressure through.
    pub fn grid(&self) -> Grid {
        let Setting { cells, spacing, periodic, .. } = *self;
        Grid { kind: Kind::Staggered, cells, spacing, periodic: [periodic, false] }
    }

    /// Air slips along the ground and the top.
    pub fn sides(&self) -> Sides {
        let beside = if self.periodic { Side::Periodic } else { Side::Wall };
        Sides { west: beside, east: beside, south: Side::Wall, north: Side::Wall }
    }

    /// Height of the box, m.
    pub fn top(&self) -> f64 {
        f64::from(self.cells[1]) * f64::from(self.spacing)
    }

    /// Height of the middles of a row of cells, m.
    pub fn height_of(&self, row: u32) -> f64 {
        (f64::from(row) + 0.5) * f64::from(self.spacing)
    }

    /// θ of the ground: the numbers of [`super::Clouds::air`] are above it, K.
    pub fn theta(&self) -> f64 {
        self.air.at(0.0).theta
    }
}

/// The parameters of a step; all may change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Δt, s.
    pub time_step: f32,
    /// The wind: the velocity of all the air at first, to the east, m/s. A change of it is a gust in the whole box.
    pub wind: f32,
    /// Warmth that the ground gives where it gives most, W/m².
    pub heat: f32,
    /// Vapour that it gives there, by its latent heat, W/m². `None` is what leaves the condensation level of the air at the
    /// ground where it is, as over a wet meadow: [`Air::vapour_beside_heat`].
    pub evaporation: Option<f32>,
    /// ε of the vorticity confinement, without unit, 0 to 0.1. Past 0.03 it puts in more than a warm ground does.
    pub confinement: f32,
    /// K of the eddies that the cells do not resolve, m²/s: velocity, and what is different of the air from that at rest, spread by
    /// K∇². At most h²/(4Δt).
    pub mixing: f32,
    /// τ in which wind from before and behind the slice brings air at rest in place of its own, s; `None` for never.
    pub renewal: Option<f32>,
    /// How velocity and air are moved.
    pub advection: Advection,
    /// How the velocity is made free of divergence.
    pub pressure: Pressure,
    /// Puts back the heat and water that advection loses, if set.
    pub keep_water: bool,
}

impl Default for Parameters {
    /// A calm day, four seconds a step.
    fn default() -> Parameters {
        Parameters {
            time_step: 4.0,
            wind: 0.0,
            heat: 300.0,
            evaporation: None,
            confinement: 0.015,
            mixing: 6.0,
            renewal: Some(3600.0),
            advection: Advection::MacCormack,
            pressure: Pressure::default(),
            keep_water: true,
        }
    }
}

impl Parameters {
    /// Checks that a step is one.
    ///
    /// # Errors
    /// [`Error::BadParameter`] with name, found and expected.
    pub fn check(&self, setting: &Setting) -> Result<()> {
        within("time step", self.time_step, [1e-4, 1e3])?;
        within("wind", self.wind, if setting.periodic { [-50.0, 50.0] } else { [0.0, 0.0] })?;
        within("heat", self.heat, [0.0, 1e4])?;
        within("evaporation", self.evaporation.unwrap_or(0.0), [0.0, 1e4])?;
        within("confinement", self.confinement, [0.0, 0.1])?;
        within("mixing", self.mixing, [0.0, self.most_mixing(setting)])?;
        within("renewal", self.renewal.unwrap_or(self.time_step), [self.time_step, 1e9])?;
        self.pressure.check()
    }

    /// h²/(4Δt): beyond it a chequerboard would grow, and a cell would give more than it has.
    pub fn most_mixing(&self, setting: &Setting) -> f32 {
        setting.spacing * (setting.spacing / self.time_step) / 4.0
    }

    /// K Δt/h².
    pub(super) fn mixed(&self, setting: &Setting) -> f32 {
        self.mixing * self.time_step / (setting.spacing * setting.spacing)
    }

    /// Δt/τ: the part of the air that a step replaces.
    pub fn renewed(&self) -> f32 {
        self.renewal.map_or(0.0, |time| self.time_step / time)
    }

    /// K and kg/kg that a step adds to the lowest row where the ground gives most.
    pub fn given(&self, setting: &Setting) -> [f64; 2] {
        let Setting { air, spacing, .. } = setting;
        // J a step into each kilogram of a cell.
        let into_each = f64::from(self.time_step) / (air.density() * f64::from(*spacing));
        let heat = f64::from(self.heat);
        let vapour = self.evaporation.map_or(heat * air.vapour_beside_heat(), f64::from);
        [heat * into_each / HEAT_CAPACITY, vapour * into_each / LATENT_HEAT]
    }
}

fn within(name: &'static str, value: f32, [least, most]: [f32; 2]) -> Result<()> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => {
            let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
            Err(Error::BadParameter { name, found: value.to_string(), expected })
        }
    }
}
