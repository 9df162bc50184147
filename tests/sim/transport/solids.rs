//! Fields among solids.

use quadrille::Result;
use quadrille::sim::fluid::{Advection, Grid, Kind, Transport};

use super::super::support::on_gpu;
use super::{CELLS, WAYS, check_moved, grids, random_velocity, texels};

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
