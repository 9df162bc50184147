//! A noisy mesh that becomes smooth: implicit mean-curvature flow, its matrix computed on the GPU (rows E3, E5).

mod beside;
mod brush;
mod rabbit;
mod shapes;
mod start;

use std::rc::Rc;

use anyhow::Result;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters, Report};
use quadrille::solve::Reason;
use quadrille::view::{Camera, Ray};
use quadrille::{Buffer, Gpu};
use quadrille_oracle as oracle;
use quadrille_oracle::geometric_flow::Miss;
use serde_json::{Map, Value as Json, json};

use self::beside::{BesidePicture, SHOWN, Shown};
use self::brush::{Hand, Met, Tool};
use self::start::{FACES, MeshName, SHOW, UNTIL, VOLUME, VOLUMES, changed};
use crate::demo::{About, Demo, Host, Measure, NotConverged, PlacedMesh, View};
use crate::param::{Live, Offer, Param, Values, name_of};
use crate::picture::{self, Mark, MeshPicture, MeshShown, MeshView, Phase, Picture, Pull};
use crate::state::{Array, Named, Parts, State, worst};

pub use start::{AREAS, BOUNDARIES, FLOW, TIME_STEP, flow};

pub const ABOUT: About = About {
    name: "smooth",
    shows: "A noisy mesh that becomes smooth by mean-curvature flow (sparse matrices)",
    keywords: "mesh noise geometry curvature fairing cotangent sparse triangles",
    first: "Drag on it to raise a bump: it heals. Right button turns",
    computes: "A rough mesh, as a scanner gives it, becomes smooth: a step moves each vertex towards its neighbours, the farther the more \
               the surface bends there (mean-curvature flow). Bumps vanish first; the whole body shrinks, too, which area and volume \
               tell. The new places solve one linear system, (M + L) x' = M x, with cotangents of angles in L and areas in M, by \
               conjugate gradients on a sparse matrix, so that a step may be long.",
    more: "--volume kept blows the mesh up after each step, about its middle.",
    formula: "(I − λ Δt ∇²) x′ = x,   (∇² x)_i = Σ (cot α + cot β) (x_j − x_i) / 4 A_i\n\
              a small step of ∂x/∂t = −λ H n: H mean curvature, n normal",
    kernels: &[
        "sim/mesh_rows.frag",
        "sim/mesh_entries.frag",
        "sim/mesh_scaled.frag",
        "solve/pcg_step.frag",
        "solve/cg_update.frag",
    ],
    paper: "Bolz, Farmer, Grinspun and Schröder, SIGGRAPH 2003; Desbrun et al. 1999",
    parameters: &[start::PARAMETERS, FLOW, &[VOLUME, UNTIL], start::LOOK, picture::CAMERA],
    start: |gpu, request| Ok(Box::new(SmoothDemo::new(gpu, request)?)),
    ..About::NEW
};

/// The places of the vertices.
const PARTS: Parts = Parts::Rows(&[("position", 3)]);

const CAMERA: Camera = Camera { azimuth: 25.0, elevation: 20.0, distance: 1.0, field_of_view: 30.0 };

struct SmoothDemo {
    smoothing: Smoothing,
    /// The place where the mesh has its origin: its middle, if it is a file's and far from the file's own.
    origin: [f64; 3],
    /// Share of half the longest side.
    noise: f32,
    /// Which mesh was asked for, and its size.
    of: (MeshName, Option<u32>),
    /// The last mesh of a file, which can be gone back to.
    file: Option<(MeshName, PlacedMesh)>,
    /// The meshes that a picture shows.
    show: Shown,
    /// The seed of the noise.
    seed: u64,
    /// The report of the last step.
    report: Option<Report>,
    /// The step after which area and volume were measured last, and both as shares of those at first; an open mesh has no volume.
    #[cfg(feature = "panel")]
    left: Option<(u64, f64, Option<f64>)>,
    /// Steps that were solved since the beginning.
    solved: u64,
    /// The volume stays what it was.
    keeps: bool,
    /// The volume at first, or since the last stroke; an open mesh has none.
    volume: Option<f64>,
    /// The middle and the factor of the last step that was blown up.
    blown: Option<([f64; 3], f64)>,
    /// Steps after which it rests; 0 for none.
    until: u64,
    /// The step of the last stroke.
    touched: u64,
    hand: Hand,
    /// Where the brush was last in a stroke.
    dabbed: Option<[f64; 3]>,
    /// The shares of area and volume over the steps.
    #[cfg(feature = "panel")]
    curves: [crate::play::Curve; 2],
    /// Another mesh has begun since this was last asked.
    anew: bool,
    view: MeshView,
    gpu: Gpu,
    host: Rc<dyn Host>,
}

