//! A kernel's words, taken apart: its RANGEs, functions, constants and local variables.

use super::super::words::{Token, closing};

/// A RANGE, and a bit for each of its components.
pub struct Output {
    pub name: String,
    pub all: u8,
    pub line: u32,
}

pub struct Function {
    pub name: String,
    /// For each parameter, true if it is handed back.
    pub parameters: Vec<bool>,
    /// The places of their names.
    pub named: Vec<usize>,
    /// The place of the brace that opens it.
    pub body: usize,
    /// True if it may write a RANGE or end the fragment.
    pub matters: bool,
}

/// A kernel's words, taken apart.
pub struct Text<'t> {
    pub tokens: &'t [Token],
    pub outputs: Vec<Output>,
    pub functions: Vec<Function>,
    /// `const`s, and what each is said to be, if that is one word.
    pub constants: Vec<(&'t str, Option<&'t Token>)>,
    /// Names of variables and parameters, those of what comes before the kernel aside.
    pub locals: Vec<&'t str>,
}

pub fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns true for a type, and for the two words that are constants of one.
pub fn is_type(word: &str) -> bool {
    let is_size = |size: &str| matches!(size, "2" | "3" | "4");
    if let Some(size) = word.strip_prefix("mat") {
        return is_size(size) || size.split_once('x').is_some_and(|(a, b)| is_size(a) && is_size(b));
    }
    let vector = word.strip_prefix(['i', 'u', 'b']).unwrap_or(word).strip_prefix("vec");
    vector.is_some_and(is_size) || matches!(word, "true" | "false" | "int" | "uint" | "float" | "bool")
}

/// Words before a name that do not declare it.
pub const PLAIN: [&str; 5] = ["return", "else", "case", "do", "RANGE"];

/// Words before the type of a declaration.
pub const QUALIFIERS: [&str; 8] = ["const", "highp", "mediump", "lowp", "in", "out", "inout", "flat"];

