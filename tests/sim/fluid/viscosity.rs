//! Viscosity, against elimination in f64.

use super::{any_velocity, boxes, domain, exact};
use crate::support::on_gpu;
use quadrille::Result;
use quadrille::sim::fluid::{Advection, Fluid, Kind, Parameters, Pressure, Setting, Side, Sides};

/// Two walls that slide against each other: the steady flow between them is a straight line, on any grid, exactly. It is
/// approached by a mode that falls by 1 + νΔt(π/h n)² each step. One part in 10⁴ is what the solvers and 32 bits leave of it.
#[test]
fn between_two_sliding_walls_the_velocity_is_a_straight_line() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let (side, grip) = (Side::Periodic, |along| Side::NoSlip { along });
            let sides = Sides { west: side, east: side, south: grip(-1.0), north: grip(1.0) };
            let setting = Setting { kind, cells: [6, 10], spacing: 0.1, sides };
            let parameters = Parameters { viscosity: 1.0, time_step: 0.5, ..Parameters::default() };
            let mut fluid = Fluid::new(gpu, setting, parameters)?;
            for _ in 0..30 {
                fluid.step()?;
            }
            let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
            for (index, both) in fluid.velocity().data()?.as_chunks::<2>().0.iter().enumerate() {
                let row = index / 6;
                if kind == Kind::Collocated || row < 10 {
                    let expected = -1.0 + 0.2 * (row as f32 + half);
                    assert!((both[0] - expected).abs() < 1e-4, "{kind:?} {row}: {both:?}, {expected}");
                }
                assert!(both[1].abs() < 1e-5, "{kind:?}: {both:?}");
            }
        }
        Ok(())
    })
}

/// A step of next to no length moves nothing: what is left of it is viscosity and projection. Both are solved to 10⁻⁶ of their
/// right sides, whose errors a projection does not enlarge but for the condition of the grid: 10⁻³ is a hundredfold.
#[test]
fn viscosity_and_projection_in_every_box_are_those_of_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            for (cells, sides) in
                boxes().into_iter().flat_map(|sides| [[4, 4], [7, 5]].map(|cells| (cells, sides)))
            {
                let setting = Setting { kind, cells, spacing: 1.0, sides };
                let parameters = Parameters {
                    time_step: 1e-6,
                    viscosity: 7e5,
                    advection: Advection::SemiLagrangian,
                    pressure: Pressure::Cg { tolerance: 1e-6 },
                    ..Parameters::default()
                };
                let mut fluid = Fluid::new(gpu, setting, parameters)?;
                let (grid, values) = (fluid.grid(), any_velocity(&fluid.grid(), 6));
                let [columns, rows] = grid.centres();
                let solid: Vec<bool> = (0..columns * rows).map(|i| i == columns + 1).collect();
                fluid.set_solids(&solid)?;
                fluid.set_velocity(&values)?;
                fluid.step()?;
                let domain = domain(&grid, &sides, &solid);
                let strength = f64::from(parameters.viscosity * parameters.time_step);
                let expected = domain.projected(&domain.viscous(&exact(&values), strength)?)?;
                for (index, (found, expected)) in
                    exact(&fluid.velocity().data()?).iter().zip(&expected).enumerate()
                {
                    let off = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
                    assert!(off <= 1e-3, "{setting:?}: {found:?} beside {expected:?} in texel {index}");
                }
            }
        }
        Ok(())
    })
}
