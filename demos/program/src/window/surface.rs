//! The window itself, with a context current in it.

use std::rc::Rc;

use anyhow::Result;
use glutin::display::DisplayApiPreference;
use quadrille::Api;
use quadrille::gl::window::{Screen, Surface};
use winit::dpi::LogicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

use super::no_window;

/// Room for a square picture beside the panel on a small screen.
const SIZE: LogicalSize<f64> = LogicalSize::new(960.0, 640.0);
/// The share of a small screen that a window takes.
const ROOM: f64 = 0.92;
const SMALLEST: LogicalSize<f64> = LogicalSize::new(320.0, 200.0);

/// Opens a window of that title.
///
/// # Errors
/// One line: what failed, and `--headless` as the way out.
pub fn open(event_loop: &ActiveEventLoop, title: String, api: Api) -> Result<(Rc<Window>, Surface)> {
    let screen = Screen::new(event_loop.owned_display_handle(), api, ways()).map_err(no_window)?;
    let attributes = Window::default_attributes()
        .with_title(title)
        .with_inner_size(fitting(event_loop))
        .with_min_inner_size(SMALLEST)
        .with_theme(Some(winit::window::Theme::Dark));
    let window = glutin_winit::finalize_window(event_loop, attributes, screen.config());
    let window = Rc::new(window.map_err(no_window)?);
    let size = window.inner_size();
    let surface = screen.open(window.clone(), size.width, size.height).map_err(no_window)?;
    Ok((window, surface))
}

/// The usual size; on a smaller screen, as much as leaves room for a frame.
fn fitting(event_loop: &ActiveEventLoop) -> LogicalSize<f64> {
    let Some(screen) = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next()) else {
        return SIZE;
    };
    let room = screen.size().to_logical::<f64>(screen.scale_factor());
    let side =
        |usual: f64, room: f64, least: f64| if usual > room { (ROOM * room).max(least) } else { usual };
    LogicalSize::new(
        side(SIZE.width, room.width, SMALLEST.width),
        side(SIZE.height, room.height, SMALLEST.height),
    )
}

/// EGL, which knows both dialects, Wayland and X11; then GLX, for X servers where it is all there is.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn ways() -> Vec<DisplayApiPreference> {
    let hook = Box::new(winit::platform::x11::register_xlib_error_hook);
    vec![DisplayApiPreference::Egl, DisplayApiPreference::Glx(hook)]
}

/// CGL, the one way that macOS has.
#[cfg(target_vendor = "apple")]
fn ways() -> Vec<DisplayApiPreference> {
    vec![DisplayApiPreference::Cgl]
}

/// WGL, which every driver of Windows has, and EGL where a library for it (ANGLE's) lies beside the program.
#[cfg(windows)]
fn ways() -> Vec<DisplayApiPreference> {
    vec![DisplayApiPreference::Wgl(None), DisplayApiPreference::Egl]
}
