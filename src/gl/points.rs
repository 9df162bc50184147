//! Vertex buffers: the elements that a vertex kernel scatters (rows A5, C10).

use std::rc::Rc;

use glow::HasContext;

use super::Context;
use crate::{Error, Result};

/// Vertices of several float attributes, interleaved, uploaded once.
pub struct VertexBuffer {
    context: Rc<Context>,
    buffer: glow::Buffer,
    vertex_array: glow::VertexArray,
    attributes: Vec<(String, usize)>,
    len: usize,
}

impl Context {
    /// Uploads vertices. `attributes` names each attribute and its components, in the order of a kernel's
    /// `VERTEX` declarations; `values` holds vertex after vertex.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless the values are whole vertices, [`Error::Empty`] for none,
    /// [`Error::OutOfMemory`]; [`Error::BadParameter`] for components outside 1 to 4.
    pub fn vertex_buffer(
        self: &Rc<Self>,
        attributes: &[(&str, usize)],
        values: &[f32],
    ) -> Result<VertexBuffer> {
        let what = || format!("vertex buffer of {} values", values.len());
        if attributes.is_empty() || attributes.iter().any(|a| !(1..=4).contains(&a.1)) {
            let found = format!("{attributes:?}");
            return Err(Error::BadParameter {
                name: "attributes",
                found,
                expected: "1 to 4 components each".into(),
            });
        }
        let stride: usize = attributes.iter().map(|a| a.1).sum();
        let len = values.len() / stride;
        if len == 0 && values.is_empty() {
            return Err(Error::Empty { what: what(), width: 0, height: 1 });
        }
        if len * stride != values.len() {
            let (found, shape) = (values.len(), format!("{stride} values a vertex"));
            return Err(Error::WrongLength { what: what(), found, expected: (len + 1) * stride, shape });
        }
        let gl = self.gl();
        let refused = |message| Error::Driver { what: what(), message };
        let mut state = self.state.borrow_mut();
        // SAFETY: the values are uploaded whole; strides and offsets lie within a vertex.
        let (buffer, vertex_array) = unsafe {
            let buffer = gl.create_buffer().map_err(refused)?;
            let vertex_array = gl.create_vertex_array().map_err(refused)?;
            state.vertex_array(gl, Some(vertex_array));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytemuck::cast_slice(values), glow::STATIC_DRAW);
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
            c.uploads += 1;
        });
        let attributes = attributes.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        let made = VertexBuffer { context: self.clone(), buffer, vertex_array, attributes, len };
        match self.take_error() {
            None => Ok(made),
            Some(_) => Err(Error::OutOfMemory { what: what(), bytes: values.len() as u64 * 4 }),
        }
    }
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
        let gl = self.context.gl();
        self.context.state.borrow_mut().forget_vertex_array(self.vertex_array);
        // SAFETY: made by `vertex_buffer`, held by nobody else.
        unsafe {
            gl.delete_vertex_array(self.vertex_array);
            gl.delete_buffer(self.buffer);
        }
        self.context.count(|c| c.live -= 1);
    }
}
