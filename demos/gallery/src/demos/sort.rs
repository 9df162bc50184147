//! Bitonic sort: a pass of the network each step.

mod way;

use std::f32::consts::TAU;
use std::rc::Rc;

use anyhow::{Result, ensure};
use quadrille::numeric::Random;
use quadrille::streams::Sort;
use quadrille::view::{Mapping, Network, Tones};
use quadrille::{Buffer, Gpu, Program, Rect};
use quadrille_oracle::streams::{bitonic, exchange};
use serde_json::{Map, Value as Json, json};

use self::way::Way;
use super::histogram::scenes::{self, Scene};
use crate::demo::{About, Demo, Measure, Request, Usage, View};
use crate::image::Image;
use crate::palette;
use crate::param::{Kept, Kind, Live, Offer, Param, Section, Values, choices, name_of};
use crate::picture::{
    COLOURS, Field, FieldPicture, FieldView, Layout, Mark, Numbers, Picture, Source, Touch,
};
use crate::state::{Array, Named, Parts, State, check_size};

pub const ABOUT: About = About {
    name: "sort",
    shows: "A field of numbers, sorted by a bitonic network, and the network (GPU Gems 2, chapter 31)",
    keywords: "order network bitonic merge keys algorithm picture shuffled",
    first: "Press on a pixel: its way through the network is drawn",
    computes: "A bitonic network: in each pass every number is compared with a partner at a fixed distance, and the smaller goes to the \
               side that the pass says. After (log n)(log n + 1) / 2 exchanges every input is in order, rows from the top.",
    formula: "compare and exchange, i < j = partner of i:  (a_i, a_j) → (min(a_i, a_j), max(a_i, a_j))",
    kernels: &[
        "streams/sort_pack.frag",
        "streams/sort_pass.frag",
        "streams/sort_unpack.frag",
        "view/network_draw.frag",
        "view/looked_up.frag",
    ],
    paper: "Batcher 1968; Purcell et al. 2003; Harris, GPU Gems 2, chapter 31",
    quantity: "number",
    parameters: &[&[SIZE, KEYS, VIEW, LOOP, Param { default: "magma", ..COLOURS }]],
    flags: &[
        (
            "check",
            "Without a window; exit 1 past a bound. Every pass against the same exchanges on the CPU: no number may lie \
             elsewhere",
        ),
        ("save", "Write the numbers as they lie at the end: float32, height x width"),
        ("load", "Sort such numbers, finite ones; colours go from the least to the largest of them"),
    ],
    check: refuse,
    start: |gpu, request| Ok(Box::new(Sorting::new(gpu, request)?)),
    ..About::NEW
};

const SIZE: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "512x512, or those of --load, of a .npy sorted from the first pass on",
    help: "Numbers, as WIDTHxHEIGHT, 2^24 of them at most, sorted row after row; a GPU may take subnormal ones (nearer to 0 \
           than 1.2e-38) for 0 and leave them unsorted, which is said",
    live: Live::Some(&["8x4", "32x32", "128x128", "512x512"]),
    label: "numbers",
    ..Param::NEW
};

const KEYS: Param = Param {
    name: "keys",
    kind: Kind::Choice(|| choices(&KEY_KINDS)),
    default: "picture",
    help: "The numbers to sort. The network makes the same exchanges of all of them",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

/// Numbers from 0 to 1 to be sorted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keys {
    Picture,
    Noise,
    Nearly,
    Reversed,
    Few,
    Sine,
}

const KEY_KINDS: [(&str, &str, Keys); 6] = [
    (
        "picture",
        "the places of a picture's pixels, shuffled; colours show the pixel that a number is the place of",
        Keys::Picture,
    ),
    ("noise", "each by itself", Keys::Noise),
    ("nearly", "in order, but for one in fifty that has changed places with another", Keys::Nearly),
    ("reversed", "the largest first", Keys::Reversed),
    ("few", "eight numbers, again and again", Keys::Few),
    ("sine", "three waves", Keys::Sine),
];

