//! Waves on water: the demo of chapter 44, explicit and implicit.

use std::rc::Rc;

use anyhow::Result;
use quadrille::linalg::BoundaryCondition;
use quadrille::sim::Wave;
use quadrille::sim::wave::{Parameters, STABLE, Scheme};
use quadrille::view::Mapping;
use quadrille::{Buffer, Gpu};
use quadrille_oracle as oracle;
use serde_json::{Map, Value as Json};

use crate::demo::{About, Demo, Host, Measure, Request, Stamp, Usage};
use crate::param::{CELLS, Kept, Kind, Live, Offer, Param, Slider, Values, choices, name_of};
use crate::picture::{self, CAMERA, COLOURS, Field, FieldPicture, FieldView, Picture, Touch};
use crate::state::{Array, Named, Parts, State, worst};

pub const ABOUT: About = About {
    name: "wave",
    shows: "Waves on water, explicit and implicit (chapter 44)",
    keywords: "water ripples height field implicit Chebyshev solver drops",
    first: "Press the water; drag with the right button to turn it",
    computes: "The wave equation on a height field. An explicit step is a product with a banded matrix, stable up to beta = 0.5; an \
               implicit one solves a linear system by Chebyshev's iteration, stays stable at any beta, and damps the waves. The surface is \
               lit by its normals.",
    kernels: &["sim/wave_step.frag", "linalg/banded.frag", "sim/wave_drop.frag"],
    paper: "Krüger and Westermann, GPU Gems 2, chapter 44",
    quantity: "height",
    stamps: &[Stamp::of("y", 0.25), Stamp::of("y_last", 0.25)],
    parameters: &[&[CELLS, SCHEME, BETA, TOLERANCE, DROPS, EDGES, picture::VIEW, MAP], CAMERA],
    check: refuse,
    start: |gpu, request| Ok(Box::new(Waves::new(gpu, request)?)),
    ..About::NEW
};

const SCHEME: Param = Param {
    name: "scheme",
    kind: Kind::Choice(|| choices(&SCHEMES)),
    default: "explicit",
    help: "One matrix-vector product a step, or a linear system a step, which takes any beta",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

const SCHEMES: [(&str, &str, Scheme); 2] =
    [("explicit", "", Scheme::Explicit), ("implicit", "", Scheme::Implicit)];

const BETA: Param = Param {
    name: "beta",
    symbol: "B",
    kind: Kind::above(0.0, 1e4),
    default: "0.45 explicit, 1 implicit",
    help: "(c dt / h)^2: explicit steps are stable up to 0.5",
    kept: Kept::With("scheme"),
    live: Live::Slider(Slider::to(0.01, 1.0).logarithmic()),
    ..Param::NEW
};

const TOLERANCE: Param = Param {
    name: "tolerance",
    symbol: "T",
    kind: Kind::real(1e-7, 0.1),
    default: "1e-6",
    help: "Residual at which a step is solved, as part of the right-hand side, 1e-7 to 0.1 (only for --scheme implicit)",
    kept: Kept::With("scheme"),
    live: Live::Slider(Slider::to(1e-7, 0.1).logarithmic()),
    ..Param::NEW
};

const DROPS: Param = Param {
    name: "drops",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: u64::MAX },
    default: "explicit 150, implicit 40; 0 with --load",
    help: "A drop of rain every N steps, 0 for none",
    kept: Kept::With("scheme"),
    live: Live::Slider(Slider::to(0.0, 1000.0).logarithmic()),
    label: "steps a drop",
    ..Param::NEW
};

