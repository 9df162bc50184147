//! The sum of 1024 × 1024 texels by each way of taking them together.

use quadrille::pug::Step;

use super::packed::sum;
use super::row::{Bench, Row};

const SIDE: u32 = 1024;

const STEPS: [(&str, Step); 4] = [
    ("sum by adjacent 2x2", Step::Adjacent(2)),
    ("sum by far 2x2", Step::Far(2)),
    ("sum by far 4x4", Step::Far(4)),
    ("sum by far 8x8", Step::Far(8)),
];

pub fn rows() -> Vec<Row> {
    let row = |(name, step)| {
        let build = move |bench: &Bench| sum(bench, SIDE, SIDE, step);
        Row::new(name, &format!("{SIDE}x{SIDE} texels"), build)
    };
    STEPS.map(row).into()
}
