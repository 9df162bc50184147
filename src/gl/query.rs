//! Queries to the GPU: the time that passes took, the number of fragments that passed.
//!
//! A wait for a query sleeps in the driver: a loop of polls would take a core from a renderer on the CPU.

use std::rc::Rc;
use std::time::Duration;

use glow::HasContext;

use super::Context;
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
pub struct SampleQuery(Query);

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
        let (value, query) = self.query(Kind::Samples, target, work)?;
        Ok((value, SampleQuery(query)))
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
        let gl = self.gl();
        // SAFETY: no arguments.
        let query = unsafe { gl.create_query() }.map_err(refused)?;
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
        // SAFETY: the query of this target began before this was made.
        unsafe { self.context.gl().end_query(self.target) };
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
        // In a browser what is not there reads as 0.
        while cfg!(target_arch = "wasm32") && self.poll().is_none() {
            std::hint::spin_loop();
        }
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

    /// The time, waited for. In a browser this never returns: poll there.
    pub fn wait(&self) -> Duration {
        Duration::from_nanos(self.0.wait())
    }
}

impl SampleQuery {
    fn answer(&self, result: u64) -> Samples {
        match self.0.target {
            glow::SAMPLES_PASSED => Samples::Count(result),
            _ => Samples::Any(result != 0),
        }
    }

    /// The count, if it is known by now.
    pub fn poll(&self) -> Option<Samples> {
        self.0.poll().map(|result| self.answer(result))
    }

    /// The count, waited for. In a browser this never returns: poll there.
    pub fn wait(&self) -> Samples {
        self.answer(self.0.wait())
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        // SAFETY: made by `query`, held by nobody else.
        unsafe { self.context.gl().delete_query(self.query) };
        self.context.count(|c| c.live -= 1);
    }
}
