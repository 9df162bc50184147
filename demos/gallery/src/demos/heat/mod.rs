//! Heat on a plate around obstacles that are drawn by hand: the slides' flow control, on one problem with a switch.

mod isotherm;
mod question;
mod race;
mod scene;

use std::rc::Rc;

use anyhow::{Context, Result};
use quadrille::sim::heat::{Brush, Flow, Parameters, STATE, Sides};
use quadrille::sim::{Heat, Outline};
use quadrille::view::{Mapping, Tones};
use quadrille::{Buffer, Gpu};
use serde_json::{Map, Value as Json};

use self::isotherm::Isotherm;
use self::question::Question;
use self::scene::{SCENES, Scene};
use crate::demo::{About, Demo, Host, Measure, Request, Stamp, View};
use crate::param::{
    CELLS, Choice, Kept, Kind, Live, Offer, Param, Section, Slider, Value, Values, choices, name_of,
};
use crate::picture::{COLOURS, Field, FieldPicture, FieldView, Mark, Picture, Touch};
use crate::state::{Array, Named, Parts, State, worst};

pub const ABOUT: About = About {
    name: "heat",
    shows: "Heat around obstacles that are drawn by hand, and seven ways to branch (slides to GPU Gems 2, chapter 31)",
    keywords: "diffusion obstacles isotherm branch z-cull stencil occlusion query draw",
    first: "Draw with the mouse; the panel says what: obstacles, heat or cold",
    computes: "Heat flows from a hot edge around obstacles: in a step every open cell moves towards the mean of its open neighbours, so \
               that a plate twice as wide takes four times as many steps. Seven ways to decide per cell are the subject: a branch, arithmetic in its place, ranges of their own for edges, depth and stencil masks, factors \
               computed once. An occlusion query tells when nothing changes any more.",
    formula: "u′ = u + β Σ (u_n − u)     over the four neighbours n that are open: ∂u/∂t = ∇²u",
    kernels: &[
        "sim/heat_step.frag",
        "sim/heat_branch.frag",
        "sim/heat_cull.frag",
        "sim/heat_weights.frag",
        "flow/change_ask.frag",
    ],
    paper: "Harris, GPU Gems 2, chapter 31, and course slides on flow control",
    quantity: "temperature",
    stamps: &[Stamp::of("open", 0.0), Stamp::of("free", 0.0), Stamp::of("temperature", 0.0)],
    more: MORE,
    parameters: &[&[
        SIZE,
        SCENE,
        FLOW,
        BETA,
        EDGES,
        UNTIL,
        ISOTHERM,
        Param { default: "inferno", ..COLOURS },
    ]],
    start: |gpu, request| Ok(Box::new(HeatDemo::new(gpu, request)?)),
    ..About::NEW
};

/// How it begins, and what files hold.
const MORE: &str = "\
The plate begins cold, at 0, with a hot disc of 1 in its middle and obstacles that --seed chooses, or as --scene says.
--save and --out of .npy write (height, width, 3): temperature; open, 0 in an obstacle, else 1; free, 0 in an obstacle \
and where the temperature is held, else 1. --out of .exr has them as R, G and B.
The ways of --flow compute the same; branch may differ from the others by a rounding or two.";

/// Somebody who watches waits for the heat to arrive: a plate twice as wide takes four times as many steps.
const SIZE: Param =
    Param { default: "256x256, maze 96x96, heat-sink and room 160x160, or that of --load", ..CELLS };

const SCENE: Param = Param {
    name: "scene",
    kind: Kind::Choice(|| choices(&SCENES)),
    default: "obstacles",
    help: "The plate to begin with",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

const FLOW: Param = Param {
    name: "flow",
    symbol: "WAY",
    kind: Kind::Choice(|| Flow::ALL.map(|flow| Choice { name: flow.name(), help: explained(flow) }).to_vec()),
    default: "combined",
    help: "How a step decides what each cell needs: all ways compute the same, at unlike pace",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

/// The way in a line, for those who have not read the slides.
fn explained(flow: Flow) -> &'static str {
    match flow {
        Flow::Branch => "if and else at each cell",
        Flow::Arithmetic => "no if: what does not count is times 0",
        Flow::Ranges => "inside and edges drawn apart: none asks",
        Flow::Depth => "arithmetic; depth test skips obstacles",
        Flow::Stencil => "arithmetic; stencil test skips obstacles",
        Flow::Masks => "ranges; open neighbours found once",
        Flow::Combined => "masks; depth test skips obstacles",
    }
}

const BETA: Param = Param {
    name: "beta",
    symbol: "B",
    kind: Kind::above(0.0, 0.25),
    default: "0.25",
    help: "How much of the difference to a neighbour flows in a step, above 0. At 0.25, the most that is stable, a cell becomes the mean of \
           its four neighbours; less makes shorter steps of the same heat",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.01, 0.25)),
    section: Section::Physics,
    label: "flow a step, beta",
    ..Param::NEW
};

