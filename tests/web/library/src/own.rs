//! The tests that only a page can run: a context that is lost and comes back, answers that arrive in a later task, the words for what would
//! never end.
//!
//! A test that has to come again in a later task keeps where it is and returns the line `later`.

use std::cell::RefCell;
use std::rc::Rc;

use quadrille::gl::Context;
use quadrille::pug::{Edges, Kernel, Program, Progress, Until};
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::{Buffer, Error, Gpu, Operator, Result};
use wasm_bindgen::JsCast;
use web_sys::{OffscreenCanvas, WebGl2RenderingContext, WebglLoseContext};

use crate::Test;

pub(crate) fn web_tests(list: &mut Vec<Test>) {
    let mut add = |name, run| list.push(Test { name, ignored: false, run });
    add("page::a_lost_context_is_named_by_all_that_fails_by_it", lost_by_name);
    add("page::a_new_context_of_the_same_canvas_computes_the_same_bits", || again(restored));
    add("page::a_read_back_arrives_in_a_later_task", || again(arrives));
    add("page::an_iteration_in_frames_ends_as_the_one_that_waits", || again(in_frames));
    add("page::the_renderer_has_its_own_name_and_extensions_are_there", named);
    add("page::a_program_is_compiled_while_tasks_go_by", || again(compiles));
    add("page::a_texture_that_is_too_large_is_out_of_memory", too_large);
}

/// A test in several tasks: its state, and a step that says when to come again.
type Going = Box<dyn FnMut() -> Result<bool>>;

thread_local! {
    static GOING: RefCell<Option<Going>> = const { RefCell::new(None) };
}

/// Begins a test, or goes on with it: `later` until its step returns true.
fn again(begin: fn() -> Result<Going>) -> Option<String> {
    let begun = GOING.take();
    let outcome = begun.map_or_else(begin, Ok).and_then(|mut step| Ok((step()?, step)));
    match outcome {
        Ok((true, _)) => None,
        Ok((false, step)) => {
            GOING.replace(Some(step));
            Some("later".into())
        }
        Err(error) => Some(error.to_string()),
    }
}

/// A canvas, its context, and the extension that loses it.
fn canvas() -> Result<(Gpu, WebGl2RenderingContext, WebglLoseContext)> {
    let none = |what: &str| Error::Driver { what: what.into(), message: "there is none".into() };
    let canvas = OffscreenCanvas::new(1, 1).map_err(|_| none("a canvas"))?;
    // A canvas gets its context back only where somebody says so.
    let wanted = js_sys::Function::new_with_args("event", "event.preventDefault()");
    let _ = canvas.add_event_listener_with_callback("webglcontextlost", &wanted);
    let context = canvas.get_context("webgl2").ok().flatten().ok_or_else(|| none("WebGL 2"))?;
    let context: WebGl2RenderingContext = context.unchecked_into();
    let extension = context.get_extension("WEBGL_lose_context").ok().flatten();
    let extension = extension.ok_or_else(|| none("WEBGL_lose_context"))?.unchecked_into();
    Ok((Gpu::of(Context::from_webgl2(context.clone(), None)?), context, extension))
}

fn pattern(gpu: &Gpu) -> Result<Vec<f32>> {
    let mut cells = GrayScott::new(gpu, 64, 64, Parameters::default(), Edges::Repeat, 1)?;
    (0..20).try_for_each(|_| cells.step())?;
    cells.state().data()
}

/// The line of what has to fail.
fn line<T>(what: &str, outcome: Result<T>) -> String {
    match outcome {
        Ok(_) => format!("{what} did not fail"),
        Err(Error::ContextLost { .. }) => String::new(),
        Err(error) => format!("{what}: {error}"),
    }
}

