//! The projection, piece by piece and as a whole, against plain loops and elimination in f64.

use super::{U, any_velocity, boxes, domain, exact, uploaded};
use crate::support::{Random, on_gpu};
use quadrille::linalg::{Algebra, LinearOperator};
use quadrille::sim::fluid::{Grid, Kind, Pressure, Projector, Side, Sides};
use quadrille::{Gpu, Result};

const SIZES: &[[u32; 2]] = &[[1, 1], [2, 1], [1, 3], [4, 4], [7, 5], [13, 8]];

fn grid(kind: Kind, cells: [u32; 2], sides: &Sides) -> Grid {
    Grid { kind, cells, spacing: 0.25, periodic: sides.periodic() }
}

/// One centre in five, but the first; where there are inlets single ones, which cut nothing off.
fn some_solid(grid: &Grid, sides: &Sides) -> Vec<bool> {
    let [columns, rows] = grid.centres().map(|n| n as usize);
    let inlets = sides.list().iter().any(|side| matches!(side, Side::Inlet { .. }));
    let mut random = Random(3);
    let inner = |k: usize, count: usize| k % 3 == 1 && k + 1 < count;
    let single = |i: usize| inner(i % columns, columns) && inner(i / columns, rows);
    (0..columns * rows).map(|i| if inlets { single(i) } else { random.unit() < 0.2 && i > 0 }).collect()
}

/// Every kind of grid, size and box, without solids and with.
fn everywhere(gpu: &Gpu, check: impl Fn(Grid, Sides, &[bool], &mut Projector) -> Result<()>) -> Result<()> {
    let algebra = Algebra::new(gpu);
    for kind in Kind::ALL {
        for &cells in SIZES {
            for sides in boxes() {
                let grid = grid(kind, cells, &sides);
                let some = some_solid(&grid, &sides);
                for solid in [vec![false; some.len()], some] {
                    let mut projector =
                        Projector::new(&algebra, grid, sides, Pressure::Cg { tolerance: 1e-6 })?;
                    projector.set_solids(&solid)?;
                    check(grid, sides, &solid, &mut projector)?;
                }
            }
        }
    }
    Ok(())
}

/// Weights are whole or halves and quarters of it: no entry is rounded.
#[test]
fn the_matrix_between_sides_and_solids_is_that_of_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        everywhere(gpu, |grid, sides, solid, projector| {
            let velocity = uploaded(gpu, &grid, &any_velocity(&grid, 1))?;
            projector.project(&velocity, 0.1, &uploaded(gpu, &grid, &any_velocity(&grid, 1))?)?;
            let expected = domain(&grid, &sides, solid).matrix()?;
            let n = solid.len();
            for column in 0..n {
                let mut x = vec![0.0; n];
                x[column] = 1.0;
                let (found, expected) = (projector.matrix().multiply(&x), expected.multiply(&x));
                assert_eq!(found, expected, "{grid:?} {sides:?} column {column}");
            }
            Ok(())
        })
    })
}

/// Eight products of numbers below 2 with ½ or 1, and their sum: eight roundings of 8 at most.
#[test]
fn the_right_side_is_that_of_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        everywhere(gpu, |grid, sides, solid, projector| {
            let values = any_velocity(&grid, 2);
            let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
            projector.project(&velocity, 0.1, &out)?;
            let domain = domain(&grid, &sides, solid);
            let mut enforced = exact(&values);
            domain.enforce_but_through(&mut enforced);
            for (found, expected) in projector.right().get()?.iter().zip(domain.outflow(&enforced)) {
                let off = (f64::from(*found) + expected).abs();
                assert!(off <= 64.0 * U, "{grid:?} {sides:?}: {found} beside {}", -expected);
            }
            // The velocity is corrected by the q that was found, whatever that is.
            let q: Vec<f64> = projector.unknown().get()?.into_iter().map(f64::from).collect();
            let most = q.iter().fold(2.0, |most: f64, q| most.max(q.abs()));
            for (found, expected) in exact(&out.data()?).iter().zip(domain.corrected(&enforced, &q)) {
                let [x, y] = [0, 1].map(|axis| (found[axis] - expected[axis]).abs());
                assert!(x.max(y) <= 8.0 * U * most, "{grid:?} {sides:?}: {found:?} beside {expected:?}");
            }
            Ok(())
        })
    })
}

/// Conjugate gradients end at ‖r‖ ≤ 1e-6·‖b‖ by their own account; that account is off by some roundings of ‖A‖‖q‖ ≤ 8‖q‖
/// each iteration. The staggered divergence is the residual itself.
#[test]
fn a_staggered_projection_leaves_no_divergence() -> Result<()> {
    on_gpu(|gpu| {
        everywhere(gpu, |grid, sides, solid, projector| {
            if grid.kind == Kind::Collocated {
                return Ok(());
            }
            let values = any_velocity(&grid, 4);
            let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
            projector.project(&velocity, 0.1, &out)?;
            let domain = domain(&grid, &sides, solid);
            let left = domain.divergence(&exact(&out.data()?));
            let norm = |v: &[f32]| v.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
            let (b, q) = (norm(&projector.right().get()?), norm(&projector.unknown().get()?));
            let bound = 1e-6 * b + 200.0 * U * (8.0 * q + 1.0);
            assert!(left <= bound, "{grid:?} {sides:?}: {left:e}, bound {bound:e}");
            let told = projector.divergence(&out)?;
            assert!((told.after * f64::from(grid.spacing) - left).abs() <= 16.0 * U * (1.0 + left));
            Ok(())
        })
    })
}

#[test]
fn a_side_that_lets_in_and_one_that_lets_out_carry_as_much() -> Result<()> {
    on_gpu(|gpu| {
        let inlet = Side::Inlet { speed: 2.0, from: 0.25, to: 0.6 };
        let sides = Sides { west: inlet, east: Side::Outlet, ..Sides::all(Side::Wall) };
        for kind in Kind::ALL {
            let grid = Grid { kind, cells: [12, 9], spacing: 1.0, periodic: [false; 2] };
            let algebra = Algebra::new(gpu);
            let mut projector = Projector::new(&algebra, grid, sides, Pressure::Cg { tolerance: 1e-6 })?;
            let zeros = vec![0.0; any_velocity(&grid, 0).len()];
            let (velocity, out) = (uploaded(gpu, &grid, &zeros)?, uploaded(gpu, &grid, &zeros)?);
            projector.project(&velocity, 1.0, &out)?;
            let inflow: f32 = projector.right().get()?.iter().sum();
            assert!((inflow - 2.0 * 0.35 * 9.0).abs() < 1e-5, "{kind:?}: {inflow}");
        }
        Ok(())
    })
}

/// Columns of velocities that take turns: central differences find no divergence in them, cells of their own find 2/h.
#[test]
fn what_a_collocated_grid_does_not_see_is_told() -> Result<()> {
    on_gpu(|gpu| {
        let sides = Sides::all(Side::Periodic);
        let grid = Grid { kind: Kind::Collocated, cells: [8, 6], spacing: 0.5, periodic: [true; 2] };
        let mut projector = Projector::new(&Algebra::new(gpu), grid, sides, Pressure::default())?;
        let values: Vec<f32> = (0..48).flat_map(|i| [if i % 2 == 0 { 1.0 } else { -1.0 }, 0.0]).collect();
        let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
        projector.project(&velocity, 0.1, &out)?;
        assert_eq!(out.data()?, values);
        let found = projector.divergence(&out)?;
        assert_eq!((found.before, found.after, found.between), (0.0, 0.0, 4.0));
        Ok(())
    })
}
