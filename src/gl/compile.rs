//! Compiling and linking kernels, each text once.
//!
//! A program text is compiled once for each context. When a context holds 256 programs, those that are not in use are
//! deleted.

use std::collections::HashMap;
use std::rc::Rc;

use glow::HasContext;

use super::Context;
use super::declarations::{DeclarationKind, Scanned};
use super::kernel::{Kernel, Rounding};
use super::linked::{Linked, MAX_DOMAINS};
use super::observe::Event;
use super::scan;
use super::source::{self, words};
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

impl Context {
    /// Compiles a fragment kernel that runs over a quad.
    ///
    /// # Errors
    /// [`Error::Declaration`], [`Error::Compile`], [`Error::Link`]; [`Error::OverLimit`] for more streams,
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
                return Err(Error::Declaration {
                    kernel: kernel.name.clone(),
                    line: domain.line,
                    text: kernel.line(domain.line).to_owned(),
                    expected: "points have no DOMAIN: hand values over with `in` and `out`".into(),
                });
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
            return Err(Error::Declaration {
                kernel: kernel.name.clone(),
                line: 1,
                text: kernel.line(1).to_owned(),
                expected: "no RANGE declared: a kernel writes at least one, as in `RANGE vec4 result;`"
                    .into(),
            });
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
                let linked = Rc::new(self.link(kernel, scanned, &key, vertex_kernel)?);
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
        if kernels.0.len() < KEPT {
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
        let gl = self.gl();
        let quad = Kernel::new("quad.vert", "");
        let vertex_name = vertex_kernel.map_or(&quad, |(kernel, _)| kernel);
        let vertex = self.compile_stage(glow::VERTEX_SHADER, vertex_name, &key.vertex)?;
        let fragment = self.compile_stage(glow::FRAGMENT_SHADER, kernel, &key.fragment);
        self.count(|c| c.compiles += 1);
        // SAFETY: shaders are deleted once, here; the program lives in the cache or is deleted here.
        let program = unsafe {
            let fragment = fragment.inspect_err(|_| gl.delete_shader(vertex))?;
            let refused = |message| Error::Driver { what: format!("program {}", kernel.name), message };
            let program = gl.create_program().map_err(refused)?;
            gl.attach_shader(program, vertex);
            gl.attach_shader(program, fragment);
            gl.link_program(program);
            gl.detach_shader(program, vertex);
            gl.detach_shader(program, fragment);
            gl.delete_shader(vertex);
            gl.delete_shader(fragment);
            if !gl.get_program_link_status(program) {
                let message = link_error(&gl.get_program_info_log(program));
                gl.delete_program(program);
                return Err(Error::Link { kernel: kernel.name.clone(), message });
            }
            program
        };
        self.reflect(program, kernel, scanned, vertex_kernel).inspect_err(|_| {
            self.state.borrow_mut().forget_program(program);
            // SAFETY: just linked, and held by nobody.
            unsafe { gl.delete_program(program) };
        })
    }

    fn compile_stage(&self, stage: u32, kernel: &Kernel, text: &str) -> Result<glow::Shader> {
        let gl = self.gl();
        // SAFETY: the shader is deleted where it is not returned.
        unsafe {
            let refused = |message| Error::Driver { what: format!("shader {}", kernel.name), message };
            let shader = gl.create_shader(stage).map_err(refused)?;
            gl.shader_source(shader, &words(text));
            gl.compile_shader(shader);
            if gl.get_shader_compile_status(shader) {
                return Ok(shader);
            }
            let log = gl.get_shader_info_log(shader);
            gl.delete_shader(shader);
            Err(super::log::compile_error(kernel, stage == glow::VERTEX_SHADER, log))
        }
    }
}

/// The line of a link log with the fault: some drivers put headings before it.
pub(super) fn link_error(log: &str) -> String {
    let says = |line: &&str| line.to_ascii_lowercase().contains("error");
    let first = || log.lines().find(|line| !line.trim().is_empty());
    log.lines().find(says).or_else(first).unwrap_or("no words from the driver").trim().to_owned()
}
