//! Compiling and linking kernels, and what a linked program has: streams, constants, domains, outputs.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use glow::HasContext;

use super::source::{self, DeclarationKind, Kernel, Rounding, Scanned};
use super::{Context, Edges, Texture};
use crate::{Error, Result};

/// A `uniform Stream`: a texture unit and the size it was last told.
pub(crate) struct StreamSlot {
    pub name: String,
    texels: glow::UniformLocation,
    extent: Option<glow::UniformLocation>,
    known_size: Cell<(u32, u32)>,
}

/// A `uniform float`, `vec2`, `vec3` or `vec4`.
pub(crate) struct ConstantSlot {
    pub name: String,
    pub components: usize,
    location: glow::UniformLocation,
    known: Cell<Option<[f32; 4]>>,
}

/// A `DOMAIN`; its rectangle is element `index` of the vertex program's array.
pub(crate) struct DomainSlot {
    pub name: String,
}

/// A linked program. GL keeps uniform values in the program, so what it was last told is cached here.
pub struct Linked {
    pub(super) program: glow::Program,
    pub(crate) kernel: String,
    pub(crate) streams: Vec<StreamSlot>,
    pub(crate) constants: Vec<ConstantSlot>,
    pub(crate) domains: Vec<DomainSlot>,
    /// RANGE names and components, in order of target.
    pub(crate) outputs: Vec<(String, usize)>,
    /// VERTEX names in order of location.
    pub(crate) vertices: Vec<String>,
    /// Everything declared with `uniform` or `DOMAIN`: type and name.
    pub(crate) declared: Vec<(String, String)>,
    domain_location: Option<glow::UniformLocation>,
    known_domains: Cell<[[f32; 4]; MAX_DOMAINS]>,
    depth_location: Option<glow::UniformLocation>,
    known_depth: Cell<f32>,
    scatter_location: Option<glow::UniformLocation>,
    known_scatter: Cell<(u32, u32)>,
}

/// Domains a kernel may have: texture coordinate sets of the time were eight.
pub(crate) const MAX_DOMAINS: usize = 8;

/// Texts that make one program.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    vertex: String,
    fragment: String,
}

/// All programs of a context by their texts: each (kernel, variant) is compiled once.
#[derive(Default)]
pub(super) struct Programs(HashMap<Key, Rc<Linked>>);

/// Programs that nobody holds any more are kept up to this many, for the next who asks.
const KEPT: usize = 256;

impl Programs {
    pub fn delete_all(&mut self, gl: &glow::Context) {
        for (_, linked) in self.0.drain() {
            // SAFETY: the context is going; handles hold the context, so none is left.
            unsafe { gl.delete_program(linked.program) };
        }
    }
}

/// A hold on a linked program, counted among the live objects.
pub struct Program {
    pub(super) context: Rc<Context>,
    linked: Rc<Linked>,
}

impl std::ops::Deref for Program {
    type Target = Linked;
    fn deref(&self) -> &Linked {
        &self.linked
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.context.count(|c| c.live -= 1);
    }
}

impl Context {
    /// The program of a fragment kernel run over a quad.
    ///
    /// # Errors
    /// [`Error::Declaration`], [`Error::Compile`], [`Error::Link`]; [`Error::OverLimit`] for more streams,
    /// outputs or domains than the limits allow.
    pub fn program(self: &Rc<Self>, kernel: &Kernel, rounding: Rounding) -> Result<Program> {
        let scanned = source::scan(kernel)?;
        let domains = scanned.names(DeclarationKind::Domain);
        let vertex = source::quad(self.driver.embedded, &domains);
        self.build(kernel, &scanned, rounding, vertex, None)
    }

    /// The program of a vertex kernel that scatters points and a fragment kernel that colours them.
    ///
    /// # Errors
    /// As [`Context::program`]; [`Error::Declaration`] for a DOMAIN, which points do not have.
    pub fn scatter_program(
        self: &Rc<Self>,
        vertex: &Kernel,
        fragment: &Kernel,
        rounding: Rounding,
    ) -> Result<Program> {
        let scanned = source::scan(fragment)?;
        if let Some(domain) = scanned.of(DeclarationKind::Domain).next() {
            return Err(Error::Declaration {
                kernel: fragment.name.clone(),
                line: domain.line,
                text: fragment.line(domain.line).to_owned(),
                expected: "points have no DOMAIN: hand values over with `in` and `out`".into(),
            });
        }
        let scanned_vertex = source::scan(vertex)?;
        let text = source::vertex(self.driver.embedded, vertex, &scanned_vertex);
        self.build(fragment, &scanned, rounding, text, Some((vertex, &scanned_vertex)))
    }

