//! Vertex buffers: the elements that a vertex kernel scatters (rows A5, C10).

use std::rc::Rc;

use glow::HasContext;

use super::observe::Event;
use super::{Context, Format, Texture};
use crate::{Error, Result};

/// Vertices of several float attributes, interleaved: uploaded, or copied out of a texture on the GPU.
pub struct VertexBuffer {
    context: Rc<Context>,
    buffer: glow::Buffer,
    vertex_array: glow::VertexArray,
    attributes: Vec<(String, usize)>,
    len: usize,
    /// Bytes that the buffer has: whole texels where it was made of a texture.
    room: u64,
}

/// The first content of a vertex buffer.
enum Start<'a> {
    Values(&'a [f32]),
    Room(u64),
}

impl Context {
    /// Uploads vertices. `attributes` names each attribute and its components, in the order of a kernel's
    /// `VERTEX` declarations; `values` holds vertex after vertex.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless the values are whole vertices, [`Error::Empty`] for none,
    /// [`Error::OutOfMemory`]; [`Error::BadParameter`] for components outside 1 to 4.
    pub(crate) fn vertex_buffer(
        self: &Rc<Self>,
        attributes: &[(&str, usize)],
        values: &[f32],
    ) -> Result<VertexBuffer> {
        let len = vertices_in(attributes, values.len())?;
        self.make_vertices(attributes, len, Start::Values(values))
    }

    /// Vertices of the first `values` numbers of a texture, texel after texel: nothing leaves the GPU.
    ///
    /// # Errors
    /// As [`Context::vertex_buffer`]; those of [`VertexBuffer::fill`].
    pub(crate) fn vertex_buffer_of(
        self: &Rc<Self>,
        attributes: &[(&str, usize)],
        source: &Texture,
        values: usize,
    ) -> Result<VertexBuffer> {
        let len = vertices_in(attributes, values)?;
        let mut made = self.make_vertices(attributes, len, Start::Room(TEXEL * texels_of(values)))?;
        made.fill(source)?;
        Ok(made)
    }

    fn make_vertices(
        self: &Rc<Self>,
        attributes: &[(&str, usize)],
        len: usize,
        start: Start,
    ) -> Result<VertexBuffer> {
        let stride: usize = attributes.iter().map(|a| a.1).sum();
        let what = || format!("vertex buffer of {} values", len * stride);
        let room = match start {
            Start::Values(values) => 4 * values.len() as u64,
            Start::Room(bytes) => bytes,
        };
        let too_large = || self.or_lost(Error::OutOfMemory { what: what(), bytes: room });
        let bytes = i32::try_from(room).map_err(|_| too_large())?;
        self.alive(&what())?;
        let gl = self.gl();
        let refused = |message| self.or_lost(Error::Driver { what: what(), message });
        let mut state = self.state.borrow_mut();
        // SAFETY: the values are uploaded whole; strides and offsets lie within a vertex.
        let (buffer, vertex_array) = unsafe {
            let buffer = gl.create_buffer().map_err(refused)?;
            let vertex_array = gl.create_vertex_array().map_err(refused)?;
            state.vertex_array(gl, Some(vertex_array));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            match start {
                Start::Values(values) => {
                    let values = bytemuck::cast_slice(values);
                    gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, values, glow::STATIC_DRAW);
                }
                Start::Room(_) => gl.buffer_data_size(glow::ARRAY_BUFFER, bytes, glow::DYNAMIC_COPY),
            }
            let mut offset = 0;
            for (location, (_, components)) in attributes.iter().enumerate() {
                let (location, size, bytes) = (location as u32, *components as i32, stride as i32 * 4);
                gl.enable_vertex_attrib_array(location);
                gl.vertex_attrib_pointer_f32(location, size, glow::FLOAT, false, bytes, offset);
                offset += size * 4;
            }
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
            (buffer, vertex_array)
        };
        drop(state);
        self.count(|c| {
            c.live += 1;
            c.uploads += u64::from(matches!(start, Start::Values(_)));
        });
        if let Start::Values(values) = start {
            self.tell(Event::UploadedVertices { values: values.len() });
        }
        let attributes = attributes.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        let made = VertexBuffer { context: self.clone(), buffer, vertex_array, attributes, len, room };
        match self.take_error() {
            None => Ok(made),
            Some(_) => Err(too_large()),
        }
    }
}

/// Bytes of four floats.
const TEXEL: u64 = 16;

