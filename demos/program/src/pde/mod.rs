//! `quadrille pde`: equations of a file, stepped, shown, measured.

mod explain;
mod order;

use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, bail, ensure};
use quadrille::Error;
use quadrille::pde::{Equations, Growth, Overrides, Refusal, Scheme, ShortWaves, Simulation, Spectrum};
use quadrille::solve::Effort;
use quadrille_gallery::demo::About;
use quadrille_gallery::list;
use serde_json::{Map, Value, json};

use crate::cli::{DemoCommand, Extent, PdeArguments, Size};
use crate::demo::chosen::Chosen;
use crate::demo::{host, resume, state};
use crate::files::{Array, Output, Written, atomic, check_extension, distinct, named, not_replaced, shown};
use crate::output::{self, Interrupted, NotConverged, Pointed, Usage};
use crate::script::{self, report};
use crate::{interrupt, output::say, window};
use quadrille_gallery::equations::{self, Beside, View, errors};
use quadrille_gallery::param::Values;
use quadrille_gallery::state::State;

/// The largest distance of a step from the same in 64 bits, relative to the largest value: a few roundings of terms that are not much
/// larger than the result, and what the drivers' functions are off.
const CLOSE: f64 = 1e-5;

/// # Errors
/// The first mistake of the file, shown in its text; whatever else keeps it from running.
pub fn run(arguments: &PdeArguments) -> Result<()> {
    check_files(arguments)?;
    let name = shown(&arguments.file);
    let shipped = shipped(&arguments.file);
    let text = match shipped {
        Some(about) => about.equation.map_or("", |file| file.text).to_owned(),
        None if !arguments.file.exists() => {
            let names: Vec<&str> = equations::SHIPPED.iter().map(|file| file.name).collect();
            bail!("{name}: no such file; packed are {}", names.join(", "));
        }
        None => script::read(&arguments.file, "an equation file")?,
    };
    let read = |overrides: &Overrides| -> Result<Rc<Equations>> {
        match Equations::read(&text, overrides, &mut beside(&arguments.file)) {
            Ok(equations) => Ok(Rc::new(equations)),
            Err(Refusal::Fault(fault)) => Err(Pointed(report::drawn(&name, &text, &fault)).into()),
            Err(Refusal::Override(line)) => Err(Usage(format!("{name}: {line}")).into()),
        }
    };
    let about = || shipped.map_or_else(|| opened(&arguments.file, &text), Ok);
    if !arguments.is_windowless() && window::has_display() {
        // A mistake is told before the window opens.
        read(&arguments.overrides())?;
        return in_window(arguments, about()?);
    }
    let loaded = arguments.load.as_ref().map(|path| Loaded::new(path, arguments, about()?)).transpose()?;
    let equations = read(loaded.as_ref().map_or(&arguments.overrides(), |loaded| &loaded.overrides))?;
    for option in equations.unused().into_iter().filter(|_| equations.choice.is_none()) {
        let scheme = equations.run.scheme.name();
        output::remark(&format!("quadrille: warning: {name}: {scheme} has no use for `{option}`"));
    }
    for line in &equations.remarks {
        output::remark(&format!("quadrille: warning: {name}: {line}"));
    }
    if let Some(folder) = &arguments.kernels {
        explain::write_kernels(&equations, folder)?;
    }
    if arguments.explain {
        return explain::explain(&arguments.context.headless()?, &equations, arguments.json);
    }
    interrupt::note_and_say("this step");
    if let Some(way) = arguments.order {
        return order::run(arguments, way, &read);
    }
    let run = Run::new(arguments, text, equations, loaded)?;
    run.all()
}

/// The packed file of that name, where there is none in the folder.
fn shipped(file: &Path) -> Option<&'static About> {
    let name = file.to_str().filter(|_| !file.exists())?;
    list::named(name).filter(|about| about.equation.is_some())
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The description of a file that has been read.
fn opened(file: &Path, text: &str) -> Result<&'static About> {
    let path = file.to_str().unwrap_or_default();
    equations::opened(&file_name(file), text, path, &mut beside(file)).map_err(|refusal| match refusal {
        Refusal::Fault(fault) => Pointed(report::drawn(&shown(file), text, &fault)).into(),
        Refusal::Override(line) => Usage(line).into(),
    })
}

/// The files that an equation file names lie beside it.
fn beside(file: &Path) -> Beside {
    Beside::new(Rc::new(host::Program::new()), file)
}

/// A state to go on from, and what takes the place of the file's values: the command line's, then those of the state.
struct Loaded {
    state: State,
    overrides: Overrides,
}

