//! Forces on a fluid besides its sides: buoyancy of warm fluid, vorticity confinement, and the mouse.
//!
//! Temperature is averaged along a face before it acts: a force that alternates from column to column meets no pressure
//! and almost no friction on a grid, and would lift every other column.

use super::walls::Walls;
use super::{Kind, Parameters};
use crate::Result;
use crate::linalg::{Algebra, PLAIN};
use crate::pug::Buffer;
use crate::sim::{Outline, Tip};

const VORTICITY: &str = "sim/fluid_vorticity.frag";
const FORCE: &str = "sim/fluid_force.frag";
const ACCELERATE: &str = "sim/fluid_accelerate.frag";
const MIX: &str = "sim/fluid_mix.frag";
const STIR: &str = "sim/fluid_stir.frag";

/// Buffers of forces, which are made when they are first needed.
pub(super) struct Forces {
    algebra: Algebra,
    vorticity: Option<Buffer>,
    force: Option<Buffer>,
}

impl Forces {
    pub fn new(algebra: &Algebra) -> Forces {
        Forces { algebra: algebra.clone(), vorticity: None, force: None }
    }

    /// ω = ∂v/∂x − ∂u/∂y at centres: one pass, 4 fetches, on a staggered grid 8.
    pub fn vorticity(&mut self, walls: &Walls, velocity: &Buffer) -> Result<&Buffer> {
        let gpu = self.algebra.gpu();
        let out = match &mut self.vorticity {
            Some(vorticity) => vorticity,
            none => none.insert(walls.grid.scalar(gpu, 1).named("vorticity").build()?),
        };
        self.algebra
            .pass(VORTICITY, &[("STAGGERED", walls.staggered())])?
            .streams([velocity.texture()])
            .constants(&[walls.shape(), [1.0 / walls.grid.spacing, 0.0, 0.0, 0.0]])
            .onto(&[out.texture()])?;
        Ok(out)
    }

    /// out = velocity + Δt f, f = heat · buoyancy + ε h (∇|ω|/|∇|ω|| × ω), of that dye, with the vorticity of `turning` or, without
    /// it, the one before. Two passes, and one more for a vorticity; says whether there is such a force at all.
    pub fn apply(
        &mut self,
        walls: &Walls,
        parameters: &Parameters,
        time_step: f32,
        (dye, turning): (&Buffer, Option<&Buffer>),
        velocity: &Buffer,
        out: &Buffer,
    ) -> Result<bool> {
        let confined = parameters.confinement > 0.0;
        if !confined && parameters.buoyancy == [0.0; 2] {
            return Ok(false);
        }
        if let Some(turning) = turning.filter(|_| confined) {
            self.vorticity(walls, turning)?;
        }
        let gpu = self.algebra.gpu();
        let force = match &mut self.force {
            Some(force) => force,
            none => none.insert(walls.grid.scalar(gpu, 2).named("force").build()?),
        };
        let algebra = &self.algebra;
        let [x, y] = parameters.buoyancy;
        let strength = [parameters.confinement * walls.grid.spacing, 0.0, 0.0, 0.0];
        let constants = [walls.shape(), [x, y, 0.0, 0.0], strength];
        let constants = if confined { &constants[..] } else { &constants[1..2] };
        let vorticity = self.vorticity.as_ref().filter(|_| confined).map(Buffer::texture);
        algebra
            .pass(FORCE, &[("CONFINED", i32::from(confined))])?
            .streams([dye.texture()])
            .streams(vorticity)
            .constants(constants)
            .onto(&[force.texture()])?;
        algebra
            .pass(ACCELERATE, &[("STAGGERED", walls.staggered())])?
            .streams([velocity.texture(), force.texture()])
            .constants(&[walls.shape(), [time_step, 0.0, 0.0, 0.0]])
            .onto(&[out.texture()])?;
        Ok(true)
    }

    /// out = u + (share u + other w), both at the same places: one pass of two fetches.
    pub fn mix(&self, u: &Buffer, w: &Buffer, [share, other]: [f32; 2], out: &Buffer) -> Result<()> {
        self.algebra
            .pass(MIX, PLAIN)?
            .streams([u.texture(), w.texture()])
            .constants(&[[share, other, 0.0, 0.0]])
            .onto(&[out.texture()])
    }

    /// out = velocity + amount in the middle of a disc, fading to its rim: one pass.
    pub fn push(
        &self,
        walls: &Walls,
        disc: [f32; 3],
        amount: [f32; 2],
        velocity: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        let first = match walls.grid.kind {
            Kind::Collocated => [0.0; 4],
            Kind::Staggered => [0.0, 0.5, 0.5, 0.0],
        };
        self.stir(walls, 0, disc, first, &[[amount[0], amount[1], 0.0, 0.0]], velocity, out)
    }

    /// out = dye, and at least `amount` in the middle of a disc, less to its rim: one pass.
    pub fn pour(
        &self,
        walls: &Walls,
        disc: [f32; 3],
        amount: [f32; 4],
        dye: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        let [x, y] = walls.grid.first_centre();
        self.stir(walls, 1, disc, [x, y, x, y], &[amount], dye, out)
    }

    /// out = dye, and that colour within the tip of a brush; heat stays: one pass.
    pub fn paint(
        &self,
        walls: &Walls,
        [x, y]: [f32; 2],
        Tip { radius, outline }: Tip,
        [red, green, blue]: [f32; 3],
        dye: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        let first = walls.grid.first_centre();
        let hard = match outline {
            Outline::Soft => 0.0,
            Outline::Round => 1.0,
            Outline::Square => 2.0,
        };
        let constants = [[red, green, blue, 0.0], [hard, 0.0, 0.0, 0.0]];
        self.stir(walls, 2, [x, y, radius], [first[0], first[1], first[0], first[1]], &constants, dye, out)
    }

    #[expect(clippy::too_many_arguments)] // a pass has so many parts
    fn stir(
        &self,
        walls: &Walls,
        mode: i32,
        [x, y, radius]: [f32; 3],
        first: [f32; 4],
        amounts: &[[f32; 4]],
        field: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        let per = 1.0 / walls.grid.spacing;
        let [_, _, column, row] = walls.shape();
        // A disc of nothing reaches nowhere, but must not divide by 0.
        let radius = (radius * per).max(1e-6);
        let disc = [[x * per, y * per, 0.0, 0.0], [radius, 0.0, 0.0, 0.0], first, [column, row, 0.0, 0.0]];
        let constants = [&disc[..], amounts].concat();
        self.algebra
            .pass(STIR, &[("MODE", mode)])?
            .streams([field.texture()])
            .constants(&constants)
            .onto(&[out.texture()])
    }
}