const EDGES: Param = Param {
    name: "edges",
    kind: Kind::Choice(|| choices(&EDGE_RULES)),
    default: "hot-to-cold; insulated with heat-sink and room",
    help: "What is held beyond the plate: 1 on the left and 0 on the right, 0 all around, or nothing",
    kept: Kept::With("scene"),
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

const EDGE_RULES: [(&str, &str, Sides); 3] = [
    ("hot-to-cold", "the left edge is held at 1, the right one at 0", Sides::HOT_TO_COLD),
    ("cold", "all edges are held at 0", Sides::COLD),
    ("insulated", "no heat flows out or in", Sides::INSULATED),
];

const UNTIL: Param = Param {
    name: "until",
    symbol: "EPS",
    kind: Kind::above_or(0.0, 1.0, NEVER),
    default: NEVER,
    help: "Run until a step changes no cell by more than EPS, where the hot side is 1, and then rest; a window closes if --steps \
           is given, and without one a million steps are the most unless --steps says otherwise",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(1e-7, 1e-2).logarithmic().first(1e-5)),
    section: Section::Solver,
    label: "rest below change",
    ..Param::NEW
};

const ISOTHERM: Param = Param {
    name: "isotherm",
    symbol: "T",
    kind: Kind::real_or(-1e30, 1e30, NONE),
    default: NONE,
    help: "Find the cells of at most 8x8 that the isotherm of temperature T crosses, by subdivision and occlusion queries; a \
           window marks them, and all pictures have the line. There is none in obstacles",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 1.0).first(0.5)),
    ..Param::NEW
};

/// The words of [`UNTIL`] and of [`ISOTHERM`] for no question.
/// Parts of all temperatures that lines divide in a picture, unless the user has others.
const ISOTHERMS: u32 = 10;

const NEVER: &str = "never";
const NONE: &str = "none";

/// The numbers of a state, [`STATE`] a cell.
const PARTS: Parts = Parts::Cells(&[("temperature", 1), ("open", 1), ("free", 1)]);

/// Steps without a window that end with a steady plate, at most.
const MOST: u64 = 1_000_000;

/// The colour of obstacles: a grey that no map of heat has.
const SLATE: [f32; 3] = [0.36, 0.43, 0.50];

#[cfg(feature = "panel")]
const BRUSHES: [(&str, &str, Brush); 4] = [
    ("obstacle", "heat neither enters it nor flows through", Brush::Obstacle),
    ("erase", "a plate that heat flows through again", Brush::Erase),
    ("hot", "held at temperature 1", Brush::Source(1.0)),
    ("cold", "held at temperature 0", Brush::Source(0.0)),
];

/// Those parameters, but where `values` says otherwise.
fn changed(values: &Values, before: Parameters) -> Parameters {
    Parameters {
        beta: values.real("beta").unwrap_or(before.beta),
        sides: values.choice("edges", &EDGE_RULES).unwrap_or(before.sides),
    }
}

fn flow(values: &Values) -> Option<Flow> {
    values.word("flow").and_then(Flow::named)
}

struct HeatDemo {
    heat: Heat,
    scene: Scene,
    /// The user has said the size; else each scene has its own.
    sized: bool,
    /// The seed of the last beginning, and whether the demo has gone back to it by itself.
    seed: u64,
    begun: bool,
    /// The loaded state and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
    brush: Brush,
    question: Question,
    isotherm: Isotherm,
    /// Steps a second of each way, once they have been compared.
    rates: Option<[f64; Flow::ALL.len()]>,
    view: FieldView,
    gpu: Gpu,
    host: Rc<dyn Host>,
}

