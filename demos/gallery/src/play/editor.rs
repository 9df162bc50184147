//! The demo's kernels, edited while it runs.

use std::collections::BTreeMap;

use anyhow::Result;
use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, ComboBox, FontId, Panel, RichText, ScrollArea, TextEdit, TextStyle, Ui};
use quadrille::kernels;

use crate::demo::About;
use crate::sketch;

/// Seconds without a new letter, after which the kernel is compiled.
const QUIET: f64 = 0.4;

/// Behind a line with an error.
const WRONG: Color32 = Color32::from_rgb(110, 25, 25);

/// Behind a line that is marked.
const MARKED: Color32 = Color32::from_rgb(62, 52, 22);

/// Lines of a text, from 1, with a word on each for the margin.
pub type Marks = BTreeMap<u32, String>;

pub struct Editor {
    pub open: bool,
    /// The kernel that is shown, of those of the demo.
    name: &'static str,
    text: String,
    /// When the last letter was typed, if it was not compiled since.
    typed: Option<f64>,
    /// The error of the text as it is: its line, from 1, or 0, and what the driver says.
    error: Option<(u32, String)>,
    /// The texts that the picture is made by, of kernels that are not as they were built in.
    pub good: BTreeMap<String, String>,
}

impl Editor {
    /// An editor of the demo's kernels, of which those are edited already.
    pub fn new(about: &About, kernels: &[(String, String)]) -> Editor {
        let name = about.kernels.first().copied().unwrap_or_default();
        let good = kernels.iter().cloned().collect();
        let mut editor = Editor {
            open: !kernels.is_empty() || name == sketch::FILE,
            name,
            text: String::new(),
            typed: None,
            error: None,
            good,
        };
        if let Some((edited, _)) = kernels.first()
            && let Some(name) = about.kernels.iter().find(|name| *name == edited)
        {
            editor.name = name;
        }
        editor.choose(editor.name);
        editor
    }

    /// Shows that kernel, as the picture is made by it.
    fn choose(&mut self, name: &'static str) {
        let built_in = || sketch::built_in(name).unwrap_or_default().to_owned();
        self.text = self.good.get(name).cloned().unwrap_or_else(built_in);
        (self.name, self.typed, self.error) = (name, None, None);
    }

    /// Shows that kernel, and leaves it as it is if it is shown already.
    pub fn show_kernel(&mut self, name: &'static str) {
        if self.name != name {
            self.choose(name);
        }
    }

    /// Shows that kernel with that text, as if it had been typed.
    pub fn put(&mut self, name: &'static str, text: String, now: f64) {
        self.choose(name);
        (self.open, self.text, self.typed) = (true, text, Some(now - QUIET));
    }

    /// Shows the kernel on the right of `ui`, if it is open.
    pub fn show(&mut self, ui: &mut Ui, about: &About, now: f64) {
        if !self.open {
            return;
        }
        let most = (0.6 * ui.available_width()).clamp(160.0, 1200.0);
        Panel::right("kernel").default_size(430f32.min(most)).size_range(160.0..=most).show(ui, |ui| {
            ui.add_space(6.0);
            ui.horizontal_wrapped(|ui| {
                let mut chosen = self.name;
                ComboBox::from_id_salt("kernels").selected_text(chosen).show_ui(ui, |ui| {
                    for &name in about.kernels {
                        ui.selectable_value(&mut chosen, name, name);
                    }
                });
                if chosen != self.name {
                    self.choose(chosen);
                }
                self.original(ui, now);
                self.open = !ui.button("Close").clicked();
            });
            self.state(ui);
            ScrollArea::both().auto_shrink(false).show(ui, |ui| self.text(ui, now, &Marks::new()));
        });
    }

    /// A button for the text as it is built in.
    pub fn original(&mut self, ui: &mut Ui, now: f64) {
        let edited = sketch::built_in(self.name).is_ok_and(|text| text != self.text);
        if ui.add_enabled(edited, egui::Button::new("Original")).clicked() {
            self.text = sketch::built_in(self.name).unwrap_or_default().to_owned();
            self.typed = Some(now - QUIET);
        }
    }

    /// Says how the text stands.
    pub fn state(&self, ui: &mut Ui) {
        match &self.error {
            Some((_, error)) => {
                ui.label(RichText::new(error).monospace().color(ui.visuals().error_fg_color));
                ui.weak("The picture is made by the last text that compiled.");
            }
            None if self.typed.is_some() => drop(ui.weak("...")),
            None => drop(ui.weak("Compiled as you type. The run goes on where it is.")),
        }
        if self.name == sketch::FILE {
            ui.weak("Streams: old_NAME, noise, image (drop a .png). Constants: vec4 pen, float now.");
        }
    }

