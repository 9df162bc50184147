//! One choice in four ways, and one loop in two: the same picture, at another pace.

mod lit;
mod rates;

use std::cell::OnceCell;
use std::f32::consts::TAU;
use std::rc::Rc;

use anyhow::Result;
use quadrille::numeric::Random;
use quadrille::sim::Branches;
use quadrille::sim::branches::{BOUND, Branching, Parameters, Part};
use quadrille::view::Mapping;
use quadrille::{Buffer, DoubleBuffer, Gpu};
use serde_json::{Map, Value as Json, json};

use self::lit::Lit;
use self::rates::Rates;
use crate::demo::{About, Demo, Export, Exported, Host, Measure, Request, Usage};
use crate::param::{Choice, Kept, Kind, Live, Offer, Param, Section, Slider, Values};
use crate::picture::{COLOURS, Field, FieldPicture, FieldView, Mark, Picture, Touch};
use crate::state::{Array, Named, Parts, worst};

pub const ABOUT: About = About {
    name: "branches",
    shows: "What an if costs on a GPU: a branch, arithmetic or masks in its place, and a loop with and without an early exit \
            (course slides)",
    keywords: "flow control divergence masks z-cull early exit fractal Mandelbrot speed",
    first: "Turn the wheel at the edge of the set, drag to move it",
    computes: "Squares, as on a chessboard, take the two sides of an if: every second one a long computation (heavy, dark), the others a short \
               one (light). Or an orbit of z^2 + c is counted with and without leaving its loop early. Each way gives the same picture at \
               another speed: neighbouring fragments run together, so that wide squares gain by an if, and narrow ones pay for both sides.",
    formula: "orbits: z → z² + c from z = 0, until |z| > 2: the Mandelbrot set is where it never is\n\
              squares: if heavy then many steps, else few",
    kernels: &[
        "flow/regions_work.frag",
        "flow/orbit_count.frag",
        "view/squares_light.frag",
        "view/orbits_light.frag",
    ],
    paper: "Harris, course slides on GPU flow control; GPU Gems 2, chapter 31",
    quantity: "result",
    more: "\
Heavy squares (even) among light ones (waves), or orbits of z^2 + c. All ways to a picture are
seen to make the same one, and at which pace: --squares and --trips say which of them gains.",
    parameters: &[&[
        SIZE,
        WAY,
        SQUARES,
        TRIPS,
        CENTRE_X,
        CENTRE_Y,
        ZOOM,
        Param { default: "squares yellow_green_blue, orbits inferno", ..COLOURS },
    ]],
    exports: &[Export {
        flag: RATES,
        help: "Measure all ways to the picture, on squares of 1x1 to 64x64, and write: way, squares, trips, steps_per_second",
        plot: false,
    }],
    check: refuse,
    start: |gpu, request| Ok(Box::new(BranchDemo::new(gpu, request)?)),
    ..About::NEW
};

const SIZE: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "512x512",
    help: "Texels, as WIDTHxHEIGHT",
    ..Param::NEW
};

const WAY: Param = Param {
    name: "way",
    kind: Kind::Choice(|| {
        Branching::ALL.into_iter().map(|way| Choice { name: way.name(), help: way.shows() }).collect()
    }),
    default: "early-exit",
    help: "The way by which a GPU decides which of two computations a fragment (the program run for one texel) makes: all ways end in the same \
           picture, and the plot shows how fast each is",
    kept: Kept::Yes,
    live: Live::Words,
    label: "squares, an if:",
    rows: &[(4, "orbits, a loop:")],
    section: Section::Scene,
    ..Param::NEW
};

const SQUARES: Param = Param {
    name: "squares",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 64 },
    default: "64",
    help: "Texels along the side of a square, 1 to 64: fragments of one square take the same side, so wide ones gain more; orbits have none",
    kept: Kept::With("way"),
    live: Live::Some(&["1", "2", "4", "8", "16", "32", "64"]),
    ..Param::NEW
};

const TRIPS: Param = Param {
    name: "trips",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 4096 },
    default: "squares 100, orbits 256",
    help: "How often a heavy square applies its formula, where a light one does once, or an orbit goes on at most: 1 to 4096",
    kept: Kept::With("way"),
    live: Live::Some(&["2", "16", "100", "256", "500", "1000", "1500"]),
    label: "times round",
    ..Param::NEW
};

