//! Tests of `trace`: counts by hand, the tree, the page.

#[path = "../support/mod.rs"]
mod support;

mod counts;
mod finding;
mod page;
