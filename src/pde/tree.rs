//! Formulas as text: words, and the tree that they make, each part with its place in the file.
//!
//! ```text
//! compare = sum [("<"|"<="|">"|">="|"==") sum]  # 1 or 0
//! sum = product {("+"|"-") product}
//! product = signed {("*"|"/") signed}
//! signed = {"-"|"+"} power      # -u^2 is -(u^2)
//! power = atom [("^"|"**") signed]
//! atom = number | name | name "(" compare {"," compare} ")" | "(" compare ")" | text
//! ```
//! A text between quotes is an atom too, so that `picture("f.png")` can be read; what may stand where is checked by `resolve`.

use crate::script::{Fault, NESTING, Span};

/// Parts that a formula may have: what bounds the depth of its tree.
const MOST_PARTS: usize = 500;

/// A formula or a part of one, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name(String),
    Text(String),
    Minus(Box<Tree>),
    Pair(Sign, Box<Tree>, Box<Tree>),
    /// A name, its place, and what stands between its parentheses.
    Call(String, Span, Vec<Tree>),
}

/// An operator between two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// a b.
    Times,
    /// a/b.
    Over,
    /// a to the power of b.
    Power,
    /// 1 where a < b, else 0; so do all comparisons.
    Less,
    /// a ≤ b.
    AtMost,
    /// a > b.
    More,
    /// a ≥ b.
    AtLeast,
    /// a = b.
    Equal,
}

impl Sign {
    /// Its spelling.
    pub fn spelt(self) -> &'static str {
        match self {
            Sign::Add => "+",
            Sign::Subtract => "-",
            Sign::Times => "*",
            Sign::Over => "/",
            Sign::Power => "^",
            Sign::Less => "<",
            Sign::AtMost => "<=",
            Sign::More => ">",
            Sign::AtLeast => ">=",
            Sign::Equal => "==",
        }
    }
}

/// The place of a formula in its file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// The first byte lies here, and the others behind it.
    At(usize),
    /// The text has escapes: all parts of it lie in this span.
    Within(Span),
}

/// Parses a formula.
///
/// # Errors
/// The first part that does not fit.
pub(super) fn parse(text: &str, place: Place) -> Result<Tree, Fault> {
    let mut parser = Parser { text, at: 0, place, depth: 0, parts: 0 };
    parser.blanks();
    let tree = parser.compare()?;
    match parser.peek() {
        None => Ok(tree),
        Some(found) => {
            let also = match found {
                '(' => ": a product is written with `*`",
                '^' => ": a power of a power is written with parentheses",
                '=' => ": a formula is a right side alone, without `=`",
                _ => cure(found),
            };
            Err(parser.fault(
                parser.word(),
                format!("found {}, expected an operator or the end{also}", parser.found()),
            ))
        }
    }
}

