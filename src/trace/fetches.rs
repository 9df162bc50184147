//! The fetches of a kernel, counted by running its text with numbers that are known and numbers that are not.
//!
//! Constants, sizes and loops over them are known for a pass, a fragment's place is a symbol, and what is fetched is not
//! known. Where a branch depends on what is not known both sides are run: the count is a range then. An address that is a
//! multiple of a domain plus a constant says exactly which texel it is; any other may be any texel.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::gl::words::{Preprocessor, Token, closing, tightness, tokens};
use crate::gl::{Kernel, without_comments};

/// How often a fetch is made for a fragment: no more than `most`, if that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Fetches that every fragment makes.
    pub least: u64,
    /// Fetches that no fragment exceeds; `None` if that is not known.
    pub most: Option<u64>,
}

impl Count {
    const ZERO: Count = Count { least: 0, most: Some(0) };

    /// The count, if it is the same for every fragment.
    pub fn exact(self) -> Option<u64> {
        self.most.filter(|most| *most == self.least)
    }

    fn either(self, other: Count) -> Count {
        let most = self.most.zip(other.most).map(|(a, b)| a.max(b));
        Count { least: self.least.min(other.least), most }
    }
}

/// Where a fetch goes along one axis: `scale` times the domain's coordinate plus `offset`, in texels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Along {
    /// The domain by its number; [`FRAGMENT`] for the place of the fragment, `None` for a constant place.
    pub domain: Option<usize>,
    /// Its x (0) or its y (1).
    pub axis: usize,
    /// Texels of the stream for one of the domain.
    pub scale: f64,
    /// Texels added.
    pub offset: f64,
}

/// Stands for a domain: the place of the fragment in its target.
pub const FRAGMENT: usize = usize::MAX;

/// A fetch in the text of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetch {
    /// Its line in the kernel.
    pub line: u32,
    /// The stream, by its number.
    pub stream: usize,
    /// How often a fragment makes it.
    pub count: Count,
    /// The texels, each by x and y; `None` if they depend on numbers that are not known.
    pub texels: Option<Vec<[Along; 2]>>,
}

/// The fetches of one run of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fetches {
    /// All fetches of a fragment together.
    pub count: Count,
    /// Each fetch in the text.
    pub fetches: Vec<Fetch>,
    /// True if a fragment may be discarded.
    pub discards: bool,
}

impl Fetches {
    /// The fetches of a kernel that fetches nothing.
    pub(super) fn none() -> Fetches {
        Fetches { count: Count::ZERO, ..Fetches::default() }
    }
}

/// The streams, constants and domains that a pass hands to its kernel.
#[derive(Default)]
pub(super) struct Given<'a> {
    /// Streams with their sizes.
    pub streams: Vec<(&'a str, (u32, u32))>,
    pub constants: Vec<(&'a str, &'a [f32])>,
    pub domains: Vec<&'a str>,
    /// The fragment that is run, by the places of its domains and its own, last; none for all of them at once.
    pub here: Option<Vec<[f64; 2]>>,
}

/// A kernel taken apart once, to be run for each pass.
pub(super) struct Text {
    tokens: Rc<Vec<Token>>,
    /// Lines of the kernel that its conditions leave out.
    pub left_out: Vec<u32>,
    functions: HashMap<String, Vec<Rc<Function>>>,
    /// Global constants and variables: where their declarations begin.
    globals: Vec<usize>,
    structs: BTreeSet<String>,
}

struct Function {
    parameters: Vec<Parameter>,
    /// First and last word of the body, its braces with it.
    body: (usize, usize),
}

struct Parameter {
    name: String,
    type_name: String,
    out: bool,
}

/// One number of a value, known as a symbol: `scale` times a coordinate of a domain plus `constant`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number {
    constant: f64,
    /// Scale, domain, axis.
    symbol: Option<(f64, usize, usize)>,
}

impl Number {
    fn constant(self) -> Option<f64> {
        if self.symbol.is_none() { Some(self.constant) } else { None }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// One to four numbers, each known or not.
    Numbers(Vec<Option<Number>>),
    Stream(usize),
    Sampler(usize),
    /// Anything else.
    Other,
}

fn known(constant: f64) -> Option<Number> {
    Some(Number { constant, symbol: None })
}

fn number(constant: f64) -> Value {
    Value::Numbers(vec![known(constant)])
}

impl Value {
    fn constant(&self) -> Option<f64> {
        match self {
            Value::Numbers(numbers) if numbers.len() == 1 => numbers[0]?.constant(),
            _ => None,
        }
    }

    fn holds(&self) -> Option<bool> {
        self.constant().map(|value| value != 0.0)
    }
}

/// Where a value is kept: a variable, and which of its numbers.
#[derive(Clone, Default)]
struct Place {
    name: String,
    numbers: Option<Vec<usize>>,
    /// A member or an element, of which no account is kept.
    inside: bool,
}

#[derive(Clone, Default)]
struct Tally {
    total: Count,
    each: BTreeMap<(u32, usize), Count>,
}

impl Tally {
    fn either(&mut self, other: &Tally) {
        self.total = self.total.either(other.total);
        let zero = Count::ZERO;
        let sites: BTreeSet<_> = self.each.keys().chain(other.each.keys()).copied().collect();
        for site in sites {
            let (a, b) = (self.each.get(&site).unwrap_or(&zero), other.each.get(&site).unwrap_or(&zero));
            let count = a.either(*b);
            self.each.insert(site, count);
        }
    }
}

type Variables = Vec<HashMap<String, Value>>;

/// How a statement ends.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Flow {
    Next,
    Break,
    Continue,
    Return,
    Discard,
}

/// The text is not understood: then nothing is said about it.
struct Strange;

type Read<T> = Result<T, Strange>;

/// The most words that are run for one pass.
const PATIENCE: u64 = 3_000_000;

/// The deepest calls.
const DEEPEST: usize = 24;

