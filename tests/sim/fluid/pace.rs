//! How long a step takes: for machines with a graphics card.

use crate::support::on_gpu;
use quadrille::Result;
use quadrille::sim::fluid::Kind;
use quadrille::sim::fluid::scenes::{Name, Scene};
use std::time::Instant;

/// Figures only: what they are depends on the machine.
#[test]
#[ignore = "a measurement"]
fn steps_of_513x513_nodes() -> Result<()> {
    on_gpu(|gpu| {
        for (name, cells) in [
            (Name::Vortices, [512, 512]),
            (Name::Plume, [512, 512]),
            (Name::Channel, [512, 128]),
            (Name::Cavity, [128, 128]),
        ] {
            for kind in Kind::ALL {
                let scene = Scene::new(name, kind, cells)?;
                let mut fluid = scene.fluid(gpu)?;
                let mut steps = |count: usize| -> Result<f64> {
                    gpu.finish();
                    let start = Instant::now();
                    for _ in 0..count {
                        scene.step(&mut fluid)?;
                    }
                    gpu.finish();
                    Ok(start.elapsed().as_secs_f64() * 1e3 / count as f64)
                };
                steps(5)?;
                let passes = gpu.counters().passes;
                let times = [steps(20)?, steps(20)?, steps(20)?];
                let passes = (gpu.counters().passes - passes) / 60;
                println!("{} {kind:?} {cells:?}: {times:.3?} ms a step, {passes} passes", name.name());
            }
        }
        Ok(())
    })
}
