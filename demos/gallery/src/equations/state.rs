//! A run of equations as a state: named arrays, the clock, the values of parameters.

use anyhow::{Result, bail, ensure};
use quadrille::pde::{Equations, Saved, Scheme, Simulation, Solved};
use serde_json::{Map, Value as Json};

use super::about::{key, size_value};
use super::packed;
use crate::files::npz::LONGEST;
use crate::param::Value;
use crate::state::{Named, Numbers, State};

/// Steps that a state may have behind it: whole numbers that 64-bit numbers hold exactly.
const MOST_STEPS: u64 = 1 << 53;

/// The key of the file's text.
pub const TEXT: &str = "equation";

/// All that is needed to go on, under the name of the file, which has that text.
///
/// # Errors
/// Those of reading back.
pub fn state(name: &str, written: &str, simulation: &Simulation) -> Result<State> {
    let equations = simulation.equations();
    let mut values = Map::new();
    values.insert("scheme".to_owned(), equations.run.scheme.name().into());
    values.insert("time_step".to_owned(), simulation.time_step().into());
    let size = match size_value(equations.grid.size, equations.grid.dimensions) {
        Value::Whole(nodes) => nodes.into(),
        size => size.to_string().into(),
    };
    values.insert("size".to_owned(), size);
    for (parameter, value) in equations.parameters.iter().zip(simulation.parameters()) {
        values.insert(key(parameter).to_owned(), (*value).into());
    }
    values.extend(clock(simulation)?);
    values.extend(text(name, written));
    Ok(State { demo: name.to_owned(), step: simulation.count(), values, arrays: arrays(simulation)? })
}

/// The text of a file that is none of those that are packed, and no longer than a state's are.
pub(super) fn text(name: &str, text: &str) -> Option<(String, Json)> {
    let fits = text.len() as u64 <= LONGEST;
    (fits && packed(name) != Some(text)).then(|| (TEXT.to_owned(), text.into()))
}

/// The time as a moment and the steps since, so that no rounding adds up, and the seed.
pub(super) fn clock(simulation: &Simulation) -> Result<Map<String, Json>> {
    let Saved { origin, since, .. } = simulation.saved()?;
    let seed = simulation.equations().run.seed;
    Ok([
        ("clock_origin".to_owned(), origin.into()),
        ("clock_since".to_owned(), since.into()),
        ("seed".to_owned(), seed.into()),
    ]
    .into_iter()
    .collect())
}

/// Fields; slopes of the step before, or what implicit steps go on from, where the scheme uses them.
pub(super) fn arrays(simulation: &Simulation) -> Result<Vec<Named>> {
    let Saved { fields, past, solved, .. } = simulation.saved()?;
    let equations = simulation.equations();
    let shape: Vec<usize> = match equations.grid.size.map(|side| side as usize) {
        [width, 1] => vec![width],
        [width, height] => vec![height, width],
    };
    let mut all = Vec::new();
    let (mut change, mut explicit) = (None, None);
    if let Some(solved) = solved {
        let cycles: Vec<u64> = solved.cycles.iter().flatten().map(|count| *count as u64).collect();
        for (name, shape, numbers) in
            [("since_change", vec![1], vec![solved.since]), ("cycles", vec![cycles.len() / 2, 2], cycles)]
        {
            all.push(Named { name: name.to_owned(), shape, numbers: Numbers::Whole(numbers) });
        }
        for (at, values) in solved.starts.into_iter().enumerate() {
            all.push(Named::of_f32(&format!("start_{at}"), &[values.len()], values));
        }
        (change, explicit) = (Some(solved.change), Some(solved.explicit));
    }
    for (prefix, arrays) in
        [("field_", Some(fields)), ("slope_", past), ("change_", change), ("explicit_", explicit)]
    {
        for (field, values) in equations.fields.iter().zip(arrays.into_iter().flatten()) {
            all.push(Named::of_f32(&format!("{prefix}{}", field.name), &shape, values));
        }
    }
    Ok(all)
}

/// A state as equations go on from it.
///
/// # Errors
/// Fields of other names or sizes; what is no finite number.
pub fn saved(state: &State, equations: &Equations) -> Result<Saved> {
    let nodes = equations.grid.nodes();
    let array = |name: &str| match state.arrays.iter().find(|array| array.name == name) {
        None => bail!("no array \"{name}\": not a state of these equations"),
        Some(found) => match &found.numbers {
            Numbers::Float32(values) if values.len() == nodes => Ok(found.f32s().map(|_| values.clone())?),
            _ => bail!("\"{name}\" has not the {nodes} numbers of the grid"),
        },
    };
    let whole =
        |name: &str| match state.arrays.iter().find(|array| array.name == name).map(|found| &found.numbers) {
            Some(Numbers::Whole(values)) => Ok(values.clone()),
            _ => bail!("\"{name}\" are no whole numbers"),
        };
    let fields = &equations.fields;
    let arrays = |prefix: &str| -> Result<Vec<Vec<f32>>> {
        fields.iter().map(|field| array(&format!("{prefix}{}", field.name))).collect()
    };
    let scheme = state.values.get("scheme").and_then(Json::as_str).and_then(Scheme::named);
    // A value that it does not keep is no other's.
    let kept = |parameter| state.values.get(key(parameter)).and_then(Json::as_f64).unwrap_or(f64::NAN);
    let has_past = fields.iter().all(|field| state.has(&format!("slope_{}", field.name)));
    let found = arrays("field_")?;
    let counted = |name: &str, count: u64| {
        ensure!(count < MOST_STEPS, "{name} is {count}, expected less than {MOST_STEPS}");
        Ok(count)
    };
    let solved = match state.has("since_change") {
        false => None,
        true => {
            let cycles = whole("cycles")?;
            let cycles = cycles.chunks_exact(2).map(|pair| [pair[0] as usize, pair[1] as usize]).collect();
            let names = (0..).map(|at| format!("start_{at}")).take_while(|name| state.has(name));
            let starts = names.map(|name| array(&name)).collect::<Result<_>>()?;
            let (change, explicit) = (arrays("change_")?, arrays("explicit_")?);
            let [since] = whole("since_change")?[..] else { bail!("\"since_change\" is not one number") };
            let since = counted("\"since_change\"", since)?;
            Some(Solved { change, explicit, starts, cycles, since })
        }
    };
    let since = state.values.get("clock_since").and_then(Json::as_u64);
    let step = state.number("time_step")?;
    ensure!(step > 0.0, "\"time_step\" is {step}, expected more than 0");
    let Some(since) = since else { bail!("no value \"clock_since\", a whole number") };
    Ok(Saved {
        fields: found,
        past: if has_past { Some(arrays("slope_")?) } else { None },
        solved,
        // One of no scheme is of none that steps.
        scheme: scheme.unwrap_or(Scheme::Auto),
        parameters: equations.parameters.iter().map(kept).collect(),
        count: counted("the step", state.step)?,
        origin: state.number("clock_origin")?,
        since: counted("\"clock_since\"", since)?,
        step,
    })
}
