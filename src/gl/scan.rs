//! Reading a kernel's text: what it declares.

mod offsets;

use super::lift::{Varying, lifts};
use super::source::Kernel;
use crate::{Error, Result};

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

/// Names that the prelude has taken.
const WORDS: [&str; 11] = [
    "Stream",
    "value",
    "value0",
    "value2",
    "valueOffset",
    "valuePacked",
    "valueFours",
    "addressOf",
    "fold",
    "scatter",
    "scatter_nowhere",
];

/// The types allowed in declarations of outputs and attributes.
const FLOATS: &str = " where TYPE is float, vec2, vec3 or vec4, with one name a declaration";

impl DeclarationKind {
    pub fn of(word: &str) -> Option<DeclarationKind> {
        match word {
            "uniform" => Some(DeclarationKind::Uniform),
            "DOMAIN" => Some(DeclarationKind::Domain),
            "RANGE" => Some(DeclarationKind::Range),
            "VERTEX" => Some(DeclarationKind::Vertex),
            _ => None,
        }
    }

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
#[derive(Default)]
pub(super) struct Scanned {
    pub text: String,
    pub declarations: Vec<Declaration>,
    pub varyings: Vec<Varying>,
    /// Streams of which nothing but lifted fetches is left: samplers without an extent.
    pub samplers: Vec<String>,
}

impl Scanned {
    pub fn of(&self, kind: DeclarationKind) -> impl Iterator<Item = &Declaration> {
        self.declarations.iter().filter(move |d| d.kind == kind)
    }

    /// The declaration of a uniform.
    pub fn uniform(&self, name: &str) -> Option<&Declaration> {
        self.of(DeclarationKind::Uniform).find(|declaration| declaration.name == name)
    }

    /// Names of the streams.
    pub fn streams(&self) -> Vec<String> {
        let streams =
            self.of(DeclarationKind::Uniform).filter(|declaration| declaration.type_name == "Stream");
        streams.map(|declaration| declaration.name.clone()).collect()
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

/// A piece of the text that becomes another.
pub(super) struct Edit {
    pub start: usize,
    pub len: usize,
    pub text: String,
}

/// Finds the declarations of a kernel, and rewrites them and the fetches that can be lifted.
pub(super) fn scan(kernel: &Kernel) -> Result<Scanned> {
    let tokens = tokens(&without_comments(&kernel.text));
    offsets::check(kernel, &tokens)?;
    let mut scanned = Scanned::default();
    let mut edits = declarations(kernel, &tokens, &mut scanned)?;
    edits.extend(lifts(kernel, &tokens, &mut scanned));
    edits.sort_by_key(|edit| edit.start);
    let mut copied = 0;
    for Edit { start, len, text } in edits {
        scanned.text.push_str(&kernel.text[copied..start]);
        scanned.text.push_str(&text);
        let lines = kernel.text[start..start + len].matches('\n');
        scanned.text.extend(lines);
        copied = start + len;
    }
    scanned.text.push_str(&kernel.text[copied..]);
    Ok(scanned)
}

/// Collects the declarations; GLSL ES has no words for ours, so each becomes GLSL's own.
fn declarations(kernel: &Kernel, tokens: &[Token], scanned: &mut Scanned) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
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
        let Some(kind) = DeclarationKind::of(&token.text) else {
            at += 1;
            continue;
        };
        let end = tokens[at..].iter().position(|t| t.text == ";").map_or(tokens.len(), |n| at + n);
        let found = declared(kernel, kind, &tokens[at..end])?;
        let names = scanned.names(kind);
        let same = |name: &String| found.first().is_some_and(|declaration| declaration.name == *name);
        let location = names.iter().position(same).unwrap_or(names.len());
        let text = match kind {
            DeclarationKind::Uniform => "uniform".to_owned(),
            DeclarationKind::Domain => "pug_across in vec2".to_owned(),
            DeclarationKind::Range => format!("layout(location = {location}) out"),
            DeclarationKind::Vertex => format!("layout(location = {location}) in"),
        };
        edits.push(Edit { start: token.start, len: token.text.len(), text });
        scanned.declarations.extend(found);
        at = end;
    }
    Ok(edits)
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
    let precision = |token: &&Token| matches!(token.text.as_str(), "highp" | "mediump" | "lowp");
    let mut words = tokens[1..].iter().filter(|token| kind == DeclarationKind::Domain || !precision(token));
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
            // An initialiser would do on one dialect and not on the other.
            word if expect_name || word == "=" || (depth == 0 && is_identifier(word)) => return Err(wrong()),
            _ => {}
        }
    }
    let one_only = matches!(kind, DeclarationKind::Range | DeclarationKind::Vertex);
    let reserved =
        |name: &str| WORDS.contains(&name) || ["quad_", "pug_"].iter().any(|start| name.starts_with(start));
    if let Some((name, _)) = names.iter().find(|(name, _)| reserved(name)) {
        return Err(Error::Declaration {
            kernel: kernel.name.clone(),
            line,
            text: kernel.line(line).to_owned(),
            expected: format!("expected another name: `{name}` is a word of every kernel"),
        });
    }
    let streams = type_name == "Stream" && names.iter().any(|(_, array)| *array);
    let float = matches!(type_name.as_str(), "float" | "vec2" | "vec3" | "vec4");
    if names.is_empty() || streams || (one_only && (names.len() > 1 || names[0].1 || !float)) {
        return Err(wrong());
    }
    let declaration = |(name, array)| {
        let type_name = if array { format!("{type_name}[]") } else { type_name.clone() };
        Declaration { kind, type_name, name, line }
    };
    Ok(names.into_iter().map(declaration).collect())
}

