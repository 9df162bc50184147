//! The letters of the panel, drawn from the fonts of egui, which are cut to the letters of the gallery (`tools/fonts.py`).
//!
//! egui asks for each letter here and opens no font of its own: what it has for all writings of the world would be a third of the page.

use ab_glyph::{Font, FontRef, GlyphId, Outline, OutlineCurve, OutlinedGlyph, PxScaleFactor, Rect, point};
use egui::epaint::text::{
    FontPriority, GlyphBitmap, GlyphRasterizer, GlyphRasterizerRequest, RasterizedGlyph,
};
use egui::{Color32, ColorImage, FontFamily, vec2};

/// Pixels of a letter's size at most.
const MOST: f32 = 512.0;
/// Letters and marks of a cluster at most.
const MOST_TOGETHER: usize = 16;
/// By how much of its size a letter stands lower than egui has it where there is no font: then it is in the middle of its row.
const LOWER: f32 = 0.14;

/// A font, and its size beside that of the others.
type Sized = (FontRef<'static>, f32);

/// The fonts of a family, the one that is asked first before the others.
fn fonts(is_code: bool) -> impl Iterator<Item = Sized> {
    let words: (&[u8], _) = (include_bytes!("../fonts/Ubuntu-Light.ttf"), 1.0);
    let code: (&[u8], _) = (include_bytes!("../fonts/Hack-Regular.ttf"), 1.0);
    let icons: (&[u8], _) = (include_bytes!("../fonts/egui-icons.ttf"), 0.9);
    let order = if is_code { [code, words, icons] } else { [words, code, icons] };
    order.into_iter().filter_map(|(bytes, size)| Some((FontRef::try_from_slice(bytes).ok()?, size)))
}

fn glyph(font: &impl Font, letter: char) -> Option<GlyphId> {
    Some(font.glyph_id(letter)).filter(|glyph| glyph.0 != 0)
}

/// The rasterizer of every letter.
pub fn drawer() -> GlyphRasterizer {
    let draw = |asked: &GlyphRasterizerRequest<'_>| {
        Some(drawn(asked.cluster, asked.family, asked.font_size_px.clamp(1.0, MOST)))
    };
    GlyphRasterizer::new("quadrille", draw).with_priority(FontPriority::Highest)
}

/// Returns true if a font has the letter.
pub fn has(letter: char) -> bool {
    fonts(false).any(|(font, _)| glyph(&font, letter).is_some())
}

/// The pixels that a letter covers which is so many pixels tall: how many, and their mean place.
pub fn ink(letter: char, size: f32) -> [f32; 3] {
    let GlyphBitmap { image, offset_px, .. } =
        drawn(letter.encode_utf8(&mut [0; 4]), &FontFamily::Proportional, size).bitmap;
    let mut sums = [0.0; 3];
    for (place, pixel) in image.pixels.iter().enumerate() {
        let [x, y] = [place % image.size[0], place / image.size[0]].map(|at| at as f32 + 0.5);
        let share = f32::from(pixel.a()) / 255.0;
        for (sum, part) in sums.iter_mut().zip([1.0, offset_px.x + x, offset_px.y + y]) {
            *sum += share * part;
        }
    }
    [sums[0], sums[1] / sums[0], sums[2] / sums[0]]
}

