//! Files that are wrong, each with the place and the line that it must give (`tests/data/wrong-equations.txt`).

use quadrille::pde::{Equations, NoFiles, Overrides, Refusal};

/// A file without mistakes, of which the cases replace lines.
const RIGHT: &[&str] = &[
    "grid = { size = [8, 8], length = [1, 1] }",
    "run = { scheme = \"euler\", step = 0.001 }",
    "parameters = { a = 2, b = { value = 1, range = [0, 2] } }",
    "let = { w = \"a*x\" }",
    "fields.u = { dt = \"lap(u)\", start = \"w\", edges = \"neumann\" }",
    "fields.p = { dt = \"a*p\", edges = \"neumann\" }",
];

/// The line of a file: its place and message.
fn told(text: &str) -> String {
    match Equations::read(text, &Overrides::default(), &mut NoFiles) {
        Ok(_) => "nothing is wrong".to_owned(),
        Err(Refusal::Override(line)) => line,
        Err(Refusal::Fault(fault)) => {
            let (line, column) = fault.span.place(text);
            let part = text.get(fault.span.start..fault.span.end).unwrap_or("(no part)");
            format!("{line}:{column}: [{part}] {fault}")
        }
    }
}

/// A case's line replaces the line that begins with the same word, or stands behind the others.
fn text(lines: &[&str]) -> String {
    let mut all: Vec<String> = RIGHT.iter().map(|line| (*line).to_owned()).collect();
    for line in lines {
        let word = line.split(' ').next().unwrap_or_default();
        match all.iter_mut().find(|known| known.split(' ').next() == Some(word)) {
            Some(known) => *known = (*line).to_owned(),
            None => all.push((*line).to_owned()),
        }
    }
    all.join("\n") + "\n"
}

#[test]
fn the_right_file_is_right() {
    assert_eq!(told(&text(&[])), "nothing is wrong");
}

#[test]
fn each_wrong_file_gives_its_one_line() {
    let (mut lines, mut count, mut others) = (Vec::new(), 0, String::new());
    for line in include_str!("../data/wrong-equations.txt").lines() {
        if let Some(case) = line.strip_prefix("> ") {
            lines.push(case);
        } else if !line.is_empty() && !line.starts_with('#') {
            let told = told(&text(&lines));
            if told != line {
                others += &format!("> {}\n{told}\n", lines.join("\n> "));
            }
            count += 1;
            lines.clear();
        }
    }
    assert!(count >= 40, "{count}");
    assert_eq!(others, "", "the lines of these have changed");
}

#[test]
fn a_parameter_may_have_the_name_of_a_table() {
    let right = |line: &str| told(&text(&[line]));
    assert_eq!(
        right("parameters = { a = 2, b = 1, run = { value = 1, range = [0, 2] } }"),
        "nothing is wrong"
    );
}

#[test]
fn the_only_name_of_a_letter_is_meant_by_another_letter() {
    let text = "grid = { size = 8, length = 1 }\nrun = { scheme = \"euler\", step = 0.001 }\n\
                parameters = { speed = 1 }\nfields.p = { dt = \"speed*lap(q)\", start = 1 }\n";
    assert!(
        told(text).ends_with("\"q\" is no field, parameter or let; did you mean \"p\"?"),
        "{}",
        told(text)
    );
    let text = text.replace("speed", "v");
    assert!(told(&text).ends_with("\"q\" is no field, parameter or let"), "{}", told(&text));
    let text = text.replace("lap(q)", "lap(\u{3b1})");
    assert!(told(&text).ends_with("names have letters a to z"), "{}", told(&text));
}

#[test]
fn any_text_is_refused_without_a_panic() {
    let right = text(&[]);
    for end in 0..right.len() {
        let _ = told(&right[..end]);
        let _ = told(&right[end..]);
        let mut strange = right.clone();
        strange.replace_range(end..end + 1, "é");
        let _ = told(&strange);
        strange.replace_range(end..end + "é".len(), "\"");
        let _ = told(&strange);
    }
}
