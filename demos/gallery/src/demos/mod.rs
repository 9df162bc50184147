//! The demos: a module and a line of the list each.

use crate::demo::About;

pub mod branches;
pub mod clouds;
mod flow;
pub mod fluid;
pub mod formats;
pub mod heat;
pub mod histogram;
pub mod liquid;
pub mod nbody;
pub mod reaction_diffusion;
pub mod sandpile;
pub mod smooth;
pub mod sort;
pub mod wall;
pub mod wave;

/// All demos, in the order in which they are listed.
pub const DEMOS: &[&About] = &[
    &reaction_diffusion::ABOUT,
    &sandpile::ABOUT,
    &wave::ABOUT,
    &formats::ABOUT,
    &wall::ABOUT,
    &heat::ABOUT,
    &branches::ABOUT,
    &nbody::ABOUT,
    &liquid::ABOUT,
    &fluid::ABOUT,
    &clouds::ABOUT,
    &histogram::ABOUT,
    &sort::ABOUT,
    &smooth::ABOUT,
];
