//! A matrix of one's own in conjugate gradients: A x = (1 + s) x − mean of the four neighbours, never stored, only applied.

use quadrille::linalg::{Algebra, LinearOperator, Op, Packed2x2, Vector};
use quadrille::solve::{Settings, solve};
use quadrille::{Buffer, Edges, Gpu, Program, Result};

const KERNEL: &str = "
    uniform Stream x;
    uniform float s;
    DOMAIN here;
    RANGE float product;
    void main() {
        float around = valueOffset(x, here, ivec2(1, 0)).x + valueOffset(x, here, ivec2(-1, 0)).x
                     + valueOffset(x, here, ivec2(0, 1)).x + valueOffset(x, here, ivec2(0, -1)).x;
        product = (1.0 + s) * value2(x, here).x - 0.25 * around;
    }";

struct Screened {
    algebra: Algebra,
    kernel: Program,
    layout: Packed2x2,
    grid: Buffer, // x and A x, one element a texel
    product: Buffer,
}

impl LinearOperator for Screened {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }
    fn rows(&self) -> Packed2x2 {
        self.layout
    }
    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        x.unpack(&self.grid)?;
        self.kernel.run(&self.product)?;
        out.pack(&self.product)?;
        op.add_to(out)
    }
}

pub fn main() -> Result<()> {
    const SIDES: [u32; 2] = [31, 57];
    let gpu = Gpu::headless()?;
    let field = || gpu.buffer(SIDES[0], SIDES[1]).edges(Edges::Repeat).build();
    let (grid, product, mut kernel) = (field()?, field()?, gpu.program("screened", KERNEL)?);
    kernel.bind_stream("x", &grid)?.bind_float("s", 0.1)?;
    let layout = Packed2x2::grid(SIDES[0], SIDES[1])?;
    let a = Screened { algebra: Algebra::new(&gpu), kernel, layout, grid, product };

    // On a torus A·1 = s·1, and the wave below is an eigenvector, too.
    let wave = |i: u32| (f64::from(i % SIDES[0]) * std::f64::consts::TAU / f64::from(SIDES[0])).cos();
    let eigenvalue = 1.1 - 0.5 - 0.5 * (std::f64::consts::TAU / f64::from(SIDES[0])).cos();
    let b: Vec<f64> = (0..SIDES[0] * SIDES[1]).map(|i| 1.0 + wave(i)).collect();
    let solution = solve(&a, &b, None, &Settings { tolerance: 1e-5, ..Settings::default() })?;
    let exact = |i: usize| 10.0 + wave(i as u32) / eigenvalue;
    let worst = solution.x.iter().enumerate().map(|(i, x)| (x - exact(i)).abs()).fold(0.0, f64::max);
    println!("{}; largest error {worst:.1e}", solution.report.reason);
    assert!(worst < 1e-3);
    Ok(())
}
