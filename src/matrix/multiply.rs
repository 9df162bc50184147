//! Products (rows B3, B4): C = α A B + β C and its transposed forms.
//!
//! A product is blocked by render targets. A block of A, four columns in four fetches, is multiplied by a block of B
//! for each target, so eight targets take 12 fetches for 128 products, and one target takes 5 fetches for 16. Target t
//! holds the columns from t n/8 on, far from those of the next target, so that neighbouring fragments fetch
//! neighbouring texels; copies put the targets side by side. Neighbouring columns in the targets were tried, which
//! fetch B at constant offsets. They are as fast by up to four targets and a twelfth slower by eight (llvmpipe, 1024²),
//! and would need a pass that picks among eight streams.

use super::storage::wrong_shape;
use super::{Matrix, plan::Plan};
use crate::gl::{Blend, Format, Kernel, Pass, Rect, Shape, TARGETS, Texture};
use crate::{Error, Result};

const MULTIPLY: &str = "matrix/multiply.frag";
const MERGE: &str = "matrix/merge.frag";
const TRANSPOSE: &str = "matrix/transpose.frag";

/// A factor of a product: a matrix as it is, `&a`, or its transpose, `a.t()`.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    matrix: &'a Matrix,
    transposed: bool,
}

impl<'a> From<&'a Matrix> for Operand<'a> {
    fn from(matrix: &'a Matrix) -> Operand<'a> {
        Operand { matrix, transposed: false }
    }
}

impl Operand<'_> {
    /// A transpose as a matrix of its own.
    fn plain(&self) -> Result<Option<Matrix>> {
        if !self.transposed {
            return Ok(None);
        }
        let (rows, columns) = self.shape();
        let mut plain = Matrix::uninitialised(self.matrix.algebra(), rows, columns)?;
        plain.set_transpose(self.matrix)?;
        Ok(Some(plain))
    }

    /// (rows, columns) of what it stands for.
    pub fn shape(&self) -> (usize, usize) {
        let (rows, columns) = self.matrix.shape();
        if self.transposed { (columns, rows) } else { (rows, columns) }
    }
}

