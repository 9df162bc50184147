//! Entries that somebody else writes: from a pattern to a product.

use super::{Costs, Product, lay_out};
use crate::linalg::{Algebra, Op, Packed2x2};
use crate::reference::{Csr, matrices};
use crate::{Gpu, Result};

#[test]
fn a_pattern_whose_entries_are_written_afterwards_multiplies() -> Result<()> {
    let gpu = Gpu::headless()?;
    let algebra = Algebra::new(&gpu);
    let pattern =
        Csr::from_triplets(90, 90, matrices::random(90, 90, 0, 40, 3)?.triplets().chain([(0, 0, 1.0)]))?;
    let layout = Packed2x2::folded(90)?;
    for costs in [Costs::default(), Costs { pass: 0.0, ..Costs::default() }] {
        let product = Product::new(&algebra, layout, layout, &pattern, &costs)?;
        let (x, mut out) = (algebra.vector(layout, &[1.0; 90])?, algebra.vector(layout, &[7.0; 90])?);
        product.apply(Op::Null, &x, &mut out)?;
        assert_eq!(out.get()?, [0.0; 90], "as made it holds zeros");

        // What a pass would draw into each sheet: 1 for each entry, 0 where a row has no slot.
        let ones = lay_out(product.plan(), &pattern, 0.0, |_| 0.0, |_, _, _| 1.0);
        for (sheet, ones) in product.sheets().iter().zip(&ones) {
            sheet.entries().upload(sheet.entries().shape().rect(), ones)?;
        }
        product.apply(Op::Null, &x, &mut out)?;
        let others = |row: usize| pattern.row(row).filter(|entry| entry.0 != row).count() as f32;
        assert_eq!(out.get()?, (0..90).map(others).collect::<Vec<f32>>());

        let Some(diagonal) = product.diagonal() else { continue };
        diagonal.upload(diagonal.shape().rect(), &layout.pack(&[0.5; 90], 0.0)?)?;
        product.apply(Op::Null, &x, &mut out)?;
        assert_eq!(out.get()?, (0..90).map(|row| others(row) + 0.5).collect::<Vec<f32>>());
    }
    Ok(())
}

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
