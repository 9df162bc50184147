//! The scanner of kernels.

#[path = "../../src/gl"]
mod library {
    mod declarations;
    mod kernel;
    mod lift;
    mod scan;

    /// Scans a kernel: a text that is taken keeps its lines.
    pub fn feed(text: &str) {
        if let Ok(scanned) = scan::scan(&kernel::Kernel::new("fed", text)) {
            assert_eq!(scanned.text.matches('\n').count(), text.matches('\n').count(), "{text:?}");
        }
    }
}

pub use library::feed;
