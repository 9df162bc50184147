//! A page as the host of the exercises: the task, an editor, and what the judge says of the text 0.4 s after the last letter.
//!
//! ```text
//! lib        events, timers, and the one desk that they act on
//! desk       the exercise that is open, its text, and the judge at work
//! page       the elements of the page (`page/exercise.html`)
//! kept       progress and texts in the page's storage
//! ```
//!
//! The crate is empty on other targets than wasm32.
#![cfg(target_arch = "wasm32")]

mod desk;
mod kept;
mod page;

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::*;
use web_sys::EventTarget;

use desk::Desk;

thread_local! {
    static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) };
    /// Calls [`Desk::tick`].
    static TICK: Closure<dyn FnMut()> = Closure::new(|| act(Desk::tick));
    /// The call of it that is to come.
    static TIMER: Cell<Option<i32>> = const { Cell::new(None) };
}

/// Opens the exercise that the address names, or the one that was open last.
///
/// # Errors
/// A page without the elements that belong to it.
#[wasm_bindgen(start)]
pub fn start() -> Result<(), JsError> {
    std::panic::set_hook(Box::new(|panic| {
        web_sys::console::error_1(&panic.to_string().into());
        page::say("The page has stopped, and your text is kept: load it again to go on.");
    }));
    let desk = Desk::open().map_err(|error| JsError::new(&format!("{error:#}")))?;
    let on = |target: &EventTarget, event: &str, work: fn(&mut Desk)| {
        let call = Closure::<dyn FnMut()>::new(move || act(work));
        let heard = target.add_event_listener_with_callback(event, call.as_ref().unchecked_ref());
        // It lives as long as the page.
        call.forget();
        heard.map_err(|_| JsError::new("the page hears no events"))
    };
    on(&desk.page.text, "input", Desk::typed)?;
    on(&desk.page.which, "change", Desk::chosen)?;
    let buttons: [(&str, fn(&mut Desk)); 6] = [
        ("hint", Desk::hint),
        ("numbers", Desk::numbers),
        ("reset", Desk::reset),
        ("back", Desk::back),
        ("solution", Desk::solution),
        ("next", Desk::next),
    ];
    for (id, work) in buttons {
        on(desk.page.element(id)?.as_ref(), "click", work)?;
    }
    DESK.set(Some(desk));
    act(Desk::begin);
    Ok(())
}

/// Does that at the desk, and sets the one timer anew.
fn act(work: impl FnOnce(&mut Desk)) {
    if let Some(timer) = TIMER.take() {
        page::call_no_more(timer);
    }
    DESK.with_borrow_mut(|desk| {
        if let Some(desk) = desk {
            work(desk);
            if let Some(seconds) = desk.wait() {
                TIMER.set(page::call_after(seconds, &TICK));
            }
        }
    });
}
