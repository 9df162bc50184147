//! Diagonal scaling by powers of two, before the matrix is rounded to 32 bits.
//!
//! S A S has the same digits as A without the condition that comes from its units alone. Residuals are measured in A's
//! own norm, gains in the norm of the scaled system, in which the iteration works. Multigrid is scaled only where the
//! vector s is smoother for A than constants are: a matrix whose coefficients jump is not scaled.

use super::Preconditioning;
use crate::Result;
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Vector, product_in_f64};
use crate::numeric::{Csr, Random};

/// Powers of two S, sᵢ = 2^−round(½ log₂|aᵢᵢ|), such that the diagonal of S A S lies between ½ and 2.
///
/// S A S y = S b has x = S y, and no digit of A changes: S A S is as symmetric and as definite as A. Only the condition
/// changes. If A = D P D with D from 10⁻¹⁵ to 10¹⁵, scaling leaves P; without it, rounding hides the sign of p·A p, and
/// squares leave the range of 32 bits.
///
/// If the entries of b have different units, no x of f64 may meet a tolerance on ‖b − A x‖: rounding x alone leaves
/// 2⁻⁵³ |A||x|.
#[derive(Clone, Debug, PartialEq)]
pub struct Scales(Vec<f64>);

/// Diagonals whose largest and smallest entry differ by less than this power of two are not scaled: in a sum of 32-bit
/// floats each row still counts.
const SPREAD: i32 = 24;

/// The same with a diagonal preconditioner: it takes the condition away, so only the range of squares is in question.
const SPREAD_OF_JACOBI: i32 = 100;

impl Scales {
    /// The scales of a matrix with that diagonal, for a recursion with that preconditioner. `None` if it needs none, or
    /// if the diagonal has zeros or NaN.
    pub fn of(diagonal: &[f64], preconditioner: Preconditioning) -> Option<Scales> {
        let spread = match preconditioner {
            Preconditioning::None => SPREAD,
            Preconditioning::Jacobi => SPREAD_OF_JACOBI,
        };
        Scales::beyond(diagonal, spread)
    }

    /// The scales of a matrix for multigrid, whose interpolation assumes smooth functions. `None` also if constants are
    /// smoother for A than s is, by xᵀA x relative to Σ aᵢᵢ xᵢ²: so a matrix whose coefficients jump by many powers of
    /// ten is not scaled.
    pub fn of_grid(a: &Csr) -> Option<Scales> {
        let diagonal = a.diagonal();
        let scales = Scales::beyond(&diagonal, SPREAD)?;
        let roughness = |x: &[f64]| {
            let energy: f64 = a.triplets().map(|(row, column, value)| x[row] * value * x[column]).sum();
            energy / diagonal.iter().zip(x).map(|(d, x)| d * x * x).sum::<f64>()
        };
        (roughness(&scales.0) < roughness(&vec![1.0; diagonal.len()])).then_some(scales)
    }

    fn beyond(diagonal: &[f64], spread: i32) -> Option<Scales> {
        let exponents = diagonal.iter().map(|d| {
            let exponent = 0.5 * d.abs().log2();
            exponent.is_finite().then(|| -exponent.round() as i32)
        });
        let exponents = exponents.collect::<Option<Vec<i32>>>()?;
        let (least, most) = (exponents.iter().min()?, exponents.iter().max()?);
        (2 * (most - least) > spread)
            .then(|| Scales(exponents.into_iter().map(|e| f64::from(e).exp2()).collect()))
    }

    /// S A S.
    ///
    /// # Errors
    /// Those of [`Csr::from_triplets`].
    pub fn matrix(&self, a: &Csr) -> Result<Csr> {
        let scaled =
            a.triplets().map(|(row, column, value)| (row, column, self.0[row] * value * self.0[column]));
        Csr::from_triplets(a.rows(), a.columns(), scaled)
    }

