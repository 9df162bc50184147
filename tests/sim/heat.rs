//! Heat on a plate: every way to step it against f64 and against the others, and where it ends.

use quadrille::gl::Samples;
use quadrille::numeric::Random;
use quadrille::sim::heat::{Flow, Heat, Parameters, STATE, Sides};
use quadrille::{Gpu, Result};
use quadrille_oracle::cg;
use quadrille_oracle::heat::Plate;

use crate::support::{SIZES, on_gpu};

/// 2⁻²⁴: half of the last place of a number from 1/2 to 1, which no temperature here is above.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// One step of temperatures from 0 to 1: four differences, each rounded by 2⁻²⁴; their sums, of 2, 3 and 4 at most, by 9 of
/// it; all times β ≤ 1/4, which is rounded once, as is its sum with u.
pub const ONE_STEP: f64 = (13.0 / 4.0 + 2.0) * ROUNDING;

/// Between two kernels that sum the same four numbers in the same order: u + β flow may be rounded once or twice. The product is
/// at most 1, so it differs by half a last place, and what is rounded from it by one: less than two of 2⁻²³.
pub const TWO_ULP: f64 = 2.0 * 2.0 * ROUNDING;

const UNEVEN: Sides = Sides { left: Some(0.75), right: None, top: Some(0.1), bottom: Some(1.0) };

/// A plate on which every cell differs from its neighbours: a fourth are obstacles, a tenth of the others sources.
pub fn rough(width: u32, height: u32) -> Vec<f32> {
    let mut random = Random(17);
    let cells = (0..width * height).flat_map(|_| {
        let temperature = random.unit();
        let open = random.unit() > 0.25;
        let free = open && random.unit() > 0.1;
        [temperature, f32::from(u8::from(open)), f32::from(u8::from(free))]
    });
    cells.collect()
}

pub fn farthest(found: &[f32], expected: impl IntoIterator<Item = f64>) -> f64 {
    let misses = found.iter().zip(expected).map(|(&found, expected)| (f64::from(found) - expected).abs());
    misses.fold(0.0, |most, miss| if miss <= most { most } else { miss })
}

fn apart(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    farthest(a, b.iter().map(|&v| v.into()))
}

#[test]
fn one_step_in_every_way_matches_the_reference_at_all_sizes_and_sides() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let state = rough(width, height);
            for sides in [Sides::HOT_TO_COLD, Sides::COLD, Sides::INSULATED, UNEVEN] {
                for (flow, beta) in Flow::ALL.into_iter().flat_map(|flow| [(flow, 0.25), (flow, 0.1)]) {
                    let mut heat =
                        Heat::from_state(gpu, width, height, Parameters { beta, sides }, flow, &state)?;
                    let (plate, u) = Plate::of(&heat, &heat.state()?);
                    heat.step()?;
                    let miss = farthest(&heat.temperature().data()?, plate.step(&u));
                    assert!(miss <= ONE_STEP, "{miss:e}: {flow:?} at {width}x{height}, {sides:?}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn every_step_of_a_seed_matches_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        for flow in Flow::ALL {
            let mut heat = Heat::new(gpu, 96, 61, Parameters::default(), flow, 1)?;
            for _ in 0..40 {
                let (plate, u) = Plate::of(&heat, &heat.state()?);
                heat.step()?;
                let miss = farthest(&heat.temperature().data()?, plate.step(&u));
                assert!(miss <= ONE_STEP, "{miss:e}: {flow:?} at step {}", heat.steps());
                (0..9).try_for_each(|_| heat.step())?;
            }
        }
        Ok(())
    })
}

/// The temperatures after so many steps, each way.
fn runs(gpu: &Gpu, (width, height): (u32, u32), parameters: Parameters, steps: u64) -> Result<Vec<Vec<f32>>> {
    let state = rough(width, height);
    let run = |flow| {
        let mut heat = Heat::from_state(gpu, width, height, parameters, flow, &state)?;
        (0..steps).try_for_each(|_| heat.step())?;
        heat.temperature().data()
    };
    Flow::ALL.into_iter().map(run).collect()
}

#[test]
fn a_culled_run_has_the_bits_of_the_run_without_a_mask() -> Result<()> {
    on_gpu(|gpu| {
        for &size in SIZES {
            let parameters = Parameters { beta: 0.23, sides: UNEVEN };
            for steps in [1, 2, 33] {
                let all = runs(gpu, size, parameters, steps)?;
                let [_, arithmetic, _, depth, stencil, masks, combined] = &all[..] else {
                    unreachable!("seven ways")
                };
                assert!(depth == arithmetic, "depth, {size:?} after {steps}");
                assert!(stencil == arithmetic, "stencil, {size:?} after {steps}");
                assert!(combined == masks, "combined, {size:?} after {steps}");
            }
        }
        Ok(())
    })
}

