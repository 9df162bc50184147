//! Buffers: arrays on the GPU.

use std::rc::Rc;

use super::{DoubleBufferBuilder, Gpu, Precision};
use crate::gl::{Context, Edges, ReadBack, Rect, Rounding, Shape, Texture, keep_components};
use crate::layout::Fold;
use crate::{Error, Result};

/// The use that passes may make of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Bound to streams and written by passes.
    #[default]
    ReadWrite,
    /// Bound to streams only; the CPU writes it.
    Read,
    /// Written by passes only; the CPU reads it.
    Write,
}

/// A buffer in the making: shape, format, access, then [`BufferBuilder::build`] or [`BufferBuilder::init`].
#[derive(Clone)]
pub struct BufferBuilder {
    context: Rc<Context>,
    width: u32,
    height: u32,
    array: Option<usize>,
    components: usize,
    precision: Precision,
    access: Access,
    edges: Edges,
    name: Option<String>,
    /// The values that `build` gives it; zeros where there are none.
    filled: Option<Vec<f32>>,
}

impl BufferBuilder {
    pub(super) fn new(gpu: &Gpu, width: u32, height: u32) -> BufferBuilder {
        BufferBuilder {
            context: gpu.context().clone(),
            width,
            height,
            array: None,
            components: 1,
            precision: Precision::default(),
            access: Access::default(),
            edges: Edges::default(),
            name: None,
            filled: None,
        }
    }

    /// The same with values for [`BufferBuilder::build`].
    pub(super) fn filled(self, values: Vec<f32>) -> BufferBuilder {
        BufferBuilder { filled: Some(values), ..self }
    }

    /// Numbers of all elements.
    pub(super) fn values(&self) -> usize {
        let elements = self.array.unwrap_or(self.width as usize * self.height as usize);
        elements.saturating_mul(self.components)
    }

    pub(super) fn array(gpu: &Gpu, len: usize) -> BufferBuilder {
        BufferBuilder { array: Some(len), ..BufferBuilder::new(gpu, 0, 0) }
    }

    /// Values an element has, 1 to 4; 1 unless said.
    #[must_use]
    pub fn components(self, components: usize) -> BufferBuilder {
        BufferBuilder { components, ..self }
    }

    /// The number format; 32-bit unless said.
    #[must_use]
    pub fn precision(self, precision: Precision) -> BufferBuilder {
        BufferBuilder { precision, ..self }
    }

    /// Sets the use that passes may make of it; both unless said.
    #[must_use]
    pub fn access(self, access: Access) -> BufferBuilder {
        BufferBuilder { access, ..self }
    }

    /// Sets the edge rule; the nearest element unless said.
    #[must_use]
    pub fn edges(self, edges: Edges) -> BufferBuilder {
        BufferBuilder { edges, ..self }
    }

    /// Its name in errors.
    #[must_use]
    pub fn named(self, name: &str) -> BufferBuilder {
        BufferBuilder { name: Some(name.to_owned()), ..self }
    }

    /// Two buffers, one to read while the other is written.
    #[must_use]
    pub fn double(self) -> DoubleBufferBuilder {
        DoubleBufferBuilder(self)
    }

    /// The buffer, all zero; with the values of its array where [`Gpu::buffer_of`] began it.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::OverLimit`], [`Error::OutOfMemory`]; [`Error::BadParameter`] for
    /// components outside 1 to 4.
    pub fn build(mut self) -> Result<Buffer> {
        if let Some(values) = self.filled.take() {
            return self.init(&values);
        }
        let buffer = self.undefined()?;
        buffer.texture().clear([0.0; 4]);
        Ok(buffer)
    }

    /// The buffer with these values: row after row from row 0, components of an element together.
    ///
    /// # Errors
    /// As [`BufferBuilder::build`]; [`Error::WrongLength`].
    pub fn init(self, values: &[f32]) -> Result<Buffer> {
        let buffer = self.undefined()?;
        buffer.write(values)?;
        Ok(buffer)
    }

