//! Waves on water: the demo of chapter 44, explicit and implicit.

mod beside;
mod screen;
mod walls;

use std::rc::Rc;

use anyhow::Result;
use quadrille::linalg::BoundaryCondition;
use quadrille::sim::wave::{Parameters, STABLE, Scheme};
use quadrille::sim::{Outline, Tip, Wave};
use quadrille::view::{Ball, HeightField, Mapping};
use quadrille::{Buffer, Gpu};
use quadrille_oracle as oracle;
use serde_json::{Map, Value as Json, json};

use self::beside::Beside;
use self::screen::Screen;
use self::walls::{BUILT, Built, SOURCE, Shown};
use crate::demo::{About, Demo, Host, Measure, Request, Stamp, Usage, View};
use crate::param::{CELLS, Kept, Kind, Live, Offer, Param, Section, Slider, Value, Values, choices, name_of};
use crate::picture::{self, CAMERA, COLOURS, Field, FieldPicture, FieldView, Mark, Picture, Touch};
use crate::state::{Array, Named, Parts, State, worst};

pub const ABOUT: About = About {
    name: "wave",
    shows: "Waves on water, explicit and implicit (GPU Gems 2, chapter 44)",
    keywords: "water ripples pool caustics walls double slit interference energy implicit Chebyshev drops",
    first: "Press the water, drag the ball; the right button turns the pool",
    computes: "The wave equation on a height field. An explicit step is a product with a banded matrix, stable up to beta = 0.5; an \
               implicit one solves a linear system by Chebyshev's iteration, stays stable at any beta, and damps the waves. A strip of \
               light, broken at the surface and laid out on the floor, makes the caustics; fragments follow the mirrored and the broken ray.",
    formula: "explicit: h′ = 2 h − h_before + β (Σ neighbours − 4 h),  β = (c Δt / Δx)²\n\
              implicit, L h = Σ neighbours − 4 h:  (1 − ½ β L) h′ = (2 + ½ β L) h − h_before",
    kernels: &[
        "sim/wave_step.frag",
        "linalg/banded.frag",
        "sim/wave_drop.frag",
        "view/pool_light.frag",
        "view/pool_shade.frag",
    ],
    paper: "Krüger and Westermann, GPU Gems 2, chapter 44",
    quantity: "height",
    stamps: &[Stamp::of("y", 0.25), Stamp::of("y_last", 0.25)],
    parameters: &[
        &[
            CELLS,
            SCHEME,
            BETA,
            TOLERANCE,
            BESIDE,
            DROPS,
            DAMPING,
            WALLS,
            SOURCE_PERIOD,
            EDGES,
            BALL,
            BALL_X,
            BALL_Y,
            picture::VIEW,
            MAP,
        ],
        CAMERA,
    ],
    check: refuse,
    start: |gpu, request| Ok(Box::new(Waves::new(gpu, request)?)),
    ..About::NEW
};

const SCHEME: Param = Param {
    name: "scheme",
    kind: Kind::Choice(|| choices(&SCHEMES)),
    default: "explicit",
    help: "How a step finds the new heights; --beside takes implicit",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

const SCHEMES: [(&str, &str, Scheme); 2] = [
    (
        "explicit",
        "From the last two heights of the cell and its neighbours, one product with a matrix: cheap, and stable up to beta 0.5",
        Scheme::Explicit,
    ),
    (
        "implicit",
        "The new heights stand in both sides: a linear system a step, by Chebyshev's iteration. Any beta is stable, and waves fade",
        Scheme::Implicit,
    ),
];

const BETA: Param = Param {
    name: "beta",
    symbol: "B",
    kind: Kind::above(0.0, 1e4),
    default: "0.45 explicit, 1 implicit, 20 with --beside",
    help: "How long a step is: the square of how many cells a wave runs in it, (c dt / h)^2. Explicit steps are stable up to 0.5",
    kept: Kept::With("scheme"),
    live: Live::Slider(Slider::to(0.01, 1.0).logarithmic()),
    section: Section::Solver,
    label: "step length, beta",
    ..Param::NEW
};

const TOLERANCE: Param = Param {
    name: "tolerance",
    symbol: "T",
    kind: Kind::real(1e-7, 0.1),
    default: "1e-6",
    help: "How exactly the system of a step is solved: the residual, what is left of it, as a part of its right-hand side, 1e-7 to 0.1 (only for \
           --scheme implicit)",
    kept: Kept::With("scheme"),
    live: Live::Slider(Slider::to(1e-7, 0.1).logarithmic()),
    section: Section::Solver,
    ..Param::NEW
};

const BESIDE: Param = Param {
    name: "beside",
    kind: Kind::Flag,
    help: "Compare: the right half of the picture shows the same water by explicit steps, as many short ones a step as take the same time, the left \
           half by implicit ones",
    kept: Kept::Yes,
    live: Live::Words,
    label: "explicit beside",
    ..Param::NEW
};

const BALL: Param = Param {
    name: "ball",
    symbol: "R",
    kind: Kind::real(0.0, 0.4),
    default: "0.13; 0 with walls",
    help: "Radius of the ball that floats, as part of half the longer side, 0 to 0.4; 0 for none. What moves it moves water",
    kept: Kept::With("walls"),
    live: Live::Slider(Slider::to(0.0, 0.4)),
    ..Param::NEW
};

const BALL_X: Param = Param {
    name: "ball-x",
    symbol: "X",
    kind: Kind::real(0.0, 1.0),
    default: "0.7",
    help: "Where it floats across the pool, 0 to 1",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 1.0)),
    matters: |values| values.real("ball").is_none_or(|radius| radius > 0.0),
    ..Param::NEW
};

const BALL_Y: Param = Param {
    name: "ball-y",
    symbol: "Y",
    default: "0.68",
    help: "Where it floats down the pool, 0 to 1",
    ..BALL_X
};

const DROPS: Param = Param {
    name: "drops",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: u64::MAX },
    default: "explicit 150, implicit 40; 0 with --load or --walls",
    help: "A drop of rain every N steps, 0 for none",
    kept: Kept::With("scheme"),
    live: Live::Slider(Slider::to(0.0, 1000.0).logarithmic()),
    label: "steps between drops",
    ..Param::NEW
};

const DAMPING: Param = Param {
    name: "damping",
    symbol: "G",
    kind: Kind::real(0.0, 0.1),
    default: "explicit 0.001, implicit 0; 0 with --walls",
    help: "How much all waves fade: to exp(-G n) of their height after n steps. 0 keeps the energy of explicit waves, so that rain fills the \
           pool with noise",
    kept: Kept::With("scheme"),
    live: Live::Slider(Slider::to(0.0, 0.1).logarithmic().smallest(1e-4)),
    section: Section::Physics,
    ..Param::NEW
};

