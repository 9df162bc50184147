//! Demos as traits: a demo, the request that it starts from, and the host that it runs in.

use std::any::Any;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Error, Result, anyhow};
use quadrille::error::{shown, shown_message};
use quadrille::mesh::Mesh;
use quadrille::sim::Outline;
use quadrille::view::Ray;
use quadrille::{Buffer, Gpu};
use serde_json::{Map, Value as Json};

use crate::demos::ONLY;
use crate::equations::{self, Equation};
use crate::param::{Kept, Kind, Offer, Param, Values};
use crate::picture::{self, Mark, Picture, Pull, Touch};
use crate::plot::Plot;
use crate::state::{Array, Named, Numbers, Parts, State};

/// Starts a demo: makes what it was asked for.
pub type Start = fn(&Gpu, &Rc<Request>) -> Result<Box<dyn Demo>>;

/// A demo in the list: all that is known of it before it starts.
#[derive(Clone, Copy)]
pub struct About {
    /// Its name on the command line and in addresses.
    pub name: &'static str,
    /// The name on cards and in headings, where that is not its own.
    pub title: &'static str,
    /// A sentence about what it shows.
    pub shows: &'static str,
    /// Words that a search finds it by, besides its name and its sentence.
    pub keywords: &'static str,
    /// The first thing to do in a window: a line over the picture until something is pressed.
    pub first: &'static str,
    /// A paragraph about what is computed.
    pub computes: &'static str,
    /// The equation of a step or the rule: lines of plain text, below the paragraph.
    pub formula: &'static str,
    /// The kernels that matter most, as files under `glsl/`.
    pub kernels: &'static [&'static str],
    /// The source of what it computes.
    pub paper: &'static str,
    /// The name of the numbers that its picture has in colours.
    pub quantity: &'static str,
    /// The end of its help: contents of files, subjects of a check.
    pub more: &'static str,
    /// Its parameters, in the order of help.
    pub parameters: &'static [&'static [Param]],
    /// Flags of every demo that mean something else here: name and help.
    pub flags: &'static [(&'static str, &'static str)],
    /// Files that it can write besides pictures and states.
    pub exports: &'static [Export],
    /// Where the kernel lies in a checkout that can be changed while the demo runs; empty for none.
    pub kernel: &'static str,
    /// Other demos whose states it can begin with.
    pub begins_with: &'static [&'static str],
    /// The numbers that a picture sets which is dropped on it.
    pub stamps: &'static [Stamp],
    /// Refuses what makes no sense together: [`Usage`] errors. Hosts call [`About::refuse`].
    pub check: fn(&Request) -> Result<()>,
    pub start: Start,
    /// The file of equations that it steps, where it is no code.
    pub equation: Option<&'static equations::File>,
    /// The seed where none is said.
    pub seed: u64,
}

impl About {
    /// Nothing said: for `..About::NEW`.
    pub const NEW: About = About {
        name: "",
        title: "",
        shows: "",
        keywords: "",
        first: "",
        computes: "",
        formula: "",
        kernels: &[],
        paper: "",
        quantity: "value",
        more: "",
        parameters: &[],
        flags: &[],
        exports: &[],
        kernel: "",
        begins_with: &[],
        stamps: &[],
        check: |_| Ok(()),
        start: |_, _| Err(anyhow!("nothing to start")),
        equation: None,
        seed: Request::SEED,
    };

