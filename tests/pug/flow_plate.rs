//! Iterations that end themselves: Jacobi's relaxation of a plate, one side held at 1, until nothing moves by more than
//! a thousandth of that. By a counting pass of its own, and by an update that discards what has converged.

use std::cell::RefCell;

use quadrille::pug::{Ended, Samples, Until, frame, until_none};
use quadrille::{DoubleBuffer, Gpu, Program, Rect, Result, kernels};

use crate::support::on_gpu;

const SIDE: usize = 64;
const TOLERANCE: f32 = 1e-3;
const MOST: u64 = 2000;

/// 1 along row 0, 0 elsewhere.
fn cold() -> Vec<f32> {
    (0..SIDE * SIDE).map(|i| f32::from(u8::from(i < SIDE))).collect()
}

fn interior() -> Rect {
    frame(Rect::whole(SIDE as u32, SIDE as u32), 1).0.unwrap_or(Rect::whole(0, 0))
}

/// The mean of its neighbours less the value, of each interior texel in f64, and its index.
fn residuals(u: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let inside = |i: &usize| (1..SIDE - 1).contains(&(i % SIDE)) && (1..SIDE - 1).contains(&(i / SIDE));
    let mean = |i: usize| 0.25 * (u[i + 1] + u[i - 1] + u[i + SIDE] + u[i - SIDE]);
    (0..SIDE * SIDE).filter(inside).map(move |i| (i, mean(i) - u[i]))
}

/// How far a plate is from equilibrium anywhere.
fn residual(u: &[f32]) -> f64 {
    let u: Vec<f64> = u.iter().copied().map(f64::from).collect();
    residuals(&u).map(|(_, residual)| residual.abs()).fold(0.0, f64::max)
}

/// Sweeps until the last of them moved nothing by more than the tolerance, in f64.
fn sweeps_in_f64() -> u64 {
    let mut u: Vec<f64> = cold().into_iter().map(f64::from).collect();
    for sweep in 1..=MOST {
        let changes: Vec<(usize, f64)> = residuals(&u).collect();
        changes.iter().for_each(|&(i, change)| u[i] += change);
        if changes.iter().all(|(_, change)| change.abs() <= f64::from(TOLERANCE)) {
            return sweep;
        }
    }
    MOST
}

/// Update and count in passes of their own.
struct Counted {
    plate: DoubleBuffer,
    relax: Program,
    ask: Program,
}

impl Counted {
    fn new(gpu: &Gpu) -> Result<Counted> {
        let side = SIDE as u32;
        let plate = gpu.buffer(side, side).double().init(&cold())?;
        plate.back().write(&cold())?; // the rim is never drawn
        let mut ask = gpu.builtin("flow/change_ask.frag")?;
        ask.bind_float("tolerance", TOLERANCE)?;
        let relax = gpu.load(kernels::named("flow/plate_relax.frag")?.define("RESTING", 0))?;
        Ok(Counted { plate, relax, ask })
    }

    fn sweep(&mut self) -> Result<()> {
        self.relax.bind_stream("plate", self.plate.front())?.run_over(self.plate.back(), interior())?;
        self.plate.swap();
        Ok(())
    }

    fn run(gpu: &Gpu, every: u64, lag: usize) -> Result<(Ended, Vec<f32>)> {
        let counted = RefCell::new(Counted::new(gpu)?);
        let nowhere = gpu.buffer(SIDE as u32, SIDE as u32).build()?;
        let ended = Until::new(gpu, MOST, every, lag).finish(
            |_| counted.borrow_mut().sweep(),
            || {
                let Counted { plate, ask, .. } = &mut *counted.borrow_mut();
                ask.bind_stream("before", plate.back())?.bind_stream("after", plate.front())?;
                ask.run_over(&nowhere, interior())
            },
        )?;
        let plate = counted.borrow().plate.data()?;
        Ok((ended, plate))
    }
}

/// The update that discards what rests. Its two buffers hold (u, the sweep that made it).
struct Resting {
    plate: DoubleBuffer,
    relax: Program,
    sweeps: f32,
}

impl Resting {
    fn new(gpu: &Gpu) -> Result<Resting> {
        // Both buffers hold what is there at the beginning: as old as it has to be.
        let aged: Vec<f32> = cold().into_iter().flat_map(|u| [u, -2.0]).collect();
        let plate = gpu.buffer(SIDE as u32, SIDE as u32).components(2).double().init(&aged)?;
        plate.back().write(&aged)?;
        let mut relax = gpu.load(kernels::named("flow/plate_relax.frag")?.define("RESTING", 1))?;
        relax.bind_float("tolerance", TOLERANCE)?;
        Ok(Resting { plate, relax, sweeps: 0.0 })
    }

    fn sweep(&mut self) -> Result<()> {
        self.relax.bind_stream("plate", self.plate.front())?.bind_float("sweep", self.sweeps)?;
        self.relax.run_over(self.plate.back(), interior())?;
        self.plate.swap();
        self.sweeps += 1.0;
        Ok(())
    }

    fn run(gpu: &Gpu, lag: usize) -> Result<(Ended, Resting)> {
        let mut resting = Resting::new(gpu)?;
        let ended = Until::new(gpu, MOST, 1, lag).finish(|_| Ok(()), || resting.sweep())?;
        Ok((ended, resting))
    }
}

/// The first of each pair.
fn values(pairs: &[f32]) -> Vec<f32> {
    pairs.chunks(2).map(|pair| pair[0]).collect()
}

