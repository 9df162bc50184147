//! Rules about loops, blocks and the names in them.

use super::{Found, at};
use crate::words::{self, Kind, Words};

/// main() has a `{` behind its head.
pub fn main_without_brace(words: &Words) -> Found {
    let main = (0..words.tokens.len()).find(|&i| words.text(i) == "void" && words.text(i + 1) == "main")?;
    let end = words.closing(main + 2).filter(|_| words.text(main + 2) == "(")?;
    if matches!(words.text(end + 1), "{" | ";") {
        return None;
    }
    at(&words.tokens[end], "After main() a { is missing: void main() { ... }")
}

/// The head of a loop has three parts.
pub fn parts_of_loop(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        if token.text != "for" || words.text(i + 1) != "(" {
            continue;
        }
        let Some(end) = words.closing(i + 1).filter(|&end| words.text(end) == ")") else { continue };
        if (i..end).filter(|&at| words.text(at) == ";").count() != 2 {
            let sentence =
                "A loop has three parts, with a ; between them: for (float i = 0.0; i < 4.0; i += 1.0).";
            return at(token, sentence);
        }
    }
    None
}

/// `for (...);` repeats nothing.
pub fn empty_loop(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let counts = token.text == "for" && words.text(i + 1) == "(" && words::is_type(words.text(i + 2));
        let Some(end) = words.closing(i + 1).filter(|_| counts) else { continue };
        let mut parts = (i..end).filter(|&at| words.text(at) == ";");
        let Some(last) = parts.nth(1).map(|at| at + 1) else { continue };
        // A loop whose last part does more than count does its work there, and needs no other.
        let counter = words.text(i + 3);
        let counts_alone = [last, last + 1].iter().any(|&at| words.text(at) == counter)
            && !(last..end).any(|at| words.text(at) == ",");
        if words.text(end + 1) == ";" && counts_alone {
            let sentence = "The ; after for (...) ends the loop, so nothing is repeated: take it out.";
            return at(&words.tokens[end + 1], sentence);
        }
    }
    None
}

/// `if (...);` decides nothing.
pub fn empty_if(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let Some(end) = words.closing(i + 1).filter(|_| token.text == "if" && words.text(i + 1) == "(")
        else {
            continue;
        };
        if words.text(end + 1) == ";" && words.text(end + 2) != "else" && !words.in_directive(i) {
            let sentence = "The ; after if (...) ends it, so the condition decides nothing: take it out.";
            return at(&words.tokens[end + 1], sentence);
        }
    }
    None
}

/// The array that a list at `open` is meant for: one of pairs, or of a name that is declared with another size.
pub fn list_for_array(words: &Words, open: usize) -> Option<String> {
    let given = words.arguments(open);
    let many = |(from, to): &(usize, usize)| {
        let vector = matches!(words.text(*from), "vec2" | "vec3" | "vec4");
        let at = if vector { from + 1 } else { *from };
        let whole = matches!(words.text(at), "(" | "[") && words.closing(at) == Some(to - 1);
        let inner = words.arguments(at).len();
        if whole && (2..=4).contains(&inner) { Some(inner) } else { None }
    };
    let pairs: Option<Vec<usize>> = given.iter().map(many).collect();
    let equals = open.checked_sub(1).filter(|&sign| words.text(sign) == "=")?;
    let name = match words.text(equals - 1) {
        "]" => words.opening(equals - 1)?.checked_sub(1)?,
        _ => equals - 1,
    };
    let declared = words.text(name.checked_sub(1)?);
    let numbers = match declared {
        "float" => Some(1),
        "vec2" | "vec3" | "vec4" => declared[3..].parse::<usize>().ok(),
        _ => None,
    };
    let kind = match (pairs, numbers) {
        (Some(pairs), _) => format!("vec{}", pairs.first()?),
        (None, Some(1)) => "float".to_owned(),
        (None, Some(numbers)) if numbers != given.len() && given.len() > 4 => declared.to_owned(),
        _ => return None,
    };
    let (name, many) = (words.text(name), given.len());
    Some(format!("[ ] makes no array: write {kind} {name}[{many}] = {kind}[{many}](...);"))
}

/// The last word of the statement that begins at `i`: of its block, or its `;`.
fn end_of_body(words: &Words, i: usize) -> Option<usize> {
    match words.text(i) {
        "{" => words.closing(i),
        "switch" => words.closing(words.closing(i + 1)? + 1),
        "do" => Some(words.end_of_statement(end_of_body(words, i + 1)? + 1)),
        "for" | "while" | "if" => {
            let end = end_of_body(words, words.closing(i + 1)? + 1)?;
            if words.text(i) == "if" && words.text(end + 1) == "else" {
                end_of_body(words, end + 2)
            } else {
                Some(end)
            }
        }
        _ => Some(words.end_of_statement(i)),
    }
}

