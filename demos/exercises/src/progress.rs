//! How far a learner is. As a text it is the file `.quadrille-exercises.toml` of the program, and what a page keeps.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use toml::{Table, Value};

use crate::told::Exercise;

/// How far an exercise is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    #[default]
    Pending,
    Done,
    SolutionSeen,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Pending => "pending",
            Stage::Done => "done",
            Stage::SolutionSeen => "solution-seen",
        }
    }

    /// The word in a list, where the text is the same since.
    fn said(self) -> &'static str {
        match self {
            Stage::Pending => "",
            Stage::Done => "done",
            Stage::SolutionSeen => "solution seen",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    stage: Stage,
    /// Files of before have it; nobody reads it.
    #[serde(default, rename = "hash")]
    _hash: IgnoredAny,
    /// The [`fingerprint`] of the text that was right last; older files have none.
    solved: Option<String>,
    /// Hints that were shown.
    #[serde(default)]
    hints: usize,
}

/// The current exercise, and what became of each.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    pub current: String,
    #[serde(default, rename = "exercise")]
    entries: BTreeMap<String, Entry>,
}

impl Progress {
    /// The beginning, with the first exercise.
    pub fn new(exercises: &[Exercise]) -> Progress {
        let current = exercises.first().map(|exercise| exercise.name.clone()).unwrap_or_default();
        Progress { current, entries: BTreeMap::new() }
    }

    /// Reads what [`Progress::written`] writes.
    ///
    /// # Errors
    /// One line that says where the text is none.
    pub fn read(text: &str) -> Result<Progress, String> {
        let line = |error: toml::de::Error| error.message().lines().next().unwrap_or_default().to_owned();
        toml::from_str(text).map_err(line)
    }

    pub fn written(&self) -> String {
        let entry = |entry: &Entry| {
            let stage = ("stage".to_owned(), Value::from(entry.stage.name()));
            let hints = ("hints".to_owned(), Value::from(entry.hints as i64));
            let solved = entry.solved.as_ref().map(|text| ("solved".to_owned(), Value::from(text.as_str())));
            Table::from_iter([stage, hints].into_iter().chain(solved))
        };
        let entries: Table =
            self.entries.iter().map(|(name, known)| (name.clone(), Value::Table(entry(known)))).collect();
        let current = ("current".to_owned(), Value::from(self.current.as_str()));
        Table::from_iter([current, ("exercise".to_owned(), Value::Table(entries))]).to_string()
    }

    pub fn stage(&self, name: &str) -> Stage {
        self.entries.get(name).map_or(Stage::Pending, |entry| entry.stage)
    }

    /// The number of hints that were shown.
    pub fn hints(&self, name: &str) -> usize {
        self.entries.get(name).map_or(0, |entry| entry.hints)
    }

    /// Returns true if an exercise is done, and its text is the one that was right.
    pub fn holds(&self, exercise: &Exercise, text: &str) -> bool {
        let same = |entry: &Entry| entry.solved.as_ref().is_none_or(|solved| *solved == fingerprint(text));
        self.stage(&exercise.name) == Stage::Done && self.entries.get(&exercise.name).is_some_and(same)
    }

    /// The number of exercises whose present text is one that was right.
    pub fn done(&self, exercises: &[Exercise], text: impl Fn(&Exercise) -> Option<String>) -> usize {
        let holds = |exercise: &&Exercise| text(exercise).is_some_and(|text| self.holds(exercise, &text));
        exercises.iter().filter(holds).count()
    }

    /// The word about an exercise and its present text in a list.
    pub fn said(&self, exercise: &Exercise, text: Option<&str>) -> &'static str {
        match self.stage(&exercise.name) {
            Stage::Done if !text.is_some_and(|text| self.holds(exercise, text)) => "changed",
            stage => stage.said(),
        }
    }

    /// Notes that a text is right.
    pub fn passed(&mut self, exercise: &Exercise, text: &str) {
        let entry = self.entries.entry(exercise.name.clone()).or_default();
        entry.solved = Some(fingerprint(text));
        if entry.stage == Stage::Pending {
            entry.stage = Stage::Done;
        }
    }

    /// Notes that the solution is shown. Of an exercise that is not done it is shown to those who give up.
    #[must_use]
    pub fn may_see_solution(&mut self, exercise: &Exercise, gives_up: bool) -> bool {
        if self.stage(&exercise.name) != Stage::Pending {
            return true;
        }
        if gives_up {
            self.entries.entry(exercise.name.clone()).or_default().stage = Stage::SolutionSeen;
        }
        gives_up
    }

    /// The next hint; after the last one it is told again.
    pub fn next_hint(&mut self, exercise: &Exercise) -> String {
        let entry = self.entries.entry(exercise.name.clone()).or_default();
        entry.hints = (entry.hints + 1).min(exercise.hints.len());
        match entry.hints.checked_sub(1).and_then(|last| exercise.hints.get(last)) {
            Some(hint) => format!("hint {} of {}: {hint}", entry.hints, exercise.hints.len()),
            None => "There is no hint for this one.".to_owned(),
        }
    }

    /// Goes to the next exercise that is not done, behind the current one or from the front. False at the end.
    pub fn advance(&mut self, exercises: &[Exercise]) -> bool {
        let place = exercises.iter().position(|exercise| exercise.name == self.current).unwrap_or(0);
        let mut order = exercises.iter().cycle().skip(place + 1).take(exercises.len());
        let next = order.find(|e| self.stage(&e.name) == Stage::Pending && e.name != self.current);
        next.inspect(|next| self.current.clone_from(&next.name)).is_some()
    }

    /// Forgets what became of an exercise.
    pub fn forget(&mut self, exercise: &Exercise) {
        self.entries.remove(&exercise.name);
    }
}

