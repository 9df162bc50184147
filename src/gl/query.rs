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

#[cfg(feature = "trace")]
use super::Counters;
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
    /// Its other parts, where an observer counted some of its passes by themselves.
    parts: Vec<Rc<Query>>,
}

/// A query of an observer's, for a pass: it ends when it is taken by [`Begun::time`] or [`Begun::count`].
#[cfg(feature = "trace")]
pub(crate) struct Begun {
    query: Query,
    kind: Kind,
    /// It is a part of another query of its kind, which goes on after it.
    inside: bool,
}

/// A pending time: [`TimeQuery::poll`] it, or wait for it.
pub struct TimeQuery(Rc<Query>);

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
        Ok((value, TimeQuery(Rc::new(query))))
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
        let mut query = self.begin(target)?;
        running.set(true);
        let under_way = UnderWay { context: self, kind, target };
        let value = work();
        drop(under_way);
        // Queries of samples alone are cut: one of time inside of one leaves it its parts.
        if matches!(kind, Kind::Samples) {
            query.parts = self.parts.take();
        }
        Ok((value?, query))
    }

    /// Begins a query, of a kind of which none is under way.
    fn begin(self: &Rc<Self>, target: u32) -> Result<Query> {
        let refused = |message| Error::Driver { what: "a query".into(), message };
        self.alive("a query")?;
        let gl = self.gl();
        // SAFETY: no arguments.
        let query = unsafe { gl.create_query() }.map_err(refused).map_err(|error| self.or_lost(error))?;
        self.count(|c| c.live += 1);
        let query = Query { context: self.clone(), query, target, parts: Vec::new() };
        // SAFETY: no other query of this kind is under way.
        unsafe { gl.begin_query(target, query.query) };
        Ok(query)
    }

    /// The kinds of queries that are under way: `samples`, `time`.
    #[cfg(feature = "trace")]
    pub(crate) fn queries_under_way(&self) -> Vec<&'static str> {
        let kinds = [(Kind::Samples, "samples"), (Kind::Time, "time")];
        let running = kinds.into_iter().filter(|(kind, _)| self.queries[*kind as usize].get());
        running.map(|(_, name)| name).collect()
    }

    /// Begins to take the time of a pass; `None` where there are no timers, and inside another query of time.
    #[cfg(feature = "trace")]
    pub(crate) fn begin_time(self: &Rc<Self>) -> Option<Begun> {
        let kind = Kind::Time;
        let running = &self.queries[kind as usize];
        if !self.driver.timers || self.driver.in_page || running.get() {
            return None;
        }
        let query = self.begin(glow::TIME_ELAPSED).ok()?;
        running.set(true);
        Some(Begun { query, kind, inside: false })
    }

    /// Begins to count the fragments of a pass that pass; `None` where the dialect does not count. Inside another query of samples
    /// that one is cut here and goes on afterwards: its count is the sum.
    #[cfg(feature = "trace")]
    pub(crate) fn begin_count(self: &Rc<Self>) -> Option<Begun> {
        let (kind, target) = (Kind::Samples, glow::SAMPLES_PASSED);
        if self.driver.embedded {
            return None;
        }
        let inside = self.queries[kind as usize].get();
        if inside {
            // SAFETY: one is under way.
            unsafe { self.gl().end_query(target) };
        }
        match self.begin(target) {
            Ok(query) => {
                self.queries[kind as usize].set(true);
                Some(Begun { query, kind, inside })
            }
            Err(_) => {
                if inside {
                    self.resume(target);
                }
                None
            }
        }
    }

    /// Goes on with a query that was cut.
    #[cfg(feature = "trace")]
    fn resume(self: &Rc<Self>, target: u32) {
        match self.begin(target) {
            Ok(next) => self.parts.borrow_mut().push(Rc::new(next)),
            // The next call says what has become of the context.
            Err(_) => self.queries[Kind::Samples as usize].set(false),
        }
    }

    /// True if the times of passes are those of their work: timers that say nothing of it are told by a clock around some passes that
    /// are finished. Found out once for a context, which draws some of its own.
    #[cfg(feature = "trace")]
    pub(crate) fn has_true_timers(self: &Rc<Self>) -> bool {
        // Its passes would count as those of a query that is under way.
        if self.queries.iter().any(std::cell::Cell::get) {
            return self.true_timers.get().copied().unwrap_or(false);
        }
        *self.true_timers.get_or_init(|| {
            let Counters { passes, calls, compiles, .. } = self.counters.get();
            let found = self.try_timers().unwrap_or(false);
            // They were not asked for.
            self.count(|counters| {
                (counters.passes, counters.calls, counters.compiles) = (passes, calls, compiles)
            });
            found
        })
    }

    /// Passes that fetch 4 million texels each, until they take some milliseconds: their times by the timers, and all by the clock.
    #[cfg(feature = "trace")]
    fn try_timers(self: &Rc<Self>) -> Result<bool> {
        if !self.driver.timers || self.driver.in_page {
            return Ok(false);
        }
        let text = include_str!("../../glsl/flow/smallest.frag");
        let kernel =
            self.compile(&Kernel::new(SMALLEST, super::kernel_text(SMALLEST, text)), Rounding::None)?;
        let shape = |side| Shape { width: side, height: side, format: Format::R8 };
        let (source, target) = (self.texture(shape(2048))?, self.texture(shape(2048 / BLOCK))?);
        source.clear([1.0; 4]);
        let texels = source.shape().rect().corners();
        let draw = || self.pass(kernel.clone()).streams([&source]).domains(&[texels]).onto(&[&target]);
        draw()?;
        are_true(|passes| {
            self.finish();
            let began = std::time::Instant::now();
            let mut queries = Vec::new();
            for _ in 0..passes {
                let Some(begun) = self.begin_time() else { return Ok(None) };
                draw()?;
                queries.push(begun.time());
            }
            self.finish();
            let clock = began.elapsed();
            Ok(Some([queries.iter().map(TimeQuery::wait).sum::<Result<Duration>>()?, clock]))
        })
    }
}

