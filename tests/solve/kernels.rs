//! The kernels by which a solver goes on, each against its formula in f64.

use quadrille::pug::Prelude;
use quadrille::{Buffer, Gpu, Rect, Result, kernels};

use super::support::{Random, on_gpu};

const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Texels of the vectors.
const SIZE: [u32; 2] = [5, 3];

const TOLERANCE2: f32 = 0.01;

/// The sums of an iteration, (p.q, q.Mq, r.Mq, r.r), and of the right side b.b.
struct Sums {
    now: [f32; 4],
    pr: f32,
    bb: f32,
    /// True if the iteration goes on.
    goes_on: bool,
}

/// Far from the tolerance and within it, relative to b.b on both sides of 1, and to 1 where that is 0; broken down.
const CASES: [Sums; 9] = [
    Sums { now: [2.0, 3.0, 0.5, 1.0], pr: 1.5, bb: 4.0, goes_on: true },
    Sums { now: [2.0, 3.0, 0.5, 0.03], pr: 1.5, bb: 4.0, goes_on: false },
    Sums { now: [2.0, 3.0, 0.5, 0.05], pr: -1.5, bb: 4.0, goes_on: true },
    Sums { now: [0.5, 3.0, 0.5, 0.005], pr: 1.5, bb: 0.25, goes_on: true },
    Sums { now: [0.5, 3.0, 0.5, 0.002], pr: 1.5, bb: 0.25, goes_on: false },
    Sums { now: [0.5, 3.0, 0.5, 0.005], pr: 1.5, bb: 0.0, goes_on: false },
    Sums { now: [0.5, 3.0, 0.5, 0.02], pr: 1.5, bb: 0.0, goes_on: true },
    Sums { now: [0.0, 3.0, 0.5, 1.0], pr: 1.5, bb: 4.0, goes_on: false },
    Sums { now: [-2.0, 3.0, 0.5, 1.0], pr: 1.5, bb: 4.0, goes_on: false },
];

/// A history whose first entry is that of the right side and whose third that of the iteration; the numbers between and behind
/// belong to nobody.
fn history(gpu: &Gpu, sums: &Sums) -> Result<[Buffer; 2]> {
    let [none, start] = [[1e3; 4], [sums.bb, 7e3, -5.0, 9e3]];
    let of_pr = [sums.pr, 8.0, -8.0, 1e3];
    let texels = |entries: [[f32; 4]; 4]| gpu.buffer(4, 1).components(4).init(entries.as_flattened());
    Ok([texels([start, none, sums.now, none])?, texels([none, none, of_pr, none])?])
}

fn entry(number: u32) -> Rect {
    Rect::new(number, 0, number + 1, 1)
}

