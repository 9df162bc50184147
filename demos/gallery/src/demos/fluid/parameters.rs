//! The parameters of a fluid in a flat box, and what they mean.

use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Kind as Lattice, Parameters, Pressure};

use super::super::flow;
use super::scene::Show;
use crate::param::{Choice, Kept, Kind, Live, Param, Section, Slider, Values, choices};
use crate::picture::{COLOURS, STREAMLINES};

/// The end of the help: what files hold, and what a check looks at.
pub const MORE: &str = "\
A box is 1 high, that of taylor-green 2 pi wide; speeds are about 1.
--save, and --out of .npy or .exr, write 12 planes of HEIGHT x WIDTH one below the other, rows from the south: u, v, red, green, \
blue, heat, solid (1 or 0), two of what the next step knows of pressures, u and v of the step before, and one whose first numbers are what there is to be \
of the three colours and of heat where it is kept, how much the next step knows of pressures (0 to 2), the time step of it, and the grid: 1 collocated, 2 staggered. Where a \
plane has fewer columns or rows than the nodes, the rest is 0. --load of a .npz, which has these planes by their names, goes on bit for bit, particles, too; of a .npy, on the grid of the file, where scene and flags are the same, and particles begin anew.
Advection loses and makes dye and heat: what is wrong is put back or taken away everywhere in proportion to what is there, unless --lossy \
is given. Not so in street and channel: what leaves through their outlets is not known any better than what is lost.
In a window the left button pushes the fluid and pours dye, or lets particles begin where it presses; the right one draws solids or erases them. The step of channel \
is a block of solid under the inlet, where kernels have loops; else it is the closed lower half of the west side alone.
--check: that velocities are finite; in f64, on the staggered grid ||div u|| after a projection, on the \
collocated one, whose differences see not all, the residual of the pressure, as a part of what it began with: a tenth for each cycle, the tolerance of cg (of jacobi the residual beside that of the last pressure, from which sweeps begin: the divergence may grow); and what is lost of the dye where it is kept, at most 0.1 %. \
It prints max |div u| before and after, the loss without the correction, of taylor-green (without confinement or --load) the rate of decay beside nu (kx^2 + ky^2), of a square cavity at \
Re = 100, 400 and 1000 (--viscosity 0.01, 0.0025, 0.001) u and v on its middle lines beside the tables of Ghia, Ghia & Shin, which --profile writes, of street how often vortices part (the Strouhal number, from v 2.5 diameters behind the cylinder) beside Williamson's, of channel how many extrema its vorticity has downstream; --json has them as findings.";

/// Flags that mean something else here.
pub const FLAGS: &[(&str, &str)] = &[
    ("save", "Write the state at the end: float32, 12 planes of HEIGHT x WIDTH, see below"),
    (
        "steps",
        "Steps to run [default: without a window 800 of plume, 400 of vortices, 2000 of channel and cavity, to time 12 of street and 2 of \
         taylor-green; a window runs for ever]",
    ),
    ("check", "Without a window; exit 1 past a bound, see below"),
    ("seed", "Where particles begin [default: 1]"),
];

pub const SCENE: Param = Param {
    name: "scene",
    kind: Kind::Choice(|| Name::ALL.map(|name| Choice { name: name.name(), help: name.shows() }).to_vec()),
    default: "plume",
    help: "What is in the box at first and at its sides",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

pub const SIZE: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "that of the scene, without a GPU of plume 161x193 (321x385), of street 193x129 (289x193); or that of --load",
    help: "Nodes, corners of cells, as WIDTHxHEIGHT, 5x5 or more (taylor-green: 4x4)",
    ..Param::NEW
};