impl Matrix {
    /// Aᵀ as a factor of a product; nothing is drawn.
    pub fn t(&self) -> Operand<'_> {
        Operand { matrix: self, transposed: true }
    }

    /// self = A B.
    ///
    /// # Errors
    /// As [`Matrix::gemm`].
    pub fn multiply(&mut self, a: &Matrix, b: &Matrix) -> Result<()> {
        self.gemm(1.0, a, b, 0.0)
    }

    /// self = Aᵀ B.
    ///
    /// # Errors
    /// As [`Matrix::gemm`].
    pub fn multiply_transposed(&mut self, a: &Matrix, b: &Matrix) -> Result<()> {
        self.gemm(1.0, a.t(), b, 0.0)
    }

    /// y = α A x + β y, with A or Aᵀ, for vectors x and y.
    ///
    /// # Errors
    /// As [`Matrix::gemm`]; [`Error::WrongShape`] where x has more columns than one.
    pub fn gemv<'a>(
        &mut self,
        alpha: f32,
        a: impl Into<Operand<'a>>,
        x: &'a Matrix,
        beta: f32,
    ) -> Result<()> {
        if x.columns() != 1 {
            return Err(wrong_shape("vector of gemv", x.shape(), (x.rows(), 1)));
        }
        self.gemm(alpha, a, x, beta)
    }

    /// C = α A B + β C, with A or Aᵀ and B or Bᵀ. C is `self`. C is not read if β is 0; A and B are not read if α is 0.
    ///
    /// In the paper's words a fragment computes *matrix operations*, a 4×4 block of A times a 4×1 block of B: five
    /// fetches for 16 products. Here it computes them for up to eight columns of C at once, one in each render target,
    /// so that 12 fetches make 128 products. A copy for each target then puts the columns side by side. If C has too
    /// few texels to keep the GPU busy, the sum is cut into parts, and one more pass adds them up. A card without loops
    /// or with few fetches takes several passes, each added to those before: six matrix operations a pass on a Radeon
    /// 9700, four for Aᵀ B. Bᵀ is drawn first.
    ///
    /// On an NVIDIA H200 a product of 1024² runs at 507 GFLOP/s, four times the rate of one target; its fetches would
    /// allow 661, and the card of the paper could reach 21 (`docs/measured.md`).
    ///
    /// Error of an element: at most (k + 3)·2⁻²⁴·(|α||A||B| + |β||C|), where k is the number of columns of A.
    ///
    /// # Shapes
    /// A n×k, B k×m, C n×m, as they are after transposing.
    ///
    /// # Errors
    /// [`Error::WrongShape`] with both shapes, [`Error::OtherContext`], [`Error::OutOfMemory`]; [`Error::OverLimit`] where
    /// Bᵀ is larger than a texture.
    ///
    /// # References
    /// Moravánszky, *Dense Matrix Algebra on the GPU*, §3.3 and §3.4.
    pub fn gemm<'a>(
        &mut self,
        alpha: f32,
        a: impl Into<Operand<'a>>,
        b: impl Into<Operand<'a>>,
        beta: f32,
    ) -> Result<()> {
        let (a, b) = (a.into(), b.into());
        self.check_product(a, b)?;
        if alpha == 0.0 {
            return if beta == 0.0 { self.fill(0.0) } else { self.scale(beta) };
        }
        let most = self.algebra().gpu().limits().targets;
        self.product(a, b, [alpha, beta], most)
    }

    /// self = A B with at most that many render targets a pass, for measurements.
    ///
    /// # Errors
    /// As [`Matrix::gemm`]; [`Error::OverLimit`] for more targets than the limits allow.
    pub fn multiply_by_targets(&mut self, a: &Matrix, b: &Matrix, targets: u32) -> Result<()> {
        let limit = self.algebra().gpu().limits().targets;
        if !(1..=limit).contains(&targets) {
            let what = "product of matrices".to_owned();
            let (found, limit) = (targets.into(), limit.into());
            return Err(Error::OverLimit { what, quantity: "number of render targets", found, limit });
        }
        self.check_product(a.into(), b.into())?;
        self.product(a.into(), b.into(), [1.0, 0.0], targets)
    }

    /// self = Aᵀ: one pass, four fetches a texel.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`].
    pub fn set_transpose(&mut self, a: &Matrix) -> Result<()> {
        self.same_context(a.algebra())?;
        if a.t().shape() != self.shape() {
            return Err(wrong_shape("transpose", a.t().shape(), self.shape()));
        }
        self.algebra()
            .pass(TRANSPOSE, &[])?
            .streams([a.texture()])
            .constants(&[[self.rows() as f32, 0.0, 0.0, 0.0]])
            .onto(&[self.texture()])
    }

    fn check_product(&self, a: Operand, b: Operand) -> Result<()> {
        self.same_context(a.matrix.algebra())?;
        self.same_context(b.matrix.algebra())?;
        let ((rows, inner), (found, columns)) = (a.shape(), b.shape());
        if found != inner {
            let what = format!("second factor of a product, whose first is {rows}x{inner}");
            return Err(wrong_shape(&what, (found, columns), (inner, columns)));
        }
        if self.shape() != (rows, columns) {
            return Err(wrong_shape("product", (rows, columns), self.shape()));
        }
        Ok(())
    }

    fn product(&mut self, a: Operand, b: Operand, factors: [f32; 2], targets: u32) -> Result<()> {
        let limits = self.algebra().gpu().limits();
        let plain = b.plain()?;
        let b = plain.as_ref().unwrap_or(b.matrix);
        let plan = Plan::new(limits, a.transposed, a.shape(), self.columns(), targets);
        let drawn = Product { c: self, a, b, plan, blends: limits.float_blend }.draw(factors)?;
        if let Some(texture) = drawn {
            self.replace_texture(texture);
        }
        Ok(())
    }
}

/// A product that is being drawn.
struct Product<'a> {
    c: &'a Matrix,
    a: Operand<'a>,
    b: &'a Matrix,
    plan: Plan,
    /// True if a pass may be blended onto the target.
    blends: bool,
}

/// Textures that the passes of a product draw into, one for each target.
type Sums = [Option<Texture>; TARGETS];

