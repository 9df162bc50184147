//! The file: TOML with the place of everything in it, before any name is known.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::tree::{Kind, Place, Tree, parse};
use super::{Advection, Parameter, Preset, Scheme, Show};
use crate::script::{Fault, Span, nearest};

/// Nodes a side at most: the largest texture of any driver.
const MOST_NODES: u32 = 65_536;

/// Letters of the name of a preset at most: it is a button.
const MOST_LETTERS: usize = 32;

type Read<T> = Result<T, Fault>;

/// A file as it is written.
pub(super) struct Raw {
    pub grid: RawGrid,
    pub parameters: Vec<Parameter>,
    pub presets: Vec<Preset>,
    pub lets: Vec<RawLet>,
    pub fields: Vec<RawField>,
    pub run: RawRun,
    pub views: Vec<RawView>,
    pub probes: Vec<RawProbe>,
}

pub(super) struct RawGrid {
    pub size: [u32; 2],
    pub dimensions: usize,
    pub length: [f64; 2],
    pub origin: [f64; 2],
    pub mask: Option<Tree>,
}

pub(super) struct RawLet {
    pub name: String,
    pub span: Span,
    pub tree: Tree,
}

pub(super) struct RawField {
    pub name: String,
    pub span: Span,
    pub dt: Option<Tree>,
    pub is: Option<Tree>,
    pub start: Option<Tree>,
    /// left, right, bottom, top, and that of the mask.
    pub edges: [Option<RawEdge>; 5],
    pub noise: Option<Tree>,
    pub stabilise: Vec<(String, Span, Tree)>,
    pub exact: Option<Tree>,
}

#[derive(Clone)]
pub(super) struct RawEdge {
    pub kind: RawEdgeKind,
    pub span: Span,
}

#[derive(Clone)]
pub(super) enum RawEdgeKind {
    Periodic,
    Neumann,
    Value(Tree),
    Derivative(Tree),
    Robin(Tree, Tree),
}

pub(super) struct RawRun {
    pub span: Span,
    pub scheme: Option<(Scheme, Span)>,
    pub step: Option<f64>,
    pub until: Option<f64>,
    pub repeat: bool,
    pub tolerance: Option<f64>,
    pub tolerance_span: Option<Span>,
    pub implicit_span: Option<Span>,
    pub advection: Advection,
    pub implicit: Option<String>,
    pub seed: Option<u64>,
}

pub(super) struct RawView {
    pub show: Tree,
    pub kind: Show,
    pub colours: Option<String>,
    pub range: Option<[f64; 2]>,
    pub contours: Vec<f64>,
    pub arrows: Option<[Tree; 2]>,
}

pub(super) struct RawProbe {
    pub name: String,
    pub show: Tree,
    pub at: Option<([f64; 2], Span)>,
}

/// Reads a file.
///
/// # Errors
/// The first that is no TOML, no key, or no value of its key.
pub(super) fn read(text: &str) -> Read<Raw> {
    let reader = Reader { text };
    let document = DeTable::parse(text).map_err(|error| {
        let span = error.span().map_or(Span::default(), |range| reader.fit(range));
        if let Some(open) = reader.unclosed(span) {
            return open;
        }
        Fault::new(span, reader.slip(span) + &error.message().lines().collect::<Vec<_>>().join(", "))
    })?;
    let whole = Span { start: 0, end: 0 };
    let top = reader.entries(document.get_ref(), "an equation file", whole);
    top.known(TABLES)?;
    let grid = reader.grid(top.table("grid", "[grid]")?)?;
    let parameters = match top.get("parameters") {
        Some(_) => reader.parameters(&top.table("parameters", "[parameters]")?)?,
        None => Vec::new(),
    };
    let presets = match top.get("presets") {
        Some(_) => reader.presets(&top.table("presets", "[presets]")?, &parameters)?,
        None => Vec::new(),
    };
    let mut lets = Vec::new();
    if top.get("let").is_some() {
        for entry in top.table("let", "[let]")?.list {
            misplaced(&entry, "[let]")?;
            let tree = reader.formula(entry.value)?;
            lets.push(RawLet { name: entry.name.to_owned(), span: entry.span, tree });
        }
    }
    let fields = top.table("fields", "[fields]")?.list;
    fields.iter().try_for_each(|entry| misplaced(entry, "[fields]"))?;
    let fields = fields.iter().map(|entry| reader.field(entry, grid.dimensions)).collect::<Read<_>>()?;
    let run = match top.get("run") {
        Some(_) => reader.run(&top.table("run", "[run]")?)?,
        None => reader.run(&Entries { list: Vec::new(), what: "[run]", span: whole })?,
    };
    let views = reader.each(&top, "views", |table| reader.view(&table))?;
    let probes = reader.each(&top, "probes", |table| reader.probe(&table, grid.dimensions))?;
    Ok(Raw { grid, parameters, presets, lets, fields, run, views, probes })
}

