//! Entries that are changed on the GPU, and matrices made of vectors that are there (rows A3, A4, A5): nothing is read back.

use super::support::{Random, on_card, on_gpu, refusal};
use super::{check_products, kinds_of_layouts};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, Dense, Diagonal, LinearOperator, Points, Vector};
use quadrille::numeric::Csr;
use quadrille::{Gpu, Limits, Result};

/// Runs the changes and sees that nothing was read back for them.
fn unread<T>(gpu: &Gpu, changes: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = gpu.counters().read_backs;
    let made = changes()?;
    assert_eq!(gpu.counters().read_backs, before, "something was read back");
    Ok(made)
}

/// Sixteenths up to 8, none of them 0: all that is made of a few of them is exact in 32 bits.
fn sixteenths(random: &mut Random) -> f64 {
    (random.below(128) as f64 + 1.0) / if random.below(2) == 0 { 16.0 } else { -16.0 }
}

/// Rows of 0 to `longest` entries anywhere.
fn scattered(rows: usize, columns: usize, longest: usize, random: &mut Random) -> Result<Csr> {
    let mut entries = Vec::new();
    for row in 0..rows {
        let count = random.below(longest.min(columns) + 1);
        for column in random.subset(columns, count) {
            entries.push((row, column, sixteenths(random)));
        }
    }
    Csr::from_triplets(rows, columns, entries)
}

fn changed(matrix: &Csr, mut value: impl FnMut(usize, usize, f64) -> f64) -> Result<Csr> {
    let entries = matrix.triplets().map(|(row, column, old)| (row, column, value(row, column, old)));
    Csr::from_triplets(matrix.rows(), matrix.columns(), entries.collect::<Vec<_>>())
}

/// A and B of the same places, −2 A + B + 3 B with every fifth entry replaced, and those; the first is replaced twice.
struct Case {
    a: Csr,
    b: Csr,
    expected: Csr,
    new: Vec<(usize, usize, f64)>,
}

impl Case {
    fn of(a: Csr, random: &mut Random) -> Result<Case> {
        let b = changed(&a, |_, _, _| sixteenths(random))?;
        let places = a.triplets().step_by(5);
        let mut new: Vec<_> = places.map(|(row, column, _)| (row, column, sixteenths(random))).collect();
        new.extend(new.first().map(|&(row, column, _)| (row, column, 7.25)));
        let mut others = b.triplets().map(|entry| entry.2).collect::<Vec<_>>().into_iter();
        let mut other = || others.next().unwrap_or_default();
        let last = |row, column| new.iter().rev().find(|new| (new.0, new.1) == (row, column));
        let expected = changed(&a, |row, column, old| {
            let sum = 4.0 * other() - 2.0 * old;
            last(row, column).map_or(sum, |new| new.2)
        })?;
        Ok(Case { a, b, expected, new })
    }
}

/// Changes that all storages have by the same names, made by each of them.
macro_rules! check_changes {
    ($algebra:expr, $case:expr, $random:expr, $make:expr) => {{
        let case = &$case;
        let (mut a, b) = ($make(case.a.clone())?, $make(case.b.clone())?);
        // Aᵀ is made before the changes, and has to be made anew.
        check_products(&a, &case.a, $random)?;
        let (half, three) = ($algebra.scalar(-0.5)?, $algebra.scalar(3.0)?);
        unread($algebra.gpu(), || {
            a.scale(4.0)?;
            a.scale(&half)?;
            a.add(&b)?;
            a.axpy(&three, &b)?;
            a.set_entries(&case.new)?;
            a.set_entries(&[])
        })?;
        check_products(&a, &case.expected, $random)?;
        let x: Vec<f64> = (0..case.a.columns()).map(|j| j as f64 - 3.5).collect();
        assert_eq!(a.multiply(&x), case.expected.multiply(&x), "the truth is that of the GPU");
        check_products(&b, &case.b, $random)?;
    }};
}

fn points_change(gpu: &Gpu) -> Result<()> {
    let (algebra, mut random) = (Algebra::new(gpu), Random(31));
    for (rows, columns, longest) in [(1, 1, 1), (3, 2, 2), (50, 50, 9), (257, 100, 40)] {
        let case = Case::of(scattered(rows, columns, longest, &mut random)?, &mut random)?;
        let (above, beside) = (Packed2x2::folded(rows)?, Packed2x2::folded(columns)?);
        let make = |matrix| Points::new(&algebra, above, beside, matrix);
        check_changes!(algebra, case, &mut random, make);
    }
    Ok(())
}

