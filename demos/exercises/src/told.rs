//! An exercise as its folder tells it: `exercise.toml`, `text.md`, `start.frag`, `solution.frag`; wrong answers and kernels that do
//! not compile are `wrong/*.frag`, or bodies of `main()` in `exercise.toml`, which stand in the start.

use anyhow::{Context, Result, anyhow, bail, ensure};
use quadrille::Edges;
use quadrille::error::shown;
use quadrille_gallery::given::{self, Given};
use quadrille_gallery::number;
use quadrille_gallery::state::Array;
use serde::Deserialize;

use crate::words::Words;

/// The exercises that are packed: names, and texts by their names.
static BUILT_IN: &[(&str, &[(&str, &str)])] = include!(concat!(env!("OUT_DIR"), "/exercises.rs"));

#[derive(Clone, Debug)]
pub struct Exercise {
    pub name: String,
    pub chapter: u32,
    /// Its place among those of its chapter.
    order: u32,
    /// One line for the list.
    pub summary: String,
    /// Units in the last place that a number may be off.
    pub ulps: u32,
    /// The stream that reads what the step before wrote.
    pub feedback: Option<String>,
    pub hints: Vec<String>,
    pub cases: Vec<Case>,
    pub text: String,
    pub start: String,
    pub solution: String,
    pub wrong: Vec<Wrong>,
    pub broken: Vec<Broken>,
    /// Rows are arrays of one dimension, folded; the output is one where it is as long as the first.
    pub arrays: bool,
    /// The kernel places points: the learner writes its vertex program.
    pub points: bool,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub streams: Vec<(String, Array)>,
    pub floats: Vec<(String, Vec<f32>)>,
    /// Width and height of the output.
    pub size: [u32; 2],
    pub edges: Edges,
    pub steps: u32,
    /// The expected output, where the task gives it in numbers.
    pub expect: Option<Array>,
}

/// A wrong answer and what is said to whoever gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrong {
    pub file: String,
    /// Empty: a mistake that no hint is for.
    #[serde(default)]
    pub hint: String,
    /// The statements of main(), where they are all that differs from the start: `file` is a name then, and no file is read.
    #[serde(default)]
    body: Option<String>,
    #[serde(skip)]
    pub text: String,
}

/// A kernel that does not compile, and words that the first line about it has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    pub file: String,
    pub says: String,
    /// The line that is told, where it is checked.
    pub line: Option<usize>,
    /// As that of a wrong answer.
    #[serde(default)]
    body: Option<String>,
    /// The lines above main(), where they are not those of the start: with a body or with the start's.
    #[serde(default)]
    head: Option<String>,
    #[serde(skip)]
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    chapter: u32,
    #[serde(default)]
    order: u32,
    summary: String,
    #[serde(default)]
    ulps: u32,
    #[serde(default)]
    edges: Option<String>,
    #[serde(default)]
    arrays: bool,
    feedback: Option<String>,
    hints: Vec<String>,
    case: Vec<toml::Table>,
    #[serde(default)]
    wrong: Vec<Wrong>,
    #[serde(default)]
    broken: Vec<Broken>,
}

/// All packed exercises, in the order of the book.
///
/// # Errors
/// A folder that tells no exercise.
pub fn built_in() -> Result<Vec<Exercise>> {
    let all = BUILT_IN.iter().map(|(name, files)| {
        let text =
            |file: &str| files.iter().find(|(known, _)| *known == file).map(|(_, text)| (*text).to_owned());
        Exercise::of(name, &|file| Ok(text(file)))
    });
    Ok(ordered(all.collect::<Result<_>>()?))
}

/// Exercises in the order of the book.
pub fn ordered(mut exercises: Vec<Exercise>) -> Vec<Exercise> {
    exercises.sort_by(|a, b| (a.chapter, a.order, &a.name).cmp(&(b.chapter, b.order, &b.name)));
    exercises
}

