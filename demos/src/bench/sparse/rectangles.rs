//! Figure 3 of Bolz et al. measured again: what a rectangle of rows costs by its area, and by its width.

use anyhow::Result;
use quadrille::linalg::{Algebra, Costs, Gather, Packed2x2};

use super::super::chapter44::problem::Problem;
use super::super::interleave::Pair;
use super::super::row::{Bench, Row};
use super::super::suite::Rows;
use super::samples::{Kind, Sample};

/// Columns and rows of fragments; the paper's own choice is the third.
const AREAS: [(u32, u32); 7] = [(8, 8), (16, 16), (26, 18), (32, 32), (64, 64), (128, 128), (512, 32)];

/// Texels across all rectangles of a matrix, and as square as can be.
const WIDTHS: [Option<u32>; 5] = [Some(8), Some(32), Some(128), Some(512), None];

pub fn rows(divisor: u32) -> Rows {
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
    vec![AREAS.into_iter().map(area).collect(), WIDTHS.into_iter().map(width).collect()]
}

fn product(bench: &Bench, sample: Sample, costs: Costs) -> Result<Pair> {
    let layout: Packed2x2 = sample.layout()?;
    let problem = Problem::new(sample.matrix()?, layout);
    let algebra = Algebra::new(&bench.gpu);
    let gather = Gather::by_costs(&algebra, layout, layout, problem.matrix.clone(), &costs)?;
    problem.alone(&algebra, gather)
}
