//! How a scene of bodies is seen.

use std::f64::consts::TAU;

use anyhow::Result;
use quadrille::Gpu;
use quadrille::pug::Pending;
use quadrille::sim::nbody::scenes::{PERIOD_OF_EIGHT, Scene};
use quadrille::sim::nbody::{Body, NBody};
use quadrille::view::{Camera, Look, Stage, Trail};

use crate::picture::Mark;

/// The colour map of speeds: that of stars, red ones the slowest.
pub const COLOURS: &str = "red_yellow_blue";

/// Moments of a tail at most: three rows of texels each still fit into the textures of 2002.
const MOMENTS: f64 = 600.0;

/// Steps of the scene that the tail of a body is long that was thrown into a cloud.
const TAIL_OF_THROWN: f64 = 500.0;

/// Fewer are bodies, each to be seen; more are a cloud of points of about a pixel.
const CLOUD: usize = 1000;

/// Radius of the heaviest body as a part of the scene's: of a few, of those that are the sun's, and in a cloud at most.
const OF_FEW: f64 = 0.05;
const OF_SUN: f64 = 0.008;
const IN_CLOUD: f64 = 0.024;

/// Radius of the middle one by mass of a cloud of so many.
const SPECK: f64 = 0.0025;
const SPECKS: f64 = 4096.0;

/// So many times the mass of the middle one makes a sun, and such a part of that of the heaviest.
const SUN_OF_MIDDLE: f64 = 100.0;
const SUN_OF_HEAVIEST: f64 = 0.1;

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
            // The orbit of Saturn, which lies in the plane but for two degrees: from farther off the inner planets are one blot.
            "solar-system" => [0.34, 0.34, 0.02],
            _ => [0.6; 3],
        };
        let half = half.map(|part| part * scene.extent);
        let stage = Stage { low: half.map(|v| -v), high: half, ground: None };
        let (azimuth, elevation) = match scene.name {
            "figure-eight" => (0.0, 5.0),
            "solar-system" => (0.0, 40.0),
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
        // The sun must not hide Mercury, and asteroids are to be smaller than planets.
        let (radius, growth) = if scene.name == "solar-system" { (OF_SUN, 0.0625) } else { (OF_FEW, 0.125) };
        (radius, heaviest, growth, 1.5, 20.0)
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
    let has_sun = heaviest >= SUN_OF_MIDDLE * middle && heaviest > 0.0;
    let sun = if has_sun { (SUN_OF_HEAVIEST * heaviest) as f32 } else { f32::INFINITY };
    Ok(Look { speeds, radius, growth, least, exposure, haze: haze as f32, magnitudes, sun })
}

