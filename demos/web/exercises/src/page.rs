//! The elements of the page.

use quadrille_exercises::progress::Progress;
use quadrille_exercises::told::Exercise;
use wasm_bindgen::prelude::*;
use web_sys::{Document, HtmlElement, HtmlSelectElement, HtmlTextAreaElement, Window};

use crate::kept;

pub struct Page {
    pub text: HtmlTextAreaElement,
    pub which: HtmlSelectElement,
    document: Document,
}

/// The time in seconds.
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now() / 1e3)
}

/// Calls that after so many seconds; gives the timer.
pub fn call_after(seconds: f64, call: &'static std::thread::LocalKey<Closure<dyn FnMut()>>) -> Option<i32> {
    let milliseconds = (seconds * 1e3).ceil() as i32;
    let later = |window: Window| {
        call.with(|call| {
            let call = call.as_ref().unchecked_ref();
            window.set_timeout_with_callback_and_timeout_and_arguments_0(call, milliseconds).ok()
        })
    };
    web_sys::window().and_then(later)
}

/// Stops a timer.
pub fn call_no_more(timer: i32) {
    if let Some(window) = web_sys::window() {
        window.clear_timeout_with_handle(timer);
    }
}

/// Says a line below all others; an empty one takes it away.
pub fn say(line: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(said) = document.and_then(|document| document.get_element_by_id("said")) {
        said.set_text_content(Some(line));
    }
}

/// Names an exercise in the address.
pub fn show_address(name: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    // A page that was opened from a folder may be refused another address.
    let _ =
        history.map(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("?{name}"))));
}

impl Page {
    /// # Errors
    /// The page has other elements.
    pub fn new() -> Result<Page, JsError> {
        let document = web_sys::window().and_then(|window| window.document());
        let document = document.ok_or_else(|| JsError::new("there is no page"))?;
        let missing = |id| JsError::new(&format!("the page has no {id}"));
        let element = |id| document.get_element_by_id(id).ok_or_else(|| missing(id));
        let text = element("text")?.dyn_into().map_err(|_| missing("text"))?;
        let which = element("which")?.dyn_into().map_err(|_| missing("which"))?;
        Ok(Page { text, which, document })
    }

    /// # Errors
    /// There is no such element.
    pub fn element(&self, id: &str) -> Result<HtmlElement, JsError> {
        let found = self.document.get_element_by_id(id).and_then(|found| found.dyn_into().ok());
        found.ok_or_else(|| JsError::new(&format!("the page has no {id}")))
    }

    fn set(&self, id: &str, text: &str) {
        if let Ok(element) = self.element(id) {
            element.set_text_content(Some(text));
        }
    }

    /// Shows the exercises by their chapters, with a mark on those that are done, or were before they were changed.
    pub fn list(&self, exercises: &[Exercise], progress: &Progress, open: &Exercise) {
        let mut html = String::new();
        for (i, exercise) in exercises.iter().enumerate() {
            if i == 0 || exercises[i - 1].chapter != exercise.chapter {
                let close = if i == 0 { "" } else { "</optgroup>" };
                html += &format!("{close}<optgroup label=\"chapter {}\">", exercise.chapter);
            }
            let said = progress.said(exercise, Some(&kept::text(exercise)));
            let mark = if said.is_empty() { String::new() } else { format!(" ({said})") };
            let line = format!("{}: {}{mark}", exercise.name, exercise.summary);
            html += &format!("<option value=\"{}\">{}</option>", escaped(&exercise.name), escaped(&line));
        }
        self.which.set_inner_html(&html);
        self.which.set_value(&open.name);
        self.set("done", &format!("{} of {} done", kept::done(progress, exercises), exercises.len()));
    }

    /// Shows what is asked for, and the name of the file of which the editor has the text.
    pub fn task(&self, exercise: &Exercise) {
        if let Ok(task) = self.element("task") {
            task.set_inner_html(&html(&exercise.text));
        }
        self.set("file", &exercise.file());
    }

    /// Shows a text in the editor.
    pub fn edit(&self, text: &str) {
        self.text.set_value(text);
        self.number();
    }

    /// Numbers the lines: the editor is as high as its text.
    pub fn number(&self) {
        let lines = self.text.value().split('\n').count().max(4);
        self.text.set_rows(lines as u32);
        let numbers: Vec<String> = (1..=lines).map(|line| line.to_string()).collect();
        self.set("numbers-of-lines", &numbers.join("\n"));
    }

    /// Marks a line of the editor, from 1; 0 marks none.
    pub fn mark(&self, line: usize) {
        if let Ok(editor) = self.element("editor") {
            editor.set_class_name(if line > 0 { "wrong" } else { "" });
            let _ = editor.style().set_property("--line", &line.saturating_sub(1).to_string());
        }
    }

    /// Says how the text did, with a class for its colour: `solved`, `wrong`, `refused`, or `busy`.
    pub fn answer(&self, class: &str, lines: &[String]) {
        if let Ok(answer) = self.element("answer") {
            answer.set_class_name(class);
            // The old line stays until there is a new one.
            if class != "busy" || answer.text_content().is_none_or(|text| text.is_empty()) {
                answer.set_text_content(Some(&lines.join("\n")));
            }
        }
    }

    /// Shows what a button was pressed for.
    pub fn show(&self, lines: &[String]) {
        self.set("shown", &lines.join("\n"));
    }

    /// Shows the button that brings the text back which was there before the beginning.
    pub fn offer_back(&self, there: bool) {
        if let Ok(back) = self.element("back") {
            back.set_hidden(!there);
        }
    }

    pub fn name_hint(&self, shown: usize, all: usize) {
        self.set("hint", &format!("Hint {} of {all}", (shown + 1).min(all)));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The task as a page has it: a heading, paragraphs, indented lines as code, words between backticks as code.
fn html(text: &str) -> String {
    let mut html = String::new();
    for part in text.trim().split("\n\n") {
        let part = escaped(part);
        html +=
            &match (part.strip_prefix("# "), part.starts_with("    ")) {
                (Some(heading), _) => format!("<h1>{heading}</h1>"),
                (None, true) => format!("<pre>{part}</pre>"),
                (None, false) => {
                    let words = part.split('`').enumerate();
                    let words = words.map(|(i, words)| {
                        if i % 2 == 1 { format!("<code>{words}</code>") } else { words.to_owned() }
                    });
                    format!("<p>{}</p>", words.collect::<String>())
                }
            };
    }
    html
}
