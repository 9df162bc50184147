//! Nine-point matrices of a grid, against the same matrices in f64.

use super::support::{Random, SIZES, on_card, on_gpu, refusal};
use super::{U, as_f64, check_in_f64, check_three_term};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, BoundaryCondition, LinearOperator, NinePoint, Op, Vector};
use quadrille::numeric::Csr;
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::multigrid::{helmholtz, relax};

const EDGES: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

/// The node (dx, dy) away, if there is one.
fn neighbour(size: [u32; 2], periodic: [bool; 2], own: usize, by: [i64; 2]) -> Option<usize> {
    let (place, sides) =
        ([own as i64 % i64::from(size[0]), own as i64 / i64::from(size[0])], size.map(i64::from));
    let step = |axis: usize| match place[axis] + by[axis] {
        to if periodic[axis] => Some(to.rem_euclid(sides[axis])),
        to => (0..sides[axis]).contains(&to).then_some(to),
    };
    Some((step(1)? * sides[0] + step(0)?) as usize)
}

/// Entries anywhere between −1 and 1 in all nine vectors, those too that lead off the grid; a fifth of the rows is 0. Beside
/// them the matrix that they are.
fn random(algebra: &Algebra, size: [u32; 2], periodic: [bool; 2]) -> Result<(NinePoint, Csr)> {
    let layout = Packed2x2::grid(size[0], size[1])?;
    let mut random = Random(u64::from(size[0]) + 1000);
    let there: Vec<bool> = (0..layout.len()).map(|_| random.below(5) > 0).collect();
    let (mut entries, mut triplets) = ([const { None }; 9], Vec::new());
    for (number, entry) in entries.iter_mut().enumerate() {
        let by = [number as i64 % 3 - 1, number as i64 / 3 - 1];
        let mut value = |there: &bool| if *there { random.signed() } else { 0.0 };
        let values: Vec<f32> = there.iter().map(&mut value).collect();
        triplets.extend(
            values.iter().enumerate().filter_map(|(own, &value)| {
                Some((own, neighbour(size, periodic, own, by)?, f64::from(value)))
            }),
        );
        *entry = Some(algebra.vector(layout, &values)?);
    }
    let matrix = Csr::from_triplets(layout.len(), layout.len(), triplets)?;
    Ok((NinePoint::new(algebra, layout, periodic, entries)?, matrix))
}

/// |found − expected| ≤ 12 roundings of Σ |terms|: nine products and sums, and one more for y.
fn near(what: &str, found: &Vector, expected: &[f64], sizes: &[f64]) -> Result<()> {
    for (i, (found, (expected, size))) in found.get()?.iter().zip(expected.iter().zip(sizes)).enumerate() {
        let error = (f64::from(*found) - expected).abs();
        assert!(error <= 12.0 * U * size, "{what}, element {i}: {found} instead of {expected}");
    }
    Ok(())
}

fn magnitudes(matrix: &Csr, x: &[f64]) -> Vec<f64> {
    let row = |i| matrix.row(i).map(|(j, value)| (value * x[j]).abs()).sum();
    (0..matrix.rows()).map(row).collect()
}

fn check(gpu: &Gpu, size: [u32; 2], periodic: [bool; 2]) -> Result<()> {
    let algebra = Algebra::new(gpu);
    let (a, matrix) = random(&algebra, size, periodic)?;
    check_matrix(&a, &matrix, &format!("{size:?} {periodic:?}"))
}