const CENTRE_X: Param = Param {
    name: "centre-x",
    symbol: "X",
    kind: Kind::real(-2.5, 2.5),
    default: "-0.75",
    help: "Re c in the middle of a picture of orbits, -2.5 to 2.5",
    kept: Kept::With("way"),
    live: Live::Slider(Slider::to(-2.0, 0.5)),
    ..Param::NEW
};

const CENTRE_Y: Param = Param {
    name: "centre-y",
    symbol: "Y",
    default: "0",
    help: "Im c in the middle of a picture of orbits, -2.5 to 2.5",
    live: Live::Slider(Slider::to(-1.25, 1.25)),
    ..CENTRE_X
};

const ZOOM: Param = Param {
    name: "zoom",
    symbol: "Z",
    kind: Kind::real(0.5, MOST_ZOOM as f64),
    default: "1",
    help: "The smaller side of a picture of orbits is 2.5/Z long, 0.5 to 10000: beyond, 32 bits do not tell texels apart",
    kept: Kept::With("way"),
    live: Live::Slider(Slider::to(0.5, MOST_ZOOM as f64).logarithmic()),
    ..Param::NEW
};

/// A texel of a thousand is then 2.5e-7 wide, four times what tells numbers of the size of 1 apart.
const MOST_ZOOM: f32 = 1e4;

/// Texels along the side of a square unless said: wide enough to see what lies in it.
const SIDE: u32 = 64;

/// Places among the orbits: a name, the middle, the zoom, and trips that show them.
#[cfg(feature = "panel")]
const PLACES: [(&str, [f32; 2], f32, u32); 5] = [
    ("all", [-0.75, 0.0], 1.0, 256),
    ("sea horses", [-0.7453, 0.1127], 150.0, 1000),
    ("spiral", [-0.7436, 0.1318], 400.0, 1500),
    ("elephants", [0.2925, 0.0149], 60.0, 500),
    ("island", [-1.7575, 0.0], 32.0, 500),
];

/// A press of the right button goes as many times farther from what it points at.
const NEARER: f32 = 1.25;

/// Texels of the side of a square that is named in the picture.
const LEAST_NAMED: u32 = 8;

/// The title of squares: what is compared.
#[cfg(feature = "panel")]
const CAPTION: [&str; 2] = [
    "Every pixel asks: dark stone, or water? A stone is a long computation, water",
    "a short one. Four ways to ask, one picture: which of them is fastest?",
];

/// Seconds from one rate to the next in a window.
#[cfg(feature = "panel")]
const PAUSE: f64 = 0.25;

/// The flag of the file of rates.
const RATES: &str = "rates";

/// The results of the last step; what squares work on is made by the seed.
const PARTS: Parts = Parts::Cells(&[("results", 1)]);

/// The way of a beginning: without one that was chosen orbits, which the card in the gallery shows, unless squares were.
fn first_way(values: &Values) -> Branching {
    let usual = if values.has(SQUARES.name) { Branching::Branch } else { Branching::EarlyExit };
    way(values).unwrap_or(usual)
}

/// The way that was chosen, if any.
fn way(values: &Values) -> Option<Branching> {
    Branching::named(values.word(WAY.name)?)
}

/// # Errors
/// Flags that have no meaning with the way that was chosen.
fn refuse(request: &Request) -> Result<()> {
    let (values, way) = (&request.values, first_way(&request.values));
    if request.load.is_some() && request.state().is_none() {
        let line =
            "--load: a .npy of branches has the results alone, and every step begins anew: a .npz goes on";
        return Err(Usage(line.to_owned()).into());
    }
    let saved = request.state().and_then(|state| state.values.get("seed")?.as_u64());
    let seeded = request.seed.is_some() && request.seed != saved;
    let random = [("--squares", values.has(SQUARES.name)), ("--seed", seeded)];
    if let Some((flag, _)) = random.into_iter().find(|(_, given)| *given && way.is_loop()) {
        let why =
            format!("{flag}: {} counts orbits, which have no squares and no random numbers", way.name());
        return Err(Usage(why).into());
    }
    let orbits = [CENTRE_X, CENTRE_Y, ZOOM].map(|param| param.name);
    if let Some(flag) = orbits.into_iter().find(|flag| values.has(flag) && !way.is_loop()) {
        return Err(Usage(format!("--{flag}: {} has squares, which lie in no plane", way.name())).into());
    }
    Ok(())
}

