//! Errors in a sentence: our own scan of the kernel's text says what is wrong before the driver does, in the same words on
//! every driver. A rule that is not sure stays silent: then the driver's line stands alone.

mod blocks;
mod foreign;
mod head;
mod operands;

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

/// A loop, as it is written here.
const LOOP: &str = "A loop is written for (float i = 0.0; i < 4.0; i += 1.0) { ... } here.";

/// A place and a sentence.
type Found = Option<(usize, usize, String)>;

/// Explains an error of compiling or binding.
pub fn error(exercise: &Exercise, text: &str, error: &Error) -> Explained {
    let words = Words::of(text);
    let (line, driver) = told(error);
    let found = bound(&words, error).or_else(|| by_rules(Some(exercise), None, text, &words, error));
    match found {
        Some((at, column, sentence)) => placed(text, at, column, sentence, beside(error, at, line, driver)),
        None => {
            let first = text.lines().nth(line.wrapping_sub(1)).unwrap_or_default();
            let column = first.chars().take_while(|c| c.is_whitespace()).count() + 1;
            let said = driver.as_deref().unwrap_or_default();
            match error {
                Error::Declaration { .. } => placed(text, line, column, capital(said), None),
                _ if of_syntax(said) => {
                    let sentence = "This line does not compile; the line above it may be to blame.";
                    placed(text, line, column, sentence.to_owned(), driver)
                }
                _ => placed(text, line, column, "This line does not compile.".to_owned(), driver),
            }
        }
    }
}

/// The driver's message beside a sentence about line `at`: with its line where that is another one, and no sentence of our own.
fn beside(error: &Error, at: usize, line: usize, driver: Option<String>) -> Option<String> {
    let driver = driver.filter(|_| matches!(error, Error::Compile { .. } | Error::Link { .. }))?;
    Some(if line == 0 || line == at { driver } else { format!("line {line}: {driver}") })
}

/// Returns true if a driver found words where they do not belong.
fn of_syntax(driver: &str) -> bool {
    driver.contains("syntax error") || driver.contains("unexpected")
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// Inputs that a command gives a kernel of no exercise.
#[derive(Clone, Debug, Default)]
pub struct Given<'a> {
    pub streams: Vec<&'a str>,
    /// Constants, and how many numbers each has.
    pub floats: Vec<(&'a str, usize)>,
}

impl Given<'_> {
    /// The type that declares what a name is given.
    fn kind_of(&self, name: &str) -> Option<&'static str> {
        if self.streams.contains(&name) {
            return Some("Stream");
        }
        let (_, many) = self.floats.iter().find(|(float, _)| *float == name)?;
        Some(["float", "vec2", "vec3", "vec4"][many.clamp(&1, &4) - 1])
    }
}

/// Explains an input that a command gives, and that a kernel which compiles does not declare, or as another type; `None` where it
/// may be declared in several ways.
pub fn of_input(text: &str, error: &Error, given: &Given) -> Option<Explained> {
    let words = Words::of(text);
    let (name, declared, alone) = match error {
        Error::WrongType { name, declared, .. } => (name, Some(declared.as_str()), false),
        Error::UnknownName { name, kind: "stream" | "constant", has, .. } => (name, None, has.is_empty()),
        _ => return None,
    };
    let kind = given.kind_of(name)?;
    let flag = if kind == "Stream" { "stream" } else { "float" };
    let (open, end) = words.main_body()?;
    let made = (open..end).find(|&i| words.text(i) == name.as_str() && words::is_type(words.text(i - 1)));
    let place = made.or_else(|| words.tokens.iter().position(|token| token.text == *name));
    let (line, column) = match place.filter(|_| made.is_some() || declared.is_some()) {
        Some(place) => (words.tokens[place].line, words.tokens[place].column),
        None => (0, 1),
    };
    let sentence = match declared {
        Some(declared) if flag == "stream" || matches!(declared, "int" | "uint" | "bool") => format!(
            "{name} is declared as {declared}, and --{flag} gives it as {kind}: write uniform {kind} {name};"
        ),
        Some(_) => return None,
        None if made.is_some() => format!(
            "This makes a variable of main(), and --{flag} gives {name} from outside: take this out, and write uniform {kind} {name}; above main()."
        ),
        None if alone => {
            format!(
                "{name} is not declared, and --{flag} gives it: write uniform {kind} {name}; above main()."
            )
        }
        None => return None,
    };
    Some(placed(text, line, column, sentence, None))
}

/// Explains an error of compiling a fragment kernel that belongs to no exercise; `None` where no rule is sure.
pub fn of_compiling(text: &str, error: &Error, given: &Given) -> Option<Explained> {
    let (line, driver) = told(error);
    let (at, column, sentence) = by_rules(None, Some(given), text, &Words::of(text), error)?;
    Some(placed(text, at, column, sentence, beside(error, at, line, driver)))
}

/// The line that an error names, and its message without the path of a page that the learner has as a book.
fn told(error: &Error) -> (usize, Option<String>) {
    let (line, driver) = match error {
        Error::Compile { line, message, .. } => {
            // The list that a driver promises is left out.
            (*line as usize, message.trim_end_matches("; candidates are:").to_owned())
        }
        Error::Declaration { line, expected, .. } => {
            (*line as usize, expected.replace(" (see quadrille::kernel_language)", ""))
        }
        Error::Link { message, .. } => (0, message.clone()),
        other => (0, other.to_string()),
    };
    (line, Some(driver).filter(|driver| !driver.is_empty()))
}

/// Errors of binding: the kernel compiles, and does not take what the task has.
fn bound(words: &Words, error: &Error) -> Found {
    match error {
        Error::UnusedName { kind, name, .. } => why_lost(words).or_else(|| Some(unused(words, kind, name))),
        Error::DroppedName { name, range, .. } => why_lost(words).or_else(|| {
            let (line, column) = words.first(name).map_or((0, 1), |word| (word.line, word.column));
            Some((line, column, format!("{name} is read, but {range} does not depend on it.")))
        }),
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
    }
}

/// The reason why nothing comes of what a kernel reads.
fn why_lost(words: &Words) -> Found {
    operands::whole_quotient(words)
        .or_else(|| blocks::endless(words))
        .or_else(|| blocks::empty_if(words))
        .or_else(|| taken(words))
}

/// Explains a stream or constant that is bound to a kernel of no exercise, and that the driver left out; `None` where no rule is sure.
pub fn of_lost(text: &str) -> Option<Explained> {
    let (line, column, sentence) = why_lost(&Words::of(text))?;
    Some(placed(text, line, column, sentence, None))
}

/// The first line in which one of these rules is sure; on one line the rule that is named first speaks. After a word that no kernel
/// has, all that follows looks wrong.
fn of_others(words: &Words) -> Found {
    let rules =
        [foreign::statement, choice_behind, bare_head, foreign::sign, odd_exponent, foreign::declaration];
    rules.iter().filter_map(|rule| rule(words)).min_by_key(|(line, ..)| *line)
}

/// The first rule that is sure: the more special one speaks before the more general one.
fn by_rules(
    exercise: Option<&Exercise>,
    given: Option<&Given>,
    text: &str,
    words: &Words,
    error: &Error,
) -> Found {
    let (line, driver) = told(error);
    let driver = driver.unwrap_or_default();
    let syntax = of_syntax(&driver);
    let points = exercise.is_some_and(|exercise| exercise.points);
    comment_sign(words)
        .or_else(|| floor_division(text, false))
        .or_else(|| of_others(words))
        .or_else(|| if points { head::of_points(words) } else { None })
        .or_else(|| head::reserved(words))
        .or_else(|| head::declaration(words))
        .or_else(|| blocks::main_without_brace(words))
        .or_else(|| blocks::parts_of_loop(words))
        .or_else(|| blocks::else_alone(words))
        .or_else(|| unclosed(words))
        .or_else(|| no_main(words))
        .or_else(|| operands::truth_and_number(words))
        .or_else(|| other_language(words))
        .or_else(|| head::word_for_name(words))
        .or_else(|| head::defined_with_end(words))
        .or_else(|| operands::half_a_choice(words))
        .or_else(|| range_in_main(words))
        .or_else(|| output_in_main(words))
        .or_else(|| compares_alone(words))
        .or_else(|| blocks::function_inside(words))
        .or_else(|| returned(words))
        .or_else(|| fetch_written(words))
        .or_else(|| unwritten(text, words, line, error))
        .or_else(|| small_letters(words))
        .or_else(|| unknown_type(words))
        .or_else(|| no_range(points, words))
        .or_else(|| operands::decimal_comma(words))
        .or_else(|| operands::several_names(words))
        .or_else(|| odd_number(words))
        .or_else(|| operands::side_by_side(words))
        .or_else(|| range_by_index(words))
        .or_else(|| blocks::float_in_brackets(words))
        .or_else(|| listed(words))
        .or_else(|| blocks::list_of_braces(words))
        .or_else(|| number_by_index(exercise, words))
        .or_else(|| blocks::empty_loop(words))
        .or_else(|| blocks::empty_if(words))
        .or_else(|| called_variable(words))
        .or_else(|| stream_written(words))
        .or_else(|| stream_by_index(words))
        .or_else(|| member_of_stream(words))
        .or_else(|| member_of_extent(words))
        .or_else(|| float_into_int(words))
        .or_else(|| paired(words))
        .or_else(|| arguments(words))
        .or_else(|| operands::count(words))
        .or_else(|| operands::own_function(words))
        .or_else(|| variable_offset(words))
        .or_else(|| if syntax { no_semicolon(words) } else { None })
        .or_else(|| assigned_condition(words))
        .or_else(|| written_input(words))
        .or_else(|| unknown(exercise, given, words))
        .or_else(|| blocks::made_twice(words))
        .or_else(|| blocks::name_of_loop(words))
        .or_else(|| blocks::switched(words))
        .or_else(|| blocks::endless(words))
        .or_else(|| operands::bits_of_conditions(words))
        .or_else(|| operands::shifted(words))
        .or_else(|| chained(words))
        .or_else(|| number_as_condition(words))
        .or_else(|| condition_as_number(words))
        .or_else(|| operands::number_into_truth(words))
        .or_else(|| four_into_one(words))
        .or_else(|| operands::vectors_compared(words))
        .or_else(|| one_number_into_several(words))
        .or_else(|| pair_into_one(words))
        .or_else(|| member_of_vector(words))
        .or_else(|| several_into_one(words))
        .or_else(|| remainder(words))
        .or_else(|| power(words))
        .or_else(|| ints(words))
        .or_else(|| member_of_number(words))
        .or_else(|| method(words))
        .or_else(|| constant(words))
        .or_else(|| taken(words))
}

