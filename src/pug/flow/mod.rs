//! Flow control (row C9): decisions taken before the fragments, so that fragments need not take them.
//!
//! A branch in a fragment costs both of its sides wherever neighbouring fragments disagree. The slides move decisions
//! up the pipeline, and each way is a file here:
//!
//! | slide | decision taken by | here | pays when |
//! |---|---|---|---|
//! | 34, iteration | an occlusion query, once for many sweeps | [`until_none`], [`Until`], [`Watcher`] | nobody knows beforehand how many sweeps it takes |
//! | 34, subdivision | an occlusion query for each cell | [`subdivide`], [`Subdivision`] | few cells matter, and a cell is asked about by far fewer fragments than it has |
//! | 35, static branch resolution | ranges, each with its own kernel | [`frame()`] | the outcome is known by place: edges |
//! | 36, z-cull and stencil cull | the depth or stencil test, before a kernel runs | [`Cull`] | a mask serves many passes, and its regions are wider than the tiles that a card culls |
//! | 37, pre-computation | a pass that runs only when its input changes | a [`Buffer`](super::Buffer) or [`Cull`] that is kept | obstacles, coefficients: all that stays while time goes on |
//! | 33, arithmetic | nobody: both sides are computed and one is kept, `mix(a, b, condition)` | `flow/regions_work.frag` | both sides together are shorter than a branch |
//! | 38, true branches | the fragment | `flow/regions_work.frag`, `flow/orbit_count.frag` | regions that agree have about a thousand texels, or a loop can end early |
//!
//! `quadrille bench streams` measures each beside what it replaces; `quadrille demo heat` has them on one plate, all but
//! the two kernels of `flow/`, which `quadrille demo branches` shows by [`Branches`](crate::sim::Branches).
//!
//! # Arithmetic for a branch
//! ```glsl
//! if (wet) u = flow(u); else u = dry(u);
//! u = share * flow(u) + (1.0 - share) * dry(u);   // share is 1.0 where it is wet, and 0.0 elsewhere
//! ```
//! The second line always runs both sides, so it is for sides of a few operations. Its result is that of the branch to
//! the bit while both sides are finite; where the side not taken may be infinite, 0 · ∞ is NaN, and
//! `wet ? flow(u) : dry(u)` or a `mix` by a `bvec` chooses instead.
//!
//! # Loops that end early
//! ```glsl
//! for (int trip = 0; trip < 256; trip++) {
//!     if (dot(z, z) > 4.0) break;                  // worth its comparison where neighbours leave together
//!     z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
//! }
//! ```
//! Fragments that are drawn together leave when the last of them does.
//!
//! # Discarding in a ping-pong
//! An update that discards what has converged leaves what the target held, and in a
//! [`DoubleBuffer`](super::DoubleBuffer) that is the value of two sweeps ago. A texel may be discarded only when both
//! buffers hold its latest value. `flow/plate_relax.frag` keeps beside each value the sweep that made it: a value one
//! sweep old is copied once more, an older one that still rests is discarded.
//!
//! Such a texel sleeps and may be woken by a neighbour, a texel further in each sweep. So a [`Cull`] mask of what rests has
//! to be drawn anew before every sweep: one that serves ten of them stops the wave at its edge. Masks are for what stays.
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, course slides 33 to 39.

mod cull;
mod frame;
mod subdivide;
mod until;
mod watcher;

pub use cull::Cull;
pub use frame::frame;
pub use subdivide::{Subdivision, subdivide};
pub use until::{Ended, Progress, Until, until_none};
pub use watcher::Watcher;
