//! Parts of matrices, `A(i, j)`, `A(i:k, :)`: which rows and columns they name, as far as it is known.

use std::ops::Range;

use super::ast::{Expression, Kind};
use super::functions::whole;
use super::known::{Judged, Known, Refusal, counted};
use super::{Fault, Span};

/// One of the two places of a part, as far as it is known.
pub(super) enum Place {
    /// `:`
    All,
    /// `i`
    One(Known),
    /// `i:k`
    Through(Known, Known),
}

/// Rows or columns, from 0.
#[derive(Debug, PartialEq)]
pub(super) enum Extent {
    /// These.
    These(Range<usize>),
    /// So many; which ones is not known.
    Some(usize),
    /// How many is not known either.
    Unknown,
}

/// The places that stand between parentheses, their numbers by `value`.
///
/// # Errors
/// Those of `value`.
pub(super) fn places(
    arguments: &[Expression],
    mut value: impl FnMut(&Expression) -> Result<Known, Fault>,
) -> Result<Vec<Place>, Fault> {
    let place = |argument: &Expression| match &argument.kind {
        Kind::All => Ok(Place::All),
        Kind::Through(first, last) => Ok(Place::Through(value(first)?, value(last)?)),
        _ => Ok(Place::One(value(argument)?)),
    };
    arguments.iter().map(place).collect()
}

/// Which rows and columns of `name` they are; of what is not known, nothing is.
///
/// # Errors
/// Not two places; numbers that are not whole or past the last; a range that runs backwards; a part of a text.
pub(super) fn extents(name: &str, of: &Known, places: &[Place]) -> Judged<(Extent, Extent)> {
    if let Known::Text(_) | Known::Nothing = of {
        return Err(format!("`{name}` is {}, which has no parts", of.described()).into());
    }
    let [rows, columns] = places else {
        let found = counted(places.len(), "place");
        return Err(format!(
            "found {found} behind `{name}`, expected row and column: {name}(2, 3), {name}(2, :)"
        )
        .into());
    };
    let shape = of.shape();
    Ok((
        extent(0, rows, "row", shape.map(|(rows, _)| rows))?,
        extent(1, columns, "column", shape.map(|(_, columns)| columns))?,
    ))
}

fn extent(at: usize, place: &Place, what: &str, size: Option<usize>) -> Judged<Extent> {
    let index = |known: &Known| -> Judged<Option<usize>> {
        let expected = match size {
            Some(size) => format!("a {what} from 1 to {size}"),
            None => format!("a {what} from 1 on"),
        };
        let found = whole(known, at, &expected)?.map(|index| index as usize);
        match found.filter(|index| *index == 0 || size.is_some_and(|size| *index > size)) {
            Some(_) => Err(Refusal::of(at, format!("found {}, expected {expected}", known.described()))),
            None => Ok(found),
        }
    };
    match place {
        Place::All => Ok(size.map_or(Extent::Unknown, |size| Extent::These(0..size))),
        Place::One(one) => Ok(index(one)?.map_or(Extent::Some(1), |one| Extent::These(one - 1..one))),
        Place::Through(first, last) => match (index(first)?, index(last)?) {
            (Some(first), Some(last)) if first > last => {
                let message = format!("found {first}:{last}, expected a range that does not run backwards");
                Err(Refusal::of(at, message))
            }
            (Some(first), Some(last)) => Ok(Extent::These(first - 1..last)),
            _ => Ok(Extent::Unknown),
        },
    }
}

/// The shape of a part with these rows and columns.
pub(super) fn known(rows: &Extent, columns: &Extent) -> Known {
    let count = |extent: &Extent| match extent {
        Extent::These(these) => Some(these.len()),
        Extent::Some(count) => Some(*count),
        Extent::Unknown => None,
    };
    match (count(rows), count(columns)) {
        (Some(1), Some(1)) => Known::Number(None),
        (Some(rows), Some(columns)) => Known::Matrix(rows, columns),
        _ => Known::Anything,
    }
}

/// The fault of a `:` where there is nothing to take a part of.
pub(super) fn no_part(span: Span) -> Fault {
    Fault::new(span, "`:` stands for rows or columns of a variable, as in A(1:3, :)")
}