impl Text {
    /// Takes a kernel apart; `of_stage` is what stands before kernels of its kind.
    pub fn new(kernel: &Kernel, embedded: bool, of_stage: &'static str) -> Option<Text> {
        let (tokens, left_out) = Preprocessor::of(kernel, embedded, of_stage).finish();
        let mut text = Text {
            tokens: Rc::new(tokens),
            left_out,
            functions: HashMap::new(),
            globals: Vec::new(),
            structs: BTreeSet::new(),
        };
        text.take_apart().ok()?;
        Some(text)
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// The place of the mark that closes what opens at `at`.
    fn closing(&self, at: usize) -> Read<usize> {
        closing(&self.tokens, at).ok_or(Strange)
    }

    fn take_apart(&mut self) -> Read<()> {
        let mut at = 0;
        while at < self.tokens.len() {
            let end = (at..self.tokens.len())
                .find(|&place| matches!(self.word(place), ";" | "(" | "{" | "="))
                .ok_or(Strange)?;
            match self.word(end) {
                "{" => {
                    self.structs.insert(self.word(end - 1).to_owned());
                    at = self.closing(end)? + 2;
                }
                "(" if self.word(at) == "layout" => at = self.closing(end)? + 1,
                "(" => {
                    let close = self.closing(end)?;
                    if self.word(close + 1) != "{" {
                        at = close + 2; // a prototype
                        continue;
                    }
                    let last = self.closing(close + 1)?;
                    let function =
                        Function { parameters: self.parameters(end + 1, close), body: (close + 1, last) };
                    let name = self.word(end - 1).to_owned();
                    self.functions.entry(name).or_default().push(Rc::new(function));
                    at = last + 1;
                }
                _ => {
                    let told = ["uniform", "DOMAIN", "RANGE", "VERTEX", "in", "out", "precision", "flat"];
                    if !told.contains(&self.word(at)) {
                        self.globals.push(at);
                    }
                    at = (end..self.tokens.len()).find(|&p| self.word(p) == ";").ok_or(Strange)? + 1;
                }
            }
        }
        Ok(())
    }

    fn parameters(&self, begin: usize, end: usize) -> Vec<Parameter> {
        let mut found = Vec::new();
        for words in self.tokens[begin..end].split(|token| token.text == ",") {
            let out = words.iter().any(|word| matches!(word.text.as_str(), "out" | "inout"));
            let mut words = words.iter().map(|word| word.text.as_str()).filter(|word| {
                !matches!(*word, "in" | "out" | "inout" | "const" | "highp" | "mediump" | "lowp")
            });
            if let (Some(type_name), Some(name)) = (words.next(), words.next()) {
                found.push(Parameter { name: name.to_owned(), type_name: type_name.to_owned(), out });
            }
        }
        found
    }

    /// The fetches of one fragment, or vertex, of a pass; `None` if the text has something that is not understood.
    pub fn run(&self, given: &Given) -> Option<Fetches> {
        let mut globals = HashMap::new();
        for (place, (name, _)) in given.streams.iter().enumerate() {
            globals.insert((*name).to_owned(), Value::Stream(place));
        }
        for (name, values) in &given.constants {
            let numbers = values.iter().map(|value| known(f64::from(*value))).collect();
            globals.insert((*name).to_owned(), Value::Numbers(numbers));
        }
        let symbol = |domain| {
            if let Some(places) = &given.here {
                let place = places.get(domain).or(places.last()).copied().unwrap_or_default();
                return place.map(known).to_vec();
            }
            let along = |axis| Some(Number { constant: 0.0, symbol: Some((1.0, domain, axis)) });
            vec![along(0), along(1)]
        };
        for (place, name) in given.domains.iter().enumerate() {
            globals.insert((*name).to_owned(), Value::Numbers(symbol(place)));
        }
        let mut here = symbol(FRAGMENT);
        here.extend([None, None]);
        globals.insert("gl_FragCoord".to_owned(), Value::Numbers(here));
        let mut run = Run {
            text: self,
            given,
            variables: vec![globals],
            tally: Tally { total: Count::ZERO, each: BTreeMap::new() },
            texels: BTreeMap::new(),
            ended: Vec::new(),
            returned: Vec::new(),
            broken: Vec::new(),
            discards: false,
            depth: 0,
            steps: 0,
            at: 0,
        };
        for &begin in &self.globals {
            run.at = begin;
            run.declaration().ok()?;
        }
        let main = self.functions.get("main")?.first()?.clone();
        run.call(&main, Vec::new()).ok()?;
        for ended in std::mem::take(&mut run.ended) {
            run.tally.either(&ended);
        }
        let fetches = run.tally.each.iter().map(|(&(line, stream), &count)| {
            let texels = run.texels.get(&(line, stream)).cloned().flatten();
            Fetch { line, stream, count, texels }
        });
        Some(Fetches { count: run.tally.total, fetches: fetches.collect(), discards: run.discards })
    }
}

/// A call under way: the states in which it may have been left already.
type Left = Vec<(Tally, Variables, Value)>;

struct Run<'a> {
    text: &'a Text,
    given: &'a Given<'a>,
    /// The globals, then the blocks of the function under way, innermost last.
    variables: Variables,
    tally: Tally,
    /// The texels of each fetch; `None` once one of them may be any.
    texels: BTreeMap<(u32, usize), Option<Vec<[Along; 2]>>>,
    /// Tallies of fragments that were discarded.
    ended: Vec<Tally>,
    returned: Vec<Left>,
    broken: Vec<Left>,
    discards: bool,
    depth: usize,
    steps: u64,
    at: usize,
}

