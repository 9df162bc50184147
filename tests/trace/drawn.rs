//! Fragments that are counted while they are drawn: discarded ones, masks, points; and the clock of passes.

use std::time::Instant;

use quadrille::gl::{Compare, Kernel, Mask, Samples, StencilTest};
use quadrille::trace::{Clock, Recorder, Trace, Watch, What};
use quadrille::{Gpu, Rect, Result};

use crate::support::{counting, on_gpu};

fn recorded(gpu: &Gpu, work: impl FnOnce() -> Result<()>) -> Result<Trace> {
    let recorder = Recorder::start(gpu, Watch::default())?;
    work()?;
    Ok(recorder.end())
}

/// The third element of every three is left as it is: 61 · 7 = 427 elements from 0 on, 284 or 285 of them written.
#[test]
fn discarded_fragments_ran_and_were_not_written() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(61, 7).init(&counting(61 * 7))?;
        let target = gpu.buffer(61, 7).build()?;
        let text = "uniform Stream source; uniform float left; DOMAIN at; RANGE float kept;
                    void main() { kept = value2(source, at).x; if (mod(kept, 3.0) == left) discard; }";
        let mut program = gpu.program("some.frag", text)?;
        for (left, written) in [(0.0, 284), (1.0, 285), (2.0, 285), (4.0, 427)] {
            program.bind_stream("source", &source)?.bind_float("left", left)?;
            let trace = recorded(gpu, || program.run(&target))?;
            let sum = trace.sums()[0];
            assert_eq!((sum.texels, sum.at_most, sum.fetches), (written, false, (427, Some(427))), "{left}");
            assert_eq!(trace.passes().map(|pass| pass.written).collect::<Vec<_>>(), [Some(written)]);
            assert_eq!(sum.bytes, 427 * 4 + written * 4);
        }
        Ok(())
    })
}

/// A square of 5 × 3 texels is marked in the stencil; another pass draws where it is, over a range that cuts it.
#[test]
fn a_mask_lets_through_what_is_counted_also_inside_of_a_query() -> Result<()> {
    on_gpu(|gpu| {
        let (surface, target) = (gpu.depth_stencil(16, 11)?, gpu.buffer(16, 11).build()?);
        surface.clear(1.0, 0)?;
        let program = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let stencil = |compare, write| Mask {
            depth: None,
            stencil: Some(StencilTest { compare, reference: 1, write }),
        };
        let drawn = |range, compare, write| {
            program.onto(&[&target]).over(range).masked(&surface, stencil(compare, write), 0.0).run()
        };
        let trace = recorded(gpu, || {
            drawn(Rect::new(4, 2, 9, 5), Compare::Always, true)?;
            drawn(Rect::new(6, 0, 16, 11), Compare::Equal, false)?;
            let (_, query) = gpu.samples(|| {
                drawn(Rect::whole(16, 11), Compare::Equal, false)?;
                drawn(Rect::whole(16, 11), Compare::NotEqual, false)
            })?;
            let expected = if gpu.driver().embedded { Samples::Any(true) } else { Samples::Count(16 * 11) };
            assert_eq!(query.wait()?, expected, "the query of the program's own");
            let (_, query) = gpu.samples(|| drawn(Rect::new(0, 6, 16, 11), Compare::Equal, false))?;
            assert!(!query.wait()?.any());
            Ok(())
        })?;
        let written: Vec<_> = trace.passes().map(|pass| (pass.fragments, pass.written)).collect();
        let exact = [15, 9, 15, 16 * 11 - 15, 0].map(|count| (count, Some(count)));
        assert_eq!(written, exact);
        let queries: Vec<_> = trace.passes().map(|pass| pass.queries.as_slice()).collect();
        assert_eq!(queries, [&[][..], &[], &["samples"], &["samples"], &["samples"]]);
        assert!(!trace.sums()[0].at_most);
        assert!(trace.steps.iter().all(|step| matches!(step.what, What::Pass(_) | What::Compile { .. })));
        Ok(())
    })
}

