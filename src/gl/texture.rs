//! Textures of floats, or of bytes that stand for 0 to 1: the arrays of the machine.

use std::rc::Rc;

use glow::HasContext;

use super::format::{byte_of, number_of};
use super::observe::Event;
use super::{Context, Rect, Shape};
use crate::{Error, Result};

/// The GL objects of one texture; the owner deletes it or returns it to the pool.
#[derive(Clone, Copy)]
pub(super) struct Storage {
    pub texture: glow::Texture,
    /// Has the texture as its only colour attachment: most passes write one target.
    pub framebuffer: glow::Framebuffer,
    pub shape: Shape,
    /// Never given out twice, unlike GL names.
    pub serial: u64,
}

/// A texture with its framebuffer; goes back to the pool when dropped.
pub struct Texture {
    pub(super) context: Rc<Context>,
    pub(super) storage: Storage,
}

impl Context {
    /// A texture of that shape, from the pool if there is one. Its texels are undefined.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::OverLimit`], [`Error::OutOfMemory`]; [`Error::Unsupported`] where the
    /// driver cannot render to the format.
    #[doc(hidden)]
    pub fn texture(self: &Rc<Self>, shape: Shape) -> Result<Texture> {
        let Shape { width, height, format } = shape;
        let what = || format!("texture {width}x{height} {format:?}");
        if width == 0 || height == 0 {
            return Err(Error::Empty { what: what(), width, height });
        }
        self.alive(&what())?;
        let limit = u64::from(self.limits.texture_size);
        for (quantity, size) in [("width", width), ("height", height)] {
            if u64::from(size) > limit {
                return Err(Error::OverLimit { what: what(), quantity, found: size.into(), limit });
            }
        }
        let pooled = self.pool.borrow_mut().take(shape);
        self.tell(Event::Taken { pooled: pooled.is_some() });
        let storage = match pooled {
            Some(storage) => storage,
            None => self
                .allocate(shape)
                .or_else(|error| self.allocate_after_trim(shape, error))
                .map_err(|error| self.or_lost(error))?,
        };
        self.count(|c| {
            c.live += 1;
            c.live_bytes += shape.cost();
        });
        Ok(Texture { context: self.clone(), storage })
    }

    /// Gives idle textures of other shapes back to the driver, which may be in the way, and tries again.
    fn allocate_after_trim(&self, shape: Shape, error: Error) -> Result<Storage> {
        if !matches!(error, Error::OutOfMemory { .. }) || self.pool.borrow().bytes() == 0 {
            return Err(error);
        }
        self.trim_pool(0);
        self.allocate(shape)
    }

    /// Gives idle pooled textures back to the driver, oldest first, until at most `bytes` are kept.
    #[doc(hidden)]
    pub fn trim_pool(&self, bytes: u64) {
        let evicted = self.pool.borrow_mut().trim(bytes);
        evicted.into_iter().for_each(|storage| self.delete(storage));
    }

    /// Sets how many bytes of idle textures the pool may keep (256 MiB at first), counted by [`Shape::cost`].
    pub(crate) fn set_pool_budget(&self, bytes: u64) {
        self.pool.borrow_mut().set_budget(bytes);
        self.trim_pool(bytes);
    }

    /// The most bytes of idle textures that the pool keeps.
    #[doc(hidden)]
    pub fn pool_budget(&self) -> u64 {
        self.pool.borrow().budget()
    }

