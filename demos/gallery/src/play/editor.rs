//! The demo's kernels, or the file of its equations, edited while it runs.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::Result;
use egui::text::{LayoutJob, TextFormat};
use egui::{
    CollapsingHeader, Color32, ComboBox, FontId, Key, Modifiers, Panel, RichText, ScrollArea, Stroke,
    TextEdit, TextStyle, Ui,
};
use quadrille::kernels;
use quadrille::pde::Scheme;

use crate::demo::{About, Demo};
use crate::equations::{self, EDITED, Mistake};
use crate::sketch;

/// Seconds without a new letter, after which the text is tried.
const QUIET: f64 = 0.4;

/// Behind a line with an error.
const WRONG: Color32 = Color32::from_rgb(110, 25, 25);

/// Below the part of it that is wrong.
const UNDER: Color32 = Color32::from_rgb(255, 120, 110);

/// Behind a line that is marked.
const MARKED: Color32 = Color32::from_rgb(62, 52, 22);

/// Lines of a text, from 1, with a word on each for the margin.
pub type Marks = BTreeMap<u32, String>;

/// The place of an error in a text: its line, from 1, or 0 where none is known, and the part of the text, if that is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wrong {
    pub line: u32,
    pub part: Range<usize>,
}

pub struct Editor {
    pub open: bool,
    /// The text that is shown: a kernel, or the file.
    name: &'static str,
    text: String,
    /// When the last letter was typed, if it was not tried since.
    typed: Option<f64>,
    /// The error of the text as it is, and what is said of it.
    error: Option<(Wrong, String)>,
    /// The texts that the picture is made by, of kernels that are not as they were built in.
    pub good: BTreeMap<String, String>,
    file: Option<Edited>,
    /// The user has asked for the file to be written.
    save: bool,
    /// The name of another file, while it is typed.
    naming: Option<String>,
    /// The name that the file is to be written to, in the place of its own.
    save_as: Option<String>,
}

/// The file of the demo's equations.
struct Edited {
    name: &'static str,
    /// Its text before anybody edited it.
    original: &'static str,
    /// The text that the picture is made by.
    good: String,
    /// The text that was typed, while a kernel is shown.
    draft: Option<String>,
    /// The same file where its host keeps it, if it does.
    kept: Option<Kept>,
}

/// A file that its host writes.
struct Kept {
    /// Its text as it was read or written last, or as the user knows it to be.
    text: String,
    /// Another text that a program has written since, until the user has said which one counts.
    other: Option<String>,
}

impl Editor {
    /// An editor of the file of the demo's equations, or of its kernels, of which those are edited already.
    pub fn new(about: &About, kernels: &[(String, String)]) -> Editor {
        let file = about.equation.map(|file| Edited {
            name: file.name,
            original: equations::packed(file.name).unwrap_or(file.text),
            good: file.text.to_owned(),
            draft: None,
            kept: None,
        });
        let name = about.kernels.first().copied().unwrap_or_default();
        let is_new =
            [sketch::FILE, equations::NEW.name].contains(&file.as_ref().map_or(name, |file| file.name));
        let mut editor = Editor {
            open: !kernels.is_empty()
                || is_new
                || file.as_ref().is_some_and(|file| file.good != file.original),
            name: file.as_ref().map_or(name, |file| file.name),
            text: String::new(),
            typed: None,
            error: None,
            good: kernels.iter().cloned().collect(),
            file,
            save: false,
            naming: None,
            save_as: None,
        };
        if let Some((edited, _)) = kernels.first()
            && let Some(name) = about.kernels.iter().find(|name| *name == edited)
        {
            editor.name = name;
        }
        editor.choose(editor.name);
        editor
    }