/// On a plate of sources and obstacles alone a culled step computes no cell, and one free cell is one fragment (OpenGL ES says that there
/// are some). The first step makes the mask, too.
#[test]
fn sources_and_obstacles_are_culled() -> Result<()> {
    on_gpu(|gpu| {
        let kind = |i: usize| if i.is_multiple_of(3) { [0.5, 0.0, 0.0] } else { [0.25, 1.0, 0.0] };
        let mut state: Vec<f32> = (0..7 * 5).flat_map(kind).collect();
        for free in [0, 1] {
            state[STATE * 18..][..STATE].copy_from_slice(&[0.75, 1.0, free as f32]);
            for flow in [Flow::Depth, Flow::Stencil, Flow::Combined] {
                let mut heat = Heat::from_state(gpu, 7, 5, Parameters::default(), flow, &state)?;
                heat.step()?;
                let ((), computed) = gpu.samples(|| heat.step())?;
                let expected = match gpu.driver().embedded {
                    true => Samples::Any(free > 0),
                    false => Samples::Count(free),
                };
                assert_eq!(computed.wait()?, expected, "{flow:?}");
            }
        }
        Ok(())
    })
}

/// A step is a mean with weights that are not negative, so it makes no difference larger: those of k steps add up at most.
#[test]
fn the_ways_are_within_two_last_places_a_step_of_each_other() -> Result<()> {
    on_gpu(|gpu| {
        for &size in SIZES {
            for steps in [1, 2, 50] {
                let all = runs(gpu, size, Parameters { beta: 0.23, sides: UNEVEN }, steps)?;
                for (flow, found) in Flow::ALL.iter().zip(&all) {
                    let miss = apart(found, &all[0]);
                    assert!(miss <= steps as f64 * TWO_ULP, "{miss:e}: {flow:?} at {size:?} after {steps}");
                }
            }
        }
        Ok(())
    })
}

/// The heat that leaves a cell enters its neighbour: only roundings are left, of each cell and step.
#[test]
fn insulated_sides_keep_the_heat() -> Result<()> {
    on_gpu(|gpu| {
        let steps = 300;
        for (flow, (width, height)) in
            Flow::ALL.into_iter().flat_map(|flow| [(31, 57), (1, 40), (64, 64)].map(|size| (flow, size)))
        {
            let mut state = rough(width, height);
            state.as_chunks_mut::<STATE>().0.iter_mut().for_each(|cell| cell[2] = cell[1]);
            let parameters = Parameters { beta: 0.25, sides: Sides::INSULATED };
            let mut heat = Heat::from_state(gpu, width, height, parameters, flow, &state)?;
            let sum = |heat: &Heat| -> Result<f64> {
                Ok(heat.temperature().data()?.iter().map(|&u| f64::from(u)).sum())
            };
            let before = sum(&heat)?;
            (0..steps).try_for_each(|_| heat.step())?;
            let lost = (sum(&heat)? - before).abs();
            let cells = f64::from(width * height);
            assert!(lost <= steps as f64 * cells * ONE_STEP, "{lost:e}: {flow:?} at {width}x{height}");
        }
        Ok(())
    })
}

#[test]
fn it_is_steady_at_the_step_at_which_the_reference_is() -> Result<()> {
    on_gpu(|gpu| {
        let epsilon = 1e-3;
        for flow in Flow::ALL {
            let mut heat = Heat::new(gpu, 64, 64, Parameters::default(), flow, 1)?;
            let (plate, mut u) = Plate::of(&heat, &heat.state()?);
            let mut expected = 0;
            loop {
                let next = plate.step(&u);
                expected += 1;
                let change = next.iter().zip(&u).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
                u = next;
                if change <= f64::from(epsilon) {
                    break;
                }
            }
            let ended = heat.until_steady(epsilon, 10_000, 1)?;
            assert!(
                ended.done && ended.sweeps.abs_diff(expected) <= 1,
                "{ended:?}, f64 {expected}: {flow:?}"
            );
            assert_eq!((heat.steps(), ended.asked), (ended.sweeps, ended.sweeps));
        }
        Ok(())
    })
}

