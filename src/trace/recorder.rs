//! The observer: what a context does becomes a trace.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::rc::Rc;
use std::time::Instant;

use super::fetches::{Fetches, Given, Text, names_fetches};
use super::image::{Content, Image};
use super::{Card, Clock, Pass, Scope, Seen, Step, Trace, What};
use crate::gl::{
    Begun, Blend, Context, Counted, Drawn, Event, Geometry, Linked, Mask, Observer, PRELUDE_VERTEX, Rect,
    TALLIED, Texture, TimeQuery,
};
use crate::pug::Gpu;
use crate::{Error, Result};

/// Settings of a recorder: the passes that it records, and what it reads of textures for them.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The first pass that is recorded, by its number among those of the context, from 1; 0 is as 1.
    pub from: u64,
    /// The most passes that are recorded.
    pub passes: u64,
    /// Takes the time of each pass, by the [`Clock`] that there is: in a page there is none.
    pub times: bool,
    /// The longest side of the small pictures of all textures that take part; 0 for none.
    pub thumbnails: u32,
    /// Reads all outputs for their range and hash, thumbnails or not.
    pub hashes: bool,
    /// The first and the last pass whose streams and targets are kept whole.
    pub copies: Option<(u64, u64)>,
    /// Keeps other textures of at most so many texels whole, too, up to half a megabyte of them.
    pub small: usize,
    /// The most bytes of whole copies.
    pub memory: u64,
    /// Ends the run at the first pass that makes a number that is not finite out of finite ones: [`Error::NotFinite`].
    pub stop_at_not_finite: bool,
}

impl Default for Watch {
    /// All passes with their counts; no time is taken and nothing is read.
    fn default() -> Watch {
        Watch {
            from: 1,
            passes: u64::MAX,
            times: false,
            thumbnails: 0,
            hashes: false,
            copies: None,
            small: 0,
            memory: 64 << 20,
            stop_at_not_finite: false,
        }
    }
}

impl Watch {
    /// All that a page shows: times, thumbnails of 48 texels, and whole copies of small textures.
    pub fn page() -> Watch {
        Watch { times: true, thumbnails: 48, hashes: true, small: 1100, ..Watch::default() }
    }

    /// All that a strip shows: small pictures, and whole copies of small textures; no times.
    pub fn strip() -> Watch {
        Watch { thumbnails: 64, small: 1100, ..Watch::default() }
    }
}

/// The most bytes of copies that nobody asked for by number.
const SMALL: u64 = 512 << 10;

/// A recording under way. It ends when this is dropped.
pub struct Recorder {
    gpu: Gpu,
    shared: Rc<Shared>,
}

struct Shared {
    watch: Watch,
    clock: Clock,
    embedded: bool,
    recording: RefCell<Recording>,
    context: Rc<Context>,
    /// When the pass under way was handed over, or its timer, and the query that counts its fragments.
    started: Cell<Option<Instant>>,
    timing: Cell<Option<Begun>>,
    counting: Cell<Option<Begun>>,
}

#[derive(Default)]
struct Recording {
    trace: Trace,
    kernels: Vec<Known>,
    /// Scopes that are open: the name, and the number of those in which something was recorded.
    open: Vec<(String, Option<usize>)>,
    /// The newest image of each storage.
    newest: HashMap<u64, usize>,
    runs: HashMap<(usize, bool, Vec<u32>), usize>,
    small: u64,
    asked: Vec<Asked>,
}

/// Queries of a pass, by its place among the steps.
struct Asked {
    step: usize,
    time: Option<TimeQuery>,
    count: Option<Counted>,
}

/// Queries of so many passes are out at once.
const ASKED: usize = 256;

/// A kernel and its texts taken apart.
struct Known {
    linked: Rc<Linked>,
    fragment: Option<Text>,
    vertex: Option<Option<Text>>,
}