    pub(super) fn allocate(&self, shape: Shape) -> Result<Storage> {
        let what = format!("texture {}x{} {:?}", shape.width, shape.height, shape.format);
        let refused = |message: String| Error::Driver { what: what.clone(), message };
        self.drain_errors();
        let gl = self.gl();
        let mut state = self.state.borrow_mut();
        state.fixed(gl);
        // SAFETY: the context is current, the size within its limits, no pixels are passed.
        let (texture, framebuffer, error) = unsafe {
            let texture = gl.create_texture().map_err(refused)?;
            state.texture_to_set(gl, texture);
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::NEAREST),
                (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_MAX_LEVEL, 0),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
            }
            let (format, kind) = shape.format.external();
            let (width, height) = (shape.width as i32, shape.height as i32);
            let internal = shape.format.internal() as i32;
            let nothing = glow::PixelUnpackData::Slice(None);
            gl.tex_image_2d(glow::TEXTURE_2D, 0, internal, width, height, 0, format, kind, nothing);
            let error = gl.get_error();
            let framebuffer = gl.create_framebuffer().map_err(refused)?;
            (texture, framebuffer, error)
        };
        drop(state);
        let storage = Storage { texture, framebuffer, shape, serial: self.serial() };
        let outcome = match error {
            glow::NO_ERROR => self.attach(&storage, &what),
            // A page refuses what is too large in bytes as a wrong value: the sides are within the limits.
            glow::INVALID_VALUE if self.driver.in_page => {
                Err(Error::OutOfMemory { what: what.clone(), bytes: shape.bytes() })
            }
            glow::OUT_OF_MEMORY => Err(Error::OutOfMemory { what: what.clone(), bytes: shape.bytes() }),
            code => Err(refused(format!("GL error {code:#06x}"))),
        };
        match outcome {
            Ok(()) => Ok(storage),
            Err(error) => {
                self.delete(storage);
                Err(error)
            }
        }
    }

    fn attach(&self, storage: &Storage, what: &str) -> Result<()> {
        let gl = self.gl();
        self.state.borrow_mut().framebuffer(gl, Some(storage.framebuffer));
        // SAFETY: both objects are alive and ours.
        let status = unsafe {
            let texture = Some(storage.texture);
            gl.framebuffer_texture_2d(
                glow::FRAMEBUFFER,
                glow::COLOR_ATTACHMENT0,
                glow::TEXTURE_2D,
                texture,
                0,
            );
            gl.check_framebuffer_status(glow::FRAMEBUFFER)
        };
        let out_of_memory = Error::OutOfMemory { what: what.to_owned(), bytes: storage.shape.bytes() };
        match self.take_error() {
            Some("GL_OUT_OF_MEMORY") => Err(out_of_memory),
            _ if status == glow::FRAMEBUFFER_COMPLETE => Ok(()),
            // A texture without memory: a browser may say only that nothing can be drawn into it.
            _ if self.driver.float_render => Err(out_of_memory),
            _ => Err(Error::Unsupported {
                what: format!("drawing into a {what}"),
                needs: "EXT_color_buffer_float",
                renderer: self.driver.renderer.clone(),
            }),
        }
    }

    pub(super) fn delete(&self, storage: Storage) {
        if self.is_lost() {
            return;
        }
        let gl = self.gl();
        let mut state = self.state.borrow_mut();
        self.framebuffers.borrow_mut().forget_texture(gl, &mut state, storage.serial);
        state.forget_texture(storage.texture);
        state.forget_framebuffer(storage.framebuffer);
        // SAFETY: made by `allocate`, and nobody else holds it.
        unsafe {
            gl.delete_framebuffer(storage.framebuffer);
            gl.delete_texture(storage.texture);
        }
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        let bytes = self.storage.shape.cost();
        self.context.count(|c| {
            c.live -= 1;
            c.live_bytes -= bytes;
        });
        let evicted = self.context.pool.borrow_mut().give(self.storage);
        evicted.into_iter().for_each(|storage| self.context.delete(storage));
    }
}

impl Texture {
    /// The context it lives in.
    pub fn context(&self) -> &Rc<Context> {
        &self.context
    }

    /// Size and format.
    pub fn shape(&self) -> Shape {
        self.storage.shape
    }

    /// The framebuffer whose only attachment this texture is, for foreign code to draw into or blit from.
    pub fn framebuffer(&self) -> glow::Framebuffer {
        self.storage.framebuffer
    }

    /// The GL texture itself, for foreign code to show. It is deleted or reused when this is dropped.
    pub fn raw(&self) -> glow::Texture {
        self.storage.texture
    }

    /// Uploads a region: its texels row by row, each with the format's number of components. A format of bytes gets
    /// round(255 v) of each number v, 0 below 0 and of NaN, 255 above 1.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::OutsideTarget`], [`Error::ContextLost`].
    pub fn upload(&self, region: Rect, values: &[f32]) -> Result<()> {
        self.check_region(region)?;
        let expected = region.area() * self.storage.shape.format.components();
        if values.len() != expected {
            return Err(self.wrong_length(values.len(), expected));
        }
        self.context.alive("an upload")?;
        let gl = self.context.gl();
        let (format, kind) = self.storage.shape.format.external();
        let mut state = self.context.state.borrow_mut();
        state.fixed(gl);
        state.texture_to_set(gl, self.storage.texture);
        let [x, y, width, height] = [region.x0, region.y0, region.width(), region.height()].map(|v| v as i32);
        let rounded: Vec<u8>;
        let pixels = match self.storage.shape.format.is_fixed() {
            true => {
                rounded = values.iter().copied().map(byte_of).collect();
                &rounded
            }
            false => bytemuck::cast_slice(values),
        };
        let pixels = glow::PixelUnpackData::Slice(Some(pixels));
        // SAFETY: the values cover the region exactly, and no row is padded.
        unsafe { gl.tex_sub_image_2d(glow::TEXTURE_2D, 0, x, y, width, height, format, kind, pixels) };
        drop(state);
        self.context.count(|c| c.uploads += 1);
        // The driver is not asked how it went: with some, that would wait for the copy.
        self.context.tell(Event::Uploaded { texture: self, region });
        Ok(())
    }

