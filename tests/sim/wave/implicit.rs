//! The systems of implicit steps: their residuals in f64, their counts, and what they wait for.

use quadrille::linalg::BoundaryCondition;
use quadrille::sim::wave::{Parameters, Scheme, Solved, Wave};
use quadrille::{Gpu, Result};
use quadrille_oracle as oracle;

use super::{EPSILON, layers, rough};
use crate::support::{on_gpu, refusal};

fn parameters(beta: f32, tolerance: f32, edges: BoundaryCondition) -> Parameters {
    Parameters { scheme: Scheme::Implicit, beta, edges, tolerance, ..Parameters::default() }
}

/// ⌈arcosh(1/tolerance) / arcosh((κ + 1)/(κ − 1))⌉ with κ = 1 + 4β.
fn full(parameters: &Parameters) -> usize {
    let beta = f64::from(parameters.beta);
    let rate = (1.0 + 1.0 / (2.0 * beta)).acosh();
    ((1.0 / f64::from(parameters.tolerance)).acosh() / rate).ceil() as usize
}

/// One step; ‖b − A y'‖/‖b‖ of it in f64, from the states before and after.
fn measured_step(wave: &mut Wave) -> Result<f64> {
    let Parameters { beta, edges, .. } = wave.parameters();
    let (width, height, beta) = (wave.width() as usize, wave.height() as usize, f64::from(beta));
    let reflecting = edges == BoundaryCondition::Neumann;
    let of = |beta: f64| oracle::wave::Wave { width, height, beta, reflecting };
    let [y, last] = layers(&wave.state()?);
    let right = of(beta / 2.0).explicit(&y, &last)?;
    wave.step()?;
    let left = of(beta).matrix(1.0, -beta / 2.0)?.multiply(&layers(&wave.state()?)[0]);
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let r: Vec<f64> = right.iter().zip(&left).map(|(right, left)| right - left).collect();
    Ok(norm(&r) / norm(&right))
}

/// The largest residual in f64 that is allowed: the tolerance, and as many roundings as a sum of |A||y'| + |b| has.
fn bound(parameters: &Parameters) -> f64 {
    f64::from(parameters.tolerance) + 8.0 * EPSILON * (2.0 + 4.0 * f64::from(parameters.beta))
}

fn last(wave: &Wave) -> Result<Solved> {
    Ok(wave.last_solved()?.unwrap_or(Solved { iterations: 0, residual: f64::NAN, meets_tolerance: false }))
}

/// Drops fall in steps 0 and 14: these take the full count and the next ones, too, and then fewer are enough.
#[test]
fn each_step_in_the_rain_meets_the_tolerance_in_f64_and_calm_ones_take_fewer_steps() -> Result<()> {
    on_gpu(|gpu| {
        for (beta, tolerance, edges) in [
            (5.0, 1e-4, BoundaryCondition::Neumann),
            (0.5, 1e-5, BoundaryCondition::Dirichlet),
            (60.0, 1e-3, BoundaryCondition::Dirichlet),
        ] {
            let parameters = parameters(beta, tolerance, edges);
            let (full, bound) = (full(&parameters), bound(&parameters));
            let mut wave = Wave::from_state(gpu, 80, 61, parameters, &[0.0; 2 * 80 * 61])?;
            let (mut counts, mut before) = (Vec::new(), None);
            for step in 0..30 {
                if step == 0 || step == 14 {
                    wave.drop(35.0 + step as f32, 30.0, 22.0, -1.0)?;
                }
                let residual = measured_step(&mut wave)?;
                assert!(residual <= bound, "{residual:e} of {bound:e} in step {step}, beta {beta}");
                let solved = last(&wave)?;
                // Its measure in 32 bits is the truth but for as much rounding.
                let rounding = bound - f64::from(tolerance);
                assert!((solved.residual - residual).abs() <= rounding, "{solved:?}, {residual:e} in f64");
                assert!(solved.meets_tolerance, "{solved:?} in step {step}, beta {beta}");
                assert_eq!(wave.solved().copied(), before, "a step late");
                before = Some(solved);
                counts.push(solved.iterations);
            }
            assert!(counts.iter().all(|&count| count <= full), "{counts:?} of {full}");
            assert!([0, 1, 14, 15].iter().all(|&step| counts[step] == full), "{counts:?} of {full}");
            if beta < 10.0 {
                let calm: usize = counts[19..].iter().sum();
                assert!(calm < 11 * full, "{counts:?} of {full}");
            }
        }
        Ok(())
    })
}

