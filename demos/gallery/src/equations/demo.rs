//! A file of equations as a demo.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Result, anyhow};
use quadrille::pde::{
    Equations, Evaluation, Formula, Overrides, Refusal, Saved, Scheme, Simulation, Snapshot,
};
use quadrille::sim::{Outline, Tip};
use quadrille::{Buffer, Error, Gpu, Program};
use serde_json::{Map, Value as Json};

#[cfg(feature = "panel")]
use super::about::UNTOLD;
use super::about::{EDITED, STEP, edited, key, size_value};
use super::view::{EquationPicture, View};
use super::{Beside, File, Mistake, state};
use crate::demo::{About, Demo, Host, Measure, Request};
use crate::param::Values;
use crate::picture::{Picture, Touch};
use crate::state::{Array, Named, State};

/// The largest distance of a step from the same in 64 bits, relative to the largest value: a few roundings of terms that are not
/// much larger than the result, and what the drivers' functions are off.
const CLOSE: f64 = 1e-5;

/// Equations of a file that are stepped, looked at, painted on and edited.
pub struct Equation {
    gpu: Gpu,
    request: Rc<Request>,
    about: &'static About,
    file: &'static File,
    /// The text that it runs by, and the last one that was looked at.
    text: String,
    seen: String,
    watched: Option<PathBuf>,
    /// Size, scheme, step and seed in the place of the file's own.
    overrides: Overrides,
    simulation: Simulation,
    view: View,
    caption: Vec<String>,
    brush: Brush,
    /// A value became no finite number: which, and when.
    broken: Option<String>,
    begun: bool,
    /// Somebody has painted or changed something since the beginning.
    touched: bool,
    /// The run as it was before the last strokes.
    unpainted: Option<Unpainted>,
    /// Strokes were taken back, or it began anew because of a value that is no finite number.
    note: Option<String>,
    /// A whole run was over, and it began anew.
    repeated: bool,
    /// A preset was chosen: it begins anew with the next values.
    anew: bool,
    /// The step that was looked at for whether it changed anything, when, and if it did not.
    rest: Rest,
    /// The state that [`Demo::numbers`] was asked for last.
    noted: RefCell<Option<Saved>>,
}

/// The run before strokes that may turn out to break it.
struct Unpainted {
    before: Snapshot,
    /// The step of the last stroke.
    at: u64,
}

/// A look at whether steps still change anything.
#[derive(Clone, Copy, Default)]
struct Rest {
    step: u64,
    seconds: f64,
    is_steady: bool,
}

/// Seconds between two looks at whether steps change anything, which read the state back.
const REST: f64 = 2.0;

/// The part of a run that repeats for which its beginning is said.
const BEGINNING: f64 = 0.06;

/// Steps after which a stroke has broken nothing: a value that is no finite number is found within 128.
const SETTLED: u64 = 256;

/// The field that is painted into, and with which value.
struct Brush {
    field: usize,
    value: f32,
    kernel: Option<(Program, Buffer)>,
}

/// The refusal of a file with another scheme or size: the run stays as it is.
fn refused(error: anyhow::Error, scheme: Scheme) -> anyhow::Error {
    if error.is::<Error>() {
        return error;
    }
    let why = error.to_string().lines().next().unwrap_or_default().to_owned();
    Error::BadParameter { name: "scheme", found: scheme.name().to_owned(), expected: why }.into()
}

impl Equation {
    /// The equations of a file at their start.
    ///
    /// # Errors
    /// The first mistake of the file, underlined; a value that it refuses; those of kernels and buffers.
    pub fn new(
        gpu: &Gpu,
        about: &'static About,
        file: &'static File,
        request: &Rc<Request>,
    ) -> Result<Equation> {
        let values = &request.values;
        let mut overrides = Overrides { seed: request.seed, ..Overrides::default() };
        take(&mut overrides, about, values);
        let equations = read(file, file.text, &overrides, &request.host)?;
        overrides.set.clear();
        let simulation = Simulation::new(gpu, equations.clone())?;
        let at = values.whole::<usize>("view").unwrap_or(1) - 1;
        let view = View::new(gpu, &simulation, at, request.draws, values.size("picture"))?;
        let brush = brush(&equations, &view);
        Ok(Equation {
            gpu: gpu.clone(),
            request: request.clone(),
            about,
            file,
            text: file.text.to_owned(),
            seen: file.text.to_owned(),
            watched: None,
            overrides,
            caption: equations.written(),
            simulation,
            view,
            brush,
            broken: None,
            begun: false,
            touched: false,
            unpainted: None,
            note: None,
            repeated: false,
            anew: false,
            rest: Rest::default(),
            noted: RefCell::default(),
        })
    }

    fn equations(&self) -> &Rc<Equations> {
        self.simulation.equations()
    }

    /// The steps of a whole run, where it has an end.
    fn steps_of_a_run(&self) -> Option<f64> {
        let steps = self.equations().run.until / self.simulation.time_step();
        steps.is_finite().then_some(steps)
    }

    /// The same equations with other overrides, the values of parameters as they are now.
    fn made(&self, overrides: &Overrides) -> Result<Simulation> {
        let now = self.equations().parameters.iter().zip(self.simulation.parameters());
        let set = now.map(|(parameter, value)| (parameter.name.clone(), *value)).collect();
        let all = Overrides { set, ..overrides.clone() };
        let equations = read(self.file, &self.text, &all, &self.request.host)?;
        Ok(Simulation::new(&self.gpu, equations)?)
    }

