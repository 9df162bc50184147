//! The lexer: from text to words. It settles the meaning of blanks and of ends of lines, so the grammar has no white
//! space.
//!
//! It also matches brackets, which bounds the depth of every tree. A chain of operators is one flat node, so a long
//! line does not make a deep tree.
//!
//! | | outside | in `( )` | in `[ ]` |
//! |---|---|---|---|
//! | end of a line | ends the statement | a blank | ends the row |
//! | `;` | ends the statement | a mistake | ends the row |
//! | blanks | nothing | nothing | a comma, between two elements |
//!
//! Blanks are between two elements if a value ends before them and one begins behind them: `[1 -2]` has two
//! elements, as in Octave, `[1 - 2]` and `[1 -  2]` have one.

use winnow::Parser;
use winnow::ascii::{digit0, digit1};
use winnow::combinator::{alt, not, opt, peek};
use winnow::error::{EmptyError, ErrMode};
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{any, one_of, take_till, take_while};

use super::token::{MARKS, Mark, Token, Word, excerpt};
use super::{Fault, NESTING, Span};

type Input<'s> = LocatingSlice<&'s str>;
type Lexed<T> = Result<T, ErrMode<EmptyError>>;

/// The words of a script up to its first mistake, and that mistake.
pub(super) struct Words<'s> {
    /// The last of them is [`Mark::End`].
    pub tokens: Vec<Token<'s>>,
    pub fault: Option<Fault>,
    /// True if the text ended before a bracket was closed.
    pub open: bool,
}

/// Splits a script into words.
pub(super) fn words(text: &str) -> Words<'_> {
    let mut lexer = Lexer { text, input: LocatingSlice::new(text), brackets: Vec::new(), tokens: Vec::new() };
    let fault = lexer.run().err();
    let open = fault.is_none() && !lexer.brackets.is_empty();
    let fault = fault.or_else(|| lexer.brackets.last().map(never_closed));
    let end = fault.as_ref().map_or(text.len(), |fault| fault.span.start);
    let mut tokens = lexer.tokens;
    tokens.retain(|token| token.span.end <= end); // a bracket that is never closed began before its contents
    tokens.push(Token { word: Word::Mark(Mark::End), span: Span { start: end, end } });
    Words { tokens, fault, open }
}

/// A bracket that waits for its other half.
#[derive(Clone, Copy)]
struct Bracket {
    mark: Mark,
    span: Span,
}

fn never_closed(bracket: &Bracket) -> Fault {
    let (open, close) = if bracket.mark == Mark::Open { ("(", ")") } else { ("[", "]") };
    Fault::new(bracket.span, format!("`{open}` is never closed: found the end, expected `{close}`"))
}

struct Lexer<'s> {
    text: &'s str,
    input: Input<'s>,
    brackets: Vec<Bracket>,
    tokens: Vec<Token<'s>>,
}

impl<'s> Lexer<'s> {
    fn run(&mut self) -> Result<(), Fault> {
        loop {
            let blank = self.skip_blanks();
            if self.input.is_empty() {
                return Ok(());
            }
            let token = self.next()?;
            self.check_quote(token, blank.is_some())?;
            if let Some(span) = blank.filter(|_| self.separates(token)) {
                self.tokens.push(Token { word: Word::Mark(Mark::Comma), span });
            }
            self.follow_brackets(token)?;
            self.tokens.push(token);
        }
    }

    fn inside(&self, mark: Mark) -> bool {
        self.brackets.last().is_some_and(|bracket| bracket.mark == mark)
    }

    /// Skips blanks and comments, between parentheses ends of lines too; where there were any.
    fn skip_blanks(&mut self) -> Option<Span> {
        let start = self.input.current_token_start();
        let lines = self.inside(Mark::Open);
        loop {
            let before = self.input.current_token_start();
            let blank = |c: char| c != '\n' && (c.is_whitespace() || c == '\u{feff}') || c == '\n' && lines;
            let _: Lexed<&str> = take_while(0.., blank).parse_next(&mut self.input);
            if self.input.starts_with(['#', '%']) {
                let _: Lexed<&str> = take_till(0.., '\n').parse_next(&mut self.input);
            }
            if self.input.current_token_start() == before {
                return (before > start).then_some(Span { start, end: before });
            }
        }
    }

