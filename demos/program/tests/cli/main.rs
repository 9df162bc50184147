//! The program as a person meets it: what it writes, what it prints, and how it fails.

mod branches;
mod clouds;
mod demo;
mod fluid;
mod formats;
mod heat;
mod histogram;
mod kernel;
mod liquid;
mod nbody;
mod on_es;
mod on_gl;
mod pde;
mod program;
mod sandpile;
mod small;
mod smooth;
mod solve;
mod sort;
mod wall;
mod wave;
