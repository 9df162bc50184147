//! From a kernel's text to what the driver compiles: the head of the dialect, the prelude, the
//! variant's `#define`s and `#line`, so that the driver's errors carry the kernel file's own lines.
//!
//! Three words of the prelude are declarations and cannot be macros in GLSL ES 3.00, so they are
//! rewritten in place: `DOMAIN a;`, `RANGE vec4 b;` and, in vertex kernels, `VERTEX vec2 c;`.

use std::fmt::Write as _;

use crate::{Error, Result};

/// Words of all kernels, of fragment kernels, and of vertex kernels.
const PRELUDE: &str = include_str!("../../glsl/pug.glsl");
const PRELUDE_FRAGMENT: &str = include_str!("../../glsl/pug_fragment.glsl");
const PRELUDE_VERTEX: &str = include_str!("../../glsl/pug_vertex.glsl");
const QUAD: &str = include_str!("../../glsl/quad.vert");

/// `#line` source number of the kernel and of the prelude.
pub(super) const KERNEL: u32 = 0;
pub(super) const HEAD: u32 = 1;

/// How a target stores what the kernel hands it (Table 31-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// As the texture format does.
    #[default]
    None,
    /// ATI 24-bit: 16 bits of mantissa, 7 of exponent, no specials.
    Ati24,
    /// ATI 16-bit: 10 bits of mantissa, 5 of exponent, no specials.
    Ati16,
}

/// A kernel file: its name for errors, its text, and the `#define`s of the variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// File or built-in name.
    pub name: String,
    /// The text.
    pub text: String,
    /// Names and values of `#define`s, in order.
    pub defines: Vec<(String, String)>,
}

impl Kernel {
    /// A kernel of that name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Kernel {
        Kernel { name: name.into(), text: text.into(), defines: Vec::new() }
    }

    /// The same kernel with `#define name value`; a `#define` is one line, so the value's lines become one.
    #[must_use]
    pub fn define(mut self, name: &str, value: impl ToString) -> Kernel {
        self.defines.push((name.to_owned(), without_comments(&value.to_string()).replace(['\r', '\n'], " ")));
        self
    }

    /// Line `number`, from 1, without its indentation.
    pub(super) fn line(&self, number: u32) -> &str {
        line_of(&self.text, number)
    }
}

/// Line `number` without its indentation, and no more of it than fits on a screen.
pub(super) fn line_of(text: &str, number: u32) -> &str {
    let line = text.lines().nth(number.saturating_sub(1) as usize).unwrap_or_default().trim();
    line.char_indices().nth(160).map_or(line, |(end, _)| &line[..end])
}

/// The line `number` of the words before the kernel, for an error inside them.
pub(super) fn prelude_line(vertex: bool, number: u32) -> &'static str {
    let second = if vertex { PRELUDE_VERTEX } else { PRELUDE_FRAGMENT };
    let first_lines = PRELUDE.lines().count() as u32;
    if number <= first_lines { line_of(PRELUDE, number) } else { line_of(second, number - first_lines) }
}

/// A declaration found in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub kind: DeclarationKind,
    pub type_name: String,
    pub name: String,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclarationKind {
    Uniform,
    Domain,
    Range,
    Vertex,
}

/// What may be written, and what vertices may bring.
const FLOATS: &str = " where TYPE is float, vec2, vec3 or vec4, with one name a declaration";

impl DeclarationKind {
    /// How such a declaration looks, for errors.
    pub fn expected(self) -> String {
        let (form, types) = match self {
            DeclarationKind::Uniform => {
                ("uniform TYPE NAME;", " where TYPE is Stream, float, vec2, vec3 or vec4")
            }
            DeclarationKind::Domain => ("DOMAIN NAME;", ""),
            DeclarationKind::Range => ("RANGE TYPE NAME;", FLOATS),
            DeclarationKind::Vertex => ("VERTEX TYPE NAME;", FLOATS),
        };
        format!("expected `{form}`{types}")
    }
}

/// A kernel whose declaration words are rewritten, and what it declares.
pub(super) struct Scanned {
    pub text: String,
    pub declarations: Vec<Declaration>,
}

impl Scanned {
    pub fn of(&self, kind: DeclarationKind) -> impl Iterator<Item = &Declaration> {
        self.declarations.iter().filter(move |d| d.kind == kind)
    }

    /// The declaration of a uniform.
    pub fn uniform(&self, name: &str) -> Option<&Declaration> {
        self.of(DeclarationKind::Uniform).find(|declaration| declaration.name == name)
    }

    /// Names of one kind in order of first appearance: the two branches of an `#ifdef` may both declare one.
    pub fn names(&self, kind: DeclarationKind) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for declaration in self.of(kind) {
            if !names.contains(&declaration.name) {
                names.push(declaration.name.clone());
            }
        }
        names
    }
}