/// An `else` stands behind the `}` or the only statement of its `if`.
pub fn else_alone(words: &Words) -> Found {
    let of_code = |i: &usize| *i == 0 || words.text(i - 1) != "#";
    let ifs: Vec<usize> =
        (0..words.tokens.len()).filter(|&i| words.text(i) == "if").filter(of_code).collect();
    let body = |i: usize| Some(words.closing(i + 1).filter(|&end| words.text(end) == ")")? + 1);
    // Where a condition lacks its ), its block is not known.
    if ifs.iter().any(|&i| body(i).is_none()) {
        return None;
    }
    let behind: Vec<usize> = ifs.iter().filter_map(|&i| Some(end_of_body(words, body(i)?)? + 1)).collect();
    let alone = |i: &usize| words.text(*i) == "else" && !behind.contains(i);
    let i = (0..words.tokens.len()).filter(of_code).find(alone)?;
    let open = (0..i)
        .rev()
        .find(|&open| words.text(open) == "{" && words.closing(open).is_none_or(|end| end > i))?;
    if !matches!(words.text(i - 1), ";" | "}" | "{") {
        return at(&words.tokens[i], "Before else a ; is missing.");
    }
    let sentence = match ifs.iter().rev().find(|&&at| at < i && body(at).is_some_and(|body| body >= open)) {
        Some(&at) if body(at) == Some(open) => {
            format!("A }} is missing before else: the {{ of line {} is still open.", words.tokens[open].line)
        }
        Some(&at) if body(at).is_some_and(|body| words.text(body) == ";") => {
            format!("The ; after if (...) in line {} ends it: take it out.", words.tokens[at].line)
        }
        Some(&at) if body(at).is_some_and(|body| words.text(body) == "{") => {
            "Nothing may stand between the } of an if and its else.".to_owned()
        }
        Some(_) => "An if without { } decides only one statement: put several statements in { }.".to_owned(),
        None => "This else has no if before it.".to_owned(),
    };
    at(&words.tokens[i], sentence)
}

/// A function stands outside of others.
pub fn function_inside(words: &Words) -> Found {
    let declares = |i: &usize| {
        words::is_type(words.text(*i)) && words.kind_of(i + 1) == Kind::Name && words.text(i + 2) == "("
    };
    let block = |i: &usize| words.closing(i + 2).is_some_and(|end| words.text(end + 1) == "{");
    let i = (0..words.tokens.len()).filter(|&i| words.depth(i) > 0).filter(declares).find(block)?;
    at(&words.tokens[i], format!("A function stands above main(), and not in it: {}.", words.text(i + 1)))
}

/// A loop that asks nothing, and has no way out.
pub fn endless(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let head = words.closing(i + 1).map_or(String::new(), |end| words.between(i, end + 1));
        if head != "while(true)" && head != "for(;;)" {
            continue;
        }
        let Some(end) = words.closing(i + 1).and_then(|end| end_of_body(words, end + 1)) else { continue };
        if !(i..end).any(|at| matches!(words.text(at), "break" | "return" | "discard"))
            && words.text(end) == "}"
        {
            return at(token, "This loop never ends: give it a condition, or write if (...) break; in it.");
        }
    }
    None
}

/// A `switch` chooses by a whole number.
pub fn switched(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate() {
        let float = |from: usize, to: usize| {
            (words.type_between(from, to) == Some("float")).then(|| words.between(from, to))
        };
        let sentence = match token.text.as_str() {
            "switch" => {
                let Some(chosen) = words.closing(i + 1).and_then(|end| float(i + 2, end)) else { continue };
                format!("switch chooses by a whole number: switch (int({chosen})).")
            }
            "case" => {
                let end = (i..words.tokens.len()).find(|&at| words.text(at) == ":");
                let Some(number) = end.and_then(|end| float(i + 1, end)) else { continue };
                format!("A case is a whole number, and {number} is a float.")
            }
            _ => continue,
        };
        return at(token, sentence);
    }
    None
}

