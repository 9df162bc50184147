//! A context without a window: every EGL device is tried until one gives a current context. On Windows, where EGL is rare, WGL in a
//! window that is never shown comes after them.

use std::rc::Rc;

use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::prelude::*;

use super::context::{Api, Context, Options, Owner, forget_current};
use super::dialect::attributes;
use crate::{Error, Result};

#[cfg(windows)]
const HINT: &str = "install your GPU's driver: Windows' own has no OpenGL 3.3";

#[cfg(not(windows))]
const HINT: &str = "install an EGL loader and a Mesa driver (Debian, Ubuntu: libegl1 libgl1-mesa-dri; \
                    Fedora: mesa-libEGL mesa-dri-drivers; Arch: mesa libglvnd) or your GPU's own driver";

/// An EGL context that lives as long as this does.
struct Headless(PossiblyCurrentContext);

/// Opens a context without a window: tries every device, or only the chosen one, in EGL's order.
pub(crate) fn headless(options: Options) -> Result<Rc<Context>> {
    let options = options.or_environment()?;
    // Even an attempt that fails may leave another context current.
    forget_current();
    let devices = match query_devices() {
        Ok(devices) => devices,
        Err(error) => return without_egl(options, error),
    };
    let names: Vec<String> = devices.iter().enumerate().map(|(i, d)| device_name(i, d)).collect();
    let chosen = match options.device.as_deref() {
        None => (0..devices.len()).collect(),
        Some(choice) => vec![find_device(choice, &names)?],
    };
    let mut tried = Vec::new();
    for index in chosen {
        match open(&devices[index], options.api.unwrap_or_default()) {
            Ok((context, gl)) => {
                let way = ("EGL", Some(names[index].clone()));
                return Context::of_owner(gl, options.limits, Rc::new(Headless(context)), way);
            }
            Err(why) => tried.push(format!("device {}: {why}", names[index])),
        }
    }
    let none = Error::NoContext { tried, hint: HINT.into() };
    if options.device.is_some() { Err(none) } else { without_egl(options, none) }
}

/// The error of EGL: there is no other way.
#[cfg(not(windows))]
fn without_egl(_: Options, error: Error) -> Result<Rc<Context>> {
    Err(error)
}

/// A context by WGL. No device can be chosen there.
#[cfg(windows)]
fn without_egl(options: Options, error: Error) -> Result<Rc<Context>> {
    if let Some(asked) = options.device {
        return Err(Error::UnknownDevice { asked, found: Vec::new() });
    }
    match super::headless_wgl::open(options.api.unwrap_or_default()) {
        Ok((owner, gl)) => Context::of_owner(gl, options.limits, owner, ("WGL in a hidden window", None)),
        Err(why) => {
            let Error::NoContext { mut tried, .. } = error else { return Err(error) };
            tried.push(format!("WGL: {why}"));
            Err(Error::NoContext { tried, hint: HINT.into() })
        }
    }
}

/// [`headless`], where no two threads have a context on a driver that would crash: waits until those of others are gone.
#[cfg(feature = "testing")]
pub(crate) fn headless_by_turns(options: Options) -> Result<Rc<Context>> {
    let turn = super::turn::take();
    let context = headless(options)?;
    if context.driver.renderer.starts_with("llvmpipe") {
        context.turn.replace(Some(turn));
    }
    Ok(context)
}

impl Owner for Headless {
    fn make_current(&self) {
        // It was current on this thread once and objects cannot leave the thread: this fails only when
        // the device itself is lost.
        let _ = self.0.make_current_surfaceless();
    }

    #[cfg(feature = "testing")]
    fn release(&self) {
        // A context that cannot be released was not current.
        let _ = self.0.make_not_current_in_place();
    }
}

/// The names of all EGL devices, as [`Options::device`] takes them; none on Windows without EGL.
///
/// # Errors
/// [`Error::NoContext`] where there is no EGL, nor WGL.
pub fn devices() -> Result<Vec<String>> {
    if cfg!(windows) && query_devices().is_err() {
        return Ok(Vec::new());
    }
    Ok(query_devices()?.iter().enumerate().map(|(i, d)| device_name(i, d)).collect())
}

fn query_devices() -> Result<Vec<Device>> {
    let devices = Device::query_devices()
        .map_err(|e| Error::NoContext { tried: vec![format!("EGL: {e}")], hint: HINT.into() })?;
    Ok(devices.collect())
}

fn device_name(index: usize, device: &Device) -> String {
    let node = device.drm_render_device_node_path().or_else(|| device.drm_device_node_path());
    let what = match (device.name(), device.vendor(), node) {
        (Some(name), _, _) => name.to_owned(),
        (None, _, Some(node)) => node.display().to_string(),
        (None, Some(vendor), None) => vendor.to_owned(),
        _ if device.extensions().contains("EGL_MESA_device_software") => "software".to_owned(),
        _ if device.extensions().contains("EGL_NV_device_cuda") => "NVIDIA".to_owned(),
        _ => "unnamed".to_owned(),
    };
    format!("{index} ({what})")
}

/// By number, or by a part of the name, case aside.
fn find_device(choice: &str, names: &[String]) -> Result<usize> {
    let lower = choice.to_lowercase();
    let found = match choice.parse::<usize>() {
        Ok(number) => (number < names.len()).then_some(number),
        Err(_) => names.iter().position(|n| n.to_lowercase().contains(&lower) && !lower.is_empty()),
    };
    found.ok_or_else(|| Error::UnknownDevice { asked: choice.to_owned(), found: names.to_vec() })
}

fn open(device: &Device, api: Api) -> std::result::Result<(PossiblyCurrentContext, glow::Context), String> {
    let say = |step: &'static str| move |e: glutin::error::Error| format!("{step}: {e}");
    // SAFETY: the device was just listed and no raw display handle is passed.
    let display = unsafe { Display::with_device(device, None) }.map_err(say("no display"))?;
    // Without empty surface types, window configs are asked for and a headless device has none.
    let template = ConfigTemplateBuilder::new()
        .with_surface_type(ConfigSurfaceTypes::empty())
        .with_alpha_size(0)
        .build();
    // SAFETY: the template names no native window.
    let config = unsafe { display.find_configs(template) }
        .map_err(say("no configs"))?
        .next()
        .ok_or_else(|| "no config".to_owned())?;
    // SAFETY: attributes name no window and share no context.
    let context = unsafe { display.create_context(&config, &attributes(api).build(None)) }
        .map_err(say("no context"))?
        .make_current_surfaceless()
        .map_err(say("not current without a surface"))?;
    // SAFETY: the context is current on this thread, and the loader is its display's.
    let gl = unsafe { glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name)) };
    Ok((context, gl))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_found_by_number_and_by_part_of_its_name() -> Result<()> {
        let names = vec!["0 (/dev/dri/renderD128)".to_owned(), "1 (NVIDIA)".to_owned()];
        assert_eq!(find_device("1", &names)?, 1);
        assert_eq!(find_device("nvidia", &names)?, 1);
        assert_eq!(find_device("renderD128", &names)?, 0);
        for wrong in ["2", "amd", ""] {
            assert!(matches!(find_device(wrong, &names), Err(Error::UnknownDevice { .. })), "{wrong}");
        }
        Ok(())
    }
}
