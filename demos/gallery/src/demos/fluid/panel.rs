//! The widgets of a fluid: the range of its colours, the mouse, and how the last step went.

use anyhow::Result;
use egui::{Align2, Color32, FontId, Sense, Stroke, Ui, pos2, vec2};
use quadrille::sim::fluid::Kind;
use quadrille::sim::fluid::scenes::Name;

use super::check::is_finite;
use super::figures::Profile;
use super::findings::{divergence, profiles};
use super::scene::Show;
use super::touch::Pours;
use super::wake;
use super::{FluidDemo, Watched};

/// Points, up and down, of the profiles of a cavity, and their names and colours.
const HEIGHT: f32 = 150.0;
const COLOURS: [(&str, Color32); 2] =
    [("u", Color32::from_rgb(240, 170, 70)), ("v", Color32::from_rgb(90, 170, 240))];

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
        self.what_the_mouse_does(ui)?;
        ui.separator();
        self.how_it_went(ui)
    }

    fn what_the_mouse_does(&mut self, ui: &mut Ui) -> Result<()> {
        if let Some(tracers) = &mut self.tracers {
            ui.checkbox(&mut self.mouse.gathers, "particles begin where the left button presses")
                .on_hover_text("Else it stirs and pours");
            if tracers.gathered().is_some() && ui.button("let them begin everywhere").clicked() {
                tracers.gather(None, &self.setup)?;
                tracers.scatter()?;
            }
        }
        if self.tracers.is_none() || !self.mouse.gathers {
            ui.horizontal_wrapped(|ui| {
                ui.label("dye").on_hover_text("What the left button leaves; it pushes the fluid in any case");
                for (pours, name, says) in [
                    (Pours::Hues, "many colours", "Each drop another hue"),
                    (Pours::Colour, "one", "This colour, whatever was there"),
                    (Pours::Clear, "clear", "Takes dye away"),
                    (Pours::Nothing, "none", "Pushes only"),
                ] {
                    ui.selectable_value(&mut self.mouse.pours, pours, name).on_hover_text(says);
                    if pours == Pours::Colour && self.mouse.pours == pours {
                        ui.color_edit_button_rgb(&mut self.mouse.colour);
                    }
                }
            });
        }
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
        Ok(())
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
            let (found, profiles) = (divergence(self)?, profiles(self)?);
            self.watched = Some(Watched { found, profiles, steps, at: now });
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
        self.street(ui);
        let number = |found: Option<f64>| found.map_or("-".to_owned(), |found| format!("{found:.2e}"));
        let mut rows = vec![
            (
                "time",
                format!("{time:.2}"),
                "Since the beginning: in a time of 1 a speed of 1 crosses the height of the box",
            ),
            (
                "divergence before",
                number(found.map(|d| d.before)),
                "The most that flowed out of a cell more than in, before the pressure of the last step",
            ),
            (
                "divergence after",
                number(found.map(|d| d.after)),
                "The same after it: 0 would be exact, and fluid that is not squeezed",
            ),
        ];
        if self.setup.kind() == Kind::Collocated {
            rows.push((
                "between nodes",
                number(found.map(|d| d.between)),
                "The part that differences across two cells do not see",
            ));
        }
        super::super::flow::explained(ui, "of the step", rows);
        if let Some(profiles) = self.watched.as_ref().and_then(|watched| watched.profiles.as_ref()) {
            ui.weak("lines: u over y and v over x on the middle lines; rings: Ghia, Ghia & Shin, steady");
            draw(ui, profiles);
        }
        Ok(())
    }
}

impl FluidDemo {
    /// Shows how often vortices part from a cylinder, and the velocity across the stream behind it.
    fn street(&self, ui: &mut Ui) {
        let viscosity = self.fluid.borrow().parameters().viscosity;
        let Some(reynolds) = wake::reynolds(viscosity).filter(|_| self.setup.name == Name::Street) else {
            return;
        };
        let found = self.wake.strouhal().map_or("wait".to_owned(), |found| format!("{found:.3}"));
        let known = wake::williamson(reynolds).map_or("-".to_owned(), |known| format!("{known:.3}"));
        egui::Grid::new("of the street").num_columns(2).show(ui, |ui| {
            for (name, value, help) in [
                ("Reynolds number", format!("{reynolds:.0}"), "Speed times diameter by viscosity: below 47 the wake is calm; move the slider of viscosity, which is 0.1 by this number"),
                ("Strouhal number", found, "How many vortices part from one side while the stream passes a diameter. Counted where the velocity across, in the curve, rises through 0; three periods alike are awaited"),
                ("in experiments", known, "Williamson 1988, Re 47 to 180, without walls beside. Here walls are ten diameters apart and the circle is of cells: both make vortices part more often"),
            ] {
                ui.label(name).on_hover_text(help);
                ui.label(egui::RichText::new(value).monospace());
                ui.end_row();
            }
        });
        let looks = self.wake.looks();
        let (whole, response) = ui.allocate_exact_size(vec2(ui.available_width(), 60.0), Sense::hover());
        response.on_hover_text("The velocity across the stream, 2.5 diameters behind the cylinder, over the last four times: each wave is a pair of vortices");
        let (painter, inside) = (ui.painter_at(whole), whole.shrink(4.0));
        painter.rect_filled(whole, 2.0, Color32::from_gray(14));
        painter.hline(inside.x_range(), inside.center().y, Stroke::new(0.5, Color32::from_gray(60)));
        let Some(&[now, _]) = looks.last() else { return };
        let at = |&[time, v]: &[f64; 2]| {
            let (x, y) = ((1.0 + (time - now) / SEEN) as f32, (v / 1.2).clamp(-1.0, 1.0) as f32);
            pos2(inside.left() + x * inside.width(), inside.center().y - 0.5 * y * inside.height())
        };
        let line = looks.iter().filter(|look| look[0] > now - SEEN).map(at).collect();
        painter.line(line, Stroke::new(1.4, COLOURS[1].1));
    }
}

/// The time of the curve of a street.
const SEEN: f64 = 4.0;

/// Draws both profiles over the same place, 0 to 1, from −0.6 to 1, and the table's points as rings.
fn draw(ui: &mut Ui, profiles: &[Profile; 2]) {
    const LOW: f64 = -0.6;
    const HIGH: f64 = 1.0;
    let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let (painter, inside) = (ui.painter_at(whole), whole.shrink(5.0));
    painter.rect_filled(whole, 2.0, Color32::from_gray(14));
    let at = |place: f64, value: f64| {
        let up = ((value - LOW) / (HIGH - LOW)).clamp(0.0, 1.0) as f32;
        pos2(inside.left() + place as f32 * inside.width(), inside.bottom() - up * inside.height())
    };
    let weak = Color32::from_gray(60);
    painter.hline(inside.x_range(), at(0.0, 0.0).y, Stroke::new(0.5, weak));
    painter.vline(at(0.5, 0.0).x, inside.y_range(), Stroke::new(0.5, weak));
    for ((name, colour), profile) in COLOURS.into_iter().zip(profiles) {
        let line = profile.found.iter().map(|&[place, value]| at(place, value)).collect();
        painter.line(line, Stroke::new(1.4, colour));
        for &[place, _, ghia] in &profile.table {
            painter.circle_stroke(at(place, ghia), 2.4, Stroke::new(1.0, colour));
        }
        let (place, value) = if name == "u" { (0.9, 0.85) } else { (0.9, -0.5) };
        painter.text(at(place, value), Align2::CENTER_CENTER, name, FontId::proportional(13.0), colour);
    }
}
