//! How a wall begins, and the parameters of that.

use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, anyhow};
use quadrille::linalg::Algebra;
use quadrille::numeric::Random;
use quadrille::sim::contact::{self, Body, DENSE, Form, GROUPS, Method, Parameters, Watch, World};
use quadrille::{Error, Gpu};

use super::collide::Boxes;
use super::shown::{Colours, SHOWN};
use super::stack::{MOST_CUBES, STACKS, Stack};
use super::{CAMERA, IRON, STONES, Wall, load, stage, state};
use crate::demo::{Request, Usage, named};
use crate::param::{Kept, Kind, Live, Param, Section, Slider, Value, Values, choices};
use crate::picture::BodyView;
use crate::state::State;

pub const PARAMETERS: &[Param] = &[
    STACK, COLUMNS, ROWS, SHOW, FRICTION, FORM, METHOD, OMEGA, TOLERANCE, PUSH, TIME_STEP, GRAVITY, NO_GROUND,
];

const STACK: Param = Param {
    name: "stack",
    kind: Kind::Choice(|| choices(&STACKS)),
    default: "wall",
    help: "What stands there at first",
    kept: Kept::Yes,
    live: Live::Words,
    once: &[("arch", "gates")],
    section: Section::Scene,
    ..Param::NEW
};

const COLUMNS: Param = Param {
    name: "columns",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: MOST_CUBES },
    default: "wall 10, pyramid 9, gates 2, dominoes 20",
    help: "Columns of cubes, cubes at the foot of a pyramid, gates, or dominoes of a part of the spiral; with --load, what the \
           file must hold",
    kept: Kept::With("stack"),
    ..Param::NEW
};

const ROWS: Param = Param {
    name: "rows",
    default: "wall 6, pyramid 9, gates 6, dominoes 3",
    help: "Cubes in a column, rows of a pyramid, courses of a gate, or parts of the spiral",
    ..COLUMNS
};

const SHOW: Param = Param {
    name: "show",
    kind: Kind::Choice(|| choices(&SHOWN)),
    default: "stones",
    help: "What a picture shows of them",
    live: Live::Words,
    section: Section::Shown,
    ..Param::NEW
};

const FRICTION: Param = Param {
    name: "friction",
    symbol: "MU",
    kind: Kind::double(0.0, 10.0),
    default: "0.5",
    help: "Coefficient of friction: what presses by 1 N holds so many newtons across, 0 (ice) to 10",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 1.5)),
    section: Section::Physics,
    ..Param::NEW
};

const FORM: Param = Param {
    name: "form",
    kind: Kind::Choice(|| choices(&FORMS)),
    default: "groups; reference where OpenGL runs on the CPU",
    help: "How the forces of a step are found. All contacts make one problem, forces >= 0 that let no two stones go into each other: a linear \
           complementarity problem, LCP",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

pub const FORMS: [(&str, &str, Form); 3] = [
    ("dense", "On the GPU, all contacts in one full matrix, as in the paper", Form::Dense),
    (
        "groups",
        "On the GPU, a matrix for each group of stones that touch: most of the full one is 0",
        Form::Groups,
    ),
    (
        "reference",
        "On the CPU in 64 bits, a contact after the other (Gauss-Seidel): the yardstick, and without a GPU by far the fastest",
        Form::Reference,
    ),
];

const METHOD: Param = Param {
    name: "method",
    kind: Kind::Choice(|| choices(&METHODS)),
    default: "accelerated",
    help: "How the GPU solves it: by accelerated gradients until its tolerance is met, or as the paper did, by 2n sweeps of \
           projected Jacobi, n the unknowns of the largest system",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

/// True for [`Method::Jacobi`].
pub const METHODS: [(&str, &str, bool); 2] = [("accelerated", "", false), ("jacobi", "", true)];

const OMEGA: Param = Param {
    name: "omega",
    symbol: "W",
    kind: Kind::double(-2.0, -1e-6),
    default: "-0.1, as in the paper",
    help: "Relaxation of projected Jacobi, -2 to -0.000001: larger steps need fewer sweeps, past -2/lambda none is enough; \
           needs --method jacobi",
    kept: Kept::With("method"),
    live: Live::Slider(Slider::to(-2.0, -0.01)),
    section: Section::Solver,
    ..Param::NEW
};

const TOLERANCE: Param = Param {
    name: "tolerance",
    symbol: "T",
    kind: Kind::double(1e-8, 1e-2),
    default: "3e-4",
    help: "How exact the forces of a step are: the residual, what is left of the equations, relative to the largest velocity in them, 1e-8 to \
           0.01; not of --method jacobi",
    kept: Kept::With("method"),
    live: Live::Slider(Slider::to(1e-8, 1e-2).logarithmic()),
    section: Section::Solver,
    ..Param::NEW
};

const PUSH: Param = Param {
    name: "push",
    symbol: "NS",
    unit: "N s",
    kind: Kind::double(0.0, 1000.0),
    default: "none",
    help: "A blast before the wall at step 1: its impulse on a cube in the middle, 0 to 1000 newton seconds; 6 brings the wall \
           down. Of dominoes a nudge on the first, which 0.5 tips",
    kept: Kept::Yes,
    ..Param::NEW
};

const TIME_STEP: Param = Param {
    name: "time-step",
    symbol: "S",
    unit: "s",
    kind: Kind::double(1e-4, 0.1),
    default: "1/60",
    help: "Seconds a step, as 0.02 or as 1/50: 0.0001 to 0.1",
    kept: Kept::Yes,
    ..Param::NEW
};

const GRAVITY: Param = Param {
    name: "gravity",
    symbol: "G",
    unit: "m/s²",
    kind: Kind::double(0.0, 100.0),
    default: "9.81",
    help: "Metres a second squared, 0 to 100",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 30.0)),
    section: Section::Physics,
    ..Param::NEW
};

