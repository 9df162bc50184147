//! The comparison that the flags describe.

use std::path::Path;

use anyhow::Result;
use quadrille::Gpu;

use super::super::state::load_state;
use super::super::{Chosen, Simulation};
use super::report::Files;
use super::{Formats, NAME};
use crate::cli::{FormatsArguments, Look, SubjectName};
use crate::files::{Written, distinct};
use crate::output::Usage;

/// # Errors
/// Flags that have no meaning with what was chosen, and files that cannot be written.
pub fn chosen(own: FormatsArguments) -> Result<Chosen> {
    refuse(&own)?;
    let file = |flag, path| Written { flag, path, numbered: false };
    let plot = own.plot.as_deref().map(|path| file("--plot", path));
    let history = own.history.as_deref().map(|path| file("--history", path));
    distinct(&own.demo.outputs().into_iter().chain(plot).chain(history).collect::<Vec<_>>())?;
    let files = Files::create(&own)?;
    let arguments = own.demo.clone();
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    let start = Box::new(move |gpu: &Gpu| start(gpu, &own, files.clone()));
    Ok(Chosen { name: NAME, arguments, look, watch: false, start })
}

fn refuse(own: &FormatsArguments) -> Result<()> {
    let counts = own.what == SubjectName::Counter;
    let (drawn, demo) = (counts || own.what == SubjectName::Orbit, &own.demo);
    let why = if demo.save.is_some() {
        "--save: there are four states and one in f64; --out FILE.npy writes the four"
    } else if demo.load.is_some() && drawn {
        "--load: only gray-scott and wave begin with a state, of the demos reaction-diffusion and wave"
    } else if demo.seed.is_some() && counts {
        "--seed: counters begin where they begin"
    } else if own.plot.is_some() && counts {
        "--plot: a counter is right or stands still, which its picture shows"
    } else if own.history.is_some() && counts {
        "--history: a counter is right or stands still, which its picture shows"
    } else {
        return Ok(());
    };
    Err(Usage(why.to_owned()).into())
}

fn start(gpu: &Gpu, own: &FormatsArguments, files: Files) -> Result<Box<dyn Simulation>> {
    let seed = own.demo.seed();
    let formats = match &own.demo.load {
        Some(path) => load(gpu, path, own, files)?,
        None => Formats::new(gpu, own.what, own.size, seed, files)?,
    };
    Ok(Box::new(formats))
}

/// All formats, and f64, from the state of another demo.
fn load(gpu: &Gpu, path: &Path, own: &FormatsArguments, files: Files) -> Result<Formats> {
    let pair = if own.what == SubjectName::Wave { ["y", "y_last"] } else { ["u", "v"] };
    let (size, state) = load_state(path, own.size, NAME, pair)?;
    let seed = own.demo.seed();
    let mut formats = Formats::new(gpu, own.what, Some(size), seed, files)?;
    formats.subject.begin(&state)?;
    formats.loaded = Some((state, seed));
    Ok(formats)
}