pub(super) fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

pub(super) struct Token {
    pub text: String,
    pub start: usize,
    pub line: u32,
    /// True on a line of the preprocessor.
    pub directive: bool,
}

/// Words and single punctuation marks. Comments must be gone.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut line = 1;
    let mut word_end = 0;
    let mut directive = false;
    let mut before = '\n';
    for (start, c) in text.char_indices() {
        directive =
            if c == '\n' { directive && before == '\\' } else { directive || (c == '#' && before == '\n') };
        if c == '\n' || !c.is_whitespace() {
            before = c;
        }
        if c == '\n' {
            line += 1;
        } else if c.is_ascii_alphanumeric() || c == '_' {
            match tokens.last_mut().filter(|_| word_end == start && start > 0) {
                Some(word) => word.text.push(c),
                None => tokens.push(Token { text: c.to_string(), start, line, directive }),
            }
            word_end = start + 1;
        } else if !c.is_whitespace() {
            tokens.push(Token { text: c.to_string(), start, line, directive });
        }
    }
    tokens
}

/// Comments as spaces, so that every byte keeps its place and every line its number.
pub(super) fn without_comments(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::super::source::line_of;
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
    fn offsets_that_not_every_card_has_are_refused_by_their_line() {
        for offset in
            ["ivec2(-8, 7)", "ivec2(0)", "ivec2( +7,-8 )", "ivec2(1, STEP)", "offset", "ivec2(way(12))"]
        {
            let text = format!("uniform Stream a;\nvec4 b = valueOffset(a, at(1, 2), {offset});");
            assert!(scan(&Kernel::new("t", &text)).is_ok(), "{offset}");
        }
        for offset in ["ivec2(8, 0)", "ivec2(0, -9)", "ivec2(12)", "ivec2(0,\n99999999999)"] {
            let text = format!("uniform Stream a;\nvec4 b = valueOffset(a, at[1](1, 2), {offset});");
            let scanned = scan(&Kernel::new("t", &text));
            assert!(matches!(scanned, Err(Error::Declaration { line: 2, .. })), "{offset}");
        }
    }

    #[test]
    fn offsets_that_are_not_compiled_are_nobodys_business() {
        let far = "vec4 b = valueOffset(a, at, ivec2(12));\n";
        let near = "vec4 b = valueOffset(a, at, ivec2(1));\n";
        for (before, between) in [
            ("#if 0\n", "#endif\n"),
            ("  #  if 0 // no\n", "#else\n"),
            ("#if 0\n#if 1\n#else\n#endif\n", "#endif\n"),
            ("#ifdef FAR\n", "#endif\n"),
            ("#ifndef FAR\n#else\n", "#endif\n"),
            ("#if SOME > 1\n#if 0\n", "#endif\n#endif\n"),
            ("#if 1\n#else\n", "#endif\n"),
        ] {
            let text = |inside: &str, after: &str| {
                format!("uniform Stream a;\n{before}{inside}{between}{after}#endif\n")
            };
            assert!(scan(&Kernel::new("t", text(far, near))).is_ok(), "{before}");
            let lines = text(near, "").matches('\n').count() as u32;
            let scanned = scan(&Kernel::new("t", text(near, far)));
            assert!(matches!(scanned, Err(Error::Declaration { line, .. }) if line == lines), "{before}");
        }
        // What may be compiled is looked at.
        for before in [
            "#if 1\n",
            "#ifndef FAR\n",
            "#if defined(FAR)\n",
            "#if 0\n#elif defined(FAR)\n",
            "#define FAR\n#ifdef FAR\n",
            "#ifdef GL_ES\n",
            "#ifdef pug_across\n",
            "#endif\n#else\n#elif\n#\n",
        ] {
            let text = format!("uniform Stream a;\n{before}{far}");
            assert!(scan(&Kernel::new("t", &text)).is_err(), "{before}");
        }
        let text = format!("uniform Stream a;\n#ifdef FAR\n{far}#endif\n");
        assert!(scan(&Kernel::new("t", &text).define("FAR", 1)).is_err(), "a variant that defines it");
    }

    #[test]
    fn any_text_is_scanned_without_a_panic() {
        for text in [
            "/",
            "/*",
            "//",
            "é RANGE é",
            "RANGE",
            "uniform",
            "uniform float a[",
            "valueOffset",
            "valueOffset(,,ivec2(",
            "\u{1F600}/*\u{1F600}",
        ] {
            let _ = scan(&Kernel::new("t", text));
        }
    }

    #[test]
    fn what_fuzzing_found_is_scanned_and_keeps_its_lines() -> std::io::Result<()> {
        let found = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/kernel"))?;
        let texts = found.map(|file| std::fs::read(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
        assert!(!texts.is_empty());
        for text in texts {
            let text = String::from_utf8_lossy(&text);
            if let Ok(scanned) = scan(&Kernel::new("t", text.clone())) {
                assert_eq!(scanned.text.matches('\n').count(), text.matches('\n').count(), "{text:?}");
            }
        }
        Ok(())
    }
}
