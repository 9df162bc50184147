//! The Abelian sandpile: four grains on a cell topple onto its neighbours, and the order does not matter.

mod avalanches;

use std::rc::Rc;

use anyhow::{Result, anyhow};
use quadrille::numeric::Random;
use quadrille::pug::{DoubleBuffer, Operator, Reduction};
use quadrille::sim::{Disc, Outline};
use quadrille::view::Mapping;
use quadrille::{Buffer, Gpu, Program, Rect};
use serde_json::{Map, Value as Json, json};

use self::avalanches::{Avalanches, BEAT};
use crate::demo::{About, Demo, Host, Measure, Request, Stamp, Usage, View, named};
use crate::image::Image;
use crate::param::{CELLS, Kept, Kind, Live, Param, Section, Slider, Values, choices, name_of};
use crate::picture::{
    Brush, COLOURS, Field, FieldPicture, FieldView, Layout, Numbers, Picture, Source, Touch,
};
use crate::state::{Array, Named, Parts, State, check_size};

pub const ABOUT: About = About {
    name: "sandpile",
    shows: "Grains of sand that topple onto their neighbours: patterns and avalanches out of one rule (Bak, Tang, Wiesenfeld)",
    keywords: "avalanche fractal automaton self-organised criticality grains paint",
    first: "Pour sand with the mouse, take it away with the right button",
    computes: "A cell of four grains or more gives one to each neighbour, and over the edges grains fall off. All cells topple at once, but any \
               order ends in the same state: that is what abelian means. One grain more moves nothing, or an avalanche of any size: small ones \
               are many, large ones few, by a power law, which the panel draws: each grain waits until all is still, and its avalanche is counted. \
               Whole numbers in float texels stay exact below 2^24.",
    formula: "z ≥ 4:  z → z − 4,  and each of the four neighbours z_n → z_n + 1",
    kernels: &["sim/sandpile_topple.frag", "sim/sandpile_trace.frag"],
    paper: "Bak, Tang and Wiesenfeld, Phys. Rev. Lett. 59 (1987); Dhar 1990",
    quantity: "grains",
    stamps: &[Stamp::of("sand", 4.0)],
    more: "\
A cell of four grains or more gives one to each neighbour; over the edges grains fall off. All cells topple at once here, but any \
order ends in the same stable state: the pile is abelian, as numbers are whose sum does not go by their order. \
Two states are added by putting their grains together and letting them topple. The states that keep coming back in the rain \
(recurrent ones) form a group under that sum: one of them, the identity, is their zero, which added to any other gives that \
other back. It is what is left of 6 - s, where s is what is left of six grains everywhere.
Colours, unless --colours says otherwise: 0 grains black, 1 violet, 2 magenta, 3 orange; a cell that topples is pale.
--check: each cell of a step against whole numbers, and the grains before it against those after it and those that fell.
--json finds grains, added and fallen (all grains so far, those that fell off), unstable (cells that will topple), and the shares \
of cells with 0, 1, 2 and 3 grains, which are 0.0736, 0.1739, 0.3063 and 0.4462 in an endless pile in the rain.",
    parameters: &[&[
        Param { default: "255x255, or that of --load", ..CELLS },
        SCENE,
        GRAINS,
        EVERY,
        THEN,
        Param { default: "magma", ..COLOURS },
    ]],
    flags: &[
        ("seed", "Where grains fall, of --scene rain and avalanches, and of --then grains [default: 1]"),
        (
            "steps",
            "Steps to run: without a window until nothing topples any more, 100000 at most, of rain 2000, of avalanches 10000; a window then closes, \
             else runs for ever; whether all is still is seen every 64 steps",
        ),
        (
            "check",
            "Without a window; exit 1 past a bound. About a hundred single steps against whole numbers on the CPU: no grain may lie \
             elsewhere, and none may be lost",
        ),
        (
            "save",
            "Write the sand at the end. FILE.npz holds all that the demo needs to go on; FILE.npy the grains of the cells, float32, \
             height x width",
        ),
        (
            "load",
            "Start from such a state. FILE.npz goes on bit for bit, FILE.npy is a beginning: whole numbers below 2^24; --grains is \
             refused with both, and --scene identity goes on only from a state of its own",
        ),
    ],
    check: refuse,
    start: |gpu, request| Ok(Box::new(Sandpile::new(gpu, request)?)),
    ..About::NEW
};

