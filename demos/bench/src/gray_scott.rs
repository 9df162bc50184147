//! Steps of Gray–Scott, as the demo takes them.

use std::time::Instant;

use anyhow::Result;
use quadrille::gl::Edges;
use quadrille::sim::gray_scott::{GrayScott, Parameters, seed};
use quadrille_oracle as oracle;

use super::interleave::{Bare, Elapsed, Pair, Work};
use super::row::{Bench, Row};
use super::stepping::{check, first_texel};
use crate::bare::{BareLoop, PingPong};

const SIDE: u32 = 512;

pub fn rows() -> Vec<Row> {
    let row = Row::new("Gray-Scott", &format!("{SIDE}x{SIDE} cells"), build);
    vec![Row { counted: Some((1.0, "steps")), ..row }]
}

struct Steps {
    simulation: GrayScott,
}

impl Work for Steps {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.simulation.step())?;
        let submitted = clock.elapsed();
        first_texel(self.simulation.state())?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn build(bench: &Bench) -> Result<Pair> {
    let (gpu, parameters) = (bench.gpu.clone(), Parameters::default());
    let simulation = GrayScott::new(&gpu, SIDE, SIDE, parameters, Edges::Repeat, 1)?;
    let mut library = Steps { simulation };
    library.run(1)?;
    let state = seed(SIDE, SIDE, 1);
    let (lap, texels) = bench.bare(|bare| {
        let Parameters { feed, kill, du, dv } = parameters;
        let mut lap = PingPong::gray_scott(bare, SIDE, SIDE, [feed, kill, du, dv], &state)?;
        lap.draw(1);
        let texels = lap.texels();
        quadrille::Result::Ok((lap, texels))
    })?;
    let before: Vec<f64> = state.iter().map(|&value| f64::from(value)).collect();
    let side = SIDE as usize;
    let expected = oracle::gray_scott::step(&before, side, side, parameters.as_f64(), Edges::Repeat);
    let pairs: Vec<f32> = texels.chunks_exact(4).flat_map(|texel| [texel[0], texel[1]]).collect();
    let bound = 16.0 * 2f64.powi(-24); // eleven operations on numbers below 1.1
    check("Gray-Scott", &library.simulation.state().data()?, expected.iter().copied(), bound)?;
    check("bare Gray-Scott", &pairs, expected.iter().copied(), bound)?;
    Ok(Pair::new(library, Bare { gpu, lap }))
}