impl Recorder {
    /// Begins to record everything that this GPU does.
    ///
    /// # Errors
    /// [`Error::BadParameter`] if a recorder is at work already.
    pub fn start(gpu: &Gpu, watch: Watch) -> Result<Recorder> {
        let context = gpu.context();
        if context.observer().is_some() {
            let (found, expected) = ("two at once".to_owned(), "one recorder for a context".to_owned());
            return Err(Error::BadParameter { name: "recorder", found, expected });
        }
        let driver = gpu.driver();
        // A page has no clock of the CPU, and nothing to wait with.
        let clock = match watch.times && !driver.in_page {
            false => Clock::None,
            true if context.has_true_timers() => Clock::Gpu,
            true => Clock::Cpu,
        };
        let whole = Scope { name: "all".to_owned(), parent: 0, pooled: 0, made: 0 };
        let trace = Trace {
            renderer: driver.renderer.clone(),
            card: Card::of(&driver.renderer).cloned(),
            dialect: if driver.embedded { "OpenGL ES" } else { "OpenGL" },
            scopes: vec![whole],
            clock,
            memory: (0, watch.memory),
            ..Trace::default()
        };
        let recording = RefCell::new(Recording { trace, ..Recording::default() });
        let (started, timing, counting) = Default::default();
        let (embedded, context) = (driver.embedded, context.clone());
        let shared = Shared { watch, clock, embedded, recording, context, started, timing, counting };
        let shared = Rc::new(shared);
        let context = gpu.context();
        context.set_observer(Some(shared.clone()));
        Ok(Recorder { gpu: gpu.clone(), shared })
    }

    /// Does some work and records the first context that it opens without a window on this thread, if it opens one: for programs that are
    /// traced as they are.
    #[cfg(feature = "headless")]
    pub fn of_first<T>(watch: Watch, work: impl FnOnce() -> T) -> (T, Option<Recorder>) {
        let started = Rc::new(Cell::new(None));
        let place = started.clone();
        Gpu::at_next(Some(Box::new(move |gpu| {
            place.set(Some(Recorder::start(gpu, watch)?));
            Ok(())
        })));
        let done = work();
        Gpu::at_next(None);
        (done, started.take())
    }

    /// The GPU that is recorded.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Everything up to now.
    pub fn trace(&self) -> Trace {
        self.shared.settle(&mut self.shared.recording.borrow_mut());
        self.shared.recording.borrow().trace.clone()
    }

    /// Ends the recording: everything that it has seen.
    pub fn end(self) -> Trace {
        self.shared.settle(&mut self.shared.recording.borrow_mut());
        std::mem::take(&mut self.shared.recording.borrow_mut().trace)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.shared.end_queries();
        self.gpu.context().set_observer(None);
    }
}

impl Shared {
    /// Ends what a pass that failed has left under way.
    fn end_queries(&self) {
        self.timing.take().map(Begun::time);
        self.counting.take().map(Begun::count);
        self.started.take();
    }

    /// Waits for all queries. Of a context that was lost nothing is known.
    fn settle(&self, recording: &mut Recording) {
        for Asked { step, time, count } in recording.asked.drain(..) {
            let What::Pass(pass) = &mut recording.trace.steps[step].what else { continue };
            if let Some(Ok(time)) = time.map(|time| time.wait()) {
                pass.seconds = Some(time.as_secs_f64());
            }
            if let Some(Ok(count)) = count.map(|count| count.wait()) {
                pass.count(count);
            }
        }
    }

    /// Returns true if a pass of that number is to be recorded.
    fn wants(&self, number: u64) -> bool {
        let first = self.watch.from.max(1);
        number >= first && number - first < self.watch.passes
    }

    /// Returns true if a pass of that number is to be kept whole.
    fn keeps(&self, number: u64) -> bool {
        self.watch.copies.is_some_and(|(first, last)| (first..=last).contains(&number))
    }

    /// Returns true if textures are read for a pass of that number.
    fn reads(&self, number: u64) -> bool {
        let Watch { thumbnails, hashes, stop_at_not_finite, .. } = self.watch;
        thumbnails > 0 || hashes || stop_at_not_finite || self.keeps(number)
    }

    /// The newest image of a texture, read now if it is not known.
    fn image(&self, recording: &mut Recording, texture: &Texture, number: u64) -> Result<usize> {
        match recording.newest.get(&texture.storage_serial()) {
            Some(&known) => {
                self.keep_whole(recording, known, texture, number)?;
                Ok(known)
            }
            None => self.new_image(recording, texture, None, number),
        }
    }

    /// An image that a pass of those that are kept whole reads, and that was not kept when it was made.
    fn keep_whole(
        &self,
        recording: &mut Recording,
        image: usize,
        texture: &Texture,
        number: u64,
    ) -> Result<()> {
        let content = &recording.trace.images[image].content;
        if self.keeps(number) && content.as_ref().is_none_or(|content| content.values.is_none()) {
            let content = self.read(recording, texture, number)?;
            recording.trace.images[image].content = Some(content);
        }
        Ok(())
    }

