//! Listing 31-2: a reaction-diffusion simulation, and its picture as a file that any viewer opens (PGM).

use quadrille::{Edges, Gpu, sim::gray_scott};

const KERNEL: &str = "
    uniform Stream concentration;                 // (u, v)
    uniform vec2 DuDv;
    uniform float F, k;
    DOMAIN here;
    RANGE vec2 next;
    void main() {
        vec2 c = value2(concentration, here).xy, mean = 0.25 * (
            valueOffset(concentration, here, ivec2(1, 0)) + valueOffset(concentration, here, ivec2(-1, 0)) +
            valueOffset(concentration, here, ivec2(0, 1)) + valueOffset(concentration, here, ivec2(0, -1))).xy;
        float uvv = c.x * c.y * c.y;
        next = c + DuDv * (mean - c) + vec2(F * (1.0 - c.x) - uvv, uvv - (F + k) * c.y);
    }";

pub fn main() -> quadrille::Result<()> {
    const SIDE: u32 = 128;
    let gpu = Gpu::headless()?;
    let seed = gray_scott::seed(SIDE, SIDE, 1);
    let mut state = gpu.buffer(SIDE, SIDE).components(2).edges(Edges::Repeat).double().init(&seed)?;
    let mut step = gpu.program("gray_scott", KERNEL)?;
    step.bind_float("DuDv", [0.8389, 0.4194])?.bind_float("F", 0.037)?.bind_float("k", 0.06)?;
    for _ in 0..2000 {
        step.bind_stream("concentration", state.front())?.run(state.back())?;
        state.swap();
    }
    let v: Vec<f32> = state.data()?.chunks(2).map(|texel| texel[1]).collect();
    let (least, most) = v.iter().fold((f32::MAX, f32::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    let mut picture = format!("P5 {SIDE} {SIDE} 255\n").into_bytes();
    picture.extend(v.iter().map(|v| (255.0 * (v - least) / (most - least)) as u8));
    let file = std::env::temp_dir().join("gray_scott.pgm");
    match std::fs::write(&file, picture) {
        Ok(()) => println!("{}", file.display()),
        Err(error) => println!("{}: {error}", file.display()),
    }
    assert!(least >= 0.0 && most < 0.5 && most - least > 0.2); // a pattern, not a grey plate
    Ok(())
}
