//! Shaders of other dialects: translated line by line, or refused by name.

use std::io;

use quadrille::testing::{self, Image, QUAD, Source, assert_close};
use quadrille::{Error, Gpu, Result};

#[test]
fn webgl_1_and_opengl_2_are_translated() -> Result<()> {
    let webgl = "// an old one\n#version 100
        #extension GL_OES_standard_derivatives : enable
        #ifdef GL_ES
        precision mediump float;
        #endif
        uniform sampler2D texture; varying vec2 uv; uniform float sample;
        float round(float x) { return floor(x + 0.5); }
        void main() { gl_FragColor = texture2D(texture, uv) + round(0.75) + sample + dFdx(uv.x); }";
    let opengl = "uniform sampler2D texture; varying vec2 uv; uniform float sample;
        void main() { gl_FragData[0] = texture2D(texture, uv) + 1 + sample; gl_FragData[1] = vec4(uv, 0.0, 1.0); }";
    let embedded = |gpu: &Gpu| gpu.driver().embedded;
    testing::both(|gpu| {
        let image = Image::random(8, 4, 2);
        let found = gpu.shader(webgl)?.texture("texture", &image)?.set("sample", 0.5)?.draw(8, 4)?;
        // 10 bits of mediump would be 2⁻⁹ of 2.6.
        assert_close!(found, found.expected(|at| at.texel("texture").map(|v| v + 1.5 + 0.125)), 5e-3);
        // ES converts no integers: the error is at the shader's own line.
        if embedded(gpu) {
            assert!(matches!(gpu.shader(opengl), Err(Error::Compile { line: 2, .. })));
            return Ok(());
        }
        let mut shader = gpu.shader(opengl)?;
        let drawn = shader.texture("texture", &image)?.set("sample", 0.5)?.draw_all(8, 4)?;
        let found = drawn.output("gl_FragData[0]")?;
        assert_close!(found, found.expected(|at| at.texel("texture").map(|v| v + 1.5)), 1e-6);
        let second = drawn.output("gl_FragData[1]")?;
        assert_close!(second, second.expected(|at| at.uv()), 1e-6);
        Ok(())
    })
}

#[test]
fn vertex_shaders_are_translated_with_them() -> Result<()> {
    let vertex = "#version 120\nattribute vec2 place, uv; varying vec2 across; void main() { across = uv; gl_Position = vec4(place, 0.0, 1.0); }";
    let fragment =
        "#version 120\nvarying vec2 across; void main() { gl_FragColor = vec4(across, 0.0, 1.0); }";
    testing::both(|gpu| {
        let found = gpu.shader((vertex, fragment))?.vertices(&[("place", 2), ("uv", 2)], QUAD)?.draw(5, 3)?;
        assert_close!(found, found.expected(|at| at.uv()), 1e-6);
        Ok(())
    })
}

/// The line of the error that a shader gets.
fn told(gpu: &Gpu, text: &str) -> String {
    gpu.shader(Source::fragment(text).named("old.frag"))
        .err()
        .map_or(String::new(), |error| error.to_string())
}

#[test]
fn what_has_no_counterpart_is_refused_by_name_and_line() -> Result<()> {
    testing::both(|gpu| {
        for (text, line) in [
            (
                "\nvoid main() { gl_FragColor = gl_Color; }",
                "old.frag:2: `void main() { gl_FragColor = gl_Color; }`: `gl_Color` is state of OpenGL's fixed functions",
            ),
            (
                "#version 100\nuniform samplerCube sky;\nvoid main() { gl_FragColor = textureCube(sky, vec3(1.0)); }",
                "old.frag:3: ",
            ),
            ("#version 120\nvoid main() { int i = 1; gl_FragData[i] = vec4(1.0); }", "old.frag:2: "),
            ("#version abc\nvoid main() {}", "old.frag:1: `#version abc`: expected `#version 330 core`"),
            (
                "#version 330 core\nout ivec4 c;\nvoid main() { c = ivec4(1); }",
                "old.frag:2: `out ivec4 c;`: output `c` is neither float",
            ),
            (
                "#version 330 core\nin vec2 taps[5];\nout float c;\nvoid main() { c = taps[0].x; }",
                "old.frag:2: `in vec2 taps[5];`: input `taps` is an array: give its vertex shader, too",
            ),
        ] {
            let found = told(gpu, text);
            assert!(found.starts_with(line) && !found.contains('\n'), "{found}");
        }
        let newer = told(gpu, "#version 410 core\nout float c;\nvoid main() { c = 1.0; }");
        assert_eq!(
            newer.contains("GLSL 4.10 has more than OpenGL ES 3.00"),
            gpu.driver().embedded,
            "{newer}"
        );
        let cube = told(
            gpu,
            "#version 330 core\nuniform samplerCube sky; out vec4 c; void main() { c = texture(sky, vec3(1.0)); }",
        );
        assert!(cube.contains("samplerCube \"sky\""), "{cube}");
        Ok(())
    })
}

/// File, line and text of a compile error, and the log or the other error.
fn place(error: Option<Error>) -> ((String, u32, String), String) {
    match error {
        Some(Error::Compile { kernel, line, text, log, .. }) => ((kernel, line, text), log),
        other => (Default::default(), format!("{other:?}")),
    }
}

#[test]
fn errors_carry_the_shaders_own_files_and_lines() -> Result<()> {
    let find = |name: &str| match name {
        "colour.glsl" => Ok("// colours\nvec3 grey(float v) {\n    return vec3(w);\n}\n".to_owned()),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "there is none")),
    };
    let at =
        |gpu: &Gpu, text: &str| gpu.shader(Source::fragment(text).named("main.frag").include(find)).err();
    testing::both(|gpu| {
        for version in ["330 core", "300 es", "120", "100"] {
            let text = format!(
                "// head\n#version {version}\n#ifdef GL_ES\nprecision highp float;\n#endif\n\nvoid main() {{ nonsense; }}"
            );
            let (place, log) = place(at(gpu, &text));
            assert_eq!(
                place,
                ("main.frag".into(), 7, "void main() { nonsense; }".into()),
                "{version}: {log}"
            );
        }
        let text = "#version 330 core\n#include \"colour.glsl\"\nout vec4 c;\nvoid main() { c = vec4(grey(1.0), 1.0); }";
        let (place, log) = place(at(gpu, text));
        assert_eq!(place, ("colour.glsl".into(), 3, "return vec3(w);".into()), "{log}");
        let missing = at(gpu, "#version 330 core\n\n#include <no.glsl>").map(|error| error.to_string());
        assert_eq!(missing.as_deref(), Some("main.frag:3: #include no.glsl: there is none"));
        Ok(())
    })
}

#[test]
fn defines_come_before_the_first_line() -> Result<()> {
    let text = "#version 330 core\nout float r;\nvoid main() { r = STEPS; }";
    testing::both(|gpu| {
        assert_eq!(gpu.shader(Source::fragment(text).define("STEPS", "3.0"))?.draw(1, 1)?.values(), [3.0]);
        Ok(())
    })
}