impl Run<'_> {
    fn word(&self) -> &str {
        self.text.word(self.at)
    }

    fn ahead(&self, by: usize) -> &str {
        self.text.word(self.at + by)
    }

    fn step(&mut self) -> Read<()> {
        self.steps += 1;
        self.at += 1;
        if self.steps > PATIENCE { Err(Strange) } else { Ok(()) }
    }

    fn require(&mut self, word: &str) -> Read<()> {
        if self.word() != word {
            return Err(Strange);
        }
        self.step()
    }

    fn accept(&mut self, word: &str) -> Read<bool> {
        let found = self.word() == word;
        if found {
            self.step()?;
        }
        Ok(found)
    }

    fn is_type(&self, word: &str) -> bool {
        const TYPES: [&str; 22] = [
            "float", "vec2", "vec3", "vec4", "int", "ivec2", "ivec3", "ivec4", "uint", "uvec2", "uvec3",
            "uvec4", "bool", "bvec2", "bvec3", "bvec4", "mat2", "mat3", "mat4", "Stream", "const", "highp",
        ];
        TYPES.contains(&word) || self.text.structs.contains(word)
    }

    /// A declaration of variables, its semicolon with it.
    fn declaration(&mut self) -> Read<()> {
        while matches!(self.word(), "const" | "highp" | "mediump" | "lowp") {
            self.step()?;
        }
        let type_name = self.word().to_owned();
        self.step()?;
        let mut of_array = false;
        if self.word() == "[" {
            of_array = true;
            self.at = self.text.closing(self.at)? + 1;
        }
        loop {
            let name = self.word().to_owned();
            self.step()?;
            let mut array = of_array;
            if self.word() == "[" {
                array = true;
                self.at = self.text.closing(self.at)? + 1;
            }
            let value = match self.accept("=")? {
                true => self.assignment()?.0,
                false => Value::Other,
            };
            let value = if array { Value::Other } else { of_type(&type_name, value) };
            if let Some(block) = self.variables.last_mut() {
                block.insert(name, value);
            }
            if self.accept(";")? {
                return Ok(());
            }
            self.require(",")?;
        }
    }

    fn block(&mut self, end: usize) -> Read<Flow> {
        self.require("{")?;
        self.variables.push(HashMap::new());
        let mut flow = Flow::Next;
        while self.at < end && flow == Flow::Next {
            flow = self.statement()?;
        }
        self.at = end + 1;
        self.variables.pop();
        Ok(flow)
    }

    /// The place behind the statement that begins at `at`.
    fn behind(&self, at: usize) -> Read<usize> {
        match self.text.word(at) {
            "{" => Ok(self.text.closing(at)? + 1),
            "if" => {
                let then = self.behind(self.text.closing(at + 1)? + 1)?;
                if self.text.word(then) == "else" { self.behind(then + 1) } else { Ok(then) }
            }
            "for" | "while" => self.behind(self.text.closing(at + 1)? + 1),
            _ => {
                let mut place = at;
                while self.text.word(place) != ";" {
                    place = match self.text.word(place) {
                        "(" | "[" | "{" => self.text.closing(place)? + 1,
                        "" => return Err(Strange),
                        _ => place + 1,
                    };
                }
                Ok(place + 1)
            }
        }
    }

    fn statement(&mut self) -> Read<Flow> {
        match self.word() {
            "{" => {
                let end = self.text.closing(self.at)?;
                self.block(end)
            }
            "if" => self.branch(),
            "for" | "while" => self.repeat(),
            "do" | "switch" => Err(Strange),
            "break" | "continue" => {
                let flow = if self.word() == "break" { Flow::Break } else { Flow::Continue };
                self.step()?;
                self.require(";")?;
                Ok(flow)
            }
            "discard" => {
                self.step()?;
                self.require(";")?;
                self.discards = true;
                Ok(Flow::Discard)
            }
            "return" => {
                self.step()?;
                let value = if self.word() == ";" { Value::Other } else { self.expression()? };
                self.require(";")?;
                let state = (self.tally.clone(), self.variables.clone(), value);
                self.returned.last_mut().ok_or(Strange)?.push(state);
                Ok(Flow::Return)
            }
            ";" => {
                self.step()?;
                Ok(Flow::Next)
            }
            word if self.is_type(word) && self.ahead(1) != "(" => {
                self.declaration()?;
                Ok(Flow::Next)
            }
            _ => {
                self.expression()?;
                self.require(";")?;
                Ok(Flow::Next)
            }
        }
    }

    fn branch(&mut self) -> Read<Flow> {
        self.step()?;
        self.require("(")?;
        let condition = self.expression()?;
        self.require(")")?;
        let then = self.at;
        let otherwise = self.behind(then)?;
        let has_else = self.text.word(otherwise) == "else";
        let end = if has_else { self.behind(otherwise + 1)? } else { otherwise };
        let flow = match condition.holds() {
            Some(true) => self.statement()?,
            Some(false) if has_else => {
                self.at = otherwise + 1;
                self.statement()?
            }
            Some(false) => Flow::Next,
            None => {
                let before = (self.tally.clone(), self.variables.clone());
                let first = self.statement()?;
                let one = (self.tally.clone(), self.variables.clone());
                (self.tally, self.variables) = before;
                let mut second = Flow::Next;
                if has_else {
                    self.at = otherwise + 1;
                    second = self.statement()?;
                }
                self.join(first, one, second)?
            }
        };
        self.at = end;
        Ok(flow)
    }

    /// Two ways that a branch may go become one: this state is that of the second.
    fn join(&mut self, first: Flow, one: (Tally, Variables), second: Flow) -> Read<Flow> {
        if first == second {
            self.tally.either(&one.0);
            merge(&mut self.variables, &one.1);
            return Ok(first);
        }
        // The way that leaves is put aside, the other goes on.
        let (leaving, state, going) = match (first, second) {
            (_, Flow::Next) => (first, one, second),
            (Flow::Next, _) => {
                let state = (self.tally.clone(), self.variables.clone());
                (self.tally, self.variables) = one;
                (second, state, first)
            }
            _ => (first, one, second),
        };
        match leaving {
            Flow::Return => {} // put aside already
            Flow::Discard => self.ended.push(state.0),
            _ => {
                let left = self.broken.last_mut().ok_or(Strange)?;
                left.push((state.0, state.1, Value::Other));
            }
        }
        Ok(going)
    }

    fn repeat(&mut self) -> Read<Flow> {
        let is_for = self.word() == "for";
        self.step()?;
        let close = self.text.closing(self.at)?;
        let end = self.behind(close + 1)?;
        self.require("(")?;
        self.variables.push(HashMap::new());
        self.broken.push(Vec::new());
        if is_for && !self.accept(";")? {
            if self.is_type(self.word()) {
                self.declaration()?;
            } else {
                self.expression()?;
                self.require(";")?;
            }
        }
        let condition = self.at;
        let after = match is_for {
            true => (condition..close).find(|&place| self.text.word(place) == ";").ok_or(Strange)? + 1,
            false => close,
        };
        let mut flow = Flow::Next;
        let certain = loop {
            self.at = condition;
            let goes_on = match self.word() {
                ";" => Some(true),
                _ => self.expression()?.holds(),
            };
            match goes_on {
                Some(false) => break true,
                None => break false,
                Some(true) => {}
            }
            self.at = close + 1;
            match self.statement()? {
                Flow::Break => break true,
                left @ (Flow::Return | Flow::Discard) => {
                    flow = left;
                    break true;
                }
                Flow::Next | Flow::Continue => {}
            }
            if after < close {
                self.at = after;
                self.expression()?;
            }
        };
        if !certain {
            self.any_number_of_times((condition, after, close))?;
        }
        for (tally, variables, _) in self.broken.pop().unwrap_or_default() {
            self.tally.either(&tally);
            merge(&mut self.variables, &variables);
        }
        self.variables.pop();
        self.at = end;
        Ok(flow)
    }

    /// A loop whose end is not known: what changes in it is not known either.
    fn any_number_of_times(&mut self, (condition, after, close): (usize, usize, usize)) -> Read<()> {
        let before = self.tally.clone();
        for _ in 0..4 {
            let start = self.variables.clone();
            self.at = close + 1;
            self.statement()?;
            if after < close {
                self.at = after;
                self.expression()?;
            }
            self.at = condition;
            if self.word() != ";" {
                self.expression()?;
            }
            merge(&mut self.variables, &start);
            if self.variables == start {
                break;
            }
        }
        // A fetch that was counted on the way may happen never, or any number of times.
        let mut tally = before.clone();
        for (site, count) in &self.tally.each {
            if before.each.get(site) != Some(count) {
                let least = before.each.get(site).map_or(0, |count| count.least);
                tally.each.insert(*site, Count { least, most: None });
                tally.total.most = None;
            }
        }
        self.tally = tally;
        Ok(())
    }

    fn expression(&mut self) -> Read<Value> {
        let mut value = self.assignment()?.0;
        while self.accept(",")? {
            value = self.assignment()?.0;
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Read<(Value, Option<Place>)> {
        let (value, place) = self.choice()?;
        let mark = self.word().to_owned();
        if !matches!(mark.as_str(), "=" | "+=" | "-=" | "*=" | "/=" | "%=") {
            return Ok((value, place));
        }
        self.step()?;
        let right = self.assignment()?.0;
        let value = if mark == "=" { right } else { combined(&mark[..1], &value, &right) };
        if let Some(place) = &place {
            self.set(place, value.clone());
        }
        Ok((value, place))
    }

    fn set(&mut self, place: &Place, value: Value) {
        let Some(slot) = self.variables.iter_mut().rev().find_map(|block| block.get_mut(&place.name)) else {
            return; // an output
        };
        match (&place.numbers, place.inside, slot) {
            (_, true, slot) => *slot = Value::Other,
            (None, _, slot) => {
                *slot = match (&*slot, value) {
                    // One number for all, as in `vec2 a; a *= 2.0`.
                    (Value::Numbers(old), Value::Numbers(new)) if new.len() == 1 && old.len() > 1 => {
                        Value::Numbers(vec![new[0]; old.len()])
                    }
                    (_, value) => value,
                };
            }
            (Some(which), _, Value::Numbers(numbers)) => {
                for (place, &number) in which.iter().enumerate() {
                    let new = match &value {
                        Value::Numbers(new) => new.get(place).or(new.first()).copied().flatten(),
                        _ => None,
                    };
                    if let Some(slot) = numbers.get_mut(number) {
                        *slot = new;
                    }
                }
            }
            (Some(_), _, _) => {}
        }
    }

    fn choice(&mut self) -> Read<(Value, Option<Place>)> {
        let (condition, place) = self.chain(0)?;
        if !self.accept("?")? {
            return Ok((condition, place));
        }
        let before = self.tally.clone();
        let first = self.assignment()?.0;
        let one = self.tally.clone();
        self.require(":")?;
        if condition.holds() != Some(true) {
            self.tally = before;
        }
        let counted = self.tally.clone();
        let second = self.assignment()?.0;
        let value = match condition.holds() {
            Some(true) => {
                self.tally = counted;
                first
            }
            Some(false) => second,
            None => {
                self.tally.either(&one);
                if first == second { first } else { unknown_like(&first) }
            }
        };
        Ok((value, None))
    }

    fn chain(&mut self, above: u8) -> Read<(Value, Option<Place>)> {
        let (mut value, mut place) = self.unary()?;
        loop {
            let mark = self.word().to_owned();
            if tightness(&mark) <= above {
                return Ok((value, place));
            }
            self.step()?;
            let decided = match mark.as_str() {
                "&&" if value.holds() == Some(false) => Some(0.0),
                "||" if value.holds() == Some(true) => Some(1.0),
                _ => None,
            };
            let before = self.tally.clone();
            let right = self.chain(tightness(&mark))?.0;
            value = match decided {
                Some(value) => {
                    self.tally = before;
                    number(value)
                }
                None => {
                    if matches!(mark.as_str(), "&&" | "||") && value.holds().is_none() {
                        self.tally.either(&before); // the second may not be asked
                    }
                    combined(&mark, &value, &right)
                }
            };
            place = None;
        }
    }

    fn unary(&mut self) -> Read<(Value, Option<Place>)> {
        match self.word() {
            "-" => {
                self.step()?;
                let value = self.unary()?.0;
                Ok((combined("-", &number(0.0), &value), None))
            }
            "+" => {
                self.step()?;
                self.unary()
            }
            "!" | "~" => {
                let not = self.word() == "!";
                self.step()?;
                let value = self.unary()?.0;
                let negated = value.holds().filter(|_| not).map(|holds| number(f64::from(!holds)));
                Ok((negated.unwrap_or(Value::Other), None))
            }
            mark @ ("++" | "--") => {
                let mark = mark[..1].to_owned();
                self.step()?;
                let (value, place) = self.unary()?;
                let value = combined(&mark, &value, &number(1.0));
                if let Some(place) = place {
                    self.set(&place, value.clone());
                }
                Ok((value, None))
            }
            _ => self.postfix(),
        }
    }

    fn postfix(&mut self) -> Read<(Value, Option<Place>)> {
        let (mut value, mut place) = self.primary()?;
        loop {
            match self.word() {
                "." => {
                    self.step()?;
                    let member = self.word().to_owned();
                    self.step()?;
                    if self.word() == "(" {
                        // `array.length()`
                        self.at = self.text.closing(self.at)? + 1;
                        (value, place) = (Value::Other, None);
                        continue;
                    }
                    let which = swizzle(&member);
                    if let Some(place) = &mut place {
                        match (&value, &which, &place.numbers) {
                            (Value::Numbers(_), Some(which), None) => place.numbers = Some(which.clone()),
                            (Value::Other, Some(_), None) => place.numbers = Some(Vec::new()),
                            _ => place.inside = true,
                        }
                    }
                    value = match (&value, which) {
                        (Value::Stream(stream), _) if member == "texels" => Value::Sampler(*stream),
                        (Value::Stream(stream), _) if member == "extent" => {
                            let (width, height) = self.size(*stream);
                            let inverse = |side: f64| f64::from((1.0 / side) as f32);
                            Value::Numbers(
                                [width, height, inverse(width), inverse(height)].map(known).to_vec(),
                            )
                        }
                        (Value::Numbers(numbers), Some(which)) => Value::Numbers(
                            which.iter().map(|&place| numbers.get(place).copied().flatten()).collect(),
                        ),
                        (Value::Other, Some(which)) => Value::Numbers(vec![None; which.len()]),
                        _ => Value::Other,
                    };
                }
                "[" => {
                    self.step()?;
                    let index = self.expression()?.constant();
                    self.require("]")?;
                    let place_in = index.filter(|i| *i >= 0.0).map(|i| i as usize);
                    if let Some(place) = &mut place {
                        match (&value, place_in) {
                            (Value::Numbers(_), Some(i)) if place.numbers.is_none() => {
                                place.numbers = Some(vec![i]);
                            }
                            _ => place.inside = true,
                        }
                    }
                    value = match (&value, place_in) {
                        (Value::Numbers(numbers), Some(i)) => {
                            Value::Numbers(vec![numbers.get(i).copied().flatten()])
                        }
                        (Value::Numbers(_), None) => Value::Numbers(vec![None]),
                        _ => Value::Other,
                    };
                }
                mark @ ("++" | "--") => {
                    let mark = mark[..1].to_owned();
                    self.step()?;
                    if let Some(place) = &place {
                        let changed = combined(&mark, &value, &number(1.0));
                        self.set(place, changed);
                    }
                    place = None;
                }
                _ => return Ok((value, place)),
            }
        }
    }

    fn size(&self, stream: usize) -> (f64, f64) {
        let (width, height) = self.given.streams.get(stream).map_or((1, 1), |(_, size)| *size);
        (f64::from(width), f64::from(height))
    }

    fn primary(&mut self) -> Read<(Value, Option<Place>)> {
        let line = self.text.tokens.get(self.at).map_or(0, |token| token.line);
        let word = self.word().to_owned();
        if word == "(" {
            self.step()?;
            let value = self.expression()?;
            self.require(")")?;
            return Ok((value, None));
        }
        self.step()?;
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let digits = word.trim_end_matches(['u', 'U', 'f', 'F']);
            let value = match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
                Some(hex) => i64::from_str_radix(hex.trim_end_matches(['u', 'U']), 16).map(|v| v as f64).ok(),
                None => digits.parse().ok(),
            };
            return Ok((value.map_or(Value::Other, number), None));
        }
        if matches!(word.as_str(), "true" | "false") {
            return Ok((number(f64::from(word == "true")), None));
        }
        if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            if self.word() == "[" && self.is_type(&word) {
                self.at = self.text.closing(self.at)? + 1; // an array's constructor
            }
            if self.word() == "(" {
                return Ok((self.invocation(&word, line)?, None));
            }
            let value = self.variables.iter().rev().find_map(|block| block.get(&word)).cloned();
            let place = Place { name: word, ..Place::default() };
            return Ok((value.unwrap_or(Value::Other), Some(place)));
        }
        Err(Strange)
    }

    fn invocation(&mut self, name: &str, line: u32) -> Read<Value> {
        self.require("(")?;
        let mut given = Vec::new();
        if self.word() == "void" {
            self.step()?;
        }
        while self.word() != ")" {
            given.push(self.assignment()?);
            if !self.accept(",")? {
                break;
            }
        }
        self.require(")")?;
        let values = || given.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>();
        if let Some(functions) = self.text.functions.get(name) {
            let fits = |function: &&Rc<Function>| {
                function.parameters.len() == given.len()
                    && function.parameters.iter().zip(&given).all(|(p, (value, _))| match value {
                        Value::Numbers(numbers) => width(&p.type_name) == Some(numbers.len()),
                        _ => true,
                    })
            };
            let same_number = |function: &&Rc<Function>| function.parameters.len() == given.len();
            let found = functions.iter().find(fits).or(functions.iter().find(same_number));
            let function = found.ok_or(Strange)?.clone();
            let (at, kernel_line) = (self.at, line);
            let value = self.call_from(&function, values(), kernel_line)?;
            self.at = at;
            for (parameter, (_, place)) in function.parameters.iter().zip(&given) {
                if let (true, Some(place)) = (parameter.out, place) {
                    self.set(place, Value::Other);
                }
            }
            return Ok(value);
        }
        if let Some(fetched) = self.fetch(name, &values(), line) {
            return fetched;
        }
        Ok(built_in(name, &values()))
    }

    /// A call of a function of the kernel itself, or, with its line, of one of the words of all kernels.
    fn call_from(&mut self, function: &Rc<Function>, values: Vec<Value>, line: u32) -> Read<Value> {
        let inside = self.text.tokens.get(function.body.0).map_or(0, |token| token.line);
        if inside > 0 || line == 0 {
            return self.call_with(function, values, None);
        }
        self.call_with(function, values, Some(line))
    }

    fn call(&mut self, function: &Rc<Function>, values: Vec<Value>) -> Read<Value> {
        self.call_with(function, values, None)
    }

    fn call_with(&mut self, function: &Rc<Function>, values: Vec<Value>, line: Option<u32>) -> Read<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Strange);
        }
        let caller = self.variables.split_off(1);
        let mut block = HashMap::new();
        for (parameter, value) in function.parameters.iter().zip(values) {
            block.insert(parameter.name.clone(), of_type(&parameter.type_name, value));
        }
        if let Some(line) = line {
            block.insert(LINE.to_owned(), number(f64::from(line)));
        } else if let Some(line) = caller.iter().rev().find_map(|block| block.get(LINE)) {
            block.insert(LINE.to_owned(), line.clone());
        }
        self.variables.push(block);
        self.returned.push(Vec::new());
        let broken = std::mem::take(&mut self.broken);
        self.at = function.body.0;
        let flow = self.block(function.body.1)?;
        self.broken = broken;
        let left = self.returned.pop().unwrap_or_default();
        let mut ways = left.into_iter();
        let mut value = Value::Other;
        if flow == Flow::Discard {
            self.ended.push(self.tally.clone());
        }
        if flow == Flow::Next {
            // The end is a way out of its own.
            for (tally, ..) in ways {
                self.tally.either(&tally);
            }
        } else if let Some((tally, variables, first)) = ways.next() {
            (self.tally, value) = (tally, first);
            self.variables[0].clone_from(&variables[0]);
            for (tally, _, other) in ways {
                self.tally.either(&tally);
                if value != other {
                    value = unknown_like(&value);
                }
            }
        }
        self.variables.truncate(1);
        self.variables.extend(caller);
        self.depth -= 1;
        Ok(value)
    }

    /// A fetch, if the word is one.
    fn fetch(&mut self, name: &str, values: &[Value], line: u32) -> Option<Read<Value>> {
        let (texel, offset) = match name {
            "textureLod" | "texture" => (false, None),
            "textureLodOffset" => (false, values.get(3)),
            "textureOffset" => (false, values.get(2)),
            "texelFetch" => (true, None),
            "texelFetchOffset" => (true, values.get(3)),
            _ => return None,
        };
        let stream = match values.first() {
            Some(Value::Sampler(stream) | Value::Stream(stream)) => *stream,
            _ => return Some(Err(Strange)),
        };
        let line = match self.variables.iter().rev().find_map(|block| block.get(LINE)) {
            Some(outer) if line == 0 => outer.constant().unwrap_or(0.0) as u32,
            _ => line,
        };
        self.tally.total.least += 1;
        self.tally.total.most = self.tally.total.most.map(|most| most + 1);
        let count = self.tally.each.entry((line, stream)).or_insert(Count::ZERO);
        count.least += 1;
        count.most = count.most.map(|most| most + 1);
        let (width, height) = self.size(stream);
        let along = |axis: usize, side: f64| -> Option<Along> {
            let Value::Numbers(numbers) = values.get(1)? else { return None };
            let place = (*numbers.get(axis)?)?;
            let by = match offset {
                None => 0.0,
                Some(Value::Numbers(offsets)) => {
                    offsets.get(axis).or(offsets.first()).copied().flatten()?.constant()?
                }
                Some(_) => return None,
            };
            let (scale, shift) = if texel { (1.0, 0.5) } else { (side, 0.0) };
            let round = |v: f64| (v * 4096.0).round() / 4096.0;
            let offset = round(place.constant * scale + shift + by);
            match place.symbol {
                None => Some(Along { domain: None, axis, scale: 0.0, offset }),
                Some((by, domain, axis)) => {
                    Some(Along { domain: Some(domain), axis, scale: round(by * scale), offset })
                }
            }
        };
        let found = along(0, width).zip(along(1, height)).map(|(x, y)| [x, y]);
        let texels = self.texels.entry((line, stream)).or_insert_with(|| Some(Vec::new()));
        match (found, &mut *texels) {
            (Some(found), Some(known)) if !known.contains(&found) => known.push(found),
            (None, _) => *texels = None,
            _ => {}
        }
        Some(Ok(Value::Numbers(vec![None; 4])))
    }
}

