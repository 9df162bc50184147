//! A pass, opened: its inputs, its kernel with the fetches marked, its outputs.

use std::collections::HashMap;
use std::rc::Rc;

use egui::{
    Color32, Image, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind, TextStyle, Ui, pos2, vec2,
};
use quadrille::Edges;
use quadrille::kernels;
use quadrille::trace::{Pass, Trace, What};

use super::picture::Pictures;
use super::{passes, tree};
use crate::play::editor::{self, Editor, Marks, Wrong};

/// Points of a column of textures, and the least of a kernel: where there is no room for three columns, the textures are in one.
const COLUMN: f32 = 180.0;
const KERNEL: f32 = 300.0;

/// Texels that were marked, by their stream.
type Sources = Option<Vec<(usize, (u32, u32))>>;

pub struct Opened {
    /// Its place among the passes of the step.
    pub place: usize,
    pub trace: Rc<Trace>,
    /// Its place among the steps of the trace.
    step: usize,
    marks: Marks,
    /// The channel that is shown of each image, where it is not the first.
    channels: HashMap<usize, usize>,
    pictures: Pictures,
    /// The kernel has been scrolled to its first fetch.
    scrolled: bool,
    /// Points that there are for the kernel.
    room: f32,
    /// The texel under the pointer, in words.
    pointed: String,
    /// The texel of an output that was clicked, and what it was made of: `None` for anywhere.
    made_of: Option<((u32, u32), Sources)>,
}

impl Opened {
    /// The pass in that place, if there is one.
    pub fn new(trace: Rc<Trace>, place: usize) -> Option<Opened> {
        let is_pass = |step: &quadrille::trace::Step| matches!(step.what, What::Pass(_));
        let step = trace.steps.iter().enumerate().filter(|(_, step)| is_pass(step)).nth(place)?.0;
        let (.., pass) = passes(&trace).nth(place)?;
        let marks = marks(&trace, pass);
        let (channels, pictures, pointed, made_of) = Default::default();
        let (scrolled, room) = (false, 0.0);
        Some(Opened { place, trace, step, marks, channels, pictures, scrolled, room, pointed, made_of })
    }

    fn pass(&self) -> Option<&Pass> {
        match &self.trace.steps[self.step].what {
            What::Pass(pass) => Some(pass),
            _ => None,
        }
    }