impl Keys {
    /// So many of that seed.
    fn made(self, len: usize, seed: u64) -> Vec<f32> {
        let mut random = Random(seed);
        let mut unit = || random.unit();
        let place = |i: usize| i as f32 / len as f32;
        match self {
            Keys::Picture => random.shuffled(len).into_iter().map(place).collect(),
            Keys::Noise => (0..len).map(|_| unit()).collect(),
            Keys::Nearly => {
                let mut keys: Vec<f32> = (0..len).map(place).collect();
                let mut item = || ((unit() * len as f32) as usize).min(len - 1);
                (0..len / 100).for_each(|_| keys.swap(item(), item()));
                keys
            }
            Keys::Reversed => (0..len).rev().map(place).collect(),
            Keys::Few => (0..len).map(|_| (8.0 * unit()).floor() / 7.0).collect(),
            Keys::Sine => (0..len).map(|i| 0.5 - 0.5 * (3.0 * TAU * place(i)).cos()).collect(),
        }
    }

    fn has_seed(self) -> bool {
        !matches!(self, Keys::Reversed | Keys::Sine)
    }
}

const VIEW: Param = Param {
    name: "view",
    kind: Kind::Choice(|| choices(&VIEWS)),
    default: "numbers",
    help: "What pictures show",
    live: Live::Words,
    section: Section::Shown,
    ..Param::NEW
};

const LOOP: Param = Param {
    name: "loop",
    kind: Kind::Choice(|| choices(&LOOPS)),
    default: "yes in a window, else no",
    help: "What comes after the last pass; a .npy of --load is sorted once",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

const LOOPS: [(&str, &str, bool); 2] = [
    (
        "yes",
        "after a rest of as many steps as there were passes, 16 at most, it begins anew with the same numbers",
        true,
    ),
    ("no", "the numbers stay sorted", false),
];

/// Numbers at most whose order is looked at, evenly out of all of them.
const LOOKED_AT: usize = 4096;

/// The share of the pairs that stand in the wrong order.
fn disorder(numbers: &[f32]) -> f64 {
    let every = numbers.len().div_ceil(LOOKED_AT).max(1);
    let mut rest: Vec<f32> = numbers.iter().copied().step_by(every).collect();
    let (len, mut wrong) = (rest.len(), 0_usize);
    // Halves in order are merged: an item of the right one comes before all that are left of the left one.
    let mut half = 1;
    while half < len {
        for block in rest.chunks_mut(2 * half) {
            let (left, right) = block.split_at(half.min(block.len()));
            let (mut merged, mut i) = (Vec::with_capacity(block.len()), 0);
            for &item in right {
                while i < left.len() && left[i] <= item {
                    merged.push(left[i]);
                    i += 1;
                }
                wrong += left.len() - i;
                merged.push(item);
            }
            merged.extend_from_slice(&left[i..]);
            block.copy_from_slice(&merged);
        }
        half *= 2;
    }
    let pairs = len * len.saturating_sub(1) / 2;
    wrong as f64 / pairs.max(1) as f64
}

/// The stage of an exchange, both from 1, and how far apart partners are in it at most: a stage is as many exchanges as its number.
fn stage(exchange: usize) -> (usize, usize) {
    let (mut stage, mut before) = (1, 0);
    while exchange > before + stage {
        before += stage;
        stage += 1;
    }
    let within = exchange - before;
    // The first one of a stage joins mirror images.
    (stage, if within == 1 { (1 << stage) - 1 } else { 1 << (stage - within) })
}

/// Steps from the last pass of so many to the next beginning: as long as they took, or 16 of them.
fn rest_after(passes: usize) -> usize {
    passes.clamp(1, 16)
}

/// Passes of the network that lie behind the numbers of a state, and steps since the last one.
const PASSES_DONE: &str = "passes_done";
const RESTED: &str = "rest";

/// The content of pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shown {
    Numbers,
    Network,
}

