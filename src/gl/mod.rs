//! The only room with `unsafe` and the only one that knows OpenGL's functions: context, limits, textures
//! and their pool, linked kernels, passes, points, queries, read-back. `pug` is the room to use it through.

mod compile;
mod context;
mod declarations;
#[cfg(all(any(feature = "headless", feature = "window"), not(target_arch = "wasm32")))]
mod dialect;
mod driver;
mod fault;
#[cfg(feature = "kernels-from-folder")]
mod folder;
#[cfg(feature = "testing")]
mod foreign;
mod format;
mod framebuffer;
mod glsl_type;
#[cfg(all(feature = "headless", not(any(target_arch = "wasm32", target_vendor = "apple"))))]
mod headless;
#[cfg(all(feature = "headless", target_vendor = "apple"))]
mod headless_cgl;
#[cfg(all(feature = "headless", windows))]
mod headless_wgl;
#[cfg(all(any(feature = "headless", feature = "window"), windows))]
mod hidden_window;
mod kernel;
mod lift;
mod limits;
mod linked;
mod log;
#[cfg_attr(not(feature = "trace"), allow(dead_code))]
mod observe;
#[cfg(target_arch = "wasm32")]
mod page;
mod pass;
mod points;
mod pool;
mod probe;
mod query;
mod readback;
mod scan;
mod source;
mod state;
mod texture;
#[cfg(not(target_arch = "wasm32"))]
mod threads;
#[cfg(feature = "testing")]
mod turn;
pub(crate) mod words;

#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
pub mod window;

pub use crate::layout::{Edges, Rect};
pub use compile::Compiling;
pub use context::{Api, Context, Counters, Options};
pub(crate) use declarations::mentions;
#[cfg(feature = "testing")]
pub(crate) use declarations::{Token, tokens};
pub use driver::Driver;
#[cfg(feature = "testing")]
pub(crate) use foreign::{
    Attribute, ForeignDraw, ForeignProgram, Stage, TextureInput, Uniform, UniformKind, Vertices,
};
#[cfg(feature = "testing")]
pub use foreign::{Filter, Storage};
pub use format::{Format, OBJECT, Shape};
pub(crate) use format::{byte_of, number_of};
pub use framebuffer::DepthStencil;
pub(crate) use framebuffer::TARGETS;
#[cfg(feature = "testing")]
pub(crate) use glsl_type::sampler_name;
pub(crate) use glsl_type::{GlslType, Scalar};
#[cfg(all(feature = "headless", not(any(target_arch = "wasm32", target_vendor = "apple"))))]
pub use headless::devices;
#[cfg(all(feature = "headless", not(any(target_arch = "wasm32", target_vendor = "apple"))))]
pub(crate) use headless::headless;
#[cfg(all(feature = "testing", not(any(target_arch = "wasm32", target_vendor = "apple"))))]
pub(crate) use headless::headless_by_turns;
#[cfg(all(feature = "headless", target_vendor = "apple"))]
pub use headless_cgl::devices;
#[cfg(all(feature = "headless", target_vendor = "apple"))]
pub(crate) use headless_cgl::headless;
#[cfg(all(feature = "testing", target_vendor = "apple"))]
pub(crate) use headless_cgl::headless as headless_by_turns;
#[cfg(feature = "trace")]
pub(crate) use kernel::PRELUDE_VERTEX;
#[cfg(any(feature = "testing", feature = "trace"))]
pub(crate) use kernel::without_comments;
pub use kernel::{Kernel, Prelude, Rounding};
pub use limits::Limits;
pub use linked::Linked;
pub(crate) use linked::{ConstantSlot, MAX_DOMAINS, type_name};
pub use observe::Scope;
#[cfg(feature = "trace")]
pub(crate) use observe::{Drawn, Event, Observer};
#[cfg(all(feature = "headless", target_arch = "wasm32"))]
pub use page::devices;
#[cfg(all(feature = "headless", target_arch = "wasm32"))]
pub(crate) use page::headless;
#[cfg(feature = "trace")]
pub(crate) use pass::TALLIED;
pub use pass::{Geometry, Pass};
pub use points::VertexBuffer;
pub use probe::Probes;
#[cfg(feature = "trace")]
pub(crate) use query::{Begun, Counted};
pub use query::{SampleQuery, Samples, TimeQuery};
pub use readback::ReadBack;
pub(crate) use source::kernel_text;
pub(crate) use state::UNITS;
pub use state::{Blend, Compare, DepthTest, Mask, StencilTest};
pub use texture::Texture;
pub(crate) use texture::keep_components;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use threads::expect_fetches;

/// glow's context, framebuffer and texture names, so that other rooms need not name glow.
pub use glow::{Context as GlowContext, Framebuffer as GlowFramebuffer, Texture as GlowTexture};
