//! Coupled systems, against elimination in f64 of the whole matrix and against waves that the grid keeps.

use std::f64::consts::PI;
use std::rc::Rc;

use super::support::{on_gpu, refusal};
use super::{norm, numbers};
use quadrille::linalg::Algebra;
use quadrille::numeric::Csr;
use quadrille::solve::{
    Block, Coupled, Edge, Effort, FiniteVolumes, Grid, Group, LinearPart, Mask, Scheme, Systems,
};
use quadrille::{Gpu, Result};
use quadrille_oracle::direct_solve;

/// Fields and auxiliary fields, and their coefficients by rows.
pub fn part(fields: usize, auxiliary: usize, constant: &[f64], lap: &[f64]) -> LinearPart {
    LinearPart { fields, auxiliary, constant: constant.to_vec(), lap: lap.to_vec() }
}

/// u_t = ∇²m, m = S u − ∇²u.
pub fn cahn_hilliard() -> LinearPart {
    part(1, 1, &[0.0, 0.0, 2.0, 0.0], &[0.0, 1.0, -1.0, 0.0])
}

/// u_t = (r − 1) u − 2∇²u − ∇²a, a = ∇²u.
fn swift_hohenberg() -> LinearPart {
    part(1, 1, &[0.3 - 1.0, 0.0, 0.0, 0.0], &[-2.0, -1.0, 1.0, 0.0])
}

/// p_t = ∇²p − b∇²s, s_t = ∇²s + b∇²p.
fn ginzburg_landau(b: f64) -> LinearPart {
    part(2, 0, &[0.0; 4], &[1.0, -b, b, 1.0])
}

pub fn wave() -> LinearPart {
    part(2, 0, &[0.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0])
}

fn gray_scott() -> LinearPart {
    part(2, 0, &[-0.037, 0.0, 0.0, -0.097], &[0.209_725, 0.0, 0.0, 0.104_85])
}

/// Four fields: cross-diffusion both ways, a field without diffusion in a circle with them, and one that only listens.
fn four() -> LinearPart {
    let constant = [-0.1, 0.3, -0.2, 0.0, 0.0, -0.2, 0.0, 0.0, 0.5, 0.0, -0.4, 0.0, 0.1, 0.0, 0.0, -1.0];
    let lap = [1.0, 0.4, 0.0, 0.0, 0.3, 2.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.7, 0.0, 0.5];
    part(4, 0, &constant, &lap)
}

/// Two fields with ∇⁴ each, that conduct into each other.
fn two_of_fourth_order() -> LinearPart {
    let constant = [0.0; 16];
    let lap = [1.0, 0.5, -1.0, 0.0, 0.2, 2.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    part(2, 2, &constant, &lap)
}

/// Four fields with ∇⁴ each, of which each conducts into the next: eight unknowns.
fn four_of_fourth_order() -> LinearPart {
    let mut lap = vec![0.0; 64];
    for field in 0..4 {
        lap[field * 8 + field] = 1.0 + 0.3 * field as f64;
        lap[field * 8 + (field + 1) % 4] = 0.2;
        lap[field * 8 + 4 + field] = -0.5;
        lap[(4 + field) * 8 + field] = 1.0;
    }
    part(4, 4, &[0.0; 64], &lap)
}

/// −∇² by differences with mirrored nodes beyond the edges; u counts as 0 at Dirichlet nodes.
pub fn minus_lap(grid: &Grid) -> Vec<(usize, usize, f64)> {
    let [across, down] = grid.size.map(|size| size as usize);
    let mut entries = Vec::new();
    for node in (0..across * down).filter(|&node| !is_fixed(grid, node)) {
        let at = [node % across, node / across];
        for axis in 0..2 {
            let (size, weight) = ([across, down][axis], grid.spacing[axis].powi(-2));
            if size == 1 {
                continue;
            }
            for (side, off, next, back) in [
                (2 * axis, at[axis] == 0, at[axis].wrapping_sub(1), at[axis] + 1),
                (2 * axis + 1, at[axis] + 1 == size, at[axis] + 1, at[axis].wrapping_sub(1)),
            ] {
                let mut to = match (&grid.edges[side], off) {
                    (Edge::Periodic, true) if side % 2 == 0 => size - 1,
                    (Edge::Periodic, true) => 0,
                    (Edge::Robin(b), true) => {
                        let b = b.get(at[1 - axis]).or(b.first()).copied().unwrap_or_default();
                        // (u₋₁ − u₁)/2h + b u₀ = 0.
                        entries.push((node, node, 2.0 * b * weight * grid.spacing[axis]));
                        back
                    }
                    (_, true) => back,
                    (_, false) => next,
                };
                entries.push((node, node, weight));
                to = if axis == 0 { at[1] * across + to } else { to * across + at[0] };
                if !is_fixed(grid, to) {
                    entries.push((node, to, -weight));
                }
            }
        }
    }
    entries
}

fn is_fixed(grid: &Grid, node: usize) -> bool {
    let [across, down] = grid.size.map(|size| size as usize);
    let (i, j) = (node % across, node / across);
    [i == 0, i + 1 == across, down > 1 && j == 0, down > 1 && j + 1 == down]
        .into_iter()
        .zip(&grid.edges)
        .any(|(is, edge)| is && *edge == Edge::Dirichlet)
}

/// (c₀ − γΔt J) δ = R by elimination, δ of the fields, node after node.
pub fn truth(
    grid: &Grid,
    lambda: &[(usize, usize, f64)],
    part: &LinearPart,
    (c0, step): (f64, f64),
    r: &[f64],
) -> Result<Vec<f64>> {
    let (n, f, nodes) = (part.rows(), part.fields, (grid.size[0] * grid.size[1]) as usize);
    let mut entries = Vec::new();
    let mut b = vec![0.0; n * nodes];
    for node in 0..nodes {
        for i in 0..n {
            entries.push((node * n + i, node * n + i, if i < f { c0 } else { 1.0 }));
            if i < f && !is_fixed(grid, node) {
                b[node * n + i] = r[node * f + i];
            }
        }
    }
    for i in 0..n {
        let scale = if i < f { step } else { 1.0 };
        for j in 0..n {
            let fixed = (0..nodes).filter(|&node| !is_fixed(grid, node));
            entries.extend(fixed.map(|node| (node * n + i, node * n + j, -scale * part.constant[i * n + j])));
            let lap = scale * part.lap[i * n + j];
            entries.extend(
                lambda.iter().map(|&(row, column, value)| (row * n + i, column * n + j, lap * value)),
            );
        }
    }
    let found = direct_solve(&Csr::from_triplets(n * nodes, n * nodes, entries)?, &b)?;
    Ok((0..nodes).flat_map(|node| found[node * n..node * n + f].to_vec()).collect())
}

/// δ as the GPU solves for it from nothing, and the work.
fn found(
    gpu: &Gpu,
    grid: &Grid,
    part: &LinearPart,
    system: (f64, f64),
    r: &[f64],
    tolerance: f64,
) -> Result<(Vec<f64>, Effort, Vec<Block>)> {
    found_conserving(gpu, grid, part, system, r, (tolerance, &[]))
}

/// The same where some fields keep their sums.
fn found_conserving(
    gpu: &Gpu,
    grid: &Grid,
    part: &LinearPart,
    system: (f64, f64),
    r: &[f64],
    (tolerance, conserves): (f64, &[bool]),
) -> Result<(Vec<f64>, Effort, Vec<Block>)> {
    let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), grid)?);
    let mut solver = Coupled::new(&volumes, part, system, conserves)?;
    let buffer = || gpu.buffer(grid.size[0], grid.size[1]).components(part.fields);
    let r: Vec<f32> = r.iter().map(|&r| r as f32).collect();
    let ones = vec![1.0; r.len()];
    let (r, u, next, change) =
        (buffer().init(&r)?, buffer().init(&ones)?, buffer().build()?, buffer().build()?);
    let effort = solver.solve(&r, &u, [&next, &change], Some(tolerance))?;
    let (next, change) = (next.data()?, change.data()?);
    for (next, change) in next.iter().zip(&change) {
        assert_eq!(*next, 1.0 + change, "next is u + δ");
    }
    Ok((change.into_iter().map(f64::from).collect(), effort, solver.blocks().to_vec()))
}