/// Six roundings of numbers up to 8.
#[test]
fn conjugate_gradients_go_on_while_the_residual_is_above_the_tolerance() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(3);
        let count = (4 * SIZE[0] * SIZE[1]) as usize;
        let vectors = [0; 5].map(|_| random.floats(count));
        let buffer = || gpu.buffer(SIZE[0], SIZE[1]).components(4);
        for (sums, variant) in CASES.iter().flat_map(|sums| [(sums, 0), (sums, 1), (sums, 2)]) {
            let (fused, preconditioned) = (variant < 2, variant == 1);
            let name = if fused { "solve/cg_update.frag" } else { "solve/pcg_step.frag" };
            let mut kernel = kernels::named(name)?;
            if fused {
                kernel = kernel.define("PRECONDITIONED", i32::from(preconditioned));
            }
            let mut program = gpu.load(kernel)?;
            for (name, values) in ["x", "r", "p", "q", "inverse"].into_iter().zip(&vectors) {
                if preconditioned || name != "inverse" {
                    program.bind_stream(name, &buffer().init(values)?)?;
                }
            }
            let [history, beside] = history(gpu, sums)?;
            program.bind_stream("history", &history)?.bind_stream("beside", &beside)?;
            program.bind_float("tolerance2", TOLERANCE2)?;
            program.bind_domain("now", entry(2))?.bind_domain("start", entry(0))?;
            let next = [buffer().build()?, buffer().build()?, buffer().build()?];
            let [x, r, p] = &next;
            program.onto(&[x, r, p][..if fused { 3 } else { 2 }]).run()?;
            let [pq, qmq, rmq, _] = sums.now.map(f64::from);
            let a = if sums.goes_on { f64::from(sums.pr) / pq } else { 0.0 };
            let b = if sums.goes_on { (a * qmq - rmq) / pq } else { 0.0 };
            let found = [x.data()?, r.data()?, p.data()?];
            for n in 0..count {
                let [x, r, p, q, m] = [0, 1, 2, 3, 4].map(|k| f64::from(vectors[k][n]));
                let rest = r - a * q;
                let z = if preconditioned { m * rest } else { rest };
                let direction = if sums.goes_on { z + b * p } else { p };
                let expected = [x + a * p, rest, direction];
                for k in 0..if fused { 3 } else { 2 } {
                    let found = f64::from(found[k][n]);
                    let off = (found - expected[k]).abs();
                    assert!(
                        off <= 48.0 * (1.0 + b.abs()) * U,
                        "{name} {:?} {k}: {found}, {}",
                        sums.now,
                        expected[k]
                    );
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_step_is_the_quotient_until_the_residual_is_within_the_tolerance() -> Result<()> {
    on_gpu(|gpu| {
        for sums in CASES {
            let scalar = |value: f32| gpu.buffer(1, 1).init(&[value]);
            let ([history, _], step) = (history(gpu, &sums)?, gpu.buffer(1, 1).build()?);
            let mut program = gpu.builtin("solve/step_length.frag")?;
            program.bind_stream("x", &scalar(sums.pr)?)?.bind_stream("y", &scalar(sums.now[0])?)?;
            program.bind_stream("norm2", &scalar(sums.now[3])?)?.bind_stream("history", &history)?;
            program.bind_float("tolerance2", TOLERANCE2)?.bind_domain("start", entry(0))?.run(&step)?;
            // A divisor below 0 is no end here.
            let goes_on = sums.goes_on || sums.now[0] < 0.0;
            let expected = if goes_on { f64::from(sums.pr / sums.now[0]) } else { 0.0 };
            let found = f64::from(step.data()?[0]);
            assert!(
                (found - expected).abs() <= 4.0 * U * expected.abs(),
                "{:?}: {found}, {expected}",
                sums.now
            );
        }
        Ok(())
    })
}

/// Groups of three parts each. theta and momentum have a root and seven roundings of numbers up to 2, theta of its difference.
#[test]
fn steps_with_momentum_shorten_where_they_are_too_long_and_begin_anew_where_they_climb() -> Result<()> {
    on_gpu(|gpu| {
        // Steepness times step, the least step as part of it, whether the last step went uphill, and whether the group rests.
        let cases = [
            (0.0, 0.0, -1.0, false),
            (0.5, 0.25, -1.0, false),
            (0.5, 0.25, 1.0, false),
            (0.95, 0.25, -1.0, false),
            (0.999, 2.0, -1.0, false),
            (1.25, 0.25, -1.0, false),
            (4.0, 0.75, -1.0, false),
            (4.0, 2.0, -1.0, false),
            (0.95, 0.25, -1.0, true),
            (4.0, 0.25, 1.0, true),
        ];
        let (step, goal) = (0.75, 0.125);
        let [mut partials, mut steer, mut groups] = [const { Vec::new() }; 3];
        for (n, (steepness, least, climb, rests)) in cases.into_iter().enumerate() {
            let worst = if rests { goal } else { 3.0 };
            // s.A s over three parts whose s.D s sum to 2.
            let sas = 2.0 * steepness / step;
            partials.extend([0.5 * worst, climb, 0.25 * sas, 0.5, worst, 0.5 * climb, 0.25 * sas, 1.5]);
            partials.extend([0.25 * worst, -climb, 0.5 * sas, 0.0]);
            steer.extend([1.0 - 0.08 * n as f32, 9.0, step, 9.0]);
            groups.extend([0.0, 3.0, least * step, goal]);
        }
        let rows = cases.len() as u32;
        let buffer = |columns: u32, values: &[f32]| gpu.buffer(columns, rows).components(4).init(values);
        let next = gpu.buffer(1, rows).components(4).build()?;
        let kernel = kernels::named("solve/lcp_survey.frag")?;
        let mut program = gpu.load(kernel.define("PARTIALS", 1).define("BOX", 0).define("STEER", 1))?;
        program.bind_stream("partials", &buffer(3, &partials)?)?.bind_stream("steer", &buffer(1, &steer)?)?;
        program.bind_stream("groups", &buffer(1, &groups)?)?.bind_float("parts", 1.0)?.run(&next)?;
        for (n, found) in next.data()?.chunks(4).enumerate() {
            let ((steepness, least, climb, rests), step) = (cases[n], f64::from(step));
            let [steepness, least] = [steepness, least].map(f64::from);
            let shorter = step.min((step / (1.1 * steepness)).max(least * step));
            let pace = if steepness > 1.0 { shorter } else { step };
            let now = 1.0 - 0.08 * n as f64;
            let theta = 0.5 * now * ((now * now + 4.0).sqrt() - now);
            let momentum = now * (1.0 - now) / (now * now + theta);
            let anew = climb > 0.0 || pace < step;
            let expected = [
                if anew { 1.0 } else { theta },
                if anew || rests { 0.0 } else { momentum },
                if rests { 0.0 } else { pace },
                f64::from(if rests { goal } else { 3.0 }),
            ];
            for (found, expected) in found.iter().zip(expected) {
                let off = (f64::from(*found) - expected).abs();
                assert!(off <= 32.0 * U, "case {n}: {found}, {expected}");
            }
        }
        Ok(())
    })
}

/// 2^-48: the square of half a unit in the last place of 1.
const U2: f64 = U * U;

/// x as its two floats hold it: high, low.
fn two_floats(x: f64) -> [f32; 2] {
    let high = x as f32;
    [high, (x - f64::from(high)) as f32]
}

fn held(x: f64) -> f64 {
    let [high, low] = two_floats(x);
    f64::from(high) + f64::from(low)
}

/// Numbers in f64, two a texel: both high parts, then both low ones.
fn texels_of(numbers: &[f64]) -> Vec<f32> {
    let pairs = numbers.as_chunks::<2>().0.iter().map(|pair| pair.map(two_floats));
    pairs.flat_map(|[[a, a_low], [b, b_low]]| [a, b, a_low, b_low]).collect()
}

fn numbers_of(texels: &[f32]) -> Vec<f64> {
    let texels = texels.as_chunks::<4>().0.iter().map(|texel| texel.map(f64::from));
    texels.flat_map(|[a, b, a_low, b_low]| [a + a_low, b + b_low]).collect()
}

/// A number of 48 bits from -1 to 1.
fn two_floats_long(random: &mut Random) -> f64 {
    held(f64::from(random.unit()) * 2.0 - 1.0 + f64::from(random.unit()) * U)
}

/// A product and a sum round by 8 U2 of numbers up to 4, two of them by twice that.
#[test]
fn an_update_in_double_single_is_that_of_f64_to_its_square() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(6);
        let count = (2 * SIZE[0] * SIZE[1]) as usize;
        let mut vector = || -> Vec<f64> { (0..count).map(|_| two_floats_long(random)).collect() };
        let [x, r, p, q] = [vector(), vector(), vector(), vector()];
        for (a, b) in [(0.7, -1.3), (-1.9, 0.4), (0.0, 0.9)].map(|(a, b)| (held(a + 1e-9), held(b + 1e-9))) {
            let a = if a < 1e-8 && a > 0.0 { 0.0 } else { a };
            let ([a_high, a_low], [b_high, b_low]) = (two_floats(a), two_floats(b));
            let steps = [[9.0; 4], [a_high, b_high, a_low, b_low], [-9.0; 4]];
            let mut program =
                gpu.load(kernels::named("solve/double_update.frag")?.with(Prelude::DoubleSingle))?;
            let buffer = || gpu.buffer(SIZE[0], SIZE[1]).components(4);
            for (name, numbers) in [("x", &x), ("r", &r), ("p", &p), ("q", &q)] {
                program.bind_stream(name, &buffer().init(&texels_of(numbers))?)?;
            }
            program.bind_stream("steps", &gpu.buffer(3, 1).components(4).init(steps.as_flattened())?)?;
            let [next_x, next_r, next_p] = [buffer().build()?, buffer().build()?, buffer().build()?];
            program.bind_domain("at", next_x.rect())?.bind_domain("now", entry(1))?;
            program.onto(&[&next_x, &next_r, &next_p]).run()?;
            let found = [next_x.data()?, next_r.data()?, next_p.data()?].map(|texels| numbers_of(&texels));
            for n in 0..count {
                let rest = r[n] - a * q[n];
                let direction = if a == 0.0 { p[n] } else { rest + b * p[n] };
                let expected = [x[n] + a * p[n], rest, direction];
                for k in 0..3 {
                    let off = (found[k][n] - expected[k]).abs();
                    assert!(off <= 64.0 * U2, "{a}, {b}: {k} of {n} is {off:e} off");
                }
            }
        }
        Ok(())
    })
}

