//! Errors in a sentence: our own scan of the kernel's text says what is wrong before the driver does, in the same words on
//! every driver. A rule that is not sure stays silent: then the driver's line stands alone.

use quadrille::Error;

use crate::told::Exercise;
use crate::words::{self, Token, Words};

/// An error and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// From 1; 0 for the whole kernel.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// That line.
    pub text: String,
    pub sentence: String,
    /// The driver's own message.
    pub driver: Option<String>,
}

/// A place and a sentence.
type Found = Option<(usize, usize, String)>;

/// Explains an error of compiling or binding.
pub fn error(exercise: &Exercise, text: &str, error: &Error) -> Explained {
    let words = Words::of(text);
    let (line, driver) = match error {
        Error::Compile { line, message, .. } => (*line as usize, message.clone()),
        Error::Declaration { line, expected, .. } => {
            // The learner has the book.
            (*line as usize, expected.replace(" (see quadrille::kernel_language)", ""))
        }
        Error::Link { message, .. } => (0, message.clone()),
        other => (0, other.to_string()),
    };
    let syntax = driver.contains("syntax error") || driver.contains("unexpected");
    let bound = match error {
        Error::UnusedName { kind, name, .. } => Some(unused(&words, kind, name)),
        Error::DroppedName { name, range, .. } => {
            let (line, column) = words.first(name).map_or((0, 1), |word| (word.line, word.column));
            Some((line, column, format!("{name} is read, and nothing that comes of it goes into {range}.")))
        }
        Error::UnknownName { kind, name, .. } => Some((
            0,
            1,
            format!(
                "The task has a {kind} {name}, and the kernel does not declare it: uniform {} {name};",
                declared(kind)
            ),
        )),
        Error::WrongType { name, declared, .. } => Some((
            words.first(name).map_or(0, |t| t.line),
            words.first(name).map_or(1, |t| t.column),
            format!("{name} is declared as {declared}, which is not what the task binds."),
        )),
        Error::Unbound { kind, name, .. } => Some((
            0,
            1,
            format!("{name} is a {kind} that the task does not have: take it out of the kernel."),
        )),
        _ => None,
    };
    let found = bound
        .or_else(|| unclosed(&words))
        .or_else(|| no_main(&words))
        .or_else(|| other_language(&words))
        .or_else(|| unwritten(text, line, error))
        .or_else(|| small_letters(&words))
        .or_else(|| no_range(exercise, &words))
        .or_else(|| stream_by_index(&words))
        .or_else(|| member_of_stream(&words))
        .or_else(|| float_into_int(&words))
        .or_else(|| arguments(&words))
        .or_else(|| variable_offset(&words))
        .or_else(|| if syntax { no_semicolon(&words) } else { None })
        .or_else(|| written_input(&words))
        .or_else(|| unknown(&words))
        .or_else(|| four_into_one(&words))
        .or_else(|| pair_into_one(&words))
        .or_else(|| remainder(&words))
        .or_else(|| whole_numbers(&words))
        .or_else(|| assigned_condition(&words))
        .or_else(|| int_beside_float(&words))
        .or_else(|| one_number_into_several(&words));
    let driver = Some(driver).filter(|driver| !driver.is_empty());
    match found {
        Some((line, column, sentence)) => placed(text, line, column, sentence, driver),
        None => {
            let first = text.lines().nth(line.wrapping_sub(1)).unwrap_or_default();
            let column = first.chars().take_while(|c| c.is_whitespace()).count() + 1;
            placed(
                text,
                line,
                column,
                "This line does not compile; the line above it may be to blame.".to_owned(),
                driver,
            )
        }
    }
}

/// A fault that this driver accepts and others refuse: an answer must be right on all of them.
pub fn refused_elsewhere(text: &str) -> Option<Explained> {
    let words = Words::of(text);
    let found = whole_numbers(&words).or_else(|| arguments(&words)).or_else(|| int_beside_float(&words));
    let (line, column, sentence) = found?;
    Some(placed(text, line, column, sentence, None))
}