/// Finds and rewrites the declarations of a kernel.
pub(super) fn scan(kernel: &Kernel) -> Result<Scanned> {
    let tokens = tokens(&without_comments(&kernel.text));
    let mut scanned = Scanned { text: String::new(), declarations: Vec::new() };
    let mut copied = 0;
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        if token.text == "version" && at > 0 && tokens[at - 1].text == "#" {
            return Err(Error::Declaration {
                kernel: kernel.name.clone(),
                line: token.line,
                text: kernel.line(token.line).to_owned(),
                expected: "expected no #version: the loader puts the right one before the kernel".into(),
            });
        }
        let kind = match token.text.as_str() {
            "uniform" => DeclarationKind::Uniform,
            "DOMAIN" => DeclarationKind::Domain,
            "RANGE" => DeclarationKind::Range,
            "VERTEX" => DeclarationKind::Vertex,
            _ => {
                at += 1;
                continue;
            }
        };
        let end = tokens[at..].iter().position(|t| t.text == ";").map_or(tokens.len(), |n| at + n);
        let found = declared(kernel, kind, &tokens[at..end])?;
        let location = |scanned: &Scanned| {
            let name = found.first().map_or("", |d| d.name.as_str());
            let names = scanned.names(kind);
            names.iter().position(|n| n == name).unwrap_or(names.len())
        };
        let word = match kind {
            DeclarationKind::Uniform => "uniform".to_owned(),
            DeclarationKind::Domain => "in vec2".to_owned(),
            DeclarationKind::Range => format!("layout(location = {}) out", location(&scanned)),
            DeclarationKind::Vertex => format!("layout(location = {}) in", location(&scanned)),
        };
        scanned.text.push_str(&kernel.text[copied..token.start]);
        scanned.text.push_str(&word);
        copied = token.start + token.text.len();
        scanned.declarations.extend(found);
        at = end;
    }
    scanned.text.push_str(&kernel.text[copied..]);
    Ok(scanned)
}

/// The names between a declaration word and its semicolon.
fn declared(kernel: &Kernel, kind: DeclarationKind, tokens: &[Token]) -> Result<Vec<Declaration>> {
    let line = tokens[0].line;
    let wrong = || Error::Declaration {
        kernel: kernel.name.clone(),
        line,
        text: kernel.line(line).to_owned(),
        expected: kind.expected(),
    };
    let mut words = tokens[1..].iter().filter(|t| !matches!(t.text.as_str(), "highp" | "mediump" | "lowp"));
    let type_name = match kind {
        DeclarationKind::Domain => "vec2".to_owned(),
        _ => words.next().ok_or_else(wrong)?.text.clone(),
    };
    let mut names: Vec<(String, bool)> = Vec::new();
    let mut expect_name = true;
    let mut depth = 0;
    for token in words {
        match token.text.as_str() {
            "[" | "(" => {
                depth += 1;
                names.iter_mut().rev().take(1).for_each(|(_, array)| *array |= token.text == "[");
            }
            "]" | ")" => depth -= 1,
            "," if depth == 0 => expect_name = true,
            name if expect_name && depth == 0 && is_identifier(name) => {
                names.push((name.to_owned(), false));
                expect_name = false;
            }
            _ if expect_name => return Err(wrong()),
            _ => {}
        }
    }
    let one_only = matches!(kind, DeclarationKind::Range | DeclarationKind::Vertex);
    let float = matches!(type_name.as_str(), "float" | "vec2" | "vec3" | "vec4");
    if names.is_empty() || (one_only && (names.len() > 1 || names[0].1 || !float)) {
        return Err(wrong());
    }
    let declaration = |(name, array)| {
        let type_name = if array { format!("{type_name}[]") } else { type_name.clone() };
        Declaration { kind, type_name, name, line }
    };
    Ok(names.into_iter().map(declaration).collect())
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

struct Token {
    text: String,
    start: usize,
    line: u32,
}

/// Words and single punctuation marks. Comments must be gone.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut line = 1;
    let mut word_end = 0;
    for (start, c) in text.char_indices() {
        if c == '\n' {
            line += 1;
        } else if c.is_ascii_alphanumeric() || c == '_' {
            match tokens.last_mut().filter(|_| word_end == start && start > 0) {
                Some(word) => word.text.push(c),
                None => tokens.push(Token { text: c.to_string(), start, line }),
            }
            word_end = start + 1;
        } else if !c.is_whitespace() {
            tokens.push(Token { text: c.to_string(), start, line });
        }
    }
    tokens
}

/// Comments as spaces, so that every byte keeps its place and every line its number.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('/') {
        let comment = match rest.as_bytes().get(start + 1) {
            Some(b'/') => rest[start..].find('\n').unwrap_or(rest.len() - start),
            Some(b'*') => rest[start + 2..].find("*/").map_or(rest.len() - start, |n| n + 4),
            _ => 0,
        };
        out.push_str(&rest[..start]);
        if comment == 0 {
            out.push('/');
            rest = &rest[start + 1..];
        } else {
            let blank = |b: u8| if b == b'\n' { '\n' } else { ' ' };
            out.extend(rest[start..start + comment].bytes().map(blank));
            rest = &rest[start + comment..];
        }
    }
    out.push_str(rest);
    out
}

