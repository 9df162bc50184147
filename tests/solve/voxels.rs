//! Multigrid on the aggregates of a voxel box, and conjugate gradients that the CPU steers.

use super::norm;
use super::support::{Random, on_card, on_gpu, refusal};
use quadrille::layout::Voxels;
use quadrille::linalg::{Algebra, LinearOperator, Op, SevenPoint, Vector};
use quadrille::numeric::Csr;
use quadrille::pug::Step;
use quadrille::sim::projection::Cell;
use quadrille::solve::{
    Bounds, Cg, Iteration, Operation, Outcome, Pcg, Preconditioner, Reason, SteeredCg, VoxelMultigrid,
    iterate,
};
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::jacobi_cg;
use quadrille_oracle::voxels::Cells;

/// A box with a fifth of its cells solid and air at its top, in the order of the vectors' elements.
struct VoxelBox {
    a: SevenPoint,
    matrix: Csr,
    b: Vec<f32>,
}

impl VoxelBox {
    fn new(gpu: &Gpu, size: [u32; 3]) -> Result<VoxelBox> {
        let (algebra, mut random) = (Algebra::new(gpu), Random(5));
        let voxels = Voxels::new(size, gpu.limits().texture_size)?;
        let top = size[2] - 1;
        let kind = |[_, _, k]: [u32; 3]| match random.below(5) {
            0 => Cell::Solid,
            _ if k == top => Cell::Air,
            _ => Cell::Fluid,
        };
        let kinds: Vec<Cell> = voxels.all().map(kind).collect();
        let cells =
            Cells { size: size.map(|n| n as usize), kinds: &kinds, distance: None, least_depth: 0.01 };
        let small = cells.matrix()?;
        let place: Vec<usize> = voxels.all().map(|voxel| voxels.index(voxel)).collect();
        let n = voxels.layout().len();
        let entries = small.triplets().map(|(row, column, value)| (place[row], place[column], value));
        let matrix = Csr::from_triplets(n, n, entries)?;
        let diagonal: Vec<f32> = small.diagonal().iter().map(|&d| d as f32).collect();
        let b: Vec<f32> =
            matrix.diagonal().iter().map(|&d| if d > 0.0 { random.signed() } else { 0.0 }).collect();
        Ok(VoxelBox { a: SevenPoint::new(&algebra, voxels, &diagonal)?, matrix, b })
    }

    fn vector(&self, values: &[f32]) -> Result<Vector> {
        self.a.algebra().vector(self.a.rows(), values)
    }

    /// ‖b − A x‖ / ‖b‖ in f64.
    fn residual(&self, x: &Vector) -> Result<f64> {
        let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|&v| f64::from(v)).collect() };
        let (b, product) = (wide(&self.b), self.matrix.multiply(&wide(&x.get()?)));
        Ok(norm(&b.iter().zip(product).map(|(b, p)| b - p).collect::<Vec<_>>()) / norm(&b))
    }

    fn solve(&self, method: &mut dyn Iteration, tolerance: f32) -> Result<(Outcome, f64)> {
        let mut x = self.vector(&vec![0.0; self.b.len()])?;
        let bounds = Bounds { tolerance, max_iterations: 1000, check_every: 2 };
        let b = self.vector(&self.b)?;
        let outcome = iterate(method, &self.a, &b, &mut x, bounds, &mut |_, _| true)?;
        Ok((outcome, self.residual(&x)?))
    }
}

const SIZES: [[u32; 3]; 5] = [[2, 3, 2], [7, 5, 6], [13, 4, 9], [16, 16, 16], [3, 25, 11]];

/// In f32 as many roundings as a cycle has operations stand between x·M y and y·M x: some hundreds.
#[test]
fn a_cycle_is_a_symmetric_matrix_and_a_positive_one() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            let basin = VoxelBox::new(gpu, size)?;
            for sweeps in [1, 2, 3] {
                let cycle = VoxelMultigrid::new(&basin.a, sweeps)?;
                let unknown = |value: f32, b: f32| if b == 0.0 { 0.0 } else { value };
                let mut random = Random(u64::from(sweeps));
                let other: Vec<f32> = basin.b.iter().map(|&b| unknown(random.signed(), b)).collect();
                let (x, y) = (basin.vector(&basin.b)?, basin.vector(&other)?);
                let apply = |x: &Vector, y: &Vector| -> Result<(f64, f64)> {
                    let mut z = x.try_clone()?;
                    cycle.precondition(x, &mut z)?;
                    let (y, z) = (y.get()?, z.get()?);
                    let terms = || y.iter().zip(&z).map(|(y, z)| f64::from(*y) * f64::from(*z));
                    Ok((terms().sum(), terms().map(f64::abs).sum()))
                };
                let ((one, size_of_it), (another, _)) = (apply(&x, &y)?, apply(&y, &x)?);
                assert!(
                    (one - another).abs() <= 300.0 * 2f64.powi(-24) * size_of_it,
                    "{size:?}: {one}, {another}"
                );
                assert!(apply(&x, &x)?.0 > 0.0);
            }
        }
        Ok(())
    })
}

