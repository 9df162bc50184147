//! Solvers under the limits of old cards.

use super::support::{on_card, refusal};
use super::{banded, holds, numbers};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Dense, Points};
use quadrille::numeric::Csr;
use quadrille::solve::{FusedCg, Method, Preconditioning, Settings, solve};
use quadrille::{Limits, Result};
use quadrille_oracle::matrices;

#[test]
fn every_card_solves_in_the_storages_it_has() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            let algebra = Algebra::new(gpu);
            let (matrix, layout) = (matrices::positive_definite(60, 8, 1)?, Packed2x2::folded(60)?);
            let (bands, b) = (banded(gpu, &matrix)?, numbers(60, 1));
            assert!(bands.passes() > 1, "{} fetches split {} diagonals", card.fetches, bands.diagonals());
            let dense = Dense::from_csr(&algebra, layout, layout, &matrix)?;
            for method in [Method::Cg, Method::BiCgStab, Method::Cgls] {
                for preconditioner in [Preconditioning::None, Preconditioning::Jacobi] {
                    if method == Method::Cgls && preconditioner == Preconditioning::Jacobi {
                        continue;
                    }
                    let settings =
                        Settings { method, preconditioner, tolerance: 1e-8, ..Settings::default() };
                    let what = format!("{}, {settings:?}", card.name);
                    let solutions =
                        [solve(&bands, &b, None, &settings)?, solve(&dense, &b, None, &settings)?];
                    for solution in &solutions {
                        assert!(solution.report.converged(), "{what}: {:?}", solution.report);
                        if method != Method::Cgls {
                            holds(&matrix, &b, 1e-8, solution, &what);
                        }
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// One target is not enough for x, r and p: without being asked, one call is one formula again.
#[test]
fn one_target_falls_back_from_fused_to_plain() -> Result<()> {
    on_card(Limits::GEFORCE_FX, |gpu| {
        let (matrix, b) = (Csr::poisson(12, 12)?, numbers(144, 2));
        let a = banded(gpu, &matrix)?;
        let fused = solve(&a, &b, None, &Settings::default())?;
        let plain = solve(&a, &b, None, &Settings { fused: false, ..Settings::default() })?;
        assert_eq!(fused, plain);
        // Whoever insists is told what is missing.
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::folded(144)?;
        let line = refusal(FusedCg::new(&algebra, layout, None));
        let expected = "fused conjugate gradients needs three render targets and seven streams, which GEFORCE_FX does not offer";
        assert_eq!(line, expected);
        Ok(())
    })?;
    // Where there are four, fused is another iteration: its sums are others.
    on_card(Limits::GEFORCE_6800, |gpu| {
        let (matrix, b) = (Csr::poisson(12, 12)?, numbers(144, 2));
        let a = banded(gpu, &matrix)?;
        let passes = |fused: bool| -> Result<u64> {
            let settings = Settings { fused, check_every: 0, max_iterations: 20, ..Settings::default() };
            solve(&a, &b, None, &settings)?;
            let before = gpu.counters().passes;
            solve(&a, &b, None, &settings)?;
            Ok(gpu.counters().passes - before)
        };
        assert!(passes(true)? < passes(false)?);
        Ok(())
    })
}

#[test]
fn few_streams_fall_back_from_fused_to_plain() -> Result<()> {
    for streams in [4, 5, 6, 7] {
        on_card(Limits { streams, ..Limits::GEFORCE_6800 }, |gpu| {
            let (matrix, b) = (Csr::poisson(12, 12)?, numbers(144, 2));
            for preconditioner in [Preconditioning::None, Preconditioning::Jacobi] {
                let settings = Settings { preconditioner, ..Settings::default() };
                let solution = solve(&banded(gpu, &matrix)?, &b, None, &settings)?;
                holds(&matrix, &b, settings.tolerance, &solution, &format!("{streams} streams"));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Points in rounds, which no card of the time could blend.
#[test]
fn points_solve_on_cards_that_cannot_blend() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            let (layout, matrix) = (Packed2x2::folded(60)?, matrices::positive_definite(60, 8, 1)?);
            let points = Points::new(&Algebra::new(gpu), layout, layout, matrix.clone())?;
            let (b, settings) = (numbers(60, 1), Settings { tolerance: 1e-8, ..Settings::default() });
            holds(&matrix, &b, 1e-8, &solve(&points, &b, None, &settings)?, card.name);
            Ok(())
        })?;
    }
    Ok(())
}
