//! Bodies that attract one another, each all others (row C8).

mod check;
mod drift;
mod load;
mod panel;
mod start;
mod view;

use std::cell::Cell;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::pug::Precision;
use quadrille::sim::nbody::scenes::{self, Scene};
use quadrille::sim::nbody::{Body, Forces, NBody, Parameters};
use quadrille::view::Points;
use serde_json::{Value, json};

use self::drift::Drift;
use self::view::{Tails, View};
use super::shown::{Glowing, Shown};
use super::state::{Kept, Parts, State};
use super::{Measure, Simulation, short};
use crate::files::Array;
use crate::files::npz::Named;
use crate::interrupt;
use crate::output::Interrupted;

pub use start::chosen;

pub const NAME: &str = "nbody";

/// Numbers of a body that are saved: position, velocity, mass.
const NUMBERS: usize = 7;

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[
    ("scene", ""),
    ("forces", ""),
    ("integrator", ""),
    ("time-step", "scene"),
    ("softening", "scene"),
    ("bytes", "forces"),
];

/// Of each body.
const PARTS: Parts = Parts::Rows(&[("position", 3), ("velocity", 3), ("mass", 1)]);

/// Energies, momentum and angular momentum at first, in an array beside those.
const FIRST: &str = "conserved_at_first";

/// Bytes that hold a row of forces of any scene of the panel, however it is stepped.
const ANY_ROW: u64 = 1 << 16;

/// So few bodies are stepped several times a frame.
const FEW: usize = 1000;

struct Bodies {
    gpu: Gpu,
    simulation: NBody,
    /// What there was at first.
    scene: Scene,
    /// The scene's bodies are those of a file, which a reset brings back.
    loaded: bool,
    /// How many bodies scenes have that may have any number.
    count: usize,
    seed: u64,
    view: View,
    tails: Option<Tails>,
    drift: Drift,
    /// A step that was checked went through numbers that 32 bits do not hold.
    beyond: Cell<bool>,
}

impl Bodies {
    fn new(gpu: &Gpu, scene: Scene, count: usize, seed: u64, loaded: bool) -> Result<Bodies> {
        let (bodies, parameters) = (&scene.bodies, scene.parameters);
        let made = NBody::new_with(gpu, bodies, parameters, Precision::Float32, &mut interrupt::watch)?;
        let simulation = made.ok_or_else(|| Interrupted("interrupted before the first step".to_owned()))?;
        let view = View::of(&scene, &simulation)?;
        let tails = Tails::of(gpu, &scene, &simulation)?;
        let drift = Drift::from(&simulation, &scene.bodies)?;
        Ok(Bodies {
            gpu: gpu.clone(),
            simulation,
            scene,
            loaded,
            count,
            seed,
            view,
            tails,
            drift,
            beyond: Cell::default(),
        })
    }

    /// Begins anew with another scene, which is stepped by its own time step and softening.
    fn begin(&mut self, name: &str) -> Result<()> {
        let Some(mut scene) = scenes::named(name, self.count, self.seed) else {
            bail!("no scene \"{name}\": there are {}", scenes::NAMES.join(", "));
        };
        let Parameters { forces, integrator, bytes, .. } = self.simulation.parameters();
        let bytes = bytes.max(ANY_ROW);
        scene.parameters = Parameters { forces, integrator, bytes, ..scene.parameters };
        *self = Bodies::new(&self.gpu, scene, self.count, self.seed, false)?;
        Ok(())
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
}

impl Simulation for Bodies {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        if self.simulation.step_with(&mut interrupt::watch)?.is_break() {
            return Err(Interrupted("interrupted within a step".to_owned()).into());
        }
        match &mut self.tails {
            Some(tails) => tails.stepped(&self.simulation),
            None => Ok(()),
        }
    }

    /// As at first, of that seed, with the parameters in force.
    fn reset(&mut self, seed: u64) -> Result<()> {
        let (now, of_scene) = (self.simulation.parameters(), self.scene.parameters);
        let mut scene = self.scene.clone();
        if !self.loaded {
            scene = scenes::named(scene.name, self.count, seed).context("the scene that there was")?;
            scene.parameters = of_scene;
        }
        *self = Bodies::new(&self.gpu, scene, self.count, seed, self.loaded)?;
        self.set_parameters(now)
    }

    fn size(&self) -> (String, &'static str) {
        (self.simulation.len().to_string(), "bodies")
    }

    fn shown(&self) -> Result<Shown<'_>> {
        let View { stage, camera, look } = self.view;
        let (positions, velocities) = (self.simulation.positions(), self.simulation.velocities());
        let trail = self.tails.as_ref().map(Tails::trail);
        let points = Points { positions, velocities, trail };
        Ok(Shown::Points(Glowing { points, stage, camera, look, colours: view::COLOURS }))
    }

    fn state(&self) -> Result<Array> {
        let bodies = self.simulation.bodies()?;
        let numbers = |body: &Body| {
            let ([x, y, z], [u, v, w]) = (body.position, body.velocity);
            [x, y, z, u, v, w, body.mass].map(|number| number as f32)
        };
        let values = bodies.iter().flat_map(numbers).collect();
        Ok(Array { height: bodies.len(), width: NUMBERS, components: 1, values })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = PARTS.split(&self.state()?, [0; 3]);
        arrays.push(Named::of_f64(FIRST, &[8], self.drift.first().to_vec()));
        Ok(arrays)
    }

    fn values(&self) -> Result<Value> {
        let mut values = self.parameters();
        if self.simulation.parameters().forces == Forces::Tiled {
            values["bytes"] = Value::Null;
        }
        values["time"] = self.simulation.time().into();
        Ok(values)
    }

    /// Time goes on, and what drifts is measured from the beginning.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.simulation.set_clock(state.step, state.number("time")?);
        let first = state.array(FIRST, 1)?.f64s()?;
        let first = first
            .first_chunk()
            .filter(|_| first.len() == 8)
            .context("conserved_at_first: expected 8 numbers")?;
        self.drift.set_first(*first);
        Ok(())
    }

    fn parameters(&self) -> Value {
        let p = self.simulation.parameters();
        json!({
            "scene": self.scene.name,
            "forces": start::forces_name(p.forces), "integrator": start::integrator_name(p.integrator),
            "time_step": short(p.time_step), "softening": short(p.softening), "bytes": p.bytes,
        })
    }

    /// What all bodies together have, and how far it is from what they had at first.
    fn findings(&self) -> Result<Value> {
        Ok(self.drift.json(&self.simulation.conserved()?, self.simulation.time()))
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let (measures, beyond) = check::step(&self.simulation, &load::rows(before)?)?;
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

    fn pace(&self) -> u64 {
        if self.simulation.len() <= FEW { 4 } else { 1 }
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }
}
