//! Mean-curvature flow of meshes: entries, rates, boundaries, and steps against their f64 loops (rows E3, E5).

mod frames;
mod inputs;
mod kernels;
mod scans;
mod slivers;

use std::f64::consts::PI;

use quadrille::mesh::{Edge, Mesh};
use quadrille::numeric::Csr;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters};
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::geometric_flow::{GeometricFlow as InF64, Miss};

use crate::support::{Random, on_card, on_gpu};

const U: f64 = 1.0 / (1 << 24) as f64;

type Point = [f64; 3];

fn wide(mesh: &Mesh) -> Vec<Point> {
    mesh.positions().iter().map(|p| p.map(f64::from)).collect()
}

fn distance(a: Point, b: Point) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

fn in_f64(mesh: &Mesh, parameters: Parameters) -> InF64<'_> {
    InF64 {
        faces: mesh.faces(),
        time_step: parameters.time_step,
        dual: parameters.area == Area::Dual,
        flowing: parameters.boundary == Boundary::Flowing,
    }
}

/// A mesh whose vertices went through an affine map.
fn mapped(mesh: &Mesh, map: impl Fn([f32; 3]) -> [f32; 3]) -> Result<Mesh> {
    mesh.moved(mesh.positions().iter().map(|&p| map(p)).collect())
}

/// Flat triangles with an obtuse angle, noise, a mesh far from the origin, a large and a small one.
fn meshes() -> Result<Vec<Mesh>> {
    let sphere = Mesh::sphere(3)?.with_noise(0.05, 7)?;
    let sheet = Mesh::sheet(9, 7)?.with_noise(0.3, 3)?;
    Ok(vec![
        mapped(&sheet, |[x, y, z]| [x + 0.9 * y, 0.2 * y, z])?,
        mapped(&sphere, |p| p.map(|x| 3.0 * x + 10.0))?,
        mapped(&sphere, |p| p.map(|x| 1e-4 * x))?,
        Mesh::cube(6)?.with_noise(0.1, 5)?,
        sheet,
        sphere,
    ])
}

/// 1/sin² of each of the angles opposite to each edge, added up.
fn inverse_sines(mesh: &Mesh) -> std::collections::HashMap<(usize, usize), f64> {
    let x = wide(mesh);
    let sine2 = |a: Point, b: Point, c: Point| {
        let (u, v) = ([0, 1, 2].map(|k| a[k] - b[k]), [0, 1, 2].map(|k| c[k] - b[k]));
        let dot = |u: Point, v: Point| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
        1.0 - dot(u, v).powi(2) / (dot(u, u) * dot(v, v))
    };
    let sum = |edge: &Edge| {
        let [a, b] = edge.ends.map(|end| x[end as usize]);
        let sum = mesh.wings(edge).iter().map(|&wing| 1.0 / sine2(a, x[wing as usize], b)).sum();
        ((edge.ends[0] as usize, edge.ends[1] as usize), sum)
    };
    mesh.edges().iter().map(sum).collect()
}

/// Checks the rows of all vertices inside, and counts entries of obtuse angles.
fn check_entries(mesh: &Mesh, flow: &InF64, found: &Csr) -> usize {
    let (x, boundary, inverse) = (wide(mesh), mesh.on_boundary(), inverse_sines(mesh));
    let system = flow.surface(&x);
    let diagonal = system.diagonal();
    let farthest = x.iter().map(|&p| distance(p, [0.0; 3])).fold(0.0, f64::max);
    let lengths = mesh.edges().iter().map(|e| distance(x[e.ends[0] as usize], x[e.ends[1] as usize]));
    let scale = 8.0 * U * farthest / lengths.fold(f64::MAX, f64::min);
    let mut obtuse = 0;
    for i in (0..x.len()).filter(|&i| !boundary[i]) {
        let (mut sum, mut own_bound) = (system.masses[i], scale * system.masses[i]);
        for (j, value) in found.row(i).filter(|&(j, _)| j != i) {
            let pair = (i.min(j), i.max(j));
            let (expected, bound) = (system.entries[&pair], flow.time_step * scale * inverse[&pair]);
            assert!((value - expected).abs() <= bound, "({i}, {j}): {value} for {expected}, bound {bound:e}");
            obtuse += usize::from(expected > 0.0);
            sum += expected.abs();
            own_bound += bound;
        }
        let edges = system.entries.keys().filter(|&&(a, b)| a == i || b == i).count();
        assert_eq!(found.row(i).count(), if edges == 0 { 0 } else { edges + 1 });
        own_bound += (edges + 2) as f64 * U * sum;
        let error = found.entry(i, i) - diagonal[i];
        assert!(error.abs() <= own_bound, "({i}, {i}): {error:e} > {own_bound:e}");
    }
    obtuse
}

