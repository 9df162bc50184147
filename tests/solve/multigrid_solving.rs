//! Multigrid as a solver and around it: tolerances, refinement, jumps of coefficients, obstacles, old cards.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::multigrid::{RED_BLACK, System, conducting, jacobi, wide};
use super::support::{Random, on_card, on_gpu};
use super::{holds, norm};
use quadrille::linalg::{BoundaryCondition, LinearOperator, Vector};
use quadrille::numeric::Csr;
use quadrille::solve::{
    Bounds, Cg, Cycle, Iteration, Missing, Multigrid, Outcome, Pcg, Reason, Settings, Solution, iterate,
    solve_by,
};
use quadrille::{Gpu, Limits, Result};

fn around(system: &System, cycle: Cycle, tolerance: f64) -> Result<Solution> {
    let multigrid = Multigrid::new(&system.a, system.missing, cycle)?;
    let method = Pcg::new(system.a.algebra(), system.a.rows(), multigrid)?;
    solved(system, Box::new(method), tolerance)
}

fn solved(system: &System, method: Box<dyn Iteration>, tolerance: f64) -> Result<Solution> {
    let b: Vec<f64> = system.b.iter().map(|&b| f64::from(b)).collect();
    let settings = Settings { tolerance, max_iterations: 400, check_every: 2, ..Settings::default() };
    solve_by(method, &system.a, &b, None, &settings, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn conjugate_gradients_around_it_take_jumps_of_a_thousand() -> Result<()> {
    on_gpu(|gpu| {
        let size = [65, 65];
        let mut random = Random(7);
        let anywhere: Vec<f64> = (0..65 * 65).map(|_| 10f64.powf(3.0 * f64::from(random.unit()))).collect();
        let squares = |side: usize| {
            move |i: usize, j: usize| if (i / side + j / side).is_multiple_of(2) { 1000.0 } else { 1.0 }
        };
        let matrices = [
            conducting(size, squares(13), 0.001)?,
            conducting(size, squares(8), 0.001)?,
            conducting(size, |i, j| anywhere[j * 65 + i], 0.001)?,
        ];
        for (place, matrix) in matrices.into_iter().enumerate() {
            let system = System::of(gpu, size, [false; 2], matrix, Missing::Absent)?;
            for cycle in [Cycle::default(), RED_BLACK] {
                let solution = around(&system, cycle, 1e-6)?;
                holds(&system.matrix, &wide(&system.b), 1e-6, &solution, &format!("matrix {place}"));
                assert!(solution.report.iterations <= 60, "{place}: {}", solution.report.iterations);
            }
        }
        Ok(())
    })
}

/// Returns true for a solid node.
type Solid<'a> = &'a dyn Fn(usize, usize) -> bool;

#[test]
fn obstacles_of_every_kind_are_solved_around() -> Result<()> {
    on_gpu(|gpu| {
        let size = [45, 38];
        let mut random = Random(8);
        let anywhere: Vec<bool> = (0..45 * 38).map(|_| random.below(5) == 0).collect();
        let ring = |i: usize, j: usize| {
            let square = (i as i64 - 20).pow(2) + (j as i64 - 18).pow(2);
            (100..170).contains(&square)
        };
        let solids: [(&str, Solid); 4] = [
            ("box", &|i, j| (10..20).contains(&i) && (10..20).contains(&j)),
            ("anywhere", &|i, j| anywhere[j * 45 + i]),
            ("closed ring", &ring),
            ("corridors on odd rows", &|i, j| i % 11 != 3 && j % 6 != 5),
        ];
        for (name, solid) in solids {
            let open = |i: usize, j: usize| if solid(i, j) { 0.0 } else { 1.0 };
            let matrix = conducting(size, open, 0.0)?;
            let system = System::of(gpu, size, [false; 2], matrix, Missing::Absent)?;
            for cycle in [Cycle::default(), RED_BLACK] {
                let solution = around(&system, cycle, 1e-5)?;
                holds(&system.matrix, &wide(&system.b), 1e-5, &solution, name);
                assert!(solution.report.iterations <= 40, "{name}: {}", solution.report.iterations);
            }
        }
        Ok(())
    })
}

#[test]
fn refinement_reaches_what_32_bits_cannot() -> Result<()> {
    on_gpu(|gpu| {
        for boundary in [BoundaryCondition::Dirichlet, BoundaryCondition::Periodic] {
            let system = System::new(gpu, [65, 64], boundary, 0.0625)?;
            let method = Multigrid::new(&system.a, system.missing, Cycle::default())?;
            let solution = solved(&system, Box::new(method), 1e-12)?;
            holds(&system.matrix, &wide(&system.b), 1e-12, &solution, "cycles");
            assert!(
                solution.report.refinements >= 1 && solution.report.iterations <= 40,
                "{:?}",
                solution.report
            );
            let solution = around(&system, Cycle::default(), 1e-12)?;
            holds(&system.matrix, &wide(&system.b), 1e-12, &solution, "conjugate gradients");
            assert!(solution.report.iterations <= 30, "{:?}", solution.report);
        }
        Ok(())
    })
}

fn outcome(system: &System, method: &mut dyn Iteration, tolerance: f32) -> Result<(Outcome, Vector)> {
    let (b, mut x) = (system.vector(&system.b)?, system.zeros()?);
    let bounds = Bounds { tolerance, max_iterations: 100, check_every: 1 };
    let outcome = iterate(method, &system.a, &b, &mut x, bounds, &mut |_, _| true)?;
    Ok((outcome, x))
}

#[test]
fn cycles_are_an_iteration_like_the_others() -> Result<()> {
    on_gpu(|gpu| {
        let system = System::new(gpu, [33, 50], BoundaryCondition::Neumann, 0.0)?;
        let mut method = Multigrid::new(&system.a, system.missing, Cycle::default())?;
        let (found, x) = outcome(&system, &mut method, 1e-4)?;
        assert_eq!(found.reason, Reason::Converged);
        assert!(
            (3..=6).contains(&found.iterations) && found.history.len() == found.iterations + 1,
            "{found:?}"
        );
        // Cycles after the tolerance is met change nothing.
        let b = system.vector(&system.b)?;
        let mut r = system.zeros()?;
        system.a.residual(&x, &b, &mut r)?;
        let relative = norm(&wide(&r.get()?)) / norm(&wide(&system.b));
        assert!((relative - found.residual()).abs() <= 1e-3 * relative, "{relative:e}, {found:?}");
        // Nine cycles reach what 32 bits hold. Rounding takes a last tenth off its square by the twelfth at most; as many again show that no
        // more follows, and a look takes two.
        let (found, _) = outcome(&system, &mut method, 1e-12)?;
        assert!(found.reason == Reason::Stalled && found.iterations <= 12 + 12 + 1 + 2, "{found:?}");
        // To the cycle: the first that comes more than eight after the newest one whose square was a tenth less than all before
        // (or more than as many again as it took to get there), and two that it takes to see that.
        let (mut least, mut least_at) = (f64::INFINITY, 0);
        let stalled = found.history.iter().enumerate().position(|(at, residual)| {
            let stalls = at > least_at + least_at.max(8);
            if residual * residual < 0.9 * least {
                (least, least_at) = (residual * residual, at);
            }
            stalls
        });
        assert_eq!(stalled.map(|at| at + 2), Some(found.iterations), "{found:?}");
        let empty =
            System::of(gpu, [33, 50], [false; 2], Csr::from_triplets(1650, 1650, [])?, Missing::Absent)?;
        method.rebuild(&empty.a)?;
        let (found, _) = outcome(&empty, &mut method, 1e-4)?;
        assert_eq!((found.reason, found.iterations), (Reason::Converged, 0));
        Ok(())
    })
}

/// The last and the first coarse node of an odd periodic side are ever nearer to each other than to their other
/// neighbours: found in f64 before, a V-cycle leaves up to a half, a W-cycle an eighth, and conjugate gradients do not care.
#[test]
fn odd_periodic_sides_are_slower_and_conjugate_gradients_help() -> Result<()> {
    on_gpu(|gpu| {
        for size in [[65, 65], [31, 57], [5, 200], [17, 129]] {
            let system = System::new(gpu, size, BoundaryCondition::Periodic, 0.0)?;
            for (visits, least) in [(1, 1.8), (2, 7.0)] {
                let cycle = Cycle { visits, ..Cycle::default() };
                let multigrid = Multigrid::new(&system.a, system.missing, cycle)?;
                let (fall, _) = system.least_fall(&multigrid)?;
                assert!(fall >= least, "{size:?}, {visits} visits: {fall}");
            }
            let solution = around(&system, Cycle::default(), 1e-5)?;
            holds(&system.matrix, &wide(&system.b), 1e-5, &solution, "periodic");
            assert!(solution.report.iterations <= 12, "{size:?}: {}", solution.report.iterations);
        }
        Ok(())
    })
}

#[test]
fn old_cards_make_the_same_cycle() -> Result<()> {
    let cycle = |gpu: &Gpu| -> Result<Vec<f32>> {
        let system = System::new(gpu, [33, 26], BoundaryCondition::Dirichlet, 0.0)?;
        let multigrid = Rc::new(Multigrid::new(&system.a, Missing::Fixed, jacobi(0.8))?);
        let (b, mut x) = (system.vector(&system.b)?, system.zeros()?);
        multigrid.cycle(&b, &mut x)?;
        // One target, so conjugate gradients go line by line, around a cycle that is shared.
        let mut method = Cg::with(system.a.algebra(), system.a.rows(), multigrid.clone())?;
        let (found, _) = outcome(&system, &mut method, 1e-5)?;
        assert!(found.reason == Reason::Converged && found.iterations <= 9, "{found:?}");
        x.get()
    };
    let mut all = Vec::new();
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            all.push(cycle(gpu)?);
            Ok(())
        })?;
    }
    // No more than the sums of the dense inverse, of 9×8 nodes, is cut differently: 72 roundings of Σ|terms|. Sweeps do not make
    // |b| ≤ 8 larger, and A⁻¹ makes 8²/8 of 1 between two sides, 16 times as much two levels down.
    let bound = 72.0 * 2f32.powi(-24) * 8.0 * 16.0 * 8.0;
    for other in &all[1..] {
        assert!(other.iter().zip(&all[0]).all(|(a, b)| (a - b).abs() <= bound));
    }
    Ok(())
}
