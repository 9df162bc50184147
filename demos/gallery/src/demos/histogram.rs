//! The histogram of an image, and the image as it is equalised by it.

mod photo;
pub(super) mod scenes;

use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, ensure};
use quadrille::pug::DoubleBuffer;
use quadrille::sim::{Disc, Outline};
use quadrille::streams::{Bins, By, Counts, Equalise, Histogram};
use quadrille::view::{BarScale, Bars, Mapping};
use quadrille::{Buffer, Gpu};
use quadrille_oracle::streams::{equalised, histogram};
use serde_json::{Value as Json, json};

use self::photo::PhotoPicture;
use self::scenes::{Pixels, SCENES, Scene, made, tint_of};
use crate::demo::{About, Demo, Export, Exported, Host, Measure, Request, Usage, View};
use crate::param::{Kept, Kind, Live, Param, Section, Slider, Values, choices, name_of};
use crate::picture::{COLOURS, Field, FieldView, Mark, Picture, Touch};
use crate::state::{Array, Named, Parts, State, check_size, worst};

pub const ABOUT: About = About {
    name: "histogram",
    shows: "The histogram of an image, by scatter or by gather, and the image equalised by it (GPU Gems 2, chapter 31)",
    keywords: "image counts bins equalise scatter gather contrast photo",
    first: "Drag the line between before and after; elsewhere paint light",
    computes: "The pixels of an image are counted in bins, by scatter, a point a pixel that is added where it falls, or by gather, a loop \
               for each bin. The sums of the counts equalise the brightness a little each step; \
               hues stay as they are.",
    formula: "new(v) = Σ_{w ≤ v} count(w) / n     the part of the n pixels that are as dark as v, or darker\n\
              a step: v + rate (new(v) − v)",
    kernels: &[
        "streams/bins_scatter.vert",
        "streams/bins_scatter.frag",
        "streams/bins_gather.frag",
        "streams/sums_up.frag",
        "streams/sums_down.frag",
        "streams/image_equalise.frag",
        "view/histogram_bars.frag",
    ],
    paper: "Harris, GPU Gems 2, chapter 31, and course slides on scatter",
    quantity: "grey",
    parameters: &[&[
        SIZE,
        IMAGE,
        SCENE,
        BEFORE,
        HUES,
        BY,
        BINS,
        RATE,
        BARS,
        Param { default: "grey", ..COLOURS },
    ]],
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
            "What is there at the end, by extension. .png and .gif: the image, the one before beside it, and bars below, with a line along \
             those before; of more bins than pixels across, a column shows the largest of its own. .npy and .exr: the image without bars, float32, height x width, 0 (black) \
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
    check: refuse,
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
    default: "that of --scene",
    help: "A picture to begin with, of 8 or 16 bits; its brightness is 0.299 red + 0.587 green + 0.114 blue; alpha is ignored",
    conflicts: &["load", "seed", "size"],
    ..Param::NEW
};

const SCENE: Param = Param {
    name: "scene",
    kind: Kind::Choice(|| choices(&SCENES)),
    default: "dark",
    help: "The image that the seed makes, where no file is given",
    kept: Kept::Yes,
    live: Live::Words,
    conflicts: &["image"],
    section: Section::Scene,
    ..Param::NEW
};

const BEFORE: Param = Param {
    name: "before",
    symbol: "SHARE",
    kind: Kind::real(0.0, 1.0),
    default: "0.5",
    help: "Share of the width, from the left, that shows the image as it began, 0 to 1: drag the line in the picture; strokes are painted on both",
    live: Live::Slider(Slider::to(0.0, 1.0).decimals(2)),
    label: "share before",
    ..Param::NEW
};

const HUES: Param = Param {
    name: "hues",
    kind: Kind::Choice(|| choices(&HUE_RULES)),
    default: "kept",
    help: "Colours of the picture; other --colours than grey show its brightness in any case",
    live: Live::Words,
    label: "colours of the photo",
    ..Param::NEW
};