/// The number of texels of four numbers that hold that many.
fn texels_of(values: usize) -> u64 {
    values.div_ceil(4) as u64
}

/// The number of vertices of these attributes in that many values.
fn vertices_in(attributes: &[(&str, usize)], values: usize) -> Result<usize> {
    let what = || format!("vertex buffer of {values} values");
    if attributes.is_empty() || attributes.iter().any(|a| !(1..=4).contains(&a.1)) {
        let (found, expected) = (format!("{attributes:?}"), "1 to 4 components each".to_owned());
        return Err(Error::BadParameter { name: "attributes", found, expected });
    }
    let stride: usize = attributes.iter().map(|a| a.1).sum();
    let len = values / stride;
    if values == 0 {
        return Err(Error::Empty { what: what(), width: 0, height: 1 });
    }
    if len * stride != values {
        let shape = format!("{stride} values a vertex");
        return Err(Error::WrongLength { what: what(), found: values, expected: (len + 1) * stride, shape });
    }
    Ok(len)
}

impl VertexBuffer {
    /// Vertices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a vertex buffer holds at least one vertex.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Values of all vertices.
    pub(crate) fn values(&self) -> usize {
        self.len * self.attributes.iter().map(|(_, components)| components).sum::<usize>()
    }

    /// Fills the buffer with the first numbers of a texture, texel after texel: the copy to a vertex array of that
    /// time, a read into a pixel buffer that is then drawn from. It takes a second read if the last row is read in
    /// part. Nothing leaves the GPU, and nothing waits.
    ///
    /// # Errors
    /// [`Error::OtherContext`]; [`Error::WrongShape`] unless the texture has four 32-bit floats a texel and as many as the
    /// vertices need, and the buffer has room for whole texels.
    pub fn fill(&mut self, source: &Texture) -> Result<()> {
        let context = &self.context;
        if !Rc::ptr_eq(context, &source.context) {
            return Err(Error::OtherContext { what: "source of a vertex buffer".to_owned() });
        }
        let (shape, texels) = (source.shape(), texels_of(self.values()));
        let bytes = TEXEL * texels;
        if shape.format != Format::Rgba32F || shape.bytes() < bytes || self.room < bytes {
            let what = format!("vertex buffer of {} values", self.values());
            let expected = format!("Rgba32F, {texels} texels or more, for vertices of whole texels");
            return Err(Error::WrongShape { what, found: source.describe(), expected });
        }
        context.alive("to fill a vertex buffer")?;
        let gl = context.gl();
        {
            let mut state = context.state.borrow_mut();
            state.fixed(gl);
            state.framebuffer(gl, Some(source.storage.framebuffer));
        }
        // Both are less than 2³¹: the bytes of the buffer are.
        let (rows, rest) =
            ((texels / u64::from(shape.width)) as i32, (texels % u64::from(shape.width)) as i32);
        let width = shape.width as i32;
        let parts =
            [(0, width, rows), (rows, rest, 1)].into_iter().filter(|(_, width, height)| width * height > 0);
        // SAFETY: the buffer has room for these texels, which the framebuffer has; it is unbound again before anything else
        // reads. No dialect minds that it is filled as one kind of buffer and drawn from as another: WebGL 2 keeps only those
        // of indices apart.
        unsafe {
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(self.buffer));
            for (row, width, height) in parts {
                let data = glow::PixelPackData::BufferOffset(TEXEL as u32 * shape.width * row as u32);
                gl.read_pixels(0, row, width, height, glow::RGBA, glow::FLOAT, data);
            }
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        }
        context.check("to fill a vertex buffer")?;
        context.tell(Event::Filled { from: source, values: self.values() });
        Ok(())
    }

    /// Names and components of the attributes.
    pub fn attributes(&self) -> &[(String, usize)] {
        &self.attributes
    }

    pub(crate) fn context(&self) -> &Rc<Context> {
        &self.context
    }

    pub(super) fn vertex_array(&self) -> glow::VertexArray {
        self.vertex_array
    }
}

impl Drop for VertexBuffer {
    fn drop(&mut self) {
        if !self.context.is_lost() {
            let gl = self.context.gl();
            self.context.state.borrow_mut().forget_vertex_array(self.vertex_array);
            // SAFETY: made by `make_vertices`, held by nobody else.
            unsafe {
                gl.delete_vertex_array(self.vertex_array);
                gl.delete_buffer(self.buffer);
            }
        }
        self.context.count(|c| c.live -= 1);
    }
}
