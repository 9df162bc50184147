//! Vectors and nine-point matrices in the layout of Bolz et al.: four quadrants in four channels (row E8).
//!
//! The paper's layout takes the same 18 fetches for four unknowns as 2×2 texels do. But quadrants have seams: five more
//! passes keep their borders in sync, through a strip, because no pass may read its own target. The cut lies at an even
//! node, so the parity of a node is that of its place, for any size.

use super::{Algebra, LinearOperator, NinePoint, PLAIN, Vector};
use crate::gl::{Format, Shape, Texture};
use crate::layout::{Quadrants, Rect};
use crate::{Error, Result};

/// A vector of a grid's nodes in [`Quadrants`]. Nodes on a seam and beside it are stored two or four times, and every
/// operation leaves the same value in all copies.
pub struct Layered {
    algebra: Algebra,
    quadrants: Quadrants,
    texture: Texture,
}

/// A matrix of nine points, each entry layered as a vector is.
///
/// This is the layout of the paper, for comparison with [`Packed2x2`](super::Packed2x2), which also groups nodes by
/// parity and has no seams. A product of (2ʲ + 1)² nodes takes one pass of 18 fetches for four unknowns, as in the
/// paper, and five passes that copy the border, some 2ʲ texels a side: a pass may not read its own target, so the
/// copies go through a strip.
pub struct LayeredNinePoint {
    quadrants: Quadrants,
    entries: Vec<Layered>,
}

const LAYER: &str = "linalg/quadrants_layer.frag";
const UNLAYER: &str = "linalg/quadrants_unlayer.frag";
const MULTIPLY: &str = "linalg/quadrants_multiply.frag";
const SEAMS: &str = "linalg/quadrants_seams.frag";
const BORDER: &str = "linalg/quadrants_border.frag";

impl Layered {
    /// A vector of zeros.
    ///
    /// # Errors
    /// [`Error::OverLimit`] past the texture limit; [`Error::OutOfMemory`].
    pub fn zeros(algebra: &Algebra, quadrants: Quadrants) -> Result<Layered> {
        let layered = Layered::uninitialised(algebra, quadrants)?;
        layered.texture.clear([0.0; 4]);
        Ok(layered)
    }

    /// The elements of a packed vector, layered: one pass of four fetches.
    ///
    /// # Errors
    /// As [`Layered::zeros`]; [`Error::WrongShape`] for a vector of another grid.
    pub fn of(quadrants: Quadrants, x: &Vector) -> Result<Layered> {
        let mut layered = Layered::uninitialised(x.algebra(), quadrants)?;
        layered.layer(x)?;
        Ok(layered)
    }

    fn uninitialised(algebra: &Algebra, quadrants: Quadrants) -> Result<Layered> {
        let [width, height] = quadrants.texels();
        let texture = algebra.context().texture(Shape { width, height, format: Format::Rgba32F })?;
        Ok(Layered { algebra: algebra.clone(), quadrants, texture })
    }

    /// How its nodes lie.
    pub fn quadrants(&self) -> Quadrants {
        self.quadrants
    }

    /// Takes the elements of a packed vector: one pass of four fetches, the border included.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for a vector of another grid; [`Error::OtherContext`].
    pub fn layer(&mut self, x: &Vector) -> Result<()> {
        self.fits(x)?;
        self.algebra
            .pass(LAYER, PLAIN)?
            .streams([x.texture()])
            .constants(&[self.nodes(), self.seam(), self.around()])
            .onto(&[&self.texture])
    }

    /// Brings the elements into a packed vector: one pass of four fetches.
    ///
    /// # Errors
    /// As [`Layered::layer`].
    pub fn unlayer(&self, out: &mut Vector) -> Result<()> {
        self.fits(out)?;
        self.algebra
            .pass(UNLAYER, PLAIN)?
            .streams([&self.texture])
            .constants(&[self.nodes(), self.seam()])
            .onto(&[out.texture()])
    }

    /// All texels, four values each, as [`Quadrants::node`] names them. Waits for them.
    ///
    /// # Errors
    /// [`ContextLost`](crate::Error::ContextLost); [`Driver`](crate::Error::Driver) where the driver refuses the read.
    pub fn texels(&self) -> Result<Vec<f32>> {
        self.texture.read(self.texture.shape().rect())
    }

