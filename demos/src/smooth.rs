//! `quadrille smooth`: a mesh from a file, some steps of mean-curvature flow, and the mesh into a file.

use std::time::{Duration, Instant};

use anyhow::Result;
use quadrille::Gpu;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::Parameters;
use serde_json::{Value, json};

use crate::cli::SmoothArguments;
use crate::demo::short;
use crate::demo::smooth::{area_name, boundary_name};
use crate::files::{mesh, named, not_replaced, shown};
use crate::{interrupt, output};

pub fn run(arguments: &SmoothArguments) -> Result<()> {
    interrupt::note_and_say("this step");
    let SmoothArguments { input, output, flow, .. } = arguments;
    mesh::check(output)?;
    not_replaced(&[input], output)?;
    let placed = interrupt::at_once("the mesh was read", || mesh::read(input))?;
    let before = &placed.mesh;
    let gpu = arguments.context.headless()?;
    let parameters = flow.parameters(before);
    let refused = |error: quadrille::Error| named(input, error);
    let mut flow = GeometricFlow::new(&gpu, before, parameters).map_err(refused)?;
    let run = advance(&mut flow, arguments.steps)?;
    let after = flow.mesh().map_err(refused)?;
    placed.write(output, &after, arguments.text)?;
    warn_of_collapse(before, &after);
    let report = Report { arguments, gpu: &gpu, parameters, before, after: &after, run: &run };
    let line = if arguments.json { format!("{:#}", report.json()) } else { report.line() };
    let said = output::say(&line);
    // Steps that were not solved were not, whether anybody reads of it or not.
    run.verdict().and(said)
}

/// Part of its area that a mesh has where nothing is left of its shape.
const COLLAPSED: f64 = 1e-6;

fn warn_of_collapse(before: &Mesh, after: &Mesh) {
    let (first, last) = (before.area(), after.area());
    if last <= COLLAPSED * first && first > 0.0 {
        let line = format!("warning: the mesh has collapsed, its area is {last:e} of {first:e}");
        output::complain(&format!("{line}: try fewer steps or a shorter --time-step"));
    }
}

/// What the steps came to.
struct Run {
    time: Duration,
    iterations: usize,
    /// The first step that missed its tolerance, and why it ended.
    missed: Option<(u64, String)>,
}

fn advance(flow: &mut GeometricFlow, steps: u64) -> Result<Run> {
    let began = Instant::now();
    let mut run = Run { time: Duration::ZERO, iterations: 0, missed: None };
    for step in 1..=steps {
        if interrupt::asked() {
            let line = format!("interrupted after {} of {steps} steps: nothing was written", step - 1);
            return Err(output::Interrupted(line).into());
        }
        let report = flow.step()?;
        run.iterations += report.iterations();
        if !report.converged() && run.missed.is_none() {
            run.missed = Some((step, report.surface.reason.to_string()));
        }
    }
    run.time = began.elapsed();
    Ok(run)
}

impl Run {
    fn verdict(&self) -> Result<()> {
        match &self.missed {
            None => Ok(()),
            Some((step, why)) => {
                Err(output::NotConverged(format!("step {step} was not solved: {why}")).into())
            }
        }
    }
}

struct Report<'a> {
    arguments: &'a SmoothArguments,
    gpu: &'a Gpu,
    parameters: Parameters,
    before: &'a Mesh,
    after: &'a Mesh,
    run: &'a Run,
}

impl Report<'_> {
    fn line(&self) -> String {
        let Run { time, iterations, .. } = self.run;
        let (input, output) = (shown(&self.arguments.input), shown(&self.arguments.output));
        let (vertices, faces) = (self.before.positions().len(), self.before.faces().len());
        let volume = match (self.before.volume(), self.after.volume()) {
            (Some(before), Some(after)) => format!(", volume {before:.6} to {after:.6}"),
            _ => String::new(),
        };
        format!(
            "{input}, {vertices} vertices, {faces} triangles: {} steps in {:.2} s, {iterations} iterations on {}; \
             area {:.6} to {:.6}{volume}; wrote {output}",
            self.arguments.steps,
            time.as_secs_f64(),
            self.gpu.driver().renderer,
            self.before.area(),
            self.after.area(),
        )
    }

    fn json(&self) -> Value {
        let Parameters { time_step, area, boundary, tolerance } = self.parameters;
        json!({
            "input": self.arguments.input.display().to_string(),
            "output": self.arguments.output.display().to_string(),
            "vertices": self.before.positions().len(),
            "triangles": self.before.faces().len(),
            "steps": self.arguments.steps,
            "time_step": time_step,
            "area_of_vertex": area_name(area),
            "boundary": boundary_name(boundary),
            "tolerance": short(tolerance),
            "seconds": self.run.time.as_secs_f64(),
            "iterations": self.run.iterations,
            "converged": self.run.missed.is_none(),
            "area": [self.before.area(), self.after.area()],
            "volume": [self.before.volume(), self.after.volume()],
            "renderer": self.gpu.driver().renderer,
        })
    }
}
