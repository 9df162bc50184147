//! N bodies: loops over all of them, four pulled by each that is fetched; sums of what the loops found; the new places.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target, refused};
use quadrille::Result;

/// A fragment pulls four bodies, a quarter of a row apart, at every so many-th row of those that pull: so there are enough
/// fragments for a large GPU.
const PARTS: u32 = 32;

/// The pull of a part on four bodies, into four targets: each a quarter of the array's columns, once for each part. Bodies that
/// pull are fetched four at a time, too: their addresses differ by constants.
const PULL: &str = "
uniform sampler2D newest;
uniform float softening;
layout(location = 0) out vec4 pull_0;
layout(location = 1) out vec4 pull_1;
layout(location = 2) out vec4 pull_2;
layout(location = 3) out vec4 pull_3;

vec3 here[4], sum[4];

vec3 pull(vec4 body, vec3 here) {
    vec3 d = body.xyz - here;
    float inverse = inversesqrt(dot(d, d) + softening * softening);
    return body.w * inverse * inverse * inverse * d;
}

void add(vec4 body) {
    sum[0] += pull(body, here[0]);
    sum[1] += pull(body, here[1]);
    sum[2] += pull(body, here[2]);
    sum[3] += pull(body, here[3]);
}

void main() {
    vec2 place = gl_FragCoord.xy;
    float part = floor(place.y / HEIGHT);
    place.y -= part * HEIGHT;
    for (int i = 0; i < 4; i++) {
        here[i] = textureLod(newest, vec2(place.x + float(i) * QUARTER, place.y) / vec2(WIDTH, HEIGHT), 0.0).xyz;
        sum[i] = vec3(0.0);
    }
    for (float row = part + 0.5; row < HEIGHT; row += PARTS) {
        for (float column = 0.5; column < WIDTH; column += 4.0) {
            vec2 from = vec2(column / WIDTH, row / HEIGHT);
            add(textureLod(newest, from, 0.0));
            add(textureLodOffset(newest, from, 0.0, ivec2(1, 0)));
            add(textureLodOffset(newest, from, 0.0, ivec2(2, 0)));
            add(textureLodOffset(newest, from, 0.0, ivec2(3, 0)));
        }
    }
    pull_0 = vec4(sum[0], 0.0);
    pull_1 = vec4(sum[1], 0.0);
    pull_2 = vec4(sum[2], 0.0);
    pull_3 = vec4(sum[3], 0.0);
}";

/// u' = u + a Δt, a the sum of all parts.
const KICK: &str = "
uniform sampler2D velocities, pulls_0, pulls_1, pulls_2, pulls_3;
uniform float time;
ACROSS in vec2 at;
out vec4 next;

#define FROM(pulls) textureLod(pulls, from, 0.0).xyz

void main() {
    float quarter = floor(4.0 * at.x);
    vec2 first = vec2(4.0 * at.x - quarter, at.y / PARTS);
    vec3 sum = vec3(0.0);
    for (float part = 0.0; part < PARTS; part += 1.0) {
        vec2 from = first + vec2(0.0, part / PARTS);
        sum += quarter < 1.0 ? FROM(pulls_0) : quarter < 2.0 ? FROM(pulls_1) : quarter < 3.0 ? FROM(pulls_2) : FROM(pulls_3);
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

/// Leapfrog whose velocities are those of half a step before the places: three passes a step.
pub struct Bodies {
    bare: Bare,
    pull: Program,
    kick: Program,
    drift: Program,
    forces: Forces,
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
        let quarter = Shape { width: shape.width / 4, height: shape.height * PARTS, ..shape };
        let sized = |text: &str| {
            let sizes = [
                ("WIDTH", shape.width),
                ("HEIGHT", shape.height),
                ("QUARTER", quarter.width),
                ("PARTS", PARTS),
            ];
            sizes
                .into_iter()
                .fold(text.to_owned(), |text, (name, size)| text.replace(name, &format!("{size}.0")))
        };
        let (pull, kick) = (bare.program(&sized(PULL))?, bare.program(&sized(KICK))?);
        let drift = bare.program(DRIFT)?;
        pull.floats("softening", &[softening]);
        for program in [&kick, &drift] {
            program.floats("time", &[time]);
            program.unit("velocities", 1);
        }
        for (name, unit) in ["pulls_0", "pulls_1", "pulls_2", "pulls_3"].into_iter().zip(2..) {
            kick.unit(name, unit);
        }
        let both = |values| {
            Ok::<_, quadrille::Error>([bare.target(shape, Some(values))?, bare.target(shape, None)?])
        };
        let (positions, velocities) = (both(positions)?, both(velocities)?);
        let forces = Forces::new(bare, quarter)?;
        Ok(Bodies { bare: bare.clone(), pull, kick, drift, forces, positions, velocities, newest: 0 })
    }

    /// The newest velocities.
    pub fn velocities(&self) -> Vec<f32> {
        self.velocities[self.newest].texels()
    }
}

impl BareLoop for Bodies {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let size = |shape: Shape| (shape.width as i32, shape.height as i32);
        let ((width, height), (across, down)) =
            (size(self.positions[0].shape), size(self.forces.each[0].shape));
        self.bare.begin();
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            for (unit, pulls) in (2..).zip(&self.forces.each) {
                gl.active_texture(glow::TEXTURE0 + unit);
                gl.bind_texture(glow::TEXTURE_2D, Some(pulls.texture));
            }
            for _ in 0..rounds {
                let (old, new) = (self.newest, 1 - self.newest);
                gl.active_texture(glow::TEXTURE0);
                gl.bind_texture(glow::TEXTURE_2D, Some(self.positions[old].texture));
                gl.use_program(Some(self.pull.program));
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.forces.framebuffer));
                gl.viewport(0, 0, across, down);
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
                gl.active_texture(glow::TEXTURE1);
                gl.bind_texture(glow::TEXTURE_2D, Some(self.velocities[old].texture));
                gl.use_program(Some(self.kick.program));
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.velocities[new].framebuffer));
                gl.viewport(0, 0, width, height);
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

/// Four targets of one framebuffer.
struct Forces {
    bare: Bare,
    each: [Target; 4],
    framebuffer: glow::Framebuffer,
}

impl Forces {
    fn new(bare: &Bare, shape: Shape) -> Result<Forces> {
        let target = || bare.target(shape, None);
        let each = [target()?, target()?, target()?, target()?];
        let gl = bare.gl();
        // SAFETY: every object is alive.
        unsafe {
            let framebuffer = gl.create_framebuffer().map_err(refused("a framebuffer"))?;
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let places = [0, 1, 2, 3].map(|place| glow::COLOR_ATTACHMENT0 + place);
            for (place, target) in places.into_iter().zip(&each) {
                let texture = Some(target.texture);
                gl.framebuffer_texture_2d(glow::FRAMEBUFFER, place, glow::TEXTURE_2D, texture, 0);
            }
            gl.draw_buffers(&places);
            let made = Forces { bare: bare.clone(), each, framebuffer };
            match gl.check_framebuffer_status(glow::FRAMEBUFFER) {
                glow::FRAMEBUFFER_COMPLETE => Ok(made),
                status => Err(refused("four targets")(format!("{status:#06x}"))),
            }
        }
    }
}

impl Drop for Forces {
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        unsafe { self.bare.gl().delete_framebuffer(self.framebuffer) };
    }
}
