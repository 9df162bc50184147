//! Gray–Scott against the f64 loops of the oracle.

use quadrille::gl::Edges;
use quadrille::sim::gray_scott::{GrayScott, PRESETS, Parameters};
use quadrille::{Gpu, Result};
use quadrille_oracle as oracle;

use crate::support::{Random, SIZES, on_gpu};

/// One step rounds u 16 times and v less often (Listing 31-1: four sums and a product for the diffusion, three
/// products and a sign for u v², the rest to put them together), each time by 2⁻²⁴ at most, because no
/// number met on the way is larger than 2 and 2⁻²⁴ is half of the last place below that.
const ONE_STEP: f64 = 16.0 / (1 << 24) as f64;

fn as_f64(state: &[f32]) -> Vec<f64> {
    state.iter().map(|&v| v.into()).collect()
}

/// The reference's step from a state.
fn next(simulation: &GrayScott, state: &[f64]) -> Vec<f64> {
    let (width, height) = (simulation.width() as usize, simulation.height() as usize);
    let parameters = simulation.parameters().as_f64();
    oracle::gray_scott::step(state, width, height, parameters, simulation.edges())
}

fn farthest(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(&f, e)| (f64::from(f) - e).abs()).fold(0.0, f64::max)
}

#[test]
fn every_step_of_256x256_matches_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let mut simulation = GrayScott::new(gpu, 256, 256, Parameters::default(), Edges::Repeat, 1)?;
        for _ in 0..50 {
            let expected = next(&simulation, &as_f64(&simulation.state().data()?));
            simulation.step()?;
            let miss = farthest(&simulation.state().data()?, &expected);
            assert!(miss <= ONE_STEP, "{miss:e}");
            (0..49).try_for_each(|_| simulation.step())?;
        }
        // 2500 steps: concentrations are shares of the feed; v may pass it a little where it is made.
        let state = simulation.state().data()?;
        assert!(state.iter().all(|c| (0.0..=1.1).contains(c)));
        assert!(state.chunks_exact(2).any(|c| c[1] > 0.2), "a pattern has grown");
        Ok(())
    })
}

/// The errors of a hundred steps have no common sign: they add up like √100 of them, 10⁻⁵, and the reaction
/// has the time to double one (its fastest rate is ∂(u v²)/∂v − F − k, some hundredths a step).
#[test]
fn a_hundred_steps_stay_near_the_run_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        let mut simulation = GrayScott::new(gpu, 256, 256, Parameters::default(), Edges::Repeat, 2)?;
        let mut expected = as_f64(&simulation.state().data()?);
        for _ in 0..100 {
            expected = next(&simulation, &expected);
            simulation.step()?;
        }
        let miss = farthest(&simulation.state().data()?, &expected);
        assert!(miss <= 2e-5, "{miss:e}");
        Ok(())
    })
}

/// A random state in which every cell differs from its neighbours: a wrong neighbour cannot hide.
fn random_state(width: u32, height: u32) -> Vec<f32> {
    Random(31).floats(2 * width as usize * height as usize).iter().map(|v| v.abs()).collect()
}

#[test]
fn one_step_matches_the_reference_at_all_sizes_and_edges() -> Result<()> {
    on_gpu(|gpu| {
        for (&(width, height), edges) in
            SIZES.iter().flat_map(|s| [Edges::Repeat, Edges::Clamp, Edges::Mirror].map(|e| (s, e)))
        {
            let state = random_state(width, height);
            let mut simulation =
                GrayScott::from_state(gpu, width, height, Parameters::default(), edges, &state)?;
            assert_eq!(simulation.state().data()?, state);
            let expected = next(&simulation, &as_f64(&state));
            simulation.step()?;
            let miss = farthest(&simulation.state().data()?, &expected);
            assert!(miss <= ONE_STEP, "{miss:e} at {width}x{height} {edges:?}");
        }
        Ok(())
    })
}

#[test]
fn every_preset_stays_finite_and_obeys_its_step() -> Result<()> {
    on_gpu(|gpu| {
        for preset in PRESETS {
            let mut simulation = GrayScott::new(gpu, 64, 64, preset.parameters, Edges::Repeat, 3)?;
            (0..500).try_for_each(|_| simulation.step())?;
            let state = simulation.state().data()?;
            assert!(state.iter().all(|c| (0.0..=1.1).contains(c)), "{}", preset.name);
            let expected = next(&simulation, &as_f64(&state));
            simulation.step()?;
            assert!(farthest(&simulation.state().data()?, &expected) <= ONE_STEP, "{}", preset.name);
            assert_eq!(Parameters::preset(&preset.name.to_uppercase()), Some(preset.parameters));
        }
        assert_eq!(Parameters::preset("no such"), None);
        Ok(())
    })
}

/// The plane without a pattern, u = 1 and v = 0, is a fixed point, to the bit.
#[test]
fn the_empty_plane_stays_empty() -> Result<()> {
    on_gpu(|gpu| {
        let empty = [1.0, 0.0].repeat(31 * 57);
        let mut simulation =
            GrayScott::from_state(gpu, 31, 57, Parameters::of(0.037, 0.06), Edges::Clamp, &empty)?;
        (0..100).try_for_each(|_| simulation.step())?;
        let miss = farthest(&simulation.state().data()?, &as_f64(&empty));
        assert!(miss <= 100.0 * ONE_STEP, "{miss:e}");
        assert!(simulation.state().data()?.iter().skip(1).step_by(2).all(|&v| v == 0.0));
        Ok(())
    })
}

fn after(gpu: &Gpu, steps: usize) -> Result<Vec<f32>> {
    let mut simulation = GrayScott::new(gpu, 127, 93, Parameters::default(), Edges::Repeat, 4)?;
    (0..steps).try_for_each(|_| simulation.step())?;
    simulation.state().data()
}

#[test]
fn two_runs_of_one_context_have_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        assert!(after(gpu, 1000)? == after(gpu, 1000)?);
        Ok(())
    })
}

#[test]
fn a_saved_state_resumes_bit_for_bit() -> Result<()> {
    on_gpu(|gpu| {
        let saved = after(gpu, 300)?;
        let mut resumed = GrayScott::from_state(gpu, 127, 93, Parameters::default(), Edges::Repeat, &saved)?;
        (0..200).try_for_each(|_| resumed.step())?;
        assert!(resumed.state().data()? == after(gpu, 500)?);
        Ok(())
    })
}