const VIEWS: [(&str, &str, Shown); 2] = [
    ("numbers", "the numbers as they lie, a pixel each", Shown::Numbers),
    (
        "network",
        "who is compared with whom: up to 32 numbers a line each, of more a line for each 32nd of them",
        Shown::Network,
    ),
];

/// The numbers as they lie.
const PARTS: Parts = Parts::Cells(&[("number", 1)]);

/// # Errors
/// [`Usage`]: keys beside an array of them.
fn refuse(request: &Request) -> Result<()> {
    if given_array(request) && request.values.has(KEYS.name) {
        return Err(Usage("--keys: a .npy of --load has the numbers".to_owned()).into());
    }
    if given_array(request) && request.values.choice(LOOP.name, &LOOPS) == Some(true) {
        return Err(Usage("--loop yes: the numbers of a .npy of --load are sorted once".to_owned()).into());
    }
    Ok(())
}

/// Returns true if the numbers are those of an array, without all else that a state has.
fn given_array(request: &Request) -> bool {
    request.load.is_some() && request.state().is_none()
}

/// The range of the colours: from the least to the largest of them; between it and 0 where all are the same number, or nearly.
fn range(numbers: &[f32]) -> [f32; 2] {
    let low = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let high = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    match high - low {
        span if span.is_normal() => [low, high],
        f32::INFINITY => [0.5 * low, 0.5 * high],
        _ if low.is_normal() => [low.min(0.0), high.max(0.0)],
        _ => [0.0, 1.0],
    }
}

/// The whole number of that name in a state, if it is less than `most`.
fn below(state: &State, name: &str, most: usize) -> Result<usize> {
    let found = state.number(name)?;
    let is_one = found >= 0.0 && found < most as f64 && found.fract() == 0.0;
    ensure!(is_one, "value \"{name}\" is {found}, expected a whole number from 0 to {}", most - 1);
    Ok(found as usize)
}

struct Sorting {
    gpu: Gpu,
    sort: Sort,
    /// As they are after the passes so far.
    numbers: Buffer,
    /// The numbers of the first and of the last colour.
    range: [f32; 2],
    network: Network,
    keys: Keys,
    seed: u64,
    shown: Shown,
    /// Other numbers have been begun with since this was last asked.
    anew: bool,
    /// It begins anew after the last pass.
    looped: bool,
    /// Steps since the last pass.
    rest: usize,
    /// The loaded numbers are those of an array, whose first order no state has.
    fixed: bool,
    /// The loaded numbers and the seed that stands for them.
    loaded: Option<(Vec<f32>, u64)>,
    lookup: Lookup,
    /// The way of a key that was pressed.
    followed: Option<Way>,
    /// Passes that lie behind the loaded numbers.
    resumed: usize,
    /// The disorder after each pass that a panel has seen.
    #[cfg(feature = "panel")]
    course: Course,
    view: FieldView,
}

/// The picture whose places are sorted, and the pixels as they lie now.
struct Lookup {
    /// It has the picture, too.
    program: Program,
    shown: Buffer,
}

impl Lookup {
    fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Lookup> {
        let mut picture = scenes::made(Scene::Dark, width as usize, height as usize, Request::SEED).light;
        // A valley against the light has half of all brightnesses; colours want all of them.
        let most = picture.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        picture.iter_mut().for_each(|light| *light = (*light / most).max(0.0).powf(0.6));
        let table = gpu.buffer(width, height).named("picture").init(&picture)?;
        let shown = gpu.buffer(width, height).named("pixels").build()?;
        let mut program = gpu.builtin("view/looked_up.frag")?;
        program.bind_stream("table", &table)?.bind_float("sides", [width as f32, height as f32])?;
        Ok(Lookup { program, shown })
    }

    fn look(&mut self, numbers: &Buffer) -> Result<()> {
        self.program.bind_stream("numbers", numbers)?;
        Ok(self.program.run(&self.shown)?)
    }
}

