//! The tree of scopes: a line for each, with passes, texels, fetches and time.

use egui::{Align2, Color32, FontId, Sense, Ui, vec2};
use quadrille::trace::Sum;

use super::Seen;

/// Points of a column of numbers, and of the names' at least.
const COLUMN: f32 = 52.0;
const NAMES: f32 = 110.0;

/// Shows the tree. A click on a line chooses its scope.
pub fn show(ui: &mut Ui, seen: &Seen, chosen: &mut Vec<String>) {
    let whole = seen.tree.first().map_or(Sum::default(), |branch| branch.sum);
    let timed = whole.seconds > 0.0;
    let columns = match ui.available_width() {
        width if width >= NAMES + 4.0 * COLUMN => 4,
        width if width >= NAMES + 2.0 * COLUMN => 2,
        _ => 1,
    };
    let last = if timed { "time" } else { "share" };
    row(ui, "", 0, [last, "passes", "texels", "fetches"].map(str::to_owned), columns, 0.0, false);
    let mut path: Vec<&str> = Vec::new();
    for branch in &seen.tree {
        path.truncate(branch.depth);
        path.push(&branch.name);
        let sum = &branch.sum;
        let share = match timed {
            true => sum.seconds / whole.seconds,
            false => sum.texels as f64 / whole.texels.max(1) as f64,
        };
        let times = branch.scopes.len();
        let name = if times > 1 { format!("{} ×{times}", branch.name) } else { branch.name.clone() };
        let first = if timed { time(sum.seconds) } else { format!("{:.0} %", 100.0 * share) };
        let numbers = [first, sum.passes.to_string(), texels(sum), fetches(sum.fetches)];
        let is_chosen = path.iter().eq(chosen.iter()) || (chosen.is_empty() && branch.depth == 0);
        let response = row(ui, &name, branch.depth, numbers, columns, share as f32, is_chosen);
        let hover = format!(
            "{}\npasses {}\ntexels {}\nfetches {}\nbytes {}",
            path.join(" / "),
            sum.passes,
            texels(sum),
            fetches(sum.fetches),
            sum.bytes
        );
        if response.on_hover_text(hover).clicked() {
            *chosen = path.iter().map(|name| (*name).to_owned()).collect();
        }
    }
}

fn row(
    ui: &mut Ui,
    name: &str,
    depth: usize,
    numbers: [String; 4],
    columns: usize,
    share: f32,
    chosen: bool,
) -> egui::Response {
    let (place, response) = ui.allocate_exact_size(vec2(ui.available_width(), 17.0), Sense::click());
    let painter = ui.painter_at(place);
    let (font, visuals) = (FontId::proportional(12.0), ui.visuals());
    if chosen || (response.hovered() && !name.is_empty()) {
        painter.rect_filled(place, 2.0, visuals.widgets.hovered.weak_bg_fill);
    }
    let bar =
        egui::Rect::from_min_size(place.min, vec2(place.width() * share.clamp(0.0, 1.0), place.height()));
    painter.rect_filled(bar, 2.0, Color32::from_rgba_unmultiplied(90, 130, 180, 36));
    let left = place.right() - COLUMN * columns as f32;
    let at = place.left_center() + vec2(4.0 + 10.0 * depth as f32, 0.0);
    let names = ui.painter_at(egui::Rect::from_min_max(place.min, egui::pos2(left, place.bottom())));
    names.text(at, Align2::LEFT_CENTER, name, font.clone(), visuals.text_color());
    for (n, number) in numbers.iter().take(columns).enumerate() {
        let at = place.right_center() - vec2(2.0 + COLUMN * n as f32, 0.0);
        painter.text(at, Align2::RIGHT_CENTER, number, font.clone(), visuals.weak_text_color());
    }
    response
}

fn texels(sum: &Sum) -> String {
    let bound = if sum.at_most { "≤ " } else { "" };
    format!("{bound}{}", short(sum.texels))
}

/// Fetches, at least and at most.
pub fn fetches((least, most): (u64, Option<u64>)) -> String {
    match most {
        Some(most) if most == least => short(least),
        Some(most) => format!("{}-{}", short(least), short(most)),
        None => format!("≥ {}", short(least)),
    }
}

/// A count in three or four digits.
pub fn short(count: u64) -> String {
    match count as f64 {
        n if n >= 1e9 => format!("{:.1}G", n / 1e9),
        n if n >= 1e6 => format!("{:.1}M", n / 1e6),
        n if n >= 1e4 => format!("{:.1}k", n / 1e3),
        _ => count.to_string(),
    }
}

/// A time, in the unit that fits it.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.1} ms", 1e3 * s),
        s => format!("{:.0} µs", 1e6 * s),
    }
}
