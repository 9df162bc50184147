//! Particles that scatter: positions live in a buffer, a pass moves them, and they are drawn as points into a density.

use quadrille::{Gpu, gl::Kernel};

const MOVE: &str = "
    uniform Stream particles;                     // (x, y) in 0..1, and velocity
    DOMAIN here;
    RANGE vec4 next;
    void main() {
        vec4 p = value2(particles, here);
        p.xy += 0.01 * p.zw;
        p.zw *= mix(vec2(1.0), vec2(-1.0), vec2(lessThan(p.xy, vec2(0.0))) + vec2(greaterThan(p.xy, vec2(1.0))));
        next = vec4(clamp(p.xy, 0.0, 1.0), p.zw);
    }";
const PLACE: &str = "
    VERTEX vec4 particle;
    void main() { scatter(min(particle.xy, vec2(0.9999)) * scatter_range); }";
const ONE: &str = "RANGE float count; void main() { count = 1.0; }";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let start: Vec<f32> = (0..1024_u32)
        .flat_map(|i| {
            let angle = i as f32 * 2.399_963; // the golden angle: directions spread evenly
            [0.5, 0.5, angle.cos() * (0.3 + i as f32 / 2048.0), angle.sin() * (0.3 + i as f32 / 2048.0)]
        })
        .collect();
    let mut particles = gpu.buffer(32, 32).components(4).double().init(&start)?;
    let mut step = gpu.program("move", MOVE)?;
    for _ in 0..60 {
        step.bind_stream("particles", particles.front())?.run(particles.back())?;
        particles.swap();
    }
    let vertices = gpu.vertices_of(&[("particle", 4)], particles.front())?;
    let density = gpu.buffer(16, 16).build()?;
    let draw = gpu.load_scatter(Kernel::new("place", PLACE), Kernel::new("one", ONE))?;
    draw.onto(&[&density]).points(&vertices).adding().run()?;

    let density = density.data()?;
    for row in density.chunks(16) {
        println!("{}", row.iter().map(|n| b" .:-=+*#%@"[(*n as usize).min(9)] as char).collect::<String>());
    }
    assert_eq!(density.iter().sum::<f32>(), 1024.0); // none is lost
    Ok(())
}