    /// Shows that text, as the picture is made by it.
    fn choose(&mut self, name: &'static str) {
        let shown = self.name;
        if let Some(file) = self.file.as_mut().filter(|file| file.name == shown && file.kept.is_some()) {
            file.draft = Some(std::mem::take(&mut self.text)).filter(|text| !text.is_empty());
        }
        let file = self.file.as_mut().filter(|file| file.name == name);
        let own = file.map(|file| file.draft.take().unwrap_or_else(|| file.good.clone()));
        let built_in = || sketch::built_in(name).unwrap_or_default().to_owned();
        self.text = own.or_else(|| self.good.get(name).cloned()).unwrap_or_else(built_in);
        (self.name, self.typed, self.error) = (name, None, None);
    }

    /// The host keeps the file, and writes it when it is asked to: `found` is the text that it has, `None` for one that is packed.
    pub fn keep(&mut self, found: Option<String>) {
        if let Some(file) = &mut self.file {
            let packed = || equations::packed(file.name).map(str::to_owned);
            let text = found.or_else(packed).unwrap_or_else(|| file.good.clone());
            file.kept = Some(Kept { text, other: None });
        }
    }

    /// Returns true if the host keeps the file.
    pub fn is_kept(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.kept.is_some())
    }

    /// The text of the file as it was typed last.
    fn file_text(&self) -> Option<&str> {
        let file = self.file.as_ref()?;
        Some(match self.shows_file() {
            true => &self.text,
            false => file.draft.as_deref().unwrap_or(&file.good),
        })
    }

    /// Returns true if the file that the host keeps has another text than was typed.
    pub fn is_unsaved(&self) -> bool {
        let kept = self.file.as_ref().and_then(|file| file.kept.as_ref());
        kept.is_some_and(|kept| self.file_text() != Some(&kept.text))
    }

    /// The text to be written now, if the user has asked for that.
    pub fn to_save(&mut self) -> Option<String> {
        std::mem::take(&mut self.save).then(|| self.file_text().map(str::to_owned)).flatten()
    }

    /// The name of another file that the user wants the text to be written to.
    pub fn new_name(&mut self) -> Option<String> {
        self.save_as.take()
    }

    /// The file has that text now.
    pub fn saved(&mut self, text: String) {
        if let Some(file) = &mut self.file {
            file.kept = Some(Kept { text, other: None });
        }
    }

    /// Compares the text that the file has with what it was known to have. Returns true if another program has changed it, and what was
    /// typed is yet another text: the user has to say which one counts.
    pub fn is_other(&mut self, text: &str) -> bool {
        let is_typed = self.file_text() == Some(text);
        let Some(kept) = self.file.as_mut().and_then(|file| file.kept.as_mut()) else { return false };
        if is_typed {
            text.clone_into(&mut kept.text);
        }
        kept.other = (text != kept.text).then(|| text.to_owned());
        kept.other.is_some()
    }

    /// Returns true while the user is asked which of two texts counts.
    pub fn asks(&self) -> bool {
        let kept = self.file.as_ref().and_then(|file| file.kept.as_ref());
        kept.is_some_and(|kept| kept.other.is_some())
    }

    /// The file was read again, and has that text; there was no other text here that could be lost. What the demo has not taken is
    /// tried as if it had been typed, so that its mistake is marked.
    pub fn follow(&mut self, text: &str, is_taken: bool, now: f64) {
        let shown = self.shows_file();
        let Some(file) = &mut self.file else { return };
        (file.kept, file.draft) = (Some(Kept { text: text.to_owned(), other: None }), None);
        if is_taken {
            text.clone_into(&mut file.good);
        }
        if shown {
            (self.text, self.typed, self.error) = (text.to_owned(), (!is_taken).then_some(now - QUIET), None);
        } else if !is_taken {
            file.draft = Some(text.to_owned());
        }
    }

    /// Shows the file, if there is one.
    pub fn show_file(&mut self) {
        if let Some(name) = self.file.as_ref().map(|file| file.name).filter(|name| *name != self.name) {
            self.choose(name);
        }
    }

    /// Returns true if the file is shown.
    pub fn shows_file(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.name == self.name)
    }

    /// The text that is shown as it was before anybody edited it.
    fn before(&self) -> &'static str {
        match self.file.as_ref().filter(|file| file.name == self.name) {
            Some(file) => file.original,
            None => sketch::built_in(self.name).unwrap_or_default(),
        }
    }

    /// The name of that text, if it is one of the demo's.
    pub fn named(&self, about: &About, name: &str) -> Option<&'static str> {
        self.names(about).find(|known| *known == name)
    }

    /// The texts that can be chosen: the file, or the demo's kernels; and one that was opened among the passes of a step.
    fn names(&self, about: &About) -> impl Iterator<Item = &'static str> {
        let file = self.file.as_ref().map(|file| file.name);
        let kernels = if file.is_some() { &[] } else { about.kernels };
        let shown = Some(self.name).filter(|name| file != Some(*name) && !kernels.contains(name));
        file.into_iter().chain(kernels.iter().copied()).chain(shown)
    }

    /// Shows that kernel, and leaves it as it is if it is shown already.
    pub fn show_kernel(&mut self, name: &'static str) {
        if self.name != name {
            self.choose(name);
        }
    }

    /// Shows that kernel or file with that text, as if it had been typed.
    pub fn put(&mut self, name: &'static str, text: String, now: f64) {
        self.choose(name);
        (self.open, self.text, self.typed) = (true, text, Some(now - QUIET));
    }

    /// Shows the text on the right of `ui`, if it is open.
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
                    for name in self.names(about) {
                        ui.selectable_value(&mut chosen, name, name);
                    }
                });
                if chosen != self.name {
                    self.choose(chosen);
                }
                self.original(ui, now);
                self.save_buttons(ui);
                self.open = !ui.button("Close").clicked();
            });
            self.other(ui, now);
            self.state(ui);
            if self.shows_file() {
                words(ui);
            }
            ScrollArea::both().auto_shrink(false).show(ui, |ui| self.text(ui, now, &Marks::new()));
        });
    }

    /// A button for the text as it is built in.
    pub fn original(&mut self, ui: &mut Ui, now: f64) {
        let before = self.before();
        if ui.add_enabled(before != self.text, egui::Button::new("Original")).clicked() {
            before.clone_into(&mut self.text);
            self.typed = Some(now - QUIET);
        }
    }

    /// Buttons that write the file, where the host keeps one; Ctrl and S do the same as the first.
    fn save_buttons(&mut self, ui: &mut Ui) {
        let Some(file) = self.file.as_ref().filter(|file| file.kept.is_some()) else { return };
        let (name, hover) = (file.name, format!("Writes what is typed here to {}", file.name));
        let button = egui::Button::new("Save").shortcut_text("Ctrl-S");
        self.save |= ui.add_enabled(self.is_unsaved(), button).on_hover_text(hover).clicked();
        self.save |= ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::S));
        if ui.button("Save as").on_hover_text("Writes it to a file of another name").clicked() {
            self.naming = if self.naming.is_some() { None } else { Some(name.to_owned()) };
        }
        if let Some(typed) = &mut self.naming {
            let field = ui.add(TextEdit::singleline(typed).desired_width(180.0).hint_text("name.toml"));
            let enters = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if ui.button("Write").clicked() || enters {
                (self.save_as, self.save) = (self.naming.take(), true);
            }
        }
    }

    /// Says that another program has written the file, and asks which text counts.
    fn other(&mut self, ui: &mut Ui, now: f64) {
        let Some(file) = &mut self.file else { return };
        let Some(kept) = file.kept.as_mut().filter(|kept| kept.other.is_some()) else { return };
        let line =
            format!("{} has been changed by another program. What is typed here is not in it.", file.name);
        ui.label(RichText::new(line).color(ui.visuals().warn_fg_color));
        let (mut mine, mut theirs) = (false, false);
        ui.horizontal_wrapped(|ui| {
            theirs = ui.button("Load it").on_hover_text("What is typed here is lost").clicked();
            mine = ui.button("Keep this").on_hover_text("Save writes it over the other text").clicked();
        });
        if mine || theirs {
            kept.text = kept.other.take().unwrap_or_default();
        }
        if theirs {
            let (name, text) = (file.name, kept.text.clone());
            self.put(name, text, now);
        }
    }

    /// Says how the text stands.
    pub fn state(&self, ui: &mut Ui) {
        match &self.error {
            Some((_, error)) => {
                ui.label(RichText::new(error).monospace().color(ui.visuals().error_fg_color));
                ui.weak(if self.shows_file() {
                    EDITED
                } else {
                    "The picture is made by the last text that compiled."
                });
            }
            None if self.typed.is_some() => drop(ui.weak("...")),
            None if self.shows_file() => drop(ui.weak("Read as you type. Fields go on where they are.")),
            None => drop(ui.weak("Compiled as you type. The run goes on where it is.")),
        }
        if self.name == sketch::FILE {
            ui.weak("Streams: old_NAME, noise, image (drop a .png). Constants: vec4 pen, float now.");
        }
    }

    /// Shows the text to be edited, with words in the margin of its lines.
    pub fn text(&mut self, ui: &mut Ui, now: f64, marks: &Marks) {
        let wrong = self.error.as_ref().map(|(wrong, _)| wrong.clone()).unwrap_or_default();
        let wraps = self.shows_file();
        if shown(ui, &mut self.text, &wrong, marks, wraps) {
            self.typed = Some(now);
        }
    }

    /// The text to try now, with its name. One that is to be saved is tried at once: who saves it is told its mistake.
    pub fn due(&mut self, now: f64) -> Option<(&'static str, String)> {
        self.typed.filter(|typed| self.save || now - typed >= QUIET)?;
        self.typed = None;
        Some((self.name, self.text.clone()))
    }

    /// Seconds until there is something to try.
    pub fn wait(&self, now: f64) -> Option<f64> {
        self.typed.map(|typed| (typed + QUIET - now).max(0.0))
    }

    /// The picture is made by that text from now on.
    pub fn took(&mut self, name: &str, text: String) {
        self.error = None;
        if let Some(file) = self.file.as_mut().filter(|file| file.name == name) {
            file.good = text;
            return;
        }
        match sketch::built_in(name) {
            Ok(built_in) if built_in == text => drop(self.good.remove(name)),
            _ => drop(self.good.insert(name.to_owned(), text)),
        }
    }

    /// That text was refused.
    pub fn refuse(&mut self, error: &anyhow::Error) {
        let line = |line: u32, said: String| (Wrong { line, part: 0..0 }, said);
        if let Some(mistake) = error.downcast_ref::<Mistake>() {
            let wrong = Wrong { line: mistake.line, part: mistake.part.clone() };
            self.error = Some((wrong, mistake.said().to_owned()));
            return;
        }
        self.error = Some(match error.downcast_ref() {
            Some(quadrille::Error::Compile { line: at, message, others, .. }) => {
                let more = if *others > 0 { format!(" (and {others} more)") } else { String::new() };
                line(*at, format!("line {at}: {message}{more}"))
            }
            Some(quadrille::Error::Declaration { line: at, text, expected, .. }) => {
                line(*at, format!("line {at}: {text}: {expected}"))
            }
            _ => line(0, format!("{error:#}")),
        });
    }

    /// The name of the text that is shown.
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

