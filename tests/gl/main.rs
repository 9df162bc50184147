//! Tests of `gl`: textures and their pool, read-back, programs, the state that is left, several contexts.

#[path = "../support/mod.rs"]
mod support;

mod compile;
mod contexts;
mod fluid_variants;
#[expect(unsafe_code)] // it speaks to OpenGL as foreign code does
mod foreign;
mod limits;
mod masks;
mod passes;
mod pool;
mod probes;
mod query;
mod read_back;
