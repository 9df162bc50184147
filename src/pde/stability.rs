//! The largest stable step, by the waves that a file's right sides carry.
//!
//! A disturbance of single nodes, far enough from each other, gives the stencil of each from two evaluations a field. With the stencil's
//! numbers held where they are, a wave of wave number k is multiplied by a small matrix A(k) of all fields, its symbol; the step is
//! held against the eigenvalues of that, and of an implicit scheme's both halves. For constant coefficients on a ring it is exact but for the
//! wave numbers that are left out: ten in each of four directions are looked at, and the largest of KdV's lies 2 % higher between two.
//!
//! # References
//! Hundsdorfer & Verwer, *Numerical Solution of Time-Dependent Advection-Diffusion-Reaction Equations*, 2003, I.3 and IV.4.

use super::equations::{Advection, Edge, Equations, Grid, Scheme};
use super::evaluate::Evaluation;
use crate::solve::{self, Small};

/// Growth of a step that is not seen: a millionth, a hundredth in ten thousand steps.
const UNSEEN: f64 = 1e-6;

/// The share of λ that its real part has at least: what is below is rounding of the differences.
const ROUNDING: f64 = 1e-6;

/// Wave numbers in units of π over the distance of nodes, beside the longest wave of the grid.
const WAVES: [f64; 9] = [0.0625, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0];

/// Directions of waves; those along x are all that a line has.
const WAYS: [[f64; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]];

/// Nodes whose stencils are looked at, divided by the number of fields.
const MOST: usize = 64;

/// The growth and the decay of small disturbances, wave by wave.
pub struct Spectrum {
    symbols: Vec<Symbol>,
    /// Decay at edges that Robin conditions make faster than that between them.
    edges: Vec<f64>,
    fields: usize,
}

/// A wave at a node, as real matrices of twice the rows: the real part, and beside it the imaginary one.
struct Symbol {
    /// The node and the direction.
    row: (usize, usize),
    whole: Small,
    /// J of an implicit scheme, and what `implicit = "all"` makes of it.
    implicit: [Small; 2],
    eigenvalues: Vec<[f64; 2]>,
}

impl Symbol {
    fn of(
        row: (usize, usize),
        parts: [Vec<[f64; 2]>; 2],
        constants: &[f64],
        fields: usize,
    ) -> Option<Symbol> {
        let [whole, implicit] = parts;
        let all: Vec<[f64; 2]> =
            implicit.iter().zip(constants).map(|(a, more)| [a[0] + more, a[1]]).collect();
        let [whole, implicit, all] = [whole, implicit, all].map(|part| doubled(&part, fields));
        let eigenvalues = whole.eigenvalues()?;
        Some(Symbol { row, whole, implicit: [implicit, all], eigenvalues })
    }
}

/// Growth that an implicit scheme adds to that of the equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The factor of a step at most; 1 where nothing is added.
    pub factor: f64,
    /// A step that adds nothing, where the factor is above 1.
    pub limit: f64,
    /// True if `implicit = "all"` adds nothing at this step.
    pub all_helps: bool,
}

/// A wave that grows the faster the shorter it is: no step is short enough for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortWaves {
    /// The number of the field that it is of.
    pub field: usize,
    /// The rate at which the shortest grow.
    pub rate: f64,
}

/// The numbers of a stencil: those of a field's right side and those of its J, for a field and a distance in nodes.
type Stencil = Vec<([usize; 2], [f64; 2], [f64; 2])>;

impl Equations {
    /// The spectrum at the start.
    pub fn spectrum(&self) -> Spectrum {
        let parameters = self.values();
        let start = self.start(&parameters, self.run.step);
        Spectrum::of(&Evaluation::new(self, &parameters, self.run.step, 0.0, start), self)
    }
}

