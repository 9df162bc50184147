//! Linear algebra on packed vectors (chapter 44): scalars, vectors and matrices that live on the GPU.
//!
//! | ch. 44 | here |
//! |---|---|
//! | `clFloat` | [`Scalar`]: one texel |
//! | `clVector` | [`Vector`]: 2×2 elements a texel ([`Packed2x2`]) |
//! | `clMatrix`, full | [`Dense`]: columns |
//! | `clMatrix`, banded | [`Banded`]: diagonals; [`Stencil`] where they are constant on a grid |
//! | `clMatrix`, random sparse | [`Points`]: a vertex for four non-zeros of a row |
//! | (Batty et al.: seven diagonals of a voxel box) | [`SevenPoint`]: its main diagonal alone |
//! | (Bolz et al.: nine entries of a grid's node) | [`NinePoint`]: a vector for each; [`LayeredNinePoint`] in the paper's own layout |
//! | `matrixVectorOp(op, x, y, out)` | [`LinearOperator::apply`] with an [`Op`] |
//! | (Bolz et al.) | [`Gather`]: each row fetches what it needs |
//! | (double-single: 48 bits of two floats) | [`DoubleVector`], [`DoubleMatrix`] |
//! | `clMemMan` | the pool of the [`Gpu`] |
//!
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::linalg::{Algebra, Banded, LinearOperator, Op};
//! use quadrille::{Gpu, layout::Packed2x2, numeric::Csr};
//!
//! let algebra = Algebra::new(&Gpu::headless()?);
//! let a = Banded::new(&algebra, Packed2x2::grid(5, 7)?, Csr::poisson(5, 7)?)?;
//! let x = algebra.vector(a.columns(), &[1.0; 35])?;
//! let mut y = algebra.zeros(a.rows())?;
//! a.apply(Op::Null, &x, &mut y)?;                       // y = A x
//! let mut sum = algebra.scalar(0.0)?;
//! y.dot(&x, &mut sum)?;                                 // xᵀA x, which stays on the GPU
//! assert_eq!(sum.get()?, 24.0);                         // until it is asked for
//! # Ok(())
//! # }
//! ```
//!
//! # References
//! Krüger & Westermann, *A GPU Framework for Solving Systems of Linear Equations*, GPU Gems 2 ch. 44.

mod algebra;
mod banded;
mod bands;
mod dense;
mod diagonal;
mod double;
mod driver_costs;
mod entries;
mod factor;
mod gather;
mod history;
mod nine_point;
mod operator;
mod points;
mod quadrants;
mod scalar;
mod seven_point;
mod stencil;
mod texelwise;
mod vector;
mod vector_ops;
mod vector_products;

pub use algebra::Algebra;
pub(crate) use algebra::{PLAIN, of_doubles, of_voxels};
pub use banded::Banded;
#[doc(hidden)]
pub use bands::Inlined;
pub use dense::Dense;
pub use diagonal::{Diagonal, Sum};

pub(crate) use double::Sums;
pub use double::{DoubleMatrix, DoubleStorage, DoubleVector};
pub use driver_costs::DriverCosts;
pub use factor::Factor;
pub use gather::{Costs, Gather};
pub(crate) use gather::{Plan, Rectangle, SIDE, lay_out};
pub(crate) use history::History;
pub use nine_point::NinePoint;
#[cfg(test)]
pub(crate) use nine_point::five_point;
pub(crate) use nine_point::{entry_of, offset};
pub(crate) use operator::product_in_f64;
pub use operator::{LinearOperator, Op};
pub use points::Points;
pub use quadrants::{Layered, LayeredNinePoint};
pub use scalar::Scalar;
pub use seven_point::SevenPoint;
pub use stencil::Stencil;
pub(crate) use texelwise::{Padding, Texels, Texelwise};
pub use vector::Vector;

pub use crate::layout::{BoundaryCondition, Packed2x2, Quadrants, Voxels};
#[cfg(doc)]
use crate::pug::Gpu;
