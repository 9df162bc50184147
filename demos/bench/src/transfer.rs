//! 16 MiB to the GPU and back.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::Buffer;

use super::interleave::{Bare, Elapsed, Pair, Work};
use super::row::{Bench, Row};
use super::stepping::{first_texel, numbers};
use crate::bare::{BareLoop, Download, Upload};

const WIDTH: u32 = 2048;
const HEIGHT: u32 = 512;

pub fn rows() -> Vec<Row> {
    vec![Row::new("upload", "16 MiB", upload), Row::new("read-back", "16 MiB", download)]
}

struct Writing {
    buffer: Buffer,
    values: Vec<f32>,
}

impl Work for Writing {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.buffer.write(&self.values))?;
        let submitted = clock.elapsed();
        first_texel(&self.buffer)?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

struct Reading {
    buffer: Buffer,
    values: Vec<f32>,
}

impl Work for Reading {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            self.buffer.data_into(&mut self.values)?;
        }
        let submitted = clock.elapsed();
        first_texel(&self.buffer)?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn all_numbers() -> Vec<f32> {
    numbers((WIDTH * HEIGHT * 4) as usize)
}

fn upload(bench: &Bench) -> Result<Pair> {
    let values = all_numbers();
    let gpu = bench.gpu.clone();
    let buffer = gpu.buffer(WIDTH, HEIGHT).components(4).build()?;
    let lap = bench.bare(|bare| Upload::new(bare, WIDTH, HEIGHT, &values))?;
    let mut library = Writing { buffer, values };
    library.run(1)?;
    ensure!(library.buffer.data()? == library.values, "upload: other values came back");
    Ok(Pair::new(library, Bare { gpu, lap }))
}

fn download(bench: &Bench) -> Result<Pair> {
    let values = all_numbers();
    let gpu = bench.gpu.clone();
    let buffer = gpu.buffer(WIDTH, HEIGHT).components(4).init(&values)?;
    let lap = bench.bare(|bare| {
        let mut lap = Download::new(bare, WIDTH, HEIGHT, &values)?;
        lap.draw(1);
        quadrille::Result::Ok(lap)
    })?;
    let mut library = Reading { buffer, values: Vec::new() };
    library.run(1)?;
    ensure!(library.values == values && lap.values() == values, "read-back: other values came back");
    Ok(Pair::new(library, Bare { gpu, lap }))
}
