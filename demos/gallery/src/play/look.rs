//! The colours of the panel, the same in every host.

/// Behind and beside the picture.
pub const BACKGROUND: [f32; 4] = [0.07, 0.07, 0.08, 1.0];

/// egui's dark look, with text that stands out more.
pub fn visuals() -> egui::Visuals {
    let mut visuals = egui::Visuals::dark();
    visuals.widgets.noninteractive.fg_stroke.color = egui::Color32::from_gray(190);
    // A cursor that blinks would draw a window that rests.
    visuals.text_cursor.blink = false;
    visuals.error_fg_color = egui::Color32::from_rgb(255, 85, 75);
    visuals
}
