//! The comparison that the flags describe.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use quadrille::Gpu;
use serde_json::Value;

use super::super::state::{State, load_state};
use super::super::{Chosen, Simulation};
use super::report::Files;
use super::{BEGINNINGS, Formats, NAME, state};
use crate::cli::{FormatsArguments, Look, Size, SubjectName};
use crate::files::npz::is_npz;
use crate::files::{Written, distinct, named};
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
    let goes_on = demo.state().is_some_and(|loaded| loaded.state.demo == NAME);
    let why = if demo.save.as_ref().is_some_and(|path| !is_npz(path)) {
        "--save: there are four states and one in f64, for which a .npz has room; --out FILE.npy writes the four"
    } else if demo.load.is_some() && drawn && !goes_on {
        "--load: only gray-scott and wave begin with a state, of the demos reaction-diffusion and wave"
    } else if demo.seed.is_some() && counts && !goes_on {
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
    let formats = match (&own.demo.load, own.demo.state()) {
        (None, _) => Formats::new(gpu, own.what, own.size, seed, files)?,
        (Some(path), Some(loaded)) if loaded.state.demo == NAME => {
            let size = same(own, &loaded.state).map_err(|error| named(path, error))?;
            Formats::new(gpu, own.what, Some(size), seed, files)?
        }
        (Some(path), loaded) => load(gpu, path, loaded.map(|loaded| &loaded.state), own, files)?,
    };
    Ok(Box::new(formats))
}

/// The panels of a state that the run goes on from; it must be of what the flags say.
fn same(own: &FormatsArguments, state: &State) -> Result<Size> {
    let of = state.values.get("what").and_then(Value::as_str).unwrap_or("nothing");
    ensure!(of == own.what.name(), "a state of formats of {of}, --what says {}", own.what.name());
    let [width, height] = state::size(state)?;
    if let Some(Size { width: w, height: h }) = own.size.filter(|&size| size != Size { width, height }) {
        bail!("the state is {width}x{height}, --size says {w}x{h}");
    }
    Ok(Size { width, height })
}

/// All formats, and f64, from the state of another demo.
fn load(
    gpu: &Gpu,
    path: &Path,
    state: Option<&State>,
    own: &FormatsArguments,
    files: Files,
) -> Result<Formats> {
    let (pair, of) = match own.what {
        SubjectName::Wave => (["y", "y_last"], BEGINNINGS[1]),
        _ => (["u", "v"], BEGINNINGS[0]),
    };
    if let Some(state) = state.filter(|state| state.demo != of) {
        bail!(
            "{}: a state of {}; --what {} begins with one of {of}",
            path.display(),
            state.demo,
            own.what.name()
        );
    }
    let Some((size, state)) = load_state(&own.demo, own.size, NAME, pair)? else { bail!("no state") };
    let seed = own.demo.seed();
    let mut formats = Formats::new(gpu, own.what, Some(size), seed, files)?;
    formats.subject.begin(&state)?;
    formats.loaded = Some((state, seed));
    Ok(formats)
}