const NO_GROUND: Param =
    Param { name: "no-ground", kind: Kind::Flag, help: "Without a ground", kept: Kept::Yes, ..Param::NEW };

/// The most that a blast may move a cube in a step (over friction squared, where that is above 1), and what gravity may add to a
/// cube's way from step to step, metres: within both, walls of 1 to 180 cubes kept the laws.
const WAY: f64 = 1.0;
const FALL: f64 = 0.0028;

/// Newton seconds of a press of the mouse unless somebody moves the slider: a cube weighs a kilogram.
const CLICK: f64 = 20.0;

/// Bricks, in linear light.
const TONES: [[f32; 3]; 6] = [
    [0.62, 0.23, 0.12],
    [0.55, 0.28, 0.16],
    [0.68, 0.33, 0.17],
    [0.48, 0.19, 0.11],
    [0.60, 0.40, 0.25],
    [0.44, 0.27, 0.20],
];

impl Wall {
    /// The demo that is asked for.
    pub(super) fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Wall> {
        let given = &request.values;
        // Sweeps of Jacobi are the GPU's.
        let form = if given.has("method") { Form::Groups } else { usual_form(gpu) };
        let parameters = changed(given, Parameters { form, ..Parameters::default() });
        let (asked, blast) = (stack_of(given)?, given.double("push").unwrap_or(0.0));
        let (stack, sides) = asked;
        let (size, first, stood) = match request.path() {
            Some(path) => load(path, request, asked)?,
            None => (stack.named(sides), stack.bodies(sides)?, Some(asked)),
        };
        let thrown = request.state().map_or(0, |state| thrown(state, first.len()));
        let algebra = Algebra::new(gpu);
        let world = World::new(&algebra, first.clone(), parameters)?;
        if let Some(warning) = warning(&parameters, blast) {
            request.host.warn(&warning);
        }
        let (watch, stage) = (Watch::new(&world), stage::of(&first, stood, parameters.ground)?);
        let (mut colours, glow) = (colours(first.len(), request.seed()), vec![0.0; first.len()]);
        let loaded_standing = first.len() - thrown;
        colours[loaded_standing..].fill(IRON);
        Ok(Wall {
            gpu: gpu.clone(),
            loaded_standing,
            thrown,
            next: 0,
            throws: true,
            show: given.choice("show", &SHOWN).unwrap_or_default(),
            force_colours: Colours::new(),
            begun_anew: false,
            algebra,
            world,
            collide: Boxes,
            watch,
            first,
            size,
            stood,
            seed: request.seed(),
            stage,
            colours,
            glow,
            blast,
            next_blast: if blast > 0.0 { blast } else { stack.knock() },
            push: CLICK,
            omega: given.double("omega").unwrap_or(contact::OMEGA),
            view: BodyView::new(gpu, request, CAMERA)?,
        })
    }
}

/// The form that solves fastest where it runs: of OpenGL on the CPU that is the reference, by 16 to 29 times.
pub fn usual_form(gpu: &Gpu) -> Form {
    if gpu.driver().runs_on_cpu() { Form::Reference } else { Form::Groups }
}

/// The stack that is asked for, and its columns and rows.
fn stack_of(given: &Values) -> Result<(Stack, [u32; 2])> {
    let stack = given.choice("stack", &STACKS).unwrap_or_default();
    let [columns, rows] = stack.usual();
    let columns = given.whole("columns").unwrap_or(columns);
    // A pyramid is as high as it is wide.
    let rows = if stack == Stack::Pyramid { columns } else { rows };
    let size = [columns, given.whole("rows").unwrap_or(rows)];
    stack.check(size)?;
    Ok((stack, size))
}

/// The bodies of a state that were thrown, the last ones.
fn thrown(state: &State, bodies: usize) -> usize {
    state::whole(state, "thrown").unwrap_or(0).min(STONES).min(bodies.saturating_sub(1))
}

/// The name and size of a file's bodies, the bodies, and the stack that they once were, if that is known.
type Loaded = (String, Vec<Body>, Option<(Stack, [u32; 2])>);

