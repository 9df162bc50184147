//! A fluid in a flat box (rows E9, E10, A14): smoke, vortices and dye, pushed and walled in by the mouse.

mod check;
mod dye;
mod figures;
mod findings;
#[cfg(feature = "panel")]
mod panel;
mod parameters;
mod scene;
mod shown;
mod start;
mod state;
mod touch;
mod tracers;
mod wake;

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use quadrille::sim::Outline;
use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Divergence, Fluid, Kind, Parameters, Pressure, Region, Side};
use quadrille::{Buffer, Gpu};
use serde_json::{Map, Value as Json};

use self::dye::DyeCorrection;
use self::figures::Profile;
use self::parameters::{SHOWN, changed};
use self::scene::{Setup, Show};
use self::shown::Shown;
use self::touch::Mouse;
use self::tracers::{Tracers, usual_trail};
use self::wake::Wake;
use crate::demo::{About, Demo, Export, Exported, Host, Measure, Stamp, View};
use crate::param::{Offer, Param, Value, Values, name_of};
use crate::picture::{FlatPicture, FlatView, Mark, Picture, Touch, Unit, WITHIN};
use crate::state::{Array, Named, Parts, State};

pub const ABOUT: About = About {
    name: "fluid",
    shows: "Smoke, vortices and dye in a flat box: the fluid of Stam and of Bolz et al. (multigrid)",
    keywords: "smoke vortices Navier-Stokes Karman street cylinder Strouhal channel cavity pressure particles",
    first: "Drag to pour and stir; the right button draws walls",
    computes: "The Navier-Stokes equations in a flat box. In a step the flow carries itself and the dye along (a cell looks back to where its \
               air was), viscosity and forces act, and a pressure is found that keeps air from piling up: where more flows in than out \
               (the divergence), it rises and pushes the air away. It solves the Poisson equation, by cycles over coarser and coarser \
               grids: multigrid.",
    formula: "∂u/∂t = −(u · ∇) u − ∇p + ν ∇²u + f,   div u = 0\n\
              pressure: ∇²p = div u* / Δt,   u = u* − Δt ∇p,   u* the flow before it",
    kernels: &[
        "sim/fluid_advect.frag",
        "sim/fluid_force.frag",
        "sim/fluid_divergence.frag",
        "solve/multigrid_restrict.frag",
        "solve/multigrid_prolong.frag",
        "sim/fluid_project.frag",
    ],
    paper: "Stam, SIGGRAPH 1999; Bolz, Farmer, Grinspun and Schröder, SIGGRAPH 2003",
    more: parameters::MORE,
    stamps: &[Stamp { north_up: true, spare: 1, ..Stamp::of("solid", 1.0) }],
    parameters: &[parameters::ALL, &[WITHIN]],
    flags: parameters::FLAGS,
    exports: &[Export {
        flag: PROFILE,
        help: "u and v on the middle lines of a square cavity at Re = 100, 400 or 1000, and what Ghia, Ghia & Shin have",
        plot: false,
    }],
    check: start::check,
    start: |gpu, request| Ok(Box::new(FluidDemo::new(gpu, request)?)),
    ..About::NEW
};

/// The flag that writes the profiles of a cavity.
const PROFILE: &str = "profile";

/// The array of the numbers of particles: x, y, age and number of each.
const PARTICLES: &str = "particle";

/// The values of a state that say where particles are gathered, lengths.
const GATHERED: [&str; 4] = ["particles_west", "particles_south", "particles_east", "particles_north"];

/// The colour of walls around the box.
const FRAME: [u8; 4] = [190, 195, 205, 130];

struct FluidDemo {
    gpu: Gpu,
    /// There will be something to see.
    draws: bool,
    /// Steps of a particle's trail, if somebody has said how many.
    trail: Option<u32>,
    host: Rc<dyn Host>,
    /// Findings of a channel draw its vorticity.
    fluid: RefCell<Fluid>,
    setup: Setup,
    tracers: Option<Tracers>,
    dye: DyeCorrection,
    /// The velocity behind the cylinder of a street.
    wake: Wake,
    /// The energy at first, for a scene whose energy decays by a law.
    first_energy: f64,
    seed: u64,
    /// A state from a file, which a reset of that seed brings back.
    loaded: Option<(Vec<f32>, u64)>,
    shown: Shown,
    view: FlatView,
    mouse: Mouse,
    /// The divergence that was read back last, for the panel.
    watched: Option<Watched>,
    /// It was put back to a beginning while it ran.
    begun_anew: bool,
}