    /// Takes another simulation in the place of this one; all stays as it is if that fails.
    fn take(&mut self, mut simulation: Simulation, goes_on: bool) -> Result<()> {
        self.unpainted = None;
        if goes_on {
            // The memory of the equations before says nothing about these.
            simulation.load(&Saved { past: None, solved: None, ..self.simulation.saved()? })?;
        }
        let size = self.request.values.size("picture");
        let view = |at: usize| View::new(&self.gpu, &simulation, at, self.request.draws, size);
        // An edited file may have fewer views.
        let mut view = view(self.view.at()).or_else(|_| view(0))?;
        view.prepare(&simulation)?;
        self.view = view;
        if !goes_on {
            (self.broken, self.begun) = (None, true);
        }
        self.simulation = simulation;
        self.caption = self.equations().written();
        self.brush.kernel = None;
        self.brush.field = self.brush.field.min(self.equations().fields.len() - 1);
        Ok(())
    }

    /// Size, scheme, step and seed as they were set, where the file has not changed them.
    fn overrides_in(&self, own: &Equations) -> Result<Overrides> {
        let before = read(self.file, &self.text, &Overrides::default(), &self.request.host)?;
        let Overrides { size, scheme, step, seed, until, .. } = self.overrides;
        Ok(Overrides {
            set: Vec::new(),
            size: size.filter(|_| own.grid.size == before.grid.size),
            scheme: scheme.filter(|_| own.run.scheme == before.run.scheme),
            step: step.filter(|_| own.run.step == before.run.step),
            // One that nobody has changed is that of the file.
            seed: seed.filter(|seed| *seed != before.run.seed),
            until,
        })
    }

    /// Keeps the run as it is before a stroke, or as it was before those that went before it.
    fn keep_unpainted(&mut self) -> Result<()> {
        let now = self.simulation.count();
        match &mut self.unpainted {
            Some(kept) => kept.at = now,
            None => self.unpainted = Some(Unpainted { before: self.simulation.snapshot()?, at: now }),
        }
        self.note = None;
        Ok(())
    }

    /// The values of a preset; it begins anew as it is given them.
    #[cfg(feature = "panel")]
    fn preset(&mut self, number: usize) -> Values {
        let mut values = Values::new();
        let equations = self.simulation.equations();
        for &(at, value) in &equations.presets[number].values {
            values.set(key(&equations.parameters[at]), value);
        }
        self.anew = true;
        values
    }

    /// Looks now and then whether steps still change anything.
    fn look_for_rest(&mut self) -> Result<()> {
        let (step, seconds) = (self.simulation.count(), self.request.host.seconds());
        if step < self.rest.step {
            self.rest = Rest::default();
        }
        if step > self.rest.step && seconds - self.rest.seconds > REST && !self.request.windowless {
            self.rest = Rest { step, seconds, is_steady: self.simulation.is_steady()? };
        }
        Ok(())
    }

    /// A whole run is over that nobody has touched, and its file asks for another one.
    fn begins_again(&self) -> bool {
        let run = &self.equations().run;
        let is_over = self.simulation.time() > run.until - 0.5 * self.simulation.time_step();
        run.repeat && is_over && !self.touched && !self.request.windowless
    }

    /// Paints with that tip into the chosen field.
    fn paint(&mut self, centre: [f32; 2], Tip { radius, outline }: Tip, value: f32) -> Result<()> {
        let state = self.simulation.state().clone();
        let (mut program, scratch) = match self.brush.kernel.take() {
            Some(known) => known,
            None => {
                let scratch = self.gpu.buffer(state.width(), state.height()).components(state.components());
                let scratch = scratch.edges(state.edges()).named("painted").build()?;
                (self.gpu.builtin("pde/paint.frag")?, scratch)
            }
        };
        let mut chosen = [0.0; 4];
        chosen[self.brush.field.min(3)] = 1.0;
        program
            .bind_stream("state", &state)?
            .bind_float("centre", centre)?
            .bind_float("radius", radius)?
            .bind_float("square", f32::from(u8::from(outline == Outline::Square)))?
            .bind_float("soft", f32::from(u8::from(outline == Outline::Soft)))?
            .bind_float("paint", value)?
            .bind_float("chosen", chosen)?;
        program.run(&scratch)?;
        program.release_streams();
        state.copy_from(&scratch)?;
        self.brush.kernel = Some((program, scratch));
        Ok(self.simulation.state_painted()?)
    }
}

/// Parameters of the file, size, scheme and step of values, in the place of what was said before.
pub fn take(overrides: &mut Overrides, about: &About, values: &Values) {
    take_run(overrides, values);
    for param in about.parameters.first().copied().unwrap_or_default() {
        let is_set = overrides.set.iter().any(|(name, _)| name == param.symbol);
        if let Some(value) = values.double(param.name).filter(|_| !is_set) {
            overrides.set.push((param.symbol.to_owned(), value));
        }
    }
}

/// Size, scheme and step of values, in the place of what was said before.
fn take_run(overrides: &mut Overrides, values: &Values) {
    if let Some(word) = values.word("scheme") {
        overrides.scheme = Scheme::named(word);
    }
    overrides.step = values.double(STEP.name).or(overrides.step);
    let line = values.whole::<u32>("size").map(|nodes| [nodes, 1]);
    overrides.size = values.size("size").or(line).or(overrides.size);
}

/// The equations of a text.
///
/// # Errors
/// Its first mistake, underlined; [`Error::BadParameter`] for a value that it refuses.
fn read(file: &File, text: &str, overrides: &Overrides, host: &Rc<dyn Host>) -> Result<Rc<Equations>> {
    match Equations::read(text, overrides, &mut Beside::new(host.clone(), Path::new(file.path))) {
        Ok(equations) => Ok(Rc::new(equations)),
        Err(Refusal::Fault(fault)) => Err(Mistake::new(file.name, text, &fault).into()),
        Err(Refusal::Override(line)) => {
            let found = overrides.size.map_or("a value".to_owned(), |[x, y]| format!("{x}x{y}"));
            Err(Error::BadParameter { name: "value", found, expected: line }.into())
        }
    }
}

