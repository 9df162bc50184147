//! `quadrille bench`: the suites of the crate `quadrille-bench`, with the program's words, files and collisions.

use std::process::Command;

use anyhow::{Context, Error, Result, ensure};
use quadrille::sim::contact::Collide;
use quadrille::trace::Card;
use quadrille::{Api, Gpu};
use quadrille_bench::{BenchRequest, Suite as Table};

use crate::cli::{BenchArguments, ContextArguments, Suite, SuiteArguments};
use crate::costs::{self, Floors, own_limits};
use crate::files::{ignored_state_home, shown};
use crate::growth;
use crate::output::{self, Usage};
use quadrille_gallery::demos::wall::collide::Boxes;

pub fn run(arguments: &BenchArguments) -> Result<()> {
    match &arguments.suite {
        Suite::Passes(arguments) => suite(Table::Passes, arguments),
        Suite::Chapter44(arguments) => suite(Table::Chapter44, arguments),
        Suite::Dense(arguments) => suite(Table::Dense, arguments),
        Suite::Sparse(arguments) => suite(Table::Sparse, arguments),
        Suite::Costs(arguments) => keep_costs(arguments),
        Suite::Fluids(arguments) => suite(Table::Fluids, arguments),
        Suite::Pde(arguments) => suite(Table::Pde, arguments),
        Suite::Streams(arguments) => suite(Table::Streams, arguments),
        Suite::Growth(arguments) => growth::run(arguments),
        Suite::Floors(arguments) => {
            output::say(&Floors::of(&Card::measure(&arguments.headless()?)?).json().to_string())
        }
        Suite::Start { bare, context } => start(*bare, context),
    }
}

fn suite(suite: Table, arguments: &SuiteArguments) -> Result<()> {
    let SuiteArguments { json, rounds, ref only, ref context } = *arguments;
    let only = only.as_deref();
    let asked = BenchRequest {
        only,
        rounds,
        json,
        collide: cfg!(feature = "wall").then_some(boxes as fn() -> _),
        complain: output::complain,
    };
    output::say(&quadrille_bench::run(suite, &asked, || context.headless())?)
}

fn boxes() -> Box<dyn Collide> {
    Box::new(Boxes)
}

/// Measures what `solve --storage auto` goes by, and the floors that `trace` compares with, and keeps it.
fn keep_costs(context: &ContextArguments) -> Result<()> {
    let gpu = context.headless()?;
    if !own_limits(&gpu) {
        let line = format!("the limits of {} are in force: costs are a driver's own", gpu.limits().name);
        return Err(Usage(line).into());
    }
    if let Some(line) = ignored_state_home() {
        output::complain(&format!("warning: {line}"));
    }
    let place = costs::place(&gpu)?;
    let (costs, floors) = (quadrille_bench::costs(&gpu)?, floors(&gpu)?);
    let json = costs::keep(&place, &costs, &floors)?;
    output::say(&format!("{}; {}", gpu.driver().renderer, gpu.driver().version))?;
    output::say(&format!("{json:#}"))?;
    output::say(&format!("kept in {}", shown(&place)))
}

/// llvmpipe draws small passes sooner without threads of its own and large ones sooner with them. A process has either, so another one
/// measures the other, and what is quicker counts.
fn floors(gpu: &Gpu) -> Result<Floors> {
    const THREADS: &str = "LP_NUM_THREADS";
    let floors = Floors::of(&Card::measure(gpu)?);
    let driver = gpu.driver();
    if !driver.renderer.starts_with("llvmpipe") {
        return Ok(floors);
    }
    let number = driver.device.as_deref().and_then(|device| device.split(' ').next()).unwrap_or("0");
    let mut other = Command::new(std::env::current_exe()?);
    other.args(["bench", "floors", "--api", if driver.embedded { "gles" } else { "gl" }, "--device", number]);
    match std::env::var(THREADS).is_ok_and(|threads| threads == "0") {
        true => other.env_remove(THREADS),
        false => other.env(THREADS, "0"),
    };
    let ended = other.output().context("a process of its own")?;
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    ensure!(ended.status.success(), "floors: {}", words(&ended.stderr));
    let other = serde_json::from_str(&words(&ended.stdout)).map_err(Error::from);
    let other = other.and_then(|other| Floors::read(&other)).context("floors of a process of its own")?;
    Ok(floors.or_quicker(&other))
}

/// Starts up once, with the library or without it.
fn start(bare: bool, context: &ContextArguments) -> Result<()> {
    let [u, v] = if bare {
        let device = context.device.as_deref().unwrap_or("0");
        let device = device.parse().context("the bare start takes a device by its number")?;
        quadrille_bench::bare_start(context.api() == Some(Api::Gles), device)?
    } else {
        quadrille_bench::library_start(&context.headless()?)?
    };
    output::say(&format!("{u} {v}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of that name, measured once with the program's boxes or without any.
    fn measured(only: &str, with_boxes: bool) -> Result<String> {
        let complain: fn(&str) = match with_boxes {
            true => |line| assert!(line.is_empty(), "{line}"),
            false => |line| assert!(line.contains("left out"), "{line}"),
        };
        let asked = BenchRequest {
            only: Some(only),
            rounds: Some(1),
            json: false,
            collide: if with_boxes { Some(boxes) } else { None },
            complain,
        };
        quadrille_bench::run(Table::Dense, &asked, || Ok(Gpu::headless()?))
    }

    /// A row that the crate of the suites cannot try by itself.
    #[test]
    fn the_wall_falls_with_the_boxes_of_the_program() -> Result<()> {
        let said = measured("wall, groups", true)?;
        assert!(said.contains("wall, groups"), "{said}");
        let none = measured("wall", false)?;
        assert!(!none.contains("wall"), "{none}");
        Ok(())
    }

    #[test]
    #[ignore = "seconds on a CPU: sixty cubes as one dense system"]
    fn the_wall_falls_as_one_dense_system() -> Result<()> {
        let said = measured("wall, one dense system", true)?;
        assert!(said.contains("wall, one dense system"), "{said}");
        Ok(())
    }
}
