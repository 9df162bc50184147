//! Where the vertices of the water's mesh lie: each of them a texel, against its node, or its wall's foot.

use quadrille::gl::Kernel;
use quadrille::{Result, kernels};

use super::vec3::Vec3;
use super::{Field, Pixel, U, check, untouched, wide};
use crate::support::{Random, on_gpu};

/// Another beginning of a vertex kernel: what it hands over goes to a texel of its vertex's own.
const RECORD: &str = "out vec4 clip;
    void main() {
        placed();
        clip = gl_Position;
        float row = floor((float(gl_VertexID) + 0.5) / scatter_range.x);
        scatter(vec2(float(gl_VertexID) - row * scatter_range.x, row) + 0.5);
    }";

/// The numbers handed over, four at a time.
const NUMBERS: &str = "in vec3 place; in vec4 water; in float below; in vec4 clip;
    RANGE vec4 first; RANGE vec4 second; RANGE vec4 third;
    void main() { first = vec4(place, below); second = water; third = clip; }";

#[test]
fn a_vertex_of_the_water_is_its_node_or_the_foot_of_a_wall_that_faces_the_eye() -> Result<()> {
    on_gpu(|gpu| {
        let kernel = kernels::named("view/mesh_place.vert")?;
        let text = kernel.text.replace("void main()", "void placed()") + RECORD;
        let mut program =
            gpu.load_scatter(Kernel { text, ..kernel }, Kernel::new("numbers.frag", NUMBERS))?;
        let mut random = Random(8);
        let matrix = [0; 4].map(|_: i32| [0; 4].map(|_: i32| random.signed()));
        for (name, row) in ["matrix_x", "matrix_y", "matrix_z", "matrix_w"].into_iter().zip(matrix) {
            program.bind_float(name, row)?;
        }
        let half = [0.9f32, 0.5];
        let (depth, relief) = (0.2f32, 0.12f32);
        program
            .bind_float("half_sides", half)?
            .bind_float("floor_depth", depth)?
            .bind_float("relief", relief)?;
        // Nodes, and from one vertex to the next; the last ones lie at the edge, nearer than the others. Nine heights are one that is drawn.
        for (size, skip, cell) in [([6, 4], 1, 0.37f32), ([8, 5], 3, 0.26), ([2, 3], 1, 1.9)] {
            let nodes = Field::<4>::new(size, |x, y| {
                let most = if (x + y) % 3 == 0 { 20.0 } else { 1.0 };
                [most * random.signed(), random.signed(), random.signed(), random.unit()]
            });
            let [columns, rows] = size.map(|nodes| (nodes - 1u32).div_ceil(skip));
            let mesh = [columns as f32, rows as f32, skip as f32, cell];
            let a_row = 2 * (columns + 3) + 2;
            let vertices = a_row * (rows + 2);
            let target = [13, vertices.div_ceil(13)];
            program
                .bind_stream("nodes", &nodes.buffer(gpu)?)?
                .bind_float("mesh", mesh)?
                .bind_float("skip", skip as f32)?;
            // Beyond each side and none, beyond two, and beside one of them by a little.
            for eye in [
                [0.0f32, 1.0, 0.0],
                [1.5, 0.3, 0.2],
                [-0.93, 0.3, -0.4],
                [0.5, 0.3, 0.7],
                [-0.6, 2.0, -0.53],
                [-3.0, 0.1, 2.0],
            ] {
                program.bind_float("eye", eye)?;
                let targets = [untouched(gpu, target)?, untouched(gpu, target)?, untouched(gpu, target)?];
                program.onto(&targets.each_ref()).counted_points(vertices).run()?;
                let vertex = |i: usize| {
                    // A row of the strip joins a row of the mesh and the one before it; its first and last vertices come twice.
                    let (row, along) = (i as u32 / a_row, (i as u32 % a_row).clamp(1, a_row - 2) - 1);
                    let ring = [along / 2, row + 1 - along % 2].map(|n| i64::from(n) - 1);
                    let node = [(ring[0], columns), (ring[1], rows)].map(|(n, last)| n.clamp(0, last.into()));
                    let faces = |n: usize| {
                        let (eye, half) = (f64::from([eye[0], eye[2]][n]), f64::from(half[n]));
                        (ring[n] < node[n] && eye < -half) || (ring[n] > node[n] && eye > half)
                    };
                    let below = faces(0) || faces(1);
                    let water = nodes.at(node.map(|n| (n * i64::from(skip)) as f64 + 0.5));
                    let [x, z] = [0, 1].map(|n| {
                        let (at, half) =
                            (f64::from(cell) * (node[n] * i64::from(skip)) as f64, f64::from(half[n]));
                        at.min(2.0 * half) - half
                    });
                    let depth = f64::from(depth);
                    let y = (f64::from(relief) * water[0]).clamp(-0.9 * depth, 5.0 * depth);
                    (Vec3(x, if below { -depth } else { y }, z), water, below)
                };
                let what = |which: &str| format!("{which} of {size:?}, eye at {eye:?}");
                let is = |i: usize, numbers: [f64; 4]| {
                    if i < vertices as usize { Pixel::Is(numbers) } else { Pixel::Untouched }
                };
                // A place is two roundings of numbers up to 2, and a product of four such one more for each.
                check(&what("place"), &targets[0].data()?, (4.0 * U, 0.0), |_, i| {
                    let (Vec3(x, y, z), _, below) = vertex(i);
                    is(i, [x, y, z, f64::from(u8::from(below))])
                });
                check(&what("water"), &targets[1].data()?, (0.0, 0.0), |_, i| is(i, vertex(i).1));
                check(&what("clip"), &targets[2].data()?, (32.0 * U, 0.0), |_, i| {
                    let (place, ..) = vertex(i);
                    is(i, matrix.map(wide).map(|[x, y, z, w]| Vec3(x, y, z).dot(place) + w))
                });
            }
        }
        Ok(())
    })
}
