//! Results as text, 80 columns wide.

use quadrille_gallery::printed;
use quadrille_gallery::state::Array;

use crate::explain::Explained;
use crate::judge::{Answer, Mistake, TYPES, Verdict};
use crate::told::{Case, Exercise};

const WIDTH: usize = 80;
/// Sides of the part of a large result that is shown in numbers.
const PART: usize = 8;

/// Says how a kernel did; `only` is the case alone that was checked, from 0, and `done` says how far the learner is.
pub fn verdict(exercise: &Exercise, verdict: &Verdict, only: Option<usize>, done: &str) -> Vec<String> {
    match verdict {
        Verdict::Refused(explained) => refused(&exercise.file(), explained),
        Verdict::Wrong(found) => mistake(exercise, found, done),
        Verdict::Solved => {
            let cases = match only {
                Some(case) => format!("case {} of {} is right", case + 1, exercise.cases.len()),
                None => format!("solved, all {} cases are right", exercise.cases.len()),
            };
            vec![format!("{}: {cases}. {done}.", exercise.name)]
        }
    }
}

/// Says how a kernel did, in a line of a list.
pub fn in_a_line(exercise: &Exercise, verdict: &Verdict) -> String {
    let word = match verdict {
        Verdict::Solved => "solved".to_owned(),
        Verdict::Wrong(mistake) => format!("case {} is wrong", mistake.case + 1),
        Verdict::Refused(explained) if explained.line > 0 => {
            format!("does not compile, line {}", explained.line)
        }
        Verdict::Refused(_) => "does not compile".to_owned(),
    };
    format!("{:<14} {word}", exercise.name)
}

/// A kernel that does not compile: the line, a mark below the place, our sentence, the driver's.
fn refused(file: &str, explained: &Explained) -> Vec<String> {
    let Explained { line, column, text, sentence, driver } = explained;
    let mut lines = Vec::new();
    let indent = match line {
        0 => {
            lines.push(file.to_owned());
            2
        }
        line => {
            let head = format!("{file}:{line}   ");
            let room = WIDTH.saturating_sub(head.len()).max(20);
            let letters: Vec<char> = text.trim_end().replace('\t', " ").chars().collect();
            let place = column.saturating_sub(1);
            // A long line is cut on the left, so that the place of the mark is in sight.
            let from = if letters.len() > room && place + room / 3 > room { place - room / 2 } else { 0 };
            let mut part: Vec<char> = letters.iter().skip(from).take(room).copied().collect();
            if from > 0 {
                part.iter_mut().take(3).for_each(|letter| *letter = '.');
            }
            lines.push(format!("{head}{}", part.into_iter().collect::<String>()));
            let at = head.len() + place - from;
            lines.push(format!("{:at$}^", ""));
            2
        }
    };
    lines.extend(wrapped(sentence, indent));
    if let Some(driver) = driver {
        let mut told = wrapped(&format!("the driver: {driver}"), 2);
        told.truncate(3);
        lines.extend(told);
    }
    lines
}

/// A wrong answer: what goes in, what is expected, what came out, and the hint.
pub fn mistake(exercise: &Exercise, found: &Mistake, done: &str) -> Vec<String> {
    let case = &exercise.cases[found.case];
    let mut lines = vec![head(exercise, case, found.case, done)];
    let Mistake { answer, expected, wrong, .. } = found;
    if answer.result.components != expected.components {
        let (has, wanted) = (answer.result.components, expected.components);
        let kind = TYPES[wanted.clamp(1, 4) - 1];
        lines.push(format!(
            "  your RANGE has {has} numbers an element, {wanted} expected: declare it RANGE {kind}"
        ));
        return lines;
    }
    let grid = answer.result.height > 1 && answer.result.width <= PART && answer.result.height <= PART;
    // A small grid shows all inputs.
    if !grid {
        lines.extend(constants(case));
    }
    if let (Some(width), Some((name, array))) = (answer.folded, case.streams.first()) {
        let rows = array.width.div_ceil(width);
        lines.push(format!(
            "  {name} is folded into {rows} row{} of {width}",
            if rows == 1 { "" } else { "s" }
        ));
    }
    if answer.result.height == 1 {
        match row(case, found, exercise.points) {
            Some(rows) => lines.extend(rows),
            None if answer.result.width <= PART => lines.extend(tables(answer, expected, wrong, (0, 0))),
            None => lines.extend(large(answer, expected, wrong)),
        }
    } else if answer.result.width <= PART && answer.result.height <= PART {
        if case.streams.iter().all(|(_, array)| array.width <= PART && array.height <= PART) {
            lines.extend(inputs(case));
        }
        lines.extend(tables(answer, expected, wrong, (0, 0)));
    } else {
        lines.extend(large(answer, expected, wrong));
    }
    if let Some(hint) = &found.hint {
        lines.extend(wrapped(hint, 2));
    }
    lines
}

