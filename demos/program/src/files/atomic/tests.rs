//! Files that appear, and files that do not.

use std::cell::RefCell;
use std::io::Write;
use std::time::{Duration, SystemTime};

use super::*;

thread_local! {
    /// The steps that commits of this test have made.
    pub static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

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
        error_of(&missing.join("a")).ends_with(&format!(": the folder {} does not exist", missing.display()))
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

/// Drafts of these files in that folder, each of which holds its own name.
fn drafts_of(folder: &Path, names: &[&str]) -> Result<Vec<Draft>> {
    let draft_of = |name: &&str| draft(&folder.join(name), |file| Ok(file.write_all(name.as_bytes())?));
    names.iter().map(draft_of).collect()
}

#[test]
fn bytes_are_on_the_disk_before_the_rename_and_names_after_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let done = |names: &[&str]| -> Result<Vec<&'static str>> {
        LOG.take();
        commit_all(drafts_of(folder.path(), names)?)?;
        Ok(LOG.take())
    };
    assert_eq!(done(&["a"])?[..2], ["sync file", "rename"]);
    assert_eq!(done(&["a", "b"])?[..4], ["sync file", "sync file", "rename", "rename"]);
    if cfg!(unix) {
        assert_eq!(done(&["a", "b"])?[4..], ["sync folder", "sync folder"]);
    }
    Ok(())
}

/// The file is there by then: whoever is told that it failed would make it again.
#[test]
fn a_name_that_does_not_reach_the_disk_is_told_as_what_it_is() {
    let outcome = |kind| {
        lasting(Path::new("a.npy"), Err(std::io::Error::from(kind))).map_err(|error| error.to_string())
    };
    let line = "a.npy: is written, but may not survive a power cut: timed out";
    assert_eq!(outcome(ErrorKind::TimedOut), Err(line.to_owned()));
    assert_eq!(outcome(ErrorKind::InvalidInput), Ok(()));
}

#[test]
fn several_files_appear_together_or_not_at_all() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    fs::write(path("old"), "before")?;
    let drafts = drafts_of(folder.path(), &["old", "new", "folder"])?;
    fs::create_dir(path("folder"))?;
    let error = commit_all(drafts).err().map(|error| error.to_string());
    let line = format!("{}: is a directory, where a file was expected", path("folder").display());
    assert_eq!(error, Some(line));
    assert_eq!(fs::read(path("old"))?, b"before");
    let mut there = names(folder.path())?;
    there.sort();
    assert_eq!(there, ["folder", "old"]);
    fs::remove_dir(path("folder"))?;
    commit_all(drafts_of(folder.path(), &["old", "new", "folder"])?)?;
    let mut there = names(folder.path())?;
    there.sort();
    assert_eq!(there, ["folder", "new", "old"]);
    assert_eq!(fs::read(path("old"))?, b"old");
    Ok(())
}

/// The last one is in the way of its rename, after all was looked at.
#[test]
fn renames_before_one_that_is_refused_are_undone() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    fs::write(path("old"), "before")?;
    let drafts = drafts_of(folder.path(), &["old", "new", "folder"])?;
    let complete: Vec<Option<Complete>> = drafts.into_iter().map(Draft::complete).collect::<Result<_>>()?;
    fs::create_dir(path("folder"))?;
    let error = rename_all(complete.into_iter().flatten().collect()).err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("folder: ")));
    assert_eq!(fs::read(path("old"))?, b"before");
    let mut there = names(folder.path())?;
    there.sort();
    assert_eq!(there, ["folder", "old"]);
    Ok(())
}

#[test]
fn drafts_of_the_dead_are_swept_and_no_others() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let (living, young) = (".quadrille-living.part", ".quadrille-young.part");
    let theirs = [".quadrille-x.txt", ".other-x.part", "quadrille-x.part"];
    let hours = |hours: u64| SystemTime::now() - Duration::from_secs(3600 * hours);
    for name in [".quadrille-dead.part", living, young].iter().chain(&theirs) {
        fs::write(path(name), "half")?;
        let age = if *name == young { 23 } else { 25 };
        File::options().write(true).open(path(name))?.set_modified(hours(age))?;
    }
    fs::create_dir(path(".quadrille-folder.part"))?;
    let held = File::open(path(living))?;
    held.try_lock()?;
    write(&path("a"), |_| Ok(()))?;
    let mut there = names(folder.path())?;
    there.sort();
    let mut left = [&theirs[..], &[living, young, ".quadrille-folder.part", "a"]].concat();
    left.sort_unstable();
    assert_eq!(there, left);
    // A folder is looked through once, and a draft of our own is locked.
    let draft = Draft::create(&path("b"))?;
    let Target::Renamed { draft: name, .. } = &draft.target else { bail!("no draft") };
    assert!(File::open(name.path())?.try_lock().is_err());
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