    /// The name of its kernel, if it is a built-in one: others cannot be edited.
    pub fn editable(&self) -> Option<&'static str> {
        let name = &self.trace.kernels[self.pass()?.kernel].fragment.name;
        kernels::ALL.iter().map(|kernel| kernel.0).find(|known| known == name)
    }

    /// Shows it; returns true if it was closed.
    pub fn show(&mut self, ui: &mut Ui, editor: &mut Editor, now: f64) -> bool {
        let trace = self.trace.clone();
        let What::Pass(pass) = &trace.steps[self.step].what else { return true };
        let kernel = &trace.kernels[pass.kernel];
        let mut closed = false;
        self.room = (ui.clip_rect().height() - 80.0).max(60.0);
        ui.horizontal_wrapped(|ui| {
            ui.strong(format!("{}. {}", self.place + 1, kernel.fragment.name));
            closed = ui.small_button("Close pass").clicked();
            ui.weak(facts(&trace, self.step, pass));
        });
        // One line, so that nothing moves when the pointer does.
        let line = match (&self.pointed, &self.made_of) {
            (line, None) if line.is_empty() => {
                "Point at a texel: its numbers. Click one of an output: what it was made of."
            }
            (line, Some((_, None))) if line.is_empty() => {
                "This texel was made of fetches that may lie anywhere."
            }
            (line, Some(_)) if line.is_empty() => "The texels that it was made of are marked.",
            (line, _) => line,
        };
        ui.add(egui::Label::new(RichText::new(line).monospace().size(11.0)).truncate());
        self.pointed.clear();
        let (width, gap) = (ui.available_width(), ui.spacing().item_spacing.x);
        ui.horizontal_top(|ui| {
            let three = width >= KERNEL + 2.0 * (COLUMN + gap);
            let textures = if three { COLUMN } else { COLUMN.min(0.4 * width) };
            column(ui, textures, |ui| {
                if !three {
                    self.outputs(ui, &trace, pass);
                }
                self.inputs(ui, &trace, pass);
            });
            let rest = width - if three { 2.0 } else { 1.0 } * (textures + gap) - 4.0;
            column(ui, rest, |ui| self.kernel(ui, &trace, pass, editor, now));
            if three {
                column(ui, COLUMN, |ui| self.outputs(ui, &trace, pass));
            }
        });
        closed
    }

    fn inputs(&mut self, ui: &mut Ui, trace: &Trace, pass: &Pass) {
        let kernel = &trace.kernels[pass.kernel];
        ui.weak("inputs");
        for (slot, stream) in pass.streams.iter().enumerate() {
            let Some((image, edges)) = *stream else { continue };
            let marked: Vec<(u32, u32)> = match &self.made_of {
                Some((_, Some(sources))) => {
                    sources.iter().filter(|source| source.0 == slot).map(|source| source.1).collect()
                }
                _ => Vec::new(),
            };
            let rule = match edges {
                Edges::Clamp => "clamp",
                Edges::Repeat => "repeat",
                Edges::Mirror => "mirror",
            };
            self.texture(ui, trace, image, &kernel.streams[slot], rule, &marked);
        }
        for ((name, kind), value) in kernel.constants.iter().zip(&pass.constants) {
            let numbers: Vec<String> = value.iter().map(f32::to_string).collect();
            ui.label(RichText::new(format!("{kind} {name} = {}", numbers.join(", "))).monospace().size(11.0));
        }
        for (name, [x0, y0, x1, y1]) in kernel.domains.iter().zip(&pass.domains) {
            ui.label(RichText::new(format!("{name}: {x0}, {y0} to {x1}, {y1}")).monospace().size(11.0));
        }
    }

    fn outputs(&mut self, ui: &mut Ui, trace: &Trace, pass: &Pass) {
        ui.weak("outputs");
        if pass.targets.is_empty() {
            ui.label("a window");
        }
        for (place, &image) in pass.targets.iter().enumerate() {
            let marked: Vec<_> = self.made_of.iter().map(|(texel, _)| *texel).collect();
            let name = &trace.kernels[pass.kernel].outputs[place];
            if let Some(texel) = self.texture(ui, trace, image, name, "", &marked) {
                self.made_of = Some((texel, trace.sources(pass, texel)));
            }
        }
    }

    fn kernel(&mut self, ui: &mut Ui, trace: &Trace, pass: &Pass, editor: &mut Editor, now: f64) {
        let seen = &trace.kernels[pass.kernel];
        let built_in = self.editable();
        ui.horizontal_wrapped(|ui| match built_in {
            Some(name) => {
                editor.show_kernel(name);
                ui.weak("kernel; the step is made once more as you type");
                editor.original(ui, now);
            }
            None => drop(ui.weak("kernel, written by the program: it cannot be edited")),
        });
        if built_in.is_some() && editor.error().is_some() {
            editor.state(ui);
        }
        // First the first fetch.
        let mut area = ScrollArea::both().id_salt(("kernel", self.place)).max_height(self.room);
        if let (false, Some(&line)) = (self.scrolled, self.marks.keys().next()) {
            let height = ui.text_style_height(&TextStyle::Monospace);
            area = area.vertical_scroll_offset(height * line.saturating_sub(2) as f32);
        }
        self.scrolled = true;
        area.show(ui, |ui| match built_in {
            Some(_) => editor.text(ui, now, &self.marks),
            None => drop(editor::shown(
                ui,
                &mut seen.fragment.text.as_ref(),
                &Wrong::default(),
                &self.marks,
                false,
            )),
        });
    }

    /// Shows a texture with its range and channels; returns the texel that was clicked.
    fn texture(
        &mut self,
        ui: &mut Ui,
        trace: &Trace,
        image: usize,
        name: &str,
        detail: &str,
        marked: &[(u32, u32)],
    ) -> Option<(u32, u32)> {
        let of = &trace.images[image];
        let (width, height) = (of.shape.width, of.shape.height);
        let mut channel = self.channels.get(&image).copied().unwrap_or(0);
        let Some(picture) = self.pictures.of(ui, trace, image, channel) else {
            ui.label(format!("{name} {width}×{height}: no room for a copy"));
            return None;
        };
        let most = vec2(ui.available_width().min(COLUMN), 170.0);
        let scale = (most.x / width as f32).min(most.y / height as f32);
        // A long row is as high as a line.
        let size = (vec2(width as f32, height as f32) * scale).max(vec2(6.0, 6.0));
        let response = ui.add(Image::new((picture.id(), size)).sense(Sense::click()));
        let place = response.rect;
        let texel = |at: egui::Pos2| {
            let x = (at.x - place.left()) / place.width() * width as f32;
            let y = (place.bottom() - at.y) / place.height() * height as f32;
            ((x.max(0.0) as u32).min(width - 1), (y.max(0.0) as u32).min(height - 1))
        };
        if let Some((x, y)) = response.hover_pos().map(texel)
            && let Some((numbers, exact)) = of.numbers_at(x, y)
        {
            let numbers: Vec<String> = numbers.iter().map(f32::to_string).collect();
            let about = if exact { "" } else { "about " };
            self.pointed = format!("{name} ({x}, {y}) = {about}{}", numbers.join("  "));
        }
        let side = vec2(place.width() / width as f32, place.height() / height as f32);
        for &(x, y) in marked {
            let at = pos2(place.left() + x as f32 * side.x, place.bottom() - (y + 1) as f32 * side.y);
            let at = Rect::from_min_size(at, side).expand(1.0);
            let pink = Color32::from_rgb(255, 45, 149);
            ui.painter().rect_stroke(at, 0.0, Stroke::new(1.5, pink), StrokeKind::Outside);
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.label(RichText::new(name).strong().size(11.0));
            let format = of.shape.format;
            ui.label(RichText::new(format!("{width}×{height} {format:?} {detail}")).weak().size(11.0));
            for (n, letter) in "rgba".chars().enumerate().take(format.components()) {
                if format.components() > 1 && ui.selectable_label(channel == n, letter.to_string()).clicked()
                {
                    channel = n;
                }
            }
        });
        self.channels.insert(image, channel);
        if let Some(content) = &of.content {
            let (least, most) = content.ranges[channel];
            let bad = match content.not_finite {
                0 => String::new(),
                n => format!(", {n} not finite"),
            };
            let range = if least > most { "nothing finite".to_owned() } else { format!("{least} to {most}") };
            ui.label(RichText::new(range + &bad).weak().size(11.0));
        }
        response.clicked().then(|| response.interact_pointer_pos().map(texel)).flatten()
    }
}

