//! Strips of triangles whose vertex kernel says where each vertex lies.

use quadrille::gl::{Compare, DepthTest, Kernel, Mask};
use quadrille::{Gpu, Program, Rect, Result};

use crate::support::{on_gpu, refusal};

/// Vertex i lies at (floor(i / 2) - 1, 2 (i mod 2) - 1): squares of the target's height side by side.
const PLACED: &str = "uniform float height;
    void main() {
        float id = float(gl_VertexID), column = floor(id * 0.5);
        gl_Position = vec4(column - 1.0, (id - 2.0 * column) * 2.0 - 1.0, height, 1.0);
    }";
const VALUE: &str = "uniform float amount; RANGE float result; void main() { result = amount; }";

fn strip(gpu: &Gpu) -> Result<Program> {
    gpu.load_scatter(Kernel::new("place.vert", PLACED), Kernel::new("value.frag", VALUE))
}

#[test]
fn each_vertex_after_the_second_adds_a_triangle() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = strip(gpu)?;
        program.bind_float("height", 0.0)?.bind_float("amount", 1.0)?;
        for (count, covered) in [(0, 0), (2, 0), (4, 32), (6, 64)] {
            let target = gpu.buffer(8, 8).build()?;
            program.onto(&[&target]).counted_strip(count).run()?;
            assert_eq!(target.data()?.iter().sum::<f32>(), covered as f32, "{count} vertices");
        }
        let target = gpu.buffer(8, 8).build()?;
        program.onto(&[&target]).over(Rect::new(1, 2, 5, 3)).counted_strip(6).run()?;
        assert_eq!(target.data()?.iter().sum::<f32>(), 4.0, "the range holds");
        Ok(())
    })
}

#[test]
fn a_nearer_strip_hides_a_farther_one() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = strip(gpu)?;
        let nearest = Mask { depth: Some(DepthTest { compare: Compare::Less, write: true }), stencil: None };
        for order in [[-0.5, 0.5], [0.5, -0.5]] {
            let (target, surface) = (gpu.buffer(4, 2).build()?, gpu.depth_stencil(4, 2)?);
            for height in order {
                program.bind_float("height", height)?.bind_float("amount", height)?;
                let count = if height < 0.0 { 4 } else { 6 };
                program.onto(&[&target]).masked(&surface, nearest, 0.0).counted_strip(count).run()?;
            }
            assert_eq!(target.data()?, [-0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, 0.5]);
        }
        Ok(())
    })
}

#[test]
fn strips_without_a_vertex_kernel_or_with_attributes_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(2, 2).build()?;
        let quad = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let line = "one.frag: vertices, expected a quad: this program has no vertex kernel";
        assert_eq!(refusal(quad.onto(&[&target]).counted_strip(3).run()), line);
        let vertex = "VERTEX vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }";
        let value = "RANGE float result; void main() { result = 1.0; }";
        let attributes = gpu.load_scatter(Kernel::new("a.vert", vertex), Kernel::new("b.frag", value))?;
        let line = "b.frag: counted vertices, expected vertices with VERTEX place";
        assert_eq!(refusal(attributes.onto(&[&target]).counted_strip(3).run()), line);
        let mut program = strip(gpu)?;
        program.bind_float("height", 0.0)?.bind_float("amount", 1.0)?;
        let line = refusal(program.onto(&[&target]).counted_strip(u32::MAX).run());
        assert_eq!(line, "value.frag: number of vertices is 4294967295, the limit is 2147483647");
        Ok(())
    })
}
