//! The promises of a cycle: symmetry, accuracy, null spaces, fixed values, and its cost on the CPU.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use super::multigrid::{RED_BLACK, System, conducting, wide};
use super::numbers;
use super::support::{Random, on_gpu, refusal};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, BoundaryCondition, NinePoint};
use quadrille::numeric::Csr;
use quadrille::solve::{Coarsest, Cycle, Missing, Multigrid, Preconditioner, Settings, Smoother, solve_by};
use quadrille::{Gpu, Result};
use quadrille_oracle::multigrid::helmholtz;

const DIRECT: Coarsest = Coarsest::Direct { nodes: 100 };

/// Some hundreds of roundings stand between x·M y and y·M x.
#[test]
fn a_cycle_is_a_symmetric_matrix_and_a_positive_one() -> Result<()> {
    on_gpu(|gpu| {
        for (size, boundary) in [
            ([17, 17], BoundaryCondition::Dirichlet),
            ([20, 31], BoundaryCondition::Neumann),
            ([24, 15], BoundaryCondition::Periodic),
        ] {
            let system = System::new(gpu, size, boundary, 0.125)?;
            for (visits, smoother) in [
                (1, Smoother::RedBlack),
                (2, Smoother::Jacobi { damping: 0.8 }),
                (1, Smoother::Jacobi { damping: 0.6 }),
            ] {
                for coarsest in [DIRECT, Coarsest::Sweeps, Coarsest::Smoothed { levels: 2 }] {
                    let cycle = Cycle { visits, smoother, ..Cycle::default() };
                    let m = Multigrid::with(&system.a, system.missing, cycle, coarsest)?;
                    let n = system.b.len();
                    let taken = system.matrix.diagonal();
                    let free = |values: Vec<f32>| -> Vec<f32> {
                        values.iter().zip(&taken).map(|(v, &d)| if d == 0.0 { 0.0 } else { *v }).collect()
                    };
                    let (x, y) = (free(Random(2).floats(n)), free(Random(3).floats(n)));
                    let apply = |x: &[f32], y: &[f32]| -> Result<(f64, f64)> {
                        let mut z = system.zeros()?;
                        m.precondition(&system.vector(x)?, &mut z)?;
                        let z = z.get()?;
                        let terms = || y.iter().zip(&z).map(|(y, z)| f64::from(*y) * f64::from(*z));
                        Ok((terms().sum(), terms().map(f64::abs).sum()))
                    };
                    let ((one, magnitude), (other, _)) = (apply(&x, &y)?, apply(&y, &x)?);
                    let bound = 300.0 * 2f64.powi(-24) * magnitude;
                    assert!((one - other).abs() <= bound, "{size:?} {cycle:?}: {one}, {other}");
                    assert!(apply(&x, &x)?.0 > 0.0, "{size:?} {cycle:?}");
                }
            }
        }
        Ok(())
    })
}

/// Found in f64 before: red and black V(1,1) leaves a quarter, V(2,2) a thirteenth; a W-cycle is no worse than a V-cycle,
/// and sweeps on 3×3 nodes are no worse than their inverse. Where the inverse begins makes no difference.
#[test]
fn other_ways_down_and_up_converge_as_they_do_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for (size, boundary) in [
            ([65, 65], BoundaryCondition::Dirichlet),
            ([64, 37], BoundaryCondition::Neumann),
            ([32, 48], BoundaryCondition::Periodic),
        ] {
            let system = System::new(gpu, size, boundary, 0.0)?;
            let two = Cycle { before: 2, after: 2, ..RED_BLACK };
            let w = Cycle { visits: 2, ..Cycle::default() };
            for (cycle, coarsest, least) in [
                (RED_BLACK, DIRECT, 3.7),
                (two, DIRECT, 11.0),
                (w, DIRECT, 7.4),
                (Cycle::default(), Coarsest::Direct { nodes: 4 }, 7.4),
                (Cycle::default(), Coarsest::Direct { nodes: 300 }, 7.4),
                (Cycle { visits: 3, ..w }, Coarsest::Sweeps, 7.4),
                (Cycle::default(), Coarsest::Sweeps, 7.4),
                (Cycle { before: 4, ..Cycle::default() }, DIRECT, 12.0),
                (Cycle { before: 0, after: 3, ..Cycle::default() }, DIRECT, 3.0),
                (Cycle { before: 2, after: 0, ..Cycle::default() }, Coarsest::Sweeps, 2.4),
            ] {
                let multigrid = Multigrid::with(&system.a, system.missing, cycle, coarsest)?;
                let (fall, _) = system.least_fall(&multigrid)?;
                assert!(fall >= least, "{size:?} {boundary:?} {cycle:?} {coarsest:?}: {fall}");
            }
        }
        Ok(())
    })
}