struct BranchDemo {
    gpu: Gpu,
    /// The numbers that squares work on, here and on the GPU.
    x: Vec<f32>,
    values: Buffer,
    branches: Branches,
    part: Part,
    /// Drawn onto in turns: a renderer may leave out what is overdrawn.
    results: DoubleBuffer,
    /// The last results as they are seen, of a run that draws.
    lit: Option<Lit>,
    /// The results are not those of the parameters: no step was made since.
    stale: bool,
    /// The cell that the left button holds.
    held: [f32; 2],
    /// In f64, the same for every step.
    expected: OnceCell<Vec<Option<f64>>>,
    /// Steps a second of each way that makes this picture.
    #[cfg(feature = "panel")]
    rates: Rates,
    /// When the next of them is measured, by the host's clock.
    #[cfg(feature = "panel")]
    next: f64,
    #[cfg(feature = "panel")]
    caption: Vec<String>,
    /// The seed of the numbers that squares work on.
    seed: u64,
    view: FieldView,
    host: Rc<dyn Host>,
}

/// Light squares lie from −1.55 to 2.05, and heavy ones near 2.5, where x → 0.9 x + 0.25 rests. Most orbits leave soon, and few
/// late: their counts are shown by logarithms.
fn field<'a>(
    results: &'a Buffer,
    lit: Option<&'a Lit>,
    Parameters { way, trips, .. }: Parameters,
) -> Field<'a> {
    // The waves take the middle of the colours alone: they are quiet, and the stones stand out. Below one trip lies what is too dark for a slope.
    let (low, high) = if way.is_loop() { (0.25, (trips as f32).max(2.0)) } else { (-4.5, 2.6) };
    let mut mapping = Mapping::of_component(0, low, high);
    mapping.tones.logarithmic = way.is_loop();
    // Between texels counts have fractions; squares have edges.
    mapping.smooth = way.is_loop() && lit.is_some();
    mapping.over = lit.map(|_| [0.0; 3]);
    let colours = if way.is_loop() { "inferno" } else { "yellow_green_blue" };
    Field { buffer: lit.map_or(results, Lit::shown), heights: false, colours, mapping }
}

impl BranchDemo {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<BranchDemo> {
        let (given, seed) = (&request.values, request.seed());
        let loaded = request.cells(given.size("size"), ABOUT.name, ["results"])?;
        let asked = loaded.as_ref().map(|(size, _)| *size).or(given.size("size"));
        let [width, height] = asked.unwrap_or([512, 512]);
        let way = first_way(given);
        let parameters = Parameters {
            way,
            square: given.whole(SQUARES.name).unwrap_or(SIDE),
            trips: given.whole(TRIPS.name).unwrap_or(way.trips()),
        };
        let values = gpu.buffer(width, height).named("values").build()?;
        let [x, y] = Part::default().centre;
        let part = Part {
            centre: [given.real(CENTRE_X.name).unwrap_or(x), given.real(CENTRE_Y.name).unwrap_or(y)],
            zoom: given.real(ZOOM.name).unwrap_or(1.0),
        };
        let mut branches = Branches::new(gpu, &values, parameters)?;
        branches.set_part(part)?;
        let results = gpu.buffer(width, height).named("results").double().build()?;
        let lit = if request.draws { Some(Lit::new(gpu, [width, height])?) } else { None };
        let view = FieldView::new(gpu, request, &field(results.front(), lit.as_ref(), parameters))?;
        let (gpu, x, expected) = (gpu.clone(), Vec::new(), OnceCell::new());
        let mut demo = BranchDemo {
            gpu,
            x,
            values,
            branches,
            part,
            results,
            lit,
            stale: true,
            held: [0.0; 2],
            expected,
            #[cfg(feature = "panel")]
            rates: Rates::default(),
            #[cfg(feature = "panel")]
            next: 0.0,
            #[cfg(feature = "panel")]
            caption: CAPTION.map(str::to_owned).to_vec(),
            seed,
            view,
            host: request.host.clone(),
        };
        demo.reset(seed)?;
        if let Some((_, results)) = loaded {
            demo.results.write(&results)?;
            demo.stale = false;
        }
        Ok(demo)
    }

