//! Heat on a plate around obstacles that are drawn by hand: the slides' flow control, on one problem with a switch.

mod isotherm;
mod question;
mod race;

use anyhow::{Context, Result};
use quadrille::Gpu;
use quadrille::sim::Heat;
use quadrille::sim::heat::{Brush, Flow, Parameters, STATE, Sides};
use quadrille::view::Mapping;
use serde_json::{Map, Value, json};

use self::isotherm::Isotherm;
use self::question::Question;
use self::race::race;
use super::shown::{Field, Mark, Shown, Touch};
use super::state::{Kept, Parts, State, load_state, worst};
use super::{Chosen, Measure, Simulation, short};
use crate::cli::{HeatArguments, HeatEdges, Look, Size};
use crate::files::Array;
use crate::files::npz::Named;
use crate::output;

pub const NAME: &str = "heat";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[("flow", ""), ("beta", ""), ("edges", ""), ("until", ""), ("isotherm", "")];

/// What [`STATE`] numbers are.
const PARTS: Parts = Parts::Cells(&[("temperature", 1), ("open", 1), ("free", 1)]);

/// Steps without a window that end with a steady plate, at most.
const MOST: u64 = 1_000_000;

/// Of obstacles: a grey that no map of heat has.
const SLATE: [f32; 3] = [0.36, 0.43, 0.50];

const BRUSHES: [(&str, Brush); 4] = [
    ("obstacle", Brush::Obstacle),
    ("erase", Brush::Erase),
    ("hot", Brush::Source(1.0)),
    ("cold", Brush::Source(0.0)),
];

const EDGES: [(&str, Sides); 3] =
    [("hot to cold", Sides::HOT_TO_COLD), ("cold", Sides::COLD), ("insulated", Sides::INSULATED)];

pub fn chosen(own: HeatArguments) -> Chosen {
    let mut arguments = own.demo.clone();
    if own.until.is_some() && arguments.is_windowless() {
        arguments.steps.get_or_insert(MOST);
    }
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, arguments: &HeatArguments) -> Result<Box<dyn Simulation>> {
    let (parameters, flow, seed) =
        (parameters(arguments), arguments.flow.unwrap_or_default(), arguments.demo.seed());
    let loaded = load_state(&arguments.demo, arguments.size, NAME, ["temperature", "open", "free"])?;
    let heat = match &loaded {
        Some((Size { width, height }, state)) => {
            let file =
                || arguments.demo.load.as_ref().map_or(String::new(), |path| path.display().to_string());
            Heat::from_state(gpu, *width, *height, parameters, flow, state).with_context(file)?
        }
        None => {
            let Size { width, height } = arguments.size.unwrap_or(Size { width: 512, height: 512 });
            Heat::new(gpu, width, height, parameters, flow, seed)?
        }
    };
    let question = Question::new(gpu, arguments.until);
    let isotherm = Isotherm::new(gpu, arguments.isotherm);
    let loaded = loaded.map(|(_, state)| (state, seed));
    let (brush, gpu) = (Brush::Obstacle, gpu.clone());
    Ok(Box::new(Plate { heat, loaded, brush, question, isotherm, rates: None, gpu }))
}

fn parameters(arguments: &HeatArguments) -> Parameters {
    let sides = match arguments.edges {
        None | Some(HeatEdges::HotToCold) => Sides::HOT_TO_COLD,
        Some(HeatEdges::Cold) => Sides::COLD,
        Some(HeatEdges::Insulated) => Sides::INSULATED,
    };
    let default = Parameters::default();
    Parameters { beta: arguments.beta.unwrap_or(default.beta), sides }
}

struct Plate {
    heat: Heat,
    /// The loaded state and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
    brush: Brush,
    question: Question,
    isotherm: Isotherm,
    /// Steps a second of each way, once they have been compared.
    rates: Option<[f64; Flow::ALL.len()]>,
    gpu: Gpu,
}

