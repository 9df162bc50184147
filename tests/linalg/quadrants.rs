//! A grid in four quadrants: layers, products against f64, and seams that stay in sync.

use super::support::{Random, on_card, on_gpu, refusal};
use super::{U, as_f64};
use quadrille::layout::{Packed2x2, Quadrants};
use quadrille::linalg::{Algebra, Layered, LayeredNinePoint, Vector};
use quadrille::{Gpu, Limits, Result};

/// Powers of two and one more; odd, even, prime, flat; one node.
const SIZES: [(u32, u32); 18] = [
    (1, 1),
    (1, 2),
    (2, 1),
    (3, 3),
    (4, 4),
    (5, 5),
    (9, 9),
    (17, 17),
    (33, 33),
    (65, 129),
    (11, 10),
    (31, 57),
    (127, 2),
    (2, 127),
    (64, 48),
    (63, 64),
    (1, 97),
    (257, 30),
];

/// Each size as it is, and with those of its axes periodic that may be.
fn grids() -> Result<Vec<Quadrants>> {
    let mut grids = Vec::new();
    for (width, height) in SIZES {
        for periodic in [[false, false], [true, false], [false, true], [true, true]] {
            grids.extend(Quadrants::new(Packed2x2::grid(width, height)?, periodic));
        }
    }
    assert!(grids.len() > SIZES.len() + 5);
    Ok(grids)
}

fn packed(quadrants: Quadrants) -> Result<Packed2x2> {
    let [width, height] = quadrants.nodes();
    Packed2x2::grid(width, height)
}

/// Every channel of every texel holds the element of its node to the bit, and 0 off the grid.
fn assert_in_sync(layered: &Layered, elements: &[f32]) -> Result<()> {
    let quadrants = layered.quadrants();
    let ([across, _], [width, _]) = (quadrants.texels(), quadrants.nodes());
    for (i, found) in layered.texels()?.into_iter().enumerate() {
        let (texel, channel) = (i as u32 / 4, i % 4);
        let node = quadrants.node([texel % across, texel / across], channel);
        let expected = node.map_or(0.0, |(column, row)| elements[(row * width + column) as usize]);
        let at = (texel % across, texel / across, channel);
        assert_eq!(found.to_bits() << 1, expected.to_bits() << 1, "{quadrants}: {at:?}, node {node:?}");
    }
    Ok(())
}

/// Nine entries a node, some of them 0; those that lead off the grid are not, and must not count.
struct Points {
    quadrants: Quadrants,
    entries: Vec<Vec<f32>>,
}

impl Points {
    fn new(quadrants: Quadrants, random: &mut Random) -> Result<Points> {
        let n = packed(quadrants)?.len();
        let mut entry = |_| -> Vec<f32> {
            (0..n).map(|_| if random.below(5) == 0 { 0.0 } else { random.signed() }).collect()
        };
        Ok(Points { quadrants, entries: (0..9).map(&mut entry).collect() })
    }

    fn layered(&self, algebra: &Algebra) -> Result<LayeredNinePoint> {
        let layout = packed(self.quadrants)?;
        let vectors: Vec<Vector> =
            self.entries.iter().map(|entry| algebra.vector(layout, entry)).collect::<Result<_>>()?;
        LayeredNinePoint::new(algebra, self.quadrants, std::array::from_fn(|k| vectors.get(k)))
    }

    /// A x and |A||x|.
    fn multiply(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let ([width, height], periodic) = (self.quadrants.nodes().map(i64::from), self.quadrants.periodic());
        let along = |place: i64, length: i64, periodic: bool| {
            let place = if periodic { place.rem_euclid(length) } else { place };
            (0..length).contains(&place).then_some(place)
        };
        let row = |i: i64| {
            let mut sums = (0.0, 0.0);
            for (k, entry) in self.entries.iter().enumerate() {
                let (dx, dy) = (k as i64 % 3 - 1, k as i64 / 3 - 1);
                let column = along(i % width + dx, width, periodic[0]);
                let row = along(i / width + dy, height, periodic[1]);
                if let (Some(column), Some(row)) = (column, row) {
                    let term = f64::from(entry[i as usize]) * x[(row * width + column) as usize];
                    sums = (sums.0 + term, sums.1 + term.abs());
                }
            }
            sums
        };
        (0..width * height).map(row).unzip()
    }
}