const WALLS: Param = Param {
    name: "walls",
    kind: Kind::Choice(|| choices(&BUILT)),
    default: "none",
    help: "Walls in the water, which reflect, with a source before them; in a window they can be drawn, too. The flat view has the colours of the waves \
           behind them, and what is higher has those of the ends",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

const SOURCE_PERIOD: Param = Param {
    name: "source",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: 10_000 },
    default: "0; 36 with walls",
    help: "Steps of a period of a source at the left that goes up and down: fewer make shorter waves; 0 for none. Of a source in still water the rest is \
           dark until its waves come there",
    kept: Kept::With("walls"),
    live: Live::Slider(Slider::to(0.0, 400.0).logarithmic()),
    ..Param::NEW
};

const EDGES: Param = Param {
    name: "edges",
    kind: Kind::Choice(|| choices(&EDGE_RULES)),
    default: "fixed; open with walls",
    help: "What lies beyond the edges: water held at 0, the edge itself, or more water, for which waves fade in a strip along them",
    kept: Kept::With("walls"),
    live: Live::Words,
    ..Param::NEW
};

const EDGE_RULES: [(&str, &str, EdgeRule); 3] = [
    ("fixed", "Waves come back upside down", EdgeRule::Fixed),
    ("reflecting", "Waves come back as they are", EdgeRule::Reflecting),
    ("open", "Waves leave", EdgeRule::Open),
];

/// The rule for what lies beyond the edges.
#[derive(Clone, Copy, Debug, PartialEq)]
enum EdgeRule {
    Fixed,
    Reflecting,
    Open,
}

impl EdgeRule {
    fn of(parameters: &Parameters) -> EdgeRule {
        match parameters.edges {
            _ if parameters.absorbing => EdgeRule::Open,
            BoundaryCondition::Neumann => EdgeRule::Reflecting,
            BoundaryCondition::Dirichlet | BoundaryCondition::Periodic => EdgeRule::Fixed,
        }
    }

    /// Those parameters with this rule.
    fn with(self, parameters: Parameters) -> Parameters {
        let edges = match self {
            EdgeRule::Reflecting => BoundaryCondition::Neumann,
            EdgeRule::Fixed | EdgeRule::Open => BoundaryCondition::Dirichlet,
        };
        Parameters { edges, absorbing: self == EdgeRule::Open, ..parameters }
    }

    /// Behind walls one looks for what comes through them, not for what comes back.
    fn usual(built: Built) -> EdgeRule {
        if built == Built::None { EdgeRule::Fixed } else { EdgeRule::Open }
    }
}

const MAP: Param =
    Param { default: "blue_red", help: "Colour map of the flat map; `help` lists them", ..COLOURS };

/// Those of explicit waves beside them.
const BESIDE_PARTS: Parts = Parts::Cells(&[("explicit_y", 1), ("explicit_y_last", 1)]);

/// The heights of two steps.
const PARTS: Parts = Parts::Cells(&[("y", 1), ("y_last", 1)]);

/// The array of a state that says where walls are, 1 in them.
const WALLED: &str = "walled";

/// Steps of a period of the source before walls, and how much it lifts the water in a step at most.
const PERIOD: u64 = 36;
const LIFT: f32 = 0.12;

/// The colour of walls on a map, in sRGB.
const STONE: [f32; 3] = [0.36, 0.35, 0.34];

/// The array of a state that implicit steps go by besides the heights.
const PACE: &str = "pace";

/// Roundings of an implicit step: those of the right-hand side, and of the heights that solve it.
const ROUNDINGS: f64 = 8.0;

/// How deep the mouse presses at first; below 0 it lifts.
const DEPTH: f32 = 0.25;

/// Radius and place of the ball in open water unless the user says otherwise.
const FLOATS: [f32; 3] = [0.13, 0.7, 0.68];

/// How deep a ball presses the water that it comes to, in its radii; as high it stands where it came from.
const DISPLACED: f32 = 0.5;

/// How far from its middle the pointer takes hold of a ball, in its radii: the ball stands above the water that is pointed at.
const HOLD: f32 = 1.4;

/// # Errors
/// [`Usage`]: a flag that the scheme has no use for.
fn refuse(request: &Request) -> Result<()> {
    let beside = request.values.flag("beside");
    let scheme = scheme(&request.values);
    if beside && scheme == Scheme::Explicit {
        return Err(Usage("--beside: explicit waves beside --scheme implicit".to_owned()).into());
    }
    if request.values.has("tolerance") && scheme == Scheme::Explicit {
        return Err(Usage("--tolerance: only for --scheme implicit".to_owned()).into());
    }
    Ok(())
}

/// The scheme that is asked for.
fn scheme(given: &Values) -> Scheme {
    let usual = if given.flag("beside") { Scheme::Implicit } else { Scheme::Explicit };
    given.choice("scheme", &SCHEMES).unwrap_or(usual)
}

fn parameters(given: &Values) -> Parameters {
    let default = Parameters::default();
    let scheme = scheme(given);
    let beta = match scheme {
        Scheme::Explicit => default.beta,
        Scheme::Implicit if given.flag("beside") => LONG,
        Scheme::Implicit => 1.0,
    };
    let built = given.choice("walls", &BUILT).unwrap_or_default();
    let usual = EdgeRule::usual(built);
    given.choice("edges", &EDGE_RULES).unwrap_or(usual).with(Parameters {
        scheme,
        beta: given.real("beta").unwrap_or(beta),
        tolerance: given.real("tolerance").unwrap_or(default.tolerance),
        damping: given.real("damping").unwrap_or(usual_damping(scheme, built)),
        ..default
    })
}

/// β of implicit steps beside explicit ones: 6.3 times as long as what is stable, so that it is seen what they lose.
const LONG: f32 = 20.0;

/// Steps a drop. Explicit waves are never damped: much rain would be noise before long.
fn rain(scheme: Scheme) -> u64 {
    if scheme == Scheme::Explicit { 150 } else { 40 }
}

/// Damping of water that it rains on: implicit steps have their own, and a source before walls feeds what open edges let out.
fn usual_damping(scheme: Scheme, built: Built) -> f32 {
    if scheme == Scheme::Explicit && built == Built::None { 0.001 } else { 0.0 }
}

/// Steps of a period of the source: before walls there is one.
fn usual_source(built: Built) -> u64 {
    if built == Built::None { 0 } else { PERIOD }
}

/// The radius of the ball: walls and the screen behind them have the place of one.
fn usual_ball(built: Built) -> f32 {
    if built == Built::None { FLOATS[0] } else { 0.0 }
}

