//! The words of a kernel as its compiler sees them: comments gone, conditions decided, macros spread.

use std::collections::HashMap;

use super::kernel::{Kernel, preludes, without_comments};

/// A word or a mark of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub text: String,
    /// Its line in the kernel, or that of the macro's call; 0 in the words of all kernels.
    pub line: u32,
}

/// An object-like macro has no parameters; one like a function may have none in its parentheses.
struct Macro {
    parameters: Option<Vec<String>>,
    body: Vec<Token>,
}

/// Reads texts one after another, as the compiler does.
#[derive(Default)]
pub(crate) struct Preprocessor {
    macros: HashMap<String, Macro>,
    tokens: Vec<Token>,
    left_out: Vec<u32>,
    unclear: bool,
}

/// Marks of two characters.
const PAIRS: [&str; 16] =
    ["+=", "-=", "*=", "/=", "%=", "++", "--", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "^^"];

/// The deepest that macros are spread, and the most words that come of it.
const DEEPEST: usize = 64;
const MOST: usize = 400_000;

pub(crate) fn tokens(text: &str, line: u32) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let number =
            first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        let length = if number {
            let mut before = ' ';
            let part = |c: char| {
                let exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !is_hex(rest);
                before = c;
                c.is_ascii_alphanumeric() || c == '.' || exponent
            };
            rest.len() - rest.trim_start_matches(part).len()
        } else if first.is_ascii_alphabetic() || first == '_' {
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            found.push(Token { text: rest[..length].to_owned(), line });
        }
        rest = &rest[length..];
    }
    found
}

