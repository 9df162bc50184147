//! The first residuals of an iteration, kept so that new ones stay orthogonal to them in 32 bits.
//!
//! In f32 the normal equations of condition 1000 took four times the iterations of f64, because orthogonality is lost.
//! Least squares therefore make each new residual orthogonal to up to 256 earlier ones. That costs two passes and took
//! 48 random systems to between 0.1 and 1.0 of the allowed count. Replacing a residual by the true one without a
//! restart was tried on the CPU: up to twice the iterations.

use crate::Result;
use crate::gl::{Format, Rect, Shape, Texture};
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, PLAIN, Scalar, Vector};

/// The first residuals of conjugate gradients, each divided by its norm, and the projection that removes them from a
/// new one: s ← s − Σⱼ vⱼ (vⱼ·s).
///
/// In exact arithmetic the residuals are orthogonal. In 32 bits they lose this as soon as an eigenvalue is found, which
/// is then found again and again.
///
/// Cost: two passes, with the fetches of a product of a dense matrix of that many columns together, and one pass that
/// keeps s.
pub(super) struct Past {
    algebra: Algebra,
    layout: Packed2x2,
    /// One field below the other.
    kept: Texture,
    /// vⱼ·s, a texel each.
    shares: Texture,
    count: u32,
    most: u32,
    /// As many as there can be: once they are all there, nothing but rounding is left of a new one.
    rank: u32,
}

/// Elements kept at most: so the two passes fetch no more than a dense matrix of 256 columns and rows.
const ELEMENTS: usize = 1 << 16;

/// Fewer are not worth their passes.
const FEWEST: u32 = 16;

const KEEP: &str = "solve/past_keep.frag";
const SHARES: &str = "solve/past_shares.frag";
const TAKE_OUT: &str = "solve/past_take_out.frag";

impl Past {
    /// Room for as many residuals of that layout as are possible and cheap; `None` if those are few, or if a pass may
    /// not fetch that often.
    ///
    /// # Errors
    /// Those of memory.
    pub fn new(algebra: &Algebra, layout: Packed2x2, rank: usize) -> Result<Option<Past>> {
        let limits = algebra.gpu().limits();
        let (width, height) = layout.texels();
        let cheap = (ELEMENTS / layout.len()).min(rank) as u32;
        let most = cheap.min(limits.texture_size / height).min(limits.fetches.saturating_sub(1) / 2);
        if (most as usize) < rank.min(FEWEST as usize) || 2 * width * height > limits.fetches {
            return Ok(None);
        }
        let texture = |width, height, format| algebra.context().texture(Shape { width, height, format });
        let kept = texture(width, height * most, Format::Rgba32F)?;
        let shares = texture(most, 1, Format::R32F)?;
        Ok(Some(Past { algebra: algebra.clone(), layout, kept, shares, count: 0, most, rank: rank as u32 }))
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Keeps s/√γ, where γ = s·s, if there is room for it.
    pub fn keep(&mut self, s: &Vector, gamma: &Scalar) -> Result<()> {
        if self.count == self.most {
            return Ok(());
        }
        let (width, height) = self.layout.texels();
        let range = Rect::new(0, self.count * height, width, (self.count + 1) * height);
        self.algebra
            .pass(KEEP, PLAIN)?
            .streams([s.texture(), gamma.texture()])
            .domains(&[Rect::whole(width, height).corners()])
            .over(range)
            .onto(&[&self.kept])?;
        self.count += 1;
        Ok(())
    }

    /// Makes s orthogonal to the kept residuals, unless the step that made it had length 0: two passes.
    pub fn take_out_of(&self, s: &mut Vector, step: &Scalar) -> Result<()> {
        if self.count == 0 || self.count >= self.rank {
            return Ok(());
        }
        let (width, height) = self.layout.texels();
        let constants = [[width as f32, height as f32, self.count as f32, 0.0]];
        self.algebra
            .pass(SHARES, PLAIN)?
            .streams([&self.kept, s.texture()])
            .constants(&constants)
            .over(Rect::new(0, 0, self.count, 1))
            .onto(&[&self.shares])?;
        let next = self.algebra.texture(self.layout)?;
        self.algebra
            .pass(TAKE_OUT, PLAIN)?
            .streams([&self.kept, s.texture(), &self.shares, step.texture()])
            .constants(&constants)
            .onto(&[&next])?;
        s.replace_texture(next);
        Ok(())
    }
}
