//! The number formats of Table 31-1 side by side (row C11): the error of each against f64, and where counting ends.

#[cfg(feature = "panel")]
mod curves;
mod difference;
mod report;
mod start;
mod state;
mod subject;

use std::rc::Rc;

use anyhow::Result;
use quadrille::pug::Precision;
use quadrille::sim::formats::{FORMATS, stores_halves_to_nearest};
use quadrille::{Buffer, Gpu, Rect};
use serde_json::{Map, Value as Json};

use self::difference::{Difference, SHOWN, Shown};
use self::subject::{Constants, SUBJECTS, Subject, SubjectName};
use crate::demo::{About, Demo, Export, Exported, Host, Measure, Request, View};
use crate::image::Image;
use crate::param::{Kept, Kind, Live, Param, Section, Slider, Values, choices, name_of};
use crate::picture::{COLOURS, FieldPicture, FieldView, Layout, Mark, Picture, Touch, place_in};
use crate::state::{Array, Named, State};

pub const ABOUT: About = About {
    name: "formats",
    shows: "The number formats of Table 31-1 side by side, and their errors against f64 (GPU Gems 2, chapter 31)",
    keywords: "precision rounding half float 16 24 32 bits error orbit counter",
    first: "Paint on any panel; show the difference: where formats go wrong",
    computes: "The same simulation in four number formats side by side: 32 bits, 24 bits, and 16 bits as NVIDIA and as ATI had them. Each \
               format rounds what it stores; the curves are the errors against a twin in 64 bits on the CPU.",
    formula: "x = ± 1.b₁b₂b₃… · 2^e keeps m bits behind the point: m = 23, 16, 10 or 10\n\
              so what is stored errs by up to 2^−m |x|, and n + 1 = n from n = 2^(m + 1) on",
    kernels: &[
        "sim/gray_scott_step.frag",
        "sim/wave_step.frag",
        "sim/orbit_step.frag",
        "sim/counter_step.frag",
        "sim/panel_copy.frag",
    ],
    paper: "Harris, GPU Gems 2, chapter 31, Table 31-1",
    parameters: &[&[
        WHAT,
        SHOW,
        SIZE,
        FEED,
        KILL,
        BETA,
        TIME_STEP,
        Param { default: "magma; blue_red for wave and counter, purple_green for differences", ..COLOURS },
    ]],
    flags: &[
        (
            "check",
            "Without a window; exit 1 past a bound. About a hundred single steps of each format, each from its own state, \
             against f64, and that each stores numbers of its format; of counter, where the counters of all formats stand",
        ),
        (
            "load",
            "Start all formats and f64 from a state of the demo reaction-diffusion (with --what gray-scott) or wave (with \
             --what wave), .npz or .npy; orbit and counter take none of those; or go on from a .npz of this demo, bit for bit",
        ),
        (
            "out",
            "What is there at the end, by extension. .png and .gif: four panels, upper left 32 bits, upper right 24, lower \
             left 16 (NVIDIA), lower right 16 (ATI). .npy and .exr: the same panels as float32, with two rows and two columns \
             between them that are no state, x channels: u, v of gray-scott, height and last height of wave, counted minus \
             true of counter; of orbit, formats x planets x (x, y, vx, vy)",
        ),
        (
            "save",
            "Write at the end all that the run needs to go on: the numbers of each format, those in f64, errors so far, and \
             what is seen of planets and counters",
        ),
        ("seed", "Which of the initial states [default: 1]; not of counter"),
    ],
    exports: &[
        Export {
            flag: PLOT,
            help: "The error of each format against f64 over the steps, on a logarithmic axis; not of counter",
            plot: true,
        },
        Export {
            flag: HISTORY,
            help: "The same as numbers: root mean square and largest over the steps; not of counter",
            plot: false,
        },
    ],
    begins_with: &["reaction-diffusion", "wave"],
    check: start::refuse,
    start: |gpu, request| Ok(Box::new(start::start(gpu, request)?)),
    ..About::NEW
};

const WHAT: Param = Param {
    name: "what",
    kind: Kind::Choice(|| choices(&SUBJECTS)),
    default: "gray-scott",
    help: "What runs in 32, 24 (ATI), 16 (NVIDIA) and 16 bits (ATI): upper left, upper right, lower left, lower right",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Scene,
    ..Param::NEW
};

const SIZE: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "128x128, or that of --load; orbit 256x256, counter 200x192",
    help: "A panel, as WIDTHxHEIGHT in cells, or in texels of orbit and counter",
    ..Param::NEW
};

const SHOW: Param = Param {
    name: "show",
    kind: Kind::Choice(|| choices(&SHOWN)),
    default: "state",
    help: "What the panels show, of gray-scott and wave",
    live: Live::Words,
    matters: is_field,
    section: Section::Shown,
    ..Param::NEW
};

