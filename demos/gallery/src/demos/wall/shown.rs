//! Pictures of bodies: in their own colours, by what each bears, or with the forces between them.

use quadrille::sim::contact::{Body, Impulse};
use quadrille::view::{Block, Tones};

use crate::palette;
use crate::picture::{Numbers, Source, Unit};

/// The quantity that is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    #[default]
    Stones,
    Load,
    Forces,
}

pub const SHOWN: [(&str, &str, Show); 3] = [
    ("stones", "Stones in their own colours", Show::Stones),
    (
        "load",
        "Each stone in the colour of the sum of all forces that press on it; below the panel stands how many newtons",
        Show::Load,
    ),
    (
        "forces",
        "A bar from each stone's middle to where it is pressed, thicker and lighter where the force is larger; below the panel stands how many newtons",
        Show::Forces,
    ),
];

/// The colours of forces.
const MAP: &str = "inferno";

/// The part of a stone that is left where forces are shown.
const CORE: f64 = 0.3;

/// Half the thickness of the bar of the largest force, and of the least that is drawn, metres.
const THICK: f64 = 0.11;
const THIN: f64 = 0.012;

/// Forces below this part of the largest are not drawn.
const LEAST: f64 = 1e-3;

/// The normal forces that press on each body in the last step, newtons.
pub fn loads(bodies: usize, impulses: &[Impulse], time_step: f64) -> Vec<f64> {
    let mut loads = vec![0.0; bodies];
    for impulse in impulses {
        let (first, second) = impulse.bodies;
        [Some(first), second]
            .into_iter()
            .flatten()
            .for_each(|body| loads[body] += impulse.normal / time_step);
    }
    loads
}

/// The largest of all, or 0.
pub fn largest(forces: impl Iterator<Item = f64>) -> f64 {
    forces.fold(0.0, f64::max)
}

/// The scale of loads, which are alike, from none to the largest; and that of forces at contacts, which are not.
pub const LOADS: Tones = Tones { logarithmic: false, lines: 0 };
pub const FORCES: Tones = Tones { logarithmic: true, lines: 0 };

/// The place of a force between none and the largest.
fn share(force: f64, most: f64, tones: Tones) -> f64 {
    if most > 0.0 { tones.share(force.clamp(0.0, most), [0.0, most]) } else { 0.0 }
}

/// The legend of forces up to that one, in newtons; `None` where nothing presses.
pub fn legend(most: f64, tones: Tones) -> Option<Numbers<'static>> {
    let map = palette::colours(MAP)?;
    let colours = std::array::from_fn(|i| map[number(i as f64 / 255.0)]);
    let (unit, ends) = (Unit { name: "N", times: 1.0 }, [0.0, most as f32]);
    (most > 0.0).then_some(Numbers { source: Source::Unread, ends, tones, colours: Some(colours), unit })
}

/// The number of a share's colour: the first colours of the map are as dark as shadows.
fn number(share: f64) -> usize {
    (30.0 + 225.0 * share.clamp(0.0, 1.0)).round() as usize
}

/// Colours in linear light.
pub struct Colours([[f32; 3]; 256]);

impl Colours {
    pub fn new() -> Colours {
        let linear = |byte: u8| {
            let x = f32::from(byte) / 255.0;
            if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        };
        let map = palette::colours(MAP).unwrap_or([[255; 3]; 256]);
        Colours(map.map(|colour| colour.map(linear)))
    }

    /// The colour of a share from 0 to 1.
    fn of(&self, share: f64) -> [f32; 3] {
        self.0[number(share)]
    }
}

/// Stones in the colours of their loads.
pub fn loaded(blocks: &mut [Block], colours: &Colours, loads: &[f64]) {
    let most = largest(loads.iter().copied());
    for (block, &load) in blocks.iter_mut().zip(loads) {
        (block.colour, block.glow) = (colours.of(share(load, most, LOADS)), 0.0);
    }
}

