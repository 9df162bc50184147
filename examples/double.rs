//! One pass: out[i] = 2 · x[i] for all elements at once.

use quadrille::Gpu;

const KERNEL: &str = "
    uniform Stream x;
    DOMAIN here;                                  // the texel of x that stands where this fragment writes
    RANGE float result;
    void main() { result = 2.0 * value2(x, here).x; }";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let x = gpu.buffer(5, 1).init(&[3.0, 1.0, 4.0, 1.0, 5.0])?;
    let out = gpu.buffer(5, 1).build()?;
    let mut double = gpu.program("double", KERNEL)?;
    double.bind_stream("x", &x)?.run(&out)?;
    println!("{:?}", out.data()?);
    assert_eq!(out.data()?, [6.0, 2.0, 8.0, 2.0, 10.0]);
    Ok(())
}