    fn new_image(
        &self,
        recording: &mut Recording,
        texture: &Texture,
        by: Option<usize>,
        number: u64,
    ) -> Result<usize> {
        let content = if self.reads(number) { Some(self.read(recording, texture, number)?) } else { None };
        let storage = texture.storage_serial();
        let before = recording.newest.get(&storage).copied();
        let image = recording.trace.images.len();
        recording.trace.images.push(Image { storage, shape: texture.shape(), by, before, content });
        recording.newest.insert(storage, image);
        Ok(image)
    }

    fn read(&self, recording: &mut Recording, texture: &Texture, number: u64) -> Result<Content> {
        let (values, shape) = (texture.peek()?, texture.shape());
        let bytes = 4 * values.len() as u64;
        let asked = self.keeps(number);
        let is_small = shape.rect().area() <= self.watch.small && recording.small + bytes <= SMALL;
        let kept = &mut recording.trace.memory.0;
        let keep = (asked || is_small) && *kept + bytes <= self.watch.memory;
        if keep {
            *kept += bytes;
            recording.small += if asked { 0 } else { bytes };
        } else if asked {
            recording.trace.left_out += 1;
        }
        Ok(Content::of(shape, values, self.watch.thumbnails, keep))
    }

    fn pass(&self, drawn: &Drawn, number: u64, seconds: Option<f64>) -> Result<Pass> {
        let mut recording = self.recording.borrow_mut();
        let recording = &mut *recording;
        let kernel = recording.kernel(drawn.kernel, self.embedded);
        let step = recording.trace.steps.len();
        let mut streams = Vec::new();
        for bound in drawn.streams {
            streams.push(match bound {
                Some((texture, edges)) => Some((self.image(recording, texture, number)?, *edges)),
                None => None,
            });
        }
        let mut targets = Vec::new();
        for target in drawn.targets {
            targets.push(self.new_image(recording, target, Some(step), number)?);
        }
        let area = drawn.range.area() as u64;
        let (geometry, fragments) = match drawn.geometry {
            Geometry::Quad => (("quad", 0), area),
            // Until they are counted.
            Geometry::Points(vertices) => (("points", vertices.len() as u64), vertices.len() as u64),
            Geometry::CountedPoints(count) => (("points", count.into()), count.into()),
            Geometry::CountedStrip(count) => (("strip of triangles", count.into()), area),
            Geometry::CountedTriangles(count) => (("triangles", count.into()), area),
        };
        let runs = [
            Some(recording.run(kernel, false, drawn)),
            drawn.kernel.texts.1.as_ref().map(|_| recording.run(kernel, true, drawn)),
        ];
        let known = runs[0].and_then(|run| recording.trace.runs[run].1.as_ref());
        let discards = known.map_or_else(|| may_discard(drawn), |fetches| fetches.discards);
        let mask = drawn.mask.and_then(|(mask, depth)| in_words(mask, depth));
        let range = drawn.range.corners();
        let domains = drawn.domains.map_or_else(
            || vec![range; drawn.kernel.domains.len()],
            |domains| domains[..drawn.kernel.domains.len()].to_vec(),
        );
        Ok(Pass {
            number,
            kernel,
            streams,
            constants: drawn.constants.numbers(&drawn.kernel.constants),
            domains,
            range: drawn.range,
            targets,
            adds: drawn.blend == Blend::Add,
            queries: self.context.queries_under_way(),
            at_most: mask.is_some() || geometry.0 != "quad",
            discards,
            written: (mask.is_none() && geometry.0 == "quad" && !discards).then_some(fragments),
            mask,
            geometry,
            fragments,
            seconds,
            runs,
        })
    }

