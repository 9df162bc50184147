//! A noisy mesh that becomes smooth: implicit mean-curvature flow, its matrix computed on the GPU (rows E3, E5).

mod beside;
mod rabbit;
mod shapes;
mod start;

use std::rc::Rc;

use anyhow::Result;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters, Report};
use quadrille::solve::Reason;
use quadrille::view::Camera;
use quadrille::{Buffer, Gpu};
use quadrille_oracle as oracle;
use quadrille_oracle::geometric_flow::Miss;
use serde_json::{Value as Json, json};

use self::beside::{BesidePicture, SHOWN, Shown};
use self::start::{FACES, MeshName, SHOW, changed};
use crate::demo::{About, Demo, Host, Measure, NotConverged, PlacedMesh, View};
use crate::param::{Live, Offer, Param, Values, name_of};
use crate::picture::{self, MeshPicture, MeshShown, MeshView, Picture};
use crate::state::{Array, Named, Parts, worst};

pub use start::{AREAS, BOUNDARIES, FLOW, TIME_STEP, flow};

pub const ABOUT: About = About {
    name: "smooth",
    shows: "A noisy mesh that becomes smooth by mean-curvature flow (sparse matrices)",
    keywords: "mesh noise geometry curvature fairing cotangent sparse triangles",
    first: "Drag to turn it; show before and after, or another mesh",
    computes: "A rough mesh, as a scanner gives it, becomes smooth: a step moves each vertex towards its neighbours, the farther the more \
               the surface bends there (mean-curvature flow). Bumps vanish first; the whole body shrinks, too, which area and volume \
               tell. The new places solve one linear system, (M + L) x' = M x, with cotangents of angles in L and areas in M, by \
               conjugate gradients on a sparse matrix, so that a step may be long.",
    kernels: &[
        "sim/mesh_rows.frag",
        "sim/mesh_entries.frag",
        "sim/mesh_scaled.frag",
        "solve/pcg_step.frag",
        "solve/cg_update.frag",
    ],
    paper: "Bolz, Farmer, Grinspun and Schröder, SIGGRAPH 2003; Desbrun et al. 1999",
    parameters: &[start::PARAMETERS, FLOW, start::LOOK, picture::CAMERA],
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
            .with(SHOW.name, name_of(&SHOWN, &self.show))
    }

    /// Another mesh, or other noise, begins anew.
    fn set(&mut self, values: &Values) -> Result<()> {
        self.show = values.choice(SHOW.name, &SHOWN).unwrap_or(self.show);
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
        (self.report, self.solved) = (None, 0);
        Ok(flow.set_positions(first.positions().to_vec())?)
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    fn step(&mut self) -> Result<()> {
        let report = self.smoothing.flow.step()?;
        self.solved += u64::from(report.converged());
        self.report = Some(report);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.solved().is_err()
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
        let (before, after) = (wide(&before.values), wide(&self.numbers()?.values));
        let Miss { residual, force, terms } = flow.miss(&before, &after);
        let all = (force + terms).max(f64::MIN_POSITIVE);
        let bound = 2.0 * f64::from(parameters.tolerance) * force + 16.0 * 2f64.powi(-24) * terms;
        let mut measures = vec![Measure { name: "residual", error: residual / all, bound: bound / all }];
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
        vec![&mut self.view]
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
                (area, volume)
            }
        };
        let share = |name: &str, share: f64| format!("{name} {:.1} %", 100.0 * share);
        let volume = volume.map_or(String::new(), |volume| format!(", {}", share("volume", volume)));
        ui.monospace(format!("{}{volume}", share("area", area)))
            .on_hover_text("Shares of the mesh at first, with its noise");
        if let Err(error) = self.solved() {
            ui.label(format!("{error}. Start again, or change a parameter."));
        }
        Ok(())
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
