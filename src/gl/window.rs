//! A context in a window of any toolkit that gives its handles.
//!
//! A window must fit the pixels that OpenGL will write, so OpenGL comes first: [`Screen::native`], then the
//! window in the [`Screen::config`] that was chosen, then [`Screen::open`].
//!
//! ```text
//! let screen = Screen::native(event_loop.owned_display_handle(), api)?;
//! let window = Rc::new(glutin_winit::finalize_window(event_loop, attributes, screen.config())?);
//! let surface = screen.open(window, width, height)?;
//! let gpu = Gpu::of(surface.context(None)?);
//! ```

use std::num::NonZeroU32;
use std::rc::Rc;

use glutin::config::{self, ColorBufferType, Config, ConfigTemplateBuilder};
use glutin::context::{NotCurrentContext, PossiblyCurrentContext};
use glutin::display::{Display, DisplayApiPreference, GetGlDisplay};
use glutin::prelude::*;
use glutin::surface::{Surface as GlutinSurface, SurfaceAttributesBuilder, SwapInterval, WindowSurface};
use raw_window_handle::{HasDisplayHandle, HasWindowHandle, RawDisplayHandle, RawWindowHandle};

use super::context::Owner;
use super::dialect::attributes;
#[cfg(windows)]
use super::hidden_window::HiddenWindow;
use super::{Api, Context, Limits};
use crate::{Error, Result};

const HINT: &str = "a driver with OpenGL 3.3 or OpenGL ES 3.0 is needed, and the libraries libEGL or libGL \
                    (Debian, Ubuntu: libegl1 libgl1 libgl1-mesa-dri)";

/// A connection to the windowing system, and a context for the future window.
pub struct Screen {
    config: Config,
    context: NotCurrentContext,
    owner: Rc<dyn HasDisplayHandle>,
    by: &'static str,
    #[cfg(windows)]
    hidden: HiddenWindow,
}

impl Screen {
    /// Makes a context in the way that every system of its kind has: WGL on Windows, CGL on macOS, else EGL.
    ///
    /// # Errors
    /// As [`Screen::new`].
    pub fn native(owner: impl HasDisplayHandle + 'static, api: Api) -> Result<Screen> {
        #[cfg(windows)]
        let way = DisplayApiPreference::Wgl(None);
        #[cfg(target_vendor = "apple")]
        let way = DisplayApiPreference::Cgl;
        #[cfg(not(any(windows, target_vendor = "apple")))]
        let way = DisplayApiPreference::Egl;
        Screen::new(owner, api, [way])
    }

    /// Makes a context in the first of these ways that works, most often EGL and then GLX; CGL on macOS, and WGL on Windows.
    ///
    /// # Errors
    /// [`Error::NoContext`] with the ways tried and why each failed.
    pub fn new(
        owner: impl HasDisplayHandle + 'static,
        api: Api,
        ways: impl IntoIterator<Item = DisplayApiPreference>,
    ) -> Result<Screen> {
        let handle = owner.display_handle().map_err(|e| failed("no display", e))?.as_raw();
        // WGL has its functions, and makes its contexts, in a window; the one to come takes the same pixel format.
        #[cfg(windows)]
        let hidden = HiddenWindow::new().map_err(|why| no_context(vec![why]))?;
        #[cfg(windows)]
        let before = Some(hidden.handle());
        #[cfg(not(windows))]
        let before = None;
        let mut tried = Vec::new();
        for way in ways {
            #[cfg(windows)]
            let way = if let DisplayApiPreference::Wgl(None) = way {
                DisplayApiPreference::Wgl(before)
            } else {
                way
            };
            let by = name_of(&way);
            match prepare(handle, api, way, before) {
                Ok((config, context)) => {
                    let owner = Rc::new(owner);
                    return Ok(Screen {
                        config,
                        context,
                        owner,
                        by,
                        #[cfg(windows)]
                        hidden,
                    });
                }
                Err(why) => tried.push(format!("{by}: {why}")),
            }
        }
        Err(no_context(tried))
    }

    /// The pixel format that the window must have.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Makes the context current in a window of width × height pixels, and waits for the screen's refresh
    /// when it shows a frame, where the driver can.
    ///
    /// # Errors
    /// [`Error::NoContext`].
    pub fn open(
        self,
        window: Rc<impl HasWindowHandle + 'static>,
        width: u32,
        height: u32,
    ) -> Result<Surface> {
        let Screen {
            config,
            context,
            owner,
            by,
            #[cfg(windows)]
            hidden,
        } = self;
        let handle = window.window_handle().map_err(|e| failed("no window handle", e))?.as_raw();
        let at_least_one = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        let (width, height) = (at_least_one(width), at_least_one(height));
        let attributes = SurfaceAttributesBuilder::<WindowSurface>::new().build(handle, width, height);
        // SAFETY: the handle is that of a living window, which the surface keeps alive.
        let surface = unsafe { config.display().create_window_surface(&config, &attributes) }
            .map_err(|e| failed("no surface in the window", e))?;
        let context = context.make_current(&surface).map_err(|e| failed("not current in the window", e))?;
        super::context::forget_current();
        // Only a pleasure: some drivers have no choice of it.
        let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));
        let shared = Shared {
            surface,
            context,
            by,
            #[cfg(windows)]
            _hidden: hidden,
            _window: window,
            _owner: owner,
        };
        Ok(Surface { shared: Rc::new(shared) })
    }
}

