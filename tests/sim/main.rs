//! Tests of `sim` and of `view`: simulations against their reference, and pictures of buffers.

#[path = "../support/mod.rs"]
mod support;

mod boxes;
mod colour_map;
mod contact;
mod gray_scott;
mod gray_scott_control;
mod height_field;
mod wave;
