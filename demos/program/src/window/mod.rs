//! A demo in a window: its picture beside a panel, painted on with the mouse.
//!
//! ```text
//! app       what winit calls: opens, redraws, closes, and keeps the first error
//! view      all that lives while the window is open, and what one frame does
//! run       the simulation, how far it is, and the files it leaves
//! panel     the widgets;  keys: what the keyboard asks for
//! picture   where the picture lies, and which cell a pixel is, or which ray
//! marks     names of its parts, and edges
//! hand      the left button: strokes of the brush, without gaps, or pushes
//! orbit     the camera by the right button and the wheel
//! gui       egui over winit and OpenGL
//! surface   the window itself
//! rates     frames and steps a second
//! ```

mod app;
mod gui;
mod hand;
mod keys;
mod marks;
mod orbit;
mod panel;
mod picture;
mod rates;
mod run;
mod surface;
mod view;

use std::fmt::Display;

use anyhow::{Error, Result, anyhow};
use quadrille::Options;
use winit::event_loop::EventLoop;

use crate::demo::chosen::Chosen;
use crate::demo::record::Recorder;
use crate::interrupt;
use crate::output::Usage;

/// Runs the demo until its window is closed, or has run its `--steps`.
pub fn run(chosen: &Chosen) -> Result<()> {
    let context = &chosen.arguments.context;
    if context.device.is_some() {
        let line =
            "--device chooses where to compute without a window: a window has the device of its screen";
        return Err(Usage(line.to_owned()).into());
    }
    let options = Options { api: context.api(), device: None, limits: context.limits }.or_environment()?;
    let event_loop = EventLoop::new().map_err(no_window)?;
    let proxy = event_loop.create_proxy();
    // If the loop has ended already, there is nobody to wake.
    interrupt::note(move || {
        _ = proxy.send_event(());
        interrupt::say_if_late();
    });
    let recorder = Recorder::create(chosen)?;
    let mut app = app::App::new(chosen, options, recorder);
    event_loop.run_app(&mut app).map_err(no_window)?;
    app.outcome()
}

/// The one line for a window that does not open, with the way out.
fn no_window(why: impl Display) -> Error {
    let why = why.to_string();
    // winit begins with the place in its own source: "os error at /.../mod.rs:765: ".
    let after_place = why.rsplit_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    let why = after_place.map_or(why.as_str(), |(_, why)| why).trim_end_matches('.').replace('\n', " ");
    anyhow!("no window: {why}; --headless runs without one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_does_not_open_is_one_line_with_the_way_out() {
        let winit = "os error at /home/x/winit-0.30.13/src/linux/mod.rs:765: DISPLAY is not set.";
        let expected = "no window: DISPLAY is not set; --headless runs without one";
        assert_eq!(no_window(winit).to_string(), expected);
        assert_eq!(no_window("a\nb").to_string(), "no window: a b; --headless runs without one");
    }
}
