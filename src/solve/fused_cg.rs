//! Conjugate gradients with the fewest texels written: the default.
//!
//! An iteration is one product, one reduction of five sums, and one pass that writes x, r and p. α = p·r/p·q and β =
//! −r'·q/p·q need no second reduction; in 32 bits they give p·r' = 0 and p'·q = 0, which each step needs. A recursion
//! for r'·r' was tried first: on a long rod it took four times as many iterations. `src/solve/cg.rs` is Listing 44-1
//! line by line, for reading and for cards with fewer than three targets. Dense matrices take the same two passes
//! (`src/solve/matrix_cg.rs`).

use super::History;
use super::iterate::{Iteration, patience_of, residual};
use crate::gl::{Format, Shape, Texture};
use crate::linalg::{Algebra, Inlined, LinearOperator, Op, PLAIN, Packed2x2, Vector};
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
/// A matrix of few diagonals that read neighbours on a grid, or a stencil, is multiplied within the first pass of the sums and within the
/// pass that writes, where that costs less by the count: on a GPU, which fetches seven texels in the time that it writes one. q is never
/// written then, and x in each second iteration, for two steps at once: 2½ texels instead of 4.
///
/// Needs three render targets and six streams, seven with a preconditioner.
pub struct FusedCg {
    preconditioner: Option<Vector>,
    r: Vector,
    p: Vector,
    /// Made when the first product is written.
    q: Option<Vector>,
    /// The direction of a step that x has not made yet, and the step's entry.
    held: Option<(Texture, usize)>,
    /// True or false where products are inlined wherever they can be, or nowhere; else counts decide.
    inlines: Option<bool>,
}

const UPDATE: &str = "solve/cg_update.frag";
const INLINE_SUMS: &str = "solve/cg_inline_sums.frag";
const INLINE_UPDATE: &str = "solve/cg_inline_update.frag";
const REST: &str = "solve/cg_rest.frag";

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
        Ok(FusedCg { preconditioner, r: vector()?, p: vector()?, q: None, held: None, inlines: None })
    }

    /// Inlines products wherever that is possible, or nowhere, whatever the counts say: for tests and measurements.
    #[doc(hidden)]
    #[must_use]
    pub fn inlining(self, inlines: bool) -> FusedCg {
        FusedCg { inlines: Some(inlines), ..self }
    }

    /// Another M in the place of the one that it was made with.
    pub(crate) fn set_preconditioner(&mut self, diagonal: Vector) {
        self.preconditioner = Some(diagonal);
    }

    /// The product for kernels that compute it themselves, if they are to.
    fn inlined<'a>(&self, a: &'a dyn LinearOperator) -> Option<Inlined<'a>> {
        a.inlined().filter(|product| self.inlines.unwrap_or_else(|| product.is_cheaper()))
    }

    fn sums(&mut self, a: &dyn LinearOperator, history: &History, entry: usize) -> Result<()> {
        if let Some(product) = self.inlined(a) {
            return self.inline_sums(product, history, entry);
        }
        let layout = self.p.layout();
        let mut q = match self.q.take() {
            Some(q) => q,
            None => Vector::uninitialised(self.p.algebra(), layout)?,
        };
        a.apply(Op::Null, &self.p, &mut q)?;
        let q = self.q.insert(q);
        history.log.sum(entry, [&self.p, q, &self.r], self.preconditioner.as_ref())
    }

    fn inline_sums(&self, product: Inlined, history: &History, entry: usize) -> Result<()> {
        let algebra = self.r.algebra();
        let (width, height) = self.p.layout().texels();
        let (x, y) = (first_halvings(width), first_halvings(height));
        let (width, height) = (width.div_ceil(1 << x), height.div_ceil(1 << y));
        let texture = || algebra.context().texture(Shape { width, height, format: Format::Rgba32F });
        let (sums, of_p) = (texture()?, texture()?);
        let inverse = self.preconditioner.as_ref().map(Vector::texture);
        let preconditioned = i32::from(inverse.is_some());
        let variant = [("PRECONDITIONED", preconditioned), ("SIDE_X", 1 << x), ("SIDE_Y", 1 << y)];
        let streams: Vec<&Texture> =
            [self.p.texture(), self.r.texture()].into_iter().chain(inverse).collect();
        let groups = [width as f32, height as f32, 0.0, 0.0];
        let domains = [sums.shape().rect().corners()];
        let _scope = algebra.gpu().scope("sums");
        let kernel = (preconditioned as usize, INLINE_SUMS, &variant[..]);
        product.draw(kernel, "", &streams, groups, &domains, &[&sums, &of_p])?;
        history.log.sum_of_parts(entry, &sums, &of_p)
    }

    fn inline_update(
        &mut self,
        product: Inlined,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        let algebra = self.r.algebra();
        let shape = x.texture().shape();
        let texture = || algebra.context().texture(shape);
        let inverse = self.preconditioner.as_ref().map(Vector::texture);
        let whole = self.held.is_some();
        let (next_r, next_p) = (texture()?, texture()?);
        let next_x = if whole { Some(texture()?) } else { None };
        let mut streams = vec![self.p.texture(), self.r.texture()];
        let mut before = 0;
        if let Some((former, entry)) = &self.held {
            streams.extend([x.texture(), former]);
            before = *entry;
        }
        let domains = [shape.rect().corners(), history.texel(entry), history.texel(0), history.texel(before)];
        streams.extend(inverse);
        streams.extend([history.log.texture(), history.log.beside()]);
        let targets: Vec<&Texture> = [&next_r, &next_p].into_iter().chain(&next_x).collect();
        let preconditioned = i32::from(inverse.is_some());
        let variant = [("PRECONDITIONED", preconditioned), ("WHOLE", i32::from(whole))];
        let kernel = ((2 + preconditioned + 2 * i32::from(whole)) as usize, INLINE_UPDATE, &variant[..]);
        let declared = if whole { "RANGE vec4 next_x;" } else { "" };
        product.draw(kernel, declared, &streams, [history.tolerance2, 0.0, 0.0, 0.0], &domains, &targets)?;
        self.r.replace_texture(next_r);
        let former = self.p.exchange_texture(next_p);
        self.held = match next_x {
            None => Some((former, entry)),
            Some(next_x) => {
                x.replace_texture(next_x);
                None
            }
        };
        Ok(())
    }

    fn update(&mut self, x: &mut Vector, history: &History, entry: usize) -> Result<()> {
        let Some(q) = &self.q else { return Ok(()) };
        let inverse = self.preconditioner.as_ref().map(Vector::texture);
        let vectors = [&*x, &self.r, &self.p, q].map(Vector::texture);
        let [next_x, next_r, next_p] = update(self.r.algebra(), inverse, vectors, history, entry)?;
        x.replace_texture(next_x);
        self.r.replace_texture(next_r);
        self.p.replace_texture(next_p);
        Ok(())
    }
}

