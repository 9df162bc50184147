//! Compiling and linking kernels, each text once.
//!
//! A program text is compiled once for each context. When a context holds 256 programs, those that are not in use are
//! deleted.
//!
//! A driver that compiles in threads of its own is asked for nothing before the end: both stages and the link are handed over, and
//! how the stages went is asked only where the link failed. [`Context::start`] hands them over and comes back.

use std::collections::HashMap;
use std::rc::Rc;

use glow::HasContext;

use super::Context;
use super::declarations::{DeclarationKind, Scanned, WHOLE_SHADER};
use super::kernel::{Kernel, Rounding};
use super::linked::{Linked, MAX_DOMAINS};
use super::observe::Event;
use super::scan;
use super::source::{self, words};
use super::words::{Preprocessor, Token};
use crate::{Error, Result};

/// Texts that make one program.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    vertex: String,
    fragment: String,
}

/// All linked kernels of a context by their texts: each (kernel, variant) is compiled once.
#[derive(Default)]
pub(super) struct Cache(HashMap<Key, Rc<Linked>>);

/// The objects of a program that is being compiled.
struct Started {
    program: glow::Program,
    vertex: glow::Shader,
    fragment: glow::Shader,
}

/// Programs that were started and that nobody has asked for yet.
#[derive(Default)]
pub(super) struct Pending(HashMap<Key, Started>);

/// A kernel that the driver may still be compiling; the next load of the same kernel takes it over, and waits for it if it must.
pub struct Compiling {
    context: Rc<Context>,
    key: Key,
}

impl Compiling {
    /// Returns true if a load will not wait: it is compiled, or in use, or the driver does not tell
    /// (`KHR_parallel_shader_compile`).
    pub fn ready(&self) -> bool {
        let context = &self.context;
        let pending = context.pending.borrow();
        let Some(started) = pending.0.get(&self.key).filter(|_| context.driver.parallel_compile) else {
            return true;
        };
        // SAFETY: the program is alive while it is pending, and the extension is there.
        context.is_lost() || unsafe { context.gl().get_program_completion_status(started.program) }
    }
}

/// The number of kernels from which on those that are not in use are deleted.
const KEPT: usize = 256;

/// Returns true if it is in use outside the cache.
fn is_held(linked: &Rc<Linked>) -> bool {
    Rc::strong_count(linked) > 1
}

impl Cache {
    /// The number of kernels in use.
    pub fn held(&self) -> usize {
        self.0.values().filter(|linked| is_held(linked)).count()
    }

    pub fn delete_all(&mut self, gl: &glow::Context) {
        for (_, linked) in self.0.drain() {
            // SAFETY: the context is going, and nothing draws without it.
            unsafe { gl.delete_program(linked.program) };
        }
    }
}

impl Pending {
    pub fn delete_all(&mut self, gl: &glow::Context) {
        for (_, started) in self.0.drain() {
            started.delete_shaders(gl);
            // SAFETY: the context is going, and nobody has used it.
            unsafe { gl.delete_program(started.program) };
        }
    }
}

impl Started {
    fn delete_shaders(&self, gl: &glow::Context) {
        // SAFETY: the shaders belong to this program alone, and each is deleted once.
        unsafe {
            for shader in [self.vertex, self.fragment] {
                gl.detach_shader(self.program, shader);
                gl.delete_shader(shader);
            }
        }
    }
}

impl Context {
    /// Hands a kernel over to the driver, with the vertex kernel of its points if it has one, and does not wait until it is
    /// compiled.
    ///
    /// # Errors
    /// [`Error::Declaration`]; [`Error::Driver`]; [`Error::ContextLost`].
    pub(crate) fn start(self: &Rc<Self>, fragment: &Kernel, vertex: Option<&Kernel>) -> Result<Compiling> {
        let embedded = self.driver.embedded;
        let scanned = scan::scan(fragment)?;
        let text = match vertex {
            None => source::quad(embedded, &scanned.varyings),
            Some(vertex) => source::vertex(embedded, vertex, &scan::scan(vertex)?),
        };
        let key =
            Key { fragment: source::fragment(embedded, fragment, &scanned, Rounding::None), vertex: text };
        if !self.kernels.borrow().0.contains_key(&key) && !self.pending.borrow().0.contains_key(&key) {
            let started = self.hand_over(&fragment.name, &key).map_err(|error| self.or_lost(error))?;
            self.flush();
            self.pending.borrow_mut().0.insert(key.clone(), started);
        }
        Ok(Compiling { context: self.clone(), key })
    }

