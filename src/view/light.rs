//! A parallel light, and the map of what it sees first (a shadow map).

use super::space::{Vector, cross, dot, unit};
use crate::Result;
use crate::pug::{Buffer, Program};

/// Light that comes along −key and sees a cube of space.
pub(super) struct Light {
    pub middle: Vector,
    /// Half a side of the cube of space that it lights.
    pub half: f64,
}

/// Across, along, and away from a light from `key`, a unit.
pub(super) fn axes(key: Vector) -> [Vector; 3] {
    // From straight above any direction is across.
    let up = if key[1].abs() > 0.999 { [0.0, 0.0, -1.0] } else { [0.0, 1.0, 0.0] };
    let across = unit(cross(up, key));
    [across, cross(key, across), key.map(|v| -v)]
}

impl Light {
    /// The rows of the matrix that takes (x, y, z, 1) to the map of light from `key`, −1 to 1 each way.
    pub fn matrix(&self, key: Vector) -> [[f32; 4]; 4] {
        let row = |axis: Vector| {
            let [x, y, z] = axis.map(|v| v / self.half);
            [x, y, z, -dot(axis, self.middle) / self.half].map(|v| v as f32)
        };
        let [across, along, deep] = axes(key).map(row);
        [across, along, deep, [0.0, 0.0, 0.0, 1.0]]
    }

    /// Binds the uniforms of shading. A surface is compared with the map a little above itself: the texels that are fetched
    /// lie up to 1.5 √2 of them away, and where light grazes a surface, that is as far as it sinks on the way.
    pub fn bind(&self, key: Vector, program: &mut Program, shadows: &Buffer) -> Result<()> {
        let [across, along, deep, _] = self.matrix(unit(key));
        let texel = 2.0 * self.half / f64::from(shadows.width());
        program
            .bind_stream("shadows", shadows)?
            .bind_float("light_x", across)?
            .bind_float("light_y", along)?
            .bind_float("light_z", deep)?
            .bind_float("key", unit(key).map(|v| v as f32))?
            .bind_float("offset", (2.3 * texel) as f32)?;
        Ok(())
    }
}

/// Where the vertices of a program go.
pub(super) fn bind_matrix(program: &mut Program, [x, y, z, w]: [[f32; 4]; 4]) -> Result<&mut Program> {
    program
        .bind_float("matrix_x", x)?
        .bind_float("matrix_y", y)?
        .bind_float("matrix_z", z)?
        .bind_float("matrix_w", w)
}
