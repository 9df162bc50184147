//! The kernels that make the matrix of a mesh, each against its formula in f64.

use super::{Point, U, distance};
use crate::support::{Random, on_gpu};
use quadrille::mesh::THINNEST;
use quadrille::{Result, kernels};

/// A wide texture of vertices: the columns of addresses reach to 4096.
const COLUMNS: usize = 3001;
const ROWS: usize = 3;

const TRIANGLES: usize = 400;

/// Three corners, two at random: of any shape, with a short side, flat, or both.
fn corners(random: &mut Random, number: usize) -> [[f32; 3]; 3] {
    let place = |random: &mut Random| -> [f32; 3] { std::array::from_fn(|_| random.signed()) };
    let (p, q) = (place(random), place(random));
    let thin = 10f32.powf(if number % 4 == 1 { -2.0 - random.unit() } else { -1.0 - 4.0 * random.unit() });
    let along = match number % 4 {
        0 => return [p, q, place(random)],
        1 => 1.0,
        2 => 0.2 + 0.6 * random.unit(),
        _ => 1e-2,
    };
    let aside = place(random);
    [p, q, std::array::from_fn(|k| p[k] + along * (q[k] - p[k]) + thin * aside[k])]
}

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: Point, b: Point) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Each number has at most 16 roundings: a product p_k those of |a| |b|, the sides at the corner, D those of the two shorter
/// sides' product, as far as the triangle is no sliver. All that its three edges find of a triangle, each from both of its
/// ends, is the same to the bit.
#[test]
fn the_edges_of_a_triangle_find_the_same_one_wherever_its_corners_lie() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(5);
        let mut positions = vec![[0.0f32; 4]; COLUMNS * ROWS];
        let mut triangles = Vec::new();
        for number in 0..TRIANGLES {
            let mut vertices = [0, 1, 2].map(|k| 7 * (3 * number + k) + random.below(7));
            vertices.rotate_left(number / 4 % 3);
            let corners = corners(random, number);
            for (&vertex, [x, y, z]) in vertices.iter().zip(corners) {
                positions[vertex] = [x, y, z, 0.0];
            }
            triangles.push((vertices, corners.map(|corner| corner.map(f64::from))));
        }
        let address = |vertex: usize| (vertex / COLUMNS) as f32 + (vertex % COLUMNS) as f32 / 4096.0;
        let edges = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]];
        let of = |(vertices, _): &([usize; 3], _)| {
            edges.map(|edge| {
                let [i, j, k] = edge.map(|corner: usize| address(vertices[corner]));
                [i, j, k, -1.0]
            })
        };
        let addresses: Vec<f32> = triangles.iter().flat_map(of).flatten().collect();
        let positions =
            gpu.buffer(COLUMNS as u32, ROWS as u32).components(4).init(positions.as_flattened())?;
        let addresses = gpu.buffer(6, TRIANGLES as u32).components(4).init(&addresses)?;
        let entries = gpu.buffer(6, TRIANGLES as u32).components(4).build()?;
        let mut program = gpu.builtin("sim/mesh_entries.frag")?;
        program.bind_stream("positions", &positions)?.bind_stream("corners", &addresses)?;
        program.bind_float("time_step", 0.5)?.bind_float("share", 0.25)?;
        program.bind_float("thinnest", THINNEST as f32)?.run(&entries)?;
        let (found, mut slivers) = (entries.data()?, 0);
        for ((vertices, places), found) in triangles.iter().zip(found.as_chunks::<24>().0) {
            let found = found.as_chunks::<4>().0;
            let [u, v, w] = [[0, 1], [0, 2], [1, 2]].map(|[a, b]| minus(places[b], places[a]));
            let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let (doubled, squares) = (distance(cross, [0.0; 3]), [u, v, w].map(|side| dot(side, side)));
            let sum = 0.5 * squares.iter().sum::<f64>();
            let longest = squares.iter().fold(0.0, |most: f64, &square| most.max(square));
            let shorter = (squares.iter().product::<f64>() / longest).sqrt();
            let thin = doubled < sum / THINNEST;
            slivers += usize::from(thin);
            let (area, off) = if thin { (sum / THINNEST, 1.0) } else { (doubled, 1.0 + shorter / doubled) };
            for (edge, entry) in edges.iter().zip(found) {
                let what = format!("{places:?}, edge {edge:?}");
                let [i, j, k] = edge.map(|corner| places[corner]);
                let sides = [minus(i, k), minus(j, k)];
                let product = dot(sides[0], sides[1]) + 0.5 * (area - doubled) * (area + doubled) / sum;
                let cotangent = product / area;
                let lengths = distance(i, k) * distance(j, k);
                let bound = 16.0 * U * (lengths / area + cotangent.abs() * off + 1.0);
                let error = (f64::from(entry[0]) + 0.5 * cotangent).abs();
                assert!(error <= 0.5 * bound, "{what}: {}, {}, bound {bound:e}", entry[0], -0.5 * cotangent);
                let error = (f64::from(entry[2]) - 0.25 * area).abs();
                assert!(error <= 4.0 * U * area * off, "{what}: {}, {}", entry[2], 0.25 * area);
                assert_eq!([entry[1], entry[3]], [address(vertices[edge[1]]), 0.0], "{what}");
                assert_eq!(entry[2].to_bits(), found[0][2].to_bits(), "{what}");
            }
            for ends in found.chunks(2) {
                assert_eq!(ends[0][0].to_bits(), ends[1][0].to_bits(), "{places:?}");
            }
        }
        assert!((30..TRIANGLES / 2).contains(&slivers), "{slivers} slivers");
        Ok(())
    })
}