impl Simulation for Plate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        self.heat.step()?;
        self.question.after_step(&mut self.heat)
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.question.begin_again();
        match &self.loaded {
            Some((state, of)) if *of == seed => Ok(self.heat.set_state(state)?),
            _ => Ok(self.heat.reset(seed)?),
        }
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.heat.width(), self.heat.height()), "cells")
    }

    fn shown(&self) -> Result<Shown<'_>> {
        self.heat.refresh()?;
        let mapping = Mapping { missing: SLATE, ..Mapping::of_component(0, 0.0, 1.0) };
        Ok(Shown::Field(Field { buffer: self.heat.picture(), heights: false, colours: "inferno", mapping }))
    }

    fn state(&self) -> Result<Array> {
        let (width, height) = (self.heat.width() as usize, self.heat.height() as usize);
        Ok(Array { height, width, components: STATE, values: self.heat.state()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.state()?, [0; 3]))
    }

    fn values(&self) -> Result<Value> {
        Ok(self.parameters())
    }

    /// A plate is steady after so many steps since its beginning.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.heat.set_steps(state.step);
        Ok(())
    }

    fn parameters(&self) -> Value {
        let Parameters { beta, sides } = self.heat.parameters();
        let edges = EDGES.iter().find(|(_, known)| *known == sides).map(|(name, _)| name.replace(' ', "-"));
        json!({
            "flow": self.heat.flow().name(), "beta": short(beta), "edges": edges,
            "until": self.question.epsilon().map(short), "isotherm": self.isotherm.level().map(short),
        })
    }

    fn findings(&self) -> Result<Value> {
        let mut findings = Map::new();
        if self.question.epsilon().is_some() {
            findings.insert("steady_after".to_owned(), self.question.steady().into());
        }
        if let Some(cells) = self.isotherm.count(&self.heat)? {
            findings.insert("isotherm_cells".to_owned(), cells.into());
        }
        Ok(if findings.is_empty() { Value::Null } else { findings.into() })
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

    /// Of the largest temperature, M. A difference is 2M at most: four of them and their sums are rounded by (4 + 9)·2M of
    /// 2⁻²⁴, of which β takes a quarter; the product by 2M, and what becomes of u by M.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let (plate, u) = self.heat.in_f64(&before.values);
        let after = self.heat.temperature().data()?;
        let error =
            worst(after.iter().zip(plate.step(&u)).map(|(&found, exact)| (f64::from(found) - exact).abs()));
        let beyond = plate.sides.into_iter().flatten();
        let largest = u.iter().copied().chain(beyond).fold(0.0, |most: f64, v| most.max(v.abs()));
        let error = if largest > 0.0 { error / largest } else { error };
        Ok(vec![Measure { name: "error", error, bound: 9.5 * 2f64.powi(-24) }])
    }

    fn pace(&self) -> u64 {
        20
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.flow_widgets(ui)?;
        ui.separator();
        let before = self.heat.parameters();
        let mut parameters = before;
        ui.horizontal_wrapped(|ui| {
            for (name, sides) in EDGES {
                ui.selectable_value(&mut parameters.sides, sides, name);
            }
        })
        .response
        .on_hover_text("What is held beyond the plate");
        let mut beta = parameters.beta;
        let slider = egui::Slider::new(&mut beta, 0.01..=0.25).text("beta");
        if ui.add(slider.clamping(egui::SliderClamping::Edits)).changed() {
            parameters.beta = beta;
        }
        if parameters != before {
            self.heat.set_parameters(parameters)?;
            self.question.begin_again();
        }
        self.question.widgets(ui);
        self.isotherm.widgets(ui, &self.heat)?;
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            for (name, brush) in BRUSHES {
                ui.selectable_value(&mut self.brush, brush, name);
            }
        })
        .response
        .on_hover_text("What the mouse leaves on the plate");
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        match touch {
            Touch::Cell { x, y, radius, .. } => {
                self.question.begin_again();
                Ok(self.heat.paint(self.brush, x, y, radius)?)
            }
            Touch::Along(_) => Ok(()),
        }
    }
}

impl Plate {
    /// The switch, and what there is to gain by it.
    fn flow_widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let mut flow = self.heat.flow();
        egui::Grid::new("ways").num_columns(2).show(ui, |ui| {
            for (i, way) in Flow::ALL.into_iter().enumerate() {
                ui.selectable_value(&mut flow, way, way.name()).on_hover_text(way.shows());
                if let Some(rates) = self.rates {
                    ui.monospace(format!("{} steps/s", output::rate(rates[i])));
                }
                ui.end_row();
            }
        });
        self.heat.set_flow(flow)?;
        let compare =
            ui.button("Compare").on_hover_text("Runs each way for a moment on a copy of this plate");
        if compare.clicked() {
            self.rates = Some(race(&self.gpu, &self.heat)?);
        }
        Ok(())
    }
}
