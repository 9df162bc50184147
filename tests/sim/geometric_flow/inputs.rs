//! Meshes as people have them: pieces, triangles without area, what is refused.

use super::{check_step, distance, mapped, wheel, wide};
use crate::support::{on_card, on_gpu, refusal};
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters};
use quadrille::{Limits, Result};

/// Two meshes as one.
pub fn together(a: &Mesh, b: &Mesh) -> Result<Mesh> {
    let first = a.positions().len() as u32;
    let faces = a.faces().iter().copied().chain(b.faces().iter().map(|face| face.map(|v| v + first)));
    Mesh::new([a.positions(), b.positions()].concat(), faces.collect())
}

/// Each piece as if it were alone: as far as the tolerance, which is that of both together.
#[test]
fn pieces_flow_each_for_itself() -> Result<()> {
    on_gpu(|gpu| {
        let one = Mesh::sphere(2)?.with_noise(0.1, 1)?;
        let other = mapped(&Mesh::sheet(6, 5)?.with_noise(0.3, 2)?, |[x, y, z]| [x + 8.0, y, z])?;
        let parameters = Parameters { time_step: 0.01, tolerance: 1e-6, ..Parameters::default() };
        let mut both = GeometricFlow::new(gpu, &together(&one, &other)?, parameters)?;
        both.step()?;
        let both = wide(&both.mesh()?);
        let mut alone = Vec::new();
        for mesh in [one, other] {
            let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
            flow.step()?;
            alone.extend(wide(&flow.mesh()?));
        }
        assert!(both.iter().zip(alone).all(|(&a, b)| distance(a, b) < 1e-5));
        Ok(())
    })
}

#[test]
fn vertices_without_faces_stay_and_triangles_may_turn_any_way() -> Result<()> {
    on_gpu(|gpu| {
        let sphere = Mesh::sphere(2)?.with_noise(0.1, 1)?;
        let lonely = [5.0, -6.0, 0.1];
        let positions = [&[lonely][..], sphere.positions()].concat();
        let turned = |(k, face): (usize, &[u32; 3])| {
            let [a, b, c] = face.map(|v| v + 1);
            if k % 3 == 0 { [a, c, b] } else { [a, b, c] }
        };
        let mesh = Mesh::new(positions, sphere.faces().iter().enumerate().map(turned).collect())?;
        assert_eq!(mesh.volume(), None);
        let mut flow = GeometricFlow::new(gpu, &mesh, Parameters::default())?;
        let mut plain = GeometricFlow::new(gpu, &sphere, Parameters::default())?;
        assert!(flow.step()?.converged() && plain.step()?.converged());
        let (found, expected) = (flow.mesh()?, plain.mesh()?);
        assert_eq!(found.positions()[0], lonely);
        flow.refresh()?;
        let (column, row) = flow.places()[0];
        let at = 4 * (row * flow.positions().width() + column) as usize;
        assert_eq!(flow.positions().data()?[at + 3], 0.0, "the curvature of what has no faces");
        // Another order of rows and of sums is another rounding.
        let near = |(&a, &b): (&[f32; 3], &[f32; 3])| distance(a.map(f64::from), b.map(f64::from)) < 1e-5;
        assert!(found.positions()[1..].iter().zip(expected.positions()).all(near));
        Ok(())
    })
}

/// Zero-area triangles of all kinds: an edge of length 0, a vertex on an edge, a needle. What is a line stays one, and what is
/// a point stays where it is.
#[test]
fn triangles_without_area_are_taken_for_thin_ones() -> Result<()> {
    on_gpu(|gpu| {
        let sheet = Mesh::sheet(6, 6)?.with_noise(0.2, 4)?;
        let mut positions = sheet.positions().to_vec();
        positions[24] = positions[25]; // the middle and its neighbour
        positions[17] = std::array::from_fn(|k| (positions[16][k] + positions[10][k]) / 2.0);
        let mesh = sheet.moved(positions)?;
        for (area, boundary) in [(Area::Ring, Boundary::Fixed), (Area::Dual, Boundary::Flowing)] {
            check_step(gpu, &mesh, Parameters { time_step: 0.01, area, boundary, tolerance: 1e-6 })?;
        }
        let flat = Mesh::sheet(3, 3)?;
        let line = mapped(&flat, |[x, ..]| [x, x, x])?;
        let point = mapped(&flat, |_| [1.0, 2.0, 3.0])?;
        let step = |mesh: &Mesh| {
            let mut flow = GeometricFlow::new(gpu, mesh, Parameters::default())?;
            assert!(flow.step()?.converged());
            flow.mesh()
        };
        assert_eq!(step(&point)?, point);
        assert!(step(&line)?.positions().iter().all(|[x, y, z]| (x - y).abs() < 1e-6 && y == z));
        Ok(())
    })
}

