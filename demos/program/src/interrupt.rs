//! Ctrl-C and similar signals: the run ends by itself, so that no file stays half-written.
//!
//! Parts that write no file may be ended at once (`interrupt::at_once`): reading, choosing and building do not look at
//! the flag; the thread of the signal names the part that was running and exits.
//!
//! A second Ctrl-C calls `_exit`, because exit handlers crash LLVM while it compiles. Drafts are removed by hand before
//! that.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use crate::files::atomic;
use crate::output;

/// The exit status of an interrupted run: as shells have it, 128 + SIGINT.
pub const STATUS: u8 = 130;

/// Who waits so long wants to know for what.
const LATE: Duration = Duration::from_millis(300);

static ASKED: AtomicBool = AtomicBool::new(false);

/// The work that [`at_once`] does now, if any.
static DOING: Mutex<Option<&'static str>> = Mutex::new(None);

/// From now on an interruption is only noted, and `wake` called. Without a handler it ends the program at once.
pub fn note(mut wake: impl FnMut() + Send + 'static) {
    // A second handler is refused; there is none.
    let _ = ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::Relaxed) {
            end(); // asked twice: whatever hangs is not waited for
        }
        let doing = doing(); // kept locked, so that what is done does not go on beside the end
        if let Some(doing) = *doing {
            output::complain(&format!("interrupted while {doing}: nothing was written"));
            end();
        }
        drop(doing); // what wakes may wait for a reader
        wake();
    });
}

/// The same for what looks between its `parts`, as "this step", and says at once that it has heard.
pub fn note_and_say(parts: &'static str) {
    note(move || {
        output::remark(&format!("interrupted: stops after {parts}; Ctrl-C once more ends it at once"))
    });
}

/// Ends the program here and now, from the thread of the signal. Its other threads may be compiling: handlers of the exit, which take
/// down what they work with, are not run.
fn end() -> ! {
    atomic::discard_drafts();
    #[cfg(unix)]
    signal_hook::low_level::exit(STATUS.into());
    #[cfg(not(unix))]
    std::process::exit(STATUS.into());
}

/// Does what neither writes a file nor looks whether it is to end: an interruption noted by [`note`] ends the program there and
/// then, and says what it was doing.
pub fn at_once<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    *doing() = Some(what);
    let done = work();
    *doing() = None;
    done
}

fn doing() -> MutexGuard<'static, Option<&'static str>> {
    DOING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True once the run has ended, and has the last word.
static OVER: Mutex<bool> = Mutex::new(false);

/// Says what the run waits for, if it still runs after a while. For the `wake` of [`note`], which has a thread of its own.
pub fn say_if_late() {
    sleep(LATE);
    let over = OVER.lock().unwrap_or_else(PoisonError::into_inner);
    if !*over {
        output::remark("stops after this step; Ctrl-C once more ends it at once");
    }
}

/// Nothing is said of waiting any more: the run is over, and its last line comes.
pub fn over() {
    *OVER.lock().unwrap_or_else(PoisonError::into_inner) = true;
}

/// Returns true if the run was interrupted.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// The same for what may be ended on its way.
pub fn watch() -> ControlFlow<()> {
    if asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Forgets an interruption that has had its effect.
pub fn forget() {
    ASKED.store(false, Ordering::Relaxed);
}

/// How often what waits looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does what may wait for ever, such as opening a pipe, on a thread of its own; `None` if an interruption came first. The thread
/// then waits on until the program ends.
pub fn unless_asked<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || sender.send(wait()));
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(done) => return Some(done),
            Err(RecvTimeoutError::Timeout) if !asked() => {}
            Err(_) => return None,
        }
    }
}

/// A file that would grow past its limit (`ulimit -f`) is an error of writing, and not the end of the program, which would leave
/// drafts behind. Called before there are other threads.
#[cfg(unix)]
pub fn full_files_are_errors() {
    let mut signals = nix::sys::signal::SigSet::empty();
    signals.add(nix::sys::signal::Signal::SIGXFSZ);
    let _ = signals.thread_block(); // blocked, it is only noted, and the write fails
}

/// There are no such limits.
#[cfg(not(unix))]
pub fn full_files_are_errors() {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A handler that wakes may wait for a reader: were the lock kept, what begins meanwhile would wait with it. The only handler of this
    /// binary's tests.
    #[test]
    fn what_wakes_does_not_hold_up_what_is_done_at_once() -> nix::Result<()> {
        let (sender, receiver) = channel();
        note(move || sender.send(DOING.try_lock().is_ok()).unwrap_or_default());
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGINT)?;
        let free = receiver.recv();
        forget();
        assert_eq!(free, Ok(true));
        Ok(())
    }
}
