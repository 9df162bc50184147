//! Matrix–vector products in every storage (rows A3, A4, A5, A8).

use super::support::{Random, on_card, on_gpu};
use super::{check_products, layouts};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{
    Algebra, Banded, BoundaryCondition, Dense, Diagonal, LinearOperator, Op, Points, Stencil, Sum,
};
use quadrille::numeric::Csr;
use quadrille::{Gpu, Limits, Result};

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
            check_products(&banded, &banded.matrix()?.clone(), &mut random)?;
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
            check_products(&banded, &banded.matrix()?.clone(), &mut random)?;
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
            for (beyond, points) in [
                (BoundaryCondition::Dirichlet, &five[..]),
                (BoundaryCondition::Neumann, &five[..]),
                (BoundaryCondition::Dirichlet, &wide[..]),
            ] {
                let stencil = Stencil::new(&algebra, layout, beyond, points)?;
                let matrix = entries(&stencil)?;
                assert_eq!(matrix.diagonal(), stencil.diagonal());
                check_products(&stencil, &matrix, &mut random)?;
            }
        }
        Ok(())
    })
}

/// The edge's share of a cell's coefficient is the same in however many passes.
#[test]
fn stencils_match_the_reference_under_few_streams_and_fetches() -> Result<()> {
    for (streams, fetches) in [(3, 65_535), (4, 65_535), (16, 4), (3, 4)] {
        on_card(Limits { streams, fetches, ..Limits::GEFORCE_6800 }, |gpu| {
            let (algebra, mut random) = (Algebra::new(gpu), Random(8));
            let points = [((1, 0), -1.0), ((0, 0), 4.5), ((-1, 0), -0.5), ((0, 1), -2.0), ((0, -1), -0.25)];
            for beyond in [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann] {
                let stencil = Stencil::new(&algebra, Packed2x2::grid(11, 7)?, beyond, &points)?;
                check_products(&stencil, &entries(&stencil)?, &mut random)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Rows of 0 to `longest` non-zeros at random places.
fn scattered(rows: usize, columns: usize, longest: usize, random: &mut Random) -> Result<Csr> {
    let mut entries = Vec::new();
    for row in 0..rows {
        for _ in 0..random.below(longest + 1) {
            entries.push((row, random.below(columns), f64::from(random.signed())));
        }
    }
    Csr::from_triplets(rows, columns, entries)
}

#[test]
fn dense_matrices_of_any_shape_match_the_reference() -> Result<()> {
    let check = |gpu: &Gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(9));
        for (rows, columns) in [(1, 1), (1, 9), (9, 1), (2, 3), (17, 17), (31, 57), (100, 7)] {
            let entries: Vec<f64> = (0..rows * columns).map(|_| f64::from(random.signed())).collect();
            let triplets = entries.iter().enumerate().map(|(k, &v)| (k / columns, k % columns, v));
            let matrix = Csr::from_triplets(rows, columns, triplets)?;
            let (above, beside) = (Packed2x2::folded(rows)?, Packed2x2::folded_by(columns, 5.min(columns))?);
            check_products(&Dense::new(&algebra, above, beside, &entries)?, &matrix, &mut random)?;
        }
        Ok(())
    };
    on_gpu(check)?;
    on_card(Limits::RADEON_9700, check)?;
    // Textures so small that the columns fill several.
    let small = Limits { name: "small", texture_size: 16, ..Limits::GEFORCE_6800 };
    on_card(small, |gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(10));
        let matrix = scattered(40, 50, 50, &mut random)?;
        let (rows, columns) = (Packed2x2::folded(40)?, Packed2x2::folded(50)?);
        let dense = Dense::from_csr(&algebra, rows, columns, &matrix)?;
        assert!(dense.pages() > 2, "{} pages", dense.pages());
        check_products(&dense, &matrix, &mut random)
    })
}

/// Vectors that lie in one row or column of texels, and results of few and of many texels: parts across, down, and both.
#[test]
fn dense_matrices_are_summed_in_parts_of_any_layout() -> Result<()> {
    let check = |gpu: &Gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(12));
        let layouts = |n: u32| -> Result<[Packed2x2; 3]> {
            Ok([Packed2x2::grid(1, n)?, Packed2x2::grid(n, 1)?, Packed2x2::folded(n as usize)?])
        };
        for (rows, columns) in [(3, 150), (150, 3), (40, 130)] {
            let entries: Vec<f64> = (0..rows * columns).map(|_| f64::from(random.signed())).collect();
            let triplets = entries.iter().enumerate();
            let triplets = triplets.map(|(k, &v)| (k / columns as usize, k % columns as usize, v));
            let matrix = Csr::from_triplets(rows as usize, columns as usize, triplets)?;
            for above in layouts(rows)? {
                for beside in layouts(columns)? {
                    check_products(&Dense::new(&algebra, above, beside, &entries)?, &matrix, &mut random)?;
                }
            }
        }
        Ok(())
    };
    on_gpu(check)?;
    on_card(Limits::RADEON_9700, check)
}

