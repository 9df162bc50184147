//! The gallery: a card for each demo, and a search.

use std::collections::BTreeMap;
use std::io::Cursor;

use egui::text::{CCursor, CCursorRange, LayoutJob};
use egui::text_edit::TextEditState;
use egui::{
    Align2, Color32, ColorImage, Event, FontId, Key, Rect, ScrollArea, Sense, Stroke, StrokeKind, TextEdit,
    TextureHandle, TextureOptions, Ui, pos2, vec2,
};

use super::overlay;
use crate::demo::About;
use crate::{equations, list};

/// The recorded pictures; `make thumbnails` makes them anew.
#[cfg(feature = "thumbnails")]
macro_rules! recorded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../thumbnails/", $name, ".png")))),*]
    };
}

#[cfg(feature = "thumbnails")]
const THUMBNAILS: &[(&str, &[u8])] = recorded![
    "reaction-diffusion",
    "sandpile",
    "wave",
    "formats",
    "wall",
    "heat",
    "branches",
    "nbody",
    "liquid",
    "fluid",
    "clouds",
    "histogram",
    "sort",
    "smooth",
];

/// Pixels of a recorded picture: its aspect is that of all of them.
const ASPECT: f32 = 140.0 / 224.0;

/// Points: the least width of a card, in a low window, and the space between two.
const LEAST: f32 = 200.0;
const SMALLEST: f32 = 100.0;
const GAP: f32 = 10.0;

/// Points below the picture of a card.
const WORDS: f32 = 92.0;

/// The gallery as it is looked at.
#[derive(Default)]
pub struct Browser {
    search: String,
    /// The card that Enter opens, of those that are found.
    chosen: usize,
    /// The arrows moved it: it has to be seen.
    moved: bool,
    /// Another search has other cards: the list begins at its top.
    is_new: bool,
    /// A demo was left: letters replace the search that found it.
    replaces: bool,
    /// Those of the cards that were seen, if they have one.
    pictures: BTreeMap<&'static str, Option<TextureHandle>>,
    /// Cards that were seen and have no picture that is packed: a host [brings](Browser::bring) it.
    pub wanted: Vec<&'static str>,
    /// The error of the demo that was left.
    pub message: Option<String>,
    /// Its host closes it, and it has no button for that.
    pub stays: bool,
    help: bool,
}

/// The choice of a user in the gallery.
#[derive(Clone, Copy)]
pub enum Choice {
    Enter(&'static About),
    Close,
}

/// The demos whose name, sentence or keywords have all words of the search; those whose names begin with it come first.
pub fn found(search: &str) -> Vec<&'static About> {
    let has = |about: &About| {
        let About { name, title, shows, keywords, .. } = about;
        let text = format!("{name} {title} {shows} {keywords}").to_lowercase();
        search.split_whitespace().all(|word| text.contains(&word.to_lowercase()))
    };
    let mut found: Vec<_> = list::all().filter(|about| has(about)).collect();
    let word = search.trim().to_lowercase();
    if !word.is_empty() {
        // Sorting is stable: the others keep the order of the list.
        found.sort_by_key(|about| (!about.name.starts_with(&word), about.equation.is_some()));
    }
    found
}

/// The heading over the first card of a group.
fn group(about: &About) -> &'static str {
    match about.equation {
        None => "Demos",
        Some(file) if equations::is_test(file) => "Equations whose solution is known: tests of the solvers",
        Some(_) => "Equations: a file each",
    }
}

/// Rows of cards, as places in `found`: each group begins a row.
fn rows(found: &[&'static About], columns: usize) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (place, about) in found.iter().enumerate() {
        let begins = place == 0 || group(found[place - 1]) != group(about);
        match rows.last_mut().filter(|row| !begins && row.len() < columns) {
            Some(row) => row.push(place),
            None => rows.push(vec![place]),
        }
    }
    rows
}

/// The card below or above one, in the nearest column that there is.
fn beside(rows: &[Vec<usize>], place: usize, down: bool) -> usize {
    let Some(row) = rows.iter().position(|row| row.contains(&place)) else { return place };
    let column = rows[row].iter().position(|&known| known == place).unwrap_or(0);
    let to = if down { rows.get(row + 1) } else { row.checked_sub(1).and_then(|row| rows.get(row)) };
    to.and_then(|to| to.get(column.min(to.len() - 1))).copied().unwrap_or(place)
}

