//! `pug`, the API of chapter 31: buffers, programs, bind and run, reductions.
//!
//! | ch. 31 | here |
//! |---|---|
//! | `pugInit`, `pugCleanup` | [`Gpu::headless`], [`Gpu::of`]; `Drop` |
//! | `pugAllocateBuffer`, `pugInitBuffer` | [`Gpu::buffer`], [`BufferBuilder::init`], [`Buffer::write`] |
//! | `pugLoadProgram` | [`Gpu::load_program`], [`Gpu::program`], [`Gpu::builtin`] |
//! | `pugBindStream`, `pugBindDomain`, `pugBindFloat` | [`Program::bind_stream`], [`Program::bind_domain`], [`Program::bind_float`], [`Program::bind_constant`] |
//! | `pugRunProgram` | [`Program::run`], [`Program::run_over`], [`Program::onto`] |
//! | `pugGetBufferData` | [`Buffer::data`], [`Buffer::data_async`] |
//! | `pugReduce1D`, `pugReduce2D` | [`Reduction::rows`], [`Reduction::columns`], [`Reduction::both`] |
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, §31.4.1.

mod arrays;
mod bind;
mod buffer;
mod double_buffer;
pub mod flow;
mod operator;
mod precision;
mod program;
mod reduce;
mod run;
mod value;
mod vertices;

use std::path::Path;
use std::rc::Rc;

pub use arrays::{Array, Element, Elements, Extent, Number};
pub use bind::{ConstantHandle, ConstantKey, Domain, Floats, StreamHandle, StreamKey};
pub use buffer::{Access, Buffer, BufferBuilder, Pending};
pub use double_buffer::{DoubleBuffer, DoubleBufferBuilder};
pub use flow::{Cull, Ended, Progress, Subdivision, Until, Watcher, frame, subdivide, until_none};
pub use operator::{Operator, Step};
pub use precision::Precision;
pub use program::{Names, Program};
pub use reduce::Reduction;
pub(crate) use reduce::Terms;
pub use run::Run;
pub use value::Value;
#[cfg(feature = "testing")]
pub(crate) use value::words_for;

pub use crate::gl::{Compare, Compiling, DepthTest, Kernel, Mask, Prelude, Samples, StencilTest};
pub use crate::layout::{Edges, Rect};

#[cfg(feature = "headless")]
use crate::gl::Options;
use crate::gl::{
    Context, Counters, DepthStencil, Driver, GlowContext, Limits, Probes, SampleQuery, Scope, TimeQuery,
};
use crate::{Result, kernels};

/// The machine: a context and everything that can be made in it. Clones share the context.
#[derive(Clone)]
pub struct Gpu {
    context: Rc<Context>,
}

/// Work with a context that was opened.
#[cfg(all(feature = "headless", feature = "trace"))]
pub(crate) type Opened = Box<dyn FnOnce(&Gpu) -> Result<()>>;

#[cfg(all(feature = "headless", feature = "trace"))]
thread_local! {
    static AT_NEXT: std::cell::RefCell<Option<Opened>> = const { std::cell::RefCell::new(None) };
}

impl Gpu {
    /// Opens a context without a window: every EGL device is tried until one works.
    ///
    /// `QUADRILLE_API` (`gl`, `gles`), `QUADRILLE_DEVICE` and `QUADRILLE_LIMITS` choose; see [`Options`].
    ///
    /// One thread a process is safe with every driver: Mesa's llvmpipe (22.3.6) crashes now and then when two
    /// threads draw with a context each, so tests want `RUST_TEST_THREADS=1`.
    ///
    /// # Errors
    /// [`NoContext`](crate::Error::NoContext) with the devices tried, why each failed, and what to install.
    #[cfg(feature = "headless")]
    pub fn headless() -> Result<Gpu> {
        Gpu::headless_with(Options::default())
    }

    /// [`Gpu::headless`] with the dialect, device or limits chosen here.
    ///
    /// # Errors
    /// As [`Gpu::headless`]; [`UnknownDevice`](crate::Error::UnknownDevice).
    #[cfg(feature = "headless")]
    pub fn headless_with(options: Options) -> Result<Gpu> {
        Gpu::opened(crate::gl::headless(options)?)
    }

    /// A context that was opened just now: a recorder may wait for it.
    #[cfg(feature = "headless")]
    pub(crate) fn opened(context: Rc<Context>) -> Result<Gpu> {
        let gpu = Gpu { context };
        #[cfg(feature = "trace")]
        if let Some(work) = AT_NEXT.take() {
            work(&gpu)?;
        }
        Ok(gpu)
    }

