//! The same products and iterations on the CPU, in f32: sprs for sparse rows, a plain loop for the rest.
//!
//! sprs multiplies on one thread; on all of them each takes a part of the rows. faer's product of a sparse matrix
//! is a fifth faster and on one thread only, too; it would take the program a minute and a half more to compile.

use std::time::Instant;

use anyhow::{Result, anyhow};
use quadrille::numeric::Csr;
use rayon::prelude::*;
use sprs::CsMatI;
use sprs::prod::mul_acc_mat_vec_csr;

use super::interleave::{Elapsed, Work};

/// One thread, or as many as there are.
#[derive(Clone, Copy, PartialEq)]
pub enum Threads {
    One,
    All,
}

impl Threads {
    pub const BOTH: [Threads; 2] = [Threads::One, Threads::All];

    /// "sprs", "sprs on 2 threads".
    pub fn name(self, who: &str) -> String {
        match self {
            Threads::One => who.to_owned(),
            Threads::All => format!("{who} on {} threads", rayon::current_num_threads()),
        }
    }

    /// How many.
    pub fn count(self) -> usize {
        match self {
            Threads::One => 1,
            Threads::All => rayon::current_num_threads(),
        }
    }

    /// How many elements of n each part has: several parts a thread, none with less than 1024 numbers, `numbers` an element.
    fn part(self, n: usize, numbers: usize) -> usize {
        match self {
            Threads::One => n,
            Threads::All => n.div_ceil(4 * rayon::current_num_threads()).max(1024 / numbers.max(1)).max(1),
        }
    }
}

/// A matrix that can be multiplied with.
pub trait Matrix: Sync {
    fn rows(&self) -> usize;

    /// Numbers of a row at least.
    fn columns(&self) -> usize {
        1
    }

    /// The rows of A x from `first` on, as many as `y` is long.
    fn multiply(&self, x: &[f32], first: usize, y: &mut [f32]);
}

/// Compressed sparse rows, by sprs.
#[derive(Clone)]
pub struct Sparse(CsMatI<f32, u32>);

impl Sparse {
    pub fn new(matrix: &Csr) -> Result<Sparse> {
        let mut starts = vec![0];
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for row in 0..matrix.rows() {
            for (column, value) in matrix.row(row) {
                places.push(u32::try_from(column)?);
                values.push(value as f32);
            }
            starts.push(u32::try_from(places.len())?);
        }
        let made = CsMatI::try_new((matrix.rows(), matrix.columns()), starts, places, values);
        made.map(Sparse).map_err(|(.., why)| anyhow!("sprs: {why}"))
    }
}

impl Matrix for Sparse {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn multiply(&self, x: &[f32], first: usize, y: &mut [f32]) {
        y.fill(0.0);
        mul_acc_mat_vec_csr(self.0.slice_outer(first..first + y.len()), x, y);
    }
}

/// All values, row after row.
pub struct Full {
    pub columns: usize,
    pub values: Vec<f32>,
}

/// As many partial sums as keep the processor busy.
const LANES: usize = 32;

impl Matrix for Full {
    fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn multiply(&self, x: &[f32], first: usize, y: &mut [f32]) {
        let rows = self.values[first * self.columns..].chunks_exact(self.columns);
        for (y, row) in y.iter_mut().zip(rows) {
            *y = dot(row, x);
        }
    }
}

/// The diagonals of these offsets (column − row), each as long as the matrix is high: what five-diagonal
/// matrices are stored as where speed matters.
pub struct Diagonals {
    diagonals: Vec<(isize, Vec<f32>)>,
    rows: usize,
}

impl Diagonals {
    pub fn new(matrix: &Csr, offsets: &[isize]) -> Diagonals {
        let rows = matrix.rows();
        let mut diagonals: Vec<(isize, Vec<f32>)> =
            offsets.iter().map(|&offset| (offset, vec![0.0; rows])).collect();
        for (row, column, value) in matrix.triplets() {
            let offset = column as isize - row as isize;
            for (_, values) in diagonals.iter_mut().filter(|diagonal| diagonal.0 == offset) {
                values[row] = value as f32;
            }
        }
        Diagonals { diagonals, rows }
    }
}

