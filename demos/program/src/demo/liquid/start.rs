//! How a box begins.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::sim::liquid::Parameters;
use quadrille::sim::projection::{Preconditioning, Settings};

use super::super::state::{Parts, State};
use super::super::{Chosen, Simulation};
use super::fluid::Fluid;
use super::{NAME, Tank};
use crate::cli::{LiquidArguments, LiquidPreconditioner, LiquidScene, Look, Size3};
use crate::files::{Array, named, npy};
use crate::output::Usage;

/// Along each side: what a GPU steps many times a second, and what a CPU that plays one still does.
const ON_GPU: u32 = 64;
const ON_CPU: u32 = 32;

pub fn chosen(own: LiquidArguments) -> Chosen {
    let (arguments, colours) = (own.demo.clone(), own.colours.clone());
    let look = Look { colours, camera: own.camera.clone(), volume: own.view, ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, given: &LiquidArguments) -> Result<Box<dyn Simulation>> {
    let (parameters, seed) = (parameters(given), given.demo.seed());
    let renderer = gpu.driver().renderer.to_lowercase();
    let on_cpu = ["llvmpipe", "softpipe", "swiftshader"].iter().any(|name| renderer.contains(name));
    let standard = [if on_cpu { ON_CPU } else { ON_GPU }; 3];
    let Some(path) = &given.demo.load else {
        let scene = given.scene.unwrap_or_default();
        refuse_other_scene(given, scene, "")?;
        let size = given.size.map_or(standard, |Size3(size)| size);
        let fluid = Fluid::new(gpu, scene, size, seed, parameters)?;
        let (gpu, loaded, loaded_seed) = (gpu.clone(), None, seed);
        return Ok(Box::new(Tank {
            gpu,
            fluid,
            scene,
            size,
            parameters,
            seed,
            loaded,
            loaded_seed,
            anew: false,
        }));
    };
    let (scene, size, values) = load(path, given)?;
    let mut fluid = Fluid::new(gpu, scene, size, seed, parameters)?;
    fluid.set_state(&values).with_context(|| path.display().to_string())?;
    let (gpu, loaded, loaded_seed) = (gpu.clone(), Some(values), seed);
    Ok(Box::new(Tank { gpu, fluid, scene, size, parameters, seed, loaded, loaded_seed, anew: false }))
}

/// Flags that would change nothing of that scene; `held` says who chose it.
fn refuse_other_scene(given: &LiquidArguments, scene: LiquidScene, held: &str) -> Result<()> {
    let flags = [
        ("--lossy", given.lossy, LiquidScene::Dam),
        ("--lift", given.lift.is_some(), LiquidScene::Smoke),
        ("--weight", given.weight.is_some(), LiquidScene::Smoke),
        ("--cooling", given.cooling.is_some(), LiquidScene::Smoke),
    ];
    match flags.into_iter().find(|&(_, given, of)| given && of != scene) {
        Some((flag, _, of)) => {
            Err(Usage(format!("{flag}: it is for --scene {}{held}", scene_name(of))).into())
        }
        None => Ok(()),
    }
}

fn parameters(given: &LiquidArguments) -> Parameters {
    let default = Parameters::default();
    let preconditioning = match given.preconditioner.unwrap_or_default() {
        LiquidPreconditioner::Multigrid => Preconditioning::Multigrid,
        LiquidPreconditioner::Jacobi => Preconditioning::Jacobi,
    };
    let tolerance = given.tolerance.unwrap_or(default.projection.tolerance);
    Parameters {
        length: given.length.unwrap_or(default.length),
        gravity: given.gravity.unwrap_or(default.gravity),
        lift: given.lift.unwrap_or(default.lift),
        weight: given.weight.unwrap_or(default.weight),
        cooling: given.cooling.unwrap_or(default.cooling),
        across: given.across.unwrap_or(default.across),
        longest: given.longest.unwrap_or(default.longest),
        keeps_volume: !given.lossy,
        projection: Settings { tolerance, preconditioning, ..default.projection },
    }
}

/// The word for it on the command line.
pub fn scene_name(scene: LiquidScene) -> &'static str {
    match scene {
        LiquidScene::Dam => "dam",
        LiquidScene::Smoke => "smoke",
    }
}

/// The word for what the demo lets a person choose.
pub fn preconditioner_name(preconditioning: Preconditioning) -> &'static str {
    if preconditioning == Preconditioning::Multigrid { "multigrid" } else { "jacobi" }
}

/// What an element of a saved state of that scene is.
pub fn numbers(scene: LiquidScene) -> &'static [&'static str] {
    match scene {
        LiquidScene::Dam => &["u", "v", "w", "pressure", "distance"],
        LiquidScene::Smoke => &["u", "v", "w", "pressure", "density", "temperature"],
    }
}

/// Whose state a file of rows of so many numbers is; flags must not say otherwise.
fn scene_of(file: &str, width: usize, given: &LiquidArguments) -> Result<LiquidScene> {
    let scenes = [LiquidScene::Dam, LiquidScene::Smoke];
    let Some(scene) = scenes.into_iter().find(|&scene| numbers(scene).len() == width) else {
        let of = |scene| {
            format!("of {} has {} ({})", scene_name(scene), numbers(scene).len(), numbers(scene).join(", "))
        };
        bail!("{file}: rows of {width} numbers, a state {}, one {}", of(scenes[0]), of(scenes[1]));
    };
    let name = scene_name(scene);
    if let Some(other) = given.scene.filter(|&other| other != scene) {
        let line =
            format!("{file}: rows of {width} numbers, a state of {name}; --scene says {}", scene_name(other));
        return Err(Usage(line).into());
    }
    refuse_other_scene(given, scene, &format!("; {file} holds a state of {name}"))?;
    Ok(scene)
}

/// The rows of a state's arrays, and the box that they are of.
fn parts(state: &State) -> Result<(Array, Option<[u32; 3]>)> {
    let scene = if state.has("density") { LiquidScene::Smoke } else { LiquidScene::Dam };
    let columns: Vec<_> = numbers(scene).iter().map(|&name| (name, 1)).collect();
    let shape = &state.array("u", 3)?.shape;
    let [nz, ny, nx] = [0, 1, 2].map(|k| u32::try_from(shape[k]).map(|n| n - 1));
    Ok((Parts::Boxes(&columns).join(state)?, Some([nx?, ny?, nz?])))
}

/// A saved state: a row for each of (nx + 1)(ny + 1)(nz + 1) elements.
fn load(path: &Path, given: &LiquidArguments) -> Result<(LiquidScene, [u32; 3], Vec<f32>)> {
    let (Array { height, width, components, values }, own) = match given.demo.state() {
        Some(loaded) => parts(&loaded.state).map_err(|error| named(path, error))?,
        None => (npy::read(path)?, None),
    };
    let file = path.display().to_string();
    let scene = scene_of(&file, width * components, given)?;
    let side = (height as f64).cbrt().round() as u32;
    if let (Some(own), Some(Size3(size))) = (own, given.size.filter(|&Size3(size)| Some(size) != own)) {
        let words = |[nx, ny, nz]: [u32; 3]| format!("{nx}x{ny}x{nz}");
        bail!("{file}: the state is {}, --size says {}", words(own), words(size));
    }
    let [nx, ny, nz] = own.or(given.size.map(|Size3(size)| size)).unwrap_or([side.saturating_sub(1); 3]);
    let rows: usize = [nx, ny, nz].iter().map(|&n| n as usize + 1).product();
    if height != rows || nx == 0 {
        if given.size.is_some() {
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
