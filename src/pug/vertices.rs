//! Vertices of points: uploaded, or out of a buffer.

#[cfg(doc)]
use super::Run;
use super::{Buffer, Gpu};
use crate::gl::{Format, VertexBuffer};
use crate::{Error, Result};

impl Gpu {
    /// Uploads vertices for [`Run::points`]: names and components of the attributes, then vertex by vertex.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength), [`Empty`](crate::Error::Empty),
    /// [`OutOfMemory`](crate::Error::OutOfMemory).
    pub fn vertices(&self, attributes: &[(&str, usize)], values: &[f32]) -> Result<VertexBuffer> {
        self.context.vertex_buffer(attributes, values)
    }

    /// Makes vertices from a buffer of four 32-bit components an element, element after element. So points can be drawn
    /// from values that passes computed, and nothing leaves the GPU. [`Buffer::copy_to_vertices`] fills the vertices
    /// again.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength) unless the values are whole vertices,
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext),
    /// [`OutOfMemory`](crate::Error::OutOfMemory).
    pub fn vertices_of(&self, attributes: &[(&str, usize)], source: &Buffer) -> Result<VertexBuffer> {
        source.check_vertices(source.values())?;
        self.context.vertex_buffer_of(attributes, source.texture(), source.values())
    }
}

impl Buffer {
    /// Fills vertices with this buffer's values, element after element; see [`Gpu::vertices_of`].
    ///
    /// # Errors
    /// [`Error::WrongShape`] unless it has four 32-bit components an element, and as many values as the vertices;
    /// [`Error::OtherContext`].
    pub fn copy_to_vertices(&self, vertices: &mut VertexBuffer) -> Result<()> {
        self.check_vertices(vertices.values())?;
        vertices.fill(self.texture())
    }

    /// Checks that it holds that many values, four to a texel.
    fn check_vertices(&self, values: usize) -> Result<()> {
        if self.components() == 4
            && self.texture().shape().format == Format::Rgba32F
            && self.values() == values
        {
            return Ok(());
        }
        let (what, found) = ("vertices out of a buffer".to_owned(), self.describe());
        let expected = format!("{values} values, four 32-bit components an element");
        Err(Error::WrongShape { what, found: format!("{found} {:?}", self.precision()), expected })
    }
}
