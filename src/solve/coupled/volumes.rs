//! Finite volumes around the nodes of a grid: what −∇² is there, as weights between nodes.

use crate::linalg::{Algebra, NinePoint, Packed2x2, Vector};
use crate::{Error, Result};
use std::rc::Rc;

/// The kernel that takes each field's increment from the group that solves for it.
pub(super) const JOIN: &str = "solve/coupled_join.frag";

/// The law on a side of the grid, or on the rim of a mask. Values are those of what is solved for, an increment: fixed values are 0, and
/// what flows in otherwise belongs to the right side.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge {
    /// The node after the last is the first; both sides of the axis.
    Periodic,
    /// ∂u/∂n = 0.
    Neumann,
    /// u = 0 at the nodes of the side.
    Dirichlet,
    /// ∂u/∂n + b u = 0 with b ≥ 0: one value, or one for each node of the side.
    Robin(Vec<f64>),
}

/// The nodes that take part, row after row, and the law on their rim: [`Edge::Neumann`], or [`Edge::Dirichlet`] at the nodes outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// True inside.
    pub inside: Vec<bool>,
    /// The rim.
    pub rim: Edge,
}

/// A grid of nodes: on a periodic axis L/N apart, otherwise with one on each end and L/(N − 1) apart. One node along y makes it a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Nodes along x and y.
    pub size: [u32; 2],
    /// Distances between nodes.
    pub spacing: [f64; 2],
    /// Left, right, bottom, top.
    pub edges: [Edge; 4],
    /// The nodes that take part; all of them without one.
    pub mask: Option<Mask>,
    /// D of −∇·(D∇u) at the nodes, its mean between two; 1 without.
    pub conductivity: Option<Vec<f64>>,
}

impl Grid {
    /// A grid with one law on all sides, without mask.
    pub fn new(size: [u32; 2], spacing: [f64; 2], edge: &Edge) -> Grid {
        let edges = [edge.clone(), edge.clone(), edge.clone(), edge.clone()];
        Grid { size, spacing, edges, mask: None, conductivity: None }
    }

    /// The axes that are periodic.
    pub fn periodic(&self) -> [bool; 2] {
        [0, 2].map(|side| self.edges[side] == Edge::Periodic)
    }

    fn bad(name: &'static str, found: String, expected: &str) -> Error {
        Error::BadParameter { name, found, expected: expected.to_owned() }
    }

    fn check(&self) -> Result<()> {
        let nodes = self.size[0] as usize * self.size[1] as usize;
        let [across, down] = self.size;
        if across < 3 || (down < 3 && down != 1) {
            return Err(Grid::bad(
                "grid",
                format!("{across}x{down} nodes"),
                "3 nodes along an axis, or 1 along y",
            ));
        }
        if let Some(spacing) = self.spacing.iter().find(|spacing| !(**spacing > 0.0 && spacing.is_finite())) {
            return Err(Grid::bad("spacing", spacing.to_string(), "a number above 0"));
        }
        for (axis, name) in ["x", "y"].into_iter().enumerate() {
            let [low, high] = [&self.edges[2 * axis], &self.edges[2 * axis + 1]];
            if (*low == Edge::Periodic) != (*high == Edge::Periodic) {
                let found = format!("periodic along {name} on one side");
                return Err(Grid::bad("edges", found, "periodic on both sides of an axis or on none"));
            }
            for edge in [low, high] {
                let along = self.size[1 - axis] as usize;
                if let Edge::Robin(b) = edge {
                    if b.len() != 1 && b.len() != along {
                        let found = format!("robin with {} values", b.len());
                        return Err(Grid::bad(
                            "edges",
                            found,
                            &format!("1 or {along}, one for each node of the side"),
                        ));
                    }
                    if let Some(b) = b.iter().find(|b| !(**b >= 0.0 && b.is_finite())) {
                        return Err(Grid::bad("robin", b.to_string(), "0 or more"));
                    }
                }
            }
        }
        if let Some(mask) = &self.mask {
            if mask.inside.len() != nodes {
                return Err(Grid::bad("mask", format!("{} nodes", mask.inside.len()), &format!("{nodes}")));
            }
            if !matches!(mask.rim, Edge::Neumann | Edge::Dirichlet) {
                return Err(Grid::bad("mask", "another rim".to_owned(), "neumann or dirichlet"));
            }
        }
        if let Some(d) = &self.conductivity {
            if d.len() != nodes {
                return Err(Grid::bad("conductivity", format!("{} nodes", d.len()), &format!("{nodes}")));
            }
            if let Some(d) = d.iter().find(|d| !(**d >= 0.0 && d.is_finite())) {
                return Err(Grid::bad("conductivity", d.to_string(), "0 or more"));
            }
        }
        Ok(())
    }

