//! A file appears complete or not at all: it is written as a draft beside its place, then renamed onto it.
//!
//! A rename inside one folder is a single step of the file system. Whoever reads the file meanwhile sees the
//! old one or the new one; an error, or a program stopped half-way, leaves the old one as it was.

use super::named;
use anyhow::{Result, anyhow, bail};
use std::fs::{self, File, Metadata};
use std::io::{BufWriter, ErrorKind};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

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
    Renamed { draft: TempPath, file: PathBuf },
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
        let mut builder = tempfile::Builder::new();
        builder.prefix(".quadrille-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let (draft, name) = builder
            .tempfile_in(folder)
            .map_err(|error| {
                anyhow!("cannot write into the folder {}: {}", folder.display(), reason(&error))
            })?
            .into_parts();
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
        let Draft { path, target, file } = self;
        file.into_inner().map_err(|error| named(&path, error.into_error()))?;
        match target {
            Target::Renamed { draft, file } => draft.persist(file).map_err(|error| named(&path, error.error)),
            Target::Direct => Ok(()),
        }
    }
}

/// Writes a whole file at `path` by `contents`; see [`Draft::create`] for what becomes of links and devices.
///
/// # Errors
/// Those of [`Draft::create`], [`Draft::commit`] and `contents`, each as one line that begins with the path.
pub fn write(path: &Path, contents: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut draft = Draft::create(path)?;
    contents(draft.file()).map_err(|error| named(path, error))?;
    draft.commit()
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

/// What stands at a path, or may be put there.
enum Place {
    /// A regular file, new or old, by its name after symbolic links.
    File(PathBuf),
    /// Something that is written to and not replaced: a pipe, a terminal, `/dev/null`.
    Device,
}

impl Place {
    fn of(path: &Path) -> Result<Place> {
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
            Ok(false) => bail!("{} is not a folder", folder.display()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bail!("the folder {} does not exist", folder.display())
            }
            Err(error) => bail!("the folder {}: {}", folder.display(), reason(error)),
        }
    }
}

/// An error's kind in plain words.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".to_owned(), // it is gone since somebody looked
        kind => kind.to_string(),
    }
}

/// The folder `path` lies in; `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> Result<Vec<String>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn error_of(path: &Path) -> String {
        match write(path, |file| Ok(file.write_all(b"new")?)) {
            Ok(()) => "no error".into(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_written_file_is_complete_and_alone() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.txt");
        fs::write(&path, "old")?;
        write(&path, |file| Ok(file.write_all(b"new")?))?;
        assert_eq!(fs::read(&path)?, b"new");
        assert_eq!(names(folder.path())?, ["a.txt"]);
        Ok(())
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.txt");
        fs::write(&path, "old")?;
        let outcome = write(&path, |file| {
            file.write_all(b"half")?;
            bail!("the sky fell")
        });
        let error = outcome.err().map(|error| error.to_string());
        assert_eq!(error, Some(format!("{}: the sky fell", path.display())));
        assert_eq!(fs::read(&path)?, b"old");
        assert_eq!(names(folder.path())?, ["a.txt"]);
        Ok(())
    }

    #[test]
    fn places_that_cannot_be_written_say_why() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("file");
        fs::write(&file, "")?;
        let missing = folder.path().join("missing");
        assert!(error_of(folder.path()).ends_with(": is a directory, where a file was expected"));
        assert!(
            error_of(&missing.join("a"))
                .ends_with(&format!(": the folder {} does not exist", missing.display()))
        );
        assert!(error_of(&file.join("a")).ends_with(&format!(": {} is not a folder", file.display())));
        assert_eq!(error_of(Path::new("/")), "/: does not name a file");
        assert_eq!(error_of(Path::new("")), ": does not name a file");
        Ok(())
    }

    #[test]
    fn a_folder_that_is_gone_meanwhile_is_named_plainly() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let gone = folder.path().join("gone");
        let error = Draft::beside(&gone.join("a"), gone.join("a")).err().map(|error| error.to_string());
        let line = format!("cannot write into the folder {}: no such file or folder", gone.display());
        assert_eq!(error, Some(line));
        Ok(())
    }

    #[test]
    fn a_check_touches_nothing() -> Result<()> {
        let folder = tempfile::tempdir()?;
        check(&folder.path().join("a.txt"))?;
        assert!(names(folder.path())?.is_empty());
        assert!(check(&folder.path().join("missing/a.txt")).is_err());
        Ok(())
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        #[test]
        fn the_permission_bits_are_those_of_any_new_file() -> Result<()> {
            let folder = tempfile::tempdir()?;
            let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
            write(&ours, |_| Ok(()))?;
            File::create(&theirs)?;
            assert_eq!(fs::metadata(ours)?.permissions(), fs::metadata(theirs)?.permissions());
            Ok(())
        }

        #[test]
        fn a_folder_without_permission_is_refused() -> Result<()> {
            let folder = tempfile::tempdir()?;
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500))?;
            let path = folder.path().join("a");
            if File::create(&path).is_err() {
                let error = error_of(&path);
                let reason =
                    format!("cannot write into the folder {}: permission denied", folder.path().display());
                assert!(error.ends_with(&reason), "{error}");
            } // the superuser may write anywhere
            Ok(())
        }

        #[test]
        fn a_symbolic_link_stays_a_link() -> Result<()> {
            let folder = tempfile::tempdir()?;
            let (file, link) = (folder.path().join("file"), folder.path().join("link"));
            symlink("file", &link)?;
            for (what, contents) in [("to nothing yet", b"new"), ("to a file", b"two")] {
                write(&link, |file| Ok(file.write_all(contents)?))?;
                assert!(link.is_symlink(), "{what}");
                assert_eq!(fs::read(&file)?, contents, "{what}");
            }
            Ok(())
        }

        #[test]
        fn a_device_is_written_to_and_not_replaced() -> Result<()> {
            let null = Path::new("/dev/null");
            write(null, |file| Ok(file.write_all(b"gone")?))?;
            assert!(fs::metadata(null)?.file_type().is_char_device());
            Ok(())
        }

        #[test]
        #[cfg(target_os = "linux")]
        fn a_full_disk_is_reported_when_the_last_bytes_are_flushed() {
            assert_eq!(error_of(Path::new("/dev/full")), "/dev/full: No space left on device");
        }
    }
}