/// A divergence that was read back.
struct Watched {
    found: Option<Divergence>,
    /// The profiles of a cavity that there are tables of.
    profiles: Option<[Profile; 2]>,
    steps: u64,
    /// Seconds by the host's clock.
    at: f64,
}

impl FluidDemo {
    /// Goes to the scene's beginning, or to what was loaded.
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
        self.set_particles(self.tracers.as_ref().map_or(0, Tracers::len))
    }

    /// Begins another scene, or one on another grid or of another size.
    fn begin_anew(&mut self, setup: Setup) -> Result<()> {
        let fluid = setup.begin(&self.gpu)?;
        if setup.name != self.setup.name && self.shown.show != Show::Particles {
            self.shown.show = setup.show();
        }
        self.shown.forget();
        // Another box has other places.
        if let Some(tracers) = &mut self.tracers {
            tracers.gather(None, &self.setup)?;
        }
        (self.fluid, self.setup) = (RefCell::new(fluid), setup);
        (self.loaded, self.begun_anew) = (None, true);
        self.begun()?;
        self.set_particles(self.tracers.as_ref().map_or(0, Tracers::len))
    }

    /// Measures from here on what is measured against the beginning.
    fn begun(&mut self) -> Result<()> {
        let fluid = self.fluid.get_mut();
        self.dye = DyeCorrection::begin(&self.gpu, fluid)?;
        self.first_energy = figures::energy(fluid)?;
        (self.watched, self.wake) = (None, Wake::default());
        Ok(())
    }

    /// Begins with so many particles, where they are gathered, if they are.
    fn set_particles(&mut self, count: u32) -> Result<()> {
        let gathered = self.tracers.take().and_then(|tracers| tracers.gathered());
        self.tracers = match count {
            0 => None,
            _ => Some(Tracers::new(&self.gpu, &self.fluid.borrow(), &self.setup, count, self.seed)?),
        };
        if let (Some(tracers), Some(region)) = (&mut self.tracers, gathered) {
            tracers.gather(Some(region), &self.setup)?;
            tracers.scatter()?;
        }
        self.remember()
    }

    /// Keeps as many steps of particles as their trails are long.
    fn remember(&mut self) -> Result<()> {
        let Some(tracers) = self.tracers.as_mut().filter(|_| self.draws) else { return Ok(()) };
        tracers.set_trail(self.trail.unwrap_or(usual_trail(tracers.len())))
    }

    /// Begins anew where the scene or the grid is another one: a scene brings all but the way to the pressure.
    fn set_scene(&mut self, name: Name, kind: Kind) -> Result<()> {
        let parameters = self.fluid.get_mut().parameters();
        if name != self.setup.name {
            let said = |of_scene| Parameters { pressure: parameters.pressure, ..of_scene };
            self.begin_anew(Setup::new(&self.gpu, name, kind, None, said)?)?;
        } else if kind != self.setup.kind() {
            let size = self.setup.size()?;
            self.begin_anew(Setup::new(&self.gpu, name, kind, Some(size), |_| parameters)?)?;
        }
        Ok(())
    }

    /// Steps with those from now on.
    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        let fluid = self.fluid.get_mut();
        let before = fluid.parameters();
        if parameters == before {
            return Ok(());
        }
        fluid.set_parameters(parameters)?;
        self.setup.scene.parameters = parameters;
        if parameters.keep_mass != before.keep_mass {
            self.dye = DyeCorrection::begin(&self.gpu, fluid)?;
        }
        match &mut self.tracers {
            Some(tracers) => tracers.set_births(&self.setup),
            None => Ok(()),
        }
    }
}

impl Demo for FluidDemo {
    fn size(&self) -> (String, &'static str) {
        let [width, height] = self.fluid.borrow().grid().nodes();
        (format!("{width}x{height}"), "nodes")
    }

