//! Smoothing a closed mesh somewhat larger than the paper's: a step, and its system solved for three coordinates at once or for
//! one after the other.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::{Algebra, Gather, LinearOperator, Packed2x2, Vector};
use quadrille::mesh::Mesh;
use quadrille::numeric::Csr;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::Parameters;
use quadrille::solve::{Bounds, FusedCg, Reason, iterate};

use super::super::chapter44::table::finished;
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};

/// An icosahedron cut so often has 40 962 vertices; the paper's mesh has 37 000.
const CUTS: u32 = 6;

/// The noise as a share of a radius of 1; an edge is 0.016 long.
const NOISE: f32 = 0.004;

/// As often as the flow looks at its residual.
const CHECK_EVERY: usize = 4;

const MOST_ITERATIONS: usize = 1000;

pub fn rows(divisor: u32) -> Rows {
    let cuts = CUTS.saturating_sub(divisor.ilog2());
    let size = format!("{} vertices", 10 * 4u32.pow(cuts) + 2);
    let step = Row::new("smoothing, a step", &size, move |bench| step(bench, cuts));
    let system = Row::new("smoothing, its system", &size, move |bench| system(bench, cuts));
    vec![vec![
        Row {
            counted: Some((1.0, "steps")),
            remark: Some("GeForce FX more than 20/s at 37k vertices, of some five iterations each"),
            ..step
        },
        Row { counted: Some((1.0, "systems")), remark: Some("three coordinates in a texel"), ..system },
    ]]
}

fn flow(bench: &Bench, cuts: u32) -> Result<(GeometricFlow, Mesh)> {
    let mesh = Mesh::sphere(cuts)?.with_noise(NOISE, 1)?;
    Ok((GeometricFlow::new(&bench.gpu, &mesh, Parameters::default())?, mesh))
}

fn step(bench: &Bench, cuts: u32) -> Result<Pair> {
    let (flow, start) = flow(bench, cuts)?;
    Ok(Pair::alone(Stepping { algebra: Algebra::new(&bench.gpu), flow, start, iterations: 0 }))
}

/// All of a step: entries, system, and where the vertices go. Each run begins with the noisy sphere.
struct Stepping {
    algebra: Algebra,
    flow: GeometricFlow,
    start: Mesh,
    iterations: usize,
}

impl Work for Stepping {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        self.flow.set_positions(self.start.positions().to_vec())?;
        self.algebra.gpu().finish();
        let clock = Instant::now();
        for step in 0..times {
            let report = self.flow.step()?;
            if step == 0 {
                self.iterations = report.iterations();
            }
        }
        Ok(finished(&self.algebra, clock))
    }

    fn said(&self) -> Option<String> {
        Some(format!("{} iterations in the first step", self.iterations))
    }
}

fn system(bench: &Bench, cuts: u32) -> Result<Pair> {
    let (mut flow, start) = flow(bench, cuts)?;
    let algebra = Algebra::new(&bench.gpu);
    let matrix = flow.matrix()?;
    let mut three = Three::new(&algebra, &matrix, &start, flow.parameters().tolerance)?;
    three.run(1)?;
    flow.step()?;
    three.check(&matrix, &start, &flow.mesh()?)?;
    flow.set_positions(start.positions().to_vec())?;
    flow.solve()?;
    Ok(Pair::alone(AtOnce { algebra, flow, iterations: 0 }).beside("three solves over gather", three))
}

/// The system as the flow solves it. Beside the iteration that is seven passes: the ways are 0, three make the matrix that of
/// the surface, its diagonal is the solver's, the force, and the ways are scaled back.
struct AtOnce {
    algebra: Algebra,
    flow: GeometricFlow,
    iterations: usize,
}

impl Work for AtOnce {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            self.iterations = self.flow.solve()?.iterations();
        }
        Ok(finished(&self.algebra, clock))
    }

    fn said(&self) -> Option<String> {
        Some(format!("{} iterations", self.iterations))
    }
}