    /// Those of another picture are measured and expected anew.
    fn change(&mut self, parameters: Parameters, part: Part) -> Result<()> {
        let before = self.branches.parameters();
        if (parameters, part) == (before, self.part) {
            return Ok(());
        }
        let mut branches = match parameters == before {
            true => None,
            false => Some(Branches::new(&self.gpu, &self.values, parameters)?),
        };
        branches.as_mut().unwrap_or(&mut self.branches).set_part(part)?;
        if let Some(branches) = branches {
            self.branches = branches;
        }
        let is_elsewhere = part != self.part;
        (self.part, self.stale) = (part, true);
        let alike = are_alike(parameters.way, before.way);
        #[cfg(feature = "panel")]
        if !alike || parameters.trips != before.trips {
            self.rates.clear();
        }
        if !alike || is_elsewhere || (Parameters { way: before.way, ..parameters }) != before {
            self.expected.take();
        }
        Ok(())
    }

    fn expected(&self) -> &[Option<f64>] {
        self.expected.get_or_init(|| {
            let (parameters, width) = (self.branches.parameters(), self.values.width());
            quadrille_oracle::branches::results_of(parameters, self.part, &self.x, width)
        })
    }

    /// The number of results that are certain, and of all; `None` before a check.
    fn certain(&self) -> Option<(usize, usize)> {
        let expected = self.expected.get()?;
        Some((expected.iter().flatten().count(), expected.len()))
    }
}

#[cfg(feature = "panel")]
impl BranchDemo {
    /// Measures the rates of this picture, one at a time and the window's frames between them: those of another picture by itself.
    fn measure(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let again = ui
            .add_enabled(!self.rates.goes_on(), egui::Button::new("Compare again"))
            .on_hover_text("Runs each way to this picture for a moment, on a copy");
        let now = self.host.seconds();
        if again.clicked() || self.rates.is_empty() {
            self.rates.begin(self.branches.parameters());
            self.next = now + PAUSE;
        }
        if self.rates.goes_on() && now >= self.next {
            self.rates.go_on(&self.gpu, &*self.host, &self.values)?;
            self.next = self.host.seconds() + PAUSE;
        }
        if self.rates.goes_on() {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(PAUSE));
        }
        Ok(())
    }
}

/// Numbers from -2 to 2: five waves of that seed, whose crests cross.
fn waves(width: u32, height: u32, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    let longer = width.max(height) as f32;
    let waves: [[f32; 3]; 5] = std::array::from_fn(|_| {
        let (direction, crests) = (TAU * random.unit(), 2.0 + 4.0 * random.unit());
        let number = TAU * crests / longer;
        [number * direction.cos(), number * direction.sin(), TAU * random.unit()]
    });
    let at = |i: u32| {
        let (x, y) = ((i % width) as f32, (i / width) as f32);
        0.4 * waves.iter().map(|[right, down, phase]| (right * x + down * y + phase).sin()).sum::<f32>()
    };
    (0..width * height).map(at).collect()
}

/// Returns true if both make the same picture.
fn are_alike(a: Branching, b: Branching) -> bool {
    a.is_loop() == b.is_loop()
}