impl Spectrum {
    pub(super) fn of<'e>(now: &Evaluation<'e>, equations: &'e Equations) -> Spectrum {
        let fields = equations.fields.len();
        let (mut symbols, constants) = (Vec::new(), constants(now, equations));
        let stencils = few(stencils(now, equations), (MOST / fields).max(1));
        let grid = &equations.grid;
        let ways = if grid.dimensions == 1 { &WAYS[..1] } else { &WAYS[..] };
        for (node, stencil) in stencils.iter().enumerate() {
            for (number, way) in ways.iter().enumerate() {
                let side = (0..2).filter(|axis| way[*axis] != 0.0).map(|axis| grid.size[axis]).max();
                let longest = 2.0 / f64::from(side.unwrap_or(2));
                for wave in [longest].iter().chain(&WAVES) {
                    let angle = way.map(|way| std::f64::consts::PI * wave * way);
                    let mut parts = [[0.0; 2]; 2].map(|part| vec![part; fields * fields]);
                    for ([i, j], far, values) in stencil {
                        // The value at the node that a disturbance lies `far` behind.
                        let (sin, cos) = (-angle[0] * far[0] - angle[1] * far[1]).sin_cos();
                        for (part, value) in parts.iter_mut().zip(values) {
                            let entry = &mut part[i * fields + j];
                            *entry = [entry[0] + value * cos, entry[1] + value * sin];
                        }
                    }
                    symbols.extend(Symbol::of((node, number), parts, &constants, fields));
                }
            }
        }
        // A mean moves with all nodes at once.
        if !equations.totals.is_empty() {
            let parts = of_all(now, equations);
            symbols.extend(Symbol::of((stencils.len(), 0), parts, &constants, fields));
        }
        // Rounding makes decay or growth of none.
        let largest = symbols
            .iter()
            .flat_map(|one| &one.eigenvalues)
            .fold(0.0, |most: f64, [x, y]| most.max(x.hypot(*y)));
        for [x, y] in symbols.iter_mut().flat_map(|one| &mut one.eigenvalues) {
            if x.abs() <= ROUNDING * y.abs() + 1e-9 * largest {
                *x = 0.0;
            }
        }
        Spectrum { symbols, edges: robin(now, equations), fields }
    }

    fn eigenvalues(&self) -> impl Iterator<Item = [f64; 2]> {
        let of_edges = self.edges.iter().map(|decay| [*decay, 0.0]);
        self.symbols.iter().flat_map(|one| one.eigenvalues.iter().copied()).chain(of_edges)
    }

    /// True if there was a node far enough from edges to tell anything.
    pub fn is_known(&self) -> bool {
        !self.symbols.is_empty()
    }

    /// The largest stable step of an explicit scheme, that of Euler for others; 0 where waves are not damped and grow at any step, infinite
    /// where nothing bounds it.
    pub fn limit(&self, scheme: Scheme) -> f64 {
        let all: Vec<[f64; 2]> = self.eigenvalues().filter(|[x, y]| *x != 0.0 || *y != 0.0).collect();
        let stable = |step: f64| {
            all.iter().all(|[x, y]| {
                let z = [step * x, step * y];
                factor(scheme, z) <= allowed(z[0]) * (1.0 + UNSEEN)
            })
        };
        let largest = all.iter().fold(0.0, |most: f64, [x, y]| most.max(x.hypot(*y)));
        // No scheme is stable at 4/|λ| of what decays.
        let decays =
            all.iter().filter(|[x, _]| *x <= 0.0).fold(0.0, |most: f64, [x, y]| most.max(x.hypot(*y)));
        if decays <= 1e-9 * largest || decays == 0.0 {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, 4.0 / decays);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if stable(middle) { low = middle } else { high = middle }
        }
        // A wave that only UNSEEN lets pass sets no limit: without UNSEEN it grows at any step.
        let fails =
            |[x, y]: &&[f64; 2]| factor(scheme, [high * x, high * y]) > allowed(high * x) * (1.0 + UNSEEN);
        let fastest = all.iter().filter(fails).fold(0.0, |most: f64, [x, y]| most.max(x.hypot(*y)));
        let least = if scheme == Scheme::Ab2 { 0.05 } else { 2e-3 };
        if low * fastest < least { 0.0 } else { low }
    }

    /// The factor by which an explicit step lets the worst of all waves grow beyond what the equations do.
    pub fn factor(&self, scheme: Scheme, step: f64) -> f64 {
        let beyond = |[x, y]: [f64; 2]| factor(scheme, [step * x, step * y]) / allowed(step * x);
        self.eigenvalues().map(beyond).fold(1.0, f64::max)
    }

    /// The growth that an implicit scheme adds at this step, by the terms that are left to N.
    pub fn growth(&self, scheme: Scheme, step: f64) -> Growth {
        let scheme = scheme.of_stepper();
        let of = |one: &Symbol, all: usize, step: f64| {
            let most = one.eigenvalues.iter().map(|[x, _]| allowed(step * x)).fold(1.0, f64::max);
            let found =
                advanced(scheme, &one.whole, &one.implicit[all], step).and_then(|next| next.eigenvalues());
            // A singular J is told elsewhere.
            found
                .map_or(1.0, |all| all.iter().fold(0.0, |most: f64, [x, y]| most.max(x.hypot(*y))) / most)
                .max(1.0)
        };
        let mut growing: Vec<(f64, &Symbol)> =
            self.symbols.iter().map(|one| (of(one, 0, step), one)).collect();
        growing.sort_by(|a, b| b.0.total_cmp(&a.0));
        let factor = growing.first().map_or(1.0, |(growth, _)| *growth);
        if factor <= 1.0 + UNSEEN {
            return Growth { factor: 1.0, limit: step, all_helps: false };
        }
        let all_helps = self.symbols.iter().all(|one| of(one, 1, step) <= 1.0 + UNSEEN);
        let worst: Vec<&Symbol> = growing.iter().take(8).map(|(_, one)| *one).collect();
        let (mut low, mut high) = (0.0, step);
        for _ in 0..12 {
            let middle = 0.5 * (low + high);
            if worst.iter().all(|one| of(one, 0, middle) <= 1.0 + 10.0 * UNSEEN) {
                low = middle
            } else {
                high = middle
            }
        }
        // Others may be the worst at a shorter step.
        while low >= 1e-3 * step && self.symbols.iter().any(|one| of(one, 0, low) > 1.0 + 10.0 * UNSEEN) {
            low *= 0.8;
        }
        Growth { factor, limit: if low < 1e-3 * step { 0.0 } else { low }, all_helps }
    }

    /// Short waves that grow faster than longer ones, where there are any.
    pub fn ill_posed(&self) -> Option<ShortWaves> {
        let largest = self.eigenvalues().fold(0.0, |most: f64, [x, y]| most.max(x.hypot(y)));
        let rate = |one: &Symbol| one.eigenvalues.iter().map(|[x, _]| *x).fold(f64::NEG_INFINITY, f64::max);
        let mut found: Option<ShortWaves> = None;
        for row in self.symbols.chunk_by(|a, b| a.row == b.row) {
            let [.., shortest] = row else { continue };
            let longer = row.iter().rev().nth(4).map_or(0.0, rate).max(0.0);
            let rate = rate(shortest);
            // A derivative of the wrong sign makes longer waves grow too, only slower; a coefficient that varies from node to node makes one
            // wave grow alone.
            let grows = rate > 0.1 * largest && rate > 1.2 * longer && longer > 0.2 * rate;
            if grows && found.is_none_or(|found| found.rate < rate) {
                let own = |field: &usize| shortest.whole[(*field, *field)];
                let field = (0..self.fields).max_by(|a, b| own(a).total_cmp(&own(b))).unwrap_or(0);
                found = Some(ShortWaves { field, rate });
            }
        }
        found
    }
}

