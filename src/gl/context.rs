//! One OpenGL context: its driver, its limits, and all that lives in it.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use glow::HasContext;

use super::compile::{Cache, Pending};
use super::driver::{Driver, describe, driver_limits};
use super::framebuffer::Framebuffers;
use super::limits::Limits;
use super::observe::Observer;
use super::pool::Pool;
use super::probe::Probes;
use super::query::{Marks, Query};
use super::state::{Samplers, State};
use super::texture::Storage;
use super::{Format, Shape};
use crate::{Error, Result};

/// The two dialects of the portable floor that a context of ours may speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Api {
    /// OpenGL 3.3 core.
    #[default]
    Gl,
    /// OpenGL ES 3.0.
    Gles,
}

/// The options of a headless context. Each field left at its default is read from the environment.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The dialect; default `QUADRILLE_API` (`gl` or `gles`), else OpenGL 3.3 core.
    pub api: Option<Api>,
    /// EGL device by number or part of its name; default `QUADRILLE_DEVICE`, else the first that works.
    pub device: Option<String>,
    /// Limits of an old card; default `QUADRILLE_LIMITS` (`RADEON_9700`, ...), else the driver's own.
    pub limits: Option<Limits>,
}

impl Options {
    /// The same options with unset fields filled in from the environment. [`Gpu::headless`](crate::Gpu::headless) does
    /// this itself; use this to learn the user's choice for a context of your own.
    ///
    /// # Errors
    /// [`Error::BadOption`] for a word that means nothing.
    pub fn or_environment(self) -> Result<Options> {
        let read = |name| std::env::var(name).ok().filter(|v| !v.is_empty());
        let bad = |name, found, expected| Error::BadOption { name, found, expected };
        let api = match (self.api, read("QUADRILLE_API")) {
            (Some(api), _) => Some(api),
            (None, None) => None,
            (None, Some(word)) if word.eq_ignore_ascii_case("gl") => Some(Api::Gl),
            (None, Some(word)) if word.eq_ignore_ascii_case("gles") => Some(Api::Gles),
            (None, Some(word)) => return Err(bad("QUADRILLE_API", word, "gl or gles")),
        };
        let limits =
            match (self.limits, read("QUADRILLE_LIMITS")) {
                (Some(limits), _) => Some(limits),
                (None, None) => None,
                (None, Some(word)) => Some(Limits::named(&word).ok_or_else(|| {
                    bad("QUADRILLE_LIMITS", word, "RADEON_9700, GEFORCE_FX or GEFORCE_6800")
                })?),
            };
        Ok(Options { api, limits, device: self.device.or_else(|| read("QUADRILLE_DEVICE")) })
    }
}

/// How many objects are alive and what has been done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Objects in use: textures, vertex buffers, linked kernels, queries, pending read-backs.
    pub live: usize,
    /// Bytes of the textures in use: [`Shape::cost`](super::Shape::cost) of each.
    pub live_bytes: u64,
    /// Bytes of the idle textures in the pool, counted alike.
    pub pooled_bytes: u64,
    /// Passes drawn.
    pub passes: u64,
    /// Calls of OpenGL that these passes made: what differs from the pass before, and the drawing.
    pub calls: u64,
    /// Uploads from the CPU.
    pub uploads: u64,
    /// Read-backs to the CPU, asynchronous ones included.
    pub read_backs: u64,
    /// Kernels compiled.
    pub compiles: u64,
}