    /// Its title, or its name where it has none.
    pub fn heading(&self) -> &'static str {
        if self.title.is_empty() { self.name } else { self.title }
    }

    /// A parameter with a value as the command line has it; `pde` has flags of its own.
    pub fn said(&self, param: &Param, value: &str) -> String {
        let own = self.parameters.first().copied().unwrap_or_default();
        let is_own = own.iter().any(|other| other.name == param.name);
        match (self.equation.is_some(), param.name) {
            (true, _) if is_own => format!("--set {}={value}", param.symbol),
            (true, "time-step") => format!("--step {value}"),
            (_, name) => format!("--{name} {value}"),
        }
    }

    /// Starts it.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn begin(&'static self, gpu: &Gpu, request: &Rc<Request>) -> Result<Box<dyn Demo>> {
        match self.equation {
            // Where one demo is linked alone, none is a file, and what steps one is left out.
            Some(file) if ONLY.is_none() => Ok(Box::new(Equation::new(gpu, self, file, request)?)),
            _ => (self.start)(gpu, request),
        }
    }

    /// Refuses what can be refused before there is a context: flags without sense together, and pictures that nobody can draw.
    ///
    /// # Errors
    /// [`Usage`]: which flag; a name of colours that there are not.
    pub fn refuse(&self, request: &Request) -> Result<()> {
        (self.check)(request)?;
        picture::check(request)
    }

    /// All parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = &'static Param> {
        self.parameters.iter().copied().flatten()
    }

    /// The same in the order of a panel and of its help: by their sections.
    pub fn in_panel(&self) -> Vec<&'static Param> {
        let mut params: Vec<_> = self.params().collect();
        params.sort_by_key(|param| param.section);
        params
    }

    /// The parameter of that name.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params().find(|param| param.name == name)
    }

    /// Reads the parameters of a web address: `F=0.037&edges=clamp`.
    ///
    /// # Errors
    /// A line about a key that is none, or about a value: what was expected.
    pub fn values_of(&self, address: &str) -> Result<Values, String> {
        let mut values = Values::new();
        for part in address.trim_start_matches('?').split('&').filter(|part| !part.is_empty()) {
            let (key, text) = part.split_once('=').unwrap_or((part, "true"));
            let param = self.params().find(|param| param.key() == key);
            let param = param.ok_or_else(|| format!("{}: no parameter \"{key}\"", self.name))?;
            values
                .set(param.name, param.parse(text).map_err(|expected| format!("{key}={text}: {expected}"))?);
        }
        Ok(values)
    }

    /// The web address of these parameters, without those that have their usual values.
    pub fn address(&self, values: &Values) -> String {
        let part = |(param, value): (&Param, &crate::param::Value)| format!("{}={value}", param.key());
        self.unusual(values).map(part).collect::<Vec<_>>().join("&")
    }

    /// The parameters that have other values than without their flags, in the order of help.
    pub fn unusual<'a>(
        &self,
        values: &'a Values,
    ) -> impl Iterator<Item = (&'static Param, &'a crate::param::Value)> {
        // Off, or empty: no flag says so.
        let is_unusual = move |(param, value): &(&'static Param, &crate::param::Value)| {
            let says = **value != crate::param::Value::Flag(false) && !value.to_string().is_empty();
            says && param.usual().or_else(|| self.usual_beside(param, values)).as_ref() != Some(*value)
        };
        let given = move |param: &'static Param| Some((param, values.get(param.name)?));
        self.params().filter_map(given).filter(is_unusual)
    }

    /// The value without the flag of a parameter that another one brings along, while that one has its own usual value: the first of
    /// "0; 36 with walls".
    fn usual_beside(&self, param: &Param, values: &Values) -> Option<crate::param::Value> {
        let Kept::With(of) = param.kept else { return None };
        let plain = self.param(of)?.usual();
        let is_plain = values.get(of).is_none_or(|value| Some(value) == plain.as_ref());
        param.parse(param.default.split(';').next()?).ok().filter(|_| is_plain)
    }

    /// The values of a run that begins anew as `now`, but with those that were `changed`: flags that conflict with them are left out.
    pub fn anew(&self, now: &Values, changed: &Values) -> Values {
        let told = self.params().filter(|param| changed.has(param.name));
        let conflicts: Vec<&str> = told.flat_map(|param| param.conflicts).copied().collect();
        // A parameter may belong to one that is another now.
        let belongs = |param: &Param| matches!(param.kept, Kept::With(of) if changed.has(of));
        let stays =
            self.unusual(now).filter(|(param, _)| !conflicts.contains(&param.name) && !belongs(param));
        let mut values = Values::new();
        stays.for_each(|(param, value)| values.set(param.name, value.clone()));
        changed.iter().for_each(|(name, value)| values.set(name, value.clone()));
        values
    }

    /// The values of a run that goes on from a state of its own: those that the state keeps, in place of what they are `now`.
    pub fn back_at(&self, now: &Values, state: &State) -> Values {
        let mut kept = Values::new();
        for param in self.params().filter(|param| param.kept != Kept::No) {
            let text = match state.values.get(&param.key()) {
                Some(Json::String(text)) => text.clone(),
                Some(Json::Null) | None => continue,
                Some(value) => value.to_string(),
            };
            if let Ok(value) = param.parse(&text) {
                kept.set(param.name, value);
            }
        }
        let mut values = self.anew(now, &kept);
        // A flag that is not given is off.
        for param in self.params().filter(|param| matches!(param.kind, Kind::Flag)) {
            if !values.flag(param.name) {
                values.forget(param.name);
            }
        }
        // The state has its size.
        for param in self.params().filter(|param| matches!(param.kind, Kind::Size | Kind::Size3)) {
            if param.name == "size" {
                values.forget(param.name);
            }
        }
        values
    }

    /// The values that a state keeps, of all that there are.
    pub fn kept(&self, values: &Values) -> Map<String, Json> {
        let kept = self.params().filter(|param| param.kept != Kept::No);
        kept.filter_map(|param| Some((param.key(), values.get(param.name)?.json()))).collect()
    }

    /// Values as a report has them.
    pub fn json(&self, values: &Values) -> Json {
        values.iter().map(|(name, value)| (name.replace('-', "_"), value.json())).collect()
    }
}

