//! Fields in a box without solids.

use quadrille::sim::fluid::{Advection, Grid, Kind, Transport};
use quadrille::{Limits, Result};

use super::super::support::{on_card, on_gpu, refusal};
use super::{CELLS, U, WAYS, check_moved, grids, largest, random_solids, random_velocity, texels};

#[test]
fn velocities_and_scalars_move_as_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for (grid, way) in CELLS.into_iter().flat_map(grids).flat_map(|grid| WAYS.map(|way| (grid, way))) {
            for advection in Advection::ALL {
                check_moved(gpu, grid, way, advection, None)?;
            }
        }
        Ok(())
    })
}

#[test]
fn a_constant_stays_what_it_is_to_the_bit() -> Result<()> {
    on_gpu(|gpu| {
        for grid in CELLS.into_iter().flat_map(grids) {
            let (_, velocity) = random_velocity(gpu, &grid, 1)?;
            let (_, solids) = random_solids(gpu, &grid, 4)?;
            let mut transport = Transport::new(gpu, grid)?;
            let field =
                grid.scalar(gpu, 4).init(&[0.1, 1.0 / 3.0, -7e20, 1e-20].repeat(texels(grid.centres())))?;
            let out = grid.scalar(gpu, 4).build()?;
            for solids in [None, Some(&solids)] {
                transport.set_solids(solids)?;
                for (advection, way) in Advection::ALL.into_iter().flat_map(|a| WAYS.map(|way| (a, way))) {
                    transport.scalar(advection, &velocity, way * grid.spacing, &field, &out)?;
                    assert_eq!(out.data()?, field.data()?, "{grid:?} {advection:?} {way}");
                }
            }
        }
        Ok(())
    })
}

/// x + 2y, moved by (3/4, -5/4) cells: what is 7 cells from the sides has paths that stay inside. The weights are exact, a
/// mixture of numbers up to 96 rounds five times, and so do the corrected one's other two and their half.
#[test]
fn a_linear_field_in_a_uniform_flow_is_moved_exactly() -> Result<()> {
    on_gpu(|gpu| {
        let cells = [32, 32];
        for (grid, advection) in grids(cells).flat_map(|grid| Advection::ALL.map(|a| (grid, a))) {
            let velocity = grid.velocity(gpu).init(&[3.0, -5.0].repeat(texels(grid.nodes())))?;
            let [columns, rows] = grid.centres().map(|n| n as usize);
            let values: Vec<f32> =
                (0..columns * rows).map(|n| (n % columns) as f32 + 2.0 * (n / columns) as f32).collect();
            let field = grid.scalar(gpu, 1).init(&values)?;
            let out = grid.scalar(gpu, 1).build()?;
            Transport::new(gpu, grid)?.scalar(advection, &velocity, 0.25 * grid.spacing, &field, &out)?;
            let found = out.data()?;
            let inner = (7..rows - 7).flat_map(|j| (7..columns - 7).map(move |i| j * columns + i));
            let error = largest(inner.map(|n| f64::from(found[n]) - (f64::from(values[n]) - 0.75 + 2.5)));
            assert!(error <= 16.0 * U * 96.0, "{grid:?} {advection:?}: {error:e}");
        }
        Ok(())
    })
}

#[test]
fn whole_cells_around_a_periodic_box_are_a_shift_to_the_bit() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, advection) in Kind::ALL.into_iter().flat_map(|kind| Advection::ALL.map(|a| (kind, a))) {
            let grid = Grid { kind, cells: [11, 6], spacing: 1.0, periodic: [true, true] };
            let velocity = grid.velocity(gpu).init(&[13.0, -20.0].repeat(66))?;
            let values: Vec<f32> = (0..66).map(|n| (n * n) as f32).collect();
            let field = grid.scalar(gpu, 1).init(&values)?;
            let out = grid.scalar(gpu, 1).build()?;
            Transport::new(gpu, grid)?.scalar(advection, &velocity, 1.0, &field, &out)?;
            let from = |n: usize| (n / 11 + 20) % 6 * 11 + (n % 11 + 22 - 13) % 11;
            assert_eq!(out.data()?, (0..66).map(|n| values[from(n)]).collect::<Vec<_>>(), "{kind:?}");
        }
        Ok(())
    })
}