/// The brush of a beginning: the field of the view, and a number in the upper half of its range, which more equations bear than its end.
/// Where the view shows no field, or has no range, the largest number that the first one begins with.
fn brush(equations: &Equations, view: &View) -> Brush {
    let field = equations.fields.iter().position(|field| field.name == view.chosen().formula);
    let value = match field {
        Some(_) if view.has_range() => {
            let [low, high] = view.ends();
            low + UPPER * (high - low)
        }
        _ => largest_at_start(equations).unwrap_or(1.0),
    };
    Brush { field: field.unwrap_or(0), value, kernel: None }
}

/// The place of a brush's number in the range of a view.
const UPPER: f32 = 0.75;

/// The largest absolute value of the first field's start, rounded to two digits; `None` for 0 and for what is no number.
fn largest_at_start(equations: &Equations) -> Option<f32> {
    let start = equations.fields.first()?.start.as_ref()?;
    let (values, nodes) = (equations.values(), equations.grid.nodes());
    let none = equations.fields.iter().map(|_| vec![0.0; nodes]).collect();
    let found = Evaluation::new(equations, &values, equations.run.step, 0.0, none).values(start);
    let most = found.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let unit = 10f64.powf(most.log10().floor() - 1.0);
    (most > 0.0 && most.is_finite()).then_some(((most / unit).round() * unit) as f32)
}

/// The largest distance of each field whose solution is known, inside the domain.
///
/// # Errors
/// Those of reading back.
pub fn errors(simulation: &Simulation) -> Result<Vec<(String, f64)>> {
    let equations = simulation.equations();
    let mut all = Vec::new();
    if equations.fields.iter().all(|field| field.exact.is_none()) {
        return Ok(all);
    }
    let evaluation = simulation.evaluation()?;
    for (field, values) in equations.fields.iter().zip(simulation.fields()?) {
        let Some(exact) = field.exact.as_ref() else { continue };
        let exact = evaluation.values(exact);
        let inside = (0..values.len()).filter(|node| equations.grid.area(*node) > 0.0);
        let error = inside.map(|node| (f64::from(values[node]) - exact[node]).abs()).fold(0.0, f64::max);
        all.push((field.name.clone(), error));
    }
    Ok(all)
}

impl Demo for Equation {
    fn size(&self) -> (String, &'static str) {
        let grid = &self.equations().grid;
        (size_value(grid.size, grid.dimensions).to_string(), "nodes")
    }

