//! The domain of a fluid: what sides, viscosity and projection do to a velocity in a step, without the advection, in plain loops.

use crate::direct_solve;
use quadrille::Result;
use quadrille::numeric::Csr;

/// A box on a collocated or a staggered grid, its sides in the order west, east, south, north.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    /// True if u and v lie on faces and the rest in cells; else all lies at nodes.
    pub staggered: bool,
    /// Cells across and up.
    pub cells: [usize; 2],
    /// Which axes are periodic.
    pub periodic: [bool; 2],
    /// The velocity, eastward or northward, through each side that is closed; `None` where it is open or periodic.
    pub through: [Option<f64>; 4],
    /// The velocity along it, where the fluid sticks to it.
    pub along: [Option<f64>; 4],
    /// At centres.
    pub solid: &'a [bool],
}

/// A velocity: (u, v) of each node, row after row.
pub type Velocity = Vec<[f64; 2]>;

impl Domain<'_> {
    /// Texels of a velocity.
    pub fn nodes(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.cells[axis] + usize::from(!self.periodic[axis]))
    }

    /// Elements of a scalar.
    pub fn centres(&self) -> [usize; 2] {
        if self.staggered { self.cells } else { self.nodes() }
    }

    fn all_centres(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [columns, rows] = self.centres();
        (0..rows).flat_map(move |j| (0..columns).map(move |i| [i, j]))
    }

    fn centre(&self, [i, j]: [usize; 2]) -> usize {
        j * self.centres()[0] + i
    }

    fn node(&self, [i, j]: [usize; 2]) -> usize {
        j * self.nodes()[0] + i
    }

    /// The centre one further along an axis, or one back; `None` beyond a side.
    fn next(&self, mut place: [usize; 2], axis: usize, forward: bool) -> Option<[usize; 2]> {
        let count = self.centres()[axis];
        place[axis] = match (forward, place[axis]) {
            (true, last) if last + 1 == count => self.periodic[axis].then_some(0)?,
            (true, here) => here + 1,
            (false, 0) => self.periodic[axis].then_some(count - 1)?,
            (false, here) => here - 1,
        };
        Some(place)
    }

    /// The width of the cell of that place along the axis: a closed side of a collocated grid cuts it in half.
    fn width(&self, place: [usize; 2], axis: usize) -> f64 {
        let cut =
            |side: usize, at: usize| !self.staggered && self.through[side].is_some() && place[axis] == at;
        let cuts = [cut(2 * axis, 0), cut(2 * axis + 1, self.centres()[axis] - 1)];
        1.0 - 0.5 * cuts.into_iter().filter(|&cut| cut).count() as f64
    }

    /// How wide the way is from a centre along an axis: 0 into a solid.
    fn area(&self, place: [usize; 2], axis: usize, forward: bool) -> f64 {
        let other = self.next(place, axis, forward).unwrap_or(place);
        let closed = self.solid[self.centre(place)] || self.solid[self.centre(other)];
        if closed { 0.0 } else { self.width(place, 1 - axis) }
    }

    /// Returns true if pressure acts from a centre along an axis.
    fn acts(&self, place: [usize; 2], axis: usize, forward: bool) -> bool {
        let inside = self.next(place, axis, forward).is_some();
        let side = 2 * axis + usize::from(forward);
        self.area(place, axis, forward) > 0.0 && (inside || self.through[side].is_none())
    }

    /// The value at which component `axis` is held in a texel of the velocity; `None` where it is free.
    pub fn held(&self, place: [usize; 2], axis: usize) -> Option<f64> {
        let (nodes, centres) = (self.nodes(), self.centres());
        if place[1 - axis] >= centres[1 - axis] {
            return Some(0.0); // there is no such face
        }
        let mut beside = vec![place];
        if self.staggered {
            let before = match place[axis] {
                0 if self.periodic[axis] => Some(nodes[axis] - 1),
                0 => None,
                here => Some(here - 1),
            };
            beside.extend(before.map(|here| {
                let mut place = place;
                place[axis] = here;
                place
            }));
            beside.retain(|place| place[axis] < centres[axis]);
        }
        if beside.into_iter().any(|place| self.solid[self.centre(place)]) {
            return Some(0.0);
        }
        let at = |axis: usize| {
            [(2 * axis, 0), (2 * axis + 1, nodes[axis] - 1)].map(|(side, at)| (side, place[axis] == at))
        };
        let through = at(axis).into_iter().find_map(|(side, there)| self.through[side].filter(|_| there));
        let along = at(1 - axis)
            .into_iter()
            .find_map(|(side, there)| self.along[side].filter(|_| there && !self.staggered));
        through.or(along)
    }

    /// Sets what sides and solids hold.
    pub fn enforce(&self, velocity: &mut [[f64; 2]]) {
        let columns = self.nodes()[0];
        for (index, both) in velocity.iter_mut().enumerate() {
            for (axis, component) in both.iter_mut().enumerate() {
                *component = self.held([index % columns, index / columns], axis).unwrap_or(*component);
            }
        }
    }

    /// The same, but what crosses a side at the nodes of a collocated grid stays.
    pub fn enforce_but_through(&self, velocity: &mut [[f64; 2]]) {
        let given = velocity.to_vec();
        self.enforce(velocity);
        let nodes = self.nodes();
        for (index, (both, given)) in velocity.iter_mut().zip(given).enumerate() {
            let place = [index % nodes[0], index / nodes[0]];
            for axis in (0..2).filter(|&axis| !self.staggered && !self.periodic[axis]) {
                if place[axis] == 0 || place[axis] == nodes[axis] - 1 {
                    both[axis] = given[axis];
                }
            }
        }
    }

    /// The outflow of each cell, in velocities: h ∇·u times the part of the cell that is inside. A side holds the flow through it.
    pub fn outflow(&self, velocity: &[[f64; 2]]) -> Vec<f64> {
        let through = |place: [usize; 2], axis: usize, forward: bool| {
            let next = self.next(place, axis, forward);
            if self.staggered {
                let mut face = place;
                face[axis] += usize::from(forward);
                face[axis] %= self.nodes()[axis];
                velocity[self.node(face)][axis]
            } else {
                let own = velocity[self.node(place)][axis];
                let mean = match next {
                    Some(next) => 0.5 * (own + velocity[self.node(next)][axis]),
                    None => self.held(place, axis).unwrap_or(own),
                };
                self.area(place, axis, forward) * mean
            }
        };
        let out = |place| (0..2).map(|axis| through(place, axis, true) - through(place, axis, false)).sum();
        self.all_centres().map(out).collect()
    }

    /// A: minus the Laplacian times h².
    ///
    /// # Errors
    /// None that these entries make.
    pub fn matrix(&self) -> Result<Csr> {
        let mut entries = Vec::new();
        for place in self.all_centres() {
            let row = self.centre(place);
            for (axis, forward) in [(0, false), (0, true), (1, false), (1, true)] {
                if self.acts(place, axis, forward) {
                    let weight = self.area(place, axis, forward);
                    entries.push((row, row, weight));
                    if let Some(next) = self.next(place, axis, forward) {
                        entries.push((row, self.centre(next), -weight));
                    }
                }
            }
        }
        let n = self.solid.len();
        Csr::from_triplets(n, n, entries)
    }

    /// q with A q = −outflow, by elimination: 0 at the first centre of a pocket that no outlet touches.
    ///
    /// # Errors
    /// Those of [`direct_solve`].
    pub fn pressure(&self, outflow: &[f64]) -> Result<Vec<f64>> {
        let a = self.matrix()?;
        let mut pinned = Vec::new();
        let mut seen = vec![false; a.rows()];
        for first in 0..a.rows() {
            let (mut open, mut waiting) = (false, vec![first]);
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            while let Some(row) = waiting.pop() {
                let sum: f64 = a.row(row).map(|(_, value)| value).sum();
                open |= sum > 1e-9;
                for (column, _) in a.row(row) {
                    if !std::mem::replace(&mut seen[column], true) {
                        waiting.push(column);
                    }
                }
            }
            if !open {
                pinned.push((first, first, 1.0));
            }
        }
        let pinned = Csr::from_triplets(a.rows(), a.rows(), a.triplets().chain(pinned))?;
        direct_solve(&pinned, &outflow.iter().map(|out| -out).collect::<Vec<_>>())
    }

    /// The velocity less the gradient of q, and with what sides and solids hold.
    pub fn corrected(&self, velocity: &[[f64; 2]], q: &[f64]) -> Velocity {
        let mut next = velocity.to_vec();
        let at = |place: Option<[usize; 2]>| place.map_or(0.0, |place| q[self.centre(place)]);
        let slope = |place: [usize; 2], axis: usize, forward: bool| {
            let way = at(self.next(place, axis, forward)) - q[self.centre(place)];
            if self.acts(place, axis, forward) { way } else { 0.0 }
        };
        for place in self.all_centres() {
            for axis in 0..2 {
                let (ahead, behind) = (slope(place, axis, true), slope(place, axis, false));
                if !self.staggered {
                    next[self.node(place)][axis] -= 0.5 * (ahead - behind);
                    continue;
                }
                next[self.node(place)][axis] += behind;
                if self.next(place, axis, true).is_none() {
                    let mut face = place;
                    face[axis] += 1;
                    next[self.node(face)][axis] -= ahead;
                }
            }
        }
        self.enforce(&mut next);
        next
    }

    /// Enforced, projected by an exact solve.
    ///
    /// # Errors
    /// As [`Domain::pressure`].
    pub fn projected(&self, velocity: &[[f64; 2]]) -> Result<Velocity> {
        let mut enforced = velocity.to_vec();
        self.enforce_but_through(&mut enforced);
        let q = self.pressure(&self.outflow(&enforced))?;
        Ok(self.corrected(&enforced, &q))
    }

    /// max |h ∇·u|.
    pub fn divergence(&self, velocity: &[[f64; 2]]) -> f64 {
        let parts = self.all_centres().map(|place| self.width(place, 0) * self.width(place, 1));
        self.outflow(velocity).iter().zip(parts).map(|(out, part)| (out / part).abs()).fold(0.0, f64::max)
    }

    /// u* with (1 − a ∇²h²) u* = u for each component, a = νΔt/h², by elimination, and with what is held.
    ///
    /// # Errors
    /// Those of [`direct_solve`].
    pub fn viscous(&self, velocity: &[[f64; 2]], a: f64) -> Result<Velocity> {
        let mut next = velocity.to_vec();
        self.enforce(&mut next);
        for axis in 0..2 {
            let (matrix, right) = self.helmholtz(velocity, axis, a)?;
            for (texel, u) in next.iter_mut().zip(direct_solve(&matrix, &right)?) {
                texel[axis] = u;
            }
        }
        Ok(next)
    }

    /// The system of a component: a row for each texel, that of what is held says so.
    fn helmholtz(&self, velocity: &[[f64; 2]], axis: usize, a: f64) -> Result<(Csr, Vec<f64>)> {
        let (nodes, n) = (self.nodes(), velocity.len());
        let (mut entries, mut right) = (Vec::new(), vec![0.0; n]);
        for row in 0..n {
            let place = [row % nodes[0], row / nodes[0]];
            if let Some(held) = self.held(place, axis) {
                entries.push((row, row, 1.0));
                right[row] = held;
                continue;
            }
            let widths = [self.width_at(place, 0), self.width_at(place, 1)];
            entries.push((row, row, widths[0] * widths[1]));
            right[row] = widths[0] * widths[1] * velocity[row][axis];
            for (along, forward) in [(0, false), (0, true), (1, false), (1, true)] {
                let weight = a * widths[1 - along];
                match self.next_of(place, axis, along, forward) {
                    Some(next) => {
                        entries.push((row, row, weight));
                        entries.push((row, self.node(next), -weight));
                    }
                    None if self.staggered && along != axis => {
                        if let Some(speed) = self.along[2 * along + usize::from(forward)] {
                            entries.push((row, row, 2.0 * a));
                            right[row] += 2.0 * a * speed;
                        }
                    }
                    None => {}
                }
            }
        }
        Ok((Csr::from_triplets(n, n, entries)?, right))
    }

    /// As `width`, at a node.
    fn width_at(&self, place: [usize; 2], axis: usize) -> f64 {
        if self.staggered { 1.0 } else { self.width(place, axis) }
    }

    /// The next place of a component along an axis; `None` beyond a side.
    fn next_of(&self, mut place: [usize; 2], axis: usize, along: usize, forward: bool) -> Option<[usize; 2]> {
        let own = self.nodes()[along];
        let count = if self.staggered && along != axis { self.cells[along] } else { own };
        place[along] = match (forward, place[along]) {
            (true, last) if last + 1 == count => self.periodic[along].then_some(0)?,
            (true, here) => here + 1,
            (false, 0) => self.periodic[along].then_some(count - 1)?,
            (false, here) => here - 1,
        };
        Some(place)
    }
}
