//! Files that appear complete or not at all: each is written as a draft beside its place, then renamed onto it.
//!
//! A rename inside one folder is a single step of the file system. A reader sees the old file or the new one; after an
//! error, or when the program was stopped half-way, the old file is as it was. The bytes of a draft are on the disk
//! before it is renamed (`fsync`), and the new name is on the disk before the run goes on.
//!
//! Several files of a run are renamed after all of them are complete (`atomic::commit_all`). The places are checked
//! again first, and each file that a rename replaces keeps a second name until the last rename is made. So if one
//! rename is refused, those before it are undone.
//!
//! ```text
//! drafts    their names, whose they are, and what a killed run left behind
//! place     where a file would be, links followed
//! ```

mod drafts;
mod place;

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail};
use tempfile::TempPath;

use super::{named, shown};
use place::{Place, folder_of, reason};

pub use drafts::discard as discard_drafts;

/// A file being written. Dropped without [`Draft::commit`], it leaves nothing behind.
pub struct Draft {
    /// As the caller named it, for messages.
    path: PathBuf,
    target: Target,
    file: BufWriter<File>,
}

/// Where the bytes of a draft go.
enum Target {
    /// To `draft`, which is renamed to `file` at the end.
    Renamed { draft: drafts::Name, file: PathBuf },
    /// Straight into a pipe or a device, which a rename would replace.
    Direct,
}

impl Draft {
    /// Opens a draft of `path`, in the same folder because a rename cannot cross file systems.
    ///
    /// A symbolic link is followed, so that it stays a link. A file that is there keeps its permission
    /// bits, a new one gets `0666` less the umask. A path that is a pipe or a device (`/dev/null`) is opened itself.
    ///
    /// # Errors
    /// The path names a directory, its folder does not exist or cannot be written to.
    pub fn create(path: &Path) -> Result<Draft> {
        let draft = match Place::of(path)? {
            Place::Device => Draft::open(path),
            Place::File(file) => Draft::beside(path, file),
        };
        draft.map_err(|error| named(path, error))
    }

    fn open(path: &Path) -> Result<Draft> {
        let file = BufWriter::new(File::options().write(true).open(path)?);
        Ok(Draft { path: path.to_owned(), target: Target::Direct, file })
    }

    fn beside(path: &Path, file: PathBuf) -> Result<Draft> {
        let folder = folder_of(&file);
        let old = fs::metadata(&file).ok().map(|data| data.permissions());
        if old.as_ref().is_some_and(fs::Permissions::readonly) {
            bail!("the file is read-only");
        }
        let (draft, name) = drafts::create(folder)
            .map_err(|error| anyhow!("cannot write into the folder {}: {}", shown(folder), reason(&error)))?;
        if let Some(old) = old {
            draft.set_permissions(old)?;
        }
        let target = Target::Renamed { draft: name, file };
        Ok(Draft { path: path.to_owned(), target, file: BufWriter::new(draft) })
    }

    /// The draft's contents so far, to be written to.
    pub fn file(&mut self) -> &mut BufWriter<File> {
        &mut self.file
    }

    /// Makes the draft the file. Nothing can be written after this.
    ///
    /// # Errors
    /// The last bytes cannot be written (a full disk), or the rename is refused.
    pub fn commit(self) -> Result<()> {
        commit_all(vec![self])
    }

    /// Brings the last bytes to the disk; `None` for a device, which has them now.
    fn complete(self) -> Result<Option<Complete>> {
        let Draft { path, target, file } = self;
        let file = file.into_inner().map_err(|error| named(&path, error.into_error()))?;
        match target {
            Target::Renamed { draft, file: place } => {
                synced(&file).map_err(|error| named(&path, error))?;
                Ok(Some(Complete { path, draft, place, _held: file }))
            }
            Target::Direct => Ok(None),
        }
    }
}

/// A draft whose bytes are all on the disk.
struct Complete {
    path: PathBuf,
    draft: drafts::Name,
    place: PathBuf,
    /// Says, until the rename, that the draft is somebody's.
    _held: File,
}

