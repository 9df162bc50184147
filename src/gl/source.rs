//! From a kernel's text to what the driver compiles: the head of the dialect, the prelude, the
//! variant's `#define`s and `#line`, so that the driver's errors carry the kernel file's own lines.
//!
//! `Stream` is a struct of a sampler and its extent, so `value2(stream, position)` can speak in texels as the papers
//! do while the address it makes is normalised: the fastest everywhere, and the sampler's wrap mode is the edge rule.
//! Sizes are uniforms, so one program serves every size. A stream that is only fetched at a domain or by `.texels` is
//! a plain sampler, and nobody tells its size: a V-cycle of 513² told 174.
//!
//! Three words of the prelude are declarations and cannot be macros in GLSL ES 3.00, so they are
//! rewritten in place: `DOMAIN a;`, `RANGE vec4 b;` and, in vertex kernels, `VERTEX vec2 c;`.

use std::fmt::Write as _;

use super::lift::Varying;
use super::scan::{DeclarationKind, Scanned, without_comments};

/// Words of all kernels, and of vertex kernels; and what rounds the outputs of those that are to.
const PRELUDE: &str = include_str!("../../glsl/pug.glsl");
const PRELUDE_VERTEX: &str = include_str!("../../glsl/pug_vertex.glsl");
const ROUNDINGS: &str = include_str!("../../glsl/pug_fragment.glsl");
const PRELUDE_VOXELS: &str = include_str!("../../glsl/voxels.glsl");
const PRELUDE_FLUID: &str = include_str!("../../glsl/fluid.glsl");
const QUAD: &str = include_str!("../../glsl/quad.vert");

#[cfg(feature = "kernels-from-folder")]
pub(crate) use super::folder::{kernel_text, words};

/// The text of a kernel: the one built in.
#[cfg(not(feature = "kernels-from-folder"))]
pub(crate) fn kernel_text<'a>(_name: &str, built_in: &'a str) -> &'a str {
    built_in
}

/// The text for the driver: as it is.
#[cfg(not(feature = "kernels-from-folder"))]
pub(super) fn words(text: &str) -> std::borrow::Cow<'_, str> {
    text.into()
}

/// The words that are joined to kernels, by their files under `glsl/`.
#[cfg(feature = "kernels-from-folder")]
pub(super) const WORDS: &[(&str, &str)] = &[
    ("pug.glsl", PRELUDE),
    ("pug_fragment.glsl", ROUNDINGS),
    ("pug_vertex.glsl", PRELUDE_VERTEX),
    ("voxels.glsl", PRELUDE_VOXELS),
    ("fluid.glsl", PRELUDE_FLUID),
    ("quad.vert", QUAD),
];

/// Words that a kernel is given beside those of all kernels when whoever loads it says so, by [`Kernel::with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prelude {
    /// Neighbours of the voxels of a [`Voxels`](crate::layout::Voxels) field: `glsl/voxels.glsl`.
    Voxels,
    /// Places on the lattices of a flat flow: `glsl/fluid.glsl`.
    Fluid,
}

impl Prelude {
    fn text(self) -> &'static str {
        match self {
            Prelude::Voxels => PRELUDE_VOXELS,
            Prelude::Fluid => PRELUDE_FLUID,
        }
    }
}

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

/// A kernel file: its name for errors, its text, the `#define`s of the variant, and the words that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// File or built-in name.
    pub name: String,
    /// The text.
    pub text: String,
    /// Names and values of `#define`s, in order.
    pub defines: Vec<(String, String)>,
    /// The words it has beside those of all kernels, in order.
    pub preludes: Vec<Prelude>,
}

