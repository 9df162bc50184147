//! Weights in a stream: a row of weights is an input like any other, so one kernel serves every filter.

use quadrille::{Edges, Gpu};

const KERNEL: &str = "
    uniform Stream x, weights;
    DOMAIN here;
    RANGE float result;
    void main() {
        result = 0.0;
        for (float i = 0.0; i < weights.extent.x; i += 1.0)
            result += value2(weights, vec2(i + 0.5, 0.5)).x * value2(x, here + vec2(i - 2.0, 0.0)).x;
    }";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let signal = [0.0, 0.0, 0.0, 16.0, 0.0, 0.0, 0.0, 8.0];
    let binomial = [1.0, 4.0, 6.0, 4.0, 1.0].map(|w| w / 16.0);
    let x = gpu.buffer(8, 1).edges(Edges::Mirror).init(&signal)?;
    let weights = gpu.buffer(5, 1).init(&binomial)?;
    let out = gpu.buffer(8, 1).build()?;
    gpu.program("convolution", KERNEL)?.bind_stream("x", &x)?.bind_stream("weights", &weights)?.run(&out)?;
    println!("{:?}", out.data()?);
    assert_eq!(out.data()?, [0.0, 1.0, 4.0, 6.0, 4.0, 1.5, 2.5, 5.0]);
    Ok(())
}