/// A complex matrix as a real one.
fn doubled(part: &[[f64; 2]], fields: usize) -> Small {
    Small::of(2 * fields, |i, j| {
        let [real, imaginary] = part[i % fields * fields + j % fields];
        match (i < fields, j < fields) {
            (true, false) => -imaginary,
            (false, true) => imaginary,
            _ => real,
        }
    })
}

/// The growth that a step may have: that of the equations, twice as fast at most.
fn allowed(x: f64) -> f64 {
    (2.0 * x.max(0.0)).min(300.0).exp()
}

/// The factor by which an explicit step multiplies what is multiplied by exp(z).
fn factor(scheme: Scheme, [x, y]: [f64; 2]) -> f64 {
    let times = |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
    match scheme {
        Scheme::Rk4 => {
            // Horner's rule of 1 + z + z²/2 + z³/6 + z⁴/24.
            let next = |sum, part: f64| {
                let [a, b] = times(sum, [x / part, y / part]);
                [1.0 + a, b]
            };
            let [a, b] = [4.0, 3.0, 2.0, 1.0].into_iter().fold([1.0, 0.0], next);
            a.hypot(b)
        }
        Scheme::Ab2 => {
            // ρ² − (1 + 3/2 z) ρ + z/2 = 0.
            let half = [0.5 + 0.75 * x, 0.75 * y];
            let square = times(half, half);
            let [a, b] = [square[0] - 0.5 * x, square[1] - 0.5 * y];
            let root = [
                ((a.hypot(b) + a) / 2.0).max(0.0).sqrt(),
                ((a.hypot(b) - a) / 2.0).max(0.0).sqrt().copysign(b),
            ];
            let [plus, minus] =
                [1.0, -1.0].map(|sign| (half[0] + sign * root[0]).hypot(half[1] + sign * root[1]));
            plus.max(minus)
        }
        _ => (1.0 + x).hypot(y),
    }
}

