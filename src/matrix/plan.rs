//! The plan of a product: passes, targets and parts, by arithmetic without a GPU.
//!
//! The sum of a result with few texels is cut into parts that run side by side. A card that has no loops or few fetches
//! gets passes of six matrix operations (four of the transposed), as in the paper.

use super::packed::blocks;
use crate::Limits;

/// The passes of a product: what they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Blocks of four columns of A: matrix operations for each texel of the result.
    pub blocks: u32,
    /// The number of blocks that a pass makes in each part.
    pub blocks_a_pass: u32,
    /// Render targets, each with `chunk` columns of the result.
    pub targets: u32,
    pub chunk: u32,
    /// Sums that a pass is cut into, side by side.
    pub parts: u32,
}

/// The texels that keep a GPU busy, and the largest number of parts that a product is cut into to get that many.
pub const ENOUGH: u32 = 16_384;
pub const MOST_PARTS: u32 = 32;

/// The least number of blocks in a part, for each target: parts take one more pass to add up.
const LEAST_BLOCKS: u32 = 4;

/// Iterations that a loop may make on any driver known.
const ITERATIONS: u32 = 60_000;

impl Plan {
    /// The plan for A of that shape, after transposing, and a result of that many columns.
    pub fn new(
        limits: &Limits,
        transposed: bool,
        (rows, inner): (usize, usize),
        columns: usize,
        targets: u32,
    ) -> Plan {
        let (rows, inner, columns) = (blocks(rows as u32), blocks(inner as u32), columns as u32);
        let loops = limits.loop_iterations.min(ITERATIONS);
        if loops == 0 {
            // A program without loops holds as many operations as it can fetch for, and as the paper's do one target.
            let within = if transposed { limits.dependent_fetches } else { u32::MAX };
            let most = fetched_blocks(limits, 1).min(within);
            return Plan {
                blocks: inner,
                blocks_a_pass: most.min(inner),
                targets: 1,
                chunk: columns,
                parts: 1,
            };
        }
        let targets = best_targets(columns, targets.min(limits.streams.saturating_sub(2)));
        let chunk = columns.div_ceil(targets);
        let most = fetched_blocks(limits, targets).min(loops);
        let texels = chunk.saturating_mul(rows).saturating_mul(targets);
        let worth = MOST_PARTS.min(inner / (LEAST_BLOCKS * targets)).min(limits.texture_size / chunk);
        let wanted = ENOUGH.div_ceil(texels).min(worth).max(1);
        let each = inner.div_ceil(wanted).min(most);
        let parts = inner.div_ceil(each).min(wanted);
        Plan { blocks: inner, blocks_a_pass: (each * parts).min(inner), targets, chunk, parts }
    }

    /// Returns true if the passes write the result itself, which then need not be put together.
    pub fn is_whole(&self) -> bool {
        self.targets == 1 && self.parts == 1
    }
}

/// The blocks that one fragment can fetch, besides the sum of the passes before it.
fn fetched_blocks(limits: &Limits, targets: u32) -> u32 {
    (limits.fetches.saturating_sub(targets) / (4 + targets)).max(1)
}

/// The number of targets, of 8, 4, 2 and 1, with the fewest fetches for these columns.
fn best_targets(columns: u32, most: u32) -> u32 {
    let fetches = |targets: u32| columns.div_ceil(targets) * (4 + targets);
    [8, 4, 2, 1]
        .into_iter()
        .filter(|&targets| targets <= most.max(1))
        .min_by_key(|&t| fetches(t))
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_radeon_makes_six_operations_a_pass_and_four_transposed() {
        let plan = |transposed| Plan::new(&Limits::RADEON_9700, transposed, (1000, 1000), 1000, 4);
        let expected = Plan { blocks: 250, blocks_a_pass: 6, targets: 1, chunk: 1000, parts: 1 };
        assert_eq!(plan(false), expected);
        assert_eq!(plan(true), Plan { blocks_a_pass: 4, ..expected });
    }

    #[test]
    fn a_card_that_loops_takes_all_its_targets_and_one_pass() {
        let limits = Limits { texture_size: 16_384, ..Limits::GEFORCE_6800 };
        let plan = |n, targets| Plan::new(&limits, false, (n, n), n, targets);
        let expected = Plan { blocks: 256, blocks_a_pass: 256, targets: 4, chunk: 256, parts: 1 };
        assert_eq!(plan(1024, 4), expected);
        assert_eq!(plan(1024, 8), Plan { targets: 8, chunk: 128, ..expected });
    }

    #[test]
    fn a_vector_is_summed_in_parts() {
        let plan = Plan::new(&Limits::GEFORCE_6800, false, (1000, 1000), 1, 8);
        assert_eq!(plan, Plan { blocks: 250, blocks_a_pass: 250, targets: 1, chunk: 1, parts: 32 });
        let few = Plan::new(&Limits::GEFORCE_6800, false, (1000, 1000), 4, 8);
        assert_eq!(few, Plan { targets: 4, parts: 15, ..plan });
    }

    #[test]
    fn targets_are_not_wasted_on_few_columns() {
        assert_eq!(
            [1, 2, 3, 4, 5, 8, 9, 16].map(|columns| best_targets(columns, 8)),
            [1, 2, 4, 4, 8, 8, 8, 8]
        );
        assert_eq!(best_targets(1000, 4), 4);
        assert_eq!(best_targets(1000, 1), 1);
    }
}
