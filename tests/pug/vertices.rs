//! Vertices that passes have computed: out of a buffer, on the GPU.

use quadrille::gl::Kernel;
use quadrille::pug::Precision;
use quadrille::{Buffer, Gpu, Result};

use crate::support::{Random, counting, on_gpu, refusal};

/// Element i of n goes to place (i + shift) modulo n of a row.
const PLACES: &str = "uniform float shift, count; DOMAIN at; RANGE vec4 vertex;
    void main() {
        float i = floor(at.x) + 65.0 * floor(at.y);
        float place = i + shift;
        place -= place < count ? 0.0 : count;
        vertex = vec4(place + 0.5, 0.5, i, 1000.0 + i);
    }";

fn points(gpu: &Gpu, vertex: &str) -> Result<quadrille::Program> {
    let value = "in float carried; RANGE float result; void main() { result = carried; }";
    gpu.load_scatter(Kernel::new("place.vert", vertex), Kernel::new("value.frag", value))
}

#[test]
fn what_a_pass_has_computed_is_drawn_as_points() -> Result<()> {
    on_gpu(|gpu| {
        let n = 65 * 65 - 3; // folded into 65 x 65: the last row is part empty
        let places = gpu.array(n).components(4).build()?;
        assert_eq!((places.width(), places.height()), (65, 65));
        let mut compute = gpu.program("places.frag", PLACES)?;
        compute.bind_float("count", n as f32)?;
        let program = points(
            gpu,
            "VERTEX vec2 place; VERTEX float index; VERTEX float more; out float carried;
             void main() { scatter(place); carried = more - 1000.0 + 0.0 * index; }",
        )?;
        let attributes = [("place", 2), ("index", 1), ("more", 1)];
        let target = gpu.buffer(n as u32, 1).build()?;
        let mut vertices = None;
        let before = gpu.counters();
        for shift in [0, 1, 4000] {
            compute.bind_float("shift", shift as f32)?.run(&places)?;
            let vertices = match &mut vertices {
                None => vertices.insert(gpu.vertices_of(&attributes, &places)?),
                Some(vertices) => {
                    places.copy_to_vertices(vertices)?;
                    vertices
                }
            };
            assert_eq!(vertices.len(), n);
            program.onto(&[&target]).points(vertices).run()?;
            let mut expected = counting(n);
            expected.rotate_right(shift);
            assert!(target.data()? == expected, "moved by {shift}");
        }
        let after = gpu.counters();
        assert_eq!(
            (after.read_backs - before.read_backs, after.uploads - before.uploads),
            (3, 0),
            "of the target"
        );
        Ok(())
    })
}

/// Vertices of two values, and of three, out of texels of four.
#[test]
fn values_follow_each_other_whatever_the_size_of_a_vertex() -> Result<()> {
    on_gpu(|gpu| {
        let values = Random(3).floats(4 * 33 * 3);
        let source = gpu.buffer(33, 3).components(4).init(&values)?;
        for (components, kind) in [(1, "float"), (2, "vec2"), (3, "vec3"), (4, "vec4")] {
            let program = points(
                gpu,
                &format!(
                    "VERTEX {kind} v; out float carried;
                     void main() {{ scatter(vec2(float(gl_VertexID) + 0.5)); carried = dot(vec4(v{}), vec4(1.0)); }}",
                    ", 0.0".repeat(4 - components)
                )
                .replace("scatter(vec2(float(gl_VertexID) + 0.5))", "scatter(vec2(float(gl_VertexID) + 0.5, 0.5))"),
            )?;
            let vertices = gpu.vertices_of(&[("v", components)], &source)?;
            assert_eq!(vertices.len(), values.len() / components);
            let drawn = |vertices| -> Result<Vec<f32>> {
                let target = gpu.buffer((values.len() / components) as u32, 1).build()?;
                program.onto(&[&target]).points(vertices).run()?;
                target.data()
            };
            let uploaded = gpu.vertices(&[("v", components)], &values)?;
            assert!(drawn(&vertices)? == drawn(&uploaded)?, "{kind}");
        }
        Ok(())
    })
}

#[test]
fn buffers_that_are_no_vertices_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let attributes = [("place", 2), ("more", 2)];
        let refused = |buffer: &Buffer| refusal(gpu.vertices_of(&attributes, buffer));
        let line = "vertices out of a buffer: buffer 3x2x2 Float32, expected 12 values, four 32-bit components an element";
        assert_eq!(refused(&gpu.buffer(3, 2).components(2).build()?), line);
        let half = gpu.buffer(3, 2).components(4).precision(Precision::Float16).build()?;
        assert!(refused(&half).contains("Float16"));
        let four = |width| gpu.buffer(width, 2).components(4).build();
        let line = "vertex buffer of 24 values: 24 values given, 27 expected (9 values a vertex)";
        let nine = [("a", 4), ("b", 4), ("c", 1)];
        assert_eq!(refusal(gpu.vertices_of(&nine, &four(3)?)), line);
        let mut vertices = gpu.vertices_of(&attributes, &four(3)?)?;
        let line = refusal(four(4)?.copy_to_vertices(&mut vertices));
        assert!(line.contains("buffer 4x2x4") && line.contains("expected 24 values"), "{line}");
        on_gpu(|other| {
            let line = "source of a vertex buffer belongs to another context";
            let source = other.buffer(3, 2).components(4).build()?;
            assert_eq!(refusal(source.copy_to_vertices(&mut vertices)), line);
            assert_eq!(refusal(gpu.vertices_of(&attributes, &source)), line);
            Ok(())
        })
    })
}

/// Vertices that the CPU has made have no room for what lies after the end of a folded array.
#[test]
fn uploaded_vertices_are_filled_from_a_folded_array() -> Result<()> {
    on_gpu(|gpu| {
        let text = "VERTEX vec4 v; out float carried; void main() { scatter(v.xy); carried = v.w; }";
        let program = points(gpu, text)?;
        for n in [1, 2, 3, 7, 31, 64, 1009] {
            let values: Vec<f32> =
                (0..n).flat_map(|i| [(n - 1 - i) as f32 + 0.5, 0.5, 0.0, i as f32]).collect();
            let array = gpu.array(n).components(4).init(&values)?;
            let mut vertices = gpu.vertices(&[("v", 4)], &vec![0.25; 4 * n])?;
            array.copy_to_vertices(&mut vertices)?;
            let target = gpu.buffer(n as u32, 1).build()?;
            program.onto(&[&target]).points(&vertices).run()?;
            assert!(target.data()?.into_iter().eq(counting(n).into_iter().rev()), "{n}");
        }
        Ok(())
    })
}
