//! Refuses two outputs of a run that are the same file, before the run starts.

use std::fs;
use std::path::{Path, PathBuf};

use super::shown;
use crate::output::Usage;

/// A file that a run will write, by its flag.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    pub flag: &'a str,
    pub path: &'a Path,
    /// True for many files, numbered as those of [`Output`](super::Output).
    pub numbered: bool,
}

/// Refuses two outputs of one name, however it is spelt, before anything runs.
///
/// # Errors
/// Names the two flags and the file.
pub fn distinct(files: &[Written]) -> Result<(), Usage> {
    for (i, first) in files.iter().enumerate() {
        if let Some(second) = files[..i].iter().find(|second| collide(first, second)) {
            let named = if second.numbered { first } else { second };
            let (a, b, path) = (second.flag, first.flag, shown(named.path));
            return Err(Usage(format!("{a} and {b} would both write {path}: give them two names")));
        }
    }
    Ok(())
}

/// Refuses an output that would take the place of what the run reads, however its name is spelt.
///
/// # Errors
/// Names both.
pub fn not_replaced(inputs: &[&Path], output: &Path) -> Result<(), Usage> {
    let file = place(output);
    match inputs.iter().find(|input| file.is_some() && place(input) == file) {
        Some(input) => {
            let line = format!(
                "{} would be replaced by {}: give the output another name",
                shown(input),
                shown(output)
            );
            Err(Usage(line))
        }
        None => Ok(()),
    }
}

fn collide(a: &Written, b: &Written) -> bool {
    let (Some(one), Some(other)) = (place(a.path), place(b.path)) else { return false };
    match (a.numbered, b.numbered) {
        (true, false) => is_frame(&other, &one),
        (false, true) => is_frame(&one, &other),
        _ => one == other,
    }
}

/// Returns true if `file` has the name of a numbered frame of `of`: a-000100.npy of a.npy.
fn is_frame(file: &Path, of: &Path) -> bool {
    let texts = |path: &Path| Some((path.file_stem()?.to_str()?.to_owned(), path.extension()?.to_owned()));
    let (Some((found, kind)), Some((stem, extension))) = (texts(file), texts(of)) else { return false };
    let number = found.strip_prefix(&stem).and_then(|rest| rest.strip_prefix('-'));
    let digits = |number: &str| number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    file.parent() == of.parent() && kind == extension && number.is_some_and(digits)
}

/// One path for all the names of a file; none of what is no file, such as a device.
fn place(path: &Path) -> Option<PathBuf> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return None;
    }
    if let Ok(found) = fs::canonicalize(path) {
        return Some(found);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).unwrap_or(folder.to_owned());
    Some(folder.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(folder: &Path, files: &[(&'static str, &str, bool)]) -> Option<String> {
        let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file.1)).collect();
        let written = files.iter().zip(&paths);
        let written: Vec<Written> =
            written.map(|(&(flag, _, numbered), path)| Written { flag, path, numbered }).collect();
        distinct(&written).err().map(|error| error.to_string())
    }

    #[test]
    fn one_file_by_two_names_is_refused_and_two_files_are_not() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        fs::create_dir(folder.join("b"))?;
        let twice = |one, two, numbered| {
            refused(folder, &[("--out", one, numbered), ("--plot", "c.png", false), ("--save", two, false)])
        };
        for (one, two, numbered) in [
            ("a.npy", "a.npy", false),
            ("a.npy", "./a.npy", false),
            ("b/../a.npy", "a.npy", false),
            ("a.npy", "a-000100.npy", true),
            ("./a.npy", "a-1000000.npy", true),
        ] {
            let said = twice(one, two, numbered).unwrap_or_default();
            assert!(said.starts_with("--out and --save would both write "), "{one} {two}: {said}");
        }
        for (one, two, numbered) in [
            ("a.npy", "b.npy", false),
            ("a.npy", "b/a.npy", false),
            ("a.npy", "a.npy", true),
            ("a.npy", "a-100.npy", true),
            ("a.npy", "a-00010x.npy", true),
            ("a.npy", "b/a-000100.npy", true),
            ("a.png", "a-000100.npy", true),
        ] {
            assert_eq!(twice(one, two, numbered), None, "{one} {two}");
        }
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_the_file_it_leads_to_and_a_device_is_no_file() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("a.npy"), "")?;
        std::os::unix::fs::symlink("a.npy", folder.path().join("b.npy"))?;
        let both = refused(folder.path(), &[("--out", "b.npy", false), ("--save", "a.npy", false)]);
        assert!(both.is_some());
        let device = Path::new("/dev/null");
        let twice = ["--out", "--save"].map(|flag| Written { flag, path: device, numbered: false });
        assert!(distinct(&twice).is_ok());
        Ok(())
    }
}
