//! Sums of a trace: of each scope with all inside it, of each kernel, and what a card would take for it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Step, Trace, What};

/// Scopes of one name in one place, as one.
#[derive(Clone, Debug)]
pub struct Branch {
    /// That name.
    pub name: String,
    /// 0 for the whole.
    pub depth: usize,
    /// The scopes, by number: how often it was opened.
    pub scopes: Vec<usize>,
    /// The work of all of them, with what lies inside.
    pub sum: Sum,
}

/// Work done, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// Passes drawn.
    pub passes: u64,
    /// Texels written; with `at_most` set no more than these.
    pub texels: u64,
    /// Fetches of fragments and vertices: at least, and at most where that is known.
    pub fetches: (u64, Option<u64>),
    /// True if fewer texels may have been written: fragments of a mask, points, triangles or a kernel that discards could not be counted.
    pub at_most: bool,
    /// Bytes written to targets, and bytes of streams, each texel once.
    pub bytes: u64,
    /// Bytes written to targets alone.
    pub written: u64,
    /// Bytes that fetches bring, at least: those of a texel of its stream for each.
    pub fetched: u64,
    /// Seconds of passes, each finished before and after, if they were timed.
    pub seconds: f64,
    /// Uploads of texels and vertices.
    pub uploads: u64,
    /// Their bytes.
    pub bytes_up: u64,
    /// Reads of textures by the CPU.
    pub read_backs: u64,
    /// Their bytes.
    pub bytes_down: u64,
    /// Textures set to one value.
    pub clears: u64,
    /// Copies from texture to texture.
    pub copies: u64,
    /// Kernels compiled.
    pub compiles: u64,
    /// Textures that came from the pool.
    pub pooled: u64,
    /// Textures that were made.
    pub made: u64,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.passes += other.passes;
        self.texels += other.texels;
        self.fetches.0 += other.fetches.0;
        self.fetches.1 = self.fetches.1.zip(other.fetches.1).map(|(a, b)| a + b);
        self.at_most |= other.at_most;
        self.bytes += other.bytes;
        self.written += other.written;
        self.fetched += other.fetched;
        self.seconds += other.seconds;
        self.uploads += other.uploads;
        self.bytes_up += other.bytes_up;
        self.read_backs += other.read_backs;
        self.bytes_down += other.bytes_down;
        self.clears += other.clears;
        self.copies += other.copies;
        self.compiles += other.compiles;
        self.pooled += other.pooled;
        self.made += other.made;
    }

    const NOTHING: Sum = Sum {
        passes: 0,
        texels: 0,
        fetches: (0, Some(0)),
        at_most: false,
        bytes: 0,
        written: 0,
        fetched: 0,
        seconds: 0.0,
        uploads: 0,
        bytes_up: 0,
        read_backs: 0,
        bytes_down: 0,
        clears: 0,
        copies: 0,
        compiles: 0,
        pooled: 0,
        made: 0,
    };
}

impl Trace {
    /// The work of one step.
    pub fn sum_of(&self, step: &Step) -> Sum {
        let mut sum = Sum::NOTHING;
        match &step.what {
            What::Pass(pass) => {
                sum.passes = 1;
                let written = pass.written.unwrap_or(pass.fragments);
                sum.texels = written * pass.targets.len().max(1) as u64;
                sum.at_most = pass.written.is_none();
                sum.fetches = self.fetches_of(pass);
                sum.bytes = self.bytes_of(pass);
                sum.written = self.bytes_written(pass);
                sum.fetched = self.bytes_fetched(pass);
                sum.seconds = pass.seconds.unwrap_or(0.0);
            }
            What::Upload { bytes } => (sum.uploads, sum.bytes_up) = (1, *bytes),
            What::Read { bytes, .. } => (sum.read_backs, sum.bytes_down) = (1, *bytes),
            What::Clear { .. } => sum.clears = 1,
            What::Copy { .. } => sum.copies = 1,
            What::Compile { .. } => sum.compiles = 1,
        }
        sum
    }

    /// The sum of each scope with all that lies in it, in the order of [`Trace::scopes`], of which the first is the whole.
    pub fn sums(&self) -> Vec<Sum> {
        let mut sums = vec![Sum::NOTHING; self.scopes.len()];
        for (sum, scope) in sums.iter_mut().zip(&self.scopes) {
            (sum.pooled, sum.made) = (scope.pooled, scope.made);
        }
        for step in &self.steps {
            sums[step.scope].add(&self.sum_of(step));
        }
        // A scope comes after the one that it lies in.
        for place in (1..sums.len()).rev() {
            let inner = sums[place];
            sums[self.scopes[place].parent].add(&inner);
        }
        sums
    }

