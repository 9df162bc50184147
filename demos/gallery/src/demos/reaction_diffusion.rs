//! Gray–Scott reaction–diffusion: the example of chapter 31.

#[cfg(feature = "panel")]
mod map;

use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, bail};
use quadrille::gl::Edges;
use quadrille::numeric::Random;
use quadrille::sim::gray_scott::{PRESETS, Parameters, Preset};
use quadrille::sim::{GrayScott, Outline};
use quadrille::view::Mapping;
use quadrille::{Buffer, Gpu};
#[cfg(feature = "panel")]
use quadrille::{Operator, Reduction};
use quadrille_oracle as oracle;

use crate::demo::{About, Demo, Measure, Request, Stamp, View};
use crate::palette;
use crate::param::{CELLS, Kept, Kind, Live, Offer, Param, Section, Slider, Values, choices, name_of};
use crate::picture::{COLOURS, Field, FieldPicture, FieldView, Picture, Touch};
use crate::state::{Array, Named, Parts, worst};

pub const ABOUT: About = About {
    name: "reaction-diffusion",
    shows: "Gray-Scott reaction-diffusion (GPU Gems 2, chapter 31)",
    keywords: "chemistry patterns spots stripes Turing Pearson paint",
    first: "Paint with the mouse: what you add spreads and splits",
    computes: "Two substances diffuse and react on a grid: u is fed everywhere, v turns u into more of itself and is taken out. Small \
               changes of the feed rate F and the kill rate k lead from spots that divide to worms, mazes and waves: Pearson's classes, \
               which the presets name. One kernel reads a cell and its four neighbours.",
    formula: "∂u/∂t = Du ∇²u − u v² + F (1 − u)\n\
              ∂v/∂t = Dv ∇²v + u v² − (F + k) v     ∇²u: the mean of the four neighbours, less u",
    kernels: &["sim/gray_scott_step.frag"],
    paper: "Harris, GPU Gems 2, chapter 31, Listing 31-2; Gray and Scott 1984; Pearson, Science 261 (1993)",
    quantity: "v",
    stamps: &[Stamp::of("u", 0.5), Stamp::of("v", 0.25)],
    parameters: &[&[CELLS, PRESET, FEED, KILL, DU, DV, SQUARES, EDGES, SHOW, MAP]],
    kernel: "glsl/sim/gray_scott_step.frag",
    check: |request| preset(&request.values, Parameters::default()).map(drop),
    start: |gpu, request| Ok(Box::new(ReactionDiffusion::new(gpu, request)?)),
    ..About::NEW
};