/// A path that does not write; the remedy is the exercise.
fn unwritten(text: &str, line: usize, error: &Error) -> Found {
    let Error::Declaration { expected, .. } = error else { return None };
    let told = expected.strip_prefix("RANGE `")?.split(": ").next()?;
    let first = text.lines().nth(line.wrapping_sub(1)).unwrap_or_default();
    Some((
        line,
        first.len() - first.trim_start().len() + 1,
        format!("RANGE `{told}: every path has to write."),
    ))
}

fn placed(text: &str, line: usize, column: usize, sentence: String, driver: Option<String>) -> Explained {
    let line_text = text.lines().nth(line.wrapping_sub(1)).unwrap_or_default().to_owned();
    Explained { line, column, text: line_text, sentence, driver }
}

fn declared(kind: &str) -> &str {
    if kind == "stream" { "Stream" } else { "float" }
}

fn at(token: &Token, sentence: impl Into<String>) -> Found {
    Some((token.line, token.column, sentence.into()))
}

/// Rule 1: a stream or constant that is declared and never read.
fn unused(words: &Words, kind: &str, name: &str) -> (usize, usize, String) {
    let token = words.first(name);
    let sentence =
        format!("The {kind} {name} is declared and never read. The task needs it: where does it come in?");
    (token.map_or(0, |t| t.line), token.map_or(1, |t| t.column), sentence)
}

/// Rule 2: brackets in pairs.
fn unclosed(words: &Words) -> Found {
    let mut open: Vec<&Token> = Vec::new();
    for token in &words.tokens {
        match token.text.as_str() {
            "(" | "{" | "[" => open.push(token),
            ")" | "}" | "]" => {
                let pair = |a: &str, b: &str| matches!((a, b), ("(", ")") | ("{", "}") | ("[", "]"));
                match open.pop() {
                    Some(first) if pair(&first.text, &token.text) => {}
                    Some(first) => {
                        let sentence = format!(
                            "The {} here is not closed before {} in line {}.",
                            first.text, token.text, token.line
                        );
                        return at(first, sentence);
                    }
                    None => {
                        return at(
                            token,
                            format!("This {} closes nothing: there is one too many.", token.text),
                        );
                    }
                }
            }
            _ => {}
        }
    }
    open.pop().and_then(|first| at(first, format!("The {} here is never closed.", first.text)))
}

/// Rule 3: there is a `void main()`.
fn no_main(words: &Words) -> Found {
    let is_main = |pair: &[Token]| pair[0].text == "void" && pair[1].text == "main";
    if words.tokens.windows(2).any(is_main) {
        return None;
    }
    match words.tokens.iter().find(|token| token.text.eq_ignore_ascii_case("main")) {
        Some(token) => at(token, "A kernel begins with void main()."),
        None => {
            Some((0, 1, "The kernel has no void main(): that is what runs once for each texel.".to_owned()))
        }
    }
}

/// Rule 4: words of other languages.
fn other_language(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let next = words.text(i + 1);
        let sentence = match token.text.as_str() {
            "and" => "\"and\" is written && here.",
            "or" => "\"or\" is written || here.",
            "not" if next != "(" => "\"not\" is written ! here.",
            "elif" => "\"elif\" is written else if here.",
            "def" | "fn" | "let" | "var" | "auto" => {
                "A declaration begins with its type here: float, vec2, vec3 or vec4."
            }
            "double" => "Kernels count in float: double is not a type here.",
            "texture2D" | "texture" => "Streams are read by value2(stream, position).",
            "gl_FragColor" => "The result goes to the RANGE, by its name.",
            "None" | "True" | "False" => "Truth is written true and false, in small letters.",
            "*" if next == "*" && words.tokens.get(i + 1).is_some_and(|n| n.column == token.column + 1) => {
                "There is no ** here: pow(x, y), or x * x for a square."
            }
            "@" | "`" | "$" => "This letter has no meaning in a kernel.",
            _ => continue,
        };
        return at(token, sentence);
    }
    None
}

/// Rule 5: DOMAIN, RANGE and Stream in the letters they have.
fn small_letters(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let right = match token.text.as_str() {
            "domain" | "Domain" => "DOMAIN",
            "range" | "Range" => "RANGE",
            "stream" | "STREAM" => "Stream",
            "Uniform" | "UNIFORM" => "uniform",
            "Float" | "FLOAT" => "float",
            "Void" | "VOID" => "void",
            "Vec2" | "VEC2" => "vec2",
            "Vec3" | "VEC3" => "vec3",
            "Vec4" | "VEC4" => "vec4",
            _ => continue,
        };
        if words.kind_of(i + 1) == words::Kind::Name && !words.declares(&token.text) {
            return at(token, format!("The word is {right}: letters count."));
        }
    }
    None
}

