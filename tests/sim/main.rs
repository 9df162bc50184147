//! Tests of `sim` and of `view`: simulations against their reference, and pictures of buffers.

#[path = "../support/mod.rs"]
mod support;

mod boxes;
mod branches;
mod clouds;
mod colour_map;
mod contact;
mod contact_kernels;
mod disc;
mod faces;
mod flat_fluid;
mod fluid;
mod formats;
mod geometric_flow;
mod glow;
mod golden;
mod gray_scott;
mod gray_scott_control;
mod heat;
mod heat_control;
mod height_field;
mod liquid;
mod nbody;
mod nodes;
mod pool;
mod projection;
mod transport;
mod view;
mod wave;

use quadrille::gl::{Format, GlowFramebuffer, Shape};
use quadrille::{Gpu, Rect, Result};

/// The pixels of a picture: red, green, blue, alpha.
pub fn pixels(bytes: &[u8]) -> Vec<[u8; 4]> {
    bytes.as_chunks().0.to_vec()
}

/// That a framebuffer gets the picture of that size in its place alone, upside down as with all pictures: OpenGL's row 0 of a
/// framebuffer is the lowest on a screen, a file's is the upper one.
pub fn check_in_its_place(
    gpu: &Gpu,
    expected: &[[u8; 4]],
    (width, height): (u32, u32),
    draw: impl FnOnce(GlowFramebuffer, Rect) -> Result<()>,
) -> Result<()> {
    let screen = gpu.context().texture(Shape { width: 300, height: 200, format: Format::Rgba8 })?;
    screen.clear([0.0; 4]);
    let place = Rect::new(40, 30, 40 + width, 30 + height);
    draw(screen.framebuffer(), place)?;
    for (i, found) in pixels(&screen.read_bytes()?).into_iter().enumerate() {
        let (x, y) = (i as u32 % 300, i as u32 / 300);
        let inside = (place.x0..place.x1).contains(&x) && (place.y0..place.y1).contains(&y);
        let at = |x: u32, y: u32| expected[((height - 1 - y) * width + x) as usize];
        assert_eq!(found, if inside { at(x - place.x0, y - place.y0) } else { [0; 4] }, "pixel {x},{y}");
    }
    Ok(())
}