    /// The buffer with whatever the pooled texture holds: every element must be written next.
    pub(super) fn undefined(self) -> Result<Buffer> {
        let components = self.components;
        if !(1..=4).contains(&components) {
            let (found, expected) = (components.to_string(), "1 to 4".to_owned());
            return Err(Error::BadParameter { name: "components", found, expected });
        }
        let fold = match self.array {
            Some(len) => Some(Fold::near_square(len, self.context.limits().texture_size)?),
            None => None,
        };
        let (width, height) = fold.map_or((self.width, self.height), |f| (f.width, f.height));
        let shape = Shape { width, height, format: self.precision.format(components) };
        let texture = self.context.texture(shape).map_err(|error| match &self.name {
            Some(name) => renamed(error, &format!("buffer \"{name}\" {width}x{height}x{components}")),
            None => renamed(error, &format!("buffer {width}x{height}x{components}")),
        })?;
        let (precision, access, edges, name) = (self.precision, self.access, self.edges, self.name);
        Ok(Buffer { inner: Rc::new(Inner { texture, components, precision, access, edges, fold, name }) })
    }
}

/// The texture's errors in the user's words.
fn renamed(error: Error, buffer: &str) -> Error {
    let what = buffer.to_owned();
    match error {
        Error::Empty { width, height, .. } => Error::Empty { what, width, height },
        Error::OverLimit { quantity, found, limit, .. } => Error::OverLimit { what, quantity, found, limit },
        Error::OutOfMemory { bytes, .. } => Error::OutOfMemory { what, bytes },
        other => other,
    }
}

struct Inner {
    texture: Texture,
    components: usize,
    precision: Precision,
    access: Access,
    edges: Edges,
    fold: Option<Fold>,
    name: Option<String>,
}

/// An array on the GPU: width × height elements of 1 to 4 components.
///
/// Clones share the same array; the texture returns to the pool when the last clone is dropped.
#[derive(Clone)]
pub struct Buffer {
    inner: Rc<Inner>,
}

impl Buffer {
    /// A buffer around a texture to which another was reduced.
    pub(super) fn reduced(texture: Texture, like: &Buffer) -> Buffer {
        let Inner { components, edges, .. } = *like.inner;
        let precision = like.precision().reduced();
        let access = Access::ReadWrite;
        Buffer {
            inner: Rc::new(Inner { texture, components, precision, access, edges, fold: None, name: None }),
        }
    }

    /// Elements a row.
    pub fn width(&self) -> u32 {
        self.inner.texture.shape().width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.inner.texture.shape().height
    }

    /// Values an element.
    pub fn components(&self) -> usize {
        self.inner.components
    }

    /// Elements: width × height, or the length of a folded array.
    pub fn len(&self) -> usize {
        self.inner.fold.map_or(self.rect().area(), |fold| fold.len)
    }

    /// Never: a buffer holds at least one element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of it.
    pub fn rect(&self) -> Rect {
        Rect::whole(self.width(), self.height())
    }

    /// The number format.
    pub fn precision(&self) -> Precision {
        self.inner.precision
    }

    /// The edge rule: the value that a fetch beyond the edge reads.
    pub fn edges(&self) -> Edges {
        self.inner.edges
    }

    /// The use that passes may make of it.
    pub fn access(&self) -> Access {
        self.inner.access
    }

    /// The fold of a one-dimensional array.
    pub fn fold(&self) -> Option<Fold> {
        self.inner.fold
    }

    /// The texture below.
    pub fn texture(&self) -> &Texture {
        &self.inner.texture
    }

    /// Its name and shape, as errors give them.
    pub fn describe(&self) -> String {
        let (width, height, components) = (self.width(), self.height(), self.components());
        match &self.inner.name {
            Some(name) => format!("buffer \"{name}\" ({width}x{height}x{components})"),
            None => format!("buffer {width}x{height}x{components}"),
        }
    }