/// Whole numbers where floats belong.
fn ints(words: &Words) -> Found {
    operands::whole_quotient(words)
        .or_else(|| whole_numbers(words))
        .or_else(|| int_beside_float(words))
        .or_else(|| operands::int_argument(words))
        .or_else(|| operands::int_chosen(words))
        .or_else(|| operands::int_into_float(words))
        .or_else(|| operands::whole_vector(words))
}

/// A fault that this driver accepts: others refuse it, or give something else. An answer must be right on all of them.
pub fn refused_elsewhere(text: &str) -> Option<Explained> {
    let words = Words::of(text);
    let found = floor_division(text, true)
        .or_else(|| operands::decimal_comma(&words))
        .or_else(|| operands::several_names(&words))
        .or_else(|| ints(&words))
        .or_else(|| arguments(&words))
        .or_else(|| operands::own_function(&words))
        .or_else(|| blocks::empty_loop(&words))
        .or_else(|| blocks::empty_if(&words))
        .or_else(|| blocks::endless(&words))
        .or_else(|| paired(&words))
        .or_else(|| no_start(&words))
        .or_else(|| scattered(&words));
    let (line, column, sentence) = found?;
    Some(placed(text, line, column, sentence, None))
}

/// `value2(...).x = ...`: a fetch is no place to write to.
fn fetch_written(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if !words::fetches(&token.text) || !words.begins_statement(i) || words.text(i + 1) != "(" {
            continue;
        }
        let end = words.closing(i + 1)? + 1;
        let sign = if words.text(end) == "." { end + 2 } else { end };
        if matches!(words.text(sign), "=" | "+=" | "-=" | "*=" | "/=") {
            let goes = words
                .ranges()
                .first()
                .map_or(String::new(), |(range, _)| format!(" The result is written as {range} = ..."));
            return at(token, format!("{} only reads.{goes}", token.text));
        }
    }
    None
}

/// `value(x, here.x)`: a place as an index is half a texel too far, on a seam. It compiles, and is right where a domain is bound so.
pub fn half_twice(text: &str) -> Option<Explained> {
    let words = Words::of(text);
    let domains: Vec<String> =
        words.inputs().into_iter().filter(|(_, what)| *what == "DOMAIN").map(|(name, _)| name).collect();
    for (i, token) in words.tokens.iter().enumerate() {
        let Some(&(from, to)) = words.arguments(i + 1).get(1).filter(|_| token.text == "value") else {
            continue;
        };
        let name = &words.tokens[from];
        if to == from + 3 && domains.contains(&name.text) && words.text(from + 1) == "." {
            let (place, stream) = (words.between(from, to), words.text(i + 2));
            let sentence = format!(
                "{place} is half a texel past the index, and value adds a half itself: value2({stream}, {}), or value({stream}, floor({place})).",
                name.text
            );
            return Some(placed(text, name.line, name.column, sentence, None));
        }
    }
    None
}

/// A path that does not write; the remedy is the exercise.
fn unwritten(text: &str, words: &Words, line: usize, error: &Error) -> Found {
    let Error::Declaration { expected, .. } = error else { return None };
    let told = expected.strip_prefix("RANGE `")?.split(": ").next()?;
    let first = text.lines().nth(line.wrapping_sub(1)).unwrap_or_default();
    let column = first.len() - first.trim_start().len() + 1;
    if (told.ends_with("is unwritten on every path") || told.contains("is read"))
        && let Some(found) = taken(words)
    {
        return Some(found);
    }
    let name = told.split('`').next().unwrap_or_default();
    let read = words.tokens.iter().position(|token| token.line == line && token.text == name);
    let sentence = match read.map(|at| words.text(at + 1)) {
        Some(sign @ ("+=" | "-=" | "*=" | "/=")) if told.contains("is read") => {
            format!("{name} holds no number yet, and {sign} reads it: the first line is {name} = ...")
        }
        _ if told.contains("is read") => {
            format!("{name} holds no number before it is written; to read the old number, use a stream.")
        }
        _ => format!("RANGE `{told}: every path has to write."),
    };
    Some((line, column, sentence))
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

/// Rule 1: a stream or constant that is declared but never read.
fn unused(words: &Words, kind: &str, name: &str) -> (usize, usize, String) {
    let token = words.first(name);
    let sentence = format!("The {kind} {name} is declared but never read. The task needs it.");
    (token.map_or(0, |t| t.line), token.map_or(1, |t| t.column), sentence)
}

/// Rule 2: brackets in pairs.
fn unclosed(words: &Words) -> Found {
    if (0..words.tokens.len()).any(|i| words.text(i) == "endif" && words.in_directive(i)) {
        return None; // which brackets are compiled is not known here
    }
    let mut open: Vec<usize> = Vec::new();
    // The first block whose } stands further left than the line that opens it: that } belongs to a block around it.
    let mut robbed = None;
    for (i, token) in words.tokens.iter().enumerate() {
        let sign = token.text.as_str();
        match sign {
            "(" | "{" | "[" => open.push(i),
            ")" | "}" | "]" => match open.pop() {
                Some(first) => match (words.text(first), sign) {
                    ("(", ")") | ("[", "]") => {}
                    ("{", "}") => {
                        let left = words.begins_line(i) && token.column < words.indent(first);
                        robbed = robbed.or(left.then_some(first));
                    }
                    ("{", _) => return one_too_many(token),
                    (opens, _) => {
                        let sentence =
                            format!("The {opens} here is not closed before {sign} in line {}.", token.line);
                        return at(&words.tokens[first], sentence);
                    }
                },
                None => return one_too_many(token),
            },
            _ => {}
        }
    }
    let last = open.pop()?;
    let first = &words.tokens[if words.text(last) == "{" { robbed.unwrap_or(last) } else { last }];
    at(first, format!("The {} here is never closed.", first.text))
}

fn one_too_many(token: &Token) -> Found {
    at(token, format!("This {} closes nothing: there is one too many.", token.text))
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
            "def" | "fn" | "let" | "var" | "auto"
                if words.kind_of(i + 1) == words::Kind::Name || matches!(next, "{" | "[") =>
            {
                "A declaration begins with its type here: float, vec2, vec3 or vec4."
            }
            "lambda" if words.kind_of(i + 1) == words::Kind::Name => {
                "There is no lambda here: a function is float f(float a) { return 2.0 * a; }, above main()."
            }
            "double" => "Kernels count in float: double is not a type here.",
            "texture" | "textureLod" | "texelFetch"
                if words.text(i + 3) == "."
                    || !words.streams().iter().any(|stream| stream == words.text(i + 2)) =>
            {
                continue;
            }
            "texture2D" | "texture" | "textureLod" | "texelFetch" => {
                let sentence = format!("Streams are read by value2(stream, {}).", words.place());
                return at(token, sentence);
            }
            "gl_FragColor" | "gl_FragData" => "The result goes to the RANGE, by its name.",
            "True" | "False" | "TRUE" | "FALSE" => "Truth is written true and false, in small letters.",
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
            "Vec2" | "VEC2" | "float2" => "vec2",
            "Vec3" | "VEC3" | "float3" => "vec3",
            "Vec4" | "VEC4" | "float4" => "vec4",
            "If" | "IF" if words.text(i + 1) == "(" => "if",
            "For" | "FOR" if words.text(i + 1) == "(" => "for",
            "While" | "WHILE" if words.text(i + 1) == "(" => "while",
            "Else" | "ELSE" => "else",
            _ => continue,
        };
        let follows = words.kind_of(i + 1) == words::Kind::Name || matches!(words.text(i + 1), "(" | "{");
        if follows && !words.declares(&token.text) {
            return at(token, format!("The word is {right}: letters count."));
        }
    }
    None
}

/// Rule 6: a kernel says what it writes.
fn no_range(points: bool, words: &Words) -> Found {
    let missing = !points && !words.tokens.iter().any(|token| token.text == "RANGE");
    missing.then(|| {
        (0, 1, "The kernel declares nothing to write: a RANGE, as in RANGE float result;".to_owned())
    })
}

