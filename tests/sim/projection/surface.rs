//! A free surface between the centres of cells: the pressure ends where the water does.

use super::super::support::on_gpu;
use super::BOTH;
use quadrille::sim::projection::{Cell, Projection, Settings};
use quadrille::{Gpu, Result};

/// Water at rest under a surface between two centres: gravity's velocity is all taken away, by a pressure that is 0
/// at the surface and grows by 1 a cell below it.
#[test]
fn still_water_stays_still_and_its_pressure_is_its_depth() -> Result<()> {
    on_gpu(|gpu| {
        for (surface, preconditioning) in
            [(5.2f32, BOTH[0]), (5.2, BOTH[1]), (4.9, BOTH[0]), (5.499, BOTH[1])]
        {
            let settings = Settings { preconditioning, tolerance: 1e-6, ..Settings::default() };
            let mut projection = Projection::new(gpu, [4, 5, 8], settings)?;
            let voxels = projection.voxels();
            projection.set_cells(&[Cell::Fluid; 160])?;
            let depth = |[_, _, k]: [u32; 3]| surface - (k as f32 + 0.5);
            let distance: Vec<f32> = voxels.all().map(|voxel| -depth(voxel)).collect();
            let distance = projection.algebra().vector(voxels.layout(), &voxels.spread(&distance)?)?;
            projection.set_surface(&distance)?;
            let mut velocity = projection.faces()?;
            let falling = vec![-1.0; 4 * 5 * 9];
            velocity.set([&[0.0; 5 * 5 * 8], &[0.0; 4 * 6 * 8], &falling])?;
            projection.project(&mut velocity)?;
            let pressure = voxels.collect(&projection.pressure().get()?);
            // Depths to 5.5, solved to 1e-6; the matrix' condition is about 100.
            for (voxel, found) in voxels.all().zip(pressure) {
                let expected = depth(voxel).max(0.0);
                assert!((found - expected).abs() < 1e-3, "{surface} {voxel:?}: {found}, {expected}");
            }
            let [u, v, w] = velocity.get()?;
            let water = w.iter().take(4 * 5 * 6);
            assert!(u.iter().chain(&v).chain(water).all(|speed| speed.abs() < 1e-4));
        }
        Ok(())
    })
}

/// A ball of water whose pressure is R² − r²: its error falls by four where the cells are halved, and by two only
/// where the surface is taken to be at the centres of air cells.
#[test]
fn a_free_surface_is_of_second_order() -> Result<()> {
    on_gpu(|gpu| {
        let mut errors = [Vec::new(), Vec::new()];
        for n in [12, 24, 48] {
            for (with_surface, errors) in errors.iter_mut().enumerate() {
                errors.push(error_of_a_ball(gpu, n, with_surface == 1)?);
            }
        }
        let [first, second] = errors;
        assert!(second[0] / second[2] > 10.0, "16 expected: {second:?}");
        assert!(first[0] / first[2] < 8.0, "4 expected: {first:?}");
        Ok(())
    })
}

/// The largest error of the pressure in a ball across n voxels, whose radius is 1.
fn error_of_a_ball(gpu: &Gpu, n: u32, with_surface: bool) -> Result<f64> {
    let settings = Settings { tolerance: 1e-5, ..Settings::default() };
    let mut projection = Projection::new(gpu, [n; 3], settings)?;
    let voxels = projection.voxels();
    let h = 2.4 / f64::from(n);
    let at = |cell: u32, offset: f64| (f64::from(cell) + offset) * h - 1.2;
    let radius = |cell: [u32; 3]| cell.map(|i| at(i, 0.5)).iter().map(|x| x * x).sum::<f64>().sqrt();
    let distance: Vec<f32> = voxels.all().map(|cell| ((radius(cell) - 1.0) / h) as f32).collect();
    let kind = |&d: &f32| if d < 0.0 { Cell::Fluid } else { Cell::Air };
    projection.set_cells(&distance.iter().map(kind).collect::<Vec<_>>())?;
    if with_surface {
        let distance = projection.algebra().vector(voxels.layout(), &voxels.spread(&distance)?)?;
        projection.set_surface(&distance)?;
    }
    // The gradient of 1 - r², times h: differences of p between cells.
    let mut velocity = projection.faces()?;
    let along = |axis: usize| -> Vec<f32> {
        let mut size = [n; 3];
        size[axis] += 1;
        let [nx, ny, nz] = size;
        let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        cells.map(|face| (-2.0 * at(face[axis], 0.0) * h) as f32).collect()
    };
    velocity.set([&along(0), &along(1), &along(2)])?;
    projection.project(&mut velocity)?;
    let pressure = voxels.collect(&projection.pressure().get()?);
    let error = |(cell, found): ([u32; 3], f32)| match radius(cell) {
        r if r < 1.0 => (f64::from(found) - (1.0 - r * r)).abs(),
        _ => 0.0,
    };
    Ok(voxels.all().zip(pressure).map(error).fold(0.0, f64::max))
}
