//! A fluid in a flat box (rows E9, E10, A14): smoke, vortices and dye, pushed and walled in by the mouse.

mod account;
mod check;
mod figures;
mod findings;
mod panel;
mod scene;
mod start;
mod state;
mod swarm;
mod touch;

use std::cell::RefCell;

use anyhow::Result;
use quadrille::Gpu;
use quadrille::sim::fluid::Fluid;
use quadrille::view::Tint;
use serde_json::Value;

use self::account::Account;
use self::panel::Watched;
use self::scene::Setup;
use self::swarm::Swarm;
use self::touch::Mouse;
use super::shown::{Coloured, Flat, Shown, Touch};
use super::state::{Kept, Parts, State};
use super::{Measure, Simulation};
use crate::cli::ShowName;
use crate::files::Array;
use crate::files::npz::Named;

pub use start::chosen;

pub const NAME: &str = "fluid";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[
    ("scene", ""),
    ("grid", ""),
    ("pressure", ""),
    ("cycles", "pressure"),
    ("tolerance", "pressure"),
    ("sweeps", "pressure"),
    ("advection", ""),
    ("viscosity", "scene"),
    ("time-step", "scene"),
    ("confinement", "scene"),
    ("fading", "scene"),
    ("particles", ""),
    ("lossy", ""),
];

/// The numbers of a particle: x, y, age and number.
const PARTICLES: &str = "particle";

struct Vessel {
    gpu: Gpu,
    /// What is shown of it may have to be computed first.
    fluid: RefCell<Fluid>,
    setup: Setup,
    swarm: Option<Swarm>,
    account: Account,
    /// Of a scene whose energy decays by a law.
    first_energy: f64,
    seed: u64,
    /// A state from a file, which a reset of that seed brings back.
    loaded: Option<(Vec<f32>, u64)>,
    show: ShowName,
    /// What the last colour stands for, times this.
    range: f32,
    /// Whether particles are told apart by their numbers, else by their speeds.
    by_number: bool,
    mouse: Mouse,
    watched: Watched,
    /// The panel has put it back to a beginning.
    begun_anew: bool,
}

impl Vessel {
    /// A scene at its beginning, without particles.
    fn new(gpu: &Gpu, setup: Setup, seed: u64) -> Result<Vessel> {
        let fluid = setup.begin(gpu)?;
        let mut vessel = Vessel {
            gpu: gpu.clone(),
            fluid: RefCell::new(fluid),
            show: setup.show(),
            setup,
            swarm: None,
            account: Account::default(),
            first_energy: 0.0,
            seed,
            loaded: None,
            range: 1.0,
            by_number: false,
            mouse: Mouse::default(),
            watched: Watched::default(),
            begun_anew: false,
        };
        vessel.begun()?;
        Ok(vessel)
    }

    /// From such a state on, to which a reset of this seed leads back.
    fn load(&mut self, values: Vec<f32>) -> Result<()> {
        state::check(self.fluid.get_mut(), &values)?;
        state::set(self.fluid.get_mut(), &values)?;
        self.loaded = Some((values, self.seed));
        self.begun()
    }

    /// The scene from its beginning, or from what was loaded.
    fn begin(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        let fluid = self.fluid.get_mut();
        self.setup.scene.reset(fluid)?;
        if let Some((values, of)) = &self.loaded
            && *of == seed
        {
            state::set(fluid, values)?;
        }
        self.begun()?;
        self.set_particles(self.swarm.as_ref().map_or(0, Swarm::len))
    }

    /// Another scene, grid or size, from its beginning.
    fn begin_anew(&mut self, setup: Setup) -> Result<()> {
        let (count, by_number) = (self.swarm.as_ref().map_or(0, Swarm::len), self.by_number);
        let (range, show) = (self.range, self.show);
        let mouse = std::mem::take(&mut self.mouse);
        let same = setup.name == self.setup.name || show == ShowName::Particles;
        let show = if same { show } else { setup.show() };
        *self = Vessel {
            range,
            by_number,
            show,
            mouse,
            begun_anew: true,
            ..Vessel::new(&self.gpu, setup, self.seed)?
        };
        self.set_particles(count)
    }

    /// What is measured against the beginning is measured from here.
    fn begun(&mut self) -> Result<()> {
        let fluid = self.fluid.get_mut();
        self.account = Account::begin(&self.gpu, fluid)?;
        self.first_energy = figures::energy(fluid)?;
        self.watched = Watched::default();
        Ok(())
    }

