//! The text of a shader: its stages, its `#include`s, and where each of its lines comes from.

use std::io;
use std::path::PathBuf;

use crate::gl::{Stage, without_comments};
use crate::{Error, Result};

/// Finds the text of an `#include` by the name between its quotes or brackets.
type Find<'a> = Box<dyn Fn(&str) -> io::Result<String> + 'a>;

/// The text of a shader: a fragment stage, or a vertex and a fragment stage. A text or a pair of texts is one, too.
pub struct Source<'a> {
    pub(super) vertex: Option<(String, String)>,
    pub(super) fragment: (String, String),
    pub(super) defines: Vec<(String, String)>,
    find: Option<Find<'a>>,
}

impl<'a> Source<'a> {
    /// A fragment shader over the whole target.
    pub fn fragment(text: &str) -> Source<'a> {
        let fragment = ("fragment shader".to_owned(), text.to_owned());
        Source { vertex: None, fragment, defines: Vec::new(), find: None }
    }

    /// A vertex and a fragment shader.
    pub fn stages(vertex: &str, fragment: &str) -> Source<'a> {
        let vertex = Some(("vertex shader".to_owned(), vertex.to_owned()));
        Source { vertex, ..Source::fragment(fragment) }
    }

    /// The name of the fragment shader in errors, its file as a rule.
    #[must_use]
    pub fn named(mut self, name: &str) -> Source<'a> {
        self.fragment.0 = name.to_owned();
        self
    }

    /// The name of the vertex shader in errors.
    #[must_use]
    pub fn vertex_named(mut self, name: &str) -> Source<'a> {
        if let Some(vertex) = &mut self.vertex {
            vertex.0 = name.to_owned();
        }
        self
    }

    /// A `#define` before the first line of both stages.
    #[must_use]
    pub fn define(mut self, name: &str, value: impl ToString) -> Source<'a> {
        self.defines.push((name.to_owned(), value.to_string().replace(['\r', '\n'], " ")));
        self
    }

    /// Finds the text of each `#include "name"` or `#include <name>`, those of included texts as well. A text with
    /// `#pragma once` is taken once a stage.
    ///
    /// ```no_run
    /// # fn main() -> quadrille::Result<()> {
    /// # let gpu = quadrille::testing::gpu()?;
    /// use quadrille::testing::Source;
    /// let text = "#version 330 core\n#include <common.glsl>\nvoid main() {}";
    /// let shader = gpu.shader(Source::fragment(text).include(|name| std::fs::read_to_string(format!("shaders/{name}"))))?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn include(mut self, find: impl Fn(&str) -> io::Result<String> + 'a) -> Source<'a> {
        self.find = Some(Box::new(find));
        self
    }

    /// A stage with its includes.
    pub(super) fn expand(&self, (name, text): &(String, String)) -> Result<Lines> {
        let mut lines = Lines { files: vec![(name.clone(), text.clone())], lines: Vec::new() };
        self.take(0, &mut lines, &mut Vec::new(), &mut vec![0])?;
        Ok(lines)
    }

    /// The lines of a file, and of those it includes. `open` are the files around it.
    fn take(
        &self,
        file: usize,
        lines: &mut Lines,
        once: &mut Vec<String>,
        open: &mut Vec<usize>,
    ) -> Result<()> {
        let text = lines.files[file].1.clone();
        let plain = without_comments(&text);
        for (number, (line, plain)) in (1..).zip(text.split('\n').zip(plain.split('\n'))) {
            let wrong = |expected: &str| Error::Declaration {
                kernel: lines.files[file].0.clone(),
                line: number,
                text: line.trim().to_owned(),
                expected: expected.to_owned(),
            };
            let directive = plain.trim_start().strip_prefix('#').map(str::trim_start);
            let Some(name) = directive.and_then(|words| words.strip_prefix("include")) else {
                lines.lines.push(Line { file, number, text: line.trim_end_matches('\r').to_owned() });
                continue;
            };
            let name = name.trim();
            let inside =
                |from: char, to: char| name.strip_prefix(from).and_then(|name| name.strip_suffix(to));
            let Some(name) = inside('"', '"').or_else(|| inside('<', '>')) else {
                return Err(wrong("expected `#include \"name\"` or `#include <name>`"));
            };
            let Some(find) = &self.find else {
                return Err(wrong(
                    "nobody finds includes: give the shader by Source::fragment(text).include(|name| ...)",
                ));
            };
            if once.iter().any(|known| known == name) {
                lines.lines.push(Line { file, number, text: String::new() });
                continue;
            }
            if open.iter().any(|file| lines.files[*file].0 == name) {
                return Err(wrong("the file includes itself"));
            }
            let found = find(name).map_err(|cause| Error::Io {
                path: PathBuf::from(format!("{}:{number}: #include {name}", lines.files[file].0)),
                cause,
            })?;
            if without_comments(&found).lines().any(|line| line.trim() == "#pragma once") {
                once.push(name.to_owned());
            }
            lines.files.push((name.to_owned(), found));
            open.push(lines.files.len() - 1);
            self.take(lines.files.len() - 1, lines, once, open)?;
            open.pop();
        }
        Ok(())
    }
}

