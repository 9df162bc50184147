//! How iterations are watched: which question is answered when, and that nothing waits that should not.

use quadrille::pug::{Progress, Samples, Until, Watcher, until_none};
use quadrille::{Buffer, Error, Gpu, Program, Result};

use crate::support::{on_gpu, refusal};

/// Passes in the texels x >= `from` of 16.
fn right_of(gpu: &Gpu) -> Result<(Program, Buffer)> {
    let text =
        "uniform float from; DOMAIN at; RANGE float r; void main() { if (at.x < from) discard; r = 1.0; }";
    Ok((gpu.program("right_of.frag", text)?, gpu.buffer(16, 1).build()?))
}

/// The answer of this driver's query when so many fragments pass.
fn answer(gpu: &Gpu, passed: u64) -> Samples {
    if gpu.driver().embedded { Samples::Any(passed > 0) } else { Samples::Count(passed) }
}

/// Asks about ever fewer fragments: none are left after sweep 16.
fn shrink(program: &mut Program, target: &Buffer, sweeps: u64) -> Result<()> {
    program.bind_float("from", sweeps as f32)?.run(target)
}

#[test]
fn a_watcher_answers_in_the_order_of_its_questions() -> Result<()> {
    on_gpu(|gpu| {
        let (mut program, target) = right_of(gpu)?;
        let mut watcher = Watcher::new(gpu, 8);
        assert_eq!((watcher.poll(), watcher.wait()?), (None, None));
        for sweep in [3, 10, 16] {
            watcher.ask(sweep, || shrink(&mut program, &target, sweep))?;
        }
        assert_eq!(watcher.in_flight(), 3);
        assert_eq!(watcher.wait()?, Some((3, answer(gpu, 13))));
        gpu.finish();
        assert_eq!(watcher.poll(), Some((10, answer(gpu, 6))), "all is drawn");
        assert_eq!(watcher.wait()?, Some((16, answer(gpu, 0))));
        assert_eq!((watcher.poll(), watcher.in_flight()), (None, 0));
        Ok(())
    })
}

#[test]
fn a_watcher_that_nobody_looks_at_forgets_the_oldest() -> Result<()> {
    on_gpu(|gpu| {
        let (mut program, target) = right_of(gpu)?;
        let live = gpu.counters().live;
        let mut watcher = Watcher::new(gpu, 0);
        for sweep in 0..100 {
            watcher.ask(sweep, || shrink(&mut program, &target, sweep))?;
        }
        // In a page a question has a witness beside its query.
        let objects = if cfg!(target_arch = "wasm32") { 2 } else { 1 };
        assert_eq!((watcher.in_flight(), gpu.counters().live), (1, live + objects), "0 counts as 1");
        assert_eq!(watcher.wait()?.map(|(sweep, _)| sweep), Some(99));
        Ok(())
    })
}

#[test]
fn a_question_that_fails_is_none() -> Result<()> {
    on_gpu(|gpu| {
        let (program, target) = right_of(gpu)?;
        let mut watcher = Watcher::new(gpu, 2);
        let line = refusal(watcher.ask(0, || program.run(&target)));
        assert!(line.contains("from"), "{line}");
        assert_eq!(watcher.in_flight(), 0);
        let failed = until_none(gpu, 9, 1, |_| Ok(()), || program.run(&target));
        assert!(matches!(failed, Err(Error::Unbound { .. })));
        Ok(())
    })
}

#[test]
fn sweeps_are_numbered_and_counted_for_every_pace_and_lag() -> Result<()> {
    on_gpu(|gpu| {
        let (mut program, target) = right_of(gpu)?;
        for most in [0, 1, 7, 15, 16, 17, 40] {
            for every in [0, 1, 2, 5, 16, 100] {
                for lag in [0, 1, 3] {
                    let sweeps = std::cell::Cell::new(0);
                    let count = |sweep| {
                        assert_eq!(sweep, sweeps.get());
                        sweeps.set(sweep + 1);
                        Ok(())
                    };
                    let ask = || shrink(&mut program, &target, sweeps.get());
                    let ended = Until::new(gpu, most, every, lag).finish(count, ask)?;
                    assert_eq!(ended, expected(gpu, most, every, lag as u64), "{most} {every} {lag}");
                    assert_eq!(ended.sweeps, sweeps.get());
                }
            }
        }
        Ok(())
    })
}

/// The same by counting: question q, from 0, is asked after sweep (q + 1) every or at the end.
fn expected(gpu: &Gpu, most: u64, every: u64, lag: u64) -> quadrille::pug::Ended {
    let questions: Vec<u64> = match every {
        0 => Vec::new(),
        _ => (1..=most).filter(|sweep| sweep % every == 0 || *sweep == most).collect(),
    };
    let none = questions.iter().position(|&sweep| sweep >= 16);
    let last = none.or(questions.len().checked_sub(1));
    let asked = none.map_or(questions.len(), |none| questions.len().min(none + 1 + lag as usize));
    quadrille::pug::Ended {
        sweeps: if none.is_some() { questions[asked - 1] } else { most },
        asked: asked as u64,
        done: none.is_some(),
        last: last.map(|last| answer(gpu, 16u64.saturating_sub(questions[last]))),
        last_at: last.map_or(0, |last| questions[last]),
    }
}

#[test]
fn an_iteration_in_frames_ends_as_the_one_that_waits() -> Result<()> {
    on_gpu(|gpu| {
        let (mut program, target) = right_of(gpu)?;
        for (most, every, lag) in [(40, 2, 0), (40, 1, 3), (10, 3, 1), (0, 1, 1)] {
            let mut until = Until::new(gpu, most, every, lag);
            let sweeps = std::cell::Cell::new(0);
            let mut frames = 0;
            loop {
                let before = sweeps.get();
                let count = |sweep| {
                    sweeps.set(sweep + 1);
                    Ok(())
                };
                let progress = until.advance(3, count, || shrink(&mut program, &target, sweeps.get()))?;
                assert!(sweeps.get() - before <= 3);
                match progress {
                    Progress::Over => break,
                    Progress::Sweeping => assert_eq!(sweeps.get() - before, 3),
                    Progress::Waiting => {} // a window would draw its picture now
                }
                gpu.finish();
                frames += 1;
                assert!(frames < 100, "every answer is there after a frame");
            }
            assert!(until.is_over());
            assert_eq!(until.so_far(), expected(gpu, most, every, lag as u64));
        }
        Ok(())
    })
}

#[test]
fn an_answer_that_is_not_there_stops_the_sweeps_and_not_the_caller() -> Result<()> {
    on_gpu(|gpu| {
        let (mut program, target) = right_of(gpu)?;
        let mut until = Until::new(gpu, 1000, 1, 2);
        let sweeps = std::cell::Cell::new(0);
        let count = |sweep| {
            sweeps.set(sweep + 1);
            Ok(())
        };
        // However the driver answers: never more than two questions are left open, and it returns.
        let progress = until.advance(10, count, || shrink(&mut program, &target, 0))?;
        // It may wait for the last of them, too.
        let (all, some) = (sweeps.get() == 10, (3..=10).contains(&sweeps.get()));
        assert!((progress == Progress::Sweeping && all) || (progress == Progress::Waiting && some));
        Ok(())
    })
}
