//! Progress and texts in the page's storage, which all pages of the site share: so each change begins with what is there. What the
//! storage refuses is kept as long as the page lives.

use std::cell::RefCell;
use std::collections::BTreeMap;

use quadrille_exercises::progress::Progress;
use quadrille_exercises::told::Exercise;
use web_sys::Storage;

const PROGRESS: &str = "quadrille.exercises";

thread_local! {
    /// Texts by their keys that the storage did not take.
    static REFUSED: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// The storage of the page; a browser may have none, or refuse it.
fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn read(key: &str) -> Option<String> {
    REFUSED.with_borrow(|refused| refused.get(key).cloned()).or_else(|| storage()?.get_item(key).ok()?)
}

/// Returns false if the text is kept for this page alone.
#[must_use]
fn write(key: &str, text: &str) -> bool {
    let taken = storage().is_some_and(|storage| storage.set_item(key, text).is_ok());
    REFUSED.with_borrow_mut(|refused| match taken {
        true => refused.remove(key),
        false => refused.insert(key.to_owned(), text.to_owned()),
    });
    taken
}

/// The progress that is kept; the beginning where there is none, or where it cannot be read: then it is set aside, and a line says so.
pub fn progress(exercises: &[Exercise]) -> (Progress, Option<String>) {
    let Some(text) = read(PROGRESS) else { return (Progress::new(exercises), None) };
    match Progress::read(&text) {
        Ok(progress) => (progress, None),
        Err(line) => {
            let aside = format!("{PROGRESS}.unreadable");
            let place = match write(&aside, &text) {
                true => format!("it is set aside as {aside}"),
                false => "the storage does not take it a second time".to_owned(),
            };
            let line =
                format!("The progress that is kept here cannot be read ({line}): {place}, and begins anew.");
            (Progress::new(exercises), Some(line))
        }
    }
}

/// Returns false if it is kept for this page alone.
#[must_use]
pub fn keep_progress(progress: &Progress) -> bool {
    write(PROGRESS, &progress.written())
}

fn key(exercise: &Exercise) -> String {
    format!("{PROGRESS}.{}", exercise.file())
}

/// The learner's text, or the one to start from.
pub fn text(exercise: &Exercise) -> String {
    read(&key(exercise)).unwrap_or_else(|| exercise.start.clone())
}

/// The number of exercises whose text here is one that was right.
pub fn done(progress: &Progress, exercises: &[Exercise]) -> usize {
    progress.done(exercises, |exercise| Some(text(exercise)))
}

pub fn keep_text(exercise: &Exercise, text: &str) {
    // Said already when the progress could not be kept.
    let _ = write(&key(exercise), text);
}

/// The text before the exercise was begun again.
pub fn old_text(exercise: &Exercise) -> Option<String> {
    read(&(key(exercise) + ".old"))
}

pub fn keep_old_text(exercise: &Exercise, text: &str) {
    let _ = write(&(key(exercise) + ".old"), text);
}
