//! The page of a browser: the WebGL 2 context of a canvas, or of none, and the loss of it.
//!
//! A browser takes a context away when the driver is reset, when there are too many of them, or when a script says so
//! (`WEBGL_lose_context`), and may give the canvas a new one. Objects of the old one are of no use to the new one, which
//! refuses even to delete them. So a [`Context`] that was lost stays lost: a listener sees it before the canvas can have
//! its new one.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{EventTarget, WebGl2RenderingContext};

use super::Context;
#[cfg(feature = "headless")]
use super::Options;
use super::limits::Limits;
use crate::{Error, Result};

/// The extensions that are asked for at the start: a browser offers nothing that was not asked for. The last one tells the renderer's name.
const EXTENSIONS: [&str; 6] = [
    "EXT_color_buffer_float",
    "EXT_float_blend",
    "OES_texture_float_linear",
    "EXT_disjoint_timer_query_webgl2",
    "KHR_parallel_shader_compile",
    "WEBGL_debug_renderer_info",
];

const LOST: &str = "webglcontextlost";

/// The WebGL 2 context below a [`Context`].
pub(super) struct Page {
    context: WebGl2RenderingContext,
    canvas: Option<EventTarget>,
    lost: Rc<Cell<bool>>,
    listener: Closure<dyn FnMut()>,
    /// Its canvas is nobody else's.
    ours: bool,
}

impl Page {
    fn new(context: WebGl2RenderingContext, ours: bool) -> Page {
        let lost = Rc::new(Cell::new(false));
        let told = lost.clone();
        let listener = Closure::<dyn FnMut()>::new(move || told.set(true));
        // The feature list of web-sys knows a canvas of a page by another type than one of none: both are targets of events.
        let canvas = js_sys::Reflect::get(&context, &"canvas".into()).ok();
        let canvas = canvas.and_then(|canvas| canvas.dyn_into::<EventTarget>().ok());
        if let Some(canvas) = &canvas {
            let _ = canvas.add_event_listener_with_callback(LOST, listener.as_ref().unchecked_ref());
        }
        Page { context, canvas, lost, listener, ours }
    }

    pub fn is_lost(&self) -> bool {
        if self.context.is_context_lost() {
            self.lost.set(true);
        }
        self.lost.get()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(canvas) = &self.canvas {
            let listener = self.listener.as_ref().unchecked_ref();
            let _ = canvas.remove_event_listener_with_callback(LOST, listener);
        }
        // A browser keeps some sixteen contexts, and takes the oldest away for one more: ours is not left to its collector.
        if self.ours
            && let Ok(Some(extension)) = self.context.get_extension("WEBGL_lose_context")
        {
            extension.unchecked_into::<web_sys::WebglLoseContext>().lose_context();
        }
    }
}

impl Context {
    /// Wraps the WebGL 2 context of a canvas, under the limits of a card if given.
    ///
    /// # Errors
    /// [`Error::ContextLost`]; those of [`Context::from_glow`].
    pub fn from_webgl2(context: WebGl2RenderingContext, limits: Option<Limits>) -> Result<Rc<Context>> {
        of(context, limits, false)
    }
}

fn of(context: WebGl2RenderingContext, limits: Option<Limits>, ours: bool) -> Result<Rc<Context>> {
    if context.is_context_lost() {
        return Err(Error::ContextLost { what: "a context of WebGL 2".into() });
    }
    for name in EXTENSIONS {
        let _ = context.get_extension(name);
    }
    let page = Page::new(context.clone(), ours);
    let gl = Rc::new(glow::Context::from_webgl2_context(context));
    Context::of_page(gl, limits, page)
}

/// Opens a context of a canvas that is not in the page.
#[cfg(feature = "headless")]
pub(crate) fn headless(options: Options) -> Result<Rc<Context>> {
    let options = options.or_environment()?;
    let none = |why: &str| Error::NoContext { tried: vec![why.to_owned()], hint: HINT.to_owned() };
    if let Some(api) = options.api {
        return Err(none(&format!("a page has WebGL 2, and {api:?} is asked for")));
    }
    if let Some(asked) = options.device {
        return Err(Error::UnknownDevice { asked, found: vec!["that of the page".into()] });
    }
    let told = |what: JsValue| none(&format!("{what:?}"));
    let canvas = web_sys::OffscreenCanvas::new(1, 1).map_err(told)?;
    let wishes = js_sys::Object::new();
    for wish in ["alpha", "antialias"] {
        js_sys::Reflect::set(&wishes, &wish.into(), &false.into()).map_err(told)?;
    }
    let context = canvas.get_context_with_context_options("webgl2", &wishes).map_err(told)?;
    let context = context.ok_or_else(|| none("a canvas has no context of WebGL 2"))?;
    of(context.unchecked_into(), options.limits, true)
}

#[cfg(feature = "headless")]
const HINT: &str = "use a browser with WebGL 2 and let it use the GPU";

/// The one device of a page.
///
/// # Errors
/// None.
#[cfg(feature = "headless")]
pub fn devices() -> Result<Vec<String>> {
    Ok(vec!["0 (that of the page)".into()])
}
