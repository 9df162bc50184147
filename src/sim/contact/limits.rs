//! The check that the systems of a step fit into textures, before anything of their size is allocated.

use std::ops::Range;

use super::Form;
use crate::gl::Limits;
use crate::{Error, Result};

/// The name in [`Error::OverLimit`] of a step in [`Form::Dense`].
pub const DENSE: &str = "the contacts' dense system";

/// The name in [`Error::OverLimit`] of a step in [`Form::Groups`].
pub const GROUPS: &str = "the contacts' groups";

/// Elements that the matrices of a step may have: two gigabytes.
const ELEMENTS: u64 = 1 << 29;

/// Checks that systems of these rows fit: columns up to the texture limit, rows up to four times that, and not too many
/// elements in all.
///
/// # Errors
/// [`Error::OverLimit`], with the unknowns that are too many.
pub fn check(form: Form, parts: &[Range<usize>], limits: &Limits) -> Result<()> {
    let what = match form {
        Form::Reference => return Ok(()),
        Form::Dense => DENSE,
        Form::Groups => GROUPS,
    };
    // Groups begin at whole texels.
    let fours = if form == Form::Dense { 1 } else { 4 };
    let sizes = || parts.iter().map(|rows| rows.len().next_multiple_of(fours) as u64);
    let (widest, rows) = (sizes().max().unwrap_or(0), sizes().sum());
    let side = u64::from(limits.texture_size);
    let within = |quantity, found: u64, limit: u64| match found <= limit {
        true => Ok(()),
        false => Err(Error::OverLimit { what: what.to_owned(), quantity, found, limit }),
    };
    let quantity =
        if form == Form::Dense { "number of unknowns" } else { "number of unknowns of the largest" };
    within(quantity, widest, side.min(ELEMENTS.isqrt()))?;
    within("number of unknowns", rows, (4 * side).min(ELEMENTS / widest.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(form: Form, parts: &[Range<usize>], limits: &Limits) -> String {
        check(form, parts, limits).err().map_or(String::new(), |error| error.to_string())
    }

    #[test]
    fn systems_past_the_texture_limit_are_refused_by_their_unknowns() {
        let card = Limits::RADEON_9700;
        let groups = |count: usize, each: usize| -> Vec<Range<usize>> {
            (0..count).map(|group| group * each..(group + 1) * each).collect()
        };
        assert_eq!(line(Form::Dense, &groups(1, 2048), &card), "");
        assert_eq!(
            line(Form::Dense, &groups(1, 7200), &card),
            "the contacts' dense system: number of unknowns is 7200, the limit is 2048"
        );
        assert_eq!(line(Form::Groups, &groups(113, 72), &card), "");
        assert_eq!(
            line(Form::Groups, &groups(114, 72), &card),
            "the contacts' groups: number of unknowns is 8208, the limit is 8192"
        );
        assert_eq!(
            line(Form::Groups, &groups(1, 2052), &card),
            "the contacts' groups: number of unknowns of the largest is 2052, the limit is 2048"
        );
        assert_eq!(line(Form::Reference, &groups(1, 1 << 40), &card), "");
    }

    #[test]
    fn systems_of_more_elements_than_memory_should_hold_are_refused_on_any_card() {
        let vast = Limits { texture_size: 1 << 20, ..Limits::RADEON_9700 };
        let unknowns = 120_000;
        assert!(
            line(Form::Dense, std::slice::from_ref(&(0..unknowns)), &vast).ends_with("the limit is 23170")
        );
        let two = [0..20_000, 20_000..40_000];
        assert!(line(Form::Groups, &two, &vast).ends_with("number of unknowns is 40000, the limit is 26843"));
    }
}
