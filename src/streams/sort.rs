//! Bitonic sort, in passes over texels of keys or of pairs.

use super::network::{Inside, Network, Pass};
use super::{check_array, check_length};
use crate::pug::{Buffer, ConstantHandle, DoubleBuffer, Gpu, Program, StreamHandle};
use crate::{Error, Result, kernels};

/// Sorts keys, or keys that carry a value each, by size.
///
/// A fragment cannot send its item to another place, so it reads the partner's item, too, and keeps one of the two. In
/// a network of 2ᵏ items each is compared k (k + 1)/2 times, 210 times for a million, which would take as many passes.
/// But a texel holds four keys (or two pairs), which are compared within it, and a pass makes two comparisons with four
/// fetches: 91 passes of 2¹⁸ texels.
///
/// NaN sorts after all numbers, infinity included. 0 and −0 are equal; so are subnormal numbers (nearer to 0 than
/// 2⁻¹²⁶) and 0 if the GPU flushes them, as OpenGL allows: they stay unsorted. The order of equal keys' values is
/// always the same, but not the original one: the sort is not stable. Any length is right, because the padding to a
/// power of two sorts last and never moves.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::{Gpu, streams::Sort};
///
/// let gpu = Gpu::headless()?;
/// let numbers = gpu.array(5).init(&[3.0, 1.0, 4.0, 1.0, 5.0])?;
/// Sort::keys(&gpu, 5)?.sort(&numbers)?;
/// assert_eq!(numbers.data()?, [1.0, 1.0, 3.0, 4.0, 5.0]);
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Batcher, *Sorting Networks and Their Applications*, 1968; Buck & Purcell, *A Toolkit for Computation on GPUs*,
/// GPU Gems, §37.5.
pub struct Sort {
    len: usize,
    /// Numbers of an item: a key, or a key and its value.
    numbers: usize,
    network: Network,
    /// Passes of the network that the items went through.
    done: usize,
    items: DoubleBuffer,
    pack: Pack,
    unpack: Unpack,
    exchanges: Vec<Exchange>,
}

/// The pass that makes items of arrays.
struct Pack {
    program: Program,
    keys: StreamHandle,
    /// The stream of values, in a sort of pairs.
    values: Option<StreamHandle>,
}

/// The pass that makes arrays of items again.
struct Unpack {
    program: Program,
    items: StreamHandle,
    row: ConstantHandle,
    of_item: ConstantHandle,
}

/// A variant of the kernel of a pass.
struct Exchange {
    count: usize,
    mirrored: bool,
    inside: Inside,
    program: Program,
    items: StreamHandle,
    /// The constants of each step.
    steps: Vec<ConstantHandle>,
}

/// The compare distances a pass. For 2²⁰ keys or pairs two take the least processor time on llvmpipe: with one there is
/// more to write, with three each texel's exchanges are repeated for every texel that needs them.
const STEPS: usize = 2;

/// The kernel's names of them.
const STEP_NAMES: [&str; 3] = ["first", "second", "third"];

impl Sort {
    /// A sort of that many keys.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::OverLimit`] past 2²⁴ keys, whose indices no float tells apart; those of making a buffer.
    pub fn keys(gpu: &Gpu, len: usize) -> Result<Sort> {
        Sort::new(gpu, len, 1)
    }

    /// A sort of that many keys with a value each.
    ///
    /// # Errors
    /// As [`Sort::keys`].
    pub fn pairs(gpu: &Gpu, len: usize) -> Result<Sort> {
        Sort::new(gpu, len, 2)
    }

    fn new(gpu: &Gpu, len: usize, numbers: usize) -> Result<Sort> {
        check_length("sort", len)?;
        let network = Network::new(len, 4 / numbers, STEPS);
        let items =
            gpu.buffer(network.width, network.height).components(4).named("items").double().build()?;
        let pairs = numbers - 1;
        let pack = Pack::new(gpu, len, pairs, network.width)?;
        let unpack = Unpack::new(gpu)?;
        let mut exchanges: Vec<Exchange> = Vec::new();
        for pass in &network.passes {
            if !exchanges.iter().any(|exchange| exchange.does(pass)) {
                exchanges.push(Exchange::new(gpu, pass, pairs)?);
            }
        }
        Ok(Sort { len, numbers, network, done: 0, items, pack, unpack, exchanges })
    }

    /// Sorts the keys in place.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for another length or more than one component; [`Error::BadParameter`] of a sort of pairs.
    pub fn sort(&mut self, keys: &Buffer) -> Result<()> {
        let _scope = keys.context().scope("sort");
        self.load(keys, None)?;
        while self.pass()? {}
        self.unload(keys, None)
    }

    /// Sorts the keys in place, and puts the values where their keys went.
    ///
    /// # Errors
    /// As [`Sort::sort`]; [`Error::BadParameter`] of a sort of keys alone.
    pub fn sort_pairs(&mut self, keys: &Buffer, values: &Buffer) -> Result<()> {
        let _scope = keys.context().scope("sort");
        self.load(keys, Some(values))?;
        while self.pass()? {}
        self.unload(keys, Some(values))
    }

    /// Begins: takes keys, and their values if it is a sort of pairs.
    ///
    /// # Errors
    /// As [`Sort::sort`].
    pub fn load(&mut self, keys: &Buffer, values: Option<&Buffer>) -> Result<()> {
        self.check(keys, values)?;
        let pack = &mut self.pack;
        pack.program.bind_stream(pack.keys, keys)?;
        if let (Some(stream), Some(values)) = (pack.values, values) {
            pack.program.bind_stream(stream, values)?;
        }
        pack.program.run(self.items.front())?;
        pack.program.release_streams();
        self.done = 0;
        Ok(())
    }