/// Two quotients of 16 U2 each, of a difference that is a tenth of its parts at least, and products between them.
#[test]
fn a_step_in_double_single_is_that_of_f64_until_the_residual_is_within_the_tolerance() -> Result<()> {
    on_gpu(|gpu| {
        let long = |x: f64| held(x + 3e-9);
        // p.q, q.q, r.q, r.r, b.b, and whether the iteration goes on.
        for (pq, qq, rq, rr, bb, goes_on) in [
            (2.3, 3.1, 0.4, 1.7, 4.0, true),
            (0.7, 0.9, 1.1, 0.3, 9.0, true),
            (2.3, 3.1, 0.4, 0.03, 4.0, false),
            (2.3, 3.1, 0.4, 0.05, 4.0, true),
            (2.3, 3.1, 0.4, 0.05, 0.0, true),
            (2.3, 3.1, 0.4, 0.005, 0.0, false),
            (2.3, 3.1, 0.4, 0.005, 0.3, true),
            (2.3, 3.1, 0.4, 0.002, 0.3, false),
            (-2.3, 3.1, 0.4, 1.7, 4.0, false),
            (0.0, 3.1, 0.4, 1.7, 4.0, false),
        ] {
            let [qq, rq, rr] = [long(qq), long(rq), long(rr)];
            let pq = if pq == 0.0 { 0.0 } else { long(pq) };
            let scalar = |texel: &[f64]| gpu.buffer(1, 1).components(4).init(&texels_of(texel));
            let mut program =
                gpu.load(kernels::named("solve/double_step.frag")?.with(Prelude::DoubleSingle))?;
            program
                .bind_stream("of_q", &scalar(&[pq, qq])?)?
                .bind_stream("of_r", &scalar(&[rq, rr])?)?
                .bind_stream("bb", &scalar(&[bb, 7.0])?)?
                .bind_float("tolerance2", TOLERANCE2)?;
            let targets = [0; 2].map(|_| gpu.buffer(1, 1).components(4).build());
            let [entry, steps] = targets;
            let [entry, steps] = [entry?, steps?];
            program.onto(&[&entry, &steps]).run()?;
            assert_eq!(entry.data()?, [pq as f32, 0.0, 0.0, rr as f32], "{pq} {rr}");
            let [a, b] = if goes_on {
                let a = rr / pq;
                [a, (rr - a * (2.0 * rq - a * qq)) / rr]
            } else {
                [0.0; 2]
            };
            let texel = steps.data()?;
            for (n, expected) in [a, b].into_iter().enumerate() {
                let found = f64::from(texel[n]) + f64::from(texel[n + 2]);
                let off = (found - expected).abs();
                assert!(
                    off <= 512.0 * U2 * expected.abs().max(1.0),
                    "{pq} {rr}: {n} is {off:e} off {expected}"
                );
            }
        }
        Ok(())
    })
}
