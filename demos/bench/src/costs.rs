//! `quadrille bench costs`: the costs of products on this driver.

use std::time::Duration;

use anyhow::{Result, bail};
use quadrille::Gpu;
use quadrille::linalg::{
    Algebra, Banded, Costs, Dense, DriverCosts, Gather, LinearOperator, Packed2x2, Points,
};
use quadrille::numeric::Csr;
use quadrille_oracle::matrices;

use super::chapter44::problem::Problem;
use super::interleave::Work;
use super::sparse::{Kind, Sample};

/// Rows of the matrices: enough that a pass's own cost is small.
const SIDE: u32 = 256;
const ROWS: f64 = (SIDE * SIDE) as f64;

/// Off-diagonal entries of a row in the two matrices whose difference is what entries cost.
const FEW: usize = 2;
const MANY: usize = 12;

/// Rows and columns of the dense matrix.
const DENSE: usize = 1024;

/// Texels across the rectangles tried. One is kept if it saves a tenth: less is the machine's mood.
const WIDTHS: [u32; 4] = [8, 32, 128, 512];
const WORTH: f64 = 0.9;

/// Rounds of which the quickest counts: whatever else the machine does only adds to a time.
const ROUNDS: u32 = 9;

/// How long one turn lasts at least.
const TURN: Duration = Duration::from_millis(3);

/// With these x stays packed, and with those it is copied.
const PACKED: Costs = Costs { pass: 65_536.0, texel: 2.0, copy: 1.0, packed: 0.0, width: None };
const COPIED: Costs = Costs { packed: 1e9, ..PACKED };

/// Measures them: a few seconds.
///
/// # Errors
/// The driver's; a machine too busy to measure on.
pub fn costs(gpu: &Gpu) -> Result<DriverCosts> {
    let mut race = TimedProducts::default();
    let entered = Entered::into(&mut race, gpu)?;
    entered.costs(&race.run()?)
}

/// Products that are timed in turns.
#[derive(Default)]
struct TimedProducts {
    products: Vec<Box<dyn Work>>,
}

impl TimedProducts {
    /// Enters a product; its time will stand at the place returned.
    fn enter(&mut self, problem: &Problem, operator: impl LinearOperator + 'static) -> Result<usize> {
        let algebra = operator.algebra().clone();
        self.products.push(Box::new(problem.multiplying(&algebra, operator)?));
        Ok(self.products.len() - 1)
    }

    /// Nanoseconds of each product in its quickest round.
    fn run(&mut self) -> Result<Vec<f64>> {
        let mut best = vec![f64::INFINITY; self.products.len()];
        let mut times = vec![1; self.products.len()];
        for _ in 0..ROUNDS {
            for ((product, best), times) in self.products.iter_mut().zip(&mut best).zip(&mut times) {
                let took = loop {
                    let took = product.run(*times)?.done;
                    if took >= TURN || *times >= 1 << 12 {
                        break took;
                    }
                    *times *= 2;
                };
                *best = best.min(took.as_secs_f64() * 1e9 / f64::from(*times));
            }
        }
        Ok(best)
    }
}

/// Where the time of each product will stand.
struct Entered {
    /// One pass and next to nothing in it.
    pass: usize,
    /// Few and many entries a row, x packed, and x copied.
    few: usize,
    many: usize,
    few_copied: usize,
    many_copied: usize,
    /// Rows by a power law in square rectangles, and in rectangles of each width.
    square: usize,
    wide: [usize; WIDTHS.len()],
    /// Diagonals that are near on a grid, and those that go around the ends of its rows.
    banded: usize,
    far_banded: usize,
    dense: usize,
    points: Option<usize>,
}

