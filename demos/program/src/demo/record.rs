//! What a run leaves behind: `--out` frames and the `--save`d state.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::scene::Scene;
use super::{Simulation, saved};
use crate::cli::DemoArguments;
use crate::files::npz::is_npz;
use crate::files::{Output, atomic, distinct, npy};
use crate::output;

pub struct Recorder {
    output: Option<Output>,
    save: Option<PathBuf>,
}

impl Recorder {
    /// Finds out before anything is computed whether the files can be written.
    pub fn create(arguments: &DemoArguments) -> Result<Recorder> {
        distinct(&arguments.outputs())?;
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
        Ok(Recorder { output, save: arguments.save.clone() })
    }

    /// Whether a frame of this step is wanted.
    pub fn due(&self, step: u64) -> bool {
        self.output.as_ref().is_some_and(|output| output.due(step))
    }

    /// How many frames stay behind if the run ends here.
    pub fn frames_left(&self) -> usize {
        self.output.as_ref().map_or(0, Output::files_written)
    }

    pub fn frame(&mut self, simulation: &dyn Simulation, scene: &mut Scene, step: u64) -> Result<()> {
        match &mut self.output {
            Some(output) => {
                simulation.sound()?;
                output.lasts(simulation.time_step());
                output.frame(step, || scene.picture(simulation), || simulation.state())
            }
            None => Ok(()),
        }
    }

    /// Writes the last frame and the state; says which files there are now.
    pub fn finish(
        mut self,
        simulation: &dyn Simulation,
        scene: &mut Scene,
        step: u64,
    ) -> Result<Vec<PathBuf>> {
        self.frame(simulation, scene, step)?;
        let mut written = self.output.map_or(Ok(Vec::new()), Output::finish)?;
        if let Some(path) = self.save {
            simulation.sound()?;
            match is_npz(&path) {
                true => saved(simulation, step)?.write(&path)?,
                false => npy::write(&path, &simulation.state()?)?,
            }
            written.push(path);
        }
        written.extend(simulation.write_files()?);
        Ok(written)
    }
}