const EDGES: Param = Param {
    name: "edges",
    kind: Kind::Choice(|| choices(&EDGE_RULES)),
    default: "fixed",
    help: "What lies beyond the edges: 0, or the edge itself",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

const EDGE_RULES: [(&str, &str, BoundaryCondition); 2] =
    [("fixed", "", BoundaryCondition::Dirichlet), ("reflecting", "", BoundaryCondition::Neumann)];

const MAP: Param =
    Param { default: "red_blue", help: "Colour map of the flat map; `help` lists them", ..COLOURS };

/// The heights of two steps.
const PARTS: Parts = Parts::Cells(&[("y", 1), ("y_last", 1)]);

/// What implicit steps go by besides the heights.
const PACE: &str = "pace";

/// Roundings of an implicit step: those of the right-hand side, and of the heights that solve it.
const ROUNDINGS: f64 = 8.0;

/// How deep the mouse presses.
const TOUCH: f32 = -0.25;

/// # Errors
/// [`Usage`]: a flag that the scheme has no use for.
fn refuse(request: &Request) -> Result<()> {
    let scheme = request.values.choice("scheme", &SCHEMES).unwrap_or(Scheme::Explicit);
    if request.values.has("tolerance") && scheme == Scheme::Explicit {
        return Err(Usage("--tolerance: only for --scheme implicit".to_owned()).into());
    }
    Ok(())
}

fn parameters(given: &Values) -> Parameters {
    let default = Parameters::default();
    let scheme = given.choice("scheme", &SCHEMES).unwrap_or(Scheme::Explicit);
    let beta = if scheme == Scheme::Explicit { default.beta } else { 1.0 };
    Parameters {
        scheme,
        beta: given.real("beta").unwrap_or(beta),
        edges: given.choice("edges", &EDGE_RULES).unwrap_or(BoundaryCondition::Dirichlet),
        tolerance: given.real("tolerance").unwrap_or(default.tolerance),
    }
}

/// Steps a drop. Explicit waves are never damped: much rain would be noise before long.
fn rain(scheme: Scheme) -> u64 {
    if scheme == Scheme::Explicit { 150 } else { 40 }
}

/// A line for a user who asks for steps that are not stable.
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
    /// The seed of the rain.
    seed: u64,
    view: FieldView,
    host: Rc<dyn Host>,
    /// A step whose system was not solved has been complained about.
    complained: bool,
}

impl Waves {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Waves> {
        let given = &request.values;
        let (parameters, seed) = (parameters(given), request.seed());
        let loaded = request.cells(given.size("size"), ABOUT.name, ["y", "y_last"])?;
        let wave = match &loaded {
            Some(([width, height], state)) => Wave::from_state(gpu, *width, *height, parameters, state)?,
            None => {
                let [width, height] = given.size("size").unwrap_or([512, 512]);
                Wave::new(gpu, width, height, parameters, seed)?
            }
        };
        if let Some(warning) = warning(&parameters) {
            request.host.warn(&warning);
        }
        let usual = if loaded.is_some() { 0 } else { rain(parameters.scheme) };
        let drops = given.whole("drops").unwrap_or(usual);
        let loaded = loaded.map(|(_, state)| (state, seed));
        let view = FieldView::new(gpu, request, &field(&wave))?;
        Ok(Waves { wave, loaded, drops, seed, view, host: request.host.clone(), complained: false })
    }

