//! Matrices with a structure, of 1 to 5000 rows, in every storage that holds them: each within the bound, so any two
//! within twice of it; and numbers that are none reach only the rows that have an entry for them.

use super::support::{Random, on_card, on_gpu};
use super::{U, as_f64, check_products};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, Dense, Diagonal, Gather, LinearOperator, Op, Points};
use quadrille::numeric::Csr;
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::matrices;

/// Every storage for which the matrix is not too much; names for the messages.
fn storages(gpu: &Gpu, matrix: &Csr) -> Result<Vec<(&'static str, Box<dyn LinearOperator>)>> {
    let algebra = Algebra::new(gpu);
    let (rows, columns) = (Packed2x2::folded(matrix.rows())?, Packed2x2::folded(matrix.columns())?);
    let mut made: Vec<(&'static str, Box<dyn LinearOperator>)> = Vec::new();
    made.push(("gather", Box::new(Gather::new(&algebra, rows, columns, matrix.clone())?)));
    if gpu.limits().float_blend {
        made.push(("points", Box::new(Points::new(&algebra, rows, columns, matrix.clone())?)));
    }
    let n = matrix.rows();
    let mut diagonals: Vec<usize> =
        matrix.triplets().map(|(row, column, _)| (column + n - row % n) % n).collect();
    diagonals.sort_unstable();
    diagonals.dedup();
    if n == matrix.columns() && diagonals.len() <= 60 {
        made.push(("banded", Box::new(Banded::new(&algebra, rows, matrix.clone())?)));
    }
    if matrix.triplets().all(|(row, column, _)| row == column) && n == matrix.columns() {
        made.push(("diagonal", Box::new(Diagonal::new(&algebra, rows, &matrix.diagonal())?)));
    }
    if n * matrix.columns() <= 300_000 {
        made.push(("dense", Box::new(Dense::from_csr(&algebra, rows, columns, matrix)?)));
    }
    Ok(made)
}

fn from(n: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> Result<Csr> {
    Csr::from_triplets(n, n, entries.filter(|e| e.0 < n && e.1 < n).collect::<Vec<_>>())
}

/// Structures of n rows: name and matrix.
fn structured(n: usize, random: &mut Random) -> Result<Vec<(&'static str, Csr)>> {
    let mut number = || f64::from(random.signed());
    let line: Vec<f64> = (0..n).map(|_| number()).collect();
    let every = |i: usize| (i, line[i]);
    Ok(vec![
        ("one row", from(n, (0..n.min(300)).map(|j| (n / 2, j, line[j])))?),
        ("one column", from(n, (0..n).map(|i| (i, n - 1, line[i])))?),
        ("arrow", from(n, (0..n).map(every).flat_map(|(i, v)| [(i, i, v), (i, 0, 0.5 * v)]))?),
        ("against the diagonal", from(n, (0..n).map(|i| (i, n - 1 - i, line[i])))?),
        (
            "around the end",
            from(n, (0..n).flat_map(|i| [(i, (i + 1) % n, line[i]), (i, (i + n - 3 % n) % n, 2.0)]))?,
        ),
        (
            "blocks of three",
            from(n, (0..n).flat_map(|i| (0..3).map(move |k| (i, i / 3 * 3 + k, (i + k) as f64 - 0.5))))?,
        ),
        ("last element", from(n, [(n - 1, n - 1, 3.0)].into_iter())?),
        ("zeros stored", from(n, (0..n).map(|i| (i, i, 0.0)))?),
        ("empty", from(n, [].into_iter())?),
        (
            "thirds",
            from(
                n,
                (0..n).flat_map(|i| [(i, i, 1.0 / 3.0), (i, (i * 7) % n, 1e-5), (i, (i + 2) % n, -1e5)]),
            )?,
        ),
    ])
}

/// A x in each storage, x without NaN: all within the bound, and any two within twice of it (they are compared with
/// one truth; that two agree follows, and is looked at once more).
fn agree(gpu: &Gpu, name: &str, matrix: &Csr, random: &mut Random) -> Result<()> {
    let x = random.floats(matrix.columns());
    let entry = |value: f64| f64::from(value as f32).abs();
    let bounds: Vec<f64> = (0..matrix.rows())
        .map(|i| {
            let size: f64 = matrix.row(i).map(|(j, v)| entry(v) * f64::from(x[j].abs())).sum();
            (matrix.row(i).count() as f64 + 3.0) * U * size
        })
        .collect();
    let mut first: Option<(&str, Vec<f64>)> = None;
    for (storage, a) in storages(gpu, matrix)? {
        check_products(&*a, matrix, random)?;
        let algebra = a.algebra();
        let mut out = algebra.zeros(a.rows())?;
        a.apply(Op::Null, &algebra.vector(a.columns(), &x)?, &mut out)?;
        let found = as_f64(&out.get()?);
        if let Some((other, values)) = &first {
            for (i, (a, b)) in found.iter().zip(values).enumerate() {
                assert!((a - b).abs() <= 2.0 * bounds[i], "{name}: row {i}: {a} {storage}, {b} {other}");
            }
        }
        first.get_or_insert((storage, found));
    }
    Ok(())
}

#[test]
fn structured_matrices_agree_in_every_storage() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(21);
        for n in [1, 3, 4, 5, 16, 97, 401] {
            for (name, matrix) in structured(n, &mut random)? {
                agree(gpu, &format!("{name} of {n}"), &matrix, &mut random)?;
            }
        }
        Ok(())
    })
}

