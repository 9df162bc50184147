//! Demos: what each is, and how all of them run.

mod headless;
mod pace;
mod reaction_diffusion;
pub mod record;

use anyhow::{Result, bail};
use quadrille::view::{ColourMap, Mapping};
use quadrille::{Buffer, Gpu};
use serde_json::Value;

use crate::cli::DemoArguments;
use crate::output::Usage;
use crate::{interrupt, output, palette, window};

/// A simulation that can be run, shown, checked and saved.
pub trait Simulation {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// One step.
    fn step(&mut self) -> Result<()>;

    /// Back to the initial state of that seed.
    fn reset(&mut self, seed: u64) -> Result<()>;

    /// The whole state: what is saved.
    fn state(&self) -> &Buffer;

    /// How the state becomes colours unless the user says otherwise.
    fn mapping(&self) -> Mapping;

    /// The parameters, by their names in the formulas.
    fn parameters(&self) -> Value;

    /// The largest error of the step from `before` to `after`, against f64 on the CPU.
    fn step_error(&self, before: &[f32], after: &[f32]) -> f64;

    /// What `step_error` may reach.
    fn step_bound(&self) -> f64;

    /// Widgets for the parameters.
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()>;

    /// The pointer pressed on cell (x, y), with a brush of that radius in cells.
    fn touch(&mut self, x: f32, y: f32, radius: f32) -> Result<()>;

    /// Reloads kernels whose files have changed; says whether any did.
    fn reload_if_changed(&mut self) -> Result<bool>;
}

pub type Start = fn(&Gpu, &DemoArguments) -> Result<Box<dyn Simulation>>;

/// A demo's name, what it shows, and how it starts.
struct Demo {
    name: &'static str,
    shows: &'static str,
    start: Start,
    presets: fn() -> Vec<String>,
}

const DEMOS: &[Demo] = &[Demo {
    name: reaction_diffusion::NAME,
    shows: "Gray-Scott reaction-diffusion (chapter 31)",
    start: reaction_diffusion::start,
    presets: reaction_diffusion::presets,
}];

/// `quadrille demo`.
pub fn run(arguments: &DemoArguments) -> Result<()> {
    let Some(name) = &arguments.name else {
        if std::env::args_os().len() > 2 {
            return Err(Usage("demo: which one? `quadrille demo` lists them".to_owned()).into());
        }
        return list();
    };
    let Some(demo) = DEMOS.iter().find(|demo| demo.name == name) else {
        let names: Vec<&str> = DEMOS.iter().map(|demo| demo.name).collect();
        bail!("no demo \"{name}\": there are {}", names.join(", "));
    };
    if arguments.preset.as_deref() == Some("help") {
        return output::say(&(demo.presets)().join("\n"));
    }
    if arguments.colours == "help" {
        return output::say(&palette::names().collect::<Vec<_>>().join("\n"));
    }
    if arguments.headless || arguments.check || arguments.json {
        interrupt::note(|| ());
        headless::run(arguments, demo.start)
    } else {
        window::run(arguments, demo.start)
    }
}

fn list() -> Result<()> {
    let width = DEMOS.iter().map(|demo| demo.name.len()).max().unwrap_or(0);
    DEMOS.iter().try_for_each(|demo| output::say(&format!("{:width$}  {}", demo.name, demo.shows)))
}

/// The colour map of that name.
pub fn colours(gpu: &Gpu, name: &str) -> Result<ColourMap> {
    match palette::colours(name) {
        Some(colours) => Ok(ColourMap::new(gpu, &colours)?),
        None => {
            let names: Vec<&str> = palette::names().collect();
            bail!("no colour map \"{name}\": there are {}", names.join(", "));
        }
    }
}

/// The seed in force.
pub fn seed(arguments: &DemoArguments) -> u64 {
    arguments.seed.unwrap_or(1)
}
