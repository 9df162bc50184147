//! Meshes far away, large and small, and long steps.

use super::{U, farthest, in_f64, inverse_sines, mapped, wide};
use crate::support::on_gpu;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Parameters};
use quadrille::{Gpu, Result};

/// Makes a step of a mesh and compares it with that in f64 of the same mesh `offset` nearer to the origin. The bound is that
/// of `a_step_is_near_the_step_in_f64` about the middle, and half a unit in the last place of where the mesh lies.
fn check_about_the_middle(gpu: &Gpu, mesh: &Mesh, offset: f64) -> Result<()> {
    let near = |mesh: &Mesh| -> Vec<_> { wide(mesh).into_iter().map(|p| p.map(|x| x - offset)).collect() };
    let x = near(mesh);
    let centred = mesh.moved(x.iter().map(|p| p.map(|x| x as f32)).collect())?;
    let place = farthest(&x, &vec![[0.0; 3]; x.len()]);
    let parameters = Parameters { time_step: 1e-2 * place * place, tolerance: 1e-6, ..Parameters::default() };
    let mut flow = GeometricFlow::new(gpu, mesh, parameters)?;
    assert!(flow.step()?.converged());
    let after = flow.mesh()?;
    let expected = in_f64(&centred, parameters).step(&x)?;
    let (error, way) = (farthest(&near(&after), &expected), farthest(&x, &expected));
    let angles = inverse_sines(&centred).into_values().fold(0.0, f64::max);
    let part = 2.0 * f64::from(parameters.tolerance) + 8.0 * U * angles;
    let last_place = 3f64.sqrt() * U * 2.0 * offset.abs();
    let bound = in_f64(&centred, parameters).amplification(&x) * part * way + 4.0 * U * place + last_place;
    assert!(error <= bound, "{error:e} > {bound:e} at {offset:e}, size {place:e}");
    assert!(after.area() < mesh.area());
    Ok(())
}

#[test]
fn a_mesh_far_from_the_origin_is_smoothed_as_at_the_origin() -> Result<()> {
    on_gpu(|gpu| {
        let sphere = Mesh::sphere(3)?.with_noise(0.05, 7)?;
        for offset in [0.0f32, 1e3, 1e5, -1e5] {
            check_about_the_middle(gpu, &mapped(&sphere, |p| p.map(|x| x + offset))?, offset.into())?;
        }
        Ok(())
    })
}

#[test]
fn the_size_of_a_mesh_costs_no_digits() -> Result<()> {
    on_gpu(|gpu| {
        let sphere = Mesh::sphere(3)?.with_noise(0.05, 7)?;
        for scale in [1e-30f32, 1e-20, 1.0, 1e20, 1e30] {
            check_about_the_middle(gpu, &mapped(&sphere, |p| p.map(|x| scale * x))?, 0.0)?;
        }
        Ok(())
    })
}

/// Measured at up to a hundred times the longest step allowed: no vertex leaves the box that was around the mesh before,
/// at every tolerance. (Solved exactly and without obtuse angles, a vertex becomes a mean of others.)
#[test]
fn the_longest_step_leaves_a_mesh_within_its_box() -> Result<()> {
    on_gpu(|gpu| {
        for mesh in [Mesh::sphere(4)?, Mesh::cube(20)?] {
            let mesh = mesh.with_noise(0.08, 3)?;
            for (tolerance, area) in
                [(1e-7, Area::Ring), (1e-7, Area::Dual), (1e-5, Area::Dual), (0.1, Area::Ring)]
            {
                let parameters = Parameters { time_step: 1024.0, tolerance, area, ..Parameters::default() };
                let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
                flow.step()?;
                let ([low, high], [after_low, after_high]) = (mesh.bounds(), flow.mesh()?.bounds());
                let inside = (0..3).all(|k| low[k] <= after_low[k] && after_high[k] <= high[k]);
                assert!(inside, "{after_low:?} {after_high:?} at {parameters:?}");
            }
        }
        Ok(())
    })
}
