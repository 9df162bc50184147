//! The files of `demos/gallery/equations`, packed as texts: one list; and the beginning of a new one.

use std::sync::LazyLock;

use super::File;
use super::about::describe;
use crate::demo::About;
use crate::demos::ONLY;

/// Hands the names of all files to a macro.
macro_rules! each {
    ($use:ident) => {
        $use![
            "gray-scott",
            "schnakenberg",
            "brusselator",
            "fitzhugh-nagumo",
            "ginzburg-landau",
            "swift-hohenberg",
            "cahn-hilliard",
            "allen-cahn",
            "keller-segel",
            "klausmeier",
            "lotka-volterra",
            "thin-film",
            "kuramoto-sivashinsky",
            "schrodinger",
            "wave",
            "sine-gordon",
            "fisher",
            "bistable",
            "burgers",
            "barenblatt",
            "plane-wave",
            "heat",
            "disc",
            "decay",
            "ou",
        ]
    };
}

macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        &[$(File {
            name: concat!($name, ".toml"),
            text: include_str!(concat!("../../equations/", $name, ".toml")),
            path: "",
        }),*]
    };
}

#[cfg(feature = "thumbnails")]
macro_rules! pictures {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".toml"), include_bytes!(concat!("../../thumbnails/equations/", $name, ".png")))),*]
    };
}

/// The files; none where only one demo is built.
pub const SHIPPED: &[File] = if ONLY.is_none() { each!(texts) } else { &[] };

/// Files at the end of the list that are made to test solvers: their solutions are known.
const TESTS: usize = 7;

/// Returns true if the file is one of those.
pub fn is_test(file: &File) -> bool {
    let tests = &SHIPPED[SHIPPED.len().saturating_sub(TESTS)..];
    tests.iter().any(|test| test.name == file.name && test.text == file.text)
}

/// The recorded pictures of their cards.
#[cfg(feature = "thumbnails")]
pub(crate) const THUMBNAILS: &[(&str, &[u8])] = each!(pictures);

static ABOUTS: LazyLock<Vec<About>> =
    LazyLock::new(|| SHIPPED.iter().filter_map(|file| describe(file).ok()).collect());

/// The descriptions of the files.
pub fn all() -> &'static [About] {
    // So that the linker drops what reads files.
    if ONLY.is_none() { &ABOUTS } else { &[] }
}

/// The beginning of an equation of the user's own, which no list has.
pub const NEW: &File = &File { name: "new-equation.toml", text: include_str!("new.toml"), path: "" };

static BEGUN: LazyLock<Option<About>> = LazyLock::new(|| describe(NEW).ok());

/// The description of [`NEW`], if that is the name.
pub fn begun(name: &str) -> Option<&'static About> {
    BEGUN.as_ref().filter(|about| about.name == name)
}

/// The packed text of the file of that name.
pub fn packed(name: &str) -> Option<&'static str> {
    let file = SHIPPED.iter().chain([NEW]).find(|file| file.name == name)?;
    Some(file.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_equation_begins_with_a_few_lines() {
        let about = begun(NEW.name).map(|about| (about.shows, about.param("D").is_some()));
        assert_eq!(about, Some(("Grains of two kinds, each of which grows at the other's cost", true)));
        assert!(NEW.text.lines().count() <= 12, "{}", NEW.text);
        assert!(begun("heat.toml").is_none() && packed("heat.toml").is_some() == ONLY.is_none());
    }

    #[test]
    fn every_file_is_described() {
        assert_eq!(all().len(), SHIPPED.len());
        for about in all() {
            for (what, text, most) in [
                ("sentence", about.shows, 130),
                ("keywords", about.keywords, 100),
                ("title", about.title, 26),
                ("first", about.first, 75),
                ("paragraph", about.computes, 500),
                ("paper", about.paper, 150),
            ] {
                let length = text.chars().count();
                assert!((10..=most).contains(&length), "{}: {what} has {length} letters", about.name);
            }
        }
    }

    /// The end of the list is the group of tests, and another text of the same name is none.
    #[test]
    fn tests_of_solvers_stand_at_the_end_of_the_list() {
        let tests: Vec<&str> = SHIPPED.iter().filter(|file| is_test(file)).map(|file| file.name).collect();
        let names = ["burgers", "barenblatt", "plane-wave", "heat", "disc", "decay", "ou"];
        assert_eq!(
            tests,
            if ONLY.is_none() { names.map(|name| format!("{name}.toml")).to_vec() } else { Vec::new() }
        );
        assert!(!is_test(&File { name: "heat.toml", text: "another", path: "" }));
    }
}