/// A line for a user who asks for steps that are not stable.
fn warning(parameters: &Parameters) -> Option<String> {
    let beta = parameters.beta;
    let line = || format!("explicit steps of beta = {beta} blow up: they are stable up to {STABLE}");
    parameters.is_unstable().then(line)
}

/// The work of the left button.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Work {
    Press,
    Build,
    Clear,
}

/// The brush: its work, and how deep it presses.
struct Brush {
    work: Work,
    depth: f32,
}

struct Waves {
    wave: Wave,
    /// Explicit waves beside implicit ones.
    beside: Option<Beside>,
    /// Radius of the ball as part of half the longer side, and its place as parts of the sides.
    ball: [f32; 3],
    gpu: Gpu,
    /// The loaded state and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
    /// A drop of rain every so many steps.
    drops: u64,
    /// The walls that were built last; others may be drawn.
    built: Built,
    /// Steps of a period of the source, 0 for none.
    source: u64,
    /// The screen behind slits.
    screen: Option<Screen>,
    /// Heights and walls, if there are any.
    shown: Option<Shown>,
    /// Walls as a stroke has drawn them, which the waves do not have yet.
    stroke: Option<Vec<bool>>,
    /// The brush of the left button.
    brush: Brush,
    /// The seed of the rain.
    seed: u64,
    view: FieldView,
    host: Rc<dyn Host>,
    /// A step whose system was not solved has been complained about.
    complained: bool,
}

impl Waves {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Waves> {
        let given = &request.values;
        let (parameters, seed) = (parameters(given), request.seed());
        let loaded = request.cells(given.size("size"), ABOUT.name, ["y", "y_last"])?;
        let wave = match &loaded {
            Some(([width, height], state)) => Wave::from_state(gpu, *width, *height, parameters, state)?,
            None => {
                let [width, height] = given.size("size").unwrap_or([512, 512]);
                Wave::new(gpu, width, height, parameters, seed)?
            }
        };
        if let Some(warning) = warning(&parameters) {
            request.host.warn(&warning);
        }
        let built = given.choice("walls", &BUILT).unwrap_or_default();
        let still = loaded.is_some() || built != Built::None;
        let usual = if still { 0 } else { rain(parameters.scheme) };
        let drops = given.whole("drops").unwrap_or(usual);
        let loaded = loaded.map(|(_, state)| (state, seed));
        let view = FieldView::new(gpu, request, &field(wave.heights(), HIGHEST, false))?;
        let [_, x, y] = FLOATS;
        let real = |param: &Param, usual: f32| given.real(param.name).unwrap_or(usual);
        let ball = [real(&BALL, usual_ball(built)), real(&BALL_X, x), real(&BALL_Y, y)];
        let source = given.whole("source").unwrap_or(usual_source(built));
        let beside = given.flag("beside").then(|| Beside::new(gpu, &wave)).transpose()?;
        let (gpu, host) = (gpu.clone(), request.host.clone());
        let complained = false;
        let brush = Brush { work: Work::Press, depth: DEPTH };
        let mut waves = Waves {
            wave,
            beside,
            ball,
            gpu,
            loaded,
            drops,
            built,
            source,
            screen: None,
            shown: None,
            stroke: None,
            brush,
            seed,
            view,
            host,
            complained,
        };
        // A state says by itself where walls are.
        if built != Built::None && !request.state().is_some_and(|state| state.has(WALLED)) {
            waves.build(built)?;
            if waves.loaded.is_none() && waves.source > 0 {
                waves.still()?;
            }
        }
        waves.screen = waves.new_screen()?;
        Ok(waves)
    }

    /// A screen, where slits have a source before them.
    fn new_screen(&self) -> Result<Option<Screen>> {
        let has_slits = matches!(self.built, Built::Slit | Built::DoubleSlit | Built::Grating);
        if !has_slits || self.source == 0 || self.beside.is_some() {
            return Ok(None);
        }
        Screen::new(&self.gpu, self.wave.width(), self.wave.height(), self.source).map(Some)
    }

    /// The cells of a wave of the source.
    fn wavelength(&self) -> Option<f64> {
        let Parameters { scheme, beta, .. } = self.wave.parameters();
        if scheme == Scheme::Implicit || self.source == 0 {
            return None;
        }
        screen::wavelength(beta.into(), self.source)
    }

    /// The rows from the axis of the brightest places of two slits by their numbers: each is looked for as far as half way to the next.
    fn bright(&self, means: &[f32]) -> Vec<(i32, f64)> {
        let (fringes, axis) = (self.fringes(), 0.5 * f64::from(self.wave.height()));
        let apart = fringes.windows(2).map(|pair| pair[1].1 - pair[0].1).fold(f64::MAX, f64::min);
        let found = |&(m, row): &(i32, f64)| Some((m, screen::peak(means, row, 0.5 * apart)? - axis));
        fringes.iter().filter_map(found).collect()
    }

    /// Where the screen is bright, or dark behind one slit.
    fn fringes(&self) -> Vec<(i32, f64)> {
        let sides = [self.wave.width(), self.wave.height()];
        self.wavelength().map_or(Vec::new(), |cells| screen::fringes(self.built, sides, cells))
    }

    /// The largest height in colours of its own. Behind walls a source's waves are low: colours are theirs, and what is higher before the walls has
    /// those of the ends.
    fn highest(&self) -> f32 {
        if self.source > 0 { self.built.highest().unwrap_or(HIGHEST) } else { HIGHEST }
    }

    /// Still water: before walls it is the source that moves it.
    fn still(&mut self) -> Result<()> {
        let cells = self.wave.width() as usize * self.wave.height() as usize;
        Ok(self.wave.set_state(&vec![0.0; 2 * cells])?)
    }

    /// Other walls, and the beginning that goes with them: still water where a source stands before them.
    fn build(&mut self, built: Built) -> Result<()> {
        self.built = built;
        self.set_walls(&built.cells(self.wave.width(), self.wave.height()))
    }

    /// Cells without water, for all waves and for the picture.
    fn set_walls(&mut self, cells: &[bool]) -> Result<()> {
        // These take the place of any that a stroke has just drawn.
        self.stroke = None;
        self.wave.set_walls(cells)?;
        if let Some(beside) = &mut self.beside {
            beside.wave.set_walls(cells)?;
        }
        let (width, height) = (self.wave.width(), self.wave.height());
        match (self.wave.walls(), &self.shown) {
            (None, _) => self.shown = None,
            (Some(cells), Some(shown)) => shown.set(cells)?,
            (Some(cells), None) => self.shown = Some(Shown::new(&self.gpu, width, height, cells)?),
        }
        Ok(())
    }

