//! Demos: what each is, and how all of them run.

mod headless;
mod pace;
mod reaction_diffusion;
pub mod record;
pub mod scene;
pub mod shown;
mod state;
mod wall;
mod wave;

use std::time::Duration;

use anyhow::{Result, bail};
use quadrille::Gpu;
use serde_json::Value;

use self::shown::{Shown, Touch};
use crate::cli::DemoArguments;
use crate::files::Array;
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

    /// How large it is, as 512x512, and what is counted.
    fn size(&self) -> (String, &'static str);

    /// How long a step lasts in the world that is simulated, if it has a time.
    fn time_step(&self) -> Option<Duration> {
        None
    }

    /// What there is to see, brought up to date.
    fn shown(&self) -> Result<Shown<'_>>;

    /// The whole state: what is saved.
    fn state(&self) -> Result<Array>;

    /// The parameters, by their names in the formulas.
    fn parameters(&self) -> Value;

    /// What a report says of the run besides.
    fn findings(&self) -> Value {
        Value::Null
    }

    /// What can be said of the last step, from the state `before`, against what it may be.
    fn check(&self, before: &Array) -> Result<Vec<Measure>>;

    /// About how many steps of a run `--check` looks at.
    fn looks(&self) -> u64 {
        100
    }

    /// Steps a frame in a window unless the user says otherwise.
    fn pace(&self) -> u64 {
        10
    }

    /// Widgets for the parameters.
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()>;

    /// The pointer pressed there.
    fn touch(&mut self, touch: Touch) -> Result<()>;

    /// Reloads kernels whose files have changed; says whether any did.
    fn reload_if_changed(&mut self) -> Result<bool> {
        Ok(false)
    }
}

/// Something measured of a step, and what it may be at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    pub name: &'static str,
    pub error: f64,
    pub bound: f64,
}

impl Measure {
    /// Not if it is no number.
    pub fn passes(&self) -> bool {
        self.error <= self.bound
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
        foreign: |arguments| {
            let others = arguments.wave.given().or(arguments.wall.given());
            others.or(arguments.view.map(|_| "--view")).or(arguments.camera.given())
        },
    },
    Demo {
        name: wave::NAME,
        shows: "waves on water, explicit and implicit (chapter 44)",
        start: wave::start,
        presets: Vec::new,
        foreign: |arguments| {
            let others = arguments.reaction.given().or(arguments.wall.given());
            others.or(arguments.watch.then_some("--watch"))
        },
    },
    Demo {
        name: wall::NAME,
        shows: "a wall of cubes, whose contacts are a linear complementarity problem (dense matrices)",
        start: wall::start,
        presets: Vec::new,
        foreign: |arguments| {
            let others = arguments.reaction.given().or(arguments.wave.given()).or(arguments.of_fields());
            others.or(arguments.watch.then_some("--watch"))
        },
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
    if arguments.is_windowless() {
        interrupt::note(interrupt::say_if_late);
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
