//! Occlusion queries and timers.

use std::time::Duration;

use quadrille::gl::{SampleQuery, Samples};
use quadrille::{Buffer, Error, Gpu, Program, Rect, Result};

use crate::support::{SIZES, counting, on_gpu, refusal};

/// Keeps only elements above `threshold`.
fn above(gpu: &Gpu, source: &Buffer, threshold: f32) -> Result<Program> {
    let text = "uniform Stream a; uniform float threshold; DOMAIN at; RANGE float r;
                void main() { r = value2(a, at).x; if (r <= threshold) { discard; } }";
    let mut program = gpu.program("above.frag", text)?;
    program.bind_stream("a", source)?.bind_float("threshold", threshold)?;
    Ok(program)
}

fn polled(query: &SampleQuery) -> Samples {
    loop {
        if let Some(samples) = query.poll() {
            return samples;
        }
        std::thread::yield_now();
    }
}

/// The answer that this dialect gives for n fragments.
fn answer(gpu: &Gpu, n: usize) -> Samples {
    if gpu.driver().embedded { Samples::Any(n > 0) } else { Samples::Count(n as u64) }
}

#[test]
fn fragments_that_are_not_discarded_are_counted() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let source = gpu.buffer(width, height).init(&counting(n))?;
            let target = gpu.buffer(width, height).build()?;
            for last_discarded in [-1, 0, n as i32 / 2, n as i32 - 1] {
                let program = above(gpu, &source, last_discarded as f32)?;
                let passed = (n as i32 - 1 - last_discarded) as usize;
                let ((), query) = gpu.samples(|| program.run(&target))?;
                gpu.flush();
                assert_eq!(polled(&query), answer(gpu, passed), "{width}x{height}");
                assert_eq!(query.wait(), query.wait(), "asked twice");
                assert_eq!(query.wait().any(), passed > 0);
            }
        }
        Ok(())
    })
}

#[test]
fn one_query_spans_several_passes_and_others_wait_their_turn() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(8, 8).init(&counting(64))?;
        let target = gpu.buffer(8, 8).build()?;
        let program = above(gpu, &source, 31.0)?;
        let (_, both) = gpu.samples(|| {
            program.run(&target)?;
            program.run_over(&target, Rect::new(0, 7, 8, 8))
        })?;
        let (value, none) = gpu.samples(|| Ok(42))?;
        assert_eq!(value, 42);
        assert_eq!(none.wait(), answer(gpu, 0));
        assert_eq!(both.wait(), answer(gpu, 32 + 8));
        Ok(())
    })
}

#[test]
fn what_the_work_returns_comes_through() -> Result<()> {
    on_gpu(|gpu| {
        let failed = gpu.samples(|| gpu.buffer(0, 0).build());
        assert!(matches!(failed.map(|_| ()), Err(Error::Empty { .. })));
        let ((), next) = gpu.samples(|| Ok(()))?;
        assert!(!next.wait().any(), "the failed query has ended");
        Ok(())
    })
}

#[test]
fn a_query_inside_another_of_its_kind_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(4, 4).build()?;
        let one = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let (inner, outer) = gpu.samples(|| {
            let inner = refusal(gpu.samples(|| Ok(())));
            one.run(&target)?;
            Ok(inner)
        })?;
        assert!(inner.contains("a query"), "{inner}");
        assert_eq!(outer.wait(), answer(gpu, 16), "the outer one goes on");
        Ok(())
    })
}

#[test]
fn time_is_told_or_its_extension_is_named() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(256, 256).build()?;
        let one = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        if !gpu.driver().timers {
            assert!(refusal(gpu.time(|| Ok(()))).contains("needs EXT_disjoint_timer_query"));
            return Ok(());
        }
        let ((), time) = gpu.time(|| (0..10).try_for_each(|_| one.run(&target)))?;
        let waited = time.wait();
        // A clock that counts in other units would be off by a thousand; a busy machine is not that slow.
        assert!(waited > Duration::ZERO && waited < Duration::from_secs(3600), "{waited:?}");
        assert_eq!(time.poll(), Some(waited));
        // Both kinds at once.
        let (((), samples), _) = gpu.time(|| gpu.samples(|| one.run(&target)))?;
        assert!(samples.wait().any());
        Ok(())
    })
}