/// All products of a matrix, against those in f64.
fn check_matrix(a: &NinePoint, matrix: &Csr, what: &str) -> Result<()> {
    let algebra = a.algebra();
    let (x, y) = (Random(3).floats(a.rows().len()), Random(4).floats(a.rows().len()));
    let (gpu_x, gpu_y) = (algebra.vector(a.rows(), &x)?, algebra.vector(a.rows(), &y)?);
    let (x, y) = (as_f64(&x), as_f64(&y));
    let (product, size) = (matrix.multiply(&x), magnitudes(matrix, &x));
    let with_y: Vec<f64> = size.iter().zip(&y).map(|(size, y)| size + y.abs()).collect();
    let sum = |sign: f64| -> Vec<f64> { product.iter().zip(&y).map(|(p, y)| p + sign * y).collect() };
    let mut out = algebra.zeros(a.rows())?;
    a.apply(Op::Null, &gpu_x, &mut out)?;
    near(what, &out, &product, &size)?;
    a.apply(Op::Add(&gpu_y), &gpu_x, &mut out)?;
    near(what, &out, &sum(1.0), &with_y)?;
    a.apply(Op::Sub(&gpu_y), &gpu_x, &mut out)?;
    near(what, &out, &sum(-1.0), &with_y)?;
    a.residual(&gpu_x, &gpu_y, &mut out)?;
    let rest: Vec<f64> = sum(-1.0).iter().map(|r| -r).collect();
    near(what, &out, &rest, &with_y)?;
    a.apply_transposed(Op::Null, &gpu_x, &mut out)?;
    let transpose = matrix.transpose();
    near(what, &out, &transpose.multiply(&x), &magnitudes(&transpose, &x))?;
    check_in_f64(a, matrix, &mut Random(5))?;
    check_three_term(a, matrix, &mut Random(6))?;
    // The padding is still what the next sum takes for zero.
    let mut sum = algebra.scalar(7.0)?;
    out.sum(&mut sum)?;
    let elements = as_f64(&out.get()?);
    let bound = 16.0 * U * elements.iter().map(|e| e.abs()).sum::<f64>();
    assert!((f64::from(sum.get()?) - elements.iter().sum::<f64>()).abs() <= bound, "{what}");
    Ok(())
}

#[test]
fn products_of_every_size_and_edge_are_those_of_the_matrix() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES.iter().filter(|size| size.0 * size.1 < 10_000) {
            for periodic in EDGES {
                check(gpu, [width, height], periodic)?;
            }
        }
        for size in [[2, 2], [4, 3], [3, 4], [5, 1], [1, 6]] {
            EDGES.into_iter().try_for_each(|periodic| check(gpu, size, periodic))?;
        }
        Ok(())
    })
}

/// A sweep moves x by ω (b − A x) / d, a few roundings of its parts away, and leaves nodes alone that take no part.
#[test]
fn a_sweep_divides_by_the_diagonal_or_half_of_what_its_row_holds() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (size, periodic) in [([7, 5], [false, false]), ([5, 8], [true, true]), ([9, 9], [true, false])] {
            let (a, matrix) = random(&algebra, size, periodic)?;
            let (x, b) = (Random(3).floats(a.rows().len()), Random(4).floats(a.rows().len()));
            let (gpu_x, gpu_b) = (algebra.vector(a.rows(), &x)?, algebra.vector(a.rows(), &b)?);
            let mut out = algebra.zeros(a.rows())?;
            a.relax(0.75, &gpu_x, &gpu_b, &mut out)?;
            let (mut expected, b) = (as_f64(&x), as_f64(&b));
            relax(&matrix, 0.75, &b, &mut expected);
            let diagonal = matrix.diagonal();
            for (i, (found, expected)) in out.get()?.into_iter().zip(expected).enumerate() {
                // |b|, |x| ≤ 1 and (Σ |a| + |b|) / d ≤ 2 + |b| / d.
                let sum: f64 = matrix.row(i).map(|entry| entry.1.abs()).sum();
                let d = diagonal[i].abs().max(0.5 * sum);
                let bound = if diagonal[i] == 0.0 { 0.0 } else { 16.0 * U * (3.0 + 1.0 / d) };
                assert!((f64::from(found) - expected).abs() <= bound, "{size:?} {i}: {found}, {expected}");
            }
        }
        Ok(())
    })
}

