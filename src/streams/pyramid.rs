//! Image pyramids: domains twice as large as their range on the way down, half as large on the way up.

use crate::pug::{Buffer, ConstantHandle, Domain, Gpu, Program, StreamHandle};
use crate::{Result, kernels};

/// An image pyramid: smaller images of max(1, ⌊side/2⌋) pixels a side, down to a single pixel, and the details that
/// each loses.
///
/// Every level has the mean of the image. On an even side a pixel is the mean of two; on an odd side 2n + 1 it is the
/// weighted mean of three, (n − i, n, i + 1)/(2n + 1), so that no pixel is left out and all count alike. That takes
/// four, six or nine fetches for a pixel, by the sides' parity, and a third more pixels in all.
///
/// The details of a level are its difference from the next level stretched to its size (a Laplacian pyramid). Adding
/// them back from the smallest level up gives the image again, within 11·2⁻²⁴·max|image| a level.
///
/// # Shapes
/// Level 0 has the size of the image; levels lie one after the other in [`Pyramid::level`], details beside them.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::{Gpu, streams::Pyramid};
///
/// let gpu = Gpu::headless()?;
/// let image = gpu.buffer(4, 2).init(&[1.0, 3.0, 5.0, 7.0, 1.0, 3.0, 5.0, 7.0])?;
/// let mut pyramid = Pyramid::new(&gpu, 4, 2, 1)?;
/// pyramid.build(&image)?;
/// assert_eq!(pyramid.level(1).data()?, [2.0, 6.0]);
/// assert_eq!(pyramid.level(2).data()?, [4.0]);
/// pyramid.split()?;
/// pyramid.reconstruct(&image)?;
/// assert_eq!(image.data()?, [1.0, 3.0, 5.0, 7.0, 1.0, 3.0, 5.0, 7.0]);
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Burt & Adelson, *The Laplacian Pyramid as a Compact Image Code*, 1983; Harris, *Mapping Computational Concepts to GPUs*,
/// §31.3.5 (domains larger and smaller than the range).
pub struct Pyramid {
    levels: Vec<Buffer>,
    details: Vec<Buffer>,
    /// Two and three pixels across, and each of them two and three down.
    halve: [[Halve; 2]; 2],
    stretch: Expand,
    subtract: Expand,
    add: Expand,
}

/// The kernel of the way down, for sides of one parity each.
struct Halve {
    program: Program,
    fine: StreamHandle,
    /// 1 / each side of the finer level, where a side is odd.
    least: Option<ConstantHandle>,
}

/// The kernel of the way up, which may combine what it stretches with an image.
struct Expand {
    program: Program,
    coarse: StreamHandle,
    image: Option<StreamHandle>,
}

impl Pyramid {
    /// A pyramid for images of that size and that many components.
    ///
    /// # Errors
    /// Those of making a buffer.
    pub fn new(gpu: &Gpu, width: u32, height: u32, components: usize) -> Result<Pyramid> {
        let level = |(width, height): (u32, u32)| gpu.buffer(width, height).components(components).build();
        let mut sizes = vec![(width, height)];
        while let Some(&(width, height)) = sizes.last().filter(|size| size.0.max(size.1) > 1) {
            sizes.push(((width / 2).max(1), (height / 2).max(1)));
        }
        let levels = sizes.iter().map(|size| level(*size)).collect::<Result<Vec<Buffer>>>()?;
        let details =
            sizes[..sizes.len() - 1].iter().map(|size| level(*size)).collect::<Result<Vec<Buffer>>>()?;
        let halve = |x: u32, y: u32| Halve::new(gpu, x, y);
        Ok(Pyramid {
            levels,
            details,
            halve: [[halve(2, 2)?, halve(2, 3)?], [halve(3, 2)?, halve(3, 3)?]],
            stretch: Expand::new(gpu, 0)?,
            subtract: Expand::new(gpu, 1)?,
            add: Expand::new(gpu, 2)?,
        })
    }

    /// Copies the image into level 0 and makes the others: one pass each.
    ///
    /// # Errors
    /// [`Error::WrongShape`](crate::Error::WrongShape) for an image of another size, other components or another precision than 32-bit.
    pub fn build(&mut self, image: &Buffer) -> Result<()> {
        let _scope = image.context().scope("pyramid");
        self.levels[0].copy_from(image)?;
        for k in 1..self.levels.len() {
            let (fine, coarse) = (&self.levels[k - 1], &self.levels[k]);
            let odd = |side: u32| usize::from(side > 1 && side % 2 == 1);
            self.halve[odd(fine.width())][odd(fine.height())].run(fine, coarse)?;
        }
        Ok(())
    }

