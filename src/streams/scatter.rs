//! Histograms by scatter: a point for each pixel.

use crate::pug::{Buffer, ConstantHandle, Gpu, Program};
use crate::{Error, Result, kernels};

/// Counting by points: the vertex program fetches the bin of its pixel and goes there, and blending adds 1.
pub struct Scatter {
    program: Program,
    row: ConstantHandle,
}

impl Scatter {
    /// The points of the pixels whose bins are in `found`, four a texel.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the driver cannot blend 32-bit floats or fetch in vertex programs.
    pub fn new(gpu: &Gpu, found: &Buffer) -> Result<Scatter> {
        supported(gpu, gpu.limits().float_blend, "EXT_float_blend")?;
        supported(gpu, gpu.limits().vertex_streams > 0, "vertex texture fetch")?;
        let vertex = kernels::named("streams/bins_scatter.vert")?;
        let mut program = gpu.load_scatter(vertex, kernels::named("streams/bins_scatter.frag")?)?;
        program.bind_stream("found", found)?;
        Ok(Scatter { row: program.constant("row")?, program })
    }

    /// Adds the first `texels` texels to a row of `counts`.
    pub fn count(&mut self, texels: u32, counts: &Buffer, row: u32) -> Result<()> {
        self.program.bind_float(self.row, row as f32)?;
        self.program.onto(&[counts]).adding().counted_points(4 * texels).run()
    }
}

fn supported(gpu: &Gpu, there: bool, needs: &'static str) -> Result<()> {
    if there {
        return Ok(());
    }
    let renderer = gpu.context().limits_name().to_owned();
    Err(Error::Unsupported { what: "a histogram by points".to_owned(), needs, renderer })
}
