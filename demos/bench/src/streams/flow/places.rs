//! Decisions by place: edges with a kernel of their own, and cells that are found by subdivision.

use anyhow::{Result, ensure};
use quadrille::pug::{frame, subdivide};
use quadrille::{Buffer, Gpu, Program, Rect, kernels};

use super::super::super::interleave::Pair;
use super::super::super::row::Rows;
use super::super::super::row::{Bench, Row};
use super::super::super::stepping::numbers;
use super::Drawing;

const EDGES: [u32; 2] = [64, 1024];
const GRID: u32 = 1024;
/// Cells of subdivision.
const CELL: u32 = 32;
const LEVEL: f32 = 0.45;

pub fn rows(divisor: u32) -> Rows {
    let framed = |side: u32| {
        let build = move |bench: &Bench| edges(&bench.gpu, side / divisor);
        let row = Row::new("interior and edges by kernels of their own", &format!("{side}x{side}"), build);
        Row { remark: Some("bare: one kernel that branches"), ..row }
    };
    let refined = |what: &str, trips: u32| {
        let build = move |bench: &Bench| refined(&bench.gpu, GRID / divisor, trips);
        let size = format!("{GRID}x{GRID}, cells of {CELL}x{CELL}");
        Row { remark: Some("bare: all texels"), ..Row::new(what, &size, build) }
    };
    vec![
        EDGES.map(framed).into(),
        vec![
            refined("isoline by subdivision, 2 trips a texel", 2),
            refined("isoline by subdivision, 256 trips a texel", 256),
        ],
    ]
}

fn edges(gpu: &Gpu, side: u32) -> Result<Pair> {
    let values: Vec<f32> = numbers((side * side) as usize).iter().map(|v| v.abs()).collect();
    let plate = gpu.buffer(side, side).init(&values)?;
    let cool = |place: u32| -> Result<Program> {
        let mut program = gpu.load(kernels::named("flow/plate_cool.frag")?.define("PLACE", place))?;
        program.bind_stream("plate", &plate)?.bind_float("r", 0.2)?;
        if place != 1 {
            program.bind_float("loss", 0.05)?;
        }
        Ok(program)
    };
    let (whole, inner, rim) = (cool(0)?, cool(1)?, cool(2)?);
    let (interior, edges) = frame(plate.rect(), 1);
    let mut resolved = Drawing::new(gpu, side, move |target: &Buffer| {
        interior.map_or(Ok(()), |interior| inner.run_over(target, interior))?;
        edges.iter().try_for_each(|&edge| rim.run_over(target, edge))
    })?;
    let mut branching = Drawing::new(gpu, side, move |target: &Buffer| whole.run(target))?;
    let same = |(a, b): (&f32, &f32)| (a - b).abs() <= 4.0 * f32::EPSILON; // 2 ulp of what lies below 2
    ensure!(resolved.drawn()?.iter().zip(&branching.drawn()?).all(same), "interior and edges differ");
    Ok(Pair::new(resolved, branching))
}

/// Works at every texel, or in the cells around an isoline alone.
fn refined(gpu: &Gpu, side: u32, trips: u32) -> Result<Pair> {
    let heights = hill(side);
    let field = gpu.buffer(side, side).init(&heights)?;
    let mut ask =
        gpu.load(kernels::named("flow/isoline_ask.frag")?.define("EXACT", 0).define("MASKED", 0))?;
    ask.bind_stream("field", &field)?.bind_float("level", LEVEL)?;
    let orbits = || -> Result<Program> {
        let kernel = kernels::named("flow/orbit_count.frag")?.define("EXIT", 0).define("TRIPS", trips);
        let mut program = gpu.load(kernel)?;
        program.bind_float("origin", [-2.0, -1.25])?.bind_float("pitch", 2.5 / side as f32)?;
        Ok(program)
    };
    let (in_cells, everywhere) = (orbits()?, orbits()?);
    let (device, whole, nowhere) = (gpu.clone(), field.rect(), gpu.buffer(1, 1).build()?);
    let slope = STEEPEST / side as f32;
    let mut cells = Drawing::new(gpu, side, move |target: &Buffer| {
        let cells = subdivide(&device, whole, CELL, |cell| {
            let (x, y) = ((cell.x0 + cell.x1) / 2, (cell.y0 + cell.y1) / 2);
            let steps = (x - cell.x0).max(cell.x1 - x) + (y - cell.y0).max(cell.y1 - y);
            ask.bind_domain("at", Rect::new(x, y, x + 1, y + 1))?;
            ask.bind_float("reach", slope * steps as f32)?.run(&nowhere)
        })?;
        cells.iter().try_for_each(|&cell| in_cells.run_over(target, cell))
    })?;
    let mut all = Drawing::new(gpu, side, move |target: &Buffer| everywhere.run(target))?;
    let (found, expected) = (cells.drawn()?, all.drawn()?);
    let above: Vec<bool> = heights.iter().map(|&height| height >= LEVEL).collect();
    for (i, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
        let crosses = |other: usize| above.get(other).is_some_and(|&other| other != above[i]);
        let crossed = crosses(i + side as usize) || ((i + 1) % side as usize != 0 && crosses(i + 1));
        // Texels that are not drawn are 0; each orbit makes one trip at least.
        ensure!(
            found == expected || (found == 0.0 && !crossed),
            "texel {i} of an isoline is {found}, not {expected}"
        );
    }
    Ok(Pair::new(cells, all))
}

/// More than the hill climbs along either axis over a whole side: √(2/e) / 0.3 = 2.86.
const STEEPEST: f32 = 3.0;

/// exp(−|x − c|²/w²) around the middle, w = 0.3.
fn hill(side: u32) -> Vec<f32> {
    let from_middle = |i: u32| f64::from(i) / f64::from(side) - 0.5;
    let value = |x: u32, y: u32| (-(from_middle(x).powi(2) + from_middle(y).powi(2)) / 0.09).exp() as f32;
    (0..side).flat_map(|y| (0..side).map(move |x| value(x, y))).collect()
}
