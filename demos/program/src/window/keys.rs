//! The user's requests of one frame, by a button of the panel or a key.

use egui::{Event, Key};

use super::gui::Input;

#[derive(Clone, Copy, Default, PartialEq)]
pub struct KeyActions {
    pub close: bool,
    /// Stop, or go on.
    pub pause: bool,
    /// Single steps.
    pub steps: u64,
    pub reset: bool,
    pub save_picture: bool,
}

impl KeyActions {
    /// Adds the keys pressed in this frame, unless they were typed into a widget.
    pub fn add_keys(&mut self, input: &Input) {
        for event in input.events.iter().filter(|_| !input.typing) {
            let &Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { continue };
            if modifiers.any() {
                continue;
            }
            match key {
                Key::S | Key::N => self.steps += 1,
                Key::Escape if !repeat => self.close = true,
                Key::Space if !repeat => self.pause ^= true,
                Key::R if !repeat => self.reset = true,
                _ => {}
            }
        }
    }
}
