//! Variables and functions that the text of a kernel decides by itself: made of numbers, constants and each other, without an input.
//!
//! A variable counts by its name, wherever it is declared. An input decides it if it decides one of its assignments, or the condition of a
//! branch or loop that one stands in; a call assigns its arguments to the parameters. An early `break`, `continue` or `return` is not asked.
//! A variable of all functions that another function than `main` assigns counts as an input: who calls that one is not asked.

use std::collections::HashSet;

use super::super::words::{Token, value_of};
use super::text::{Function, PLAIN, QUALIFIERS, Text, is_name, is_type, split};

/// A condition, as far as it is known.
#[derive(Clone, Copy, PartialEq)]
pub enum Condition {
    Holds,
    Fails,
    /// Decided by the text alone, but not worked out.
    Constant,
    /// Depends on an input.
    Varies,
}

/// Variables and their values; none for those that the text decides in words which are not worked out.
type Values<'t> = Vec<(&'t str, Option<Vec<Token>>)>;

/// Variables and functions of one kernel.
pub struct Fixed<'t> {
    text: &'t Text<'t>,
    variables: HashSet<&'t str>,
    /// The kernel's own functions that read an input.
    reading: HashSet<&'t str>,
}

/// The most statements inside statements: in a text with more, nothing counts as fixed.
const NESTING: usize = 200;

/// The most words of a text: in a longer one, nothing counts as fixed.
const PATIENCE: usize = 20_000;

/// From and to: two places.
type Span = (usize, usize);

/// An assignment: the variable, the place, and what is assigned.
struct Assignment<'t> {
    name: &'t str,
    at: usize,
    value: Span,
}

