//! Bitonic sort: a pass of the network each step.

use anyhow::Result;
use quadrille::reference::Random;
use quadrille::reference::streams::{bitonic, exchange};
use quadrille::streams::Sort;
use quadrille::view::Mapping;
use quadrille::{Buffer, Gpu};
use serde_json::{Value, json};

use super::shown::{Field, Shown};
use super::state::load_state;
use super::{Chosen, Measure, Simulation};
use crate::cli::{Look, Size, SortArguments};
use crate::files::Array;
use crate::palette;

pub const NAME: &str = "sort";

pub fn chosen(own: SortArguments) -> Chosen {
    let arguments = own.demo.clone();
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

fn start(gpu: &Gpu, arguments: &SortArguments) -> Result<Box<dyn Simulation>> {
    let seed = arguments.demo.seed();
    let loaded = match &arguments.demo.load {
        Some(path) => Some(load_state(path, arguments.size, NAME, ["number"])?),
        None => None,
    };
    let asked = loaded.as_ref().map(|(size, _)| *size).or(arguments.size);
    let Size { width, height } = asked.unwrap_or(Size { width: 512, height: 512 });
    let numbers = gpu.buffer(width, height).named("numbers").build()?;
    let sort = Sort::keys(gpu, numbers.len())?;
    let loaded = loaded.map(|(_, numbers)| (numbers, seed));
    let mut sorting = Sorting { sort, numbers, loaded };
    sorting.reset(seed)?;
    Ok(Box::new(sorting))
}

struct Sorting {
    sort: Sort,
    /// As they are after the passes so far.
    numbers: Buffer,
    /// The loaded numbers and the seed that stands for them.
    loaded: Option<(Vec<f32>, u64)>,
}

impl Sorting {
    fn is_sorted(&self) -> bool {
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
            Some((numbers, of)) if *of == seed => self.numbers.write(numbers)?,
            _ => {
                let mut random = Random(seed);
                let numbers: Vec<f32> = (0..self.numbers.len()).map(|_| random.unit()).collect();
                self.numbers.write(&numbers)?;
            }
        }
        Ok(self.sort.load(&self.numbers, None)?)
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.numbers.width(), self.numbers.height()), "numbers")
    }

    fn shown(&self) -> Result<Shown<'_>> {
        let (buffer, mapping) = (&self.numbers, Mapping::of_component(0, 0.0, 1.0));
        Ok(Shown::Field(Field { buffer, heights: false, colours: palette::DEFAULT, mapping }))
    }

    fn state(&self) -> Result<Array> {
        let (width, height) = (self.numbers.width() as usize, self.numbers.height() as usize);
        Ok(Array { height, width, components: 1, values: self.numbers.data()? })
    }

    fn parameters(&self) -> Value {
        json!({ "passes": self.sort.passes() })
    }

    /// What is in order is told by looking at it.
    fn findings(&self) -> Result<Value> {
        let sorted = self.numbers.data()?.is_sorted();
        Ok(json!({ "passes_done": self.sort.passes_done(), "sorted": sorted }))
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
        if self.is_sorted() {
            ui.label("Sorted. Reset begins anew.");
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_sorted()
    }
}
