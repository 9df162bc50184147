//! Mouse, fingers and keys of the page as events of egui.
//!
//! One finger is the left button. Two are the right one, half-way between them, and their distance is the wheel: so they turn
//! and zoom wherever the mouse does. The first finger counts only once it moves, rests or leaves, so two that come one after the other
//! leave no dab.

use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchDeviceId, TouchId,
    TouchPhase, Vec2, pos2, vec2,
};

/// Points that a finger moves before it draws, and seconds that it rests.
const STILL: f32 = 6.0;
const REST: f64 = 0.12;

/// The distance of the camera after a notch of the wheel: fingers twice as far apart halve it.
const NOTCH: f32 = 0.9;

#[derive(Default)]
pub struct Input {
    events: Vec<Event>,
    modifiers: Modifiers,
    fingers: Vec<(i32, Pos2)>,
    hand: Hand,
}

/// The use of the fingers that are on the picture.
#[derive(Clone, Copy, Default, PartialEq)]
enum Hand {
    #[default]
    Off,
    /// One finger, since that second if it is known.
    Waits(Pos2, Option<f64>),
    Draws,
    /// Two, so far apart.
    Turns(f32),
    /// The rest of a turn.
    Leaves,
}

impl Input {
    /// The events since it was last asked, at that second.
    pub fn take(&mut self, now: f64) -> Vec<Event> {
        match self.hand {
            Hand::Waits(at, None) => self.hand = Hand::Waits(at, Some(now)),
            Hand::Waits(at, Some(since)) if now - since >= REST => self.draw_from(at),
            _ => {}
        }
        std::mem::take(&mut self.events)
    }

    /// Returns true if a finger rests and is about to draw.
    pub fn waits(&self) -> bool {
        matches!(self.hand, Hand::Waits(..))
    }

    pub fn pointer(&mut self, phase: u8, finger: Option<i32>, [x, y]: [f32; 2], button: i16, modifiers: u8) {
        self.modify(modifiers);
        let at = pos2(x, y);
        if let Some(finger) = finger {
            return self.finger(phase, finger, at);
        }
        let button = match button {
            1 => PointerButton::Middle,
            2 => PointerButton::Secondary,
            3 => PointerButton::Extra1,
            4 => PointerButton::Extra2,
            _ => PointerButton::Primary,
        };
        match phase {
            0 | 2 => {
                self.events.push(Event::PointerMoved(at));
                self.press(at, button, phase == 0);
            }
            1 => self.events.push(Event::PointerMoved(at)),
            _ => self.events.push(Event::PointerGone),
        }
    }

    fn press(&mut self, pos: Pos2, button: PointerButton, pressed: bool) {
        let modifiers = self.modifiers;
        self.events.push(Event::PointerButton { pos, button, pressed, modifiers });
    }

    fn draw_from(&mut self, at: Pos2) {
        self.events.push(Event::PointerMoved(at));
        self.press(at, PointerButton::Primary, true);
        self.hand = Hand::Draws;
    }

    fn finger(&mut self, phase: u8, id: i32, at: Pos2) {
        let before = self.fingers.iter().position(|&(known, _)| known == id);
        match (phase, before) {
            (0, None) => self.fingers.push((id, at)),
            (1, Some(n)) => self.fingers[n].1 = at,
            (2 | 3, Some(n)) => drop(self.fingers.remove(n)),
            _ => return,
        }
        let touch = match phase {
            0 => TouchPhase::Start,
            1 => TouchPhase::Move,
            2 => TouchPhase::End,
            _ => TouchPhase::Cancel,
        };
        let (device_id, id) = (TouchDeviceId(0), TouchId::from(id));
        self.events.push(Event::Touch { device_id, id, phase: touch, pos: at, force: None });
        match (self.hand, self.fingers.as_slice()) {
            (Hand::Off, &[(_, at)]) => self.hand = Hand::Waits(at, None),
            (Hand::Waits(from, _), &[(_, to)]) if from.distance(to) > STILL => {
                self.draw_from(from);
                self.events.push(Event::PointerMoved(to));
            }
            // A tap.
            (Hand::Waits(from, _), []) => {
                self.draw_from(from);
                self.lift(from, PointerButton::Primary);
            }
            (Hand::Draws, &[(_, to)]) => self.events.push(Event::PointerMoved(to)),
            (Hand::Draws, []) => self.lift(at, PointerButton::Primary),
            (Hand::Waits(..) | Hand::Draws, &[(_, a), (_, b)]) => {
                if self.hand == Hand::Draws {
                    self.press(a, PointerButton::Primary, false);
                }
                let middle = a + (b - a) / 2.0;
                self.events.push(Event::PointerMoved(middle));
                self.press(middle, PointerButton::Secondary, true);
                self.hand = Hand::Turns(a.distance(b));
            }
            (Hand::Turns(apart), &[(_, a), (_, b)]) => {
                self.events.push(Event::PointerMoved(a + (b - a) / 2.0));
                let now = a.distance(b).max(1.0);
                let notches = (apart.max(1.0) / now).ln() / NOTCH.ln();
                self.scroll(MouseWheelUnit::Line, vec2(0.0, notches));
                self.hand = Hand::Turns(now);
            }
            (Hand::Turns(_), left) => {
                let hand = if left.is_empty() { Hand::Off } else { Hand::Leaves };
                self.lift(at, PointerButton::Secondary);
                self.hand = hand;
            }
            (Hand::Leaves, []) => self.hand = Hand::Off,
            _ => {}
        }
    }

    fn lift(&mut self, at: Pos2, button: PointerButton) {
        self.press(at, button, false);
        self.events.push(Event::PointerGone);
        self.hand = Hand::Off;
    }

    pub fn wheel(&mut self, [x, y]: [f32; 2], modifiers: u8) {
        self.modify(modifiers);
        self.scroll(MouseWheelUnit::Point, vec2(x, y));
    }

    fn scroll(&mut self, unit: MouseWheelUnit, delta: Vec2) {
        let (phase, source) = (TouchPhase::Move, MouseWheelSource::Unknown);
        self.events.push(Event::MouseWheel { unit, delta, phase, source, modifiers: self.modifiers });
    }

    pub fn key(&mut self, name: &str, pressed: bool, repeat: bool, modifiers: u8) {
        self.modify(modifiers);
        let modifiers = self.modifiers;
        if let Some(key) = Key::from_name(name) {
            self.events.push(Event::Key { key, physical_key: None, pressed, repeat, modifiers });
        }
        let mut letters = name.chars();
        if pressed
            && !modifiers.command
            && !modifiers.ctrl
            && letters.next().is_some()
            && letters.next().is_none()
        {
            self.events.push(Event::Text(name.to_owned()));
        }
    }

    pub fn text(&mut self, how: &str, text: &str) {
        self.events.push(match how {
            "copy" => Event::Copy,
            "cut" => Event::Cut,
            "paste" => Event::Paste(text.to_owned()),
            _ => Event::Text(text.to_owned()),
        });
    }

    fn modify(&mut self, bits: u8) {
        let is = |bit: u8| bits & bit != 0;
        let (alt, ctrl, shift, meta) = (is(1), is(2), is(4), is(8));
        let modifiers = Modifiers { alt, ctrl, shift, mac_cmd: meta, command: ctrl || meta };
        if modifiers != self.modifiers {
            self.modifiers = modifiers;
            self.events.push(Event::ModifiersChanged(modifiers));
        }
    }
}
