//! Queries to the GPU: the time that passes took, the number of fragments that passed.
//!
//! A wait for a query sleeps in the driver: a loop of polls would take a core from a renderer on the CPU.
//!
//! In a page no query is answered before control has returned to the event loop, so a wait for one would never end. What can be
//! waited for there is a read into memory. So each pass inside a query of samples is drawn twice there, first into a texture of
//! ones, its *witness*, where a fragment that passes writes 0: the same kernel, range and tests, and nothing is left in depth or
//! stencil. A wait reads the smallest texel of the witness. A poll asks the query, as everywhere.

use std::rc::Rc;
use std::time::Duration;

use glow::HasContext;

use super::kernel::{Kernel, Rounding};
use super::{Context, DepthStencil, Format, Rect, Shape, Texture};
use crate::{Error, Result};

/// The count of an occlusion query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// How many fragments passed (desktop OpenGL).
    Count(u64),
    /// True if any passed (OpenGL ES, WebGL).
    Any(bool),
}

impl Samples {
    /// Returns true if at least one fragment passed.
    pub fn any(self) -> bool {
        match self {
            Samples::Count(n) => n > 0,
            Samples::Any(any) => any,
        }
    }
}

/// A query whose passes are drawn and whose answer may not be there yet.
pub struct Query {
    context: Rc<Context>,
    query: glow::Query,
    target: u32,
}

/// A pending time: [`TimeQuery::poll`] it, or wait for it.
pub struct TimeQuery(Query);

/// A pending count of fragments: [`SampleQuery::poll`] it, or wait for it.
pub struct SampleQuery {
    query: Query,
    witnesses: Option<Witnesses>,
}

/// The marks of the passes of a query: a texel each, 0 where a fragment has passed.
struct Witnesses {
    texels: Vec<Texture>,
    /// How often everything drawn had been waited for.
    finished: u64,
}

/// The witnesses of the query under way, as large as the targets of its passes.
pub(super) struct Marks {
    context: Rc<Context>,
    drawn: Vec<Texture>,
}

/// The smallest of 8 × 8 texels.
const SMALLEST: &str = "flow/smallest.frag";
const BLOCK: u32 = 8;

impl Context {
    /// GPU time of all that `work` draws. Queries of one kind do not nest.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the driver has no timers, [`Error::Driver`] inside another query of time;
    /// what `work` returns.
    pub(crate) fn time<T>(self: &Rc<Self>, work: impl FnOnce() -> Result<T>) -> Result<(T, TimeQuery)> {
        if !self.driver.timers {
            return Err(Error::Unsupported {
                what: "GPU time".into(),
                needs: "EXT_disjoint_timer_query",
                renderer: self.driver.renderer.clone(),
            });
        }
        let (value, query) = self.query(Kind::Time, glow::TIME_ELAPSED, work)?;
        Ok((value, TimeQuery(query)))
    }

    /// Counts the fragments that pass in all draws of `work`: those that are not discarded and that the mask lets
    /// through.
    ///
    /// # Errors
    /// [`Error::Driver`] inside another query of samples; what `work` returns.
    pub(crate) fn samples<T>(self: &Rc<Self>, work: impl FnOnce() -> Result<T>) -> Result<(T, SampleQuery)> {
        let target = if self.driver.embedded { glow::ANY_SAMPLES_PASSED } else { glow::SAMPLES_PASSED };
        let witnessed = self.witnessed.get() && !self.queries[Kind::Samples as usize].get();
        if witnessed {
            self.marks.replace(Some(Marks { context: self.clone(), drawn: Vec::new() }));
        }
        let asked = self.query(Kind::Samples, target, work);
        let drawn = if witnessed { self.marks.take().map(|marks| marks.drawn) } else { None };
        let (value, query) = asked?;
        let smallest =
            |drawn: Vec<Texture>| drawn.into_iter().map(|texture| self.smallest(texture)).collect();
        let texels: Option<Result<Vec<Texture>>> = drawn.map(smallest);
        let finished = self.finished();
        let witnesses = texels.transpose()?.map(|texels| Witnesses { texels, finished });
        Ok((value, SampleQuery { query, witnesses }))
    }

    /// The framebuffer of a witness of that size, together with the depth and stencil of a pass; `None` outside of a query
    /// that has witnesses.
    pub(super) fn witness_of(
        &self,
        width: u32,
        height: u32,
        depth_stencil: Option<&DepthStencil>,
    ) -> Result<Option<glow::Framebuffer>> {
        let shape = Shape { width, height, format: Format::R8 };
        let Some(Marks { context, mut drawn }) = self.marks.take() else { return Ok(None) };
        // Passes of one size share a witness: it is enough that any of them leaves a mark.
        let witness = match drawn.pop_if(|last| last.shape() == shape) {
            Some(last) => Ok(last),
            None => context.texture(shape).inspect(|texture| texture.clear([1.0; 4])),
        };
        let framebuffer = witness.and_then(|witness| {
            let framebuffer = self.framebuffer_of(&[&witness], depth_stencil);
            drawn.push(witness);
            framebuffer
        });
        self.marks.replace(Some(Marks { context, drawn }));
        framebuffer.map(Some)
    }