const FEED: Param = Param {
    name: "F",
    kind: Kind::real(0.0, 1.0),
    default: "0.037",
    help: "Of gray-scott: feed rate F; another one begins anew, in all formats",
    kept: Kept::Yes,
    live: Live::Slider(Slider::to(0.01, 0.08).decimals(4)),
    matters: |values| of(values) == SubjectName::GrayScott,
    ..Param::NEW
};

const KILL: Param = Param {
    name: "k",
    symbol: "K",
    default: "0.06",
    help: "Of gray-scott: kill rate k; another one begins anew, in all formats",
    live: Live::Slider(Slider::to(0.04, 0.07).decimals(4)),
    ..FEED
};

const BETA: Param = Param {
    name: "beta",
    symbol: "B",
    kind: Kind::above(0.0, 0.5),
    default: "0.45",
    help: "Of wave: (speed x time step / spacing)^2, the square of the way of a wave in a step; above 0, at most 0.5; another one begins anew",
    live: Live::Slider(Slider::to(0.01, 0.5)),
    matters: |values| of(values) == SubjectName::Wave,
    ..FEED
};

const TIME_STEP: Param = Param {
    name: "time-step",
    symbol: "H",
    kind: Kind::above(0.0, 0.1),
    default: "0.01",
    help: "Of orbit: the time of a step, of which a circle of radius 1 takes 2 pi; shorter steps have more roundings; another one begins anew",
    live: Live::Slider(Slider::to(1e-4, 0.1).logarithmic()),
    matters: |values| of(values) == SubjectName::Orbit,
    ..FEED
};

/// The subject that values ask for.
fn of(values: &Values) -> SubjectName {
    values.choice(WHAT.name, &SUBJECTS).unwrap_or(SubjectName::GrayScott)
}

/// Returns true if a panel is a field, whose cells can be painted and compared.
fn is_field(values: &Values) -> bool {
    matches!(of(values), SubjectName::GrayScott | SubjectName::Wave)
}

/// The flags of files with errors.
const PLOT: &str = "plot";
const HISTORY: &str = "history";

/// Colours of the formats in plots, and how wide their lines are: where the driver chops, both of 16 bits err alike.
const STYLES: [([u8; 3], u32); 4] =
    [([40, 120, 200], 2), ([50, 160, 60], 2), ([245, 165, 50], 6), ([190, 40, 50], 2)];

struct Formats {
    gpu: Gpu,
    what: SubjectName,
    subject: Subject,
    constants: Constants,
    shown: Shown,
    difference: Difference,
    /// The size that was asked for.
    size: Option<[u32; 2]>,
    seed: u64,
    /// The state that all began with, if it came from a file, and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
    /// The panel has begun it anew since the window last asked.
    anew: bool,
    /// The driver rounds what it stores in 16 bits.
    to_nearest: bool,
    view: FieldView,
    host: Rc<dyn Host>,
}

impl Formats {
    fn new(gpu: &Gpu, request: &Request, what: SubjectName, size: Option<[u32; 2]>) -> Result<Formats> {
        let (seed, gpu, host) = (request.seed(), gpu.clone(), request.host.clone());
        let constants = Constants::changed(&request.values, Constants::default());
        let subject = Subject::new(&gpu, what, size, seed, constants)?;
        let shown = request.values.choice(SHOW.name, &SHOWN).unwrap_or(Shown::State);
        let difference = Difference::default();
        let to_nearest = stores_halves_to_nearest(&gpu)?;
        let view = FieldView::new(&gpu, request, &subject.field())?;
        Ok(Formats {
            gpu,
            what,
            subject,
            constants,
            shown,
            difference,
            size,
            seed,
            loaded: None,
            anew: false,
            to_nearest,
            view,
            host,
        })
    }

    /// Another subject, or with other constants, from its beginning.
    fn switch(&mut self, what: SubjectName, constants: Constants) -> Result<()> {
        let size = self.size.filter(|size| what != SubjectName::Counter || subject::holds_counters(*size));
        let loaded = self.loaded.take().filter(|_| what == self.what);
        self.subject = Subject::new(&self.gpu, what, size, self.seed, constants)?;
        (self.what, self.constants, self.loaded, self.anew) = (what, constants, loaded, true);
        self.difference = Difference::default();
        self.reset(self.seed)
    }
}

impl Demo for Formats {
    fn step(&mut self) -> Result<()> {
        self.subject.step()
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        match &self.loaded {
            Some((state, of)) if *of == seed => self.subject.begin(state),
            _ => self.subject.reset(seed),
        }
    }

    fn size(&self) -> (String, &'static str) {
        self.subject.size()
    }

