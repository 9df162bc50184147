//! Steps a second, whatever the screen's pace is.

use std::time::{Duration, Instant};

use anyhow::Result;

/// About how long is measured: long beside a wait for the GPU, short for whoever looks on.
const LAP: Duration = Duration::from_millis(60);

/// Of `run`, which makes so many steps and waits for the last: twice as many as before, until they take long enough to
/// be timed.
pub fn rate(mut run: impl FnMut(u32) -> Result<()>) -> Result<f64> {
    // The first may make masks, and some drivers finish a kernel when it first runs.
    run(2)?;
    let mut steps = 1;
    loop {
        let clock = Instant::now();
        run(steps)?;
        let time = clock.elapsed();
        if time >= LAP {
            return Ok(f64::from(steps) / time.as_secs_f64());
        }
        steps *= 2;
    }
}
