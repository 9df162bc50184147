//! Thin triangles: their entries are those of a positive definite matrix, and a step lessens the area.

use super::inputs::together;
use super::{Point, U, distance, farthest, in_f64, mapped, wide};
use crate::support::{Random, on_gpu};
use quadrille::Result;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Parameters};
use quadrille::solve::Reason;

fn along(from: Point, to: Point, share: f64) -> Point {
    std::array::from_fn(|k| from[k] + share * (to[k] - from[k]))
}

/// Some faces cut in three from a vertex near one of their edges, or near one of their corners: the smallest angle of the new
/// triangles is at least `degrees` in faces that are nearly equilateral.
fn with_thin_faces(mesh: &Mesh, every: usize, degrees: f64, near_corner: bool) -> Result<Mesh> {
    let mut random = Random(5);
    let (mut positions, mut faces) = (mesh.positions().to_vec(), mesh.faces().to_vec());
    for at in (0..mesh.faces().len()).step_by(every) {
        let [a, b, c] = faces[at];
        let [p, q, r] = faces[at].map(|corner| positions[corner as usize].map(f64::from));
        let (along_base, angle) = (0.5 + 0.25 * f64::from(random.signed()), degrees.to_radians());
        let place = match near_corner {
            // Seen from the two other corners it is so far beside p.
            true => along(p, along(q, r, 0.5), 2.5 * angle),
            // Over the base: the smaller angle there is at the end that is farther away, where the height is a fifth more.
            false => along(along(p, q, along_base), r, 1.5 * angle * along_base.max(1.0 - along_base)),
        };
        let new = positions.len() as u32;
        positions.push(place.map(|x| x as f32));
        faces[at] = [a, b, new];
        faces.extend([[b, c, new], [c, a, new]]);
    }
    Mesh::new(positions, faces)
}

/// The smallest angle of all triangles, in degrees.
fn smallest_angle(mesh: &Mesh) -> f64 {
    let x = wide(mesh);
    let angle = |a: Point, b: Point, c: Point| {
        let (u, v) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
        let dot: f64 = u.iter().zip(v).map(|(u, v)| u * v).sum();
        let area = distance([u[1] * v[2], u[2] * v[0], u[0] * v[1]], [u[2] * v[1], u[0] * v[2], u[1] * v[0]]);
        area.atan2(dot).to_degrees()
    };
    let of = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|corner| x[corner as usize]);
        angle(a, b, c).min(angle(b, c, a)).min(angle(c, a, b))
    };
    mesh.faces().iter().map(of).fold(f64::MAX, f64::min)
}

/// No bound touches these triangles, so the f64 step is that of the cotangents themselves. A thousandth is what the flow
/// promises down to a tenth of a degree, at the usual tolerance; found are 3e-5 to 3e-4.
#[test]
fn a_step_is_that_in_f64_to_a_thousandth_down_to_a_tenth_of_a_degree() -> Result<()> {
    on_gpu(|gpu| {
        let sphere = Mesh::sphere(2)?.with_noise(0.03, 7)?;
        let strip = Mesh::sheet(14, 9)?.with_noise(0.3, 3)?;
        let meshes = [
            with_thin_faces(&sphere, 7, 0.13, false)?,
            with_thin_faces(&sphere, 1, 0.13, false)?,
            with_thin_faces(&sphere, 5, 0.15, true)?,
            mapped(&sphere, |[x, y, z]| [x, y, z / 100.0])?,
            mapped(&strip, |[x, y, z]| [300.0 * x, y, z])?,
        ];
        for (number, mesh) in meshes.iter().enumerate() {
            let least = smallest_angle(mesh);
            assert!((0.1..1.0).contains(&least), "mesh {number}: {least} degrees");
            let [low, high] = mesh.bounds();
            let half = (0..3).map(|k| f64::from(high[k] - low[k]) / 2.0).fold(0.0, f64::max);
            for share in [1e-3, 1e-1] {
                let time_step = share * half * half;
                let parameters = Parameters { time_step, area: Area::Dual, ..Parameters::default() };
                let mut flow = GeometricFlow::new(gpu, mesh, parameters)?;
                let report = flow.step()?;
                assert!(report.converged(), "mesh {number}: {report:?}");
                let (x, expected) = (wide(mesh), in_f64(mesh, parameters).step(&wide(mesh))?);
                let (error, way) = (farthest(&wide(&flow.mesh()?), &expected), farthest(&x, &expected));
                assert!(error <= 1e-3 * way, "mesh {number}, {share}: {:e} of the way", error / way);
            }
        }
        Ok(())
    })
}

