//! Advection along the paths of a velocity in two dimensions: semi-Lagrangian, MacCormack, and particles.

/// Which numbers lie where. On a collocated grid all lie as centres do: at the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lattice {
    /// u, on west faces.
    U,
    /// v, on south faces.
    V,
    /// Scalars.
    Centre,
}

/// A velocity in a box. Places and ways are in cells from the south-western corner of the box.
#[derive(Clone, Copy, Debug)]
pub struct Flow<'a> {
    /// Cells across and up.
    pub cells: [usize; 2],
    /// True if u and v lie on faces, and not with the scalars at nodes.
    pub staggered: bool,
    /// True for each axis that wraps around.
    pub periodic: [bool; 2],
    /// (u, v), row after row, as many as there are nodes.
    pub velocity: &'a [[f64; 2]],
    /// True for each solid cell, row after row, as many as there are scalars.
    pub solids: Option<&'a [bool]>,
}

/// How far from a solid a path ends.
const HAIR: f64 = 1.0 / 1024.0;

/// Four values around a place, south-west, south-east, north-west and north-east, and how far it is between them.
struct Around {
    values: [f64; 4],
    part: [f64; 2],
}

impl Around {
    fn value(&self) -> f64 {
        let ([sw, se, nw, ne], [x, y]) = (self.values, self.part);
        (1.0 - y) * ((1.0 - x) * sw + x * se) + y * ((1.0 - x) * nw + x * ne)
    }

    fn within(&self, value: f64) -> f64 {
        let least = self.values.into_iter().fold(f64::INFINITY, f64::min);
        let most = self.values.into_iter().fold(f64::NEG_INFINITY, f64::max);
        value.clamp(least, most)
    }
}