/// Numbers of a state that a picture sets where it is dark: a start, or an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The array, of rows and columns.
    pub array: &'static str,
    /// Its number there.
    pub dark: f32,
    /// Row 0 is the lowest.
    pub north_up: bool,
    /// Rows and columns at its end that belong to no cell.
    pub spare: usize,
}

impl Stamp {
    /// One of all cells, row 0 on top.
    pub const fn of(array: &'static str, dark: f32) -> Stamp {
        Stamp { array, dark, north_up: false, spare: 0 }
    }
}

/// Sets the numbers of a state where the picture, of a component from 0 to 1 and stretched over all cells, is darker than 1/2.
///
/// # Errors
/// The demo takes no pictures; the state has no such array.
pub fn stamp(about: &About, state: &mut State, image: &Array) -> Result<()> {
    if about.stamps.is_empty() {
        return Err(anyhow!(
            "{} has no use for a picture; a state of it is a .npz, or an array in a .npy",
            about.name
        ));
    }
    for stamp in about.stamps {
        let found = state.arrays.iter_mut().find(|array| array.name == stamp.array);
        let Some(Named { shape, numbers: Numbers::Float32(values), .. }) = found else {
            return Err(anyhow!("{}: no array \"{}\" to draw a picture into", about.name, stamp.array));
        };
        let &mut [all_rows, all_columns] = &mut shape[..] else {
            return Err(anyhow!("{}: array \"{}\" has no rows and columns", about.name, stamp.array));
        };
        let (rows, columns) = (all_rows.saturating_sub(stamp.spare), all_columns.saturating_sub(stamp.spare));
        for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
            let down = if stamp.north_up { rows - 1 - y } else { y };
            let (row, column) = (down * image.height / rows, x * image.width / columns);
            let grey = image.values.get((row * image.width + column) * image.components);
            if grey.is_some_and(|&grey| grey < 0.5) {
                values[y * all_columns + x] = stamp.dark;
            }
        }
    }
    Ok(())
}

/// A file that a demo can write besides pictures and states, by a flag of its own.
#[derive(Clone, Copy)]
pub struct Export {
    pub flag: &'static str,
    pub help: &'static str,
    /// True for a picture of curves (.png), false for comma-separated values (.csv).
    pub plot: bool,
}

/// The content of such a file.
pub enum Exported {
    Plot(Plot),
    Text(String),
}

