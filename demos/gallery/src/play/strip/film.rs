//! The film: the passes of a scope side by side, each by the first channel of its first target.

use egui::{Align2, FontId, Rect, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use super::picture::Pictures;
use super::{Seen, passes, tree};

/// Points of a frame, and of its picture.
const FRAME: [f32; 2] = [78.0, 34.0];
const PICTURE: f32 = 52.0;

/// Shows the passes of the chosen scope; returns the one that was clicked.
pub fn show(
    ui: &mut Ui,
    seen: &Seen,
    chosen: &[String],
    open: Option<usize>,
    frames: &mut Pictures,
) -> Option<usize> {
    let mut path: Vec<&str> = Vec::new();
    let inside = seen.tree.iter().find(|branch| {
        path.truncate(branch.depth);
        path.push(&branch.name);
        path.iter().eq(chosen.iter())
    });
    let scopes = inside.map(|branch| &branch.scopes[..]);
    let trace = &*seen.trace;
    let shown: Vec<_> = passes(trace).filter(|&(_, scope, _)| is_inside(trace, scope, scopes)).collect();
    let picture = if seen.pictures { PICTURE } else { 0.0 };
    let mut clicked = None;
    let size = vec2(FRAME[0], FRAME[1] + picture);
    let side = size.x + ui.spacing().item_spacing.x;
    let area = ScrollArea::horizontal().id_salt("film").auto_shrink([false, true]);
    area.show_viewport(ui, |ui, viewport| {
        ui.set_width(side * shown.len() as f32);
        ui.set_height(size.y);
        let origin = ui.min_rect().min;
        let first = (viewport.left() / side).max(0.0) as usize;
        let many = (viewport.width() / side).ceil() as usize + 1;
        for (n, &(place, _, pass)) in shown.iter().enumerate().skip(first).take(many) {
            let at = Rect::from_min_size(pos2(origin.x + side * n as f32, origin.y), size);
            let response = ui.interact(at, ui.scope_id().with(("pass", place)), Sense::click());
            let visuals = ui.style().interact_selectable(&response, open == Some(place));
            ui.painter().rect(at, 3.0, visuals.bg_fill, visuals.bg_stroke, egui::StrokeKind::Inside);
            let name = &trace.kernels[pass.kernel].fragment.name;
            let short = name.rsplit('/').next().unwrap_or(name);
            let short = short.split(".frag").next().unwrap_or(short);
            let clip = ui.painter_at(at.shrink(3.0));
            let mut top = at.top() + 4.0;
            if let Some(&image) = pass.targets.first().filter(|_| seen.pictures) {
                let of = trace.images[image].shape;
                let scale =
                    (size.x - 8.0).min(PICTURE * of.width as f32 / of.height as f32) / of.width as f32;
                let room = vec2(of.width as f32, of.height as f32) * scale;
                let room = Rect::from_min_size(pos2(at.center().x - room.x / 2.0, top), room);
                if let Some(made) = frames.of(ui, trace, image, 0) {
                    let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                    clip.image(made.id(), room, whole, egui::Color32::WHITE);
                }
                let content = trace.images[image].content.as_ref();
                if content.is_some_and(|content| content.not_finite > 0) {
                    clip.rect_stroke(
                        room,
                        0.0,
                        Stroke::new(2.0, egui::Color32::RED),
                        egui::StrokeKind::Inside,
                    );
                }
            }
            top += picture;
            let colour = visuals.text_color();
            let line = format!("{} {short}", place + 1);
            clip.text(pos2(at.left() + 4.0, top), Align2::LEFT_TOP, line, FontId::proportional(11.0), colour);
            let time = pass
                .seconds
                .map_or_else(|| format!("{} texels", tree::short(pass.range.area() as u64)), tree::time);
            let below = pos2(at.left() + 4.0, top + 13.0);
            clip.text(
                below,
                Align2::LEFT_TOP,
                time,
                FontId::proportional(11.0),
                ui.visuals().weak_text_color(),
            );
            if response.on_hover_text(name).clicked() {
                clicked = Some(place);
            }
        }
    });
    clicked
}

/// Returns true if a scope is one of those, or inside one.
fn is_inside(trace: &quadrille::trace::Trace, scope: usize, scopes: Option<&[usize]>) -> bool {
    let Some(scopes) = scopes else { return true };
    let mut scope = scope;
    loop {
        if scopes.contains(&scope) {
            return true;
        }
        if scope == 0 {
            return false;
        }
        scope = trace.scopes[scope].parent;
    }
}
