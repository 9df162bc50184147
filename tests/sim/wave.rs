//! The wave equation against its f64 loops, and against what is known of its modes.

mod drops;
mod implicit;
mod leaving;

use std::f64::consts::PI;

use quadrille::linalg::BoundaryCondition;
use quadrille::sim::wave::{Parameters, Scheme, Wave};
use quadrille::{Gpu, Result};
use quadrille_oracle as oracle;

use crate::support::{Random, SIZES, on_gpu, refusal};

const EPSILON: f64 = 1.0 / (1 << 24) as f64;

fn explicit(beta: f32, edges: BoundaryCondition) -> Parameters {
    Parameters { scheme: Scheme::Explicit, beta, edges, ..Parameters::default() }
}

fn implicit(beta: f32, edges: BoundaryCondition) -> Parameters {
    Parameters { scheme: Scheme::Implicit, ..explicit(beta, edges) }
}

/// The two layers of a state in f64: newest and last heights.
fn layers(state: &[f32]) -> [Vec<f64>; 2] {
    [0, 1].map(|layer| state.iter().skip(layer).step_by(2).map(|&v| v.into()).collect())
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, v| most.max(v.abs()))
}

/// The reference's next heights from a state.
fn next(wave: &Wave, state: &[f32]) -> Result<Vec<f64>> {
    let Parameters { scheme, beta, edges, .. } = wave.parameters();
    let step = match scheme {
        Scheme::Explicit => oracle::wave::Wave::explicit,
        Scheme::Implicit => oracle::wave::Wave::implicit,
    };
    let (width, height, beta) = (wave.width() as usize, wave.height() as usize, beta.into());
    let [y, last] = layers(state);
    step(
        &oracle::wave::Wave { width, height, beta, reflecting: edges == BoundaryCondition::Neumann },
        &y,
        &last,
    )
}

/// Random heights, all different.
fn rough(width: u32, height: u32) -> Vec<f32> {
    Random(77).floats(2 * width as usize * height as usize)
}

/// The sizes of all tests and an odd square, with both rules for the edges.
fn cases() -> impl Iterator<Item = (u32, u32, BoundaryCondition)> {
    let sizes = SIZES.iter().copied().chain([(63, 65), (1, 101)]);
    sizes.flat_map(|(width, height)| {
        [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann].map(|edges| (width, height, edges))
    })
}

/// A row has 5 entries of |c| ≤ 2 + 4β in all, one more is subtracted: (5 + 3) roundings of their sum at most.
#[test]
fn an_explicit_step_matches_the_reference_at_all_sizes_and_edges() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height, edges) in cases() {
            for beta in [0.1, 0.5] {
                let state = rough(width, height);
                let mut wave = Wave::from_state(gpu, width, height, explicit(beta, edges), &state)?;
                assert_eq!(wave.state()?, state);
                let expected = next(&wave, &state)?;
                wave.step()?;
                let [found, last] = layers(&wave.state()?);
                let bound = 8.0 * EPSILON * (3.0 + 8.0 * f64::from(beta));
                let miss = largest(&found.iter().zip(&expected).map(|(f, e)| f - e).collect::<Vec<_>>());
                assert!(miss <= bound, "{miss:e} at {width}x{height} {edges:?}");
                assert_eq!(last, layers(&state)[0], "what was newest is the last");
            }
        }
        Ok(())
    })
}

/// A ≥ 1, so that ‖x − x*‖∞ ≤ ‖b − A x‖₂ ≤ 10⁻⁶ ‖b‖₂, and ‖b‖₂ ≤ √n ‖b‖∞; the rest is for b's and A's rounding.
#[test]
fn an_implicit_step_is_near_the_solution_in_f64_at_all_sizes_and_edges() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height, edges) in cases() {
            for beta in [0.5, 50.0] {
                let state = rough(width, height);
                let mut wave = Wave::from_state(gpu, width, height, implicit(beta, edges), &state)?;
                let expected = next(&wave, &state)?;
                wave.step()?;
                let [found, _] = layers(&wave.state()?);
                let miss = largest(&found.iter().zip(&expected).map(|(f, e)| f - e).collect::<Vec<_>>());
                let size = largest(&layers(&state)[0]);
                assert!(miss <= 1e-4 * size, "{miss:e} of {size} at {width}x{height} {edges:?} {beta}");
                let solved = wave.last_solved()?;
                let meets = solved.is_some_and(|solved| solved.meets_tolerance);
                assert!(meets, "{solved:?} at {width}x{height} {edges:?} {beta}");
            }
        }
        Ok(())
    })
}