/// The variable that holds the line of the kernel from which a word of all kernels was called.
const LINE: &str = "#line";

/// The numbers of a type, if it has some.
fn width(type_name: &str) -> Option<usize> {
    match type_name {
        "float" | "int" | "uint" | "bool" => Some(1),
        name if name.ends_with("vec2") => Some(2),
        name if name.ends_with("vec3") => Some(3),
        name if name.ends_with("vec4") => Some(4),
        _ => None,
    }
}

fn of_type(type_name: &str, value: Value) -> Value {
    match (width(type_name), value) {
        (Some(width), Value::Numbers(numbers)) if numbers.len() == width => Value::Numbers(numbers),
        (Some(width), _) => Value::Numbers(vec![None; width]),
        (None, value @ (Value::Stream(_) | Value::Sampler(_))) => value,
        (None, _) => Value::Other,
    }
}

fn unknown_like(value: &Value) -> Value {
    match value {
        Value::Numbers(numbers) => Value::Numbers(vec![None; numbers.len()]),
        _ => Value::Other,
    }
}

fn swizzle(member: &str) -> Option<Vec<usize>> {
    let place = |c: char| ["xyzw", "rgba", "stpq"].iter().find_map(|names| names.find(c));
    if (1..=4).contains(&member.len()) { member.chars().map(place).collect() } else { None }
}

