//! How a fluid begins.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::sim::fluid::Parameters;
use quadrille::sim::fluid::scenes::Name;

use super::dye::DyeCorrection;
use super::parameters::{self, SHOWN, changed};
use super::scene::{self, Setup, Show};
use super::shown::Shown;
use super::touch::Mouse;
use super::tracers::Tracers;
use super::wake::Wake;
use super::{FluidDemo, figures, state};
use crate::demo::{Request, Usage};
use crate::param::Values;
use crate::picture::FlatView;
use crate::state::check_size;

/// Particles where they are all that is seen.
pub const PARTICLES: u32 = 30_000;

/// Confirms that no flag is without effect.
///
/// # Errors
/// [`Usage`]: a flag that does not apply.
pub fn check(request: &Request) -> Result<()> {
    let values = &request.values;
    let pressure = values.word("pressure").unwrap_or("multigrid");
    for (flag, of) in [("cycles", "multigrid"), ("tolerance", "cg"), ("sweeps", "jacobi")] {
        if values.has(flag) && pressure != of {
            return Err(Usage(format!("--{flag}: only for --pressure {of}")).into());
        }
    }
    let scene = parameters::scene(values).unwrap_or_default();
    let (asked, particles) = (values.choice("show", &SHOWN), values.whole::<u32>("particles"));
    let no_particles = particles.map_or(asked != Some(Show::Particles), |count| count == 0);
    let show = asked.unwrap_or(if no_particles { scene::shown_of(scene) } else { Show::Particles });
    let colours = values.text("colours").filter(|&name| name != "help");
    for (is_wrong, line) in [
        (
            values.flag("lossy") && scene == Name::Channel,
            "--lossy: of channel, which has an outlet, no dye is kept",
        ),
        (
            values.flag("lossy") && scene == Name::Street,
            "--lossy: of street, which has an outlet, no dye is kept",
        ),
        (show == Show::Particles && no_particles, "--show particles: --particles 0 leaves none"),
        (
            request.exports.contains(&super::PROFILE) && scene != Name::Cavity,
            "--profile: only for --scene cavity",
        ),
        (
            values.has("trail") && no_particles,
            "--trail: of particles, and without --particles there are none",
        ),
        (asked.is_some() && !request.draws, "--show: without a window it is of a picture, as --out a.png"),
        (
            request.seed.is_some() && request.load.is_none() && request.windowless && no_particles,
            "--seed: it is where particles begin, and without --particles there are none",
        ),
        (
            colours.is_some() && show == Show::Dye && no_particles && (request.windowless || asked.is_some()),
            "--colours: dye has its own; they are of numbers and of particles, as --show speed",
        ),
    ] {
        if is_wrong {
            return Err(Usage(line.to_owned()).into());
        }
    }
    Ok(())
}

impl FluidDemo {
    /// The fluid that is asked for.
    pub(super) fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<FluidDemo> {
        let (values, seed) = (&request.values, request.seed());
        check_particles(gpu, request)?;
        let loaded = request.path().zip(state::load(request)?);
        let size = loaded.as_ref().map(|(_, (size, _))| *size).or(values.size("size"));
        if let Some(size) = size {
            check_nodes(values, size)?;
            check_size(gpu, "grid", size)?;
        }
        let of_file = loaded.as_ref().and_then(|(_, (_, planes))| state::kind(planes));
        let kind = parameters::grid(values).or(of_file).unwrap_or_default();
        if let (Some((path, _)), Some(of_file)) = (&loaded, of_file.filter(|&of_file| of_file != kind)) {
            let (file, of_file, kind) = (path.display(), of_file.name(), kind.name());
            bail!("{file}: the state is of a {of_file} grid, --grid says {kind}");
        }
        let said = |of_scene: Parameters| {
            let keep_mass = of_scene.keep_mass && !values.flag("lossy");
            Parameters { keep_mass, ..changed(values, of_scene) }
        };
        let setup = Setup::new(gpu, parameters::scene(values).unwrap_or_default(), kind, size, said)?;
        let mut fluid = setup.begin(gpu)?;
        if let Some((path, (_, planes))) = &loaded {
            let set = state::check(&fluid, planes).and_then(|()| state::set(&mut fluid, planes));
            set.with_context(|| path.display().to_string())?;
        }
        let particles = values.whole::<u32>("particles");
        let usual = if particles.is_some_and(|count| count > 0) { Show::Particles } else { setup.show() };
        let mut shown = Shown::new(values.choice("show", &SHOWN).unwrap_or(usual));
        let least = if shown.show == Show::Particles { PARTICLES } else { 0 };
        let tracers = match particles.unwrap_or(least) {
            0 => None,
            count => Some(Tracers::new(gpu, &fluid, &setup, count, seed)?),
        };
        let trail = values.whole("trail");
        shown.prepare(&mut fluid)?;
        let view = FlatView::new(gpu, request, &shown.basin(&fluid, &setup, tracers.as_ref()))?;
        let mut demo = FluidDemo {
            gpu: gpu.clone(),
            draws: request.draws,
            trail,
            host: request.host.clone(),
            dye: DyeCorrection::begin(gpu, &fluid)?,
            wake: Wake::default(),
            first_energy: figures::energy(&fluid)?,
            fluid: RefCell::new(fluid),
            setup,
            tracers,
            seed,
            loaded: loaded.map(|(_, (_, planes))| (planes, seed)),
            shown,
            view,
            mouse: Mouse::default(),
            watched: None,
            begun_anew: false,
        };
        demo.remember()?;
        Ok(demo)
    }
}

/// Confirms that what the user wants to see can be drawn.
fn check_particles(gpu: &Gpu, request: &Request) -> Result<()> {
    let values = &request.values;
    let particles = values.whole::<u32>("particles");
    let wants = match particles {
        Some(count) => count > 0,
        None => values.choice("show", &SHOWN) == Some(Show::Particles),
    };
    if wants && request.draws && !can_draw_particles(gpu) {
        let flag = if particles.is_some() { "--particles" } else { "--show particles" };
        let card = gpu.limits().name;
        bail!("{flag}: vertex programs of {card} fetch nothing, so particles cannot be drawn on it");
    }
    Ok(())
}

/// Returns true if particles can be drawn: that is done by vertex programs that fetch.
pub fn can_draw_particles(gpu: &Gpu) -> bool {
    gpu.limits().vertex_streams > 0
}

/// Confirms that a scene has room among so many nodes.
fn check_nodes(values: &Values, [width, height]: [u32; 2]) -> Result<()> {
    let least = if parameters::scene(values) == Some(Name::TaylorGreen) { 4 } else { 5 };
    if width.min(height) < least {
        bail!("--size: {width}x{height} nodes, expected {least}x{least} or more");
    }
    Ok(())
}
