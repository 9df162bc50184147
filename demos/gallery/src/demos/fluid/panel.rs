//! The widgets of a fluid: scene, steps, picture, the mouse, and how the last step went.

use anyhow::Result;
use egui::{Checkbox, DragValue, Grid, Ui};
use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Kind, Pressure};

use super::super::flow;
use super::check::is_finite;
use super::findings::divergence;
use super::parameters::{CONFINEMENT, CYCLES, FADING, SHOWN, SWEEPS, TIME_STEP, TOLERANCE, VISCOSITY};
use super::scene::Show;
use super::{FluidDemo, Watched, start};
use crate::panel;
use crate::param::{Param, Slider};

/// Seconds between two looks at the divergence: it is read back, and the GPU waited for.
const LOOK: f64 = 0.5;

impl FluidDemo {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        self.what_it_is(ui)?;
        ui.separator();
        self.how_it_is_stepped(ui)?;
        ui.separator();
        self.what_is_seen(ui)?;
        self.what_the_mouse_does(ui);
        ui.separator();
        self.how_it_went(ui)
    }

    /// Scene and grid: another one begins anew.
    fn what_it_is(&mut self, ui: &mut Ui) -> Result<()> {
        let (mut name, mut kind) = (self.setup.name, self.setup.kind());
        ui.horizontal_wrapped(|ui| {
            for known in Name::ALL {
                ui.selectable_value(&mut name, known, known.name()).on_hover_text(known.shows());
            }
        });
        ui.horizontal_wrapped(|ui| {
            for known in Kind::ALL {
                ui.selectable_value(&mut kind, known, known.name());
            }
        })
        .response
        .on_hover_text("Where velocities lie: at nodes, or at the sides of cells");
        self.set_scene(name, kind)
    }

    fn how_it_is_stepped(&mut self, ui: &mut Ui) -> Result<()> {
        let mut p = self.fluid.get_mut().parameters();
        pressure_widgets(ui, &mut p.pressure);
        ui.horizontal_wrapped(|ui| flow::advection_widgets(ui, &mut p.advection)).response.on_hover_text(
            "How velocity and dye are carried along: the first smears more, the second costs two passes",
        );
        VISCOSITY.slider(ui, &mut p.viscosity);
        CONFINEMENT.slider(ui, &mut p.confinement);
        FADING.slider(ui, &mut p.fading);
        let usual = f64::from(self.setup.usual_time_step);
        let slider = TIME_STEP.slider.map(|slider| Slider { low: 0.1 * usual, high: 10.0 * usual, ..slider });
        (Param { slider, ..TIME_STEP }).slider(ui, &mut p.time_step);
        let is_tight = self.setup.is_tight();
        ui.add_enabled(is_tight, Checkbox::new(&mut p.keep_mass, "keep the amount of dye"));
        self.set_parameters(p)
    }

    fn what_is_seen(&mut self, ui: &mut Ui) -> Result<()> {
        let draws = start::can_draw_particles(&self.gpu);
        let shown = if draws { &SHOWN[..] } else { &SHOWN[..SHOWN.len() - 1] };
        panel::list(ui, "shown", shown, &mut self.shown.show);
        ui.add(egui::Slider::new(&mut self.shown.range, 0.01..=100.0).logarithmic(true).text("range"))
            .on_hover_text("What the last colour of numbers and of speeds stands for, times this");
        let count = self.tracers.as_ref().map_or(0, |tracers| tracers.len());
        let mut wished = count;
        ui.horizontal_wrapped(|ui| {
            let mut on = wished > 0;
            let checkbox = ui.add_enabled(draws, Checkbox::new(&mut on, "particles"));
            if checkbox.on_disabled_hover_text("Vertex programs of this card fetch nothing").changed() {
                wished = if on { start::PARTICLES } else { 0 };
            }
            if on {
                let drag =
                    DragValue::new(&mut wished).range(1..=1 << 24).speed(1000.0).update_while_editing(false);
                ui.add(drag);
                ui.selectable_value(&mut self.shown.by_number, false, "by speed");
                ui.selectable_value(&mut self.shown.by_number, true, "by number");
            }
        });
        if self.shown.show == Show::Particles && wished == 0 {
            match count {
                0 => wished = start::PARTICLES,
                _ => self.shown.show = self.setup.show(),
            }
        }
        if wished != count {
            self.set_particles(wished)?;
        }
        Ok(())
    }

    fn what_the_mouse_does(&mut self, ui: &mut Ui) {
        ui.checkbox(&mut self.mouse.pours, "the left button pours dye")
            .on_hover_text("It pushes the fluid in any case");
        let takes_solids = self.fluid.get_mut().takes_solids();
        let row = ui.add_enabled_ui(takes_solids, |ui| {
            ui.horizontal(|ui| {
                ui.label("the right button");
                ui.selectable_value(&mut self.mouse.draws, true, "draws");
                ui.selectable_value(&mut self.mouse.draws, false, "erases");
                ui.label("solids");
            });
        });
        row.response
            .on_disabled_hover_text("Paths among solids need loops, which kernels of this card have not");
    }

    /// Looked at twice a second, so that frames do not wait for it.
    fn how_it_went(&mut self, ui: &mut Ui) -> Result<()> {
        let (steps, time) = {
            let fluid = self.fluid.get_mut();
            (fluid.steps(), fluid.time())
        };
        let now = self.host.seconds();
        let is_old = self.watched.as_ref().is_none_or(|watched| now - watched.at > LOOK);
        if steps != self.watched.as_ref().map_or(0, |watched| watched.steps) && is_old {
            self.watched = Some(Watched { found: divergence(self)?, steps, at: now });
        }
        let found = self.watched.as_ref().and_then(|watched| watched.found);
        if found.is_some_and(|found| !is_finite(&found)) {
            let line = "The velocity is no longer finite numbers; a smaller time step may keep it so.";
            ui.colored_label(ui.visuals().error_fg_color, line);
            if ui.button("Begin again").clicked() {
                self.begun_anew = true;
                return self.begin(self.seed);
            }
        }
        let number = |found: Option<f64>| found.map_or("-".to_owned(), |found| format!("{found:.2e}"));
        let mut rows = vec![
            ("time", format!("{time:.2}")),
            ("max |div u| before", number(found.map(|d| d.before))),
            ("after", number(found.map(|d| d.after))),
        ];
        if self.setup.kind() == Kind::Collocated {
            rows.push(("between nodes", number(found.map(|d| d.between))));
        }
        Grid::new("of the step").num_columns(2).show(ui, |ui| {
            for (name, value) in rows {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            }
        });
        Ok(())
    }
}

/// The method, and the number that goes with it.
fn pressure_widgets(ui: &mut Ui, pressure: &mut Pressure) {
    ui.horizontal_wrapped(|ui| flow::pressure_widgets(ui, pressure))
        .response
        .on_hover_text("How the pressure is found that makes the flow free of divergence");
    match pressure {
        Pressure::Multigrid { cycles, .. } => CYCLES.slider_whole(ui, cycles),
        Pressure::Cg { tolerance } => TOLERANCE.slider(ui, tolerance),
        Pressure::Jacobi { sweeps } => SWEEPS.slider_whole(ui, sweeps),
    };
}
