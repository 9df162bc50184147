//! The scanner of kernels.

#[path = "../../src/gl/lift.rs"]
mod lift;
#[path = "../../src/gl/scan.rs"]
mod scan;
#[path = "../../src/gl/source.rs"]
mod source;

/// Scans a kernel: a text that is taken keeps its lines.
pub fn feed(text: &str) {
    if let Ok(scanned) = scan::scan(&source::Kernel::new("fed", text)) {
        assert_eq!(scanned.text.matches('\n').count(), text.matches('\n').count(), "{text:?}");
    }
}
