//! Gradient and Laplacian at once.

use crate::pug::{Buffer, Gpu, Program, StreamHandle};
use crate::{Error, Result};

/// ∇f = ((E − W)/2h, (S − N)/2h) and ∇²f = (E + W + N + S − 4C)/h² of an image's first component, with rows going down.
///
/// One kernel with two targets: five fetches make three numbers, where two kernels would fetch nine times.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::{Gpu, streams::Derivatives};
///
/// let gpu = Gpu::headless()?;
/// let squares = gpu.buffer(5, 1).init(&[0.0, 1.0, 4.0, 9.0, 16.0])?;
/// let (gradient, laplacian) = (gpu.buffer(5, 1).components(2).build()?, gpu.buffer(5, 1).build()?);
/// Derivatives::new(&gpu, 1.0)?.of(&squares, &gradient, &laplacian)?;
/// assert_eq!(gradient.data()?[2..4], [2.0, 0.0]); // of x² at 1, and nothing down
/// assert_eq!(laplacian.data()?[1..4], [2.0; 3]);
/// # Ok(())
/// # }
/// ```
pub struct Derivatives {
    program: Program,
    image: StreamHandle,
}

impl Derivatives {
    /// With pixels that are `h` wide and high.
    ///
    /// # Errors
    /// [`Error::BadParameter`] unless h is positive and 1/h² is a number; [`Error::OverLimit`] on a card with one target.
    pub fn new(gpu: &Gpu, h: f32) -> Result<Derivatives> {
        let factors = [0.5 / h, 1.0 / (h * h)];
        if !(h > 0.0 && factors.iter().all(|factor| factor.is_normal())) {
            let expected = "a positive number whose 1/h² is one too".to_owned();
            return Err(Error::BadParameter { name: "h", found: h.to_string(), expected });
        }
        let mut program = gpu.builtin("streams/image_derive.frag")?;
        program.bind_float("factors", factors)?;
        Ok(Derivatives { image: program.stream("image")?, program })
    }

    /// Writes both, in one pass: the edge rule is that of the image.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for a gradient of more than two components, a Laplacian of more than one, or targets of another size
    /// than the image.
    pub fn of(&mut self, image: &Buffer, gradient: &Buffer, laplacian: &Buffer) -> Result<()> {
        if gradient.rect() != image.rect() {
            let (found, expected) = (gradient.describe(), format!("the size of {}", image.describe()));
            return Err(Error::WrongShape { what: "gradient".to_owned(), found, expected });
        }
        self.program.bind_stream(self.image, image)?;
        self.program.onto(&[gradient, laplacian]).run()?;
        self.program.release_streams();
        Ok(())
    }
}
