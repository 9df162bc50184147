//! From words to trees.
//!
//! ```text
//! script     = statement END statement END ...
//! statement  = "time" statement | "print" expression, expression ... | name "=" expression | expression
//! expression = product {(+ | -) product}
//! product    = signed {(* | / | .* | ./) signed}
//! signed     = {- | +} postfix
//! postfix    = primary {'}
//! primary    = number | text | name | name ( arguments ) | ( expression ) | [ rows ]
//! arguments  = argument, argument ...
//! argument   = : | expression | expression : expression
//! rows       = expression, expression ... ; ...
//! ```

use winnow::combinator::{opt, peek, repeat, separated, terminated};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{Stateful, Stream, TokenSlice};
use winnow::token::{any, one_of};
use winnow::{ModalResult, Parser};

use super::ast::{Action, Expression, Kind, Name, Operator, Statement};
use super::token::{Mark, Token, Word};
use super::{Fault, Span, lexer, parts};

/// Words that begin a statement, and are no names.
pub(super) const KEYWORDS: [&str; 2] = ["print", "time"];

/// Words that begin a statement elsewhere.
const ELSEWHERE: [&str; 8] = ["for", "while", "if", "else", "elseif", "end", "do", "function"];

/// Parses a whole script.
///
/// # Errors
/// The first mistake in the text.
pub fn parse(text: &str) -> Result<Vec<Statement>, Fault> {
    let words = lexer::words(text);
    let mut input = Stateful { input: TokenSlice::new(&words.tokens), state: text };
    match (script(&mut input), words.fault) {
        (Err(ErrMode::Cut(first) | ErrMode::Backtrack(first)), later) => {
            Err(later.filter(|later| later.span.start <= first.span.start).unwrap_or(first))
        }
        (_, Some(fault)) => Err(fault),
        (Ok(statements), None) => Ok(statements),
        // Only streams that come in parts are ever incomplete.
        (Err(ErrMode::Incomplete(_)), None) => Err(expected(&input, "more")),
    }
}

/// Returns true if the text ends before a bracket is closed: a prompt then asks for another line.
pub fn is_open(text: &str) -> bool {
    lexer::words(text).open
}

/// The words that are left, and the text they come from.
type Input<'t> = Stateful<TokenSlice<'t, Token<'t>>, &'t str>;

impl ParserError<Input<'_>> for Fault {
    type Inner = Fault;

    fn from_input(input: &Input) -> Fault {
        expected(input, "something else")
    }

    fn into_inner(self) -> Result<Fault, Fault> {
        Ok(self)
    }
}

/// The fault that the next word is not what it should be.
fn expected(input: &Input, what: &str) -> Fault {
    let text = input.state;
    match input.peek_token() {
        Some(token) if token.word == Word::Mark(Mark::Colon) => parts::no_part(token.span),
        Some(token) => Fault::new(token.span, format!("found {}, expected {what}", token.found(text))),
        None => {
            Fault::new(Span { start: text.len(), end: text.len() }, format!("found the end, expected {what}"))
        }
    }
}

/// Ends the parse with that fault, unless the next word is one of these marks.
fn demand<'t>(input: &mut Input<'t>, mark: Mark, what: &str) -> ModalResult<&'t Token<'t>, Fault> {
    let found: ModalResult<_, Fault> = one_of(mark).parse_next(input);
    found.map_err(|_| ErrMode::Cut(expected(input, what)))
}

fn script(input: &mut Input) -> ModalResult<Vec<Statement>, Fault> {
    let mut statements = Vec::new();
    loop {
        let _: () = repeat(0.., one_of(Mark::End)).parse_next(input)?;
        if input.peek_token().is_none() {
            return Ok(statements);
        }
        let statement = statement(input)?;
        if let Some(assign) = opt(one_of(Mark::Assign)).parse_next(input)? {
            let message = match &statement.action {
                Action::Show(Expression { kind: Kind::Call(..), .. }) => {
                    "found `=` behind a part of a matrix: parts of a matrix cannot be set"
                }
                _ => "found `=` behind a value, expected it behind one name, at the start of a statement",
            };
            return Err(ErrMode::Cut(Fault::new(assign.span, message)));
        }
        let ends = peek(opt(one_of(Mark::End))).parse_next(input)?.is_some();
        if let (false, Action::Show(Expression { kind: Kind::Variable(name), span })) =
            (ends, &statement.action)
            && ELSEWHERE.contains(&name.as_str())
        {
            let message = format!(
                "`{name}` means nothing here: there are no loops, conditions or functions of one's own"
            );
            return Err(ErrMode::Cut(Fault::new(*span, message)));
        }
        statements.push(statement);
        demand(input, Mark::End, "an operator or the end of the statement")?;
    }
}