    /// The tree of scopes, each before those inside it, in the order in which they began; scopes of one name in one place are one.
    pub fn tree(&self) -> Vec<Branch> {
        let mut branches: Vec<Branch> = Vec::new();
        let mut inner: Vec<Vec<usize>> = Vec::new();
        let mut of_scope: Vec<usize> = Vec::new();
        for (number, (scope, sum)) in self.scopes.iter().zip(self.sums()).enumerate() {
            let above = (number > 0).then(|| of_scope[scope.parent]);
            let beside = above.map_or(&[][..], |above| &inner[above]);
            let known = beside.iter().copied().find(|&branch| branches[branch].name == scope.name);
            let place = known.unwrap_or_else(|| {
                let depth = above.map_or(0, |above| branches[above].depth + 1);
                let (name, sum) = (scope.name.clone(), Sum::NOTHING);
                branches.push(Branch { name, depth, scopes: Vec::new(), sum });
                inner.push(Vec::new());
                if let Some(above) = above {
                    inner[above].push(branches.len() - 1);
                }
                branches.len() - 1
            });
            branches[place].scopes.push(number);
            branches[place].sum.add(&sum);
            of_scope.push(place);
        }
        let mut order = Vec::with_capacity(branches.len());
        let mut left = if branches.is_empty() { Vec::new() } else { vec![0] };
        while let Some(branch) = left.pop() {
            left.extend(inner[branch].iter().rev());
            order.push(branches[branch].clone());
        }
        order
    }

    /// The sum of each kernel, in the order of [`Trace::kernels`].
    pub fn sums_of_kernels(&self) -> Vec<Sum> {
        let mut sums = vec![Sum::NOTHING; self.kernels.len()];
        for step in &self.steps {
            if let What::Pass(pass) = &step.what {
                sums[pass.kernel].add(&self.sum_of(step));
            }
        }
        sums
    }

    /// The card that this ran on, if its floors were measured, and the cards that there are numbers of.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        let measured = self.card.iter().filter(|card| !CARDS.contains(card));
        measured.chain(&CARDS)
    }

    /// Seconds that a card needs at least for all passes, by its floors.
    pub fn predicted(&self, card: &Card) -> f64 {
        let passes = self.steps.iter().filter(|step| matches!(step.what, What::Pass(_)));
        passes.map(|step| card.seconds(&self.sum_of(step))).sum()
    }

    /// Passes but the first of each kernel, whose time has its compilation by the driver in it: how many they are, the seconds they took,
    /// where they were timed, and those that a card needs for them at least.
    pub fn without_first_runs(&self, card: &Card) -> (u64, f64, f64) {
        let mut ran = HashSet::new();
        let mut sum = (0, 0.0, 0.0);
        for step in &self.steps {
            if let What::Pass(pass) = &step.what
                && !ran.insert(pass.kernel)
            {
                sum.0 += 1;
                sum.1 += pass.seconds.unwrap_or(0.0);
                sum.2 += card.seconds(&self.sum_of(step));
            }
        }
        sum
    }
}

/// The floors of a card: no pass is quicker than each of them says.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The card.
    pub name: Cow<'static, str>,
    /// Seconds of a pass before its first texel.
    pub pass: f64,
    /// Bytes that fragments write a second.
    pub written: f64,
    /// Fetches a second, of texels of any format.
    pub fetches: f64,
    /// Bytes that fetches bring a second.
    pub fetched: f64,
    /// Bytes moved to and from memory a second.
    pub bytes: f64,
    /// Where the numbers are from.
    pub source: Cow<'static, str>,
}

/// The cards that there are numbers of.
pub static CARDS: [Card; 4] = [
    Card {
        name: Cow::Borrowed("h200"),
        pass: 3.2e-6,
        written: 56e9,
        fetches: 31e9,
        fetched: 496e9,
        bytes: 4.8e12,
        source: Cow::Borrowed(
            "NVIDIA H200 through OpenGL, measured (docs/measured.md); memory by its data sheet, 4.8 TB/s",
        ),
    },
    Card {
        name: Cow::Borrowed("llvmpipe"),
        pass: 3e-6,
        written: 16e9,
        fetches: 2.0e9,
        fetched: 32e9,
        bytes: 28e9,
        source: Cow::Borrowed(
            "Mesa 22.3 on 2 cores (docs/measured.md), a pass with LP_NUM_THREADS=0; another CPU is another card",
        ),
    },
    Card {
        name: Cow::Borrowed("geforce-6800"),
        pass: 0.0,
        written: 32e9,
        fetches: 5.6e9,
        fetched: 22.4e9,
        bytes: 32e9,
        source: Cow::Borrowed(
            "GeForce 6800 GT, 2004: 16 pipes at 350 MHz, 256 bit at 1 GHz; a clock of a pipe fetches 32 bits, so a texel of \
                 4 x 32 bits takes 4; submission is not counted",
        ),
    },
    Card {
        name: Cow::Borrowed("radeon-9700"),
        pass: 0.0,
        written: 17.3e9,
        fetches: 2.2e9,
        fetched: 8.8e9,
        bytes: 17.3e9,
        source: Cow::Borrowed(
            "Radeon 9700, 2002: 8 pipes at 275 MHz, 256 bit at 540 MHz; a clock of a pipe fetches 32 bits, so a texel of \
                 4 x 32 bits takes 4; arithmetic of 24 bits; submission is not counted",
        ),
    },
];

