//! Figure 3: six operations on matrices of 1000×1000, with and without reading the result back, beside plain loops and an
//! optimised library on the CPU.

use std::time::Instant;

use anyhow::Result;
use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;

use super::super::cpu::Threads;
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::{check, numbers};
use super::multiply;
use super::on_cpu::{self, OnCpu, each};

const SIDE: u32 = 1000;

/// Each operation with and without its read-back.
pub fn rows(divisor: u32) -> Rows {
    let operations: [(&str, Operation); 5] = [
        ("copy", copy),
        ("add", add),
        ("add by blending", blend),
        ("multiply", plain),
        ("transposed multiply", transposed),
    ];
    let each = |(name, operation): (&str, Operation)| {
        let row = |read_back: bool| {
            let name = if read_back { format!("{name}, read back") } else { name.to_owned() };
            let build = move |bench: &Bench| operation(&Problem::new(bench, SIDE / divisor)?, read_back);
            Row::new(&name, &format!("{SIDE}x{SIDE}"), build)
        };
        vec![row(false), row(true)]
    };
    operations.into_iter().map(each).collect()
}

type Operation = fn(&Problem, bool) -> Result<Pair>;

/// Two matrices of n × n, here and on the GPU.
struct Problem {
    algebra: Algebra,
    n: usize,
    a: Vec<f32>,
    b: Vec<f32>,
}

impl Problem {
    fn new(bench: &Bench, n: u32) -> Result<Problem> {
        let n = n as usize;
        let (a, b) = (numbers(n * n), numbers(2 * n * n).split_off(n * n));
        Ok(Problem { algebra: Algebra::new(&bench.gpu), n, a, b })
    }

    fn upload(&self, values: &[f32]) -> quadrille::Result<Matrix> {
        Matrix::new(&self.algebra, self.n, self.n, values)
    }

    /// The operation on the GPU, checked once. Two results take turns, for a renderer may leave out what is overdrawn.
    fn on_gpu(
        &self,
        read_back: bool,
        mut operation: impl FnMut(&mut Matrix) -> quadrille::Result<()> + 'static,
        check: impl FnOnce(&[f32]) -> Result<()>,
    ) -> Result<Pair> {
        let zeros = || Matrix::zeros(&self.algebra, self.n, self.n);
        let mut results = [zeros()?, zeros()?];
        operation(&mut results[0])?;
        check(&results[0].get()?)?;
        Ok(Pair::alone(OnGpu { operation, results, read_back }))
    }

    /// The same on the CPU: a plain loop, and who is quicker on one thread and on all.
    fn on_cpu(
        &self,
        pair: Pair,
        who: &str,
        work: impl Fn() -> Box<dyn FnMut(Threads) -> quadrille::Result<()>>,
    ) -> Pair {
        Threads::BOTH.into_iter().fold(pair, |pair, threads| {
            let mut work = work();
            pair.beside(threads.name(who), OnCpu(move || work(threads)))
        })
    }
}

struct OnGpu<F> {
    operation: F,
    results: [Matrix; 2],
    read_back: bool,
}

impl<F: FnMut(&mut Matrix) -> quadrille::Result<()>> Work for OnGpu<F> {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            let result = &mut self.results[i % 2];
            (self.operation)(result)?;
            if self.read_back {
                result.get()?;
            }
        }
        let submitted = clock.elapsed();
        self.results[0].algebra().gpu().finish();
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn copy(problem: &Problem, read_back: bool) -> Result<Pair> {
    let a = problem.upload(&problem.a)?;
    let exact = problem.a.iter().map(|&a| f64::from(a));
    let pair =
        problem.on_gpu(read_back, move |x| x.copy_from(&a), |found| check("copy", found, exact, 0.0))?;
    Ok(problem.on_cpu(pair, "loop", || {
        let (a, mut x) = (problem.a.clone(), vec![0.0; problem.a.len()]);
        Box::new(move |threads| {
            each(threads, &mut x, &a, |x, a| *x = a);
            Ok(())
        })
    }))
}

/// x += a; x grows without end, which takes no longer.
fn add(problem: &Problem, read_back: bool) -> Result<Pair> {
    sum(problem, read_back, Matrix::add)
}

/// The same as the paper has it.
fn blend(problem: &Problem, read_back: bool) -> Result<Pair> {
    sum(problem, read_back, Matrix::accumulate)
}

fn sum(
    problem: &Problem,
    read_back: bool,
    add: fn(&mut Matrix, &Matrix) -> quadrille::Result<()>,
) -> Result<Pair> {
    let a = problem.upload(&problem.a)?;
    let exact = problem.a.iter().map(|&a| f64::from(a));
    let pair = problem.on_gpu(read_back, move |x| add(x, &a), |found| check("add", found, exact, 0.0))?;
    Ok(problem.on_cpu(pair, "loop", || {
        let (a, mut x) = (problem.a.clone(), vec![0.0; problem.a.len()]);
        Box::new(move |threads| {
            each(threads, &mut x, &a, |x, a| *x += a);
            Ok(())
        })
    }))
}

fn plain(problem: &Problem, read_back: bool) -> Result<Pair> {
    product(problem, read_back, false)
}

fn transposed(problem: &Problem, read_back: bool) -> Result<Pair> {
    product(problem, read_back, true)
}

fn product(problem: &Problem, read_back: bool, transposed: bool) -> Result<Pair> {
    let (a, b, n) = (problem.upload(&problem.a)?, problem.upload(&problem.b)?, problem.n);
    let multiply = move |x: &mut Matrix| match transposed {
        true => x.multiply_transposed(&a, &b),
        false => x.multiply(&a, &b),
    };
    let right =
        |what: &str, found: &[f32]| multiply::check(what, n, transposed, [&problem.a, &problem.b], found);
    let pair = problem.on_gpu(read_back, multiply, |found| right("product", found))?;
    let copies = || (problem.a.clone(), problem.b.clone(), vec![0.0; n * n]);
    let (a, b, mut c) = copies();
    on_cpu::multiply_by_loops(n, transposed, &a, &b, &mut c);
    right("product by loops", &c)?;
    let pair = pair.beside(
        "loop",
        OnCpu(move || {
            on_cpu::multiply_by_loops(n, transposed, &a, &b, &mut c);
            Ok(())
        }),
    );
    for threads in Threads::BOTH {
        let (a, b, mut c) = copies();
        on_cpu::multiply(threads, n, transposed, [&a, &b], &mut c)?;
        right("product by ndarray", &c)?;
    }
    Ok(problem.on_cpu(pair, "ndarray", || {
        let (a, b, mut c) = copies();
        Box::new(move |threads| on_cpu::multiply(threads, n, transposed, [&a, &b], &mut c))
    }))
}
