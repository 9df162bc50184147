//! Bitonic sort.

use quadrille::streams::Sort;
use quadrille::{Gpu, Result};
use quadrille_oracle::streams::{bitonic, exchange, order};

use crate::support::{Random, on_gpu};
use crate::{LENGTHS, LONG};

/// The same numbers, NaN equal to NaN.
fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

fn sorted(keys: &[f32]) -> Vec<f32> {
    let mut keys = keys.to_vec();
    keys.sort_by(order);
    keys
}

fn check_keys(gpu: &Gpu, keys: &[f32]) -> Result<()> {
    let array = gpu.array(keys.len()).init(keys)?;
    Sort::keys(gpu, keys.len())?.sort(&array)?;
    assert!(same(&array.data()?, &sorted(keys)), "{} keys", keys.len());
    Ok(())
}

/// Every value is its key's place before, so it tells where the key came from, and none is lost.
fn check_pairs(gpu: &Gpu, keys: &[f32]) -> Result<()> {
    let n = keys.len();
    let places: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (array, values) = (gpu.array(n).init(keys)?, gpu.array(n).init(&places)?);
    Sort::pairs(gpu, n)?.sort_pairs(&array, &values)?;
    assert!(same(&array.data()?, &sorted(keys)), "keys of {n} pairs");
    let mut came_from = values.data()?;
    let carried: Vec<f32> = came_from.iter().map(|&place| keys[place as usize]).collect();
    assert!(same(&array.data()?, &carried), "values of {n} pairs");
    came_from.sort_by(order);
    assert!(came_from == places, "a value of {n} is lost");
    Ok(())
}

/// Half of them have an equal among so few.
fn with_equals(n: usize) -> Vec<f32> {
    let mut random = Random(n as u64);
    (0..n).map(|i| if i % 2 == 0 { random.below(n) as f32 } else { random.signed() * n as f32 }).collect()
}

#[test]
fn every_number_of_keys_to_300_is_sorted() -> Result<()> {
    on_gpu(|gpu| (1..=300).try_for_each(|n| check_keys(gpu, &with_equals(n))))
}

#[test]
fn every_number_of_pairs_to_300_is_sorted() -> Result<()> {
    on_gpu(|gpu| (1..=300).try_for_each(|n| check_pairs(gpu, &with_equals(n))))
}

#[test]
fn a_million_and_three_keys_are_sorted() -> Result<()> {
    on_gpu(|gpu| check_keys(gpu, &Random(1).floats(LONG)))
}

#[test]
fn a_million_and_three_pairs_are_sorted() -> Result<()> {
    on_gpu(|gpu| check_pairs(gpu, &Random(2).floats(LONG)))
}

#[test]
fn keys_in_order_backwards_and_all_alike_are_sorted() -> Result<()> {
    on_gpu(|gpu| {
        for n in LENGTHS {
            let up: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let down: Vec<f32> = up.iter().rev().copied().collect();
            for keys in [up, down, vec![3.0; n]] {
                check_keys(gpu, &keys)?;
                check_pairs(gpu, &keys)?;
            }
        }
        Ok(())
    })
}

/// Padding sorts last as well, so an array that ends in NaN must not lose a value to it.
#[test]
fn nan_comes_after_infinity_and_keeps_its_value() -> Result<()> {
    on_gpu(|gpu| {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MAX, f32::MIN, 1.0];
        for n in LENGTHS {
            let mut random = Random(n as u64);
            let keys: Vec<f32> = (0..n).map(|_| odd[random.below(odd.len())]).collect();
            check_keys(gpu, &keys)?;
            check_pairs(gpu, &keys)?;
            check_pairs(gpu, &vec![f32::NAN; n])?;
        }
        Ok(())
    })
}

#[test]
fn each_pass_makes_the_exchanges_of_the_network() -> Result<()> {
    on_gpu(|gpu| {
        for n in LENGTHS {
            let mut keys = Random(n as u64).floats(n);
            let array = gpu.array(n).init(&keys)?;
            let mut sort = Sort::keys(gpu, n)?;
            sort.load(&array, None)?;
            let masks = bitonic(n.next_power_of_two().max(4));
            let mut made = 0;
            while sort.pass()? {
                let now = sort.exchanges(sort.passes_done());
                masks[made..now].iter().for_each(|mask| exchange(&mut keys, *mask));
                made = now;
                sort.unload(&array, None)?;
                assert!(array.data()? == keys, "{n} keys after {made} exchanges");
            }
            assert_eq!((made, sort.passes_done()), (masks.len(), sort.passes()));
        }
        Ok(())
    })
}

#[test]
fn a_sort_sorts_the_next_array_too() -> Result<()> {
    on_gpu(|gpu| {
        let mut sort = Sort::keys(gpu, 257)?;
        for seed in 0..3 {
            let keys = Random(seed).floats(257);
            let array = gpu.array(257).init(&keys)?;
            sort.sort(&array)?;
            assert!(array.data()? == sorted(&keys));
        }
        Ok(())
    })
}
