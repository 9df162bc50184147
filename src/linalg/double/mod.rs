//! Double-single arithmetic: a number is the sum of two 32-bit floats, which hold 48 bits together.
//!
//! # How two floats make a longer one
//! A float rounds: 1 + 2⁻³⁰ is 1. But what was rounded away can be had, as a float of its own, out of additions that
//! round, too. Knuth's *two-sum* takes s = a + b, the part b' = s − a of b that arrived in s and the part a' = s − b' of
//! a; what is missing is (a − a') + (b − b'), exactly, whatever a and b are. Dekker's *two-product* cuts each factor
//! into halves of 12 bits. Products of halves fit the 24 bits of a float, so ((a₁b₁ − p) + a₁b₂ + a₂b₁) + a₂b₂ is what
//! p = a b lost, exactly. A number x is then kept as high + low, where high is x rounded to a float and low the rest,
//! rounded to a float: two-sums and two-products of the high parts, the low parts beside them, and a last two-sum that
//! makes the high part the rounded number again.
//!
//! With u = 2⁻²⁴ the errors are at most 3 u² |x + y| of a sum, 5 u² |x y| of a product (Joldes, Muller & Popescu), and
//! 16 u² |x / y| = 2⁻⁴⁴ |x / y| of a quotient by three steps of long division: the first remainder brings the 5 u² of its
//! product, the last sum 3 u², and division on a card may be off by 2⁻²², which two further digits make 2⁻⁶⁶. The
//! exponents stay those of floats. A low part below 2⁻¹²⁶ may be flushed to 0, which is an absolute error of 2⁻¹²⁶: solvers
//! scale right-hand sides to a size near 1, and matrices by powers of two.
//!
//! # On a fragment processor
//! A shader's compiler may do what the text's mathematics allows: fold s − a to b, and fuse a b − p to one operation that
//! rounds once. Both end this arithmetic without a word. GLSL ES 3.00 and GLSL 3.30 have no `precise`, so the words in
//! `glsl/double_single.glsl` pass each rounded number through bits: `uintBitsToFloat(floatBitsToUint(s) ^ zero)`, where zero is
//! a uniform that nobody sets. The halves are cut by a mask of bits, where nothing can be folded either. Products of halves
//! are exact, so fusing those does no harm. [`Probes::double_single`](crate::gl::Probes) asks the driver with uniforms whether
//! 2⁻³⁰ of 1 + 2⁻³⁰ and 2⁻²⁴ of (1 + 2⁻¹²)² are left; where they are not, nothing here can be made.
//!
//! # In textures
//! A texel holds two neighbours of a row: (high, high, low, low). So a field of w × h numbers is a 2×2-packed field of w × 2 h
//! floats, rows of low parts below those of high parts: [`Vector`](super::Vector) holds it, and every kernel has as many streams and targets as
//! its form in 32 bits. Two numbers in one texel, or high and low parts in two textures: that is the same count. For
//! four unknowns a product of five points fetches 20 texels (10 of x, 10 of coefficients) and writes 2 either way; in 32
//! bits 10 and 1. The update of conjugate gradients fetches 8, and its scalars, and writes 6 either way. But with two textures it would
//! write to six targets, where OpenGL ES and WebGL promise four, and a pass would take half as many diagonals, because
//! each takes two streams. So here a texel is two numbers.
//!
//! # References
//! Dekker, *A Floating-Point Technique for Extending the Available Precision*, Numer. Math. 18, 1971; Knuth, *The Art of
//! Computer Programming* 2, §4.2.2; Joldes, Muller & Popescu, *Tight and Rigorous Error Bounds for Basic Building Blocks of
//! Double-Word Arithmetic*, ACM TOMS 44(2), 2017; Göddeke, Strzodka & Turek, *Performance and Accuracy of Hardware-Oriented
//! Native-, Emulated- and Mixed-Precision Solvers in FEM Simulations*, 2007, for such numbers on such cards.

mod matrix;
mod sums;
mod vector;

pub use matrix::{DoubleMatrix, DoubleStorage};
pub(crate) use sums::Sums;
pub use vector::DoubleVector;

use super::Algebra;
use crate::{Error, Result};

/// Targets of the update of conjugate gradients: x, r and p.
const TARGETS: u32 = 3;

/// Refuses drivers whose arithmetic loses rounding errors, and cards of fewer targets.
fn check(algebra: &Algebra) -> Result<()> {
    let (kept, targets) = (algebra.gpu().probes()?.double_single, algebra.gpu().limits().targets);
    let needs = match (kept, targets) {
        (false, _) => "a driver that keeps the rounding errors of sums and products",
        (true, ..TARGETS) => "three render targets",
        _ => return Ok(()),
    };
    let renderer = if kept { algebra.context().limits_name() } else { &algebra.gpu().driver().renderer };
    Err(Error::Unsupported { what: "double-single arithmetic".into(), needs, renderer: renderer.to_owned() })
}
