//! Gray–Scott as two nested loops.

use quadrille::layout::Edges;

/// One step of u' = (1 − Du) u + Du·mean₄(u) − u v² + F (1 − u), v' = (1 − Dv) v + Dv·mean₄(v) + u v² − (F + k) v.
///
/// # Shapes
/// `state` holds width × height pairs (u, v), row after row.
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs*, Listing 31-1.
pub fn step(
    state: &[f64],
    width: usize,
    height: usize,
    [feed, kill, du, dv]: [f64; 4],
    edges: Edges,
) -> Vec<f64> {
    let beyond = |i: isize, n: usize| match edges {
        Edges::Repeat => i.rem_euclid(n as isize) as usize,
        Edges::Clamp | Edges::Mirror => i.clamp(0, n as isize - 1) as usize,
    };
    let at = |x: isize, y: isize, c: usize| state[(beyond(y, height) * width + beyond(x, width)) * 2 + c];
    let mut next = vec![0.0; state.len()];
    for y in 0..height as isize {
        for x in 0..width as isize {
            let mean = |c| (at(x + 1, y, c) + at(x - 1, y, c) + at(x, y + 1, c) + at(x, y - 1, c)) / 4.0;
            let (u, v) = (at(x, y, 0), at(x, y, 1));
            let cell = (y as usize * width + x as usize) * 2;
            next[cell] = (1.0 - du) * u + du * mean(0) - u * v * v + feed * (1.0 - u);
            next[cell + 1] = (1.0 - dv) * v + dv * mean(1) + u * v * v - (feed + kill) * v;
        }
    }
    next
}
