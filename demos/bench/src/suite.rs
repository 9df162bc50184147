//! A suite: choosing rows, measuring them, reporting.

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use quadrille::Gpu;
use quadrille::sim::contact::Collide;

use super::row::{Bench, Row, Rows, measure};
use super::{chapter44, dense, fluids, passes, pde, report, rows, sparse, streams};
use crate::bare::Bare;

/// The tables of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suite {
    Passes,
    Chapter44,
    Dense,
    Sparse,
    Streams,
    Fluids,
    Pde,
}

impl Suite {
    /// Names of the rows, for the help of a command line.
    pub const fn help(self) -> &'static str {
        match self {
            Suite::Passes => rows::PASSES,
            Suite::Chapter44 => rows::CHAPTER44,
            Suite::Dense => rows::DENSE,
            Suite::Sparse => rows::SPARSE,
            Suite::Streams => rows::STREAMS,
            Suite::Fluids => rows::FLUIDS,
            Suite::Pde => rows::PDE,
        }
    }

    fn rows(self) -> Rows {
        match self {
            Suite::Passes => passes::all(),
            Suite::Chapter44 => chapter44::all(),
            Suite::Dense => dense::all(),
            Suite::Sparse => sparse::all(),
            Suite::Streams => streams::all(),
            Suite::Fluids => fluids::all(),
            Suite::Pde => pde::all(),
        }
    }

    /// Rounds unless told otherwise.
    fn rounds(self) -> u32 {
        match self {
            Suite::Passes => 31,
            Suite::Chapter44 => 11,
            Suite::Dense | Suite::Sparse | Suite::Streams | Suite::Fluids | Suite::Pde => 7,
        }
    }
}

/// The caller's wishes, and what only the caller has.
pub struct BenchRequest<'a> {
    /// Rows whose name and size contain this; all without it.
    pub only: Option<&'a str>,
    pub rounds: Option<u32>,
    /// JSON in place of a table.
    pub json: bool,
    /// Finds contacts between boxes, for the rows of the wall; they are left out without it.
    pub collide: Option<fn() -> Box<dyn Collide>>,
    /// Takes a line about a row that is left out.
    pub complain: fn(&str),
}

/// Measures the rows of a suite on the GPU that `open` opens, and returns the lines of the report.
///
/// # Errors
/// No such row; `open`'s; a row that computes something else than it should.
pub fn run(suite: Suite, asked: &BenchRequest, open: impl FnOnce() -> Result<Gpu>) -> Result<String> {
    let groups = chosen(suite.rows(), asked.only)?;
    let gpu = open()?;
    let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
    let rounds = asked.rounds.unwrap_or(suite.rounds());
    let bench = Bench { bare, gpu, rounds, collide: asked.collide, complain: asked.complain };
    let bar = progress(groups.len());
    let mut measured = Vec::new();
    for rows in groups {
        bar.set_message(rows.first().map_or(String::new(), |row| row.name.clone()));
        measured.extend(measure(&bench, rows)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(if asked.json { report::json(&bench, &measured) } else { report::table(&bench, &measured) })
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
    use super::super::row::Measured;
    use super::*;

    /// Each row compares both of its sides with f64 before it is timed. `start` needs the program itself, and the wall what it has
    /// for collisions.
    fn rows_compute_what_they_should(groups: Rows) -> Result<()> {
        let gpu = Gpu::headless()?;
        let bare = gpu.glow(|gl| Bare::new(gl.clone()))?;
        let bench = Bench { bare, gpu, rounds: 1, collide: None, complain: |_| () };
        for rows in groups.into_iter().filter(|rows| rows.iter().all(|row| row.name != "start")) {
            for Measured { row, timing } in measure(&bench, rows)? {
                let timed = |ms: f64| ms > 0.0 || ms.is_nan(); // NaN: there is no bare side
                assert!(timing.wall.library > 0.0 && timed(timing.wall.bare), "{}", row.name);
            }
        }
        bench.gpu.context().check("the benchmarks")?;
        Ok(())
    }

    #[test]
    fn every_row_of_passes_computes_what_it_should() -> Result<()> {
        rows_compute_what_they_should(passes::all())
    }

    #[test]
    fn every_row_of_chapter_44_computes_what_it_should() -> Result<()> {
        rows_compute_what_they_should(chapter44::sized(16))
    }

    #[test]
    fn every_dense_row_computes_what_it_should() -> Result<()> {
        rows_compute_what_they_should(dense::sized(16))
    }

    #[test]
    fn every_row_of_streams_computes_what_it_should() -> Result<()> {
        rows_compute_what_they_should(streams::sized(16))
    }

    #[test]
    fn every_sparse_row_computes_what_it_should() -> Result<()> {
        rows_compute_what_they_should(sparse::sized(16))
    }

    #[test]
    fn every_row_of_fluids_computes_what_it_should() -> Result<()> {
        rows_compute_what_they_should(fluids::sized(16))
    }

    #[test]
    fn every_row_of_equations_computes_what_it_should() -> Result<()> {
        rows_compute_what_they_should(pde::sized(16))
    }

    #[test]
    fn help_has_the_names_of_all_rows() {
        use Suite::{Chapter44, Dense, Fluids, Passes, Pde, Sparse, Streams};
        for suite in [Passes, Chapter44, Dense, Sparse, Streams, Fluids, Pde] {
            let words: Vec<&str> = suite.help().split_whitespace().collect();
            let listed = words.join(" ");
            let listed = listed.strip_prefix("Rows, by which --only chooses: ");
            assert_eq!(listed, Some(names(&suite.rows()).join("; ").as_str()));
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
