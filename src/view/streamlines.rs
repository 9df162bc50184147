//! Streamlines of a flat flow: noise that is smeared along it.

use super::arrows::check_flow;
use crate::numeric::Random;
use crate::pug::{Buffer, Domain, Gpu, Prelude, Program};
use crate::sim::fluid::Grid;
use crate::{Error, Result, kernels};

/// Texels along the longer side at most: those of a larger picture are two or three pixels wide.
const MOST: u32 = 768;

/// Texels either way that a pass takes the mean of; after two passes a line is twice as long and its ends fade.
const STEPS: u32 = 10;

/// The deviation of two means of 2 STEPS + 1 numbers of noise is 0.05: a fifth becomes all of black or white.
const CONTRAST: f32 = 5.0;

/// Part of the largest speed below which lines fade.
const SLOW: f32 = 0.03;

/// The same of the first pass, which leaves nothing but what rests.
const NOTHING: f32 = 1e-6;

/// Makes a texture of streamlines by line integral convolution: white noise, whose mean along the flow is taken twice.
///
/// Three passes: one of 8 fetches finds the direction at each texel, and two take 10 steps both ways, of 42 fetches each.
pub(super) struct Streamlines {
    find: Program,
    smear: Program,
    kept: Option<Kept>,
    gpu: Gpu,
}

/// The textures of one size.
struct Kept {
    noise: Buffer,
    direction: Buffer,
    shades: [Buffer; 2],
}

impl Streamlines {
    /// # Errors
    /// [`Error::OverLimit`] on a card without loops; those of making a program.
    pub fn new(gpu: &Gpu) -> Result<Streamlines> {
        let limit = gpu.limits().loop_iterations;
        if limit < STEPS {
            let (what, quantity) = ("view/streamlines.frag".to_owned(), "iterations of loops");
            return Err(Error::OverLimit { what, quantity, found: STEPS.into(), limit: limit.into() });
        }
        let find = gpu.load(kernels::named("view/flow_direction.frag")?.with(Prelude::Fluid))?;
        let smear = gpu.load(kernels::named("view/streamlines.frag")?.define("STEPS", STEPS))?;
        Ok(Streamlines { find, smear, kept: None, gpu: gpu.clone() })
    }

    /// The streamlines of a picture of that size, of which the fastest flow is `most`: a number from 0 to 1 a texel, 1/2 where nothing
    /// flows. Row 0 lies in the south.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a speed that is not above 0; [`Error::WrongShape`] for a velocity that is not the grid's;
    /// [`Error::OutOfMemory`].
    pub fn draw(
        &mut self,
        grid: Grid,
        velocity: &Buffer,
        most: f32,
        (width, height): (u32, u32),
    ) -> Result<&Buffer> {
        check_flow("streamlines", grid, velocity, most)?;
        let each = width.max(height).div_ceil(MOST).max(1);
        let size = [width.div_ceil(each), height.div_ceil(each)];
        let kept = match self.kept.take() {
            Some(kept) if [kept.noise.width(), kept.noise.height()] == size => kept,
            _ => Kept::new(&self.gpu, size)?,
        };
        let kept = self.kept.insert(kept);
        let [columns, rows] = grid.cells.map(|cells| cells as f32);
        // As many u as nodes across, and as scalars up; of v the other way round.
        let ([nx, ny], [cx, cy]) = (grid.nodes(), grid.centres());
        let counts = [nx, cy, cx, ny].map(|count| count as f32);
        let periodic = grid.periodic.map(|again| f32::from(u8::from(again)));
        self.find
            .bind_stream("velocity", velocity)?
            .bind_float("first_faces", grid.first_faces())?
            .bind_float("counts", counts)?
            .bind_float("periodic", periodic)?
            .bind_float("texels", [size[0] as f32 / columns, size[1] as f32 / rows])?
            .bind_float("most", most)?
            .bind_domain("place", Domain::new(0.0, 0.0, columns, rows))?;
        self.find.run(&kept.direction)?;
        self.find.release_streams();
        let [first, second] = &kept.shades;
        for (picture, shade, contrast, slow) in
            [(&kept.noise, first, 1.0, NOTHING), (first, second, CONTRAST, SLOW)]
        {
            self.smear.bind_stream("picture", picture)?.bind_stream("direction", &kept.direction)?;
            self.smear
                .bind_float("size", size.map(|side| side as f32))?
                .bind_float("periodic", periodic)?
                .bind_float("contrast", contrast)?
                .bind_float("slow", slow)?
                .bind_domain("coords", shade.rect())?;
            self.smear.run(shade)?;
        }
        self.smear.release_streams();
        Ok(second)
    }
}

impl Kept {
    fn new(gpu: &Gpu, [width, height]: [u32; 2]) -> Result<Kept> {
        let mut random = Random(1);
        let noise: Vec<f32> = (0..width * height).map(|_| random.unit()).collect();
        let shade = || gpu.buffer(width, height).named("streamlines").build();
        Ok(Kept {
            noise: gpu.buffer(width, height).named("noise").init(&noise)?,
            direction: gpu.buffer(width, height).components(3).named("direction of the flow").build()?,
            shades: [shade()?, shade()?],
        })
    }
}
