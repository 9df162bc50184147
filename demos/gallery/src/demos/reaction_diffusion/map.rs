//! A map of F and k to click on, with Pearson's classes of patterns.

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Shape, Stroke, Ui, pos2, vec2};
use quadrille::sim::gray_scott::{PRESETS, Parameters, Preset};

/// The part of the plane that is shown: k to the right, F up.
const KILL: [f32; 2] = [0.04, 0.072];
const FEED: [f32; 2] = [0.0, 0.07];

/// Points, up and down.
const HEIGHT: f32 = 190.0;

/// Points around a preset that are its own.
const NEAR: f32 = 7.0;

/// A place of the map that was pressed.
pub enum Chosen {
    Preset(&'static Preset),
    Place { feed: f32, kill: f32 },
}

/// The largest k with which another uniform state than u = 1, v = 0 rests: that of (F + k)² = F/4.
pub fn last_kill(feed: f32) -> f32 {
    0.5 * feed.sqrt() - feed
}

/// Where nothing forms, in words: found by runs of 4000 and 8000 steps from squares of v on 72x72 cells, and narrower than found.
fn empty(feed: f32, kill: f32) -> Option<&'static str> {
    let past = kill - last_kill(feed);
    let most = if feed < 0.028 { 0.013 } else { 0.0095 - 0.2 * (feed - 0.04).max(0.0) };
    match past {
        past if past < -0.009 => Some("uniform: v spreads evenly, and nothing forms here"),
        past if past > most => Some("uniform: v dies out, and nothing forms here"),
        _ => None,
    }
}

/// The place in `inside` of F and k.
fn place(inside: Rect, feed: f32, kill: f32) -> Pos2 {
    let share = |value: f32, [low, high]: [f32; 2]| (value - low) / (high - low);
    let (x, y) = (share(kill, KILL), share(feed, FEED));
    pos2(inside.left() + x * inside.width(), inside.bottom() - y * inside.height())
}

/// F and k of a place in `inside`, or of the place of the map that is next to it.
fn values(inside: Rect, at: Pos2) -> (f32, f32) {
    let between = |share: f32, [low, high]: [f32; 2]| low + share.clamp(0.0, 1.0) * (high - low);
    let feed = between((inside.bottom() - at.y) / inside.height(), FEED);
    (feed, between((at.x - inside.left()) / inside.width(), KILL))
}

/// The preset there, if it is near.
fn preset_at(inside: Rect, at: Pos2) -> Option<&'static Preset> {
    let far = |preset: &Preset| place(inside, preset.parameters.feed, preset.parameters.kill).distance(at);
    PRESETS.iter().filter(|preset| far(preset) <= NEAR).min_by(|a, b| far(a).total_cmp(&far(b)))
}

fn said(preset: &Preset) -> String {
    let class = if preset.class.is_empty() { String::new() } else { format!(" ({})", preset.class) };
    format!("{}{class}: {}", preset.name, preset.shows)
}

