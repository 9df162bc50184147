//! Rules about what stands on both sides of a sign, and in the brackets of a function.

use super::{Found, at};
use crate::words::{self, Kind, Words};

/// Numbers that functions of the language take; those that are not listed take one.
fn taken_by(name: &str) -> (usize, usize, &'static str) {
    match name {
        "min" | "max" | "mod" | "pow" | "step" | "distance" | "dot" | "cross" | "reflect" => (2, 2, "a, b"),
        "clamp" => (3, 3, "v, low, high"),
        "mix" => (3, 3, "a, b, part"),
        "smoothstep" => (3, 3, "low, high, v"),
        "atan" => (1, 2, "y, x"),
        "lessThan" | "greaterThan" | "lessThanEqual" | "greaterThanEqual" | "equal" | "notEqual"
        | "outerProduct" => (2, 2, "a, b"),
        _ => (1, 1, "v"),
    }
}

fn is_float(kind: &str) -> bool {
    matches!(kind, "float" | "vec2" | "vec3" | "vec4")
}

/// Functions of the language that the kernel does not declare itself: the place of the name and its arguments.
fn calls(words: &Words) -> impl Iterator<Item = (usize, Vec<(usize, usize)>)> + '_ {
    let called = |i: &usize| {
        words::is_function(words.text(*i))
            && words.text(i + 1) == "("
            && !words.declares(words.text(*i))
            && (*i == 0 || words.text(i - 1) != ".")
    };
    (0..words.tokens.len()).filter(called).map(|i| (i, words.arguments(i + 1)))
}

/// As many numbers as a function takes.
pub fn count(words: &Words) -> Found {
    for (i, given) in calls(words) {
        let name = words.text(i);
        let (least, most, usage) = taken_by(name);
        if !(least..=most).contains(&given.len()) && words.closing(i + 1).is_some() {
            let number = |many: usize| format!("{many} argument{}", if many == 1 { "" } else { "s" });
            let sentence =
                format!("{name} takes {}, and has {} here: {name}({usage}).", number(most), given.len());
            return at(&words.tokens[i], sentence);
        }
    }
    None
}

/// A whole number beside floats in the brackets of a function.
pub fn int_argument(words: &Words) -> Found {
    for (i, given) in calls(words) {
        let kinds: Vec<Option<&str>> =
            given.iter().map(|(from, to)| words.type_between(*from, *to)).collect();
        // These have a twin for whole numbers alone.
        let twin = matches!(words.text(i), "abs" | "sign" | "min" | "max" | "clamp")
            || words.text(i).ends_with("qual")
            || words.text(i).ends_with("Than");
        if twin && !kinds.iter().flatten().any(|kind| is_float(kind)) {
            continue;
        }
        for ((from, to), kind) in given.iter().zip(&kinds) {
            if *kind != Some("int") {
                continue;
            }
            let number = (*from..*to).find(|&at| words.kind_of(at) == Kind::Number);
            let alone = number.filter(|number| {
                number + 1 == *to && (number == from || matches!(words.text(*from), "-" | "+"))
            });
            return match alone {
                Some(number) => whole_number(words, number),
                None => {
                    let inside = words.between(*from, *to);
                    let sentence =
                        format!("{inside} is an int, and {} takes a float: float({inside}).", words.text(i));
                    at(&words.tokens[*from], sentence)
                }
            };
        }
    }
    None
}

/// The sentence about a number without a point.
pub fn whole_number(words: &Words, i: usize) -> Found {
    let number = words.text(i);
    at(&words.tokens[i], format!("{number} is an int. Write {number}.0: OpenGL ES and WebGL do not convert."))
}

/// A whole number as one side of a choice whose other side, or whose result, is a float.
pub fn int_chosen(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let whole = token.kind == Kind::Number && token.text.chars().all(|c| c.is_ascii_digit());
        if !whole {
            continue;
        }
        let begins = if i > 0 && matches!(words.text(i - 1), "-" | "+") { i - 1 } else { i };
        let (before, after) = (begins.checked_sub(1).map_or("", |at| words.text(at)), words.text(i + 1));
        let other = match (before, after) {
            ("?", ":") => words.operand(i + 2, words.tokens.len()).map(|(kind, _)| kind),
            (":", ";" | ")" | ",") if begins > 1 => words
                .operand_before(begins - 1)
                .and_then(|from| words.operand(from, begins - 1))
                .map(|(kind, _)| kind),
            _ => continue,
        };
        if other.is_some_and(is_float) || goes_to_float(words, begins) {
            return whole_number(words, i);
        }
    }
    None
}

