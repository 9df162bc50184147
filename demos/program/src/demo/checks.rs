//! That `--check` sees a step that was not made, in every demo whose steps change something.
//!
//! Not here: sort and counter, whose checks go by the steps that their own simulation has counted; and what is at rest, as a
//! wall that nobody pushes. Fluid and liquid have tests of their own.

use anyhow::{Result, bail};
use clap::Parser;
use quadrille::Gpu;

use super::{Measure, Simulation, chosen};
use crate::cli::{Cli, Command};

const CASES: [&str; 15] = [
    "reaction-diffusion --size 19x13",
    "wave --size 31x17",
    "wave --size 31x17 --scheme implicit --beta 1",
    "wave --size 31x17 --scheme implicit --beta 300",
    "wave --size 31x17 --scheme implicit --beta 10000 --edges reflecting",
    "formats --what gray-scott --size 19x13",
    "formats --what wave --size 19x13",
    "formats --what orbit --size 33x32",
    "wall --columns 2 --rows 2 --push 6 --form reference",
    "wall --columns 1 --rows 1 --push 6 --no-ground --gravity 0 --form reference",
    "heat --size 19x13",
    "branches --size 16x16",
    "nbody --bodies 16",
    "histogram --size 19x13",
    "clouds --size 16x12",
];

fn started(gpu: &Gpu, line: &str) -> Result<Box<dyn Simulation>> {
    let words = ["quadrille", "demo"].into_iter().chain(line.split_whitespace());
    match Cli::try_parse_from(words)?.command {
        Command::Demo { demo: Some(demo) } => (chosen(demo)?.start)(gpu),
        _ => bail!("{line}: no demo"),
    }
}

fn failing(measures: &[Measure]) -> Vec<&'static str> {
    measures.iter().filter(|measure| !measure.passes()).map(|measure| measure.name).collect()
}

#[test]
fn a_step_that_was_not_made_fails_the_check_and_one_that_was_passes() -> Result<()> {
    let gpu = Gpu::headless()?;
    for line in CASES {
        let mut simulation = started(&gpu, line)?;
        simulation.before_step(1)?;
        let before = simulation.state()?;
        // Branches begins with results of 0, and makes the same in every step.
        let skipped = simulation.check(&before)?;
        assert!(!failing(&skipped).is_empty(), "{line}: {skipped:?}");
        // Each format by itself: one that stands still is seen, whatever the others do.
        if line.starts_with("formats") {
            let seen = failing(&skipped).iter().filter(|name| name.contains("error")).count();
            assert_eq!(seen, 4, "{line}: {skipped:?}");
        }
        simulation.step()?;
        let made = simulation.check(&before)?;
        assert!(failing(&made).is_empty(), "{line}: {made:?}");
    }
    Ok(())
}