const HUE_RULES: [(&str, &str, bool); 2] = [
    (
        "kept",
        "each pixel has the hue and the saturation of the image, and the brightness that the steps have made",
        true,
    ),
    ("none", "the brightness alone", false),
];

const BARS: Param = Param {
    name: "bars",
    kind: Kind::Choice(|| choices(&BAR_SCALES)),
    default: "clipped",
    help: "How long bars are",
    live: Live::Words,
    ..Param::NEW
};

const BAR_SCALES: [(&str, &str, BarScale); 3] = [
    (
        "clipped",
        "as linear up to twelve times the mean of all bins; a longer one is cut, and white at its end",
        BarScale::Clipped,
    ),
    ("linear", "the fullest bin is as high as there is room", BarScale::Linear),
    ("logarithmic", "by log(1 + pixels)", BarScale::Logarithmic),
];

const BY: Param = Param {
    name: "by",
    kind: Kind::Choice(|| choices(&COUNTED_BY)),
    default: "gather",
    help: "Who counts the pixels",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    label: "counted by",
    ..Param::NEW
};

const COUNTED_BY: [(&str, &str, By); 2] = [
    (
        "points",
        "scatter: each pixel is drawn as a point at the place of its bin, and blending adds the points up; needs vertex programs that fetch \
         and blending of 32-bit floats",
        By::Points,
    ),
    (
        "gather",
        "for each bin a fragment program looks through the pixels, and counts those that are its own",
        By::Gather,
    ),
];

const BINS: Param = Param {
    name: "bins",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 1 << 24 },
    default: "256",
    help: "Equal parts of the brightness from 0 to 1, whose pixels are counted; at most the size of a texture less 3: `info` says it",
    kept: Kept::Yes,
    live: Live::Some(&["8", "32", "256", "1024"]),
    section: Section::Solver,
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
    label: "speed, a step",
    ..Param::NEW
};

/// # Errors
/// [`Usage`]: a scene beside an image.
fn refuse(request: &Request) -> Result<()> {
    let given = request.load.is_some() && request.state().is_none();
    match given && request.values.has(SCENE.name) {
        true => Err(Usage("--scene: a .npy of --load has the image".to_owned()).into()),
        false => Ok(()),
    }
}

/// The flag of the file of counts.
const COUNTS: &str = "counts";

/// The image.
const PARTS: Parts = Parts::Cells(&[("brightness", 1)]);

/// The array of a state with the image as it began, and all strokes since.
const BEGAN: &str = "began";

/// The array of a state with the hues.
const TINT: &str = "tint";

/// The brightness of a picture, 0 to 1, and its hues.
fn read(gpu: &Gpu, host: &dyn Host, path: &Path) -> Result<([u32; 2], Pixels)> {
    let fits = |width, height| Ok(check_size(gpu, "a picture", [width, height])?);
    let Array { width, height, values: light, .. } = host.grey(path, &fits)?;
    let colours = host.channels(path, &fits)?;
    ensure!(colours.width == width && colours.height == height, "{}: has changed meanwhile", path.display());
    let tint = match colours.components {
        3 | 4 => {
            let pixels = colours.values.chunks_exact(colours.components);
            pixels.flat_map(|pixel| tint_of([pixel[0], pixel[1], pixel[2]])).collect()
        }
        _ => white(light.len()),
    };
    Ok(([u32::try_from(width)?, u32::try_from(height)?], Pixels { light, tint }))
}

/// No hue, of so many pixels.
fn white(pixels: usize) -> Vec<f32> {
    vec![1.0; 3 * pixels]
}

/// The hues that a state has; white of one without, as of a plain array.
fn loaded_tint(request: &Request, [width, height]: [u32; 2]) -> Result<Vec<f32>> {
    let shape = [height as usize, width as usize, 3];
    match request.state().filter(|state| state.has(TINT)) {
        Some(state) => {
            let found = state.array(TINT, 3)?;
            ensure!(found.shape == shape, "array \"{TINT}\" has shape {:?}; expected {shape:?}", found.shape);
            found.f32s()
        }
        None => Ok(white(shape[0] * shape[1])),
    }
}