    /// True if a node has an unknown.
    fn takes_part(&self, i: usize, j: usize) -> bool {
        let [across, down] = self.size.map(|size| size as usize);
        let fixed = |side: usize| self.edges[side] == Edge::Dirichlet;
        let on_fixed = (i == 0 && fixed(0))
            || (i + 1 == across && fixed(1))
            || (down > 1 && ((j == 0 && fixed(2)) || (j + 1 == down && fixed(3))));
        !on_fixed && self.is_inside(i, j)
    }

    fn is_inside(&self, i: usize, j: usize) -> bool {
        self.mask.as_ref().is_none_or(|mask| mask.inside[j * self.size[0] as usize + i])
    }
}

/// Λ = V⁻¹K ≈ −∇²: K symmetric, out of weights between nodes, and V the shares of full cells, a half on an edge, a quarter in a corner, 0
/// where a node takes no part. Both are divided by hx hy.
pub struct FiniteVolumes {
    algebra: Algebra,
    layout: Packed2x2,
    periodic: [bool; 2],
    /// V on the CPU.
    shares: Vec<f64>,
    /// K: the weight to the next node along x and y, and what a node loses to fixed values and at edges.
    weights: [Vec<f64>; 3],
    /// V and V⁻¹, the latter 0 where V is.
    volume: Vector,
    inverse: Vector,
    largest: f64,
    has_fixed: bool,
    is_uneven: bool,
    is_whole: bool,
    /// The weights along x and y where all nodes have the same, and lose nothing besides.
    uniform: Option<[f64; 2]>,
}

impl FiniteVolumes {
    /// The volumes of a grid.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for fewer than 3 nodes along an axis, a spacing that is not above 0, an axis that is periodic on one side,
    /// a negative b, a mask or a conductivity of another size; those of [`Algebra::vector`].
    pub fn new(algebra: &Algebra, grid: &Grid) -> Result<FiniteVolumes> {
        grid.check()?;
        let layout = Packed2x2::grid(grid.size[0], grid.size[1])?;
        let [across, down] = grid.size.map(|size| size as usize);
        let periodic = grid.periodic();
        let periodic = [periodic[0], periodic[1] && down > 1];
        let nodes = across * down;
        let half = |at: usize, size: usize, periodic: bool| {
            if periodic || size == 1 || (at > 0 && at + 1 < size) { 1.0 } else { 0.5 }
        };
        let conducts = |node: usize| grid.conductivity.as_ref().map_or(1.0, |d| d[node]);
        let rim_is_fixed = grid.mask.as_ref().is_some_and(|mask| mask.rim == Edge::Dirichlet);
        let mut shares = vec![0.0; nodes];
        let mut weights = [vec![0.0; nodes], vec![0.0; nodes], vec![0.0; nodes]];
        for (j, i) in (0..down).flat_map(|j| (0..across).map(move |i| (j, i))) {
            let node = j * across + i;
            let wide = [half(i, across, periodic[0]), half(j, down, periodic[1])];
            let takes_part = grid.takes_part(i, j);
            if takes_part {
                shares[node] = wide[0] * wide[1];
            }
            for axis in 0..2 {
                let (at, size) = ([i, j][axis], [across, down][axis]);
                let h = grid.spacing[axis];
                let sides = [(at == 0, 2 * axis), (at + 1 == size, 2 * axis + 1)];
                for (_, side) in sides.into_iter().filter(|(is, _)| *is && takes_part && size > 1) {
                    if let Edge::Robin(b) = &grid.edges[side] {
                        let b = b.get([j, i][axis]).or(b.first()).copied().unwrap_or_default();
                        weights[2][node] += conducts(node) * b * wide[1 - axis] / h;
                    }
                }
                if size == 1 || (at + 1 == size && !periodic[axis]) {
                    continue;
                }
                let next = if axis == 0 { [(i + 1) % across, j] } else { [i, (j + 1) % down] };
                let to = next[1] * across + next[0];
                let weight = (conducts(node) + conducts(to)) / 2.0 * wide[1 - axis] / (h * h);
                let other = grid.takes_part(next[0], next[1]);
                // Fixed values lie at nodes of an edge, and outside of a mask with a fixed rim.
                let is_wall = |i, j| !grid.is_inside(i, j) && !rim_is_fixed;
                match (takes_part, other) {
                    (true, true) => weights[axis][node] = weight,
                    (true, false) if !is_wall(next[0], next[1]) => weights[2][node] += weight,
                    (false, true) if !is_wall(i, j) => weights[2][to] += weight,
                    _ => {}
                }
            }
        }
        if shares.iter().all(|&share| share == 0.0) {
            return Err(Grid::bad("grid", "no node that takes part".to_owned(), "a node inside"));
        }
        let is_uneven = grid.mask.is_some() || grid.conductivity.is_some();
        let has_fixed = grid.edges.contains(&Edge::Dirichlet) || rim_is_fixed;
        FiniteVolumes::of(algebra, (layout, periodic), shares, weights, [has_fixed, is_uneven])
    }

