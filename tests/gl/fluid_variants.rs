//! The variants of the kernels of fluids, in a flat box and in one of voxels.

use super::compile::Defines;

pub const DEFINES: &[(&str, Defines)] = &[
    ("sim/fluid_accelerate.frag", &[("STAGGERED", &[0, 1])]),
    ("sim/fluid_divergence.frag", &[("STAGGERED", &[0, 1])]),
    ("sim/fluid_enforce.frag", &[("BUT_THROUGH", &[0, 1])]),
    ("sim/fluid_entries.frag", &[("WAY", &[0, 1, 2, 3, 4])]),
    ("sim/fluid_force.frag", &[("CONFINED", &[0, 1])]),
    ("sim/fluid_held.frag", &[("STAGGERED", &[0, 1])]),
    ("sim/fluid_project.frag", &[("STAGGERED", &[0, 1]), ("ALONE", &[0, 1])]),
    ("sim/fluid_ripple.frag", &[("STAGGERED", &[0, 1]), ("SCALAR", &[0, 1]), ("SOLIDS", &[0, 1])]),
    ("sim/fluid_stir.frag", &[("MODE", &[0, 1, 2])]),
    ("sim/fluid_viscous_entries.frag", &[("WAY", &[0, 1, 2, 3, 4]), ("COMPONENT", &[0, 1])]),
    ("sim/fluid_viscous_right.frag", &[("START", &[0, 1]), ("COMPONENT", &[0, 1])]),
    ("sim/fluid_vorticity.frag", &[("STAGGERED", &[0, 1])]),
    (
        "sim/fluid_advect.frag",
        &[
            ("STAGGERED", &[0, 1]),
            ("SCALAR", &[0, 1]),
            ("OTHER", &[0, 1]),
            ("CORRECT", &[0, 1]),
            ("SOLIDS", &[0, 1]),
        ],
    ),
    ("sim/fluid_open.frag", &[("STAGGERED", &[0, 1])]),
    ("sim/fluid_particles.frag", &[("START", &[0, 1]), ("STAGGERED", &[0, 1]), ("SOLIDS", &[0, 1])]),
    ("sim/liquid_advect.frag", &[("AXIS", &[0, 1, 2, 3]), ("LEAST", &[0, 1]), ("FADING", &[0, 1])]),
    ("sim/liquid_extend.frag", &[("START", &[0, 1])]),
    ("sim/liquid_force.frag", &[("BUOYANT", &[0, 1])]),
    ("sim/voxel_diagonal.frag", &[("SURFACE", &[0, 1])]),
    ("sim/voxel_divergence.frag", &[("FORCED", &[0, 1])]),
    (
        "sim/voxel_faces.frag",
        &[("PHASE", &[0, 1]), ("AXIS", &[0, 1, 2]), ("MOVING", &[0, 1]), ("SURFACE", &[0, 1])],
    ),
];
