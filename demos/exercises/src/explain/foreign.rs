//! Rules about signs and words that other languages have.

use super::{Found, at};
use crate::words::{self, Kind, Words};

/// A sign at the end of a line.
const GOES_ON: &str = "A statement goes on in the next line without a sign: leave this one out.";

const COMMENT: &str = "A comment begins with // here.";

/// Comparisons and conditions as Fortran writes them, between two points.
const FORTRAN: [(&str, &str); 11] = [
    ("lt", "<"),
    ("le", "<="),
    ("gt", ">"),
    ("ge", ">="),
    ("eq", "=="),
    ("ne", "!="),
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("true", "true"),
    ("false", "false"),
];

/// Signs of other languages, of which the parts stand next to each other.
pub fn sign(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let joined = words.tokens.get(i + 1).filter(|next| {
            next.line == token.line && next.column == token.column + token.text.chars().count()
        });
        let next = joined.map_or("", |next| next.text.as_str());
        let sentence = match (token.text.as_str(), next) {
            ("\u{2212}" | "\u{2013}" | "\u{2014}", _) => {
                format!("{} is another sign than the - of the keyboard: write -.", token.text)
            }
            ("\u{d7}" | "\u{b7}", _) => format!("{} is written * here.", token.text),
            ("\u{2264}", _) => "Less or equal is written <= here.".to_owned(),
            ("\u{2265}", _) => "Greater or equal is written >= here.".to_owned(),
            ("\u{2260}", _) => "Not equal is written != here.".to_owned(),
            ("~", "=") | ("!=", "=") | ("<", ">") => "Not equal is written != here.".to_owned(),
            ("==", "=") => "Equal is written == here.".to_owned(),
            ("=", "<") => "Less or equal is written <= here.".to_owned(),
            ("=", ">") if compared(words, i) => "Greater or equal is written >= here.".to_owned(),
            ("=", ">") => {
                "There is no => here: a function is float f(float a) { return 2.0 * a; }, above main()."
                    .to_owned()
            }
            ("?", sign @ ("?" | ".")) => format!("There is no ?{sign} here."),
            (":", ":") if i > 0 && words.text(i - 1) == "[" => continue, // a part of a stream
            (":", ":") => {
                "There is no :: here: a declaration is float v = 1.0; and max, sqrt and the like stand alone."
                    .to_owned()
            }
            (":", "=") => "To assign, write =.".to_owned(),
            ("<", "-") if i > 0 && words.begins_statement(i - 1) => "To assign, write =.".to_owned(),
            ("-", ">") => "There is no -> here.".to_owned(),
            ("&", _) if words.beside(i).is_empty() && i > 0 => GOES_ON.to_owned(),
            (".", ".") if words.text(i + 2) == "." => GOES_ON.to_owned(),
            (".", "*" | "/" | "^") => {
                let remedy = if next == "^" { "pow(x, y)" } else { next };
                format!("There is no .{next} here: {remedy} works on each number of a vector.")
            }
            ("%" | "!", _) if comments(words, i) => COMMENT.to_owned(),
            ("\'" | "\"", member) if is_member(words, i) => {
                format!("A member is named after a point, without brackets and quotes: .{member}")
            }
            ("\'" | "\"", _) => "A kernel has no texts, and names stand without quotes here.".to_owned(),
            ("~" | "not", _) if asks(words, i + 1) => format!("\"{}\" is written ! here.", token.text),
            (".", word) if words.text(i + 2).starts_with('.') => {
                let known = FORTRAN.iter().find(|(fortran, _)| word.eq_ignore_ascii_case(fortran));
                let Some((_, here)) = known else { continue };
                format!(".{word}. is written {here} here.")
            }
            ("(", kind) if is_cast(words, i) => match words.operand(i + 3, words.tokens.len()) {
                Some((_, end)) => {
                    let number = words.between(i + 3, end);
                    let inner = number.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
                    let inner = inner.unwrap_or(&number);
                    format!("A cast is written {kind}({inner}) here, and not ({kind}){number}.")
                }
                None => format!("A cast is written {kind}(...) here, and not ({kind})..."),
            },
            ("*" | "&", _) if is_pointer(words, i) => {
                format!(
                    "There are no pointers here: a stream is read by value2(stream, {}), and a number is float p.",
                    words.place()
                )
            }
            _ => continue,
        };
        return at(token, sentence);
    }
    None
}

/// Returns true if a `%` or `!` stands where other languages begin a comment: it joins or turns nothing.
fn comments(words: &Words, i: usize) -> bool {
    let before = i.checked_sub(1).map_or("", |before| words.text(before));
    let begins = matches!(before, "" | ";" | "{" | "}");
    let behind_number = words.text(i) == "!"
        && i > 0
        && (words.kind_of(i - 1) == Kind::Number
            || matches!(before, ")" | "]")
            || words.kind_of(i - 1) == Kind::Name && !words::is_keyword(before))
        && !words.begins_line(i)
        && !words.is_head(&words.tokens[i - 1]);
    let text = words.text(i) == "%" || words.kind_of(i + 1) == Kind::Name && !words.beside(i).is_empty();
    (begins || behind_number) && text
}

