//! The text that the driver compiles, made from a kernel's: the head of the dialect, the prelude, the variant's
//! `#define`s and `#line`, so that the driver's errors carry the kernel file's own lines.
//!
//! `Stream` is a struct of a sampler and its extent. So `value2(stream, position)` takes texels, as in the papers, and
//! makes a normalised address, which is the fastest everywhere; the sampler's wrap mode is the rule at the edge. Sizes
//! are uniforms, so one program serves every size. A stream that is only fetched at a domain or by `.texels` is a plain
//! sampler, and its size is not set, which saved 174 uniforms in a V-cycle of 513².
//!
//! Three words of the prelude are declarations and cannot be macros in GLSL ES 3.00, so they are rewritten in place:
//! `DOMAIN a;`, `RANGE vec4 b;` and, in vertex kernels, `VERTEX vec2 c;`.

use std::fmt::Write as _;

use super::declarations::{DeclarationKind, Scanned, Varying};
use super::kernel::{Kernel, PRELUDE_VERTEX, ROUNDINGS, Rounding, preludes};
#[cfg(feature = "kernels-from-folder")]
use super::kernel::{PRELUDE, PRELUDE_DOUBLE_SINGLE, PRELUDE_FLUID, PRELUDE_TONES, PRELUDE_VOXELS};

/// The vertex program of a full-screen quad.
const QUAD: &str = include_str!("../../glsl/quad.vert");

#[cfg(feature = "kernels-from-folder")]
pub(crate) use super::folder::kernel_text;

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

/// The text for the driver, its words replaced by those of the folder.
#[cfg(feature = "kernels-from-folder")]
pub(super) fn words(text: &str) -> std::borrow::Cow<'_, str> {
    let all = [
        ("pug.glsl", PRELUDE),
        ("pug_fragment.glsl", ROUNDINGS),
        ("pug_vertex.glsl", PRELUDE_VERTEX),
        ("voxels.glsl", PRELUDE_VOXELS),
        ("fluid.glsl", PRELUDE_FLUID),
        ("double_single.glsl", PRELUDE_DOUBLE_SINGLE),
        ("tones.glsl", PRELUDE_TONES),
        ("quad.vert", QUAD),
    ];
    super::folder::words(text, &all)
}

/// `#line` source number of the kernel and of the prelude.
pub(super) const KERNEL: u32 = 0;
pub(super) const HEAD: u32 = 1;

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