/// The letters of a cluster, each with its marks. One that no font has is a box.
fn drawn(cluster: &str, family: &FontFamily, size: f32) -> RasterizedGlyph {
    let is_code = *family == FontFamily::Monospace;
    let fonts: Vec<Sized> = fonts(is_code).collect();
    let (mut outlines, mut pen) = (Vec::new(), 0.0);
    let mut put = |glyph: GlyphId, outline, [horizontal, vertical]: [f32; 2], from| {
        let placed = glyph.with_scale_and_position(size, point(from, (LOWER * size).round()));
        outlines.push(OutlinedGlyph::new(placed, outline, PxScaleFactor { horizontal, vertical }));
    };
    for letter in cluster.chars().filter(|letter| !is_unseen(*letter)).take(MOST_TOGETHER) {
        let (letter, spaces) = match letter {
            '\t' => (' ', 4.0),
            '\u{2009}' | '\u{202F}' => (' ', 0.5),
            letter => (letter, 1.0),
        };
        let found = fonts.iter().find_map(|(font, size)| Some((font, size, glyph(font, letter)?)));
        let Some((font, own_size, glyph_of_letter)) = found else {
            // One box a cluster. As egui has it, a mark that no font has is not seen.
            if pen == 0.0 {
                put(GlyphId(0), boxed(size), [1.0; 2], 0.0);
                pen = (0.6 * size).round();
            }
            continue;
        };
        let unit = size * own_size / font.units_per_em().unwrap_or(1000.0);
        let mut advance = font.h_advance_unscaled(glyph_of_letter) * unit;
        if is_code {
            advance = advance.round().max(1.0);
        }
        // A mark stands over the letter before it.
        let is_mark = ('\u{300}'..='\u{36F}').contains(&letter);
        let from = if is_mark { pen - advance } else { pen };
        if let Some(outline) = font.outline(glyph_of_letter) {
            // The tops of small letters are those of pixels, which makes them sharp.
            let small = glyph(font, 'x').and_then(|x| font.outline(x));
            let top = small.map_or(1.0, |outline| outline.bounds.min.y * unit);
            put(glyph_of_letter, outline, [unit, unit * top.round().max(1.0) / top], from);
        }
        if !is_mark {
            pen += advance * spaces;
        }
    }
    RasterizedGlyph { bitmap: bitmap(&outlines), advance_px: pen }
}

/// A box, which stands for a letter that no font has: the sides of a rectangle, and of one inside of it the other way round.
fn boxed(size: f32) -> Outline {
    let edge = (size / 16.0).round().max(1.0);
    let [left, right, top] = [0.08, 0.52, 0.68].map(|part| (part * size).round());
    let [outer, inner] = [[left, right, 0.0, top], [right - edge, left + edge, edge, top - edge]];
    let sides = |[up, down, low, high]: [f32; 4]| [[up, low, high], [down, high, low]];
    let line = |[x, from, to]: [f32; 3]| OutlineCurve::Line(point(x, from), point(x, to));
    let curves = [outer, inner].into_iter().flat_map(sides).map(line).collect();
    Outline { bounds: Rect { min: point(left, top), max: point(right, 0.0) }, curves }
}

/// Letters that are there and are not seen: ends of lines, directions, joiners and choosers of variants.
fn is_unseen(letter: char) -> bool {
    letter.is_control() && letter != '\t'
        || matches!(letter, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// All outlines in one image, one pixel at least.
fn bitmap(outlines: &[OutlinedGlyph]) -> GlyphBitmap {
    let around = |a: Rect, b: Rect| Rect {
        min: point(a.min.x.min(b.min.x), a.min.y.min(b.min.y)),
        max: point(a.max.x.max(b.max.x), a.max.y.max(b.max.y)),
    };
    let bounds = outlines.iter().map(OutlinedGlyph::px_bounds).reduce(around);
    let bounds = bounds.unwrap_or(Rect { min: point(0.0, 0.0), max: point(1.0, 1.0) });
    let size = [bounds.width(), bounds.height()].map(|side| side as usize);
    let mut image = ColorImage::filled(size, Color32::TRANSPARENT);
    for outline in outlines {
        let corner = outline.px_bounds().min - bounds.min;
        outline.draw(|x, y, part| {
            let pixel = &mut image[(corner.x as usize + x as usize, corner.y as usize + y as usize)];
            let sum = f32::from(pixel.a()) + 255.0 * part;
            *pixel = Color32::from_white_alpha(sum.round() as u8);
        });
    }
    GlyphBitmap { image, offset_px: vec2(bounds.min.x, bounds.min.y), is_color: false }
}
