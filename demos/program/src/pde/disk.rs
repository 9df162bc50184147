//! Files of equations: arrays and pictures that they name, and states.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use quadrille::pde::{Equations, Files, Saved, Simulation, Solved};

use crate::files::npz::{self, Named, Numbers};
use crate::files::{grey, named, npy, shown};

/// Files that an equation file names lie beside it.
pub struct Disk(PathBuf);

impl Disk {
    pub fn beside(file: &Path) -> Disk {
        Disk(file.parent().unwrap_or(Path::new("")).to_owned())
    }
}

impl Files for Disk {
    fn picture(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String> {
        let fits = |width: u32, height: u32| {
            ensure!([width, height] == size, "is {width}x{height}, the grid is {}x{}", size[0], size[1]);
            Ok(())
        };
        let array = grey::read(&self.0.join(name), fits).map_err(|error| format!("{error:#}"))?;
        Ok(array.values)
    }

    fn array(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String> {
        let path = self.0.join(name);
        let (array, _) = npy::read_any(&path).map_err(|error| format!("{error:#}"))?;
        let [width, height] = size.map(|side| side as usize);
        if (array.width, array.height, array.components) != (width, height, 1) {
            let found = format!("{} x {} x {}", array.height, array.width, array.components);
            return Err(format!(
                "{}: has {found} numbers, the grid has {height} x {width} nodes",
                shown(&path)
            ));
        }
        Ok(array.values)
    }
}

/// Writes all that is needed to go on.
///
/// # Errors
/// Those of the file.
pub fn save(path: &Path, simulation: &Simulation) -> Result<()> {
    let Saved { fields, past, solved, count, origin, since, step } = simulation.saved()?;
    let equations = simulation.equations();
    let shape: Vec<usize> = match equations.grid.size.map(|side| side as usize) {
        [width, 1] => vec![width],
        [width, height] => vec![height, width],
    };
    let one = |name: &str, numbers: Numbers| Named { name: name.to_owned(), shape: Vec::new(), numbers };
    let mut all = vec![
        one("steps", Numbers::Whole(vec![count])),
        one("since", Numbers::Whole(vec![since])),
        one("origin", Numbers::Float64(vec![origin])),
        one("step", Numbers::Float64(vec![step])),
        one("time", Numbers::Float64(vec![simulation.time()])),
    ];
    let (mut change, mut explicit) = (None, None);
    if let Some(solved) = solved {
        all.push(one("since_change", Numbers::Whole(vec![solved.since])));
        let cycles: Vec<u64> = solved.cycles.iter().map(|count| *count as u64).collect();
        all.push(Named {
            name: "cycles".to_owned(),
            shape: vec![cycles.len()],
            numbers: Numbers::Whole(cycles),
        });
        for (at, values) in solved.starts.into_iter().enumerate() {
            let (name, shape) = (format!("start_{at}"), vec![values.len()]);
            all.push(Named { name, shape, numbers: Numbers::Float32(values) });
        }
        (change, explicit) = (Some(solved.change), Some(solved.explicit));
    }
    for (prefix, arrays) in
        [("field_", Some(fields)), ("slope_", past), ("change_", change), ("explicit_", explicit)]
    {
        for (field, values) in equations.fields.iter().zip(arrays.into_iter().flatten()) {
            let name = format!("{prefix}{}", field.name);
            all.push(Named { name, shape: shape.clone(), numbers: Numbers::Float32(values) });
        }
    }
    npz::write(path, &all)
}

/// Reads it again.
///
/// # Errors
/// Another file; fields of other names or sizes; what is no finite number.
pub fn load(path: &Path, equations: &Equations) -> Result<Saved> {
    let all = npz::read(path)?;
    saved(&all, equations).map_err(|error| named(path, error))
}

fn saved(all: &[Named], equations: &Equations) -> Result<Saved> {
    let find = |name: &str| all.iter().find(|array| array.name == name);
    let need =
        |name: &str| find(name).with_context(|| format!("no array \"{name}\": not a state of equations"));
    let whole = |name: &str| match &need(name)?.numbers {
        Numbers::Whole(values) if values.len() == 1 => Ok(values[0]),
        _ => bail!("\"{name}\" is no whole number"),
    };
    let number = |name: &str| match &need(name)?.numbers {
        Numbers::Float64(values) if values.len() == 1 && values[0].is_finite() => Ok(values[0]),
        _ => bail!("\"{name}\" is no finite number"),
    };
    let nodes = equations.grid.nodes();
    let array = |name: &str| match &need(name)?.numbers {
        Numbers::Float32(values) if values.len() == nodes => {
            ensure!(values.iter().all(|value| value.is_finite()), "\"{name}\" has what is no finite number");
            Ok(values.clone())
        }
        _ => bail!("\"{name}\" has not the {nodes} numbers of the grid"),
    };
    let fields = &equations.fields;
    let arrays = |prefix: &str| -> Result<Vec<Vec<f32>>> {
        fields.iter().map(|field| array(&format!("{prefix}{}", field.name))).collect()
    };
    let has_past = fields.iter().all(|field| find(&format!("slope_{}", field.name)).is_some());
    let solved = match find("since_change") {
        None => None,
        Some(_) => {
            let cycles = match &need("cycles")?.numbers {
                Numbers::Whole(values) => values.iter().map(|count| *count as usize).collect(),
                _ => bail!("\"cycles\" are no whole numbers"),
            };
            let names = (0..).map(|at| format!("start_{at}")).take_while(|name| find(name).is_some());
            let starts = names.map(|name| array(&name)).collect::<Result<_>>()?;
            let (change, explicit) = (arrays("change_")?, arrays("explicit_")?);
            Some(Solved { change, explicit, starts, cycles, since: whole("since_change")? })
        }
    };
    Ok(Saved {
        solved,
        fields: arrays("field_")?,
        past: if has_past { Some(arrays("slope_")?) } else { None },
        count: whole("steps")?,
        origin: number("origin")?,
        since: whole("since")?,
        step: number("step")?,
    })
}