impl Exercise {
    /// Reads an exercise; `file` gives the text of a file of its folder, `None` where there is no such file.
    ///
    /// # Errors
    /// Those of reading; a file that is missing or tells something else than an exercise.
    pub fn of(name: &str, file: &dyn Fn(&str) -> Result<Option<String>>) -> Result<Exercise> {
        let text = |wanted: &str| {
            file(wanted)?.ok_or_else(|| anyhow!("{}: there is no {}", shown(name), shown(wanted)))
        };
        let points = file("start.vert")?.is_some();
        let ending = if points { "vert" } else { "frag" };
        let told: Told = toml::from_str(&text("exercise.toml")?)
            .map_err(|error| anyhow!("{}/exercise.toml: {}", shown(name), error.to_string().trim_end()))?;
        let start = text(&format!("start.{ending}"))?;
        let edges = edges(told.edges.as_deref()).with_context(|| format!("{}/exercise.toml", shown(name)))?;
        let mut cases = Vec::new();
        for (number, case) in told.case.iter().enumerate() {
            let case = Case::of(case, &start, edges, told.feedback.as_deref());
            cases.push(case.with_context(|| format!("{}/exercise.toml: case {}", shown(name), number + 1))?);
        }
        ensure!(!cases.is_empty(), "{}/exercise.toml: there is no case", shown(name));
        let (mut wrong, mut broken) = (told.wrong, told.broken);
        let wrong_text = |file: &str, body: Option<&str>| match body {
            Some(body) => {
                let head = head_for_bodies(&start).with_context(|| {
                    format!("{}: start.{ending} takes no body of {}", shown(name), shown(file))
                })?;
                Ok(format!("{head}void main() {{\n    {body}\n}}\n"))
            }
            None => text(&format!("wrong/{file}")),
        };
        for wrong in &mut wrong {
            wrong.text = wrong_text(&wrong.file, wrong.body.as_deref())?;
        }
        for broken in &mut broken {
            broken.text = match (&broken.head, &broken.body) {
                (Some(head), body) => {
                    let old = head_for_bodies(&start)?;
                    let main = start[old.len()..].to_owned();
                    let own = |body: &String| format!("void main() {{\n    {body}\n}}\n");
                    format!("{head}\n{}", body.as_ref().map_or(main, own))
                }
                (None, body) => wrong_text(&broken.file, body.as_deref())?,
            };
        }
        Ok(Exercise {
            name: name.to_owned(),
            chapter: told.chapter,
            order: told.order,
            summary: told.summary,
            ulps: told.ulps,
            arrays: told.arrays,
            feedback: told.feedback,
            hints: told.hints,
            cases,
            text: text("text.md")?,
            solution: text(&format!("solution.{ending}"))?,
            start,
            wrong,
            broken,
            points,
        })
    }

    /// The file that the learner edits.
    pub fn file(&self) -> String {
        format!("{}.{}", self.name, if self.points { "vert" } else { "frag" })
    }

    /// The first text of the learner's file: the task as a comment, and the kernel to start from.
    pub fn begun(&self) -> String {
        let mut text = String::new();
        for line in self.text.lines() {
            text += format!("// {line}").trim_end();
            text.push('\n');
        }
        text + "\n" + &self.start
    }
}

/// The text above `void main()`, for which another body may be written.
fn head_for_bodies(start: &str) -> Result<&str> {
    let parts: Vec<&str> = start.split("void main()").collect();
    let [head, _] = parts[..] else {
        bail!("expected void main() once, so written, found {} of them", parts.len() - 1)
    };
    let words = Words::of(start);
    let last = words.main_body().map(|(_, end)| end + 1);
    ensure!(last == Some(words.tokens.len()), "expected nothing behind main()");
    Ok(head)
}

/// The words that name a wrong answer or a kernel that does not compile, in errors.
fn named(file: &str, body: Option<&String>) -> String {
    match body {
        Some(_) => format!("{file} (its body is in exercise.toml)"),
        None => format!("wrong/{file}"),
    }
}

impl Wrong {
    /// Its name in errors.
    pub fn named(&self) -> String {
        named(&self.file, self.body.as_ref())
    }
}

impl Broken {
    /// Its name in errors.
    pub fn named(&self) -> String {
        named(&self.file, self.body.as_ref().or(self.head.as_ref()))
    }
}

