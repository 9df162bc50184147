//! A film strip: the passes of a run in a row, each between what it reads and what it writes, as a picture (SVG).

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::export::base64;
use super::image::{Content, Image};
use super::{Pass, Trace, What};
use crate::{Error, Result};

/// The most passes of a strip: more are no picture.
pub const STRIP: usize = 64;

/// Viridis at its quarters, as in the page.
const MAP: [[f64; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];
/// Colours of a picture; the one behind them is for what is not finite.
const COLOURS: u8 = 48;
const NOT_FINITE: [u8; 3] = [221, 51, 51];
/// Rims of frames: one colour for each storage, so that two buffers in turn are seen.
const RIMS: [&str; 6] = ["#2a6f97", "#c8553d", "#588157", "#7b2cbf", "#b08900", "#6c757d"];

/// Width of the whole, the longest side of a picture, and the gap between parts.
const WIDTH: f64 = 740.0;
const SIDE: f64 = 112.0;
const GAP: f64 = 10.0;
/// Letters of 11 pixels: their width, and the height of a line.
const LETTER: f64 = 6.2;
const LINE: f64 = 14.0;
/// Textures of at most so many columns and lines of numbers, and so many numbers in all, are written as tables.
const NUMBERS: [usize; 3] = [16, 12, 48];
/// The most textures from before the strip that one pass brings into it; others are counted, there and wherever they are read.
const BROUGHT: usize = 2;

/// A part of the strip: a texture, or the arrow of a pass.
struct Part {
    width: f64,
    height: f64,
    /// SVG around (0, 0), the top left corner.
    drawing: String,
    /// An arrow stands on a line with what it leads to.
    arrow: bool,
}

impl Trace {
    /// The passes of the first scope of that name, or of the whole run, as a picture in SVG. Each texture stands once, with its
    /// number, name and size: small ones as tables of their numbers, row 0 on top; others as pictures of their first channel
    /// from its least number to its greatest, row 0 at the bottom. An arrow is a pass, with its kernel above and the
    /// numbers of the textures that it reads below. Rims of one colour are one storage.
    ///
    /// # Errors
    /// [`Error::BadParameter`] if no scope has that name, or if it has no pass or more than [`STRIP`].
    pub fn strip(&self, scope: Option<&str>) -> Result<String> {
        let bad = |name, found: String, expected: String| Err(Error::BadParameter { name, found, expected });
        let root = match scope {
            None => 0,
            Some(name) => match self.scopes.iter().position(|scope| scope.name == name) {
                Some(root) => root,
                None => {
                    let mut names: Vec<&str> = self.scopes.iter().map(|scope| &*scope.name).collect();
                    names.sort_unstable();
                    names.dedup();
                    return bad("scope", format!("{name:?}"), format!("one of {}", names.join(", ")));
                }
            },
        };
        let passes: Vec<&Pass> = self
            .steps
            .iter()
            .filter(|step| self.lies_in(step.scope, root))
            .filter_map(|step| if let What::Pass(pass) = &step.what { Some(&**pass) } else { None })
            .collect();
        if !(1..=STRIP).contains(&passes.len()) {
            let most = format!("1 to {STRIP} passes: a scope, or fewer of them");
            return bad("strip", format!("{} passes", passes.len()), most);
        }
        Ok(laid_out(&self.parts(&passes)))
    }

    fn lies_in(&self, mut scope: usize, root: usize) -> bool {
        while scope != root {
            if scope == 0 {
                return false;
            }
            scope = self.scopes[scope].parent;
        }
        true
    }

    fn parts(&self, passes: &[&Pass]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut storages: Vec<u64> = Vec::new();
        let mut hidden: HashSet<usize> = HashSet::new();
        for pass in passes {
            let seen = &self.kernels[pass.kernel];
            let mut show =
                |numbers: &mut HashMap<usize, usize>, parts: &mut Vec<Part>, image: usize, name: &str| {
                    let next = numbers.len() + 1;
                    *numbers.entry(image).or_insert_with(|| {
                        let found = &self.images[image];
                        let storage = storages.iter().position(|known| *known == found.storage);
                        let storage = storage.unwrap_or_else(|| {
                            storages.push(found.storage);
                            storages.len() - 1
                        });
                        parts.push(frame(found, next, name, RIMS[storage % RIMS.len()]));
                        next
                    })
                };
            let (mut reads, mut brought, mut more) = (Vec::new(), 0, 0);
            for (name, stream) in seen.streams.iter().zip(&pass.streams) {
                let Some((image, _)) = stream else { continue };
                let is_new = !numbers.contains_key(image) && !hidden.contains(image);
                brought += usize::from(is_new);
                if hidden.contains(image) || (is_new && brought > BROUGHT) {
                    hidden.insert(*image);
                    more += 1;
                    continue;
                }
                let number = show(&mut numbers, &mut parts, *image, name);
                if !reads.contains(&number) {
                    reads.push(number);
                }
            }
            parts.push(arrow(&seen.fragment.name, &reads, more));
            for (target, name) in pass.targets.iter().zip(&seen.outputs) {
                show(&mut numbers, &mut parts, *target, name);
            }
        }
        parts
    }
}

/// A kernel over an arrow, and what it reads below.
fn arrow(kernel: &str, reads: &[usize], more: usize) -> Part {
    // The folder and the file: `solution.frag` alone says little.
    let mut words = kernel.rsplit(['/', '\\']);
    let file = words.next().unwrap_or_default();
    let folder = words.next().map(|folder| format!("{folder}/"));
    let reads: Vec<String> = reads.iter().map(ToString::to_string).collect();
    let below = match more {
        0 if reads.is_empty() => "reads nothing".to_owned(),
        0 => format!("of {}", reads.join(", ")),
        more if reads.is_empty() => format!("of {more} more"),
        more => format!("of {} and {more} more", reads.join(", ")),
    };
    let letters = file.len().max(folder.as_ref().map_or(0, String::len)).max(below.len());
    let width = (LETTER * letters as f64).max(40.0);
    let (middle, at) = (width / 2.0, 2.0 * LINE + 4.0);
    let mut drawing = String::new();
    text(&mut drawing, middle, LINE - 3.0, "k", folder.as_deref().unwrap_or_default());
    text(&mut drawing, middle, 2.0 * LINE - 3.0, "k", file);
    let (tip, neck) = (width - 2.0, width - 9.0);
    let _ = write!(
        drawing,
        r#"<path class="a" d="M2 {at}H{tip}M{neck} {}L{tip} {at}L{neck} {}"/>"#,
        at - 5.0,
        at + 5.0
    );
    text(&mut drawing, middle, at + LINE, "q", &below);
    Part { width, height: at + LINE + 4.0, drawing, arrow: true }
}

/// A texture: its picture or its numbers, and below them its number, name, size and range.
fn frame(image: &Image, number: usize, name: &str, rim: &str) -> Part {
    let (columns, rows) = (image.shape.width, image.shape.height);
    let mut drawing = String::new();
    let mut range = String::new();
    let (width, height) = match &image.content {
        Some(Content { values: Some(values), ranges, .. })
            if columns as usize <= NUMBERS[0]
                && rows as usize * image.shape.format.components() <= NUMBERS[1]
                && values.len() <= NUMBERS[2] =>
        {
            table(&mut drawing, (columns, rows), image.shape.format.components(), values, ranges)
        }
        Some(content) => {
            if let Some((least, most)) = content.ranges.first().filter(|(least, most)| least <= most) {
                range = format!("{} … {}", short(*least), short(*most));
            }
            picture(&mut drawing, (columns, rows), image.shape.format.components(), content)
        }
        None => (SIDE, SIDE / 2.0),
    };
    let _ = write!(drawing, r#"<rect class="r" width="{width}" height="{height}" stroke="{rim}"/>"#);
    let lines = [format!("{number}: {name}"), format!("{columns} × {rows}"), range];
    let letters = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let whole = width.max(LETTER * letters as f64);
    let moved = (whole - width) / 2.0;
    let mut drawing = format!(r#"<g transform="translate({moved:.1} 0)">{drawing}</g>"#);
    let mut below = height;
    for (line, class) in lines.iter().zip(["n", "q", "q"]).filter(|(line, _)| !line.is_empty()) {
        below += LINE;
        text(&mut drawing, whole / 2.0, below, class, line);
    }
    Part { width: whole, height: below + 4.0, drawing, arrow: false }
}

/// A cell for each texel with its numbers, one below the other, row 0 on top.
fn table(
    drawing: &mut String,
    (columns, rows): (u32, u32),
    channels: usize,
    values: &[f32],
    ranges: &[(f32, f32)],
) -> (f64, f64) {
    let words: Vec<String> = values.iter().map(|value| short(*value)).collect();
    let letters = words.iter().map(|word| word.chars().count()).max().unwrap_or(1);
    let wide = (LETTER * letters as f64 + 8.0).max(22.0);
    let high = LINE * channels as f64 + 6.0;
    let (least, most) = ranges.first().copied().unwrap_or_default();
    for (at, (texel, words)) in values.chunks(channels).zip(words.chunks(channels)).enumerate() {
        let (x, y) = ((at as u32 % columns) as f64 * wide, (at as u32 / columns) as f64 * high);
        let span = f64::from(most) - f64::from(least);
        let share = if span > 0.0 { (f64::from(texel[0]) - f64::from(least)) / span } else { 0.5 };
        let [r, g, b] = if texel[0].is_finite() { colour(share) } else { NOT_FINITE };
        let light = 0.3 * f64::from(r) + 0.59 * f64::from(g) + 0.11 * f64::from(b) > 120.0;
        let _ = write!(
            drawing,
            r##"<rect x="{x:.1}" y="{y:.1}" width="{wide:.1}" height="{high:.1}" fill="#{r:02x}{g:02x}{b:02x}"/>"##
        );
        for (line, word) in words.iter().enumerate() {
            let base = y + LINE * (line + 1) as f64 - 1.0;
            text(drawing, x + wide / 2.0, base, if light { "d" } else { "l" }, word);
        }
    }
    (wide * f64::from(columns), high * f64::from(rows))
}

/// The small picture that the recorder kept, as an image file in the text.
fn picture(drawing: &mut String, size: (u32, u32), channels: usize, content: &Content) -> (f64, f64) {
    let (columns, rows) = (f64::from(size.0), f64::from(size.1));
    let scale = SIDE / columns.max(rows);
    let (width, height) = ((columns * scale).max(6.0), (rows * scale).max(6.0));
    let thumbnail = &content.thumbnail;
    let level = |level: &u8| match level {
        255 => COLOURS,
        level => (f64::from(*level) / 254.0 * f64::from(COLOURS - 1)).round() as u8,
    };
    let levels: Vec<u8> = thumbnail.levels.iter().step_by(channels.max(1)).map(level).collect();
    let _ = write!(
        drawing,
        r#"<image width="{width:.1}" height="{height:.1}" preserveAspectRatio="none" href="data:image/bmp;base64,{}"/>"#,
        base64(&bitmap(thumbnail.width, thumbnail.height, &levels))
    );
    (width, height)
}

/// A BMP file of numbers of colours, row 0 at the bottom, as the format has it.
fn bitmap(width: u32, height: u32, levels: &[u8]) -> Vec<u8> {
    let padded = width.next_multiple_of(4);
    let colours = u32::from(COLOURS) + 1;
    let begin = 54 + 4 * colours;
    let mut bytes = b"BM".to_vec();
    for word in [begin + padded * height, 0, begin, 40, width, height] {
        bytes.extend(word.to_le_bytes());
    }
    // One plane, eight bits a pixel, not compressed.
    bytes.extend([1, 0, 8, 0]);
    for word in [0, padded * height, 2835, 2835, colours, 0] {
        bytes.extend(word.to_le_bytes());
    }
    for number in 0..COLOURS {
        let [r, g, b] = colour(f64::from(number) / f64::from(COLOURS - 1));
        bytes.extend([b, g, r, 0]);
    }
    bytes.extend([NOT_FINITE[2], NOT_FINITE[1], NOT_FINITE[0], 0]);
    for row in levels.chunks(width.max(1) as usize) {
        bytes.extend(row);
        bytes.extend(std::iter::repeat_n(0, (padded - width) as usize));
    }
    bytes
}

fn colour(share: f64) -> [u8; 3] {
    let at = share.clamp(0.0, 1.0) * (MAP.len() - 1) as f64;
    let low = (at as usize).min(MAP.len() - 2);
    [0, 1, 2].map(|c| (MAP[low][c] + (at - low as f64) * (MAP[low + 1][c] - MAP[low][c])).round() as u8)
}

/// Whole numbers as they are, others with three digits.
fn short(value: f32) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() || (value.fract() == 0.0 && size < 1e9) {
        return value.to_string();
    }
    if !(1e-3..1e7).contains(&size) {
        return format!("{value:.1e}");
    }
    let digits = (2 - size.log10().floor() as i32).clamp(0, 4) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn text(drawing: &mut String, x: f64, y: f64, class: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    if !words.is_empty() {
        let _ = write!(drawing, r#"<text x="{x:.1}" y="{y:.1}" class="{class}">{words}</text>"#);
    }
}

/// The parts from left to right, in as many rows as they need.
fn laid_out(parts: &[Part]) -> String {
    let mut rows: Vec<Vec<&Part>> = vec![Vec::new()];
    let mut used = 0.0;
    for (at, part) in parts.iter().enumerate() {
        // An arrow does not end a row.
        let next = if part.arrow { parts.get(at + 1).map_or(0.0, |next| next.width + GAP) } else { 0.0 };
        if used > 0.0 && used + part.width + next > WIDTH - 2.0 * GAP {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += part.width + GAP;
        if let Some(row) = rows.last_mut() {
            row.push(part);
        }
    }
    let widest = rows.iter().map(|row| row.iter().map(|part| part.width + GAP).sum::<f64>() + GAP);
    let width = widest.fold(0.0, f64::max);
    let (mut drawing, mut y) = (String::new(), GAP);
    for row in rows {
        let height = row.iter().map(|part| part.height).fold(0.0, f64::max);
        let mut x = GAP;
        for part in row {
            let down = (height - part.height) / 2.0;
            let _ =
                writeln!(drawing, r#"<g transform="translate({x:.1} {:.1})">{}</g>"#, y + down, part.drawing);
            x += part.width + GAP;
        }
        y += height + GAP;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{y:.0}\" viewBox=\"0 0 {width:.0} {y:.0}\">\n\
         <style>text{{font:11px sans-serif;text-anchor:middle;fill:#222}}.k{{font-style:italic}}.n{{font-weight:bold}}.q{{fill:#666}}\
         .l{{fill:#fff}}.a{{fill:none;stroke:#444;stroke-width:1.5}}.r{{fill:none;stroke-width:2.5}}image{{image-rendering:pixelated}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#fbfbf8\"/>\n{drawing}</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{bitmap, short};

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5.0, "5"),
            (-777.0, "-777"),
            (0.0625, "0.0625"),
            (1.0 / 3.0, "0.333"),
            (2.0 / 3.0, "0.667"),
            (1234.6, "1235"),
            (16_777_216.0, "16777216"),
            (1e-9, "1.0e-9"),
            (f32::NAN, "NaN"),
            (f32::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    /// Rows of a BMP are multiples of four bytes long.
    #[test]
    fn a_bitmap_is_as_long_as_its_head_says() {
        let bytes = bitmap(3, 2, &[0, 1, 2, 3, 4, 5]);
        let word =
            |at: usize| bytes[at..at + 4].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        assert_eq!((word(2), word(18), word(22)), (bytes.len(), 3, 2));
        assert_eq!(bytes[word(10)..], [0, 1, 2, 0, 3, 4, 5, 0]);
    }
}
