//! Demos: what each is, and how all of them run.

mod headless;
mod pace;
mod reaction_diffusion;
pub mod record;
pub mod scene;
mod state;
mod wave;

use anyhow::{Result, bail};
use quadrille::view::Mapping;
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

    /// What happens to it from outside before step `step`, from 1.
    fn before_step(&mut self, _step: u64) -> Result<()> {
        Ok(())
    }

    /// Back to the initial state of that seed.
    fn reset(&mut self, seed: u64) -> Result<()>;

    /// What is shown, as of the last refresh: the whole state, unless `values` says otherwise.
    fn state(&self) -> &Buffer;

    /// Brings what is shown up to date, where that is not the state itself.
    fn refresh(&self) -> Result<()> {
        Ok(())
    }

    /// Numbers of the whole state a cell.
    fn components(&self) -> usize {
        self.state().components()
    }

    /// The whole state, row after row: what is saved.
    fn values(&self) -> Result<Vec<f32>> {
        Ok(self.state().data()?)
    }

    /// Whether the first number of a cell is a height, that of a surface to be lit.
    fn has_heights(&self) -> bool {
        false
    }

    /// Its colour map unless the user says otherwise.
    fn colours(&self) -> &'static str {
        palette::DEFAULT
    }

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
    fn reload_if_changed(&mut self) -> Result<bool> {
        Ok(false)
    }
}

pub type Start = fn(&Gpu, &DemoArguments) -> Result<Box<dyn Simulation>>;

/// A demo's name, what it shows, and how it starts.
struct Demo {
    name: &'static str,
    shows: &'static str,
    start: Start,
    presets: fn() -> Vec<String>,
    /// One of the flags that it does not have, if it was given.
    foreign: fn(&DemoArguments) -> Option<&'static str>,
}

const DEMOS: &[Demo] = &[
    Demo {
        name: reaction_diffusion::NAME,
        shows: "Gray-Scott reaction-diffusion (chapter 31)",
        start: reaction_diffusion::start,
        presets: reaction_diffusion::presets,
        foreign: |arguments| arguments.wave.given(),
    },
    Demo {
        name: wave::NAME,
        shows: "waves on water, explicit and implicit (chapter 44)",
        start: wave::start,
        presets: Vec::new,
        foreign: |arguments| arguments.reaction.given().or(arguments.watch.then_some("--watch")),
    },
];

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
    if let Some(flag) = (demo.foreign)(arguments) {
        return Err(Usage(format!("{flag}: {name} has no such flag")).into());
    }
    if arguments.reaction.preset.as_deref() == Some("help") {
        return output::say(&(demo.presets)().join("\n"));
    }
    if arguments.colours.as_deref() == Some("help") {
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

/// The decimal number that was typed, not the nearest f32 in seventeen digits.
fn short(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// The seed in force.
pub fn seed(arguments: &DemoArguments) -> u64 {
    arguments.seed.unwrap_or(1)
}
