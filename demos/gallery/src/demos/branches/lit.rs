//! The results as they are seen: numbers and light beside them.

use anyhow::Result;
use quadrille::sim::branches::{Parameters, Part};
use quadrille::{Buffer, Gpu, Program, kernels};

/// Slopes of waves are as steep as this, were the field one texel wide.
const STEEPNESS: f32 = 0.012;

/// Numbers and their light, made anew where the results are others.
pub struct Lit {
    gpu: Gpu,
    shown: Buffer,
    /// The pass, and what it was made for.
    pass: Option<(Parameters, Program)>,
    stale: bool,
}

impl Lit {
    pub fn new(gpu: &Gpu, [width, height]: [u32; 2]) -> Result<Lit> {
        let shown = gpu.buffer(width, height).components(4).named("results in light").build()?;
        Ok(Lit { gpu: gpu.clone(), shown, pass: None, stale: true })
    }

    /// Other results are to be seen.
    pub fn renew(&mut self) {
        self.stale = true;
    }

    pub fn shown(&self) -> &Buffer {
        &self.shown
    }

    /// One pass, if there are other results: waves and tiles between them, or counts of orbits with their fractions, which take those
    /// trips again that the counts tell of.
    pub fn look(
        &mut self,
        results: &Buffer,
        values: &Buffer,
        parameters: Parameters,
        part: Part,
    ) -> Result<()> {
        if !std::mem::take(&mut self.stale) {
            return Ok(());
        }
        let (width, height) = (values.width(), values.height());
        let is_loop = parameters.way.is_loop();
        let mut program = match self.pass.take() {
            Some((known, program)) if known == parameters => program,
            _ if is_loop => {
                self.gpu.load(kernels::named("view/orbits_light.frag")?.define("TRIPS", parameters.trips))?
            }
            _ => self.gpu.builtin("view/squares_light.frag")?,
        };
        if is_loop {
            let (origin, pitch) = part.plane(width, height);
            program
                .bind_stream("counts", results)?
                .bind_float("origin", origin)?
                .bind_float("pitch", pitch)?;
        } else {
            let steepness = STEEPNESS * width.max(height) as f32;
            program
                .bind_stream("results", results)?
                .bind_stream("values", values)?
                .bind_float("squares", 1.0 / parameters.square as f32)?
                .bind_float("steepness", steepness)?;
        }
        program.run(&self.shown)?;
        program.release_streams();
        self.pass = Some((parameters, program));
        Ok(())
    }
}
