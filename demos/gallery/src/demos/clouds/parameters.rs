//! The parameters of clouds, and what they mean.

use quadrille::sim::clouds::{Parameters, Scene};

use super::super::flow;
use super::shown::Show;
use crate::param::{Choice, Kept, Kind, Live, Param, Section, Slider, Value, Values, choices};
use crate::picture::{COLOURS, STREAMLINES};

/// The end of the help: what files hold, and what a check looks at.
pub const MORE: &str = "\
--save of a .npz writes all that goes on, its planes each by its name; --save of a .npy, and --out of .npy or .exr, write planes of HEIGHT x WIDTH one below the other, rows from the ground up: u, v (m/s), \
potential temperature less that of the ground at first (K), vapour, cloud water (kg/kg), and the pressure from \
which the next solve begins, as a velocity. u is on the west, v on the lower sides of cells; there is a row more than cells, and \
with --walls a column, whose other numbers are 0, but for the last row of u, the wind, and of the temperature: how warm the \
ground is, 0 to 1. --load of a .npz goes on bit for bit; of a .npy, too, if the other flags are the same, but time and the account of the water begin anew.
--check: vapour and cloud water that are missing, what the ground gives and renewal replaces counted in, at most 0.1 % (not with --lossy); \
vapour beyond saturation; the base of clouds, in the median of five looks or more, within two cells of the lifting condensation level of the air at the ground; of stable air \
that nothing warms or moistens and no wind moves, its fastest. What advection loses before it is put back is printed.";

/// Flags that mean something else here.
pub const FLAGS: &[(&str, &str)] = &[
    ("steps", "Steps to run [default: without a window as many as an hour has; a window runs for ever]"),
    ("save", "Write the state at the end: float32, 6 planes of HEIGHT x WIDTH, see below"),
];

pub const SCENE: Param = Param {
    name: "scene",
    kind: Kind::Choice(|| {
        Scene::ALL.map(|scene| Choice { name: scene.name(), help: scene.shows() }).to_vec()
    }),
    default: "cumulus",
    help: "What kind of day it is",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

pub const SIZE: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "144x112, or that of --load",
    help: "Cells, as WIDTHxHEIGHT",
    ..Param::NEW
};

pub const SPACING: Param = Param {
    name: "spacing",
    symbol: "M",
    unit: "m",
    kind: Kind::real(1e-3, 1e5),
    default: "what makes the box 3584 m high",
    help: "Side of a cell, in metres, 0.001 to 100000",
    kept: Kept::Yes,
    ..Param::NEW
};

pub const WALLS: Param = Param {
    name: "walls",
    help: "Walls in the west and in the east; else what leaves there comes back from the other side",
    kept: Kept::Yes,
    ..Param::NEW
};

pub const TIME_STEP: Param = Param {
    name: "time-step",
    symbol: "DT",
    unit: "s",
    kind: Kind::real(1e-4, 1e3),
    default: "the spacing by 8 m/s and --wind",
    help: "Time a step, in seconds, 1e-4 to 1000",
    kept: Kept::Yes,
    ..Param::NEW
};

pub const WIND: Param = Param {
    name: "wind",
    symbol: "V",
    unit: "m/s",
    kind: Kind::real(-50.0, 50.0),
    default: "0",
    help: "Wind to the east, in m/s, -50 to 50; not with --walls or --load, whose air has its own",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(-15.0, 15.0)),
    ..Param::NEW
};

pub const HEAT: Param = Param {
    name: "heat",
    symbol: "W",
    unit: "W/m²",
    kind: Kind::real(0.0, 1e4),
    default: "that of the scene",
    help: "Warmth from the ground where it gives most, in W/m^2",
    kept: Kept::With("scene"),
    live: Live::Slider(Slider::to(0.0, 1000.0)),
    ..Param::NEW
};

