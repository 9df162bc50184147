//! The sun, its planets, and a belt of asteroids.

use std::f64::consts::TAU;

use super::{NAMES, Scene, centred, tilted, turned};
use crate::numeric::Random;
use crate::sim::nbody::Body;
use crate::sim::nbody::Parameters;

/// A year in the units of [`solar_system`], in which the sun holds a body at 1 AU: 2π.
pub const YEAR: f64 = TAU;

/// An orbit about the sun, with angles in degrees.
struct Orbit {
    /// Half of its longest diameter, in AU.
    axis: f64,
    eccentricity: f64,
    /// Against the ecliptic.
    inclination: f64,
    /// The longitudes of the body, of its perihelion, and of its ascending node.
    longitudes: [f64; 3],
    /// Solar masses.
    mass: f64,
}

const fn planet(axis: f64, eccentricity: f64, inclination: f64, longitudes: [f64; 3], suns: f64) -> Orbit {
    Orbit { axis, eccentricity, inclination, longitudes, mass: 1.0 / suns }
}

/// Mercury to Neptune on the first of January 2000, the Earth with its moon.
///
/// # References
/// Standish & Williams, *Keplerian Elements for Approximate Positions of the Major Planets* (JPL), Table 1; masses: IAU.
const PLANETS: [Orbit; 8] = [
    planet(
        0.387_099_27,
        0.205_635_93,
        7.004_979_02,
        [252.250_323_50, 77.457_796_28, 48.330_765_93],
        6_023_600.0,
    ),
    planet(
        0.723_335_66,
        0.006_776_72,
        3.394_676_05,
        [181.979_099_50, 131.602_467_18, 76.679_842_55],
        408_523.71,
    ),
    planet(1.000_002_61, 0.016_711_23, -0.000_015_31, [100.464_571_66, 102.937_681_93, 0.0], 328_900.56),
    planet(
        1.523_710_34,
        0.093_394_10,
        1.849_691_42,
        [-4.553_432_05, -23.943_629_59, 49.559_538_91],
        3_098_708.0,
    ),
    planet(
        5.202_887_00,
        0.048_386_24,
        1.304_396_95,
        [34.396_440_51, 14.728_479_83, 100.473_909_09],
        1_047.348_6,
    ),
    planet(
        9.536_675_94,
        0.053_861_79,
        2.485_991_87,
        [49.954_244_23, 92.598_878_31, 113.662_424_48],
        3_497.898,
    ),
    planet(
        19.189_164_64,
        0.047_257_44,
        0.772_637_83,
        [313.238_104_51, 170.954_276_30, 74.016_925_03],
        22_902.98,
    ),
    planet(
        30.069_922_76,
        0.008_590_48,
        1.770_043_47,
        [-55.120_029_69, 44.964_762_27, 131.784_225_74],
        19_412.24,
    ),
];

/// Asteroids, and between which distances they go around.
const ASTEROIDS: usize = 500;
const BELT: (f64, f64) = (2.1, 3.3);

/// All asteroids together, in solar masses: 4 % of the moon.
const BELT_MASS: f64 = 1.2e-9;

/// The sun, eight planets in order of distance, and asteroids between Mars and Jupiter.
///
/// Lengths are in AU, masses in solar masses; with G = 1 a year is 2π ([`YEAR`]). A step is a seventy-fifth of Mercury's
/// year, and what is to be seen goes to Neptune, at 30.
pub fn solar_system() -> Scene {
    let mut random = Random(1);
    let mut any = |from: f64, to: f64| from + (to - from) * f64::from(random.unit());
    let asteroids: Vec<Orbit> = (0..ASTEROIDS)
        .map(|_| Orbit {
            axis: any(BELT.0, BELT.1),
            eccentricity: any(0.0, 0.2),
            inclination: any(0.0, 15.0),
            longitudes: [any(0.0, 360.0), any(0.0, 360.0), any(0.0, 360.0)],
            mass: BELT_MASS / ASTEROIDS as f64,
        })
        .collect();
    let sun = Body { mass: 1.0, ..Body::default() };
    let bodies = [sun].into_iter().chain(PLANETS.iter().chain(&asteroids).map(Orbit::body));
    Scene {
        name: NAMES[3],
        shows: "the sun, its planets and a belt of asteroids",
        bodies: centred(bodies.collect()),
        parameters: Parameters { time_step: 0.02, softening: 0.0, ..Parameters::default() },
        extent: 31.0,
    }
}

impl Orbit {
    /// Where the body is, and how fast, seen from the sun.
    fn body(&self) -> Body {
        let &Orbit { axis, eccentricity: e, inclination, longitudes, mass } = self;
        let [longitude, nearest, node] = longitudes.map(f64::to_radians);
        let anomaly = eccentric_anomaly(longitude - nearest, e);
        let ((sin, cos), minor) = (anomaly.sin_cos(), (1.0 - e * e).sqrt());
        let place = [axis * (cos - e), axis * minor * sin, 0.0];
        // The mean motion, √(M / axis³), over dM/dE = 1 − e cos E.
        let rate = ((1.0 + mass) / axis.powi(3)).sqrt() / (1.0 - e * cos);
        let velocity = [-axis * sin * rate, axis * minor * cos * rate, 0.0];
        let placed = |v| turned(tilted(turned(v, nearest - node), inclination.to_radians()), node);
        Body { position: placed(place), velocity: placed(velocity), mass }
    }
}

/// E of Kepler's equation E − e sin E = mean, by Newton's method.
fn eccentric_anomaly(mean: f64, e: f64) -> f64 {
    (0..10)
        .fold(mean, |anomaly, _| anomaly - (anomaly - e * anomaly.sin() - mean) / (1.0 - e * anomaly.cos()))
}
