//! The levels of multigrid, against the triple product in f64, and the laws of what leads from one to the next.

use super::multigrid::System;
use super::support::{Random, on_card, on_gpu, refusal};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, BoundaryCondition, LinearOperator, NinePoint};
use quadrille::numeric::Csr;
use quadrille::solve::{Coarsest, Cycle, Missing, Multigrid};
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::multigrid::{helmholtz, levels, magnitudes};

/// All levels down to 3×3 nodes are P A S, to 1e-5 of the sum of |terms|, and have no entry besides.
fn check(gpu: &Gpu, size: [u32; 2], periodic: [bool; 2], matrix: &Csr, missing: Missing) -> Result<()> {
    let system = System::of(gpu, size, periodic, matrix.clone(), missing)?;
    let multigrid = Multigrid::with(&system.a, missing, Cycle::default(), Coarsest::Sweeps)?;
    check_levels(&multigrid, (size, periodic), matrix, missing)
}

fn check_levels(
    multigrid: &Multigrid,
    (size, periodic): ([u32; 2], [bool; 2]),
    matrix: &Csr,
    missing: Missing,
) -> Result<()> {
    let expected = levels(matrix.clone(), size.map(|side| side as usize), periodic, missing, 3)?;
    assert_eq!(multigrid.levels(), expected.len(), "{size:?}");
    for (pair, found) in expected.windows(2).zip(multigrid.matrices().skip(1)) {
        let layout = found.rows();
        assert_eq!([layout.width() as usize, layout.height() as usize], pair[1].size);
        let around = [periodic[0] && layout.width() > 1, periodic[1] && layout.height() > 1];
        assert_eq!(found.periodic(), around, "{size:?} {layout}: one node is no neighbour of its own");
        let Some(s) = &pair[1].interpolation else { continue };
        let (exact, found, terms) = (&pair[1].matrix, found.matrix()?, magnitudes(&pair[0].matrix, s)?);
        for (row, column, _) in exact.triplets().chain(found.triplets()) {
            let (value, expected) = (found.entry(row, column), exact.entry(row, column));
            let what = format!("{size:?} {periodic:?} {missing:?} {layout}, entry ({row}, {column})");
            let bound = 1e-5 * terms.entry(row, column);
            assert!((value - expected).abs() <= bound, "{what}: {value} instead of {expected}");
        }
    }
    Ok(())
}

const SIZES: [[u32; 2]; 13] = [
    [33, 33],
    [17, 9],
    [16, 16],
    [7, 12],
    [31, 23],
    [1, 20],
    [20, 1],
    [2, 33],
    [12, 2],
    [3, 40],
    [5, 4],
    [10, 14],
    [6, 37],
];

#[test]
fn coarse_matrices_are_the_triple_product_at_every_size_and_edge() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            let [w, h] = size.map(|side| side as usize);
            for boundary in
                [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann, BoundaryCondition::Periodic]
            {
                if boundary == BoundaryCondition::Dirichlet && w.min(h) < 3 {
                    continue;
                }
                let matrix = helmholtz(w, h, boundary, 0.125)?;
                let missing =
                    if boundary == BoundaryCondition::Dirichlet { Missing::Fixed } else { Missing::Absent };
                check(gpu, size, [boundary == BoundaryCondition::Periodic; 2], &matrix, missing)?;
            }
        }
        Ok(())
    })
}

/// Levels of a uniform matrix are the triple product too, and uniform as far as sides are even; a cycle's numbers are those of
/// the same matrix held by vectors.
#[test]
fn uniform_levels_are_the_triple_product_and_cycle_as_vectors_do() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let sizes: [([u32; 2], usize); 8] = [
            ([64, 64], 6),
            ([48, 20], 3),
            ([40, 1], 4),
            ([1, 24], 4),
            ([34, 64], 2),
            ([33, 32], 1),
            ([31, 17], 1),
            ([8, 2], 1),
        ];
        for (size, alike) in sizes {
            let [w, h] = size.map(|side| side as usize);
            let matrix = helmholtz(w, h, BoundaryCondition::Periodic, 0.125)?;
            // That of a line has neighbours along its axis alone.
            let along = size.map(|side| if side > 1 { -1.0 } else { 0.0 });
            let own = 0.125 - 2.0 * (along[0] + along[1]);
            let entries = [0.0, along[1], 0.0, along[0], own, along[0], 0.0, along[1], 0.0];
            let layout = Packed2x2::grid(size[0], size[1])?;
            let a = NinePoint::uniform(&algebra, layout, entries)?;
            let made =
                |a: &NinePoint| Multigrid::with(a, Missing::Absent, Cycle::default(), Coarsest::Sweeps);
            let multigrid = made(&a)?;
            let count = multigrid.matrices().take_while(|a| a.uniform_entries().is_some()).count();
            assert_eq!(count, alike, "{size:?}");
            check_levels(&multigrid, (size, [true; 2]), &matrix, Missing::Absent)?;
            let held = NinePoint::from_csr(&algebra, layout, [true; 2], &matrix)?;
            assert!(held.uniform_entries().is_none());
            let b = algebra.vector(layout, &Random(7).floats(layout.len()))?;
            let cycled = |a: &NinePoint| -> Result<Vec<f32>> {
                let (multigrid, mut x) = (made(a)?, algebra.zeros(layout)?);
                multigrid.cycle(&b, &mut x)?;
                multigrid.cycle(&b, &mut x)?;
                x.get()
            };
            let (found, expected) = (cycled(&a)?, cycled(&held)?);
            // 1/0.125 is the most that A⁻¹ makes of a rounding of b, which is below 1; all sweeps have 50 of those.
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() <= 50.0 * 8.0 * 6e-8, "{size:?}: {found} beside {expected}");
            }
        }
        Ok(())
    })
}

