//! Shaders of an application: their uniforms, textures and vertices by name, and what they draw.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::image::{Bound, Image, Inputs, Texel, Texture};
use super::source::Source;
use super::translate::{Input, Output, Translated, translate};
use crate::gl::{
    Attribute, ForeignDraw, ForeignProgram, GlslType, Scalar, Stage, Storage, TextureInput, Uniform,
    UniformKind, Vertices, sampler_name,
};
use crate::pug::{Value, words_for};
use crate::{Error, Gpu, Result};

/// Six vertices of two triangles over the whole target, x, y (−1 to 1), u, v (0 to 1) each: for
/// [`Shader::vertices`] with an attribute of two components for the position and one for the place in a texture.
pub const QUAD: &[f32] = &[
    -1.0, -1.0, 0.0, 0.0, 1.0, -1.0, 1.0, 0.0, -1.0, 1.0, 0.0, 1.0, //
    -1.0, 1.0, 0.0, 1.0, 1.0, -1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0,
];

/// The words of a value that was set, and which of them were.
struct Set {
    words: Vec<u32>,
    known: Vec<bool>,
}

/// Vertices of the caller's own.
struct Own {
    attributes: Vec<(String, usize)>,
    values: Vec<f32>,
    count: usize,
}

/// A shader of an application, compiled, and what was handed over to it. Made by [`Gpu::shader`].
///
/// A value that is set stays until it is replaced. Whatever the shader uses has to be handed over before a draw, except
/// for uniforms with a value in the text.
pub struct Shader {
    gpu: Gpu,
    name: String,
    program: ForeignProgram,
    outputs: Vec<Output>,
    inputs: Vec<Input>,
    renamed: Vec<(String, String)>,
    initialised: Vec<String>,
    has_vertex_stage: bool,
    values: BTreeMap<usize, Set>,
    textures: BTreeMap<usize, Bound>,
    corners: BTreeMap<String, [Vec<f32>; 3]>,
    vertices: Option<Own>,
    storage: Storage,
    depth: bool,
    rest_is_zero: bool,
}

/// All that one draw left.
pub struct Drawn {
    shader: String,
    outputs: Vec<(String, Image)>,
    depth: Option<Image>,
}

impl Drawn {
    /// The output of that name: that of the variable in the shader, `gl_FragColor` or `gl_FragData[n]`.
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn output(&self, name: &str) -> Result<&Image> {
        let found = self.outputs.iter().find(|(known, _)| known == name).map(|(_, image)| image);
        found.ok_or_else(|| Error::UnknownName {
            kernel: self.shader.clone(),
            kind: "output",
            name: name.to_owned(),
            has: self.outputs.iter().map(|(name, _)| name.clone()).collect(),
        })
    }

    /// All outputs with their names, by location.
    pub fn outputs(&self) -> &[(String, Image)] {
        &self.outputs
    }

    /// The depth, 0 near to 1 far, one number a texel: where [`Shader::depth`] asked for it.
    pub fn depth(&self) -> Option<&Image> {
        self.depth.as_ref()
    }
}

