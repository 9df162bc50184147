//! Prefix sums: up a tree of fours, and down again.

use super::{check_array, check_length};
use crate::pug::{Buffer, ConstantHandle, Gpu, Program, StreamHandle};
use crate::{Result, kernels};

/// sums_i = x_0 + ... + x_i of an array, or without x_i itself.
///
/// A texel holds four running sums. On the way up, a texel takes the totals of four texels below it. On the way down, a
/// texel gets the total of all elements before it from the finished level above, one number from one texel. For n
/// elements that is ⌈log₄ n⌉ passes each way; they write about 5n/12 texels of four and n of one, and fetch 3.5 n. The
/// textbook way of n log₂ n additions (Hillis & Steele) would write 20 n and fetch 40 n for a million.
///
/// An element takes part in at most three additions a level, so the error of sum i is at most (3 ⌈log₄ n⌉ +
/// 1)·2⁻²⁴·Σ|x_j| over j ≤ i, and whole numbers are exact as long as their sums stay below 2²⁴. An infinite or NaN
/// element spoils the sums after it and none before.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::{Gpu, streams::PrefixSum};
///
/// let gpu = Gpu::headless()?;
/// let numbers = gpu.array(5).init(&[3.0, 1.0, 4.0, 1.0, 5.0])?;
/// let sums = gpu.array(5).build()?;
/// let mut scan = PrefixSum::new(&gpu, 5)?;
/// scan.inclusive(&numbers, &sums)?;
/// assert_eq!(sums.data()?, [3.0, 4.0, 8.0, 9.0, 14.0]);
/// scan.exclusive(&numbers, &sums)?;
/// assert_eq!(sums.data()?, [0.0, 3.0, 4.0, 8.0, 9.0]);
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Blelloch, *Prefix Sums and Their Applications*, 1990.
pub struct PrefixSum {
    len: usize,
    /// The first level, from single numbers; then those from texels of four running sums.
    begin: Up,
    up: Up,
    down: Down,
    finish: Down,
    shift: ConstantHandle,
    levels: Vec<Level>,
}

/// Texels of four running sums each: of the elements themselves, or of the totals of the level before.
struct Level {
    /// Sums within each texel.
    running: Buffer,
    /// Sums from the first on; of the first level nobody needs them, and the last one is finished as it is.
    finished: Option<Buffer>,
}

struct Up {
    program: Program,
    values: StreamHandle,
    len: ConstantHandle,
    row: ConstantHandle,
}

struct Down {
    program: Program,
    running: StreamHandle,
    totals: StreamHandle,
    row: ConstantHandle,
}

impl PrefixSum {
    /// A prefix sum for arrays of that many numbers.
    ///
    /// # Errors
    /// [`Error::Empty`](crate::Error::Empty), [`Error::OverLimit`](crate::Error::OverLimit) past 2²⁴ elements, whose indices no float
    /// tells apart; those of making a buffer.
    pub fn new(gpu: &Gpu, len: usize) -> Result<PrefixSum> {
        check_length("prefix sum", len)?;
        let mut levels: Vec<Level> = Vec::new();
        let mut texels = len;
        while texels > 1 || levels.is_empty() {
            texels = texels.div_ceil(4);
            let level = || gpu.array(texels).components(4).named("running sums").build();
            let between = !levels.is_empty() && texels > 1;
            levels.push(Level { running: level()?, finished: if between { Some(level()?) } else { None } });
        }
        let finish = Down::new(gpu, 1)?;
        let shift = finish.program.constant("shift")?;
        let (begin, up) = (Up::new(gpu, 1)?, Up::new(gpu, 2)?);
        Ok(PrefixSum { len, begin, up, down: Down::new(gpu, 0)?, finish, shift, levels })
    }

    /// sums_i = x_0 + ... + x_i. `sums` may be `values`.
    ///
    /// # Errors
    /// [`Error::WrongShape`](crate::Error::WrongShape) for another length or more than one component.
    pub fn inclusive(&mut self, values: &Buffer, sums: &Buffer) -> Result<()> {
        self.scan(values, sums, 0.0)
    }

    /// sums_i = x_0 + ... + x_{i−1}, and sums_0 = 0. `sums` may be `values`.
    ///
    /// # Errors
    /// As [`PrefixSum::inclusive`].
    pub fn exclusive(&mut self, values: &Buffer, sums: &Buffer) -> Result<()> {
        self.scan(values, sums, 1.0)
    }

    /// Passes that a scan takes.
    pub fn passes(&self) -> usize {
        2 * self.levels.len() - usize::from(self.levels.len() > 1)
    }

    fn scan(&mut self, values: &Buffer, sums: &Buffer, shift: f32) -> Result<()> {
        let _scope = values.context().scope("prefix sum");
        check_array("prefix sum of", values, self.len)?;
        check_array("prefix sums", sums, self.len)?;
        let mut below = values;
        for (i, level) in self.levels.iter().enumerate() {
            let up = if i == 0 { &mut self.begin } else { &mut self.up };
            up.run(below, &level.running)?;
            below = &level.running;
        }
        // The last level is one texel, which nothing comes before.
        let mut totals = below;
        for level in self.levels.iter().rev() {
            if let Some(finished) = &level.finished {
                self.down.run(&level.running, totals, finished)?;
                totals = finished;
            }
        }
        self.finish.program.bind_float(self.shift, shift)?;
        self.finish.run(&self.levels[0].running, totals, sums)
    }
}

impl Up {
    fn new(gpu: &Gpu, level: u32) -> Result<Up> {
        let program = gpu.load(kernels::named("streams/sums_up.frag")?.define("LEVEL", level))?;
        let values = program.stream("values")?;
        let (len, row) = (program.constant("length_of_values")?, program.constant("row_of_target")?);
        Ok(Up { program, values, len, row })
    }

    fn run(&mut self, values: &Buffer, sums: &Buffer) -> Result<()> {
        self.program.bind_stream(self.values, values)?;
        self.program.bind_float(self.len, values.len() as f32)?.bind_float(self.row, sums.width() as f32)?;
        self.program.run(sums)?;
        self.program.release_streams();
        Ok(())
    }
}

impl Down {
    fn new(gpu: &Gpu, element: u32) -> Result<Down> {
        let program = gpu.load(kernels::named("streams/sums_down.frag")?.define("ELEMENT", element))?;
        let (running, totals) = (program.stream("running")?, program.stream("totals")?);
        let row = program.constant("row_of_target")?;
        Ok(Down { program, running, totals, row })
    }

    fn run(&mut self, running: &Buffer, totals: &Buffer, sums: &Buffer) -> Result<()> {
        self.program.bind_stream(self.running, running)?.bind_stream(self.totals, totals)?;
        self.program.bind_float(self.row, sums.width() as f32)?;
        self.program.run(sums)?;
        self.program.release_streams();
        Ok(())
    }
}
