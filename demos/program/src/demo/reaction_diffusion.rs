//! Gray–Scott reaction–diffusion: the example of chapter 31.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use quadrille::gl::Edges;
use quadrille::sim::GrayScott;
use quadrille::sim::gray_scott::{PRESETS, Parameters};
use quadrille::view::Mapping;
use quadrille::{Gpu, reference};
use serde_json::{Value, json};

use super::shown::{Field, Shown, Touch};
use super::state::{Kept, Parts, load_state, worst};
use super::{Chosen, Measure, Simulation, short};
use crate::cli::{Look, ReactionArguments, ReactionEdges, Size};
use crate::files::Array;
use crate::files::npz::Named;
use crate::palette;

pub const NAME: &str = "reaction-diffusion";

/// The flags that a state keeps.
pub const KEPT: &[Kept] =
    &[("F", "preset"), ("k", "preset"), ("Du", "preset"), ("Dv", "preset"), ("edges", "")];

/// How much of both there is.
const PARTS: Parts = Parts::Cells(&[("u", 1), ("v", 1)]);

/// Where the step kernel lies in a checkout.
const KERNEL: &str = "glsl/sim/gray_scott_step.frag";

pub fn presets() -> Vec<String> {
    let line = |p: &quadrille::sim::gray_scott::Preset| {
        format!("{:8} F = {:<6} k = {:<6} {}", p.name, p.parameters.feed, p.parameters.kill, p.shows)
    };
    PRESETS.iter().map(line).collect()
}

pub fn chosen(own: ReactionArguments) -> Chosen {
    let (arguments, watch) = (own.demo.clone(), own.watch);
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch, start: Box::new(move |gpu| start(gpu, &own)) }
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, arguments: &ReactionArguments) -> Result<Box<dyn Simulation>> {
    let (parameters, seed) = (parameters(arguments)?, arguments.demo.seed());
    let edges = match arguments.edges {
        None | Some(ReactionEdges::Repeat) => Edges::Repeat,
        Some(ReactionEdges::Clamp) => Edges::Clamp,
    };
    let mut simulation = match load_state(&arguments.demo, arguments.size, NAME, ["u", "v"])? {
        Some((Size { width, height }, values)) => {
            GrayScott::from_state(gpu, width, height, parameters, edges, &values)?
        }
        None => {
            let Size { width, height } = arguments.size.unwrap_or(Size { width: 512, height: 512 });
            GrayScott::new(gpu, width, height, parameters, edges, seed)?
        }
    };
    if arguments.watch {
        let kernel = PathBuf::from(KERNEL);
        std::fs::metadata(&kernel)
            .with_context(|| format!("--watch: {KERNEL} (run it in the folder that holds glsl/)"))?;
        simulation.watch(&kernel);
    }
    let loaded = match arguments.demo.load {
        Some(_) => Some((simulation.state().data()?, seed)),
        None => None,
    };
    Ok(Box::new(ReactionDiffusion { simulation, loaded }))
}

fn parameters(arguments: &ReactionArguments) -> Result<Parameters> {
    let preset = match &arguments.preset {
        None => Parameters::default(),
        Some(name) => match Parameters::preset(name) {
            Some(parameters) => parameters,
            None => {
                let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                bail!("no preset \"{name}\": there are {}", names.join(", "));
            }
        },
    };
    Ok(Parameters {
        feed: arguments.feed.unwrap_or(preset.feed),
        kill: arguments.kill.unwrap_or(preset.kill),
        du: arguments.du.unwrap_or(preset.du),
        dv: arguments.dv.unwrap_or(preset.dv),
    })
}

struct ReactionDiffusion {
    simulation: GrayScott,
    /// The loaded state and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
}

/// A slider that leaves the value alone, range and decimals too, until somebody moves it.
fn slider(ui: &mut egui::Ui, name: &str, value: &mut f32, most: f32) {
    let mut shown = *value;
    let slider = egui::Slider::new(&mut shown, 0.0..=most).text(name).fixed_decimals(4);
    if ui.add(slider.clamping(egui::SliderClamping::Edits)).changed() {
        *value = shown.clamp(0.0, 1.0);
    }
}

impl Simulation for ReactionDiffusion {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        Ok(self.simulation.step()?)
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        match &self.loaded {
            Some((state, of)) if *of == seed => Ok(self.simulation.set_state(state)?),
            _ => Ok(self.simulation.reset(seed)?),
        }
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.simulation.width(), self.simulation.height()), "cells")
    }

    /// v, which hardly ever passes 0.4.
    fn shown(&self) -> Result<Shown<'_>> {
        let (buffer, mapping) = (self.simulation.state(), Mapping::of_component(1, 0.0, 0.4));
        Ok(Shown::Field(Field { buffer, heights: false, colours: palette::DEFAULT, mapping }))
    }

    fn state(&self) -> Result<Array> {
        let (width, height) = (self.simulation.width() as usize, self.simulation.height() as usize);
        Ok(Array { height, width, components: 2, values: self.simulation.state().data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.state()?, [0; 3]))
    }

    fn values(&self) -> Result<Value> {
        let mut values = self.parameters();
        values["edges"] = if self.simulation.edges() == Edges::Clamp { "clamp" } else { "repeat" }.into();
        Ok(values)
    }

    fn parameters(&self) -> Value {
        let Parameters { feed, kill, du, dv } = self.simulation.parameters();
        json!({ "F": short(feed), "k": short(kill), "Du": short(du), "Dv": short(dv) })
    }

    /// Eleven operations on numbers below 1.1, each rounded by at most 2⁻²⁴ of its result.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let before: Vec<f64> = before.values.iter().map(|&v| f64::from(v)).collect();
        let Array { width, height, values: after, .. } = self.state()?;
        let (parameters, edges) = (self.simulation.parameters().as_f64(), self.simulation.edges());
        let exact = reference::gray_scott::step(&before, width, height, parameters, edges);
        let error = |(&a, e): (&f32, &f64)| (f64::from(a) - e).abs();
        // A loaded state may be anything, and u v² grows with the cube of it.
        let largest = before.iter().fold(1.1, |most: f64, v| most.max(v.abs()));
        let error = worst(after.iter().zip(&exact).map(error)) / (largest / 1.1).powi(3);
        Ok(vec![Measure { name: "error", error, bound: 16.0 * 2f64.powi(-24) }])
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let before = self.simulation.parameters();
        let mut parameters = before;
        let chosen = PRESETS.iter().find(|preset| preset.parameters == parameters);
        egui::ComboBox::from_label("preset")
            .selected_text(chosen.map_or("(own)", |preset| preset.name))
            .show_ui(ui, |ui| {
                for preset in PRESETS {
                    ui.selectable_value(&mut parameters, preset.parameters, preset.name)
                        .on_hover_text(preset.shows);
                }
            });
        slider(ui, "F", &mut parameters.feed, 0.12);
        slider(ui, "k", &mut parameters.kill, 0.08);
        slider(ui, "Du", &mut parameters.du, 1.0);
        slider(ui, "Dv", &mut parameters.dv, 1.0);
        if parameters != before {
            self.simulation.set_parameters(parameters)?;
        }
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        match touch {
            Touch::Cell { x, y, radius, .. } => Ok(self.simulation.paint(x, y, radius)?),
            Touch::Along(_) => Ok(()),
        }
    }

    fn reload_if_changed(&mut self) -> Result<bool> {
        Ok(self.simulation.reload_if_changed()?)
    }
}
