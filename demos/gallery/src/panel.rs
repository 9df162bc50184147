//! Widgets of parameters: range, text and tooltip come from the [`Param`].

use egui::{ComboBox, Slider, SliderClamping, Ui};

use crate::param::{Kind, Param, Slider as Of};

impl Param {
    /// Shows a slider for a number, which leaves a value outside its range alone until somebody moves it; returns true if
    /// somebody did.
    pub fn slider(&self, ui: &mut Ui, value: &mut f32) -> bool {
        let mut shown = f64::from(*value);
        let moved = self.show(ui, &mut shown, false);
        if moved {
            *value = shown as f32;
        }
        moved
    }

    /// The same in 64 bits.
    pub fn slider_double(&self, ui: &mut Ui, value: &mut f64) -> bool {
        self.show(ui, value, false)
    }

    /// The same for a whole number.
    pub fn slider_whole<T: egui::emath::Numeric>(&self, ui: &mut Ui, value: &mut T) -> bool {
        let mut shown = value.to_f64();
        let moved = self.show(ui, &mut shown, true);
        if moved {
            *value = T::from_f64(shown);
        }
        moved
    }

    fn show(&self, ui: &mut Ui, value: &mut f64, whole: bool) -> bool {
        let Of { low, high, logarithmic, smallest, decimals, most_decimals, text, hover } =
            self.slider.unwrap_or(Of::to(0.0, 1.0));
        let text = if text.is_empty() { self.name } else { text };
        let mut shown = *value;
        let mut slider = Slider::new(&mut shown, low..=high).logarithmic(logarithmic).text(text);
        if let Some(smallest) = smallest {
            slider = slider.smallest_positive(smallest);
        }
        if let Some(most) = most_decimals {
            slider = slider.max_decimals(most);
        }
        if let Some(decimals) = decimals {
            slider = slider.fixed_decimals(decimals);
        }
        if whole {
            slider = slider.integer();
        }
        let response = ui.add(slider.clamping(SliderClamping::Edits));
        let moved = response.changed();
        response.on_hover_text(if hover.is_empty() { self.help } else { hover });
        if moved {
            *value = match self.kind {
                Kind::Real(range) => shown.clamp(range.low, range.high),
                Kind::Whole { low: least, high: most } => shown.clamp(least as f64, most as f64),
                _ => shown,
            };
        }
        moved
    }
}

/// Shows the words of a table side by side, with their lines as tooltips; returns true if another one was chosen.
pub fn words<T: Copy + PartialEq>(
    ui: &mut Ui,
    table: &[(&'static str, &'static str, T)],
    value: &mut T,
) -> bool {
    let before = *value;
    ui.horizontal_wrapped(|ui| {
        for &(name, line, of) in table {
            let widget = ui.selectable_value(value, of, name);
            if !line.is_empty() {
                widget.on_hover_text(line);
            }
        }
    });
    *value != before
}

/// Shows the words of a table as a list that opens; returns true if another one was chosen.
pub fn list<T: Copy + PartialEq>(
    ui: &mut Ui,
    label: &str,
    table: &[(&'static str, &'static str, T)],
    value: &mut T,
) -> bool {
    let before = *value;
    let chosen = crate::param::name_of(table, value);
    ComboBox::from_label(label).selected_text(chosen).show_ui(ui, |ui| {
        for &(name, line, of) in table {
            let widget = ui.selectable_value(value, of, name);
            if !line.is_empty() {
                widget.on_hover_text(line);
            }
        }
    });
    *value != before
}
