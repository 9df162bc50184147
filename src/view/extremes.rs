//! The least and the largest number of a picture, without waiting for them.

use crate::pug::{Buffer, Gpu, Operator, Pending, Program, Reduction};
use crate::{Result, kernels};

/// The number of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Magnitude {
    /// The sum of its components with these weights.
    Weighed([f32; 4]),
    /// The length of its first two components.
    Length,
}

/// Finds the least and the largest number of buffers. What is not finite does not count.
///
/// A pass over the buffer and the passes of a reduction, once in eight looks at most; the answer is taken in when it has arrived,
/// so nobody waits for it.
pub struct Extremes {
    first: Option<(bool, Program)>,
    largest: Reduction,
    both: Option<Buffer>,
    asked: Option<Pending>,
    found: Option<[f32; 2]>,
    /// Looks since the last question.
    looks: u32,
    gpu: Gpu,
}

/// Looks from one question to the next.
const PAUSE: u32 = 8;

impl Extremes {
    /// Nothing is known yet.
    pub fn new(gpu: &Gpu) -> Extremes {
        let largest = gpu.reduction(Operator::max());
        Extremes {
            first: None,
            largest,
            both: None,
            asked: None,
            found: None,
            looks: PAUSE,
            gpu: gpu.clone(),
        }
    }

    /// The least and the largest number as they were at the last question that has been answered, or `None` before the first and
    /// where no number is finite.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Driver`](crate::Error::Driver) after a lost device.
    pub fn look(&mut self, buffer: &Buffer, magnitude: Magnitude) -> Result<Option<[f32; 2]>> {
        if let Some(asked) = self.asked.take() {
            match asked.poll()? {
                Ok(values) => self.take(&values),
                Err(asked) => self.asked = Some(asked),
            }
        }
        self.looks = self.looks.saturating_add(1);
        if self.asked.is_none() && self.looks > PAUSE {
            (self.asked, self.looks) = (Some(self.ask(buffer, magnitude)?), 0);
        }
        Ok(self.found)
    }

    /// The same, waited for: for a picture that is written to a file.
    ///
    /// # Errors
    /// As [`Extremes::look`].
    pub fn now(&mut self, buffer: &Buffer, magnitude: Magnitude) -> Result<Option<[f32; 2]>> {
        self.asked = None;
        let values = self.ask(buffer, magnitude)?.wait()?;
        self.take(&values);
        Ok(self.found)
    }

    /// Forgets what was found: something else is shown.
    pub fn forget(&mut self) {
        (self.asked, self.found, self.looks) = (None, None, PAUSE);
    }

    fn take(&mut self, values: &[f32]) {
        if let &[largest, negative] = values {
            self.found = Some([-negative, largest]).filter(|[low, high]| low <= high);
        }
    }

    fn ask(&mut self, buffer: &Buffer, magnitude: Magnitude) -> Result<Pending> {
        let size = (buffer.width(), buffer.height());
        let both = match self.both.take().filter(|both| (both.width(), both.height()) == size) {
            Some(both) => both,
            None => self.gpu.buffer(size.0, size.1).components(2).named("numbers and less").build()?,
        };
        let length = magnitude == Magnitude::Length;
        let program = super::variant(&mut self.first, length, || {
            self.gpu.load(kernels::named("view/extremes.frag")?.define("LENGTH", u32::from(length)))
        })?;
        program.bind_stream("field", buffer)?.bind_domain("coords", buffer.rect())?;
        if let Magnitude::Weighed(channels) = magnitude {
            program.bind_float("channels", channels)?;
        }
        program.run(&both)?;
        program.release_streams();
        let asked = self.largest.both(&both)?.data_async();
        self.both = Some(both);
        asked
    }
}