/// A mesh on its way.
struct Smoothing {
    flow: GeometricFlow,
    /// Without noise.
    clean: Mesh,
    /// As it was at first, and the seed of that.
    first: (Mesh, u64),
    /// The same for drawing, once it was asked for, and the layout of its vertices.
    before: Option<(GeometricFlow, u64)>,
    /// How often the places of vertices have changed.
    layouts: u64,
}

impl Smoothing {
    fn has_boundary(&self) -> bool {
        self.clean.edges().iter().any(quadrille::mesh::Edge::is_boundary)
    }

    /// The mesh as of the last refresh.
    fn shown(&self) -> MeshShown<'_> {
        self.shown_of(&self.flow)
    }

    /// The mesh as it began, once it was looked for.
    fn shown_before(&self) -> Option<MeshShown<'_>> {
        self.before.as_ref().map(|(before, _)| self.shown_of(before))
    }

    /// Makes the mesh as it began ready for drawing, if it is not.
    fn look_back(&mut self, gpu: &Gpu, seed: u64, noise: f32) -> Result<()> {
        if self.before.as_ref().is_none_or(|(_, layout)| *layout != self.layouts) {
            let first = match seed == self.first.1 {
                true => self.first.0.clone(),
                false => start::noisy(&self.clean, noise, seed)?,
            };
            let before = GeometricFlow::new(gpu, &first, self.flow.parameters())?;
            before.refresh()?;
            self.before = Some((before, self.layouts));
        }
        Ok(())
    }

    fn shown_of<'a>(&'a self, flow: &'a GeometricFlow) -> MeshShown<'a> {
        let unit = flow.unit();
        let bounds = self.first.0.bounds().map(|corner| flow.inward(corner).map(f64::from));
        MeshShown {
            faces: self.clean.faces(),
            places: flow.places(),
            layout: self.layouts,
            positions: flow.positions(),
            bounds,
            // A sphere as large as the mesh is half-way up the colours.
            curvature: (unit / start::half(&self.clean).max(f64::MIN_POSITIVE)) as f32,
            camera: CAMERA,
            unit,
        }
    }
}

impl SmoothDemo {
    /// Forgets the steps and strokes of the run before.
    fn begin(&mut self) {
        (self.report, self.solved, self.touched) = (None, 0, 0);
        (self.blown, self.dabbed) = (None, None);
        self.volume = self.smoothing.flow.mesh().ok().and_then(|mesh| mesh.volume());
        #[cfg(feature = "panel")]
        {
            (self.left, self.curves) = (None, Default::default());
        }
    }

    /// Returns true once it has made all steps.
    fn rests(&self) -> bool {
        self.until > 0 && self.solved >= self.touched + self.until
    }

    /// Blows the mesh up to the volume that it had.
    fn keep_volume(&mut self) -> Result<()> {
        self.blown = None;
        let (true, Some(volume)) = (self.keeps, self.volume) else { return Ok(()) };
        let flow = &mut self.smoothing.flow;
        let mesh = flow.mesh()?;
        self.blown = brush::blown(&mesh, volume);
        match self.blown {
            Some(blown) => Ok(flow.set_positions(brush::scaled(mesh.positions(), blown))?),
            None => Ok(()),
        }
    }

