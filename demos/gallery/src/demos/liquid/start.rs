//! How a box begins, and the parameters of that.

use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::sim::liquid::Parameters;
use quadrille::sim::projection::{Preconditioning, Settings};

use super::LiquidDemo;
use super::fluid::Fluid;
use crate::demo::{Request, Usage, named};
use crate::param::{Choice, Kept, Kind, Live, Param, Section, Slider, Value, Values, choices, name_of};
use crate::picture::{COLOURS, VolumeView};
use crate::state::{Array, Parts, State};

pub const PARAMETERS: &[Param] = &[
    SCENE,
    SIZE,
    LENGTH,
    GRAVITY,
    LIFT,
    WEIGHT,
    COOLING,
    ACROSS,
    LONGEST,
    TOLERANCE,
    PRECONDITIONER,
    LOSSY,
    MOUSE,
    VIEW,
    SLICES,
];

/// Water or smoke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scene {
    Dam,
    Drops,
    Smoke,
    Fire,
}

impl Scene {
    /// Returns true for water.
    pub fn is_water(self) -> bool {
        matches!(self, Scene::Dam | Scene::Drops)
    }

    /// Its own parameters: flames are short where what rises cools soon.
    pub fn parameters(self) -> Parameters {
        let usual = Parameters::default();
        match self {
            Scene::Fire => Parameters { cooling: 1.5, ..usual },
            Scene::Dam | Scene::Drops | Scene::Smoke => usual,
        }
    }
}

const SCENE: Param = Param {
    name: "scene",
    kind: Kind::Choice(|| choices(&SCENES)),
    default: "dam",
    help: "The content of the box at first; with --load, of the file (a fire is that of seed 1 then)",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

pub const SCENES: [(&str, &str, Scene); 4] = [
    ("dam", "Water behind a dam that has just broken", Scene::Dam),
    ("drops", "Two balls of water that fall into a pool, one after the other", Scene::Drops),
    ("smoke", "Smoke that rises from six flames", Scene::Smoke),
    (
        "fire",
        "The same flames seen to glow, as hot as they are, in thin smoke that cools sooner",
        Scene::Fire,
    ),
];

const SIZE: Param = Param {
    name: "size",
    symbol: "NXxNYxNZ",
    kind: Kind::Size3,
    default: "64 on a GPU, 32 on a CPU that plays one, or of --load if that is a cube",
    help: "Voxels along x, y and z (up), as NXxNYxNZ, or one number for all three; with --load, what the file must hold",
    alias: "cells",
    live: Live::Some(&["12", "16", "24", "32", "48", "64", "96", "128"]),
    label: "voxels",
    ..Param::NEW
};

const LENGTH: Param = Param {
    name: "length",
    symbol: "M",
    unit: "m",
    kind: Kind::real(1e-3, 1e6),
    default: "1",
    help: "Longest side of the box, in metres",
    kept: Kept::Yes,
    ..Param::NEW
};

pub const GRAVITY: Param = Param {
    name: "gravity",
    symbol: "G",
    unit: "m/s²",
    kind: Kind::real(0.0, 1e3),
    default: "9.81",
    help: "Acceleration downwards, in m/s^2",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 30.0)),
    section: Section::Physics,
    ..Param::NEW
};

pub const LIFT: Param = Param {
    name: "lift",
    symbol: "L",
    kind: Kind::real(0.0, 10.0),
    default: "1",
    help: "How much smoke of temperature 1 is lifted, times gravity, 0 to 10",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 5.0)),
    section: Section::Physics,
    ..Param::NEW
};

pub const WEIGHT: Param = Param {
    name: "weight",
    symbol: "W",
    kind: Kind::real(0.0, 10.0),
    default: "0.125",
    help: "How much smoke of density 1 is pulled down, times gravity, 0 to 10",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 5.0)),
    section: Section::Physics,
    ..Param::NEW
};

pub const COOLING: Param = Param {
    name: "cooling",
    symbol: "C",
    unit: "1/s",
    kind: Kind::real(0.0, 100.0),
    default: "0.5 of smoke, 1.5 of fire",
    help: "The rate at which smoke loses its temperature, in 1/s, 0 to 100: with more, it rises less and glows less high",
    kept: Kept::With("scene"),
    live: Live::Slider(Slider::to(0.0, 10.0)),
    section: Section::Physics,
    ..Param::NEW
};

pub const ACROSS: Param = Param {
    name: "across",
    symbol: "N",
    kind: Kind::real(0.1, 5.0),
    default: "1.5",
    help: "The length of a step: so long that the fastest water or smoke crosses so many voxels in it. Fewer is more exact and slower; 0.1 to 5",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.1, 5.0)),
    label: "voxels a step",
    section: Section::Solver,
    ..Param::NEW
};

pub const LONGEST: Param = Param {
    name: "longest",
    symbol: "DT",
    unit: "s",
    kind: Kind::real(1e-6, 10.0),
    default: "0.02",
    help: "The longest step, in seconds, where hardly anything moves: 1e-6 to 10",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(1e-4, 0.1).logarithmic()),
    label: "longest step",
    section: Section::Solver,
    ..Param::NEW
};

