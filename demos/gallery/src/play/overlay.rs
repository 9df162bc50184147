//! Over the picture: what to do first, help, the number under the pointer.

use egui::{
    Align2, Area, Color32, FontId, Frame, Grid, Id, Label, Order, Pos2, Rect, RichText, ScrollArea, Ui, vec2,
};

use super::Facts;
use super::keys::{CTRL_CLICK, KEYS, MOUSE};
use crate::demo::{About, Demo};

/// A line on a dark ground.
fn line(ui: &Ui, anchor: Align2, at: Pos2, text: &str, size: f32, width: f32) {
    let font = FontId::proportional(size);
    let galley = ui.painter().layout(text.to_owned(), font, Color32::WHITE, width.max(40.0));
    let place = anchor.anchor_size(at, galley.size());
    ui.painter().rect_filled(place.expand2(vec2(8.0, 4.0)), 4.0, Color32::from_black_alpha(180));
    ui.painter().galley(place.min, galley, Color32::WHITE);
}

/// Shows lines over the whole width, above the picture, right of so many points.
pub fn caption(ui: &mut Ui, lines: &[String], left: i8) {
    if lines.is_empty() {
        return;
    }
    let margin = egui::Margin { left, right: 12, top: 6, bottom: 6 };
    let frame = Frame::NONE.inner_margin(margin).fill(Color32::from_gray(18));
    egui::Panel::top("caption").resizable(false).show_separator_line(false).frame(frame).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for line in lines {
            // The monospaced letters have the signs of mathematics.
            let text = RichText::new(line).monospace().size(14.0).color(Color32::from_gray(225));
            ui.add(Label::new(text).wrap());
        }
    });
}

/// Points between the top of the picture and what to do first, and those that names at the top take.
const ABOVE: f32 = 8.0;
const NAMES: f32 = 36.0;

/// Says what to do first, below names at the top of the picture.
pub fn first(ui: &Ui, area: Rect, text: &str, mut names: impl Iterator<Item = Pos2>) {
    let covers = names.any(|at| at.y - area.top() < NAMES);
    let at = area.center_top() + vec2(0.0, if covers { NAMES } else { ABOVE });
    line(ui, Align2::CENTER_TOP, at, &format!("{text}  ·  F1: help"), 14.0, area.width() - 24.0);
}

/// Says at the top what the last button has led to, below the one that opens a folded panel.
pub fn said(ui: &Ui, area: Rect, text: &str, folded: bool) {
    let at = area.left_top() + vec2(12.0, if folded { 40.0 } else { 10.0 });
    line(ui, Align2::LEFT_TOP, at, text, 13.0, area.width() - 24.0);
}

/// Says what holds as long as it is said: why a run has ended, or begun anew. It leaves the line about what to do first below it.
pub fn notice(ui: &Ui, area: Rect, text: &str) {
    let at = area.center_bottom() - vec2(0.0, 46.0);
    line(ui, Align2::CENTER_BOTTOM, at, text, 14.0, area.width() - 24.0);
}

/// Says in the middle what is about to be done.
pub fn busy(ui: &Ui, area: Rect, text: &str) {
    line(ui, Align2::CENTER_CENTER, area.center(), text, 16.0, area.width() - 24.0);
}

/// Says which number lies under the pointer, and how to follow it where that is offered.
pub fn reading(ui: &Ui, area: Rect, text: &str, offer: bool) {
    if !text.is_empty() {
        let at = area.left_bottom() + vec2(12.0, -8.0);
        let text = format!("{text}{}", if offer { "  ·  Ctrl-click: follow it" } else { "" });
        line(ui, Align2::LEFT_BOTTOM, at, &text, 12.0, area.width() - 24.0);
    }
}

/// Shows a page over the picture, under a heading; returns false if it was closed.
fn page(ui: &Ui, area: Rect, heading: &str, content: impl FnOnce(&mut Ui)) -> bool {
    let mut open = true;
    let room = (area.size() - vec2(28.0, 28.0)).max(vec2(60.0, 40.0)).min(vec2(760.0, 2000.0));
    Area::new(Id::unique("help").with(heading))
        .order(Order::Foreground)
        .fixed_pos(area.min + vec2(8.0, 8.0))
        .default_size(room)
        .show(ui.ctx(), |ui| {
            Frame::window(ui.style()).show(ui, |ui| {
                ui.set_width(room.x);
                // Each demo's begins at its top.
                ScrollArea::vertical().id_salt(heading).max_height(room.y).show(ui, |ui| {
                    ui.set_width(room.x);
                    ui.horizontal_wrapped(|ui| {
                        ui.heading(heading);
                        open &= !ui.button("Close help").clicked();
                    });
                    content(ui);
                });
            });
        });
    open
}