impl super::Play {
    /// Hands the file of its equations to the demo as its user has typed it, if that is what is shown and it is time to. Returns true if
    /// it was taken: the demo has another description now. A text with a mistake is told, and all stays as it was.
    pub fn edit_file(&mut self, demo: &mut dyn Demo, now: f64) -> bool {
        if !self.editor.shows_file() {
            return false;
        }
        let Some((name, text)) = self.editor.due(now) else { return false };
        match demo.edit(&text) {
            Ok(()) => {
                self.editor.took(name, text);
                if let Some(about) = demo.about() {
                    self.describe(about);
                }
                true
            }
            Err(error) => {
                self.editor.refuse(&error);
                false
            }
        }
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

/// Shows the words of a file of equations, below a line that opens.
fn words(ui: &mut Ui) {
    CollapsingHeader::new("What may be written: operators, functions, edges, tables").show(ui, |ui| {
        let height = (0.45 * ui.available_height()).max(80.0);
        ScrollArea::vertical().id_salt("words").max_height(height).show(ui, |ui| {
            for (heading, lines) in equations::FORMULAS.iter().chain([&equations::EDGES, &equations::TABLES])
            {
                ui.strong(*heading);
                for (written, means) in *lines {
                    ui.horizontal_wrapped(|ui| {
                        ui.monospace(*written);
                        ui.weak(*means);
                    });
                }
            }
            ui.strong("Schemes: run = { scheme = \"...\" }");
            for (name, scheme) in Scheme::ALL {
                ui.horizontal_wrapped(|ui| {
                    ui.monospace(*name);
                    ui.weak(scheme.gloss());
                });
            }
        });
    });
}

/// The numbers of lines, and the words of marks, one below the other: a line that takes more rows has its number at the first.
fn numbers(text: &str, rows: &[usize], marks: &Marks) -> String {
    let lines = text.lines().count().max(1) + usize::from(text.ends_with('\n'));
    let mut all = String::new();
    for line in 1..=lines {
        if let Some(mark) = marks.get(&(line as u32)) {
            all += &format!("{mark}  ");
        }
        all += &line.to_string();
        all += &"\n".repeat(rows.get(line - 1).copied().unwrap_or(1).max(1));
    }
    all.truncate(all.trim_end_matches('\n').len());
    all
}

/// Shows a text, with the numbers of its lines and the words of marks beside them; returns true if it was changed. A text that cannot be
/// changed is only read. Lines longer than the room go on in the next row if it `wraps`.
pub fn shown(
    ui: &mut Ui,
    text: &mut dyn egui::TextBuffer,
    wrong: &Wrong,
    marks: &Marks,
    wraps: bool,
) -> bool {
    let font = TextStyle::Monospace.resolve(ui.style());
    let grey = ui.visuals().text_color();
    let digits = text.as_str().lines().count().max(10).ilog10() + 1;
    let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    // Beside the numbers, the space between and the field's own margin.
    let room = (ui.available_width() - digits as f32 * letter - 16.0).max(80.0);
    let laid_out = |ui: &Ui, text: &str| {
        let mut job = coloured(text, &font, grey, wrong, marks);
        job.wrap.max_width = if wraps { room } else { f32::INFINITY };
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    // Rows of each line.
    let mut rows = vec![0];
    for row in laid_out(ui, text.as_str()).rows.iter().filter(|_| wraps) {
        if let Some(last) = rows.last_mut() {
            *last += 1;
        }
        if row.ends_with_newline {
            rows.push(0);
        }
    }
    let numbers = numbers(text.as_str(), if wraps { &rows } else { &[] }, marks);
    let inside = ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        // The row of the line that is wrong.
        let before = rows.iter().take((wrong.line as usize).saturating_sub(1)).filter(|_| wraps);
        let more: usize = before.map(|rows| rows.saturating_sub(1)).sum();
        let line = Wrong { part: 0..0, line: wrong.line + more as u32 };
        let mut job = coloured(&numbers, &font, Color32::from_gray(150), &line, marks);
        job.halign = egui::Align::RIGHT;
        // As far down as the text's own margin.
        ui.vertical(|ui| {
            ui.add_space(2.0);
            ui.label(job);
        });
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| laid_out(ui, text.as_str());
        let field =
            TextEdit::multiline(text).id_salt("kernel text").code_editor().desired_width(f32::INFINITY);
        ui.add(field.layouter(&mut layouter)).changed()
    });
    inside.inner
}

/// Text in lines that do not wrap, some of them marked.
fn coloured(text: &str, font: &FontId, colour: Color32, wrong: &Wrong, marks: &Marks) -> LayoutJob {
    let mut job = LayoutJob::default();
    let mut start = 0;
    for (n, line) in (1..).zip(text.split_inclusive('\n')) {
        let background = match n {
            n if n == wrong.line => WRONG,
            n if marks.contains_key(&n) => MARKED,
            _ => Color32::TRANSPARENT,
        };
        let plain = TextFormat { background, ..TextFormat::simple(font.clone(), colour) };
        let under = TextFormat { underline: Stroke::new(1.5, UNDER), ..plain.clone() };
        // Letters may have moved: the text was typed on since the error was told.
        let end = line.trim_end().len();
        let part = match wrong.part.start.checked_sub(start).filter(|from| n == wrong.line && *from < end) {
            Some(from) => from..(wrong.part.end - start).clamp(from + 1, end),
            None => 0..0,
        };
        let parts = [(0..part.start, &plain), (part.clone(), &under), (part.end..line.len(), &plain)];
        match parts.iter().map(|(range, _)| line.get(range.clone())).collect::<Option<Vec<&str>>>() {
            Some(texts) => {
                let all = texts.into_iter().zip(parts).filter(|(text, _)| !text.is_empty());
                all.for_each(|(text, (_, format))| job.append(text, 0.0, format.clone()));
            }
            None => job.append(line, 0.0, plain),
        }
        start += line.len();
    }
    job.wrap.max_width = f32::INFINITY;
    job
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Context, ensure};
    use quadrille::Gpu;

