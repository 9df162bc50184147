//! The product as Bolz et al. have it, to be held against slots: one row a fragment, its entries side by side in a segment, and
//! a texture of where each segment starts.

use anyhow::{Result, ensure};
use quadrille::kernels;

use super::super::chapter44::problem::Problem;
use super::super::interleave::Pair;
use super::super::row::Bench;
use super::super::stepping::Alternating;

/// Texels across the textures of segments, at most.
const WIDTH: usize = 2048;

/// Sides of fields whose addresses are one float.
const SIDE: usize = 4096;

/// x and y have one element a texel, as in the paper: nothing is packed or unpacked.
pub fn product(bench: &Bench, problem: &Problem) -> Result<Pair> {
    let (matrix, layout) = (&problem.matrix, problem.layout);
    let (n, across) = (matrix.rows(), layout.width() as usize);
    let beside = |row: usize| matrix.row(row).filter(move |&(column, _)| column != row);
    let slots = (0..n).map(|row| beside(row).count()).max().unwrap_or(0).max(1);
    ensure!(slots <= WIDTH, "rows of {slots} entries are longer than a segment may be");
    // As many whole segments as a row of the texture holds: they are packed tightly.
    let in_a_row = (WIDTH / slots).min(n);
    let (width, height) = (in_a_row * slots, n.div_ceil(in_a_row));
    ensure!(
        across.max(layout.height() as usize).max(height) <= SIDE,
        "addresses of {n} rows take more than a float"
    );
    let address = |column: usize, row: usize| row as f32 + column as f32 / SIDE as f32;
    let mut starts = vec![0.0; n];
    let (mut entries, mut columns) = (vec![0.0; width * height], vec![0.0; width * height]);
    for (row, start) in starts.iter_mut().enumerate() {
        let (down, right) = (row / in_a_row, row % in_a_row * slots);
        *start = address(right, down);
        let segment = down * width + right;
        let mut last = 0.0;
        let mut in_row = beside(row);
        for place in segment..segment + slots {
            if let Some((column, value)) = in_row.next() {
                entries[place] = value as f32;
                last = address(column % across, column / across);
            }
            // Beyond the last entry its address is repeated: that texel is at hand already.
            columns[place] = last;
        }
    }
    let diagonal: Vec<f32> = matrix.diagonal().iter().map(|&value| value as f32).collect();
    let field = || bench.gpu.buffer(layout.width(), layout.height());
    let segments = || bench.gpu.buffer(width as u32, height as u32);
    let kernel = kernels::named("bench/segments.frag")?.define("SLOTS", slots);
    let mut program = bench.gpu.load(kernel)?;
    program
        .bind_stream("x", &field().init(&problem.x)?)?
        .bind_stream("diagonal", &field().init(&diagonal)?)?
        .bind_stream("starts", &field().init(&starts)?)?
        .bind_stream("entries", &segments().init(&entries)?)?
        .bind_stream("columns", &segments().init(&columns)?)?;
    let mut library = Alternating { program, targets: [field().build()?, field().build()?] };
    problem.check("product by segments", &library.once()?)?;
    Ok(Pair::alone(library))
}