/// A context and everything in it, for [`Gpu::of`](crate::Gpu::of). Every object of OpenGL holds an `Rc` of it.
pub struct Context {
    pub(super) gl: Rc<glow::Context>,
    pub(super) driver: Driver,
    pub(super) driver_limits: Limits,
    pub(super) limits: Limits,
    /// True if vertex programs run as soon as they are called, and fetch from textures that are still being drawn, as
    /// on Mesa's llvmpipe (22.3.6): its threads draw the fragments, and it waits for them only if a fragment fetches.
    pub(super) hasty_vertices: bool,
    pub(super) state: RefCell<State>,
    pub(super) samplers: Samplers,
    pub(super) pool: RefCell<Pool>,
    pub(super) framebuffers: RefCell<Framebuffers>,
    pub(super) kernels: RefCell<Cache>,
    pub(super) pending: RefCell<Pending>,
    pub(super) counters: Cell<Counters>,
    /// True while a query of time, and one of samples, is under way.
    pub(super) queries: [Cell<bool>; 2],
    /// The parts that were cut off the query of samples under way.
    pub(super) parts: RefCell<Vec<Rc<Query>>>,
    #[cfg(feature = "trace")]
    pub(super) true_timers: OnceCell<bool>,
    pub(super) observer: RefCell<Option<Rc<dyn Observer>>>,
    probes: OnceCell<Probes>,
    /// The number of this context among those of its thread.
    pub(super) serial: u64,
    next_serial: Cell<u64>,
    empty_vertex_array: glow::VertexArray,
    /// `None` if foreign code keeps it current.
    owner: Option<Rc<dyn Owner>>,
    /// `None` for a context of foreign functions.
    #[cfg(target_arch = "wasm32")]
    page: Option<super::page::Page>,
    /// True once a call has told of the loss.
    pub(super) lost: Cell<bool>,
    /// How often everything drawn was waited for.
    finished: Cell<u64>,
    /// Where a wait for everything reads from; `None` unless such a read is the only wait there is.
    waited: OnceCell<Storage>,
    /// The witnesses of the query of samples under way, if it has any.
    pub(super) marks: RefCell<Option<Marks>>,
    /// True where a query of samples is answered by witnesses, too.
    pub(super) witnessed: Cell<bool>,
    /// Held until this context is gone: the last field, so the last to be dropped.
    #[cfg(feature = "testing")]
    pub(super) turn: RefCell<Option<Rc<super::turn::Turn>>>,
}

/// The owner of a context: it can make the context the thread's current one.
pub(super) trait Owner {
    fn make_current(&self);

    /// Lets it be current on no thread.
    #[cfg(feature = "testing")]
    fn release(&self) {}
}

thread_local! {
    /// The serial of the context that is current on this thread, 0 for a foreign one; and the serial of the newest one.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
    static NEWEST: Cell<u64> = const { Cell::new(0) };
}

/// Notes that a foreign context has become current on this thread.
#[cfg(all(not(target_arch = "wasm32"), any(feature = "headless", feature = "window")))]
pub(super) fn forget_current() {
    CURRENT.set(0);
}

impl Context {
    /// Wraps a foreign context, under the limits of a card if given. Contexts in windows come from
    /// [`Surface::context`](super::window::Surface::context) and need no promise.
    ///
    /// # Safety
    /// The context of these functions must be current on this thread, now and whenever it, or an object made in it, is
    /// used or dropped. If there are other contexts, its owner has to make it current again before each use. In a
    /// browser it is always current.
    ///
    /// # Errors
    /// [`Error::OldContext`] below OpenGL 3.3 core, OpenGL ES 3.0 and WebGL 2; [`Error::NoContext`] where the driver shows
    /// that none is current.
    pub unsafe fn from_glow(gl: Rc<glow::Context>, limits: Option<Limits>) -> Result<Rc<Context>> {
        Ok(Rc::new(Context::new(gl, limits, None)?))
    }

