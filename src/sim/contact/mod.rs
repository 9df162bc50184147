//! Rigid boxes that push one another: contact as a linear complementarity problem (row B10).

mod attempt;
mod body;
mod gauss_seidel;
mod ground;
mod groups;
mod memory;
mod parameters;
mod step;
mod system;
mod vec3;
mod watch;
mod world;

pub use body::Body;
pub use ground::ground_contacts;
pub use parameters::{Form, Parameters};
pub use watch::{Law, Watch};
pub use world::{StepReport, World, wall};

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
    /// What touches (a corner, an edge, a face, of each): the same number from step to step for the same bodies, so that
    /// a solve starts from the last step's impulse.
    pub feature: u64,
}

/// What finds contacts between bodies. The library has none but the ground's: collision is another library's business.
pub trait Collide {
    /// Adds to `out` all contacts between two bodies whose gap is at most `margin` metres, the same ones in the same order
    /// whenever the bodies are the same. At most four points of a pair are enough: a step costs the square of their number.
    fn contacts(&mut self, bodies: &[Body], margin: f64, out: &mut Vec<Contact>);
}

/// Finds nothing: bodies that meet the ground alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ghosts;

impl Collide for Ghosts {
    fn contacts(&mut self, _: &[Body], _: f64, _: &mut Vec<Contact>) {}
}
