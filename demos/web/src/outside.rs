//! Functions of the page's own script (`page/page.js`), which only that can do.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(js_namespace = page)]
extern "C" {
    /// Saves a file where the browser saves files.
    pub fn download(name: &str, bytes: &[u8]);

    /// Puts a text into the clipboard.
    pub fn copy(text: &str);

    /// Shows that address and that title; as a place of its own in the way back, or in the place of the one before.
    pub fn show_address(address: &str, title: &str, own_place: bool);

    /// Shows that title.
    pub fn show_title(title: &str);

    /// Returns the whole address of the page that has that question at its end.
    pub fn whole_address(address: &str) -> String;

    /// Takes all of the screen, or gives it back.
    pub fn full_screen();

    /// Lets the user choose a file.
    pub fn choose_file();

    /// Gives the pointer that shape; a keyboard comes where text is typed and there is only a screen.
    pub fn pointer_shape(shape: &str, types: bool);

    /// Loads the picture of a demo's card, and hands it to [`Page::picture`](crate::Page::picture).
    pub fn want_picture(name: &str);

    /// Opens another page beside this one.
    pub fn open_page(address: &str);
}