/// From the same state each time, along a run of waves from a drop.
#[test]
fn each_implicit_step_of_a_run_is_near_the_direct_solution() -> Result<()> {
    on_gpu(|gpu| {
        for edges in [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann] {
            let mut wave = Wave::new(gpu, 97, 61, implicit(20.0, edges), 5)?;
            for step in 0..25 {
                let state = wave.state()?;
                let expected = next(&wave, &state)?;
                wave.step()?;
                let [found, last] = layers(&wave.state()?);
                let miss = largest(&found.iter().zip(&expected).map(|(f, e)| f - e).collect::<Vec<_>>());
                assert!(miss <= 1e-4 * largest(&last), "{miss:e} in step {step} {edges:?}");
            }
        }
        Ok(())
    })
}

/// A mode of the grid: its shape, and the eigenvalue s of −L.
fn mode(width: u32, height: u32, edges: BoundaryCondition, [i, j]: [u32; 2]) -> (Vec<f64>, f64) {
    let along = |n: u32, k: u32| -> (Vec<f64>, f64) {
        let (n, k) = (f64::from(n), f64::from(k));
        match edges {
            BoundaryCondition::Dirichlet => {
                let phase = PI * k / (n + 1.0);
                ((0..n as u32).map(|x| (phase * f64::from(x + 1)).sin()).collect(), phase)
            }
            BoundaryCondition::Neumann | BoundaryCondition::Periodic => {
                let phase = PI * k / n;
                ((0..n as u32).map(|x| (phase * (f64::from(x) + 0.5)).cos()).collect(), phase)
            }
        }
    };
    let ((across, p), (down, q)) = (along(width, i), along(height, j));
    let shape = down.iter().flat_map(|b| across.iter().map(move |a| a * b)).collect();
    (shape, 4.0 * (p / 2.0).sin().powi(2) + 4.0 * (q / 2.0).sin().powi(2))
}

/// How much of a mode there is.
fn share(heights: &[f64], mode: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(heights, mode) / dot(mode, mode)
}

/// A wave in which the mode has the amplitude ρⁿ cos(n θ) in step n.
fn standing(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    parameters: Parameters,
    shape: &[f64],
    [rho, theta]: [f64; 2],
) -> Result<Wave> {
    let before = theta.cos() / rho;
    let state: Vec<f32> = shape.iter().flat_map(|&v| [v as f32, (v * before) as f32]).collect();
    Wave::from_state(gpu, width, height, parameters, &state)
}

/// ρⁿ (cos nθ, sin nθ) from the amplitudes of two steps.
fn turn(wave: &Wave, shape: &[f64], [rho, theta]: [f64; 2]) -> Result<[f64; 2]> {
    let [y, last] = layers(&wave.state()?);
    let (now, before) = (share(&y, shape), share(&last, shape));
    Ok([now, (rho * before - now * theta.cos()) / theta.sin()])
}

#[test]
fn an_explicit_standing_wave_keeps_its_frequency_over_twenty_periods() -> Result<()> {
    on_gpu(|gpu| {
        for (edges, size, waves) in [
            (BoundaryCondition::Dirichlet, [33, 20], [1, 1]),
            (BoundaryCondition::Dirichlet, [24, 31], [2, 3]),
            (BoundaryCondition::Neumann, [32, 19], [1, 2]),
        ] {
            let (shape, s) = mode(size[0], size[1], edges, waves);
            let beta = 0.45f32;
            // y' + y_last = (2 − βs) y: cos θ = 1 − βs/2.
            let theta = (1.0 - f64::from(beta) * s / 2.0).acos();
            let mut wave = standing(gpu, size, explicit(beta, edges), &shape, [1.0, theta])?;
            let steps = (20.0 * 2.0 * PI / theta).ceil();
            (0..steps as u32).try_for_each(|_| wave.step())?;
            let [c, s] = turn(&wave, &shape, [1.0, theta])?;
            let ahead = s.atan2(c) - (steps * theta).rem_euclid(2.0 * PI);
            let ahead = (ahead + PI).rem_euclid(2.0 * PI) - PI;
            let relative = ahead.abs() / (steps * theta);
            assert!(relative <= 1e-4, "{relative:e} over {steps} steps {edges:?}");
            assert!((c.hypot(s) - 1.0).abs() < 1e-3, "and its height: {}", c.hypot(s));
        }
        Ok(())
    })
}

