//! Numbers of two floats: their arithmetic in the kernels' words, vectors, products and sums, against f64, which is exact enough
//! to be the truth: 2⁻⁵³ beside 2⁻⁴⁴.

use quadrille::gl::{Kernel, Prelude};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, DoubleMatrix, DoubleStorage, DoubleVector};
use quadrille::numeric::Csr;
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::matrices;

use crate::layouts;
use crate::support::{Random, on_card, on_gpu, refusal};

/// 2⁻⁴⁸, the square of half a unit in the last place of 1.
const U2: f64 = 1.0 / (1u64 << 48) as f64;

/// Where a float's low bits are flushed to 0.
const FLUSHED: f64 = f32::MIN_POSITIVE as f64;

/// x as its two floats hold it.
fn rounded(x: f64) -> f64 {
    let high = x as f32;
    f64::from(high) + f64::from((x - f64::from(high)) as f32)
}

/// A number of either sign from 2⁻ⁿ to 2ⁿ.
fn number(random: &mut Random, n: i32) -> f64 {
    let mantissa = 1.0 + (random.bits() >> 12) as f64 / (1u64 << 52) as f64;
    let exponent = (random.bits() >> 33) as i32 % (2 * n) - n;
    let sign = if random.bits() >> 63 == 0 { 1.0 } else { -1.0 };
    rounded(sign * mantissa * f64::from(exponent).exp2())
}

const ARITHMETIC: &str =
    "uniform Stream x, y; DOMAIN at; RANGE vec4 sum; RANGE vec4 product; RANGE vec4 quotient;
void main() {
    vec4 a = value2(x, at), b = value2(y, at);
    sum = doubleSum(a, b); product = doubleProduct(a, b); quotient = doubleQuotient(a, b);
}";

/// Sum, product and quotient of pairs of numbers.
fn computed(gpu: &Gpu, pairs: &[[f64; 2]]) -> Result<[Vec<f64>; 3]> {
    let width = 256;
    let height = pairs.len().div_ceil(2 * width);
    let texels = |of: usize| -> Vec<f32> {
        let mut floats = vec![1.0; 4 * width * height];
        for (i, pair) in pairs.iter().enumerate() {
            let high = pair[of] as f32;
            floats[4 * (i / 2) + i % 2] = high;
            floats[4 * (i / 2) + i % 2 + 2] = (pair[of] - f64::from(high)) as f32;
        }
        floats
    };
    let buffer = || gpu.buffer(width as u32, height as u32).components(4);
    let (x, y) = (buffer().init(&texels(0))?, buffer().init(&texels(1))?);
    let mut program = gpu.load(Kernel::new("arithmetic.frag", ARITHMETIC).with(Prelude::DoubleSingle))?;
    let [sum, product, quotient] = [buffer().build()?, buffer().build()?, buffer().build()?];
    program.bind_stream("x", &x)?.bind_stream("y", &y)?.onto(&[&sum, &product, &quotient]).run()?;
    let mut found = [Vec::new(), Vec::new(), Vec::new()];
    for (found, target) in found.iter_mut().zip([sum, product, quotient]) {
        let texels = target.data()?;
        let part = |i: usize, part: usize| f64::from(texels[4 * (i / 2) + i % 2 + 2 * part]);
        found.extend((0..pairs.len()).map(|i| part(i, 0) + part(i, 1)));
    }
    Ok(found)
}

/// Joldes, Muller & Popescu 2017: 3 u² of a sum, 5 u² of a product; the quotient's 16 u² is derived in `src/linalg/double/mod.rs`.
fn check(gpu: &Gpu, pairs: &[[f64; 2]], lost: f64) -> Result<()> {
    let [sums, products, quotients] = computed(gpu, pairs)?;
    for (i, &[x, y]) in pairs.iter().enumerate() {
        let near = |what: &str, found: f64, expected: f64, bound: f64| {
            let error = (found - expected).abs();
            assert!(error <= bound * expected.abs() + lost, "{x:e} {what} {y:e}: {found:e}, {error:e} off");
        };
        near("+", sums[i], x + y, 3.0 * U2);
        near("*", products[i], x * y, 5.0 * U2);
        if y != 0.0 {
            near("/", quotients[i], x / y, 16.0 * U2);
        }
    }
    Ok(())
}

#[test]
fn sums_products_and_quotients_of_random_pairs_hold_their_bounds() -> Result<()> {
    on_gpu(|gpu| {
        assert!(gpu.probes()?.double_single);
        let mut random = Random(1);
        // Exponents of 40 bits in all: products and their low parts stay far above what is flushed.
        let mut pairs: Vec<[f64; 2]> =
            (0..60_000).map(|_| [number(&mut random, 20), number(&mut random, 20)]).collect();
        // Two of like size, nearly opposite: their sum was in the low parts.
        pairs.extend((0..40_000).map(|i| {
            let x = number(&mut random, 20);
            let apart = number(&mut random, 1).abs() * f64::from(-(i % 50)).exp2();
            [x, rounded(-x * (1.0 + 0.25 * apart))]
        }));
        check(gpu, &pairs, 0.0)
    })
}