    fn of(
        algebra: &Algebra,
        (layout, periodic): (Packed2x2, [bool; 2]),
        shares: Vec<f64>,
        weights: [Vec<f64>; 3],
        [has_fixed, is_uneven]: [bool; 2],
    ) -> Result<FiniteVolumes> {
        let floats = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
        let inverses: Vec<f64> =
            shares.iter().map(|&share| if share > 0.0 { 1.0 / share } else { 0.0 }).collect();
        let is_whole = shares.iter().all(|&share| share == 1.0);
        let are = |values: &[f64], value: f64| values.iter().all(|&other| other == value);
        let [east, north] = [weights[0][0], weights[1][0]];
        let alike = are(&weights[0], east) && are(&weights[1], north) && are(&weights[2], 0.0);
        let uniform = (is_whole && !is_uneven && alike).then_some([east, north]);
        let mut made = FiniteVolumes {
            algebra: algebra.clone(),
            layout,
            periodic,
            volume: algebra.vector(layout, &floats(&shares))?,
            inverse: algebra.vector(layout, &floats(&inverses))?,
            largest: 0.0,
            has_fixed,
            is_uneven,
            is_whole,
            uniform,
            shares,
            weights,
        };
        made.largest = made.rows().fold(0.0, |largest: f64, (node, sum, extra)| match made.shares[node] {
            0.0 => largest,
            share => largest.max((2.0 * sum + extra) / share),
        });
        Ok(made)
    }

    /// The same, with fixed values also at nodes that take no part in `others`; `None` if that changes no node, or leaves none.
    pub(super) fn fixed_where(&self, others: &FiniteVolumes) -> Result<Option<FiniteVolumes>> {
        let goes = |node: usize| self.shares[node] > 0.0 && others.shares[node] == 0.0;
        let stays = |node: usize| self.shares[node] > 0.0 && others.shares[node] > 0.0;
        let nodes = self.shares.len();
        if !(0..nodes).any(goes) || !(0..nodes).any(stays) {
            return Ok(None);
        }
        let (mut shares, mut weights) = (self.shares.clone(), self.weights.clone());
        let (across, down) = (self.layout.width() as usize, self.layout.height() as usize);
        for node in 0..nodes {
            let (i, j) = (node % across, node / across);
            for (axis, to) in [(0, j * across + (i + 1) % across), (1, (j + 1) % down * across + i)] {
                let weight = self.weights[axis][node];
                if goes(node) || goes(to) {
                    weights[axis][node] = 0.0;
                    weights[2][to] += if goes(node) { weight } else { 0.0 };
                    weights[2][node] += if goes(to) { weight } else { 0.0 };
                }
            }
        }
        (0..nodes).filter(|node| goes(*node)).for_each(|node| (shares[node], weights[2][node]) = (0.0, 0.0));
        let place = (self.layout, self.periodic);
        FiniteVolumes::of(&self.algebra, place, shares, weights, [true, self.is_uneven]).map(Some)
    }

    /// Each node with the sum of its weights to neighbours, and what it loses besides.
    fn rows(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let [east, north, extra] = &self.weights;
        let (across, down) = (self.layout.width() as usize, self.layout.height() as usize);
        (0..across * down).map(move |node| {
            let (i, j) = (node % across, node / across);
            let west = j * across + (i + across - 1) % across;
            let south = (j + down - 1) % down * across + i;
            (node, east[node] + east[west] + north[node] + north[south], extra[node])
        })
    }

