//! The four sides of a box, and what they do to a fluid.

use super::{Grid, Kind};
use crate::{Error, Result};

/// A side of the box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Side {
    /// Nothing flows through it; what flows along it slips.
    #[default]
    Wall,
    /// Nothing flows through it, and the fluid sticks to it: on a staggered grid by its viscosity, without which it slips.
    NoSlip {
        /// Its own velocity along itself, eastward or northward.
        along: f32,
    },
    /// Fluid flows in through a part of it; the rest is a wall.
    Inlet {
        /// Velocity into the box; below 0 it is taken out.
        speed: f32,
        /// Where the part begins, 0 to 1 from the south or the west on.
        from: f32,
        /// Where it ends.
        to: f32,
    },
    /// Open: p = 0 one spacing beyond it.
    Outlet,
    /// Periodic: fluid that leaves here comes back from the other side, which must be periodic, too.
    Periodic,
}

impl Side {
    /// Returns true if the velocity through it is given.
    pub(super) fn is_closed(self) -> bool {
        !matches!(self, Side::Outlet | Side::Periodic)
    }
}

/// The four sides of the box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sides {
    /// x = 0.
    pub west: Side,
    /// The largest x.
    pub east: Side,
    /// y = 0.
    pub south: Side,
    /// The largest y.
    pub north: Side,
}

impl Sides {
    /// The same on all sides.
    pub const fn all(side: Side) -> Sides {
        Sides { west: side, east: side, south: side, north: side }
    }

    /// West, east, south, north.
    pub const fn list(&self) -> [Side; 4] {
        [self.west, self.east, self.south, self.north]
    }

    /// Which axes are periodic.
    pub fn periodic(&self) -> [bool; 2] {
        [self.west == Side::Periodic, self.south == Side::Periodic]
    }

    /// Returns true if there is an outlet: without one the pressure is known but for a constant, and what flows in must flow out.
    pub fn has_outlet(&self) -> bool {
        self.list().contains(&Side::Outlet)
    }

    /// Returns true if nothing flows through any side.
    pub fn are_tight(&self) -> bool {
        !self.list().iter().any(|side| matches!(side, Side::Outlet | Side::Inlet { .. }))
    }

    /// Checks that the sides go together, in a box of so many cells.
    ///
    /// # Errors
    /// [`Error::BadParameter`]: a periodic side beside one that is not, a part of a side that is none, a velocity that is
    /// none, or without an outlet more inflow than outflow.
    pub fn check(&self, cells: [u32; 2]) -> Result<()> {
        for (name, one, other) in
            [("west and east", self.west, self.east), ("south and north", self.south, self.north)]
        {
            if (one == Side::Periodic) != (other == Side::Periodic) {
                return bad(name, "one periodic side".into(), "both periodic, or none");
            }
        }
        self.list().into_iter().try_for_each(check_numbers)?;
        let lengths = [cells[1], cells[1], cells[0], cells[0]];
        let flows =
            self.list().into_iter().zip(lengths).map(|(side, length)| inflow(side) * f64::from(length));
        let (net, gross) = flows.fold((0.0, 0.0), |(net, gross), flow| (net + flow, gross + flow.abs()));
        // 32-bit numbers cannot balance better than this.
        if !self.has_outlet() && net.abs() > 1e-5 * gross {
            return bad("inflow less outflow", format!("{net} cells"), "0, or an outlet");
        }
        Ok(())
    }

    /// The hold of the sides on each texel of a velocity: (u, v, is u held, is v held), row after row.
    ///
    /// `shut` says where an inlet gives nothing: by the index of a centre beside it. Through a side goes before along it:
    /// in a corner the velocity is that of the side that it would cross.
    pub(super) fn held(&self, grid: &Grid, shut: &dyn Fn(usize) -> bool) -> Vec<[f32; 4]> {
        let [columns, rows] = grid.nodes().map(|n| n as usize);
        let mut held = vec![[0.0; 4]; columns * rows];
        for (number, side) in self.list().into_iter().enumerate() {
            let (axis, far) = (number / 2, number % 2 == 1);
            if side.is_closed() {
                self.hold(grid, axis, far, side, shut, &mut held);
            }
        }
        if grid.kind == Kind::Staggered {
            // Texels that hold one component only.
            for (index, held) in held.iter_mut().enumerate() {
                let place = [index % columns, index / columns];
                for axis in 0..2 {
                    if !grid.periodic[1 - axis] && place[1 - axis] == grid.cells[1 - axis] as usize {
                        held[axis] = 0.0;
                        held[axis + 2] = 1.0;
                    }
                }
            }
        }
        held
    }

