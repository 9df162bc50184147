//! The smallest pass there is: what a pass costs before its first texel.

use super::intensity::multiply_add;
use super::row::{Bench, Row};

pub fn rows() -> Vec<Row> {
    let build = |bench: &Bench| multiply_add(bench, 1, 1, 1);
    let wall = Row::new("smallest pass", "1x1 texel", build);
    let submission = Row::new("smallest pass, submission alone", "1x1 texel", build);
    vec![wall, Row { submission: true, ..submission }, super::recorded::row()]
}
