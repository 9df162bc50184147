//! A wall of cubes that collapses: rigid bodies whose contacts are a linear complementarity problem (row B10).

#[cfg_attr(not(feature = "wall"), path = "without/collide.rs")]
pub mod collide;
mod load;
mod motion;
#[cfg(feature = "panel")]
mod panel;
mod shown;
mod stack;
mod stage;
mod start;
mod state;

use std::time::Duration;

use anyhow::{Result, anyhow};
use quadrille::linalg::Algebra;
use quadrille::sim::contact::{Body, Form, Impulse, Method, Parameters, Watch, World};
use quadrille::view::{Block, Camera, Ray, Stage, nearest};
use quadrille::{Buffer, Gpu};
use serde_json::{Map, Value as Json, json};

use self::collide::Boxes;
use self::shown::{Colours, SHOWN, Show};
use self::stack::{STACKS, Stack};
use self::start::{FORMS, METHODS, changed};
use crate::demo::{About, Demo, Measure, View};
use crate::param::{Offer, Param, Values, name_of};
use crate::picture::{self, Bodies, BodyPicture, BodyView, Numbers, Picture, Touch};
use crate::state::{Array, Named, State};

pub const ABOUT: About = About {
    name: "wall",
    shows: "A wall of cubes, whose contacts are a linear complementarity problem (dense matrices)",
    keywords: "rigid bodies cubes contacts forces physics collision LCP friction gate pyramid dominoes",
    first: "Click: a stone flies there. The right button turns the view",
    computes: "Rigid cubes fall, collide and rub. The contacts of a step make one linear complementarity problem, x >= 0, A x + b >= 0, \
               which accelerated projected gradients solve, a contact a texel, or projected Jacobi on dense matrices, one target \
               column of four numbers at a time.",
    formula: "x ≥ 0,  A x + b ≥ 0,  x · (A x + b) = 0\n\
              x: pushes, none of which pulls; A x + b: speeds apart, none into a stone;\n\
              where stones part, nothing pushes",
    kernels: &[
        "sim/contact_blocks.frag",
        "sim/contact_sweep.frag",
        "sim/contact_survey.frag",
        "matrix/multiply.frag",
        "matrix/blocks_multiply.frag",
        "solve/lcp_step.frag",
        "solve/lcp_survey.frag",
    ],
    paper: "Moravánszky, Dense Matrix Algebra on the GPU (2003)",
    parameters: &[start::PARAMETERS, picture::CAMERA],
    check: |request| match cfg!(feature = "wall") {
        true => start::refuse(request),
        false => Err(anyhow!(
            "this build has no contacts between boxes, which the wall is made of: build with --features wall"
        )),
    },
    start: |gpu, request| Ok(Box::new(Wall::new(gpu, request)?)),
    ..About::NEW
};

/// Numbers of a cube that are saved: position, orientation, velocity, angular velocity. Other boxes have [`SIDED`]: half their
/// sides and their mass besides.
const NUMBERS: usize = 13;
const SIDED: usize = NUMBERS + 4;

/// The part of a body's glow that is left after a step.
const FADING: f32 = 0.93;

/// Seen from a little to the right of its front, and so low that the horizon is seen.
const CAMERA: Camera = Camera { azimuth: 30.0, elevation: 14.0, distance: 0.72, field_of_view: 30.0 };

/// Stones that are thrown at most: the next one is the first again.
const STONES: usize = 12;

/// Half the edge of a thrown stone, metres, its mass, kilograms, and its speed, metres a second.
const STONE: f64 = 1.0;
const STONE_MASS: f64 = 40.0;
const STONE_SPEED: f64 = 20.0;

/// How far before what it will hit a stone begins, metres.
const RUN_UP: f64 = 8.0;

/// Iron, in linear light.
const IRON: [f32; 3] = [0.045, 0.05, 0.06];

struct Wall {
    gpu: Gpu,
    algebra: Algebra,
    world: World,
    collide: Boxes,
    watch: Watch,
    /// The bodies at step 0.
    first: Vec<Body>,
    /// Columns and rows, or how many cubes a file has.
    size: String,
    /// The stack that they once were, with its columns and rows, if that is known.
    stood: Option<(Stack, [u32; 2])>,
    /// Bodies that stood at first, before those that a file has as thrown.
    loaded_standing: usize,
    /// Bodies that were thrown, behind those that stood.
    thrown: usize,
    /// The one that is thrown next, once there are as many as there may be.
    next: usize,
    /// A click throws a stone, else it pushes.
    throws: bool,
    show: Show,
    force_colours: Colours,
    /// Another stack was built since this was last asked.
    begun_anew: bool,
    /// The seed of the colours.
    seed: u64,
    stage: Stage,
    /// Colour of each body, and how much it glows because it was just pushed.
    colours: Vec<[f32; 3]>,
    glow: Vec<f32>,
    /// The impulse of the blast before step 1, newton seconds on a cube in the middle; 0 for none.
    blast: f64,
    /// The impulse of the blast that a button of the panel sets off.
    next_blast: f64,
    /// The impulse of a press of the mouse, newton seconds.
    push: f64,
    /// ω of when there is projected Jacobi.
    omega: f64,
    view: BodyView,
}

