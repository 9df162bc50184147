//! Figure 3 of Bolz et al. measured again: what a rectangle of rows costs by its area, and by its width.

use anyhow::Result;
use quadrille::kernels;
use quadrille::linalg::{Algebra, Costs, Gather, Packed2x2};

use super::super::chapter44::problem::Problem;
use super::super::intensity::SCALE_SHIFT;
use super::super::interleave::Pair;
use super::super::row::{Bench, Row, Rows};
use super::super::stepping::{Alternating, check};
use super::samples::{Kind, Sample};

/// Columns and rows of fragments; the paper's own choice is the third.
const AREAS: [(u32, u32); 7] = [(8, 8), (16, 16), (26, 18), (32, 32), (64, 64), (128, 128), (512, 32)];

/// Texels across all rectangles of a matrix, and as square as can be.
const WIDTHS: [Option<u32>; 5] = [Some(8), Some(32), Some(128), Some(512), None];

/// Operations of the kernel without fetches: long enough that a fragment of it is all that a pass costs.
const OPERATIONS: u32 = 256;

/// Columns and rows of the rectangles without fetches: lines of 32 fragments up to the paper's batch of 512, then squares, four
/// to a doubling of their side.
fn areas(divisor: u32) -> impl Iterator<Item = (u32, u32)> {
    let squares = (0..22).map(|k| (27.0 * 2f64.powf(f64::from(k) / 4.0)).round() as u32);
    (1..=16).map(|lines| (32, lines)).chain(squares.map(move |side| ((side / divisor).max(1), side)))
}

pub fn rows(divisor: u32) -> Rows {
    let without = |(width, height): (u32, u32)| {
        let build = move |bench: &Bench| without_fetches(bench, width, height);
        let row = Row::new("rectangle without fetches", &format!("{width}x{height} fragments"), build);
        Row { counted: Some((f64::from(width * height), "fragments")), ..row }
    };
    let area = |(width, height): (u32, u32)| {
        let sample = Sample::of(Kind::Mesh, 2 * width, 2 * height);
        let build = move |bench: &Bench| product(bench, sample, Costs::default());
        let row = Row::new("rectangle of seven entries a row", &format!("{width}x{height} fragments"), build);
        Row { counted: Some((f64::from(width * height), "fragments")), ..row }
    };
    let side = 256 / divisor;
    let width = |width: Option<u32>| {
        let sample = Sample::of(Kind::PowerLaw, side, side);
        let build = move |bench: &Bench| product(bench, sample, Costs { width, ..Costs::default() });
        let across = width.map_or("square".to_owned(), |width| format!("{width} across"));
        let row = Row::new("rectangles of a power law", &across, build);
        Row { counted: Some((sample.entries() as f64, "non-zeros")), ..row }
    };
    vec![
        areas(divisor).map(without).collect(),
        AREAS.into_iter().map(area).collect(),
        WIDTHS.into_iter().map(width).collect(),
    ]
}

fn product(bench: &Bench, sample: Sample, costs: Costs) -> Result<Pair> {
    let layout: Packed2x2 = sample.layout()?;
    let problem = Problem::new(sample.matrix()?, layout);
    let algebra = Algebra::new(&bench.gpu);
    let gather = Gather::by_costs(&algebra, layout, layout, problem.matrix.clone(), &costs)?;
    problem.alone(&algebra, gather)
}

/// The paper's own experiment: a long program that fetches nothing, so that neither memory nor setting up is measured.
fn without_fetches(bench: &Bench, width: u32, height: u32) -> Result<Pair> {
    let kernel = kernels::named("bench/multiply_add.frag")?;
    let kernel = kernel.define("NO_FETCH", 1).define("OPERATIONS", format!("R{OPERATIONS}"));
    let mut program = bench.gpu.load(kernel)?;
    program.bind_float("scale", SCALE_SHIFT[0])?.bind_float("shift", SCALE_SHIFT[1])?;
    let buffer = || bench.gpu.buffer(width, height).components(4).build();
    let mut library = Alternating { program, targets: [buffer()?, buffer()?] };
    let [scale, shift] = SCALE_SHIFT.map(f64::from);
    let texels = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
    let expected: Vec<f64> = texels
        .flat_map(|at| {
            let [x, y] = at.map(|place| (f64::from(place) + 0.5) / 128.0);
            [x, y, x / 2.0, y / 2.0]
        })
        .map(|start| (0..OPERATIONS).fold(start.fract(), |value, _| value * scale + shift))
        .collect();
    // Each operation rounds twice, numbers of at most 1; a place is interpolated to 24 bits of the rectangle's side, at most 2048.
    let bound = 2.0 * f64::from(OPERATIONS) * 2f64.powi(-24) + 2048.0 / 128.0 * 2f64.powi(-22);
    check("arithmetic without fetches", &library.once()?, expected.into_iter(), bound)?;
    Ok(Pair::alone(library))
}
