//! A reduction in order: 2×2 matrices do not commute, and their product from left to right is the result.

use quadrille::{Gpu, pug::Operator};

// A texel is the matrix (x y; z w).
const PRODUCT: &str =
    "vec4(a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w, a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w)";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    // (1 1; 1 0)ⁿ holds Fibonacci's numbers. One matrix of another kind in their midst makes the order matter.
    let matrices: Vec<[f32; 4]> =
        (0..21).map(|i| if i == 7 { [1.0, 2.0, 0.0, 1.0] } else { [1.0, 1.0, 1.0, 0.0] }).collect();
    let x = gpu.buffer(7, 3).components(4).init(&matrices.concat())?;
    let found = gpu.reduction(Operator::custom("product", PRODUCT, [1.0, 0.0, 0.0, 1.0])).value(&x)?;
    let expected = matrices.iter().fold([1.0, 0.0, 0.0, 1.0], |[a, b, c, d], [e, f, g, h]| {
        [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h]
    });
    println!("{found:?}");
    assert_eq!(found, expected);
    Ok(())
}
