//! What a report says of a run.

use anyhow::Result;
use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Divergence, Kind, Pressure};
use serde_json::{Map, Value, json};

use super::{Vessel, figures};
use crate::demo::short;

/// The parameters, by their flags.
pub fn parameters(vessel: &Vessel) -> Value {
    let fluid = vessel.fluid.borrow();
    let p = fluid.parameters();
    let mut said = json!({
        "scene": vessel.setup.name.name(), "grid": fluid.grid().kind.name(), "pressure": p.pressure.name(),
        "advection": p.advection.name(), "viscosity": short(p.viscosity), "time_step": short(p.time_step),
        "confinement": short(p.confinement), "fading": short(p.fading), "keep_mass": p.keep_mass,
        "particles": vessel.swarm.as_ref().map_or(0, |swarm| swarm.len()),
    });
    match p.pressure {
        Pressure::Multigrid { cycles, .. } => said["cycles"] = cycles.into(),
        Pressure::Cg { tolerance } => said["tolerance"] = short(tolerance).into(),
        Pressure::Jacobi { sweeps } => said["sweeps"] = sweeps.into(),
    }
    said
}

/// What is left of a run to be told, by its names in a report.
pub fn json(vessel: &Vessel) -> Result<Value> {
    let mut found = Map::new();
    let mut say = |name: &str, value: Value| found.insert(name.to_owned(), value);
    say("time", vessel.fluid.borrow().time().into());
    if let Some(Divergence { before, after, between }) = divergence(vessel)? {
        say("divergence_before", before.into());
        say("divergence_after", after.into());
        if vessel.setup.kind() == Kind::Collocated {
            say("divergence_between", between.into());
        }
    }
    if let Some(lost) = vessel.account.lost(&vessel.fluid.borrow())? {
        say("dye_lost", lost.left.into());
        say("dye_lost_uncorrected", lost.uncorrected.into());
    }
    match figure(vessel)? {
        Some(Figure::Decay([rate, exact])) => {
            say("decay_rate", rate.into());
            say("decay_rate_exact", exact.into());
        }
        Some(Figure::CentreLine(line)) => {
            let rows = line.iter().map(|&[y, u, ghia]| json!({ "y": y, "u": u, "ghia": ghia }));
            say("centre_line", rows.collect());
        }
        Some(Figure::Vortices(count)) => {
            say("extrema_downstream", count.into());
        }
        None => {}
    }
    Ok(found.into())
}

/// The same in lines of its own, for a reader.
pub fn lines(vessel: &Vessel) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let p = vessel.fluid.borrow().parameters();
    if let Some(Divergence { before, after, between }) = divergence(vessel)? {
        let name = p.pressure.name();
        let unseen = match vessel.setup.kind() {
            Kind::Collocated => format!(
                " by differences across two cells; {between:.2e} out of the cells between nodes, which these do not see"
            ),
            Kind::Staggered => String::new(),
        };
        lines.push(format!(
            "max |div u| of the last step: {before:.2e} before {name}, {after:.2e} after it{unseen}"
        ));
    }
    if let Some(lost) = vessel.account.lost(&vessel.fluid.borrow())? {
        let uncorrected = 100.0 * lost.uncorrected;
        let (word, uncorrected) = lost_or_gained(uncorrected);
        lines.push(match p.keep_mass {
            true => {
                let (left_word, left) = lost_or_gained(100.0 * lost.left);
                format!("dye {left_word}: {left:.2e} %; {word} without the correction: {uncorrected:.2e} %")
            }
            false => format!("dye {word}: {uncorrected:.2e} %"),
        });
    }
    match figure(vessel)? {
        Some(Figure::Decay([rate, exact])) => {
            let off = 100.0 * (rate / exact - 1.0);
            let off = if exact > 0.0 { format!(", {off:+.2} %") } else { String::new() };
            lines
                .push(format!("the vortices decay by {rate:.5} a time, nu (kx^2 + ky^2) is {exact:.5}{off}"));
        }
        Some(Figure::CentreLine(line)) => {
            let off = line.iter().fold(0.0f64, |most, [_, u, ghia]| most.max((u - ghia).abs()));
            lines.push(format!(
                "u on the centre line, at most {off:.4} from Ghia, Ghia & Shin (Re = 100, steady):"
            ));
            lines.extend(line.iter().map(|[y, u, ghia]| format!("  y = {y:.4}  u = {u:+.5}  {ghia:+.5}")));
        }
        Some(Figure::Vortices(count)) => lines.push(format!("extrema of vorticity downstream: {count}")),
        None => {}
    }
    Ok(lines)
}

/// A loss below 0 is a gain.
fn lost_or_gained(loss: f64) -> (&'static str, f64) {
    (if loss < 0.0 { "gained" } else { "lost" }, loss.abs())
}

/// max |div u| of the last step; `None` before the first.
pub fn divergence(vessel: &Vessel) -> Result<Option<Divergence>> {
    let fluid = vessel.fluid.borrow();
    Ok(if fluid.steps() > 0 { Some(fluid.divergence()?) } else { None })
}

/// What its scene is known by.
enum Figure {
    /// Rates: found, exact.
    Decay([f64; 2]),
    /// y, u, and what Ghia, Ghia & Shin have.
    CentreLine(Vec<[f64; 3]>),
    Vortices(usize),
}

fn figure(vessel: &Vessel) -> Result<Option<Figure>> {
    let mut fluid = vessel.fluid.borrow_mut();
    if fluid.steps() == 0 {
        return Ok(None);
    }
    let (p, [width, height]) = (fluid.parameters(), fluid.grid().cells);
    let is_new = vessel.loaded.is_none();
    Ok(match vessel.setup.name {
        // The law holds for what began as it does, with nothing added.
        Name::TaylorGreen if p.confinement != 0.0 || !is_new => None,
        Name::TaylorGreen => Some(Figure::Decay(figures::decay(&fluid, vessel.first_energy)?)),
        // The table is of a square at Re = 100.
        Name::Cavity if width != height || p.viscosity != 0.01 || p.confinement != 0.0 => None,
        Name::Cavity => Some(Figure::CentreLine(figures::centre_line(&fluid, 1.0)?)),
        Name::Channel => {
            let grid = fluid.grid();
            let vorticity = fluid.vorticity()?.data()?;
            Some(Figure::Vortices(figures::vortices(&grid, &vorticity)))
        }
        Name::Plume | Name::Vortices => None,
    })
}