impl Kernel {
    /// A kernel of that name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Kernel {
        Kernel { name: name.into(), text: text.into(), defines: Vec::new(), preludes: Vec::new() }
    }

    /// The same kernel with `#define name value`; a `#define` is one line, so the value's lines become one.
    #[must_use]
    pub fn define(mut self, name: &str, value: impl ToString) -> Kernel {
        self.defines.push((name.to_owned(), without_comments(&value.to_string()).replace(['\r', '\n'], " ")));
        self
    }

    /// The same kernel with more words.
    #[must_use]
    pub fn with(mut self, prelude: Prelude) -> Kernel {
        self.preludes.push(prelude);
        self
    }

    /// The same kernel with generated text in the place of a word.
    #[must_use]
    pub fn splice(mut self, word: &str, text: &str) -> Kernel {
        self.text = self.text.replace(word, text);
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
pub(super) fn prelude_line(kernel: &Kernel, vertex: bool, mut number: u32) -> &'static str {
    let last = if vertex { "" } else { ROUNDINGS };
    for words in preludes(kernel, if vertex { PRELUDE_VERTEX } else { "" }).chain([last]) {
        let lines = words.lines().count() as u32;
        if number <= lines {
            return line_of(words, number);
        }
        number -= lines;
    }
    ""
}

/// The words before a kernel, in order.
fn preludes(kernel: &Kernel, of_stage: &'static str) -> impl Iterator<Item = &'static str> {
    [PRELUDE, of_stage].into_iter().chain(kernel.preludes.iter().map(|prelude| prelude.text()))
}

/// Returns true if that word stands in what may come before the kernel.
pub(super) fn is_word_of_preludes(kernel: &Kernel, word: &str) -> bool {
    preludes(kernel, PRELUDE_VERTEX).chain([ROUNDINGS]).any(|words| words.contains(word))
}

fn head(embedded: bool, kernel: &Kernel, of_stage: &'static str) -> String {
    let mut head = String::from(if embedded { "#version 300 es\n" } else { "#version 330 core\n" });
    if embedded {
        head.push_str("precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n");
    }
    // A quad faces the viewer, so nothing is in perspective; where GLSL can say so, a division less is made.
    head.push_str(if embedded { "#define pug_across\n" } else { "#define pug_across noperspective\n" });
    for (name, value) in &kernel.defines {
        let _ = writeln!(head, "#define {name} {value}");
    }
    let _ = writeln!(head, "#line 1 {HEAD}");
    head.extend(preludes(kernel, of_stage));
    head
}

/// The fragment program: with a rounding, the kernel's `main` runs inside one that rounds its outputs.
pub(super) fn fragment(embedded: bool, kernel: &Kernel, scanned: &Scanned, rounding: Rounding) -> String {
    let mut text = head(embedded, kernel, "");
    if rounding != Rounding::None {
        text.push_str(ROUNDINGS);
        text.push_str("#define main pug_main\n");
    }
    for varying in scanned.varyings.iter().filter(|varying| varying.stream.is_some()) {
        let _ = writeln!(text, "pug_across in vec2 {};", varying.name);
    }
    let _ = write!(text, "#line 1 {KERNEL}\n{}\n", scanned.text);
    let round = match rounding {
        Rounding::None => return text,
        Rounding::Ati24 => "pug_round24",
        Rounding::Ati16 => "pug_round16",
    };
    text.push_str("#undef main\nvoid main() { pug_main();");
    for name in scanned.names(DeclarationKind::Range) {
        let _ = write!(text, " {name} = {round}({name});");
    }
    text.push_str(" }\n");
    text
}

/// The vertex program of a full-screen quad with what it interpolates.
pub(super) fn quad(embedded: bool, varyings: &[Varying]) -> String {
    let mut declare = String::new();
    let mut set = String::new();
    for (i, Varying { name, .. }) in varyings.iter().enumerate() {
        let _ = write!(declare, "pug_across out vec2 {name}; ");
        let _ = write!(set, "{name} = quad_across(quad_rects[{i}]); ");
    }
    let kernel = Kernel::new("quad.vert", "")
        .define("RECTS", varyings.len().max(1))
        .define("DECLARE_VARYINGS", declare)
        .define("SET_VARYINGS", set);
    format!("{}#line 1 {KERNEL}\n{QUAD}", head(embedded, &kernel, ""))
}

/// The vertex program of a kernel of points.
pub(super) fn vertex(embedded: bool, kernel: &Kernel, scanned: &Scanned) -> String {
    format!("{}#line 1 {KERNEL}\n{}\n", head(embedded, kernel, PRELUDE_VERTEX), scanned.text)
}
