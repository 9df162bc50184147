//! The histogram of an image, and the image as it is equalised by it.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use quadrille::Gpu;
use quadrille::pug::DoubleBuffer;
use quadrille::reference::Random;
use quadrille::reference::streams::{equalised, histogram};
use quadrille::sim::Disc;
use quadrille::streams::{Bins, By, Counts, Equalise, Histogram};
use quadrille::view::{Bars, Mapping};
use serde_json::{Value, json};

use super::shown::{Field, Shown, Touch};
use super::state::{Kept, Parts, check_size, load_state, worst};
use super::{Chosen, Measure, Simulation, short};
use crate::cli::{ByName, HistogramArguments, Look, Size};
use crate::files::npz::Named;
use crate::files::{Array, Written, atomic, check_extension, distinct, grey};

pub const NAME: &str = "histogram";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[("by", ""), ("bins", ""), ("rate", "")];

/// The image.
const PARTS: Parts = Parts::Cells(&[("brightness", 1)]);

/// How far a step goes towards equal bins.
const RATE: f32 = 0.02;

/// # Errors
/// Two outputs of one name, and a file for the counts that cannot be written.
pub fn chosen(own: HistogramArguments) -> Result<Chosen> {
    if let Some(path) = &own.counts {
        let counts = Written { flag: "--counts", path, numbered: false };
        distinct(&[own.demo.outputs(), vec![counts]].concat())?;
        check_extension(path, "csv", "comma-separated values")?;
        atomic::check(path)?;
    }
    let arguments = own.demo.clone();
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    Ok(Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) })
}

fn start(gpu: &Gpu, arguments: &HistogramArguments) -> Result<Box<dyn Simulation>> {
    let seed = arguments.demo.seed();
    let given = match &arguments.image {
        Some(path) => Some((grey(gpu, path)?, None)),
        None => load_state(&arguments.demo, arguments.size, NAME, ["brightness"])?
            .map(|loaded| (loaded, Some(seed))),
    };
    let asked = given.as_ref().map(|((size, _), _)| *size).or(arguments.size);
    let size = asked.unwrap_or(Size { width: 512, height: 512 });
    check_size(gpu, "an image", size)?;
    let Size { width, height } = size;
    let by = match arguments.by {
        None | Some(ByName::Gather) => By::Gather,
        Some(ByName::Points) => By::Points,
    };
    let bins = Bins { count: arguments.bins.unwrap_or(256), low: 0.0, high: 1.0 };
    let image = gpu.buffer(width, height).named("image").double().build()?;
    let equalise = Equalise::new(gpu, width, height, bins, by)?;
    let bars = Bars::new(gpu, equalise.histogram())?;
    let disc = Disc::new(gpu)?;
    let given = given.map(|((_, pixels), seed)| Given { pixels, seed });
    let (rate, counts) = (arguments.rate.unwrap_or(RATE), arguments.counts.clone());
    let mut demo = Equalising { image, equalise, bars, disc, by, rate, given, counts };
    demo.reset(seed)?;
    Ok(Box::new(demo))
}

/// A picture's brightness, 0 to 1.
fn grey(gpu: &Gpu, path: &Path) -> Result<(Size, Vec<f32>)> {
    let fits = |width, height| Ok(check_size(gpu, "a picture", Size { width, height })?);
    let Array { width, height, values, .. } = grey::read(path, fits)?;
    Ok((Size { width: u32::try_from(width)?, height: u32::try_from(height)? }, values))
}

/// A dark landscape of that seed: hills and hollows, the smaller the lower, and a little noise, in half of all brightnesses.
fn dark(width: usize, height: usize, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    let hill = |i: usize| {
        let radius = 0.5 / (1.0 + 0.15 * i as f32);
        [random.unit(), random.unit(), radius, 0.5 * radius * random.signed()]
    };
    let hills: Vec<[f32; 4]> = (0..HILLS).map(hill).collect();
    let pixel = |i: usize| {
        let (x, y) = ((i % width) as f32 / width as f32, (i / width) as f32 / height as f32);
        let light = |&[left, top, radius, light]: &[f32; 4]| {
            let far = ((x - left) * (x - left) + (y - top) * (y - top)) / (radius * radius);
            light * (1.0 - far).max(0.0) * (1.0 - far)
        };
        0.2 + 0.06 * (y - 0.5) + hills.iter().map(light).sum::<f32>()
    };
    (0..width * height).map(|i| (pixel(i) + 0.005 * random.signed()).clamp(0.0, 0.5)).collect()
}

fn outside(counts: &Counts) -> u64 {
    counts.below + counts.above + counts.nan
}

/// Of the landscape.
const HILLS: usize = 120;

struct Equalising {
    image: DoubleBuffer,
    /// With the counts of the image as it is now.
    equalise: Equalise,
    bars: Bars,
    disc: Disc,
    by: By,
    rate: f32,
    given: Option<Given>,
    /// Where the counts go at the end.
    counts: Option<PathBuf>,
}

/// The image that a file gave.
struct Given {
    pixels: Vec<f32>,
    /// The seed that stands for it; `None` where every one does.
    seed: Option<u64>,
}

impl Equalising {
    fn size_in_pixels(&self) -> (usize, usize) {
        let (width, height) = self.histogram().size();
        (width as usize, height as usize)
    }

