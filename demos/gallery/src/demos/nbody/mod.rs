//! Bodies that attract one another, each all others (row C8).

mod check;
mod drift;
mod load;
#[cfg(feature = "panel")]
mod panel;
mod start;
mod view;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use quadrille::pug::Precision;
use quadrille::sim::nbody::scenes::{self, Scene};
use quadrille::sim::nbody::{Body, Forces, Integrator, NBody, Parameters};
use quadrille::view::Points;
use quadrille::{Buffer, Gpu};
use serde_json::{Map, Value as Json};

use self::drift::Drift;
use self::start::{INTEGRATORS, SUMS, changed};
use self::view::{Names, Tails, View};
use crate::demo::{About, Demo, Host, Interrupted, Measure, Request};
use crate::param::{Offer, Param, Values, name_of};
use crate::picture::{CAMERA, Glowing, Mark, Picture, PointPicture, PointView};
use crate::state::{Array, Named, Parts, State};

pub const ABOUT: About = About {
    name: "nbody",
    shows: "Bodies that attract one another: galaxies, a collapse, three bodies in an eight, planets (course slides)",
    keywords: "gravity galaxies stars planets orbit astronomy leapfrog energy",
    first: "Drag to turn the view; turn the wheel to come nearer",
    computes: "Every body attracts every other. A step sums all N x N pulls, by loops over tiles or as a texture of forces whose columns \
               are summed, then moves the bodies by the leapfrog rule, which keeps the energy. G = 1.",
    kernels: &["sim/nbody_pull.frag", "sim/nbody_collect.frag", "sim/nbody_advance.frag", "sim/nbody_conserved.frag"],
    paper: "Harris, course slides on N-body simulation; Nyland, Harris and Prins 2004",
    more: "\
--save, and --out of .npy, write (bodies, 7): x, y, z, vx, vy, vz, mass; --out of .exr the same as a picture 7 wide.
--json finds energies and momenta at the end; energy_drift is (E - E0) / |E0| with E0 that of the first state, \
momentum_drift |P - P0| over the square root of 2 M (K0 + |W0|), which all of it as motion one way would be; \
in_view counts the bodies in a picture of the end.",
    parameters: &[start::PARAMETERS, CAMERA],
    check: start::refuse,
    start: |gpu, request| Ok(Box::new(NBodyDemo::new(gpu, request)?)),
    ..About::NEW
};

/// Numbers of a body that are saved: position, velocity, mass.
const NUMBERS: usize = 7;

/// The numbers of each body.
const PARTS: Parts = Parts::Rows(&[("position", 3), ("velocity", 3), ("mass", 1)]);

/// Energies, momentum and angular momentum at first, in an array beside those.
const FIRST: &str = "conserved_at_first";

/// Bytes that hold a row of forces of any scene of the panel, however it is stepped.
const ANY_ROW: u64 = 1 << 16;

/// So few bodies are stepped several times a frame.
const FEW: usize = 1000;

struct NBodyDemo {
    gpu: Gpu,
    host: Rc<dyn Host>,
    run: Run,
    /// The scene's bodies are those of a file, which a reset brings back.
    loaded: bool,
    /// How many bodies scenes have that may have any number.
    count: usize,
    seed: u64,
    /// Another scene or another number of bodies has begun.
    anew: bool,
    /// A step that was checked went through numbers that 32 bits do not hold.
    beyond: Cell<bool>,
    view: PointView,
    /// Names of the planets in a window, where the scene has planets.
    names: Names,
    in_window: bool,
}

/// Bodies since their beginning.
struct Run {
    simulation: NBody,
    /// The scene as it was at first.
    scene: Scene,
    view: View,
    tails: Option<Tails>,
    drift: Drift,
}

impl Run {
    fn new(gpu: &Gpu, host: &dyn Host, scene: Scene) -> Result<Run> {
        let (bodies, parameters) = (&scene.bodies, scene.parameters);
        let made = NBody::new_with(gpu, bodies, parameters, Precision::Float32, &mut || watch(host))?;
        let simulation = made.ok_or_else(|| Interrupted("interrupted before the first step".to_owned()))?;
        let view = View::of(&scene, &simulation)?;
        let tails = Tails::of(gpu, &scene, &simulation)?;
        let drift = Drift::from(&simulation, &scene.bodies)?;
        Ok(Run { simulation, scene, view, tails, drift })
    }