    use super::*;
    use crate::address::Address;
    use crate::demo::{Request, TestHost};
    use crate::param::Values;
    use crate::picture::Touch;
    use crate::play::Play;
    use crate::state::State;

    const TEXT: &str = "grid = { size = [24, 20], length = [24, 20] }\nrun = { scheme = \"euler\", step = 0.1 }\n\
                        parameters = { k = { value = 0.5, range = [0, 1] } }\n[fields]\n\
                        u = { dt = \"lap(u) - k*u\", start = \"1 + 0.1*normal()\", edges = \"periodic\" }\n";

    /// A demo of an address, and how it is played.
    fn opened(gpu: &Gpu, address: Address) -> Result<(Play, Box<dyn Demo>)> {
        let Address { about, values, seed, kernels, .. } = address;
        let request = Request { draws: true, seed, ..Request::new(values, Rc::new(TestHost::default())) };
        let mut demo = about.begin(gpu, &Rc::new(request))?;
        let mut play = Play::new(about, demo.as_mut(), seed.unwrap_or(about.seed));
        play.editor = Editor::new(about, &kernels);
        Ok((play, demo))
    }

    /// Types a text, waits, and says whether it was taken.
    fn typed(play: &mut Play, demo: &mut dyn Demo, text: &str) -> bool {
        play.editor.text = text.to_owned();
        play.editor.typed = Some(1.0);
        let early = play.edit_file(demo, 1.0 + 0.5 * QUIET);
        play.edit_file(demo, 1.0 + 2.0 * QUIET) && !early
    }

