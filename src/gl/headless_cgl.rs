//! A context without a window on macOS: CGL makes one current without a surface, on any thread. (Through glutin each context waits
//! for the main thread, which in a program without a window serves nobody.) OpenGL 4.1 core, of which 3.3 is used.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::rc::Rc;

use super::context::{Api, Context, Options, Owner, forget_current};
use crate::{Error, Result};

const HINT: &str = "macOS has OpenGL 4.1 and no OpenGL ES: take the dialect gl";

/// `kCGLOGLPVersion_GL4_Core` and `kCGLOGLPVersion_GL3_Core`.
const PROFILES: [cgl::CGLPixelFormatAttribute; 2] = [0x4100, 0x3200];

/// A CGL context that lives as long as this does.
struct Headless(cgl::CGLContextObj);

/// Opens a context without a window.
pub(crate) fn headless(options: Options) -> Result<Rc<Context>> {
    let options = options.or_environment()?;
    if let Some(asked) = options.device {
        return Err(Error::UnknownDevice { asked, found: devices()? });
    }
    forget_current();
    let failed = |why: String| Error::NoContext { tried: vec![format!("CGL: {why}")], hint: HINT.into() };
    if options.api == Some(Api::Gles) {
        return Err(failed("no OpenGL ES".into()));
    }
    let headless = open().map_err(failed)?;
    // SAFETY: the context is current on this thread.
    let gl = unsafe { glow::Context::from_loader_function_cstr(function) };
    Context::of_owner(gl, options.limits, Rc::new(headless), ("CGL", None))
}

impl Owner for Headless {
    fn make_current(&self) {
        // It was current on this thread once, and needs no surface for it.
        // SAFETY: the context is alive.
        unsafe { cgl::CGLSetCurrentContext(self.0) };
    }

    #[cfg(feature = "testing")]
    fn release(&self) {
        // SAFETY: null lets go of whatever is current.
        unsafe { cgl::CGLSetCurrentContext(ptr::null_mut()) };
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        // SAFETY: made by `open`, and destroyed once; CGL lets go of it first where it is current.
        unsafe { cgl::CGLDestroyContext(self.0) };
    }
}

/// The devices that [`Options::device`] may name: none, since CGL chooses the GPU itself.
///
/// # Errors
/// None on macOS.
pub fn devices() -> Result<Vec<String>> {
    Ok(Vec::new())
}

/// Opens a context and makes it current on this thread.
fn open() -> std::result::Result<Headless, String> {
    let mut why = String::new();
    for profile in PROFILES {
        let attributes = [cgl::kCGLPFAOpenGLProfile, profile, cgl::kCGLPFAAllowOfflineRenderers, 0];
        let (mut format, mut formats, mut context) = (ptr::null_mut(), 0, ptr::null_mut());
        // SAFETY: the attributes end with 0, and CGL writes a format and a number into places that are alive.
        let error =
            unsafe { cgl::CGLChoosePixelFormat(attributes.as_ptr(), &raw mut format, &raw mut formats) };
        if error != cgl::kCGLNoError || format.is_null() {
            why = format!("no pixel format (CGL error {error})");
            continue;
        }
        // SAFETY: the format is alive until it is destroyed, once; the context shares with none.
        let error = unsafe {
            let error = cgl::CGLCreateContext(format, ptr::null_mut(), &raw mut context);
            cgl::CGLDestroyPixelFormat(format);
            error
        };
        if error != cgl::kCGLNoError || context.is_null() {
            why = format!("no context (CGL error {error})");
            continue;
        }
        let headless = Headless(context);
        // SAFETY: the context is alive.
        let error = unsafe { cgl::CGLSetCurrentContext(headless.0) };
        if error == cgl::kCGLNoError {
            return Ok(headless);
        }
        why = format!("not current without a surface (CGL error {error})");
    }
    Err(why)
}

/// A function of the OpenGL framework, which `cgl` links.
fn function(name: &CStr) -> *const c_void {
    // SAFETY: the name ends with 0.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}