/// The tails of a scene's first bodies.
pub struct Tails {
    trail: Trail,
    /// Steps from one moment to the next.
    every: u64,
    bodies: usize,
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
        Tails::new(gpu, scene, simulation, bodies, time).map(Some)
    }

    /// Empty tails for the first body of a scene that begins without any: it has just been thrown in.
    pub fn of_thrown(gpu: &Gpu, scene: &Scene, simulation: &NBody) -> Result<Tails> {
        let steps = TAIL_OF_THROWN * f64::from(scene.parameters.time_step);
        let mut tails = Tails::new(gpu, scene, simulation, 1, steps)?;
        tails.trail.clear();
        Ok(tails)
    }

    /// The tails that go on when a body has been put behind those that have them.
    pub fn widen(&mut self, gpu: &Gpu, simulation: &NBody) -> Result<()> {
        let buffers = [simulation.positions(), simulation.velocities()];
        self.bodies += 1;
        self.trail = self.trail.widened(gpu, buffers, self.bodies)?;
        Ok(())
    }

    /// Bodies that have tails, the first of all.
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    fn new(gpu: &Gpu, scene: &Scene, simulation: &NBody, bodies: usize, time: f64) -> Result<Tails> {
        let steps = (time / f64::from(simulation.parameters().time_step)).abs().clamp(1.0, 1e9);
        let every = (steps / MOMENTS).ceil();
        let moments = (steps / every).ceil() as u32;
        let buffers = [simulation.positions(), simulation.velocities()];
        let trail = Trail::new(gpu, buffers, bodies, moments)?;
        let mut tails = Tails { trail, every: every as u64, bodies };
        if scene.name == "solar-system" {
            let between = every * f64::from(simulation.parameters().time_step);
            tails.look_back(gpu, &scene.bodies, simulation, between, moments)?;
        }
        tails.stepped(simulation)?;
        Ok(tails)
    }

    /// Fills the trail with where bodies were as if the first alone had held them, so that orbits are seen from the beginning.
    fn look_back(
        &mut self,
        gpu: &Gpu,
        bodies: &[Body],
        simulation: &NBody,
        between: f64,
        moments: u32,
    ) -> Result<()> {
        let Some((sun, others)) = bodies.split_first() else { return Ok(()) };
        let planets = &others[..others.len().min(PLANETS.len())];
        let like = || {
            let array = gpu.array(simulation.len()).components(4);
            array.precision(simulation.positions().precision())
        };
        let (places, speeds) = (like().named("earlier positions"), like().named("earlier velocities"));
        let (places, speeds) = (places.build()?, speeds.build()?);
        for moment in (1..moments).rev() {
            let time = -between * f64::from(moment);
            let earlier = planets.iter().map(|planet| around(sun, planet, time)).collect::<Option<Vec<_>>>();
            let Some(earlier) = earlier else { return Ok(()) };
            let mut texels = [vec![0.0; 4 * bodies.len()], vec![0.0; 4 * bodies.len()]];
            let all = [*sun].into_iter().chain(earlier);
            for (n, body) in all.enumerate() {
                let texel = |v: [f64; 3], last: f64| [v[0], v[1], v[2], last].map(|part| part as f32);
                texels[0][4 * n..][..4].copy_from_slice(&texel(body.position, body.mass));
                texels[1][4 * n..][..4].copy_from_slice(&texel(body.velocity, 0.0));
            }
            places.write(&texels[0])?;
            speeds.write(&texels[1])?;
            self.trail.keep(&places, &speeds)?;
        }
        Ok(())
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

/// A body after some time on its ellipse about the sun, by Gauss' f and g; `None` for one that is not bound.
///
/// # References
/// Bate, Mueller and White, *Fundamentals of Astrodynamics*, 1971, 4.4.
fn around(sun: &Body, body: &Body, time: f64) -> Option<Body> {
    let minus = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[k] - b[k]);
    let (place, velocity) = (minus(body.position, sun.position), minus(body.velocity, sun.velocity));
    let (pull, radius) = (sun.mass + body.mass, length(place));
    let axis = 1.0 / (2.0 / radius - length(velocity).powi(2) / pull);
    if !(axis > 0.0 && axis.is_finite()) {
        return None;
    }
    let rate = (pull / axis.powi(3)).sqrt();
    let along = (0..3).map(|k| place[k] * velocity[k]).sum::<f64>() / (pull * axis).sqrt();
    let mean = rate * time;
    // Kepler's equation of the change of the eccentric anomaly, by Newton's method.
    let change = (0..20).fold(mean, |e, _| {
        let off = e - (1.0 - radius / axis) * e.sin() + along * (1.0 - e.cos()) - mean;
        e - off / (1.0 - (1.0 - radius / axis) * e.cos() + along * e.sin())
    });
    let (sin, cos) = change.sin_cos();
    let (f, g) = (1.0 - axis / radius * (1.0 - cos), time - (change - sin) / rate);
    let now: [f64; 3] = [0, 1, 2].map(|k| f * place[k] + g * velocity[k]);
    let df = -(pull * axis).sqrt() / (length(now) * radius) * sin;
    let dg = 1.0 - axis / length(now) * (1.0 - cos);
    let position = [0, 1, 2].map(|k| sun.position[k] + now[k]);
    let velocity = [0, 1, 2].map(|k| sun.velocity[k] + df * place[k] + dg * velocity[k]);
    Some(Body { position, velocity, mass: body.mass })
}

/// The planets by name, in order of distance.
const PLANETS: [&str; 8] = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"];

/// The planets' places and masses as they were read last, for their names.
#[derive(Default)]
pub struct Names {
    bodies: Vec<([f64; 3], f64)>,
    pending: Option<Pending>,
}

impl Names {
    /// Takes in the places that have arrived, and asks for those of now: nothing waits.
    pub fn look(&mut self, simulation: &NBody) -> Result<()> {
        let pending = match self.pending.take() {
            Some(pending) => pending,
            None => simulation.positions().data_async()?,
        };
        match pending.poll()? {
            Ok(numbers) => {
                let bodies = numbers.as_chunks::<4>().0.iter().take(1 + PLANETS.len());
                self.bodies =
                    bodies.map(|&[x, y, z, mass]| ([x, y, z].map(f64::from), f64::from(mass))).collect();
            }
            Err(pending) => self.pending = Some(pending),
        }
        Ok(())
    }

