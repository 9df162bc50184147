//! A context without a window that anybody sees, on Windows without EGL: WGL, in a window that is never shown.

use std::num::NonZeroU32;
use std::rc::Rc;

use glutin::api::wgl::context::PossiblyCurrentContext;
use glutin::api::wgl::display::Display;
use glutin::api::wgl::surface::Surface;
use glutin::config::ConfigTemplateBuilder;
use glutin::prelude::*;
use glutin::surface::{SurfaceAttributesBuilder, WindowSurface};

use super::context::{Api, Owner};
use super::dialect::attributes;
use super::hidden_window::HiddenWindow;

/// A context in its window, in the order in which they must go.
struct Hidden {
    context: PossiblyCurrentContext,
    surface: Surface<WindowSurface>,
    _window: HiddenWindow,
}

impl Owner for Hidden {
    fn make_current(&self) {
        // It was current on this thread once: this fails only when the device is lost.
        let _ = self.context.make_current(&self.surface);
    }

    #[cfg(feature = "testing")]
    fn release(&self) {
        // A context that cannot be released was not current.
        let _ = self.context.make_not_current_in_place();
    }
}

/// Opens a context, current on this thread.
///
/// # Errors
/// A line: the step and why it failed.
pub(super) fn open(api: Api) -> Result<(Rc<dyn Owner>, glow::Context), String> {
    let say = |step: &'static str| move |e: glutin::error::Error| format!("{step}: {e}");
    let window = HiddenWindow::new()?;
    // SAFETY: the window lives as long as the display, its surface and its context.
    let display =
        unsafe { Display::new(HiddenWindow::display(), Some(window.handle())) }.map_err(say("no display"))?;
    let template = ConfigTemplateBuilder::new()
        .compatible_with_native_window(window.handle())
        .with_alpha_size(0)
        .with_depth_size(0)
        .with_stencil_size(0)
        .build();
    // SAFETY: as above.
    let config = unsafe { display.find_configs(template) }
        .map_err(say("no pixel formats"))?
        .next()
        .ok_or_else(|| "no pixel format".to_owned())?;
    let one = NonZeroU32::MIN;
    let of_window = SurfaceAttributesBuilder::<WindowSurface>::new().build(window.handle(), one, one);
    // SAFETY: as above.
    let surface = unsafe { display.create_window_surface(&config, &of_window) }.map_err(say("no surface"))?;
    // SAFETY: as above.
    let context = unsafe { display.create_context(&config, &attributes(api).build(Some(window.handle()))) }
        .map_err(say("no context"))?
        .make_current(&surface)
        .map_err(say("not current in a hidden window"))?;
    // SAFETY: the context is current on this thread, and the loader is its display's.
    let gl = unsafe { glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name)) };
    Ok((Rc::new(Hidden { context, surface, _window: window }), gl))
}
