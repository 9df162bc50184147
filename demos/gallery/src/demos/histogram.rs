//! The histogram of an image, and the image as it is equalised by it.

use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use quadrille::numeric::Random;
use quadrille::pug::DoubleBuffer;
use quadrille::sim::Disc;
use quadrille::streams::{Bins, By, Counts, Equalise, Histogram};
use quadrille::view::{Bars, Mapping};
use quadrille::{Buffer, Gpu};
use quadrille_oracle::streams::{equalised, histogram};
use serde_json::{Value as Json, json};

use crate::demo::{About, Demo, Export, Exported, Host, Measure, Request};
use crate::param::{Kept, Kind, Live, Param, Slider, Values, choices, name_of};
use crate::picture::{COLOURS, Field, FieldPicture, FieldView, Picture, Touch};
use crate::state::{Array, Named, Parts, check_size, worst};

pub const ABOUT: About = About {
    name: "histogram",
    shows: "The histogram of an image, by scatter or by gather, and the image equalised by it (chapter 31)",
    keywords: "image counts bins equalise scatter gather contrast photo",
    first: "Paint on the image, and see its counts change",
    computes: "The pixels of an image are counted in bins, by scatter, a point a pixel that is added where it falls, or by gather, a loop \
               for each bin. The sums of the counts equalise the image a little each step.",
    kernels: &[
        "streams/bins_scatter.vert",
        "streams/bins_scatter.frag",
        "streams/bins_gather.frag",
        "streams/sums_up.frag",
        "streams/sums_down.frag",
        "streams/image_equalise.frag",
    ],
    paper: "Harris, GPU Gems 2, chapter 31, and course slides on scatter",
    parameters: &[&[SIZE, IMAGE, BY, BINS, RATE, Param { default: "grey", ..COLOURS }]],
    flags: &[
        (
            "check",
            "Without a window; exit 1 past a bound. In about a hundred steps, the counts of the GPU against those of the CPU, \
             which must be the same, and each pixel of the step against f64",
        ),
        (
            "json",
            "Print one JSON object, without a window. Its findings, of the last image: total (pixels), outside (of them, \
             outside all bins), mode (the fullest bin, from 0), mode_count (its pixels), mean (of all pixels)",
        ),
        (
            "out",
            "What is there at the end, by extension. .png and .gif: the image with its bars; of more bins than pixels across, \
             a column shows the largest of its own. .npy and .exr: the image without bars, float32, height x width, 0 (black) \
             to 1",
        ),
        ("save", "Write the image at the end, without bars: float32, height x width"),
        ("load", "Start from such an image, of finite numbers; 0 to 1 lies in the bins"),
    ],
    exports: &[Export {
        flag: COUNTS,
        help: "Write the counts of the last image: bin, from, to, count",
        plot: false,
    }],
    start: |gpu, request| Ok(Box::new(Equalising::new(gpu, request)?)),
    ..About::NEW
};

const SIZE: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "512x512, or those of --image or --load",
    help: "Pixels, as WIDTHxHEIGHT, 2^24 of them at most",
    ..Param::NEW
};

const IMAGE: Param = Param {
    name: "image",
    symbol: "FILE.png",
    kind: Kind::Text,
    default: "a dark one made by the seed",
    help: "A picture to begin with, of 8 or 16 bits, in shades of grey: 0.299 red + 0.587 green + 0.114 blue; alpha is ignored",
    conflicts: &["load", "seed", "size"],
    ..Param::NEW
};

const BY: Param = Param {
    name: "by",
    kind: Kind::Choice(|| choices(&COUNTED_BY)),
    default: "gather",
    help: "Each pixel a point that adds 1 to its bin, which needs vertex programs that fetch and blending of 32-bit floats; or \
           fragments that each count some bins of many pixels",
    kept: Kept::Yes,
    ..Param::NEW
};

const COUNTED_BY: [(&str, &str, By); 2] = [("points", "", By::Points), ("gather", "", By::Gather)];

const BINS: Param = Param {
    name: "bins",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 1 << 24 },
    default: "256",
    help: "Equal parts of the brightness from 0 to 1, at most the size of a texture less 3: `info` says it",
    kept: Kept::Yes,
    ..Param::NEW
};

const RATE: Param = Param {
    name: "rate",
    symbol: "R",
    kind: Kind::real(0.0, 1.0),
    default: "0.02",
    help: "How far a step goes towards equal bins, 0 to 1",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.0, 0.2)),
    ..Param::NEW
};

/// The flag of the file of counts.
const COUNTS: &str = "counts";