    /// Makes the details of each level but the smallest: its difference from the next one, stretched. One pass each.
    ///
    /// # Errors
    /// Those of the passes: [`OutOfMemory`](crate::Error::OutOfMemory), [`Driver`](crate::Error::Driver).
    pub fn split(&mut self) -> Result<()> {
        for (k, details) in self.details.iter().enumerate() {
            self.subtract.run(&self.levels[k + 1], Some(&self.levels[k]), details)?;
        }
        Ok(())
    }

    /// Makes every level but the smallest again from the next one and its details, and writes the first to `image`.
    ///
    /// If the details were changed in between, the image changes: for example, all details of a level times 2 sharpen
    /// it.
    ///
    /// # Errors
    /// As [`Pyramid::build`].
    pub fn reconstruct(&mut self, image: &Buffer) -> Result<()> {
        let _scope = image.context().scope("reconstruct");
        for (k, details) in self.details.iter().enumerate().rev() {
            self.add.run(&self.levels[k + 1], Some(details), &self.levels[k])?;
        }
        image.copy_from(&self.levels[0])
    }

    /// Stretches level k to the size of `target`, linearly between the centres of its pixels: four fetches a pixel.
    ///
    /// # Errors
    /// [`Error::WrongShape`](crate::Error::WrongShape) for a target of more than four components.
    pub fn stretch(&mut self, k: usize, target: &Buffer) -> Result<()> {
        self.stretch.run(&self.levels[k.min(self.levels.len() - 1)], None, target)
    }

    /// Levels, the image and the single pixel among them.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Never: there is the image.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Level k: 0 is the image; past the last there are only single pixels.
    pub fn level(&self, k: usize) -> &Buffer {
        &self.levels[k.min(self.levels.len() - 1)]
    }

    /// The details of level k: the part of it that the next level lacks; the smallest level has none.
    pub fn details(&self, k: usize) -> Option<&Buffer> {
        self.details.get(k)
    }
}

impl Halve {
    fn new(gpu: &Gpu, x: u32, y: u32) -> Result<Halve> {
        let kernel = kernels::named("streams/image_halve.frag")?.define("TAPS_X", x).define("TAPS_Y", y);
        let program = gpu.load(kernel)?;
        let least = if x == 3 || y == 3 { Some(program.constant("least")?) } else { None };
        Ok(Halve { fine: program.stream("fine")?, least, program })
    }

    fn run(&mut self, fine: &Buffer, coarse: &Buffer) -> Result<()> {
        self.program.bind_stream(self.fine, fine)?;
        if let Some(least) = self.least {
            self.program.bind_float(least, [1.0 / fine.width() as f32, 1.0 / fine.height() as f32])?;
        }
        // Texel i reads around 2 i + 3/2, the centre of the second texel of its two or three.
        let (right, lower) = (2.0 * coarse.width() as f32 + 0.5, 2.0 * coarse.height() as f32 + 0.5);
        self.program.bind_domain("second", Domain::new(0.5, 0.5, right, lower))?;
        self.program.run(coarse)?;
        self.program.release_streams();
        Ok(())
    }
}

impl Expand {
    /// Alone (0), or taken away from an image (1) or added to it (2).
    fn new(gpu: &Gpu, combine: u32) -> Result<Expand> {
        let program = gpu.load(kernels::named("streams/image_double.frag")?.define("COMBINE", combine))?;
        let image = if combine > 0 { Some(program.stream("image")?) } else { None };
        Ok(Expand { coarse: program.stream("coarse")?, image, program })
    }

    fn run(&mut self, coarse: &Buffer, image: Option<&Buffer>, target: &Buffer) -> Result<()> {
        self.program.bind_stream(self.coarse, coarse)?.bind_domain("from", coarse.rect())?;
        if let (Some(stream), Some(image)) = (self.image, image) {
            self.program.bind_stream(stream, image)?;
        }
        self.program.run(target)?;
        self.program.release_streams();
        Ok(())
    }
}
