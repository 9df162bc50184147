//! How bodies begin.

use anyhow::{Context, Result, anyhow};
use quadrille::Gpu;
use quadrille::sim::nbody::scenes;
use quadrille::sim::nbody::{Forces, Integrator, Parameters};

use super::super::{Chosen, Simulation};
use super::{Bodies, NAME, load};
use crate::cli::{ForcesName, IntegratorName, Look, NBodyArguments, SceneName};
use crate::output::Usage;

/// What a CPU that plays the GPU can still move.
const BODIES: usize = 4096;

pub fn chosen(own: NBodyArguments) -> Chosen {
    let (arguments, colours) = (own.demo.clone(), own.colours.clone());
    let look = Look { colours, camera: own.camera.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

/// The simulation that these arguments describe.
fn start(gpu: &Gpu, given: &NBodyArguments) -> Result<Box<dyn Simulation>> {
    let name = given.scene.map_or(scenes::NAMES[0], scene_name);
    let forces = given.forces.unwrap_or(ForcesName::Tiled);
    if given.bytes.is_some() && forces == ForcesName::Tiled {
        let line = "--bytes is for --forces matrix: in tiles the forces take a few rows of texels";
        return Err(Usage(line.to_owned()).into());
    }
    let (count, seed) = (given.bodies.map_or(BODIES, |n| n as usize), given.demo.seed());
    let mut scene = scenes::named(name, count, seed).ok_or_else(|| anyhow!("no scene \"{name}\""))?;
    let has = scene.bodies.len();
    if let Some(bodies) = given.bodies.filter(|&bodies| bodies as usize != has && given.demo.load.is_none()) {
        let line =
            format!("--bodies {bodies}: {name} has {has} bodies, galaxies and collapse have any number");
        return Err(Usage(line).into());
    }
    if let (Some(bodies), Some(path)) = (load::bodies(&given.demo)?, &given.demo.load) {
        scene.bodies = bodies;
        let found = scene.bodies.len();
        if let Some(asked) = given.bodies.filter(|&asked| asked as usize != found) {
            return Err(Usage(format!("{}: {found} bodies, --bodies says {asked}", path.display())).into());
        }
    }
    scene.parameters = parameters(given, scene.parameters);
    let loaded = given.demo.load.as_deref();
    let bodies = Bodies::new(gpu, scene, count, seed, loaded.is_some());
    Ok(Box::new(match loaded {
        Some(path) => bodies.with_context(|| path.display().to_string())?,
        None => bodies?,
    }))
}

fn parameters(given: &NBodyArguments, scene: Parameters) -> Parameters {
    Parameters {
        time_step: given.time_step.unwrap_or(scene.time_step),
        softening: given.softening.unwrap_or(scene.softening),
        forces: match given.forces {
            Some(ForcesName::Matrix) => Forces::Matrix,
            None | Some(ForcesName::Tiled) => Forces::Tiled,
        },
        integrator: match given.integrator {
            None | Some(IntegratorName::Leapfrog) => Integrator::Leapfrog,
            Some(IntegratorName::Euler) => Integrator::Euler,
        },
        bytes: given.bytes.unwrap_or(scene.bytes),
    }
}

fn scene_name(scene: SceneName) -> &'static str {
    scenes::NAMES[scene as usize]
}

/// The word for it on the command line.
pub fn forces_name(forces: Forces) -> &'static str {
    match forces {
        Forces::Matrix => "matrix",
        Forces::Tiled => "tiled",
    }
}

/// The word for it on the command line.
pub fn integrator_name(integrator: Integrator) -> &'static str {
    match integrator {
        Integrator::Leapfrog => "leapfrog",
        Integrator::Euler => "euler",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn the_flags_names_are_those_of_the_scenes() {
        for flag in SceneName::value_variants() {
            let help = flag.to_possible_value().and_then(|flag| flag.get_help().map(ToString::to_string));
            let Parameters { time_step, softening, .. } =
                scenes::named(scene_name(*flag), 2, 1).map(|scene| scene.parameters).unwrap_or_default();
            let short = format!("{time_step:.4}");
            let told = format!("(time step {}, softening {softening})", short.trim_end_matches('0'));
            assert!(help.as_ref().is_some_and(|help| help.ends_with(&told)), "{help:?}: {told}");
        }
        let names = SceneName::value_variants().iter();
        let shown: Vec<_> = names.map(|&scene| (scene.to_possible_value(), scene_name(scene))).collect();
        assert_eq!(shown.len(), scenes::NAMES.len());
        assert!(shown.iter().all(|(flag, name)| flag.as_ref().is_some_and(|flag| flag.get_name() == *name)));
    }
}
