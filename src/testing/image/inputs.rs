//! The inputs of a draw: what an oracle may ask for, and what reports tell of a texel.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Image;
use crate::gl::{Filter, Scalar, Storage, byte_of, number_of};
use crate::layout::Edges;

/// An image as a texture: how its texels are stored, what lies between them and what beyond the edge.
#[derive(Clone, Copy)]
pub struct Texture<'a> {
    pub(in crate::testing) image: &'a Image,
    pub(in crate::testing) storage: Storage,
    pub(in crate::testing) filter: Filter,
    pub(in crate::testing) wrap: Edges,
}

impl<'a> Texture<'a> {
    pub(in crate::testing) fn of(image: &'a Image) -> Texture<'a> {
        let (storage, filter, wrap) = (Storage::default(), Filter::default(), Edges::default());
        Texture { image, storage, filter, wrap }
    }

    /// Four bytes a texel (`GL_RGBA8`).
    #[must_use]
    pub fn bytes(self) -> Texture<'a> {
        Texture { storage: Storage::Bytes, ..self }
    }

    /// Four bytes a texel, colours as sRGB (`GL_SRGB8_ALPHA8`): the shader reads them linear.
    #[must_use]
    pub fn srgb(self) -> Texture<'a> {
        Texture { storage: Storage::Srgb, ..self }
    }

    /// Between texels, the mean of the four around (`GL_LINEAR`).
    #[must_use]
    pub fn linear(self) -> Texture<'a> {
        Texture { filter: Filter::Linear, ..self }
    }

    /// Linear between texels and between the levels of a pyramid (`GL_LINEAR_MIPMAP_LINEAR`).
    #[must_use]
    pub fn trilinear(self) -> Texture<'a> {
        Texture { filter: Filter::Trilinear, ..self }
    }

    /// Beyond the edge, the other side (`GL_REPEAT`).
    #[must_use]
    pub fn repeat(self) -> Texture<'a> {
        Texture { wrap: Edges::Repeat, ..self }
    }

    /// Beyond the edge, the reflection (`GL_MIRRORED_REPEAT`).
    #[must_use]
    pub fn mirror(self) -> Texture<'a> {
        Texture { wrap: Edges::Mirror, ..self }
    }
}

impl<'a> From<&'a Image> for Texture<'a> {
    fn from(image: &'a Image) -> Texture<'a> {
        Texture::of(image)
    }
}

/// A texture that was handed over: its image, and its texels as a shader reads them.
#[derive(Clone)]
pub(in crate::testing) struct Bound {
    pub image: Image,
    pub storage: Storage,
    pub filter: Filter,
    pub wrap: Edges,
    read: Image,
}

impl Bound {
    pub fn new(texture: Texture) -> Bound {
        let Texture { image, storage, filter, wrap } = texture;
        let read = image.map(|texel| match storage {
            Storage::Float => texel,
            Storage::Bytes => texel.map(stored),
            Storage::Srgb => {
                let [r, g, b, a] = texel.map(stored);
                [linear(r), linear(g), linear(b), a]
            }
        });
        Bound { image: image.clone(), storage, filter, wrap, read }
    }

    /// The texel at any column and row, by the edge rule.
    fn fetch(&self, x: i64, y: i64) -> [f32; 4] {
        let (width, height) = (self.read.width(), self.read.height());
        self.read.rgba(self.wrap.texel(x, width), self.wrap.texel(y, height))
    }

    /// The texel nearest to a place, or the mean of the four around it.
    fn sample(&self, [u, v]: [f32; 2]) -> [f32; 4] {
        let (x, y) = (u * self.read.width() as f32, v * self.read.height() as f32);
        if self.filter == Filter::Nearest {
            return self.fetch(x.floor() as i64, y.floor() as i64);
        }
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, low) = (x.floor(), y.floor());
        let (across, up) = (x - left, y - low);
        let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| self.fetch(left as i64 + i, low as i64 + j));
        std::array::from_fn(|c| {
            let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
            mix(mix(four[0][c], four[1][c], across), mix(four[2][c], four[3][c], across), up)
        })
    }
}

/// A number as a byte stands for it.
fn stored(value: f32) -> f32 {
    number_of(byte_of(value))
}

/// The linear value of one of sRGB (IEC 61966-2-1).
fn linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// All that a draw was given.
#[derive(Clone, Default)]
pub(in crate::testing) struct Inputs {
    pub shader: String,
    pub dialect: String,
    pub uniforms: BTreeMap<String, (Scalar, Vec<u32>)>,
    pub textures: BTreeMap<String, Bound>,
}