    #[test]
    fn a_file_is_read_as_it_is_typed_and_a_mistake_leaves_the_picture() -> Result<()> {
        let gpu = Gpu::headless()?;
        let (mut play, mut demo) = opened(&gpu, Address::of_file("a.toml", TEXT)?)?;
        let demo = demo.as_mut();
        ensure!(play.editor.shows_file() && play.editor.text == TEXT && !play.editor.open);
        (0..3).try_for_each(|_| demo.step())?;
        demo.touch(Touch::Cell { x: 5.5, y: 2.5, tip: 2.0.into(), drag: Default::default() })?;
        let painted = demo.numbers()?.values;
        // A mistake has its line and its part, and changes nothing.
        ensure!(!typed(&mut play, demo, &TEXT.replace("- k*u", "- k*w")));
        let (wrong, said) = play.editor.error.clone().context("no error")?;
        ensure!(said.starts_with("a.toml:5:24: \"w\" is no field"), "{said}");
        ensure!(wrong.line == 5 && &play.editor.text[wrong.part.clone()] == "w", "{wrong:?}");
        ensure!(demo.numbers()?.values == painted && demo.caption()[0] == "∂u/∂t = ∇²u − k u");
        // A correct text goes on from the fields as they are, with all that was painted.
        let right = TEXT.replace("- k*u", "- 2*k*u");
        ensure!(typed(&mut play, demo, &right) && play.editor.error().is_none());
        ensure!(demo.numbers()?.values == painted && !demo.has_begun_anew());
        ensure!(demo.caption()[0] == "∂u/∂t = ∇²u − 2 k u");
        // Another grid begins anew.
        ensure!(typed(&mut play, demo, &right.replace("size = [24, 20]", "size = [12, 20]")));
        ensure!(demo.has_begun_anew() && demo.size().0 == "12x20");
        // As it was at first.
        ensure!(play.editor.before() == TEXT && typed(&mut play, demo, TEXT));
        ensure!(demo.size().0 == "24x20" && demo.about().and_then(|about| about.equation).is_some());
        Ok(())
    }

