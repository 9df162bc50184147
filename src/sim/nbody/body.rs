//! Bodies, and what they conserve together.

/// A mass somewhere on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Body {
    /// Where it is.
    pub position: [f64; 3],
    /// Where it goes in a unit of time.
    pub velocity: [f64; 3],
    /// 0 for one that is pulled and does not pull.
    pub mass: f64,
}

/// The quantities that all bodies together conserve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conserved {
    /// Σ m v² / 2.
    pub kinetic: f64,
    /// Σ m φ / 2: each pair counts once.
    pub potential: f64,
    /// Σ m v.
    pub momentum: [f64; 3],
    /// Σ m x × v, about the origin.
    pub angular_momentum: [f64; 3],
}

impl Conserved {
    /// Kinetic and potential together.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }
}