impl Loaded {
    fn new(path: &Path, arguments: &PdeArguments, about: &'static About) -> Result<Loaded> {
        let state = state::read(path)?;
        let mut values = given(arguments, about);
        let mut overrides = arguments.overrides();
        let lines = resume::resume(about, &mut values, &mut overrides.seed, &state, path)?;
        lines.iter().for_each(|line| output::complain(line));
        equations::take(&mut overrides, about, &values);
        Ok(Loaded { state, overrides })
    }
}

/// The values of the command line.
fn given(arguments: &PdeArguments, about: &'static About) -> Values {
    let mut values = Values::new();
    for (name, value) in &arguments.set {
        if let Some(param) = about.params().find(|param| param.symbol == name) {
            values.set(param.name, *value);
        }
    }
    match arguments.size {
        Some(Extent::Array(nodes)) => values.set("size", u32::try_from(nodes).unwrap_or(u32::MAX)),
        Some(Extent::Field(Size { width, height })) => values.set("size", [width, height]),
        None => {}
    }
    if let Some(step) = arguments.step {
        values.set("time-step", step);
    }
    if let Some(scheme) = arguments.scheme {
        values.set("scheme", scheme.name());
    }
    values
}

/// Opens a window with the values of the command line.
fn in_window(arguments: &PdeArguments, about: &'static About) -> Result<()> {
    let mut command = DemoCommand::of_equation(about, arguments.context.clone());
    command.values = given(arguments, about);
    if arguments.view != 1 {
        command.values.set("view", arguments.view);
    }
    (command.arguments.seed, command.arguments.load) = (arguments.seed, arguments.load.clone());
    window::run(Some(&Chosen::new(command)?), &arguments.context)
}

/// Finds out before anything is computed whether the files can be written, and that none takes the place of another.
fn check_files(arguments: &PdeArguments) -> Result<()> {
    let PdeArguments { out, probes, save, load, every, file, .. } = arguments;
    let named = [("--out", out), ("--probes", probes), ("--save", save)];
    let written: Vec<Written> = named
        .iter()
        .filter_map(|(flag, path)| {
            let numbered = *flag == "--out" && every.is_some();
            path.as_ref().map(|path| Written { flag, path, numbered })
        })
        .collect();
    distinct(&written)?;
    let mut inputs: Vec<&Path> = vec![file];
    inputs.extend(load.iter().filter(|load| save.as_ref() != Some(*load)).map(|path| path.as_path()));
    for Written { path, .. } in &written {
        not_replaced(&inputs, path)?;
    }
    for (path, extension, holds) in
        [(probes, "csv", "a table"), (save, "npz", "a state"), (load, "npz", "a state")]
    {
        if let Some(path) = path {
            check_extension(path, extension, holds)?;
        }
    }
    for path in [probes, save].into_iter().flatten() {
        atomic::check(path)?;
    }
    if every.is_some() && out.is_none() && probes.is_none() {
        return Err(Usage("--every: of which file? --out or --probes".to_owned()).into());
    }
    Ok(())
}

/// The error that a run ended with: a value that is no number is a run that failed, not a wrong file.
fn told(error: Error) -> anyhow::Error {
    match error {
        Error::StepNotFinite { .. } | Error::StepNotSolved { .. } => NotConverged(error.to_string()).into(),
        other => other.into(),
    }
}

/// A step that was checked.
struct Checked {
    step: u64,
    /// The distance from the same step in 64 bits, of the largest value, and the most that it may be.
    off: f64,
    allowed: f64,
    /// The field and the node where it is.
    place: String,
}

struct Run<'a> {
    arguments: &'a PdeArguments,
    simulation: Simulation,
    /// The text of the file.
    text: String,
    /// Steps to run.
    steps: u64,
    output: Option<Output>,
    canvas: Option<View>,
    /// Steps between two rows of the probes.
    every: u64,
    rows: Vec<String>,
    checked: Vec<Checked>,
}