/// Nine entries anywhere between −1 and 1, not symmetric, a quarter of the nodes without a row.
pub fn random(size: [u32; 2], periodic: [bool; 2], seed: u64) -> Result<Csr> {
    let mut random = Random(seed);
    let sides = size.map(i64::from);
    let there: Vec<bool> = (0..sides[0] * sides[1]).map(|_| random.below(4) > 0).collect();
    let mut entries = Vec::new();
    for (own, _) in there.iter().enumerate().filter(|(_, there)| **there) {
        let place = [own as i64 % sides[0], own as i64 / sides[0]];
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let step = |axis: usize, by: i64| match place[axis] + by {
                to if periodic[axis] => Some(to.rem_euclid(sides[axis])),
                to => (0..sides[axis]).contains(&to).then_some(to),
            };
            if let (Some(x), Some(y)) = (step(0, dx), step(1, dy)) {
                let value = f64::from(random.signed()) + if (dx, dy) == (0, 0) { 4.0 } else { 0.0 };
                entries.push((own, (y * sides[0] + x) as usize, value));
            }
        }
    }
    Csr::from_triplets(there.len(), there.len(), entries)
}

#[test]
fn so_they_are_of_any_entries_with_nodes_missing_and_sides_mixed() -> Result<()> {
    on_gpu(|gpu| {
        for size in [[9, 9], [13, 8], [6, 11], [16, 5]] {
            for periodic in [[false, false], [true, false], [false, true], [true, true]] {
                for missing in [Missing::Absent, Missing::Fixed] {
                    check(gpu, size, periodic, &random(size, periodic, 3)?, missing)?;
                }
            }
        }
        Ok(())
    })
}

/// Restriction and prolongation of every unit vector, entry against entry: powers of two, so to the bit.
#[test]
fn restriction_is_a_quarter_of_the_transposed_prolongation_to_the_bit() -> Result<()> {
    on_gpu(|gpu| {
        for (size, periodic) in
            [([9, 7], false), ([6, 8], false), ([6, 8], true), ([7, 4], true), ([2, 10], true)]
        {
            for missing in [Missing::Absent, Missing::Fixed] {
                let matrix = random(size, [periodic; 2], 5)?;
                let takes_part: Vec<bool> = matrix.diagonal().iter().map(|&d| d != 0.0).collect();
                let system = System::of(gpu, size, [periodic; 2], matrix, missing)?;
                let multigrid = Multigrid::with(&system.a, missing, Cycle::default(), Coarsest::Sweeps)?;
                let matrices: Vec<&NinePoint> = multigrid.matrices().collect();
                let (coarse, corrected) = (matrices[1].rows(), matrices[1].diagonal());
                let unit = |layout: Packed2x2, at: usize| {
                    let values: Vec<f32> = (0..layout.len()).map(|i| f32::from(u8::from(i == at))).collect();
                    system.a.algebra().vector(layout, &values)
                };
                let mut s = Vec::new();
                for column in 0..coarse.len() {
                    s.push(multigrid.prolong(0, &unit(coarse, column)?)?.get()?);
                }
                for (row, &there) in takes_part.iter().enumerate() {
                    if !there {
                        assert!(s.iter().all(|s| s[row] == 0.0), "{size:?} {periodic} {row}");
                        continue;
                    }
                    let p = multigrid.restrict(0, &unit(system.a.rows(), row)?)?.get()?;
                    for (column, (p, s)) in p.iter().zip(&s).enumerate() {
                        // A coarse node that takes no part gets nothing: its e is 0.
                        let expected = if corrected[column] == 0.0 { 0.0 } else { 0.25 * s[row] };
                        assert_eq!(*p, expected, "{size:?} {periodic} ({row}, {column})");
                    }
                }
            }
        }
        Ok(())
    })
}

