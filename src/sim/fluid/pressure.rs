//! The pressure projection of a fluid in two dimensions: takes the divergence out of a velocity.

use super::system::System;
use super::walls::Walls;
use super::{Divergence, Grid, Kind, Memory, Pressure, Sides};
use crate::linalg::{Algebra, NinePoint, Packed2x2, Vector};
use crate::pug::Buffer;
use crate::sim::Tip;
use crate::solve::Missing;
use crate::{Error, Result};

const ENTRIES: &str = "sim/fluid_entries.frag";
const DIVERGENCE: &str = "sim/fluid_divergence.frag";
const BETWEEN: &str = "sim/fluid_between.frag";
const PROJECT: &str = "sim/fluid_project.frag";

/// u ← u − Δt ∇p with ∇²p = ∇·u/Δt, and the velocities that sides and solids hold.
///
/// The unknown is q = Δt p/h, so that differences of q are velocities: A q = −h ∇·u, with the five-point matrix
/// (A q)ᵢ = Σ w (qᵢ − q of the neighbour). A way into a solid or through a closed side has weight 0, one through an outlet ends
/// where q = 0, so it adds to the diagonal alone.
///
/// # Staggered
/// Divergence and gradient are each other's adjoints, and A is their product: what the solver leaves is all the divergence that
/// there is.
///
/// # Collocated
/// A node has the cell around it, half of it at a closed side and a quarter in a corner. What flows between two nodes is the
/// mean of both velocities, and through a side what it holds: not before the projection does the velocity at the side become that,
/// or a force that presses the fluid against it would seem to diverge there. So no fluid at rest is moved by gravity, so the right side sums to what flows through the sides, as Σ A q = 0 asks for. The velocity is
/// corrected by the wide difference (q_east − q_west)/2, whose divergence is not A q: even an exact solve leaves the
/// difference of the two, which is of second order in h, and a checkerboard of velocities is seen by neither.
///
/// # Without an outlet
/// q is known but for a constant, in each pocket that solids close. In all of them Σ b = 0: inlets that do not balance are
/// refused by [`Sides::check`], and where solids cut them off from all outlets they give nothing. What roundings leave of the sum is taken
/// out for conjugate gradients, in the sixteen largest pockets.
///
/// # Cost
/// | pass | texels written a node | fetches a node (staggered) |
/// |---|---|---|
/// | what is held | 1 | 2 |
/// | b | ¼ | 6 (2) |
/// | the solver's | | |
/// | p of the whole step | ¼ | ½ |
/// | the gradient | 1 | 10 (6) |
///
/// Nothing is read back but by conjugate gradients, and where sides or solids have changed: then a few numbers for the inverse of
/// multigrid's coarsest level, beside an upload of the solids, seven passes and those that make the levels.
///
/// # References
/// Bolz et al., *Sparse Matrix Solvers on the GPU*, §4.1; Chorin, *Numerical Solution of the Navier–Stokes Equations*, 1968;
/// Harlow & Welch, 1965, for the staggered grid.
pub struct Projector {
    algebra: Algebra,
    pub(super) walls: Walls,
    system: System,
    /// For conjugate gradients: a direction of length 1 for each pocket whose pressure is known but for a constant.
    closed: Option<Vec<Vector>>,
    enforced: Buffer,
    /// The factor of a row of A for a cell that is whole.
    parts: Option<Vector>,
    /// The pressure of the last step as a whole, in the unit of q.
    whole: Vector,
    last: Last,
    time_step: f32,
}

/// The knowledge of the pressure that a velocity has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Last {
    /// The next projection takes out what somebody put in: its pressure acts once, and says nothing of the one after it.
    Disturbed,
    /// Nothing yet.
    Unknown,
    Known,
}

impl Projector {
    /// The projector of a box without solids; the pressure is 0.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for sides that do not go together or with the grid, and for the pressure's numbers; those of memory.
    pub fn new(algebra: &Algebra, grid: Grid, sides: Sides, pressure: Pressure) -> Result<Projector> {
        pressure.check()?;
        let mut walls = Walls::new(algebra, grid, sides)?;
        walls.refresh()?;
        let matrix = matrix(algebra, &walls)?;
        Ok(Projector {
            system: System::new(matrix, Missing::Absent, pressure)?,
            closed: None,
            enforced: grid.velocity(algebra.gpu()).named("velocity between sides").build()?,
            parts: parts(algebra, &grid, &sides)?,
            whole: algebra.zeros(layout(&grid)?)?,
            last: Last::Disturbed,
            algebra: algebra.clone(),
            walls,
            time_step: 0.0,
        })
    }

