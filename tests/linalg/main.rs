//! Linear algebra on packed vectors, against f64 on the CPU.

#[path = "../support/mod.rs"]
mod support;

mod double_single;
mod entries;
mod errors;
mod gather;
mod nine_point;
mod padding;
mod products;
mod quadrants;
mod seven_point;
mod structured;
mod vectors;

use quadrille::Result;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{LinearOperator, Op, Vector};
use quadrille::numeric::Csr;

/// Half of the distance between 1 and the next number: what one operation may err.
pub const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Grids of the usual sizes, and folds of lengths that fill no square.
pub fn layouts() -> Result<Vec<Packed2x2>> {
    let grids = support::SIZES.iter().map(|&(width, height)| Packed2x2::grid(width, height));
    grids.chain([1, 2, 3, 5, 17, 257, 4099].map(Packed2x2::folded)).collect()
}

/// One layout of each kind, for tests whose kernels are compiled anew for each: one texel whole and in part, an odd and an even
/// width, a wide and a narrow field, folds whose last row is in part or alone.
pub fn kinds_of_layouts() -> Result<Vec<Packed2x2>> {
    let grids = [(1, 1), (1, 2), (2, 2), (3, 3), (11, 10), (127, 2), (2, 251)];
    let grids = grids.into_iter().map(|(width, height)| Packed2x2::grid(width, height));
    grids.chain([3, 17, 4099].map(Packed2x2::folded)).collect()
}