/// The matrix of an implicit step, of uⁿ and uⁿ⁻¹: with P = (c₀ − γΔt J)⁻¹ δ = P (k₀ δⁿ⁻¹ + k₁ J uⁿ + k₂ N uⁿ + k₃ N uⁿ⁻¹).
fn advanced(scheme: solve::Scheme, whole: &Small, implicit: &Small, step: f64) -> Option<Small> {
    let (rows, (c0, gamma)) = (whole.rows(), scheme.implicit());
    let k = scheme.explicit(step);
    let own = |i: usize, j: usize| f64::from(u8::from(i == j));
    let left = Small::of(rows, |i, j| c0 * own(i, j) - gamma * step * implicit[(i, j)]);
    let explicit = |i, j| whole[(i, j)] - implicit[(i, j)];
    let now = left
        .solve(&Small::of(rows, |i, j| k[0] * own(i, j) + k[1] * implicit[(i, j)] + k[2] * explicit(i, j)))?;
    let before = left.solve(&Small::of(rows, |i, j| k[3] * explicit(i, j) - k[0] * own(i, j)))?;
    Some(Small::of(2 * rows, |i, j| match (i < rows, j < rows) {
        (true, true) => own(i, j) + now[(i, j)],
        (true, false) => before[(i, j - rows)],
        (false, true) => own(i - rows, j),
        (false, false) => 0.0,
    }))
}

/// Coefficients of fields that stand in N and that `implicit = "all"` takes to J.
fn constants(now: &Evaluation, equations: &Equations) -> Vec<f64> {
    let fields = equations.fields.len();
    let mut all = vec![0.0; fields * fields];
    for (i, explicit) in equations.split.iter().flat_map(|split| &split.explicit).enumerate() {
        for (j, value) in explicit
            .iter()
            .flat_map(|one| super::split::linear_terms(one, equations, now.parameters(), now.step()))
        {
            all[i * fields + j] += value;
        }
    }
    all
}

/// Nodes of an axis that are disturbed at once: no stencil of one reaches that of another.
fn places(side: usize, is_ring: bool, reach: usize, most: usize) -> Vec<usize> {
    let (first, last) = if is_ring {
        (0, side as isize - 1 - 2 * reach as isize)
    } else {
        (reach + 1, side as isize - 2 - reach as isize)
    };
    if last < first as isize {
        return vec![side / 2];
    }
    let last = last as usize;
    let gap = ((last - first) / most).max(2 * reach + 1);
    let mut all: Vec<usize> = (first..=last).step_by(gap).collect();
    if all.last().is_some_and(|at| last - at > 2 * reach) {
        all.push(last);
    }
    all
}

