//! Findings of a run.

use anyhow::Result;
use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Divergence, Kind};
use serde_json::{Map, Value as Json, json};

use super::figures::{self, Profile};
use super::{FluidDemo, wake};

/// The findings, by their names in a report.
pub fn json(demo: &FluidDemo) -> Result<Json> {
    let mut found = Map::new();
    let mut say = |name: &str, value: Json| found.insert(name.to_owned(), value);
    say("time", demo.fluid.borrow().time().into());
    if let Some(Divergence { before, after, between }) = divergence(demo)? {
        say("divergence_before", before.into());
        say("divergence_after", after.into());
        if demo.setup.kind() == Kind::Collocated {
            say("divergence_between", between.into());
        }
    }
    if let Some(lost) = demo.dye.lost(&demo.fluid.borrow())? {
        say("dye_lost", lost.left.into());
        say("dye_lost_uncorrected", lost.uncorrected.into());
    }
    match figure(demo)? {
        Some(Figure::Decay([rate, exact])) => {
            say("decay_rate", rate.into());
            say("decay_rate_exact", exact.into());
        }
        Some(Figure::CentreLines(reynolds, [u, v])) => {
            say("reynolds", reynolds.into());
            let rows = u.table.iter().map(|&[y, u, ghia]| json!({ "y": y, "u": u, "ghia": ghia }));
            say("centre_line", rows.collect());
            let rows = v.table.iter().map(|&[x, v, ghia]| json!({ "x": x, "v": v, "ghia": ghia }));
            say("centre_line_across", rows.collect());
            say("off_ghia", off([&u, &v]).into());
        }
        Some(Figure::Vortices(count)) => {
            say("extrema_downstream", count.into());
        }
        Some(Figure::Street { reynolds, strouhal, williamson }) => {
            say("reynolds", reynolds.into());
            say("strouhal", strouhal.into());
            say("strouhal_williamson", williamson.into());
        }
        None => {}
    }
    Ok(found.into())
}

/// The same in lines of its own, for a reader.
pub fn lines(demo: &FluidDemo) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let p = demo.fluid.borrow().parameters();
    if let Some(Divergence { before, after, between }) = divergence(demo)? {
        let name = p.pressure.name();
        let unseen = match demo.setup.kind() {
            Kind::Collocated => format!(
                " by differences across two cells; {between:.2e} out of the cells between nodes, which these do not see"
            ),
            Kind::Staggered => String::new(),
        };
        lines.push(format!(
            "max |div u| of the last step: {before:.2e} before {name}, {after:.2e} after it{unseen}"
        ));
    }
    if let Some(lost) = demo.dye.lost(&demo.fluid.borrow())? {
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
    match figure(demo)? {
        Some(Figure::Decay([rate, exact])) => {
            let off = 100.0 * (rate / exact - 1.0);
            let off = if exact > 0.0 { format!(", {off:+.2} %") } else { String::new() };
            lines
                .push(format!("the vortices decay by {rate:.5} a time, nu (kx^2 + ky^2) is {exact:.5}{off}"));
        }
        Some(Figure::CentreLines(reynolds, [u, v])) => {
            for (profile, place, name) in [(&u, "y", "u"), (&v, "x", "v")] {
                let off = off([profile]);
                lines.push(format!(
                    "{name} on the centre line, at most {off:.4} from Ghia, Ghia & Shin (Re = {reynolds}, steady):"
                ));
                let row = |[at, found, ghia]: &[f64; 3]| {
                    format!("  {place} = {at:.4}  {name} = {found:+.5}  {ghia:+.5}")
                };
                lines.extend(profile.table.iter().map(row));
            }
        }
        Some(Figure::Street { reynolds, strouhal, williamson }) => {
            let found = strouhal
                .map_or("too few vortices yet to tell the Strouhal number".to_owned(), |found| {
                    format!("Strouhal number {found:.4}")
                });
            let known = williamson.map_or("no vortices part below Re = 47".to_owned(), |known| {
                format!("Williamson measured {known:.4} without walls beside")
            });
            lines.push(format!("Re = {reynolds:.0}: {found}; {known}"));
        }
        Some(Figure::Vortices(count)) => lines.push(format!("extrema of vorticity downstream: {count}")),
        None => {}
    }
    Ok(lines)
}

