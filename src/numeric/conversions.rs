//! Matrices of other crates to [`Csr`] and back. The only error on the way is a matrix without rows or columns.

#[cfg(feature = "nalgebra-sparse")]
mod of_nalgebra {
    use nalgebra_sparse::{CooMatrix, CsrMatrix};

    use crate::numeric::Csr;
    use crate::{Error, Result};

    impl<T: Copy + Into<f64>> TryFrom<&CsrMatrix<T>> for Csr {
        type Error = Error;

        fn try_from(matrix: &CsrMatrix<T>) -> Result<Csr> {
            let entries = matrix.triplet_iter().map(|(row, column, &value)| (row, column, value.into()));
            Csr::from_triplets(matrix.nrows(), matrix.ncols(), entries)
        }
    }

    /// Entries of one place are added up.
    impl<T: Copy + Into<f64>> TryFrom<&CooMatrix<T>> for Csr {
        type Error = Error;

        fn try_from(matrix: &CooMatrix<T>) -> Result<Csr> {
            let entries = matrix.triplet_iter().map(|(row, column, &value)| (row, column, value.into()));
            Csr::from_triplets(matrix.nrows(), matrix.ncols(), entries)
        }
    }

    impl From<&Csr> for CsrMatrix<f64> {
        fn from(matrix: &Csr) -> CsrMatrix<f64> {
            let mut entries = CooMatrix::new(matrix.rows(), matrix.columns());
            matrix.triplets().for_each(|(row, column, value)| entries.push(row, column, value));
            CsrMatrix::from(&entries)
        }
    }
}

#[cfg(feature = "sprs")]
mod of_sprs {
    use sprs::CsMat;

    use crate::numeric::Csr;
    use crate::{Error, Result};

    /// By rows or by columns.
    impl<T: Copy + Into<f64>> TryFrom<&CsMat<T>> for Csr {
        type Error = Error;

        fn try_from(matrix: &CsMat<T>) -> Result<Csr> {
            let entries = matrix.iter().map(|(&value, (row, column))| (row, column, value.into()));
            Csr::from_triplets(matrix.rows(), matrix.cols(), entries)
        }
    }

    /// By rows.
    impl From<&Csr> for CsMat<f64> {
        fn from(matrix: &Csr) -> CsMat<f64> {
            let mut starts = vec![0];
            let (mut places, mut values) = (Vec::new(), Vec::new());
            for row in 0..matrix.rows() {
                for (column, value) in matrix.row(row) {
                    places.push(column);
                    values.push(value);
                }
                starts.push(values.len());
            }
            CsMat::new((matrix.rows(), matrix.columns()), starts, places, values)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::numeric::{Csr, Random};
    use crate::{Error, Result};

    /// Empty rows at both ends and in the middle, a stored zero, an entry that 32 bits do not hold.
    fn samples() -> Result<Vec<Csr>> {
        let mut random = Random(1);
        let ragged = [(1, 4, 0.1), (1, 0, -2.0), (3, 2, 0.0), (3, 3, 1e300)];
        Ok(vec![
            Csr::from_triplets(5, 6, ragged)?,
            Csr::from_triplets(1, 1, [])?,
            Csr::from_triplets(
                40,
                23,
                random.subset(920, 200).into_iter().map(|i| (i / 23, i % 23, 0.1 * i as f64)),
            )?,
            Csr::poisson(7, 5)?,
        ])
    }

    #[cfg(feature = "nalgebra-sparse")]
    #[test]
    fn nalgebra_sparse_comes_and_goes() -> Result<()> {
        use nalgebra_sparse::{CooMatrix, CsrMatrix};
        for matrix in samples()? {
            let theirs = CsrMatrix::<f64>::from(&matrix);
            assert_eq!((theirs.nrows(), theirs.ncols()), (matrix.rows(), matrix.columns()));
            assert_eq!(Csr::try_from(&theirs)?, matrix);
            assert_eq!(Csr::try_from(&CooMatrix::from(&theirs))?, matrix);
        }
        let mut twice = CooMatrix::<f32>::new(2, 3);
        twice.push(1, 2, 0.5);
        twice.push(0, 0, 2.0);
        twice.push(1, 2, 0.25);
        let expected = Csr::from_triplets(2, 3, [(0, 0, 2.0), (1, 2, 0.75)])?;
        assert_eq!(Csr::try_from(&twice)?, expected);
        assert_eq!(Csr::try_from(&CsrMatrix::from(&twice))?, expected);
        assert!(matches!(Csr::try_from(&CsrMatrix::<f64>::zeros(0, 3)), Err(Error::Empty { .. })));
        assert!(matches!(Csr::try_from(&CooMatrix::<f32>::new(3, 0)), Err(Error::Empty { .. })));
        Ok(())
    }

    #[cfg(feature = "sprs")]
    #[test]
    fn sprs_comes_by_rows_and_by_columns_and_goes() -> Result<()> {
        use sprs::{CsMat, TriMat};
        for matrix in samples()? {
            let theirs = CsMat::<f64>::from(&matrix);
            assert!(theirs.is_csr() && theirs.shape() == (matrix.rows(), matrix.columns()));
            assert_eq!(Csr::try_from(&theirs)?, matrix);
            let by_columns = theirs.to_csc();
            assert!(by_columns.is_csc());
            assert_eq!(Csr::try_from(&by_columns)?, matrix);
            assert_eq!(Csr::try_from(&theirs.transpose_into())?, matrix.transpose());
        }
        let mut twice = TriMat::<f32>::new((2, 3));
        twice.add_triplet(1, 2, 0.5);
        twice.add_triplet(0, 0, 2.0);
        twice.add_triplet(1, 2, 0.25);
        let expected = Csr::from_triplets(2, 3, [(0, 0, 2.0), (1, 2, 0.75)])?;
        assert_eq!(Csr::try_from(&twice.to_csr::<usize>())?, expected);
        assert_eq!(Csr::try_from(&twice.to_csc::<usize>())?, expected);
        assert!(matches!(Csr::try_from(&CsMat::<f64>::zero((0, 3))), Err(Error::Empty { .. })));
        Ok(())
    }
}