/// 1 + sΛ on few levels: sweeps where s/h² has fallen below a half leave no more than all levels do, found in f64 before. One level less
/// leaves long waves. Fewer nodes than a level is worth are inverted.
#[test]
fn a_level_that_is_nearly_diagonal_is_only_smoothed() -> Result<()> {
    on_gpu(|gpu| {
        // −∇² + σ has s = 1/σ: 6.7 on the finest level, 1.7 and 0.42 below.
        for (size, boundary) in [
            ([64, 50], BoundaryCondition::Neumann),
            ([49, 65], BoundaryCondition::Dirichlet),
            ([64, 48], BoundaryCondition::Periodic),
        ] {
            let system = System::new(gpu, size, boundary, 0.15)?;
            for (levels, least, most) in [(3, 7.4, 20.0), (2, 1.0, 6.0)] {
                let coarsest = Coarsest::Smoothed { levels };
                let multigrid = Multigrid::with(&system.a, system.missing, Cycle::default(), coarsest)?;
                assert_eq!(multigrid.levels(), levels);
                let (fall, _) = system.least_fall(&multigrid)?;
                assert!((least..most).contains(&fall), "{size:?} {boundary:?} {levels} levels: {fall}");
                let (b, mut x) = (system.vector(&system.b)?, system.zeros()?);
                let before = gpu.counters().passes;
                multigrid.cycle(&b, &mut x)?;
                assert_eq!(
                    gpu.counters().passes - before,
                    1 + 4 * (levels as u64 - 1) + 3,
                    "{levels} levels"
                );
            }
        }
        let system = System::new(gpu, [18, 17], BoundaryCondition::Neumann, 0.15)?;
        let few = |levels| {
            let coarsest = Coarsest::Smoothed { levels };
            Multigrid::with(&system.a, system.missing, Cycle::default(), coarsest)
        };
        assert_eq!(few(5)?.levels(), 2);
        assert_eq!(refusal(few(1).map(drop)), "levels = 1: expected 2 or more");
        Ok(())
    })
}

/// u = sin πx sin πy and its −∇²u on n² nodes of the unit square, u = 0 at its edges.
fn sines(n: u32) -> (Vec<f64>, Vec<f64>) {
    let h = 1.0 / f64::from(n - 1);
    let at = |i: u32| if i == 0 || i == n - 1 { 0.0 } else { (PI * f64::from(i) * h).sin() };
    let u: Vec<f64> = (0..n).flat_map(|j| (0..n).map(move |i| at(i) * at(j))).collect();
    let b = u.iter().map(|u| 2.0 * PI * PI * h * h * u).collect();
    (u, b)
}

fn largest(one: &[f64], other: impl Iterator<Item = f64>) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Where h² falls by four the error does: orders from one grid to the next.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

/// Full multigrid alone: one cycle a level is as exact as the equation on its grid, within a few per cent. In plain 32
/// bits the error of rounding, some 2⁻²⁴·n², stays below that of h² to 129².
#[test]
fn the_order_of_accuracy_is_two_in_plain_32_bits() -> Result<()> {
    on_gpu(|gpu| {
        let mut errors = Vec::new();
        for n in [33, 65, 129] {
            let (algebra, grid) = (Algebra::new(gpu), Packed2x2::grid(n, n)?);
            let a = NinePoint::poisson(&algebra, grid, BoundaryCondition::Dirichlet)?;
            let multigrid = Multigrid::new(&a, Missing::Fixed, Cycle::default())?;
            let (u, b) = sines(n);
            let b = algebra.vector(grid, &b.iter().map(|&b| b as f32).collect::<Vec<f32>>())?;
            let mut x = algebra.vector(grid, &vec![5.0; grid.len()])?;
            multigrid.full(&b, &mut x)?;
            multigrid.cycle(&b, &mut x)?;
            errors.push(largest(&u, wide(&x.get()?).into_iter()));
        }
        let orders = orders(&errors);
        assert!(orders.iter().all(|&order| order >= 1.9), "{errors:?}, {orders:?}");
        Ok(())
    })
}

