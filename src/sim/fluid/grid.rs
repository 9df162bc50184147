//! Where the numbers of a fluid lie.

use crate::pug::{Buffer, BufferBuilder, Gpu, Kernel, Prelude};
use crate::{Error, Result};

/// Which places velocities and scalars have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// All at the nodes, the corners of cells, as Bolz et al. have it. Central differences cannot see a checkerboard.
    Collocated,
    /// u at the middles of west faces, v at those of south faces, scalars at the centres of cells (Harlow & Welch).
    #[default]
    Staggered,
}

impl Kind {
    /// Both.
    pub const ALL: [Kind; 2] = [Kind::Collocated, Kind::Staggered];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Collocated => "collocated",
            Kind::Staggered => "staggered",
        }
    }
}

/// How a field is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advection {
    /// q(x) ← q(x − Δt u(x)): of first order, stable at any step. It smears, and what is smeared over many cells is lost.
    SemiLagrangian,
    /// There, back again, and half of what that has cost is put back, within the bounds of the first fetch: of second order
    /// (Selle et al. 2008). The bounds cut more off below than above where there is little: what is sharp grows. They are those
    /// of each component: where colours meet within a cell or two, one may overshoot and another not, which shows as thin lines
    /// of a third hue.
    #[default]
    MacCormack,
}

impl Advection {
    /// Both.
    pub const ALL: [Advection; 2] = [Advection::SemiLagrangian, Advection::MacCormack];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Advection::SemiLagrangian => "semi-lagrangian",
            Advection::MacCormack => "maccormack",
        }
    }
}

/// A box of square cells from (0, 0) on. Rows count upward: south is row 0.
///
/// | | velocity: 2 components, [`Grid::nodes`] texels | scalars: 1 to 4 components, [`Grid::centres`] texels |
/// |---|---|---|
/// | collocated | (u, v) at (i, j) spacings | at (i, j) spacings |
/// | staggered | u at (i, j + ½), v at (i + ½, j) spacings | at (i + ½, j + ½) spacings |
///
/// On the staggered grid the last column of the velocity has only u, the last row only v: what else stands there is read by
/// none. A periodic axis has neither: its far side is its near one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Which places the numbers have.
    pub kind: Kind,
    /// Cells across and up.
    pub cells: [u32; 2],
    /// Side of a cell, a length.
    pub spacing: f32,
    /// True, for each axis, if what leaves through the east (north) comes back from the west (south).
    pub periodic: [bool; 2],
}

impl Grid {
    /// Checks that there is a cell, and that it has a side.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::BadParameter`].
    pub fn check(&self) -> Result<()> {
        let [width, height] = self.cells;
        if width == 0 || height == 0 {
            return Err(Error::Empty { what: "grid of a fluid".into(), width, height });
        }
        if !(1e-12..=1e12).contains(&self.spacing) {
            let (found, expected) = (self.spacing.to_string(), "1e-12 to 1e12".into());
            return Err(Error::BadParameter { name: "spacing", found, expected });
        }
        Ok(())
    }

    /// Texels of a velocity: cells + 1 along each axis, as many as cells where it is periodic.
    pub fn nodes(&self) -> [u32; 2] {
        [0, 1].map(|axis| self.cells[axis].saturating_add(u32::from(!self.periodic[axis])))
    }

    /// Texels of a scalar: the nodes, or the cells of a staggered grid.
    pub fn centres(&self) -> [u32; 2] {
        match self.kind {
            Kind::Collocated => self.nodes(),
            Kind::Staggered => self.cells,
        }
    }

    /// Where the first scalar lies, in spacings: (0, 0), or (½, ½) on a staggered grid.
    pub fn first_centre(&self) -> [f32; 2] {
        match self.kind {
            Kind::Collocated => [0.0; 2],
            Kind::Staggered => [0.5; 2],
        }
    }

    /// Where the first u lies, and the first v, in spacings.
    pub fn first_faces(&self) -> [f32; 4] {
        match self.kind {
            Kind::Collocated => [0.0; 4],
            Kind::Staggered => [0.0, 0.5, 0.5, 0.0],
        }
    }

    /// Sides of the box, lengths.
    pub fn size(&self) -> [f32; 2] {
        self.cells.map(|cells| cells as f32 * self.spacing)
    }

    /// A velocity in the making.
    pub fn velocity(&self, gpu: &Gpu) -> BufferBuilder {
        let [width, height] = self.nodes();
        gpu.buffer(width, height).components(2)
    }

    /// A scalar of so many components in the making.
    pub fn scalar(&self, gpu: &Gpu, components: usize) -> BufferBuilder {
        let [width, height] = self.centres();
        gpu.buffer(width, height).components(components)
    }

    /// Confirms that a buffer is a velocity of this grid.
    pub(super) fn check_velocity(&self, buffer: &Buffer) -> Result<()> {
        let [width, height] = self.nodes();
        let fits = [buffer.width(), buffer.height(), buffer.components() as u32] == [width, height, 2];
        if fits { Ok(()) } else { Err(wrong_shape(buffer, format!("a velocity of {width}x{height}x2"))) }
    }

    /// Confirms that a buffer is a scalar of this grid.
    pub(super) fn check_scalar(&self, buffer: &Buffer) -> Result<()> {
        let [width, height] = self.centres();
        let fits = [buffer.width(), buffer.height()] == [width, height];
        if fits { Ok(()) } else { Err(wrong_shape(buffer, format!("a scalar of {width}x{height}"))) }
    }

    /// Confirms that a buffer says what is open in this grid.
    pub(super) fn check_open(&self, buffer: &Buffer) -> Result<()> {
        let [width, height] = self.nodes();
        let fits = [buffer.width(), buffer.height(), buffer.components() as u32] == [width, height, 4];
        if fits { Ok(()) } else { Err(wrong_shape(buffer, format!("what is open in {width}x{height}x4"))) }
    }

    /// A kernel with its variant for this kind of grid, and with the words for places on its lattices.
    pub(super) fn kernel(&self, kernel: Kernel) -> Kernel {
        kernel.with(Prelude::Fluid).define("STAGGERED", u32::from(self.kind == Kind::Staggered))
    }

    /// Cells across and up, as kernels take them.
    pub(super) fn cells_f32(&self) -> [f32; 2] {
        self.cells.map(|cells| cells as f32)
    }

    /// 1 for a periodic axis, 0 for another.
    pub(super) fn periodic_f32(&self) -> [f32; 2] {
        self.periodic.map(|periodic| f32::from(u8::from(periodic)))
    }
}

pub(super) fn wrong_shape(found: &Buffer, expected: String) -> Error {
    let what = "grid of a fluid".to_owned();
    Error::WrongShape { what, found: found.describe(), expected }
}
