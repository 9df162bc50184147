//! Several targets: one pass writes the sum and the difference of two streams, as a butterfly of the Fourier transform does.

use quadrille::Gpu;

const KERNEL: &str = "
    uniform Stream a, b;
    DOMAIN here;
    RANGE float sum;
    RANGE float difference;
    void main() {
        float left = value2(a, here).x, right = value2(b, here).x;
        sum = left + right;
        difference = left - right;
    }";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let a = gpu.buffer(3, 1).init(&[5.0, 7.0, 9.0])?;
    let b = gpu.buffer(3, 1).init(&[1.0, 2.0, 4.0])?;
    let (sum, difference) = (gpu.buffer(3, 1).build()?, gpu.buffer(3, 1).build()?);
    let mut butterfly = gpu.program("butterfly", KERNEL)?;
    butterfly.bind_stream("a", &a)?.bind_stream("b", &b)?;
    butterfly.onto(&[&sum, &difference]).run()?;
    println!("{:?} {:?}", sum.data()?, difference.data()?);
    assert_eq!((sum.data()?, difference.data()?), (vec![6.0, 9.0, 13.0], vec![4.0, 5.0, 5.0]));
    Ok(())
}
