//! Multigrid on the nodes of a grid: every second node of a side is a node of the next coarser level.
//!
//! Coarse matrices are composed axis by axis, with at most nine fetches a pass; the nine-point formula in one pass
//! needs 81.
//!
//! Smoothers divide by the larger of the diagonal and half the sum of the row's magnitudes: so Jacobi diverges on no
//! positive matrix, even where two coarse nodes stand for one fine node. Restriction writes the first sweep of the
//! coarse level as a second target. The four channels are the four colours of red–black sweeps.

mod coarsest;
mod cycle;
mod galerkin;
mod iteration;
mod null_space;
mod transfer;

use std::cell::OnceCell;

use crate::linalg::{Algebra, Dense, LinearOperator, NinePoint, Packed2x2};
use crate::{Error, Result};
use iteration::Iterated;
use null_space::NullSpace;
use transfer::Transfer;

/// The meaning of a row of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A node whose value is fixed (Dirichlet). A coarse node at its place is fixed, too, so the interpolated
    /// correction falls to 0 there.
    Fixed,
    /// Not a node at all (Neumann: an obstacle). A coarse node takes part if a fine one around it does, so constants
    /// are kept beside obstacles.
    Absent,
}

/// How a cycle goes down and up again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// Sweeps before the coarser level's correction.
    pub before: u32,
    /// Sweeps after it. With as many as before, the cycle is a symmetric matrix, which conjugate gradients need.
    pub after: u32,
    /// How often a level visits the next coarser one: 1 is a V-cycle, 2 a W-cycle, μ a μ-cycle.
    pub visits: u32,
    /// The kind of sweep.
    pub smoother: Smoother,
}

/// V(2,2) with damped Jacobi, ω = 0.8: each cycle leaves about an eighth of the residual.
impl Default for Cycle {
    fn default() -> Cycle {
        Cycle { before: 2, after: 2, visits: 1, smoother: Smoother::Jacobi { damping: 0.8 } }
    }
}

/// The smoother of errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoother {
    /// x + ω d⁻¹ (b − A x), all nodes at once: one pass a sweep. The paper's ω is 2/3; 0.8 is best for five points.
    Jacobi {
        /// ω, above 0 and no more than 1: then it diverges on no positive matrix.
        damping: f32,
    },
    /// One colour after another, each with the newest values of the others: red and black nodes if the matrix has five
    /// points, four colours if it has nine, as all coarse ones have. Sweeps after the correction take the colours
    /// backwards. The four channels of a texel are the four colours, so a sweep is two passes or four.
    RedBlack,
}

/// How the coarsest level is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coarsest {
    /// By its inverse, made in f64 on the CPU. This takes fewer levels and passes, but making the levels waits for one
    /// small read-back.
    Direct {
        /// The coarsest level is the first with at most this many nodes: 4 (a single node cannot be told from a
        /// rounding of 0 in a singular matrix) to [`Coarsest::MOST_NODES`]. The inverse of n nodes takes n² numbers, as
        /// many products a cycle, and n³ operations of the CPU whenever the levels are made.
        nodes: usize,
    },
    /// By sweeps on a level of 3×3 nodes or fewer: nothing is read back, for matrices that change with every picture.
    Sweeps,
    /// By two sweeps forwards and two backwards on the last of so many levels: for matrices that are nearly diagonal there, as V + sK is where
    /// s/h² has fallen below a half. A level of 100 nodes at most is the coarsest and inverted, as by [`Coarsest::Direct`].
    Smoothed {
        /// Levels at most, 2 or more.
        levels: usize,
    },
}

impl Coarsest {
    /// Nodes that may be solved by their inverse: 64 MiB of it, and a minute or more of the CPU.
    pub const MOST_NODES: usize = 4096;
}

/// Nodes that are inverted unless another number is asked for.
const INVERTED: usize = 100;

/// By its inverse from 100 nodes on. On llvmpipe 17×17 nodes would save a tenth of a millisecond a cycle and cost six
/// whenever the levels are made; `quadrille bench fluids --only inverse` measures it.
impl Default for Coarsest {
    fn default() -> Coarsest {
        Coarsest::Direct { nodes: INVERTED }
    }
}

