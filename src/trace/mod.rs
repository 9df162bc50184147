//! Recording: any run as the passes that it is, in a tree of named scopes.
//!
//! A [`Recorder`] is told by the context of every pass, upload, read-back, copy, clear and compilation, and of every scope
//! that [`Gpu::scope`] or a part of the library opens. What it has seen is a [`Trace`]: as a page for a browser
//! ([`Trace::page`]), as JSON ([`Trace::json`]), for Perfetto ([`Trace::chrome`]), or as sums ([`Trace::sums`]).
//!
//! Without a recorder a pass asks one `Option`. A pass is counted in texels and in fetches of its kernel's text
//! ([`Fetches`]); its time is that of a clock around a pass that is finished before and after ([`Watch::times`]).
//! Draws of foreign code in [`Gpu::glow`] are not seen.
//!
//! # Example
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::trace::{Recorder, Watch};
//! use quadrille::{Gpu, Operator};
//!
//! let gpu = Gpu::headless()?;
//! let numbers = gpu.buffer(100, 70).init(&vec![1.0; 7000])?;
//! let sum = gpu.reduction(Operator::sum());
//! let recorder = Recorder::start(&gpu, Watch::default())?;
//! {
//!     let _scope = gpu.scope("my sum");
//!     assert_eq!(sum.value(&numbers)?, [7000.0]);
//! }
//! let trace = recorder.trace();
//! assert_eq!(trace.scopes[1].name, "my sum");
//! assert_eq!(trace.sums()[1].passes, 3);
//! let page: String = trace.page();
//! # assert!(page.starts_with("<!doctype html>"));
//! # Ok(())
//! # }
//! ```
//!
//! [`Gpu::scope`]: crate::Gpu::scope
//! [`Gpu::glow`]: crate::Gpu::glow

mod export;
mod fetches;
mod image;
mod measure;
mod recorder;
mod strip;
mod sums;

use std::collections::HashMap;

pub use fetches::{Along, Count, FRAGMENT, Fetch, Fetches};
use fetches::{Given, Text};
pub use image::{Content, Image, Thumbnail};
pub use recorder::{Recorder, Watch};
pub use strip::STRIP;
pub use sums::{Branch, CARDS, Card, Sum};

use crate::gl::{Edges, Kernel, Rect, Shape};

/// Everything that a recorder saw.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The driver's name for itself.
    pub renderer: String,
    /// The floors of the GPU that this ran on: those of [`CARDS`] where the driver's name tells the card. What [`Card::measure`] found may be
    /// put in their place; pages, JSON and ratios go by it.
    pub card: Option<Card>,
    /// `OpenGL`, `OpenGL ES` or `WebGL`.
    pub dialect: &'static str,
    /// The first is the whole; each lies in one before it.
    pub scopes: Vec<Scope>,
    /// The kernels that ran, each once.
    pub kernels: Vec<Seen>,
    /// The contents of textures, in the order in which they were made.
    pub images: Vec<Image>,
    /// All that the context did, in order.
    pub steps: Vec<Step>,
    /// Each way in which a kernel was run: its number, and its fetches, `None` where its text is not understood.
    pub runs: Vec<(usize, Option<Fetches>)>,
    /// The clock that passes were timed by.
    pub clock: Clock,
    /// Bytes of whole copies that are kept, and the most that may be.
    pub memory: (u64, u64),
    /// Copies that were asked for and had no room.
    pub left_out: u64,
}

/// The clock of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Passes have no times.
    #[default]
    None,
    /// A clock of the CPU around each pass, which is finished before and after.
    Cpu,
    /// The GPU's timers, where they were seen to measure the work of a pass.
    Gpu,
}

impl Clock {
    /// The clock in words.
    pub fn words(self) -> &'static str {
        match self {
            Clock::None => "not taken",
            Clock::Cpu => "CPU clock around each pass, finished before and after",
            Clock::Gpu => "timers of the GPU",
        }
    }
}

/// A named part of a computation.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its name, as [`Gpu::scope`](crate::Gpu::scope) was given it.
    pub name: String,
    /// The scope that it lies in; of the whole, itself.
    pub parent: usize,
    /// Textures that were asked for in it and came out of the pool.
    pub pooled: u64,
    /// Those that were made.
    pub made: u64,
}

/// A kernel that was seen.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The kernel of its fragments.
    pub fragment: Kernel,
    /// The kernel of its vertices, where it scatters.
    pub vertex: Option<Kernel>,
    /// Names of its streams, in order of declaration.
    pub streams: Vec<String>,
    /// Names and types.
    pub constants: Vec<(String, String)>,
    /// Names of its domains.
    pub domains: Vec<String>,
    /// Names of its RANGEs, in order of target.
    pub outputs: Vec<String>,
    /// Lines of its fragments' kernel, from 1, that `#if` leaves out in this variant.
    pub left_out: Vec<u32>,
}