    /// Steps otherwise from now on. Another softening is another energy: what drifts is then measured from here.
    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        let other_energy = parameters.softening != self.simulation.parameters().softening;
        self.simulation.set_parameters(parameters)?;
        if other_energy {
            self.drift = Drift::from(&self.simulation, &self.scene.bodies)?;
        }
        Ok(())
    }

    fn glowing(&self) -> Glowing<'_> {
        let View { stage, camera, look } = self.view;
        let (positions, velocities) = (self.simulation.positions(), self.simulation.velocities());
        let trail = self.tails.as_ref().map(Tails::trail);
        let points = Points { positions, velocities, trail };
        Glowing { points, stage, camera, look, colours: view::COLOURS }
    }
}

impl NBodyDemo {
    /// The bodies of a scene; of a file if there is one to begin with.
    fn of(gpu: &Gpu, request: &Rc<Request>, scene: Scene, count: usize, seed: u64) -> Result<NBodyDemo> {
        let (gpu, host, loaded) = (gpu.clone(), request.host.clone(), request.load.is_some());
        let run = Run::new(&gpu, &*host, scene)?;
        let view = PointView::new(&gpu, request, &run.glowing())?;
        let in_window = request.draws && !request.windowless;
        let (beyond, names) = (Cell::default(), Names::default());
        Ok(NBodyDemo { gpu, host, run, loaded, count, seed, anew: false, beyond, view, names, in_window })
    }

    /// Begins anew with another scene or another number of bodies, stepped by the time step and softening of the scene.
    fn begin_other(&mut self, name: &str, count: usize) -> Result<()> {
        if (name, count) == (self.run.scene.name, self.count) {
            return Ok(());
        }
        let Some(mut scene) = scenes::named(name, count, self.seed) else {
            bail!("no scene \"{name}\": there are {}", scenes::NAMES.join(", "));
        };
        let Parameters { forces, integrator, bytes, .. } = self.run.simulation.parameters();
        let bytes = bytes.max(ANY_ROW);
        scene.parameters = Parameters { forces, integrator, bytes, ..scene.parameters };
        self.run = Run::new(&self.gpu, &*self.host, scene)?;
        (self.count, self.loaded, self.anew, self.beyond) = (count, false, true, Cell::default());
        Ok(())
    }

    fn has_names(&self) -> bool {
        self.in_window && !self.loaded && self.run.scene.name == "solar-system"
    }

    /// Steps otherwise from now on, by forces within bytes that hold a row of them.
    fn step_by(&mut self, mut parameters: Parameters) -> Result<()> {
        if parameters.forces != self.run.simulation.parameters().forces {
            parameters.bytes = parameters.bytes.max(ANY_ROW);
        }
        self.run.set_parameters(parameters)
    }
}

