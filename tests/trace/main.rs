//! Tests of `trace`: counts by hand, the tree, the page.

#[path = "../support/mod.rs"]
mod support;

mod counts;
mod drawn;
mod finding;
mod floors;
mod page;
