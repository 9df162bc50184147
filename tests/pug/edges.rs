//! Fetches beyond the edge, against plain indices.

use quadrille::gl::Edges;
use quadrille::pug::Domain;
use quadrille::{Rect, Result};

use crate::support::{SIZES, copying, counting, edge, on_gpu};

const RULES: [Edges; 3] = [Edges::Clamp, Edges::Repeat, Edges::Mirror];

#[test]
fn neighbours_beyond_the_edge_follow_the_rule() -> Result<()> {
    on_gpu(|gpu| {
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (3, 2), (7, 7), (-8, -8)] {
            let text = format!(
                "uniform Stream a; DOMAIN at; RANGE float found;
                 void main() {{ found = valueOffset(a, at, ivec2({dx}, {dy})).x; }}"
            );
            let mut neighbour = gpu.program("neighbour.frag", &text)?;
            for (&(width, height), edges) in SIZES.iter().flat_map(|s| RULES.map(|e| (s, e))) {
                let n = width as usize * height as usize;
                let source = gpu.buffer(width, height).edges(edges).init(&counting(n))?;
                let found = gpu.buffer(width, height).build()?;
                neighbour.bind_stream("a", &source)?.run(&found)?;
                for (i, found) in found.data()?.into_iter().enumerate() {
                    let (x, y) = (i as isize % width as isize, i as isize / width as isize);
                    let expected = edge(edges, y + dy, height) * width as usize + edge(edges, x + dx, width);
                    let place = format!("{x},{y} + {dx},{dy} of {width}x{height} {edges:?}");
                    assert_eq!(found, expected as f32, "{place}");
                }
            }
            neighbour.release_streams();
        }
        Ok(())
    })
}

#[test]
fn a_domain_far_outside_follows_the_rule() -> Result<()> {
    on_gpu(|gpu| {
        for (&(width, height), edges) in SIZES.iter().flat_map(|s| RULES.map(|e| (s, e))) {
            let n = width as usize * height as usize;
            let source = gpu.buffer(width, height).edges(edges).init(&counting(n))?;
            // Five texels a side: two periods to the left and below, into the next one to the right.
            let corner = [-2 * width as i32 - 1, -2 * height as i32 - 1];
            let (across, up) = (4 * width + 2, 4 * height + 2);
            let target = gpu.buffer(across, up).build()?;
            let [x0, y0] = corner.map(|c| c as f32);
            let domain = Domain::new(x0, y0, x0 + across as f32, y0 + up as f32);
            copying(gpu, &source)?.bind_domain("at", domain)?.run(&target)?;
            for (i, found) in target.data()?.into_iter().enumerate() {
                let x = (i as u32 % across) as isize + corner[0] as isize;
                let y = (i as u32 / across) as isize + corner[1] as isize;
                let expected = edge(edges, y, height) * width as usize + edge(edges, x, width);
                assert_eq!(found, expected as f32, "{x},{y} of {width}x{height} {edges:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn edge_rules_belong_to_the_buffer_not_to_the_unit() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream a, b; DOMAIN at; RANGE vec2 found;
                    void main() { found = vec2(valueOffset(a, at, ivec2(-1, 0)).x, valueOffset(b, at, ivec2(-1, 0)).x); }";
        let mut both = gpu.program("both.frag", text)?;
        let source = |edges| gpu.buffer(5, 1).edges(edges).init(&counting(5));
        let found = gpu.buffer(5, 1).components(2).build()?;
        for (first, second, expected) in
            [(Edges::Clamp, Edges::Repeat, [0.0, 4.0]), (Edges::Repeat, Edges::Mirror, [4.0, 0.0])]
        {
            both.bind_stream("a", &source(first)?)?.bind_stream("b", &source(second)?)?.run(&found)?;
            assert_eq!(found.data_of(Rect::whole(1, 1))?, expected);
        }
        Ok(())
    })
}
