//! Errors of the kit, each provoked and read.

use quadrille::testing::{self, Image};
use quadrille::{Gpu, Result};

const TEXT: &str = "#version 330 core
    uniform sampler2D scene; uniform float exposure; uniform vec3 tint; uniform mat3x2 turn; uniform float weights[3];
    uniform int unused; in vec2 uv; in vec3 normal; out vec4 colour;
    void main() {
        colour = texture(scene, uv) * exposure + vec4(tint + normal, (turn * tint).x + weights[0] + weights[1] + weights[2]);
    }";

fn line<T>(outcome: Result<T>) -> String {
    let line = outcome.err().map_or(String::new(), |error| error.to_string());
    assert!(!line.contains('\n'), "{line}");
    line
}

#[test]
fn wrong_names_and_types_are_told_with_those_that_there_are() -> Result<()> {
    let has = "float exposure, vec3 tint, mat3x2 turn, float weights[3]";
    testing::both(|gpu| {
        let mut shader = gpu.shader(TEXT)?;
        let mut of = |name: &str| line(shader.set(name, 1.0));
        let none = |name: &str| format!("fragment shader has no uniform \"{name}\": it has ");
        let same = |found: String, start: String| {
            let mut names: Vec<&str> =
                found.strip_prefix(start.as_str()).unwrap_or(&found).split(", ").collect();
            let mut expected: Vec<&str> = has.split(", ").collect();
            names.sort_unstable();
            expected.sort_unstable();
            assert_eq!(names, expected);
        };
        same(of("exposition"), none("exposition"));
        same(of("unused"), none("unused"));
        same(of("weights[3]"), none("weights[3]"));
        same(of("scene"), none("scene"));
        same(
            line(shader.set("exposure", 1)),
            "fragment shader declares \"exposure\" as float, but int was bound; it has ".into(),
        );
        same(
            line(shader.set("tint", [1.0, 2.0])),
            "fragment shader declares \"tint\" as vec3, but vec2 was bound; it has ".into(),
        );
        // Six numbers, but two columns of three.
        same(
            line(shader.set("turn", [[1.0; 3]; 2])),
            "fragment shader declares \"turn\" as mat3x2, but mat2x3 was bound; it has ".into(),
        );
        same(
            line(shader.set("weights", [1.0; 4])),
            "fragment shader declares \"weights\" as float[3], but float[4] was bound; it has ".into(),
        );
        let image = Image::random(1, 1, 1);
        assert_eq!(
            line(shader.texture("tint", &image)),
            "fragment shader has no sampler2D \"tint\": it has scene"
        );
        assert_eq!(
            line(shader.input("tangent", [1.0; 3])),
            "fragment shader has no input \"tangent\": it has uv, normal"
        );
        let wide = line(shader.input("normal", [1.0; 3]));
        assert_eq!(
            wide,
            "fragment shader declares \"normal\" as vec3, but float was bound; it has vec2 uv, vec3 normal"
        );
        assert_eq!(
            line(shader.vertices(&[("place", 2)], &[0.0; 6])),
            "fragment shader has no vertex attribute \"place\": it has none"
        );
        Ok(())
    })
}

#[test]
fn what_was_not_handed_over_is_named() -> Result<()> {
    testing::both(|gpu| {
        let mut shader = gpu.shader(TEXT)?;
        let (image, mut missing) = (Image::random(2, 2, 1), Vec::new());
        for _ in 0..6 {
            missing.push(line(shader.draw(2, 2)));
            match missing.last().and_then(|line| line.split('"').nth(1)).unwrap_or_default() {
                "scene" => shader.texture("scene", &image)?,
                "exposure" => shader.set("exposure", 1.0)?,
                "tint" => shader.set("tint", [1.0; 3])?,
                "turn" => shader.set("turn", [[1.0; 2]; 3])?,
                "weights" => shader.set("weights[0]", 1.0)?,
                "weights[1]" => shader.set("weights", [1.0; 3])?,
                _ => break,
            };
        }
        missing.sort();
        let not = |what: &str| format!("fragment shader: {what} is not bound");
        let expected = [
            "sampler2D \"scene\"",
            "uniform \"exposure\"",
            "uniform \"tint\"",
            "uniform \"turn\"",
            "uniform \"weights\"",
            "uniform \"weights[1]\"",
        ];
        assert_eq!(missing, expected.map(not));
        assert_eq!(line(shader.draw(2, 2)), not("input \"normal\""));
        shader.input("normal", [[0.0; 3]; 3])?.draw(2, 2)?;
        let mut other = gpu.shader("#version 330 core\nuniform float a, b[2]; out float r; void main() { r = 1.0 + a + b[0] + b[1]; }")?;
        assert_eq!(other.rest_is_zero().draw(1, 1)?.values(), [1.0]);
        Ok(())
    })
}

#[test]
fn sizes_and_vertices_that_cannot_be_are_refused() -> Result<()> {
    let vertex = "#version 330 core\nin vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }";
    let fragment = "#version 330 core\nout float r; void main() { r = 1.0; }";
    testing::both(|gpu: &Gpu| {
        let mut shader = gpu.shader((vertex, fragment))?;
        assert_eq!(line(shader.draw(1, 1)), "fragment shader: vertex attribute \"place\" is not bound");
        assert_eq!(
            line(shader.vertices(&[("palce", 2)], &[0.0; 6])),
            "fragment shader has no vertex attribute \"palce\": it has place"
        );
        let whole = "vertices of fragment shader: 7 values given, 12 expected (triangles of 3 x 2 values)";
        assert_eq!(line(shader.vertices(&[("place", 2)], &[0.0; 7])), whole);
        assert!(line(shader.vertices(&[("place", 5)], &[0.0; 15])).contains("1 to 4 components"));
        assert!(line(shader.draw(0, 1)).contains("size 0x1 has no elements"));
        let huge = gpu.limits().texture_size + 1;
        assert!(line(shader.draw(huge, 1)).contains("the limit is"));
        let unlinked = "#version 330 core\nin vec3 no; out float r; void main() { r = no.x; }";
        let other = "#version 330 core\nin vec2 place; out vec2 no; void main() { no = place; gl_Position = vec4(place, 0.0, 1.0); }";
        let unlinked = line(gpu.shader((other, unlinked)));
        assert!(unlinked.starts_with("fragment shader: does not link: "), "{unlinked}");
        assert!(line(Image::new(2, 2, 1, vec![0.0; 3])).contains("3 values given, 4 expected"));
        assert!(line(Image::random(1, 1, 1).save("picture.bmp")).contains("expected a .png or an .exr"));
        Ok(())
    })
}