/// A disturbance of a field that is small beside it.
fn small(now: &Evaluation, field: usize) -> f64 {
    let largest = |field: &Vec<f64>| field.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let (own, all) = (largest(&now.fields()[field]), now.fields().iter().map(largest).fold(0.0, f64::max));
    let size = if own > 1e-6 * all { own } else { all };
    1e-5 * if size > 0.0 { size } else { 1.0 }
}

/// The change of right sides and of J where a field changes at each of these nodes by the number beside it.
fn changes<'e>(
    now: &Evaluation<'e>,
    equations: &'e Equations,
    field: usize,
    nodes: &[(usize, f64)],
    holds_totals: bool,
) -> [Vec<Vec<f64>>; 2] {
    let by = small(now, field);
    let [up, down] = [by, -by].map(|by| {
        let mut fields = now.fields().to_vec();
        nodes.iter().for_each(|(node, sign)| fields[field][*node] += by * sign);
        let there = now.of_fields(equations, fields, holds_totals);
        let linear = |formula| there.values(formula);
        [there.rates(), equations.split.iter().flat_map(|split| &split.linear).map(linear).collect()]
    });
    let difference =
        |(a, b): (Vec<f64>, Vec<f64>)| a.iter().zip(&b).map(|(a, b)| (a - b) / (2.0 * by)).collect();
    let [[a, c], [b, d]] = [up, down];
    [a.into_iter().zip(b).map(difference).collect(), c.into_iter().zip(d).map(difference).collect()]
}

/// The parts of the wave that is as long as nothing: all nodes move alike, and totals with them.
fn of_all<'e>(now: &Evaluation<'e>, equations: &'e Equations) -> [Vec<[f64; 2]>; 2] {
    let fields = equations.fields.len();
    let inside = |node: &usize| equations.grid.mask.as_ref().is_none_or(|mask| mask[*node]);
    let nodes: Vec<(usize, f64)> =
        (0..equations.grid.nodes()).filter(inside).map(|node| (node, 1.0)).collect();
    let mut parts = [[0.0; 2]; 2].map(|part| vec![part; fields * fields]);
    for j in 0..fields {
        for (part, changed) in parts.iter_mut().zip(changes(now, equations, j, &nodes, false)) {
            for (i, values) in changed.iter().enumerate() {
                let sum: f64 =
                    nodes.iter().map(|(node, _)| values[*node]).filter(|value| value.is_finite()).sum();
                part[i * fields + j] = [sum / nodes.len().max(1) as f64, 0.0];
            }
        }
    }
    parts
}

/// The nodes around one that its stencil may reach, and those whose stencils are looked at.
struct Windows<'e> {
    grid: &'e Grid,
    reach: usize,
}

impl Windows<'_> {
    /// Nodes of an axis and their distances from one of it.
    fn along(&self, at: usize, axis: usize) -> Vec<(isize, usize)> {
        let (side, ring) = (self.grid.size[axis] as isize, self.grid.periodic[axis]);
        let is_line = axis == 1 && self.grid.dimensions == 1;
        let far = if is_line { 0 } else { (self.reach as isize).min((side - 1) / 2) };
        (-far..=far)
            .map(|far| (far, at as isize + far))
            .filter(|(far, to)| *far == 0 || ring || (1..side - 1).contains(to))
            .map(|(far, to)| (far, to.rem_euclid(side) as usize))
            .collect()
    }

    fn of(&self, node: usize) -> Vec<([isize; 2], usize)> {
        let width = self.grid.size[0] as usize;
        let (x, y) = (self.along(node % width, 0), self.along(node / width, 1));
        y.iter().flat_map(|(up, j)| x.iter().map(move |(far, i)| ([*far, *up], j * width + i))).collect()
    }

    fn is_inside(&self, node: usize) -> bool {
        self.grid.mask.as_ref().is_none_or(|mask| mask[node])
    }

    /// True if a node's window is whole: no edge is in it and all of it is inside the mask.
    fn is_whole(&self, node: usize) -> bool {
        let width = self.grid.size[0] as usize;
        let is_free = |axis: usize, at: usize| {
            let side = self.grid.size[axis] as usize;
            self.grid.periodic[axis] || (at > self.reach && at + self.reach + 1 < side)
        };
        (0..self.grid.dimensions).all(|axis| is_free(axis, [node % width, node / width][axis]))
            && (self.grid.mask.is_none() || self.of(node).iter().all(|(_, at)| self.is_inside(*at)))
    }

    /// True if no node is in the windows of both.
    fn are_apart(&self, a: usize, b: usize) -> bool {
        let width = self.grid.size[0] as usize;
        (0..self.grid.dimensions).any(|axis| {
            let [a, b] = [a, b].map(|node| [node % width, node / width][axis]);
            let (side, gap) = (self.grid.size[axis] as usize, a.abs_diff(b));
            let gap = if self.grid.periodic[axis] { gap.min(side - gap) } else { gap };
            gap > 2 * self.reach
        })
    }

    /// Adds a node where it is apart from those that are there.
    fn add(&self, nodes: &mut Vec<usize>, node: usize) {
        if nodes.iter().all(|known| self.are_apart(*known, node)) {
            nodes.push(node);
        }
    }
}