/// Damped by γ a mode has the same frequency, and exp(−γ n) of its height and exp(−2 γ n) of its energy after n steps, whatever it is.
#[test]
fn damped_modes_of_all_lengths_fade_as_an_exponential_says() -> Result<()> {
    on_gpu(|gpu| {
        for (edges, size, waves, damping) in [
            (BoundaryCondition::Dirichlet, [33, 20], [1, 1], 0.003f32),
            (BoundaryCondition::Dirichlet, [24, 31], [5, 9], 0.003),
            (BoundaryCondition::Neumann, [32, 19], [1, 2], 0.02),
        ] {
            let (shape, s) = mode(size[0], size[1], edges, waves);
            let (beta, steps) = (0.45f32, 300);
            let theta = (1.0 - f64::from(beta) * s / 2.0).acos();
            let parameters = Parameters { damping, ..explicit(beta, edges) };
            let mut wave = standing(gpu, size, parameters, &shape, [1.0, theta])?;
            let before = energy_of(&wave, &wave.state()?)?;
            (0..steps).try_for_each(|_| wave.step())?;
            let [c, s] = turn(&wave, &shape, [1.0, theta])?;
            let steps = f64::from(steps);
            let fades = (-f64::from(damping) * steps).exp();
            // A step rounds its factor and sums of |c||y|, whose part in phase with the speed turns by 1/sin θ.
            let bound = steps * EPSILON * (2.0 + 8.0 * (3.0 + 8.0 * f64::from(beta))) / theta.sin();
            let height = c.hypot(s) / fades - 1.0;
            assert!(height.abs() <= bound, "{height:e} of {bound:e} {edges:?} {waves:?}");
            let energy = energy_of(&wave, &wave.state()?)? / before / (fades * fades) - 1.0;
            assert!(energy.abs() <= 2.0 * bound, "energy {energy:e} of {bound:e} {edges:?} {waves:?}");
        }
        for damping in [-0.1, 1.1, f32::NAN] {
            let line = refusal(Wave::new(gpu, 8, 8, Parameters { damping, ..Parameters::default() }, 1));
            assert_eq!(line, format!("damping = {damping}: expected 0 to 1"));
        }
        Ok(())
    })
}

#[test]
fn an_implicit_mode_shrinks_as_the_scheme_says() -> Result<()> {
    on_gpu(|gpu| {
        for (edges, size, waves) in [
            (BoundaryCondition::Dirichlet, [64, 64], [1, 1]),
            (BoundaryCondition::Dirichlet, [47, 80], [1, 1]),
            (BoundaryCondition::Neumann, [64, 50], [1, 0]),
        ] {
            let (beta, steps) = (50.0, 100);
            let (shape, s) = mode(size[0], size[1], edges, waves);
            // (1 + αs) λ² − (2 − αs) λ + 1 = 0: |λ|² = 1/(1 + αs), and Re λ = (2 − αs)/(2 + 2αs).
            let alpha_s = f64::from(beta) / 2.0 * s;
            let rho = (1.0 + alpha_s).powf(-0.5);
            let theta = ((2.0 - alpha_s) / (2.0 + 2.0 * alpha_s) / rho).acos();
            let parameters = implicit(beta, edges);
            let mut wave = standing(gpu, size, parameters, &shape, [rho, theta])?;
            (0..steps).try_for_each(|_| wave.step())?;
            let [c, s] = turn(&wave, &shape, [rho, theta])?;
            let a_step = c.hypot(s).powf(1.0 / f64::from(steps));
            assert!((a_step / rho - 1.0).abs() <= 1e-5, "{a_step} a step for {rho} {edges:?}");
            let all = c.hypot(s) / rho.powi(steps);
            assert!((all - 1.0).abs() <= 1e-3, "{all} of what is left after {steps} steps {edges:?}");
        }
        Ok(())
    })
}

