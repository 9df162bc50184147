//! Changes of parameters and strokes, to be taken back and made again.

use crate::param::Values;
use crate::state::{Numbers, State};

/// Bytes of the states before strokes that are kept; the oldest go first.
const MOST_BYTES: usize = 64 << 20;

/// A change that the demo took: the values before it and after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub before: Values,
    pub after: Values,
}

/// Something to go back to.
#[derive(Debug, PartialEq)]
pub enum Back {
    Values(Values),
    State(State),
}

/// Something that was done.
enum Done {
    Change(Change),
    /// A stroke of the brush: the state on its other side.
    Stroke(State),
}

/// The changes and strokes so far, and those that were taken back.
#[derive(Default)]
pub struct History {
    past: Vec<Done>,
    future: Vec<Done>,
    /// The pointer has not been let go since the last change: a slider that is dragged makes one change.
    goes_on: bool,
}

impl History {
    /// Keeps a change, made while a button of the pointer was held or not. A drag may change more parameters in one frame than in
    /// another, those that follow from the one that is dragged: it is one change of all of them.
    pub fn add(&mut self, change: Change, held: bool) {
        self.future.clear();
        let goes_on = self.goes_on;
        let shares = |last: &Change| change.after.iter().any(|(name, _)| last.after.has(name));
        match self.past.last_mut() {
            Some(Done::Change(last)) if goes_on && shares(last) => {
                for (name, value) in change.before.iter() {
                    if !last.before.has(name) {
                        last.before.set(name, value.clone());
                    }
                }
                for (name, value) in change.after.iter() {
                    last.after.set(name, value.clone());
                }
            }
            _ => self.past.push(Done::Change(change)),
        }
        self.goes_on = held;
    }

    /// Keeps the state before a stroke.
    pub fn add_stroke(&mut self, before: State) {
        self.future.clear();
        self.past.push(Done::Stroke(before));
        self.goes_on = false;
        let bytes = |done: &Done| match done {
            Done::Change(_) => 0,
            Done::Stroke(state) => state.arrays.iter().map(|array| bytes(&array.numbers)).sum::<usize>(),
        };
        let mut whole: usize = self.past.iter().map(bytes).sum();
        // The oldest go first: a stroke that is kept can only be reached by way of those after it.
        while whole > MOST_BYTES {
            whole -= bytes(&self.past.remove(0));
        }
    }

    /// Returns true if there is a stroke that was not taken back.
    pub fn has_strokes(&self) -> bool {
        self.past.iter().any(|done| matches!(done, Done::Stroke(_)))
    }

    /// The pointer was let go.
    pub fn let_go(&mut self) {
        self.goes_on = false;
    }

    /// The values or the state to go back to, of the last that was done and not taken back; `now` is the state that a stroke led to.
    pub fn undo(&mut self, now: impl FnOnce() -> Option<State>) -> Option<Back> {
        self.goes_on = false;
        Some(match self.past.pop()? {
            Done::Change(change) => {
                let before = change.before.clone();
                self.future.push(Done::Change(change));
                Back::Values(before)
            }
            Done::Stroke(before) => {
                self.future.extend(now().map(Done::Stroke));
                Back::State(before)
            }
        })
    }

    /// The values or the state of the last that was taken back.
    pub fn redo(&mut self, now: impl FnOnce() -> Option<State>) -> Option<Back> {
        Some(match self.future.pop()? {
            Done::Change(change) => {
                let after = change.after.clone();
                self.past.push(Done::Change(change));
                Back::Values(after)
            }
            Done::Stroke(after) => {
                self.past.extend(now().map(Done::Stroke));
                Back::State(after)
            }
        })
    }
}

fn bytes(numbers: &Numbers) -> usize {
    match numbers {
        Numbers::Float32(values) => 4 * values.len(),
        Numbers::Float64(values) => 8 * values.len(),
        Numbers::Whole(values) => 8 * values.len(),
        Numbers::Flag(_) | Numbers::Text(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::state::Named;

    fn change(name: &'static str, before: u64, after: u64) -> Change {
        Change { before: Values::new().with(name, before), after: Values::new().with(name, after) }
    }

    #[test]
    fn a_drag_is_one_change_and_what_was_taken_back_can_be_made_again_until_something_new() {
        let mut history = History::default();
        history.add(change("a", 1, 2), true);
        history.add(change("a", 2, 3), true);
        history.let_go();
        history.add(change("a", 3, 4), true);
        history.add(change("b", 7, 8), true);
        let a = |value: u64| Some(Back::Values(Values::new().with("a", value)));
        let b = |value: u64| Some(Back::Values(Values::new().with("b", value)));
        let none = || None;
        assert_eq!(history.undo(none), b(7));
        assert_eq!(history.undo(none), a(3));
        assert_eq!(history.undo(none), a(1));
        assert_eq!(history.undo(none), None);
        assert_eq!(history.redo(none), a(3));
        assert_eq!(history.redo(none), a(4));
        history.add(change("b", 7, 9), false);
        assert_eq!(history.redo(none), None);
        assert_eq!([history.undo(none), history.undo(none), history.undo(none)], [b(7), a(3), a(1)]);
    }

    fn state(step: u64, values: usize) -> State {
        let array = Named::of_f32("u", &[values], vec![step as f32; values]);
        State { demo: "a".to_owned(), step, values: Map::new(), arrays: vec![array] }
    }

    #[test]
    fn a_stroke_leads_back_to_the_state_before_it_and_forth_to_the_one_it_led_to() {
        let mut history = History::default();
        let back = |step: u64| Some(Back::State(state(step, 2)));
        history.add_stroke(state(10, 2));
        history.add(change("a", 1, 2), true);
        // A drag that goes on over a stroke is another change.
        history.add_stroke(state(20, 2));
        assert_eq!(history.undo(|| Some(state(25, 2))), back(20));
        assert_eq!(history.undo(|| None), Some(Back::Values(Values::new().with("a", 1u64))));
        assert_eq!(history.undo(|| Some(state(23, 2))), back(10));
        assert_eq!(history.redo(|| Some(state(10, 2))), back(23));
        assert_eq!(history.redo(|| None), Some(Back::Values(Values::new().with("a", 2u64))));
        assert_eq!(history.redo(|| Some(state(20, 2))), back(25));
        assert_eq!(history.undo(|| Some(state(25, 2))), back(20));
        // Something new, and what was taken back is gone.
        history.add_stroke(state(30, 2));
        assert_eq!(history.redo(|| None), None);
    }

    #[test]
    fn states_before_strokes_take_no_more_room_than_they_may() {
        let mut history = History::default();
        let values = MOST_BYTES / 4 / 3;
        (1..=5).for_each(|step| history.add_stroke(state(step, values)));
        let step = |back: Option<Back>| match back {
            Some(Back::State(state)) => Some(state.step),
            _ => None,
        };
        let steps = [(); 4].map(|()| step(history.undo(|| None)));
        assert_eq!(steps, [Some(5), Some(4), Some(3), None]);
    }

    #[test]
    fn a_drag_with_consequences_in_some_of_its_frames_is_one_change_of_all_of_them() {
        let both = |a: u64, b: u64| Values::new().with("a", a).with("b", b);
        let mut history = History::default();
        history.add(change("a", 1, 2), true);
        history.add(Change { before: both(2, 7), after: both(3, 8) }, true);
        history.add(change("a", 3, 4), true);
        assert_eq!(history.undo(|| None), Some(Back::Values(both(1, 7))));
        assert_eq!(history.undo(|| None), None);
        assert_eq!(history.redo(|| None), Some(Back::Values(both(4, 8))));
    }
}