    /// Holds what a closed side does.
    fn hold(
        &self,
        grid: &Grid,
        axis: usize,
        far: bool,
        side: Side,
        shut: &dyn Fn(usize) -> bool,
        held: &mut [[f32; 4]],
    ) {
        let (nodes, centres) = (grid.nodes().map(|n| n as usize), grid.centres().map(|n| n as usize));
        let sign = if far { -1.0 } else { 1.0 };
        for k in 0..centres[1 - axis] {
            let at = |along: usize, across: usize, width: usize| {
                if axis == 0 { along * width + across } else { across * width + along }
            };
            let texel = &mut held[at(k, if far { nodes[axis] - 1 } else { 0 }, nodes[0])];
            let beside = at(k, if far { centres[axis] - 1 } else { 0 }, centres[0]);
            let share = if shut(beside) { 0.0 } else { self.covered(grid, axis, side, k) };
            texel[axis] = match side {
                Side::Inlet { speed, .. } => sign * speed * share,
                _ => 0.0,
            };
            texel[axis + 2] = 1.0;
            let along = match side {
                Side::NoSlip { along } => Some(along),
                Side::Inlet { .. } if share > 0.0 => Some(0.0),
                _ => None,
            };
            let is_free = grid.kind == Kind::Collocated && texel[3 - axis] == 0.0;
            if let Some(along) = along.filter(|_| is_free) {
                texel[1 - axis] = along;
                texel[3 - axis] = 1.0;
            }
        }
    }

    /// The part of centre k's piece of a side that its inlet covers, 0 to 1: what flows in is exact on any grid.
    fn covered(&self, grid: &Grid, axis: usize, side: Side, k: usize) -> f32 {
        let Side::Inlet { from, to, .. } = side else { return 0.0 };
        let other = 1 - axis;
        let length = f64::from(grid.cells[other]);
        let half = if grid.kind == Kind::Collocated { 0.5 } else { 0.0 };
        let (mut low, mut high) = (k as f64 - half, k as f64 + 1.0 - half);
        let [_, _, south, north] = self.half_cells(grid);
        let [west, east, ..] = self.half_cells(grid);
        let [first, last] = if axis == 0 { [south, north] } else { [west, east] };
        low += 0.5 * f64::from(first) * f64::from(u8::from(k == 0));
        high -= 0.5 * f64::from(last) * f64::from(u8::from(k + 1 == grid.centres()[other] as usize));
        let part = |low: f64, high: f64| {
            (high.min(f64::from(to) * length) - low.max(f64::from(from) * length)).max(0.0)
        };
        let around = if grid.periodic[other] { part(low + length, high + length) } else { 0.0 };
        ((part(low, high) + around) / (high - low)) as f32
    }

    /// 1 for each side that cuts the cells of its nodes in half: closed ones of a collocated grid.
    pub(super) fn half_cells(&self, grid: &Grid) -> [f32; 4] {
        let collocated = grid.kind == Kind::Collocated;
        self.list().map(|side| f32::from(u8::from(collocated && side.is_closed())))
    }

    /// 1 for each side through which pressure acts.
    pub(super) fn open(&self) -> [f32; 4] {
        self.list().map(|side| f32::from(u8::from(!side.is_closed())))
    }
}

/// Into the box, for a side of length 1.
fn inflow(side: Side) -> f64 {
    match side {
        Side::Inlet { speed, from, to } => f64::from(speed) * (f64::from(to) - f64::from(from)),
        _ => 0.0,
    }
}

fn check_numbers(side: Side) -> Result<()> {
    const MOST: f32 = 1e12;
    let within = |speed: f32| speed.abs() <= MOST;
    match side {
        Side::NoSlip { along } if !within(along) => bad("along a side", along.to_string(), "-1e12 to 1e12"),
        Side::Inlet { speed, .. } if !within(speed) => bad("inlet speed", speed.to_string(), "-1e12 to 1e12"),
        Side::Inlet { from, to, .. } if !(0.0 <= from && from < to && to <= 1.0) => {
            bad("inlet", format!("from {from} to {to}"), "0 to 1, from before to")
        }
        _ => Ok(()),
    }
}

fn bad(name: &'static str, found: String, expected: &str) -> Result<()> {
    Err(Error::BadParameter { name, found, expected: expected.to_owned() })
}