/// A mirrored or turned x has the mirrored or turned product, to the bit, where the matrix is the same: neighbours are added in pairs.
/// Coefficients are powers of two, because a driver may fuse one multiplication of two with their sum.
#[test]
fn products_keep_the_symmetry_of_a_grid() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(14));
        for side in [7_u32, 8] {
            let (layout, n) = (Packed2x2::grid(side, side)?, side as usize);
            let nine = |x: i64, y: i64| ((x, y), [4.0, -1.0, -0.5][(x.abs() + y.abs()) as usize]);
            let points: Vec<_> = (-1..=1).flat_map(|y| (-1..=1).map(move |x| nine(x, y))).collect();
            let operators: [Box<dyn LinearOperator>; 3] = [
                Box::new(Banded::new(&algebra, layout, Csr::poisson(n, n)?)?),
                Box::new(Stencil::new(&algebra, layout, BoundaryCondition::Dirichlet, &points)?),
                Box::new(Banded::new(
                    &algebra,
                    layout,
                    entries(&Stencil::new(&algebra, layout, BoundaryCondition::Dirichlet, &points)?)?,
                )?),
            ];
            let x = random.floats(layout.len());
            for (a, operator) in operators.iter().enumerate() {
                let product = |x: &[f32]| -> Result<Vec<f32>> {
                    let (x, mut out) = (algebra.vector(layout, x)?, algebra.zeros(layout)?);
                    operator.apply(Op::Null, &x, &mut out)?;
                    out.get()
                };
                let straight = product(&x)?;
                type Map = fn(usize, usize, usize) -> (usize, usize);
                let maps: [Map; 3] = [|i, j, n| (n - 1 - i, j), |i, j, n| (i, n - 1 - j), |i, j, _| (j, i)];
                for (number, map) in maps.into_iter().enumerate() {
                    let moved = |v: &[f32]| -> Vec<f32> {
                        let place = |k: usize| map(k % n, k / n, n);
                        (0..v.len()).map(place).map(|(i, j)| v[j * n + i]).collect()
                    };
                    assert_eq!(product(&moved(&x))?, moved(&straight), "operator {a}, map {number}, {side}");
                }
            }
        }
        Ok(())
    })
}

fn points_of_every_row_length(gpu: &Gpu) -> Result<()> {
    let (algebra, mut random) = (Algebra::new(gpu), Random(11));
    for (rows, columns, longest) in
        [(1, 1, 0), (1, 1, 1), (3, 2, 2), (50, 50, 9), (257, 100, 100), (1000, 1300, 300)]
    {
        let matrix = scattered(rows, columns, longest, &mut random)?;
        let (above, beside) = (Packed2x2::folded(rows)?, Packed2x2::folded(columns)?);
        check_products(&Points::new(&algebra, above, beside, matrix.clone())?, &matrix, &mut random)?;
    }
    Ok(())
}

