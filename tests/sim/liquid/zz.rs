use quadrille::sim::liquid::scenes::pool;
use quadrille::sim::liquid::{Parameters, Water};
use quadrille::Result;
use super::super::support::on_gpu;
use super::*;
#[test]
fn zz() -> Result<()> {
    on_gpu(|gpu| {
        for (size, height) in [([7, 5, 9], 4.3), ([7, 4, 4], 2.3), ([6, 5, 4], 2.3), ([4,4,9], 4.3)] {
            let start = pool(size, height);
            let mut water = Water::new(gpu, &start, Parameters { gravity: 0.0, keeps_volume: false, ..Parameters::default() })?;
            println!("{size:?} {height}");
            water.step()?;
            let d = water.voxels().collect(&water.distance().get()?);
            for (n, v) in water.voxels().all().enumerate() { if (d[n]-start.distance[n]).abs() > 1e-3 { println!("{v:?} {} {}", d[n], start.distance[n]); } }
        }
        Ok(())
    })
}
