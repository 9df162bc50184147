//! Inputs arrive as they were handed over: uniforms of all types, blocks, textures, vertices, inputs.

use quadrille::Result;
use quadrille::testing::{self, Image, QUAD, Source, assert_close};

/// Sums what it is handed over with weights, so that two values in each other's place are seen.
const TYPES: &str = "#version 330 core
    struct Light { vec3 colour; float power; };
    uniform float f; uniform vec2 f2; uniform vec3 f3; uniform vec4 f4;
    uniform int i; uniform ivec3 i3; uniform uint u; uniform uvec2 u2; uniform bool b; uniform bvec4 b4;
    uniform mat2 m2; uniform mat3x2 m32; uniform mat4 m4;
    uniform float list[3]; uniform vec2 pairs[2]; uniform Light lights[2];
    out vec4 sums;
    void main() {
        float scalars = f + 10.0 * float(i) + 100.0 * float(u) + (b ? 1000.0 : 0.0);
        float vectors = dot(f2, vec2(1.0, 10.0)) + dot(f3, vec3(100.0, 1e3, 1e4)) + dot(f4, vec4(1.0, 2.0, 3.0, 4.0))
            + dot(vec3(i3), vec3(1.0, 2.0, 4.0)) + dot(vec2(u2), vec2(8.0, 16.0)) + dot(vec4(b4), vec4(1.0, 2.0, 4.0, 8.0));
        float matrices = (m2 * vec2(1.0, 10.0)).x + 100.0 * (m32 * vec3(1.0, 2.0, 3.0)).y + (m4 * vec4(1.0, 2.0, 3.0, 4.0)).w;
        float arrays = list[0] + 10.0 * list[1] + 100.0 * list[2] + dot(pairs[1], vec2(1e3, 1e4))
            + lights[0].power + dot(lights[1].colour, vec3(1.0, 2.0, 3.0));
        sums = vec4(scalars, vectors, matrices, arrays + pairs[0].y + lights[0].colour.g + lights[1].power);
    }";