/// In open water of large β a step is a few cycles of multigrid: held in f64 from random heights, and in the rain. Each leaves a ninth or less of the
/// residual, and five are the most that 10⁻⁴ takes; Chebyshev's steps would be 71 to 198.
#[test]
fn cycles_of_large_beta_meet_the_tolerance_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        let free = BoundaryCondition::Neumann;
        for (beta, width, height, edges) in [
            (400.0, 61, 47, free),
            (400.0, 50, 64, BoundaryCondition::Dirichlet),
            (100.0, 257, 224, free),
            (50.0, 367, 353, BoundaryCondition::Dirichlet),
        ] {
            let parameters = parameters(beta, 1e-4, edges);
            let state = rough(width, height);
            let mut wave = Wave::from_state(gpu, width, height, parameters, &state)?;
            let mut counts = Vec::new();
            for step in 0..9 {
                if step == 4 {
                    wave.rain(3, step)?;
                }
                let before = gpu.counters().read_backs;
                wave.step()?;
                assert_eq!(gpu.counters().read_backs - before, 1, "the sums, late");
                let residual = measured_step(&mut wave)?;
                let what = format!("in step {step}, beta {beta}, {width}x{height} {edges:?}");
                assert!(residual <= bound(&parameters), "{residual:e} {what}");
                let solved = last(&wave)?;
                assert!(solved.meets_tolerance && (1..=5).contains(&solved.iterations), "{solved:?} {what}");
                counts.push(solved.iterations);
            }
            assert!(counts.iter().any(|&count| count < 5) || beta > 100.0, "{counts:?} at beta {beta}");
        }
        Ok(())
    })
}

/// Walls of one cell lie between coarse nodes: such water takes Chebyshev's steps, and open water cycles again.
#[test]
fn water_with_walls_is_left_to_steps_whose_bound_holds_with_any() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (61, 47);
        let parameters = parameters(400.0, 1e-3, BoundaryCondition::Neumann);
        let mut wave = Wave::from_state(gpu, width, height, parameters, &rough(width, height))?;
        let wall: Vec<bool> = (0..width * height).map(|i| i % width == 30 && i / width != 20).collect();
        for (walls, cycles) in
            [(&vec![false; wall.len()], true), (&wall, false), (&vec![false; wall.len()], true)]
        {
            wave.set_walls(walls)?;
            wave.step()?;
            let solved = last(&wave)?;
            assert!(solved.meets_tolerance && (solved.iterations < 10) == cycles, "{solved:?}");
        }
        Ok(())
    })
}

/// A state whose right side is nothing like it, and whose heights would be a bad start: the full count meets the tolerance all the same.
#[test]
fn any_state_is_solved_from_0() -> Result<()> {
    on_gpu(|gpu| {
        for beta in [0.01, 3.0, 400.0] {
            for edges in [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann] {
                let parameters = parameters(beta, 1e-3, edges);
                let mut wave = Wave::from_state(gpu, 33, 20, parameters, &rough(33, 20))?;
                for step in 0..6 {
                    let residual = measured_step(&mut wave)?;
                    assert!(
                        residual <= bound(&parameters),
                        "{residual:e} in step {step}, beta {beta} {edges:?}"
                    );
                }
            }
        }
        Ok(())
    })
}

/// Counted: the right side, k steps of one pass, the residual, and its sum of two passes at this size; one read-back, of the sums.
#[test]
fn a_calm_step_is_a_pass_an_iteration_and_reads_two_texels() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = parameters(5.0, 1e-4, BoundaryCondition::Neumann);
        let mut wave = Wave::from_state(gpu, 128, 128, parameters, &[0.0; 2 * 128 * 128])?;
        wave.drop(60.0, 62.0, 28.0, -1.0)?;
        (0..12).try_for_each(|_| wave.step())?;
        let before = gpu.counters();
        wave.step()?;
        let after = gpu.counters();
        let k = last(&wave)?.iterations as u64;
        assert!(k < full(&parameters) as u64, "a calm step");
        assert_eq!(after.passes - before.passes, k + 5);
        assert_eq!((after.read_backs - before.read_backs, after.uploads - before.uploads), (1, 0));
        Ok(())
    })
}

/// Two waves of one state, of which one waits for each step's residual as soon as it can.
#[test]
fn whoever_waits_for_answers_computes_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = parameters(5.0, 1e-4, BoundaryCondition::Dirichlet);
        let run = |gpu: &Gpu, waits: bool| -> Result<Vec<f32>> {
            let mut wave = Wave::new(gpu, 90, 70, parameters, 2)?;
            for step in 0..30 {
                if step == 15 {
                    wave.rain(2, step)?;
                }
                wave.step()?;
                if waits {
                    wave.last_solved()?;
                    wave.set_pace(&wave.pace()?)?;
                }
            }
            wave.state()
        };
        assert!(run(gpu, false)? == run(gpu, true)?);
        let mut wave = Wave::new(gpu, 90, 70, parameters, 2)?;
        assert_eq!(
            refusal(wave.set_pace(&[1.0])),
            "pace = [1.0]: expected what a wave of the same parameters gave"
        );
        Ok(())
    })
}

#[test]
fn a_step_of_infinite_heights_says_that_it_is_not_solved() -> Result<()> {
    on_gpu(|gpu| {
        let mut state = vec![0.0; 2 * 9 * 7];
        state[40] = f32::INFINITY;
        let mut wave =
            Wave::from_state(gpu, 9, 7, parameters(1.0, 1e-4, BoundaryCondition::Dirichlet), &state)?;
        wave.step()?;
        assert!(wave.solved().is_none(), "its answer comes a step late");
        wave.step()?;
        assert!(wave.solved().is_some_and(|solved| !solved.meets_tolerance && solved.residual.is_nan()));
        Ok(())
    })
}
