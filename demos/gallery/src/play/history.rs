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
    /// Keeps a change, made while a button of the pointer was held or not.
    pub fn add(&mut self, change: Change, held: bool) {
        self.future.clear();
        match self.past.last_mut() {
            Some(last) if self.goes_on && names(&last.after) == names(&change.after) => {
                last.after = change.after;
            }
            _ => self.past.push(change),
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

fn names(values: &Values) -> Vec<&str> {
    values.iter().map(|(name, _)| name).collect()
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
}
