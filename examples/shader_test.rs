//! A test of somebody's shader, as it is: Reinhard's tone map in GLSL 3.30 against five lines of Rust, on OpenGL and on OpenGL ES.

use quadrille::testing::{self, At, Image, against, assert_close};

pub const TONE_MAP: &str = "#version 330 core
    uniform sampler2D scene;
    uniform float white;
    in vec2 uv;
    out vec4 colour;
    void main() {
        vec3 c = texture(scene, uv).rgb;
        colour = vec4(c * (1.0 + c / (white * white)) / (1.0 + c), 1.0);
    }";

pub fn main() -> quadrille::Result<()> {
    testing::both(|gpu| {
        let mut shader = gpu.shader(TONE_MAP)?;
        shader
            .set("white", 4.0)?
            .texture("scene", &Image::from_fn(5, 3, |x, y| [x as f32, y as f32, 0.5, 1.0]))?;
        let found = shader.draw(5, 3)?;
        let tone_map = |at: &At| {
            let white = at.number("white");
            let [r, g, b, _] = at.texel("scene").map(|c| c * (1.0 + c / (white * white)) / (1.0 + c));
            [r, g, b, 1.0]
        };
        assert_close!(found, found.expected(tone_map), 1e-5);
        // Any scene of 0 to 20, of sizes that go wrong first; what fails is made as small as it can be.
        against(&mut shader, tone_map).values(0.0..20.0).tolerance(1e-4).run()
    })
}