#[test]
fn entries_of_points_are_scaled_added_and_replaced() -> Result<()> {
    on_gpu(points_change)?;
    on_card(Limits::RADEON_9700, points_change)?;
    // The entries of 1300 points go row after row through their texture.
    on_card(Limits { name: "small", texture_size: 64, ..Limits::RADEON_9700 }, points_change)
}

fn dense_changes(gpu: &Gpu) -> Result<()> {
    let (algebra, mut random) = (Algebra::new(gpu), Random(32));
    for (rows, columns) in [(1, 1), (9, 1), (2, 3), (17, 17), (31, 40), (100, 7)] {
        let case = Case::of(scattered(rows, columns, columns, &mut random)?, &mut random)?;
        let (above, beside) = (Packed2x2::folded(rows)?, Packed2x2::folded_by(columns, 5.min(columns))?);
        let make = |matrix: Csr| Dense::from_csr(&algebra, above, beside, &matrix);
        check_changes!(algebra, case, &mut random, make);
    }
    Ok(())
}

#[test]
fn entries_of_dense_matrices_are_scaled_added_and_replaced() -> Result<()> {
    on_gpu(dense_changes)?;
    // Textures so small that the columns fill several, and that 100 rows are cut.
    on_card(Limits { name: "small", texture_size: 16, ..Limits::GEFORCE_6800 }, dense_changes)
}

#[test]
fn entries_of_banded_matrices_are_scaled_added_and_replaced() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(33));
        for layout in [Packed2x2::grid(1, 1)?, Packed2x2::grid(11, 10)?, Packed2x2::folded(101)?] {
            let n = layout.len();
            let near = [0, 1, layout.width() as usize, n - 1].map(|k| k % n);
            let entries = (0..n).flat_map(|i| near.map(|k| (i, (i + k) % n, 0.0)));
            let pattern = Csr::from_triplets(n, n, entries)?;
            let case = Case::of(changed(&pattern, |_, _, _| sixteenths(&mut random))?, &mut random)?;
            check_changes!(algebra, case, &mut random, |matrix| Banded::new(&algebra, layout, matrix));
        }
        Ok(())
    })
}

/// Numbers that are wrong wherever they are taken although they lie outside the matrix.
fn vectors(
    algebra: &Algebra,
    layout: Packed2x2,
    count: usize,
    random: &mut Random,
) -> Result<Vec<(Vector, Vec<f64>)>> {
    let one = |_| {
        let values: Vec<f32> = (0..layout.len()).map(|_| sixteenths(random) as f32).collect();
        Ok((algebra.vector(layout, &values)?, super::as_f64(&values)))
    };
    (0..count).map(one).collect()
}

#[test]
fn diagonals_are_vectors_of_the_gpu() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(34));
        for layout in kinds_of_layouts()? {
            let (n, width) = (layout.len() as i64, i64::from(layout.width()));
            let mut offsets = vec![0, 1, -1, width, -width, 7 - n, 7, n - 1, 1 - n, n];
            offsets.sort_unstable();
            offsets.dedup();
            let own = vectors(&algebra, layout, offsets.len(), &mut random)?;
            let of_gpu: Vec<_> = offsets.iter().zip(&own).map(|(&k, (vector, _))| (k, vector)).collect();
            let of_cpu: Vec<_> = offsets.iter().zip(&own).map(|(&k, (_, v))| (k, v.clone())).collect();
            let expected = Banded::from_diagonals(&algebra, layout, &of_cpu)?;
            let mut banded = unread(gpu, || Banded::from_vectors(&algebra, layout, &of_gpu))?;
            check_products(&banded, expected.matrix()?, &mut random)?;
            assert_eq!(banded.matrix()?, expected.matrix()?, "{layout}");

            // Replaced: the main diagonal, and one that may share its vector with another.
            let other = vectors(&algebra, layout, 1, &mut random)?.remove(0);
            let shared = if n > 7 { 7 - n } else { 0 };
            unread(gpu, || {
                banded.set_diagonal(0, &other.0)?;
                banded.set_diagonal(shared, &other.0)
            })?;
            let replaced = |&(k, ref values): &(i64, Vec<f64>)| {
                (k, if k == 0 || k == shared { other.1.clone() } else { values.clone() })
            };
            let replaced: Vec<_> = of_cpu.iter().map(replaced).collect();
            let expected = Banded::from_diagonals(&algebra, layout, &replaced)?;
            check_products(&banded, expected.matrix()?, &mut random)?;
        }
        Ok(())
    })
}

