//! Constructors of nine-point matrices: from sparse rows, from the weights of a flow, or from the equation alone.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{
    BoundaryCondition, Entries, NinePoint, OWN, Uniform, edges, entry_of, flags, full_grid, offset, seam,
};
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, Vector};
use crate::numeric::Csr;
use crate::{Error, Result};

const WEIGHTS: &str = "linalg/nine_point_weights.frag";

impl NinePoint {
    /// The matrix that has the same entries at all nodes of a grid that is periodic along both axes. They are constants of
    /// each pass: nothing is stored, and a pass has the fetches of x alone. An axis of one node has entries along it added
    /// to the others, as in [`NinePoint::new`].
    ///
    /// [`Multigrid`](crate::solve::Multigrid) makes uniform levels of it as far as sides are even.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a layout that is no full grid and for an entry that is no finite number.
    pub fn uniform(algebra: &Algebra, layout: Packed2x2, entries: [f32; 9]) -> Result<NinePoint> {
        full_grid(layout)?;
        if let Some(value) = entries.iter().find(|value| !value.is_finite()) {
            let (found, expected) = (value.to_string(), "finite numbers".to_owned());
            return Err(Error::BadParameter { name: "uniform entries", found, expected });
        }
        let periodic = [layout.width() > 1, layout.height() > 1];
        let mut kept = [0.0; 9];
        for (number, value) in entries.into_iter().enumerate() {
            let (dx, dy) = offset(number);
            kept[entry_of((if periodic[0] { dx } else { 0 }, if periodic[1] { dy } else { 0 }))] += value;
        }
        // As the kernel computes it from vectors.
        let half = 0.5 * kept.iter().fold(0.0, |sum: f32, value| sum + value.abs());
        let own = kept[OWN];
        if own.abs() >= 1e-30 {
            let uniform = Uniform { entries: kept, inverse: own.signum() / own.abs().max(half) };
            return Ok(NinePoint::holding(
                algebra,
                layout,
                periodic,
                Entries::Uniform(uniform, OnceCell::new()),
            ));
        }
        let mut vectors = [const { None }; 9];
        for (vector, value) in vectors.iter_mut().zip(kept).filter(|(_, value)| *value != 0.0) {
            *vector = Some(algebra.vector(layout, &vec![value; layout.len()])?);
        }
        NinePoint::of(algebra, layout, periodic, vectors)
    }

    /// A sparse matrix whose entries all lie between neighbours on the grid. Its products in f64 are by the entries as
    /// they are given here.
    ///
    /// # Errors
    /// As [`NinePoint::new`]; [`Error::WrongShape`] unless the matrix has as many rows and columns as the grid has nodes;
    /// [`Error::BadParameter`] names an entry between nodes that are no neighbours.
    pub fn from_csr(
        algebra: &Algebra,
        layout: Packed2x2,
        periodic: [bool; 2],
        matrix: &Csr,
    ) -> Result<NinePoint> {
        crate::linalg::operator::check_layouts("nine-point matrix", matrix, layout, layout)?;
        let mut entries: [Option<Vec<f32>>; 9] = [const { None }; 9];
        for (row, column, value) in matrix.triplets() {
            let ((x, y), (to_x, to_y)) = (layout.place(row), layout.place(column));
            let dx = step(x, to_x, layout.width(), periodic[0]);
            let dy = step(y, to_y, layout.height(), periodic[1]);
            let Some(offset) = dx.zip(dy) else {
                let found = format!("entry ({row}, {column}), from node ({x}, {y}) to ({to_x}, {to_y})");
                let expected = "entries between neighbours on the grid".to_owned();
                return Err(Error::BadParameter { name: "nine-point matrix", found, expected });
            };
            if value != 0.0 {
                entries[entry_of(offset)].get_or_insert_with(|| vec![0.0; layout.len()])[row] = value as f32;
            }
        }
        let mut vectors = [const { None }; 9];
        for (vector, values) in vectors.iter_mut().zip(entries) {
            *vector = values.map(|values| algebra.vector(layout, &values)).transpose()?;
        }
        let made = NinePoint::new(algebra, layout, periodic, vectors)?;
        let _ = made.matrix.set(Rc::new(matrix.clone()));
        let diagonal = matrix.diagonal();
        let closed = matrix.triplets().all(|(_, to, value)| value == 0.0 || diagonal[to].abs() >= 1e-29);
        Ok(if closed { made.closed() } else { made })
    }

