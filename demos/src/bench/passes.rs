//! `quadrille bench passes`: which rows there are, and measuring them.

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use quadrille::gl::bare::Bare;

use super::row::{Bench, Measured, Row};
use super::{feedback, gray_scott, intensity, packed, report, small, start, steps, transfer};
use crate::cli::PassesArguments;

pub fn run(arguments: &PassesArguments) -> Result<()> {
    let rows = chosen(arguments.only.as_deref())?;
    let gpu = arguments.context.headless()?;
    let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
    let bench = Bench { bare, gpu, rounds: arguments.rounds };
    let bar = progress(rows.len());
    let mut measured = Vec::new();
    for row in rows {
        bar.set_message(format!("{}, {}", row.name, row.size));
        let timing = (row.measure)(&bench)?;
        measured.push(Measured { row, timing });
        bar.inc(1);
    }
    bar.finish_and_clear();
    if arguments.json { report::json(&bench, &measured) } else { report::table(&bench, &measured) }
}

fn all() -> impl Iterator<Item = Row> {
    [
        packed::rows(),
        steps::rows(),
        small::rows(),
        gray_scott::rows(),
        intensity::rows(),
        feedback::rows(),
        transfer::rows(),
        start::rows(),
    ]
    .into_iter()
    .flatten()
}

/// The rows whose name contains the text, case aside.
fn chosen(only: Option<&str>) -> Result<Vec<Row>> {
    let Some(only) = only else { return Ok(all().collect()) };
    let lower = only.to_lowercase();
    let chosen: Vec<Row> = all().filter(|row| row.name.to_lowercase().contains(&lower)).collect();
    if chosen.is_empty() {
        let mut names: Vec<String> = all().map(|row| row.name).collect();
        names.dedup();
        bail!("no row is called \"{only}\": there are {}", names.join(", "));
    }
    Ok(chosen)
}

fn progress(rows: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
    ProgressBar::new(rows as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use quadrille::Gpu;

    use super::*;

    /// Each row compares both of its sides with f64 before it is timed. `start` needs the program itself.
    #[test]
    fn every_row_computes_what_it_should() -> Result<()> {
        let gpu = Gpu::headless()?;
        let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
        let bench = Bench { bare, gpu, rounds: 1 };
        for row in all().filter(|row| row.name != "start") {
            let timing = (row.measure)(&bench)?;
            assert!(timing.wall.library > 0.0 && timing.wall.bare > 0.0, "{}", row.name);
        }
        bench.gpu.context().check("the benchmarks")?;
        Ok(())
    }

    #[test]
    fn rows_are_chosen_by_a_part_of_their_name() -> Result<()> {
        assert_eq!(chosen(Some("FAR"))?.len(), 3);
        assert!(chosen(None)?.len() > 30);
        let refused = chosen(Some("nonsense")).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|line| line.contains("no row is called") && line.contains("axpy")));
        Ok(())
    }
}