pub fn as_f64(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

/// That A x, Aᵀx and the diagonal in f64 are those of the matrix, up to the rounding of its entries to 32 bits.
pub fn check_in_f64(a: &dyn LinearOperator, matrix: &Csr, random: &mut support::Random) -> Result<()> {
    let (sizes, x, y) = (magnitudes(matrix)?, random.floats(matrix.columns()), random.floats(matrix.rows()));
    let (x, y) = (as_f64(&x), as_f64(&y));
    let size = |x: &[f64]| -> Vec<f64> { x.iter().map(|x| x.abs()).collect() };
    let near = |what: &str, found: Vec<f64>, expected: Vec<f64>, sizes: Vec<f64>| {
        assert_eq!(found.len(), expected.len(), "{what}");
        for ((found, expected), size) in found.iter().zip(&expected).zip(sizes) {
            assert!((found - expected).abs() <= 2.0 * U * size, "{what}: {found}, {expected} expected");
        }
    };
    near("A x", a.multiply(&x), matrix.multiply(&x), sizes.multiply(&size(&x)));
    let transposed = a.multiply_transposed(&y);
    near("transposed", transposed, matrix.multiply_transposed(&y), sizes.multiply_transposed(&size(&y)));
    if matrix.rows() == matrix.columns() {
        near("diagonal", a.diagonal(), matrix.diagonal(), sizes.diagonal());
    }
    Ok(())
}

/// That A x, A x + y and A x − y, and the same of Aᵀ, are as close to f64 as (nonzeros of a row + 3)·2⁻²⁴·(|A||x|), and
/// the forms in f64, too.
pub fn check_products(a: &dyn LinearOperator, matrix: &Csr, random: &mut support::Random) -> Result<()> {
    type Apply<'a> = &'a dyn Fn(Op, &Vector, &mut Vector) -> Result<()>;
    let check = |matrix: &Csr,
                 columns: Packed2x2,
                 rows: Packed2x2,
                 apply: Apply,
                 random: &mut support::Random| {
        let algebra = a.algebra();
        let (x, y) = (random.floats(columns.len()), random.floats(rows.len()));
        let (gpu_x, gpu_y) = (algebra.vector(columns, &x)?, algebra.vector(rows, &y)?);
        let mut out = algebra.vector(rows, &random.floats(rows.len()))?;
        let exact = rounded(matrix)?;
        let product = exact.multiply(&as_f64(&x));
        let sizes = magnitudes(&exact)?.multiply(&as_f64(&x).iter().map(|x| x.abs()).collect::<Vec<_>>());
        for (op, sign) in [(Op::Null, 0.0), (Op::Add(&gpu_y), 1.0), (Op::Sub(&gpu_y), -1.0)] {
            apply(op, &gpu_x, &mut out)?;
            for (i, found) in out.get()?.into_iter().enumerate() {
                let added = sign * f64::from(y[i]);
                let nonzeros = exact.row(i).count() as f64;
                let bound = (nonzeros + 3.0) * U * (sizes[i] + added.abs());
                let error = (f64::from(found) - (product[i] + added)).abs();
                assert!(error <= bound, "element {i}: {found}, {} expected, sign {sign}", product[i] + added);
            }
            // The padding is still what the next sum takes for zero.
            let mut sum = algebra.scalar(7.0)?;
            out.sum(&mut sum)?;
            let elements = as_f64(&out.get()?);
            let bound = 32.0 * U * elements.iter().map(|e| e.abs()).sum::<f64>();
            assert!((f64::from(sum.get()?) - elements.iter().sum::<f64>()).abs() <= bound);
        }
        Ok(())
    };
    check(matrix, a.columns(), a.rows(), &|op, x, out| a.apply(op, x, out), random)?;
    let transposed = matrix.transpose();
    check(&transposed, a.rows(), a.columns(), &|op, x, out| a.apply_transposed(op, x, out), random)?;
    check_three_term(a, matrix, random)?;
    check_in_f64(a, matrix, random)
}

/// That x + h (x − before) + g (b − A x) is as close to f64 as the product, g times that, and eight roundings of the terms beside it.
fn check_three_term(a: &dyn LinearOperator, matrix: &Csr, random: &mut support::Random) -> Result<()> {
    let (layout, algebra) = (a.columns(), a.algebra());
    if a.rows() != layout {
        return Ok(());
    }
    let [x, b, before] = [(); 3].map(|()| random.floats(layout.len()));
    let vector = |values: &[f32]| algebra.vector(layout, values);
    let [gpu_x, gpu_b, gpu_before] = [vector(&x)?, vector(&b)?, vector(&before)?];
    let (h, g) = (0.75f32, -0.625f32);
    let exact = rounded(matrix)?;
    let product = exact.multiply(&as_f64(&x));
    let sizes = magnitudes(&exact)?.multiply(&as_f64(&x).iter().map(|x| x.abs()).collect::<Vec<_>>());
    for (older, h) in [(Some(&gpu_before), f64::from(h)), (None, 0.0)] {
        let mut out = algebra.vector(layout, &random.floats(layout.len()))?;
        a.three_term([0.75, g], [&gpu_x, &gpu_b], older, &mut out)?;
        let found = out.get()?;
        for i in 0..layout.len() {
            let ([x, b, before], g) = ([x[i], b[i], before[i]].map(f64::from), f64::from(g));
            let expected = x + h * (x - before) + g * (b - product[i]);
            let beside = x.abs() + h * (x.abs() + before.abs()) + g.abs() * (b.abs() + sizes[i]);
            let bound = (exact.row(i).count() as f64 + 3.0) * U * g.abs() * sizes[i] + 8.0 * U * beside;
            let error = (f64::from(found[i]) - expected).abs();
            assert!(error <= bound, "element {i}: {}, {expected} expected, h = {h}", found[i]);
        }
        let mut sum = algebra.scalar(7.0)?;
        out.sum(&mut sum)?;
        let elements = as_f64(&found);
        let bound = 32.0 * U * elements.iter().map(|e| e.abs()).sum::<f64>();
        assert!((f64::from(sum.get()?) - elements.iter().sum::<f64>()).abs() <= bound, "padding is not 0");
    }
    Ok(())
}

/// The entries as the GPU has them.
fn rounded(matrix: &Csr) -> Result<Csr> {
    map(matrix, |value| f64::from(value as f32))
}

fn magnitudes(matrix: &Csr) -> Result<Csr> {
    map(matrix, f64::abs)
}

fn map(matrix: &Csr, change: impl Fn(f64) -> f64) -> Result<Csr> {
    let entries = matrix.triplets().map(|(row, column, value)| (row, column, change(value)));
    Csr::from_triplets(matrix.rows(), matrix.columns(), entries)
}