    /// Looks for numbers that are not finite though all that they were made of is.
    fn look(&self, pass: &Pass, drawn: &Drawn, before: &[Option<usize>]) -> Result<()> {
        let recording = self.recording.borrow();
        let trace = &recording.trace;
        let finite = |image: usize| trace.images[image].content.as_ref().is_none_or(|c| c.not_finite == 0);
        if pass.constants.iter().flatten().any(|value| !value.is_finite()) {
            return Ok(());
        }
        for (place, (target, texture)) in pass.targets.iter().zip(drawn.targets).enumerate() {
            let added_to = pass.adds && before[place].is_some_and(|image| !finite(image));
            if finite(*target) || added_to {
                continue;
            }
            let all_finite = pass.streams.iter().flatten().all(|(image, _)| finite(*image));
            let (values, shape) = (texture.peek()?, texture.shape());
            let channels = shape.format.components();
            let mut inputs = Vec::new();
            for (slot, bound) in drawn.streams.iter().enumerate() {
                let values = match bound {
                    Some((texture, _)) => (texture.peek()?, texture.shape()),
                    None => (Vec::new(), shape),
                };
                inputs.push((drawn.kernel.streams[slot].name.as_str(), values));
            }
            let value_of = |&(stream, (x, y)): &(usize, (u32, u32))| {
                let (name, (values, shape)) = &inputs[stream];
                let channels = shape.format.components();
                let first = (y as usize * shape.width as usize + x as usize) * channels;
                (*name, x, y, &values[first..first + channels])
            };
            for y in pass.range.y0..pass.range.y1 {
                for x in pass.range.x0..pass.range.x1 {
                    let first = (y as usize * shape.width as usize + x as usize) * channels;
                    let Some(value) = values[first..first + channels].iter().find(|v| !v.is_finite()) else {
                        continue;
                    };
                    let sources = trace.sources(pass, (x, y));
                    let of_finite = |sources: &Vec<_>| {
                        sources.iter().all(|source| value_of(source).3.iter().all(|v| v.is_finite()))
                    };
                    if !(all_finite || sources.as_ref().is_some_and(of_finite)) {
                        continue;
                    }
                    let words = |source| {
                        let (name, x, y, values) = value_of(source);
                        let values: Vec<String> = values.iter().map(|v| format!("{v:e}")).collect();
                        format!("{name}({x}, {y}) = {}", values.join(" "))
                    };
                    let inputs = match &sources {
                        Some(sources) => sources.iter().take(12).map(words).collect::<Vec<_>>().join(", "),
                        None => "streams that are finite everywhere".to_owned(),
                    };
                    let names = &drawn.kernel.outputs;
                    return Err(Error::NotFinite {
                        pass: pass.number,
                        kernel: drawn.kernel.kernel.clone(),
                        scope: recording.path().into(),
                        target: names.get(place).map_or(String::new(), |(name, _)| name.clone()),
                        texel: (x, y),
                        value: *value,
                        inputs: inputs.into(),
                    });
                }
            }
        }
        Ok(())
    }
}

impl Recording {
    /// The number of the innermost scope, which is recorded now if it was not before.
    fn scope(&mut self) -> usize {
        let mut parent = 0;
        for (name, number) in &mut self.open {
            parent = *number.get_or_insert_with(|| {
                self.trace.scopes.push(Scope { name: name.clone(), parent, pooled: 0, made: 0 });
                self.trace.scopes.len() - 1
            });
        }
        parent
    }

    /// The names of the open scopes.
    fn path(&self) -> String {
        let names: Vec<&str> = self.open.iter().map(|(name, _)| name.as_str()).collect();
        names.join(" / ")
    }

    fn push(&mut self, what: What) {
        let scope = self.scope();
        self.trace.steps.push(Step { scope, what });
    }

    fn kernel(&mut self, linked: &Rc<Linked>, embedded: bool) -> usize {
        if let Some(known) = self.kernels.iter().position(|known| Rc::ptr_eq(&known.linked, linked)) {
            return known;
        }
        let (fragment, vertex) = &linked.texts;
        let text = Text::new(fragment, embedded, "");
        let vertex_text = vertex.as_ref().map(|vertex| Text::new(vertex, embedded, PRELUDE_VERTEX));
        let left_out = text.as_ref().map_or_else(Vec::new, |text| text.left_out.clone());
        self.kernels.push(Known { linked: linked.clone(), fragment: text, vertex: vertex_text });
        self.trace.kernels.push(Seen {
            fragment: fragment.clone(),
            vertex: vertex.clone(),
            streams: linked.streams.iter().map(|slot| slot.name.clone()).collect(),
            constants: linked.constants.iter().map(|slot| (slot.name.clone(), slot.type_name())).collect(),
            domains: linked.domains.clone(),
            outputs: linked.outputs.iter().map(|(name, _)| name.clone()).collect(),
            left_out,
        });
        self.kernels.len() - 1
    }