/// The request that a demo starts from.
pub struct Request {
    /// The parameters that were given.
    pub values: Values,
    /// Which of the initial states, if it was said.
    pub seed: Option<u64>,
    /// The state to begin with.
    pub load: Option<Source>,
    /// There will be something to see: a window, or pictures.
    pub draws: bool,
    /// It runs without a window.
    pub windowless: bool,
    /// Its numbers will be saved as one array, without all else that it needs to go on.
    pub saves_one_array: bool,
    /// The flags of [`About::exports`] that were given.
    pub exports: Vec<&'static str>,
    pub host: Rc<dyn Host>,
}

impl Request {
    pub const SEED: u64 = 1;

    /// A request for these parameters and nothing else.
    pub fn new(values: Values, host: Rc<dyn Host>) -> Request {
        Request {
            values,
            seed: None,
            load: None,
            draws: false,
            windowless: false,
            saves_one_array: false,
            exports: Vec::new(),
            host,
        }
    }

    /// Which of the initial states.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(Request::SEED)
    }

    /// Which of the initial states of that demo: the file of an equation may say one.
    pub fn seed_of(&self, about: &About) -> u64 {
        self.seed.unwrap_or(about.seed)
    }

    /// The state of all that the demo needs to go on, if it was given one.
    pub fn state(&self) -> Option<&State> {
        match self.load.as_ref()?.state.as_ref() {
            Some(state) => Some(state),
            None => None,
        }
    }

    /// The name of the file that it begins with.
    pub fn path(&self) -> Option<&Path> {
        self.load.as_ref().map(|source| source.path.as_path())
    }

    /// The array that it begins with: the parts of a state joined, or the `.npy` file that `read` reads.
    ///
    /// # Errors
    /// Those of reading, which begin with the file's name.
    pub fn array(&self, parts: &Parts, read: impl FnOnce(&Path) -> Result<Array>) -> Result<Option<Array>> {
        match &self.load {
            Some(Source { path, state: Some(state) }) => {
                parts.join(state).map(Some).map_err(|error| named(path, error))
            }
            Some(Source { path, state: None }) => read(path).map(Some),
            None => Ok(None),
        }
    }

    /// The state of a demo of some numbers a cell, with its width and height, which must be `size` if that is given.
    ///
    /// # Errors
    /// Another shape or size; a number that is not finite. They begin with the file's name.
    pub fn cells<const N: usize>(
        &self,
        size: Option<[u32; 2]>,
        demo: &str,
        numbers: [&str; N],
    ) -> Result<Option<([u32; 2], Vec<f32>)>> {
        let Some(path) = self.path() else { return Ok(None) };
        let shape = if N == 1 { "(height, width)".to_owned() } else { format!("(height, width, {N})") };
        let columns = numbers.map(|name| (name, 1));
        let fits = |shape: &[u64]| (2..=3).contains(&shape.len());
        let read = |path: &Path| self.host.array(path, Some((&fits, &shape)));
        let Some(Array { width, height, components, values }) = self.array(&Parts::Cells(&columns), read)?
        else {
            return Ok(None);
        };
        let file = path.display();
        if components != N {
            let numbers = numbers.join(", ");
            return Err(anyhow!(
                "{file}: {components} components, a state of {demo} has {N} ({numbers}): shape {shape}"
            ));
        }
        let loaded = [u32::try_from(width)?, u32::try_from(height)?];
        if let Some([w, h]) = size.filter(|&size| size != loaded) {
            return Err(anyhow!("{file}: the state is {width}x{height}, --size says {w}x{h}"));
        }
        if let Some(cell) = values.iter().position(|v| !v.is_finite()) {
            let (x, y) = (cell / N % width, cell / N / width);
            return Err(anyhow!("{file}: cell ({x}, {y}) is not a finite number"));
        }
        Ok(Some((loaded, values)))
    }
}

/// A file to begin with.
#[derive(Clone)]
pub struct Source {
    pub path: PathBuf,
    /// All that a demo needs to go on; `None` where the file holds one array, which [`Host::array`] reads.
    pub state: Option<State>,
}

/// Tests of a shape, and the shape that they want in words.
pub type Shape<'a> = (&'a dyn Fn(&[u64]) -> bool, &'a str);

/// The host of a demo: it tells the time, warns, hears that somebody wants to stop, and reads files.
pub trait Host {
    /// Seconds since some moment.
    fn seconds(&self) -> f64;