/// The place of the mark that closes what opens at `at`.
pub(crate) fn closing(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0;
    (at..tokens.len()).find(|&place| {
        match tokens[place].text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

impl Preprocessor {
    /// Reads a kernel as it is compiled, behind the words of all kernels and those `of_stage`.
    pub fn of(kernel: &Kernel, embedded: bool, of_stage: &'static str) -> Preprocessor {
        let mut reader = Preprocessor::default();
        if embedded {
            reader.define("GL_ES", "1");
        }
        // The head defines it, in each dialect to another word.
        reader.define("pug_across", "");
        for (name, value) in &kernel.defines {
            reader.define(name, value);
        }
        for words in preludes(kernel, of_stage) {
            reader.read(&without_comments(words), false);
        }
        reader.read(&without_comments(&kernel.text), true);
        reader
    }

    /// Defines a macro; its name may be followed by parameters in parentheses.
    pub fn define(&mut self, name: &str, value: &str) {
        self.definition(&format!("{name} {value}"), 0);
    }

    /// Reads a text without comments; `numbered` where its lines are those of the kernel.
    pub fn read(&mut self, text: &str, numbered: bool) {
        // For each condition that is open: whether its lines count, and whether one of its branches has.
        let mut open: Vec<(bool, bool)> = Vec::new();
        let mut chunk = Vec::new();
        let mut lines = text.lines().enumerate();
        while let Some((number, first)) = lines.next() {
            let (mut line, mut last) = (first.to_owned(), number);
            while line.ends_with('\\') {
                line.pop();
                if let Some((place, next)) = lines.next() {
                    line.push_str(next);
                    last = place;
                }
            }
            let numbers = number as u32 + 1..=last as u32 + 1;
            let number = if numbered { number as u32 + 1 } else { 0 };
            let live = open.iter().all(|(live, _)| *live);
            match line.trim_start().strip_prefix('#') {
                None if live => chunk.extend(tokens(&line, number)),
                None if numbered => self.left_out.extend(numbers),
                None => {}
                Some(directive) => {
                    self.flush(&mut chunk);
                    self.directive(directive.trim(), number, &mut open);
                }
            }
        }
        self.flush(&mut chunk);
    }

    /// The words, and the numbers of the lines that conditions leave out.
    pub fn finish(self) -> (Vec<Token>, Vec<u32>) {
        (self.tokens, self.left_out)
    }

    /// Returns true if a condition held a word that is neither a name, a mark nor a whole number: a compiler may decide it otherwise.
    pub fn is_unclear(&self) -> bool {
        self.unclear
    }

    fn flush(&mut self, chunk: &mut Vec<Token>) {
        let mut spread = std::mem::take(&mut self.tokens);
        self.spread(chunk, &mut Vec::new(), &mut spread);
        self.tokens = spread;
        chunk.clear();
    }

    fn directive(&mut self, directive: &str, line: u32, open: &mut Vec<(bool, bool)>) {
        let end = directive.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(directive.len());
        let (word, rest) = (&directive[..end], directive[end..].trim());
        let live = open.iter().all(|(live, _)| *live);
        match word {
            "if" | "ifdef" | "ifndef" => {
                let holds = live
                    && match word {
                        "if" => self.holds(rest),
                        _ => self.macros.contains_key(rest) == (word == "ifdef"),
                    };
                open.push((holds, holds));
            }
            "elif" | "else" => {
                let Some((_, taken)) = open.pop() else { return };
                let around = open.iter().all(|(live, _)| *live);
                let holds = around && !taken && (word == "else" || self.holds(rest));
                open.push((holds, taken || holds));
            }
            "endif" => drop(open.pop()),
            "define" if live => self.definition(rest, line),
            "undef" if live => drop(self.macros.remove(rest)),
            _ => {}
        }
    }

    fn definition(&mut self, rest: &str, line: u32) {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let call = after.strip_prefix('(').and_then(|inside| inside.split_once(')'));
        let (parameters, body) = match call {
            Some((names, body)) => {
                let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
                (Some(names.map(str::to_owned).collect()), body)
            }
            None => (None, after),
        };
        self.macros.insert(name.to_owned(), Macro { parameters, body: tokens(body, line) });
    }

    /// Puts macros' bodies in the place of their names; those under way are left alone.
    fn spread(&self, from: &[Token], under_way: &mut Vec<String>, to: &mut Vec<Token>) {
        let mut at = 0;
        while at < from.len() && to.len() < MOST {
            let token = &from[at];
            at += 1;
            let known = self
                .macros
                .get(&token.text)
                .filter(|_| !under_way.contains(&token.text) && under_way.len() < DEEPEST);
            let Some(found) = known else {
                to.push(token.clone());
                continue;
            };
            let mut body = found.body.clone();
            if let Some(parameters) = &found.parameters {
                let Some((given, end)) = arguments(from, at) else {
                    to.push(token.clone());
                    continue;
                };
                at = end;
                let mut spread_arguments = Vec::new();
                for argument in given {
                    let mut spread = Vec::new();
                    self.spread(argument, under_way, &mut spread);
                    spread_arguments.push(spread);
                }
                body = body
                    .into_iter()
                    .flat_map(|word| match parameters.iter().position(|name| *name == word.text) {
                        Some(place) => spread_arguments.get(place).cloned().unwrap_or_default(),
                        None => vec![word],
                    })
                    .collect();
            }
            body.iter_mut().for_each(|word| word.line = token.line);
            under_way.push(token.text.clone());
            self.spread(&body, under_way, to);
            under_way.pop();
            // The spread text may end in the name of a macro whose arguments follow.
            let call = to
                .last()
                .and_then(|last| self.macros.get(&last.text))
                .is_some_and(|m| m.parameters.is_some());
            if call && let Some((_, end)) = arguments(from, at) {
                let mut words: Vec<Token> = to.pop().into_iter().collect();
                words.extend_from_slice(&from[at..end]);
                self.spread(&words, under_way, to);
                at = end;
            }
        }
    }

    fn holds(&mut self, condition: &str) -> bool {
        let mut words = tokens(condition, 0);
        // `defined X` is asked before macros are spread.
        while let Some(at) = words.iter().position(|word| word.text == "defined") {
            let bracket = words.get(at + 1).is_some_and(|word| word.text == "(");
            let name = words.get(at + 1 + usize::from(bracket)).map_or("", |word| word.text.as_str());
            let known = if self.macros.contains_key(name) { "1" } else { "0" };
            let length = (if bracket { 4 } else { 2 }).min(words.len() - at);
            words.splice(at..at + length, tokens(known, 0));
        }
        let mut spread = Vec::new();
        self.spread(&words, &mut Vec::new(), &mut spread);
        let is_clear = |word: &Token| {
            let text = word.text.as_str();
            let mark = tightness(text) > 0 || matches!(text, "(" | ")" | "!" | "~");
            mark || number(text).is_some() || text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        };
        self.unclear |= !spread.iter().all(is_clear);
        let mut place = 0;
        whole(&spread, &mut place, 0) != 0
    }
}

/// The arguments of a call whose parenthesis opens at `at`, and the place behind it.
fn arguments(from: &[Token], at: usize) -> Option<(Vec<&[Token]>, usize)> {
    if from.get(at)?.text != "(" {
        return None;
    }
    let (mut depth, mut begin, mut found) = (0, at + 1, Vec::new());
    for (place, token) in from.iter().enumerate().skip(at) {
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && token.text == ",") {
            found.push(&from[begin..place]);
            begin = place + 1;
        }
        if depth == 0 {
            return Some((found, place + 1));
        }
    }
    None
}

/// How tightly a mark binds, from `||` on; 0 for what is none.
pub(crate) fn tightness(mark: &str) -> u8 {
    match mark {
        "||" => 1,
        "^^" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "==" | "!=" => 7,
        "<" | ">" | "<=" | ">=" => 8,
        "<<" | ">>" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" => 11,
        _ => 0,
    }
}

fn is_hex(word: &str) -> bool {
    word.starts_with("0x") || word.starts_with("0X")
}

/// The value of a whole number: decimal, octal behind a 0, hexadecimal behind 0x.
fn number(word: &str) -> Option<i64> {
    let digits = word.strip_suffix(['u', 'U']).unwrap_or(word);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u32::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+')).map(i64::from)
}

/// The value of a condition, if it is made of whole numbers alone.
pub(super) fn value_of(words: &[Token]) -> Option<i64> {
    let is_known = |word: &Token| {
        let word = word.text.as_str();
        let plain = matches!(word, "true" | "false" | "(" | ")" | "-" | "+" | "!" | "~");
        // Unsigned numbers wrap where they would be negative.
        plain || tightness(word) > 0 || (number(word).is_some() && !word.ends_with(['u', 'U']))
    };
    let known = !words.is_empty() && words.iter().all(is_known);
    known.then(|| whole(words, &mut 0, 0))
}

/// A condition of the preprocessor; a name that is no macro is 0.
fn whole(words: &[Token], at: &mut usize, above: u8) -> i64 {
    let Some(first) = words.get(*at) else { return 0 };
    *at += 1;
    let mut value = match first.text.as_str() {
        "(" => {
            let value = whole(words, at, 0);
            *at += 1;
            value
        }
        "-" => whole(words, at, 11).wrapping_neg(),
        "+" => whole(words, at, 11),
        "!" => i64::from(whole(words, at, 11) == 0),
        "~" => !whole(words, at, 11),
        "true" => 1,
        word => number(word).unwrap_or(0),
    };
    while let Some(mark) = words.get(*at).filter(|mark| tightness(&mark.text) > above) {
        *at += 1;
        let right = whole(words, at, tightness(&mark.text));
        value = match mark.text.as_str() {
            "||" => i64::from(value != 0 || right != 0),
            "&&" => i64::from(value != 0 && right != 0),
            "^^" => i64::from((value != 0) != (right != 0)),
            "|" => value | right,
            "^" => value ^ right,
            "&" => value & right,
            "==" => i64::from(value == right),
            "!=" => i64::from(value != right),
            "<" => i64::from(value < right),
            ">" => i64::from(value > right),
            "<=" => i64::from(value <= right),
            ">=" => i64::from(value >= right),
            "<<" => value.wrapping_shl(right as u32),
            ">>" => value.wrapping_shr(right as u32),
            "+" => value.wrapping_add(right),
            "-" => value.wrapping_sub(right),
            "*" => value.wrapping_mul(right),
            "/" => value.checked_div(right).unwrap_or(0),
            _ => value.checked_rem(right).unwrap_or(0),
        };
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut reader = Preprocessor::default();
        reader.define("FORM", "3");
        reader.define("SET(v, to)", "to = v");
        reader.read(text, true);
        let words: Vec<String> = reader.finish().0.into_iter().map(|token| token.text).collect();
        words.join(" ")
    }

    #[test]
    fn the_lines_that_conditions_leave_out_are_told() {
        let mut reader = Preprocessor::default();
        reader.read("#if 0\nin the words of all kernels\n#endif", false);
        reader.read("#if 0\na\n#if 1\nb\n#endif\n#else\nc\n#endif\n#ifdef X\nd \\\ne\n#endif\nf", true);
        assert_eq!(reader.finish().1, [2, 4, 10, 11]);
    }

    #[test]
    fn conditions_are_decided_and_macros_spread() {
        for (text, expected) in [
            ("#if FORM == 3 && !defined(X)\na\n#else\nb\n#endif", "a"),
            ("#if (FORM & 4) != 0\na\n#elif FORM < 2 || FORM == 3\nb\n#else\nc\n#endif", "b"),
            ("#if FORM & 0x1\na\n#endif\n#if 0X1e+3 == 041u\nb\n#endif", "a b"),
            ("SET(FORM + 1, n);", "n = 3 + 1 ;"),
            ("#ifndef FORM\na\n#if 1\nx\n#else\ny\n#endif\n#endif\nz", "z"),
            (
                "#define TWICE(v) (v + \\\n v)\nTWICE(TWICE(1.5e-3));",
                "( ( 1.5e-3 + 1.5e-3 ) + ( 1.5e-3 + 1.5e-3 ) ) ;",
            ),
            ("#define A B\n#define B A\nA", "A"),
            (
                "#define ROW X2\n#define X1(i) e(i)\n#define X2(i) X1(i) + X1(i + 1)\nROW(3);",
                "e ( 3 ) + e ( 3 + 1 ) ;",
            ),
            ("#define at(p) f(p)\nat;at(1)", "at ; f ( 1 )"),
            ("#define e(i) k(i)\ne(1)\n#undef e\n#define e(i) l(i)\ne(2)", "k ( 1 ) l ( 2 )"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