    /// Compiles a fragment kernel that runs over a quad.
    ///
    /// # Errors
    /// [`Error::Declaration`], which a path that leaves a RANGE unwritten is, too; [`Error::Compile`], [`Error::Link`]; [`Error::OverLimit`] for more streams,
    /// outputs or domains than the limits allow.
    #[doc(hidden)]
    pub fn compile(&self, kernel: &Kernel, rounding: Rounding) -> Result<Rc<Linked>> {
        let scanned = scan::scan(kernel)?;
        let vertex = source::quad(self.driver.embedded, &scanned.varyings);
        self.build(kernel, &scanned, rounding, vertex, None)
    }

    /// Compiles a vertex kernel that scatters points and a fragment kernel that colours them.
    ///
    /// # Errors
    /// As [`Context::compile`]; [`Error::Declaration`] for a DOMAIN, which points do not have.
    #[doc(hidden)]
    pub fn compile_scatter(
        &self,
        vertex: &Kernel,
        fragment: &Kernel,
        rounding: Rounding,
    ) -> Result<Rc<Linked>> {
        let (scanned, scanned_vertex) = (scan::scan(fragment)?, scan::scan(vertex)?);
        for (kernel, scanned) in [(fragment, &scanned), (vertex, &scanned_vertex)] {
            if let Some(domain) = scanned.of(DeclarationKind::Domain).next() {
                let expected = "points have no DOMAIN: hand values over with `in` and `out`";
                return Err(kernel.refuse(domain.line, expected));
            }
        }
        let text = source::vertex(self.driver.embedded, vertex, &scanned_vertex);
        self.build(fragment, &scanned, rounding, text, Some((vertex, &scanned_vertex)))
    }

    fn build(
        &self,
        kernel: &Kernel,
        scanned: &Scanned,
        rounding: Rounding,
        vertex: String,
        vertex_kernel: Option<(&Kernel, &Scanned)>,
    ) -> Result<Rc<Linked>> {
        let outputs = scanned.names(DeclarationKind::Range);
        if outputs.is_empty() {
            let expected = "no RANGE declared: a kernel writes at least one, as in `RANGE vec4 result;`";
            let output = output_of_a_shader(kernel, self.driver.embedded);
            let hint = if output.is_some() { WHOLE_SHADER } else { "" };
            return Err(kernel.refuse(output.unwrap_or(1), format!("{expected}{hint}")));
        }
        let at_most = |quantity, found: usize, limit: usize| match found > limit {
            true => Err(Error::OverLimit {
                what: kernel.name.clone(),
                quantity,
                found: found as u64,
                limit: limit as u64,
            }),
            false => Ok(()),
        };
        at_most("number of RANGE outputs", outputs.len(), self.limits.targets as usize)?;
        at_most("number of domains", scanned.names(DeclarationKind::Domain).len(), MAX_DOMAINS)?;
        let key = Key { fragment: source::fragment(self.driver.embedded, kernel, scanned, rounding), vertex };
        let known = self.kernels.borrow().0.get(&key).cloned();
        let linked = match known {
            Some(linked) => linked,
            None => {
                let linked = self.link(kernel, scanned, &key, vertex_kernel);
                let linked = Rc::new(linked.map_err(|error| self.or_lost(error))?);
                self.tell(Event::Compiled { kernel: &linked });
                self.forget_unused_kernels();
                self.kernels.borrow_mut().0.insert(key, linked.clone());
                linked
            }
        };
        at_most("number of streams", linked.streams.len(), self.limits.streams as usize)?;
        let in_vertex = vertex_kernel.map_or(0, |(_, s)| {
            s.of(DeclarationKind::Uniform).filter(|d| d.type_name.starts_with("Stream")).count()
        });
        at_most("number of streams of the vertex kernel", in_vertex, self.limits.vertex_streams as usize)?;
        Ok(linked)
    }

    /// Hot reload and generated kernels would otherwise keep every version for ever.
    fn forget_unused_kernels(&self) {
        let mut kernels = self.kernels.borrow_mut();
        if kernels.0.len() < KEPT || self.is_lost() {
            return;
        }
        let gl = self.gl();
        kernels.0.retain(|_, linked| {
            let held = is_held(linked);
            if !held {
                self.state.borrow_mut().forget_program(linked.program);
                // SAFETY: nobody holds it.
                unsafe { gl.delete_program(linked.program) };
            }
            held
        });
    }