    /// True once somebody wants the run to end.
    fn stops(&self) -> bool;

    /// Tells the user what is strange, in a line.
    fn warn(&self, line: &str);

    /// The array of a `.npy` file, of such a shape.
    ///
    /// # Errors
    /// One line that begins with the file's name.
    fn array(&self, path: &Path, shape: Option<Shape>) -> Result<Array>;

    /// A picture in shades of grey, 0 to 1, whose width and height `fits` confirms before it is decoded.
    ///
    /// # Errors
    /// One line that begins with the file's name.
    fn grey(&self, path: &Path, fits: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array>;

    /// The same picture with all its channels: grey, grey and alpha, red, green and blue, or those and alpha.
    ///
    /// # Errors
    /// One line that begins with the file's name.
    fn channels(&self, path: &Path, fits: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array>;

    /// A triangle mesh.
    ///
    /// # Errors
    /// One line that begins with the file's name.
    fn mesh(&self, path: &Path) -> Result<PlacedMesh>;

    /// The text of a file.
    ///
    /// # Errors
    /// One line that begins with the file's name.
    fn text(&self, path: &Path) -> Result<String> {
        Err(named(path, anyhow!("this host reads no texts")))
    }
}

/// A mesh about its middle, where it lies far from its origin.
#[derive(Clone)]
pub struct PlacedMesh {
    pub mesh: Mesh,
    /// Its middle, or 0 where it is where it was.
    pub origin: [f64; 3],
}

/// A simulation that can be run, shown, checked and saved. It knows no command line, files, clock or window.
///
/// A default stands for what most demos do without.
pub trait Demo {
    // Its identity.

    /// Its size, as 512x512, and what is counted.
    fn size(&self) -> (String, &'static str);

    /// The first thing to do as it is now, where it is not that of [`About::first`].
    fn first(&self) -> Option<&'static str> {
        None
    }

    /// Its description as it is now, where a file that it was read from has changed it.
    fn about(&self) -> Option<&'static About> {
        None
    }

    /// The name of the numbers that its picture shows now, where it is not that of its description.
    fn quantity(&self) -> Option<&str> {
        None
    }

    /// Lines above its picture, in a window.
    fn caption(&self) -> &[String] {
        &[]
    }

    /// Its parameters as they are now.
    fn values(&self) -> Values;

    /// Changes parameters while it runs.
    ///
    /// # Errors
    /// Values that the simulation refuses.
    fn set(&mut self, _changed: &Values) -> Result<()> {
        Ok(())
    }

    /// The parameter as a panel offers it now: ends of its slider and default may follow from other parameters.
    fn offer(&self, param: &Param) -> Offer {
        Offer::of(param)
    }

    /// Its numbers as one array: what a `.npy` holds, and what a step is checked by.
    fn numbers(&self) -> Result<Array>;

    /// The same by their names, and all else that it needs to go on bit for bit.
    fn arrays(&self) -> Result<Vec<Named>>;

    /// Other single values that it goes on by, besides the parameters that a state keeps.
    fn extras(&self) -> Result<Map<String, Json>> {
        Ok(Map::new())
    }

    /// Takes from the state that it was started from what is in no [`Demo::numbers`].
    fn restore(&mut self, _state: &State) -> Result<()> {
        Ok(())
    }

    // How it runs.

    /// Goes back to the initial state of that seed.
    fn reset(&mut self, seed: u64) -> Result<()>;

    /// Returns true if a seed changes its run or its beginning, as it is now.
    fn uses_seed(&self) -> bool {
        true
    }

    /// Does what happens to it from outside before step `step`, from 1.
    fn before_step(&mut self, _step: u64) -> Result<()> {
        Ok(())
    }

    /// Makes one step.
    ///
    /// # Errors
    /// [`Interrupted`] where it saw that it is to stop.
    fn step(&mut self) -> Result<()>;

    /// Returns true if there is nothing left to step, however many steps were asked for.
    fn is_over(&self) -> bool {
        false
    }

    /// Confirms that the last step was made: one whose system was not solved leaves the state as it was, and is the last.
    ///
    /// # Errors
    /// [`NotConverged`]: which step, and why.
    fn solved(&self) -> Result<()> {
        Ok(())
    }

    /// The time that it has reached, where its curves are drawn over that and not over steps.
    fn time(&self) -> Option<f64> {
        None
    }

    /// The time of a step in the world that is simulated, if it has one.
    fn time_step(&self) -> Option<Duration> {
        None
    }

    /// Steps of a run without a window unless the user says otherwise.
    fn whole_run(&self) -> u64 {
        1000
    }

    /// Steps a frame in a window unless the user says otherwise.
    fn pace(&self) -> u64 {
        10
    }

    /// Steps a second in a window where steps a frame are too fast to be followed.
    fn rate(&self) -> Option<f64> {
        None
    }

    /// The newest buffer that a step draws into, to wait for; `None` where a step ends on the CPU.
    fn drawn(&self) -> Option<Buffer>;

    /// Confirms that its numbers are still numbers: asked now and then, and before anything of it is written.
    ///
    /// # Errors
    /// A line about numbers that are none any more.
    fn sound(&self) -> Result<()> {
        Ok(())
    }

    // The report of a run.

    /// The number of steps of a run that `--check` looks at, about.
    fn looks(&self) -> u64 {
        100
    }

    /// Measures the last step, from the state `before`, against what it may be.
    fn check(&self, before: &Array) -> Result<Vec<Measure>>;

    /// Why the bounds did not hold for what was checked, if they could not.
    fn why_unchecked(&self) -> Option<&'static str> {
        None
    }