impl Inputs {
    /// The inputs of one texel, in one line; uniforms of more than sixteen numbers are named only.
    pub fn describe(&self, at: (u32, u32), size: (u32, u32)) -> String {
        let fault = RefCell::default();
        let here = At::new(self, at, size, &fault);
        let [u, v] = here.uv();
        let mut line = format!("gl_FragCoord ({}, {}), uv ({u}, {v})", at.0 as f32 + 0.5, at.1 as f32 + 0.5);
        for (name, bound) in &self.textures {
            let (width, height) = (bound.image.width(), bound.image.height());
            let _ = write!(line, ", {name} ({width}x{height}) {:?}", here.texel(name));
        }
        for (name, (scalar, words)) in &self.uniforms {
            let _ = match words.len() {
                1 => write!(line, ", {name} {}", scalar.numbers(words)[0]),
                2..=16 => write!(line, ", {name} {:?}", scalar.numbers(words)),
                many => write!(line, ", {name} of {many} numbers"),
            };
        }
        line
    }
}

/// A texel and all that a shader was given: what the closures of [`Image::expected`] and
/// [`against`](crate::testing::against) go by.
///
/// A name that the shader does not have, or that was not handed over, gives NaN, and the comparison then says so.
pub struct At<'a> {
    inputs: &'a Inputs,
    at: (u32, u32),
    size: (u32, u32),
    fault: &'a RefCell<Option<String>>,
}

impl<'a> At<'a> {
    pub(in crate::testing) fn new(
        inputs: &'a Inputs,
        at: (u32, u32),
        size: (u32, u32),
        fault: &'a RefCell<Option<String>>,
    ) -> At<'a> {
        At { inputs, at, size, fault }
    }

    /// Column, from 0.
    pub fn x(&self) -> u32 {
        self.at.0
    }

    /// Row, from 0, the lowest.
    pub fn y(&self) -> u32 {
        self.at.1
    }

    /// Width and height of the target.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// `gl_FragCoord.xy`: the centre of the texel.
    pub fn position(&self) -> [f32; 2] {
        [self.at.0 as f32 + 0.5, self.at.1 as f32 + 0.5]
    }

    /// The centre in units of the target, 0 to 1.
    pub fn uv(&self) -> [f32; 2] {
        let [x, y] = self.position();
        [x / self.size.0 as f32, y / self.size.1 as f32]
    }

    /// The texel of a texture at this place: the same column and row where sizes are alike.
    pub fn texel(&self, texture: &str) -> [f32; 4] {
        let Some(bound) = self.bound(texture) else { return [f32::NAN; 4] };
        // Whole numbers, so that nothing is rounded.
        let place =
            |at: u32, of: u32, to: u32| (2 * i64::from(at) + 1) * i64::from(to) / (2 * i64::from(of.max(1)));
        let (width, height) = (bound.image.width(), bound.image.height());
        bound.fetch(place(self.at.0, self.size.0, width), place(self.at.1, self.size.1, height))
    }

    /// The texel of any column and row of a texture: `texelFetch`, but beyond the edge by the texture's rule.
    pub fn fetch(&self, texture: &str, x: i64, y: i64) -> [f32; 4] {
        self.bound(texture).map_or([f32::NAN; 4], |bound| bound.fetch(x, y))
    }

    /// `textureLod` at level 0: by the texture's filter and edge rule. GPUs weigh neighbours with 8 bits or more.
    pub fn sample(&self, texture: &str, uv: [f32; 2]) -> [f32; 4] {
        self.bound(texture).map_or([f32::NAN; 4], |bound| bound.sample(uv))
    }

    /// A `float`, `int`, `uint` or `bool` uniform as a number.
    pub fn number(&self, uniform: &str) -> f32 {
        self.vector::<1>(uniform)[0]
    }

    /// A uniform of N numbers: a vector, a matrix column after column, or an array.
    pub fn vector<const N: usize>(&self, uniform: &str) -> [f32; N] {
        let values = self.values(uniform);
        values.as_slice().try_into().unwrap_or_else(|_| {
            if !values.is_empty() {
                self.miss(format!("uniform \"{uniform}\" has {} numbers, {N} were asked for", values.len()));
            }
            [f32::NAN; N]
        })
    }

    /// All numbers of a uniform.
    pub fn values(&self, uniform: &str) -> Vec<f32> {
        match self.inputs.uniforms.get(uniform) {
            Some((scalar, words)) => scalar.numbers(words),
            None => {
                self.miss_name("uniform", uniform, self.inputs.uniforms.keys());
                Vec::new()
            }
        }
    }

    fn bound(&self, texture: &str) -> Option<&Bound> {
        let bound = self.inputs.textures.get(texture);
        if bound.is_none() {
            self.miss_name("texture", texture, self.inputs.textures.keys());
        }
        bound
    }

    fn miss_name<'n>(&self, kind: &str, name: &str, has: impl Iterator<Item = &'n String>) {
        let has: Vec<&str> = has.map(String::as_str).collect();
        let has = if has.is_empty() { "none".to_owned() } else { has.join(", ") };
        self.miss(format!("no {kind} \"{name}\" was handed over: there is {has}"));
    }

    fn miss(&self, fault: String) {
        self.fault.borrow_mut().get_or_insert(fault);
    }
}
