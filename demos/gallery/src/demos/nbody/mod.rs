//! Bodies that attract one another, each all others (row C8).

mod check;
mod drift;
mod load;
#[cfg(feature = "panel")]
mod panel;
mod start;
mod throw;
mod view;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use quadrille::pug::{Pending, Precision};
use quadrille::sim::nbody::scenes::{self, Scene};
use quadrille::sim::nbody::{Body, Forces, Integrator, NBody, Parameters};
use quadrille::view::{Points, Ray, Stage};
use quadrille::{Buffer, Gpu};
use serde_json::{Map, Value as Json};

use self::drift::Drift;
use self::start::{INTEGRATORS, SUMS, changed};
use self::throw::{Aim, Choice, KINDS, nearest};
use self::view::{Names, Tails, View};
use crate::demo::{self, About, Demo, Host, Interrupted, Measure, Request};
use crate::param::{Offer, Param, Values, name_of};
use crate::picture::{CAMERA, Glowing, Mark, Phase, Picture, PointPicture, PointView, Pull};
use crate::state::{Array, Named, Parts, State};

pub const ABOUT: About = About {
    name: "nbody",
    shows: "Bodies that attract one another: galaxies, a collapse, three bodies in an eight, planets (course slides)",
    keywords: "gravity galaxies stars planets orbit astronomy leapfrog energy",
    first: "Drag: throw a star in. Right button turns, Ctrl-click follows",
    computes: "Every body attracts every other. A step sums all N x N pulls, by loops over tiles or as a texture of forces whose columns \
               are summed, then moves the bodies by the leapfrog rule, which keeps the energy: a body that is thrown in brings its own along, and from then on the sum \
               is kept again. G = 1.",
    formula: "a_i = G Σ m_j d / (|d|² + ε²)^(3/2),   d = x_j − x_i,   ε the softening\n\
              leapfrog: v + ½ Δt a,  x + Δt v,  then v + ½ Δt a of the new places",
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

/// The mass of [`KINDS`] that is thrown first.
const STAR: usize = 2;

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
    choice: Choice,
    aim: Option<Aim>,
    thrown: Thrown,
    followed: Option<Followed>,
}

/// Bodies that were thrown in since the beginning.
#[derive(Clone, Copy, Default)]
struct Thrown {
    count: usize,
    /// The energy that the last one brought along.
    energy: f64,
}

/// The body that stays in the middle of the picture.
struct Followed {
    body: usize,
    places: Option<Pending>,
}