impl Matrix for Diagonals {
    fn rows(&self) -> usize {
        self.rows
    }

    /// In blocks that stay in the nearest cache while diagonal after diagonal is added.
    fn multiply(&self, x: &[f32], first: usize, y: &mut [f32]) {
        const BLOCK: usize = 2048;
        for (start, y) in (first..).step_by(BLOCK).zip(y.chunks_mut(BLOCK)) {
            y.fill(0.0);
            for (offset, values) in &self.diagonals {
                let skipped = (-offset - start as isize).clamp(0, y.len() as isize) as usize;
                let row = start + skipped;
                let Some(from) = row.checked_add_signed(*offset).and_then(|column| x.get(column..)) else {
                    continue;
                };
                let products = values[row..].iter().zip(from).map(|(value, x)| value * x);
                y[skipped..].iter_mut().zip(products).for_each(|(y, product)| *y += product);
            }
        }
    }
}

fn multiply(matrix: &impl Matrix, threads: Threads, x: &[f32], y: &mut [f32]) {
    let part = threads.part(y.len(), matrix.columns());
    if part >= y.len() {
        return matrix.multiply(x, 0, y);
    }
    y.par_chunks_mut(part).enumerate().for_each(|(i, y)| matrix.multiply(x, i * part, y));
}

/// y = A x over and over.
pub struct Product<M> {
    matrix: M,
    threads: Threads,
    pub x: Vec<f32>,
    pub y: Vec<f32>,
}

impl<M: Matrix> Product<M> {
    pub fn new(matrix: M, threads: Threads, x: &[f32]) -> Product<M> {
        let y = vec![0.0; matrix.rows()];
        let mut product = Product { matrix, threads, x: x.to_vec(), y };
        product.step();
        product
    }

    pub fn step(&mut self) {
        multiply(&self.matrix, self.threads, &self.x, &mut self.y);
    }
}

impl<M: Matrix> Work for Product<M> {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        Ok(timed(times, || self.step()))
    }
}

/// Conjugate gradients (Listing 44-1), one iteration after the other, by a plain loop around the product.
pub struct Gradients<M> {
    matrix: M,
    threads: Threads,
    b: Vec<f32>,
    pub x: Vec<f32>,
    r: Vec<f32>,
    p: Vec<f32>,
    q: Vec<f32>,
    rho: f32,
}

impl<M: Matrix> Gradients<M> {
    pub fn new(matrix: M, threads: Threads, b: &[f32]) -> Gradients<M> {
        let zeros = || vec![0.0; b.len()];
        let (x, q) = (zeros(), zeros());
        let mut made = Gradients { matrix, threads, b: b.to_vec(), x, r: zeros(), p: zeros(), q, rho: 0.0 };
        made.start();
        made
    }

    /// From x = 0 again, far from convergence.
    fn start(&mut self) {
        self.x.fill(0.0);
        self.r.copy_from_slice(&self.b);
        self.p.copy_from_slice(&self.b);
        self.rho = self.dot(&self.r, &self.r);
    }

    pub fn step(&mut self) {
        multiply(&self.matrix, self.threads, &self.p, &mut self.q);
        let alpha = guarded(self.rho, self.dot(&self.p, &self.q));
        let part = self.threads.part(self.x.len(), 1);
        let (p, q) = (&self.p, &self.q);
        both(part, &mut self.x, p, |x, p| *x += alpha * p);
        both(part, &mut self.r, q, |r, q| *r -= alpha * q);
        let newest = self.dot(&self.r, &self.r);
        let beta = guarded(newest, self.rho);
        self.rho = newest;
        both(part, &mut self.p, &self.r, |p, r| *p = r + beta * *p);
    }

