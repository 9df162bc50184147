//! A demo without a window: so many steps, with frames, checks, a progress bar and a summary.

use std::time::Duration;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use quadrille::Gpu;
use serde_json::{Value, json};

use quadrille_gallery::demo::{Demo, Measure};

use super::chosen::Chosen;
use super::pace::Pace;
use super::record::Recorder;
use crate::{interrupt, output};

/// Steps between two looks at whether the demo is still sound: each waits for the GPU.
const LOOK_EVERY: u64 = 256;

pub fn run(chosen: &Chosen) -> Result<()> {
    let arguments = &chosen.arguments;
    if arguments.check && arguments.steps == Some(0) {
        return Err(output::Usage("--check: of 0 steps there is none to look at".to_owned()).into());
    }
    let mut recorder = Recorder::create(chosen)?;
    let gpu = arguments.context.headless()?;
    let mut demo = chosen.start(&gpu)?;
    let steps = arguments.steps.unwrap_or(demo.whole_run());
    let run = advance(&gpu, demo.as_mut(), steps, chosen, &mut recorder)?;
    let last = chosen.first_step + run.steps;
    let written = recorder.finish(demo.as_mut(), last)?;
    let in_view = demo.picture().in_view()?;
    let report = Report { demo: demo.as_ref(), chosen, run, in_view };
    report.warn()?;
    let mut lines = Vec::new();
    if arguments.json {
        lines.push(format!("{:#}", report.json(&gpu)?));
    } else {
        lines.push(report.line(&gpu));
        lines.extend(demo.remarks()?);
        lines.extend(written.iter().map(output::wrote));
    }
    let said = lines.iter().try_for_each(|line| output::say(line));
    // A check that failed has failed, whether anybody reads of it or not.
    demo.solved().and(report.verdict()).and(said)
}

/// The findings of a run.
struct Run {
    /// Fewer than were asked for where the demo was over before.
    steps: u64,
    time: Duration,
    /// Passes of the steps alone.
    passes: u64,
    /// The worst of each kind that was measured, if it was.
    check: Option<Vec<Worst>>,
}

/// A measure at its worst, and the step of it; the first to be looked at if none was bad.
#[derive(Clone, Copy)]
struct Worst {
    measure: Measure,
    step: u64,
}

impl Worst {
    /// Keeps the worse of what is known and what was found now. A NaN is worst.
    fn keep(known: &mut Vec<Worst>, found: Vec<Measure>, step: u64) {
        for measure in found {
            match known.iter_mut().find(|worst| worst.measure.name == measure.name) {
                None => known.push(Worst { measure, step }),
                Some(worst) if worst.measure.error >= measure.error || worst.measure.error.is_nan() => {}
                Some(worst) => *worst = Worst { measure, step },
            }
        }
    }

    fn json(&self) -> Value {
        let Worst { measure: Measure { name, error, bound }, step } = *self;
        json!({ "what": name, "error": error, "bound": bound, "passed": self.measure.passes(), "step": step })
    }
}

/// Runs the steps; only they are timed, not the frames and checks between them.
fn advance(
    gpu: &Gpu,
    demo: &mut dyn Demo,
    steps: u64,
    chosen: &Chosen,
    recorder: &mut Recorder,
) -> Result<Run> {
    let arguments = &chosen.arguments;
    let bar = progress(steps, arguments.json);
    let mut check = arguments.check.then(Vec::new);
    let between = (steps / demo.looks()).max(1);
    let mut next_look = 1;
    let first = chosen.first_step;
    if recorder.due(first) {
        recorder.frame(demo, first)?;
    }
    let (mut passes, mut made) = (0, 0);
    let mut pace = Pace::new(gpu, demo)?;
    for step in 1..=steps {
        let in_all = first + step;
        let interrupted = || {
            let frames = match recorder.frames_left() {
                0 => String::new(),
                1 => "; 1 frame remains".to_owned(),
                frames => format!("; {frames} frames remain"),
            };
            let done = step - 1;
            let line =
                format!("interrupted after {done} of {steps} steps: nothing was written at the end{frames}");
            output::Interrupted(line).into()
        };
        if interrupt::asked() {
            return Err(interrupted());
        }
        let look = check.as_mut().filter(|_| step == steps || step >= next_look);
        let mut one_step = |demo: &mut dyn Demo| {
            let before = gpu.counters().passes;
            demo.step().map_err(|error| match error.is::<output::Interrupted>() {
                true => interrupted(),
                false => error,
            })?;
            passes += gpu.counters().passes - before;
            anyhow::Ok(())
        };
        if let Some(check) = look {
            // At first more often: it may be over long before the steps that it may take.
            next_look = step + between.min(1 + step / 20);
            demo.before_step(in_all)?;
            pace.pause(demo)?;
            let before = demo.numbers()?;
            pace.resume();
            one_step(demo)?;
            pace.pause(demo)?;
            if demo.solved().is_ok() {
                Worst::keep(check, demo.check(&before)?, in_all);
            }
        } else {
            pace.resume();
            demo.before_step(in_all)?;
            one_step(demo)?;
            pace.stepped(demo)?;
        }
        if demo.solved().is_err() {
            break;
        }
        if pace.just_synced() {
            bar.set_position(step);
        }
        if recorder.due(in_all) {
            pace.pause(demo)?;
            recorder.frame(demo, in_all)?;
        }
        if step % LOOK_EVERY == 0 {
            pace.pause(demo)?;
            demo.sound()?;
        }
        made = step;
        if demo.is_over() {
            break;
        }
    }
    pace.pause(demo)?;
    bar.finish_and_clear();
    demo.sound()?;
    Ok(Run { steps: made, time: pace.time(), passes, check })
}

