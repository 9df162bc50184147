//! The mouse in a fluid: the left button pushes it and pours dye, the right one draws solids or takes them away.

use anyhow::Result;
use quadrille::sim::fluid::Region;
use quadrille::sim::{Outline, Tip};

use super::FluidDemo;
use crate::picture::{Drag, Touch};

/// The way of the fluid under the pointer in a picture, as a part of its own way in that time.
const GRIP: f32 = 0.5;

/// Cells that it moves in a step at most.
const MOST: f32 = 4.0;

/// The dye that the left button leaves; it pushes the fluid in any case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pours {
    /// Each drop another hue.
    Hues,
    /// The colour of [`Mouse::colour`], whatever was there.
    Colour,
    /// Clear fluid.
    Clear,
    Nothing,
}

/// The work of the buttons, by the panel.
pub struct Mouse {
    pub pours: Pours,
    /// Shares of red, green and blue.
    pub colour: [f32; 3],
    /// The left button lets particles begin where it presses, if there are any, in place of all else.
    pub gathers: bool,
    /// The right button draws, else it erases.
    pub draws: bool,
    /// Drops so far: each has another colour.
    drops: u32,
}

impl Default for Mouse {
    fn default() -> Mouse {
        Mouse { pours: Pours::Hues, colour: [0.9, 0.35, 0.1], gathers: true, draws: true, drops: 0 }
    }
}

impl FluidDemo {
    pub(super) fn pressed(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, tip, drag } = touch else { return Ok(()) };
        let fluid = self.fluid.get_mut();
        let grid = fluid.grid();
        // Rows of a picture count from the top.
        let (x, y) = (x * grid.spacing, (grid.cells[1] as f32 - y) * grid.spacing);
        let tip = tip.with_radius(tip.radius * grid.spacing);
        let Tip { radius, outline } = tip;
        if drag.right {
            fluid.draw_solid(x, y, tip, self.mouse.draws);
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
        let Mouse { pours, colour, drops, .. } = &mut self.mouse;
        let colour = match *pours {
            Pours::Nothing => return Ok(()),
            Pours::Clear => [0.0; 3],
            Pours::Colour => *colour,
            Pours::Hues => {
                let hue = hue(*drops);
                *drops = drops.wrapping_add(1);
                if outline == Outline::Soft {
                    let [red, green, blue] = hue;
                    return self.dye.pour(fluid, |fluid| fluid.pour(x, y, radius, [red, green, blue, 0.0]));
                }
                hue
            }
        };
        self.dye.pour(fluid, |fluid| fluid.paint(x, y, tip, colour))
    }
}

/// Colours that go slowly round the circle of hues.
fn hue(drops: u32) -> [f32; 3] {
    let hue = (drops % 240) as f32 / 240.0;
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| {
        let wave = (std::f32::consts::TAU * (hue + shift)).cos();
        // Squared, for a pure colour: two of the three parts are small.
        0.8 * (0.5 + 0.5 * wave).powi(2)
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Context, Result, anyhow};
    use quadrille::Gpu;

    use super::super::{ABOUT, FluidDemo};
    use super::*;
    use crate::demo::{Demo, Request, TestHost};

    /// The chosen colour lies where the tip covers, whatever was there, and clear fluid takes it away again.
    #[test]
    fn dye_of_a_chosen_colour_lies_under_the_brush_and_is_cleared_again() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values = ABOUT.values_of("scene=vortices&size=17x13").map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = FluidDemo::new(&gpu, &request)?;
        let look = |demo: &mut FluidDemo| -> Result<Vec<f32>> { Ok(demo.fluid.get_mut().dye().data()?) };
        let before = look(&mut demo)?;
        for outline in [Outline::Round, Outline::Square] {
            for (pours, colour) in [(Pours::Colour, [0.25, 0.5, 0.75]), (Pours::Clear, [0.0; 3])] {
                demo.mouse.pours = pours;
                demo.mouse.colour = [0.25, 0.5, 0.75];
                let tip = Tip { radius: 2.2, outline };
                demo.touch(Touch::Cell { x: 4.5, y: 5.5, tip, drag: Drag::default() })?;
                let columns = demo.fluid.get_mut().dye().width() as usize;
                let mut inside = 0;
                for (i, (found, old)) in
                    look(&mut demo)?.as_chunks::<4>().0.iter().zip(before.as_chunks::<4>().0).enumerate()
                {
                    // Rows of a picture count from the top of its twelve.
                    let away = [(i % columns) as f32 - 4.0, (i / columns) as f32 - 6.0];
                    let covered = tip.covers(away);
                    inside += usize::from(covered);
                    let expected = if covered { colour } else { [old[0], old[1], old[2]] };
                    // The square comes after the round tip, which has cleared its own cells.
                    let cleared = outline == Outline::Square && Tip::from(2.2).covers(away);
                    assert!(found[..3] == expected || cleared && !covered, "{outline:?} {away:?}: {found:?}");
                    assert_eq!(found[3], old[3]);
                }
                assert_eq!(inside, if outline == Outline::Square { 25 } else { 13 });
            }
        }
        Ok(())
    }

    /// All of them begin under the brush, also those that are born later; a state knows where.
    #[test]
    fn particles_begin_where_the_left_button_presses() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values =
            ABOUT.values_of("scene=vortices&size=17x17&particles=50").map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = FluidDemo::new(&gpu, &request)?;
        demo.step()?;
        demo.touch(Touch::Cell { x: 4.0, y: 12.0, tip: 2.0.into(), drag: Drag::default() })?;
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