fn statement(input: &mut Input) -> ModalResult<Statement, Fault> {
    match keyword(input)? {
        Some((name, span)) if peek(opt(one_of(Mark::Assign))).parse_next(input)?.is_some() => {
            let message = format!("found `{name} =`: `{name}` begins a statement, expected another name");
            Err(ErrMode::Cut(Fault::new(span, message)))
        }
        Some(("time", span)) => {
            if let Some(("time", again)) = peek(keyword).parse_next(input)? {
                let message = "found `time` behind `time`, expected another statement";
                return Err(ErrMode::Cut(Fault::new(again, message)));
            }
            let statement = statement(input)?;
            Ok(Statement { span: span.to(statement.span), action: Action::Time(Box::new(statement)) })
        }
        Some((_, span)) => {
            let items: Vec<Expression> = separated(1.., expression, one_of(Mark::Comma)).parse_next(input)?;
            let end = items.last().map_or(span, |item| item.span);
            Ok(Statement { action: Action::Print(items), span: span.to(end) })
        }
        None => match opt(terminated(name, one_of(Mark::Assign))).parse_next(input)? {
            Some(name) => {
                let value = expression(input)?;
                Ok(Statement { span: name.span.to(value.span), action: Action::Assign(name, value) })
            }
            None => {
                let shown = expression(input)?;
                Ok(Statement { span: shown.span, action: Action::Show(shown) })
            }
        },
    }
}

/// Takes a keyword, if the next word is one.
fn keyword(input: &mut Input) -> ModalResult<Option<(&'static str, Span)>, Fault> {
    let keyword = |token: &Token| match token.word {
        Word::Name(name) => {
            KEYWORDS.into_iter().find(|known| *known == name).map(|known| (known, token.span))
        }
        _ => None,
    };
    opt(any.verify_map(keyword)).parse_next(input)
}

fn name(input: &mut Input) -> ModalResult<Name, Fault> {
    let name = |token: &Token| match token.word {
        Word::Name(text) => Some(Name { text: text.to_owned(), span: token.span }),
        _ => None,
    };
    any.verify_map(name).parse_next(input)
}

fn expression(input: &mut Input) -> ModalResult<Expression, Fault> {
    let operator = |token: &Token| match token.word {
        Word::Mark(Mark::Plus) => Some(Operator::Add),
        Word::Mark(Mark::Minus) => Some(Operator::Subtract),
        _ => None,
    };
    let first = product(input)?;
    let rest = repeat(0.., (any.verify_map(operator), product)).parse_next(input)?;
    Ok(chain(first, rest))
}

fn product(input: &mut Input) -> ModalResult<Expression, Fault> {
    let operator = |token: &Token| match token.word {
        Word::Mark(Mark::Times) => Some(Operator::Times),
        Word::Mark(Mark::Over) => Some(Operator::Over),
        Word::Mark(Mark::DotTimes) => Some(Operator::DotTimes),
        Word::Mark(Mark::DotOver) => Some(Operator::DotOver),
        _ => None,
    };
    let first = signed(input)?;
    let rest = repeat(0.., (any.verify_map(operator), signed)).parse_next(input)?;
    Ok(chain(first, rest))
}

fn chain(first: Expression, rest: Vec<(Operator, Expression)>) -> Expression {
    match rest.last() {
        Some((_, last)) => {
            Expression { span: first.span.to(last.span), kind: Kind::Chain(Box::new(first), rest) }
        }
        None => first,
    }
}

/// Signs cancel: `--A` is A.
fn signed(input: &mut Input) -> ModalResult<Expression, Fault> {
    let signs: Vec<&Token> = repeat(0.., one_of((Mark::Plus, Mark::Minus))).parse_next(input)?;
    let mut operand = postfix(input)?;
    let Some(first) = signs.first() else { return Ok(operand) };
    let span = first.span.to(operand.span);
    let minus = signs.iter().filter(|sign| sign.word == Word::Mark(Mark::Minus)).count();
    if minus % 2 == 1 {
        operand = Expression { kind: Kind::Minus(Box::new(operand)), span };
    }
    Ok(Expression { span, ..operand })
}