/// Rule 7: `x[i]` of a stream.
fn stream_by_index(words: &Words) -> Found {
    let streams = words.streams();
    for (i, token) in words.tokens.iter().enumerate() {
        let member = i > 0 && words.text(i - 1) == ".";
        if streams.contains(&token.text) && !member && words.text(i + 1) == "[" {
            let name = &token.text;
            return at(
                token,
                format!(
                    "{name} is a stream, and no array: value2({name}, {}) or value({name}, index) reads it.",
                    words.place()
                ),
            );
        }
        // A stream that is counted with, as if it were its element.
        let operator = |text: &str| matches!(text, "+" | "-" | "*" | "/" | "=" | ";" | "<" | ">");
        let before = i.checked_sub(1).map_or("", |i| words.text(i));
        let counts = |text: &str| matches!(text, "+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "==");
        let after = words.text(i + 1);
        let alone = operator(before) && operator(after)
            || (counts(before) && matches!(after, ")" | ","))
            || (counts(after) && matches!(before, "(" | ","));
        // The only argument of a function of numbers.
        let given =
            before == "(" && matches!(after, ")" | ",") && i >= 2 && words::is_function(words.text(i - 2));
        if streams.contains(&token.text) && (alone || given) && words.depth(i) > 0 {
            let name = &token.text;
            return at(
                token,
                format!(
                    "{name} is a whole stream. Its element at this place is value2({name}, {}).",
                    words.place()
                ),
            );
        }
    }
    None
}

/// Rule 8: as many arguments as the words that fetch take.
fn arguments(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let (wanted, usage) = match token.text.as_str() {
            "value2" => (2, "value2(stream, place)"),
            "value" => (2, "value(stream, index)"),
            "valueOffset" => (3, "valueOffset(stream, place, ivec2(dx, dy))"),
            "value0" => (1, "value0(stream)"),
            "scatter" => (1, "scatter(place)"),
            _ => continue,
        };
        if words.declares(&token.text) {
            continue; // a variable of that name
        }
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
        if token.text == "scatter" {
            if matches!(words.type_between(from, to), Some("float" | "int")) {
                let number = words.between(from, to);
                let sentence = format!("scatter takes a place, two numbers: scatter(vec2({number}, 0.5)).");
                return at(first, sentence);
            }
            continue;
        }
        if to == from + 1 && words.type_of(&first.text).is_some_and(|kind| kind != "Stream") {
            return at(first, format!("{} is no stream: {usage}.", first.text));
        }
        let Some(&(from, to)) = given.get(1) else { continue };
        let second = words.type_between(from, to);
        if token.text == "value" && second == Some("vec2") {
            return at(
                &words.tokens[from],
                "value takes an index, one number. To read at a place, use value2.",
            );
        }
        if matches!(token.text.as_str(), "value" | "value2") && second == Some("vec4") {
            let inner = &words.tokens[from];
            let sentence = match token.text.as_str() {
                "value" => {
                    format!("{} gives four numbers, and an index is one: write .x after it.", inner.text)
                }
                _ => format!(
                    "{} gives four numbers. An index is its .x, for value({}, ...); a place is its .xy.",
                    inner.text, first.text
                ),
            };
            return if words::fetches(&inner.text) { at(inner, sentence) } else { None };
        }
        if token.text == "value" && matches!(second, Some("int" | "uint")) {
            return at(
                &words.tokens[from],
                format!("An index is a float: float({}).", words.between(from, to)),
            );
        }
        if token.text == "value2" && matches!(second, Some("float" | "int" | "uint")) {
            return at(
                &words.tokens[from],
                "value2 takes a place, two numbers: vec2(x, y). To read by one index, use value.",
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
            return at(&inside[0], "An offset has whole numbers: ivec2(1, 0).");
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
    for (i, pair) in words.tokens.windows(2).enumerate() {
        let (last, next) = (&pair[0], &pair[1]);
        let place = i + 1;
        // A statement that begins on the same line.
        let sets = matches!(words.text(place + 1), "=" | "+=" | "-=" | "*=" | "/=");
        let typed = words::is_type(&next.text) && words.kind_of(place + 1) == words::Kind::Name;
        let begins = next.kind == words::Kind::Name && (sets || typed) && words.depth(place) > 0;
        let same = last.line == next.line && next.text != "}";
        // A misspelt `while` has its block behind it.
        let head_of_none = last.text == ")"
            && words.opening(i).and_then(|open| open.checked_sub(1)).is_some_and(|name| {
                words.kind_of(name) == words::Kind::Name && !words.is_known(words.text(name))
            });
        if same
            && (!begins
                || head_of_none
                || words::is_type(&last.text)
                || words::is_type(words.text(place - 2)))
            || words.in_brackets(last)
        {
            continue;
        }
        let ends = matches!(last.kind, words::Kind::Name | words::Kind::Number)
            || matches!(last.text.as_str(), ")" | "]");
        let begins = next.kind == words::Kind::Name || next.text == "}";
        let head = words.is_head(last);
        let goes_on = matches!(last.text.as_str(), "else" | "do") || same && words::is_keyword(&last.text);
        if ends && begins && !head && !goes_on {
            return match same {
                true => at(next, format!("A ; is missing before {}.", next.text)),
                false => Some(head::ends_without(last)),
            };
        }
    }
    None
}

/// Rule 11: inputs are read only.
fn written_input(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let member = i > 0 && words.text(i - 1) == ".";
        let input = words.inputs().into_iter().find(|(name, _)| *name == token.text && !member);
        let Some((name, what)) = input else { continue };
        let mut next = i + 1;
        if words.text(next) == "." {
            next += 2;
        }
        let assigns = matches!(words.text(next), "=" | "+=" | "-=" | "*=" | "/=" | "++" | "--");
        // A variable of main() may have that name: it hides the input.
        if assigns && words.depth(i) > 0 && words.declarations(&name) < 2 {
            let copy =
                if what == "DOMAIN" { format!(": copy it, vec2 at = {name};") } else { ".".to_owned() };
            return at(token, format!("{name} is an input ({what}) and cannot be changed{copy}"));
        }
    }
    None
}

/// The known name that a misspelt one is nearest to.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let most = if name.len() <= 4 { 1 } else { 2 };
    let far = |known: &str| match known.eq_ignore_ascii_case(name) {
        true => 0,
        false => strsim::damerau_levenshtein(known, name),
    };
    known
        .map(|known| (far(known), known.to_owned()))
        .filter(|(far, known)| *far == 0 || *far <= most && *far < known.len().min(name.len()))
        .min()
        .map(|(_, known)| known)
}

/// A declaration whose type is none.
fn unknown_type(words: &Words) -> Found {
    if words.has_other_types() {
        return None;
    }
    for (i, token) in words.tokens.iter().enumerate() {
        let before = i.checked_sub(1).map_or("", |before| words.text(before));
        let (name, next, behind) = (&token.text, words.beside(i), words.text(i + 2));
        let known = words.is_known(name) && (before != "RANGE" || words::is_type(name));
        let begins = matches!(before, "" | ";" | "{" | "}" | "uniform" | "RANGE");
        if token.kind != words::Kind::Name || known || !begins {
            continue;
        }
        let typed = words::is_type(next) && words.kind_of(i + 2) == words::Kind::Name;
        let named = words.kind_of(i + 1) == words::Kind::Name
            && !next.is_empty()
            && (!words.is_known(next) || words.declares(next))
            && matches!(behind, "=" | ";" | "," | "(" | "[");
        if !(typed || named) {
            continue;
        }
        let sentence = match near(name, words::beginnings()) {
            Some(known) => format!("{name} is no word of the kernel language. Did you mean {known}?"),
            None if typed || behind == "(" => format!("{name} is no word of the kernel language."),
            None => format!("{name} is no type here: one number is a float, two are a vec2."),
        };
        return at(token, sentence);
    }
    None
}

/// Rule 12: names that nobody declares.
fn unknown(exercise: Option<&Exercise>, given: Option<&Given>, words: &Words) -> Found {
    if words.has_other_types() {
        return None; // not all types and names are known here
    }
    for (i, token) in words.tokens.iter().enumerate() {
        let member = i > 0 && words.text(i - 1) == ".";
        let declared =
            i > 0 && words.kind_of(i - 1) == words::Kind::Name && words::is_type(words.text(i - 1));
        if token.kind != words::Kind::Name
            || member
            || declared
            || words.is_known(&token.text)
            || words.in_directive(i)
        {
            continue;
        }
        let (name, next) = (&token.text, words.text(i + 1));
        // Words where no name can stand: before a name or a block, and behind an operand.
        let last = i.checked_sub(1).filter(|_| !words.begins_line(i));
        let begins = words.begins_statement(i)
            || last.is_some_and(|last| {
                matches!(words.text(last), "else" | "do") || words.is_head(&words.tokens[last])
            });
        let operand = last.is_some_and(|last| {
            words.kind_of(last) == words::Kind::Number || words.type_of(words.text(last)).is_some()
        });
        let used = matches!(next, "=" | "+=" | "-=" | "*=" | "/=" | "++" | "--" | "[" | "." | "(");
        if words.kind_of(i + 1) == words::Kind::Name || begins && !used || operand {
            let meant = near(name, words::beginnings());
            let meant = meant.map_or(String::new(), |known| format!(" Did you mean {known}?"));
            return at(token, format!("{name} is no word of the kernel language.{meant}"));
        }
        if words.depth(i) == 0
            && next == "("
            && words.closing(i + 1).is_some_and(|end| words.text(end + 1) == "{")
        {
            return at(token, format!("A function begins with the type that it returns: float {name}(...)."));
        }
        if let Some(kind) = given.and_then(|given| given.kind_of(name)) {
            let what = if kind == "Stream" { "stream" } else { "float" };
            let sentence = format!(
                "{name} is not declared: --{what} gives it, so write uniform {kind} {name}; above main()."
            );
            return at(token, sentence);
        }
        if let Some(sentence) = head::undeclared(exercise, words, i).or_else(|| elsewhere(words, i)) {
            return at(token, sentence);
        }
        let statement = words.begins_statement(i);
        if statement && next == "[" && exercise.is_some_and(|exercise| exercise.points) {
            let sentence = format!(
                "A kernel has no {name} to count in: scatter(place) places the point of this number, and that adds 1."
            );
            return at(token, sentence);
        }
        // A stream is named in the brackets of a fetch alone.
        let fetched = i > 1 && words.text(i - 1) == "(" && next == ",";
        let variables = words.variables().filter(|name| (words.type_of(name) == Some("Stream")) == fetched);
        // A word that is called may be a misspelt function, any other one a misspelt variable.
        let known = if next == "(" { near(name, words.callable()) } else { near(name, variables) };
        return match known {
            Some(known) => at(token, format!("{name} is not declared. Did you mean {known}?")),
            None if statement && next == "=" && name == "result" && words.ranges().len() == 1 => {
                let range = words.ranges()[0].0;
                at(
                    token,
                    format!("{name} is not declared: the RANGE of this kernel is {range}, {range} = ..."),
                )
            }
            None if statement && next == "=" => {
                let given = words.type_between(i + 2, words.end_of_statement(i));
                let kind = given.filter(|kind| words::VECTORS.contains(kind)).unwrap_or("float");
                at(token, format!("{name} is not declared: begin with its type, as in {kind} {name} = ..."))
            }
            None if fetched => at(
                token,
                format!("{name} is not declared: a stream is declared above main(), uniform Stream {name};"),
            ),
            None if next == "(" => at(token, format!("{name} is no word of the kernel language.")),
            None if next == "[" => {
                let kind = head::kind_wanted(words, i);
                let sentence = format!(
                    "{name} is not declared: a line above has to make the array, as in {kind} {name}[2] = {kind}[2](...);"
                );
                at(token, sentence)
            }
            None if head::kind_wanted(words, i) != "float" => {
                let kind = head::kind_wanted(words, i);
                let own = match words.place() {
                    place if head::is_position(words, i) && place != "place" => {
                        format!(" The place of this element is {place}.")
                    }
                    _ => String::new(),
                };
                let sentence = format!(
                    "{name} is not declared: a line above has to make it, as in {kind} {name} = ...;{own}"
                );
                at(token, sentence)
            }
            None if exercise.is_none() => at(
                token,
                format!(
                    "{name} is not declared: float {name} = ...; in a line above makes it, uniform float {name}; above main() takes it from outside."
                ),
            ),
            None => at(
                token,
                format!("{name} is not declared: a line above has to make it, as in float {name} = ...;"),
            ),
        };
    }
    None
}

/// Functions of other languages, and what stands for a call of them here.
const CALLED: [(&str, &str); 23] = [
    ("astype", "float(a)"),
    ("where", "condition ? a : b"),
    ("maximum", "max(a, b)"),
    ("minimum", "min(a, b)"),
    ("clip", "clamp(a, low, high)"),
    ("saturate", "clamp(a, 0.0, 1.0)"),
    ("absolute", "abs(a)"),
    ("square", "a * a"),
    ("rint", "round(a)"),
    ("fix", "trunc(a)"),
    ("arctan", "atan(a)"),
    ("arctan2", "atan(y, x)"),
    ("atan2", "atan(y, x)"),
    ("arcsin", "asin(a)"),
    ("arccos", "acos(a)"),
    ("log10", "log(a) / log(10.0)"),
    ("norm", "length(a)"),
    ("hypot", "length(vec2(a, b))"),
    ("lerp", "mix(a, b, t)"),
    ("heaviside", "step(0.0, a)"),
    ("logical_not", "!a"),
    ("float32", "float(a)"),
    ("float64", "float(a)"),
];

/// Words that other languages have, and what is done here.
fn elsewhere(words: &Words, i: usize) -> Option<String> {
    let (name, next) = (words.text(i), words.text(i + 1));
    let stream = words.streams().into_iter().next().unwrap_or_else(|| "x".to_owned());
    if let Some((_, remedy)) = CALLED.iter().find(|(called, _)| *called == name && next == "(") {
        return Some(format!("There is no {name} here: write {remedy}."));
    }
    // A function behind the name of what it is part of: what stands for it here.
    let called = words.text(i + 2);
    if matches!(name, "np" | "numpy" | "math" | "Math" | "std") && next == "." && words.text(i + 3) == "(" {
        let alone = match words::is_function(called) {
            true => Some(format!("There is no {name} here: write {called}(...).")),
            false => elsewhere(words, i + 2),
        };
        if alone.is_some() {
            return alone;
        }
    }
    if let ("sum" | "mean" | "avg" | "average", "(") = (name, next)
        && let Some(written) = operands::written_out(words, i)
    {
        return Some(format!("There is no {name} here: write {written}."));
    }
    Some(match (name, next) {
        ("enum", "{") => "There is no enum here: const float NAME = 2.0; names a number.".to_owned(),
        ("len" | "size" | "shape", "(") => {
            format!("A stream's width is {stream}.extent.x, its height {stream}.extent.y.")
        }
        ("width" | "height" | "length", "-" | "+" | "*" | "/" | ")" | "," | ";") => {
            let member = if name == "height" { "y" } else { "x" };
            format!("{name} is not declared: that of the stream {stream} is {stream}.extent.{member}.")
        }
        (
            "sum" | "mean" | "avg" | "average" | "reverse" | "sorted" | "sort" | "fliplr" | "flipud" | "flip"
            | "cumsum" | "roll" | "circshift",
            "(",
        ) => {
            format!("There is no {name} of a whole stream: a kernel computes one element of the result.")
        }
        ("range", "(") => LOOP.to_owned(),
        ("inf" | "infinity" | "Infinity" | "INFINITY" | "INF", _) => {
            "There is no word for infinity here: write a number that is larger than all others, as 1e30."
                .to_owned()
        }
        ("end", "" | ")" | "," | "]" | "-" | "+" | "/" | "*") => {
            format!("There is no end here: the last index of {stream} is {stream}.extent.x - 1.0.")
        }
        ("pi" | "PI" | "M_PI", _) => format!("There is no {name} here: write 3.14159265."),
        ("null" | "nil" | "undefined" | "None" | "NULL", _) => {
            "There is no empty value here: a float holds a number.".to_owned()
        }
        ("np" | "numpy" | "math" | "Math" | "std", _) => {
            format!("There is no {name} here: floor, max, sqrt and the like stand alone.")
        }
        _ => return None,
    })
}

/// Rule 13: a fetch gives four numbers.
fn four_into_one(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if !matches!(token.text.as_str(), "value2" | "value" | "valueOffset" | "value0") {
            continue;
        }
        let Some(end) = words.closing(i + 1) else { continue };
        let (before, after) = (i.checked_sub(1).map_or("", |i| words.text(i)), words.text(end + 1));
        if after == "." || after == "[" {
            continue;
        }
        let compares = |sign: &str| matches!(sign, "<" | ">" | "<=" | ">=" | "==" | "!=");
        if compares(before) || compares(after) {
            let sentence =
                format!("{} gives four numbers, and one is compared: write .x after it.", token.text);
            return at(token, sentence);
        }
        // Inside the arguments of another call nothing is known of what is wanted.
        let Some((name, wanted)) = words.assigned(i).or_else(|| chosen(words, i, end)) else { continue };
        if wanted == "float" {
            return at(
                token,
                format!("{} gives four numbers, and {name} takes one: write .x after it.", token.text),
            );
        }
        if matches!(wanted, "vec2" | "vec3") {
            let swizzle = if wanted == "vec2" { ".xy" } else { ".xyz" };
            return at(
                token,
                format!(
                    "{} gives four numbers, and {name} is a {wanted}: write {swizzle} after it.",
                    token.text
                ),
            );
        }
    }
    // One of several arguments that a vector is made of.
    for (i, token) in words.tokens.iter().enumerate() {
        if !matches!(token.text.as_str(), "vec2" | "vec3" | "vec4") || words.text(i + 1) != "(" {
            continue;
        }
        let given = words.arguments(i + 1);
        for (from, to) in given.iter().filter(|_| given.len() > 1) {
            if words.type_between(*from, *to) == Some("vec4")
                && let Some(fetch) = bare_fetch(words, *from, *to)
            {
                let sentence =
                    format!("{} gives four numbers, and one is wanted here: write .x after it.", fetch.text);
                return at(fetch, sentence);
            }
        }
    }
    None
}

