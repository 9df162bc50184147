//! Progress and texts in the page's storage, which all pages of the site share: so each change begins with what is there.

use quadrille_exercises::progress::Progress;
use quadrille_exercises::told::Exercise;
use web_sys::Storage;

const PROGRESS: &str = "quadrille.exercises";

/// The storage of the page; a browser may have none, or refuse it.
fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn read(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Returns false if nothing is kept here.
#[must_use]
fn write(key: &str, text: &str) -> bool {
    storage().is_some_and(|storage| storage.set_item(key, text).is_ok())
}

/// The progress that is kept; the beginning where there is none, or where it cannot be read.
pub fn progress(exercises: &[Exercise]) -> Progress {
    let kept = read(PROGRESS).and_then(|text| Progress::read(&text).ok());
    kept.unwrap_or_else(|| Progress::new(exercises))
}

/// Returns false if nothing is kept here.
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
