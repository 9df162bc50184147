//! The panel of a demo, made of its parameters: text, tooltip, range and default of each widget come from its [`Param`].

use std::cell::Cell;

use anyhow::Result;
use egui::{
    CollapsingHeader, ComboBox, Grid, Key, Label, PointerButton, Rect, Response, Sense, SliderClamping,
    TextEdit, Ui, vec2,
};
use quadrille::Error;

use crate::demo::{About, Demo, told};
use crate::param::{Kind, Live, Offer, Param, Section, Slider, Value, Values};

/// Seconds for which a refusal is read.
const READING: f64 = 8.0;

/// A change of words, which may compile kernels: it waits for the next frame, so that a window says first what it is about to do.
#[derive(Default)]
pub struct Deferred {
    values: Option<Values>,
    /// The frame that it was asked for in: egui may lay one out twice.
    frame: u64,
}

impl Deferred {
    /// The line that says what is about to be done.
    pub fn line(&self) -> Option<String> {
        let values = self.values.as_ref()?;
        let parts: Vec<String> = values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        Some(format!("{}: compiling what it needs ...", parts.join(", ")))
    }

    fn due(&mut self, frame: u64) -> Option<Values> {
        if self.frame == frame { None } else { self.values.take() }
    }
}

/// Shows a widget for each parameter that the demo has now, by its [`Section`]: what there is and how it is seen, what one plays with, then
/// the demo's own widgets; folded, how it is solved, and what holds from the start on. Returns the values that were changed, before and
/// after, and another beginning that was asked for.
///
/// # Errors
/// Those of the demo, but for values that it refuses: these are said in the panel.
pub fn show(ui: &mut Ui, about: &About, demo: &mut dyn Demo, deferred: &mut Deferred) -> Result<Shown> {
    let refused = ui.scope_id().with("refused");
    let frame = ui.ctx().cumulative_frame_nr();
    let mut shown = Shown::default();
    if let Some(changed) = deferred.due(frame) {
        shown.change = set(ui, about, refused, demo, changed)?;
    }
    let chosen = demo.head(ui);
    if !chosen.is_empty() {
        shown.change = set(ui, about, refused, demo, chosen)?.or(shown.change);
    }
    let (rows, fixed) = offered(about, demo);
    let mut asked = Asked::default();
    asked.rows(ui, &rows, &[Section::Scene, Section::Shown]);
    demo.picture().view_widgets(ui);
    demo.picture().widgets(ui)?;
    ui.separator();
    asked.rows(ui, &rows, &[Section::Play, Section::Physics]);
    shown.change = asked.take(ui, about, refused, demo, (deferred, frame))?.or(shown.change);
    show_said(ui, refused);
    let before = demo.values();
    demo.panel(ui)?;
    let after = demo.values();
    if before != after {
        shown.change = Some(difference(&before, &after, &Values::new())).or(shown.change);
    }
    if rows.iter().any(|row| row.param.section == Section::Solver) {
        let mut asked = Asked::default();
        let solver = |ui: &mut Ui| asked.rows(ui, &rows, &[Section::Solver]);
        CollapsingHeader::new(SOLVER).show(ui, solver);
        shown.change = asked.take(ui, about, refused, demo, (deferred, frame))?.or(shown.change);
    }
    if !fixed.is_empty() {
        let header = CollapsingHeader::new(begins_with(&fixed)).id_salt("fixed");
        let begun = header.show(ui, |ui| show_fixed(ui, &fixed));
        let says = "Values that hold as long as a run lasts: another one begins it anew";
        begun.header_response.on_hover_text(says);
        shown.beginning = begun.body_returned.flatten();
    }
    Ok(shown)
}

/// The heading of what holds from the start on, with the first names of it.
fn begins_with(fixed: &[(&Param, Value)]) -> String {
    let names = fixed.iter().map(|(param, _)| if param.label.is_empty() { param.name } else { param.label });
    let more = if fixed.len() > 3 { " …" } else { "" };
    format!("begin anew with: {}{more}", names.take(3).collect::<Vec<_>>().join(", "))
}

/// The heading of the folded parameters.
const SOLVER: &str = "solver: method, exactness";

/// A parameter as it is offered now.
struct Row {
    param: &'static Param,
    offer: Offer,
    value: Value,
}

/// The parameters that have a widget now, in the order of the panel, and those that hold from the start on.
fn offered(about: &About, demo: &dyn Demo) -> (Vec<Row>, Vec<(&'static Param, Value)>) {
    let values = demo.values();
    let (mut rows, mut fixed) = (Vec::new(), Vec::new());
    for param in about.in_panel().into_iter().filter(|param| (param.matters)(&values)) {
        let offer = demo.offer(param);
        let value = values.get(param.name).or(offer.now.as_ref()).cloned().or_else(|| size(param, demo));
        match (offer.live, value) {
            (Live::Hidden, _) | (_, None) => {}
            (Live::No, Some(value)) => fixed.push((param, value)),
            (_, Some(value)) => rows.push(Row { param, offer, value }),
        }
    }
    (rows, fixed)
}

/// The values that widgets have asked for.
#[derive(Default)]
struct Asked {
    changed: Values,
    /// A word is among them, which may compile kernels.
    words: bool,
}

impl Asked {
    /// Shows the widgets of these sections.
    fn rows(&mut self, ui: &mut Ui, rows: &[Row], sections: &[Section]) {
        for Row { param, offer, value } in rows.iter().filter(|row| sections.contains(&row.param.section)) {
            if let Some(after) = widget(ui, param, offer, value) {
                self.words |= matches!(offer.live, Live::Words | Live::Some(_));
                self.changed.set(param.name, after);
            }
        }
    }

    /// Gives the demo what was asked for: words in the next frame.
    fn take(
        self,
        ui: &Ui,
        about: &About,
        refused: egui::Id,
        demo: &mut dyn Demo,
        (deferred, frame): (&mut Deferred, u64),
    ) -> Result<Option<(Values, Values)>> {
        match (self.words, self.changed.is_empty()) {
            (true, _) => {
                (deferred.values, deferred.frame) = (Some(self.changed), frame);
                ui.ctx().request_repaint();
                Ok(None)
            }
            (false, true) => Ok(None),
            (false, false) => set(ui, about, refused, demo, self.changed),
        }
    }
}

/// Shows names and what was found, a row each; a value that is too long goes on in the next line.
pub fn rows<'a>(ui: &mut Ui, id: &str, rows: impl IntoIterator<Item = (&'a str, String)>) {
    let room = (ui.available_width() - ROOM_OF_NAME).max(60.0);
    Grid::new(id).num_columns(2).max_col_width(room).show(ui, |ui| {
        for (name, value) in rows {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        }
    });
}

