use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;
use quadrille::{Gpu, Result};

use super::support::{on_gpu, refusal};

#[test]
fn shapes_that_do_not_fit_are_refused_with_both() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (a, b) = (Matrix::zeros(&algebra, 3, 4)?, Matrix::zeros(&algebra, 5, 2)?);
        let mut c = Matrix::zeros(&algebra, 3, 2)?;
        let said = [
            refusal(c.multiply(&a, &b)),
            refusal(c.multiply(&a, &Matrix::zeros(&algebra, 4, 3)?)),
            refusal(c.gemv(1.0, &a, &Matrix::zeros(&algebra, 4, 2)?, 0.0)),
            refusal(c.add(&a)),
            refusal(c.set_max(&a, 0.0)),
            refusal(c.set_transpose(&a)),
            refusal(c.dot(&a, &mut algebra.scalar(0.0)?)),
            refusal(c.set(&[1.0; 7])),
            refusal(c.elements_of(&[1.0; 4])),
        ];
        let expected = [
            "second factor of a product, whose first is 3x4: 5x2, expected 4x2",
            "product: 3x3, expected 3x2",
            "vector of gemv: 4x2, expected 4x1",
            "operation on elements: 3x4, expected 3x2",
            "operation on elements: 3x4, expected 3x2",
            "transpose: 4x3, expected 3x2",
            "dot product: 3x4, expected 3x2",
            "matrix: 7 values given, 6 expected (3x2)",
            "texels of a matrix: 4 values given, 8 expected (3x2)",
        ];
        assert_eq!(said, expected);
        Ok(())
    })
}

#[test]
fn sizes_past_the_limits_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let limit = gpu.limits().texture_size as usize;
        let refuse = |rows, columns| refusal(Matrix::zeros(&algebra, rows, columns).map(drop));
        assert_eq!(refuse(0, 3), "matrix 0x3: size 3x0 has no elements");
        assert_eq!(refuse(3, 0), "matrix 3x0: size 0x3 has no elements");
        let columns =
            format!("matrix 1x{}: number of columns is {}, the limit is {limit}", limit + 1, limit + 1);
        assert_eq!(refuse(1, limit + 1), columns);
        let rows = 4 * limit + 1;
        assert_eq!(
            refuse(rows, 1),
            format!("matrix {rows}x1: number of rows is {rows}, the limit is {}", 4 * limit)
        );
        assert!(refuse(usize::MAX, 1).contains(&format!("number of rows is {}", usize::MAX)));
        Matrix::zeros(&algebra, 4 * limit, 1)?;
        let mut small = Matrix::zeros(&algebra, 2, 2)?;
        assert!(refusal(small.resize(2, limit + 1)).contains("number of columns"));
        assert_eq!(small.shape(), (2, 2));
        let targets = gpu.limits().targets + 1;
        let mut c = Matrix::zeros(&algebra, 2, 2)?;
        let said = refusal(c.multiply_by_targets(&small, &small, targets));
        assert!(
            said.starts_with(&format!("product of matrices: number of render targets is {targets}")),
            "{said}"
        );
        Ok(())
    })
}

#[test]
fn matrices_of_two_contexts_do_not_meet() -> Result<()> {
    on_gpu(|gpu| {
        let (here, there) = (Algebra::new(gpu), Algebra::new(&Gpu::headless()?));
        let (mut a, b) = (Matrix::zeros(&here, 2, 2)?, Matrix::zeros(&there, 2, 2)?);
        for said in [refusal(a.add(&b)), refusal(a.multiply(&b, &b)), refusal(a.sum(&mut there.scalar(0.0)?))]
        {
            assert!(said.ends_with("belongs to another context"), "{said}");
        }
        Ok(())
    })
}
