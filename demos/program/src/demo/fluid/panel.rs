//! The widgets of a fluid: what it is, how it is stepped and shown, what the mouse does, and how the last step went.

use std::time::{Duration, Instant};

use anyhow::Result;
use egui::{Checkbox, ComboBox, DragValue, Grid, Slider, SliderClamping, Ui};
use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Advection, Divergence, Kind, Parameters, Pressure};

use super::Vessel;
use super::account::Account;
use super::check::is_finite;
use super::findings::divergence;
use super::scene::Setup;
use super::start::{self, multigrid, name_of};
use crate::cli::{PressureName, ShowName};

/// How often the divergence is looked at: it is read back, and the GPU waited for.
const LOOK: Duration = Duration::from_millis(500);

const SHOWN: [(&str, ShowName); 6] = [
    ("dye", ShowName::Dye),
    ("speed", ShowName::Speed),
    ("vorticity", ShowName::Vorticity),
    ("pressure", ShowName::Pressure),
    ("divergence", ShowName::Divergence),
    ("particles", ShowName::Particles),
];

/// What was read back last, for the panel.
#[derive(Default)]
pub struct Watched {
    found: Option<(Divergence, Instant)>,
    steps: u64,
}

impl Vessel {
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
        let parameters = self.fluid.get_mut().parameters();
        if name != self.setup.name {
            let said = |of_scene| Parameters { pressure: parameters.pressure, ..of_scene };
            self.begin_anew(Setup::new(name, kind, None, said)?)?;
        } else if kind != self.setup.kind() {
            let size = self.setup.size()?;
            self.begin_anew(Setup::new(name, kind, Some(size), |_| parameters)?)?;
        }
        Ok(())
    }

    fn how_it_is_stepped(&mut self, ui: &mut Ui) -> Result<()> {
        let before = self.fluid.get_mut().parameters();
        let mut p = before;
        let is_tight = self.setup.is_tight();
        pressure_widgets(ui, &mut p.pressure);
        ui.horizontal_wrapped(|ui| {
            for known in Advection::ALL {
                ui.selectable_value(&mut p.advection, known, known.name());
            }
        })
        .response
        .on_hover_text(
            "How velocity and dye are carried along: the first smears more, the second costs two passes",
        );
        ui.add(slider(&mut p.viscosity, 0.0, 0.1, "viscosity"));
        ui.add(slider(&mut p.confinement, 0.0, 2.0, "confinement"))
            .on_hover_text("How much swirl is given back that the grid smears");
        ui.add(slider(&mut p.fading, 0.0, 2.0, "fading"))
            .on_hover_text("How much of dye and heat is gone in a time");
        let usual = self.setup.usual_time_step;
        ui.add(slider(&mut p.time_step, 0.1 * usual, 10.0 * usual, "time a step"));
        ui.add_enabled(is_tight, Checkbox::new(&mut p.keep_mass, "keep the amount of dye"));
        if p != before {
            self.fluid.get_mut().set_parameters(p)?;
            self.setup.scene.parameters = p;
            if p.keep_mass != before.keep_mass {
                self.account = Account::begin(&self.gpu, self.fluid.get_mut())?;
            }
            if let Some(swarm) = &mut self.swarm {
                swarm.set_births(&self.setup)?;
            }
        }
        Ok(())
    }

    fn what_is_seen(&mut self, ui: &mut Ui) -> Result<()> {
        let draws = start::can_draw_particles(&self.gpu);
        let name = SHOWN.iter().find(|(_, known)| *known == self.show).map_or("", |(name, _)| name);
        ComboBox::from_label("shown").selected_text(name).show_ui(ui, |ui| {
            for (name, known) in SHOWN.into_iter().filter(|(_, known)| draws || *known != ShowName::Particles)
            {
                ui.selectable_value(&mut self.show, known, name);
            }
        });
        ui.add(Slider::new(&mut self.range, 0.01..=100.0).logarithmic(true).text("range"))
            .on_hover_text("What the last colour of numbers and of speeds stands for, times this");
        let count = self.swarm.as_ref().map_or(0, |swarm| swarm.len());
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
                ui.selectable_value(&mut self.by_number, false, "by speed");
                ui.selectable_value(&mut self.by_number, true, "by number");
            }
        });
        if self.show == ShowName::Particles && wished == 0 {
            match count {
                0 => wished = start::PARTICLES,
                _ => self.show = self.setup.show(),
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
        let is_old = self.watched.found.as_ref().is_none_or(|(_, at)| at.elapsed() > LOOK);
        if steps != self.watched.steps && is_old {
            self.watched.found = divergence(self)?.map(|found| (found, Instant::now()));
            self.watched.steps = steps;
        }
        let found = self.watched.found.as_ref().map(|(found, _)| *found);
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

fn slider<'a>(value: &'a mut f32, least: f32, most: f32, text: &str) -> Slider<'a> {
    let slider = Slider::new(value, least..=most).logarithmic(true);
    let slider = slider.smallest_positive(1e-3 * f64::from(most)).max_decimals(5);
    slider.text(text).clamping(SliderClamping::Edits)
}

/// The method, and the number that goes with it.
fn pressure_widgets(ui: &mut Ui, pressure: &mut Pressure) {
    let before = name_of(*pressure);
    let mut name = before;
    ui.horizontal_wrapped(|ui| {
        for known in [PressureName::Multigrid, PressureName::Cg, PressureName::Jacobi] {
            ui.selectable_value(&mut name, known, known.word());
        }
    })
    .response
    .on_hover_text("How the pressure is found that makes the flow free of divergence");
    if name != before {
        *pressure = match name {
            PressureName::Multigrid => multigrid(start::CYCLES),
            PressureName::Cg => Pressure::Cg { tolerance: start::TOLERANCE },
            PressureName::Jacobi => Pressure::Jacobi { sweeps: start::SWEEPS },
        };
    }
    match pressure {
        Pressure::Multigrid { cycles, .. } => ui.add(Slider::new(cycles, 1..=20).text("cycles")),
        Pressure::Cg { tolerance } => {
            ui.add(Slider::new(tolerance, 1e-7..=0.1).logarithmic(true).text("tolerance"))
        }
        Pressure::Jacobi { sweeps } => ui.add(Slider::new(sweeps, 1..=1000).logarithmic(true).text("sweeps")),
    };
}
