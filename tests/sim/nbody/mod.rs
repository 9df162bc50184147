//! N bodies against the f64 loops of the oracle.

mod cards;
mod motion;
mod refusals;
mod scenes;

use quadrille::sim::nbody::{Body, Forces, NBody, Parameters};
use quadrille::{Gpu, Result};
use quadrille_oracle::nbody as oracle;

use crate::support::{Random, on_gpu};

pub const FORCES: [Forces; 2] = [Forces::Matrix, Forces::Tiled];

/// Bodies all over a cube, on their way to anywhere, with masses of 0 to 1.
pub fn cloud(bodies: usize, seed: u64) -> Vec<Body> {
    let mut random = Random(seed);
    let mut any = || [0; 3].map(|_| f64::from(random.signed()));
    (0..bodies).map(|_| Body { position: any(), velocity: any(), mass: any()[0].abs() }).collect()
}

/// One rounding.
pub const U: f64 = 1.0 / (1 << 24) as f64;

/// Roundings of one pull: d rounds once, its square and its sum five times, the root halves these and adds four of its own (two
/// units in the last place), the cube of it makes 21 of them, and three products and the mass stay below a dozen.
const OF_A_PULL: f64 = 32.0;

/// That all accelerations and potentials are those of f64, but for the roundings of each pull and of sums in any order.
pub fn check_pulls(nbody: &NBody) -> Result<()> {
    let bodies = nbody.bodies()?;
    let (alone, with_potentials) = (nbody.accelerations().data()?, nbody.potentials()?.data()?);
    let softening = f64::from(nbody.parameters().softening);
    let roundings = (OF_A_PULL + bodies.len() as f64) * U;
    for (i, (alone, found)) in alone.chunks_exact(4).zip(with_potentials.chunks_exact(4)).enumerate() {
        let (mut expected, mut pulls) = (oracle::Pull::default(), 0.0);
        for body in &bodies {
            let one = oracle::pull(&[*body], bodies[i].position, softening);
            expected.acceleration.iter_mut().zip(one.acceleration).for_each(|(all, one)| *all += one);
            expected.potential += one.potential;
            pulls += one.acceleration.iter().map(|a| a * a).sum::<f64>().sqrt();
        }
        let [x, y, z] = expected.acceleration;
        let bounds = [pulls, pulls, pulls, -expected.potential].map(|all| roundings * all);
        for (k, expected) in [x, y, z, expected.potential].into_iter().enumerate() {
            for found in [found, alone].into_iter().take(if k < 3 { 2 } else { 1 }) {
                let miss = (f64::from(found[k]) - expected).abs();
                assert!(miss <= bounds[k], "{i} of {}, {k}: {miss:e} > {:e}", bodies.len(), bounds[k]);
            }
        }
        assert_eq!(alone[3], 0.0);
    }
    Ok(())
}

#[test]
fn bodies_of_any_number_are_pulled_as_in_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        for bodies in [1, 2, 3, 5, 31, 257, 1000, 2050] {
            // The least makes a tile of each row of the array and each part.
            let row = 16 * (bodies as f64).sqrt().ceil() as u64;
            let least = if bodies < 1000 { row } else { 32 << 10 };
            for (forces, bytes) in
                FORCES.into_iter().flat_map(|f| [least, 1 << 16, 256 << 20].map(|b| (f, b)))
            {
                // The softening does not depend on how many bodies there are.
                for softening in if bodies < 1000 { &[0.0, 0.05][..] } else { &[0.05] } {
                    let softening = *softening;
                    let parameters = Parameters { forces, bytes, softening, ..Parameters::default() };
                    check_pulls(&NBody::new(gpu, &cloud(bodies, 1), parameters)?)?;
                }
            }
        }
        Ok(())
    })
}

/// Accelerations of 8192 bodies and their bits.
fn of_8192(gpu: &Gpu, bodies: &[Body], forces: Forces) -> Result<Vec<f32>> {
    NBody::new(gpu, bodies, Parameters { forces, ..Parameters::default() })?.accelerations().data()
}

#[test]
fn accelerations_of_8192_bodies_are_within_1e_4_of_f64_and_the_same_bits_again() -> Result<()> {
    on_gpu(|gpu| {
        let bodies: Vec<Body> = cloud(8192, 2).into_iter().map(single).collect();
        for forces in FORCES {
            let found = of_8192(gpu, &bodies, forces)?;
            assert!(found == of_8192(gpu, &bodies, forces)?, "{forces:?} again");
            let (mut miss, mut whole) = (0.0, 0.0);
            for i in (0..8192).step_by(16) {
                let softening = Parameters::default().softening.into();
                let expected = oracle::pull(&bodies, bodies[i].position, softening).acceleration;
                for (found, expected) in found[4 * i..].iter().zip(expected) {
                    miss += (f64::from(*found) - expected).powi(2);
                    whole += expected * expected;
                }
            }
            let rms = (miss / whole).sqrt();
            assert!(rms <= 1e-4, "{forces:?}: {rms:e}");
        }
        Ok(())
    })
}

