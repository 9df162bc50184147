//! Sides and solids as textures for the kernels of a step.
//!
//! There are two textures: the weights and areas of the connections between centres, and the velocities that sides and
//! solids hold. Every other kernel reads them. Paths walk cell by cell, and closed neighbours are replaced by the
//! renormalised mean of the open ones, so nothing leaks through a wall of one cell.

use super::{Grid, Side, Sides};
use crate::linalg::{Algebra, PLAIN};
use crate::pug::Buffer;
use crate::sim::Tip;
use crate::{Error, Result};

const LINKS: &str = "sim/fluid_links.frag";
const HELD: &str = "sim/fluid_held.frag";
const ENFORCE: &str = "sim/fluid_enforce.frag";

/// The walls of a fluid: two textures that every other kernel goes by, made when sides or solids change.
///
/// Each centre has a way to its neighbours in the west and the south, with a *weight*, by which pressure acts, and an *area*, by
/// which fluid flows: 1 in the open, 0 into solids, ½ along the closed sides of a collocated grid, whose nodes have half a
/// cell each there. And each texel of a velocity has what it is *held* at, if it is.
pub(super) struct Walls {
    algebra: Algebra,
    pub grid: Grid,
    pub sides: Sides,
    /// The same as on the GPU: drawn into here, found pockets in here.
    solid: Vec<bool>,
    solids: Buffer,
    links: Buffer,
    held: Buffer,
    outdated: bool,
}

impl Walls {
    /// Sides without solids.
    pub fn new(algebra: &Algebra, grid: Grid, sides: Sides) -> Result<Walls> {
        grid.check()?;
        sides.check(grid.cells)?;
        if grid.periodic != sides.periodic() {
            let [found, expected] = [sides.periodic(), grid.periodic].map(|axes| format!("{axes:?}"));
            return Err(Error::BadParameter { name: "periodic sides", found, expected });
        }
        let gpu = algebra.gpu();
        let [columns, rows] = grid.centres();
        let links = gpu.buffer(columns + u32::from(!grid.periodic[0]), rows + u32::from(!grid.periodic[1]));
        Ok(Walls {
            algebra: algebra.clone(),
            solid: vec![false; columns as usize * rows as usize],
            solids: grid.scalar(gpu, 1).named("solids").build()?,
            links: links.components(4).named("links").build()?,
            held: grid.velocity(gpu).components(4).named("held").build()?,
            outdated: true,
            grid,
            sides,
        })
    }

    /// 1 in a solid, 0 elsewhere, at centres.
    pub fn solids(&self) -> &Buffer {
        &self.solids
    }

    /// Returns true if there is any solid.
    pub fn has_solids(&self) -> bool {
        self.solid.contains(&true)
    }

    /// (weight, weight, area, area) to the west and the south.
    pub fn links(&self) -> &Buffer {
        &self.links
    }

    /// (u, v, is u held, is v held).
    pub fn held(&self) -> &Buffer {
        &self.held
    }

    /// Columns and rows of the centres, and the same where the grid is periodic, else 0: what kernels call `grid`.
    pub fn shape(&self) -> [f32; 4] {
        let ([columns, rows], periodic) = (self.grid.centres().map(|n| n as f32), self.grid.periodic);
        let period = |length: f32, is: bool| if is { length } else { 0.0 };
        [columns, rows, period(columns, periodic[0]), period(rows, periodic[1])]
    }

    /// 1 on a staggered grid.
    pub fn staggered(&self) -> i32 {
        i32::from(self.grid.kind == super::Kind::Staggered)
    }

    /// Sets the solids, at centres.
    pub fn set_solids(&mut self, solid: &[bool]) -> Result<()> {
        if solid.len() != self.solid.len() {
            let [columns, rows] = self.grid.centres();
            let (found, expected, shape) = (solid.len(), self.solid.len(), format!("{columns}x{rows}"));
            return Err(Error::WrongLength { what: "solids of a fluid".into(), found, expected, shape });
        }
        self.outdated |= self.solid != solid;
        self.solid.copy_from_slice(solid);
        Ok(())
    }

