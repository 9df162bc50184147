//! The declarations in a kernel's text: uniforms, domains, outputs and attributes.

use super::kernel::{Kernel, without_comments};
use crate::Result;

/// A declaration found in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub kind: DeclarationKind,
    pub type_name: String,
    pub name: String,
    pub line: u32,
    /// The length of an array whose length is written as a number, or as a word that is defined as one.
    pub len: Option<usize>,
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
            DeclarationKind::Uniform => (
                "uniform TYPE NAME;",
                " where TYPE is Stream, float, int, uint, bool, a vector of those or a matrix of floats",
            ),
            DeclarationKind::Domain => ("DOMAIN NAME;", ""),
            DeclarationKind::Range => ("RANGE TYPE NAME;", FLOATS),
            DeclarationKind::Vertex => ("VERTEX TYPE NAME;", FLOATS),
        };
        format!("expected `{form}`{types}")
    }
}

/// An interpolated address of a kernel: a domain, in texels; or, where a stream is fetched at a
/// domain itself, that domain in units of the stream's size. Then the fragment has no multiplication to make,
/// which on llvmpipe is a third of a small kernel's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Varying {
    pub name: String,
    /// Which of the domains, in order of declaration.
    pub domain: usize,
    pub stream: Option<String>,
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

/// The remedy for a text that is no kernel.
pub(super) const WHOLE_SHADER: &str =
    "; an application's shader is drawn as it is by `Gpu::shader` (feature `testing`)";

/// Collects the declarations; GLSL ES has no words for ours, so each becomes GLSL's own.
pub(super) fn declarations(kernel: &Kernel, tokens: &[Token], scanned: &mut Scanned) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        if token.text == "version" && at > 0 && tokens[at - 1].text == "#" {
            let expected = "expected no #version: the loader puts the right one before the kernel";
            let is_kernel = tokens.iter().any(|token| token.text == "RANGE");
            let hint = if is_kernel { "" } else { WHOLE_SHADER };
            return Err(kernel.refuse(token.line, format!("{expected}{hint}")));
        }
        let Some(kind) = DeclarationKind::of(&token.text) else {
            at += 1;
            continue;
        };
        let end = tokens[at..].iter().position(|t| t.text == ";").map_or(tokens.len(), |n| at + n);
        let found = declared(kernel, kind, &tokens[at..end], tokens)?;
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
fn declared(
    kernel: &Kernel,
    kind: DeclarationKind,
    tokens: &[Token],
    all: &[Token],
) -> Result<Vec<Declaration>> {
    let line = tokens[0].line;
    let wrong = || kernel.refuse(line, kind.expected());
    let precision = |token: &&Token| matches!(token.text.as_str(), "highp" | "mediump" | "lowp");
    let mut words = tokens[1..].iter().filter(|token| kind == DeclarationKind::Domain || !precision(token));
    let type_name = match kind {
        DeclarationKind::Domain => "vec2".to_owned(),
        _ => words.next().ok_or_else(wrong)?.text.clone(),
    };
    // Each with its length: `None` is no array, `Some(None)` an array of a length that is not known here.
    let mut names: Vec<(String, Option<Option<usize>>)> = Vec::new();
    let mut expect_name = true;
    let mut depth = 0;
    let mut words = words.peekable();
    while let Some(token) = words.next() {
        match token.text.as_str() {
            "[" | "(" => {
                depth += 1;
                if let Some((_, array)) = names.last_mut().filter(|_| token.text == "[") {
                    // Alone in its brackets: the compiler works out what `[2 * N]` is.
                    let alone = words.clone().nth(1).is_some_and(|after| after.text == "]");
                    let word = words.peek().filter(|_| alone);
                    *array = Some(word.and_then(|word| length(&word.text, kernel, all)));
                }
            }
            "]" | ")" => depth -= 1,
            "," if depth == 0 => expect_name = true,
            name if expect_name && depth == 0 && is_identifier(name) => {
                names.push((name.to_owned(), None));
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
        let expected = format!("expected another name: `{name}` is a word of every kernel");
        return Err(kernel.refuse(line, expected));
    }
    let streams = type_name == "Stream" && names.iter().any(|(_, array)| array.is_some());
    let float = matches!(type_name.as_str(), "float" | "vec2" | "vec3" | "vec4");
    if names.is_empty() || streams || (one_only && (names.len() > 1 || names[0].1.is_some() || !float)) {
        return Err(wrong());
    }
    let declaration = |(name, array): (String, Option<Option<usize>>)| {
        let type_name = if array.is_some() { format!("{type_name}[]") } else { type_name.clone() };
        Declaration { kind, type_name, name, line, len: array.flatten() }
    };
    Ok(names.into_iter().map(declaration).collect())
}

/// The number that a word stands for: itself, or what it is defined as, if that is one number.
fn length(word: &str, kernel: &Kernel, tokens: &[Token]) -> Option<usize> {
    if let Ok(number) = word.parse() {
        return Some(number);
    }
    if let Some((_, value)) = kernel.defines.iter().find(|(name, _)| name == word) {
        return value.trim().parse().ok();
    }
    let is_define = |w: &&[Token]| w[0].directive && w[0].text == "define" && w[1].text == word;
    let after = |w: &[Token]| w.get(3).is_none_or(|next| next.line != w[2].line);
    let places = (0..tokens.len().saturating_sub(2)).map(|i| &tokens[i..(i + 4).min(tokens.len())]);
    // A define of more than one word is no number here, and the branches of an #ifdef may differ.
    let mut found = places.filter(is_define).map(|w| w[2].text.parse().ok().filter(|_| after(w)));
    let first = found.next()??;
    found.all(|other| other == Some(first)).then_some(first)
}

/// Counts the places where a name stands in a text, comments and components (`here.x`) aside.
pub(crate) fn mentions(text: &str, name: &str) -> usize {
    let tokens = tokens(&without_comments(text));
    let is_name = |&i: &usize| tokens[i].text == name && (i == 0 || tokens[i - 1].text != ".");
    (0..tokens.len()).filter(is_name).count()
}

pub(super) fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

pub(crate) struct Token {
    pub text: String,
    pub start: usize,
    pub line: u32,
    /// True on a line of the preprocessor.
    pub directive: bool,
}

/// Words and single punctuation marks. Comments must be gone.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
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