fn refined_orders(gpu: &Gpu, sides: &[u32]) -> Result<Vec<f64>> {
    let mut errors = Vec::new();
    for &n in sides {
        let (algebra, grid) = (Algebra::new(gpu), Packed2x2::grid(n, n)?);
        let a = NinePoint::poisson(&algebra, grid, BoundaryCondition::Dirichlet)?;
        let multigrid = Multigrid::new(&a, Missing::Fixed, Cycle::default())?;
        let (u, b) = sines(n);
        let settings =
            Settings { tolerance: 1e-9, max_iterations: 200, check_every: 2, ..Settings::default() };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let found = solve_by(Box::new(multigrid), &a, &b, None, &settings, go_on)?;
        assert!(found.report.converged(), "{n}: {:?}", found.report);
        errors.push(largest(&u, found.x.into_iter()));
    }
    Ok(orders(&errors))
}

#[test]
fn the_order_of_accuracy_is_two_with_refinement() -> Result<()> {
    on_gpu(|gpu| {
        let orders = refined_orders(gpu, &[33, 65, 129, 257])?;
        assert!(orders.iter().all(|&order| order >= 1.9), "{orders:?}");
        Ok(())
    })
}

#[test]
#[ignore = "takes minutes on a CPU"]
fn the_order_of_accuracy_is_two_with_refinement_to_a_million_nodes() -> Result<()> {
    on_gpu(|gpu| {
        let orders = refined_orders(gpu, &[257, 513, 1025])?;
        assert!(orders.iter().all(|&order| order >= 1.9), "{orders:?}");
        Ok(())
    })
}

/// The mean of b is what a closed box cannot make; a sum in 32 bits knows it to (⌈log₂ n⌉ + 2)·2⁻²⁴ of the mean of |b|.
#[test]
fn a_right_side_is_made_compatible_where_constants_are_lost_and_only_there() -> Result<()> {
    on_gpu(|gpu| {
        let size = [31, 20];
        let hole = |i: usize, j: usize| if (5..9).contains(&i) && j > 12 { 0.0 } else { 1.0 };
        let closed = conducting(size, hole, 0.0)?;
        let b: Vec<f32> = numbers(31 * 20, 4).iter().map(|&b| b as f32 + 0.5).collect();
        for (matrix, singular) in [
            (closed, true),
            (conducting(size, hole, 0.01)?, false),
            // Far less than a rounding of the largest rows, and far more than one of the others.
            (conducting(size, |i, _| if i == 7 { 1e4 } else { 1.0 }, 0.01)?, false),
            (helmholtz(31, 20, BoundaryCondition::Neumann, 0.0)?, true),
            (helmholtz(31, 20, BoundaryCondition::Periodic, 0.0)?, true),
            (helmholtz(31, 20, BoundaryCondition::Dirichlet, 0.0)?, false),
        ] {
            let taken: Vec<bool> = matrix.diagonal().iter().map(|&d| d != 0.0).collect();
            let system = System::of(gpu, size, [false; 2], matrix.clone(), Missing::Absent);
            let system = match system {
                Ok(system) => system,
                Err(_) => System::of(gpu, size, [true; 2], matrix, Missing::Absent)?,
            };
            let multigrid = Multigrid::new(&system.a, Missing::Absent, Cycle::default())?;
            let inside = |values: &[f32]| -> Vec<f64> {
                values.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(v, _)| f64::from(*v)).collect()
            };
            let mean = |values: &[f32]| {
                let values = inside(values);
                values.iter().sum::<f64>() / values.len() as f64
            };
            let mut gpu_b = system.vector(&b)?;
            let before = multigrid.incompatibility(&gpu_b)?;
            multigrid.compatible(&mut gpu_b)?;
            let after = gpu_b.get()?;
            let bound = 13.0 * 2f64.powi(-24) * 1.5;
            if singular {
                assert!((before - mean(&b)).abs() <= bound, "{before}, {}", mean(&b));
                assert!(mean(&after).abs() <= 2.0 * bound, "{}", mean(&after));
                assert!(multigrid.incompatibility(&gpu_b)?.abs() <= 4.0 * bound);
            } else {
                assert!(before == 0.0 && after == b);
            }
            let unseen = after.iter().zip(&b).zip(&taken).filter(|(_, taken)| !**taken);
            assert!(unseen.into_iter().all(|((after, b), _)| after == b));
        }
        Ok(())
    })
}

