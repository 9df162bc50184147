//! A matrix, a vector and their product, for every side that is to make it.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::{Algebra, LinearOperator, Op, Packed2x2, Vector};
use quadrille::numeric::Csr;

use super::super::cpu::{Matrix, Product, Threads};
use super::super::interleave::{Bare, Elapsed, Pair, Work};
use super::super::row::Bench;
use super::super::stepping::numbers;
use super::table::finished;
use crate::bare::{self, BareLoop};

pub struct Problem {
    pub matrix: Csr,
    pub layout: Packed2x2,
    pub x: Vec<f32>,
    expected: Vec<f64>,
    /// How far 32 bits may be from each element of A x.
    bounds: Vec<f64>,
}

impl Problem {
    pub fn new(matrix: Csr, layout: Packed2x2) -> Problem {
        let x = numbers(matrix.columns());
        let wide = |x: f32| f64::from(x);
        let expected = matrix.multiply(&x.iter().copied().map(wide).collect::<Vec<f64>>());
        let bound = |row| {
            let size: f64 = matrix.row(row).map(|(column, value)| (value * wide(x[column])).abs()).sum();
            (matrix.row(row).count() as f64 + 3.0) * 2f64.powi(-24) * size
        };
        let bounds = (0..matrix.rows()).map(bound).collect();
        Problem { layout, x, expected, bounds, matrix }
    }

    /// x as a texture holds it.
    pub fn packed_x(&self) -> Result<Vec<f32>> {
        Ok(self.layout.pack(&self.x, 0.0)?)
    }

    /// Fails unless every element is within (non-zeros of its row + 3)·2⁻²⁴·(|A||x|)ᵢ.
    pub fn check(&self, what: &str, found: &[f32]) -> Result<()> {
        ensure!(found.len() == self.expected.len(), "{what}: {} values", found.len());
        for (i, (&found, (&expected, &bound))) in
            found.iter().zip(self.expected.iter().zip(&self.bounds)).enumerate()
        {
            let error = (f64::from(found) - expected).abs();
            ensure!(error <= bound, "{what} is wrong: row {i} is {found}, not {expected} (bound {bound:e})");
        }
        Ok(())
    }

    /// The library's product by `operator` beside a bare loop whose newest texels `texels` reads.
    pub fn pair<L: BareLoop + 'static>(
        &self,
        bench: &Bench,
        algebra: &Algebra,
        operator: impl LinearOperator + 'static,
        make: impl FnOnce(&bare::Bare) -> quadrille::Result<L>,
        elements: impl FnOnce(&L) -> Vec<f32>,
    ) -> Result<Pair> {
        let library = self.multiplying(algebra, operator)?;
        let (lap, found) = bench.bare(|bare| {
            let mut lap = make(bare)?;
            lap.draw(1);
            let found = elements(&lap);
            quadrille::Result::Ok((lap, found))
        })?;
        self.check("bare product", &found)?;
        Ok(Pair::new(library, Bare { gpu: bench.gpu.clone(), lap }))
    }

    /// The library's product by `operator`, which nobody has written by hand.
    pub fn alone(&self, algebra: &Algebra, operator: impl LinearOperator + 'static) -> Result<Pair> {
        Ok(Pair::alone(self.multiplying(algebra, operator)?))
    }

    /// The library's side alone, made and checked once.
    pub fn multiplying(
        &self,
        algebra: &Algebra,
        operator: impl LinearOperator + 'static,
    ) -> Result<Multiplying> {
        let x = algebra.vector(self.layout, &self.x)?;
        let y = [algebra.zeros(self.layout)?, algebra.zeros(self.layout)?];
        let mut library = Multiplying { operator: Box::new(operator), x, y };
        library.run(1)?;
        self.check("product", &library.y[0].get()?)?;
        Ok(library)
    }

    /// The same product on the CPU, on one thread and on all.
    pub fn on_the_cpu<M: Matrix + 'static>(
        &self,
        mut pair: Pair,
        who: &str,
        matrix: impl Fn() -> Result<M>,
    ) -> Result<Pair> {
        for threads in Threads::BOTH {
            let product = Product::new(matrix()?, threads, &self.x);
            let name = threads.name(who);
            self.check(&name, &product.y)?;
            pair = pair.beside(name, product);
        }
        Ok(pair)
    }
}

/// The library's side of a product. Two results take turns: a renderer may leave out what is overdrawn.
pub struct Multiplying {
    operator: Box<dyn LinearOperator>,
    x: Vector,
    y: [Vector; 2],
}

impl Work for Multiplying {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            self.operator.apply(Op::Null, &self.x, &mut self.y[i % 2])?;
        }
        Ok(finished(self.x.algebra(), clock))
    }
}
