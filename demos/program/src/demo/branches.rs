//! One choice in four ways, and one loop in two: the same picture, at another pace.

use std::cell::OnceCell;

use anyhow::Result;
use quadrille::reference::Random;
use quadrille::sim::Branches;
use quadrille::sim::branches::{BOUND, Parameters, Way};
use quadrille::view::Mapping;
use quadrille::{Buffer, DoubleBuffer, Gpu, Rect};
use serde_json::{Value, json};

use super::rate::rate;
use super::shown::{Field, Shown};
use super::state::{Kept, Parts, load_state, worst};
use super::{Chosen, Measure, Simulation};
use crate::cli::{BranchesArguments, Look, Size};
use crate::files::Array;
use crate::files::npz::{Named, is_npz};
use crate::output::Usage;

pub const NAME: &str = "branches";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[("way", ""), ("squares", "way"), ("trips", "way"), ("seed", "way")];

/// The results of the last step; what squares work on is made by the seed.
const PARTS: Parts = Parts::Cells(&[("results", 1)]);

/// What a panel offers.
const SQUARES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
const TRIPS: [u32; 5] = [2, 16, 100, 256, 1000];

/// # Errors
/// Flags that have no meaning with the way that was chosen.
pub fn chosen(own: BranchesArguments) -> Result<Chosen> {
    let (arguments, way) = (own.demo.clone(), own.way.unwrap_or_default());
    if arguments.load.as_ref().is_some_and(|path| !is_npz(path)) {
        let line =
            "--load: a .npy of branches has the results alone, and every step begins anew: a .npz goes on";
        return Err(Usage(line.to_owned()).into());
    }
    let random = [("--squares", own.squares.is_some()), ("--seed", arguments.seed.is_some())];
    if let Some((flag, _)) = random.into_iter().find(|(_, given)| *given && way.is_loop()) {
        let why =
            format!("{flag}: {} counts orbits, which have no squares and no random numbers", way.name());
        return Err(Usage(why).into());
    }
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    Ok(Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) })
}

fn start(gpu: &Gpu, arguments: &BranchesArguments) -> Result<Box<dyn Simulation>> {
    let loaded = load_state(&arguments.demo, arguments.size, NAME, ["results"])?;
    let asked = loaded.as_ref().map(|(size, _)| *size).or(arguments.size);
    let Size { width, height } = asked.unwrap_or(Size { width: 512, height: 512 });
    let way = arguments.way.unwrap_or_default();
    let square = arguments.squares.unwrap_or(Parameters::default().square);
    let parameters = Parameters { way, square, trips: arguments.trips.unwrap_or(way.trips()) };
    let values = gpu.buffer(width, height).named("values").build()?;
    let branches = Branches::new(gpu, &values, parameters)?;
    let results = gpu.buffer(width, height).named("results").double().build()?;
    let (gpu, x, expected) = (gpu.clone(), Vec::new(), OnceCell::new());
    let seed = arguments.demo.seed();
    let mut choosing = Choosing { gpu, x, values, branches, results, expected, rates: Vec::new(), seed };
    choosing.reset(arguments.demo.seed())?;
    if let Some((_, results)) = loaded {
        choosing.results.write(&results)?;
    }
    Ok(Box::new(choosing))
}

struct Choosing {
    gpu: Gpu,
    /// What squares work on, here and on the GPU.
    x: Vec<f32>,
    values: Buffer,
    branches: Branches,
    /// Drawn onto in turns: a renderer may leave out what is overdrawn.
    results: DoubleBuffer,
    /// In f64, the same for every step.
    expected: OnceCell<Vec<Option<f64>>>,
    /// Steps a second of each way that makes this picture, once they have been compared.
    rates: Vec<(Way, f64)>,
    /// The seed of the numbers that squares work on.
    seed: u64,
}

impl Choosing {
    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        let before = self.branches.parameters();
        if parameters == before {
            return Ok(());
        }
        self.branches = Branches::new(&self.gpu, &self.values, parameters)?;
        if !(Parameters { way: before.way, ..parameters } == before && are_alike(parameters.way, before.way))
        {
            self.rates.clear();
            self.expected.take();
        }
        Ok(())
    }

    fn expected(&self) -> &[Option<f64>] {
        self.expected.get_or_init(|| self.branches.in_f64(&self.x, self.values.width()))
    }

    /// Steps a second of all that make the same picture, on targets of their own.
    fn compare(&self) -> Result<Vec<(Way, f64)>> {
        let parameters = self.branches.parameters();
        let target = || self.gpu.buffer(self.values.width(), self.values.height()).build();
        let targets = [target()?, target()?];
        let measure = |way: Way| {
            let branches = Branches::new(&self.gpu, &self.values, Parameters { way, ..parameters })?;
            let run = |steps: u32| {
                (0..steps as usize).try_for_each(|i| branches.draw(&targets[i % 2]))?;
                targets.iter().try_for_each(|target| target.data_of(Rect::whole(1, 1)).map(drop))?;
                Ok(())
            };
            Ok((way, rate(run)?))
        };
        Way::ALL.into_iter().filter(|&way| are_alike(way, parameters.way)).map(measure).collect()
    }

    /// How many results can be told for certain, of how many; `None` before a check.
    fn certain(&self) -> Option<(usize, usize)> {
        let expected = self.expected.get()?;
        Some((expected.iter().flatten().count(), expected.len()))
    }
}