/// Weights of whole eighths, so that sums are exact.
#[test]
fn weights_of_a_flow_make_the_five_point_matrix_that_loses_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for size in [[7, 5], [8, 6], [1, 9], [4, 1], [2, 2], [33, 20]] {
            for periodic in EDGES {
                let layout = Packed2x2::grid(size[0], size[1])?;
                let mut random = Random(9);
                let mut eighths =
                    || -> Vec<f32> { (0..layout.len()).map(|_| random.below(9) as f32 / 8.0).collect() };
                let (to_east, to_north, extra) = (eighths(), eighths(), eighths());
                let mut triplets = Vec::new();
                for own in 0..layout.len() {
                    triplets.push((own, own, f64::from(extra[own])));
                    for (by, weights) in [([1, 0], &to_east), ([0, 1], &to_north)] {
                        let w = f64::from(weights[own]);
                        if let Some(next) = neighbour(size, periodic, own, by).filter(|&next| next != own) {
                            triplets.extend([
                                (own, own, w),
                                (next, next, w),
                                (own, next, -w),
                                (next, own, -w),
                            ]);
                        }
                    }
                }
                let expected = Csr::from_triplets(layout.len(), layout.len(), triplets)?;
                let [east, north, extra] = [&to_east, &to_north, &extra].map(|v| algebra.vector(layout, v));
                let a = NinePoint::from_weights(layout, periodic, &east?, &north?, Some(&extra?))?;
                let x = as_f64(&Random(5).floats(layout.len()));
                for (found, expected) in a.multiply(&x).iter().zip(expected.multiply(&x)) {
                    assert!((found - expected).abs() <= 1e-12, "{size:?} {periodic:?}");
                }
                let gpu_x = algebra.vector(layout, &x.iter().map(|&x| x as f32).collect::<Vec<f32>>())?;
                let mut out = algebra.zeros(layout)?;
                a.apply(Op::Null, &gpu_x, &mut out)?;
                near("weights", &out, &expected.multiply(&x), &magnitudes(&expected, &x))?;
            }
        }
        Ok(())
    })
}

#[test]
fn an_equation_is_the_matrix_of_its_oracle() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for boundary in
            [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann, BoundaryCondition::Periodic]
        {
            let a = NinePoint::helmholtz(&algebra, Packed2x2::grid(9, 6)?, boundary, 0.5)?;
            assert!(a.is_five_point());
            assert_eq!(a.matrix()?, &helmholtz(9, 6, boundary, 0.5)?);
        }
        let a = NinePoint::poisson(&algebra, Packed2x2::grid(9, 6)?, BoundaryCondition::Neumann)?;
        assert!(a.multiply_transposed(&[1.0; 54]).iter().all(|sum| sum.abs() < 1e-15));
        Ok(())
    })
}

/// Entries of which some are 0 everywhere, and of a side as short as it can be. A uniform matrix computes what vectors of the same entries do.
#[test]
fn a_uniform_matrix_is_that_of_its_entries_at_all_nodes() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let five = [0.0, -0.75, 0.0, -0.5, 2.625, -0.5, 0.0, -0.75, 0.0];
        let nine = [-0.3, 0.2, 0.7, -0.9, 2.5, -0.4, 0.6, -0.8, 0.1];
        let sizes = [
            [1, 1],
            [1, 7],
            [8, 1],
            [9, 1],
            [2, 2],
            [2, 5],
            [3, 3],
            [4, 4],
            [16, 6],
            [13, 10],
            [12, 11],
            [31, 17],
        ];
        for (size, entries) in sizes.into_iter().flat_map(|size| [(size, five), (size, nine)]) {
            let layout = Packed2x2::grid(size[0], size[1])?;
            let a = NinePoint::uniform(&algebra, layout, entries)?;
            let what = format!("{size:?} {entries:?}");
            assert!(a.uniform_entries().is_some(), "{what}");
            let triplets = (0..layout.len()).flat_map(|own| {
                let to = move |number: usize| {
                    let by = [number as i64 % 3 - 1, number as i64 / 3 - 1];
                    // Along a side of one node entries lead to the node itself.
                    neighbour(size, [true; 2], own, by).map(|to| (own, to, f64::from(entries[number])))
                };
                (0..9).filter_map(to)
            });
            let matrix = Csr::from_triplets(layout.len(), layout.len(), triplets)?;
            check_matrix(&a, &matrix, &what)?;
            let mut vectors = [const { None }; 9];
            for (vector, value) in vectors.iter_mut().zip(entries) {
                *vector = Some(algebra.vector(layout, &vec![value; layout.len()])?);
            }
            let held = NinePoint::new(&algebra, layout, [true; 2], vectors)?;
            let of = |a: &NinePoint| -> Result<[Vec<f32>; 3]> {
                let (x, b) = (Random(3).floats(layout.len()), Random(4).floats(layout.len()));
                let (x, b) = (algebra.vector(layout, &x)?, algebra.vector(layout, &b)?);
                let (mut swept, mut rest) = (algebra.zeros(layout)?, algebra.zeros(layout)?);
                a.relax(0.75, &x, &b, &mut swept)?;
                a.residual(&swept, &b, &mut rest)?;
                Ok([swept.get()?, rest.get()?, a.inverse_diagonal()?.get()?])
            };
            // As far apart as a compiler that joins products and sums takes them.
            for (found, expected) in of(&a)?.iter().flatten().zip(of(&held)?.iter().flatten()) {
                assert!((found - expected).abs() <= 64.0 * U as f32, "{what}: {found} beside {expected}");
            }
        }
        let grid = Packed2x2::grid(4, 6)?;
        let mut apart = five;
        apart[4] = f32::NAN;
        let line = refusal(NinePoint::uniform(&algebra, grid, apart).map(drop));
        assert_eq!(line, "uniform entries = NaN: expected finite numbers");
        let line = refusal(NinePoint::uniform(&algebra, Packed2x2::folded(11)?, five).map(drop));
        assert!(line.contains("expected a full grid"), "{line}");
        // Without a diagonal no node takes part.
        apart[4] = 0.0;
        let a = NinePoint::uniform(&algebra, grid, apart)?;
        assert!(
            a.uniform_entries().is_none() && a.inverse_diagonal()?.get()?.iter().all(|&value| value == 0.0)
        );
        Ok(())
    })
}

