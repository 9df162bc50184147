//! Feedback two ways (§31.2.1): render to texture, and draw and copy to texture.

use std::time::Instant;

use anyhow::Result;
use quadrille::pug::StreamHandle;
use quadrille::{Buffer, Program};

use super::intensity::{SCALE_SHIFT, check_steps, multiply_add};
use super::interleave::{Bare, Elapsed, Pair, Work};
use super::row::{Bench, Measured, Row, timing};
use super::stepping::{first_texel, numbers};
use crate::bare::{BareLoop, CopyToTexture};

const SIDE: u32 = 512;
const RENDER: &str = "feedback by render to texture";
const COPY: &str = "feedback by copy to texture";

pub fn rows() -> Vec<Row> {
    let size = format!("{SIDE}x{SIDE} texels");
    let render = |bench: &Bench| multiply_add(bench, SIDE, SIDE, 1);
    vec![Row::new(RENDER, &size, render), Row::new(COPY, &size, copy)]
}

/// How many times as long copying takes: library, bare.
pub fn cost(rows: &[Measured]) -> Option<(f64, f64)> {
    Some(timing(rows, COPY)?.over(timing(rows, RENDER)?))
}

/// The library's side of copying.
struct Copying {
    program: Program,
    values: StreamHandle,
    drawn: Buffer,
    read: Buffer,
}

impl Work for Copying {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            self.program.bind_stream(self.values, &self.read)?;
            self.program.run(&self.drawn)?;
            self.read.copy_from(&self.drawn)?;
        }
        let submitted = clock.elapsed();
        first_texel(&self.read)?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn copy(bench: &Bench) -> Result<Pair> {
    let numbers = numbers((SIDE * SIDE * 4) as usize);
    let gpu = &bench.gpu;
    let mut program = gpu.builtin("bench/multiply_add.frag")?;
    program.bind_float("scale", SCALE_SHIFT[0])?.bind_float("shift", SCALE_SHIFT[1])?;
    let values = program.stream("values")?;
    let buffer = || gpu.buffer(SIDE, SIDE).components(4);
    let (drawn, read) = (buffer().build()?, buffer().init(&numbers)?);
    let mut library = Copying { program, values, drawn, read };
    library.run(1)?;
    let (lap, texels) = bench.bare(|bare| {
        let mut lap = CopyToTexture::new(bare, SIDE, SIDE, SCALE_SHIFT, &numbers)?;
        lap.draw(1);
        let texels = lap.texels();
        quadrille::Result::Ok((lap, texels))
    })?;
    check_steps(COPY, &library.read.data()?, &numbers, 1)?;
    check_steps("bare copy to texture", &texels, &numbers, 1)?;
    Ok(Pair::new(library, Bare { gpu: gpu.clone(), lap }))
}