    /// Where a bin begins and ends.
    fn ends(&self, bin: usize) -> [f64; 2] {
        let Bins { count, low, high } = self.histogram().bins();
        [bin, bin + 1].map(|edge| f64::from(low) + f64::from(high - low) * edge as f64 / f64::from(count))
    }

    /// What was last counted, and the mean of the pixels in f64.
    fn counted(&self) -> Result<(Counts, f64)> {
        let pixels = self.image.data()?;
        let mean = pixels.iter().map(|&v| f64::from(v)).sum::<f64>() / pixels.len() as f64;
        Ok((self.histogram().counts()?, mean))
    }

    /// Counts what is there now, and draws it.
    fn look(&mut self) -> Result<()> {
        self.equalise.count(self.image.front())?;
        self.bars.draw(self.image.front())?;
        Ok(())
    }

    fn histogram(&self) -> &Histogram {
        self.equalise.histogram()
    }
}

impl Simulation for Equalising {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        self.equalise.apply(self.image.front(), self.image.back(), self.rate)?;
        self.image.swap();
        self.look()
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        match &self.given {
            Some(given) if given.seed.is_none_or(|of| of == seed) => self.image.write(&given.pixels)?,
            _ => {
                let (width, height) = self.size_in_pixels();
                self.image.write(&dark(width, height, seed))?;
            }
        }
        self.look()
    }

    fn size(&self) -> (String, &'static str) {
        let (width, height) = self.size_in_pixels();
        (format!("{width}x{height}"), "pixels")
    }

    fn shown(&self) -> Result<Shown<'_>> {
        let (buffer, mapping) = (self.bars.shown(), Mapping::of_component(0, 0.0, 1.0));
        Ok(Shown::Field(Field { buffer, heights: false, colours: "grey", mapping }))
    }

    /// The image without its bars.
    fn state(&self) -> Result<Array> {
        let (width, height) = self.size_in_pixels();
        Ok(Array { height, width, components: 1, values: self.image.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.state()?, [0; 3]))
    }

    fn values(&self) -> Result<Value> {
        Ok(self.parameters())
    }

    fn parameters(&self) -> Value {
        let by = if self.by == By::Points { "points" } else { "gather" };
        json!({ "bins": self.histogram().bins().count, "by": by, "rate": short(self.rate) })
    }

    /// Of the last image: its pixels, how many lie outside the bins, the fullest bin and its pixels, and the mean.
    fn findings(&self) -> Result<Value> {
        let (counts, mean) = self.counted()?;
        let mode = counts.mode();
        Ok(json!({
            "total": counts.total(), "outside": outside(&counts),
            "mode": mode, "mode_count": counts.bins[mode], "mean": mean,
        }))
    }

    fn remarks(&self) -> Result<Vec<String>> {
        let (counts, mean) = self.counted()?;
        let mode = counts.mode();
        let ([from, to], most, outside) = (self.ends(mode), counts.bins[mode], outside(&counts));
        let fullest =
            format!("fullest bin {mode} ({from:.4} to {to:.4}) with {most} of {} pixels", counts.total());
        Ok(vec![format!("{fullest}, mean {mean:.4}, {outside} outside the bins")])
    }

    /// A line a bin.
    fn write_files(&self) -> Result<Vec<PathBuf>> {
        let Some(path) = &self.counts else { return Ok(Vec::new()) };
        let counts = self.histogram().counts()?;
        atomic::write(path, |file| {
            writeln!(file, "bin,from,to,count")?;
            for (bin, count) in counts.bins.iter().enumerate() {
                let [from, to] = self.ends(bin);
                writeln!(file, "{bin},{from},{to},{count}")?;
            }
            Ok(())
        })?;
        Ok(vec![path.clone()])
    }

    /// The counts are the same whole numbers. Of the image: where a pixel lies among the bins rounds three times, at most
    /// 3·bins·2⁻²⁴ of a bin, across which its place rises by 1 at most; looking up and mixing rounds eight times more.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let Bins { count, low, high } = self.histogram().bins();
        let after = self.state()?.values;
        let counts = self.histogram().counts()?;
        let outside = [counts.below, counts.above, counts.nan];
        let found = counts.bins.iter().chain(&outside);
        let exact = histogram(&after, count as usize, low, high);
        let miscounted: u64 = found.zip(&exact).map(|(found, exact)| found.abs_diff(*exact)).sum();
        let exact = equalised(&before.values, count as usize, low, high, self.rate);
        let error = worst(after.iter().zip(&exact).map(|(&found, exact)| (f64::from(found) - exact).abs()));
        let bound = f64::from(3 * count + 8) * 2f64.powi(-24);
        Ok(vec![
            Measure { name: "miscounted pixels", error: miscounted as f64, bound: 0.0 },
            Measure { name: "error of a pixel", error, bound },
        ])
    }

    /// Long enough for the default rate.
    fn whole_run(&self) -> u64 {
        200
    }

    fn pace(&self) -> u64 {
        1
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        ui.add(egui::Slider::new(&mut self.rate, 0.0..=0.2).text("rate"))
            .on_hover_text("How far a step goes towards equal bins");
        ui.label(match self.by {
            By::Points => "Counted by points: scatter",
            By::Gather => "Counted by fragments: gather",
        });
        ui.label("Press the mouse on the picture to paint light.");
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, radius, .. } = touch else {
            return Ok(());
        };
        self.disc.paint(self.image.front(), [x, y], radius, [1.0; 4])?;
        self.look()
    }
}
