//! Demos: what each is, and how all of them run.

mod branches;
#[cfg(test)]
mod checks;
mod clouds;
mod fluid;
mod formats;
mod headless;
mod heat;
mod histogram;
mod liquid;
mod nbody;
mod pace;
mod rate;
mod reaction_diffusion;
pub mod record;
pub mod scene;
pub mod shown;
pub mod smooth;
mod sort;
mod state;
mod wall;
mod wave;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, bail};
use quadrille::Gpu;
use serde_json::Value;

use self::shown::{Mark, Shown, Touch};
use self::state::{Kept, State, resumed};
use crate::cli::{DemoArguments, DemoName, Look};
use crate::files::npz::{Named, is_npz};
use crate::files::{Array, named};
use crate::{cli, interrupt, output, palette, window};

pub use self::state::Loaded;

/// A simulation that can be run, shown, checked and saved.
///
/// What has a default here is what most demos do without.
pub trait Simulation {
    // What it is.

    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// How large it is, as 512x512, and what is counted.
    fn size(&self) -> (String, &'static str);

    /// The parameters, by their names in the formulas.
    fn parameters(&self) -> Value;

    /// Its numbers as one array: what a `.npy` holds, and what a step is checked by.
    fn state(&self) -> Result<Array>;

    /// The same by their names, and all else that it needs to go on bit for bit.
    fn arrays(&self) -> Result<Vec<Named>>;

    /// What else it goes on by: each flag that it keeps, by its name with `_` for `-`, and other numbers and words.
    fn values(&self) -> Result<Value>;

    /// Takes from the state that it was started from what is in no [`Simulation::state`].
    fn restore(&mut self, _state: &State) -> Result<()> {
        Ok(())
    }

    // How it runs.

    /// Back to the initial state of that seed.
    fn reset(&mut self, seed: u64) -> Result<()>;

    /// What happens to it from outside before step `step`, from 1.
    fn before_step(&mut self, _step: u64) -> Result<()> {
        Ok(())
    }

    /// One step.
    fn step(&mut self) -> Result<()>;

    /// Whether there is nothing left to step, however many steps were asked for.
    fn is_over(&self) -> bool {
        false
    }

    /// That the last step was made: one whose system was not solved leaves the state as it was, and is the last.
    ///
    /// # Errors
    /// [`NotConverged`](crate::output::NotConverged): which step, and why.
    fn solved(&self) -> Result<()> {
        Ok(())
    }

    /// How long a step lasts in the world that is simulated, if it has a time.
    fn time_step(&self) -> Option<Duration> {
        None
    }

    /// Steps of a run without a window unless the user says otherwise.
    fn whole_run(&self) -> u64 {
        1000
    }

    /// Steps a frame in a window unless the user says otherwise.
    fn pace(&self) -> u64 {
        10
    }

    /// That its numbers are still numbers: asked now and then, and before anything of it is written.
    ///
    /// # Errors
    /// What has become of it.
    fn sound(&self) -> Result<()> {
        Ok(())
    }

    // What is said of a run.

    /// About how many steps of a run `--check` looks at.
    fn looks(&self) -> u64 {
        100
    }

    /// What can be said of the last step, from the state `before`, against what it may be.
    fn check(&self, before: &Array) -> Result<Vec<Measure>>;

    /// Why the bounds did not hold for what was checked, if they could not.
    fn why_unchecked(&self) -> Option<&'static str> {
        None
    }

    /// What the user would not expect of that state, the last of a run.
    fn warning(&self, _state: &Array) -> Option<String> {
        None
    }

    /// What a report says of the run besides.
    fn findings(&self) -> Result<Value> {
        Ok(Value::Null)
    }

