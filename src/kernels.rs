//! The built-in kernels, by the name of their file under `glsl/`.

use crate::gl::{Kernel, Prelude, kernel_text};
use crate::{Error, Result};

/// Name and text of each: the files that `build.rs` finds.
pub const ALL: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Kernels that look at the neighbours of voxels.
const OF_VOXELS: &[&str] = &[
    "bench/voxels_multiply.frag",
    "linalg/seven_point.frag",
    "sim/liquid_advect.frag",
    "sim/liquid_extend.frag",
    "sim/liquid_force.frag",
    "sim/liquid_redistance.frag",
    "sim/voxel_diagonal.frag",
    "sim/voxel_divergence.frag",
    "sim/voxel_faces.frag",
    "solve/voxel_weights.frag",
    "view/volume_march.frag",
];

/// Kernels that follow a flow in a flat box.
const OF_FLUIDS: &[&str] = &[
    "sim/clouds_accelerate.frag",
    "sim/clouds_push.frag",
    "sim/clouds_settle.frag",
    "sim/fluid_advect.frag",
    "sim/fluid_open.frag",
    "sim/fluid_particles.frag",
    "sim/fluid_ripple.frag",
    "view/sky_light.frag",
    "view/sky_shade.frag",
];

/// The built-in kernel of that name.
///
/// # Errors
/// [`Error::UnknownKernel`] with the list of those there are.
pub fn named(name: &str) -> Result<Kernel> {
    let rooms = [(OF_VOXELS, Prelude::Voxels), (OF_FLUIDS, Prelude::Fluid)];
    let needed = rooms.into_iter().filter(|(kernels, _)| kernels.contains(&name));
    Ok(needed.fold(plain(name)?, |kernel, (_, prelude)| kernel.with(prelude)))
}

/// The kernel with the words of all kernels alone.
fn plain(name: &str) -> Result<Kernel> {
    match ALL.iter().find(|kernel| kernel.0 == name) {
        Some((_, built_in)) => Ok(Kernel::new(name, kernel_text(name, built_in))),
        None => {
            let has = ALL.iter().map(|kernel| kernel.0.to_owned()).collect();
            Err(Error::UnknownKernel { name: name.to_owned(), has })
        }
    }
}