fn head(embedded: bool, kernel: &Kernel, words: &str) -> String {
    let mut head = String::from(if embedded { "#version 300 es\n" } else { "#version 330 core\n" });
    if embedded {
        head.push_str("precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n");
    }
    for (name, value) in &kernel.defines {
        let _ = writeln!(head, "#define {name} {value}");
    }
    let _ = write!(head, "#line 1 {HEAD}\n{PRELUDE}{words}");
    head
}

/// The fragment program: with a rounding, the kernel's `main` runs inside one that rounds its outputs.
pub(super) fn fragment(embedded: bool, kernel: &Kernel, scanned: &Scanned, rounding: Rounding) -> String {
    let mut text = head(embedded, kernel, PRELUDE_FRAGMENT);
    if rounding != Rounding::None {
        text.push_str("#define main kernel_main\n");
    }
    let _ = write!(text, "#line 1 {KERNEL}\n{}\n", scanned.text);
    let round = match rounding {
        Rounding::None => return text,
        Rounding::Ati24 => "round_ati24",
        Rounding::Ati16 => "round_ati16",
    };
    text.push_str("#undef main\nvoid main() { kernel_main();");
    for name in scanned.names(DeclarationKind::Range) {
        let _ = write!(text, " {name} = {round}({name});");
    }
    text.push_str(" }\n");
    text
}

/// The vertex program of a full-screen quad that interpolates these domains.
pub(super) fn quad(embedded: bool, domains: &[String]) -> String {
    let mut declare = String::new();
    let mut set = String::new();
    for (i, name) in domains.iter().enumerate() {
        let _ = write!(declare, "out vec2 {name}; ");
        let _ = write!(set, "{name} = quad_across(quad_domains[{i}]); ");
    }
    let kernel = Kernel::new("quad.vert", "")
        .define("DOMAINS", domains.len().max(1))
        .define("DECLARE_DOMAINS", declare)
        .define("SET_DOMAINS", set);
    format!("{}#line 1 {KERNEL}\n{QUAD}", head(embedded, &kernel, ""))
}

/// The vertex program of a kernel of points.
pub(super) fn vertex(embedded: bool, kernel: &Kernel, scanned: &Scanned) -> String {
    format!("{}#line 1 {KERNEL}\n{}\n", head(embedded, kernel, PRELUDE_VERTEX), scanned.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, kind: DeclarationKind) -> Result<Vec<String>> {
        Ok(scan(&Kernel::new("test", text))?.names(kind))
    }

    #[test]
    fn declarations_are_found_and_comments_are_not() -> Result<()> {
        let text = "// uniform float no; DOMAIN no;\nuniform Stream a; /* RANGE\n */ uniform float b, c[3], d;\n\
                    DOMAIN x; DOMAIN y, z;\nRANGE vec4 out0;RANGE highp vec2 out1;";
        assert_eq!(names(text, DeclarationKind::Uniform)?, ["a", "b", "c", "d"]);
        assert_eq!(names(text, DeclarationKind::Domain)?, ["x", "y", "z"]);
        assert_eq!(names(text, DeclarationKind::Range)?, ["out0", "out1"]);
        let lines: Vec<u32> = scan(&Kernel::new("t", text))?.declarations.iter().map(|d| d.line).collect();
        assert_eq!(lines, [2, 3, 3, 3, 4, 4, 4, 5, 5]);
        Ok(())
    }

    #[test]
    fn outputs_get_their_locations_and_lines_stay_where_they_were() -> Result<()> {
        let text = "RANGE vec4 a;\n#ifdef B\nRANGE vec2 b;\n#else\nRANGE vec4 b;\n#endif\nRANGE vec4 c;";
        let scanned = scan(&Kernel::new("t", text))?;
        assert_eq!(scanned.text.lines().count(), text.lines().count());
        assert_eq!(line_of(&scanned.text, 3), "layout(location = 1) out vec2 b;");
        assert_eq!(line_of(&scanned.text, 5), "layout(location = 1) out vec4 b;");
        assert_eq!(line_of(&scanned.text, 7), "layout(location = 2) out vec4 c;");
        Ok(())
    }

    #[test]
    fn malformed_declarations_name_their_line() {
        for text in ["\nRANGE vec4;", "\nDOMAIN ;", "\nRANGE vec4 a, b;", "\nuniform float 3;", "\nDOMAIN"] {
            let scanned = scan(&Kernel::new("t", text));
            assert!(matches!(scanned, Err(Error::Declaration { line: 2, .. })), "{text:?}");
        }
    }

    #[test]
    fn any_text_is_scanned_without_a_panic() {
        for text in
            ["/", "/*", "//", "é RANGE é", "RANGE", "uniform", "uniform float a[", "\u{1F600}/*\u{1F600}"]
        {
            let _ = scan(&Kernel::new("t", text));
        }
    }
}