pub const TOLERANCE: Param = Param {
    name: "tolerance",
    symbol: "T",
    kind: Kind::real(1e-7, 0.1),
    default: "1e-4",
    help: "How exactly the pressure is solved: what is left of the divergence (what flows out of a voxel more than in, which water cannot) as a part of \
           that before it, 1e-7 to 0.1",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(1e-6, 0.1).logarithmic()),
    section: Section::Solver,
    ..Param::NEW
};

const PRECONDITIONER: Param = Param {
    name: "preconditioner",
    kind: Kind::Choice(|| choices(&PRECONDITIONERS)),
    default: "multigrid",
    help: "A cheap guess at the solution that each iteration for the pressure begins with: the better it is, the fewer iterations a step needs",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

pub const PRECONDITIONERS: [(&str, &str, Preconditioning); 2] = [
    (
        "multigrid",
        "The guess of coarser and coarser boxes, which sees the whole of it at once: few iterations, each dearer",
        Preconditioning::Multigrid,
    ),
    (
        "jacobi",
        "Each voxel by itself, its neighbours left out (the inverse of the diagonal): many cheap iterations",
        Preconditioning::Jacobi,
    ),
];

const LOSSY: Param = Param {
    name: "lossy",
    label: "let water get lost",
    kind: Kind::Flag,
    help: "Do not put back the water that the level set (the distances from the surface, which carry it) loses where it is thin",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

/// The effect of a press of the mouse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mouse {
    Push,
    Pour,
}

const MOUSE: Param = Param {
    name: "mouse",
    kind: Kind::Choice(|| choices(&MICE)),
    default: "push",
    help: "What a press does: it pushes along the line of sight, or pours a ball of water or smoke into the middle of it",
    live: Live::Words,
    ..Param::NEW
};

pub const MICE: [(&str, &str, Mouse); 2] = [
    ("push", "Push what lies under the pointer away from you", Mouse::Push),
    ("pour", "Pour a ball of water or smoke, as large as the brush", Mouse::Pour),
];

const VIEW: Param = Param {
    name: "view",
    kind: Kind::Choice(|| ["volume", "slices"].map(|name| Choice { name, help: "" }).to_vec()),
    default: "volume",
    help: "Light on its way through the box, or its slices as a flat map",
    ..Param::NEW
};

const SLICES: Param = Param {
    default: "blue_red for water, inferno for smoke",
    help: "Colour map of slices; `help` lists them",
    ..COLOURS
};

/// Along each side: what a GPU steps many times a second, and what a CPU that plays one still does.
const ON_GPU: u32 = 64;
const ON_CPU: u32 = 32;

impl LiquidDemo {
    /// The demo that is asked for.
    pub(super) fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<LiquidDemo> {
        let given = &request.values;
        let seed = request.seed();
        let (scene, size, loaded) = match request.path() {
            Some(path) => {
                let (scene, size, values) = load(path, request)?;
                (scene, size, Some((values, seed)))
            }
            None => {
                let scene = given.choice("scene", &SCENES).unwrap_or(Scene::Dam);
                (scene, given.size3("size").unwrap_or_else(|| usual_size(gpu)), None)
            }
        };
        let parameters = changed(given, scene.parameters());
        let mut fluid = Fluid::new(gpu, scene, size, seed, parameters)?;
        if let (Some((values, _)), Some(path)) = (&loaded, request.path()) {
            fluid.set_state(values).with_context(|| path.display().to_string())?;
        }
        let view = VolumeView::new(gpu, request, &super::voluminous(&fluid))?;
        let gpu = gpu.clone();
        let mouse = given.choice("mouse", &MICE).unwrap_or(Mouse::Push);
        Ok(LiquidDemo {
            gpu,
            fluid,
            scene,
            size,
            parameters,
            mouse,
            seed,
            loaded,
            anew: false,
            stroke: None,
            view,
        })
    }
}

/// Refuses flags of the other scene.
///
/// # Errors
/// [`Usage`]: which flag.
pub fn refuse(request: &Request) -> Result<()> {
    let scene = request.values.choice("scene", &SCENES).unwrap_or(Scene::Dam);
    match request.load {
        // The file says which scene it is.
        Some(_) => Ok(()),
        None => refuse_other_scene(&request.values, scene, ""),
    }
}

fn usual_size(gpu: &Gpu) -> [u32; 3] {
    let renderer = gpu.driver().renderer.to_lowercase();
    let on_cpu = ["llvmpipe", "softpipe", "swiftshader"].iter().any(|name| renderer.contains(name));
    [if on_cpu { ON_CPU } else { ON_GPU }; 3]
}

/// Refuses flags that would change nothing of that scene; `held` says who chose it.
fn refuse_other_scene(given: &Values, scene: Scene, held: &str) -> Result<()> {
    let flags = [
        ("--lossy", given.flag("lossy"), true),
        ("--lift", given.has("lift"), false),
        ("--weight", given.has("weight"), false),
        ("--cooling", given.has("cooling"), false),
    ];
    match flags.into_iter().find(|&(_, given, water)| given && water != scene.is_water()) {
        Some((flag, _, water)) => {
            let scenes = if water { "dam or drops" } else { "smoke or fire" };
            Err(Usage(format!("{flag}: only for --scene {scenes}{held}")).into())
        }
        None => Ok(()),
    }
}

/// Those parameters, but where `values` says otherwise.
pub fn changed(values: &Values, before: Parameters) -> Parameters {
    let real = |name, before: f32| values.real(name).unwrap_or(before);
    let Settings { tolerance, preconditioning, .. } = before.projection;
    Parameters {
        length: real("length", before.length),
        gravity: real("gravity", before.gravity),
        lift: real("lift", before.lift),
        weight: real("weight", before.weight),
        cooling: real("cooling", before.cooling),
        across: real("across", before.across),
        longest: real("longest", before.longest),
        keeps_volume: match values.get("lossy") {
            Some(Value::Flag(lossy)) => !lossy,
            _ => before.keeps_volume,
        },
        projection: Settings {
            tolerance: real("tolerance", tolerance),
            preconditioning: values.choice("preconditioner", &PRECONDITIONERS).unwrap_or(preconditioning),
            ..before.projection
        },
    }
}

/// The numbers of an element of a saved state of that scene.
pub fn numbers(scene: Scene) -> &'static [&'static str] {
    match scene {
        Scene::Dam | Scene::Drops => &["u", "v", "w", "pressure", "distance"],
        Scene::Smoke | Scene::Fire => &["u", "v", "w", "pressure", "density", "temperature"],
    }
}