struct Reader<'t> {
    text: &'t str,
}

/// A key with its value.
struct Entry<'d> {
    name: &'d str,
    span: Span,
    value: &'d Spanned<DeValue<'d>>,
}

/// A table in the order of its file.
struct Entries<'d> {
    list: Vec<Entry<'d>>,
    what: &'static str,
    /// The place that an error about a missing key names.
    span: Span,
}

impl<'d> Entries<'d> {
    fn get(&self, name: &str) -> Option<&Entry<'d>> {
        self.list.iter().find(|entry| entry.name == name)
    }

    /// Refuses other keys than these.
    fn known(&self, keys: &[&str]) -> Read<()> {
        let Some(strange) = self.list.iter().find(|entry| !keys.contains(&entry.name)) else { return Ok(()) };
        let near = nearest(strange.name, keys.iter().copied());
        let hint = near.map_or_else(
            || format!("there are {}", keys.join(", ")),
            |near| format!("did you mean \"{near}\"?"),
        );
        Err(Fault::new(strange.span, format!("\"{}\" is no key of {}; {hint}", strange.name, self.what)))
    }

    fn need(&self, name: &str) -> Read<&Entry<'d>> {
        self.get(name).ok_or_else(|| Fault::new(self.span, format!("{} has no `{name}`", self.what)))
    }

    fn table(&self, name: &str, what: &'static str) -> Read<Entries<'d>> {
        let entry = self.need(name)?;
        inner(entry.value, what, entry.span).ok_or_else(|| wrong(entry.value, "a table", what))
    }
}

fn span(value: &Spanned<DeValue>) -> Span {
    Span { start: value.span().start, end: value.span().end }
}

fn wrong(value: &Spanned<DeValue>, expected: &str, what: &str) -> Fault {
    let found = match value.get_ref() {
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        other => format!("a value of type {}", other.type_str()),
    };
    Fault::new(span(value), format!("{what}: found {found}, expected {expected}"))
}

/// The keys of a table, sorted as they are written.
fn inner<'d>(value: &'d Spanned<DeValue<'d>>, what: &'static str, place: Span) -> Option<Entries<'d>> {
    value.get_ref().as_table().map(|table| listed(table, what, place))
}

fn listed<'d>(table: &'d DeTable<'d>, what: &'static str, span: Span) -> Entries<'d> {
    let mut list: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            name: key.get_ref(),
            span: Span { start: key.span().start, end: key.span().end },
            value,
        })
        .collect();
    list.sort_by_key(|entry| entry.span.start);
    Entries { list, what, span }
}

/// Returns true for letters, digits and single underscores behind a letter.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains("__")
        && !name.ends_with('_')
        && name.len() <= 32
}

fn check_name(entry: &Entry) -> Read<()> {
    if is_name(entry.name) {
        return Ok(());
    }
    let message = format!(
        "\"{}\" is no name: expected a letter, then letters, digits and single underscores, 32 at most",
        entry.name
    );
    Err(Fault::new(entry.span, message))
}

/// Tables of a file.
const TABLES: &[&str] = &["grid", "parameters", "presets", "let", "fields", "run", "views", "probes"];

/// Refuses a table of the file inside another, where all keys behind that one's heading are.
fn misplaced(entry: &Entry, table: &str) -> Read<()> {
    let inside = entry.value.get_ref().as_table();
    let is_entry = |keys: &DeTable| ["dt", "is", "value"].iter().any(|key| keys.contains_key(*key));
    let is_own = inside.is_some_and(is_entry);
    let is_plain = !entry.value.get_ref().is_array() && inside.is_none();
    if is_own || is_plain || !TABLES.contains(&entry.name) {
        return Ok(());
    }
    let name = entry.name;
    let message = format!("\"{name}\" stands in {table}, as all keys below that heading do: move it above");
    Err(Fault::new(entry.span, message))
}