    /// A line about the last state of a run, if a user would not expect it.
    fn warning(&self, _state: &Array) -> Option<String> {
        None
    }

    /// The findings of the run, for a report.
    fn findings(&self) -> Result<Json> {
        Ok(Json::Null)
    }

    /// The same in lines of its own, for a reader.
    fn remarks(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// The content of the file of that flag of [`About::exports`]; `None` where there is nothing to write.
    fn export(&self, _flag: &str) -> Result<Option<Exported>> {
        Ok(None)
    }

    // Picture and touch.

    /// Draws what the picture needs, once before it is asked for.
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }

    /// The picture as it was prepared: asking where something lies in it draws nothing.
    fn picture(&mut self) -> Box<dyn Picture + '_>;

    /// The settings of how it is seen and touched that no parameter is: a host that starts the demo anew hands them over.
    fn views(&mut self) -> Vec<&mut dyn View> {
        Vec::new()
    }

    /// Marks over the picture, in a window.
    fn marks(&self) -> Vec<Mark> {
        Vec::new()
    }

    /// The name of pictures that a window saves, where it is not that of the demo.
    fn file_stem(&self) -> Option<String> {
        None
    }

    /// Returns true if it has gone back to a beginning since this was last asked: by its own widgets, or in place of a step.
    fn has_begun_anew(&mut self) -> bool {
        false
    }

    /// A line that stays over the picture as long as it is so: why a run has ended or begun anew.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Shows what a panel has above all parameters; returns values that were chosen there together.
    #[cfg(feature = "panel")]
    fn head(&mut self, _ui: &mut egui::Ui) -> Values {
        Values::new()
    }

    /// Shows its own widgets, for what no parameter is, below those that a panel makes of [`Demo::values`].
    #[cfg(feature = "panel")]
    fn panel(&mut self, _ui: &mut egui::Ui) -> Result<()> {
        Ok(())
    }

    /// Returns true if [`Demo::touch`] does anything.
    fn is_touchable(&self) -> bool {
        false
    }

    /// Returns true if a touch is as wide as the brush.
    fn has_brush(&self) -> bool {
        self.is_touchable()
    }