/// Bodies with tails at most.
const TAILED: usize = 64;

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
        Ok(NBodyDemo {
            gpu,
            host,
            run,
            loaded,
            count,
            seed,
            anew: false,
            beyond,
            view,
            names,
            in_window,
            choice: Choice { kind: STAR, turns: false },
            aim: None,
            thrown: Thrown::default(),
            followed: None,
        })
    }

    /// Goes on with other bodies, of which none was thrown.
    fn begin(&mut self, run: Run) {
        self.run = run;
        (self.aim, self.thrown, self.followed) = (None, Thrown::default(), None);
    }

    /// Goes on with a body more: behind those with tails, whose place another one leaves for the end, so that all but that one keep the number
    /// that their light goes by.
    fn throw(&mut self, body: Body) -> Result<()> {
        let Run { simulation, scene, tails, drift, .. } = &mut self.run;
        let before = simulation.conserved()?;
        let mut bodies = simulation.bodies()?;
        if bodies.len() as u64 >= start::MOST {
            return Ok(());
        }
        let tailed = tails.as_ref().map_or(0, Tails::bodies);
        let has_tail = tailed < TAILED;
        bodies.push(body);
        if has_tail {
            let last = bodies.len() - 1;
            bodies.swap(tailed.min(last), last);
            if let Some(followed) = self.followed.as_mut().filter(|followed| followed.body == tailed) {
                followed.body = last;
            }
        }
        let (steps, time, parameters) = (simulation.steps(), simulation.time(), simulation.parameters());
        let made =
            NBody::new_with(&self.gpu, &bodies, parameters, Precision::Float32, &mut || watch(&*self.host))?;
        let Some(made) = made else { return Ok(()) };
        *simulation = made;
        simulation.set_clock(steps, time);
        match tails {
            Some(tails) if has_tail => tails.widen(&self.gpu, simulation)?,
            Some(_) => {}
            None => *tails = Some(Tails::of_thrown(&self.gpu, scene, simulation)?),
        }
        let after = simulation.conserved()?;
        drift.add(&before, &after, body.mass);
        self.thrown.count += 1;
        self.thrown.energy = after.energy() - before.energy();
        Ok(())
    }

    /// Keeps that body in the middle from now on, or goes back to where the scene is seen from.
    fn follow(&mut self, body: Option<usize>) {
        let Stage { low, high, .. } = &mut self.run.view.stage;
        for k in 0..3 {
            let half = 0.5 * (high[k] - low[k]);
            (low[k], high[k]) = (-half, half);
        }
        self.followed = body.map(|body| Followed { body, places: None });
    }

    /// Moves the stage to where the body is that is followed, as of the places that have arrived last: nothing waits.
    fn look_after(&mut self) -> Result<()> {
        let Some(followed) = &mut self.followed else { return Ok(()) };
        let pending = match followed.places.take() {
            Some(pending) => pending,
            None => self.run.simulation.positions().data_async()?,
        };
        match pending.poll()? {
            Ok(numbers) => {
                let place = numbers.as_chunks::<4>().0.get(followed.body).copied().unwrap_or_default();
                let Stage { low, high, .. } = &mut self.run.view.stage;
                for k in 0..3 {
                    let half = 0.5 * (high[k] - low[k]);
                    let middle = f64::from(place[k]);
                    if middle.is_finite() {
                        (low[k], high[k]) = (middle - half, middle + half);
                    }
                }
            }
            Err(pending) => followed.places = Some(pending),
        }
        Ok(())
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
        self.begin(Run::new(&self.gpu, &*self.host, scene)?);
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
        self.begin(Run::new(&self.gpu, &*self.host, scene)?);
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
        let mut found = self.run.drift.json(&simulation.conserved()?, simulation.time());
        if let (1.., Some(found)) = (self.thrown.count, found.as_object_mut()) {
            found.insert("thrown_in".to_owned(), self.thrown.count.into());
            found.insert("energy_of_last_thrown".to_owned(), self.thrown.energy.into());
        }
        Ok(found)
    }

    fn prepare(&mut self) -> Result<()> {
        self.look_after()?;
        if self.has_names() { self.names.look(&self.run.simulation) } else { Ok(()) }
    }

    /// Names of the planets, and the body that is being aimed.
    fn marks(&self) -> Vec<Mark> {
        let View { stage, look, .. } = &self.run.view;
        let disc_at = |place, mass| self.view.disc_of((stage, look), place, mass).ok().flatten();
        let mut marks = if self.has_names() { self.names.marks(disc_at) } else { Vec::new() };
        let at = |place| disc_at(place, 0.0).map(|(at, _)| at);
        marks.extend(self.aim.iter().flat_map(|aim| aim.marks(stage, at)));
        let middle = [0, 1, 2].map(|k| 0.5 * (stage.low[k] + stage.high[k]));
        let ring = self.followed.as_ref().and_then(|_| at(middle));
        marks.extend(ring.map(|at| Mark::Ring { at, radius: 0.02, colour: [255, 235, 180, 170] }));
        marks
    }

    fn takes_pulls(&self) -> bool {
        !self.choice.turns
    }

    /// A press and a drag aim a body, and the release throws it in.
    fn pull(&mut self, pull: Pull) -> Result<()> {
        let View { stage, look, .. } = &self.run.view;
        if pull.phase == Phase::Begins {
            let mass: f64 = self.run.scene.bodies.iter().map(|body| body.mass).sum();
            let (mass, softening) =
                (KINDS[self.choice.kind].2 * mass, self.run.simulation.parameters().softening);
            self.aim = Aim::begin(&pull.from, stage, mass, self.run.simulation.bodies()?, softening);
        }
        if let Some(aim) = &mut self.aim {
            aim.draw(&pull.from, &pull.to, stage, look.speeds[1].into());
        }
        match self.aim.take_if(|_| pull.phase == Phase::Ends) {
            Some(aim) => self.throw(aim.body()),
            None => Ok(()),
        }
    }

    fn picks(&self) -> Option<&'static str> {
        Some("follow the body there, or let it go beside all of them")
    }

    fn pick(&mut self, along: &Ray) -> Result<()> {
        let found = nearest(&self.run.simulation.bodies()?, along);
        self.follow(found);
        Ok(())
    }

    fn views(&mut self) -> Vec<&mut dyn demo::View> {
        vec![&mut self.choice]
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
            "bodies" if self.run.simulation.len() == self.count + self.thrown.count && !self.loaded => {
                Offer::of(param).now(self.count as u64)
            }
            "time-step" => about(time_step, 0.0),
            "softening" => about(softening, 0.5),
            _ => Offer::of(param),
        }
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.show_mouse(ui);
        self.show_drift(ui)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Result, anyhow};
    use quadrille::Gpu;
    use quadrille::sim::nbody::Body;
    use quadrille::view::Ray;

    use super::throw::KINDS;
    use super::{ABOUT, NBodyDemo, load};
    use crate::demo::{Demo, Measure, Request, TestHost};
    use crate::picture::{Phase, Pull};

    fn demo(gpu: &Gpu, flags: &str) -> Result<NBodyDemo> {
        let values = ABOUT.values_of(flags).map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        NBodyDemo::new(gpu, &request)
    }

    fn bodies(demo: &NBodyDemo) -> Result<Vec<Body>> {
        load::rows(&demo.numbers()?)
    }

    /// Aims from one place of the plane to another, and lets go.
    fn throw(demo: &mut NBodyDemo, from: [f64; 2], to: [f64; 2]) -> Result<()> {
        let ray = |[x, y]: [f64; 2]| Ray { from: [x, y, 9.0], along: [0.0, 0.0, -3.0] };
        for (phase, at) in [(Phase::Begins, from), (Phase::GoesOn, to), (Phase::Ends, to)] {
            demo.pull(Pull { from: ray(from), to: ray(at), phase })?;
        }
        Ok(())
    }

    fn momentum(bodies: &[Body]) -> [f64; 3] {
        [0, 1, 2].map(|k| bodies.iter().map(|body| body.mass * body.velocity[k]).sum())
    }

    /// Kinetic and potential energy of all, pair by pair.
    fn energy(bodies: &[Body], softening: f64) -> f64 {
        let square = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        let kinetic: f64 = bodies.iter().map(|body| 0.5 * body.mass * square(body.velocity, [0.0; 3])).sum();
        let pairs = bodies.iter().enumerate().flat_map(|(i, a)| bodies[..i].iter().map(move |b| (a, b)));
        let bound: f64 = pairs
            .map(|(a, b)| a.mass * b.mass / (square(a.position, b.position) + softening * softening).sqrt())
            .sum();
        kinetic - bound
    }

    /// A body more, all others as they were to the bit; momentum and energy change by its own; then all pull each other, and lose nothing.
    #[test]
    fn what_is_thrown_in_brings_its_momentum_and_energy_and_takes_part() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (flags, tailed) in [
            ("bodies=61", 0),
            ("bodies=40&forces=matrix", 0),
            ("scene=figure-eight", 3),
            ("scene=solar-system", 9),
        ] {
            let mut demo = demo(&gpu, flags)?;
            (0..3).try_for_each(|_| demo.step())?;
            let before = bodies(&demo)?;
            let mass: f64 = before.iter().map(|body| body.mass).sum();
            throw(&mut demo, [0.3, -0.4], [0.5, 0.1])?;
            let after = bodies(&demo)?;
            let new = after[tailed];
            assert_eq!(after.len(), before.len() + 1, "{flags}");
            assert!((new.mass / (KINDS[demo.choice.kind].2 * mass) - 1.0).abs() < 1e-6, "{flags}");
            for (k, expected) in [0.3, -0.4, 0.0].into_iter().enumerate() {
                assert!((new.position[k] - expected).abs() < 1e-6, "{flags}: {new:?}");
            }
            assert!(new.velocity[1] > 2.0 * new.velocity[0] && new.velocity[0] > 0.0, "{flags}: {new:?}");
            let mut others = after.clone();
            others.swap_remove(tailed);
            assert_eq!(others, before, "{flags}");
            let softening = f64::from(demo.run.simulation.parameters().softening);
            let (had, has) = (energy(&before, softening), energy(&after, softening));
            for k in 0..3 {
                let change = momentum(&after)[k] - momentum(&before)[k];
                assert!((change - new.mass * new.velocity[k]).abs() < 1e-12 * mass, "{flags}");
            }
            // Sums of 32 bits over all pairs: a rounding of each level, and of the parts.
            let bound = 64.0 * 2f64.powi(-24) * (had.abs() + has.abs());
            assert!(
                (demo.thrown.energy - (has - had)).abs() < bound,
                "{flags}: {} {}",
                demo.thrown.energy,
                has - had
            );
            let drift = demo.findings()?["energy_drift"].as_f64().unwrap_or(f64::NAN);
            assert!(drift.abs() < 1e-3, "{flags}: nothing has been lost yet, {drift}");
            let state = demo.numbers()?;
            demo.step()?;
            let measures = demo.check(&state)?;
            assert!(measures.iter().all(Measure::passes), "{flags}: {measures:?}");
            demo.prepare()?;
            demo.picture().image()?;
            demo.reset(1)?;
            assert_eq!((demo.run.simulation.len(), demo.thrown.count), (before.len(), 0), "{flags}");
        }
        Ok(())
    }

    /// The tail of a body that is thrown in later is behind those that there were, which go on.
    #[test]
    fn tails_go_on_when_a_body_more_has_one() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut demo = demo(&gpu, "scene=figure-eight")?;
        (0..40).try_for_each(|_| demo.step())?;
        let seen =
            |demo: &NBodyDemo| demo.run.tails.as_ref().map(|tails| (tails.bodies(), tails.trail().len()));
        let before = seen(&demo);
        demo.choice.kind = 0;
        throw(&mut demo, [0.1, 0.9], [0.2, 0.9])?;
        assert_eq!(seen(&demo), before.map(|(bodies, moments)| (bodies + 1, moments)));
        (0..4).try_for_each(|_| demo.step())?;
        assert!(seen(&demo) > before);
        Ok(())
    }

    /// The followed body stays in the middle; a body that is thrown in takes another's place, and the view still follows the same one.
    #[test]
    fn the_view_follows_the_body_that_was_picked() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut demo = demo(&gpu, "scene=figure-eight")?;
        let last = bodies(&demo)?[2].position;
        demo.pick(&Ray { from: [last[0], last[1], 9.0], along: [0.0, 0.0, -1.0] })?;
        assert!(demo.followed.is_some());
        for _ in 0..30 {
            demo.step()?;
            gpu.finish();
            demo.prepare()?;
        }
        gpu.finish();
        demo.prepare()?;
        let stage = demo.run.view.stage;
        let now = bodies(&demo)?[2].position;
        for k in 0..3 {
            let middle = 0.5 * (stage.low[k] + stage.high[k]);
            // The stage was placed after the step before, at the earliest.
            assert!((middle - now[k]).abs() < 0.05, "{middle} {now:?}");
        }
        demo.pick(&Ray { from: [50.0, 0.0, 9.0], along: [0.0, 0.0, -1.0] })?;
        assert!(demo.followed.is_none() && demo.run.view.stage.low[0] == -demo.run.view.stage.high[0]);
        Ok(())
    }
}