pub fn relative(found: &[f64], expected: &[f64]) -> f64 {
    let difference: Vec<f64> = found.iter().zip(expected).map(|(x, y)| x - y).collect();
    norm(&difference) / norm(expected)
}

/// On all kinds of edges, each system is solved to its tolerance: the error of δ, by elimination of all unknowns at once.
#[test]
fn coupled_systems_are_solved_as_by_elimination() -> Result<()> {
    let robin = Edge::Robin(vec![1.5]);
    let mixed = [
        Edge::Dirichlet,
        robin.clone(),
        Edge::Neumann,
        Edge::Robin((0..16).map(|i| 0.2 * f64::from(i)).collect()),
    ];
    let grids = [
        Grid::new([11, 7], [1.0, 1.0], &Edge::Periodic),
        Grid::new([12, 8], [1.0, 0.7], &Edge::Neumann),
        Grid { edges: mixed, ..Grid::new([16, 9], [0.8, 1.1], &Edge::Neumann) },
        Grid::new([31, 1], [0.5, 1.0], &Edge::Dirichlet),
        Grid::new([17, 3], [1.0, 1.0], &robin),
    ];
    let systems = [
        ("heat", part(1, 0, &[0.0], &[1.0]), vec![0.3, 5.0, 2500.0]),
        ("cahn-hilliard", cahn_hilliard(), vec![1.0, 10.0, 100.0]),
        ("swift-hohenberg", swift_hohenberg(), vec![0.1, 0.5]),
        ("gray-scott", gray_scott(), vec![2.0, 40.0]),
        ("schnakenberg", part(2, 0, &[-1.0, 0.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 40.0]), vec![0.2]),
        ("wave", wave(), vec![10.0]),
        ("ginzburg-landau", ginzburg_landau(0.5), vec![0.05, 10.0]),
        ("ginzburg-landau", ginzburg_landau(10.0), vec![1.0]),
        ("four fields", four(), vec![0.5, 20.0]),
        ("two of fourth order", two_of_fourth_order(), vec![0.2, 5.0]),
    ];
    on_gpu(|gpu| {
        for (place, grid) in grids.iter().enumerate() {
            let lambda = minus_lap(grid);
            let nodes = (grid.size[0] * grid.size[1]) as usize;
            for (name, part, steps) in &systems {
                // All of them on a periodic grid, the first Δt of each on a mixed one, and one of each kind of block on the others.
                let some = ["heat", "cahn-hilliard", "four fields"].contains(name);
                for &step in &steps[..if place == 0 { steps.len() } else { usize::from(place == 2 || some) }]
                {
                    let mut r = numbers(nodes * part.fields, 5);
                    // The change of fixed nodes is given.
                    (0..nodes)
                        .filter(|&node| is_fixed(grid, node))
                        .for_each(|node| r[node * part.fields..][..part.fields].fill(0.0));
                    let expected = truth(grid, &lambda, part, (1.0, step), &r)?;
                    let (change, effort, blocks) = found(gpu, grid, part, (1.0, step), &r, 1e-5)?;
                    let error = relative(&change, &expected);
                    let what =
                        format!("{name}, Δt = {step}, {:?}: {error:.1e}, {effort:?}, {blocks:?}", grid.size);
                    assert!(!effort.is_short, "{what}");
                    // A tolerance of 10⁻⁵ of each block's right side, seen through a few blocks and combinations of them.
                    assert!(error <= 1e-4, "{what}");
                }
            }
        }
        Ok(())
    })
}