/// The mean height between reflecting edges moves on as it began: 2y − y_last without the L.
#[test]
fn reflecting_edges_keep_the_water_and_fixed_ones_hold_it() -> Result<()> {
    on_gpu(|gpu| {
        for parameters in
            [explicit(0.45, BoundaryCondition::Neumann), implicit(8.0, BoundaryCondition::Neumann)]
        {
            let mut wave = Wave::new(gpu, 45, 30, parameters, 3)?;
            let mean = |wave: &Wave| -> Result<f64> {
                let [y, _] = layers(&wave.state()?);
                Ok(y.iter().sum::<f64>() / y.len() as f64)
            };
            let before = mean(&wave)?;
            (0..200).try_for_each(|_| wave.step())?;
            // Each step may err by its tolerance or rounding, and errors of the speed add up: 200²/2 of them.
            assert!((mean(&wave)? - before).abs() < 200.0 * 200.0 / 2.0 * EPSILON, "{before}");
        }
        // A raised level: reflecting edges keep it, fixed ones let it break.
        let level = vec![1.0f32; 2 * 20 * 9];
        let mut kept = Wave::from_state(gpu, 20, 9, explicit(0.4, BoundaryCondition::Neumann), &level)?;
        let mut broken = Wave::from_state(gpu, 20, 9, explicit(0.4, BoundaryCondition::Dirichlet), &level)?;
        (0..30).try_for_each(|_| kept.step().and_then(|()| broken.step()))?;
        assert!(layers(&kept.state()?)[0].iter().all(|v| (v - 1.0).abs() < 30.0 * 30.0 * 8.0 * EPSILON));
        assert!(layers(&broken.state()?)[0].iter().any(|v| (v - 1.0).abs() > 0.5));
        Ok(())
    })
}

#[test]
fn past_one_half_the_explicit_scheme_blows_up_and_the_implicit_does_not() -> Result<()> {
    on_gpu(|gpu| {
        let wild = explicit(0.6, BoundaryCondition::Dirichlet);
        assert!(wild.is_unstable() && !explicit(0.5, BoundaryCondition::Dirichlet).is_unstable());
        assert!(!implicit(0.6, BoundaryCondition::Dirichlet).is_unstable());
        let mut wave = Wave::new(gpu, 40, 40, wild, 1)?;
        (0..600).try_for_each(|_| wave.step())?;
        assert!(wave.state()?.iter().any(|v| !v.is_finite() || v.abs() > 1e6));
        let mut wave = Wave::new(gpu, 40, 40, implicit(1000.0, BoundaryCondition::Dirichlet), 1)?;
        (0..10).try_for_each(|_| wave.step())?;
        assert!(wave.state()?.iter().all(|v| v.abs() < 1.0));
        // It may be told to stay within its bounds again, from still water.
        let mut wave = Wave::new(gpu, 40, 40, wild, 1)?;
        wave.set_parameters(implicit(0.6, BoundaryCondition::Dirichlet))?;
        (0..100).try_for_each(|_| wave.step())?;
        assert!(wave.state()?.iter().all(|v| v.abs() < 1.5));
        Ok(())
    })
}

#[test]
fn edges_that_begin_to_let_the_water_slide_give_it_no_drift() -> Result<()> {
    on_gpu(|gpu| {
        let mut wave = Wave::new(gpu, 40, 31, explicit(0.4, BoundaryCondition::Dirichlet), 1)?;
        (0..50).try_for_each(|_| wave.step())?;
        wave.set_parameters(explicit(0.4, BoundaryCondition::Neumann))?;
        let mean = |wave: &Wave| -> Result<f64> {
            Ok(wave.state()?.iter().step_by(2).map(|&y| f64::from(y)).sum::<f64>() / (40.0 * 31.0))
        };
        let before = mean(&wave)?;
        (0..500).try_for_each(|_| wave.step())?;
        // A rounding of numbers below 1 a step at most.
        assert!((mean(&wave)? - before).abs() <= 500.0 * 2f64.powi(-22), "{} {before}", mean(&wave)?);
        Ok(())
    })
}

