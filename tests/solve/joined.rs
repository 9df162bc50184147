//! Passes of a cycle that are joined: the arithmetic of those that stand apart.

use super::multigrid_levels::random;
use super::numbers;
use super::support::on_card;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, NinePoint, Vector};
use quadrille::numeric::Csr;
use quadrille::solve::{Coarsest, Cycle, Missing, Multigrid, Smoother};
use quadrille::{Gpu, Limits, Result};

/// Rows of a quarter of the nodes are missing, and nothing leads there.
fn closed(size: [u32; 2], periodic: [bool; 2]) -> Result<Csr> {
    let all = random(size, periodic, 7)?;
    let diagonal = all.diagonal();
    let kept: Vec<_> = all.triplets().filter(|&(_, to, _)| diagonal[to] != 0.0).collect();
    Csr::from_triplets(all.rows(), all.rows(), kept)
}

/// A cycle on two levels, and its passes. Of entries that are handed over nobody knows where they lead, so nothing is joined to the
/// prolongation.
fn cycled(
    gpu: &Gpu,
    (size, periodic): ([u32; 2], [bool; 2]),
    cycle: Cycle,
    known: bool,
) -> Result<(Vec<f32>, u64)> {
    let algebra = Algebra::new(gpu);
    let layout = Packed2x2::grid(size[0], size[1])?;
    let mut a = NinePoint::from_csr(&algebra, layout, periodic, &closed(size, periodic)?)?;
    if !known {
        let mut entries = [const { None }; 9];
        for (entry, of_a) in entries.iter_mut().zip(a.entries()?) {
            *entry = of_a.as_ref().map(Vector::try_clone).transpose()?;
        }
        a = NinePoint::new(&algebra, layout, periodic, entries)?;
    }
    let multigrid = Multigrid::with(&a, Missing::Absent, cycle, Coarsest::Smoothed { levels: 2 })?;
    assert_eq!(multigrid.levels(), 2, "{size:?}");
    let vector = |seed: u64| -> Result<Vector> {
        let values: Vec<f32> = numbers(layout.len(), seed).into_iter().map(|v| v as f32).collect();
        algebra.vector(layout, &values)
    };
    let (b, mut x) = (vector(3)?, vector(4)?);
    let before = gpu.counters().passes;
    multigrid.cycle(&b, &mut x)?;
    let passes = gpu.counters().passes - before;
    Ok((x.get()?, passes))
}

/// The residual goes down with its restriction in one pass and not two where a pass may fetch so often, and the correction comes up with the
/// first sweep. Nodes that take no part are not changed. Of a node's value, nine terms and a weight at most are rounded otherwise where a
/// driver contracts them otherwise, a dozen times in a cycle.
#[test]
fn joined_passes_compute_what_they_do_apart() -> Result<()> {
    let cases = [
        ([25, 25], [false; 2], 1),
        ([26, 24], [false; 2], 1),
        ([21, 30], [false; 2], 1),
        ([28, 24], [true; 2], 1),
        ([28, 25], [true, false], 1),
        ([21, 32], [false, true], 1),
        // An odd number of coarse nodes around, and a seam.
        ([26, 24], [true, false], 0),
        ([25, 24], [true, false], 0),
        ([2, 240], [false; 2], 0),
        ([1, 241], [false; 2], 1),
    ];
    for (size, periodic, joined) in cases {
        for smoother in [Smoother::Jacobi { damping: 0.8 }, Smoother::RedBlack] {
            let cycle = Cycle { before: 1, after: 2, smoother, ..Cycle::default() };
            let of = |fetches: u32, known: bool| {
                let mut found = (Vec::new(), 0);
                on_card(Limits { fetches, ..Limits::GEFORCE_6800 }, |gpu| {
                    found = cycled(gpu, (size, periodic), cycle, known)?;
                    Ok(())
                })?;
                Ok(found)
            };
            let ((one, fewer), (other, passes)) = (of(65_535, true)?, of(106, false)?);
            let seam = u64::from(size[0] % 2 == 1 && periodic[0]);
            assert_eq!(passes - fewer, joined + 1 - seam, "{size:?} {periodic:?} {smoother:?}");
            let most = other.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            for (node, (one, other)) in one.iter().zip(&other).enumerate() {
                let bound = 100.0 * 2f32.powi(-24) * most;
                assert!((one - other).abs() <= bound, "{size:?} {periodic:?} {node}: {one}, {other}");
            }
        }
    }
    Ok(())
}
