//! Rigid boxes that push one another: contact as a linear complementarity problem (row B10).
//!
//! The library has no collision detection of its own: implement [`Collide`]. The program implements it with parry in
//! its deterministic mode. It asks anew each step, because manifolds that parry keeps depend on earlier steps.
//!
//! A step of h seconds, with M the masses and moments of inertia, J a row for each direction in which a contact pushes:
//!
//! | | |
//! |---|---|
//! | without contacts | v₀ = v + h g |
//! | contacts | λ ≥ 0 ⟂ (A + E) λ + J v₀ + gap/h ≥ 0, with A = J M⁻¹Jᵀ |
//! | velocities | v' = v₀ + M⁻¹Jᵀ λ |
//! | places | x' = x + h v', and turned by the midpoint rule |
//!
//! **A contact lets a gap close within the step and no further**: J v' ≥ −gap/h. So bodies are in contact before they touch,
//! and nothing has to be undone afterwards. **Friction** is two more rows a contact, along its tangents, with
//! −μ λₙ ≤ λₜ ≤ μ λₙ: a box, whose λₙ is that of the round before. **Rounds**: the LCP is solved at least twice, from the
//! last step's impulses on. After each, contacts join in that were too far off but would meet by what the impulses have
//! changed; after the last the bodies are looked at where they would end, since what turns may meet with other corners
//! than those that were nearest, and such contacts join in, too. **Regularisation**: A is only semidefinite (a cube stands on
//! four corners and three would do), so E = ε diag A is added; b − E c is its right-hand side, with c the λ of the round
//! before, so that in the end nothing is left of it: a wall under its own weight does not creep.
//! **Groups**: between bodies that do not touch one another, directly or by others, A is 0, and the ground connects nobody.
//!
//! # Why energy cannot rise
//! Let Δv = v' − v = h g + M⁻¹Jᵀ λ. The kinetic energy changes by ½(v' − v)·M(v' + v) = Δv·M v' − ½ Δv·M Δv, and
//! Δv·M v' = h M g·v' + λ·J v'. Potential energy changes by −M g·(x' − x) = −h M g·v'. So in all
//!
//! ΔE = λ·J v' − ½ Δv·M Δv.
//!
//! A normal row has λ > 0 only where J v' = −gap/h − (E (λ − c)), a tangent λ has the sign against J v' + E (λ − c). With
//! gap ≥ 0 and c = λ each product is at most 0: **E' ≤ E, for every h, μ and any bounds.** Turning costs nothing
//! ([`Body`] turns with its kinetic energy kept), and the place of a body is a straight way. What is left: E (λ − c)·λ and the
//! LCP's residual, which a further round makes smaller (one is made where energy would rise), and the recovery from
//! penetrations, which lifts bodies by [`Parameters::recovery_speed`] at most and is left out where energy would rise.
//!
//! # Why momentum stays
//! Each impulse acts at one point on both bodies, with opposite signs, in f64: linear and angular momentum change by rounding
//! alone, however badly the LCP is solved.
//!
//! # References
//! Moravánszky, *Dense Matrix Algebra on the GPU*, section 6; Stewart & Trinkle, *An Implicit Time-Stepping Scheme for
//! Rigid Body Dynamics with Inelastic Collisions and Coulomb Friction*, 1996; Simo & Wong, *Unconditionally Stable
//! Algorithms for Rigid Body Dynamics that Exactly Preserve Energy and Momentum*, 1991.

mod attempt;
mod body;
mod couplings;
mod gauss_seidel;
mod ground;
mod groups;
mod limits;
mod memory;
mod parameters;
mod solver;
mod step;
mod system;
mod vec3;
mod watch;
mod world;

pub use body::Body;
pub use ground::ground_contacts;
pub use limits::{DENSE, GROUPS};
pub use memory::Impulse;
pub use parameters::{Form, Method, OMEGA, Parameters};
pub use watch::{Invariant, Watch};
pub use world::{KNOCK, StepReport, World, bounds, wall};

/// A point where two bodies touch or soon may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Two numbers of bodies, or one and the ground.
    pub bodies: (usize, Option<usize>),
    /// Where, in the world; between the two surfaces.
    pub point: [f64; 3],
    /// The unit vector along which the first body is pushed, away from the second.
    pub normal: [f64; 3],
    /// How far the two surfaces are apart along the normal, metres; negative is how deep they lie in one another.
    pub gap: f64,
    /// The features that touch (a corner, an edge, a face, of each): the same number from step to step for the same bodies, so that
    /// a solve starts from the last step's impulse.
    pub feature: u64,
}

/// Finds contacts between bodies. The library has none but the ground's: collision is another library's business.
pub trait Collide {
    /// Adds to `out` all contacts between two bodies whose gap is at most `margin` metres (as far as the fastest go in a
    /// step), the same ones in the same order whenever the bodies are the same. At most four points of a pair are enough: a step costs the square of their number.
    fn contacts(&mut self, bodies: &[Body], margin: f64, out: &mut Vec<Contact>);
}

/// Finds nothing: bodies that meet the ground alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCollisions;

impl Collide for NoCollisions {
    fn contacts(&mut self, _: &[Body], _: f64, _: &mut Vec<Contact>) {}
}