impl Wall {
    /// An impulse on the first body that the ray meets, where it meets it, along the ray.
    fn push_along(&mut self, ray: &Ray) -> Result<()> {
        let Some((body, way)) = nearest(&self.own_blocks(), ray) else { return Ok(()) };
        let length = ray.along.iter().map(|v| v * v).sum::<f64>().sqrt();
        self.world.push(body, ray.at(way), ray.along.map(|v| v / length * self.push))?;
        self.glow[body] = 1.0;
        self.watch.pushed(&self.world);
        Ok(())
    }

    /// A stone along the ray, from a little before what it meets.
    fn throw_along(&mut self, ray: &Ray) -> Result<()> {
        let length = ray.along.iter().map(|v| v * v).sum::<f64>().sqrt();
        let entry = self.stage.crossing(ray).map(|[entry, _]| entry);
        let hit = nearest(&self.own_blocks(), ray).map(|(_, way)| way);
        let from = match (entry, hit) {
            (_, Some(hit)) => (hit - RUN_UP / length).max(0.0),
            (Some(entry), None) => entry,
            (None, None) => return Ok(()),
        };
        let mut position = ray.at(from);
        // Above the ground, at least.
        position[1] = position[1].max(STONE);
        let velocity = ray.along.map(|v| v / length * STONE_SPEED);
        self.put(Body { velocity, ..Body::cube(2.0 * STONE, STONE_MASS, position) })
    }

    /// One more body, or one that was thrown before in its place.
    fn put(&mut self, stone: Body) -> Result<()> {
        let mut bodies = self.world.bodies().to_vec();
        let standing = bodies.len() - self.thrown;
        let at = if self.thrown < STONES { bodies.len() } else { standing + self.next };
        match bodies.get_mut(at) {
            Some(body) => *body = stone,
            None => bodies.push(stone),
        }
        // The others go on from what their contacts did.
        let others = |impulse: &&Impulse| impulse.bodies.0 != at && impulse.bodies.1 != Some(at);
        let impulses = self.world.impulses().iter().filter(others).copied().collect();
        let mut world = World::new(&self.algebra, bodies, *self.world.parameters())?;
        world.set_impulses(impulses)?;
        self.world = world;
        self.thrown = self.world.bodies().len() - standing;
        self.next = (at - standing + 1) % STONES;
        self.colours.resize(self.world.bodies().len(), IRON);
        self.glow.resize(self.world.bodies().len(), 0.0);
        self.glow[at] = 1.0;
        self.watch.pushed(&self.world);
        Ok(())
    }

    /// Builds what stands there anew, with the colours of that seed.
    fn build(&mut self, first: Vec<Body>, seed: u64) -> Result<()> {
        self.world = World::new(&self.algebra, first.clone(), *self.world.parameters())?;
        self.watch = Watch::new(&self.world);
        (self.seed, self.thrown, self.next) = (seed, 0, 0);
        self.colours = start::colours(first.len(), seed);
        self.glow = vec![0.0; first.len()];
        self.first = first;
        Ok(())
    }

    /// Another stack.
    fn build_stack(&mut self, stack: Stack, size: [u32; 2]) -> Result<()> {
        let first = stack.bodies(size)?;
        self.stage = stage::of(&first, Some((stack, size)), self.world.parameters().ground)?;
        self.loaded_standing = first.len();
        self.build(first, self.seed)?;
        (self.stood, self.size, self.begun_anew) = (Some((stack, size)), stack.named(size), true);
        (self.blast, self.next_blast) = (0.0, stack.knock());
        Ok(())
    }

    fn stack(&self) -> Stack {
        self.stood.map_or(Stack::Wall, |(stack, _)| stack)
    }