impl Reader<'_> {
    /// The likely slip in a line that is no TOML.
    fn slip(&self, span: Span) -> String {
        let start = self.text[..span.start].rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let before = &self.text[start..span.start];
        let is_digit = |c: char| c.is_ascii_digit();
        let (ahead, behind) = (before.trim_end_matches(is_digit), &self.text[span.start..]);
        let number = ahead.len() < before.len();
        let comma = ahead.strip_suffix(',').is_some_and(|rest| number && rest.ends_with(is_digit));
        let comma =
            comma || number && behind.strip_prefix(',').is_some_and(|rest| rest.starts_with(is_digit));
        if comma {
            "a number has a point, as 0.5: ".to_owned()
        } else if !line.matches('"').count().is_multiple_of(2) {
            "a text between quotes is not closed in this line: ".to_owned()
        } else {
            String::new()
        }
    }

    /// The bracket that nothing closes, if a later line than its own is no TOML for that: where it is missing.
    fn unclosed(&self, wrong: Span) -> Option<Fault> {
        let open = |text: &str| brackets(text).last().copied();
        let (at, bracket) = open(&self.text[..wrong.start])?;
        let lines = &self.text[..self.text[..wrong.start].rfind('\n')? + 1];
        if at >= lines.len() || !brackets(self.text).contains(&(at, bracket)) {
            return None;
        }
        // The end of the last line that is not empty, before its comment.
        let (mut end, mut start) = (at + 1, 0);
        for line in lines.split_inclusive('\n') {
            let kept = uncommented(line).trim_end();
            end = if kept.is_empty() { end } else { start + kept.len() };
            start += line.len();
        }
        let closing = if bracket == '{' { '}' } else { ']' };
        let line = |at: usize| self.text[..at].matches('\n').count() + 1;
        let of = if line(at) == line(end) { "this line".to_owned() } else { format!("line {}", line(at)) };
        let last = self.text[..end].char_indices().next_back().map_or(0, |(last, _)| last);
        let span = Span { start: last, end };
        Some(Fault::new(
            span,
            format!("a `{closing}` is missing after this: nothing closes the `{bracket}` of {of}"),
        ))
    }

    /// A range of the text as a span of it.
    fn fit(&self, range: std::ops::Range<usize>) -> Span {
        let mut start = range.start.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = range.end.clamp(start, self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        Span { start, end }
    }

    fn entries<'d>(&self, table: &'d DeTable<'d>, what: &'static str, span: Span) -> Entries<'d> {
        listed(table, what, span)
    }

    /// A formula between quotes, or a number.
    fn formula(&self, value: &Spanned<DeValue>) -> Read<Tree> {
        let whole = span(value);
        let text = match value.get_ref() {
            DeValue::String(text) => text,
            DeValue::Integer(_) | DeValue::Float(_) => {
                return Ok(Tree { kind: Kind::Number(number(value, "a formula")?), span: whole });
            }
            _ => return Err(wrong(value, "a formula between quotes, or a number", "a formula")),
        };
        let written = &self.text[whole.start..whole.end];
        let quotes = if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        let inside = written.get(quotes..written.len().saturating_sub(quotes)).unwrap_or_default();
        let first = whole.start + quotes + (inside.len() - inside.trim_start_matches(['\r', '\n']).len());
        let plain = self.text[first..].starts_with(text.as_ref());
        let place = if plain { Place::At(first) } else { Place::Within(whole) };
        if text.trim().is_empty() {
            return Err(Fault::new(whole, "the formula is empty"));
        }
        parse(text, place)
    }

    fn each<T>(&self, top: &Entries, name: &str, make: impl Fn(Entries) -> Read<T>) -> Read<Vec<T>> {
        let Some(entry) = top.get(name) else { return Ok(Vec::new()) };
        let what = if name == "views" { "a view" } else { "a probe" };
        let list = entry.value.get_ref().as_array();
        let list = list.ok_or_else(|| wrong(entry.value, "a list of tables", name))?;
        let table = |value| inner(value, what, entry.span).ok_or_else(|| wrong(value, "a table", what));
        list.iter().map(|value| table(value).and_then(&make)).collect()
    }

    fn grid(&self, table: Entries) -> Read<RawGrid> {
        table.known(&["size", "length", "origin", "mask"])?;
        let size_entry = table.need("size")?;
        let sizes = numbers(size_entry.value, "size")?;
        if sizes.is_empty() || sizes.len() > 2 {
            return Err(wrong(
                size_entry.value,
                "nodes along x, as 257, or along x and y, as [65, 65]",
                "size",
            ));
        }
        let dimensions = sizes.len();
        let mut size = [1; 2];
        for (side, (value, place)) in size.iter_mut().zip(&sizes) {
            if value.fract() != 0.0 || *value < 3.0 || *value > f64::from(MOST_NODES) {
                let message =
                    format!("size {value}: expected a whole number of nodes from 3 to {MOST_NODES}");
                return Err(Fault::new(*place, message));
            }
            *side = *value as u32;
        }
        let per_axis = |name: &str, default: Option<f64>| -> Read<[f64; 2]> {
            let Some(entry) = table.get(name) else {
                let default =
                    default.ok_or_else(|| Fault::new(table.span, format!("[grid] has no `{name}`")))?;
                return Ok([default; 2]);
            };
            let all = numbers(entry.value, name)?;
            if all.len() != dimensions {
                let of = if dimensions == 1 { "one number" } else { "two numbers, as [1, 1]" };
                return Err(wrong(entry.value, of, name));
            }
            if name == "length"
                && let Some((value, place)) = all.iter().find(|(value, _)| *value <= 0.0)
            {
                return Err(Fault::new(*place, format!("length {value}: expected more than 0")));
            }
            Ok([all[0].0, all.get(1).map_or(0.0, |second| second.0)])
        };
        let mut length = per_axis("length", None)?;
        let origin = per_axis("origin", Some(0.0))?;
        if dimensions == 1 {
            length[1] = 1.0;
        }
        let mask = table.get("mask").map(|entry| self.formula(entry.value)).transpose()?;
        Ok(RawGrid { size, dimensions, length, origin, mask })
    }

    fn parameters(&self, table: &Entries) -> Read<Vec<Parameter>> {
        let mut all = Vec::new();
        for entry in &table.list {
            misplaced(entry, "[parameters]")?;
            check_name(entry)?;
            if entry.value.get_ref().is_str() {
                return Err(wrong(entry.value, "a finite number; a formula stands in [let]", entry.name));
            }
            let (value, range) = match inner(entry.value, "a parameter", entry.span) {
                None => (number(entry.value, entry.name)?, None),
                Some(parts) => {
                    parts.known(&["value", "range"])?;
                    let value = parts.need("value")?;
                    let value = (number(value.value, entry.name)?, span(value.value));
                    let range = match parts.get("range") {
                        None => None,
                        Some(range) => Some(pair(range.value, "range", true)?),
                    };
                    if let Some([least, most]) =
                        range.filter(|[least, most]| !(*least..=*most).contains(&value.0))
                    {
                        let message =
                            format!("{} = {} is outside its range {least} to {most}", entry.name, value.0);
                        return Err(Fault::new(value.1, message));
                    }
                    (value.0, range)
                }
            };
            all.push(Parameter { name: entry.name.to_owned(), span: entry.span, value, range });
        }
        Ok(all)
    }

    /// Values of parameters by the name of what they lead to.
    fn presets(&self, table: &Entries, parameters: &[Parameter]) -> Read<Vec<Preset>> {
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let preset = |entry: &Entry| {
            misplaced(entry, "[presets]")?;
            let length = entry.name.chars().count();
            if !(1..=MOST_LETTERS).contains(&length) || entry.name.chars().any(char::is_control) {
                let message = format!(
                    "the name of a preset has {length} letters, expected 1 to {MOST_LETTERS} on a line"
                );
                return Err(Fault::new(entry.span, message));
            }
            let Some(inside) = inner(entry.value, "a preset", entry.span) else {
                return Err(wrong(entry.value, "values of parameters, as { a = 1 }", entry.name));
            };
            if inside.list.is_empty() {
                return Err(Fault::new(span(entry.value), "a preset sets a parameter, as { a = 1 }"));
            }
            if let Some(strange) = inside.list.iter().find(|entry| !names.contains(&entry.name)) {
                let near = nearest(strange.name, names.iter().copied());
                let hint = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
                return Err(Fault::new(strange.span, format!("\"{}\" is no parameter{hint}", strange.name)));
            }
            let mut values = Vec::new();
            for (at, parameter) in parameters.iter().enumerate() {
                let Some(found) = inside.get(&parameter.name) else { continue };
                let value = number(found.value, found.name)?;
                if let Some([least, most]) =
                    parameter.range.filter(|[least, most]| !(*least..=*most).contains(&value))
                {
                    let message = format!("{} = {value} is outside its range {least} to {most}", found.name);
                    return Err(Fault::new(span(found.value), message));
                }
                values.push((at, value));
            }
            Ok(Preset { name: entry.name.to_owned(), values })
        };
        table.list.iter().map(preset).collect()
    }

    fn field(&self, entry: &Entry, dimensions: usize) -> Read<RawField> {
        check_name(entry)?;
        let table = inner(entry.value, "a field", entry.span)
            .ok_or_else(|| wrong(entry.value, "a table", entry.name))?;
        table.known(&["dt", "is", "start", "edges", "noise", "stabilise", "exact"])?;
        let formula = |name: &str| table.get(name).map(|entry| self.formula(entry.value)).transpose();
        let mut stabilise = Vec::new();
        if let Some(found) = table.get("stabilise") {
            let inside = inner(found.value, "stabilise", found.span)
                .ok_or_else(|| wrong(found.value, "a table, as { u = 2 }", "stabilise"))?;
            for entry in inside.list {
                stabilise.push((entry.name.to_owned(), entry.span, self.formula(entry.value)?));
            }
        }
        let edges = match table.get("edges") {
            None => [const { None }; 5],
            Some(edges) => self.edges(edges, dimensions)?,
        };
        Ok(RawField {
            name: entry.name.to_owned(),
            span: entry.span,
            dt: formula("dt")?,
            is: formula("is")?,
            start: formula("start")?,
            edges,
            noise: formula("noise")?,
            stabilise,
            exact: formula("exact")?,
        })
    }

    /// The rule of each side: one for all, or by sides.
    fn edges(&self, entry: &Entry, dimensions: usize) -> Read<[Option<RawEdge>; 5]> {
        const SIDES: [(&str, &[usize]); 7] = [
            ("x", &[0, 1]),
            ("y", &[2, 3]),
            ("left", &[0]),
            ("right", &[1]),
            ("bottom", &[2]),
            ("top", &[3]),
            ("mask", &[4]),
        ];
        let table = inner(entry.value, "edges", entry.span);
        let by_sides = table.filter(|table| table.list.iter().all(|key| !RULES.contains(&key.name)));
        let Some(table) = by_sides else {
            let edge = self.edge(entry.value, entry.span)?;
            // A mask has no other side that it could go on at.
            let mask = RawEdge {
                kind: match &edge.kind {
                    RawEdgeKind::Value(tree) => RawEdgeKind::Value(tree.clone()),
                    _ => RawEdgeKind::Neumann,
                },
                span: edge.span,
            };
            let side = Some(edge);
            return Ok([side.clone(), side.clone(), side.clone(), side, Some(mask)]);
        };
        table.known(&SIDES.map(|(name, _)| name))?;
        let mut all = [const { None::<RawEdge> }; 5];
        for key in &table.list {
            let sides = SIDES.iter().find(|(name, _)| *name == key.name).map_or(&[][..], |(_, sides)| sides);
            if dimensions == 1 && sides.iter().any(|side| [2, 3].contains(side)) {
                return Err(Fault::new(
                    key.span,
                    format!("a line has no `{}`: `x`, `left` and `right` are its ends", key.name),
                ));
            }
            let edge = self.edge(key.value, key.span)?;
            for &side in sides {
                if all[side].is_some() {
                    return Err(Fault::new(
                        key.span,
                        format!("`{}` says again what is said of that side", key.name),
                    ));
                }
                all[side] = Some(edge.clone());
            }
        }
        Ok(all)
    }

    fn edge(&self, value: &Spanned<DeValue>, place: Span) -> Read<RawEdge> {
        const EXPECTED: &str = "\"periodic\", \"neumann\", { value = \"e\" }, { derivative = \"e\" } or { robin = \"b\", const = \"g\" }";
        let whole = span(value);
        if let Some(word) = value.get_ref().as_str() {
            let kind = match word {
                "periodic" => RawEdgeKind::Periodic,
                "neumann" => RawEdgeKind::Neumann,
                _ => return Err(wrong(value, EXPECTED, "an edge")),
            };
            return Ok(RawEdge { kind, span: whole });
        }
        let table = inner(value, "an edge", place).ok_or_else(|| wrong(value, EXPECTED, "an edge"))?;
        table.known(RULES)?;
        let of = |name: &str| table.get(name).map(|entry| self.formula(entry.value)).transpose();
        let kind = match (of("value")?, of("derivative")?, of("robin")?, of("const")?) {
            (Some(value), None, None, None) => RawEdgeKind::Value(value),
            (None, Some(derivative), None, None) => RawEdgeKind::Derivative(derivative),
            (None, None, Some(robin), constant) => {
                let zero = || Tree { kind: Kind::Number(0.0), span: whole };
                RawEdgeKind::Robin(robin, constant.unwrap_or_else(zero))
            }
            _ => return Err(Fault::new(whole, format!("an edge: expected one of {EXPECTED}"))),
        };
        // Without braces of its own, a dotted table lies at its key.
        let span = if whole.end > whole.start { whole } else { place };
        Ok(RawEdge { kind, span })
    }

    fn run(&self, table: &Entries) -> Read<RawRun> {
        table.known(&["scheme", "step", "until", "repeat", "tolerance", "advection", "implicit", "seed"])?;
        let positive = |name: &str| -> Read<Option<f64>> {
            let Some(entry) = table.get(name) else { return Ok(None) };
            let value = number(entry.value, name)?;
            if value > 0.0 {
                return Ok(Some(value));
            }
            Err(Fault::new(span(entry.value), format!("{name} {value}: expected more than 0")))
        };
        let scheme = match table.get("scheme") {
            None => None,
            Some(entry) => Some((word(entry, Scheme::ALL)?, span(entry.value))),
        };
        let advection = match table.get("advection") {
            None => Advection::default(),
            Some(entry) => word(entry, Advection::ALL)?,
        };
        let implicit = match table.get("implicit") {
            None => None,
            Some(entry) => Some(word(entry, &[("none", "none"), ("all", "all")])?.to_owned()),
        };
        let repeat = match table.get("repeat") {
            None => false,
            Some(entry) => match entry.value.get_ref() {
                DeValue::Boolean(repeat) => *repeat,
                _ => return Err(wrong(entry.value, "true or false", "repeat")),
            },
        };
        let seed = match table.get("seed") {
            None => None,
            Some(entry) => {
                let value = number(entry.value, "seed")?;
                if value.fract() != 0.0 || !(0.0..9e15).contains(&value) {
                    return Err(wrong(entry.value, "a whole number from 0 to 9e15", "seed"));
                }
                Some(value as u64)
            }
        };
        let (step, until, tolerance) = (positive("step")?, positive("until")?, positive("tolerance")?);
        let place = |name: &str| table.get(name).map(|entry| entry.span);
        let (tolerance_span, implicit_span) = (place("tolerance"), place("implicit"));
        let span = table.span;
        Ok(RawRun {
            span,
            scheme,
            step,
            until,
            repeat,
            tolerance,
            tolerance_span,
            implicit_span,
            advection,
            implicit,
            seed,
        })
    }

    fn view(&self, table: &Entries) -> Read<RawView> {
        table.known(&["show", "kind", "colours", "range", "contours", "arrows"])?;
        let kind = table.get("kind").map_or(Ok(Show::default()), |entry| word(entry, Show::ALL))?;
        let colours = match table.get("colours") {
            None => None,
            Some(entry) => match entry.value.get_ref().as_str() {
                Some(name) => Some(name.to_owned()),
                None => return Err(wrong(entry.value, "the name of a colour map", "colours")),
            },
        };
        let range = table.get("range").map(|entry| pair(entry.value, "range", true)).transpose()?;
        let contours = match table.get("contours") {
            None => Vec::new(),
            Some(entry) => numbers(entry.value, "contours")?.into_iter().map(|(value, _)| value).collect(),
        };
        let arrows = match table.get("arrows") {
            None => None,
            Some(entry) => match entry.value.get_ref().as_array() {
                Some(list) if list.len() == 2 => Some([self.formula(&list[0])?, self.formula(&list[1])?]),
                _ => return Err(wrong(entry.value, "two formulas, as [\"a\", \"b\"]", "arrows")),
            },
        };
        Ok(RawView { show: self.formula(table.need("show")?.value)?, kind, colours, range, contours, arrows })
    }

    fn probe(&self, table: &Entries, dimensions: usize) -> Read<RawProbe> {
        table.known(&["name", "show", "at"])?;
        let name = table.need("name")?;
        let text = name.value.get_ref().as_str().filter(|text| is_name(text));
        let text =
            text.ok_or_else(|| wrong(name.value, "a name of letters, digits and underscores", "name"))?;
        let at = match table.get("at") {
            None => None,
            Some(entry) => {
                let place = numbers(entry.value, "at")?;
                if place.len() != dimensions {
                    let expected = if dimensions == 1 { "x" } else { "[x, y]" };
                    return Err(wrong(entry.value, expected, "at"));
                }
                Some(([place[0].0, place.get(1).map_or(0.0, |second| second.0)], span(entry.value)))
            }
        };
        let show = self.formula(table.need("show")?.value)?;
        Ok(RawProbe { name: text.to_owned(), show, at })
    }
}

