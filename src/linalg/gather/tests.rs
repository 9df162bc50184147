//! Where entries lie.

use super::Costs;
use crate::linalg::Packed2x2;
use crate::numeric::{Csr, Random};
use crate::{Limits, Result};

const COSTS: Costs = Costs { pass: 10.0, texel: 2.0, copy: 1.0, packed: 0.5, width: None };

/// The sums of the formulas by hand: 6 fetches a slot of four rows, 5 to bring four sums home.
#[test]
fn passes_cost_what_their_fetches_add_up_to() {
    assert_eq!(COSTS.class(5, 3), 10.0 + 5.0 * (2.0 + 6.0 * 3.0));
    assert_eq!(COSTS.order(5), 10.0 + 5.0 * (2.0 + 5.0));
    assert!(COSTS.copies(10, 41), "20 to copy, 20.5 to fetch out of texels of four");
    assert!(!COSTS.copies(10, 40), "the same");
    assert!(!COSTS.copies(10, 39));
}

#[test]
fn a_product_costs_its_plan_and_the_cheaper_way_to_x() -> Result<()> {
    // 16 rows of three entries, off a diagonal that is apart: four groups of three slots in place.
    let entries = (0..48).map(|k| (k / 3, (k / 3 + 1 + k % 3) % 16, 1.0));
    let (matrix, layout) = (Csr::from_triplets(16, 16, entries)?, Packed2x2::grid(4, 4)?);
    let of = |costs: Costs| costs.of_product(&matrix, layout, layout, &Limits::GEFORCE_6800);
    let slots = super::Plan::new(&matrix, layout, layout, 4096, &COSTS)?.slots() as f64;
    assert_eq!(of(COSTS)?, COSTS.class(4, 3) + 0.5 * slots);
    let dear = Costs { packed: 1e3, ..COSTS };
    assert_eq!(of(dear)?, COSTS.class(4, 3) + 10.0 + 16.0);
    Ok(())
}

#[test]
fn every_entry_has_a_place_of_its_own() -> Result<()> {
    let mut random = Random(5);
    let mut row = |row| random.subset(50, row % 31).into_iter().map(move |column| (row, column, 1.0));
    let pattern = Csr::from_triplets(70, 50, (0..70).flat_map(&mut row))?;
    let (rows, columns) = (Packed2x2::folded(70)?, Packed2x2::folded(50)?);
    for (limit, pass) in [(2048, 0.0), (2048, 1e12), (40, 1e12), (64, 1e3)] {
        let plan = super::Plan::new(&pattern, rows, columns, limit, &Costs { pass, ..Costs::default() })?;
        let mut seen = std::collections::HashSet::new();
        for row in 0..70 {
            let length = pattern.row(row).count();
            for slot in 0..length {
                let place = plan.place(row, slot);
                assert!(place.is_some(), "row {row}, slot {slot}");
                let Some(place) = place else { continue };
                let texels = plan.rectangles()[place.rectangle].texels();
                assert!(
                    place.texel.0 < texels.0 && place.texel.1 < texels.1 && texels.0.max(texels.1) <= limit
                );
                assert!(seen.insert((place.rectangle, place.texel, place.channel)));
            }
        }
    }
    Ok(())
}
