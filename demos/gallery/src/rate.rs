//! Steps a second, whatever the screen's pace is.

use anyhow::Result;

use crate::demo::Host;

/// Seconds that are measured, about: long beside a wait for the GPU, short for whoever looks on.
const MEASURED: f64 = 0.06;

/// The rate of `run`, which makes so many steps and waits for the last: twice as many as before, until they take long enough to be
/// timed.
pub fn rate(host: &dyn Host, mut run: impl FnMut(u32) -> Result<()>) -> Result<f64> {
    // The first may make masks, and some drivers finish a kernel when it first runs.
    run(2)?;
    let mut steps = 1;
    loop {
        let begun = host.seconds();
        run(steps)?;
        let time = host.seconds() - begun;
        if time >= MEASURED {
            return Ok(f64::from(steps) / time);
        }
        steps *= 2;
    }
}
