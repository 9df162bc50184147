//! Steps of 8192 bodies: by a loop over all bodies for each, beside one written by hand and one on the CPU, and by the
//! N × N texture of the slides.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::sim::nbody::{Body, Forces, NBody, Parameters, scenes};
use quadrille_oracle::nbody::pull;

use super::super::interleave::{Bare, Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::first_texel;
use crate::bare::{BareLoop, Bodies};

/// Bodies of the course slides, in rows of 128 for the loop written by hand.
const BODIES: u32 = 8192;
const ROWS: u32 = 64;

/// The rate that the slides report.
const SLIDES: &str = "GeForce 6800 Ultra in 2004: 7.5 steps/s";

/// Bodies whose forces are compared with f64 before anything is timed.
const COMPARED: usize = 64;

/// Both ways to sum the forces, in turns.
pub fn rows(divisor: u32) -> Rows {
    let (bodies, rows) = ((BODIES / divisor) as usize, ROWS / divisor);
    let row = |name: &str, build: fn(&Bench, &Problem) -> Result<Pair>| {
        let row = Row::new(name, &format!("{BODIES} bodies"), move |bench| {
            build(bench, &Problem::new(bodies, rows))
        });
        let pulls = (bodies as f64).powi(2) / 1e6;
        Row { counted: Some((1.0, "steps")), also: Some((pulls, "M pulls")), remark: Some(SLIDES), ..row }
    };
    vec![vec![row("N-body by loops", loops), row("N-body by matrix", matrix)]]
}

/// The bodies, and how far they step.
struct Problem {
    bodies: Vec<Body>,
    rows: u32,
    parameters: Parameters,
}

/// Steps of the library.
struct Steps(NBody);

impl Work for Steps {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.0.step())?;
        let submitted = clock.elapsed();
        first_texel(self.0.positions())?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

impl Problem {
    fn new(bodies: usize, rows: u32) -> Problem {
        let scene = scenes::galaxies(bodies, 1);
        Problem { bodies: scene.bodies, rows, parameters: scene.parameters }
    }

    fn library(&self, bench: &Bench, forces: Forces) -> Result<Steps> {
        let parameters = Parameters { forces, ..self.parameters };
        let nbody = NBody::new(&bench.gpu, &self.bodies, parameters)?;
        let accelerations = nbody.accelerations().data()?;
        self.check("the library", |i, k| accelerations[4 * i + k].into())?;
        Ok(Steps(nbody))
    }

    /// The hand-written loop, after one step of it.
    fn by_hand(&self, bench: &Bench) -> Result<Bodies> {
        let Parameters { time_step, softening, .. } = self.parameters;
        let texels = |of: fn(&Body) -> [f64; 3]| {
            let texel = |body: &Body| [of(body)[0], of(body)[1], of(body)[2], body.mass].map(|v| v as f32);
            self.bodies.iter().flat_map(texel).collect::<Vec<f32>>()
        };
        let (positions, velocities) = (texels(|body| body.position), texels(|body| body.velocity));
        let (lap, after) = bench.bare(|bare| {
            let mut lap = Bodies::new(bare, self.rows, &positions, &velocities, [time_step, softening])?;
            lap.draw(1);
            let after = lap.velocities();
            quadrille::Result::Ok((lap, after))
        })?;
        let gained = |place: usize| f64::from(after[place]) - f64::from(velocities[place]);
        self.check("the bare loop", |i, k| gained(4 * i + k) / f64::from(time_step))?;
        Ok(lap)
    }

    fn on_cpu(&self) -> Result<OnCpu> {
        let mut loops = OnCpu::new(&self.bodies, self.parameters);
        loops.pull();
        self.check("the loop on the CPU", |i, k| loops.accelerations[k][i].into())?;
        Ok(loops)
    }

    /// Accelerations of some bodies are within 1e-4 of f64, rms; velocities of 1 that change by a hundredth of them miss by 6e-6.
    fn check(&self, what: &str, found: impl Fn(usize, usize) -> f64) -> Result<()> {
        let (mut miss, mut whole) = (0.0, 0.0);
        for i in (0..self.bodies.len()).step_by(self.bodies.len().div_ceil(COMPARED)) {
            let softening = self.parameters.softening.into();
            let expected = pull(&self.bodies, self.bodies[i].position, softening).acceleration;
            for (k, expected) in expected.into_iter().enumerate() {
                miss += (found(i, k) - expected).powi(2);
                whole += expected * expected;
            }
        }
        let rms = (miss / whole).sqrt();
        ensure!(rms <= 1e-4, "{what}: accelerations of {} bodies are off by {rms:e}", self.bodies.len());
        Ok(())
    }
}

fn loops(bench: &Bench, problem: &Problem) -> Result<Pair> {
    let lap = problem.by_hand(bench)?;
    let library = problem.library(bench, Forces::Tiled)?;
    Ok(Pair::new(library, Bare { gpu: bench.gpu.clone(), lap }).beside("loop", problem.on_cpu()?))
}

fn matrix(bench: &Bench, problem: &Problem) -> Result<Pair> {
    Ok(Pair::alone(problem.library(bench, Forces::Matrix)?))
}

/// As many partial sums as keep the processor busy.
const LANES: usize = 8;

/// The same on the CPU in f32, on one thread: coordinates apart, so that a compiler can take several bodies at once.
struct OnCpu {
    positions: [Vec<f32>; 3],
    velocities: [Vec<f32>; 3],
    accelerations: [Vec<f32>; 3],
    masses: Vec<f32>,
    parameters: Parameters,
}

impl OnCpu {
    fn new(bodies: &[Body], parameters: Parameters) -> OnCpu {
        let of = |value: &dyn Fn(&Body) -> f64| bodies.iter().map(|body| value(body) as f32).collect();
        OnCpu {
            positions: [0, 1, 2].map(|k| of(&|body| body.position[k])),
            velocities: [0, 1, 2].map(|k| of(&|body| body.velocity[k])),
            accelerations: [0; 3].map(|_| vec![0.0; bodies.len()]),
            masses: of(&|body| body.mass),
            parameters,
        }
    }

    /// Bodies that do not fill the lanes are left out: there are none.
    fn pull(&mut self) {
        let squared_softening = self.parameters.softening.powi(2);
        let [xs, ys, zs] = self.positions.each_ref().map(|values| values.as_chunks::<LANES>().0);
        let masses = self.masses.as_chunks::<LANES>().0;
        for i in 0..self.masses.len() {
            let [x, y, z] = self.positions.each_ref().map(|values| values[i]);
            let mut sums = [[0.0f32; LANES]; 3];
            for (((xs, ys), zs), masses) in xs.iter().zip(ys).zip(zs).zip(masses) {
                for lane in 0..LANES {
                    let d = [xs[lane] - x, ys[lane] - y, zs[lane] - z];
                    let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + squared_softening;
                    let pull = masses[lane] / (squared * squared.sqrt());
                    for k in 0..3 {
                        sums[k][lane] += pull * d[k];
                    }
                }
            }
            for (accelerations, sums) in self.accelerations.iter_mut().zip(sums) {
                accelerations[i] = sums.iter().sum();
            }
        }
    }

    fn step(&mut self) {
        let time = self.parameters.time_step;
        self.pull();
        for k in 0..3 {
            for (velocity, acceleration) in self.velocities[k].iter_mut().zip(&self.accelerations[k]) {
                *velocity += time * acceleration;
            }
            for (position, velocity) in self.positions[k].iter_mut().zip(&self.velocities[k]) {
                *position += time * velocity;
            }
        }
    }
}

impl Work for OnCpu {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).for_each(|_| self.step());
        let done = clock.elapsed();
        Ok(Elapsed { submitted: done, done })
    }
}
