//! Arrows of a flat flow over its picture.

use crate::gl::{GlowFramebuffer, Rect};
use crate::pug::{Buffer, Domain, Gpu, Program};
use crate::sim::fluid::Grid;
use crate::{Error, Result};

/// Draws an arrow in each square of a picture, along the velocity in its middle. North is up.
///
/// One pass of two fetches a pixel, which discards what is no arrow: it needs no blending.
pub(super) struct Arrows {
    program: Program,
}

/// Pixels of the side of a square, about.
const SIDE: f32 = 26.0;

impl Arrows {
    /// # Errors
    /// Those of making a program.
    pub fn new(gpu: &Gpu) -> Result<Arrows> {
        Ok(Arrows { program: gpu.builtin("view/arrows.frag")? })
    }

    /// Draws over the part `place` of a framebuffer, which shows all of the grid's box as `lies` says, in spacings. An arrow of
    /// speed `most` is nearly as long as its square; below 3 % of it there is none.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a speed that is not above 0; [`Error::WrongShape`] for a velocity that is not the grid's.
    pub fn draw(
        &mut self,
        (grid, velocity, most): (Grid, &Buffer, f32),
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
        lies: Domain,
    ) -> Result<()> {
        check_flow("arrows", grid, velocity, most)?;
        let pixel = grid.cells[0] as f32 / place.width() as f32;
        self.program
            .bind_stream("velocity", velocity)?
            .bind_float("first_faces", grid.first_faces())?
            .bind_float("side", SIDE * pixel)?
            .bind_float("pixel", pixel)?
            .bind_float("most", most)?
            .bind_domain("place", lies)?;
        self.program.onto_framebuffer(framebuffer, place).run()?;
        self.program.release_streams();
        Ok(())
    }
}

/// Confirms that a velocity is the grid's, and that its largest speed is one.
pub(super) fn check_flow(what: &str, grid: Grid, velocity: &Buffer, most: f32) -> Result<()> {
    if !(most > 0.0 && most.is_finite()) {
        let (found, expected) = (most.to_string(), "a finite speed above 0".to_owned());
        return Err(Error::BadParameter { name: "largest speed", found, expected });
    }
    let [width, height] = grid.nodes();
    if (velocity.width(), velocity.height()) != (width, height) {
        let (what, found) = (what.to_owned(), velocity.describe());
        return Err(Error::WrongShape { what, found, expected: format!("{width}x{height} texels") });
    }
    Ok(())
}