    /// A blast before the middle of what stood at first, that gives a cube there so many newton seconds; of dominoes a nudge at the
    /// top of the first, along their way.
    fn blast(&mut self, impulse: f64) -> Result<()> {
        match (self.stack(), self.first.first()) {
            (Stack::Dominoes, Some(first)) => {
                let (along, up) = (first.rotation(), first.half_sides[1]);
                let [x, y, z] = self.world.bodies()[0].position;
                self.world.push(0, [x, y + 0.8 * up, z], [0, 1, 2].map(|k| along[k][0] * impulse))?;
            }
            _ => self.world.blast_before(&self.first, impulse)?,
        }
        self.watch.pushed(&self.world);
        Ok(())
    }

    /// The blocks of a picture.
    fn blocks(&self) -> Vec<Block> {
        let (mut blocks, bodies, impulses) = (self.own_blocks(), self.world.bodies(), self.world.impulses());
        match self.show {
            Show::Stones => {}
            Show::Load => {
                let loads = shown::loads(bodies.len(), impulses, self.world.parameters().time_step);
                shown::loaded(&mut blocks, &self.force_colours, &loads);
            }
            Show::Forces => shown::pressed(&mut blocks, &self.force_colours, bodies, impulses),
        }
        blocks
    }

    /// The legend of the colours of forces, where they are shown.
    fn legend(&self) -> Option<Numbers<'static>> {
        let (world, bodies) = (&self.world, self.world.bodies().len());
        match self.show {
            Show::Stones => None,
            Show::Load => {
                let loads = shown::loads(bodies, world.impulses(), world.parameters().time_step);
                shown::legend(shown::largest(loads.into_iter()), shown::LOADS)
            }
            Show::Forces => shown::legend(self.largest_force(), shown::FORCES),
        }
    }

    /// The largest normal force of a contact of the last step, newtons.
    fn largest_force(&self) -> f64 {
        let time_step = self.world.parameters().time_step;
        shown::largest(self.world.impulses().iter().map(|impulse| impulse.normal / time_step))
    }

    fn own_blocks(&self) -> Vec<Block> {
        let bodies = self.world.bodies().iter().zip(&self.colours).zip(&self.glow);
        let block = |((body, &colour), &glow): ((&Body, _), _)| {
            let Body { position, orientation, half_sides, .. } = *body;
            Block { position, orientation, half_sides, colour, glow }
        };
        bodies.map(block).collect()
    }

    /// Lets the steps do otherwise from now on.
    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        if parameters != *self.world.parameters() {
            self.world.set_parameters(parameters)?;
            self.watch = Watch::new(&self.world);
        }
        Ok(())
    }
}

impl Demo for Wall {
    fn size(&self) -> (String, &'static str) {
        (self.size.clone(), "cubes")
    }

    fn values(&self) -> Values {
        let p = self.world.parameters();
        let omega = match p.method {
            Method::Jacobi { omega } => Some(omega),
            Method::Accelerated => None,
        };
        // The reference is solved in a way of its own.
        let method = (p.form != Form::Reference).then(|| name_of(&METHODS, &omega.is_some()));
        Values::new()
            .with_some("stack", self.stood.map(|(stack, _)| name_of(&STACKS, &stack)))
            .with_some("columns", self.stood.map(|(_, [columns, _])| columns))
            .with_some("rows", self.stood.map(|(_, [_, rows])| rows))
            .with("show", name_of(&SHOWN, &self.show))
            .with("form", name_of(&FORMS, &p.form))
            .with_some("method", method)
            .with_some("omega", omega)
            .with_some("tolerance", omega.is_none().then_some(p.tolerance))
            .with("friction", p.friction)
            .with("gravity", p.gravity)
            .with("no-ground", !p.ground)
            .with("time-step", p.time_step)
            .with("push", self.blast)
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        if let Some(stack) = values.choice("stack", &STACKS)
            && Some(stack) != self.stood.map(|(stack, _)| stack)
        {
            let [columns, rows] = stack.usual();
            let number = |name, usual| values.whole(name).unwrap_or(usual);
            self.build_stack(stack, [number("columns", columns), number("rows", rows)])?;
        }
        self.show = values.choice("show", &SHOWN).unwrap_or(self.show);
        self.blast = values.double("push").unwrap_or(self.blast);
        self.omega = values.double("omega").unwrap_or(self.omega);
        let mut now = changed(values, *self.world.parameters());
        if let Method::Jacobi { omega } = &mut now.method {
            *omega = self.omega;
        }
        self.set_parameters(now)
    }

    fn numbers(&self) -> Result<Array> {
        let bodies = self.world.bodies();
        // Cubes need no sides.
        let sided = bodies.iter().any(|body| !load::is_cube(body));
        let numbers = |body: &Body| {
            let Body { position, orientation, velocity, angular_velocity, half_sides, mass } = body;
            let mut numbers = [&position[..], orientation, velocity, angular_velocity].concat();
            if sided {
                numbers.extend_from_slice(half_sides);
                numbers.push(*mass);
            }
            numbers
        };
        let values = bodies.iter().flat_map(numbers).map(|v| v as f32).collect();
        let width = if sided { SIDED } else { NUMBERS };
        Ok(Array { height: bodies.len(), width, components: 1, values })
    }

