//! Parameters. Each is described once: from its [`Param`] come the flag and its help, the widget with its tooltip, the key in
//! reports, in saved states and in a web address.

use std::fmt;

use serde_json::Value as Json;

use crate::number::{self, short};

/// A parameter of a demo.
///
/// ```
/// use quadrille_gallery::param::{Kind, Live, Param, Slider};
///
/// const FEED: Param = Param {
///     name: "F",
///     symbol: "F",
///     kind: Kind::real(0.0, 1.0),
///     default: "0.037",
///     help: "Feed rate F",
///     live: Live::Slider(Slider::to(0.0, 0.12).decimals(4)),
///     ..Param::NEW
/// };
/// assert_eq!(FEED.parse("1/20").unwrap().to_string(), "0.05");
/// assert_eq!(FEED.parse("2").unwrap_err(), "expected 0 to 1");
/// ```
#[derive(Clone, Copy)]
pub struct Param {
    /// The flag without its hyphens; `_` for `-` in it makes the key of reports, states and addresses.
    pub name: &'static str,
    /// The letter that formulas have, in help the word for a value; the name in capitals if it is empty.
    pub symbol: &'static str,
    pub unit: &'static str,
    pub kind: Kind,
    /// The value without the flag, or a sentence about it; empty if the help says it or there is none.
    pub default: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// The heading of help that it stands under; empty for the demo's own.
    pub heading: &'static str,
    /// How a state keeps it.
    pub kept: Kept,
    /// How a panel changes it while the demo runs.
    pub live: Live,
    /// The text beside its widget; the name if it is empty.
    pub label: &'static str,
    /// Flags that it cannot be given with.
    pub conflicts: &'static [&'static str],
    /// Another name of the flag.
    pub alias: &'static str,
    /// Words of old that a choice still takes, each with the one that it is called by now.
    pub once: &'static [(&'static str, &'static str)],
    /// True if it does anything beside these values: a panel leaves it out where it does not.
    pub matters: fn(&Values) -> bool,
    /// The part of a panel, and of the page of help, that it stands in.
    pub section: Section,
    /// Captions of further rows of its words, each after so many of them.
    pub rows: &'static [(usize, &'static str)],
}

/// The parts of a panel, from top to bottom. Parameters of one part keep the order of help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// A preset, a scene: all that there is.
    Scene,
    /// The part of it that the picture shows. The colours and the camera stand below.
    Shown,
    /// The knobs that one plays with.
    #[default]
    Play,
    /// Constants of the physics.
    Physics,
    /// Methods, exactness, storage: folded unless somebody opens it.
    Solver,
}

/// The size of a field.
pub const CELLS: Param = Param {
    name: "size",
    kind: Kind::Size,
    default: "512x512, or that of --load",
    help: "Cells, as WIDTHxHEIGHT",
    ..Param::NEW
};

/// How a saved state keeps a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept {
    No,
    Yes,
    /// Kept, unless that other parameter is given with a value other than the saved one: it brings one of its own.
    With(&'static str),
}

/// The values that a parameter takes.
#[derive(Clone, Copy)]
pub enum Kind {
    /// On if it is given.
    Flag,
    /// A whole number.
    Whole { low: u64, high: u64 },
    /// A decimal number or a fraction, 0.02 or 1/50.
    Real(Range),
    /// One of some words.
    Choice(fn() -> Vec<Choice>),
    /// WIDTHxHEIGHT.
    Size,
    /// NXxNYxNZ, or one number for all three.
    Size3,
    /// A number of bytes, with KiB, MiB or GiB as units.
    Bytes,
    /// A name of the list, which `help` prints: a line each, the name first.
    Name(fn() -> Vec<String>),
    /// Any text, as the name of a file.
    Text,
}

/// The range of a real parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub low: f64,
    /// The largest number of 64 bits stands for no bound above an open `low`.
    pub high: f64,
    /// `low` itself is not in it.
    pub open: bool,
    /// It is computed with in 64 bits, else in 32.
    pub double: bool,
    /// A word that stands for no number, as `never`; empty for none.
    pub word: &'static str,
}

/// One of the words of [`Kind::Choice`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    pub name: &'static str,
    /// A line about it, or nothing.
    pub help: &'static str,
}

/// How a panel changes a parameter while the demo runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Live {
    /// Not at all: it holds from the start on, and a panel shows it.
    No,
    /// A slider, with a check box before it if the parameter has a word for no number.
    Slider(Slider),
    /// All words of a choice side by side, a list of names that opens, or the check box of a flag.
    Words,
    /// Some values side by side, as they are typed.
    Some(&'static [&'static str]),
    /// Not now: it does nothing in the present view.
    Hidden,
}

