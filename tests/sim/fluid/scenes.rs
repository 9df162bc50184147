//! The scenes: each at small sizes, and the paper's channel at its own.

use crate::support::on_gpu;
use quadrille::Result;
use quadrille::sim::fluid::Kind;
use quadrille::sim::fluid::scenes::{Name, Scene};

#[test]
fn every_scene_runs_at_any_size_on_both_grids() -> Result<()> {
    on_gpu(|gpu| {
        for name in Name::ALL {
            for kind in Kind::ALL {
                for cells in [[4, 4], [17, 12], [31, 8]] {
                    let scene = Scene::new(name, kind, cells)?;
                    let mut fluid = scene.fluid(gpu)?;
                    for _ in 0..4 {
                        scene.step(&mut fluid)?;
                    }
                    let finite = |values: Vec<f32>| values.iter().all(|value| value.is_finite());
                    assert!(
                        finite(fluid.velocity().data()?) && finite(fluid.dye().data()?),
                        "{name:?} {kind:?} {cells:?}"
                    );
                    assert!(finite(fluid.pressure_field()?.data()?) && finite(fluid.vorticity()?.data()?));
                    assert_eq!((fluid.steps(), fluid.grid().cells), (4, cells));
                    let before = fluid.velocity().data()?;
                    scene.reset(&mut fluid)?;
                    for _ in 0..4 {
                        scene.step(&mut fluid)?;
                    }
                    assert!(fluid.velocity().data()? == before, "{name:?}: the same again after a reset");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_plume_rises() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let scene = Scene::new(Name::Plume, kind, [24, 48])?;
            let mut fluid = scene.fluid(gpu)?;
            for _ in 0..80 {
                scene.step(&mut fluid)?;
            }
            let (dye, columns) = (fluid.dye().data()?, fluid.grid().centres()[0] as usize);
            let highest = dye.as_chunks::<4>().0.iter().rposition(|dye| dye[3] > 0.1).unwrap_or(0) / columns;
            assert!(highest > 20, "{kind:?}: {highest}");
        }
        Ok(())
    })
}

/// Middles of vortices, half a height and more behind the inlet: centres whose vorticity is the largest, or the least, of 17 × 17
/// around them, and as much as a jet of speed 1 has over a quarter of the height; three centres and more off the sides.
fn extrema(vorticity: &[f32], [columns, rows]: [usize; 2]) -> Vec<[usize; 2]> {
    let at = |i: usize, j: usize| vorticity[j * columns + i];
    let first = rows / 2;
    let inside = || (3..rows - 3).flat_map(move |j| (first..columns - 3).map(move |i| [i, j]));
    let least = 4.0;
    let around = |i: usize, j: usize| {
        let rows = j.saturating_sub(8)..(j + 9).min(rows);
        rows.flat_map(move |j| (i.saturating_sub(8)..(i + 9).min(columns)).map(move |i| (i, j)))
    };
    let is_one = |i: usize, j: usize| {
        let here = at(i, j);
        here.abs() > least
            && around(i, j).all(|(k, l)| (k, l) == (i, j) || at(k, l) * here.signum() < here.abs())
    };
    inside().filter(|&[i, j]| is_one(i, j)).collect()
}

#[test]
#[ignore = "takes minutes on a CPU"]
fn the_step_channel_of_513x129_sheds_vortices() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let scene = Scene::new(Name::Channel, kind, [512, 128])?;
            let mut fluid = scene.fluid(gpu)?;
            for _ in 0..2000 {
                scene.step(&mut fluid)?;
            }
            let shape = fluid.grid().centres().map(|n| n as usize);
            let found = extrema(&fluid.vorticity()?.data()?, shape);
            println!("{kind:?}: {} extrema of vorticity: {found:?}", found.len());
            assert!(found.len() >= 3, "{kind:?}: {found:?}");
        }
        Ok(())
    })
}