    /// The number of the way in which a pass runs its kernel: it depends on constants and sizes alone.
    fn run(&mut self, kernel: usize, vertex: bool, drawn: &Drawn) -> usize {
        let numbers = drawn.constants.numbers(&drawn.kernel.constants);
        let mut key: Vec<u32> = numbers.iter().flatten().map(|v| v.to_bits()).collect();
        let size = |bound: &Option<(&Texture, _)>| {
            bound.map_or([0, 0], |(texture, _)| [texture.shape().width, texture.shape().height])
        };
        key.extend(drawn.streams.iter().flat_map(size));
        let key = (kernel, vertex, key);
        if let Some(&run) = self.runs.get(&key) {
            return run;
        }
        let Known { linked, fragment, vertex: vertex_text } = &self.kernels[kernel];
        let text = if vertex { vertex_text.as_ref().and_then(Option::as_ref) } else { fragment.as_ref() };
        let streams = linked.streams.iter().zip(drawn.streams);
        let constants = linked.constants.iter().zip(&numbers);
        let given = Given {
            streams: streams.map(|(slot, bound)| (slot.name.as_str(), size(bound).into())).collect(),
            constants: constants
                .filter(|(slot, _)| slot.kind.is_float_vector() && slot.len == 0)
                .map(|(slot, value)| (slot.name.as_str(), &value[..]))
                .collect(),
            domains: linked.domains.iter().map(String::as_str).collect(),
            here: None,
        };
        let found = text.and_then(|text| text.run(&given)).or_else(|| {
            let text = if vertex { linked.texts.1.as_ref() } else { Some(&linked.texts.0) };
            text.filter(|kernel| !names_fetches(&kernel.text))
                .map(|kernel| Fetches { discards: kernel.text.contains("discard"), ..Fetches::none() })
        });
        let run = self.trace.runs.len();
        // Ways that fetch alike are one.
        let same =
            self.trace.runs.iter().position(|(of, fetches)| *of == kernel && *fetches == found && !vertex);
        let run = same.unwrap_or_else(|| {
            self.trace.runs.push((kernel, found));
            run
        });
        self.runs.insert(key, run);
        run
    }
}

impl Observer for Shared {
    fn opens(&self, name: &dyn Display) {
        self.recording.borrow_mut().open.push((name.to_string(), None));
    }

    fn closes(&self) {
        self.recording.borrow_mut().open.pop();
    }

    fn before(&self, drawn: &Drawn) -> Result<bool> {
        self.end_queries();
        let number = drawn.context.counters().passes + 1;
        if !self.wants(number) {
            return Ok(false);
        }
        if self.reads(number) {
            let mut recording = self.recording.borrow_mut();
            let streams = drawn.streams.iter().flatten().map(|(texture, _)| *texture);
            let part = drawn.blend == Blend::Add
                || drawn.mask.is_some()
                || !matches!(drawn.geometry, Geometry::Quad);
            let targets = drawn
                .targets
                .iter()
                .copied()
                .filter(|target| part || drawn.range.area() < target.shape().rect().area());
            for texture in streams.chain(targets) {
                self.image(&mut recording, texture, number)?;
            }
        }
        let is_whole =
            drawn.mask.is_none() && matches!(drawn.geometry, Geometry::Quad) && !may_discard(drawn);
        // Fragments that write depth or stencil hide others from each other; the tally writes neither.
        let writes =
            |mask: Mask| mask.depth.is_some_and(|t| t.write) || mask.stencil.is_some_and(|t| t.write);
        let hides =
            !matches!(drawn.geometry, Geometry::Quad) && drawn.mask.is_some_and(|(mask, _)| writes(mask));
        let blends = drawn.context.limits().float_blend && !drawn.targets.is_empty();
        let tallies = !is_whole && self.embedded && blends && !hides;
        if !is_whole {
            self.counting.set(self.context.begin_count());
        }
        match self.clock {
            // A pass that is drawn twice is not timed.
            _ if tallies => {}
            Clock::None => {}
            Clock::Cpu => {
                drawn.context.finish();
                self.started.set(Some(Instant::now()));
            }
            Clock::Gpu => self.timing.set(self.context.begin_time()),
        }
        Ok(tallies)
    }

    fn after(&self, drawn: &Drawn, tally: Option<&Texture>) -> Result<()> {
        let number = drawn.context.counters().passes;
        if !self.wants(number) {
            return Ok(());
        }
        let time = self.timing.take().map(Begun::time);
        let count = self.counting.take().map(Begun::count);
        let seconds = self.started.take().map(|started| {
            drawn.context.finish();
            started.elapsed().as_secs_f64()
        });
        let before: Vec<Option<usize>> = {
            let recording = self.recording.borrow();
            drawn.targets.iter().map(|t| recording.newest.get(&t.storage_serial()).copied()).collect()
        };
        let mut pass = self.pass(drawn, number, seconds)?;
        if let Some(count) = tally.map(Texture::peek).transpose()?.and_then(|texels| tallied(&texels)) {
            pass.count(count);
        }
        let looked = if self.watch.stop_at_not_finite { self.look(&pass, drawn, &before) } else { Ok(()) };
        let recording = &mut *self.recording.borrow_mut();
        recording.push(What::Pass(Box::new(pass)));
        if time.is_some() || count.is_some() {
            let step = recording.trace.steps.len() - 1;
            recording.asked.push(Asked { step, time, count });
            if recording.asked.len() >= ASKED {
                self.settle(recording);
            }
        }
        looked
    }