/// On a grid too large for elimination: a wave of a periodic or closed grid is one of Λ, so its amplitude is a matrix of
/// few rows. As many iterations as numpy needed from nothing to 10⁻⁵.
#[test]
fn complex_roots_take_few_iterations() -> Result<()> {
    let cases = [
        ("cahn-hilliard", cahn_hilliard(), 1.0, 1.0, 6),
        ("ginzburg-landau", ginzburg_landau(0.5), 1.0, 0.4, 9),
        ("ginzburg-landau", ginzburg_landau(10.0), 1.0, 0.4, 9),
        ("swift-hohenberg", swift_hohenberg(), 0.1, 0.785, 12),
        ("swift-hohenberg", swift_hohenberg(), 0.5, 0.785, 12),
    ];
    on_gpu(|gpu| {
        for (name, part, step, h, most) in cases {
            let grid = Grid::new([64, 48], [h, h], &Edge::Periodic);
            let r = numbers(64 * 48 * part.fields, 3);
            let (change, effort, blocks) = found(gpu, &grid, &part, (1.5, step), &r, 1e-5)?;
            let what = format!("{name}, Δt = {step}: {effort:?}, {blocks:?}");
            assert!(!effort.is_short && effort.iterations <= most, "{what}");
            // The part of one wave in δ, by its own small system.
            let waves = [3.0, 5.0];
            let lambda: f64 =
                (0..2).map(|k| 2.0 - 2.0 * (2.0 * PI * waves[k] / [64.0, 48.0][k]).cos()).sum::<f64>()
                    / h
                    / h;
            let of = |values: &[f64], field: usize| -> f64 {
                (0..64 * 48)
                    .map(|node| {
                        let (i, j) = ((node % 64) as f64, (node / 64) as f64);
                        values[node * part.fields + field]
                            * (2.0 * PI * (waves[0] * i / 64.0 + waves[1] * j / 48.0)).cos()
                    })
                    .sum()
            };
            let (n, f) = (part.rows(), part.fields);
            let entry = |i: usize, j: usize| {
                let (own, scale) = if i < f { (1.5, step) } else { (1.0, 1.0) };
                let own = if i == j { own } else { 0.0 };
                own - scale * (part.constant[i * n + j] - lambda * part.lap[i * n + j])
            };
            let small =
                Csr::from_triplets(n, n, (0..n * n).map(|at| (at / n, at % n, entry(at / n, at % n))))?;
            let side: Vec<f64> = (0..n).map(|i| if i < f { of(&r, i) } else { 0.0 }).collect();
            let expected = direct_solve(&small, &side)?;
            for field in 0..f {
                let error = (of(&change, field) - expected[field]).abs() / norm(&expected);
                // 10⁻⁵ of all of R, of which one of 3072 waves may have more than its share.
                assert!(error <= 5e-4, "{what}: field {field}: {error:.1e}");
            }
        }
        Ok(())
    })
}

/// A strip in which most cells are halves: two cycles with V between them are the preconditioner that they are on whole cells. Without
/// it Swift's and Hohenberg's block needs 15 iterations in the place of 12.
#[test]
fn parts_of_cells_take_no_more_iterations_than_whole_ones() -> Result<()> {
    on_gpu(|gpu| {
        for (part, step, h, most) in
            [(swift_hohenberg(), 0.5, 0.785, 13), (ginzburg_landau(10.0), 1.0, 0.4, 9)]
        {
            let grid = Grid::new([64, 3], [h, h], &Edge::Neumann);
            let r = numbers(64 * 3 * part.fields, 3);
            let (_, effort, blocks) = found(gpu, &grid, &part, (1.5, step), &r, 1e-5)?;
            assert!(!effort.is_short && effort.iterations <= most, "{effort:?}, {blocks:?}");
        }
        Ok(())
    })
}

/// Weights between nodes and masks: −∇·(D∇u) with D that varies, on a disc, against elimination.
#[test]
fn masks_and_conductivities_are_solved() -> Result<()> {
    on_gpu(|gpu| {
        for rim in [Edge::Neumann, Edge::Dirichlet] {
            let inside = |node: usize| ((node % 19) as f64 - 9.0).hypot((node / 19) as f64 - 8.0) < 7.5;
            let grid = Grid {
                mask: Some(Mask { inside: (0..19 * 17).map(inside).collect(), rim }),
                conductivity: Some((0..19 * 17).map(|node| 1.0 + 0.5 * ((node * 7) % 5) as f64).collect()),
                ..Grid::new([19, 17], [1.0, 1.0], &Edge::Neumann)
            };
            let d = |node: usize| 1.0 + 0.5 * ((node * 7) % 5) as f64;
            let is_fixed = grid.mask.as_ref().is_some_and(|mask| mask.rim == Edge::Dirichlet);
            let mut lambda = Vec::new();
            // The disc does not touch the edges.
            for node in (0..19 * 17).filter(|&node| inside(node)) {
                for to in [node - 1, node + 1, node - 19, node + 19] {
                    let weight = (d(node) + d(to)) / 2.0;
                    if inside(to) {
                        lambda.extend([(node, node, weight), (node, to, -weight)]);
                    } else if is_fixed {
                        lambda.push((node, node, weight));
                    }
                }
            }
            let mut r = numbers(19 * 17, 9);
            (0..19 * 17).filter(|&node| !inside(node)).for_each(|node| r[node] = 0.0);
            let part = part(1, 0, &[0.0], &[1.0]);
            let expected = truth(&grid, &lambda, &part, (1.0, 30.0), &r)?;
            (0..19 * 17).filter(|&node| !inside(node)).for_each(|node| r[node] = 1e20);
            let (change, effort, _) = found_somewhere(gpu, &grid, &part, (1.0, 30.0), &r, &inside)?;
            let error = relative(&change, &expected);
            assert!(
                !effort.is_short && error <= 1e-4,
                "{:?}: {error:.1e}, {effort:?}",
                grid.mask.map(|mask| mask.rim)
            );
        }
        Ok(())
    })
}