    /// Returns true if the entries of S A S stay small, as they do where A is definite: |aᵢⱼ| is then √(aᵢᵢ aⱼⱼ) at most, and the
    /// diagonal tells the size of its row. Of other matrices it need not, and what is scaled by it may only get worse.
    ///
    /// Told by four products with random signs: each row's is at least as large as its largest entry every other time, and that of
    /// n entries up to 2 hardly ever beyond 8 √n.
    pub(super) fn keep_small(&self, a: &dyn LinearOperator) -> bool {
        let mut random = Random(1);
        let most = 8.0 * (self.len() as f64).sqrt();
        (0..4).all(|_| {
            let signs: Vec<f64> =
                self.0.iter().map(|_| if random.bits() >> 63 == 0 { 1.0 } else { -1.0 }).collect();
            self.times(&a.multiply(&self.times(&signs))).iter().all(|y| y.abs() <= most)
        })
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// S x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        self.0.iter().zip(x).map(|(s, x)| s * x).collect()
    }

    /// S⁻¹ x.
    pub fn divide(&self, x: &[f64]) -> Vec<f64> {
        self.0.iter().zip(x).map(|(s, x)| x / s).collect()
    }

    /// The exponents of the smallest and the largest.
    pub fn exponents(&self) -> [i32; 2] {
        let of = |s: f64| s.log2() as i32;
        self.0.iter().fold([i32::MAX, i32::MIN], |[least, most], &s| [least.min(of(s)), most.max(of(s))])
    }
}

/// A matrix and its scaled form on the GPU, for [`solve_scaled`](super::solve_scaled).
#[derive(Clone, Copy)]
pub struct Scaled<'a> {
    /// A.
    pub a: &'a Csr,
    /// S.
    pub scales: &'a Scales,
    /// S A S, as [`Scales::matrix`] makes it, in any storage.
    pub stored: &'a dyn LinearOperator,
}

/// S A S for an A that is stored as it is: two passes more a product.
pub(super) struct ScaledOperator<'a> {
    a: &'a dyn LinearOperator,
    s: Vector,
    scales: Scales,
}

impl<'a> ScaledOperator<'a> {
    pub fn new(a: &'a dyn LinearOperator, scales: Scales) -> Result<ScaledOperator<'a>> {
        let s: Vec<f32> = scales.0.iter().map(|&s| s as f32).collect();
        Ok(ScaledOperator { a, s: a.algebra().vector(a.columns(), &s)?, scales })
    }

    /// out = S (product of S x), and what is added.
    fn scaled(
        &self,
        op: Op,
        x: &Vector,
        out: &mut Vector,
        product: impl FnOnce(&Vector, &mut Vector) -> Result<()>,
    ) -> Result<()> {
        self.check(op, x, out)?;
        let vector = || Vector::uninitialised(self.algebra(), self.rows());
        let (mut sx, mut asx) = (vector()?, vector()?);
        sx.set_product(1.0, &self.s, x)?;
        product(&sx, &mut asx)?;
        out.set_product(1.0, &self.s, &asx)?;
        match op {
            Op::Null => Ok(()),
            Op::Add(y) => out.add(y),
            Op::Sub(y) => out.sub(y),
        }
    }
}

impl LinearOperator for ScaledOperator<'_> {
    fn algebra(&self) -> &Algebra {
        self.a.algebra()
    }

    fn rows(&self) -> Packed2x2 {
        self.a.rows()
    }

    fn columns(&self) -> Packed2x2 {
        self.a.columns()
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.scaled(op, x, out, |x, out| self.a.apply(Op::Null, x, out))
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.scaled(op, x, out, |x, out| self.a.apply_transposed(Op::Null, x, out))
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.scales.times(&self.a.multiply(&self.scales.times(x)))
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.scales.times(&self.a.multiply_transposed(&self.scales.times(x)))
    }

    fn diagonal(&self) -> Vec<f64> {
        self.scales.times(&self.scales.times(&self.a.diagonal()))
    }
}

/// The matrix of an outer loop: A as it was given, in f64, and what is on the GPU in its place.
pub(super) struct MixedMatrix<'a> {
    truth: Truth<'a>,
    pub stored: Box<dyn LinearOperator + 'a>,
    pub scales: Option<Scales>,
}

