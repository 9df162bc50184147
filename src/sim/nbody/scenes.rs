//! Bodies to begin with.

use super::{Body, Parameters};

/// Bodies, how to step them, and what they are.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its name on the command line.
    pub name: &'static str,
    /// What happens.
    pub shows: &'static str,
    /// Where they begin.
    pub bodies: Vec<Body>,
    /// What a step should be.
    pub parameters: Parameters,
    /// Radius of what is to be seen, about the origin.
    pub extent: f64,
}

/// Three equal masses that follow each other along an eight; units of their own, period [`PERIOD_OF_EIGHT`].
pub fn figure_eight() -> Scene {
    let (x, v) = ([0.970_004_36, -0.243_087_53, 0.0], [-0.932_407_37, -0.864_731_46, 0.0]);
    let half = v.map(|v: f64| -v / 2.0);
    let body = |position, velocity| Body { position, velocity, mass: 1.0 };
    Scene {
        name: "figure-eight",
        shows: "three equal bodies on one path",
        bodies: vec![body(x, half), body(x.map(|x: f64| -x), half), body([0.0; 3], v)],
        parameters: Parameters {
            time_step: (PERIOD_OF_EIGHT / 1000.0) as f32,
            softening: 0.0,
            ..Parameters::default()
        },
        extent: 1.5,
    }
}

/// Until each of the three bodies of [`figure_eight`] is back.
///
/// # References
/// Chenciner & Montgomery, *A remarkable periodic solution of the three-body problem*, 2000; the numbers are Simó's.
pub const PERIOD_OF_EIGHT: f64 = 6.325_913_98;