/// Rows of the field are neighbouring texels: 5 texels and 7 diagonals are 13 fetches with what is added, where 7 computed addresses
/// of 4 texels each would be 36, two passes.
#[test]
fn diagonals_a_whole_number_of_rows_away_are_read_as_neighbours() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::grid(8, 8)?);
        let one = algebra.vector(layout, &[1.0; 64])?;
        let diagonals: Vec<_> = (-3..=3).map(|row| (8 * row, &one)).collect();
        assert_eq!(Banded::from_vectors(&algebra, layout, &diagonals)?.passes(), 1);
        let others: Vec<_> = (-3..=3).map(|row| (8 * row + 3, &one)).collect();
        assert_eq!(Banded::from_vectors(&algebra, layout, &others)?.passes(), 2);
        Ok(())
    })
}

#[test]
fn diagonals_on_a_grid_are_vectors_of_the_gpu() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(35));
        for layout in kinds_of_layouts()? {
            let offsets = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (2, -3), (-20, 1), (0, 900)];
            let own = vectors(&algebra, layout, offsets.len(), &mut random)?;
            let of_gpu: Vec<_> = offsets.into_iter().zip(own.iter().map(|own| &own.0)).collect();
            let of_cpu: Vec<_> = offsets.into_iter().zip(own.iter().map(|own| own.1.clone())).collect();
            let expected = Banded::on_grid(&algebra, layout, &of_cpu)?;
            let banded = unread(gpu, || Banded::on_grid_from_vectors(&algebra, layout, &of_gpu))?;
            check_products(&banded, expected.matrix()?, &mut random)?;
            assert_eq!(banded.matrix()?, expected.matrix()?, "{layout}");
        }
        // A neighbour on the grid stays one: no cell at the end of a row gets the next row's first.
        let layout = Packed2x2::grid(5, 4)?;
        let mut banded = Banded::new(&algebra, layout, Csr::poisson(5, 4)?)?;
        let ones = algebra.vector(layout, &[1.0; 20])?;
        banded.set_diagonal(1, &ones)?;
        let value = |row: usize, column: usize, old| if column == row + 1 { 1.0 } else { old };
        assert_eq!(banded.matrix()?, &changed(&Csr::poisson(5, 4)?, value)?);
        Ok(())
    })
}

fn columns_of_vectors(gpu: &Gpu) -> Result<()> {
    let (algebra, mut random) = (Algebra::new(gpu), Random(36));
    for (rows, columns) in [(1, 1), (1, 9), (9, 1), (17, 17), (31, 40), (100, 7)] {
        let (above, beside) = (Packed2x2::folded(rows)?, Packed2x2::folded_by(columns, 5.min(columns))?);
        let mut own = vectors(&algebra, above, columns, &mut random)?;
        let refs: Vec<&Vector> = own.iter().map(|own| &own.0).collect();
        let mut dense = unread(gpu, || Dense::from_columns(&algebra, above, beside, &refs))?;
        let matrix = |own: &[(Vector, Vec<f64>)]| {
            let column = |(j, own): (usize, &(Vector, Vec<f64>))| {
                own.1.clone().into_iter().enumerate().map(move |(i, value)| (i, j, value))
            };
            Csr::from_triplets(rows, columns, own.iter().enumerate().flat_map(column))
        };
        check_products(&dense, &matrix(&own)?, &mut random)?;
        own[columns / 2] = vectors(&algebra, above, 1, &mut random)?.remove(0);
        unread(gpu, || dense.set_column(columns / 2, &own[columns / 2].0))?;
        check_products(&dense, &matrix(&own)?, &mut random)?;
        let flat: Vec<f64> = (0..rows * columns).map(|k| own[k % columns].1[k / columns]).collect();
        assert_eq!(dense.entries()?, flat);
    }
    Ok(())
}

#[test]
fn columns_are_vectors_of_the_gpu() -> Result<()> {
    on_gpu(columns_of_vectors)?;
    on_card(Limits { name: "small", texture_size: 16, ..Limits::GEFORCE_6800 }, columns_of_vectors)
}