/// Transposes cancel: `A''` is A.
fn postfix(input: &mut Input) -> ModalResult<Expression, Fault> {
    let mut operand = primary(input)?;
    let quotes: Vec<&Token> = repeat(0.., one_of(Mark::Transpose)).parse_next(input)?;
    let Some(last) = quotes.last() else { return Ok(operand) };
    let span = operand.span.to(last.span);
    if quotes.len() % 2 == 1 {
        operand = Expression { kind: Kind::Transpose(Box::new(operand)), span };
    }
    Ok(Expression { span, ..operand })
}

fn primary(input: &mut Input) -> ModalResult<Expression, Fault> {
    const VALUE: &str = "a value: a number, a name, `(` or `[`";
    let Some(&Token { word, span }) = input.peek_token() else {
        return Err(ErrMode::Cut(expected(input, VALUE)));
    };
    let kind = match word {
        Word::Number(value) => Kind::Number(value),
        Word::Text(text) => Kind::Text(text.to_owned()),
        Word::Name(name) if KEYWORDS.contains(&name) => {
            let message =
                format!("found `{name}`, which begins a statement and is no name, expected a value");
            return Err(ErrMode::Cut(Fault::new(span, message)));
        }
        Word::Name(_) => return named(input),
        Word::Mark(Mark::Open) => return parentheses(input),
        Word::Mark(Mark::OpenBracket) => return elements(input),
        Word::Mark(_) => return Err(ErrMode::Cut(expected(input, VALUE))),
    };
    input.next_token();
    Ok(Expression { kind, span })
}

/// A variable, or a call.
fn named(input: &mut Input) -> ModalResult<Expression, Fault> {
    let name = name(input)?;
    if opt(one_of(Mark::Open)).parse_next(input)?.is_none() {
        return Ok(Expression { span: name.span, kind: Kind::Variable(name.text) });
    }
    let empty = peek(opt(one_of(Mark::Close))).parse_next(input)?.is_some();
    let arguments = match empty {
        true => Vec::new(),
        false => separated(1.., argument, one_of(Mark::Comma)).parse_next(input)?,
    };
    let close = demand(input, Mark::Close, "an operator, `,` or `)`")?;
    Ok(Expression { span: name.span.to(close.span), kind: Kind::Call(name, arguments) })
}

/// Parses the parentheses behind a name: a value, or rows and columns of a part.
fn argument(input: &mut Input) -> ModalResult<Expression, Fault> {
    if let Some(colon) = opt(one_of(Mark::Colon)).parse_next(input)? {
        let colon: &Token = colon;
        return Ok(Expression { kind: Kind::All, span: colon.span });
    }
    let first = expression(input)?;
    if opt(one_of(Mark::Colon)).parse_next(input)?.is_none() {
        return Ok(first);
    }
    let last = expression(input)?;
    let span = first.span.to(last.span);
    Ok(Expression { kind: Kind::Through(Box::new(first), Box::new(last)), span })
}

fn parentheses(input: &mut Input) -> ModalResult<Expression, Fault> {
    let open = demand(input, Mark::Open, "`(`")?;
    let inner = expression(input)?;
    let close = demand(input, Mark::Close, "an operator or `)`")?;
    Ok(Expression { span: open.span.to(close.span), ..inner })
}

/// `[ row ; row ... ]`; rows without elements, as between a `;` and the end of its line, do not count.
fn elements(input: &mut Input) -> ModalResult<Expression, Fault> {
    let open = demand(input, Mark::OpenBracket, "`[`")?;
    let mut rows: Vec<Vec<Expression>> = Vec::new();
    loop {
        let _: () = repeat(0.., one_of(Mark::RowEnd)).parse_next(input)?;
        if let Some(close) = opt(one_of(Mark::CloseBracket)).parse_next(input)? {
            return Ok(Expression { span: open.span.to(close.span), kind: Kind::Elements(rows) });
        }
        rows.push(separated(1.., expression, one_of(Mark::Comma)).parse_next(input)?);
        let ends = opt(peek(one_of((Mark::RowEnd, Mark::CloseBracket)))).parse_next(input)?;
        if ends.is_none() {
            return Err(ErrMode::Cut(expected(input, "an operator, another element, `;` or `]`")));
        }
    }
}

#[cfg(test)]
mod tests;