    fn build(
        self: &Rc<Self>,
        kernel: &Kernel,
        scanned: &Scanned,
        rounding: Rounding,
        vertex: String,
        vertex_kernel: Option<(&Kernel, &Scanned)>,
    ) -> Result<Program> {
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
        let known = self.programs.borrow().0.get(&key).cloned();
        let linked = match known {
            Some(linked) => linked,
            None => {
                let linked = Rc::new(self.link(kernel, scanned, &key, vertex_kernel)?);
                self.forget_unused_programs();
                self.programs.borrow_mut().0.insert(key, linked.clone());
                linked
            }
        };
        at_most("number of streams", linked.streams.len(), self.limits.streams as usize)?;
        let in_vertex = vertex_kernel
            .map_or(0, |(_, s)| s.of(DeclarationKind::Uniform).filter(|d| d.type_name == "Stream").count());
        at_most("number of streams of the vertex kernel", in_vertex, self.limits.vertex_streams as usize)?;
        self.count(|c| c.live += 1);
        Ok(Program { context: self.clone(), linked })
    }

    /// Hot reload and generated kernels would otherwise keep every version for ever.
    fn forget_unused_programs(&self) {
        let mut programs = self.programs.borrow_mut();
        if programs.0.len() < KEPT {
            return;
        }
        let gl = self.gl();
        programs.0.retain(|_, linked| {
            let held = Rc::strong_count(linked) > 1;
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
        let vertex = self.compile(glow::VERTEX_SHADER, vertex_name, &key.vertex)?;
        let fragment = self.compile(glow::FRAGMENT_SHADER, kernel, &key.fragment);
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
                let message = gl.get_program_info_log(program).lines().next().unwrap_or_default().to_owned();
                gl.delete_program(program);
                return Err(Error::Link { kernel: kernel.name.clone(), message });
            }
            program
        };
        Ok(self.reflect(program, kernel, scanned, vertex_kernel.map(|(_, scanned)| scanned)))
    }

    fn compile(&self, stage: u32, kernel: &Kernel, text: &str) -> Result<glow::Shader> {
        let gl = self.gl();
        // SAFETY: the shader is deleted where it is not returned.
        unsafe {
            let refused = |message| Error::Driver { what: format!("shader {}", kernel.name), message };
            let shader = gl.create_shader(stage).map_err(refused)?;
            gl.shader_source(shader, text);
            gl.compile_shader(shader);
            if gl.get_shader_compile_status(shader) {
                return Ok(shader);
            }
            let log = gl.get_shader_info_log(shader);
            gl.delete_shader(shader);
            Err(super::log::compile_error(kernel, stage == glow::VERTEX_SHADER, log))
        }
    }

    /// Asks GL what the program uses; units and locations never change afterwards.
    fn reflect(
        &self,
        program: glow::Program,
        kernel: &Kernel,
        scanned: &Scanned,
        vertex: Option<&Scanned>,
    ) -> Linked {
        let gl = self.gl();
        let declarations =
            || scanned.declarations.iter().chain(vertex.into_iter().flat_map(|v| &v.declarations));
        let mut linked = Linked {
            program,
            kernel: kernel.name.clone(),
            streams: Vec::new(),
            constants: Vec::new(),
            domains: scanned
                .names(DeclarationKind::Domain)
                .into_iter()
                .map(|name| DomainSlot { name })
                .collect(),
            outputs: outputs(scanned),
            vertices: vertex.map_or(Vec::new(), |v| v.names(DeclarationKind::Vertex)),
            declared: declarations()
                .filter(|d| matches!(d.kind, DeclarationKind::Uniform | DeclarationKind::Domain))
                .map(|d| (d.type_name.clone(), d.name.clone()))
                .collect(),
            domain_location: None,
            known_domains: Cell::new([[f32::NAN; 4]; MAX_DOMAINS]),
            depth_location: None,
            known_depth: Cell::new(0.0),
            scatter_location: None,
            known_scatter: Cell::new((0, 0)),
        };
        self.state.borrow_mut().program(gl, Some(program));
        // SAFETY: the program is linked and in use; indices run over its active uniforms.
        unsafe {
            let active =
                (0..gl.get_active_uniforms(program)).filter_map(|i| gl.get_active_uniform(program, i));
            for uniform in active {
                let location = gl.get_uniform_location(program, &uniform.name);
                let Some(location) = location else { continue };
                match uniform.name.as_str() {
                    "domains[0]" | "domains" => linked.domain_location = Some(location),
                    "quad_depth" => linked.depth_location = Some(location),
                    "scatter_range" => linked.scatter_location = Some(location),
                    name => {
                        if let Some(stream) = name.strip_suffix(".texels") {
                            let extent = gl.get_uniform_location(program, &format!("{stream}.extent"));
                            let (name, known_size) = (stream.to_owned(), Cell::new((0, 0)));
                            linked.streams.push(StreamSlot { name, texels: location, extent, known_size });
                        } else if name.contains('.') {
                            // The extent of a stream, found above.
                        } else if let (Some(components), 1) = (components(uniform.utype), uniform.size) {
                            let (name, known) = (name.to_owned(), Cell::new(None));
                            linked.constants.push(ConstantSlot { name, components, location, known });
                        }
                    }
                }
            }
        }
        // In the order of declaration, whatever order the driver lists them in.
        let place = |name: &str| declarations().position(|d| d.name == name).unwrap_or(usize::MAX);
        linked.constants.sort_by_key(|c| place(&c.name));
        linked.streams.sort_by_key(|s| place(&s.name));
        for (unit, stream) in linked.streams.iter().enumerate() {
            // SAFETY: the location belongs to the program in use.
            unsafe { gl.uniform_1_i32(Some(&stream.texels), unit as i32) };
        }
        linked
    }
}