    /// Nothing that is typed is lost, whatever another program writes meanwhile, or which kernel is looked at.
    #[test]
    fn a_file_that_its_host_keeps_is_saved_and_asks_where_two_have_changed_it() -> Result<()> {
        let gpu = Gpu::headless()?;
        let (mut play, mut demo) = opened(&gpu, Address::of_file("a.toml", TEXT)?)?;
        ensure!(!play.editor.is_unsaved() && !play.editor.is_other("other"), "nobody keeps the file");
        play.editor.keep(None);
        ensure!(!play.editor.is_unsaved());
        let mine = TEXT.replace("- k*u", "- 2*k*u");
        ensure!(typed(&mut play, demo.as_mut(), &mine) && play.editor.is_unsaved());
        ensure!(play.editor.to_save().is_none());
        // A kernel is looked at in between.
        play.editor.show_kernel("linalg/pack.frag");
        ensure!(play.editor.is_unsaved() && !play.editor.shows_file());
        play.editor.show_file();
        ensure!(play.editor.text == mine);
        // What is saved is tried at once, and its mistake is known.
        (play.editor.text, play.editor.typed, play.editor.save) = ("nonsense".to_owned(), Some(7.0), true);
        ensure!(!play.edit_file(demo.as_mut(), 7.0) && play.editor.error().is_some());
        (play.editor.text, play.editor.typed) = (mine.clone(), Some(7.0));
        ensure!(play.edit_file(demo.as_mut(), 7.0) && play.editor.error().is_none());
        play.editor.save = true;
        ensure!(play.editor.to_save() == Some(mine.clone()) && play.editor.to_save().is_none());
        // The file is still what it was, then another program's, then by chance the same as what was typed.
        let theirs = TEXT.replace("- k*u", "- 3*k*u");
        ensure!(!play.editor.is_other(TEXT) && play.editor.is_other(&theirs) && play.editor.is_unsaved());
        ensure!(!play.editor.is_other(&mine) && !play.editor.is_unsaved());
        play.editor.saved(mine.clone());
        ensure!(!play.editor.is_unsaved() && play.editor.text == mine);
        // Nothing else was typed: the editor goes along with the file.
        demo.edit(&theirs)?;
        play.editor.follow(&theirs, true, 5.0);
        ensure!(
            play.editor.text == theirs && !play.editor.is_unsaved() && !play.edit_file(demo.as_mut(), 9.0)
        );
        play.editor.follow("nonsense", false, 6.0);
        ensure!(
            !play.edit_file(demo.as_mut(), 6.0) && play.editor.error().is_some() && !play.editor.is_unsaved()
        );
        Ok(())
    }