/// The bound of an entry: λΔt · 8·2⁻²⁴ · (max|x| / shortest edge) · Σ 1/sin²θ over the edge's two angles. Of the diagonal
/// the sum of those, what masses have of the same kind, and the roundings of a sum of so many.
#[test]
fn entries_have_the_error_of_their_angles_obtuse_ones_included() -> Result<()> {
    on_gpu(|gpu| {
        let mut obtuse = 0;
        for mesh in meshes()? {
            let time_step = 1e-3 * mesh.area();
            for area in [Area::Ring, Area::Dual] {
                let parameters = Parameters { time_step, area, ..Parameters::default() };
                let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
                obtuse += check_entries(&mesh, &in_f64(&mesh, parameters), &flow.matrix()?);
            }
        }
        assert!(obtuse > 30, "{obtuse} entries of obtuse angles");
        Ok(())
    })
}

/// A sphere's area shrinks by 8πλ a unit of time, whatever its radius.
#[test]
fn spheres_shrink_at_the_rates_of_both_areas() -> Result<()> {
    on_gpu(|gpu| {
        for (cuts, radius) in [(2, 1.0f32), (3, 1.0), (4, 1.0), (3, 2.5)] {
            let mesh = mapped(&Mesh::sphere(cuts)?, |p| p.map(|x| radius * x))?;
            for (area, rate) in [(Area::Ring, -8.0 * PI / 3.0), (Area::Dual, -8.0 * PI)] {
                let time_step = 1e-3 * f64::from(radius * radius);
                let mut flow =
                    GeometricFlow::new(gpu, &mesh, Parameters { time_step, area, ..Parameters::default() })?;
                assert!(flow.step()?.converged());
                let found = (flow.mesh()?.area() - mesh.area()) / time_step;
                assert!((found / rate - 1.0).abs() <= 0.03, "{cuts} {area:?}: {found} for {rate}");
            }
        }
        Ok(())
    })
}

/// A tilted plane with vertices anywhere in it, as flat as 32 bits make it.
fn plane(seed: u64) -> Result<Mesh> {
    let mut random = Random(seed);
    let sheet = Mesh::sheet(13, 11)?;
    let inside: Vec<bool> = sheet.on_boundary().iter().map(|on| !on).collect();
    let place = |(p, inside): (&[f32; 3], bool)| {
        let far = if inside { 0.3 } else { 0.0 };
        let [x, y] = [p[0] + far * random.signed(), p[1] + far * random.signed()];
        [x, y, 0.25 * x - 0.5 * y + 4.0]
    };
    sheet.moved(sheet.positions().iter().zip(inside).map(place).collect())
}

#[test]
fn a_plane_stays_to_a_millionth_of_its_size_a_step() -> Result<()> {
    on_gpu(|gpu| {
        for (area, time_step) in
            [(Area::Ring, 1e-3), (Area::Ring, 1.0), (Area::Dual, 1.0), (Area::Dual, 100.0)]
        {
            let mesh = plane(11)?;
            let mut flow =
                GeometricFlow::new(gpu, &mesh, Parameters { time_step, area, ..Parameters::default() })?;
            flow.step()?;
            let moved = wide(&flow.mesh()?).into_iter().zip(wide(&mesh)).map(|(a, b)| distance(a, b));
            let moved = moved.fold(0.0, f64::max);
            assert!(moved <= 1e-6 * 17.0, "{moved:e} at {time_step} {area:?}");
        }
        Ok(())
    })
}

/// Makes a step and sees what it leaves of its equations in f64: what the tolerance leaves of the force, twice because the solver
/// scales by powers of two and not by 1/√a_ii, and sixteen roundings of each term (eight of the cotangents, as for single
/// entries, the others of differences, sums and positions).
fn check_step(gpu: &Gpu, mesh: &Mesh, parameters: Parameters) -> Result<Mesh> {
    let mut flow = GeometricFlow::new(gpu, mesh, parameters)?;
    let report = flow.step()?;
    assert!(report.converged(), "{report:?}");
    let after = flow.mesh()?;
    let Miss { residual, force, terms } = in_f64(mesh, parameters).miss(&wide(mesh), &wide(&after));
    let bound = 2.0 * f64::from(parameters.tolerance) * force + 16.0 * U * terms;
    assert!(residual <= bound, "{residual:e} > {bound:e} at {parameters:?}");
    Ok(after)
}

