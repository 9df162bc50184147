//! The padding below the last row changes no result, whatever factors and elements are: results do not depend on the layout.

use quadrille::Result;
use quadrille::linalg::{Algebra, Factor, Scalar};
use quadrille::matrix::{Blocks, DenseOperator, Matrix};

use super::support::on_gpu;

const INF: f32 = f32::INFINITY;

fn same(found: f32, expected: f32) -> bool {
    found == expected || (found.is_nan() && expected.is_nan())
}

/// The elements, and every reduction of them; all are of one sign, or no numbers.
fn check(x: &Matrix, expected: &[f32], what: &str) -> Result<()> {
    let found = x.get()?;
    let wrong = found.iter().zip(expected).position(|(found, expected)| !same(*found, *expected));
    assert_eq!(wrong.map(|i| (i, found[i], expected[i])), None, "{what}: elements of {:?}", x.shape());
    let nan = expected.iter().any(|v| v.is_nan());
    let size = expected.iter().map(|v| v.abs()).fold(0.0, f32::max);
    let mut out = x.algebra().scalar(0.0)?;
    let mut check = |name: &str, reduce: &dyn Fn(&mut Scalar) -> Result<()>, expected: f32| -> Result<()> {
        reduce(&mut out)?;
        let found = out.get()?;
        let near = same(found, expected) || (found - expected).abs() <= 1e-5 * expected.abs();
        assert!(near, "{what}: {name} of {:?} is {found}, not {expected}", x.shape());
        Ok(())
    };
    let squares: f32 = expected.iter().map(|v| v * v).sum();
    check("sum", &|out| x.sum(out), expected.iter().sum())?;
    check("dot", &|out| x.dot(x, out), squares)?;
    check("asum", &|out| x.asum(out), expected.iter().map(|v| v.abs()).sum())?;
    check("nrm2", &|out| x.nrm2(out), squares.sqrt())?;
    check("max_magnitude", &|out| x.max_magnitude(out), if nan { f32::NAN } else { size })?;
    let first = expected.iter().position(|v| v.abs() == size);
    assert!(nan || Some(x.iamax()?) == first, "{what}: iamax of {:?}", x.shape());
    Ok(())
}

/// Powers of two, so that sums and products of a few are exact.
fn values(n: usize, from: usize) -> Vec<f32> {
    (from..from + n).map(|i| [1.0, 2.0, 0.5, 4.0, 0.25][i % 5]).collect()
}

#[test]
fn factors_that_are_not_finite_leave_the_padding_alone() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (rows, columns) in [(1, 1), (5, 1), (5, 3), (2, 7), (4, 4), (31, 2)] {
            let n = rows * columns;
            let (x, y) = (values(n, 0), values(n, 2));
            let (gx, gy) =
                (Matrix::new(&algebra, rows, columns, &x)?, Matrix::new(&algebra, rows, columns, &y)?);
            let of = |compute: &dyn Fn(f32, f32) -> f32| -> Vec<f32> {
                x.iter().zip(&y).map(|(x, y)| compute(*x, *y)).collect()
            };
            for a in [INF, -INF, f32::NAN] {
                let scalar = algebra.scalar(a)?;
                for factor in [Factor::from(a), Factor::from(&scalar)] {
                    let mut out = gx.try_clone()?;
                    out.scale(factor)?;
                    check(&out, &of(&|x, _| a * x), "scale")?;
                    let mut out = gx.try_clone()?;
                    out.axpy(factor, &gy)?;
                    check(&out, &of(&|x, y| x + a * y), "axpy")?;
                    out.set_mad(&gx, &gy, factor)?;
                    check(&out, &of(&|x, y| x + a * y), "set_mad")?;
                    let mut out = gx.try_clone()?;
                    out.aypx(factor, &gy)?;
                    check(&out, &of(&|x, y| a * x + y), "aypx")?;
                    out.set_product(factor, &gx, &gy)?;
                    check(&out, &of(&|x, y| a * x * y), "set_product")?;
                }
            }
        }
        Ok(())
    })
}

/// Results of few texels are summed in parts, others at once.
#[test]
fn products_by_factors_that_are_not_finite_leave_the_padding_alone() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (rows, inner, columns) in [(5, 3, 2), (5, 200, 1), (3, 5, 9), (1, 1, 1), (6, 33, 4)] {
            let a = Matrix::new(&algebra, rows, inner, &values(rows * inner, 0))?;
            let b = Matrix::new(&algebra, inner, columns, &vec![1.0; inner * columns])?;
            let mut bt = Matrix::zeros(&algebra, columns, inner)?;
            bt.set_transpose(&b)?;
            for (alpha, beta, expected) in
                [(INF, 0.0, INF), (1.0, INF, INF), (-INF, 2.0, -INF), (0.0, INF, INF), (INF, -INF, f32::NAN)]
            {
                let what = format!("gemm of {alpha} and {beta}");
                let expected = vec![expected; rows * columns];
                let mut c = Matrix::new(&algebra, rows, columns, &vec![0.5; rows * columns])?;
                c.gemm(alpha, &a, &b, beta)?;
                check(&c, &expected, &what)?;
                let mut c = Matrix::new(&algebra, rows, columns, &vec![0.5; rows * columns])?;
                c.gemm(alpha, &a, bt.t(), beta)?;
                check(&c, &expected, &what)?;
                // An operation that reads the padding of its factors: the columns of c, of which some are no texel.
                let mut product = Matrix::zeros(&algebra, columns, columns)?;
                product.multiply_transposed(&c, &c)?;
                let square = expected[0] * expected[0];
                check(&product, &vec![square; columns * columns], &format!("{what}, transposed"))?;
            }
        }
        Ok(())
    })
}

/// Groups of sizes that are no multiples of four lie between zeros.
#[test]
fn a_product_of_blocks_with_what_is_not_finite_leaves_the_zeros_between_groups() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for sizes in [&[3, 5, 1][..], &[6], &[130, 2]] {
            let entries: Vec<Vec<f32>> = sizes.iter().map(|&n| values(n * n, 1)).collect();
            let groups: Vec<(&[f32], usize)> =
                entries.iter().map(Vec::as_slice).zip(sizes.iter().copied()).collect();
            let blocks = Blocks::from_groups(&algebra, &groups)?;
            // As a vector is after a factor of infinity: no number where it held 0, between the groups.
            let parts: Vec<Vec<f32>> = sizes.iter().map(|&n| vec![1.0; n]).collect();
            let parts: Vec<&[f32]> = parts.iter().map(Vec::as_slice).collect();
            let mut x = Matrix::new(&algebra, blocks.rows(), 1, &blocks.scatter(&parts)?)?;
            x.scale(INF)?;
            let mut y = Matrix::zeros(&algebra, blocks.rows(), 1)?;
            blocks.apply(&x, &mut y)?;
            let infinite: Vec<Vec<f32>> = sizes.iter().map(|&n| vec![INF; n]).collect();
            let infinite: Vec<&[f32]> = infinite.iter().map(Vec::as_slice).collect();
            assert_eq!(y.get()?, blocks.scatter(&infinite)?, "{sizes:?}");
        }
        Ok(())
    })
}
