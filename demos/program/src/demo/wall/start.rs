//! How a wall begins.

use std::path::Path;

use anyhow::{Result, anyhow};
use quadrille::linalg::Algebra;
use quadrille::reference::Random;
use quadrille::sim::contact::{
    Body, DENSE, Form, GROUPS, KNOCK, Method, OMEGA, Parameters, Watch, World, wall,
};
use quadrille::{Error, Gpu};

use super::super::{Chosen, Simulation};
use super::{NAME, Wall, load, stage, state};
use crate::cli::{FormName, Look, SweepsName, WallArguments};
use crate::collide::Boxes;
use crate::files::named;
use crate::output::{self, Usage};

/// Sixty cubes, as in the paper: columns and rows.
const SIZE: [u32; 2] = [10, 6];

/// As many as [`wall`] makes.
const MOST_CUBES: u64 = 10_000;

/// How far a blast may move a cube in a step (over friction squared, where that is above 1), and what gravity may add to a
/// cube's way from step to step, metres: within both, walls of 1 to 180 cubes kept the laws.
const WAY: f64 = 1.0;
const FALL: f64 = 0.0028;

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

pub fn chosen(own: WallArguments) -> Chosen {
    let arguments = own.demo.clone();
    let look = Look { camera: own.camera.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, given: &WallArguments) -> Result<Box<dyn Simulation>> {
    let parameters = parameters(given)?;
    let (asked, blast) = (columns_and_rows(given)?, given.push.unwrap_or(0.0));
    let (size, first, stands) = match &given.demo.load {
        Some(path) => load(path, given, asked)?,
        None => (format!("{}x{}", asked[0], asked[1]), wall(asked[0], asked[1])?, Some(asked)),
    };
    let algebra = Algebra::new(gpu);
    let world = World::new(&algebra, first.clone(), parameters)?;
    if let Some(warning) = warning(&parameters, blast) {
        output::complain(&format!("warning: {warning}"));
    }
    let (watch, stage) = (Watch::new(&world), stage::of(&first, stands, parameters.ground)?);
    let (colours, glow) = (colours(first.len(), given.demo.seed()), vec![0.0; first.len()]);
    let friction =
        if parameters.friction > 0.0 { parameters.friction } else { Parameters::default().friction };
    let (collide, push, next_blast) = (Boxes, PUSH, if blast > 0.0 { blast } else { KNOCK });
    Ok(Box::new(Wall {
        algebra,
        world,
        collide,
        watch,
        first,
        size,
        stood: stands,
        seed: given.demo.seed(),
        stage,
        colours,
        glow,
        blast,
        next_blast,
        push,
        friction,
        omega: given.omega.unwrap_or(OMEGA),
    }))
}

/// The wall that is asked for.
fn columns_and_rows(given: &WallArguments) -> Result<[usize; 2]> {
    let (columns, rows) = (given.columns.unwrap_or(SIZE[0]), given.rows.unwrap_or(SIZE[1]));
    let cubes = u64::from(columns) * u64::from(rows);
    if cubes > MOST_CUBES {
        let line =
            format!("--columns {columns}, --rows {rows}: {cubes} cubes, expected {MOST_CUBES} at most");
        return Err(Usage(line).into());
    }
    Ok([columns as usize, rows as usize])
}

/// The cubes of a file, what they are called, and the wall that they once were, if that is known.
fn load(
    path: &Path,
    given: &WallArguments,
    asked: [usize; 2],
) -> Result<(String, Vec<Body>, Option<[usize; 2]>)> {
    let bodies = match given.demo.state() {
        Some(loaded) => state::bodies(&loaded.state).map_err(|error| named(path, error))?,
        None => load::bodies(path)?,
    };
    let (count, [columns, rows]) = (bodies.len(), asked);
    let matches = count == columns * rows;
    if given.columns.or(given.rows).is_none() {
        return Ok((count.to_string(), bodies, matches.then_some(asked)));
    }
    if !matches {
        let path = path.display();
        let line =
            format!("{path}: {count} cubes, --columns {columns} and --rows {rows} make {}", columns * rows);
        return Err(Usage(line).into());
    }
    Ok((format!("{columns}x{rows}"), bodies, Some(asked)))
}

/// What a user should know whose steps are so long that the laws may not hold.
fn warning(p: &Parameters, blast: f64) -> Option<String> {
    let (way, fall) = (blast * p.time_step, p.gravity * p.time_step.powi(2));
    let most = WAY / p.friction.max(1.0).powi(2);
    let cause = match (way > most, fall > FALL) {
        (true, _) => format!(
            "a blast of {blast} N s moves a cube by {way:.2} m in a step, the laws were found to hold up to {most:.2} m"
        ),
        (_, true) => {
            let (fall, most) = (1e3 * fall, 1e3 * FALL);
            format!("gravity x time step^2 is {fall:.1} mm, the laws were found to hold up to {most} mm")
        }
        _ => return None,
    };
    Some(format!("{cause}: a shorter --time-step helps, and --check looks"))
}

/// A step's error, with what a user can do about it.
pub fn way_out(error: Error, method: Method) -> anyhow::Error {
    let way = match &error {
        Error::BadParameter { name: "impulse", .. } if matches!(method, Method::Jacobi { .. }) => {
            "projected Jacobi diverged, an omega nearer 0 may not"
        }
        Error::OverLimit { what, .. } if what == DENSE => "fewer cubes, --form groups or --form reference",
        Error::OverLimit { what, .. } if what == GROUPS => "fewer cubes or --form reference",
        _ => return error.into(),
    };
    anyhow!("{error}: {way}")
}

fn parameters(given: &WallArguments) -> Result<Parameters> {
    let default = Parameters::default();
    let jacobi = given.method == Some(SweepsName::Jacobi);
    if jacobi && given.form == Some(FormName::Reference) {
        let line = "--method jacobi is the GPU's: expected --form dense or --form groups with it";
        return Err(Usage(line.to_owned()).into());
    }
    if !jacobi && given.omega.is_some() {
        return Err(Usage("--omega does nothing without --method jacobi".to_owned()).into());
    }
    Ok(Parameters {
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
        method: match jacobi {
            true => Method::Jacobi { omega: given.omega.unwrap_or(OMEGA) },
            false => Method::Accelerated,
        },
        ..default
    })
}

/// The word for it on the command line.
pub fn method_name(method: Method) -> &'static str {
    match method {
        Method::Accelerated => "accelerated",
        Method::Jacobi { .. } => "jacobi",
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

/// A tone of brick for each of them.
pub fn colours(count: usize, seed: u64) -> Vec<[f32; 3]> {
    let mut random = Random(seed);
    let mut tone = || {
        let (tone, light) = (TONES[random.below(TONES.len())], 0.9 + 0.2 * random.unit());
        tone.map(|part| part * light)
    };
    (0..count).map(|_| tone()).collect()
}