pub const EVAPORATION: Param = Param {
    name: "evaporation",
    symbol: "W",
    unit: "W/m²",
    kind: Kind::real_or(0.0, 1e4, BALANCED),
    default: "balanced: what keeps the humidity of the warm air",
    help: "Vapour from there, by its latent heat, in W/m^2, or `balanced`",
    kept: Kept::With("scene"),
    live: Live::Slider(Slider::to(0.0, 1000.0)),
    ..Param::NEW
};

pub const TEMPERATURE: Param = Param {
    name: "temperature",
    symbol: "T",
    unit: "°C",
    kind: Kind::real(-60.0, 60.0),
    default: "23.85",
    help: "Temperature of the ground, in degrees Celsius, -60 to 60",
    kept: Kept::With("scene"),
    ..Param::NEW
};

pub const HUMIDITY: Param = Param {
    name: "humidity",
    symbol: "H",
    kind: Kind::real(0.0, 1.0),
    default: "that of the scene",
    help: "Relative humidity at the ground, 0 to 1; not of stable, which is dry",
    kept: Kept::With("scene"),
    ..Param::NEW
};

pub const LAPSE: Param = Param {
    name: "lapse",
    symbol: "K",
    unit: "K/km",
    kind: Kind::real(-50.0, 50.0),
    default: "that of the scene",
    help: "Kelvins a kilometre by which air above the mixed layer is colder, -50 to 50",
    kept: Kept::With("scene"),
    ..Param::NEW
};

pub const CONFINEMENT: Param = Param {
    name: "confinement",
    symbol: "E",
    kind: Kind::real(0.0, 0.1),
    default: "0.015",
    help: "Vorticity confinement: a force that makes swirls turn faster, as much as the grid has smeared, 0 to 0.1: past 0.03 it makes storms",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 0.03)),
    section: Section::Physics,
    ..Param::NEW
};

pub const MIXING: Param = Param {
    name: "mixing",
    symbol: "K",
    unit: "m²/s",
    kind: Kind::real(0.0, 1e9),
    default: "3/16 m/s times the spacing, or what a step can mix",
    help: "K of eddies that cells do not resolve, which spreads velocity and what is different from the air at rest, in m^2/s, \
           0 to spacing^2/(4 DT), 0 for none",
    kept: Kept::Yes,
    // As far as a step can mix.
    live: Live::Slider(Slider::to(0.0, 100.0)),
    section: Section::Physics,
    ..Param::NEW
};

pub const RENEWAL: Param = Param {
    name: "renewal",
    label: "fresh air within",
    symbol: "S",
    unit: "s",
    kind: Kind::above_or(0.0, 1e9, NEVER),
    default: "3600",
    help: "The slice has air before and behind it, which is at rest: the time in which that takes the place of the slice's own, in seconds, \
           DT to 1e9, or `never`",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(300.0, 36_000.0).logarithmic()),
    section: Section::Physics,
    ..Param::NEW
};

/// The vapour that keeps the humidity of the air which the ground warms.
pub const BALANCED: &str = "balanced";

/// The time in which air is never renewed.
pub const NEVER: &str = "never";

pub const SHOW: Param = Param {
    name: "show",
    kind: Kind::Choice(|| choices(&SHOWN)),
    default: "clouds",
    help: "What its colours show",
    live: Live::Words,
    section: Section::Shown,
    ..Param::NEW
};

pub const HOUR: Param = Param {
    name: "hour",
    symbol: "H",
    kind: Kind::real(6.0, 18.0),
    default: "15",
    help: "Time of day of the light, 6 to 18: the sun rises at the right; the ground stays as warm as it is",
    live: Live::Slider(Slider::to(6.0, 18.0)),
    matters: shows_a_sky,
    section: Section::Shown,
    ..Param::NEW
};

pub const PLAIN: Param = Param {
    name: "plain",
    kind: Kind::Flag,
    help: "A sky without the dashed line at the level where air from the ground condenses as it rises",
    live: Live::Words,
    label: "without condensation level",
    matters: shows_a_sky,
    section: Section::Shown,
    ..Param::NEW
};