/// A window's pixels and the context that draws them; both live as long as any object made in the context.
pub struct Surface {
    shared: Rc<Shared>,
}

struct Shared {
    // In the order in which they must go.
    surface: GlutinSurface<WindowSurface>,
    context: PossiblyCurrentContext,
    by: &'static str,
    #[cfg(windows)]
    _hidden: HiddenWindow,
    _window: Rc<dyn HasWindowHandle>,
    _owner: Rc<dyn HasDisplayHandle>,
}

impl Owner for Shared {
    fn make_current(&self) {
        // It was current on this thread once: this fails only when the window or the device is lost.
        let _ = self.context.make_current(&self.surface);
    }
}

impl Surface {
    /// The library's context of this window, under the limits of a card if given. It makes itself current if another
    /// one is.
    ///
    /// # Errors
    /// As [`Surface::functions`]; [`Error::OldContext`].
    pub fn context(&self, limits: Option<Limits>) -> Result<Rc<Context>> {
        Context::of_owner(self.functions()?, limits, self.shared.clone(), (self.shared.by, None))
    }

    /// The context's functions for others who draw in it, such as egui.
    ///
    /// # Errors
    /// [`Error::NoContext`] if the context cannot be made current again.
    pub fn functions(&self) -> Result<glow::Context> {
        let Shared { context, surface, .. } = &*self.shared;
        context.make_current(surface).map_err(|e| failed("not current in the window", e))?;
        super::context::forget_current();
        let display = context.display();
        // SAFETY: the context is current on this thread, and the loader is its display's.
        Ok(unsafe { glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name)) })
    }

    /// Tells the surface that the window now has this many pixels. A size of zero, of a minimised window, changes
    /// nothing.
    pub fn resize(&self, width: u32, height: u32) {
        if let (Some(width), Some(height)) = (NonZeroU32::new(width), NonZeroU32::new(height)) {
            self.shared.surface.resize(&self.shared.context, width, height);
        }
    }

    /// Shows what was drawn.
    ///
    /// # Errors
    /// [`Error::Driver`] when the window or the device is lost.
    pub fn show(&self) -> Result<()> {
        let Shared { surface, context, .. } = &*self.shared;
        if !context.is_current() {
            self.shared.make_current();
            super::context::forget_current();
        }
        surface
            .swap_buffers(context)
            .map_err(|e| Error::Driver { what: "to show a frame".to_owned(), message: e.to_string() })
    }
}

fn no_context(tried: Vec<String>) -> Error {
    Error::NoContext { tried, hint: HINT.to_owned() }
}

fn failed(what: &str, why: impl std::fmt::Display) -> Error {
    no_context(vec![format!("{what}: {why}")])
}

/// The name of a way.
fn name_of(way: &DisplayApiPreference) -> &'static str {
    match way {
        #[cfg(not(target_vendor = "apple"))]
        DisplayApiPreference::Egl => "EGL",
        #[cfg(all(unix, not(target_vendor = "apple")))]
        DisplayApiPreference::Glx(_) => "GLX",
        #[cfg(windows)]
        DisplayApiPreference::Wgl(_) => "WGL",
        #[cfg(target_vendor = "apple")]
        DisplayApiPreference::Cgl => "CGL",
        #[cfg(not(target_vendor = "apple"))]
        _ => "one of two",
    }
}

/// A pixel format and a context. `before` is a window that is there already, where there is one.
fn prepare(
    handle: RawDisplayHandle,
    api: Api,
    way: DisplayApiPreference,
    before: Option<RawWindowHandle>,
) -> std::result::Result<(Config, NotCurrentContext), String> {
    let say = |step: &'static str| move |e: glutin::error::Error| format!("{step}: {e}");
    // SAFETY: the handle's owner lives as long as the `Screen` and then the `Surface`.
    let display = unsafe { Display::new(handle, way) }.map_err(say("no display"))?;
    let dialect = match api {
        Api::Gl => config::Api::OPENGL,
        Api::Gles => config::Api::GLES3,
    };
    let template = ConfigTemplateBuilder::new()
        .with_api(dialect)
        .with_alpha_size(0)
        .with_depth_size(0)
        .with_stencil_size(0);
    let template = match before {
        Some(window) => template.compatible_with_native_window(window).build(),
        None => template.build(),
    };
    // SAFETY: the template names no native window, or one that lives as long as the `Screen` and then the `Surface`.
    let config = unsafe { display.find_configs(template) }
        .map_err(say("no pixel formats"))?
        .min_by_key(surplus)
        .ok_or_else(|| format!("no pixel format for {api:?} in a window"))?;
    // SAFETY: attributes name no window, or that one, and share no context.
    let context = unsafe { display.create_context(&config, &attributes(api).build(before)) }
        .map_err(say("no context"))?;
    Ok((config, context))
}

/// The number of bits of a pixel format besides 8 bits of red, green and blue. We need none of them, least of all
/// alpha, which would let the desktop show through.
fn surplus(config: &Config) -> u32 {
    let colour = match config.color_buffer_type() {
        Some(ColorBufferType::Rgb { r_size, g_size, b_size }) => {
            [r_size, g_size, b_size].map(|bits| u32::from(bits.abs_diff(8))).iter().sum()
        }
        _ => 100,
    };
    let rest = [config.alpha_size(), config.num_samples(), config.depth_size(), config.stencil_size()];
    colour + rest.map(u32::from).iter().sum::<u32>()
}