impl Flow<'_> {
    /// Elements of a lattice, across and up.
    pub fn counts(&self, lattice: Lattice) -> [usize; 2] {
        let first = self.first(lattice);
        [0, 1].map(|axis| self.cells[axis] + usize::from(first[axis] == 0.0 && !self.periodic[axis]))
    }

    /// Where its first element lies.
    pub fn first(&self, lattice: Lattice) -> [f64; 2] {
        match lattice {
            _ if !self.staggered => [0.0, 0.0],
            Lattice::U => [0.0, 0.5],
            Lattice::V => [0.5, 0.0],
            Lattice::Centre => [0.5, 0.5],
        }
    }

    /// The numbers of a component of the velocity on its own lattice.
    pub fn component(&self, axis: usize) -> Vec<f64> {
        let lattice = [Lattice::U, Lattice::V][axis];
        let [columns, rows] = self.counts(lattice);
        let across = self.cells[0] + usize::from(!self.periodic[0]);
        let all = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
        all.map(|(i, j)| self.velocity[j * across + i][axis]).collect()
    }

    /// The index of the nearest element, or of the one that it is again.
    fn index(&self, lattice: Lattice, at: [i64; 2]) -> usize {
        let counts = self.counts(lattice);
        let [i, j] = [0, 1].map(|axis| {
            let count = counts[axis] as i64;
            (if self.periodic[axis] { at[axis].rem_euclid(count) } else { at[axis].clamp(0, count - 1) })
                as usize
        });
        j * counts[0] + i
    }

    fn is_solid(&self, cell: [i64; 2]) -> bool {
        self.solids.is_some_and(|solids| solids[self.index(Lattice::Centre, cell)])
    }

    /// Which of the cells at an element's sides are solid: of a scalar, both are its own.
    fn solid_sides(&self, lattice: Lattice, at: [i64; 2]) -> [bool; 2] {
        let counts = self.counts(lattice);
        let [i, j] = [0, 1].map(|axis| match self.periodic[axis] {
            true => at[axis],
            false => at[axis].clamp(0, counts[axis] as i64 - 1),
        });
        let before = match lattice {
            Lattice::U if self.staggered => [i - 1, j],
            Lattice::V if self.staggered => [i, j - 1],
            _ => [i, j],
        };
        [self.is_solid(before), self.is_solid([i, j])]
    }

    /// The four neighbours of a place. A number inside a solid is replaced by the mean of the open ones.
    fn around(&self, lattice: Lattice, values: &[f64], place: [f64; 2]) -> Around {
        let first = self.first(lattice);
        let low = [0, 1].map(|axis| (place[axis] - first[axis]).floor());
        let part = [0, 1].map(|axis| place[axis] - first[axis] - low[axis]);
        let corners = [[0, 0], [1, 0], [0, 1], [1, 1]];
        let at = corners.map(|[x, y]| [low[0] as i64 + x, low[1] as i64 + y]);
        let mut open = at.map(|at| self.solid_sides(lattice, at) != [true, true]);
        // The one that the place belongs to is apart from that across, if both others are solid.
        let own = usize::from(part[0] >= 0.5) + 2 * usize::from(part[1] >= 0.5);
        if !open[own ^ 1] && !open[own ^ 2] {
            open[own ^ 3] = false;
        }
        let mut values = at.map(|at| values[self.index(lattice, at)]);
        let weight = |n: usize| {
            let of = |axis: usize| if corners[n][axis] == 1 { part[axis] } else { 1.0 - part[axis] };
            if open[n] { of(0) * of(1) } else { 0.0 }
        };
        let all: f64 = (0..4).map(weight).sum();
        let mean = match (0..4).find(|&n| open[n]) {
            _ if all > 0.0 => (0..4).map(|n| weight(n) * values[n]).sum::<f64>() / all,
            Some(n) => values[n],
            None => values[3],
        };
        (0..4).filter(|&n| !open[n]).for_each(|n| values[n] = mean);
        Around { values, part }
    }

    /// The velocity at an element, of its neighbours where it has none of its own.
    fn velocity_on(&self, lattice: Lattice, [i, j]: [i64; 2]) -> [f64; 2] {
        let across = self.cells[0] + usize::from(!self.periodic[0]);
        let of = |axis: usize, at: [i64; 2]| {
            let lattice = [Lattice::U, Lattice::V][axis];
            let index = self.index(lattice, at);
            let columns = self.counts(lattice)[0];
            self.velocity[index / columns * across + index % columns][axis]
        };
        match lattice {
            _ if !self.staggered => [of(0, [i, j]), of(1, [i, j])],
            Lattice::U => {
                let four = of(1, [i - 1, j]) + of(1, [i, j]) + of(1, [i - 1, j + 1]) + of(1, [i, j + 1]);
                [of(0, [i, j]), 0.25 * four]
            }
            Lattice::V => {
                let four = of(0, [i, j - 1]) + of(0, [i, j]) + of(0, [i + 1, j - 1]) + of(0, [i + 1, j]);
                [0.25 * four, of(1, [i, j])]
            }
            Lattice::Centre => {
                [0.5 * (of(0, [i, j]) + of(0, [i + 1, j])), 0.5 * (of(1, [i, j]) + of(1, [i, j + 1]))]
            }
        }
    }

    /// Bilinear between the velocities around a place.
    pub fn velocity_at(&self, place: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| self.around([Lattice::U, Lattice::V][axis], &self.component(axis), place).value())
    }

    /// As much of a way as leads through cells that are open, a hair less before a solid.
    pub fn open_way(&self, place: [f64; 2], way: [f64; 2]) -> [f64; 2] {
        // Cells of solids are around scalars.
        let shift = if self.staggered { 0.0 } else { 0.5 };
        let mut cell = place.map(|x| (x + shift).floor() as i64);
        let hop = way.map(|d| if d < 0.0 { -1.0 } else { 1.0 });
        let mut next = [0, 1].map(|axis| {
            let part = place[axis] + shift - cell[axis] as f64;
            let far = if way[axis] < 0.0 { part } else { 1.0 - part };
            far / way[axis].abs()
        });
        loop {
            let axis = if next[0] < next[1] { 0 } else { 1 };
            let time = next[axis];
            if time.is_nan() || time >= 1.0 {
                return way;
            }
            cell[axis] += hop[axis] as i64;
            if self.is_solid(cell) {
                let mut cut = way.map(|d| time * d);
                cut[axis] -= HAIR * hop[axis];
                return cut;
            }
            next[axis] += 1.0 / way[axis].abs();
        }
    }

    /// How far a way leads beyond the box, or was cut off.
    fn cut_off(&self, place: [f64; 2], whole: [f64; 2], way: [f64; 2]) -> f64 {
        let beyond = [0, 1].map(|axis| {
            let (end, size) = (place[axis] + way[axis], self.cells[axis] as f64);
            let out = if self.periodic[axis] { 0.0 } else { (-end).max(end - size).max(0.0) };
            out + (whole[axis] - way[axis]).abs()
        });
        beyond[0].max(beyond[1])
    }

    /// The numbers of a lattice after a step in which a velocity of 1 crosses `way` cells: q(x − d), and corrected by half of
    /// what there and back again has lost.
    pub fn moved(&self, lattice: Lattice, values: &[f64], way: f64, correct: bool) -> Vec<f64> {
        let ([columns, rows], start) = (self.counts(lattice), self.first(lattice));
        let all = || (0..rows as i64).flat_map(move |j| (0..columns as i64).map(move |i| [i, j]));
        let place = |at: [i64; 2]| [at[0] as f64 + start[0], at[1] as f64 + start[1]];
        let ways = |at: [i64; 2], sign: f64| {
            let whole = self.velocity_on(lattice, at).map(|u| sign * way * u);
            (whole, self.open_way(place(at), whole))
        };
        let end = |at: [i64; 2], [dx, dy]: [f64; 2]| [place(at)[0] + dx, place(at)[1] + dy];
        let kept = |at: [i64; 2]| self.solid_sides(lattice, at) != [false, false];
        let own = |at: [i64; 2]| values[self.index(lattice, at)];
        let first: Vec<f64> = all()
            .map(|at| match kept(at) {
                true => own(at),
                false => self.around(lattice, values, end(at, ways(at, -1.0).1)).value(),
            })
            .collect();
        if !correct {
            return first;
        }
        let corrected = |at: [i64; 2]| {
            let ((whole_back, back), (whole_forth, forth)) = (ways(at, -1.0), ways(at, 1.0));
            let behind = self.around(lattice, values, end(at, back));
            let error = own(at) - self.around(lattice, &first, end(at, forth)).value();
            let cut = self.cut_off(place(at), whole_back, back);
            let cut = cut.max(self.cut_off(place(at), whole_forth, forth));
            behind.within(behind.value() + 0.5 * (1.0 - cut).max(0.0) * error)
        };
        all().map(|at| if kept(at) { own(at) } else { corrected(at) }).collect()
    }

    /// Where a particle is after such a step, by the midpoint rule. Neither sides nor the wrapping of an axis end its way.
    pub fn followed(&self, place: [f64; 2], way: f64) -> [f64; 2] {
        let there = |from: [f64; 2], by: f64| {
            let whole = self.velocity_at(from).map(|u| by * u);
            let [dx, dy] = self.open_way(place, whole);
            [place[0] + dx, place[1] + dy]
        };
        there(there(place, 0.5 * way), way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box that all of it flows through alike.
    fn uniform(staggered: bool, velocity: &[[f64; 2]]) -> Flow<'_> {
        Flow { cells: [6, 5], staggered, periodic: [false, true], velocity, solids: None }
    }

    #[test]
    fn a_linear_field_is_moved_exactly_where_no_side_is_near() {
        let velocity = [[0.5, 0.25]; 35];
        for staggered in [false, true] {
            let flow = uniform(staggered, &velocity);
            let [columns, rows] = flow.counts(Lattice::Centre);
            let field: Vec<f64> = (0..columns * rows).map(|n| (n % columns) as f64).collect();
            for correct in [false, true] {
                let moved = flow.moved(Lattice::Centre, &field, 1.0, correct);
                assert!((0..rows).all(|j| (moved[j * columns + 3] - 2.5).abs() < 1e-14));
            }
        }
    }

    #[test]
    fn a_path_ends_a_hair_before_a_thin_wall_and_passes_beside_it() {
        let velocity = [[1.0, 0.0]; 35];
        let mut solids = [false; 30];
        solids[2 * 6 + 3] = true;
        let flow = Flow { solids: Some(&solids), ..uniform(true, &velocity) };
        assert_eq!(flow.open_way([1.5, 2.5], [4.0, 0.0]), [1.5 - HAIR, 0.0]);
        assert_eq!(flow.open_way([1.5, 1.5], [4.0, 0.0]), [4.0, 0.0]);
    }
}