/// Something that the context did.
#[derive(Clone, Debug)]
pub struct Step {
    /// The innermost scope that it lies in, by its number.
    pub scope: usize,
    /// The kind of step, with its parts.
    pub what: What,
}

#[derive(Clone, Debug)]
/// A kind of step.
pub enum What {
    /// A pass.
    Pass(Box<Pass>),
    /// Texels, or numbers of vertices, came from the CPU.
    Upload {
        /// How many.
        bytes: u64,
    },
    /// Texels went to the CPU.
    Read {
        /// The content that was read.
        image: usize,
        /// How many.
        bytes: u64,
        /// True if the CPU waited for them.
        waits: bool,
    },
    /// A texture was set to one value.
    Clear {
        /// The content it has then.
        image: usize,
    },
    /// Texels went from the first to the second.
    Copy {
        /// The content that was copied, and the one that it made, if that is known.
        images: (usize, Option<usize>),
        /// The texels that were copied.
        region: Rect,
        /// Where the first of them went.
        at: (u32, u32),
    },
    /// A kernel was compiled.
    Compile {
        /// Its number.
        kernel: usize,
    },
}

/// A pass, with all that made it.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Its number among the passes of its context, from 1.
    pub number: u64,
    /// The number of its kernel, in [`Trace::kernels`].
    pub kernel: usize,
    /// The image and edge rule of each stream; none where a slot was left empty.
    pub streams: Vec<Option<(usize, Edges)>>,
    /// The numbers of each constant, in order.
    pub constants: Vec<Vec<f32>>,
    /// x0, y0, x1, y1 of each domain of the kernel.
    pub domains: Vec<[f32; 4]>,
    /// The texels that it was drawn over.
    pub range: Rect,
    /// Their images after the pass; none for a window.
    pub targets: Vec<usize>,
    /// True if it added to what was there.
    pub adds: bool,
    /// The queries of the program's own that it was drawn inside: `samples`, `time`.
    pub queries: Vec<&'static str>,
    /// Depth and stencil tests, in words.
    pub mask: Option<String>,
    /// The geometry in words, and the vertices of what is not a quad.
    pub geometry: (&'static str, u64),
    /// The fragments that the kernel ran for.
    pub fragments: u64,
    /// True if that is not known exactly: masks, points and triangles whose fragments were not counted, or are discarded.
    pub at_most: bool,
    /// True if the kernel discards fragments.
    pub discards: bool,
    /// The fragments that were written to each target: the whole range of a quad, else counted while they were drawn; `None` where
    /// that was not possible.
    pub written: Option<u64>,
    /// The time it took, where passes were timed.
    pub seconds: Option<f64>,
    /// The number of its way to run, in [`Trace::runs`]: of its fragments, and of its vertices where they have a kernel.
    pub runs: [Option<usize>; 2],
}

impl Pass {
    /// The runs of the kernels of fragments and of vertices: at least, and at most.
    fn ran(&self) -> [(u64, u64); 2] {
        // Fragments that were written ran, and of others nothing is known.
        let certain = if self.at_most { self.written.unwrap_or(0) } else { self.fragments };
        [(certain, self.fragments), (self.geometry.1, self.geometry.1)]
    }

    /// The coordinate of a domain, or of the fragment, at the centre of a texel of the target.
    fn coordinate(&self, along: &Along, texel: (u32, u32)) -> f64 {
        let here = [f64::from(texel.0) + 0.5, f64::from(texel.1) + 0.5][along.axis];
        let Some(domain) = along.domain else { return along.offset };
        let place = match self.domains.get(domain) {
            None => here,
            Some(domain) => {
                let begin = f64::from([self.range.x0, self.range.y0][along.axis]);
                let side = f64::from([self.range.width(), self.range.height()][along.axis].max(1));
                let (from, to) = (f64::from(domain[along.axis]), f64::from(domain[along.axis + 2]));
                from + (here - begin) / side * (to - from)
            }
        };
        place * along.scale + along.offset
    }
}