/// A loop's own name behind the loop.
pub fn name_of_loop(words: &Words) -> Found {
    for i in 0..words.tokens.len() {
        if words.text(i) != "for" || words.text(i + 1) != "(" || !words::is_type(words.text(i + 2)) {
            continue;
        }
        let name = words.text(i + 3);
        if words.declarations(name) != 1 {
            continue;
        }
        let Some(end) = words.closing(i + 1).and_then(|end| end_of_body(words, end + 1)) else { continue };
        let used = |at: &usize| words.text(*at) == name && words.text(at - 1) != ".";
        if let Some(later) = (end + 1..words.tokens.len()).find(used) {
            let line = words.tokens[end].line;
            let sentence = format!(
                "{name} exists only in its loop, which ends in line {line}: put all statements of the loop in {{ }}."
            );
            return at(&words.tokens[later], sentence);
        }
    }
    None
}

/// A name that is made twice in a block.
pub fn made_twice(words: &Words) -> Found {
    if words.first("#").is_some() {
        return None; // what is compiled is not known here
    }
    let mut blocks: Vec<Vec<(&str, usize)>> = vec![Vec::new()];
    for (i, token) in words.tokens.iter().enumerate() {
        match token.text.as_str() {
            "{" => blocks.push(Vec::new()),
            "}" => drop(blocks.pop()),
            kind if words::is_type(kind) && words.begins_statement(i) => {
                let (name, block) = (words.text(i + 1), blocks.last_mut()?);
                if words.kind_of(i + 1) != Kind::Name || !matches!(words.text(i + 2), "=" | ";" | ",") {
                    continue;
                }
                if let Some((_, line)) = block.iter().find(|(known, _)| *known == name) {
                    let sentence = format!(
                        "{name} is made in line {line} already: leave {kind} out here, or choose another name."
                    );
                    return at(&words.tokens[i + 1], sentence);
                }
                block.push((name, token.line));
            }
            _ => {}
        }
    }
    None
}

/// An array is made with its type.
pub fn list_of_braces(words: &Words) -> Found {
    // No block begins between the arguments of a call.
    let inside = |i: usize| {
        (0..i).rev().find(|&open| {
            matches!(words.text(open), "(" | "[" | "{") && words.closing(open).is_some_and(|end| end > i)
        })
    };
    let given = |i: &usize| {
        words.text(*i) == "{"
            && matches!(words.text(i - 1), "(" | ",")
            && inside(*i).is_some_and(|open| words.text(open) == "(")
            && (2..=4).contains(&words.arguments(*i).len())
    };
    if let Some(i) = (2..words.tokens.len()).find(given) {
        let many = words.arguments(i).len();
        return at(&words.tokens[i], format!("{{ }} makes no vector: write vec{many}(...)."));
    }
    let i = (2..words.tokens.len()).find(|&i| words.text(i) == "{" && words.text(i - 1) == "=")?;
    if words.text(i - 2) != "]" {
        let sentence = match words.type_of(words.text(i - 2)) {
            Some(kind @ ("vec2" | "vec3" | "vec4")) => format!("{{ }} makes no vector: write {kind}(...)."),
            Some(words::ARRAY) => "{ } makes no array: write float[2](1.0, 2.0) after =.".to_owned(),
            _ => "{ } makes no number.".to_owned(),
        };
        return at(&words.tokens[i], sentence);
    }
    let begin = (0..i).rev().find(|&at| words::is_type(words.text(at)))?;
    let kind = words.text(begin);
    let example = if kind == "float" { "1.0, 2.0" } else { "vec2(1.0, 0.0), vec2(0.0, 1.0)" };
    let sentence = match kind {
        "float" | "vec2" => format!("{{ }} makes no array: {kind} name[2] = {kind}[2]({example});"),
        _ => format!("{{ }} makes no array: write {kind}[n](...) after =."),
    };
    at(&words.tokens[i], sentence)
}

/// An index in `[ ]` is an int.
pub fn float_in_brackets(words: &Words) -> Found {
    for (i, token) in words.tokens.iter().enumerate().skip(1) {
        let indexes = words.type_of(words.text(i - 1)).is_some_and(|kind| kind != "Stream");
        let Some(end) = words.closing(i).filter(|_| token.text == "[" && indexes) else { continue };
        if words.type_between(i + 1, end) == Some("float") {
            if i > 1 && words::is_type(words.text(i - 2)) && words.kind_of(i + 1) == Kind::Name {
                let sentence =
                    "The size of an array is known before a kernel runs: a number, or const int n = 4;";
                return at(&words.tokens[i + 1], sentence);
            }
            let inside = words.between(i + 1, end);
            let whole = inside.strip_suffix(".0").map_or(format!("int({inside})"), str::to_owned);
            return at(&words.tokens[i + 1], format!("An index in [ ] is an int: [{whole}]"));
        }
    }
    None
}