    /// Has work done with the next context that this thread opens without a window; `None` takes it back.
    #[cfg(all(feature = "headless", feature = "trace"))]
    pub(crate) fn at_next(work: Option<Opened>) {
        AT_NEXT.set(work);
    }

    /// Lets Mesa's CPU driver, llvmpipe, draw in the caller's thread if no pass of this process makes more than some 131 072 fetches,
    /// `most` being those of its largest: 65 536 texels of two fetches each. Such passes take up to 26 times as long with llvmpipe's own
    /// threads, and larger ones up to 1.7 times as long without. Returns true if it was chosen. Other drivers do not notice.
    ///
    /// Call it first of all: before the first context, and before a second thread, because it sets `LP_NUM_THREADS=0` in the
    /// environment. It changes nothing where that variable is set already, after a context was opened, where other threads run, or where
    /// the system does not tell (it is Linux that does).
    ///
    /// ```
    /// // Passes of 128 x 128 texels, five fetches each.
    /// quadrille::Gpu::expect_fetches(128 * 128 * 5);
    /// let gpu = quadrille::Gpu::headless()?;
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn expect_fetches(most: u64) -> bool {
        crate::gl::expect_fetches(most)
    }

    /// Uses an open context: that of a window, or a foreign one by [`Context::from_glow`].
    pub fn of(context: Rc<Context>) -> Gpu {
        Gpu { context }
    }

    /// Lets foreign code draw with this context. It finds OpenGL's default state and may change any state.
    pub fn glow<T>(&self, work: impl FnOnce(&Rc<GlowContext>) -> T) -> T {
        self.context.foreign(work)
    }

    /// The context below.
    #[doc(hidden)]
    pub fn context(&self) -> &Rc<Context> {
        &self.context
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        self.context.limits()
    }

    /// The driver's own limits, also where stricter limits are in force.
    pub fn driver_limits(&self) -> &Limits {
        self.context.driver_limits()
    }

    /// Returns true once the context is lost, as when the GPU is reset or a browser takes it away. All that was made with it is
    /// gone: whatever is read or made then fails with [`ContextLost`](crate::Error::ContextLost), passes draw nothing, and a new
    /// `Gpu` computes the same bits as this one did.
    pub fn is_lost(&self) -> bool {
        self.context.is_lost()
    }