    /// The outlines that the brush can have now, the usual one first; of one there is nothing to choose.
    fn outlines(&self) -> &'static [Outline] {
        &[Outline::Round]
    }

    /// Returns true if a press of the right button does something else than one of the left.
    fn has_second_touch(&self) -> bool {
        false
    }

    /// Returns true if [`Demo::restore`] goes back to any state of a run that goes on. Where it does not, a host that takes a stroke back
    /// starts the demo from the state before it.
    fn takes_strokes_back(&self) -> bool {
        false
    }

    /// The pointer pressed there.
    fn touch(&mut self, _touch: Touch) -> Result<()> {
        Ok(())
    }

    /// Returns true if drags of the left button over what lies in space are its own: they turn no camera then.
    fn takes_pulls(&self) -> bool {
        false
    }

    /// The left button was dragged over what lies in space.
    fn pull(&mut self, _pull: Pull) -> Result<()> {
        Ok(())
    }

    /// The words of help for a click with Ctrl held on what lies in space, where [`Demo::pick`] does anything.
    fn picks(&self) -> Option<&'static str> {
        None
    }

    /// The pointer was pressed there with Ctrl held.
    fn pick(&mut self, _along: &Ray) -> Result<()> {
        Ok(())
    }

    /// Shows what lies around that place `times` as near, as the wheel wants it of a picture without a camera. It does nothing unless said.
    fn come_nearer(&mut self, _at: [f32; 2], _times: f32) -> Result<()> {
        Ok(())
    }

    /// From now on reads its kernel from that file.
    fn watch(&mut self, _kernel: &Path) {}

    /// Takes another text of the file of equations that it was read from. All stays as it was if that is refused.
    ///
    /// # Errors
    /// The first [mistake](equations::Mistake) of the text; values and sizes that the simulation refuses.
    fn edit(&mut self, _text: &str) -> Result<()> {
        Err(anyhow!("a demo that is read from no file"))
    }

    /// Reloads kernels whose files have changed; returns true if any did.
    fn reload_if_changed(&mut self) -> Result<bool> {
        Ok(false)
    }
}

/// How a demo is seen or touched, to be handed over to another run of it.
pub trait View: Any {
    /// Takes what `from` has, if it is of the same type; says whether it is.
    fn take(&mut self, from: &mut dyn Any) -> bool;

