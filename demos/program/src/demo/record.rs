//! The files that a run leaves behind: `--out` frames and the `--save`d state.

use std::path::PathBuf;

use anyhow::{Result, bail};

use std::cell::RefCell;
use std::io::Write;

use quadrille_gallery::demo::{About, Demo, Export, Exported, saved};

use super::chosen::Chosen;
use super::state;
use crate::files::npz::is_npz;
use crate::files::{Output, Written, atomic, check_extension, distinct, npy};
use crate::{output, plot};

pub struct Recorder {
    output: Option<Output>,
    save: Option<PathBuf>,
    exports: Vec<(&'static Export, PathBuf)>,
    about: &'static About,
}

impl Recorder {
    /// Finds out before anything is computed whether the files can be written.
    pub fn create(chosen: &Chosen) -> Result<Recorder> {
        let Chosen { about, arguments, exports, .. } = chosen;
        let flags: Vec<String> = exports.iter().map(|(export, _)| format!("--{}", export.flag)).collect();
        let files = exports.iter().zip(&flags);
        let files = files.map(|((_, path), flag)| Written { flag, path, numbered: false });
        distinct(&arguments.outputs().into_iter().chain(files).collect::<Vec<_>>())?;
        for (export, path) in exports {
            let (extension, holds) =
                if export.plot { ("png", "a picture") } else { ("csv", "comma-separated values") };
            check_extension(path, extension, holds)?;
            atomic::check(path)?;
        }
        let output = match &arguments.out {
            Some(path) => Some(Output::create(path, arguments.every)?),
            None => None,
        };
        if output.as_ref().is_some_and(Output::is_a_still) {
            output::complain("warning: a .gif of one frame: --every N takes one every N steps");
        }
        if let Some(path) = &arguments.save {
            if !is_npz(path) && npy::check_name(path).is_err() {
                let line = "holds a state, so its name must end in .npz, or in .npy for its numbers alone";
                bail!("{}: {line}", path.display());
            }
            atomic::check(path)?;
        }
        Ok(Recorder { output, save: arguments.save.clone(), exports: exports.clone(), about })
    }

    /// Returns true if a frame of this step is wanted.
    pub fn due(&self, step: u64) -> bool {
        self.output.as_ref().is_some_and(|output| output.due(step))
    }

    /// How many frames stay behind if the run ends here.
    pub fn frames_left(&self) -> usize {
        self.output.as_ref().map_or(0, Output::files_written)
    }

    pub fn frame(&mut self, demo: &mut dyn Demo, step: u64) -> Result<()> {
        match &mut self.output {
            Some(output) => {
                demo.sound()?;
                output.lasts(demo.time_step());
                let demo = RefCell::new(demo);
                let picture = || {
                    let mut demo = demo.borrow_mut();
                    demo.prepare()?;
                    demo.picture().image()
                };
                output.frame(step, picture, || demo.borrow().numbers())
            }
            None => Ok(()),
        }
    }

    /// Writes the last frame, the state and other files; says which there are now.
    pub fn finish(mut self, demo: &mut dyn Demo, step: u64) -> Result<Vec<PathBuf>> {
        self.frame(demo, step)?;
        let mut written = self.output.map_or(Ok(Vec::new()), Output::finish)?;
        if let Some(path) = self.save {
            demo.sound()?;
            match is_npz(&path) {
                true => state::write(&path, &saved(self.about, demo, step)?)?,
                false => npy::write(&path, &demo.numbers()?)?,
            }
            written.push(path);
        }
        for (export, path) in self.exports {
            match demo.export(export.flag)? {
                Some(Exported::Plot(curves)) => plot::write(&path, &curves)?,
                Some(Exported::Text(text)) => {
                    atomic::write(&path, |file| Ok(file.write_all(text.as_bytes())?))?
                }
                None => continue,
            }
            written.push(path);
        }
        Ok(written)
    }
}
