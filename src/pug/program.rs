//! Programs: a kernel with the streams and constants that are bound to it.
//!
//! A run with an unbound name is an error; OpenGL would use 0 for a constant and any texture for a stream.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use super::value::words_for;
use super::{Buffer, ConstantHandle, ConstantKey, Domain, Floats, StreamHandle, StreamKey, Value};
use crate::gl::{ConstantSlot, Context, Kernel, Linked, Rounding, mentions};
use crate::{Error, Result, kernels};

/// A kernel and its bindings. Bindings stay until they are changed.
pub struct Program {
    context: Rc<Context>,
    fragment: Kernel,
    vertex: Option<Kernel>,
    /// Handles are of one program, and of one version of it.
    pub(super) serial: u64,
    file: Option<PathBuf>,
    /// When the file last looked different, so that a version that does not compile is reported once.
    seen: Option<Stamp>,
    /// As the kernel is; the variants that round what they store are compiled when first asked for.
    plain: Rc<Linked>,
    variants: [OnceCell<Rc<Linked>>; 3],
    adders: [OnceCell<Rc<Linked>>; 3],
    pub(super) streams: Vec<Option<Buffer>>,
    /// The words of each constant; none where nobody bound it.
    pub(super) constants: Vec<Vec<u32>>,
    pub(super) domains: Vec<Option<Domain>>,
}

impl Program {
    pub(super) fn new(context: &Rc<Context>, fragment: Kernel, vertex: Option<Kernel>) -> Result<Program> {
        let plain = compile(context, &fragment, vertex.as_ref(), Rounding::None)?;
        Ok(Program {
            context: context.clone(),
            serial: context.serial(),
            file: None,
            seen: None,
            streams: vec![None; plain.streams.len()],
            constants: vec![Vec::new(); plain.constants.len()],
            domains: vec![None; plain.domains.len()],
            variants: Default::default(),
            adders: Default::default(),
            fragment,
            vertex,
            plain,
        })
    }

    pub(super) fn from_file(context: &Rc<Context>, path: &Path) -> Result<Program> {
        let seen = stamp(path);
        let program = Program::new(context, read(path)?, None)?;
        Ok(Program { file: Some(path.to_owned()), seen, ..program })
    }

    /// From now on [`Program::reload`] reads this file; it counts as changed already.
    pub fn watch(&mut self, path: &Path) {
        self.seen = None;
        self.file = Some(path.to_owned());
    }

    /// Returns true if the file looks different from when it was last read or asked about.
    pub fn file_changed(&mut self) -> bool {
        let now = self.file.as_deref().and_then(stamp);
        self.file.is_some() && std::mem::replace(&mut self.seen, now) != now
    }

    /// The program of the file as it is now, or of the same text if there is no file. Bindings are kept if their names
    /// and types still exist.
    ///
    /// # Errors
    /// [`Error::Io`], or those of compiling.
    pub fn reloaded(&self) -> Result<Program> {
        let (mut kernel, seen) = match &self.file {
            Some(path) => {
                let seen = stamp(path);
                (read(path)?, seen)
            }
            None => (self.fragment.clone(), None),
        };
        kernel.defines = self.fragment.defines.clone();
        kernel.preludes = self.fragment.preludes.clone();
        let mut new = Program::new(&self.context, kernel, self.vertex.clone())?;
        for (i, slot) in new.plain.streams.iter().enumerate() {
            let old = self.plain.streams.iter().position(|s| s.name == slot.name);
            new.streams[i] = old.and_then(|old| self.streams[old].clone());
        }
        for (i, slot) in new.plain.constants.iter().enumerate() {
            let same = |old: &ConstantSlot| old.declaration() == slot.declaration();
            if let Some(old) = self.plain.constants.iter().position(same) {
                new.constants[i].clone_from(&self.constants[old]);
            }
        }
        for (i, slot) in new.plain.domains.iter().enumerate() {
            let old = self.plain.domains.iter().position(|d| d == slot);
            new.domains[i] = old.and_then(|old| self.domains[old]);
        }
        new.file = self.file.clone();
        new.seen = seen;
        Ok(new)
    }