/// A fetch without a member behind it.
fn bare_fetch(words: &Words, from: usize, to: usize) -> Option<&Token> {
    let place = (from..to).find(|&i| {
        let fetches = matches!(words.text(i), "value2" | "value" | "valueOffset" | "value0");
        fetches && words.closing(i + 1).is_some_and(|end| !matches!(words.text(end + 1), "." | "["))
    })?;
    words.tokens.get(place)
}

/// The name and type that the fetch from `i` to `end` is assigned to, as one side of a choice `? :`.
fn chosen(words: &Words, i: usize, end: usize) -> Option<(&str, &str)> {
    let before = i.checked_sub(1).map_or("", |i| words.text(i));
    if !(matches!(before, "?" | ":") && matches!(words.text(end + 1), ":" | ";")) {
        return None;
    }
    let begin = (0..i).rev().find(|&at| matches!(words.text(at), ";" | "{" | "}"))?;
    let sign = (begin..i).find(|&at| words.text(at) == "=")?;
    let name = words.text(sign.checked_sub(1)?);
    Some((name, words.type_of(name)?))
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
    at(token, "% is for whole numbers: for floats write mod(a, b).")
}

/// Rule 16: a number without a point is an int, and nothing converts it.
fn whole_numbers(words: &Words) -> Found {
    let whole = |i: &usize| {
        let token = &words.tokens[*i];
        token.kind == words::Kind::Number && token.text.chars().all(|c| c.is_ascii_digit())
    };
    let found = (0..words.tokens.len()).filter(whole).find(|&i| words.with_float(i))?;
    operands::whole_number(words, found)
}

/// Rule 17: `=` where `==` is meant.
fn assigned_condition(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.text != "(" || i > 0 && words.text(i - 1) == "for" || words.depth(i) == 0 {
            continue;
        }
        let end = words.closing(i)?;
        if let Some(sign) = (i + 1..end).find(|&at| words.text(at) == "=") {
            let call = i.checked_sub(1).map(|name| words.text(name)).filter(|name| {
                words.kind_of(i - 1) == words::Kind::Name && !words::is_keyword(name) && !words::is_type(name)
            });
            let sentence = match words.text(sign - 1) {
                argument if call.is_some() && matches!(words.text(sign - 2), "(" | ",") => {
                    format!(
                        "An argument has no name here, as {argument}: a call takes its values in their order."
                    )
                }
                apart @ ("<" | ">" | "!" | "=") => format!("The sign is {apart}=, without a space in it."),
                _ => "= assigns. To compare, write ==.".to_owned(),
            };
            return at(&words.tokens[sign], sentence);
        }
    }
    None
}

/// Rule 18: a stream has one member.
fn member_of_stream(words: &Words) -> Found {
    let streams = words.streams();
    for (i, token) in words.tokens.iter().enumerate() {
        let member = words.text(i + 2);
        let of_member = i > 0 && words.text(i - 1) == ".";
        if !of_member
            && streams.contains(&token.text)
            && words.text(i + 1) == "."
            && !matches!(member, "extent" | "texels")
        {
            let name = &token.text;
            let sentence = match member {
                "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a" | "xy" => {
                    format!(
                        "{name} is a whole stream. Its element at this place is value2({name}, {}).{member}.",
                        words.place()
                    )
                }
                "value" | "value2" | "value0" | "valueOffset" => {
                    format!("The stream stands in the brackets: {member}({name}, ...).")
                }
                _ if words.type_of(member).is_some() => {
                    format!("Between {name} and {member} stands a comma: {name}, {member}")
                }
                _ if words.text(i + 3) == "(" => {
                    format!(
                        "A stream has no {member}(): a kernel computes one element, of value2({name}, {}).",
                        words.place()
                    )
                }
                _ => format!(
                    "A stream has no {member}: its width is {name}.extent.x, its height {name}.extent.y."
                ),
            };
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
        // A member's name is no variable.
        let variable = i == 0 || words.text(i - 1) != ".";
        if !variable || words.type_of(&token.text) != Some("int") {
            continue;
        }
        let said = |other: &str| {
            let name = &token.text;
            let declared = words.first(name).map_or(0, |first| first.line);
            let uniform = words.inputs().iter().any(|(input, what)| input == name && *what == "uniform");
            let remedy = match uniform {
                true => format!("uniform float {name}; in line {declared}, or float({name})."),
                false => format!("let {name} be a float too, or float({name})."),
            };
            at(token, format!("{name} is an int, and {other} a float: {remedy}"))
        };
        let sign = i.checked_sub(1).filter(|&sign| signs.contains(&words.text(sign)));
        let before = sign.and_then(|sign| Some((words.operand_before(sign)?, sign)));
        if let Some((from, sign)) = before
            && words.operand(from, sign) == Some(("float", sign))
            && !matches!(words.text(i + 1), "." | "[" | "(")
        {
            return said(&words.between(from, sign));
        }
        if !signs.contains(&words.text(i + 1)) {
            continue;
        }
        if let Some(("float", end)) = words.operand(i + 2, words.tokens.len()) {
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
            let remedy =
                if number.len() > 12 { format!("float {}", name.text) } else { format!("{kind}({number})") };
            return at(name, format!("{} is a {kind}, and gets one number: {remedy}.", name.text));
        }
    }
    for (name, kind) in words.ranges() {
        let set =
            |i: &usize| words.text(*i) == name && words.text(i + 1) == "=" && words.begins_statement(*i);
        // Types may be words that a `#define` stands for.
        let plain = kind != "float" && words.first("#").is_none();
        for i in (0..words.tokens.len()).filter(set).filter(|_| plain) {
            if matches!(words.type_between(i + 2, words.end_of_statement(i)), Some("float" | "int")) {
                let sentence = format!(
                    "{name} is a RANGE of type {kind}, and gets one number: declare RANGE float {name}; or write {kind}(...)."
                );
                return at(&words.tokens[i], sentence);
            }
        }
    }
    None
}

/// Rule 22: what begins a comment.
fn comment_sign(words: &Words) -> Found {
    let directives = [
        "define",
        "undef",
        "if",
        "ifdef",
        "ifndef",
        "else",
        "elif",
        "endif",
        "error",
        "pragma",
        "extension",
        "line",
        "version",
        "include",
    ];
    let sign = |i: &usize| words.text(*i) == "#" && !directives.contains(&words.text(i + 1));
    let included = |i: &usize| words.text(*i) == "include" && words.text(i + 1) == "<";
    if let Some(i) = (0..words.tokens.len()).find(included) {
        return at(
            &words.tokens[i],
            "Nothing is included here: floor, max, sqrt and the like are there already.",
        );
    }
    let i = (0..words.tokens.len()).find(sign)?;
    at(&words.tokens[i], "A comment begins with // here.")
}

/// Rule 23: `//` divides nothing.
fn floor_division(text: &str, compiles: bool) -> Found {
    for (number, line) in text.lines().enumerate() {
        let Some((code, rest)) = line.split_once("//") else { continue };
        let operand =
            code.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | '.'));
        let ends = |text: Option<&str>| text.is_some_and(|text| text.trim_start().starts_with(';'));
        let number_alone = rest.trim().parse::<f32>().is_ok();
        let goes_on =
            !compiles && rest.trim_end().ends_with(';') || number_alone && ends(text.lines().nth(number + 1));
        if operand && goes_on && !code.contains("/*") {
            let sentence = "// begins a comment, so the rest of the line is not read. For whole parts write floor(a / b).";
            return Some((number + 1, code.chars().count() + 1, sentence.to_owned()));
        }
    }
    None
}

