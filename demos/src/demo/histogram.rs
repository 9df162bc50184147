//! The histogram of an image, and the image as it is equalised by it.

use std::path::Path;

use anyhow::Result;
use quadrille::pug::DoubleBuffer;
use quadrille::reference::Random;
use quadrille::reference::streams::{equalised, histogram};
use quadrille::streams::{Bins, By, Equalise, Histogram};
use quadrille::view::{Bars, Mapping};
use quadrille::{Gpu, Program, Rect};
use serde_json::{Value, json};

use super::shown::{Field, Shown, Touch};
use super::state::{load_state, worst};
use super::{Chosen, Measure, Simulation, short};
use crate::cli::{ByName, HistogramArguments, Look, Size};
use crate::files::{Array, picture};

pub const NAME: &str = "histogram";

/// How far a step goes towards equal bins.
const RATE: f32 = 0.02;

pub fn chosen(own: HistogramArguments) -> Chosen {
    let arguments = own.demo.clone();
    let look = Look { colours: own.colours.clone(), ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

fn start(gpu: &Gpu, arguments: &HistogramArguments) -> Result<Box<dyn Simulation>> {
    let seed = arguments.demo.seed();
    let given = match (&arguments.image, &arguments.demo.load) {
        (Some(path), _) => Some(grey(path)?),
        (None, Some(path)) => Some(load_state(path, arguments.size, NAME, ["brightness"])?),
        (None, None) => None,
    };
    let asked = given.as_ref().map(|(size, _)| *size).or(arguments.size);
    let Size { width, height } = asked.unwrap_or(Size { width: 512, height: 512 });
    let by = match arguments.by {
        None | Some(ByName::Gather) => By::Gather,
        Some(ByName::Points) => By::Points,
    };
    let bins = Bins { count: arguments.bins.unwrap_or(256), low: 0.0, high: 1.0 };
    let image = gpu.buffer(width, height).named("image").double().build()?;
    let equalise = Equalise::new(gpu, width, height, bins, by)?;
    let bars = Bars::new(gpu, equalise.histogram())?;
    let paint = gpu.builtin("sim/disc_paint.frag")?;
    let given = given.map(|(_, pixels)| (pixels, seed));
    let rate = arguments.rate.unwrap_or(RATE);
    let mut demo = Equalising { image, equalise, bars, paint, by, rate, given };
    demo.reset(seed)?;
    Ok(Box::new(demo))
}

/// A picture's brightness, 0 to 1: the weights of red, green and blue in television of the time.
fn grey(path: &Path) -> Result<(Size, Vec<f32>)> {
    let picture = picture::read_png(path)?;
    let brightness = |pixel: &[u8]| {
        let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(|v| f32::from(v) / 255.0);
        (0.299 * red + 0.587 * green + 0.114 * blue).min(1.0)
    };
    let size = Size { width: picture.width, height: picture.height };
    Ok((size, picture.rgba.chunks_exact(4).map(brightness).collect()))
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

/// Of the landscape.
const HILLS: usize = 120;

struct Equalising {
    image: DoubleBuffer,
    /// With the counts of the image as it is now.
    equalise: Equalise,
    bars: Bars,
    paint: Program,
    by: By,
    rate: f32,
    /// The image that was loaded and the seed that stands for it.
    given: Option<(Vec<f32>, u64)>,
}

impl Equalising {
    fn size_in_pixels(&self) -> (usize, usize) {
        let (width, height) = self.histogram().size();
        (width as usize, height as usize)
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
            Some((pixels, of)) if *of == seed => self.image.write(pixels)?,
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

    fn parameters(&self) -> Value {
        let by = if self.by == By::Points { "points" } else { "gather" };
        json!({ "bins": self.histogram().bins().count, "by": by, "rate": short(self.rate) })
    }

    /// Of the last image: its pixels, how many lie outside the bins, the fullest bin and its pixels, and the mean.
    fn findings(&self) -> Result<Value> {
        let (counts, pixels) = (self.histogram().counts()?, self.image.data()?);
        let mean = pixels.iter().map(|&v| f64::from(v)).sum::<f64>() / pixels.len() as f64;
        let mode = counts.mode();
        Ok(json!({
            "total": counts.total(), "outside": counts.below + counts.above + counts.nan,
            "mode": mode, "mode_count": counts.bins[mode], "mean": mean,
        }))
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
        let Touch::Cell { x, y, radius } = touch else {
            return Ok(());
        };
        let (width, height) = self.histogram().size();
        let low = |c: f32| (c - radius).floor().max(0.0) as u32;
        let high = |c: f32, n: u32| (c + radius).ceil().clamp(0.0, n as f32) as u32;
        let range = Rect::new(low(x), low(y), high(x, width), high(y, height));
        if range.area() > 0 {
            self.paint.bind_float("centre", [x, y])?.bind_float("radius", radius)?;
            self.paint.bind_float("paint", [1.0; 4])?;
            self.paint.run_over(self.image.front(), range)?;
        }
        self.look()
    }
}
