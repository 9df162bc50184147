//! Files, words and clocks, which are the same on both dialects: `make test` runs these tests on OpenGL ES alone.

#[path = "exercise.rs"]
pub mod exercise;
#[path = "prompt.rs"]
pub mod prompt;
#[path = "script.rs"]
pub mod script;
#[path = "signals.rs"]
pub mod signals;
#[path = "together.rs"]
pub mod together;
#[path = "trace.rs"]
pub mod trace;
