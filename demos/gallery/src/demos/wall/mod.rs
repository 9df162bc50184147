//! A wall of cubes that collapses: rigid bodies whose contacts are a linear complementarity problem (row B10).

#[cfg_attr(not(feature = "wall"), path = "without/collide.rs")]
pub mod collide;
mod load;
mod motion;
#[cfg(feature = "panel")]
mod panel;
mod stage;
mod start;
mod state;

use std::time::Duration;

use anyhow::{Result, anyhow};
use quadrille::Buffer;
use quadrille::linalg::Algebra;
use quadrille::sim::contact::{Body, Form, Method, Parameters, Watch, World};
use quadrille::view::{Block, Camera, Ray, Stage, nearest};
use serde_json::{Map, Value as Json, json};

use self::collide::Boxes;
use self::start::{FORMS, METHODS, changed};
use crate::demo::{About, Demo, Measure};
use crate::param::{Values, name_of};
use crate::picture::{self, Bodies, BodyPicture, BodyView, Picture, Touch};
use crate::state::{Array, Named, State};

pub const ABOUT: About = About {
    name: "wall",
    shows: "A wall of cubes, whose contacts are a linear complementarity problem (dense matrices)",
    keywords: "rigid bodies cubes contacts physics collision LCP friction",
    first: "Press a cube to push it; drag with the right button to turn the view",
    computes: "Rigid cubes fall, collide and rub. The contacts of a step make one linear complementarity problem, x >= 0, A x + b >= 0, \
               which accelerated projected gradients or projected Jacobi solve on dense matrices, one target column of four numbers at a \
               time.",
    kernels: &[
        "matrix/multiply.frag",
        "matrix/blocks_multiply.frag",
        "solve/lcp_step.frag",
        "solve/lcp_survey.frag",
    ],
    paper: "Moravánszky, Dense Matrix Algebra on the GPU (2003)",
    parameters: &[start::PARAMETERS, picture::CAMERA],
    check: |request| match cfg!(feature = "wall") {
        true => start::refuse(&request.values),
        false => Err(anyhow!(
            "this build has no contacts between boxes, which the wall is made of: build with --features wall"
        )),
    },
    start: |gpu, request| Ok(Box::new(Wall::new(gpu, request)?)),
    ..About::NEW
};

/// Numbers of a body that are saved: position, orientation, velocity, angular velocity.
const NUMBERS: usize = 13;

/// The part of a body's glow that is left after a step.
const FADING: f32 = 0.93;

/// Seen from a little to the right of its front.
const CAMERA: Camera = Camera { azimuth: 30.0, elevation: 22.0, distance: 1.0, field_of_view: 30.0 };

struct Wall {
    algebra: Algebra,
    world: World,
    collide: Boxes,
    watch: Watch,
    /// The bodies at step 0.
    first: Vec<Body>,
    /// Columns and rows, or how many cubes a file has.
    size: String,
    /// The wall that they once were, if that is known.
    stood: Option<[usize; 2]>,
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
        let Some((body, way)) = nearest(&self.blocks(), ray) else { return Ok(()) };
        let length = ray.along.iter().map(|v| v * v).sum::<f64>().sqrt();
        self.world.push(body, ray.at(way), ray.along.map(|v| v / length * self.push))?;
        self.glow[body] = 1.0;
        self.watch.pushed(&self.world);
        Ok(())
    }

    /// A blast before the middle of what stood at first, that gives a cube there so many newton seconds.
    fn blast(&mut self, impulse: f64) -> Result<()> {
        self.world.blast_before(&self.first, impulse)?;
        self.watch.pushed(&self.world);
        Ok(())
    }

    fn blocks(&self) -> Vec<Block> {
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
            .with_some("columns", self.stood.map(|[columns, _]| columns as u64))
            .with_some("rows", self.stood.map(|[_, rows]| rows as u64))
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
        let numbers = |body: &Body| {
            let [x, y, z, w] = body.orientation;
            [&body.position[..], &[x, y, z, w], &body.velocity, &body.angular_velocity].concat()
        };
        let values = bodies.iter().flat_map(numbers).map(|v| v as f32).collect();
        Ok(Array { height: bodies.len(), width: NUMBERS, components: 1, values })
    }

    /// Bodies in 64 bits, and the impulses of the last step.
    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(state::arrays(self.world.bodies(), self.world.impulses(), &self.glow))
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        Ok([("seed".to_owned(), self.seed.into())].into_iter().collect())
    }

    fn restore(&mut self, saved: &State) -> Result<()> {
        self.world.set_impulses(state::impulses(saved, self.world.bodies().len())?)?;
        self.glow = state::glow(saved, self.glow.len())?;
        Ok(())
    }

    /// The cubes stand as at first, with the colours of that seed.
    fn reset(&mut self, seed: u64) -> Result<()> {
        let parameters = *self.world.parameters();
        self.world = World::new(&self.algebra, self.first.clone(), parameters)?;
        self.watch = Watch::new(&self.world);
        self.seed = seed;
        self.colours = start::colours(self.first.len(), seed);
        self.glow.fill(0.0);
        Ok(())
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
        measures.extend(motion::of(&self.world, &before.values));
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
            "below_two_edges": self.world.below(2.0),
        }))
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let bodies = Bodies { blocks: self.blocks(), stage: self.stage };
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
            Touch::Along(ray) => self.push_along(&ray),
            Touch::Cell { .. } => Ok(()),
        }
    }
}