/// Rows of any size add up to 0 but for the rounding of their own entries.
#[test]
fn pockets_are_found_whatever_the_size_of_coefficients() -> Result<()> {
    on_gpu(|gpu| {
        let size = [37, 26];
        for scale in [1e6, 1.0, 1e-6] {
            let coefficient = |i: usize, j: usize| match j {
                13 => 0.0,
                _ => scale * (1.0 + ((i + j) % 7) as f64 / 10.0),
            };
            for (sigma, pockets) in [(0.0, 2), (0.01, 0)] {
                let matrix = conducting(size, coefficient, scale * sigma)?;
                let system = System::of(gpu, size, [false; 2], matrix, Missing::Absent)?;
                let mut multigrid = Multigrid::new(&system.a, Missing::Absent, Cycle::default())?;
                assert_eq!(multigrid.find_pockets()?, pockets, "{scale}, {sigma}");
            }
        }
        Ok(())
    })
}

#[test]
fn pockets_are_told_apart() -> Result<()> {
    on_gpu(|gpu| {
        let size = [37, 26];
        // A wall from edge to edge, and one node alone, which takes no part.
        let wall =
            |i: usize, j: usize| j == 13 || ((1..4).contains(&i) && (1..4).contains(&j) && (i, j) != (2, 2));
        let matrix = conducting(size, |i, j| if wall(i, j) { 0.0 } else { 1.0 }, 0.0)?;
        let system = System::of(gpu, size, [false; 2], matrix, Missing::Absent)?;
        let mut multigrid = Multigrid::new(&system.a, Missing::Absent, Cycle::default())?;
        let low = |i: usize| i / 37 < 13;
        let b: Vec<f32> = (0..37 * 26).map(|i| if low(i) { 1.0 } else { -2.0 }).collect();
        let mut gpu_b = system.vector(&b)?;
        assert_eq!(multigrid.find_pockets()?, 2);
        assert_eq!(multigrid.incompatibility(&gpu_b)?, -2.0);
        multigrid.compatible(&mut gpu_b)?;
        let taken = system.matrix.diagonal();
        let bound = 13.0 * 2f32.powi(-24) * 2.0;
        for (i, value) in gpu_b.get()?.into_iter().enumerate() {
            assert!(if taken[i] == 0.0 { value == b[i] } else { value.abs() <= bound }, "{i}: {value}");
        }
        Ok(())
    })
}

/// Fixed values that are not 0: u = 1 + x at the nodes of the edge is u = 1 + x everywhere. Nine cycles leave 7.5⁻⁹ of what is
/// wrong, below the 16 roundings of |A||u| ≤ 16 that a residual may be left with; A⁻¹ makes 20²/8 = 50 of 1 between two sides
/// 20 nodes apart.
#[test]
fn values_that_are_fixed_count_where_entries_lead_to_them() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, [w, h]) = (Algebra::new(gpu), [33usize, 20]);
        let edge = |i: usize| [0, w - 1].contains(&(i % w)) || [0, h - 1].contains(&(i / w));
        let entries = (0..w * h).filter(|&i| !edge(i)).flat_map(|i| {
            [(i, i, 4.0), (i, i - 1, -1.0), (i, i + 1, -1.0), (i, i - w, -1.0), (i, i + w, -1.0)]
        });
        let (matrix, grid) =
            (Csr::from_triplets(w * h, w * h, entries)?, Packed2x2::grid(w as u32, h as u32)?);
        let a = NinePoint::from_csr(&algebra, grid, [false; 2], &matrix)?;
        let mut multigrid = Multigrid::new(&a, Missing::Fixed, Cycle::default())?;
        assert_eq!(multigrid.find_pockets()?, 0, "what leads to fixed values is lost");
        let exact = |i: usize| 1.0 + (i % w) as f32 / 32.0;
        let begun: Vec<f32> = (0..w * h).map(|i| if edge(i) { exact(i) } else { 0.0 }).collect();
        let (b, mut x) = (algebra.zeros(grid)?, algebra.vector(grid, &begun)?);
        (0..9).try_for_each(|_| multigrid.cycle(&b, &mut x))?;
        let bound = 50.0 * 16.0 * 2f32.powi(-24) * 16.0;
        for (i, x) in x.get()?.into_iter().enumerate() {
            assert!((x - exact(i)).abs() <= bound && (!edge(i) || x == exact(i)), "{i}: {x}");
        }
        Ok(())
    })
}

