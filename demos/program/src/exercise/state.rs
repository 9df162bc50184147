//! The learner's folder: kernels, and the progress in `.quadrille-exercises.toml` beside them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use quadrille_exercises::progress::Progress;
use quadrille_exercises::told::Exercise;

use crate::files::{atomic, shown};
use crate::output::Usage;

const FILE: &str = ".quadrille-exercises.toml";

/// A folder of exercises that somebody works in.
pub struct State {
    pub folder: PathBuf,
    pub progress: Progress,
}

impl State {
    /// Begins a folder with a kernel for each exercise.
    ///
    /// # Errors
    /// A folder that has been begun already, or has one of the files; those of writing.
    pub fn begin(folder: &Path, exercises: &[Exercise]) -> Result<State> {
        let taken = exercises.iter().map(Exercise::file).chain([FILE.to_owned(), "README.md".to_owned()]);
        if let Some(file) = taken.map(|file| folder.join(file)).find(|file| file.exists()) {
            let line = "is there already; `quadrille exercise` goes on, and `quadrille exercise reset NAME` begins one again";
            return Err(Usage(format!("{}: {line}", shown(&file))).into());
        }
        let solved = exercises
            .iter()
            .map(|exercise| folder.join(&exercise.name))
            .find(|own| own.join("exercise.toml").exists());
        if let Some(own) = solved {
            let line = "is the folder of an exercise with its solution; `quadrille exercise init DIR` makes yours elsewhere";
            return Err(Usage(format!("{}: {line}", shown(&own))).into());
        }
        fs::create_dir_all(folder).with_context(|| shown(folder))?;
        for exercise in exercises {
            write(&folder.join(exercise.file()), &exercise.begun())?;
        }
        write(&folder.join("README.md"), include_str!("learner.md"))?;
        let state = State { folder: folder.to_owned(), progress: Progress::new(exercises) };
        state.save()?;
        Ok(state)
    }

    /// The folder that was begun: this one, `exercises` in it, or one above.
    ///
    /// # Errors
    /// None was; a file that cannot be read.
    pub fn find() -> Result<State> {
        let here = std::env::current_dir()?;
        let near = [here.join("exercises")];
        let folders = here
            .ancestors()
            .take(1)
            .map(Path::to_owned)
            .chain(near)
            .chain(here.ancestors().skip(1).map(Path::to_owned));
        let Some(folder) = folders.into_iter().find(|folder| folder.join(FILE).exists()) else {
            let below = fs::read_dir(&here).into_iter().flatten().flatten().map(|entry| entry.path());
            let line = match below.filter(|folder| folder.join(FILE).exists()).min() {
                Some(folder) => {
                    let name = shown(Path::new(folder.file_name().unwrap_or_default()));
                    format!("no exercises here: they are in {name}, so `cd {name}` first")
                }
                None => "no exercises here: `quadrille exercise init` makes a folder of them".to_owned(),
            };
            return Err(Usage(line).into());
        };
        let file = folder.join(FILE);
        let text = fs::read_to_string(&file).with_context(|| shown(&file))?;
        let progress = Progress::read(&text)
            .map_err(|line| anyhow!("{}: {line} (delete it to begin anew)", shown(&file)))?;
        // Short names in messages, where that is possible.
        let folder = folder.strip_prefix(&here).map(Path::to_owned).unwrap_or(folder);
        Ok(State { folder, progress })
    }

    /// # Errors
    /// Those of writing.
    pub fn save(&self) -> Result<()> {
        write(&self.folder.join(FILE), &self.progress.written())
    }

    pub fn path(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(exercise.file())
    }

    /// The present text of the learner's file.
    ///
    /// # Errors
    /// A file that is not there, with what to do.
    pub fn text(&self, exercise: &Exercise) -> Result<String> {
        let path = self.path(exercise);
        let again = format!("{} (`quadrille exercise reset {}` makes it again)", shown(&path), exercise.name);
        fs::read_to_string(&path).with_context(|| again)
    }

    /// The number of exercises that are done, and whose files have not changed since.
    pub fn done(&self, exercises: &[Exercise]) -> usize {
        self.progress.done(exercises, |exercise| self.text(exercise).ok())
    }

    /// Begins an exercise again. The learner's text stays, under the name that is returned.
    ///
    /// # Errors
    /// Those of writing.
    pub fn reset(&mut self, exercise: &Exercise) -> Result<Option<PathBuf>> {
        let path = self.path(exercise);
        let mut kept = None;
        if let Ok(text) = fs::read_to_string(&path)
            && text != exercise.begun()
        {
            let free = (1..).map(|n| path.with_extension(format!("{n}.old"))).find(|old| !old.exists());
            if let Some(old) = free {
                write(&old, &text)?;
                kept = Some(old);
            }
        }
        write(&path, &exercise.begun())?;
        self.progress.forget(exercise);
        self.save()?;
        Ok(kept)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    atomic::write(path, |file| Ok(std::io::Write::write_all(file, text.as_bytes())?))
}