    /// Names of the sun, then of the outermost planet and so on inwards: the first of them find room first. `disc_at` tells where a body of
    /// that mass is seen, and its radius.
    pub fn marks(&self, disc_at: impl Fn([f64; 3], f64) -> Option<([f32; 2], f32)>) -> Vec<Mark> {
        let mut named: Vec<_> = self.bodies.iter().zip(["Sun"].into_iter().chain(PLANETS)).collect();
        if let Some(planets) = named.get_mut(1..) {
            planets.reverse();
        }
        let mark = |(&(place, mass), text)| {
            let (at, radius) = disc_at(place, mass)?;
            Some(Mark::Label { at, radius, text })
        };
        named.into_iter().filter_map(mark).collect()
    }
}

pub fn length(v: [f64; 3]) -> f64 {
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
                // Uranus and Neptune lie outside the picture.
                let out_there = |n: usize| name == "solar-system" && (7..=8).contains(&n);
                for (_, body) in scene.bodies.iter().enumerate().filter(|&(n, _)| !out_there(n)) {
                    let place = lens.picture_of(body.position);
                    let inside = place.iter().all(|part| (0.0..=1.0).contains(part));
                    assert!(inside, "{name}: {:?} at {place:?} of {aspect}", body.position);
                }
            }
        }
        Ok(())
    }

    /// A year ago a planet was where it is, and half a year ago at the other side of the ellipse; its energy stays.
    #[test]
    fn a_planet_was_on_its_ellipse() -> Result<()> {
        let scene = scenes::solar_system();
        let sun = scene.bodies[0];
        for planet in &scene.bodies[1..9] {
            let from_sun = |body: &Body| [0, 1, 2].map(|k| body.position[k] - sun.position[k]);
            let speed = |body: &Body| length([0, 1, 2].map(|k| body.velocity[k] - sun.velocity[k]));
            let energy = |body: &Body| speed(body).powi(2) / 2.0 - (1.0 + body.mass) / length(from_sun(body));
            let axis = -(1.0 + planet.mass) / (2.0 * energy(planet));
            let year = TAU * (axis.powi(3) / (1.0 + planet.mass)).sqrt();
            let at = |time| around(&sun, planet, time).ok_or_else(|| anyhow::anyhow!("not bound"));
            let (whole, half, part) = (at(-year)?, at(-year / 2.0)?, at(-0.3 * year)?);
            let off = |a: [f64; 3], b: [f64; 3]| length([0, 1, 2].map(|k| a[k] - b[k]));
            assert!(off(whole.position, planet.position) < 1e-9 * axis, "{whole:?}");
            assert!(off(half.position, planet.position) > 1.5 * axis, "{half:?}");
            for then in [half, part] {
                assert!((energy(&then) / energy(planet) - 1.0).abs() < 1e-9, "{then:?}");
            }
        }
        let mut flung = scene.bodies[3];
        flung.velocity = flung.velocity.map(|part| 3.0 * part);
        assert!(around(&sun, &flung, -1.0).is_none());
        Ok(())
    }

    #[test]
    fn the_sun_has_its_name_first_and_then_the_outer_planets_that_are_seen() {
        let bodies = [0.5, 0.51, 0.52, 0.9, 2.0].map(|x| ([x, 0.5, 0.0], 1.0)).to_vec();
        let names = Names { bodies, pending: None };
        let disc_at = |[x, y, _]: [f64; 3], _| (x <= 1.0).then_some(([x as f32, y as f32], 0.01));
        let found: Vec<&str> = names
            .marks(disc_at)
            .into_iter()
            .filter_map(|mark| match mark {
                Mark::Label { text, .. } => Some(text),
                _ => None,
            })
            .collect();
        assert_eq!(found, ["Sun", "Earth", "Venus", "Mercury"]);
    }

    /// Only what outweighs the others by far shines by itself.
    #[test]
    fn scenes_with_a_heavy_middle_have_suns() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (name, suns) in [("galaxies", 2), ("collapse", 0), ("figure-eight", 0), ("solar-system", 1)] {
            let scene = scenes::named(name, 400, 1).unwrap_or_else(scenes::figure_eight);
            let simulation = NBody::new(&gpu, &scene.bodies, scene.parameters)?;
            let View { look, .. } = View::of(&scene, &simulation)?;
            let found = scene.bodies.iter().filter(|body| body.mass as f32 >= look.sun).count();
            assert_eq!(found, suns, "{name}");
        }
        Ok(())
    }
}