/// Variables after one of two ways: known where both agree.
fn merge(into: &mut Variables, other: &Variables) {
    for (block, other) in into.iter_mut().zip(other) {
        for (name, value) in block.iter_mut() {
            let Some(there) = other.get(name) else { continue };
            match (&mut *value, there) {
                (Value::Numbers(a), Value::Numbers(b)) if a.len() == b.len() => {
                    for (a, b) in a.iter_mut().zip(b) {
                        if *a != *b {
                            *a = None;
                        }
                    }
                }
                (a, b) if *a != *b => *a = Value::Other,
                _ => {}
            }
        }
    }
}

fn combined(mark: &str, a: &Value, b: &Value) -> Value {
    let (Value::Numbers(a), Value::Numbers(b)) = (a, b) else { return Value::Other };
    if a.len() != b.len() && a.len() != 1 && b.len() != 1 {
        return Value::Other;
    }
    let length = a.len().max(b.len());
    let at = |numbers: &[Option<Number>], i: usize| if numbers.len() == 1 { numbers[0] } else { numbers[i] };
    let numbers: Vec<Option<Number>> = (0..length).map(|i| both(mark, at(a, i)?, at(b, i)?)).collect();
    match mark {
        "==" | "!=" if length > 1 => Value::Numbers(vec![None]),
        _ => Value::Numbers(numbers),
    }
}

