//! Implicit steps of coupled equations on a grid: (c₀ I − γΔt J) δ = R, with J = A₀ + ∇² A₁ for up to four fields and the auxiliary fields of
//! higher derivatives.
//!
//! With Λ = −∇² and the same edges for all fields the system is a matrix that is linear in Λ. A generalised real Schur form on the CPU makes
//! it block triangular, and what is left are Helmholtz solves ([`plan`]). The state stays with a node a texel and a field a channel, as
//! kernels of users have it; unknowns are packed as multigrid has them, and the two passes that convert are those that combine the fields.
//!
//! Robin and Neumann edges are in the matrices as finite volumes have them ([`volumes`]). Dirichlet nodes take no part: what they change by is
//! given, and right sides are made of a state whose fixed nodes are those of the end of the step already.
//!
//! Fields with unlike edges or D that do not depend on each other are groups with a system each ([`groups`]); where they do, those systems are the
//! preconditioner of one for all ([`unlike`]).

mod groups;
mod inverse;
mod part;
mod plan;
mod scheme;
mod small;
mod solver;
mod stepper;
mod unlike;
mod volumes;

pub use groups::Systems;
pub use inverse::{Effort, MOST as MOST_ITERATIONS};
pub use part::LinearPart;
pub use plan::{Block, Pair};
pub use scheme::Scheme;
#[cfg(feature = "pde")]
pub(crate) use small::Small;
pub use solver::Coupled;
pub use stepper::{At, Kept, RightSide, Saved, Stepper, StepperSettings};
pub use volumes::{Edge, FiniteVolumes, Grid, Group, Mask};
