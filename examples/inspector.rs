//! Three mistakes, each with the page that shows it (docs/inspector.md): an offset, a swap, padding.
//! `PAGES=. cargo run --features trace --example inspector` writes the pages into this folder.

use quadrille::trace::{Recorder, Trace, Watch};
use quadrille::{Error, Gpu, Operator, Rect, Result};

// The mean of four neighbours: the last is one of a corner.
const SMOOTH: &str = "uniform Stream u; DOMAIN at; RANGE float next;
void main() {
    float across = valueOffset(u, at, ivec2(1, 0)).x + valueOffset(u, at, ivec2(-1, 0)).x;
    float along = valueOffset(u, at, ivec2(0, 1)).x + valueOffset(u, at, ivec2(1, -1)).x;
    next = 0.25 * (across + along);
}";
const SQUARE: &str = "DOMAIN at; RANGE float square; void main() { square = 0.001 * dot(at, at); }";

// Four sweeps over a point in the middle of a grid; without a swap each reads what the first one read.
fn sweeps(gpu: &Gpu, kernel: &str, swaps: bool) -> Result<()> {
    let point = (0..33 * 33).map(|n| f32::from(n == 16 * 33 + 16));
    let (mut u, mut next) = (gpu.buffer(33, 33).init_from(point)?, gpu.buffer(33, 33).build()?);
    let mut smooth = gpu.program("smooth.frag", kernel)?;
    for _ in 0..4 {
        let _scope = gpu.scope("sweep");
        smooth.bind_stream("u", &u)?.run(&next)?;
        (u, next) = if swaps { (next, u) } else { (u, next) };
    }
    Ok(())
}

// 30 × 30 squares in a buffer of 32 × 32 that was used before: its rim is what that left there.
fn padding_of_before(gpu: &Gpu) -> Result<()> {
    let squares = gpu.buffer(32, 32).init(&[9.0; 32 * 32])?;
    gpu.program("square.frag", SQUARE)?.run_over(&squares, Rect::new(0, 0, 30, 30))?;
    assert!(gpu.reduction(Operator::sum()).value(&squares)?[0] > 1500.0, "540 is right");
    Ok(())
}

// Records a mistake, and writes its page into the folder that PAGES names.
fn recorded(name: &str, mistake: impl Fn(&Gpu) -> Result<()>) -> Result<Trace> {
    let gpu = Gpu::headless()?;
    let recorder = Recorder::start(&gpu, Watch::page())?;
    let trace = mistake(&gpu).map(|()| recorder.end())?;
    if let Ok(folder) = std::env::var("PAGES") {
        let path = format!("{folder}/{name}.html");
        std::fs::write(&path, trace.page()).map_err(|cause| Error::Io { path: path.into(), cause })?;
    }
    Ok(trace)
}

pub fn main() -> Result<()> {
    let trace = recorded("offset", |gpu| sweeps(gpu, SMOOTH, true))?;
    let sources = trace.passes().next().and_then(|pass| trace.sources(pass, (16, 16))).unwrap_or_default();
    assert!(sources.len() == 4 && sources.contains(&(0, (17, 15))), "{sources:?}: one is a corner");
    let trace = recorded("swap", |gpu| sweeps(gpu, &SMOOTH.replace("(1, -1)", "(0, -1)"), false))?;
    let read: Vec<_> = trace.passes().map(|pass| pass.streams[0]).collect();
    assert_eq!(read, [read[0]; 4], "every sweep reads what the first one read");
    let trace = recorded("padding", padding_of_before)?;
    let written = trace.passes().next().and_then(|pass| trace.images[pass.targets[0]].content.as_ref());
    assert!(written.is_some_and(|content| content.ranges[0].1 == 9.0), "the rim is not of this pass");
    Ok(())
}