fn both(mark: &str, a: Number, b: Number) -> Option<Number> {
    let scaled = |n: Number, by: f64| Number {
        constant: n.constant * by,
        symbol: n.symbol.map(|(scale, domain, axis)| (scale * by, domain, axis)).filter(|s| s.0 != 0.0),
    };
    match (mark, a.constant(), b.constant()) {
        ("+" | "-", ..) => {
            let b = if mark == "-" { scaled(b, -1.0) } else { b };
            let symbol = match (a.symbol, b.symbol) {
                (None, symbol) | (symbol, None) => symbol,
                (Some(a), Some(b)) if (a.1, a.2) == (b.1, b.2) => {
                    Some((a.0 + b.0, a.1, a.2)).filter(|s| s.0 != 0.0)
                }
                _ => return None,
            };
            Some(Number { constant: a.constant + b.constant, symbol })
        }
        ("*", _, Some(by)) => Some(scaled(a, by)),
        ("*", Some(by), _) => Some(scaled(b, by)),
        ("/", _, Some(by)) => Some(scaled(a, 1.0 / by)),
        (_, Some(a), Some(b)) => {
            let truth = |holds: bool| known(f64::from(holds));
            match mark {
                "<" => truth(a < b),
                ">" => truth(a > b),
                "<=" => truth(a <= b),
                ">=" => truth(a >= b),
                "==" => truth(a == b),
                "!=" => truth(a != b),
                "&&" => truth(a != 0.0 && b != 0.0),
                "||" => truth(a != 0.0 || b != 0.0),
                "^^" => truth((a != 0.0) != (b != 0.0)),
                "%" if b != 0.0 => known(a % b),
                "&" => known(((a as i64) & (b as i64)) as f64),
                "|" => known(((a as i64) | (b as i64)) as f64),
                "^" => known(((a as i64) ^ (b as i64)) as f64),
                "<<" => known((a as i64).wrapping_shl(b as u32) as f64),
                ">>" => known((a as i64).wrapping_shr(b as u32) as f64),
                _ => None,
            }
        }
        _ => None,
    }
}