/// −∇² inside a mask by differences, with a mirror beyond the closed edges of the grid: what leads out leads to a 0, or nowhere.
fn minus_lap_inside(
    size: [usize; 2],
    inside: &dyn Fn(usize) -> bool,
    is_fixed: bool,
) -> Vec<(usize, usize, f64)> {
    let mut lambda = Vec::new();
    for node in (0..size[0] * size[1]).filter(|&node| inside(node)) {
        for (axis, stride) in [(0, 1), (1, size[0])] {
            let at = [node % size[0], node / size[0]][axis];
            let weight = if at == 0 || at + 1 == size[axis] { 2.0 } else { 1.0 };
            let low = (at > 0).then(|| node - stride);
            let high = (at + 1 < size[axis]).then(|| node + stride);
            for to in [low, high].into_iter().flatten() {
                match inside(to) {
                    true => lambda.extend([(node, node, weight), (node, to, -weight)]),
                    false => lambda.extend(is_fixed.then_some((node, node, weight))),
                }
            }
        }
    }
    lambda
}

/// Masks of a node, of three, of nodes without neighbours, of rings: solved by steps and by cycles as by elimination, and as soon. Cycles
/// are preconditioners there, so their mistakes cost iterations alone.
#[test]
fn masks_of_few_nodes_are_solved_soon() -> Result<()> {
    type Inside = fn(usize, usize) -> bool;
    let masks: [(&str, Inside); 7] = [
        ("a node", |i, j| (i, j) == (3, 4)),
        ("a corner", |i, j| (i, j) == (0, 0)),
        ("three in a row", |i, j| j == 3 && (2..5).contains(&i)),
        ("three about a corner", |i, j| i + j < 2),
        ("five apart", |i, j| [(0, 6), (2, 2), (4, 2), (3, 5), (6, 6)].contains(&(i, j))),
        ("a ring", |i, j| (1..6).contains(&i) && (1..6).contains(&j) && (i, j) != (3, 3)),
        // More coarse nodes than it has nodes interpolate to it.
        ("a thin ring", |i, j| i.abs_diff(3).max(j.abs_diff(3)) == 2),
    ];
    let (heat, fourth) = (part(1, 0, &[0.0], &[1.0]), cahn_hilliard());
    // The most iterations: Chebyshev's, gradients around a cycle, around two, and of two real roots.
    let systems = [(&heat, 0.4, 13), (&heat, 400.0, 4), (&fourth, 0.5, 4), (&fourth, 200.0, 19)];
    let small = masks.iter().flat_map(|mask| systems.iter().map(move |system| ([9, 13], mask, system)));
    // Three levels.
    let large = masks[5..].iter().map(|mask| ([23, 21], mask, &systems[1]));
    let cases: Vec<_> = small.chain(large).collect();
    on_gpu(|gpu| {
        for (&(size, (name, shape), &(part, step, most)), rim) in
            cases.iter().flat_map(|case| [(case, Edge::Neumann), (case, Edge::Dirichlet)])
        {
            let inside = |node: usize| shape(node % size[0], node / size[0]);
            let nodes = size[0] * size[1];
            let lambda = minus_lap_inside(size, &inside, rim == Edge::Dirichlet);
            let grid = Grid {
                mask: Some(Mask { inside: (0..nodes).map(inside).collect(), rim: rim.clone() }),
                ..Grid::new(size.map(|side| side as u32), [1.0, 1.0], &Edge::Neumann)
            };
            let outside = |r: &mut Vec<f64>, value: f64| {
                (0..nodes).filter(|&node| !inside(node)).for_each(|node| r[node] = value);
            };
            let mut r = numbers(nodes, 9);
            outside(&mut r, 0.0);
            let mut expected = truth(&grid, &lambda, part, (1.0, step), &r)?;
            outside(&mut r, 1e20);
            let (change, effort, blocks) = found_somewhere(gpu, &grid, part, (1.0, step), &r, &inside)?;
            let error = relative(&change, &expected);
            let what =
                format!("{name} of {size:?}, {rim:?}, Δt = {step}: {error:.1e}, {effort:?}, {blocks:?}");
            assert!(!effort.is_short && effort.iterations <= most && error <= 1e-4, "{what}");
            if rim == Edge::Neumann {
                // The mean over parts of cells is taken out where sums are kept.
                let share = |node: usize| {
                    let half = |at: usize, size: usize| if at == 0 || at + 1 == size { 0.5 } else { 1.0 };
                    if inside(node) {
                        half(node % size[0], size[0]) * half(node / size[0], size[1])
                    } else {
                        0.0
                    }
                };
                let (sum, whole) = (0..nodes).fold((0.0, 0.0), |(sum, whole), node| {
                    (sum + share(node) * expected[node], whole + share(node))
                });
                (0..nodes).filter(|&node| inside(node)).for_each(|node| expected[node] -= sum / whole);
                let (mut change, ..) = found_conserving(gpu, &grid, part, (1.0, step), &r, (1e-5, &[true]))?;
                outside(&mut change, 0.0);
                let most = 1e-4 * norm(&expected) + 1e-5 * (sum / whole).abs();
                let off: Vec<f64> = change.iter().zip(&expected).map(|(x, y)| x - y).collect();
                assert!(
                    norm(&off) <= most,
                    "{what}: {:.1e} with the sum kept, at most {most:.1e}",
                    norm(&off)
                );
            }
        }
        Ok(())
    })
}

