//! The streams, constants, domains and outputs of a linked kernel, and the setting of their values.

use std::cell::{Cell, RefCell};

use glow::HasContext;

use super::declarations::{Declaration, DeclarationKind, Scanned};
use super::glsl_type::GlslType;
use super::kernel::Kernel;
use super::lift::MAX_LIFTS;
use super::{Context, Edges, Shape, Texture};
use crate::{Error, Result};

/// The texture and edge rule of a stream.
pub(super) type Bound<'a> = Option<(&'a Texture, Edges)>;

/// A `uniform Stream`: a texture unit and the size it was last told.
pub(crate) struct StreamSlot {
    pub name: String,
    texels: Option<glow::UniformLocation>,
    extent: Option<glow::UniformLocation>,
    known_size: Cell<(u32, u32)>,
}

/// A `uniform` that is no stream.
pub(crate) struct ConstantSlot {
    pub name: String,
    pub kind: GlslType,
    /// Elements of an array, 0 where it is none. Where the text does not tell it as a number, as many as are used.
    pub len: usize,
    /// The elements that the compiler has left.
    used: usize,
    location: glow::UniformLocation,
    /// The words that OpenGL has; none before the first.
    known: RefCell<Vec<u32>>,
}

/// The values of all constants of a pass, in the order of declaration.
#[derive(Clone, Copy)]
pub(crate) enum Constants<'a> {
    /// Floats and vectors of floats; components that a constant has not are 0.
    Floats(&'a [[f32; 4]]),
    /// 32 bits for each number of each constant.
    Words(&'a [Vec<u32>]),
}

impl Constants<'_> {
    pub fn len(self) -> usize {
        match self {
            Constants::Floats(values) => values.len(),
            Constants::Words(values) => values.len(),
        }
    }

    /// The numbers of each constant.
    #[cfg(feature = "trace")]
    pub fn numbers(self, slots: &[ConstantSlot]) -> Vec<Vec<f32>> {
        match self {
            Constants::Floats(values) => {
                slots.iter().zip(values).map(|(slot, value)| value[..slot.numbers()].to_vec()).collect()
            }
            Constants::Words(values) => {
                slots.iter().zip(values).map(|(slot, words)| slot.kind.scalar.numbers(words)).collect()
            }
        }
    }
}

/// A compiled and linked kernel. OpenGL keeps uniform values in its program, so the last values are cached here.
#[doc(hidden)]
pub struct Linked {
    /// The serial of its context.
    pub(super) context: u64,
    pub(super) program: glow::Program,
    pub(crate) kernel: String,
    /// The texts that it was made of, for observers: of its fragments, and of its vertices where it has such a kernel.
    #[cfg(feature = "trace")]
    pub(crate) texts: (Kernel, Option<Kernel>),
    pub(crate) streams: Vec<StreamSlot>,
    pub(crate) constants: Vec<ConstantSlot>,
    /// DOMAIN names, in order of the vertex program's array.
    pub(crate) domains: Vec<String>,
    /// RANGE names and components, in order of target.
    pub(crate) outputs: Vec<(String, usize)>,
    /// VERTEX names in order of location.
    pub(crate) vertices: Vec<String>,
    /// True if the vertex program has streams.
    pub(super) fetches_in_vertex: bool,
    /// Everything declared with `uniform` or `DOMAIN`: type and name.
    pub(crate) declared: Vec<(String, String)>,
    /// The interpolated addresses: a domain, and the stream whose size it is in units of.
    varyings: Vec<(usize, Option<usize>)>,
    rects_location: Option<glow::UniformLocation>,
    known_rects: Cell<[[f32; 4]; RECTS]>,
    depth_location: Option<glow::UniformLocation>,
    known_depth: Cell<f32>,
    scatter_location: Option<glow::UniformLocation>,
    known_scatter: Cell<(u32, u32)>,
}

/// The largest number of domains of a kernel: cards of that time had eight sets of texture coordinates.
pub(crate) const MAX_DOMAINS: usize = 8;

/// Rectangles that the vertex program interpolates at most.
const RECTS: usize = MAX_DOMAINS + MAX_LIFTS;