/// Returns true if word `i` is in a choice that is all that a float is set to.
fn goes_to_float(words: &Words, i: usize) -> bool {
    let mut at = i;
    while at > 0 {
        at -= 1;
        match words.text(at) {
            ";" | "{" | "}" | "(" | "[" | "case" | "," => return false,
            ")" | "]" => match words.opening(at) {
                Some(open) => at = open,
                None => return false,
            },
            "=" => {
                let chooses = (at..i).any(|at| words.text(at) == "?");
                let target = words.operand_before(at).and_then(|from| words.operand(from, at));
                return chooses && target.is_some_and(|(kind, _)| is_float(kind));
            }
            _ => {}
        }
    }
    false
}

/// A quotient of two whole numbers, which loses its fraction.
pub fn whole_quotient(words: &Words) -> Found {
    for i in 1..words.tokens.len() {
        let number =
            |i: usize| words.text(i).parse::<u32>().ok().filter(|_| words.kind_of(i) == Kind::Number);
        let Some(a) = number(i - 1).filter(|a| *a > 0 && words.text(i) == "/") else { continue };
        let before = i.checked_sub(2).map_or("", |i| words.text(i));
        let of_int = before == "=" && i > 3 && words.text(i - 4) == "int";
        if of_int || words.in_directive(i) || matches!(before, "*" | "/" | "%") {
            continue;
        }
        let name = words.text(i + 1);
        let sentence = match number(i + 1) {
            Some(b) if a < b => {
                format!("{a}/{b} of two whole numbers is 0: their quotient is whole. Write {a}.0 / {b}.0.")
            }
            None if a == 1
                && words.type_of(name) == Some("int")
                && !matches!(words.text(i + 2), "." | "[") =>
            {
                format!(
                    "1/{name} of two whole numbers is whole, 0 if {name} is above 1. Write 1.0 / float({name})."
                )
            }
            _ => continue,
        };
        return at(&words.tokens[i - 1], sentence);
    }
    None
}

/// A float that is set to a whole number which is no constant, or counted up by one.
pub fn int_into_float(words: &Words) -> Found {
    let sets = |i: &usize| matches!(words.text(*i), "=" | "+=" | "-=" | "*=" | "/=") && words.depth(*i) > 0;
    for i in (1..words.tokens.len()).filter(sets) {
        let (from, end) = (i + 1, words.end_of_statement(i));
        let target = words.operand_before(i).and_then(|at| words.operand(at, i));
        let float = target.is_some_and(|(kind, end)| kind == "float" && end == i);
        if !float
            || words.type_between(from, end) != Some("int")
            || end == from + 1 && words.kind_of(from) == Kind::Number
        {
            continue;
        }
        let (name, whole) = (words.text(i - 1), words.between(from, end));
        let condition = words.text(from) == "int" && super::condition_in(words, from + 2, end - 1).is_some();
        if condition && words.closing(from + 1) == Some(end - 1) {
            let inside = words.between(from + 2, end - 1);
            let sentence = format!("int(...) is an int, and {name} takes a float: float({inside}).");
            return at(&words.tokens[from], sentence);
        }
        let sentence = match whole.contains('/') {
            true => {
                format!("{whole} of whole numbers is whole: to keep the fraction write float(a) / float(b).")
            }
            false => format!("{whole} is an int, and {name} takes a float: float({whole})."),
        };
        return at(&words.tokens[from], sentence);
    }
    None
}

/// A truth that is set to a number.
pub fn number_into_truth(words: &Words) -> Found {
    for i in (2..words.tokens.len()).filter(|&i| words.text(i) == "=" && words.depth(i) > 0) {
        let name = words.text(i - 1);
        if words.text(i - 2) == "." || words.type_of(name) != Some("bool") {
            continue;
        }
        let (from, end) = (i + 1, words.end_of_statement(i));
        if !matches!(words.type_between(from, end), Some("float" | "int")) {
            continue;
        }
        let number = words.between(from, end);
        let remedy = match number.parse::<f32>() {
            Ok(0.0) => "false".to_owned(),
            Ok(_) => "true".to_owned(),
            Err(_) if words.type_between(from, end) == Some("int") => format!("{number} != 0"),
            Err(_) => format!("{number} != 0.0"),
        };
        let sentence = format!("{name} is true or false, and {number} is a number: {name} = {remedy}.");
        return at(&words.tokens[from], sentence);
    }
    None
}