#[test]
fn two_fans_may_meet_in_a_vertex() -> Result<()> {
    on_gpu(|gpu| {
        // Two tetrahedra that share vertex 0.
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let opposite = corners[1..].iter().map(|p| p.map(|x: f32| -x));
        let positions = corners.iter().copied().chain(opposite).collect();
        let tetrahedron = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
        let faces = [[0, 1, 2, 3], [0, 4, 5, 6]].into_iter().flat_map(tetrahedron).collect();
        let mesh = Mesh::new(positions, faces)?;
        check_step(gpu, &mesh, Parameters::default()).map(drop)
    })
}

#[test]
fn wrong_parameters_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = Mesh::sphere(1)?;
        let line = |parameters| refusal(GeometricFlow::new(gpu, &mesh, parameters));
        let good = Parameters::default();
        for time_step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(
                line(Parameters { time_step, ..good }),
                format!("time step = {time_step}: expected a number above 0")
            );
        }
        let far = line(Parameters { time_step: 1e30, ..good });
        assert_eq!(far, "time step = 1e30: expected above 0 and 1.024e3 at most, for a mesh of that size");
        for tolerance in [0.0, 1.0, f32::NAN] {
            assert!(line(Parameters { tolerance, ..good }).starts_with("tolerance = "));
        }
        Ok(())
    })
}

#[test]
fn a_mesh_that_no_texture_holds_is_refused() -> Result<()> {
    let small = Limits { name: "small", texture_size: 16, ..Limits::GEFORCE_6800 };
    on_card(small, |gpu| {
        let line = refusal(GeometricFlow::new(gpu, &wheel(300, 0.1)?, Parameters::default()));
        assert_eq!(line, "mesh with 300 edges at a vertex: number of texels is 10800, the limit is 256");
        Ok(())
    })
}

/// A vertex that is as far away as no mesh is large.
#[test]
fn a_flow_goes_on_from_new_positions_whatever_became_of_the_old() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = Mesh::cube(5)?.with_noise(0.1, 2)?;
        let mut flow = GeometricFlow::new(gpu, &mesh, Parameters::default())?;
        let mut far = mesh.positions().to_vec();
        far[7] = [1e17, -1e17, 1e17];
        flow.set_positions(far)?;
        flow.step()?;
        flow.set_positions(mesh.positions().to_vec())?;
        assert!(flow.step()?.converged());
        let mut fresh = GeometricFlow::new(gpu, &mesh, Parameters::default())?;
        fresh.step()?;
        assert_eq!(flow.mesh()?, fresh.mesh()?);
        Ok(())
    })
}

#[test]
fn solving_without_a_step_moves_nothing_and_says_the_same_again() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = Mesh::sheet(9, 6)?.with_noise(0.3, 8)?;
        for boundary in [Boundary::Fixed, Boundary::Flowing] {
            let parameters = Parameters { time_step: 0.05, boundary, ..Parameters::default() };
            let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
            let solved = flow.solve()?;
            assert_eq!((flow.solve()?, flow.mesh()?), (solved.clone(), mesh.clone()));
            assert_eq!(flow.step()?, solved);
            assert_ne!(flow.mesh()?, mesh);
        }
        Ok(())
    })
}

#[test]
fn parameters_may_change_between_steps() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = Mesh::sheet(8, 8)?.with_noise(0.3, 6)?;
        let fixed = Parameters { time_step: 0.05, ..Parameters::default() };
        let flowing = Parameters { boundary: Boundary::Flowing, ..fixed };
        let mut flow = GeometricFlow::new(gpu, &mesh, fixed)?;
        flow.step()?;
        let between = flow.mesh()?;
        flow.set_parameters(flowing)?;
        flow.step()?;
        let mut other = GeometricFlow::new(gpu, &between, flowing)?;
        other.step()?;
        assert_eq!(flow.mesh()?, other.mesh()?);
        assert!(flow.set_parameters(Parameters { time_step: -1.0, ..fixed }).is_err());
        flow.set_positions(mesh.positions().to_vec())?;
        assert_eq!(flow.mesh()?, mesh);
        assert!(flow.set_positions(vec![[0.0; 3]]).is_err());
        Ok(())
    })
}