/// Points of a name in [`rows`], and the space after it.
const ROOM_OF_NAME: f32 = 100.0;

/// Explains each widget that the panel has now.
pub fn explain(ui: &mut Ui, about: &About, demo: &dyn Demo) {
    let values = demo.values();
    for param in about.in_panel().into_iter().filter(|param| (param.matters)(&values)) {
        if demo.offer(param).live == Live::Hidden {
            continue;
        }
        ui.horizontal_wrapped(|ui| {
            ui.strong(label(param));
            ui.label(in_window(param.help));
        });
        if let Kind::Choice(choices) = param.kind {
            for choice in choices().iter().filter(|choice| !choice.help.is_empty()) {
                ui.horizontal_wrapped(|ui| {
                    ui.add_space(16.0);
                    ui.label(choice.name);
                    ui.weak(in_window(choice.help));
                });
            }
        }
    }
}

/// The user's changes in a frame of the panel.
#[derive(Default)]
pub struct Shown {
    /// Values that the demo has taken: before and after.
    pub change: Option<(Values, Values)>,
    /// A value that holds from the start on, for another beginning.
    pub beginning: Option<Values>,
}

/// The size of a demo that says it only in words.
fn size(param: &Param, demo: &dyn Demo) -> Option<Value> {
    matches!(param.kind, Kind::Size | Kind::Size3).then(|| param.parse(&demo.size().0).ok())?
}

/// Gives the demo these values; says in the panel what it refuses.
fn set(
    ui: &Ui,
    about: &About,
    refused: egui::Id,
    demo: &mut dyn Demo,
    changed: Values,
) -> Result<Option<(Values, Values)>> {
    let before = told(about, demo, |param| changed.has(param.name));
    match demo.set(&changed) {
        Err(error) if is_refusal(&error) => {
            say(ui, refused, format!("{error:#}"));
            Ok(None)
        }
        made => made.map(|()| Some(difference(&before, &demo.values(), &changed))),
    }
}

/// The values that a change has changed, before and after: those that were chosen, and others that followed from them.
fn difference(before: &Values, after: &Values, chosen: &Values) -> (Values, Values) {
    let (mut from, mut to) = (Values::new(), Values::new());
    for (name, value) in
        before.iter().filter(|&(name, value)| chosen.has(name) || after.get(name) != Some(value))
    {
        from.set(name, value.clone());
    }
    for (name, value) in
        after.iter().filter(|&(name, value)| chosen.has(name) || before.get(name) != Some(value))
    {
        to.set(name, value.clone());
    }
    // Values that a demo takes and does not tell.
    for (name, value) in chosen.iter() {
        if !to.has(name) {
            to.set(name, value.clone());
        }
    }
    (from, to)
}

/// Returns true for an error about a value, which leaves the demo as it was.
pub fn is_refusal(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(Error::BadParameter { .. } | Error::OverLimit { .. } | Error::StepSingular { .. })
    )
}

/// Shows what holds from the start on: text that can be typed over; returns another value that was entered.
fn show_fixed(ui: &mut Ui, fixed: &[(&Param, Value)]) -> Option<Values> {
    let mut entered = None;
    ui.weak("Enter begins anew with what was typed.");
    Grid::new("fixed").num_columns(2).show(ui, |ui| {
        for (param, value) in fixed {
            ui.label(label(param)).on_hover_text(tooltip(param, &Offer::of(param)));
            let now = match value {
                Value::Double(number) => (*number as f32).to_string(),
                value => value.to_string(),
            };
            let id = ui.scope_id().with(("fixed", param.name));
            let mut text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| now.clone());
            let field = ui.add(TextEdit::singleline(&mut text).desired_width(110.0));
            if field.changed() {
                ui.data_mut(|data| data.insert_temp(id, text.clone()));
            }
            if field.lost_focus() {
                ui.data_mut(|data| data.remove::<String>(id));
                let enters = ui.input(|input| input.key_pressed(Key::Enter));
                match param.parse(text.trim()) {
                    _ if !enters || text.trim() == now => {}
                    Ok(value) => entered = Some(Values::new().with(param.name, value)),
                    Err(expected) => {
                        say(ui, id.with("said"), format!("{} {}: {expected}", param.name, text.trim()))
                    }
                }
            }
            ui.end_row();
            show_said(ui, id.with("said"));
        }
    });
    entered
}

/// Shows the widget of a parameter; returns another value if somebody chose one.
pub fn widget(ui: &mut Ui, param: &Param, offer: &Offer, value: &Value) -> Option<Value> {
    match (offer.live, param.kind) {
        (Live::Slider(slider), _) => number(ui, param, offer, slider, value),
        (Live::Words, Kind::Flag) => {
            let mut on = *value == Value::Flag(true);
            let checkbox = ui.checkbox(&mut on, label(param)).on_hover_text(tooltip(param, offer));
            checkbox.changed().then_some(Value::Flag(on))
        }
        (Live::Words, Kind::Choice(choices)) => {
            let words: Vec<_> = choices().into_iter().map(|choice| (choice.name, choice.help)).collect();
            words_side_by_side(ui, param, offer, value, &words)
        }
        (Live::Words, Kind::Name(names)) => list(ui, param, offer, value, &names()),
        (Live::Some(texts), _) => {
            let texts: Vec<_> = texts.iter().map(|&text| (text, "")).collect();
            words_side_by_side(ui, param, offer, value, &texts)
        }
        (Live::No | Live::Words | Live::Hidden, _) => None,
    }
}