/// Returns true if these values show clouds in the light, and no numbers in colours.
fn shows_a_sky(values: &Values) -> bool {
    values.word(SHOW.name).is_none_or(|show| show == SHOW.default)
}

/// The time of day unless the user says otherwise.
pub const AFTERNOON: f32 = 15.0;

pub const SHOWN: [(&str, &str, Show); 6] = [
    ("clouds", "Clouds in the light of the sun", Show::Clouds),
    (
        "theta",
        "Potential temperature, as warm as the air would be at the ground, less that of the air at rest, -3 to 3 K: blue is colder, red is warmer",
        Show::Theta,
    ),
    ("vapour", "Vapour, 0 to 15 g/kg", Show::Vapour),
    ("cloud-water", "Cloud water, 0 to 2 g/kg", Show::CloudWater),
    ("speed", "|u|, 0 to 10 m/s", Show::Speed),
    ("vorticity", "How it turns, -0.1 to 0.1 a second: blue to the right, red to the left", Show::Vorticity),
];

const MAP: Param = Param {
    default: "blue_red, of those that are not below 0 inferno",
    help: "Colour map of numbers; `help` lists them",
    ..COLOURS
};

const ADVECTION: Param = Param { help: "How velocity and air are carried along", ..flow::ADVECTION };

const PRESSURE: Param = Param {
    help: "How the pressure is found that makes the flow free of divergence: two cycles, to a residual of 1e-4 of its \
           right-hand side, or 40 sweeps",
    ..flow::PRESSURE
};

pub const THERMALS: Param = Param {
    name: "thermals",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: 64 },
    default: "12 of cumulus and towers in a window, else 0",
    help: "Warm, moist bubbles that are on their way up at the beginning, so that nobody waits for the first cloud, 0 to 64",
    kept: Kept::With("scene"),
    ..Param::NEW
};

pub const LOSSY: Param = Param {
    name: "lossy",
    label: "let water get lost",
    help: "Let the water go that advection loses or makes",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

/// All of them, but for the size of pictures.
pub const ALL: &[Param] = &[
    SCENE,
    SHOW,
    HOUR,
    PLAIN,
    SIZE,
    SPACING,
    WALLS,
    TIME_STEP,
    WIND,
    HEAT,
    EVAPORATION,
    TEMPERATURE,
    HUMIDITY,
    LAPSE,
    CONFINEMENT,
    MIXING,
    RENEWAL,
    THERMALS,
    MAP,
    STREAMLINES,
    ADVECTION,
    PRESSURE,
    LOSSY,
];

/// The scene that was asked for.
pub fn scene(values: &Values) -> Option<Scene> {
    let name = values.word("scene")?;
    Scene::ALL.into_iter().find(|known| known.name() == name)
}

/// Those parameters, but where `values` says otherwise.
pub fn changed(values: &Values, before: Parameters) -> Parameters {
    let keep_water = match values.get("lossy") {
        Some(&Value::Flag(lossy)) => !lossy,
        _ => before.keep_water,
    };
    Parameters {
        time_step: values.real("time-step").unwrap_or(before.time_step),
        wind: values.real("wind").unwrap_or(before.wind),
        heat: values.real("heat").unwrap_or(before.heat),
        evaporation: values.real_or_none("evaporation").unwrap_or(before.evaporation),
        confinement: values.real("confinement").unwrap_or(before.confinement),
        mixing: values.real("mixing").unwrap_or(before.mixing),
        renewal: values.real_or_none("renewal").unwrap_or(before.renewal),
        advection: flow::advection(values).unwrap_or(before.advection),
        pressure: flow::pressure(values, before.pressure),
        keep_water,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_of_the_day_is_offered_where_there_is_a_sky() {
        for param in ALL.iter().filter(|param| ["hour", "plain"].contains(&param.name)) {
            for (show, matters) in [("clouds", true), ("theta", false), ("speed", false)] {
                assert_eq!(
                    (param.matters)(&Values::new().with("show", show)),
                    matters,
                    "{} {show}",
                    param.name
                );
            }
        }
    }
}
