//! The files of `demos/gallery/equations`, packed as texts: one list.

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
            "burgers",
            "fisher",
            "bistable",
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

/// The recorded pictures of their cards.
#[cfg(feature = "thumbnails")]
pub(crate) const THUMBNAILS: &[(&str, &[u8])] = each!(pictures);

static ABOUTS: LazyLock<Vec<About>> =
    LazyLock::new(|| SHIPPED.iter().filter_map(|file| describe(file).ok()).collect());

/// The descriptions of the files.
pub fn all() -> &'static [About] {
    &ABOUTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_described() {
        assert_eq!(all().len(), SHIPPED.len());
        for about in all() {
            for (what, text, most) in [
                ("sentence", about.shows, 130),
                ("keywords", about.keywords, 100),
                ("paragraph", about.computes, 500),
                ("paper", about.paper, 150),
            ] {
                let length = text.chars().count();
                assert!((10..=most).contains(&length), "{}: {what} has {length} letters", about.name);
            }
        }
    }
}
