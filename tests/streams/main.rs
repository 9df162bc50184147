//! Tests of `streams`: each array and image against plain loops on the CPU.

#[path = "../support/mod.rs"]
mod support;

mod bars;
mod cards;
mod columns;
mod derivatives;
mod equalise;
mod histogram;
mod network;
mod pyramid;
mod refused;
mod scan;
mod sort;

/// Lengths whose texels of four, and those of their sums, are full, or lack one, or have one to spare.
pub const LENGTHS: [usize; 9] = [1, 2, 4, 5, 16, 63, 257, 1021, 4097];

/// A long prime: fifteen bits over 2²⁰ − 2¹⁵, and no side of its fold is a power of two.
pub const LONG: usize = 1_000_003;
