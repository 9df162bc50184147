//! Counters that stop where the whole numbers of their format end.

use super::FORMATS;
use super::panels::Places;
use crate::gl::Rect;
use crate::pug::{Buffer, ConstantHandle, Domain, DoubleBuffer, Gpu, Precision, Program, StreamHandle};
use crate::{Error, Result};

/// The powers of two that counters are started at, all but [`Counter::BELOW`].
const POWERS: std::ops::RangeInclusive<u32> = 3..=26;

/// A row of counters in each format; every step adds 1 to all of them.
///
/// The first begins at 0, and gets to the end of 16-bit numbers in 2048 steps; to 16 777 216 it would take hours. So the
/// others begin 8 below 2³, 2⁴, … 2²⁶: after 8 steps each stands at a power of two, and on the 9th it goes on or does not.
/// With m bits of mantissa 2^(m+1) + 1 lies halfway between its neighbours: rounded to nearest (a tie goes to the even one)
/// and chopped alike, it becomes 2^(m+1) again, for ever. Beginnings past that are stored as the format can, and stand there at once.
///
/// In the picture each column is a counter, each band a step, going down and then over again from the top; its value
/// is counted minus true, which is 0 as long as a counter counts, and no further from it than 2²⁴.
pub struct Counter {
    counts: Vec<DoubleBuffer>,
    steps: u64,
    step: Program,
    miss: Program,
    streams: [StreamHandle; 2],
    made: ConstantHandle,
    picture: Buffer,
    places: Places,
}

/// How far the counters of a format are.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// Where each stands, in the order of [`Counter::starts`].
    pub counted: Vec<f32>,
    /// How many of those that the format could begin right have counted every step.
    pub right: usize,
    /// The number at which the lowest one stands that has begun right and stopped.
    pub stopped: Option<f32>,
}

impl Counter {
    /// How far below its power of two a counter begins.
    pub const BELOW: u32 = 8;

    /// The farthest from true that is drawn: 2²⁴, which an infinite count is too, and the lines between panels.
    const MOST: f32 = 16_777_216.0;

    /// Steps that the picture has room for.
    pub const BANDS: u32 = 32;

    /// Where the counters begin: 0, then 2^k − 8 for k = 3 to 26 (the first of them is 0 once more). All are 32-bit numbers.
    pub fn starts() -> Vec<f32> {
        std::iter::once(0).chain(POWERS.map(|k| (1 << k) - Counter::BELOW)).map(|n: u32| n as f32).collect()
    }

    /// Counters whose picture has panels of width × height texels.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for panels narrower than there are counters, or lower than [`Counter::BANDS`];
    /// [`Error::OverLimit`] where the picture of all four is too large.
    pub fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Counter> {
        let starts = Counter::starts();
        let columns = starts.len() as u32;
        if width < columns || height < Counter::BANDS {
            let (found, expected) =
                (format!("{width}x{height}"), format!("at least {columns}x{}", Counter::BANDS));
            return Err(Error::BadParameter { name: "size of a panel of counters", found, expected });
        }
        let places = Places::new(gpu, width, height)?;
        let count = |precision| gpu.buffer(columns, 1).precision(precision).named("count").double().build();
        let mut miss = gpu.builtin("sim/counter_miss.frag")?;
        miss.bind_domain("column", Domain::new(0.0, 0.0, columns as f32, 1.0))?;
        let step = gpu.builtin("sim/counter_step.frag")?;
        miss.bind_stream("start", &gpu.buffer(columns, 1).named("start").init(&starts)?)?;
        let (streams, made) = ([step.stream("count")?, miss.stream("count")?], miss.constant("steps")?);
        let counts = FORMATS.into_iter().map(count).collect::<Result<Vec<_>>>()?;
        let picture = places.buffer(gpu, 1).build()?;
        let mut counter = Counter { counts, steps: 0, step, miss, streams, made, picture, places };
        counter.reset()?;
        Ok(counter)
    }

    /// All counters back to where they begin.
    pub fn reset(&mut self) -> Result<()> {
        let starts = Counter::starts();
        self.steps = 0;
        self.counts.iter().try_for_each(|count| count.write(&starts))?;
        self.picture.write(&self.places.framed(&[Counter::MOST]))
    }

    /// Goes on after so many steps from where counters stood: those of [`Counter::look`] and of [`Counter::picture`].
    ///
    /// # Errors
    /// [`Error::WrongLength`] for another number of formats, counters or texels, with nothing changed.
    pub fn resume(&mut self, steps: u64, counted: &[Vec<f32>], picture: &[f32]) -> Result<()> {
        let columns = Counter::starts().len();
        let lengths = counted.iter().map(|counted| (counted.len(), columns));
        let others = [(counted.len(), self.counts.len()), (picture.len(), self.picture.len())];
        if let Some((found, expected)) = lengths.chain(others).find(|(found, expected)| found != expected) {
            let (what, shape) = ("state of counters".to_owned(), "formats, counters, texels".to_owned());
            return Err(Error::WrongLength { what, found, expected, shape });
        }
        self.counts.iter().zip(counted).try_for_each(|(count, counted)| count.write(counted))?;
        self.steps = steps;
        self.picture.write(picture)
    }

    /// Adds 1 to all counters, and draws a band of the picture: two passes a format.
    pub fn step(&mut self) -> Result<()> {
        let [count, counted] = self.streams;
        self.steps += 1;
        self.miss.bind_float(self.made, self.steps as f32)?;
        for format in 0..self.counts.len() {
            let band = self.band(format);
            let buffer = &mut self.counts[format];
            self.step.bind_stream(count, buffer.front())?.run(buffer.back())?;
            buffer.swap();
            self.miss.bind_stream(counted, buffer.front())?.run_over(&self.picture, band)?;
        }
        Ok(())
    }

    /// The texels of the newest step in a format's panel.
    fn band(&self, format: usize) -> Rect {
        let place = self.places.of(format);
        let band = ((self.steps - 1) % u64::from(Counter::BANDS)) as u32;
        let row = |band: u32| place.y0 + band * place.height() / Counter::BANDS;
        Rect::new(place.x0, row(band), place.x1, row(band + 1))
    }

    /// Reads the counters of all formats back, in the order of [`FORMATS`].
    pub fn look(&self) -> Result<Vec<Count>> {
        self.counts.iter().zip(FORMATS).map(|(count, format)| Ok(self.judge(count.data()?, format))).collect()
    }

    fn judge(&self, counted: Vec<f32>, format: Precision) -> Count {
        let truth = |start: f32| f64::from(start) + self.steps as f64;
        let most = format.whole_numbers() as f32;
        let starts = Counter::starts();
        // Past the whole numbers a counter that stands still may be right once, as a stopped clock is.
        let began_right = counted.iter().zip(&starts).filter(|pair| *pair.1 <= most);
        let (right, wrong): (Vec<_>, Vec<_>) =
            began_right.partition(|&(&counted, &start)| f64::from(counted) == truth(start));
        let (right, stopped) = (right.len(), wrong.first().map(|pair| *pair.0));
        Count { counted, right, stopped }
    }

    /// Counted minus true, of all formats: two panels beside two in the order of [`FORMATS`].
    pub fn picture(&self) -> &Buffer {
        &self.picture
    }

    /// Where a format's panel lies in the picture.
    pub fn place(&self, format: usize) -> Rect {
        self.places.of(format)
    }

    /// Steps since the beginning.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}
