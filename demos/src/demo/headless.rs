//! A demo without a window: so many steps, with frames, checks, a progress bar and a summary.

use std::time::Duration;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use quadrille::Gpu;
use serde_json::{Value, json};

use super::pace::Pace;
use super::record::Recorder;
use super::scene::Scene;
use super::{Simulation, Start};
use crate::cli::DemoArguments;
use crate::{interrupt, output};

/// Steps unless the user says otherwise.
const STEPS: u64 = 1000;

/// About how many steps of a run `--check` looks at.
const CHECKS: u64 = 100;

pub fn run(arguments: &DemoArguments, start: Start) -> Result<()> {
    if arguments.check && arguments.steps == Some(0) {
        return Err(output::Usage("--check: of 0 steps there is none to look at".to_owned()).into());
    }
    let mut recorder = Recorder::create(arguments)?;
    let gpu = arguments.context.headless()?;
    let mut simulation = start(&gpu, arguments)?;
    let mut scene = Scene::new(&gpu, arguments, simulation.as_ref())?;
    let steps = arguments.steps.unwrap_or(STEPS);
    let run = advance(&gpu, simulation.as_mut(), steps, arguments, &mut recorder, &mut scene)?;
    let written = recorder.finish(simulation.as_ref(), &mut scene, steps)?;
    let report = Report { simulation: simulation.as_ref(), arguments, steps, run };
    let wild = simulation.values()?.iter().filter(|value| !value.is_finite()).count();
    if wild > 0 {
        output::complain(&format!("warning: {wild} values of the last state are not finite numbers"));
    }
    let mut lines = Vec::new();
    if arguments.json {
        lines.push(format!("{:#}", report.json(&gpu)));
    } else {
        lines.push(report.line(&gpu));
        lines.extend(written.iter().map(|path| format!("wrote {}", path.display())));
    }
    let said = lines.iter().try_for_each(|line| output::say(line));
    // A check that failed has failed, whether anybody reads of it or not.
    report.verdict().and(said)
}

/// What a run found out.
struct Run {
    time: Duration,
    /// Passes of the steps alone.
    passes: u64,
    check: Option<Check>,
}

/// The worst step of those checked.
#[derive(Clone, Copy)]
struct Check {
    error: f64,
    bound: f64,
    step: u64,
}

impl Check {
    fn passed(&self) -> bool {
        self.error <= self.bound
    }
}

/// Runs the steps; only they are timed, not the frames and checks between them.
fn advance(
    gpu: &Gpu,
    simulation: &mut dyn Simulation,
    steps: u64,
    arguments: &DemoArguments,
    recorder: &mut Recorder,
    scene: &mut Scene,
) -> Result<Run> {
    let bar = progress(steps, arguments.json);
    let mut check = arguments.check.then_some(Check { error: 0.0, bound: simulation.step_bound(), step: 0 });
    if recorder.due(0) {
        recorder.frame(simulation, scene, 0)?;
    }
    let mut passes = 0;
    let mut pace = Pace::new(gpu, simulation)?;
    for step in 1..=steps {
        if interrupt::asked() {
            bail!("interrupted after {} of {steps} steps: nothing was written at the end", step - 1);
        }
        let look = check.as_mut().filter(|_| step == steps || (step - 1) % (steps / CHECKS).max(1) == 0);
        let mut one_step = |simulation: &mut dyn Simulation| {
            let before = gpu.counters().passes;
            simulation.step()?;
            passes += gpu.counters().passes - before;
            anyhow::Ok(())
        };
        if let Some(check) = look {
            simulation.before_step(step)?;
            pace.pause(simulation)?;
            let before = simulation.values()?;
            pace.resume();
            one_step(simulation)?;
            pace.pause(simulation)?;
            let error = simulation.step_error(&before, &simulation.values()?);
            if error > check.error || (error.is_nan() && !check.error.is_nan()) {
                *check = Check { error, step, ..*check };
            }
        } else {
            pace.resume();
            simulation.before_step(step)?;
            one_step(simulation)?;
            pace.stepped(simulation)?;
        }
        if pace.just_synced() {
            bar.set_position(step);
        }
        if recorder.due(step) {
            pace.pause(simulation)?;
            recorder.frame(simulation, scene, step)?;
        }
    }
    pace.pause(simulation)?;
    bar.finish_and_clear();
    Ok(Run { time: pace.time(), passes, check })
}

fn progress(steps: u64, hidden: bool) -> ProgressBar {
    if hidden || steps == 0 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {per_sec}, {eta} left");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

struct Report<'a> {
    simulation: &'a dyn Simulation,
    arguments: &'a DemoArguments,
    steps: u64,
    run: Run,
}

impl Report<'_> {
    fn size(&self) -> String {
        format!("{}x{}", self.simulation.state().width(), self.simulation.state().height())
    }

    /// Not a number for no steps.
    fn rate(&self) -> f64 {
        self.steps as f64 / self.run.time.as_secs_f64()
    }

    fn line(&self, gpu: &Gpu) -> String {
        let (name, size, steps) = (self.simulation.name(), self.size(), self.steps);
        let (seconds, rate) = (self.run.time.as_secs_f64(), self.rate());
        let checked = self.run.check.map_or(String::new(), |check| {
            let Check { error, bound, step } = check;
            let verdict = if check.passed() { "passed" } else { "failed" };
            format!("; check {verdict}: largest error {error:.2e} (step {step}), bound {bound:.2e}")
        });
        let renderer = &gpu.driver().renderer;
        let rate = if rate.is_finite() { format!(", {rate:.0} steps/s") } else { String::new() };
        format!("{name} {size}: {steps} steps in {seconds:.2} s{rate} on {renderer}{checked}")
    }

    fn json(&self, gpu: &Gpu) -> Value {
        let mut report = json!({
            "demo": self.simulation.name(),
            "size": self.size(),
            "steps": self.steps,
            "seed": if self.arguments.load.is_some() { Value::Null } else { super::seed(self.arguments).into() },
            "parameters": self.simulation.parameters(),
            "seconds": self.run.time.as_secs_f64(),
            "steps_per_second": self.rate(),
            "passes": self.run.passes,
            "renderer": gpu.driver().renderer,
        });
        if let (Some(check), Some(object)) = (&self.run.check, report.as_object_mut()) {
            let passed = check.passed();
            let check =
                json!({ "error": check.error, "bound": check.bound, "passed": passed, "step": check.step });
            object.insert("check".into(), check);
        }
        report
    }

    fn verdict(&self) -> Result<()> {
        match self.run.check {
            Some(check) if !check.passed() => {
                let Check { error, bound, step } = check;
                bail!("check failed: step {step} is {error:.3e} from f64, the bound is {bound:.3e}")
            }
            _ => Ok(()),
        }
    }
}