/// Multigrid for a [`NinePoint`] matrix: as a solver, and as the preconditioner of conjugate gradients (row E7).
///
/// Levels are made on the GPU: prolongation S is bilinear, restriction is P = ¼Sᵀ (full weighting), and the coarse
/// matrix P A S, nine-point again, is composed along x and then along y. A coarse level has every second node of the
/// finer one. A side with an even number of nodes gets one coarse node more, half a coarse step beyond its end, so that
/// interpolation needs no exception: any size converges as 2ʲ + 1 nodes do.
///
/// If a periodic side is odd, the last coarse node is one *fine* step before the first, and the nodes at that seam are
/// smoothed less at every level. A V-cycle then reduces the residual by 2 or less instead of 8, and by less on larger
/// grids. Use W-cycles there, which keep the 8, or conjugate gradients. The same holds for walls thinner than a coarse
/// step, for jumps of coefficients between coarse nodes, and for one direction that conducts much better than the
/// other.
///
/// [`NinePoint::from_weights`] makes the matrix of −∇·(k∇u), with fixed, closed and periodic edges.
///
/// Nodes that take no part (diagonals of 0) are not corrected and give nothing to coarser levels; [`Missing`] names
/// their meaning.
///
/// Cost of a V(2,2)-cycle: five passes a level (restriction and first sweep are one pass where there are two render targets, the
/// correction and the first sweep after it another where it is known that nothing leads to a node that takes no part), four on levels
/// of 129² nodes or fewer, whose residual and restriction are one pass of 107 fetches a coarse texel. A sweep has 19 fetches a texel
/// of nine points, 11 of five, and 4 more with the correction; levels fall by four, until the rest is one product with a dense inverse.
/// Something may lead to such nodes where entries are handed over ([`NinePoint::new`]), and not where they are made of weights, or of a
/// sparse matrix of which it is seen: the finest level of the former has six passes, or five. No read-back. Of a uniform matrix ([`NinePoint::uniform`]) levels are uniform down to the first side that is odd;
/// where sides are even, such a level takes four passes: two sweeps are one of 18 fetches, 14 of five points, and the residual and
/// its restriction one of 25 a coarse texel.
///
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::linalg::{Algebra, BoundaryCondition, NinePoint, Op, LinearOperator};
/// use quadrille::solve::{Cycle, Missing, Multigrid};
/// use quadrille::{Gpu, layout::Packed2x2};
///
/// let algebra = Algebra::new(&Gpu::headless()?);
/// let grid = Packed2x2::grid(65, 65)?;
/// let a = NinePoint::poisson(&algebra, grid, BoundaryCondition::Dirichlet)?;
/// let multigrid = Multigrid::new(&a, Missing::Fixed, Cycle::default())?;
/// let inside = |i: usize| i % 65 * (64 - i % 65) * (i / 65) * (64 - i / 65) > 0;
/// let b: Vec<f32> = (0..65 * 65).map(|i| if inside(i) { 1.0 } else { 0.0 }).collect();
/// let (b, mut x, mut r) = (algebra.vector(grid, &b)?, algebra.zeros(grid)?, algebra.zeros(grid)?);
/// for _ in 0..4 {
///     multigrid.cycle(&b, &mut x)?;
/// }
/// a.residual(&x, &b, &mut r)?;
/// assert!(r.get()?.iter().all(|r| r.abs() < 1e-2));
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Bolz, Farmer, Grinspun & Schröder, *Sparse Matrix Solvers on the GPU*, 2003, §4.2; Briggs, Henson & McCormick, *A
/// Multigrid Tutorial*, 2000.
pub struct Multigrid {
    levels: Vec<Level>,
    /// The inverse of the coarsest matrix, unless that is solved by sweeps.
    inverse: Option<Dense>,
    missing: Missing,
    cycle: Cycle,
    coarsest: Coarsest,
    null_space: OnceCell<NullSpace>,
    iterated: Option<Iterated>,
}

/// A level, and the way from it to the next coarser one.
struct Level {
    matrix: NinePoint,
    coarser: Option<Transfer>,
}

impl Multigrid {
    /// The levels of a matrix, the coarsest solved by its inverse.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a damping outside (0, 1], no sweeps at all, or no visit; those of [`Algebra::vector`];
    /// [`Error::OverLimit`] where a pass has too few streams ([`NinePoint`]).
    pub fn new(a: &NinePoint, missing: Missing, cycle: Cycle) -> Result<Multigrid> {
        Multigrid::with(a, missing, cycle, Coarsest::default())
    }