/// Shows keys and what each does: two columns of them where there is room.
fn keys(ui: &mut Ui, keys: &[(&str, &str)]) {
    ui.separator();
    let columns = if ui.available_width() >= TWO_COLUMNS { 2 } else { 1 };
    let rows = keys.len().div_ceil(columns);
    let words = ui.available_width() / columns as f32 - ROOM_OF_KEY;
    // Rows that wrap have their heights from the second time on.
    let known = Id::unique("keys have been laid out");
    if ui.data(|data| data.get_temp(known)) != Some(words) {
        ui.data_mut(|data| data.insert_temp(known, words));
        ui.ctx().request_discard("the first rows of keys");
    }
    Grid::new("keys").num_columns(2 * columns).max_col_width(words.max(60.0)).show(ui, |ui| {
        for row in 0..rows {
            for (key, what) in (0..columns).filter_map(|column| keys.get(row + column * rows)) {
                ui.monospace(*key);
                ui.label(*what);
            }
            ui.end_row();
        }
    });
}

/// Points: from this width on, keys stand in two columns.
const TWO_COLUMNS: f32 = 560.0;

/// Points for the name of a key or a button, and the spaces beside it.
const ROOM_OF_KEY: f32 = 116.0;

/// Shows the help of a demo; returns false if it was closed.
pub fn help(ui: &Ui, area: Rect, about: &About, demo: &mut dyn Demo, facts: &Facts) -> bool {
    let has_cells = demo.picture().numbers().is_some_and(|numbers| numbers.are_read());
    let demo = &*demo;
    page(ui, area, about.heading(), |ui| {
        ui.label(demo.first().unwrap_or(about.first));
        ui.separator();
        ui.label(crate::panel::in_window(about.computes));
        if !about.formula.is_empty() {
            ui.add_space(4.0);
            ui.monospace(about.formula);
        }
        ui.add_space(4.0);
        let passes = facts.passes_a_step.map_or("not known yet".to_owned(), |passes| passes.to_string());
        let kernels = about.kernels.join(", ");
        ui.label(format!("Passes of the last step: {passes}. Kernels: {kernels}."));
        ui.label(format!("After: {}", about.paper));
        let of_equations = |key: &str| matches!(key, "E" | "Ctrl-S");
        let has = |key: &str| about.equation.is_some() || !of_equations(key);
        // A probe is pinned on cells; in space a demo may pick what is there.
        let words = |(key, words)| match (key == CTRL_CLICK, has_cells) {
            (true, false) => demo.picks().map(|picks| (key, picks)),
            _ => Some((key, words)),
        };
        let all = KEYS.iter().chain(MOUSE).copied().filter(|(key, _)| has(key));
        let known: Vec<_> = all.filter_map(words).collect();
        ui.separator();
        crate::panel::explain(ui, about, demo);
        keys(ui, &known);
    })
}

/// Shows the help of the gallery; returns false if it was closed.
pub fn gallery_help(ui: &Ui, area: Rect) -> bool {
    page(ui, area, "Quadrille", |ui| {
        ui.label(
            "Every card is a computation made by drawing, as it was done from 2003 to 2005, before GPUs had compute \
             shaders: an array is a texture, a step is a rectangle drawn over all of it with a program for each pixel, \
             and the picture that comes out is the next step's array.",
        );
        ui.add_space(4.0);
        ui.label(
            "Open a card, press or paint on its picture, and move what the panel offers. F1 in a demo says what is \
             computed and explains the panel; I shows each pass of a step, with its program to be edited.",
        );
        keys(
            ui,
            &[
                ("letters", "search names, sentences and keywords"),
                ("arrows", "choose a card"),
                ("Enter", "open it; so does a click"),
                ("Esc", "clear the search, then close the gallery"),
                ("F1", "this help"),
                ("drop a file", "go on from a saved state (.npz)"),
            ],
        );
    })
}
