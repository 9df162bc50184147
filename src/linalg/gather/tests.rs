//! Where entries lie.

use super::Costs;
use crate::Result;
use crate::linalg::Packed2x2;
use crate::reference::matrices;

#[test]
fn every_entry_has_a_place_of_its_own() -> Result<()> {
    let pattern = matrices::random(70, 50, 0, 30, 5)?;
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
