//! Old cards, short loops, small textures, and the other number formats.

use quadrille::pug::Precision;
use quadrille::sim::nbody::{Integrator, NBody, Parameters};
use quadrille::{Limits, Result};

use super::{FORCES, check_pulls, cloud};
use crate::support::{on_card, on_gpu};

/// Each card draws more and smaller parts than the one after it; all find the same.
#[test]
fn every_card_finds_the_same_forces() -> Result<()> {
    let short =
        Limits { name: "short loops", loop_iterations: 100, texture_size: 64, ..Limits::GEFORCE_6800 };
    let shorter = Limits { name: "loops shorter than a row", loop_iterations: 20, ..short };
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800, short, shorter] {
        on_card(card, |gpu| {
            for (bodies, forces) in [3, 25, 257, 2050].into_iter().flat_map(|n| FORCES.map(|f| (n, f))) {
                let parameters = Parameters { forces, ..Parameters::default() };
                let mut nbody = NBody::new(gpu, &cloud(bodies, 1), parameters)?;
                check_pulls(&nbody)?;
                nbody.step()?;
                nbody.conserved()?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn bodies_beyond_the_textures_of_a_card_are_refused() -> Result<()> {
    let small = Limits { name: "small textures", texture_size: 4, ..Limits::GEFORCE_6800 };
    on_card(small, |gpu| {
        let line = crate::support::refusal(NBody::new(gpu, &cloud(17, 1), Parameters::default()));
        assert_eq!(line, "array of 17 elements: length is 17, the limit is 16");
        check_pulls(&NBody::new(gpu, &cloud(16, 1), Parameters::default())?)
    })
}

/// A format with p bits of mantissa stores places, velocities and forces to 2⁻ᵖ each; a few steps of softened bodies stay within
/// a hundred times that of the run in 32 bits.
#[test]
fn every_number_format_steps_as_well_as_it_can() -> Result<()> {
    on_gpu(|gpu| {
        for (integrator, forces) in [Integrator::Leapfrog, Integrator::Euler].into_iter().zip(FORCES) {
            let parameters = Parameters { integrator, forces, softening: 0.5, ..Parameters::default() };
            let run = |precision| {
                let mut nbody = NBody::with_precision(gpu, &cloud(31, 2), parameters, precision)?;
                (0..5).try_for_each(|_| nbody.step())?;
                nbody.positions().data()
            };
            let exact = run(Precision::Float32)?;
            for (precision, bits) in
                [(Precision::Float24, 16), (Precision::Float16, 10), (Precision::Float16Ati, 10)]
            {
                let found = run(precision)?;
                let miss = found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(miss <= 100.0 * 0.5f32.powi(bits), "{precision:?}: {miss:e}");
                assert!(miss > 0.0);
            }
        }
        Ok(())
    })
}