impl Product<'_> {
    /// Draws the result into C, or into a texture of the pool if C is read, because a pass may not read its own target.
    fn draw(&self, [alpha, beta]: [f32; 2]) -> Result<Option<Texture>> {
        if self.plan.is_whole() && alpha == 1.0 && beta == 0.0 {
            self.sums(Some(self.c.texture()))?;
            return Ok(None);
        }
        let sums = self.sums(None)?;
        let apart = if beta == 0.0 { None } else { Some(self.c.texture_alike()?) };
        let result = apart.as_ref().unwrap_or(self.c.texture());
        let columns = self.c.columns() as u32;
        for (target, sums) in sums.iter().flatten().enumerate() {
            let first = target as u32 * self.plan.chunk;
            let last = (first + self.plan.chunk).min(columns);
            if first < last {
                self.merge(sums, first..last, result, [alpha, beta])?;
            }
        }
        Ok(apart)
    }

    /// Draws all passes, each on top of those before: into `direct` in the end, or into textures of the pool.
    fn sums(&self, direct: Option<&Texture>) -> Result<Sums> {
        let mut newest = Sums::default();
        let mut done = 0;
        while done < self.plan.blocks {
            let blocks = [done, (done + self.plan.blocks_a_pass).min(self.plan.blocks)];
            let (begun, last) = (done > 0, blocks[1] == self.plan.blocks);
            if begun && self.blends {
                self.pass(blocks, None, &newest, direct, Blend::Add)?;
            } else {
                let fresh = match direct {
                    Some(_) if last || self.blends => Sums::default(),
                    _ => self.textures()?,
                };
                self.pass(blocks, begun.then_some(&newest), &fresh, direct, Blend::Replace)?;
                newest = fresh;
            }
            done = blocks[1];
        }
        Ok(newest)
    }

    fn textures(&self) -> Result<Sums> {
        let Plan { targets, chunk, parts, .. } = self.plan;
        let height = self.c.texture().shape().height;
        let shape = Shape { width: chunk * parts, height, format: Format::Rgba32F };
        let mut sums = Sums::default();
        for sum in &mut sums[..targets as usize] {
            *sum = Some(self.c.algebra().context().texture(shape)?);
        }
        Ok(sums)
    }

    /// One pass over some blocks, into those sums, or into `direct` where there are none.
    fn pass(
        &self,
        [first, last]: [u32; 2],
        before: Option<&Sums>,
        into: &Sums,
        direct: Option<&Texture>,
        blend: Blend,
    ) -> Result<()> {
        let count = self.plan.targets as usize;
        let own = direct.unwrap_or(self.c.texture());
        let targets: [&Texture; TARGETS] = std::array::from_fn(|t| into[t].as_ref().unwrap_or(own));
        let each = (last - first).div_ceil(self.plan.parts);
        let constants = [
            [first as f32, last as f32, each as f32, 0.0],
            [self.plan.chunk as f32, 0.0, 0.0, 0.0],
            [self.c.rows() as f32, 0.0, 0.0, 0.0],
        ];
        self.blocks(before.is_some())?
            .streams([self.a.matrix.texture(), self.b.texture()])
            .streams(before.into_iter().flatten().flatten())
            .constants(&constants)
            .blended(blend)
            .onto(&targets[..count])
    }

    /// Begins a pass over some blocks.
    fn blocks(&self, accumulate: bool) -> Result<Pass<'_>> {
        let targets = self.plan.targets;
        let rest = if self.a.transposed { 0 } else { self.a.matrix.columns() as i32 % 4 };
        let variant = [
            ("TRANSPOSED", i32::from(self.a.transposed)),
            ("REST", rest),
            ("TARGETS", targets as i32),
            ("ACCUMULATE", i32::from(accumulate)),
        ];
        self.c.algebra().pass_of(MULTIPLY, &variant, |kernel| for_targets(kernel, targets, accumulate))
    }

    /// Puts the columns of one target where they belong.
    fn merge(
        &self,
        sums: &Texture,
        columns: std::ops::Range<u32>,
        result: &Texture,
        [alpha, beta]: [f32; 2],
    ) -> Result<()> {
        let Plan { chunk, parts, .. } = self.plan;
        let height = result.shape().height;
        let [in_parts, scaled, read] = [parts > 1, alpha != 1.0, beta != 0.0];
        if !(in_parts || scaled || read) {
            // Nothing is left to compute: a copy costs less than a pass.
            let region = Rect::whole(columns.end - columns.start, height);
            result.copy_to(columns.start, 0, sums, region);
            return Ok(());
        }
        // Sums are 0 below the last row, and so they stay but under factors that are not finite.
        let padded = self.c.is_padded() && !(alpha.is_finite() && beta.is_finite());
        let variant = [
            ("PARTS", i32::from(in_parts)),
            ("SCALED", i32::from(scaled)),
            ("BETA", i32::from(read)),
            ("PADDED", i32::from(padded)),
        ];
        let algebra = self.c.algebra();
        let mut constants = [[0.0; 4]; 5];
        let mut count = 0;
        let given = [
            (in_parts, chunk as f32),
            (in_parts, parts as f32),
            (scaled, alpha),
            (read, beta),
            (padded, self.c.rows() as f32),
        ];
        for (_, value) in given.into_iter().filter(|(used, _)| *used) {
            constants[count][0] = value;
            count += 1;
        }
        let range = Rect::new(columns.start, 0, columns.end, height);
        let part = Rect::whole(range.width(), height);
        algebra
            .pass(MERGE, &variant)?
            .streams([sums])
            .streams(read.then_some(self.c.texture()))
            .constants(&constants[..count])
            .domains(&[part.corners(), range.corners()])
            .over(range)
            .onto(&[result])
    }
}

/// The kernel's text for that many targets.
fn for_targets(kernel: Kernel, targets: u32, accumulate: bool) -> Kernel {
    let all = |line: &dyn Fn(u32) -> String| (0..targets).map(line).collect::<String>();
    let before = |t| if accumulate { format!("before_{t}") } else { "none".to_owned() };
    let each = all(&|t| format!("word(target_{t}, {}, sum_{t}, across_{t}, {t}.0) ", before(t)));
    let streams = all(&|t| format!("uniform Stream before_{t}; "));
    kernel
        .define("EACH_TARGET(word)", each)
        .define("FIRST(before)", if accumulate { "value2(before, at)" } else { "vec4(0.0)" })
        .splice("DECLARE_BEFORE", if accumulate { &streams } else { "" })
        .splice("DECLARE_TARGETS", &all(&|t| format!("RANGE vec4 target_{t}; ")))
}