#[test]
fn another_matrix_on_the_same_grid_takes_its_place() -> Result<()> {
    on_gpu(|gpu| {
        let one = System::new(gpu, [40, 33], BoundaryCondition::Neumann, 0.0)?;
        let matrix = conducting([40, 33], |i, j| if i > 10 && j == 9 { 0.0 } else { 1.0 }, 0.0)?;
        let other = System::of(gpu, [40, 33], [false; 2], matrix, Missing::Absent)?;
        for coarsest in [DIRECT, Coarsest::Sweeps, Coarsest::Smoothed { levels: 3 }] {
            let mut multigrid = Multigrid::with(&one.a, Missing::Absent, Cycle::default(), coarsest)?;
            let fresh = Multigrid::with(&other.a, Missing::Absent, Cycle::default(), coarsest)?;
            let passes = || gpu.counters().compiles;
            let before = passes();
            multigrid.rebuild(&other.a)?;
            assert_eq!(passes(), before, "a rebuild compiles nothing");
            let (b, mut x, mut y) = (other.vector(&other.b)?, other.zeros()?, other.zeros()?);
            multigrid.cycle(&b, &mut x)?;
            fresh.cycle(&b, &mut y)?;
            assert_eq!(x.get()?, y.get()?);
        }
        Ok(())
    })
}

#[test]
fn nothing_is_read_back_by_cycles_or_by_a_rebuild_with_sweeps() -> Result<()> {
    on_gpu(|gpu| {
        let system = System::new(gpu, [64, 50], BoundaryCondition::Neumann, 0.0)?;
        let mut multigrid = Multigrid::with(&system.a, Missing::Absent, Cycle::default(), Coarsest::Sweeps)?;
        let (mut b, mut x) = (system.vector(&system.b)?, system.zeros()?);
        let before = gpu.counters().read_backs;
        multigrid.compatible(&mut b)?;
        multigrid.cycle(&b, &mut x)?;
        multigrid.full(&b, &mut x)?;
        multigrid.rebuild(&system.a)?;
        multigrid.compatible(&mut b)?;
        assert_eq!(gpu.counters().read_backs, before);
        Ok(())
    })
}

/// On two levels, the coarser solved by its inverse: the first sweep from 0 is a product with 1/d, the others are sweeps, and none is
/// none.
#[test]
fn a_sweep_before_the_correction_is_a_pass() -> Result<()> {
    on_gpu(|gpu| {
        let system = System::new(gpu, [16, 16], BoundaryCondition::Dirichlet, 0.0)?;
        let (b, mut x) = (system.vector(&system.b)?, system.zeros()?);
        let mut passes = Vec::new();
        for before in 0..4 {
            let cycle = Cycle { before, after: 1, ..Cycle::default() };
            let multigrid =
                Multigrid::with(&system.a, system.missing, cycle, Coarsest::Direct { nodes: 100 })?;
            assert_eq!(multigrid.levels(), 2);
            let start = gpu.counters().passes;
            multigrid.precondition(&b, &mut x)?;
            passes.push(gpu.counters().passes - start);
        }
        assert_eq!(passes, [0, 1, 2, 3].map(|before| passes[0] + before));
        Ok(())
    })
}

/// Three entries along the only axis are three passes a level and one that inverts diagonals; the finest has a pass for each entry, which
/// might lead to a node that takes no part.
#[test]
fn levels_of_a_line_take_no_passes_across_it() -> Result<()> {
    on_gpu(|gpu| {
        for size in [[1, 65], [65, 1]] {
            let system = System::new(gpu, size, BoundaryCondition::Neumann, 0.5)?;
            let before = gpu.counters().passes;
            let made = Multigrid::with(&system.a, system.missing, Cycle::default(), Coarsest::Sweeps)?;
            assert_eq!(made.levels(), 6, "65, 33, 17, 9, 5 and 3 nodes");
            assert_eq!(gpu.counters().passes - before, 3 + 5 * (3 + 1), "{size:?}");
        }
        Ok(())
    })
}
