//! A window of Windows that is never shown: WGL tells its functions, and makes a context current, in a window alone.

use std::num::NonZeroIsize;
use std::ptr;

use raw_window_handle::{RawDisplayHandle, RawWindowHandle, Win32WindowHandle, WindowsDisplayHandle};
use windows_sys::Win32::Foundation::HWND;
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CS_OWNDC, CreateWindowExW, DefWindowProcW, DestroyWindow, RegisterClassW, WNDCLASSW, WS_OVERLAPPED,
};

/// The class of such windows, as Windows spells names: UTF-16, 0 at its end.
const CLASS: [u16; 17] = {
    let (text, mut wide, mut i) = (b"quadrille hidden\0", [0; 17], 0);
    while i < text.len() {
        wide[i] = text[i] as u16;
        i += 1;
    }
    wide
};

/// A window of 1 × 1 pixels, destroyed when it is dropped.
pub(super) struct HiddenWindow {
    window: HWND,
    handle: Win32WindowHandle,
}

impl HiddenWindow {
    /// Makes one; no message ever has to be answered for it.
    ///
    /// # Errors
    /// A line with the number that Windows gives.
    pub fn new() -> Result<HiddenWindow, String> {
        let failed = || format!("no hidden window: {}", std::io::Error::last_os_error());
        // SAFETY: null asks for the module of the program itself.
        let module = unsafe { GetModuleHandleW(ptr::null()) };
        // OpenGL wants a device context that is the window's own.
        // SAFETY: a class of zeros is one without icon, cursor, menu and colour.
        let class = WNDCLASSW {
            style: CS_OWNDC,
            lpfnWndProc: Some(DefWindowProcW),
            hInstance: module,
            lpszClassName: CLASS.as_ptr(),
            ..unsafe { std::mem::zeroed() }
        };
        // SAFETY: the class and its name are alive. A class that is registered already stays as it is; any other failure shows in the
        // next call.
        unsafe { RegisterClassW(&class) };
        let name = CLASS.as_ptr();
        // SAFETY: the names are alive and end with 0, the module is this program's, and the window has no parent, menu or data.
        let window =
            unsafe { CreateWindowExW(0, name, name, WS_OVERLAPPED, 0, 0, 1, 1, 0, 0, module, ptr::null()) };
        let mut handle = Win32WindowHandle::new(NonZeroIsize::new(window).ok_or_else(failed)?);
        handle.hinstance = NonZeroIsize::new(module);
        Ok(HiddenWindow { window, handle })
    }

    /// Its handle, for as long as it lives.
    pub fn handle(&self) -> RawWindowHandle {
        RawWindowHandle::Win32(self.handle)
    }

    /// Windows has one display.
    pub fn display() -> RawDisplayHandle {
        RawDisplayHandle::Windows(WindowsDisplayHandle::new())
    }
}

impl Drop for HiddenWindow {
    fn drop(&mut self) {
        // SAFETY: made by `new` on this thread, which no context leaves, and destroyed once.
        unsafe { DestroyWindow(self.window) };
    }
}