    /// Reads the file again; see [`Program::reloaded`].
    ///
    /// # Errors
    /// [`Error::Io`], or those of compiling; the program then stays as it was.
    pub fn reload(&mut self) -> Result<()> {
        *self = self.reloaded()?;
        Ok(())
    }

    /// Reloads if the file has changed since it was last read; says whether it did.
    ///
    /// # Errors
    /// As [`Program::reload`], once for each change of the file.
    pub fn reload_if_changed(&mut self) -> Result<bool> {
        let changed = self.file_changed();
        if changed {
            self.reload()?;
        }
        Ok(changed)
    }

    /// The kernel's file or name.
    pub fn name(&self) -> &str {
        &self.fragment.name
    }

    /// The stream of that name, to bind without a look-up. A reload makes the handle stale.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::UnusedName`], [`Error::DroppedName`]; [`Error::WrongType`] if it is no `Stream`.
    pub fn stream(&self, name: &str) -> Result<StreamHandle> {
        match self.plain.streams.iter().position(|s| s.name == name) {
            Some(place) => Ok(StreamHandle { program: self.serial, place }),
            None => Err(self.no_such("stream", name, "Stream")),
        }
    }

    /// The constant of that name, to bind without a look-up. A reload makes the handle stale.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::UnusedName`], [`Error::DroppedName`]; [`Error::WrongType`] if it is a stream or a domain.
    pub fn constant(&self, name: &str) -> Result<ConstantHandle> {
        match self.plain.constants.iter().position(|c| c.name == name) {
            Some(place) => Ok(ConstantHandle { program: self.serial, place }),
            None => Err(self.no_such("constant", name, "a number, a vector, a matrix or an array")),
        }
    }

    /// Binds a buffer to a stream (`pugBindStream`). The program holds the buffer until it is replaced.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::UnusedName`], [`Error::DroppedName`], [`Error::WrongType`]; [`Error::Access`] for a
    /// write-only buffer, [`Error::OtherContext`].
    pub fn bind_stream(&mut self, stream: impl StreamKey, buffer: &Buffer) -> Result<&mut Program> {
        let place = stream.stream_in(self)?;
        self.check_stream(buffer)?;
        self.streams[place] = Some(buffer.clone());
        Ok(self)
    }

    /// Checks that a stream may read the buffer.
    pub(super) fn check_stream(&self, buffer: &Buffer) -> Result<()> {
        if buffer.access() == super::Access::Write {
            let (buffer, mode, used) = (buffer.describe(), "write-only", "bound to a stream");
            return Err(Error::Access { buffer, mode, used });
        }
        self.check_context(buffer)
    }

    /// Binds one to four floats to a constant (`pugBindFloat`).
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::UnusedName`], [`Error::DroppedName`]; [`Error::WrongType`] for another number of floats.
    pub fn bind_float(&mut self, constant: impl ConstantKey, values: impl Floats) -> Result<&mut Program> {
        self.bind_constant(constant, values)
    }

    /// Binds a value of any type that GLSL ES 3.00 has to a constant: `int`, `uint`, `bool`, `float`, vectors and matrices of
    /// those, and arrays; see [`Value`] for Rust's types.
    ///
    /// ```
    /// # fn main() -> quadrille::Result<()> {
    /// # let gpu = quadrille::Gpu::headless()?;
    /// let text = "uniform int steps; uniform bvec2 on; uniform mat2 turn; uniform vec2 places[3]; RANGE vec2 r;
    ///     void main() { r = on.x ? turn * places[steps] : vec2(0.0); if (on.y) r += 1.0; }";
    /// let mut program = gpu.program("typed.frag", text)?;
    /// program.bind_constant("steps", 2)?.bind_constant("on", [true, false])?;
    /// program.bind_constant("turn", [[0.0, 1.0], [-1.0, 0.0]])?;              // columns
    /// program.bind_constant("places", [[0.0; 2], [0.0; 2], [3.0, 4.0]])?;
    /// let out = gpu.buffer(1, 1).components(2).build()?;
    /// program.run(&out)?;
    /// assert_eq!(out.data()?, [-4.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::UnusedName`], [`Error::DroppedName`]; [`Error::WrongType`] for another type, with the one
    /// that the kernel declares. Nothing is converted: `1` is an `int`, `1.0` a `float`, `1_u32` a `uint`.
    pub fn bind_constant(&mut self, constant: impl ConstantKey, value: impl Value) -> Result<&mut Program> {
        let place = constant.constant_in(self)?;
        let mut words = std::mem::take(&mut self.constants[place]);
        let outcome = self.words_of(place, &value, &mut words);
        self.constants[place] = words;
        outcome.map(|()| self)
    }

