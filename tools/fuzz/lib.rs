//! Targets of `make fuzz`. The parsers of files are those of the program and the scanner of kernels is the library's own: both are
//! private where they are, so their files are modules here.
#![allow(dead_code, unused_imports)] // what parsers do not use of the modules that hold them

use std::cell::LazyCell;

pub use libfuzzer_sys;
use quadrille::{Error, Result};

#[path = "../../demos/program/src/files/fed.rs"]
mod fed;
#[path = "../../demos/program/src/files/mod.rs"]
mod files;
#[path = "../../demos/program/src/output.rs"]
mod output;
#[path = "../../tests/script/fed.rs"]
mod script;

mod gl;

thread_local! {
    /// In memory where the system has such a place: a file is written and read for each of millions of inputs.
    static FOLDER: LazyCell<tempfile::TempDir> = LazyCell::new(|| {
        let memory = std::path::Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        folder.expect("a folder for the files that are fed")
    });
}

/// Feeds one input to the parser of that name.
pub fn feed(kind: &str, bytes: &[u8]) {
    match kind {
        "script" => script::feed(&String::from_utf8_lossy(bytes)),
        "kernel" => gl::feed(&String::from_utf8_lossy(bytes)),
        _ => FOLDER.with(|folder| fed::feed(kind, folder.path(), bytes)),
    }
}

/// The program of a target.
#[macro_export]
macro_rules! target {
    ($kind:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::feed($kind, bytes));
    };
}
