//! A suite: choosing rows, measuring them, reporting.

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use quadrille::gl::bare::Bare;

use super::report;
use super::row::{Bench, Row, Rows, measure};
use crate::cli::SuiteArguments;

/// Measures all rows, or those that are asked for, in so many rounds unless told otherwise.
pub fn run(all: Rows, rounds: u32, arguments: &SuiteArguments) -> Result<()> {
    let groups = chosen(all, arguments.only.as_deref())?;
    let gpu = arguments.context.headless()?;
    let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
    let bench = Bench { bare, gpu, rounds: arguments.rounds.unwrap_or(rounds) };
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

/// The names of all rows, each once.
fn names(groups: &Rows) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in groups.iter().flatten() {
        if !names.contains(&row.name) {
            names.push(row.name.clone());
        }
    }
    names
}

/// The rows whose name and size contain the text, case aside.
fn chosen(mut groups: Rows, only: Option<&str>) -> Result<Rows> {
    let Some(only) = only else { return Ok(groups) };
    let lower = only.to_lowercase();
    let names = names(&groups);
    let wanted = |row: &Row| format!("{} {}", row.name, row.size).to_lowercase().contains(&lower);
    groups.iter_mut().for_each(|rows| rows.retain(wanted));
    groups.retain(|rows| !rows.is_empty());
    if groups.is_empty() {
        bail!("no row is called \"{only}\": there are {}", names.join("; "));
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
    use super::super::{chapter44, dense, fluids, passes, sparse, streams};
    use super::*;
    use crate::cli::rows;

    /// Each row compares both of its sides with f64 before it is timed. `start` needs the program itself.
    #[test]
    fn every_row_computes_what_it_should() -> Result<()> {
        let gpu = Gpu::headless()?;
        let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
        let bench = Bench { bare, gpu, rounds: 1 };
        let sized = chapter44::sized(16).into_iter().chain(dense::sized(16)).chain(streams::sized(16));
        let sized = sized.chain(sparse::sized(16)).chain(fluids::sized(16));
        let groups = passes::all().into_iter().chain(sized);
        for rows in groups.filter(|rows| rows.iter().all(|row| row.name != "start")) {
            for Measured { row, timing } in measure(&bench, rows)? {
                let timed = |ms: f64| ms > 0.0 || ms.is_nan(); // NaN: there is no bare side
                assert!(timing.wall.library > 0.0 && timed(timing.wall.bare), "{}", row.name);
            }
        }
        bench.gpu.context().check("the benchmarks")?;
        Ok(())
    }

    #[test]
    fn help_has_the_names_of_all_rows() {
        for (groups, said) in [
            (passes::all(), rows::PASSES),
            (chapter44::all(), rows::CHAPTER44),
            (dense::all(), rows::DENSE),
            (sparse::all(), rows::SPARSE),
            (streams::all(), rows::STREAMS),
            (fluids::all(), rows::FLUIDS),
        ] {
            let words: Vec<&str> = said.split_whitespace().collect();
            let listed = words.join(" ");
            let listed = listed.strip_prefix("Rows, by which --only chooses: ");
            assert_eq!(listed, Some(names(&groups).join("; ").as_str()));
        }
    }

    #[test]
    fn rows_are_chosen_by_a_part_of_their_name() -> Result<()> {
        let count = |groups: Vec<Vec<Row>>| groups.iter().map(Vec::len).sum::<usize>();
        assert_eq!(count(chosen(passes::all(), Some("FAR"))?), 3);
        assert!(count(chosen(passes::all(), None)?) > 30);
        let refused = chosen(passes::all(), Some("nonsense")).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|line| line.contains("no row is called") && line.contains("axpy")));
        Ok(())
    }
}
