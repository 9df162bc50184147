//! `--explain` and `--kernels`: what a step does.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, ensure};
use quadrille::pde::{Equations, Formula, Role, Scheme, Split, kernels};
use quadrille::solve::{self, Block};
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

/// Prints scheme, limit, passes and fetches of a step, of an implicit one also its two halves and its linear system, and the kernels.
///
/// # Errors
/// Those of printing; an implicit part that is singular.
pub fn explain(equations: &Equations, as_json: bool) -> Result<()> {
    let run = &equations.run;
    let all = kernels(equations, run.scheme);
    let stages = if run.scheme == Scheme::Rk4 { 4 } else { 1 };
    let fetches = stages as u32 * all.iter().map(|kernel| kernel.fetches).sum::<u32>();
    let passes = stages * all.len();
    let sums = all.iter().filter(|kernel| matches!(kernel.role, Role::Totals(..))).count();
    let limit = equations.limit(run.scheme);
    let system = equations.split.as_ref().map(|split| System::of(equations, split)).transpose()?;
    if as_json {
        let kernels: Vec<_> = all
            .iter()
            .map(|kernel| json!({ "name": kernel.name, "fetches": kernel.fetches, "text": kernel.text }))
            .collect();
        let mut told = json!({
            "scheme": run.scheme.name(), "step": run.step, "limit": if limit.is_finite() { json!(limit) } else { json!(null) },
            "passes": passes, "sums": stages * sums, "fetches": fetches, "kernels": kernels,
        });
        if let Some(system) = &system {
            told["implicit"] = json!(system.linear);
            told["explicit"] = json!(system.explicit);
            told["blocks"] = json!(system.blocks);
            told["solve_passes"] = json!(system.passes);
        }
        if let Some(choice) = &equations.choice {
            told["choice"] = json!(choice);
        }
        return say(&told.to_string());
    }
    match (&equations.choice, run.scheme.is_explicit()) {
        (Some(choice), _) => say(choice)?,
        (None, true) => {
            say(&format!("scheme {}, explicit: all terms are taken at the time reached", run.scheme.name()))?
        }
        (None, false) => {
            say(&format!("scheme {}: J at the end of a step, N from the times reached", run.scheme.name()))?
        }
    }
    let [hx, hy] = equations.grid.cell;
    let cell = if equations.grid.dimensions == 1 { format!("{hx}") } else { format!("{hx} x {hy}") };
    let whose = if run.scheme.is_explicit() { "stable" } else { "euler would be stable" };
    say(&format!(
        "nodes {cell} apart; step {}, {whose} up to {} at the start",
        run.step,
        super::two_digits(limit)
    ))?;
    if let Some(system) = &system {
        for (field, (linear, explicit)) in
            equations.fields.iter().zip(system.linear.iter().zip(&system.explicit))
        {
            say(&format!("{}: J = {linear}; N = {explicit}", field.name))?;
        }
        system.blocks.iter().try_for_each(|block| say(&format!("solved: {block}")))?;
        if let Some(step) = &system.singular {
            say(&format!("the implicit part is singular from a step of {step} on"))?;
        }
    }
    let solve =
        system.as_ref().map_or(String::new(), |system| format!(" and about {} of the solver", system.passes));
    say(&format!(
        "a step: {}{solve}{}, {fetches} fetches a node",
        if passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") },
        if sums == 0 { String::new() } else { format!(" and {} sums", stages * sums) },
    ))?;
    if let Some(system) = &system
        && limit.is_finite()
    {
        let steps = (run.step / limit).ceil().max(1.0);
        say(&format!(
            "the same time by euler: {steps} steps of 1 pass; implicit: {} passes",
            passes + system.passes
        ))?;
    }
    for kernel in &all {
        say(&format!("\n// {}\n{}", kernel.name, kernel.text.trim_end()))?;
    }
    Ok(())
}

/// The linear system of an implicit step, in words.
struct System {
    linear: Vec<String>,
    explicit: Vec<String>,
    blocks: Vec<String>,
    /// Passes of its solves, two cycles or iterations each.
    passes: usize,
    /// The step from which on it is singular.
    singular: Option<String>,
}

impl System {
    fn of(equations: &Equations, split: &Split) -> Result<System> {
        let (run, grid) = (&equations.run, &equations.grid);
        let scheme = match run.scheme {
            Scheme::ImexEuler => solve::Scheme::ImexEuler,
            Scheme::Cnab2 => solve::Scheme::Cnab2,
            Scheme::Cn => solve::Scheme::Cn,
            _ => solve::Scheme::Sbdf2,
        };
        let part = split.part(equations.fields.len(), &equations.values(), run.step);
        let largest: f64 = grid.cell.iter().take(grid.dimensions).map(|h| 4.0 / (h * h)).sum();
        let blocks = part.blocks(scheme, run.step, largest)?;
        // A V(2,2)-cycle: 7 passes on the finest level, 6 on each below it down to 8 nodes, and 2 there.
        let side = grid.size.iter().copied().max().unwrap_or(1);
        let levels = (1..).take_while(|level| side >> level > 8).count();
        let cycle = 7 + 6 * levels + 2;
        let of_helmholtz = |s: f64| if s * largest / 8.0 >= 1.0 { 2 * cycle } else { 3 * 2 };
        let passes = blocks.iter().map(|block| match block {
            Block::One { s: 0.0, .. } => 1,
            Block::One { s, .. } => of_helmholtz(*s),
            Block::Two(pair) => match pair.factors {
                Some(factors) => {
                    factors.into_iter().filter(|s| *s != 0.0).map(of_helmholtz).sum::<usize>() + 3
                }
                None => 3 * (2 * cycle + 5) + 3,
            },
        });
        let passes = 2 + passes.sum::<usize>();
        let text =
            |formula: &Option<Formula>| formula.as_ref().map_or("0".to_owned(), |one| equations.text(one));
        let explicit =
            split.explicit.iter().zip(&split.sources).map(|(explicit, source)| match (explicit, source) {
                (explicit, None) => text(explicit),
                (None, source) => format!("{}, at the end of a step", text(source)),
                (explicit, source) => {
                    format!("{}, and at the end of a step {}", text(explicit), text(source))
                }
            });
        Ok(System {
            linear: split.linear.iter().map(|one| equations.text(one)).collect(),
            explicit: explicit.collect(),
            blocks: blocks.iter().map(Block::to_string).collect(),
            passes,
            singular: part.largest_step(scheme, largest).map(super::two_digits),
        })
    }
}