    /// Draws a wall with that tip, or water: [settled](Waves::settle) before the next step or picture, for a stroke is many of these.
    fn draw_wall(&mut self, [x, y]: [f32; 2], tip: Tip, wall: bool) {
        let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
        let mut cells = self.stroke.take().unwrap_or_else(|| {
            self.wave.walls().map_or_else(|| vec![false; width * height], <[bool]>::to_vec)
        });
        let tip = tip.with_radius(tip.radius.max(0.71));
        let rows = |from: f32| (from.max(0.0) as usize).min(height);
        for row in rows(y - tip.radius - 1.0)..rows(y + tip.radius + 2.0) {
            for column in 0..width {
                if tip.covers([column as f32 + 0.5 - x, row as f32 + 0.5 - y]) {
                    cells[row * width + column] = wall;
                }
            }
        }
        self.stroke = Some(cells);
    }

    /// Builds the walls that were drawn.
    fn settle(&mut self) -> Result<()> {
        self.stroke.take().map_or(Ok(()), |cells| self.set_walls(&cells))
    }

    /// The ball in cells.
    fn ball(&self) -> Ball {
        let sides = [self.wave.width(), self.wave.height()].map(|n| n as f32);
        let [radius, x, y] = self.ball;
        let radius = radius * 0.5 * sides[0].max(sides[1]);
        // It stays between the walls, if it fits.
        let within = |share: f32, side: f32| {
            (share * side).clamp(radius.min(side / 2.0), side - radius.min(side / 2.0))
        };
        Ball { place: [within(x, sides[0]), within(y, sides[1])], radius }
    }

    /// A drop into all water that is seen.
    fn drop(&mut self, [x, y]: [f32; 2], radius: f32, amount: f32) -> Result<()> {
        self.wave.drop(x, y, radius, amount)?;
        match &mut self.beside {
            Some(beside) => Ok(beside.wave.drop(x, y, radius, amount)?),
            None => Ok(()),
        }
    }

    /// Takes the ball elsewhere: the water fills the place where it was, and leaves that where it is.
    fn set_ball(&mut self, ball: [f32; 3]) -> Result<()> {
        let before = self.ball();
        self.ball = ball;
        let after = self.ball();
        if after == before {
            return Ok(());
        }
        let sides = self.wave.width().max(self.wave.height()) as f32;
        let depth = |radius: f32| DISPLACED * radius / (0.5 * sides * HeightField::RELIEF);
        for (ball, sign) in [(before, 1.0), (after, -1.0)] {
            if ball.radius > 0.0 {
                self.drop(ball.place, ball.radius, sign * depth(ball.radius))?;
            }
        }
        Ok(())
    }

    /// The factors by which a step multiplies the heights of each cell.
    fn fading(&self) -> Vec<f64> {
        let (width, height) = (self.wave.width(), self.wave.height());
        let all = vec![1.0; width as usize * height as usize];
        self.wave
            .parameters()
            .fading(width, height)
            .map_or(all, |fading| fading.into_iter().map(f64::from).collect())
    }

    fn reference(&self, beta: f64) -> oracle::wave::Wave {
        let Parameters { edges, .. } = self.wave.parameters();
        let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
        oracle::wave::Wave { width, height, beta, reflecting: edges == BoundaryCondition::Neumann }
    }

    /// How far the step from `before` to `after` is from its equation in f64, and what it may be.
    ///
    /// Explicit: the largest |found − exact| as a part of the largest height, of which eight sums of |c||y|, 3 + 8β at most,
    /// are rounded. Implicit: ‖(2 + αL) y − y_last − (1 − αL) y'‖ as a part of ‖right-hand side‖: the tolerance, and what 32 bits
    /// leave of it: eight roundings of sums of |c||y|, for which the norms of both matrices stand, 2 + 4β at most.
    fn miss(&self, before: &[f32], after: &[f32]) -> quadrille::Result<Measure> {
        let layer = |state: &[f32], i| -> Vec<f64> {
            state.iter().skip(i).step_by(2).map(|&v| f64::from(v)).collect()
        };
        let (y, last, found) = (layer(before, 0), layer(before, 1), layer(after, 0));
        let Parameters { scheme, beta, tolerance, .. } = self.wave.parameters();
        let open = vec![false; y.len()];
        let walls = self.wave.walls().unwrap_or(&open);
        // A rounding more where waves fade.
        let Parameters { absorbing, damping, .. } = self.wave.parameters();
        let fades = f64::from(u8::from(absorbing || damping > 0.0));
        let (epsilon, beta) = (2f64.powi(-24), f64::from(beta));
        let fading = self.fading();
        let part = |error: f64, size: f64| if size > 0.0 { error / size } else { error };
        let differences =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>();
        Ok(match scheme {
            Scheme::Explicit => {
                let exact = self.reference(beta).forward_among(walls, beta, &y, &last)?;
                let largest = y.iter().chain(&last).fold(0.0, |most: f64, v| most.max(v.abs()));
                let exact: Vec<f64> = exact.iter().zip(&fading).map(|(y, fading)| y * fading).collect();
                let error = part(worst(differences(&found, &exact).into_iter()), largest);
                Measure { name: "error", error, bound: (8.0 + fades) * epsilon * (3.0 + 8.0 * beta) }
            }
            Scheme::Implicit => {
                let right = self.reference(beta).forward_among(walls, beta / 2.0, &y, &last)?;
                let product = self.reference(beta).matrix_among(walls, 1.0, -beta / 2.0)?;
                let found: Vec<f64> = found.iter().zip(&fading).map(|(y, fading)| y / fading).collect();
                let product = product.multiply(&found);
                let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
                let error = part(norm(&differences(&right, &product)), norm(&right));
                let (heights, last) = (norm(&y) + norm(&found), norm(&last));
                let rounding = epsilon * ((ROUNDINGS + fades) * (2.0 + 4.0 * beta) * heights + 2.0 * last);
                let bound = f64::from(tolerance) + part(rounding, norm(&right));
                Measure { name: "residual", error, bound }
            }
        })
    }
}

/// How far the last heights of a state are from the newest of the state before, where they have faded by those factors: to the bit the
/// same where these are 1, or the next step goes on from others, and a rounding off else.
fn kept(before: &[f32], after: &[f32], fading: &[f64]) -> Measure {
    let pairs = before.as_chunks::<2>().0.iter().zip(after.as_chunks::<2>().0);
    let error = |(([y, _], [_, last]), &fading): ((&[f32; 2], &[f32; 2]), &f64)| {
        let exact = f64::from(*y) * fading;
        let rounding =
            if fading == 1.0 { 0.0 } else { 2f64.powi(-24) * exact.abs() + f64::from(f32::MIN_POSITIVE) };
        ((f64::from(*last) - exact).abs() - rounding).max(0.0)
    };
    Measure { name: "change of the last heights", error: worst(pairs.zip(fading).map(error)), bound: 0.0 }
}

