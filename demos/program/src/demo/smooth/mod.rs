//! A noisy mesh that becomes smooth: implicit mean-curvature flow, its matrix computed on the GPU (rows E3, E5).

mod start;

use anyhow::Result;
use egui::{Slider, SliderClamping, Ui};
use quadrille::mesh::Mesh;
use quadrille::reference;
use quadrille::reference::geometric_flow::Miss;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters, Report};
use quadrille::solve::Reason;
use quadrille::view::Camera;
use serde_json::{Value, json};

use super::shown::{MeshShown, Shown, Touch};
use super::state::{Kept, Parts};
use super::{Measure, Simulation, short};
use crate::cli::{MeshName, SmoothDemoArguments};
use crate::files::Array;
use crate::files::npz::Named;
use crate::output;

pub use start::chosen;

pub const NAME: &str = "smooth";

/// The flags that a state keeps.
pub const KEPT: &[Kept] =
    &[("mesh", ""), ("size", "mesh"), ("time-step", ""), ("area", ""), ("boundary", ""), ("tolerance", "")];

/// Where the vertices are.
pub const PARTS: Parts = Parts::Rows(&[("position", 3)]);

const CAMERA: Camera = Camera { azimuth: 25.0, elevation: 28.0, distance: 1.0, field_of_view: 30.0 };

struct Smoothing {
    flow: GeometricFlow,
    /// Without noise.
    clean: Mesh,
    /// Where that has its origin: its middle, if it is a file's and far from the file's own.
    origin: [f64; 3],
    /// As it was at first, and the seed of that.
    first: (Mesh, u64),
    /// Whether the first one was loaded.
    loaded: bool,
    noise: f32,
    /// Which mesh was asked for, and its size.
    of: (MeshName, Option<u32>),
    /// Of the last step.
    report: Option<Report>,
    /// Steps that were solved since the beginning.
    solved: u64,
    /// How often the places of vertices have changed.
    layouts: u64,
}

impl Smoothing {
    fn new(
        flow: GeometricFlow,
        clean: Mesh,
        origin: [f64; 3],
        first: Mesh,
        noise: f32,
        given: &SmoothDemoArguments,
    ) -> Smoothing {
        let (first, loaded) = ((first, given.demo.seed()), given.demo.load.is_some());
        let (of, report) = ((given.mesh.clone(), given.size), None);
        Smoothing { flow, clean, origin, first, loaded, noise, of, report, solved: 0, layouts: 0 }
    }

    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        self.layouts += u64::from(parameters.boundary != self.flow.parameters().boundary);
        // What these could not solve, others may.
        self.report = None;
        Ok(self.flow.set_parameters(parameters)?)
    }

    fn has_boundary(&self) -> bool {
        self.clean.edges().iter().any(quadrille::mesh::Edge::is_boundary)
    }

    /// Half the longest side of the clean mesh.
    fn half(&self) -> f64 {
        let [low, high] = self.clean.bounds();
        (0..3).map(|k| (f64::from(high[k]) - f64::from(low[k])) / 2.0).fold(0.0, f64::max)
    }
}

impl Simulation for Smoothing {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        let report = self.flow.step()?;
        self.solved += u64::from(report.converged());
        self.report = Some(report);
        Ok(())
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

    fn is_over(&self) -> bool {
        self.solved().is_err()
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        let first = match seed == self.first.1 {
            true => self.first.0.clone(),
            false => self.clean.with_noise(self.noise, seed)?,
        };
        (self.report, self.solved) = (None, 0);
        Ok(self.flow.set_positions(first.positions().to_vec())?)
    }

    fn size(&self) -> (String, &'static str) {
        (self.clean.positions().len().to_string(), "vertices")
    }

