//! The comparison that the flags describe.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use quadrille::Gpu;
use serde_json::Value as Json;

use super::difference::{SHOWN, Shown};
use super::subject::{SUBJECTS, SubjectName};
use super::{ABOUT, Formats, HISTORY, PLOT, SHOW, WHAT, state};
use crate::demo::{Request, Usage, named};
use crate::param::name_of;
use crate::state::State;

/// The subject that is asked for.
fn what(request: &Request) -> SubjectName {
    request.values.choice(WHAT.name, &SUBJECTS).unwrap_or(SubjectName::GrayScott)
}

/// # Errors
/// Flags that have no meaning with what was chosen.
pub fn refuse(request: &Request) -> Result<()> {
    let what = what(request);
    let counts = what == SubjectName::Counter;
    let drawn = counts || what == SubjectName::Orbit;
    let goes_on = request.state().is_some_and(|state| state.demo == ABOUT.name);
    let shows = request.values.has(SHOW.name);
    let why = if request.values.choice(SHOW.name, &SHOWN) == Some(Shown::Difference) && drawn {
        "--show difference: of gray-scott and wave; planets and counters have one picture"
    } else if shows && !request.draws {
        "--show: without a window it is of a picture, as --out a.png"
    } else if request.saves_one_array {
        "--save: there are four states and one in f64, for which a .npz has room; --out FILE.npy writes the four"
    } else if request.load.is_some() && drawn && !goes_on {
        "--load: only gray-scott and wave begin with a state, of the demos reaction-diffusion and wave"
    } else if request.seed.is_some() && counts && !goes_on {
        "--seed: counters begin where they begin"
    } else if request.exports.contains(&PLOT) && counts {
        "--plot: a counter is right or stands still, which its picture shows"
    } else if request.exports.contains(&HISTORY) && counts {
        "--history: a counter is right or stands still, which its picture shows"
    } else {
        return Ok(());
    };
    Err(Usage(why.to_owned()).into())
}

pub fn start(gpu: &Gpu, request: &Request) -> Result<Formats> {
    let (what, size) = (what(request), request.values.size("size"));
    match (request.path(), request.state()) {
        (None, _) => Formats::new(gpu, request, what, size),
        (Some(path), Some(loaded)) if loaded.demo == ABOUT.name => {
            let size = same(what, size, loaded).map_err(|error| named(path, error))?;
            Formats::new(gpu, request, what, Some(size))
        }
        (Some(path), loaded) => load(gpu, request, path, loaded, what),
    }
}

/// The panels of a state that the run goes on from; it must be of what the flags say.
fn same(what: SubjectName, size: Option<[u32; 2]>, state: &State) -> Result<[u32; 2]> {
    let (of, what) =
        (state.values.get("what").and_then(Json::as_str).unwrap_or("nothing"), name_of(&SUBJECTS, &what));
    ensure!(of == what, "a state of formats of {of}, --what says {what}");
    let [width, height] = state::size(state)?;
    if let Some([w, h]) = size.filter(|&size| size != [width, height]) {
        bail!("the state is {width}x{height}, --size says {w}x{h}");
    }
    Ok([width, height])
}

/// All formats, and f64, from the state of another demo.
fn load(
    gpu: &Gpu,
    request: &Request,
    path: &Path,
    state: Option<&State>,
    what: SubjectName,
) -> Result<Formats> {
    let (pair, of) = match what {
        SubjectName::Wave => (["y", "y_last"], ABOUT.begins_with[1]),
        _ => (["u", "v"], ABOUT.begins_with[0]),
    };
    if let Some(state) = state.filter(|state| state.demo != of) {
        let (path, what) = (path.display(), name_of(&SUBJECTS, &what));
        bail!("{path}: a state of {}; --what {what} begins with one of {of}", state.demo);
    }
    let loaded = request.cells(request.values.size("size"), ABOUT.name, pair)?;
    let Some((size, state)) = loaded else { bail!("no state") };
    let mut formats = Formats::new(gpu, request, what, Some(size))?;
    formats.subject.begin(&state)?;
    formats.loaded = Some((state, request.seed()));
    Ok(formats)
}
