//! All that is known of a file before it starts: its parameters, and the sentences of its first lines.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use quadrille::pde::{Equations, Overrides, Parameter, Refusal, Scheme};

use super::{File, state};
use crate::demo::About;
use crate::param::{Choice, Kept, Kind, Live, Param, Range, Section, Slider, Value};

/// The words that a line of a file's first comment may begin with.
const LABELS: [&str; 4] = ["Title:", "Try:", "Keywords:", "Source:"];

/// The paragraph of a file that has none.
pub(super) const UNTOLD: &str = "Equations that a file writes as formulas.";

/// The line about a file that is edited while it runs.
pub const EDITED: &str = "The file is not used, the equation before goes on.";

/// Keys of a state that a parameter of a file may not take.
const TAKEN: &[&str] =
    &["demo", "seed", "scheme", "size", "time_step", "view", "clock_origin", "clock_since", state::TEXT];

/// Letters of a sentence that ends at its colon if it is longer.
const SENTENCE: usize = 110;

/// The scheme.
pub(super) const SCHEME: Param = Param {
    name: "scheme",
    kind: Kind::Choice(schemes),
    help: "Time scheme: how a step is computed from the times before it",
    heading: "run",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

/// Δt.
pub(super) const STEP: Param = Param {
    name: "time-step",
    symbol: "DT",
    kind: Kind::Real(Range { low: 0.0, high: f64::MAX, open: true, double: true, word: "" }),
    help: "Time step",
    heading: "run",
    kept: Kept::Yes,
    section: Section::Solver,
    ..Param::NEW
};

/// The grid.
pub(super) const SIZE: Param = Param {
    name: "size",
    help: "Nodes",
    heading: "run",
    kept: Kept::Yes,
    section: Section::Solver,
    ..Param::NEW
};

/// The view, from 1. Its widget is a list of the demo's own.
pub(super) const VIEW: Param = Param {
    name: "view",
    symbol: "N",
    kind: Kind::Whole { low: 1, high: 64 },
    default: "1",
    help: "View, from 1",
    heading: "run",
    live: Live::Words,
    section: Section::Shown,
    ..Param::NEW
};

fn schemes() -> Vec<Choice> {
    Scheme::ALL.iter().map(|&(name, scheme)| Choice { name, help: scheme.gloss() }).collect()
}

/// A text that stays: each is kept once, however often a file is opened.
fn kept(text: &str) -> &'static str {
    static KEPT: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    match all.get(text) {
        Some(known) => known,
        None => {
            let made: &'static str = Box::leak(text.to_owned().into_boxed_str());
            all.insert(made);
            made
        }
    }
}

/// The description of a file that somebody opened. It stays, as those of shipped files do.
///
/// # Errors
/// The first mistake of the file.
pub fn opened(
    name: &str,
    text: &str,
    path: &str,
    files: &mut dyn quadrille::pde::Files,
) -> Result<&'static About, Refusal> {
    let equations = Equations::read(text, &Overrides::default(), files)?;
    let file = File { name: kept(name), text: kept(text), path: kept(path) };
    Ok(Box::leak(Box::new(of(Box::leak(Box::new(file)), &equations))))
}

/// The description of a file that reads no others.
///
/// # Errors
/// As [`opened`].
pub(super) fn describe(file: &'static File) -> Result<About, Refusal> {
    let equations = Equations::read(file.text, &Overrides::default(), &mut quadrille::pde::NoFiles)?;
    Ok(of(file, &equations))
}

/// The same after its text was edited.
pub(super) fn edited(before: &'static About, text: &str, equations: &Equations) -> &'static About {
    let Some(file) = before.equation else { return before };
    let now = params(equations);
    let is_same = |(a, b): (&Param, &Param)| {
        (a.name, a.default, a.live) == (b.name, b.default, b.live)
            && matches!((a.kind, b.kind), (Kind::Real(a), Kind::Real(b)) if a == b)
    };
    let own = before.parameters.first().copied().unwrap_or_default();
    if file.text == text
        && before.seed == equations.run.seed
        && own.len() == now.len()
        && own.iter().zip(&now).all(is_same)
    {
        return before;
    }
    let file = File { text: kept(text), ..*file };
    Box::leak(Box::new(of(Box::leak(Box::new(file)), equations)))
}

fn of(file: &'static File, equations: &Equations) -> About {
    let told = Told::of(file.text);
    let (name, is_line) = (file.name, equations.grid.dimensions == 1);
    let scheme = Param { default: equations.run.scheme.name(), ..SCHEME };
    let house = [scheme, step(equations.run.step), size(equations), VIEW];
    let first = match told.first.as_str() {
        "" if is_line => "Draw a value with the mouse; the panel chooses which field",
        "" => "Paint with the mouse; the panel chooses which field",
        own => kept(own),
    };
    let (shows, computes) = (kept(told.first()), kept(&told.all));
    About {
        name,
        title: kept(&told.title),
        shows: if shows.is_empty() { "Equations of a file" } else { shows },
        computes: if computes.is_empty() { UNTOLD } else { computes },
        keywords: kept(&told.keywords),
        paper: kept(&told.source),
        first,
        kernels: &["step.frag, written from the formulas: `quadrille pde FILE --explain` prints it"],
        quantity: "value",
        parameters: Box::leak(Box::new([
            &*Box::leak(params(equations).into_boxed_slice()),
            &*Box::leak(Box::new(house)),
        ])),
        kernel: file.path,
        equation: Some(file),
        seed: equations.run.seed,
        ..About::NEW
    }
}

/// The lines of comment that a file begins with: a paragraph, and lines that begin with a word and a colon.
#[derive(Default)]
struct Told {
    all: String,
    keywords: String,
    source: String,
    title: String,
    first: String,
}

impl Told {
    fn of(text: &str) -> Told {
        let mut told = Told::default();
        let lines = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
        let mut word = "";
        for line in lines.filter(|line| !line.ends_with(".toml")) {
            let begins = LABELS.iter().find_map(|word| Some((*word, line.strip_prefix(word)?.trim())));
            let (of, line) = begins.unwrap_or((word, line));
            let part = match of {
                "Source:" => &mut told.source,
                "Keywords:" => &mut told.keywords,
                "Title:" => &mut told.title,
                "Try:" => &mut told.first,
                _ => &mut told.all,
            };
            if !part.is_empty() {
                part.push(' ');
            }
            part.push_str(line);
            // A title is a line; what follows it is the paragraph.
            word = if of == "Title:" { "" } else { of };
        }
        told
    }

    /// Its first sentence.
    fn first(&self) -> &str {
        let first = self.all.split_once(". ").map_or(self.all.trim_end_matches('.'), |(first, _)| first);
        match first.split_once(": ") {
            Some((short, _)) if first.chars().count() > SENTENCE => short,
            _ => first,
        }
    }
}

/// The parameters that the file names.
fn params(equations: &Equations) -> Vec<Param> {
    equations.parameters.iter().map(param).collect()
}

/// The name of a parameter beside those that every file has.
pub(super) fn key(parameter: &Parameter) -> &'static str {
    match TAKEN.contains(&parameter.name.as_str()) {
        true => kept(&format!("p_{}", parameter.name)),
        false => kept(&parameter.name),
    }
}