/// The brackets that are open at the end of a text, with their places; those of strings and comments are none.
fn brackets(text: &str) -> Vec<(usize, char)> {
    let mut open = Vec::new();
    let mut quote: Option<&str> = None;
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut length = next.len_utf8();
        match quote {
            Some(end) if rest.starts_with(end) => (quote, length) = (None, end.len()),
            Some(end) if next == '\\' && end.starts_with('"') => {
                length += rest[1..].chars().next().map_or(0, char::len_utf8);
            }
            // A text that is not closed in its line ends there.
            Some(end) if next == '\n' && end.len() == 1 => quote = None,
            Some(_) => {}
            None => {
                let quotes = [r#"""""#, "'''", "\"", "'"].into_iter().find(|quotes| rest.starts_with(quotes));
                match (next, open.last()) {
                    ('#', _) => length = rest.find('\n').unwrap_or(rest.len()),
                    ('{' | '[', _) => open.push((at, next)),
                    ('}', Some((_, '{'))) | (']', Some((_, '['))) => drop(open.pop()),
                    _ => {}
                }
                if let Some(quotes) = quotes {
                    (quote, length) = (Some(quotes), quotes.len());
                }
            }
        }
        at += length;
    }
    open
}

/// A line up to its comment.
fn uncommented(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return &line[..at],
            (None, '"' | '\'') => quote = Some(c),
            (Some(end), c) if c == end => quote = None,
            _ => {}
        }
    }
    line
}

