//! Scatter: points whose vertex kernel says where each goes.

use quadrille::gl::Kernel;
use quadrille::pug::Samples;
use quadrille::{Gpu, Program, Rect, Result};

use crate::support::{Random, SIZES, counting, on_gpu, refusal};

const PLACED: &str = "VERTEX vec2 place; VERTEX float amount; out float carried;
                      void main() { scatter(place); carried = amount; }";
const FETCHED: &str = "uniform Stream places; out float carried;
    void main() {
        vec2 place = value2(places, vec2(float(gl_VertexID) + 0.5, 0.5)).xy;
        scatter(place);
        if (place.x < 0.0) { scatter_nowhere(); }
        carried = float(gl_VertexID);
    }";
const VALUE: &str = "in float carried; RANGE float result; void main() { result = carried; }";

fn scatter(gpu: &Gpu, vertex: &str) -> Result<Program> {
    gpu.load_scatter(Kernel::new("place.vert", vertex), Kernel::new("value.frag", VALUE))
}

/// (x, y, index) of every element, in a random order.
fn everywhere(width: u32, height: u32) -> Vec<f32> {
    let order = Random(5).shuffled(width as usize * height as usize);
    let place = |i: usize| [i as u32 % width, i as u32 / width, i as u32].map(|v| v as f32);
    order.into_iter().flat_map(place).collect()
}

#[test]
fn each_point_lands_exactly_on_its_element_and_on_no_other() -> Result<()> {
    on_gpu(|gpu| {
        let side = gpu.limits().texture_size;
        let program = scatter(gpu, PLACED)?;
        for &(width, height) in SIZES.iter().chain(&[(side, 1), (1, side), (4093, 3)]) {
            let vertices = everywhere(width, height);
            let n = vertices.len() / 3;
            let vertices = gpu.vertices(&[("place", 2), ("amount", 1)], &vertices)?;
            let target = gpu.buffer(width, height).init(&vec![-1.0; n])?;
            program.onto(&[&target]).points(&vertices).run()?;
            assert!(target.data()? == counting(n), "{width}x{height}");
            // Every texel once and the sum of its visits is its index: no point touches a second texel.
            let target = gpu.buffer(width, height).build()?;
            program.onto(&[&target]).points(&vertices).adding().run()?;
            assert!(target.data()? == counting(n), "{width}x{height}, added");
        }
        Ok(())
    })
}

#[test]
fn corner_points_land_in_the_corners_and_leave_the_rest() -> Result<()> {
    on_gpu(|gpu| {
        let program = scatter(gpu, PLACED)?;
        for &(width, height) in SIZES {
            let (right, top) = ((width - 1) as f32, (height - 1) as f32);
            let corners = [[0.0, 0.0, 1.0], [right, 0.0, 1.0], [0.0, top, 1.0], [right, top, 1.0]];
            let corners = gpu.vertices(&[("place", 2), ("amount", 1)], corners.as_flattened())?;
            let target = gpu.buffer(width, height).build()?;
            program.onto(&[&target]).points(&corners).run()?;
            for (i, found) in target.data()?.into_iter().enumerate() {
                let (x, y) = (i as u32 % width, i as u32 / width);
                let corner = (x == 0 || x == width - 1) && (y == 0 || y == height - 1);
                assert_eq!(found, f32::from(u8::from(corner)), "{x},{y} of {width}x{height}");
            }
        }
        Ok(())
    })
}

/// The convention of all words: centres at n + 1/2, and a texel reaches from n to n + 1. No point that lies in the target is
/// lost, and none outside is drawn.
#[test]
fn a_point_goes_to_the_texel_in_which_its_position_lies() -> Result<()> {
    on_gpu(|gpu| {
        let program = scatter(gpu, PLACED)?;
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let target = gpu.buffer(width, height).build()?;
            for way in [[0.5, 0.5], [0.0, 0.0], [0.984_375, 0.984_375], [0.0, 0.75], [0.984_375, 0.25]] {
                let mut vertices = everywhere(width, height);
                for vertex in vertices.chunks_exact_mut(3) {
                    vertex[0] += way[0];
                    vertex[1] += way[1];
                }
                let vertices = gpu.vertices(&[("place", 2), ("amount", 1)], &vertices)?;
                target.write(&vec![-1.0; n])?;
                let drawn = || program.onto(&[&target]).points(&vertices).run();
                let ((), passed) = gpu.samples(drawn)?;
                assert!(
                    target.data()? == counting(n),
                    "{width}x{height}, {way:?} from the corner of each texel"
                );
                let passed = passed.wait()?;
                assert!(matches!(passed, Samples::Any(true)) || passed == Samples::Count(n as u64));
            }
            // Just outside, each with an amount that would show.
            let (right, top) = (width as f32, height as f32);
            let near = 1.0 / 64.0;
            let outside = [[-near, 0.5], [right, 0.5], [0.5, -near], [0.5, top], [right, top], [-0.5, -0.5]];
            let outside: Vec<f32> = outside.iter().flat_map(|[x, y]| [*x, *y, 7.0]).collect();
            let outside = gpu.vertices(&[("place", 2), ("amount", 1)], &outside)?;
            target.write(&vec![-1.0; n])?;
            program.onto(&[&target]).points(&outside).run()?;
            assert!(target.data()?.iter().all(|&v| v == -1.0), "{width}x{height}, outside");
        }
        Ok(())
    })
}