impl Trace {
    /// The passes, in order.
    pub fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.steps.iter().filter_map(|step| match &step.what {
            What::Pass(pass) => Some(&**pass),
            _ => None,
        })
    }

    /// Fetches of all fragments and vertices of a pass: at least, and at most where that is known.
    pub fn fetches_of(&self, pass: &Pass) -> (u64, Option<u64>) {
        let mut sum = (0, Some(0));
        for (run, (least, most)) in pass.runs.iter().zip(pass.ran()) {
            let Some(run) = run else { continue };
            let count =
                self.runs[*run].1.as_ref().map_or(Count { least: 0, most: None }, |found| found.count);
            sum.0 += count.least * least;
            sum.1 = sum.1.zip(count.most).map(|(sum, each)| sum + each * most);
        }
        sum
    }

    /// The fetches of a pass whose number differs from fragment to fragment, by running the kernel's text for each of them: exact
    /// unless it depends on what is fetched. `None` then, and for vertices and masks.
    pub fn fetches_one_by_one(&self, pass: &Pass) -> Option<u64> {
        if let (least, Some(most)) = self.fetches_of(pass)
            && least == most
        {
            return Some(least);
        }
        let seen = &self.kernels[pass.kernel];
        if pass.mask.is_some() || pass.geometry.0 != "quad" || seen.vertex.is_some() {
            return None;
        }
        let text = Text::new(&seen.fragment, self.dialect == "OpenGL ES", "")?;
        let size = |stream: &Option<(usize, Edges)>| {
            stream.map_or((0, 0), |(image, _)| {
                (self.images[image].shape.width, self.images[image].shape.height)
            })
        };
        let constants = seen.constants.iter().zip(&pass.constants);
        let constants = constants
            .filter(|((_, kind), _)| matches!(kind.as_str(), "float" | "vec2" | "vec3" | "vec4"))
            .map(|((name, _), value)| (name.as_str(), &value[..]))
            .collect();
        let streams =
            seen.streams.iter().zip(&pass.streams).map(|(name, s)| (name.as_str(), size(s))).collect();
        let domains: Vec<&str> = seen.domains.iter().map(String::as_str).collect();
        let mut given = Given { streams, constants, domains, here: None };
        let mut sum = 0;
        for y in pass.range.y0..pass.range.y1 {
            for x in pass.range.x0..pass.range.x1 {
                let place = |domain| {
                    let along = |axis| Along { domain: Some(domain), axis, scale: 1.0, offset: 0.0 };
                    [0, 1].map(|axis| pass.coordinate(&along(axis), (x, y)))
                };
                given.here = Some((0..pass.domains.len()).map(place).chain([place(FRAGMENT)]).collect());
                sum += text.run(&given)?.count.exact()?;
            }
        }
        Some(sum)
    }

    /// Bytes that a pass writes, and bytes of its streams, each texel that is fetched counted once.
    fn bytes_of(&self, pass: &Pass) -> u64 {
        let mut each: HashMap<usize, u64> = HashMap::new();
        for (stream, _, most) in self.fetches_by_stream(pass) {
            *each.entry(stream).or_default() += most;
        }
        let read = each.into_iter().filter_map(|(stream, fetches)| {
            let shape = self.shape_of(pass, stream)?;
            Some((shape.rect().area() as u64).min(fetches) * shape.format.bytes())
        });
        self.bytes_written(pass) + read.sum::<u64>()
    }

    /// Bytes that a pass writes.
    fn bytes_written(&self, pass: &Pass) -> u64 {
        let texel = pass.targets.iter().map(|image| self.images[*image].shape.format.bytes());
        texel.sum::<u64>() * pass.written.unwrap_or(pass.fragments)
    }

    /// Bytes that the fetches of a pass bring, at least.
    fn bytes_fetched(&self, pass: &Pass) -> u64 {
        let each = self.fetches_by_stream(pass).into_iter();
        each.filter_map(|(stream, least, _)| Some(least * self.shape_of(pass, stream)?.format.bytes())).sum()
    }

    fn shape_of(&self, pass: &Pass, stream: usize) -> Option<Shape> {
        (*pass.streams.get(stream)?).map(|(image, _)| self.images[image].shape)
    }

    /// The stream of each fetch in a kernel's text, with how often it is made: at least, and at most or once where that is not known.
    fn fetches_by_stream(&self, pass: &Pass) -> Vec<(usize, u64, u64)> {
        let mut each = Vec::new();
        for (run, (least, most)) in pass.runs.iter().zip(pass.ran()) {
            let Some((_, Some(found))) = run.map(|run| &self.runs[run]) else { continue };
            each.extend(found.fetches.iter().map(|fetch| {
                let Count { least: fewest, most: highest } = fetch.count;
                (fetch.stream, fewest * least, highest.unwrap_or(fewest.max(1)) * most)
            }));
        }
        each
    }

    /// The texels that one texel of a pass was computed from: the stream's number and the texel inside it, by the edge rule.
    /// `None` if one of the fetches depends on numbers that are not known.
    pub fn sources(&self, pass: &Pass, texel: (u32, u32)) -> Option<Vec<(usize, (u32, u32))>> {
        let found = self.runs[pass.runs[0]?].1.as_ref()?;
        let mut sources = Vec::new();
        for fetch in &found.fetches {
            let (image, edges) = (*pass.streams.get(fetch.stream)?)?;
            let shape = self.images[image].shape;
            for [x, y] in fetch.texels.as_ref()? {
                let x = edges.texel(pass.coordinate(x, texel).floor() as i64, shape.width);
                let y = edges.texel(pass.coordinate(y, texel).floor() as i64, shape.height);
                if !sources.contains(&(fetch.stream, (x, y))) {
                    sources.push((fetch.stream, (x, y)));
                }
            }
        }
        Some(sources)
    }
}