/// Keys of one edge's rule.
const RULES: &[&str] = &["value", "derivative", "robin", "const"];

/// One of these words.
fn word<T: Copy>(entry: &Entry, all: &[(&'static str, T)]) -> Read<T> {
    let text = entry.value.get_ref().as_str();
    if let Some((_, found)) = text.and_then(|text| all.iter().find(|(name, _)| *name == text)) {
        return Ok(*found);
    }
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let same = text.and_then(|text| names.iter().find(|name| name.eq_ignore_ascii_case(text)));
    let hint = same.map_or(String::new(), |name| format!("; did you mean \"{name}\"?"));
    Err(wrong(entry.value, &(names.join(", ") + &hint), entry.name))
}

fn number(value: &Spanned<DeValue>, what: &str) -> Read<f64> {
    let plain = |text: &str| text.replace('_', "").parse::<f64>().ok().filter(|value| value.is_finite());
    let found = match value.get_ref() {
        DeValue::Integer(integer) => match integer.radix() {
            10 => plain(integer.as_str()),
            radix => i64::from_str_radix(integer.as_str(), radix).ok().map(|value| value as f64),
        },
        DeValue::Float(float) => plain(float.as_str()),
        _ => None,
    };
    found.ok_or_else(|| wrong(value, "a finite number", what))
}

/// A number, or a list of them, each with its place.
fn numbers(value: &Spanned<DeValue>, what: &str) -> Read<Vec<(f64, Span)>> {
    match value.get_ref().as_array() {
        Some(list) => list.iter().map(|value| Ok((number(value, what)?, span(value)))).collect(),
        None => Ok(vec![(number(value, what)?, span(value))]),
    }
}

fn pair(value: &Spanned<DeValue>, what: &str, ordered: bool) -> Read<[f64; 2]> {
    match numbers(value, what)?[..] {
        [(a, _), (b, _)] if !ordered || a < b => Ok([a, b]),
        _ => Err(wrong(value, "two numbers, the smaller first, as [0, 1]", what)),
    }
}