    fn link(
        &self,
        kernel: &Kernel,
        scanned: &Scanned,
        key: &Key,
        vertex_kernel: Option<(&Kernel, &Scanned)>,
    ) -> Result<Linked> {
        let known = self.pending.borrow_mut().0.remove(key);
        let started = known.map_or_else(|| self.hand_over(&kernel.name, key), Ok)?;
        let gl = self.gl();
        self.count(|c| c.compiles += 1);
        let program = started.program;
        // SAFETY: the program is alive; it lives in the cache or is deleted here.
        let linked = unsafe { gl.get_program_link_status(program) };
        let failed =
            if linked { None } else { Some(self.fault(kernel, vertex_kernel.map(|v| v.0), &started)) };
        started.delete_shaders(gl);
        let outcome = match failed {
            Some(error) => Err(error),
            None => scan::check_writes(kernel, self.driver.embedded)
                .and_then(|()| self.reflect(program, kernel, scanned, vertex_kernel)),
        };
        outcome.inspect_err(|_| {
            self.state.borrow_mut().forget_program(program);
            // SAFETY: just linked, and held by nobody.
            unsafe { gl.delete_program(program) };
        })
    }

    /// Hands both stages and the link over; asks for nothing, and so waits for nothing.
    fn hand_over(&self, name: &str, key: &Key) -> Result<Started> {
        self.alive(&format!("program {name}"))?;
        let gl = self.gl();
        let refused = |message| Error::Driver { what: format!("program {name}"), message };
        // SAFETY: what was made is deleted where the rest is refused.
        unsafe {
            let shader = |stage, text: &str| {
                let shader = gl.create_shader(stage)?;
                gl.shader_source(shader, &words(text));
                gl.compile_shader(shader);
                Ok::<_, String>(shader)
            };
            let vertex = shader(glow::VERTEX_SHADER, &key.vertex).map_err(refused)?;
            let fragment = shader(glow::FRAGMENT_SHADER, &key.fragment)
                .inspect_err(|_| gl.delete_shader(vertex))
                .map_err(refused)?;
            let program = gl.create_program().map_err(|message| {
                gl.delete_shader(vertex);
                gl.delete_shader(fragment);
                refused(message)
            })?;
            gl.attach_shader(program, vertex);
            gl.attach_shader(program, fragment);
            gl.link_program(program);
            Ok(Started { program, vertex, fragment })
        }
    }

    /// The error of a program that did not link: that of its first stage that did not compile, or the link's own.
    fn fault(&self, kernel: &Kernel, vertex: Option<&Kernel>, started: &Started) -> Error {
        let (gl, quad) = (self.gl(), Kernel::new("quad.vert", ""));
        // Where a browser's GPU has crashed over a kernel, the page is told so in a later task, and until then nothing is an object any more.
        // SAFETY: the shader is alive, or its context is not.
        if unsafe { !gl.is_shader(started.vertex) } {
            self.lost.set(true);
            return Error::ContextLost { what: format!("program {}", kernel.name) };
        }
        let stages = [(started.vertex, vertex.unwrap_or(&quad), true), (started.fragment, kernel, false)];
        for (shader, kernel, is_vertex) in stages {
            // SAFETY: the shader is alive.
            unsafe {
                if !gl.get_shader_compile_status(shader) {
                    return super::log::compile_error(kernel, is_vertex, gl.get_shader_info_log(shader));
                }
            }
        }
        // SAFETY: the program is alive.
        let log = unsafe { gl.get_program_info_log(started.program) };
        let message = link_error(&log);
        Error::Link { kernel: kernel.name.clone(), message }
    }
}

/// The line of an output as applications' shaders have them, and kernels do not.
fn output_of_a_shader(kernel: &Kernel, embedded: bool) -> Option<u32> {
    let mut depth = 0;
    let tokens = Preprocessor::of(kernel, embedded, "").finish().0;
    let is_output = |word: &&Token| {
        match word.text.as_str() {
            "(" | "{" => depth += 1,
            ")" | "}" => depth -= 1,
            _ => {}
        }
        matches!(word.text.as_str(), "gl_FragColor" | "gl_FragData") || (word.text == "out" && depth == 0)
    };
    tokens.iter().filter(|word| word.line != 0).find(is_output).map(|word| word.line)
}

/// The line of a link log with the fault: some drivers put headings before it.
pub(super) fn link_error(log: &str) -> String {
    let says = |line: &&str| line.to_ascii_lowercase().contains("error");
    let first = || log.lines().find(|line| !line.trim().is_empty());
    log.lines().find(says).or_else(first).unwrap_or("no words from the driver").trim().to_owned()
}
