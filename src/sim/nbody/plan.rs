//! The plan of a sum of forces: parts and tiles, by arithmetic without a GPU.
//!
//! A part of one body is the slides' N × N texture. A part of striped rows is a loop in a few rows of the texture.
//! Parts between these serve cards without loops. A body that is fetched pulls four others, one for each render target.

use super::Forces;
use crate::layout::Fold;
use crate::{Error, Limits, Result};

/// Whose pulls one texel of the force texture holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Those of so many bodies in a row.
    Bodies(u32),
    /// Those of so many rows of the folded array, at most: of every row that lies `parts` after the one before.
    Rows(u32),
}

/// The force texture has a column for each body that is pulled, and a row for each part of those that pull. It is
/// drawn tile by tile, each so many columns and rows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The bodies that one texel sums.
    pub part: Part,
    /// How many of them make all bodies.
    pub parts: u32,
    /// Rows of the force texture in a tile.
    pub tile_parts: u32,
    /// Rows of the folded array that the columns of a tile stand for, one behind the other.
    pub tile_rows: u32,
    /// Tiles that a pass draws, each `tile_rows` further down the array: render targets, 1 or 4.
    pub targets: u32,
}

/// Fragments that keep a GPU busy.
const ENOUGH: usize = 65_536;

/// Bodies that are worth a part of their own.
const LEAST_BODIES: u32 = 64;

/// Bodies from which on it pays to draw four tiles in a pass, each of which is summed and folded by itself.
const MANY: usize = 2048;

/// Iterations that the loops of one fragment may make on any driver known.
const ITERATIONS: u32 = 60_000;

/// Instructions for the pull of one body on cards that have few: 7 for its place in the array, a fetch, 12 for the pull.
const INSTRUCTIONS: u32 = 20;

/// Whole numbers end there in floats, and with them the numbers of bodies.
const MOST_BODIES: usize = 1 << 24;

impl Plan {
    /// For so many bytes of force texture, `texel` bytes a texel.
    ///
    /// # Errors
    /// [`Error::OverLimit`] past 2²⁴ bodies; [`Error::BadParameter`] for fewer bytes than one row of the array takes.
    pub fn new(limits: &Limits, forces: Forces, fold: Fold, bytes: u64, texel: u64) -> Result<Plan> {
        if fold.len > MOST_BODIES {
            let (found, limit) = (fold.len as u64, MOST_BODIES as u64);
            let what = format!("{found} bodies");
            return Err(Error::OverLimit { what, quantity: "number of bodies", found, limit });
        }
        let targets = if forces == Forces::Tiled { targets(limits, fold) } else { 1 };
        let (part, parts) = match forces {
            Forces::Matrix => (Part::Bodies(1), fold.len as u32),
            Forces::Tiled => looped(limits, fold, targets).unwrap_or_else(|| written_out(limits, fold)),
        };
        let row = u64::from(fold.width * targets) * texel;
        if bytes < row {
            let expected = format!("{row} or more, for a row of forces");
            return Err(Error::BadParameter { name: "bytes", found: bytes.to_string(), expected });
        }
        // Whole columns first; where the budget is too small even for one part of all bodies, fewer columns.
        let most_rows = (bytes / row).clamp(1, (limits.texture_size / fold.width).into()) as u32;
        let tile_rows = even(fold.height.div_ceil(targets), most_rows);
        let most_parts = (bytes / (row * u64::from(tile_rows))).clamp(1, limits.texture_size.into()) as u32;
        Ok(Plan { part, parts, tile_parts: in_blocks(parts, most_parts), tile_rows, targets })
    }
}

/// Rows of the array that the loops of a fragment may go through, each an iteration of the outer loop too. Four fetches are
/// those of the bodies that are pulled.
fn rows_a_loop(limits: &Limits, fold: Fold) -> u32 {
    limits.loop_iterations.min(ITERATIONS).min(limits.fetches.saturating_sub(4)) / (fold.width + 1)
}

/// Four where the bodies are many and the card has loops and the targets.
fn targets(limits: &Limits, fold: Fold) -> u32 {
    if fold.len >= MANY && limits.targets >= 4 && rows_a_loop(limits, fold) > 0 { 4 } else { 1 }
}

/// Parts of whole rows, as many as keep a GPU busy; none where loops are too short for one row.
fn looped(limits: &Limits, fold: Fold, targets: u32) -> Option<(Part, u32)> {
    let Fold { len, width, height } = fold;
    let wanted = height.div_ceil((ENOUGH * targets as usize).div_ceil(len) as u32);
    let rows = wanted.max(LEAST_BODIES.div_ceil(width)).min(height).min(rows_a_loop(limits, fold));
    (rows > 0).then(|| (Part::Rows(rows), height.div_ceil(rows)))
}

/// As many bodies as a card without loops can fetch and compute in one pass.
fn written_out(limits: &Limits, fold: Fold) -> (Part, u32) {
    let most = (limits.fetches.saturating_sub(1)).min(limits.instructions / INSTRUCTIONS).max(1);
    let bodies = most.min(fold.len as u32);
    (Part::Bodies(bodies), (fold.len as u32).div_ceil(bodies))
}

/// Rows that a reduction takes together in one pass, without a look at where they end if there is a whole number of such.
const BLOCK: u32 = 64;

/// As [`even`], in whole blocks where there are several.
fn in_blocks(whole: u32, most: u32) -> u32 {
    if whole <= BLOCK || most < BLOCK {
        return even(whole, most);
    }
    even(whole, most - most % BLOCK).next_multiple_of(BLOCK)
}

/// Tiles of the same size, no more than `most`, that cover the whole with the least left over.
fn even(whole: u32, most: u32) -> u32 {
    whole.div_ceil(whole.div_ceil(most.max(1)))
}

#[cfg(test)]
mod tests;
