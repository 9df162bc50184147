//! A kernel: its name, its text, the `#define`s of its variant, and the words that are put before it.

use crate::Error;

/// Words of all kernels, and of vertex kernels; and what rounds the outputs of those that are to.
pub(super) const PRELUDE: &str = include_str!("../../glsl/pug.glsl");
pub(crate) const PRELUDE_VERTEX: &str = include_str!("../../glsl/pug_vertex.glsl");
pub(super) const ROUNDINGS: &str = include_str!("../../glsl/pug_fragment.glsl");
pub(super) const PRELUDE_VOXELS: &str = include_str!("../../glsl/voxels.glsl");
pub(super) const PRELUDE_FLUID: &str = include_str!("../../glsl/fluid.glsl");
pub(super) const PRELUDE_DOUBLE_SINGLE: &str = include_str!("../../glsl/double_single.glsl");
pub(super) const PRELUDE_TONES: &str = include_str!("../../glsl/tones.glsl");

/// Words that [`Kernel::with`] gives to a kernel beside those of all kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prelude {
    /// Neighbours of the voxels of a [`Voxels`](crate::layout::Voxels) field: `glsl/voxels.glsl`.
    Voxels,
    /// Places on the lattices of a flat flow: `glsl/fluid.glsl`.
    Fluid,
    /// Arithmetic of numbers of two floats each: `glsl/double_single.glsl`. The chapter on it is the head of
    /// `src/linalg/double/mod.rs`.
    DoubleSingle,
    /// Shares of a colour map, and lines of equal shares: `glsl/tones.glsl`.
    Tones,
}

impl Prelude {
    fn text(self) -> &'static str {
        match self {
            Prelude::Voxels => PRELUDE_VOXELS,
            Prelude::Fluid => PRELUDE_FLUID,
            Prelude::DoubleSingle => PRELUDE_DOUBLE_SINGLE,
            Prelude::Tones => PRELUDE_TONES,
        }
    }
}

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
    #[doc(hidden)]
    pub fn splice(mut self, word: &str, text: &str) -> Kernel {
        self.text = self.text.replace(word, text);
        self
    }

    /// The error of a line that the kernel language does not have, with what it has instead.
    pub(super) fn refuse(&self, line: u32, expected: impl std::fmt::Display) -> Error {
        let text = self.line(line).to_owned();
        let expected = format!("{expected} (see quadrille::kernel_language)");
        Error::Declaration { kernel: self.name.clone(), line, text, expected }
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
pub(crate) fn preludes(kernel: &Kernel, of_stage: &'static str) -> impl Iterator<Item = &'static str> {
    [PRELUDE, of_stage].into_iter().chain(kernel.preludes.iter().map(|prelude| prelude.text()))
}

/// Returns true if that word stands in what may come before the kernel.
pub(super) fn is_word_of_preludes(kernel: &Kernel, word: &str) -> bool {
    preludes(kernel, PRELUDE_VERTEX).chain([ROUNDINGS]).any(|words| words.contains(word))
}

/// Comments as spaces, so that every byte keeps its place and every line its number.
pub(crate) fn without_comments(text: &str) -> String {
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