impl<'a> Run<'a> {
    fn new(
        arguments: &'a PdeArguments,
        text: String,
        equations: Rc<Equations>,
        loaded: Option<Loaded>,
    ) -> Result<Run<'a>> {
        let gpu = arguments.context.headless()?;
        let saved = |loaded: Loaded| equations::saved(&loaded.state, &equations);
        let loaded = match (loaded.map(saved).transpose(), &arguments.load) {
            (Err(error), Some(path)) => return Err(named(path, error)),
            (loaded, _) => loaded?,
        };
        ensure!(
            arguments.probes.is_none() || !equations.probes.is_empty(),
            "--probes: {} has none",
            shown(&arguments.file)
        );
        let mut simulation = Simulation::new(&gpu, equations.clone())?;
        if let Some(saved) = &loaded {
            simulation.load(saved)?;
        }
        let steps = match arguments.steps {
            Some(steps) => steps,
            None => {
                let left = (equations.run.until - simulation.time()) / equations.run.step;
                if !left.is_finite() {
                    return Err(
                        Usage("how long? [run] has no `until`: --steps or --until says".to_owned()).into()
                    );
                }
                // A rounding of the time reached makes no step.
                let rounding = 1e-9 * left.abs().max(1.0);
                let steps = (left - rounding).ceil().max(0.0);
                if left > 0.0 && steps - left > 1e-6 * left.max(1.0) {
                    let (until, step) = (equations.run.until, equations.run.step);
                    let end = six_digits(simulation.time() + steps * step);
                    output::remark(&format!(
                        "quadrille: warning: {until} is no whole number of steps of {step}: the run ends at t = {end}"
                    ));
                }
                steps as u64
            }
        };
        for line in warnings(&simulation.spectrum()?, &equations, simulation.time_step(), steps) {
            output::remark(&format!("quadrille: warning: {line}"));
        }
        let every = arguments.every.unwrap_or((steps / 100).max(1));
        let mut canvas = None;
        let mut output = None;
        if let Some(path) = &arguments.out {
            let made = Output::create(path, arguments.every)?;
            let pictures = crate::files::output::Format::of(path)?.is_picture();
            if pictures {
                let size = arguments.picture.map(|Size { width, height }| [width, height]);
                let mut view = View::new(&gpu, &simulation, arguments.view as usize - 1, true, size)?;
                view.keep(every, steps, &simulation)?;
                canvas = Some(view);
            } else {
                ensure!(arguments.view == 1, "--view: numbers are those of all fields");
            }
            output = Some(made);
        }
        let (rows, checked) = (Vec::new(), Vec::new());
        Ok(Run { arguments, simulation, text, steps, output, canvas, every, rows, checked })
    }

    fn all(mut self) -> Result<()> {
        let first = self.simulation.count();
        self.record(first)?;
        for done in 0..self.steps {
            if interrupt::asked() {
                let line = format!("interrupted after {done} of {} steps: nothing was saved", self.steps);
                return Err(Interrupted(line).into());
            }
            if self.arguments.check && (done < 3 || done + 1 == self.steps) {
                let expected = self.simulation.expected()?;
                self.simulation.step().map_err(told)?;
                let (off, largest, place) = distance(&self.simulation, &expected)?;
                let allowed = CLOSE + self.simulation.slack()? / largest;
                self.checked.push(Checked { step: self.simulation.count(), off, allowed, place });
            } else {
                self.simulation.step().map_err(told)?;
            }
            self.record(first)?;
        }
        self.simulation.settle().map_err(told)?;
        self.finish()
    }

    /// Frames and rows of this step.
    fn record(&mut self, first: u64) -> Result<()> {
        let Run { simulation, output, canvas, .. } = self;
        let step = simulation.count();
        let last = step - first == self.steps;
        if let Some(canvas) = canvas {
            canvas.stepped(simulation)?;
        }
        if let Some(output) = output.as_mut().filter(|output| output.due(step) || last) {
            output.frame(
                step,
                || match canvas {
                    Some(canvas) => canvas.image(simulation),
                    None => bail!("no picture"),
                },
                || array(simulation),
            )?;
        }
        if self.arguments.probes.is_some() && ((step - first).is_multiple_of(self.every) || last) {
            let values = self.probes()?;
            let values: Vec<String> = values.iter().map(|(_, value)| format!("{value}")).collect();
            self.rows.push(format!("{step},{},{}", self.simulation.time(), values.join(",")));
        }
        Ok(())
    }

    fn probes(&self) -> Result<Vec<(String, f64)>> {
        let evaluation = self.simulation.evaluation()?;
        let probes = &self.simulation.equations().probes;
        let node = |node: Option<usize>| node.unwrap_or(0);
        Ok(probes
            .iter()
            .map(|probe| (probe.name.clone(), evaluation.value(&probe.show, node(probe.node))))
            .collect())
    }

    fn finish(mut self) -> Result<()> {
        let mut written = match self.output.take() {
            Some(output) => output.finish()?,
            None => Vec::new(),
        };
        let mut drafts = Vec::new();
        if let Some(path) = &self.arguments.probes {
            let names: Vec<&str> =
                self.simulation.equations().probes.iter().map(|probe| probe.name.as_str()).collect();
            let table = format!("step,t,{}\n{}\n", names.join(","), self.rows.join("\n"));
            drafts.push(atomic::draft(path, |file| Ok(file.write_all(table.as_bytes())?))?);
            written.push(path.clone());
        }
        atomic::commit_all(drafts)?;
        if let Some(path) = &self.arguments.save {
            let name = file_name(&self.arguments.file);
            state::write(path, &equations::state(&name, &self.text, &self.simulation)?)?;
            written.push(path.clone());
        }
        let report = self.report()?;
        if self.arguments.json {
            say(&Value::Object(report).to_string())?;
        } else {
            self.lines(&report)?;
            written.iter().try_for_each(|path| say(&output::wrote(path)))?;
        }
        match self.checked.iter().find(|Checked { off, allowed, .. }| off.is_nan() || off > allowed) {
            Some(Checked { step, off, allowed, place }) => {
                let cure = match self.simulation.tolerance() {
                    _ if off.is_nan() => String::new(),
                    Some(tolerance) => {
                        format!("; a smaller `tolerance` in [run] than {tolerance:e} may bring it nearer")
                    }
                    None => {
                        "; terms that nearly cancel leave roundings: 2*sin(a/2)^2 is exacter than 1 - cos(a)"
                            .to_owned()
                    }
                };
                bail!(
                    "--check: step {step}, {place}: {off:.1e} of the largest value off the same in 64 bits, expected {allowed:.1e} at most{cure}"
                )
            }
            None => Ok(()),
        }
    }

    fn report(&self) -> Result<Map<String, Value>> {
        let simulation = &self.simulation;
        let equations = simulation.equations();
        let mut report = Map::new();
        report.insert("file".into(), json!(shown(&self.arguments.file)));
        report.insert("scheme".into(), json!(equations.run.scheme.name()));
        report.insert("size".into(), json!(equations.grid.size));
        report.insert("step".into(), json!(simulation.time_step()));
        report.insert("steps".into(), json!(simulation.count()));
        report.insert("time".into(), json!(simulation.time()));
        let parameters = equations.parameters.iter().zip(simulation.parameters());
        let parameters: Map<String, Value> =
            parameters.map(|(parameter, value)| (parameter.name.clone(), json!(value))).collect();
        report.insert("parameters".into(), Value::Object(parameters));
        let mut fields = Map::new();
        for (field, values) in equations.fields.iter().zip(simulation.fields()?) {
            let (mut least, mut most, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
            for (node, value) in values.iter().enumerate() {
                let area = equations.grid.area(node);
                if area > 0.0 {
                    let value = f64::from(*value);
                    (least, most, sum) = (least.min(value), most.max(value), sum + area * value);
                }
            }
            let mean = sum / equations.grid.whole();
            fields.insert(field.name.clone(), json!({ "min": least, "max": most, "mean": mean }));
        }
        report.insert("fields".into(), Value::Object(fields));
        if !equations.probes.is_empty() {
            let probes: Map<String, Value> =
                self.probes()?.into_iter().map(|(name, value)| (name, json!(value))).collect();
            report.insert("probes".into(), Value::Object(probes));
        }
        let errors = errors(simulation)?;
        if !errors.is_empty() {
            let most = errors.iter().map(|(_, error)| *error).fold(0.0, f64::max);
            report.insert("error_max".into(), json!(most));
        }
        if !self.checked.is_empty() {
            let most = self.checked.iter().map(|checked| checked.off).fold(0.0, f64::max);
            report.insert("check".into(), json!(most));
        }
        if let Some(effort) = simulation.effort() {
            let Effort { cycles, iterations, .. } = effort;
            report.insert("solve".into(), json!({ "cycles": cycles, "iterations": iterations }));
        }
        report.insert("steady".into(), json!(simulation.is_steady()?));
        Ok(report)
    }

    fn lines(&self, report: &Map<String, Value>) -> Result<()> {
        let simulation = &self.simulation;
        say(&format!(
            "{}: {} steps of {}, t = {}",
            shown(&self.arguments.file),
            simulation.count(),
            simulation.equations().run.scheme.name(),
            simulation.time()
        ))?;
        for (name, found) in report.get("fields").and_then(Value::as_object).into_iter().flatten() {
            let number = |key: &str| found.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
            say(&format!(
                "{name}: {:.6} to {:.6}, mean {:.6}",
                number("min"),
                number("max"),
                number("mean")
            ))?;
        }
        for (name, value) in report.get("probes").and_then(Value::as_object).into_iter().flatten() {
            say(&format!("{name} = {value}"))?;
        }
        if report.get("steady").and_then(Value::as_bool) == Some(true) {
            say(
                "steady: the last step changed no value by more than 2^-25 of itself; it is the end, or the step is too short for numbers of 32 bits",
            )?;
        }
        if let Some(error) = report.get("error_max").and_then(Value::as_f64) {
            say(&format!("largest distance to `exact`: {error:.3e}"))?;
        }
        if let Some(check) = report.get("check").and_then(Value::as_f64) {
            say(&format!(
                "{} steps beside 64 bits: {check:.1e} of the largest value at most",
                self.checked.len()
            ))?;
        }
        Ok(())
    }
}