impl Demo for BranchDemo {
    fn step(&mut self) -> Result<()> {
        self.branches.draw(self.results.back())?;
        self.results.swap();
        if std::mem::take(&mut self.stale) {
            self.lit.iter_mut().for_each(Lit::renew);
        }
        Ok(())
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        self.x = waves(self.values.width(), self.values.height(), seed);
        self.values.write(&self.x)?;
        self.expected.take();
        self.stale = true;
        self.lit.iter_mut().for_each(Lit::renew);
        Ok(self.results.write(&vec![0.0; self.x.len()])?)
    }

    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.values.width(), self.values.height()), "texels")
    }

    fn numbers(&self) -> Result<Array> {
        let (width, height) = (self.values.width() as usize, self.values.height() as usize);
        Ok(Array { height, width, components: 1, values: self.results.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.numbers()?, [0; 3]))
    }

    fn values(&self) -> Values {
        let Parameters { way, square, trips } = self.branches.parameters();
        let squares = (!way.is_loop()).then_some(square);
        let [x, y] = self.part.centre;
        let of_orbits = |number: f32| way.is_loop().then_some(number);
        Values::new()
            .with("way", way.name())
            .with_some("squares", squares)
            .with("trips", trips)
            .with_some(CENTRE_X.name, of_orbits(x))
            .with_some(CENTRE_Y.name, of_orbits(y))
            .with_some(ZOOM.name, of_orbits(self.part.zoom))
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let seed = (!self.branches.parameters().way.is_loop()).then_some(self.seed);
        Ok(seed.map(|seed| ("seed".to_owned(), seed.into())).into_iter().collect())
    }

    /// A way to the other picture brings trips of its own, unless they are given.
    fn set(&mut self, values: &Values) -> Result<()> {
        let before = self.branches.parameters();
        let way = way(values).unwrap_or(before.way);
        let trips = if are_alike(way, before.way) { before.trips } else { way.trips() };
        let parameters = Parameters {
            way,
            square: values.whole(SQUARES.name).unwrap_or(before.square),
            trips: values.whole(TRIPS.name).unwrap_or(trips),
        };
        let [x, y] = self.part.centre;
        let part = Part {
            centre: [values.real(CENTRE_X.name).unwrap_or(x), values.real(CENTRE_Y.name).unwrap_or(y)],
            zoom: values.real(ZOOM.name).unwrap_or(self.part.zoom),
        };
        self.change(parameters, part)
    }

    fn is_touchable(&self) -> bool {
        self.branches.parameters().way.is_loop()
    }

    /// Orbits are moved about.
    fn has_brush(&self) -> bool {
        false
    }

    fn has_second_touch(&self) -> bool {
        self.is_touchable()
    }

    /// Moves the orbits by the left button, and zooms out of them by the right one; the place that is pressed stays under the pointer.
    fn touch(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, drag, .. } = touch else { return Ok(()) };
        let parameters = self.branches.parameters();
        let from = if drag.begins { [x, y] } else { self.held };
        self.held = [x, y];
        if drag.right || !parameters.way.is_loop() {
            return if drag.right && drag.begins { self.come_nearer([x, y], 1.0 / NEARER) } else { Ok(()) };
        }
        // What was pressed stays under the pointer.
        let Part { centre: [middle_x, middle_y], zoom } = self.part;
        let (_, pitch) = self.part.plane(self.values.width(), self.values.height());
        let moved = |middle: f32, by: f32| (middle - pitch * by).clamp(-2.5, 2.5);
        let centre = [moved(middle_x, x - from[0]), moved(middle_y, y - from[1])];
        self.change(parameters, Part { centre, zoom })
    }

    /// Zooms so that the place stays where it is.
    fn come_nearer(&mut self, [x, y]: [f32; 2], times: f32) -> Result<()> {
        let parameters = self.branches.parameters();
        if !parameters.way.is_loop() {
            return Ok(());
        }
        let (width, height) = (self.values.width(), self.values.height());
        let c = |part: Part| {
            let (origin, pitch) = part.plane(width, height);
            [origin[0] + pitch * x, origin[1] + pitch * y]
        };
        let zoom = (self.part.zoom * times).clamp(0.5, MOST_ZOOM);
        let ([x, y], [left, top]) = (c(self.part), c(Part { zoom, ..self.part }));
        let [middle_x, middle_y] = self.part.centre;
        let moved = |middle: f32, by: f32| (middle + by).clamp(-2.5, 2.5);
        let centre = [moved(middle_x, x - left), moved(middle_y, y - top)];
        self.change(parameters, Part { centre, zoom })
    }

    /// Rates, measured now.
    fn export(&self, flag: &str) -> Result<Option<Exported>> {
        if flag != RATES {
            return Ok(None);
        }
        let mut rates = Rates::default();
        rates.begin(self.branches.parameters());
        while !self.host.stops() && rates.go_on(&self.gpu, &*self.host, &self.values)? {}
        Ok(Some(Exported::Text(rates.csv()?)))
    }

    fn findings(&self) -> Result<Json> {
        Ok(match self.certain() {
            Some((certain, _)) if self.branches.parameters().way.is_loop() => {
                json!({ "certain_orbits": certain })
            }
            _ => Json::Null,
        })
    }

    fn remarks(&self) -> Result<Vec<String>> {
        let said = self.certain().filter(|_| self.branches.parameters().way.is_loop());
        let line = |(certain, of)| format!("{certain} of {of} orbits are certain in f32, and were compared");
        Ok(said.map(line).into_iter().collect())
    }

    /// Numbers of squares, or counts of those orbits that f32 is certain to count.
    fn check(&self, _before: &Array) -> Result<Vec<Measure>> {
        let found = self.results.data()?;
        let pairs = found.iter().zip(self.expected());
        let error = worst(
            pairs.filter_map(|(&found, exact)| exact.as_ref().map(|exact| (f64::from(found) - exact).abs())),
        );
        Ok(vec![match self.branches.parameters().way.is_loop() {
            false => Measure { name: "error", error, bound: BOUND },
            true => Measure { name: "miscount of a certain orbit", error, bound: 0.0 },
        }])
    }

    fn pace(&self) -> u64 {
        1
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.results.front().clone())
    }

    fn prepare(&mut self) -> Result<()> {
        let parameters = self.branches.parameters();
        match &mut self.lit {
            Some(lit) => lit.look(self.results.front(), &self.values, parameters, self.part),
            None => Ok(()),
        }
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let field = field(self.results.front(), self.lit.as_ref(), self.branches.parameters());
        Box::new(FieldPicture { field, view: &mut self.view })
    }

    fn offer(&self, param: &Param) -> Offer {
        match param.name {
            "trips" => Offer::of(param).usual(self.branches.parameters().way.trips()),
            _ => Offer::of(param),
        }
    }

    /// The names of a heavy square and of the light one beside it, near the middle, where they are large enough.
    fn marks(&self) -> Vec<Mark> {
        let Parameters { way, square, .. } = self.branches.parameters();
        if way.is_loop() || square < LEAST_NAMED {
            return Vec::new();
        }
        let [width, height] = [self.values.width(), self.values.height()];
        let row = height / square / 2;
        // Every second square of a row is heavy, from the first or the second on.
        let heavy = (width / square / 3) / 2 * 2 + (row + 1) % 2;
        let at = |column: u32, row: u32| {
            [(column * square) as f32 / width as f32, (row * square) as f32 / height as f32]
        };
        vec![
            Mark::Name { at: at(heavy, row), text: "heavy: many times" },
            Mark::Name { at: at(heavy + 1, row + 2), text: "light: once" },
        ]
    }

    #[cfg(feature = "panel")]
    fn caption(&self) -> &[String] {
        if self.branches.parameters().way.is_loop() { &[] } else { &self.caption }
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let Parameters { way, trips, .. } = self.branches.parameters();
        ui.weak(way.shows());
        let field = field(self.results.front(), self.lit.as_ref(), self.branches.parameters());
        let legend = |ui: &mut egui::Ui, number: Option<f32>, text: String| -> Result<()> {
            let [r, g, b] = number.map_or(Ok([0; 3]), |number| self.view.colour(number, &field))?;
            ui.horizontal_wrapped(|ui| {
                let (square, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), egui::Sense::hover());
                ui.painter().rect_filled(square, 2.0, egui::Color32::from_rgb(r, g, b));
                ui.label(text);
            });
            Ok(())
        };
        if way.is_loop() {
            legend(ui, Some(4.0), "leaves soon: |z| > 2 after a few trips".to_owned())?;
            legend(ui, Some(0.3 * trips as f32), "leaves late".to_owned())?;
            legend(ui, None, format!("stays: all of {trips} trips"))?;
            ui.horizontal_wrapped(|ui| -> Result<()> {
                for (name, centre, zoom, trips) in PLACES {
                    if ui.small_button(name).clicked() {
                        let parameters = Parameters { trips, ..self.branches.parameters() };
                        self.change(parameters, Part { centre, zoom })?;
                    }
                }
                Ok(())
            })
            .inner?;
            ui.weak("The wheel comes nearer to a place, a drag moves the set; the right button goes away.");
        } else {
            legend(ui, Some(2.5), format!("stone: x becomes 0.9 x + 0.25 {trips} times, and ends at 2.5"))?;
            legend(ui, Some(0.0), "water: once, and the waves that came in stay waves".to_owned())?;
        }
        self.measure(ui)?;
        rates::show(ui, &self.rates);
        Ok(())
    }
}