#[test]
fn points_match_the_reference_for_every_row_length() -> Result<()> {
    on_gpu(points_of_every_row_length)
}

/// No card of the time blends 32-bit floats, and two of three have vertices that do not fetch.
#[test]
fn points_match_the_reference_on_cards_that_cannot_blend_or_fetch_in_vertices() -> Result<()> {
    let blends = Limits { name: "no vertex fetches", float_blend: true, ..Limits::GEFORCE_FX };
    for card in [Limits::RADEON_9700, Limits::GEFORCE_6800, blends] {
        on_card(card, points_of_every_row_length)?;
    }
    Ok(())
}

/// Five entries a row are 20 of a texel's four rows, which are five points of four; each is drawn apart.
#[test]
fn rounds_take_a_pass_of_points_and_one_that_adds_them_up() -> Result<()> {
    let passes = |card: Limits, matrix: &Csr, layout: Packed2x2| -> Result<(usize, u64)> {
        let mut found = (0, 0);
        on_card(card, |gpu| {
            let algebra = Algebra::new(gpu);
            let points = Points::new(&algebra, layout, layout, matrix.clone())?;
            let (x, mut y) = (algebra.zeros(layout)?, algebra.zeros(layout)?);
            let before = gpu.counters().passes;
            points.apply(Op::Null, &x, &mut y)?;
            found = (points.points(), gpu.counters().passes - before);
            Ok(())
        })?;
        Ok(found)
    };
    let layout = Packed2x2::grid(16, 8)?;
    let full = Csr::from_triplets(128, 128, (0..128 * 5).map(|k| (k / 5, (k / 5 + k % 5) % 128, 1.0)))?;
    assert_eq!(passes(Limits::GEFORCE_6800, &full, layout)?, (5 * 32, 2));
    // Two fetches of what adds them up are one round and what was there before.
    let two = Limits { name: "two fetches", fetches: 2, ..Limits::GEFORCE_6800 };
    assert_eq!(passes(two, &full, layout)?, (5 * 32, 10));
    // One round needs no sum.
    let own = Csr::from_triplets(128, 128, (0..128).map(|i| (i, i, 2.0)))?;
    assert_eq!(passes(Limits::GEFORCE_6800, &own, layout)?, (32, 1));
    Ok(())
}

#[test]
fn diagonals_and_sums_of_storages_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(12));
        for layout in [Packed2x2::grid(11, 10)?, Packed2x2::folded(101)?] {
            let n = layout.len();
            let entries: Vec<f64> = (0..n).map(|_| f64::from(random.signed())).collect();
            let diagonal = Diagonal::new(&algebra, layout, &entries)?;
            let matrix = Csr::from_triplets(n, n, entries.iter().enumerate().map(|(i, &v)| (i, i, v)))?;
            check_products(&diagonal, &matrix, &mut random)?;
            // Off the diagonal: where entries of both cancel, the size of their sum bounds no rounding.
            let far = scattered(n, n, 5, &mut random)?;
            let far = Csr::from_triplets(n, n, far.triplets().filter(|entry| entry.0 != entry.1))?;
            let both = Csr::from_triplets(n, n, matrix.triplets().chain(far.triplets()))?;
            let sum = Sum::new(diagonal, Points::new(&algebra, layout, layout, far)?)?;
            check_products(&sum, &both, &mut random)?;
            // Borrowed and boxed operators are operators.
            let boxed: Box<dyn LinearOperator> = Box::new(Diagonal::new(&algebra, layout, &vec![4.0; n])?);
            let fours = Csr::from_triplets(n, n, (0..n).map(|i| (i, i, 4.0)))?;
            let more = Csr::from_triplets(n, n, both.triplets().chain(fours.triplets()))?;
            check_products(&Sum::new(&sum, boxed)?, &more, &mut random)?;
        }
        Ok(())
    })
}