fn edges(name: Option<&str>) -> Result<Edges> {
    match name {
        None | Some("clamp") => Ok(Edges::Clamp),
        Some("repeat") => Ok(Edges::Repeat),
        Some("mirror") => Ok(Edges::Mirror),
        Some(other) => bail!("edges = \"{}\": expected clamp, repeat or mirror", shown(other)),
    }
}

impl Case {
    fn of(told: &toml::Table, start: &str, of_all: Edges, feedback: Option<&str>) -> Result<Case> {
        let mut case = Case {
            streams: Vec::new(),
            floats: Vec::new(),
            size: [0, 0],
            edges: of_all,
            steps: 1,
            expect: None,
        };
        let mut size = None;
        for (key, value) in told {
            case.set(&mut size, key, value).with_context(|| shown(key))?;
        }
        // The size of the outputs is that of the stream that is fed back, or that is declared first.
        let place = |name: &str| match feedback == Some(name) {
            true => 0,
            false => declared_at(start, name),
        };
        case.streams.sort_by_key(|(name, _)| place(name));
        case.size = match (size, case.streams.first()) {
            (Some(size), _) => size,
            (None, Some((_, first))) => [first.width as u32, first.height as u32],
            (None, None) => bail!("neither a stream nor a size"),
        };
        if let Some(expect) = &case.expect {
            let [width, height] = case.size;
            let (found, wanted) = ((expect.width, expect.height), (width as usize, height as usize));
            ensure!(
                found == wanted,
                "expect has {} x {} elements, the size is {width} x {height}",
                found.0,
                found.1
            );
        }
        Ok(case)
    }

    fn set(&mut self, size: &mut Option<[u32; 2]>, key: &str, value: &toml::Value) -> Result<()> {
        match (key, value) {
            ("expect", value) => self.expect = Some(array(value)?),
            ("size", toml::Value::String(text)) => {
                let sides = number::sizes(text);
                *size = Some(sides.context("expected WIDTHxHEIGHT with both above 0, as in 5x3")?);
            }
            ("edges", toml::Value::String(name)) => self.edges = edges(Some(name))?,
            ("steps", toml::Value::Integer(steps @ 1..=1000)) => self.steps = *steps as u32,
            ("floats", toml::Value::Table(floats)) => {
                for (name, value) in floats {
                    self.floats.push((name.clone(), array(value)?.values));
                }
            }
            ("size" | "edges" | "steps" | "floats", _) => bail!("not of the kind that is expected"),
            (_, value) => self.streams.push((key.to_owned(), array(value)?)),
        }
        Ok(())
    }
}

/// The place of a name as a word of its own.
fn declared_at(text: &str, name: &str) -> usize {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let whole = |at: &usize| {
        !is_part(text[..*at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next())
    };
    text.match_indices(name).map(|(at, _)| at).find(whole).map_or(usize::MAX, |at| at + 1)
}

/// A number, a row of them, rows, or a text such as `kernel --stream` takes.
fn array(value: &toml::Value) -> Result<Array> {
    let number = |value: &toml::Value| match value {
        toml::Value::Float(number) => Ok(*number as f32),
        toml::Value::Integer(number) => Ok(*number as f32),
        other => Err(anyhow!("{}: expected a number", other.type_str())),
    };
    match value {
        toml::Value::String(text) => match Given::of(text)? {
            Some(given) => Ok(given.array()),
            None => bail!("\"{}\": {}", shown(text), given::EXPECTED),
        },
        toml::Value::Array(rows) if rows.iter().all(toml::Value::is_array) && !rows.is_empty() => {
            let rows: Vec<&Vec<toml::Value>> = rows.iter().filter_map(toml::Value::as_array).collect();
            let width = rows[0].len();
            ensure!(rows.iter().all(|row| row.len() == width), "rows of different lengths");
            let values = rows.iter().flat_map(|row| row.iter()).map(number).collect::<Result<_>>()?;
            Ok(Array { height: rows.len(), width, components: 1, values })
        }
        toml::Value::Array(row) => {
            let values = row.iter().map(number).collect::<Result<_>>()?;
            Ok(Array { height: 1, width: row.len(), components: 1, values })
        }
        one => Ok(Array { height: 1, width: 1, components: 1, values: vec![number(one)?] }),
    }
}
