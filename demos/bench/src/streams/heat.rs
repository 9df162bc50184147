//! Heat around obstacles on a third of a plate, a step by each way of sparing what need not be computed.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::Gpu;
use quadrille::sim::Heat;
use quadrille::sim::heat::{Flow, Parameters, STATE};

use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::{check, first_texel};

const SIDE: u32 = 1024;

/// The ways take turns on plates of that side, divided by so much.
pub fn rows(divisor: u32) -> Rows {
    let side = SIDE / divisor;
    let row = |flow: Flow| {
        let name = format!("heat by {}", flow.name());
        let row = Row::new(&name, &format!("{side}x{side} cells"), move |bench: &Bench| {
            steps(&bench.gpu, side, flow)
        });
        Row { counted: Some((1.0, "steps")), remark: Some(flow.shows()), ..row }
    };
    vec![Flow::ALL.map(row).into()]
}

/// A plate, on which heat spreads.
struct Steps(Heat);

impl Work for Steps {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.0.step())?;
        let submitted = clock.elapsed();
        first_texel(self.0.temperature())?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn steps(gpu: &Gpu, side: u32, flow: Flow) -> Result<Pair> {
    let mut heat = Heat::new(gpu, side, side, Parameters::default(), flow, 1)?;
    let state = heat.state()?;
    let obstacles = state.as_chunks::<STATE>().0.iter().filter(|cell| cell[1] == 0.0).count();
    ensure!(4 * obstacles > heat.cells().len(), "heat: {obstacles} obstacles are no third of the plate");
    let (plate, u) = quadrille_oracle::heat::Plate::of(&heat, &state);
    heat.step()?;
    // Temperatures from 0 to 1: four differences and their sums, times a quarter, the product and its sum with u.
    let bound = (13.0 / 4.0 + 2.0) * 2f64.powi(-24);
    check(flow.name(), &heat.temperature().data()?, plate.step(&u).into_iter(), bound)?;
    Ok(Pair::alone(Steps(heat)))
}