/// The disorder over the passes.
#[cfg(feature = "panel")]
#[derive(Default)]
struct Course {
    curve: crate::play::Curve,
    /// The last pass that was looked at.
    last: Option<usize>,
}

/// The network of the sort, whose lines have the colours of the field.
struct NetworkPicture<'a> {
    field: FieldPicture<'a>,
    network: &'a mut Network,
    range: [f32; 2],
    /// Passes.
    done: usize,
}

impl Picture for NetworkPicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let [width, height] = self.network.size();
        let rgba = self.network.picture(self.field.view.map(), self.range, self.done)?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        Ok(self.network.draw(self.field.view.map(), self.range, self.done, None, place)?)
    }

    fn layout(&self, _aspect: f64) -> Result<Layout> {
        let [columns, rows] = self.network.size();
        Ok(Layout::Map { columns, rows })
    }

    fn say(&self, values: &mut Values) {
        self.field.say(values);
    }

    /// The colours of its lines.
    fn numbers(&self) -> Option<Numbers<'_>> {
        Some(Numbers {
            source: Source::Unread,
            ends: self.range,
            tones: Tones::default(),
            ..self.field.numbers()?
        })
    }

    /// Lines have the ends and the scale of the demo alone.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.field.colour_widgets(ui)
    }
}

/// The numbers in the colours of that range.
fn field(numbers: &Buffer, [low, high]: [f32; 2]) -> Field<'_> {
    let mapping = Mapping::of_component(0, low, high);
    Field { buffer: numbers, heights: false, colours: palette::DEFAULT, mapping }
}

/// All that depends on how many numbers there are.
struct Made {
    numbers: Buffer,
    sort: Sort,
    network: Network,
    lookup: Lookup,
}

impl Made {
    fn new(gpu: &Gpu, size: [u32; 2]) -> Result<Made> {
        check_size(gpu, "numbers", size)?;
        let [width, height] = size;
        let numbers = gpu.buffer(width, height).named("numbers").build()?;
        let sort = Sort::keys(gpu, numbers.len())?;
        let network = Network::new(gpu, &numbers, &sort)?;
        Ok(Made { numbers, sort, network, lookup: Lookup::new(gpu, width, height)? })
    }
}

impl Sorting {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Sorting> {
        let (asked, seed) = (request.values.size("size"), request.seed());
        let loaded = request.cells(asked, ABOUT.name, ["number"])?;
        let size = loaded.as_ref().map(|(size, _)| *size).or(asked).unwrap_or([512, 512]);
        let Made { numbers, sort, network, lookup } = Made::new(gpu, size)?;
        let loaded = loaded.map(|(_, numbers)| (numbers, seed));
        let keys = request.values.choice(KEYS.name, &KEY_KINDS).unwrap_or(Keys::Picture);
        let shown = request.values.choice(VIEW.name, &VIEWS).unwrap_or(Shown::Numbers);
        let view = FieldView::new(gpu, request, &field(&numbers, [0.0, 1.0]))?;
        let (range, anew) = ([0.0, 1.0], false);
        let (rest, fixed) = (0, given_array(request));
        let usual = request.draws && !request.windowless && !fixed;
        let looped = request.values.choice(LOOP.name, &LOOPS).unwrap_or(usual);
        let mut sorting = Sorting {
            gpu: gpu.clone(),
            sort,
            numbers,
            range,
            network,
            keys,
            seed,
            shown,
            anew,
            looped,
            rest,
            fixed,
            loaded,
            lookup,
            followed: None,
            resumed: 0,
            #[cfg(feature = "panel")]
            course: Course::default(),
            view,
        };
        sorting.reset(seed)?;
        Ok(sorting)
    }

