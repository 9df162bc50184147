//! Changes of parameters, to be taken back and made again.

use crate::param::Values;

/// A change that the demo took: the values before it and after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub before: Values,
    pub after: Values,
}

/// The changes so far, and those that were taken back.
#[derive(Default)]
pub struct History {
    past: Vec<Change>,
    future: Vec<Change>,
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
        match self.past.last_mut().filter(|last| goes_on && shares(last)) {
            Some(last) => {
                for (name, value) in change.before.iter() {
                    if !last.before.has(name) {
                        last.before.set(name, value.clone());
                    }
                }
                for (name, value) in change.after.iter() {
                    last.after.set(name, value.clone());
                }
            }
            None => self.past.push(change),
        }
        self.goes_on = held;
    }

    /// The pointer was let go.
    pub fn let_go(&mut self) {
        self.goes_on = false;
    }

    /// The values to go back to, of the last change that was not taken back.
    pub fn undo(&mut self) -> Option<Values> {
        let change = self.past.pop()?;
        self.goes_on = false;
        let before = change.before.clone();
        self.future.push(change);
        Some(before)
    }

    /// The values of the last change that was taken back.
    pub fn redo(&mut self) -> Option<Values> {
        let change = self.future.pop()?;
        let after = change.after.clone();
        self.past.push(change);
        Some(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let a = |value: u64| Some(Values::new().with("a", value));
        let b = |value: u64| Some(Values::new().with("b", value));
        assert_eq!(history.undo(), b(7));
        assert_eq!(history.undo(), a(3));
        assert_eq!(history.undo(), a(1));
        assert_eq!(history.undo(), None);
        assert_eq!(history.redo(), a(3));
        assert_eq!(history.redo(), a(4));
        history.add(change("b", 7, 9), false);
        assert_eq!(history.redo(), None);
        assert_eq!([history.undo(), history.undo(), history.undo()], [b(7), a(3), a(1)]);
    }

    #[test]
    fn a_drag_with_consequences_in_some_of_its_frames_is_one_change_of_all_of_them() {
        let both = |a: u64, b: u64| Values::new().with("a", a).with("b", b);
        let mut history = History::default();
        history.add(change("a", 1, 2), true);
        history.add(Change { before: both(2, 7), after: both(3, 8) }, true);
        history.add(change("a", 3, 4), true);
        assert_eq!(history.undo(), Some(both(1, 7)));
        assert_eq!(history.undo(), None);
        assert_eq!(history.redo(), Some(both(4, 8)));
    }
}