const SCENE: Param = Param {
    name: "scene",
    kind: Kind::Choice(|| choices(&SCENES)),
    default: "heap",
    help: "What topples",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scene {
    Heap,
    Rain,
    Identity,
    Avalanches,
}

const SCENES: [(&str, &str, Scene); 4] = [
    ("heap", "All grains on the cell in the middle: they become a pattern without end", Scene::Heap),
    (
        "rain",
        "A full table, three grains a cell, and a grain now and then: avalanches of all sizes, many small and few large ones",
        Scene::Rain,
    ),
    (
        "identity",
        "The zero of the sandpile group: a state that, added to any other that keeps coming back, topples to that other again. It is made of six \
         grains a cell: what they leave is taken from six, and topples again",
        Scene::Identity,
    ),
    (
        "avalanches",
        "A table near the state that rain leads to. A grain falls at random when all is still, and its avalanche is lit and counted: sizes \
         have no scale, they go by a power law",
        Scene::Avalanches,
    ),
];

const THEN: Param = Param {
    name: "then",
    kind: Kind::Choice(|| choices(&THENS)),
    default: "grains in a window, else rest",
    help: "Goes on with grains, or rests, when nothing topples any more (only for --scene heap and identity)",
    kept: Kept::Yes,
    live: Live::Words,
    matters: |values| values.word(SCENE.name).is_none_or(|scene| matches!(scene, "heap" | "identity")),
    ..Param::NEW
};

const THENS: [(&str, &str, bool); 2] = [
    ("grains", "grains fall one by one at random, each when all is still, and avalanches are counted", true),
    ("rest", "nothing: the pattern stays", false),
];

const GRAINS: Param = Param {
    name: "grains",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: 1 << 23 },
    default: "65536",
    help: "Grains of the heap, up to 2^23 (only for --scene heap)",
    kept: Kept::With("scene"),
    live: Live::Some(&["1024", "16384", "65536", "262144"]),
    ..Param::NEW
};

const EVERY: Param = Param {
    name: "rain",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 1 << 20 },
    default: "20",
    help: "A grain every N steps (only for --scene rain)",
    kept: Kept::With("scene"),
    live: Live::Slider(Slider::to(1.0, 1000.0).logarithmic()),
    label: "steps a grain",
    ..Param::NEW
};

const PARTS: Parts = Parts::Cells(&[("sand", 1)]);

/// Steps between two looks at whether a cell still topples.
const LOOK: u64 = 64;

/// Grains of a heap unless others are asked for.
const HEAP: u64 = 65_536;

/// The largest number of grains that 32 bits count.
const MOST: f32 = 16_777_216.0;

/// # Errors
/// [`Usage`]: a flag that the scene has no use for; a beginning beside that of a file.
fn refuse(request: &Request) -> Result<()> {
    let values = &request.values;
    let scene = values.choice(SCENE.name, &SCENES).unwrap_or(Scene::Heap);
    if values.has(THEN.name) && matches!(scene, Scene::Rain | Scene::Avalanches) {
        return Err(Usage("--then: only for --scene heap and identity".to_owned()).into());
    }
    let falls = scene == Scene::Avalanches || values.choice(THEN.name, &THENS) == Some(true);
    for (flag, given, of) in [
        ("--grains", values.has(GRAINS.name), Scene::Heap),
        ("--rain", values.has(EVERY.name), Scene::Rain),
        ("--seed", request.seed.is_some() && request.load.is_none() && !falls, Scene::Rain),
    ] {
        if given && scene != of {
            return Err(Usage(format!("{flag}: only for --scene {}", name_of(&SCENES, &of))).into());
        }
    }
    if request.load.is_none() {
        return Ok(());
    }
    let kept = |key: &str| request.state().and_then(|state| state.values.get(key));
    if values.has(GRAINS.name) && values.whole(GRAINS.name) != kept(GRAINS.name).and_then(Json::as_u64) {
        return Err(Usage("--grains: it chooses a beginning, and so does --load".to_owned()).into());
    }
    if scene == Scene::Identity && kept(SCENE.name).and_then(Json::as_str) != Some("identity") {
        let line = "--scene identity: it begins with six grains a cell, and --load with others: expected a state of that scene";
        return Err(Usage(line.to_owned()).into());
    }
    Ok(())
}

/// Grains that fall onto the cells around a middle: x, y, a square that those nearer to it stay below, grains a cell. Below 0 the cells
/// are those of a square, whose farther side stays below.
type Pour = [f32; 4];

const NOTHING: Pour = [0.0; 4];

/// Points of the bar of all cells, beside which the shares are said.
#[cfg(feature = "panel")]
const ROOM_OF_BAR: f32 = 90.0;

/// The loaded sand, with the seed and the grains of the heap that begins with it.
struct Loaded {
    sand: Vec<f32>,
    seed: u64,
    grains: Option<u64>,
}

/// Grains that the brush pours on a cell.
struct Grains(u32);

/// So many at first that a stroke becomes a pattern of its own.
const POURED: u32 = 64;