/// The nodes at which the shortest waves of the grid are the fastest, two of each field.
fn fastest<'e>(now: &Evaluation<'e>, equations: &'e Equations, windows: &Windows) -> Vec<usize> {
    let width = equations.grid.size[0] as usize;
    let sign = |node: usize| if (node % width + node / width).is_multiple_of(2) { 1.0 } else { -1.0 };
    let wave: Vec<(usize, f64)> = (0..equations.grid.nodes()).map(|node| (node, sign(node))).collect();
    let mut found = Vec::new();
    for j in 0..equations.fields.len() {
        let [whole, _] = changes(now, equations, j, &wave, true);
        let mut rates: Vec<(f64, usize)> = (0..equations.grid.nodes())
            .map(|node| (whole.iter().map(|values| values[node].abs()).fold(0.0, f64::max), node))
            .filter(|(rate, _)| *rate > 0.0 && rate.is_finite())
            .collect();
        rates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let wanted = found.len() + 2;
        for (_, node) in rates.iter().filter(|(_, node)| windows.is_whole(*node)).take(64) {
            if found.len() < wanted {
                windows.add(&mut found, *node);
            }
        }
    }
    found
}

/// The nodes whose stencils are looked at: the fastest, and others evenly. Where none has a whole window, any that a mask has.
fn nodes<'e>(now: &Evaluation<'e>, equations: &'e Equations, windows: &Windows) -> Vec<usize> {
    let grid = &equations.grid;
    let [width, height] = grid.size.map(|side| side as usize);
    let is_line = grid.dimensions == 1;
    let across = places(width, grid.periodic[0], windows.reach, if is_line { 64 } else { 12 });
    let up = if is_line { vec![0] } else { places(height, grid.periodic[1], windows.reach, 12) };
    let places: Vec<usize> = up.iter().flat_map(|j| across.iter().map(move |i| j * width + i)).collect();
    let is_whole = |node: &usize| windows.of(*node).iter().all(|(_, at)| windows.is_inside(*at));
    let mut all = fastest(now, equations, windows);
    places.iter().filter(|node| is_whole(node)).for_each(|node| windows.add(&mut all, *node));
    let each = 0..grid.nodes();
    for is_wanted in [true, false] {
        if all.is_empty() {
            for node in each.clone().filter(|node| windows.is_inside(*node)) {
                if all.len() < MOST && (!is_wanted || windows.is_whole(node)) {
                    windows.add(&mut all, node);
                }
            }
        }
    }
    all
}

/// Evaluations, times the nodes of the grid, that the rows of the stencils may take.
const MOST_ROWS: usize = 4_000_000;