impl HeatDemo {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<HeatDemo> {
        let (values, seed) = (&request.values, request.seed());
        let scene = values.choice(SCENE.name, &SCENES).unwrap_or_default();
        let parameters = changed(values, Parameters { sides: scene.sides(), ..Parameters::default() });
        let flow = flow(values).unwrap_or_default();
        let loaded = request.cells(values.size(SIZE.name), ABOUT.name, ["temperature", "open", "free"])?;
        let heat = match &loaded {
            Some(([width, height], state)) => {
                let file = || request.path().map_or(String::new(), |path| path.display().to_string());
                Heat::from_state(gpu, *width, *height, parameters, flow, state).with_context(file)?
            }
            None => {
                let [width, height] = values.size(SIZE.name).unwrap_or(scene.size());
                let mut heat = Heat::new(gpu, width, height, parameters, flow, seed)?;
                if scene != Scene::Obstacles {
                    heat.set_state(&scene.state(width, height, seed))?;
                }
                heat
            }
        };
        let view = FieldView::new(gpu, request, &field(&heat))?;
        Ok(HeatDemo {
            heat,
            scene,
            sized: values.has(SIZE.name) || loaded.is_some(),
            seed,
            begun: false,
            loaded: loaded.map(|(_, state)| (state, seed)),
            brush: Brush::Obstacle,
            question: Question::new(gpu, values.real(UNTIL.name)),
            isotherm: Isotherm::new(gpu, values.real(ISOTHERM.name)),
            rates: None,
            view,
            gpu: gpu.clone(),
            host: request.host.clone(),
        })
    }

    /// Steps with those from now on.
    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        if parameters != self.heat.parameters() {
            self.heat.set_parameters(parameters)?;
            self.question.begin_again();
        }
        Ok(())
    }
}

/// The temperatures, and obstacles in a colour of their own.
fn field(heat: &Heat) -> Field<'_> {
    let tones = Tones { lines: ISOTHERMS, ..Tones::default() };
    let mapping = Mapping::of_component(0, 0.0, 1.0);
    let mapping = Mapping { missing: SLATE, tones, smooth: true, blocks: true, ..mapping };
    Field { buffer: heat.picture(), heights: false, colours: "inferno", mapping }
}

impl Demo for HeatDemo {
    fn step(&mut self) -> Result<()> {
        self.heat.step()?;
        self.question.after_step(&mut self.heat)
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.question.begin_again();
        self.seed = seed;
        match &self.loaded {
            Some((state, of)) if *of == seed => Ok(self.heat.set_state(state)?),
            _ => Ok(self.heat.set_state(&self.scene.state(self.heat.width(), self.heat.height(), seed))?),
        }
    }

