//! Tests of `pug`: buffers, programs, passes, reductions, each against plain loops on the CPU.

#[path = "../support/mod.rs"]
mod support;

mod adding;
mod arrays;
mod buffers;
mod constants;
mod domains;
mod edges;
mod errors;
mod fixed;
mod flow_cull;
mod flow_frame;
mod flow_plate;
mod flow_subdivide;
mod flow_until;
mod names;
mod points;
mod precision;
mod reduce;
mod reduce_order;
mod reload;
mod strips;
mod targets;
mod vertices;
