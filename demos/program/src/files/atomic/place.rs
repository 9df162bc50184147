//! Where a file would be.

use std::fs::{self, Metadata};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use crate::files::{named, shown};

/// The thing at a path, or the place for one.
#[derive(PartialEq)]
pub enum Place {
    /// A regular file, new or old, by its name after symbolic links.
    File(PathBuf),
    /// Something that is written to and not replaced: a pipe, a terminal, `/dev/null`.
    Device,
}

impl Place {
    /// Finds it.
    ///
    /// # Errors
    /// A directory, no folder, one line that begins with the path.
    pub fn of(path: &Path) -> Result<Place> {
        Place::find(path).map_err(|error| named(path, error))
    }

    fn find(path: &Path) -> Result<Place> {
        let name = path.file_name().ok_or_else(|| anyhow!("does not name a file"))?;
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => bail!("is a directory, where a file was expected"),
            Ok(found) if !found.is_file() => return Ok(Place::Device),
            Ok(_) if path.is_symlink() => return Ok(Place::File(fs::canonicalize(path)?)),
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                bail!(error)
            }
            _ => {}
        }
        let folder = folder_of(path);
        if let Ok(target) = fs::read_link(path) {
            return Place::find(&folder.join(target)); // a link to what is not there yet
        }
        match fs::metadata(folder).as_ref().map(Metadata::is_dir) {
            Ok(true) => Ok(Place::File(folder.join(name))),
            Ok(false) => bail!("{} is not a folder", shown(folder)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bail!("the folder {} does not exist", shown(folder))
            }
            Err(error) => bail!("the folder {}: {}", shown(folder), reason(error)),
        }
    }
}

/// An error's kind in plain words.
pub fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".to_owned(), // it is gone since somebody looked
        kind => kind.to_string(),
    }
}

/// The folder `path` lies in; `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