fn outside(counts: &Counts) -> u64 {
    counts.below + counts.above + counts.nan
}

struct Equalising {
    image: DoubleBuffer,
    /// The image as it began, with all strokes since.
    before: Buffer,
    /// Red, green and blue of brightness 1, of each pixel.
    tint: Buffer,
    /// They are shown.
    in_colour: bool,
    /// The share of the width that shows it.
    split: f32,
    /// With the counts of the image as it is now.
    equalise: Equalise,
    bars: Bars,
    bar_scale: BarScale,
    disc: Disc,
    by: By,
    rate: f32,
    scene: Scene,
    seed: u64,
    light: Light,
    /// The left button holds the line between before and after.
    holds_line: bool,
    /// There is more room beside the picture than below it.
    is_wide: Cell<bool>,
    /// Another scene has begun since this was last asked.
    anew: bool,
    /// The number of times that its pixels were counted.
    looks: u64,
    /// The counts as the panel read them last.
    #[cfg(feature = "panel")]
    counted: Option<Counted>,
    gpu: Gpu,
    given: Option<Given>,
    view: FieldView,
}

/// Counts as they were read back.
#[cfg(feature = "panel")]
struct Counted {
    look: u64,
    mode: usize,
    most: u64,
    mean: f64,
}

/// Shares of the width: how near to its line a press takes it, and the room that a name beside it needs.
const HELD: f32 = 0.015;
const ROOM_OF_NAME: f32 = 0.2;

/// The counts are read back every so many looks, not for every picture.
#[cfg(feature = "panel")]
const EVERY: u64 = 10;

/// The colour of the bars.
const AMBER: [f32; 3] = [1.0, 0.69, 0.22];

/// The image and its bars.
fn field(bars: &Bars) -> Field<'_> {
    let mapping = Mapping { over: Some(AMBER), ..Mapping::of_component(0, 0.0, 1.0) };
    Field { buffer: bars.shown(), heights: false, colours: "grey", mapping }
}

/// The brightness that the left button paints, 0 to 1.
struct Light(f32);

/// The image that a file gave.
struct Given {
    pixels: Pixels,
    /// The seed that stands for it; `None` where every one does.
    seed: Option<u64>,
}

/// The passes that count images of that size, and those that draw the counts.
fn counter(gpu: &Gpu, [width, height]: [u32; 2], bins: Bins, by: By) -> Result<(Equalise, Bars)> {
    let equalise = Equalise::new(gpu, width, height, bins, by)?;
    let bars = Bars::new(gpu, equalise.histogram())?;
    Ok((equalise, bars))
}