/// Whole numbers up to 15 and three eighths of a cell: nothing is rounded but a weight that would have lost digits.
#[test]
fn weights_lose_no_digits_on_a_grid_of_8191_cells() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, cells) in Kind::ALL.into_iter().flat_map(|kind| [(kind, [8191, 1]), (kind, [1, 8191])]) {
            let grid = Grid { kind, cells, spacing: 1.0, periodic: [true, true] };
            let velocity = grid.velocity(gpu).init(&[3.0, 3.0].repeat(8191))?;
            let values: Vec<f32> = (0..8191).map(|n| (n * n % 16) as f32).collect();
            let field = grid.scalar(gpu, 1).init(&values)?;
            let out = grid.scalar(gpu, 1).build()?;
            let mut transport = Transport::new(gpu, grid)?;
            transport.scalar(Advection::SemiLagrangian, &velocity, 0.125, &field, &out)?;
            let between = |n: usize| 0.375 * values[(n + 8190) % 8191] + 0.625 * values[n];
            assert_eq!(out.data()?, (0..8191).map(between).collect::<Vec<_>>(), "{kind:?} {cells:?}");
        }
        Ok(())
    })
}

#[test]
fn no_new_extremes_arise_and_nothing_falls_below_0() -> Result<()> {
    on_gpu(|gpu| {
        for grid in CELLS.into_iter().flat_map(grids) {
            let (_, velocity) = random_velocity(gpu, &grid, 8)?;
            let (_, solids) = random_solids(gpu, &grid, 4)?;
            let mut random = quadrille::numeric::Random(4);
            let values: Vec<f32> =
                (0..texels(grid.centres())).map(|_| f32::from(random.below(2) == 0)).collect();
            let [mut field, mut out] = [grid.scalar(gpu, 1).init(&values)?, grid.scalar(gpu, 1).build()?];
            let mut transport = Transport::new(gpu, grid)?;
            transport.set_solids(Some(&solids))?;
            for _ in 0..5 {
                transport.scalar(Advection::MacCormack, &velocity, 1.3 * grid.spacing, &field, &out)?;
                std::mem::swap(&mut field, &mut out);
                // a + t (b - a) rounds to no more than 1 for a and b up to 1, and to no less than 0.
                assert!(field.data()?.iter().all(|v| (0.0..=1.0).contains(v)), "{grid:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn what_does_not_fit_is_refused_in_a_line() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Grid { kind: Kind::Staggered, cells: [5, 4], spacing: 1.0, periodic: [false, true] };
        let (_, velocity) = random_velocity(gpu, &grid, 1)?;
        let mut transport = Transport::new(gpu, grid)?;
        let scalar = grid.scalar(gpu, 3).build()?;
        let moved = transport.scalar(Advection::default(), &scalar, 1.0, &scalar, &scalar);
        assert_eq!(refusal(moved), "grid of a fluid: buffer 5x4x3, expected a velocity of 6x4x2");
        let moved = transport.scalar(Advection::default(), &velocity, 1.0, &velocity, &scalar);
        assert_eq!(refusal(moved), "grid of a fluid: buffer 6x4x2, expected a scalar of 5x4");
        let one = grid.scalar(gpu, 1).build()?;
        let moved = transport.scalar(Advection::default(), &velocity, 1.0, &one, &scalar);
        assert_eq!(refusal(moved), "grid of a fluid: buffer 5x4x3, expected 1 components");
        let moved = transport.velocity(Advection::SemiLagrangian, &velocity, f32::NAN, &velocity);
        assert_eq!(refusal(moved), "time step = NaN: expected a finite time");
        let moved = refusal(transport.velocity(Advection::SemiLagrangian, &velocity, 1.0, &velocity));
        assert!(moved.contains("use a double buffer"), "{moved}");
        transport.set_solids(Some(&one))?;
        let taken = refusal(transport.set_solids(Some(&velocity)));
        assert_eq!(taken, "grid of a fluid: buffer 6x4x2, expected a scalar of 5x4");
        assert!(transport.open().is_some(), "those before stay");
        let none = Grid { cells: [0, 4], ..grid };
        assert_eq!(refusal(Transport::new(gpu, none)), "grid of a fluid: size 0x4 has no elements");
        let endless = Grid { cells: [u32::MAX; 2], ..grid };
        assert!(refusal(endless.velocity(gpu).build()).contains("the limit is"));
        let flat = Grid { spacing: -1.0, ..grid };
        assert_eq!(refusal(Transport::new(gpu, flat)), "spacing = -1: expected 1e-12 to 1e12");
        Ok(())
    })
}

#[test]
fn old_cards_move_without_solids_and_say_what_they_lack_for_them() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let grid = Grid { kind: Kind::Staggered, cells: [9, 7], spacing: 0.5, periodic: [false, false] };
        for advection in Advection::ALL {
            check_moved(gpu, grid, 1.5, advection, None)?;
        }
        let line = refusal(Transport::new(gpu, grid)?.set_solids(Some(&grid.scalar(gpu, 1).build()?)));
        assert_eq!(line, "sim/fluid_advect.frag: number of iterations is 256, the limit is 0");
        Ok(())
    })
}