    /// Returns true if the two are the same array.
    pub fn is(&self, other: &Buffer) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }

    /// Writes all elements from the CPU: row after row from row 0, components together. Each is stored as the format stores
    /// it, see [`Precision`].
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn write(&self, values: &[f32]) -> Result<()> {
        let expected = self.len() * self.components();
        if values.len() != expected {
            let (found, shape) = (values.len(), "width x height x components".to_owned());
            return Err(Error::WrongLength { what: self.describe(), found, expected, shape });
        }
        let emulated = self.inner.precision.rounding() != Rounding::None;
        if !emulated && self.components() != 3 && self.len() == self.rect().area() {
            return self.inner.texture.upload(self.rect(), values);
        }
        self.inner.texture.upload(self.rect(), &self.texels_of(values))
    }

    /// The texels that hold these values: a fourth component of 1 beside three, as OpenGL gives to textures
    /// of fewer, and zeros after an array's end.
    fn texels_of(&self, values: &[f32]) -> Vec<f32> {
        let (components, stored) = (self.components(), self.inner.texture.shape().format.components());
        let mut texels = vec![0.0; self.rect().area() * stored];
        for (texel, element) in texels.chunks_exact_mut(stored).zip(values.chunks_exact(components)) {
            for (slot, &value) in texel.iter_mut().zip(element) {
                *slot = self.inner.precision.store(value);
            }
            texel[components..].fill(1.0);
        }
        texels
    }

    /// Reads all elements back and waits for them. This stalls the GPU: use it sparingly.
    ///
    /// # Errors
    /// [`Error::ContextLost`]; [`Error::Driver`] where the driver refuses it.
    pub fn data(&self) -> Result<Vec<f32>> {
        let mut values = Vec::new();
        self.data_into(&mut values)?;
        Ok(values)
    }

    /// Reads all elements back into an existing vector: new memory costs more than the copy.
    ///
    /// # Errors
    /// As [`Buffer::data`].
    pub fn data_into(&self, values: &mut Vec<f32>) -> Result<()> {
        self.inner.texture.read_into(self.rect(), values)?;
        self.keep_values(values);
        Ok(())
    }

    /// Reads the bytes of a buffer of [`Precision::Fixed8`] back: k for a component of k/255; otherwise as
    /// [`Buffer::data`].
    ///
    /// # Errors
    /// [`Error::WrongShape`] for another format; [`Error::Driver`] after a lost device.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        if self.precision() != Precision::Fixed8 {
            let (what, found) = (self.describe(), format!("{:?}", self.precision()));
            return Err(Error::WrongShape { what, found, expected: "Fixed8, which is made of bytes".into() });
        }
        let mut bytes = self.inner.texture.read_bytes()?;
        self.keep_values(&mut bytes);
        Ok(bytes)
    }

    /// Reads the elements of a region back, row after row of the region.
    ///
    /// # Errors
    /// [`Error::OutsideTarget`], [`Error::Empty`].
    pub fn data_of(&self, region: Rect) -> Result<Vec<f32>> {
        let mut values = self.inner.texture.read(region)?;
        keep_components(&mut values, self.inner.texture.shape().format.components(), self.components());
        Ok(values)
    }

    /// Starts reading all elements back, as they are now, without waiting.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn data_async(&self) -> Result<Pending> {
        Ok(Pending { read_back: self.inner.texture.read_async(self.rect())?, buffer: self.clone() })
    }

    /// Keeps the elements' own components of all texels, and no padding after an array's end.
    fn keep_values<T: Copy>(&self, texels: &mut Vec<T>) {
        keep_components(texels, self.inner.texture.shape().format.components(), self.components());
        texels.truncate(self.len() * self.components());
    }

    /// Copies another buffer of the same shape and precision into this one.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`].
    pub fn copy_from(&self, source: &Buffer) -> Result<()> {
        if !Rc::ptr_eq(self.context(), source.context()) {
            return Err(Error::OtherContext { what: source.describe() });
        }
        let format = |buffer: &Buffer| (buffer.texture().shape(), buffer.components(), buffer.precision());
        if format(self) != format(source) {
            let full = |buffer: &Buffer| format!("{} {:?}", buffer.describe(), buffer.precision());
            let (found, expected) = (full(source), full(self));
            return Err(Error::WrongShape { what: "a copy".into(), found, expected });
        }
        if !self.is(source) {
            self.inner.texture.copy_from(source.texture(), self.rect());
        }
        Ok(())
    }

    /// Values of all elements.
    pub(super) fn values(&self) -> usize {
        self.len() * self.components()
    }

    pub(crate) fn context(&self) -> &Rc<Context> {
        self.inner.texture.context()
    }
}

/// A read-back under way.
pub struct Pending {
    read_back: ReadBack,
    buffer: Buffer,
}

impl Pending {
    /// Returns true if the values are there.
    pub fn ready(&self) -> bool {
        self.read_back.ready()
    }

    /// The values if they are there, else this again.
    ///
    /// # Errors
    /// [`Error::Driver`] after a lost device.
    pub fn poll(self) -> Result<std::result::Result<Vec<f32>, Pending>> {
        let Pending { read_back, buffer } = self;
        Ok(match read_back.poll()? {
            Ok(mut texels) => {
                buffer.keep_values(&mut texels);
                Ok(texels)
            }
            Err(read_back) => Err(Pending { read_back, buffer }),
        })
    }

    /// The values, waited for.
    ///
    /// # Errors
    /// As [`Pending::poll`].
    pub fn wait(self) -> Result<Vec<f32>> {
        let mut texels = self.read_back.wait()?;
        self.buffer.keep_values(&mut texels);
        Ok(texels)
    }
}