/// Returns true for the quote of `v["x"]`.
fn is_member(words: &Words, i: usize) -> bool {
    let behind = i > 1 && (words.kind_of(i - 2) == Kind::Name || words.text(i - 2) == ")");
    behind
        && words.text(i - 1) == "["
        && words.text(i + 1).chars().all(|c| "xyzw".contains(c))
        && words.text(i + 2) == words.text(i)
        && words.text(i + 3) == "]"
}

/// Returns true if a word stands in the brackets of `if`, `while` or `for`.
fn compared(words: &Words, i: usize) -> bool {
    let head =
        |open: &usize| words.text(*open) == "(" && matches!(words.text(open - 1), "if" | "while" | "for");
    (1..i).filter(head).filter_map(|open| words.closing(open)).any(|end| end > i)
}

/// Returns true if a type stands alone in the brackets at `open`, before a number.
fn is_cast(words: &Words, open: usize) -> bool {
    let called = open > 0 && words.kind_of(open - 1) == Kind::Name && words.text(open - 1) != "return";
    let number = matches!(words.kind_of(open + 3), Kind::Name | Kind::Number)
        || matches!(words.text(open + 3), "(" | "-");
    words::is_type(words.text(open + 1)) && words.text(open + 2) == ")" && !called && number
}

/// Returns true if a `*` or `&` stands behind a type, or where a number begins.
fn is_pointer(words: &Words, i: usize) -> bool {
    let before = i.checked_sub(1).map_or("", |before| words.text(before));
    let begins = match (before, words.text(i)) {
        ("=", "&") => true,
        ("=", _) => !words.declares(words.text(i + 1)),
        (";" | "{" | "}", "*") => words.text(i + 2) == "=",
        _ => false,
    };
    let typed = words::is_type(before)
        && (i < 2 || matches!(words.text(i - 2), ";" | "{" | "}" | "(" | "," | "const" | "uniform"));
    (typed || begins) && words.kind_of(i + 1) == Kind::Name
}

/// Statements of other languages.
pub fn statement(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let next = words.beside(i);
        let begins = words.begins_line(i) && !words.declares(&token.text);
        let last = words.text(words.end_of_line(i));
        let lower = token.text.to_ascii_lowercase();
        let sentence = match lower.as_str() {
            word if (word.starts_with("print")
                || matches!(word, "fprintf" | "puts" | "cout" | "console" | "write" | "disp"))
                && prints(words, i) =>
            {
                "A kernel prints nothing: write the number to the RANGE, and see it there."
            }
            "do" if begins && last != ";" && counts(words, i) => super::LOOP,
            "then" if i > 0 && words.text(i - 1) == ")" => {
                "There is no then here: a block stands in { }, if (a < b) { ... }."
            }
            "end" | "endif" | "enddo"
                if begins
                    && matches!(
                        next.to_ascii_lowercase().as_str(),
                        "" | ";" | "if" | "do" | "for" | "while"
                    ) =>
            {
                "A block ends with } here, and begins with {: if (a < b) { ... }."
            }
            "import" | "from" if begins && words.kind_of(i + 1) == Kind::Name && !next.is_empty() => {
                "Nothing is imported here: the functions of the language are there, sqrt(a), max(a, b)."
            }
            "elif" | "elseif" | "elsif" if i == 0 || words.text(i - 1) != "#" => {
                "It is written else if here: if (a < b) { ... } else if (b < c) { ... }."
            }
            "c" if begins
                && words.kind_of(i + 1) == Kind::Name
                && !next.is_empty()
                && !matches!(last, ";" | "{") =>
            {
                COMMENT
            }
            _ => continue,
        };
        return at(token, sentence);
    }
    None
}

/// Returns true if a word that prints elsewhere is called, or followed by what is printed.
fn prints(words: &Words, i: usize) -> bool {
    let (next, behind) = (words.beside(i), words.text(i + 2));
    let printed = next == "("
        || next == "." && words.text(i) == "console"
        || next == "*" && behind == ","
        || next == "<<"
        || words.begins_line(i) && !matches!(next, "" | "=" | "+=" | "-=" | "*=" | "/=" | ";" | "[");
    printed && !words.declares(words.text(i))
}

/// Returns true for `DO i = 1, 4` and `DO 10 i = 1, 4`.
fn counts(words: &Words, i: usize) -> bool {
    let name = if words.kind_of(i + 1) == Kind::Number { i + 2 } else { i + 1 };
    words.kind_of(name) == Kind::Name && words.beside(name) == "="
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
            kind if words::is_type(kind) && named && behind == ":" && words.begins_statement(i) => {
                format!("The type stands only before the name: {kind} {next} = ...")
            }
            kind if words::is_type(kind) && named && behind == "(" && words.depth(i) == 0 => {
                let given = words.arguments(i + 2);
                let bare =
                    given.iter().find(|(from, to)| from + 1 == *to && !words::is_type(words.text(*from)));
                match bare.filter(|_| words.first("#").is_none()) {
                    Some(_) if next == "main" => "A kernel begins with void main().".to_owned(),
                    Some(_) => {
                        let each: Vec<String> = given
                            .iter()
                            .map(|(from, to)| match from + 1 == *to && !words::is_type(words.text(*from)) {
                                true => format!("float {}", words.text(*from)),
                                false => words.tokens[*from..*to]
                                    .iter()
                                    .map(|t| t.text.as_str())
                                    .collect::<Vec<_>>()
                                    .join(" "),
                            })
                            .collect();
                        format!("A parameter has its type: {kind} {next}({})", each.join(", "))
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
