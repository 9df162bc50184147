//! The files of a script: saved at once, or together at its end.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, anyhow};
use quadrille::script::{Host, MOST_ELEMENTS, Table};

use crate::files::atomic::{self, Draft};
use crate::files::table::{self, Kind};
use crate::files::{named, shown};
use crate::{interrupt, output};

/// The current folder, as a script sees it.
pub struct Folder {
    /// Files that were saved and are not there yet; `None` if files are written at once.
    staged: Option<Vec<Staged>>,
    start: Instant,
    reader_is_gone: bool,
}

/// A file that waits for the end of the script.
struct Staged {
    /// Where it will be, links followed: two names may mean one file.
    place: PathBuf,
    draft: Draft,
    /// The table that `load` gives until then.
    table: Table,
}

impl Folder {
    /// Every `save` writes its file.
    pub fn immediate() -> Folder {
        Folder { staged: None, start: Instant::now(), reader_is_gone: false }
    }

    /// Files appear by [`Folder::commit`], or not at all; `load` sees them before.
    pub fn staged() -> Folder {
        Folder { staged: Some(Vec::new()), ..Folder::immediate() }
    }

    /// Puts the files that were saved to their places, all or none.
    ///
    /// # Errors
    /// Those of [`atomic::commit_all`].
    pub fn commit(self) -> Result<()> {
        atomic::commit_all(self.staged.into_iter().flatten().map(|file| file.draft).collect())
    }

    /// Returns true if a line could not be printed because nobody reads on.
    pub fn reader_is_gone(&self) -> bool {
        self.reader_is_gone
    }

    fn write(&mut self, path: &Path, table: &Table) -> Result<()> {
        let kind = Kind::of(path)?;
        let Some(staged) = &mut self.staged else {
            let mut draft = draft(path)?;
            table::write_to(draft.file(), kind, table).map_err(|error| named(path, error))?;
            return draft.commit();
        };
        let mut draft = draft(path)?;
        let written = table::write_to(draft.file(), kind, table);
        written.and_then(|()| Ok(draft.file().flush()?)).map_err(|error| named(path, error))?;
        let place = place(path);
        staged.retain(|file| file.place != place);
        staged.push(Staged { place, draft, table: table.clone() });
        Ok(())
    }

    fn read(&self, path: &Path, most: usize) -> Result<Table> {
        let place = place(path);
        match self.staged.iter().flatten().find(|file| file.place == place) {
            Some(file) => Ok(file.table.clone()),
            None => read(path, most),
        }
    }
}

/// Opens a draft. A pipe may wait for its reader: an interruption ends the wait.
fn draft(path: &Path) -> Result<Draft> {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let waited = path.to_owned();
        let opened = interrupt::unless_asked(move || Draft::create(&waited));
        return opened.unwrap_or_else(|| Err(anyhow!("{}: interrupted while it was opened", shown(path))));
    }
    Draft::create(path)
}

/// Reads a file. Of a pipe or a device nobody knows when it says something: an interruption ends the wait.
fn read(path: &Path, most: usize) -> Result<Table> {
    if std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return table::read(path, most);
    }
    let waited = path.to_owned();
    interrupt::unless_asked(move || table::read(&waited, most))
        .unwrap_or_else(|| Err(anyhow!("{}: interrupted while it was read", shown(path))))
}

/// One name for all names of a file, whether it is there or not.
fn place(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

impl Host for Folder {
    fn load(&mut self, name: &str, most: usize) -> Result<Table, String> {
        self.read(Path::new(name), most).map_err(|error| format!("{error:#}"))
    }

    fn look(&self, name: &str) -> Result<Option<(usize, usize)>, String> {
        table::look(Path::new(name), MOST_ELEMENTS).map_err(|error| format!("{error:#}"))
    }

    fn check(&self, name: &str) -> Result<(), String> {
        let path = Path::new(name);
        Kind::of(path).and_then(|_| atomic::check(path)).map_err(|error| format!("{error:#}"))
    }

    fn place(&self, name: &str) -> String {
        place(Path::new(name)).to_string_lossy().into_owned()
    }

    fn save(&mut self, name: &str, table: &Table) -> Result<(), String> {
        self.write(Path::new(name), table).map_err(|error| format!("{error:#}"))
    }

    /// A script goes on when nobody reads what it prints: its files are still to come. A prompt does not.
    fn print(&mut self, line: &str) -> Result<(), String> {
        if self.reader_is_gone {
            return Ok(());
        }
        let printed = output::say(line);
        self.reader_is_gone = printed.as_ref().is_err_and(output::reader_is_gone);
        match printed {
            Err(error) if !(self.reader_is_gone && self.staged.is_some()) => Err(format!("{error:#}")),
            _ => Ok(()),
        }
    }

    fn seconds(&mut self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn interrupted(&self) -> bool {
        interrupt::asked()
    }
}
