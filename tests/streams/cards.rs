//! Arrays and images on old cards: the same bits as on the card that is there.

use quadrille::streams::{Bins, By, Equalise, PrefixSum, Pyramid, Sort};
use quadrille::{Gpu, Limits, Result};

use crate::support::{Random, on_card, on_gpu};

/// The results of a prefix sum, both sorts, an equalisation and a pyramid of the same numbers, one after the other.
fn made(gpu: &Gpu) -> Result<Vec<f32>> {
    let n = 1021;
    let numbers = Random(21).floats(n);
    let (array, sums) = (gpu.array(n).init(&numbers)?, gpu.array(n).build()?);
    PrefixSum::new(gpu, n)?.exclusive(&array, &sums)?;
    let mut all = sums.data()?;
    Sort::pairs(gpu, n)?.sort_pairs(&array, &sums)?;
    all.extend([array.data()?, sums.data()?].concat());
    Sort::keys(gpu, n)?.sort(&sums)?;
    all.extend(sums.data()?);
    let image = gpu.buffer(31, 23).init(&numbers[..31 * 23])?;
    let next = gpu.buffer(31, 23).build()?;
    let bins = Bins { count: 64, low: -1.0, high: 1.0 };
    Equalise::new(gpu, 31, 23, bins, By::Gather)?.run(&image, &next, 1.0)?;
    all.extend(next.data()?);
    let mut pyramid = Pyramid::new(gpu, 31, 23, 1)?;
    pyramid.build(&image)?;
    pyramid.split()?;
    pyramid.reconstruct(&next)?;
    for k in 1..pyramid.len() {
        all.extend(pyramid.level(k).data()?);
    }
    all.extend(next.data()?);
    Ok(all)
}

#[test]
fn old_cards_sum_sort_and_scale_to_the_same_bits() -> Result<()> {
    let mut expected = Vec::new();
    on_gpu(|gpu| {
        expected = made(gpu)?;
        Ok(())
    })?;
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            assert!(made(gpu)? == expected, "{}", card.name);
            Ok(())
        })?;
    }
    Ok(())
}
