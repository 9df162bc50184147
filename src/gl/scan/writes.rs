//! RANGEs that a path leaves unwritten: definite assignment, as compilers of Java and C# have it, over the text that is compiled.
//!
//! Every path through `main` has to write all components of every RANGE, or to end in `discard`. A condition that depends on
//! an input may hold or not, whatever it says. Of one that the text alone decides (`fixed.rs`) nothing is said, unless its value is
//! known: what either branch writes counts as written, and a loop that asks it runs at least once. Where a text is not understood, nothing is said of it:
//! a component at an index that varies counts as written, and a name that is declared again is left alone.

use super::super::kernel::{Kernel, without_comments};
use super::super::words::{Preprocessor, Token};
use super::fixed::{Condition, Fixed};
use super::text::{Function, Output, Text, is_name, split};
use crate::Result;

/// The reason why a path has not written a RANGE.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reason {
    NotHolds,
    Holds,
    Loop,
    Switch,
    Return,
    Read,
    Never,
}

/// The components of each RANGE that are written on all paths to a place, and the line and reason of those that are not.
#[derive(Clone)]
struct State {
    written: Vec<u8>,
    lost: Vec<Option<(u32, Reason)>>,
    /// The last condition at which another path went on to a `return`.
    parted: Option<(u32, Reason)>,
}

/// The state at a place; `None` where no path leads.
type Reach = Option<State>;

impl State {
    fn write(&mut self, output: usize, components: u8, all: u8) {
        self.written[output] |= components;
        if self.written[output] == all {
            self.lost[output] = None;
        }
    }

    /// The state of both, by the path that has written less.
    fn join(mut self, other: &State, reason: (u32, Reason)) -> State {
        for (at, theirs) in other.written.iter().enumerate() {
            let both = self.written[at] & theirs;
            if both != *theirs && self.lost[at].is_none() {
                self.lost[at] = Some(reason);
            } else if both != self.written[at] {
                self.lost[at] = other.lost[at].or(Some(reason));
            }
            self.written[at] = both;
        }
        self.parted = self.parted.or(other.parted);
        self
    }
}

fn join(one: Reach, other: Reach, reason: (u32, Reason)) -> Reach {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.join(&other, reason)),
        (one, other) => one.or(other),
    }
}

/// The state of either path, where it is not known which of the two is the only one.
fn union(one: Reach, other: Reach) -> Reach {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.written.iter_mut().zip(other.written).for_each(|(mine, theirs)| *mine |= theirs);
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

/// Checks that every path writes every RANGE.
///
/// # Errors
/// [`Error::Declaration`](crate::Error::Declaration) at the condition, loop or `return` that leaves one unwritten.
pub fn check(kernel: &Kernel, embedded: bool) -> Result<()> {
    let text = without_comments(&kernel.text);
    // Words of the driver may have any definition.
    let is_drivers = |line: &str| line.replace("GL_ES", "").contains("GL_") || line.contains("__");
    if text.lines().any(|line| line.trim_start().starts_with('#') && is_drivers(line)) {
        return Ok(());
    }
    let reader = Preprocessor::of(kernel, embedded, "");
    if reader.is_unclear() {
        return Ok(());
    }
    match fault(&reader.finish().0) {
        Some((line, says)) => Err(kernel.refuse(line, says)),
        None => Ok(()),
    }
}

/// The first place where a path ends, or reads, with a RANGE unwritten: its line, and the sentence.
fn fault(tokens: &[Token]) -> Option<(u32, String)> {
    let text = Text::new(tokens)?;
    let main = text.functions.iter().find(|function| function.name == "main")?;
    let fixed = Fixed::of(&text);
    let mut walk = Walk {
        text: &text,
        fixed: &fixed,
        breaks: Vec::new(),
        continues: Vec::new(),
        returns: Vec::new(),
        fault: None,
        steps: 0,
        depth: 0,
        returned: 0,
        unsure: 0,
    };
    let none = vec![0; text.outputs.len()];
    let end = walk.call(main, State { lost: vec![None; none.len()], written: none, parted: None })?;
    if let (Some(state), None) = (&end, &walk.fault) {
        walk.ends(state);
    }
    walk.fault
}

/// The components that these letters name.
fn components(letters: &str) -> u8 {
    let bit = |letter: char| {
        ["xrs", "ygt", "zbp", "waq"].iter().position(|set| set.contains(letter)).map_or(0, |at| 1 << at)
    };
    letters.chars().map(bit).fold(0, |all, bit| all | bit)
}

/// The most words that are walked through: functions are walked through at each call.
const PATIENCE: usize = 400_000;

/// The deepest calls, and the most statements inside statements.
const DEEPEST: usize = 24;
const NESTING: usize = 200;

/// A walk along all paths.
struct Walk<'t> {
    text: &'t Text<'t>,
    fixed: &'t Fixed<'t>,
    /// For each loop or `switch` around, the states at its `break`s.
    breaks: Vec<Reach>,
    /// For each loop around, the states at its `continue`s.
    continues: Vec<Reach>,
    /// For each call, the states at its `return`s.
    returns: Vec<Reach>,
    fault: Option<(u32, String)>,
    steps: usize,
    /// Statements inside statements.
    depth: usize,
    /// The `return`s so far.
    returned: usize,
    /// Conditions around of which it is not known which branch is dead: nothing is said of either.
    unsure: usize,
}

