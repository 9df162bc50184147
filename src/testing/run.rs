//! Contexts for tests: safe beside each other, on one dialect or on both.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use crate::gl::{GlowContext, headless_by_turns};
use crate::{Api, Error, Gpu, Options, Result};

/// A context without a window for one test, safe beside those of other test threads.
///
/// Mesa's llvmpipe crashes when two threads have a context each, so there it waits until the contexts of other threads are
/// dropped, and so are all objects made in them; on other drivers nobody waits. One thread may have several.
///
/// `QUADRILLE_API`, `QUADRILLE_DEVICE` and `QUADRILLE_LIMITS` choose, as for [`Gpu::headless`].
///
/// # Errors
/// Those of [`Gpu::headless`].
pub fn gpu() -> Result<Gpu> {
    gpu_with(Options::default())
}

/// [`gpu`] with the dialect, device or limits chosen here.
///
/// # Errors
/// Those of [`Gpu::headless_with`].
pub fn gpu_with(options: Options) -> Result<Gpu> {
    Gpu::opened(headless_by_turns(options)?)
}

/// Runs a test on [`gpu`]. Where no context can be had the test fails, unless `QUADRILLE_NO_GPU=skip`: then it is skipped, and
/// the reason stands on standard error.
///
/// # Errors
/// Those of the test and of [`gpu`].
pub fn on_gpu(test: impl FnOnce(&Gpu) -> Result<()>) -> Result<()> {
    match with(Options::default())? {
        Some(gpu) => test(&gpu),
        None => Ok(()),
    }
}

/// Runs a test on OpenGL 3.3 core and on OpenGL ES 3.0, one after the other, and names the dialect on which it failed on
/// standard error. The second is run even if the first has failed.
///
/// Skips as [`on_gpu`] does.
///
/// # Errors
/// The first of the test's own.
pub fn both(test: impl Fn(&Gpu) -> Result<()>) -> Result<()> {
    let mut outcomes = Vec::new();
    for (api, name) in [(Api::Gl, "OpenGL 3.3 core"), (Api::Gles, "OpenGL ES 3.0")] {
        let run = || match with(Options { api: Some(api), ..Options::default() })? {
            Some(gpu) => test(&gpu),
            None => Ok(()),
        };
        let outcome = catch_unwind(AssertUnwindSafe(run));
        match &outcome {
            Ok(Ok(())) => {}
            Ok(Err(error)) => eprintln!("failed on {name}: {error}"),
            Err(_) => eprintln!("failed on {name}: see above"),
        }
        outcomes.push(outcome);
    }
    outcomes.into_iter().try_for_each(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// A context, or none where the user allows a test to be skipped.
fn with(options: Options) -> Result<Option<Gpu>> {
    let skips = match std::env::var("QUADRILLE_NO_GPU").as_deref() {
        Ok("skip") => true,
        Ok("fail" | "") | Err(_) => false,
        Ok(other) => {
            let (found, expected) = (other.to_owned(), "skip or fail");
            return Err(Error::BadOption { name: "QUADRILLE_NO_GPU", found, expected });
        }
    };
    match gpu_with(options) {
        Err(error @ (Error::NoContext { .. } | Error::OldContext { .. })) if skips => {
            eprintln!("skipped: {error}");
            Ok(None)
        }
        outcome => outcome.map(Some),
    }
}

/// Lets OpenGL code of one's own draw, as [`Gpu::glow`] does, and panics if it leaves an error pending, naming all of them.
///
/// # Panics
/// If OpenGL has an error pending after `work`.
pub fn assert_no_gl_error<T>(gpu: &Gpu, work: impl FnOnce(&Rc<GlowContext>) -> T) -> T {
    let (result, errors) = gpu.context().foreign_errors(work);
    assert!(errors.is_empty(), "OpenGL reports {}", errors.join(", "));
    result
}