impl<'t> Fixed<'t> {
    /// Finds them; none where the text is not understood.
    pub fn of(text: &'t Text<'t>) -> Fixed<'t> {
        Fixed::found(text).unwrap_or_else(|| {
            let names = text.functions.iter().filter_map(|function| name_of(text, function));
            Fixed { text, variables: HashSet::new(), reading: names.collect() }
        })
    }

    fn found(text: &'t Text<'t>) -> Option<Fixed<'t>> {
        if text.tokens.len() > PATIENCE {
            return None;
        }
        let Globals { inputs, variables: globals } = globals(text)?;
        let mut variables: HashSet<&str> =
            text.locals.iter().copied().filter(|name| !inputs.contains(name)).collect();
        let (all, branches) = (assignments(text)?, branches(text)?);
        for function in text.functions.iter().filter(|function| function.name != "main") {
            let body = function.body..text.closing(function.body)?;
            for Assignment { name, at, .. } in &all {
                if body.contains(at) && globals.contains(name) {
                    variables.remove(name);
                }
            }
        }
        let mut fixed = Fixed { text, variables, reading: HashSet::new() };
        loop {
            let known = fixed.variables.len();
            let is_input = |name: &str| {
                inputs.contains(name) || globals.contains(name) && !fixed.variables.contains(name)
            };
            fixed.reading = readers(text, is_input)?;
            for Assignment { name, value, .. } in &all {
                if !fixed.is_fixed(text.tokens.get(value.0..value.1)?, &[]) {
                    fixed.variables.remove(name);
                }
            }
            for (condition, body) in &branches {
                if fixed.is_fixed(text.tokens.get(condition.0..condition.1)?, &[]) {
                    continue;
                }
                // One that the branch itself declares begins anew.
                let is_own = |name: &str| {
                    (body.0 + 1..body.1).any(|at| {
                        let kind = text.word(at - 1);
                        text.word(at) == name && is_name(kind) && !PLAIN.contains(&kind)
                    })
                };
                for Assignment { name, at, .. } in &all {
                    if (body.0..body.1).contains(at) && fixed.variables.contains(name) && !is_own(name) {
                        fixed.variables.remove(name);
                    }
                }
            }
            if fixed.variables.len() == known {
                return Some(fixed);
            }
        }
    }

    /// Returns true if the text alone decides what these words are worth: no input, and no name outside of `own` that an input decides.
    fn is_fixed(&self, words: &[Token], own: &[&str]) -> bool {
        let word_at = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        words.iter().enumerate().all(|(at, word)| {
            let text = word.text.as_str();
            let is_member = at > 0 && word_at(at - 1) == ".";
            // A function of the language, a constructor, or one of the kernel that reads no input.
            let is_call = word_at(at + 1) == "(" && !self.reading.contains(text);
            let is_length = word_at(at + 1) == "." && word_at(at + 2) == "length";
            let is_plain = is_type(text) || QUALIFIERS.contains(&text) || own.contains(&text);
            let is_constant = || self.text.constants.iter().any(|(name, _)| *name == text);
            let is_variable = word_at(at + 1) != "(" && self.variables.contains(text);
            let is_known = is_plain || is_member || is_call || is_length || is_variable;
            !is_name(text) || is_known || is_constant()
        })
    }

    /// A condition, where these variables have these values; one without a value is decided by the text alone all the same.
    pub fn condition(&self, words: &[Token], values: &Values<'t>) -> Condition {
        let own: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        if !self.is_fixed(words, &own) {
            return Condition::Varies;
        }
        match value_of(&self.substituted(words, values)) {
            Some(0) => Condition::Fails,
            Some(_) => Condition::Holds,
            None => Condition::Constant,
        }
    }

    /// The words with values in the place of names.
    fn substituted(&self, words: &[Token], values: &Values<'t>) -> Vec<Token> {
        let mut known = Vec::with_capacity(words.len());
        for word in words {
            let value = values.iter().rfind(|(name, _)| *name == word.text).map(|(_, value)| value);
            let constant = self.text.constants.iter().find(|(name, _)| *name == word.text);
            match (value, constant.and_then(|(_, value)| *value)) {
                (Some(Some(value)), _) => known.extend_from_slice(value),
                (_, Some(constant)) => known.push(constant.clone()),
                _ => known.push(word.clone()),
            }
        }
        known
    }

    /// Takes a declaration into the values: of an `int` its value, if that is known, and of another type the name. Returns false
    /// for anything else, and where an input decides it.
    pub fn take_declaration(&self, words: &'t [Token], values: &mut Values<'t>) -> bool {
        let begin = words.iter().take_while(|word| QUALIFIERS.contains(&word.text.as_str())).count();
        let Some((kind, rest)) = words[begin..].split_first() else { return false };
        if !is_name(&kind.text) || PLAIN.contains(&kind.text.as_str()) || rest.is_empty() {
            return false;
        }
        split(rest).into_iter().all(|part| match part {
            [name, equals, value @ ..] if is_name(&name.text) && equals.text == "=" => {
                let own: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
                let value = self.is_fixed(value, &own).then(|| self.substituted(value, values));
                values.retain(|(other, _)| *other != name.text);
                let Some(value) = value else { return false };
                let whole = (kind.text == "int" && value_of(&value).is_some()).then_some(value);
                let bracket = |text: &str| Token { text: text.to_owned(), line: name.line };
                let value = whole.map(|value| [vec![bracket("(")], value, vec![bracket(")")]].concat());
                values.push((&name.text, value));
                true
            }
            _ => false,
        })
    }

    /// The declarations right before a place, as values: nothing lies between that could change them.
    pub fn declared_before(&self, at: usize) -> Values<'t> {
        let mut found = Vec::new();
        let mut end = at;
        while end > 0 && self.text.word(end - 1) == ";" {
            let is_mark = |place: &usize| matches!(self.text.word(*place), ";" | "{" | "}" | "");
            let begin = (0..end - 1).rev().find(is_mark).map_or(0, |mark| mark + 1);
            found.push(&self.text.tokens[begin..end - 1]);
            if !self.take_declaration(&self.text.tokens[begin..end - 1], &mut Vec::new()) {
                found.pop();
                break;
            }
            end = begin;
        }
        let mut values = Vec::new();
        for words in found.into_iter().rev() {
            self.take_declaration(words, &mut values);
        }
        values
    }

    /// The condition of a loop where it is first asked: one that holds then may fail later, and one that fails leaves the loop empty.
    pub fn first_condition(&self, words: &[Token], values: &Values<'t>) -> Condition {
        match self.condition(words, &Vec::new()) {
            known @ (Condition::Holds | Condition::Fails) => known,
            _ => match self.condition(words, values) {
                Condition::Holds => Condition::Constant,
                Condition::Fails => Condition::Varies,
                known => known,
            },
        }
    }
}