    /// A thin line where the box has walls.
    fn marks(&self) -> Vec<Mark> {
        let [west, east, south, north] = self.setup.scene.setting.sides.list();
        let corners = [[0.0f32, 1.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]];
        let side = |side: Side, from: usize| {
            let ([x, y], [x1, y1]) = (corners[from], corners[(from + 1) % 4]);
            let points = |ends: [f32; 2]| ends.map(|t| [x + t * (x1 - x), y + t * (y1 - y)]).to_vec();
            // Corners go clockwise from the south-west, parts of inlets from the south or the west.
            let parts = match side {
                Side::Wall | Side::NoSlip { .. } => vec![[0.0, 1.0]],
                Side::Inlet { from: low, to: high, .. } if from < 2 => vec![[0.0, low], [high, 1.0]],
                Side::Inlet { from: low, to: high, .. } => vec![[0.0, 1.0 - high], [1.0 - low, 1.0]],
                Side::Outlet | Side::Periodic => Vec::new(),
            };
            let parts = parts.into_iter().filter(|[low, high]| low < high);
            parts
                .map(points)
                .map(|points| Mark::Path { points, colour: FRAME, arrow: false })
                .collect::<Vec<_>>()
        };
        [(west, 0), (north, 1), (east, 2), (south, 3)]
            .into_iter()
            .flat_map(|(kind, at)| side(kind, at))
            .collect()
    }

    fn numbers(&self) -> Result<Array> {
        state::of(&self.fluid.borrow())
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = Parts::Planes(&state::NAMES).split(&self.numbers()?, [0; 3]);
        if let Some(tracers) = &self.tracers {
            arrays.push(Named::of_f32(PARTICLES, &[tracers.len() as usize, 4], tracers.state()?));
        }
        Ok(arrays)
    }

