//! `quadrille bench pde`: steps of equations from their files, beside the demo of the same equation, explicit steps, and counted costs.

use std::rc::Rc;
use std::time::Instant;

use anyhow::{Result, anyhow};
use quadrille::gl::Edges;
use quadrille::pde::{Equations, NoFiles, Overrides, Refusal, Scheme, Simulation, StepCost};
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille_gallery::equations::SHIPPED;

use super::interleave::{Elapsed, Pair, Work};
use super::row::{Bench, Row, Rows};
use super::stepping::{check, first_texel};

const GRAY_SCOTT: &str = "gray-scott.toml";
const CAHN_HILLIARD: &str = "cahn-hilliard.toml";

/// The explicit steps of Cahn and Hilliard in the time of one implicit one, Δt = 10. The limit is 1/32 where u = 0, and
/// 2/(64 + 16) = 1/40 where |u| = 1: a tenth is left to what is larger there.
const EXPLICIT: u32 = 440;

/// Passes, and fetches for four unknowns, as `docs/pde.md` counts them at 512 x 512 nodes.
const COUNTED: [(u64, f64); 2] = [(27, 106.0), (59, 284.0)];

pub fn all() -> Rows {
    sized(1)
}

/// All rows, each side of a grid divided by so much: tests need not be large.
pub fn sized(divisor: u32) -> Rows {
    let side = 512 / divisor;
    let size = format!("{side}x{side} nodes");
    let explicit = Row::new("Gray-Scott from its file", &size, move |bench| gray_scott(bench, side));
    let implicit = Row::new("Gray-Scott by sbdf2", &size, move |bench| large_steps(bench, side));
    let remark = "on the right 440 steps of euler, which reach the same time";
    let cahn = Row::new("Cahn-Hilliard by steps of 10", &size, move |bench| cahn_hilliard(bench, side));
    vec![
        vec![Row {
            counted: Some((1.0, "steps")),
            remark: Some("on the right the steps of the built-in demo"),
            ..explicit
        }],
        vec![Row { counted: Some((1.0, "steps")), ..implicit }],
        vec![Row { counted: Some((10.0, "units of time")), remark: Some(remark), ..cahn }],
    ]
}

/// Steps of a file.
struct Steps {
    simulation: Simulation,
    /// Steps of a repetition.
    each: u32,
    /// The work of one step, beside what was counted.
    said: Option<String>,
}

impl Work for Steps {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times * self.each).try_for_each(|_| self.simulation.step())?;
        let submitted = clock.elapsed();
        first_texel(self.simulation.state())?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }

    fn said(&self) -> Option<String> {
        self.said.clone()
    }
}

/// Steps of the built-in demo.
struct BuiltIn(GrayScott);

impl Work for BuiltIn {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.0.step())?;
        let submitted = clock.elapsed();
        first_texel(self.0.state())?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

/// A file on a square of nodes a unit apart, after a step that is checked in f64, and three more. An implicit step is as exact as its
/// tolerance, relative to the largest change.
fn started(bench: &Bench, file: &str, side: u32, (scheme, step): (Scheme, f64)) -> Result<Simulation> {
    let shipped = SHIPPED.iter().find(|shipped| shipped.name == file);
    let text = shipped
        .ok_or_else(|| anyhow!("{file} is not among the shipped equations"))?
        .text
        .replace("[128, 128]", &format!("[{side}, {side}]"));
    let overrides = Overrides { scheme: Some(scheme), step: Some(step), ..Overrides::default() };
    let equations = Equations::read(&text, &overrides, &mut NoFiles);
    let equations = equations.map_err(|refusal| match refusal {
        Refusal::Fault(fault) => anyhow!("{fault}"),
        Refusal::Override(line) => anyhow!(line),
    })?;
    let mut simulation = Simulation::new(&bench.gpu, Rc::new(equations))?;
    let expected = simulation.expected()?;
    simulation.step()?;
    let bound = 1e-5 + simulation.slack()?;
    for (found, expected) in simulation.fields()?.iter().zip(expected) {
        check(text.lines().next().unwrap_or_default(), found, expected.into_iter(), bound)?;
    }
    (0..3).try_for_each(|_| simulation.step())?;
    Ok(simulation)
}

/// Steps that say what one of them costs.
fn counted(mut simulation: Simulation, (passes, fetches): (u64, f64)) -> Result<Steps> {
    let cost = simulation.counted_step()?;
    let unknowns = simulation.equations().fields.len() as f64;
    let found = 4.0 / unknowns * cost.fetches;
    let part = |cost: &StepCost| {
        let parts =
            cost.parts.iter().map(|part| format!("{} x {} of {} passes", part.times, part.name, part.passes));
        parts.collect::<Vec<_>>().join(", ")
    };
    let said = format!(
        "a step: {} passes ({}), {found:.0} fetches for four unknowns; at 512x512 {passes} and {fetches:.0} were counted",
        cost.passes,
        part(&cost)
    );
    Ok(Steps { simulation, each: 1, said: Some(said) })
}

fn gray_scott(bench: &Bench, side: u32) -> Result<Pair> {
    let simulation = started(bench, GRAY_SCOTT, side, (Scheme::Euler, 1.0))?;
    let file = Steps { simulation, each: 1, said: None };
    let built_in = GrayScott::new(&bench.gpu, side, side, Parameters::default(), Edges::Repeat, 1)?;
    Ok(Pair::new(file, BuiltIn(built_in)))
}

fn large_steps(bench: &Bench, side: u32) -> Result<Pair> {
    let simulation = started(bench, GRAY_SCOTT, side, (Scheme::Sbdf2, 8.0))?;
    Ok(Pair::alone(counted(simulation, COUNTED[0])?))
}

fn cahn_hilliard(bench: &Bench, side: u32) -> Result<Pair> {
    let implicit = counted(started(bench, CAHN_HILLIARD, side, (Scheme::ImexEuler, 10.0))?, COUNTED[1])?;
    let step = 10.0 / f64::from(EXPLICIT);
    let simulation = started(bench, CAHN_HILLIARD, side, (Scheme::Euler, step))?;
    Ok(Pair::new(implicit, Steps { simulation, each: EXPLICIT, said: None }))
}