    /// So many other numbers, from the beginning.
    fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        if size == [self.numbers.width(), self.numbers.height()] {
            return Ok(());
        }
        let Made { numbers, sort, network, lookup } = Made::new(&self.gpu, size)?;
        (self.numbers, self.sort, self.network, self.lookup) = (numbers, sort, network, lookup);
        (self.loaded, self.fixed, self.anew) = (None, false, true);
        self.reset(self.seed)
    }

    /// Returns true if the picture shows what the numbers are the places of.
    fn shows_pixels(&self) -> bool {
        self.keys == Keys::Picture && !self.fixed && self.shown == Shown::Numbers
    }

    /// Follows the key that lies at that place now.
    fn follow(&mut self, at: usize) -> Result<()> {
        let begun = match &self.loaded {
            Some((numbers, _)) => numbers.clone(),
            None => self.keys.made(self.numbers.len(), self.seed),
        };
        let (from, done) = (self.sort.exchanges(self.resumed), self.sort.exchanges(self.sort.passes_done()));
        self.followed = Way::of(begun, from, done, at);
        Ok(())
    }

    /// The way as it is drawn: past exchanges to where it is, and those to come.
    fn drawn_way(&self, way: &Way) -> [Vec<[f32; 2]>; 2] {
        let done = self.sort.exchanges(self.sort.passes_done());
        let all = way.from + way.places.len() - 1;
        let part = |from: usize, to: usize| -> Vec<[f32; 2]> {
            match self.shown {
                Shown::Numbers => (from..=to).map(|exchanges| self.cell_of(way.at(exchanges))).collect(),
                Shown::Network => {
                    let first = [self.wire_end(from, way.at(from)), self.network.place_of(way.at(from))];
                    let wires = (from..to).flat_map(|exchange| {
                        let (before, after) = (way.at(exchange), way.at(exchange + 1));
                        let [x, y] = self.network.wire(exchange, before);
                        [[x, y], [x, self.network.place_of(after)]]
                    });
                    let last = [self.wire_end(to, way.at(to)), self.network.place_of(way.at(to))];
                    [first].into_iter().chain(wires).chain([last]).collect()
                }
            }
        };
        let done = done.clamp(way.from, all);
        [part(way.from, done), part(done, all)]
    }

    /// Where a line is left between two exchanges: at the wire of the next one, at both ends of the drawing.
    fn wire_end(&self, exchanges: usize, item: usize) -> f32 {
        match exchanges {
            0 => 0.0,
            all if all >= self.sort.exchanges(self.sort.passes()) => 1.0,
            next => self.network.wire(next, item)[0],
        }
    }

    /// The share of the picture at which a place lies.
    fn cell_of(&self, place: usize) -> [f32; 2] {
        let [width, height] = [self.numbers.width(), self.numbers.height()].map(|side| side as usize);
        [((place % width) as f32 + 0.5) / width as f32, ((place / width) as f32 + 0.5) / height as f32]
    }

    /// Returns true once the network has done all its passes.
    fn is_through(&self) -> bool {
        self.sort.passes_done() == self.sort.passes()
    }
}

