//! The same operations on the CPU in f32: plain loops, and ndarray, whose products are those of matrixmultiply.

use std::time::Instant;

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};
use quadrille::{Error, Result};
use rayon::prelude::*;

use super::super::cpu::Threads;
use super::super::interleave::{Elapsed, Work};

/// Work on arrays that takes no GPU.
pub struct OnCpu<F>(pub F);

impl<F: FnMut() -> Result<()>> Work for OnCpu<F> {
    fn run(&mut self, times: u32) -> Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.0())?;
        let done = clock.elapsed();
        Ok(Elapsed { submitted: done, done })
    }
}

/// Does something to each element of y with that of x, in one part or one for each thread.
pub fn each(threads: Threads, y: &mut [f32], x: &[f32], change: impl Fn(&mut f32, f32) + Sync) {
    let part = y.len().div_ceil(threads.count()).max(1);
    let change = |(y, x): (&mut [f32], &[f32])| y.iter_mut().zip(x).for_each(|(y, &x)| change(y, x));
    y.par_chunks_mut(part).zip(x.par_chunks(part)).for_each(change);
}

/// C = A B or Aᵀ B of n × n, as somebody writes it who knows how the rows lie.
pub fn multiply_by_loops(n: usize, transposed: bool, a: &[f32], b: &[f32], c: &mut [f32]) {
    for (i, row) in c.chunks_exact_mut(n).enumerate() {
        row.fill(0.0);
        for (k, others) in b.chunks_exact(n).enumerate() {
            let factor = if transposed { a[k * n + i] } else { a[i * n + k] };
            row.iter_mut().zip(others).for_each(|(c, b)| *c += factor * b);
        }
    }
}

/// The same by ndarray, some rows of C on each thread.
pub fn multiply(
    threads: Threads,
    n: usize,
    transposed: bool,
    [a, b]: [&[f32]; 2],
    c: &mut [f32],
) -> Result<()> {
    let square = |values| ArrayView2::from_shape((n, n), values).map_err(refused);
    let (a, b) = (square(a)?, square(b)?);
    let a = if transposed { a.reversed_axes() } else { a };
    let rows = n.div_ceil(threads.count()).max(1);
    c.par_chunks_mut(rows * n).enumerate().try_for_each(|(part, c)| {
        let mut c = ArrayViewMut2::from_shape((c.len() / n, n), c).map_err(refused)?;
        let first = (part * rows) as isize;
        let some = a.slice(ndarray::s![first..first + c.nrows() as isize, ..]);
        general_mat_mul(1.0, &some, &b, 0.0, &mut c);
        Ok(())
    })
}

fn refused(why: ndarray::ShapeError) -> Error {
    Error::WrongShape { what: "ndarray".into(), found: why.to_string(), expected: "n x n".into() }
}