/// `&` and `|` are of the bits of whole numbers, and no word between conditions.
pub fn bits_of_conditions(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(1) {
        if !matches!(token.text.as_str(), "&" | "|") {
            continue;
        }
        let begin = (0..i).rev().find(|&at| {
            words.closing(at).is_none_or(|end| end > i)
                && matches!(words.text(at), "(" | "[" | "{" | ";" | "=" | "," | "?" | "&&" | "||")
        });
        let condition = match (words.text(i - 1), begin) {
            (")", _) => words.opening(i - 1).and_then(|open| super::condition_in(words, open + 1, i - 1)),
            (name, _) if words.type_of(name) == Some("bool") => Some(i),
            (_, begin) => begin.and_then(|begin| super::condition_in(words, begin + 1, i)),
        };
        if condition.is_some() {
            return at(
                token,
                format!("Join conditions by {0}{0}: {0} works on the bits of whole numbers.", token.text),
            );
        }
    }
    None
}

/// Bits of a float are not moved.
pub fn shifted(words: &Words) -> Found {
    for (i, token) in
        words.tokens.iter().enumerate().filter(|(_, token)| matches!(token.text.as_str(), "<<" | ">>"))
    {
        let left = words.operand_before(i).and_then(|from| words.operand(from, i));
        if left.is_some_and(|(kind, _)| is_float(kind)) {
            let remedy = if token.text == "<<" { "2.0 * a" } else { "floor(0.5 * a)" };
            return at(
                token,
                format!("{} works on the bits of whole numbers: for floats write {remedy}.", token.text),
            );
        }
    }
    None
}

/// `ivec2` counted with positions.
pub fn whole_vector(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(2) {
        let whole = matches!(token.text.as_str(), "ivec2" | "ivec3" | "ivec4") && words.text(i + 1) == "(";
        if !whole || !matches!(words.text(i - 1), "+" | "-" | "*" | "/") {
            continue;
        }
        let left = words.operand_before(i - 1).and_then(|from| words.operand(from, i - 1));
        if left.is_some_and(|(kind, _)| is_float(kind)) {
            let kind = &token.text[1..];
            let sentence =
                format!("{} is of whole numbers, and does not go with floats: {kind}(1.0, 0.0).", token.text);
            return at(token, sentence);
        }
    }
    None
}

/// Vectors are not ordered, and no vector is equal to a number.
pub fn vectors_compared(words: &Words) -> Found {
    for i in 1..words.tokens.len() {
        let sign = words.text(i);
        if !matches!(sign, "<" | ">" | "<=" | ">=" | "==" | "!=") {
            continue;
        }
        let left = words.operand_before(i).and_then(|from| Some((from, words.operand(from, i)?.0)));
        let right = words.operand(i + 1, words.tokens.len());
        let vector = |kind: &str| matches!(kind, "vec2" | "vec3" | "vec4");
        let equal = matches!(sign, "==" | "!=");
        let (left_kind, right_kind) = (left.map(|(_, kind)| kind), right.map(|(kind, _)| kind));
        if equal && (left_kind == right_kind || left_kind.is_none() || right_kind.is_none()) {
            continue;
        }
        let (name, kind) = match (left, right) {
            (Some((from, kind)), _) if vector(kind) => (words.between(from, i), kind),
            (_, Some((kind, to))) if vector(kind) => (words.between(i + 1, to), kind),
            _ => continue,
        };
        let many = ["two", "three", "four"][kind[3..].parse::<usize>().unwrap_or(4).clamp(2, 4) - 2];
        let name = if name.len() > 16 { "This".to_owned() } else { name };
        let sentence = format!("{name} is {many} numbers, and {sign} compares one: write .x or .y after it.");
        return at(&words.tokens[left.map_or(i, |(from, _)| from)], sentence);
    }
    None
}

