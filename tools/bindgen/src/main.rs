//! Turns the WebAssembly that rustc wrote into that of a page, with the JavaScript that the two speak through.

mod cut;

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use walrus::Module;
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
    let named = || wasm.display().to_string();
    let bytes = fs::read(wasm).with_context(named)?;
    let mut module = Module::from_buffer(&bytes).with_context(named)?;
    let is_cut = std::env::var_os("QUADRILLE_WHOLE").is_none() && cut::cut(&mut module)? > 0;
    let bytes = if is_cut { module.emit_wasm() } else { bytes };
    let name = wasm.file_stem().unwrap_or_default().to_string_lossy();
    bindgen.input_bytes(&name, bytes).generate(folder).with_context(named)
}