    /// How many particles there are from now on.
    fn set_particles(&mut self, count: u32) -> Result<()> {
        self.swarm = match count {
            0 => None,
            _ => Some(Swarm::new(&self.gpu, &self.fluid.borrow(), &self.setup, count, self.seed)?),
        };
        Ok(())
    }
}

impl Simulation for Vessel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn size(&self) -> (String, &'static str) {
        let [width, height] = self.fluid.borrow().grid().nodes();
        (format!("{width}x{height}"), "nodes")
    }

    fn parameters(&self) -> Value {
        findings::parameters(self)
    }

    fn state(&self) -> Result<Array> {
        state::of(&self.fluid.borrow())
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = Parts::Planes(&state::NAMES).split(&self.state()?, [0; 3]);
        if let Some(swarm) = &self.swarm {
            arrays.push(Named::of_f32(PARTICLES, &[swarm.len() as usize, 4], swarm.state()?));
        }
        Ok(arrays)
    }

    fn values(&self) -> Result<Value> {
        let mut values = self.parameters();
        values["lossy"] = (self.setup.is_tight() && !self.fluid.borrow().parameters().keep_mass).into();
        match &self.swarm {
            Some(swarm) => {
                (values["particle_steps"], values["particle_seed"]) =
                    (swarm.steps().into(), swarm.seed().into())
            }
            None => values["particles"] = Value::Null,
        }
        Ok(values)
    }

    /// Particles go on, as many as they are.
    fn restore(&mut self, state: &State) -> Result<()> {
        let whole = |name: &str| state.values.get(name).and_then(Value::as_u64);
        let (Some(swarm), Some(steps), true) = (&self.swarm, whole("particle_steps"), state.has(PARTICLES))
        else {
            return Ok(());
        };
        let found = state.array(PARTICLES, 2)?;
        if found.shape != [swarm.len() as usize, 4] {
            return Ok(());
        }
        let seed = whole("particle_seed").unwrap_or(self.seed);
        let mut swarm = Swarm::new(&self.gpu, &self.fluid.borrow(), &self.setup, swarm.len(), seed)?;
        swarm.set_state(&found.f32s()?, steps)?;
        self.swarm = Some(swarm);
        Ok(())
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.begin(seed)
    }

    fn step(&mut self) -> Result<()> {
        let fluid = self.fluid.get_mut();
        self.setup.step(fluid, &mut self.account)?;
        match &mut self.swarm {
            Some(swarm) => swarm.advance(fluid),
            None => Ok(()),
        }
    }

    fn sound(&self) -> Result<()> {
        check::sound(self)
    }

    fn whole_run(&self) -> u64 {
        self.setup.whole_run()
    }

    fn pace(&self) -> u64 {
        1
    }

    fn looks(&self) -> u64 {
        20
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        check::step(self, before)
    }

    fn warning(&self, state: &Array) -> Option<String> {
        check::too_far(self, state)
    }

    fn findings(&self) -> Result<Value> {
        findings::json(self)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        findings::lines(self)
    }

    fn shown(&self) -> Result<Shown<'_>> {
        let mut fluid = self.fluid.borrow_mut();
        // Solids that were just drawn.
        fluid.refresh()?;
        let field = match self.show {
            ShowName::Dye => Some(fluid.dye().clone()),
            ShowName::Vorticity => Some(fluid.vorticity()?.clone()),
            ShowName::Pressure => Some(fluid.pressure_field()?.clone()),
            ShowName::Speed | ShowName::Divergence | ShowName::Particles => None,
        };
        let positions = self.swarm.as_ref().map(|swarm| swarm.positions().clone());
        let most = self.setup.most(self.show) * self.range;
        let coloured = match (self.show, field) {
            (ShowName::Dye, Some(dye)) => Coloured::Dye(dye),
            (_, Some(field)) => Coloured::Signed(field, most),
            (ShowName::Speed, _) => Coloured::Speed(most),
            (ShowName::Divergence, _) => Coloured::Divergence(most),
            (_, None) => Coloured::Dark,
        };
        let (grid, velocity, solids) = (fluid.grid(), fluid.velocity().clone(), fluid.solids().clone());
        let fastest = self.setup.most(ShowName::Speed) * self.range;
        let tint = if self.by_number { Tint::Number } else { Tint::Speed(fastest) };
        Ok(Shown::Flat(Flat { grid, velocity, solids, coloured, positions, tint }))
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun_anew)
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn has_second_touch(&self) -> bool {
        self.fluid.borrow().takes_solids()
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        self.pressed(touch)
    }
}