fn farthest(a: &[Point], b: &[Point]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| distance(a, b)).fold(0.0, f64::max)
}

/// The bound has two parts: the residual that the tolerance and the roundings of entries (some 8·2⁻²⁴ Σ 1/sin²θ of each) leave, times how
/// much that is amplified; and the roundings of positions, by where the mesh lies.
#[test]
fn a_step_is_near_the_step_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for mesh in meshes()? {
            let worst_angles = inverse_sines(&mesh).into_values().fold(0.0, f64::max);
            for (area, boundary) in [
                (Area::Ring, Boundary::Fixed),
                (Area::Dual, Boundary::Fixed),
                (Area::Ring, Boundary::Flowing),
            ] {
                for time_step in [1e-4, 1e-2] {
                    let time_step = time_step * mesh.area();
                    let parameters = Parameters { time_step, area, boundary, tolerance: 1e-6 };
                    let (x, after) = (wide(&mesh), wide(&check_step(gpu, &mesh, parameters)?));
                    let expected = in_f64(&mesh, parameters).step(&x)?;
                    let (error, way) = (farthest(&after, &expected), farthest(&x, &expected));
                    let place = farthest(&x, &vec![[0.0; 3]; x.len()]);
                    let part = 2.0 * f64::from(parameters.tolerance) + 8.0 * U * worst_angles;
                    let bound = in_f64(&mesh, parameters).amplification(&x) * part * way + 4.0 * U * place;
                    assert!(error <= bound, "{error:e} > {bound:e} at {parameters:?}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn fixed_boundaries_stay_to_the_bit() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = Mesh::sheet(12, 9)?.with_noise(0.4, 2)?;
        let parameters = Parameters { time_step: 0.3, ..Parameters::default() };
        let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
        for _ in 0..5 {
            assert!(flow.step()?.converged());
        }
        let after = flow.mesh()?;
        let on = mesh.on_boundary();
        for (i, (a, b)) in mesh.positions().iter().zip(after.positions()).enumerate() {
            let same = a.map(f32::to_bits) == b.map(f32::to_bits);
            assert_eq!(same, on[i], "vertex {i}: {a:?} {b:?}");
        }
        assert!(after.area() < mesh.area());
        Ok(())
    })
}

/// A wheel of `n` triangles about a hub of that height.
fn wheel(n: u32, height: f32) -> Result<Mesh> {
    let rim = (0..n).map(|k| {
        let turn = 2.0 * PI * f64::from(k) / f64::from(n);
        [turn.cos() as f32, turn.sin() as f32, 0.0]
    });
    let positions = std::iter::once([0.0, 0.0, height]).chain(rim).collect();
    Mesh::new(positions, (0..n).map(|k| [0, k + 1, (k + 1) % n + 1]).collect())
}

/// R' = −λ/R: a circle of radius 1 loses λΔt of it, and the hub keeps its place in the middle.
#[test]
fn a_boundary_that_flows_shrinks_as_a_circle_does() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = Parameters {
            time_step: 1e-3,
            boundary: Boundary::Flowing,
            tolerance: 1e-6,
            ..Parameters::default()
        };
        let mut flow = GeometricFlow::new(gpu, &wheel(96, 0.0)?, parameters)?;
        let report = flow.step()?;
        assert!(report.converged() && report.curves.is_some());
        let after = wide(&flow.mesh()?);
        assert!(distance(after[0], [0.0; 3]) < 1e-6);
        for &p in &after[1..] {
            let lost = 1.0 - distance(p, [0.0; 3]);
            assert!((lost / 1e-3 - 1.0).abs() < 0.01, "{lost}");
        }
        Ok(())
    })
}

/// The hub has a row of its own length, drawn as a rectangle of its own; ten rows of the rim would not fill it.
#[test]
fn a_vertex_may_have_thousands_of_neighbours() -> Result<()> {
    on_gpu(|gpu| {
        for boundary in [Boundary::Fixed, Boundary::Flowing] {
            let parameters =
                Parameters { time_step: 1e-3, boundary, tolerance: 1e-6, ..Parameters::default() };
            check_step(gpu, &wheel(3000, 0.4)?, parameters)?;
        }
        Ok(())
    })
}