    /// Sets the solids, at [`Grid::centres`].
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_solids(&mut self, solid: &[bool]) -> Result<()> {
        self.walls.set_solids(solid)
    }

    /// Draws a disc or a square of solid, or of fluid, in lengths. The matrix is made anew when next it is needed.
    pub fn draw_solid(&mut self, x: f32, y: f32, tip: impl Into<Tip>, solid: bool) {
        self.walls.draw([x, y], tip.into(), solid);
    }

    /// 1 in a solid, 0 elsewhere, as of the last projection.
    pub fn solids(&self) -> &Buffer {
        self.walls.solids()
    }

    /// How the pressure is found from now on.
    ///
    /// # Errors
    /// [`Error::BadParameter`]; those of memory.
    pub fn set_pressure(&mut self, pressure: Pressure) -> Result<()> {
        pressure.check()?;
        self.system.set_pressure(pressure)
    }

    /// Forgets the last pressure, from which the next solve would begin.
    pub fn forget(&mut self) -> Result<()> {
        self.disturb();
        self.whole.fill(0.0)?;
        self.system.x.fill(0.0)
    }

    /// The velocity is about to be changed by something else than a step.
    pub fn disturb(&mut self) {
        self.last = Last::Disturbed;
    }

    /// Returns true if it was asked twice, for steps as long as that, since anything else than a step changed the velocity.
    pub fn knows_its_pressure(&self, time_step: f32) -> bool {
        self.last == Last::Known && self.time_step == time_step && !self.walls.is_outdated()
    }

    /// out = ½Δt∇p with the last pressure, where it is [known](Projector::knows_its_pressure): says whether it was. One pass.
    ///
    /// Fluid that moves feels its pressure on all of its way, half of it at the beginning and half at the end. A step that moves u, takes
    /// off this half, moved along, and leaves the rest to the projection is of second order in Δt, if it moves along the velocity half
    /// a step ahead; Chorin's splitting, which leaves all of it to the projection, is of first. In a solid rotation it keeps speed
    /// exactly: moved along straight lines, u loses what the moved half gives back. That holds where the half is moved by
    /// [`Advection::SemiLagrangian`](super::Advection); MacCormack's correction would let fast vortices spin up.
    ///
    /// # Errors
    /// As [`Projector::project`].
    pub fn half_gradient(&self, time_step: f32, out: &Buffer) -> Result<bool> {
        if !self.knows_its_pressure(time_step) {
            return Ok(false);
        }
        self.check(out)?;
        self.gradient(&self.whole, 0.5, None, out)?;
        Ok(true)
    }

    /// Brings sides and solids up to date: whether they had changed.
    pub(super) fn refresh(&mut self) -> Result<bool> {
        let changed = self.walls.refresh()?;
        if changed {
            self.disturb();
            let matrix = matrix(&self.algebra, &self.walls)?;
            self.system.set_matrix(matrix)?;
            self.closed = None;
        }
        Ok(changed)
    }

    /// out = the velocity without its divergence.
    ///
    /// # Errors
    /// As [`Projector::project_moved`].
    pub fn project(&mut self, velocity: &Buffer, time_step: f32, out: &Buffer) -> Result<()> {
        self.project_moved(velocity, time_step, false, out)
    }