/// The range of a slider, which may be narrower than that of the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
    /// The least number above 0 of a logarithmic one that begins at 0, if it has one of its own.
    pub smallest: Option<f64>,
    /// Digits behind the point, if they are fixed.
    pub decimals: Option<usize>,
    /// Digits behind the point at most, if there is a bound.
    pub most_decimals: Option<usize>,
    /// The number with which a parameter begins that usually has a word for none.
    pub first: f64,
}

impl Slider {
    pub const fn to(low: f64, high: f64) -> Slider {
        let (smallest, decimals, most_decimals) = (None, None, None);
        Slider { low, high, logarithmic: false, smallest, decimals, most_decimals, first: low }
    }

    pub const fn logarithmic(self) -> Slider {
        Slider { logarithmic: true, ..self }
    }

    pub const fn smallest(self, smallest: f64) -> Slider {
        Slider { smallest: Some(smallest), ..self }
    }

    pub const fn most_decimals(self, most: usize) -> Slider {
        Slider { most_decimals: Some(most), ..self }
    }

    pub const fn decimals(self, decimals: usize) -> Slider {
        Slider { decimals: Some(decimals), ..self }
    }

    pub const fn first(self, first: f64) -> Slider {
        Slider { first, ..self }
    }
}

/// A parameter as a panel offers it now.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub live: Live,
    /// The value that a double click brings back.
    pub usual: Option<Value>,
    /// The value that it has now, where [`crate::demo::Demo::values`] has none of it.
    pub now: Option<Value>,
}

impl Offer {
    /// The parameter as it is described.
    pub fn of(param: &Param) -> Offer {
        Offer { live: param.live, usual: param.usual(), now: None }
    }

    /// The same with other ends of its slider.
    pub fn between(mut self, low: f64, high: f64) -> Offer {
        if let Live::Slider(slider) = self.live {
            self.live = Live::Slider(Slider { low, high, ..slider });
        }
        self
    }

    /// The same with another number to begin with, instead of the word for none.
    pub fn first(mut self, first: f64) -> Offer {
        if let Live::Slider(slider) = self.live {
            self.live = Live::Slider(Slider { first, ..slider });
        }
        self
    }

    /// The same, not shown: it does nothing in the present view.
    pub fn hidden(self) -> Offer {
        Offer { live: Live::Hidden, ..self }
    }

    /// The same with the value that it has now.
    pub fn now(self, value: impl Into<Value>) -> Offer {
        Offer { now: Some(value.into()), ..self }
    }

    /// The same with a default that follows from other parameters.
    pub fn usual(self, value: impl Into<Value>) -> Offer {
        Offer { usual: Some(value.into()), ..self }
    }
}

impl Kind {
    /// A number of 32 bits from `low` to `high`.
    pub const fn real(low: f64, high: f64) -> Kind {
        Kind::Real(Range { low, high, open: false, double: false, word: "" })
    }

    /// The same without `low` itself.
    pub const fn above(low: f64, high: f64) -> Kind {
        Kind::Real(Range { low, high, open: true, double: false, word: "" })
    }

    /// A number of 32 bits above `low`, up to `high`, or a word for none.
    pub const fn above_or(low: f64, high: f64, word: &'static str) -> Kind {
        Kind::Real(Range { low, high, open: true, double: false, word })
    }

    /// The same with `low` itself.
    pub const fn real_or(low: f64, high: f64, word: &'static str) -> Kind {
        Kind::Real(Range { low, high, open: false, double: false, word })
    }

    /// The word for no number; empty if it has none.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Real(range) => range.word,
            _ => "",
        }
    }

    /// A number of 64 bits from `low` to `high`.
    pub const fn double(low: f64, high: f64) -> Kind {
        Kind::Real(Range { low, high, open: false, double: true, word: "" })
    }
}

/// The choices of a table of names, lines of help and what they stand for.
pub fn choices<T>(table: &[(&'static str, &'static str, T)]) -> Vec<Choice> {
    table.iter().map(|&(name, help, _)| Choice { name, help }).collect()
}