impl Equalising {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Equalising> {
        let (values, seed) = (&request.values, request.seed());
        let given = match values.text(IMAGE.name).filter(|_| request.state().is_none()) {
            Some(path) => Some((read(gpu, &*request.host, Path::new(path))?, None)),
            None => match request.cells(values.size("size"), ABOUT.name, ["brightness"])? {
                Some((size, light)) => {
                    let tint = loaded_tint(request, size)?;
                    Some(((size, Pixels { light, tint }), Some(seed)))
                }
                None => None,
            },
        };
        let asked = given.as_ref().map(|((size, _), _)| *size).or(values.size("size"));
        let size = asked.unwrap_or([512, 512]);
        check_size(gpu, "an image", size)?;
        let [width, height] = size;
        let by = values.choice(BY.name, &COUNTED_BY).unwrap_or(By::Gather);
        let bins = Bins { count: values.whole(BINS.name).unwrap_or(256), low: 0.0, high: 1.0 };
        let bar_scale = values.choice(BARS.name, &BAR_SCALES).unwrap_or(BarScale::Clipped);
        let scene = values.choice(SCENE.name, &SCENES).unwrap_or(Scene::Dark);
        let image = gpu.buffer(width, height).named("image").double().build()?;
        let (equalise, bars) = counter(gpu, size, bins, by)?;
        let disc = Disc::new(gpu)?;
        let given = given.map(|((_, pixels), seed)| Given { pixels, seed });
        let rate = values.real(RATE.name).unwrap_or(0.02);
        let before = gpu.buffer(width, height).named("image as it began").build()?;
        let tint = gpu.buffer(width, height).components(3).named("hues").build()?;
        let in_colour = values.choice(HUES.name, &HUE_RULES).unwrap_or(true);
        let split = values.real(BEFORE.name).unwrap_or(0.5);
        let view = FieldView::new(gpu, request, &field(&bars))?;
        let (anew, gpu) = (false, gpu.clone());
        let mut demo = Equalising {
            image,
            before,
            tint,
            in_colour,
            split,
            equalise,
            bars,
            bar_scale,
            disc,
            by,
            rate,
            scene,
            seed,
            light: Light(1.0),
            holds_line: false,
            is_wide: Cell::new(false),
            anew,
            looks: 0,
            #[cfg(feature = "panel")]
            counted: None,
            gpu,
            given,
            view,
        };
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
        self.looks += 1;
        self.equalise.count(self.image.front())?;
        self.bars.set_scale(self.bar_scale);
        self.bars.set_split(self.split);
        self.bars.draw(self.image.front())?;
        Ok(())
    }

    /// The same, after the counts of the image as it began; the panel reads the new counts at once.
    fn look_anew(&mut self) -> Result<()> {
        self.equalise.count(&self.before)?;
        self.bars.remember(&self.before)?;
        #[cfg(feature = "panel")]
        {
            self.counted = None;
        }
        self.look()
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
        self.seed = seed;
        let (width, height) = self.size_in_pixels();
        let scene;
        let Pixels { light, tint } = match &self.given {
            Some(given) if given.seed.is_none_or(|of| of == seed) => &given.pixels,
            _ => {
                scene = made(self.scene, width, height, seed);
                &scene
            }
        };
        self.image.write(light)?;
        self.tint.write(tint)?;
        self.before.copy_from(self.image.front())?;
        self.look_anew()
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
        let (width, height) = self.size_in_pixels();
        let mut arrays = PARTS.split(&self.numbers()?, [0; 3]);
        arrays.push(Named::of_f32(TINT, &[height, width, 3], self.tint.data()?));
        arrays.push(Named::of_f32(BEGAN, &[height, width], self.before.data()?));
        Ok(arrays)
    }

    /// Image and image as it began; states of old have none of it.
    fn restore(&mut self, state: &State) -> Result<()> {
        let (width, height) = self.size_in_pixels();
        let Some(began) = state.arrays.iter().find(|array| array.name == BEGAN) else { return Ok(()) };
        ensure!(
            began.shape == [height, width],
            "array \"{BEGAN}\" has shape {:?}; expected {:?}",
            began.shape,
            [height, width]
        );
        self.image.write(&PARTS.join(state)?.values)?;
        self.before.write(&began.f32s()?)?;
        self.look_anew()
    }

    fn takes_strokes_back(&self) -> bool {
        true
    }

    fn values(&self) -> Values {
        let bins = self.histogram().bins().count;
        // A file stands for every seed: no scene is to be seen.
        let scene = self.given.as_ref().is_none_or(|given| given.seed.is_some());
        let scene = scene.then(|| name_of(&SCENES, &self.scene));
        Values::new()
            .with_some("scene", scene)
            .with("by", name_of(&COUNTED_BY, &self.by))
            .with("bins", bins)
            .with("rate", self.rate)
            .with("before", self.split)
            .with("hues", name_of(&HUE_RULES, &self.in_colour))
            .with("bars", name_of(&BAR_SCALES, &self.bar_scale))
    }