/// Whose state a file of rows of so many numbers is; flags must not say otherwise.
fn scene_of(file: &str, width: usize, given: &Values) -> Result<Scene> {
    let scenes = [Scene::Dam, Scene::Smoke];
    let Some(scene) = scenes.into_iter().find(|&scene| numbers(scene).len() == width) else {
        let of = |scene| {
            format!(
                "of {} has {} ({})",
                name_of(&SCENES, &scene),
                numbers(scene).len(),
                numbers(scene).join(", ")
            )
        };
        bail!("{file}: rows of {width} numbers, a state {}, one {}", of(scenes[0]), of(scenes[1]));
    };
    // Both of water, or of smoke, have the same rows.
    let said = given.choice("scene", &SCENES);
    let scene = said.filter(|said| said.is_water() == scene.is_water()).unwrap_or(scene);
    let name = name_of(&SCENES, &scene);
    if let Some(other) = said.filter(|&other| other != scene) {
        let line = format!(
            "{file}: rows of {width} numbers, a state of {name}; --scene says {}",
            name_of(&SCENES, &other)
        );
        return Err(Usage(line).into());
    }
    refuse_other_scene(given, scene, &format!("; {file} holds a state of {name}"))?;
    Ok(scene)
}

/// The rows of a state's arrays, and the box that they are of.
fn parts(state: &State) -> Result<(Array, Option<[u32; 3]>)> {
    let scene = if state.has("density") { Scene::Smoke } else { Scene::Dam };
    let columns: Vec<_> = numbers(scene).iter().map(|&name| (name, 1)).collect();
    let shape = &state.array("u", 3)?.shape;
    let [nz, ny, nx] = [0, 1, 2].map(|k| u32::try_from(shape[k]).map(|n| n - 1));
    Ok((Parts::Boxes(&columns).join(state)?, Some([nx?, ny?, nz?])))
}

/// A saved state: a row for each of (nx + 1)(ny + 1)(nz + 1) elements.
fn load(path: &Path, request: &Request) -> Result<(Scene, [u32; 3], Vec<f32>)> {
    let (Array { height, width, components, values }, own) = match request.state() {
        Some(state) => parts(state).map_err(|error| named(path, error))?,
        None => (request.host.array(path, None)?, None),
    };
    let size = request.values.size3("size");
    let file = path.display().to_string();
    let scene = scene_of(&file, width * components, &request.values)?;
    let side = (height as f64).cbrt().round() as u32;
    if let (Some(own), Some(size)) = (own, size.filter(|&size| Some(size) != own)) {
        let words = |[nx, ny, nz]: [u32; 3]| format!("{nx}x{ny}x{nz}");
        bail!("{file}: the state is {}, --size says {}", words(own), words(size));
    }
    let [nx, ny, nz] = own.or(size).unwrap_or([side.saturating_sub(1); 3]);
    let rows: usize = [nx, ny, nz].iter().map(|&n| n as usize + 1).product();
    if height != rows || nx == 0 {
        if size.is_some() {
            let line = format!("{file}: {height} rows, a state of --size {nx}x{ny}x{nz} has {rows}");
            return Err(Usage(line).into());
        }
        bail!("{file}: {height} rows are no cube of voxels: say by --size which box it is");
    }
    if let Some(number) = values.iter().position(|v| !v.is_finite()) {
        bail!("{file}: row {} has a number that is not finite", number / (width * components));
    }
    Ok((scene, [nx, ny, nz], values))
}