fn lost_by_name() -> Option<String> {
    let run = || -> Result<Vec<String>> {
        let (gpu, context, extension) = canvas()?;
        let buffer = gpu.buffer(8, 8).init(&[1.0; 64])?;
        let target = gpu.buffer(8, 8).build()?;
        let one = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let (pending, second) = (buffer.data_async()?, buffer.data_async()?);
        let ((), query) = gpu.samples(|| one.run(&target))?;
        let mut until = Until::new(&gpu, 10, 1, 0);
        until.advance(1, |_| Ok(()), || one.run(&target))?;
        extension.lose_context();
        assert!(gpu.is_lost());
        one.run(&target)?; // draws nothing, and does not fail
        let found = [
            line("a pending read-back", pending.wait()),
            line("a pending read-back, polled", second.poll()),
            line("a read-back", target.data()),
            line("a read-back that begins", target.data_async()),
            line("a buffer", gpu.buffer(9, 9).build()),
            line("a kernel", gpu.program("two.frag", "RANGE float r; void main() { r = 2.0; }")),
            line("a reduction", gpu.reduction(Operator::sum()).value(&target)),
            line("a query", query.wait()),
            line("a query that begins", gpu.samples(|| one.run(&target))),
            line("an iteration", until.advance(1, |_| Ok(()), || one.run(&target))),
            line("a second Gpu", Context::from_webgl2(context, None)),
        ];
        let said = target.data().err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(
            said,
            "the OpenGL context was lost, and with it a read-back: begin anew with a new context"
        );
        Ok(found.into_iter().filter(|line| !line.is_empty()).collect())
    };
    match run() {
        Ok(lines) if lines.is_empty() => None,
        Ok(lines) => Some(lines.join("; ")),
        Err(error) => Some(error.to_string()),
    }
}

/// The old objects are dropped after the canvas has its new context, to which they are strangers.
fn restored() -> Result<Going> {
    let (gpu, context, extension) = canvas()?;
    let before = pattern(&gpu)?;
    let kept: (Buffer, _) =
        (gpu.buffer(8, 8).build()?, gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?);
    extension.lose_context();
    let mut old = Some((gpu, kept));
    let mut tasks = 0;
    Ok(Box::new(move || {
        tasks += 1;
        match tasks {
            1..=3 => return Ok(false),
            4 => extension.restore_context(),
            _ => {}
        }
        if context.is_context_lost() {
            assert!(tasks < 200, "the context does not come back");
            return Ok(false);
        }
        let gpu = Gpu::of(Context::from_webgl2(context.clone(), None)?);
        assert!(!gpu.is_lost());
        let buffer = gpu.buffer(8, 8).init(&[3.0; 64])?;
        if let Some((gpu, kept)) = old.take() {
            makes_nothing(&gpu, &kept.0, &kept.1)?;
            drop((kept, gpu));
            let error = context.get_error();
            assert_eq!(error, WebGl2RenderingContext::NO_ERROR, "the old Gpu has called the new context");
        }
        assert!(buffer.data()? == [3.0; 64], "the old Gpu has written into the new context");
        assert!(pattern(&gpu)? == before, "other bits");
        Ok(true)
    }))
}

/// A Gpu whose context was lost makes, reads and writes nothing, although its canvas has a context again.
fn makes_nothing(gpu: &Gpu, buffer: &Buffer, one: &Program) -> Result<()> {
    assert!(gpu.is_lost(), "what was lost stays lost");
    one.run(buffer)?;
    let found = [
        line("a buffer", gpu.buffer(9, 9).build()),
        line("a pooled buffer", gpu.buffer(8, 8).build()),
        line("a kernel", gpu.program("two.frag", "RANGE float r; void main() { r = 2.0; }")),
        line(
            "a kernel that begins",
            gpu.start(&Kernel::new("three.frag", "RANGE float r; void main() { r = 3.0; }")),
        ),
        line("a write", buffer.write(&[1.0; 64])),
        line("a read-back", buffer.data()),
        line("a read-back that begins", buffer.data_async()),
        line("a query", gpu.samples(|| one.run(buffer))),
    ];
    let said: Vec<String> = found.into_iter().filter(|line| !line.is_empty()).collect();
    assert!(said.is_empty(), "{}", said.join("; "));
    Ok(())
}