impl Card {
    /// Seconds for one pass: the slowest of writing, fetching and memory, after what every pass costs.
    pub fn seconds(&self, sum: &Sum) -> f64 {
        let writing = sum.written as f64 / self.written;
        let fetching = (sum.fetches.0 as f64 / self.fetches).max(sum.fetched as f64 / self.fetched);
        let moving = sum.bytes as f64 / self.bytes;
        self.pass + writing.max(fetching).max(moving)
    }

    /// The card that a driver of that name draws with, if there are numbers of it.
    pub fn of(renderer: &str) -> Option<&'static Card> {
        let renderer = renderer.to_lowercase();
        let words: Vec<&str> = renderer.split(|letter: char| !letter.is_alphanumeric()).collect();
        CARDS.iter().find(|card| card.name.split('-').all(|word| words.contains(&word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One pass of so many texels: bytes of a texel written, fetches for it, bytes of each, bytes of all streams and targets.
    fn pass(texels: u64, written: u64, fetches: u64, fetched: u64, moved: u64) -> Sum {
        Sum {
            passes: 1,
            texels,
            fetches: (texels * fetches, Some(texels * fetches)),
            written: texels * written,
            fetched: texels * fetches * fetched,
            bytes: texels * moved,
            ..Sum::NOTHING
        }
    }

    /// Microseconds of docs/measured.md are no fewer than a card's floors, and near them where no arithmetic is to be seen and no pass
    /// waits for the one before it: on the H200 an axpy of RGBA32F is bound by what it writes, Gray-Scott of RG32F by its fetches.
    #[test]
    fn measured_passes_take_one_to_one_and_a_half_of_their_floor() {
        let axpy = |texels| pass(texels, 16, 2, 16, 48);
        let (step, five_points) = (pass(512 * 512, 8, 5, 8, 16), pass(512 * 512, 16, 5, 16, 32));
        for (card, name, measured, sum) in [
            ("h200", "smallest pass", 3.4, pass(1, 4, 1, 4, 8)),
            ("h200", "axpy of 2048x1024 values", 156.0, axpy(512 << 10)),
            ("h200", "axpy of 256x256 values", 8.1, axpy(16 << 10)),
            ("h200", "Gray-Scott of 512x512 cells", 46.0, step),
            ("h200", "five points of 1024x1024 unknowns", 80.4, five_points),
            ("h200", "nine points of 513x513 nodes", 47.9, pass(257 * 257, 16, 18, 16, 176)),
            ("llvmpipe", "axpy of 2048x1024 values", 1205.0, axpy(512 << 10)),
            ("llvmpipe", "axpy of 1024x1024 values", 470.0, axpy(256 << 10)),
            ("llvmpipe", "Gray-Scott of 512x512 cells", 713.0, step),
            ("llvmpipe", "intensity 0", 329.0, pass(512 * 512, 16, 1, 16, 32)),
            ("geforce-6800", "axpy of 2048x1024 values", 890.0, axpy(512 << 10)),
        ] {
            let ratio = CARDS
                .iter()
                .find(|known| known.name == card)
                .map(|card| 1e-6 * measured / card.seconds(&sum));
            assert!(
                ratio.is_some_and(|ratio| (1.0..1.5).contains(&ratio)),
                "{card}, {name}: {ratio:?} of the floor"
            );
        }
    }

    #[test]
    fn a_card_is_known_by_the_words_of_its_driver() {
        for (renderer, name) in [
            ("NVIDIA H200/PCIe/SSE2", Some("h200")),
            ("llvmpipe (LLVM 15.0.6, 256 bits)", Some("llvmpipe")),
            ("GeForce 6800 GT/PCI/SSE2", Some("geforce-6800")),
            ("ATI Radeon 9700 Pro", Some("radeon-9700")),
            ("NVIDIA GH200 480GB/PCIe/SSE2", None),
            ("NVIDIA GeForce RTX 4090/PCIe/SSE2", None),
            ("", None),
        ] {
            assert_eq!(Card::of(renderer).map(|card| &*card.name), name, "{renderer}");
        }
    }
}