#[test]
fn zeros_signs_and_powers_of_two_are_exact() -> Result<()> {
    on_gpu(|gpu| {
        let values = [0.0, -0.0, 1.0, -1.0, 0.5, -4096.0, 3.0, 1.0 + 2f64.powi(-40), -(1.0 - 2f64.powi(-40))];
        let pairs: Vec<[f64; 2]> = values.iter().flat_map(|&x| values.map(|y| [x, y])).collect();
        check(gpu, &pairs, 0.0)?;
        let [sums, products, _] = computed(gpu, &pairs)?;
        for (i, &[x, y]) in pairs.iter().enumerate() {
            let simple = |x: f64| x == 0.0 || x.abs().log2().fract() == 0.0;
            if x == -y || x == 0.0 || y == 0.0 {
                assert_eq!(sums[i], x + y, "{x} + {y}");
            }
            if simple(x) || simple(y) {
                assert_eq!(products[i], x * y, "{x} * {y}");
            }
        }
        Ok(())
    })
}

/// The low parts of small numbers and of their products are flushed or not, as the driver likes: an error of a few 2⁻¹²⁶.
#[test]
fn what_is_flushed_of_small_numbers_is_all_that_is_lost() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(2);
        let small = |random: &mut Random| number(random, 12) * 2f64.powi(-104);
        let sums: Vec<[f64; 2]> = (0..2000).map(|_| [small(&mut random), small(&mut random)]).collect();
        let found = computed(gpu, &sums)?;
        for (&[x, y], found) in sums.iter().zip(&found[0]) {
            assert!((found - x - y).abs() <= 3.0 * U2 * (x + y).abs() + 8.0 * FLUSHED, "{x:e} + {y:e}");
        }
        // Products of some 2⁻¹¹⁵: their low parts are lost, their high parts are right.
        let products: Vec<[f64; 2]> = (0..2000)
            .map(|_| [number(&mut random, 4) * 2f64.powi(-57), number(&mut random, 4) * 2f64.powi(-57)])
            .collect();
        let found = computed(gpu, &products)?;
        for (&[x, y], found) in products.iter().zip(&found[1]) {
            assert!((found - x * y).abs() <= 5.0 * U2 * (x * y).abs() + 8.0 * FLUSHED, "{x:e} * {y:e}");
        }
        Ok(())
    })
}

fn grids(grids: &[(u32, u32)], folded: &[usize]) -> Result<Vec<Packed2x2>> {
    let grids = grids.iter().map(|&(width, height)| Packed2x2::grid(width, height));
    grids.chain(folded.iter().map(|&n| Packed2x2::folded(n))).collect()
}

fn numbers(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| number(random, 3)).collect()
}

#[test]
fn vectors_come_back_and_axpy_and_dot_hold_their_bounds() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(3));
        for layout in layouts()? {
            let n = layout.len();
            let (x, y, a) = (numbers(&mut random, n), numbers(&mut random, n), number(&mut random, 3));
            let (of_x, mut of_y) =
                (DoubleVector::new(&algebra, layout, &x)?, DoubleVector::new(&algebra, layout, &y)?);
            assert_eq!(of_x.get()?, x, "{layout}");
            let dot = of_x.dot(&of_y)?;
            let (expected, sizes) = x
                .iter()
                .zip(&y)
                .fold((0.0, 0.0), |(sum, sizes), (x, y)| (sum + x * y, sizes + (x * y).abs()));
            let passes = (n as f64).log(4.0).ceil() + 1.0; // no more than of a single row
            let bound = ((16.0 * passes + 1.0) * 3.0 + 5.0) * U2 * sizes;
            assert!((dot - expected).abs() <= bound, "{layout}: {dot} for {expected}");
            of_y.axpy(a, &of_x)?;
            for ((found, x), y) in of_y.get()?.iter().zip(&x).zip(&y) {
                let bound = 5.0 * U2 * (a * x).abs() + 3.0 * U2 * (y + a * x).abs() + 8.0 * U2 * U2;
                assert!((found - (y + a * x)).abs() <= 1.01 * bound, "{layout}: {y} + {a} {x} = {found}");
            }
            of_y.copy_from(&of_x)?;
            assert_eq!(of_y.get()?, x, "{layout}");
        }
        Ok(())
    })
}

