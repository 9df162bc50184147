//! One choice in four ways, and one loop in two: the same picture, at another pace.

use std::cell::OnceCell;
use std::rc::Rc;

use anyhow::Result;
use quadrille::numeric::Random;
use quadrille::sim::Branches;
use quadrille::sim::branches::{BOUND, Branching, Parameters};
use quadrille::view::Mapping;
use quadrille::{Buffer, DoubleBuffer, Gpu};
use serde_json::{Map, Value as Json, json};

use crate::demo::{About, Demo, Measure, Request, Usage};
use crate::param::{Choice, Kept, Kind, Live, Offer, Param, Values};
use crate::picture::{COLOURS, Field, FieldPicture, FieldView, Picture};
use crate::state::{Array, Named, Parts, worst};

pub const ABOUT: About = About {
    name: "branches",
    shows: "A branch, arithmetic and masks in its place, on squares of 1x1 to 64x64; a loop with and without an early exit \
            (course slides)",
    keywords: "flow control divergence masks z-cull early exit fractal Mandelbrot speed",
    first: "Change way and squares, and compare the rates",
    computes: "Each square of cells takes one side of a branch, even numbers a long computation and noise a short one; or an orbit of z^2 + \
               c is counted with and without leaving its loop early. All ways give the same picture at different speed, because \
               neighbouring fragments run together.",
    kernels: &["flow/regions_work.frag", "flow/orbit_count.frag"],
    paper: "Harris, course slides on GPU flow control; GPU Gems 2, chapter 31",
    more: "\
Heavy squares (even) among light ones (noise), or orbits of z^2 + c. All ways to a picture are
seen to make the same one, and at which pace: --squares and --trips say which of them gains.",
    parameters: &[&[SIZE, WAY, SQUARES, TRIPS, Param { default: "viridis", ..COLOURS }]],
    check: refuse,
    start: |gpu, request| Ok(Box::new(BranchDemo::new(gpu, request)?)),
    ..About::NEW
};

const SIZE: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "512x512",
    help: "Texels, as WIDTHxHEIGHT",
    ..Param::NEW
};

const WAY: Param = Param {
    name: "way",
    kind: Kind::Choice(|| {
        Branching::ALL.into_iter().map(|way| Choice { name: way.name(), help: way.shows() }).collect()
    }),
    default: "branch",
    help: "How it is decided what a fragment does",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

const SQUARES: Param = Param {
    name: "squares",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 64 },
    default: "8",
    help: "Texels along the side of a square, 1 to 64; orbits have none",
    kept: Kept::With("way"),
    live: Live::Some(&["1", "2", "4", "8", "16", "32", "64"]),
    ..Param::NEW
};

const TRIPS: Param = Param {
    name: "trips",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 4096 },
    default: "squares 100, orbits 256",
    help: "How often a heavy square applies its formula, where a light one does once, or an orbit goes on at most: 1 to 4096",
    kept: Kept::With("way"),
    live: Live::Some(&["2", "16", "100", "256", "1000"]),
    ..Param::NEW
};

/// The results of the last step; what squares work on is made by the seed.
const PARTS: Parts = Parts::Cells(&[("results", 1)]);

/// The way that was chosen, if any.
fn way(values: &Values) -> Option<Branching> {
    Branching::named(values.word(WAY.name)?)
}

/// # Errors
/// Flags that have no meaning with the way that was chosen.
fn refuse(request: &Request) -> Result<()> {
    let (values, way) = (&request.values, way(&request.values).unwrap_or_default());
    if request.load.is_some() && request.state().is_none() {
        let line =
            "--load: a .npy of branches has the results alone, and every step begins anew: a .npz goes on";
        return Err(Usage(line.to_owned()).into());
    }
    let saved = request.state().and_then(|state| state.values.get("seed")?.as_u64());
    let seeded = request.seed.is_some() && request.seed != saved;
    let random = [("--squares", values.has(SQUARES.name)), ("--seed", seeded)];
    if let Some((flag, _)) = random.into_iter().find(|(_, given)| *given && way.is_loop()) {
        let why =
            format!("{flag}: {} counts orbits, which have no squares and no random numbers", way.name());
        return Err(Usage(why).into());
    }
    Ok(())
}

struct BranchDemo {
    gpu: Gpu,
    /// The numbers that squares work on, here and on the GPU.
    x: Vec<f32>,
    values: Buffer,
    branches: Branches,
    /// Drawn onto in turns: a renderer may leave out what is overdrawn.
    results: DoubleBuffer,
    /// In f64, the same for every step.
    expected: OnceCell<Vec<Option<f64>>>,
    /// Steps a second of each way that makes this picture, once they have been compared.
    rates: Vec<(Branching, f64)>,
    /// The seed of the numbers that squares work on.
    seed: u64,
    view: FieldView,
    #[cfg(feature = "panel")]
    host: Rc<dyn crate::demo::Host>,
}

/// Light squares lie from −1.55 to 2.05, and heavy ones near 2.5, where x → 0.9 x + 0.25 rests. Most orbits leave soon.
fn field(results: &Buffer, Parameters { way, trips, .. }: Parameters) -> Field<'_> {
    let (low, high) = if way.is_loop() { (0.0, trips.min(32) as f32) } else { (-1.6, 2.6) };
    let mapping = Mapping::of_component(0, low, high);
    Field { buffer: results, heights: false, colours: "viridis", mapping }
}

