//! Ctrl-C, and its like: the run ends by itself, so that nothing half-written stays behind.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::output;

/// Who waits so long wants to know for what.
const LATE: Duration = Duration::from_millis(300);

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on an interruption is only noted, and `wake` called. Without a handler it ends the program at once.
pub fn note(mut wake: impl FnMut() + Send + 'static) {
    // A second handler is refused; there is none.
    let _ = ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130); // asked twice: whatever hangs is not waited for
        }
        wake();
    });
}

/// Says what the run waits for, if it still runs after a while. For the `wake` of [`note`], which has a thread of its own.
pub fn say_if_late() {
    sleep(LATE);
    output::remark("stops after this step; Ctrl-C once more ends it at once");
}

/// Whether the run was interrupted.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Forgets an interruption that has had its effect.
pub fn forget() {
    ASKED.store(false, Ordering::Relaxed);
}
