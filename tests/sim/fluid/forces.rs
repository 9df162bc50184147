//! Forces on a fluid: heat, confinement; and vorticity.

use crate::support::on_gpu;
use quadrille::Result;
use quadrille::sim::fluid::{Advection, Fluid, Kind, Parameters, Pressure, Setting, Side, Sides};

/// A fluid that is warm everywhere is pressed against its walls and does not move: its pressure grows evenly, which both grids hold
/// exactly. Conjugate gradients end at 10⁻⁶ of what a step adds, and three steps add up.
#[test]
fn a_fluid_that_is_warm_everywhere_stays_at_rest() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let setting = Setting { kind, cells: [9, 6], spacing: 0.5, sides: Sides::all(Side::Wall) };
            let parameters = Parameters {
                time_step: 0.5,
                buoyancy: [-1.0, 2.0],
                advection: Advection::SemiLagrangian,
                pressure: Pressure::Cg { tolerance: 1e-6 },
                ..Parameters::default()
            };
            let mut fluid = Fluid::new(gpu, setting, parameters)?;
            let centres = fluid.dye().len();
            fluid.set_dye(&[0.0, 0.0, 0.0, 1.0].repeat(centres))?;
            for _ in 0..3 {
                fluid.step()?;
            }
            let fastest = fluid.velocity().data()?.iter().fold(0.0f32, |most, u| most.max(u.abs()));
            assert!(fastest <= 1e-4, "{kind:?}: {fastest}");
            let (pressure, columns) = (fluid.pressure_field()?.data()?, fluid.grid().centres()[0] as usize);
            let slopes = [pressure[1] - pressure[0], pressure[columns] - pressure[0]];
            assert!((slopes[0] + 0.5).abs() < 1e-3 && (slopes[1] - 1.0).abs() < 1e-3, "{kind:?}: {slopes:?}");
        }
        Ok(())
    })
}

/// Differences of a linear function are exact but for roundings: of numbers below 8, by a spacing of 1/4.
#[test]
fn what_turns_as_a_whole_has_twice_its_turn_for_vorticity() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let setting = Setting { kind, cells: [11, 7], spacing: 0.25, sides: Sides::all(Side::Outlet) };
            let mut fluid = Fluid::new(gpu, setting, Parameters::default())?;
            let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
            let turning = |i: u32, j: u32| {
                let (x, y) = ((i as f32 + half) * 0.25, (j as f32 + half) * 0.25);
                [-1.5 * y, 1.5 * x]
            };
            let values: Vec<f32> = (0..8).flat_map(|j| (0..12).flat_map(move |i| turning(i, j))).collect();
            fluid.set_velocity(&values)?;
            let found = fluid.vorticity()?.data()?;
            assert!(found.iter().all(|found| (found - 3.0).abs() <= 1e-4), "{kind:?}: {found:?}");
        }
        Ok(())
    })
}

/// A vortex in a box loses less of its turn with confinement than without.
#[test]
fn confinement_keeps_vortices_turning() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let mut energies = [0.0f64; 2];
            for (energy, confinement) in energies.iter_mut().zip([0.0, 0.5]) {
                let scene = quadrille::sim::fluid::scenes::Scene::new(
                    quadrille::sim::fluid::scenes::Name::Vortices,
                    kind,
                    [32, 32],
                )?;
                let mut fluid = scene.fluid(gpu)?;
                let advection = Advection::SemiLagrangian;
                fluid.set_parameters(Parameters { confinement, advection, ..scene.parameters })?;
                for _ in 0..10 {
                    fluid.step()?;
                }
                *energy = fluid.velocity().data()?.iter().map(|u| f64::from(*u).powi(2)).sum();
            }
            assert!(energies[1] > 1.01 * energies[0], "{kind:?}: {energies:?}");
        }
        Ok(())
    })
}