impl<'a> From<&str> for Source<'a> {
    fn from(text: &str) -> Source<'a> {
        Source::fragment(text)
    }
}

impl<'a> From<&String> for Source<'a> {
    fn from(text: &String) -> Source<'a> {
        Source::fragment(text)
    }
}

impl<'a> From<(&str, &str)> for Source<'a> {
    fn from((vertex, fragment): (&str, &str)) -> Source<'a> {
        Source::stages(vertex, fragment)
    }
}

/// A line of a stage, and where it comes from.
#[derive(Clone)]
pub(super) struct Line {
    file: usize,
    number: u32,
    text: String,
}

/// A stage, line by line. The first file is the stage itself.
pub(super) struct Lines {
    pub files: Vec<(String, String)>,
    lines: Vec<Line>,
}

impl Lines {
    /// All lines, one after the other.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The same lines with another text of as many lines.
    pub fn with_text(&mut self, text: &str) {
        for (line, new) in self.lines.iter_mut().zip(text.split('\n')) {
            line.text = new.to_owned();
        }
    }

    /// The error of a line of the joined text, counted from 1.
    pub fn error(&self, line: u32, expected: String) -> Error {
        let place = self.lines.get(line.saturating_sub(1) as usize);
        let (file, number) = place.map_or((0, 0), |line| (line.file, line.number));
        let (kernel, text) = &self.files[file];
        let text = text.lines().nth(number.saturating_sub(1) as usize).unwrap_or_default().trim().to_owned();
        Error::Declaration { kernel: kernel.clone(), line: number, text, expected }
    }

    /// The text for the driver: `version` stands in the place of the line of the joined text that it is given for, or before
    /// all where that is 0, and `head` behind such a line. No `#line` tells the driver where lines come from, since Mesa (22.3.6)
    /// names the wrong file in some of its errors: the stage knows it.
    pub fn assemble(&self, version: Option<(&str, usize)>, head: &str, head_after: usize) -> Stage {
        let mut stage = Stage { text: String::new(), files: self.files.clone(), lines: Vec::new() };
        let mut put = |text: &str, place: (usize, u32)| {
            stage.text.push_str(text);
            stage.text.push('\n');
            stage.lines.push(place);
        };
        if let Some((version, 0)) = version {
            put(version, (0, 1));
        }
        if head_after == 0 {
            head.lines().for_each(|line| put(line, (0, 1)));
        }
        for (at, line) in (1..).zip(&self.lines) {
            let place = (line.file, line.number);
            match version {
                Some((version, replaced)) if replaced == at => put(version, place),
                _ => put(&line.text, place),
            }
            if head_after == at {
                head.lines().for_each(|line| put(line, place));
            }
        }
        stage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str, find: impl Fn(&str) -> io::Result<String>) -> Result<Stage> {
        let source = Source::fragment(text).include(find);
        Ok(source.expand(&source.fragment)?.assemble(None, "", 0))
    }

    #[test]
    fn includes_are_taken_with_the_numbers_of_their_own_lines() -> Result<()> {
        let text = "#version 330 core\n // #include no\n#include <a>\n  # include \"b\"\nlast";
        let find = |name: &str| Ok(if name == "a" { "a1\n#include \"b\"\na3" } else { "b1" }.to_owned());
        let found = expanded(text, find)?;
        assert_eq!(found.text, "#version 330 core\n // #include no\na1\nb1\na3\nb1\nlast\n");
        assert_eq!(found.lines, [(0, 1), (0, 2), (1, 1), (2, 1), (1, 3), (3, 1), (0, 5)]);
        let names: Vec<&str> = found.files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["fragment shader", "a", "b", "b"]);
        let once = expanded("#include <a>\n#include <a>\nlast", |_| Ok("#pragma once\nonly".to_owned()))?;
        assert_eq!(once.text.matches("only").count(), 1);
        Ok(())
    }

    #[test]
    fn includes_that_cannot_be_taken_name_their_line() {
        let told =
            |text: &str| expanded(text, |_| Ok("#include <a>".to_owned())).err().map(|e| e.to_string());
        assert_eq!(told("x\n#include <a>").as_deref(), Some("a:1: `#include <a>`: the file includes itself"));
        let expected = "fragment shader:2: `#include a`: expected `#include \"name\"` or `#include <name>`";
        assert_eq!(told("x\n#include a").as_deref(), Some(expected));
        let missing =
            expanded("#include <a>", |_| Err(io::Error::new(io::ErrorKind::NotFound, "no such text")));
        let expected = "fragment shader:1: #include a: no such text";
        assert_eq!(missing.err().map(|e| e.to_string()).as_deref(), Some(expected));
        let nobody = Source::fragment("#include <a>");
        assert!(
            nobody.expand(&nobody.fragment).is_err_and(|e| e.to_string().contains("nobody finds includes"))
        );
    }
}
