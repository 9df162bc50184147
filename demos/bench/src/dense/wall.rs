//! The wall of 60 cubes in the midst of its fall: a step with all groups in a few passes, and with one dense system.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::Error;
use quadrille::linalg::Algebra;
use quadrille::sim::contact::{Body, Collide, Form, Parameters, World};

use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};

const COLUMNS: usize = 10;
const ROWS: usize = 6;

/// Steps after the push, when most cubes are in the air or on others.
const BEFORE: usize = 40;

/// Steps a round at least.
const LEAST: u32 = 16;

pub fn rows() -> Rows {
    let row = |name: &str, form: Form| {
        let row = Row::new(name, &format!("{} cubes", COLUMNS * ROWS), move |bench| pair(bench, form));
        Row { counted: Some((1.0, "steps")), ..row }
    };
    vec![vec![row("wall, groups", Form::Groups), row("wall, one dense system", Form::Dense)]]
}

/// Steps from the same bodies on, each time anew.
struct WallSteps {
    algebra: Algebra,
    bodies: Vec<Body>,
    parameters: Parameters,
    collide: Box<dyn Collide>,
    deepest: f64,
}

impl WallSteps {
    fn new(bench: &Bench, form: Form) -> Result<WallSteps> {
        let algebra = Algebra::new(&bench.gpu);
        let unsupported = || Error::Unsupported {
            what: "falling cubes".into(),
            needs: "contacts between boxes, which this build does not find",
            renderer: bench.gpu.driver().renderer.clone(),
        };
        let mut collide = bench.collide.ok_or_else(unsupported)?();
        let parameters = |form| Parameters { form, ..Parameters::default() };
        let mut world = World::wall(&algebra, COLUMNS, ROWS, parameters(Form::Reference))?;
        world.knock()?;
        (0..BEFORE).try_for_each(|_| world.step(&mut *collide))?;
        let (bodies, parameters) = (world.bodies().to_vec(), parameters(form));
        Ok(WallSteps { algebra, bodies, parameters, collide, deepest: 0.0 })
    }
}

impl Work for WallSteps {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let mut world = World::new(&self.algebra, self.bodies.clone(), self.parameters)?;
        // The first has no impulses to start from.
        world.step(&mut *self.collide)?;
        let clock = Instant::now();
        for _ in 0..times {
            world.step(&mut *self.collide)?;
            self.deepest = self.deepest.max(world.report().penetration);
        }
        let done = clock.elapsed();
        Ok(Elapsed { submitted: done, done })
    }
}

fn pair(bench: &Bench, form: Form) -> Result<Pair> {
    let mut library = WallSteps::new(bench, form)?;
    library.run(LEAST)?;
    ensure!(library.deepest <= 0.02, "the wall: cubes lie {} edges in one another", library.deepest);
    let pair = Pair::alone(library).at_least(LEAST);
    match form {
        Form::Groups => {
            Ok(pair.beside("Gauss-Seidel in f64 on the CPU", WallSteps::new(bench, Form::Reference)?))
        }
        _ => Ok(pair),
    }
}