#[test]
fn large_sparse_matrices_agree_in_every_storage() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(22);
        for n in [2048, 4999] {
            for (name, matrix) in structured(n, &mut random)? {
                if ["arrow", "against the diagonal", "around the end", "thirds"].contains(&name) {
                    agree(gpu, &format!("{name} of {n}"), &matrix, &mut random)?;
                }
            }
            let offsets = [0, 1, -1, 71, -71, 2500, 1 - n as isize];
            agree(gpu, "bands", &matrices::banded(n, n, &offsets, 3)?, &mut random)?;
            agree(gpu, "rows of 0 to 300", &matrices::random(n, n, 0, 300, 4)?, &mut random)?;
        }
        agree(gpu, "rows of 300", &matrices::random(40, 5000, 300, 300, 5)?, &mut random)?;
        agree(gpu, "rows of 299", &matrices::random(5000, 301, 299, 299, 6)?, &mut random)
    })
}

#[test]
fn products_split_into_the_passes_that_old_cards_allow() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            let mut random = Random(23);
            for n in [1, 5, 401] {
                for (name, matrix) in structured(n, &mut random)? {
                    agree(gpu, &format!("{name} of {n}, {}", card.name), &matrix, &mut random)?;
                }
            }
            agree(gpu, "random", &matrices::random(150, 90, 0, 90, 1)?, &mut random)?;
            let wide: Vec<isize> = (-20..20).map(|k| 3 * k).collect();
            agree(gpu, "40 bands", &matrices::banded(500, 500, &wide, 2)?, &mut random)
        })?;
    }
    Ok(())
}

/// A card without loops has them written out, which no number of iterations limits: 31 fetches are 6 texels of x by 5, and four
/// slots by 6.
#[test]
fn cards_without_loops_split_by_fetches_alone() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(24));
        let passes = |a: &dyn LinearOperator| -> Result<u64> {
            let (x, mut out) = (algebra.zeros(a.columns())?, algebra.zeros(a.rows())?);
            let before = gpu.counters().passes;
            a.apply(Op::Null, &x, &mut out)?;
            Ok(gpu.counters().passes - before)
        };
        let (rows, columns) = (Packed2x2::grid(8, 8)?, Packed2x2::grid(12, 2)?);
        assert_eq!(passes(&Dense::new(&algebra, rows, columns, &[1.0; 64 * 24])?)?, 1);
        for (slots, expected) in [(1, 1), (4, 1), (5, 2), (8, 2)] {
            let matrix = matrices::random(64, 24, slots, slots, random.below(100) as u64)?;
            assert_eq!(passes(&Gather::new(&algebra, rows, columns, matrix)?)?, expected, "{slots} slots");
        }
        Ok(())
    })
}