    fn about(&self) -> Option<&'static About> {
        Some(self.about)
    }

    fn caption(&self) -> &[String] {
        &self.caption
    }

    fn quantity(&self) -> Option<&str> {
        Some(&self.view.chosen().formula)
    }

    fn values(&self) -> Values {
        let equations = self.equations();
        let mut values = Values::new();
        for (parameter, value) in equations.parameters.iter().zip(self.simulation.parameters()) {
            values.set(key(parameter), *value);
        }
        values.set("scheme", equations.run.scheme.name());
        values.set(STEP.name, self.simulation.time_step());
        values.set("size", size_value(equations.grid.size, equations.grid.dimensions));
        values.set("view", self.view.at() as u64 + 1);
        values
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        self.touched = true;
        let anew = std::mem::take(&mut self.anew);
        let mut overrides = self.overrides.clone();
        take_run(&mut overrides, values);
        let grid = &self.equations().grid;
        let size = overrides.size.unwrap_or(grid.size);
        let scheme = overrides.scheme.unwrap_or(self.equations().run.scheme);
        // `auto` is another name for what it has chosen.
        let other = overrides.scheme != self.overrides.scheme && scheme != self.equations().run.scheme;
        let resized = size != grid.size;
        if resized || other {
            let made = self.made(&overrides).map_err(|error| refused(error, scheme))?;
            self.take(made, !resized)?;
        }
        self.overrides = overrides;
        if let Some(step) = values.double(STEP.name).filter(|step| *step != self.simulation.time_step()) {
            self.simulation.set_step(step)?;
        }
        let names: Vec<&str> = self.equations().parameters.iter().map(key).collect();
        for (at, name) in names.into_iter().enumerate() {
            if let Some(value) = values.double(name) {
                self.simulation.set_parameter(at, value)?;
            }
        }
        if anew {
            self.simulation.restart()?;
            (self.broken, self.note, self.unpainted, self.begun) = (None, None, None, true);
            self.view.begin(&self.simulation)?;
        }
        match values.whole::<usize>("view") {
            Some(number) if number != self.view.at() + 1 => self.view.choose(number - 1, &self.simulation),
            _ => Ok(()),
        }
    }

    fn numbers(&self) -> Result<Array> {
        let [width, height] = self.equations().grid.size.map(|side| side as usize);
        let components = self.equations().fields.len();
        // The rest that a step goes by, for its check.
        self.noted.replace(Some(self.simulation.saved()?));
        Ok(Array { height, width, components, values: self.simulation.state().data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        state::arrays(&self.simulation)
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let mut values = state::clock(&self.simulation)?;
        values.extend(state::text(self.file.name, &self.text));
        Ok(values)
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        let saved = super::saved(state, self.equations())?;
        self.simulation.load(&saved)?;
        (self.broken, self.unpainted, self.note, self.touched) = (None, None, None, true);
        self.view.begin(&self.simulation)
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        if seed == self.equations().run.seed {
            self.simulation.restart()?;
        } else {
            let overrides = Overrides { seed: Some(seed), ..self.overrides.clone() };
            self.simulation = self.made(&overrides)?;
            self.overrides = overrides;
            self.brush.kernel = None;
        }
        (self.broken, self.unpainted, self.note, self.touched) = (None, None, None, false);
        self.repeated = false;
        self.view.begin(&self.simulation)
    }

    fn uses_seed(&self) -> bool {
        let random = |formula: &Option<Formula>| formula.as_ref().is_some_and(|formula| formula.has.random);
        self.equations().fields.iter().any(|field| field.noise.is_some() || random(&field.start))
    }

    /// A value that is no finite number is the end of the run, until it is put back; strokes that led to it are taken back instead.
    fn step(&mut self) -> Result<()> {
        if self.begins_again() {
            self.simulation.restart()?;
            (self.begun, self.repeated) = (true, true);
            return self.view.begin(&self.simulation);
        }
        if self.unpainted.as_ref().is_some_and(|kept| self.simulation.count() > kept.at + SETTLED) {
            self.unpainted = None;
        }
        match self.simulation.step() {
            Err(
                error @ (Error::StepNotFinite { .. }
                | Error::StepNotSolved { .. }
                | Error::StepSingular { .. }),
            ) => {
                match self.unpainted.take() {
                    Some(kept) => {
                        self.simulation.restore(&kept.before)?;
                        self.note = Some(format!("What was painted is taken back: {error}"));
                    }
                    None if self.equations().run.repeat && !self.request.windowless => {
                        self.simulation.restart()?;
                        self.begun = true;
                        self.note = Some(format!("It begins anew: {error}"));
                        return self.view.begin(&self.simulation);
                    }
                    None => self.broken = Some(error.to_string()),
                }
                return Ok(());
            }
            stepped => stepped?,
        }
        self.view.stepped(&self.simulation)
    }

    fn is_over(&self) -> bool {
        self.broken.is_some()
    }

    fn time(&self) -> Option<f64> {
        Some(self.simulation.time())
    }

    fn views(&mut self) -> Vec<&mut dyn crate::demo::View> {
        vec![&mut self.view.colouring]
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.simulation.state().clone())
    }

    /// Compares the step with the same in 64 bits on the CPU.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let count = self.equations().fields.len();
        let field = |at: usize| before.values.iter().skip(at).step_by(count).copied().collect();
        let fields = (0..count).map(field).collect();
        let Some(noted) = self.noted.take() else { return Ok(Vec::new()) };
        let step = Some(noted.step);
        let mut twin = self.made(&Overrides { step, ..self.overrides.clone() })?;
        twin.load(&Saved { fields, ..noted })?;
        let (mut most, mut scale) = (0.0_f64, f64::MIN_POSITIVE);
        for (found, expected) in self.simulation.fields()?.iter().zip(twin.expected()?) {
            for (found, expected) in found.iter().zip(expected) {
                let off = (f64::from(*found) - expected).abs();
                most = if off.is_nan() { f64::NAN } else { most.max(off) };
                scale = scale.max(expected.abs());
            }
        }
        Ok(vec![Measure {
            name: "error",
            error: most / scale,
            bound: CLOSE + self.simulation.slack()? / scale,
        }])
    }

    /// The time, the probes of the file, distances to solutions that are known; without probes the mean of each field.
    fn findings(&self) -> Result<Json> {
        let evaluation = self.simulation.evaluation()?;
        let equations = self.equations();
        let mut found = Map::new();
        for probe in &equations.probes {
            found.insert(probe.name.clone(), evaluation.value(&probe.show, probe.node.unwrap_or(0)).into());
        }
        for (name, error) in errors(&self.simulation)? {
            found.insert(format!("error_{name}"), error.into());
        }
        if found.is_empty() {
            for (field, values) in equations.fields.iter().zip(self.simulation.fields()?) {
                let parts = values.iter().enumerate();
                let sum: f64 = parts.map(|(node, value)| equations.grid.area(node) * f64::from(*value)).sum();
                found.insert(format!("mean_{}", field.name), (sum / equations.grid.whole()).into());
            }
        }
        found.insert("time".to_owned(), self.simulation.time().into());
        Ok(Json::Object(found))
    }

    fn prepare(&mut self) -> Result<()> {
        self.look_for_rest()?;
        self.view.prepare(&self.simulation)
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(EquationPicture { view: &mut self.view })
    }

    fn file_stem(&self) -> Option<String> {
        Some(self.file.name.trim_end_matches(".toml").to_owned())
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun)
    }

    /// Why it has ended, was taken back, has begun anew, or does not change.
    fn notice(&self) -> Option<String> {
        let run = &self.equations().run;
        let time = self.simulation.time();
        match (&self.broken, &self.note) {
            (Some(line), _) => Some(format!("{line}. The run has ended: R begins anew")),
            (None, Some(line)) => Some(format!("{line}. A shorter time step may bear it")),
            (None, None) if self.repeated && time < BEGINNING * run.until => {
                let end = run.until;
                Some(format!("t = {end} was reached, and the run began anew, as its file says: repeat"))
            }
            (None, None) if self.rest.is_steady => {
                let step = self.simulation.time_step() as f32;
                Some(format!(
                    "At rest: a step changes no value. It is the end, or {step} is too short for numbers of 32 bits: a longer step tells"
                ))
            }
            (None, None) => None,
        }
    }

    /// A whole run takes ten seconds of sixty frames.
    fn pace(&self) -> u64 {
        self.steps_of_a_run().map_or(10, |steps| (steps / 600.0).round().clamp(1.0, 1000.0) as u64)
    }

    fn rate(&self) -> Option<f64> {
        self.steps_of_a_run().filter(|steps| *steps < 400.0).map(|steps| (0.1 * steps).max(2.0))
    }

    /// The file's paragraph, and its presets.
    #[cfg(feature = "panel")]
    fn head(&mut self, ui: &mut egui::Ui) -> Values {
        let about = self.about;
        if about.computes != UNTOLD {
            let text = egui::CollapsingHeader::new("about").id_salt((about.name, "about"));
            text.default_open(true).show(ui, |ui| ui.label(crate::panel::in_window(about.computes)));
        }
        let (equations, now) = (self.equations(), self.simulation.parameters());
        if equations.presets.is_empty() {
            return Values::new();
        }
        let mut chosen = None;
        ui.horizontal_wrapped(|ui| {
            ui.label("preset")
                .on_hover_text("Values of parameters that the file names: the run begins anew with them");
            for (number, preset) in equations.presets.iter().enumerate() {
                let is_now = preset.values.iter().all(|&(at, value)| now[at] == value);
                let all = preset
                    .values
                    .iter()
                    .map(|&(at, value)| format!("{} = {value}", equations.parameters[at].name));
                let hover = all.collect::<Vec<_>>().join(", ");
                if ui.selectable_label(is_now, &preset.name).on_hover_text(hover).clicked() {
                    chosen = Some(number);
                }
            }
        });
        chosen.map_or(Values::new(), |number| self.preset(number))
    }

    /// Which view, the time, and what is painted.
    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        if let Some(line) = &self.broken {
            ui.colored_label(ui.visuals().error_fg_color, format!("{line}. Reset begins anew."));
        }
        if let Some(line) = &self.note {
            ui.colored_label(ui.visuals().warn_fg_color, format!("{line}. A shorter time step may bear it."));
        }
        ui.separator();
        let mut at = self.view.at();
        let titles: Vec<String> = self.view.titles().map(str::to_owned).collect();
        let shown = titles.get(at).map_or("", String::as_str).to_owned();
        egui::ComboBox::from_label("view").selected_text(shown).show_ui(ui, |ui| {
            for (number, title) in titles.iter().enumerate() {
                ui.selectable_value(&mut at, number, title);
            }
        });
        if at != self.view.at() {
            self.view.choose(at, &self.simulation)?;
        }
        ui.horizontal(|ui| {
            let equations = self.simulation.equations();
            let Brush { field, value, .. } = &mut self.brush;
            ui.label("paint");
            let name = equations.fields.get(*field).map_or("", |field| &field.name);
            egui::ComboBox::from_id_salt("painted").width(48.0).selected_text(name).show_ui(ui, |ui| {
                for (number, known) in equations.fields.iter().enumerate() {
                    ui.selectable_value(field, number, &known.name);
                }
            });
            ui.label("=");
            let speed = 0.01 * value.abs().max(0.1);
            ui.add(egui::DragValue::new(value).speed(speed)).on_hover_text("The right button paints 0");
        });
        ui.monospace(format!("t = {}", crate::play::written(self.simulation.time())));
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn takes_strokes_back(&self) -> bool {
        true
    }

    fn outlines(&self) -> &'static [Outline] {
        &[Outline::Round, Outline::Square, Outline::Soft]
    }

    /// The right button paints 0; over a surface it turns the camera.
    fn has_second_touch(&self) -> bool {
        self.view.chosen().kind != quadrille::pde::Show::Surface
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        let Touch::Cell { x, y, tip, drag } = touch else { return Ok(()) };
        let [_, height] = self.equations().grid.size;
        let value = match (drag.right, self.view.value_at(y)) {
            (true, _) => 0.0,
            // A curve is drawn by hand where the view shows the field itself.
            (false, Some(drawn)) if self.shows_its_field() => drawn,
            (false, _) => self.brush.value,
        };
        let y = if height == 1 { 0.5 } else { height as f32 - y };
        self.touched = true;
        self.keep_unpainted()?;
        self.paint([x, y], tip, value)
    }

    /// Reads another text of the file. Fields go on where they are the same ones on the same grid; parameters, size, scheme and step
    /// are as they were set where the file has not changed them.
    fn edit(&mut self, text: &str) -> Result<()> {
        self.touched = true;
        let own = read(self.file, text, &Overrides::default(), &self.request.host)?;
        let mut overrides = self.overrides_in(&own)?;
        let before = self.equations();
        for (parameter, value) in before.parameters.iter().zip(self.simulation.parameters()) {
            let same = own.parameters.iter().find(|other| other.name == parameter.name);
            let of_about = self.about.params().find(|param| param.symbol == parameter.name);
            let of_file = of_about.and_then(|param| param.default.parse::<f64>().ok());
            if let Some(same) = same
                && of_file == Some(same.value)
                && same.range.is_none_or(|[least, most]| (least..=most).contains(value))
            {
                overrides.set.push((parameter.name.clone(), *value));
            }
        }
        let equations = read(self.file, text, &overrides, &self.request.host)?;
        overrides.set.clear();
        let names = |equations: &Equations| -> Vec<String> {
            equations.fields.iter().map(|field| field.name.clone()).collect()
        };
        let goes_on = names(before) == names(&equations) && before.grid.size == equations.grid.size;
        let simulation = Simulation::new(&self.gpu, equations)?;
        self.take(simulation, goes_on && self.broken.is_none())?;
        self.overrides = overrides;
        self.about = edited(self.about, text, &own);
        text.clone_into(&mut self.text);
        Ok(())
    }

    fn watch(&mut self, file: &Path) {
        self.watched = Some(file.to_owned());
    }

    fn reload_if_changed(&mut self) -> Result<bool> {
        let Some(path) = &self.watched else { return Ok(false) };
        // A file that is being replaced is not there for a moment.
        let Ok(text) = self.request.host.text(path) else { return Ok(false) };
        if text == self.seen {
            return Ok(false);
        }
        self.seen.clone_from(&text);
        // It was typed here, and runs already.
        if text == self.text {
            return Ok(true);
        }
        match self.edit(&text) {
            Ok(()) => Ok(true),
            Err(error) => Err(anyhow!("{EDITED}\n{error:#}")),
        }
    }
}

