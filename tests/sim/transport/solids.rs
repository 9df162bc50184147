//! Fields among solids.

use quadrille::Result;
use quadrille::sim::fluid::{Advection, Grid, Kind, Transport};
use quadrille_oracle::fluid::transport::Lattice;

use super::super::support::on_gpu;
use super::{CELLS, U, WAYS, check_moved, grids, random_velocity, texels};

#[test]
fn velocities_and_scalars_move_among_solids_as_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for (grid, way) in CELLS.into_iter().flat_map(grids).flat_map(|grid| WAYS.map(|way| (grid, way))) {
            for advection in Advection::ALL {
                check_moved(gpu, grid, way, advection, Some(4))?;
                check_moved(gpu, grid, way, advection, Some(200))?;
            }
        }
        Ok(())
    })
}

/// Dye fills one side of a wall of one cell, straight or a staircase whose cells touch at corners alone, and a random velocity
/// that knows nothing of the wall blows for long.
#[test]
fn no_dye_leaks_through_a_wall_of_one_cell() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, diagonal) in Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let grid = Grid { kind, cells: [17, 17], spacing: 1.0, periodic: [false, false] };
            let [columns, rows] = grid.centres().map(|n| n as usize);
            let wall = |i: usize, j: usize| if diagonal { i as isize - j as isize } else { i as isize - 8 };
            let at = |n: usize| wall(n % columns, n / columns);
            let solids: Vec<f32> = (0..columns * rows).map(|n| f32::from(at(n) == 0)).collect();
            let dye: Vec<f32> = (0..columns * rows).map(|n| f32::from(at(n) < 0)).collect();
            let solids = grid.scalar(gpu, 1).init(&solids)?;
            let mut transport = Transport::new(gpu, grid)?;
            transport.set_solids(Some(&solids))?;
            for advection in Advection::ALL {
                let [mut field, mut out] = [grid.scalar(gpu, 1).init(&dye)?, grid.scalar(gpu, 1).build()?];
                for step in 0..20 {
                    let (_, velocity) = random_velocity(gpu, &grid, step)?;
                    transport.scalar(advection, &velocity, 5.0, &field, &out)?;
                    std::mem::swap(&mut field, &mut out);
                }
                assert_eq!(field.data()?, dye, "{kind:?} {advection:?} diagonal {diagonal}");
            }
        }
        Ok(())
    })
}

#[test]
fn what_lies_in_solids_is_never_fetched_and_stays() -> Result<()> {
    on_gpu(|gpu| {
        for grid in grids([13, 11]) {
            let (solids, buffer) = super::random_solids(gpu, &grid, 4)?;
            let (mut values, _) = random_velocity(gpu, &grid, 7)?;
            let field: Vec<f32> = solids.iter().map(|&solid| if solid { f32::NAN } else { 0.5 }).collect();
            let mut transport = Transport::new(gpu, grid)?;
            transport.set_solids(Some(&buffer))?;
            if grid.kind == Kind::Collocated {
                let inside = solids.iter().enumerate().filter(|(_, solid)| **solid);
                inside.for_each(|(n, _)| values[2 * n] = f32::NAN);
            }
            let velocity = grid.velocity(gpu).init(&values)?;
            let out = grid.scalar(gpu, 1).build()?;
            let field = grid.scalar(gpu, 1).init(&field)?;
            transport.scalar(Advection::MacCormack, &velocity, 2.0 * grid.spacing, &field, &out)?;
            for (n, (found, &solid)) in out.data()?.into_iter().zip(&solids).enumerate() {
                assert!(if solid { found.is_nan() } else { found == 0.5 }, "{grid:?} {n}: {found}");
            }
            assert_eq!(texels(grid.centres()), solids.len());
        }
        Ok(())
    })
}