    /// The settings of the panel stay where the text does not change them, and the address that is shared opens the same bits.
    #[test]
    fn what_was_edited_is_shared_as_it_is_played() -> Result<()> {
        let gpu = Gpu::headless()?;
        let (mut play, mut demo) = opened(&gpu, Address::of_file("a.toml", TEXT)?)?;
        let demo = demo.as_mut();
        demo.set(
            &Values::new()
                .with("k", 0.25)
                .with("time-step", 0.05)
                .with("scheme", "rk4")
                .with("size", [30, 20]),
        )?;
        demo.has_begun_anew();
        let more = format!("{TEXT}# {}\n", "Wärme ".repeat(200));
        let more = more.replace("[24, 20], len", "[24, 22], len").replace("- k*u", "- k*u + 0.01");
        ensure!(typed(&mut play, demo, &more) && demo.size().0 == "24x22", "the file has changed its size");
        ensure!(typed(&mut play, demo, &more.replace("step = 0.1", "step = 0.1, seed = 3")));
        let values = demo.values();
        ensure!(
            values.double("time-step") == Some(0.05) && values.word("scheme") == Some("rk4"),
            "{values:?}"
        );
        demo.set(&Values::new().with("size", [30, 20]))?;
        demo.reset(play.seed)?;
        (0..4).try_for_each(|_| demo.step())?;
        let about = demo.about().context("about")?;
        let written = Address { values: demo.values(), ..Address::of(about) }.written();
        for part in ["&k=0.25", "&time_step=0.05", "&scheme=rk4", "&size=30x20", "&equation="] {
            ensure!(written.contains(part), "{written}");
        }
        let (_, mut again) = opened(&gpu, Address::read(&written)?.context("a demo")?)?;
        (0..4).try_for_each(|_| again.step())?;
        ensure!(again.numbers()?.values == demo.numbers()?.values);
        // So does its state, as a file.
        let state = crate::demo::saved(about, demo, 4)?;
        let bytes = crate::files::npz::to_bytes(&state.named())?;
        let state = State::of_named(crate::files::npz::read_from(std::io::Cursor::new(bytes))?)?;
        let of_state = Address::of_state(&state)?;
        ensure!(of_state.about.equation.map(|file| file.text) == about.equation.map(|file| file.text));
        let (_, mut again) = opened(&gpu, of_state)?;
        again.restore(&state)?;
        again.step()?;
        demo.step()?;
        ensure!(again.numbers()?.values == demo.numbers()?.values);
        Ok(())
    }