impl Equation {
    /// Returns true if the view shows the field that is painted into, and nothing else.
    fn shows_its_field(&self) -> bool {
        self.view.chosen().formula
            == self.equations().formula_written(&self.simulation.field(self.brush.field))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, ensure};

    use super::*;
    use crate::demo::{Shape, saved};
    use crate::param::Value;

    /// A host with one file, which somebody edits.
    struct Editor(RefCell<String>);

    impl Host for Editor {
        fn seconds(&self) -> f64 {
            0.0
        }

        fn stops(&self) -> bool {
            false
        }

        fn warn(&self, _line: &str) {}

        fn array(&self, _: &Path, _: Option<Shape>) -> Result<Array> {
            Err(anyhow!("no arrays"))
        }

        fn grey(&self, _: &Path, _: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
            Err(anyhow!("no pictures"))
        }

        fn channels(&self, _: &Path, _: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
            Err(anyhow!("no pictures"))
        }

        fn mesh(&self, _: &Path) -> Result<crate::demo::PlacedMesh> {
            Err(anyhow!("no meshes"))
        }

        fn text(&self, _: &Path) -> Result<String> {
            Ok(self.0.borrow().clone())
        }
    }

    const TEXT: &str = "grid = { size = [24, 20], length = [24, 20] }\nrun = { scheme = \"euler\", step = 0.1 }\n\
                        parameters = { k = { value = 0.5, range = [0, 1] } }\n\
                        views = [{ show = \"u\", range = [0, 2] }]\n[fields]\n\
                        u = { dt = \"lap(u) - k*u\", start = \"1 + 0.1*normal()\", edges = \"periodic\" }\n\
                        v = { dt = \"0\", start = \"x\", edges = \"periodic\" }\n";