impl Browser {
    /// Shows the gallery in all of `ui`; returns what was chosen.
    pub fn show(&mut self, ui: &mut Ui) -> Option<Choice> {
        let area = ui.available_rect_before_wrap();
        let mut choice = self.head(ui);
        self.help ^= ui.input(|input| input.key_pressed(Key::F1));
        if self.help {
            self.help = overlay::gallery_help(ui, area);
        }
        let found = found(&self.search);
        self.chosen = self.chosen.min(found.len().saturating_sub(1));
        if found.is_empty() {
            ui.add_space(20.0);
            ui.vertical_centered(|ui| ui.label("No demo has these words."));
            return choice;
        }
        let room = ui.available_width() - 20.0;
        // Where there is little height, a picture leaves room for the words below it.
        let least = LEAST.min((0.5 * ui.available_height() / ASPECT).max(SMALLEST));
        let columns = (((room + GAP) / (least + GAP)) as usize).max(1);
        let width = (room - GAP * (columns - 1) as f32) / columns as f32;
        let rows = rows(&found, columns);
        self.follow(ui, &mut choice, &found, &rows);
        let mut list = ScrollArea::vertical().auto_shrink(false);
        if std::mem::take(&mut self.is_new) {
            list = list.vertical_scroll_offset(0.0);
        }
        list.show(ui, |ui| {
            ui.set_width(room + 6.0);
            ui.spacing_mut().item_spacing = vec2(GAP, GAP);
            let mut heading = group(found[0]);
            for row in &rows {
                if group(found[row[0]]) != heading {
                    heading = group(found[row[0]]);
                    ui.add_space(GAP);
                    ui.horizontal(|ui| {
                        ui.add_space(6.0);
                        ui.strong(heading);
                    });
                }
                ui.horizontal(|ui| {
                    ui.add_space(6.0);
                    for &place in row {
                        let about = found[place];
                        if self.card(ui, about, width, place) {
                            choice = Some(Choice::Enter(about));
                        }
                    }
                });
            }
            ui.add_space(GAP);
        });
        self.moved = false;
        choice
    }