enum Truth<'a> {
    Operator(&'a dyn LinearOperator),
    Matrix(&'a Csr),
}

impl<'a> MixedMatrix<'a> {
    /// A as it is.
    pub fn plain(a: &'a dyn LinearOperator) -> MixedMatrix<'a> {
        MixedMatrix { truth: Truth::Operator(a), stored: Box::new(a), scales: None }
    }

    /// S A S for an A on the GPU.
    pub fn around(a: &'a dyn LinearOperator, scales: Scales) -> Result<MixedMatrix<'a>> {
        let stored = Box::new(ScaledOperator::new(a, scales.clone())?);
        Ok(MixedMatrix { truth: Truth::Operator(a), stored, scales: Some(scales) })
    }

    /// S A S that is on the GPU already.
    pub fn scaled(scaled: Scaled<'a>) -> MixedMatrix<'a> {
        let Scaled { a, scales, stored } = scaled;
        MixedMatrix { truth: Truth::Matrix(a), stored: Box::new(stored), scales: Some(scales.clone()) }
    }

    /// A x. What a matrix of the user's leaves out of it would count as solved.
    pub fn multiply(&self, x: &[f64]) -> Result<Vec<f64>> {
        match self.truth {
            Truth::Operator(a) => product_in_f64(a, x, false),
            Truth::Matrix(a) => Ok(a.multiply(x)),
        }
    }

    /// Aᵀx. The norm of nothing would be 0, and every x a solution.
    pub fn multiply_transposed(&self, x: &[f64]) -> Result<Vec<f64>> {
        match self.truth {
            Truth::Operator(a) => product_in_f64(a, x, true),
            Truth::Matrix(a) => Ok(a.multiply_transposed(x)),
        }
    }

    /// S x, or x itself.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        self.scales.as_ref().map_or_else(|| x.to_vec(), |scales| scales.times(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonals_of_wide_spread_come_near_1_and_others_stay() {
        let none = |diagonal: &[f64]| Scales::of(diagonal, Preconditioning::None);
        assert_eq!(none(&[1.0, 2f64.powi(24)]), None);
        let scaled = none(&[1.0, 2f64.powi(26)]).map(|scales| scales.exponents());
        assert_eq!(scaled, Some([-13, 0]), "a little more than that");
        let far = none(&[2f64.powi(-40), 1.0, 2f64.powi(60)]).map(|scales| scales.exponents());
        assert_eq!(far, Some([-30, 20]));
        assert_eq!(none(&[1e30, 0.0]), None);
        assert_eq!(none(&[1e30, f64::NAN]), None);
        assert_eq!(none(&[1e30, f64::INFINITY]), None);
        assert_eq!(Scales::of(&[1.0, 2f64.powi(90)], Preconditioning::Jacobi), None);
        for diagonal in [[1e-30, 1e30], [-3e-300, 7e300], [5e-324, 1.7e308]] {
            for preconditioner in [Preconditioning::None, Preconditioning::Jacobi] {
                let scales = Scales::of(&diagonal, preconditioner);
                let scaled = scales.map(|scales| scales.times(&scales.times(&diagonal)));
                assert!(
                    scaled.is_some_and(|d| d.iter().all(|d| (0.5..=2.0).contains(&d.abs()))),
                    "{diagonal:?}"
                );
            }
        }
    }

    /// −(k u')' with k of 1 and 10¹⁰ solves constants by 0 and stays; D A D of it does not.
    #[test]
    fn grids_are_scaled_where_that_makes_constants_smoother() -> Result<()> {
        let k = |i: usize| if i.is_multiple_of(4) { 1e10 } else { 1.0 };
        let link = |i: usize| [(i, i, k(i)), (i + 1, i + 1, k(i)), (i, i + 1, -k(i)), (i + 1, i, -k(i))];
        let ends = [(0, 0, 1.0), (19, 19, 1.0)];
        let rod = Csr::from_triplets(20, 20, (0..19).flat_map(link).chain(ends))?;
        assert_eq!(Scales::of_grid(&rod), None);
        let d = |i: usize| 10f64.powi((7 * i % 17) as i32 - 8);
        let entries =
            Csr::poisson(5, 4)?.triplets().map(|(i, j, a)| (i, j, d(i) * a * d(j))).collect::<Vec<_>>();
        let rows = Csr::from_triplets(20, 20, entries)?;
        let scaled = Scales::of_grid(&rows).map(|scales| scales.matrix(&rows)).transpose()?;
        assert!(
            scaled.is_some_and(|a| a.is_symmetric() && a.diagonal().iter().all(|d| (0.5..=2.0).contains(d)))
        );
        Ok(())
    }
}