/// The largest distance from the tables.
fn off<'a>(profiles: impl IntoIterator<Item = &'a Profile>) -> f64 {
    let rows = profiles.into_iter().flat_map(|profile| &profile.table);
    rows.fold(0.0f64, |most, [_, found, ghia]| most.max((found - ghia).abs()))
}

/// The profiles of a cavity that there are tables of.
pub fn profiles(demo: &FluidDemo) -> Result<Option<[Profile; 2]>> {
    Ok(match figure(demo)? {
        Some(Figure::CentreLines(_, profiles)) => Some(profiles),
        _ => None,
    })
}

/// The same as comma-separated values: a table for each line, which says what is over what.
pub fn csv(profiles: &[Profile; 2]) -> String {
    let mut text = "line,place,velocity,ghia\n".to_owned();
    for (name, profile) in ["u over y", "v over x"].into_iter().zip(profiles) {
        for [place, found] in &profile.found {
            text += &format!("{name},{place},{found},\n");
        }
        for [place, found, ghia] in &profile.table {
            text += &format!("{name},{place},{found},{ghia}\n");
        }
    }
    text
}

/// A loss below 0 is a gain.
fn lost_or_gained(loss: f64) -> (&'static str, f64) {
    (if loss < 0.0 { "gained" } else { "lost" }, loss.abs())
}

/// max |div u| of the last step; `None` before the first.
pub fn divergence(demo: &FluidDemo) -> Result<Option<Divergence>> {
    let fluid = demo.fluid.borrow();
    Ok(if fluid.steps() > 0 { Some(fluid.divergence()?) } else { None })
}

/// The figure that its scene is known by.
enum Figure {
    /// Rates: found, exact.
    Decay([f64; 2]),
    /// The Reynolds number, u over y and v over x.
    CentreLines(f64, [Profile; 2]),
    Vortices(usize),
    /// Numbers of the street; that of Strouhal once enough vortices have parted, and what it is in experiments.
    Street {
        reynolds: f64,
        strouhal: Option<f64>,
        williamson: Option<f64>,
    },
}

fn figure(demo: &FluidDemo) -> Result<Option<Figure>> {
    let mut fluid = demo.fluid.borrow_mut();
    if fluid.steps() == 0 {
        return Ok(None);
    }
    let (p, [width, height]) = (fluid.parameters(), fluid.grid().cells);
    let is_new = demo.loaded.is_none();
    Ok(match demo.setup.name {
        // The law holds for what began as it does, with nothing added.
        Name::TaylorGreen if p.confinement != 0.0 || !is_new => None,
        Name::TaylorGreen => Some(Figure::Decay(figures::decay(&fluid, demo.first_energy)?)),
        // The tables are of a square.
        Name::Cavity if width != height || p.confinement != 0.0 => None,
        Name::Cavity => match figures::reynolds_of(p.viscosity) {
            Some(column) => {
                let profiles = figures::profiles(&fluid, column)?;
                Some(Figure::CentreLines(figures::reynolds(column), profiles))
            }
            None => None,
        },
        Name::Channel => {
            let grid = fluid.grid();
            let vorticity = fluid.vorticity()?.data()?;
            Some(Figure::Vortices(figures::vortices(&grid, &vorticity)))
        }
        Name::Street => {
            let reynolds = wake::reynolds(p.viscosity);
            let williamson = reynolds.and_then(wake::williamson);
            reynolds.map(|reynolds| Figure::Street { reynolds, strouhal: demo.wake.strouhal(), williamson })
        }
        Name::Plume | Name::Vortices => None,
    })
}
