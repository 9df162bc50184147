//! From a kernel's text to what the driver compiles: the head of the dialect, the prelude, the
//! variant's `#define`s and `#line`, so that the driver's errors carry the kernel file's own lines.
//!
//! Three words of the prelude are declarations and cannot be macros in GLSL ES 3.00, so they are
//! rewritten in place: `DOMAIN a;`, `RANGE vec4 b;` and, in vertex kernels, `VERTEX vec2 c;`.

use std::fmt::Write as _;

use super::lift::Varying;
use super::scan::{DeclarationKind, Scanned, without_comments};

/// Words of all kernels, of fragment kernels, and of vertex kernels.
const PRELUDE: &str = include_str!("../../glsl/pug.glsl");
const PRELUDE_FRAGMENT: &str = include_str!("../../glsl/pug_fragment.glsl");
const PRELUDE_VERTEX: &str = include_str!("../../glsl/pug_vertex.glsl");
const PRELUDE_VOXELS: &str = include_str!("../../glsl/voxels.glsl");
const PRELUDE_FLUID: &str = include_str!("../../glsl/fluid.glsl");
const QUAD: &str = include_str!("../../glsl/quad.vert");

/// What a kernel calls that needs the words of voxels.
const VOXEL_WORDS: [&str; 10] = [
    "neighboursOf",
    "westOf",
    "eastOf",
    "northOf",
    "southOf",
    "belowOf",
    "aboveOf",
    "voxelAt",
    "cornersAt",
    "betweenVoxels",
];

/// What a kernel calls that needs those of a fluid.
const FLUID_WORDS: [&str; 5] = ["elementOf", "countsOf", "aroundPlace", "betweenFour", "openWay"];

/// The words that a kernel needs besides those of all kernels.
fn more_words(text: &str) -> impl Iterator<Item = &'static str> {
    let rooms = [(&VOXEL_WORDS[..], PRELUDE_VOXELS), (&FLUID_WORDS, PRELUDE_FLUID)];
    let needed = rooms.map(|(calls, words)| calls.iter().any(|call| text.contains(call)).then_some(words));
    needed.into_iter().flatten()
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
    let second = if vertex { PRELUDE_VERTEX } else { PRELUDE_FRAGMENT };
    for words in [PRELUDE, second].into_iter().chain(more_words(&kernel.text)) {
        let lines = words.lines().count() as u32;
        if number <= lines {
            return line_of(words, number);
        }
        number -= lines;
    }
    ""
}

fn head(embedded: bool, kernel: &Kernel, words: &str) -> String {
    let mut head = String::from(if embedded { "#version 300 es\n" } else { "#version 330 core\n" });
    if embedded {
        head.push_str("precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n");
    }
    // A quad faces the viewer, so nothing is in perspective; where GLSL can say so, a division less is made.
    head.push_str(if embedded { "#define ACROSS\n" } else { "#define ACROSS noperspective\n" });
    for (name, value) in &kernel.defines {
        let _ = writeln!(head, "#define {name} {value}");
    }
    let _ = write!(head, "#line 1 {HEAD}\n{PRELUDE}{words}");
    head.extend(more_words(&kernel.text));
    head
}

/// The fragment program: with a rounding, the kernel's `main` runs inside one that rounds its outputs.
pub(super) fn fragment(embedded: bool, kernel: &Kernel, scanned: &Scanned, rounding: Rounding) -> String {
    let mut text = head(embedded, kernel, PRELUDE_FRAGMENT);
    if rounding != Rounding::None {
        text.push_str("#define main kernel_main\n");
    }
    for varying in scanned.varyings.iter().filter(|varying| varying.stream.is_some()) {
        let _ = writeln!(text, "ACROSS in vec2 {};", varying.name);
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

/// The vertex program of a full-screen quad with what it interpolates.
pub(super) fn quad(embedded: bool, varyings: &[Varying]) -> String {
    let mut declare = String::new();
    let mut set = String::new();
    for (i, Varying { name, .. }) in varyings.iter().enumerate() {
        let _ = write!(declare, "ACROSS out vec2 {name}; ");
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