impl Demo for Sorting {
    /// Once all passes are done there is nothing left to do, but to begin anew in a loop.
    fn step(&mut self) -> Result<()> {
        if self.is_through() && self.looped {
            self.rest += 1;
            if self.rest >= rest_after(self.sort.passes()) {
                // Those of a state are half sorted.
                self.loaded = self.loaded.take().filter(|_| self.fixed);
                let followed = self.followed.take().filter(|way| way.from == 0);
                self.reset(self.seed)?;
                self.followed = followed;
                return Ok(());
            }
        }
        if self.sort.pass()? {
            self.sort.unload(&self.numbers, None)?;
            self.network.record(&self.numbers, self.sort.passes_done(), false)?;
        }
        Ok(())
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        (self.seed, self.rest) = (seed, 0);
        (self.followed, self.resumed) = (None, 0);
        match &self.loaded {
            Some((numbers, of)) if *of == seed => {
                self.numbers.write(numbers)?;
                self.range = range(numbers);
            }
            _ => {
                self.numbers.write(&self.keys.made(self.numbers.len(), seed))?;
                self.range = [0.0, 1.0];
            }
        }
        self.network.record(&self.numbers, 0, true)?;
        Ok(self.sort.load(&self.numbers, None)?)
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.numbers.width(), self.numbers.height()), "numbers")
    }

    fn values(&self) -> Values {
        Values::new()
            .with("keys", name_of(&KEY_KINDS, &self.keys))
            .with("view", name_of(&VIEWS, &self.shown))
            .with_some("loop", (!self.fixed).then(|| name_of(&LOOPS, &self.looped)))
    }

    /// Other keys begin anew, and so do more or fewer of them.
    fn set(&mut self, values: &Values) -> Result<()> {
        if let Some(size) = values.size(SIZE.name) {
            self.resize(size)?;
        }
        self.shown = values.choice(VIEW.name, &VIEWS).unwrap_or(self.shown);
        self.looped = values.choice(LOOP.name, &LOOPS).unwrap_or(self.looped);
        if let Some(keys) =
            values.choice(KEYS.name, &KEY_KINDS).filter(|&keys| keys != self.keys || self.loaded.is_some())
        {
            (self.keys, self.loaded, self.fixed, self.anew) = (keys, None, false, true);
            self.reset(self.seed)?;
        }
        Ok(())
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    fn offer(&self, param: &Param) -> Offer {
        match param.name {
            "size" => Offer::of(param).now([self.numbers.width(), self.numbers.height()]),
            _ => Offer::of(param),
        }
    }

    fn uses_seed(&self) -> bool {
        self.loaded.is_some() || self.keys.has_seed()
    }

    fn numbers(&self) -> Result<Array> {
        let (width, height) = (self.numbers.width() as usize, self.numbers.height() as usize);
        Ok(Array { height, width, components: 1, values: self.numbers.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.numbers()?, [0; 3]))
    }

    /// The range of the colours, which go on, too, and how far the network is: a loop may have been on for some of the steps.
    fn extras(&self) -> Result<Map<String, Json>> {
        let [low, high] = self.range;
        let extras: [(&str, Json); 4] = [
            ("low", low.into()),
            ("high", high.into()),
            (PASSES_DONE, self.sort.passes_done().into()),
            (RESTED, self.rest.into()),
        ];
        Ok(extras.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The numbers are loaded: so many passes of the network lie behind them. A state that does not say how many has made one a step.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.range = [state.number("low")? as f32, state.number("high")? as f32];
        let passes = self.sort.passes();
        let done = if state.values.contains_key(PASSES_DONE) {
            self.rest = below(state, RESTED, rest_after(passes))?;
            below(state, PASSES_DONE, passes + 1)?
        } else {
            let step = usize::try_from(state.step)?;
            let step = if self.looped { step % (passes + rest_after(passes)) } else { step };
            let done = step.min(passes);
            self.rest = if self.looped { step - done } else { 0 };
            done
        };
        (self.followed, self.resumed) = (None, done);
        self.network.record(&self.numbers, done, true)?;
        Ok(self.sort.resume(&self.numbers, None, done)?)
    }

    /// The order is told by looking at the numbers.
    fn findings(&self) -> Result<Json> {
        let (done, passes) = (self.sort.passes_done(), self.sort.passes());
        let numbers = self.numbers.data()?;
        let disorder = disorder(&numbers);
        Ok(
            json!({ "passes": passes, "passes_done": done, "sorted": numbers.is_sorted(), "disorder": disorder }),
        )
    }

    /// An order that the network did not bring about: a GPU may take subnormal numbers for 0, which are then equal to it.
    fn warning(&self, state: &Array) -> Option<String> {
        let numbers = &state.values;
        if !self.is_through() || numbers.is_sorted() {
            return None;
        }
        let subnormal = numbers.iter().filter(|number| number.is_subnormal()).count();
        let why = match subnormal {
            0 => String::new(),
            _ => format!(
                ": this GPU takes subnormal numbers (nearer to 0 than 1.2e-38), of which there are {subnormal}, for 0"
            ),
        };
        Some(format!("the numbers are not sorted after the last pass{why}"))
    }

    /// The exchanges of the last pass on the CPU: the same numbers to the bit.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let mut exact = before.values.clone();
        let done = self.sort.passes_done();
        let (from, to) = (self.sort.exchanges(done.saturating_sub(1)), self.sort.exchanges(done));
        let masks = bitonic(exact.len().next_power_of_two().max(4));
        // Steps after the last pass change nothing, and neither do its exchanges once more.
        masks[from..to].iter().for_each(|mask| exchange(&mut exact, *mask));
        let found = self.numbers()?.values;
        let wrong = found.iter().zip(&exact).filter(|(found, exact)| found != exact).count();
        Ok(vec![Measure { name: "misplaced numbers", error: wrong as f64, bound: 0.0 }])
    }

    /// Every pass.
    fn looks(&self) -> u64 {
        self.whole_run()
    }

    /// As many as the network has passes.
    fn whole_run(&self) -> u64 {
        self.sort.passes() as u64
    }

    fn pace(&self) -> u64 {
        1
    }

    /// Passes to be followed with the eye: four seconds of them, where they are few.
    fn rate(&self) -> Option<f64> {
        Some((0.27 * self.sort.passes() as f64).clamp(1.0, 8.0))
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.numbers.clone())
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view]
    }

    /// The pixels at the places that the numbers are.
    fn prepare(&mut self) -> Result<()> {
        match self.shows_pixels() {
            true => self.lookup.look(&self.numbers),
            false => Ok(()),
        }
    }

    fn quantity(&self) -> Option<&str> {
        self.shows_pixels().then_some("brightness")
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let shown = if self.shows_pixels() { &self.lookup.shown } else { &self.numbers };
        let field = FieldPicture { field: field(shown, self.range), view: &mut self.view };
        match self.shown {
            Shown::Numbers => Box::new(field),
            Shown::Network => {
                let done = self.sort.passes_done();
                Box::new(NetworkPicture { field, network: &mut self.network, range: self.range, done })
            }
        }
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn has_brush(&self) -> bool {
        false
    }

    /// Follows the key that is pressed on.
    fn touch(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, drag, .. } = touch else { return Ok(()) };
        if !drag.begins {
            return Ok(());
        }
        let at = match self.shown {
            Shown::Numbers => y as usize * self.numbers.width() as usize + x as usize,
            Shown::Network => self.network.item_at(y / self.network.size()[1] as f32),
        };
        self.follow(at)
    }

    /// The way of the key that is followed.
    fn marks(&self) -> Vec<Mark> {
        let Some(way) = &self.followed else { return Vec::new() };
        let [past, coming] = self.drawn_way(way);
        let at = past.last().copied().unwrap_or_default();
        let end = match self.shown {
            Shown::Numbers => self.cell_of(way.last()),
            Shown::Network => [1.0, self.network.place_of(way.last())],
        };
        vec![
            Mark::Path { points: coming, colour: [150, 210, 255, 110], arrow: false },
            Mark::Path { points: past, colour: [255, 215, 90, 230], arrow: false },
            Mark::Ring { at: end, radius: 0.016, colour: [120, 230, 140, 255] },
            Mark::Ring { at, radius: 0.012, colour: [255, 235, 160, 255] },
        ]
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let (done, passes) = (self.sort.passes_done(), self.sort.passes());
        let exchanges = self.sort.exchanges(done);
        let all = stage(self.sort.exchanges(passes)).0;
        ui.monospace(format!("pass {done} of {passes}, {exchanges} exchanges a number"));
        if done > 0 {
            let (last, apart) = stage(exchanges);
            let first = stage(self.sort.exchanges(done - 1) + 1).1;
            ui.label(format!("Stage {last} of {all}: blocks of {} come into order.", 1_u64 << last))
                .on_hover_text(
                    "A stage merges blocks that are in order, two by two, into blocks twice as long",
                );
            ui.label(match first == apart {
                true => format!("Partners {apart} apart."),
                false => format!("Partners {first} to {apart} apart."),
            });
        }
        if self.course.last != Some(done) {
            let found = disorder(&self.numbers.data()?);
            self.course.curve.add(done as u64, found);
            self.course.last = Some(done);
        }
        ui.weak("pairs in the wrong order, as a share of all, over the passes");
        crate::play::plot(ui, &[(&self.course.curve, egui::Color32::from_rgb(240, 170, 70))], false);
        self.show_way(ui);
        if self.shown == Shown::Network {
            ui.weak("A wire joins two that are compared: the smaller goes up. White ones on the band are those of the last pass.");
            if self.numbers.len() > 32 {
                ui.weak("Each line stands for many numbers: of 8x4 each has its own.");
            }
        }
        if self.is_through() && self.looped {
            ui.label(format!("Sorted. It begins anew in {} steps.", rest_after(passes) - self.rest));
        }
        if self.is_over() {
            ui.label("Sorted. Reset begins anew, and so does loop.");
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_through() && !self.looped
    }
}

