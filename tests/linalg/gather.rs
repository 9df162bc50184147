//! Products by gathering (rows E1, E2): rows of all lengths, in one rectangle or sorted into several.

use super::support::{Random, on_card, on_gpu, refusal};
use super::{U, as_f64, check_products};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Costs, Gather, LinearOperator, Op};
use quadrille::numeric::Csr;
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::matrices;

/// With these a matrix whose rows differ is always sorted, into a rectangle for each length.
const SORTING: Costs = Costs { pass: 0.0, texel: 0.0, copy: 1.0, packed: 0.5, width: None };

/// With these none is, and x stays packed.
const NEVER: Costs = Costs { pass: 1e12, ..SORTING };

/// Rows of these lengths, their entries anywhere.
fn of_lengths(lengths: &[usize], columns: usize, random: &mut Random) -> Result<Csr> {
    let mut entries = Vec::new();
    for (row, &length) in lengths.iter().enumerate() {
        for column in random.subset(columns, length) {
            entries.push((row, column, f64::from(random.signed())));
        }
    }
    Csr::from_triplets(lengths.len(), columns, entries)
}

/// Row k has about `longest`/(k + 1) entries, the rows in any order.
fn power_law(rows: usize, longest: usize, random: &mut Random) -> Vec<usize> {
    random.shuffled(rows).into_iter().map(|k| longest / (k + 1)).collect()
}

/// The product in every kind of layout, and sorted or not.
fn check_all(gpu: &Gpu, matrix: &Csr, random: &mut Random) -> Result<()> {
    let algebra = Algebra::new(gpu);
    let (rows, columns) = (matrix.rows(), matrix.columns());
    for costs in [Costs::default(), SORTING, NEVER, Costs { width: Some(3), packed: 0.0, ..SORTING }] {
        let (above, beside) = (Packed2x2::folded(rows)?, Packed2x2::folded(columns)?);
        let gather = Gather::by_costs(&algebra, above, beside, matrix.clone(), &costs)?;
        check_products(&gather, matrix, random)?;
        // The layouts of x and the result may differ even where the matrix is square: then no diagonal is apart.
        let beside = Packed2x2::folded_by(columns, 7.min(columns))?;
        let gather = Gather::by_costs(&algebra, above, beside, matrix.clone(), &costs)?;
        check_products(&gather, matrix, random)?;
    }
    Ok(())
}

#[test]
fn gathered_products_match_the_reference_for_every_shape_and_row_length() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(21);
        for (rows, columns, longest) in [
            (1, 1, 0),
            (1, 1, 1),
            (1, 9, 9),
            (9, 1, 1),
            (3, 2, 2),
            (50, 50, 9),
            (257, 100, 100),
            (97, 97, 60),
        ] {
            let matrix = matrices::random(rows, columns, 0, longest, random.bits())?;
            check_all(gpu, &matrix, &mut random)?;
        }
        check_all(gpu, &Csr::poisson(11, 10)?, &mut random)?;
        check_all(gpu, &matrices::positive_definite(61, 3, 4)?, &mut random)
    })
}

#[test]
fn gathered_rows_of_0_to_5000_entries_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(22));
        let mut lengths = vec![5000, 0, 1, 4999, 0, 33, 17, 256, 257, 1021, 2, 0, 0, 16];
        lengths.extend((0..40).map(|_| random.below(9)));
        let matrix = of_lengths(&lengths, 5003, &mut random)?;
        let (rows, columns) = (Packed2x2::folded(lengths.len())?, Packed2x2::folded(5003)?);
        let gather = Gather::new(&algebra, rows, columns, matrix.clone())?;
        assert!(gather.is_sorted(), "few long rows are summed in parts");
        check_products(&gather, &matrix, &mut random)?;
        for costs in [SORTING, NEVER] {
            let gather = Gather::by_costs(&algebra, rows, columns, matrix.clone(), &costs)?;
            check_products(&gather, &matrix, &mut random)?;
        }
        Ok(())
    })
}

