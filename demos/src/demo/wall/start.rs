//! How a wall begins: from its flags, or from saved bodies.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::linalg::Algebra;
use quadrille::reference::Random;
use quadrille::sim::contact::{Body, Form, Parameters, Watch, World, wall};
use quadrille::view::Stage;

use super::super::{Simulation, seed};
use super::{NUMBERS, Wall};
use crate::cli::{DemoArguments, FormName, Size, WallArguments};
use crate::collide::Boxes;
use crate::files::npy;
use crate::output::Usage;

/// Sixty cubes, as in the paper.
const SIZE: Size = Size { width: 10, height: 6 };

/// Newton seconds of a press of the mouse unless somebody moves the slider: a cube weighs a kilogram.
const PUSH: f64 = 20.0;

/// Bricks, in linear light.
const TONES: [[f32; 3]; 6] = [
    [0.62, 0.23, 0.12],
    [0.55, 0.28, 0.16],
    [0.68, 0.33, 0.17],
    [0.48, 0.19, 0.11],
    [0.60, 0.40, 0.25],
    [0.44, 0.27, 0.20],
];

/// The simulation that these arguments describe.
pub fn start(gpu: &Gpu, arguments: &DemoArguments) -> Result<Box<dyn Simulation>> {
    let (given, parameters) = (&arguments.wall, parameters(&arguments.wall));
    let blast = given.push.unwrap_or(0.0);
    if !(0.0..=1e6).contains(&blast) {
        return Err(Usage(format!("--push: {blast} is not 0 to 1000000")).into());
    }
    let (size, first) = match &arguments.load {
        Some(path) => {
            if let Some(flag) = given.columns.map(|_| "--columns").or(given.rows.map(|_| "--rows")) {
                return Err(Usage(format!("{flag}: a loaded state has its own number of cubes")).into());
            }
            let bodies = load(path)?;
            (Size { width: bodies.len() as u32, height: 1 }, bodies)
        }
        None => {
            let (width, height) = (given.columns.unwrap_or(SIZE.width), given.rows.unwrap_or(SIZE.height));
            (Size { width, height }, wall(width as usize, height as usize)?)
        }
    };
    let algebra = Algebra::new(gpu);
    let world = World::new(&algebra, first.clone(), parameters)?;
    let (watch, stage) = (Watch::new(&world), stage(&first, parameters.ground));
    let (colours, glow) = (colours(first.len(), seed(arguments)), vec![0.0; first.len()]);
    let friction =
        if parameters.friction > 0.0 { parameters.friction } else { Parameters::default().friction };
    let (collide, push) = (Boxes, PUSH);
    Ok(Box::new(Wall {
        algebra,
        world,
        collide,
        watch,
        first,
        size,
        stage,
        colours,
        glow,
        blast,
        push,
        friction,
    }))
}

fn parameters(given: &WallArguments) -> Parameters {
    let default = Parameters::default();
    Parameters {
        friction: given.friction.unwrap_or(default.friction),
        gravity: given.gravity.unwrap_or(default.gravity),
        time_step: given.time_step.unwrap_or(default.time_step),
        ground: !given.no_ground,
        form: match given.form {
            None => default.form,
            Some(FormName::Dense) => Form::Dense,
            Some(FormName::Groups) => Form::Groups,
            Some(FormName::Reference) => Form::Reference,
        },
        ..default
    }
}

/// The word for it on the command line.
pub fn form_name(form: Form) -> &'static str {
    match form {
        Form::Dense => "dense",
        Form::Groups => "groups",
        Form::Reference => "reference",
    }
}

/// Unit cubes of a kilogram where a file says.
fn load(path: &Path) -> Result<Vec<Body>> {
    let npy::Array { height, width, components, values } = npy::read(path)?;
    if width != NUMBERS || components != 1 {
        let shape = if components == 1 { String::new() } else { format!(" x {components}") };
        bail!("{}: {height} x {width}{shape} numbers, bodies have {NUMBERS} each", path.display());
    }
    let numbers = |row: &[f32]| -> Option<Body> {
        let numbers: [f64; NUMBERS] =
            std::array::from_fn(|k| row.get(k).copied().map_or(f64::NAN, f64::from));
        let [px, py, pz, x, y, z, w, vx, vy, vz, ax, ay, az] = numbers;
        let length = [x, y, z, w].iter().map(|v| v * v).sum::<f64>().sqrt();
        // Of length 1 but for the rounding to 32 bits.
        let whole = (length - 1.0).abs() < 1e-5;
        let body = Body {
            orientation: [x, y, z, w].map(|v| v / length),
            velocity: [vx, vy, vz],
            angular_velocity: [ax, ay, az],
            ..Body::cube(1.0, 1.0, [px, py, pz])
        };
        whole.then_some(body).filter(|body| body.check().is_ok())
    };
    let bodies = values.chunks(NUMBERS).enumerate().map(|(row, values)| {
        numbers(values).with_context(|| {
            let wants = "finite numbers, with a quaternion of length 1";
            format!("{}: row {row} is no body: expected {wants}", path.display())
        })
    });
    bodies.collect()
}

/// The smallest and the largest coordinates of all corners.
pub fn bounds(bodies: &[Body]) -> [[f64; 3]; 2] {
    let corners = || bodies.iter().flat_map(|body| body.corners());
    let low = std::array::from_fn(|k| corners().map(|c| c[k]).fold(f64::INFINITY, f64::min));
    let high = std::array::from_fn(|k| corners().map(|c| c[k]).fold(f64::NEG_INFINITY, f64::max));
    [low, high]
}

/// Where the bodies stand, with room for them to fall.
fn stage(bodies: &[Body], ground: bool) -> Stage {
    let [low, high] = bounds(bodies);
    let room = 0.45 * (high[1] - low[1]);
    Stage {
        low: [low[0] - room, low[1], low[2] - room],
        high: [high[0] + room, high[1], high[2] + room],
        ground: ground.then_some((0.0, 1.0)),
    }
}

/// A tone of brick for each of them.
pub fn colours(count: usize, seed: u64) -> Vec<[f32; 3]> {
    let mut random = Random(seed);
    let mut tone = || {
        let (tone, light) = (TONES[random.below(TONES.len())], 0.9 + 0.2 * random.unit());
        tone.map(|part| part * light)
    };
    (0..count).map(|_| tone()).collect()
}
