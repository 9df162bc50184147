//! N bodies against the f64 loops of `reference`.

use quadrille::Result;
use quadrille::reference::nbody as reference;
use quadrille::sim::nbody::{Body, Forces, NBody, Parameters, scenes};

use crate::support::{Random, on_gpu};

fn cloud(bodies: usize, seed: u64) -> Vec<Body> {
    let mut random = Random(seed);
    let mut any = || [0; 3].map(|_| f64::from(random.signed()));
    (0..bodies).map(|_| Body { position: any(), velocity: any(), mass: any()[0].abs() }).collect()
}

#[test]
fn bodies_of_any_number_are_pulled_as_in_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        for bodies in [1, 2, 3, 5, 31, 257, 1000] {
            for forces in [Forces::Matrix, Forces::Tiled] {
                for bytes in [1, 4096, 256 << 20] {
                    let parameters = Parameters { forces, bytes, ..Parameters::default() };
                    let nbody = NBody::new(gpu, &cloud(bodies, 1), parameters)?;
                    let found = nbody.accelerations().data()?;
                    let expected = reference::pulls(&nbody.bodies()?, parameters.softening.into());
                    let mut worst = 0.0f64;
                    for (found, expected) in found.chunks(4).zip(&expected) {
                        worst = worst.max((f64::from(found[0]) - expected.acceleration[0]).abs());
                        worst = worst.max((f64::from(found[3]) - expected.potential).abs());
                    }
                    println!("{bodies} {forces:?} {bytes} {worst:e}");
                    assert!(worst < 1e-2);
                }
            }
        }
        Ok(())
    })
}

#[test]
fn the_figure_eight_comes_back() -> Result<()> {
    on_gpu(|gpu| {
        let scene = scenes::figure_eight();
        let mut nbody = NBody::new(gpu, &scene.bodies, scene.parameters)?;
        let before = nbody.conserved()?;
        (0..1000).try_for_each(|_| nbody.step())?;
        println!("{before:?} {:?}", nbody.conserved()?);
        println!("{:?}", nbody.bodies()?);
        Ok(())
    })
}