/// The stencils around nodes that lie apart: the columns of the Jacobian, what a node does to others. Where they differ from node to node a
/// column has the slopes of c in c ∇²u, and a row, what others do to it, those in ∇²(c u): of both that with the smaller sum is without.
fn stencils<'e>(now: &Evaluation<'e>, equations: &'e Equations) -> Vec<Stencil> {
    let reach = 1 + equations.levels() + usize::from(equations.run.advection == Advection::Minmod);
    let windows = Windows { grid: &equations.grid, reach };
    let nodes = nodes(now, equations, &windows);
    let around: Vec<Vec<([isize; 2], usize)>> = nodes.iter().map(|node| windows.of(*node)).collect();
    let numbers = |[whole, linear]: &[Vec<Vec<f64>>; 2], i: usize, at: usize| {
        let pair = [whole[i][at], linear.get(i).map_or(0.0, |linear| linear[at])];
        let is_there = pair.iter().any(|value| *value != 0.0) && pair.iter().all(|value| value.is_finite());
        is_there.then_some(pair)
    };
    let fields = equations.fields.len();
    let mut columns: Vec<Stencil> = vec![Vec::new(); nodes.len()];
    let here: Vec<(usize, f64)> = nodes.iter().map(|node| (*node, 1.0)).collect();
    for j in 0..fields {
        let changed = changes(now, equations, j, &here, true);
        for (stencil, around) in columns.iter_mut().zip(&around) {
            for (far, at) in around {
                for i in 0..fields {
                    stencil.extend(
                        numbers(&changed, i, *at).map(|pair| ([i, j], far.map(|far| far as f64), pair)),
                    );
                }
            }
        }
    }
    let beside = |stencil: &Stencil| -> Stencil {
        stencil.iter().filter(|(_, far, _)| *far != [0.0; 2]).copied().collect()
    };
    let first = columns.first().map(beside).unwrap_or_default();
    if columns.iter().all(|stencil| alike(&first, &beside(stencil))) {
        return columns;
    }
    let mut shifts: Vec<[isize; 2]> = around.iter().flatten().map(|(far, _)| *far).collect();
    shifts.sort_unstable();
    shifts.dedup();
    if shifts.len() * fields * 2 * equations.grid.nodes() > MOST_ROWS {
        columns.retain(is_plain);
        return columns;
    }
    let mut rows: Vec<Stencil> = vec![Vec::new(); nodes.len()];
    for shift in shifts {
        let there = |around: &Vec<([isize; 2], usize)>| {
            around.iter().find(|(far, _)| *far == shift).map(|(_, at)| (*at, 1.0))
        };
        let disturbed: Vec<Option<(usize, f64)>> = around.iter().map(there).collect();
        let nodes_there: Vec<(usize, f64)> = disturbed.iter().flatten().copied().collect();
        for j in 0..fields {
            let changed = changes(now, equations, j, &nodes_there, true);
            for ((row, node), _) in
                rows.iter_mut().zip(&nodes).zip(&disturbed).filter(|(_, there)| there.is_some())
            {
                for i in 0..fields {
                    let far = shift.map(|far| -far as f64);
                    row.extend(numbers(&changed, i, *node).map(|pair| ([i, j], far, pair)));
                }
            }
        }
    }
    let chosen = |(column, row): (Stencil, Stencil)| -> Stencil {
        let of = |stencil: &Stencil, at: [usize; 2]| -> Stencil {
            stencil.iter().filter(|(own, ..)| *own == at).copied().collect()
        };
        let sum = |stencil: &Stencil| stencil.iter().map(|(.., pair)| pair[0]).sum::<f64>().abs();
        let pairs = (0..fields).flat_map(|i| (0..fields).map(move |j| [i, j]));
        pairs
            .flat_map(|pair| {
                let [column, row] = [&column, &row].map(|stencil| of(stencil, pair));
                if sum(&column) < sum(&row) - 1e-9 * size(&row) { column } else { row }
            })
            .collect()
    };
    columns.into_iter().zip(rows).map(chosen).collect()
}