    /// The same, solving the coarsest level in that way.
    ///
    /// # Errors
    /// As [`Multigrid::new`]; [`Error::BadParameter`] for an inverse of fewer than 4 nodes or of too many.
    pub fn with(a: &NinePoint, missing: Missing, cycle: Cycle, coarsest: Coarsest) -> Result<Multigrid> {
        check(cycle)?;
        if let Coarsest::Direct { nodes } = coarsest
            && !(4..=Coarsest::MOST_NODES).contains(&nodes)
        {
            let expected = format!("4 to {}: their inverse has the square of it", Coarsest::MOST_NODES);
            return Err(Error::BadParameter { name: "coarsest nodes", found: nodes.to_string(), expected });
        }
        if let Coarsest::Smoothed { levels: levels @ 0..2 } = coarsest {
            let (found, expected) = (levels.to_string(), "2 or more".to_owned());
            return Err(Error::BadParameter { name: "levels", found, expected });
        }
        let levels = galerkin::levels(a, missing, coarsest)?;
        let (null_space, iterated) = (OnceCell::new(), None);
        let mut made = Multigrid { levels, inverse: None, missing, cycle, coarsest, null_space, iterated };
        made.invert()?;
        Ok(made)
    }

    /// Makes the levels of a matrix with other entries on the same grid. Programs are kept, and textures by the pool.
    ///
    /// Cost: 18 passes a level of 3 to 9 fetches, over a half or a quarter of the level's texels, one of 9 that inverts
    /// diagonals, an entry's pass of 6 each at the finest level and at coarse ones below fixed nodes; and for
    /// [`Coarsest::Direct`] a read-back that waits for them and an inverse on the CPU.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for another grid; as [`Multigrid::new`].
    pub fn rebuild(&mut self, a: &NinePoint) -> Result<()> {
        let (found, expected) = (a.rows(), self.layout());
        if found != expected {
            let (found, expected) = (found.to_string(), expected.to_string());
            return Err(Error::WrongShape { what: "matrix of multigrid".into(), found, expected });
        }
        self.levels = galerkin::levels(a, self.missing, self.coarsest)?;
        self.null_space = OnceCell::new();
        self.invert()
    }

    /// Sets another cycle.
    ///
    /// # Errors
    /// As [`Multigrid::new`].
    pub fn set_cycle(&mut self, cycle: Cycle) -> Result<()> {
        check(cycle)?;
        self.cycle = cycle;
        Ok(())
    }

    /// The settings of the cycle.
    pub fn settings(&self) -> Cycle {
        self.cycle
    }

    /// The number of levels, including the finest.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The matrices from the finest level to the coarsest.
    pub fn matrices(&self) -> impl Iterator<Item = &NinePoint> {
        self.levels.iter().map(|level| &level.matrix)
    }

    /// The algebra it was made by.
    pub fn algebra(&self) -> &Algebra {
        self.levels[0].matrix.algebra()
    }

    /// The layout of vectors of the finest level.
    pub fn layout(&self) -> Packed2x2 {
        self.levels[0].matrix.rows()
    }

    fn invert(&mut self) -> Result<()> {
        let last = &self.levels[self.levels.len() - 1].matrix;
        self.inverse = match self.coarsest {
            Coarsest::Smoothed { .. } if last.rows().len() > INVERTED => None,
            Coarsest::Direct { .. } | Coarsest::Smoothed { .. } => Some(coarsest::inverse(last)?),
            Coarsest::Sweeps => None,
        };
        Ok(())
    }
}

fn check(cycle: Cycle) -> Result<()> {
    let bad = |name: &'static str, found: String, expected: &str| {
        Err(Error::BadParameter { name, found, expected: expected.to_owned() })
    };
    match cycle.smoother {
        Smoother::Jacobi { damping } if !(damping > 0.0 && damping <= 1.0) => {
            return bad("damping", damping.to_string(), "a number above 0, 1 at most");
        }
        _ => {}
    }
    if cycle.before == 0 && cycle.after == 0 {
        return bad("sweeps", "none before or after".into(), "one at least");
    }
    if cycle.visits == 0 {
        return bad("visits", "0".into(), "1 for a V-cycle, 2 for a W-cycle");
    }
    Ok(())
}