    /// Continues where another sort of as many items stood after `done` passes, from the values that it unloaded.
    ///
    /// # Errors
    /// As [`Sort::load`]; [`Error::BadParameter`] for more passes than the network has.
    pub fn resume(&mut self, keys: &Buffer, values: Option<&Buffer>, done: usize) -> Result<()> {
        if done > self.passes() {
            let (found, expected) = (done.to_string(), format!("0 to {}", self.passes()));
            return Err(Error::BadParameter { name: "passes done", found, expected });
        }
        self.load(keys, values)?;
        self.done = done;
        Ok(())
    }

    /// Runs one pass of the network; false if there was none left.
    ///
    /// # Errors
    /// Those of the pass: [`Driver`](crate::Error::Driver).
    pub fn pass(&mut self) -> Result<bool> {
        let Some(pass) = self.network.passes.get(self.done) else {
            return Ok(false);
        };
        let Some(exchange) = self.exchanges.iter_mut().find(|exchange| exchange.does(pass)) else {
            return Ok(false);
        };
        exchange.run(pass, self.items.front(), self.items.back())?;
        self.items.swap();
        self.done += 1;
        Ok(true)
    }

    /// Writes the items as they are now, sorted or not, back to arrays.
    ///
    /// # Errors
    /// As [`Sort::sort`].
    pub fn unload(&mut self, keys: &Buffer, values: Option<&Buffer>) -> Result<()> {
        self.check(keys, values)?;
        let Unpack { program, items, row, of_item } = &mut self.unpack;
        program.bind_stream(*items, self.items.front())?;
        for (number, part) in [Some(keys), values].into_iter().flatten().enumerate() {
            program
                .bind_float(*row, part.width() as f32)?
                .bind_float(*of_item, [self.numbers as f32, number as f32])?;
            program.run(part)?;
        }
        Ok(())
    }

    /// Passes of the whole network.
    pub fn passes(&self) -> usize {
        self.network.passes.len()
    }

    /// Passes that the items went through.
    pub fn passes_done(&self) -> usize {
        self.done
    }

    /// Exchanges of the bitonic network (Batcher, *Sorting Networks and Their Applications*, 1968) that the first `passes` passes make.
    pub fn exchanges(&self, passes: usize) -> usize {
        self.network.passes.iter().take(passes).map(|pass| pass.exchanges).sum()
    }

    /// Checks the lengths of the arrays, and that there are values exactly if the sort has values.
    fn check(&self, keys: &Buffer, values: Option<&Buffer>) -> Result<()> {
        check_array("keys", keys, self.len)?;
        if let Some(values) = values {
            check_array("values", values, self.len)?;
        }
        let of = |found: &str, expected: &str| {
            Err(Error::BadParameter { name: "values", found: found.into(), expected: expected.into() })
        };
        match (self.numbers, values) {
            (1, Some(_)) => of("given", "none: this sort is one of keys alone"),
            (2, None) => of("none", "an array: this sort is one of pairs"),
            _ => Ok(()),
        }
    }
}

impl Pack {
    fn new(gpu: &Gpu, len: usize, pairs: usize, row: u32) -> Result<Pack> {
        let mut program = gpu.load(kernels::named("streams/sort_pack.frag")?.define("PAIRS", pairs))?;
        program
            .bind_float("length_of_keys", len as f32)?
            .bind_float("row_of_target", row as f32)?
            .bind_float("padding", f32::NAN)?;
        let values = if pairs == 0 { None } else { Some(program.stream("values")?) };
        Ok(Pack { keys: program.stream("keys")?, values, program })
    }
}

impl Unpack {
    fn new(gpu: &Gpu) -> Result<Unpack> {
        let program = gpu.builtin("streams/sort_unpack.frag")?;
        let (row, of_item) = (program.constant("row_of_target")?, program.constant("of_item")?);
        Ok(Unpack { items: program.stream("items")?, row, of_item, program })
    }
}

impl Exchange {
    fn new(gpu: &Gpu, pass: &Pass, pairs: usize) -> Result<Exchange> {
        let kernel = kernels::named("streams/sort_pass.frag")?
            .define("STEPS", pass.count)
            .define("MIRRORED", u32::from(pass.mirrored))
            .define("INSIDE", pass.inside as u32)
            .define("PAIRS", pairs);
        let program = gpu.load(kernel)?;
        let items = program.stream("items")?;
        let steps = STEP_NAMES[..pass.count].iter().map(|name| program.constant(name));
        let steps = steps.collect::<Result<Vec<ConstantHandle>>>()?;
        let Pass { count, mirrored, inside, .. } = *pass;
        Ok(Exchange { count, mirrored, inside, program, items, steps })
    }

    /// Returns true if the variant computes this pass.
    fn does(&self, pass: &Pass) -> bool {
        (self.count, self.mirrored, self.inside) == (pass.count, pass.mirrored, pass.inside)
    }

    fn run(&mut self, pass: &Pass, items: &Buffer, sorted: &Buffer) -> Result<()> {
        self.program.bind_stream(self.items, items)?;
        for (handle, step) in self.steps.iter().zip(pass.steps) {
            self.program.bind_float(*handle, step)?;
        }
        self.program.run(sorted)
    }
}