    /// Copies the values of neighbouring quadrants into the border: first the four sides into the rows of a strip, then
    /// each row into its border. Five passes of one fetch a texel.
    fn copy_seams(&mut self) -> Result<()> {
        let Shape { width, height, .. } = self.texture.shape();
        let long = width.max(height);
        let shape = Shape { width: long, height: 4, format: Format::Rgba32F };
        let strip = self.algebra.context().texture(shape)?;
        self.algebra
            .pass(SEAMS, PLAIN)?
            .streams([&self.texture])
            .constants(&[self.seam(), self.around()])
            .onto(&[&strip])?;
        let rows = [Rect::new(0, 0, width, 1), Rect::new(0, height - 1, width, height)];
        let columns = [Rect::new(0, 1, 1, height - 1), Rect::new(width - 1, 1, width, height - 1)];
        for (side, range) in rows.into_iter().chain(columns).enumerate() {
            let (column, row) = (i32::from(side >= 2), side as f32);
            // Place along the side, and the strip's row; turned for a column.
            let domain = match column {
                0 => [0.0, row, width as f32, row + 1.0],
                _ => [row, 1.0, row + 1.0, height as f32 - 1.0],
            };
            let target = &[&self.texture];
            self.algebra
                .pass(BORDER, &[("COLUMN", column)])?
                .streams([&strip])
                .domains(&[domain])
                .over(range)
                .onto(target)?;
        }
        Ok(())
    }

    fn fits(&self, x: &Vector) -> Result<()> {
        x.same_context(&self.algebra)?;
        let [width, height] = self.quadrants.nodes();
        x.has_layout(crate::layout::Packed2x2::grid(width, height)?, "vector layered in quadrants")
    }

    fn like(&self, other: &Layered, what: &str) -> Result<()> {
        if !self.algebra.is(&other.algebra) {
            return Err(Error::OtherContext { what: what.to_owned() });
        }
        if self.quadrants == other.quadrants {
            return Ok(());
        }
        let (found, expected) = (other.quadrants.to_string(), self.quadrants.to_string());
        Err(Error::WrongShape { what: what.to_owned(), found, expected })
    }

    fn nodes(&self) -> [f32; 4] {
        pair(self.quadrants.nodes().map(|n| n as f32))
    }

    fn seam(&self) -> [f32; 4] {
        pair(self.quadrants.seam().map(|n| n as f32))
    }

    fn around(&self) -> [f32; 4] {
        pair(self.quadrants.periodic().map(|periodic| f32::from(u8::from(periodic))))
    }
}

impl LayeredNinePoint {
    /// The same matrix as a packed one.
    ///
    /// # Errors
    /// As [`Quadrants::new`] and [`Layered::of`].
    pub fn of(a: &NinePoint) -> Result<LayeredNinePoint> {
        let quadrants = Quadrants::new(a.rows(), a.periodic())?;
        LayeredNinePoint::new(a.algebra(), quadrants, a.entries()?.each_ref().map(Option::as_ref))
    }

    /// The matrix of these entries, that of (dx, dy) at 3 (dy + 1) + dx + 1; `None` is 0 everywhere.
    ///
    /// # Errors
    /// As [`Layered::of`].
    pub fn new(
        algebra: &Algebra,
        quadrants: Quadrants,
        entries: [Option<&Vector>; 9],
    ) -> Result<LayeredNinePoint> {
        let layered = |entry: Option<&Vector>| match entry {
            Some(entry) => Layered::of(quadrants, entry),
            None => Layered::zeros(algebra, quadrants),
        };
        let entries = entries.into_iter().map(layered).collect::<Result<_>>()?;
        Ok(LayeredNinePoint { quadrants, entries })
    }

    /// How its vectors lie.
    pub fn quadrants(&self) -> Quadrants {
        self.quadrants
    }

    /// out = A x, seams in sync: one pass over the quadrants, and five over the border. Error at most
    /// (nonzeros of the row + 3)·2⁻²⁴·(|A||x|)ᵢ, and the same bits wherever a node is held.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for vectors of another grid; [`Error::OtherContext`]; those of memory.
    pub fn apply(&self, x: &Layered, out: &mut Layered) -> Result<()> {
        for (vector, what) in [(x, "vector that a matrix multiplies"), (&*out, "result of a matrix product")]
        {
            self.entries.iter().take(1).try_for_each(|entry| entry.like(vector, what))?;
        }
        let inside = self.quadrants.inside();
        out.algebra
            .pass(MULTIPLY, PLAIN)?
            .streams([&x.texture])
            .streams(self.entries.iter().map(|entry| &entry.texture))
            .over(inside)
            .onto(&[&out.texture])?;
        out.copy_seams()
    }
}

/// Two numbers as a constant of a pass.
fn pair([x, y]: [f32; 2]) -> [f32; 4] {
    [x, y, 0.0, 0.0]
}