/// Four points at random in a plate, a rod, or a rod with two of them at one of its places.
fn flat_tetrahedron(random: &mut Random, number: usize) -> [[f32; 3]; 4] {
    let thin = 10f32.powf(-2.0 - 5.0 * (number as f32 / 300.0));
    let size = match number % 3 {
        0 => [1.0, 1.0, thin],
        1 => [1.0, thin, thin],
        _ => [1.0, thin, thin * thin],
    };
    let mut corners: [[f32; 3]; 4] =
        std::array::from_fn(|_| std::array::from_fn(|k| size[k] * random.signed()));
    if number % 5 == 4 {
        corners[3] = corners[2];
    }
    corners
}

/// Nothing but its own slivers holds a piece together. Its L, the diagonal made of the other entries, is positive definite with one
/// vertex held: the pivots of an elimination in f64 are above 0. Without the bound, or with an area of its own at each edge, the
/// roundings of the entries are more than the smallest pivot.
#[test]
fn slivers_alone_make_a_positive_definite_matrix() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(11);
        let pieces = 300;
        let mut positions = Vec::new();
        let mut faces = Vec::new();
        for number in 0..pieces {
            let corners = flat_tetrahedron(&mut random, number);
            let first = positions.len() as u32;
            positions.extend(corners);
            let sides = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
            faces.extend(sides.map(|face| face.map(|corner| first + corner)));
        }
        let mesh = Mesh::new(positions, faces)?;
        assert!(mesh.defects().slivers > 500, "{}", mesh.defects());
        let mut flow = GeometricFlow::new(gpu, &mesh, Parameters::default())?;
        let matrix = flow.matrix()?;
        for piece in 0..pieces {
            let entry = |i: usize, j: usize| matrix.entry(4 * piece + i, 4 * piece + j);
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                assert_eq!(entry(i, j).to_bits(), entry(j, i).to_bits(), "piece {piece}");
            }
            let own = |i: usize| -(0..4).filter(|&j| j != i).map(|j| entry(i, j)).sum::<f64>();
            let mut a: [[f64; 3]; 3] =
                std::array::from_fn(|i| std::array::from_fn(|j| if i == j { own(i) } else { entry(i, j) }));
            for k in 0..3 {
                assert!(a[k][k] > 0.0, "piece {piece}: pivot {k} is {:e}", a[k][k]);
                for i in k + 1..3 {
                    for j in k + 1..3 {
                        a[i][j] -= a[i][k] * a[k][j] / a[k][k];
                    }
                }
            }
        }
        Ok(())
    })
}

/// Triangles on a line, whose sides have lengths and products that are whole numbers: what a sliver takes for its area, the sum S of
/// the products over 1024, has no rounding but that of a quotient. An entry is a quotient of a product, of S at most, and that:
/// the sum of two, each of 1024 λΔt at most. Eight roundings of each are what a product, its correction, the quotients, the sum
/// and the time step make.
#[test]
fn entries_of_slivers_are_those_in_f64_whichever_side_is_longest() -> Result<()> {
    on_gpu(|gpu| {
        let mut positions = Vec::new();
        let mut faces = Vec::new();
        for order in [[0, 1, 3, 8], [0, 3, 1, 8], [3, 0, 1, 8], [8, 3, 1, 0], [1, 8, 0, 3], [3, 8, 1, 0]] {
            let first = positions.len() as u32;
            positions.extend(order.map(|x| [x as f32, 0.0, 0.0]));
            let sides = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
            faces.extend(sides.map(|face| face.map(|corner| first + corner)));
        }
        let mesh = Mesh::new(positions, faces)?;
        let parameters = Parameters { time_step: 1e-3, ..Parameters::default() };
        let found = GeometricFlow::new(gpu, &mesh, parameters)?.matrix()?;
        let expected = in_f64(&mesh, parameters).surface(&wide(&mesh)).entries;
        let bound = 2.0 * 8.0 * U * 1024.0 * parameters.time_step;
        assert_eq!(expected.len(), 36);
        for (&(i, j), &expected) in &expected {
            for found in [found.entry(i, j), found.entry(j, i)] {
                assert!(
                    (found - expected).abs() <= bound,
                    "({i}, {j}): {found} for {expected}, bound {bound:e}"
                );
            }
        }
        Ok(())
    })
}