/// The line above everything: exercise, case, sizes, and how far the learner is.
pub fn head(exercise: &Exercise, case: &Case, number: usize, done: &str) -> String {
    let of = |width: usize, height: usize| {
        if height == 1 { width.to_string() } else { format!("{width}x{height}") }
    };
    let [width, height] = case.size.map(|side| side as usize);
    let from = case.streams.first().map_or("no".to_owned(), |(_, array)| of(array.width, array.height));
    let texels = if from == "1" { "texel" } else { "texels" };
    let steps = if case.steps == 1 { String::new() } else { format!(", {} steps", case.steps) };
    let to = of(width, height);
    let left = format!(
        "{}  case {} of {}: {from} {texels} -> {to}{steps}",
        exercise.name,
        number + 1,
        exercise.cases.len()
    );
    format!("{left}{done:>width$}", width = (WIDTH - left.chars().count().min(WIDTH)).max(done.len() + 2))
}

/// Rows below each other, where they fit: inputs, expected, yours.
fn row(case: &Case, found: &Mistake, points: bool) -> Option<Vec<String>> {
    let Mistake { answer, expected, wrong, .. } = found;
    let outputs = answer.result.width;
    let streams: Vec<(&str, &Array)> =
        case.streams.iter().filter(|(_, a)| a.height == 1).map(|(name, a)| (name.as_str(), a)).collect();
    let mut rows: Vec<(&str, Vec<String>)> = streams.iter().map(|(name, a)| (*name, cells(a))).collect();
    rows.push(("expected", cells(expected)));
    let mine = cells(&answer.result).into_iter().zip(&answer.unwritten);
    rows.push((
        "yours",
        mine.map(|(cell, unwritten)| if *unwritten { "?".to_owned() } else { cell }).collect(),
    ));
    let cell = rows.iter().flat_map(|(_, cells)| cells).map(|cell| cell.chars().count()).max()? + 2;
    // Inputs of twice the width or more stand in groups, one above each output.
    let widest = rows.iter().map(|(_, cells)| cells.len()).max()?;
    let group = match expected.components {
        1 => widest.div_ceil(outputs.max(1)),
        components => components,
    };
    let grouped = !points && group > 1 && group * outputs < widest + group && outputs > 1;
    let mut lines = Vec::new();
    for (name, cells) in &rows {
        let mut line = format!("  {name:<9}");
        for (i, text) in cells.iter().enumerate() {
            line += &match grouped && cells.len() == outputs {
                true => format!("{text:<width$}", text = format!("{text:>cell$}"), width = group * cell),
                false => format!("{text:>cell$}"),
            };
            if grouped && (cells.len() == outputs || i % group == group - 1) && i + 1 < cells.len() {
                line += " |";
            }
        }
        let end = if *name == "yours" { wrong.iter().position(|wrong| *wrong) } else { None };
        let mark = end.map_or(String::new(), |texel| format!("   <- texel {texel}"));
        lines.push(format!("{}{mark}", line.trim_end()));
    }
    lines.iter().all(|line| line.chars().count() <= WIDTH).then_some(lines)
}

fn cells(array: &Array) -> Vec<String> {
    (0..array.width).map(|x| printed::element(array, x, 0)).collect()
}

/// A map of what is right, wrong and not written, and the first wrong part in numbers.
fn large(answer: &Answer, expected: &Array, wrong: &[bool]) -> Vec<String> {
    let (width, height) = (answer.result.width, answer.result.height);
    let most = WIDTH - 4;
    // A long row goes on in the next line; a wide field is drawn in blocks.
    let block = if height == 1 { 1 } else { width.div_ceil(most).max(height.div_ceil(24)).max(1) };
    let mark = |x: usize, y: usize| {
        let mut mark = '.';
        for (x, y) in (0..block * block).map(|i| (x * block + i % block, y * block + i / block)) {
            if x < width && y < height {
                let texel = y * width + x;
                mark = match (answer.unwritten[texel], wrong[texel], mark) {
                    (true, ..) => '?',
                    (_, true, '.') => 'x',
                    _ => mark,
                };
            }
        }
        mark
    };
    let many = wrong.iter().filter(|wrong| **wrong).count();
    let legend =
        format!("  {many} of {} texels are wrong ('.' right, 'x' wrong, '?' not written)", wrong.len());
    let mut lines = vec![legend];
    for y in 0..height.div_ceil(block) {
        let line: Vec<char> = (0..width.div_ceil(block)).map(|x| mark(x, y)).collect();
        let mut parts: Vec<String> =
            line.chunks(most).map(|part| format!("  {}", part.iter().collect::<String>())).collect();
        if parts.len() > 6 {
            parts.truncate(6);
            parts.push("  ...".to_owned());
        }
        lines.extend(parts);
    }
    let first = wrong.iter().position(|wrong| *wrong).unwrap_or(0);
    let corner = |at: usize, side: usize| at.saturating_sub(2).min(side.saturating_sub(PART));
    lines.extend(tables(
        answer,
        expected,
        wrong,
        (corner(first % width, width), corner(first / width, height)),
    ));
    lines
}