/// Rule 24: conditions stand in ( ), and blocks in { }.
fn bare_head(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let directive = i > 0 && words.text(i - 1) == "#";
        let behind = i > 0 && words.tokens[i - 1].line == token.line && words.text(i - 1) != "else";
        let first = i == 0 || !behind || matches!(words.text(i - 1), ";" | "{" | "}" | ")");
        let next = words.text(i + 1);
        match token.text.as_str() {
            "if" | "while" if !directive && first => {
                let colon = match next == "(" {
                    true => words.closing(i + 1).is_some_and(|end| words.text(end + 1) == ":"),
                    false => true,
                };
                if colon {
                    let word = &token.text;
                    return at(
                        token,
                        format!(
                            "A condition needs ( ), and its block needs {{ }}: {word} (a < b) {{ ... }}."
                        ),
                    );
                }
            }
            "for" if next != "(" && words.in_list(i) => {
                return at(
                    token,
                    "There are no lists here: the kernel runs once for each element, and computes that one alone.",
                );
            }
            "for" if next != "(" || words.closing(i + 1).is_some_and(|end| words.text(end + 1) == ":") => {
                return at(token, LOOP);
            }
            "else" if !directive && next == ":" => {
                return at(token, "There is no : after else: else { ... }.");
            }
            _ => {}
        }
    }
    None
}

/// Rule 25: `a if condition else b`.
fn choice_behind(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(1) {
        let before = &words.tokens[i - 1];
        let operand = before.kind == words::Kind::Number
            || before.kind == words::Kind::Name
                && !matches!(before.text.as_str(), "else" | "do")
                && !words::is_type(&before.text)
            || before.text == ")" && words.text(i + 1) != "(" && !words.is_head(before);
        if token.text == "if" && operand && before.line == token.line {
            return at(token, "A choice between two numbers is written condition ? a : b here.");
        }
    }
    None
}

/// Rule 26: a RANGE is declared once, outside.
fn range_in_main(words: &Words) -> Found {
    let inside = |i: &usize| words.text(*i) == "RANGE" && words.depth(*i) > 0;
    let i = (0..words.tokens.len()).find(inside)?;
    let name = words.text(i + 2);
    at(&words.tokens[i], format!("A RANGE is declared above main(). In it, write {name} = ..."))
}

/// An output has its place above main().
fn output_in_main(words: &Words) -> Found {
    let (open, end) = words.main_body()?;
    let declares = |i: &usize| {
        matches!(words.text(*i), "out" | "in")
            && words.begins_statement(*i)
            && words::is_type(words.text(i + 1))
    };
    let i = (open..end).find(declares)?;
    let sentence = match (words.text(i), words.ranges().first()) {
        ("out", Some((name, _))) => format!("The output is the RANGE above main(): write {name} = ..."),
        _ => format!("{} has no place inside main().", words.text(i)),
    };
    at(&words.tokens[i], sentence)
}

/// Rule 27: `==` where `=` is meant.
fn compares_alone(words: &Words) -> Found {
    for i in 0..words.tokens.len() {
        if !words.begins_statement(i) || words.kind_of(i) != words::Kind::Name {
            continue;
        }
        let sign = if words.text(i + 1) == "." { i + 3 } else { i + 1 };
        if words.text(sign) == "==" {
            return at(&words.tokens[sign], "== compares. To assign, write =.");
        }
    }
    None
}

/// Rule 28: main() returns nothing.
fn returned(words: &Words) -> Found {
    let (open, end) = words.main_body()?;
    let i = (open..end).find(|&i| words.text(i) == "return" && !matches!(words.beside(i), "" | ";" | "}"))?;
    // A block that belongs to no condition or loop is that of another function.
    let of_main = |at: usize| at == open || words.text(at - 1) != ")" || words.is_head(&words.tokens[at - 1]);
    if !(open..i)
        .filter(|&at| words.text(at) == "{" && words.closing(at).is_none_or(|end| end > i))
        .all(of_main)
    {
        return None;
    }
    let sentence = match words.ranges().first() {
        Some((name, _)) => format!("main() returns nothing: write the result to {name}, {name} = ..."),
        None => "main() returns nothing.".to_owned(),
    };
    at(&words.tokens[i], sentence)
}

/// `1d0`, `1.5D-3`: the exponents of Fortran.
fn odd_exponent(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().filter(|(_, token)| token.kind == words::Kind::Number) {
        let Some((number, power)) = token.text.split_once(['d', 'D']) else { continue };
        let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        let signed = power.is_empty() && matches!(words.beside(i), "-" | "+") && digits(words.text(i + 2));
        if !number.chars().all(|c| c.is_ascii_digit() || c == '.') || !(digits(power) || signed) {
            continue;
        }
        let power = if signed { words.between(i + 1, i + 3) } else { power.to_owned() };
        let sentence = format!("An exponent is written with an e here: {number}e{power}.");
        return at(token, sentence);
    }
    None
}

/// Rule 29: a number with letters in it, or before a name.
fn odd_number(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.kind != words::Kind::Number {
            continue;
        }
        let digits = token.text.trim_end_matches(|c: char| c.is_alphabetic());
        let letters = &token.text[digits.len()..];
        let point = if digits.contains('.') { "" } else { ".0" };
        let suffix =
            matches!(letters, "" | "u" | "U") || letters.eq_ignore_ascii_case("f") && point.is_empty();
        let hexadecimal = token.text.starts_with("0x") || token.text.starts_with("0X");
        if !suffix && i > 0 && words::is_type(words.text(i - 1)) {
            return at(token, format!("{} is no name: a name begins with a letter.", token.text));
        }
        if !suffix && !hexadecimal && digits.chars().all(|c| c.is_ascii_digit() || c == '.') {
            let remedy = match words.is_known(letters) {
                true => format!("a product is written {digits}{point} * {letters}"),
                false => format!("a float is written {digits}{point}"),
            };
            return at(token, format!("{} is no number: {remedy}.", token.text));
        }
        let next = words.text(i + 1);
        let same_line = !words.beside(i).is_empty();
        if same_line && next.starts_with('_') {
            return at(token, "A number has no _ in it.");
        }
        let word = words.declares(next) || words::is_function(next) || words::fetches(next);
        if same_line && !words.in_directive(i) && (word || next == "(") {
            let next = if next == "(" { "(...)" } else { next };
            let sentence = format!(
                "Between {0} and {next} a sign is missing: a product is {digits}{point} * {next}.",
                token.text
            );
            return at(token, sentence);
        }
    }
    None
}

/// Rule 30: the place of the result is fixed.
fn range_by_index(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let Some((name, kind)) = words.ranges().into_iter().find(|(name, _)| *name == token.text) else {
            continue;
        };
        if words.text(i + 1) != "[" || words.depth(i) == 0 {
            continue;
        }
        let many = match kind {
            "float" => 1,
            kind => kind.trim_start_matches("vec").parse().unwrap_or(4),
        };
        // `result[k]` with a variable is a component.
        let beyond = words.text(i + 2).parse::<usize>().is_ok_and(|index| index >= many);
        if many == 1 || beyond || words.type_between(i + 2, i + 3) == Some("vec2") {
            let sentence = match many {
                1 => format!("{name} is only the element at this place, and has no [ ]: {name} = ..."),
                _ => format!(
                    "{name} is the texel at this place alone: its {many} numbers are {name}.x, {name}.y ..."
                ),
            };
            return at(token, sentence);
        }
    }
    None
}

/// A number has no elements.
fn number_by_index(exercise: Option<&Exercise>, words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let name = &token.text;
        let number = matches!(words.type_of(name), Some("float" | "int" | "bool"));
        let other = i > 0 && (words.text(i - 1) == "." || words::is_type(words.text(i - 1)));
        if !number || other || words.text(i + 1) != "[" || words.depth(i) == 0 || words.in_directive(i) {
            continue;
        }
        let sentence = match exercise {
            Some(exercise) if exercise.points && words.begins_statement(i) => format!(
                "{name} is one number, and nothing to count in: scatter(place) places the point of this number, and that adds 1."
            ),
            _ => format!("{name} is one number, and has no [ ]."),
        };
        return at(token, sentence);
    }
    None
}

/// Rule 31: `[a, b]` is no vector.
fn listed(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(1) {
        let behind = words.kind_of(i - 1) == words::Kind::Name || matches!(words.text(i - 1), ")" | "]");
        // A list that a function of another language takes: what is wrong is the function.
        let given = i > 1
            && words.text(i - 1) == "("
            && words.kind_of(i - 2) == words::Kind::Name
            && !words.is_known(words.text(i - 2));
        let end = words.closing(i).filter(|_| token.text == "[" && !behind && !given);
        // MATLAB's numbers stand side by side.
        let operand = |at: usize| {
            let variable = words.type_of(words.text(at)).is_some_and(|kind| kind != "Stream");
            words.kind_of(at) == words::Kind::Number || variable
        };
        let apart = |at: &usize| {
            let member = *at > 1 && words.text(at - 1) == ".";
            (operand(*at) || member || words.text(*at) == ")")
                && (operand(at + 1) || words::fetches(words.text(at + 1)))
        };
        let many = end.map_or(0, |end| words.arguments(i).len() + (i..end).filter(apart).count());
        if many > 1 {
            let sentence = operands::list_for_arguments(words, i)
                .or_else(|| blocks::list_for_array(words, i))
                .unwrap_or_else(|| format!("[ ] makes no vector: write vec{}(...).", many.min(4)));
            return at(token, sentence);
        }
    }
    None
}