impl Entered {
    fn into(race: &mut TimedProducts, gpu: &Gpu) -> Result<Entered> {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::grid(SIDE, SIDE)?;
        let bands = |entries: usize| -> Result<Problem> {
            let reach = entries as isize / 2;
            let offsets: Vec<isize> = (-reach..=reach).collect();
            Ok(Problem::new(matrices::banded(layout.len(), layout.len(), &offsets, 1)?, layout))
        };
        let tiny = Problem::new(Csr::poisson(4, 4)?, Packed2x2::grid(4, 4)?);
        let (short, long) = (bands(FEW)?, bands(MANY)?);
        let grid = Problem::new(Csr::poisson(SIDE as usize, SIDE as usize)?, layout);
        let ragged = Sample::of(Kind::PowerLaw, SIDE / 2, SIDE / 2);
        let ragged = Problem::new(ragged.matrix()?, ragged.layout()?);
        let full = Problem::new(matrices::random(DENSE, DENSE, DENSE, DENSE, 1)?, Packed2x2::folded(DENSE)?);

        let mut gather = |problem: &Problem, costs: Costs| {
            let (layout, matrix) = (problem.layout, problem.matrix.clone());
            race.enter(problem, Gather::by_costs(&algebra, layout, layout, matrix, &costs)?)
        };
        let mut wide = [0; WIDTHS.len()];
        for (place, width) in wide.iter_mut().zip(WIDTHS) {
            *place = gather(&ragged, Costs { width: Some(width), ..Costs::default() })?;
        }
        Ok(Entered {
            pass: gather(&tiny, PACKED)?,
            few: gather(&short, PACKED)?,
            many: gather(&long, PACKED)?,
            few_copied: gather(&short, COPIED)?,
            many_copied: gather(&long, COPIED)?,
            square: gather(&ragged, Costs::default())?,
            wide,
            banded: race.enter(&grid, Banded::new(&algebra, layout, grid.matrix.clone())?)?,
            far_banded: race.enter(&long, Banded::new(&algebra, layout, long.matrix.clone())?)?,
            dense: race.enter(&full, Dense::from_csr(&algebra, full.layout, full.layout, &full.matrix)?)?,
            points: match gpu.limits().float_blend {
                true => {
                    let points = Points::new(&algebra, layout, layout, short.matrix.clone())?;
                    Some(race.enter(&short, points)?)
                }
                false => None,
            },
        })
    }

    /// Takes the times apart: differences between products that differ in one thing.
    fn costs(&self, time: &[f64]) -> Result<DriverCosts> {
        let groups = ROWS / 4.0;
        let slot = |many: usize, few: usize| (time[many] - time[few]) / (MANY - FEW) as f64 / groups;
        let (packed, copied) = (slot(self.many, self.few), slot(self.many_copied, self.few_copied));
        if packed <= 0.0 || copied <= 0.0 {
            bail!("{MANY} entries a row took no longer than {FEW}: something else keeps this machine busy");
        }
        let pass = time[self.pass];
        // Beyond its passes, and beyond what its entries cost.
        let above = |product: usize, passes: f64| (time[product] - passes * pass).max(0.0);
        let rest =
            |product, passes, slot: f64| (above(product, passes) - FEW as f64 * slot * groups).max(0.0);
        let (written, copying) = (rest(self.few, 1.0, packed), rest(self.few_copied, 2.0, copied));
        let widest = self.wide.into_iter().zip(WIDTHS).min_by(|a, b| time[a.0].total_cmp(&time[b.0]));
        Ok(DriverCosts {
            pass,
            fetch: copied.min(packed) / 6.0, // entries, addresses, four elements
            texel: written / groups,
            copy: (copying - written).max(0.0) / ROWS,
            packed: (packed - copied).max(0.0) / 4.0,
            banded: above(self.banded, 1.0) / (5.0 * ROWS),
            far_banded: above(self.far_banded, 1.0) / (MANY as f64 * ROWS),
            dense: above(self.dense, 2.0) / (DENSE * DENSE) as f64,
            points: self.points.map(|points| above(points, 2.0) / ((FEW + 1) as f64 * ROWS)),
            width: widest.filter(|widest| time[widest.0] < WORTH * time[self.square]).map(|widest| widest.1),
        })
    }
}