/// (c₀ − γΔt J) δ = R by elimination, each row of J with a grid of its own; what is fixed is given, and counts as 0 in other rows.
fn truth_of_unlike(
    grids: &[&Grid],
    part: &LinearPart,
    (c0, step): (f64, f64),
    r: &[f64],
) -> Result<Vec<f64>> {
    let (n, f) = (part.rows(), part.fields);
    let nodes = (grids[0].size[0] * grids[0].size[1]) as usize;
    let lambdas: Vec<_> = grids.iter().map(|grid| minus_lap(grid)).collect();
    let (mut entries, mut b) = (Vec::new(), vec![0.0; n * nodes]);
    for (node, i) in (0..nodes).flat_map(|node| (0..n).map(move |i| (node, i))) {
        let row = node * n + i;
        if i < f {
            b[row] = r[node * f + i];
        }
        if is_fixed(grids[i], node) {
            entries.push((row, row, 1.0));
            continue;
        }
        let (own, scale) = if i < f { (c0, step) } else { (1.0, 1.0) };
        entries.push((row, row, own));
        let constant = |j: &usize| !is_fixed(grids[*j], node);
        entries
            .extend((0..n).filter(constant).map(|j| (row, node * n + j, -scale * part.constant[i * n + j])));
        for (j, lambda) in lambdas.iter().enumerate() {
            let there = lambda.iter().filter(|(at, ..)| *at == node);
            entries
                .extend(there.map(|&(_, to, value)| (row, to * n + j, scale * part.lap[i * n + j] * value)));
        }
    }
    let found = direct_solve(&Csr::from_triplets(n * nodes, n * nodes, entries)?, &b)?;
    Ok((0..nodes).flat_map(|node| found[node * n..node * n + f].to_vec()).collect())
}

/// Fields that depend on each other, each with its own edges: as by elimination, with values that are given at some nodes of some fields.
#[test]
fn fields_of_unlike_edges_that_depend_on_each_other_are_solved_as_by_elimination() -> Result<()> {
    let edges = |of: [&Edge; 4]| of.map(Edge::clone);
    let (closed, fixed, robin) = (Edge::Neumann, Edge::Dirichlet, Edge::Robin(vec![1.5]));
    let kinds = [edges([&closed; 4]), edges([&fixed; 4]), edges([&robin, &closed, &fixed, &closed])];
    let around = [
        edges([&Edge::Periodic, &Edge::Periodic, &closed, &closed]),
        edges([&Edge::Periodic, &Edge::Periodic, &fixed, &robin]),
    ];
    let line = [edges([&fixed, &closed, &closed, &closed]), edges([&closed; 4])];
    let seam = [kinds[0].clone(), around[0].clone()];
    // Which edges each field and auxiliary field has.
    let cross = || part(2, 0, &[-0.1, 0.3, 0.2, 0.0], &[1.0, 0.4, -0.6, 2.0]);
    // u_t = ∇²n, n = u + m, m = −0.3 ∇²u: an auxiliary field of another one.
    let chain = || {
        part(
            1,
            2,
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
            &[0.0, 0.0, 1.0, -0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
        )
    };
    type Case<'a> = (&'a str, LinearPart, f64, [u32; 2], &'a [[Edge; 4]], &'a [usize]);
    let cases: [Case; 11] = [
        ("a chain", chain(), 5.0, [9, 8], &kinds, &[0, 0, 1]),
        ("cross-diffusion", cross(), 5.0, [11, 7], &kinds, &[0, 1]),
        ("cross-diffusion", cross(), 40.0, [12, 9], &kinds, &[2, 1]),
        ("cross-diffusion", cross(), 5.0, [13, 8], &around, &[1, 0]),
        ("cross-diffusion", cross(), 5.0, [31, 1], &line, &[0, 1]),
        ("a seam of the second field", cross(), 5.0, [11, 8], &seam, &[0, 1]),
        ("cahn-hilliard", cahn_hilliard(), 10.0, [11, 7], &kinds, &[0, 1]),
        ("cahn-hilliard", cahn_hilliard(), 1.0, [8, 9], &kinds, &[1, 0]),
        ("four fields", four(), 2.0, [9, 7], &kinds, &[0, 1, 2, 0]),
        ("two of fourth order", two_of_fourth_order(), 0.5, [9, 8], &kinds, &[0, 1, 2, 1]),
        ("ginzburg-landau", ginzburg_landau(0.5), 1.0, [10, 7], &kinds, &[0, 2]),
    ];
    on_gpu(|gpu| {
        for (name, part, step, size, kinds, of) in &cases {
            let (f, nodes) = (part.fields, (size[0] * size[1]) as usize);
            let spacing = [1.0, 0.8];
            let grids: Vec<Grid> = kinds
                .iter()
                .map(|edges| Grid { edges: edges.clone(), ..Grid::new(*size, spacing, &Edge::Neumann) })
                .collect();
            let mut groups = Vec::new();
            for (kind, grid) in grids.iter().enumerate() {
                let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), grid)?);
                let members = |from: usize, to: usize| {
                    (from..to).filter(|row| of[*row] == kind).map(|row| row - from).collect()
                };
                groups.push(Group { volumes, fields: members(0, f), auxiliaries: members(f, part.rows()) });
            }
            groups.retain(|group| !(group.fields.is_empty() && group.auxiliaries.is_empty()));
            let r: Vec<f64> = numbers(nodes * f, 7).iter().map(|r| f64::from(*r as f32)).collect();
            let own: Vec<&Grid> = of.iter().map(|kind| &grids[*kind]).collect();
            let expected = truth_of_unlike(&own, part, (1.5, *step), &r)?;
            let mut systems = Systems::new(&groups, part, (1.5, *step), &[])?;
            assert!(systems.is_joined());
            let buffer = || gpu.buffer(size[0], size[1]).components(f);
            let r: Vec<f32> = r.iter().map(|&r| r as f32).collect();
            let ones = vec![1.0; r.len()];
            let (r, u, next, change) =
                (buffer().init(&r)?, buffer().init(&ones)?, buffer().build()?, buffer().build()?);
            let effort = systems.solve(&r, &u, [&next, &change], Some(1e-5))?;
            let found: Vec<f64> = change.data()?.into_iter().map(f64::from).collect();
            let error = relative(&found, &expected);
            let what = format!("{name}, Δt = {step}, {size:?}: {error:.1e}, {effort:?}");
            // A tolerance of 10⁻⁵ of R, as where edges are alike.
            assert!(!effort.is_short && error <= 1e-4 && effort.iterations <= 12, "{what}");
            for (next, change) in next.data()?.iter().zip(change.data()?) {
                assert_eq!(*next, 1.0 + change, "{what}: next is u + δ");
            }
            // A solve that is not looked at, from nothing and from what was found.
            for _ in 0..2 {
                let blind = systems.solve(&r, &u, [&next, &change], None)?;
                let found: Vec<f64> = change.data()?.into_iter().map(f64::from).collect();
                let error = relative(&found, &expected);
                assert!(blind.residual.is_none() && error <= 1e-4, "{what}: blind {error:.1e}");
                systems.forget()?;
            }
        }
        Ok(())
    })
}