/// Shows the map with a cross at `now`; returns what is pressed.
pub fn show(ui: &mut Ui, now: Parameters) -> Option<Chosen> {
    let (whole, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    let painter = ui.painter_at(whole);
    let inside = Rect::from_min_max(whole.min + vec2(30.0, 4.0), whole.max - vec2(6.0, 18.0));
    let (weak, strong) = (ui.visuals().weak_text_color(), ui.visuals().strong_text_color());
    painter.rect_filled(inside, 2.0, ui.visuals().extreme_bg_color);
    let text = |at, anchor, text: &str, colour| {
        painter.text(at, anchor, text, FontId::proportional(11.0), colour);
    };
    // Left of this line a second uniform state rests; patterns live on both sides of it.
    let ends: Vec<Pos2> = (0..=64)
        .map(|i| FEED[0] + (FEED[1] - FEED[0]) * i as f32 / 64.0)
        .map(|feed| (feed, last_kill(feed)))
        .filter(|(_, kill)| (KILL[0]..=KILL[1]).contains(kill))
        .map(|(feed, kill)| place(inside, feed, kill))
        .collect();
    painter.add(Shape::line(ends, Stroke::new(1.0, weak)));
    for feed in [0.02, 0.04, 0.06] {
        text(place(inside, feed, KILL[0]) - vec2(4.0, 0.0), Align2::RIGHT_CENTER, &feed.to_string(), weak);
    }
    for kill in [0.05, 0.06, 0.07] {
        text(place(inside, 0.0, kill) + vec2(0.0, 3.0), Align2::CENTER_TOP, &kill.to_string(), weak);
    }
    text(inside.left_top() + vec2(4.0, 2.0), Align2::LEFT_TOP, "F up, k to the right", weak);
    let under = response.hover_pos().and_then(|at| preset_at(inside, at));
    for preset in PRESETS {
        let at = place(inside, preset.parameters.feed, preset.parameters.kill);
        let is_under = under.is_some_and(|under| under.name == preset.name);
        painter.circle_filled(at, if is_under { 4.0 } else { 2.5 }, Color32::from_rgb(255, 150, 90));
        if is_under {
            let (side, anchor) = match at.x > inside.center().x {
                true => (-7.0, Align2::RIGHT_CENTER),
                false => (7.0, Align2::LEFT_CENTER),
            };
            text(at + vec2(side, 0.0), anchor, preset.name, strong);
        }
    }
    let cross = place(inside, now.feed, now.kill);
    if inside.expand(1.0).contains(cross) {
        let stroke = Stroke::new(1.5, strong);
        painter.line_segment([cross - vec2(6.0, 0.0), cross + vec2(6.0, 0.0)], stroke);
        painter.line_segment([cross - vec2(0.0, 6.0), cross + vec2(0.0, 6.0)], stroke);
    }
    // Always a line, so that nothing below it jumps.
    let at = response.hover_pos().filter(|at| inside.contains(*at));
    let of_now = || PRESETS.iter().find(|preset| preset.parameters == now);
    let words = match (under, at) {
        (Some(preset), _) => Some(said(preset)),
        (None, Some(at)) => {
            let (feed, kill) = values(inside, at);
            empty(feed, kill).map(str::to_owned).or_else(|| of_now().map(said))
        }
        (None, None) => of_now().map(said).or_else(|| empty(now.feed, now.kill).map(str::to_owned)),
    };
    ui.weak(words.unwrap_or_else(|| "press or drag on the map".to_owned()));
    ui.weak("Left of the grey curve v can also rest, spread evenly; right of it only as a pattern. Patterns live near it.");
    let pressed = response.clicked() || response.dragged();
    let at = response.interact_pointer_pos().filter(|_| pressed)?;
    Some(match preset_at(inside, at) {
        Some(preset) => Chosen::Preset(preset),
        None => {
            let (feed, kill) = values(inside, at);
            Chosen::Place { feed, kill }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: Rect = Rect { min: pos2(30.0, 4.0), max: pos2(230.0, 170.0) };

    #[test]
    fn a_place_of_the_map_has_the_values_that_lead_to_it() {
        for (feed, kill) in [(0.0, 0.04), (0.037, 0.06), (0.07, 0.072)] {
            let (f, k) = values(INSIDE, place(INSIDE, feed, kill));
            assert!((f - feed).abs() < 1e-6 && (k - kill).abs() < 1e-6, "{f} {k}");
        }
        assert_eq!(values(INSIDE, pos2(-9.0, 900.0)), (FEED[0], KILL[0]), "the nearest place of the map");
        assert_eq!(values(INSIDE, pos2(900.0, -9.0)), (FEED[1], KILL[1]));
    }

    #[test]
    fn every_preset_is_on_the_map_and_found_at_its_place() {
        for preset in PRESETS {
            let Parameters { feed, kill, .. } = preset.parameters;
            let at = place(INSIDE, feed, kill);
            assert!(INSIDE.contains(at), "{}", preset.name);
            assert_eq!(empty(feed, kill), None, "{}", preset.name);
            assert_eq!(preset_at(INSIDE, at).map(|found| found.name), Some(preset.name));
        }
        assert!(preset_at(INSIDE, INSIDE.left_top()).is_none());
    }

    /// u = 1/2 and v = F / (2 (F + k)) rest on that line: u v² = (F + k) v and u v² = F (1 − u).
    #[test]
    fn on_the_line_one_state_besides_the_empty_one_rests() {
        for feed in [0.01f32, 0.03, 0.06] {
            let kill = last_kill(feed);
            let (u, v) = (0.5, feed / (2.0 * (feed + kill)));
            assert!(
                (u * v * v - (feed + kill) * v).abs() < 1e-6 && (u * v * v - feed * (1.0 - u)).abs() < 1e-6
            );
        }
    }
}