    /// Sets every texel to one value, in the given components.
    pub fn clear(&self, value: [f32; 4]) {
        let context = &self.context;
        if context.is_lost() {
            return;
        }
        let gl = context.gl();
        let mut state = context.state.borrow_mut();
        state.fixed(gl);
        state.framebuffer(gl, Some(self.storage.framebuffer));
        // SAFETY: the framebuffer has one colour attachment of floats or of bytes that stand for them; the mask lets all be written.
        unsafe { gl.clear_buffer_f32_slice(glow::COLOR, 0, &value) };
        drop(state);
        context.tell(Event::Cleared { texture: self });
    }

    /// Copies texels of `source` into this texture at the same place: copy-to-texture feedback (§31.2.1).
    pub(crate) fn copy_from(&self, source: &Texture, region: Rect) {
        self.copy_to(region.x0, region.y0, source, region);
    }

    /// Copies texels of `source`, another texture of this context and format, into this one, the first of them to (x, y). The
    /// caller keeps the region inside both.
    pub(crate) fn copy_to(&self, to_x: u32, to_y: u32, source: &Texture, region: Rect) {
        let context = &self.context;
        if context.is_lost() {
            return;
        }
        let gl = context.gl();
        let mut state = context.state.borrow_mut();
        state.fixed(gl);
        state.framebuffer(gl, Some(source.storage.framebuffer));
        state.texture_to_set(gl, self.storage.texture);
        let [x, y, width, height] = [region.x0, region.y0, region.width(), region.height()].map(|v| v as i32);
        let to = [to_x, to_y].map(|v| v as i32);
        // SAFETY: GL refuses a region that does not lie inside both.
        unsafe { gl.copy_tex_sub_image_2d(glow::TEXTURE_2D, 0, to[0], to[1], x, y, width, height) };
        drop(state);
        context.tell(Event::Copied { from: source, to: self, region, at: (to_x, to_y) });
    }

    /// Reads a region back and waits for it: texels row by row, components interleaved. A byte k of a format of bytes is the
    /// 32-bit number next to k/255.
    ///
    /// # Errors
    /// [`Error::OutsideTarget`].
    pub fn read(&self, region: Rect) -> Result<Vec<f32>> {
        let mut values = Vec::new();
        self.read_into(region, &mut values)?;
        Ok(values)
    }

    /// Reads as [`Texture::read`] into an existing vector: new memory costs more than the copy.
    ///
    /// # Errors
    /// As [`Texture::read`].
    pub fn read_into(&self, region: Rect, values: &mut Vec<f32>) -> Result<()> {
        self.check_region(region)?;
        let layout = self.read_layout(region);
        values.resize(layout.floats(), 0.0);
        let bytes = &mut bytemuck::cast_slice_mut(values)[..layout.bytes];
        self.ask_pixels(region, &layout, glow::PixelPackData::Slice(Some(bytes)))?;
        layout.compact(values);
        Ok(())
    }

    /// All texels, read by an observer: neither counted nor told.
    #[cfg(feature = "trace")]
    pub(crate) fn peek(&self) -> Result<Vec<f32>> {
        let region = self.storage.shape.rect();
        let layout = self.read_layout(region);
        let mut values = vec![0.0; layout.floats()];
        let bytes = &mut bytemuck::cast_slice_mut(&mut values)[..layout.bytes];
        self.get_pixels(region, &layout, glow::PixelPackData::Slice(Some(bytes)))?;
        layout.compact(&mut values);
        Ok(values)
    }

    /// The number of its storage, which a later texture may get from the pool.
    #[cfg(feature = "trace")]
    pub(crate) fn storage_serial(&self) -> u64 {
        self.storage.serial
    }

