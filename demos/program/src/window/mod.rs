//! Demos in a window, and the gallery that leads to them: each one's picture beside a panel, painted on with the mouse.
//!
//! ```text
//! app       what winit calls: opens, redraws, closes, and keeps the first error
//! view      all that lives while the window is open: the gallery, or a demo
//! playing   a demo in the window, and what one frame of it does
//! run       the simulation, how far it is, and the files it leaves
//! gui       egui over winit and OpenGL
//! surface   the window itself
//! ```
//!
//! The layout is the gallery's own (`quadrille_gallery::play`).

mod app;
mod gui;
mod playing;
mod run;
mod surface;
mod view;

use std::fmt::Display;

use anyhow::{Error, Result, anyhow};
use quadrille::Options;
use winit::event_loop::EventLoop;

use crate::cli::ContextArguments;
use crate::demo::chosen::Chosen;
use crate::demo::record::Recorder;
use crate::interrupt;
use crate::output::Usage;

/// Runs the demo until it has run its `--steps` or its window is closed; the way back from it, and the beginning without one,
/// is the gallery.
///
/// # Errors
/// No window; those of the demo and of its files.
pub fn run(first: Option<&Chosen>, context: &ContextArguments) -> Result<()> {
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
    let recorder = first.map(Recorder::create).transpose()?;
    let mut app = app::App::new(first.zip(recorder), options);
    event_loop.run_app(&mut app).map_err(no_window)?;
    app.outcome()
}

/// Returns true if there is a display that a window could open on.
pub fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match cfg!(all(unix, not(target_vendor = "apple"))) {
        true => set("DISPLAY") || set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET"),
        false => true,
    }
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
