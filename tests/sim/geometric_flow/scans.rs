//! Meshes as scanners leave them: edges of many faces, faces twice, vertices twice, loose ones, and triangles that are none.

use super::{check_entries, check_step, distance, in_f64, wide};
use crate::support::on_gpu;
use quadrille::Result;
use quadrille::mesh::{Defects, Mesh};
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters};

/// A cube with a wall inside that meets three of its sides, some faces a second time, and another turned over; and with loose
/// vertices, and faces with a vertex twice.
fn scan() -> Result<Mesh> {
    let cube = Mesh::cube(6)?.with_noise(0.08, 4)?;
    let (mut positions, mut faces) = (cube.positions().to_vec(), cube.faces().to_vec());
    let walls: Vec<[u32; 3]> = (0..faces.len()).step_by(9).map(|at| faces[at]).collect();
    let middle = positions.len() as u32;
    positions.extend([[0.1, -0.05, 0.02], [3.0, 3.0, 3.0], positions[17]]);
    // Each of them with the middle: three new faces, whose edges to the middle have two; those of the cube have three.
    faces.extend(walls.iter().flat_map(|&[a, b, c]| [[a, b, middle], [b, c, middle], [c, a, middle]]));
    faces.extend([faces[5], faces[31], [faces[40][1], faces[40][0], faces[40][2]]]);
    faces.extend([[3, 3, 8], [20, 21, 20], [7, 7, 7]]);
    Mesh::new(positions, faces)
}

#[test]
fn what_is_irregular_is_counted() -> Result<()> {
    let mesh = scan()?;
    let found = mesh.defects();
    let many = mesh.edges().iter().filter(|edge| edge.faces() >= 3).count();
    assert!(many > 100 && mesh.edges().iter().any(|edge| edge.faces() >= 4));
    let expected = Defects {
        non_manifold_edges: many,
        degenerate_faces: 3,
        duplicate_faces: 3,
        slivers: 0,
        duplicate_vertices: 1,
        isolated_vertices: 2,
    };
    assert_eq!(found, expected);
    assert_eq!(
        found.to_string(),
        format!(
            "{many} edges of three or more faces, 3 faces with a vertex twice, 3 faces that are there already, \
             1 vertex at the place of another, 2 vertices without a face"
        )
    );
    Ok(())
}

#[test]
fn triangles_add_up_however_many_share_an_edge() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = scan()?;
        for area in [Area::Ring, Area::Dual] {
            let parameters = Parameters { time_step: 0.01, area, tolerance: 1e-6, ..Parameters::default() };
            let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
            check_entries(&mesh, &in_f64(&mesh, parameters), &flow.matrix()?);
            let after = check_step(gpu, &mesh, parameters)?;
            assert!(after.area() < mesh.area());
            let expected = in_f64(&mesh, parameters).step(&wide(&mesh))?;
            let far = wide(&after).iter().zip(&expected).map(|(&a, &b)| distance(a, b)).fold(0.0, f64::max);
            assert!(far < 1e-5, "{far:e}"); // the tolerance, of ways of up to 0.1, a hundred times over
        }
        Ok(())
    })
}

/// A fan of five leaves at one edge, whose other edges are a boundary that flows.
#[test]
fn leaves_of_a_fan_share_an_edge_that_is_no_boundary() -> Result<()> {
    on_gpu(|gpu| {
        let leaf = |k: u32| {
            let (y, z) = (f64::from(k) * 1.25).sin_cos();
            [0.3 * k as f32 - 0.4, y as f32, z as f32]
        };
        let positions = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]].into_iter().chain((0..5).map(leaf)).collect();
        let mesh = Mesh::new(positions, (0..5).map(|k| [0, 1, k + 2]).collect())?;
        assert_eq!(mesh.edges().iter().map(|edge| edge.faces()).max(), Some(5));
        for boundary in [Boundary::Fixed, Boundary::Flowing] {
            let parameters =
                Parameters { time_step: 1e-2, boundary, tolerance: 1e-6, ..Parameters::default() };
            let after = check_step(gpu, &mesh, parameters)?;
            assert_eq!(after == mesh, boundary == Boundary::Fixed);
        }
        Ok(())
    })
}
