//! The parameters of a run that goes on: those of the command line, and of the state what was not given.

use std::path::Path;

use anyhow::{Result, anyhow};
use quadrille_gallery::demo::{About, named};
use quadrille_gallery::param::{Kept, Kind, Param, Values};
use quadrille_gallery::state::State;
use serde_json::Value;

use crate::output;

/// Adds to the parameters that were given those that the state keeps: one that was given counts. Returns a line for each of which
/// the state says otherwise.
///
/// # Errors
/// A value of the state that is none of its parameter; [`output::Usage`] for a seed where the state keeps none.
pub fn resume(
    about: &'static About,
    values: &mut Values,
    seed: &mut Option<u64>,
    state: &State,
    path: &Path,
) -> Result<Vec<String>> {
    let (given, mut lines) = (values.clone(), Vec::new());
    let typed = |name: &str| given.get(name).map(ToString::to_string);
    for param in about.params() {
        let master = match param.kept {
            Kept::No => continue,
            Kept::Yes => None,
            Kept::With(master) => Some(master),
        };
        let Some(saved) = saved(state, &param.key()) else { continue };
        let overruled = master.is_some_and(|master| {
            let of_file = self::saved(state, &master.replace('-', "_"));
            typed(master).is_some_and(|typed| of_file.is_none_or(|saved| !is_same(&typed, &saved)))
        });
        match typed(param.name) {
            Some(typed) => lines.extend(counts(|value| said(about, param, value), &typed, &saved, path)),
            None if overruled => {}
            None => set(values, param, &saved).map_err(|error| named(path, error))?,
        }
    }
    if let Some(saved) = saved(state, "seed") {
        match *seed {
            Some(typed) => {
                lines.extend(counts(|seed| format!("--seed {seed}"), &typed.to_string(), &saved, path))
            }
            None => {
                *seed = Some(
                    saved.parse().map_err(|_| named(path, anyhow!("--seed {}: no seed", plain(&saved))))?,
                )
            }
        }
    } else if seed.is_some() {
        let line = format!(
            "--seed: it chooses a beginning, and so does --load; {} keeps no seed to go on with",
            path.display()
        );
        return Err(output::Usage(line).into());
    }
    Ok(lines)
}

/// The value of a state as it would be typed.
fn saved(state: &State, key: &str) -> Option<String> {
    match state.values.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        value => Some(value.to_string()),
    }
}

fn set(values: &mut Values, param: &'static Param, saved: &str) -> Result<()> {
    let value = param
        .parse(saved)
        .map_err(|expected| anyhow!("invalid value '{}' for '--{}': {expected}", plain(saved), param.name))?;
    if !matches!(param.kind, Kind::Flag) || saved == "true" {
        values.set(param.name, value);
    }
    Ok(())
}

/// The line that the flag counts, where the state has another value.
fn counts(said: impl Fn(&str) -> String, typed: &str, saved: &str, path: &Path) -> Option<String> {
    let line = || {
        let file = path.display();
        format!("{} counts: {file} was saved with {}", said(&plain(typed)), said(&plain(saved)))
    };
    (!is_same(typed, saved)).then(line)
}

/// A text of a file as a terminal may have it.
fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
}

fn said(about: &About, param: &Param, value: &str) -> String {
    match value {
        "true" => format!("--{}", param.name),
        "false" => format!("no --{}", param.name),
        value => about.said(param, value),
    }
}

/// Returns true if both stand for one value: 1/50 is 0.02.
fn is_same(a: &str, b: &str) -> bool {
    let number = |text: &str| -> Option<f64> {
        let one = |text: &str| text.trim().parse::<f64>().ok();
        match text.split_once('/') {
            None => one(text),
            Some((above, below)) => Some(one(above)? / one(below)?),
        }
    };
    a.eq_ignore_ascii_case(b) || number(a).zip(number(b)).is_some_and(|(a, b)| a == b || a as f32 == b as f32)
}