#[test]
fn gathered_rows_whose_lengths_follow_a_power_law_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(23));
        let n = 20_011;
        let lengths = power_law(n, 5000, &mut random);
        let matrix = of_lengths(&lengths, n, &mut random)?;
        let layout = Packed2x2::folded(n)?;
        let gather = Gather::new(&algebra, layout, layout, matrix.clone())?;
        assert!(gather.is_sorted() && gather.rectangles() > 1, "{} rectangles", gather.rectangles());
        check_products(&gather, &matrix, &mut random)
    })
}

#[test]
fn rows_of_like_length_stay_where_they_are() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(24));
        let layout = Packed2x2::grid(128, 96)?;
        let matrix = Csr::poisson(128, 96)?;
        let gather = Gather::new(&algebra, layout, layout, matrix.clone())?;
        assert!(!gather.is_sorted() && gather.rectangles() == 1);
        check_products(&gather, &matrix, &mut random)
    })
}

#[test]
fn gathered_products_match_the_reference_on_cards_of_the_time() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            let mut random = Random(25);
            let lengths = [70, 3, 0, 9, 4, 5, 6, 40, 1, 12, 300, 0, 0, 2];
            check_all(gpu, &of_lengths(&lengths, 301, &mut random)?, &mut random)?;
            check_all(gpu, &matrices::random(90, 90, 6, 9, 3)?, &mut random)
        })?;
    }
    Ok(())
}

#[test]
fn gathered_products_match_the_reference_where_planes_fill_several_textures() -> Result<()> {
    // Textures of 16 texels a side: planes go on beside themselves, and a rectangle is cut into bands.
    let small = Limits { name: "small", texture_size: 16, ..Limits::GEFORCE_6800 };
    on_card(small, |gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(26));
        let layout = Packed2x2::grid(14, 29)?;
        let matrix = matrices::random(14 * 29, 14 * 29, 10, 11, 5)?;
        let gather = Gather::by_costs(&algebra, layout, layout, matrix.clone(), &NEVER)?;
        assert!(gather.rectangles() > 2, "{} rectangles", gather.rectangles());
        check_products(&gather, &matrix, &mut random)?;
        let long = of_lengths(&[100, 3, 0, 90, 7], 401, &mut random)?;
        let (rows, columns) = (Packed2x2::folded(5)?, Packed2x2::folded(401)?);
        for costs in [Costs::default(), SORTING, NEVER] {
            let gather = Gather::by_costs(&algebra, rows, columns, long.clone(), &costs)?;
            check_products(&gather, &long, &mut random)?;
        }
        Ok(())
    })
}