    /// Puts the words of a value for that constant in the place of those before, which stay if it is of another type.
    pub(super) fn words_of<V: Value + ?Sized>(
        &self,
        place: usize,
        value: &V,
        words: &mut Vec<u32>,
    ) -> Result<()> {
        let slot = &self.plain.constants[place];
        words_for(value, slot.kind, slot.len, words).map_err(|(bound, declared)| Error::WrongType {
            kernel: self.name().to_owned(),
            name: slot.name.clone(),
            declared,
            bound,
            has: self.declared_of("constant"),
        })
    }

    /// Binds numbers to a constant of any type, each converted to what the kernel declares: for values that a person typed.
    /// A matrix takes them column by column, an array element by element; a `bool` takes 0 and 1.
    ///
    /// # Errors
    /// As [`Program::bind_constant`]; [`Error::WrongType`] for another count of numbers, and for one that its type does not have,
    /// as 2.5 for an `int`.
    pub fn bind_numbers(&mut self, constant: impl ConstantKey, numbers: &[f64]) -> Result<&mut Program> {
        let place = constant.constant_in(self)?;
        let slot = &self.plain.constants[place];
        let words: Option<Vec<u32>> = numbers.iter().map(|number| slot.kind.scalar.word(*number)).collect();
        let Some(words) = words.filter(|words| words.len() == slot.numbers()) else {
            let listed: Vec<String> = numbers.iter().map(f64::to_string).collect();
            return Err(Error::WrongType {
                kernel: self.name().to_owned(),
                name: slot.name.clone(),
                declared: slot.type_name(),
                bound: listed.join(", "),
                has: self.declared_of("constant"),
            });
        };
        self.constants[place] = words;
        Ok(self)
    }

    /// Binds a rectangle to a domain (`pugBindDomain`). A domain that is not bound is the range of the run.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; [`Error::WrongType`] if the name is no domain; [`Error::BadParameter`] for
    /// corners that are not finite.
    pub fn bind_domain(&mut self, domain: &str, rect: impl Into<Domain>) -> Result<&mut Program> {
        let Some(place) = self.plain.domains.iter().position(|d| d == domain) else {
            return Err(self.no_such("domain", domain, "DOMAIN"));
        };
        let rect = rect.into();
        if !rect.corners.iter().all(|c| c.is_finite()) {
            let (found, expected) = (format!("{:?}", rect.corners), "finite corners".to_owned());
            return Err(Error::BadParameter { name: "domain", found, expected });
        }
        self.domains[place] = Some(rect);
        Ok(self)
    }

    /// Lets go of every buffer bound to a stream.
    pub fn release_streams(&mut self) {
        self.streams.fill(None);
    }