    /// The search, which has the keyboard.
    fn head(&mut self, ui: &mut Ui) -> Option<Choice> {
        let mut choice = None;
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            ui.add_space(4.0);
            ui.heading("Quadrille");
            let width = (ui.available_width() - 90.0).clamp(60.0, 320.0);
            // Before it is shown: letters of the gallery's first frame are the search's, too.
            let id = ui.scope_id().with("search");
            ui.memory_mut(|memory| memory.request_focus(id));
            if std::mem::take(&mut self.replaces) {
                let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
                let end = CCursor::new(self.search.chars().count());
                state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
                state.store(ui.ctx(), id);
            }
            let field =
                TextEdit::singleline(&mut self.search).id(id).hint_text("search").desired_width(width);
            let field = ui.add(field);
            if field.changed() {
                (self.chosen, self.is_new) = (0, true);
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.add_space(8.0);
                if !self.stays && ui.button("Close").on_hover_text("Esc").clicked() {
                    choice = Some(Choice::Close);
                }
                // A page has a button of its own.
                if let Some(about) = equations::begun(equations::NEW.name).filter(|_| !self.stays) {
                    let hover = "An equation of your own: a file of a dozen lines, edited while it runs";
                    if ui.button("New equation").on_hover_text(hover).clicked() {
                        choice = Some(Choice::Enter(about));
                    }
                }
                if ui.available_width() > 330.0 {
                    ui.weak("Enter or a click opens a demo; Esc comes back; F1: help");
                }
            });
        });
        if let Some(message) = &self.message {
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
        ui.add_space(4.0);
        choice
    }

    /// Follows the keys.
    fn follow(
        &mut self,
        ui: &Ui,
        choice: &mut Option<Choice>,
        found: &[&'static About],
        rows: &[Vec<usize>],
    ) {
        let pressed: Vec<(Key, bool)> = ui.input(|input| {
            let key = |event: &Event| match *event {
                Event::Key { key, pressed: true, repeat, .. } => Some((key, repeat)),
                _ => None,
            };
            input.events.iter().filter_map(key).collect()
        });
        for (key, repeat) in pressed {
            let last = found.len() - 1;
            let to = match key {
                Key::ArrowRight => self.chosen + 1,
                Key::ArrowLeft => self.chosen.saturating_sub(1),
                Key::ArrowDown | Key::ArrowUp => beside(rows, self.chosen, key == Key::ArrowDown),
                Key::Enter if !repeat => {
                    *choice = found.get(self.chosen).copied().map(Choice::Enter);
                    continue;
                }
                _ => continue,
            };
            (self.chosen, self.moved) = (to.min(last), true);
        }
    }

    /// A card; returns true if it was clicked.
    fn card(&mut self, ui: &mut Ui, about: &'static About, width: f32, place: usize) -> bool {
        let height = width * ASPECT;
        let (card, response) = ui.allocate_exact_size(vec2(width, height + WORDS), Sense::click());
        if self.moved && place == self.chosen {
            ui.scroll_to_rect(card, None);
        }
        if !ui.is_rect_visible(card) {
            return false;
        }
        let painter = ui.painter_at(card.expand(2.0));
        let hovered = response.hovered();
        painter.rect_filled(card, 4.0, Color32::from_gray(if hovered { 48 } else { 32 }));
        let top = Rect::from_min_size(card.min, vec2(width, height));
        let Browser { pictures, wanted, .. } = self;
        let picture = pictures.entry(about.name).or_insert_with(|| {
            let packed = packed(about.name);
            if packed.is_none() {
                wanted.push(about.name);
            }
            texture(ui.ctx(), about.name, packed?)
        });
        if let Some(picture) = picture {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            painter.image(picture.id(), top, whole, Color32::WHITE);
        }
        if hovered || place == self.chosen {
            let colour = if place == self.chosen { Color32::from_rgb(110, 190, 255) } else { Color32::GRAY };
            painter.rect_stroke(card, 4.0, Stroke::new(1.5, colour), StrokeKind::Inside);
        }
        let text = |text: &str, size: f32, grey: u8, rows: usize| {
            let font = FontId::proportional(size);
            let mut job = LayoutJob::simple(text.to_owned(), font, Color32::from_gray(grey), width - 16.0);
            job.wrap.max_rows = rows;
            painter.layout_job(job)
        };
        let mut at = pos2(card.left() + 8.0, top.bottom() + 5.0);
        let mut cut = false;
        for part in [text(about.heading(), 15.0, 240, 1), text(about.shows, 12.0, 190, 3)] {
            cut |= part.elided;
            let next = at + vec2(0.0, part.size().y + 2.0);
            painter.galley(at, part, Color32::WHITE);
            at = next;
        }
        let words = text(about.keywords, 10.5, 125, 1);
        let at = Align2::LEFT_BOTTOM.anchor_size(pos2(at.x, card.bottom() - 5.0), words.size()).min;
        painter.galley(at, words, Color32::WHITE);
        // It covers other cards: only where there is more to be read.
        let response = if cut {
            response.on_hover_text(format!("{}: {}", about.heading(), about.shows))
        } else {
            response
        };
        response.clicked()
    }

    /// Has the card of that demo chosen, and in sight, if it is among those that are found. Letters begin another search.
    pub fn choose(&mut self, name: &str) {
        self.replaces = true;
        if let Some(place) = found(&self.search).iter().position(|about| about.name == name) {
            (self.chosen, self.moved) = (place, true);
        }
    }

    /// Takes the file of a picture that was [wanted](Browser::wanted).
    pub fn bring(&mut self, context: &egui::Context, name: &str, bytes: &[u8]) {
        if let Some(picture) = self.pictures.get_mut(name) {
            *picture = texture(context, name, bytes);
        }
    }

    /// Esc: closes the help, takes the words of the search away, or closes the gallery. Returns true if it closes.
    pub fn escape(&mut self) -> bool {
        if std::mem::take(&mut self.help) {
            return false;
        }
        let closes = self.search.is_empty();
        self.search.clear();
        self.is_new |= !closes;
        closes
    }
}

/// The file of a demo's recorded picture.
#[cfg(feature = "thumbnails")]
fn packed(name: &str) -> Option<&'static [u8]> {
    let all = THUMBNAILS.iter().chain(equations::THUMBNAILS);
    all.into_iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

#[cfg(not(feature = "thumbnails"))]
fn packed(_: &str) -> Option<&'static [u8]> {
    None
}

fn texture(context: &egui::Context, name: &str, bytes: &[u8]) -> Option<TextureHandle> {
    Some(context.load_texture(name, decoded(bytes)?, TextureOptions::LINEAR))
}