/// Rule 32: `(a, b)` is no pair: C's comma drops what stands before it.
fn paired(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(1) {
        let behind = words.kind_of(i - 1) == words::Kind::Name || matches!(words.text(i - 1), ")" | "]");
        let many = if token.text == "(" && !behind { words.arguments(i).len() } else { 0 };
        if (2..=4).contains(&many) {
            let offset = |call: usize| {
                words.text(call) == "valueOffset"
                    && words.arguments(call + 1).get(2).is_some_and(|(from, _)| *from == i)
            };
            let kind = if (0..i).any(offset) { "ivec" } else { "vec" };
            return at(
                token,
                format!(
                    "({}) is no vector: write {kind}{many}(...).",
                    ["a, b", "a, b, c", "a, b, c, d"][many - 2]
                ),
            );
        }
    }
    None
}

/// Rule 33: a variable is not called.
fn called_variable(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let Some(kind) = words.type_of(&token.text) else { continue };
        let declared = i > 0 && (words::is_type(words.text(i - 1)) || words.text(i - 1) == ".");
        if words.text(i + 1) != "(" || declared || words.depth(i) == 0 || words::is_function(&token.text) {
            continue;
        }
        let name = &token.text;
        let inside = words.closing(i + 1).map_or(String::new(), |end| words.between(i + 2, end));
        return at(
            token,
            match kind {
                "Stream" => format!(
                    "{name} is a stream, and no function: value2({name}, {}) or value({name}, index) reads it.",
                    words.place()
                ),
                words::ARRAY => format!("{name} is an array, and its index stands in [ ]: {name}[{inside}]."),
                _ if words.ranges().iter().any(|(range, _)| range == name) => {
                    format!("{name} is only the element at this place, and has no index: {name} = ...")
                }
                // As an index looks, and a factor may.
                _ if words.kind_of(i + 2) == words::Kind::Number && !inside.contains('.') => {
                    format!("{name} is a {kind}, and neither a function nor an array.")
                }
                _ => format!("{name} is a {kind}, and no function: a product is {name} * (...)."),
            },
        );
    }
    None
}

/// Rule 34: what is read is not written.
fn stream_written(words: &Words) -> Found {
    let streams = words.streams();
    for (i, token) in words.tokens.iter().enumerate() {
        let assigns = matches!(words.text(i + 1), "=" | "+=" | "-=" | "*=" | "/=");
        if assigns && streams.contains(&token.text) && words.begins_statement(i) {
            let name = &token.text;
            let goes =
                words.ranges().first().map_or(String::new(), |(range, _)| format!(": write to {range}"));
            return at(token, format!("{name} is a stream, which is only read{goes}."));
        }
    }
    None
}

/// Rule 35: `extent` has four numbers.
fn member_of_extent(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(2) {
        if token.text != "extent" || words.text(i - 1) != "." {
            continue;
        }
        let stream = words.text(i - 2);
        let (next, member) = (words.text(i + 1), words.text(i + 2));
        let odd = next == "(" || next == "." && !member.chars().all(|c| "xyzwrgbast".contains(c));
        let before = i.checked_sub(3).map_or("", |i| words.text(i));
        let counts = |sign: &str| matches!(sign, "+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "==");
        let whole = counts(before) || counts(next) || before == "=" && next == ";";
        if odd || next != "." && whole {
            let sentence = format!(
                "{stream}.extent has four numbers: the width is {stream}.extent.x, the height {stream}.extent.y."
            );
            return at(&words.tokens[i - 2], sentence);
        }
    }
    None
}

/// Comparisons and what joins them.
fn is_condition(sign: &str) -> bool {
    matches!(sign, "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||")
}

/// The first word of a condition between two places, outside the arguments of calls; `None` where a `?` chooses.
fn condition_in(words: &Words, from: usize, to: usize) -> Option<usize> {
    let (mut i, mut found) = (from, None);
    while i < to {
        let called = i > from && words.kind_of(i - 1) == words::Kind::Name;
        match words.text(i) {
            "?" => return None,
            "(" | "[" if called => i = words.closing(i)?,
            sign if is_condition(sign) => found = found.or(Some(i)),
            _ => {}
        }
        i += 1;
    }
    found
}

/// Rule 36: a condition is no number.
fn condition_as_number(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if matches!(token.text.as_str(), "=" | "+=" | "-=" | "*=" | "/=") && words.depth(i) > 0 {
            let Some(from) = words.operand_before(i) else { continue };
            let Some((kind, _)) = words.operand(from, i) else { continue };
            let name = words.between(from, i);
            let end = words.end_of_statement(i);
            if kind != "float" {
                continue;
            }
            if matches!(words.text(i + 1), "true" | "false") && i + 2 == end {
                let number = if words.text(i + 1) == "true" { "1.0" } else { "0.0" };
                let sentence = format!("{} is no number, and {name} takes one: {number}.", words.text(i + 1));
                return at(&words.tokens[i + 1], sentence);
            }
            let truth =
                (words.type_of(words.text(i + 1)) == Some("bool") && i + 2 == end).then(|| words.text(i + 1));
            if let Some(truth) = truth {
                let sentence =
                    format!("{truth} is true or false, and {name} takes a number: float({truth}).");
                return at(&words.tokens[i + 1], sentence);
            }
            if condition_in(words, i + 1, end).is_some() {
                let sentence = format!(
                    "A condition is true or false, and {name} takes a number: float(a > b), or a > b ? 1.0 : 0.0."
                );
                return at(&words.tokens[i + 1], sentence);
            }
        }
        let counts = |sign: &str| matches!(sign, "+" | "-" | "*" | "/");
        let before = i.checked_sub(1).map_or("", |i| words.text(i));
        if token.text == "(" && i > 0 && words.kind_of(i - 1) != words::Kind::Name {
            let Some(end) = words.closing(i) else { continue };
            if (counts(before) || counts(words.text(end + 1))) && condition_in(words, i + 1, end).is_some() {
                return at(token, "A condition is true or false; to count with it, write float(a > b).");
            }
        }
        if words.type_of(&token.text) == Some("bool") && (counts(before) || counts(words.text(i + 1))) {
            let name = &token.text;
            return at(
                token,
                format!("{name} is true or false, and no number: float({name}), or {name} ? a : b."),
            );
        }
    }
    None
}

/// Rule 37: a number is no condition.
fn number_as_condition(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if matches!(token.text.as_str(), "||" | "&&")
            && let Some(sentence) = number_joined(words, i)
        {
            return sentence;
        }
        if matches!(token.text.as_str(), "if" | "while") && words.text(i + 1) == "(" {
            let Some(end) = words.closing(i + 1) else { continue };
            if matches!(words.type_between(i + 2, end), Some("float" | "int" | "vec4")) {
                let inside = words.between(i + 2, end);
                let example = match words.kind_of(i + 2) {
                    words::Kind::Number if inside.parse() == Ok(0.0) => "false".to_owned(),
                    words::Kind::Number => "true".to_owned(),
                    _ => format!("{inside} != 0.0"),
                };
                let sentence =
                    format!("{inside} is a number, and {} needs a condition, such as {example}.", token.text);
                return at(&words.tokens[i + 2], sentence);
            }
        }
        let chosen = words.operand_before(i).filter(|_| token.text == "?");
        let begins = chosen.filter(|&from| from > 0 && matches!(words.text(from - 1), "=" | "(" | ","));
        if let Some(from) = begins
            && words.operand(from, i) == Some(("float", i))
        {
            let name = words.between(from, i);
            let name = name.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(&name);
            return at(
                &words.tokens[from],
                format!("{name} is a number, and ? needs a condition, such as {name} != 0.0."),
            );
        }
    }
    None
}

/// A number as one side of `&&` or `||` at `i`.
fn number_joined(words: &Words, i: usize) -> Option<Found> {
    let sign = words.text(i);
    let ends = |text: &str| matches!(text, ")" | ";" | "," | "||" | "&&" | "?");
    let begins = |text: &str| matches!(text, "(" | "=" | "," | "||" | "&&" | "?" | "return");
    let number = |kind: &str| matches!(kind, "float" | "int");
    let left = words.operand_before(i).and_then(|from| Some((from, words.operand(from, i)?)));
    let left = left
        .filter(|(from, (kind, end))| *end == i && number(kind) && *from > 0 && begins(words.text(from - 1)));
    let right = words.operand(i + 1, words.tokens.len());
    let right = right.filter(|(kind, end)| number(kind) && ends(words.text(*end)));
    let (from, to) = match (left, right) {
        (Some((from, _)), _) => (from, i),
        (_, Some((_, end))) => (i + 1, end),
        _ => return None,
    };
    let text = words.between(from, to);
    let remedy = match words.kind_of(from) {
        words::Kind::Number => format!("write both sides of {sign} out, as in n == 2.0 {sign} n == 3.0"),
        _ => format!("{sign} joins two, as {text} != 0.0 is one"),
    };
    Some(at(&words.tokens[from], format!("{text} alone is no condition: {remedy}.")))
}

/// Rule 38: `a < b < c`.
fn chained(words: &Words) -> Found {
    let compares = |sign: &str| matches!(sign, "<" | ">" | "<=" | ">=");
    for i in 1..words.tokens.len() {
        if !compares(words.text(i)) {
            continue;
        }
        let mut next = i + 1;
        while next < words.tokens.len() {
            match words.text(next) {
                "(" | "[" => match words.closing(next) {
                    Some(end) => next = end,
                    None => break,
                },
                "&&" | "||" | "&" | "|" | "^" | "?" | ":" | ";" | "," | ")" | "]" | "{" | "}" | "="
                | "==" | "!=" => break,
                sign if compares(sign) && next > i + 1 => {
                    let first = words.operand_before(i)?;
                    let second = words.operand(next + 1, words.tokens.len())?;
                    let middle = words.between(i + 1, next);
                    let sentence = format!(
                        "Two comparisons are joined by &&: {} {} {middle} && {middle} {sign} {}.",
                        words.between(first, i),
                        words.text(i),
                        words.between(next + 1, second.1)
                    );
                    return at(&words.tokens[next], sentence);
                }
                _ => {}
            }
            next += 1;
        }
    }
    None
}

/// Rule 39: several numbers into one.
fn several_into_one(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.text != "=" || words.depth(i) == 0 {
            continue;
        }
        let name = words.text(i.wrapping_sub(1));
        let member = i >= 2 && words.text(i - 2) == ".";
        if member || words.type_of(name) != Some("float") {
            continue;
        }
        let end = words.end_of_statement(i);
        let Some(kind @ ("vec2" | "vec3" | "vec4")) = words.type_between(i + 1, end) else { continue };
        if let Some(fetch) = bare_fetch(words, i + 1, end) {
            let sentence =
                format!("{} gives four numbers, and {name} takes one: write .x after it.", fetch.text);
            return at(fetch, sentence);
        }
        return at(
            &words.tokens[i + 1],
            format!("This is a {kind}, and {name} takes one number: one of its members, as .x."),
        );
    }
    None
}

/// Rule 40: `^` is no power.
fn power(words: &Words) -> Found {
    let token = words.tokens.iter().find(|token| token.text == "^")?;
    at(token, "^ is no power here: pow(x, y), or x * x for a square.")
}

