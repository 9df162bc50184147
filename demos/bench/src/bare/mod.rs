//! Hand-written OpenGL loops without any framework: what the benchmarks hold the rest against.
//!
//! Each is written as somebody would who needs this one loop and nothing else: own textures, framebuffers and
//! shaders, uniforms set once, and per pass only what differs: a framebuffer, a texture, a draw. They share
//! nothing with the library but the context they run in, which must be current and in OpenGL's
//! default state, as [`Gpu::glow`](quadrille::Gpu::glow) hands it over.

mod bins;
mod dense;
mod device;
mod feedback;
mod gather;
mod multiply;
mod nbody;
mod nine_points;
mod ping_pong;
mod points;
mod product;
#[cfg_attr(target_vendor = "apple", path = "no_start.rs")]
pub mod start;
mod sum;
mod transfer;

pub use bins::BinPoints;
pub use dense::DenseProduct;
pub use device::Bare;
pub use feedback::CopyToTexture;
pub use gather::Gathering;
pub use multiply::Multiply;
pub use nbody::Bodies;
pub use nine_points::{Level, NineCycle, NinePoints};
pub use ping_pong::PingPong;
pub use points::Scatter;
pub use product::FiveDiagonal;
pub use sum::{Sum, Taking};
pub use transfer::{Download, Upload};

/// A loop that can be run any number of times round.
pub trait BareLoop {
    /// Issues so many rounds and returns without waiting for them.
    fn draw(&mut self, rounds: u32);

    /// Waits for all of it by reading back one texel of the newest result.
    fn texel(&self) -> [f32; 4];
}