/// Ends what can be ended on its way once somebody wants that.
fn watch(host: &dyn Host) -> ControlFlow<()> {
    if host.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

impl Demo for NBodyDemo {
    fn size(&self) -> (String, &'static str) {
        (self.run.simulation.len().to_string(), "bodies")
    }

    fn values(&self) -> Values {
        let Parameters { time_step, softening, forces, integrator, bytes } = self.run.simulation.parameters();
        Values::new()
            .with("scene", self.run.scene.name)
            .with("forces", name_of(&SUMS, &forces))
            .with("integrator", name_of(&INTEGRATORS, &integrator))
            .with("time-step", time_step)
            .with("softening", softening)
            .with_some("bytes", (forces == Forces::Matrix).then_some(bytes))
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        let name = values.word("scene").unwrap_or(self.run.scene.name);
        self.begin_other(name, values.whole("bodies").unwrap_or(self.count))?;
        let before = self.run.simulation.parameters();
        let now = changed(values, before);
        if now != before {
            self.step_by(now)?;
        }
        Ok(())
    }

    fn numbers(&self) -> Result<Array> {
        let bodies = self.run.simulation.bodies()?;
        let numbers = |body: &Body| {
            let ([x, y, z], [u, v, w]) = (body.position, body.velocity);
            [x, y, z, u, v, w, body.mass].map(|number| number as f32)
        };
        let values = bodies.iter().flat_map(numbers).collect();
        Ok(Array { height: bodies.len(), width: NUMBERS, components: 1, values })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = PARTS.split(&self.numbers()?, [0; 3]);
        arrays.push(Named::of_f64(FIRST, &[8], self.run.drift.first().to_vec()));
        Ok(arrays)
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        Ok([("time".to_owned(), self.run.simulation.time().into())].into_iter().collect())
    }

    /// Time goes on, and what drifts is measured from the beginning.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.run.simulation.set_clock(state.step, state.number("time")?);
        let first = state.array(FIRST, 1)?.f64s()?;
        let first = first
            .first_chunk()
            .filter(|_| first.len() == 8)
            .context("conserved_at_first: expected 8 numbers")?;
        self.run.drift.set_first(*first);
        Ok(())
    }

    /// As at first, of that seed, with the parameters in force.
    fn reset(&mut self, seed: u64) -> Result<()> {
        let (now, of_scene) = (self.run.simulation.parameters(), self.run.scene.parameters);
        let mut scene = self.run.scene.clone();
        if !self.loaded {
            scene = scenes::named(scene.name, self.count, seed).context("the scene that there was")?;
            scene.parameters = of_scene;
        }
        self.run = Run::new(&self.gpu, &*self.host, scene)?;
        (self.seed, self.beyond) = (seed, Cell::default());
        self.run.set_parameters(now)
    }

    fn step(&mut self) -> Result<()> {
        let Run { simulation, tails, .. } = &mut self.run;
        if simulation.step_with(&mut || watch(&*self.host))?.is_break() {
            return Err(Interrupted("interrupted within a step".to_owned()).into());
        }
        match tails {
            Some(tails) => tails.stepped(simulation),
            None => Ok(()),
        }
    }

    fn pace(&self) -> u64 {
        if self.run.simulation.len() <= FEW { 4 } else { 1 }
    }

    /// The buffer that the last pass of a step has drawn.
    fn drawn(&self) -> Option<Buffer> {
        let simulation = &self.run.simulation;
        Some(match simulation.parameters().integrator {
            Integrator::Leapfrog => simulation.velocities().clone(),
            Integrator::Euler => simulation.accelerations().clone(),
        })
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let (measures, beyond) = check::step(&self.run.simulation, &load::rows(before)?)?;
        self.beyond.set(self.beyond.get() || beyond);
        Ok(measures)
    }

    fn why_unchecked(&self) -> Option<&'static str> {
        let why =
            "some numbers on the way are beyond the range of 32-bit floats, where the bound does not hold";
        self.beyond.get().then_some(why)
    }

    fn warning(&self, state: &Array) -> Option<String> {
        load::strays(state)
    }

    /// The conserved quantities, and how far they are from those at first.
    fn findings(&self) -> Result<Json> {
        let simulation = &self.run.simulation;
        Ok(self.run.drift.json(&simulation.conserved()?, simulation.time()))
    }

    fn prepare(&mut self) -> Result<()> {
        if self.has_names() { self.names.look(&self.run.simulation) } else { Ok(()) }
    }

    /// Names of the planets.
    fn marks(&self) -> Vec<Mark> {
        let View { stage, look, .. } = &self.run.view;
        let disc_at = |place, mass| self.view.disc_of((stage, look), place, mass).ok().flatten();
        if self.has_names() { self.names.marks(disc_at) } else { Vec::new() }
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(PointPicture { bodies: self.run.glowing(), view: &mut self.view })
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    /// Sliders go from a tenth of the scene's value to ten times that.
    fn offer(&self, param: &Param) -> Offer {
        let Parameters { time_step, softening, .. } = self.run.scene.parameters;
        let about = |value: f32, least: f32| {
            let high = (value * 10.0).max(least);
            Offer::of(param).between((value / 10.0).into(), high.into()).usual(value)
        };
        match param.name {
            "bodies" if self.run.simulation.len() == self.count && !self.loaded => {
                Offer::of(param).now(self.count as u64)
            }
            "time-step" => about(time_step, 0.0),
            "softening" => about(softening, 0.5),
            _ => Offer::of(param),
        }
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.show_drift(ui)
    }
}
