//! How a fluid begins.

use anyhow::{Context, Result, bail};
use quadrille::Gpu;
use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Parameters, Pressure};

use super::scene::{self, Setup};
use super::{NAME, Vessel, state};
use crate::cli::{FluidArguments, Look, PressureName, ShowName, Size};
use crate::demo::state::check_size;
use crate::demo::{Chosen, Simulation};
use crate::output::Usage;

/// Particles where they are all that is seen.
pub const PARTICLES: u32 = 100_000;

/// Cycles of a step with the smoothing of the paper, tolerance and sweeps unless the user says otherwise.
pub const CYCLES: u32 = 2;
pub const SMOOTHING: [u32; 2] = [4, 2];
pub const TOLERANCE: f32 = 1e-4;
pub const SWEEPS: u32 = 40;

/// # Errors
/// A usage error for a flag that does not apply.
pub fn chosen(own: FluidArguments) -> Result<Chosen> {
    check_flags(&own)?;
    let (arguments, colours) = (own.demo.clone(), own.colours.clone());
    let mut look = Look { colours, ..Look::default() };
    look.camera.picture = own.picture;
    Ok(Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) })
}

/// No flag is without effect.
fn check_flags(given: &FluidArguments) -> Result<()> {
    let pressure = given.pressure.unwrap_or_default();
    for (flag, is_given, of) in [
        ("--cycles", given.cycles.is_some(), PressureName::Multigrid),
        ("--tolerance", given.tolerance.is_some(), PressureName::Cg),
        ("--sweeps", given.sweeps.is_some(), PressureName::Jacobi),
    ] {
        if is_given && pressure != of {
            let line = format!("{flag}: it is of --pressure {}", of.word());
            return Err(Usage(line).into());
        }
    }
    let scene = given.scene.unwrap_or_default();
    let no_particles = given.particles.map_or(given.show != Some(ShowName::Particles), |count| count == 0);
    let show = given.show.unwrap_or(if no_particles { scene::shown_of(scene) } else { ShowName::Particles });
    let asks_for_a_list = given.colours.as_deref() == Some("help");
    for (is_wrong, line) in [
        (given.lossy && scene == Name::Channel, "--lossy: of channel, which has an outlet, no dye is kept"),
        (show == ShowName::Particles && no_particles, "--show particles: --particles 0 leaves none"),
        (
            given.show.is_some() && !given.demo.draws(),
            "--show: without a window it is of a picture, as --out a.png",
        ),
        (
            given.demo.seed.is_some()
                && given.demo.load.is_none()
                && given.demo.is_windowless()
                && no_particles,
            "--seed: it is where particles begin, and without --particles there are none",
        ),
        (
            given.colours.is_some()
                && !asks_for_a_list
                && show == ShowName::Dye
                && no_particles
                && (given.demo.is_windowless() || given.show.is_some()),
            "--colours: dye has its own; they are of numbers and of particles, as --show speed",
        ),
    ] {
        if is_wrong {
            return Err(Usage(line.to_owned()).into());
        }
    }
    Ok(())
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, given: &FluidArguments) -> Result<Box<dyn Simulation>> {
    check_particles(gpu, given)?;
    let loaded = given.demo.load.as_ref().zip(state::load(&given.demo, given.size)?);
    let size = loaded.as_ref().map(|(_, (size, _))| *size).or(given.size);
    if let Some(size) = size {
        check_nodes(given, size)?;
        check_size(gpu, "grid", size)?;
    }
    let of_file = loaded.as_ref().and_then(|(_, (_, values))| state::kind(values));
    let kind = given.grid.or(of_file).unwrap_or_default();
    if let (Some((path, _)), Some(of_file)) = (&loaded, of_file.filter(|&of_file| of_file != kind)) {
        bail!("{}: the state is of a {} grid, --grid says {}", path.display(), of_file.name(), kind.name());
    }
    let setup = Setup::new(given.scene.unwrap_or_default(), kind, size, |of_scene| said(given, of_scene))?;
    let mut vessel = Vessel::new(gpu, setup, given.demo.seed())?;
    if let Some((path, (_, values))) = loaded {
        vessel.load(values).with_context(|| path.display().to_string())?;
    }
    let wants_particles = given.particles.is_some_and(|count| count > 0);
    vessel.show = given.show.unwrap_or(if wants_particles { ShowName::Particles } else { vessel.show });
    let least = if vessel.show == ShowName::Particles { PARTICLES } else { 0 };
    vessel.set_particles(given.particles.unwrap_or(least))?;
    Ok(Box::new(vessel))
}

/// That what the user wants to see can be drawn.
fn check_particles(gpu: &Gpu, given: &FluidArguments) -> Result<()> {
    let wants = match given.particles {
        Some(count) => count > 0,
        None => given.show == Some(ShowName::Particles),
    };
    if wants && given.demo.draws() && !can_draw_particles(gpu) {
        let flag = if given.particles.is_some() { "--particles" } else { "--show particles" };
        let card = gpu.limits().name;
        bail!("{flag}: vertex programs of {card} fetch nothing, so particles cannot be drawn on it");
    }
    Ok(())
}

/// Particles are drawn by vertex programs that fetch.
pub fn can_draw_particles(gpu: &Gpu) -> bool {
    gpu.limits().vertex_streams > 0
}

/// That a scene has room among so many nodes.
fn check_nodes(given: &FluidArguments, size: Size) -> Result<()> {
    let least = if given.scene == Some(Name::TaylorGreen) { 4 } else { 5 };
    let Size { width, height } = size;
    if width.min(height) < least {
        bail!("--size: {width}x{height} nodes, expected {least}x{least} or more");
    }
    Ok(())
}

/// Those parameters, but where the user said otherwise.
fn said(given: &FluidArguments, of_scene: Parameters) -> Parameters {
    let pressure = match given.pressure.unwrap_or_default() {
        PressureName::Multigrid => multigrid(given.cycles.unwrap_or(CYCLES)),
        PressureName::Cg => Pressure::Cg { tolerance: given.tolerance.unwrap_or(TOLERANCE) },
        PressureName::Jacobi => Pressure::Jacobi { sweeps: given.sweeps.unwrap_or(SWEEPS) },
    };
    Parameters {
        pressure,
        time_step: given.time_step.unwrap_or(of_scene.time_step),
        viscosity: given.viscosity.unwrap_or(of_scene.viscosity),
        advection: given.advection.unwrap_or(of_scene.advection),
        confinement: given.confinement.unwrap_or(of_scene.confinement),
        fading: given.fading.unwrap_or(of_scene.fading),
        keep_mass: of_scene.keep_mass && !given.lossy,
        ..of_scene
    }
}

pub fn multigrid(cycles: u32) -> Pressure {
    let [before, after] = SMOOTHING;
    Pressure::Multigrid { cycles, before, after }
}

/// Which it is.
pub fn name_of(pressure: Pressure) -> PressureName {
    match pressure {
        Pressure::Multigrid { .. } => PressureName::Multigrid,
        Pressure::Cg { .. } => PressureName::Cg,
        Pressure::Jacobi { .. } => PressureName::Jacobi,
    }
}
