//! Files, words and clocks, which are the same on both dialects: `make test` runs these tests on OpenGL alone.

#[path = "bench.rs"]
pub mod bench;
#[path = "docs.rs"]
pub mod docs;
#[path = "errors.rs"]
pub mod errors;
#[path = "shown.rs"]
pub mod shown;
#[path = "states.rs"]
pub mod states;