/// The image.
const PARTS: Parts = Parts::Cells(&[("brightness", 1)]);

/// The brightness of a picture, 0 to 1.
fn grey(gpu: &Gpu, host: &dyn Host, path: &Path) -> Result<([u32; 2], Vec<f32>)> {
    let fits = |width, height| Ok(check_size(gpu, "a picture", [width, height])?);
    let Array { width, height, values, .. } = host.grey(path, &fits)?;
    Ok(([u32::try_from(width)?, u32::try_from(height)?], values))
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

/// Hills of the landscape.
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
    view: FieldView,
}

/// The image and its bars.
fn field(bars: &Bars) -> Field<'_> {
    let mapping = Mapping::of_component(0, 0.0, 1.0);
    Field { buffer: bars.shown(), heights: false, colours: "grey", mapping }
}

/// The image that a file gave.
struct Given {
    pixels: Vec<f32>,
    /// The seed that stands for it; `None` where every one does.
    seed: Option<u64>,
}

impl Equalising {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Equalising> {
        let (values, seed) = (&request.values, request.seed());
        let given = match values.text(IMAGE.name) {
            Some(path) => Some((grey(gpu, &*request.host, Path::new(path))?, None)),
            None => request
                .cells(values.size("size"), ABOUT.name, ["brightness"])?
                .map(|loaded| (loaded, Some(seed))),
        };
        let asked = given.as_ref().map(|((size, _), _)| *size).or(values.size("size"));
        let size = asked.unwrap_or([512, 512]);
        check_size(gpu, "an image", size)?;
        let [width, height] = size;
        let by = values.choice(BY.name, &COUNTED_BY).unwrap_or(By::Gather);
        let bins = Bins { count: values.whole(BINS.name).unwrap_or(256), low: 0.0, high: 1.0 };
        let image = gpu.buffer(width, height).named("image").double().build()?;
        let equalise = Equalise::new(gpu, width, height, bins, by)?;
        let bars = Bars::new(gpu, equalise.histogram())?;
        let disc = Disc::new(gpu)?;
        let given = given.map(|((_, pixels), seed)| Given { pixels, seed });
        let rate = values.real(RATE.name).unwrap_or(0.02);
        let view = FieldView::new(gpu, request, &field(&bars))?;
        let mut demo = Equalising { image, equalise, bars, disc, by, rate, given, view };
        demo.reset(seed)?;
        Ok(demo)
    }

    fn size_in_pixels(&self) -> (usize, usize) {
        let (width, height) = self.histogram().size();
        (width as usize, height as usize)
    }

    /// The beginning and the end of a bin.
    fn ends(&self, bin: usize) -> [f64; 2] {
        let Bins { count, low, high } = self.histogram().bins();
        [bin, bin + 1].map(|edge| f64::from(low) + f64::from(high - low) * edge as f64 / f64::from(count))
    }

    /// The last counts, and the mean of the pixels in f64.
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

impl Demo for Equalising {
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

    /// The image without its bars.
    fn numbers(&self) -> Result<Array> {
        let (width, height) = self.size_in_pixels();
        Ok(Array { height, width, components: 1, values: self.image.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.numbers()?, [0; 3]))
    }

    fn values(&self) -> Values {
        let bins = self.histogram().bins().count;
        Values::new().with("bins", bins).with("by", name_of(&COUNTED_BY, &self.by)).with("rate", self.rate)
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        self.rate = values.real(RATE.name).unwrap_or(self.rate);
        Ok(())
    }

    /// The pixels of the last image, the number outside the bins, the fullest bin and its pixels, and the mean.
    fn findings(&self) -> Result<Json> {
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
    fn export(&self, flag: &str) -> Result<Option<Exported>> {
        if flag != COUNTS {
            return Ok(None);
        }
        let mut text = "bin,from,to,count\n".to_owned();
        for (bin, count) in self.histogram().counts()?.bins.iter().enumerate() {
            let [from, to] = self.ends(bin);
            writeln!(text, "{bin},{from},{to},{count}")?;
        }
        Ok(Some(Exported::Text(text)))
    }

    /// The counts are the same whole numbers. Of the image: where a pixel lies among the bins rounds three times, at most
    /// 3·bins·2⁻²⁴ of a bin, across which its place rises by 1 at most; looking up and mixing rounds eight times more.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let Bins { count, low, high } = self.histogram().bins();
        let after = self.numbers()?.values;
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

    fn drawn(&self) -> Option<Buffer> {
        Some(self.bars.shown().clone())
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(FieldPicture { field: field(&self.bars), view: &mut self.view })
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
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
