//! `quadrille bench passes`: which rows there are, and measuring them.

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use quadrille::gl::bare::Bare;

use super::row::{Bench, Row, measure};
use super::{feedback, gray_scott, intensity, packed, report, small, start, steps, transfer};
use crate::cli::PassesArguments;

pub fn run(arguments: &PassesArguments) -> Result<()> {
    let groups = chosen(arguments.only.as_deref())?;
    let gpu = arguments.context.headless()?;
    let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
    let bench = Bench { bare, gpu, rounds: arguments.rounds };
    let bar = progress(groups.len());
    let mut measured = Vec::new();
    for rows in groups {
        bar.set_message(rows.first().map_or(String::new(), |row| row.name.clone()));
        measured.extend(measure(&bench, rows)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if arguments.json { report::json(&bench, &measured) } else { report::table(&bench, &measured) }
}

/// The rows in groups; those of a group take turns.
fn all() -> Vec<Vec<Row>> {
    vec![
        packed::axpys(),
        packed::sums(),
        steps::rows(),
        small::rows(),
        gray_scott::rows(),
        intensity::rows(),
        feedback::rows(),
        transfer::rows(),
        start::rows(),
    ]
}

/// The rows whose name contains the text, case aside.
fn chosen(only: Option<&str>) -> Result<Vec<Vec<Row>>> {
    let mut groups = all();
    let Some(only) = only else { return Ok(groups) };
    let lower = only.to_lowercase();
    groups.iter_mut().for_each(|rows| rows.retain(|row| row.name.to_lowercase().contains(&lower)));
    groups.retain(|rows| !rows.is_empty());
    if groups.is_empty() {
        let mut names: Vec<String> = all().into_iter().flatten().map(|row| row.name).collect();
        names.dedup();
        bail!("no row is called \"{only}\": there are {}", names.join(", "));
    }
    Ok(groups)
}

fn progress(groups: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
    ProgressBar::new(groups as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use quadrille::Gpu;

    use super::super::row::Measured;
    use super::*;

    /// Each row compares both of its sides with f64 before it is timed. `start` needs the program itself.
    #[test]
    fn every_row_computes_what_it_should() -> Result<()> {
        let gpu = Gpu::headless()?;
        let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
        let bench = Bench { bare, gpu, rounds: 1 };
        for rows in all().into_iter().filter(|rows| rows.iter().all(|row| row.name != "start")) {
            for Measured { row, timing } in measure(&bench, rows)? {
                assert!(timing.wall.library > 0.0 && timing.wall.bare > 0.0, "{}", row.name);
            }
        }
        bench.gpu.context().check("the benchmarks")?;
        Ok(())
    }

    #[test]
    fn rows_are_chosen_by_a_part_of_their_name() -> Result<()> {
        let count = |groups: Vec<Vec<Row>>| groups.iter().map(Vec::len).sum::<usize>();
        assert_eq!(count(chosen(Some("FAR"))?), 3);
        assert!(count(chosen(None)?) > 30);
        let refused = chosen(Some("nonsense")).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|line| line.contains("no row is called") && line.contains("axpy")));
        Ok(())
    }
}
