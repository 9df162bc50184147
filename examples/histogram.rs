//! Scatter: every element of an image is a point that adds 1 to its bin.

use quadrille::{Gpu, gl::Kernel};

const PLACE: &str = "
    VERTEX vec4 values;                           // four pixels a vertex would be four draws: here one each
    void main() { scatter(vec2(floor(values.x * 16.0), 0.0) + 0.5); }";
const COUNT: &str = "
    RANGE float count;
    void main() { count = 1.0; }";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let image: Vec<f32> = (0..1000).map(|i| (i * i % 997) as f32 / 997.0).collect();
    let vertices =
        gpu.vertices(&[("values", 4)], &image.iter().flat_map(|v| [*v, 0.0, 0.0, 0.0]).collect::<Vec<_>>())?;
    let bins = gpu.buffer(16, 1).build()?;
    let program = gpu.load_scatter(Kernel::new("place", PLACE), Kernel::new("count", COUNT))?;
    program.onto(&[&bins]).points(&vertices).adding().run()?;

    let counts = bins.data()?;
    for (bin, count) in counts.iter().enumerate() {
        println!("{:5.3} {}", bin as f32 / 16.0, "*".repeat((count / 2.0) as usize));
    }
    let mut expected = [0.0; 16];
    image.iter().for_each(|value| expected[(value * 16.0) as usize] += 1.0);
    assert_eq!(counts, expected);
    Ok(())
}
