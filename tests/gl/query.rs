//! Occlusion queries and timers.

use std::time::Duration;

use quadrille::gl::{SampleQuery, Samples};
use quadrille::pug::{Compare, Cull, DepthTest, Kernel, Mask};
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

/// A page answers in a later task, or after it has waited for everything.
fn polled(gpu: &Gpu, query: &SampleQuery) -> Samples {
    if cfg!(target_arch = "wasm32") {
        gpu.finish();
    }
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
                assert_eq!(polled(gpu, &query), answer(gpu, passed), "{width}x{height}");
                assert_eq!(query.wait()?, query.wait()?, "asked twice");
                assert_eq!(query.wait()?.any(), passed > 0);
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
        assert_eq!(none.wait()?, answer(gpu, 0));
        assert_eq!(both.wait()?, answer(gpu, 32 + 8));
        Ok(())
    })
}

#[test]
fn what_the_work_returns_comes_through() -> Result<()> {
    on_gpu(|gpu| {
        let failed = gpu.samples(|| gpu.buffer(0, 0).build());
        assert!(matches!(failed.map(|_| ()), Err(Error::Empty { .. })));
        let ((), next) = gpu.samples(|| Ok(()))?;
        assert!(!next.wait()?.any(), "the failed query has ended");
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
        assert_eq!(outer.wait()?, answer(gpu, 16), "the outer one goes on");
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
        // A page tells no time before its caller has come back to it (`page::` of tests/web/library).
        if cfg!(target_arch = "wasm32") {
            assert!(refusal(time.wait()).contains("never ends in a page: call TimeQuery::poll"));
            return Ok(());
        }
        let waited = time.wait()?;
        // A clock that counts in other units would be off by a thousand; a busy machine is not that slow.
        assert!(waited > Duration::ZERO && waited < Duration::from_secs(3600), "{waited:?}");
        assert_eq!(time.poll(), Some(waited));
        // Both kinds at once.
        let (((), samples), _) = gpu.time(|| gpu.samples(|| one.run(&target)))?;
        assert!(samples.wait()?.any());
        Ok(())
    })
}

/// Passes only at one texel, with values that no blending takes for 0.
const ONLY: &str = "uniform vec2 place; DOMAIN at; RANGE vec4 r; RANGE float s;
                    void main() { if (floor(at) != place) discard; r = vec4(1.0 / (place.x - place.x), -1.0, 7.0, 0.0); s = 0.5; }";

/// A page answers no query while its caller waits: there each pass is drawn into a witness, too.
#[test]
fn witnesses_answer_as_queries_do() -> Result<()> {
    on_gpu(|gpu| {
        gpu.context().answer_by_witnesses();
        let any = |gpu: &Gpu, work: &dyn Fn() -> Result<()>| {
            let ((), query) = gpu.samples(work)?;
            let answer = query.wait()?;
            gpu.finish(); // in a page a poll knows no other end of its passes within a task
            assert_eq!(answer, Samples::Any(polled(gpu, &query).any()));
            Ok::<_, Error>(answer.any())
        };
        assert!(!any(gpu, &|| Ok(()))?, "nothing drawn");
        for &(width, height) in &[(1, 1), (2, 1), (16, 1), (1, 24), (9, 8), (65, 17), (7, 130), (129, 513)] {
            let (r, s) =
                (gpu.buffer(width, height).components(4).build()?, gpu.buffer(width, height).build()?);
            let places =
                [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1), (width / 2, height / 3)];
            for (x, y) in places {
                let mut only = gpu.program("only.frag", ONLY)?;
                only.bind_float("place", [x as f32, y as f32])?;
                let all = Rect::whole(width, height);
                assert!(any(gpu, &|| only.onto(&[&r, &s]).run())?, "{x}, {y} of {width}x{height}");
                assert!(any(gpu, &|| only.onto(&[&r, &s]).adding().run())?, "{x}, {y} added");
                assert_eq!(s.data()?[(y * width + x) as usize], 1.0, "drawn and added once each");
                // In one of two passes; in none.
                only.bind_float("place", [width as f32, 0.0])?;
                assert!(!any(gpu, &|| only.onto(&[&r, &s]).over(all).run())?, "{width}x{height}");
            }
        }
        Ok(())
    })
}

/// A witness asks the same tests as the pass, before it, and leaves nothing in their surface.
#[test]
fn witnesses_see_masks_points_and_several_targets_of_many_sizes() -> Result<()> {
    on_gpu(|gpu| {
        gpu.context().answer_by_witnesses();
        let any = |work: &dyn Fn() -> Result<()>| Ok::<_, Error>(gpu.samples(work)?.1.wait()?.any());
        let one = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let left = gpu.program(
            "left.frag",
            "DOMAIN at; RANGE float r; void main() { if (at.x < 4.0) discard; r = 1.0; }",
        )?;
        for mask in [Cull::depth(gpu, 16, 9)?, Cull::stencil(gpu, 16, 9)?] {
            let target = gpu.buffer(16, 9).build()?;
            let (open, closed) = (Rect::new(0, 0, 4, 9), Rect::new(4, 0, 16, 9));
            // Closing is a pass that writes the mask: its witness, which is drawn first, must not.
            assert!(any(&|| mask.close(left.onto(&[&target])).run())?);
            target.write(&[0.0; 16 * 9])?;
            assert!(any(&|| mask.only(one.onto(&[&target])).over(open).run())?);
            assert!(!any(&|| mask.only(one.onto(&[&target])).over(closed).run())?);
            assert!(any(&|| mask.except(one.onto(&[&target])).over(closed).run())?);
            assert!(!any(&|| mask.except(one.onto(&[&target])).over(open).run())?);
            assert_eq!(target.data()?, [1.0; 16 * 9]);
        }
        // A pass that writes the depth it is tested against: a witness that wrote it would keep the pass itself out.
        let (surface, target) = (gpu.depth_stencil(5, 3)?, gpu.buffer(5, 3).build()?);
        surface.clear(1.0, 0)?;
        let nearer = Mask { depth: Some(DepthTest { compare: Compare::Less, write: true }), stencil: None };
        assert!(any(&|| one.onto(&[&target]).masked(&surface, nearer, 0.5).run())?);
        assert!(!any(&|| one.onto(&[&target]).masked(&surface, nearer, 0.5).run())?);
        assert_eq!(target.data()?, [1.0; 15]);
        let vertex = "uniform float shift; void main() { scatter(vec2(float(gl_VertexID) + shift, 0.5)); }";
        let fragment = Kernel::new("one.frag", "RANGE float r; void main() { r = 1.0; }");
        let mut points = gpu.load_scatter(Kernel::new("row.vert", vertex), fragment)?;
        let (small, wide) = (gpu.buffer(3, 1).build()?, gpu.buffer(200, 3).build()?);
        points.bind_float("shift", -10.0)?;
        assert!(!any(&|| points.onto(&[&wide]).counted_points(5).run())?, "all of them lie outside");
        points.bind_float("shift", 150.5)?;
        let both = || {
            points.onto(&[&small]).counted_points(5).run()?; // none inside
            points.onto(&[&wide]).counted_points(5).run()
        };
        assert!(any(&both)?, "the second of two sizes");
        assert_eq!(wide.data()?.iter().sum::<f32>(), 5.0);
        Ok(())
    })
}
