//! The null space of a singular matrix: the constants.

use super::Multigrid;
use super::coarsest::groups;
use crate::Result;
use crate::linalg::{LinearOperator, Op, Scalar, Vector};

/// The nodes whose constants are lost, group by group.
pub(super) struct NullSpace {
    groups: Vec<Group>,
}

/// 1 at the nodes of a group, and one over their number if they are known but for a constant, else 0.
struct Group {
    members: Vector,
    share: Scalar,
}

/// Pockets that are kept apart at most.
const MOST_POCKETS: usize = 64;

impl Multigrid {
    /// Removes from b the part that A cannot produce. If A 1 = 0 (Neumann or periodic edges without σ), this is the
    /// mean of b over the nodes that take part, since 1ᵀA = 0 for a symmetric A. For a regular matrix b does not
    /// change. The first call after the levels were made finds out on the GPU if A is singular; nothing is read back.
    ///
    /// Closed obstacles can separate pockets. Each pocket has constants of its own, and the mean of all nodes is not
    /// enough: cycles then end at a residual as large as the part of b that the pockets cannot produce.
    /// [`Multigrid::find_pockets`] finds the pockets.
    ///
    /// Cost: a reduction, a scalar and one pass, for each pocket.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    pub fn compatible(&self, b: &mut Vector) -> Result<()> {
        for group in &self.null_space()?.groups {
            let mean = group.mean(b)?;
            b.axpy(-&mean, &group.members)?;
        }
        Ok(())
    }

    /// The size of the part that [`Multigrid::compatible`] removes: the mean of b over the nodes that take part, 0 if A
    /// is regular; with several pockets the largest one. Waits for one number for each pocket.
    ///
    /// # Errors
    /// As [`Multigrid::compatible`].
    pub fn incompatibility(&self, b: &Vector) -> Result<f64> {
        let mut largest = 0.0f64;
        for group in &self.null_space()?.groups {
            let mean = f64::from(group.mean(b)?.get()?);
            largest = if mean.abs() > largest.abs() { mean } else { largest };
        }
        Ok(largest)
    }

    /// Finds pockets, groups of nodes that no entry connects with others and whose rows add up to 0, and returns their
    /// number. From then on, until the levels are made anew, [`Multigrid::compatible`] removes the mean of each of the
    /// 64 largest pockets. Reads the matrix back.
    ///
    /// # Errors
    /// Those of memory and of a lost device.
    pub fn find_pockets(&mut self) -> Result<usize> {
        let (algebra, a) = (self.algebra(), &self.levels[0].matrix);
        let (matrix, layout) = (a.matrix()?, a.rows());
        let diagonal = matrix.diagonal();
        let nothing = |row: usize| {
            let inside = matrix.row(row).filter(|entry| diagonal[entry.0] != 0.0);
            let sum: f64 = inside.map(|entry| entry.1).sum();
            sum.abs() <= 2f64.powi(-20) * diagonal[row].abs()
        };
        let mut pockets = groups(matrix, &diagonal);
        pockets.retain(|pocket| pocket.iter().all(|&row| nothing(row)));
        pockets.sort_by_key(|pocket| std::cmp::Reverse(pocket.len()));
        let mut found = Vec::new();
        for pocket in pockets.iter().take(MOST_POCKETS) {
            let mut members = vec![0.0; layout.len()];
            pocket.iter().for_each(|&node| members[node] = 1.0);
            let share = algebra.scalar(1.0 / pocket.len() as f32)?;
            found.push(Group { members: algebra.vector(layout, &members)?, share });
        }
        self.null_space = NullSpace { groups: found }.into();
        Ok(pockets.len())
    }

    fn null_space(&self) -> Result<&NullSpace> {
        if let Some(found) = self.null_space.get() {
            return Ok(found);
        }
        let found = NullSpace { groups: vec![self.all_nodes()?] };
        Ok(self.null_space.get_or_init(|| found))
    }

    /// All nodes that take part, as one group.
    fn all_nodes(&self) -> Result<Group> {
        let (algebra, a) = (self.algebra(), &self.levels[0].matrix);
        let members = a.members()?;
        let (mut sums, mut shares) = (algebra.zeros(a.rows())?, algebra.zeros(a.rows())?);
        a.apply(Op::Null, &members, &mut sums)?;
        // Each row by its own size: where coefficients jump, the largest would hide what the others add up to.
        a.divide(1.0, &sums, &mut shares)?;
        let scalar = || algebra.scalar(0.0);
        let (mut largest, mut count, mut singular, mut share) = (scalar()?, scalar()?, scalar()?, scalar()?);
        shares.max_magnitude(&mut largest)?;
        largest.is_rounding_of(&algebra.scalar(1.0)?, &mut singular)?;
        members.dot(&members, &mut count)?;
        singular.div_guarded(&count, &mut share)?;
        Ok(Group { members, share })
    }
}

impl Group {
    fn mean(&self, b: &Vector) -> Result<Scalar> {
        let algebra = self.members.algebra();
        let (mut sum, mut mean) = (algebra.scalar(0.0)?, algebra.scalar(0.0)?);
        self.members.dot(b, &mut sum)?;
        sum.mul(&self.share, &mut mean)?;
        Ok(mean)
    }
}
