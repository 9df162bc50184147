//! Dense matrices as BLAS has them, four rows of a column to a texel (rows B1–B6).
//!
//! Names and shapes are those of BLAS. A call changes `self`, and every shape must fit beforehand:
//!
//! | BLAS | here | computes |
//! |---|---|---|
//! | `copy`, `scal`, `axpy` | [`Matrix::copy_from`], [`Matrix::scale`], [`Matrix::axpy`] | y = x, x = a x, y += a x |
//! | `dot`, `nrm2`, `asum`, `iamax` | [`Matrix::dot`], [`Matrix::nrm2`], [`Matrix::asum`], [`Matrix::iamax`] | x·y, ‖x‖₂, Σ\|xᵢ\|, where \|xᵢ\| is largest |
//! | `gemv` | [`Matrix::gemv`] | y = α A x + β y, or with Aᵀ |
//! | `gemm` | [`Matrix::gemm`] | C = α A B + β C, or with Aᵀ, Bᵀ |
//!
//! and those of the paper beside them: `add`, `multiply`, `multiply_transposed`, `max`, `mad` in all its forms, `madad`.
//!
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::{Gpu, linalg::Algebra, matrix::Matrix};
//!
//! let algebra = Algebra::new(&Gpu::headless()?);
//! let a = Matrix::new(&algebra, 2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let mut c = Matrix::zeros(&algebra, 2, 2)?;
//! c.gemm(1.0, &a, a.t(), 0.0)?;                         // C = A Aᵀ
//! assert_eq!(c.get()?, [14.0, 32.0, 32.0, 77.0]);
//! # Ok(())
//! # }
//! ```
//!
//! A matrix may not be source and target of one pass. Rust's borrows rule that out: sources are borrowed shared, the target
//! mutably. An operation in place draws into a texture of the pool and keeps that one (row B6).
//!
//! ```compile_fail
//! # use quadrille::{Gpu, linalg::Algebra, matrix::Matrix};
//! # fn square(mut a: Matrix) -> quadrille::Result<()> {
//! a.multiply(&a, &a)                                    // refused by the compiler
//! # }
//! ```
//!
//! Independent square matrices can share one texture as [`Blocks`]. Solvers take a matrix or blocks as a
//! [`DenseOperator`].
//!
//! # References
//! Moravánszky, *Dense Matrix Algebra on the GPU*, ShaderX², 2003; Lawson et al., *Basic Linear Algebra Subprograms*, 1979.

mod blocks;
mod elements;
mod multiply;
mod operator;
mod packed;
mod part;
mod plan;
mod reductions;
mod storage;

pub use blocks::Blocks;
pub use multiply::Operand;
pub use operator::{DenseOperator, Group};
pub use storage::Matrix;
