//! Rules about the lines above main(): what a kernel reads, where it works and what it writes.

use super::{Found, at};
use crate::told::Exercise;
use crate::words::{self, Kind, Token, Words};

/// Words that begin a line above main().
const BEGINNINGS: [&str; 6] = ["uniform", "DOMAIN", "RANGE", "VERTEX", "void", "const"];

/// A declaration without its `;`, its type or a comma.
pub fn declaration(words: &Words) -> Found {
    let outside = (0..words.tokens.len()).filter(|&i| words.depth(i) == 0);
    for i in outside {
        let token = &words.tokens[i];
        let first = i == 0 || matches!(words.text(i - 1), ";" | "}") || words.tokens[i - 1].line < token.line;
        if !first {
            continue;
        }
        let found = match token.text.as_str() {
            "uniform" | "DOMAIN" | "RANGE" | "VERTEX" => {
                unended(words, i).or_else(|| without_type(words, i)).or_else(|| without_comma(words, i))
            }
            "const"
                if words::is_type(words.text(i + 1))
                    && words.kind_of(i + 2) == Kind::Name
                    && words.text(i + 3) == ";" =>
            {
                let (kind, name) = (words.text(i + 1), words.text(i + 2));
                at(
                    token,
                    format!(
                        "A const has its number in this line; uniform {kind} {name}; takes it from outside."
                    ),
                )
            }
            "Stream" if words.kind_of(i + 1) == Kind::Name => at(
                token,
                format!(
                    "A stream is declared as uniform Stream {};",
                    words.text(if words::is_type(words.text(i + 1)) { i + 2 } else { i + 1 })
                ),
            ),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The next line begins another declaration before this one has ended.
fn unended(words: &Words, i: usize) -> Found {
    let next = (i + 1..words.tokens.len()).find(|&next| {
        let begins = BEGINNINGS.contains(&words.text(next)) && words.tokens[next].line > words.tokens[i].line;
        begins || matches!(words.text(next), ";" | "{")
    })?;
    if matches!(words.text(next), ";" | "{") {
        return None;
    }
    Some(ends_without(&words.tokens[next - 1]))
}

/// The place behind the last word of a line.
pub fn ends_without(last: &Token) -> (usize, usize, String) {
    let column = last.column + last.text.chars().count();
    (last.line, column, "A ; is missing at the end of this line.".to_owned())
}

/// A type that is missing, too much, or not one of those that may be written.
fn without_type(words: &Words, i: usize) -> Found {
    let (token, first, second) = (&words.tokens[i], words.text(i + 1), words.text(i + 2));
    let typed = words::is_type(first);
    let sentence = match token.text.as_str() {
        "uniform" if !typed && words.kind_of(i + 1) == Kind::Name && matches!(second, ";" | ",") => {
            format!(
                "The type is missing: uniform float {first}; for a number, uniform Stream {first}; for a stream."
            )
        }
        "uniform"
            if words.kind_of(i + 1) == Kind::Name
                && words::is_type(second)
                && !typed
                && !matches!(first, "highp" | "mediump" | "lowp") =>
        {
            format!("The type stands before the name: uniform {second} {first};")
        }
        "uniform" | "RANGE" if typed && words.text(i + 3) == "=" => match token.text.as_str() {
            "RANGE" => format!("A RANGE has no number before main() writes it: {second} = ... in main()."),
            _ => format!(
                "A uniform takes its number from outside, and has none here: uniform {first} {second};"
            ),
        },
        "DOMAIN" if typed && words.kind_of(i + 2) == Kind::Name => {
            format!("A DOMAIN is a place and is written without a type: DOMAIN {second};")
        }
        "RANGE" if !typed && second == ";" => format!("The type is missing: RANGE float {first};"),
        "RANGE" if typed && !matches!(first, "float" | "vec2" | "vec3" | "vec4") => {
            format!("A RANGE is a float, vec2, vec3 or vec4: RANGE float {second};")
        }
        _ => return None,
    };
    at(token, sentence)
}

/// Two names side by side.
fn without_comma(words: &Words, i: usize) -> Found {
    let end = words.end_of_statement(i);
    let from = if words.text(i) == "DOMAIN" { i + 1 } else { i + 2 };
    let name = |i: usize| words.kind_of(i) == Kind::Name && !words::is_type(words.text(i));
    let apart = (from..end.saturating_sub(1)).find(|&i| name(i) && name(i + 1))?;
    let (one, other) = (words.text(apart), words.text(apart + 1));
    at(&words.tokens[apart + 1], format!("Between two names stands a comma: {one}, {other}"))
}

/// `#define T 0.5;`: the `;` goes wherever T stands.
pub fn defined_with_end(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let defines = token.text == "define" && words.in_directive(i) && words.kind_of(i + 2) == Kind::Number;
        if defines && words.text(i + 3) == ";" {
            let sentence =
                format!("A #define has no ; at its end: it would stand wherever {} does.", words.text(i + 1));
            return at(&words.tokens[i + 3], sentence);
        }
    }
    None
}

/// Words that GLSL ES keeps for itself, of those that a name may look like.
const RESERVED: [&str; 28] = [
    "input",
    "output",
    "filter",
    "sample",
    "active",
    "common",
    "partition",
    "half",
    "fixed",
    "long",
    "short",
    "cast",
    "this",
    "class",
    "enum",
    "union",
    "public",
    "static",
    "extern",
    "external",
    "interface",
    "namespace",
    "using",
    "resource",
    "inline",
    "template",
    "patch",
    "volatile",
];

/// A name that is a word of the language.
pub fn reserved(words: &Words) -> Found {
    let kept = |name: &str| RESERVED.contains(&name) || words::is_keyword(name);
    let declared = |i: &usize| {
        let typed = words::is_type(words.text(i - 1)) && words.text(i - 1) != "void";
        typed && words.kind_of(*i) == Kind::Name && matches!(words.text(i + 1), ";" | "=" | "," | ")" | "[")
    };
    let i = (1..words.tokens.len()).filter(declared).find(|&i| kept(words.text(i)))?;
    let name = words.text(i);
    at(&words.tokens[i], format!("{name} is a word that the language keeps for itself: choose another name."))
}

/// A kernel that places points declares neither DOMAIN nor RANGE.
pub fn of_points(words: &Words) -> Found {
    for (word, instead) in [
        ("DOMAIN", "the number of its point is gl_VertexID"),
        ("RANGE", "scatter(place) places the point of this number, and that adds 1"),
    ] {
        if let Some(token) = words.first(word) {
            return at(token, format!("A kernel of points has no {word}: {instead}."));
        }
    }
    None
}

/// A name that the task gives, or that stands where a declaration of a known kind is missing.
pub fn undeclared(exercise: Option<&Exercise>, words: &Words, i: usize) -> Option<String> {
    let name = words.text(i);
    if let Some(exercise) = exercise {
        let case = exercise.cases.first()?;
        if case.streams.iter().any(|(stream, _)| stream == name) {
            return Some(format!("{name} is a stream of the task: declare it above, uniform Stream {name};"));
        }
        if let Some((_, values)) = case.floats.iter().find(|(float, _)| float == name) {
            let kind = ["float", "vec2", "vec3", "vec4"][values.len().clamp(1, 4) - 1];
            return Some(format!(
                "{name} is given by the task: declare it above main(), uniform {kind} {name};"
            ));
        }
    }
    if exercise.is_some_and(|exercise| exercise.points) {
        let sentence = match name {
            "result" => "A kernel of points has no result: scatter(place) places the point of this number, and that adds 1.".to_owned(),
            _ if is_position(words, i) => format!(
                "A kernel of points has no place {name}: the number of its point is gl_VertexID, value(x, float(gl_VertexID))."
            ),
            _ => return None,
        };
        return Some(sentence);
    }
    let domain = words.first("DOMAIN").is_some();
    let of_exercise = exercise.is_some_and(|exercise| {
        let start = Words::of(&exercise.start);
        start.inputs().iter().any(|(known, what)| known == name && *what == "DOMAIN")
    });
    if !domain && (of_exercise || is_position(words, i)) {
        return Some(format!(
            "{name} is not declared: the place of an element is DOMAIN {name};, above main()."
        ));
    }
    None
}

/// The type of a name that nobody declares, by what stands around it.
pub fn kind_wanted(words: &Words, i: usize) -> &'static str {
    let next = words.text(i + 1);
    let element = words.closing(i + 1).filter(|_| next == "[").map_or(i + 1, |end| end + 1);
    let member = words.text(element + 1);
    if words.text(element) == "." && member.chars().all(|c| "xyzw".contains(c)) {
        return match member {
            _ if member.contains('w') => "vec4",
            _ if member.contains('z') => "vec3",
            _ => "vec2",
        };
    }
    let counted = i > 1 && matches!(words.text(i - 1), "+" | "-");
    let beside =
        if counted { words.operand_before(i - 1).and_then(|from| words.operand(from, i - 1)) } else { None };
    match beside {
        Some(("vec2", _)) => "vec2",
        _ if is_position(words, i) && matches!(words.text(element), ")" | "+" | "-") => "vec2",
        _ => "float",
    }
}

/// Returns true for a name that begins the position of a fetch.
pub fn is_position(words: &Words, i: usize) -> bool {
    let fetches = |open: &usize| {
        *open > 0 && words.text(*open) == "(" && matches!(words.text(open - 1), "value2" | "valueOffset")
    };
    let second = |open: usize| words.arguments(open).get(1).is_some_and(|(from, _)| *from == i);
    (0..i).filter(fetches).any(second) && words.text(i + 1) != "("
}

/// DOMAIN and RANGE inside main(), where their names are meant.
pub fn word_for_name(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let next = words.text(i + 1);
        let sentence = match token.text.as_str() {
            _ if words.depth(i) == 0 => continue,
            "RANGE" if matches!(next, "=" | "+=" | "-=" | "*=" | "/=" | ".") => {
                let (name, _) = *words.ranges().first()?;
                format!("RANGE declares; what is written has the name {name}: {name} = ...")
            }
            "DOMAIN" if words.kind_of(i + 1) != Kind::Name => {
                let inputs = words.inputs();
                let (name, _) = inputs.iter().find(|(_, what)| *what == "DOMAIN")?;
                format!("DOMAIN declares; the place has the name {name}.")
            }
            _ => continue,
        };
        return at(token, sentence);
    }
    None
}
