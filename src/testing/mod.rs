//! A kit for testing one's own shaders: an application's GLSL as it is, without a window, held against plain Rust.
//!
//! Behind the feature `testing`. [`Gpu::shader`](crate::Gpu::shader) takes the text of a fragment shader, or of a vertex and a fragment shader;
//! [`Shader::set`] and [`Shader::texture`] hand over what it asks for, by name; [`Shader::draw`] gives an [`Image`], and
//! [`assert_close!`] compares it with another.
//!
//! ```
//! use quadrille::testing::{self, Image, assert_close};
//!
//! // As the application has it.
//! const VIGNETTE: &str = "#version 330 core
//!     in vec2 uv;
//!     out vec4 colour;
//!     uniform sampler2D scene;
//!     uniform float strength;
//!     void main() { colour = texture(scene, uv) * (1.0 - strength * distance(uv, vec2(0.5))); }";
//!
//! fn main() -> quadrille::Result<()> {
//!     testing::both(|gpu| {                              // on OpenGL and on OpenGL ES
//!         let scene = Image::random(31, 17, 1);
//!         let mut vignette = gpu.shader(VIGNETTE)?;
//!         let found = vignette.texture("scene", &scene)?.set("strength", 0.5)?.draw(31, 17)?;
//!         let expected = found.expected(|at| {
//!             let away = (at.uv()[0] - 0.5).hypot(at.uv()[1] - 0.5);
//!             at.texel("scene").map(|value| value * (1.0 - at.number("strength") * away))
//!         });
//!         assert_close!(found, expected, 1e-6);
//!         Ok(())
//!     })
//! }
//! ```
//!
//! Positions are OpenGL's: texel (x, y) has `gl_FragCoord` (x + ½, y + ½), and row 0 is the lowest of a picture on a screen.
//! Files of pictures begin with the highest row, as screens and paint programs do: [`Image::open`] and [`Image::save`] turn them.

mod against;
mod close;
mod golden;
mod image;
mod run;
mod shader;
mod source;
mod translate;

pub use crate::gl::{Filter, Storage};
pub use crate::layout::Edges;
pub use crate::pug::Value;
pub use crate::{assert_close, assert_finite, assert_golden};
pub use against::{Against, against};
pub use close::Tolerance;
#[doc(hidden)]
pub use close::{close_report, finite_report};
#[doc(hidden)]
pub use golden::golden_report;
pub use image::{At, Image, Texel, Texture};
pub use run::{assert_no_gl_error, both, gpu, gpu_with, on_gpu};
pub use shader::{Drawn, QUAD, Shader};
pub use source::Source;