/// The spelling of what is often written by a mark that there is not.
pub(super) fn cure(found: char) -> &'static str {
    match found {
        '<' | '>' => ": one comparison each, a < b < c is (a < b)*(b < c)",
        '=' => ": equality is `==`",
        '&' => ": \"and\" is a product of comparisons, (a < b)*(b < c)",
        '|' => ": |u| is abs(u), \"or\" is max(a, b) of comparisons",
        '!' => ": \"not\" is 1 - a of a comparison a",
        'π' => ": π is pi",
        '∇' | 'Δ' | '∆' => ": ∇²u is lap(u), |∇u|² is grad2(u), ∇·(D∇u) is div(D*grad(u))",
        '∂' => ": derivatives are dx(u), dy(u), dxx(u), dyy(u)",
        '−' | '–' => ": minus is `-`",
        '·' | '×' | '⋅' => ": a product is written with `*`",
        '²' | '³' => ": a power is written as u^2",
        '√' => ": a root is sqrt(u)",
        '≤' | '≥' => ": that is <= or >=",
        '[' | '{' => ": parentheses are ( and )",
        c if c.is_alphabetic() && !c.is_ascii() => ": names have letters a to z",
        c if c.is_alphabetic() => ": a product is written with `*`, a function as sin(u)",
        _ => "",
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    place: Place,
    depth: usize,
    parts: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn span(&self, start: usize, end: usize) -> Span {
        match self.place {
            Place::At(first) => Span { start: first + start, end: first + end },
            Place::Within(span) => span,
        }
    }

    fn fault(&self, (start, end): (usize, usize), message: impl Into<String>) -> Fault {
        Fault::new(self.span(start, end), message)
    }

    /// The word or the character that comes next.
    fn word(&self) -> (usize, usize) {
        let rest = self.rest();
        let name = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let length = if name > 0 { name } else { rest.chars().next().map_or(0, char::len_utf8) };
        (self.at, self.at + length)
    }

    fn found(&self) -> String {
        let (start, end) = self.word();
        if start == end { "the end".to_owned() } else { format!("`{}`", &self.text[start..end]) }
    }

    /// Takes this mark and the blanks behind it, if it comes next.
    fn take(&mut self, mark: &str) -> Option<(usize, usize)> {
        if !self.rest().starts_with(mark) {
            return None;
        }
        let start = self.at;
        self.at += mark.len();
        self.blanks();
        Some((start, start + mark.len()))
    }

    fn made(&mut self, kind: Kind, span: Span) -> Result<Tree, Fault> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            let message = format!("the formula has more than {MOST_PARTS} parts: name some of them in [let]");
            return Err(Fault::new(span, message));
        }
        Ok(Tree { kind, span })
    }

    fn pair(&mut self, sign: Sign, left: Tree, right: Tree) -> Result<Tree, Fault> {
        let span = left.span.to(right.span);
        self.made(Kind::Pair(sign, Box::new(left), Box::new(right)), span)
    }

    fn compare(&mut self) -> Result<Tree, Fault> {
        let left = self.sum()?;
        for (spelt, sign) in [
            ("<=", Sign::AtMost),
            (">=", Sign::AtLeast),
            ("==", Sign::Equal),
            ("<", Sign::Less),
            (">", Sign::More),
        ] {
            if self.take(spelt).is_some() {
                let right = self.sum()?;
                return self.pair(sign, left, right);
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Tree, Fault> {
        let mut left = self.product()?;
        loop {
            let sign = if self.take("+").is_some() {
                Sign::Add
            } else if self.take("-").is_some() {
                Sign::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.pair(sign, left, right)?;
        }
    }

    fn product(&mut self) -> Result<Tree, Fault> {
        let mut left = self.signed()?;
        loop {
            let sign = if !self.rest().starts_with("**") && self.take("*").is_some() {
                Sign::Times
            } else if self.take("/").is_some() {
                Sign::Over
            } else {
                return Ok(left);
            };
            let right = self.signed()?;
            left = self.pair(sign, left, right)?;
        }
    }

    fn signed(&mut self) -> Result<Tree, Fault> {
        let (start, mut minus) = (self.at, false);
        loop {
            if self.take("-").is_some() {
                minus = !minus;
            } else if self.take("+").is_none() {
                break;
            }
        }
        let power = self.power()?;
        if !minus {
            return Ok(power);
        }
        let span = self.span(start, start).to(power.span);
        self.made(Kind::Minus(Box::new(power)), span)
    }

    fn power(&mut self) -> Result<Tree, Fault> {
        let base = self.atom()?;
        if self.take("^").is_none() && self.take("**").is_none() {
            return Ok(base);
        }
        self.deeper()?;
        let exponent = self.signed()?;
        self.depth -= 1;
        self.pair(Sign::Power, base, exponent)
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > NESTING {
            return Err(self
                .fault(self.word(), format!("more than {NESTING} brackets are open, one inside the other")));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<Tree, Fault> {
        match self.peek() {
            Some('(') => {
                let (start, opened) = (self.at, (self.at, self.at + 1));
                self.deeper()?;
                self.take("(");
                let inner = self.compare()?;
                let end = self.close(opened)?;
                self.depth -= 1;
                Ok(Tree { span: self.span(start, end), ..inner })
            }
            Some('"' | '\'') => self.quoted(),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.named(),
            _ => {
                let (found, also) = (self.found(), self.peek().map_or("", cure));
                Err(self.fault(self.word(), format!("found {found}, expected a number, a name or `(`{also}")))
            }
        }
    }

    fn close(&mut self, opened: (usize, usize)) -> Result<usize, Fault> {
        match self.take(")") {
            Some((_, end)) => Ok(end),
            None if self.peek().is_none() => {
                Err(self.fault(opened, "`(` is never closed: found the end, expected `)`"))
            }
            None => {
                let (found, also) = (self.found(), self.peek().map_or("", cure));
                Err(self.fault(self.word(), format!("found {found}, expected an operator, `,` or `)`{also}")))
            }
        }
    }

    fn quoted(&mut self) -> Result<Tree, Fault> {
        let start = self.at;
        let quote = self.peek().unwrap_or('"');
        let Some(length) = self.text[start + 1..].find(quote) else {
            let message = format!("the text is never closed: found the end, expected `{quote}`");
            return Err(self.fault((start, self.text.len()), message));
        };
        let text = self.text[start + 1..start + 1 + length].to_owned();
        let end = start + length + 2;
        self.at = end;
        self.blanks();
        self.made(Kind::Text(text), self.span(start, end))
    }

    fn number(&mut self) -> Result<Tree, Fault> {
        let start = self.at;
        let rest = self.rest().as_bytes();
        let digits = |from: usize| rest[from..].iter().take_while(|c| c.is_ascii_digit()).count();
        let mut length = digits(0);
        if rest.get(length) == Some(&b'.') {
            length += 1 + digits(length + 1);
        }
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        let spelt = &self.text[start..start + length];
        let word = &self.text[start + length..];
        let more = word.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(word.len());
        let value = spelt.parse::<f64>().ok().filter(|value| value.is_finite());
        match value {
            Some(value) if more == 0 => {
                self.at += length;
                self.blanks();
                self.made(Kind::Number(value), self.span(start, start + length))
            }
            _ => {
                let all = (start, start + length + more);
                let message = format!(
                    "`{}` is no number: a number is written as 2, 0.5 or 1e-6, a product as 2*u",
                    &self.text[all.0..all.1]
                );
                Err(self.fault(all, message))
            }
        }
    }

    fn named(&mut self) -> Result<Tree, Fault> {
        let (start, end) = self.word();
        let name = self.text[start..end].to_owned();
        let span = self.span(start, end);
        self.at = end;
        self.blanks();
        let Some(opened) = (self.peek() == Some('(')).then_some((self.at, self.at + 1)) else {
            return self.made(Kind::Name(name), span);
        };
        self.deeper()?;
        self.take("(");
        let mut arguments = Vec::new();
        if self.peek() != Some(')') {
            arguments.push(self.compare()?);
            while self.take(",").is_some() {
                arguments.push(self.compare()?);
            }
        }
        let end = self.close(opened)?;
        self.depth -= 1;
        self.made(Kind::Call(name, span, arguments), self.span(start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree with all its parentheses.
    fn shown(tree: &Tree) -> String {
        match &tree.kind {
            Kind::Number(value) => format!("{value}"),
            Kind::Name(name) => name.clone(),
            Kind::Text(text) => format!("{text:?}"),
            Kind::Minus(inner) => format!("(-{})", shown(inner)),
            Kind::Pair(sign, left, right) => format!("({} {} {})", shown(left), sign.spelt(), shown(right)),
            Kind::Call(name, _, arguments) => {
                let all: Vec<String> = arguments.iter().map(shown).collect();
                format!("{name}({})", all.join(", "))
            }
        }
    }

    #[test]
    fn signs_bind_as_in_mathematics() {
        for (text, tree) in [
            ("-u^2", "(-(u ^ 2))"),
            ("2^-1^2", "(2 ^ (-(1 ^ 2)))"),
            ("a-b-c", "((a - b) - c)"),
            ("a/b*c", "((a / b) * c)"),
            ("a+b*c < d", "((a + (b * c)) < d)"),
            ("- - u", "u"),
            ("2*-u", "(2 * (-u))"),
            ("u**2", "(u ^ 2)"),
            (" div( D * grad( u ) ) ", "div((D * grad(u)))"),
            (".5e-3", "0.0005"),
            ("picture('a b.png')", "picture(\"a b.png\")"),
            ("(a < b)*(c >= d)", "((a < b) * (c >= d))"),
        ] {
            let parsed = parse(text, Place::At(0));
            assert_eq!(parsed.as_ref().map(shown), Ok(tree.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_long_or_deep_formula_is_refused_before_the_stack_is_full() {
        for text in ["(".repeat(100_000), "u+".repeat(100_000), "f(".repeat(100_000), "2^".repeat(100_000)] {
            assert!(parse(&text, Place::At(0)).is_err());
        }
        assert!(parse(&"-".repeat(100_001), Place::At(0)).is_err());
    }
}