/// Names outside of functions that are no constants.
#[derive(Default)]
struct Globals<'t> {
    /// Uniforms, streams, domains, outputs, and variables of the words before the kernel.
    inputs: HashSet<&'t str>,
    /// The kernel's own variables of all functions.
    variables: HashSet<&'t str>,
}

fn globals<'t>(text: &Text<'t>) -> Option<Globals<'t>> {
    let mut found = Globals::default();
    let mut at = 0;
    while at < text.tokens.len() {
        let end = (at..text.tokens.len()).find(|&place| matches!(text.word(place), ";" | "{"))?;
        let is_function = text.functions.iter().any(|function| function.body == end);
        let has = |qualifiers: &[&str]| (at..end).any(|place| qualifiers.contains(&text.word(place)));
        // Neither a `struct` nor its members are variables, but what stands behind them is.
        let members = (at..end).find_map(|place| text.structure(place));
        let begin = members.map_or(at, |close| close + 1);
        let end = match (members, text.word(end)) {
            (Some(close), _) => text.end(close + 1)?,
            (None, "{") => text.closing(end)?,
            _ => end,
        };
        let own = match has(&["in", "out"]) || text.line(at) == 0 {
            true => Vec::new(),
            false => text.declared(at),
        };
        if !is_function && !has(&["const"]) && !is_prototype(text, at) {
            let is_plain = |name: &str| is_type(name) || QUALIFIERS.contains(&name) || name == "Stream";
            let names = (begin..end).map(|place| text.word(place)).filter(|_| own.is_empty());
            found.inputs.extend(names.filter(|name| is_name(name) && !is_plain(name)));
            found.variables.extend(own);
        }
        at = end + 1;
    }
    Some(found)
}

/// Returns true for `[qualifiers] TYPE NAME (`.
fn is_prototype(text: &Text, at: usize) -> bool {
    let kind = (at..text.tokens.len()).find(|&place| !QUALIFIERS.contains(&text.word(place)));
    let name = kind.map_or(at, |kind| match text.word(kind + 1) {
        "[" => text.closing(kind + 1).map_or(at, |close| close + 1),
        _ => kind + 1,
    });
    is_name(text.word(name)) && text.word(name + 1) == "("
}

/// The word that names a function.
fn name_of<'t>(text: &Text<'t>, function: &Function) -> Option<&'t str> {
    (0..function.body).rev().map(|at| text.word(at)).find(|word| *word == function.name)
}

/// The kernel's own functions that read an input, or call one that does.
fn readers<'t>(text: &Text<'t>, is_input: impl Fn(&str) -> bool) -> Option<HashSet<&'t str>> {
    let mut found: HashSet<&str> = HashSet::new();
    loop {
        let known = found.len();
        for function in &text.functions {
            let end = text.closing(function.body)?;
            let reads = (function.body..end)
                .map(|at| text.word(at))
                .any(|word| is_input(word) || word.starts_with("gl_") || found.contains(word));
            found.extend(name_of(text, function).filter(|_| reads));
        }
        if found.len() == known {
            return Some(found);
        }
    }
}

