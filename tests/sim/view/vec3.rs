//! Vectors of three f64, with the optics of the pictures.

use std::ops::{Add, Mul, Neg, Sub};

use super::{Rounding, U, mix};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3(pub f64, pub f64, pub f64);

pub const UP: Vec3 = Vec3(0.0, 1.0, 0.0);

impl Vec3 {
    pub fn of([x, y, z]: [f32; 3]) -> Vec3 {
        Vec3(x.into(), y.into(), z.into())
    }

    pub fn dot(self, other: Vec3) -> f64 {
        self.0 * other.0 + self.1 * other.1 + self.2 * other.2
    }

    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    pub fn unit(self) -> Vec3 {
        self * (1.0 / self.length())
    }

    pub fn mixed(self, other: Vec3, t: f64) -> Vec3 {
        Vec3(mix(self.0, other.0, t), mix(self.1, other.1, t), mix(self.2, other.2, t))
    }

    /// The vector as the GPU has it, each number off by so much.
    pub fn off(self, rounding: &Rounding, error: f64) -> Vec3 {
        Vec3(rounding.of(self.0, error), rounding.of(self.1, error), rounding.of(self.2, error))
    }

    /// A ray that meets a plane of this normal, mirrored.
    pub fn mirrored(self, normal: Vec3) -> Vec3 {
        self - normal * (2.0 * self.dot(normal))
    }

    /// A ray of length 1 that goes through a plane of this normal into what is denser, by Snell: its part along the plane becomes
    /// `ratio` of what it was.
    pub fn broken(self, normal: Vec3, ratio: f64) -> Vec3 {
        let across = (self - normal * self.dot(normal)) * ratio;
        across - normal * (1.0 - across.dot(across)).max(0.0).sqrt()
    }

    pub fn to_f32(self) -> [f32; 3] {
        [self.0 as f32, self.1 as f32, self.2 as f32]
    }
}

/// Rounding of numbers near 1 after a handful of operations.
pub const NEAR: f64 = 8.0 * U;

impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        Vec3(self.0 + other.0, self.1 + other.1, self.2 + other.2)
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, other: Vec3) -> Vec3 {
        Vec3(self.0 - other.0, self.1 - other.1, self.2 - other.2)
    }
}

impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        self * -1.0
    }
}

impl Mul<f64> for Vec3 {
    type Output = Vec3;
    fn mul(self, by: f64) -> Vec3 {
        Vec3(self.0 * by, self.1 * by, self.2 * by)
    }
}

impl Mul for Vec3 {
    type Output = Vec3;
    fn mul(self, other: Vec3) -> Vec3 {
        Vec3(self.0 * other.0, self.1 * other.1, self.2 * other.2)
    }
}
