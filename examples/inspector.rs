//! Three mistakes, each with the page that shows it (docs/inspector.md): an offset, a swap, padding.
//!
//! `PAGES=. cargo run --features trace --example inspector` writes the pages into this folder.

use std::path::PathBuf;

use quadrille::trace::{Pass, Recorder, Trace, Watch, What};
use quadrille::{Buffer, Error, Gpu, Operator, Program, Rect};

/// The mean of four neighbours: the last is one of a corner.
const SMOOTH: &str = "uniform Stream u;
DOMAIN at;
RANGE float next;
void main() {
    float across = valueOffset(u, at, ivec2(1, 0)).x + valueOffset(u, at, ivec2(-1, 0)).x;
    float along = valueOffset(u, at, ivec2(0, 1)).x + valueOffset(u, at, ivec2(1, -1)).x;
    next = 0.25 * (across + along);
}";

/// A point in the middle of a grid of 33 × 33.
fn point(gpu: &Gpu) -> quadrille::Result<Buffer> {
    let mut values = vec![0.0; 33 * 33];
    values[16 * 33 + 16] = 1.0;
    gpu.buffer(33, 33).init(&values)
}

fn wrong_offset(gpu: &Gpu) -> quadrille::Result<()> {
    let (mut u, mut next) = (point(gpu)?, gpu.buffer(33, 33).build()?);
    let mut smooth = gpu.program("smooth.frag", SMOOTH)?;
    for _ in 0..4 {
        let _scope = gpu.scope("sweep");
        smooth.bind_stream("u", &u)?.run(&next)?;
        std::mem::swap(&mut u, &mut next);
    }
    Ok(())
}

fn missing_swap(gpu: &Gpu) -> quadrille::Result<()> {
    let (u, next) = (point(gpu)?, gpu.buffer(33, 33).build()?);
    let mut smooth = gpu.program("smooth.frag", &SMOOTH.replace("ivec2(1, -1)", "ivec2(0, -1)"))?;
    for _ in 0..4 {
        let _scope = gpu.scope("sweep");
        smooth.bind_stream("u", &u)?.run(&next)?;
        // `u` and `next` do not change places.
    }
    Ok(())
}

/// 30 × 30 squares in a buffer of 32 × 32 that was used before: its rim is what that left there.
fn padding_of_before(gpu: &Gpu) -> quadrille::Result<()> {
    let squares = gpu.buffer(32, 32).init(&[9.0; 32 * 32])?;
    let square: Program = gpu.program(
        "square.frag",
        "DOMAIN at;\nRANGE float square;\nvoid main() { square = 0.001 * dot(at, at); }",
    )?;
    square.run_over(&squares, Rect::new(0, 0, 30, 30))?;
    let sum = gpu.reduction(Operator::sum()).value(&squares)?;
    assert!(sum[0] > 1500.0, "540 is right");
    Ok(())
}

fn passes(trace: &Trace) -> Vec<&Pass> {
    let steps = trace.steps.iter();
    let passes = steps.filter_map(|step| match &step.what {
        What::Pass(pass) => Some(&**pass),
        _ => None,
    });
    passes.collect()
}

/// Records a mistake, and writes its page into the folder that PAGES names.
fn recorded(name: &str, mistake: fn(&Gpu) -> quadrille::Result<()>) -> quadrille::Result<Trace> {
    let gpu = Gpu::headless()?;
    let recorder = Recorder::start(&gpu, Watch::page())?;
    mistake(&gpu)?;
    let trace = recorder.trace();
    if let Some(folder) = std::env::var_os("PAGES") {
        let path = PathBuf::from(folder).join(format!("{name}.html"));
        let failed = |cause| Error::Io { path: path.clone(), cause };
        std::fs::write(&path, trace.page()).map_err(failed)?;
        println!("wrote {}", path.display());
    }
    Ok(trace)
}

pub fn main() -> quadrille::Result<()> {
    let trace = recorded("offset", wrong_offset)?;
    let mut sources = trace.sources(passes(&trace)[0], (16, 16)).unwrap_or_default();
    sources.sort();
    assert_eq!(
        sources,
        [(15, 16), (16, 17), (17, 15), (17, 16)].map(|texel| (0, texel)),
        "(17, 15) is none of the four"
    );

    let trace = recorded("swap", missing_swap)?;
    let read: Vec<_> = passes(&trace).iter().map(|pass| pass.streams[0]).collect();
    assert!(read.iter().all(|stream| *stream == read[0]), "every sweep reads what the first one read");

    let trace = recorded("padding", padding_of_before)?;
    let written = &trace.images[passes(&trace)[0].targets[0]];
    let range = written.content.as_ref().map(|content| content.ranges[0]);
    assert!(range.is_some_and(|(_, most)| most == 9.0), "{range:?}: the rim is not of this pass");
    Ok(())
}