/// 12 of 16 columns are drawn, three times; the query of time between takes nothing of the count around it.
#[test]
fn a_query_of_time_inside_of_one_of_samples_leaves_its_count() -> Result<()> {
    on_gpu(|gpu| {
        if !gpu.driver().timers {
            return Ok(());
        }
        let target = gpu.buffer(16, 11).build()?;
        let text = "DOMAIN at; RANGE float r; void main() { if (at.x < 4.0) discard; r = 1.0; }";
        let program = gpu.program("right.frag", text)?;
        let trace = recorded(gpu, || {
            let (((), time), samples) = gpu.samples(|| {
                program.run(&target)?;
                let timed = gpu.time(|| program.run(&target))?;
                program.run(&target)?;
                Ok(timed)
            })?;
            let embedded = gpu.driver().embedded;
            assert_eq!(
                samples.wait()?,
                if embedded { Samples::Any(true) } else { Samples::Count(3 * 12 * 11) }
            );
            assert!(time.wait()?.as_secs() < 3600);
            Ok(())
        })?;
        assert_eq!(trace.passes().map(|pass| pass.written).collect::<Vec<_>>(), [Some(12 * 11); 3]);
        let queries: Vec<_> = trace.passes().map(|pass| pass.queries.as_slice()).collect();
        assert_eq!(queries, [&["samples"][..], &["samples", "time"], &["samples"]]);
        Ok(())
    })
}

/// Points that lie on one another count each, and those outside of the target not at all.
#[test]
fn points_are_counted_where_they_fall() -> Result<()> {
    on_gpu(|gpu| {
        let vertex = "VERTEX vec2 place; void main() { scatter(place); }";
        let fragment = "RANGE float r; void main() { r = 1.0; }";
        let program =
            gpu.load_scatter(Kernel::new("place.vert", vertex), Kernel::new("one.frag", fragment))?;
        let on_one = [3.0, 4.0].repeat(700);
        let beside = [-2.0, 1.0, 9.0, 1.0, 1.0, 30.0];
        let places = [on_one, beside.to_vec(), vec![0.0, 0.0, 8.0, 5.0]].concat();
        let vertices = gpu.vertices(&[("place", 2)], &places)?;
        let target = gpu.buffer(9, 6).build()?;
        let trace = recorded(gpu, || program.onto(&[&target]).points(&vertices).run())?;
        let counts: Vec<_> =
            trace.passes().map(|pass| (pass.geometry.1, pass.fragments, pass.written)).collect();
        assert_eq!(counts, [(705, 702, Some(702))]);
        assert_eq!((trace.sums()[0].texels, trace.sums()[0].at_most), (702, false));
        Ok(())
    })
}

/// Whatever clock was taken, a pass of some milliseconds takes them: timers that do not measure the work are not believed.
#[test]
fn the_time_of_a_long_pass_is_that_of_its_work() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream source; uniform float n; DOMAIN at; RANGE float sum;
                    void main() { sum = 0.0; for (float i = 0.0; i < n; i += 1.0) sum += value2(source, at + vec2(i, 0.0)).x; }";
        let source = gpu.buffer(256, 256).init(&vec![1.0; 1 << 16])?;
        let target = gpu.buffer(256, 256).build()?;
        let mut program = gpu.program("long.frag", text)?;
        program.bind_stream("source", &source)?.bind_float("n", 2.0)?.run(&target)?;
        let mut timed = |n: f32| -> Result<(f64, f64, Clock)> {
            let recorder = Recorder::start(gpu, Watch { times: true, ..Watch::default() })?;
            gpu.finish();
            let began = Instant::now();
            program.bind_float("n", n)?.run(&target)?;
            gpu.finish();
            let took = began.elapsed().as_secs_f64();
            let trace = recorder.end();
            assert!(trace.clock != Clock::None && trace.sums()[0].passes == 1);
            Ok((trace.sums()[0].seconds, took, trace.clock))
        };
        // The least of some: other work of the machine may come between.
        let mut short = f64::INFINITY;
        for _ in 0..5 {
            short = short.min(timed(2.0)?.0);
        }
        // 200 times the fetches, and more for a card that does those in less time than a pass needs to be asked for and waited for. A
        // card that is shared takes longer by the wall's clock than by its own.
        let mut n = 400.0;
        let (long, took, clock) = loop {
            let (long, took, clock) = timed(n)?;
            if long > 5.0 * short || n > 20_000.0 {
                break (long, took, clock);
            }
            n *= 4.0;
        };
        assert!(
            long > 5.0 * short && long < 1.1 * took,
            "{short}, {long} of {took} s by {clock:?}, {n} fetches"
        );
        Ok(())
    })
}
