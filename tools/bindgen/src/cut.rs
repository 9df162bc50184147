//! Leaves out what the linker cannot know that a page never runs: its letters are drawn by `demos/web/src/letters.rs`, and egui opens no font.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, ensure};
use rustc_demangle::demangle;
use walrus::ir::{Visitor, dfs_in_order};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, Module};

/// Functions by the beginnings of their paths: fonts, writings and outlines.
const NEVER: [&str; 9] = [
    "epaint::text::font_face::",
    "fearless_simd::",
    "harfrust::",
    "kurbo::",
    "peniko::",
    "read_fonts::",
    "skrifa::",
    "vello_common::",
    "vello_cpu::",
];
/// The exception among them: sets of numbers, which a buffer of letters has without a font, too.
const BUT: &str = "read_fonts::collections::";
/// Where fonts are asked for, and there is none: who goes through these gets no further.
const GATES: [&str; 2] = ["egui::context::", "epaint::text::"];
/// The fewest instructions of a function that goes. Functions that run without a font, too, are shorter. The compiler merges two functions that are
/// alike, under either's name; none as long as this is alike in crates that know nothing of each other, so none that goes is shared.
const LEAST: u64 = 100;

fn begins_with(path: &str, beginnings: &[&str]) -> bool {
    let path = path.trim_start_matches(['<', '&']);
    beginnings.iter().any(|beginning| path.starts_with(beginning))
}

/// The functions that one calls by name.
#[derive(Default)]
struct Calls(Vec<FunctionId>);

impl Visitor<'_> for Calls {
    fn visit_function_id(&mut self, called: &FunctionId) {
        self.0.push(*called);
    }
}

/// Puts a trap in the place of each; what they alone have called goes with them. Returns how many there were.
///
/// # Errors
/// A page that draws letters has none of them: the crates have other names for them now.
pub fn cut(module: &mut Module) -> Result<usize> {
    // Without the hashes of crates.
    let path = |id| module.funcs.get(id).name.as_deref().map(|name| format!("{:#}", demangle(name)));
    let paths: HashMap<_, _> =
        module.funcs.iter_local().filter_map(|(id, _)| Some((id, path(id)?))).collect();
    if !paths.values().any(|path| path.contains("vello_cpu::")) {
        return Ok(0);
    }
    let those = |are: &dyn Fn(&str) -> bool| -> HashSet<FunctionId> {
        paths.iter().filter(|(_, path)| are(path)).map(|(id, _)| *id).collect()
    };
    let of_fonts = those(&|path| begins_with(path, &NEVER) && !begins_with(path, &[BUT]));
    let gates = those(&|path| begins_with(path, &GATES));
    // Code of others that is for types of these has their names in its own.
    let named_by = those(&|path| NEVER.iter().any(|never| path.contains(never)));
    // A function that anybody else calls stays, and so do those that it calls.
    let all = module.funcs.iter_local().map(|(id, _)| id);
    let mut open: Vec<_> = all.filter(|id| !gates.contains(id) && !named_by.contains(id)).collect();
    let mut stays: HashSet<_> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let FunctionKind::Local(function) = &module.funcs.get(id).kind else { continue };
        let mut calls = Calls::default();
        dfs_in_order(&mut calls, function, function.entry_block());
        let called = calls.0.into_iter().filter(|id| of_fonts.contains(id) || !gates.contains(id));
        open.extend(called.filter(|id| stays.insert(*id)));
    }
    let long = module.funcs.iter_local().filter(|(_, function)| function.size() >= LEAST).map(|(id, _)| id);
    let cut: Vec<_> = long.filter(|id| of_fonts.contains(id) && !stays.contains(id)).collect();
    ensure!(
        !cut.is_empty(),
        "none of the functions that a page never runs is there: see tools/bindgen/src/cut.rs"
    );
    for &id in &cut {
        let of_type = module.types.get(module.funcs.get(id).ty()).clone();
        let mut builder = FunctionBuilder::new(&mut module.types, of_type.params(), of_type.results());
        builder.func_body().unreachable();
        let arguments = of_type.params().iter().map(|param| module.locals.add(*param)).collect();
        module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(arguments));
    }
    Ok(cut.len())
}