/// A closed field and a fixed one that conduct into each other.
fn closed_and_fixed(gpu: &Gpu, sizes: [[u32; 2]; 2], step: f64) -> Result<Systems> {
    let mut groups = Vec::new();
    for (field, edge) in [Edge::Neumann, Edge::Dirichlet].iter().enumerate() {
        let grid = Grid::new(sizes[field], [1.0, 1.0], edge);
        let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid)?);
        groups.push(Group { volumes, fields: vec![field], auxiliaries: Vec::new() });
    }
    Systems::new(&groups, &part(2, 0, &[0.0; 4], &[1.0, 0.4, -0.6, 2.0]), (1.0, step), &[])
}

/// Two cycles for each of two fields, twice an iteration.
#[test]
fn the_cycles_of_preconditioners_are_counted() -> Result<()> {
    on_gpu(|gpu| {
        let mut systems = closed_and_fixed(gpu, [[12, 9]; 2], 40.0)?;
        let buffer = || gpu.buffer(12, 9).components(2);
        let r: Vec<f32> = numbers(2 * 108, 7).iter().map(|&r| r as f32).collect();
        let (r, u, next, change) =
            (buffer().init(&r)?, buffer().build()?, buffer().build()?, buffer().build()?);
        let looked = systems.solve(&r, &u, [&next, &change], Some(1e-4))?;
        assert!(looked.iterations > 0 && looked.cycles >= 8 * looked.iterations, "{looked:?}");
        let blind = systems.solve(&r, &u, [&next, &change], None)?;
        assert_eq!(blind.cycles, 8 * blind.iterations, "{blind:?}");
        assert_eq!(
            refusal(closed_and_fixed(gpu, [[12, 9], [12, 8]], 40.0)),
            "groups = grids of 12x9 and of 12x8 nodes: expected one size"
        );
        Ok(())
    })
}

/// After R so small that a tolerance not relative to it would take any x: where R is 0, δ is.
#[test]
fn nothing_follows_from_nothing() -> Result<()> {
    on_gpu(|gpu| {
        for (name, part, step) in [
            ("steps", part(1, 0, &[0.0], &[1.0]), 1.0),
            ("cycles", part(1, 0, &[0.0], &[1.0]), 40.0),
            ("gradients", cahn_hilliard(), 0.5),
            ("unlike edges", part(2, 0, &[0.0; 4], &[0.0; 4]), 5.0),
        ] {
            let grid = Grid::new([11, 7], [1.0, 1.0], &Edge::Neumann);
            let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid)?);
            let f = part.fields;
            let mut systems = match f {
                2 => closed_and_fixed(gpu, [[11, 7]; 2], step)?,
                _ => {
                    let auxiliaries = (0..part.auxiliary).collect();
                    Systems::new(&[Group { volumes, fields: vec![0], auxiliaries }], &part, (1.0, step), &[])?
                }
            };
            let buffer = || gpu.buffer(11, 7).components(f);
            let small: Vec<f32> = numbers(77 * f, 3).iter().map(|&r| 1e-6 * r as f32).collect();
            // The fixed field has no R at its edges, where that would be given.
            let is_edge = |node: usize| (node % 11).is_multiple_of(10) || (node / 11).is_multiple_of(6);
            let small: Vec<f32> =
                small.iter().enumerate().map(|(at, &r)| if is_edge(at / f) { 0.0 } else { r }).collect();
            let (u, next, change) = (buffer().build()?, buffer().build()?, buffer().build()?);
            systems.solve(&buffer().init(&small)?, &u, [&next, &change], Some(1e-3))?;
            assert!(change.data()?.iter().any(|change| change.abs() > 1e-8), "{name}: {:?}", change.data()?);
            let known = systems.memory()?.1;
            let none = buffer().init(&vec![0.0; 77 * f])?;
            let effort = systems.solve(&none, &u, [&next, &change], Some(1e-3))?;
            assert!(change.data()?.iter().all(|change| *change == 0.0), "{name}: {:?}", change.data()?);
            assert!(effort.residual == Some(0.0) && !effort.is_short, "{name}: {effort:?}");
            assert_eq!(systems.memory()?.1, known, "{name}");
        }
        Ok(())
    })
}

