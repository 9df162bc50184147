//! The list of all demos.

use crate::demo::About;
use crate::demos;

/// All demos, in the order in which they are listed.
pub const DEMOS: &[&About] = &[&demos::reaction_diffusion::ABOUT, &demos::wave::ABOUT];

/// The demo of that name.
pub fn named(name: &str) -> Option<&'static About> {
    DEMOS.iter().copied().find(|about| about.name == name)
}
