//! `--explain` and `--kernels`: what a step does.

use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, ensure};
use quadrille::Gpu;
use quadrille::pde::{CostPart, Equations, Formula, Role, Scheme, Simulation, Split, StepCost, kernels};
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

/// The work of a step that is like most others, counted by making it: solves of the first steps are looked at.
///
/// # Errors
/// Those of steps.
fn counted(gpu: &Gpu, equations: &Rc<Equations>) -> Result<StepCost> {
    let mut simulation = Simulation::new(gpu, equations.clone())?;
    (0..3).try_for_each(|_| simulation.step())?;
    Ok(simulation.counted_step()?)
}

/// Prints scheme, limit, passes and fetches of a step, of an implicit one also its two halves and its linear system, and the kernels.
///
/// # Errors
/// Those of printing; an implicit part that is singular; those of the first four steps, which are made to count them.
pub fn explain(gpu: &Gpu, equations: &Rc<Equations>, as_json: bool) -> Result<()> {
    let run = &equations.run;
    let all = kernels(equations, run.scheme);
    let sums = all.iter().filter(|kernel| matches!(kernel.role, Role::Totals(..))).count();
    let spectrum = equations.spectrum();
    let limit = spectrum.limit(run.scheme);
    let steps = (run.until / run.step).clamp(1.0, 1000.0) as u64;
    for line in super::warnings(&spectrum, equations, run.step, steps) {
        crate::output::remark(&format!("quadrille: warning: {line}"));
    }
    let system = equations.split.as_ref().map(|split| System::of(equations, split)).transpose()?;
    let cost = counted(gpu, equations)?;
    if as_json {
        let kernels: Vec<_> = all
            .iter()
            .map(|kernel| json!({ "name": kernel.name, "fetches": kernel.fetches, "text": kernel.text }))
            .collect();
        let mut told = json!({
            "scheme": run.scheme.name(), "step": run.step, "limit": if limit.is_finite() { json!(limit) } else { json!(null) },
            "passes": cost.passes, "fetches": cost.fetches, "counted_step": cost.step, "kernels": kernels,
        });
        let part = |CostPart { name, times, passes, fetches }: &CostPart| json!({ "name": name, "times": times, "passes": passes, "fetches": fetches });
        told["parts"] = cost.parts.iter().map(part).collect();
        if let Some(system) = &system {
            told["implicit"] = json!(system.linear);
            told["explicit"] = json!(system.explicit);
            told["blocks"] = json!(system.blocks);
            told["joined"] = json!(system.joined);
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
    let name = run.scheme.name();
    let bound = match (run.scheme.is_explicit(), limit == 0.0) {
        _ if !spectrum.is_known() => "no node tells how long a step may be".to_owned(),
        _ if spectrum.ill_posed().is_some() => "of the shortest waves no step is short enough".to_owned(),
        _ if limit.is_infinite() => "nothing decays, which bounds no explicit step".to_owned(),
        (true, false) => format!("stable up to {} at the start", super::two_digits(limit)),
        (false, false) => format!("euler would be stable up to {} at the start", super::two_digits(limit)),
        (is_explicit, true) => {
            let rk4 = super::two_digits(spectrum.limit(Scheme::Rk4));
            let own =
                if is_explicit { format!("{name} is stable") } else { "euler would be stable".to_owned() };
            format!("{own} at none, for waves are not damped; rk4 up to {rk4} at the start")
        }
    };
    say(&format!("nodes {cell} apart; step {}, {bound}", run.step))?;
    if let Some(system) = &system {
        for (field, (linear, explicit)) in
            equations.fields.iter().zip(system.linear.iter().zip(&system.explicit))
        {
            say(&format!("{}: J = {linear}; N = {explicit}", field.name))?;
        }
        if system.joined {
            say(
                "solved: all fields at once by BiCGSTAB, for their edges or D are unlike; those that are alike, alone, are its preconditioner",
            )?;
        }
        system.blocks.iter().try_for_each(|block| say(&format!("solved: {block}")))?;
        if let Some(step) = &system.singular {
            say(&format!("the implicit part is singular from a step of {step} on"))?;
        }
    }
    let of = |passes: u64, fetches: f64| {
        let passes = if passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") };
        format!("{passes}, {} fetches a node", (10.0 * fetches).round() / 10.0)
    };
    let (passes, fetches) = cost.fixed();
    let with = if sums == 0 { String::new() } else { format!(" (those of {sums} sums with them)") };
    let and = if cost.parts.is_empty() { "" } else { ", and what its solves need:" };
    say(&format!("a step: {}{with}{and}", of(passes, fetches)))?;
    for CostPart { name, times, passes, fetches } in &cost.parts {
        let name = if name == "iteration" { "an iteration" } else { "a V-cycle" };
        say(&format!("  {name}: {}; {times} in step {}", of(*passes, *fetches), cost.step))?;
    }
    if !cost.parts.is_empty() {
        say(&format!("  all of step {}: {}", cost.step, of(cost.passes, cost.fetches)))?;
    }
    // Where waves are not damped, rk4 is the explicit scheme that is stable.
    let (other, limit) =
        if limit == 0.0 { (Scheme::Rk4, spectrum.limit(Scheme::Rk4)) } else { (Scheme::Euler, limit) };
    if system.is_some() && limit.is_finite() && limit > 0.0 {
        let steps = (run.step / limit).ceil().max(1.0);
        let each = kernels(equations, other).len() as u64 * if other == Scheme::Rk4 { 4 } else { 1 };
        let each = if each == 1 { "1 pass".to_owned() } else { format!("{each} passes") };
        let steps = if steps == 1.0 { "1 step".to_owned() } else { format!("{steps} steps") };
        say(&format!(
            "the same time by {}: {steps} of {each}; implicit: {} passes",
            other.name(),
            cost.passes
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
    /// True if all fields are one system, because edges or D are unlike.
    joined: bool,
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
        // Both are of fields with like edges, for which a part may be singular that is not for unlike ones.
        let (blocks, singular) = match split.joined {
            true => (Vec::new(), None),
            false => (part.blocks(scheme, run.step, largest)?, part.largest_step(scheme, largest)),
        };
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
            joined: split.joined,
            singular: singular.map(super::two_digits),
        })
    }
}