    /// Itself, to be taken from.
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<T: Any> View for T {
    fn take(&mut self, from: &mut dyn Any) -> bool {
        let from = from.downcast_mut::<T>();
        from.map(|from| std::mem::swap(self, from)).is_some()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Hands over from one run of a demo to another how it is seen and touched.
pub fn hand_over(from: &mut dyn Demo, to: &mut dyn Demo) {
    for (to, from) in to.views().into_iter().zip(from.views()) {
        to.take(from.as_any());
    }
}

/// Something measured of a step, and what it may be at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    pub name: &'static str,
    pub error: f64,
    pub bound: f64,
}

impl Measure {
    /// Returns true if the error is within the bound; one that is no number is not.
    pub fn passes(&self) -> bool {
        self.error <= self.bound
    }
}

/// The values of a demo, and those that only its offers tell of the parameters that `of` chooses. An empty name is none.
pub fn told(about: &About, demo: &dyn Demo, of: impl Fn(&Param) -> bool) -> Values {
    let mut values = demo.values();
    for param in about.params().filter(|param| of(param)) {
        let now = demo.offer(param).now.filter(|now| !now.to_string().is_empty());
        if let (false, Some(now)) = (values.has(param.name), now) {
            values.set(param.name, now);
        }
    }
    values
}

/// The values of a demo, the names of files that only its offers tell, and those of `given` that only its start was told.
pub fn all_values(about: &About, demo: &dyn Demo, given: &Values) -> Values {
    let mut values = told(about, demo, |param| matches!(param.kind, Kind::Text));
    for param in about.params().filter(|param| param.kept == Kept::No) {
        if let (false, Some(value)) = (values.has(param.name), given.get(param.name)) {
            values.set(param.name, value.clone());
        }
    }
    values
}

/// All that a demo needs to go on after that step.
pub fn saved(about: &About, demo: &dyn Demo, step: u64) -> Result<State> {
    let mut values = about.kept(&demo.values());
    values.extend(demo.extras()?);
    Ok(State { demo: about.name.to_owned(), step, values, arrays: demo.arrays()? })
}

/// Arguments that each make sense and do not fit together: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// A solve that ended without reaching its tolerance: exit status 3.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotConverged(pub String);

/// A run that somebody ended before its time: exit status 130, as shells have it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Interrupted(pub String);

/// `error` as one line beginning with the file it is about: `out.png: no space left on device`.
///
/// The system's own "(os error 28)" is dropped, and a chain of causes is joined by colons.
pub fn named(path: &Path, error: impl Into<Error>) -> Error {
    let mut text = String::new();
    _ = write!(text, "{:#}", error.into());
    if let Some(start) = text.find(" (os error ")
        && let Some(length) = text[start..].find(')')
    {
        text.replace_range(start..=start + length, "");
    }
    anyhow!("{}: {}", shown(path), shown_message(text.replace('\n', " ")))
}

/// A host of unit tests: each look at its clock takes a tenth of a second, and there are no files.
#[cfg(test)]
#[derive(Default)]
pub struct TestHost {
    seconds: std::cell::Cell<f64>,
    has_read: std::cell::Cell<bool>,
}

#[cfg(test)]
impl Host for TestHost {
    fn seconds(&self) -> f64 {
        self.seconds.set(self.seconds.get() + 0.1);
        self.seconds.get()
    }

    fn stops(&self) -> bool {
        false
    }

    fn warn(&self, _line: &str) {}

    fn array(&self, path: &Path, _shape: Option<Shape>) -> Result<Array> {
        Err(named(path, anyhow!("no files in tests")))
    }

    fn grey(&self, path: &Path, _fits: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
        Err(named(path, anyhow!("no files in tests")))
    }

    fn channels(&self, path: &Path, _fits: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
        Err(named(path, anyhow!("no files in tests")))
    }

    /// A sheet, once: files come and go.
    fn mesh(&self, path: &Path) -> Result<PlacedMesh> {
        match self.has_read.replace(true) {
            false => Ok(PlacedMesh { mesh: Mesh::sheet(3, 2)?, origin: [5.0, 0.0, 0.0] }),
            true => Err(named(path, anyhow!("no such file"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::demos::fluid;
    use crate::demos::wave::ABOUT;
    use crate::param::Value;

    #[test]
    fn an_address_is_what_its_parameters_are() {
        let values = ABOUT.values_of("?scheme=implicit&beta=12.5&drops=0");
        let values = values.as_ref();
        assert_eq!(
            values.map(|values| ABOUT.address(values)),
            Ok("scheme=implicit&beta=12.5&drops=0".to_owned())
        );
        assert_eq!(values.map(|values| values.get("beta")), Ok(Some(&Value::Real(12.5))));
        // Usual values are left out.
        let values = ABOUT.values_of("scheme=explicit&drops=3&edges=fixed");
        assert_eq!(values.map(|values| ABOUT.address(&values)), Ok("drops=3".to_owned()));
        // A value may be the usual one beside one value of another parameter, and not beside the next.
        for (address, kept) in [
            ("walls=none&source=0", ""),
            ("source=12", "source=12"),
            ("walls=slit&source=0", "walls=slit&source=0"),
        ] {
            let values = ABOUT.values_of(address);
            assert_eq!(values.map(|values| ABOUT.address(&values)), Ok(kept.to_owned()), "{address}");
        }
        // A key has no hyphens, as in states and reports.
        let values = fluid::ABOUT.values_of("time_step=0.002&lossy");
        let values = values.as_ref();
        assert_eq!(
            values.map(|values| fluid::ABOUT.address(values)),
            Ok("time_step=0.002&lossy=true".to_owned())
        );
        assert_eq!(values.map(|values| values.get("time-step")), Ok(Some(&Value::Real(0.002))));
        for (address, line) in [
            ("gamma=1", "wave: no parameter \"gamma\""),
            ("beta=1&view-=flat", "wave: no parameter \"view-\""),
            ("beta=-1", "beta=-1: expected above 0, at most 10000"),
            ("scheme", "scheme=true: expected explicit, implicit"),
        ] {
            assert_eq!(ABOUT.values_of(address), Err(line.to_owned()));
        }
    }
}