pub const GRID: Param = Param {
    name: "grid",
    kind: Kind::Choice(|| {
        Lattice::ALL.map(|kind| Choice { name: kind.name(), help: lattice(kind) }).to_vec()
    }),
    default: "staggered",
    help: "Where velocities are kept",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

pub const CYCLES: Param = Param {
    name: "cycles",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 100 },
    default: "2",
    help: "Of --pressure multigrid: V(4,2)-cycles a step, 1 to 100",
    kept: Kept::With("pressure"),
    live: Live::Slider(Slider::to(1.0, 20.0)),
    section: Section::Solver,
    label: "multigrid cycles",
    ..Param::NEW
};

pub const TOLERANCE: Param = Param {
    name: "tolerance",
    symbol: "T",
    kind: Kind::real(1e-7, 0.1),
    default: "1e-4",
    help: "Of --pressure cg: residual at which a step's pressure is found, as a part of its right-hand side, 1e-7 to 0.1",
    kept: Kept::With("pressure"),
    live: Live::Slider(Slider::to(1e-7, 0.1).logarithmic()),
    section: Section::Solver,
    ..Param::NEW
};

pub const SWEEPS: Param = Param {
    name: "sweeps",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 10_000 },
    default: "40",
    help: "Of --pressure jacobi: sweeps a step, 1 to 10000",
    kept: Kept::With("pressure"),
    live: Live::Slider(Slider::to(1.0, 1000.0).logarithmic()),
    section: Section::Solver,
    label: "Jacobi sweeps",
    ..Param::NEW
};

/// Where velocities are, in a line.
fn lattice(kind: Lattice) -> &'static str {
    match kind {
        Lattice::Collocated => {
            "collocated: both components at the corners of cells, as the paper has them, which leaves a divergence that its differences do not see"
        }
        Lattice::Staggered => "each component in the middle of the sides of cells that it flows through",
    }
}

const ADVECTION: Param =
    Param { help: "How velocity and dye are carried along with the flow", ..flow::ADVECTION };

/// A number that a scene has of its own.
const OF_SCENE: Param = Param { default: "that of the scene", kept: Kept::With("scene"), ..Param::NEW };

pub const VISCOSITY: Param = Param {
    name: "viscosity",
    symbol: "NU",
    kind: Kind::real(0.0, 1e6),
    help: "Kinematic viscosity, how thick the fluid is: a length^2 / time, 0 for none; honey has much of it",
    live: Live::Slider(fine(0.1)),
    section: Section::Physics,
    ..OF_SCENE
};

pub const TIME_STEP: Param = Param {
    name: "time-step",
    symbol: "DT",
    kind: Kind::real(1e-12, 1e6),
    help: "Time a step, 1e-12 to 1e6; the slider goes from a tenth to ten times that of the scene",
    live: Live::Slider(Slider { low: 1e-4, ..fine(0.1) }),
    section: Section::Solver,
    ..OF_SCENE
};

pub const CONFINEMENT: Param = Param {
    name: "confinement",
    symbol: "E",
    kind: Kind::real(0.0, 100.0),
    help: "Vorticity confinement: a force that makes swirls turn faster, as much as the grid has smeared, 0 for none",
    live: Live::Slider(fine(2.0)),
    section: Section::Physics,
    ..OF_SCENE
};

pub const FADING: Param = Param {
    name: "fading",
    symbol: "F",
    kind: Kind::real(0.0, 1e6),
    default: "0.25 of plume, else 0",
    help: "How much of dye and heat fades in a time: a step leaves e^(-F DT) of them, 0 for none of it",
    live: Live::Slider(fine(2.0)),
    section: Section::Physics,
    ..OF_SCENE
};

pub const PARTICLES: Param = Param {
    name: "particles",
    symbol: "N",
    // They are numbered by floats.
    kind: Kind::Whole { low: 0, high: 1 << 24 },
    default: "0",
    help: "Particles that the flow carries, drawn as points, 0 for none",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 1e6).logarithmic().smallest(1000.0)),
    ..Param::NEW
};

