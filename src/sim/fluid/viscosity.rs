//! Viscosity in a step: (1 − θνΔt∇²) u* = u for each component, and (1 − θ)νΔt∇²u before.

use super::pressure::five_points;
use super::system::System;
use super::walls::Walls;
use super::{Kind, Pressure, Side};
use crate::Result;
use crate::linalg::{Algebra, Packed2x2, Vector};
use crate::pug::Buffer;
use crate::solve::Missing;

const ENTRIES: &str = "sim/fluid_viscous_entries.frag";
const RIGHT: &str = "sim/fluid_viscous_right.frag";
const HALF: &str = "sim/fluid_viscous_half.frag";
const MERGE: &str = "sim/fluid_viscous_merge.frag";

/// The Helmholtz systems of both components, of velocities that sides and solids hold and of such that are free.
///
/// A velocity that is held is no unknown: its row is 0, and what it does to its neighbours is on their right side. Nothing changes across
/// a side that holds nothing there: a wall along which the fluid slips, an outlet. On a staggered grid a side that holds
/// what passes half a cell from it counts twice. The fluid sticks to solids.
///
/// # Cost
/// For each component two passes of ¼ texel a node and those of the solver, then one pass of a texel and 3 fetches for both. What
/// acts before is a pass of a texel and 12 fetches. Another ν, Δt, θ, or other solids: ten passes more, and the levels of multigrid.
///
/// # References
/// Bolz et al., *Sparse Matrix Solvers on the GPU*, §4.1, eq. 2; Stam, *Stable Fluids*, 1999.
pub(super) struct Viscosity {
    algebra: Algebra,
    systems: [System; 2],
    /// θνΔt/h², and that of what acts before.
    strength: f32,
    before: f32,
}

impl Viscosity {
    pub fn new(
        algebra: &Algebra,
        walls: &Walls,
        [strength, before]: [f32; 2],
        pressure: Pressure,
    ) -> Result<Viscosity> {
        let system = |component: usize| {
            let form = Form::new(walls, component, strength);
            System::new(form.matrix(algebra, walls)?, Missing::Fixed, pressure)
        };
        Ok(Viscosity { systems: [system(0)?, system(1)?], algebra: algebra.clone(), strength, before })
    }

    /// With other strengths, or between other walls.
    pub fn set_strength(&mut self, walls: &Walls, [strength, before]: [f32; 2], rebuilt: bool) -> Result<()> {
        self.before = before;
        if strength == self.strength && !rebuilt {
            return Ok(());
        }
        for (component, system) in self.systems.iter_mut().enumerate() {
            system.set_matrix(Form::new(walls, component, strength).matrix(&self.algebra, walls)?)?;
        }
        self.strength = strength;
        Ok(())
    }

    /// out = half − (1 − θ)νΔt∇²u, 0 where u is held: what is to be taken off before the solve.
    pub fn before(&self, walls: &Walls, velocity: &Buffer, half: &Buffer, out: &Buffer) -> Result<()> {
        let [u, v] = [0, 1].map(|component| Form::new(walls, component, self.before).constants);
        let [shape, half_cells, ..] = u;
        let both = |number: usize| std::array::from_fn(|side| u[number][side] + v[number][side]);
        let counts = [shape[0], shape[1], v[0][0], v[0][1]];
        let period = [shape[2], shape[3], 0.0, 0.0];
        self.algebra
            .pass(HALF, crate::linalg::PLAIN)?
            .streams([half.texture(), velocity.texture(), walls.held().texture()])
            .constants(&[counts, period, half_cells, both(2), both(3), u[4]])
            .onto(&[out.texture()])
    }

    pub fn set_pressure(&mut self, pressure: Pressure) -> Result<()> {
        self.systems.iter_mut().try_for_each(|system| system.set_pressure(pressure))
    }

    /// out = u*, with what sides and solids hold.
    pub fn apply(&mut self, walls: &Walls, velocity: &Buffer, out: &Buffer) -> Result<()> {
        for (component, system) in self.systems.iter_mut().enumerate() {
            let form = Form::new(walls, component, self.strength);
            form.draw_right(&self.algebra, walls, velocity, &system.right, &system.x)?;
            system.solve(&[])?;
        }
        let [u, v] = [0, 1].map(|component| self.systems[component].x.texture());
        self.algebra
            .pass(MERGE, crate::linalg::PLAIN)?
            .streams([u, v, walls.held().texture()])
            .onto(&[out.texture()])
    }
}

/// A component's constants.
struct Form {
    component: usize,
    /// `grid`, `half_cells`, `grip`, `along` and `a` of the kernels.
    constants: [[f32; 4]; 5],
}

impl Form {
    fn new(walls: &Walls, component: usize, strength: f32) -> Form {
        let grid = walls.grid;
        // All that the component has: on a staggered grid one more than cells along its own axis only.
        let count = match grid.kind {
            Kind::Collocated => grid.nodes(),
            Kind::Staggered => {
                let mut count = grid.cells;
                count[component] = grid.nodes()[component];
                count
            }
        };
        let [columns, rows] = count.map(|n| n as f32);
        let period = |length: f32, axis: usize| if grid.periodic[axis] { length } else { 0.0 };
        let (mut grip, mut along) = ([0.0; 4], [0.0; 4]);
        for (number, side) in walls.sides.list().into_iter().enumerate() {
            let crosses = number / 2 == component;
            if grid.kind == Kind::Staggered
                && !crosses
                && let Side::NoSlip { along: speed } = side
            {
                (grip[number], along[number]) = (1.0, speed);
            }
        }
        let shape = [columns, rows, period(columns, 0), period(rows, 1)];
        let half_cells = walls.sides.half_cells(&grid);
        Form { component, constants: [shape, half_cells, grip, along, [strength, 0.0, 0.0, 0.0]] }
    }

    /// 1 − νΔt∇²: five passes.
    fn matrix(&self, algebra: &Algebra, walls: &Walls) -> Result<crate::linalg::NinePoint> {
        let [columns, rows] = walls.grid.nodes();
        let layout = Packed2x2::grid(columns, rows)?;
        let [shape, half_cells, grip, _, strength] = self.constants;
        // The matrix wraps where the component does.
        five_points(algebra, layout, walls.grid.periodic, |way, out| {
            let variant = [("WAY", way), ("COMPONENT", self.component as i32)];
            let constants = [shape, half_cells, grip, strength];
            // Only the diagonal asks for the grip of sides.
            let others = [shape, half_cells, strength];
            let constants = if way == 0 { &constants[..] } else { &others[..] };
            algebra
                .pass(ENTRIES, &variant)?
                .streams([walls.held().texture()])
                .constants(constants)
                .onto(&[out.texture()])
        })
    }

    /// Right side, and where the iteration begins: a pass each.
    fn draw_right(
        &self,
        algebra: &Algebra,
        walls: &Walls,
        velocity: &Buffer,
        right: &Vector,
        x: &Vector,
    ) -> Result<()> {
        for (start, out) in [(0, right), (1, x)] {
            let variant = [("START", start), ("COMPONENT", self.component as i32)];
            let constants = if start == 0 { &self.constants[..] } else { &self.constants[..1] };
            algebra
                .pass(RIGHT, &variant)?
                .streams([velocity.texture(), walls.held().texture()])
                .constants(constants)
                .onto(&[out.texture()])?;
        }
        Ok(())
    }
}