/// A solve that is not looked at divides the residual by 1000, where the looks before were at an R of 0.
#[test]
fn steps_after_nothing_are_as_many_as_the_condition_wants() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Grid::new([16, 12], [1.0, 1.0], &Edge::Periodic);
        let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid)?);
        let mut solver = Coupled::new(&volumes, &part(1, 0, &[0.0], &[1.0]), (1.0, 3.9), &[])?;
        let r: Vec<f32> = numbers(192, 5).iter().map(|&r| r as f32).collect();
        let (u, next, change) =
            (gpu.buffer(16, 12).build()?, gpu.buffer(16, 12).build()?, gpu.buffer(16, 12).build()?);
        solver.solve(&gpu.buffer(16, 12).init(&[0.0; 192])?, &u, [&next, &change], Some(1e-3))?;
        let effort = solver.solve(&gpu.buffer(16, 12).init(&r)?, &u, [&next, &change], None)?;
        let delta: Vec<f64> = change.data()?.into_iter().map(f64::from).collect();
        let given: Vec<f64> = delta.iter().zip(volumes.multiply(&delta)).map(|(d, l)| d + 3.9 * l).collect();
        let r: Vec<f64> = r.into_iter().map(f64::from).collect();
        let left = relative(&given, &r);
        // A tenth more for roundings.
        assert!(left <= 1.1e-3 && effort.cycles == 0, "{left:e}, {effort:?}");
        Ok(())
    })
}

/// [`found`] with an R outside that must stay there.
fn found_somewhere(
    gpu: &Gpu,
    grid: &Grid,
    part: &LinearPart,
    system: (f64, f64),
    r: &[f64],
    inside: &dyn Fn(usize) -> bool,
) -> Result<(Vec<f64>, Effort, Vec<Block>)> {
    let (mut change, effort, blocks) = found(gpu, grid, part, system, r, 1e-5)?;
    for (node, change) in change.iter_mut().enumerate().filter(|(node, _)| !inside(*node)) {
        assert_eq!(*change, f64::from(1e20f32), "node {node} takes no part");
        *change = 0.0;
    }
    Ok((change, effort, blocks))
}

/// The sum of δ over all cells is taken out of fields that conserve; other fields are left as they are.
#[test]
fn the_change_of_fields_that_conserve_adds_up_to_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Grid::new([12, 8], [1.0, 0.7], &Edge::Neumann);
        let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid)?);
        for (part, conserves) in
            [(four(), [true, false, true, true]), (four_of_fourth_order(), [true, true, false, true])]
        {
            let buffer = || gpu.buffer(12, 8).components(4);
            let r: Vec<f32> = numbers(4 * 96, 5).iter().map(|&r| 0.3 + r as f32).collect();
            let (r, u) = (buffer().init(&r)?, buffer().init(&[0.0; 4 * 96])?);
            let solved = |conserves: &[bool]| -> Result<Vec<f64>> {
                let (next, change) = (buffer().build()?, buffer().build()?);
                let mut solver = Coupled::new(&volumes, &part, (1.0, 0.5), conserves)?;
                solver.solve(&r, &u, [&next, &change], Some(1e-5))?;
                Ok(change.data()?.into_iter().map(f64::from).collect())
            };
            let (free, kept) = (solved(&[])?, solved(&conserves)?);
            let cells = volumes.shares();
            for (field, conserves) in conserves.into_iter().enumerate() {
                let of = |all: &[f64]| all.iter().skip(field).step_by(4).copied().collect::<Vec<f64>>();
                let sum = |all: &[f64]| cells.iter().zip(all).map(|(cell, value)| cell * value).sum::<f64>();
                let (free, kept) = (of(&free), of(&kept));
                if !conserves {
                    assert_eq!(free, kept, "field {field} of {}", part.rows());
                    continue;
                }
                let size = free.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
                let mean = sum(&free) / cells.iter().sum::<f64>();
                assert!(mean.abs() > 0.02 * size, "nothing to take out of field {field}: {mean} of {size}");
                // Sums of 96 terms in 32 bits, of up to eight unknowns that may be larger than δ.
                for (free, kept) in free.iter().zip(&kept) {
                    assert!((free - mean - kept).abs() <= 2e-5 * size, "field {field} of {}", part.rows());
                }
            }
        }
        Ok(())
    })
}

/// Fields of unlike D make one system: the mean of δ is taken out of those that conserve, and of no other.
#[test]
fn fields_of_one_system_keep_their_mean_where_they_conserve() -> Result<()> {
    on_gpu(|gpu| {
        let grid = |d: f64| Grid {
            conductivity: Some((0..96).map(|node| d + 0.1 * f64::from(node % 5)).collect()),
            ..Grid::new([12, 8], [1.0, 0.7], &Edge::Neumann)
        };
        let mut groups = Vec::new();
        for (field, d) in [1.0, 0.4].into_iter().enumerate() {
            let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid(d))?);
            groups.push(Group { volumes, fields: vec![field], auxiliaries: Vec::new() });
        }
        let part = part(2, 0, &[0.0; 4], &[1.0, 0.4, -0.6, 2.0]);
        let buffer = || gpu.buffer(12, 8).components(2);
        let r: Vec<f32> = numbers(2 * 96, 5).iter().map(|&r| 0.3 + r as f32).collect();
        let (r, u) = (buffer().init(&r)?, buffer().init(&[0.0; 2 * 96])?);
        let solved = |conserves: &[bool]| -> Result<Vec<f64>> {
            let (next, change) = (buffer().build()?, buffer().build()?);
            let mut systems = Systems::new(&groups, &part, (1.0, 0.5), conserves)?;
            assert!(systems.is_joined());
            systems.solve(&r, &u, [&next, &change], Some(1e-5))?;
            assert_eq!(next.data()?, change.data()?);
            Ok(change.data()?.into_iter().map(f64::from).collect())
        };
        let (free, kept) = (solved(&[])?, solved(&[false, true])?);
        let cells = groups[0].volumes.shares();
        let sum = |all: &[f64], field: usize| -> f64 {
            cells.iter().zip(all.iter().skip(field).step_by(2)).map(|(cell, value)| cell * value).sum()
        };
        let mean = sum(&free, 1) / cells.iter().sum::<f64>();
        assert!(mean.abs() > 0.02, "nothing to take out: {mean}");
        for (free, kept) in free.chunks(2).zip(kept.chunks(2)) {
            assert_eq!(free[0], kept[0]);
            assert!((free[1] - mean - kept[1]).abs() <= 2e-5, "{} less {mean} is not {}", free[1], kept[1]);
        }
        Ok(())
    })
}