/// A dumbbell whose neck becomes a wire: triangles of no angle, in the end half of them.
#[test]
fn the_area_falls_in_every_step_while_a_neck_collapses() -> Result<()> {
    on_gpu(|gpu| {
        let dumbbell = mapped(&Mesh::sphere(2)?.with_noise(0.02, 3)?, |[x, y, z]| {
            let radius = 0.12 + 0.88 * x * x;
            [3.0 * x, radius * y, radius * z]
        })?;
        let parameters = Parameters { time_step: 1e-2, area: Area::Dual, ..Parameters::default() };
        let mut flow = GeometricFlow::new(gpu, &dumbbell, parameters)?;
        let mut area = dumbbell.area();
        for step in 1..=16 {
            let report = flow.step()?;
            assert!(report.converged(), "step {step}: {report:?}");
            let next = flow.mesh()?.area();
            assert!(next < area, "step {step}: {next} after {area}");
            area = next;
        }
        assert!(flow.mesh()?.defects().slivers > 60, "{}", flow.mesh()?.defects());
        let bounds = [dumbbell.bounds(), flow.mesh()?.bounds()];
        let [before, after] = bounds.map(|[low, high]| [0, 1, 2].map(|k| high[k] - low[k]));
        assert!((0..3).all(|k| after[k] < before[k]), "{before:?} {after:?}");
        Ok(())
    })
}

/// A sphere a thousandth as large as the one around it: its diagonal is a millionth, its forces a thousandth. With the diagonal
/// scaled to 1 both count alike, and the tolerance of 1e-5 is that of each; else a thousandth of the small one's ways is left.
#[test]
fn a_small_piece_is_solved_as_well_as_a_large_one() -> Result<()> {
    on_gpu(|gpu| {
        let large = Mesh::sphere(2)?.with_noise(0.1, 1)?;
        let small = mapped(&Mesh::sphere(2)?.with_noise(0.1, 2)?, |p| p.map(|x| 1e-3 * x))?;
        let mesh = together(&large, &small)?;
        let parameters = Parameters { time_step: 1e-6, ..Parameters::default() };
        let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
        assert!(flow.step()?.converged());
        let first = large.positions().len();
        let x = wide(&mesh);
        let (after, expected) = (wide(&flow.mesh()?), in_f64(&mesh, parameters).step(&x)?);
        let (error, way) =
            (farthest(&after[first..], &expected[first..]), farthest(&x[first..], &expected[first..]));
        assert!(error <= 1e-4 * way, "{:e} of the way", error / way);
        Ok(())
    })
}

/// A wire: forty vertices in a line, whose triangles have no area. A step so long spreads each of them over all of it, which
/// takes more iterations than are allowed; a short one does not.
#[test]
fn a_step_that_is_not_solved_leaves_the_mesh_as_it_was() -> Result<()> {
    on_gpu(|gpu| {
        let positions = (0..40).map(|k| [k as f32 / 39.0, 0.0, 0.0]).collect();
        let faces = (0..38).flat_map(|k| [[k, k + 1, k + 2], [k, k + 2, k + 1]]).collect();
        let mesh = Mesh::new(positions, faces)?;
        let parameters = Parameters { time_step: 200.0, ..Parameters::default() };
        let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
        let report = flow.step()?;
        assert!(
            !report.converged() && matches!(report.reason(), Reason::Stalled | Reason::MaxIterations),
            "{report:?}"
        );
        assert_eq!(flow.mesh()?, mesh);
        flow.set_parameters(Parameters { time_step: 1e-3, ..parameters })?;
        assert!(flow.step()?.converged());
        assert_ne!(flow.mesh()?, mesh);
        Ok(())
    })
}