/// The bodies of a file.
fn load(path: &Path, request: &Request, (stack, size): (Stack, [u32; 2])) -> Result<Loaded> {
    let (bodies, thrown) = match request.state() {
        Some(state) => {
            let bodies = state::bodies(state).map_err(|error| named(path, error))?;
            let thrown = thrown(state, bodies.len());
            (bodies, thrown)
        }
        None => (load::bodies(&*request.host, path)?, 0),
    };
    let (count, wanted) = (bodies.len() - thrown, stack.count(size.map(u64::from)));
    let matches = count as u64 == wanted;
    if !["stack", "columns", "rows"].iter().any(|name| request.values.has(name)) {
        return Ok((count.to_string(), bodies, matches.then_some((stack, size))));
    }
    if !matches {
        let (path, [columns, rows]) = (path.display(), size);
        let line = format!("{path}: {count} cubes, --columns {columns} and --rows {rows} make {wanted}");
        return Err(Usage(line).into());
    }
    Ok((stack.named(size), bodies, Some((stack, size))))
}

/// The line for a user whose steps are so long that the laws may not hold.
fn warning(p: &Parameters, blast: f64) -> Option<String> {
    let (way, fall) = (blast * p.time_step, p.gravity * p.time_step.powi(2));
    let most = WAY / p.friction.max(1.0).powi(2);
    let cause = match (way > most, fall > FALL) {
        (true, _) => format!(
            "a blast of {blast} N s moves a cube by {way:.2} m in a step, the laws were found to hold up to {most:.2} m"
        ),
        (_, true) => {
            let (fall, most) = (1e3 * fall, 1e3 * FALL);
            format!("gravity x time step^2 is {fall:.1} mm, the laws were found to hold up to {most} mm")
        }
        _ => return None,
    };
    Some(format!("{cause}: a shorter --time-step helps, and --check looks"))
}

/// A step's error, with what a user can do about it.
pub fn way_out(error: Error, method: Method) -> anyhow::Error {
    let way = match &error {
        Error::BadParameter { name: "impulse", .. } if matches!(method, Method::Jacobi { .. }) => {
            "projected Jacobi diverged, an omega nearer 0 may not"
        }
        Error::OverLimit { what, .. } if what == DENSE => "fewer cubes, --form groups or --form reference",
        Error::OverLimit { what, .. } if what == GROUPS => "fewer cubes or --form reference",
        _ => return error.into(),
    };
    anyhow!("{error}: {way}")
}

/// Refuses what makes no sense together.
///
/// # Errors
/// [`Usage`]: which flag.
pub fn refuse(request: &Request) -> Result<()> {
    let given = &request.values;
    if given.has("show") && !request.draws {
        let line = "--show: without a window it is of a picture, as --out a.png";
        return Err(Usage(line.to_owned()).into());
    }
    let jacobi = given.choice("method", &METHODS) == Some(true);
    if jacobi && given.choice("form", &FORMS) == Some(Form::Reference) {
        let line = "--method jacobi is the GPU's: expected --form dense or --form groups with it";
        return Err(Usage(line.to_owned()).into());
    }
    if jacobi && given.has("tolerance") {
        let line = "--tolerance does nothing with --method jacobi, which makes as many sweeps as there are unknowns, twice";
        return Err(Usage(line.to_owned()).into());
    }
    if !jacobi && given.has("omega") {
        return Err(Usage("--omega does nothing without --method jacobi".to_owned()).into());
    }
    Ok(())
}

/// Those parameters, but where `values` says otherwise.
pub fn changed(values: &Values, before: Parameters) -> Parameters {
    let (was_jacobi, omega) = match before.method {
        Method::Jacobi { omega } => (true, omega),
        Method::Accelerated => (false, contact::OMEGA),
    };
    let form = values.choice("form", &FORMS).unwrap_or(before.form);
    // The reference is solved in a way of its own.
    let jacobi = values.choice("method", &METHODS).unwrap_or(was_jacobi) && form != Form::Reference;
    Parameters {
        friction: values.double("friction").unwrap_or(before.friction),
        gravity: values.double("gravity").unwrap_or(before.gravity),
        time_step: values.double("time-step").unwrap_or(before.time_step),
        ground: match values.get("no-ground") {
            Some(Value::Flag(none)) => !none,
            _ => before.ground,
        },
        form,
        tolerance: values.double("tolerance").unwrap_or(before.tolerance),
        method: match jacobi {
            true => Method::Jacobi { omega: values.double("omega").unwrap_or(omega) },
            false => Method::Accelerated,
        },
        ..before
    }
}

/// A tone of brick for each of them.
pub fn colours(count: usize, seed: u64) -> Vec<[f32; 3]> {
    let mut random = Random(seed);
    let mut tone = || {
        let (tone, light) = (TONES[random.below(TONES.len())], 0.9 + 0.2 * random.unit());
        tone.map(|part| part * light)
    };
    (0..count).map(|_| tone()).collect()
}
