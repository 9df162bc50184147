//! Rules about signs and words that other languages have.

use super::{Found, at};
use crate::words::{self, Kind, Words};

/// Signs of other languages, of which the parts stand next to each other.
pub fn sign(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let joined = words.tokens.get(i + 1).filter(|next| {
            next.line == token.line && next.column == token.column + token.text.chars().count()
        });
        let next = joined.map_or("", |next| next.text.as_str());
        let begins = i == 0 || words.tokens[i - 1].line < token.line || words.text(i - 1) == ";";
        let sentence = match (token.text.as_str(), next) {
            ("~", "=") | ("!=", "=") | ("<", ">") => "Not equal is written != here.".to_owned(),
            ("==", "=") => "Equal is written == here.".to_owned(),
            (".", "*" | "/" | "^") => {
                let remedy = if next == "^" { "pow(x, y)" } else { next };
                format!("There is no .{next} here: {remedy} works on each number of a vector.")
            }
            ("%", _) if begins => "A comment begins with // here.".to_owned(),
            ("\'" | "\"", _) => "Names stand without quotes here.".to_owned(),
            ("~" | "not", _) if asks(words, i + 1) => format!("\"{}\" is written ! here.", token.text),
            _ => continue,
        };
        return at(token, sentence);
    }
    None
}

/// Returns true if a condition stands in the brackets at `open`.
fn asks(words: &Words, open: usize) -> bool {
    let end = words.closing(open).filter(|_| words.text(open) == "(");
    end.is_some_and(|end| super::condition_in(words, open + 1, end).is_some())
}

/// Declarations as other languages write them.
pub fn declaration(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let (next, behind) = (words.text(i + 1), words.text(i + 2));
        let named = words.kind_of(i + 1) == Kind::Name && !words::is_type(next);
        let sentence = match token.text.as_str() {
            "boolean" if named => format!("boolean is written bool here: bool {next}"),
            "function" if named => {
                "A function begins with its type: float f(float a) { return a; }".to_owned()
            }
            "const" if named && behind == "=" => {
                format!("A declaration begins with its type here: float {next} = ...")
            }
            kind if words::is_type(kind) && named && behind == "(" && words.depth(i) == 0 => {
                let given = words.arguments(i + 2);
                let bare =
                    given.iter().find(|(from, to)| from + 1 == *to && !words::is_type(words.text(*from)));
                match bare.filter(|_| words.first("#").is_none()) {
                    Some((from, _)) => {
                        format!("A parameter has its type: {kind} {next}(float {})", words.text(*from))
                    }
                    None => continue,
                }
            }
            _ => continue,
        };
        return at(token, sentence);
    }
    None
}
