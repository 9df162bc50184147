//! Turns the WebAssembly that rustc wrote into that of a page, with the JavaScript that the two speak through.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [wasm, folder] = paths.as_slice() else {
        anyhow::bail!("usage: quadrille-bindgen FILE.wasm FOLDER");
    };
    let mut bindgen = Bindgen::new();
    // A script and no module: a page that was opened from a folder may not load modules.
    bindgen.no_modules(true)?.typescript(false).omit_default_module_path(true).remove_producers_section(true);
    // The sizes of functions are read from what rustc wrote; a page has no use for their names.
    bindgen.remove_name_section(true);
    bindgen.input_path(wasm).generate(folder).with_context(|| wasm.display().to_string())
}
