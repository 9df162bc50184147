//! The mouse in a fluid: the left button pushes it and pours dye, the right one draws solids or takes them away.

use anyhow::Result;

use super::FluidDemo;
use crate::picture::{Drag, Touch};

/// The way of the fluid under the pointer in a picture, as a part of its own way in that time.
const GRIP: f32 = 0.5;

/// Cells that it moves in a step at most.
const MOST: f32 = 4.0;

/// The work of the buttons, by the panel.
pub struct Mouse {
    pub pours: bool,
    /// The right button draws, else it erases.
    pub draws: bool,
    /// Drops so far: each has another colour.
    drops: u32,
}

impl Default for Mouse {
    fn default() -> Mouse {
        Mouse { pours: true, draws: true, drops: 0 }
    }
}

impl FluidDemo {
    pub(super) fn pressed(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, radius, drag } = touch else { return Ok(()) };
        let fluid = self.fluid.get_mut();
        let grid = fluid.grid();
        // Rows of a picture count from the top.
        let (x, y) = (x * grid.spacing, (grid.cells[1] as f32 - y) * grid.spacing);
        let radius = radius * grid.spacing;
        if drag.right {
            fluid.draw_solid(x, y, radius, self.mouse.draws);
            return Ok(());
        }
        let Drag { by, .. } = drag;
        let cells = [by[0], -by[1]].map(|cells| (GRIP * cells).clamp(-MOST, MOST));
        let cell_a_step = grid.spacing / fluid.parameters().time_step;
        if cells != [0.0; 2] {
            fluid.push(x, y, radius, cells.map(|cells| cells * cell_a_step))?;
        }
        if self.mouse.pours {
            let dye = colour(self.mouse.drops);
            self.mouse.drops = self.mouse.drops.wrapping_add(1);
            self.dye.pour(fluid, |fluid| fluid.pour(x, y, radius, dye))?;
        }
        Ok(())
    }
}

/// Colours that go slowly round the circle of hues, and no heat.
fn colour(drops: u32) -> [f32; 4] {
    let hue = (drops % 240) as f32 / 240.0;
    let [r, g, b] = [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| {
        let wave = (std::f32::consts::TAU * (hue + shift)).cos();
        0.5 * (0.5 + 0.5 * wave)
    });
    [r, g, b, 0.0]
}