/// The same matrix as a gather matrix, the same start and the same tolerance, for x, then y, then z. Beside the iterations
/// that is three passes: the ways are 0.
struct Three {
    matrix: Gather,
    method: FusedCg,
    forces: [Vector; 3],
    ways: [Vector; 3],
    bounds: Bounds,
    converged: bool,
}

impl Three {
    fn new(algebra: &Algebra, matrix: &Csr, mesh: &Mesh, tolerance: f32) -> Result<Three> {
        let layout = Packed2x2::folded(matrix.rows())?;
        let inverse: Vec<f32> = matrix.diagonal().iter().map(|a| (1.0 / a) as f32).collect();
        let force = |k: usize| {
            let forces: Vec<f32> = forces(matrix, mesh, k).map(|force| force as f32).collect();
            algebra.vector(layout, &forces)
        };
        let zeros = || algebra.zeros(layout);
        Ok(Three {
            matrix: Gather::new(algebra, layout, layout, matrix.clone())?,
            method: FusedCg::new(algebra, layout, Some(algebra.vector(layout, &inverse)?))?,
            forces: [force(0)?, force(1)?, force(2)?],
            ways: [zeros()?, zeros()?, zeros()?],
            bounds: Bounds { tolerance, max_iterations: MOST_ITERATIONS, check_every: CHECK_EVERY },
            converged: true,
        })
    }

    /// Fails unless the ways are those of the flow. Here `tolerance` of a coordinate's force is left at most, there of all
    /// three together, twice as the rows are scaled by powers of two, in which all vertices of this mesh are nearly alike, and as
    /// much again for roundings; the smallest eigenvalue of M + L is no less than the smallest mass, which is the sum of a row. A position rounds to 2⁻²⁴ of the radius.
    fn check(&self, matrix: &Csr, before: &Mesh, after: &Mesh) -> Result<()> {
        ensure!(self.converged, "three solves: not converged");
        let mass = |i: usize| matrix.row(i).map(|(_, a)| a).sum::<f64>();
        let least = (0..matrix.rows()).map(mass).fold(f64::INFINITY, f64::min);
        let force2 = [0, 1, 2].map(|k| forces(matrix, before, k).map(|force| force.powi(2)).sum::<f64>());
        let all = force2.iter().sum::<f64>().sqrt();
        for (k, ways) in self.ways.iter().enumerate() {
            let moved = before.positions().iter().zip(after.positions());
            let moved = moved.map(|(from, to)| f64::from(to[k]) - f64::from(from[k]));
            let error2 = ways.get()?.into_iter().zip(moved).map(|(way, to)| (f64::from(way) - to).powi(2));
            let (error, left) = (error2.sum::<f64>().sqrt(), force2[k].sqrt() + 2.0 * all);
            let rounding = 2f64.powi(-24) * (matrix.rows() as f64).sqrt();
            let bound = 2.0 * f64::from(self.bounds.tolerance) * left / least + rounding;
            ensure!(error <= bound, "three solves differ from the flow by {error:e} (bound {bound:e})");
        }
        Ok(())
    }
}

impl Work for Three {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            for (force, way) in self.forces.iter().zip(&mut self.ways) {
                way.fill(0.0)?;
                let outcome =
                    iterate(&mut self.method, &self.matrix, force, way, self.bounds, &mut |_, _| true)?;
                self.converged &= outcome.reason == Reason::Converged;
            }
        }
        Ok(finished(self.matrix.algebra(), clock))
    }
}

/// −L x of one coordinate.
fn forces(matrix: &Csr, mesh: &Mesh, k: usize) -> impl Iterator<Item = f64> {
    let x = move |i: usize| f64::from(mesh.positions()[i][k]);
    (0..matrix.rows()).map(move |i| matrix.row(i).map(|(j, a)| a * (x(i) - x(j))).sum())
}
