//! Air at rest before anything happens: how temperature, pressure and vapour change with height.

use super::physics::{
    FREEZING, GAS_CONSTANT, GRAVITY, HEAT_CAPACITY, LATENT_HEAT, Parcel, exner, saturation, saturation_slope,
};
use crate::{Error, Result};

/// Layers of air at rest. In each the temperature falls by Γ a metre, so that
/// p(z) = p_b (1 − Γ (z − z_b)/T_b)^(g/(Γ R_d)) above its base b.
///
/// | layer | Γ | vapour |
/// |---|---|---|
/// | mixed | g/c_p: θ is the same everywhere | that of the ground |
/// | free | `lapse` | that relative humidity aloft, falling to half of it at the inversion; no more than at the ground |
/// | above the inversion | `lid` | half of that |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// At the ground, K.
    pub temperature: f64,
    /// At the ground, Pa.
    pub pressure: f64,
    /// Relative humidity at the ground, 0 to 1.
    pub humidity: f64,
    /// Height of the mixed layer, m.
    pub mixed: f64,
    /// Γ above it, K/m.
    pub lapse: f64,
    /// Relative humidity just above it, 0 to 1.
    pub aloft: f64,
    /// Height of the inversion, m.
    pub inversion: f64,
    /// Γ above it, K/m: what rises does not come far.
    pub lid: f64,
}

impl Default for Air {
    /// A summer's day before noon.
    fn default() -> Air {
        Air {
            temperature: 297.0,
            pressure: 1e5,
            humidity: 0.7,
            mixed: 700.0,
            lapse: 6.2e-3,
            aloft: 0.95,
            inversion: 2500.0,
            lid: 0.0,
        }
    }
}

/// Air colder than this has no saturation that the formula knows, K.
const COLDEST: f64 = 180.0;

impl Air {
    /// Dry air whose θ rises with height: `lapse` below g/c_p = 9.76 K/km.
    pub fn dry(lapse: f64) -> Air {
        Air { humidity: 0.0, aloft: 0.0, mixed: 0.0, lapse, inversion: f64::MAX, ..Air::default() }
    }

    /// Checks that it is air up to that height.
    ///
    /// # Errors
    /// [`Error::BadParameter`] with name, found and expected.
    pub fn check(&self, height: f64) -> Result<()> {
        let within = |name, value: f64, [least, most]: [f64; 2]| {
            let expected = match most {
                f64::MAX => format!("{least} or more"),
                _ => format!("{least} to {most}"),
            };
            let bad = Error::BadParameter { name, found: value.to_string(), expected };
            if (least..=most).contains(&value) { Ok(()) } else { Err(bad) }
        };
        within("temperature of the ground", self.temperature, [FREEZING - 60.0, FREEZING + 60.0])?;
        within("pressure at the ground", self.pressure, [3e4, 1.2e5])?;
        within("humidity of the ground", self.humidity, [0.0, 1.0])?;
        within("humidity aloft", self.aloft, [0.0, 1.0])?;
        within("height of the mixed layer", self.mixed, [0.0, f64::MAX])?;
        within("height of the inversion", self.inversion, [self.mixed, f64::MAX])?;
        within("lapse", self.lapse, [-0.05, 0.05])?;
        within("lapse above the inversion", self.lid, [-0.05, 0.05])?;
        within("temperature at the top", self.temperature_at(height), [COLDEST, f64::MAX])
    }

    /// Temperature and pressure at a height.
    fn state(&self, height: f64) -> [f64; 2] {
        let (mut temperature, mut pressure, mut base) = (self.temperature, self.pressure, 0.0);
        let dry = GRAVITY / HEAT_CAPACITY;
        for (top, lapse) in [(self.mixed, dry), (self.inversion, self.lapse), (f64::INFINITY, self.lid)] {
            let rise = height.min(top) - base;
            pressure *= if lapse == 0.0 {
                (-GRAVITY * rise / (GAS_CONSTANT * temperature)).exp()
            } else {
                (1.0 - lapse * rise / temperature).powf(GRAVITY / (lapse * GAS_CONSTANT))
            };
            temperature -= lapse * rise;
            if height <= top {
                break;
            }
            base = top;
        }
        [temperature, pressure]
    }

    /// T(z), K.
    pub fn temperature_at(&self, height: f64) -> f64 {
        self.state(height)[0]
    }

    /// p(z), Pa.
    pub fn pressure_at(&self, height: f64) -> f64 {
        self.state(height)[1]
    }

    /// θ, q_v and no cloud at a height.
    pub fn at(&self, height: f64) -> Parcel {
        let [temperature, pressure] = self.state(height);
        let ground = self.humidity * saturation(self.temperature, self.pressure);
        let most = match height {
            z if z <= self.mixed => 1.0,
            z if z <= self.inversion => {
                self.aloft * (1.0 - 0.5 * (z - self.mixed) / (self.inversion - self.mixed))
            }
            _ => 0.5 * self.aloft,
        };
        let vapour = ground.min(most * saturation(temperature, pressure));
        Parcel { theta: temperature / exner(pressure), vapour, cloud: 0.0 }
    }

    /// The lifting condensation level: the height at which air of that θ and q_v, lifted from the ground, is saturated.
    /// `None` where it is not even at `top`.
    pub fn condensation_level(&self, theta: f64, vapour: f64, top: f64) -> Option<f64> {
        let saturated = |height: f64| {
            let pressure = self.pressure_at(height);
            saturation(theta * exner(pressure), pressure) <= vapour
        };
        let (mut dry, mut moist) = (0.0, top);
        match (saturated(dry), saturated(moist)) {
            (true, _) => return Some(0.0),
            (_, false) => return None,
            _ => {}
        }
        while moist - dry > 1e-6 * top {
            let middle = 0.5 * (dry + moist);
            *(if saturated(middle) { &mut moist } else { &mut dry }) = middle;
        }
        Some(moist)
    }

    /// J of vapour beside each J of warmth from the ground with which air there keeps its relative humidity, and so its
    /// condensation level, as it warms: the inverse of Bowen's ratio.
    pub fn vapour_beside_heat(&self) -> f64 {
        let slope = saturation_slope(self.temperature, self.pressure);
        LATENT_HEAT / HEAT_CAPACITY * self.humidity * slope
    }

    /// kg in a cubic metre at the ground.
    pub fn density(&self) -> f64 {
        self.pressure / (GAS_CONSTANT * self.temperature)
    }
}

#[cfg(test)]
mod tests;