#[cfg(all(test, feature = "panel"))]
mod tests {
    use super::*;
    use crate::demo::TestHost;
    use crate::picture::Drag;

    #[test]
    fn the_rates_of_a_picture_are_measured_without_being_asked_for_and_those_of_another_one_too() -> Result<()>
    {
        let gpu = Gpu::headless()?;
        let values = Values::new().with("size", [16, 16]);
        let request = Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) };
        let mut demo = BranchDemo::new(&gpu, &Rc::new(request))?;
        let context = egui::Context::default();
        for (way, rates) in [("branch", 28), ("early-exit", 2)] {
            demo.set(&Values::new().with("way", way))?;
            for _ in 0..300 {
                let mut shown = Ok(());
                let mut output = context.run_ui(egui::RawInput::default(), |ui| shown = demo.panel(ui));
                output.textures_delta.clear();
                shown?;
            }
            assert_eq!(demo.rates.found.len(), rates, "{way}");
            assert!(!demo.rates.goes_on());
        }
        Ok(())
    }

    /// The place under the wheel stays where it is, squares have nothing to come nearer to, and no zoom leaves its bounds.
    #[test]
    fn the_wheel_zooms_into_orbits_about_its_place() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values = Values::new().with("size", [16, 16]).with("way", "branch");
        let request = Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) };
        let mut demo = BranchDemo::new(&gpu, &Rc::new(request))?;
        let before = demo.part;
        demo.come_nearer([4.0, 12.0], 2.0)?;
        assert_eq!(demo.part, before);
        demo.set(&Values::new().with("way", "early-exit"))?;
        let c = |part: Part| {
            let (origin, pitch) = part.plane(16, 16);
            [origin[0] + pitch * 4.0, origin[1] + pitch * 12.0]
        };
        let place = c(demo.part);
        for times in [2.0, 3.0, 0.25, 1e9, 1e-9] {
            let zoom = demo.part.zoom;
            demo.come_nearer([4.0, 12.0], times)?;
            assert_eq!(demo.part.zoom, (zoom * times).clamp(0.5, MOST_ZOOM));
            let off = [0, 1].map(|k| (c(demo.part)[k] - place[k]).abs());
            // The middle is a sum of numbers below 4 each time.
            assert!(off.iter().all(|&off| off < 16.0 * f32::EPSILON), "{off:?}");
        }
        Ok(())
    }

    /// Orbits move with the pointer, the right button zooms out once a press, and the results are those of the place.
    #[test]
    fn a_drag_moves_the_orbits_and_what_is_found_in_them() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values = Values::new().with("size", [16, 16]).with("way", "early-exit");
        let request = Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) };
        let mut demo = BranchDemo::new(&gpu, &Rc::new(request))?;
        let found = demo.expected().to_vec();
        let touch = |demo: &mut BranchDemo, x: f32, right: bool, begins: bool| {
            let drag = Drag { right, begins, ..Drag::default() };
            demo.touch(Touch::Cell { x, y: 8.0, tip: 1.0.into(), drag })
        };
        let (_, pitch) = demo.part.plane(16, 16);
        let before = demo.part;
        touch(&mut demo, 4.0, false, true)?;
        assert_eq!(demo.part, before, "a press alone");
        for x in [6.0, 9.0] {
            touch(&mut demo, x, false, false)?;
        }
        assert!((demo.part.centre[0] - (before.centre[0] - 5.0 * pitch)).abs() < 16.0 * f32::EPSILON);
        assert_eq!((demo.part.centre[1], demo.part.zoom), (before.centre[1], before.zoom));
        let fresh = Values::new()
            .with("size", [16, 16])
            .with("way", "early-exit")
            .with("centre-x", demo.part.centre[0])
            .with("centre-y", demo.part.centre[1]);
        let request = Request { draws: true, ..Request::new(fresh, Rc::new(TestHost::default())) };
        let other = BranchDemo::new(&gpu, &Rc::new(request))?;
        assert_eq!(demo.expected(), other.expected());
        assert_ne!(demo.expected(), found, "another place has other orbits");
        touch(&mut demo, 8.0, true, true)?;
        touch(&mut demo, 8.5, true, false)?;
        assert_eq!(demo.part.zoom, before.zoom / NEARER);
        Ok(())
    }
}
