//! Rectangles out of matrices, beside their elements by index.

use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;
use quadrille::{Limits, Result};

use crate::support::{counting, on_card, on_gpu, refusal};

#[test]
fn every_part_of_small_matrices_has_the_elements_it_names() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (rows, columns) in [(1, 1), (4, 3), (9, 2), (1, 6), (13, 5)] {
            let matrix = Matrix::new(&algebra, rows, columns, &counting(rows * columns))?;
            let ranges =
                |size: usize| (0..size).flat_map(move |from| (from + 1..=size).map(move |to| from..to));
            for (of_rows, of_columns) in
                ranges(rows).flat_map(|r| ranges(columns).map(move |c| (r.clone(), c)))
            {
                let part = matrix.part(of_rows.clone(), of_columns.clone())?;
                assert_eq!(part.shape(), (of_rows.len(), of_columns.len()));
                let places = of_rows.clone().flat_map(|i| of_columns.clone().map(move |j| i * columns + j));
                assert_eq!(part.get()?, places.map(|place| place as f32).collect::<Vec<_>>());
                // Below the last row there is nothing: sums go over all texels.
                let (mut sum, mut expected) = (algebra.scalar(0.0)?, 0.0);
                part.sum(&mut sum)?;
                part.get()?.iter().for_each(|e| expected += e);
                assert_eq!(sum.get()?, expected, "{of_rows:?} {of_columns:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn parts_that_are_not_there_are_refused() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let matrix = Matrix::new(&Algebra::new(gpu), 3, 5, &counting(15))?;
        assert_eq!(matrix.part(2..3, 0..5)?.get()?, [10.0, 11.0, 12.0, 13.0, 14.0]);
        let line = refusal(matrix.part(0..4, 0..5));
        assert_eq!(line, "rows of a part = 0..4: expected a range within 0..3");
        let line = refusal(matrix.part(0..3, 3..6));
        assert_eq!(line, "columns of a part = 3..6: expected a range within 0..5");
        assert!(refusal(matrix.part(1..1, 0..5)).contains("matrix 0x5"));
        Ok(())
    })
}
