//! Shaders that nobody here wrote, against plain functions: a tone map, another, a blur, a colour conversion, a noise and
//! two distance fields. Their files are as their projects have them (`tests/data/shaders`).

use std::fs;

use quadrille::Result;
use quadrille::testing::{self, At, Image, Source, Texel, assert_close, assert_finite};

/// A fragment shader of these lines that may include any of those files.
fn shader(text: &str) -> Source<'_> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/shaders");
    Source::fragment(text).include(move |name| fs::read_to_string(format!("{folder}/{name}")))
}

/// Holds a shader of the texture `scene` against a function, over texels from 0 to `high`.
fn holds<T: Texel>(text: &str, high: f32, tolerance: f32, expected: impl Fn(&At) -> T) -> Result<()> {
    testing::both(|gpu| {
        let mut shader = gpu.shader(shader(text))?;
        testing::against(&mut shader, &expected).values(0.0..high).tolerance(tolerance).run()
    })
}

/// Numbers from 0 to 1.4, each by a dozen operations of 2⁻²⁴.
#[test]
fn the_tone_map_of_uncharted_2() -> Result<()> {
    let text = "#version 330 core
        #include <uncharted2.glsl>
        uniform sampler2D scene; in vec2 uv; out vec3 colour;
        void main() { colour = uncharted2(texture(scene, uv).rgb); }";
    let (a, b, c, d, e, f) = (0.15, 0.50, 0.10, 0.20, 0.02, 0.30);
    let map = |x: f32| (x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f;
    holds(text, 16.0, 4e-6, |at| {
        at.texel("scene").map(|x| map(2.0 * x) / map(11.2))[..3].to_vec().try_into().unwrap_or([f32::NAN; 3])
    })
}

#[test]
fn the_filmic_curve_of_aces() -> Result<()> {
    let text = "#version 300 es
        precision highp float; precision highp sampler2D;
        #include <aces.glsl>
        uniform sampler2D scene; in vec2 uv; out vec4 colour;
        void main() { vec4 c = texture(scene, uv); colour = vec4(aces(c.rgb), aces(c.a)); }";
    let aces = |x: f32| ((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14)).clamp(0.0, 1.0);
    holds(text, 8.0, 1e-6, |at| at.texel("scene").map(aces))
}

/// Linear filters weigh with 8 bits or more, in five fetches whose weights sum to 1; the middle one counts as two halves here.
#[test]
fn a_gaussian_blur_of_five_fetches() -> Result<()> {
    let text = "#version 100
        precision highp float;
        #include \"blur9.glsl\"
        uniform sampler2D image; uniform vec2 resolution, direction; varying vec2 uv;
        void main() { gl_FragColor = blur9(image, uv, resolution, direction); }";
    testing::both(|gpu| {
        let (image, mut blur) = (Image::random(31, 17, 1), gpu.shader(shader(text))?);
        blur.texture("image", image.texture().linear().repeat())?;
        let found = blur.set("resolution", [31.0, 17.0])?.set("direction", [1.0, 0.0])?.draw(31, 17)?;
        let taps = [(0.0, 0.5 * 0.227027), (1.384_615_4, 0.316_216_2), (3.230_769_2, 0.070_270_27)];
        let expected = found.expected(|at| {
            let beside = |off: f32| at.sample("image", [at.uv()[0] + off / 31.0, at.uv()[1]]);
            let part = |c: usize, (off, weight): (f32, f32)| weight * (beside(off)[c] + beside(-off)[c]);
            std::array::from_fn::<f32, 4, _>(|c| taps.map(|tap| part(c, tap)).iter().sum())
        });
        assert_close!(found, expected, 1.0 / 256.0);
        Ok(())
    })
}

/// Hue, saturation, lightness: the formula of Foley and van Dam. It is continuous, so a branch taken otherwise costs nothing.
#[test]
fn hsl_becomes_rgb() -> Result<()> {
    let text = "#version 330 core
        #include <hsl2rgb.glsl>
        uniform sampler2D scene; in vec2 uv; out vec4 colour;
        void main() { colour = vec4(hsl2rgb(texture(scene, uv).xyz), 1.0); }";
    holds(text, 1.0, 4e-6, |at| {
        let [h, s, l, _] = at.texel("scene");
        let channel = |n: f32| {
            let k = (n + h * 12.0).rem_euclid(12.0);
            l - s * l.min(1.0 - l) * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
        };
        [channel(0.0), channel(8.0), channel(4.0), 1.0]
    })
}

/// Its slope is below 10, and positions up to 8 are rounded at 2⁻²¹.
#[test]
fn simplex_noise() -> Result<()> {
    let text =
        "#version 330 core\n#include \"simplex2d.glsl\"\nuniform sampler2D at; in vec2 uv; out float noise;
        void main() { noise = snoise(texture(at, uv).xy); }";
    holds(text, 8.0, 4e-5, |at| {
        let (v, root) = ([0, 1].map(|c| f64::from(at.texel("at")[c])), 3.0_f64.sqrt());
        let (i, g) = (v.map(|c| (c + (v[0] + v[1]) * (root - 1.0) / 2.0).floor()), (3.0 - root) / 6.0);
        let place = |o: [f64; 2]| [0, 1].map(|c: usize| v[c] - i[c] - o[c] + (i[0] + i[1] + o[0] + o[1]) * g);
        let first = if place([0.0; 2])[0] > place([0.0; 2])[1] { [1.0, 0.0] } else { [0.0, 1.0] };
        let permute = |x: f64| ((x * 34.0 + 1.0) * x).rem_euclid(289.0);
        let corners = [[0.0; 2], first, [1.0; 2]].map(|o| {
            let ([x, y], p) = (place(o), permute(permute(i[1] + o[1]) + i[0] + o[0]));
            let gradient = 2.0 * (p / 41.0).fract() - 1.0;
            let (a, h) = (gradient - (gradient + 0.5).floor(), gradient.abs() - 0.5);
            let near = (0.5 - x * x - y * y).max(0.0).powi(4);
            near * (1.792_842_914 - 0.853_734_721 * (a * a + h * h)) * (a * x + h * y)
        });
        130.0 * corners.iter().sum::<f64>() as f32
    })
}

#[test]
fn distances_of_a_torus_and_of_a_rounded_box() -> Result<()> {
    let text = "#version 330 core\n#include \"sd_torus.glsl\"\n#include \"ud_round_box.glsl\"
        uniform sampler2D place; uniform vec2 torus; uniform vec3 box; uniform float radius; in vec2 uv; out vec2 distances;
        void main() { vec3 p = texture(place, uv).xyz; distances = vec2(sdTorus(p, torus), udRoundBox(p, box, radius)); }";
    holds(text, 2.0, 1e-6, |at| {
        let ([x, y, z, _], [ring, tube], size) =
            (at.texel("place"), at.vector("torus"), at.vector::<3>("box"));
        let out = [x, y, z].iter().zip(size).map(|(p, b)| (p.abs() - b).max(0.0).powi(2)).sum::<f32>();
        [(x.hypot(z) - ring).hypot(y) - tube, out.sqrt() - at.number("radius")]
    })
}

#[test]
fn what_is_verbatim_is_finite() -> Result<()> {
    let text = "#version 330 core\n#include <simplex2d.glsl>\nin vec2 uv; out float noise; void main() { noise = snoise(1000.0 * uv); }";
    testing::both(|gpu| {
        assert_finite!(gpu.shader(shader(text))?.draw(64, 64)?);
        Ok(())
    })
}
