//! How long a product takes in each storage, by costs that were measured and kept.

use quadrille::Limits;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Banded, DriverCosts};
use quadrille::numeric::Csr;

use super::storage::{Diagonals, MOST_DIAGONALS, SMALL, Storage, on_grid};
use crate::costs::Kept;
use crate::files::shown;

/// Diagonals that one pass takes on most drivers.
const BANDS_OF_A_PASS: usize = 14;

/// The storage whose product is the quickest, and a reason: how quick all of them are.
pub fn by_costs(csr: &Csr, limits: &Limits, kept: &Kept) -> quadrille::Result<(Storage, String)> {
    let mut estimates = estimates(csr, limits, kept)?;
    estimates.sort_by(|a, b| a.1.total_cmp(&b.1));
    let said: Vec<String> =
        estimates.iter().map(|(storage, ns)| format!("{storage} {}", duration(*ns))).collect();
    let reason = format!("a product takes about: {}; by the costs in {}", said.join(", "), shown(&kept.path));
    let storage = estimates.first().map_or(Storage::Gather, |first| first.0);
    Ok((storage, reason))
}

/// Nanoseconds of a product in each storage that the matrix fits.
fn estimates(csr: &Csr, limits: &Limits, kept: &Kept) -> quadrille::Result<Vec<(Storage, f64)>> {
    let costs = &kept.costs;
    let (rows, columns) = (Packed2x2::folded(csr.rows())?, Packed2x2::folded(csr.columns())?);
    let gather = costs.of_gather().of_product(csr, rows, columns, limits)? * costs.fetch;
    let mut estimates = vec![(Storage::Gather, gather)];
    let elements = csr.rows().saturating_mul(csr.columns());
    if elements <= SMALL {
        estimates.push((Storage::Dense, 2.0 * costs.pass + elements as f64 * costs.dense));
    }
    let diagonals = Diagonals::of(csr).offsets.len();
    if csr.rows() == csr.columns() && diagonals <= MOST_DIAGONALS {
        estimates.push((Storage::Banded, banded(costs, csr, on_grid(csr, limits)?)));
    }
    if let Some(points) = costs.points.filter(|_| limits.float_blend) {
        estimates.push((Storage::Points, 2.0 * costs.pass + csr.nonzeros() as f64 * points));
    }
    Ok(estimates)
}

/// As many diagonals a pass as there are streams for.
fn banded(costs: &DriverCosts, csr: &Csr, layout: Packed2x2) -> f64 {
    let (near, far) = Banded::near_and_far(layout, csr);
    let passes = (near + far).div_ceil(BANDS_OF_A_PASS).max(1);
    let row = near as f64 * costs.banded + far as f64 * costs.far_banded;
    passes as f64 * costs.pass + csr.rows() as f64 * row
}

fn duration(ns: f64) -> String {
    if ns < 1e6 { format!("{:.1} µs", ns / 1e3) } else { format!("{:.2} ms", ns / 1e6) }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use anyhow::Result;
    use quadrille_oracle::matrices;

    use super::*;

    const COSTS: DriverCosts = DriverCosts {
        pass: 5000.0,
        fetch: 0.04,
        texel: 0.3,
        copy: 0.1,
        packed: 0.02,
        banded: 0.02,
        far_banded: 0.08,
        dense: 0.02,
        points: Some(1.3),
        width: None,
    };

    fn chosen(costs: DriverCosts, csr: &Csr) -> Result<(Storage, String)> {
        let kept = Kept { costs, floors: None, path: PathBuf::from("costs.json") };
        let card = Limits { float_blend: true, ..Limits::GEFORCE_6800 };
        Ok(by_costs(csr, &card, &kept)?)
    }

    #[test]
    fn the_quickest_is_chosen_and_the_others_are_named() -> Result<()> {
        let grid = chosen(COSTS, &Csr::poisson(300, 300)?)?;
        assert_eq!(grid.0, Storage::Banded);
        assert!(grid.1.contains("gather") && grid.1.ends_with("by the costs in costs.json"));
        let anywhere = matrices::random(5000, 5000, 8, 8, 1)?;
        assert_eq!(chosen(COSTS, &anywhere)?.0, Storage::Gather);
        let cheap = DriverCosts { points: Some(1e-6), ..COSTS };
        assert_eq!(chosen(DriverCosts { pass: 1.0, ..cheap }, &anywhere)?.0, Storage::Points);
        let cheap = DriverCosts { dense: 1e-9, pass: 1.0, ..COSTS };
        assert_eq!(chosen(cheap, &matrices::random(400, 300, 30, 90, 1)?)?.0, Storage::Dense);
        Ok(())
    }
}
