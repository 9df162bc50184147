//! Refusals, in one line each.

use super::any_velocity;
use crate::support::{on_card, on_gpu, refusal};
use quadrille::linalg::Algebra;
use quadrille::sim::fluid::scenes::{Name, Scene};
use quadrille::sim::fluid::{Fluid, Grid, Kind, Parameters, Pressure, Projector, Setting, Side, Sides};
use quadrille::{Gpu, Limits, Result};

fn setting(sides: Sides) -> Setting {
    Setting { kind: Kind::Staggered, cells: [8, 6], spacing: 1.0, sides }
}

fn said(gpu: &Gpu, setting: Setting, parameters: Parameters) -> String {
    refusal(Fluid::new(gpu, setting, parameters))
}

#[test]
fn sides_that_do_not_go_together_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let inlet = |speed, from, to| Side::Inlet { speed, from, to };
        let wall = Sides::all(Side::Wall);
        let good = Parameters::default();
        for (sides, line) in [
            (
                Sides { west: Side::Periodic, ..wall },
                "west and east = one periodic side: expected both periodic, or none",
            ),
            (
                Sides { west: inlet(1.0, 0.5, 1.0), ..wall },
                "inflow less outflow = 3 cells: expected 0, or an outlet",
            ),
            (
                Sides { west: inlet(1.0, 0.7, 0.7), east: Side::Outlet, ..wall },
                "inlet = from 0.7 to 0.7: expected 0 to 1, from before to",
            ),
            (Sides { west: inlet(f32::NAN, 0.0, 1.0), ..wall }, "inlet speed = NaN: expected -1e12 to 1e12"),
            (
                Sides { north: Side::NoSlip { along: f32::INFINITY }, ..wall },
                "along a side = inf: expected -1e12 to 1e12",
            ),
        ] {
            assert_eq!(said(gpu, setting(sides), good), line);
        }
        let empty = Setting { cells: [0, 3], ..setting(wall) };
        assert!(said(gpu, empty, good).contains("size 0x3 has no elements"));
        let flat = Setting { spacing: 0.0, ..setting(wall) };
        assert!(said(gpu, flat, good).starts_with("spacing = 0: expected"));
        Ok(())
    })
}

#[test]
fn parameters_that_are_none_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let good = Parameters::default();
        let open = Sides::all(Side::Outlet);
        for (parameters, line) in [
            (Parameters { time_step: 0.0, ..good }, "time step = 0: expected 1e-12 to 1e12"),
            (Parameters { viscosity: -1.0, ..good }, "viscosity = -1: expected 0 to 1e12"),
            (Parameters { buoyancy: [0.0, f32::NAN], ..good }, "buoyancy = NaN: expected -1e12 to 1e12"),
            (Parameters { confinement: -0.1, ..good }, "confinement = -0.1: expected 0 to 1e6"),
            (
                Parameters { pressure: Pressure::Jacobi { sweeps: 0 }, ..good },
                "sweeps = 0: expected 1 to 10000",
            ),
            (
                Parameters { pressure: Pressure::Cg { tolerance: 2.0 }, ..good },
                "tolerance = 2: expected 1e-7 to 0.5",
            ),
            (
                Parameters { pressure: Pressure::Multigrid { cycles: 0, before: 1, after: 1 }, ..good },
                "cycles = 0: expected 1 to 100",
            ),
            (
                Parameters { keep_mass: true, ..good },
                "keep mass = on, with inlets or outlets: expected a box without them",
            ),
        ] {
            assert_eq!(said(gpu, setting(open), parameters), line);
            let mut fluid = Fluid::new(gpu, setting(open), good)?;
            assert_eq!(refusal(fluid.set_parameters(parameters)), line);
            assert_eq!(fluid.parameters(), good);
        }
        Ok(())
    })
}

#[test]
fn fields_of_another_size_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let wall = Sides::all(Side::Wall);
        let mut fluid = Fluid::new(gpu, setting(wall), Parameters::default())?;
        assert!(refusal(fluid.set_velocity(&[0.0; 3])).contains("3 values given, 126 expected"));
        assert!(refusal(fluid.set_dye(&[0.0; 3])).contains("3 values given, 192 expected"));
        let line = "solids of a fluid: 3 values given, 48 expected (8x6)";
        assert_eq!(refusal(fluid.set_solids(&[false; 3])), line);
        assert!(refusal(fluid.push(f32::NAN, 0.0, 1.0, [0.0; 2])).contains("finite numbers"));
        assert!(refusal(fluid.pour(0.0, 0.0, -1.0, [0.0; 4])).starts_with("radius = -1: expected"));
        assert!(refusal(Scene::new(Name::Plume, Kind::Staggered, [3, 9])).starts_with("scene = 3x9 cells"));
        let grid = Grid { kind: Kind::Collocated, cells: [5, 4], spacing: 1.0, periodic: [false; 2] };
        let mut projector = Projector::new(&Algebra::new(gpu), grid, wall, Pressure::default())?;
        let velocity = super::uploaded(gpu, &grid, &any_velocity(&grid, 1))?;
        let other = gpu.buffer(4, 4).components(2).build()?;
        assert!(refusal(projector.project(&velocity, 0.1, &other)).contains("4x4x2"));
        assert!(refusal(projector.project(&velocity, 0.1, &velocity)).contains("use a double buffer"));
        assert!(refusal(projector.project(&velocity, f32::NAN, &other)).starts_with("time step = NaN"));
        let round = Sides::all(Side::Periodic);
        let line = "periodic sides = [true, true]: expected [false, false]";
        assert_eq!(refusal(Projector::new(&Algebra::new(gpu), grid, round, Pressure::default())), line);
        Ok(())
    })
}

/// A card of 2002 has streams and fetches for all of a step's passes, but no loops for paths among solids.
#[test]
fn an_old_card_makes_a_step_without_solids() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        for kind in Kind::ALL {
            let mut scene = Scene::new(Name::Plume, kind, [12, 16])?;
            scene.parameters.viscosity = 1e-4;
            let mut fluid = scene.fluid(gpu)?;
            scene.step(&mut fluid)?;
            let mut solids = scene.solids.clone();
            solids[40] = true;
            assert!(refusal(fluid.set_solids(&solids)).contains("iterations"), "{kind:?}");
        }
        Ok(())
    })
}
