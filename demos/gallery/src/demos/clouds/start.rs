//! How clouds begin.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::numeric::Random;
use quadrille::sim::clouds::{Air, Clouds, Parameters, Parcel, STATE, Scene, Setting};

use super::parameters::{self, AFTERNOON, HOUR, PLAIN, SHOWN, THERMALS, changed};
use super::shown::{Show, Shown};
use super::{CloudsDemo, PARTS, Strength};
use crate::demo::{Request, Usage};
use crate::param::Values;
use crate::picture::SkyView;
use crate::state::Array;

/// Confirms that no flag is without effect.
///
/// # Errors
/// [`Usage`]: a flag that does not apply.
pub fn check(request: &Request) -> Result<()> {
    let show = request.values.choice("show", &SHOWN);
    if show.is_some() && !request.draws {
        return Err(Usage("--show: without a window it is of a picture, as --out a.png".to_owned()).into());
    }
    let of_numbers = show.is_some_and(|show| show != Show::Clouds);
    let has_colours = request.values.text("colours").is_some_and(|name| name != "help");
    if has_colours && !of_numbers && request.draws && request.windowless {
        let line = "--colours: clouds have their own; they are of numbers, see --show";
        return Err(Usage(line.to_owned()).into());
    }
    if request.values.flag("streamlines") && !of_numbers && request.draws && request.windowless {
        return Err(Usage("--streamlines: over numbers, see --show; the sky has none".to_owned()).into());
    }
    let (values, wind) = (&request.values, request.values.real("wind"));
    let is_stable = parameters::scene(values) == Some(Scene::Stable);
    for (is_wrong, line) in [
        (
            request.load.is_some() && request.state().is_none() && wind.is_some(),
            "--wind: air of --load has its own",
        ),
        (
            values.flag("walls") && wind.is_some_and(|wind| wind != 0.0),
            "--wind: between --walls there is none",
        ),
        (is_stable && values.has("humidity"), "--humidity: the air of stable is dry"),
    ] {
        if is_wrong {
            return Err(Usage(line.to_owned()).into());
        }
    }
    Ok(())
}

impl CloudsDemo {
    /// The day that is asked for.
    pub(super) fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<CloudsDemo> {
        let (values, seed) = (&request.values, request.seed());
        let scene = parameters::scene(values).unwrap_or_default();
        let loaded = load(request)?;
        let size = loaded.as_ref().map(|(size, _)| *size).or(values.size("size"));
        let in_window = request.draws && !request.windowless;
        let usual = usual_thermals(scene, in_window);
        // A state, or a run that begins anew, says the usual number, too.
        let taken_over = request.state().is_some() || usual > 0;
        let thermals = values.whole(THERMALS.name).filter(|&thermals| !(taken_over && thermals == usual));
        let wind = values.real("wind");
        let of_file = loaded.as_ref().map_or(0.0, |(size, state)| wind_of(*size, state));
        let (setting, parameters) = described(scene, size, of_file, values);
        let [width, height] = setting.cells;
        let mut clouds = Clouds::new(gpu, setting, parameters, seed)?;
        let loaded = loaded.map(|(_, state)| state);
        if loaded.is_none() {
            warm(&mut clouds, thermals.unwrap_or(usual), seed)?;
        }
        if let (Some(path), Some(state)) = (request.path(), &loaded) {
            clouds.set_state(state).with_context(|| path.display().to_string())?;
            // The air of a .npy brings its wind along; one that goes on blows as it was told to.
            if let Some(wind) = wind {
                clouds.set_parameters(Parameters { wind, ..clouds.parameters() })?;
            }
        }
        let open = gpu.buffer(width, height).components(1).named("open air").build()?;
        let mut shown = Shown::new(values.choice("show", &SHOWN).unwrap_or(Show::Clouds), open);
        shown.prepare(&mut clouds)?;
        let view = SkyView::new(gpu, request, &shown.basin(&clouds))?;
        Ok(CloudsDemo {
            gpu: gpu.clone(),
            clouds,
            shown,
            view,
            scene,
            thermals,
            in_window,
            seed,
            loaded,
            loaded_seed: seed,
            hour: values.real(HOUR.name).unwrap_or(AFTERNOON),
            plain: values.flag(PLAIN.name),
            touched: false,
            glows: Vec::new(),
            strength: Strength(1.0),
            begun_anew: false,
            offs: RefCell::default(),
            reading: None,
        })
    }
}

/// Discs that a bubble is made of.
const PARTS_OF_THERMAL: u32 = 5;

/// Bubbles that are on their way at the beginning where nobody says how many.
pub(super) fn usual_thermals(scene: Scene, in_window: bool) -> u32 {
    if scene == Scene::Stable || !in_window { 0 } else { 12 }
}

