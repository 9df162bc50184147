//! Drafts: hidden files that are renamed onto their places when they are complete.
//!
//! A draft is locked by the system's advisory lock as long as its process lives; the lock ends with the process however
//! that ends. So a draft that another process can lock was left by a killed run. On a network file system, locks may
//! hold on one machine only (NFS mounted with `nolock`), and the draft of a living run on another machine looks the
//! same. So the first draft that a run makes in a folder removes only unlocked drafts that were not written to for a
//! day.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError as Busy};
use std::thread::sleep;
use std::time::Duration;

use tempfile::{Builder, TempPath};

/// How the names of drafts begin and end.
const PREFIX: &str = ".quadrille-";
const SUFFIX: &str = ".part";

/// A draft that was not written to for so long is left.
const LEFT: Duration = Duration::from_secs(24 * 60 * 60);

/// How often a name is tried that another process swept before it was locked.
const ATTEMPTS: usize = 100;

/// The drafts of this process.
static OURS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The folders that were swept.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn held_of<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the end of the program out until it is dropped, if it is asked for on another thread: between renames that belong
/// together.
pub fn held() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    held_of(&OURS)
}

/// The name of a draft of this process; dropped, it is removed.
pub struct Name(TempPath);

impl Name {
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// It is the name of a draft no longer.
    pub fn renamed(&mut self) {
        self.0.disable_cleanup(true);
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        held().remove(self.path());
    }
}

/// Opens a draft in that folder, with the permission bits of any new file, and sweeps the folder the first time.
pub fn create(folder: &Path) -> Result<(File, Name)> {
    for _ in 0..ATTEMPTS {
        let (file, name) = builder().tempfile_in(folder)?.into_parts();
        match file.try_lock() {
            // Another process may have met it before it was locked.
            Ok(()) if !name.exists() => continue,
            Err(TryLockError::WouldBlock) => continue,
            // Where there are no locks, no process finds a draft that it may remove.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        held().insert(name.to_path_buf());
        if held_of(&SWEPT).insert(folder.to_owned()) {
            sweep(folder, &file);
        }
        return Ok((file, Name(name)));
    }
    Err(Error::from(ErrorKind::ResourceBusy))
}

/// A second name for a file, removed when it is dropped: a link, or a copy where the file system has none. It is locked as a draft
/// is, if it can be.
pub fn second_name(file: &Path) -> Result<(Option<File>, TempPath)> {
    let link = |name: &Path| {
        match fs::hard_link(file, name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
            Err(_) => drop(fs::copy(file, name)?),
            Ok(()) => {}
        }
        Ok(File::open(name).ok().inspect(|link| drop(link.try_lock_shared())))
    };
    Ok(builder().make_in(super::folder_of(file), link)?.into_parts())
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Removes the drafts that nobody holds any more. What cannot be looked at or removed stays.
fn sweep(folder: &Path, own: &File) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_draft_like(entry, own)) {
        let _ = remove_if_left(&entry.path());
    }
}

/// Returns true for a file that has the name of a draft and belongs to the same user as `own`.
fn is_draft_like(entry: &DirEntry, own: &File) -> bool {
    let name = entry.file_name();
    let name =
        name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|rest| rest.strip_suffix(SUFFIX));
    let (Some(_), Ok(found), Ok(own)) = (name, entry.metadata(), own.metadata()) else { return false };
    #[cfg(unix)]
    let same_user = {
        use std::os::unix::fs::MetadataExt;
        found.uid() == own.uid()
    };
    #[cfg(not(unix))]
    let same_user = own.is_file();
    found.is_file() && same_user
}

fn remove_if_left(draft: &Path) -> Result<()> {
    let file = File::options().read(true).write(true).open(draft)?;
    file.try_lock()?;
    if file.metadata()?.modified()?.elapsed().map_or(true, |age| age < LEFT) {
        return Ok(());
    }
    // While it is locked: its maker would see that it is gone.
    fs::remove_file(draft)
}

/// How long the end of the program waits for renames that belong together.
const PATIENCE: Duration = Duration::from_secs(1);

/// Removes the drafts of this process, which ends.
pub fn discard() {
    let step = Duration::from_millis(10);
    let mut waited = Duration::ZERO;
    while waited < PATIENCE {
        match OURS.try_lock() {
            Ok(ours) => return ours.iter().for_each(|draft| drop(fs::remove_file(draft))),
            Err(Busy::Poisoned(ours)) => {
                return ours.into_inner().iter().for_each(|draft| drop(fs::remove_file(draft)));
            }
            Err(Busy::WouldBlock) => sleep(step),
        }
        waited += step;
    }
}