#[test]
fn a_product_is_one_pass_under_the_limits_of_old_cards() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX] {
        on_card(card, |gpu| {
            let algebra = Algebra::new(gpu);
            let (a, _) = random(&algebra, [11, 10], [false, true])?;
            let (x, mut y) = (algebra.vector(a.rows(), &[1.0; 110])?, algebra.zeros(a.rows())?);
            a.apply(Op::Null, &x, &mut y)?;
            let before = gpu.counters().passes;
            a.apply(Op::Null, &x, &mut y)?;
            a.relax(0.8, &x, &x, &mut y)?;
            assert_eq!(gpu.counters().passes, before + 2);
            check(gpu, [11, 10], [false, true])
        })?;
    }
    Ok(())
}

#[test]
fn what_is_no_nine_point_matrix_is_refused_with_the_entry() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let grid = Packed2x2::grid(4, 3)?;
        let made = |periodic: bool, column: usize| {
            let matrix = Csr::from_triplets(12, 12, [(5, column, 1.0)])?;
            NinePoint::from_csr(&algebra, grid, [periodic; 2], &matrix).map(drop)
        };
        let line = refusal(made(false, 7));
        let found = "entry (5, 7), from node (1, 1) to (3, 1)";
        assert_eq!(
            line,
            format!("nine-point matrix = {found}: expected entries between neighbours on the grid")
        );
        assert_eq!(refusal(made(true, 2)), "");
        assert!(refusal(made(true, 3)).contains("(5, 3)"));
        let line = refusal(NinePoint::from_csr(&algebra, grid, [false; 2], &Csr::poisson(3, 3)?));
        assert!(line.starts_with("nine-point matrix: "), "{line}");
        let folded = Packed2x2::folded(11)?;
        let line = refusal(NinePoint::new(&algebra, folded, [false; 2], [const { None }; 9]));
        assert!(line.contains("expected a full grid"), "{line}");
        Ok(())
    })
}

#[test]
fn a_card_of_too_few_streams_says_so() -> Result<()> {
    on_card(Limits { name: "small", streams: 8, ..Limits::GEFORCE_6800 }, |gpu| {
        let algebra = Algebra::new(gpu);
        let five = NinePoint::poisson(&algebra, Packed2x2::grid(5, 5)?, BoundaryCondition::Neumann)?;
        let (x, mut y) = (algebra.zeros(five.rows())?, algebra.zeros(five.rows())?);
        five.relax(0.5, &x, &x, &mut y)?;
        let (line, streams) =
            (refusal(random(&algebra, [5, 5], [false; 2]).map(drop)), "number of streams is 9");
        assert_eq!(line, format!("linalg/nine_point.frag: {streams}, the limit is 8"));
        Ok(())
    })
}
