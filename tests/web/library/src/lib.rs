//! The tests of the library as functions of a page: how many there are, their names, and a call that runs one of them.
//!
//! The crate is empty on other targets than wasm32. `tools/wasm.sh` builds it, `run.py` serves its page and has a browser
//! run everything.
#![cfg(target_arch = "wasm32")]
#![allow(dead_code, unused)] // a test that is a plain function uses what the program around it needed

mod host;
mod own;

use std::fmt::Display;

use wasm_bindgen::prelude::*;

/// A test of a program.
struct Test {
    name: &'static str,
    ignored: bool,
    run: fn() -> Option<String>,
}

/// The outcome of a test: nothing, or the line that it failed with.
trait Outcome {
    fn line(self) -> Option<String>;
}

impl Outcome for () {
    fn line(self) -> Option<String> {
        None
    }
}

impl<E: Display> Outcome for Result<(), E> {
    fn line(self) -> Option<String> {
        self.err().map(|error| error.to_string())
    }
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

fn tests() -> Vec<Test> {
    let mut list = Vec::new();
    web_tests(&mut list);
    own::web_tests(&mut list);
    list
}

/// The names of all tests, a line each; `!` before those that are ignored unless they are asked for.
#[wasm_bindgen]
pub fn names() -> String {
    let name = |test: &Test| format!("{}{}", if test.ignored { "!" } else { "" }, test.name);
    tests().iter().map(name).collect::<Vec<_>>().join("\n")
}

/// Runs one of them. Returns the line that it failed with; a panic stops the module, and its words are in `lastPanic` of the
/// global object.
#[wasm_bindgen]
pub fn run(number: usize) -> Option<String> {
    std::panic::set_hook(Box::new(|info| {
        let global = js_sys::global();
        let _ = js_sys::Reflect::set(&global, &"lastPanic".into(), &info.to_string().into());
    }));
    match tests().get(number) {
        Some(test) => (test.run)(),
        None => Some(format!("no test {number}")),
    }
}