#[test]
fn prolongation_keeps_constants_everywhere_and_restriction_at_inner_nodes() -> Result<()> {
    on_gpu(|gpu| {
        for (size, boundary) in [
            ([17, 9], BoundaryCondition::Neumann),
            ([10, 13], BoundaryCondition::Neumann),
            ([1, 12], BoundaryCondition::Neumann),
            ([2, 2], BoundaryCondition::Neumann),
            ([10, 12], BoundaryCondition::Periodic),
            ([9, 7], BoundaryCondition::Periodic),
        ] {
            let system = System::new(gpu, size, boundary, 0.5)?;
            let multigrid = Multigrid::with(&system.a, Missing::Absent, Cycle::default(), Coarsest::Sweeps)?;
            let layouts: Vec<Packed2x2> = multigrid.matrices().map(LinearOperator::rows).collect();
            for (level, pair) in layouts.windows(2).enumerate() {
                let ones = |layout: Packed2x2| system.a.algebra().vector(layout, &vec![1.0; layout.len()]);
                let above = multigrid.prolong(level, &ones(pair[1])?)?.get()?;
                assert_eq!(above, vec![1.0; pair[0].len()], "{size:?} {boundary:?}");
                let below = multigrid.restrict(level, &ones(pair[0])?)?.get()?;
                let inner = |i: usize| {
                    let (x, y) = pair[1].place(i);
                    let within = |at: u32, fine: u32| at > 0 && 2 * at + 1 < fine;
                    within(x, pair[0].width()) && within(y, pair[0].height())
                };
                for (i, value) in below.into_iter().enumerate().filter(|(i, _)| inner(*i)) {
                    assert_eq!(value, 1.0, "{size:?} {boundary:?} {i}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_card_of_2002_makes_the_same_levels() -> Result<()> {
    let entries = |gpu: &Gpu| -> Result<Vec<Csr>> {
        let a = NinePoint::poisson(&Algebra::new(gpu), Packed2x2::grid(33, 20)?, BoundaryCondition::Neumann)?;
        let multigrid = Multigrid::new(&a, Missing::Absent, Cycle::default())?;
        multigrid.matrices().map(|matrix| matrix.matrix().cloned()).collect()
    };
    let mut all = Vec::new();
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX] {
        on_card(card, |gpu| {
            all.push(entries(gpu)?);
            Ok(())
        })?;
    }
    assert_eq!(all[0], all[1]);
    on_gpu(|gpu| {
        assert_eq!(all[0], entries(gpu)?);
        Ok(())
    })
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let system = System::new(gpu, [17, 17], BoundaryCondition::Neumann, 0.0)?;
        let algebra = system.a.algebra();
        let make = |cycle: Cycle| Multigrid::new(&system.a, Missing::Absent, cycle).map(drop);
        let line = refusal(make(Cycle { visits: 0, ..Cycle::default() }));
        assert_eq!(line, "visits = 0: expected 1 for a V-cycle, 2 for a W-cycle");
        let line = refusal(make(Cycle { before: 0, after: 0, ..Cycle::default() }));
        assert_eq!(line, "sweeps = none before or after: expected one at least");
        let line = refusal(make(super::multigrid::jacobi(1.5)));
        assert_eq!(line, "damping = 1.5: expected a number above 0, 1 at most");
        let mut multigrid = Multigrid::new(&system.a, Missing::Absent, Cycle::default())?;
        let other = NinePoint::poisson(algebra, Packed2x2::grid(16, 17)?, BoundaryCondition::Neumann)?;
        let line = refusal(multigrid.rebuild(&other));
        assert!(line.starts_with("matrix of multigrid: "), "{line}");
        let (b, mut x) = (system.zeros()?, algebra.zeros(other.rows())?);
        let line = refusal(multigrid.cycle(&b, &mut x));
        assert!(line.contains("16x17"), "{line}");
        let line = refusal(multigrid.restrict(1, &b));
        assert_eq!(line, "level = 1: expected less than 1, the coarsest");
        for nodes in [3, Coarsest::MOST_NODES + 1] {
            let coarsest = Coarsest::Direct { nodes };
            let line =
                refusal(Multigrid::with(&system.a, Missing::Absent, Cycle::default(), coarsest).map(drop));
            assert!(line.starts_with(&format!("coarsest nodes = {nodes}: expected 4 to 4096")), "{line}");
        }
        Ok(())
    })
}