    fn reference(&self, beta: f64) -> oracle::wave::Wave {
        let Parameters { edges, .. } = self.wave.parameters();
        let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
        oracle::wave::Wave { width, height, beta, reflecting: edges == BoundaryCondition::Neumann }
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

/// The heights, from half of the first drop: waves are lower, and rings a fifth of it.
fn field(wave: &Wave) -> Field<'_> {
    let mapping = Mapping::of_component(0, 0.4, -0.4);
    Field { buffer: wave.heights(), heights: true, colours: "red_blue", mapping }
}

impl Demo for Waves {
    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.wave.width(), self.wave.height()), "cells")
    }

    fn values(&self) -> Values {
        let Parameters { scheme, beta, edges, tolerance } = self.wave.parameters();
        let tolerance = (scheme == Scheme::Implicit).then_some(tolerance);
        Values::new()
            .with("scheme", name_of(&SCHEMES, &scheme))
            .with("beta", beta)
            .with("edges", name_of(&EDGE_RULES, &edges))
            .with_some("tolerance", tolerance)
            .with("drops", self.drops)
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        let before = self.wave.parameters();
        let mut now = Parameters {
            scheme: values.choice("scheme", &SCHEMES).unwrap_or(before.scheme),
            beta: values.real("beta").unwrap_or(before.beta),
            edges: values.choice("edges", &EDGE_RULES).unwrap_or(before.edges),
            tolerance: values.real("tolerance").unwrap_or(before.tolerance),
        };
        // From implicit to explicit, where a large beta would break what is there at once.
        if before.scheme == Scheme::Implicit && now.is_unstable() && now.beta == before.beta {
            now.beta = Parameters::default().beta;
        }
        if now != before {
            self.wave.set_parameters(now)?;
        }
        self.drops = values.whole("drops").unwrap_or(self.drops);
        Ok(())
    }

    fn numbers(&self) -> Result<Array> {
        let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
        Ok(Array { height, width, components: 2, values: self.wave.state()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = PARTS.split(&self.numbers()?, [0; 3]);
        let pace = self.wave.pace()?;
        if !pace.is_empty() {
            arrays.push(Named::of_f32(PACE, &[pace.len()], pace));
        }
        Ok(arrays)
    }

    /// Implicit steps of the same system go on at their pace; others begin anew, as after a drop.
    fn restore(&mut self, state: &State) -> Result<()> {
        let Parameters { scheme, beta, tolerance, .. } = self.wave.parameters();
        let same = |name, now: f32| state.number(name).is_ok_and(|then| then as f32 == now);
        if scheme == Scheme::Implicit && state.has(PACE) && same("beta", beta) && same("tolerance", tolerance)
        {
            self.wave.set_pace(&state.array(PACE, 1)?.f32s()?)?;
        }
        Ok(())
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        Ok([("seed".to_owned(), self.seed.into())].into_iter().collect())
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        match &self.loaded {
            Some((state, of)) if *of == seed => Ok(self.wave.set_state(state)?),
            _ => Ok(self.wave.reset(seed)?),
        }
    }

    /// Rain.
    fn before_step(&mut self, step: u64) -> Result<()> {
        match self.drops > 0 && step.is_multiple_of(self.drops) {
            true => Ok(self.wave.rain(self.seed, step / self.drops)?),
            false => Ok(()),
        }
    }

    fn step(&mut self) -> Result<()> {
        self.wave.step()?;
        if let Some(solved) = self.wave.solved().filter(|solved| !solved.meets_tolerance)
            && !self.complained
        {
            self.complained = true;
            let (residual, tolerance) = (solved.residual, self.wave.parameters().tolerance);
            let line = format!("the system of a step was solved to {residual:.1e}, not to {tolerance:.1e}");
            self.host.warn(&line);
        }
        Ok(())
    }

    /// The heights, one a texel: made of the state, so that waiting for them waits for the step.
    fn drawn(&self) -> Option<Buffer> {
        self.wave.refresh().ok()?;
        Some(self.wave.heights().clone())
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let unknown = Measure { name: "error", error: f64::NAN, bound: 0.0 };
        Ok(vec![self.miss(&before.values, &self.wave.state()?).unwrap_or(unknown)])
    }

    fn prepare(&mut self) -> Result<()> {
        Ok(self.wave.refresh()?)
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(FieldPicture { field: field(&self.wave), view: &mut self.view })
    }

    fn offer(&self, param: &Param) -> Offer {
        let scheme = self.wave.parameters().scheme;
        match param.name {
            "beta" if scheme == Scheme::Implicit => Offer::of(param).between(0.01, 100.0).usual(1.0f32),
            "beta" => Offer::of(param).usual(Parameters::default().beta),
            "drops" => Offer::of(param).usual(if self.loaded.is_some() { 0 } else { rain(scheme) }),
            _ => Offer::of(param),
        }
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        if let Some(warning) = warning(&self.wave.parameters()) {
            ui.colored_label(ui.visuals().error_fg_color, warning);
        }
        if let Some(solved) = self.wave.solved() {
            let (iterations, residual) = (solved.iterations, solved.residual);
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
