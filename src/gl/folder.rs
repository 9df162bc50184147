//! Kernels from a folder instead of the program, for `make mutants`. Only with the feature
//! `kernels-from-folder`, and only where `QUADRILLE_KERNELS` names the folder.
//!
//! A file there takes the place of the built-in one of the same name. If the folder holds a file `used`, the name of each
//! kernel that is asked for is added to it, one a line.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn folder() -> Option<PathBuf> {
    std::env::var_os("QUADRILLE_KERNELS").map(PathBuf::from)
}

/// The text of a kernel: that of the folder, or the one built in.
pub fn kernel_text<'a>(name: &str, built_in: &'a str) -> Cow<'a, str> {
    match folder() {
        Some(folder) => text_in(&folder, name, built_in),
        None => built_in.into(),
    }
}

/// The text for the driver, its words, each with the name of its file, replaced by those of the folder.
pub fn words<'a>(text: &'a str, words: &[(&str, &str)]) -> Cow<'a, str> {
    match folder() {
        Some(folder) => words_in(&folder, text, words),
        None => text.into(),
    }
}

fn text_in<'a>(folder: &Path, name: &str, built_in: &'a str) -> Cow<'a, str> {
    if let Ok(mut used) = OpenOptions::new().append(true).open(folder.join("used")) {
        let _ = writeln!(used, "{name}"); // a name that is missing there costs a mutant its tests, no user anything
    }
    fs::read_to_string(folder.join(name)).map_or(built_in.into(), Cow::Owned)
}

fn words_in<'a>(folder: &Path, text: &'a str, words: &[(&str, &str)]) -> Cow<'a, str> {
    words.iter().fold(text.into(), |text, (name, words)| match text.contains(words) {
        true => text.replace(words, &text_in(folder, name, words)).into(),
        false => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_the_place_of_a_kernel_and_of_words_and_use_is_recorded() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("quadrille-kernels-{}", std::process::id()));
        fs::create_dir_all(folder.join("linalg"))?;
        fs::write(folder.join("linalg/pack.frag"), "another")?;
        assert_eq!(text_in(&folder, "linalg/pack.frag", "built in"), "another");
        assert!(!folder.join("used").exists());

        fs::write(folder.join("used"), "")?;
        fs::write(folder.join("pug_vertex.glsl"), "other words")?;
        assert_eq!(text_in(&folder, "linalg/record.frag", "built in"), "built in");
        let words = [("pug_fragment.glsl", "words of a fragment"), ("pug_vertex.glsl", "words of a vertex")];
        let text = words_in(&folder, "head words of a vertex kernel", &words);
        assert_eq!(text, "head other words kernel");
        assert_eq!(words_in(&folder, "words of a fragment", &words), "words of a fragment");
        assert_eq!(
            fs::read_to_string(folder.join("used"))?,
            "linalg/record.frag\npug_vertex.glsl\npug_fragment.glsl\n"
        );
        fs::remove_dir_all(folder)
    }
}
