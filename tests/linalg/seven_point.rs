//! The matrix of a voxel box, against the same matrix in f64.

use super::support::{Random, on_card, on_gpu, refusal};
use super::{U, as_f64};
use quadrille::layout::Voxels;
use quadrille::linalg::{Algebra, LinearOperator, Op, SevenPoint};
use quadrille::numeric::Csr;
use quadrille::sim::projection::Cell;
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::voxels::Cells;

const SIZES: [[u32; 3]; 9] =
    [[1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2], [3, 3, 3], [5, 4, 7], [8, 8, 8], [11, 13, 7], [17, 2, 5]];

/// Every kind of cell, fluid half of the time.
fn kinds(voxels: Voxels, random: &mut Random) -> Vec<Cell> {
    let each = [Cell::Solid, Cell::Air, Cell::Fluid, Cell::Fluid];
    (0..voxels.count()).map(|_| each[random.below(4)]).collect()
}

/// The matrix in the order of the vectors' elements, entries as the GPU has them.
fn matrix(voxels: Voxels, kinds: &[Cell]) -> Result<Csr> {
    let size = voxels.size().map(|n| n as usize);
    let matrix = Cells { size, kinds, distance: None, least_depth: 0.01 }.matrix()?;
    let place: Vec<usize> = voxels.all().map(|voxel| voxels.index(voxel)).collect();
    let n = voxels.layout().len();
    Csr::from_triplets(n, n, matrix.triplets().map(|(row, column, value)| (place[row], place[column], value)))
}

fn check(gpu: &Gpu, size: [u32; 3], random: &mut Random) -> Result<()> {
    let algebra = Algebra::new(gpu);
    let voxels = Voxels::new(size, gpu.limits().texture_size)?;
    let (kinds, layout) = (kinds(voxels, random), voxels.layout());
    let matrix = matrix(voxels, &kinds)?;
    let diagonal: Vec<f32> = voxels.collect(&matrix.diagonal()).iter().map(|&d| d as f32).collect();
    let a = SevenPoint::new(&algebra, voxels, &diagonal)?;
    let x: Vec<f32> =
        matrix.diagonal().iter().map(|&d| if d > 0.0 { random.signed() } else { 0.0 }).collect();
    let y = random.floats(layout.len());
    let product = matrix.multiply(&as_f64(&x));
    assert_eq!(a.multiply(&as_f64(&x)), product, "{voxels}: in f64, entries of whole numbers");
    assert_eq!(a.diagonal(), matrix.diagonal());
    let (gpu_x, gpu_y) = (algebra.vector(layout, &x)?, algebra.vector(layout, &y)?);
    let mut out = algebra.zeros(layout)?;
    let near = |name: &str, expected: &dyn Fn(usize) -> f64, found: Vec<f32>| {
        for (i, found) in found.into_iter().enumerate() {
            let size: f64 = matrix.row(i).map(|(j, v)| v.abs() * f64::from(x[j].abs())).sum();
            // Seven terms, their sum, and what is added.
            let bound = 10.0 * U * (size + f64::from(y[i].abs()) + f64::from(x[i].abs()));
            assert!((f64::from(found) - expected(i)).abs() <= bound, "{voxels} {name} element {i}: {found}");
        }
    };
    for (name, op, sign) in
        [("Ax", Op::Null, 0.0), ("Ax+y", Op::Add(&gpu_y), 1.0), ("Ax-y", Op::Sub(&gpu_y), -1.0)]
    {
        a.apply(op, &gpu_x, &mut out)?;
        near(name, &|i| product[i] + sign * f64::from(y[i]), out.get()?);
        a.apply_transposed(op, &gpu_x, &mut out)?;
        near(name, &|i| product[i] + sign * f64::from(y[i]), out.get()?);
    }
    a.residual(&gpu_x, &gpu_y, &mut out)?;
    near("y-Ax", &|i| f64::from(y[i]) - product[i], out.get()?);
    let inverse = |i: usize| matrix.diagonal()[i].recip();
    let unknown = |i: usize| matrix.diagonal()[i] > 0.0;
    a.relax(0.75, &gpu_x, &gpu_y, &mut out)?;
    let sweep = |i| 0.75 * inverse(i) * (f64::from(y[i]) - product[i]);
    near("a sweep", &|i| f64::from(x[i]) + if unknown(i) { sweep(i) } else { 0.0 }, out.get()?);
    a.relax_zero(0.75, &gpu_y, &mut out)?;
    near("from 0", &|i| if unknown(i) { 0.75 * inverse(i) * f64::from(y[i]) } else { 0.0 }, out.get()?);
    Ok(())
}

