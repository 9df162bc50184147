//! Dye that fades.

use crate::Result;
use crate::pug::{Buffer, ConstantHandle, Gpu, Program, StreamHandle};

/// Fades a field: a pass of a fetch and a texel written each.
pub(super) struct Fade {
    program: Program,
    field: StreamHandle,
    remaining: ConstantHandle,
}

impl Fade {
    pub fn new(gpu: &Gpu) -> Result<Fade> {
        let program = gpu.builtin("sim/fluid_fade.frag")?;
        Ok(Fade { field: program.stream("field")?, remaining: program.constant("remaining")?, program })
    }

    /// `out` = remaining · field.
    pub fn run(&mut self, field: &Buffer, remaining: f32, out: &Buffer) -> Result<()> {
        self.program.bind_stream(self.field, field)?.bind_float(self.remaining, remaining)?;
        self.program.run(out)
    }
}
