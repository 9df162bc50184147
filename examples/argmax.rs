//! A reduction that remembers where: elements are (value, index), and the larger one wins; of equals the one that comes first.

use quadrille::{Gpu, pug::Operator};

const LIFT: &str = "
    uniform Stream x;
    DOMAIN here;
    RANGE vec2 found;
    void main() { found = vec2(value2(x, here).x, floor(here.y) * x.extent.x + floor(here.x)); }";

const LARGER: &str = "a.x > b.x || (a.x == b.x && a.y < b.y) ? a : b";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let values: Vec<f32> = (0..31 * 57).map(|i| (i * 389 % 1009) as f32).collect();
    let x = gpu.buffer(31, 57).init(&values)?;
    let places = gpu.buffer(31, 57).components(2).build()?;
    gpu.program("lift", LIFT)?.bind_stream("x", &x)?.run(&places)?;
    let nothing = [f32::NEG_INFINITY, f32::INFINITY, 0.0, 0.0];
    let found = gpu.reduction(Operator::custom("argmax", LARGER, nothing)).value(&places)?;
    println!("{} at {}", found[0], found[1]);
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    assert_eq!(found, [largest, values.iter().position(|v| *v == largest).unwrap_or(0) as f32]);
    Ok(())
}
