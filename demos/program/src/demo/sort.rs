//! Bitonic sort: a pass of the network each step.

use anyhow::Result;
use quadrille::reference::Random;
use quadrille::reference::streams::{bitonic, exchange};
use quadrille::streams::Sort;
use quadrille::view::Mapping;
use quadrille::{Buffer, Gpu};
use serde_json::{Value, json};

use super::shown::{Field, Shown};
use super::state::{Parts, State, check_size, load_state};
use super::{Chosen, Measure, Simulation};
use crate::cli::{Look, Size, SortArguments};
use crate::files::Array;
use crate::files::npz::Named;
use crate::palette;

pub const NAME: &str = "sort";

/// The numbers as they lie.
const PARTS: Parts = Parts::Cells(&[("number", 1)]);

pub fn chosen(own: SortArguments) -> Chosen {
    let arguments = own.demo.clone();
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

fn start(gpu: &Gpu, arguments: &SortArguments) -> Result<Box<dyn Simulation>> {
    let seed = arguments.demo.seed();
    let loaded = load_state(&arguments.demo, arguments.size, NAME, ["number"])?;
    let asked = loaded.as_ref().map(|(size, _)| *size).or(arguments.size);
    let size = asked.unwrap_or(Size { width: 512, height: 512 });
    check_size(gpu, "numbers", size)?;
    let Size { width, height } = size;
    let numbers = gpu.buffer(width, height).named("numbers").build()?;
    let sort = Sort::keys(gpu, numbers.len())?;
    let loaded = loaded.map(|(_, numbers)| (numbers, seed));
    let mut sorting = Sorting { sort, numbers, range: [0.0, 1.0], loaded };
    sorting.reset(seed)?;
    Ok(Box::new(sorting))
}

/// What the colours go over: from the least to the largest of them; between it and 0 where all are the same number, or nearly.
fn range(numbers: &[f32]) -> [f32; 2] {
    let low = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let high = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    match high - low {
        span if span.is_normal() => [low, high],
        f32::INFINITY => [0.5 * low, 0.5 * high],
        _ if low.is_normal() => [low.min(0.0), high.max(0.0)],
        _ => [0.0, 1.0],
    }
}

struct Sorting {
    sort: Sort,
    /// As they are after the passes so far.
    numbers: Buffer,
    /// The numbers of the first and of the last colour.
    range: [f32; 2],
    /// The loaded numbers and the seed that stands for them.
    loaded: Option<(Vec<f32>, u64)>,
}

impl Sorting {
    /// Whether the network has done all its passes.
    fn is_through(&self) -> bool {
        self.sort.passes_done() == self.sort.passes()
    }
}

impl Simulation for Sorting {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Once all passes are done there is nothing left to do.
    fn step(&mut self) -> Result<()> {
        if self.sort.pass()? {
            self.sort.unload(&self.numbers, None)?;
        }
        Ok(())
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        match &self.loaded {
            Some((numbers, of)) if *of == seed => {
                self.numbers.write(numbers)?;
                self.range = range(numbers);
            }
            _ => {
                let mut random = Random(seed);
                let numbers: Vec<f32> = (0..self.numbers.len()).map(|_| random.unit()).collect();
                self.numbers.write(&numbers)?;
                self.range = [0.0, 1.0];
            }
        }
        Ok(self.sort.load(&self.numbers, None)?)
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.numbers.width(), self.numbers.height()), "numbers")
    }

    fn shown(&self) -> Result<Shown<'_>> {
        let [low, high] = self.range;
        let (buffer, mapping) = (&self.numbers, Mapping::of_component(0, low, high));
        Ok(Shown::Field(Field { buffer, heights: false, colours: palette::DEFAULT, mapping }))
    }

    fn state(&self) -> Result<Array> {
        let (width, height) = (self.numbers.width() as usize, self.numbers.height() as usize);
        Ok(Array { height, width, components: 1, values: self.numbers.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.state()?, [0; 3]))
    }

    /// Its colours go on, too.
    fn values(&self) -> Result<Value> {
        let [low, high] = self.range;
        Ok(json!({ "low": low, "high": high }))
    }

    /// The numbers are loaded: so many passes of the network lie behind them, one a step.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.range = [state.number("low")? as f32, state.number("high")? as f32];
        let done = usize::try_from(state.step)?.min(self.sort.passes());
        Ok(self.sort.resume(&self.numbers, None, done)?)
    }

    fn parameters(&self) -> Value {
        json!({ "passes": self.sort.passes() })
    }

    /// What is in order is told by looking at it.
    fn findings(&self) -> Result<Value> {
        let sorted = self.numbers.data()?.is_sorted();
        Ok(json!({ "passes_done": self.sort.passes_done(), "sorted": sorted }))
    }

    /// An order that the network did not bring about: a GPU may take subnormal numbers for 0, which are then equal to it.
    fn warning(&self, state: &Array) -> Option<String> {
        let numbers = &state.values;
        if !self.is_through() || numbers.is_sorted() {
            return None;
        }
        let subnormal = numbers.iter().filter(|number| number.is_subnormal()).count();
        let why = match subnormal {
            0 => String::new(),
            _ => format!(
                ": this GPU takes subnormal numbers (nearer to 0 than 1.2e-38), of which there are {subnormal}, for 0"
            ),
        };
        Some(format!("the numbers are not sorted after the last pass{why}"))
    }

    /// The exchanges of the last pass on the CPU: the same numbers to the bit.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let mut exact = before.values.clone();
        let done = self.sort.passes_done();
        let (from, to) = (self.sort.exchanges(done.saturating_sub(1)), self.sort.exchanges(done));
        let masks = bitonic(exact.len().next_power_of_two().max(4));
        // Steps after the last pass change nothing, and neither do its exchanges once more.
        masks[from..to].iter().for_each(|mask| exchange(&mut exact, *mask));
        let found = self.state()?.values;
        let wrong = found.iter().zip(&exact).filter(|(found, exact)| found != exact).count();
        Ok(vec![Measure { name: "misplaced numbers", error: wrong as f64, bound: 0.0 }])
    }

    /// Every pass.
    fn looks(&self) -> u64 {
        self.whole_run()
    }

    /// As many as the network has passes.
    fn whole_run(&self) -> u64 {
        self.sort.passes() as u64
    }

    fn pace(&self) -> u64 {
        1
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let (done, passes) = (self.sort.passes_done(), self.sort.passes());
        let exchanges = self.sort.exchanges(done);
        ui.monospace(format!("pass {done} of {passes}"));
        ui.monospace(format!("{exchanges} exchanges a number"));
        if self.is_through() {
            ui.label("Through. Reset begins anew.");
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_through()
    }
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn colours_go_over_the_numbers_there_are_and_have_two_finite_ends() {
        for (numbers, expected) in [
            (&[3.0, -2.0, 5.0][..], [-2.0, 5.0]),
            (&[4.0, 4.0], [0.0, 4.0]),
            (&[-4.0], [-4.0, 0.0]),
            (&[0.0, 0.0], [0.0, 1.0]),
            (&[1e-40, 2e-40], [0.0, 1.0]),
            (&[f32::MAX], [0.0, f32::MAX]),
            (&[f32::MIN, f32::MAX], [0.5 * f32::MIN, 0.5 * f32::MAX]),
        ] {
            assert_eq!(range(numbers), expected, "{numbers:?}");
        }
    }
}
