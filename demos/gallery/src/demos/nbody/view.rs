//! How a scene of bodies is seen.

use std::f64::consts::TAU;

use anyhow::Result;
use quadrille::Gpu;
use quadrille::sim::nbody::scenes::{PERIOD_OF_EIGHT, Scene};
use quadrille::sim::nbody::{Body, NBody};
use quadrille::view::{Camera, Look, Stage, Trail};

/// The colour map of speeds: that of stars, red ones the slowest.
pub const COLOURS: &str = "red_yellow_blue";

/// Moments of a tail at most: three rows of texels each still fit into the textures of 2002.
const MOMENTS: f64 = 600.0;

/// Fewer are bodies, each to be seen; more are a cloud of points of about a pixel.
const CLOUD: usize = 1000;

/// Radius of the heaviest body as a part of the scene's: of a few, of those that are the sun's, and in a cloud at most.
const OF_FEW: f64 = 0.05;
const OF_SUN: f64 = 0.008;
const IN_CLOUD: f64 = 0.024;

/// Radius of the middle one by mass of a cloud of so many.
const SPECK: f64 = 0.0025;
const SPECKS: f64 = 4096.0;

/// Halvings of light from the brightest to the faintest of a cloud.
const MAGNITUDES: f32 = 3.0;

/// Light of the halos of so many.
const HAZE: f64 = 0.001;

/// The place from where a scene is seen, and how large and in which colours its bodies are.
#[derive(Clone, Copy)]
pub struct View {
    pub stage: Stage,
    pub camera: Camera,
    pub look: Look,
}

impl View {
    pub fn of(scene: &Scene, simulation: &NBody) -> Result<View> {
        // Scenes lie about the plane of x and y.
        let half = match scene.name {
            "galaxies" => [0.9, 0.7, 0.3],
            "figure-eight" => [0.9, 0.6, 0.3],
            // The orbit of Neptune, which lies in the plane but for two degrees.
            "solar-system" => [1.0, 1.0, 0.05],
            _ => [0.6; 3],
        };
        let half = half.map(|part| part * scene.extent);
        let stage = Stage { low: half.map(|v| -v), high: half, ground: None };
        let (azimuth, elevation) = match scene.name {
            "figure-eight" => (0.0, 5.0),
            "solar-system" => (0.0, 35.0),
            // From behind, where both discs show their face.
            "galaxies" => (160.0, 15.0),
            _ => (20.0, 25.0),
        };
        let camera = Camera { azimuth, elevation, distance: 1.0, field_of_view: 30.0 };
        Ok(View { stage, camera, look: look(scene, simulation)? })
    }
}

fn look(scene: &Scene, simulation: &NBody) -> Result<Look> {
    let sorted = |of: fn(&Body) -> f64| {
        let mut numbers: Vec<f64> = scene.bodies.iter().map(of).collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let (masses, speeds) = (sorted(|body| body.mass), sorted(|body| length(body.velocity)));
    let at = |numbers: &[f64], share: f64| {
        numbers.get(((numbers.len() - 1) as f64 * share) as usize).copied().unwrap_or_default()
    };
    let (heaviest, middle) = (at(&masses, 1.0), at(&masses, 0.5));
    let cloud = masses.len() >= CLOUD;
    let (radius, mass, growth, least, exposure) = if !cloud {
        // Were all of one density, a planet would be too small beside its sun.
        // Seen as far off as Neptune, the sun must not hide Mercury.
        let radius = if scene.name == "solar-system" { OF_SUN } else { OF_FEW };
        (radius, heaviest, 0.125, 1.5, 20.0)
    } else {
        let speck = SPECK * (SPECKS / masses.len() as f64).cbrt();
        let most = (IN_CLOUD / speck).ln() / (heaviest / middle).ln();
        (speck, middle, most.min(1.0 / 3.0), 1.5, 60.0)
    };
    let radius = radius * scene.extent / mass.max(1e-30).powf(growth);
    // Bodies that begin at rest will fall about as fast as bound bodies fly.
    let bound = (simulation.conserved()?.potential.abs() / masses.iter().sum::<f64>()).sqrt();
    let fastest = Some(1.1 * at(&speeds, 0.97)).filter(|&fast| fast > 0.1 * bound).unwrap_or(2.0 * bound);
    let fastest = if fastest.is_finite() && fastest > 0.0 { fastest } else { 1.0 };
    let (radius, growth) = (radius as f32, growth as f32);
    let haze = if cloud { (HAZE * SPECKS / masses.len() as f64).min(1.0) } else { 0.0 };
    let magnitudes = if cloud { MAGNITUDES } else { 0.0 };
    let speeds = [0.0, fastest as f32];
    Ok(Look { speeds, radius, growth, least, exposure, haze: haze as f32, magnitudes })
}

/// The tails of a scene's first bodies.
pub struct Tails {
    trail: Trail,
    /// Steps from one moment to the next.
    every: u64,
}

impl Tails {
    /// Those of the few bodies whose paths are worth seeing.
    pub fn of(gpu: &Gpu, scene: &Scene, simulation: &NBody) -> Result<Option<Tails>> {
        let (bodies, time) = match scene.name {
            "figure-eight" => (3, 0.9 * PERIOD_OF_EIGHT),
            // The sun and its planets, for twelve years.
            "solar-system" => (9, 12.0 * TAU),
            _ => return Ok(None),
        };
        let steps = (time / f64::from(simulation.parameters().time_step)).abs().clamp(1.0, 1e9);
        let every = (steps / MOMENTS).ceil();
        let moments = (steps / every).ceil() as u32;
        let buffers = [simulation.positions(), simulation.velocities()];
        let mut tails = Tails { trail: Trail::new(gpu, buffers, bodies, moments)?, every: every as u64 };
        tails.stepped(simulation)?;
        Ok(Some(tails))
    }

    /// Keeps this moment, if it is one of those that are kept.
    pub fn stepped(&mut self, simulation: &NBody) -> Result<()> {
        if simulation.steps().is_multiple_of(self.every) {
            self.trail.keep(simulation.positions(), simulation.velocities())?;
        }
        Ok(())
    }

    pub fn trail(&self) -> &Trail {
        &self.trail
    }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|part| part * part).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use quadrille::sim::nbody::scenes;

    use super::*;

    #[test]
    fn all_that_begins_is_in_a_picture_of_any_shape() -> Result<()> {
        let gpu = Gpu::headless()?;
        for name in scenes::NAMES {
            let scene = scenes::named(name, 300, 1).unwrap_or_else(scenes::figure_eight);
            let simulation = NBody::new(&gpu, &scene.bodies, scene.parameters)?;
            let View { stage, camera, .. } = View::of(&scene, &simulation)?;
            for aspect in [800.0 / 600.0, 400.0 / 300.0, 300.0 / 400.0] {
                let lens = stage.lens(&camera, aspect)?;
                for body in &scene.bodies {
                    let place = lens.picture_of(body.position);
                    let inside = place.iter().all(|part| (0.0..=1.0).contains(part));
                    assert!(inside, "{name}: {:?} at {place:?} of {aspect}", body.position);
                }
            }
        }
        Ok(())
    }
}