impl Gpu {
    /// Compiles a shader of an application as it is: a fragment shader, which is drawn over the whole target, or a vertex and
    /// a fragment shader as a pair; see [`Source`] for names, `#define`s and `#include`s.
    ///
    /// Each input `in vec2` (or `varying vec2`) of a fragment shader alone is 0 to 1 across the target, other inputs are told
    /// by [`Shader::input`].
    ///
    /// The text goes to the driver unchanged where it speaks that version. On OpenGL ES, `#version 330` and older become
    /// `300 es`; on OpenGL, `300 es` becomes `330 core`; `120`, `100` and none at all are given the words of either, line
    /// by line. What has no counterpart is refused by name.
    ///
    /// # Errors
    /// [`Error::Compile`] by the shader's own file and line, [`Error::Link`]; [`Error::Declaration`] for what cannot be
    /// translated or drawn, by its line; [`Error::Io`] for an `#include` that is not found.
    pub fn shader<'a>(&self, source: impl Into<Source<'a>>) -> Result<Shader> {
        let source = source.into();
        let embedded = self.driver().embedded;
        let name = source.fragment.0.clone();
        let lines = source.expand(&source.fragment)?;
        let fragment = translate(lines, true, embedded, &source.defines)?;
        let vertex = match &source.vertex {
            Some(text) => Some(translate(source.expand(text)?, false, embedded, &source.defines)?),
            None => None,
        };
        if vertex.is_none()
            && let Some((line, expected)) = fragment.only_by_vertices.first()
        {
            return Err(source.expand(&source.fragment)?.error(*line, expected.clone()));
        }
        let made;
        let vertex_stage = match &vertex {
            Some(vertex) => &vertex.stage,
            None => {
                made = over_the_target(&fragment);
                &made
            }
        };
        let driver_names: Vec<String> = fragment.outputs.iter().map(|o| o.driver_name.clone()).collect();
        let program = self.context().foreign_program([vertex_stage, &fragment.stage], &driver_names)?;
        let in_vertex = vertex.iter().flat_map(|vertex| vertex.renamed.clone());
        let renamed: Vec<(String, String)> = fragment.renamed.iter().cloned().chain(in_vertex).collect();
        let initialised = [Some(&fragment), vertex.as_ref()].into_iter().flatten();
        let initialised = initialised.flat_map(|stage| stage.initialised.clone()).collect();
        for uniform in &program.uniforms {
            if let UniformKind::Other(code) = uniform.kind {
                return Err(Error::Unsupported {
                    what: format!("{name}: {} \"{}\"", sampler_name(code), uniform.name),
                    needs: "textures other than sampler2D",
                    renderer: "quadrille::testing".to_owned(),
                });
            }
        }
        Ok(Shader {
            gpu: self.clone(),
            name,
            program,
            outputs: fragment.outputs,
            inputs: fragment.inputs,
            renamed,
            initialised,
            has_vertex_stage: vertex.is_some(),
            values: BTreeMap::new(),
            textures: BTreeMap::new(),
            corners: BTreeMap::new(),
            vertices: None,
            storage: Storage::default(),
            depth: false,
            rest_is_zero: false,
        })
    }
}

/// The vertex stage of a fragment shader alone: it hands each input on.
fn over_the_target(fragment: &Translated) -> Stage {
    let mut text = format!("{}\nin vec2 quadrille_at;\n", fragment.version);
    let mut body = String::new();
    for Input { name, components, qualifiers, .. } in &fragment.inputs {
        let kind = ["float", "vec2", "vec3", "vec4"][components - 1];
        let name = driver_name(&fragment.renamed, name);
        text.push_str(&format!("in {kind} quadrille_in_{name};\n{qualifiers} out {kind} {name};\n"));
        body.push_str(&format!("{name} = quadrille_in_{name}; "));
    }
    text.push_str(&format!("void main() {{ {body}gl_Position = vec4(quadrille_at, 0.0, 1.0); }}\n"));
    let lines = (1..).zip(text.lines()).map(|(number, _)| (0, number)).collect();
    Stage { text: text.clone(), files: vec![("quadrille::testing".to_owned(), text)], lines }
}

fn driver_name(renamed: &[(String, String)], name: &str) -> String {
    renamed.iter().find(|(own, _)| own == name).map_or_else(|| name.to_owned(), |(_, new)| new.clone())
}

