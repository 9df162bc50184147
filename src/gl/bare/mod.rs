//! Hand-written OpenGL loops without any framework: what the benchmarks hold the rest against.