/// Makes all drafts files, or none of them: what is in the way is found before the first rename, and if one of them is refused
/// all the same, those before it are undone. Bytes for pipes and devices are gone, though; and what ends the program by force
/// between two renames leaves those that were made.
///
/// # Errors
/// The last bytes of one cannot be written, its place is no longer what it was, a rename is refused.
pub fn commit_all(drafts: Vec<Draft>) -> Result<()> {
    let complete: Vec<Option<Complete>> = drafts.into_iter().map(Draft::complete).collect::<Result<_>>()?;
    let complete: Vec<Complete> = complete.into_iter().flatten().collect();
    for Complete { path, place, .. } in &complete {
        if Place::of(path)? != Place::File(place.clone()) {
            bail!("{}: leads elsewhere than when it was opened", shown(path));
        }
    }
    rename_all(complete)
}

fn rename_all(mut complete: Vec<Complete>) -> Result<()> {
    let alone = complete.len() == 1;
    let mut old = Vec::new();
    for Complete { path, place, .. } in &complete {
        old.push(if alone { None } else { Old::of(place).map_err(|error| named(path, error))? });
    }
    let ours = drafts::held();
    let mut refused = None;
    let mut renamed = 0;
    for Complete { path, draft, place, .. } in &mut complete {
        log("rename");
        if let Err(error) = fs::rename(draft.path(), place) {
            refused = Some(named(path, error));
            break;
        }
        draft.renamed();
        renamed += 1;
    }
    let undone = refused.map(|error| complete.iter().zip(old).take(renamed).fold(error, undo));
    drop(ours);
    match undone {
        Some(error) => Err(error),
        None => {
            complete.iter().try_for_each(|file| lasting(&file.path, synced_folder(folder_of(&file.place))))
        }
    }
}

/// A file that a rename takes away, by a second name: it can be put back.
struct Old {
    name: TempPath,
    /// Says that the name is somebody's.
    _held: Option<File>,
}

impl Old {
    /// The file at a place, if there is one.
    fn of(place: &Path) -> Result<Option<Old>> {
        if !place.exists() {
            return Ok(None);
        }
        let second = drafts::second_name(place).context("the file that is there cannot be kept meanwhile");
        second.map(|(_held, name)| Some(Old { name, _held }))
    }
}

/// Takes a rename back, because of that error.
fn undo(error: Error, (file, old): (&Complete, Option<Old>)) -> Error {
    let undone = match old {
        Some(old) => old.name.persist(&file.place).map_err(|error| error.error),
        None => fs::remove_file(&file.place),
    };
    match undone {
        Ok(()) => error,
        Err(why) => anyhow!("{error:#}; {} is the new one: {}", shown(&file.path), reason(&why)),
    }
}

/// Waits until the bytes of a file are on the disk.
fn synced(file: &File) -> std::io::Result<()> {
    log("sync file");
    pardoned(file.sync_all())
}

/// Waits until the names in a folder are on the disk, where folders can be opened.
fn synced_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        log("sync folder");
        return folder.sync_all();
    }
    Ok(())
}

/// Tells that a file is there, by the outcome of syncing its folder.
fn lasting(path: &Path, synced: std::io::Result<()>) -> Result<()> {
    let lasting = pardoned(synced).context("is written, but may not survive a power cut");
    lasting.map_err(|error| named(path, error))
}

/// Some file systems have nothing to wait for, and say so.
fn pardoned(synced: std::io::Result<()>) -> std::io::Result<()> {
    match synced {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        outcome => outcome,
    }
}

/// Lets tests see the order of what a commit does.
fn log(_step: &'static str) {
    #[cfg(test)]
    tests::LOG.with_borrow_mut(|log| log.push(_step));
}

/// A draft of a whole file at `path` with these `contents`; see [`Draft::create`] for what becomes of links and devices.
///
/// # Errors
/// Those of [`Draft::create`] and `contents`, each as one line that begins with the path.
pub fn draft(path: &Path, contents: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<Draft> {
    let mut draft = Draft::create(path)?;
    contents(draft.file()).map_err(|error| named(path, error))?;
    Ok(draft)
}

/// Writes such a file.
///
/// # Errors
/// Those of [`draft`] and [`Draft::commit`].
pub fn write(path: &Path, contents: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    draft(path, contents)?.commit()
}

/// Finds out whether `path` could be written now, without touching it: asked before a long computation.
///
/// # Errors
/// Those of [`Draft::create`]. A pipe or a device is taken at its word; opening it could wait for a reader.
pub fn check(path: &Path) -> Result<()> {
    match Place::of(path)? {
        Place::Device => Ok(()),
        Place::File(_) => Draft::create(path).map(drop),
    }
}

#[cfg(test)]
mod tests;
