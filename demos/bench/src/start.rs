//! From nothing to the first number: whole processes, the program called by itself as `bench start`.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::{Edges, Gpu, Rect};

use super::interleave::Timing;
use super::row::{Bench, Row};
use crate::bare;

/// Cells a side.
const SIDE: u32 = 64;

/// More processes would take long and say no more.
const MOST_ROUNDS: u32 = 31;

pub fn rows() -> Vec<Row> {
    vec![Row::alone("start", &format!("{SIDE}x{SIDE} cells, 1 step"), measure)]
}

/// Steps once on a new context and returns (u, v) of a cell, as [`bare_start`] does: a start-up in a process of its own.
///
/// # Errors
/// The driver's.
pub fn library_start(gpu: &Gpu) -> quadrille::Result<[f32; 2]> {
    let state = [0.5, 0.25].repeat((SIDE * SIDE) as usize);
    let parameters = Parameters::default();
    let mut simulation = GrayScott::from_state(gpu, SIDE, SIDE, parameters, Edges::Repeat, &state)?;
    simulation.step()?;
    let cell = simulation.state().data_of(Rect::whole(1, 1))?;
    Ok([cell[0], cell[1]])
}

/// The same without the library, on the EGL device of that number: opens the context too.
///
/// # Errors
/// The driver's words.
pub fn bare_start(embedded: bool, device: usize) -> Result<[f32; 2]> {
    bare::start::start(embedded, device).map_err(|why| anyhow!("bare start: {why}"))
}

/// Starts processes of both kinds in turns.
fn measure(bench: &Bench) -> Result<Timing> {
    let mut rounds = Vec::new();
    for round in 0..bench.rounds.min(MOST_ROUNDS) + 1 {
        let (library, bare) = match round % 2 {
            0 => (process(bench, false)?, process(bench, true)?),
            _ => {
                let bare = process(bench, true)?;
                (process(bench, false)?, bare)
            }
        };
        ensure!((library.1 - bare.1).abs() < 1e-6, "start: {} by the library, {} bare", library.1, bare.1);
        // The first one fills the caches of the system.
        if round > 0 {
            rounds.push((library.0, bare.0));
        }
    }
    Ok(Timing::of_processes(rounds))
}

/// Milliseconds from spawning to the end, and the u it printed.
fn process(bench: &Bench, bare: bool) -> Result<(f64, f64)> {
    let driver = bench.gpu.driver();
    let number = driver.device.as_deref().and_then(|device| device.split(' ').next()).unwrap_or("0");
    let api = if driver.embedded { "gles" } else { "gl" };
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["bench", "start", "--api", api, "--device", number]);
    if bare {
        command.arg("--bare");
    }
    let clock = Instant::now();
    let ended = command.output().context("a process of its own")?;
    let milliseconds = clock.elapsed().as_secs_f64() * 1e3;
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    ensure!(ended.status.success(), "start: {}", words(&ended.stderr));
    let printed = words(&ended.stdout);
    let u = printed.split(' ').next().and_then(|u| u.parse().ok());
    Ok((milliseconds, u.with_context(|| format!("start printed \"{printed}\""))?))
}