/// Leaves the cores of the stones, and adds a bar for each half of each contact.
pub fn pressed(blocks: &mut Vec<Block>, colours: &Colours, bodies: &[Body], impulses: &[Impulse]) {
    for block in blocks.iter_mut() {
        block.half_sides = block.half_sides.map(|half| CORE * half);
    }
    let most = largest(impulses.iter().map(|impulse| impulse.normal));
    for impulse in impulses.iter().filter(|impulse| impulse.normal > LEAST * most) {
        let (first, second) = impulse.bodies;
        let body = &bodies[first];
        let rotation = body.rotation();
        let at: [f64; 3] = std::array::from_fn(|k| {
            body.position[k] + (0..3).map(|axis| rotation[k][axis] * impulse.place[axis]).sum::<f64>()
        });
        let part = impulse.normal / most;
        let (half, colour) = (THIN.max(THICK * part.sqrt()), colours.of(share(impulse.normal, most, FORCES)));
        let middles = [Some(first), second].into_iter().flatten().map(|body| bodies[body].position);
        blocks.extend(middles.filter_map(|middle| bar(middle, at, half, colour)));
    }
}

/// A box along a line, of that half thickness.
fn bar(from: [f64; 3], to: [f64; 3], half: f64, colour: [f32; 3]) -> Option<Block> {
    let way: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
    let length = way.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length < 1e-9 {
        return None;
    }
    let [x, y, z] = way.map(|v| v / length);
    // The shortest turn that takes (0, 1, 0) there: by its half angle, (axis, 1 + cosine); half a turn about x straight down.
    let turn = match 1.0 + y < 1e-9 {
        true => [1.0, 0.0, 0.0, 0.0],
        false => {
            let quaternion = [z, 0.0, -x, 1.0 + y];
            let norm = quaternion.iter().map(|v| v * v).sum::<f64>().sqrt();
            quaternion.map(|v| v / norm)
        }
    };
    let position = std::array::from_fn(|k| (from[k] + to[k]) / 2.0);
    let half_sides = [half, length / 2.0, half];
    Some(Block { position, orientation: turn, half_sides, colour, glow: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_reaches_from_one_place_to_the_other() {
        for (from, to) in [
            ([1.0, 2.0, 3.0], [4.0, -1.0, 5.0]),
            ([0.0; 3], [0.0, -2.0, 0.0]),
            ([0.0; 3], [0.0, 2.0, 0.0]),
            ([0.0; 3], [-3.0, 0.1, 0.0]),
        ] {
            let bar = bar(from, to, 1e-6, [1.0; 3]);
            let corners = bar.map(|bar| bar.corners());
            for end in [from, to] {
                let near = corners
                    .iter()
                    .flatten()
                    .filter(|corner| (0..3).map(|k| (corner[k] - end[k]).powi(2)).sum::<f64>().sqrt() < 1e-5);
                assert_eq!(near.count(), 4, "{from:?} {to:?}");
            }
        }
        assert_eq!(bar([1.0; 3], [1.0; 3], 0.1, [1.0; 3]), None);
    }

    /// A stone that lies on another presses it with its weight; the ground has no number.
    #[test]
    fn a_load_is_the_sum_of_what_presses_on_both_sides() {
        let press =
            |bodies, normal| Impulse { bodies, feature: 0, place: [0.0; 3], normal, friction: [0.0; 3] };
        let impulses = [press((0, None), 4.0), press((1, Some(0)), 1.5), press((1, Some(0)), 0.5)];
        assert_eq!(loads(2, &impulses, 0.5), [12.0, 4.0]);
    }

    #[test]
    fn a_legend_has_the_colours_that_stones_have_and_newtons() {
        let map = palette::colours(MAP);
        for tones in [LOADS, FORCES] {
            let found = legend(50.0, tones);
            let ends = found.as_ref().map(|legend| [0.0, 1.0].map(|share| legend.of_share(share).round()));
            assert_eq!(ends, Some([0.0, 50.0]));
            for force in [0.0, 0.5, 7.0, 50.0] {
                let share = share(force, 50.0, tones);
                let seen =
                    found.as_ref().and_then(|legend| Some(legend.colours?[(255.0 * share).round() as usize]));
                // Of 226 colours one or its neighbour.
                let n = number(share);
                assert!((n - 1..=(n + 1).min(255)).any(|n| seen == map.map(|map| map[n])), "{force}");
            }
        }
        assert!(legend(0.0, LOADS).is_none());
    }
}