/// (V + sK) 1 = V: a constant comes back whole, where the entries of a row differ by 10⁶ and each rounds by a sixteenth of V.
#[test]
fn constants_are_kept_by_large_steps() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Grid::new([17, 12], [1.0, 0.7], &Edge::Neumann);
        let ones = vec![1.0; 17 * 12];
        let part = part(1, 0, &[0.0], &[0.3]);
        let (change, effort, _) = found(gpu, &grid, &part, (1.0, 1_111_111.1), &ones, 1e-5)?;
        let error = (change.iter().sum::<f64>() / ones.len() as f64 - 1.0).abs();
        // Rows that are 0.0625 off in their sum would be as much off here; roundings of the solve leave 0.006.
        assert!(error <= 0.02, "{error:.1e}, {effort:?}");
        Ok(())
    })
}

#[test]
fn blocks_are_told_in_their_order() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Grid::new([8, 8], [1.0, 1.0], &Edge::Neumann);
        let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid)?);
        let told = |part: LinearPart, step: f64| -> Result<String> {
            let solver = Coupled::new(&volumes, &part, (1.0, step), &[])?;
            Ok(solver.blocks().iter().map(Block::to_string).collect::<Vec<_>>().join("; "))
        };
        for (part, step, line) in [
            (cahn_hilliard(), 10.0, "1 + 20Λ + 10Λ²: real roots (1 + 19.49Λ)(1 + 0.5132Λ)"),
            (swift_hohenberg(), 0.5, "1 - 0.7407Λ + 0.3704Λ²: complex roots"),
            (part(2, 0, &[0.0; 4], &[0.0, 0.0, 0.0, 1250.0]), 1.0, "1 + 1250Λ: real root; 1: a division"),
            (wave(), 2.0, "1 + 4Λ + 0Λ²: real root 1 + 4Λ"),
        ] {
            assert_eq!(told(part, step)?, line);
        }
        Ok(())
    })
}

/// The Δt from which on an implicit part is singular: 1.5/r for Swift and Hohenberg's by differences of second order.
#[test]
fn the_largest_step_is_found() {
    let close = |found: Option<f64>, expected: f64| {
        assert!(found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-6), "{found:?}, {expected}");
    };
    let lambda = 8.0 / 0.785f64.powi(2);
    close(swift_hohenberg().largest_step(Scheme::Sbdf2, lambda), 5.0);
    close(swift_hohenberg().largest_step(Scheme::ImexEuler, lambda), 1.0 / 0.3);
    close(swift_hohenberg().largest_step(Scheme::Cnab2, lambda), 2.0 / 0.3);
    for part in [cahn_hilliard(), ginzburg_landau(10.0), wave(), gray_scott(), two_of_fourth_order()] {
        assert_eq!(part.largest_step(Scheme::Sbdf2, lambda), None);
    }
    // Backward diffusion grows most at Λmax.
    close(part(1, 0, &[0.0], &[-1.0]).largest_step(Scheme::ImexEuler, 8.0), 0.125);
}

#[test]
fn bad_grids_and_parts_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let refused = |grid: &Grid| refusal(FiniteVolumes::new(&algebra, grid));
        let grid = Grid::new([8, 8], [1.0, 1.0], &Edge::Neumann);
        let edges = |edge: Edge| [edge, Edge::Neumann, Edge::Neumann, Edge::Neumann];
        for (grid, line) in [
            (
                Grid { size: [2, 8], ..grid.clone() },
                "grid = 2x8 nodes: expected 3 nodes along an axis, or 1 along y",
            ),
            (Grid { spacing: [1.0, 0.0], ..grid.clone() }, "spacing = 0: expected a number above 0"),
            (
                Grid { edges: edges(Edge::Periodic), ..grid.clone() },
                "edges = periodic along x on one side: expected periodic on both sides of an axis or on none",
            ),
            (
                Grid { edges: edges(Edge::Robin(vec![-1.0])), ..grid.clone() },
                "robin = -1: expected 0 or more",
            ),
            (
                Grid { edges: edges(Edge::Robin(vec![1.0; 3])), ..grid.clone() },
                "edges = robin with 3 values: expected 1 or 8, one for each node of the side",
            ),
            (Grid { conductivity: Some(vec![1.0]), ..grid.clone() }, "conductivity = 1 nodes: expected 64"),
        ] {
            assert_eq!(refused(&grid), line);
        }
        let volumes = Rc::new(FiniteVolumes::new(&algebra, &grid)?);
        let made = |part: LinearPart| refusal(Coupled::new(&volumes, &part, (1.0, 1.0), &[]));
        assert_eq!(
            made(part(1, 0, &[1.0, 2.0], &[1.0])),
            "implicit part = 2 and 1 coefficients: expected 1 of 1 rows each"
        );
        assert_eq!(
            made(part(1, 0, &[1.0], &[1.0])),
            "implicit part = singular: expected equations that determine all fields"
        );
        assert_eq!(
            made(part(1, 0, &[0.0], &[-1.0])),
            "implicit part = 1 - Λ: real root: expected blocks above 0 for all Λ from 0 to 8"
        );
        Ok(())
    })
}