    #[test]
    fn a_line_that_takes_three_rows_has_its_number_at_the_first() {
        assert_eq!(numbers("a\nb\nc", &[1, 3, 1], &Marks::new()), "1\n2\n\n\n3");
        assert_eq!(numbers("a\nb\n", &[], &Marks::from([(2, "x".to_owned())])), "1\nx  2\n3");
        assert_eq!(numbers("", &[1], &Marks::new()), "1");
    }

    /// The part that is wrong is underlined, whatever was typed before or behind it, and nothing is lost.
    #[test]
    fn a_wrong_part_is_underlined_within_its_line() {
        let text = "first\nu = \"Wärme + q\"\nlast";
        let marked = |line: u32, part: Range<usize>| {
            let wrong = Wrong { line, part };
            let job = coloured(text, &FontId::monospace(12.0), Color32::WHITE, &wrong, &Marks::new());
            assert_eq!(job.text, text);
            let under = job.sections.iter().filter(|section| section.format.underline.width > 0.0);
            under
                .map(|section| job.text[section.byte_range.start.0..section.byte_range.end.0].to_owned())
                .collect::<Vec<_>>()
        };
        let at = text.find("q").unwrap_or(0);
        assert_eq!(marked(2, at..at + 1), ["q"]);
        assert_eq!(marked(2, at..at), ["q"]);
        assert_eq!(marked(2, at..at + 100), ["q\""]);
        assert_eq!(marked(2, 200..300), [""; 0]);
        // Half a letter has moved there, or the line is another one.
        assert_eq!(marked(2, text.find('ä').unwrap_or(0) + 1..at), [""; 0]);
        assert_eq!(marked(3, at..at + 1), [""; 0]);
        assert_eq!(marked(0, 0..0), [""; 0]);
    }
}
