//! Waves on water: the demo of chapter 44, explicit and implicit.

use anyhow::Result;
use quadrille::linalg::Beyond;
use quadrille::sim::Wave;
use quadrille::sim::wave::{Parameters, STABLE, Scheme};
use quadrille::solve::Reason;
use quadrille::view::Mapping;
use quadrille::{Gpu, reference};
use serde_json::{Value, json};

use super::shown::{Field, Shown, Touch};
use super::state::{Kept, Parts, load_state, worst};
use super::{Chosen, Measure, Simulation, short};
use crate::cli::{Look, SchemeName, Size, WaveArguments, WaveEdges};
use crate::files::Array;
use crate::files::npz::Named;
use crate::output;

pub const NAME: &str = "wave";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[
    ("scheme", ""),
    ("beta", "scheme"),
    ("edges", ""),
    ("tolerance", ""),
    ("drops", "scheme"),
    ("seed", ""),
];

/// The heights of two steps.
const PARTS: Parts = Parts::Cells(&[("y", 1), ("y_last", 1)]);

/// Of an implicit step: those of the right-hand side, and of the heights that solve it.
const ROUNDINGS: f64 = 8.0;

/// How deep the mouse presses.
const TOUCH: f32 = -0.25;

pub fn chosen(own: WaveArguments) -> Chosen {
    let (arguments, colours) = (own.demo.clone(), own.colours.clone());
    let look = Look { colours, view: own.view, camera: own.camera.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, arguments: &WaveArguments) -> Result<Box<dyn Simulation>> {
    let (parameters, seed) = (parameters(arguments), arguments.demo.seed());
    let loaded = load_state(&arguments.demo, arguments.size, NAME, ["y", "y_last"])?;
    let wave = match &loaded {
        Some((Size { width, height }, state)) => Wave::from_state(gpu, *width, *height, parameters, state)?,
        None => {
            let Size { width, height } = arguments.size.unwrap_or(Size { width: 512, height: 512 });
            Wave::new(gpu, width, height, parameters, seed)?
        }
    };
    if let Some(warning) = warning(&parameters) {
        output::complain(&format!("warning: {warning}"));
    }
    // Explicit waves are never damped: much rain would be noise before long.
    let rain = if parameters.scheme == Scheme::Explicit { 150 } else { 40 };
    let drops = arguments.drops.unwrap_or(if loaded.is_some() { 0 } else { rain });
    let loaded = loaded.map(|(_, state)| (state, seed));
    Ok(Box::new(Waves { wave, loaded, drops, seed, complained: false }))
}

fn parameters(given: &WaveArguments) -> Parameters {
    let default = Parameters::default();
    let (scheme, beta) = match given.scheme {
        None | Some(SchemeName::Explicit) => (Scheme::Explicit, default.beta),
        Some(SchemeName::Implicit) => (Scheme::Implicit, 1.0),
    };
    let edges = match given.edges {
        None | Some(WaveEdges::Fixed) => Beyond::Zero,
        Some(WaveEdges::Reflecting) => Beyond::Reflection,
    };
    let (beta, tolerance) = (given.beta.unwrap_or(beta), given.tolerance.unwrap_or(default.tolerance));
    Parameters { scheme, beta, edges, tolerance }
}

/// What a user should know who asks for steps that are not stable.
fn warning(parameters: &Parameters) -> Option<String> {
    let beta = parameters.beta;
    let line = || format!("explicit steps of beta = {beta} blow up: they are stable up to {STABLE}");
    parameters.is_unstable().then(line)
}

struct Waves {
    wave: Wave,
    /// The loaded state and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
    /// A drop of rain every so many steps.
    drops: u64,
    /// Of the rain.
    seed: u64,
    /// A step whose system was not solved has been complained about.
    complained: bool,
}

impl Waves {
    fn reference(&self, beta: f64) -> reference::wave::Wave {
        let Parameters { edges, .. } = self.wave.parameters();
        let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
        reference::wave::Wave { width, height, beta, reflecting: edges == Beyond::Reflection }
    }

    /// How far the step from `before` to `after` is from its equation in f64, and what it may be.
    ///
    /// Explicit: the largest |found − exact| as a part of the largest height, of which eight sums of |c||y|, 3 + 8β at most,
    /// are rounded. Implicit: ‖(2 + αL) y − y_last − (1 − αL) y'‖ as a part of ‖right-hand side‖: the tolerance, and what 32 bits
    /// leave of it: eight roundings of sums of |c||y|, for which the norms of both matrices stand, 2 + 4β at most.
    fn miss(&self, before: &[f32], after: &[f32]) -> quadrille::Result<Measure> {
        let layer = |state: &[f32], i| -> Vec<f64> {
            state.iter().skip(i).step_by(2).map(|&v| f64::from(v)).collect()
        };
        let (y, last, found) = (layer(before, 0), layer(before, 1), layer(after, 0));
        let Parameters { scheme, beta, tolerance, .. } = self.wave.parameters();
        let (epsilon, beta) = (2f64.powi(-24), f64::from(beta));
        let part = |error: f64, size: f64| if size > 0.0 { error / size } else { error };
        let differences =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>();
        Ok(match scheme {
            Scheme::Explicit => {
                let exact = self.reference(beta).explicit(&y, &last)?;
                let largest = y.iter().chain(&last).fold(0.0, |most: f64, v| most.max(v.abs()));
                let error = part(worst(differences(&found, &exact).into_iter()), largest);
                Measure { name: "error", error, bound: 8.0 * epsilon * (3.0 + 8.0 * beta) }
            }
            Scheme::Implicit => {
                let right = self.reference(beta / 2.0).explicit(&y, &last)?;
                let product = self.reference(beta).matrix(1.0, -beta / 2.0)?.multiply(&found);
                let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
                let error = part(norm(&differences(&right, &product)), norm(&right));
                let (heights, last) = (norm(&y) + norm(&found), norm(&last));
                let rounding = epsilon * (ROUNDINGS * (2.0 + 4.0 * beta) * heights + 2.0 * last);
                let bound = f64::from(tolerance) + part(rounding, norm(&right));
                Measure { name: "residual", error, bound }
            }
        })
    }
}

impl Simulation for Waves {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        self.wave.step()?;
        let reason = self.wave.solved().map_or(Reason::Converged, |outcome| outcome.reason);
        if reason != Reason::Converged && !self.complained {
            self.complained = true;
            output::complain(&format!("warning: the system of a step was not solved: {reason}"));
        }
        Ok(())
    }

    /// Rain.
    fn before_step(&mut self, step: u64) -> Result<()> {
        match self.drops > 0 && step.is_multiple_of(self.drops) {
            true => Ok(self.wave.rain(self.seed, step / self.drops)?),
            false => Ok(()),
        }
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        match &self.loaded {
            Some((state, of)) if *of == seed => Ok(self.wave.set_state(state)?),
            _ => Ok(self.wave.reset(seed)?),
        }
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.wave.width(), self.wave.height()), "cells")
    }

    /// The heights, from half of the first drop: waves are lower, and rings a fifth of it.
    fn shown(&self) -> Result<Shown<'_>> {
        self.wave.refresh()?;
        let (buffer, mapping) = (self.wave.heights(), Mapping::of_component(0, 0.4, -0.4));
        Ok(Shown::Field(Field { buffer, heights: true, colours: "red_blue", mapping }))
    }

    fn state(&self) -> Result<Array> {
        let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
        Ok(Array { height, width, components: 2, values: self.wave.state()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.state()?, [0; 3]))
    }

    fn values(&self) -> Result<Value> {
        let mut values = self.parameters();
        values["seed"] = self.seed.into();
        Ok(values)
    }

    fn parameters(&self) -> Value {
        let Parameters { scheme, beta, edges, tolerance } = self.wave.parameters();
        let edges = if edges == Beyond::Zero { "fixed" } else { "reflecting" };
        let (beta, tolerance) = (short(beta), short(tolerance));
        match scheme {
            Scheme::Explicit => {
                json!({ "scheme": "explicit", "beta": beta, "edges": edges, "drops": self.drops })
            }
            Scheme::Implicit => json!({
                "scheme": "implicit", "beta": beta, "edges": edges, "tolerance": tolerance, "drops": self.drops
            }),
        }
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let unknown = Measure { name: "error", error: f64::NAN, bound: 0.0 };
        Ok(vec![self.miss(&before.values, &self.wave.state()?).unwrap_or(unknown)])
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let before = self.wave.parameters();
        let mut parameters = before;
        ui.horizontal(|ui| {
            ui.selectable_value(&mut parameters.scheme, Scheme::Explicit, "explicit");
            ui.selectable_value(&mut parameters.scheme, Scheme::Implicit, "implicit");
        });
        ui.horizontal(|ui| {
            ui.selectable_value(&mut parameters.edges, Beyond::Zero, "fixed edges");
            ui.selectable_value(&mut parameters.edges, Beyond::Reflection, "reflecting");
        });
        let most = if parameters.scheme == Scheme::Explicit { 1.0 } else { 100.0 };
        let mut beta = parameters.beta;
        let slider = egui::Slider::new(&mut beta, 0.01..=most).logarithmic(true).text("beta");
        if ui.add(slider.clamping(egui::SliderClamping::Edits)).changed() {
            parameters.beta = beta.clamp(0.01, 1e4);
        }
        ui.add(egui::Slider::new(&mut self.drops, 0..=1000).logarithmic(true).text("steps a drop"))
            .on_hover_text("A drop of rain every so many steps; 0 for none");
        // From implicit to explicit, where a large beta would break what is there at once.
        if before.scheme == Scheme::Implicit && parameters.is_unstable() && beta == before.beta {
            parameters.beta = Parameters::default().beta;
        }
        if parameters != before {
            self.wave.set_parameters(parameters)?;
        }
        if let Some(warning) = warning(&parameters) {
            ui.colored_label(ui.visuals().error_fg_color, warning);
        }
        if let Some(solved) = self.wave.solved() {
            let (iterations, residual) = (solved.iterations, solved.residual());
            ui.monospace(format!("{iterations} iterations, residual {residual:.1e}"));
        }
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        match touch {
            Touch::Cell { x, y, radius, .. } => Ok(self.wave.drop(x, y, radius, TOUCH)?),
            Touch::Along(_) => Ok(()),
        }
    }
}
