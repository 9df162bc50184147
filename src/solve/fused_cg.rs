//! Conjugate gradients with the fewest texels written: the default.
//!
//! An iteration is one product, one reduction of five sums, and one pass that writes x, r and p. α = p·r/p·q and β =
//! −r'·q/p·q need no second reduction; in 32 bits they give p·r' = 0 and p'·q = 0, which each step needs. A recursion
//! for r'·r' was tried first: on a long rod it took four times as many iterations. `src/solve/cg.rs` is Listing 44-1
//! line by line, for reading and for cards with fewer than three targets. Dense matrices take the same two passes
//! (`src/solve/matrix_cg.rs`).

use super::History;
use super::iterate::{Iteration, patience_of, residual};
use crate::gl::Texture;
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Vector};
use crate::{Error, Limits, Result};

/// Conjugate gradients in three stages an iteration, the exercise that chapter 44 and Moravánszky leave to the reader:
///
/// 1. q = A p,
/// 2. the sums p·q, q·Mq, r·Mq, r·r and p·r, all in one reduction of two targets,
/// 3. x += α p, r −= α q and p = M r + β p, written by one pass to three targets.
///
/// One reduction serves both α and β, in the forms that Hestenes and Stiefel give first: α = p·r / p·q, which makes the
/// new r orthogonal to p, and β = −Mr'·q / p·q = (α q·Mq − r·Mq) / p·q, which makes the new p conjugate to it. In exact
/// arithmetic they are those of Listing 44-1. In 32 bits they are more robust, because each step restores these two
/// conditions: the 1D Laplacian of 3000 unknowns, b constant, is solved to 10⁻⁵ after 3019 iterations, by Listing 44-1
/// after 6564.
///
/// An iteration writes q, x, r and p once: a texel each for four unknowns, and 1/32 for the sums. After the tolerance
/// is met, or where p·q ≤ 0, steps change nothing.
///
/// Needs three render targets and six streams, seven with a preconditioner.
pub struct FusedCg {
    preconditioner: Option<Vector>,
    r: Vector,
    p: Vector,
    q: Vector,
}

const UPDATE: &str = "solve/cg_update.frag";

/// Targets of the update.
const TARGETS: u32 = 3;

/// Its streams: x, r, p, q, the history and what is beside it, and M where there is one.
const STREAMS: u32 = 6;

impl FusedCg {
    /// Returns true if the limits have the targets and streams that it needs, with or without a preconditioner.
    pub fn fits(limits: &Limits, preconditioned: bool) -> bool {
        limits.targets >= TARGETS && limits.streams >= STREAMS + u32::from(preconditioned)
    }

    /// Room for vectors of that layout. `preconditioner` is the diagonal of M, which stands for the inverse of A: for
    /// Jacobi 1/aᵢᵢ.
    ///
    /// # Errors
    /// As [`Algebra::zeros`]; [`Error::Unsupported`] where it does not [fit](FusedCg::fits).
    pub fn new(algebra: &Algebra, layout: Packed2x2, preconditioner: Option<Vector>) -> Result<FusedCg> {
        if !FusedCg::fits(algebra.gpu().limits(), preconditioner.is_some()) {
            return Err(Error::Unsupported {
                what: "fused conjugate gradients".into(),
                needs: "three render targets and seven streams",
                renderer: algebra.context().limits_name().to_owned(),
            });
        }
        let vector = || algebra.zeros(layout);
        Ok(FusedCg { preconditioner, r: vector()?, p: vector()?, q: vector()? })
    }

    /// Another M in the place of the one that it was made with.
    pub(crate) fn set_preconditioner(&mut self, diagonal: Vector) {
        self.preconditioner = Some(diagonal);
    }

    fn sums(&self, history: &History, entry: usize) -> Result<()> {
        history.log.sum(entry, [&self.p, &self.q, &self.r], self.preconditioner.as_ref())
    }

    fn update(&mut self, x: &mut Vector, history: &History, entry: usize) -> Result<()> {
        let inverse = self.preconditioner.as_ref().map(Vector::texture);
        let vectors = [&*x, &self.r, &self.p, &self.q].map(Vector::texture);
        let [next_x, next_r, next_p] = update(self.r.algebra(), inverse, vectors, history, entry)?;
        x.replace_texture(next_x);
        self.r.replace_texture(next_r);
        self.p.replace_texture(next_p);
        Ok(())
    }
}

/// Draws the next x, r and p from x, r, p and q = A p, whose sums are in the history: one pass. `inverse` is M. All
/// vectors must have the same layout.
pub(super) fn update(
    algebra: &Algebra,
    inverse: Option<&Texture>,
    vectors: [&Texture; 4],
    history: &History,
    entry: usize,
) -> Result<[Texture; 3]> {
    let shape = vectors[0].shape();
    let texture = || algebra.context().texture(shape);
    let next = [texture()?, texture()?, texture()?];
    algebra
        .pass(UPDATE, &[("PRECONDITIONED", i32::from(inverse.is_some()))])?
        .streams(vectors)
        .streams(inverse)
        .streams([history.log.texture(), history.log.beside()])
        .constants(&[[history.tolerance2, 0.0, 0.0, 0.0]])
        .domains(&[shape.rect().corners(), history.texel(entry), history.texel(0)])
        .onto(&next.each_ref())?;
    Ok(next)
}

impl Iteration for FusedCg {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        residual(a, b, x, &mut self.r)?;
        match &self.preconditioner {
            Some(m) => self.p.set_product(1.0, m, &self.r),
            None => self.p.copy_from(&self.r),
        }
    }

    fn replace_residual(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<bool> {
        residual(a, b, x, &mut self.r)?;
        Ok(true)
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        a.apply(Op::Null, &self.p, &mut self.q)?;
        self.sums(history, entry)?;
        self.update(x, history, entry)
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        self.sums(history, entry)
    }

    fn freezes_at_breakdown(&self) -> bool {
        true
    }

    fn patience(&self) -> usize {
        patience_of(self.r.len())
    }
}