/// Adds warm, moist bubbles below the condensation level and at it, spread over the width of the box, each as wide as a thermal.
///
/// # Errors
/// Those of [`Clouds::warm`].
pub(super) fn warm(clouds: &mut Clouds, thermals: u32, seed: u64) -> Result<()> {
    let Setting { cells, spacing, air, .. } = *clouds.setting();
    let Parcel { theta, vapour, .. } = air.at(0.0);
    let top = clouds.setting().top();
    let level = air.condensation_level(theta, vapour, top).unwrap_or(0.3 * top);
    let mut random = Random(seed);
    for n in 0..thermals {
        let share = (n as f32 + 0.2 + 0.6 * random.unit()) / thermals as f32;
        // Every third one is a cloud at once.
        let is_cloud = n % 3 == 0;
        let up =
            level as f32 * if is_cloud { 1.0 + 0.2 * random.unit() } else { 0.35 + 0.65 * random.unit() };
        let least = if is_cloud { 1.1 } else { 0.3 };
        // One after another, or it would be the same on both sides.
        for _ in 0..PARTS_OF_THERMAL {
            let beside = 220.0 * random.signed() / spacing;
            let (above, radius) = (120.0 * random.signed(), (110.0 + 150.0 * random.unit()) / spacing);
            // Dry air stays so.
            let moist = if vapour > 0.0 { 1e-3 * (least + 0.5 * random.unit()) } else { 0.0 };
            let place = [share * cells[0] as f32 + beside, (up + above) / spacing];
            clouds.warm(place, radius, [0.3 + 0.5 * random.unit(), moist])?;
        }
    }
    Ok(())
}

/// The scene with what was said otherwise.
fn described(
    scene: Scene,
    size: Option<[u32; 2]>,
    wind_of_file: f32,
    values: &Values,
) -> (Setting, Parameters) {
    let (setting, parameters) = scene.start();
    let cells = size.unwrap_or(setting.cells);
    let spacing = values.real("spacing").unwrap_or(setting.top() as f32 / cells[1].max(1) as f32);
    let per_metre = |kelvins: f32| f64::from(kelvins) / 1e3;
    let air = Air {
        temperature: values.real("temperature").map_or(setting.air.temperature, |t| f64::from(t) + 273.15),
        humidity: values.real("humidity").map_or(setting.air.humidity, f64::from),
        lapse: values.real("lapse").map_or(setting.air.lapse, per_metre),
        ..setting.air
    };
    let setting = Setting { cells, spacing, periodic: !values.flag("walls"), air };
    let wind = values.real("wind").unwrap_or(parameters.wind);
    // Air that rises by 8 m/s in that wind crosses a cell.
    let usual = (spacing / (8.0 + wind.abs().max(wind_of_file.abs()))).clamp(1e-4, 1e3);
    let time_step = values.real("time-step").unwrap_or(usual);
    let parameters = Parameters { time_step, ..parameters };
    // Eddies that cells do not resolve are as large as those, and no step mixes more than it can.
    let usual = parameters.mixing * spacing / Setting::default().spacing;
    let mixing = usual.min(parameters.most_mixing(&setting));
    let parameters = changed(values, Parameters { mixing, ..parameters });
    (setting, parameters)
}

/// The wind of a state; 0 where it is none, which the air refuses.
fn wind_of([_, height]: [u32; 2], state: &[f32]) -> f32 {
    let rows = height as usize + 1;
    let columns = state.len() / (STATE * rows);
    let wind = state[(rows - 1) * columns];
    if wind.abs() <= 50.0 { wind } else { 0.0 }
}

/// A saved state, and how many cells it is of.
fn load(request: &Request) -> Result<Option<([u32; 2], Vec<f32>)>> {
    let read = |path: &Path| request.host.array(path, None);
    let (Some(path), Some(array)) = (request.path(), request.array(&PARTS, read)?) else { return Ok(None) };
    let has_walls = request.values.flag("walls");
    let Array { height, width, components, values } = array;
    let file = path.display();
    if components != 1 || height % STATE != 0 || height / STATE < 2 || width < 1 + usize::from(has_walls) {
        let shape = format!("({STATE} x (rows + 1), columns)");
        bail!("{file}: {height}x{width}x{components} is no state of clouds, whose shape is {shape}");
    }
    let (columns, rows) = (width - usize::from(has_walls), height / STATE - 1);
    let loaded = [u32::try_from(columns)?, u32::try_from(rows)?];
    if let Some([width, height]) = request.values.size("size").filter(|&size| size != loaded) {
        let walls = if has_walls { "with" } else { "without" };
        bail!("{file}: the state is {columns}x{rows} {walls} --walls, --size says {width}x{height}");
    }
    check_unused(&values, [width, height / STATE], has_walls).with_context(|| file.to_string())?;
    Ok(Some((loaded, values)))
}

/// Confirms that nothing stands where a state has no numbers: it tells walls from none, and other demos' states from these.
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
