//! Fixed edges: a pass over the inner range leaves the edge of a plate as it is. Heat spreads until the plate is harmonic.

use quadrille::{Gpu, Rect};

const KERNEL: &str = "
    uniform Stream heat;
    DOMAIN here;
    RANGE float next;
    void main() {
        next = 0.25 * (valueOffset(heat, here, ivec2(1, 0)).x + valueOffset(heat, here, ivec2(-1, 0)).x
                     + valueOffset(heat, here, ivec2(0, 1)).x + valueOffset(heat, here, ivec2(0, -1)).x);
    }";

pub fn main() -> quadrille::Result<()> {
    const SIDE: usize = 17;
    let gpu = Gpu::headless()?;
    // x² − y² is harmonic, and the five points are exact for it: the edge decides the inside.
    let exact = |i: usize| ((i % SIDE) as f32).powi(2) - ((i / SIDE) as f32).powi(2);
    let is_edge = |i: usize| [i % SIDE, i / SIDE].iter().any(|n| *n == 0 || *n == SIDE - 1);
    let start: Vec<f32> = (0..SIDE * SIDE).map(|i| if is_edge(i) { exact(i) } else { 0.0 }).collect();
    let mut heat = gpu.buffer(SIDE as u32, SIDE as u32).double().init(&start)?;
    let inner = Rect::new(1, 1, SIDE as u32 - 1, SIDE as u32 - 1);
    let mut step = gpu.program("heat", KERNEL)?;
    for _ in 0..1500 {
        step.bind_stream("heat", heat.front())?.run_over(heat.back(), inner)?;
        heat.swap();
    }
    let worst = heat.data()?.iter().enumerate().map(|(i, t)| (t - exact(i)).abs()).fold(0.0, f32::max);
    println!("largest error {worst}");
    assert!(worst < 1e-2);
    Ok(())
}