/// Shows words, each with its line as tooltip.
fn words_side_by_side(
    ui: &mut Ui,
    param: &Param,
    offer: &Offer,
    value: &Value,
    words: &[(&'static str, &'static str)],
) -> Option<Value> {
    let mut chosen = None;
    let (mut begin, own) = (0, label(param));
    let captions = std::iter::once(own.as_str()).chain(param.rows.iter().map(|row| row.1));
    let ends = param.rows.iter().map(|row| row.0).chain([words.len()]);
    for (text, end) in captions.zip(ends) {
        let of_row = words.get(begin..end).unwrap_or_default();
        begin = end;
        ui.horizontal_wrapped(|ui| {
            let caption = ui.add(Label::new(text).sense(Sense::click()).truncate());
            if caption.on_hover_text(tooltip(param, offer)).double_clicked() {
                chosen = offer.usual.clone();
            }
            for (word, help) in of_row {
                let read = param.parse(word).ok();
                let mut button = ui.selectable_label(read.as_ref() == Some(value), *word);
                if !help.is_empty() {
                    button = button.on_hover_text(in_window(help));
                }
                if button.clicked() {
                    chosen = read;
                }
            }
        });
    }
    chosen.filter(|chosen| chosen != value)
}

/// Shows a list that opens, of lines that begin with a name.
fn list(ui: &mut Ui, param: &Param, offer: &Offer, value: &Value, lines: &[String]) -> Option<Value> {
    let (mut chosen, now) = (None, value.to_string());
    ui.horizontal(|ui| {
        ComboBox::from_id_salt(param.name)
            .selected_text(if now.is_empty() { "(own)" } else { &now })
            .show_ui(ui, |ui| {
                for line in lines {
                    let (name, about) = line.split_once(' ').unwrap_or((line, ""));
                    if ui.selectable_label(name == now, name).on_hover_text(in_window(about.trim())).clicked()
                    {
                        chosen = param.parse(name).ok();
                        // Enter chooses, too, and closes nothing by itself.
                        ui.close();
                    }
                }
            });
        caption(ui, param, offer);
    });
    chosen.filter(|chosen| chosen != value)
}

/// Shows a slider, which leaves a value outside its range alone until somebody moves it. A double click on it brings the default
/// back; a number that is typed is read as the flag's is, and refused in its words.
fn number(ui: &mut Ui, param: &Param, offer: &Offer, slider: Slider, value: &Value) -> Option<Value> {
    let Slider { low, high, logarithmic, smallest, decimals, most_decimals, first } = slider;
    let word = param.kind.word();
    let usual = offer.usual.as_ref().and_then(Value::number);
    let before = value.number();
    let mut shown = before.or(usual).unwrap_or(first);
    let mut on = before.is_some();
    let typed = Cell::new(None);
    let read = |text: &str| {
        let read = param.parse(text.trim());
        let number = read.as_ref().ok().and_then(Value::number);
        typed.set(Some(read.map_err(|expected| format!("{} {}: {expected}", param.name, text.trim()))));
        number
    };
    let start = shown;
    let twice = ui.horizontal(|ui| {
        let room = ui.available_width();
        if !word.is_empty() {
            ui.checkbox(&mut on, "").on_hover_text(tooltip(param, offer));
        }
        // The rail gives way before the text does.
        let beside = if word.is_empty() { 80.0 } else { 110.0 } + 7.0 * label(param).chars().count() as f32;
        let width = &mut ui.spacing_mut().slider_width;
        *width = (*width).min((room - beside).max(32.0));
        let rail = *width;
        let mut slider = egui::Slider::new(&mut shown, low..=high).logarithmic(logarithmic);
        slider = slider.clamping(SliderClamping::Never).update_while_editing(false).custom_parser(read);
        if let Some(smallest) = smallest {
            slider = slider.smallest_positive(smallest);
        }
        slider = slider.max_decimals_opt(most_decimals);
        if let Some(decimals) = decimals {
            slider = slider.fixed_decimals(decimals);
        }
        if matches!(param.kind, Kind::Whole { .. }) {
            slider = slider.integer();
        }
        let response = ui.add_enabled(on, slider);
        let rail = Rect::from_min_size(response.rect.min, vec2(rail, response.rect.height()));
        let pressed = ui.input(|input| {
            let twice = input.pointer.button_double_clicked(PointerButton::Primary);
            twice && input.pointer.interact_pos().is_some_and(|place| rail.contains(place))
        });
        let pressed = pressed && response.contains_pointer();
        response.on_hover_text(tooltip(param, offer));
        caption(ui, param, offer).double_clicked() || pressed
    });
    let said = ui.scope_id().with(param.name);
    let found = match typed.take() {
        _ if twice.inner => offer.usual.clone(),
        Some(Ok(value)) => Some(value),
        Some(Err(line)) => {
            say(ui, said, line);
            None
        }
        None if on != before.is_some() => {
            if on {
                param.of_number(shown)
            } else {
                Some(Value::Word(word))
            }
        }
        None if shown != start => param.of_number(shown),
        None => None,
    };
    show_said(ui, said);
    found.filter(|found| found != value)
}

/// Keeps a line that is read for a while.
fn say(ui: &Ui, id: egui::Id, line: String) {
    let now = ui.input(|input| input.time);
    ui.data_mut(|data| data.insert_temp(id, (line, now)));
}

