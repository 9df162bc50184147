//! How large a box is, how it is stepped, and what pulls.

use crate::sim::projection::Settings;
use crate::{Error, Result};

/// The parameters of a step of liquid and of smoke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Longest side of the box, in metres: 0.001 to 10⁶.
    pub length: f32,
    /// Acceleration downwards, in m/s², 0 to 1000.
    pub gravity: f32,
    /// Upwards, of smoke, for each unit of temperature: times gravity, 0 to 10.
    pub lift: f32,
    /// Downwards, of smoke, for each unit of density: times gravity, 0 to 10.
    pub weight: f32,
    /// The cooling of smoke, T' = −cooling · T: in 1/s, 0 to 100.
    pub cooling: f32,
    /// Voxels that a path of a step crosses at most, 0.1 to 5.
    pub across: f32,
    /// The longest step, in seconds, 10⁻⁶ to 10.
    pub longest: f32,
    /// True if a liquid's surface is moved so that its volume stays.
    pub keeps_volume: bool,
    /// How the pressure is found.
    pub projection: Settings,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            length: 1.0,
            gravity: 9.81,
            lift: 1.0,
            weight: 0.125,
            cooling: 0.5,
            across: 1.5,
            longest: 0.02,
            keeps_volume: true,
            // With ten times that, water at rest moves by a thousandth of what gravity gives a step, which is seen.
            projection: Settings::default(),
        }
    }
}

impl Parameters {
    pub(super) fn check(&self) -> Result<()> {
        let within = |name, found: f32, least: f32, most: f32| {
            if (least..=most).contains(&found) {
                return Ok(());
            }
            let (found, expected) = (found.to_string(), format!("{least} to {most}"));
            Err(Error::BadParameter { name, found, expected })
        };
        within("length", self.length, 1e-3, 1e6)?;
        within("gravity", self.gravity, 0.0, 1e3)?;
        within("lift", self.lift, 0.0, 10.0)?;
        within("weight", self.weight, 0.0, 10.0)?;
        within("cooling", self.cooling, 0.0, 100.0)?;
        within("voxels across in a step", self.across, 0.1, 5.0)?;
        within("longest step", self.longest, 1e-6, 10.0)
    }
}