struct Sandpile {
    sand: DoubleBuffer,
    topple: Program,
    tallest: Reduction,
    scene: Scene,
    /// Grains of the heap; of one that was loaded those that its state tells.
    grains: Option<u64>,
    /// Steps a grain of rain.
    every: u64,
    seed: u64,
    steps: u64,
    /// Grains so far, those that fell off among them.
    added: u64,
    /// Six grains a cell have been taken away from six: what is left now is the identity.
    turned: bool,
    /// Nothing topples any more, and nothing is added.
    still: bool,
    /// The mouse's, until the next step.
    next: Pour,
    /// The grains that the last step poured.
    last: Pour,
    loaded: Option<Loaded>,
    anew: bool,
    /// Grains that the left button pours on a cell; the right one takes all away.
    pours: Grains,
    disc: Disc,
    /// The shares of the panel, and when they were read.
    shares: Option<([f64; 5], f64)>,
    view: FieldView,
    /// Grains fall when nothing topples any more.
    goes_on: bool,
    /// Counts avalanches, once grains fall one by one.
    avalanches: Option<Avalanches>,
    gpu: Gpu,
    host: Rc<dyn Host>,
}

/// The lit avalanche, whose numbers are the grains.
struct LitPicture<'a> {
    lit: FieldPicture<'a>,
    sand: &'a Buffer,
}

impl Picture for LitPicture<'_> {
    fn image(&mut self) -> Result<Image> {
        self.lit.image()
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        self.lit.draw(place)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        self.lit.layout(aspect)
    }

    fn say(&self, values: &mut Values) {
        self.lit.say(values);
    }

    fn numbers(&self) -> Option<Numbers<'_>> {
        let numbers = self.lit.numbers()?;
        let channels = self.lit.field.mapping.channels;
        Some(Numbers { source: Source::Weighed { buffer: self.sand, channels, north_up: false }, ..numbers })
    }

    fn brush(&mut self) -> Option<&mut Brush> {
        self.lit.brush()
    }

    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.lit.widgets(ui)
    }
}

/// Shares of 0, 1, 2 and 3 grains in an endless pile in the rain (Priezzhev 1994).
const ENDLESS: [f32; 4] = [0.0736, 0.1739, 0.3063, 0.4462];

fn field(sand: &Buffer) -> Field<'_> {
    let mapping = Mapping::of_component(0, 0.0, 4.0);
    Field { buffer: sand, heights: false, colours: "magma", mapping }
}

/// One step in whole numbers, without what is poured: the grains, and how many fall off.
fn toppled(sand: &[u64], width: usize) -> (Vec<u64>, u64) {
    let (mut next, mut fallen) = (sand.iter().map(|h| h % 4).collect::<Vec<_>>(), 0);
    for (i, times) in sand.iter().map(|h| h / 4).enumerate() {
        let (x, y) = (i % width, i / width);
        let neighbours = [
            (x > 0).then(|| i - 1),
            (x + 1 < width).then_some(i + 1),
            (y > 0).then(|| i - width),
            (i + width < sand.len()).then_some(i + width),
        ];
        for neighbour in neighbours {
            match neighbour {
                Some(neighbour) => next[neighbour] += times,
                None => fallen += times,
            }
        }
    }
    (next, fallen)
}

/// Adds what is poured; returns the number of grains.
fn add(sand: &mut [u64], width: usize, [x, y, square, grains]: Pour) -> u64 {
    let mut added = 0;
    for (i, h) in sand.iter_mut().enumerate().filter(|_| grains > 0.0) {
        let (dx, dy) = ((i % width) as f32 + 0.5 - x, (i / width) as f32 + 0.5 - y);
        let far = if square < 0.0 { (dx * dx).max(dy * dy) } else { dx * dx + dy * dy };
        if far < square.abs() {
            *h += grains as u64;
            added += grains as u64;
        }
    }
    added
}

fn whole(sand: &[f32]) -> Vec<u64> {
    sand.iter().map(|&h| h as u64).collect()
}

impl Sandpile {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Sandpile> {
        let (values, seed) = (&request.values, request.seed());
        let loaded = request.cells(values.size("size"), ABOUT.name, ["sand"])?;
        let is_none = |&h: &f32| h.fract() != 0.0 || !(0.0..MOST).contains(&h);
        if let (Some(path), Some((_, sand))) = (request.path(), &loaded)
            && let Some(cell) = sand.iter().position(is_none)
        {
            let line = anyhow!("cell {cell} has {} grains, expected a whole number below 2^24", sand[cell]);
            return Err(named(path, line));
        }
        let size = loaded.as_ref().map(|(size, _)| *size).or(values.size("size")).unwrap_or([255; 2]);
        check_size(gpu, "a table", size)?;
        let sand = gpu.buffer(size[0], size[1]).named("sand").double().build()?;
        let view = FieldView::new(gpu, request, &field(sand.front()))?;
        let mut pile = Sandpile {
            sand,
            topple: gpu.builtin("sim/sandpile_topple.frag")?,
            tallest: gpu.reduction(Operator::max()),
            scene: values.choice(SCENE.name, &SCENES).unwrap_or(Scene::Heap),
            grains: values.whole(GRAINS.name),
            every: values.whole(EVERY.name).unwrap_or(20),
            seed,
            steps: 0,
            added: 0,
            turned: false,
            still: false,
            next: NOTHING,
            last: NOTHING,
            loaded: loaded.map(|(_, sand)| Loaded { sand, seed, grains: values.whole(GRAINS.name) }),
            anew: false,
            pours: Grains(POURED),
            disc: Disc::new(gpu)?,
            shares: None,
            view,
            goes_on: values.choice(THEN.name, &THENS).unwrap_or(request.draws && !request.windowless),
            avalanches: None,
            gpu: gpu.clone(),
            host: request.host.clone(),
        };
        pile.reset(seed)?;
        Ok(pile)
    }

