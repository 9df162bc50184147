//! Offsets of `valueOffset`, as far as they are written as numbers.

use super::super::declarations::Token;
use super::super::kernel::{Kernel, is_word_of_preludes};
use crate::Result;

/// Where a neighbour of `valueOffset` may lie each way: the least that OpenGL promises, on every card.
const OFFSETS: std::ops::RangeInclusive<i64> = -8..=7;

/// That every offset which is written as numbers, `ivec2(1, -1)` or `ivec2(1)`, is one that every card has: some take others. Text
/// that no card compiles, as [`compiled`] knows it, may say anything.
pub fn check(kernel: &Kernel, tokens: &[Token]) -> Result<()> {
    let compiled = compiled(kernel, tokens);
    let is_call =
        |(at, token): &(usize, &Token)| token.text == "valueOffset" && !token.directive && compiled[*at];
    let calls = tokens.iter().enumerate().filter(is_call);
    for (at, token) in calls {
        let Some(number) = literals(&tokens[at + 1..]).into_iter().flatten().find(|n| !OFFSETS.contains(n))
        else {
            continue;
        };
        let expected = format!(
            "expected offsets from {} to {} each way, found {number}; value2 fetches at any place",
            OFFSETS.start(),
            OFFSETS.end()
        );
        return Err(kernel.refuse(token.line, expected));
    }
    Ok(())
}

/// For each token, false where it is certain that it is left out: after `#if 0`, and after an `#ifdef` of a word that nobody
/// defines. Other conditions are not looked into, and what follows an `#elif` counts as compiled.
fn compiled(kernel: &Kernel, tokens: &[Token]) -> Vec<bool> {
    let defines = |word: &str| {
        let in_text = tokens
            .windows(3)
            .any(|w| w[0].directive && w[0].text == "#" && w[1].text == "define" && w[2].text == word);
        // Words of the driver and of the preludes may have any definition.
        let may_be_known = ["GL_", "pug_"].iter().any(|start| word.starts_with(start))
            || word.contains("__")
            || is_word_of_preludes(kernel, word);
        in_text || may_be_known || kernel.defines.iter().any(|(name, _)| name == word)
    };
    // For each open condition, if it is known whether its text is compiled.
    let mut open: Vec<Option<bool>> = Vec::new();
    let mut compiled = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        if token.directive && token.text == "#" {
            let words: Vec<&str> = tokens[at + 1..]
                .iter()
                .take_while(|word| word.directive && word.line == token.line)
                .map(|word| word.text.as_str())
                .collect();
            match words[..] {
                ["if", "0"] => open.push(Some(false)),
                ["if", "1"] => open.push(Some(true)),
                ["ifdef", word] if !defines(word) => open.push(Some(false)),
                ["ifndef", word] if !defines(word) => open.push(Some(true)),
                ["if" | "ifdef" | "ifndef", ..] => open.push(None),
                ["elif", ..] => open.iter_mut().last().into_iter().for_each(|known| *known = None),
                ["else", ..] => {
                    open.iter_mut().last().into_iter().for_each(|known| *known = known.map(|is| !is));
                }
                ["endif", ..] => drop(open.pop()),
                _ => {}
            }
        }
        compiled.push(!open.contains(&Some(false)));
    }
    compiled
}

/// The numbers of the third argument between these parentheses, if it is an `ivec2` of numbers alone.
fn literals(tokens: &[Token]) -> Option<Vec<i64>> {
    let mut depth = 0;
    let mut arguments = vec![Vec::new()];
    for token in tokens {
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        match (depth, token.text.as_str()) {
            (0, _) => break,
            (1, "(") => {}
            (1, ",") => arguments.push(Vec::new()),
            (_, word) => arguments.last_mut()?.push(word),
        }
    }
    let ["ivec2", "(", numbers @ .., ")"] = arguments.get(2)?.as_slice() else { return None };
    let number = |words: &[&str]| match *words {
        [word] | ["+", word] => word.parse::<i64>().ok(),
        ["-", word] => word.parse::<i64>().ok().map(|n| -n),
        _ => None,
    };
    numbers.split(|word| *word == ",").map(number).collect()
}