pub const TRAIL: Param = Param {
    name: "trail",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: 64 },
    default: "16, less of more than 32768",
    help: "Steps that a particle's trail is long, 0 to 64",
    matters: |values| values.whole::<u32>("particles").is_some_and(|count| count > 0),
    live: Live::Slider(Slider::to(0.0, 64.0)),
    ..Param::NEW
};

pub const SHOW: Param = Param {
    name: "show",
    kind: Kind::Choice(|| choices(&SHOWN)),
    default: "dye of plume and vortices, else vorticity; particles with --particles",
    help: "What its colours show",
    live: Live::Words,
    section: Section::Shown,
    ..Param::NEW
};

/// Particles are the last.
pub const SHOWN: [(&str, &str, Show); 6] = [
    ("dye", "Three colours that the flow carries", Show::Dye),
    ("speed", "|u|, from 0 on", Show::Speed),
    ("vorticity", "How it turns: blue one way, red the other", Show::Vorticity),
    (
        "pressure",
        "What pushes the fluid apart where it would pile up: blue draws, red pushes",
        Show::Pressure,
    ),
    (
        "divergence",
        "The outflow of each cell (of the cell between four nodes on a collocated grid); white: none is left",
        Show::Divergence,
    ),
    (
        "particles",
        "Nothing but particles, thirty thousand unless --particles says otherwise",
        Show::Particles,
    ),
];

pub const LOSSY: Param = Param {
    name: "lossy",
    label: "let dye get lost",
    help: "Let the dye go that advection loses, and stay what it makes; of street and channel nothing is put back in any case",
    matters: |values| !matches!(scene(values), Some(Name::Channel | Name::Street)),
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

const MAP: Param = Param {
    default: "blue_red, of speed inferno, of particles plasma",
    help: "Colour map of numbers and of the speeds of particles; `help` lists them",
    ..COLOURS
};

/// All of them, but for the size of pictures.
pub const ALL: &[Param] = &[
    SCENE,
    SIZE,
    GRID,
    flow::PRESSURE,
    CYCLES,
    TOLERANCE,
    SWEEPS,
    ADVECTION,
    VISCOSITY,
    TIME_STEP,
    CONFINEMENT,
    FADING,
    PARTICLES,
    TRAIL,
    SHOW,
    LOSSY,
    MAP,
    STREAMLINES,
];

/// A logarithmic slider from 0 on, whose second number is a thousandth of the last.
const fn fine(high: f64) -> Slider {
    Slider::to(0.0, high).logarithmic().smallest(1e-3 * high).most_decimals(5)
}

/// The scene that was asked for.
pub fn scene(values: &Values) -> Option<Name> {
    let name = values.word("scene")?;
    Name::ALL.into_iter().find(|known| known.name() == name)
}

/// The grid that was asked for.
pub fn grid(values: &Values) -> Option<Lattice> {
    let name = values.word("grid")?;
    Lattice::ALL.into_iter().find(|known| known.name() == name)
}

/// Those parameters, but where `values` says otherwise; not whether dye is kept.
pub fn changed(values: &Values, before: Parameters) -> Parameters {
    let mut pressure = flow::pressure(values, before.pressure);
    match &mut pressure {
        Pressure::Multigrid { cycles, .. } => *cycles = values.whole("cycles").unwrap_or(*cycles),
        Pressure::Cg { tolerance } => *tolerance = values.real("tolerance").unwrap_or(*tolerance),
        Pressure::Jacobi { sweeps } => *sweeps = values.whole("sweeps").unwrap_or(*sweeps),
    }
    Parameters {
        pressure,
        time_step: values.real("time-step").unwrap_or(before.time_step),
        viscosity: values.real("viscosity").unwrap_or(before.viscosity),
        advection: flow::advection(values).unwrap_or(before.advection),
        confinement: values.real("confinement").unwrap_or(before.confinement),
        fading: values.real("fading").unwrap_or(before.fading),
        ..before
    }
}
