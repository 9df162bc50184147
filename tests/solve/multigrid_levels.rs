//! The levels of multigrid, against the triple product in f64.

use super::multigrid::System;
use super::support::on_gpu;
use quadrille::linalg::{Boundary, LinearOperator};
use quadrille::reference::Csr;
use quadrille::reference::multigrid::{helmholtz, levels, magnitudes};
use quadrille::solve::{Coarsest, Cycle, Missing, Multigrid};
use quadrille::{Gpu, Result};

/// All levels down to 3×3 nodes are P A S, to 1e-5 of the sum of |terms| (and what is no entry there is none here).
fn check(gpu: &Gpu, size: [u32; 2], periodic: [bool; 2], matrix: &Csr, missing: Missing) -> Result<()> {
    let system = System::of(gpu, size, periodic, matrix.clone(), missing)?;
    let multigrid = Multigrid::with(&system.a, missing, Cycle::default(), Coarsest::Sweeps)?;
    let expected = levels(matrix.clone(), size.map(|side| side as usize), periodic, missing, 3)?;
    assert_eq!(multigrid.levels(), expected.len(), "{size:?}");
    for (place, (found, expected_level)) in multigrid.matrices().zip(&expected).enumerate().skip(1) {
        let layout = found.rows();
        assert_eq!([layout.width() as usize, layout.height() as usize], expected_level.size);
        let Some(s) = &expected_level.interpolation else { continue };
        // What rounding has done to the finer level is no error of this one.
        let finer = multigrid.matrices().nth(place - 1).map(|finer| finer.matrix().cloned());
        let Some(finer) = finer.transpose()? else { continue };
        let terms = magnitudes(&finer, s)?;
        let exact = &expected_level.matrix;
        let found = found.matrix()?;
        for (row, column, value) in exact.triplets() {
            let error = (found.entry(row, column) - value).abs();
            let bound = 1e-5 * terms.entry(row, column);
            assert!(
                error <= bound,
                "{size:?} {periodic:?} level {place} ({row}, {column}): {} instead of {value}",
                found.entry(row, column)
            );
        }
        for (row, column, value) in found.triplets() {
            let bound = 1e-5 * terms.entry(row, column);
            assert!((exact.entry(row, column) - value).abs() <= bound, "{size:?} level {place}: {value}");
        }
    }
    Ok(())
}

const SIZES: [[u32; 2]; 12] = [
    [33, 33],
    [17, 9],
    [16, 16],
    [7, 12],
    [31, 23],
    [1, 20],
    [2, 33],
    [12, 2],
    [3, 40],
    [5, 4],
    [10, 14],
    [6, 37],
];

#[test]
fn coarse_matrices_are_the_triple_product_at_every_size_and_edge() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            let [w, h] = size.map(|side| side as usize);
            for boundary in [Boundary::Dirichlet, Boundary::Neumann, Boundary::Periodic] {
                if boundary == Boundary::Dirichlet && w.min(h) < 3 {
                    continue;
                }
                let matrix = helmholtz(w, h, boundary, 0.125)?;
                let missing = if boundary == Boundary::Dirichlet { Missing::Fixed } else { Missing::Absent };
                check(gpu, size, [boundary == Boundary::Periodic; 2], &matrix, missing)?;
            }
        }
        Ok(())
    })
}