/// The lines about waves for which no step is short enough, and about a step that is past its limit. Growth counts that a run of so many
/// steps shows.
fn warnings(spectrum: &Spectrum, equations: &Equations, step: f64, steps: u64) -> Vec<String> {
    let short = spectrum.ill_posed().map(|ShortWaves { field, rate }| {
        let (name, rate) = (&equations.fields[field].name, two_digits(rate));
        format!(
            "waves of {name} grow the faster the shorter they are, the shortest at the rate {rate}: is the sign of a second derivative wrong, or are nodes too far apart?"
        )
    });
    short.into_iter().chain(past_limit(spectrum, equations.run.scheme, step, steps)).collect()
}

fn past_limit(spectrum: &Spectrum, scheme: Scheme, step: f64, steps: u64) -> Option<String> {
    let is_seen = |factor: f64| factor.ln() * steps as f64 > 1.0;
    if scheme.is_explicit() {
        if !is_seen(spectrum.factor(scheme, step)) {
            return None;
        }
        let (name, limit) = (scheme.name(), spectrum.limit(scheme));
        if limit == 0.0 {
            let rk4 = Some(spectrum.limit(Scheme::Rk4)).filter(|limit| *limit > 0.0);
            let or =
                rk4.map_or(String::new(), |limit| format!(": rk4 is stable up to {}", two_digits(limit)));
            return Some(format!("{name} lets waves that are not damped grow at any step{or}"));
        }
        let times = step / limit;
        let shown = if times < 10.0 { format!("{times:.2}") } else { format!("{times:.0}") };
        return (times > 1.02)
            .then(|| format!("step {step} is {shown} times the limit {} of {name}", two_digits(limit)));
    }
    let growth = spectrum.growth(scheme, step);
    if !is_seen(growth.factor) {
        return None;
    }
    let cure = match growth {
        Growth { all_helps: true, .. } => "implicit = \"all\" takes them at the end of the step".to_owned(),
        Growth { limit: 0.0, .. } => "rk4 may do".to_owned(),
        Growth { limit, .. } => format!("a step up to {} does", two_digits(limit)),
    };
    Some(format!(
        "step {step} is too long for the terms that {} takes from the times reached (N of --explain): they grow {}-fold in each; {cure}",
        scheme.name(),
        two_digits(growth.factor)
    ))
}