#[test]
fn seeds_and_numbers_make_other_drops_and_the_same_ones_again() -> Result<()> {
    on_gpu(|gpu| {
        let run = |seed: u64, rain: &[u64]| -> Result<Vec<f32>> {
            let mut wave = Wave::new(gpu, 50, 40, Parameters::default(), seed)?;
            rain.iter().try_for_each(|&number| wave.rain(seed, number))?;
            wave.state()
        };
        assert_eq!(run(1, &[1, 2])?, run(1, &[1, 2])?);
        assert_ne!(run(1, &[])?, run(2, &[])?);
        assert_ne!(run(1, &[1])?, run(1, &[2])?);
        assert!(run(1, &[])?.iter().any(|&v| v < -0.6));
        let mut wave = Wave::new(gpu, 50, 40, Parameters::default(), 7)?;
        let first = wave.state()?;
        wave.rain(1, 1)?;
        wave.reset(7)?;
        assert_eq!(wave.state()?, first);
        Ok(())
    })
}

#[test]
fn a_saved_state_resumes_bit_for_bit_and_heights_are_shown_when_refreshed() -> Result<()> {
    on_gpu(|gpu| {
        for parameters in
            [explicit(0.45, BoundaryCondition::Dirichlet), implicit(10.0, BoundaryCondition::Neumann)]
        {
            let mut whole = Wave::new(gpu, 61, 34, parameters, 9)?;
            (0..20).try_for_each(|_| whole.step())?;
            let mut resumed = Wave::from_state(gpu, 61, 34, parameters, &whole.state()?)?;
            resumed.set_pace(&whole.pace()?)?;
            (0..20).try_for_each(|_| whole.step().and_then(|()| resumed.step()))?;
            assert_eq!(whole.state()?, resumed.state()?);
            whole.refresh()?;
            let newest: Vec<f32> = whole.state()?.into_iter().step_by(2).collect();
            assert_eq!(whole.heights().data()?, newest);
        }
        Ok(())
    })
}

#[test]
fn bad_parameters_and_states_are_refused_in_words() -> Result<()> {
    on_gpu(|gpu| {
        let refused = |parameters| refusal(Wave::new(gpu, 8, 8, parameters, 1));
        assert_eq!(
            refused(explicit(0.0, BoundaryCondition::Dirichlet)),
            "beta = 0: expected above 0, at most 10000"
        );
        assert_eq!(
            refused(implicit(f32::NAN, BoundaryCondition::Dirichlet)),
            "beta = NaN: expected above 0, at most 10000"
        );
        let tolerance = Parameters { tolerance: 0.0, ..Parameters::default() };
        assert_eq!(refused(tolerance), "tolerance = 0: expected 1e-7 to 0.1");
        let line = refusal(Wave::from_state(gpu, 3, 2, Parameters::default(), &[0.0; 6]));
        assert_eq!(line, "state of waves: 6 values given, 12 expected (2 heights a cell)");
        let line = refusal(Wave::new(gpu, 99_999, 2, Parameters::default(), 1));
        assert!(line.starts_with("buffer \"heights\" 99999x2x1: width is 99999"), "{line}");
        Ok(())
    })
}

/// ½ Σ (y − y_last)² − ½ β Σ y_last L y in f64, of a state.
fn energy_of(wave: &Wave, state: &[f32]) -> Result<f64> {
    let Parameters { beta, edges, .. } = wave.parameters();
    let (width, height) = (wave.width() as usize, wave.height() as usize);
    let reflecting = edges == BoundaryCondition::Neumann;
    let reference = oracle::wave::Wave { width, height, beta: 1.0, reflecting };
    let [y, last] = layers(state);
    let bent = reference.matrix(0.0, 1.0)?.multiply(&y);
    let speed: f64 = y.iter().zip(&last).map(|(a, b)| (a - b) * (a - b)).sum();
    let stretched: f64 = last.iter().zip(&bent).map(|(a, b)| a * b).sum();
    Ok(0.5 * (speed - f64::from(beta) * stretched))
}

