//! The runs of all formats in a state, and the run in f64 beside them.

use anyhow::{Context, Result, ensure};
use quadrille::sim::formats::{FORMATS, Look, Miss, Snapshot};

use super::subject::Subject;
use crate::state::{Named, State};

/// Runs in the order of the formats.
const RUNS: [&str; FORMATS.len()] = ["float32", "float24_ati", "float16_nvidia", "float16_ati"];

/// The run in f64; the steps that were looked at, with root mean square and largest error of each format; what is seen of
/// planets and counters.
const TWIN: &str = "float64";
const LOOKS: &str = "looks";
const PICTURE: &str = "picture";

/// Numbers of a look.
const OF_LOOK: usize = 1 + 2 * FORMATS.len();

pub fn arrays(subject: &Subject) -> Result<Vec<Named>> {
    let runs = |states: Vec<Vec<f32>>| {
        let run = |(name, state): (&str, Vec<f32>)| Named::of_f32(name, &[state.len()], state);
        RUNS.into_iter().zip(states).map(run).collect::<Vec<_>>()
    };
    match subject {
        Subject::Counter(counter) => {
            let picture = counter.picture().data()?;
            let mut arrays = runs(counter.look()?.into_iter().map(|count| count.counted).collect());
            arrays.push(Named::of_f32(PICTURE, &[picture.len()], picture));
            Ok(arrays)
        }
        Subject::Comparison { comparison, .. } => {
            let Snapshot { states, twin, looks, trails, .. } = comparison.snapshot()?;
            let mut arrays = runs(states);
            arrays.push(Named::of_f64(TWIN, &[twin.len()], twin));
            let numbers = |look: &Look| {
                [look.steps as f64]
                    .into_iter()
                    .chain(look.misses.into_iter().flat_map(|miss| [miss.rms, miss.max]))
                    .collect::<Vec<_>>()
            };
            arrays.push(Named::of_f64(
                LOOKS,
                &[looks.len(), OF_LOOK],
                looks.iter().flat_map(numbers).collect(),
            ));
            if !trails.is_empty() {
                arrays.push(Named::of_f32(PICTURE, &[trails.len()], trails));
            }
            Ok(arrays)
        }
    }
}

/// Errors and what formats hold may be infinite, or no numbers.
pub fn restore(subject: &mut Subject, state: &State) -> Result<()> {
    let states = RUNS.map(|name| state.array(name, 1).map(Named::any_f32s));
    let states = states.into_iter().collect::<Result<Vec<_>>>()?;
    let picture = || -> Result<Vec<f32>> { Ok(state.array(PICTURE, 1)?.any_f32s()) };
    match subject {
        Subject::Counter(counter) => counter.resume(state.step, &states, &picture()?)?,
        Subject::Comparison { comparison, next_look, .. } => {
            let looks = state.array(LOOKS, 2)?;
            ensure!(looks.shape[1] == OF_LOOK, "looks of {} numbers, expected {OF_LOOK}", looks.shape[1]);
            let look = |line: &[f64; OF_LOOK]| {
                let miss = |k: usize| Miss { rms: line[1 + 2 * k], max: line[2 + 2 * k] };
                Look { steps: line[0] as u64, misses: std::array::from_fn(miss) }
            };
            let looks = looks.any_f64s().as_chunks().0.iter().map(look).collect();
            let trails = if state.has(PICTURE) { picture()? } else { Vec::new() };
            let twin = state.array(TWIN, 1)?.any_f64s();
            comparison.resume(&Snapshot { steps: state.step, states, twin, looks, trails })?;
            let next = state.values.get("next_look").and_then(serde_json::Value::as_u64);
            *next_look = next.context("no value \"next_look\", a whole number")?;
        }
    }
    Ok(())
}

/// The panels of a state.
pub fn size(state: &State) -> Result<[u32; 2]> {
    let side = |name: &str| -> Result<u32> { Ok(u32::try_from(state.number(name)? as i64)?) };
    Ok([side("width")?, side("height")?])
}