impl<'t> Text<'t> {
    /// Takes a kernel apart; none where it is not understood.
    pub fn new(tokens: &'t [Token]) -> Option<Text<'t>> {
        let mut text = Text {
            tokens,
            outputs: Vec::new(),
            functions: Vec::new(),
            constants: Vec::new(),
            locals: Vec::new(),
        };
        let mut at = 0;
        while at < tokens.len() {
            let end = (at..tokens.len()).find(|&place| matches!(text.word(place), ";" | "(" | "{" | "="))?;
            match text.word(end) {
                "{" => at = text.closing(end)? + 1,
                "(" if text.word(at) == "layout" => at = text.closing(end)? + 1,
                "(" => {
                    let close = text.closing(end)?;
                    if text.word(close + 1) != "{" {
                        at = close + 1;
                        continue;
                    }
                    let arguments = split(&tokens[end + 1..close]);
                    let out = |words: &&[Token]| {
                        words.iter().any(|word| matches!(word.text.as_str(), "out" | "inout"))
                    };
                    let parameters = arguments.iter().map(out).collect();
                    let mut begin = end + 1;
                    let named = arguments
                        .iter()
                        .map(|words| {
                            let length =
                                words.iter().position(|word| word.text == "[").unwrap_or(words.len());
                            let name = begin + length.saturating_sub(1);
                            begin += words.len() + 1;
                            name
                        })
                        .collect();
                    let name = text.word(end.checked_sub(1)?).to_owned();
                    text.functions.push(Function {
                        name,
                        parameters,
                        named,
                        body: close + 1,
                        matters: false,
                    });
                    at = text.closing(close + 1)? + 1;
                }
                _ => {
                    if text.word(at) == "RANGE" {
                        text.outputs.push(output(&tokens[at + 1..end])?);
                    }
                    at = (end..tokens.len()).find(|&place| text.word(place) == ";")? + 1;
                }
            }
        }
        text.ask_functions()?;
        let locals = text.locals();
        text.constants = text.constants(&locals);
        text.locals = locals.clone();
        // Its place stays, so that the places of the others do.
        for output in text.outputs.iter_mut().filter(|output| locals.contains(&output.name.as_str())) {
            output.all = 0;
        }
        Some(text)
    }

    /// Finds the functions that matter: they write, discard, or call one that does.
    fn ask_functions(&mut self) -> Option<()> {
        let mut known = 0;
        loop {
            for at in 0..self.functions.len() {
                let body = self.functions[at].body;
                let mut words =
                    self.tokens[body..=self.closing(body)?].iter().map(|token| token.text.as_str());
                let called = |word: &str| {
                    self.functions.iter().any(|function| function.matters && function.name == word)
                };
                // A name of what comes before the kernel is no RANGE of it.
                let own = self.line(body) != 0;
                let matters =
                    words.any(|word| word == "discard" || own && self.output(word).is_some() || called(word));
                self.functions[at].matters = matters;
            }
            let now = self.functions.iter().filter(|function| function.matters).count();
            if now == known {
                return Some(());
            }
            known = now;
        }
    }

    pub fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    pub fn line(&self, at: usize) -> u32 {
        self.tokens.get(at).map_or(0, |token| token.line)
    }

    /// The place of the semicolon that ends a statement; those inside the braces of a `struct` do not.
    pub fn end(&self, at: usize) -> Option<usize> {
        let mut at = at;
        while self.word(at) != ";" {
            at = if self.word(at) == "{" { self.closing(at)? } else { at } + 1;
            self.tokens.get(at)?;
        }
        Some(at)
    }

    /// The place of the mark that closes what opens at `at`.
    pub fn closing(&self, at: usize) -> Option<usize> {
        closing(self.tokens, at)
    }

    /// `const`s, and what each is said to be, if that is one word and no other variable has its name.
    fn constants(&self, locals: &[&str]) -> Vec<(&'t str, Option<&'t Token>)> {
        let mut found = Vec::new();
        let behind_index =
            |at: usize| if self.word(at) == "[" { self.closing(at).map(|close| close + 1) } else { Some(at) };
        for at in (0..self.tokens.len()).filter(|&at| self.word(at) == "const") {
            let kind = (at..self.tokens.len()).find(|&place| !QUALIFIERS.contains(&self.word(place)));
            let mut name = kind.and_then(|kind| behind_index(kind + 1));
            while let Some(at) = name {
                let Some(equals) = behind_index(at + 1).filter(|&place| self.word(place) == "=") else {
                    break;
                };
                let mut end = equals + 1;
                while !matches!(self.word(end), "," | ";" | "") {
                    let opens = matches!(self.word(end), "(" | "[" | "{");
                    end = if opens { self.closing(end).unwrap_or(self.tokens.len()) } else { end } + 1;
                }
                let only = locals.iter().filter(|local| **local == self.word(at)).count() == 1;
                let value =
                    self.tokens.get(equals + 1).filter(|_| only && end == equals + 2 && equals == at + 1);
                found.push((self.word(at), value));
                name = (self.word(end) == ",").then_some(end + 1);
            }
        }
        found
    }

    /// Names of variables and parameters, those of what comes before the kernel aside, and those of members too.
    fn locals(&self) -> Vec<&'t str> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let before = at.checked_sub(1).map_or("", |before| self.word(before));
            if matches!(before, "" | ";" | "{" | "}" | "(" | ")" | "," | ":" | "else" | "do")
                && self.line(at) != 0
            {
                found.extend(self.declared(at));
            }
            at = self.structure(at).unwrap_or(at) + 1;
        }
        found
    }

    /// The names that the declaration which begins at `at` declares: variables, or one parameter; none where no declaration begins.
    pub fn declared(&self, at: usize) -> Vec<&'t str> {
        let mut found = Vec::new();
        let behind_index =
            |at: usize| if self.word(at) == "[" { self.closing(at).map(|close| close + 1) } else { Some(at) };
        let kind =
            (at..self.tokens.len()).find(|&place| !QUALIFIERS.contains(&self.word(place))).unwrap_or(at);
        let is_kind =
            is_name(self.word(kind)) && !PLAIN.contains(&self.word(kind)) && self.word(kind) != "DOMAIN";
        let behind = self.structure(kind).unwrap_or(kind) + 1;
        let Some(mut place) = behind_index(behind).filter(|_| is_kind) else { return found };
        if !is_name(self.word(place)) || !matches!(self.word(place + 1), "=" | ";" | "," | ")" | "[") {
            return found;
        }
        // Behind a comma of parameters begins another declaration.
        let before = |by: usize| at.checked_sub(by).map_or("", |place| self.word(place));
        let is_list = before(1) != "," && (before(1) != "(" || before(2) == "for");
        loop {
            found.extend(Some(self.word(place)).filter(|name| is_name(name)));
            while !matches!(self.word(place), "," | ";" | ")" | "}" | "") {
                let opens = matches!(self.word(place), "(" | "[" | "{");
                place = if opens { self.closing(place).unwrap_or(self.tokens.len()) } else { place } + 1;
            }
            if !is_list || self.word(place) != "," {
                return found;
            }
            place += 1;
        }
    }

    /// The place of the brace that closes the members of a `struct` at `at`.
    pub fn structure(&self, at: usize) -> Option<usize> {
        let is_open = |place: &usize| self.word(*place) == "{";
        let open = [at + 1, at + 2].into_iter().find(is_open).filter(|_| self.word(at) == "struct")?;
        self.closing(open)
    }

    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| output.name == name)
    }
}

/// The parts between the commas, those inside brackets aside.
pub fn split(words: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let comma = |word: &Token| {
        match word.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        depth == 0 && word.text == ","
    };
    words.split(comma).collect()
}

/// The RANGE of a declaration.
fn output(words: &[Token]) -> Option<Output> {
    let mut words = words.iter().filter(|word| !QUALIFIERS.contains(&word.text.as_str()));
    let (kind, name) = (words.next()?, words.next()?);
    let all = match kind.text.as_str() {
        "float" => 0b1,
        "vec2" => 0b11,
        "vec3" => 0b111,
        "vec4" => 0b1111,
        _ => return None,
    };
    Some(Output { name: name.text.clone(), all, line: name.line })
}
