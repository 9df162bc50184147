//! How a box begins.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::sim::liquid::Parameters;
use quadrille::sim::projection::Settings;

use super::super::{Chosen, Simulation};
use super::fluid::Fluid;
use super::{NAME, Tank};
use crate::cli::{LiquidArguments, LiquidScene, Look, Size3};
use crate::files::{Array, npy};
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
    let (scene, seed) = (given.scene.unwrap_or_default(), given.demo.seed());
    let parameters = parameters(given);
    let renderer = gpu.driver().renderer.to_lowercase();
    let on_cpu = ["llvmpipe", "softpipe", "swiftshader"].iter().any(|name| renderer.contains(name));
    let standard = [if on_cpu { ON_CPU } else { ON_GPU }; 3];
    let Some(path) = &given.demo.load else {
        let size = given.size.map_or(standard, |Size3(size)| size);
        let fluid = Fluid::new(gpu, scene, size, seed, parameters)?;
        let (gpu, loaded, loaded_seed) = (gpu.clone(), None, seed);
        return Ok(Box::new(Tank { gpu, fluid, scene, size, parameters, seed, loaded, loaded_seed }));
    };
    let (size, values) = load(path, scene, given.size)?;
    let mut fluid = Fluid::new(gpu, scene, size, seed, parameters)?;
    fluid.set_state(&values).with_context(|| path.display().to_string())?;
    let (gpu, loaded, loaded_seed) = (gpu.clone(), Some(values), seed);
    Ok(Box::new(Tank { gpu, fluid, scene, size, parameters, seed, loaded, loaded_seed }))
}

fn parameters(given: &LiquidArguments) -> Parameters {
    let default = Parameters::default();
    let tolerance = given.tolerance.unwrap_or(default.projection.tolerance);
    Parameters {
        length: given.length.unwrap_or(default.length),
        gravity: given.gravity.unwrap_or(default.gravity),
        longest: given.longest.unwrap_or(default.longest).max(1e-6),
        keeps_volume: !given.lossy,
        projection: Settings { tolerance, ..default.projection },
        ..default
    }
}

/// The word for it on the command line.
pub fn scene_name(scene: LiquidScene) -> &'static str {
    match scene {
        LiquidScene::Dam => "dam",
        LiquidScene::Smoke => "smoke",
    }
}

/// A saved state of that scene: rows of nx + 1 elements, of which there are (ny + 1)(nz + 1).
fn load(path: &Path, scene: LiquidScene, size: Option<Size3>) -> Result<([u32; 3], Vec<f32>)> {
    let Array { height, width, components, values } = npy::read(path)?;
    let (file, name) = (path.display(), scene_name(scene));
    let numbers = match scene {
        LiquidScene::Dam => ["u", "v", "w", "pressure", "distance"].as_slice(),
        LiquidScene::Smoke => ["u", "v", "w", "pressure", "density", "temperature"].as_slice(),
    };
    if components != numbers.len() {
        let (has, list) = (numbers.len(), numbers.join(", "));
        bail!("{file}: {components} components, a state of {name} has {has} ({list})");
    }
    let side = u32::try_from(width)?.saturating_sub(1);
    let [nx, ny, nz] = size.map_or([side; 3], |Size3(size)| size);
    let rows = (ny as usize + 1) * (nz as usize + 1);
    if side == 0 || width != nx as usize + 1 || height != rows {
        let expected = format!("{rows} x {}", nx as usize + 1);
        if size.is_some() {
            let line = format!("{file}: {height} x {width} elements, --size {nx}x{ny}x{nz} has {expected}");
            return Err(Usage(line).into());
        }
        bail!("{file}: {height} x {width} elements are no cube, which has {expected}: say which by --size");
    }
    if let Some(element) = values.iter().position(|v| !v.is_finite()) {
        bail!("{file}: element {} is not a finite number", element / components);
    }
    Ok(([nx, ny, nz], values))
}