    /// The same of a velocity that was moved: without its [half](Projector::half_gradient) of the last pressure, or with all of it.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for velocities of another grid, [`Error::Feedback`] if `out` is the velocity,
    /// [`Error::BadParameter`] for a time step that is none.
    pub fn project_moved(
        &mut self,
        velocity: &Buffer,
        time_step: f32,
        halved: bool,
        out: &Buffer,
    ) -> Result<()> {
        let _scope = velocity.context().scope("pressure");
        super::parameters::within("time step", time_step, 1e-12, 1e12)?;
        self.check(velocity)?;
        self.check(out)?;
        if velocity.is(out) {
            let (kernel, stream) = (PROJECT.to_owned(), "velocity".to_owned());
            return Err(Error::Feedback { kernel, stream, buffer: out.describe() });
        }
        self.refresh()?;
        if self.time_step != time_step {
            // q is a pressure times the step.
            if self.time_step > 0.0 {
                self.system.x.scale(time_step / self.time_step)?;
            }
            self.time_step = time_step;
            self.last = self.last.min(Last::Unknown);
        }
        self.walls.enforce(velocity, &self.enforced)?;
        self.right_side(&self.enforced, &self.system.right)?;
        if self.closed.is_none() && self.system.is_cg() {
            let directions = self.walls.closed_pockets();
            let vector = |elements: Vec<f32>| self.algebra.vector(layout(&self.walls.grid)?, &elements);
            self.closed = Some(directions.map(vector).collect::<Result<_>>()?);
        }
        self.system.solve(self.closed.as_deref().unwrap_or_default())?;
        if halved {
            self.whole.aypx(0.5, &self.system.x)?;
        } else {
            self.whole.copy_from(&self.system.x)?;
        }
        self.last = if self.last == Last::Disturbed { Last::Unknown } else { Last::Known };
        self.gradient(&self.system.x, 1.0, Some(velocity), out)
    }

    /// out = velocity − share · ∇q with what is held, or share · ∇q alone: one pass.
    fn gradient(&self, q: &Vector, share: f32, velocity: Option<&Buffer>, out: &Buffer) -> Result<()> {
        let variant = [("STAGGERED", self.walls.staggered()), ("ALONE", i32::from(velocity.is_none()))];
        let [links, held] = [self.walls.links(), self.walls.held()].map(Buffer::texture);
        self.algebra
            .pass(PROJECT, &variant)?
            .streams(velocity.map(Buffer::texture))
            .streams([links, held, q.texture()])
            .constants(&[self.walls.shape(), [share, 0.0, 0.0, 0.0]])
            .onto(&[out.texture()])
    }

    /// The largest |∇·u| before the last projection, and of `velocity`. Reads back.
    ///
    /// # Errors
    /// [`Error::WrongShape`].
    pub fn divergence(&self, velocity: &Buffer) -> Result<Divergence> {
        self.check(velocity)?;
        let out = Vector::uninitialised(&self.algebra, self.system.right.layout())?;
        self.right_side(velocity, &out)?;
        let (before, after) = (self.largest(&self.system.right, true)?, self.largest(&out, true)?);
        if self.walls.grid.kind == Kind::Staggered {
            return Ok(Divergence { before, after, between: after });
        }
        self.algebra
            .pass(BETWEEN, crate::linalg::PLAIN)?
            .streams([velocity.texture(), self.walls.solids().texture()])
            .constants(&[self.walls.shape()])
            .onto(&[out.texture()])?;
        Ok(Divergence { before, after, between: self.largest(&out, false)? })
    }

    /// out = p at centres, times 1/ρ: one pass and a scaling.
    ///
    /// # Errors
    /// [`Error::WrongShape`].
    pub fn pressure(&self, out: &Buffer) -> Result<()> {
        let mut p = Vector::uninitialised(&self.algebra, self.system.x.layout())?;
        let scale = if self.time_step > 0.0 { self.walls.grid.spacing / self.time_step } else { 0.0 };
        p.set_scaled(scale, &self.whole)?;
        p.unpack(out)
    }

    /// A: minus the Laplacian times h², as of the last projection.
    pub fn matrix(&self) -> &NinePoint {
        &self.system.matrix
    }

    /// b of the last projection: −h ∇·u, times the part of a cell that is inside.
    pub fn right(&self) -> &Vector {
        &self.system.right
    }

    /// q = Δt p/h of the last projection.
    pub fn unknown(&self) -> &Vector {
        &self.system.x
    }

    /// The state of the next projection.
    pub(super) fn memory(&self) -> Result<Memory> {
        let unknown = self.system.x.get()?;
        let whole = if self.last == Last::Known { self.whole.get()? } else { vec![0.0; unknown.len()] };
        Ok(Memory {
            unknown,
            whole,
            projections: self.last as u32,
            time_step: self.time_step,
            ..Memory::default()
        })
    }