    fn dot(&self, x: &[f32], y: &[f32]) -> f32 {
        let part = self.threads.part(x.len(), 1);
        if part >= x.len() {
            return dot(x, y);
        }
        x.par_chunks(part).zip(y.par_chunks(part)).map(|(x, y)| dot(x, y)).sum()
    }
}

impl<M: Matrix> Work for Gradients<M> {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        self.start();
        Ok(timed(times, || self.step()))
    }
}

fn guarded(x: f32, y: f32) -> f32 {
    if y == 0.0 { 0.0 } else { x / y }
}

fn timed(times: u32, mut step: impl FnMut()) -> Elapsed {
    let clock = Instant::now();
    (0..times).for_each(|_| step());
    let done = clock.elapsed();
    Elapsed { submitted: done, done }
}

/// Changes every element of x by that of y, in parts.
fn both(part: usize, x: &mut [f32], y: &[f32], change: impl Fn(&mut f32, f32) + Sync) {
    let change = |(x, y): (&mut [f32], &[f32])| x.iter_mut().zip(y).for_each(|(x, &y)| change(x, y));
    if part >= x.len() {
        return change((x, y));
    }
    x.par_chunks_mut(part).zip(y.par_chunks(part)).for_each(change);
}

/// Partial sums side by side, which is quick and rounds little.
fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let rest: f32 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    rest + sums.iter().sum::<f32>()
}

#[cfg(test)]
mod tests {
    use quadrille_oracle::matrices;

    use super::*;

    /// |found − expected| ≤ (non-zeros of the row)·2⁻²⁴·(|A||x|)ᵢ, for sums in any order.
    #[test]
    fn every_storage_gives_the_same_product_on_one_thread_and_on_all() -> Result<()> {
        let (n, offsets) = (5000, [-71, -1, 0, 1, 71]);
        let matrix = matrices::banded(n, n, &offsets, 1)?;
        let x: Vec<f32> = (0..n).map(|i| (i % 13) as f32 / 8.0).collect();
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
        let expected = matrix.multiply(&wide);
        for threads in Threads::BOTH {
            let sparse = Product::new(Sparse::new(&matrix)?, threads, &x).y;
            let diagonals = Product::new(Diagonals::new(&matrix, &offsets), threads, &x).y;
            for (found, expected) in sparse.iter().chain(&diagonals).zip(expected.iter().chain(&expected)) {
                let bound = 5.0 * 2f64.powi(-24) * 5.0 * 1.5;
                assert!((f64::from(*found) - expected).abs() <= bound);
            }
        }
        Ok(())
    }

    #[test]
    fn a_full_matrix_is_multiplied_row_by_row() {
        let full = Full { columns: 70, values: (0..70 * 3).map(|i| (i % 7) as f32).collect() };
        let x: Vec<f32> = (0..70).map(|i| (i % 3) as f32).collect();
        let exact = |row: usize| (0..70).map(|j| ((row * 70 + j) % 7 * (j % 3)) as f32).sum::<f32>();
        assert_eq!(Product::new(full, Threads::One, &x).y, [exact(0), exact(1), exact(2)]);
    }

    /// κ of the five-point matrix on 8×8 is 32, and few of its eigenvalues differ: fifteen steps reach what 32 bits hold.
    #[test]
    fn gradients_come_to_the_solution() -> Result<()> {
        let matrix = Csr::poisson(8, 8)?;
        for threads in Threads::BOTH {
            let mut gradients = Gradients::new(Sparse::new(&matrix)?, threads, &matrix_of_ones(&matrix));
            (0..15).for_each(|_| gradients.step());
            // ‖x − 1‖ ≤ κ·(a few roundings)·‖x‖.
            let error = gradients.x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f32::max);
            assert!(error <= 32.0 * 8.0 * 8.0 * f32::EPSILON, "{error}");
        }
        Ok(())
    }

    fn matrix_of_ones(matrix: &Csr) -> Vec<f32> {
        matrix.multiply(&vec![1.0; matrix.rows()]).into_iter().map(|sum| sum as f32).collect()
    }
}
