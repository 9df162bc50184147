//! `quadrille bench costs`: what products cost here, measured once and kept for `solve --storage auto`.

use anyhow::Result;
use quadrille::Gpu;
use quadrille::linalg::{Algebra, Banded, Costs, Dense, Gather, Packed2x2, Points};
use quadrille::reference::{Csr, matrices};

use super::chapter44::problem::Problem;
use super::interleave::{Pair, measure};
use super::sparse::{Kind, Sample};
use crate::cli::ContextArguments;
use crate::costs::{Kept, Table, own_limits};
use crate::output::{self, Usage};

/// Rows of the matrices: enough that a pass's own cost is small.
const SIDE: u32 = 256;
const ROWS: f64 = (SIDE * SIDE) as f64;

/// Off-diagonal entries of a row in the two matrices whose difference is what entries cost.
const FEW: usize = 2;
const MANY: usize = 10;

/// Rows and columns of the dense matrix.
const DENSE: usize = 1024;

/// Texels across the rectangles tried. One is kept if it saves a tenth: less is the machine's mood.
const WIDTHS: [u32; 4] = [8, 32, 128, 512];
const WORTH: f64 = 0.9;

const ROUNDS: u32 = 5;

/// With these x stays packed, and with those it is copied.
const PACKED: Costs = Costs { pass: 65_536.0, texel: 2.0, copy: 1.0, packed: 0.0, width: None };
const COPIED: Costs = Costs { packed: 1e9, ..PACKED };

pub fn run(arguments: &ContextArguments) -> Result<()> {
    let gpu = arguments.headless()?;
    if !own_limits(&gpu) {
        let line = format!("the limits of {} are in force: costs are a driver's own", gpu.limits().name);
        return Err(Usage(line).into());
    }
    let kept = Kept::keep(&gpu, table(&gpu)?)?;
    output::say(&format!("{}; {}", gpu.driver().renderer, gpu.driver().version))?;
    output::say(&format!("{:#}", kept.table.json()))?;
    output::say(&format!("kept in {}", kept.path.display()))
}

/// Nanoseconds of each kind of product, taken apart into what they are made of.
fn table(gpu: &Gpu) -> Result<Table> {
    let blends = gpu.limits().float_blend;
    let mut pairs = products(gpu)?;
    if blends {
        pairs.push(points(gpu)?);
    }
    let timings = measure(gpu, false, ROUNDS, pairs)?;
    let times: Vec<f64> = timings.iter().map(|timing| 1e6 * timing.wall.library).collect();
    let [pass, few, many, few_copied, many_copied, banded, dense, ..] = times[..] else {
        anyhow::bail!("{} products were timed", times.len());
    };
    let groups = ROWS / 4.0;
    let slot = |many: f64, few: f64| ((many - few) / (MANY - FEW) as f64 / groups).max(0.0);
    let (packed, copied) = (slot(many, few), slot(many_copied, few_copied));
    let fetch = copied.min(packed) / 6.0; // entries, addresses, four elements
    let above = |time: f64, passes: f64| (time - passes * pass).max(0.0);
    let squares = times[7];
    let wide = times[8..8 + WIDTHS.len()].iter().zip(WIDTHS).min_by(|a, b| a.0.total_cmp(b.0));
    Ok(Table {
        pass,
        fetch,
        texel: (above(few, 1.0) / groups - FEW as f64 * packed).max(0.0),
        copy: (above(few_copied, 2.0) - above(few, 1.0) + (packed - copied) * groups * FEW as f64).max(0.0)
            / ROWS,
        packed: (packed - copied).max(0.0) / 4.0,
        banded: above(banded, 1.0) / (5.0 * ROWS),
        dense: above(dense, 2.0) / (DENSE * DENSE) as f64,
        points: blends.then(|| above(times[8 + WIDTHS.len()], 2.0) / (ROWS * (FEW + 1) as f64)),
        width: wide.filter(|&(&time, _)| time < WORTH * squares).map(|(_, width)| width),
    })
}

/// In the order in which they are taken apart.
fn products(gpu: &Gpu) -> Result<Vec<Pair>> {
    let algebra = Algebra::new(gpu);
    let layout = Packed2x2::grid(SIDE, SIDE)?;
    let gather = |matrix: Csr, layout: Packed2x2, costs: &Costs| {
        let problem = Problem::new(matrix, layout);
        problem.alone(&algebra, Gather::by_costs(&algebra, layout, layout, problem.matrix.clone(), costs)?)
    };
    let bands = |entries: usize| {
        let reach = entries as isize / 2;
        let offsets: Vec<isize> = (-reach..=reach).collect();
        matrices::banded(layout.len(), layout.len(), &offsets, 1)
    };
    let mut pairs = vec![gather(Csr::poisson(4, 4)?, Packed2x2::grid(4, 4)?, &PACKED)?];
    for costs in [PACKED, COPIED] {
        pairs.push(gather(bands(FEW)?, layout, &costs)?);
        pairs.push(gather(bands(MANY)?, layout, &costs)?);
    }
    let grid = Problem::new(Csr::poisson(SIDE as usize, SIDE as usize)?, layout);
    pairs.push(grid.alone(&algebra, Banded::new(&algebra, layout, grid.matrix.clone())?)?);
    let full = Problem::new(matrices::random(DENSE, DENSE, DENSE, DENSE, 1)?, Packed2x2::folded(DENSE)?);
    let dense = Dense::from_csr(&algebra, full.layout, full.layout, &full.matrix)?;
    pairs.push(full.alone(&algebra, dense)?);
    let ragged = Sample::of(Kind::PowerLaw, SIDE / 2, SIDE / 2);
    let (matrix, layout) = (ragged.matrix()?, ragged.layout()?);
    for width in [None].into_iter().chain(WIDTHS.map(Some)) {
        pairs.push(gather(matrix.clone(), layout, &Costs { width, ..Costs::default() })?);
    }
    Ok(pairs)
}

fn points(gpu: &Gpu) -> Result<Pair> {
    let algebra = Algebra::new(gpu);
    let layout = Packed2x2::grid(SIDE, SIDE)?;
    let problem = Problem::new(matrices::banded(layout.len(), layout.len(), &[-1, 0, 1], 1)?, layout);
    problem.alone(&algebra, Points::new(&algebra, layout, layout, problem.matrix.clone())?)
}