    fn opened() -> Result<(Gpu, Rc<Editor>, Equation)> {
        opened_as(TEXT)
    }

    fn opened_as(text: &str) -> Result<(Gpu, Rc<Editor>, Equation)> {
        let about = super::super::opened("a.toml", text, "a.toml", &mut quadrille::pde::NoFiles);
        let about = about.map_err(|refusal| anyhow!("{refusal:?}"))?;
        let host = Rc::new(Editor(text.to_owned().into()));
        let request = Request { draws: true, ..Request::new(Values::new(), host.clone()) };
        let gpu = Gpu::headless()?;
        let file = about.equation.context("a file")?;
        let mut equation = Equation::new(&gpu, about, file, &Rc::new(request))?;
        equation.watch(Path::new("a.toml"));
        Ok((gpu, host, equation))
    }

    #[test]
    fn paint_lies_where_the_pointer_is_in_the_chosen_field_alone() -> Result<()> {
        let (_gpu, _host, mut equation) = opened()?;
        let before = equation.numbers()?.values;
        equation.brush.field = 1;
        // y of the pointer counts from the top of the picture, rows of nodes from the bottom.
        equation.touch(Touch::Cell { x: 5.5, y: 2.5, tip: 2.0.into(), drag: Default::default() })?;
        let after = equation.numbers()?.values;
        for node in 0..24 * 20 {
            let (x, y) = (node % 24, node / 24);
            // Four nodes lie on the circle itself.
            let inside = (x as f32 - 5.0).hypot(y as f32 - 17.0) <= 2.0;
            ensure!(after[2 * node] == before[2 * node], "u at {x}, {y}");
            let expected = if inside { equation.brush.value } else { before[2 * node + 1] };
            ensure!(after[2 * node + 1] == expected, "v at {x}, {y}: {}", after[2 * node + 1]);
        }
        // It goes on from there.
        equation.step()?;
        ensure!(equation.numbers()?.values[2 * (17 * 24 + 5) + 1] == equation.brush.value);
        Ok(())
    }

    /// A save goes on as the run does after paint and sliders, into a new run and into this one.
    #[test]
    fn paint_and_sliders_before_a_save_go_on_bit_for_bit() -> Result<()> {
        let implicit = TEXT.replace("scheme = \"euler\", step = 0.1", "scheme = \"sbdf2\", step = 1");
        for text in [implicit, TEXT.replace("euler", "ab2")] {
            let (gpu, _host, mut equation) = opened_as(&text)?;
            (0..4).try_for_each(|_| equation.step())?;
            equation.touch(Touch::Cell { x: 5.5, y: 2.5, tip: 2.2.into(), drag: Default::default() })?;
            let painted = saved(equation.about, &equation, 4)?;
            equation.step()?;
            equation.set(&Values::new().with("k", 0.9).with("time-step", 0.05))?;
            let moved = saved(equation.about, &equation, 5)?;
            let mut after = Vec::new();
            for _ in 0..6 {
                equation.step()?;
                after.push(equation.numbers()?.values);
            }
            let from = |state: &State, equation: &mut Equation| -> Result<Vec<f32>> {
                let number = |key: &str| state.values.get(key).and_then(Json::as_f64).unwrap_or(0.0);
                equation.set(&Values::new().with("k", number("k")).with("time-step", number("time_step")))?;
                equation.restore(state)?;
                if state.step == 4 {
                    equation.step()?;
                    equation.set(&Values::new().with("k", 0.9).with("time-step", 0.05))?;
                }
                (0..6).try_for_each(|_| equation.step())?;
                Ok(equation.numbers()?.values)
            };
            for state in [&painted, &moved] {
                ensure!(from(state, &mut equation)? == after[5], "step {} into the run", state.step);
                let about = equation.about;
                let file = about.equation.context("a file")?;
                let mut other = Equation::new(&gpu, about, file, &equation.request)?;
                ensure!(from(state, &mut other)? == after[5], "step {} into another", state.step);
            }
        }
        Ok(())
    }

    /// The seed of the file is that of the first run, of a reset, of the command and of a state.
    #[test]
    fn the_seed_of_the_file_is_the_seed_of_the_window() -> Result<()> {
        use crate::play::Play;
        let text = TEXT.replace("step = 0.1", "step = 0.1, seed = 7");
        let (_gpu, host, mut equation) = opened_as(&text)?;
        let first = equation.numbers()?.values;
        let about = equation.about;
        let seed = equation.request.seed_of(about);
        let mut play = Play::new(about, &mut equation, seed);
        let values = equation.values();
        ensure!(play.seed == 7 && !play.command(&mut equation, values, 3, None).contains("--seed"));
        ensure!(saved(about, &equation, 0)?.values.get("seed").and_then(Json::as_u64) == Some(7));
        equation.reset(play.seed)?;
        ensure!(equation.numbers()?.values == first);
        *host.0.borrow_mut() = text.replace("seed = 7", "seed = 8");
        ensure!(equation.reload_if_changed()?);
        play.describe(equation.about);
        ensure!(play.seed == 8, "the file's new seed");
        play.seed = 1;
        let values = equation.values();
        ensure!(play.command(&mut equation, values, 3, None).contains("--seed 1"));
        Ok(())
    }

