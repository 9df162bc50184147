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

/// The demo that QUADRILLE_ONLY named when this was compiled, for a host of that demo alone: it links no other.
pub const ONLY: Option<&str> = option_env!("QUADRILLE_ONLY");

/// All demos, in the order in which they are listed, or the only one.
pub const DEMOS: &[&About] = if ONLY.is_some() { &[ALL[PLACE]] } else { ALL };

/// The place of the only one in the list of all.
const PLACE: usize = {
    let mut place = 0;
    if let Some(only) = ONLY {
        while !is(ALL[place].name.as_bytes(), only.as_bytes()) {
            place += 1;
            assert!(place < ALL.len(), "QUADRILLE_ONLY names no demo");
        }
    }
    place
};

const fn is(a: &[u8], b: &[u8]) -> bool {
    let mut same = a.len() == b.len();
    let mut at = 0;
    while same && at < a.len() {
        same = a[at] == b[at];
        at += 1;
    }
    same
}

const ALL: &[&About] = &[
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