fn check(gpu: &Gpu, quadrants: Quadrants, random: &mut Random) -> Result<()> {
    let algebra = Algebra::new(gpu);
    let layout = packed(quadrants)?;
    let points = Points::new(quadrants, random)?;
    let a = points.layered(&algebra)?;
    let mut elements = random.floats(layout.len());
    let mut x = Layered::of(quadrants, &algebra.vector(layout, &elements)?)?;
    assert_in_sync(&x, &elements)?;
    let mut unlayered = algebra.vector(layout, &random.floats(layout.len()))?;
    let mut product = Layered::zeros(&algebra, quadrants)?;
    // The second product reads the border that the first one left.
    for _ in 0..2 {
        a.apply(&x, &mut product)?;
        product.unlayer(&mut unlayered)?;
        let found = unlayered.get()?;
        let (expected, sizes) = points.multiply(&as_f64(&elements));
        for (i, found) in found.iter().enumerate() {
            // Nine products and their sum.
            let error = (f64::from(*found) - expected[i]).abs();
            assert!(error <= 12.0 * U * sizes[i], "{quadrants}: node {i} is {found}, not {}", expected[i]);
        }
        assert_in_sync(&product, &found)?;
        std::mem::swap(&mut x, &mut product);
        elements = found;
    }
    Ok(())
}

#[test]
fn products_in_quadrants_are_those_in_f64_and_leave_all_seams_in_sync() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(8);
        grids()?.into_iter().try_for_each(|quadrants| check(gpu, quadrants, &mut random))
    })
}

/// 18 fetches and ten streams: what a card of 2002 had room for.
#[test]
fn old_cards_multiply_in_quadrants_too() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX] {
        on_card(card, |gpu| {
            let mut random = Random(10);
            for (width, height) in [(17, 17), (31, 8)] {
                let quadrants = Quadrants::new(Packed2x2::grid(width, height)?, [false, height % 4 == 0])?;
                check(gpu, quadrants, &mut random)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn layering_and_unlayering_give_back_every_bit_and_zero_the_padding() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(9));
        for quadrants in grids()? {
            let layout = packed(quadrants)?;
            let elements = random.floats(layout.len());
            let layered = Layered::of(quadrants, &algebra.vector(layout, &elements)?)?;
            let mut back = algebra.vector(layout, &random.floats(layout.len()))?;
            layered.unlayer(&mut back)?;
            assert_eq!(back.get()?, elements, "{quadrants}");
            back.fill(1.0)?;
            layered.unlayer(&mut back)?;
            let (mut sum, mut expected) = (algebra.scalar(0.0)?, algebra.scalar(0.0)?);
            back.sum(&mut sum)?;
            algebra.vector(layout, &elements)?.sum(&mut expected)?;
            assert_eq!(sum.get()?, expected.get()?, "{quadrants}: padding");
        }
        Ok(())
    })
}

#[test]
fn numbers_that_are_none_reach_only_rows_that_have_an_entry_for_them() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let quadrants = Quadrants::new(Packed2x2::grid(9, 7)?, [false; 2])?;
        let layout = packed(quadrants)?;
        let ones = algebra.vector(layout, &[1.0; 63])?;
        // Each node takes what is west of it.
        let a = LayeredNinePoint::new(
            &algebra,
            quadrants,
            std::array::from_fn(|k| if k == 3 { Some(&ones) } else { None }),
        )?;
        for poisoned in [4, 36, 40, 31, 62] {
            let mut elements = vec![2.0; 63];
            elements[poisoned] = f32::INFINITY;
            let x = Layered::of(quadrants, &algebra.vector(layout, &elements)?)?;
            let mut product = Layered::zeros(&algebra, quadrants)?;
            a.apply(&x, &mut product)?;
            let expected: Vec<f32> =
                (0..63).map(|i| if i % 9 == 0 { 0.0 } else { elements[i - 1] }).collect();
            assert_in_sync(&product, &expected)?;
        }
        Ok(())
    })
}

#[test]
fn vectors_of_other_grids_are_refused_by_name() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let quadrants = |width, height| Quadrants::new(Packed2x2::grid(width, height)?, [false; 2]);
        let (five, nine) = (quadrants(5, 5)?, quadrants(9, 9)?);
        let line = refusal(Layered::of(nine, &algebra.zeros(packed(five)?)?));
        assert!(line.starts_with("vector layered in quadrants") && line.contains("5x5"), "{line}");
        let a = LayeredNinePoint::new(&algebra, nine, [None; 9])?;
        let (mut small, mut large) = (Layered::zeros(&algebra, five)?, Layered::zeros(&algebra, nine)?);
        let line = refusal(a.apply(&small, &mut large));
        assert!(line.contains("vector that a matrix multiplies") && line.contains("5x5 nodes"), "{line}");
        assert!(refusal(a.apply(&large, &mut small)).contains("result of a matrix product"));
        let vast = Quadrants::new(Packed2x2::grid(1 << 20, 1)?, [false; 2])?;
        assert!(refusal(Layered::zeros(&algebra, vast)).contains("limit"));
        Ok(())
    })
}