    /// Reads a picture or another texture of bytes back: a byte a component, texels row by row.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for a format of floats.
    pub fn read_bytes(&self) -> Result<Vec<u8>> {
        let shape = self.storage.shape;
        if !shape.format.is_fixed() {
            let (what, found) = ("bytes of a texture".to_owned(), format!("{:?}", shape.format));
            return Err(Error::WrongShape { what, found, expected: "R8, Rg8 or Rgba8".into() });
        }
        let layout = self.read_layout(shape.rect());
        let mut bytes = vec![0; layout.bytes];
        self.ask_pixels(shape.rect(), &layout, glow::PixelPackData::Slice(Some(&mut bytes)))?;
        keep_components(&mut bytes, layout.read, layout.wanted);
        Ok(bytes)
    }

    /// Issues the read into memory or into the bound pixel buffer, and counts it.
    pub(super) fn ask_pixels(
        &self,
        region: Rect,
        layout: &ReadLayout,
        data: glow::PixelPackData,
    ) -> Result<()> {
        let waits = matches!(data, glow::PixelPackData::Slice(_));
        let outcome = self.get_pixels(region, layout, data);
        self.context.count(|c| c.read_backs += 1);
        outcome?;
        self.context.tell(Event::Read { texture: self, region, waits });
        Ok(())
    }

    fn get_pixels(&self, region: Rect, layout: &ReadLayout, data: glow::PixelPackData) -> Result<()> {
        self.context.alive("a read-back")?;
        let gl = self.context.gl();
        {
            let mut state = self.context.state.borrow_mut();
            state.fixed(gl);
            state.framebuffer(gl, Some(self.storage.framebuffer));
        }
        let [x, y, width, height] = [region.x0, region.y0, region.width(), region.height()].map(|v| v as i32);
        let kind = self.storage.shape.format.external().1;
        // SAFETY: the receiver has `layout.bytes` bytes; the region lies inside the texture.
        unsafe { gl.read_pixels(x, y, width, height, layout.format, kind, data) };
        self.context.check("a read-back")
    }

    /// How this driver hands the region over: ES promises RGBA alone.
    pub(super) fn read_layout(&self, region: Rect) -> ReadLayout {
        let format = self.storage.shape.format;
        let wanted = format.components();
        let read = if self.context.driver.embedded { 4 } else { wanted };
        let external = if self.context.driver.embedded { glow::RGBA } else { format.external().0 };
        let fixed = format.is_fixed();
        let value = if fixed { 1 } else { 4 };
        ReadLayout { format: external, wanted, read, fixed, bytes: region.area() * read * value }
    }

    /// That the region has texels, all of them inside.
    pub(super) fn check_region(&self, region: Rect) -> Result<()> {
        let Shape { width, height, .. } = self.storage.shape;
        if region.area() == 0 {
            let (width, height) = (region.width(), region.height());
            return Err(Error::Empty { what: format!("region {region}"), width, height });
        }
        if region.x1 > width || region.y1 > height {
            let what = "texture".to_owned();
            return Err(Error::OutsideTarget { what, range: region.to_string(), width, height });
        }
        Ok(())
    }

    fn wrong_length(&self, found: usize, expected: usize) -> Error {
        let Shape { width, height, format } = self.storage.shape;
        let shape = format!("{width}x{height} {format:?}");
        Error::WrongLength { what: "texture".into(), found, expected, shape }
    }

    /// Its size and format, as errors give them.
    pub(super) fn describe(&self) -> String {
        let Shape { width, height, format } = self.storage.shape;
        format!("texture {width}x{height} {format:?}")
    }
}

/// The layout that a read-back receives: `read` components a texel, of which the first `wanted` are ours.
pub(super) struct ReadLayout {
    format: u32,
    wanted: usize,
    read: usize,
    /// Each component is a byte.
    fixed: bool,
    pub bytes: usize,
}

impl ReadLayout {
    /// Floats that have room for the bytes.
    pub fn floats(&self) -> usize {
        self.bytes.div_ceil(4)
    }

    /// Converts the numbers of a read-back in the room of floats, and drops the components that were not wanted.
    pub fn compact(&self, values: &mut Vec<f32>) {
        if self.fixed {
            let bytes = bytemuck::cast_slice(values)[..self.bytes].to_vec();
            values.clear();
            values.extend(bytes.into_iter().map(number_of));
        }
        keep_components(values, self.read, self.wanted);
    }
}

/// Keeps the first `wanted` of each group of `stored` values.
pub(crate) fn keep_components<T: Copy>(values: &mut Vec<T>, stored: usize, wanted: usize) {
    if stored != wanted {
        let groups = values.len() / stored;
        for group in 0..groups {
            values.copy_within(group * stored..group * stored + wanted, group * wanted);
        }
        values.truncate(groups * wanted);
    }
}