#[test]
fn uniforms_of_all_types_arrive() -> Result<()> {
    testing::both(|gpu| {
        let mut shader = gpu.shader(TYPES)?;
        shader.set("f", 1.0)?.set("i", -2)?.set("u", 3_u32)?.set("b", true)?;
        shader.set("f2", [1.0, 2.0])?.set("f3", [3.0, 4.0, 5.0])?.set("f4", [6.0, 7.0, 8.0, 9.0])?;
        shader.set("i3", [1, -1, 2])?.set("u2", [1_u32, 2])?.set("b4", [true, false, false, true])?;
        shader.set("m2", [[1.0, 2.0], [3.0, 4.0]])?.set("m32", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
        shader.set("m4", (1..17).map(|v| v as f32).collect::<Vec<f32>>())?;
        shader
            .set("list", [1.0, 2.0, 3.0])?
            .set("pairs", [[0.0, 0.5], [4.0, 5.0]])?
            .set("pairs[1]", [1.0, 2.0])?;
        shader.set("lights[0].colour", [0.0, 0.25, 0.0])?.set("lights[0].power", 7.0)?;
        shader.set("lights[1].colour", [1.0, 1.0, 1.0])?.set("lights[1].power", 0.125)?;
        let scalars = 1.0 - 20.0 + 300.0 + 1000.0;
        let vectors = 21.0 + 54_300.0 + (6.0 + 14.0 + 24.0 + 36.0) + 7.0 + 40.0 + 9.0;
        // Columns: m2 is (1 3; 2 4), m32 has the rows (1 3 5) and (2 4 6), the last row of m4 is 4 8 12 16.
        let matrices = 31.0 + 100.0 * 28.0 + (4.0 + 16.0 + 36.0 + 64.0);
        let arrays = 321.0 + 21_000.0 + 7.0 + 6.0 + 0.5 + 0.25 + 0.125;
        assert_eq!(&shader.draw(1, 1)?[(0, 0)], [scalars, vectors, matrices, arrays]);
        Ok(())
    })
}

const BLOCKS: &str = "#version 330 core
    layout(std140) uniform Camera { mat3 turn; float near; vec2 steps[2]; bool flipped; } camera;
    layout(std140, row_major) uniform Sun { mat2x3 basis; vec3 colour; };
    out vec4 sums;
    void main() {
        sums = vec4((camera.turn * vec3(1.0, 10.0, 100.0)).y, camera.near + camera.steps[1].x + 10.0 * camera.steps[0].y,
            (basis * vec2(1.0, 10.0)).z, camera.flipped ? dot(colour, vec3(1.0, 10.0, 100.0)) : -1.0);
    }";

#[test]
fn members_of_blocks_are_set_by_name() -> Result<()> {
    testing::both(|gpu| {
        let mut shader = gpu.shader(BLOCKS)?;
        shader.set("Camera.turn", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])?;
        shader
            .set("Camera.near", 0.5)?
            .set("Camera.steps", [[1.0, 2.0], [3.0, 4.0]])?
            .set("Camera.flipped", true)?;
        shader.set("basis", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?.set("colour", [7.0, 8.0, 9.0])?;
        assert_eq!(&shader.draw(1, 1)?[(0, 0)], [852.0, 23.5, 63.0, 987.0]);
        Ok(())
    })
}

#[test]
fn a_value_of_the_shaders_own_need_not_be_told() -> Result<()> {
    let text = "#version 330 core\nuniform float gamma = 2.5; uniform float other; out float r; void main() { r = gamma + other; }";
    let gpu = testing::gpu_with(quadrille::Options { api: Some(quadrille::Api::Gl), ..Default::default() })?;
    let mut shader = gpu.shader(text)?;
    assert_eq!(shader.set("other", 1.0)?.draw(1, 1)?.values(), [3.5]);
    assert_eq!(shader.set("gamma", 0.5)?.draw(1, 1)?.values(), [1.5]);
    Ok(())
}

const LOOK: &str = "#version 330 core
    uniform sampler2D image; uniform vec2 shift; in vec2 uv; out vec4 colour;
    void main() { colour = textureLod(image, uv + shift, 0.0); }";

#[test]
fn edges_and_filters_are_those_that_were_chosen() -> Result<()> {
    testing::both(|gpu| {
        let image = Image::random(5, 3, 7);
        let mut look = gpu.shader(LOOK)?;
        let chosen = [
            image.texture(),
            image.texture().repeat(),
            image.texture().mirror(),
            image.texture().linear(),
            image.texture().linear().mirror(),
        ];
        for texture in chosen {
            // Off the seams between texels.
            for shift in [[0.0, 0.0], [0.93, -0.47], [-1.33, 1.73]] {
                let found = look.texture("image", texture)?.set("shift", shift)?.draw(5, 3)?;
                let expected = found.expected(|at| at.sample("image", [0, 1].map(|c| at.uv()[c] + shift[c])));
                assert_close!(found, expected, 1.0 / 256.0);
            }
        }
        // In a pyramid nothing but the mean is left of the last level.
        let mean = "#version 330 core\nuniform sampler2D image; out vec4 c; void main() { c = textureLod(image, vec2(0.5), 9.0); }";
        let checks = Image::from_fn(4, 4, |x, y| [((x + y) % 2) as f32; 4]);
        let found = gpu.shader(mean)?.texture("image", checks.texture().bytes().trilinear())?.draw(1, 1)?;
        assert_close!(found, Image::from_fn(1, 1, |_, _| [0.5; 4]), 1.5 / 255.0);
        Ok(())
    })
}

#[test]
fn bytes_are_rounded_and_srgb_is_read_linear() -> Result<()> {
    testing::both(|gpu| {
        let image = Image::random(31, 5, 3);
        let mut look = gpu.shader(LOOK)?;
        look.set("shift", [0.0, 0.0])?;
        let floats = look.texture("image", &image)?.draw(31, 5)?;
        assert_close!(floats, image, 0.0);
        let bytes = look.texture("image", image.texture().bytes())?.draw(31, 5)?;
        assert_close!(bytes, image.map(|texel| texel.map(|v| (255.0 * v).round() / 255.0)), 1e-7);
        // Half of 1 is 0.214 of a linear 1; drivers may have 2⁻⁹ of a table's step (llvmpipe: polynomials).
        let grey = Image::from_fn(1, 1, |_, _| [0.5, 1.0, 0.0, 0.5]);
        let linear = look.texture("image", grey.texture().srgb())?.draw(1, 1)?;
        assert_close!(linear, linear.expected(|at| at.texel("image")), 2e-3);
        assert_close!(linear, Image::from_fn(1, 1, |_, _| [0.2158, 1.0, 0.0, 0.502]), 2e-3);
        Ok(())
    })
}

#[test]
fn vertices_are_the_callers_own_or_a_quad() -> Result<()> {
    let vertex = "#version 330 core\nlayout(location = 3) in vec2 place; in vec3 tint; out vec3 shade;
        void main() { shade = tint; gl_Position = vec4(place, 0.0, 1.0); }";
    let fragment =
        "#version 330 core\nin vec3 shade; out vec4 colour; void main() { colour = vec4(shade, 1.0); }";
    testing::both(|gpu| {
        let mut shader = gpu.shader((vertex, fragment))?;
        // The lower left triangle of 4x4 texels: a texel whose centre lies on the edge may be on either side.
        let corners = [-1.0, -1.0, 1.0, 2.0, 3.0, 0.9, -1.0, 1.0, 2.0, 3.0, -1.0, 0.9, 1.0, 2.0, 3.0];
        let found = shader.vertices(&[("place", 2), ("tint", 3)], &corners)?.draw(4, 4)?;
        let inside = |at: &testing::At| at.x() + at.y() < 3;
        assert_close!(
            found,
            found.expected(|at| if inside(at) { [1.0, 2.0, 3.0, 1.0] } else { [0.0; 4] }),
            1e-6
        );
        let quad = "#version 330 core\nin vec2 place, uv; out vec2 across; void main() { across = uv; gl_Position = vec4(place, 0.0, 1.0); }";
        let show = "#version 330 core\nin vec2 across; out vec2 colour; void main() { colour = across; }";
        let mut shader = gpu.shader(Source::stages(quad, show))?;
        let found = shader.vertices(&[("place", 2), ("uv", 2)], QUAD)?.draw(31, 17)?;
        assert_close!(found, found.expected(|at| at.uv()), 1e-6);
        let triangle = "#version 330 core\nvoid main() { gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0); }";
        let ones = "#version 330 core\nout float r; void main() { r = 1.0; }";
        assert_eq!(gpu.shader((triangle, ones))?.draw(3, 2)?.values(), [1.0; 6]);
        Ok(())
    })
}

#[test]
fn inputs_of_a_fragment_shader_are_affine() -> Result<()> {
    let text =
        "#version 330 core\nin vec2 uv; in vec3 normal; in float height; flat in vec2 same; out vec4 colour;
        void main() { colour = vec4(uv.y, normal.z + normal.x, height, same.y); }";
    testing::both(|gpu| {
        let mut shader = gpu.shader(text)?;
        shader
            .input("normal", [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 0.0, 3.0]])?
            .input("height", [1.0, 2.0, 5.0])?;
        let found = shader.input("same", [[1.0, 2.0]; 3])?.draw(11, 10)?;
        let expected = found.expected(|at| {
            let [u, v] = at.uv();
            [v, 1.0 + 4.0 * u + 2.0 * v, 1.0 + u + 4.0 * v, 2.0]
        });
        // Barycentric weights of a driver: eight bits of a texel's part would be 1e-3 here; llvmpipe and GPUs have floats.
        assert_close!(found, expected, 1e-5);
        Ok(())
    })
}