/// A kernel writes where another one reads by the same position.
#[test]
fn what_is_scattered_to_a_position_is_fetched_from_it() -> Result<()> {
    on_gpu(|gpu| {
        let vertex = "uniform Stream places; out float carried;
            void main() {
                vec2 place = fold(places, float(gl_VertexID));
                carried = value2(places, place).x;
                scatter(place);
            }";
        let mut program = scatter(gpu, vertex)?;
        let source = gpu.array(4099).init(&counting(4099))?;
        program.bind_stream("places", &source)?;
        let target = gpu.array(4099).build()?;
        program.onto(&[&target]).counted_points(4099).run()?;
        assert!(target.data()? == counting(4099));
        Ok(())
    })
}

#[test]
fn counted_points_fetch_their_place_and_some_go_nowhere() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = scatter(gpu, FETCHED)?;
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let n = n.min(gpu.limits().texture_size as usize);
            let mut places: Vec<f32> =
                everywhere(width, height).chunks_exact(3).flat_map(|v| [v[0], v[1]]).collect();
            places.truncate(2 * n);
            let mut expected = vec![-7.0; width as usize * height as usize];
            for (id, place) in places.chunks_exact_mut(2).enumerate() {
                match id % 3 {
                    2 => place[0] = -1.0,
                    _ => expected[place[1] as usize * width as usize + place[0] as usize] = id as f32,
                }
            }
            let target = gpu.buffer(width, height).init(&vec![-7.0; expected.len()])?;
            let places = gpu.buffer(n as u32, 1).components(2).init(&places)?;
            program.bind_stream("places", &places)?;
            program.onto(&[&target]).counted_points(n as u32).run()?;
            assert!(target.data()? == expected, "{width}x{height}");
        }
        Ok(())
    })
}

#[test]
fn later_points_lie_over_earlier_ones() -> Result<()> {
    on_gpu(|gpu| {
        let vertices: Vec<f32> = (0..100).flat_map(|i| [1.0, 1.0, i as f32]).collect();
        let vertices = gpu.vertices(&[("place", 2), ("amount", 1)], &vertices)?;
        let target = gpu.buffer(3, 3).build()?;
        scatter(gpu, PLACED)?.onto(&[&target]).points(&vertices).run()?;
        assert_eq!(target.data()?, [0.0, 0.0, 0.0, 0.0, 99.0, 0.0, 0.0, 0.0, 0.0]);
        Ok(())
    })
}

#[test]
fn points_outside_the_range_are_not_written() -> Result<()> {
    on_gpu(|gpu| {
        let vertices = gpu.vertices(&[("place", 2), ("amount", 1)], &everywhere(11, 10))?;
        let target = gpu.buffer(11, 10).init(&[-1.0; 110])?;
        let range = Rect::new(2, 3, 7, 5);
        let program = scatter(gpu, PLACED)?;
        program.onto(&[&target]).over(range).points(&vertices).run()?;
        for (i, found) in target.data()?.into_iter().enumerate() {
            let inside = (2..7).contains(&(i % 11)) && (3..5).contains(&(i / 11));
            assert_eq!(found, if inside { i as f32 } else { -1.0 });
        }
        program.onto(&[&target]).points(&vertices).run()?; // and the next run is whole again
        assert_eq!(target.data()?, counting(110));
        Ok(())
    })
}

#[test]
fn vertices_that_differ_from_the_kernels_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(2, 2).build()?;
        let program = scatter(gpu, PLACED)?;
        let other = gpu.vertices(&[("amount", 1), ("place", 2)], &[0.0; 3])?;
        let line = "value.frag: vertices with amount, place, expected VERTEX place, amount";
        assert_eq!(refusal(program.onto(&[&target]).points(&other).run()), line);
        // Without a vertex buffer its attributes would be whatever GL last had there.
        let line = "value.frag: counted points, expected vertices with VERTEX place, amount";
        assert_eq!(refusal(program.onto(&[&target]).counted_points(1).run()), line);
        let line = "value.frag: a quad, expected points: this program has a vertex kernel";
        assert_eq!(refusal(program.run(&target)), line);
        let quad = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let line = "one.frag: points, expected a quad: this program has no vertex kernel";
        assert_eq!(refusal(quad.onto(&[&target]).points(&other).run()), line);
        let ragged = refusal(gpu.vertices(&[("place", 2)], &[0.0; 3]));
        assert_eq!(ragged, "vertex buffer of 3 values: 3 values given, 4 expected (2 values a vertex)");
        assert!(refusal(gpu.vertices(&[("place", 2)], &[])).contains("has no elements"));
        assert!(refusal(gpu.vertices(&[("place", 5)], &[0.0; 5])).contains("1 to 4 components each"));
        let domain = Kernel::new("value.frag", "DOMAIN at; RANGE float r; void main() { r = at.x; }");
        let line = refusal(gpu.load_scatter(Kernel::new("place.vert", PLACED), domain));
        assert!(
            line.starts_with("value.frag:1: `DOMAIN at;") && line.contains("points have no DOMAIN"),
            "{line}"
        );
        Ok(())
    })
}