fn check_product(algebra: &Algebra, layout: Packed2x2, storage: DoubleStorage, matrix: &Csr) -> Result<()> {
    let mut random = Random(5);
    // Entries of 53 bits: the low parts count, and 2⁻⁴⁸ of them is lost.
    let entries = matrix.triplets().map(|(i, j, a)| (i, j, a * (1.0 + number(&mut random, 1) / 8.0)));
    let matrix = Csr::from_triplets(matrix.rows(), matrix.columns(), entries)?;
    let a = DoubleMatrix::new(algebra, layout, storage, matrix.clone())?;
    let x = numbers(&mut random, layout.len());
    let of_x = DoubleVector::new(algebra, layout, &x)?;
    let mut out = DoubleVector::new(algebra, layout, &vec![9.0; layout.len()])?;
    a.apply(&of_x, &mut out)?;
    let sizes = Csr::from_triplets(
        matrix.rows(),
        matrix.columns(),
        matrix.triplets().map(|(i, j, a)| (i, j, a.abs())),
    )?;
    let sizes = sizes.multiply(&x.iter().map(|x| x.abs()).collect::<Vec<f64>>());
    let found = out.get()?;
    for (i, expected) in matrix.multiply(&x).iter().enumerate() {
        let row = matrix.row(i).count() as f64;
        let bound = (2.0 * row + 5.0) * 3.0 * U2 * sizes[i];
        let error = (found[i] - expected).abs();
        assert!(
            error <= bound,
            "{storage:?} of {layout}, row {i}: {}, {error:e} off, {bound:e} allowed",
            found[i]
        );
    }
    // Padding is 0 still: sums run over all texels.
    let squares = found.iter().map(|x| x * x).sum::<f64>();
    assert!((out.dot(&out)? - squares).abs() <= 1e-12 * squares, "{storage:?} of {layout}: padding");
    Ok(())
}

#[test]
fn products_hold_their_bounds_in_both_storages() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for layout in grids(&[(1, 1), (2, 1), (31, 57)], &[])? {
            let poisson = Csr::poisson(layout.width() as usize, layout.height() as usize)?;
            check_product(&algebra, layout, DoubleStorage::Banded, &poisson)?;
            check_product(&algebra, layout, DoubleStorage::Gather, &poisson)?;
        }
        for layout in grids(&[(3, 3), (2, 251)], &[1, 5, 257])? {
            let n = layout.len();
            let half = n as isize / 2;
            let far = matrices::banded(n, n, &[-half, 0, half, n as isize - 1], 7)?;
            check_product(&algebra, layout, DoubleStorage::Banded, &far)?;
            check_product(&algebra, layout, DoubleStorage::Gather, &matrices::random(n, n, 0, 9, 8)?)?;
        }
        Ok(())
    })
}

/// Far diagonals, more than a pass has streams for, and rows of more entries than a card fetches.
#[test]
fn many_diagonals_and_long_rows_take_several_passes() -> Result<()> {
    let offsets: Vec<isize> = (-8..=8).map(|k| 17 * k).collect();
    let matrix = matrices::banded(301, 301, &offsets, 9)?;
    let all = Csr::from_triplets(
        301,
        301,
        (0..301).flat_map(|i| (0..301).map(move |j| (i, j, 1.0 / (i + j + 1) as f64))),
    )?;
    let layout = Packed2x2::folded(301)?;
    let check = |gpu: &Gpu| {
        let algebra = Algebra::new(gpu);
        check_product(&algebra, layout, DoubleStorage::Banded, &matrix)?;
        check_product(&algebra, layout, DoubleStorage::Gather, &all)
    };
    on_gpu(check)?;
    on_card(Limits { targets: 4, ..Limits::RADEON_9700 }, check)
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::grid(3, 2)?);
        let wrong = |values: &[f64]| refusal(DoubleVector::new(&algebra, layout, values));
        assert_eq!(wrong(&[1.0; 5]), "double-single vector: 5 values given, 6 expected (6 elements in 3x2)");
        assert_eq!(
            wrong(&[1.0, 2.0, 1e39, 0.0, 0.0, 0.0]),
            "double-single vector = 1e39 at element 2: expected finite numbers of magnitudes up to 3.4028235e38"
        );
        let matrix = |n: usize, value: f64| -> Result<Csr> { Csr::from_triplets(n, n, [(0, n - 1, value)]) };
        let made = |a: Csr| DoubleMatrix::new(&algebra, layout, DoubleStorage::Banded, a);
        let line = refusal(made(matrix(6, f64::NAN)?));
        assert!(line.contains("NaN at (0, 5)"), "{line}");
        let line = refusal(made(matrix(5, 1.0)?));
        assert!(line.contains("5 rows and 5 columns"), "{line}");
        let a = made(matrix(6, 1.0)?)?;
        let (x, mut out) =
            (DoubleVector::zeros(&algebra, layout)?, DoubleVector::zeros(&algebra, Packed2x2::grid(2, 3)?)?);
        let line = refusal(a.apply(&x, &mut out));
        assert!(line.contains("result of a matrix product"), "{line}");
        assert!(refusal(out.copy_from(&x)).contains("vector operation"));
        // One full row among 40 000: in its place, every row would be as long.
        let n = 40_000;
        let arrow = Csr::from_triplets(n, n, (0..n).flat_map(|i| [(i, i, 2.0), (0, i, 1.0)]))?;
        let line = refusal(DoubleMatrix::new(&algebra, Packed2x2::folded(n)?, DoubleStorage::Gather, arrow));
        assert!(line.contains("every row as long as the longest") && line.contains("bytes"), "{line}");
        Ok(())
    })
}

#[test]
fn a_card_of_one_target_is_refused_by_name() -> Result<()> {
    on_card(Limits::GEFORCE_FX, |gpu| {
        let line = refusal(DoubleVector::zeros(&Algebra::new(gpu), Packed2x2::grid(2, 2)?));
        assert!(line.contains("double-single arithmetic") && line.contains("three render targets"), "{line}");
        Ok(())
    })
}
