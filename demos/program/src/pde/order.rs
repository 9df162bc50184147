//! `--order`: the same run with smaller and smaller steps, and how its distance to the solution shrinks.

use std::rc::Rc;

use anyhow::{Result, ensure};
use quadrille::pde::{Equations, Overrides, Simulation};
use serde_json::json;

use quadrille_gallery::equations::errors;

use super::told;
use crate::cli::{Order, PdeArguments};
use crate::files::shown;
use crate::interrupt;
use crate::output::{Interrupted, Usage, say};

/// # Errors
/// A file without `exact` or `until`; those of running.
pub fn run(
    arguments: &PdeArguments,
    Order { joint, runs }: Order,
    read: &dyn Fn(&Overrides) -> Result<Rc<Equations>>,
) -> Result<()> {
    let gpu = arguments.context.headless()?;
    let mut overrides = arguments.overrides();
    let mut rows = Vec::new();
    let mut before: Option<f64> = None;
    for _ in 0..runs {
        let equations = read(&overrides)?;
        let name = shown(&arguments.file);
        ensure!(equations.fields.iter().any(|field| field.exact.is_some()), "{name}: no field has `exact`");
        if !equations.run.until.is_finite() {
            return Err(Usage("how long? [run] has no `until`: --until says".to_owned()).into());
        }
        let steps = (equations.run.until / equations.run.step - 1e-9).ceil() as u64;
        let mut simulation = Simulation::new(&gpu, equations.clone())?;
        for done in 0..steps {
            if interrupt::asked() {
                return Err(Interrupted(format!("interrupted after {done} of {steps} steps")).into());
            }
            simulation.step().map_err(told)?;
        }
        simulation.settle().map_err(told)?;
        let error = errors(&simulation)?.iter().map(|(_, error)| *error).fold(0.0, f64::max);
        let order = before.map(|before| (before / error).log2());
        let size = equations.grid.size;
        if !arguments.json {
            let size = if size[1] == 1 { format!("{}", size[0]) } else { format!("{}x{}", size[0], size[1]) };
            let order = order.map_or(String::new(), |order| format!(", order {order:.2}"));
            say(&format!("{size} nodes, step {}: error {error:.3e}{order}", equations.run.step))?;
        }
        rows.push(json!({ "size": size, "step": equations.run.step, "error_max": error, "order": order }));
        before = Some(error);
        overrides.step = Some(equations.run.step / 2.0);
        if joint {
            let grid = &equations.grid;
            let halved = |axis: usize| match (axis < grid.dimensions, grid.periodic[axis]) {
                (false, _) => 1,
                (true, true) => 2 * size[axis],
                (true, false) => 2 * (size[axis] - 1) + 1,
            };
            overrides.size = Some([halved(0), halved(1)]);
        }
    }
    if arguments.json {
        say(&json!({ "runs": rows }).to_string())?;
    }
    Ok(())
}
