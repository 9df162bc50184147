//! The mouse in a fluid: the left button pushes it and pours dye, the right one draws solids or takes them away.

use anyhow::Result;
use quadrille::sim::fluid::Region;

use super::FluidDemo;
use crate::picture::{Drag, Touch};

/// The way of the fluid under the pointer in a picture, as a part of its own way in that time.
const GRIP: f32 = 0.5;

/// Cells that it moves in a step at most.
const MOST: f32 = 4.0;

/// The work of the buttons, by the panel.
pub struct Mouse {
    pub pours: bool,
    /// The left button lets particles begin where it presses, if there are any, in place of all else.
    pub gathers: bool,
    /// The right button draws, else it erases.
    pub draws: bool,
    /// Drops so far: each has another colour.
    drops: u32,
}

impl Default for Mouse {
    fn default() -> Mouse {
        Mouse { pours: true, gathers: true, draws: true, drops: 0 }
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
        if self.mouse.gathers
            && let Some(tracers) = &mut self.tracers
        {
            let [width, height] = grid.size();
            let region = Region {
                low: [(x - radius).clamp(0.0, width), (y - radius).clamp(0.0, height)],
                high: [(x + radius).clamp(0.0, width), (y + radius).clamp(0.0, height)],
            };
            tracers.gather(Some(region), &self.setup)?;
            return tracers.scatter();
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Context, Result, anyhow};
    use quadrille::Gpu;

    use super::super::{ABOUT, FluidDemo};
    use super::*;
    use crate::demo::{Demo, Request, TestHost};

    /// All of them begin under the brush, also those that are born later; a state knows where.
    #[test]
    fn particles_begin_where_the_left_button_presses() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values =
            ABOUT.values_of("scene=vortices&size=17x17&particles=50").map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = FluidDemo::new(&gpu, &request)?;
        demo.step()?;
        demo.touch(Touch::Cell { x: 4.0, y: 12.0, radius: 2.0, drag: Drag::default() })?;
        let places = demo.tracers.as_ref().context("none")?.state()?;
        for &[x, y, age, _] in places.as_chunks::<4>().0 {
            let (low, high) = ([2.0, 2.0], [6.0, 6.0]);
            let inside = |at: f32, axis: usize| (low[axis] / 16.0..=high[axis] / 16.0).contains(&at);
            assert!(inside(x, 0) && inside(y, 1) && (0.0..=1.5).contains(&age), "{x} {y} {age}");
        }
        assert_eq!(demo.extras()?.get("particles_west").and_then(|west| west.as_f64()), Some(0.125));
        // The dye was left alone.
        demo.step()?;
        assert_eq!(demo.tracers.as_ref().map(|tracers| tracers.past().len()), Some(1));
        Ok(())
    }
}
