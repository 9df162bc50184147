//! `--explain` and `--kernels`: what a step does.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, ensure};
use quadrille::pde::{Equations, Evaluation, Role, Scheme, kernels};
use serde_json::json;

use crate::files::{atomic, shown};
use crate::output::{say, wrote};

/// Writes the kernels into a folder that is there.
///
/// # Errors
/// Those of the files.
pub fn write_kernels(equations: &Equations, folder: &Path) -> Result<()> {
    ensure!(folder.is_dir(), "{}: no folder, expected one", shown(folder));
    let mut drafts = Vec::new();
    let mut lines = Vec::new();
    for kernel in kernels(equations, equations.run.scheme) {
        let path = folder.join(&kernel.name);
        drafts.push(atomic::draft(&path, |file| Ok(file.write_all(kernel.text.as_bytes())?))?);
        lines.push(wrote(&path));
    }
    atomic::commit_all(drafts)?;
    lines.iter().try_for_each(|line| say(line))
}

/// Prints scheme, limit, passes and fetches of a step, and the kernels.
///
/// # Errors
/// Those of printing.
pub fn explain(equations: &Equations, as_json: bool) -> Result<()> {
    let run = &equations.run;
    let all = kernels(equations, run.scheme);
    let stages = if run.scheme == Scheme::Rk4 { 4 } else { 1 };
    let fetches: u32 = all.iter().map(|kernel| kernel.fetches).sum();
    let sums = all.iter().filter(|kernel| matches!(kernel.role, Role::Totals(..))).count();
    // The start, with 0 for what random numbers make.
    let fields = equations.fields.iter().map(|field| (field, vec![0.0; equations.grid.nodes()]));
    let fields: Vec<Vec<f64>> = fields.map(|(_, zeros)| zeros).collect();
    let zero = Evaluation::new(equations, &equations.values(), run.step, 0.0, fields);
    let starts = equations.fields.iter().map(|field| match &field.start {
        Some(formula) => zero.values(formula),
        None => vec![0.0; equations.grid.nodes()],
    });
    let start = Evaluation::new(equations, &equations.values(), run.step, 0.0, starts.collect());
    let limit = super::limit(run.scheme, start.fastest());
    if as_json {
        let kernels: Vec<_> = all
            .iter()
            .map(|kernel| json!({ "name": kernel.name, "fetches": kernel.fetches, "text": kernel.text }))
            .collect();
        let told = json!({
            "scheme": run.scheme.name(), "step": run.step, "limit": if limit.is_finite() { json!(limit) } else { json!(null) },
            "passes": stages * all.len(), "sums": stages * sums, "fetches": stages as u32 * fetches, "kernels": kernels,
        });
        return say(&told.to_string());
    }
    say(&format!("scheme {}, explicit: all terms are taken at the time reached", run.scheme.name()))?;
    let [hx, hy] = equations.grid.cell;
    let cell = if equations.grid.dimensions == 1 { format!("{hx}") } else { format!("{hx} x {hy}") };
    say(&format!(
        "nodes {cell} apart; step {}, stable up to {} at the start",
        run.step,
        super::two_digits(limit)
    ))?;
    say(&format!(
        "a step: {} passes{}, {} fetches a node",
        stages * all.len(),
        if sums == 0 { String::new() } else { format!(" and {} sums", stages * sums) },
        stages as u32 * fetches
    ))?;
    for kernel in &all {
        say(&format!("\n// {}\n{}", kernel.name, kernel.text.trim_end()))?;
    }
    Ok(())
}