/// Rule 6: a kernel says what it writes.
fn no_range(exercise: &Exercise, words: &Words) -> Found {
    let missing = !exercise.points && !words.tokens.iter().any(|token| token.text == "RANGE");
    missing.then(|| {
        (1, 1, "The kernel declares nothing to write: a RANGE, as in RANGE float result;".to_owned())
    })
}

/// Rule 7: `x[i]` of a stream.
fn stream_by_index(words: &Words) -> Found {
    let streams = words.streams();
    for (i, token) in words.tokens.iter().enumerate() {
        if streams.contains(&token.text) && words.text(i + 1) == "[" {
            let name = &token.text;
            return at(
                token,
                format!(
                    "{name} is a stream, and no array: value2({name}, position) or value({name}, index) reads it."
                ),
            );
        }
        // A stream that is counted with, as if it were its element.
        let operator = |text: &str| matches!(text, "+" | "-" | "*" | "/" | "=" | ";" | "<" | ">");
        let before = i.checked_sub(1).map_or("", |i| words.text(i));
        let alone = operator(before) && operator(words.text(i + 1));
        if streams.contains(&token.text) && alone && words.depth(i) > 0 {
            let name = &token.text;
            return at(
                token,
                format!("{name} is a whole stream. Its element at a position is value2({name}, position)."),
            );
        }
    }
    None
}

/// Rule 8: as many arguments as the words that fetch take.
fn arguments(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let (wanted, usage) = match token.text.as_str() {
            "value2" => (2, "value2(stream, position)"),
            "value" => (2, "value(stream, index)"),
            "valueOffset" => (3, "valueOffset(stream, position, ivec2(dx, dy))"),
            "value0" => (1, "value0(stream)"),
            _ => continue,
        };
        if words.text(i + 1) != "(" {
            return at(token, format!("{} is called with its arguments: {usage}.", token.text));
        }
        let given = words.arguments(i + 1);
        if given.len() != wanted {
            return at(
                token,
                format!("{} takes {wanted} arguments, and has {} here: {usage}.", token.text, given.len()),
            );
        }
        let (from, to) = given[0];
        let first = &words.tokens[from];
        if to == from + 1 && words.type_of(&first.text).is_some_and(|kind| kind != "Stream") {
            return at(first, format!("{} is no stream: {usage}.", first.text));
        }
        let Some(&(from, to)) = given.get(1) else { continue };
        let second = words.type_between(from, to);
        if token.text == "value" && second == Some("vec2") {
            return at(&words.tokens[from], "value takes an index, one number. At a position reads value2.");
        }
        if matches!(token.text.as_str(), "value" | "value2") && second == Some("vec4") {
            let inner = &words.tokens[from];
            let (what, swizzle) =
                if token.text == "value" { ("an index is one", ".x") } else { ("a position is two", ".xy") };
            let sentence =
                format!("{} gives four numbers, and {what}: write {swizzle} behind it.", inner.text);
            let fetches = matches!(inner.text.as_str(), "value" | "value2" | "value0" | "valueOffset");
            return if fetches { at(inner, sentence) } else { None };
        }
        if token.text == "value" && second == Some("int") {
            return at(
                &words.tokens[from],
                format!("An index is a float: float({}).", words.between(from, to)),
            );
        }
        if token.text == "value2" && matches!(second, Some("float" | "int")) {
            return at(
                &words.tokens[from],
                "value2 takes a position, two numbers: vec2(x, y). By one index reads value.",
            );
        }
    }
    None
}

/// Rule 9: offsets are constants.
fn variable_offset(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.text != "valueOffset" {
            continue;
        }
        let Some(&(from, to)) = words.arguments(i + 1).get(2) else { continue };
        let inside = &words.tokens[from..to];
        if inside.first().is_some_and(|t| t.text == "vec2") {
            return at(&inside[0], "The offset is of whole numbers: ivec2(1, 0).");
        }
        let variable = inside
            .iter()
            .find(|t| t.kind == words::Kind::Name && t.text != "ivec2" && !words.is_constant(&t.text));
        if let Some(variable) = variable {
            let sentence = format!(
                "The offset has to be constant, and {} is not: use value2 with here + vec2(...).",
                variable.text
            );
            return at(variable, sentence);
        }
    }
    None
}