    fn uses_seed(&self) -> bool {
        self.scene.uses_seed()
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun)
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.heat.width(), self.heat.height()), "cells")
    }

    fn numbers(&self) -> Result<Array> {
        let (width, height) = (self.heat.width() as usize, self.heat.height() as usize);
        Ok(Array { height, width, components: STATE, values: self.heat.state()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.numbers()?, [0; 3]))
    }

    /// A plate is steady after so many steps since its beginning. Its masks were there before the state was saved: they are no part of
    /// the next step.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.heat.set_steps(state.step);
        Ok(self.heat.prepare()?)
    }

    fn values(&self) -> Values {
        let Parameters { beta, sides } = self.heat.parameters();
        Values::new()
            .with("scene", name_of(&SCENES, &self.scene))
            .with("flow", self.heat.flow().name())
            .with("beta", beta)
            .with("edges", name_of(&EDGE_RULES, &sides))
            .with_some("until", self.question.epsilon())
            .with_some("isotherm", self.isotherm.level())
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        if let Some(flow) = flow(values) {
            self.heat.set_flow(flow)?;
        }
        let mut before = self.heat.parameters();
        if let Some(scene) = values.choice(SCENE.name, &SCENES).filter(|&scene| scene != self.scene) {
            (self.scene, self.loaded, self.begun, before.sides) = (scene, None, true, scene.sides());
            self.rates = None;
            let [width, height] = scene.size();
            if !self.sized && [width, height] != [self.heat.width(), self.heat.height()] {
                self.heat = Heat::new(&self.gpu, width, height, before, self.heat.flow(), self.seed)?;
                self.isotherm = Isotherm::new(&self.gpu, self.isotherm.level());
            }
            self.reset(self.seed)?;
        }
        self.set_parameters(changed(values, before))?;
        if let Some(epsilon) = values.real_or_none(UNTIL.name) {
            self.question.set(epsilon);
        }
        if let Some(level) = values.real_or_none(ISOTHERM.name) {
            self.isotherm.set(level);
        }
        Ok(())
    }

    fn offer(&self, param: &Param) -> Offer {
        if param.name == EDGES.name {
            return Offer::of(param).usual(Value::Word(name_of(&EDGE_RULES, &self.scene.sides())));
        }
        match param.kind.word() {
            "" => Offer::of(param),
            word => Offer::of(param).now(word),
        }
    }

    fn findings(&self) -> Result<Json> {
        let mut findings = Map::new();
        if self.question.epsilon().is_some() {
            findings.insert("steady_after".to_owned(), self.question.steady().into());
        }
        if let Some(cells) = self.isotherm.count(&self.heat)? {
            findings.insert("isotherm_cells".to_owned(), cells.into());
        }
        Ok(if findings.is_empty() { Json::Null } else { findings.into() })
    }

    fn remarks(&self) -> Result<Vec<String>> {
        let isotherm = self.isotherm.remark(&self.heat)?;
        Ok(self.question.answer().into_iter().chain(isotherm).collect())
    }

    fn marks(&self) -> Vec<Mark> {
        self.isotherm.marks(&self.heat)
    }

    fn is_over(&self) -> bool {
        self.question.steady().is_some()
    }

    /// The error of a cell relative to M, the largest temperature. A difference is 2M at most: four of them and their sums are rounded by (4 + 9)·2M of
    /// 2⁻²⁴, of which β takes a quarter; the product by 2M, and what becomes of u by M.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let (plate, u) = quadrille_oracle::heat::Plate::of(&self.heat, &before.values);
        let after = self.heat.temperature().data()?;
        let error =
            worst(after.iter().zip(plate.step(&u)).map(|(&found, exact)| (f64::from(found) - exact).abs()));
        let beyond = plate.sides.into_iter().flatten();
        let largest = u.iter().copied().chain(beyond).fold(0.0, |most: f64, v| most.max(v.abs()));
        let error = if largest > 0.0 { error / largest } else { error };
        Ok(vec![Measure { name: "error", error, bound: 9.5 * 2f64.powi(-24) }])
    }

    fn whole_run(&self) -> u64 {
        if self.question.epsilon().is_some() { MOST } else { 1000 }
    }

    fn pace(&self) -> u64 {
        // The work of twenty steps of 512 x 512 cells.
        let cells = u64::from(self.heat.width()) * u64::from(self.heat.height());
        (20 * (512 * 512) / cells).clamp(1, 240)
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.heat.temperature().clone())
    }

    fn prepare(&mut self) -> Result<()> {
        self.heat.set_isotherm(self.isotherm.level())?;
        Ok(self.heat.refresh()?)
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(FieldPicture { field: field(&self.heat), view: &mut self.view })
    }

    /// Shows the gain of each way, follows the isotherm, and offers the brushes.
    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        ui.horizontal_wrapped(|ui| {
            ui.label("brush").on_hover_text("What the mouse leaves on the plate");
            for (name, help, brush) in BRUSHES {
                ui.selectable_value(&mut self.brush, brush, name).on_hover_text(help);
            }
        });
        self.isotherm.follow(&self.heat, ui)?;
        ui.separator();
        // Every way has its lines from the beginning on, so that nothing moves when their rates come.
        let compare = ui
            .button("Compare the seven ways")
            .on_hover_text("Runs each way for a moment on a copy of this plate: steps a second");
        if compare.clicked() {
            self.rates = Some(race::race(&self.gpu, &*self.host, &self.heat)?);
        }
        let fastest = self.rates.map(race::fastest);
        ui.label(fastest.map_or("not compared on this plate yet".to_owned(), |(way, rate)| {
            format!("the fastest is {}: {} steps/s", way.name(), crate::number::rate(rate))
        }));
        for (way, rate) in Flow::ALL.into_iter().zip(self.rates.map_or([None; 7], |rates| rates.map(Some))) {
            let rate = rate.zip(fastest).map_or("-".to_owned(), |(rate, (_, most))| {
                format!("{:>8}/s {:>3.0} %", crate::number::rate(rate), 100.0 * rate / most)
            });
            let row = egui::RichText::new(format!("{:<10}{rate:>16}", way.name())).monospace();
            ui.label(if way == self.heat.flow() { row.strong() } else { row });
            ui.weak(explained(way));
        }
        let steady = self.question.steady().map(|step| crate::number::counted(step, "step"));
        if let Some(steps) = steady {
            ui.label(format!("steady after {steps}"));
        }
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn outlines(&self) -> &'static [Outline] {
        &[Outline::Round, Outline::Square]
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        match touch {
            Touch::Cell { x, y, tip, .. } => {
                self.question.begin_again();
                Ok(self.heat.paint(self.brush, x, y, tip)?)
            }
            Touch::Along(_) => Ok(()),
        }
    }
}