    fn values(&self) -> Values {
        let p = self.fluid.borrow().parameters();
        let values = Values::new()
            .with("scene", self.setup.name.name())
            .with("grid", self.setup.kind().name())
            .with("pressure", p.pressure.name())
            .with("advection", p.advection.name())
            .with("viscosity", p.viscosity)
            .with("time-step", p.time_step)
            .with("confinement", p.confinement)
            .with("fading", p.fading)
            .with("lossy", self.setup.is_tight() && !p.keep_mass)
            .with_some("particles", self.tracers.as_ref().map(Tracers::len))
            .with_some(
                "trail",
                self.tracers.as_ref().map(|tracers| self.trail.unwrap_or(usual_trail(tracers.len()))),
            )
            .with("show", name_of(&SHOWN, &self.shown.show));
        match p.pressure {
            Pressure::Multigrid { cycles, .. } => values.with("cycles", cycles),
            Pressure::Cg { tolerance } => values.with("tolerance", tolerance),
            Pressure::Jacobi { sweeps } => values.with("sweeps", sweeps),
        }
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        let (name, kind) = (self.setup.name, self.setup.kind());
        let (name, kind) =
            (parameters::scene(values).unwrap_or(name), parameters::grid(values).unwrap_or(kind));
        self.set_scene(name, kind)?;
        let mut now = changed(values, self.fluid.get_mut().parameters());
        if let Some(&Value::Flag(lossy)) = values.get("lossy") {
            now.keep_mass = self.setup.is_tight() && !lossy;
        }
        self.set_parameters(now)?;
        if let Some(count) = values.whole("particles").filter(|_| start::can_draw_particles(&self.gpu))
            && count != self.tracers.as_ref().map_or(0, Tracers::len)
        {
            self.set_particles(count)?;
        }
        if let Some(trail) = values.whole("trail").filter(|_| self.tracers.is_some()) {
            self.trail = Some(trail);
            self.remember()?;
        }
        let asked = values.choice("show", &SHOWN);
        self.shown.show = asked.unwrap_or(self.shown.show);
        if self.shown.show == Show::Particles && self.tracers.is_none() {
            match asked.is_some() && start::can_draw_particles(&self.gpu) {
                true => self.set_particles(start::PARTICLES)?,
                false => self.shown.show = self.setup.show(),
            }
        }
        Ok(())
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let mut extras: Map<String, Json> =
            [("time".to_owned(), self.fluid.borrow().time().into())].into_iter().collect();
        let Some(tracers) = &self.tracers else { return Ok(extras) };
        let counts = [("particle_steps", tracers.steps()), ("particle_seed", tracers.seed())];
        extras.extend(counts.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        if let Some(Region { low, high }) = tracers.gathered() {
            let ends = low.into_iter().chain(high);
            extras.extend(GATHERED.into_iter().zip(ends).map(|(name, end)| (name.to_owned(), end.into())));
        }
        Ok(extras)
    }

    /// Time goes on, and particles, as many as they are.
    fn restore(&mut self, state: &State) -> Result<()> {
        // States of old do not say it.
        if state.values.contains_key("time") {
            let time = state.number("time")?;
            anyhow::ensure!(time.is_finite(), "time: expected a finite number, found {time}");
            self.fluid.get_mut().set_time(time);
        }
        let whole = |name: &str| state.values.get(name).and_then(Json::as_u64);
        let (Some(tracers), Some(steps), true) =
            (&self.tracers, whole("particle_steps"), state.has(PARTICLES))
        else {
            return Ok(());
        };
        let found = state.array(PARTICLES, 2)?;
        if found.shape != [tracers.len() as usize, 4] {
            return Ok(());
        }
        let seed = whole("particle_seed").unwrap_or(self.seed);
        let mut tracers = Tracers::new(&self.gpu, &self.fluid.borrow(), &self.setup, tracers.len(), seed)?;
        if state.values.contains_key(GATHERED[0]) {
            let [west, south, east, north] = GATHERED.map(|name| state.number(name).map(|end| end as f32));
            tracers.gather(Some(Region { low: [west?, south?], high: [east?, north?] }), &self.setup)?;
        }
        tracers.set_state(&found.f32s()?, steps)?;
        self.tracers = Some(tracers);
        self.remember()
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.begin(seed)
    }

    fn step(&mut self) -> Result<()> {
        let fluid = self.fluid.get_mut();
        self.setup.step(fluid, &mut self.dye)?;
        if self.setup.name == Name::Street {
            self.wake.look(fluid)?;
        }
        match &mut self.tracers {
            Some(tracers) => tracers.advance(fluid),
            None => Ok(()),
        }
    }

    fn sound(&self) -> Result<()> {
        check::sound(self)
    }

    fn whole_run(&self) -> u64 {
        self.setup.whole_run()
    }

    /// The plume makes 0.004 of its time a frame: smoke takes about 2 from floor to ceiling, eight seconds of sixty frames.
    fn pace(&self) -> u64 {
        match self.setup.name {
            Name::Plume => (0.004 / self.setup.usual.time_step).round().clamp(1.0, 8.0) as u64,
            _ => 1,
        }
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

    fn findings(&self) -> Result<Json> {
        findings::json(self)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        findings::lines(self)
    }

    fn export(&self, _flag: &str) -> Result<Option<Exported>> {
        let known =
            "--profile: there are tables of a square cavity at Re = 100, 400 and 1000, without confinement";
        let profiles = findings::profiles(self)?.ok_or_else(|| anyhow::anyhow!(known))?;
        Ok(Some(Exported::Text(findings::csv(&profiles))))
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.fluid.borrow().velocity().clone())
    }

    fn prepare(&mut self) -> Result<()> {
        self.shown.prepare(self.fluid.get_mut())
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view, &mut self.shown, &mut self.mouse]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let fluid = self.shown.basin(self.fluid.get_mut(), &self.setup, self.tracers.as_ref());
        let shows = name_of(&SHOWN, &self.shown.show);
        Box::new(FlatPicture { view: &mut self.view, fluid, shows, unit: Unit::NONE })
    }

    fn offer(&self, param: &Param) -> Offer {
        let (offer, usual) = (Offer::of(param), &self.setup.usual);
        match param.name {
            "time-step" => {
                let time_step = f64::from(usual.time_step);
                offer.between(0.1 * time_step, 10.0 * time_step).usual(usual.time_step)
            }
            "viscosity" => offer.usual(usual.viscosity),
            "confinement" => offer.usual(usual.confinement),
            "fading" => offer.usual(usual.fading),
            "trail" => match &self.tracers {
                Some(tracers) => offer.usual(usual_trail(tracers.len())),
                None => offer,
            },
            "particles" if start::can_draw_particles(&self.gpu) => offer.now(0u32),
            _ => offer,
        }
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun_anew)
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }

    fn is_touchable(&self) -> bool {
        true
    }

    /// Dye is soft unless another tip is chosen; a solid is round then.
    fn outlines(&self) -> &'static [Outline] {
        &[Outline::Soft, Outline::Round, Outline::Square]
    }

    fn has_second_touch(&self) -> bool {
        self.fluid.borrow().takes_solids()
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        self.pressed(touch)
    }
}