/// 0 · ∞ would be NaN where the matrix has nothing.
#[test]
fn a_factor_that_is_not_finite_makes_no_entries() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::folded(6)?;
        let mut banded = Banded::new(&algebra, layout, Csr::from_triplets(6, 6, [(1, 2, 3.0)])?)?;
        banded.scale(f32::INFINITY)?;
        let mut y = algebra.zeros(layout)?;
        banded.apply(quadrille::linalg::Op::Null, &algebra.vector(layout, &[1.0; 6])?, &mut y)?;
        assert_eq!(y.get()?, [0.0, f32::INFINITY, 0.0, 0.0, 0.0, 0.0]);
        Ok(())
    })
}

#[test]
fn a_diagonal_matrix_is_a_vector_of_the_gpu() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(37));
        let layout = Packed2x2::folded(101)?;
        let (vector, values) = vectors(&algebra, layout, 1, &mut random)?.remove(0);
        let diagonal = unread(gpu, || Ok(Diagonal::from_vector(vector)))?;
        let matrix = Csr::from_triplets(101, 101, values.iter().enumerate().map(|(i, &v)| (i, i, v)))?;
        check_products(&diagonal, &matrix, &mut random)?;
        assert_eq!(
            (diagonal.diagonal(), diagonal.multiply(&values)),
            (values.clone(), matrix.multiply(&values))
        );
        Ok(())
    })
}

#[test]
fn changes_that_a_matrix_has_no_place_for_are_named_and_change_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (six, five) = (Packed2x2::grid(3, 2)?, Packed2x2::folded(5)?);
        let matrix = Csr::poisson(3, 2)?;
        let mut banded = Banded::new(&algebra, six, matrix.clone())?;
        let mut points = Points::new(&algebra, six, six, matrix.clone())?;
        let mut dense = Dense::from_csr(&algebra, six, six, &matrix)?;
        let (v, short) = (algebra.zeros(six)?, algebra.zeros(five)?);

        let line = refusal(banded.set_entries(&[(0, 0, 9.0), (2, 3, 1.0)]));
        assert_eq!(line, "entry = row 2, column 3 of a banded matrix: expected an entry that it stores");
        let line = refusal(points.set_entries(&[(0, 0, 9.0), (5, 0, 1.0)]));
        assert_eq!(line, "entry = row 5, column 0 of a matrix of points: expected an entry that it stores");
        let line = refusal(dense.set_entries(&[(0, 0, 9.0), (0, 6, 1.0)]));
        assert_eq!(line, refusal(points.set_entries(&[(0, 6, 1.0)])));
        assert_eq!(line, "entry (0, 6) lies outside the matrix of 6 rows and 6 columns");
        let line_of_column = line;
        assert_eq!(refusal(banded.set_diagonal(2, &v)), "diagonal = 2: expected a diagonal that is stored");
        assert_eq!(refusal(banded.set_diagonal(-5, &v)), "diagonal = -5: expected a diagonal that is stored");
        let line = refusal(banded.set_diagonal(0, &short));
        assert_eq!(line, format!("diagonal of a banded matrix: {five}, expected {six}"));
        let line = refusal(dense.set_column(1, &short));
        assert_eq!(line, format!("column of a dense matrix: {five}, expected {six}"));
        assert_eq!(refusal(dense.set_column(6, &v)), line_of_column);
        let line = refusal(Dense::from_columns(&algebra, six, five, &[&v, &v]));
        assert!(line.starts_with("columns of a dense matrix: 2"), "{line}");
        let line = refusal(Banded::from_vectors(&algebra, six, &[(1, &v), (1, &v)]));
        assert_eq!(line, "diagonal = 1 twice: expected each once");

        let tridiagonal = Csr::from_triplets(6, 6, [(0, 1, 1.0), (2, 3, 1.0)])?;
        let line = refusal(banded.add(&Banded::new(&algebra, six, tridiagonal.clone())?));
        assert_eq!(
            line,
            "sum of banded matrices: diagonal 1 of 6, expected one that the other stores, from the same cells of the field"
        );
        let line = refusal(points.add(&Points::new(&algebra, six, six, tridiagonal)?));
        assert!(line.starts_with("sum of matrices of points: 2 entries"), "{line}");
        let other = Dense::new(&algebra, five, six, &[1.0; 30])?;
        assert!(refusal(dense.add(&other)).starts_with("sum of dense matrices: "));

        for a in [&banded as &dyn LinearOperator, &points, &dense] {
            check_products(a, &matrix, &mut Random(1))?;
        }
        Ok(())
    })
}
