//! Control of the plate by a person: draw obstacles and sources, change the way of stepping, save, go on.

use quadrille::sim::heat::{Brush, Flow, Heat, Parameters, STATE, Sides, seed};
use quadrille::{Gpu, Limits, Result};

use crate::heat::{TWO_ULP, farthest, rough};
use crate::support::{SIZES, on_card, on_gpu, refusal};

fn bare(gpu: &Gpu, width: u32, height: u32, flow: Flow) -> Result<Heat> {
    let state = [0.25, 1.0, 1.0].repeat(width as usize * height as usize);
    Heat::from_state(gpu, width, height, Parameters::default(), flow, &state)
}

#[test]
fn a_brush_changes_the_cells_under_it_alone() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (31, 23);
        for (x, y) in [(15.0, 11.0), (0.0, 0.0), (30.9, 22.9), (0.3, 11.0), (-2.0, 4.0), (8.5, 6.5)] {
            // 2 cells from the middle of one lie the middles of others.
            for radius in [0.75, 2.0, 3.3, 6.1] {
                let mut heat = bare(gpu, width, height, Flow::Combined)?;
                let brushes = [
                    (Brush::Obstacle, [0.25, 0.0, 0.0]),
                    (Brush::Source(0.75), [0.75, 1.0, 0.0]),
                    (Brush::Obstacle, [0.75, 0.0, 0.0]),
                    (Brush::Erase, [0.75, 1.0, 1.0]),
                ];
                for (brush, painted) in brushes {
                    heat.paint(brush, x, y, radius)?;
                    for (i, found) in heat.state()?.as_chunks::<STATE>().0.iter().enumerate() {
                        let (column, row) = (i as u32 % width, i as u32 / width);
                        let inside = (column as f32 + 0.5 - x).hypot(row as f32 + 0.5 - y) <= radius;
                        let expected = if inside { painted } else { [0.25, 1.0, 1.0] };
                        assert_eq!(*found, expected, "{brush:?} at {column}, {row}");
                    }
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_brush_anywhere_and_of_any_size_is_harmless() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let mut heat = bare(gpu, width, height, Flow::Depth)?;
            let before = heat.state()?;
            for (x, y, radius) in [
                (-1e9, 0.0, 5.0),
                (1e30, 1e30, 1.0),
                (f32::NAN, 0.0, 5.0),
                (0.0, 0.0, -3.0),
                (0.0, 0.0, f32::NAN),
            ] {
                heat.paint(Brush::Source(1.0), x, y, radius)?;
                assert!(heat.state()? == before, "{x}, {y}, {radius}");
            }
            heat.paint(Brush::Obstacle, 0.0, 0.0, 1e4)?;
            (0..3).try_for_each(|_| heat.step())?;
            let all = [0.25, 0.0, 0.0].repeat((width * height) as usize);
            assert!(heat.state()? == all, "all of it, and nothing left to step");
        }
        Ok(())
    })
}

/// A run in which a person draws; `way` says how to make each step.
fn drawn(gpu: &Gpu, size: (u32, u32), way: impl Fn(u64) -> Flow) -> Result<Vec<f32>> {
    let mut heat =
        Heat::from_state(gpu, size.0, size.1, Parameters::default(), way(0), &rough(size.0, size.1))?;
    let (width, height) = (size.0 as f32, size.1 as f32);
    for step in 0..60u64 {
        heat.set_flow(way(step))?;
        match step {
            3 => heat.paint(Brush::Obstacle, width / 3.0, height / 2.0, 6.0)?,
            // Painted twice between two steps, over each other.
            8 => heat.paint(Brush::Source(1.0), width / 2.0, height / 3.0, 3.5)?,
            20 => heat.paint(Brush::Erase, width / 3.0, height / 2.0, 4.0)?,
            31 => heat.paint(Brush::Source(0.0), 0.0, 0.0, 5.0)?,
            44 => heat.set_parameters(Parameters { beta: 0.2, sides: Sides::COLD })?,
            _ => {}
        }
        if step == 8 {
            heat.paint(Brush::Obstacle, width / 2.0, height / 3.0, 2.0)?;
        }
        heat.step()?;
    }
    heat.state()
}