    /// The same in lines of its own, for a reader.
    fn remarks(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Writes files that no other demo has; says which there are now.
    fn write_files(&self) -> Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    // What a person sees and does.

    /// What there is to see, brought up to date.
    fn shown(&self) -> Result<Shown<'_>>;

    /// What is drawn over the picture, in a window.
    fn marks(&self) -> Vec<Mark> {
        Vec::new()
    }

    /// What pictures that a window saves are called.
    fn file_stem(&self) -> String {
        self.name().to_owned()
    }

    /// Whether its own widgets have put it back to a beginning since this was last asked.
    fn has_begun_anew(&mut self) -> bool {
        false
    }

    /// Widgets for the parameters.
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()>;

    /// Whether [`Simulation::touch`] does anything.
    fn is_touchable(&self) -> bool {
        false
    }

    /// Whether a press of the right button does something else than one of the left.
    fn has_second_touch(&self) -> bool {
        false
    }

    /// The pointer pressed there.
    fn touch(&mut self, _touch: Touch) -> Result<()> {
        Ok(())
    }

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

pub type Start = Box<dyn Fn(&Gpu) -> Result<Box<dyn Simulation>>>;

/// A demo with the flags that it was given.
pub struct Chosen {
    pub name: &'static str,
    /// Those that every demo has.
    pub arguments: DemoArguments,
    pub look: Look,
    /// Whether kernels are reloaded when their files change.
    pub watch: bool,
    pub start: Start,
}

/// All that it needs to go on after that step.
pub fn saved(simulation: &dyn Simulation, step: u64) -> Result<State> {
    let (demo, arrays) = (simulation.name().to_owned(), simulation.arrays()?);
    let values = match simulation.values()? {
        Value::Object(values) => values,
        _ => serde_json::Map::new(),
    };
    Ok(State { demo, step, values, arrays })
}

/// The flags that a state of that demo keeps.
fn kept(demo: &str) -> &'static [Kept] {
    match demo {
        reaction_diffusion::NAME => reaction_diffusion::KEPT,
        wave::NAME => wave::KEPT,
        formats::NAME => formats::KEPT,
        wall::NAME => wall::KEPT,
        heat::NAME => heat::KEPT,
        branches::NAME => branches::KEPT,
        nbody::NAME => nbody::KEPT,
        liquid::NAME => liquid::KEPT,
        fluid::NAME => fluid::KEPT,
        clouds::NAME => clouds::KEPT,
        histogram::NAME => histogram::KEPT,
        smooth::NAME => smooth::KEPT,
        _ => &[],
    }
}

/// The demo with the flags of a `.npz` that it goes on from, and with what that holds.
fn going_on(mut demo: DemoName) -> Result<DemoName> {
    let (name, arguments) = demo.arguments();
    let Some(path) = arguments.load.clone() else { return Ok(demo) };
    if !is_npz(&path) {
        if arguments.seed.is_some() {
            let line = "--seed: it chooses a beginning, and so does --load of a .npy: only a .npz goes on with a seed";
            return Err(output::Usage(line.to_owned()).into());
        }
        return Ok(demo);
    }
    let mut state = State::read(&path)?;
    if state.demo == name {
        demo = resumed(name, kept(name), &state, &path)?;
    } else if name == formats::NAME && formats::BEGINNINGS.contains(&state.demo.as_str()) {
        (state.step, state.values) = (0, serde_json::Map::new());
    } else {
        let of = state.demo.escape_debug().take(64).collect::<String>();
        bail!("{}: a state of {of}, not of {name}", path.display());
    }
    demo.arguments().1.loaded = Some(Rc::new(Loaded { path, state }));
    Ok(demo)
}

/// Starts the demo, where it was saved if it goes on.
pub fn started(gpu: &Gpu, chosen: &Chosen) -> Result<Box<dyn Simulation>> {
    let mut simulation = (chosen.start)(gpu)?;
    if let Some(loaded) = &chosen.arguments.loaded {
        restore(simulation.as_mut(), loaded)?;
    }
    Ok(simulation)
}

/// Brings back what [`Simulation::restore`] does.
pub fn restore(simulation: &mut dyn Simulation, loaded: &Loaded) -> Result<()> {
    simulation.restore(&loaded.state).map_err(|error| named(&loaded.path, error))
}

/// A demo by its flags.
fn chosen(demo: DemoName) -> Result<Chosen> {
    Ok(match demo {
        DemoName::ReactionDiffusion(own) => reaction_diffusion::chosen(*own),
        DemoName::Wave(own) => wave::chosen(*own),
        DemoName::Fluid(own) => fluid::chosen(*own)?,
        DemoName::Formats(own) => formats::chosen(*own)?,
        DemoName::Wall(own) => wall::chosen(*own),
        DemoName::Heat(own) => heat::chosen(*own),
        DemoName::Branches(own) => branches::chosen(*own)?,
        DemoName::NBody(own) => nbody::chosen(*own),
        DemoName::Histogram(own) => histogram::chosen(*own)?,
        DemoName::Liquid(own) => liquid::chosen(*own),
        DemoName::Clouds(own) => clouds::chosen(*own)?,
        DemoName::Sort(own) => sort::chosen(*own),
        DemoName::Smooth(own) => smooth::chosen(*own),
    })
}

/// `quadrille demo`.
pub fn run(demo: Option<DemoName>) -> Result<()> {
    let Some(demo) = demo.map(going_on).transpose()? else { return list() };
    if let DemoName::ReactionDiffusion(own) = &demo
        && own.preset.as_deref() == Some("help")
    {
        return output::say(&reaction_diffusion::presets().join("\n"));
    }
    let chosen = chosen(demo)?;
    if chosen.look.colours.as_deref() == Some("help") {
        return output::say(&palette::names().collect::<Vec<_>>().join("\n"));
    }
    if chosen.arguments.is_windowless() {
        interrupt::note(interrupt::say_if_late);
        headless::run(&chosen)
    } else {
        window::run(&chosen)
    }
}

fn list() -> Result<()> {
    let demos = cli::demos();
    let width = demos.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    demos.iter().try_for_each(|(name, shows)| output::say(&format!("{name:width$}  {shows}")))
}

/// A number of a flag as somebody would write it: 0.001, 1e-5.
fn written(value: f32) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:e}") } else { value.to_string() }
}

/// The decimal number that was typed, not the nearest f32 in seventeen digits.
pub fn short(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}