/// Each RANGE once, with the components of its type.
fn outputs(scanned: &Scanned) -> Vec<(String, usize)> {
    let width =
        |name: &str| scanned.of(DeclarationKind::Range).find(|d| d.name == name).map(|d| width(&d.type_name));
    let names = scanned.names(DeclarationKind::Range);
    names.into_iter().map(|name| (width(&name).unwrap_or(4), name)).map(|(n, name)| (name, n)).collect()
}

fn width(type_name: &str) -> usize {
    match type_name {
        "float" => 1,
        "vec2" => 2,
        "vec3" => 3,
        _ => 4,
    }
}

fn components(uniform_type: u32) -> Option<usize> {
    match uniform_type {
        glow::FLOAT => Some(1),
        glow::FLOAT_VEC2 => Some(2),
        glow::FLOAT_VEC3 => Some(3),
        glow::FLOAT_VEC4 => Some(4),
        _ => None,
    }
}

/// GLSL's name of a float type with that many components.
pub(crate) fn type_name(components: usize) -> &'static str {
    ["float", "vec2", "vec3", "vec4"][components.clamp(1, 4) - 1]
}

impl Linked {
    /// Uploads what changed since the last pass with this program, which must be in use.
    pub(super) fn set_uniforms(
        &self,
        gl: &glow::Context,
        constants: &[[f32; 4]],
        domains: &[[f32; 4]],
        depth: f32,
        target: (u32, u32),
    ) {
        for (slot, &value) in self.constants.iter().zip(constants) {
            slot.set(gl, value);
        }
        let mut all = [[f32::NAN; 4]; MAX_DOMAINS];
        all[..domains.len()].copy_from_slice(domains);
        // SAFETY: locations belong to the program in use.
        unsafe {
            if let Some(location) = &self.domain_location
                && self.known_domains.get()[..domains.len()] != all[..domains.len()]
            {
                gl.uniform_4_f32_slice(Some(location), domains.as_flattened());
                self.known_domains.set(all);
            }
            if let Some(location) = &self.depth_location
                && self.known_depth.replace(depth) != depth
            {
                gl.uniform_1_f32(Some(location), depth);
            }
            if let Some(location) = &self.scatter_location
                && self.known_scatter.replace(target) != target
            {
                gl.uniform_2_f32(Some(location), target.0 as f32, target.1 as f32);
            }
        }
    }

    /// Binds a texture to the unit of stream `slot`.
    pub(super) fn set_stream(&self, context: &Context, slot: usize, texture: &Texture, edges: Edges) {
        let gl = &context.gl;
        let mut state = context.state.borrow_mut();
        state.texture(gl, slot, texture.storage.texture);
        state.sampler(gl, slot, context.samplers.of(edges));
        let stream = &self.streams[slot];
        let size = (texture.storage.shape.width, texture.storage.shape.height);
        if let Some(extent) = &stream.extent
            && stream.known_size.replace(size) != size
        {
            let (w, h) = (size.0 as f32, size.1 as f32);
            // SAFETY: the location belongs to the program in use.
            unsafe { gl.uniform_4_f32(Some(extent), w, h, 1.0 / w, 1.0 / h) };
        }
    }
}

impl ConstantSlot {
    fn set(&self, gl: &glow::Context, value: [f32; 4]) {
        let same = |known: [f32; 4]| known.map(f32::to_bits) == value.map(f32::to_bits);
        if self.known.get().is_some_and(same) {
            return;
        }
        self.known.set(Some(value));
        let [x, y, z, w] = value;
        let location = Some(&self.location);
        // SAFETY: the location belongs to the program in use and has this type.
        unsafe {
            match self.components {
                1 => gl.uniform_1_f32(location, x),
                2 => gl.uniform_2_f32(location, x, y),
                3 => gl.uniform_3_f32(location, x, y, z),
                _ => gl.uniform_4_f32(location, x, y, z, w),
            }
        }
    }
}