const PRESET: Param = Param {
    name: "preset",
    symbol: "NAME",
    kind: Kind::Name(presets),
    help: "F, k and both diffusions of a pattern by its name, or by the letter of Pearson's class, as lambda; `help` lists them",
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

/// A number of the formula, which a preset names.
const RATE: Param = Param { kind: Kind::real(0.0, 1.0), kept: Kept::With("preset"), ..Param::NEW };

const FEED: Param = Param {
    name: "F",
    symbol: "F",
    help: "Feed rate: how fast u is filled up to 1 everywhere, and v thinned",
    live: Live::Slider(Slider::to(0.0, 0.12).decimals(4)),
    ..RATE
};

const KILL: Param = Param {
    name: "k",
    symbol: "K",
    help: "Kill rate: how fast v is taken out, besides F",
    live: Live::Slider(Slider::to(0.0, 0.08).decimals(4)),
    ..RATE
};

const DU: Param = Param {
    name: "Du",
    symbol: "DU",
    help: "Diffusion of u: the share that a step replaces by the mean of the neighbours. u spreads faster than v, or no pattern grows",
    live: Live::Slider(Slider::to(0.0, 1.0).decimals(4)),
    section: Section::Physics,
    ..RATE
};

const DV: Param = Param {
    name: "Dv",
    symbol: "DV",
    help: "Diffusion of v: the share that a step replaces by the mean of the neighbours",
    live: Live::Slider(Slider::to(0.0, 1.0).decimals(4)),
    section: Section::Physics,
    ..RATE
};

const EDGES: Param = Param {
    name: "edges",
    kind: Kind::Choice(|| choices(&EDGE_RULES)),
    default: "repeat",
    help: "What lies beyond the edges: the other side, or the edge itself",
    kept: Kept::Yes,
    ..Param::NEW
};

const EDGE_RULES: [(&str, &str, Edges); 2] = [("repeat", "", Edges::Repeat), ("clamp", "", Edges::Clamp)];

const SQUARES: Param = Param {
    name: "start",
    kind: Kind::Choice(|| choices(&STARTS)),
    default: "many",
    help: "Squares of v that it begins with; from few of them the pattern is seen to grow",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

const STARTS: [(&str, &str, Start); 3] = [
    ("many", "One for each 64x64 cells: the plane is soon full", Start::Many),
    ("few", "Five small ones, far apart", Start::Few),
    ("one", "A small one in the middle", Start::One),
];

/// How many squares of v there are at first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Start {
    Many,
    Few,
    One,
}

const SHOW: Param = Param {
    name: "show",
    kind: Kind::Choice(|| choices(&SHOWN)),
    default: "relief",
    help: "v as a surface in light, or v or u as flat colours",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Shown,
    ..Param::NEW
};

const SHOWN: [(&str, &str, Show); 3] = [
    ("relief", "v as heights, lit from the upper left", Show::Relief),
    ("v", "The substance that makes the patterns", Show::V),
    ("u", "The food of v: it is used up where v is", Show::U),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Show {
    Relief,
    V,
    U,
}

const MAP: Param =
    Param { default: "cividis, of v magma, of u viridis", help: "Colour map; `help` lists them", ..COLOURS };

/// Cells that the relief stands high, from no v to the most that the colours have.
const RELIEF: f32 = 8.0;

/// The amount of both.
const PARTS: Parts = Parts::Cells(&[("u", 1), ("v", 1)]);

fn presets() -> Vec<String> {
    let line = |p: &Preset| {
        let Parameters { feed, kill, .. } = p.parameters;
        format!("{:18} {:7}  F = {feed:<6} k = {kill:<6}  {}", p.name, p.class, p.shows)
    };
    PRESETS.iter().map(line).collect()
}

/// The preset of `values`, or `before`.
fn preset(values: &Values, before: Parameters) -> Result<Parameters> {
    Ok(match values.text("preset") {
        None => before,
        Some(name) => match Parameters::preset(name) {
            Some(parameters) => parameters,
            None => {
                let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                bail!("no preset \"{name}\": there are {}", names.join(", "));
            }
        },
    })
}

/// Those parameters, but where `values` says otherwise.
fn changed(values: &Values, before: Parameters) -> Parameters {
    Parameters {
        feed: values.real("F").unwrap_or(before.feed),
        kill: values.real("k").unwrap_or(before.kill),
        du: values.real("Du").unwrap_or(before.du),
        dv: values.real("Dv").unwrap_or(before.dv),
    }
}

/// The state of a few small squares of v in all of u, with a noise of 1 %, one of them in the middle.
fn sparse(width: u32, height: u32, count: usize, seed: u64) -> Vec<f32> {
    let (columns, rows) = (width as usize, height as usize);
    let mut state = [1.0, 0.0].repeat(columns * rows);
    let (mut random, side) = (Random(seed), (columns.min(rows) / 32).clamp(1, 12));
    for square in 0..count {
        // The others in the quarters of the plane.
        let quarter = [[1.0, 1.0], [3.0, 3.0], [3.0, 1.0], [1.0, 3.0]][square.saturating_sub(1) % 4];
        let [x, y] = match square {
            0 => [0.5, 0.5],
            _ => quarter.map(|quarter| 0.25 * quarter + 0.2 * (random.unit() - 0.5)),
        };
        let (x, y) = ((x * width as f32) as usize, (y * height as f32) as usize);
        let corner = |at: usize, cells: usize| (at + cells - side / 2) % cells;
        let (x0, y0) = (corner(x, columns), corner(y, rows));
        for (x, y) in (0..side * side).map(|i| ((x0 + i % side) % columns, (y0 + i / side) % rows)) {
            let cell = 2 * (y * columns + x);
            state[cell] = 0.5 * (0.99 + 0.02 * random.unit());
            state[cell + 1] = 0.25 * (0.99 + 0.02 * random.unit());
        }
    }
    state
}

struct ReactionDiffusion {
    simulation: GrayScott,
    start: Start,
    show: Show,
    /// The loaded state and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
    /// The last preset, which double clicks on sliders bring back.
    usual: Parameters,
    /// The seed of the last beginning, and whether the demo has gone back to it by itself.
    seed: u64,
    begun: bool,
    /// Steps since the beginning.
    steps: u64,
    #[cfg(feature = "panel")]
    alive: Alive,
    view: FieldView,
}

/// The look for a pattern, which the panel takes now and then.
#[cfg(feature = "panel")]
struct Alive {
    largest: Reduction,
    /// The largest v, and after which step it was read.
    last: Option<(u64, f32)>,
}

/// Below this v has died: a pattern has 0.2 and more, and what is left of one falls without end.
#[cfg(feature = "panel")]
const DEAD: f32 = 0.01;

/// It is looked for every so many steps.
#[cfg(feature = "panel")]
const LOOK: u64 = 200;

#[cfg(feature = "panel")]
impl Alive {
    /// Returns false if nothing is left of v.
    fn look(&mut self, simulation: &GrayScott, step: u64) -> Result<bool> {
        let last = self.last.filter(|last| step.abs_diff(last.0) < LOOK);
        let (_, most) = match last {
            Some(last) => last,
            None => (step, self.largest.value(simulation.state())?.last().copied().unwrap_or_default()),
        };
        self.last = last.or(Some((step, most)));
        // A field that has become infinite is not dead: its largest is no number.
        Ok(most.is_nan() || most >= DEAD)
    }
}

impl ReactionDiffusion {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<ReactionDiffusion> {
        let values = &request.values;
        let (usual, seed) = (preset(values, Parameters::default())?, request.seed());
        let parameters = changed(values, usual);
        let edges = values.choice("edges", &EDGE_RULES).unwrap_or(Edges::Repeat);
        let simulation = match request.cells(values.size("size"), ABOUT.name, ["u", "v"])? {
            Some(([width, height], state)) => {
                GrayScott::from_state(gpu, width, height, parameters, edges, &state)?
            }
            None => {
                let [width, height] = values.size("size").unwrap_or([512, 512]);
                GrayScott::new(gpu, width, height, parameters, edges, seed)?
            }
        };
        let start = values.choice("start", &STARTS).unwrap_or(Start::Many);
        let show = values.choice("show", &SHOWN).unwrap_or(Show::Relief);
        let loaded = match request.load {
            Some(_) => Some((simulation.state().data()?, seed)),
            None => None,
        };
        let view = FieldView::new(gpu, request, &field(&simulation, show))?;
        let mut demo = ReactionDiffusion {
            simulation,
            start,
            show,
            loaded,
            usual,
            seed,
            begun: false,
            steps: 0,
            #[cfg(feature = "panel")]
            alive: Alive { largest: gpu.reduction(Operator::max()), last: None },
            view,
        };
        if start != Start::Many {
            demo.reset(seed)?;
        }
        Ok(demo)
    }
}

impl ReactionDiffusion {
    /// The beginning of that seed.
    fn begin(&mut self, seed: u64) -> Result<()> {
        let count = match self.start {
            Start::Many => return Ok(self.simulation.reset(seed)?),
            Start::Few => 5,
            Start::One => 1,
        };
        let (width, height) = (self.simulation.width(), self.simulation.height());
        Ok(self.simulation.set_state(&sparse(width, height, count, seed))?)
    }

    /// The panel looks for a pattern at once.
    fn look_anew(&mut self) {
        #[cfg(feature = "panel")]
        {
            self.alive.last = None;
        }
    }

    /// Takes a preset, and begins anew: the pattern of the one before may not live by it.
    fn take(&mut self, preset: Parameters) -> Result<()> {
        self.usual = preset;
        self.simulation.set_parameters(preset)?;
        self.reset(self.seed)?;
        self.begun = true;
        Ok(())
    }
}

/// v, which hardly ever passes 0.4, or u, of which 0.2 are left at least.
fn field(simulation: &GrayScott, show: Show) -> Field<'_> {
    let (colours, mapping) = match show {
        Show::Relief => ("cividis", Mapping { relief: RELIEF, ..Mapping::of_component(1, 0.0, 0.4) }),
        Show::V => (palette::DEFAULT, Mapping::of_component(1, 0.0, 0.4)),
        Show::U => ("viridis", Mapping::of_component(0, 0.2, 1.0)),
    };
    Field {
        buffer: simulation.state(),
        heights: false,
        colours,
        mapping: Mapping { smooth: true, ..mapping },
    }
}

impl Demo for ReactionDiffusion {
    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.simulation.width(), self.simulation.height()), "cells")
    }

    fn values(&self) -> Values {
        let Parameters { feed, kill, du, dv } = self.simulation.parameters();
        let edges = name_of(&EDGE_RULES, &self.simulation.edges());
        Values::new()
            .with("F", feed)
            .with("k", kill)
            .with("Du", du)
            .with("Dv", dv)
            .with("start", name_of(&STARTS, &self.start))
            .with("edges", edges)
            .with("show", name_of(&SHOWN, &self.show))
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        if values.has("preset") {
            self.take(preset(values, self.usual)?)?;
        }
        self.show = values.choice("show", &SHOWN).unwrap_or(self.show);
        if let Some(start) = values.choice("start", &STARTS).filter(|&start| start != self.start) {
            self.start = start;
            self.reset(self.seed)?;
            self.begun = true;
        }
        let before = self.simulation.parameters();
        let now = changed(values, before);
        if now != before {
            self.simulation.set_parameters(now)?;
        }
        Ok(())
    }

    fn numbers(&self) -> Result<Array> {
        let (width, height) = (self.simulation.width() as usize, self.simulation.height() as usize);
        Ok(Array { height, width, components: 2, values: self.simulation.state().data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.numbers()?, [0; 3]))
    }

    fn quantity(&self) -> Option<&str> {
        (self.show == Show::U).then_some("u")
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun)
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        (self.seed, self.steps) = (seed, 0);
        self.look_anew();
        match &self.loaded {
            Some((state, of)) if *of == seed => Ok(self.simulation.set_state(state)?),
            _ => self.begin(seed),
        }
    }

    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        Ok(self.simulation.step()?)
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.simulation.state().clone())
    }

    /// Eleven operations on numbers below 1.1, each rounded by at most 2⁻²⁴ of its result.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let before: Vec<f64> = before.values.iter().map(|&v| f64::from(v)).collect();
        let Array { width, height, values: after, .. } = self.numbers()?;
        let (parameters, edges) = (self.simulation.parameters().as_f64(), self.simulation.edges());
        let exact = oracle::gray_scott::step(&before, width, height, parameters, edges);
        let error = |(&a, e): (&f32, &f64)| (f64::from(a) - e).abs();
        // A loaded state may be anything, and u v² grows with the cube of it.
        let largest = before.iter().fold(1.1, |most: f64, v| most.max(v.abs()));
        let error = worst(after.iter().zip(&exact).map(error)) / (largest / 1.1).powi(3);
        Ok(vec![Measure { name: "error", error, bound: 16.0 * 2f64.powi(-24) }])
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(FieldPicture { field: field(&self.simulation, self.show), view: &mut self.view })
    }

    fn offer(&self, param: &Param) -> Offer {
        let Parameters { feed, kill, du, dv } = self.usual;
        let usual = [(FEED, feed), (KILL, kill), (DU, du), (DV, dv)];
        match usual.iter().find(|(rate, _)| rate.name == param.name) {
            Some(&(_, usual)) => Offer::of(param).usual(usual),
            None if param.name == PRESET.name => {
                let now = self.simulation.parameters();
                let preset = PRESETS.iter().find(|preset| preset.parameters == now);
                Offer::of(param).now(preset.map_or("", |preset| preset.name).to_owned())
            }
            None => Offer::of(param),
        }
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn outlines(&self) -> &'static [Outline] {
        &[Outline::Round, Outline::Square, Outline::Soft]
    }

    fn has_second_touch(&self) -> bool {
        true
    }

    /// A map of F and k: a place is taken as it is, a preset with its diffusion.
    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let now = self.simulation.parameters();
        match map::show(ui, now) {
            // Pressed longer than a frame, it is still one choice.
            Some(map::Chosen::Preset(preset)) if preset.parameters != now => self.take(preset.parameters)?,
            Some(map::Chosen::Preset(_)) => {}
            Some(map::Chosen::Place { feed, kill }) => {
                self.simulation.set_parameters(Parameters { feed, kill, ..now })?;
            }
            None => {}
        }
        if self.alive.look(&self.simulation, self.steps)? {
            ui.label("Paint with the left button, erase with the right one.");
        } else {
            let line = "Nothing is left of v: paint some, or press R. Where F and k let nothing live, it dies again.";
            ui.colored_label(ui.visuals().warn_fg_color, line);
        }
        Ok(())
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        self.look_anew();
        match touch {
            Touch::Cell { x, y, tip, drag } if drag.right => Ok(self.simulation.erase(x, y, tip)?),
            Touch::Cell { x, y, tip, .. } => Ok(self.simulation.paint(x, y, tip)?),
            Touch::Along(_) => Ok(()),
        }
    }

    fn watch(&mut self, kernel: &Path) {
        self.simulation.watch(kernel);
    }

    fn reload_if_changed(&mut self) -> Result<bool> {
        Ok(self.simulation.reload_if_changed()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::TestHost;

    #[cfg(feature = "panel")]
    #[test]
    fn a_pattern_that_has_died_is_told_until_somebody_paints() -> Result<()> {
        use crate::picture::Drag;
        let values = Values::new().with("size", [24, 18]).with("F", 0.1f32).with("k", 0.1f32);
        let request = Rc::new(Request::new(values, Rc::new(TestHost::default())));
        let gpu = Gpu::headless()?;
        let mut demo = ReactionDiffusion::new(&gpu, &request)?;
        let alive = |demo: &mut ReactionDiffusion| demo.alive.look(&demo.simulation, demo.steps);
        assert!(alive(&mut demo)?);
        for _ in 0..LOOK {
            demo.step()?;
        }
        assert!(!alive(&mut demo)?, "at F = k = 0.1 everything dies");
        demo.touch(Touch::Cell { x: 9.0, y: 9.0, tip: 4.0.into(), drag: Drag::default() })?;
        assert!(alive(&mut demo)?);
        (0..LOOK).try_for_each(|_| demo.step())?;
        assert!(!alive(&mut demo)?);
        demo.reset(1)?;
        assert!(alive(&mut demo)?);
        Ok(())
    }

    /// Squares of 4 cells on 130 x 128: five of them do not meet, and each beginning is that of its seed.
    #[test]
    fn a_start_has_as_many_squares_as_it_says() -> Result<()> {
        let gpu = Gpu::headless()?;
        let state = |start: &'static str, seed| -> Result<Vec<f32>> {
            let values = Values::new().with("size", [130, 128]).with("start", start);
            let host = Rc::new(TestHost::default());
            let request = Request { seed: Some(seed), ..Request::new(values, host) };
            Ok((ABOUT.start)(&gpu, &Rc::new(request))?.numbers()?.values)
        };
        let fed = |state: &[f32]| state.as_chunks::<2>().0.iter().filter(|[_, v]| *v > 0.2).count();
        for (start, squares) in [("one", 1), ("few", 5)] {
            let [first, again, other] = [state(start, 1)?, state(start, 1)?, state(start, 2)?];
            assert_eq!(fed(&first), squares * 16, "{start}");
            assert!(first == again && first != other, "{start}");
            assert!(first[2 * (64 * 130 + 65) + 1] > 0.2, "{start}: one in the middle");
        }
        // Four squares of 20 cells, which may meet.
        assert!(fed(&state("many", 1)?) > 2 * 400);
        let values = Values::new().with("size", [24, 18]);
        let request = Rc::new(Request::new(values, Rc::new(TestHost::default())));
        let mut demo = (ABOUT.start)(&gpu, &request)?;
        demo.set(&Values::new().with("start", "one"))?;
        assert!(demo.has_begun_anew() && fed(&demo.numbers()?.values) == 1);
        demo.set(&Values::new().with("show", "u"))?;
        assert!(!demo.has_begun_anew() && demo.quantity() == Some("u"));
        Ok(())
    }

    #[test]
    fn a_preset_begins_anew_and_a_rate_goes_on() -> Result<()> {
        let values = Values::new().with("size", [24, 18]);
        let request = Rc::new(Request::new(values, Rc::new(TestHost::default())));
        let gpu = Gpu::headless()?;
        let mut demo = (ABOUT.start)(&gpu, &request)?;
        let start = demo.numbers()?.values;
        (0..9).try_for_each(|_| demo.step())?;
        demo.set(&Values::new().with("F", 0.03f32))?;
        assert!(!demo.has_begun_anew() && demo.numbers()?.values != start);
        demo.set(&Values::new().with("preset", "epsilon".to_owned()))?;
        assert!(demo.has_begun_anew() && !demo.has_begun_anew());
        assert_eq!(demo.numbers()?.values, start);
        demo.reset(2)?;
        let other = demo.numbers()?.values;
        demo.step()?;
        demo.set(&Values::new().with("preset", "coral".to_owned()))?;
        assert!(other != start && demo.numbers()?.values == other, "with the seed of the last beginning");
        Ok(())
    }
}