fn column(ui: &mut Ui, width: f32, content: impl FnOnce(&mut Ui)) {
    ui.vertical(|ui| {
        ui.set_width(width.max(60.0));
        content(ui);
    });
}

fn facts(trace: &Trace, step: usize, pass: &Pass) -> String {
    let sum = trace.sum_of(&trace.steps[step]);
    let mut names = Vec::new();
    let mut scope = trace.steps[step].scope;
    while scope > 0 {
        names.insert(0, trace.scopes[scope].name.as_str());
        scope = trace.scopes[scope].parent;
    }
    let bound = if sum.at_most { "at most " } else { "" };
    let mut line = format!("{} · {}", names.join(" / "), pass.geometry.0);
    line += &format!(" over {} · {bound}{} texels", pass.range, sum.texels);
    line += &format!(", {} fetches", tree::fetches(sum.fetches));
    if let Some(seconds) = pass.seconds {
        line += &format!(" · {}", tree::time(seconds));
    }
    for more in [pass.adds.then_some("added"), pass.mask.as_deref()].into_iter().flatten() {
        line += &format!(" · {more}");
    }
    line
}

/// The lines of the kernel that fetch: how often each does.
fn marks(trace: &Trace, pass: &Pass) -> Marks {
    let mut lines: HashMap<u32, (u64, Option<u64>, bool)> = HashMap::new();
    let found = pass.runs[0].and_then(|run| trace.runs[run].1.as_ref());
    for fetch in found.iter().flat_map(|found| &found.fetches) {
        let line = lines.entry(fetch.line).or_insert((0, Some(0), false));
        line.0 += fetch.count.least;
        line.1 = line.1.zip(fetch.count.most).map(|(sum, most)| sum + most);
        line.2 |= fetch.texels.is_none();
    }
    let word = |(least, most, anywhere)| {
        format!("{}×{}", tree::fetches((least, most)), if anywhere { " anywhere" } else { "" })
    };
    lines.into_iter().map(|(line, counts)| (line, word(counts))).collect()
}