/// Rule 10: a statement ends with `;`. The driver tells the line after.
fn no_semicolon(words: &Words) -> Found {
    for pair in words.tokens.windows(2) {
        let (last, next) = (&pair[0], &pair[1]);
        if last.line == next.line || words.in_brackets(last) {
            continue;
        }
        let ends = matches!(last.kind, words::Kind::Name | words::Kind::Number)
            || matches!(last.text.as_str(), ")" | "]");
        let begins = next.kind == words::Kind::Name || next.text == "}";
        let head = words.is_head(last);
        if ends && begins && !head && !matches!(last.text.as_str(), "else" | "do") {
            let column = last.column + last.text.chars().count();
            return Some((last.line, column, "This line ends without a ; behind it.".to_owned()));
        }
    }
    None
}

/// Rule 11: inputs are read only.
fn written_input(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let input = words.inputs().into_iter().find(|(name, _)| *name == token.text);
        let Some((name, what)) = input else { continue };
        let mut next = i + 1;
        if words.text(next) == "." {
            next += 2;
        }
        let assigns = matches!(words.text(next), "=" | "+=" | "-=" | "*=" | "/=" | "++" | "--");
        if assigns && words.depth(i) > 0 {
            let copy =
                if what == "DOMAIN" { format!(": copy it, vec2 at = {name};") } else { ".".to_owned() };
            return at(token, format!("{name} is an input ({what}) and cannot be changed{copy}"));
        }
    }
    None
}

/// Rule 12: names that nobody declares.
fn unknown(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let member = i > 0 && words.text(i - 1) == ".";
        let declared =
            i > 0 && words.kind_of(i - 1) == words::Kind::Name && words::is_type(words.text(i - 1));
        if token.kind != words::Kind::Name || member || declared || words.is_known(&token.text) {
            continue;
        }
        if words.kind_of(i + 1) == words::Kind::Name {
            continue; // a type that is none: the driver's affair
        }
        let near = words
            .known()
            .map(|known| (strsim::damerau_levenshtein(known, &token.text), known))
            .filter(|(far, known)| *far <= 2 && *far < known.len().min(token.text.len()))
            .min();
        let name = &token.text;
        let assigned = words.text(i + 1) == "=" && words.depth(i) > 0;
        return match near {
            Some((_, known)) => at(token, format!("{name} is not declared. Did you mean {known}?")),
            None if assigned => {
                at(token, format!("{name} is not declared: begin with its type, as in float {name} = ..."))
            }
            None => at(token, format!("{name} is not declared, and no word of the kernel language.")),
        };
    }
    None
}

/// Rule 13: a fetch gives four numbers.
fn four_into_one(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if !matches!(token.text.as_str(), "value2" | "value" | "valueOffset" | "value0") {
            continue;
        }
        let Some(end) = words.closing(i + 1) else { continue };
        if words.text(end + 1) == "." || words.text(end + 1) == "[" {
            continue;
        }
        // Inside the arguments of another call nothing is known of what is wanted.
        let Some((name, wanted)) = words.assigned(i) else { continue };
        if wanted == "float" {
            return at(
                token,
                format!("{} gives four numbers, and {name} takes one: write .x behind it.", token.text),
            );
        }
        if matches!(wanted, "vec2" | "vec3") {
            let swizzle = if wanted == "vec2" { ".xy" } else { ".xyz" };
            return at(
                token,
                format!(
                    "{} gives four numbers, and {name} is a {wanted}: write {swizzle} behind it.",
                    token.text
                ),
            );
        }
    }
    None
}

/// Rule 14: a position has two numbers.
fn pair_into_one(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if words.type_of(&token.text) != Some("vec2") || matches!(words.text(i + 1), "." | "[" | "=") {
            continue;
        }
        let Some((name, "float")) = words.assigned(i) else { continue };
        let pair = &token.text;
        return at(
            token,
            format!("{pair} is a pair, and {name} takes one number: write {pair}.x or {pair}.y."),
        );
    }
    None
}