/// The name of a value of such a table.
pub fn name_of<T: PartialEq>(table: &[(&'static str, &'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(.., known)| known == value).map_or("", |(name, ..)| name)
}

impl Param {
    /// Nothing said: for `..Param::NEW`.
    pub const NEW: Param = Param {
        name: "",
        symbol: "",
        unit: "",
        kind: Kind::Flag,
        default: "",
        help: "",
        heading: "",
        kept: Kept::No,
        live: Live::No,
        label: "",
        conflicts: &[],
        alias: "",
        once: &[],
        matters: |_| true,
        section: Section::Play,
        rows: &[],
    };

    /// Reads a value.
    ///
    /// # Errors
    /// A line that says what was expected.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        match self.kind {
            Kind::Flag => match text {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err("expected true or false".to_owned()),
            },
            Kind::Whole { low, high } => number::whole(low, high)(text).map(Value::Whole),
            Kind::Real(range) => range.parse(text),
            Kind::Choice(choices) => {
                let choices = choices();
                let once = self.once.iter().find(|(old, _)| old.eq_ignore_ascii_case(text));
                let text = once.map_or(text, |&(_, now)| now);
                let found = choices.iter().find(|choice| choice.name.eq_ignore_ascii_case(text));
                found.map(|choice| Value::Word(choice.name)).ok_or_else(|| {
                    let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
                    format!("expected {}", names.join(", "))
                })
            }
            Kind::Size => number::sizes(text)
                .map(Value::Size)
                .ok_or_else(|| "expected WIDTHxHEIGHT with both above 0, as in 512x512".to_owned()),
            Kind::Size3 => number::sizes(text)
                .or_else(|| number::sizes(text).map(|[n]| [n; 3]))
                .map(Value::Size3)
                .ok_or_else(|| "expected NXxNYxNZ or N, all above 0, as in 64x32x48".to_owned()),
            Kind::Bytes => number::bytes(text).map(Value::Whole),
            Kind::Name(_) | Kind::Text => Ok(Value::Text(text.to_owned())),
        }
    }

    /// The key in reports, states and addresses: the name with `_` for `-`.
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The value of a number, moved into the range; `None` at an end that the range leaves out, or of no number.
    pub fn of_number(&self, number: f64) -> Option<Value> {
        match self.kind {
            Kind::Whole { low, high } => {
                Some(Value::Whole((number.round().max(0.0) as u64).clamp(low, high)))
            }
            Kind::Real(Range { low, open: true, .. }) if number <= low => None,
            Kind::Real(Range { low, high, double, .. }) => {
                let number = number.clamp(low, high);
                Some(if double { Value::Double(number) } else { Value::Real(number as f32) })
            }
            _ => None,
        }
    }

    /// The value without the flag, if it is always the same one.
    pub fn usual(&self) -> Option<Value> {
        match self.kind {
            Kind::Flag => Some(Value::Flag(false)),
            Kind::Text | Kind::Name(_) if self.default.contains(' ') => None,
            _ => self.parse(self.default).ok(),
        }
    }
}

impl Range {
    fn parse(&self, text: &str) -> Result<Value, String> {
        let Range { low, high, open, double, word } = *self;
        if !word.is_empty() && text == word {
            return Ok(Value::Word(word));
        }
        let found = match (double, open) {
            (true, true) => number::above(low, high)(text),
            (true, false) => number::within(low, high)(text),
            (false, true) => number::above(low as f32, high as f32)(text).map(f64::from),
            (false, false) => number::within(low as f32, high as f32)(text).map(f64::from),
        };
        let or = |expected: String| {
            let expected = match high == f64::MAX {
                true if low == f64::MIN => "expected a finite number".to_owned(),
                true => format!("expected a finite number above {low}, as in 1e-3"),
                false => expected,
            };
            if word.is_empty() { expected } else { format!("{expected}, or {word}") }
        };
        found
            .map(|number| if double { Value::Double(number) } else { Value::Real(number as f32) })
            .map_err(or)
    }
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Flag(bool),
    Whole(u64),
    Real(f32),
    Double(f64),
    /// One of the words of the parameter.
    Word(&'static str),
    Size([u32; 2]),
    Size3([u32; 3]),
    Text(String),
}

/// As it is typed.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Whole(whole) => write!(f, "{whole}"),
            Value::Real(real) => write!(f, "{real}"),
            Value::Double(real) => write!(f, "{real}"),
            Value::Word(word) => f.write_str(word),
            Value::Size([w, h]) => write!(f, "{w}x{h}"),
            Value::Size3([x, y, z]) => write!(f, "{x}x{y}x{z}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Value::Whole(whole) => Some(whole as f64),
            Value::Real(real) => Some(real.into()),
            Value::Double(real) => Some(real),
            _ => None,
        }
    }

    /// As a report has it.
    pub fn json(&self) -> Json {
        match self {
            Value::Flag(flag) => (*flag).into(),
            Value::Whole(whole) => (*whole).into(),
            Value::Real(real) => short(*real).into(),
            Value::Double(real) => (*real).into(),
            Value::Word(word) => (*word).into(),
            Value::Size(_) | Value::Size3(_) => self.to_string().into(),
            Value::Text(text) => text.as_str().into(),
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Flag(flag)
    }
}

impl From<u32> for Value {
    fn from(whole: u32) -> Value {
        Value::Whole(whole.into())
    }
}

impl From<u64> for Value {
    fn from(whole: u64) -> Value {
        Value::Whole(whole)
    }
}

impl From<f32> for Value {
    fn from(real: f32) -> Value {
        Value::Real(real)
    }
}

impl From<f64> for Value {
    fn from(real: f64) -> Value {
        Value::Double(real)
    }
}