#[test]
fn products_of_every_box_with_every_kind_of_cell_are_those_in_f64() -> Result<()> {
    on_gpu(|gpu| SIZES.into_iter().try_for_each(|size| check(gpu, size, &mut Random(1))))
}

/// A slice whose neighbour lies at the other end of the texture, a row of slices further.
#[test]
fn rows_of_slices_are_as_good_as_one() -> Result<()> {
    for texture_size in [9, 12, 16, 30] {
        let card = Limits { texture_size, ..Limits::GEFORCE_6800 };
        on_card(card, |gpu| {
            let fits = |size: &[u32; 3]| Voxels::new(*size, texture_size).is_ok();
            let sizes: Vec<[u32; 3]> = SIZES.into_iter().filter(fits).collect();
            assert!(sizes.iter().any(|&size| Voxels::new(size, texture_size).is_ok_and(|v| v.tiles().1 > 1)));
            sizes.into_iter().try_for_each(|size| check(gpu, size, &mut Random(2)))
        })?;
    }
    Ok(())
}

/// Weights of 1 that are stored give what those give that are not, to the bit: the sums are the same.
#[test]
fn stored_weights_of_one_are_the_same_matrix() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let voxels = Voxels::new([6, 5, 4], gpu.limits().texture_size)?;
        let mut random = Random(3);
        let (kinds, layout) = (kinds(voxels, &mut random), voxels.layout());
        let diagonal = matrix(voxels, &kinds)?.diagonal();
        let rounded: Vec<f32> = diagonal.iter().map(|&d| d as f32).collect();
        let toward = |axis: usize| {
            let mut weights = vec![0.0; layout.len()];
            for voxel in voxels.all() {
                let mut next = voxel;
                next[axis] += 1;
                let (own, other) = (voxels.index(voxel), voxels.index(next));
                weights[own] = f32::from(u8::from(diagonal[own] > 0.0 && diagonal[other] > 0.0));
            }
            algebra.vector(layout, &weights)
        };
        let weighted = SevenPoint::weighted(
            voxels,
            algebra.vector(layout, &rounded)?,
            [toward(0)?, toward(1)?, toward(2)?],
        )?;
        let plain = SevenPoint::of(voxels, algebra.vector(layout, &rounded)?)?;
        let x: Vec<f32> = diagonal.iter().map(|&d| if d > 0.0 { random.signed() } else { 0.0 }).collect();
        let x = algebra.vector(layout, &x)?;
        let (mut one, mut other) = (algebra.zeros(layout)?, algebra.zeros(layout)?);
        plain.apply(Op::Null, &x, &mut one)?;
        weighted.apply(Op::Null, &x, &mut other)?;
        assert_eq!(one.get()?, other.get()?);
        let wide = as_f64(&x.get()?);
        assert_eq!(plain.multiply(&wide), weighted.multiply(&wide));
        Ok(())
    })
}

#[test]
fn what_is_no_field_of_the_box_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let voxels = Voxels::new([3, 3, 3], 64)?;
        let line = refusal(SevenPoint::new(&algebra, voxels, &[1.0; 26]));
        assert_eq!(line, "field of voxels: 26 values given, 27 expected (3x3x3)");
        let other = Voxels::new([5, 3, 3], 64)?;
        let line = refusal(SevenPoint::of(voxels, algebra.zeros(other.layout())?));
        assert!(line.starts_with("diagonal of a seven-point matrix: "), "{line}");
        Ok(())
    })
}