fn show_said(ui: &mut Ui, id: egui::Id) {
    let Some((line, since)) = ui.data(|data| data.get_temp::<(String, f64)>(id)) else { return };
    let left = since + READING - ui.input(|input| input.time);
    if left > 0.0 {
        ui.colored_label(ui.visuals().error_fg_color, line);
        ui.ctx().request_repaint_after_secs(left as f32);
    } else {
        ui.data_mut(|data| data.remove::<(String, f64)>(id));
    }
}

/// The text beside a widget.
fn label(param: &Param) -> String {
    let label = if param.label.is_empty() { param.name } else { param.label };
    if param.unit.is_empty() { label.to_owned() } else { format!("{label}, {}", param.unit) }
}

fn caption(ui: &mut Ui, param: &Param, offer: &Offer) -> Response {
    ui.add(Label::new(label(param)).sense(Sense::click()).truncate()).on_hover_text(tooltip(param, offer))
}

/// The help, the symbol, the unit and the default of a parameter.
fn tooltip(param: &Param, offer: &Offer) -> String {
    let symbol = if param.symbol.is_empty() { param.name } else { param.symbol };
    let unit = if param.unit.is_empty() { String::new() } else { format!(" in {}", param.unit) };
    let usual = match &offer.usual {
        Some(usual) if matches!(offer.live, Live::No) => format!(", default {usual}"),
        Some(usual) => format!(", default {usual}: a double click"),
        None => match in_window(param.default) {
            default if default.is_empty() => default,
            default => format!(", default {default}"),
        },
    };
    format!("{}\n{symbol}{unit}{usual}", in_window(param.help))
}

/// The words of a command line: flags, lines that `help` and `info` print, files that flags take.
const OF_COMMANDS: [&str; 4] = ["--", "`help`", "`info`", ".npy"];

fn speaks_of_commands(text: &str) -> bool {
    OF_COMMANDS.iter().any(|word| text.contains(word))
}

/// Leaves out what a text says of the command line: parentheses, sentences, and clauses from their last comma or colon on.
pub(crate) fn in_window(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some((open, close)) = parenthesis_of_commands(&text) {
        text.replace_range(text[..open].trim_end().len()..=close, "");
    }
    let mut sentences = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let begins = |(at, _): &(usize, &str)| rest[at + 2..].starts_with(char::is_uppercase);
        let end = rest.match_indices(". ").find(begins).map_or(rest.len(), |(at, _)| at);
        let clauses: Vec<_> = rest[..end].split("; ").filter_map(clause).collect();
        let mut letters = clauses.iter().flat_map(|clause| clause.chars().next());
        if let Some(first) = letters.next() {
            // A clause after one that is left out begins the sentence.
            let begun = rest.starts_with(char::is_uppercase) && !rest.starts_with(first);
            let said = clauses.join("; ");
            sentences.push(if begun {
                first.to_uppercase().chain(said.chars().skip(1)).collect()
            } else {
                said
            });
        }
        rest = rest.get(end + 2..).unwrap_or_default();
    }
    sentences.join(". ")
}

/// The first parenthesis with such words, and no other in it.
fn parenthesis_of_commands(text: &str) -> Option<(usize, usize)> {
    let pair = |(close, _)| Some((text[..close].rfind('(')?, close));
    text.match_indices(')').filter_map(pair).find(|&(open, close)| speaks_of_commands(&text[open..close]))
}