fn built_in(name: &str, values: &[Value]) -> Value {
    if let Some(width) = width(name) {
        let mut numbers = Vec::new();
        for value in values {
            match value {
                Value::Numbers(given) => numbers.extend(given.iter().copied()),
                _ => return Value::Numbers(vec![None; width]),
            }
        }
        if numbers.len() == 1 {
            numbers = vec![numbers[0]; width];
        }
        numbers.resize(width, None);
        if name.starts_with(['i', 'u']) {
            let whole = |n: &mut Option<Number>| *n = n.and_then(|n| known(n.constant()?.trunc()));
            numbers.iter_mut().for_each(whole);
        }
        return Value::Numbers(numbers);
    }
    let of_one: Option<fn(f64) -> f64> = match name {
        "floor" => Some(f64::floor),
        "ceil" => Some(f64::ceil),
        "round" => Some(f64::round),
        "trunc" => Some(f64::trunc),
        "abs" => Some(f64::abs),
        "sqrt" => Some(f64::sqrt),
        "exp2" => Some(f64::exp2),
        "log2" => Some(f64::log2),
        "fract" => Some(|v| v - v.floor()),
        _ => None,
    };
    let of_two: Option<fn(f64, f64) -> f64> = match name {
        "min" => Some(f64::min),
        "max" => Some(f64::max),
        "mod" => Some(|a, b| a - b * (a / b).floor()),
        "step" => Some(|edge, v| f64::from(v >= edge)),
        "pow" => Some(f64::powf),
        _ => None,
    };
    match (values, of_one, of_two) {
        ([Value::Numbers(a)], Some(f), _) => {
            Value::Numbers(a.iter().map(|n| known(f((*n)?.constant()?))).collect())
        }
        ([Value::Numbers(a), Value::Numbers(b)], _, Some(f)) if a.len() == b.len() || b.len() == 1 => {
            let b = |i: usize| if b.len() == 1 { b[0] } else { b[i] };
            let number = |(i, a): (usize, &Option<Number>)| known(f((*a)?.constant()?, b(i)?.constant()?));
            Value::Numbers(a.iter().enumerate().map(number).collect())
        }
        _ => Value::Other,
    }
}