impl Context {
    /// Asks GL what the program uses; units and locations never change afterwards.
    pub(super) fn reflect(
        &self,
        program: glow::Program,
        kernel: &Kernel,
        scanned: &Scanned,
        vertex: Option<(&Kernel, &Scanned)>,
    ) -> Result<Linked> {
        let gl = self.gl();
        let declarations =
            || scanned.declarations.iter().chain(vertex.into_iter().flat_map(|(_, v)| &v.declarations));
        let declared_stream = |name: &str| declarations().any(|d| d.name == name && d.type_name == "Stream");
        let mut linked = Linked {
            context: self.serial,
            program,
            kernel: kernel.name.clone(),
            #[cfg(feature = "trace")]
            texts: (kernel.clone(), vertex.map(|(vertex, _)| vertex.clone())),
            streams: Vec::new(),
            constants: Vec::new(),
            domains: scanned.names(DeclarationKind::Domain),
            outputs: outputs(scanned),
            vertices: vertex.map_or(Vec::new(), |(_, v)| v.names(DeclarationKind::Vertex)),
            fetches_in_vertex: vertex.is_some_and(|(_, v)| {
                v.of(DeclarationKind::Uniform).any(|declaration| declaration.type_name == "Stream")
            }),
            declared: declarations()
                .filter(|d| matches!(d.kind, DeclarationKind::Uniform | DeclarationKind::Domain))
                .map(|d| (d.type_name.clone(), d.name.clone()))
                .collect(),
            varyings: Vec::new(),
            rects_location: None,
            known_rects: Cell::new([[f32::NAN; 4]; RECTS]),
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
                    "quad_rects[0]" | "quad_rects" => linked.rects_location = Some(location),
                    "quad_depth" => linked.depth_location = Some(location),
                    "scatter_range" => linked.scatter_location = Some(location),
                    // OpenGL makes every uniform 0 as it links, and nobody sets this one.
                    "double_zero" if scanned.uniform("double_zero").is_none() => {}
                    name => {
                        let member = name.split_once('.').filter(|(stream, _)| declared_stream(stream));
                        if let Some((stream, "texels")) = member {
                            linked.stream_slot(stream).texels = Some(location);
                        } else if let Some((stream, "extent")) = member {
                            linked.stream_slot(stream).extent = Some(location);
                        } else if scanned.samplers.iter().any(|sampler| sampler == name) {
                            linked.stream_slot(name).texels = Some(location);
                        } else if let (Some(kind), false) = (GlslType::of(uniform.utype), name.contains('.'))
                        {
                            let name = name.split('[').next().unwrap_or(name).to_owned();
                            let (used, known) = (uniform.size.max(1) as usize, RefCell::default());
                            let declared = declarations().find(|d| d.name == name);
                            let is_array = used > 1 || declared.is_some_and(|d| d.type_name.ends_with("[]"));
                            let len = if is_array {
                                declared.and_then(|d| d.len).filter(|len| *len >= used).unwrap_or(used)
                            } else {
                                0
                            };
                            linked.constants.push(ConstantSlot { name, kind, len, used, location, known });
                        } else {
                            let name = name.split(['.', '[']).next().unwrap_or(name);
                            let in_vertex = vertex.and_then(|(kernel, v)| Some((kernel, v.uniform(name)?)));
                            let in_fragment = scanned.uniform(name).map(|declaration| (kernel, declaration));
                            return Err(unbindable(name, in_fragment.or(in_vertex), kernel));
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
            unsafe { gl.uniform_1_i32(stream.texels.as_ref(), unit as i32) };
        }
        let slot = |name: &String| linked.streams.iter().position(|stream| stream.name == *name);
        let varyings = scanned.varyings.iter();
        linked.varyings = varyings.map(|v| (v.domain, v.stream.as_ref().and_then(slot))).collect();
        Ok(linked)
    }
}

/// The error of a uniform that nothing could ever be bound to, and that OpenGL would take for 0.
fn unbindable(name: &str, found: Option<(&Kernel, &Declaration)>, kernel: &Kernel) -> Error {
    match found {
        Some((kernel, declaration)) => kernel.refuse(declaration.line, DeclarationKind::Uniform.expected()),
        None => {
            let (kernel, text, expected) =
                (kernel.name.clone(), name.to_owned(), DeclarationKind::Uniform.expected());
            Error::Declaration { kernel, line: 0, text, expected }
        }
    }
}

/// Each RANGE once, with the components of its type; the widest, where branches of an `#ifdef` differ.
fn outputs(scanned: &Scanned) -> Vec<(String, usize)> {
    let with_width = |name: String| {
        let same = scanned.of(DeclarationKind::Range).filter(|d| d.name == name);
        let widest = same.map(|d| width(&d.type_name)).max();
        (name, widest.unwrap_or(4))
    };
    scanned.names(DeclarationKind::Range).into_iter().map(with_width).collect()
}

fn width(type_name: &str) -> usize {
    match type_name {
        "float" => 1,
        "vec2" => 2,
        "vec3" => 3,
        _ => 4,
    }
}

/// GLSL's name of a float type with that many components.
pub(crate) fn type_name(components: usize) -> &'static str {
    ["float", "vec2", "vec3", "vec4"][components.clamp(1, 4) - 1]
}

impl Linked {
    /// The slot of that stream, made now if it is the first we hear of it: a kernel may use the texels, the
    /// extent, or both.
    fn stream_slot(&mut self, name: &str) -> &mut StreamSlot {
        let place = self.streams.iter().position(|stream| stream.name == name);
        let place = place.unwrap_or_else(|| {
            let (name, known_size) = (name.to_owned(), Cell::new((0, 0)));
            self.streams.push(StreamSlot { name, texels: None, extent: None, known_size });
            self.streams.len() - 1
        });
        &mut self.streams[place]
    }

