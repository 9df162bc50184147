//! The files that are shipped: each is read, steps, and is what f64 says.

use quadrille::pde::{Equations, NoFiles, Overrides, Simulation};
use quadrille::{Limits, Result};

use crate::support::{on_card, on_gpu};
use crate::{distance, read};

fn all() -> std::io::Result<Vec<(String, String)>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/demos/gallery/equations");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "toml") {
            all.push((name, std::fs::read_to_string(&path)?));
        }
    }
    all.sort();
    Ok(all)
}

#[test]
fn each_begins_with_a_paragraph_and_its_source() -> std::io::Result<()> {
    let all = all()?;
    assert!(all.len() >= 8, "{}", all.len());
    for (name, text) in all {
        let comment: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        assert!(
            comment.len() >= 3 && comment.iter().any(|line| line.contains("Source:")),
            "{name}: no comment"
        );
        assert!(Equations::read(&text, &Overrides::default(), &mut NoFiles).is_ok(), "{name}");
    }
    Ok(())
}

/// No shipped file is warned of. On fewer nodes, which lie farther apart, a stable step stays so.
#[test]
fn each_is_without_warnings() -> Result<()> {
    for (name, text) in all().unwrap_or_default() {
        let full = read(&text, &Overrides::default())?;
        assert!(full.remarks.is_empty(), "{name}: {:?}", full.remarks);
        let size = full.grid.size.map(|side| side.min(if full.grid.dimensions == 1 { 241 } else { 49 }));
        let equations = read(&text, &Overrides { size: Some(size), ..Overrides::default() })?;
        let (run, spectrum) = (&equations.run, equations.spectrum());
        assert_eq!(spectrum.ill_posed(), None, "{name}");
        let factor = match run.scheme.is_explicit() {
            true => spectrum.factor(run.scheme, run.step),
            false => spectrum.growth(run.scheme, run.step).factor,
        };
        // Growth of less than e in the whole run is not told.
        let steps = if run.until.is_finite() { run.until / run.step } else { 1e4 };
        assert!(factor.ln() * steps <= 1.0, "{name}: {factor} in each of {steps} steps");
    }
    Ok(())
}

/// Twenty steps on a small grid, the last of them beside f64.
#[test]
fn each_runs_twenty_steps_and_is_what_f64_says() -> Result<()> {
    let all = all().unwrap_or_default();
    on_gpu(|gpu| {
        for (name, text) in &all {
            let full = read(text, &Overrides::default())?;
            let size = full.grid.size.map(|side| side.min(if full.grid.dimensions == 1 { 241 } else { 33 }));
            // Fewer nodes lie farther apart: the step of the file is stable.
            let equations = read(text, &Overrides { size: Some(size), ..Overrides::default() })?;
            let mut simulation = Simulation::new(gpu, equations)?;
            for _ in 1..20 {
                simulation.step()?;
            }
            let off = distance(&mut simulation)?;
            assert!(off < 1e-5, "{name}: {off:e}");
            simulation.settle()?;
        }
        Ok(())
    })
}

/// A card of 2002, with 32 fetches a kernel and four targets: two steps of each file.
#[test]
fn each_runs_under_the_limits_of_a_radeon_9700() -> Result<()> {
    let all = all().unwrap_or_default();
    on_card(Limits::RADEON_9700, |gpu| {
        for (name, text) in &all {
            let full = read(text, &Overrides::default())?;
            let size = full.grid.size.map(|side| side.min(if full.grid.dimensions == 1 { 65 } else { 16 }));
            let equations = read(text, &Overrides { size: Some(size), ..Overrides::default() })?;
            let mut simulation = Simulation::new(gpu, equations)?;
            simulation.step()?;
            let expected = simulation.expected()?;
            simulation.step()?;
            let slack = simulation.slack()?;
            let found = simulation.fields()?;
            let most = expected.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                // The bound of `--check`.
                let off = (f64::from(*found) - expected).abs();
                assert!(off <= 1e-5 * most + slack, "{name}: {off:e} of {most}");
            }
        }
        Ok(())
    })
}