/// P gives each of 2×2×2 voxels what the coarse one has; its transpose adds them up. The entries are halves of whole
/// numbers, so the two sides differ by the order of their sums in f64 alone.
#[test]
fn a_coarse_matrix_is_half_of_the_fine_one_between_aggregates() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            let basin = VoxelBox::new(gpu, size)?;
            let cycle = VoxelMultigrid::new(&basin.a, 1)?;
            let matrices: Vec<&SevenPoint> = cycle.matrices().collect();
            for pair in matrices.windows(2) {
                let [fine, coarse] = [pair[0], pair[1]];
                let (from, to) = (fine.voxels(), coarse.voxels());
                assert_eq!(to.size(), from.size().map(|side| side.div_ceil(2)));
                let (fine_diagonal, coarse_diagonal) = (fine.diagonal(), coarse.diagonal());
                let mut random = Random(4);
                let mut number = |&d: &f64| if d > 0.0 { f64::from(random.signed()) } else { 0.0 };
                let x: Vec<f64> = coarse_diagonal.iter().map(&mut number).collect();
                let above = |voxel: [u32; 3]| to.index(voxel.map(|i| i / 2));
                let mut spread = vec![0.0; from.layout().len()];
                for voxel in from.all().filter(|&voxel| fine_diagonal[from.index(voxel)] > 0.0) {
                    spread[from.index(voxel)] = x[above(voxel)];
                }
                let mut expected = vec![0.0; to.layout().len()];
                let product = fine.multiply(&spread);
                from.all().for_each(|voxel| expected[above(voxel)] += 0.5 * product[from.index(voxel)]);
                for (found, expected) in coarse.multiply(&x).iter().zip(&expected) {
                    assert!((found - expected).abs() <= 1e-12, "{size:?} {to}: {found}, {expected}");
                }
            }
        }
        Ok(())
    })
}

/// A cycle adds up nothing over the box, so where slices lie changes no bit; those of two levels lie in several rows.
#[test]
fn a_cycle_over_slices_in_several_rows_is_that_over_one() -> Result<()> {
    let (size, mut random, mut found) = ([13, 9, 24], Random(6), Vec::new());
    let voxels = Voxels::new(size, 4096)?;
    let diagonal: Vec<f32> =
        (0..voxels.count()).map(|_| if random.below(5) == 0 { 0.0 } else { 6.5 }).collect();
    let b: Vec<f32> = diagonal.iter().map(|&d| if d > 0.0 { random.signed() } else { 0.0 }).collect();
    let mut cycle = |gpu: &Gpu| -> Result<()> {
        let voxels = Voxels::new(size, gpu.limits().texture_size)?;
        let a = SevenPoint::new(&Algebra::new(gpu), voxels, &diagonal)?;
        let levels = VoxelMultigrid::new(&a, 2)?;
        let r = a.algebra().vector(a.rows(), &voxels.spread(&b)?)?;
        let mut z = r.try_clone()?;
        levels.precondition(&r, &mut z)?;
        let rows: Vec<u32> = levels.matrices().map(|level| level.voxels().tiles().1).collect();
        found.push((rows, voxels.collect(&z.get()?)));
        Ok(())
    };
    let whole = Gpu::headless()?.limits().to_owned();
    on_card(whole, &mut cycle)?;
    on_card(Limits { texture_size: 40, ..whole }, &mut cycle)?;
    assert!(found[0].0.iter().all(|&rows| rows == 1) && found[1].0[..2].iter().all(|&rows| rows > 1));
    assert_eq!(found[0].1, found[1].1);
    Ok(())
}