    /// Shows the text to be edited, with words in the margin of its lines.
    pub fn text(&mut self, ui: &mut Ui, now: f64, marks: &Marks) {
        let wrong = self.error.as_ref().map_or(0, |(line, _)| *line);
        if shown(ui, &mut self.text, wrong, marks) {
            self.typed = Some(now);
        }
    }

    /// The kernel to compile now, with its text.
    pub fn due(&mut self, now: f64) -> Option<(&'static str, String)> {
        self.typed.filter(|typed| now - typed >= QUIET)?;
        self.typed = None;
        Some((self.name, self.text.clone()))
    }

    /// Seconds until there is something to compile.
    pub fn wait(&self, now: f64) -> Option<f64> {
        self.typed.map(|typed| (typed + QUIET - now).max(0.0))
    }

    /// The picture is made by that text from now on.
    pub fn took(&mut self, name: &str, text: String) {
        self.error = None;
        match sketch::built_in(name) {
            Ok(built_in) if built_in == text => drop(self.good.remove(name)),
            _ => drop(self.good.insert(name.to_owned(), text)),
        }
    }

    /// That text was refused.
    pub fn refuse(&mut self, error: &anyhow::Error) {
        self.error = Some(match error.downcast_ref() {
            Some(quadrille::Error::Compile { line, message, others, .. }) => {
                let more = if *others > 0 { format!(" (and {others} more)") } else { String::new() };
                (*line, format!("line {line}: {message}{more}"))
            }
            Some(quadrille::Error::Declaration { line, text, expected, .. }) => {
                (*line, format!("line {line}: {text}: {expected}"))
            }
            _ => (0, format!("{error:#}")),
        });
    }

    /// The kernel that is shown.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The error of the text as it is.
    pub fn error(&self) -> Option<&str> {
        self.error.as_ref().map(|(_, error)| error.as_str())
    }

    /// Puts the edited kernels in the place of the built-in ones; all others are as they were.
    ///
    /// # Errors
    /// A name of no kernel.
    pub fn apply(&self) -> Result<()> {
        forget()?;
        for (name, text) in &self.good {
            sketch::replace(name, Some(text.clone()))?;
        }
        Ok(())
    }
}

/// Brings all built-in kernels back that were edited.
///
/// # Errors
/// None: these names are those of kernels.
pub fn forget() -> Result<()> {
    let names = kernels::ALL.iter().map(|(name, _)| *name).chain([sketch::FILE]);
    names.into_iter().try_for_each(|name| Ok(sketch::replace(name, None)?))
}

/// Shows a text in lines that do not wrap, with their numbers and the words of marks beside them; returns true if it was changed. A
/// text that cannot be changed is only read.
pub fn shown(ui: &mut Ui, text: &mut dyn egui::TextBuffer, wrong: u32, marks: &Marks) -> bool {
    let font = TextStyle::Monospace.resolve(ui.style());
    let grey = ui.visuals().text_color();
    let whole = text.as_str();
    let lines = whole.lines().count().max(1) + usize::from(whole.ends_with('\n'));
    let beside = |line: usize| match marks.get(&(line as u32)) {
        Some(mark) => format!("{mark}  {line}"),
        None => line.to_string(),
    };
    let numbers: Vec<String> = (1..=lines).map(beside).collect();
    let inside = ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mut job = coloured(&numbers.join("\n"), &font, Color32::from_gray(150), wrong, marks);
        job.halign = egui::Align::RIGHT;
        // As far down as the text's own margin.
        ui.vertical(|ui| {
            ui.add_space(2.0);
            ui.label(job);
        });
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| {
            ui.fonts_mut(|fonts| fonts.layout_job(coloured(text.as_str(), &font, grey, wrong, marks)))
        };
        let field =
            TextEdit::multiline(text).id_salt("kernel text").code_editor().desired_width(f32::INFINITY);
        ui.add(field.layouter(&mut layouter)).changed()
    });
    inside.inner
}

/// Text in lines that do not wrap, some of them marked.
fn coloured(text: &str, font: &FontId, colour: Color32, wrong: u32, marks: &Marks) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (n, line) in (1..).zip(text.split_inclusive('\n')) {
        let background = match n {
            n if n == wrong => WRONG,
            n if marks.contains_key(&n) => MARKED,
            _ => Color32::TRANSPARENT,
        };
        job.append(line, 0.0, TextFormat { background, ..TextFormat::simple(font.clone(), colour) });
    }
    job.wrap.max_width = f32::INFINITY;
    job
}
