//! llvmpipe's own threads, or none: chosen once for the process, before a driver is loaded.
//!
//! Mesa's driver for the CPU draws in one thread for each core, and waking them costs 50 to 75 µs a pass. So a pass that one thread draws
//! in less than twice that is drawn sooner without them: on two cores passes of up to 65 536 texels with two fetches each
//! (docs/measured.md). It reads `LP_NUM_THREADS` as it makes its screen, and never again. 0 is the one safe setting, too (`fault.rs`).

use std::sync::OnceLock;

/// Set once a driver has read its environment.
static LOADED: OnceLock<()> = OnceLock::new();

const VARIABLE: &str = "LP_NUM_THREADS";

/// Fetches of a pass up to which threads do not pay: 65 536 texels, two each.
const PAYS_ABOVE: u64 = 2 << 16;

/// Notes that a driver is loaded: from here on nothing is chosen.
pub(super) fn driver_is_there() {
    LOADED.get_or_init(|| ());
}

/// See [`Gpu::expect_fetches`](crate::Gpu::expect_fetches).
pub(crate) fn expect_fetches(most: u64) -> bool {
    let unset = std::env::var_os(VARIABLE).is_none();
    if most > PAYS_ABOVE || !unset || LOADED.get().is_some() || !is_alone() {
        return false;
    }
    // SAFETY: no other thread of the process is there to read or change the environment, and this one does nothing else.
    unsafe { std::env::set_var(VARIABLE, "0") };
    true
}

/// Returns true if the process has no other thread. Only Linux tells; Mesa's EGL without a window is hardly found elsewhere.
fn is_alone() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}
