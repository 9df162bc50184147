//! Turns: contexts that must not be alive in two threads at once.
//!
//! llvmpipe shares one screen among all contexts of a process and looks through the command lists of each at a flush, without
//! a lock. So whoever opens a context by turns waits until those of other threads are gone; on one thread there may be
//! several. A context leaves the turn as the last thing it does, when it is no more current.

// macOS has no llvmpipe: there nobody waits.
#![cfg_attr(target_vendor = "apple", allow(dead_code))]

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::{Mutex, MutexGuard, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    static HELD: RefCell<Weak<Turn>> = const { RefCell::new(Weak::new()) };
}

/// The right to have contexts, which one thread has at a time. Its contexts share it.
pub(super) struct Turn {
    _guard: MutexGuard<'static, ()>,
}

/// Waits for the turn, unless this thread has it.
pub(super) fn take() -> Rc<Turn> {
    if let Some(turn) = HELD.with_borrow(Weak::upgrade) {
        return turn;
    }
    // A test that panicked with the turn has still given its context back.
    let turn = Rc::new(Turn { _guard: TURN.lock().unwrap_or_else(PoisonError::into_inner) });
    HELD.set(Rc::downgrade(&turn));
    turn
}