impl BranchDemo {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<BranchDemo> {
        let (given, seed) = (&request.values, request.seed());
        let loaded = request.cells(given.size("size"), ABOUT.name, ["results"])?;
        let asked = loaded.as_ref().map(|(size, _)| *size).or(given.size("size"));
        let [width, height] = asked.unwrap_or([512, 512]);
        let way = way(given).unwrap_or_default();
        let parameters = Parameters {
            way,
            square: given.whole(SQUARES.name).unwrap_or(Parameters::default().square),
            trips: given.whole(TRIPS.name).unwrap_or(way.trips()),
        };
        let values = gpu.buffer(width, height).named("values").build()?;
        let branches = Branches::new(gpu, &values, parameters)?;
        let results = gpu.buffer(width, height).named("results").double().build()?;
        let view = FieldView::new(gpu, request, &field(results.front(), parameters))?;
        let (gpu, x, expected, rates) = (gpu.clone(), Vec::new(), OnceCell::new(), Vec::new());
        let mut demo = BranchDemo {
            gpu,
            x,
            values,
            branches,
            results,
            expected,
            rates,
            seed,
            view,
            #[cfg(feature = "panel")]
            host: request.host.clone(),
        };
        demo.reset(seed)?;
        if let Some((_, results)) = loaded {
            demo.results.write(&results)?;
        }
        Ok(demo)
    }

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
        self.expected.get_or_init(|| {
            quadrille_oracle::branches::results(self.branches.parameters(), &self.x, self.values.width())
        })
    }

    /// The number of results that are certain, and of all; `None` before a check.
    fn certain(&self) -> Option<(usize, usize)> {
        let expected = self.expected.get()?;
        Some((expected.iter().flatten().count(), expected.len()))
    }
}

/// Steps a second of all that make the same picture, on targets of their own.
#[cfg(feature = "panel")]
fn compare(
    gpu: &Gpu,
    host: &dyn crate::demo::Host,
    values: &Buffer,
    parameters: Parameters,
) -> Result<Vec<(Branching, f64)>> {
    let target = || gpu.buffer(values.width(), values.height()).build();
    let targets = [target()?, target()?];
    let measure = |way: Branching| {
        let branches = Branches::new(gpu, values, Parameters { way, ..parameters })?;
        let run = |steps: u32| {
            (0..steps as usize).try_for_each(|i| branches.draw(&targets[i % 2]))?;
            targets.iter().try_for_each(|target| target.data_of(quadrille::Rect::whole(1, 1)).map(drop))?;
            Ok(())
        };
        Ok((way, crate::rate::rate(host, run)?))
    };
    Branching::ALL.into_iter().filter(|&way| are_alike(way, parameters.way)).map(measure).collect()
}

/// Returns true if both make the same picture.
fn are_alike(a: Branching, b: Branching) -> bool {
    a.is_loop() == b.is_loop()
}

impl Demo for BranchDemo {
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

    fn numbers(&self) -> Result<Array> {
        let (width, height) = (self.values.width() as usize, self.values.height() as usize);
        Ok(Array { height, width, components: 1, values: self.results.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.numbers()?, [0; 3]))
    }

    fn values(&self) -> Values {
        let Parameters { way, square, trips } = self.branches.parameters();
        let squares = (!way.is_loop()).then_some(square);
        Values::new().with("way", way.name()).with_some("squares", squares).with("trips", trips)
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let seed = (!self.branches.parameters().way.is_loop()).then_some(self.seed);
        Ok(seed.map(|seed| ("seed".to_owned(), seed.into())).into_iter().collect())
    }

    /// A way to the other picture brings trips of its own, unless they are given.
    fn set(&mut self, values: &Values) -> Result<()> {
        let before = self.branches.parameters();
        let way = way(values).unwrap_or(before.way);
        let trips = if are_alike(way, before.way) { before.trips } else { way.trips() };
        self.set_parameters(Parameters {
            way,
            square: values.whole(SQUARES.name).unwrap_or(before.square),
            trips: values.whole(TRIPS.name).unwrap_or(trips),
        })
    }

    fn findings(&self) -> Result<Json> {
        Ok(match self.certain() {
            Some((certain, _)) if self.branches.parameters().way.is_loop() => {
                json!({ "certain_orbits": certain })
            }
            _ => Json::Null,
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

    fn drawn(&self) -> Option<Buffer> {
        Some(self.results.front().clone())
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let field = field(self.results.front(), self.branches.parameters());
        Box::new(FieldPicture { field, view: &mut self.view })
    }

    fn offer(&self, param: &Param) -> Offer {
        match param.name {
            "trips" => Offer::of(param).usual(self.branches.parameters().way.trips()),
            _ => Offer::of(param),
        }
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        ui.weak(self.branches.parameters().way.shows());
        let button =
            ui.button("Compare").on_hover_text("Runs each way to this picture for a moment, on a copy");
        if button.clicked() {
            self.rates = compare(&self.gpu, &*self.host, &self.values, self.branches.parameters())?;
        }
        egui::Grid::new("ways").num_columns(2).show(ui, |ui| {
            for (way, rate) in &self.rates {
                ui.label(way.name()).on_hover_text(way.shows());
                ui.monospace(format!("{rate:.0} steps/s"));
                ui.end_row();
            }
        });
        Ok(())
    }
}

#[cfg(all(test, feature = "panel"))]
mod tests {
    use super::*;
    use crate::demo::TestHost;

    #[test]
    fn every_way_is_compared_with_those_of_its_picture_alone() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values = gpu.buffer(24, 20).init(&[0.5; 480])?;
        for (way, count) in [(Branching::ZCull, 4), (Branching::AllTrips, 2)] {
            let parameters = Parameters { way, ..Parameters::default() };
            let rates = compare(&gpu, &TestHost::default(), &values, parameters)?;
            assert_eq!(rates.len(), count);
            assert!(rates.iter().all(|(of, rate)| are_alike(*of, way) && rate.is_finite() && *rate > 0.0));
        }
        Ok(())
    }
}
