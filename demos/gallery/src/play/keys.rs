//! The user's requests of one frame, by a button of the panel or a key.

use egui::{Event, Key};

use super::Input;

/// All keys, and what each does.
pub const KEYS: &[(&str, &str)] = &[
    ("Space", "pause, or go on"),
    ("S, N", "a single step"),
    ("R", "back to the beginning of this seed"),
    ("B", "back to the last step that was saved"),
    ("Tab", "fold the panel, or open it"),
    ("I", "the passes of the last step, below the picture"),
    ("E", "edit the equation beside the picture"),
    ("Ctrl-S", "in a window: save the edited equation"),
    ("F1, ?", "this help"),
    ("F11", "all of the screen, or a window"),
    ("Ctrl-Z", "take back the last change or stroke; with Shift, make it again"),
    ("Esc", "close what is open; else back to the gallery"),
];

/// The mouse with that key held.
pub const CTRL_CLICK: &str = "Ctrl-click";

/// The mouse on the picture, and what it does.
pub const MOUSE: &[(&str, &str)] = &[
    ("drag", "paint, pour or push, where the demo has a use for it"),
    ("right button", "turn the view; in some demos a second brush"),
    ("wheel", "come nearer"),
    (CTRL_CLICK, "pin a probe, or take it away: its numbers become a curve"),
    ("double click", "on a slider: its usual value"),
];

/// A recording of pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tape {
    /// An animation.
    Gif,
    /// Numbered files.
    Pictures,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub struct KeyActions {
    /// Back to the gallery, and from there out: how often.
    pub leave: u32,
    /// Stop, or go on.
    pub pause: bool,
    /// Single steps.
    pub steps: u64,
    pub reset: bool,
    pub save_picture: bool,
    pub save_state: bool,
    pub save_curves: bool,
    /// Begin a recording.
    pub record: Option<Tape>,
    pub end_recording: bool,
    /// Go back to the last step that was saved.
    pub back: bool,
    /// Say the command line that makes the same.
    pub say_command: bool,
    pub full_screen: bool,
    /// Fold the panel, or open it.
    pub fold: bool,
    pub help: bool,
    /// Open the strip of passes, or close it.
    pub strip: bool,
    /// Open the editor of the equation, or close it.
    pub text: bool,
    /// Parameters to take back, or to make again where that is less than 0.
    pub undo: i32,
}

impl KeyActions {
    /// Adds the keys pressed in this frame, unless they were typed into a widget.
    pub fn add_keys(&mut self, input: &Input) {
        for event in input.events.iter().filter(|_| !input.typing) {
            let &Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { continue };
            match key {
                Key::Z if modifiers.command => self.undo += if modifiers.shift { -1 } else { 1 },
                Key::Questionmark if !repeat => self.help ^= true,
                Key::Slash if !repeat && modifiers.shift => self.help ^= true,
                _ if modifiers.any() => {}
                Key::S | Key::N => self.steps += 1,
                _ if repeat => {}
                Key::Escape => self.leave += 1,
                Key::Space => self.pause ^= true,
                Key::R => self.reset = true,
                Key::B => self.back = true,
                Key::I => self.strip ^= true,
                Key::E => self.text ^= true,
                Key::F1 => self.help ^= true,
                Key::F11 => self.full_screen ^= true,
                Key::Tab => self.fold ^= true,
                _ => {}
            }
        }
    }
}
