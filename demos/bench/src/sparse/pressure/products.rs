//! A x: by the diagonal alone, by symmetry, by seven textures, and as the paper has it.

use std::time::Instant;

use anyhow::Result;
use quadrille::linalg::{LinearOperator, Op, SevenPoint, Vector, Voxels};
use quadrille::pug::{Kernel, Precision, Prelude};
use quadrille::{Buffer, Program, kernels};

use super::super::super::chapter44::table::finished;
use super::super::super::interleave::{Elapsed, Pair, Work};
use super::super::super::row::{Bench, Row};
use super::super::super::stepping::{check, first_texel, numbers};
use super::water::Water;

pub fn rows(side: u32) -> Vec<Row> {
    let size = format!("{side}x{side}x{side} voxels");
    let row = |name: &str, build: fn(&Bench, u32) -> Result<Pair>| {
        let row = Row::new(&format!("voxel product, {name}"), &size, move |bench| build(bench, side));
        Row { counted: Some((f64::from(side).powi(3) * 7.0, "non-zeros")), ..row }
    };
    vec![
        row("its diagonal alone", |bench, side| stored(bench, side, false)),
        row("four textures", |bench, side| stored(bench, side, true)),
        row("seven textures", |bench, side| seven(bench, side, Precision::Float32, false)),
        row("seven in one texture", |bench, side| seven(bench, side, Precision::Float32, true)),
        row("seven textures of half floats", |bench, side| seven(bench, side, Precision::Float16, false)),
        row("seven textures, the paper's layout", |bench, side| batty(bench, side, 2, false)),
        row("the paper's layout, offsets passed in", |bench, side| batty(bench, side, 2, true)),
        row("the paper's layout, a modulus by multiplying", |bench, side| batty(bench, side, 1, false)),
        row("the paper's layout, division and modulus", |bench, side| batty(bench, side, 0, false)),
    ]
}

/// The matrix, an x, and A x in f64.
struct Problem {
    voxels: Voxels,
    a: SevenPoint,
    /// A voxel each, in the order x, y, z; beyond the box there are none.
    diagonal: Vec<f32>,
    x: Vec<f32>,
    expected: Vec<f64>,
}

impl Problem {
    fn new(bench: &Bench, side: u32) -> Result<Problem> {
        let mut water = Water::new(&bench.gpu, side)?;
        let (voxels, a) = (water.voxels(), water.matrix()?);
        let diagonal = voxels.collect(&a.main_diagonal().get()?);
        let all = numbers(voxels.count());
        let x: Vec<f32> = all.iter().zip(&diagonal).map(|(&x, &d)| if d > 0.0 { x } else { 0.0 }).collect();
        let wide: Vec<f64> = voxels.spread(&x)?.into_iter().map(f64::from).collect();
        let expected = voxels.collect(&a.multiply(&wide));
        Ok(Problem { voxels, a, diagonal, x, expected })
    }

    fn check(&self, what: &str, found: &[f32]) -> Result<()> {
        // Seven terms, |x| below 1 and entries of 6 and 1: ten roundings of 12 at most.
        check(what, found, self.expected.iter().copied(), 10.0 * 12.0 * 2f64.powi(-24))
    }

    /// The factor of the neighbour that way, for each voxel.
    fn toward(&self, axis: usize, by: i32) -> Vec<f32> {
        let size = self.voxels.size();
        let index = |[i, j, k]: [u32; 3]| ((k * size[1] + j) * size[0] + i) as usize;
        let entry = |voxel: [u32; 3]| {
            let mut other = voxel;
            other[axis] = voxel[axis].wrapping_add_signed(by);
            let inside = other[axis] < size[axis];
            let unknowns = inside && self.diagonal[index(voxel)] > 0.0 && self.diagonal[index(other)] > 0.0;
            if unknowns { -1.0 } else { 0.0 }
        };
        self.voxels.all().map(entry).collect()
    }

    /// The seven diagonals in the kernels' order.
    fn diagonals(&self) -> [Vec<f32>; 7] {
        let [west, east] = [-1, 1].map(|by| self.toward(0, by));
        let [north, south] = [-1, 1].map(|by| self.toward(1, by));
        let [below, above] = [-1, 1].map(|by| self.toward(2, by));
        [self.diagonal.clone(), west, east, north, south, below, above]
    }
}

const DIAGONALS: [&str; 7] =
    ["diagonal", "to_west", "to_east", "to_north", "to_south", "to_below", "to_above"];

/// A product of the library's. Two results take turns: a renderer may leave out what is overdrawn.
struct Multiplying {
    a: SevenPoint,
    x: Vector,
    y: [Vector; 2],
}

impl Work for Multiplying {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            self.a.apply(Op::Null, &self.x, &mut self.y[i % 2])?;
        }
        Ok(finished(self.x.algebra(), clock))
    }
}

fn stored(bench: &Bench, side: u32, weights: bool) -> Result<Pair> {
    let problem = Problem::new(bench, side)?;
    let (voxels, algebra) = (problem.voxels, problem.a.algebra().clone());
    let vector = |values: &[f32]| -> quadrille::Result<Vector> {
        algebra.vector(voxels.layout(), &voxels.spread(values)?)
    };
    let a = match weights {
        false => SevenPoint::of(voxels, vector(&problem.diagonal)?)?,
        true => {
            let weight = |axis| vector(&problem.toward(axis, 1).iter().map(|&w| -w).collect::<Vec<_>>());
            SevenPoint::weighted(voxels, vector(&problem.diagonal)?, [weight(0)?, weight(1)?, weight(2)?])?
        }
    };
    let y = [vector(&problem.x)?, vector(&problem.x)?];
    let mut library = Multiplying { a, x: vector(&problem.x)?, y };
    library.run(1)?;
    problem.check("product", &voxels.collect(&library.y[0].get()?))?;
    Ok(Pair::alone(library))
}