    /// Takes this for the memory of a last projection with that time step.
    pub(in crate::sim) fn set_memory(&mut self, [unknown, whole]: [&[f32]; 2], time_step: f32) -> Result<()> {
        let whole = self.algebra.vector(layout(&self.walls.grid)?, whole)?;
        self.system.x.set(unknown)?;
        self.whole = whole;
        self.time_step = time_step;
        self.last = Last::Known;
        Ok(())
    }

    /// There were so many since something else than a step changed the velocity.
    pub(super) fn remember(&mut self, projections: u32) {
        self.last = match projections {
            0 => Last::Disturbed,
            1 => Last::Unknown,
            _ => Last::Known,
        };
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.walls.grid
    }

    fn right_side(&self, velocity: &Buffer, out: &Vector) -> Result<()> {
        let staggered = self.walls.staggered();
        let walls = [self.walls.links(), self.walls.held()].into_iter().filter(|_| staggered == 0);
        self.algebra
            .pass(DIVERGENCE, &[("STAGGERED", staggered)])?
            .streams([velocity.texture()])
            .streams(walls.map(Buffer::texture))
            .constants(&[self.walls.shape()])
            .onto(&[out.texture()])
    }

    /// max |∇·u| out of h ∇·u, of cells that may be cut in half.
    fn largest(&self, right: &Vector, cut: bool) -> Result<f64> {
        let mut largest = self.algebra.scalar(0.0)?;
        match self.parts.as_ref().filter(|_| cut) {
            None => right.max_magnitude(&mut largest)?,
            Some(parts) => {
                let mut whole = Vector::uninitialised(&self.algebra, right.layout())?;
                whole.set_product(1.0, parts, right)?;
                whole.max_magnitude(&mut largest)?;
            }
        }
        Ok(f64::from(largest.get()?) / f64::from(self.walls.grid.spacing))
    }

    fn check(&self, velocity: &Buffer) -> Result<()> {
        self.walls.grid.check_velocity(velocity)?;
        match std::rc::Rc::ptr_eq(velocity.context(), self.algebra.context()) {
            true => Ok(()),
            false => Err(Error::OtherContext { what: velocity.describe() }),
        }
    }
}

/// Minus the Laplacian between the walls: five passes.
fn matrix(algebra: &Algebra, walls: &Walls) -> Result<NinePoint> {
    five_points(algebra, layout(&walls.grid)?, walls.grid.periodic, |way, out| {
        algebra
            .pass(ENTRIES, &[("WAY", way)])?
            .streams([walls.links().texture()])
            .constants(&[walls.shape()])
            .onto(&[out.texture()])
    })
}

/// How scalars lie.
fn layout(grid: &Grid) -> Result<Packed2x2> {
    let [columns, rows] = grid.centres();
    Packed2x2::grid(columns, rows)
}

/// The matrix whose entries `draw` makes: 0 the diagonal, then west, east, south, north. Nothing leads into a solid, nor to what is held.
pub(super) fn five_points(
    algebra: &Algebra,
    layout: Packed2x2,
    periodic: [bool; 2],
    draw: impl Fn(i32, &Vector) -> Result<()>,
) -> Result<NinePoint> {
    let mut entries = [const { None }; 9];
    for (way, place) in [4, 3, 5, 1, 7].into_iter().enumerate() {
        let entry = Vector::uninitialised(algebra, layout)?;
        draw(way as i32, &entry)?;
        entries[place] = Some(entry);
    }
    Ok(NinePoint::new(algebra, layout, periodic, entries)?.closed())
}

/// One by the part of its cell that each node has, where some have not all of it.
fn parts(algebra: &Algebra, grid: &Grid, sides: &Sides) -> Result<Option<Vector>> {
    let half = sides.half_cells(grid);
    if grid.kind == Kind::Staggered || half == [0.0; 4] {
        return Ok(None);
    }
    let [columns, rows] = grid.centres();
    let factor = |place: u32, count: u32, first: f32, last: f32| {
        1.0 + first * f32::from(u8::from(place == 0)) + last * f32::from(u8::from(place + 1 == count))
    };
    let elements: Vec<f32> = (0..rows)
        .flat_map(|j| (0..columns).map(move |i| [i, j]))
        .map(|[i, j]| factor(i, columns, half[0], half[1]) * factor(j, rows, half[2], half[3]))
        .collect();
    algebra.vector(layout(grid)?, &elements).map(Some)
}
