//! The box that a fluid flows in, and how it is stepped.

use super::{Advection, Grid, Kind, Sides};
use crate::{Error, Result};

/// The box: it stays what it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Where velocities and scalars lie.
    pub kind: Kind,
    /// Cells across and up: a collocated grid of 513 × 129 nodes has 512 × 128.
    pub cells: [u32; 2],
    /// Side of a cell, a length.
    pub spacing: f32,
    /// The four sides.
    pub sides: Sides,
}

impl Setting {
    /// The grid of the box.
    ///
    /// # Errors
    /// Those of [`Grid::check`] and [`Sides::check`].
    pub fn grid(&self) -> Result<Grid> {
        let Setting { kind, cells, spacing, sides } = *self;
        let grid = Grid { kind, cells, spacing, periodic: sides.periodic() };
        grid.check()?;
        sides.check(cells)?;
        Ok(grid)
    }
}

/// How the pressure is found, and with it what viscosity does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pressure {
    /// V-cycles from the last pressure on: nothing is read back.
    Multigrid {
        /// Cycles a step.
        cycles: u32,
        /// Sweeps before each correction.
        before: u32,
        /// Sweeps after it.
        after: u32,
    },
    /// Conjugate gradients, which look at their residual every eight iterations.
    Cg {
        /// ‖r‖ by ‖b‖ at which they end.
        tolerance: f32,
    },
    /// So many damped Jacobi sweeps: nothing is read back.
    Jacobi {
        /// Sweeps a step.
        sweeps: u32,
    },
}

impl Default for Pressure {
    /// The paper's two V(4, 2)-cycles.
    fn default() -> Pressure {
        Pressure::Multigrid { cycles: 2, before: 4, after: 2 }
    }
}

impl Pressure {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pressure::Multigrid { .. } => "multigrid",
            Pressure::Cg { .. } => "cg",
            Pressure::Jacobi { .. } => "jacobi",
        }
    }

    /// Checks its numbers.
    ///
    /// # Errors
    /// [`Error::BadParameter`].
    pub fn check(self) -> Result<()> {
        match self {
            Pressure::Multigrid { cycles, before, after } => {
                count("cycles", cycles, 1, 100)?;
                count("sweeps before", before, 0, 100)?;
                count("sweeps after", after, 0, 100)?;
                count("sweeps before and after", before + after, 1, 200)
            }
            Pressure::Cg { tolerance } => within("tolerance", tolerance, 1e-7, 0.5),
            Pressure::Jacobi { sweeps } => count("sweeps", sweeps, 1, 10_000),
        }
    }
}

/// How a step is made: may change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Δt, a time.
    pub time_step: f32,
    /// ν, length²/time; 0 leaves its solve away.
    pub viscosity: f32,
    /// How velocity and dye are moved.
    pub advection: Advection,
    /// How the pressure is found.
    pub pressure: Pressure,
    /// Acceleration where the heat is 1.
    pub buoyancy: [f32; 2],
    /// How much of the small vortices that the grid swallows is given back, a number: 0 is none, 0.1 to 1 shows.
    pub confinement: f32,
    /// How much of dye and heat fades in a time, 1/time: a step leaves e^(−fading Δt) of them. 0 leaves the pass away.
    pub fading: f32,
    /// True if advection keeps the sum of the dye. Only a box without inlets and outlets has one to keep: what leaves through
    /// an outlet is not known any better than what a step loses.
    pub keep_mass: bool,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            time_step: 0.01,
            viscosity: 0.0,
            advection: Advection::default(),
            pressure: Pressure::default(),
            buoyancy: [0.0; 2],
            confinement: 0.0,
            fading: 0.0,
            keep_mass: false,
        }
    }
}

impl Parameters {
    /// e^(−fading Δt): what a step leaves of dye and heat that fade.
    pub fn remaining(&self) -> f32 {
        (-f64::from(self.fading) * f64::from(self.time_step)).exp() as f32
    }

    /// Checks that a step is one, in that box.
    ///
    /// # Errors
    /// [`Error::BadParameter`].
    pub fn check(&self, sides: &Sides) -> Result<()> {
        within("time step", self.time_step, 1e-12, 1e12)?;
        within("viscosity", self.viscosity, 0.0, 1e12)?;
        within("confinement", self.confinement, 0.0, 1e6)?;
        within("fading", self.fading, 0.0, 1e12)?;
        self.buoyancy.into_iter().try_for_each(|b| within("buoyancy", b, -1e12, 1e12))?;
        self.pressure.check()?;
        if self.keep_mass && !sides.are_tight() {
            let (found, expected) = ("on, with inlets or outlets".into(), "a box without them".into());
            return Err(Error::BadParameter { name: "keep mass", found, expected });
        }
        Ok(())
    }
}

/// Checks a number, naming both bounds.
pub(super) fn within(name: &'static str, found: f32, least: f32, most: f32) -> Result<()> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let expected = format!("{} to {}", words(least), words(most));
    Err(Error::BadParameter { name, found: found.to_string(), expected })
}

/// Without rows of zeros.
fn words(bound: f32) -> String {
    if bound == 0.0 || (1e-3..1e4).contains(&bound.abs()) { bound.to_string() } else { format!("{bound:e}") }
}

fn count(name: &'static str, found: u32, least: u32, most: u32) -> Result<()> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(Error::BadParameter { name, found: found.to_string(), expected: format!("{least} to {most}") })
}
