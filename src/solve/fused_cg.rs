//! Conjugate gradients with the fewest texels written.

use super::iterate::{Iteration, Tape};
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Vector};
use crate::pug::Terms;
use crate::{Limits, Result};

/// Conjugate gradients in three stages an iteration, the exercise that chapter 44 and Moravánszky leave to the reader:
///
/// 1. q = A p,
/// 2. the sums p·q, q·Mq, r·Mr and r·r, all four in the channels of one reduction,
/// 3. x += α p, r −= α q and p = M r + β p, written by one pass to three targets.
///
/// One reduction serves both α = r·Mr / p·q and β, for the residual after the step has r'·Mr' = α² q·Mq − r·Mr: both
/// cross terms are p·q in exact arithmetic. r·Mr itself is summed anew each time, so no error builds up. An
/// iteration writes q, x, r and p once: a texel each for four unknowns, and 1/64 for the sums. Where the tolerance is
/// met, steps change nothing any more; where p·q ≤ 0, neither.
///
/// Needs three render targets and five streams, six with a preconditioner.
pub struct FusedCg {
    preconditioner: Option<Vector>,
    r: Vector,
    p: Vector,
    q: Vector,
}

const UPDATE: &str = "solve/cg_update.frag";

/// Targets of the update.
const TARGETS: u32 = 3;

/// Its streams: x, r, p, q, the history, and M where there is one.
const STREAMS: u32 = 5;

impl FusedCg {
    /// Whether the limits have the targets and streams that it needs, with or without a preconditioner.
    pub fn fits(limits: &Limits, preconditioned: bool) -> bool {
        limits.targets >= TARGETS && limits.streams >= STREAMS + u32::from(preconditioned)
    }

    /// Room for vectors of that layout. `preconditioner` is the diagonal of M, which stands for the inverse of A: for
    /// Jacobi 1/aᵢᵢ.
    ///
    /// # Errors
    /// As [`Algebra::zeros`]; where it does not [fit](FusedCg::fits), the first step says so.
    pub fn new(algebra: &Algebra, layout: Packed2x2, preconditioner: Option<Vector>) -> Result<FusedCg> {
        let vector = || algebra.zeros(layout);
        Ok(FusedCg { preconditioner, r: vector()?, p: vector()?, q: vector()? })
    }

    fn sums(&self, tape: &Tape, entry: usize) -> Result<()> {
        let vectors = [&self.p, &self.q, &self.r].map(Vector::texture);
        let inverse = self.preconditioner.as_ref().map(Vector::texture);
        tape.history.sum(entry, Terms::Residuals(vectors, inverse), false)
    }

    fn update(&mut self, x: &mut Vector, tape: &Tape, entry: usize) -> Result<()> {
        let algebra = self.r.algebra();
        let variant = [("PRECONDITIONED", i32::from(self.preconditioner.is_some())), ("", 0), ("", 0)];
        let program = algebra.program(UPDATE, variant)?;
        let texture = || algebra.texture(x.layout());
        let (next_x, next_r, next_p) = (texture()?, texture()?, texture()?);
        let history = tape.history.texture();
        let plain = [x.texture(), self.r.texture(), self.p.texture(), self.q.texture(), history];
        let mut streams = [history; 6];
        streams[..5].copy_from_slice(&plain);
        if let Some(inverse) = &self.preconditioner {
            streams[4] = inverse.texture();
        }
        let count = if self.preconditioner.is_some() { 6 } else { 5 };
        let texel = |entry: usize| {
            let place = tape.history.place(entry);
            let (x, y) = (place.x0 as f32 + 0.5, place.y0 as f32 + 0.5);
            [x, y, x, y]
        };
        let (width, height) = x.layout().texels();
        let domains = [[0.0, 0.0, width as f32, height as f32], texel(entry), texel(0)];
        let constants = [[tape.tolerance2, 0.0, 0.0, 0.0]];
        let targets = [&next_x, &next_r, &next_p];
        algebra.draw(&program, &streams[..count], &constants, Some(&domains), &targets)?;
        x.replace_texture(next_x);
        self.r.replace_texture(next_r);
        self.p.replace_texture(next_p);
        Ok(())
    }
}

impl Iteration for FusedCg {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        a.apply(Op::Sub(b), x, &mut self.r)?;
        self.r.scale(-1.0)?;
        match &self.preconditioner {
            Some(m) => self.p.set_product(1.0, m, &self.r),
            None => self.p.copy_from(&self.r),
        }
    }

    fn step(&mut self, a: &dyn LinearOperator, x: &mut Vector, tape: &Tape, entry: usize) -> Result<()> {
        a.apply(Op::Null, &self.p, &mut self.q)?;
        self.sums(tape, entry)?;
        self.update(x, tape, entry)
    }

    fn finish(&mut self, tape: &Tape, entry: usize) -> Result<()> {
        self.sums(tape, entry)
    }

    fn rests(&self) -> bool {
        true
    }
}