/// True for a stencil that sums to little or is the same on both sides: others may be those of a jump.
fn is_plain(stencil: &Stencil) -> bool {
    let sum: f64 = stencil.iter().filter(|([i, j], ..)| i == j).map(|(.., pair)| pair[0]).sum();
    let other = |at: &[usize; 2], far: &[f64; 2]| {
        let there = stencil.iter().find(|(own, to, _)| own == at && *to == [-far[0], -far[1]]);
        there.map_or(0.0, |(.., pair)| pair[0])
    };
    let uneven: f64 = stencil.iter().map(|(at, far, pair)| (pair[0] - other(at, far)).abs()).sum();
    sum.abs() < 0.1 * size(stencil) || uneven < 0.3 * size(stencil)
}

/// The fastest decay that a Robin condition makes at an edge, by the mode (−r)ʲ of the nodes j away from it: with β = b h it is
/// D/h² (2 + 2 √(1 + β²)), beside 4 D/h² of the other axis or the same of an edge of that, at the corner.
fn robin<'e>(now: &Evaluation<'e>, equations: &'e Equations) -> Vec<f64> {
    let grid = &equations.grid;
    let [width, height] = grid.size.map(|side| side as usize);
    let (left, bottom) = (height / 2 * width, width / 2);
    // The middle of an edge, the node inwards of it, and the next along it.
    let sides = [
        [left, left + 1, left + width],
        [left + width - 1, left + width - 2, left + 2 * width - 1],
        [bottom, bottom + width, bottom + 1],
        [
            (height - 1) * width + bottom,
            (height - 2.min(height)) * width + bottom,
            (height - 1) * width + bottom + 1,
        ],
    ];
    let mut all = Vec::new();
    for (at, field) in equations.fields.iter().enumerate() {
        let is_robin = |side: &usize| matches!(field.edges[*side], Edge::Flux { robin: Some(_), .. });
        let own: Vec<usize> = (0..2 * grid.dimensions).filter(is_robin).collect();
        if own.is_empty() {
            continue;
        }
        let middles: Vec<(usize, f64)> = own.iter().map(|side| (sides[*side][0], 1.0)).collect();
        let [whole, _] = changes(now, equations, at, &middles, true);
        // The axis, the decay across, and that along.
        let mut modes: Vec<(usize, f64, f64)> = Vec::new();
        for side in own {
            let [middle, inwards, along] = sides[side];
            let decay = -whole[at][middle];
            let across = whole[at][inwards];
            let along = if grid.dimensions == 1 { 0.0 } else { whole[at][along] };
            let beta = (decay - 2.0 * along) / (2.0 * across) - 1.0;
            if equations.levels() == 0 && across > 0.0 && beta > 0.0 {
                modes.push((side / 2, 2.0 * across * (1.0 + beta.hypot(1.0)), 4.0 * along));
            } else if decay > 0.0 {
                all.push(-decay);
            }
        }
        let corner = |axis: usize| {
            modes.iter().filter(|mode| mode.0 != axis).fold(0.0, |most: f64, mode| most.max(mode.1))
        };
        all.extend(modes.iter().map(|(axis, own, along)| -own - along.max(corner(*axis))));
    }
    all
}

fn size(stencil: &Stencil) -> f64 {
    stencil.iter().map(|(.., values)| values[0].abs()).sum()
}

fn alike(a: &Stencil, b: &Stencil) -> bool {
    let scale = 1e-6 * size(a);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.0 == b.0 && a.1 == b.1 && a.2.iter().zip(&b.2).all(|(a, b)| (a - b).abs() <= scale)
        })
}

/// Some of the stencils: those that differ, the largest, and others evenly.
fn few(all: Vec<Stencil>, most: usize) -> Vec<Stencil> {
    let mut kept: Vec<Stencil> = Vec::new();
    for stencil in all {
        if !kept.iter().any(|known| alike(known, &stencil)) {
            kept.push(stencil);
        }
    }
    kept.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let half = most.div_ceil(2);
    if kept.len() > most {
        let rest = kept.split_off(half);
        let apart = rest.len().div_ceil(most - half + 1).max(1);
        kept.extend(rest.into_iter().step_by(apart));
    }
    kept
}