    /// Bodies in 64 bits, and the impulses of the last step.
    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(state::arrays(self.world.bodies(), self.world.impulses(), &self.glow))
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let extras: [(&str, Json); 3] =
            [("seed", self.seed.into()), ("thrown", self.thrown.into()), ("next_thrown", self.next.into())];
        Ok(extras.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn restore(&mut self, saved: &State) -> Result<()> {
        self.next = state::whole(saved, "next_thrown").unwrap_or(0) % STONES;
        self.world.set_impulses(state::impulses(saved, self.world.bodies().len())?)?;
        self.glow = state::glow(saved, self.glow.len())?;
        Ok(())
    }

    /// The cubes stand as at first, with the colours of that seed.
    fn reset(&mut self, seed: u64) -> Result<()> {
        let thrown = self.first.len().saturating_sub(self.loaded_standing);
        self.build(self.first.clone(), seed)?;
        // A file may have stones that were thrown before.
        self.thrown = thrown;
        self.colours[self.loaded_standing..].fill(IRON);
        Ok(())
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun_anew)
    }

    fn offer(&self, param: &Param) -> Offer {
        match param.name {
            "form" => Offer::of(param).usual(name_of(&FORMS, &start::usual_form(&self.gpu))),
            _ => Offer::of(param),
        }
    }

    fn before_step(&mut self, step: u64) -> Result<()> {
        match step == 1 && self.blast > 0.0 {
            true => self.blast(self.blast),
            false => Ok(()),
        }
    }

    fn step(&mut self) -> Result<()> {
        let method = self.world.parameters().method;
        self.world.step(&mut self.collide).map_err(|error| start::way_out(error, method))?;
        self.watch.stepped(&self.world);
        self.glow.iter_mut().for_each(|glow| *glow *= FADING);
        Ok(())
    }

    fn time_step(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.world.parameters().time_step).ok()
    }

    fn pace(&self) -> u64 {
        1
    }

    fn drawn(&self) -> Option<Buffer> {
        None
    }

    /// A look costs nothing beside a step.
    fn looks(&self) -> u64 {
        u64::MAX
    }

    /// The laws that contact must keep, at worst since the start or the last reset, and the step itself: every cube has gone its
    /// velocity's way, and one that touches nothing has fallen.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let laws = self.watch.laws().into_iter();
        let mut measures: Vec<Measure> =
            laws.map(|law| Measure { name: law.name, error: law.found, bound: law.bound }).collect();
        measures.extend(motion::of(&self.world, before));
        Ok(measures)
    }

    /// The findings of the last step, and how the wall stands.
    fn findings(&self) -> Result<Json> {
        let report = self.world.report();
        Ok(json!({
            "bodies": self.world.bodies().len(),
            "contacts": report.contacts, "unknowns": report.unknowns, "groups": report.groups,
            "largest_group": report.largest_group, "rounds": report.rounds, "sweeps": report.sweeps,
            "residual": report.residual, "penetration": report.penetration, "energy": self.world.energy(),
            "kinetic_energy": self.world.kinetic_energy(), "kinetic_peak": self.watch.peak(),
            "below_two_edges": self.world.below(2.0), "largest_force": self.largest_force(),
        }))
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view, &mut self.throws]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let counted = self.world.bodies().len();
        let bodies = Bodies { blocks: self.blocks(), counted, stage: self.stage, legend: self.legend() };
        Box::new(BodyPicture { bodies, view: &mut self.view })
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        match touch {
            Touch::Along(ray) if self.throws => self.throw_along(&ray),
            Touch::Along(ray) => self.push_along(&ray),
            Touch::Cell { .. } => Ok(()),
        }
    }
}

#[cfg(all(test, feature = "wall"))]
mod tests {
    use std::path::PathBuf;
    use std::rc::Rc;

    use anyhow::Context;

    use super::*;
    use crate::demo::{Request, Source, TestHost, saved};

