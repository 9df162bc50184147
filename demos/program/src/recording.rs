//! The recorder of `quadrille trace`: started on the context that the traced command opens, wherever it does.

use std::cell::RefCell;

use quadrille::trace::{Recorder, Watch};
use quadrille::{Gpu, Result};

thread_local! {
    static ASKED: RefCell<Option<Watch>> = const { RefCell::new(None) };
    static UNDER_WAY: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// The next context that is opened is recorded.
pub fn ask(watch: Watch) {
    ASKED.set(Some(watch));
}

/// A context was opened: it is recorded if that was asked for.
pub fn opened(gpu: &Gpu) -> Result<()> {
    if let Some(watch) = ASKED.take() {
        UNDER_WAY.set(Some(Recorder::start(gpu, watch)?));
    }
    Ok(())
}

/// The recording of the command that has ended, if it opened a context.
pub fn over() -> Option<Recorder> {
    ASKED.set(None);
    UNDER_WAY.take()
}