#[test]
fn old_cards_make_the_same_step() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            let mesh = Mesh::sphere(3)?.with_noise(0.05, 1)?;
            check_step(gpu, &mesh, Parameters::default()).map(drop)
        })?;
    }
    Ok(())
}

/// Sums over as many slots as a card fetches in a pass: 14, 510, and 45 on one with textures in which planes go on beside
/// themselves.
#[test]
fn rows_longer_than_a_pass_are_summed_in_several() -> Result<()> {
    let narrow = Limits { name: "narrow", fetches: 94, texture_size: 64, ..Limits::GEFORCE_6800 };
    for (card, spokes) in [
        (Limits::RADEON_9700, 14),
        (Limits::RADEON_9700, 15),
        (Limits::RADEON_9700, 97),
        (Limits::GEFORCE_FX, 1201),
        (narrow, 301),
    ] {
        let mesh = wheel(spokes, 0.4)?;
        on_card(card, |gpu| {
            for boundary in [Boundary::Fixed, Boundary::Flowing] {
                let parameters =
                    Parameters { time_step: 1e-2, boundary, tolerance: 1e-6, ..Parameters::default() };
                check_step(gpu, &mesh, parameters)?;
                let mut flow = GeometricFlow::new(gpu, &mesh, parameters)?;
                check_entries(&mesh, &in_f64(&mesh, parameters), &flow.matrix()?);
            }
            check_curvature_of_hub(gpu, &mesh)
        })?;
    }
    Ok(())
}

/// All entries of a hub of height h are a, and all its edges (cos, sin, −h): the mean curvature is n |a| h / λΔt over 4 A by the
/// dual area. The sum of the edges cancels all but h, a part h/√(1 + h²) of its terms.
fn check_curvature_of_hub(gpu: &Gpu, mesh: &Mesh) -> Result<()> {
    let (parameters, h) = (Parameters::default(), 0.4f64);
    let mut flow = GeometricFlow::new(gpu, mesh, parameters)?;
    let n = mesh.faces().len() as f64;
    let off: f64 = flow.matrix()?.row(0).filter(|&(j, _)| j != 0).map(|(_, a)| a.abs()).sum();
    let expected = off * h / parameters.time_step / (4.0 * mesh.area() / 3.0);
    flow.refresh()?;
    let (column, row) = flow.places()[0];
    let at = 4 * (row * flow.positions().width() + column) as usize + 3;
    let found = f64::from(flow.positions().data()?[at]) / flow.unit();
    let bound = 2.0 * (n + 16.0) * U * (1.0 + h * h).sqrt() / h * expected;
    assert!((found - expected).abs() <= bound, "{found} for {expected}, bound {bound:e}");
    Ok(())
}

#[test]
fn the_same_mesh_gives_the_same_bits_and_smoothing_lessens_its_area() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = Mesh::cube(8)?.with_noise(0.1, 9)?;
        let run = || -> Result<Mesh> {
            let mut flow = GeometricFlow::new(gpu, &mesh, Parameters::default())?;
            let mut area = mesh.area();
            for _ in 0..8 {
                flow.step()?;
                let next = flow.mesh()?.area();
                assert!(next < area, "{next} after {area}");
                area = next;
            }
            flow.mesh()
        };
        assert_eq!(run()?, run()?);
        Ok(())
    })
}

/// A sphere of radius R has the mean curvature 1/R everywhere; the cotangents have it in the mean, and a seventh too much at
/// vertices of five triangles.
#[test]
fn what_is_shown_is_where_vertices_are_and_how_they_curve() -> Result<()> {
    on_gpu(|gpu| {
        for area in [Area::Ring, Area::Dual] {
            let mesh = mapped(&Mesh::sphere(3)?, |p| p.map(|x| 2.5 * x))?;
            let flow = GeometricFlow::new(gpu, &mesh, Parameters { area, ..Parameters::default() })?;
            flow.refresh()?;
            let (values, unit, width) = (flow.positions().data()?, flow.unit(), flow.positions().width());
            let mut sum = 0.0;
            for (&(column, row), position) in flow.places().iter().zip(mesh.positions()) {
                let at = 4 * (row * width + column) as usize;
                assert_eq!([0, 1, 2].map(|k| values[at + k] * unit as f32), *position);
                sum += f64::from(values[at + 3]) / unit;
            }
            let mean = sum / mesh.positions().len() as f64;
            assert!((mean * 2.5 - 1.0).abs() < 0.03, "{mean}");
        }
        Ok(())
    })
}