/// Returns true if a word of that text fetches, for a text that is not understood.
pub(super) fn names_fetches(text: &str) -> bool {
    tokens(&without_comments(text), 0).iter().any(|token| {
        token.text.starts_with("texture")
            || token.text.starts_with("texel")
            || token.text.starts_with("value")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Option<Fetches> {
        let text = format!("uniform Stream a, b; uniform vec2 size; DOMAIN p; RANGE vec4 r;\n{body}");
        let kernel = Kernel::new("t", text).define("N", 3);
        let given = Given {
            streams: vec![("a", (8, 4)), ("b", (2, 2))],
            constants: vec![("size", &[2.0, 5.0])],
            domains: vec!["p"],
            here: None,
        };
        Text::new(&kernel, false, "")?.run(&given)
    }

    fn count(body: &str) -> Option<(u64, Option<u64>)> {
        of(body).map(|found| (found.count.least, found.count.most))
    }

    #[test]
    fn fetches_are_counted_through_calls_loops_and_branches() {
        for (body, least, most) in [
            ("void main() { r = value2(a, p) + value0(b); }", 2, Some(2)),
            (
                "void main() { r = value(a, 3.0) + valuePacked(a, p) + valueOffset(a, p, ivec2(1, 0)); }",
                3,
                Some(3),
            ),
            ("void main() { for (int i = 0; i < N; i++) r += value2(a, p + float(i)); }", 3, Some(3)),
            (
                "void main() { for (float y = 0.0; y < size.y; y += 1.0) for (float x = 0.5; x < size.x; ++x) r += value2(a, vec2(x, y)); }",
                10,
                Some(10),
            ),
            (
                "void main() { if (value0(b).x > 0.0) r = value2(a, p); else { r = value2(b, p); r += value2(b, p); } }",
                2,
                Some(3),
            ),
            ("void main() { r = p.x > 1.0 ? value2(a, p) : vec4(0.0); }", 0, Some(1)),
            ("void main() { r = size.x > 1.0 ? value2(a, p) : value2(b, p) + value2(b, p); }", 1, Some(1)),
            ("void main() { float n = value0(a).x; while (n < 9.0) { n += value2(a, p).x; } }", 1, None),
            (
                "vec4 f(vec2 q) { if (q.x < 0.0) return vec4(0.0); return value2(a, q); } void main() { r = f(p) + f(p); }",
                0,
                Some(2),
            ),
            ("void main() { if (value0(b).x > 0.0) discard; r = value2(a, p); }", 1, Some(2)),
            (
                "void main() { for (int i = 0; i < 4; i++) { r += value2(a, p); if (r.x > 1.0) break; } }",
                1,
                Some(4),
            ),
            ("#define T(i) value2(a, p + vec2(i, 0.0))\nvoid main() { r = T(0.0) + T(1.0); }", 2, Some(2)),
        ] {
            assert_eq!(count(body), Some((least, most)), "{body}");
        }
        assert_eq!(count("void main() { switch (1) { } }"), None, "not understood");
    }

    #[test]
    fn texels_are_exact_where_they_are_a_domain_and_a_constant() {
        let texels = |body: &str| {
            let found = of(body).map(|found| found.fetches).unwrap_or_default();
            found
                .into_iter()
                .map(|fetch| {
                    fetch.texels.map(|t| {
                        t.iter().map(|[x, y]| (x.scale, x.offset, y.scale, y.offset)).collect::<Vec<_>>()
                    })
                })
                .collect::<Vec<_>>()
        };
        let exact = |all: &[(f64, f64, f64, f64)]| vec![Some(all.to_vec())];
        for (body, expected) in [
            ("void main() { r = value2(a, p + vec2(1.0, -2.0)); }", exact(&[(1.0, 1.0, 1.0, -2.0)])),
            (
                "void main() { vec2 h = addressOf(a, p); r = textureLodOffset(a.texels, h, 0.0, ivec2(-1, 2)); }",
                exact(&[(1.0, -1.0, 1.0, 2.0)]),
            ),
            (
                "void main() { for (int i = 0; i < 2; i++) r += value2(a, 2.0 * p + vec2(i, 0)); }",
                exact(&[(2.0, 0.0, 2.0, 0.0), (2.0, 1.0, 2.0, 0.0)]),
            ),
            ("void main() { r = texelFetch(a.texels, ivec2(3, 1), 0); }", exact(&[(0.0, 3.5, 0.0, 1.5)])),
            ("void main() { r = value2(a, p.yx); }", exact(&[(1.0, 0.0, 1.0, 0.0)])),
            ("void main() { r = value2(a, floor(p)); }", vec![None]),
            ("void main() { vec2 q = p; if (p.x > 1.0) q.x += 1.0; r = value2(a, q); }", vec![None]),
        ] {
            assert_eq!(texels(body), expected, "{body}");
        }
        let yx = of("void main() { r = value2(a, p.yx); }").unwrap_or_default();
        assert_eq!(yx.fetches[0].texels.as_ref().map(|t| (t[0][0].axis, t[0][1].axis)), Some((1, 0)));
        assert_eq!(yx.fetches[0].line, 2);
    }
}
