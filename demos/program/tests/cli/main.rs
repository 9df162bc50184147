//! The program as a person meets it: what it writes, what it prints, and how it fails.

mod bench;
mod branches;
mod clouds;
mod demo;
mod docs;
mod errors;
mod fluid;
mod formats;
mod heat;
mod histogram;
mod kernel;
mod liquid;
mod nbody;
mod program;
mod prompt;
mod script;
mod shown;
mod signals;
mod small;
mod smooth;
mod solve;
mod sort;
mod states;
mod together;
mod wall;
mod wave;
