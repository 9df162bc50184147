//! The built-in kernels, by the name of their file under `glsl/`.

use crate::gl::{Kernel, Prelude};
use crate::{Error, Result};

macro_rules! kernels {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../glsl/", $name)))),*]
    };
}

#[cfg(feature = "kernels-from-folder")]
mod folder;
#[cfg(feature = "kernels-from-folder")]
pub(crate) use folder::{text, words};

/// The text of a kernel: the one built in.
#[cfg(not(feature = "kernels-from-folder"))]
pub(crate) fn text<'a>(_name: &str, built_in: &'a str) -> &'a str {
    built_in
}

/// What the driver is to compile: as it is.
#[cfg(not(feature = "kernels-from-folder"))]
pub(crate) fn words(text: &str) -> &str {
    text
}

/// The words that are joined to kernels, by their files under `glsl/`.
#[cfg(feature = "kernels-from-folder")]
const WORDS: &[(&str, &str)] =
    kernels!["pug.glsl", "pug_fragment.glsl", "pug_vertex.glsl", "voxels.glsl", "fluid.glsl", "quad.vert"];

/// Name and text of each.
pub const ALL: &[(&str, &str)] = kernels![
    "bench/axpy.frag",
    "bench/batty_multiply.frag",
    "bench/multiply_add.frag",
    "bench/segments.frag",
    "bench/skewed_misses.frag",
    "flow/change_ask.frag",
    "flow/isoline_ask.frag",
    "flow/orbit_count.frag",
    "flow/plate_cool.frag",
    "flow/plate_relax.frag",
    "flow/regions_work.frag",
    "bench/voxels_multiply.frag",
    "linalg/banded.frag",
    "linalg/dense.frag",
    "linalg/dense_column.frag",
    "linalg/dense_transposed.frag",
    "linalg/diagonal.frag",
    "linalg/entries.frag",
    "linalg/fill_padding.frag",
    "linalg/gather.frag",
    "linalg/gather_order.frag",
    "linalg/nine_point.frag",
    "linalg/nine_point_between.frag",
    "linalg/nine_point_weights.frag",
    "linalg/pack.frag",
    "linalg/points.frag",
    "linalg/points.vert",
    "linalg/points_rounds.frag",
    "linalg/points_rounds.vert",
    "linalg/quadrants_border.frag",
    "linalg/quadrants_layer.frag",
    "linalg/quadrants_multiply.frag",
    "linalg/quadrants_seams.frag",
    "linalg/quadrants_unlayer.frag",
    "linalg/record.frag",
    "linalg/replace.frag",
    "linalg/replace.vert",
    "linalg/scalar_op.frag",
    "linalg/seven_point.frag",
    "linalg/sum_parts.frag",
    "linalg/unpack.frag",
    "linalg/vector_op.frag",
    "matrix/blocks_multiply.frag",
    "matrix/elements.frag",
    "matrix/largest.frag",
    "matrix/merge.frag",
    "matrix/multiply.frag",
    "matrix/part.frag",
    "matrix/transpose.frag",
    "pug/add.frag",
    "pug/reduce.frag",
    "sim/clouds_accelerate.frag",
    "sim/clouds_deviation.frag",
    "sim/clouds_push.frag",
    "sim/clouds_settle.frag",
    "sim/clouds_touch.frag",
    "sim/counter_miss.frag",
    "sim/counter_step.frag",
    "sim/disc_paint.frag",
    "sim/fluid_accelerate.frag",
    "sim/fluid_advect.frag",
    "sim/fluid_between.frag",
    "sim/fluid_divergence.frag",
    "sim/fluid_enforce.frag",
    "sim/fluid_entries.frag",
    "sim/fluid_fade.frag",
    "sim/fluid_force.frag",
    "sim/fluid_held.frag",
    "sim/fluid_keep.frag",
    "sim/fluid_links.frag",
    "sim/fluid_mix.frag",
    "sim/fluid_open.frag",
    "sim/fluid_particles.frag",
    "sim/fluid_project.frag",
    "sim/fluid_stir.frag",
    "sim/fluid_tally.frag",
    "sim/fluid_viscous_entries.frag",
    "sim/fluid_viscous_half.frag",
    "sim/fluid_viscous_merge.frag",
    "sim/fluid_viscous_right.frag",
    "sim/fluid_vorticity.frag",
    "sim/gray_scott_step.frag",
    "sim/heat_branch.frag",
    "sim/heat_cull.frag",
    "sim/heat_show.frag",
    "sim/heat_step.frag",
    "sim/heat_weights.frag",
    "sim/mesh_entries.frag",
    "sim/mesh_rows.frag",
    "sim/mesh_scaled.frag",
    "sim/liquid_advect.frag",
    "sim/liquid_extend.frag",
    "sim/liquid_fill.frag",
    "sim/liquid_force.frag",
    "sim/liquid_redistance.frag",
    "sim/liquid_shift.frag",
    "sim/liquid_time_step.frag",
    "sim/nbody_advance.frag",
    "sim/nbody_collect.frag",
    "sim/nbody_conserved.frag",
    "sim/nbody_pull.frag",
    "sim/orbit_step.frag",
    "sim/orbit_trail.frag",
    "sim/panel_copy.frag",
    "sim/voxel_cells.frag",
    "sim/voxel_corners.frag",
    "sim/voxel_diagonal.frag",
    "sim/voxel_divergence.frag",
    "sim/voxel_faces.frag",
    "sim/voxel_keep.frag",
    "sim/wave_drop.frag",
    "sim/wave_step.frag",
    "solve/cg_update.frag",
    "solve/lcp_step.frag",
    "solve/lcp_survey.frag",
    "solve/multigrid_compose.frag",
    "solve/multigrid_prolong.frag",
    "solve/multigrid_restrict.frag",
    "solve/past_keep.frag",
    "solve/past_shares.frag",
    "solve/past_take_out.frag",
    "solve/pcg_direction.frag",
    "solve/pcg_step.frag",
    "solve/step_length.frag",
    "streams/bins_find.frag",
    "streams/bins_gather.frag",
    "streams/bins_place.frag",
    "streams/bins_scatter.frag",
    "streams/bins_scatter.vert",
    "streams/image_derive.frag",
    "streams/image_double.frag",
    "streams/image_equalise.frag",
    "streams/image_halve.frag",
    "streams/sort_pack.frag",
    "streams/sort_pass.frag",
    "streams/sort_unpack.frag",
    "streams/sums_down.frag",
    "streams/sums_up.frag",
    "solve/voxel_coarsen.frag",
    "solve/voxel_refine.frag",
    "solve/voxel_weights.frag",
    "view/bars_merge.frag",
    "view/box_depth.frag",
    "view/box_place.vert",
    "view/box_shade.frag",
    "view/colour_map.frag",
    "view/faces_place.vert",
    "view/faces_shade.frag",
    "view/fluid_paint.frag",
    "view/glow_place.vert",
    "view/glow_shade.frag",
    "view/ground_place.vert",
    "view/heights_sample.frag",
    "view/histogram_bars.frag",
    "view/mesh_place.vert",
    "view/particles_place.vert",
    "view/particles_shade.frag",
    "view/picture_develop.frag",
    "view/sky_light.frag",
    "view/sky_shade.frag",
    "view/volume_march.frag",
    "view/volume_shadow.frag",
    "view/volume_slices.frag",
    "view/water_shade.frag",
];

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
        Some((_, built_in)) => Ok(Kernel::new(name, text(name, built_in))),
        None => {
            let has = ALL.iter().map(|kernel| kernel.0.to_owned()).collect();
            Err(Error::UnknownKernel { name: name.to_owned(), has })
        }
    }
}