/// A condition beside a number: it is asked alone, and its opposite is `!`; a number has none.
pub fn truth_and_number(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let name = words.text(i + 1);
        if matches!(token.text.as_str(), "!" | "not" | "~")
            && words.kind_of(i + 1) == Kind::Name
            && words.operand(i + 1, words.tokens.len()).is_some_and(|(kind, _)| kind == "float")
            && words.text(i + 2) != "("
        {
            let sign = words.text(i + 2);
            if matches!(sign, "<" | ">" | "<=" | ">=" | "==" | "!=") {
                let end = words.operand(i + 3, words.tokens.len()).map_or(i + 3, |(_, end)| end);
                let right = words.between(i + 3, end);
                return at(
                    token,
                    format!("{0} takes {name} alone: write !({name} {sign} {right}).", token.text),
                );
            }
            return at(
                token,
                format!(
                    "{name} is a number, and only true and false have an opposite: 1.0 - {name}, or {name} == 0.0."
                ),
            );
        }
        if i > 0
            && matches!(token.text.as_str(), "==" | "!=")
            && words.type_of(words.text(i - 1)) == Some("bool")
        {
            let number = words.operand(i + 1, words.tokens.len()).map(|(kind, _)| kind);
            if matches!(number, Some("float" | "int")) {
                let name = words.text(i - 1);
                let sentence =
                    format!("{name} is true or false, and compared with no number: {name}, or !{name}.");
                return at(&words.tokens[i - 1], sentence);
            }
        }
    }
    None
}

/// `condition ? a` without its other number.
pub fn half_a_choice(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().filter(|(_, token)| token.text == "?") {
        if words.depth(i) == 0 || words.in_directive(i) || words.first("switch").is_some() {
            continue;
        }
        let (mut next, mut open) = (i + 1, 1);
        while next < words.tokens.len() && open > 0 {
            match words.text(next) {
                "(" | "[" => match words.closing(next) {
                    Some(end) => next = end,
                    None => return None,
                },
                "?" => open += 1,
                ":" => open -= 1,
                "," | ";" | ")" | "]" | "{" | "}" => break,
                _ => {}
            }
            next += 1;
        }
        if open > 0 {
            return at(token, "A choice has two numbers with a : between them: condition ? a : b.");
        }
    }
    None
}

/// Two operands with nothing between them.
pub fn side_by_side(words: &Words) -> Found {
    if words.has_other_types() {
        return None;
    }
    for i in (1..words.tokens.len()).filter(|&i| !words.in_list(i)) {
        let (last, next) = (&words.tokens[i - 1], &words.tokens[i]);
        let variable = |i: usize| words.type_of(words.text(i)).is_some_and(|kind| kind != "Stream");
        let fetch = |i: usize| words::fetches(words.text(i)) && words.text(i + 1) == "(";
        if last.line != next.line || words.depth(i) == 0 || next.kind != Kind::Name {
            continue;
        }
        let behind = |i: usize| i > 1 && words.text(i - 2) == ".";
        if last.text == ")" && next.column == last.column + 1 && !words.is_head(last) {
            let letters = next.text.len() <= 4 && next.text.chars().all(|c| "xyzw".contains(c));
            let of_fetch =
                words.opening(i - 1).is_some_and(|open| open > 0 && words::fetches(words.text(open - 1)));
            if letters && of_fetch {
                return at(next, format!("A point is missing: .{}", next.text));
            }
        }
        // A misspelt `while` is no factor.
        let head = |open: usize| {
            open > 0 && words.kind_of(open - 1) == Kind::Name && !words.is_known(words.text(open - 1))
        };
        let ends = last.kind == Kind::Name && (variable(i - 1) || behind(i))
            || last.text == ")" && !words.is_head(last) && !words.opening(i - 1).is_some_and(head);
        if ends && (variable(i) || fetch(i)) && !words::is_type(&last.text) {
            let one = if last.text == ")" { "(...)" } else { &last.text };
            // The next statement.
            if matches!(words.text(i + 1), "=" | "+=" | "-=" | "*=" | "/=") && !words.begins_statement(i - 1)
            {
                continue;
            }
            let example = match words.begins_statement(i - 1) {
                true => format!("{one} = {}", next.text),
                false => format!("a product is {one} * {}", next.text),
            };
            let sentence = format!("Between {one} and {} a sign is missing: {example}.", next.text);
            return at(next, sentence);
        }
    }
    None
}