    /// The word that begins here.
    fn next(&mut self) -> Result<Token<'s>, Fault> {
        let start = self.input.current_token_start();
        let rest = self.input.as_ref();
        let word = match rest.chars().next() {
            Some('\n' | ';') => self.end(),
            Some('"') => self.quoted()?,
            Some(c) if c.is_ascii_digit() => self.number()?,
            Some('.') if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number()?,
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            _ => self.mark()?,
        };
        Ok(Token { word, span: Span { start, end: self.input.current_token_start() } })
    }

    fn end(&mut self) -> Word<'s> {
        let _: Lexed<char> = any.parse_next(&mut self.input);
        Word::Mark(if self.inside(Mark::OpenBracket) { Mark::RowEnd } else { Mark::End })
    }

    fn name(&mut self) -> Word<'s> {
        let name: Lexed<&str> = take_while(0.., in_name).parse_next(&mut self.input);
        Word::Name(name.unwrap_or_default())
    }

    fn quoted(&mut self) -> Result<Word<'s>, Fault> {
        let start = self.input.current_token_start();
        let text: Lexed<(char, &str, char)> =
            ('"', take_till(0.., ['"', '\n']), '"').parse_next(&mut self.input);
        match text {
            Ok((_, text, _)) => Ok(Word::Text(text)),
            Err(_) => {
                let end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
                let message = "the text is never closed: found the end of the line, expected `\"`";
                Err(Fault::new(Span { start, end }, message))
            }
        }
    }

    /// Digits with a point and an exponent, as far as they go. The point of `2.*A` belongs to the operator.
    fn number(&mut self) -> Result<Word<'s>, Fault> {
        let start = self.input.current_token_start();
        let point = || ('.', peek(not(one_of(['*', '/']))));
        let mantissa = alt(((digit1, opt((point(), digit0))).take(), (point(), digit1).take()));
        let exponent = opt((one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1));
        let spelt: Lexed<&str> = (mantissa, exponent).take().parse_next(&mut self.input);
        let rest = self.input.as_ref();
        let more = rest.starts_with(in_name) || rest.starts_with('.') && !rest[1..].starts_with(['*', '/']);
        let value = spelt.ok().and_then(|spelt| spelt.parse::<f64>().ok());
        if more || value.is_none() {
            let word: Lexed<&str> = take_while(0.., |c| in_name(c) || c == '.').parse_next(&mut self.input);
            let end = self.input.current_token_start();
            let spelt = excerpt(&self.text[start..end]);
            let hint = if word.is_ok_and(|word| word.contains('.')) {
                "a number has one point"
            } else {
                "a number is written as 2, 0.5 or 1e-6, a product as 2 * A"
            };
            return Err(Fault::new(Span { start, end }, format!("`{spelt}` is no number: {hint}")));
        }
        match value.filter(|value| value.is_finite()) {
            Some(value) => Ok(Word::Number(value)),
            None => {
                let span = Span { start, end: self.input.current_token_start() };
                let spelt = excerpt(&self.text[start..span.end]);
                Err(Fault::new(span, format!("the number {spelt} is too large: numbers end at 1.8e308")))
            }
        }
    }

    fn mark(&mut self) -> Result<Word<'s>, Fault> {
        let start = self.input.current_token_start();
        if self.input.starts_with("==") {
            let message = "`==` means nothing here: there are no comparisons";
            return Err(Fault::new(Span { start, end: start + 2 }, message));
        }
        if let Some(sign) = ["+", "-", "*", "/"].into_iter().find(|sign| {
            let rest = self.input.as_ref();
            rest.starts_with(sign) && rest[1..].starts_with('=') && !rest[1..].starts_with("==")
        }) {
            let message = format!("`{sign}=` means nothing here: write it as x = x {sign} y");
            return Err(Fault::new(Span { start, end: start + 2 }, message));
        }
        if self.input.starts_with("...") {
            let message = "`...` means nothing here: lines go on inside brackets";
            return Err(Fault::new(Span { start, end: start + 3 }, message));
        }
        for &(mut spelling, mark) in MARKS {
            let found: Lexed<&str> = spelling.parse_next(&mut self.input);
            if found.is_ok() {
                return Ok(Word::Mark(mark));
            }
        }
        let found = self.input.next_token().unwrap_or('\u{fffd}');
        Err(Fault::new(Span { start, end: self.input.current_token_start() }, strange(found)))
    }

    /// Returns true if blanks before this word stand for a comma.
    fn separates(&self, token: Token) -> bool {
        let sign = matches!(token.word, Word::Mark(Mark::Plus | Mark::Minus));
        let next = self.input.as_ref();
        let attached = !next.starts_with(|c: char| c.is_whitespace());
        self.inside(Mark::OpenBracket)
            && self.tokens.last().is_some_and(|last| last.word.ends_operand())
            && (token.word.begins_operand() || sign && attached)
    }

    /// `'` follows its operand, and within brackets at once: elsewhere it is likely meant to open a text.
    fn check_quote(&self, token: Token, blank: bool) -> Result<(), Fault> {
        let behind = self.tokens.last().is_some_and(|last| last.word.ends_operand());
        let apart = blank && self.inside(Mark::OpenBracket);
        if token.word != Word::Mark(Mark::Transpose) || behind && !apart {
            return Ok(());
        }
        let message = "`'` transposes what stands directly before it; text is written in double quotes";
        Err(Fault::new(token.span, message))
    }

    fn follow_brackets(&mut self, token: Token) -> Result<(), Fault> {
        let span = token.span;
        match token.word {
            Word::Mark(mark @ (Mark::Open | Mark::OpenBracket)) => {
                if self.brackets.len() == NESTING {
                    let message = format!("more than {NESTING} brackets are open, one inside the other");
                    return Err(Fault::new(span, message));
                }
                self.brackets.push(Bracket { mark, span });
            }
            Word::Mark(mark @ (Mark::Close | Mark::CloseBracket)) => {
                let (open, sign) =
                    if mark == Mark::Close { (Mark::Open, ")") } else { (Mark::OpenBracket, "]") };
                match self.brackets.pop() {
                    Some(bracket) if bracket.mark == open => {}
                    Some(bracket) => {
                        let (line, column) = bracket.span.place(self.text);
                        let (open, expected) = if sign == ")" { ("[", "]") } else { ("(", ")") };
                        let message = format!(
                            "`{open}` of line {line}, column {column} is still open: found `{sign}`, expected `{expected}`"
                        );
                        return Err(Fault::new(span, message));
                    }
                    None => return Err(Fault::new(span, format!("`{sign}` closes what was never opened"))),
                }
            }
            Word::Mark(Mark::End) if self.inside(Mark::Open) => {
                return Err(Fault::new(span, "found `;` between `(` and `)`, expected `,` or `)`"));
            }
            _ => {}
        }
        Ok(())
    }
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A character that is no word, and what may have been meant.
fn strange(found: char) -> String {
    let meant = match found {
        '\u{2212}' | '\u{2013}' | '\u{2014}' => "a minus is written `-`",
        '\u{d7}' | '\u{b7}' | '\u{22c5}' => "a product is written `*`, element by element `.*`",
        '\u{2018}' | '\u{2019}' | '\u{2032}' => "a transpose is written `'`",
        '\u{201c}' | '\u{201d}' => "text is written in `\"`",
        '^' => "there are no powers; element by element, a square is A .* A",
        '\\' => "a system of equations is solved by solve(A, b)",
        '{' | '}' => "matrices are written in `[` and `]`",
        '<' | '>' | '!' | '~' | '&' | '|' => "there are no comparisons",
        '.' => "expected `.*`, `./` or a number",
        _ => "the operators are + - * / .* ./ and '",
    };
    let shown = if found.is_control() { format!("U+{:04X}", u32::from(found)) } else { format!("`{found}`") };
    format!("{shown} means nothing here: {meant}")
}
