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
    if given.demo.load.is_some() && given.wind.is_some() {
        return Err(Usage("--wind: air of --load has its own".to_owned()).into());
    }
    if given.walls && given.wind.is_some_and(|wind| wind != 0.0) {
        return Err(Usage("--wind: between --walls there is none".to_owned()).into());
    }
    let (setting, mut parameters) = described(scene, size, given);
    if let Some((size, state)) = loaded.as_ref().filter(|_| setting.periodic) {
        parameters.wind = wind(*size, state);
    }
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

/// The mean of u, in whole mm/s: what the air is taken to have been given.
fn wind(Size { width, height }: Size, state: &[f32]) -> f32 {
    let cells = width as usize * height as usize;
    let sum: f64 = state.iter().take(cells).map(|&u| f64::from(u)).sum();
    let wind = (1e3 * sum / cells as f64).round() / 1e3;
    if wind.is_finite() { wind.clamp(-50.0, 50.0) as f32 } else { 0.0 }
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
    check_unused(&values, [width, height / STATE], given.walls).with_context(|| file.to_string())?;
    Ok((loaded, values))
}

/// That nothing stands where a state has no numbers: it tells walls from none, and other demos' states from these.
fn check_unused(values: &[f32], [columns, rows]: [usize; 2], walls: bool) -> Result<()> {
    let number = |k: usize, column: usize, row: usize| values[(k * rows + row) * columns + column];
    for k in [0, 3, 4, 5] {
        if let Some(column) = (0..columns).find(|&column| number(k, column, rows - 1) != 0.0) {
            bail!("no state of clouds: the last row of plane {k} is not 0 in column {column}");
        }
    }
    let is_empty = |column: usize| (1..STATE).all(|k| (0..rows).all(|row| number(k, column, row) == 0.0));
    let last = columns - 1;
    if walls && !is_empty(last) {
        bail!("there is air in the last column: it was saved without --walls");
    }
    if !walls && is_empty(last) && !(0..last).all(is_empty) {
        bail!("there is no air in the last column: it was saved with --walls");
    }
    Ok(())
}
