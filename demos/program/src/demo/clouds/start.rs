//! How a day begins.

use std::cell::RefCell;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::sim::clouds::{Air, Clouds, Parameters, STATE, Scene, Setting};
use quadrille::sim::fluid::Pressure;

use super::super::{Chosen, Simulation};
use super::{Day, NAME, PARTS};
use crate::cli::{CloudsArguments, CloudsShow, Look, PressureName, Size};
use crate::files::{Array, npy};
use crate::output::Usage;

/// # Errors
/// A usage error for a flag that does not apply.
pub fn chosen(own: CloudsArguments) -> Result<Chosen> {
    let (arguments, colours) = (own.demo.clone(), own.colours.clone());
    if own.show.is_some() && !own.demo.draws() {
        return Err(Usage("--show: without a window it is of a picture, as --out a.png".to_owned()).into());
    }
    let of_numbers = own.show.is_some_and(|show| show != CloudsShow::Clouds);
    if colours.as_deref().is_some_and(|name| name != "help")
        && !of_numbers
        && own.demo.draws()
        && own.demo.is_windowless()
    {
        return Err(
            Usage("--colours: clouds have their own; they are of numbers, see --show".to_owned()).into()
        );
    }
    let mut look = Look { colours, ..Look::default() };
    look.camera.picture = own.picture;
    Ok(Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) })
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, given: &CloudsArguments) -> Result<Box<dyn Simulation>> {
    let (scene, seed) = (given.scene.unwrap_or_default(), given.demo.seed());
    let loaded = load(given)?;
    let size = loaded.as_ref().map(|(size, _)| *size).or(given.size);
    if given.demo.load.is_some() && given.demo.state().is_none() && given.wind.is_some() {
        return Err(Usage("--wind: air of --load has its own".to_owned()).into());
    }
    if given.walls && given.wind.is_some_and(|wind| wind != 0.0) {
        return Err(Usage("--wind: between --walls there is none".to_owned()).into());
    }
    if scene == Scene::Stable && given.humidity.is_some() {
        return Err(Usage("--humidity: the air of stable is dry".to_owned()).into());
    }
    let of_file = loaded.as_ref().map_or(0.0, |(size, state)| wind_of(*size, state));
    let (setting, parameters) = described(scene, size, of_file, given);
    let [width, height] = setting.cells;
    let mut clouds = Clouds::new(gpu, setting, parameters, seed)?;
    let loaded = loaded.map(|(_, state)| state);
    if let (Some(path), Some(state)) = (&given.demo.load, &loaded) {
        clouds.set_state(state).with_context(|| path.display().to_string())?;
        // The air of a .npy brings its wind along; one that goes on blows as it was told to.
        if let Some(wind) = given.wind {
            clouds.set_parameters(Parameters { wind, ..clouds.parameters() })?;
        }
    }
    let open = gpu.buffer(width, height).components(1).named("open air").build()?;
    Ok(Box::new(Day {
        gpu: gpu.clone(),
        clouds: RefCell::new(clouds),
        open,
        show: given.show.unwrap_or_default(),
        range: 1.0,
        scene,
        seed,
        loaded,
        loaded_seed: seed,
        touched: false,
        begun_anew: false,
        offs: RefCell::default(),
        told: None,
    }))
}

/// The scene with what was said otherwise.
fn described(
    scene: Scene,
    size: Option<Size>,
    wind_of_file: f32,
    given: &CloudsArguments,
) -> (Setting, Parameters) {
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
    let setting = Setting { cells, spacing, periodic: !given.walls, air };
    let wind = given.wind.unwrap_or(parameters.wind);
    // Air that rises by 8 m/s in that wind crosses a cell.
    let usual = (spacing / (8.0 + wind.abs().max(wind_of_file.abs()))).clamp(1e-4, 1e3);
    let time_step = given.time_step.unwrap_or(usual);
    let parameters = Parameters { time_step, ..parameters };
    // Eddies that cells do not resolve are as large as those, and no step mixes more than it can.
    let usual = parameters.mixing * spacing / Setting::default().spacing;
    let parameters = Parameters {
        mixing: given.mixing.unwrap_or(usual.min(parameters.most_mixing(&setting))),
        renewal: given.renewal.map_or(parameters.renewal, |renewal| renewal.0),
        wind,
        heat: given.heat.unwrap_or(parameters.heat),
        evaporation: given.evaporation.or(parameters.evaporation),
        confinement: given.confinement.unwrap_or(parameters.confinement),
        advection: given.advection.unwrap_or(parameters.advection),
        pressure: given.pressure.map_or(parameters.pressure, pressure_of),
        keep_water: !given.lossy,
        ..parameters
    };
    (setting, parameters)
}

fn pressure_of(name: PressureName) -> Pressure {
    match name {
        PressureName::Multigrid => Pressure::default(),
        PressureName::Cg => Pressure::Cg { tolerance: 1e-4 },
        PressureName::Jacobi => Pressure::Jacobi { sweeps: 40 },
    }
}

/// The wind of a state; 0 where it is none, which the air refuses.
fn wind_of(Size { height, .. }: Size, state: &[f32]) -> f32 {
    let rows = height as usize + 1;
    let columns = state.len() / (STATE * rows);
    let wind = state[(rows - 1) * columns];
    if wind.abs() <= 50.0 { wind } else { 0.0 }
}

/// A saved state, and how many cells it is of.
fn load(given: &CloudsArguments) -> Result<Option<(Size, Vec<f32>)>> {
    let (Some(path), Some(array)) = (&given.demo.load, given.demo.array(&PARTS, npy::read)?) else {
        return Ok(None);
    };
    let Array { height, width, components, values } = array;
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
    Ok(Some((loaded, values)))
}

/// That nothing stands where a state has no numbers: it tells walls from none, and other demos' states from these.
fn check_unused(values: &[f32], [columns, rows]: [usize; 2], walls: bool) -> Result<()> {
    let number = |k: usize, column: usize, row: usize| values[(k * rows + row) * columns + column];
    for k in [3, 4, 5] {
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