    fn first(&self) -> Option<&'static str> {
        match self.what {
            SubjectName::GrayScott | SubjectName::Wave => None,
            SubjectName::Orbit => {
                Some("Watch where planets leave their circles: short steps have more roundings")
            }
            SubjectName::Counter => {
                Some("Watch where counters stand still: there a format has no next number")
            }
        }
    }

    fn marks(&self) -> Vec<Mark> {
        let name = |(format, precision): (usize, &Precision)| {
            let place = self.subject.place(format);
            Mark::Name { at: place_in(self.subject.picture(), place.x0, place.y0), text: precision.name() }
        };
        FORMATS.iter().enumerate().map(name).chain(self.subject.notes()).collect()
    }

    fn numbers(&self) -> Result<Array> {
        self.subject.numbers()
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        state::arrays(&self.subject)
    }

    fn values(&self) -> Values {
        let Constants { feed, kill, beta, time_step } = self.constants;
        Values::new()
            .with(WHAT.name, name_of(&SUBJECTS, &self.what))
            .with_some(SHOW.name, self.subject.is_field().then(|| name_of(&SHOWN, &self.shown)))
            .with(FEED.name, feed)
            .with(KILL.name, kill)
            .with(BETA.name, beta)
            .with(TIME_STEP.name, time_step)
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let place = self.subject.place(0);
        let mut extras = Map::new();
        extras.insert("width".to_owned(), place.width().into());
        extras.insert("height".to_owned(), place.height().into());
        if let Subject::Comparison { next_look, .. } = &self.subject {
            extras.insert("next_look".to_owned(), (*next_look).into());
        }
        Ok(extras)
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        self.shown = values.choice(SHOW.name, &SHOWN).unwrap_or(self.shown);
        let what = values.choice(WHAT.name, &SUBJECTS).unwrap_or(self.what);
        let constants = Constants::changed(values, self.constants);
        match (what, constants) == (self.what, self.constants) {
            true => Ok(()),
            false => self.switch(what, constants),
        }
    }

    /// Takes nothing of a beginning that another demo saved.
    fn restore(&mut self, saved: &State) -> Result<()> {
        match saved.demo == ABOUT.name {
            true => state::restore(&mut self.subject, saved),
            false => Ok(()),
        }
    }

    fn findings(&self) -> Result<Json> {
        report::findings(&self.subject, self.to_nearest)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        report::lines(&self.subject, self.to_nearest)
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        self.subject.check(before)
    }

    fn pace(&self) -> u64 {
        self.subject.pace()
    }

    fn file_stem(&self) -> Option<String> {
        Some(format!("{}-{}", ABOUT.name, name_of(&SUBJECTS, &self.what)))
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        curves::show(ui, &self.subject)?;
        if self.difference.field().is_some() && self.shown == Shown::Difference {
            ui.weak(
                "Colours: a format minus f64, on a logarithmic scale: white is less than a thousandth of the last colour. Green has too \
                 much, purple too little.",
            );
        }
        Ok(())
    }

    fn export(&self, flag: &str) -> Result<Option<Exported>> {
        if let Subject::Counter(_) = self.subject {
            self.host.warn(&format!("no --{flag}: counters have no error over the steps"));
            return Ok(None);
        }
        let looks = self.subject.looks()?;
        Ok(match flag {
            PLOT => Some(Exported::Plot(report::plot(&self.subject, &looks))),
            HISTORY => Some(Exported::Text(report::history(&looks)?)),
            _ => None,
        })
    }

    fn drawn(&self) -> Option<Buffer> {
        self.subject.drawn().cloned()
    }

    fn prepare(&mut self) -> Result<()> {
        self.subject.refresh()?;
        match self.shown {
            Shown::State => Ok(()),
            Shown::Difference => self.difference.look(&self.gpu, &self.subject),
        }
    }

    /// A field alone: planets and counters are where they are.
    fn is_touchable(&self) -> bool {
        self.subject.is_field()
    }

    fn has_second_touch(&self) -> bool {
        true
    }

    /// Paints the same on all formats, and on f64, in whichever panel the pointer is.
    fn touch(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, tip, drag } = touch else { return Ok(()) };
        self.difference.forget();
        self.subject.paint([x, y], tip, drag.right)
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let field = match self.difference.field() {
            Some(field) if self.shown == Shown::Difference => field,
            _ => self.subject.field(),
        };
        let picture = FieldPicture { field, view: &mut self.view };
        match self.what {
            SubjectName::Orbit => Box::new(Trails(picture)),
            _ => Box::new(picture),
        }
    }
}

/// The trails of planets: how old they are is no number to be read.
struct Trails<'a>(FieldPicture<'a>);

impl Picture for Trails<'_> {
    fn image(&mut self) -> Result<Image> {
        self.0.image()
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        self.0.draw(place)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        self.0.layout(aspect)
    }

    fn say(&self, values: &mut Values) {
        self.0.say(values);
    }

    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.0.colour_widgets(ui)
    }
}