    fn size_in_cells(&self) -> (usize, usize) {
        (self.sand.front().width() as usize, self.sand.front().height() as usize)
    }

    /// The grains at first.
    fn beginning(&mut self) -> Vec<f32> {
        let (width, height) = self.size_in_cells();
        let each = [0.0, 3.0, 6.0, 0.0][self.scene as usize];
        let mut sand = vec![each; width * height];
        if self.scene == Scene::Avalanches {
            let mut random = Random(self.seed);
            for grains in &mut sand {
                let (mut left, mut found) = (random.unit(), 0);
                while found < 3 && left >= ENDLESS[found] {
                    left -= ENDLESS[found];
                    found += 1;
                }
                *grains = found as f32;
            }
        }
        if self.scene == Scene::Heap {
            sand[height / 2 * width + width / 2] = *self.grains.get_or_insert(HEAP) as f32;
        }
        sand
    }

    /// Looks whether anything topples; of the identity what is left is then taken from six.
    fn look(&mut self) -> Result<()> {
        let tallest = self.tallest.value(self.sand.front())?;
        if self.scene == Scene::Rain || tallest.first().is_none_or(|&most| most >= 4.0) {
            return Ok(());
        }
        let falls = self.falls();
        if let Some(avalanches) = &mut self.avalanches {
            avalanches.end()?;
            self.still = !falls;
            return Ok(());
        }
        if self.scene == Scene::Identity && !self.turned {
            let sand: Vec<f32> = self.sand.front().data()?.iter().map(|h| 6.0 - h).collect();
            self.turned = true;
            self.added = whole(&sand).iter().sum();
            return Ok(self.sand.write(&sand)?);
        }
        if self.goes_on {
            self.avalanches = Some(Avalanches::new(&self.gpu, self.sand.front())?);
            return Ok(());
        }
        (self.still, self.shares) = (true, None);
        Ok(())
    }

    /// Returns true if grains fall one by one when nothing topples.
    fn falls(&self) -> bool {
        self.scene == Scene::Avalanches || self.goes_on
    }

    /// Returns true if the scene comes to rest.
    fn has_end(&self) -> bool {
        matches!(self.scene, Scene::Heap | Scene::Identity)
    }

    /// A grain on a cell that the seed and the step choose.
    fn grain(&self) -> Pour {
        let (width, height) = self.size_in_cells();
        let mut random = Random(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.steps));
        let (x, y) = (random.below(width), random.below(height));
        [x as f32 + 0.5, y as f32 + 0.5, 0.5, 1.0]
    }
}

/// Shares of the cells with 0, 1, 2, 3 and more grains.
fn shares(sand: &[u64]) -> [f64; 5] {
    [0, 1, 2, 3, 4].map(|n| sand.iter().filter(|&&h| h.min(4) == n).count() as f64 / sand.len() as f64)
}