/// Rule 41: one number has no members.
fn member_of_number(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let member = i > 0 && words.text(i - 1) == ".";
        if words.type_of(&token.text) == Some("float")
            && words.text(i + 1) == "."
            && !member
            && words.depth(i) > 0
        {
            let (name, member) = (&token.text, words.text(i + 2));
            let called = words.text(i + 3) == "(" && words::is_function(member);
            let remedy = if called { format!("{member}({name})") } else { name.clone() };
            return at(token, format!("{name} is one number, and has no .{member}: write {remedy}."));
        }
    }
    None
}

/// A number has no functions behind a point.
fn method(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(2) {
        let called = words.text(i - 1) == "." && words.text(i + 1) == "(" && words.depth(i) > 0;
        if !called || token.kind != words::Kind::Name || token.text == "length" {
            continue;
        }
        let name = &token.text;
        let sentence = match words::is_function(name) {
            true => format!("A number has no functions after a point: write {name}(...)."),
            false => format!("A number has no functions after a point, and no {name}."),
        };
        return at(token, sentence);
    }
    None
}

/// The members of a vector are letters.
fn member_of_vector(words: &Words) -> Found {
    if words.has_other_types() {
        return None;
    }
    for i in 1..words.tokens.len() {
        let (before, member) = (words.text(i - 1), words.text(i + 1));
        let vector = before == ")" || matches!(words.type_of(before), Some("vec2" | "vec3" | "vec4"));
        // A word in capitals may be a defined one.
        let letters = ["xyzw", "rgba", "stpq"].iter().any(|set| member.chars().all(|c| set.contains(c)))
            || member.chars().all(|c| c.is_uppercase());
        if words.text(i) == "." && vector && words.kind_of(i + 1) == words::Kind::Name && !letters {
            let members = match words.type_of(before) {
                Some("vec2") => ".x and .y",
                Some("vec3") => ".x, .y and .z",
                _ => ".x, .y, .z and .w",
            };
            let sentence = format!("There is no .{member}: the numbers of a vector are {members}.");
            return at(&words.tokens[i + 1], sentence);
        }
        let beyond = match words.type_of(before) {
            Some("vec2") => (['z', 'w'], ".x and .y"),
            Some("vec3") => (['w', 'w'], ".x, .y and .z"),
            _ => continue,
        };
        let of_member = i > 1 && words.text(i - 2) == ".";
        if words.text(i) == "." && !of_member && member.contains(beyond.0) && words.depth(i) > 0 {
            let sentence = format!("{before} has {}, and no .{member}.", beyond.1);
            return at(&words.tokens[i + 1], sentence);
        }
    }
    None
}

/// Rule 42: `const` is for what is known beforehand.
fn constant(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.text != "const" || words.depth(i) == 0 {
            continue;
        }
        let inputs = words.inputs();
        let computed = |i: usize| {
            words.text(i).starts_with("value") || inputs.iter().any(|(name, _)| *name == words.text(i))
        };
        if (i..words.end_of_statement(i)).any(computed) {
            return at(token, "const is for numbers that are known before a kernel runs: leave it out.");
        }
    }
    None
}

/// Rule 43: a name inside main() that is taken outside.
fn taken(words: &Words) -> Found {
    let of_type = |i: usize| words::is_type(words.text(i)) && words.kind_of(i + 1) == words::Kind::Name;
    let (open, end) = words.main_body()?;
    for i in (open..end).filter(|&i| of_type(i)) {
        let (kind, token) = (words.text(i), &words.tokens[i + 1]);
        let name = &token.text;
        if words.ranges().iter().any(|(range, _)| range == name) {
            let sentence = format!(
                "{kind} {name} makes another {name}, which main() forgets at its end: leave out {kind}, {name} = ..."
            );
            return at(&words.tokens[i], sentence);
        }
        let Some((_, what)) = words.inputs().into_iter().find(|(input, _)| input == name) else { continue };
        let line = words.first(name).map_or(0, |first| first.line);
        let streams =
            (0..open).filter(|&i| words.text(i) == "Stream").map(|i| words.end_of_statement(i).min(open));
        let is_stream = (0..open)
            .filter(|&i| words.text(i) == "Stream")
            .zip(streams)
            .any(|(from, to)| (from..to).any(|i| words.text(i) == name));
        let sentence = match (is_stream, what) {
            (true, _) => {
                format!(
                    "{name} is the stream of line {line}, and behind this line it is this number: give the number another name."
                )
            }
            (_, "DOMAIN") => {
                format!("{name} is taken: it is the DOMAIN of line {line}. Choose another name.")
            }
            _ => format!(
                "{name} is given from outside, in line {line}. This line makes another {name}: take it out."
            ),
        };
        return at(token, sentence);
    }
    None
}

/// Rule 44: a sum has a start value.
fn no_start(words: &Words) -> Found {
    if words.has_other_types() {
        return None;
    }
    for i in 1..words.tokens.len() {
        let kind = words.text(i - 1);
        if !matches!(kind, "float" | "vec2" | "vec3" | "vec4")
            || words.text(i + 1) != ";"
            || words.depth(i) == 0
        {
            continue;
        }
        let name = words.text(i);
        let Some(used) = (i + 1..words.tokens.len()).find(|&at| words.text(at) == name) else { continue };
        let branches = (i..used).any(|at| matches!(words.text(at), "if" | "else" | "?" | "while" | "switch"));
        if matches!(words.text(used + 1), "+=" | "-=" | "*=" | "/=") && !branches {
            let zero = if kind == "float" { "0.0".to_owned() } else { format!("{kind}(0.0)") };
            let sentence = format!("{name} has no number to begin with: {kind} {name} = {zero};");
            return at(&words.tokens[i], sentence);
        }
    }
    None
}

/// Rule 45: each path scatters once. It knows two texts alone: one call below an `if` without `else`, and a
/// `scatter_nowhere()` below such an `if` before a `scatter()` on all paths.
fn scattered(words: &Words) -> Found {
    let other_ways = ["return", "for", "while", "do", "switch", "discard", "gl_Position"];
    if other_ways.iter().any(|word| words.first(word).is_some()) {
        return None;
    }
    let (open, end) = words.main_body()?;
    let called =
        |i: &usize| matches!(words.text(*i), "scatter" | "scatter_nowhere") && words.text(i + 1) == "(";
    let calls: Vec<usize> = (0..words.tokens.len()).filter(called).collect();
    if calls.iter().any(|call| !(open..end).contains(call)) {
        return None;
    }
    match calls[..] {
        [only] if below_lone_if(words, only) => at(
            &words.tokens[only],
            "Where this condition does not hold, nothing is scattered: else scatter_nowhere();",
        ),
        [first, last]
            if words.text(first) == "scatter_nowhere"
                && below_lone_if(words, first)
                && words.depth(last) == 1
                && words.begins_statement(last) =>
        {
            at(
                &words.tokens[first],
                "The last call counts: scatter() below undoes this one. Call scatter_nowhere() after it.",
            )
        }
        _ => None,
    }
}

/// Returns true if a call stands directly below an `if` of main() that has no `else`.
fn below_lone_if(words: &Words, call: usize) -> bool {
    let block = (0..call)
        .rev()
        .find(|&open| words.text(open) == "{" && words.closing(open).is_some_and(|end| end > call));
    let (before, last) = match block {
        // The block is that of main(), or of the `if`.
        Some(open) if words.depth(call) == 2 && words.begins_statement(call) => (open, words.closing(open)),
        Some(_) if words.depth(call) == 1 => (call, Some(words.end_of_statement(call))),
        _ => return false,
    };
    let closed = before.checked_sub(1).filter(|&closed| words.text(closed) == ")");
    let head = closed.and_then(|closed| (0..closed).rev().find(|&open| words.closing(open) == Some(closed)));
    let begins = head.and_then(|head| head.checked_sub(1));
    begins.is_some_and(|begins| words.text(begins) == "if" && words.begins_statement(begins))
        && last.is_some_and(|last| words.text(last + 1) != "else")
}

#[cfg(test)]
mod tests {
    use quadrille::kernels;

    use super::{
        Found, blocks, fetch_written, foreign, half_twice, head, member_of_vector, method,
        number_as_condition, number_by_index, odd_exponent, one_number_into_several, operands,
        other_language, output_in_main, refused_elsewhere, unclosed, unknown, unknown_type, why_lost,
    };
    use crate::told::built_in;
    use crate::words::Words;

    /// They run on both dialects, so that whatever is said of one of them is false.
    #[test]
    fn no_kernel_of_the_library_is_refused() {
        let whole = |name: &str| name.ends_with(".frag") || name.ends_with(".vert");
        let found: Vec<_> = kernels::ALL.iter().filter(|(name, _)| whole(name)).collect();
        assert!(found.len() > 100, "{} kernels", found.len());
        for (name, text) in found {
            let said = refused_elsewhere(text).map(|fault| (fault.line, fault.sentence));
            assert_eq!(said, None, "{name}");
        }
    }

    type Rule = fn(&Words) -> Found;

    /// Rules that ask what is declared: a kernel of the library has names of its variants and of what it includes.
    const OF_NAMES: [(&str, Rule); 3] =
        [("type", unknown_type), ("name", |words| unknown(None, None, words)), ("lost", why_lost)];

    const RULES: [(&str, Rule); 38] = [
        ("sign", foreign::sign),
        ("statement", foreign::statement),
        ("foreign declaration", foreign::declaration),
        ("exponent", odd_exponent),
        ("other language", other_language),
        ("reserved", head::reserved),
        ("declaration", head::declaration),
        ("word for name", head::word_for_name),
        ("brackets", unclosed),
        ("main", blocks::main_without_brace),
        ("parts of loop", blocks::parts_of_loop),
        ("else", blocks::else_alone),
        ("function", blocks::function_inside),
        ("name of loop", blocks::name_of_loop),
        ("made twice", blocks::made_twice),
        ("braces", blocks::list_of_braces),
        ("float in brackets", blocks::float_in_brackets),
        ("switch", blocks::switched),
        ("truth", operands::truth_and_number),
        ("number into truth", operands::number_into_truth),
        ("shifted", operands::shifted),
        ("number by index", |words| number_by_index(None, words)),
        ("method", method),
        ("output", output_in_main),
        ("condition", number_as_condition),
        ("bits", operands::bits_of_conditions),
        ("side by side", operands::side_by_side),
        ("count", operands::count),
        ("own function", operands::own_function),
        ("vectors", operands::vectors_compared),
        ("one into several", one_number_into_several),
        ("members", member_of_vector),
        ("comma", operands::decimal_comma),
        ("several names", operands::several_names),
        ("choice", operands::half_a_choice),
        ("if", blocks::empty_if),
        ("defined", head::defined_with_end),
        ("fetch", fetch_written),
    ];