/// The largest height in colours of its own: half of the first drop, since waves are lower and rings a fifth of it.
const HIGHEST: f32 = 0.4;

/// The heights up to that one on both sides of 0.
fn field(heights: &Buffer, highest: f32, walls: bool) -> Field<'_> {
    let mapping = Mapping::of_component(0, -highest, highest);
    let mapping = Mapping { missing: STONE, smooth: true, blocks: walls, ..mapping };
    Field { buffer: heights, heights: true, colours: "blue_red", mapping }
}

impl Demo for Waves {
    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.wave.width(), self.wave.height()), "cells")
    }

    fn values(&self) -> Values {
        let parameters = self.wave.parameters();
        let Parameters { scheme, beta, tolerance, .. } = parameters;
        let tolerance = (scheme == Scheme::Implicit).then_some(tolerance);
        Values::new()
            .with("scheme", name_of(&SCHEMES, &scheme))
            .with("beta", beta)
            .with("edges", name_of(&EDGE_RULES, &EdgeRule::of(&parameters)))
            .with_some("tolerance", tolerance)
            .with("beside", self.beside.is_some())
            .with("drops", self.drops)
            .with("damping", parameters.damping)
            .with("walls", name_of(&BUILT, &self.built))
            .with("source", self.source)
            .with("ball", self.ball[0])
            .with("ball-x", self.ball[1])
            .with("ball-y", self.ball[2])
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        let before = self.wave.parameters();
        let built = values.choice("walls", &BUILT).filter(|&built| built != self.built);
        let usual = built.map_or(EdgeRule::of(&before), EdgeRule::usual);
        let mut now = values.choice("edges", &EDGE_RULES).unwrap_or(usual).with(Parameters {
            scheme: values.choice("scheme", &SCHEMES).unwrap_or(before.scheme),
            beta: values.real("beta").unwrap_or(before.beta),
            tolerance: values.real("tolerance").unwrap_or(before.tolerance),
            ..before
        });
        let beside = match values.get("beside") {
            Some(Value::Flag(beside)) => {
                *beside && (now.scheme == before.scheme || now.scheme == Scheme::Implicit)
            }
            _ => self.beside.is_some() && now.scheme == Scheme::Implicit,
        };
        // Explicit waves stand beside implicit ones.
        if beside && now.scheme == Scheme::Explicit {
            (now.scheme, now.beta) = (Scheme::Implicit, LONG);
        }
        // From implicit to explicit, where a large beta would break what is there at once.
        if before.scheme == Scheme::Implicit && now.is_unstable() && now.beta == before.beta {
            now.beta = Parameters::default().beta;
        }
        // A damping that was the usual one becomes the usual one of the new scheme and walls.
        let usual = |scheme, built| if beside { 0.0 } else { usual_damping(scheme, built) };
        if before.damping == usual_damping(before.scheme, self.built) {
            now.damping = usual(now.scheme, built.unwrap_or(self.built));
        }
        now.damping = values.real("damping").unwrap_or(now.damping);
        if now != before {
            self.wave.set_parameters(now)?;
        }
        match (beside, &mut self.beside) {
            (true, Some(beside)) => beside.follow(now)?,
            (true, none) => *none = Some(Beside::new(&self.gpu, &self.wave)?),
            (false, some) => *some = None,
        }
        self.drops = values.whole("drops").unwrap_or(self.drops);
        if let Some(built) = built {
            // Taken out of still water or let into it, it makes no waves of its own.
            if self.ball[0] == usual_ball(self.built) {
                self.ball[0] = usual_ball(built);
            }
            self.build(built)?;
            self.source = usual_source(built);
            let usual = if built == Built::None { rain(now.scheme) } else { 0 };
            self.drops = values.whole("drops").unwrap_or(usual);
            if built != Built::None {
                self.still()?;
                if let Some(beside) = &mut self.beside {
                    beside.begin_as(&self.wave)?;
                }
            }
        }
        self.source = values.whole("source").unwrap_or(self.source);
        let period = self.screen.as_ref().map(Screen::period);
        let changes = now != before || built.is_some() || period.is_some_and(|period| period != self.source);
        if changes || period.is_none() || self.beside.is_some() {
            self.screen = self.new_screen()?;
        }
        // Waves that were just put beside the others have walls where they have.
        if let (Some(beside), Some(walls)) = (&mut self.beside, self.wave.walls()) {
            beside.wave.set_walls(walls)?;
        }
        let [radius, x, y] = self.ball;
        let real = |param: &Param, before: f32| values.real(param.name).unwrap_or(before);
        self.set_ball([real(&BALL, radius), real(&BALL_X, x), real(&BALL_Y, y)])
    }

    fn numbers(&self) -> Result<Array> {
        let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
        Ok(Array { height, width, components: 2, values: self.wave.state()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = PARTS.split(&self.numbers()?, [0; 3]);
        let pace = self.wave.pace()?;
        if !pace.is_empty() {
            arrays.push(Named::of_f32(PACE, &[pace.len()], pace));
        }
        let open = vec![false; self.wave.width() as usize * self.wave.height() as usize];
        // Walls that were all cleared are told, too: else they would be built again.
        let walls = self.stroke.as_deref().or(self.wave.walls());
        if self.built != Built::None || walls.is_some() {
            let walls = walls.unwrap_or(&open);
            let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
            let numbers = walls.iter().map(|&wall| f32::from(u8::from(wall))).collect();
            arrays.push(Named::of_f32(WALLED, &[height, width], numbers));
        }
        if let Some(beside) = &self.beside {
            let (width, height) = (self.wave.width() as usize, self.wave.height() as usize);
            let values = beside.wave.state()?;
            arrays.extend(BESIDE_PARTS.split(&Array { height, width, components: 2, values }, [0; 3]));
        }
        Ok(arrays)
    }

    /// Implicit steps of the same system go on at their pace; others begin anew, as after a drop. So do the explicit waves beside them.
    fn restore(&mut self, state: &State) -> Result<()> {
        let Parameters { scheme, beta, tolerance, .. } = self.wave.parameters();
        if state.has(WALLED) {
            let found = state.array(WALLED, 2)?;
            let expected = [self.wave.height() as usize, self.wave.width() as usize];
            anyhow::ensure!(
                found.shape == expected,
                "array \"{WALLED}\" has shape {:?}; expected {expected:?}",
                found.shape
            );
            let cells: Vec<bool> = found.f32s()?.iter().map(|&wall| wall > 0.5).collect();
            self.set_walls(&cells)?;
        }
        let same = |name, now: f32| state.number(name).is_ok_and(|then| then as f32 == now);
        if scheme == Scheme::Implicit && state.has(PACE) && same("beta", beta) && same("tolerance", tolerance)
        {
            self.wave.set_pace(&state.array(PACE, 1)?.f32s()?)?;
        }
        if let Some(beside) = self.beside.as_mut().filter(|_| state.has("explicit_y")) {
            beside.wave.set_state(&BESIDE_PARTS.join(state)?.values)?;
        }
        Ok(())
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        Ok([("seed".to_owned(), self.seed.into())].into_iter().collect())
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        match &self.loaded {
            Some((state, of)) if *of == seed => self.wave.set_state(state)?,
            _ if self.built != Built::None && self.source > 0 => self.still()?,
            _ => self.wave.reset(seed)?,
        }
        self.screen = self.new_screen()?;
        match &mut self.beside {
            Some(beside) => beside.begin_as(&self.wave),
            None => Ok(()),
        }
    }

    /// Rain, and the source.
    fn before_step(&mut self, step: u64) -> Result<()> {
        if self.source > 0 {
            let sides = [self.wave.width(), self.wave.height()].map(|n| n as f32);
            let phase = (step % self.source) as f32 / self.source as f32 * std::f32::consts::TAU;
            let radius = (sides[0].max(sides[1]) / 40.0).max(2.0);
            self.drop([0, 1].map(|k| SOURCE[k] * sides[k]), radius, LIFT * phase.sin())?;
        }
        match self.drops > 0 && step.is_multiple_of(self.drops) {
            true => self.wave.rain(self.seed, step / self.drops)?,
            false => return Ok(()),
        }
        match &mut self.beside {
            Some(beside) => Ok(beside.wave.rain(self.seed, step / self.drops)?),
            None => Ok(()),
        }
    }

    fn step(&mut self) -> Result<()> {
        self.settle()?;
        self.wave.step()?;
        if let Some(screen) = &mut self.screen {
            self.wave.refresh()?;
            screen.take(self.wave.heights())?;
        }
        if let Some(beside) = &mut self.beside {
            beside.step()?;
        }
        if let Some(solved) = self.wave.solved().filter(|solved| !solved.meets_tolerance)
            && !self.complained
        {
            self.complained = true;
            let (residual, tolerance) = (solved.residual, self.wave.parameters().tolerance);
            let line = format!("the system of a step was solved to {residual:.1e}, not to {tolerance:.1e}");
            self.host.warn(&line);
        }
        Ok(())
    }

    /// The heights, one a texel: made of the state, so that waiting for them waits for the step.
    fn drawn(&self) -> Option<Buffer> {
        self.wave.refresh().ok()?;
        Some(self.wave.heights().clone())
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let unknown = Measure { name: "error", error: f64::NAN, bound: 0.0 };
        let after = self.wave.state()?;
        Ok(vec![
            self.miss(&before.values, &after).unwrap_or(unknown),
            kept(&before.values, &after, &self.fading()),
        ])
    }

    /// The energy of the water, which explicit steps keep between two drops.
    fn findings(&self) -> Result<Json> {
        let mut findings = json!({ "energy": self.wave.energy()? });
        if let Some(beside) = &self.beside {
            findings["energy_explicit"] = beside.energy()?.into();
        }
        if let Some(screen) = self.screen.as_ref().filter(|_| self.built == Built::DoubleSlit) {
            let means = screen.read()?;
            for (m, row) in self.bright(&means).into_iter().filter(|(m, _)| *m > 0) {
                findings[format!("bright_{m}")] = row.into();
            }
        }
        Ok(findings)
    }

    fn prepare(&mut self) -> Result<()> {
        self.settle()?;
        self.wave.refresh()?;
        if let Some(screen) = &mut self.screen {
            screen.look()?;
        }
        let ball = self.ball();
        self.view.set_ball((ball.radius > 0.0).then_some(ball));
        if let Some(beside) = &mut self.beside {
            beside.join(&self.wave)?;
        }
        let heights = self.beside.as_ref().map_or(self.wave.heights(), Beside::heights);
        match &mut self.shown {
            Some(shown) => shown.join(heights, self.view.azimuth().is_none()),
            None => Ok(()),
        }
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view, &mut self.brush]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let heights = self.beside.as_ref().map_or(self.wave.heights(), Beside::heights);
        let heights = self.shown.as_ref().map_or(heights, Shown::heights);
        Box::new(FieldPicture {
            field: field(heights, self.highest(), self.shown.is_some()),
            view: &mut self.view,
        })
    }

    /// The line between the halves and their names; the screen behind slits with its curve, and where theory has that bright.
    fn marks(&self) -> Vec<Mark> {
        let (width, height) = (self.wave.width(), self.wave.height());
        let at = |x: f32, y: f32| [x * width as f32, y * height as f32];
        let mut marks = Vec::new();
        if self.beside.is_some() {
            marks.push(Mark::Line(vec![at(0.5, 0.0), at(0.5, 1.0)]));
            for (x, text) in [(0.25, "implicit"), (0.75, "explicit")] {
                marks.push(Mark::Text { at: at(x, 0.05), text: text.to_owned() });
            }
        }
        if let Some(screen) = &self.screen {
            marks.extend(screen.curves(width, height).into_iter().map(Mark::Line));
            for (m, y) in self.fringes() {
                let row = y as f32 / height as f32;
                marks.push(Mark::Line(vec![at(0.845, row), at(0.875, row)]));
                let word = if self.built == Built::Slit { "dark " } else { "" };
                marks.push(Mark::Text { at: at(0.80, row), text: format!("{word}{m}") });
            }
        }
        marks
    }

    fn offer(&self, param: &Param) -> Offer {
        let scheme = self.wave.parameters().scheme;
        match param.name {
            "beta" if scheme == Scheme::Implicit => Offer::of(param).between(0.01, 100.0).usual(1.0f32),
            "beta" => Offer::of(param).usual(Parameters::default().beta),
            "drops" if self.loaded.is_some() || self.built != Built::None => Offer::of(param).usual(0u64),
            "drops" => Offer::of(param).usual(rain(scheme)),
            "damping" => Offer::of(param).usual(usual_damping(scheme, self.built)),
            "edges" => {
                Offer::of(param).usual(Value::Word(name_of(&EDGE_RULES, &EdgeRule::usual(self.built))))
            }
            "source" => Offer::of(param).usual(usual_source(self.built)),
            // On a flat map no ball is drawn.
            "ball" | "ball-x" | "ball-y" if self.view.azimuth().is_none() => Offer::of(param).hidden(),
            "ball" => Offer::of(param).usual(usual_ball(self.built)),
            _ => Offer::of(param),
        }
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        ui.horizontal_wrapped(|ui| {
            ui.label("brush");
            for (work, name) in [(Work::Press, "press"), (Work::Build, "build walls"), (Work::Clear, "clear")]
            {
                ui.selectable_value(&mut self.brush.work, work, name);
            }
        })
        .response
        .on_hover_text("The work of the left button");
        if self.brush.work == Work::Press {
            ui.add(egui::Slider::new(&mut self.brush.depth, -0.5..=0.5).text("depth"))
                .on_hover_text("How deep the brush presses the water; below 0 it lifts it");
        }
        if self.built != Built::None && self.source > 0 {
            ui.weak("The water is still at first: the source at the left makes waves, which come through the wall after a few periods.");
        }
        if self.screen.is_some()
            && let Some(cells) = self.wavelength()
        {
            let words = match self.built {
                Built::DoubleSlit => {
                    "The curve at the right is the intensity: the mean of h² over a period. The marks m are where the ways from both slits differ \
                                      by m λ: there their waves come in step. Far away that would be d sin θ = m λ."
                }
                Built::Slit => {
                    "The curve at the right is the intensity: the mean of h² over a period. It is dark where a sin θ = m λ, a the width of the \
                                slit: make waves shorter (source) to see it."
                }
                _ => {
                    "The curve at the right is the intensity: the mean of h² over a period, too near for the beams of a far screen."
                }
            };
            ui.weak(words);
            let height = self.wave.height() as f32;
            let gap = match self.built {
                Built::DoubleSlit => format!(", d = {:.0} cells", walls::APART * height),
                Built::Slit => format!(", a = {:.0} cells", 2.0 * walls::OPENING * height),
                _ => String::new(),
            };
            ui.monospace(format!("λ = {cells:.1}{gap}"));
            if let Some(screen) = self.screen.as_ref().filter(|_| self.built == Built::DoubleSlit) {
                let (axis, found) = (0.5 * f64::from(height), self.bright(screen.means()));
                for (m, row) in self.fringes().into_iter().filter(|(m, _)| *m > 0) {
                    let found = found.iter().find(|(n, _)| *n == m);
                    let found = found.map_or("none yet".to_owned(), |(_, row)| format!("found {row:.1}"));
                    ui.monospace(format!("m = {m}: {:.1} cells, {found}", row - axis))
                        .on_hover_text("How far from the axis the ways from both slits differ by m λ, and where the screen is bright: a little nearer, for waves are lower farther out");
                }
            }
        }
        if let Some(warning) = warning(&self.wave.parameters()) {
            ui.colored_label(ui.visuals().error_fg_color, warning);
        }
        if let Some(solved) = self.wave.solved() {
            let (iterations, residual) = (solved.iterations, solved.residual);
            ui.monospace(format!("{iterations} iterations, residual {residual:.1e}")).on_hover_text(
                "How often the solution of the linear system of a step was improved, and the part of its right-hand side that is left",
            );
        }
        if let Some(beside) = &self.beside {
            let (steps, beta) = (beside.steps(), beside.wave.parameters().beta);
            ui.monospace(format!("beside: {steps} explicit steps of beta {beta:.2} a step"))
                .on_hover_text("So many short stable steps take as much time as one long implicit step");
        }
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    /// A drop is round, a wall is as the brush is.
    fn outlines(&self) -> &'static [Outline] {
        if self.brush.work == Work::Press { &[Outline::Round] } else { &[Outline::Round, Outline::Square] }
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        match touch {
            Touch::Cell { x, y, tip, .. } => {
                if self.brush.work != Work::Press {
                    self.draw_wall([x, y], tip, self.brush.work == Work::Build);
                    return Ok(());
                }
                let Ball { place, radius: size } = self.ball();
                // On a flat map there is none.
                let floats = size > 0.0 && self.view.azimuth().is_some();
                if !floats || (x - place[0]).hypot(y - place[1]) > HOLD * size {
                    return self.drop([x, y], tip.radius, -self.brush.depth);
                }
                let sides = [self.wave.width(), self.wave.height()].map(|n| n as f32);
                let share = |k: usize| ([x, y][k] / sides[k]).clamp(0.0, 1.0);
                self.set_ball([self.ball[0], share(0), share(1)])
            }
            Touch::Along(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use anyhow::Context as _;

    use super::*;
    use crate::demo::TestHost;
    use crate::picture::Drag;

    fn waves(gpu: &Gpu, address: &str) -> Result<Waves> {
        let values = ABOUT.values_of(address).map_err(anyhow::Error::msg)?;
        let request = Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) };
        Waves::new(gpu, &Rc::new(request))
    }

    /// A stroke of several places: saved before it is built, as well as after.
    #[test]
    fn walls_of_a_stroke_are_in_a_state_at_once_and_in_the_water_from_the_next_step_on() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut demo = waves(&gpu, "size=19x13&drops=0")?;
        demo.brush.work = Work::Build;
        for x in [4.5, 9.5] {
            demo.touch(Touch::Cell { x, y: 6.5, tip: 1.2.into(), drag: Drag::default() })?;
        }
        let walled = |demo: &Waves| -> Result<Vec<f32>> {
            let arrays = demo.arrays()?;
            let walls = arrays.iter().find(|array| array.name == WALLED);
            walls.map_or(Ok(Vec::new()), Named::f32s)
        };
        let drawn = walled(&demo)?;
        // A disc of radius 1.2 about the middle of a cell has five cells.
        assert_eq!(drawn.iter().filter(|&&wall| wall == 1.0).count(), 10);
        assert!(demo.wave.walls().is_none());
        demo.step()?;
        assert!(demo.wave.walls().is_some_and(|walls| walls.iter().filter(|wall| **wall).count() == 10));
        assert_eq!(walled(&demo)?, drawn);
        // Other walls in the same frame: the stroke is not built over them.
        demo.touch(Touch::Cell { x: 14.5, y: 6.5, tip: 1.2.into(), drag: Drag::default() })?;
        demo.set(&Values::new().with("walls", "slit"))?;
        let slit: Vec<f32> =
            Built::Slit.cells(19, 13).into_iter().map(|wall| f32::from(u8::from(wall))).collect();
        assert_eq!(walled(&demo)?, slit);
        demo.step()?;
        assert_eq!(walled(&demo)?, slit);
        Ok(())
    }

    /// The screen against means of squares in f64, and its bright places against |r1 - r2| = m λ with the λ of the grid. Waves that go the ways r have
    /// an intensity P (1 + cos k(r1 - r2)), whose maxima lie where P' (1 + cos) = P sin k(r1 - r2)': off by 2 P' / P k'² at most, k' the rate of the phase.
    /// P falls by y / R² with the distance R, and as sin u / u of the width a of a slit, u = k a sin θ / 2, whose square has the rate 2 u u' / 3 and less
    /// than twice that where u < 1. The distance of the slits is off by a cell at most, d sin θ with it, and a row is one.
    #[test]
    fn the_screen_has_the_mean_squares_of_a_period_and_is_bright_where_waves_are_in_step() -> Result<()> {
        let gpu = Gpu::headless()?;
        let (side, period) = (256usize, 20u64);
        let mut demo =
            waves(&gpu, &format!("size={side}x{side}&walls=double-slit&source={period}&view=flat"))?;
        let whole = 30;
        for step in 1..=period * whole {
            demo.before_step(step)?;
            demo.step()?;
        }
        let (mut sums, mut state) = (vec![0.0f64; side], Vec::new());
        let column = screen::column(side as u32) as usize;
        for step in period * whole + 1..=period * (whole + 1) {
            demo.before_step(step)?;
            demo.step()?;
            state = demo.numbers()?.values;
            for (row, sum) in sums.iter_mut().enumerate() {
                *sum += f64::from(state[2 * (row * side + column)]).powi(2) / period as f64;
            }
        }
        let found = demo.screen.as_ref().context("no screen")?.read()?;
        let most = worst(sums.iter().copied());
        // A square, its sum with those before it and the last product: a rounding each.
        let bound = (period as f64 + 2.0) * 2f64.powi(-24) * most;
        assert!(
            most > 0.0 && worst(found.iter().zip(&sums).map(|(&a, b)| (f64::from(a) - b).abs())) <= bound
        );
        let (fringes, axis) = (demo.fringes(), side as f64 / 2.0);
        assert_eq!(fringes.iter().map(|(m, _)| *m).collect::<Vec<_>>(), [-2, -1, 0, 1, 2]);
        let number = 2.0 * ((TAU / 2.0 / period as f64).sin() / 0.45f64.sqrt()).asin();
        let (apart, width) = (f64::from(walls::APART) * side as f64, 6.0);
        // The wall is as thick as there are columns with a cell of it.
        let cells = Built::DoubleSlit.cells(side as u32, side as u32);
        let end = cells[..side].iter().rposition(|&wall| wall).context("no wall")? + 1;
        let away = column as f64 + 0.5 - end as f64;
        let means: Vec<f32> = sums.iter().map(|&sum| sum as f32).collect();
        let bright = demo.bright(&means);
        assert_eq!(bright.len(), 5);
        for ((m, mark), (n, found)) in fringes.iter().zip(&bright) {
            let y = mark - axis;
            let more = away.hypot(y + apart / 2.0) - away.hypot(y - apart / 2.0);
            // The end of the wall is a row of cells, of which the mark knows the place to half a cell.
            assert!((number * more / TAU - f64::from(*m)).abs() < 0.02, "m = {m}: {more}");
            let (far, sine) = (away.hypot(y), y / away.hypot(y));
            let turn = (away / far).powi(3) / away;
            let rate = number * apart * turn;
            let (u, change) = (0.5 * number * width * sine, 0.5 * number * width * turn);
            let falls = y.abs() / far.powi(2) + 4.0 / 3.0 * (u * change).abs();
            let bound = 2.0 * falls / rate.powi(2) + y.abs() / apart * (far / away).powi(2) + 1.0;
            assert!(m == n && (found - y).abs() <= bound, "m = {m}: {found} for {y}, {bound}");
            assert!(bound <= 0.07 * y.abs() + 1.0, "{bound} says too little");
        }
        assert!(demo.findings()?["bright_1"].is_f64() && state.iter().all(|v| v.is_finite()));
        // Without slits or a source there is none, and rain has its damping again, and a ball.
        demo.set(&Values::new().with("source", 0_u64))?;
        assert!(demo.screen.is_none());
        assert_eq!(demo.ball[0], 0.0);
        demo.set(&Values::new().with("walls", "none"))?;
        assert_eq!((demo.wave.parameters().damping, demo.ball[0]), (0.001, FLOATS[0]));
        demo.set(&Values::new().with("scheme", "implicit"))?;
        assert_eq!(demo.wave.parameters().damping, 0.0);
        Ok(())
    }

    /// Each step is right by itself, but the next one goes on from other heights.
    #[test]
    fn a_step_that_forgets_what_was_before_it_fails_the_check() -> Result<()> {
        let gpu = Gpu::headless()?;
        for scheme in ["explicit", "implicit"] {
            let mut demo = waves(&gpu, &format!("size=19x13&scheme={scheme}"))?;
            demo.step()?;
            let before = demo.numbers()?;
            demo.step()?;
            assert!(demo.check(&before)?.iter().all(Measure::passes), "{scheme}");
            let mut after = demo.wave.state()?;
            // The last heights as they were before the step: no swap.
            after.iter_mut().zip(&before.values).skip(1).step_by(2).for_each(|(last, &old)| *last = old);
            demo.wave.set_state(&after)?;
            let failed: Vec<_> = demo
                .check(&before)?
                .into_iter()
                .filter(|measure| !measure.passes())
                .map(|m| m.name)
                .collect();
            assert_eq!(failed, ["change of the last heights"], "{scheme}");
        }
        Ok(())
    }

    #[test]
    fn the_brush_presses_as_deep_as_it_is_set_and_a_flat_map_offers_no_ball() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (depth, view) in [(0.25, "flat"), (-0.5, "flat"), (0.1, "water")] {
            let mut demo = waves(&gpu, &format!("size=33x33&ball=0&view={view}"))?;
            demo.wave.set_state(&[0.0; 2 * 33 * 33])?;
            demo.brush.depth = depth;
            demo.touch(Touch::Cell { x: 16.5, y: 16.5, tip: 4.0.into(), drag: Drag::default() })?;
            let middle = demo.wave.state()?[2 * (16 * 33 + 16)];
            // The rim that takes the volume back is no part of the middle.
            assert!((middle + depth).abs() <= 0.1 * depth.abs(), "{middle} for {depth}");
            let hidden = demo.offer(&BALL).live == Live::Hidden;
            assert_eq!(hidden, view == "flat");
        }
        Ok(())
    }
}