#[test]
fn addresses_of_long_fields_take_two_numbers() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(27));
        for (width, height) in [(4097, 3), (2, 6001)] {
            let layout = Packed2x2::grid(width, height)?;
            for longest in [1, 6] {
                let matrix = matrices::random(layout.len(), layout.len(), 0, longest, 7)?;
                for costs in [Costs::default(), SORTING, Costs { width: Some(2), ..SORTING }] {
                    let gather = Gather::by_costs(&algebra, layout, layout, matrix.clone(), &costs)?;
                    check_products(&gather, &matrix, &mut random)?;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn what_a_row_does_not_gather_takes_no_part() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let n = 60;
        // Column 0 has no entry but stored zeros, and x holds nothing finite there.
        let entries = (0..n).flat_map(|row| {
            let others = (0..row % 7).map(move |k| (row, 1 + (row * 5 + k * 11) % (n - 1), 0.5 + k as f64));
            others.chain([(row, 0, 0.0)])
        });
        let matrix = Csr::from_triplets(n, n, entries.collect::<Vec<_>>())?;
        let layout = Packed2x2::folded(n)?;
        for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            let mut elements = vec![1.0; n];
            elements[0] = bad;
            let x = algebra.vector(layout, &elements)?;
            elements[0] = 0.0;
            let expected = matrix.multiply(&as_f64(&elements));
            for costs in [SORTING, NEVER] {
                let gather = Gather::by_costs(&algebra, layout, layout, matrix.clone(), &costs)?;
                let mut out = algebra.zeros(layout)?;
                gather.apply(Op::Null, &x, &mut out)?;
                for (found, expected) in out.get()?.into_iter().zip(&expected) {
                    assert!((f64::from(found) - expected).abs() <= 12.0 * U * expected.abs(), "{found}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_million_rows_are_gathered() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(29));
        let n = 1_000_003;
        let near = |row: usize| [row.saturating_sub(1000), row, (row + 7).min(n - 1)];
        let entries = (0..n).flat_map(|row| near(row).map(|column| (row, column, (row % 13) as f64 - 6.5)));
        let matrix = Csr::from_triplets(n, n, entries)?;
        let layout = Packed2x2::folded(n)?;
        let gather = Gather::new(&algebra, layout, layout, matrix)?;
        let elements = random.floats(n);
        let (x, mut out) = (algebra.vector(layout, &elements)?, algebra.zeros(layout)?);
        gather.apply(Op::Null, &x, &mut out)?;
        let expected = gather.multiply(&as_f64(&elements));
        for (row, (found, expected)) in out.get()?.into_iter().zip(expected).enumerate() {
            // Three entries of at most 6.5, x of at most 1; two of them may be one of twice the size.
            assert!((f64::from(found) - expected).abs() <= 6.0 * U * 19.5, "row {row}: {found}, {expected}");
        }
        Ok(())
    })
}

/// Row k, the rows in any order, has 5000/(k + 1)^¾ entries, so that some have 5000, most have none, and neither the sorting
/// nor the parts of long sums is left out.
#[test]
fn a_million_rows_whose_lengths_follow_a_power_law_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(31));
        let n = 1_000_003;
        let length = |k: usize| (5000.0 / (k as f64 + 1.0).powf(0.75)) as usize;
        let mut entries = Vec::new();
        for (row, k) in random.shuffled(n).into_iter().enumerate() {
            for _ in 0..length(k) {
                entries.push((row, random.below(n), f64::from(random.signed())));
            }
        }
        let matrix = Csr::from_triplets(n, n, entries)?;
        let longest = (0..n).map(|row| matrix.row(row).count()).max();
        assert!(longest.is_some_and(|longest| longest > 4900), "{longest:?}");
        let layout = Packed2x2::folded(n)?;
        let gather = Gather::new(&algebra, layout, layout, matrix.clone())?;
        assert!(gather.is_sorted() && gather.rectangles() > 1, "{} rectangles", gather.rectangles());
        check_products(&gather, &matrix, &mut random)
    })
}

#[test]
fn what_gather_cannot_hold_is_refused_in_one_line() -> Result<()> {
    let small = Limits { name: "small", texture_size: 16, ..Limits::GEFORCE_6800 };
    on_card(small, |gpu| {
        let algebra = Algebra::new(gpu);
        let matrix = of_lengths(&[300], 301, &mut Random(30))?;
        let (one, many) = (Packed2x2::folded(1)?, Packed2x2::folded(301)?);
        let line = "gather matrix with rows of 300 entries: number of texels is 300, the limit is 256";
        assert_eq!(refusal(Gather::new(&algebra, one, many, matrix.clone())), line);
        let line = "gather matrix: 1 rows and 301 columns, expected 301 and 301, as the layouts have";
        assert_eq!(refusal(Gather::new(&algebra, many, many, matrix)), line);
        Ok(())
    })
}

#[test]
fn the_same_product_has_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(28);
        let matrix = of_lengths(&power_law(500, 400, &mut random), 500, &mut random)?;
        let x = random.floats(500);
        let layout = Packed2x2::folded(500)?;
        let product = || -> Result<Vec<u32>> {
            let algebra = Algebra::new(gpu);
            let gather = Gather::new(&algebra, layout, layout, matrix.clone())?;
            let (x, mut out) = (algebra.vector(layout, &x)?, algebra.zeros(layout)?);
            gather.apply(Op::Null, &x, &mut out)?;
            Ok(out.get()?.into_iter().map(f32::to_bits).collect())
        };
        assert_eq!(product()?, product()?);
        Ok(())
    })
}