/// Fields that are without bounds in solids, of which the f64 reference knows nothing.
#[test]
fn what_lies_in_solids_has_no_weight_beside_what_is_open() -> Result<()> {
    on_gpu(|gpu| {
        for (grid, advection) in grids([13, 11]).flat_map(|grid| Advection::ALL.map(|how| (grid, how))) {
            let (solids, buffer) = super::random_solids(gpu, &grid, 3)?;
            let (values, velocity) = random_velocity(gpu, &grid, 7)?;
            let exact = super::pairs(&values);
            let flow = super::flow(&grid, &exact, Some(&solids));
            let values = quadrille::numeric::Random(8).floats(solids.len());
            let marred = |(&value, &solid): (&f32, &bool)| if solid { f32::NEG_INFINITY } else { value };
            let field: Vec<f32> = values.iter().zip(&solids).map(marred).collect();
            let (field, out) = (grid.scalar(gpu, 1).init(&field)?, grid.scalar(gpu, 1).build()?);
            let mut transport = Transport::new(gpu, grid)?;
            transport.set_solids(Some(&buffer))?;
            let way = 1.5;
            transport.scalar(advection, &velocity, way * grid.spacing, &field, &out)?;
            let (found, correct) = (out.data()?, advection == Advection::MacCormack);
            let expected = flow.moved(Lattice::Centre, &super::wide(&values), way.into(), correct);
            let bound = super::bound(13.0, way.into(), advection, true);
            for (n, (&found, expected)) in found.iter().zip(expected).enumerate() {
                let off = (f64::from(found) - expected).abs();
                let holds = if solids[n] { found == f32::NEG_INFINITY } else { off <= bound };
                assert!(holds, "{grid:?} {advection:?} {n}: {found}, {expected}");
            }
        }
        Ok(())
    })
}

/// The path is 100 cells long, and begins half a cell from an edge: when it has entered 64 cells it is between two of them.
#[test]
fn a_path_among_solids_ends_after_64_cells_and_without_them_goes_on() -> Result<()> {
    on_gpu(|gpu| {
        for axis in 0..2 {
            // The cells along the axis: the row or the column at the south-western corner. Solid is a cell of the last one.
            let (cells, next) = ([[151, 3], [3, 151]][axis], [1, 3][axis]);
            let grid = Grid { kind: Kind::Staggered, cells, spacing: 1.0, periodic: [true, true] };
            let along = [[1.0, 0.0], [0.0, 1.0]][axis];
            let velocity = grid.velocity(gpu).init(&along.repeat(453))?;
            let mut values = vec![0.0; 453];
            (0..151).for_each(|n| values[n * next] = (n * n % 101) as f32);
            let solids: Vec<f32> = (0..453).map(|n| f32::from(n == [400, 299][axis])).collect();
            let field = grid.scalar(gpu, 1).init(&values)?;
            let out = grid.scalar(gpu, 1).build()?;
            let mut transport = Transport::new(gpu, grid)?;
            let moved = |transport: &mut Transport| -> Result<Vec<f32>> {
                transport.scalar(Advection::SemiLagrangian, &velocity, 100.0, &field, &out)?;
                let out = out.data()?;
                Ok((0..151).map(|n| out[n * next]).collect())
            };
            let before = |n: usize, cells: usize| values[(n + 151 - cells) % 151 * next];
            assert!(moved(&mut transport)?.iter().enumerate().all(|(n, &found)| found == before(n, 100)));
            transport.set_solids(Some(&grid.scalar(gpu, 1).init(&solids)?))?;
            for (n, &found) in moved(&mut transport)?.iter().enumerate() {
                // 64.5 hundredths of 100 cells, each of the 64 rounded, between two numbers up to 100.
                let bound = 64.0 * 100.0 * 64.5 * U as f32;
                let expected = 0.5 * (before(n, 64) + before(n, 65));
                assert!((found - expected).abs() <= bound, "axis {axis}, {n}: {found}, not {expected}");
            }
        }
        Ok(())
    })
}
