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
    let cases: [(&[[u32; 3]], &str); 2] = [
        (&[], "mesh: no faces"),
        (&[[0, 1, 2], [0, 1, 5]], "face 1 (counted from 0): vertex 5: there are 5"),
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
    let cases: [(&[&[u32]], &str); 3] = [
        (&[&[0, 1, 4, 2], &[0, 1]], "face 2 (counted from 1): 2 corners: expected three or more"),
        (&[&[0, 1, 4, 2], &[]], "face 2 (counted from 1): 0 corners: expected three or more"),
        (&[&[0, 1, 4, 2], &[0, 3, 9]], "face 2 (counted from 1): vertex 10: there are 5"),
    ];
    for (polygons, line) in cases {
        let found = Mesh::of_polygons(CORNERS.to_vec(), polygons.iter().copied(), 1).err();
        assert_eq!(found.map(|error| error.to_string()).as_deref(), Some(line));
    }
    Ok(())
}

/// Wings in the order of the faces; a face with a vertex twice has no edges; volume needs as many faces to go one way as the other.
#[test]
fn edges_have_as_many_faces_as_there_are() -> Result<()> {
    let mesh = Mesh::new(CORNERS.to_vec(), vec![[0, 1, 2], [3, 0, 1], [1, 0, 4], [2, 2, 4], [0, 1, 2]])?;
    let edge = mesh.edges()[0];
    assert_eq!((edge.ends, edge.faces(), mesh.wings(&edge)), ([0, 1], 4, &[2, 3, 4, 2][..]));
    assert!(!edge.is_oriented() && !edge.is_boundary() && mesh.edges().len() == 7);
    let ends: Vec<_> = mesh.edges().iter().map(|edge| (edge.ends, edge.faces())).collect();
    assert_eq!(ends[1..], [([0, 2], 2), ([0, 3], 1), ([0, 4], 1), ([1, 2], 2), ([1, 3], 1), ([1, 4], 1)]);
    // Two tetrahedra that share an edge: it has four faces, two each way.
    let tetrahedron = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
    let corners = [CORNERS.as_slice(), &[[1.0, 1.0, -1.0]]].concat();
    let both: Vec<_> = [[0, 1, 2, 3], [0, 1, 4, 5]].into_iter().flat_map(tetrahedron).collect();
    let mesh = Mesh::new(corners.clone(), both.clone())?;
    assert_eq!((mesh.edges()[0].faces(), mesh.edges()[0].is_oriented()), (4, true));
    let alone =
        |faces: &[[u32; 3]]| -> Result<_> { Ok(Mesh::new(corners.clone(), faces.to_vec())?.volume()) };
    let [one, other] = [alone(&both[..4])?, alone(&both[4..])?].map(|volume| volume.unwrap_or(f64::NAN));
    let sum = mesh.volume().unwrap_or(f64::NAN);
    assert!(
        (sum - (one + other)).abs() < 1e-12 && one.abs() > 0.1 && other.abs() > 0.1,
        "{one} {other} {sum}"
    );
    Ok(())
}

/// The thinnest that is none has (a² + b² + c²) / 4A = 1024: base 1, height h, 3/2 + 2h² = 2048 h.
#[test]
fn slivers_are_thinner_than_1024_and_points_are_too() -> Result<()> {
    let with_height = |h: f32| {
        let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.5, h, 0.0]];
        Ok(Mesh::new(corners, vec![[0, 1, 2]])?.defects().slivers)
    };
    let slivers: Result<Vec<usize>> =
        [1.0, 7.326e-4, 7.323e-4, 1e-9, 0.0].into_iter().map(with_height).collect();
    assert_eq!(slivers?, [0, 0, 1, 1, 1]);
    let point = Mesh::new(vec![[1.0; 3]; 3], vec![[0, 1, 2]])?.defects();
    assert_eq!(point.to_string(), "1 sliver, 2 vertices at the place of another");
    assert!(Mesh::sphere(1)?.defects().is_empty());
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

/// A ball by surface nets: its volume is less than 4π/3 by 1.2 squares of the side of a cell; a knot's tube is as
/// long as its middle line. Both are closed and look outwards, or their volumes would have another sign.
#[test]
fn surfaces_of_functions_and_knots_are_closed_and_look_outwards() -> Result<()> {
    use std::f64::consts::{PI, TAU};
    let ball = |n: u32| Mesh::isosurface(n, [-1.5; 3], 3.0, |p| p.iter().map(|x| x * x).sum::<f64>() - 1.0);
    let exact = 4.0 * PI / 3.0;
    for n in [13, 48] {
        let (mesh, cell) = (ball(n)?, 3.0 / f64::from(n));
        assert!(mesh.edges().iter().all(|edge| edge.faces() == 2 && edge.is_oriented()), "{n}");
        assert_eq!(mesh.positions().len() + mesh.faces().len() - mesh.edges().len(), 2, "Euler");
        let volume = mesh.volume().map_or(0.0, |volume| volume / exact);
        assert!((volume - 1.0).abs() < 1.5 * cell * cell, "{n}: {volume}");
    }
    let half = Mesh::isosurface(12, [-1.5, -1.5, 0.1], 3.0, |p| p.iter().map(|x| x * x).sum::<f64>() - 1.0)?;
    assert!(half.edges().iter().any(|edge| edge.is_boundary()), "cut off by the cube");
    let nothing = Mesh::isosurface(4, [0.0; 3], 1.0, |_| 1.0).err().map(|error| error.to_string());
    assert_eq!(nothing.as_deref(), Some("mesh: no faces"));
    assert!(
        Mesh::isosurface(300, [0.0; 3], 1.0, |_| 1.0)
            .is_err_and(|error| error.to_string().contains("number of cells"))
    );

    let knot = Mesh::knot(8)?;
    assert!(knot.edges().iter().all(|edge| edge.faces() == 2 && edge.is_oriented()));
    assert_eq!(knot.positions().len() + knot.faces().len(), knot.edges().len(), "a torus");
    let middle = |t: f64| {
        let out = 2.0 + (3.0 * t).cos();
        [out * (2.0 * t).cos(), out * (2.0 * t).sin(), (3.0 * t).sin()].map(|x| x / 3.6)
    };
    let long = (0..1000).map(|i| {
        let [a, b] = [i, i + 1].map(|i| middle(TAU * f64::from(i) / 1000.0));
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
    });
    // Pappus: the cross-section is an octagon's double, 16 corners, 2.6 % less than its circle; 72 chords lose as much again at most.
    let tube = long.sum::<f64>() * PI * 0.13 * 0.13;
    let share = knot.volume().map_or(0.0, |volume| volume / tube);
    assert!((0.94..0.98).contains(&share), "{share}");
    Ok(())
}
