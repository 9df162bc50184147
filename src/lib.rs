//! Quadrille: general-purpose computing by drawing, the classic GPGPU of 2003–2005.
//!
//! Data lie in float textures (*buffers*), kernels are fragment programs, and a computation is a *pass*:
//! (kernel, streams in, constants, domains) → range of a target. [`Gpu`] is where everything starts.
//!
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::Gpu;
//!
//! let gpu = Gpu::headless()?;
//! let numbers = gpu.buffer(3, 2).init(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let squares = gpu.buffer(3, 2).build()?;
//! let mut square = gpu.program(
//!     "square.frag",
//!     "uniform Stream numbers;
//!      DOMAIN coords;
//!      RANGE float result;
//!      void main() { float x = value2(numbers, coords).x; result = x * x; }",
//! )?;
//! square.bind_stream("numbers", &numbers)?;
//! square.run(&squares)?;
//! assert_eq!(squares.data()?, [1.0, 4.0, 9.0, 16.0, 25.0, 36.0]);
//! # Ok(())
//! # }
//! ```
//!
//! [`kernel_language`] has every word that a kernel may use, each at work.
//!
//! The rooms, bottom to top; a room uses only those above it in this list: [`layout`], [`numeric`] (sparse rows,
//! random numbers), [`mesh`] (triangles), [`gl`] (OpenGL, the only unsafe code), [`pug`] (bind and run),
//! `trace` (recordings of runs, behind the feature of that name),
//! [`streams`] (scatter, gather, scan, sort), [`linalg`] (packed vectors and their matrices), [`matrix`] (dense matrices as BLAS has them), [`solve`], [`sim`],
//! [`view`]; `script`, a matrix language, `pde`, equations as formulas, and `testing`, a kit for shaders of one's own, are
//! behind the features of those names.

// Badges of features on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_docs)]

pub mod error;
#[expect(unsafe_code)]
pub mod gl;
pub mod kernel_language;
pub mod kernels;
pub mod layout;
pub mod linalg;
pub mod matrix;
pub mod mesh;
pub mod numeric;
#[cfg(feature = "pde")]
pub mod pde;
pub mod pug;
#[cfg(feature = "script")]
pub mod script;
pub mod sim;
pub mod solve;
pub mod streams;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "trace")]
pub mod trace;
pub mod view;

pub use error::{Error, Result};
pub use gl::{Api, Limits, Options};
pub use glow;
pub use layout::{Edges, Rect};
pub use pug::{Buffer, DoubleBuffer, Gpu, Operator, Program, Reduction};

/// The program in the README is run as a test.
#[cfg(all(doctest, feature = "headless"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The programs of the page about the library are run as tests.
#[cfg(all(doctest, feature = "headless"))]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;

/// The programs of the page about tests of shaders are run as tests.
#[cfg(all(doctest, feature = "testing"))]
#[doc = include_str!("../docs/testing-shaders.md")]
struct TestingPage;