    /// (A x)ᵢ = Σ wᵢⱼ (xᵢ − xⱼ) + extraᵢ xᵢ over the four neighbours: the five-point matrix of a flow. The weights,
    /// from each node to its east neighbour (i + 1) and to its north one (j + 1), are on the GPU. Five passes of one to
    /// seven fetches.
    ///
    /// A weight of 0 lets nothing through: a node without weights and without extra takes no part. Weights across an
    /// edge of the grid count as 0, unless that axis is periodic. `extra` is the weight to known values: σ h², or the
    /// weight to a fixed value beyond the grid, whose right-hand side is that weight times the value.
    ///
    /// # Coefficients that vary
    /// h²(−∇·(k∇u) + σu) = h²f on nodes h apart, exact to second order: a weight is k half-way between its nodes, `extra` is
    /// σ h². Where nodes are p apart along x and q along y, weights are k q/p to the east and k p/q to the north, and h² is
    /// p q. At the edges of an axis from 0 to L:
    /// - *Periodic*: nodes at 0 to L − h, all alike.
    /// - *Fixed values* (Dirichlet): nodes at h to L − h. The first and the last node have the weight to the edge in `extra`,
    ///   and that weight times the value at the edge on the right-hand side.
    /// - *No flow through the edge* (Neumann): nodes at 0 to L. The cells of the first and the last node are halves, so weights
    ///   along the edge, h²σ and h²f are halved there, and quartered in a corner. An inflow of g per length adds g h to the
    ///   right-hand side, halved in a corner. Without σ and fixed values the matrix is singular:
    ///   [`Multigrid::compatible`](crate::solve::Multigrid::compatible).
    ///
    /// ```
    /// # fn main() -> quadrille::Result<()> {
    /// use quadrille::linalg::{Algebra, NinePoint};
    /// use quadrille::solve::{Cycle, Missing, Multigrid};
    /// use quadrille::{Gpu, layout::Packed2x2};
    ///
    /// // −∇·(k∇u) = 0 with k = 1 + x: u is 0 in the west and 1 in the east, nothing flows through south and north.
    /// let (width, height, h) = (63, 65, 1.0 / 64.0);
    /// let k = |x: f32, _y: f32| 1.0 + x;
    /// let (mut east, mut north, mut extra, mut b) = (vec![], vec![], vec![], vec![]);
    /// for (j, i) in (0..height).flat_map(|j| (0..width).map(move |i| (j, i))) {
    ///     let (x, y) = ((i + 1) as f32 * h, j as f32 * h);
    ///     let half = if j == 0 || j == height - 1 { 0.5 } else { 1.0 };
    ///     east.push(half * k(x + h / 2.0, y));
    ///     north.push(k(x, y + h / 2.0));
    ///     let west_edge = if i == 0 { half * k(x - h / 2.0, y) } else { 0.0 };
    ///     let east_edge = if i == width - 1 { half * k(x + h / 2.0, y) } else { 0.0 };
    ///     extra.push(west_edge + east_edge);
    ///     b.push(west_edge * 0.0 + east_edge * 1.0);
    /// }
    /// let algebra = Algebra::new(&Gpu::headless()?);
    /// let grid = Packed2x2::grid(width, height)?;
    /// let vector = |values: &[f32]| algebra.vector(grid, values);
    /// let (east, north, extra) = (vector(&east)?, vector(&north)?, vector(&extra)?);
    /// let a = NinePoint::from_weights(grid, [false; 2], &east, &north, Some(&extra))?;
    ///
    /// let multigrid = Multigrid::new(&a, Missing::Absent, Cycle::default())?;
    /// let (b, mut u) = (vector(&b)?, algebra.zeros(grid)?);
    /// (0..8).try_for_each(|_| multigrid.cycle(&b, &mut u))?;
    /// for (i, u) in u.get()?.into_iter().enumerate() {
    ///     let x = (i as u32 % width + 1) as f32 * h;
    ///     assert!((u - (1.0 + x).log2()).abs() < 1e-3);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`NinePoint::new`].
    pub fn from_weights(
        layout: Packed2x2,
        periodic: [bool; 2],
        to_east: &Vector,
        to_north: &Vector,
        extra: Option<&Vector>,
    ) -> Result<NinePoint> {
        let algebra = to_east.algebra();
        full_grid(layout)?;
        for weights in [Some(to_east), Some(to_north), extra].into_iter().flatten() {
            weights.same_context(algebra)?;
            weights.has_layout(layout, "weights of a nine-point matrix")?;
        }
        let sides = [layout.width(), layout.height()];
        let periodic = [periodic[0] && sides[0] > 1, periodic[1] && sides[1] > 1];
        let wrap = edges(periodic);
        let mut entries = [const { None }; 9];
        for part in [1, 3, OWN, 5, 7] {
            let along = if part == 3 || part == 5 { sides[0] } else { sides[1] };
            if part != OWN && along == 1 {
                continue;
            }
            let own = part == OWN;
            let variant = [
                ("PART", part as i32),
                ("EXTRA", i32::from(own && extra.is_some())),
                ("SEAM", seam(layout, periodic)),
            ];
            let x = (own || part == 3 || part == 5).then_some(to_east);
            let y = (own || part == 1 || part == 7).then_some(to_north);
            let weights = [x, y, extra.filter(|_| own)];
            let [across, down] = flags(periodic);
            let vector = Vector::uninitialised(algebra, layout)?;
            algebra
                .pass(WEIGHTS, &variant)?
                .streams_by(wrap, weights.into_iter().flatten().map(Vector::texture))
                .constants(&[layout.bounds(), [across, down, 0.0, 0.0]])
                .domains(&layout.texels_and_elements())
                .onto(&[vector.texture()])?;
            entries[part] = Some(vector);
        }
        Ok(NinePoint::of(algebra, layout, periodic, entries)?.closed())
    }

