//! States as `.npz` files: `demo` and `step` are single values beside the others, each a `.npy` without dimensions.

use std::path::Path;

use anyhow::{Result, bail};
use quadrille_gallery::state::{MOST_STEPS, Named, Numbers, State};
use serde_json::{Map, Value};

use crate::files::npz;

/// Writes a state.
///
/// # Errors
/// Those of [`npz::write`].
pub fn write(path: &Path, state: &State) -> Result<()> {
    let single = |name: &str, numbers| Named { name: name.to_owned(), shape: Vec::new(), numbers };
    let head =
        [single("demo", Numbers::Text(state.demo.clone())), single("step", Numbers::Whole(vec![state.step]))];
    let values = state.values.iter().filter_map(|(name, value)| {
        let numbers = match value {
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
            Value::Bool(flag) => Numbers::Flag(*flag),
            Value::String(text) => Numbers::Text(text.clone()),
            Value::Number(number) => match number.as_u64() {
                Some(whole) => Numbers::Whole(vec![whole]),
                None => Numbers::Float64(vec![number.as_f64()?]),
            },
        };
        Some(single(name, numbers))
    });
    let arrays: Vec<Named> = head.into_iter().chain(values).chain(state.arrays.iter().cloned()).collect();
    npz::write(path, &arrays)
}

/// Reads a state.
///
/// # Errors
/// Those of [`npz::read`]; a file without a demo or a step.
pub fn read(path: &Path) -> Result<State> {
    let mut state = State { demo: String::new(), step: 0, values: Map::new(), arrays: Vec::new() };
    for array in npz::read(path)? {
        if array.shape.is_empty() {
            state.values.insert(array.name, single(array.numbers));
        } else {
            state.arrays.push(array);
        }
    }
    let wanted = "expected a state as --save of such a name writes it";
    let mut take = |name: &str| state.values.shift_remove(name);
    match (take("demo"), take("step").and_then(|step| step.as_u64())) {
        (Some(Value::String(demo)), Some(step @ ..=MOST_STEPS)) => (state.demo, state.step) = (demo, step),
        (Some(Value::String(_)), _) => {
            bail!("{}: no step, a whole number up to 2^53; {wanted}", path.display())
        }
        _ => bail!("{}: no demo, the name of one; {wanted}", path.display()),
    }
    Ok(state)
}

/// A value without dimensions; what is no finite number is none.
fn single(numbers: Numbers) -> Value {
    match numbers {
        Numbers::Text(text) => text.into(),
        Numbers::Flag(flag) => flag.into(),
        Numbers::Whole(all) => all.first().copied().into(),
        Numbers::Float64(all) => all.first().copied().into(),
        Numbers::Float32(all) => all.first().copied().into(),
    }
}