fn param(parameter: &Parameter) -> Param {
    let value = parameter.value;
    let [low, high] = parameter.range.unwrap_or([f64::MIN, f64::MAX]);
    // Without a range: from 0, or as far below it, to twice its value.
    let ends = parameter.range.unwrap_or(match value {
        0.0 => [-1.0, 1.0],
        value => [value.min(0.0) * 2.0, value.max(0.0) * 2.0],
    });
    Param {
        name: key(parameter),
        symbol: kept(&parameter.name),
        kind: Kind::double(low, high),
        default: kept(&value.to_string()),
        help: kept(&format!("Parameter {} of the file", parameter.name)),
        kept: Kept::Yes,
        live: Live::Slider(Slider::to(ends[0], ends[1])),
        ..Param::NEW
    }
}

/// The time step, from a tenth of the file's to four times as much.
fn step(step: f64) -> Param {
    let slider = Slider::to(0.1 * step, 4.0 * step).logarithmic();
    Param { default: kept(&step.to_string()), live: Live::Slider(slider), ..STEP }
}

/// Half as many nodes, as many as the file says, and twice as many.
fn size(equations: &Equations) -> Param {
    let grid = &equations.grid;
    let times = |axis: usize, halves: u32| -> u32 {
        let ring = grid.periodic[axis];
        let gaps = grid.size[axis] - u32::from(!ring);
        (gaps * halves / 2 + u32::from(!ring)).max(3)
    };
    let text = |halves: u32| match grid.dimensions {
        1 => times(0, halves).to_string(),
        _ => format!("{}x{}", times(0, halves), times(1, halves)),
    };
    let texts: Vec<&'static str> = [1, 2, 4].map(|halves| kept(&text(halves))).to_vec();
    let kind = if grid.dimensions == 1 { Kind::Whole { low: 3, high: 65_536 } } else { Kind::Size };
    Param { kind, default: texts[1], live: Live::Some(Box::leak(texts.into_boxed_slice())), ..SIZE }
}

/// Nodes as the value of [`SIZE`].
pub(super) fn size_value(size: [u32; 2], dimensions: usize) -> Value {
    if dimensions == 1 { Value::Whole(size[0].into()) } else { Value::Size(size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comment_is_the_sentence_and_a_slider_has_the_range() -> anyhow::Result<()> {
        let text = "# a.toml\n# Title: The sea\n# Waves. They run\n# on.\n# Try: a stone\n# or two\n# Source: Somebody, 1900.\n# Keywords: sea surf\n\
                    grid = { size = 33, length = 1 }\nrun = { step = 0.1, scheme = \"euler\" }\n\
                    parameters = { c = { value = 2, range = [1, 5] }, b = -3, size = 0 }\n\
                    fields.u = { dt = \"c*lap(u)\" }\n";
        let about = opened("a.toml", text, "", &mut quadrille::pde::NoFiles);
        let about = about.map_err(|refusal| anyhow::anyhow!("{refusal:?}"))?;
        assert_eq!((about.shows, about.computes), ("Waves", "Waves. They run on."));
        assert_eq!((about.paper, about.keywords), ("Somebody, 1900.", "sea surf"));
        assert_eq!((about.heading(), about.first), ("The sea", "a stone or two"));
        let c = about.param("c").map(|param| (param.live, param.default, param.parse("6")));
        assert_eq!(c, Some((Live::Slider(Slider::to(1.0, 5.0)), "2", Err("expected 1 to 5".to_owned()))));
        let b = about.param("b").map(|param| (param.live, param.parse("100"), param.parse("x")));
        let any = "expected a finite number".to_owned();
        assert_eq!(b, Some((Live::Slider(Slider::to(-6.0, 0.0)), Ok(Value::Double(100.0)), Err(any))));
        // A name of the run's own stays the run's.
        assert!(about.param("p_size").is_some());
        assert_eq!(about.param("size").map(|param| param.live), Some(Live::Some(&["17", "33", "65"])));
        Ok(())
    }
}
