//! Properties: what differs is found, and made small.

use std::panic::{AssertUnwindSafe, catch_unwind};

use quadrille::testing::{self, Image, against};
use quadrille::{Gpu, Result};

/// The words of the panic of a property that does not hold.
fn fails(run: impl FnOnce() -> Result<()>) -> Result<String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(outcome) => outcome.map(|()| String::new()),
        Err(panic) => Ok(panic.downcast_ref::<String>().cloned().unwrap_or_default()),
    }
}

const INVERT: &str =
    "#version 330 core\nuniform sampler2D scene; in vec2 uv; uniform float strength; out vec4 colour;
    void main() { vec4 c = texture(scene, uv); colour = c.x > 0.9 ? c : strength - c; }";

#[test]
fn a_rare_difference_is_shrunk_to_one_texel() -> Result<()> {
    testing::both(|gpu| {
        let mut shader = gpu.shader(INVERT)?;
        let right = |at: &testing::At| {
            let [x, ..] = at.texel("scene");
            at.texel("scene").map(|v| if x > 0.9 { v } else { at.number("strength") - v })
        };
        against(&mut shader, right).tolerance(1e-6).run()?;
        let naive = |at: &testing::At| at.texel("scene").map(|v| at.number("strength") - v);
        let report = fails(|| against(&mut shader, naive).tolerance(1e-6).run())?;
        assert!(report.contains("smallest case: 1x1, found at ") && report.contains(", seed 1"), "{report}");
        // One texel, of which the first component is 1 and all others, and the uniform, are 0.
        assert!(
            report.contains("scene: [1.0, 0.0, 0.0, 0.0]") && report.contains("strength: [0.0]"),
            "{report}"
        );
        assert!(
            shader.draw(1, 1).is_err_and(|error| error.to_string().contains("not bound")),
            "left as it was"
        );
        Ok(())
    })
}

#[test]
fn a_wrong_neighbour_is_shrunk_to_the_fewest_texels() -> Result<()> {
    let text = "#version 330 core\nuniform sampler2D scene; out vec4 colour;
        void main() { ivec2 at = ivec2(gl_FragCoord.xy); ivec2 last = textureSize(scene, 0) - 1;
                      colour = texelFetch(scene, min(at + ivec2(1, 0), last), 0); }";
    testing::both(|gpu| {
        let mut shader = gpu.shader(text)?;
        let next = |at: &testing::At, n: i64| at.fetch("scene", i64::from(at.x()) + n, i64::from(at.y()));
        against(&mut shader, |at| next(at, 1)).run()?;
        let report = fails(|| against(&mut shader, |at| next(at, 2)).run())?;
        // In two columns, one and two to the right are the same texel.
        assert!(report.contains("smallest case: 3x1"), "{report}");
        Ok(())
    })
}

#[test]
fn nan_and_infinities_are_tried_where_they_are_asked_for() -> Result<()> {
    let text = "#version 330 core\nuniform sampler2D scene; in vec2 uv; out float colour;
        void main() { float v = texture(scene, uv).x; colour = isnan(v) || isinf(v) ? 1.0 : 0.0; }";
    testing::both(|gpu| {
        let mut shader = gpu.shader(text)?;
        against(&mut shader, |_| 0.0).run()?;
        let report = fails(|| against(&mut shader, |_| 0.0).special().run())?;
        assert!(report.contains("smallest case: 1x1"), "{report}");
        assert!(
            ["NaN", "inf"].iter().any(|word| report.contains(&format!("scene: [{word}"))
                || report.contains(&format!("scene: [-{word}"))),
            "{report}"
        );
        Ok(())
    })
}

#[test]
fn textures_keep_their_settings_and_those_to_keep_their_texels() -> Result<()> {
    let text = "#version 330 core\nuniform sampler2D scene, lut; uniform int shift; uniform bool on; in vec2 uv; out vec4 colour;
        void main() { colour = texture(scene, uv + vec2(0.5, 0.0)) + (on ? texelFetch(lut, ivec2(shift, 0), 0) : vec4(0.0)); }";
    testing::both(|gpu: &Gpu| {
        let lut = Image::from_fn(16, 1, |x, _| x as f32);
        let mut shader = gpu.shader(text)?;
        shader.texture("scene", Image::random(1, 1, 1).texture().repeat().bytes())?.texture("lut", &lut)?;
        let expected = |at: &testing::At| {
            let moved = at.sample("scene", [at.uv()[0] + 0.5, at.uv()[1]]);
            let listed =
                if at.number("on") == 1.0 { at.fetch("lut", at.number("shift") as i64, 0) } else { [0.0; 4] };
            [0, 1, 2, 3].map(|c: usize| moved[c] + listed[c])
        };
        // Even widths: half of an odd one ends between two texels.
        against(&mut shader, expected)
            .sizes(&[(2, 1), (8, 3), (64, 5)])
            .rounds(4)
            .keep("lut")
            .tolerance(1e-6)
            .run()?;
        let unknown = against(&mut shader, expected).range("shfit", 0.0..1.0).run();
        assert!(unknown.is_err_and(|error| error.to_string().contains("\"shfit\": it has ")));
        Ok(())
    })
}