    /// The features that the driver does not offer, a sentence each: what is missing, and what works without it.
    pub fn missing(&self) -> Vec<&'static str> {
        let (driver, limits) = (self.driver(), self.driver_limits());
        let features = [
            (
                driver.float_render,
                "EXT_color_buffer_float is not offered: nothing can be computed, since no texture of floats is drawn into",
            ),
            (
                limits.float_blend,
                "EXT_float_blend is not offered: sums of quads and matrices of points go by more passes, other sums over points are refused, and all else works",
            ),
            (
                limits.float_filter,
                "OES_texture_float_linear is not offered: all works, since kernels read texels one by one",
            ),
            (
                driver.timers,
                "EXT_disjoint_timer_query is not offered: the GPU's own time is not told, and all else works",
            ),
        ];
        features.into_iter().filter(|(offered, _)| !offered).map(|(_, sentence)| sentence).collect()
    }

    /// The driver's description of itself.
    pub fn driver(&self) -> &Driver {
        self.context.driver()
    }

    /// The true behaviour of the driver; tested on the first call.
    ///
    /// # Errors
    /// Those of the test kernels.
    pub fn probes(&self) -> Result<&Probes> {
        self.context.probes()
    }

    /// Live objects, bytes, passes, uploads, read-backs and compiles so far.
    pub fn counters(&self) -> Counters {
        self.context.counters()
    }

    /// Begins a width × height buffer.
    pub fn buffer(&self, width: u32, height: u32) -> BufferBuilder {
        BufferBuilder::new(self, width, height)
    }

    /// Begins a one-dimensional array, folded into a near-square texture. Kernels read it with `value()`, whose index
    /// is a float: exact up to 2²⁴ elements. The edge rule is that of the texture, so a kernel must not read indices
    /// outside 0 to len − 1. The rows are those of the fold; the end of the last row is empty.
    pub fn array(&self, len: usize) -> BufferBuilder {
        BufferBuilder::array(self, len)
    }

    /// Loads a kernel from a file; [`Program::reload`] reads it again.
    ///
    /// # Errors
    /// [`Io`](crate::Error::Io); those of [`Gpu::load`].
    pub fn load_program(&self, path: impl AsRef<Path>) -> Result<Program> {
        Program::from_file(&self.context, path.as_ref())
    }

    /// Hands a kernel over to the driver's compiler and comes back: [`Compiling::ready`] tells when
    /// [`Gpu::load`] of the same kernel will not wait. For a message while many kernels compile, once a frame.
    ///
    /// ```
    /// # fn main() -> quadrille::Result<()> {
    /// # let gpu = quadrille::Gpu::headless()?;
    /// let kernel = quadrille::kernels::named("sim/gray_scott_step.frag")?;
    /// let compiling = gpu.start(&kernel)?;
    /// while !compiling.ready() { /* draw "compiling", and come again in the next frame */ }
    /// let program = gpu.load(kernel)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Declaration`](crate::Error::Declaration); those of the kernel's text come with [`Gpu::load`].
    pub fn start(&self, kernel: &Kernel) -> Result<Compiling> {
        self.context.start(kernel, None)
    }

    /// The same of the two kernels of [`Gpu::load_scatter`].
    ///
    /// # Errors
    /// As [`Gpu::start`].
    pub fn start_scatter(&self, vertex: &Kernel, fragment: &Kernel) -> Result<Compiling> {
        self.context.start(fragment, Some(vertex))
    }

    /// Loads a kernel from its text. `name` stands for it in errors.
    ///
    /// # Errors
    /// As [`Gpu::load`].
    pub fn program(&self, name: &str, text: &str) -> Result<Program> {
        self.load(Kernel::new(name, text))
    }

    /// Loads a built-in kernel that needs only the words of all kernels, such as `sim/gray_scott_step.frag`. Load a
    /// kernel that needs more with [`Gpu::load`], as [`kernels::named`] with a [`Prelude`].
    ///
    /// # Errors
    /// [`UnknownKernel`](crate::Error::UnknownKernel) with those there are.
    pub fn builtin(&self, name: &str) -> Result<Program> {
        self.load(kernels::named(name)?)
    }

    /// Compiles a kernel; the same text with the same `#define`s is compiled once.
    ///
    /// # Errors
    /// [`Compile`](crate::Error::Compile), [`Link`](crate::Error::Link),
    /// [`Declaration`](crate::Error::Declaration), [`OverLimit`](crate::Error::OverLimit).
    pub fn load(&self, kernel: Kernel) -> Result<Program> {
        Program::new(&self.context, kernel, None)
    }

    /// Compiles a vertex kernel that scatters points and the fragment kernel that gives them values.
    ///
    /// # Errors
    /// As [`Gpu::load`].
    pub fn load_scatter(&self, vertex: Kernel, fragment: Kernel) -> Result<Program> {
        Program::new(&self.context, fragment, Some(vertex))
    }

    /// A depth and stencil surface for [`Run::masked`].
    ///
    /// # Errors
    /// [`Empty`](crate::Error::Empty), [`OverLimit`](crate::Error::OverLimit),
    /// [`OutOfMemory`](crate::Error::OutOfMemory).
    pub fn depth_stencil(&self, width: u32, height: u32) -> Result<DepthStencil> {
        self.context.depth_stencil(width, height)
    }

    /// A reduction with that operator.
    pub fn reduction(&self, operator: Operator) -> Reduction {
        Reduction::new(&self.context, operator)
    }

    /// GPU time of all passes that `work` runs.
    ///
    /// # Errors
    /// [`Unsupported`](crate::Error::Unsupported) where there are no timers; what `work` returns.
    pub fn time<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, TimeQuery)> {
        self.context.time(work)
    }

    /// Occlusion query: fragments that pass in all that `work` runs.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn samples<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, SampleQuery)> {
        self.context.samples(work)
    }

    /// Opens a named part of the computation for whoever records it (`trace`), until the scope is dropped; scopes lie in each
    /// other. Without a recorder it is nothing, and a name by `format_args!` is not even written.
    pub fn scope(&self, name: impl std::fmt::Display) -> Scope {
        self.context.scope(name)
    }

    /// Waits until everything run so far is done.
    pub fn finish(&self) {
        self.context.finish();
    }

    /// Hands everything run so far to the driver without waiting.
    pub fn flush(&self) {
        self.context.flush();
    }

    /// Most bytes of idle textures that the pool keeps.
    pub fn set_pool_budget(&self, bytes: u64) {
        self.context.set_pool_budget(bytes);
    }
}