#[cfg(feature = "panel")]
impl Sorting {
    /// Says where the followed key is, and how far from its place.
    fn show_way(&mut self, ui: &mut egui::Ui) {
        ui.separator();
        let Some(way) = &self.followed else {
            ui.label("Press on the picture: a key is followed.");
            return;
        };
        let exchanges = self.sort.exchanges(self.sort.passes_done());
        let (at, last) = (way.at(exchanges), way.last());
        let rows = [
            ("key", crate::play::written(way.key.into())),
            ("place now", format!("{at} (yellow ring)")),
            ("in the end", format!("{last} (green ring)")),
            ("moved", format!("{} of {exchanges} exchanges", way.moves(exchanges))),
        ];
        crate::panel::rows(ui, "followed", rows);
        let mut curve = crate::play::Curve::default();
        for pass in self.resumed..=self.sort.passes_done() {
            let place = way.at(self.sort.exchanges(pass));
            curve.add(pass as u64, place.abs_diff(last) as f64);
        }
        ui.weak("how far it is from its place, over the passes");
        crate::play::plot(ui, &[(&curve, egui::Color32::from_rgb(255, 215, 90))], false);
        if ui.button("Let it go").clicked() {
            self.followed = None;
        }
        ui.separator();
    }
}

#[cfg(test)]
mod tests {
    use super::{disorder, range, stage};