    /// h²(−∇² + σ) by five points, `sigma` being σ h²: [`NinePoint::helmholtz`] with σ = 0.
    ///
    /// # Errors
    /// As [`NinePoint::new`].
    pub fn poisson(algebra: &Algebra, layout: Packed2x2, boundary: BoundaryCondition) -> Result<NinePoint> {
        NinePoint::helmholtz(algebra, layout, boundary, 0.0)
    }

    /// h²(−∇² + σ) by five points, `sigma` being σ h².
    ///
    /// # Errors
    /// As [`NinePoint::new`].
    pub fn helmholtz(
        algebra: &Algebra,
        layout: Packed2x2,
        boundary: BoundaryCondition,
        sigma: f32,
    ) -> Result<NinePoint> {
        let sides = [layout.width() as usize, layout.height() as usize];
        let matrix = five_point(sides, boundary, sigma.into())?;
        NinePoint::from_csr(algebra, layout, [boundary == BoundaryCondition::Periodic; 2], &matrix)
    }
}

/// h²(−∇² + σ) on width × height nodes, `sigma` being σ h²: the weight of an edge is the width of the cells on both of
/// its sides.
pub(crate) fn five_point(sides: [usize; 2], boundary: BoundaryCondition, sigma: f64) -> Result<Csr> {
    let ends = |at: usize, side: usize| at == 0 || at + 1 == side;
    let width_at = |at: usize, side: usize| match boundary {
        BoundaryCondition::Neumann if side > 1 && ends(at, side) => 0.5,
        _ => 1.0,
    };
    let beside = |at: usize, side: usize, forward: bool| match (forward, boundary) {
        (false, _) if at > 0 => Some(at - 1),
        (true, _) if at + 1 < side => Some(at + 1),
        (_, BoundaryCondition::Periodic) => Some(if forward { 0 } else { side - 1 }),
        _ => None,
    };
    let is_fixed = |[i, j]: [usize; 2]| {
        boundary == BoundaryCondition::Dirichlet && (ends(i, sides[0]) || ends(j, sides[1]))
    };
    let index = |[i, j]: [usize; 2]| j * sides[0] + i;
    let mut entries = Vec::new();
    let nodes = (0..sides[1]).flat_map(|j| (0..sides[0]).map(move |i| [i, j]));
    for node in nodes.filter(|&node| !is_fixed(node)) {
        let wide = [0, 1].map(|axis| width_at(node[axis], sides[axis]));
        let mut diagonal = sigma * wide[0] * wide[1];
        for (axis, forward) in [(0, false), (0, true), (1, false), (1, true)] {
            let Some(at) = beside(node[axis], sides[axis], forward) else { continue };
            let mut other = node;
            other[axis] = at;
            diagonal += wide[1 - axis];
            if !is_fixed(other) {
                entries.push((index(node), index(other), -wide[1 - axis]));
            }
        }
        entries.push((index(node), index(node), diagonal));
    }
    Csr::from_triplets(sides[0] * sides[1], sides[0] * sides[1], entries)
}

/// −1, 0 or 1 along a side from one node to another, around its end if it is periodic.
fn step(from: u32, to: u32, side: u32, periodic: bool) -> Option<i64> {
    let by = i64::from(to) - i64::from(from);
    let around = i64::from(side) - 1;
    match by {
        -1..=1 => Some(by),
        _ if periodic && by == around => Some(-1),
        _ if periodic && by == -around => Some(1),
        _ => None,
    }
}