#[test]
fn explicit_steps_keep_their_energy_and_implicit_ones_lose_some() -> Result<()> {
    on_gpu(|gpu| {
        for edges in [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann] {
            for parameters in [explicit(0.45, edges), implicit(0.45, edges), implicit(6.0, edges)] {
                let mut wave = Wave::new(gpu, 45, 33, parameters, 3)?;
                let first = wave.energy()?;
                for _ in 0..60 {
                    wave.step()?;
                }
                let (found, exact) = (wave.energy()?, energy_of(&wave, &wave.state()?)?);
                // Sums of 1485 numbers whose bent part, 2 y - (2 + γ L) y, has roundings of heights below 1: a few e each.
                assert!((found - exact).abs() < 1e-5 * first.max(exact), "{found} {exact} {parameters:?}");
                let kept = found / first;
                let expected = if parameters.scheme == Scheme::Explicit { 0.999..1.001 } else { 0.0..0.9 };
                assert!(expected.contains(&kept), "{kept} of it after {parameters:?}");
            }
        }
        Ok(())
    })
}

/// Walls of any shape, on the edge, too: each step is that of f64 with the same walls, what lies in them is 0, and explicit steps
/// keep their energy.
#[test]
fn waves_among_walls_are_those_of_f64_and_keep_their_energy() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height) in [(1, 7), (13, 8), (31, 17)] {
            let cells = width * height;
            let mut random = Random(11);
            let walls: Vec<bool> = (0..cells).map(|i| i != 3 && random.below(4) == 0).collect();
            for edges in [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann] {
                let reflecting = edges == BoundaryCondition::Neumann;
                for (scheme, beta) in [(Scheme::Explicit, 0.4), (Scheme::Implicit, 20.0)] {
                    let parameters = Parameters { scheme, beta, edges, ..Parameters::default() };
                    let mut wave = Wave::new(gpu, width as u32, height as u32, parameters, 1)?;
                    wave.set_walls(&walls)?;
                    wave.set_state(&rough(width as u32, height as u32))?;
                    assert_eq!(wave.walls(), Some(&walls[..]));
                    let of = oracle::wave::Wave { width, height, beta: beta.into(), reflecting };
                    let before = wave.energy()?;
                    for _ in 0..5 {
                        let [y, last] = layers(&wave.state()?);
                        assert!(y.iter().zip(&walls).all(|(y, wall)| !wall || *y == 0.0));
                        wave.step()?;
                        let [found, _] = layers(&wave.state()?);
                        let factor = f64::from(if scheme == Scheme::Explicit { beta } else { beta / 2.0 });
                        let right = of.forward_among(&walls, factor, &y, &last)?;
                        let product = match scheme {
                            Scheme::Explicit => found.clone(),
                            Scheme::Implicit => of.matrix_among(&walls, 1.0, -factor)?.multiply(&found),
                        };
                        let size = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
                        let miss: Vec<f64> = right.iter().zip(&product).map(|(a, b)| a - b).collect();
                        // As the other steps: the tolerance, and eight roundings of sums of |c||y|.
                        let bound = 1e-6 + 8.0 * EPSILON * (3.0 + 8.0 * f64::from(beta));
                        assert!(
                            size(&miss) <= bound * size(&right).max(size(&y)),
                            "{width}x{height} {scheme:?}"
                        );
                    }
                    if scheme == Scheme::Explicit {
                        // Rounding of five steps.
                        assert!((wave.energy()? / before - 1.0).abs() < 1e-5, "{width}x{height}");
                    }
                    // A drop on walls is not there.
                    wave.drop(0.5 * width as f32, 0.5 * height as f32, 9.0, 1.0)?;
                    let [y, _] = layers(&wave.state()?);
                    assert!(y.iter().zip(&walls).all(|(y, wall)| !wall || *y == 0.0));
                    wave.set_walls(&vec![false; cells])?;
                    assert_eq!(wave.walls(), None);
                }
            }
            let mut wave = Wave::new(gpu, width as u32, height as u32, Parameters::default(), 1)?;
            assert!(refusal(wave.set_walls(&walls[1..])).contains("walls of waves"));
        }
        Ok(())
    })
}