    /// Names of the streams, constants, domains and outputs that the kernel uses.
    pub fn names(&self) -> Names<'_> {
        Names {
            streams: self.plain.streams.iter().map(|s| s.name.as_str()).collect(),
            constants: self.plain.constants.iter().map(|c| (c.name.as_str(), c.numbers())).collect(),
            domains: self.plain.domains.iter().map(String::as_str).collect(),
            outputs: self.plain.outputs.iter().map(|(name, n)| (name.as_str(), *n)).collect(),
        }
    }

    pub(super) fn linked(&self) -> &Linked {
        &self.plain
    }

    /// The variant that rounds what it stores that way.
    pub(super) fn variant(&self, rounding: Rounding) -> Result<&Rc<Linked>> {
        match rounding {
            Rounding::None => Ok(&self.plain),
            _ => once(&self.variants[rounding as usize], || {
                compile(&self.context, &self.fragment, self.vertex.as_ref(), rounding)
            }),
        }
    }

    /// The kernel that adds two textures and stores the sum that way.
    pub(super) fn adder(&self, rounding: Rounding) -> Result<&Rc<Linked>> {
        once(&self.adders[rounding as usize], || {
            self.context.compile(&kernels::named("pug/add.frag")?, rounding)
        })
    }

    /// Returns true if it draws points by a vertex kernel.
    pub(super) fn scatters(&self) -> bool {
        self.vertex.is_some()
    }

    pub(super) fn context(&self) -> &Rc<Context> {
        &self.context
    }

    pub(super) fn check_context(&self, buffer: &Buffer) -> Result<()> {
        if Rc::ptr_eq(&self.context, buffer.context()) {
            return Ok(());
        }
        Err(Error::OtherContext { what: buffer.describe() })
    }

    /// The reason why a name cannot be bound as that kind: it does not exist, is never used, is left out by the compiler, or is of
    /// another kind.
    fn no_such(&self, kind: &'static str, name: &str, expected: &str) -> Error {
        let (kernel, name) = (self.name().to_owned(), name.to_owned());
        let declared = self.plain.declared.iter().find(|(_, declared)| *declared == name);
        let Some((declared, _)) = declared else {
            return Error::UnknownName { kernel, kind, name, has: self.declared_of(kind) };
        };
        let of_this_kind = match kind {
            "stream" => declared == "Stream",
            "constant" => declared != "Stream" && !self.plain.domains.contains(&name),
            _ => false,
        };
        let texts = [Some(&self.fragment), self.vertex.as_ref()].into_iter().flatten();
        let mentions: usize = texts.map(|kernel| mentions(&kernel.text, &name)).sum();
        let declarations = self.plain.declared.iter().filter(|(_, declared)| *declared == name).count();
        if of_this_kind && mentions > declarations {
            let range = self.plain.outputs.first().map_or_else(String::new, |(range, _)| range.clone());
            return Error::DroppedName { kernel, kind, name, range };
        }
        if of_this_kind {
            return Error::UnusedName { kernel, kind, name, has: self.declared_of(kind) };
        }
        let bound = format!("a {kind} ({expected})");
        Error::WrongType { kernel, name, declared: declared.clone(), bound, has: self.declared_of(kind) }
    }

    /// The names that the kernel declares of that kind, for errors.
    pub(super) fn declared_of(&self, kind: &str) -> Vec<String> {
        match kind {
            "stream" => self.plain.streams.iter().map(|s| s.name.clone()).collect(),
            "domain" => self.plain.domains.clone(),
            _ => self.plain.constants.iter().map(ConstantSlot::declaration).collect(),
        }
    }
}

/// The names that a kernel uses; numbers are components, of a constant all of its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names<'a> {
    /// Streams.
    pub streams: Vec<&'a str>,
    /// Constants.
    pub constants: Vec<(&'a str, usize)>,
    /// Domains.
    pub domains: Vec<&'a str>,
    /// Outputs, in order of target.
    pub outputs: Vec<(&'a str, usize)>,
}

/// The content of the cell, made now if it is empty.
fn once(cell: &OnceCell<Rc<Linked>>, make: impl FnOnce() -> Result<Rc<Linked>>) -> Result<&Rc<Linked>> {
    match cell.get() {
        Some(linked) => Ok(linked),
        None => {
            let linked = make()?;
            Ok(cell.get_or_init(|| linked))
        }
    }
}

fn compile(
    context: &Rc<Context>,
    fragment: &Kernel,
    vertex: Option<&Kernel>,
    rounding: Rounding,
) -> Result<Rc<Linked>> {
    match vertex {
        None => context.compile(fragment, rounding),
        Some(vertex) => context.compile_scatter(vertex, fragment, rounding),
    }
}

/// No kernel is longer; an endless file must not be waited for.
const LONGEST: u64 = 1 << 24;

fn read(path: &Path) -> Result<Kernel> {
    let failed = |cause| Error::Io { path: path.to_owned(), cause };
    let wrong = |words: &str| failed(io::Error::new(io::ErrorKind::InvalidData, words));
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LONGEST {
        return Err(wrong("longer than 16 MiB: not a kernel"));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("not UTF-8 text"))?;
    if text.contains('\0') {
        return Err(wrong("holds a zero byte: not a kernel"));
    }
    Ok(Kernel::new(path.display().to_string(), text.trim_start_matches('\u{feff}')))
}

/// Time of change and length: two versions within one tick of the clock rarely have one length.
type Stamp = (SystemTime, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}