/// Whether both make the same picture.
fn are_alike(a: Way, b: Way) -> bool {
    a.is_loop() == b.is_loop()
}

impl Simulation for Choosing {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        self.branches.draw(self.results.back())?;
        self.results.swap();
        Ok(())
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        let mut random = Random(seed);
        self.x = (0..self.values.len()).map(|_| 2.0 * random.signed()).collect();
        self.values.write(&self.x)?;
        self.expected.take();
        Ok(self.results.write(&vec![0.0; self.x.len()])?)
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.values.width(), self.values.height()), "texels")
    }

    /// Light squares lie from −1.55 to 2.05, and heavy ones near 2.5, where x → 0.9 x + 0.25 rests. Most orbits leave soon.
    fn shown(&self) -> Result<Shown<'_>> {
        let Parameters { way, trips, .. } = self.branches.parameters();
        let (low, high) = if way.is_loop() { (0.0, trips.min(32) as f32) } else { (-1.6, 2.6) };
        let (buffer, mapping) = (self.results.front(), Mapping::of_component(0, low, high));
        Ok(Shown::Field(Field { buffer, heights: false, colours: "viridis", mapping }))
    }

    fn state(&self) -> Result<Array> {
        let (width, height) = (self.values.width() as usize, self.values.height() as usize);
        Ok(Array { height, width, components: 1, values: self.results.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.state()?, [0; 3]))
    }

    fn values(&self) -> Result<Value> {
        let mut values = self.parameters();
        if !self.branches.parameters().way.is_loop() {
            values["seed"] = self.seed.into();
        }
        Ok(values)
    }

    fn parameters(&self) -> Value {
        let Parameters { way, square, trips } = self.branches.parameters();
        let squares = (!way.is_loop()).then_some(square);
        json!({ "way": way.name(), "squares": squares, "trips": trips })
    }

    fn findings(&self) -> Result<Value> {
        Ok(match self.certain() {
            Some((certain, _)) if self.branches.parameters().way.is_loop() => {
                json!({ "certain_orbits": certain })
            }
            _ => Value::Null,
        })
    }

    fn remarks(&self) -> Result<Vec<String>> {
        let said = self.certain().filter(|_| self.branches.parameters().way.is_loop());
        let line = |(certain, of)| format!("{certain} of {of} orbits are certain in f32, and were compared");
        Ok(said.map(line).into_iter().collect())
    }

    /// Numbers of squares, or counts of those orbits that f32 is certain to count.
    fn check(&self, _before: &Array) -> Result<Vec<Measure>> {
        let found = self.results.data()?;
        let pairs = found.iter().zip(self.expected());
        let error = worst(
            pairs.filter_map(|(&found, exact)| exact.as_ref().map(|exact| (f64::from(found) - exact).abs())),
        );
        Ok(vec![match self.branches.parameters().way.is_loop() {
            false => Measure { name: "error", error, bound: BOUND },
            true => Measure { name: "miscount of a certain orbit", error, bound: 0.0 },
        }])
    }

    fn pace(&self) -> u64 {
        1
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let before = self.branches.parameters();
        let mut parameters = before;
        egui::Grid::new("ways").num_columns(2).show(ui, |ui| {
            for way in Way::ALL {
                ui.selectable_value(&mut parameters.way, way, way.name()).on_hover_text(way.shows());
                if let Some((_, rate)) = self.rates.iter().find(|(of, _)| *of == way) {
                    ui.monospace(format!("{rate:.0} steps/s"));
                }
                ui.end_row();
            }
        });
        ui.weak(parameters.way.shows());
        if !are_alike(parameters.way, before.way) {
            parameters.trips = parameters.way.trips();
        }
        let compare =
            ui.button("Compare").on_hover_text("Runs each way to this picture for a moment, on a copy");
        ui.separator();
        if !parameters.way.is_loop() {
            choices(ui, "squares of", SQUARES, &mut parameters.square);
        }
        choices(ui, "trips", TRIPS, &mut parameters.trips);
        self.set_parameters(parameters)?;
        if compare.clicked() {
            self.rates = self.compare()?;
        }
        Ok(())
    }
}

/// One of some numbers.
fn choices<const N: usize>(ui: &mut egui::Ui, name: &str, numbers: [u32; N], chosen: &mut u32) {
    ui.horizontal_wrapped(|ui| {
        ui.label(name);
        for number in numbers {
            ui.selectable_value(chosen, number, number.to_string());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_compared_with_those_of_its_picture_alone() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values = gpu.buffer(24, 20).init(&[0.5; 480])?;
        for (way, count) in [(Way::ZCull, 4), (Way::AllTrips, 2)] {
            let branches = Branches::new(&gpu, &values, Parameters { way, ..Parameters::default() })?;
            let results = gpu.buffer(24, 20).double().build()?;
            let (x, values, gpu) = (vec![0.5; 480], values.clone(), gpu.clone());
            let (rates, expected, seed) = (Vec::new(), OnceCell::new(), 1);
            let choosing = Choosing { gpu, x, values, branches, results, expected, rates, seed };
            let rates = choosing.compare()?;
            assert_eq!(rates.len(), count);
            assert!(rates.iter().all(|(of, rate)| are_alike(*of, way) && rate.is_finite() && *rate > 0.0));
        }
        Ok(())
    }
}