/// s² a is within 2^±1 of 1, and a rounding of log2 more; its inverse is that of what is written, to two roundings.
#[test]
fn scales_are_the_powers_of_two_next_to_the_root_of_the_inverse() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(6);
        let diagonal: Vec<f32> = (0..91)
            .map(|n| if n % 9 == 0 { 0.0 } else { (0.5 + 0.5 * random.unit()) * 2f32.powi(n - 45) })
            .collect();
        // A slot of the system that is asked for, and one of the other.
        let slots = diagonal.iter().map(|&a| [-0.75 * a, 0.0, 0.25 * a, 0.0]);
        let slots: Vec<f32> = slots.chain(diagonal.iter().map(|_| [-1.0, 0.0, 1.0, 1.0])).flatten().collect();
        let slots = gpu.buffer(13, 14).components(4).init(&slots)?;
        let found = [2, 4].map(|form| -> Result<Vec<f32>> {
            let out = gpu.buffer(13, 7).components(4).build()?;
            let variant = [("FORM", form), ("ENDS", 1), ("BEGUN", 0), ("SLOTS", 0), ("BASE", 0)];
            let kernel = kernels::named("sim/mesh_rows.frag")?;
            let mut program = gpu
                .load(variant.into_iter().fold(kernel, |kernel, (name, value)| kernel.define(name, value)))?;
            program.bind_stream("entries", &slots)?.bind_float("planes", [13.0, 7.0, 14.0, 2.0])?;
            program.bind_float("which", 0.0)?.run(&out)?;
            out.data()
        });
        let [scales, inverses] = found;
        let (scales, inverses) = (scales?, inverses?);
        for ((&a, scale), inverse) in diagonal.iter().zip(scales.chunks(4)).zip(inverses.chunks(4)) {
            let scaled = f64::from(scale[0]).powi(2) * f64::from(a);
            if a == 0.0 {
                assert_eq!([scale, inverse], [[1.0, 1.0, 1.0, 0.0], [0.0; 4]]);
                continue;
            }
            assert!(scale[0].log2().fract() == 0.0 && (0.499..2.001).contains(&scaled), "{a}: {scale:?}");
            assert!((f64::from(scale[3]) - f64::from(a)).abs() <= 2.0 * U * f64::from(a), "{a}: {scale:?}");
            assert!(scale[..3] == [scale[0]; 3] && inverse[..3] == [inverse[0]; 3], "{scale:?} {inverse:?}");
            assert!(
                (f64::from(inverse[0]) * scaled - 1.0).abs() <= 8.0 * U && inverse[3] == 0.0,
                "{a}: {inverse:?}"
            );
        }
        Ok(())
    })
}
