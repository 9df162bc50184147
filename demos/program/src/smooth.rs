//! `quadrille smooth`: a mesh from a file, some steps of mean-curvature flow, and the mesh into a file.

use std::time::{Duration, Instant};

use anyhow::Result;
use quadrille::Gpu;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::Parameters;
use quadrille::solve::Reason;
use quadrille_gallery::demos::smooth::{self, AREAS, BOUNDARIES, unsolved};
use quadrille_gallery::number::short;
use quadrille_gallery::param::name_of;
use serde_json::{Value, json};

use crate::cli::SmoothArguments;
use crate::files::{mesh, named, not_replaced, shown};
use crate::{interrupt, output};

pub fn run(arguments: &SmoothArguments) -> Result<()> {
    interrupt::note_and_say("this step");
    let SmoothArguments { input, output, flow, .. } = arguments;
    mesh::check(output)?;
    let is_ply = output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ply"));
    if arguments.text && !is_ply {
        let line = format!("--text: only for .ply, and the output is {}", shown(output));
        return Err(output::Usage(line).into());
    }
    not_replaced(&[input], output)?;
    let placed = interrupt::at_once("the mesh was read", || mesh::read(input))?;
    let before = &placed.mesh;
    mesh::remark_on(input, before);
    let gpu = arguments.context.headless()?;
    let parameters = smooth::flow(&flow.0, before);
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

/// The outcome of the steps.
struct Run {
    time: Duration,
    iterations: usize,
    /// Steps that were solved.
    solved: u64,
    /// Why the one after them was not.
    missed: Option<Reason>,
}

fn advance(flow: &mut GeometricFlow, steps: u64) -> Result<Run> {
    let began = Instant::now();
    let mut run = Run { time: Duration::ZERO, iterations: 0, solved: 0, missed: None };
    for step in 1..=steps {
        if interrupt::asked() {
            let line = format!("interrupted after {} of {steps} steps: nothing was written", step - 1);
            return Err(output::Interrupted(line).into());
        }
        let report = flow.step()?;
        run.iterations += report.iterations();
        if !report.converged() {
            run.missed = Some(report.reason());
            break;
        }
        run.solved = step;
    }
    run.time = began.elapsed();
    Ok(run)
}

impl Run {
    fn verdict(&self) -> Result<()> {
        match self.missed {
            None => Ok(()),
            Some(why) => Err(unsolved(self.solved + 1, why, "the mesh that was written is that before it")),
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
        let Run { time, iterations, solved, .. } = self.run;
        let (input, output) = (shown(&self.arguments.input), shown(&self.arguments.output));
        let (vertices, faces) = (self.before.positions().len(), self.before.faces().len());
        let volume = match (self.before.volume(), self.after.volume()) {
            (Some(before), Some(after)) => format!(", volume {before:.6} to {after:.6}"),
            _ => String::new(),
        };
        format!(
            "{input}, {vertices} vertices, {faces} triangles: {solved} steps in {:.2} s, {iterations} iterations on {}; \
             area {:.6} to {:.6}{volume}; wrote {output}",
            time.as_secs_f64(),
            self.gpu.driver().renderer,
            self.before.area(),
            self.after.area(),
        )
    }

    fn json(&self) -> Value {
        let Parameters { time_step, area, boundary, tolerance } = self.parameters;
        let defects = self.before.defects();
        json!({
            "input": self.arguments.input.display().to_string(),
            "output": self.arguments.output.display().to_string(),
            "vertices": self.before.positions().len(),
            "triangles": self.before.faces().len(),
            "defects": {
                "non_manifold_edges": defects.non_manifold_edges,
                "degenerate_faces": defects.degenerate_faces,
                "duplicate_faces": defects.duplicate_faces,
                "slivers": defects.slivers,
                "duplicate_vertices": defects.duplicate_vertices,
                "isolated_vertices": defects.isolated_vertices,
            },
            "steps": self.run.solved,
            "time_step": time_step,
            "area_of_vertex": name_of(&AREAS, &area),
            "boundary": name_of(&BOUNDARIES, &boundary),
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