fn progress(steps: u64, hidden: bool) -> ProgressBar {
    if hidden || steps == 0 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {per_sec}, {eta} left");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

struct Report<'a> {
    demo: &'a dyn Demo,
    chosen: &'a Chosen,
    run: Run,
    /// Boxes that are seen whole, or bodies that are in the picture.
    in_view: Option<usize>,
}

impl Report<'_> {
    /// Not a number for no steps.
    fn rate(&self) -> f64 {
        self.run.steps as f64 / self.run.time.as_secs_f64()
    }

    /// Says on stderr what is strange about the last state.
    fn warn(&self) -> Result<()> {
        let state = self.demo.numbers()?;
        let wild = state.values.iter().filter(|value| !value.is_finite()).count() as u64;
        if wild > 0 {
            let are = if wild == 1 { "is no finite number" } else { "are not finite numbers" };
            let values = output::counted(wild, "value");
            output::complain(&format!("warning: {values} of the last state {are}"));
        }
        if let Some(line) = self.demo.warning(&state) {
            output::complain(&format!("warning: {line}"));
        }
        if self.in_view == Some(0) && self.chosen.request.draws {
            output::complain(
                "warning: nothing is in the picture at the end; --distance moves the viewer off",
            );
        }
        Ok(())
    }

    /// The line of the check; what has failed is told by the [`Report::verdict`] alone.
    fn line(&self, gpu: &Gpu) -> String {
        let (name, (size, counted), steps) = (self.chosen.about.name, self.demo.size(), self.run.steps);
        let (seconds, rate) = (self.run.time.as_secs_f64(), self.rate());
        let checked: String = self
            .checked()
            .filter(|worst| worst.measure.passes())
            .map(|worst| {
                let Worst { measure: Measure { name, error, bound }, step } = worst;
                format!("; check passed: largest {name} {error:.2e} (step {step}), bound {bound:.2e}")
            })
            .collect();
        let renderer = &gpu.driver().renderer;
        let (steps, each) = (output::counted(steps, "step"), output::rate(rate));
        let rate = if rate.is_finite() { format!(", {each} steps/s") } else { String::new() };
        format!("{name}, {size} {counted}: {steps} in {seconds:.2} s{rate} on {renderer}{checked}")
    }

    fn json(&self, gpu: &Gpu) -> Result<Value> {
        let mut report = json!({
            "demo": self.chosen.about.name,
            "size": self.demo.size().0,
            "steps": self.run.steps,
            "seed": match self.chosen.request.load {
                _ if !self.demo.uses_seed() => Value::Null,
                Some(_) => self.chosen.request.seed.into(),
                None => Value::from(self.chosen.request.seed_of(self.chosen.about)),
            },
            "parameters": self.chosen.about.json(&self.demo.values()),
            "seconds": self.run.time.as_secs_f64(),
            "steps_per_second": self.rate(),
            "passes": self.run.passes,
            "renderer": gpu.driver().renderer,
        });
        let mut say = |key: &str, value: Value| {
            if let Some(object) = report.as_object_mut().filter(|_| !value.is_null()) {
                object.insert(key.to_owned(), value);
            }
        };
        if self.chosen.goes_on() {
            say("first_step", self.chosen.first_step.into());
        }
        let mut findings = self.demo.findings()?;
        if let Some(in_view) = self.in_view {
            findings["in_view"] = in_view.into();
        }
        say("findings", findings);
        // The one that comes nearest to its bound, or passes it by most, and all of them.
        let share = |worst: &Worst| worst.measure.error / worst.measure.bound;
        let first = self.checked().max_by(|a, b| share(a).total_cmp(&share(b)));
        if let Some(mut check) = first.map(Worst::json) {
            check["all"] = self.checked().map(Worst::json).collect();
            say("check", check);
        }
        Ok(report)
    }

    fn checked(&self) -> impl Iterator<Item = &Worst> {
        self.run.check.iter().flatten()
    }

    fn verdict(&self) -> Result<()> {
        let failed = self.checked().filter(|worst| !worst.measure.passes()).map(|worst| {
            let Worst { measure: Measure { name, error, bound }, step } = worst;
            format!("{name} {error:.3e} at step {step}, the bound is {bound:.3e}")
        });
        let failed: Vec<String> = failed.collect();
        match failed.is_empty() {
            true => Ok(()),
            false => {
                let why = self.demo.why_unchecked().map(|why| format!("; {why}")).unwrap_or_default();
                bail!("check failed: {}{why}", failed.join("; "))
            }
        }
    }
}