fn arrives() -> Result<Going> {
    let gpu = Gpu::headless()?;
    let values: Vec<f32> = (0..63).map(|i| i as f32).collect();
    let buffer = gpu.buffer(9, 7).init(&values)?;
    let mut pending = Some(buffer.data_async()?);
    let mut tasks = 0;
    Ok(Box::new(move || {
        tasks += 1;
        assert!(tasks < 2000, "the values do not arrive");
        let Some(asked) = pending.take() else { return Ok(true) };
        match asked.poll()? {
            Ok(found) => assert_eq!(found, values),
            Err(asked) => pending = Some(asked),
        }
        Ok(pending.is_none())
    }))
}

/// Passes in ever fewer texels, in none after sweep 16.
fn in_frames() -> Result<Going> {
    let gpu = Gpu::headless()?;
    let text =
        "uniform float from; DOMAIN at; RANGE float r; void main() { if (at.x < from) discard; r = 1.0; }";
    let program = RefCell::new(gpu.program("right_of.frag", text)?);
    let target = gpu.buffer(16, 1).build()?;
    let ask = move |sweeps: u64| program.borrow_mut().bind_float("from", sweeps as f32)?.run(&target);
    let ask = Rc::new(ask);
    let sweeps = RefCell::new(0);
    let count = |_| {
        *sweeps.borrow_mut() += 1;
        Ok(())
    };
    let waited = Until::new(&gpu, 100, 2, 1).finish(count, || ask(*sweeps.borrow()))?;
    let (mut until, mut swept, mut tasks) = (Until::new(&gpu, 100, 2, 1), 0, 0);
    Ok(Box::new(move || {
        tasks += 1;
        assert!(tasks < 2000, "no end");
        let swept = RefCell::new(&mut swept);
        let count = |_| {
            **swept.borrow_mut() += 1;
            Ok(())
        };
        let progress = until.advance(5, count, || ask(**swept.borrow()))?;
        if progress == Progress::Over {
            assert_eq!(until.so_far(), waited);
            assert_eq!((waited.sweeps, waited.last_at, waited.done), (18, 16, true));
        }
        Ok(progress == Progress::Over)
    }))
}

fn named() -> Option<String> {
    let run = || -> Result<()> {
        let gpu = Gpu::headless()?;
        let (driver, limits) = (gpu.driver(), gpu.limits());
        assert!(driver.in_page && driver.embedded);
        assert!(
            driver.renderer.contains("llvmpipe") || driver.renderer.contains("SwiftShader"),
            "{}",
            driver.renderer
        );
        assert!(driver.float_render && limits.float_blend && limits.float_filter);
        assert!(gpu.missing().len() <= 1, "{:?}", gpu.missing()); // timers may be missing
        assert!(gpu.probes()?.highp);
        Ok(())
    };
    crate::Outcome::line(run())
}

fn compiles() -> Result<Going> {
    let gpu = Gpu::headless()?;
    let kernel = quadrille::kernels::named("sim/gray_scott_step.frag")?;
    let compiling = gpu.start(&kernel)?;
    let mut tasks = 0;
    Ok(Box::new(move || {
        tasks += 1;
        assert!(tasks < 5000, "it is never ready");
        if !compiling.ready() {
            return Ok(false);
        }
        gpu.load(kernel.clone())?;
        assert_eq!(gpu.counters().compiles, 1);
        Ok(true)
    }))
}

fn too_large() -> Option<String> {
    let run = || -> Result<()> {
        let gpu = Gpu::headless()?;
        let side = gpu.limits().texture_size;
        let mut held = Vec::new();
        for _ in 0..8 {
            match gpu.buffer(side, side).components(4).build() {
                Ok(buffer) => held.push(buffer),
                Err(Error::OutOfMemory { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    crate::Outcome::line(run())
}