/// All assignments of the kernel: those of statements, those of arguments to parameters, and those to arguments that a call may write.
fn assignments<'t>(text: &Text<'t>) -> Option<Vec<Assignment<'t>>> {
    let mut found = Vec::new();
    for at in (0..text.tokens.len()).filter(|&at| text.line(at) != 0 && is_name(text.word(at))) {
        let (name, before) = (text.word(at), at.checked_sub(1).map_or("", |before| text.word(before)));
        if before == "." {
            continue;
        }
        if text.word(at + 1) == "(" {
            calls(text, at, &mut found)?;
            continue;
        }
        let mut behind = at + 1;
        while matches!(text.word(behind), "[" | ".") {
            behind = if text.word(behind) == "[" { text.closing(behind)? + 1 } else { behind + 2 };
        }
        let mark = text.word(behind);
        let counts = |mark: &str| matches!(mark, "++" | "--");
        let split = matches!(mark, "&" | "|" | "^" | "<<" | ">>") && text.word(behind + 1) == "=";
        if split || matches!(mark, "=" | "+=" | "-=" | "*=" | "/=" | "%=") {
            found.push(Assignment { name, at, value: (at + 1, assigned_until(text, behind + 1)) });
        } else if counts(mark) || counts(before) {
            found.push(Assignment { name, at, value: (at, at) });
        }
    }
    Some(found)
}

/// The assignments of a call, or of the head of a function, whose name is at that place.
fn calls<'t>(text: &Text<'t>, at: usize, found: &mut Vec<Assignment<'t>>) -> Option<()> {
    let (name, close) = (text.word(at), text.closing(at + 1)?);
    let mut begin = at + 2;
    for (place, argument) in split(&text.tokens[begin..close]).into_iter().enumerate() {
        let value = (begin, begin + argument.len());
        begin = value.1 + 1;
        for function in
            text.functions.iter().filter(|function| function.name == name && function.body != close + 1)
        {
            if let Some(parameter) = function.named.get(place) {
                found.push(Assignment { name: text.word(*parameter), at: *parameter, value });
            }
        }
        let own = text.functions.iter().filter(|function| function.name == name);
        let writes =
            name == "modf" || own.flat_map(|function| function.parameters.get(place)).any(|out| *out);
        if writes && text.word(close + 1) != "{" {
            // Whatever comes back may come of an input.
            found.push(Assignment { name: text.word(value.0), at: value.0, value: (0, text.tokens.len()) });
        }
    }
    Some(())
}

/// The end of what is assigned: a semicolon, a comma or a closing bracket of none inside.
fn assigned_until(text: &Text, from: usize) -> usize {
    let mut at = from;
    while at < text.tokens.len() {
        match text.word(at) {
            "(" | "[" => match text.closing(at) {
                Some(close) => at = close + 1,
                None => return text.tokens.len(),
            },
            ";" | "," | ")" | "]" => return at,
            _ => at += 1,
        }
    }
    at
}

/// Conditions of the kernel, each with what it decides.
fn branches(text: &Text) -> Option<Vec<(Span, Span)>> {
    let mut found = Vec::new();
    for at in (0..text.tokens.len()).filter(|&at| text.line(at) != 0) {
        let span = match text.word(at) {
            "if" | "for" | "switch" => (at + 2, text.closing(at + 1)?),
            // The condition of `do` is that of the `while` behind it, which decides no more than the empty statement there.
            "while" => (at + 2, text.closing(at + 1)?),
            "do" => {
                let end = statement(text, at + 1, NESTING)?;
                found.push(((end + 2, text.closing(end + 1)?), (at + 1, end)));
                continue;
            }
            _ => continue,
        };
        let mut end = statement(text, span.1 + 1, NESTING)?;
        if text.word(at) == "if" && text.word(end) == "else" {
            end = statement(text, end + 1, NESTING)?;
        }
        // The head of a `for` also decides its own counter.
        let begin = if text.word(at) == "for" { span.0 } else { span.1 + 1 };
        found.push((span, (begin, end)));
    }
    Some(found)
}

/// The place behind a statement.
fn statement(text: &Text, at: usize, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    match text.word(at) {
        "{" => Some(text.closing(at)? + 1),
        "if" => {
            let end = statement(text, text.closing(at + 1)? + 1, depth)?;
            if text.word(end) == "else" { statement(text, end + 1, depth) } else { Some(end) }
        }
        "for" | "while" | "switch" => statement(text, text.closing(at + 1)? + 1, depth),
        "do" => {
            let end = statement(text, at + 1, depth)?;
            Some(text.closing(end + 1)? + 2)
        }
        _ => Some(text.end(at)? + 1),
    }
}