/// A product by a kernel of the benchmark's.
struct Kernels {
    program: Program,
    y: [Buffer; 2],
}

impl Work for Kernels {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            self.program.run(&self.y[i % 2])?;
        }
        let submitted = clock.elapsed();
        first_texel(&self.y[(times as usize + 1) % 2])?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

/// A buffer of texels.
fn texels(
    bench: &Bench,
    (width, height): (u32, u32),
    precision: Precision,
    values: &[f32],
) -> quadrille::Result<Buffer> {
    let shape = bench.gpu.buffer(width, height).components(4);
    shape.precision(precision).init(values)
}

/// Seven diagonals, x and y in that precision, in as many textures or, one above the other, in one.
fn seven(bench: &Bench, side: u32, precision: Precision, stacked: bool) -> Result<Pair> {
    let problem = Problem::new(bench, side)?;
    let voxels = problem.voxels;
    let layout = voxels.layout();
    let (width, height) = layout.texels();
    let packed =
        |values: &[f32]| -> quadrille::Result<Vec<f32>> { layout.pack(&voxels.spread(values)?, 0.0) };
    let kernel = kernels::named("bench/voxels_multiply.frag")?.with(Prelude::Voxels);
    let mut program = bench.gpu.load(kernel.define("STACKED", i32::from(stacked)))?;
    program.bind_stream("x", &texels(bench, (width, height), precision, &packed(&problem.x)?)?)?;
    let (across, down) = voxels.tiles();
    program.bind_float("hop", [1.0 / across as f32, 1.0 / down as f32])?;
    let mut all = Vec::new();
    for (name, values) in DIAGONALS.into_iter().zip(problem.diagonals()) {
        match stacked {
            true => all.extend(packed(&values)?),
            false => {
                let diagonal = texels(bench, (width, height), precision, &packed(&values)?)?;
                program.bind_stream(name, &diagonal)?;
            }
        }
    }
    if stacked {
        program.bind_stream("matrix", &texels(bench, (width, 7 * height), precision, &all)?)?;
    }
    let zeros = vec![0.0; 4 * width as usize * height as usize];
    let y = || texels(bench, (width, height), precision, &zeros);
    let mut library = Kernels { program, y: [y()?, y()?] };
    library.run(1)?;
    // Half floats, which a driver may chop, are 2^-10 off: x, six times itself and from six neighbours, and the sum
    // of at most 12.
    let found = voxels.collect(&layout.unpack(&library.y[0].data()?));
    match precision {
        Precision::Float32 => problem.check("product by seven diagonals", &found)?,
        _ => {
            check("product in half floats", &found, problem.expected.iter().copied(), 24.0 * 2f64.powi(-10))?
        }
    }
    Ok(Pair::alone(library))
}

/// Runs of four voxels along x, wrapped row by row; with addresses and offsets as the kernel's head tells them.
fn batty(bench: &Bench, side: u32, address: i32, passed: bool) -> Result<Pair> {
    let problem = Problem::new(bench, side)?;
    let [nx, ny, nz] = problem.voxels.size();
    let (row, slice) = (nx.div_ceil(4), nx.div_ceil(4) * ny);
    let count = slice * nz;
    let width = (f64::from(count).sqrt().ceil() as u32).max(2);
    let height = count.div_ceil(width);
    // Rows are filled up to whole texels.
    let place = |[i, j, k]: [u32; 3]| (4 * (k * slice + j * row) + i) as usize;
    let wrapped = |values: &[f32]| {
        let mut array = vec![0.0; 4 * width as usize * height as usize];
        problem.voxels.all().zip(values).for_each(|(voxel, &value)| array[place(voxel)] = value);
        array
    };
    let buffer = |values: &[f32]| bench.gpu.buffer(width, height).components(4).init(&wrapped(values));
    let kernel: Kernel = kernels::named("bench/batty_multiply.frag")?;
    let kernel = kernel.define("ADDRESS", address).define("PASSED", i32::from(passed));
    let mut program = bench.gpu.load(kernel)?;
    program.bind_stream("x", &buffer(&problem.x)?)?;
    let offset = |texels: u32| [texels as f32, texels as f32 / width as f32];
    match passed {
        true => program.bind_float("next", offset(1))?.bind_float("row", offset(row))?,
        false => program.bind_float("row", row as f32)?,
    };
    match passed {
        true => program.bind_float("slice", offset(slice))?,
        false => program.bind_float("slice", slice as f32)?,
    };
    for (name, values) in DIAGONALS.into_iter().zip(problem.diagonals()) {
        program.bind_stream(name, &buffer(&values)?)?;
    }
    let y = || bench.gpu.buffer(width, height).components(4).build();
    let mut library = Kernels { program, y: [y()?, y()?] };
    library.run(1)?;
    let array = library.y[0].data()?;
    let found: Vec<f32> = problem.voxels.all().map(|voxel| array[place(voxel)]).collect();
    problem.check("product in the paper's layout", &found)?;
    Ok(Pair::alone(library))
}