    fn saw(&self, context: &Context, event: Event) {
        let number = context.counters().passes + 1;
        let mut recording = self.recording.borrow_mut();
        let recording = &mut *recording;
        // Whatever is known of a texture that changes unseen is not known any more.
        if !self.wants(number) {
            if let Event::Uploaded { texture, .. }
            | Event::Cleared { texture }
            | Event::Copied { to: texture, .. } = event
            {
                recording.newest.remove(&texture.storage_serial());
            }
            return;
        }
        let step = recording.trace.steps.len();
        let made = |recording: &mut Recording, texture: &Texture| {
            // A texture that cannot be read leaves its image empty: the run itself will say what is wrong.
            self.new_image(recording, texture, Some(step), number).ok()
        };
        let what = match event {
            Event::Uploaded { texture, region } => {
                let image = made(recording, texture);
                let bytes = region.area() as u64 * texture.shape().format.bytes();
                image.map(|_| What::Upload { bytes })
            }
            Event::UploadedVertices { values } => Some(What::Upload { bytes: 4 * values as u64 }),
            Event::Cleared { texture } => made(recording, texture).map(|image| What::Clear { image }),
            Event::Copied { from, to, region, at } => {
                let source = self.image(recording, from, number).ok();
                let copy = made(recording, to);
                source.zip(copy).map(|(from, to)| What::Copy { images: (from, Some(to)), region, at })
            }
            Event::Filled { from, values } => {
                let texels = values.div_ceil(4) as u32;
                let source = self.image(recording, from, number).ok();
                let region = Rect::whole(texels, 1);
                source.map(|from| What::Copy { images: (from, None), region, at: (0, 0) })
            }
            Event::Read { texture, region, waits } => {
                let bytes = region.area() as u64 * texture.shape().format.bytes();
                let image = self.image(recording, texture, number).ok();
                image.map(|image| What::Read { image, bytes, waits })
            }
            Event::Compiled { kernel } => {
                let kernel = recording.kernel(kernel, self.embedded);
                Some(What::Compile { kernel })
            }
            Event::Taken { pooled } => {
                let scope = recording.scope();
                let scope = &mut recording.trace.scopes[scope];
                *(if pooled { &mut scope.pooled } else { &mut scope.made }) += 1;
                None
            }
        };
        if let Some(what) = what {
            recording.push(what);
        }
    }
}

impl Pass {
    /// So many fragments were written: they are those that ran, unless some were discarded.
    fn count(&mut self, written: u64) {
        self.written = Some(written);
        if !self.discards {
            (self.fragments, self.at_most) = (written, false);
        }
        self.fragments = self.fragments.max(written);
    }
}

/// Returns true if the text of the kernel names it: what it does is known once it was run.
fn may_discard(drawn: &Drawn) -> bool {
    drawn.kernel.texts.0.text.contains("discard")
}

/// The fragments that left their trace in a tally; `None` where a texel had too many of them, or one that is not finite.
fn tallied(texels: &[f32]) -> Option<u64> {
    let each = f64::from(TALLIED).ln();
    let count = |texel: &f32| {
        let count = f64::from(*texel).ln() / each;
        (*texel >= f32::MIN_POSITIVE && *texel <= 1.0).then_some(count.round() as u64)
    };
    texels.iter().map(count).sum()
}

/// The tests of a mask, if it has some.
fn in_words(mask: Mask, depth: f32) -> Option<String> {
    let compare = |compare| format!("{compare:?}").to_lowercase();
    let writes = |writes| if writes { ", written" } else { "" };
    let by_depth =
        mask.depth.map(|t| format!("depth {depth} {} stored{}", compare(t.compare), writes(t.write)));
    let by_stencil =
        mask.stencil.map(|t| format!("{} {} stencil{}", t.reference, compare(t.compare), writes(t.write)));
    let words: Vec<String> = by_depth.into_iter().chain(by_stencil).collect();
    if words.is_empty() { None } else { Some(words.join("; ")) }
}