    /// The ray in the mesh's own coordinates, from the picture that is shown; beside each other both halves are the mesh.
    fn inside(&self, ray: &Ray) -> Result<Ray> {
        let flow = &self.smoothing.flow;
        let (zero, unit) = (flow.inward([0.0; 3]).map(f64::from), flow.unit());
        let mut ray = *ray;
        if self.show == Shown::Beside {
            let lens = self.view.lens_of_last(&self.smoothing.shown())?;
            let [x, y] = lens.picture_of(ray.at(1.0));
            ray = lens.ray([(2.0 * x).rem_euclid(1.0), y]);
        }
        let from = [0, 1, 2].map(|k| (ray.from[k] - zero[k]) * unit);
        Ok(Ray { from, along: ray.along.map(|part| part * unit) })
    }

    /// Raises or dents the mesh where it was met.
    fn dab(&mut self, mesh: &Mesh, met: &Met) -> Result<()> {
        let fixed = match self.smoothing.flow.parameters().boundary {
            Boundary::Fixed => mesh.on_boundary(),
            Boundary::Flowing => vec![false; mesh.positions().len()],
        };
        let radius = self.hand.radius * start::half(&self.smoothing.clean);
        let moved = brush::dab(mesh, met, radius, self.hand.tool == Tool::Dent, &fixed);
        let moved = mesh.moved(moved)?;
        self.volume = moved.volume();
        self.smoothing.flow.set_positions(moved.positions().to_vec())?;
        (self.touched, self.dabbed, self.report) = (self.solved, Some(met.place), None);
        #[cfg(feature = "panel")]
        {
            self.left = None;
        }
        Ok(())
    }

    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        let Smoothing { flow, layouts, .. } = &mut self.smoothing;
        if parameters == flow.parameters() {
            return Ok(());
        }
        *layouts += u64::from(parameters.boundary != flow.parameters().boundary);
        // Other parameters may solve a system that these could not.
        self.report = None;
        Ok(flow.set_parameters(parameters)?)
    }
}

impl Demo for SmoothDemo {
    fn size(&self) -> (String, &'static str) {
        (self.smoothing.clean.positions().len().to_string(), "vertices")
    }

    /// A file's mesh is asked for by its name, which a state does not choose: only [`Demo::offer`] tells it.
    fn values(&self) -> Values {
        let Parameters { time_step, area, boundary, tolerance } = self.smoothing.flow.parameters();
        let (mesh, size) = &self.of;
        let shape = (!matches!(mesh, MeshName::File(_))).then(|| mesh.word());
        Values::new()
            .with_some("mesh", shape)
            .with_some("size", *size)
            .with("time-step", time_step)
            .with("area", name_of(&AREAS, &area))
            .with("boundary", name_of(&BOUNDARIES, &boundary))
            .with("tolerance", tolerance)
            .with("noise", self.noise)
            .with(VOLUME.name, name_of(&VOLUMES, &self.keeps))
            .with(UNTIL.name, self.until)
            .with(SHOW.name, name_of(&SHOWN, &self.show))
    }

    /// Another mesh, or other noise, begins anew.
    fn set(&mut self, values: &Values) -> Result<()> {
        self.show = values.choice(SHOW.name, &SHOWN).unwrap_or(self.show);
        self.keeps = values.choice(VOLUME.name, &VOLUMES).unwrap_or(self.keeps);
        self.until = values.whole(UNTIL.name).unwrap_or(self.until);
        let named = values.text("mesh").map(MeshName::of).filter(|name| *name != self.of.0);
        let of = match named {
            Some(name) => (name, values.whole("size")),
            None => (self.of.0.clone(), values.whole("size").or(self.of.1)),
        };
        // Noise that nobody has chosen is that of the mesh.
        let noise = if self.noise == self.of.0.noise() { of.0.noise() } else { self.noise };
        let noise = values.real("noise").unwrap_or(noise);
        if of != self.of || noise != self.noise {
            return self.change(of, noise, values);
        }
        self.set_parameters(changed(values, self.smoothing.flow.parameters()))
    }

    /// Positions about the origin, a row a vertex.
    fn numbers(&self) -> Result<Array> {
        let mesh = self.smoothing.flow.mesh()?;
        let values = mesh.positions().as_flattened().to_vec();
        Ok(Array { height: mesh.positions().len(), width: 3, components: 1, values })
    }