/// Up to 16 slots have a kernel of their own; more go round one loop.
#[test]
fn few_slots_have_a_kernel_for_each_number_and_many_share_one() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (rows, columns) = (Packed2x2::grid(8, 8)?, Packed2x2::grid(12, 2)?);
        let (x, mut out) = (algebra.zeros(columns)?, algebra.zeros(rows)?);
        for (slots, expected) in [(1, 1), (2, 1), (16, 1), (17, 1), (18, 0), (24, 0)] {
            let gather = Gather::new(&algebra, rows, columns, matrices::random(64, 24, slots, slots, 1)?)?;
            let before = gpu.counters().compiles;
            gather.apply(Op::Null, &x, &mut out)?;
            assert_eq!(gpu.counters().compiles - before, expected, "{slots} slots");
        }
        Ok(())
    })
}

/// A row that has no entry for an element, or one of 0, is what it would be if that element were a number.
#[test]
fn what_is_no_number_reaches_only_the_rows_that_have_an_entry_for_it() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(24);
        // Sizes of `structured_matrices_agree_in_every_storage`: kernels have the size in their text, and are compiled once.
        for n in [1, 3, 4, 5, 16, 97] {
            for (name, matrix) in structured(n, &mut random)? {
                for (storage, a) in storages(gpu, &matrix)? {
                    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                        let mut places = vec![0, n / 2, n - 1];
                        places.dedup();
                        for place in places {
                            one_bad(&*a, &matrix, place, bad, &format!("{name} of {n}, {storage}"))?;
                        }
                    }
                }
            }
        }
        Ok(())
    })
}

fn one_bad(a: &dyn LinearOperator, matrix: &Csr, place: usize, bad: f32, what: &str) -> Result<()> {
    let algebra = a.algebra();
    let n = matrix.rows();
    let mut values: Vec<f32> = (0..n).map(|i| 1.0 + i as f32 / 128.0).collect();
    let clean = algebra.vector(a.columns(), &values)?;
    values[place] = bad;
    let x = algebra.vector(a.columns(), &values)?;
    let (mut with, mut without) = (algebra.zeros(a.rows())?, algebra.zeros(a.rows())?);
    a.apply(Op::Null, &x, &mut with)?;
    a.apply(Op::Null, &clean, &mut without)?;
    for (i, (with, without)) in with.get()?.into_iter().zip(without.get()?).enumerate() {
        let hit = matrix.entry(i, place) != 0.0;
        assert!(hit != with.is_finite(), "{what}: {bad} at {place} gives {with} in row {i}");
        assert!(hit || with == without, "{what}: row {i}: {with} and {without}");
    }
    // Padding is still what a sum takes for 0, if no row is hit.
    if matrix.triplets().all(|(_, column, value)| column != place || value == 0.0) {
        let mut sum = algebra.scalar(0.0)?;
        with.sum(&mut sum)?;
        assert!(sum.get()?.is_finite(), "{what}: {bad} at {place} reaches the padding");
    }
    a.apply_transposed(Op::Null, &x, &mut with)?;
    for (j, found) in with.get()?.into_iter().enumerate() {
        let hit = matrix.entry(place, j) != 0.0;
        assert!(
            hit != found.is_finite(),
            "{what}: {bad} at {place} gives {found} in row {j} of the transpose"
        );
    }
    Ok(())
}

#[test]
fn diagonals_around_the_ends_of_rows_are_far() -> Result<()> {
    let grid = Packed2x2::grid(7, 5)?;
    assert_eq!(Banded::near_and_far(grid, &Csr::poisson(7, 5)?), (5, 0));
    // Beyond the end of a row of the field lies the next one's beginning: no constant offset leads there.
    let beside = Csr::from_triplets(35, 35, (1..35).flat_map(|i| [(i, i, 2.0), (i, i - 1, -1.0)]))?;
    assert_eq!(Banded::near_and_far(grid, &beside), (1, 1));
    Ok(())
}