    /// The context of a page.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn of_page(
        gl: Rc<glow::Context>,
        limits: Option<Limits>,
        page: super::page::Page,
    ) -> Result<Rc<Context>> {
        let mut context = Context::new(gl, limits, None)?;
        context.page = Some(page);
        Ok(Rc::new(context))
    }

    /// The context of functions that its owner has made current: the system that opened it, and the device if it has a name.
    #[cfg(all(not(target_arch = "wasm32"), any(feature = "headless", feature = "window")))]
    pub(super) fn of_owner(
        gl: glow::Context,
        limits: Option<Limits>,
        owner: Rc<dyn Owner>,
        (by, device): (&'static str, Option<String>),
    ) -> Result<Rc<Context>> {
        let mut context = Context::new(Rc::new(gl), limits, Some(owner))?;
        (context.driver.by, context.driver.device) = (Some(by), device);
        Ok(Rc::new(context))
    }

    fn new(gl: Rc<glow::Context>, limits: Option<Limits>, owner: Option<Rc<dyn Owner>>) -> Result<Context> {
        #[cfg(not(target_arch = "wasm32"))]
        super::threads::driver_is_there();
        let driver = describe(&gl)?;
        let in_page = driver.in_page;
        let driver_limits = driver_limits(&gl, &driver);
        let limits = limits.map_or(driver_limits, |card| driver_limits.lowered_to(&card));
        let refused = |what: &str| {
            let what = what.to_owned();
            move |message: String| Error::Driver { what, message }
        };
        // SAFETY: the context is current.
        let empty_vertex_array = unsafe { gl.create_vertex_array() }.map_err(refused("a vertex array"))?;
        let samplers = Samplers::new(&gl).map_err(refused("a sampler"))?;
        let serial = NEWEST.get() + 1;
        NEWEST.set(serial);
        CURRENT.set(serial);
        Ok(Context {
            hasty_vertices: driver.renderer.contains("llvmpipe"),
            driver,
            driver_limits,
            limits,
            state: RefCell::default(),
            samplers,
            pool: RefCell::default(),
            framebuffers: RefCell::default(),
            kernels: RefCell::default(),
            pending: RefCell::default(),
            counters: Cell::default(),
            queries: Default::default(),
            parts: RefCell::default(),
            #[cfg(feature = "trace")]
            true_timers: OnceCell::new(),
            observer: RefCell::default(),
            probes: OnceCell::new(),
            serial,
            next_serial: Cell::new(1),
            empty_vertex_array,
            owner,
            gl,
            #[cfg(target_arch = "wasm32")]
            page: None,
            lost: Cell::default(),
            finished: Cell::default(),
            waited: OnceCell::new(),
            marks: RefCell::default(),
            witnessed: Cell::new(in_page),
            #[cfg(feature = "testing")]
            turn: RefCell::default(),
        })
    }

    /// The raw functions, after making this context current if another of ours is. The state of OpenGL is then no
    /// longer known: two of our contexts may share one of OpenGL's.
    pub(crate) fn gl(&self) -> &glow::Context {
        if CURRENT.get() != self.serial {
            CURRENT.set(self.serial);
            if let Some(owner) = &self.owner {
                owner.make_current();
            }
            if let Ok(mut state) = self.state.try_borrow_mut() {
                state.forget();
            }
        }
        &self.gl
    }

    /// The driver's own words.
    pub(crate) fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The limits in force.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The driver's limits, whatever is in force.
    pub(crate) fn driver_limits(&self) -> &Limits {
        &self.driver_limits
    }

    /// The findings of the driver's tests; run on the first call.
    ///
    /// # Errors
    /// Those of the probe's kernels.
    pub(crate) fn probes(self: &Rc<Self>) -> Result<&Probes> {
        match self.probes.get() {
            Some(probes) => Ok(probes),
            None => {
                let probes = Probes::run(self)?;
                Ok(self.probes.get_or_init(|| probes))
            }
        }
    }

    /// Live objects, bytes and work done.
    pub(crate) fn counters(&self) -> Counters {
        let counted = self.counters.get();
        let live = counted.live + self.kernels.borrow().held();
        Counters { live, pooled_bytes: self.pool.borrow().bytes(), ..counted }
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut Counters)) {
        let mut counters = self.counters.get();
        change(&mut counters);
        self.counters.set(counters);
    }

    /// A number no other object of this context has.
    pub(crate) fn serial(&self) -> u64 {
        self.next_serial.replace(self.next_serial.get() + 1)
    }

    pub(super) fn empty_vertex_array(&self) -> glow::VertexArray {
        self.empty_vertex_array
    }

    /// The card whose limits are in force, or the driver.
    pub(crate) fn limits_name(&self) -> &str {
        if self.limits == self.driver_limits { &self.driver.renderer } else { self.limits.name }
    }

    /// Waits until everything drawn so far is done.
    pub(crate) fn finish(&self) {
        if self.is_lost() {
            return;
        }
        // SAFETY: no arguments.
        unsafe { self.gl().finish() };
        if self.driver.in_page {
            self.read_to_wait();
        }
        self.finished.set(self.finished.get() + 1);
    }

    /// Reads a texel: in a page `finish` only hands everything over, and a read into memory is the one wait there is.
    fn read_to_wait(&self) {
        let storage = match self.waited.get() {
            Some(storage) => *storage,
            None => match self.allocate(Shape { width: 1, height: 1, format: Format::Rgba8 }) {
                Ok(storage) => *self.waited.get_or_init(|| storage),
                Err(_) => return, // what is out of memory, or lost, tells so when it is used
            },
        };
        self.read_texel(storage);
    }

    /// Reads one texel, of which nobody wants to know anything but that it is drawn.
    pub(super) fn read_texel(&self, storage: Storage) {
        let (gl, mut texel) = (self.gl(), [0_f32; 4]);
        let mut state = self.state.borrow_mut();
        state.fixed(gl);
        state.framebuffer(gl, Some(storage.framebuffer));
        let kind = storage.shape.format.external().1;
        let texel = glow::PixelPackData::Slice(Some(bytemuck::bytes_of_mut(&mut texel)));
        // SAFETY: the receiver has the bytes of the one texel, four of each component at most.
        unsafe { gl.read_pixels(0, 0, 1, 1, glow::RGBA, kind, texel) };
    }

    /// How often everything drawn was waited for: what was drawn before a later wait is done.
    pub(super) fn finished(&self) -> u64 {
        self.finished.get()
    }

    /// Answers queries of samples by witnesses from now on, as in a page.
    #[doc(hidden)]
    pub fn answer_by_witnesses(&self) {
        self.witnessed.set(true);
    }

    /// Returns true once the context is lost: its objects are gone, and a new context needs new ones.
    pub fn is_lost(&self) -> bool {
        #[cfg(target_arch = "wasm32")]
        if self.page.as_ref().is_some_and(super::page::Page::is_lost) {
            self.lost.set(true);
        }
        self.lost.get()
    }

    /// The loss of the context, if it is lost, instead of what a call has failed by.
    pub(super) fn or_lost(&self, error: Error) -> Error {
        match error {
            Error::OutOfMemory { what, .. }
            | Error::Driver { what, .. }
            | Error::Unsupported { what, .. }
            | Error::Compile { kernel: what, .. }
            | Error::Link { kernel: what, .. }
                if self.is_lost() =>
            {
                Error::ContextLost { what }
            }
            error => error,
        }
    }

    /// Refuses what comes of a lost context.
    ///
    /// # Errors
    /// [`Error::ContextLost`].
    pub(crate) fn alive(&self, what: &str) -> Result<()> {
        if self.is_lost() { Err(Error::ContextLost { what: what.to_owned() }) } else { Ok(()) }
    }

    /// Hands everything drawn so far to the driver without waiting.
    pub(crate) fn flush(&self) {
        // SAFETY: no arguments.
        unsafe { self.gl().flush() };
    }

    /// Lets foreign code use the context. It finds GL's default state, and may change any state.
    pub(crate) fn foreign<T>(&self, work: impl FnOnce(&Rc<glow::Context>) -> T) -> T {
        let gl = self.gl();
        self.state.borrow_mut().reset(gl);
        self.state.borrow_mut().forget();
        let result = work(&self.gl);
        self.state.borrow_mut().forget();
        // Foreign code may have made another context current.
        CURRENT.set(0);
        // Errors it leaves pending are its own: no upload is to be blamed for them.
        self.drain_errors();
        result
    }

    /// Drops errors that are pending. A lost context may report one for ever, so this asks a few times only.
    pub(super) fn drain_errors(&self) {
        let _ = (0..8).take_while(|_| self.take_error().is_some()).count();
    }

    /// An error if the driver has one pending: its name, or `None`.
    pub(super) fn take_error(&self) -> Option<&'static str> {
        // SAFETY: no arguments.
        match unsafe { self.gl().get_error() } {
            glow::NO_ERROR => None,
            glow::INVALID_ENUM => Some("GL_INVALID_ENUM"),
            glow::INVALID_VALUE => Some("GL_INVALID_VALUE"),
            glow::INVALID_OPERATION => Some("GL_INVALID_OPERATION"),
            glow::INVALID_FRAMEBUFFER_OPERATION => Some("GL_INVALID_FRAMEBUFFER_OPERATION"),
            glow::OUT_OF_MEMORY => Some("GL_OUT_OF_MEMORY"),
            // CONTEXT_LOST_WEBGL, of a page.
            glow::CONTEXT_LOST | 0x9242 => {
                self.lost.set(true);
                Some("GL_CONTEXT_LOST")
            }
            _ => Some("an unnamed GL error"),
        }
    }

    /// Asks the driver whether it has an error pending, as one.
    ///
    /// # Errors
    /// [`Error::Driver`] with the error's name; [`Error::ContextLost`].
    #[doc(hidden)]
    pub fn check(&self, what: &str) -> Result<()> {
        let error = self.take_error();
        self.alive(what)?;
        match error {
            None => Ok(()),
            Some(name) => Err(Error::Driver { what: what.to_owned(), message: name.to_owned() }),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The objects of a lost context are gone already, and the one that comes after it does not know them.
        if self.is_lost() {
            CURRENT.set(0);
            return;
        }
        if let Some(storage) = self.waited.get() {
            self.delete(*storage);
        }
        let gl = self.gl();
        self.state.borrow_mut().reset(gl);
        self.framebuffers.borrow_mut().delete_all(gl);
        self.pool.borrow_mut().delete_all(gl);
        self.kernels.borrow_mut().delete_all(gl);
        self.pending.borrow_mut().delete_all(gl);
        self.samplers.delete(gl);
        // SAFETY: made by this context and bound no more.
        unsafe { gl.delete_vertex_array(self.empty_vertex_array) };
        // A context that is current stays alive, and llvmpipe would look at it while others have their turn.
        #[cfg(feature = "testing")]
        if self.turn.borrow().is_some()
            && let Some(owner) = &self.owner
        {
            owner.release();
        }
        CURRENT.set(0);
    }
}