/// `0,25`: outside brackets a comma between two numbers divides nothing.
pub fn decimal_comma(words: &Words) -> Found {
    for i in 1..words.tokens.len() {
        let whole =
            |i: usize| words.text(i).chars().all(|c| c.is_ascii_digit()) && words.kind_of(i) == Kind::Number;
        let close = |i: usize| {
            words.tokens[i].line == words.tokens[i - 1].line
                && words.tokens[i].column == words.tokens[i - 1].column + words.text(i - 1).len()
        };
        let comma = words.text(i) == "," && whole(i - 1) && whole(i + 1) && close(i) && close(i + 1);
        if !comma {
            continue;
        }
        let outside = !words.in_brackets(&words.tokens[i]) && words.depth(i) == 1;
        if outside || in_condition(words, i) {
            let (a, b) = (words.text(i - 1), words.text(i + 1));
            return at(&words.tokens[i - 1], format!("A fraction has a point: {a}.{b}"));
        }
    }
    None
}

/// Returns true if a word stands in the brackets of a condition, or in brackets in which something is counted before it.
fn in_condition(words: &Words, i: usize) -> bool {
    let open = (0..i).rev().find(|&open| {
        matches!(words.text(open), "(" | "[" | "{") && words.closing(open).is_none_or(|end| end > i)
    });
    let Some(open) = open.filter(|&open| words.text(open) == "(" && open > 0) else { return false };
    let named = words.kind_of(open - 1) == Kind::Name && words.text(open - 1) != "return";
    let counted = matches!(words.text(i - 2), "+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "==" | "!=");
    match words.text(open - 1) {
        "if" | "while" => true,
        // One argument too many, and this comma alone has no space behind it.
        name if words::is_function(name) && !words.declares(name) => {
            let given = words.arguments(open);
            let apart = |(_, comma): &&(usize, usize)| {
                *comma == i || words.tokens[comma + 1].column > words.tokens[*comma].column + 1
            };
            let (_, most, _) = taken_by(name);
            given.len() == most + 1 && given.len() > 2 && given[..most].iter().filter(apart).count() == most
        }
        _ => !named && counted && i > open + 3 && words.arguments(open).len() == 2,
    }
}

/// One `=` for several names: `float a, b = c, d;` and `a, b = c, d;`.
pub fn several_names(words: &Words) -> Found {
    for i in 0..words.tokens.len() {
        if !words.begins_statement(i) {
            continue;
        }
        let kind = Some(words.text(i)).filter(|kind| words::is_type(kind));
        let from = if kind.is_some() { i + 1 } else { i };
        let mut last = from;
        while words.kind_of(last) == Kind::Name && words.text(last + 1) == "," {
            last += 2;
        }
        let end = words.end_of_statement(i);
        if last == from || words.kind_of(last) != Kind::Name || words.text(last + 1) != "=" || end < last {
            continue;
        }
        let mut commas = vec![last + 1];
        let mut at_word = last + 2;
        while at_word < end {
            match words.text(at_word) {
                "(" | "[" => at_word = words.closing(at_word).unwrap_or(end),
                "," => commas.push(at_word),
                "=" => return None,
                _ => {}
            }
            at_word += 1;
        }
        commas.push(end);
        let given: Vec<(usize, usize)> = commas.windows(2).map(|pair| (pair[0] + 1, pair[1])).collect();
        let names: Vec<&str> = (from..=last).step_by(2).map(|at| words.text(at)).collect();
        // `float a, b = 1.0, c;` declares c.
        let fresh = |&(from, to): &(usize, usize)| {
            to == from + 1
                && words.kind_of(from) == Kind::Name
                && words.declarations(words.text(from)) < 2
                && !words.is_constant(words.text(from))
        };
        if given.len() != names.len() || kind.is_some() && given[1..].iter().all(fresh) {
            continue;
        }
        let each = names.iter().zip(&given).map(|(name, (from, to))| {
            let number = words.between(*from, *to);
            format!("{name} = {}", if number.len() > 16 { "..." } else { &number })
        });
        let each: Vec<String> = each.collect();
        let remedy = match kind {
            Some(kind) => format!("{kind} {};", each.join(", ")),
            None => format!("{};", each.join("; ")),
        };
        return at(&words.tokens[i], format!("One = sets one name: {remedy}"));
    }
    None
}

/// The call of a function whose numbers stand in `[ ]` at `open`, as it is written here.
pub fn list_for_arguments(words: &Words, open: usize) -> Option<String> {
    let name = words.text(open.checked_sub(2)?);
    let end = words.closing(open)?;
    let alone = words.text(open - 1) == "(" && words.text(end + 1) == ")";
    if !alone || !words::is_function(name) || words.declares(name) {
        return None;
    }
    let given = words.arguments(open);
    let (least, most, _) = taken_by(name);
    let each: Vec<String> = given.iter().map(|(from, to)| words.between(*from, *to)).collect();
    let short = each.iter().all(|number| number.len() <= 16);
    let each =
        if short { each } else { ["a", "b", "c", "d"].map(str::to_owned)[..given.len().min(4)].to_vec() };
    let call = match (name, &each[..]) {
        ("min" | "max", [a, b, c]) => format!("{name}({a}, {name}({b}, {c}))"),
        (_, each) if each.len() == given.len() && (least.max(2)..=most).contains(&given.len()) => {
            format!("{name}({})", each.join(", "))
        }
        _ => return None,
    };
    Some(format!("{name} takes its numbers without [ ]: {call}."))
}

/// A sum or a mean of several numbers as it is written here; `None` where a stream is summed.
pub fn written_out(words: &Words, i: usize) -> Option<String> {
    let mut given = words.arguments(i + 1);
    let streams = words.streams();
    if let [(from, to)] = given[..] {
        let end = words.closing(from).filter(|_| matches!(words.text(from), "[" | "("));
        let vector = matches!(words.text(from), "vec2" | "vec3" | "vec4") && words.text(from + 1) == "(";
        given = match end {
            Some(end) if end + 1 == to => words.arguments(from),
            _ if vector && words.closing(from + 1).is_some_and(|end| end + 1 == to) => {
                words.arguments(from + 1)
            }
            _ => return None,
        };
    }
    let whole = |(from, to): &(usize, usize)| {
        to == &(from + 1) && streams.iter().any(|stream| stream == words.text(*from))
    };
    if given.len() < 2 || given.iter().any(whole) {
        return None;
    }
    let letters = ["a", "b", "c", "d"];
    let many = given.len();
    let own: Vec<String> = given.iter().map(|(from, to)| words.between(*from, *to)).collect();
    let sum = match many {
        2..=4 if own.iter().all(|number| number.len() <= 8) => own.join(" + "),
        2..=4 => letters[..many].join(" + "),
        _ => "a + b + ...".to_owned(),
    };
    Some(if words.text(i) == "sum" { sum } else { format!("({sum}) / {many}.0") })
}

/// A function of the kernel's own takes what it declares, and stands above its first use.
pub fn own_function(words: &Words) -> Found {
    if words.has_other_types() {
        return None;
    }
    for (i, token) in words.tokens.iter().enumerate() {
        let defined = i > 0 && words::is_type(words.text(i - 1));
        let Some(first) = words.defined(&token.text).filter(|_| words.text(i + 1) == "(" && !defined) else {
            continue;
        };
        let name = &token.text;
        if words.text(i.wrapping_sub(1)) == "." {
            continue;
        }
        if first > i {
            let line = words.tokens[first].line;
            let sentence = format!(
                "{name} stands further below, in line {line}: a function stands above its first use."
            );
            return at(token, sentence);
        }
        let Some(wanted) = words.parameters(name) else { continue };
        let given = words.arguments(i + 1);
        if given.len() != wanted.len() {
            let sentence = format!("{name} takes {} arguments, and has {} here.", wanted.len(), given.len());
            return at(token, sentence);
        }
        for ((from, to), wanted) in given.iter().zip(wanted) {
            let Some(kind) = words.type_between(*from, *to) else { continue };
            let inside = words.between(*from, *to);
            let sentence = match (kind, wanted) {
                (kind, wanted) if kind == wanted => continue,
                ("vec2" | "vec3" | "vec4", "float") => {
                    format!("{name} takes one number, and gets a {kind}: write .x after it.")
                }
                ("float", "vec2" | "vec3" | "vec4") => {
                    format!("{name} takes a {wanted}, and gets one number: {wanted}({inside}).")
                }
                ("int", "float") if to - from == 1 && words.kind_of(*from) == Kind::Number => {
                    return whole_number(words, *from);
                }
                ("int", "float") => format!("{inside} is an int, and {name} takes a float: float({inside})."),
                ("vec4", "vec2") => {
                    format!("{name} takes a vec2, and gets four numbers: write .xy after it.")
                }
                _ => continue,
            };
            return at(&words.tokens[*from], sentence);
        }
    }
    None
}
