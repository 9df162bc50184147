//! A demo as the command line chose it: its parameters, the state that it goes on from, and the files that it writes.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Result, bail};
use quadrille::Gpu;
use quadrille_gallery::demo::{About, Demo, Export, Request, Source, named};

use super::{host, resume, state};
use crate::cli::{DemoArguments, DemoCommand};
use crate::files::npz::is_npz;
use crate::output;

/// A demo with all that it was asked for.
pub struct Chosen {
    pub about: &'static About,
    /// The flags that every demo has.
    pub arguments: DemoArguments,
    pub request: Rc<Request>,
    /// Steps of the run that this one goes on from.
    pub first_step: u64,
    /// Kernels are reloaded when their files change.
    pub watch: bool,
    /// The files that are asked for besides those of every demo.
    pub exports: Vec<(&'static Export, PathBuf)>,
}

impl Chosen {
    /// The demo of the command line, with the parameters of a state that it goes on from.
    ///
    /// # Errors
    /// [`output::Usage`] for flags without sense; a state of another demo, or with values that are none.
    pub fn new(command: DemoCommand) -> Result<Chosen> {
        let DemoCommand { about, mut values, arguments, watch, exports } = command;
        let mut seed = arguments.seed;
        let (mut first_step, mut counts) = (0, Vec::new());
        let load = match &arguments.load {
            Some(path) if is_npz(path) => {
                let mut state = state::read(path)?;
                if state.demo == about.name {
                    counts = resume::resume(about, &mut values, &mut seed, &state, path)?;
                    first_step = state.step;
                } else if about.begins_with.contains(&state.demo.as_str()) {
                    (state.step, state.values) = (0, serde_json::Map::new());
                } else {
                    let of = state.demo.escape_debug().take(64).collect::<String>();
                    bail!("{}: a state of {of}, not of {}", path.display(), about.name);
                }
                Some(Source { path: path.clone(), state: Some(state) })
            }
            Some(path) => {
                if seed.is_some() {
                    let line = "--seed: it chooses a beginning, and so does --load of a .npy: only a .npz goes on with a seed";
                    return Err(output::Usage(line.to_owned()).into());
                }
                Some(Source { path: path.clone(), state: None })
            }
            None => None,
        };
        let request = Request {
            values,
            seed,
            load,
            draws: arguments.draws(),
            windowless: arguments.is_windowless(),
            saves_one_array: arguments.save.as_ref().is_some_and(|path| !is_npz(path)),
            exports: exports.iter().map(|(export, _)| export.flag).collect(),
            host: Rc::new(host::Program::new()),
        };
        about.refuse(&request)?;
        counts.iter().for_each(|line| output::complain(line));
        Ok(Chosen { about, arguments, request: Rc::new(request), first_step, watch, exports })
    }

    /// Starts the demo, where it was saved if it goes on.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn start(&self, gpu: &Gpu) -> Result<Box<dyn Demo>> {
        let mut demo = self.about.begin(gpu, &self.request)?;
        self.restore(demo.as_mut())?;
        if self.watch {
            let kernel = PathBuf::from(self.about.kernel);
            if let Err(error) = std::fs::metadata(&kernel) {
                let place = format!("--watch: {} (run it in the folder that holds glsl/)", kernel.display());
                return Err(anyhow::Error::from(error).context(place));
            }
            demo.watch(&kernel);
        }
        Ok(demo)
    }

    /// Brings back what [`Demo::restore`] does, if it goes on.
    ///
    /// # Errors
    /// Those of the state, which begin with the file's name.
    pub fn restore(&self, demo: &mut dyn Demo) -> Result<()> {
        match &self.request.load {
            Some(Source { path, state: Some(state) }) => {
                demo.restore(state).map_err(|error| named(path, error))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if it goes on from a state.
    pub fn goes_on(&self) -> bool {
        self.request.state().is_some()
    }
}