    /// Another scene begins anew; other bins, or another way to count them, go on with the image as it is.
    fn set(&mut self, values: &Values) -> Result<()> {
        let before = self.histogram().bins();
        let by = values.choice(BY.name, &COUNTED_BY).unwrap_or(self.by);
        let bins = Bins { count: values.whole(BINS.name).unwrap_or(before.count), ..before };
        if (by, bins) != (self.by, before) {
            let (width, height) = self.histogram().size();
            (self.equalise, self.bars) = counter(&self.gpu, [width, height], bins, by)?;
            self.by = by;
        }
        self.rate = values.real(RATE.name).unwrap_or(self.rate);
        self.in_colour = values.choice(HUES.name, &HUE_RULES).unwrap_or(self.in_colour);
        self.split = values.real(BEFORE.name).unwrap_or(self.split);
        self.bar_scale = values.choice(BARS.name, &BAR_SCALES).unwrap_or(self.bar_scale);
        match values.choice(SCENE.name, &SCENES) {
            Some(scene) => {
                (self.scene, self.given, self.anew) = (scene, None, true);
                self.reset(self.seed)
            }
            None => self.look_anew(),
        }
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
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

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view, &mut self.light]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        self.view.set_tint(self.in_colour.then(|| self.tint.clone()));
        Box::new(PhotoPicture {
            bars: &mut self.bars,
            image: self.image.front(),
            view: &mut self.view,
            is_wide: &self.is_wide,
        })
    }

    /// The bars stand where there is room for them.
    fn prepare(&mut self) -> Result<()> {
        if self.bars.set_beside(self.is_wide.get())? {
            self.bars.draw(self.image.front())?;
        }
        Ok(())
    }

    /// The line between before and after, and what lies on its sides.
    fn marks(&self) -> Vec<Mark> {
        let part = |bars: u32, image: u32| image as f32 / bars as f32;
        let (shown, image) = (self.bars.shown(), self.image.front());
        let [across, down] = [part(shown.width(), image.width()), part(shown.height(), image.height())];
        let at = self.split * across;
        let mut marks = vec![Mark::Edges([at, 0.0], [at, down])];
        if self.split > ROOM_OF_NAME {
            marks.push(Mark::Name { at: [0.0, 0.9 * down], text: "before" });
        }
        if self.split < 1.0 - ROOM_OF_NAME {
            marks.push(Mark::Name { at: [at, 0.9 * down], text: "equalised" });
        }
        marks
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let counted = match self.counted.take().filter(|counted| counted.look.abs_diff(self.looks) < EVERY) {
            Some(counted) => counted,
            None => {
                let counts = self.histogram().counts()?;
                let (mode, mean) = (counts.mode(), counts.total() as f64 / counts.bins.len() as f64);
                Counted { look: self.looks, mode, most: counts.bins[mode], mean }
            }
        };
        let Counted { mode, most, mean, .. } = *self.counted.insert(counted);
        let clip = f64::from(BarScale::CLIP) * mean;
        let clipped = match self.bar_scale {
            BarScale::Clipped if clip < most as f64 => format!("cut at {clip:.0}"),
            BarScale::Clipped => format!("none over {clip:.0}"),
            BarScale::Linear | BarScale::Logarithmic => "none".to_owned(),
        };
        let [from, to] = self.ends(mode);
        let rows = [
            ("fullest bin", format!("{most} pixels at {:.3}", 0.5 * (from + to))),
            ("longer bars", clipped),
            ("mean of a bin", format!("{mean:.0} pixels")),
        ];
        crate::panel::rows(ui, "counts", rows);
        ui.add(egui::Slider::new(&mut self.light.0, 0.0..=1.0).text("light"))
            .on_hover_text("Brightness that the left button paints; the right one paints black");
        ui.weak(
            "A bar for each brightness of the ramp; the white line is how the bars began. Every step spreads them. A stroke is in both halves: \
             light on the photo. Drop a .png here to load it.",
        );
        ui.weak(
            "The new brightness of a pixel is the part of all pixels that are no brighter: the sum of the bars up to its own. Where bars are long that \
             sum is steep, and pulls them apart; where they are short it is flat, and pushes them together. So bars become equal.",
        );
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn outlines(&self) -> &'static [Outline] {
        &[Outline::Round, Outline::Square, Outline::Soft]
    }

    fn has_second_touch(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, tip, drag } = touch else {
            return Ok(());
        };
        let (width, height) = self.size_in_pixels();
        if drag.begins {
            let off = (x - self.split * width as f32).abs();
            self.holds_line = !drag.right && y < height as f32 && off <= HELD * width as f32;
        }
        if self.holds_line {
            self.split = (x / width as f32).clamp(0.0, 1.0);
            return self.look();
        }
        let light = if drag.right { 0.0 } else { self.light.0 };
        self.disc.paint(self.image.front(), [x, y], tip, [light; 4])?;
        self.disc.paint(&self.before, [x, y], tip, [light; 4])?;
        self.look_anew()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::TestHost;
    use crate::picture::{Drag, Layout};

    fn begun() -> Result<Equalising> {
        let values = Values::new().with("size", [64, 48]);
        Equalising::new(&Gpu::headless()?, &Rc::new(Request::new(values, Rc::new(TestHost::default()))))
    }

    fn touch(demo: &mut Equalising, x: f32, y: f32, drag: Drag) -> Result<()> {
        demo.touch(Touch::Cell { x, y, tip: 3.0.into(), drag })
    }

    #[test]
    fn the_line_is_dragged_and_a_stroke_elsewhere_paints() -> Result<()> {
        let mut demo = begun()?;
        let (begins, goes_on) = (Drag { begins: true, ..Drag::default() }, Drag::default());
        let before = demo.numbers()?.values;
        for (x, y, drag, split) in [
            (32.4, 5.0, begins, 32.4 / 64.0),
            (50.0, 20.0, goes_on, 50.0 / 64.0),
            // Past the edge of the image it stays there.
            (70.0, 60.0, goes_on, 1.0),
        ] {
            touch(&mut demo, x, y, drag)?;
            assert_eq!(demo.split, split);
        }
        assert!(demo.numbers()?.values == before, "nothing was painted");
        // Where the line was there is none any more; the right button never takes it.
        touch(&mut demo, 32.0, 5.0, begins)?;
        touch(&mut demo, 64.0, 5.0, Drag { right: true, ..begins })?;
        assert_eq!(demo.split, 1.0);
        assert!(demo.numbers()?.values != before);
        Ok(())
    }

    /// In a wide room beside the image, in a high one below it, in a file below it in any case.
    #[test]
    fn bars_stand_where_the_image_is_larger() -> Result<()> {
        let mut demo = begun()?;
        let file = demo.picture().image()?;
        for (aspect, size) in [(1.6, [86, 48]), (0.5, [64, 64]), (1.6, [86, 48])] {
            let layout = demo.picture().layout(aspect)?;
            let [columns, rows] = size;
            assert_eq!(layout, Layout::Map { columns, rows });
            demo.prepare()?;
            let shown = demo.bars.shown();
            assert_eq!([shown.width(), shown.height()], size);
            let again = demo.picture().image()?;
            assert!((again.width, again.height, again.rgba == file.rgba) == (64, 64, true));
            assert_eq!([demo.bars.shown().width(), demo.bars.shown().height()], size);
        }
        Ok(())
    }

    /// A stroke is on the image and on what it began as; the state before it has both.
    #[test]
    fn a_state_has_the_image_as_it_began() -> Result<()> {
        let mut demo = begun()?;
        (0..3).try_for_each(|_| demo.step())?;
        let state = crate::demo::saved(&ABOUT, &demo, 3)?;
        let images = |demo: &Equalising| Ok::<_, anyhow::Error>((demo.image.data()?, demo.before.data()?));
        let before = images(&demo)?;
        touch(&mut demo, 10.0, 10.0, Drag { begins: true, ..Drag::default() })?;
        demo.step()?;
        assert!(images(&demo)? != before && before.0 != before.1);
        demo.restore(&state)?;
        assert!(images(&demo)? == before);
        Ok(())
    }
}