#[test]
fn a_counting_pass_ends_a_64x64_plate_after_the_sweeps_of_f64() -> Result<()> {
    on_gpu(|gpu| {
        let expected = sweeps_in_f64();
        assert!((50..MOST).contains(&expected), "{expected}");
        let (ended, plate) = Counted::run(gpu, 1, 0)?;
        println!("counting pass: {} sweeps, in f64 {expected}", ended.sweeps);
        assert!(ended.done && ended.sweeps.abs_diff(expected) <= 1, "{ended:?}, in f64 {expected}");
        assert_eq!((ended.asked, ended.last_at), (ended.sweeps, ended.sweeps));
        // The last sweep moved nothing by more; means of changes are no larger than the changes.
        assert!(residual(&plate) <= f64::from(TOLERANCE) + 4.0 * f64::from(f32::EPSILON));
        Ok(())
    })
}

#[test]
fn an_update_that_discards_ends_as_near_to_equilibrium() -> Result<()> {
    on_gpu(|gpu| {
        let (counted, plate) = Counted::run(gpu, 1, 0)?;
        let (ended, resting) = Resting::run(gpu, 0)?;
        let found = residual(&values(&resting.plate.data()?));
        let (all, other) = (residual(&plate), counted.sweeps);
        println!(
            "discarding update: {} sweeps, residual {found:.3e}; counting pass {other}, {all:.3e}",
            ended.sweeps
        );
        assert!(ended.done);
        assert!(found <= 2.0 * all, "{found} against {all}");
        assert!(found <= f64::from(TOLERANCE) + 4.0 * f64::from(f32::EPSILON));
        Ok(())
    })
}

#[test]
fn what_rests_holds_its_latest_value_in_both_buffers() -> Result<()> {
    on_gpu(|gpu| {
        let (_, resting) = Resting::run(gpu, 0)?;
        assert_eq!(resting.plate.front().data()?, resting.plate.back().data()?);
        // On the way, too: where neither of two sweeps drew, both hold the same.
        let mut resting = Resting::new(gpu)?;
        for sweep in 0..200 {
            resting.sweep()?;
            let (front, back) = (resting.plate.front().data()?, resting.plate.back().data()?);
            for (i, (front, back)) in front.chunks(2).zip(back.chunks(2)).enumerate() {
                let old = sweep as f32 - front[1] >= 1.5;
                assert!(!old || front == back, "texel {i} in sweep {sweep}: {front:?}, {back:?}");
            }
        }
        Ok(())
    })
}

/// Where queries count; elsewhere they say only whether there was any.
#[test]
fn an_update_that_discards_draws_fewer_texels() -> Result<()> {
    on_gpu(|gpu| {
        let mut resting = Resting::new(gpu)?;
        let (mut drawn, mut sweeps, mut counts) = (0, 0, true);
        loop {
            let ((), query) = gpu.samples(|| resting.sweep())?;
            sweeps += 1;
            match query.wait()? {
                Samples::Count(0) | Samples::Any(false) => break,
                Samples::Count(count) => drawn += count,
                Samples::Any(true) => counts = false,
            }
        }
        let all = sweeps * interior().area() as u64;
        if counts {
            println!("{drawn} texels drawn of {all} in {sweeps} sweeps");
            assert!(drawn < all / 2, "{drawn} of {all}");
        }
        Ok(())
    })
}

#[test]
fn answers_that_lag_cost_sweeps_and_change_no_bits() -> Result<()> {
    on_gpu(|gpu| {
        let (at_once, _) = Counted::run(gpu, 1, 0)?;
        for (every, lag) in [(1, 3), (10, 0), (10, 2)] {
            let (ended, plate) = Counted::run(gpu, every, lag)?;
            let enough = at_once.sweeps.next_multiple_of(every);
            assert_eq!((ended.last_at, ended.sweeps), (enough, enough + every * lag as u64));
            let (again, same) = Counted::run(gpu, every, lag)?;
            assert_eq!((ended, plate), (again, same));
        }
        // An update that discards changes nothing when nobody is left, so a lag changes nothing at all.
        let (at_once, first) = Resting::run(gpu, 0)?;
        let (late, second) = Resting::run(gpu, 4)?;
        assert_eq!((late.last_at, late.sweeps), (at_once.sweeps, at_once.sweeps + 4));
        assert_eq!(values(&first.plate.data()?), values(&second.plate.data()?));
        Ok(())
    })
}

#[test]
fn too_few_sweeps_end_with_somebody_left() -> Result<()> {
    on_gpu(|gpu| {
        let mut resting = Resting::new(gpu)?;
        let ended = until_none(gpu, 25, 10, |_| Ok(()), || resting.sweep())?;
        assert_eq!((ended.sweeps, ended.asked, ended.done, ended.last_at), (25, 3, false, 25));
        assert!(ended.last.is_some_and(Samples::any));
        Ok(())
    })
}

/// Elements that fall count as those that rise do; a change of the tolerance itself does not.
#[test]
fn a_change_counts_whichever_way_it_goes() -> Result<()> {
    on_gpu(|gpu| {
        let mut ask = gpu.builtin("flow/change_ask.frag")?;
        let before = [1.0f32, 1.0, 1.0, 1.0, 1.0, -2.0, -2.0];
        let after = [1.0, 1.25, 0.75, 1.5, 0.5, -2.0, 2.0];
        let passes = gpu.buffer(7, 1).init(&[-7.0; 7])?;
        ask.bind_stream("before", &gpu.buffer(7, 1).init(&before)?)?
            .bind_stream("after", &gpu.buffer(7, 1).init(&after)?)?
            .bind_float("tolerance", 0.25)?
            .run(&passes)?;
        let passed = passes.data()?.iter().map(|&texel| texel != -7.0).collect::<Vec<_>>();
        assert_eq!(passed, [false, false, false, true, true, false, true]);
        Ok(())
    })
}