    /// Λmax: no eigenvalue of Λ is beyond it (Gershgorin). 4/hx² + 4/hy² on a grid without mask.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// V: 1 in a full cell, ½ on an edge, ¼ in a corner, 0 where a node takes no part.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Λ u in f64, for tests and oracles: u counts as 0 at nodes that take no part.
    pub fn multiply(&self, u: &[f64]) -> Vec<f64> {
        let [east, north, extra] = &self.weights;
        let (across, down) = (self.layout.width() as usize, self.layout.height() as usize);
        let mut sums: Vec<f64> = extra.iter().zip(u).map(|(extra, u)| extra * u).collect();
        for node in 0..across * down {
            let (i, j) = (node % across, node / across);
            for (weight, to) in
                [(east[node], j * across + (i + 1) % across), (north[node], (j + 1) % down * across + i)]
            {
                let flow = weight * (u[node] - u[to]);
                sums[node] += flow;
                sums[to] -= flow;
            }
        }
        sums.iter()
            .zip(&self.shares)
            .map(|(sum, &share)| if share > 0.0 { sum / share } else { 0.0 })
            .collect()
    }

    pub(super) fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    pub(super) fn layout(&self) -> Packed2x2 {
        self.layout
    }

    /// K: the weight to the next node along x and y, and what a node loses besides.
    pub(super) fn weights(&self) -> &[Vec<f64>; 3] {
        &self.weights
    }

    pub(super) fn periodic(&self) -> [bool; 2] {
        self.periodic
    }

    pub(super) fn volume(&self) -> &Vector {
        &self.volume
    }

    pub(super) fn inverse(&self) -> &Vector {
        &self.inverse
    }

    /// True if nodes with fixed values lie beside others.
    pub(super) fn has_fixed(&self) -> bool {
        self.has_fixed
    }

    /// True if weights differ inside: a mask, or a conductivity.
    pub(super) fn is_uneven(&self) -> bool {
        self.is_uneven
    }

    /// True if all cells are full ones.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// a V + b K. Its weights are rounded to a multiple of the last digit of the largest diagonal entry, by 2⁻²² of themselves at most, so
    /// that with a = 1 the entries of a row add up to V and what it loses, exactly: 32 bits would else make a constant grow or fall by
    /// 2⁻²⁴ b/h² a solve. Uniform where all nodes are alike, which is known from the grid: a whole periodic one.
    pub(super) fn matrix(&self, a: f64, b: f64) -> Result<NinePoint> {
        let [east, north, extra] = &self.weights;
        let most = self.rows().fold(0.0, |most: f64, (_, sum, extra)| most.max(sum + extra));
        let digit = (a.abs() + b.abs() * most).log2().ceil().exp2() * 2f64.powi(-24);
        let unit = 4.0 * digit;
        let rounded = |weight: f64| if digit > 0.0 { (b * weight / unit).round() * unit } else { b * weight };
        if let Some([east, north]) = self.uniform {
            let (east, north) = (rounded(east) as f32, rounded(north) as f32);
            // In the order in which the kernel of weights adds.
            let own = ((east + east) + (north + north)) + a as f32;
            let entries = [0.0, -north, 0.0, -east, own, -east, 0.0, -north, 0.0];
            return NinePoint::uniform(&self.algebra, self.layout, entries);
        }
        let vector = |values: &mut dyn Iterator<Item = f64>| {
            self.algebra.vector(self.layout, &values.map(|value| value as f32).collect::<Vec<f32>>())
        };
        let to_east = vector(&mut east.iter().map(|&weight| rounded(weight)))?;
        let to_north = vector(&mut north.iter().map(|&weight| rounded(weight)))?;
        let own =
            vector(&mut extra.iter().zip(&self.shares).map(|(&extra, &share)| rounded(extra) + a * share))?;
        NinePoint::from_weights(self.layout, self.periodic, &to_east, &to_north, Some(&own))
    }
}

/// Fields with the same edges and one D, and the volumes around their nodes.
#[derive(Clone)]
pub struct Group {
    /// Those volumes.
    pub volumes: Rc<FiniteVolumes>,
    /// Their numbers.
    pub fields: Vec<usize>,
    /// Auxiliary fields with these edges, from 0. Those that are in no group have the edges of the fields that depend on them.
    pub auxiliaries: Vec<usize>,
}

/// 1 in the components of these fields, else 0.
pub(super) fn own(fields: &[usize]) -> [f32; 4] {
    [0, 1, 2, 3].map(|field| if fields.contains(&field) { 1.0 } else { 0.0 })
}
