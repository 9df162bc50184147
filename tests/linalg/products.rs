//! Matrix–vector products in every storage (rows A3, A4, A5, A8).

use super::support::{Random, on_card, on_gpu};
use super::{check_products, layouts};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, Beyond, LinearOperator, Stencil};
use quadrille::reference::Csr;
use quadrille::{Limits, Result};

/// The entries that a stencil stands for.
fn entries(a: &dyn LinearOperator) -> Result<Csr> {
    let n = a.rows().len();
    let column = |j: usize| {
        let unit: Vec<f64> = (0..n).map(|i| f64::from(i == j)).collect();
        a.multiply(&unit).into_iter().enumerate().filter(|e| e.1 != 0.0).map(move |(i, v)| (i, j, v))
    };
    Csr::from_triplets(n, n, (0..n).flat_map(column).collect::<Vec<_>>())
}

#[test]
fn grid_matrices_by_diagonals_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(5));
        for layout in layouts()? {
            let offsets =
                [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (2, -3), (-3, 2), (13, 0), (-20, 1)];
            let mut diagonal = || random.floats(layout.len()).iter().map(|&v| f64::from(v)).collect();
            let diagonals: Vec<((i64, i64), Vec<f64>)> = offsets.map(|d| (d, diagonal())).into();
            let banded = Banded::on_grid(&algebra, layout, &diagonals)?;
            check_products(&banded, &banded.matrix().clone(), &mut random)?;
        }
        Ok(())
    })
}

#[test]
fn diagonals_of_folded_vectors_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(6));
        for n in [1, 2, 3, 4, 5, 17, 97, 1000, 4999] {
            let layout = Packed2x2::folded(n)?;
            let offsets = [0, 1, -1, 2, 7, -40, n as i64 - 1, 1 - n as i64, n as i64 / 2];
            let mut diagonal = || random.floats(n).iter().map(|&v| f64::from(v)).collect();
            let diagonals: Vec<(i64, Vec<f64>)> = offsets.map(|k| (k, diagonal())).into();
            let banded = Banded::from_diagonals(&algebra, layout, &diagonals)?;
            check_products(&banded, &banded.matrix().clone(), &mut random)?;
        }
        Ok(())
    })
}

#[test]
fn a_full_matrix_takes_as_many_diagonals_as_rows() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(7));
        let n = 37;
        let entries: Vec<_> = (0..n * n).map(|k| (k / n, k % n, f64::from(random.signed()))).collect();
        let matrix = Csr::from_triplets(n, n, entries)?;
        let banded = Banded::new(&algebra, Packed2x2::folded(n)?, matrix.clone())?;
        assert_eq!(banded.diagonals(), n);
        assert!(banded.passes() > 3, "{} passes", banded.passes());
        check_products(&banded, &matrix, &mut random)
    })
}

#[test]
fn stencils_match_the_reference_with_both_kinds_of_edge() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(8));
        let five = [((0, 0), 4.5), ((1, 0), -1.0), ((-1, 0), -0.5), ((0, 1), 0.25), ((0, -1), -2.0)];
        let wide = [((0, 0), 1.0), ((3, 2), 2.0), ((-14, 0), 3.0), ((1, -7), -1.0)];
        for (width, height) in [(1, 1), (1, 2), (2, 1), (3, 3), (11, 10), (31, 7), (2, 31)] {
            let layout = Packed2x2::grid(width, height)?;
            for (beyond, points) in
                [(Beyond::Zero, &five[..]), (Beyond::Reflection, &five[..]), (Beyond::Zero, &wide[..])]
            {
                let stencil = Stencil::new(&algebra, layout, beyond, points)?;
                let matrix = entries(&stencil)?;
                assert_eq!(matrix.diagonal(), stencil.diagonal());
                check_products(&stencil, &matrix, &mut random)?;
            }
        }
        Ok(())
    })
}