    /// A texel of the smallest value of the texture: a pass for each factor of 8.
    fn smallest(self: &Rc<Self>, mut texture: Texture) -> Result<Texture> {
        let text = include_str!("../../glsl/flow/smallest.frag");
        while texture.shape().rect().area() > 1 {
            let kernel =
                self.compile(&Kernel::new(SMALLEST, super::kernel_text(SMALLEST, text)), Rounding::None)?;
            let Shape { width, height, format } = texture.shape();
            let (width, height) = (width.div_ceil(BLOCK), height.div_ceil(BLOCK));
            let next = self.texture(Shape { width, height, format })?;
            let texels = Rect::whole(BLOCK * width, BLOCK * height).corners();
            self.pass(kernel).streams([&texture]).domains(&[texels]).onto(&[&next])?;
            texture = next;
        }
        Ok(texture)
    }

    fn query<T>(
        self: &Rc<Self>,
        kind: Kind,
        target: u32,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Query)> {
        let refused = |message| Error::Driver { what: "a query".into(), message };
        let running = &self.queries[kind as usize];
        if running.get() {
            return Err(refused("another of its kind is under way".to_owned()));
        }
        self.alive("a query")?;
        let gl = self.gl();
        // SAFETY: no arguments.
        let query = unsafe { gl.create_query() }.map_err(refused).map_err(|error| self.or_lost(error))?;
        self.count(|c| c.live += 1);
        let query = Query { context: self.clone(), query, target };
        // SAFETY: no other query of this kind is under way.
        unsafe { gl.begin_query(target, query.query) };
        running.set(true);
        let under_way = UnderWay { context: self, kind, target };
        let value = work();
        drop(under_way);
        Ok((value?, query))
    }
}

/// Queries of different kinds may be under way together.
#[derive(Clone, Copy)]
enum Kind {
    Time,
    Samples,
}

/// Ends a query when it goes.
struct UnderWay<'a> {
    context: &'a Context,
    kind: Kind,
    target: u32,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if !self.context.is_lost() {
            // SAFETY: the query of this target began before this was made.
            unsafe { self.context.gl().end_query(self.target) };
        }
        self.context.queries[self.kind as usize].set(false);
    }
}

impl Query {
    fn poll(&self) -> Option<u64> {
        let gl = self.context.gl();
        // SAFETY: the query has ended.
        let there = unsafe { gl.get_query_parameter_u32(self.query, glow::QUERY_RESULT_AVAILABLE) };
        (there != 0).then(|| self.result())
    }

    /// Sleeps in the driver until the result is there: a loop of polls would take a core from a renderer on the CPU.
    fn wait(&self) -> u64 {
        self.context.flush();
        self.result()
    }

    fn result(&self) -> u64 {
        let gl = self.context.gl();
        // Nanoseconds and counts pass 32 bits; whether any passed does not, and ES knows no more.
        // SAFETY: the query has ended.
        unsafe {
            match self.target {
                glow::ANY_SAMPLES_PASSED => {
                    u64::from(gl.get_query_parameter_u32(self.query, glow::QUERY_RESULT))
                }
                _ => gl.get_query_parameter_u64(self.query, glow::QUERY_RESULT),
            }
        }
    }
}

impl TimeQuery {
    /// The time, if it is known by now.
    pub fn poll(&self) -> Option<Duration> {
        self.0.poll().map(Duration::from_nanos)
    }

    /// The time, waited for.
    ///
    /// # Errors
    /// [`Error::EndlessWait`] in a page, as long as [`TimeQuery::poll`] has none; [`Error::ContextLost`].
    pub fn wait(&self) -> Result<Duration> {
        self.0.context.alive("GPU time")?;
        if self.0.context.driver.in_page {
            if let Some(time) = self.poll() {
                return Ok(time);
            }
            return Err(Error::EndlessWait { what: "GPU time".into(), instead: "TimeQuery::poll" });
        }
        Ok(Duration::from_nanos(self.0.wait()))
    }
}

impl SampleQuery {
    fn answer(&self, result: u64) -> Samples {
        match self.query.target {
            glow::SAMPLES_PASSED => Samples::Count(result),
            _ => Samples::Any(result != 0),
        }
    }

    /// The count, if it is known by now.
    pub fn poll(&self) -> Option<Samples> {
        let context = &self.query.context;
        // A pass that was drawn before a wait for everything is done, whatever a page says of its query.
        let done = |witnesses: &&Witnesses| witnesses.finished < context.finished();
        match self.query.poll() {
            Some(result) => Some(self.answer(result)),
            None => self.witnesses.as_ref().filter(done).and_then(|witnesses| witnesses.any().ok()),
        }
    }

    /// The count, waited for. In a page, and wherever the dialect counts no further, it is whether any passed; draws of foreign
    /// code are not seen by a wait in a page.
    ///
    /// # Errors
    /// [`Error::ContextLost`].
    pub fn wait(&self) -> Result<Samples> {
        self.query.context.alive("a query of samples")?;
        match &self.witnesses {
            // What is answered needs no read.
            Some(witnesses) => {
                self.query.poll().map_or_else(|| witnesses.any(), |result| Ok(self.answer(result)))
            }
            None => Ok(self.answer(self.query.wait())),
        }
    }
}

impl Witnesses {
    /// Reads the marks, and so waits for them.
    fn any(&self) -> Result<Samples> {
        for texel in &self.texels {
            if texel.read_bytes()? == [0] {
                return Ok(Samples::Any(true));
            }
        }
        Ok(Samples::Any(false))
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        if !self.context.is_lost() {
            // SAFETY: made by `query`, held by nobody else.
            unsafe { self.context.gl().delete_query(self.query) };
        }
        self.context.count(|c| c.live -= 1);
    }
}
