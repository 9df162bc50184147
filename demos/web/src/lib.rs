//! A canvas as the host of the gallery and of all its demos: the same cards, panel, keys and pictures as in a window.
//!
//! ```text
//! lib        what the page's script calls
//! outside    what it is called for: files that are saved, the clipboard, the address
//! view       the gallery, or a demo;  playing: a demo, and what one frame of it does
//! gui        egui over the canvas;  letters: those that it draws;  input: mouse, fingers and keys as egui has them
//! files      states and pictures as bytes;  host: the clock, the console
//! ```
//!
//! The crate is empty on other targets than wasm32.
#![cfg(target_arch = "wasm32")]

mod files;
mod gui;
mod host;
mod input;
mod letters;
mod outside;
mod playing;
mod view;

use quadrille_gallery::sketch;
use wasm_bindgen::prelude::*;
use web_sys::WebGl2RenderingContext;

/// All that lives in the page.
#[wasm_bindgen]
pub struct Page(view::View);

#[wasm_bindgen]
impl Page {
    /// Takes the canvas's context; `renderer` is what the browser tells of the GPU.
    ///
    /// # Errors
    /// The context lacks something that the library needs.
    #[wasm_bindgen(constructor)]
    pub fn new(context: WebGl2RenderingContext, renderer: String) -> Result<Page, JsError> {
        std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
        view::View::new(context, renderer).map(Page).map_err(thrown)
    }

    /// Opens, in the next frame, what an address says: `?demo=fluid&scene=vortices`; the gallery if it says nothing.
    pub fn open(&mut self, address: &str) {
        self.0.open(address);
    }

    /// Tells the canvas's size in pixels, and how many of them are a point.
    pub fn resize(&mut self, width: u32, height: u32, scale: f32) {
        self.0.resize([width, height], scale);
    }

    /// Tells of a pointer: phase 0 is pressed, 1 moved, 2 let go, 3 gone; modifiers are 1 for Alt, 2 Ctrl, 4 Shift, 8 Meta.
    pub fn pointer(&mut self, phase: u8, finger: Option<i32>, x: f32, y: f32, button: i16, modifiers: u8) {
        self.0.input.pointer(phase, finger, [x, y], button, modifiers);
    }

    /// Tells of the wheel, in points.
    pub fn wheel(&mut self, x: f32, y: f32, modifiers: u8) {
        self.0.input.wheel([x, y], modifiers);
    }

    /// Tells of a key by the name that browsers have for it.
    pub fn key(&mut self, name: &str, pressed: bool, repeat: bool, modifiers: u8) {
        self.0.input.key(name, pressed, repeat, modifiers);
    }

    /// Tells of text that came by another way than keys: `copy`, `cut`, `paste` or `type`.
    pub fn text(&mut self, how: &str, text: &str) {
        self.0.input.text(how, text);
    }

    /// Hands over a file that was dropped or chosen.
    pub fn file(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.file(name, bytes);
    }

    /// Hands over the picture of a demo's card.
    pub fn picture(&mut self, name: &str, bytes: &[u8]) {
        self.0.picture(name, bytes);
    }

    /// One frame; returns the seconds until the next one has to come, infinite if only an event brings it.
    ///
    /// # Errors
    /// Those of the panel; a demo's own lead back to the gallery.
    pub fn frame(&mut self) -> Result<f64, JsError> {
        self.0.frame().map_err(thrown)
    }

    /// The browser took the GPU away: all is dropped, which deletes nothing of a lost context.
    pub fn lost(self) {}

    /// The names of all demos, for tests.
    pub fn demos() -> Vec<String> {
        quadrille_gallery::list::DEMOS.iter().map(|about| about.name.to_owned()).collect()
    }

    /// The letters of a text that the fonts have not, for tests.
    pub fn lacks(text: &str) -> String {
        text.chars().filter(|letter| !letters::has(*letter)).collect()
    }

    /// The pixels that each letter of a text covers, so many pixels tall: how many, and their mean place; as JSON, for tests.
    pub fn ink(text: &str, size: f32) -> String {
        serde_json::json!(text.chars().map(|letter| letters::ink(letter, size)).collect::<Vec<_>>())
            .to_string()
    }

    /// The demo, its step and the memory that it takes, as JSON, for tests.
    pub fn report(&mut self) -> String {
        self.0.settle();
        self.0.report()
    }

    /// Pauses the demo, or lets it go on; with steps, makes as many and pauses.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn drive(&mut self, paused: bool, steps: u32) -> Result<(), JsError> {
        self.0.settle();
        self.0.drive(paused, steps.into()).map_err(thrown)
    }

    /// The text of a built-in kernel.
    ///
    /// # Errors
    /// No such kernel.
    pub fn kernel(&self, name: &str) -> Result<String, JsError> {
        Ok(sketch::built_in(name)?.to_owned())
    }

    /// Types a text in the place of a kernel, or of the file of equations.
    ///
    /// # Errors
    /// None of the demo's.
    pub fn edit(&mut self, name: &str, text: String) -> Result<(), JsError> {
        self.0.settle();
        self.0.edit(name, text).map_err(thrown)
    }

    /// The findings of the demo, as JSON, for tests.
    ///
    /// # Errors
    /// Those of reading them back.
    pub fn findings(&mut self) -> Result<String, JsError> {
        self.0.settle();
        self.0.findings().map_err(thrown)
    }

    /// The file of the demo's state.
    ///
    /// # Errors
    /// Those of reading it back.
    pub fn state(&mut self) -> Result<Vec<u8>, JsError> {
        self.0.settle();
        self.0.state().map_err(thrown)
    }
}

/// One line, as the page shows it.
fn thrown(error: anyhow::Error) -> JsError {
    JsError::new(&format!("{error:#}"))
}