    /// The triangles, too: others are another mesh.
    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = PARTS.split(&self.numbers()?, [0; 3]);
        let faces = self.smoothing.clean.faces();
        let corners = faces.as_flattened().iter().map(|&vertex| vertex.into()).collect();
        arrays.push(Named::of_whole(FACES, &[faces.len(), 3], corners));
        Ok(arrays)
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        self.smoothing.before = None;
        let Smoothing { flow, clean, first, .. } = &mut self.smoothing;
        let first = match seed == first.1 {
            true => first.0.clone(),
            false => start::noisy(clean, self.noise, seed)?,
        };
        flow.set_positions(first.positions().to_vec())?;
        self.begin();
        Ok(())
    }

    /// The volume that is kept, and the steps behind it.
    fn extras(&self) -> Result<Map<String, Json>> {
        let mut extras = Map::new();
        extras.insert("touched".to_owned(), self.touched.into());
        if let Some(volume) = self.volume {
            extras.insert("volume_kept".to_owned(), volume.into());
        }
        Ok(extras)
    }

    /// The positions are loaded; states of before there were these have neither.
    fn restore(&mut self, state: &State) -> Result<()> {
        self.solved = state.step;
        self.touched = state.number("touched").unwrap_or_default() as u64;
        self.volume = state.number("volume_kept").ok().or(self.volume);
        Ok(())
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    fn step(&mut self) -> Result<()> {
        let report = self.smoothing.flow.step()?;
        let solved = report.converged();
        self.solved += u64::from(solved);
        self.report = Some(report);
        if solved { self.keep_volume() } else { Ok(()) }
    }

    fn is_over(&self) -> bool {
        self.solved().is_err() || self.rests()
    }

    fn notice(&self) -> Option<String> {
        let steps = self.until;
        let line =
            || format!("It rests after {steps} steps: drag on it and they heal that, or R begins again");
        (self.rests() && self.solved().is_ok()).then(line)
    }

    fn takes_pulls(&self) -> bool {
        self.hand.tool != Tool::Turn && self.show != Shown::Before
    }

    fn pull(&mut self, pull: Pull) -> Result<()> {
        if pull.phase != Phase::GoesOn {
            self.dabbed = None;
        }
        if pull.phase == Phase::Ends {
            return Ok(());
        }
        let (ray, mesh) = (self.inside(&pull.to)?, self.smoothing.flow.mesh()?);
        let radius = self.hand.radius * start::half(&self.smoothing.clean);
        match brush::met(&mesh, &ray) {
            Some(met) if brush::is_due(self.dabbed, &ray, radius) => self.dab(&mesh, &met),
            _ => Ok(()),
        }
    }

    /// The names of both halves.
    fn marks(&self) -> Vec<Mark> {
        let names = [([0.0, 0.06], "as it began"), ([0.51, 0.06], "now")];
        let names = names.map(|(at, text)| Mark::Name { at, text });
        if self.show == Shown::Beside { names.into() } else { Vec::new() }
    }

    /// The mesh stays as the last step that was solved has left it.
    fn solved(&self) -> Result<()> {
        match &self.report {
            Some(report) if !report.converged() => {
                Err(unsolved(self.solved + 1, report.reason(), "the mesh is that before it"))
            }
            _ => Ok(()),
        }
    }

    fn pace(&self) -> u64 {
        1
    }

    /// The noise is gone after three or four, and much of the shape after twenty.
    fn rate(&self) -> Option<f64> {
        Some(1.0)
    }

    /// Vertices for drawing: made of those of the last step, so that waiting for them waits for the step.
    fn drawn(&self) -> Option<Buffer> {
        self.smoothing.flow.refresh().ok()?;
        Some(self.smoothing.flow.positions().clone())
    }

    /// The part that a step leaves of its equations in f64, of all that they add up: what the tolerance leaves of the force, twice because
    /// the solver scales by powers of two, and sixteen roundings of each term. A boundary that is fixed does not move.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let wide = |values: &[f32]| -> Vec<[f64; 3]> {
            values.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)).collect()
        };
        let parameters = self.smoothing.flow.parameters();
        let flow = oracle::geometric_flow::GeometricFlow {
            faces: self.smoothing.clean.faces(),
            time_step: parameters.time_step,
            dual: parameters.area == Area::Dual,
            flowing: parameters.boundary == Boundary::Flowing,
        };
        let (before, mut after) = (wide(&before.values), wide(&self.numbers()?.values));
        let mut measures = Vec::new();
        if let (Some((middle, times)), Some(volume)) = (self.blown, self.volume) {
            // Each coordinate is rounded when it is scaled, goes to the GPU and comes back, so a face is off by the root of 3 times
            // three roundings of the largest at most, and the volume by that times the area.
            let mesh = self.smoothing.flow.mesh()?;
            let largest = after.as_flattened().iter().fold(0.0f64, |most, x| most.max(x.abs()));
            let bound = 3.0 * 3f64.sqrt() * 2f64.powi(-24) * largest * mesh.area() / volume.abs();
            let error = mesh.volume().map_or(f64::NAN, |now| (now / volume - 1.0).abs());
            measures.push(Measure { name: "volume", error, bound });
            after.iter_mut().for_each(|p| *p = [0, 1, 2].map(|k| middle[k] + (p[k] - middle[k]) / times));
        }
        let Miss { residual, force, terms } = flow.miss(&before, &after);
        let all = (force + terms).max(f64::MIN_POSITIVE);
        let bound = 2.0 * f64::from(parameters.tolerance) * force + 16.0 * 2f64.powi(-24) * terms;
        measures.insert(0, Measure { name: "residual", error: residual / all, bound: bound / all });
        if parameters.boundary == Boundary::Fixed && self.smoothing.has_boundary() {
            let on = self.smoothing.clean.on_boundary();
            let only = |points: Vec<[f64; 3]>| -> Vec<_> {
                points.into_iter().zip(&on).filter(|(_, on)| **on).map(|(p, _)| p).collect()
            };
            let error = farthest(&only(before), &only(after));
            measures.push(Measure { name: "way of the boundary", error, bound: 0.0 });
        }
        Ok(measures)
    }

    /// The rest of area and volume, and how the last step was solved.
    fn findings(&self) -> Result<Json> {
        let (now, first) = (self.smoothing.flow.mesh()?, &self.smoothing.first.0);
        let iterations = self.report.as_ref().map(Report::iterations);
        Ok(json!({
            "triangles": now.faces().len(), "area": now.area(), "volume": now.volume(),
            "area_at_first": first.area(), "volume_at_first": first.volume(),
            "iterations": iterations, "origin": self.origin,
        }))
    }

    fn prepare(&mut self) -> Result<()> {
        if self.show != Shown::Now {
            self.smoothing.look_back(&self.gpu, self.seed, self.noise)?;
        }
        Ok(self.smoothing.flow.refresh()?)
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        self.view.forget();
        vec![&mut self.view, &mut self.hand]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let (view, now) = (&mut self.view, self.smoothing.shown());
        match (self.show, self.smoothing.shown_before()) {
            (Shown::Before, Some(mesh)) => Box::new(MeshPicture { mesh, view }),
            (Shown::Beside, Some(before)) => Box::new(BesidePicture { view, before, now }),
            _ => Box::new(MeshPicture { mesh: now, view }),
        }
    }

    /// The time step as a share of the square of half the mesh's longest side.
    fn offer(&self, param: &Param) -> Offer {
        let square = start::half(&self.smoothing.clean).powi(2);
        match param.name {
            "time-step" if square > 0.0 => {
                Offer::of(param).between(1e-6 * square, square).usual(1e-3 * square)
            }
            "mesh" if matches!(self.of.0, MeshName::File(_)) => Offer::of(param).now(self.of.0.word()),
            "noise" => Offer::of(param).usual(self.of.0.noise()),
            // A closed mesh has none.
            // An open one has none.
            "volume" if self.volume.is_none() => Offer { live: Live::Hidden, ..Offer::of(param) },
            "boundary" if !self.smoothing.has_boundary() => Offer { live: Live::No, ..Offer::of(param) },
            _ => Offer::of(param),
        }
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        if let Some(report) = &self.report {
            let (iterations, residual) = (report.iterations(), report.surface.residual());
            ui.monospace(format!("{iterations} iterations, residual {residual:.1e}"));
        }
        let (area, volume) = match self.left.filter(|left| left.0 == self.solved) {
            Some((_, area, volume)) => (area, volume),
            None => {
                let (now, first) = (self.smoothing.flow.mesh()?, &self.smoothing.first.0);
                let volume = now.volume().zip(first.volume()).map(|(now, first)| now / first);
                let area = now.area() / first.area();
                self.left = Some((self.solved, area, volume));
                self.curves[0].add(self.solved, area);
                volume.into_iter().for_each(|volume| self.curves[1].add(self.solved, volume));
                (area, volume)
            }
        };
        let share = |name: &str, share: f64| format!("{name} {:.1} %", 100.0 * share);
        let volume = volume.map_or(String::new(), |volume| format!(", {}", share("volume", volume)));
        ui.monospace(format!("{}{volume}", share("area", area)))
            .on_hover_text("Shares of the mesh at first, with its noise");
        let (blue, amber) = (egui::Color32::from_rgb(110, 170, 255), egui::Color32::from_rgb(240, 170, 70));
        ui.weak("shares of the first area (blue) and volume (amber) over the steps");
        crate::play::plot(ui, &[(&self.curves[0], blue), (&self.curves[1], amber)], false);
        self.show_hand(ui);
        if let Err(error) = self.solved() {
            ui.label(format!("{error}. Start again, or change a parameter."));
        }
        Ok(())
    }
}