    #[test]
    fn disorder_is_the_share_of_the_pairs_in_the_wrong_order() {
        for (numbers, expected) in [
            (&[1.0, 2.0, 3.0][..], 0.0),
            (&[3.0, 2.0, 1.0], 1.0),
            (&[2.0, 2.0, 1.0, 3.0, 0.0], 6.0 / 10.0),
            (&[1.0], 0.0),
            (&[], 0.0),
        ] {
            assert_eq!(disorder(numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn stages_have_as_many_exchanges_as_their_number() {
        let found: Vec<_> = (1..=6).map(stage).collect();
        assert_eq!(found, [(1, 1), (2, 3), (2, 1), (3, 7), (3, 2), (3, 1)]);
    }

    #[test]
    fn colours_go_over_the_numbers_there_are_and_have_two_finite_ends() {
        for (numbers, expected) in [
            (&[3.0, -2.0, 5.0][..], [-2.0, 5.0]),
            (&[4.0, 4.0], [0.0, 4.0]),
            (&[-4.0], [-4.0, 0.0]),
            (&[0.0, 0.0], [0.0, 1.0]),
            (&[1e-40, 2e-40], [0.0, 1.0]),
            (&[f32::MAX], [0.0, f32::MAX]),
            (&[f32::MIN, f32::MAX], [0.5 * f32::MIN, 0.5 * f32::MAX]),
        ] {
            assert_eq!(range(numbers), expected, "{numbers:?}");
        }
    }
}