/// True if timers measure the work of passes. `measure` draws so many passes of some length and returns their times by the timers, added
/// up, and the time of a clock around all of them, which has the submission in it, too; `None` where there are no timers.
/// It is asked for more passes until the clock has seen some milliseconds.
#[cfg(feature = "trace")]
fn are_true(mut measure: impl FnMut(usize) -> Result<Option<[Duration; 2]>>) -> Result<bool> {
    const ENOUGH: Duration = Duration::from_millis(5);
    let mut passes = 1;
    loop {
        let Some([timers, clock]) = measure(passes)? else { return Ok(false) };
        if clock >= ENOUGH || passes == 256 {
            return Ok(timers > clock.mul_f64(0.4) && timers < clock.mul_f64(1.2));
        }
        passes *= 4;
    }
}

#[cfg(feature = "trace")]
impl Begun {
    fn end(self) -> Rc<Query> {
        let Begun { query, kind, inside } = self;
        let (context, query) = (query.context.clone(), Rc::new(query));
        if !context.is_lost() {
            // SAFETY: it is under way.
            unsafe { context.gl().end_query(query.target) };
        }
        context.queries[kind as usize].set(inside);
        if inside {
            context.parts.borrow_mut().push(query.clone());
            context.resume(query.target);
        }
        query
    }

    /// Ends it: the time of what was drawn since it began.
    pub(crate) fn time(self) -> TimeQuery {
        TimeQuery(self.end())
    }

    /// Ends it: the fragments that have passed since it began.
    pub(crate) fn count(self) -> Counted {
        Counted(self.end())
    }
}

/// A count of an observer's that may not be there yet.
#[cfg(feature = "trace")]
pub(crate) struct Counted(Rc<Query>);

#[cfg(feature = "trace")]
impl Counted {
    /// The fragments, waited for.
    pub(crate) fn wait(&self) -> Result<u64> {
        self.0.context.alive("a query of samples")?;
        Ok(self.0.wait())
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
        if self.context.is_lost() {
            return None;
        }
        let gl = self.context.gl();
        // Parts ended before it, or after it; one alone is the usual case.
        let all = std::iter::once(self).chain(self.parts.iter().map(|part| &**part));
        for query in all {
            // SAFETY: the query has ended.
            let there = unsafe { gl.get_query_parameter_u32(query.query, glow::QUERY_RESULT_AVAILABLE) };
            if there == 0 {
                return None;
            }
        }
        Some(self.result())
    }

    /// Sleeps in the driver until the result is there: a loop of polls would take a core from a renderer on the CPU.
    fn wait(&self) -> u64 {
        self.context.flush();
        self.result()
    }

    fn result(&self) -> u64 {
        let parts: u64 = self.parts.iter().map(|part| part.result()).sum();
        self.own_result() + parts
    }

    fn own_result(&self) -> u64 {
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
            // A query that a page has answered needs no read.
            Some(witnesses) => {
                let known = self.query.context.driver.in_page.then(|| self.query.poll()).flatten();
                known.map_or_else(|| witnesses.any(), |result| Ok(self.answer(result)))
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

#[cfg(all(test, feature = "trace"))]
mod tests {
    use super::*;

    /// Decides by timers that tell a share of the clock, for passes of so many microseconds; and says how many passes were drawn last.
    fn decided(share: f64, each: u64) -> Result<(bool, usize)> {
        let mut last = 0;
        let found = are_true(|passes| {
            last = passes;
            let clock = Duration::from_micros(each * passes as u64);
            Ok(Some([clock.mul_f64(share), clock]))
        })?;
        Ok((found, last))
    }

    #[test]
    fn timers_are_believed_from_four_tenths_of_the_clock_to_a_fifth_more_than_it() -> Result<()> {
        // The second is what llvmpipe tells of passes that draw in several threads.
        for (share, expected) in [
            (0.0, false),
            (0.35 / 9.0, false),
            (0.39, false),
            (0.41, true),
            (1.0, true),
            (1.19, true),
            (1.21, false),
            (1000.0, false),
        ] {
            assert_eq!(decided(share, 9000)?, (expected, 1), "{share} of the clock");
        }
        Ok(())
    }

    #[test]
    fn short_passes_are_repeated_until_the_clock_has_seen_five_milliseconds() -> Result<()> {
        for (each, passes) in [(5000, 1), (4999, 4), (1250, 4), (1249, 16), (100, 64), (20, 256), (0, 256)] {
            assert_eq!(decided(1.0, each)?.1, passes, "passes of {each} \u{b5}s");
        }
        // A short time that was told wrongly at first does not count.
        let mut all = vec![[20_000, 9_000], [2_000, 2_000], [0, 1_000]];
        let measure = |_| Ok(all.pop().map(|times| times.map(Duration::from_micros)));
        assert!(!are_true(measure)?, "20 ms of 9 ms");
        Ok(())
    }

    #[test]
    fn where_there_are_no_timers_none_are_believed() -> Result<()> {
        assert!(!are_true(|_| Ok(None))?);
        Ok(())
    }
}