/// Halvings of a side in the first pass of the sums: so many that three a pass, as a reduction makes them, are left.
fn first_halvings(side: u32) -> u32 {
    let halvings = side.next_power_of_two().ilog2();
    halvings - 3 * halvings.div_ceil(3).saturating_sub(1)
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
        self.held = None;
        residual(a, b, x, &mut self.r)?;
        match &self.preconditioner {
            Some(m) => self.p.set_product(1.0, m, &self.r),
            None => self.p.copy_from(&self.r),
        }
    }

    fn replace_residual(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<bool> {
        self.held = None;
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
        self.sums(a, history, entry)?;
        match self.inlined(a) {
            Some(product) => self.inline_update(product, x, history, entry),
            None => self.update(x, history, entry),
        }
    }

    /// Writes the sums, of which only ‖r‖² counts here: r stands for a q that is not there.
    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        let q = self.q.as_ref().unwrap_or(&self.r);
        history.log.sum(entry, [&self.p, q, &self.r], self.preconditioner.as_ref())
    }

    fn settle(&mut self, x: &mut Vector, history: &History) -> Result<()> {
        let Some((p, entry)) = self.held.take() else { return Ok(()) };
        let algebra = self.r.algebra();
        let shape = x.texture().shape();
        let next = algebra.context().texture(shape)?;
        algebra
            .pass(REST, PLAIN)?
            .streams([x.texture(), &p, history.log.texture(), history.log.beside()])
            .constants(&[[history.tolerance2, 0.0, 0.0, 0.0]])
            .domains(&[shape.rect().corners(), history.texel(entry), history.texel(0)])
            .onto(&[&next])?;
        x.replace_texture(next);
        Ok(())
    }

    fn freezes_at_breakdown(&self) -> bool {
        true
    }

    fn patience(&self) -> usize {
        patience_of(self.r.len())
    }
}