/// A number to six digits, without the zeros at its end.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// A number to two digits.
pub fn two_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let digits = (1 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{value:.digits$}")
}

/// The largest distance of the fields from those, relative to the largest value, that value, and the place.
fn distance(simulation: &Simulation, expected: &[Vec<f64>]) -> Result<(f64, f64, String)> {
    let (mut most, mut scale, mut at) = (0.0_f64, f64::MIN_POSITIVE, (0, 0));
    for (field, (found, expected)) in simulation.fields()?.iter().zip(expected).enumerate() {
        for (node, (found, expected)) in found.iter().zip(expected).enumerate() {
            let off = (f64::from(*found) - expected).abs();
            if !most.is_nan() && (off.is_nan() || off > most) {
                (most, at) = (off, (field, node));
            }
            scale = scale.max(expected.abs());
        }
    }
    let equations = simulation.equations();
    let [x, y] = equations.grid.place(at.1).map(|value| value as f32);
    let name = &equations.fields[at.0].name;
    let place = if equations.grid.dimensions == 1 {
        format!("{name} at x = {x}")
    } else {
        format!("{name} at x = {x}, y = {y}")
    };
    Ok((most / scale, scale, place))
}

/// All fields as an array, a component each.
fn array(simulation: &Simulation) -> Result<Array> {
    let [width, height] = simulation.equations().grid.size.map(|side| side as usize);
    let components = simulation.equations().fields.len();
    Ok(Array { height, width, components, values: simulation.state().data()? })
}
