//! Results: outputs by name, formats, depth.

use quadrille::Result;
use quadrille::testing::{self, Image, Storage, assert_close};

#[test]
fn outputs_come_back_by_name_and_as_wide_as_they_are() -> Result<()> {
    let text = "#version 330 core
        layout(location = 2) out vec2 second; layout(location = 0) out vec4 first; in vec2 uv;
        void main() { first = vec4(gl_FragCoord.xy, 1.0, 0.5); second = uv; }";
    testing::both(|gpu| {
        let drawn = gpu.shader(text)?.draw_all(3, 2)?;
        let names: Vec<&str> = drawn.outputs().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["first", "second"]);
        let second = drawn.output("second")?;
        assert_eq!((second.components(), second.width(), second.height()), (2, 3, 2));
        assert_close!(second, second.expected(|at| at.uv()), 1e-6);
        assert_eq!(&drawn.output("first")?[(2, 1)], [2.5, 1.5, 1.0, 0.5]);
        assert!(
            drawn
                .output("third")
                .is_err_and(|e| e.to_string().contains("no output \"third\": it has first, second"))
        );
        Ok(())
    })
}

#[test]
fn bytes_and_srgb_are_stored_as_such() -> Result<()> {
    let text = "#version 330 core\nout vec4 colour; uniform vec4 value; void main() { colour = value; }";
    testing::both(|gpu| {
        let mut shader = gpu.shader(text)?;
        shader.set("value", [0.5, 1.5, -1.0, 0.1])?;
        assert_eq!(shader.draw(1, 1)?.values(), [0.5, 1.5, -1.0, 0.1]);
        let bytes = shader.storage(Storage::Bytes).draw(1, 1)?;
        // 127.5 may go to either side.
        assert_close!(bytes, Image::from_fn(1, 1, |_, _| [0.5, 1.0, 0.0, 0.1]), 0.6 / 255.0);
        assert!(
            bytes
                .values()
                .iter()
                .all(|v| (255.0 * v).fract() == 0.0 || (255.0 * v - (255.0 * v).round()).abs() < 1e-4)
        );
        // 1.055 · 0.5^(1/2.4) − 0.055 = 0.7354; alpha is no colour.
        let srgb = shader.storage(Storage::Srgb).draw(1, 1)?;
        assert_close!(srgb, Image::from_fn(1, 1, |_, _| [0.7354, 1.0, 0.0, 0.1]), 1.0 / 255.0);
        assert_eq!(shader.storage(Storage::Float).draw(1, 1)?.values(), [0.5, 1.5, -1.0, 0.1]);
        Ok(())
    })
}

#[test]
fn depth_is_tested_and_read_back() -> Result<()> {
    let vertex = "#version 330 core\nin vec3 place; out float near; void main() { near = place.z; gl_Position = vec4(place, 1.0); }";
    let fragment = "#version 330 core\nin float near; out float colour; void main() { colour = near; }";
    let triangle = |z: f32| [-1.0, -1.0, z, 3.0, -1.0, z, -1.0, 3.0, z];
    testing::both(|gpu| {
        let mut shader = gpu.shader((vertex, fragment))?;
        let two = [triangle(-0.5), triangle(0.5)].concat();
        shader.vertices(&[("place", 3)], &two)?;
        assert_eq!(shader.draw(2, 2)?.values(), [0.5; 4], "without a depth buffer the last one stays");
        let drawn = shader.depth(true).draw_all(2, 2)?;
        assert_eq!(drawn.output("colour")?.values(), [-0.5; 4]);
        let depth = drawn.depth().map(|image| image.values().to_vec());
        assert_eq!(depth, Some(vec![0.25; 4]));
        let own =
            "#version 330 core\nout float r; void main() { r = 1.0; gl_FragDepth = gl_FragCoord.x / 8.0; }";
        let drawn = gpu.shader(own)?.depth(true).draw_all(2, 1)?;
        assert_eq!(drawn.depth().map(|image| image.values().to_vec()), Some(vec![0.0625, 0.1875]));
        Ok(())
    })
}

#[test]
fn texels_that_nothing_covers_are_zero_and_the_library_goes_on() -> Result<()> {
    let text =
        "#version 330 core\nout vec4 r; void main() { if (gl_FragCoord.x > 1.0) discard; r = vec4(2.0); }";
    testing::both(|gpu| {
        let square = |gpu: &quadrille::Gpu| -> Result<Vec<f32>> {
            let (four, target) = (gpu.buffer(2, 2).init(&[1.0, 2.0, 3.0, 4.0])?, gpu.buffer(2, 2).build()?);
            let mut square = gpu.program("s", "uniform Stream x; DOMAIN at; RANGE float r; void main() { float v = value2(x, at).x; r = v * v; }")?;
            square.bind_stream("x", &four)?.run(&target)?;
            target.data()
        };
        let before = square(gpu)?;
        let shader = gpu.shader(text)?;
        assert_eq!(shader.draw(2, 1)?.values(), [2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((square(gpu)?, shader.draw(1, 1)?.values()), (before, &[2.0; 4][..]));
        Ok(())
    })
}