/// Rule 15: `%` is for whole numbers.
fn remainder(words: &Words) -> Found {
    let token = words.tokens.iter().find(|token| token.text == "%" || token.text == "%=")?;
    at(token, "% is for whole numbers: of floats the remainder is mod(a, b).")
}

/// Rule 16: a number without a point is an int, and nothing converts it.
fn whole_numbers(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.kind != words::Kind::Number || token.text.contains(['.', 'e', 'E', 'x', 'u']) {
            continue;
        }
        let number = &token.text;
        let sentence = format!("{number} is an int. Write {number}.0: OpenGL ES and WebGL do not convert.");
        if words.with_float(i) {
            return at(token, sentence);
        }
    }
    None
}

/// Rule 17: `=` where `==` is meant.
fn assigned_condition(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if !matches!(token.text.as_str(), "if" | "while") || words.text(i + 1) != "(" {
            continue;
        }
        let end = words.closing(i + 1)?;
        if let Some(sign) = words.tokens[i + 1..end].iter().find(|token| token.text == "=") {
            return at(sign, "= assigns. To compare, write ==.");
        }
    }
    None
}

/// Rule 18: a stream has one member.
fn member_of_stream(words: &Words) -> Found {
    let streams = words.streams();
    for (i, token) in words.tokens.iter().enumerate() {
        let member = words.text(i + 2);
        if streams.contains(&token.text) && words.text(i + 1) == "." && !matches!(member, "extent" | "texels")
        {
            let name = &token.text;
            let sentence = format!(
                "A stream has no {member}: its width is {name}.extent.x, its height {name}.extent.y."
            );
            return at(token, sentence);
        }
    }
    None
}

/// Rule 19: a float does not become an int.
fn float_into_int(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.text != "int" || words.kind_of(i + 1) != words::Kind::Name || words.text(i + 2) != "=" {
            continue;
        }
        let end = words.tokens.iter().skip(i).position(|token| token.text == ";")?;
        if words.type_between(i + 3, i + end) == Some("float") {
            let name = &words.tokens[i + 1];
            let sentence =
                format!("{0} is an int, and gets a float. Kernels count in float: float {0}.", name.text);
            return at(name, sentence);
        }
    }
    None
}

/// Rule 20: an int is not compared or counted with a float.
fn int_beside_float(words: &Words) -> Found {
    let signs = ["<", ">", "<=", ">=", "==", "!=", "+", "-", "*", "/"];
    for (i, token) in words.tokens.iter().enumerate() {
        if words.type_of(&token.text) != Some("int") {
            continue;
        }
        let said = |other: &str| {
            let name = &token.text;
            at(
                token,
                format!(
                    "{name} is an int, and {other} a float: let {name} be a float too, or float({name})."
                ),
            )
        };
        // A member's name is no variable.
        let before = if i >= 2 && (i < 3 || words.text(i - 3) != ".") { words.text(i - 2) } else { "" };
        if i >= 2 && signs.contains(&words.text(i - 1)) && words.type_of(before) == Some("float") {
            return said(before);
        }
        if !signs.contains(&words.text(i + 1)) {
            continue;
        }
        let ends = |token: &Token| {
            matches!(token.text.as_str(), ";" | ")" | "," | "&" | "|" | "&&" | "||")
                || signs.contains(&token.text.as_str())
        };
        let end = i + 2 + words.tokens.iter().skip(i + 2).position(ends)?;
        if words.type_between(i + 2, end) == Some("float") {
            return said(&words.between(i + 2, end));
        }
    }
    None
}

/// Rule 21: a vector is not made of one number by itself.
fn one_number_into_several(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let of_type = matches!(token.text.as_str(), "vec2" | "vec3" | "vec4");
        if !of_type || words.kind_of(i + 1) != words::Kind::Name || words.text(i + 2) != "=" {
            continue;
        }
        let end = words.tokens.iter().skip(i).position(|token| token.text == ";")?;
        if matches!(words.type_between(i + 3, i + end), Some("float" | "int")) {
            let (name, kind) = (&words.tokens[i + 1], &token.text);
            let number = words.between(i + 3, i + end);
            return at(name, format!("{} is a {kind}, and gets one number: {kind}({number}).", name.text));
        }
    }
    None
}