    fn said_by(rules: &[(&str, Rule)], text: &str) -> Vec<String> {
        let words = Words::of(text);
        let said = rules.iter().filter_map(|(rule, ask)| Some(format!("{rule}: {:?}", ask(&words)?)));
        said.collect()
    }

    /// A kernel that compiles has no fault of these rules, whatever else the driver refuses in it.
    #[test]
    fn rules_are_silent_about_kernels_that_compile() -> anyhow::Result<()> {
        let solutions = built_in()?.into_iter().map(|exercise| (exercise.name, exercise.solution));
        let whole = |name: &str| name.ends_with(".frag") || name.ends_with(".vert");
        let library = kernels::ALL.iter().filter(|(name, _)| whole(name));
        let library = library.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let mut found = Vec::new();
        for (name, text) in library.chain(solutions) {
            found.extend(said_by(&RULES, &text).iter().map(|said| format!("{name}: {said}")));
        }
        assert_eq!(found, [""; 0]);
        // A text that ends within a part of a vector ends no rule.
        said_by(&RULES, "DOMAIN here;\n1.0 < here.");
        Ok(())
    }

    /// Words, signs and blocks that look like a mistake, and are none.
    #[test]
    fn rules_are_silent_about_what_is_right() {
        let head = "uniform Stream x;\nuniform lowp sampler2D s;\nDOMAIN here;\nRANGE float result;\n";
        for right in [
            "bool a = v > 1.0, b = v < 2.0; if (a &&\n !b) v = 1.0; if (!a) v = 2.0;",
            "float c = 1.0, end = 2.0, write = 3.0;\n c += v;\n end *= c;\n write = c;",
            "int i = int(here.x); bool odd = (i & 1) == 1; int low = i & 3 | 4;",
            "if (v > 1.0) if (v > 2.0) v = 2.0; else v = 1.0; else v = 3.0;",
            "if (v > 1.0) for (int i = 0; i < 3; i++) v += 1.0; else { do v += 1.0; while (v < 3.0); }",
            "if (v > 1.0) { v = 1.0; } else if (v > 2.0) v = 2.0; else { v = 3.0; }",
            "if (v > 1.0) do { v -= 1.0; } while (v > 1.0); else v = 1.0;",
            "while (true) { v += 1.0; if (v > 3.0) break; } for (;;) { return; }",
            "switch (int(v)) { case 0: v = 1.0; break; default: v = 2.0; }",
            "for (float k = 0.0; k < 2.0; k += 1.0) switch (int(k)) { case 0: v += k; break; default: v -= k; }",
            "for (float k = 0.0; k < 2.0; k += 1.0) do { v += k; } while (v < k);",
            "int i, j; for (int j = 0; j < 3; j++) i += j; j = 2;",
            "float a, b = 1.0, c; a = b; c = a; if (c > 0.5); else v = a > b ? a : b > c ? b : c;",
            "for (float a = 0.0, b = 1.0; a < 2.0; a += 1.0, b *= 2.0) v += max(b, (a > b ? 1.0 : 0.5));",
            "float[2] w = float[2](1.0, 2.0); float u[2]; u[0] = w[1]; int many = w.length();",
            "mat2x3 m = mat2x3(1.0); vec3 column = m[0]; float t = texture(s, here).x;",
            "int n = 7, k = n / 2; float q = float(n / 2), e = 1.5e-3 + 2.0f, g = 1e5;",
            "bool near = v > 1.0, far = !near, both = near && far || v < 2.0;",
            "\n#define TWICE(a) a * a\n#ifdef MANY\nv = TWICE(v);\n#endif\n",
            "{ v = 1.0;\n} if (v > 1.0) {\nv = 2.0;\n}",
        ] {
            let text = format!(
                "{head}float twice(int);\nvoid main() {{\nfloat v = value2(x, here).x;\n{right}\nresult = v;\n}}\n"
            );
            assert_eq!(said_by(&RULES, &text), [""; 0], "{right}");
            assert_eq!(said_by(&OF_NAMES, &text), [""; 0], "{right}");
        }
    }

    #[test]
    fn a_place_is_no_index() {
        let head = "uniform Stream x;\nDOMAIN here;\nRANGE float result;\nvoid main() {\n";
        let said = |body: &str| half_twice(&format!("{head}{body}\n}}\n")).map(|found| found.sentence);
        let sentence = "here.x is half a texel past the index, and value adds a half itself: value2(x, here), or value(x, floor(here.x)).";
        assert_eq!(said("result = 2.0 * value(x, here.x).x;").as_deref(), Some(sentence));
        for right in [
            "value(x, floor(here.x))",
            "value(x, here.x - 0.5)",
            "value2(x, here)",
            "valueOffset(x, here, ivec2(1, 0))",
        ] {
            assert_eq!(said(&format!("result = {right}.x;")), None, "{right}");
        }
    }

    fn said(text: &str) -> Option<String> {
        refused_elsewhere(text).map(|fault| fault.sentence)
    }

    #[test]
    fn points_that_each_path_places_are_not_refused() {
        let main = |body: &str| {
            said(&format!(
                "uniform Stream x;\nvoid main() {{ float v = value(x, float(gl_VertexID)).x; vec2 p = vec2(v, 0.5); {body} }}"
            ))
        };
        for right in [
            "scatter(p);",
            "if (v < 0.0) scatter_nowhere(); if (v >= 0.0) scatter(p);",
            "if (v < 0.0) { scatter_nowhere(); } if (v >= 0.0) { scatter(p); }",
            "switch (int(v)) { case 0: scatter(p); break; default: scatter_nowhere(); }",
            "{ scatter(p); }",
            "{ scatter_nowhere(); } scatter(p);",
            "scatter_nowhere(); if (v > 0.0) scatter(p);",
            "if (v > 0.0) scatter(p); else scatter_nowhere();",
            "if (v > 0.0) { scatter(p); } else { scatter_nowhere(); }",
            "if (v > 0.0) { if (v < 1.0) scatter(p); else scatter_nowhere(); } else scatter_nowhere();",
            "if (v < 0.0) { scatter_nowhere(); return; } scatter(p);",
            "gl_Position = vec4(2.0); if (v > 0.0) scatter(p);",
            "if (v < 0.0) p = vec2(-9.0); scatter(p);",
            // The remedy is not another else.
            "if (v > 0.0) scatter(p); else p += 1.0;",
        ] {
            assert_eq!(main(right), None, "{right}");
        }
        for wrong in ["if (v > 0.0) scatter(p);", "if (v > 0.0) { p += 1.0; scatter(p); }"] {
            assert!(main(wrong).is_some_and(|line| line.contains("nothing is scattered")), "{wrong}");
        }
        for wrong in
            ["if (v > 1.0) scatter_nowhere(); scatter(p);", "if (v > 1.0) { scatter_nowhere(); } scatter(p);"]
        {
            assert!(main(wrong).is_some_and(|line| line.contains("The last call counts")), "{wrong}");
        }
    }

    #[test]
    fn whole_numbers_and_names_of_the_kernel_are_what_it_declares() {
        let main = |body: &str| {
            let head = "uniform Stream x;\nDOMAIN here;\nRANGE float result;\n";
            said(&format!(
                "{head}float turned(float a) {{ return a; }}\nint turned(int a) {{ return a + 1; }}\nvoid main() {{ {body} }}"
            ))
        };
        for right in [
            "ivec2 c = ivec2(here); result = float(c.x + 1);",
            "int y = 1; result = 0.5 * value2(x, here + vec2(y, 0)).y + 2.0 * here.y;",
            "for (int w = 0; w < 2; w++) { result = 0.0; } result = value2(x, here).w / 4.0;",
            "int half_of = 1 / 2; result = 2.0 + float(half_of);",
            "ivec3 c = ivec3(1); result = float(2 * c.z);",
            "uvec2 c = uvec2(here); uint i = c.x + 1u; result = float(i);",
            "int i = ivec2(here).y + 1; result = float(i);",
            "int i = floatBitsToInt(here.x) + 1; result = float(i);",
            "int i = turned(2) + 1; result = float(i);",
            "float sum = 0.0; for (int i = 0; i < 3; i++) sum += 1.0; for (float i = 0.0; i < 3.0; i += 1.0) sum += i; result = sum;",
            "float value = value2(x, here).x; result = value * 2.0;",
            "float scatter = 1.0; result = scatter + value2(x, here).x;",
            "float fold = value2(x, here).x, value2 = fold; result = value2;",
            "result = float(7 / 2) + vec2(2, 3).x + float(max(1, 2));",
            "float s = 0.0; for (float i = 0.0; i < 3.0; s += i, i += 1.0); result = s;",
            "float s = 0.0; for (float i = 0.0; i < 3.0; i += 1.0, s += i); result = s;",
            "int i = here.x > 1.0 ? 1 : 2; result = float(i < 2 ? 0 : 4 * i);",
            "result = here.x > 1.0 ? turned(1.0) : float(turned(1));",
            "int i = 2, j = 0; j += i; j *= 3; result = float(j); result += float(i / 2);",
            "int n = 2; result = value2(x, here).x / float(n); vec2 a = here; result += a[n - 1];",
            "bool b = here.x > 1.0; int n = 1; b = n == 1; b = bool(n); result = b ? 1.0 : 0.0;",
            "float s = 0.0, t; for (float i = 0.0; i < 3.0; s += i, i += 1.0) s += abs(float(abs(-1))); result = s;",
        ] {
            assert_eq!(main(right), None, "{right}");
        }
        for (wrong, words) in [
            ("result = here.x + 1;", "1 is an int"),
            ("vec2 c = here; result = c.x + 1;", "1 is an int"),
            ("result = floor(here.x) + 1;", "1 is an int"),
            ("int i = 1; result = i * here.x;", "i is an int"),
            ("int i = 1; result = max(here.x, i);", "i is an int"),
            (
                "float s = 0.0; for (int i = 0; i < 3; i++) s += i; result = s;",
                "i is an int, and s takes a float: float(i).",
            ),
            ("int n = 4; result = value2(x, here).x / n;", "n is an int, and value2(x,here).x a float"),
            ("int n = 4; result = (here.x + here.y) / n;", "n is an int, and (here.x+here.y) a float"),
            ("int i = 1; result = mod(2.0, i + 1);", "i+1 is an int, and mod takes a float: float(i+1)."),
            ("result = mix(0, here.x, 0.5);", "0 is an int"),
            ("result = here.x > 1.0 ? 1 : 2;", "1 is an int"),
            ("result = (here.x > 1.0 ? here.y : 2);", "2 is an int"),
            ("result = here.x * (3 / 4);", "3/4 of two whole numbers is 0"),
            ("result = 0,5 * here.x;", "A fraction has a point: 0.5"),
        ] {
            assert!(main(wrong).is_some_and(|line| line.contains(words)), "{wrong}");
        }
    }
}