/// The part of a clause before, or else after, what speaks of the command line.
fn clause(text: &str) -> Option<&str> {
    let Some(word) = OF_COMMANDS.iter().filter_map(|word| text.find(word)).min() else { return Some(text) };
    let cut = [", ", ": "].iter().filter_map(|sign| text[..word].rfind(sign)).max();
    match cut {
        Some(cut) => Some(&text[..cut]),
        None => clause(text[word..].split_once(": ")?.1),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Context as _, anyhow};
    use egui::{Context, Event, Modifiers, Pos2, RawInput, Shape, pos2};
    use quadrille::Gpu;

    use super::*;
    use crate::demo::{Request, TestHost};
    use crate::list::{DEMOS, named};
    use crate::param::{Choice, Range};
    use crate::picture::{Drag, Touch};

    /// A sheet of widgets, with the hand of its user.
    #[derive(Default)]
    struct Sheet {
        context: Context,
        seconds: f64,
    }

    /// Words and where they stand.
    type Texts = Vec<(String, Rect)>;

    fn texts(shape: &Shape, found: &mut Texts) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| texts(shape, found)),
            Shape::Text(text) => {
                found.push((text.galley.text().to_owned(), text.galley.rect.translate(text.pos.to_vec2())));
            }
            _ => {}
        }
    }

    fn place(texts: &Texts, text: &str) -> Result<Rect> {
        let found = texts.iter().find(|(known, _)| known == text);
        found.map(|(_, place)| *place).with_context(|| format!("no {text:?} among {texts:?}"))
    }

    impl Sheet {
        fn frame<T>(
            &mut self,
            events: Vec<Event>,
            mut content: impl FnMut(&mut Ui) -> T,
        ) -> (Option<T>, Texts) {
            self.seconds += 0.02;
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(1200.0, 2000.0)));
            let raw = RawInput { screen_rect, time: Some(self.seconds), events, ..RawInput::default() };
            let mut result = None;
            let mut output = self.context.run_ui(raw, |ui| result = Some(content(ui)));
            output.textures_delta.clear();
            let mut found = Vec::new();
            output.shapes.iter().for_each(|clipped| texts(&clipped.shape, &mut found));
            (result, found)
        }

        /// The widget of a parameter, from frame to frame: what was chosen last, and what is read at the end.
        fn widget(
            &mut self,
            param: &Param,
            value: &Value,
            frames: Vec<Vec<Event>>,
        ) -> (Option<Value>, Texts) {
            let (mut chosen, mut seen) = (None, Vec::new());
            for events in frames {
                let offer = Offer::of(param);
                let (found, texts) = self.frame(events, |ui| widget(ui, param, &offer, value));
                (chosen, seen) = (found.flatten().or(chosen), texts);
            }
            (chosen, seen)
        }
    }

    /// Frames of a press of the left button there.
    fn click(at: Pos2) -> Vec<Vec<Event>> {
        let button = |pressed| {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::default());
            vec![Event::PointerButton { pos: at, button, pressed, modifiers }]
        };
        vec![vec![Event::PointerMoved(at)], button(true), button(false)]
    }

    fn typed(at: Pos2, text: &str) -> Vec<Vec<Event>> {
        let enter = |pressed| {
            let (key, modifiers) = (Key::Enter, Modifiers::default());
            vec![Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }]
        };
        let frames = [vec![Event::Text(text.to_owned())], enter(true), enter(false), vec![]];
        click(at).into_iter().chain([vec![]]).chain(frames).collect()
    }

    const FEED: Param = Param {
        name: "feed-rate",
        symbol: "F",
        unit: "1/s",
        kind: Kind::above(0.0, 1.0),
        default: "0.25",
        help: "Feed",
        live: Live::Slider(Slider::to(0.01, 0.5).decimals(2)),
        ..Param::NEW
    };

    #[test]
    fn a_typed_number_is_read_as_the_flag_is_and_refused_in_its_words() -> Result<()> {
        for (text, expected, said) in [
            ("1/8", Some(Value::Real(0.125)), None),
            // Past the slider, but not past the parameter.
            ("0.75", Some(Value::Real(0.75)), None),
            ("2", None, Some("feed-rate 2: expected above 0, at most 1")),
            ("0", None, Some("feed-rate 0: expected above 0, at most 1")),
            ("much", None, Some("feed-rate much: expected above 0, at most 1")),
        ] {
            let mut sheet = Sheet::default();
            let (_, seen) = sheet.widget(&FEED, &Value::Real(0.5), vec![vec![], vec![]]);
            let at = place(&seen, "0.50")?.center();
            let (chosen, seen) = sheet.widget(&FEED, &Value::Real(0.5), typed(at, text));
            assert_eq!(chosen, expected, "{text}");
            let read: Vec<_> = seen.iter().filter(|(line, _)| line.contains("expected")).collect();
            assert_eq!(read.first().map(|(line, _)| line.as_str()), said, "{text}");
        }
        Ok(())
    }

    #[test]
    fn a_double_click_on_the_rail_or_the_text_brings_the_default_back() -> Result<()> {
        let mut sheet = Sheet::default();
        let (_, seen) = sheet.widget(&FEED, &Value::Real(0.4), vec![vec![], vec![]]);
        let label = place(&seen, "feed-rate, 1/s")?.center();
        let rail = pos2(place(&seen, "0.40")?.left() - 80.0, label.y);
        for at in [label, rail] {
            let mut sheet = Sheet::default();
            let twice = [vec![vec![], vec![]], click(at), click(at)].concat();
            assert_eq!(sheet.widget(&FEED, &Value::Real(0.4), twice).0, Some(Value::Real(0.25)));
        }
        // A single one moves the slider.
        let mut sheet = Sheet::default();
        let once = [vec![vec![], vec![]], click(rail)].concat();
        let moved = sheet.widget(&FEED, &Value::Real(0.4), once).0.and_then(|value| value.number());
        assert!(moved.is_some_and(|moved| (0.01..=0.5).contains(&moved) && moved != 0.25), "{moved:?}");
        Ok(())
    }

    #[test]
    fn words_flags_and_numbers_that_may_be_none_are_clicked() -> Result<()> {
        fn words() -> Vec<Choice> {
            ["dam", "smoke"].map(|name| Choice { name, help: "" }).to_vec()
        }
        let scene = Param { name: "scene", kind: Kind::Choice(words), live: Live::Words, ..Param::NEW };
        let flag = Param { name: "lossy", live: Live::Words, ..Param::NEW };
        let some = Param {
            name: "bins",
            kind: Kind::Whole { low: 1, high: 99 },
            live: Live::Some(&["8", "64"]),
            ..Param::NEW
        };
        for (param, value, text, expected) in [
            (scene, Value::Word("dam"), "smoke", Some(Value::Word("smoke"))),
            (scene, Value::Word("dam"), "dam", None),
            (flag, Value::Flag(false), "lossy", Some(Value::Flag(true))),
            (some, Value::Whole(8), "64", Some(Value::Whole(64))),
        ] {
            let mut sheet = Sheet::default();
            let at = place(&sheet.widget(&param, &value, vec![vec![], vec![]]).1, text)?.center();
            assert_eq!(sheet.widget(&param, &value, click(at)).0, expected, "{text}");
        }
        let range = Range { low: 0.0, high: 1.0, open: true, double: false, word: "never" };
        let live = Live::Slider(Slider::to(0.0, 1.0).first(0.5));
        let until = Param { name: "until", kind: Kind::Real(range), live, default: "never", ..Param::NEW };
        for (value, expected) in
            [(Value::Word("never"), Value::Real(0.5)), (Value::Real(0.25), Value::Word("never"))]
        {
            let mut sheet = Sheet::default();
            let seen = sheet.widget(&until, &value, vec![vec![], vec![]]).1;
            let row = place(&seen, "until")?.center().y;
            assert_eq!(sheet.widget(&until, &value, click(pos2(16.0, row))).0, Some(expected));
        }
        Ok(())
    }

    #[test]
    fn every_parameter_that_a_demo_has_stands_in_its_panel() -> Result<()> {
        let gpu = Gpu::headless()?;
        for about in DEMOS {
            let mut values = Values::new();
            for (name, text) in [
                ("bodies", "64"),
                ("mesh", "sphere"),
                ("columns", "2"),
                ("rows", "2"),
                ("size", "24x24"),
                ("size", "12"),
                ("size", "2"),
            ] {
                if let Some(value) = about.param(name).and_then(|param| param.parse(text).ok()) {
                    values.set(about.param(name).map_or("", |param| param.name), value);
                }
            }
            let request =
                Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
            about.refuse(&request)?;
            let mut demo = (about.start)(&gpu, &request)?;
            let mut sheet = Sheet::default();
            // Folded rows are shown, too.
            sheet.context.memory_mut(|memory| memory.set_everything_is_visible(true));
            sheet
                .frame(vec![], |ui| show(ui, about, &mut *demo, &mut Deferred::default()))
                .0
                .context("no frame")??;
            let (shown, seen) =
                sheet.frame(vec![], |ui| show(ui, about, &mut *demo, &mut Deferred::default()));
            shown.context("no frame")??;
            let before = demo.values();
            let (_, explained) = sheet.frame(vec![], |ui| explain(ui, about, &*demo));
            for param in about.params() {
                let offer = demo.offer(param);
                let said = explained.iter().any(|(line, _)| line == &label(param));
                assert_eq!(
                    said,
                    (param.matters)(&before) && offer.live != Live::Hidden,
                    "{} {}: in its help",
                    about.name,
                    param.name
                );
                if !(param.matters)(&before) {
                    assert!(place(&seen, &label(param)).is_err(), "{} {}", about.name, param.name);
                    continue;
                }
                let has = before.get(param.name).is_some() || offer.now.is_some();
                if has && offer.live != Live::No {
                    place(&seen, &label(param)).map_err(|error| anyhow!("{}: {error}", about.name))?;
                }
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_said_of_the_command_line_is_left_out_in_a_window() {
        for (text, said) in [
            ("Colour map; `help` lists them", "Colour map"),
            ("Grains of the heap, up to 2^23 (only for --scene heap)", "Grains of the heap, up to 2^23"),
            ("Of --pressure jacobi: sweeps a step, 1 to 10000", "Sweeps a step, 1 to 10000"),
            ("A mesh. It lies there, also with --load: --json has it as `origin`", "A mesh. It lies there"),
            (
                "Scenes (two (of three) of them); with --load, that of it (a heap). The axes",
                "Scenes (two (of three) of them). The axes",
            ),
            ("F, in 1/s, or `never`; 2 to -3. -1 is none", "F, in 1/s, or `never`; 2 to -3. -1 is none"),
            ("what comes; a .npy is a file", "what comes"),
            ("that of --scene", ""),
        ] {
            assert_eq!(in_window(text), said, "{text}");
        }
    }

    /// Help of all parameters, of equations too: whole sentences, and none of a command line.
    #[test]
    fn no_help_in_a_window_speaks_of_flags_or_ends_in_half_a_sentence() {
        let plain = |text: &str, of: &str| assert!(!speaks_of_commands(text), "{of}: {text}");
        let whole = |text: &str, of: &str| {
            let ends = [
                ",", ";", ":", " and", " or", " of", " with", " to", " the", " for", " by", " not", " ", "(",
            ];
            assert!(!ends.iter().any(|end| text.ends_with(end)), "{of}: {text}");
            assert_eq!(text.matches('(').count(), text.matches(')').count(), "{of}: {text}");
        };
        let mut cut = 0;
        for about in crate::list::all() {
            plain(about.first, about.name);
            plain(&in_window(about.computes), about.name);
            for param in about.params() {
                let of = format!("{} {}", about.name, param.name);
                let mut helps = vec![param.help.to_owned()];
                match param.kind {
                    Kind::Choice(choices) => {
                        helps.extend(choices().iter().map(|choice| choice.help.to_owned()))
                    }
                    Kind::Name(names) => helps
                        .extend(names().iter().filter_map(|line| Some(line.split_once(' ')?.1.to_owned()))),
                    _ => {}
                }
                for help in helps.iter().filter(|help| !help.is_empty()) {
                    let said = in_window(help.trim());
                    assert!(!said.is_empty(), "{of}: {help}");
                    plain(&said, &of);
                    if said != help.trim() {
                        whole(&said, &of);
                        cut += 1;
                    }
                }
                plain(&tooltip(param, &Offer::of(param)), &of);
            }
        }
        assert!(cut > 20, "{cut} were cut");
    }

    /// Methods and exactness stand last and folded; once they are open they stay so, and each demo has its scene before what is shown of it.
    #[test]
    fn the_solver_is_folded_until_somebody_opens_it_and_stands_below_all_else() -> Result<()> {
        let about = named("fluid").context("fluid")?;
        let values = about.values_of("size=9x9").map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = (about.start)(&Gpu::headless()?, &request)?;
        let (mut sheet, mut deferred) = (Sheet::default(), Deferred::default());
        let mut frame = |events| sheet.frame(events, |ui| show(ui, about, &mut *demo, &mut deferred)).1;
        frame(vec![]);
        let seen = frame(vec![]);
        assert!(place(&seen, "advection").is_err());
        let order = ["scene", "show", "viscosity", SOLVER].map(|text| place(&seen, text).map(|at| at.top()));
        let order = order.into_iter().collect::<Result<Vec<_>>>()?;
        assert!(order.is_sorted(), "{order:?}");
        for events in click(place(&seen, SOLVER)?.center()) {
            frame(events);
        }
        let mut seen = Vec::new();
        for _ in 0..60 {
            seen = frame(vec![]);
        }
        assert!(place(&seen, "advection")?.top() > place(&seen, SOLVER)?.bottom());
        for about in DEMOS {
            let sections: Vec<_> = about.in_panel().iter().map(|param| param.section).collect();
            assert!(
                sections.is_sorted() && about.in_panel().len() == about.params().count(),
                "{}",
                about.name
            );
        }
        Ok(())
    }

    /// A word of a further row stands below its own caption.
    #[test]
    fn words_have_a_row_for_each_caption() -> Result<()> {
        fn words() -> Vec<Choice> {
            ["if", "mask", "loop"].map(|name| Choice { name, help: "" }).to_vec()
        }
        let (kind, rows): (_, &[(usize, &str)]) = (Kind::Choice(words), &[(2, "orbits")]);
        let way = Param { name: "way", label: "squares", kind, rows, live: Live::Words, ..Param::NEW };
        let mut sheet = Sheet::default();
        let seen = sheet.widget(&way, &Value::Word("if"), vec![vec![], vec![]]).1;
        let top = |text: &str| place(&seen, text).map(|at| at.center().y);
        assert!((top("squares")? - top("mask")?).abs() < 4.0 && (top("orbits")? - top("loop")?).abs() < 4.0);
        assert!(top("orbits")? > top("squares")? + 8.0);
        let at = place(&seen, "loop")?.center();
        assert_eq!(sheet.widget(&way, &Value::Word("if"), click(at)).0, Some(Value::Word("loop")));
        Ok(())
    }

    /// Enter on a line of the list chooses it, and the list is gone.
    #[test]
    fn a_list_closes_when_enter_chooses() -> Result<()> {
        fn names() -> Vec<String> {
            ["coral branches", "zeta spots"].map(str::to_owned).to_vec()
        }
        let preset = Param { name: "preset", kind: Kind::Name(names), live: Live::Words, ..Param::NEW };
        let key = |key| {
            let of = |pressed| Event::Key {
                key,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: Modifiers::default(),
            };
            vec![vec![of(true)], vec![of(false)]]
        };
        let value = Value::Text("coral".to_owned());
        // Tab leads from widget to widget, one of which is the line.
        let found = (1..8).find_map(|tabs| {
            let mut sheet = Sheet::default();
            let seen = sheet.widget(&preset, &value, vec![vec![], vec![]]).1;
            let at = place(&seen, "coral").ok()?.center();
            sheet.widget(&preset, &value, [click(at), vec![vec![]; 4]].concat());
            assert!(egui::Popup::is_any_open(&sheet.context));
            let mut frames: Vec<_> = (0..tabs).flat_map(|_| key(Key::Tab)).collect();
            frames.extend([key(Key::Enter), vec![vec![]; 2]].concat());
            let chosen = sheet.widget(&preset, &value, frames).0?;
            Some((chosen, egui::Popup::is_any_open(&sheet.context)))
        });
        assert_eq!(found, Some((Value::Text("zeta".to_owned()), false)));
        Ok(())
    }

    /// Consequences of a change are taken back with it: of waves beside others scheme and beta, of a stack its size.
    #[test]
    fn a_change_is_taken_back_with_all_that_followed_from_it() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (name, address, changed) in [
            ("wave", "size=12x10&beta=0.3", Values::new().with("beside", true)),
            ("wave", "size=12x10&drops=7", Values::new().with("walls", "slit")),
            ("wall", "columns=3&rows=2&form=reference", Values::new().with("stack", "pyramid")),
            ("smooth", "mesh=a.obj", Values::new().with("mesh", "cube".to_owned())),
            ("smooth", "mesh=a.obj&noise=0.1", Values::new().with("mesh", "cube".to_owned())),
            ("reaction-diffusion", "size=12x10", Values::new().with("preset", "zeta".to_owned())),
            ("reaction-diffusion", "size=12x10&F=0.05", Values::new().with("preset", "zeta".to_owned())),
        ] {
            let about = named(name).context(name)?;
            let values = about.values_of(address).map_err(|line| anyhow!(line))?;
            let request =
                Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
            let mut demo = (about.start)(&gpu, &request)?;
            let (before, numbers) = (demo.values(), demo.numbers()?.values);
            let mut sheet = Sheet::default();
            let made = sheet.frame(vec![], |ui| set(ui, about, ui.scope_id(), &mut *demo, changed.clone())).0;
            let (from, to) = made.context("no frame")??.context("refused")?;
            let after = demo.values();
            assert!(from.iter().count() > 1 && after != before, "{name}: {from:?}");
            demo.set(&from)?;
            assert_eq!(demo.values(), before, "{name}");
            assert!(name != "smooth" || demo.numbers()?.values == numbers, "the mesh of the file");
            demo.set(&to)?;
            assert_eq!(demo.values(), after, "{name}");
        }
        Ok(())
    }

    /// Balanced, or without particles: a word of the offer, not a value of the demo.
    #[test]
    fn what_only_the_offer_tells_is_taken_back() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (name, address, changed) in [
            ("clouds", "size=12x10", Values::new().with("evaporation", 50.0_f32)),
            ("fluid", "size=9x9&scene=cavity", Values::new().with("particles", 20_u64)),
        ] {
            let about = named(name).context(name)?;
            let values = about.values_of(address).map_err(|line| anyhow!(line))?;
            let request =
                Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
            let mut demo = (about.start)(&gpu, &request)?;
            let before = demo.values();
            let made = Sheet::default()
                .frame(vec![], |ui| set(ui, about, ui.scope_id(), &mut *demo, changed.clone()))
                .0;
            let (from, _) = made.context("no frame")??.context("refused")?;
            assert!(demo.values() != before, "{name}");
            demo.set(&from)?;
            assert_eq!(demo.values(), before, "{name}");
        }
        Ok(())
    }

    /// A paused image whose bins, pixels or seed are others: the panel reads its counts at once.
    #[test]
    fn counts_in_the_panel_are_those_of_the_bins_that_there_are() -> Result<()> {
        let about = named("histogram").context("histogram")?;
        let gpu = Gpu::headless()?;
        let begun = |address: &str, seed: u64| {
            let values = about.values_of(address).map_err(|line| anyhow!(line))?;
            let request = Request {
                draws: true,
                seed: Some(seed),
                ..Request::new(values, Rc::new(TestHost::default()))
            };
            (about.start)(&gpu, &Rc::new(request))
        };
        let read = |demo: &mut dyn Demo| {
            let (shown, seen) =
                Sheet::default().frame(vec![], |ui| show(ui, about, demo, &mut Deferred::default()));
            shown.context("no frame")??;
            Ok::<_, anyhow::Error>(seen.into_iter().map(|(line, _)| line).collect::<Vec<_>>())
        };
        let mut demo = begun("size=64x64", 1)?;
        assert!(read(&mut *demo)?.contains(&"16 pixels".to_owned()));
        demo.set(&Values::new().with("bins", 32_u64))?;
        assert_eq!(read(&mut *demo)?, read(&mut *begun("size=64x64&bins=32", 1)?)?);
        demo.reset(7)?;
        let before = read(&mut *demo)?;
        assert_eq!(before, read(&mut *begun("size=64x64&bins=32", 7)?)?);
        demo.touch(Touch::Cell { x: 32.0, y: 32.0, tip: 20.0.into(), drag: Drag::default() })?;
        assert_ne!(read(&mut *demo)?, before);
        Ok(())
    }

    #[test]
    fn a_value_that_a_demo_refuses_is_said_and_the_demo_goes_on() -> Result<()> {
        let about = named("clouds").context("clouds")?;
        let size = about.param("size").context("size")?;
        let values = Values::new().with("size", size.parse("12x10").map_err(|line| anyhow!(line))?);
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = (about.start)(&Gpu::headless()?, &request)?;
        let mut sheet = Sheet::default();
        let mut lines = Vec::new();
        for events in [vec![], vec![]] {
            let (shown, seen) =
                sheet.frame(events, |ui| show(ui, about, &mut *demo, &mut Deferred::default()));
            shown.context("no frame")??;
            lines = seen;
        }
        let row = place(&lines, "mixing, m²/s")?;
        let number = lines
            .iter()
            .filter(|(text, at)| text.parse::<f64>().is_ok() && (at.center().y - row.center().y).abs() < 6.0);
        let at = number.map(|(_, at)| at.center()).next().context("no number")?;
        for events in typed(at, "1e8") {
            let (shown, seen) =
                sheet.frame(events, |ui| show(ui, about, &mut *demo, &mut Deferred::default()));
            shown.context("no frame")??;
            lines = seen;
        }
        assert!(
            lines.iter().any(|(line, _)| line.contains("mixing") && line.contains("expected")),
            "{lines:?}"
        );
        Ok(())
    }

    #[test]
    fn words_are_said_in_one_frame_and_set_in_the_next() -> Result<()> {
        let about = named("heat").context("heat")?;
        let values = about.values_of("size=8x8").map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = (about.start)(&Gpu::headless()?, &request)?;
        let (mut sheet, mut deferred) = (Sheet::default(), Deferred::default());
        let (_, seen) = sheet.frame(vec![], |ui| show(ui, about, &mut *demo, &mut deferred));
        let at = place(&seen, "masks")?.center();
        assert!(demo.values().word("flow") != Some("masks"));
        let mut said = None;
        for events in click(at) {
            sheet.frame(events, |ui| show(ui, about, &mut *demo, &mut deferred)).0.context("no frame")??;
            if let Some(line) = deferred.line() {
                assert!(demo.values().word("flow") != Some("masks"), "not before it was said");
                said = Some(line);
            }
        }
        assert_eq!(said.as_deref(), Some("flow masks: compiling what it needs ..."));
        let (shown, _) = sheet.frame(vec![], |ui| show(ui, about, &mut *demo, &mut deferred));
        let change = shown.context("no frame")??.change.context("no change")?;
        assert_eq!((change.0.word("flow"), change.1.word("flow")), (Some("combined"), Some("masks")));
        assert_eq!((demo.values().word("flow"), deferred.line()), (Some("masks"), None));
        Ok(())
    }

    #[test]
    fn what_holds_from_the_start_on_is_typed_over_for_another_beginning() -> Result<()> {
        let about = named("heat").context("heat")?;
        let values = about.values_of("size=8x8").map_err(|line| anyhow!(line))?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = (about.start)(&Gpu::headless()?, &request)?;
        for (text, expected, said) in
            [("31x17", Some(Value::Size([31, 17])), false), ("31", None, true), ("8x8", None, false)]
        {
            let (mut sheet, mut deferred) = (Sheet::default(), Deferred::default());
            let mut frame = |events| {
                let (shown, seen) = sheet.frame(events, |ui| show(ui, about, &mut *demo, &mut deferred));
                Ok::<_, anyhow::Error>((shown.context("no frame")??.beginning, seen))
            };
            let (_, seen) = frame(vec![])?;
            let header = seen.iter().find(|(text, _)| text.starts_with("begin anew with: size"));
            let header = header.context("no header")?.1.center();
            for events in click(header) {
                frame(events)?;
            }
            // The section opens in a while.
            let mut seen = Vec::new();
            for _ in 0..40 {
                seen = frame(vec![])?.1;
            }
            let at = place(&seen, "8x8")?.center();
            let mut begun = None;
            let all = |pressed| Event::Key {
                key: Key::A,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: Modifiers::COMMAND,
            };
            let mut frames = click(at);
            frames.push(vec![all(true), all(false)]);
            frames.extend(typed(at, text).split_off(4));
            for events in frames {
                let (beginning, texts) = frame(events)?;
                begun = beginning.or(begun);
                seen = texts;
            }
            assert_eq!(begun.as_ref().and_then(|values| values.get("size")), expected.as_ref(), "{text}");
            let refused = seen.iter().any(|(line, _)| line.contains("expected WIDTHxHEIGHT"));
            assert_eq!(refused, said, "{text}");
        }
        Ok(())
    }
}
