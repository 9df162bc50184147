//! The demos of quadrille, free of their hosts: no command line, files, clock or window.
//!
//! ```text
//! demos      one folder or file a demo
//! list       the demos that there are, and one by its name
//! demo       the traits Demo and Host; About, Request
//! param      parameters: flag, slider and key of each come from its one description
//! picture    views of what demos compute
//! equations  files of equations as demos;  sketch: a kernel of the user's own as one;  address: a demo as the address of a page
//! state      what a demo is saved as and goes on from;  files: its bytes, as NumPy has them
//! panel      widgets of parameters, and
//! play       a demo as it is played, and the gallery (feature `panel`)
//! image, palette, plot, number    pixels, colour maps, curves, numbers as people write them
//! given, printed    small arrays as texts: read, and in columns below each other
//! ```
//!
//! A new demo is a file in `demos`, and a module and a line of the list in `demos/mod.rs`.

// Widgets are gone without the feature, and what only they call is left.
#![cfg_attr(not(feature = "panel"), allow(dead_code))]

pub mod address;
#[cfg(test)]
mod checks;
pub mod demo;
pub mod demos;
#[cfg(all(test, feature = "panel"))]
mod effects;
pub mod equations;
pub mod files;
pub mod given;
pub mod image;
pub mod list;
pub mod number;
pub mod palette;
#[cfg(feature = "panel")]
pub mod panel;
pub mod param;
pub mod picture;
#[cfg(feature = "panel")]
pub mod play;
pub mod plot;
pub mod printed;
mod rate;
pub mod sketch;
pub mod state;