impl Demo for Sandpile {
    /// All cells topple as often as they can, and what is poured falls.
    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        let (width, height) = self.size_in_cells();
        self.last = std::mem::replace(&mut self.next, NOTHING);
        if self.scene == Scene::Rain && self.steps.is_multiple_of(self.every) && self.last == NOTHING {
            self.last = self.grain();
        }
        let by_hand = self.last != NOTHING;
        let fresh =
            !by_hand && self.falls() && self.avalanches.as_ref().is_some_and(|avalanches| avalanches.quiet);
        if fresh {
            self.last = self.grain();
        }
        if self.last != NOTHING {
            self.added += add(&mut vec![0; width * height], width, self.last);
            self.still = false;
        }
        self.topple.bind_stream("sand", self.sand.front())?.bind_float("pour", self.last)?;
        self.topple.run(self.sand.back())?;
        if let Some(avalanches) = &mut self.avalanches {
            avalanches.step(self.sand.front(), fresh)?;
            if by_hand && self.scene != Scene::Rain {
                (avalanches.spoiled, avalanches.quiet) = (true, false);
            }
        }
        self.sand.swap();
        let every = if self.avalanches.is_some() { BEAT } else { LOOK };
        if self.steps.is_multiple_of(every) { self.look() } else { Ok(()) }
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        self.avalanches = None;
        let sand = match &self.loaded {
            Some(Loaded { sand, seed: of, grains }) if *of == seed => {
                self.grains = *grains;
                sand.clone()
            }
            _ => self.beginning(),
        };
        self.sand.write(&sand)?;
        if self.scene == Scene::Avalanches {
            self.avalanches = Some(Avalanches::new(&self.gpu, self.sand.front())?);
        }
        (self.steps, self.added) = (0, whole(&sand).iter().sum());
        (self.turned, self.still, self.shares) = (false, false, None);
        (self.next, self.last) = (NOTHING, NOTHING);
        Ok(())
    }

    fn uses_seed(&self) -> bool {
        match self.scene {
            Scene::Rain | Scene::Avalanches => true,
            Scene::Heap | Scene::Identity => self.goes_on,
        }
    }

    fn is_over(&self) -> bool {
        self.still && self.next == NOTHING
    }

    fn size(&self) -> (String, &'static str) {
        let (width, height) = self.size_in_cells();
        (format!("{width}x{height}"), "cells")
    }

    fn numbers(&self) -> Result<Array> {
        let (width, height) = self.size_in_cells();
        Ok(Array { height, width, components: 1, values: self.sand.front().data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = PARTS.split(&self.numbers()?, [0; 3]);
        if let Some(avalanches) = &self.avalanches {
            arrays.extend(avalanches.arrays()?);
        }
        Ok(arrays)
    }

    fn values(&self) -> Values {
        Values::new()
            .with(SCENE.name, name_of(&SCENES, &self.scene))
            .with_some(GRAINS.name, self.grains.filter(|_| self.scene == Scene::Heap))
            .with_some(EVERY.name, (self.scene == Scene::Rain).then_some(self.every))
            .with_some(THEN.name, self.has_end().then(|| name_of(&THENS, &self.goes_on)))
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        self.every = values.whole(EVERY.name).unwrap_or(self.every);
        let scene = values.choice(SCENE.name, &SCENES).unwrap_or(self.scene);
        let grains = values.whole(GRAINS.name).or(self.grains);
        self.goes_on = values.choice(THEN.name, &THENS).unwrap_or(self.goes_on);
        if self.goes_on {
            self.still = false;
        }
        if (scene, grains) != (self.scene, self.grains) {
            (self.scene, self.grains) = (scene, grains);
            (self.loaded, self.anew) = (None, true);
            self.reset(self.seed)?;
        }
        Ok(())
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let mut extras = Map::new();
        extras.insert("added".to_owned(), self.added.into());
        extras.insert("turned".to_owned(), u64::from(self.turned).into());
        if self.uses_seed() {
            extras.insert("seed".to_owned(), self.seed.into());
        }
        if let Some(avalanches) = &self.avalanches {
            extras.insert("quiet".to_owned(), u64::from(avalanches.quiet).into());
            extras.insert("spoiled".to_owned(), u64::from(avalanches.spoiled).into());
        }
        Ok(extras)
    }

    /// The grains are loaded: what they were made of, and when rain falls next.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.steps = state.step;
        self.added = state.number("added")? as u64;
        self.turned = self.scene == Scene::Identity && state.number("turned")? != 0.0;
        self.avalanches = match Avalanches::are_in(state) || self.scene == Scene::Avalanches {
            true => Some(Avalanches::new(&self.gpu, self.sand.front())?),
            false => None,
        };
        match &mut self.avalanches {
            Some(avalanches) if Avalanches::are_in(state) => avalanches.restore(state),
            _ => Ok(()),
        }
    }

    /// Whole numbers on both sides: not a grain may lie elsewhere, and none may be lost.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let (before, after) = (whole(&before.values), whole(&self.numbers()?.values));
        let width = self.size_in_cells().0;
        let (mut exact, fallen) = toppled(&before, width);
        // The beginning of the identity has just been made from the step's result.
        let turned =
            self.turned && exact.iter().zip(&after).all(|(exact, after)| *exact <= 6 && 6 - exact == *after);
        if turned {
            exact.clone_from(&after);
        }
        let poured = add(&mut exact, width, self.last);
        let wrong = exact.iter().zip(&after).filter(|(exact, found)| exact != found).count();
        let (had, has) = (before.iter().sum::<u64>() + poured, after.iter().sum::<u64>() + fallen);
        let lost = if turned { 0 } else { had.abs_diff(has) };
        Ok(vec![
            Measure { name: "cells that differ", error: wrong as f64, bound: 0.0 },
            Measure { name: "grains that came or went", error: lost as f64, bound: 0.0 },
        ])
    }

    fn findings(&self) -> Result<Json> {
        let sand = whole(&self.numbers()?.values);
        let (grains, unstable) = (sand.iter().sum::<u64>(), sand.iter().filter(|&&h| h > 3).count());
        let fallen = self.added.saturating_sub(grains);
        let shares = &shares(&sand)[..4];
        let mut found = json!({
            "grains": grains, "added": self.added, "fallen": fallen, "unstable": unstable, "shares": shares,
        });
        if let (Some(avalanches), Some(found)) = (&self.avalanches, found.as_object_mut()) {
            found.extend(avalanches.tally.json().as_object().cloned().unwrap_or_default());
        }
        Ok(found)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        let sand = whole(&self.numbers()?.values);
        let mean = sand.iter().sum::<u64>() as f64 / sand.len() as f64;
        let endless = if self.scene == Scene::Rain { ", of an endless pile in the rain 17/8" } else { "" };
        Ok(vec![format!("{mean:.4} grains a cell{endless}; {} grains were added", self.added)])
    }

    /// Long enough to come to rest, but rain goes on.
    fn whole_run(&self) -> u64 {
        match self.scene {
            Scene::Rain => 2000,
            Scene::Avalanches => 10_000,
            Scene::Heap | Scene::Identity => 100_000,
        }
    }

    fn pace(&self) -> u64 {
        if self.scene == Scene::Rain { 10 } else { 40 }
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.sand.front().clone())
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view, &mut self.pours]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let sand = self.sand.front();
        match &self.avalanches {
            None => Box::new(FieldPicture { field: field(sand), view: &mut self.view }),
            Some(avalanches) => {
                let lit = FieldPicture { field: field(avalanches.shown()), view: &mut self.view };
                Box::new(LitPicture { lit, sand })
            }
        }
    }

    fn prepare(&mut self) -> Result<()> {
        match &mut self.avalanches {
            Some(avalanches) => avalanches.lit(self.sand.front()),
            None => Ok(()),
        }
    }

    /// Shares of cells by their grains, read twice a second, beside the colours of the picture.
    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        if let Some(avalanches) = &self.avalanches {
            avalanches::plot(ui, &avalanches.tally);
            ui.separator();
        }
        let now = self.host.seconds();
        let (shares, at) = match self.shares.filter(|(_, at)| now - at < 0.5) {
            Some(read) => read,
            None => (shares(&whole(&self.numbers()?.values)), now),
        };
        self.shares = Some((shares, at));
        let names = ["0 grains", "1 grain", "2 grains", "3 grains", "toppling"];
        for (n, (share, name)) in shares.into_iter().zip(names).enumerate() {
            let text = format!("{name}: {:.1} %", 100.0 * share);
            let [red, green, blue] = self.view.colour(n as f32, &field(self.sand.front()))?;
            ui.horizontal(|ui| {
                let (place, _) = ui.allocate_exact_size(egui::Vec2::splat(16.0), egui::Sense::hover());
                let (fill, line) =
                    (egui::Color32::from_rgb(red, green, blue), ui.visuals().weak_text_color());
                ui.painter().rect_filled(place, 2.0, line);
                ui.painter().rect_filled(place.shrink(1.0), 2.0, fill);
                let (bar, all) = ui.allocate_exact_size(egui::vec2(ROOM_OF_BAR, 10.0), egui::Sense::hover());
                ui.painter().rect_filled(bar, 2.0, ui.visuals().extreme_bg_color);
                let full = egui::vec2(bar.width() * share as f32, bar.height());
                ui.painter().rect_filled(egui::Rect::from_min_size(bar.min, full), 0.0, line);
                let says = "Share of the cells. In an endless pile in the rain 7.4, 17.4, 30.6 and 44.6 %";
                all.on_hover_text(says);
                ui.label(text).on_hover_text(says);
            });
        }
        ui.weak(match self.scene {
            Scene::Avalanches => "Where a grain falls says little of what it moves: small avalanches often, ones across the table seldom, and no usual size.",
            Scene::Heap | Scene::Identity if self.avalanches.is_some() => {
                "All was still, and grains fall one by one: each sets off an avalanche (lit), or none. What falls off keeps the pile at the brink."
            }
            Scene::Heap => "In whatever order cells topple, the same pattern is left: abelian.",
            Scene::Rain => "A grain moves nothing, or sets off an avalanche (pale): small ones often, ones across the table seldom. The scene avalanches counts them.",
            Scene::Identity if self.turned => "What is left when all is still is the zero of the sandpile group: added to a full table it changes nothing.",
            Scene::Identity => "Six grains a cell topple; what they leave is then taken from six, and topples again.",
        });
        if self.still {
            ui.label("Nothing topples any more. Pour sand with the mouse.");
        }
        ui.horizontal_wrapped(|ui| {
            ui.label("the left button pours");
            ui.add(egui::DragValue::new(&mut self.pours.0).range(1..=1000));
            ui.label("grains a cell, the right one takes all away");
        });
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn outlines(&self) -> &'static [Outline] {
        &[Outline::Round, Outline::Square]
    }

    fn has_second_touch(&self) -> bool {
        true
    }

    /// Pours grains on each cell of the brush with the next step, or takes away what is there.
    fn touch(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, tip, drag } = touch else { return Ok(()) };
        if !drag.right {
            let [x, y] = [x, y].map(|v| v.floor() + 0.5);
            let below = (tip.radius * tip.radius).floor() + 0.5;
            let below = if tip.outline == Outline::Square { -below } else { below };
            self.next = [x, y, below, self.pours.0 as f32];
            return Ok(());
        }
        let (sand, tip) = (self.sand.front(), tip.with_radius(tip.radius.max(0.71)));
        let Some(square) = Disc::square(sand, [x, y], tip.radius) else { return Ok(()) };
        let grains = || anyhow::Ok(whole(&sand.data_of(square)?).iter().sum::<u64>());
        let before = grains()?;
        self.disc.paint(sand, [x, y], tip, [0.0; 4])?;
        // They were never there: what has fallen is what was added and is gone.
        let taken = before - grains()?;
        (self.added, self.shares) = (self.added.saturating_sub(taken), None);
        if let Some(avalanches) = &mut self.avalanches {
            avalanches.spoiled = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use quadrille::sim::Tip;

    use super::*;
    use crate::demo::TestHost;

    /// The stable state by one toppling at a time, of the last unstable cell that was found: another order.
    fn stable(mut sand: Vec<u64>, width: usize) -> Vec<u64> {
        let mut unstable: Vec<usize> = (0..sand.len()).filter(|&i| sand[i] > 3).collect();
        while let Some(i) = unstable.pop() {
            if sand[i] < 4 {
                continue;
            }
            sand[i] -= 4;
            let (x, rows) = (i % width, sand.len());
            let around = [
                (x > 0).then(|| i - 1),
                (x + 1 < width).then_some(i + 1),
                i.checked_sub(width),
                (i + width < rows).then_some(i + width),
            ];
            for j in around.into_iter().flatten() {
                sand[j] += 1;
                unstable.extend((sand[j] > 3).then_some(j));
            }
            unstable.extend((sand[i] > 3).then_some(i));
        }
        sand
    }

    fn pile(gpu: &Gpu, flags: &[(&str, &str)]) -> Result<Sandpile> {
        let mut values = Values::new();
        for (name, text) in flags {
            let param = ABOUT.param(name).ok_or_else(|| anyhow!("no {name}"))?;
            values.set(param.name, param.parse(text).map_err(|line| anyhow!(line))?);
        }
        let request = Rc::new(Request::new(values, Rc::new(TestHost::default())));
        Sandpile::new(gpu, &request)
    }

    fn until_still(pile: &mut Sandpile) -> Result<Vec<u64>> {
        for _ in 0..10_000 {
            if pile.is_over() {
                break;
            }
            pile.step()?;
        }
        assert!(pile.is_over());
        Ok(whole(&pile.numbers()?.values))
    }

    #[test]
    fn the_stable_state_does_not_depend_on_the_order_of_toppling() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (size, grains) in [("1x1", 9), ("1x7", 100), ("31x17", 3000), ("16x16", 1023)] {
            let mut pile = pile(&gpu, &[("size", size), ("grains", &grains.to_string())])?;
            let (first, width) = (whole(&pile.numbers()?.values), pile.size_in_cells().0);
            assert_eq!(first.iter().sum::<u64>(), grains);
            assert_eq!(until_still(&mut pile)?, stable(first, width), "{size}");
        }
        Ok(())
    }

    /// The topplings of a whole avalanche do not depend on the order either: one cell at a time has as many.
    #[test]
    fn each_avalanche_is_counted_as_whole_numbers_count_it() -> Result<()> {
        let gpu = Gpu::headless()?;
        for flags in [
            &[("size", "17x13"), ("scene", "avalanches")][..],
            &[("size", "9x9"), ("grains", "200"), ("then", "grains")],
        ] {
            let mut pile = pile(&gpu, flags)?;
            let (width, mut exact, mut pending) =
                (pile.size_in_cells().0, avalanches::Tally::default(), None);
            for _ in 0..4000 {
                let before = whole(&pile.numbers()?.values);
                let was_quiet = pile.avalanches.as_ref().is_some_and(|avalanches| avalanches.quiet);
                pile.step()?;
                if was_quiet {
                    let mut sand = before;
                    assert_eq!(add(&mut sand, width, pile.last), 1, "a grain falls when all is still");
                    pending = Some(counted(sand, width));
                }
                let is_quiet = pile.avalanches.as_ref().is_some_and(|avalanches| avalanches.quiet);
                if let (true, Some((left, size, cells))) = (is_quiet, pending.take_if(|_| is_quiet)) {
                    exact.add(size, cells);
                    assert_eq!(whole(&pile.numbers()?.values), left, "{flags:?}");
                }
            }
            let found = pile.avalanches.map(|avalanches| avalanches.tally).unwrap_or_default();
            assert!(found.all() > 50 && found.none > 50 && found.largest > 30, "{flags:?}: {found:?}");
            assert_eq!(found, exact, "{flags:?}");
        }
        Ok(())
    }

    #[test]
    fn an_avalanche_that_a_hand_has_touched_is_not_counted() -> Result<()> {
        let mut pile = pile(&Gpu::headless()?, &[("size", "17x13"), ("scene", "avalanches")])?;
        (0..40).try_for_each(|_| pile.step())?;
        let count = |pile: &Sandpile| pile.avalanches.as_ref().map(|a| a.tally.all() + a.tally.none);
        let before = count(&pile);
        let drag = crate::picture::Drag::default();
        for _ in 0..BEAT - 1 {
            pile.touch(Touch::Cell { x: 8.5, y: 6.5, tip: 3.0.into(), drag })?;
            pile.step()?;
        }
        for _ in 0..2000 {
            if pile.avalanches.as_ref().is_some_and(|avalanches| avalanches.quiet) {
                break;
            }
            pile.step()?;
        }
        assert_eq!(count(&pile), before);
        Ok(())
    }

    /// The sand after an avalanche, its topplings and its cells, one toppling at a time.
    fn counted(mut sand: Vec<u64>, width: usize) -> (Vec<u64>, u64, u64) {
        let mut times = vec![0u64; sand.len()];
        while let Some(i) = sand.iter().rposition(|&h| h > 3) {
            let one: Vec<u64> = (0..sand.len()).map(|j| if i == j { 4 } else { 0 }).collect();
            let (next, _) = toppled(&one, width);
            sand[i] -= 4;
            sand.iter_mut().zip(next).for_each(|(h, more)| *h += more);
            times[i] += 1;
        }
        let (topplings, cells) = (times.iter().sum(), times.iter().filter(|&&n| n > 0).count() as u64);
        (sand, topplings, cells)
    }

    #[test]
    fn the_shares_are_read_anew_at_rest() -> Result<()> {
        let mut pile = pile(&Gpu::headless()?, &[("size", "9x9"), ("grains", "50")])?;
        pile.shares = Some(([0.0; 5], 0.0));
        until_still(&mut pile)?;
        assert_eq!(pile.shares, None);
        Ok(())
    }

    #[test]
    fn the_identity_changes_no_state_of_the_group() -> Result<()> {
        let gpu = Gpu::headless()?;
        for size in ["1x1", "8x8", "17x12"] {
            let mut pile = pile(&gpu, &[("size", size), ("scene", "identity")])?;
            let identity = until_still(&mut pile)?;
            let width = pile.size_in_cells().0;
            // A full table belongs to the group, and so does the identity.
            for other in [vec![3; identity.len()], identity.clone()] {
                let sum = identity.iter().zip(&other).map(|(a, b)| a + b).collect();
                assert_eq!(stable(sum, width), other, "{size}");
            }
        }
        Ok(())
    }

    #[test]
    fn the_right_button_takes_sand_away_and_its_grains_have_not_fallen() -> Result<()> {
        let mut pile = pile(&Gpu::headless()?, &[("size", "23x11"), ("grains", "500")])?;
        (0..20).try_for_each(|_| pile.step())?;
        let count = |pile: &Sandpile| -> Result<[u64; 3]> {
            let findings = pile.findings()?;
            Ok(["grains", "added", "fallen"].map(|name| findings[name].as_u64().unwrap_or(u64::MAX)))
        };
        let [grains, added, fallen] = count(&pile)?;
        let drag = crate::picture::Drag { right: true, ..Default::default() };
        pile.touch(Touch::Cell { x: 11.5, y: 5.5, tip: 2.2.into(), drag })?;
        let [left, told, gone] = count(&pile)?;
        assert!(left < grains, "{left} of {grains}");
        assert_eq!((grains - left, fallen), (added - told, gone));
        // The check knows nothing of it: it looks at the next step.
        let before = pile.numbers()?;
        assert!(before.values.iter().enumerate().all(|(i, &h)| {
            let (dx, dy) = ((i % 23) as f32 - 11.0, (i / 23) as f32 - 5.0);
            dx.hypot(dy) > 2.2 || h == 0.0
        }));
        pile.step()?;
        assert!(pile.check(&before)?.iter().all(Measure::passes));
        Ok(())
    }

    #[test]
    fn sand_that_is_poured_is_counted_and_topples_as_exactly() -> Result<()> {
        let mut pile = pile(&Gpu::headless()?, &[("size", "23x11"), ("scene", "rain"), ("rain", "3")])?;
        for step in 0..40 {
            if step % 5 == 0 {
                let (x, y) = (step as f32 / 2.0, 4.25);
                let outline = [Outline::Round, Outline::Square][step / 5 % 2];
                let tip = Tip { radius: 3.0, outline };
                pile.touch(Touch::Cell { x, y, tip, drag: crate::picture::Drag::default() })?;
            }
            let before = pile.numbers()?;
            pile.step()?;
            let measures = pile.check(&before)?;
            assert!(measures.iter().all(Measure::passes), "{step}: {measures:?}");
        }
        let findings = pile.findings()?;
        let number = |name: &str| findings[name].as_u64().unwrap_or(0);
        assert!(number("fallen") > 0 && number("added") == number("grains") + number("fallen"), "{findings}");
        Ok(())
    }
}
