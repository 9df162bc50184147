//! Shapes, what is refused, area and volume.

use super::Mesh;
use crate::Result;

fn refused(positions: &[[f32; 3]], faces: &[[u32; 3]]) -> String {
    Mesh::new(positions.to_vec(), faces.to_vec()).err().map_or(String::new(), |error| error.to_string())
}

const CORNERS: [[f32; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];

#[test]
fn what_is_no_mesh_is_refused_with_its_face() {
    let cases: [(&[[u32; 3]], &str); 6] = [
        (&[], "mesh: no faces"),
        (&[[0, 1, 2], [0, 1, 5]], "face 1 (counted from 0): vertex 5: there are 5"),
        (&[[0, 1, 2], [3, 1, 3]], "face 1 (counted from 0): vertices 3, 1, 3: expected three different"),
        (
            &[[0, 1, 2], [0, 3, 1], [4, 0, 1]],
            "face 2 (counted from 0): its edge 0-1 has two faces already, 0 and 1",
        ),
        (&[[0, 1, 2], [2, 0, 1]], "face 1 (counted from 0): the same corners as face 0"),
        (&[[0, 1, 2], [2, 1, 0]], "face 1 (counted from 0): the same corners as face 0"),
    ];
    for (faces, line) in cases {
        assert_eq!(refused(&CORNERS, faces), line);
    }
    for wrong in [f32::NAN, f32::INFINITY] {
        let mut corners = CORNERS;
        corners[3][1] = wrong;
        assert!(refused(&corners, &[[0, 1, 2]]).starts_with("vertex 3 (counted from 0): at 0, "));
    }
}

#[test]
fn polygons_are_cut_into_triangles_and_called_by_their_own_numbers() -> Result<()> {
    let square: [&[u32]; 2] = [&[0, 1, 4, 2], &[3, 1, 0]];
    let mesh = Mesh::of_polygons(CORNERS.to_vec(), square, 0)?;
    assert_eq!(mesh.faces(), [[0, 1, 4], [0, 4, 2], [3, 1, 0]]);
    let cases: [(&[&[u32]], &str); 6] = [
        (&[&[0, 1, 4, 2], &[0, 1]], "face 2 (counted from 1): 2 corners: expected three or more"),
        (&[&[0, 1, 4, 2], &[]], "face 2 (counted from 1): 0 corners: expected three or more"),
        (&[&[0, 1, 4, 2], &[0, 3, 9]], "face 2 (counted from 1): vertex 10: there are 5"),
        (&[&[0, 1, 4, 2], &[0, 3, 0]], "face 2 (counted from 1): vertices 1, 4, 1: expected three different"),
        (&[&[0, 1, 4, 2], &[2, 4, 0]], "face 2 (counted from 1): the same corners as face 1"),
        (
            &[&[0, 1, 4, 2], &[0, 1, 3], &[1, 0, 2]],
            "face 3 (counted from 1): its edge 1-2 has two faces already, 1 and 2",
        ),
    ];
    for (polygons, line) in cases {
        let found = Mesh::of_polygons(CORNERS.to_vec(), polygons.iter().copied(), 1).err();
        assert_eq!(found.map(|error| error.to_string()).as_deref(), Some(line));
    }
    Ok(())
}

/// Euler: vertices − edges + faces = 2.
#[test]
fn spheres_and_cubes_are_closed_and_turn_outwards() -> Result<()> {
    let spheres = (0..5).map(|cuts| (Mesh::sphere(cuts), 10 * 4usize.pow(cuts) + 2));
    let cubes = [1, 2, 5].map(|n| (Mesh::cube(n), 6 * (n * n) as usize + 2));
    for (mesh, vertices) in spheres.chain(cubes) {
        let mesh = mesh?;
        assert_eq!(mesh.positions().len(), vertices);
        assert_eq!(vertices + mesh.faces().len(), mesh.edges().len() + 2);
        assert!(mesh.edges().iter().all(|edge| !edge.is_boundary() && edge.is_oriented()));
        assert!(mesh.volume().is_some_and(|volume| volume > 2.5), "{:?}", mesh.volume());
    }
    let cube = Mesh::cube(3)?;
    assert!((cube.area() - 24.0).abs() < 1e-6 && (cube.volume().unwrap_or(0.0) - 8.0).abs() < 1e-6);
    Ok(())
}

#[test]
fn a_sheet_has_a_boundary_and_no_volume() -> Result<()> {
    let sheet = Mesh::sheet(4, 3)?;
    assert_eq!((sheet.positions().len(), sheet.faces().len(), sheet.volume()), (20, 24, None));
    assert_eq!(sheet.on_boundary().iter().filter(|&&on| on).count(), 14);
    assert_eq!((sheet.area(), sheet.bounds()), (12.0, [[-2.0, -1.5, 0.0], [2.0, 1.5, 0.0]]));
    Ok(())
}

#[test]
fn noise_goes_along_normals_and_depends_on_its_seed() -> Result<()> {
    let (sheet, sphere) = (Mesh::sheet(5, 5)?, Mesh::sphere(2)?);
    let noisy = sheet.with_noise(0.1, 1)?;
    let still = |(a, b): (&[f32; 3], &[f32; 3])| a[..2] == b[..2] && (a[2] - b[2]).abs() <= 0.1;
    assert!(sheet.positions().iter().zip(noisy.positions()).all(still) && noisy != sheet);
    assert_eq!(noisy, sheet.with_noise(0.1, 1)?);
    assert_ne!(noisy, sheet.with_noise(0.1, 2)?);
    for normal in sphere.normals() {
        assert!((normal.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert!(Mesh::sphere(40).is_err() && Mesh::cube(0).is_err() && sphere.with_noise(f32::NAN, 1).is_err());
    Ok(())
}