#[test]
fn drawing_while_it_runs_comes_to_the_same_in_every_way() -> Result<()> {
    on_gpu(|gpu| {
        for size in [(31, 57), (64, 40), (1, 37)] {
            let states: Vec<_> =
                Flow::ALL.iter().map(|&flow| drawn(gpu, size, |_| flow)).collect::<Result<_>>()?;
            let [_, arithmetic, _, depth, stencil, masks, combined] = &states[..] else {
                unreachable!("seven ways")
            };
            assert!(depth == arithmetic && stencil == arithmetic && combined == masks, "{size:?}");
            for (flow, state) in Flow::ALL.iter().zip(&states) {
                let miss = farthest(state, arithmetic.iter().map(|&v| v.into()));
                assert!(miss <= 60.0 * TWO_ULP, "{miss:e}: {flow:?} at {size:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn the_way_may_change_at_every_step() -> Result<()> {
    on_gpu(|gpu| {
        let size = (45, 31);
        let steady = drawn(gpu, size, |_| Flow::Arithmetic)?;
        let culls =
            drawn(gpu, size, |step| [Flow::Arithmetic, Flow::Depth, Flow::Stencil][step as usize % 3])?;
        assert!(culls == steady, "one kernel, with and without masks");
        let all = drawn(gpu, size, |step| Flow::ALL[step as usize * 3 % 7])?;
        assert!(farthest(&all, steady.iter().map(|&v| v.into())) <= 60.0 * TWO_ULP);
        Ok(())
    })
}

/// The trap of culls: a culled texel keeps what the buffer of that turn had.
#[test]
fn cells_that_are_not_free_keep_their_temperature_in_both_buffers() -> Result<()> {
    on_gpu(|gpu| {
        for flow in Flow::ALL {
            let mut heat = Heat::new(gpu, 61, 40, Parameters::default(), flow, 1)?;
            (0..7).try_for_each(|_| heat.step())?;
            heat.paint(Brush::Obstacle, 6.0, 20.0, 5.0)?;
            heat.paint(Brush::Source(0.5), 40.0, 20.0, 5.0)?;
            let before = heat.state()?;
            for turn in 0..4 {
                heat.step()?;
                let after = heat.state()?;
                for (old, new) in before.as_chunks::<STATE>().0.iter().zip(after.as_chunks::<STATE>().0) {
                    assert!(old[2] > 0.0 || old == new, "{old:?} became {new:?} in turn {turn}: {flow:?}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn masks_are_made_when_cells_change_and_not_before() -> Result<()> {
    on_gpu(|gpu| {
        for flow in Flow::ALL {
            let mut heat = Heat::new(gpu, 40, 30, Parameters::default(), flow, 1)?;
            let step = |heat: &mut Heat| -> Result<u64> {
                let before = gpu.counters().passes;
                heat.step()?;
                Ok(gpu.counters().passes - before)
            };
            let (first, second) = (step(&mut heat)?, step(&mut heat)?);
            let (masks, passes) = match flow {
                Flow::Branch | Flow::Arithmetic => (0, 1),
                Flow::Ranges => (0, 5),
                Flow::Depth | Flow::Stencil => (1, 1),
                Flow::Masks => (1, 5),
                Flow::Combined => (2, 5),
            };
            assert_eq!((first, second), (masks + passes, passes), "{flow:?}");
            heat.paint(Brush::Obstacle, 20.0, 15.0, 3.0)?;
            assert_eq!((step(&mut heat)?, step(&mut heat)?), (masks + passes, passes), "{flow:?}");
            heat.set_parameters(Parameters { beta: 0.1, ..heat.parameters() })?;
            assert_eq!(step(&mut heat)?, passes, "no mask knows beta: {flow:?}");
            heat.set_parameters(Parameters { sides: Sides::COLD, ..heat.parameters() })?;
            assert_eq!((step(&mut heat)?, step(&mut heat)?), (masks + passes, passes), "{flow:?}");
        }
        Ok(())
    })
}

#[test]
fn a_saved_state_goes_on_bit_for_bit() -> Result<()> {
    on_gpu(|gpu| {
        for flow in Flow::ALL {
            let mut heat = Heat::new(gpu, 47, 30, Parameters::default(), flow, 3)?;
            (0..25).try_for_each(|_| heat.step())?;
            heat.paint(Brush::Obstacle, 20.0, 15.0, 4.0)?;
            let mut again = Heat::from_state(gpu, 47, 30, heat.parameters(), flow, &heat.state()?)?;
            (0..25).try_for_each(|_| heat.step().and(again.step()))?;
            assert!(heat.state()? == again.state()?, "{flow:?}");
        }
        Ok(())
    })
}

/// The number of cells that heat of the hot disc gets to, from cell to cell.
fn reached(state: &[f32], columns: usize) -> usize {
    let cells = state.as_chunks::<STATE>().0;
    let is_open = |i: usize| cells[i][1] > 0.0;
    let mut seen = vec![false; cells.len()];
    let mut waiting: Vec<usize> =
        (0..cells.len()).find(|&i| cells[i][0] == 1.0 && is_open(i)).into_iter().collect();
    while let Some(i) = waiting.pop() {
        if std::mem::replace(&mut seen[i], true) {
            continue;
        }
        let (x, rows) = (i % columns, cells.len() / columns);
        let ways = [
            (x > 0).then(|| i - 1),
            (x + 1 < columns).then(|| i + 1),
            (i / columns > 0).then(|| i - columns),
            (i / columns + 1 < rows).then(|| i + columns),
        ];
        waiting.extend(ways.into_iter().flatten().filter(|&next| is_open(next) && !seen[next]));
    }
    seen.into_iter().filter(|&seen| seen).count()
}

#[test]
fn a_seed_covers_a_third_of_a_plate_and_is_the_same_everywhere() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES.iter().chain(&[(500, 300)]) {
            let state = seed(width, height, 5);
            assert_eq!(state, seed(width, height, 5));
            let obstacles = state.as_chunks::<STATE>().0.iter().filter(|cell| cell[1] == 0.0).count();
            assert!(3 * obstacles <= (width * height) as usize, "{obstacles} at {width}x{height}");
            assert!(width < 256 || height < 128 || 4 * obstacles > (width * height) as usize, "{obstacles}");
            assert_eq!(
                reached(&state, width as usize),
                state.len() / STATE - obstacles,
                "{width}x{height}: walled off"
            );
            let mut heat = Heat::new(gpu, width, height, Parameters::default(), Flow::Branch, 5)?;
            (0..5).try_for_each(|_| heat.step())?;
            assert!(heat.steps() == 5 && heat.state()? != state, "heat comes in from the left");
            heat.reset(5)?;
            assert!(heat.steps() == 0 && heat.state()? == state);
        }
        assert_ne!(seed(256, 128, 1), seed(256, 128, 2));
        assert!(seed(0, 7, 1).is_empty() && seed(7, 0, 1).is_empty());
        Ok(())
    })
}

#[test]
fn obstacles_are_no_numbers_in_the_picture() -> Result<()> {
    on_gpu(|gpu| {
        let mut heat = Heat::new(gpu, 61, 40, Parameters::default(), Flow::Stencil, 1)?;
        heat.paint(Brush::Source(0.7), 30.0, 20.0, 3.0)?;
        (0..9).try_for_each(|_| heat.step())?;
        heat.refresh()?;
        let state = heat.state()?;
        let kinds = |wanted: [f32; 2]| state.as_chunks::<STATE>().0.iter().any(|cell| cell[1..] == wanted);
        assert!(
            kinds([0.0, 0.0]) && kinds([1.0, 0.0]) && kinds([1.0, 1.0]),
            "obstacles, sources and free cells"
        );
        for (cell, shown) in state.as_chunks::<STATE>().0.iter().zip(heat.picture().data()?) {
            assert!(if cell[1] > 0.0 { shown == cell[0] } else { shown.is_nan() }, "{cell:?} as {shown}");
        }
        Ok(())
    })
}

#[test]
fn what_makes_no_sense_is_refused_and_all_stays_as_it_was() -> Result<()> {
    on_gpu(|gpu| {
        let (good, flow) = (Parameters::default(), Flow::Combined);
        let mut heat = Heat::new(gpu, 4, 4, good, flow, 1)?;
        let before = heat.state()?;
        for beta in [0.0, -0.1, 0.2501, f32::NAN, f32::INFINITY] {
            let line = refusal(heat.set_parameters(Parameters { beta, ..good }));
            assert_eq!(line, format!("beta = {beta}: expected above 0, at most 0.25"));
            assert_eq!(refusal(Heat::new(gpu, 4, 4, Parameters { beta, ..good }, flow, 1)), line);
        }
        let sides = Sides { top: Some(f32::NAN), ..Sides::COLD };
        let line = refusal(heat.set_parameters(Parameters { sides, ..good }));
        assert_eq!(line, "temperature = NaN: expected -1e30 to 1e30");
        assert_eq!(
            refusal(heat.paint(Brush::Source(f32::INFINITY), 2.0, 2.0, 9.0)),
            line.replace("NaN", "inf")
        );
        let with = |cell: [f32; 3]| [&cell[..], &before[3..]].concat();
        assert!(refusal(heat.set_state(&with([f32::NAN, 1.0, 1.0]))).starts_with("temperature = NaN"));
        let neither = refusal(heat.set_state(&with([0.0, 0.0, 1.0])));
        let expected = "expected (0, 0) in an obstacle, (1, 0) where it is held, (1, 1) elsewhere";
        assert_eq!(neither, format!("(open, free) = (0, 1) of cell (0, 0): {expected}"));
        assert!(refusal(heat.set_state(&before[1..])).contains("47 values given, 48 expected"));
        assert!(heat.parameters() == good && heat.state()? == before);
        heat.step()?;
        assert!(refusal(Heat::new(gpu, 0, 4, good, flow, 1)).contains("has no elements"));
        assert!(refusal(Heat::new(gpu, 1 << 20, 4, good, flow, 1)).contains("width is 1048576"));
        Ok(())
    })
}

#[test]
fn the_cards_of_the_time_make_every_step() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            let states: Vec<_> =
                Flow::ALL.iter().map(|&flow| drawn(gpu, (33, 20), |_| flow)).collect::<Result<_>>()?;
            for state in &states {
                assert!(farthest(state, states[0].iter().map(|&v| v.into())) <= 60.0 * TWO_ULP);
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn a_way_has_a_name_and_is_found_by_it() {
    for flow in Flow::ALL {
        assert_eq!(Flow::named(&flow.name().to_uppercase()), Some(flow));
    }
    assert_eq!(Flow::named("no such"), None);
}

/// The texels that differ from the one to the right or below, neither of them in an obstacle, about the isotherm.
#[test]
fn an_isotherm_is_a_line_in_the_picture_that_stops_at_obstacles() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (61, 40);
        let mut heat = Heat::new(gpu, width, height, Parameters::default(), Flow::Branch, 1)?;
        (0..60).try_for_each(|_| heat.step())?;
        let state = heat.state()?;
        let cells = state.as_chunks::<STATE>().0;
        for (level, line) in [(0.25, 1.0), (0.5, 0.0), (0.75, 0.0)] {
            heat.set_isotherm(Some(level))?;
            heat.refresh()?;
            let mut drawn = 0;
            for (i, shown) in heat.picture().data()?.into_iter().enumerate() {
                let (x, y) = (i % width as usize, i / width as usize);
                let next = [
                    (x + 1 < width as usize).then(|| i + 1),
                    (y + 1 < height as usize).then(|| i + width as usize),
                ];
                let differs =
                    |&to: &usize| cells[to][1] > 0.0 && (cells[to][0] >= level) != (cells[i][0] >= level);
                let crossed = cells[i][1] > 0.0 && next.iter().flatten().any(differs);
                drawn += usize::from(crossed);
                let expected = if cells[i][1] == 0.0 {
                    f32::NAN
                } else if crossed {
                    line
                } else {
                    cells[i][0]
                };
                assert!(
                    shown.to_bits() == expected.to_bits() || shown.is_nan() && expected.is_nan(),
                    "({x}, {y}) at {level}"
                );
            }
            assert!(drawn > 20, "{drawn} at {level}");
        }
        heat.set_isotherm(None)?;
        heat.refresh()?;
        let shown = heat.picture().data()?;
        assert!(shown.iter().zip(cells).all(|(shown, cell)| cell[1] == 0.0 || *shown == cell[0]));
        Ok(())
    })
}