    /// Draws a disc of solid or fluid, in lengths. Nothing is sent to the GPU before the next step.
    pub fn draw(&mut self, centre: [f32; 2], tip: Tip, solid: bool) {
        let grid = self.grid;
        let [columns, rows] = grid.centres().map(|n| n as usize);
        for (index, old) in self.solid.iter_mut().enumerate().take(columns * rows) {
            let place = [index % columns, index / columns];
            let distance = |axis: usize| {
                let place = (place[axis] as f32 + grid.first_centre()[axis]) * grid.spacing;
                let (way, length) = ((place - centre[axis]).abs(), grid.size()[axis]);
                if grid.periodic[axis] { way.min(length - way) } else { way }
            };
            if *old != solid && tip.covers([distance(0), distance(1)]) {
                *old = solid;
                self.outdated = true;
            }
        }
    }

    /// Returns true if sides or solids have changed since the textures were made.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// Brings the textures up to date, if they are not: an upload of solids and sides, and two passes. Says whether they were.
    pub fn refresh(&mut self) -> Result<bool> {
        if !self.outdated {
            return Ok(false);
        }
        let numbers: Vec<f32> = self.solid.iter().map(|&solid| f32::from(u8::from(solid))).collect();
        self.solids.write(&numbers)?;
        let shut = self.shut();
        let held = self.sides.held(&self.grid, &|centre| shut.as_ref().is_some_and(|shut| shut[centre]));
        let sides = self.grid.velocity(self.algebra.gpu()).components(4).init(held.as_flattened())?;
        let (algebra, shape) = (&self.algebra, self.shape());
        let solids = self.solids.texture();
        algebra
            .pass(LINKS, PLAIN)?
            .streams([solids])
            .constants(&[shape, self.sides.open(), self.sides.half_cells(&self.grid)])
            .onto(&[self.links.texture()])?;
        algebra
            .pass(HELD, &[("STAGGERED", self.staggered())])?
            .streams([sides.texture(), solids])
            .constants(&[shape])
            .onto(&[self.held.texture()])?;
        self.outdated = false;
        Ok(true)
    }

    /// out = velocity where it is free, and what it is held at elsewhere: one pass. On a collocated grid nodes of a side keep what
    /// crosses it: their neighbours' cells reach to half a spacing from it, and there it matters what drives the fluid at the side.
    pub fn enforce(&self, velocity: &Buffer, out: &Buffer) -> Result<()> {
        let collocated = 1 - self.staggered();
        let constants = [self.shape()];
        self.algebra
            .pass(ENFORCE, &[("BUT_THROUGH", collocated)])?
            .streams([velocity.texture(), self.held.texture()])
            .constants(&constants[..collocated as usize])
            .onto(&[out.texture()])
    }

    /// Centres whose pocket of fluid has no outlet and more inflow than outflow: what cannot leave does not come in.
    /// `None` where no such thing can be.
    fn shut(&self) -> Option<Vec<bool>> {
        let inlets = self.sides.list().iter().any(|side| matches!(side, Side::Inlet { .. }));
        if !(inlets && self.has_solids()) {
            return None;
        }
        let pockets = super::pockets::of(&self.grid, &self.solid);
        Some(super::pockets::without_balance(&self.grid, &self.sides, &pockets))
    }

    /// The sixteen largest pockets of fluid that no outlet touches: the same number in each, 0 elsewhere, length 1.
    pub fn closed_pockets(&self) -> impl Iterator<Item = Vec<f32>> {
        const MOST: usize = 16;
        let pockets = super::pockets::of(&self.grid, &self.solid);
        let mut sizes = super::pockets::closed(&self.grid, &self.sides, &pockets);
        sizes.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
        let direction = move |(pocket, size): (u32, usize)| {
            let each = (1.0 / (size as f64).sqrt()) as f32;
            pockets.iter().map(|&here| if here == pocket { each } else { 0.0 }).collect()
        };
        sizes.into_iter().take(MOST).map(direction)
    }
}