#[test]
fn one_that_may_not_go_on_says_that_it_is_not_steady() -> Result<()> {
    on_gpu(|gpu| {
        let mut heat = Heat::new(gpu, 33, 20, Parameters::default(), Flow::Combined, 1)?;
        let ended = heat.until_steady(1e-6, 25, 10)?;
        assert_eq!((ended.sweeps, ended.asked, ended.done, heat.steps()), (25, 3, false, 25));
        Ok(())
    })
}

/// A wall with a gap, an island, and a source: no pocket that nothing holds.
fn walled(width: u32, height: u32) -> Vec<f32> {
    let cell = |x: u32, y: u32| match (x, y) {
        (10, y) if y != 4 => [0.0, 0.0, 0.0],
        (17..=21, 6..=12) => [0.3, 0.0, 0.0],
        (25, 15) => [0.6, 1.0, 0.0],
        _ => [0.0, 1.0, 1.0],
    };
    (0..width * height).flat_map(|i| cell(i % width, i / width)).collect()
}

/// Where a step changes no cell by more than ε, |A u − b| ≤ (ε + the error of a step)/β; and no error is larger than ‖A⁻¹‖∞
/// of that, which is the largest x of A x = 1, because A⁻¹ has no negative element.
#[test]
fn the_steady_state_is_that_of_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height, epsilon) = (33, 23, 1e-6);
        for flow in Flow::ALL {
            let parameters = Parameters::default();
            let mut heat = Heat::from_state(gpu, width, height, parameters, flow, &walled(width, height))?;
            let (plate, u) = Plate::of(&heat, &heat.state()?);
            let (matrix, _) = plate.balance(&u)?;
            let ones: Vec<f64> = plate.free.iter().map(|&free| f64::from(u8::from(free))).collect();
            let norm = cg(&matrix, &ones, None, 1e-10, 10_000).x.into_iter().fold(0.0, f64::max);
            let ended = heat.until_steady(epsilon, 100_000, 100)?;
            assert!(ended.done);
            let bound = norm * (f64::from(epsilon) + ONE_STEP) / f64::from(parameters.beta);
            let miss = farthest(&heat.temperature().data()?, plate.steady(&u)?);
            assert!(miss <= bound && bound < 0.01, "{miss:e} of {bound:e}: {flow:?} after {}", ended.sweeps);
        }
        Ok(())
    })
}

#[test]
fn two_runs_have_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = Parameters::default();
        assert!(runs(gpu, (127, 61), parameters, 100)? == runs(gpu, (127, 61), parameters, 100)?);
        Ok(())
    })
}

/// Obstacles, lines between cells that are above the level and those that are not, and none where a neighbour is an obstacle or
/// there is no neighbour.
#[test]
fn what_is_shown_is_the_temperature_an_obstacle_or_a_line_where_its_level_is_crossed() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = gpu.builtin("sim/heat_show.frag")?;
        for (width, height) in [(1, 1), (1, 9), (31, 17)] {
            let cells = rough(width, height);
            // Some are the level itself.
            let temperature: Vec<f32> =
                cells.as_chunks::<3>().0.iter().map(|cell| (16.0 * cell[0]).round() / 16.0).collect();
            let open: Vec<[f32; 2]> =
                cells.as_chunks::<3>().0.iter().map(|cell| [cell[1], cell[2]]).collect();
            let size = || gpu.buffer(width, height);
            program.bind_stream("temperature", &size().init(&temperature)?)?;
            program.bind_stream("cells", &size().components(2).init(open.as_flattened())?)?;
            let (obstacle, level, line) = (-3.0, 0.5, 9.0);
            program.bind_float("obstacle", obstacle)?.bind_float("level", level)?.bind_float("line", line)?;
            for lines in [0.0, 1.0] {
                let target = size().build()?;
                program.bind_float("lines", lines)?.bind_domain("coords", target.rect())?.run(&target)?;
                let shown = |i: usize| {
                    let (x, y) = (i as u32 % width, i as u32 / width);
                    let here = temperature[i];
                    // An open neighbour on the other side of the level.
                    let crosses = |is: bool, next: usize| {
                        is && open[next][0] > 0.5 && (temperature[next] >= level) != (here >= level)
                    };
                    let crossed = crosses(x + 1 < width, (i + 1) % temperature.len())
                        || crosses(y + 1 < height, (i + width as usize) % temperature.len());
                    if open[i][0] < 0.5 {
                        obstacle
                    } else if lines > 0.5 && crossed {
                        line
                    } else {
                        here
                    }
                };
                for (i, found) in target.data()?.into_iter().enumerate() {
                    assert_eq!(found, shown(i), "cell {i} of {width}x{height}, lines: {lines}");
                }
            }
        }
        Ok(())
    })
}
