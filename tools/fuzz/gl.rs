//! The scanner of kernels.

#[path = "../../src/gl"]
mod library {
    mod lift;
    mod scan;
    mod source;

    /// Scans a kernel: a text that is taken keeps its lines.
    pub fn feed(text: &str) {
        if let Ok(scanned) = scan::scan(&source::Kernel::new("fed", text)) {
            assert_eq!(scanned.text.matches('\n').count(), text.matches('\n').count(), "{text:?}");
        }
    }
}

pub use library::feed;
