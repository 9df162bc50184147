//! How a day begins.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::sim::clouds::{Air, Clouds, Parameters, STATE, Scene, Setting};
use quadrille::sim::fluid::Pressure;

use super::super::{Chosen, Simulation};
use super::{Day, NAME};
use crate::cli::{CloudsArguments, Look, PressureName, Size};
use crate::files::{Array, npy};
use crate::output::Usage;

pub fn chosen(own: CloudsArguments) -> Chosen {
    let arguments = own.demo.clone();
    let mut look = Look::default();
    look.camera.picture = own.picture;
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, given: &CloudsArguments) -> Result<Box<dyn Simulation>> {
    let (scene, seed) = (given.scene.unwrap_or_default(), given.demo.seed());
    let loaded = given.demo.load.as_deref().map(|path| load(path, given)).transpose()?;
    let size = loaded.as_ref().map(|(size, _)| *size).or(given.size);
    if given.walls && given.wind.is_some_and(|wind| wind != 0.0) {
        return Err(Usage("--wind: between --walls there is none".to_owned()).into());
    }
    let (setting, parameters) = described(scene, size, given);
    let mut clouds = Clouds::new(gpu, setting, parameters, seed)?;
    let loaded = loaded.map(|(_, state)| state);
    if let (Some(path), Some(state)) = (&given.demo.load, &loaded) {
        clouds.set_state(state).with_context(|| path.display().to_string())?;
    }
    let (gpu, loaded_seed) = (gpu.clone(), seed);
    Ok(Box::new(Day { gpu, clouds, scene, seed, loaded, loaded_seed, touched: false, told: None }))
}

/// The scene with what was said otherwise.
fn described(scene: Scene, size: Option<Size>, given: &CloudsArguments) -> (Setting, Parameters) {
    let (setting, parameters) = scene.start();
    let cells = size.map_or(setting.cells, |Size { width, height }| [width, height]);
    let spacing = given.spacing.unwrap_or(setting.top() as f32 / cells[1].max(1) as f32);
    let per_metre = |kelvins: f32| f64::from(kelvins) / 1e3;
    let air = Air {
        temperature: given.temperature.map_or(setting.air.temperature, |t| f64::from(t) + 273.15),
        humidity: given.humidity.map_or(setting.air.humidity, f64::from),
        lapse: given.lapse.map_or(setting.air.lapse, per_metre),
        ..setting.air
    };
    let parameters = Parameters {
        time_step: given.time_step.unwrap_or((spacing / 8.0).clamp(1e-4, 1e3)),
        wind: given.wind.unwrap_or(parameters.wind),
        heat: given.heat.unwrap_or(parameters.heat),
        evaporation: given.evaporation.or(parameters.evaporation),
        confinement: given.confinement.unwrap_or(parameters.confinement),
        advection: given.advection.unwrap_or(parameters.advection),
        pressure: given.pressure.map_or(parameters.pressure, pressure_of),
        keep_water: !given.lossy,
    };
    (Setting { cells, spacing, periodic: !given.walls, air }, parameters)
}

fn pressure_of(name: PressureName) -> Pressure {
    match name {
        PressureName::Multigrid => Pressure::default(),
        PressureName::Cg => Pressure::Cg { tolerance: 1e-4 },
        PressureName::Jacobi => Pressure::Jacobi { sweeps: 40 },
    }
}

/// A saved state, and how many cells it is of.
fn load(path: &Path, given: &CloudsArguments) -> Result<(Size, Vec<f32>)> {
    let Array { height, width, components, values } = npy::read(path)?;
    let file = path.display();
    if components != 1 || height % STATE != 0 || height / STATE < 2 || width < 1 + usize::from(given.walls) {
        let shape = format!("({STATE} x (rows + 1), columns)");
        bail!("{file}: {height}x{width}x{components} is no state of clouds, whose shape is {shape}");
    }
    let (columns, rows) = (width - usize::from(given.walls), height / STATE - 1);
    let loaded = Size { width: u32::try_from(columns)?, height: u32::try_from(rows)? };
    if let Some(Size { width, height }) = given.size.filter(|&size| size != loaded) {
        let walls = if given.walls { "with" } else { "without" };
        bail!("{file}: the state is {columns}x{rows} {walls} --walls, --size says {width}x{height}");
    }
    Ok((loaded, values))
}
