//! N bodies: a loop over all of them for each, and the new places.

use glow::HasContext;

use super::Lap;
use super::device::{Bare, Program, Shape, Target};
use crate::Result;

/// u' = u + a Δt. Fetched four at a time: their addresses differ by constants.
const KICK: &str = "
uniform sampler2D newest, velocities;
uniform float time, softening;
ACROSS in vec2 at;
out vec4 next;

vec3 pull(vec4 body, vec3 here) {
    vec3 d = body.xyz - here;
    float inverse = inversesqrt(dot(d, d) + softening * softening);
    return body.w * inverse * inverse * inverse * d;
}

void main() {
    vec3 here = textureLod(newest, at, 0.0).xyz, sum = vec3(0.0);
    for (float row = 0.5; row < HEIGHT; row += 1.0) {
        for (float column = 0.5; column < WIDTH; column += 4.0) {
            vec2 place = vec2(column / WIDTH, row / HEIGHT);
            sum += pull(textureLod(newest, place, 0.0), here);
            sum += pull(textureLodOffset(newest, place, 0.0, ivec2(1, 0)), here);
            sum += pull(textureLodOffset(newest, place, 0.0, ivec2(2, 0)), here);
            sum += pull(textureLodOffset(newest, place, 0.0, ivec2(3, 0)), here);
        }
    }
    next = vec4(textureLod(velocities, at, 0.0).xyz + time * sum, 0.0);
}";

/// x' = x + u' Δt.
const DRIFT: &str = "
uniform sampler2D newest, velocities;
uniform float time;
ACROSS in vec2 at;
out vec4 next;
void main() {
    vec4 body = textureLod(newest, at, 0.0);
    next = vec4(body.xyz + time * textureLod(velocities, at, 0.0).xyz, body.w);
}";

/// Leapfrog whose velocities are those of half a step before the places: two passes a step.
pub struct Bodies {
    bare: Bare,
    kick: Program,
    drift: Program,
    positions: [Target; 2],
    velocities: [Target; 2],
    newest: usize,
}

impl Bodies {
    /// Bodies in `rows` rows, (x, y, z, mass) each, and their velocities, (u, v, w, anything); a row holds a multiple of four.
    /// The softening is above 0, for a body pulls itself as the others do.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the rows.
    pub fn new(
        bare: &Bare,
        rows: u32,
        positions: &[f32],
        velocities: &[f32],
        [time, softening]: [f32; 2],
    ) -> Result<Bodies> {
        let shape = Shape::rgba(positions.len() as u32 / 4 / rows, rows);
        let sized = |text: &str| {
            let text = text.replace("WIDTH", &format!("{:?}", f64::from(shape.width)));
            text.replace("HEIGHT", &format!("{:?}", f64::from(shape.height)))
        };
        let (kick, drift) = (bare.program(&sized(KICK))?, bare.program(DRIFT)?);
        for program in [&kick, &drift] {
            program.floats("time", &[time]);
            program.unit("velocities", 1);
        }
        kick.floats("softening", &[softening]);
        let both =
            |values| Ok::<_, crate::Error>([bare.target(shape, Some(values))?, bare.target(shape, None)?]);
        let (positions, velocities) = (both(positions)?, both(velocities)?);
        Ok(Bodies { bare: bare.clone(), kick, drift, positions, velocities, newest: 0 })
    }

    /// The newest velocities.
    pub fn velocities(&self) -> Vec<f32> {
        self.velocities[self.newest].texels()
    }
}

impl Lap for Bodies {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let Shape { width, height, .. } = self.positions[0].shape;
        self.bare.begin();
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            gl.viewport(0, 0, width as i32, height as i32);
            for _ in 0..rounds {
                let (old, new) = (self.newest, 1 - self.newest);
                gl.active_texture(glow::TEXTURE0);
                gl.bind_texture(glow::TEXTURE_2D, Some(self.positions[old].texture));
                gl.active_texture(glow::TEXTURE1);
                gl.bind_texture(glow::TEXTURE_2D, Some(self.velocities[old].texture));
                gl.use_program(Some(self.kick.program));
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.velocities[new].framebuffer));
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
                gl.bind_texture(glow::TEXTURE_2D, Some(self.velocities[new].texture));
                gl.use_program(Some(self.drift.program));
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.positions[new].framebuffer));
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
                self.newest = new;
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.positions[self.newest].first_texel()
    }
}