impl From<&'static str> for Value {
    fn from(word: &'static str) -> Value {
        Value::Word(word)
    }
}

impl From<[u32; 2]> for Value {
    fn from(size: [u32; 2]) -> Value {
        Value::Size(size)
    }
}

impl From<[u32; 3]> for Value {
    fn from(size: [u32; 3]) -> Value {
        Value::Size3(size)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

/// Values by the names of their parameters, in the order in which they were set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    pub fn new() -> Values {
        Values::default()
    }

    /// Sets a value, in place of another one of that name.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        let value = value.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name, value)),
        }
    }

    /// Takes a value away.
    pub fn forget(&mut self, name: &str) {
        self.0.retain(|(known, _)| *known != name);
    }

    /// The same with that value.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Values {
        self.set(name, value);
        self
    }

    /// The same with that value, if there is one.
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Values {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if that flag is on.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Flag(true)))
    }

    pub fn real(&self, name: &str) -> Option<f32> {
        match self.get(name)? {
            Value::Real(real) => Some(*real),
            _ => None,
        }
    }

    /// A number, or `Some(None)` for the word that stands for none.
    pub fn real_or_none(&self, name: &str) -> Option<Option<f32>> {
        match self.get(name)? {
            Value::Real(real) => Some(Some(*real)),
            Value::Word(_) => Some(None),
            _ => None,
        }
    }

    pub fn double(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Value::Double(real) => Some(*real),
            _ => None,
        }
    }

    /// A whole number, which [`Kind::Whole`] has found to be in its range.
    pub fn whole<T: TryFrom<u64>>(&self, name: &str) -> Option<T> {
        match self.get(name)? {
            Value::Whole(whole) => T::try_from(*whole).ok(),
            _ => None,
        }
    }

    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.get(name)? {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The value that the chosen word stands for.
    pub fn choice<T: Copy>(&self, name: &str, table: &[(&'static str, &'static str, T)]) -> Option<T> {
        let word = self.word(name)?;
        table.iter().find(|(known, ..)| *known == word).map(|&(.., value)| value)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn size(&self, name: &str) -> Option<[u32; 2]> {
        match self.get(name)? {
            Value::Size(size) => Some(*size),
            _ => None,
        }
    }

    pub fn size3(&self, name: &str) -> Option<[u32; 3]> {
        match self.get(name)? {
            Value::Size3(size) => Some(*size),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind) -> Param {
        Param { name: "time-step", kind, ..Param::NEW }
    }

    #[test]
    fn every_kind_reads_what_it_prints_and_says_what_it_expected() {
        fn words() -> Vec<Choice> {
            vec![Choice { name: "dam", help: "" }, Choice { name: "smoke", help: "" }]
        }
        let any = Range { low: 0.0, high: f64::MAX, open: true, double: true, word: "" };
        let never = Range { low: 0.0, high: 1e9, open: true, double: false, word: "never" };
        for (kind, good, bad, expected) in [
            (Kind::Flag, "true", "1", "expected true or false"),
            (Kind::Whole { low: 1, high: 9 }, "7", "0", "expected a whole number from 1 to 9"),
            (Kind::real(0.0, 1.0), "0.037", "nan", "expected 0 to 1"),
            (Kind::above(0.0, 1.0), "0.5", "0", "expected above 0, at most 1"),
            (Kind::double(-1.0, 0.1), "-0.001", "0.2", "expected -1 to 0.1"),
            (Kind::Real(any), "0.001", "inf", "expected a finite number above 0, as in 1e-3"),
            (Kind::Real(never), "never", "ever", "expected above 0, at most 1000000000, or never"),
            (Kind::Choice(words), "smoke", "fire", "expected dam, smoke"),
            (Kind::Size, "31x17", "31x0", "expected WIDTHxHEIGHT with both above 0, as in 512x512"),
            (Kind::Size3, "3x4x5", "3x4", "expected NXxNYxNZ or N, all above 0, as in 64x32x48"),
        ] {
            let param = of(kind);
            assert_eq!(param.parse(good).map(|value| value.to_string()), Ok(good.to_owned()));
            assert_eq!(param.parse(bad), Err(expected.to_owned()), "{bad}");
        }
        assert_eq!(of(Kind::Size3).parse("12"), Ok(Value::Size3([12; 3])));
        assert_eq!(of(Kind::Choice(words)).parse("Dam"), Ok(Value::Word("dam")));
        assert_eq!(of(Kind::Flag).key(), "time_step");
    }

    #[test]
    fn a_default_is_a_value_where_it_can_be_read_as_one() {
        let param = |default, kind| Param { default, ..of(kind) };
        assert_eq!(param("0.25", Kind::above(0.0, 0.25)).usual(), Some(Value::Real(0.25)));
        assert_eq!(param("that of the scene", Kind::real(0.0, 1.0)).usual(), None);
    }
}
