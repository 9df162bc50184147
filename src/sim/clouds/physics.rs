//! The physics of moist air: constants, saturation, and a parcel.
//!
//! Air has a potential temperature θ (K), vapour q_v and cloud water q_c (kg in a kg of air). Its temperature at the
//! pressure p is T = θ Π with Π = (p/p₀₀)^(R_d/c_p). Vapour beyond
//! q_vs(T, p) = 380.16/p · exp(17.67 t/(t + 243.5)), t in °C and p in Pa, becomes cloud water, and each kilogram of it
//! leaves its heat L in the air.
//!
//! # References
//! Bolton, *The Computation of Equivalent Potential Temperature*, Monthly Weather Review 108, 1980 (saturation).

/// Acceleration downwards, m/s².
pub const GRAVITY: f64 = 9.81;
/// c_p: J to warm a kilogram of dry air by a kelvin at constant pressure.
pub const HEAT_CAPACITY: f64 = 1005.0;
/// R_d of dry air, J/(kg K).
pub const GAS_CONSTANT: f64 = 287.0;
/// L: J that a kilogram of vapour leaves when it condenses.
pub const LATENT_HEAT: f64 = 2.501e6;
/// p₀₀: where θ is the temperature itself, Pa.
pub const STANDARD_PRESSURE: f64 = 1e5;
/// How much lighter than air vapour is: θ_v = θ (1 + 0.61 q_v).
pub const LIGHTER: f64 = 0.61;
/// 0 °C in K.
pub const FREEZING: f64 = 273.15;

/// Π = (p/p₀₀)^(R_d/c_p).
pub fn exner(pressure: f64) -> f64 {
    (pressure / STANDARD_PRESSURE).powf(GAS_CONSTANT / HEAT_CAPACITY)
}

/// q_vs: the most vapour that air of that temperature (K) and pressure (Pa) holds.
pub fn saturation(temperature: f64, pressure: f64) -> f64 {
    let celsius = temperature - FREEZING;
    380.16 / pressure * (17.67 * celsius / (celsius + 243.5)).exp()
}

/// dq_vs/dT.
pub fn saturation_slope(temperature: f64, pressure: f64) -> f64 {
    let celsius = temperature - FREEZING;
    saturation(temperature, pressure) * 17.67 * 243.5 / (celsius + 243.5).powi(2)
}

/// The heat, vapour and cloud water of a parcel of air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parcel {
    /// θ, K.
    pub theta: f64,
    /// q_v.
    pub vapour: f64,
    /// q_c.
    pub cloud: f64,
}
