//! Faults of drivers that a program cannot mend.
//!
//! llvmpipe's own threads can corrupt the heap (`free(): corrupted unsorted chunks` was seen four times). The thread
//! that begins a scene asks without a lock if the fence of an older scene has been signalled (`lp_fence_signalled` in
//! `lp_setup_get_empty_scene`), and frees it. The thread that signalled last is still inside `lp_fence_signal`, and its
//! unlocking writes into the freed memory, just where the heap keeps the pointer that the message is about.
//!
//! This was measured with `demo wave`, 200 steps at 64×64, two threads, and a library loaded before Mesa's that waits
//! before that thread's broadcast and watches `free`. A fence was freed while it was signalled in 4 of 5 runs of 22.3.6
//! with a wait of 0.3 or 1 ms, and 2 of the 4 ended with a signal; in 3 of 3 runs of 25.0.7 with 1 ms, none of which
//! ended so; in 1 of 1 of 26.1.6 with 1 ms, which hung. Without the wait it happened in 0 of 5 runs. So no version is
//! known to be free of it; none before 22.3 was tried. How rare it is without the wait is not known. One thread
//! (`LP_NUM_THREADS=1`) races with the caller's thread as well; 0 threads cannot race.
//!
//! A fence that we hold too (`glFenceSync`) would keep it alive, but only for scenes whose end we know, and llvmpipe
//! ends scenes of its own accord. So the program warns, once and in `info`, and runs without threads where that costs
//! nothing: in tests, and in `make demo` without a display.

use std::num::NonZero;

use super::driver::Driver;

impl Driver {
    /// The known fault of this driver with its current settings, and the setting without it, in one line.
    ///
    /// Mesa's llvmpipe, where it draws in threads of its own: it frees the fence of a scene as soon as the last of them has
    /// counted itself, and that thread then writes into the freed memory. A program crashes, hangs or ends with
    /// `free(): corrupted unsorted chunks`, seldom and anywhere. Seen in 22.3.6, 25.0.7 and 26.1.6.
    pub fn fault(&self) -> Option<String> {
        let threads = std::env::var("LP_NUM_THREADS").ok();
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        fault(&self.renderer, &self.version, threads.as_deref(), cores)
    }
}

/// The number that llvmpipe reads, by C's `strtol` with base 0; `None` if there is no digit, and llvmpipe takes its
/// default. All numbers other than 0 are equal here: a negative number counts as a large one.
fn threads(set: &str) -> Option<usize> {
    let digits = set.trim_start().trim_start_matches(['+', '-']);
    let (digits, radix) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hexadecimal) => (hexadecimal, 16),
        None => (digits, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    usize::from_str_radix(&digits[..end], radix).ok()
}

/// Versions of Mesa before 22.3 have not been tried; no version is known to be free of the fault.
fn fault(renderer: &str, version: &str, set: Option<&str>, cores: usize) -> Option<String> {
    let mesa = version.split_once("Mesa ")?.1.split_whitespace().next()?;
    let mut numbers = mesa.split('.').map_while(|number| number.parse::<u32>().ok());
    let since = (numbers.next()?, numbers.next()?) >= (22, 3);
    let threads = set.and_then(threads).unwrap_or(if cores > 1 { cores } else { 0 });
    (renderer.starts_with("llvmpipe") && since && threads > 0).then(|| {
        format!(
            "Mesa {mesa} can crash when llvmpipe draws in threads of its own: LP_NUM_THREADS=0 avoids it, and is faster up to 65536 texels"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llvmpipe_with_threads_of_its_own_has_a_fault() {
        let (llvmpipe, version) = ("llvmpipe (LLVM 15.0.6, 256 bits)", "4.5 (Core Profile) Mesa 22.3.6");
        let has = |renderer: &str, version: &str, set, cores| fault(renderer, version, set, cores).is_some();
        assert!(has(llvmpipe, version, None, 2) && has(llvmpipe, version, Some("1"), 1));
        assert!(has(llvmpipe, "OpenGL ES 3.2 Mesa 26.1.6-1~bpo13+1", Some(" +3x"), 2));
        assert!(!has(llvmpipe, version, None, 1));
        assert!(!has(llvmpipe, version, Some("0"), 16) && !has(llvmpipe, version, Some("0x0"), 16));
        assert!(has(llvmpipe, version, Some("none"), 16) && has(llvmpipe, version, Some("0x4"), 1));
        assert!(!has(llvmpipe, "4.5 (Core Profile) Mesa 21.3.9", None, 2)); // not tried
        assert!(!has("AMD Radeon RX 580 (radeonsi)", version, None, 16));
        assert!(!has("NVIDIA H200/PCIe/SSE2", "3.3.0 NVIDIA 580.159.04", None, 16));
        let line = fault(llvmpipe, version, None, 2).unwrap_or_default();
        assert!(line.contains("Mesa 22.3.6") && line.contains("LP_NUM_THREADS=0"), "{line}");
    }
}
