//! `quadrille bench passes`: which rows there are.

use super::row::Row;
use super::{feedback, gray_scott, intensity, packed, small, start, steps, transfer};

/// The rows in groups; those of a group take turns.
pub fn all() -> Vec<Vec<Row>> {
    vec![
        packed::axpys(),
        packed::sums(),
        steps::rows(),
        small::rows(),
        gray_scott::rows(),
        intensity::rows(),
        feedback::rows(),
        transfer::rows(),
        start::rows(),
    ]
}
