//! The colours of the panel and how it takes a click, the same in every host.

/// Behind and beside the picture.
pub const BACKGROUND: [f32; 4] = [0.07, 0.07, 0.08, 1.0];

/// Gives a context the look of the panel. A press and its release are a click however long it takes from one to the other: where a CPU
/// draws, a frame may lie between them that takes longer than egui lets a click last.
pub fn apply(context: &egui::Context) {
    context.set_visuals(visuals());
    context.options_mut(|options| options.input_options.max_click_duration = f64::INFINITY);
}

/// egui's dark look, with text that stands out more.
fn visuals() -> egui::Visuals {
    let mut visuals = egui::Visuals::dark();
    visuals.widgets.noninteractive.fg_stroke.color = egui::Color32::from_gray(190);
    // A cursor that blinks would draw a window that rests.
    visuals.text_cursor.blink = false;
    visuals.error_fg_color = egui::Color32::from_rgb(255, 85, 75);
    visuals
}

#[cfg(test)]
mod tests {
    use egui::{Event, Modifiers, PointerButton, RawInput, Rect, pos2, vec2};

    #[test]
    fn a_frame_of_five_seconds_between_press_and_release_loses_no_click() {
        let context = egui::Context::default();
        super::apply(&context);
        let mut clicked = false;
        let mut frame = |time, pressed: Option<bool>| {
            let pos = pos2(20.0, 20.0);
            let press = |pressed| Event::PointerButton {
                pos,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            };
            let mut events = vec![Event::PointerMoved(pos)];
            events.extend(pressed.map(press));
            let raw = RawInput { time: Some(time), events, ..RawInput::default() };
            let mut output = context.run_ui(raw, |ui| {
                let room = Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 100.0));
                clicked |= ui.put(room, egui::Button::new("button")).clicked();
            });
            output.textures_delta.clear();
        };
        frame(0.0, None);
        frame(0.1, Some(true));
        frame(5.1, Some(false));
        assert!(clicked);
    }
}