/// Pairs of voxels with 1/2 and 6 on the diagonal and weights of 1 between all neighbours give ½ (1/2 + 6 − 2), and ½ from pair to pair.
#[test]
fn a_diagonal_below_1_has_weights_of_1_too() -> Result<()> {
    on_gpu(|gpu| {
        let voxels = Voxels::new([4, 1, 1], gpu.limits().texture_size)?;
        let a = SevenPoint::new(&Algebra::new(gpu), voxels, &[0.5, 6.0, 0.5, 6.0])?;
        let levels = VoxelMultigrid::new(&a, 1)?;
        let coarse: Vec<&SevenPoint> = levels.matrices().skip(1).collect();
        let of = |vector: &Vector| Ok::<_, quadrille::Error>(coarse[0].voxels().collect(&vector.get()?));
        assert_eq!((coarse.len(), of(coarse[0].main_diagonal())?), (1, vec![2.25; 2]));
        let weights = coarse[0].weights().into_iter().flatten().map(of).collect::<Result<Vec<_>>>()?;
        assert_eq!(weights, [[0.5, 0.0], [0.0; 2], [0.0; 2]]);
        Ok(())
    })
}

#[test]
fn levels_for_another_matrix_in_the_same_textures_are_those_made_anew() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            let basin = VoxelBox::new(gpu, size)?;
            let voxels = basin.a.voxels();
            // All open: another diagonal at every voxel.
            let open = SevenPoint::new(basin.a.algebra(), voxels, &vec![6.0; voxels.count()])?;
            let mut levels = VoxelMultigrid::new(&open, 2)?;
            levels.rebuild(&basin.a)?;
            let anew = VoxelMultigrid::new(&basin.a, 2)?;
            assert_eq!(levels.levels(), anew.levels());
            for (found, expected) in levels.matrices().zip(anew.matrices()) {
                assert_eq!(found.main_diagonal().get()?, expected.main_diagonal().get()?, "{size:?}");
                let weights = |a: &SevenPoint| -> Result<Vec<Vec<f32>>> {
                    a.weights().into_iter().flatten().map(Vector::get).collect()
                };
                assert_eq!(weights(found)?, weights(expected)?, "{size:?}");
            }
            // A coarse level stores its weights.
            if let Some(coarse) = anew.matrices().nth(1) {
                let mut own = VoxelMultigrid::new(coarse, 1)?;
                own.rebuild(coarse)?;
                let line = refusal(own.rebuild(&basin.a));
                assert!(line.starts_with("matrix of multigrid: "), "{line}");
            }
        }
        Ok(())
    })
}

#[test]
fn multigrid_takes_a_fraction_of_the_iterations_at_every_size() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            let basin = VoxelBox::new(gpu, size)?;
            let cycle = VoxelMultigrid::new(&basin.a, 2)?;
            assert!(cycle.levels() > 1 || size.iter().all(|&side| side <= 3));
            let mut method = Pcg::new(basin.a.algebra(), basin.a.rows(), cycle)?;
            let (outcome, truth) = basin.solve(&mut method, 1e-5)?;
            assert!(
                outcome.reason == Reason::Converged && truth <= 1.5e-5,
                "{size:?}: {outcome:?}, {truth:e}"
            );
            let b: Vec<f64> = basin.b.iter().map(|&b| f64::from(b)).collect();
            let diagonal = jacobi_cg(&basin.matrix, &b, None, 1e-5, 1000).iterations;
            assert!(outcome.iterations <= 12.min(diagonal), "{size:?}: {}, {diagonal}", outcome.iterations);
        }
        Ok(())
    })
}

/// A diagonal M in three programs: the same iteration, to a rounding here or there.
#[test]
fn fused_split_and_plain_conjugate_gradients_agree_with_f64_on_the_iterations() -> Result<()> {
    on_gpu(|gpu| {
        let basin = VoxelBox::new(gpu, [13, 11, 9])?;
        let (algebra, layout) = (basin.a.algebra().clone(), basin.a.rows());
        let b: Vec<f64> = basin.b.iter().map(|&b| f64::from(b)).collect();
        let in_f64 = jacobi_cg(&basin.matrix, &b, None, 1e-5, 1000).iterations as f64;
        let mut methods: Vec<Box<dyn Iteration>> = vec![
            Box::new(Pcg::new(&algebra, layout, basin.a.inverse_diagonal()?)?),
            Box::new(Cg::with(&algebra, layout, basin.a.inverse_diagonal()?)?),
        ];
        for method in &mut methods {
            let (outcome, truth) = basin.solve(&mut **method, 1e-5)?;
            assert!(outcome.reason == Reason::Converged && truth <= 1.1e-5, "{truth:e}");
            assert!((outcome.iterations as f64) <= 1.1 * in_f64 + 2.0, "{}, {in_f64}", outcome.iterations);
        }
        Ok(())
    })
}