/// The FNV-1a hash of a text: another text has the same only by chance.
fn fingerprint(text: &str) -> String {
    let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told::built_in;

    #[test]
    fn what_is_written_is_read_as_the_same_and_other_texts_are_refused_in_a_line() -> anyhow::Result<()> {
        let exercises = built_in()?;
        let mut progress = Progress::new(&exercises);
        progress.passed(&exercises[0], "right");
        assert!(
            !progress.may_see_solution(&exercises[1], false)
                && progress.may_see_solution(&exercises[1], true)
        );
        assert!(progress.next_hint(&exercises[2]).starts_with("hint 1 of "));
        assert_eq!(Progress::read(&progress.written()), Ok(progress.clone()));
        let done = |text: &'static str| progress.done(&exercises, |_| Some(text.to_owned()));
        assert_eq!((done("right"), done("other")), (1, 0));
        let holds = |number: usize, text| progress.holds(&exercises[number], text);
        assert!(holds(0, "right") && !holds(0, "changed") && !holds(1, "right"));
        let said = |number: usize, text| progress.said(&exercises[number], text);
        assert_eq!(
            [said(0, Some("right")), said(0, Some("other")), said(0, None)],
            ["done", "changed", "changed"]
        );
        assert_eq!([said(1, Some("right")), said(2, None)], ["solution seen", ""]);
        for text in ["", "current = ", "current = 1", "current = \"a\"\nother = 1"] {
            let line = Progress::read(text).err().unwrap_or_default();
            assert!(!line.is_empty() && !line.contains('\n'), "{text}: {line}");
        }
        Ok(())
    }

    #[test]
    fn names_of_any_letters_come_back_and_files_with_a_hash_are_read() -> anyhow::Result<()> {
        let mut exercises = built_in()?;
        for name in ["a \"quoted\" name", "back\\slash", "two\nlines", "a.b", "", "é\u{7f}"] {
            exercises[0].name = name.to_owned();
            let mut progress = Progress::new(&exercises);
            progress.passed(&exercises[0], "right");
            assert_eq!(Progress::read(&progress.written()), Ok(progress.clone()), "{}", progress.written());
        }
        let old = "current = \"axpy\"\n\n[exercise.double]\nstage = \"done\"\nhash = \"00ff\"\nhints = 2\n";
        let read = Progress::read(old).map_err(anyhow::Error::msg)?;
        assert_eq!((read.stage("double"), read.hints("double")), (Stage::Done, 2));
        let exercises = built_in()?;
        assert!(read.holds(&exercises[0], "of before"), "no fingerprint");
        assert!(!read.written().contains("hash") && Progress::read(&read.written()) == Ok(read));
        Ok(())
    }

    #[test]
    fn the_next_one_is_the_next_that_is_open_and_the_last_has_none() -> anyhow::Result<()> {
        let exercises = built_in()?;
        let mut progress = Progress::new(&exercises);
        progress.passed(&exercises[1], "right");
        assert!(
            progress.advance(&exercises) && progress.current == exercises[2].name,
            "{}",
            progress.current
        );
        progress.current.clone_from(&exercises[exercises.len() - 1].name);
        assert!(
            progress.advance(&exercises) && progress.current == exercises[0].name,
            "{}",
            progress.current
        );
        exercises.iter().skip(1).for_each(|exercise| progress.passed(exercise, "right"));
        assert!(
            !progress.advance(&exercises) && progress.current == exercises[0].name,
            "{}",
            progress.current
        );
        Ok(())
    }
}
