//! The brush: its size, its outline, and whether its strokes are straight.

use quadrille::sim::{Outline, Tip};

/// The brush as its user has set it. Every picture of cells has one.
#[derive(Clone, Copy, Debug)]
pub struct Brush {
    /// In cells, or in voxels.
    pub radius: f32,
    /// The outline that was chosen, if any was.
    outline: Option<Outline>,
    /// A stroke is the straight line from the press to the release.
    pub straight: bool,
}

impl Brush {
    pub fn new(radius: f32) -> Brush {
        Brush { radius, outline: None, straight: false }
    }

    /// The tip, of those outlines that the demo paints with: the first of them unless another was chosen.
    pub fn tip(&self, outlines: &[Outline]) -> Tip {
        let chosen = self.outline.filter(|outline| outlines.contains(outline));
        let outline = chosen.or(outlines.first().copied()).unwrap_or_default();
        Tip { radius: self.radius, outline }
    }

    /// Paints with another outline from now on.
    pub fn choose(&mut self, outline: Outline) {
        self.outline = Some(outline);
    }
}

/// Shows the size, the outlines that there are, and the straight line where there are strokes.
#[cfg(feature = "panel")]
pub(crate) fn brush_widget(ui: &mut egui::Ui, brush: &mut Brush, outlines: &[Outline], strokes: bool) {
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = 56.0;
        ui.spacing_mut().item_spacing.x = 4.0;
        let slider = egui::Slider::new(&mut brush.radius, 1.0..=64.0).logarithmic(true).fixed_decimals(0);
        ui.add(slider.text("brush"))
            .on_hover_text("Radius in cells, or in voxels; press the mouse on the picture");
        let now = brush.tip(outlines).outline;
        for &outline in outlines.iter().filter(|_| outlines.len() > 1) {
            let (name, says) = match outline {
                Outline::Round => ("round", "A disc"),
                Outline::Square => ("square", "A square"),
                Outline::Soft => ("soft", "A disc that fades to its rim"),
            };
            if icon(ui, Sign::Of(outline), now == outline, name).on_hover_text(says).clicked() {
                brush.choose(outline);
            }
        }
        if strokes {
            let says = "Straight lines: from where the button is pressed to where it is let go";
            brush.straight ^= icon(ui, Sign::Line, brush.straight, "line").on_hover_text(says).clicked();
        }
    });
}

#[cfg(feature = "panel")]
enum Sign {
    Of(Outline),
    Line,
}

/// A button with a drawing on it.
#[cfg(feature = "panel")]
fn icon(ui: &mut egui::Ui, sign: Sign, chosen: bool, name: &str) -> egui::Response {
    use egui::{Color32, Role, Stroke, Vec2, WidgetInfo};
    let (place, response) = ui.allocate_exact_size(Vec2::splat(18.0), egui::Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, name));
    let look = ui.style().interact_selectable(&response, chosen);
    let (painter, ink, middle) = (ui.painter(), look.fg_stroke.color, place.center());
    painter.rect_filled(place, 4.0, if chosen { ui.visuals().selection.bg_fill } else { look.weak_bg_fill });
    match sign {
        Sign::Of(Outline::Round) => _ = painter.circle_filled(middle, 5.0, ink),
        Sign::Of(Outline::Square) => {
            _ = painter.rect_filled(egui::Rect::from_center_size(middle, Vec2::splat(10.0)), 0.0, ink);
        }
        Sign::Of(Outline::Soft) => {
            let faint = Color32::from_rgba_unmultiplied(ink.r(), ink.g(), ink.b(), 60);
            for radius in [6.5, 5.0, 3.5, 2.0] {
                painter.circle_filled(middle, radius, faint);
            }
        }
        Sign::Line => {
            let end = Vec2::new(5.0, -5.0);
            _ = painter.line_segment([middle - end, middle + end], Stroke::new(2.0, ink));
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_that_a_demo_has_not_is_its_first_one() {
        let mut brush = Brush::new(3.0);
        let [hard, soft] = [&[Outline::Round, Outline::Square][..], &[Outline::Soft, Outline::Square]];
        assert_eq!((brush.tip(hard).outline, brush.tip(soft).outline), (Outline::Round, Outline::Soft));
        brush.choose(Outline::Square);
        assert_eq!((brush.tip(hard).outline, brush.tip(soft).outline), (Outline::Square, Outline::Square));
        brush.choose(Outline::Soft);
        assert_eq!((brush.tip(hard).outline, brush.tip(&[]).outline), (Outline::Round, Outline::Round));
    }
}
