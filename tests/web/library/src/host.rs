//! The host that tests ask for what a page has not: the golden pictures, which are packed, and a clock.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use quadrille::gl::GlowContext;
use wasm_bindgen::JsCast;

macro_rules! packed {
    ($($name:literal)*) => {
        const PACKED: &[(&str, &[u8])] = &[$(($name, include_bytes!(concat!("../../../data/golden/", $name)))),*];
    };
}

packed! { "bodies.png" "boxes.png" "faces.png" "fluids.png" "heights.png" "pools.png" "skies.png" "volumes.png" }

/// Files by their last name: those that are packed can be read, none can be written.
pub mod fs {
    use super::*;

    pub struct File(Cursor<Vec<u8>>);

    impl File {
        pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
            let name = path.as_ref().file_name().and_then(|name| name.to_str());
            let found = PACKED.iter().find(|(packed, _)| Some(*packed) == name);
            found
                .map(|(_, bytes)| File(Cursor::new(bytes.to_vec())))
                .ok_or_else(|| io::ErrorKind::NotFound.into())
        }

        pub fn create(_: impl AsRef<Path>) -> io::Result<File> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn options() -> std::fs::OpenOptions {
            std::fs::OpenOptions::new()
        }
    }

    impl Read for File {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.0.read(into)
        }
    }

    impl Seek for File {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    impl Write for File {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::Unsupported.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub use std::fs::{create_dir_all, remove_file, write};
}

/// A page has one dialect, which is asked for by no name.
pub fn dialect(_: quadrille::Api) -> Option<quadrille::Api> {
    None
}

/// The clock of the page.
#[derive(Clone, Copy, Debug)]
pub struct Instant(f64);

impl Instant {
    pub fn now() -> Instant {
        let clock = js_sys::Reflect::get(&js_sys::global(), &"performance".into());
        let clock = clock.ok().and_then(|clock| clock.dyn_into::<web_sys::Performance>().ok());
        Instant(clock.map_or(0.0, |clock| clock.now()))
    }

    pub fn elapsed(&self) -> Duration {
        Duration::from_secs_f64((Instant::now().0 - self.0).max(0.0) / 1e3)
    }
}

/// Functions of a loader: there are none in a page.
pub unsafe fn from_loader_function(_: impl Fn(&str) -> *const std::ffi::c_void) -> GlowContext {
    panic!("a page loads no functions of OpenGL")
}
