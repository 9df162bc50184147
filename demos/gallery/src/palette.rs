//! Colour maps by name: 256 colours that stand for the numbers from 0 to 1.
//!
//! A sequential map leads from low to high, a diverging map has its neutral colour in the middle, for signed
//! numbers, and a cyclic map ends where it began, for angles and phases.

use colorous::Gradient;

/// The map used when none is named: it is even to the eye, and stays readable in black and white.
pub const DEFAULT: &str = "magma";

/// A dull mauve that no map has, for lines between what is mapped.
pub const LINES: [u8; 3] = [120, 96, 112];

/// How a map comes to its colours.
enum Source {
    Sampled(Gradient),
    /// From its last colour to its first.
    Reversed(Gradient),
    /// Black to white, in equal steps.
    Grey,
}
use Source::{Grey, Reversed, Sampled};

const PALETTES: &[(&str, Source)] = &[
    // sequential, most of them from dark to light
    ("magma", Sampled(colorous::MAGMA)),
    ("inferno", Sampled(colorous::INFERNO)),
    ("plasma", Sampled(colorous::PLASMA)),
    ("viridis", Sampled(colorous::VIRIDIS)),
    ("cividis", Sampled(colorous::CIVIDIS)),
    ("cubehelix", Sampled(colorous::CUBEHELIX)),
    ("turbo", Sampled(colorous::TURBO)),
    ("warm", Sampled(colorous::WARM)),
    ("cool", Sampled(colorous::COOL)),
    ("grey", Grey),
    // sequential, from white to dark, as ink on paper
    ("greys", Sampled(colorous::GREYS)),
    ("blues", Sampled(colorous::BLUES)),
    ("yellow_green_blue", Sampled(colorous::YELLOW_GREEN_BLUE)),
    ("yellow_orange_red", Sampled(colorous::YELLOW_ORANGE_RED)),
    // diverging
    ("spectral", Sampled(colorous::SPECTRAL)),
    ("blue_red", Reversed(colorous::RED_BLUE)),
    ("red_blue", Sampled(colorous::RED_BLUE)),
    ("red_yellow_blue", Sampled(colorous::RED_YELLOW_BLUE)),
    ("brown_green", Sampled(colorous::BROWN_GREEN)),
    ("purple_green", Sampled(colorous::PURPLE_GREEN)),
    ("purple_orange", Sampled(colorous::PURPLE_ORANGE)),
    // cyclic
    ("rainbow", Sampled(colorous::RAINBOW)),
    ("sinebow", Sampled(colorous::SINEBOW)),
];

/// The names of all maps.
pub fn names() -> impl Iterator<Item = &'static str> {
    PALETTES.iter().map(|(name, _)| *name)
}

/// Returns true if the last colour of a map is beside its first.
pub fn is_cyclic(name: &str) -> bool {
    ["rainbow", "sinebow"].contains(&name)
}

/// The 256 colours of a map as red, green, blue: entry i stands for i / 255, in a cyclic map for i / 256.
pub fn colours(name: &str) -> Option<[[u8; 3]; 256]> {
    let (_, source) = PALETTES.iter().find(|(known, _)| *known == name)?;
    Some(std::array::from_fn(|i| match source {
        Sampled(gradient) => gradient.eval_rational(i, 256).into_array(),
        Reversed(gradient) => gradient.eval_rational(255 - i, 256).into_array(),
        Grey => [i as u8; 3],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The largest step of a channel between two colours.
    fn distance(a: [u8; 3], b: [u8; 3]) -> u8 {
        a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
    }

    #[test]
    fn every_name_is_unique_and_has_its_colours() {
        let unique: HashSet<_> = names().collect();
        assert_eq!(unique.len(), names().count());
        assert!(names().all(|name| colours(name).is_some()));
        assert!(colours(DEFAULT).is_some());
    }

    #[test]
    fn an_unknown_name_has_no_colours() {
        assert_eq!(colours("jet"), None);
        assert_eq!(colours(""), None);
    }

    #[test]
    fn every_map_is_smooth_and_uses_many_colours() {
        for (name, map) in names().filter_map(|name| Some((name, colours(name)?))) {
            let steps = map.windows(2).map(|pair| distance(pair[0], pair[1]));
            assert!(steps.max() <= Some(12), "{name}");
            assert!(HashSet::from(map).len() > 128, "{name}");
        }
    }

    #[test]
    fn no_map_has_the_colour_of_lines() {
        for (name, map) in names().filter_map(|name| Some((name, colours(name)?))) {
            assert!(map.iter().all(|&colour| distance(colour, LINES) >= 8), "{name}");
        }
    }

    #[test]
    fn a_cyclic_map_ends_where_it_began() -> Result<(), &'static str> {
        for name in names().filter(|name| is_cyclic(name)) {
            let map = colours(name).ok_or(name)?;
            assert!(distance(map[0], map[255]) <= 12, "{name}");
        }
        Ok(())
    }

    #[test]
    fn grey_is_the_number_itself() {
        assert_eq!(colours("grey"), Some(std::array::from_fn(|i| [i as u8; 3])));
    }
}
