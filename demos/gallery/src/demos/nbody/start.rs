//! How bodies begin, and the parameters of that.

use anyhow::{Context, Result, anyhow};
use quadrille::Gpu;
use quadrille::sim::nbody::scenes::{self, NAMES, Scene};
use quadrille::sim::nbody::{Forces, Integrator, Parameters};

use super::load;
use crate::demo::{Request, Usage};
use crate::param::{Kept, Kind, Live, Param, Section, Slider, Values, choices};
use crate::picture::COLOURS;

pub const PARAMETERS: &[Param] = &[SCENE, BODIES, FORCES, INTEGRATOR, TIME_STEP, SOFTENING, BYTES, SPEEDS];

const SCENE: Param = Param {
    name: "scene",
    kind: Kind::Choice(|| choices(&SCENES)),
    default: "galaxies",
    help: "What begins, each with its time step and softening; with --load, the scene whose parameters and view are \
           taken. The axes: x to the right, y up, z to the front; scenes lie about the plane of x and y",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

const SCENES: [(&str, &str, ()); 4] = [
    (NAMES[0], "Two galaxies that meet (time step 0.01, softening 0.05)", ()),
    (NAMES[1], "A cold, clumpy ball that falls together (time step 0.004, softening 0.05)", ()),
    (NAMES[2], "Three equal bodies on one path, a period in 1000 steps (time step 0.0063, softening 0)", ()),
    (
        NAMES[3],
        "The sun, its planets and 500 asteroids; lengths in AU, a year is 2π (time step 0.02, softening 0)",
        (),
    ),
];

/// How many bodies there may be.
pub const LEAST: u64 = 2;
pub const MOST: u64 = 262_144;

const BODIES: Param = Param {
    name: "bodies",
    symbol: "N",
    kind: Kind::Whole { low: LEAST, high: MOST },
    default: "4096; more want a GPU",
    live: Live::Some(&["512", "1024", "2048", "4096", "8192", "16384", "32768"]),
    help: "How many bodies galaxies and collapse have, 2 to 262144; with --load, what the file must hold",
    ..Param::NEW
};

const FORCES: Param = Param {
    name: "forces",
    kind: Kind::Choice(|| choices(&SUMS)),
    default: "tiled",
    help: "Forces as a texture of bodies x bodies whose columns are summed, as the course has it, or summed in a loop over \
           tiles of bodies, which writes far fewer texels",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

pub const SUMS: [(&str, &str, Forces); 2] = [
    (
        "matrix",
        "A texel for each of the N x N pulls, whose columns are then summed: as in the course",
        Forces::Matrix,
    ),
    ("tiled", "A loop over the others for each body: far fewer texels are written", Forces::Tiled),
];

const INTEGRATOR: Param = Param {
    name: "integrator",
    kind: Kind::Choice(|| choices(&INTEGRATORS)),
    default: "leapfrog",
    help: "Kick, drift, kick, which keeps the energy; or the course's Euler steps, which do not",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

pub const INTEGRATORS: [(&str, &str, Integrator); 2] = [
    (
        "leapfrog",
        "Half a kick, a drift, half a kick: the energy stays near its value for ever",
        Integrator::Leapfrog,
    ),
    ("euler", "A kick and a drift, the plainest rule: the energy drifts away", Integrator::Euler),
];

const TIME_STEP: Param = Param {
    name: "time-step",
    symbol: "DT",
    kind: Kind::above(0.0, 1e6),
    default: "that of the scene",
    help: "Time a step, in units in which G = 1",
    kept: Kept::With("scene"),
    live: Live::Slider(Slider::to(0.001, 0.1).logarithmic()),
    section: Section::Solver,
    ..Param::NEW
};

const SOFTENING: Param = Param {
    name: "softening",
    symbol: "EPS",
    kind: Kind::real(0.0, 1e6),
    default: "that of the scene",
    help: "Length below which attraction grows no more: bodies are soft balls of about that size, and near ones do not fling each other away; 0 for none",
    kept: Kept::With("scene"),
    live: Live::Slider(Slider::to(0.0, 0.5).logarithmic()),
    section: Section::Physics,
    ..Param::NEW
};

const BYTES: Param = Param {
    name: "bytes",
    symbol: "BYTES",
    kind: Kind::Bytes,
    default: "256MiB",
    help: "The most that the matrix of all forces may take, in bytes or with KiB, MiB or GiB, as 64MiB; it is made in \
           parts within that, of one row of forces at least",
    kept: Kept::With("forces"),
    ..Param::NEW
};

const SPEEDS: Param = Param {
    default: "red_yellow_blue, as stars are",
    help: "Colour map of speeds; `help` lists them",
    ..COLOURS
};

/// The number of bodies that a CPU in place of a GPU can still move.
const USUAL: usize = 4096;

/// Refuses flags that would change nothing.
///
/// # Errors
/// [`Usage`]: which flag.
pub fn refuse(request: &Request) -> Result<()> {
    let given = &request.values;
    let forces = given.choice("forces", &SUMS).unwrap_or(Forces::Tiled);
    if given.has("bytes") && forces == Forces::Tiled {
        let line = "--bytes is for --forces matrix: in tiles the forces take a few rows of texels";
        return Err(Usage(line.to_owned()).into());
    }
    let name = given.word("scene").unwrap_or(NAMES[0]);
    let asked = given.whole("bodies").filter(|_| request.load.is_none());
    // Scenes that take any number take two.
    let two = scenes::named(name, 2, request.seed()).map_or(2, |scene| scene.bodies.len());
    match asked.map(|bodies: usize| (bodies, if two == 2 { bodies } else { two })) {
        Some((bodies, has)) if bodies != has => {
            let line =
                format!("--bodies {bodies}: {name} has {has} bodies, galaxies and collapse have any number");
            Err(Usage(line).into())
        }
        _ => Ok(()),
    }
}

impl super::NBodyDemo {
    /// The demo that is asked for.
    pub(super) fn new(gpu: &Gpu, request: &std::rc::Rc<Request>) -> Result<super::NBodyDemo> {
        let given = &request.values;
        let name = given.word("scene").unwrap_or(NAMES[0]);
        let asked: Option<usize> = given.whole("bodies");
        let (count, seed) = (asked.unwrap_or(USUAL), request.seed());
        let mut scene = scenes::named(name, count, seed).ok_or_else(|| anyhow!("no scene \"{name}\""))?;
        if let (Some(bodies), Some(path)) = (load::bodies(request)?, request.path()) {
            scene.bodies = bodies;
            let found = scene.bodies.len();
            if let Some(asked) = asked.filter(|&asked| asked != found) {
                let line = format!("{}: {found} bodies, --bodies says {asked}", path.display());
                return Err(Usage(line).into());
            }
        }
        scene.parameters = changed(given, scene.parameters);
        let made = |scene: Scene| super::NBodyDemo::of(gpu, request, scene, count, seed);
        match request.path() {
            Some(path) => made(scene).with_context(|| path.display().to_string()),
            None => made(scene),
        }
    }
}

/// Those parameters, but where `values` says otherwise.
pub fn changed(values: &Values, before: Parameters) -> Parameters {
    Parameters {
        time_step: values.real("time-step").unwrap_or(before.time_step),
        softening: values.real("softening").unwrap_or(before.softening),
        forces: values.choice("forces", &SUMS).unwrap_or(before.forces),
        integrator: values.choice("integrator", &INTEGRATORS).unwrap_or(before.integrator),
        bytes: values.whole("bytes").unwrap_or(before.bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_scenes_tells_their_time_step_and_softening() {
        for (name, help, ()) in SCENES {
            let Parameters { time_step, softening, .. } =
                scenes::named(name, 2, 1).map(|scene| scene.parameters).unwrap_or_default();
            let short = format!("{time_step:.4}");
            let told = format!("(time step {}, softening {softening})", short.trim_end_matches('0'));
            assert!(help.ends_with(&told), "{help:?}: {told}");
        }
    }
}