/// The body as 32 bits hold it.
fn single(body: Body) -> Body {
    let rounded = |vector: [f64; 3]| vector.map(|value| f64::from(value as f32));
    let (position, velocity) = (rounded(body.position), rounded(body.velocity));
    Body { position, velocity, mass: f64::from(body.mass as f32) }
}

/// Two at one place, and a third; one that pulls nobody, and one alone.
#[test]
fn bodies_at_one_place_do_not_pull_each_other() -> Result<()> {
    on_gpu(|gpu| {
        let at = |x: f64, mass: f64| Body { position: [x, 0.0, 0.0], mass, ..Body::default() };
        for (forces, softening) in FORCES.into_iter().flat_map(|f| [0.0, 0.5].map(|softening| (f, softening)))
        {
            let parameters = Parameters { forces, softening, ..Parameters::default() };
            let nbody = NBody::new(gpu, &[at(1.0, 2.0), at(1.0, 3.0), at(3.0, 0.0)], parameters)?;
            let found = nbody.accelerations().data()?;
            assert_eq!(found[..8], [0.0; 8], "{forces:?} {softening}");
            check_pulls(&nbody)?;
            let alone = NBody::new(gpu, &[at(0.0, 1.0)], parameters)?;
            assert_eq!(alone.accelerations().data()?, [0.0; 4]);
        }
        Ok(())
    })
}

/// The bodies go the same way whether somebody asks for what they conserve or not.
#[test]
fn asking_for_potentials_changes_no_step() -> Result<()> {
    on_gpu(|gpu| {
        for (forces, softening) in
            FORCES.into_iter().flat_map(|f| [0.0, 0.05].map(|softening| (f, softening)))
        {
            let parameters = Parameters { forces, softening, ..Parameters::default() };
            let run = |asked: bool| {
                let mut nbody = NBody::new(gpu, &cloud(2050, 4), parameters)?;
                for _ in 0..3 {
                    if asked {
                        nbody.conserved()?;
                    }
                    nbody.step()?;
                }
                check_pulls(&nbody)?;
                Ok::<_, quadrille::Error>((nbody.bodies()?, nbody.accelerations().data()?))
            };
            assert_eq!(run(true)?, run(false)?, "{forces:?} {softening}");
        }
        Ok(())
    })
}

/// With the largest mass, m / ε³ is a float for an ε of 1e-7 and none for one of 1e-8: times a distance of 0 it is no number.
#[test]
fn the_heaviest_bodies_do_not_pull_themselves() -> Result<()> {
    on_gpu(|gpu| {
        for (forces, softening) in FORCES.into_iter().flat_map(|f| [0.0, 1e-8, 1e-7].map(|s| (f, s))) {
            let parameters = Parameters { forces, softening, ..Parameters::default() };
            let heavy = Body { mass: 1e15, position: [0.5, -0.25, 3.0], ..Body::default() };
            let mut nbody = NBody::new(gpu, &[heavy, heavy], parameters)?;
            nbody.step()?;
            assert_eq!(nbody.accelerations().data()?[..8], [0.0; 8], "{forces:?} {softening}");
            assert_eq!(nbody.potentials()?.data()?[..8], [0.0; 8], "{forces:?} {softening}");
        }
        Ok(())
    })
}

#[test]
fn what_is_conserved_is_that_of_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        for bodies in [1, 2, 5, 257, 1000] {
            let nbody = NBody::new(gpu, &cloud(bodies, 3), Parameters::default())?;
            let expected = oracle::conserved(&nbody.bodies()?, 0.05f32.into());
            let found = nbody.conserved()?;
            // A share rounds ten times at most, and goes through the 12 additions of a tree; none is above 1.5, 1 or 2, as
            // places and velocities are within 1 on each axis. Potentials are as right as their pulls, too.
            let of = |largest: f64| 24.0 * U * largest * bodies as f64;
            assert!((found.kinetic - expected.kinetic).abs() <= of(1.5));
            let pulls = (OF_A_PULL + bodies as f64) * U * expected.potential.abs();
            assert!((found.potential - expected.potential).abs() <= pulls);
            for k in 0..3 {
                assert!((found.momentum[k] - expected.momentum[k]).abs() <= of(1.0));
                assert!((found.angular_momentum[k] - expected.angular_momentum[k]).abs() <= of(2.0));
            }
            assert_eq!(nbody.conserved_async()?.wait()?, found);
        }
        Ok(())
    })
}