    #[test]
    fn an_edited_file_goes_on_where_it_was_and_a_broken_one_leaves_the_equation() -> Result<()> {
        let (_gpu, host, mut equation) = opened()?;
        equation.set(&Values::new().with("k", 0.25))?;
        (0..3).try_for_each(|_| equation.step())?;
        ensure!(!equation.reload_if_changed()?);
        let before = equation.numbers()?.values;
        *host.0.borrow_mut() = TEXT.replace("- k*u", "- k*w");
        let told = equation.reload_if_changed().err().map(|error| error.to_string()).unwrap_or_default();
        let lines: Vec<&str> = told.lines().collect();
        ensure!(lines[0] == EDITED, "{told}");
        ensure!(lines[1].starts_with("a.toml:6:24: \"w\" is no field"), "{told}");
        ensure!(lines[2].starts_with("u = { dt = \"lap(u) - k*w\""), "{told}");
        ensure!(lines[3] == format!("{}^", " ".repeat(23)), "{told}");
        // Told once, and nothing has changed.
        ensure!(!equation.reload_if_changed()? && equation.numbers()?.values == before);
        *host.0.borrow_mut() = TEXT.replace("range = [0, 1]", "range = [0, 3]").replace("- k*u", "- 2*k*u");
        ensure!(equation.reload_if_changed()?);
        ensure!(equation.numbers()?.values == before && equation.values().double("k") == Some(0.25));
        ensure!(equation.caption[0] == "∂u/∂t = ∇²u − 2 k u", "{:?}", equation.caption);
        let about = Demo::about(&equation).context("about")?;
        ensure!(about.param("k").is_some_and(|k| k.parse("2.5").is_ok()), "the slider has the new range");
        // Other fields begin anew.
        ensure!(!equation.has_begun_anew());
        *host.0.borrow_mut() =
            TEXT.replace("[24, 20], len", "[12, 20], len").replace("value = 0.5", "value = 0.75");
        ensure!(equation.reload_if_changed()? && equation.has_begun_anew());
        ensure!(equation.size().0 == "12x20" && equation.values().double("k") == Some(0.75));
        Ok(())
    }

    #[test]
    fn a_slider_compiles_nothing_and_another_size_begins_anew() -> Result<()> {
        let (gpu, _host, mut equation) = opened()?;
        equation.step()?;
        let before = gpu.counters();
        equation.set(&Values::new().with("k", 0.125).with("time-step", 0.05))?;
        equation.step()?;
        let after = gpu.counters();
        ensure!(before.compiles == after.compiles, "compiled");
        equation.set(&Values::new().with("scheme", "rk4"))?;
        ensure!(!equation.has_begun_anew());
        ensure!(equation.values().double("k") == Some(0.125));
        equation.set(&Values::new().with("size", [15, 9]))?;
        ensure!(equation.has_begun_anew() && equation.size().0 == "15x9");
        let refused = equation.set(&Values::new().with("size", [2, 9])).err();
        ensure!(refused.is_some_and(|error| error.is::<Error>()), "the panel says it");
        ensure!(equation.size().0 == "15x9");
        equation.set(&Values::new().with("size", [16, 16]))?;
        Ok(())
    }

