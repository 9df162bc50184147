//! Offsets of `valueOffset`, as far as they are written as numbers.

use super::super::source::Kernel;
use super::Token;
use crate::{Error, Result};

/// Where a neighbour of `valueOffset` may lie each way: the least that OpenGL promises, on every card.
const OFFSETS: std::ops::RangeInclusive<i64> = -8..=7;

/// That every offset which is written as numbers, `ivec2(1, -1)` or `ivec2(1)`, is one that every card has: some take others.
pub fn check(kernel: &Kernel, tokens: &[Token]) -> Result<()> {
    let calls =
        tokens.iter().enumerate().filter(|(_, token)| token.text == "valueOffset" && !token.directive);
    for (at, token) in calls {
        let Some(number) = literals(&tokens[at + 1..]).into_iter().flatten().find(|n| !OFFSETS.contains(n))
        else {
            continue;
        };
        return Err(Error::Declaration {
            kernel: kernel.name.clone(),
            line: token.line,
            text: kernel.line(token.line).trim().to_owned(),
            expected: format!(
                "expected offsets from {} to {} each way, found {number}; value2 fetches at any place",
                OFFSETS.start(),
                OFFSETS.end()
            ),
        });
    }
    Ok(())
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
