//! The widgets of a fluid: the range of its colours, the mouse, and how the last step went.

use anyhow::Result;
use egui::{Grid, Ui};
use quadrille::sim::fluid::Kind;

use super::check::is_finite;
use super::findings::divergence;
use super::scene::Show;
use super::{FluidDemo, Watched};

/// Seconds between two looks at the divergence: it is read back, and the GPU waited for.
const LOOK: f64 = 0.5;

impl FluidDemo {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        // Dye has colours of its own.
        if self.shown.show != Show::Dye || self.tracers.is_some() {
            ui.add(egui::Slider::new(&mut self.shown.range, 0.01..=100.0).logarithmic(true).text("range"))
                .on_hover_text("What the last colour of numbers and of speeds stands for, times this");
        }
        if self.tracers.is_some() {
            ui.horizontal_wrapped(|ui| {
                ui.label("colours of particles");
                ui.selectable_value(&mut self.shown.by_number, false, "by speed");
                ui.selectable_value(&mut self.shown.by_number, true, "by number");
            });
        }
        self.what_the_mouse_does(ui);
        ui.separator();
        self.how_it_went(ui)
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