    /// u' = u², which any paint makes infinite in the end, and sooner the more there is of it.
    const BURSTS: &str = "grid = { size = [16, 12], length = [16, 12] }
        run = { scheme = \"euler\", step = 0.01, until = 0.05, REPEAT }
        views = [{ show = \"u\", range = [0, 100] }]
        fields.u = { dt = \"u^2\", start = \"0.001*x\", edges = \"periodic\" }";

    #[test]
    fn a_stroke_that_breaks_the_run_is_taken_back() -> Result<()> {
        let (_gpu, _host, mut equation) = opened_as(&BURSTS.replace(", REPEAT", ""))?;
        (0..7).try_for_each(|_| equation.step())?;
        let (before, time) = (equation.numbers()?.values, equation.simulation.time());
        equation.brush.value = 1e4;
        let stroke = |x| Touch::Cell { x, y: 2.5, tip: 2.0.into(), drag: Default::default() };
        equation.touch(stroke(3.5))?;
        equation.step()?;
        equation.touch(stroke(7.5))?;
        for _ in 0..400 {
            equation.step()?;
            ensure!(!equation.is_over());
            if equation.note.is_some() {
                break;
            }
        }
        ensure!(
            equation.note.as_ref().is_some_and(|note| note.starts_with("What was painted is taken back: u"))
        );
        ensure!(equation.numbers()?.values == before && equation.simulation.time() == time);
        // The next stroke is one of its own, and a run that breaks without any rests as ever.
        equation.brush.value = 0.5;
        equation.touch(stroke(3.5))?;
        ensure!(equation.note.is_none() && equation.numbers()?.values != before);
        (0..SETTLED + 2).try_for_each(|_| equation.step())?;
        ensure!(equation.unpainted.is_none());
        equation.set(&Values::new().with("time-step", 1e4))?;
        (0..400).try_for_each(|_| if equation.is_over() { Ok(()) } else { equation.step() })?;
        ensure!(equation.is_over() && equation.note.is_none());
        Ok(())
    }

    #[test]
    fn a_whole_run_begins_anew_where_its_file_says_so_and_nobody_has_touched_it() -> Result<()> {
        let text = |repeat| BURSTS.replace("REPEAT", repeat);
        for (repeat, paints, windowless, expected) in [
            ("repeat = true", false, false, true),
            ("repeat = true", true, false, false),
            ("repeat = true", false, true, false),
            ("repeat = false", false, false, false),
        ] {
            let (_gpu, _host, mut equation) = opened_as(&text(repeat))?;
            equation.request =
                Rc::new(Request { windowless, ..Request::new(Values::new(), equation.request.host.clone()) });
            let start = equation.numbers()?.values;
            (0..2).try_for_each(|_| equation.step())?;
            if paints {
                equation.touch(Touch::Cell { x: 3.5, y: 2.5, tip: 2.0.into(), drag: Default::default() })?;
            }
            (0..3).try_for_each(|_| equation.step())?;
            ensure!(!equation.has_begun_anew() && equation.numbers()?.values != start, "{repeat}");
            equation.step()?;
            ensure!(equation.has_begun_anew() == expected && !equation.has_begun_anew(), "{repeat} {paints}");
            ensure!((equation.numbers()?.values == start) == expected, "{repeat} {paints} {windowless}");
            ensure!((equation.simulation.time() == 0.0) == expected);
        }
        Ok(())
    }

    #[test]
    fn a_run_that_blows_up_rests_until_it_is_put_back() -> Result<()> {
        let (_gpu, _host, mut equation) = opened()?;
        equation.set(&Values::new().with("time-step", 40.0))?;
        for _ in 0..400 {
            if equation.is_over() {
                break;
            }
            equation.step()?;
        }
        ensure!(equation.broken.as_ref().is_some_and(|line| line.contains("u is not finite at step")));
        equation.prepare()?;
        equation.reset(1)?;
        ensure!(!equation.is_over());
        equation.set(&Values::new().with("time-step", 0.1))?;
        equation.step()?;
        ensure!(equation.numbers()?.values.iter().all(|value| value.is_finite()));
        Ok(())
    }

    #[test]
    fn why_a_run_has_ended_or_begun_anew_or_rests_is_said() -> Result<()> {
        let said =
            |equation: &Equation, words: &str| equation.notice().is_some_and(|line| line.contains(words));
        let (_gpu, _host, mut equation) = opened_as(&BURSTS.replace("REPEAT", "repeat = true"))?;
        equation.request = Rc::new(Request {
            windowless: false,
            ..Request::new(Values::new(), equation.request.host.clone())
        });
        ensure!(equation.notice().is_none());
        (0..6).try_for_each(|_| equation.step())?;
        ensure!(said(&equation, "t = 0.05 was reached, and the run began anew"), "{:?}", equation.notice());
        equation.step()?;
        ensure!(equation.notice().is_none(), "for the first moments");
        equation.set(&Values::new().with("time-step", 1e4))?;
        (0..400).try_for_each(|_| if equation.is_over() { Ok(()) } else { equation.step() })?;
        ensure!(said(&equation, "u is not finite at step") || said(&equation, "begins anew"));
        // u' = 0 changes nothing; v, which is x, neither.
        let (_gpu, _host, mut equation) = opened_as(&TEXT.replace("lap(u) - k*u", "0*k*u"))?;
        equation.rest.seconds = -10.0;
        equation.prepare()?;
        ensure!(equation.notice().is_none(), "no step was made");
        equation.step()?;
        equation.prepare()?;
        ensure!(said(&equation, "At rest"), "{:?}", equation.notice());
        equation.reset(1)?;
        equation.prepare()?;
        ensure!(equation.notice().is_none());
        Ok(())
    }

    #[test]
    fn a_preset_sets_its_parameters_and_begins_anew_with_them() -> Result<()> {
        let text = format!(
            "{}[presets]\n\"k of 1\" = {{ k = 1 }}\nhalf = {{ k = 0.5 }}\n",
            TEXT.replace("1 + 0.1*normal()", "k")
        );
        let (_gpu, _host, mut equation) = opened_as(&text)?;
        let presets = &equation.equations().presets;
        let names: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
        ensure!(names == ["k of 1", "half"] && presets[0].values == [(0, 1.0)], "{presets:?}");
        (0..3).try_for_each(|_| equation.step())?;
        let values = equation.preset(0);
        equation.set(&values)?;
        ensure!(equation.values().double("k") == Some(1.0) && equation.has_begun_anew());
        ensure!(equation.simulation.time() == 0.0 && equation.numbers()?.values[0] == 1.0);
        // A slider goes on.
        equation.step()?;
        equation.set(&Values::new().with("k", 0.25))?;
        ensure!(!equation.has_begun_anew() && equation.simulation.count() == 1);
        Ok(())
    }

    #[test]
    fn another_seed_is_another_start_and_every_view_has_a_picture() -> Result<()> {
        let (_gpu, _host, mut equation) = opened()?;
        let first = equation.numbers()?.values;
        equation.reset(2)?;
        ensure!(equation.numbers()?.values != first);
        equation.reset(1)?;
        ensure!(equation.numbers()?.values == first);
        let titles: Vec<String> = equation.view.titles().map(str::to_owned).collect();
        ensure!(titles == ["u: colours", "v: colours", "u: surface"], "{titles:?}");
        for view in 1..=3u64 {
            equation.set(&Values::new().with("view", view))?;
            equation.prepare()?;
            // A range that the file says, and that of the numbers: x from 0 to 23.
            let ends = if view == 2 { [0.0, 23.0] } else { [0.0, 2.0] };
            ensure!(equation.view.ends() == ends, "view {view}: {:?}", equation.view.ends());
            let image = equation.picture().image()?;
            ensure!(
                image.rgba.chunks(4).any(|pixel| pixel != &image.rgba[..4]),
                "view {view} has one colour"
            );
        }
        ensure!(equation.values().get("view") == Some(&Value::Whole(3)));
        let state = saved(equation.about, &equation, 0)?;
        ensure!(state.values.get("k").and_then(Json::as_f64) == Some(0.5), "{:?}", state.values);
        Ok(())
    }
}
