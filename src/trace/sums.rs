//! Sums of a trace: of each scope with all inside it, of each kernel, and what a card would take for it.

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

    /// Seconds that a card needs at least for all passes, by its data sheet.
    pub fn predicted(&self, card: &Card) -> f64 {
        self.steps
            .iter()
            .filter(|step| matches!(step.what, What::Pass(_)))
            .map(|step| card.seconds(&self.sum_of(step)))
            .sum()
    }
}

/// The floors of a card: no pass is quicker than each of them says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// The card.
    pub name: &'static str,
    /// Seconds of a pass before its first texel.
    pub pass: f64,
    /// Texels of four 32-bit floats written a second.
    pub texels: f64,
    /// Texels of four 32-bit floats fetched a second.
    pub fetches: f64,
    /// Bytes moved to and from memory a second.
    pub bytes: f64,
    /// Where the numbers are from.
    pub source: &'static str,
}

/// The cards that there are numbers of.
pub const CARDS: [Card; 4] = [
    Card {
        name: "h200",
        pass: 3.5e-6,
        texels: 3.5e9,
        fetches: 25e9,
        bytes: 4.8e12,
        source: "NVIDIA H200 through OpenGL, measured (docs/measured.md); memory by its data sheet, 4.8 TB/s",
    },
    Card {
        name: "llvmpipe",
        pass: 3e-6,
        texels: 0.5e9,
        fetches: 2.0e9,
        bytes: 25e9,
        source: "Mesa 22.3 on 2 cores with LP_NUM_THREADS=0, measured: axpy of 2048x1024 values, Gray-Scott of 512x512",
    },
    Card {
        name: "geforce-6800",
        pass: 0.0,
        texels: 2.0e9,
        fetches: 1.4e9,
        bytes: 32e9,
        source: "GeForce 6800 GT, 2004: 16 pipes at 350 MHz, 256 bit at 1 GHz; a texel of 4 x 32 bits is 16 bytes, so a write \
                 takes 1/2.0e9 s of memory and a fetch 4 clocks of a pipe; submission is not counted",
    },
    Card {
        name: "radeon-9700",
        pass: 0.0,
        texels: 1.1e9,
        fetches: 0.55e9,
        bytes: 17.3e9,
        source: "Radeon 9700, 2002: 8 pipes at 275 MHz, 256 bit at 540 MHz; a texel of 4 x 32 bits is 16 bytes, so a write \
                 takes 1/1.1e9 s of memory and a fetch 4 clocks of a pipe; arithmetic of 24 bits; submission is not counted",
    },
];

impl Card {
    /// Seconds for one pass: the slowest of writing, fetching and memory, after what every pass costs.
    pub fn seconds(&self, sum: &Sum) -> f64 {
        let writing = sum.texels as f64 / self.texels;
        let fetching = sum.fetches.0 as f64 / self.fetches;
        let moving = sum.bytes as f64 / self.bytes;
        self.pass + writing.max(fetching).max(moving)
    }
}