    /// Uploads the constants that changed since the last pass with this program, which must be in use. Returns the calls.
    pub(super) fn set_constants(&self, gl: &glow::Context, constants: Constants) -> u64 {
        let slots = self.constants.iter();
        match constants {
            Constants::Floats(values) => slots
                .zip(values)
                .map(|(slot, value)| u64::from(slot.set(gl, &value.map(f32::to_bits)[..slot.numbers()])))
                .sum(),
            Constants::Words(values) => {
                slots.zip(values).map(|(slot, words)| u64::from(slot.set(gl, words))).sum()
            }
        }
    }

    /// Uploads what changed of the vertex program's own uniforms: domains, depth and the size of the target.
    pub(super) fn set_places(
        &self,
        gl: &glow::Context,
        (domains, streams): (&[[f32; 4]], &[Bound]),
        depth: f32,
        target: (u32, u32),
    ) -> u64 {
        let rects = self.rects(domains, streams);
        let count = self.varyings.len();
        let mut calls = 0;
        // SAFETY: locations belong to the program in use.
        unsafe {
            if let Some(location) = &self.rects_location
                && self.known_rects.get()[..count] != rects[..count]
            {
                gl.uniform_4_f32_slice(Some(location), rects[..count].as_flattened());
                self.known_rects.set(rects);
                calls += 1;
            }
            if let Some(location) = &self.depth_location
                && self.known_depth.replace(depth) != depth
            {
                gl.uniform_1_f32(Some(location), depth);
                calls += 1;
            }
            if let Some(location) = &self.scatter_location
                && self.known_scatter.replace(target) != target
            {
                gl.uniform_2_f32(Some(location), target.0 as f32, target.1 as f32);
                calls += 1;
            }
        }
        calls
    }

    /// The domain of each varying, in texels or in units of its stream's size.
    fn rects(&self, domains: &[[f32; 4]], streams: &[Bound]) -> [[f32; 4]; RECTS] {
        let mut rects = [[0.0; 4]; RECTS];
        for (rect, &(domain, stream)) in rects.iter_mut().zip(&self.varyings) {
            let [x0, y0, x1, y1] = domains[domain];
            let texture = stream.and_then(|slot| streams[slot]);
            *rect = match texture.map(|(texture, _)| texture.shape()) {
                Some(Shape { width, height, .. }) => {
                    let (w, h) = (width as f32, height as f32);
                    [x0 / w, y0 / h, x1 / w, y1 / h]
                }
                None => [x0, y0, x1, y1],
            };
        }
        rects
    }

    /// Binds a texture to the unit of stream `slot`. Returns the calls for its size; those of the state are counted there.
    pub(super) fn set_stream(&self, context: &Context, slot: usize, texture: &Texture, edges: Edges) -> u64 {
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
            return 1;
        }
        0
    }
}

impl ConstantSlot {
    /// Numbers that it has.
    pub fn numbers(&self) -> usize {
        self.kind.components() * self.len.max(1)
    }

    /// Its type.
    pub fn type_name(&self) -> String {
        format!("{}{}", self.kind.name(), self.array())
    }

    /// Its type and name, as a kernel declares them.
    pub fn declaration(&self) -> String {
        format!("{} {}{}", self.kind.name(), self.name, self.array())
    }

    fn array(&self) -> String {
        if self.len > 0 { format!("[{}]", self.len) } else { String::new() }
    }

    /// Hands over as many words as it has numbers, unless OpenGL has them. Returns true if it had others.
    fn set(&self, gl: &glow::Context, words: &[u32]) -> bool {
        let mut known = self.known.borrow_mut();
        if *known == words {
            return false;
        }
        known.clear();
        known.extend_from_slice(words);
        // The end of an array that the compiler has left out has no place.
        let words = &words[..words.len().min(self.used * self.kind.components())];
        // SAFETY: the location belongs to the program in use and has this type; the words are whole elements.
        unsafe { self.kind.set(gl, &self.location, words) };
        true
    }
}
