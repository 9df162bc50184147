//! Leaves out what the linker cannot know that a page never runs: its fonts are three, which have outlines of TrueType without
//! instructions, drawn in 8 bits.

use anyhow::{Result, ensure};
use rustc_demangle::demangle;
use walrus::{FunctionBuilder, FunctionKind, Module};

/// Functions by the beginning of their paths: outlines of PostScript, the interpreter of instructions, Apple's tables of glyphs, names in
/// a backtrace, gradients.
const NEVER: [&str; 8] = [
    "<read_fonts::ps::cs::Evaluator<",
    "<skrifa::outline::cff::Outlines>::",
    "<skrifa::outline::varc::Outlines>::draw",
    "<skrifa::outline::glyf::hint::engine::Engine>::",
    "harfrust::hb::aat::layout::substitute",
    "rustc_demangle::",
    "<rustc_demangle::",
    "<vello_cpu::fine::common::gradient::",
];
/// Those that draw with floats.
const FLOATS: (&str, &str) = ("<vello_cpu::fine::Fine<", "vello_cpu::fine::highp::F32Kernel>>::");

fn is_never_run(path: &str) -> bool {
    NEVER.iter().any(|never| path.starts_with(never))
        || path.starts_with(FLOATS.0) && path.contains(FLOATS.1)
}

/// Puts a trap in the place of each; what they alone have called goes with them. Returns how many there were.
///
/// # Errors
/// A page that draws letters has none of them: the crates have other names for them now.
pub fn cut(module: &mut Module) -> Result<usize> {
    let named = module.funcs.iter_local().filter_map(|(id, _)| {
        let name = module.funcs.get(id).name.as_deref()?;
        // Without the hashes of crates.
        Some((id, format!("{:#}", demangle(name))))
    });
    let named: Vec<_> = named.collect();
    if !named.iter().any(|(_, path)| path.contains("vello_cpu::")) {
        return Ok(0);
    }
    let cut: Vec<_> = named.into_iter().filter(|(_, path)| is_never_run(path)).map(|(id, _)| id).collect();
    ensure!(!cut.is_empty(), "none of the functions that a page never runs is there: see tools/bindgen/src/cut.rs");
    for &id in &cut {
        let of_type = module.types.get(module.funcs.get(id).ty()).clone();
        let mut builder = FunctionBuilder::new(&mut module.types, of_type.params(), of_type.results());
        builder.func_body().unreachable();
        let arguments = of_type.params().iter().map(|param| module.locals.add(*param)).collect();
        module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(arguments));
    }
    Ok(cut.len())
}