    fn shown(&self) -> Result<Shown<'_>> {
        self.flow.refresh()?;
        let unit = self.flow.unit();
        let bounds = self.first.0.bounds().map(|corner| self.flow.inward(corner).map(f64::from));
        Ok(Shown::Mesh(MeshShown {
            faces: self.clean.faces(),
            places: self.flow.places(),
            layout: self.layouts,
            positions: self.flow.positions(),
            bounds,
            // A sphere as large as the mesh is half-way up the colours.
            curvature: (unit / self.half().max(f64::MIN_POSITIVE)) as f32,
            camera: CAMERA,
        }))
    }

    /// Positions about the origin, a row a vertex.
    fn state(&self) -> Result<Array> {
        let mesh = self.flow.mesh()?;
        let values = mesh.positions().as_flattened().to_vec();
        Ok(Array { height: mesh.positions().len(), width: 3, components: 1, values })
    }

    /// The triangles, too: others are another mesh.
    fn arrays(&self) -> Result<Vec<Named>> {
        let mut arrays = PARTS.split(&self.state()?, [0; 3]);
        let faces = self.clean.faces();
        let corners = faces.as_flattened().iter().map(|&vertex| vertex.into()).collect();
        arrays.push(Named::of_whole(start::FACES, &[faces.len(), 3], corners));
        Ok(arrays)
    }

    /// A file's mesh is asked for by its name, which a state does not choose.
    fn values(&self) -> Result<Value> {
        let mut values = self.parameters();
        (values["mesh"], values["size"]) = start::words(&self.of);
        values["loaded"] = Value::Null;
        Ok(values)
    }

    fn parameters(&self) -> Value {
        let Parameters { time_step, area, boundary, tolerance } = self.flow.parameters();
        json!({
            "time_step": time_step, "area": area_name(area), "boundary": boundary_name(boundary),
            "tolerance": short(tolerance), "noise": short(self.noise), "loaded": self.loaded,
            "origin": self.origin,
        })
    }

    /// What is left of area and volume, and how the last step was solved.
    fn findings(&self) -> Result<Value> {
        let now = self.flow.mesh()?;
        let iterations = self.report.as_ref().map(Report::iterations);
        Ok(json!({
            "triangles": now.faces().len(), "area": now.area(), "volume": now.volume(),
            "area_at_first": self.first.0.area(), "volume_at_first": self.first.0.volume(),
            "iterations": iterations,
        }))
    }

    /// What a step leaves of its equations in f64, of all that they add up: what the tolerance leaves of the force, twice because
    /// the solver scales by powers of two, and sixteen roundings of each term. A boundary that is fixed does not move.
    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let wide = |values: &[f32]| -> Vec<[f64; 3]> {
            values.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)).collect()
        };
        let parameters = self.flow.parameters();
        let flow = reference::geometric_flow::GeometricFlow {
            faces: self.clean.faces(),
            time_step: parameters.time_step,
            dual: parameters.area == Area::Dual,
            flowing: parameters.boundary == Boundary::Flowing,
        };
        let (before, after) = (wide(&before.values), wide(&self.state()?.values));
        let Miss { residual, force, terms } = flow.miss(&before, &after);
        let all = (force + terms).max(f64::MIN_POSITIVE);
        let bound = 2.0 * f64::from(parameters.tolerance) * force + 16.0 * 2f64.powi(-24) * terms;
        let mut measures = vec![Measure { name: "residual", error: residual / all, bound: bound / all }];
        if parameters.boundary == Boundary::Fixed && self.has_boundary() {
            let on = self.clean.on_boundary();
            let only = |points: Vec<[f64; 3]>| -> Vec<_> {
                points.into_iter().zip(&on).filter(|(_, on)| **on).map(|(p, _)| p).collect()
            };
            let error = farthest(&only(before), &only(after));
            measures.push(Measure { name: "way of the boundary", error, bound: 0.0 });
        }
        Ok(measures)
    }

    fn pace(&self) -> u64 {
        1
    }

    fn panel(&mut self, ui: &mut Ui) -> Result<()> {
        let before = self.flow.parameters();
        let mut parameters = before;
        ui.horizontal(|ui| {
            ui.label("area");
            for area in [Area::Ring, Area::Dual] {
                ui.selectable_value(&mut parameters.area, area, area_name(area));
            }
        })
        .response
        .on_hover_text("Of a vertex's triangles, or a third of it: the flow is three times as fast");
        if self.has_boundary() {
            ui.horizontal(|ui| {
                ui.label("boundary");
                for boundary in [Boundary::Fixed, Boundary::Flowing] {
                    ui.selectable_value(&mut parameters.boundary, boundary, boundary_name(boundary));
                }
            });
        }
        let square = self.half() * self.half();
        if square > 0.0 {
            // As a share of the square of half the mesh's longest side.
            let mut share = parameters.time_step / square;
            let slider = Slider::new(&mut share, 1e-6..=1.0).logarithmic(true).text("time step");
            if ui.add(slider.clamping(SliderClamping::Edits)).changed() {
                parameters.time_step = (share * square).max(f64::MIN_POSITIVE);
            }
        }
        if parameters != before {
            self.set_parameters(parameters)?;
        }
        if let Some(report) = &self.report {
            let (iterations, residual) = (report.iterations(), report.surface.residual());
            ui.monospace(format!("{iterations} iterations, residual {residual:.1e}"));
        }
        if let Err(error) = self.solved() {
            ui.label(format!("{error}. Start again, or change a parameter."));
        }
        Ok(())
    }

    fn is_touchable(&self) -> bool {
        false
    }

    fn touch(&mut self, _: Touch) -> Result<()> {
        Ok(())
    }
}

/// The longest way from a point of one list to that of the other.
fn farthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let distance = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    super::state::worst(a.iter().zip(b).map(distance))
}

/// A step that was not solved: exit status 3.
pub fn unsolved(step: u64, why: Reason, then: &str) -> anyhow::Error {
    output::NotConverged(format!("step {step} was not solved: {why}; {then}")).into()
}

/// As on the command line.
pub fn area_name(area: Area) -> &'static str {
    match area {
        Area::Ring => "ring",
        Area::Dual => "dual",
    }
}

/// As on the command line.
pub fn boundary_name(boundary: Boundary) -> &'static str {
    match boundary {
        Boundary::Fixed => "fixed",
        Boundary::Flowing => "flowing",
    }
}