#[cfg(feature = "panel")]
impl SmoothDemo {
    /// Shows what the left button does.
    fn show_hand(&mut self, ui: &mut egui::Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.label("the left button");
            let tools = [
                (Tool::Raise, "raises", "Moves the surface out under the mouse, and the flow heals that"),
                (Tool::Dent, "dents", "Moves it in"),
                (Tool::Turn, "turns", "Turns the view, as the right button does in any case"),
            ];
            for (tool, name, hover) in tools {
                ui.selectable_value(&mut self.hand.tool, tool, name).on_hover_text(hover);
            }
        });
        if self.hand.tool != Tool::Turn {
            ui.add(egui::Slider::new(&mut self.hand.radius, 0.05..=0.6).fixed_decimals(2).text("brush"))
                .on_hover_text("Radius as a share of half the longest side of the mesh");
        }
    }
}

/// The longest way from a point of one list to that of the other.
fn farthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let distance = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    worst(a.iter().zip(b).map(distance))
}

/// A step that was not solved: [`NotConverged`].
pub fn unsolved(step: u64, why: Reason, then: &str) -> anyhow::Error {
    NotConverged(format!("step {step} was not solved: {why}; {then}")).into()
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;
    use crate::demo::{Request, TestHost, saved};

    fn demo(gpu: &Gpu, flags: &str) -> Result<SmoothDemo> {
        let values = ABOUT.values_of(flags).map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        SmoothDemo::new(gpu, &request)
    }

    /// A ray at the middle of the picture.
    fn pulled(demo: &mut SmoothDemo, phase: Phase) -> Result<()> {
        demo.prepare()?;
        let picture = demo.picture();
        let layout = picture.layout(1.0)?;
        drop(picture);
        let picture::Layout::Space(lens) = layout else { return Err(anyhow!("a mesh lies in space")) };
        let ray = lens.ray([0.5, 0.5]);
        demo.pull(Pull { from: ray, to: ray, phase })
    }

    /// With the volume kept it is that of the beginning after each step, in f64 from the positions, and each step still solves its equations;
    /// without it shrinks.
    #[test]
    fn a_kept_volume_is_kept_and_each_step_is_still_solved() -> Result<()> {
        let gpu = Gpu::headless()?;
        let volume = |demo: &SmoothDemo| demo.smoothing.flow.mesh().map(|mesh| mesh.volume());
        for mesh in ["mesh=cube&size=5", "mesh=sphere&size=2", "mesh=knot&size=6"] {
            for keeps in ["shrinks", "kept"] {
                let mut demo = demo(&gpu, &format!("{mesh}&volume={keeps}&picture=32x32"))?;
                let first = volume(&demo)?.context("closed")?;
                for _ in 0..6 {
                    let before = demo.numbers()?;
                    demo.step()?;
                    let measures = demo.check(&before)?;
                    assert_eq!(measures.iter().any(|measure| measure.name == "volume"), keeps == "kept");
                    assert!(measures.iter().all(Measure::passes), "{mesh} {keeps}: {measures:?}");
                }
                let left = volume(&demo)?.context("closed")? / first;
                assert!(if keeps == "kept" { (left - 1.0).abs() < 1e-5 } else { left < 0.999 }, "{left}");
            }
        }
        Ok(())
    }

    /// A stroke on a closed mesh makes it larger or smaller, the flow heals it, and a mesh at rest goes on for as many steps.
    #[test]
    fn a_stroke_wakes_a_mesh_at_rest_and_is_healed() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (tool, sign) in [(Tool::Raise, 1.0), (Tool::Dent, -1.0)] {
            let mut demo = demo(&gpu, "mesh=sphere&size=3&noise=0&until=2&picture=32x32")?;
            demo.hand = Hand { tool, radius: 0.4 };
            (0..2).try_for_each(|_| demo.step())?;
            assert!(demo.is_over() && demo.notice().is_some());
            let before = demo.smoothing.flow.mesh()?;
            pulled(&mut demo, Phase::Begins)?;
            let after = demo.smoothing.flow.mesh()?;
            let change = after.volume().zip(before.volume()).map(|(a, b)| sign * (a - b));
            assert!(change.is_some_and(|change| change > 0.0), "{change:?}");
            assert!(!demo.is_over());
            // Bent more than before, and less after each step.
            let bulge = |mesh: &Mesh| mesh.area() / mesh.volume().unwrap_or(f64::NAN).powf(2.0 / 3.0);
            let mut last = bulge(&after);
            assert!(last > bulge(&before));
            for _ in 0..2 {
                let state = demo.numbers()?;
                demo.step()?;
                assert!(demo.check(&state)?.iter().all(Measure::passes));
                let now = bulge(&demo.smoothing.flow.mesh()?);
                assert!(now < last, "{now} of {last}");
                last = now;
            }
            assert!(demo.is_over());
            // A second press at once is too near for a second dab, and one beside the mesh does nothing.
            pulled(&mut demo, Phase::Begins)?;
            let once = demo.numbers()?.values;
            pulled(&mut demo, Phase::GoesOn)?;
            assert!(demo.numbers()?.values == once);
        }
        Ok(())
    }

    /// The boundary of a sheet stays to the bit.
    #[test]
    fn a_fixed_boundary_stays_under_the_brush() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut demo = demo(&gpu, "mesh=sheet&size=4&picture=32x32&rise=60")?;
        demo.hand.radius = 2.0;
        let before = demo.smoothing.flow.mesh()?;
        pulled(&mut demo, Phase::Begins)?;
        let after = demo.smoothing.flow.mesh()?;
        let on = before.on_boundary();
        let moved: Vec<bool> =
            before.positions().iter().zip(after.positions()).map(|(a, b)| a != b).collect();
        assert!(moved.contains(&true));
        assert!(!moved.iter().zip(on).any(|(moved, on)| *moved && on));
        Ok(())
    }

    #[test]
    fn a_state_keeps_the_volume_that_is_kept_and_the_step_of_the_last_stroke() -> Result<()> {
        let gpu = Gpu::headless()?;
        let mut demo = demo(&gpu, "mesh=sphere&size=2&volume=kept&until=5&picture=32x32")?;
        demo.step()?;
        pulled(&mut demo, Phase::Begins)?;
        demo.step()?;
        let state = saved(&ABOUT, &demo, 2)?;
        let (volume, touched) = (demo.volume, demo.touched);
        demo.reset(3)?;
        demo.restore(&state)?;
        assert_eq!((demo.volume, demo.touched, demo.solved), (volume, touched, 2));
        assert!(volume.is_some() && touched == 1);
        Ok(())
    }
}