    fn begun(gpu: &Gpu, address: &str, state: Option<State>) -> Result<Wall> {
        let values = ABOUT.values_of(address).map_err(|line| anyhow!(line))?;
        let load = state.map(|state| Source { path: PathBuf::from("a.npz"), state: Some(state) });
        let request = Rc::new(Request { load, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut wall = Wall::new(gpu, &request)?;
        if let Some(state) = request.state() {
            wall.restore(state)?;
        }
        Ok(wall)
    }

    /// From in front, a little above the ground.
    fn ray(x: f64) -> Ray {
        Ray { from: [x, 1.0, 30.0], along: [0.0, 0.0, -2.0] }
    }

    #[test]
    fn a_stone_flies_where_one_clicks_and_the_thirteenth_is_the_first_again() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut wall = begun(&gpu, "columns=2&rows=2&form=reference", None)?;
        wall.touch(Touch::Along(ray(0.5)))?;
        let stone = *wall.world.bodies().get(4).context("no stone")?;
        assert_eq!((stone.velocity, stone.mass), ([0.0, 0.0, -STONE_SPEED], STONE_MASS));
        assert!((stone.position[2] - (0.5 + RUN_UP)).abs() < 1e-9 && stone.position[0] == 0.5);
        let still = wall.world.bodies()[1].position[2];
        for _ in 0..60 {
            wall.step()?;
        }
        assert!(wall.world.bodies()[1].position[2] < still - 0.2, "{:?}", wall.world.bodies()[1]);
        for _ in 0..STONES {
            wall.touch(Touch::Along(ray(0.0)))?;
        }
        assert_eq!((wall.world.bodies().len(), wall.thrown, wall.next), (4 + STONES, STONES, 1));
        assert_eq!(wall.world.bodies()[4].velocity, [0.0, 0.0, -STONE_SPEED]);
        wall.reset(1)?;
        assert_eq!((wall.world.bodies().len(), wall.thrown), (4, 0));
        // A ray that meets nothing and passes by throws nothing.
        wall.touch(Touch::Along(Ray { from: [0.0, 500.0, 0.0], along: [0.0, 1.0, 0.0] }))?;
        assert_eq!(wall.thrown, 0);
        Ok(())
    }

    #[test]
    fn a_stone_breaks_a_wall_and_all_laws_hold() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut wall = begun(&gpu, "form=reference", None)?;
        wall.touch(Touch::Along(Ray { from: [0.2, 2.6, 30.0], along: [0.0, 0.0, -1.0] }))?;
        let before = wall.world.bodies().to_vec();
        for _ in 0..150 {
            wall.step()?;
        }
        let far = |(now, then): &(&Body, &Body)| {
            (0..3).map(|k| (now.position[k] - then.position[k]).powi(2)).sum::<f64>() > 1.0
        };
        let moved = wall.world.bodies()[..60].iter().zip(&before).filter(far).count();
        assert!(moved >= 15, "{moved} of 60 cubes");
        for law in wall.watch.laws() {
            assert!(law.found <= law.bound, "{}: {} past {}", law.name, law.found, law.bound);
        }
        Ok(())
    }

    #[test]
    fn a_state_with_a_thrown_stone_goes_on_bit_for_bit() -> Result<()> {
        let gpu = Gpu::headless()?;
        let address = "columns=2&rows=2&form=reference";
        let mut whole = begun(&gpu, address, None)?;
        whole.step()?;
        whole.touch(Touch::Along(ray(0.5)))?;
        for _ in 0..25 {
            whole.step()?;
        }
        let state = saved(&ABOUT, &whole, 26)?;
        let mut rest = begun(&gpu, address, Some(state.clone()))?;
        assert!(saved(&ABOUT, &rest, 26)? == state, "another state");
        for _ in 0..20 {
            whole.step()?;
            rest.step()?;
        }
        assert!(saved(&ABOUT, &whole, 46)? == saved(&ABOUT, &rest, 46)?, "another end");
        // The stone of a state is part of the beginning.
        rest.reset(1)?;
        assert_eq!((rest.world.bodies().len(), rest.thrown), (5, 1));
        Ok(())
    }

    #[test]
    fn another_stack_is_another_beginning_and_the_usual_form_is_the_devices() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut wall = begun(&gpu, "columns=2&rows=2", None)?;
        let usual = if gpu.driver().runs_on_cpu() { Form::Reference } else { Form::Groups };
        assert_eq!(wall.world.parameters().form, usual);
        wall.touch(Touch::Along(ray(0.0)))?;
        wall.set(&Values::new().with("stack", "dominoes"))?;
        assert!(wall.has_begun_anew() && !wall.has_begun_anew());
        assert_eq!((wall.world.bodies().len(), wall.thrown), (60, 0));
        assert_eq!(wall.values().whole("columns"), Some(20u32));
        wall.set(&Values::new().with("stack", "dominoes"))?;
        assert!(!wall.has_begun_anew());
        Ok(())
    }
}
