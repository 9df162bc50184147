//! Reductions: a sum, and an operator of one's own. Elements (n, mean, sum of squared deviations) are combined pair by pair
//! (Chan, Golub & LeVeque 1979), which keeps the digits that Σx² − (Σx)²/n loses.

use quadrille::{Gpu, pug::Operator};

const LIFT: &str = "
    uniform Stream x;
    DOMAIN here;
    RANGE vec3 moments;
    void main() { moments = vec3(1.0, value2(x, here).x, 0.0); }";

// a and b are the two that are combined; n = 0 is the identity.
const COMBINE: &str = "vec4(a.x + b.x, a.x + b.x > 0.0 ? (a.x * a.y + b.x * b.y) / (a.x + b.x) : 0.0,
    a.z + b.z + (a.x + b.x > 0.0 ? (b.y - a.y) * (b.y - a.y) * a.x * b.x / (a.x + b.x) : 0.0), 0.0)";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let values: Vec<f32> = (0..41 * 49).map(|i| 1000.0 + (i * 7919 % 101) as f32).collect();
    let x = gpu.buffer(41, 49).init(&values)?;
    let sum = gpu.reduction(Operator::sum()).value(&x)?[0];

    let moments = gpu.buffer(41, 49).components(3).build()?;
    gpu.program("lift", LIFT)?.bind_stream("x", &x)?.run(&moments)?;
    let found = gpu.reduction(Operator::custom("variance", COMBINE, [0.0; 4])).value(&moments)?;
    let (mean, variance) = (found[1], found[2] / found[0]);
    println!("sum {sum}, mean {mean}, variance {variance}");

    let n = values.len() as f64;
    let exact_mean = values.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
    let exact = values.iter().map(|x| (f64::from(*x) - exact_mean).powi(2)).sum::<f64>() / n;
    assert!(
        (f64::from(sum) / n - exact_mean).abs() < 1e-3 && (f64::from(variance) - exact).abs() < 1e-3 * exact
    );
    Ok(())
}
