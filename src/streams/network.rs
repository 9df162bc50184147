//! The bitonic network as passes over texels of two or four items, by arithmetic without a GPU.
//!
//! A stage merges sorted blocks of items, two by two, into blocks twice as long. Its first step compares item i of a
//! block with its mirror image, i ^ (block − 1); the following steps compare it with the item at half the distance each
//! time, i ^ distance. The mirror replaces the usual reversal of every second block: the smaller item always goes to
//! the lower place. So padding, which sorts last, never moves, and NaN keeps its value.
//!
//! Texels lie in rows of a power of two, so both kinds of step are steps along x or y, or mirrors of both, in blocks of
//! powers of two: floats address them exactly, without integer arithmetic.

/// Where a texel's partner is: (x, y) of the distance and 1/2 of their inverses; of a mirror, of the block and its inverses.
pub type Step = [f32; 4];

/// The operation of one pass on each texel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Texels that it meets, one after the other; of which `count` are there.
    pub steps: [Step; MOST_STEPS],
    pub count: usize,
    /// True if the first partner is the mirror image, whose items are in reverse order.
    pub mirrored: bool,
    /// The exchanges within a texel after that.
    pub inside: Inside,
    /// Compare distances that it takes care of.
    pub exchanges: usize,
}

/// Exchanges of a texel's own items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    Nothing = 0,
    /// Two halves that are in order become one.
    Merge = 1,
    /// Anything.
    Sort = 2,
}

/// Steps of a pass at most: a pass of s steps fetches 2ˢ texels.
pub const MOST_STEPS: usize = 3;

const NO_STEP: Step = [0.0; 4];

/// The grid of texels and the passes that sort them.
#[derive(Debug)]
pub struct Network {
    pub width: u32,
    pub height: u32,
    pub passes: Vec<Pass>,
}

impl Network {
    /// The network for `len` items, that many a texel (2 or 4), with up to that many steps a pass.
    pub fn new(len: usize, each: usize, steps: usize) -> Network {
        let texels = len.div_ceil(each).next_power_of_two() as u32;
        let width = 1 << texels.ilog2().div_ceil(2);
        let inside = |stages: usize| stages * (stages + 1) / 2;
        let items = each.ilog2() as usize;
        let mut passes = vec![Pass {
            steps: [NO_STEP; MOST_STEPS],
            count: 0,
            mirrored: false,
            inside: Inside::Sort,
            exchanges: inside(items),
        }];
        for stage in 1..=texels.ilog2() {
            let hops = (0..stage - 1).rev().map(|bit| hop(width, 1 << bit));
            let all: Vec<Step> = [mirror(width, 1 << stage)].into_iter().chain(hops).collect();
            let last = all.len().div_ceil(steps) - 1;
            for (i, some) in all.chunks(steps).enumerate() {
                let mut pass = Pass { count: some.len(), mirrored: i == 0, ..passes[0] };
                pass.steps[..some.len()].copy_from_slice(some);
                pass.inside = if i == last { Inside::Merge } else { Inside::Nothing };
                pass.exchanges = some.len() + if i == last { items } else { 0 };
                passes.push(pass);
            }
        }
        Network { width, height: texels / width, passes }
    }
}

/// The step to the mirror image in blocks of that many texels.
fn mirror(width: u32, block: u32) -> Step {
    let (x, y) = (block.min(width) as f32, (block / width).max(1) as f32);
    [x, y, 1.0 / x, 1.0 / y]
}

/// To the texel that is so far, in blocks of twice as many.
fn hop(width: u32, distance: u32) -> Step {
    if distance < width {
        [distance as f32, 0.0, 0.5 / distance as f32, 0.0]
    } else {
        let rows = (distance / width) as f32;
        [0.0, rows, 0.0, 0.5 / rows]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's arithmetic.
    fn partner(place: [f32; 2], step: Step, mirrored: bool) -> [f32; 2] {
        std::array::from_fn(|i| {
            let (p, far, inverse) = (place[i], step[i], step[i + 2]);
            match mirrored {
                true => far + 2.0 * far * (p * inverse).floor() - p,
                false => p + far - 2.0 * far * (2.0 * (p * inverse).fract()).floor(),
            }
        })
    }

    #[test]
    fn steps_lead_to_the_partners_of_the_network() {
        for (len, each) in [(1, 4), (5, 4), (64, 2), (300, 4), (1000, 2), (5000, 4)] {
            for steps in 1..=MOST_STEPS {
                let network = Network::new(len, each, steps);
                // Batcher's network: item i meets item i ^ mask, in blocks of 2, 4, 8, ...
                let stages = (network.width * network.height).trailing_zeros();
                let mut expected = (1..=stages)
                    .flat_map(|k| [(1 << k) - 1].into_iter().chain((0..k - 1).rev().map(|d| 1 << d)));
                for pass in &network.passes {
                    for (i, step) in pass.steps[..pass.count].iter().enumerate() {
                        let mask = expected.next().unwrap_or(0);
                        for texel in 0..network.width * network.height {
                            let centre = |texel: u32| {
                                [texel % network.width, texel / network.width].map(|v| v as f32 + 0.5)
                            };
                            let found = partner(centre(texel), *step, i == 0 && pass.mirrored);
                            assert_eq!(found, centre(texel ^ mask), "{len} items: {step:?}");
                        }
                    }
                }
                assert_eq!(expected.next(), None, "all steps of {len} items");
            }
        }
    }

    #[test]
    fn passes_add_up_to_all_exchanges() {
        for (len, each, exchanges) in
            [(1, 4, 3), (2, 2, 1), (5, 4, 6), (1_000_003, 4, 210), (1_000_003, 2, 210)]
        {
            for steps in 1..=MOST_STEPS {
                let passes = Network::new(len, each, steps).passes;
                assert_eq!(passes.iter().map(|pass| pass.exchanges).sum::<usize>(), exchanges, "{len}");
            }
        }
        let passes = |steps| Network::new(1_000_003, 4, steps).passes.len();
        assert_eq!([passes(1), passes(2), passes(3)], [172, 91, 64]);
    }
}
