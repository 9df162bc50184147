//! The factors of vectors: constants, scalars on the GPU, and their products.

use std::ops::Neg;

use super::Scalar;

/// A constant, or a scalar on the GPU, or the product of the two. `2.0`, `&alpha` and `-&alpha` are factors.
#[derive(Clone, Copy)]
pub struct Factor<'a> {
    pub(super) constant: f32,
    pub(super) scalar: Option<&'a Scalar>,
}

impl Factor<'_> {
    /// The kernels' number for it: 0 for a factor of 1, 1 for a constant, 2 for a scalar times a constant.
    pub(super) fn kind(self) -> i32 {
        match self.scalar {
            Some(_) => 2,
            None => i32::from(self.constant != 1.0),
        }
    }

    /// Returns true if 0 times it is known to be 0.
    pub(super) fn is_finite(self) -> bool {
        self.scalar.is_none() && self.constant.is_finite()
    }
}

impl From<f32> for Factor<'_> {
    fn from(constant: f32) -> Self {
        Factor { constant, scalar: None }
    }
}

impl<'a> From<&'a Scalar> for Factor<'a> {
    fn from(scalar: &'a Scalar) -> Self {
        Factor { constant: 1.0, scalar: Some(scalar) }
    }
}

impl<'a> Neg for &'a Scalar {
    type Output = Factor<'a>;

    fn neg(self) -> Factor<'a> {
        Factor { constant: -1.0, scalar: Some(self) }
    }
}

impl Scalar {
    /// This scalar times a constant, as a factor.
    pub fn times(&self, constant: f32) -> Factor<'_> {
        Factor { constant, scalar: Some(self) }
    }
}
