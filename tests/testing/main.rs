//! The kit for testing shaders. Each test runs on both dialects by itself.

mod against;
mod close;
mod dialects;
mod inputs;
mod others;
mod outputs;
mod refusals;
mod run;
