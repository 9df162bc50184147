//! C = A B by 1, 2, 4 and 8 render targets, beside a hand-written loop with the same blocking.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;

use super::super::cpu::Threads;
use super::super::interleave::{Bare, Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::numbers;
use super::on_cpu::{OnCpu, multiply};
use crate::bare::{self, BareLoop};

const SIDES: [u32; 4] = [256, 512, 1024, 2048];
const TARGETS: [u32; 4] = [1, 2, 4, 8];

/// A group for each size.
pub fn rows(divisor: u32) -> Rows {
    let of_size = |side: u32| {
        let row = |targets: u32| {
            let build = move |bench: &Bench| pair(bench, side / divisor, targets);
            let name = if targets == 1 {
                "multiply, 1 target".into()
            } else {
                format!("multiply, {targets} targets")
            };
            let row = Row::new(&name, &format!("{side}x{side}"), build);
            Row { counted: Some((operations(side / divisor), "GFLOP")), ..row }
        };
        TARGETS.map(row).into()
    };
    SIDES.map(of_size).into()
}

/// 2n³, in thousand millions.
pub fn operations(n: u32) -> f64 {
    2.0 * f64::from(n).powi(3) * 1e-9
}

/// Fails unless some rows of C = A B, or Aᵀ B, are within (n + 3)·2⁻²⁴·(|A||B|)ᵢⱼ.
pub fn check(what: &str, n: usize, transposed: bool, [a, b]: [&[f32]; 2], c: &[f32]) -> Result<()> {
    ensure!(c.len() == n * n, "{what}: {} values", c.len());
    for i in [0, n / 3, n - 1] {
        let (mut exact, mut size) = (vec![0.0; n], vec![0.0; n]);
        for (k, others) in b.chunks_exact(n).enumerate() {
            let factor = f64::from(if transposed { a[k * n + i] } else { a[i * n + k] });
            for (j, other) in others.iter().enumerate() {
                let term = factor * f64::from(*other);
                exact[j] += term;
                size[j] += term.abs();
            }
        }
        for (j, &found) in c[i * n..][..n].iter().enumerate() {
            let bound = (n as f64 + 3.0) * 2f64.powi(-24) * size[j];
            let error = (f64::from(found) - exact[j]).abs();
            ensure!(
                error <= bound,
                "{what} is wrong: ({i}, {j}) is {found}, not {} (bound {bound:e})",
                exact[j]
            );
        }
    }
    Ok(())
}

/// Two results take turns: a renderer may leave out what is overdrawn.
struct Multiplying {
    factors: [Matrix; 2],
    results: [Matrix; 2],
    targets: u32,
}

impl Work for Multiplying {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let [a, b] = &self.factors;
        let clock = Instant::now();
        for i in 0..times as usize {
            self.results[i % 2].multiply_by_targets(a, b, self.targets)?;
        }
        let submitted = clock.elapsed();
        a.algebra().gpu().finish();
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn pair(bench: &Bench, n: u32, targets: u32) -> Result<Pair> {
    let side = n as usize;
    let (a, b) = (numbers(side * side), numbers(2 * side * side).split_off(side * side));
    let algebra = Algebra::new(&bench.gpu);
    let matrix = |values: &[f32]| Matrix::new(&algebra, side, side, values);
    let zeros = || Matrix::zeros(&algebra, side, side);
    let factors = [matrix(&a)?, matrix(&b)?];
    let mut library = Multiplying { results: [zeros()?, zeros()?], targets, factors };
    library.run(1)?;
    check("multiply", side, false, [&a, &b], &library.results[0].get()?)?;
    let texels = |matrix: &Matrix| matrix.get_async()?.wait();
    let packed = [texels(&library.factors[0])?, texels(&library.factors[1])?];
    let (lap, found) = bench.bare(|bare| {
        let mut lap = bare::Multiply::new(bare, n, targets, &packed[0], &packed[1])?;
        lap.draw(1);
        let found = lap.texels();
        quadrille::Result::Ok((lap, found))
    })?;
    check("bare multiply", side, false, [&a, &b], &library.results[0].elements_of(&found)?)?;
    let mut pair = Pair::new(library, Bare { gpu: bench.gpu.clone(), lap });
    if targets == TARGETS[3] {
        for threads in Threads::BOTH {
            let (a, b, mut c) = (a.clone(), b.clone(), vec![0.0; side * side]);
            let work = OnCpu(move || multiply(threads, side, false, [&a, &b], &mut c));
            pair = pair.beside(threads.name("ndarray"), work);
        }
    }
    Ok(pair)
}