impl Shader {
    /// Hands a value to a uniform, a member of a block (`Block.member` where the block has a name of its own in the shader,
    /// else `member`), a member of a struct (`light.colour`), a whole array or one element of it (`weights[3]`).
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the names that the compiler has left; [`Error::WrongType`].
    pub fn set(&mut self, name: &str, value: impl Value) -> Result<&mut Shader> {
        let (base, element) = match name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
            Some((base, index)) if self.find(name).is_none() => (base, index.parse::<usize>().ok()),
            _ => (name, None),
        };
        let found = self.find(base).and_then(|place| match self.program.uniforms[place].kind {
            UniformKind::Value(kind) => Some((place, kind)),
            _ => None,
        });
        let Some((place, kind)) = found else { return Err(self.unknown("uniform", name)) };
        let len = self.program.uniforms[place].len;
        let (first, count, array) = match element {
            Some(index) if index < len => (index, 1, 0),
            Some(_) => return Err(self.unknown("uniform", name)),
            None => (0, len, if len > 1 { len } else { 0 }),
        };
        let mut words = Vec::new();
        words_for(&value, kind, array, &mut words).map_err(|(bound, declared)| Error::WrongType {
            kernel: self.name.clone(),
            name: name.to_owned(),
            declared,
            bound,
            has: self.names(false),
        })?;
        let (whole, each) = (len * kind.components(), kind.components());
        let set = self
            .values
            .entry(place)
            .or_insert_with(|| Set { words: vec![0; whole], known: vec![false; whole] });
        let part = first * each..(first + count) * each;
        set.known[part.clone()].fill(true);
        for (slot, word) in set.words[part].iter_mut().zip(words) {
            *slot = if kind.scalar == Scalar::Bool { u32::from(word != 0) } else { word };
        }
        Ok(self)
    }

    /// Hands a texture to a `sampler2D`: an image as 32-bit floats, nearest texel, clamped; or `image.texture()` with
    /// another storage, filter or edge rule.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the samplers that there are; [`Error::Empty`], [`Error::OverLimit`] for its size.
    pub fn texture<'t>(&mut self, name: &str, texture: impl Into<Texture<'t>>) -> Result<&mut Shader> {
        let found =
            self.find(name).filter(|place| self.program.uniforms[*place].kind == UniformKind::Sampler2d);
        let Some(place) = found else { return Err(self.unknown("sampler2D", name)) };
        let texture = texture.into();
        self.check_size(|| format!("texture \"{name}\""), (texture.image.width(), texture.image.height()))?;
        self.textures.insert(place, Bound::new(texture));
        Ok(self)
    }

    /// Sets an input of a fragment shader alone: its values at the lower left, lower right and upper left corner of the
    /// target, of which it is an affine function.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::WrongType`] for another number of components.
    pub fn input<T: Texel>(&mut self, name: &str, corners: [T; 3]) -> Result<&mut Shader> {
        let Some(input) = self.inputs.iter().find(|input| input.name == name && !self.has_vertex_stage)
        else {
            let has = match self.has_vertex_stage {
                true => Vec::new(),
                false => self.inputs.iter().map(|input| input.name.clone()).collect(),
            };
            let (kernel, name) = (self.name.clone(), name.to_owned());
            return Err(Error::UnknownName { kernel, kind: "input", name, has });
        };
        let corners = corners.map(|corner| corner.numbers().to_vec());
        if corners.iter().any(|corner| corner.len() != input.components) {
            let float = |rows| GlslType { scalar: Scalar::Float, columns: 1, rows }.name();
            return Err(Error::WrongType {
                kernel: self.name.clone(),
                name: name.to_owned(),
                declared: float(input.components),
                bound: float(corners[0].len()),
                has: self
                    .inputs
                    .iter()
                    .map(|input| format!("{} {}", float(input.components), input.name))
                    .collect(),
            });
        }
        self.corners.insert(name.to_owned(), corners);
        Ok(self)
    }

    /// Sets the vertices of a shader with a vertex stage, three to a triangle: `attributes` names each attribute and its
    /// components in the order in which they lie, `values` holds vertex after vertex. An attribute named `_` is skipped. For
    /// the whole target: `vertices(&[("position", 2), ("uv", 2)], testing::QUAD)`.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the attributes that there are; [`Error::WrongLength`] unless the values are whole
    /// triangles; [`Error::BadParameter`] for components outside 1 to 4.
    pub fn vertices(&mut self, attributes: &[(&str, usize)], values: &[f32]) -> Result<&mut Shader> {
        for (name, components) in attributes {
            if !(1..=4).contains(components) {
                let (found, expected) = (format!("{name} of {components}"), "1 to 4 components".to_owned());
                return Err(Error::BadParameter { name: "attributes", found, expected });
            }
            if *name != "_" && (!self.has_vertex_stage || self.attribute(name).is_none()) {
                let has = match self.has_vertex_stage {
                    true => self.program.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
                    false => Vec::new(),
                };
                let (kernel, name) = (self.name.clone(), (*name).to_owned());
                return Err(Error::UnknownName { kernel, kind: "vertex attribute", name, has });
            }
        }
        let stride: usize = attributes.iter().map(|(_, components)| components).sum();
        let triangle = 3 * stride.max(1);
        if values.is_empty() || !values.len().is_multiple_of(triangle) {
            return Err(Error::WrongLength {
                what: format!("vertices of {}", self.name),
                found: values.len(),
                expected: values.len().div_ceil(triangle).max(1) * triangle,
                shape: format!("triangles of 3 x {stride} values"),
            });
        }
        let count = values.len() / stride.max(1);
        let attributes =
            attributes.iter().map(|(name, components)| ((*name).to_owned(), *components)).collect();
        self.vertices = Some(Own { attributes, values: values.to_vec(), count });
        Ok(self)
    }

    /// Sets how outputs are stored: [`Storage::Float`] unless said. Bytes come back as k/255, of sRGB as they are stored.
    pub fn storage(&mut self, storage: Storage) -> &mut Shader {
        self.storage = storage;
        self
    }

    /// Draws with a depth buffer: fragments nearer than what is there pass (`GL_LESS`), and the depth comes back.
    pub fn depth(&mut self, depth: bool) -> &mut Shader {
        self.depth = depth;
        self
    }

    /// Lets uniforms that nobody handed over be 0, as OpenGL does.
    pub fn rest_is_zero(&mut self) -> &mut Shader {
        self.rest_is_zero = true;
        self
    }

    /// Draws into targets of that size, which are 0 where nothing is drawn, and returns the first output.
    ///
    /// # Errors
    /// As [`Shader::draw_all`]; [`Error::UnknownName`] for a shader that writes nothing.
    pub fn draw(&self, width: u32, height: u32) -> Result<Image> {
        let drawn = self.draw_all(width, height)?;
        let shader = drawn.shader;
        drawn.outputs.into_iter().next().map(|(_, image)| image).ok_or_else(|| {
            let name = "any".to_owned();
            Error::UnknownName { kernel: shader, kind: "output", name, has: Vec::new() }
        })
    }

    /// Draws, and returns all outputs.
    ///
    /// # Errors
    /// [`Error::Unbound`] for what was not handed over; [`Error::Empty`], [`Error::OverLimit`];
    /// [`Error::Unsupported`] where the driver does not filter 32-bit floats; [`Error::Driver`].
    pub fn draw_all(&self, width: u32, height: u32) -> Result<Drawn> {
        let size = (width, height);
        self.check_size(|| format!("target of {}", self.name), size)?;
        let mut draw = ForeignDraw {
            size,
            values: Vec::new(),
            textures: Vec::new(),
            vertices: Vertices { attributes: Vec::new(), values: &[], count: 3 },
            storage: self.storage,
            depth: self.depth,
        };
        let texels: Vec<Vec<f32>> = self.textures.values().map(|bound| bound.image.all_rgba()).collect();
        for ((place, bound), texels) in self.textures.iter().zip(&texels) {
            let &Bound { storage, filter, wrap, .. } = bound;
            let (uniform, size) =
                (&self.program.uniforms[*place], (bound.image.width(), bound.image.height()));
            draw.textures.push(TextureInput { uniform, size, texels, storage, filter, wrap });
        }
        for (place, uniform) in self.program.uniforms.iter().enumerate() {
            self.check_bound(place, uniform)?;
            if let Some(set) = self.values.get(&place) {
                draw.values.push((uniform, &set.words));
            }
        }
        let made;
        draw.vertices = match (&self.vertices, self.has_vertex_stage) {
            (Some(own), _) => {
                let attribute = |(name, components): &(String, usize)| (self.attribute(name), *components);
                let attributes = own.attributes.iter().map(attribute).collect();
                Vertices { attributes, values: &own.values, count: own.count }
            }
            (None, true) => match self.program.attributes.first() {
                Some(missing) => return Err(self.unbound("vertex attribute", &missing.name)),
                None => Vertices { attributes: Vec::new(), values: &[], count: 3 },
            },
            (None, false) => {
                made = self.over_the_target()?;
                let attribute = |(name, components): &(String, usize)| (self.attribute(name), *components);
                Vertices {
                    attributes: made.attributes.iter().map(attribute).collect(),
                    values: &made.values,
                    count: 3,
                }
            }
        };
        let drawn = self.program.draw(&draw)?;
        let inputs = Rc::new(self.inputs());
        let mut outputs: Vec<(u32, String, Image)> = Vec::new();
        let all = self.outputs.iter().zip(&self.program.locations).zip(drawn.outputs);
        for ((output, location), rgba) in all {
            let Some(location) = location else { continue };
            let values = rgba.chunks_exact(4).flat_map(|texel| texel[..output.components].to_vec()).collect();
            let image = Image::new(width, height, output.components, values)?.drawn_of(&inputs);
            outputs.push((*location, output.name.clone(), image));
        }
        outputs.sort_by_key(|(location, ..)| *location);
        let depth = drawn.depth.map(|values| Image::new(width, height, 1, values)).transpose()?;
        let outputs = outputs.into_iter().map(|(_, name, image)| (name, image)).collect();
        Ok(Drawn { shader: self.name.clone(), outputs, depth: depth.map(|image| image.drawn_of(&inputs)) })
    }

    /// The one triangle that covers the target, with the inputs of the fragment shader at its corners.
    fn over_the_target(&self) -> Result<Own> {
        let mut attributes = vec![("quadrille_at".to_owned(), 2)];
        let mut values = [vec![-1.0, -1.0], vec![3.0, -1.0], vec![-1.0, 3.0]];
        for input in &self.inputs {
            let unsaid = || (input.components == 2).then(|| [vec![0.0, 0.0], vec![1.0, 0.0], vec![0.0, 1.0]]);
            let attribute = format!("quadrille_in_{}", driver_name(&self.renamed, &input.name));
            let Some([corner, right, above]) = self.corners.get(&input.name).cloned().or_else(unsaid) else {
                // The compiler may have left it out.
                match self.attribute(&attribute) {
                    Some(_) => return Err(self.unbound("input", &input.name)),
                    None => continue,
                }
            };
            if input.flat && (right != corner || above != corner) {
                let found = format!("{:?}, {:?}, {:?}", corner, right, above);
                let expected = "three times the same: it is flat".to_owned();
                return Err(Error::BadParameter { name: "input", found, expected });
            }
            // The triangle ends beyond the target, twice as far as its edges.
            let twice = |end: &[f32]| -> Vec<f32> {
                end.iter().zip(&corner).map(|(end, begin)| begin + 2.0 * (end - begin)).collect()
            };
            values[1].extend(twice(&right));
            values[2].extend(twice(&above));
            values[0].extend(corner);
            attributes.push((attribute, input.components));
        }
        Ok(Own { attributes, values: values.concat(), count: 3 })
    }

    /// That everything the uniform needs was handed over.
    fn check_bound(&self, place: usize, uniform: &Uniform) -> Result<()> {
        let own = self.own_name(&uniform.name);
        match uniform.kind {
            UniformKind::Sampler2d if uniform.len > 1 => Err(Error::Unsupported {
                what: format!("{}: array of samplers \"{own}\"", self.name),
                needs: "textures one by one",
                renderer: "quadrille::testing".to_owned(),
            }),
            UniformKind::Sampler2d if self.textures.contains_key(&place) => Ok(()),
            UniformKind::Sampler2d => Err(self.unbound("sampler2D", &own)),
            _ => match self.values.get(&place) {
                Some(set) if self.rest_is_zero || set.known.iter().all(|known| *known) => Ok(()),
                Some(set) => {
                    let each = (set.words.len() / uniform.len).max(1);
                    let first = set.known.iter().position(|known| !known).unwrap_or_default() / each;
                    Err(self.unbound("uniform", &format!("{own}[{first}]")))
                }
                None if self.rest_is_zero || self.initialised.contains(&own) => Ok(()),
                None => Err(self.unbound("uniform", &own)),
            },
        }
    }

    fn check_size(&self, what: impl Fn() -> String, (width, height): (u32, u32)) -> Result<()> {
        if width == 0 || height == 0 {
            return Err(Error::Empty { what: what(), width, height });
        }
        let (found, limit) = (u64::from(width.max(height)), u64::from(self.gpu.limits().texture_size));
        match found > limit {
            true => Err(Error::OverLimit { what: what(), quantity: "side", found, limit }),
            false => Ok(()),
        }
    }

    fn unbound(&self, kind: &'static str, name: &str) -> Error {
        Error::Unbound { kernel: self.name.clone(), kind, name: name.to_owned() }
    }

    fn unknown(&self, kind: &'static str, name: &str) -> Error {
        let (kernel, name) = (self.name.clone(), name.to_owned());
        Error::UnknownName { kernel, kind, name, has: self.names(kind == "sampler2D") }
    }

    /// The uniforms that the compiler has left, with their types; or the samplers.
    fn names(&self, samplers: bool) -> Vec<String> {
        let named = |uniform: &Uniform| {
            let name = self.own_name(&uniform.name);
            match uniform.kind {
                UniformKind::Value(kind) if !samplers && uniform.len > 1 => {
                    Some(format!("{} {name}[{}]", kind.name(), uniform.len))
                }
                UniformKind::Value(kind) if !samplers => Some(format!("{} {name}", kind.name())),
                UniformKind::Sampler2d if samplers => Some(name),
                _ => None,
            }
        };
        self.program.uniforms.iter().filter_map(named).collect()
    }

    /// The uniform of that name in the shader.
    fn find(&self, name: &str) -> Option<usize> {
        let name = driver_name(&self.renamed, name);
        self.program.uniforms.iter().position(|uniform| uniform.name == name)
    }

    /// The shader's own name of one that the driver was told.
    fn own_name(&self, name: &str) -> String {
        let own = self.renamed.iter().find(|(_, new)| new == name);
        own.map_or_else(|| name.to_owned(), |(own, _)| own.clone())
    }

    fn attribute(&self, name: &str) -> Option<&Attribute> {
        let name = driver_name(&self.renamed, name);
        let found = self.program.attributes.iter().find(|attribute| attribute.name == name);
        found.filter(|attribute| attribute.kind.is_some_and(|kind| kind.scalar == Scalar::Float))
    }

    /// The values and textures that were handed over, for oracles and reports.
    fn inputs(&self) -> Inputs {
        let name = |place: &usize| self.own_name(&self.program.uniforms[*place].name);
        let uniforms = self.values.iter().filter_map(|(place, set)| {
            let UniformKind::Value(kind) = self.program.uniforms[*place].kind else { return None };
            Some((name(place), (kind.scalar, set.words.clone())))
        });
        Inputs {
            shader: self.name.clone(),
            dialect: if self.gpu.driver().embedded { "OpenGL ES" } else { "OpenGL" }.to_owned(),
            uniforms: uniforms.collect(),
            textures: self.textures.iter().map(|(place, bound)| (name(place), bound.clone())).collect(),
        }
    }

    /// Names, types and elements of the uniforms that were not handed over and have no value in the text.
    pub(super) fn unset(&self) -> Vec<(String, GlslType, usize)> {
        let unset =
            self.program.uniforms.iter().enumerate().filter_map(|(place, uniform)| match uniform.kind {
                UniformKind::Value(kind) if !self.values.contains_key(&place) => {
                    Some((self.own_name(&uniform.name), kind, uniform.len))
                }
                _ => None,
            });
        unset.filter(|(name, ..)| !self.initialised.contains(name)).collect()
    }

    /// Names of the samplers, each with its texture if one was handed over.
    pub(super) fn samplers(&self) -> Vec<(String, Option<&Bound>)> {
        let all = self.program.uniforms.iter().enumerate();
        let samplers = all.filter(|(_, uniform)| uniform.kind == UniformKind::Sampler2d);
        samplers.map(|(place, uniform)| (self.own_name(&uniform.name), self.textures.get(&place))).collect()
    }

    /// Sets all words of a uniform of that name.
    pub(super) fn set_words(&mut self, name: &str, words: Vec<u32>) {
        if let Some(place) = self.find(name) {
            let known = vec![true; words.len()];
            self.values.insert(place, Set { words, known });
        }
    }

    /// Takes values back.
    pub(super) fn forget<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if let Some(place) = self.find(name) {
                self.values.remove(&place);
            }
        }
    }

    /// Other texels under the same storage, filter and edge rule, or none.
    pub(super) fn replace_texels(&mut self, name: &str, image: Option<Image>) -> Result<()> {
        let Some(place) = self.find(name) else { return Ok(()) };
        let Some(image) = image else {
            self.textures.remove(&place);
            return Ok(());
        };
        let mut texture = Texture::of(&image);
        if let Some(&Bound { storage, filter, wrap, .. }) = self.textures.get(&place) {
            texture = Texture { storage, filter, wrap, ..texture };
        }
        self.texture(name, texture).map(|_| ())
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}
