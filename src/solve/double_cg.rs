//! Conjugate gradients in double-single arithmetic: 48 bits where 32-bit floats have 24.

use super::iterate::{Limits, Unknowns, Work, patience_of, run, with_replay};
use super::{Bounds, History, Outcome};
use crate::Result;
use crate::gl::Texture;
use crate::linalg::{DoubleMatrix, DoubleVector, Scalar, Sums, of_doubles};

/// Conjugate gradients whose matrix, vectors and sums are all in double-single, with the passes of
/// [`FusedCg`](super::FusedCg):
///
/// 1. q = A p,
/// 2. p·q, q·q, r·q and r·r in one reduction,
/// 3. α = r·r / p·q and β = r'·r' / r·r = (r·r − α (2 r·q − α q·q)) / r·r, in one texel,
/// 4. x += α p, r −= α q and p = r + β p, written by one pass to three targets.
///
/// In 32 bits r'·r' is not to be had from the sums before it ([`FusedCg`](super::FusedCg)); of 48 bits enough are left, and r·r itself
/// is summed anew in each iteration. In an emulation of this arithmetic the Hilbert matrix of 8 rows took 32 iterations so,
/// 26 with a second reduction for r'·r', and 110 with β = −r'·q / p·q, the form of `FusedCg`; bars and beams took equally many.
///
/// An iteration fetches 36 texels for four unknowns of a matrix of five points (20 for q, 6 for the sums, 10 for x, r and p) and
/// writes 8: twice what 32 bits take. All four vectors in double-single are needed: sums alone, or x alone, saved nothing in the
/// emulation.
///
/// # References
/// Hestenes & Stiefel 1952, §3; Dekker 1971; Göddeke, Strzodka & Turek 2007.
pub struct DoubleCg {
    a: DoubleMatrix,
    r: DoubleVector,
    p: DoubleVector,
    q: DoubleVector,
    /// b·b, as the tolerance is relative to it.
    bb: Scalar,
}

const STEP: &str = "solve/double_step.frag";
const UPDATE: &str = "solve/double_update.frag";

impl DoubleCg {
    /// Room for the vectors of that matrix, which must be symmetric and positive definite.
    ///
    /// # Errors
    /// As [`DoubleVector::zeros`].
    pub fn new(a: DoubleMatrix) -> Result<DoubleCg> {
        let vector = || DoubleVector::zeros(a.algebra(), a.layout());
        let (r, p, q, bb) = (vector()?, vector()?, vector()?, a.algebra().scalar(0.0)?);
        Ok(DoubleCg { a, r, p, q, bb })
    }

    /// The matrix.
    pub fn matrix(&self) -> &DoubleMatrix {
        &self.a
    }

    /// Solves A x = b from x = 0, until the bounds are met by r·r of the recursion; as [`iterate`](super::iterate), it looks
    /// without a stall, and ends with the best x of a run that does not converge.
    ///
    /// # Errors
    /// As [`DoubleMatrix::apply`]; [`OverLimit`](crate::Error::OverLimit) for more iterations than a history has room for.
    pub fn run(
        &mut self,
        b: &DoubleVector,
        x: &mut DoubleVector,
        bounds: Bounds,
        watch: &mut dyn FnMut(usize, f64) -> bool,
    ) -> Result<Outcome> {
        b.same_shape(x, "result of a solver")?;
        self.r.same_shape(b, "right-hand side")?;
        let zero = DoubleVector::zeros(self.a.algebra(), self.a.layout())?;
        x.copy_from(&zero)?;
        let begin = (bounds.check_every > 0).then_some(&zero);
        with_replay(x, begin, bounds, &mut |x, bounds| {
            let mut history = History::new(self.a.algebra(), bounds)?;
            self.r.copy_from(b)?; //                           r = b
            self.p.copy_from(b)?; //                           p = b
            b.squares(&mut self.bb)?;
            history.log.sum_of_squares(b.texture())?;
            let limits = Limits {
                patience: patience_of(b.layout().len()),
                sufficient_decrease: 1.0,
                freezes_at_breakdown: true,
                expected: None,
            };
            let work = &mut |work, history: &History, entry| match work {
                Work::Step => self.step(x, history, entry),
                Work::Finish => self.sums(history, entry),
            };
            run(work, &mut history, limits, bounds, watch)
        })
    }

    fn step(&mut self, x: &mut DoubleVector, history: &History, entry: usize) -> Result<()> {
        let _scope = self.a.algebra().gpu().scope("iteration");
        self.a.apply(&self.p, &mut self.q)?; //                q = A p
        self.sums(history, entry)?; //                         α, β
        self.update(x, history, entry) //                      x, r, p
    }

    /// Writes p·q and r·r into the history, α and β beside them.
    fn sums(&self, history: &History, entry: usize) -> Result<()> {
        let vectors = [&self.p, &self.q, &self.r].map(DoubleVector::texture);
        let sums = Sums::of(self.a.algebra(), vectors)?;
        self.a
            .algebra()
            .pass_of(STEP, crate::linalg::PLAIN, of_doubles)?
            .streams([&sums.of_q, &sums.of_r, self.bb.texture()])
            .constants(&[[history.tolerance2, 0.0, 0.0, 0.0]])
            .over(history.log.place(entry))
            .onto(&[history.log.texture(), history.log.beside()])
    }

    fn update(&mut self, x: &mut DoubleVector, history: &History, entry: usize) -> Result<()> {
        let algebra = self.a.algebra();
        let shape = x.texture().shape();
        let texture = || algebra.context().texture(shape);
        let next: [Texture; 3] = [texture()?, texture()?, texture()?];
        algebra
            .pass_of(UPDATE, crate::linalg::PLAIN, of_doubles)?
            .streams([&*x, &self.r, &self.p, &self.q].map(DoubleVector::texture))
            .streams([history.log.beside()])
            .domains(&[shape.rect().corners(), history.texel(entry)])
            .onto(&next.each_ref())?;
        let [next_x, r, p] = next;
        x.replace_texture(next_x);
        self.r.replace_texture(r);
        self.p.replace_texture(p);
        Ok(())
    }
}

impl Unknowns for DoubleVector {
    fn set_to(&mut self, y: &DoubleVector) -> Result<()> {
        self.copy_from(y)
    }
}