#[test]
fn the_cpu_steers_to_the_same_solution_wherever_the_sums_end() -> Result<()> {
    on_gpu(|gpu| {
        let basin = VoxelBox::new(gpu, [13, 11, 9])?;
        let inverse = basin.a.inverse_diagonal()?;
        let b: Vec<f64> = basin.b.iter().map(|&b| f64::from(b)).collect();
        let in_f64 = jacobi_cg(&basin.matrix, &b, None, 1e-5, 1000).iterations;
        for step in [Step::Adjacent(2), Step::Far(2), Step::Far(8)] {
            for stop_at in [1, 16, 100_000] {
                let bounds = Bounds { tolerance: 1e-5, max_iterations: 1000, check_every: 1 };
                let (gpu_b, mut x) = (basin.vector(&basin.b)?, basin.vector(&vec![0.0; b.len()])?);
                let mut counts = Vec::new();
                let steered = SteeredCg::new(gpu, step, stop_at)?;
                let watch = &mut |operation, work: &mut dyn FnMut() -> Result<()>| {
                    counts.push(operation);
                    work()
                };
                let outcome = steered.solve(&basin.a, &inverse, (&gpu_b, &mut x), bounds, watch)?;
                let truth = basin.residual(&x)?;
                assert!(outcome.reason == Reason::Converged && truth <= 1.1e-5, "{outcome:?}");
                assert!(outcome.iterations as f64 <= 1.1 * in_f64 as f64 + 2.0);
                let count = |operation| counts.iter().filter(|&&counted| counted == operation).count();
                let n = outcome.iterations;
                assert_eq!([count(Operation::Setup), count(Operation::Multiply)], [1, n]);
                assert_eq!([count(Operation::ScaleAdd), count(Operation::Precondition)], [3 * n, n + 1]);
            }
        }
        let line = refusal(SteeredCg::new(gpu, Step::Far(3), 1).map(drop));
        assert!(line.starts_with("step = 3"), "{line}");
        Ok(())
    })
}

#[test]
fn a_right_side_of_zero_and_a_matrix_without_unknowns_end_at_once() -> Result<()> {
    on_gpu(|gpu| {
        let basin = VoxelBox::new(gpu, [5, 4, 3])?;
        let empty = SevenPoint::new(basin.a.algebra(), basin.a.voxels(), &[0.0; 60])?;
        let zeros = basin.vector(&vec![0.0; basin.b.len()])?;
        let bounds = Bounds { tolerance: 1e-5, max_iterations: 100, check_every: 1 };
        for a in [&basin.a, &empty] {
            let mut method = Pcg::new(a.algebra(), a.rows(), VoxelMultigrid::new(a, 2)?)?;
            let mut x = zeros.try_clone()?;
            let outcome = iterate(&mut method, a, &zeros, &mut x, bounds, &mut |_, _| true)?;
            assert_eq!((outcome.reason, outcome.iterations), (Reason::Converged, 0));
            let steered = SteeredCg::new(gpu, Step::default(), 1)?;
            let outcome = steered.solve(
                a,
                &basin.a.inverse_diagonal()?,
                (&zeros, &mut x),
                bounds,
                &mut |_, work| work(),
            )?;
            assert_eq!((outcome.reason, outcome.iterations), (Reason::Converged, 0));
            assert!(x.get()?.iter().all(|&x| x == 0.0));
        }
        Ok(())
    })
}

#[test]
fn one_target_takes_any_preconditioner_line_by_line() -> Result<()> {
    on_card(Limits::GEFORCE_FX, |gpu| {
        let basin = VoxelBox::new(gpu, [7, 8, 5])?;
        let (algebra, layout) = (basin.a.algebra().clone(), basin.a.rows());
        let line = refusal(Pcg::new(&algebra, layout, VoxelMultigrid::new(&basin.a, 2)?).map(drop));
        let needs = "two render targets and six streams, which GEFORCE_FX does not offer";
        assert_eq!(line, format!("conjugate gradients in two targets needs {needs}"));
        let mut method = Cg::with(&algebra, layout, VoxelMultigrid::new(&basin.a, 2)?)?;
        let (outcome, truth) = basin.solve(&mut method, 1e-5)?;
        assert!(outcome.reason == Reason::Converged && truth <= 1.1e-5, "{outcome:?}");
        Ok(())
    })
}

#[test]
fn a_product_of_the_whole_box_is_one_pass() -> Result<()> {
    on_gpu(|gpu| {
        let basin = VoxelBox::new(gpu, [9, 9, 9])?;
        let (x, mut y) = (basin.vector(&basin.b)?, basin.vector(&basin.b)?);
        basin.a.apply(Op::Null, &x, &mut y)?;
        let before = gpu.counters().passes;
        basin.a.apply(Op::Null, &x, &mut y)?;
        assert_eq!(gpu.counters().passes, before + 1);
        Ok(())
    })
}