impl Walk<'_> {
    /// Takes note of the first RANGE that a path has not written to its end.
    fn ends(&mut self, state: &State) {
        let outputs = self.text.outputs.iter().enumerate();
        let lacking = outputs
            .map(|(at, output)| (at, output, output.all & !state.written[at]))
            .find(|found| found.2 != 0);
        if let Some((at, output, missing)) = lacking {
            let (line, reason) = state.lost[at].unwrap_or((output.line, Reason::Never));
            self.found(output, missing, line, reason);
        }
    }

    fn found(&mut self, output: &Output, missing: u8, line: u32, reason: Reason) {
        if self.fault.is_some() || self.unsure > 0 {
            return;
        }
        let letters: String =
            "xyzw".chars().filter(|letter| components(&letter.to_string()) & missing != 0).collect();
        let name = &output.name;
        let name = if missing == output.all { name.clone() } else { format!("{name}.{letters}") };
        let rest = match reason {
            Reason::NotHolds => format!(
                "where this condition does not hold: write `{name} = ...;` before the `if`, or in an `else`"
            ),
            Reason::Holds => format!(
                "where this condition holds: write `{name} = ...;` before the `if`, or in this branch too"
            ),
            Reason::Loop => {
                format!("where this loop ends before it is written: write `{name} = ...;` before the loop")
            }
            Reason::Switch => format!(
                "in a case of this `switch`: write `{name} = ...;` before it, or in each case and in `default`"
            ),
            Reason::Return => format!("at this `return`: write `{name} = ...;` before it"),
            Reason::Read => format!("where it is read here: write `{name} = ...;` before this line"),
            Reason::Never => "on every path: `main` has to write all components of each RANGE".to_owned(),
        };
        self.fault = Some((line, format!("RANGE `{name}` is unwritten {rest}")));
    }

    /// The state behind a call.
    fn call(&mut self, function: &Function, state: State) -> Option<Reach> {
        if self.returns.len() == DEEPEST {
            return None;
        }
        self.returns.push(None);
        let (breaks, continues) = (std::mem::take(&mut self.breaks), std::mem::take(&mut self.continues));
        let (_, end) = self.statement(function.body, Some(state))?;
        (self.breaks, self.continues) = (breaks, continues);
        let parted = end.as_ref().and_then(|state| state.parted);
        let reason = parted.unwrap_or((self.text.line(function.body), Reason::Return));
        Some(join(end, self.returns.pop()?, reason))
    }

    /// Walks where it is not known which of several paths is the only one: what one of them has written
    /// that ends there counts as written by the others.
    fn either(
        &mut self,
        unsure: bool,
        walk: impl FnOnce(&mut Self) -> Option<(usize, Reach)>,
    ) -> Option<(usize, Reach)> {
        if !unsure {
            return walk(self);
        }
        let lasts = |walk: &mut Self| {
            [&mut walk.breaks, &mut walk.continues, &mut walk.returns]
                .map(|stack| stack.last_mut().and_then(Option::take))
        };
        let before = lasts(self);
        self.unsure += 1;
        let (end, mut state) = walk(self)?;
        self.unsure -= 1;
        let ended = lasts(self);
        if state.is_some() {
            state = ended.into_iter().fold(state, union);
        }
        for (stack, before) in
            [&mut self.breaks, &mut self.continues, &mut self.returns].into_iter().zip(before)
        {
            if let Some(last) = stack.last_mut() {
                *last = before;
            }
        }
        Some((end, state))
    }

    /// The place behind a statement, and the state there.
    fn statement(&mut self, at: usize, state: Reach) -> Option<(usize, Reach)> {
        self.steps += 1;
        self.depth += 1;
        if self.steps > PATIENCE || self.depth > NESTING {
            return None;
        }
        let returned = self.returned;
        let mut behind = self.one_statement(at, state);
        self.depth -= 1;
        let reason = match self.text.word(at) {
            "for" | "while" => Reason::Loop,
            "switch" => Reason::Switch,
            _ => return behind,
        };
        if let Some((_, Some(state))) = behind.as_mut().filter(|_| self.returned > returned) {
            state.parted = state.parted.or(Some((self.text.line(at), reason)));
        }
        behind
    }

    fn one_statement(&mut self, at: usize, state: Reach) -> Option<(usize, Reach)> {
        let (text, line) = (self.text, self.text.line(at));
        let tokens = text.tokens;
        match text.word(at) {
            "" => None,
            "{" => {
                let (mut at, mut state) = (at + 1, state);
                while text.word(at) != "}" {
                    (at, state) = self.statement(at, state)?;
                }
                Some((at + 1, state))
            }
            "if" => {
                let close = text.closing(at + 1)?;
                let condition = self.fixed.condition(&tokens[at + 2..close], &Vec::new());
                let state = self.expression(at + 2, close, state)?;
                if condition == Condition::Constant {
                    return self.either(true, |walk| {
                        let (mut end, holds) = walk.statement(close + 1, state.clone())?;
                        let mut fails = state;
                        if text.word(end) == "else" {
                            (end, fails) = walk.statement(end + 1, fails)?;
                        }
                        Some((end, union(holds, fails)))
                    });
                }
                let may = state.clone().filter(|_| condition != Condition::Fails);
                let returned = self.returned;
                let (mut end, mut holds) = self.statement(close + 1, may)?;
                let mut fails = state.filter(|_| condition != Condition::Holds);
                if let (None, Some(fails)) = (&holds, &mut fails)
                    && self.returned > returned
                {
                    fails.parted = Some((line, Reason::NotHolds));
                }
                if text.word(end) == "else" {
                    let returned = self.returned;
                    (end, fails) = self.statement(end + 1, fails)?;
                    if let (Some(holds), None) = (&mut holds, &fails)
                        && self.returned > returned
                    {
                        holds.parted = Some((line, Reason::Holds));
                    }
                }
                let less = |a: &Reach, b: &Reach| match (a, b) {
                    (Some(a), Some(b)) => a.written.iter().zip(&b.written).any(|(a, b)| a & b != *b),
                    _ => false,
                };
                let reason = if less(&holds, &fails) { Reason::Holds } else { Reason::NotHolds };
                Some((end, join(holds, fails, (line, reason))))
            }
            "for" => {
                let close = text.closing(at + 1)?;
                let parts: Vec<usize> = (at + 2..close).filter(|&place| text.word(place) == ";").collect();
                let [first, second] = parts[..] else { return None };
                let state = self.expression(at + 2, first, state)?;
                let mut values = self.fixed.declared_before(at);
                self.fixed.take_declaration(&tokens[at + 2..first], &mut values);
                let condition = match first + 1 == second {
                    true => Condition::Holds,
                    false => self.fixed.first_condition(&tokens[first + 1..second], &values),
                };
                let state = self.expression(first + 1, second, state)?;
                self.looped(close + 1, line, condition, state, Some((second + 1, close)))
            }
            "while" => {
                let close = text.closing(at + 1)?;
                let condition =
                    self.fixed.first_condition(&tokens[at + 2..close], &self.fixed.declared_before(at));
                let state = self.expression(at + 2, close, state)?;
                self.looped(close + 1, line, condition, state, None)
            }
            "do" => {
                self.breaks.push(None);
                self.continues.push(None);
                let (end, state) = self.statement(at + 1, state)?;
                let state = join(state, self.continues.pop()?, (line, Reason::Loop));
                let close = text.closing(end + 1)?;
                let state = self.expression(end + 2, close, state)?;
                let ends = self.fixed.condition(&tokens[end + 2..close], &Vec::new()) != Condition::Holds;
                let state = join(state.filter(|_| ends), self.breaks.pop()?, (line, Reason::Loop));
                Some((close + 2, state))
            }
            "switch" => self.switch(at, state),
            "return" => {
                let end = self.text.end(at)?;
                let mut state = self.expression(at + 1, end, state)?;
                for (lost, (written, output)) in state
                    .iter_mut()
                    .flat_map(|state| state.lost.iter_mut().zip(state.written.iter().zip(&text.outputs)))
                {
                    if lost.is_none() && *written != output.all {
                        *lost = Some((line, Reason::Return));
                    }
                }
                self.returned += usize::from(state.is_some());
                let before = self.returns.pop()?;
                self.returns.push(join(before, state, (line, Reason::Return)));
                Some((end + 1, None))
            }
            "discard" => Some((self.text.end(at)? + 1, None)),
            "break" => {
                let before = self.breaks.pop()?;
                self.breaks.push(join(before, state, (line, Reason::Loop)));
                Some((self.text.end(at)? + 1, None))
            }
            "continue" => {
                let before = self.continues.pop()?;
                self.continues.push(join(before, state, (line, Reason::Loop)));
                Some((self.text.end(at)? + 1, None))
            }
            _ => {
                let end = self.text.end(at)?;
                Some((end + 1, self.expression(at, end, state)?))
            }
        }
    }

    /// A loop that asks before each round: its body at `body`, the state when it has asked first, and what it does after a round.
    fn looped(
        &mut self,
        body: usize,
        line: u32,
        condition: Condition,
        state: Reach,
        after: Option<(usize, usize)>,
    ) -> Option<(usize, Reach)> {
        let reason = (line, Reason::Loop);
        self.breaks.push(None);
        self.continues.push(None);
        let may = state.clone().filter(|_| condition != Condition::Fails);
        let (end, round) = self.statement(body, may)?;
        let mut round = join(round, self.continues.pop()?, reason);
        if let Some((begin, end)) = after {
            round = self.expression(begin, end, round)?;
        }
        let broken = self.breaks.pop()?;
        // After the first round all that a round writes is written.
        let state = match condition {
            Condition::Holds => broken,
            Condition::Fails => state,
            Condition::Constant => join(round, broken, reason),
            Condition::Varies => join(join(round, state, reason), broken, reason),
        };
        Some((end, state))
    }

    fn switch(&mut self, at: usize, state: Reach) -> Option<(usize, Reach)> {
        let (text, reason) = (self.text, (self.text.line(at), Reason::Switch));
        let close = text.closing(at + 1)?;
        // A constant takes one case alone.
        let constant = self.fixed.condition(&text.tokens[at + 2..close], &Vec::new()) != Condition::Varies;
        let both = |one, other| if constant { union(one, other) } else { join(one, other, reason) };
        let asked = self.expression(at + 2, close, state)?;
        let end = text.closing(close + 1)?;
        self.either(constant, |walk| {
            walk.breaks.push(None);
            let (mut place, mut state, mut broken, mut has_default) = (close + 2, None, None, false);
            while place < end {
                if matches!(text.word(place), "case" | "default") {
                    has_default |= text.word(place) == "default";
                    place = (place..end).find(|&place| text.word(place) == ":")? + 1;
                    state = both(state, asked.clone());
                    broken = both(broken, walk.breaks.last_mut()?.take());
                } else {
                    (place, state) = walk.statement(place, state)?;
                }
            }
            let state = both(state, asked.filter(|_| !has_default && !constant));
            let broken = both(broken, walk.breaks.pop()?);
            Some((end + 1, both(state, broken)))
        })
    }

    /// The state behind an expression or a declaration. Everything that it may write counts as written.
    fn expression(&mut self, begin: usize, end: usize, state: Reach) -> Option<Reach> {
        let Some(mut state) = state else { return Some(None) };
        let text = self.text;
        // Written when the assignment is done, after what it reads: at the end of the brackets around it, or at a comma there.
        let mut pending: Vec<(usize, u8, usize)> = Vec::new();
        let write = |pending: &mut Vec<(usize, u8, usize)>, state: &mut State, from: usize| {
            let done = pending.extract_if(.., |(_, _, depth)| *depth >= from);
            done.for_each(|(output, bits, _)| state.write(output, bits, text.outputs[output].all));
        };
        // For each bracket that is open: the place of the name that is called, if it is a call.
        let mut open: Vec<Option<usize>> = Vec::new();
        for place in begin..end {
            self.steps += 1;
            let word = text.word(place);
            let is_member = place > 0 && text.word(place - 1) == ".";
            match word {
                "(" => {
                    let is_call = place > begin
                        && is_name(text.word(place - 1))
                        && !(place > begin + 1 && text.word(place - 2) == ".");
                    open.push(is_call.then(|| place - 1));
                }
                ")" => {
                    write(&mut pending, &mut state, open.len().max(1));
                    if let Some(called) = open.pop()? {
                        match self.called(called, text.word(called), state)? {
                            Some(after) => state = after,
                            None => return Some(None),
                        }
                    }
                }
                "," => write(&mut pending, &mut state, open.len()),
                _ => {}
            }
            let output = text.output(word).filter(|_| !is_member && text.line(place) != 0);
            if let Some(output) = output {
                let all = text.outputs[output].all;
                let (front, behind, (bits, is_known)) = self.operand(place, begin, all)?;
                let next = text.word(behind);
                let steps = |word: &str| matches!(word, "++" | "--");
                let counted = steps(next) || (front > begin && steps(text.word(front - 1)));
                let assigns = next == "=";
                let changes = counted || matches!(next, "+=" | "-=" | "*=" | "/=");
                // A component at an index that varies may be any.
                let missing = if is_known { bits & !state.written[output] } else { 0 };
                let handed_back = self.is_handed_back(front, begin);
                if !assigns && !handed_back && missing != 0 {
                    let (line, reason) = state.lost[output].unwrap_or((text.line(place), Reason::Read));
                    self.found(&text.outputs[output], missing, line, reason);
                }
                if assigns || changes || handed_back {
                    // The assignment lies outside of brackets around the name alone.
                    pending.push((output, bits, open.len() - (place - front).min(open.len())));
                }
            }
        }
        write(&mut pending, &mut state, 0);
        Some(Some(state))
    }

    /// A RANGE with its members and indices, and with brackets around these alone: the place of its first word, that behind it,
    /// and which components it is; false for components that are not known.
    fn operand(&self, place: usize, begin: usize, all: u8) -> Option<(usize, usize, (u8, bool))> {
        let text = self.text;
        let (mut front, mut behind, mut is_known) = (place, place + 1, true);
        let mut chosen: Vec<u8> = (0..4).map(|at| 1 << at).filter(|bit| bit & all != 0).collect();
        loop {
            match text.word(behind) {
                "." => {
                    let letters = text.word(behind + 1);
                    let index = |letter: char| components(&letter.to_string()).checked_ilog2();
                    let of = |letter| chosen.get(index(letter)? as usize).copied();
                    // The length is not read.
                    chosen = if letters == "length" {
                        Vec::new()
                    } else {
                        letters.chars().filter_map(of).collect()
                    };
                    behind += 2;
                }
                "[" => {
                    let close = text.closing(behind)?;
                    let index = text.word(behind + 1).parse::<usize>().ok();
                    match index.filter(|index| close == behind + 2 && *index < chosen.len()) {
                        Some(index) => chosen = vec![chosen[index]],
                        None => is_known = false,
                    }
                    behind = close + 1;
                }
                ")" if front > begin && text.word(front - 1) == "(" => {
                    if front > begin + 1 && (is_name(text.word(front - 2)) || text.word(front - 2) == "]") {
                        break;
                    }
                    (front, behind) = (front - 1, behind + 1);
                }
                _ => break,
            }
        }
        Some((front, behind, (chosen.iter().fold(0, |all, bit| all | bit), is_known)))
    }

    /// The state behind a call of that name, if it is one of the kernel's own functions.
    fn called(&mut self, at: usize, name: &str, state: State) -> Option<Reach> {
        let text = self.text;
        let close = text.closing(at + 1)?;
        let given = &text.tokens[at + 2..close];
        let count = if given.is_empty() { 0 } else { split(given).len() };
        let fits = |function: &&Function| {
            let is_void = count == 0 && function.parameters.len() == 1;
            function.matters && function.name == name && (function.parameters.len() == count || is_void)
        };
        // Functions that differ in types alone: everything that one of them writes counts as written.
        let mut after: Option<Reach> = None;
        for function in text.functions.iter().filter(fits) {
            let end = self.call(function, state.clone())?;
            after = Some(match after {
                Some(before) => union(before, end),
                None => end,
            });
        }
        Some(after.unwrap_or(Some(state)))
    }

    /// Returns true if the name at `place` is an argument that a call writes.
    fn is_handed_back(&self, place: usize, begin: usize) -> bool {
        let text = self.text;
        let (mut depth, mut argument) = (0, 0);
        for at in (begin..place).rev() {
            match text.word(at) {
                ")" | "]" => depth += 1,
                "(" | "[" if depth > 0 => depth -= 1,
                "(" => {
                    let name = at.checked_sub(1).map_or("", |before| text.word(before));
                    let out = |function: &Function| {
                        function.name == name && function.parameters.get(argument) == Some(&true)
                    };
                    return (name == "modf" && argument == 1) || text.functions.iter().any(out);
                }
                "[" => return false,
                "," if depth == 0 => argument += 1,
                // Not the argument itself, but a part of one.
                word if depth == 0 && argument == 0 && !is_name(word) && word != "." => return false,
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// The line and the sentence of the fault that is found, or none.
    fn told(text: &str) -> Option<(u32, String)> {
        match check(&Kernel::new("t", text), false) {
            Err(Error::Declaration { line, expected, .. }) => Some((line, expected)),
            _ => None,
        }
    }

    /// A kernel with that body of `main`, which begins in line 2.
    fn of(body: &str) -> String {
        format!("uniform float n, m[4]; uniform int count; RANGE vec4 r; RANGE float s;\n{body}")
    }

    #[test]
    fn a_path_that_leaves_a_range_unwritten_is_told_at_its_line() {
        for (body, line, start) in [
            (
                "void main() { s = 1.0;\n if (n > 0.0) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this condition does not hold: write `r = ...;` before the `if`, or in an `else`",
            ),
            (
                "void main() { s = 1.0;\n if (n > 0.0) {} else r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this condition holds",
            ),
            (
                "void main() { r = vec4(1.0);\n if (n > 0.0) { if (n > 1.0)\n s = 1.0; else\n ; } else s = 2.0; }",
                3,
                "RANGE `s` is unwritten where this condition does not hold",
            ),
            (
                "void main() { s = 1.0; r.xy = vec2(1.0);\n if (n > 0.0) r.w = r.x; else r.a = 1.0; }",
                1,
                "RANGE `r.z` is unwritten on every path",
            ),
            (
                "void main() { s = 1.0; r.rg = vec2(1.0); r[2] = 1.0;\n if (n > 0.0) r.w = 1.0; }",
                3,
                "RANGE `r.w` is unwritten where this condition does not hold: write `r.w = ...;`",
            ),
            (
                "void main() { s = 1.0;\n for (int i = 0; i < count; i++) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this loop ends before it is written",
            ),
            (
                "void main() { s = 1.0;\n for (int i = 4; i < 4; i++) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this loop ends before it is written",
            ),
            (
                "void main() { s = 1.0; const int N = 4; int i = N + 1;\n for (; i <= N; i++) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void main() { s = 1.0; int i = 0, k = -1;\n while (i < k) { r = vec4(1.0); i++; } }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "int taps() { return count; }\nvoid main() { s = 1.0;\n for (int i = 0; i < taps(); i++) r = vec4(1.0); }",
                4,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void main() { s = 1.0; int k = 0; if (n > 0.0) k = 4;\n for (int i = 0; i < k; i++) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void main() { s = 1.0; int k = 0; while (float(k) < n) k++;\n for (int i = 0; i < k; i++) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void ask(out int k) { k = count; }\nvoid main() { s = 1.0; int k; ask(k);\n for (int i = 0; i < k; i++) r = vec4(1.0); }",
                4,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void fill(int k, int m) {\n for (int i = m; i < k; i++) r = vec4(1.0); }\nvoid main() { s = 1.0; fill(count, 0); }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void main() { s = 1.0; int k = 2;\n for (int k = count; k < 3; k++) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void main() { s = 1.0;\n for (int i = 0; i < 4; i++) { if (n > 0.0) break; r = vec4(1.0); } }",
                3,
                "RANGE `r` is unwritten where this",
            ),
            (
                "void main() { s = 1.0;\n while (n > 0.0) { r = vec4(1.0); } }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "void main() { s = 1.0; if (n > 0.0)\n return;\n r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten at this `return`",
            ),
            (
                "void shade() {\n if (n < 0.0) return;\n r = vec4(1.0); }\nvoid main() { s = 1.0; shade(); }",
                3,
                "RANGE `r` is unwritten at this `return`",
            ),
            (
                "void main() { s = 1.0;\n switch (count) { case 0: r = vec4(1.0); break; case 1: r = vec4(2.0); } }",
                3,
                "RANGE `r` is unwritten in a case of this `switch`",
            ),
            (
                "void main() { s = 1.0;\n switch (count) { case 0: break; default: r = vec4(2.0); } }",
                3,
                "RANGE `r` is unwritten",
            ),
            ("void main() { s = 1.0; }", 1, "RANGE `r` is unwritten on every path"),
            (
                "uniform float material;\nvoid main() { s = 1.0;\n if (material > 0.0) r = vec4(1.0); }",
                4,
                "RANGE `r` is unwritten where this condition",
            ),
            (
                "uniform int ivector;\nvoid main() { s = 1.0;\n for (int i = 0; i < ivector; i++) r = vec4(1.0); }",
                4,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "#define N (2*4+1)\nuniform float w[N];\nfloat first() { return w[0]; }\nvoid main() { s = 1.0;\n if (first() > 0.0) r = vec4(1.0); }",
                6,
                "RANGE `r` is unwritten where this condition",
            ),
            (
                "void main() { s = 1.0; int lo = int(1.0), hi = 4; hi = lo + count;\n for (int i = 0; i < hi; i++) r = vec4(1.0); }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "int taps = 4;\nint get() { return taps; }\nvoid main() { s = 1.0; taps = count;\n for (int i = 0; i < get(); i++) r = vec4(1.0); }",
                5,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "int taps = 4;\nvoid fewer() { taps--; }\nvoid main() { s = 1.0; while (n > float(taps)) fewer();\n for (int i = 0; i < taps; i++) r = vec4(1.0); }",
                5,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "struct Pair { int k; } pair;\nvoid main() { s = 1.0; pair.k = count;\n for (int i = 0; i < pair.k; i++) r = vec4(1.0); }",
                4,
                "RANGE `r` is unwritten where this loop",
            ),
            (
                "struct Pair { float r; };\nvoid main() { s = 1.0;\n if (n > 0.0) r = vec4(1.0); }",
                4,
                "RANGE `r` is unwritten where this condition",
            ),
            (
                "void main() { r = vec4(0.0);\n for (int i = 0; i < 4; i++) s += m[i]; }",
                3,
                "RANGE `s` is unwritten where it is read here",
            ),
            ("void main() { s = 0.0;\n r = r + 1.0; }", 3, "RANGE `r` is unwritten where it is read here"),
            (
                "void main() { s = 0.0;\n if (n > 0.0) r = vec4(1.0);\n r = max(r, 0.0); }",
                3,
                "RANGE `r` is unwritten where this condition does not hold",
            ),
            (
                "#define WHEN(c) if (c)\nvoid main() { s = 0.0;\n WHEN(n > 0.0)\n r = vec4(1.0); }",
                4,
                "RANGE `r` is unwritten where this condition does not hold",
            ),
            (
                "void main() { s = 1.0;\n if (n > 0.0) { r = vec4(1.0); return; } }",
                3,
                "RANGE `r` is unwritten where this condition does not hold",
            ),
            (
                "void main() { s = 1.0;\n if (n > 0.0) { } else { r = vec4(1.0); return; } }",
                3,
                "RANGE `r` is unwritten where this condition holds",
            ),
            (
                "void main() { s = 1.0; if (n < 0.0) discard;\n if (n > 0.0) { r = vec4(1.0); return; }\n if (n > 1.0) discard; }",
                3,
                "RANGE `r` is unwritten where this condition does not hold",
            ),
            (
                "void main() { s = 1.0;\n switch (count) { case 0: r = vec4(1.0); return; } }",
                3,
                "RANGE `r` is unwritten in a case of this `switch`",
            ),
            (
                "void main() { s = 1.0;\n while (n > 0.0) { r = vec4(1.0); return; } }",
                3,
                "RANGE `r` is unwritten where this loop",
            ),
            ("void main() { s = 0.0;\n (r.xyz).yz[0] = 1.0; r.xyw = vec3(1.0); }", 1, "RANGE `r.z` is"),
            (
                "void main() { r = vec4(1.0);\n s = max(n, s); }",
                3,
                "RANGE `s` is unwritten where it is read here",
            ),
            (
                "void main() { r = vec4(1.0);\n s = n > 0.0 ? s : 1.0; }",
                3,
                "RANGE `s` is unwritten where it is read here",
            ),
            (
                "#ifdef pug_across\nvoid main() { s = 1.0; }\n#else\nvoid main() { r = vec4(1.0); s = 1.0; }\n#endif",
                1,
                "RANGE `r`",
            ),
            (
                "#define OUT 0x10\n#if OUT == 020\nvoid main() { s = 1.0; }\n#else\nvoid main() { r = vec4(1.0); s = 1.0; }\n#endif",
                1,
                "RANGE `r`",
            ),
            (
                "float f(float a, float b) { return a + b; }\nvoid main() { s = 0.0; if (f(1.0, n) == 2.0)\n r = vec4(f(2.0, n)); }",
                3,
                "RANGE `r`",
            ),
        ] {
            let found = told(&of(body));
            assert!(
                found.as_ref().is_some_and(|(at, says)| *at == line && says.starts_with(start)),
                "{body}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_written_on_every_path_is_not_told() {
        for body in [
            "void main() { r = vec4(0.0); s = 0.0; if (n > 0.0) r.x = 1.0; }",
            "void main() { if (n > 0.0) { r = vec4(1.0); } else if (n < 0.0) r = vec4(2.0); else { r = vec4(3.0); } s = r.x; }",
            "void main() { if (!(n > 0.0)) discard; r = vec4(1.0); s = 1.0; }",
            "void stop() { discard; }\nvoid main() { if (n > 0.0) { r = vec4(1.0); s = 1.0; return; } stop(); }",
            "void main() { r.xy = vec2(1.0); s = 0.0; r.zw = r.xy; r += 1.0; s++; }",
            "void main() { for (int i = 0; i < 4; i++) { r[i] = m[i]; s = 0.0; } }",
            "const int N = 3;\nvoid main() { for (int i = N - 3; i < 2 * N; ++i) { if (n > 1.0) continue; } r = vec4(1.0); s = 1.0; }",
            "#define N 3\nvoid main() { for (float i = 0.0; i < float(N); i += 1.0) { r = vec4(i); s = i; if (n > i) break; } }",
            "void main() { while (true) { r = vec4(n); s = n; if (n > 0.0) break; } }",
            "void main() { do { r = vec4(n); s = n; } while (n < 0.0); }",
            "void main() { for (;;) { if (n > 0.0) { r = vec4(n); s = n; return; } } }",
            "void fill(out vec4 a, out float b) { a = vec4(1.0); b = 1.0; }\nvoid main() { fill(r, s); }",
            "void fill(inout float b);\nvoid main() { r = vec4(1.0); fill(r.x); fill(s); }\nvoid fill(inout float b) { b = 1.0; }",
            "void fill();\nvoid main() { fill(); }\nvoid fill() { r = vec4(1.0); s = 1.0; }",
            "float part(float v) { s = v; return v; }\nvoid main() { r = vec4(part(n)); }",
            "void main() { switch (count) { case 0: r = vec4(0.0); break; case 1: default: r = vec4(2.0); } s = 1.0; }",
            "void main() { switch (count) { case 0: discard; default: r = vec4(2.0); s = 1.0; } }",
            "void main() { if (2 > 1) r = vec4(0.0); if (3 == 2) return; if (true) s = 1.0; }",
            "const bool WIDE = true;\nvoid main() { if (WIDE) { r = vec4(0.0); } s = 1.0; }",
            "void main() { s = modf(n, r.x); r.yzw = vec3(s); }",
            "#define OUT 0x3\n#if OUT & 0x1\nvoid main() { r = vec4(1.0); s = 1.0; }\n#else\nvoid main() { }\n#endif",
            "#ifdef pug_across\nvoid main() { r = vec4(1.0); s = 1.0; }\n#else\nvoid main() { }\n#endif",
            "void main() { for (highp int i = 0; i < 4; i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { int i = 0; for (; i < 4; i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { int k = 4, i = 0; s = 0.0; for (; i < k; i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { float i = 0.0; for (; i < 4.0; i += n) { r = vec4(1.0); s = 1.0; } }",
            "void main() { int i = 0; while (i < 4) { if (n > 0.0) i = 9; r = vec4(1.0); s = 1.0; i += 1; } }",
            "void main() { int i; i = 0; while (i != 4) { r = vec4(1.0); s = 1.0; ++i; } }",
            "int taps() { return 4; }\nvoid main() { for (int i = 0; i < taps(); i++) { r = vec4(1.0); s = 1.0; } }",
            "int half_of(int k) { int h = k; h /= 2; return h; }\nvoid main() { int k = half_of(8); for (int i = 0; i < k; i++) { r = vec4(1.0); s = 1.0; } }",
            "void fill(int k) { for (int i = 0; i < k; i++) r = vec4(1.0); }\nvoid main() { fill(4); s = 1.0; }",
            "void main() { for (int i = 0; i < 4; i++) if (i == 2) { r = vec4(1.0); s = 1.0; } }",
            "void main() { int k = 1; k <<= 2; if (n > 0.0) { int i = 0; i++; } for (int i = 0; i < k; i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { for (int i = 0; i < mat2x3[2](mat2x3(1.0), mat2x3(2.0)).length() + bvec2[3](bvec2(true), bvec2(true), bvec2(true)).length(); i++) { r = vec4(1.0); s = 1.0; } }",
            "int[2] twice(highp int k);\nvoid main() { int k = 4; k++; for (int i = 0; i < twice(k)[0]; i++) { r = vec4(1.0); s = 1.0; } }\nint[2] twice(highp int k) { return int[2](2 * k, k); }",
            "void main() { int lo = int(1.0), hi = 4; hi += lo; for (int i = 0; i < hi; i++) { r = vec4(1.0); s = 1.0; } }",
            "int taps = 4, more = taps;\nint both() { return taps + more; }\nvoid main() { for (int i = 0; i < both(); i++) { r = vec4(1.0); s = 1.0; } }",
            "highp int taps;\nvoid main() { taps = 4; for (int i = 0; i < taps; i++) { r = vec4(1.0); s = 1.0; } }",
            "struct Pair { float part; int k; };\nint of(Pair pair) { return pair.k; }\nvoid main() { int k = 4; k++; Pair two = Pair(1.0, 4); for (int i = 0; i < of(two) + k; i++) { r = vec4(1.0); s = 1.0; } }",
            "struct Pair { int k; } pair;\nvoid main() { pair.k = 4; for (int i = 0; i < pair.k; i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { int texels = 4, extent = 1; texels += extent; extent++; for (int i = 0; i < texels + extent; i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { int k = 0; for (int i = 0; i < 4; i++) { if (n > 0.0) break; k++; } for (int i = 0; i < k; i++) { r = vec4(1.0); s = 1.0; } }",
            "const highp int N = 3;\nvoid main() { for (int i = 0; i < N; i++) { r = vec4(1.0); s = 1.0; } }",
            "const int N = 3, M = 4;\nvoid main() { for (int i = 0; i < M; i++) { r = vec4(1.0); s = 1.0; } if (M == 3) discard; }",
            "const ivec2 SIZE = ivec2(3);\nvoid main() { for (int i = 0; i < SIZE.x; i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { for (int i = 0; i < m.length(); i++) { r = vec4(1.0); s = 1.0; } }",
            "const float w[3] = float[3](1.0, 2.0, 3.0);\nvoid main() { for (int i = 0; i < w.length(); i++) s = w[i]; if (w[0] > 0.0) r = vec4(s); }",
            "void main() { for (int i = 0; i < int(sqrt(16.0)); i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { for (int i = 0; i < min(4, 8); i++) { r = vec4(1.0); s = 1.0; } }",
            "void main() { for (float a = 0.0; a < radians(180.0); a += 1.0) { r = vec4(a); s = a; } }",
            "void main() { for (vec2 p = vec2(0.0); p.x < 2.0; p.x += 1.0) { r = p.xyxy; s = p.x; } }",
            "void f() { const int N = 0; }\nvoid main() { const int N = 1; if (N == 1) { r = vec4(1.0); s = 1.0; } }",
            "void main() { const float K = 2.0; if (K > 1.0) { r = vec4(K); s = K; return; } }",
            "void main() { const float K = 2.0; if (K < 1.0) return; if (K < 0.5) s = r.x; r = vec4(K); s = K; }",
            "void main() { struct Pair { float a; float b; } p; p.a = n; struct Q { float c; }; r = vec4(p.a); s = 1.0; }",
            "void main() { switch (2) { case 1: s = 1.0; r = vec4(1.0); return; case 2: r = vec4(2.0); break; } s = 1.0; }",
            "const int FORM = 1;\nvoid main() { switch (FORM) { case 0: s = 1.0; break; case 1: r = vec4(1.0); s = 2.0; break; case 2: break; } }",
            "float f(float v) { return v; }\nvoid main() { r = vec4(0.0); if ((s = f(n)) > 0.0 && s < 1.0) r = vec4(s); }",
            "void main() { r = (s = n) > 0.0 ? vec4(s) : vec4(-s); }",
            "void main() { float t = (r = vec4(1.0)).x + r.y; s = t; }",
            "float f(float v) { return v + s; }\nvoid main() { r = vec4(f(s = n)); }",
            "void fill(out vec4 a) { a = vec4(1.0); }\nvoid main() { fill((r)); ((s)) = r.x; }",
            "void main() { (r) = vec4(1.0); s = (r).x; }",
            "void main() { r.xyz[0] = 1.0; r.xyz.y = 2.0; (r.zw)[0] = 1.0; r.wz.x = 3.0; s = float(r.length()); }",
            "#if 0\n#else\n#define OUT r\n#endif\nvoid main() { OUT = vec4(1.0); s = 1.0; }",
            "#ifdef GL_ES\nvoid main() {}\n#else\nvoid main() { r = vec4(1.0); s = 1.0; }\n#endif",
        ] {
            assert_eq!(told(&of(body)), None, "{body}");
            // A RANGE more, which nobody writes, is told: the text was understood.
            let more = told(&format!("RANGE float q; {}", of(body)));
            assert!(more.is_some_and(|(_, says)| says.starts_with("RANGE `q` is unwritten")), "{body}");
        }
    }

    #[test]
    fn a_text_that_is_not_understood_is_left_alone() {
        for body in [
            // Words of the driver may have any definition.
            "#if __VERSION__ > 300\nvoid main() {}\n#else\nvoid main() { r = vec4(1.0); s = 1.0; }\n#endif",
            // No whole number.
            "#if 09 > 8\nvoid main() { r = vec4(1.0); s = 1.0; }\n#else\nvoid main() {}\n#endif",
            // A name that is declared again may mean either.
            "void main() { { float a = 1.0, r = 2.0; } float s; }",
            "float f(float a, float r) { r = a; return r; }\nvoid main() { s = f(n, n); }",
            // Not understood.
            "void main() { if (n > 0.0 r = vec4(1.0); }",
            "void main( {",
        ] {
            assert_eq!(told(&of(body)), None, "{body}");
        }
    }

    #[test]
    fn a_variant_is_read_as_it_is_compiled() {
        let text = "RANGE float r;\n#ifdef HALF\nRANGE float h;\n#endif\nvoid main() { r = 1.0; if (FORM == 1) h = 1.0; }";
        let form = |form: i32| Kernel::new("t", text).define("HALF", 1).define("FORM", form);
        assert!(check(&form(1), false).is_ok());
        assert!(matches!(check(&form(2), true), Err(Error::Declaration { line: 3, .. })));
        assert!(check(&Kernel::new("t", text).define("FORM", 2), true).is_ok());
    }

    #[test]
    fn a_define_of_the_host_may_have_parameters() {
        let kernel = |to: &str| {
            let text = format!("RANGE float r; RANGE float q; void main() {{ SET(1.0) {to} = 1.0; }}");
            check(&Kernel::new("t", &text).define("SET(v)", "r = v;"), false)
        };
        assert!(kernel("q").is_ok());
        assert!(kernel("r").is_err());
    }

    #[test]
    fn names_of_the_words_before_a_kernel_are_free() {
        let tokens = Preprocessor::of(&Kernel::new("t", ""), false, "").finish().0;
        let mut seen = 0;
        for name in ["place", "row", "column", "index", "position", "size", "v", "x"] {
            let is_there = tokens.iter().any(|token| token.text == name);
            seen += usize::from(is_there);
            let text = |body: &str| {
                format!("RANGE float {name}; uniform float n;\nvoid main() {{ {body} {name} = 1.0; }}")
            };
            assert_eq!(told(&text("")), None, "{name}");
            assert!(told(&text("if (n > 0.0)")).is_some_and(|(line, _)| line == 2), "{name}");
        }
        assert!(seen > 1, "{seen}");
    }

    #[test]
    fn any_text_is_read_without_a_panic() -> std::io::Result<()> {
        let calls =
            format!("RANGE float r; void f() {{ {} r = 1.0; }} void main() {{ f(); }}", "f();".repeat(50));
        let deep = format!("RANGE float r; void main() {{ {} }}", "if (a) ".repeat(30_000));
        for text in [
            &calls,
            &deep,
            "RANGE",
            "RANGE float r; void main()",
            "RANGE float r; main(){for(}",
            "RANGE float r; void main() { r",
            "[](){}",
            "void main(){r.}",
            "RANGE float r; void main(){switch(a){case",
        ] {
            let _ = told(text);
        }
        for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/kernel"))? {
            let _ = told(&String::from_utf8_lossy(&std::fs::read(file?.path())?));
        }
        Ok(())
    }

    /// Kernels that exercises collect as wrong may be told; all others are right.
    #[test]
    fn no_kernel_of_the_house_and_no_shader_of_another_project_is_told() -> std::io::Result<()> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders: Vec<_> =
            ["glsl", "demos/kernels", "exercises", "tests/data/shaders"].map(|name| root.join(name)).into();
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                let name = path.to_string_lossy().into_owned();
                if path.is_dir() && !path.ends_with("wrong") {
                    folders.push(path);
                } else if name.ends_with(".frag") || name.contains("data/shaders") && name.ends_with(".glsl")
                {
                    let mut text = std::fs::read_to_string(&path)?;
                    if !text.contains("void main") {
                        text = format!(
                            "RANGE float written_here;\n{text}\nvoid main() {{ written_here = 1.0; }}"
                        );
                    }
                    for embedded in [false, true] {
                        let checked = check(&Kernel::new(&name, &text), embedded);
                        assert!(checked.is_ok(), "{checked:?}");
                    }
                    seen += 1;
                }
            }
        }
        assert!(seen > 230, "{seen}");
        Ok(())
    }
}