/// Expected and yours below each other, at most 8x8 from a corner on; a wrong number has a star.
fn tables(answer: &Answer, expected: &Array, wrong: &[bool], (left, top): (usize, usize)) -> Vec<String> {
    let (width, height) = (answer.result.width, answer.result.height);
    let (right, bottom) = ((left + PART).min(width), (top + PART).min(height));
    let mut texts = Vec::new();
    for y in top..bottom {
        for x in left..right {
            let texel = y * width + x;
            let mine =
                if answer.unwritten[texel] { "?".to_owned() } else { printed::element(&answer.result, x, y) };
            let star = if wrong[texel] { "*" } else { " " };
            texts.push((printed::element(expected, x, y) + " ", mine + star));
        }
    }
    let cell = texts.iter().map(|(a, b)| a.chars().count().max(b.chars().count())).max().unwrap_or(0) + 1;
    let columns = right - left;
    let across = columns.min(((WIDTH - 2) / cell).max(1));
    let place = |what: &str| match (columns, bottom - top) == (width, height) {
        true => format!("  {what}"),
        false => format!("  {what}, columns {left} to {} of rows {top} to {}", left + across - 1, bottom - 1),
    };
    let first = wrong.iter().position(|wrong| *wrong).unwrap_or(0);
    let mark = format!(" (* is wrong, first at texel ({}, {}))", first % width, first / width);
    let mut lines = Vec::new();
    for (title, mine) in [("expected", false), ("yours", true)] {
        lines.push(place(title) + if mine { &mark } else { "" });
        for row in texts.chunks(columns) {
            let cells = row
                .iter()
                .take(across)
                .map(|(wanted, found)| format!("{:>cell$}", if mine { found } else { wanted }));
            lines.push(format!("  {}", cells.collect::<String>()).trim_end().to_owned());
        }
    }
    lines
}

/// The inputs of a case.
pub fn inputs(case: &Case) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, array) in &case.streams {
        lines.extend(table(&format!("{name} ({} x {})", array.width, array.height), array));
    }
    lines.extend(constants(case));
    lines
}

/// The constants of a case.
fn constants(case: &Case) -> Option<String> {
    let one = |(name, values): &(String, Vec<f32>)| {
        let values: Vec<String> = values.iter().map(|value| printed::number(*value)).collect();
        format!("{name} = {}", values.join(", "))
    };
    let each: Vec<String> = case.floats.iter().map(one).collect();
    (!each.is_empty()).then(|| format!("  {}", each.join("; ")))
}

/// The output of each step of a kernel.
pub fn strip(answer: &Answer) -> Vec<String> {
    let steps = answer.before.len() + 1;
    let each = answer.before.iter().chain([&answer.result]).enumerate();
    each.flat_map(|(i, array)| table(&format!("after pass {} of {steps}", i + 1), array)).collect()
}

fn table(title: &str, array: &Array) -> Vec<String> {
    let mut lines = vec![format!("  {title}")];
    if array.width * array.height <= printed::MOST {
        lines.extend(printed::rows(array));
        return lines;
    }
    let (width, height) = (array.width.min(PART), array.height.min(PART));
    let texel = |i: usize| ((i / width) * array.width + i % width) * array.components;
    let values =
        (0..width * height).flat_map(|i| array.values[texel(i)..texel(i) + array.components].iter().copied());
    let part = Array { height, width, components: array.components, values: values.collect() };
    lines.push(format!("  the first {width} x {height} of them:"));
    lines.extend(printed::rows(&part));
    lines
}

/// A text in lines of at most 80 columns.
pub fn wrapped(text: &str, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{:indent$}{line}", ""));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    if !line.is_empty() {
        lines.push(format!("{:indent$}{line}", ""));
    }
    lines
}