fn decoded(bytes: &[u8]) -> Option<ColorImage> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    let size = [info.width as usize, info.height as usize];
    match info.color_type {
        png::ColorType::Rgba => Some(ColorImage::from_rgba_unmultiplied(size, &pixels)),
        png::ColorType::Rgb => Some(ColorImage::from_rgb(size, &pixels)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{DEMOS, named};

    #[test]
    fn a_demo_whose_name_is_typed_comes_before_those_that_have_the_word() {
        for (search, first) in [("wall", "wall"), ("Wave", "wave"), ("gray-scott ", "gray-scott.toml")] {
            assert_eq!(found(search).first().map(|about| about.name), Some(first), "{search}");
        }
        assert!(found("wall").len() > 1, "another demo has walls");
        let all: Vec<_> = list::all().map(|about| about.name).collect();
        assert_eq!(found(" ").iter().map(|about| about.name).collect::<Vec<_>>(), all);
    }

    fn pressed(key: Key) -> Event {
        Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers: egui::Modifiers::NONE }
    }

    #[test]
    fn f1_opens_the_help_and_escape_closes_it_before_it_clears_a_search() {
        let mut browser = Browser { search: "wave".to_owned(), ..Browser::default() };
        let context = egui::Context::default();
        let has_help = |browser: &mut Browser, events: Vec<Event>| {
            let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(960.0, 640.0));
            let input = egui::RawInput { events, screen_rect: Some(screen), ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| _ = browser.show(ui));
            output.textures_delta.clear();
            let is_button = |shape: &egui::epaint::ClippedShape| matches!(&shape.shape, egui::Shape::Text(text) if text.galley.text() == "Close help");
            output.shapes.iter().any(is_button)
        };
        assert!(!has_help(&mut browser, vec![]));
        has_help(&mut browser, vec![pressed(Key::F1)]);
        assert!(has_help(&mut browser, vec![]));
        assert!(!browser.escape() && browser.search == "wave");
        assert!(!has_help(&mut browser, vec![]));
        assert!(!browser.escape() && browser.search.is_empty() && browser.escape());
    }

    /// Out of sight, too: the card of the demo that was left is scrolled to.
    #[test]
    fn a_demo_that_was_left_has_its_card_chosen_and_in_sight() {
        let mut browser = Browser::default();
        let context = egui::Context::default();
        let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(460.0, 400.0));
        let last = DEMOS.len() - 1;
        browser.choose("nothing");
        assert_eq!(browser.chosen, 0);
        browser.choose(DEMOS[last].name);
        for _ in 0..90 {
            let input = egui::RawInput { screen_rect: Some(screen), ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| _ = browser.show(ui));
            output.textures_delta.clear();
        }
        assert!(browser.chosen == last && browser.pictures.contains_key(DEMOS[last].name));
    }

    #[test]
    fn letters_after_a_demo_was_left_replace_the_search_and_the_list_begins_at_its_top() {
        let mut browser = Browser::default();
        let context = egui::Context::default();
        let frame = |browser: &mut Browser, events: Vec<Event>| {
            let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(460.0, 400.0));
            let input = egui::RawInput { events, screen_rect: Some(screen), ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| _ = browser.show(ui));
            output.textures_delta.clear();
            let text = |name: &str| {
                output.shapes.iter().find_map(|clipped| match &clipped.shape {
                    egui::Shape::Text(text) if text.galley.text() == name => Some(text.pos.y),
                    _ => None,
                })
            };
            [DEMOS[0].heading(), named("sort").map_or("", |about| about.heading())].map(text)
        };
        let [at_first, _] = frame(&mut browser, vec![]);
        frame(&mut browser, vec![Event::Text("a".to_owned())]);
        browser.choose(found("a").last().map_or("", |about| about.name));
        for _ in 0..90 {
            frame(&mut browser, vec![]);
        }
        assert_eq!(frame(&mut browser, vec![])[0], None, "scrolled away");
        frame(&mut browser, vec![Event::Text("bito".to_owned())]);
        frame(&mut browser, vec![Event::Text("nic".to_owned())]);
        let seen = frame(&mut browser, vec![]);
        assert_eq!((browser.search.as_str(), seen[1]), ("bitonic", at_first));
        browser.choose("sort");
        frame(&mut browser, vec![]);
        browser.escape();
        assert_eq!(frame(&mut browser, vec![])[0], at_first);
    }

    #[test]
    fn a_search_and_enter_in_the_first_frame_open_what_was_searched() {
        let mut browser = Browser::default();
        let events = vec![Event::Text("quantum".to_owned()), pressed(Key::Enter)];
        let input = egui::RawInput { events, ..egui::RawInput::default() };
        let mut chosen = None;
        let mut output =
            egui::Context::default().run_ui(input, |ui| chosen = chosen.take().or(browser.show(ui)));
        output.textures_delta.clear();
        assert!(matches!(chosen, Some(Choice::Enter(about)) if about.name == "schrodinger.toml"));
    }

    #[cfg(feature = "thumbnails")]
    #[test]
    fn every_demo_has_a_picture_and_all_of_them_are_small() {
        let mut bytes = [0; 2];
        for about in list::all() {
            let thumbnail = packed(about.name);
            let size = thumbnail.and_then(decoded).map(|image| image.size);
            let near = |[w, h]: [usize; 2]| w.abs_diff(224) <= 2 && h.abs_diff(140) <= 2;
            assert!(size.is_some_and(near), "{}: {size:?}", about.name);
            bytes[usize::from(about.equation.is_some())] += thumbnail.map_or(0, <[u8]>::len);
        }
        assert_eq!(THUMBNAILS.len(), DEMOS.len());
        assert!(bytes[0] < 400_000 && bytes[1] < 500_000, "{bytes:?} bytes");
    }

    #[test]
    fn pictures_are_read_as_their_cards_are_seen_and_one_that_is_brought_is_shown() {
        let mut browser = Browser::default();
        let context = egui::Context::default();
        let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(460.0, 400.0));
        let input = egui::RawInput { screen_rect: Some(screen), ..egui::RawInput::default() };
        let mut output = context.run_ui(input, |ui| _ = browser.show(ui));
        output.textures_delta.clear();
        let seen: Vec<&str> = browser.pictures.keys().copied().collect();
        assert!(seen.len() >= 4 && seen.len() < list::all().count() / 2, "{seen:?}");
        let packed = cfg!(feature = "thumbnails");
        assert_eq!(browser.wanted.len(), if packed { 0 } else { seen.len() });
        assert!(browser.pictures.values().all(|picture| picture.is_some() == packed));
        let bytes = include_bytes!("../../thumbnails/sort.png");
        browser.bring(&context, seen[0], bytes);
        browser.bring(&context, "nothing", bytes);
        assert!(browser.pictures[seen[0]].is_some() && browser.pictures.len() == seen.len());
        browser.bring(&context, seen[0], b"no picture");
        assert!(browser.pictures[seen[0]].is_none());
    }

    /// The least window that is shown: a picture as high as it would hide the name of its demo.
    #[test]
    fn a_low_window_has_room_for_the_words_below_a_picture() {
        for (width, height, columns) in [(300.0, 200.0, 2), (300.0, 640.0, 1), (960.0, 640.0, 4)] {
            let mut browser = Browser::default();
            let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(width, height));
            let input = egui::RawInput { screen_rect: Some(screen), ..egui::RawInput::default() };
            let mut tops = Vec::new();
            let mut output = egui::Context::default().run_ui(input, |ui| _ = browser.show(ui));
            for shape in &output.shapes {
                if let egui::Shape::Text(text) = &shape.shape
                    && DEMOS.iter().take(4).any(|about| about.name == text.galley.text())
                {
                    tops.push(text.pos.y);
                }
            }
            output.textures_delta.clear();
            tops.retain(|top| top + 15.0 < height);
            let first = tops.iter().copied().fold(f32::INFINITY, f32::min);
            assert_eq!(
                tops.iter().filter(|top| **top == first).count(),
                columns,
                "{width} x {height}: {tops:?}"
            );
        }
    }

    #[test]
    fn arrows_lead_to_the_nearest_column_over_the_border_of_a_group() {
        let found = found("");
        let rows = rows(&found, 4);
        let demos = DEMOS.len();
        assert!(rows.iter().all(|row| row.len() <= 4 && !row.is_empty()));
        assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), found.len());
        // The last row of the demos is not full, and the equations begin a row of their own.
        assert_eq!(rows.iter().filter(|row| row.contains(&demos)).map(|row| row[0]).next(), Some(demos));
        let last = demos - 1;
        assert_eq!(beside(&rows, last, true), demos + last % 4);
        assert_eq!(beside(&rows, demos + 3, false), last.min(last / 4 * 4 + 3));
        assert_eq!(beside(&rows, 0, false), 0);
        assert_eq!(beside(&rows, found.len() - 1, true), found.len() - 1);
    }

    #[test]
    fn a_search_finds_by_all_of_its_words_in_any_order() {
        let names = |search: &str| found(search).iter().map(|about| about.name).collect::<Vec<_>>();
        assert_eq!(names("").len(), list::all().count());
        assert_eq!(names("GALAXIES"), ["nbody"]);
        assert_eq!(names("multigrid smoke box flat"), ["fluid"]);
        assert_eq!(names("water"), ["wave", "liquid", "klausmeier.toml"]);
        assert_eq!(names("quantum"), ["schrodinger.toml"]);
        assert_eq!(names("nothing-of-the-kind"), [""; 0]);
    }
}
