//! The two iterations of Figure 3 on 1000 unknowns: conjugate gradients and projected Jacobi, by the iteration.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;
use quadrille::solve::{Bounds, LcpMethod, LcpSettings, LcpSolver, matrix_cg};
use quadrille_oracle::lcp::{projected_jacobi, random_problem};

use super::super::cpu::{Full, Gradients, Product, Threads};
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::check;
use super::on_cpu::OnCpu;

const UNKNOWNS: u32 = 1000;

/// Iterations a round at least: each round begins, and ends, with a read-back and a product in f64.
const LEAST: u32 = 128;

/// ω of projected Jacobi: below 2/λ for any matrix of [`random_problem`].
const OMEGA: f32 = -0.3;

pub fn rows(divisor: u32) -> Rows {
    let size = format!("{UNKNOWNS} unknowns");
    let row = |name: &str, build: fn(&Bench, usize) -> Result<Pair>| {
        let n = (UNKNOWNS / divisor) as usize;
        Row::new(name, &size, move |bench| Ok(build(bench, n)?.at_least(LEAST)))
    };
    vec![vec![row("CG iteration", gradients), row("projected Jacobi sweep", sweeps)]]
}

/// A, b and x on the GPU.
struct System {
    a: Matrix,
    b: Matrix,
    x: Matrix,
}

impl System {
    fn new(bench: &Bench, n: usize, a: &[f32], b: &[f32]) -> Result<System> {
        let algebra = Algebra::new(&bench.gpu);
        let (a, b) = (Matrix::new(&algebra, n, n, a)?, Matrix::new(&algebra, n, 1, b)?);
        Ok(System { x: Matrix::zeros(&algebra, n, 1)?, a, b })
    }
}

fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

struct ByGradients(System);

impl Work for ByGradients {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let System { a, b, x } = &mut self.0;
        // No tolerance that would be met, and no look.
        let bounds = Bounds { tolerance: f32::MIN_POSITIVE, max_iterations: times as usize, check_every: 0 };
        let clock = Instant::now();
        x.fill(0.0)?;
        matrix_cg(a, b, x, bounds)?;
        Ok(finished(x, clock))
    }
}

struct BySweeps(System);

impl Work for BySweeps {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let System { a, b, x } = &mut self.0;
        let solver = LcpSolver::new(a)?;
        let method = LcpMethod::Jacobi { omega: Some(OMEGA) };
        let settings =
            LcpSettings { method, max_sweeps: times as usize, check_every: 0, ..Default::default() };
        let clock = Instant::now();
        x.fill(0.0)?;
        solver.solve(b, None, x, &settings)?;
        Ok(finished(x, clock))
    }
}

fn finished(x: &Matrix, clock: Instant) -> Elapsed {
    let submitted = clock.elapsed();
    x.algebra().gpu().finish();
    Elapsed { submitted, done: clock.elapsed() }
}

fn gradients(bench: &Bench, n: usize) -> Result<Pair> {
    let (a, b) = random_problem(n, 1);
    let (a, b) = (single(&a), single(&b));
    let mut library = ByGradients(System::new(bench, n, &a, &b)?);
    library.run(LEAST)?;
    solved("conjugate gradients", &a, &b, &library.0.x.get()?)?;
    let mut pair = Pair::alone(library);
    for threads in Threads::BOTH {
        let mut loops = Gradients::new(Full { columns: n, values: a.clone() }, threads, &b);
        (0..LEAST).for_each(|_| loops.step());
        solved("conjugate gradients on the CPU", &a, &b, &loops.x)?;
        pair = pair.beside(threads.name("loop"), loops);
    }
    Ok(pair)
}

/// ‖A x − b‖ ≤ 10⁻⁵‖b‖: the condition of A is below 50, and 128 iterations reach what 32 bits hold.
fn solved(what: &str, a: &[f32], b: &[f32], x: &[f32]) -> Result<()> {
    let terms = |row: &[f32]| row.iter().zip(x).map(|(&a, &x)| f64::from(a) * f64::from(x)).sum::<f64>();
    let r = a.chunks(b.len()).zip(b).map(|(row, &b)| terms(row) - f64::from(b));
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let relative = norm(&mut r.into_iter()) / norm(&mut b.iter().map(|&b| f64::from(b)));
    ensure!(relative <= 1e-5, "{what} left a residual of {relative:e}");
    Ok(())
}

fn sweeps(bench: &Bench, n: usize) -> Result<Pair> {
    let (wide_a, wide_b) = random_problem(n, 1);
    let (a, b) = (single(&wide_a), single(&wide_b));
    let mut expected = vec![0.0; n];
    projected_jacobi(&wide_a, &wide_b, &mut expected, OMEGA.into(), LEAST as usize);
    // Each sweep shrinks what the one before was wrong by, at the worst by 1 − 0.3/50, and adds some roundings of x.
    let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let bound = 170.0 * (n as f64).sqrt() * 2f64.powi(-24) * largest;
    let mut library = BySweeps(System::new(bench, n, &a, &b)?);
    library.run(LEAST)?;
    check("projected Jacobi", &library.0.x.get()?, expected.iter().copied(), bound)?;
    let mut pair = Pair::alone(library);
    for threads in Threads::BOTH {
        let mut loops = Sweeping::new(&a, &b, threads);
        (0..LEAST).for_each(|_| loops.step());
        check("projected Jacobi on the CPU", &loops.product.x, expected.iter().copied(), bound)?;
        pair = pair.beside(
            threads.name("loop"),
            OnCpu(move || {
                loops.step();
                Ok(())
            }),
        );
    }
    Ok(pair)
}

/// The same on the CPU.
struct Sweeping {
    product: Product<Full>,
    b: Vec<f32>,
    d: Vec<f32>,
}

impl Sweeping {
    fn new(a: &[f32], b: &[f32], threads: Threads) -> Sweeping {
        let n = b.len();
        let product = Product::new(Full { columns: n, values: a.to_vec() }, threads, &vec![0.0; n]);
        Sweeping { product, b: b.to_vec(), d: (0..n).map(|i| OMEGA / a[i * n + i]).collect() }
    }

    fn step(&mut self) {
        let Sweeping { product, b, d } = self;
        product.step();
        for (x, (w, (b, d))) in product.x.iter_mut().zip(product.y.iter().zip(b.iter().zip(&*d))) {
            *x = (*x + d * (w + b)).max(0.0);
        }
    }
}
