//! The sums of conjugate gradients in double-single: many texels to one, in passes that each shrink the grid.

use crate::Result;
use crate::gl::{Format, Rect, Shape, Texture};
use crate::linalg::{Algebra, of_doubles};

/// p·q, q·q, r·q and r·r on the GPU.
pub(crate) struct Sums {
    /// p·q and q·q in a texel.
    pub of_q: Texture,
    /// r·q and r·r in a texel.
    pub of_r: Texture,
}

const SUMS: &str = "linalg/double_sums.frag";

/// The side of the square of texels that a fragment adds up. A fragment's sums are a chain, some 50 operations a term, so
/// more fragments of fewer texels are quicker than in 32 bits.
const SIDE: u32 = 4;

/// The side where a pass may not fetch three texels for each of 16.
const SMALL: u32 = 2;

impl Sums {
    /// The sums of p, q and r: ⌈log₁₆ of the texels⌉ passes, and more of them on cards of few fetches.
    ///
    /// # Errors
    /// Those of memory.
    pub fn of(algebra: &Algebra, vectors: [&Texture; 3]) -> Result<Sums> {
        let _scope = algebra.gpu().scope("reduction");
        let side = if algebra.gpu().limits().fetches < 3 * SIDE * SIDE { SMALL } else { SIDE };
        let mut sums = pass(algebra, side, &vectors)?;
        while sums.of_q.shape().rect().area() > 1 {
            sums = pass(algebra, side, &[&sums.of_q, &sums.of_r])?;
        }
        Ok(sums)
    }

    /// The texel of p·q and q·q, read back.
    pub fn first(&self) -> Result<[f32; 4]> {
        let texel = self.of_q.read(Rect::whole(1, 1))?;
        Ok([texel[0], texel[1], texel[2], texel[3]])
    }
}

fn pass(algebra: &Algebra, side: u32, streams: &[&Texture]) -> Result<Sums> {
    let Shape { width, height, .. } = streams[0].shape();
    let (width, height) = (width.div_ceil(side), height.div_ceil(side));
    let texture = || algebra.context().texture(Shape { width, height, format: Format::Rgba32F });
    let sums = Sums { of_q: texture()?, of_r: texture()? };
    algebra
        .pass_of(SUMS, &[("TERMS", i32::from(streams.len() == 3)), ("SIDE", side as i32)], of_doubles)?
        .streams(streams.iter().copied())
        .onto(&[&sums.of_q, &sums.of_r])?;
    Ok(sums)
}
